"""Who makes the shards of a store: this process, or others that are started for it."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager

from spanwise.collection.shards import Failure, Note, Task, build_shard


@contextmanager
def submitting(workers: int) -> Iterator[Callable[[Task], Future[Note | Failure]]]:
    """A way to have shards made: in this process, or in others."""
    pool: ProcessPoolExecutor | None = None

    def here(task: Task) -> Future[Note | Failure]:
        result: Future[Note | Failure] = Future()
        result.set_result(build_shard(task))
        return result

    def elsewhere(task: Task) -> Future[Note | Failure]:
        nonlocal pool
        if pool is None:
            context = multiprocessing.get_context("spawn")
            pool = ProcessPoolExecutor(workers, context, initializer=_serve)
        with _interrupts_held():
            return pool.submit(build_shard, task)

    try:
        yield here if workers == 1 else elsewhere
    finally:
        if pool is not None:
            pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Ctrl-C waits meanwhile; a process that is started never hears of it, not even at first."""
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or not hasattr(signal, "pthread_sigmask"):
        yield
        return
    heard: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: heard.append(number))
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # which is inherited
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, before)
        if heard:
            signal.raise_signal(signal.SIGINT)


def _serve() -> None:
    """An interruption is for the process that gives out the work; its end is the worker's end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A process that is killed cannot tell its workers, which would wait for ever."""
    if (parent := multiprocessing.parent_process()) is not None:
        parent.join()
        os._exit(1)
