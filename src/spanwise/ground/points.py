"""The way back: from positions in a document to points in its text nodes, as INEX wrote them."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from spanwise.errors import InputError

if TYPE_CHECKING:
    from spanwise.model.documents import Collection


class TextPoints:
    """The text nodes of a document, in order."""

    def __init__(self, collection: Collection, document: str) -> None:
        self.document = document
        self.elements = list(collection.elements(document))
        reached = [one.start for one in self.elements]
        counts = [0] * len(self.elements)
        found: list[tuple[int, int, str]] = []

        def note(row: int, end: int) -> None:
            if end > reached[row]:
                counts[row] += 1
                path = f"{self.elements[row].path}/text()[{counts[row]}]"
                found.append((reached[row], end, path))

        for one in self.elements:
            if one.parent >= 0:
                note(one.parent, one.start)
                reached[one.parent] = one.start + one.length
        for row, one in enumerate(self.elements):
            note(row, one.start + one.length)
        self._nodes = sorted(found)
        self._starts = [start for start, _, _ in self._nodes]

    def start(self, position: int) -> str:
        """The point before the character at a position."""
        begin, end, path = self._node(position)
        if not begin <= position < end:
            raise InputError(f"{self.document}: no text at character {position}")
        return f"{path}.{position - begin}"

    def end(self, position: int) -> str:
        """The point after the last character of a stretch that ends before a position."""
        begin, _, path = self._node(position - 1)
        return f"{path}.{position - begin}"

    def _node(self, position: int) -> tuple[int, int, str]:
        return self._nodes[max(0, bisect_right(self._starts, position) - 1)]
