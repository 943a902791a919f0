"""Codes for the names of tags: thousands at once, by their bytes.

A name of up to 31 bytes is looked at as two numbers of 64 bits (its first eight bytes, and a
mixture of the others) and found in a table without collisions: the multiplier that spreads known
names over the table is chosen anew when a new name falls on an old one. Room without collisions
grows with the square of the names, so thousands of names are sorted instead, and found by halving.
Longer names are rare and looked up one by one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from spanwise.collection.keys import name_key

if TYPE_CHECKING:
    from spanwise.model.arrays import BoolArray, FingerprintArray, IntArray

WINDOW = 32
"""How many bytes after the start of a name are looked at."""

_NAME = re.compile(rb"[^ \t\n/>]+")
_WORD = 8  # bytes
_AT_ONCE = 2000  # names among which new ones are looked for, or as many as are known
_FACTORS = np.array([1, 0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F], np.uint64)
_MOST_BITS = 20  # of a slot's number
_MOST_SPREAD = 2000  # names that so many slots are likely to hold without collision
_ONES = np.uint64(0x0101010101010101)
_TOPS = np.uint64(0x8080808080808080)
_SLASHES, _BRACKETS, _LOWEST = (np.uint64(int(_ONES) * code) for code in b"/>-")
_MULTIPLIERS = np.random.default_rng(1).integers(0, 1 << 64, (64, 2), np.uint64) | np.uint64(1)


class TagTable:
    """Names and their codes, in order of appearance."""

    def __init__(self) -> None:
        self.names: list[bytes] = []
        self._codes: dict[bytes, int] = {}
        self._keys: list[int] = []
        self._short: list[tuple[int, int, int]] = []  # two numbers and a code
        self._spread, self._bits = 0, 10
        self._sorted: FingerprintArray | None = None  # mixtures, if there are too many to spread
        self._fill()

    def keys(self) -> FingerprintArray:
        """The 64-bit keys of all names, by code."""
        return np.array(self._keys, np.uint64)

    def code(self, name: bytes) -> int:
        """The code of one name, a new one if need be."""
        code = self._codes.setdefault(name, len(self.names))
        if code == len(self.names):
            self.names.append(name)
            self._keys.append(name_key(name))
        return code

    def codes_at(self, markup: bytes, places: IntArray) -> IntArray:
        """The codes of the names that begin at these places of a block of markup.

        The block must go on for `WINDOW` bytes after the last place.
        """
        first, second, short = _as_numbers(markup, places)
        codes = self._found(first, second)
        while len(new := np.flatnonzero((codes < 0) & short)[: max(_AT_ONCE, len(self.names))]):
            self._learn(
                markup, places[new], zip(first[new].tolist(), second[new].tolist(), strict=True)
            )
            codes = self._found(first, second)
        for row in np.flatnonzero(~short).tolist():
            codes[row] = self.code(_name_at(markup, int(places[row])))
        return codes

    def _mixed(self, first: FingerprintArray, second: FingerprintArray) -> FingerprintArray:
        one, other = _MULTIPLIERS[self._spread]
        return first * one + second * other

    def _slots(self, first: FingerprintArray, second: FingerprintArray) -> FingerprintArray:
        """Where names given as numbers are in the table, if they are in it."""
        mixed = self._mixed(first, second)
        if self._sorted is None:
            return mixed >> np.uint64(64 - self._bits)
        found = np.searchsorted(self._sorted, mixed)
        return np.minimum(found, len(self._sorted) - 1).astype(np.uint64)

    def _found(self, first: FingerprintArray, second: FingerprintArray) -> IntArray:
        """The codes of names given as numbers, -1 where a name is not in the table."""
        slots = self._slots(first, second)
        same = (self._first[slots] == first) & (self._second[slots] == second)
        return np.where(same, self._code[slots], -1)

    def _learn(self, markup: bytes, places: IntArray, numbers: Iterable[tuple[int, int]]) -> None:
        """Give codes to names that have none."""
        new: dict[tuple[int, int], int] = {}
        for both, place in zip(numbers, places.tolist(), strict=True):
            new.setdefault(both, place)
        for (first, second), place in new.items():
            self._short.append((first, second, self.code(_name_at(markup, place))))
        self._fill()

    def _fill(self) -> None:
        """Make the table: spread or, if no multiplier keeps the names apart, sorted."""
        known = np.array([entry[:2] for entry in self._short], np.uint64).reshape(-1, 2)
        crowded = self._sorted is not None or len(known) > _MOST_SPREAD
        if crowded or not self._spreads(known):
            self._sort(known)
        slots = self._slots(known[:, 0], known[:, 1])
        size = 1 << self._bits if self._sorted is None else len(known)
        self._first, self._second = np.zeros(size, np.uint64), np.zeros(size, np.uint64)
        self._code = np.full(size, -1)
        self._first[slots], self._second[slots] = known[:, 0], known[:, 1]
        self._code[slots] = [entry[2] for entry in self._short]

    def _spreads(self, known: FingerprintArray) -> bool:
        """Whether the names can be spread over a table, which is made larger if need be."""
        for _ in range(len(_MULTIPLIERS)):
            if len(np.unique(self._slots(known[:, 0], known[:, 1]))) == len(known):
                return True
            self._spread = (self._spread + 1) % len(_MULTIPLIERS)
            self._bits = min(self._bits + 1, _MOST_BITS)
        return False

    def _sort(self, known: FingerprintArray) -> None:
        """Put the names in order of their mixtures, which are chosen so that none are equal."""
        while len(mixed := np.unique(self._mixed(known[:, 0], known[:, 1]))) < len(known):
            self._spread = (self._spread + 1) % len(_MULTIPLIERS)
        self._sorted = mixed


def _name_at(markup: bytes, place: int) -> bytes:
    found = _NAME.match(markup, place)
    return found[0] if found else b""


def _as_numbers(
    markup: bytes, places: IntArray
) -> tuple[FingerprintArray, FingerprintArray, BoolArray]:
    """Names as two numbers each, and whether they are short enough for that."""
    shape = (len(markup) - _WORD + 1,)
    anywhere: FingerprintArray = np.ndarray(shape, "<u8", buffer=markup, strides=(1,))
    first, goes_on = _until_end(anywhere[places])
    second = np.zeros(len(places), np.uint64)
    longer = np.flatnonzero(goes_on)
    for word, factor in enumerate(_FACTORS, start=1):
        if not len(longer):
            break
        part, goes_on = _until_end(anywhere[places[longer] + word * _WORD])
        second[longer] += part * factor
        longer = longer[goes_on]
    short = np.ones(len(places), np.bool_)
    short[longer] = False
    return first, second, short


def _until_end(words: FingerprintArray) -> tuple[FingerprintArray, BoolArray]:
    """Words with zeros from the end of a name on, and whether the name fills the word.

    A name ends at a slash, a bracket or white space; nothing else in it is below a hyphen. The
    lowest bit that each of the three tests sets is right; only higher ones may be false.
    """
    slashes, brackets = words ^ _SLASHES, words ^ _BRACKETS
    ends = (words - _LOWEST) & ~words
    ends |= (slashes - _ONES) & ~slashes
    ends |= (brackets - _ONES) & ~brackets
    ends &= _TOPS
    lowest = ends & (~ends + np.uint64(1))
    return words & ((lowest >> np.uint64(7)) - np.uint64(1)), ends == 0
