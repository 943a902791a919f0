"""What a terminal is told and nothing else is: width, bold type, how far a long task has come."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from spanwise.app.output import coloured

T = TypeVar("T")
PATIENCE = 2.0
"""Seconds after which a task shows how far it is."""


def on_terminal(output: str | None = None) -> bool:
    """Whether what is printed is seen at once."""
    return output is None and sys.stdout is not None and sys.stdout.isatty()


def page_width(output: str | None = None) -> int | None:
    """The columns of the terminal; None: there is none, and lines may be of any length."""
    return shutil.get_terminal_size().columns if on_terminal(output) else None


def styled(output: str | None = None) -> bool:
    """Whether bold type and colour may be used: on a terminal, unless NO_COLOR says otherwise."""
    return output is None and coloured() and os.name != "nt"


def watched(things: Iterable[T], count: int, label: str) -> Iterator[T]:
    """The things one by one; on a terminal a bar with the time left appears after two seconds.

    It appears then even while the first thing is still in the making.
    """
    if sys.stderr is None or not sys.stderr.isatty():
        yield from things
        return
    from threading import Timer

    bar = _Bar(count, label)
    timer = Timer(PATIENCE, bar.appear)
    timer.daemon = True
    timer.start()
    try:
        for thing in things:
            yield thing
            bar.advance()
    finally:
        timer.cancel()
        bar.vanish()


class _Bar:
    """How far a task has come, once somebody wants to see it."""

    def __init__(self, count: int, label: str) -> None:
        from threading import Lock

        self._count, self._label = count, label
        self._done, self._over, self._lock = 0, False, Lock()
        self._shown: Any = None

    def appear(self) -> None:
        """Draw it; it redraws itself from then on."""
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
        from rich.progress import TimeElapsedColumn as Elapsed
        from rich.progress import TimeRemainingColumn as TimeLeft

        words, spent = TextColumn("{task.description}"), Elapsed()
        left = TimeLeft(), TextColumn("left")
        with self._lock:
            if self._over:
                return
            columns = (words, BarColumn(), MofNCompleteColumn(), spent, *left)
            self._shown = Progress(*columns, console=Console(stderr=True), transient=True)
            self._shown.add_task(self._label, total=self._count, completed=self._done)
            self._shown.start()

    def advance(self) -> None:
        """One more is done."""
        with self._lock:
            self._done += 1
            if self._shown is not None:
                self._shown.update(self._shown.task_ids[0], completed=self._done)

    def vanish(self) -> None:
        """Leave the terminal as it was."""
        with self._lock:
            self._over = True
            if self._shown is not None:
                self._shown.stop()
