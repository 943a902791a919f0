"""Signals, output and temporary files while engines run.

However a run ends, what it started is stopped and what it wrote is removed.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from multiprocessing import resource_tracker
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from types import FrameType
from typing import Any, TypeVar

T = TypeVar("T")
REQUESTS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]
"""Signals that ask the process to end."""
LONGEST = 30
"""Maximum length of a path that leaves room for the names of sockets."""


@contextmanager
def temporary_folder(name: str, *, sockets: bool = True) -> Iterator[Path]:
    """Provide a temporary folder for an engine, with a short path if it holds sockets.

    Signals that ask the process to end raise SystemExit meanwhile.
    """
    with _handlers(_exit), safe_context(_folder(name, sockets)) as folder:
        yield folder


@contextmanager
def _folder(name: str, sockets: bool) -> Iterator[Path]:
    usual = gettempdir()
    any_name = not sockets or len(usual) <= LONGEST or os.name == "nt"
    place = usual if any_name else "/tmp"
    with TemporaryDirectory(prefix=f"{name}-", dir=place, ignore_cleanup_errors=True) as folder:
        yield Path(folder)


@contextmanager
def safe_context(context: AbstractContextManager[T]) -> Iterator[T]:
    """Enter and leave a context with signals deferred; in between they are handled."""
    stack = ExitStack()
    try:
        with signals_deferred():
            found = stack.enter_context(context)
        yield found
    finally:
        with signals_deferred():
            stack.close()


@contextmanager
def signals_deferred() -> Iterator[None]:
    """Defer signals that ask the process to end while the code of an engine runs.

    The engine could lose the exception: if it is raised while an object is destroyed, for instance,
    Python prints it and continues.
    """
    waiting: list[int] = []
    with _handlers(lambda number, _: waiting.append(number), every=True):
        yield
    if waiting:
        signal.raise_signal(waiting[0])


def _exit(number: int, _: FrameType | None) -> None:
    raise SystemExit(128 + number)


@contextmanager
def _handlers(handler: Any, *, every: bool = False) -> Iterator[None]:
    """Install a handler of signals to end; without `every` only for unhandled ones."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread can handle signals
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


@contextmanager
def stderr_discarded() -> Iterator[None]:
    """Discard what libraries write to standard error past Python."""
    errors = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(errors, 2)
        os.close(errors)
        os.close(nowhere)


@contextmanager
def interrupts_blocked() -> Iterator[None]:
    """Block Ctrl-C in threads and processes that are started meanwhile."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # its start would unblock interrupts
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
