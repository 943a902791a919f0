"""What assessors said about the parts of documents: elements, passages, best entry points.

Everything is a column. A row of judgements, one document of one topic, owns a stretch of the
elements and of the passages; paths and points stay as they were written, sizes are the file's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntFlag
from typing import TYPE_CHECKING

import numpy as np

from spanwise.model.ids import joined

if TYPE_CHECKING:
    from spanwise.model.arrays import BoolArray, IntArray
    from spanwise.model.ids import Ids
    from spanwise.model.spans import Spans

TOO_SMALL = -1
"""Exhaustivity `?`: too small to be judged on its own."""
UNJUDGED = -2
"""A grade written as `U`: in the pool, not judged."""
UNSTATED = -3
"""No grade was written at all."""
NO_SIZE = -1
"""No size was written."""
NO_COVERAGE = 0
"""No coverage was written; else the letter's code: N none, L too large, S too small, E exact."""


class Flag(IntFlag):
    """How an element came to its grades."""

    INPOOL = 1
    INFERRED = 2
    INCONSISTENT = 4


@dataclass(frozen=True, slots=True, eq=False)
class Elements:
    """Judged elements. Grades below 0 are TOO_SMALL, UNJUDGED or UNSTATED."""

    first: IntArray  # row r of the judgements owns the elements first[r] to first[r + 1]
    paths: Ids
    exhaustivity: IntArray  # 0 to 3; in 2002 the relevance
    specificity: IntArray  # 0 to 3, where it was graded
    coverage: IntArray  # codes of letters, where there were letters
    sizes: IntArray  # characters of the element
    highlighted: IntArray  # highlighted characters among them
    flags: IntArray
    spans: Spans | None = None  # where they lie, once a collection was asked; UNKNOWN where not

    def __len__(self) -> int:
        return len(self.exhaustivity)

    def at(self, rows: IntArray) -> Elements:
        """The elements of some rows of the judgements, in their order."""
        first, chosen = owned(self.first, rows)
        return replace(self.only(chosen), first=first)

    def only(self, chosen: IntArray) -> Elements:
        """Some elements; whose they are is left as it was."""
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

    def told(self) -> Iterator[tuple[bytes, tuple[int, int, int, int, int, int]]]:
        """Each path with its exhaustivity, specificity, coverage, size, highlighted text, flags."""
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
        """Which of them have something relevant in them: graded so, or with highlighted text."""
        graded = (self.exhaustivity > 0) & (self.highlighted == NO_SIZE)
        return graded | (self.highlighted > 0)

    def judged(self) -> BoolArray:
        """Which of them somebody looked at."""
        return (self.exhaustivity >= TOO_SMALL) | (self.highlighted > 0)


@dataclass(frozen=True, slots=True, eq=False)
class Passages:
    """Highlighted text between two points, each an element's path or a place in a text node."""

    first: IntArray  # row r of the judgements owns the passages first[r] to first[r + 1]
    starts: Ids
    ends: Ids
    sizes: IntArray

    def __len__(self) -> int:
        return len(self.sizes)

    def at(self, rows: IntArray) -> Passages:
        """The passages of some rows of the judgements, in their order."""
        first, chosen = owned(self.first, rows)
        starts, ends = self.starts.reordered(chosen), self.ends.reordered(chosen)
        return Passages(first, starts, ends, self.sizes[chosen])


@dataclass(frozen=True, slots=True)
class Pool:
    """What a file of assessments says about itself; empty where it says nothing."""

    number: str = ""
    version: str = ""
    whitespace: str = ""  # whether text nodes of white space alone count: keep or strip
    statement: str = ""  # the topic, as XML


@dataclass(frozen=True, slots=True, eq=False)
class Assessments:
    """Everything in assessment files beyond which documents are relevant."""

    elements: Elements
    passages: Passages
    entries: Ids  # the best entry point of each row, empty where there is none
    collections: Ids  # where each row's document belongs, empty where nobody says
    pools: tuple[Pool, ...]  # one for each topic

    def at(self, rows: IntArray, topics: Sequence[int]) -> Assessments:
        """Those of some rows and topics, in their order."""
        return Assessments(
            self.elements.at(rows),
            self.passages.at(rows),
            self.entries.reordered(rows),
            self.collections.reordered(rows),
            tuple(self.pools[topic] for topic in topics),
        )


def owned(first: IntArray, rows: IntArray) -> tuple[IntArray, IntArray]:
    """What some rows own, given where each row's stretch begins: new beginnings, and which.

    >>> begins, which = owned(np.array([0, 2, 2, 5]), np.array([2, 0]))
    >>> begins.tolist(), which.tolist()
    ([0, 3, 5], [2, 3, 4, 0, 1])
    """
    lengths = first[rows + 1] - first[rows]
    begins = begins_of(lengths)
    return begins, np.repeat(first[rows] - begins[:-1], lengths) + np.arange(begins[-1])


def begins_of(lengths: Sequence[int] | IntArray) -> IntArray:
    """Where stretches of these lengths begin, and after them where the last one ends."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)])


def concatenated(parts: Sequence[Assessments]) -> Assessments:
    """Those of several files after one another; no topic is in two of them."""
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
