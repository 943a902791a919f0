"""Manners that every engine is held to: to wait for a short while at a time, and to be quiet."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

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
