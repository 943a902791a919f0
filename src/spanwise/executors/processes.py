"""Worker processes on this machine."""

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

THREAD_LIMITS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "POLARS_MAX_THREADS")
"""Environment variables that limit libraries to one thread per process."""


def cores() -> int:
    """Return the number of processors available to this process."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def by_processes(work: Callable[[Any], Any], items: Sequence[Any], count: int) -> Iterator[Any]:
    """Yield the result of each item, in order, from a number of worker processes.

    The processes are started at once, before a progress display has started a thread. Only a few
    items are in flight at a time, to limit memory. If a process dies, the remaining items are
    computed in this process.
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
    """Return whether a worker can be forked, sharing all data that has been read.

    Forking is safe only on Linux and in a single thread; the threads of Polars do not survive it.
    """
    return sys.platform == "linux" and "polars" not in sys.modules and threading.active_count() == 1


def _pool(count: int) -> ProcessPoolExecutor:
    context = get_context("fork" if cheap() else "spawn")
    return ProcessPoolExecutor(count, mp_context=context, initializer=_begin)


def _begin() -> None:
    """Ignore Ctrl-C, which the parent process handles, and restore SIGTERM."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


@contextmanager
def _single_threads() -> Iterator[None]:
    """Limit processes that are started meanwhile to one thread each."""
    before = {name: os.environ.get(name) for name in THREAD_LIMITS}
    os.environ.update(dict.fromkeys(THREAD_LIMITS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
