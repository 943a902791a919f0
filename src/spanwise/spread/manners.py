"""Manners of engines: to wait for a short while at a time, to be quiet, to leave Ctrl-C to us."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker

NOT_YET = object()
"""What a map gives instead of a result that takes longer: whoever waits can change their mind."""
A_WHILE = 0.2
"""Seconds after which it does."""


@contextmanager
def hushed() -> Iterator[None]:
    """What a library writes to standard error by itself, past Python, is not heard meanwhile."""
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
def without_interrupts() -> Iterator[None]:
    """Threads and processes that are started meanwhile never hear of Ctrl-C."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # it would let interrupts through again when it starts
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
