"""Assessments of elements, judged elements as trees, and the recall bases of a quantisation.

Elements are identified, and contained in each other, by their paths. Those of one document of one
topic are adjacent and sorted by path, so that an element is followed directly by its descendants.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntFlag
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np

from spanwise.errors import UsageError
from spanwise.model.columns import joined

if TYPE_CHECKING:
    from spanwise.model.arrays import BoolArray, FloatArray, IntArray
    from spanwise.model.columns import Ids, Rows
    from spanwise.model.spans import Spans

T = TypeVar("T")
Scale = Literal["letters", "pairs", "highlighted"]
"""How elements were judged: relevance with a letter for coverage (2002), two grades (2003-04), or
by the text that was highlighted in them (from 2005 on).
"""
Grades = Mapping[tuple[int, str], float]
"""Values by grade and second grade: `(3, "3")`, or a letter of 2002, `(3, "E")`."""
Ties = Literal["higher", "deeper"]
"""Which of two elements of equal value on one path is the ideal one."""
Paths = Literal["valued", "assessed"]
"""What makes an element the end of a relevant path: a positive value, or also the judgement of the
assessors, whatever its value under the quantisation."""

NO_ELEMENT = -1
"""Index of an element that does not exist."""


@dataclass(frozen=True, slots=True, eq=False)
class JudgedElements:
    """The judged elements of all documents of all topics, as columns."""

    source: str
    scale: Scale
    rows: Rows  # of the judgements: documents by topic
    first: IntArray  # row r owns the elements first[r] to first[r + 1]
    paths: Sequence[bytes]
    parent: IntArray  # the nearest judged ancestor of each; NO_ELEMENT if it has none
    child: BoolArray  # whether it is a direct child of that ancestor
    level: IntArray  # number of its judged ancestors
    after: IntArray  # the element after its last descendant
    exhaustivity: IntArray  # as in assessments; in 2002 the relevance
    specificity: IntArray
    coverage: IntArray
    size: IntArray  # characters; -1 if unknown
    highlighted: IntArray  # highlighted characters among them; -1 if not counted
    start: IntArray  # first character in its document; -1 if unknown
    passages: IntArray  # per row: highlighted characters in the whole document
    wanted: BoolArray  # whether it fits the structure that the topic's query asks for
    _derived: dict[Any, Any] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.parent)

    @property
    def row(self) -> IntArray:
        """The row of the judgements that each element belongs to."""
        return self.once("row", lambda: np.repeat(np.arange(len(self.rows)), np.diff(self.first)))

    @property
    def topic(self) -> IntArray:
        """The index of each element's topic in the judgements."""

        def owners() -> IntArray:
            topic = np.repeat(np.arange(len(self.rows.topics)), np.diff(self.rows.starts))
            return topic[self.row]

        return self.once("topic", owners)

    def assessed(self) -> BoolArray:
        """Tell which elements assessors found relevant: exhaustive and specific above 0."""
        exhaustive = self.exhaustivity > 0
        if self.scale == "letters":
            return exhaustive & (self.coverage != NO_COVERAGE) & (self.coverage != NOT_COVERED)
        return exhaustive & ((self.specificity if self.scale == "pairs" else self.highlighted) > 0)

    def in_levels(self) -> list[IntArray]:
        """Return the elements by level, so that an element always comes after its ancestors."""

        def split() -> list[IntArray]:
            order = np.argsort(self.level, kind="stable")
            counts = np.bincount(self.level) if len(self) else np.zeros(0, np.int64)
            return np.split(order, np.cumsum(counts)[:-1]) if len(counts) else []

        return self.once("levels", split)

    def holding(self, some: BoolArray) -> BoolArray:
        """Tell which elements contain one of these."""
        holding = np.zeros(len(self), np.bool_)
        for level in self.in_levels()[:0:-1]:
            inner = level[some[level] | holding[level]]
            holding[self.parent[inner]] = True
        return holding

    def place(self, element: int) -> str:
        """Return the file, line and path of an element, for messages."""
        row = int(self.row[element])
        path = self.paths[element].decode("utf-8", "surrogateescape")
        return f"{self.rows.place(row)}: {path}"

    def of_topics(self, column: Any) -> Any:
        """Return the sum of a column over the elements of each topic."""
        return np.bincount(self.topic, weights=column, minlength=len(self.rows.topics))

    def once(self, key: object, make: Callable[[], T]) -> T:
        """Return a derived value, computed once for all runs."""
        if key not in self._derived:
            self._derived[key] = make()
        return self._derived[key]


@dataclass(frozen=True, slots=True, eq=False)
class RecallBase:
    """The relevant elements of a quantisation: the full recall base, and the ideal ones in it."""

    judged: JudgedElements
    quant: str
    value: FloatArray  # per element; 0: not relevant and not in the full recall base
    highest: float = 1.0  # the highest possible value of the quantisation
    _derived: dict[Any, Any] = field(default_factory=dict, repr=False)

    @property
    def full(self) -> BoolArray:
        """Which elements are relevant, that is, have a positive value."""
        return self.value > 0

    def relevant(self, paths: Paths = "valued") -> BoolArray:
        """Tell which elements can end a relevant path.

        These are the elements with a value; with `assessed` also those that assessors found
        relevant and that the quantisation gives no value.
        """
        if paths not in ("valued", "assessed"):
            raise UsageError(f"paths is {paths!r}; expected valued or assessed")
        if paths == "valued":
            return self.full
        return self.full | (self.judged.assessed() & self.judged.wanted)

    def last(self, paths: Paths = "valued") -> BoolArray:
        """Tell which elements end a relevant path: relevant ones with no relevant one in them."""
        relevant = self.relevant(paths)
        return relevant & ~self.judged.holding(relevant)

    def ideal(self, ties: Ties, paths: Paths = "valued") -> BoolArray:
        """Tell which elements are ideal results: one on every relevant path.

        On each path from the root to a relevant element without a relevant one in it, the element
        of highest value is chosen; of equal ones the higher or the deeper. Of chosen elements
        that lie in one another the outermost stays. A path without any value has no ideal element.
        """
        if ties not in ("higher", "deeper"):
            raise UsageError(f"ideal is {ties!r}; expected higher or deeper")
        return self.once(("ideal", ties, paths), lambda: self._ideal(ties, paths))

    def near_misses(self, ties: Ties, paths: Paths = "valued") -> BoolArray:
        """Tell which relevant elements are not ideal."""
        return self.full & ~self.ideal(ties, paths)

    def home(self, ties: Ties, paths: Paths = "valued") -> IntArray:
        """Return the ideal element that each element is or lies in; NO_ELEMENT if there is none."""

        def find() -> IntArray:
            ideal = self.ideal(ties, paths)
            home = np.where(ideal, np.arange(len(ideal)), NO_ELEMENT)
            for some in self.judged.in_levels()[1:]:
                home[some] = np.where(ideal[some], some, home[self.judged.parent[some]])
            return home

        return self.once(("home", ties, paths), find)

    def _ideal(self, ties: Ties, paths: Paths) -> BoolArray:
        best = self._best_on_path(ties)[self.last(paths)]
        chosen = np.zeros(len(self.value), np.bool_)
        chosen[best[best != NO_ELEMENT]] = True
        hidden = np.zeros(len(self.value), np.bool_)  # what lies in a chosen element
        parent = self.judged.parent
        for some in self.judged.in_levels()[1:]:
            hidden[some] = hidden[parent[some]] | chosen[parent[some]]
        return chosen & ~hidden

    def _best_on_path(self, ties: Ties) -> IntArray:
        """Return the best of each element and its ancestors; NO_ELEMENT if none is relevant."""
        levels, parent, value = self.judged.in_levels(), self.judged.parent, self.value
        best = np.where(self.full, np.arange(len(value)), NO_ELEMENT)
        for some in levels[1:]:
            before = best[parent[some]]
            theirs = np.where(before == NO_ELEMENT, 0.0, value[before])
            own = value[some]
            better = (own > 0) & ((own >= theirs) if ties == "deeper" else (own > theirs))
            best[some] = np.where(better, some, before)
        return best

    def once(self, key: object, make: Callable[[], T]) -> T:
        """Return a derived value, computed once per recall base."""
        if key not in self._derived:
            self._derived[key] = make()
        return self._derived[key]


# Assessments --------------------------------------------------------------------------------------
#
# What assessors stated about the parts of documents: elements, passages, best entry points. All
# data are columns. A row of judgements, one document of one topic, owns consecutive elements and
# passages. Paths and points are kept as written; sizes are those of the file.

TOO_SMALL = -1
"""Exhaustivity `?`: too small to be judged on its own."""
UNJUDGED = -2
"""A grade written as `U`: in the pool, not judged."""
UNSTATED = -3
"""The grade was not stated."""
NO_SIZE = -1
"""No size was written."""
NOT_COVERED = ord("N")
"""The code of the letter for no coverage."""
NO_COVERAGE = 0
"""The coverage was not stated; else the letter's code: N none, L too large, S too small, E exact.
"""


class Flag(IntFlag):
    """The origin of an element's grades."""

    INPOOL = 1
    INFERRED = 2
    INCONSISTENT = 4


@dataclass(frozen=True, slots=True, eq=False)
class Elements:
    """The judged elements of assessments. Grades below 0 are TOO_SMALL, UNJUDGED or UNSTATED."""

    first: IntArray  # row r of the judgements owns the elements first[r] to first[r + 1]
    paths: Ids
    exhaustivity: IntArray  # 0 to 3; in 2002 the relevance
    specificity: IntArray  # 0 to 3, if it was graded
    coverage: IntArray  # codes of letters, if there are letters
    sizes: IntArray  # characters of the element
    highlighted: IntArray  # highlighted characters among them
    flags: IntArray
    spans: Spans | None = None  # their positions in a collection; UNKNOWN if not found

    def __len__(self) -> int:
        return len(self.exhaustivity)

    def at(self, rows: IntArray) -> Elements:
        """Return the elements of some rows of the judgements, in the order of the rows."""
        first, chosen = owned(self.first, rows)
        return replace(self.only(chosen), first=first)

    def only(self, chosen: IntArray) -> Elements:
        """Return some of the elements, with `first` unchanged."""
        return Elements(
            self.first,
            self.paths.reordered(chosen),
            self.exhaustivity[chosen],
            self.specificity[chosen],
            self.coverage[chosen],
            self.sizes[chosen],
            self.highlighted[chosen],
            self.flags[chosen],
            None if self.spans is None else self.spans.at(chosen),
        )

    def values_by_path(self) -> Iterator[tuple[bytes, tuple[int, int, int, int, int, int]]]:
        """Yield each path with its exhaustivity, specificity, coverage, sizes and flags."""
        columns = (
            self.exhaustivity.tolist(),
            self.specificity.tolist(),
            self.coverage.tolist(),
            self.sizes.tolist(),
            self.highlighted.tolist(),
            self.flags.tolist(),
        )
        paths = self.paths.take(np.arange(len(self)))
        return zip(paths, zip(*columns, strict=True), strict=True)

    def relevant(self) -> BoolArray:
        """Return which elements have something relevant: graded so, or with highlighted text."""
        graded = (self.exhaustivity > 0) & (self.highlighted == NO_SIZE)
        return graded | (self.highlighted > 0)

    def judged(self) -> BoolArray:
        """Return which elements were judged."""
        return (self.exhaustivity >= TOO_SMALL) | (self.highlighted > 0)


@dataclass(frozen=True, slots=True, eq=False)
class Passages:
    """Highlighted passages between two points, each an element's path or a place in a text node."""

    first: IntArray  # row r of the judgements owns the passages first[r] to first[r + 1]
    starts: Ids
    ends: Ids
    sizes: IntArray

    def __len__(self) -> int:
        return len(self.sizes)

    def at(self, rows: IntArray) -> Passages:
        """Return the passages of some rows of the judgements, in the order of the rows."""
        first, chosen = owned(self.first, rows)
        starts, ends = self.starts.reordered(chosen), self.ends.reordered(chosen)
        return Passages(first, starts, ends, self.sizes[chosen])


@dataclass(frozen=True, slots=True)
class Pool:
    """What a file of assessments states about itself; unstated fields are empty."""

    number: str = ""
    version: str = ""
    whitespace: str = ""  # whether text nodes of white space alone count: keep or strip
    statement: str = ""  # the topic's text, as XML


@dataclass(frozen=True, slots=True, eq=False)
class Assessments:
    """All contents of assessment files beyond which documents are relevant."""

    elements: Elements
    passages: Passages
    entries: Ids  # the best entry point of each row, empty if it has none
    collections: Ids  # the collection of each row's document, empty if it was not stated
    pools: tuple[Pool, ...]  # one for each topic

    def at(self, rows: IntArray, topics: Sequence[int]) -> Assessments:
        """Return the assessments of some rows and topics, in their order."""
        return Assessments(
            self.elements.at(rows),
            self.passages.at(rows),
            self.entries.reordered(rows),
            self.collections.reordered(rows),
            tuple(self.pools[topic] for topic in topics),
        )


def owned(first: IntArray, rows: IntArray) -> tuple[IntArray, IntArray]:
    """Return the items that some rows own: where each row's items begin, and which they are.

    >>> begins, which = owned(np.array([0, 2, 2, 5]), np.array([2, 0]))
    >>> begins.tolist(), which.tolist()
    ([0, 3, 5], [2, 3, 4, 0, 1])
    """
    lengths = first[rows + 1] - first[rows]
    begins = begins_of(lengths)
    return begins, np.repeat(first[rows] - begins[:-1], lengths) + np.arange(begins[-1])


def begins_of(lengths: Sequence[int] | IntArray) -> IntArray:
    """Return where consecutive groups of these sizes begin, and where the last one ends."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)])


def concatenated(parts: Sequence[Assessments]) -> Assessments:
    """Concatenate the assessments of several files, no two of which have a topic in common."""
    elements, passages = [part.elements for part in parts], [part.passages for part in parts]

    def numbers(columns: list[IntArray]) -> IntArray:
        return np.concatenate(columns)

    return Assessments(
        Elements(
            begins_of(numbers([np.diff(one.first) for one in elements])),
            joined([one.paths for one in elements]),
            numbers([one.exhaustivity for one in elements]),
            numbers([one.specificity for one in elements]),
            numbers([one.coverage for one in elements]),
            numbers([one.sizes for one in elements]),
            numbers([one.highlighted for one in elements]),
            numbers([one.flags for one in elements]),
        ),
        Passages(
            begins_of(numbers([np.diff(one.first) for one in passages])),
            joined([one.starts for one in passages]),
            joined([one.ends for one in passages]),
            numbers([one.sizes for one in passages]),
        ),
        joined([part.entries for part in parts]),
        joined([part.collections for part in parts]),
        tuple(pool for part in parts for pool in part.pools),
    )
