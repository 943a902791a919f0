"""Where a text stands word for word in a longer one, for very many texts.

All windows of some length are hashed at once, by array operations; the first characters of a text
are looked up among the hashes, and what looks right is compared character by character. The work
grows with the length of the document and of the texts, not with their product.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from spanwise.model.spans import ranges

if TYPE_CHECKING:
    from spanwise.model.arrays import FingerprintArray, IntArray

WINDOWS = (64, 16, 4)
"""Lengths of the windows; the longest one that fits is used."""
FEW = 8
"""So many searches in one text are done one by one, before windows are hashed."""
_FACTOR = np.uint64(0x9E3779B97F4A7C15 | 1)
_INVERSE = np.uint64(pow(int(_FACTOR), -1, 1 << 64))


class Finder:
    """Looks for texts in one text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._searches = 0
        self._tables: dict[int, tuple[FingerprintArray, IntArray]] = {}

    def nearest(self, wanted: str, hint: int | None = None) -> tuple[int, bool] | None:
        """The place of a text that is nearest to the hint, and whether there are others."""
        places = self._places(wanted, hint)
        if hint is not None:
            places = places[np.argsort(np.abs(places - hint), kind="stable")]
        found: int | None = None
        for place in places.tolist():
            if self.text.startswith(wanted, place):
                if found is not None:
                    return found, True
                found = place
        return None if found is None else (found, False)

    def _places(self, wanted: str, hint: int | None) -> IntArray:
        """Where it may stand, rising: everywhere, or at least where it does around the hint."""
        self._searches += 1
        width = next((size for size in WINDOWS if size <= len(wanted)), 0)
        if not width or (self._searches <= FEW and width not in self._tables):
            return np.array(_around(self.text, wanted, hint or 0), np.int64)
        if width not in self._tables:
            hashes = window_hashes(self.text, width)
            order = np.argsort(hashes, kind="stable")
            self._tables[width] = hashes[order], order
        hashes, order = self._tables[width]
        (mine,) = window_hashes(wanted[:width], width)
        first, last = np.searchsorted(hashes, mine), np.searchsorted(hashes, mine, side="right")
        return order[first:last]

    def shingles(self, wanted: str, width: int) -> tuple[IntArray, IntArray]:
        """Places in the text, and in the wanted one, where windows of that width agree."""
        if width not in self._tables:
            made = window_hashes(self.text, width)
            order = np.argsort(made, kind="stable")
            self._tables[width] = made[order], order
        hashes, order = self._tables[width]
        mine = window_hashes(wanted, width)
        first = np.searchsorted(hashes, mine)
        counts = np.searchsorted(hashes, mine, side="right") - first
        counts[counts > _COMMON] = 0  # what stands everywhere says nothing
        offsets = np.repeat(np.arange(len(mine)), counts)
        base = np.repeat(first - (np.cumsum(counts) - counts), counts)
        return order[base + np.arange(int(counts.sum()))], offsets


class Wanted:
    """Texts that are looked for in very many others: says which of them another may hold.

    Those whose first characters it has; the shortest have none to speak of, and may be anywhere.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._short = [number for number, text in enumerate(texts) if len(text) < WINDOWS[-1]]
        self._keys: dict[int, tuple[FingerprintArray, list[list[int]]]] = {}
        for width in WINDOWS:
            longer = min((size for size in WINDOWS if size > width), default=1 << 62)
            some = [n for n, text in enumerate(texts) if width <= len(text) < longer]
            if some:
                hashes = np.concatenate([window_hashes(texts[n][:width], width) for n in some])
                keys, which = np.unique(hashes, return_inverse=True)
                owners: list[list[int]] = [[] for _ in keys]
                for number, key in zip(some, which.tolist(), strict=True):
                    owners[key].append(number)
                self._keys[width] = keys, owners

    def maybe_in(self, text: str) -> list[int]:
        """The numbers of the texts that may stand in this one, rising."""
        found = list(self._short)
        for width, (keys, owners) in self._keys.items():
            hashes = window_hashes(text, width)
            place = np.minimum(np.searchsorted(keys, hashes), len(keys) - 1)
            for key in np.unique(place[keys[place] == hashes]).tolist():
                found += owners[key]
        return sorted(found)


class Alike:
    """Texts that resemble something in very many others: says how much of each another has.

    Some windows of each text, taken at equal distances, stand for it.
    """

    def __init__(self, texts: Sequence[str], width: int) -> None:
        self._width, self._count = width, len(texts)
        hashes = [_sample(window_hashes(text, width)) for text in texts]
        owners = np.repeat(np.arange(len(texts)), [len(some) for some in hashes])
        joined = np.concatenate([np.zeros(0, np.uint64), *hashes])
        order = np.argsort(joined, kind="stable")
        self._owners = owners[order]
        self._keys, self._first, self._counts = np.unique(
            joined[order], return_index=True, return_counts=True
        )
        self.windows: IntArray = np.bincount(owners, minlength=len(texts))

    def shared(self, text: str) -> IntArray:
        """For each of the texts how many of its windows this one has."""
        if not len(self._keys):
            return np.zeros(self._count, np.int64)
        hashes = np.unique(window_hashes(text, self._width))
        place = np.minimum(np.searchsorted(self._keys, hashes), len(self._keys) - 1)
        place = place[self._keys[place] == hashes]
        owners = self._owners[ranges(self._first[place], self._counts[place])]
        return np.bincount(owners, minlength=self._count)


_COMMON = 50
_SAMPLE = 64


def _sample(hashes: FingerprintArray) -> FingerprintArray:
    return np.unique(hashes[:: max(len(hashes) // _SAMPLE, 1)])


def _around(text: str, wanted: str, hint: int) -> list[int]:
    """The two places from the hint on, and the two before it: enough to know the nearest of all."""
    if not wanted:
        return []
    after = text.find(wanted, hint)
    further = text.find(wanted, after + 1) if after >= 0 else -1
    before = text.rfind(wanted, 0, hint + len(wanted) - 1) if hint else -1
    earlier = text.rfind(wanted, 0, before + len(wanted) - 1) if before > 0 else -1
    return [place for place in (earlier, before, after, further) if place >= 0]


def window_hashes(text: str, width: int) -> FingerprintArray:
    """A number for each window of that many characters; equal windows have equal numbers."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.uint64)
    count = len(codes) - width + 1
    if count <= 0:
        return np.zeros(0, np.uint64)
    powers = np.full(len(codes), _FACTOR)
    powers[0] = 1
    np.multiply.accumulate(powers, out=powers)
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum((codes + np.uint64(1)) * powers)])
    back = np.full(count, _INVERSE)
    back[0] = 1
    np.multiply.accumulate(back, out=back)
    mixed = (sums[width:] - sums[:-width]) * back
    return mixed ^ (mixed >> np.uint64(31))
