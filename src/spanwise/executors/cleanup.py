"""However a run ends, what it started is stopped and what it wrote is removed."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from types import FrameType
from typing import Any, TypeVar

T = TypeVar("T")
REQUESTS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]
"""What asks a process to end."""
LONGEST = 30
"""Sockets lie in such folders, and the names of sockets must not be long."""


@contextmanager
def tidily(name: str, *, sockets: bool = True) -> Iterator[Path]:
    """A folder for what an engine writes, with a short name if there will be sockets in it.

    Being asked to end is an exception meanwhile.
    """
    with _handled(_leave), calmly(_folder(name, sockets)) as folder:
        yield folder


@contextmanager
def _folder(name: str, sockets: bool) -> Iterator[Path]:
    usual = gettempdir()
    any_name = not sockets or len(usual) <= LONGEST or os.name == "nt"
    place = usual if any_name else "/tmp"
    with TemporaryDirectory(prefix=f"{name}-", dir=place, ignore_cleanup_errors=True) as folder:
        yield Path(folder)


@contextmanager
def calmly(context: AbstractContextManager[T]) -> Iterator[T]:
    """A context that is entered and left undisturbed; in between it can be asked to end."""
    stack = ExitStack()
    try:
        with undisturbed():
            found = stack.enter_context(context)
        yield found
    finally:
        with undisturbed():
            stack.close()


@contextmanager
def undisturbed() -> Iterator[None]:
    """While an engine's own code runs, requests to end wait: it might lose them.

    An exception that comes while an object is destroyed, say, is printed and forgotten.
    """
    waiting: list[int] = []
    with _handled(lambda number, _: waiting.append(number), every=True):
        yield
    if waiting:
        signal.raise_signal(waiting[0])


def _leave(number: int, _: FrameType | None) -> None:
    raise SystemExit(128 + number)


@contextmanager
def _handled(handler: Any, *, every: bool = False) -> Iterator[None]:
    """Requests to end go to a handler; without `every` only those that nobody handles."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals are the main thread's business
        return
    before = {number: signal.getsignal(number) for number in REQUESTS}
    mine = [number for number in REQUESTS if every or before[number] is signal.SIG_DFL]
    for number in mine:
        signal.signal(number, handler)
    try:
        yield
    finally:
        for number in mine:
            signal.signal(number, before[number])
