"""Points in text nodes made from positions in a document, as INEX wrote them.

This is the inverse of `spanwise.matching.placing`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from spanwise.errors import InputError
from spanwise.model.columns import PlainIds
from spanwise.model.elements import (
    NO_COVERAGE,
    UNSTATED,
    Assessments,
    Elements,
    Passages,
    begins_of,
)

if TYPE_CHECKING:
    from spanwise.model.documents import Collection, Name
    from spanwise.model.elements import Pool
    from spanwise.model.judgements import Highlights
    from spanwise.model.spans import Spans

TOUCHED = 2
"""The exhaustivity of elements in assessments made from highlighted text."""


class TextPoints:
    """The text nodes of a document, in order."""

    def __init__(self, collection: Collection, document: Name) -> None:
        self.document = document if isinstance(document, str) else document.decode(*_LOSSY)
        self.elements = list(collection.elements(document))
        children = Counter(one.parent for one in self.elements)
        paths = [
            f"{one.path}/text()[{number}]"
            for row, one in enumerate(self.elements)
            for number in range(1, children[row] + 2)
        ]
        found = collection.spans([document] * len(paths), paths)
        nodes = zip(found.starts.tolist(), found.ends.tolist(), paths, strict=True)
        self._nodes = sorted(node for node in nodes if node[0] < node[1])
        self._starts = [start for start, _, _ in self._nodes]

    def start(self, position: int) -> str:
        """Return the point before the character at a position."""
        begin, path = self._node(position)
        return f"{path}.{position - begin}"

    def end(self, position: int) -> str:
        """Return the point after the last character of a stretch that ends before a position."""
        begin, path = self._node(position - 1)
        return f"{path}.{position - begin}"

    def _node(self, position: int) -> tuple[int, str]:
        """Return the start and path of the text node with the character at a position."""
        place = bisect_right(self._starts, position) - 1
        if place < 0 or position >= self._nodes[place][1]:
            raise InputError(f"{self.document}: found no text at character {position}")
        begin, _, path = self._nodes[place]
        return begin, path


_LOSSY = ("utf-8", "replace")


def assessed(
    documents: Sequence[bytes],
    highlights: Highlights,
    collection: Collection,
    pools: Sequence[Pool],
    exhaustivity: Callable[[int, str], int] = lambda _row, _path: TOUCHED,
) -> tuple[Assessments, list[int]]:
    """Return highlighted text as assessments, and the rows whose text has no points.

    Every element with highlighted text is listed, with an exhaustivity by row and path.
    """
    made, unnamed = _Made(), list[int]()
    for row, document in enumerate(documents):
        spans, entry = highlights.of(row), int(highlights.entries[row])
        try:
            made.add(TextPoints(collection, document) if len(spans) else None, spans, entry)
        except InputError:
            made.add(None, spans.at(slice(0)), -1)
            unnamed.append(row)
        made.exhaustivity += [exhaustivity(row, path) for path in made.paths[made.elements :]]
    return made.assessments(pools), unnamed


@dataclass(slots=True)
class _Made:
    """Assessments while they are being made."""

    starts: list[str] = field(default_factory=list)
    ends: list[str] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    entries: list[str] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    highlighted: list[int] = field(default_factory=list)
    exhaustivity: list[int] = field(default_factory=list)
    passage_counts: list[int] = field(default_factory=list)
    element_counts: list[int] = field(default_factory=list)

    @property
    def elements(self) -> int:
        """The number of elements whose grade is known."""
        return len(self.exhaustivity)

    def add(self, points: TextPoints | None, spans: Spans, entry: int) -> None:
        """Add one document; None if nothing in it is highlighted."""
        pairs = list(zip(spans.starts.tolist(), spans.ends.tolist(), strict=True))
        named = [] if points is None else [(points.start(s), points.end(e)) for s, e in pairs]
        self.entries.append("" if points is None or entry < 0 else points.start(entry))
        self.starts += [start for start, _ in named]
        self.ends += [end for _, end in named]
        self.sizes += [end - start for start, end in pairs]
        self.passage_counts.append(len(named))
        touched = [] if points is None else list(_touched(points, pairs))
        self.paths += [path for path, _, _ in touched]
        self.lengths += [length for _, length, _ in touched]
        self.highlighted += [inside for _, _, inside in touched]
        self.element_counts.append(len(touched))

    def assessments(self, pools: Sequence[Pool]) -> Assessments:
        """Return the collected assessments as columns."""
        count = len(self.paths)
        return Assessments(
            Elements(
                begins_of(self.element_counts),
                _ids(self.paths),
                np.array(self.exhaustivity, np.int64),
                np.full(count, UNSTATED),
                np.full(count, NO_COVERAGE),
                np.array(self.lengths, np.int64),
                np.array(self.highlighted, np.int64),
                np.zeros(count, np.int64),
            ),
            Passages(
                begins_of(self.passage_counts),
                _ids(self.starts),
                _ids(self.ends),
                np.array(self.sizes, np.int64),
            ),
            _ids(self.entries),
            PlainIds([b""] * len(self.entries)),
            tuple(pools),
        )


def _ids(names: Sequence[str]) -> PlainIds:
    return PlainIds([name.encode("utf-8", "surrogateescape") for name in names])


def _touched(
    points: TextPoints, pairs: Sequence[tuple[int, int]]
) -> Iterator[tuple[str, int, int]]:
    """Yield every element with highlighted text: path, size, highlighted characters."""
    for one in points.elements:
        end = one.start + one.length
        inside = sum(max(0, min(e, end) - max(s, one.start)) for s, e in pairs)
        if inside:
            yield one.path, one.length, inside
