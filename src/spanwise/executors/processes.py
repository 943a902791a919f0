"""Processes of this machine: as many as there are cores, or as were asked for."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context
from typing import Any

SINGLE = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "POLARS_MAX_THREADS")
"""What keeps libraries to one thread; processes beside each other need no more."""


def cores() -> int:
    """How many processes can run at once."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def by_processes(work: Callable[[Any], Any], items: Sequence[Any], count: int) -> Iterator[Any]:
    """What comes of each item, in the order of the items, from so many processes.

    They are started at once, before anybody who looks on has a thread. A few items are on their way
    at a time, so that neither side has to keep many. Where a process dies the rest is done here.
    """
    pool = _pool(min(count, len(items)))
    with _single_threads():
        waiting = deque([pool.submit(work, items[0])])
    return _collected(pool, waiting, work, items, 2 * count)


def _collected(
    pool: ProcessPoolExecutor,
    waiting: deque[Future[Any]],
    work: Callable[[Any], Any],
    items: Sequence[Any],
    most: int,
) -> Iterator[Any]:
    done = 0
    with _single_threads(), pool:
        try:
            for item in items[1:]:
                waiting.append(pool.submit(work, item))
                if len(waiting) > most:
                    yield waiting.popleft().result()
                    done += 1
            while waiting:
                yield waiting.popleft().result()
                done += 1
            return
        except BrokenProcessPool:
            pass
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
    yield from map(work, items[done:])


def cheap() -> bool:
    """Whether a process can be a copy of this one, with all that has been read: it has one thread.

    The threads of Polars cannot be copied, and on other systems than Linux libraries mind.
    """
    return sys.platform == "linux" and "polars" not in sys.modules and threading.active_count() == 1


def _pool(count: int) -> ProcessPoolExecutor:
    context = get_context("fork" if cheap() else "spawn")
    return ProcessPoolExecutor(count, mp_context=context, initializer=_begin)


def _begin() -> None:
    """Ctrl-C is for the process that asked; it ends the others. They have nothing to put away."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


@contextmanager
def _single_threads() -> Iterator[None]:
    """Processes that are started meanwhile use one thread each."""
    before = {name: os.environ.get(name) for name in SINGLE}
    os.environ.update(dict.fromkeys(SINGLE, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
