"""What a reader has seen of one document, result after result.

Two accounts of the same thing. Where all results of a document are elements, their paths say what
lies in what, and sizes are enough. Where some are passages, everything is a stretch of text.
Either way a result costs as much as it has elements around it, or stretches in it that were seen
before and are now joined into one: no result is compared with all earlier ones.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from spanwise.model.spans import Spans


class Item(NamedTuple):
    """An element or a passage, as far as it can be seen."""

    path: bytes  # empty for a passage
    size: int  # -1: nobody says
    highlighted: int
    start: int = -1
    length: int = 0  # of its span


class View(NamedTuple):
    """How much of something was seen before."""

    whole: bool
    characters: int
    highlighted: int
    doubt: int = -1  # a result inside it whose size nobody knows; -1: all are known


UNTOUCHED = View(False, 0, 0)


class SeenPaths:
    """Elements only: one is seen as a whole if it, or one around it, was returned.

    Of an element without text nothing is ever seen.
    """

    __slots__ = ("_around", "_doubts", "_inside", "_returned")

    def __init__(self) -> None:
        self._returned: set[bytes] = set()
        self._inside: dict[bytes, tuple[int, int]] = {}  # seen in an element that is not whole
        self._doubts: dict[bytes, int] = {}
        self._around: list[bytes] = []

    def view(self, item: Item) -> View:
        """What was seen of it."""
        path = item.path
        returned, around = self._returned, []
        while path:
            if path in returned:
                self._around = []
                return View(item.size != 0, max(item.size, 0), item.highlighted)
            around.append(path)
            path = path[: path.rfind(b"/")]
        self._around = around
        return self.part(item)

    def part(self, item: Item) -> View:
        """The same for an element of which it is known that nothing around it was returned."""
        path = item.path
        if path in self._returned:
            return View(item.size != 0, max(item.size, 0), item.highlighted)
        characters, highlighted = self._inside.get(path, (0, 0))
        doubt = self._doubts.get(path, -1) if self._doubts else -1
        if not characters and not highlighted and doubt < 0:
            return UNTOUCHED
        whole = 0 < item.size <= characters and doubt < 0
        return View(whole, characters, highlighted, doubt)

    def add(self, item: Item, before: View, number: int) -> None:
        """It is returned now, as result of that number; `before` is what `view` just said."""
        if not self._around:  # something around it was returned
            return
        self._returned.add(item.path)
        if item.size < 0:
            for path in self._around[1:]:
                self._doubts.setdefault(path, number)
        fresh = max(item.size - before.characters, 0)
        lit = max(item.highlighted - before.highlighted, 0)
        if fresh or lit:
            inside = self._inside
            for path in self._around[1:]:
                characters, highlighted = inside.get(path, (0, 0))
                inside[path] = characters + fresh, highlighted + lit


class SeenText:
    """Spans of one document: what was seen is a set of disjoint stretches."""

    __slots__ = ("_begins", "_ends", "_lit_begins", "_lit_ends", "_lit_sums")

    def __init__(self, highlights: Spans) -> None:
        self._begins: list[int] = []
        self._ends: list[int] = []
        self._lit_begins: Sequence[int] = highlights.starts.tolist()
        self._lit_ends: Sequence[int] = highlights.ends.tolist()
        sums = [0]
        for length in highlights.lengths.tolist():
            sums.append(sums[-1] + length)
        self._lit_sums = sums

    def view(self, item: Item) -> View:
        """What was seen of it."""
        if item.start < 0 or item.length <= 0:
            return UNTOUCHED
        begin, end = item.start, item.start + item.length
        characters = highlighted = 0
        for number in range(bisect_right(self._ends, begin), bisect_left(self._begins, end)):
            left, right = max(self._begins[number], begin), min(self._ends[number], end)
            characters += right - left
            highlighted += self.lit(left, right)
        return View(characters >= item.length, characters, highlighted)

    part = view

    def lit(self, begin: int, end: int) -> int:
        """Highlighted characters between two places."""
        return self._lit_before(end) - self._lit_before(begin)

    def _lit_before(self, place: int) -> int:
        number = bisect_right(self._lit_begins, place)
        if not number:
            return 0
        inside = min(place, self._lit_ends[number - 1]) - self._lit_begins[number - 1]
        return self._lit_sums[number - 1] + inside

    def add(self, item: Item, before: View, number: int) -> None:  # noqa: ARG002
        """It is returned now: stretches that it meets become one with it."""
        if item.start < 0 or item.length <= 0:
            return
        begin, end = item.start, item.start + item.length
        first, last = bisect_left(self._ends, begin), bisect_right(self._begins, end)
        if first < last:
            begin, end = min(begin, self._begins[first]), max(end, self._ends[last - 1])
        self._begins[first:last], self._ends[first:last] = [begin], [end]


Seen = SeenPaths | SeenText
