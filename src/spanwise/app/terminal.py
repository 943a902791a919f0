"""What a terminal is told and nothing else is: width, bold type, how far a long task has come."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

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
    return on_terminal(output) and not os.environ.get("NO_COLOR") and os.name != "nt"


def watched(things: Iterable[T], count: int, label: str) -> Iterator[T]:
    """The things one by one; on a terminal a bar with the time left appears after two seconds."""
    from time import monotonic

    if sys.stderr is None or not sys.stderr.isatty():
        yield from things
        return
    started, done, waiting = monotonic(), 0, iter(things)
    for thing in waiting:
        yield thing
        done += 1
        if monotonic() - started > PATIENCE:
            break
    yield from _under_bar(waiting, done, count, label)


def _under_bar(things: Iterator[T], done: int, count: int, label: str) -> Iterator[T]:
    first = next(things, None)
    if first is None:
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as TimeLeft

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeLeft())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(label, total=count, completed=done)
        yield first
        progress.advance(task)
        for thing in things:
            yield thing
            progress.advance(task)
