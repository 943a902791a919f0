"""The fields of a regular piece, eight bytes at a time.

Every field is looked at through windows of eight bytes, one 64-bit number each: ids are kept as
such numbers, and the digits of a number are added up inside them. Only short ids and plain decimal
numbers can be had in this way; None says that a column holds something else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spanwise.model.ids import PackedIds

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from spanwise.model.arrays import BoolArray, FloatArray, IntArray

    Words = NDArray[np.uint64]

MOST_WORDS = 4
"""Ids of up to 32 bytes."""
MOST_DIGITS = 8
"""Before the point; with those behind it at most 15, so that a quotient of two exact numbers,
correctly rounded, is what the digits say."""
MOST_DECIMALS = 7
_BEFORE, _AFTER = 24, 8 * MOST_WORDS + 8
_WHOLE = (1 << 64) - 1
_FIRST = np.array([_WHOLE >> (64 - 8 * k) if k else 0 for k in range(9)], np.uint64)
"""What leaves the first k bytes of a window."""
_LAST = np.array([(_WHOLE << (64 - 8 * k)) & _WHOLE for k in range(9)], np.uint64)
_NOUGHTS = np.uint64(0x3030303030303030)
_POINT, _MINUS = ord("."), ord("-")


class Fields:
    """Where the fields of a piece lie; every line must have `width` of them, singly separated."""

    def __init__(self, piece: bytes, width: int) -> None:
        padded = b"".join([bytes(_BEFORE), piece, bytes(_AFTER)])
        self._bytes = np.frombuffer(padded, np.uint8)
        inner = self._bytes[_BEFORE:-_AFTER]
        self._ends: IntArray = np.flatnonzero(inner <= 32).reshape(-1, width)
        self._ends += _BEFORE
        self._windows: Words = np.ndarray((len(padded) - 7,), np.dtype("<u8"), padded, strides=(1,))

    def even(self) -> bool:
        """Whether every line really has as many fields as all have on average."""
        return bool((self._bytes.take(self._ends[:, -1]) == 10).all())

    def _begins(self, column: int) -> IntArray:
        if column:
            return self._ends[:, column - 1] + 1
        return np.concatenate([[_BEFORE], self._ends[:-1, -1] + 1])

    def ids(self, column: int) -> PackedIds | None:
        """A column of ids."""
        begins = self._begins(column)
        lengths = self._ends[:, column] - begins
        count = -(-int(lengths.max()) // 8)
        if count > MOST_WORDS:
            return None
        words = np.empty((len(begins), count), np.dtype("<u8"))
        for word in range(count):
            shown = np.minimum(lengths, 8) if not word else np.clip(lengths - 8 * word, 0, 8)
            words[:, word] = self._windows[begins + 8 * word] & _FIRST.take(shown)
        return PackedIds(words)

    def numbers(self, column: int) -> FloatArray | None:
        """A column of numbers such as -12.345, each the nearest to what is written."""
        begins, ends = self._begins(column), self._ends[:, column]
        first = self._bytes[begins[0] : ends[0]].tobytes()
        decimals = len(first) - 1 - first.find(b".") if b"." in first else None
        values = self._decimal(begins, ends, decimals)
        return self._mixed(begins, ends) if values is None else values

    def _mixed(self, begins: IntArray, ends: IntArray) -> FloatArray | None:
        """Numbers with different places of the point, or with none."""
        values = np.empty(len(begins))
        left = np.arange(len(begins))
        for decimals in (*range(MOST_DECIMALS + 1), None):
            here = np.ones(len(left), np.bool_)
            if decimals is not None:
                here = self._has_point(begins[left], ends[left], decimals)
            rows, left = left[here], left[~here]
            if len(rows):
                some = self._decimal(begins[rows], ends[rows], decimals)
                if some is None:
                    return None
                values[rows] = some
        return values

    def _has_point(self, begins: IntArray, ends: IntArray, decimals: int) -> BoolArray:
        return (self._bytes.take(ends - 1 - decimals) == _POINT) & (ends - begins > decimals)

    def _decimal(self, begins: IntArray, ends: IntArray, decimals: int | None) -> FloatArray | None:
        """Numbers with so many digits behind the point; None: with no point."""
        negative = self._bytes.take(begins) == _MINUS
        whole_ends = ends
        if decimals is not None:
            if decimals > MOST_DECIMALS or not self._has_point(begins, ends, decimals).all():
                return None
            whole_ends = ends - 1 - decimals
        whole = self._digits(whole_ends, whole_ends - begins - negative, least=0 if decimals else 1)
        if whole is None:
            return None
        values: Any = whole
        if decimals:
            part = self._digits(ends, np.full(1, decimals), least=1)
            if part is None:
                return None
            values = whole * np.uint64(10**decimals) + part
        values = values.astype(np.float64)
        if decimals:
            values /= 10**decimals
        return np.where(negative, -values, values) if negative.any() else values

    def _digits(self, ends: IntArray, lengths: IntArray, least: int) -> Words | None:
        """The whole numbers that end there; None if anything but a digit is among them."""
        if lengths.min() < least or lengths.max() > MOST_DIGITS:
            return None
        words = self._windows[ends - 8] & _LAST.take(lengths)
        words |= _NOUGHTS & ~_LAST.take(lengths)
        words -= _NOUGHTS
        if (
            (words | (words + np.uint64(0x7676767676767676))) & np.uint64(0x8080808080808080)
        ).any():
            return None
        # Neighbours are put together: eight digits, four pairs, two fours, one number.
        words = words * np.uint64(10) + (words >> np.uint64(8))
        alternate = np.uint64(0x000000FF000000FF)
        evens = (words & alternate) * np.uint64(0x000F424000000064)
        odds = ((words >> np.uint64(16)) & alternate) * np.uint64(0x0000271000000001)
        return (evens + odds) >> np.uint64(32)

    def stretches(self) -> tuple[list[bytes], list[int]] | None:
        """The first column as stretches of equal ids: which, and how long."""
        ids = self.ids(0)
        if ids is None:
            return None
        begins = np.concatenate([[0], ids.changes()])
        lengths = np.diff(begins, append=len(ids))
        return ids.take(begins), lengths.tolist()
