"""Columns of tokens as numbers, many at once."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray, IntArray

NUMBER = re.compile(rb"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?)", re.IGNORECASE)
ODD = re.compile(rb"[_nNxX]")


def all_numbers(tokens: list[bytes]) -> FloatArray | None:
    """All tokens as numbers; None if one of them is not plainly one."""
    column = b" ".join(tokens)
    whole = whole_numbers(column)
    if whole is not None and len(whole) == len(tokens):
        return whole.astype(np.float64)
    if ODD.search(column):  # Python reads 1_0, nan and inf; by_line decides on those
        return None
    try:
        return np.array(list(map(float, tokens)))
    except ValueError:
        return None


def whole_numbers(column: bytes) -> IntArray | None:
    """Short whole numbers with one character between them; None if there is anything else.

    >>> whole_numbers(b"12 0 345")
    array([ 12,   0, 345])
    """
    data = np.frombuffer(column, np.uint8) - np.uint8(ord("0"))
    ends = np.concatenate([np.flatnonzero(data > 9), [len(data)]])
    lengths = np.diff(ends, prepend=-1) - 1
    if column.translate(None, b"0123456789 :") or not 0 < lengths.min() <= lengths.max() <= 15:
        return None
    values = np.zeros(len(ends), np.int64)
    for digit in range(int(lengths.max())):
        has = lengths > digit
        values[has] += data[ends[has] - 1 - digit].astype(np.int64) * 10**digit
    return values
