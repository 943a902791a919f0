"""From paths to rows: keys of elements found among those of their document; points in text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spanwise.collection.positions import TEXT_AT_END, TEXT_BEFORE

if TYPE_CHECKING:
    from spanwise.model.arrays import FingerprintArray, IntArray

_POINT = re.compile(rb"(.+)/text\(\)\[([1-9]\d{0,9})\](?:\.(\d{1,10}))?")


class Point(NamedTuple):
    """A text node of an element, or a place in it."""

    element: bytes
    node: int  # from 1
    offset: int | None  # None for the whole node


def point_of(path: bytes) -> Point | None:
    """A path that ends in a text node, taken apart.

    >>> point_of(b"/article[1]/p[2]/text()[3].17")
    Point(element=b'/article[1]/p[2]', node=3, offset=17)
    """
    found = _POINT.fullmatch(path)
    if found is None:
        return None
    offset = int(found[3]) if found[3] is not None else None
    return Point(found[1], int(found[2]), offset)


def rows_of(
    keys: FingerprintArray, wanted: FingerprintArray, begins: IntArray, ends: IntArray
) -> IntArray:
    """Where each wanted key is between its begin and end, -1 where it is not.

    Keys rise from begin to end. All are halved together: so many steps as the longest needs.
    """
    low, high = begins.copy(), ends.copy()
    last = max(len(keys) - 1, 0)
    for _ in range(int((ends - begins).max(initial=0)).bit_length()):
        middle = (low + high) >> 1
        below = keys[np.minimum(middle, last)] < wanted
        below &= low < high
        low = np.where(below, middle + 1, low)
        high = np.where(below, high, np.maximum(middle, low))
    found = low < ends
    found[found] = keys[low[found]] == wanted[found]
    return np.where(found, low, -1)


class TextNodes:
    """The text nodes of one document, given its columns."""

    def __init__(
        self, parent: IntArray, start: IntArray, length: IntArray, flags: IntArray
    ) -> None:
        self._start, self._end, self._flags = start, start + length, flags
        self._children = np.argsort(parent, kind="stable")
        self._parents = parent[self._children]

    def of(self, row: int) -> list[tuple[int, int]]:
        """Start and length of every text node of an element."""
        first, last = np.searchsorted(self._parents, [row, row + 1]).tolist()
        children = self._children[first:last]
        bounds = zip(
            self._flags[children].tolist(),
            self._start[children].tolist(),
            self._end[children].tolist(),
            strict=True,
        )
        nodes = []
        place = int(self._start[row])
        for flags, start, end in bounds:
            if flags & TEXT_BEFORE:
                nodes.append((place, start - place))
            place = end
        if self._flags[row] & TEXT_AT_END:
            nodes.append((place, int(self._end[row]) - place))
        return nodes


def place_in(nodes: list[tuple[int, int]], point: Point) -> tuple[int, int] | None:
    """The span of a point, None if there is no such node or it is shorter."""
    if point.node > len(nodes):
        return None
    start, length = nodes[point.node - 1]
    if point.offset is None:
        return start, length
    return (start + point.offset, 0) if point.offset <= length else None
