"""Which documents a group of preferences puts before which.

The lines of a group take one of two forms. With a single sub-group they divide the documents into
classes of equal level, and a higher class is preferred to a lower one. With several sub-groups
they are a table of who is preferred to whom: each sub-group orders its own documents, and what
follows from that (a before b, b before c: a before c) belongs to it.

Documents go by number here: the lower the number, the earlier in the ranking.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from spanwise.errors import PreferenceError
from spanwise.model.ids import text

if TYPE_CHECKING:
    from spanwise.model.arrays import BoolArray, FloatArray, IntArray
    from spanwise.model.judgements import Preferences


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """The lines of one group of one topic."""

    preferences: Preferences
    rows: IntArray  # of the lines, in file order
    numbers: IntArray  # of the lines' documents
    levels: FloatArray
    topic: bytes

    @property
    def group(self) -> bytes:
        """The group's id."""
        return self.preferences.groups[self.rows[0]]

    def refused(self, line: int, found: str, due: str) -> PreferenceError:
        """An error that names the place, the group and the topic."""
        where = f"group {text(self.group)!r} of topic {text(self.topic)!r}"
        place = self.preferences.rows.place(int(self.rows[line]))
        return PreferenceError(f"{place}: {where}: {found}; expected {due}; correct the levels")

    def two_levels(self, line: int, other: int) -> PreferenceError:
        """An error for a document whose level differs between two lines."""
        first, again = sorted((line, other))
        name = text(self.preferences.documents[self.rows[again]])
        before = self.preferences.rows.line(int(self.rows[first]))
        where = f" (line {before})" if before is not None else ""
        return self.refused(
            again,
            f"document {name!r} has level {self.levels[again]:g} here"
            f" and level {self.levels[first]:g} before{where}",
            "levels of one document that agree",
        )

    def circle(self, numbers: list[int]) -> PreferenceError:
        """An error for documents of which each is preferred to the next, the last to the first."""
        lines = [int(np.flatnonzero(self.numbers == number)[0]) for number in numbers]
        names = [repr(text(self.preferences.documents[self.rows[line]])) for line in lines]
        return self.refused(
            lines[0], f"preferences go in a circle: {' over '.join(names)}", "an order"
        )


class Group(ABC):
    """The preferences of one group among its documents, which stand in order of their numbers."""

    numbers: IntArray  # of the documents, rising
    levels: FloatArray
    times: IntArray  # how often each document counts
    nonrelevant: BoolArray  # which documents are known not to be relevant

    @abstractmethod
    def steps(self) -> Iterator[tuple[IntArray, IntArray]]:
        """All preferences: how often each document is preferred, and to which, how often."""

    @abstractmethod
    def trimmed(self, among: int) -> Iterator[tuple[IntArray, IntArray]]:
        """The preferences left when most documents that are not relevant are taken out.

        As many as there are relevant ones among the first so many documents stay.
        """

    @abstractmethod
    def over(self, document: int) -> IntArray:
        """How often each document is preferred to this one."""

    @abstractmethod
    def under(self, document: int) -> IntArray:
        """How often this document is preferred to each one."""

    def relevant(self, among: int) -> int:
        """How many of the first so many documents are relevant."""
        return int(self.times[:among][self.levels[:among] > 0].sum())


def group_of(lines: Lines) -> Group:
    """The preferences that the lines of a group state."""
    subgroups = {lines.preferences.subgroups[row] for row in lines.rows.tolist()}
    return Classes(lines) if len(subgroups) == 1 else Table(lines)


def first_of(weights: IntArray, most: int) -> IntArray:
    """The weights from the left on, until they add up to so much.

    >>> first_of(np.array([0, 2, 1, 2]), 4).tolist()
    [0, 2, 1, 1]
    """
    return np.clip(most - (np.cumsum(weights) - weights), 0, weights)


# One sub-group ------------------------------------------------------------------------------


class Classes(Group):
    """Classes of documents; each is preferred to all lower ones. A repeated line counts again."""

    def __init__(self, lines: Lines) -> None:
        self.numbers, first, places, self.times = np.unique(
            lines.numbers, return_index=True, return_inverse=True, return_counts=True
        )
        self.levels = lines.levels[first]
        for line in np.flatnonzero(lines.levels != self.levels[places]).tolist():
            raise lines.two_levels(line, int(first[places[line]]))
        self.nonrelevant = self.levels <= 0

    def steps(self) -> Iterator[tuple[IntArray, IntArray]]:
        """One step for each class: those in higher classes, and those in it."""
        higher = np.zeros_like(self.times)
        for level in np.unique(self.levels)[::-1]:
            members = np.where(self.levels == level, self.times, 0)
            yield higher, members
            higher = higher + members

    def trimmed(self, among: int) -> Iterator[tuple[IntArray, IntArray]]:
        """Of the lowest class only the first documents stay, and every document counts against
        them, those of the lowest class too.
        """
        *upper, (higher, lowest) = self.steps()
        yield from upper
        yield higher + lowest, first_of(lowest, self.relevant(among))

    def over(self, document: int) -> IntArray:
        """How often each document is preferred to this one."""
        return (self.levels > self.levels[document]) * self.times * self.times[document]

    def under(self, document: int) -> IntArray:
        """How often this document is preferred to each one."""
        return (self.levels < self.levels[document]) * self.times * self.times[document]


# Several sub-groups -------------------------------------------------------------------------


class Table(Group):
    """Who is preferred to whom, and what follows from that. Every pair counts once."""

    def __init__(self, lines: Lines) -> None:
        self.numbers, places = np.unique(lines.numbers, return_inverse=True)
        _refuse_mixed_levels(lines, places)
        subgroups: dict[bytes, list[int]] = {}
        for line, row in enumerate(lines.rows.tolist()):
            subgroups.setdefault(lines.preferences.subgroups[row], []).append(line)
        orders = []
        self.levels = np.zeros(len(self.numbers))
        for _, of_subgroup in sorted(subgroups.items()):
            mine = np.array(of_subgroup)
            orders.append(_weak_order(lines, places[mine], lines.levels[mine], self.numbers))
            falling = mine[np.argsort(-lines.levels[mine], kind="stable")]
            self.levels[places[falling]] = lines.levels[falling]  # the last one stays
        self._above = _closure(orders, lines, self.numbers)
        self.times = np.ones_like(self.numbers)
        self.nonrelevant = self.levels == 0

    def steps(self) -> Iterator[tuple[IntArray, IntArray]]:
        """One step for each document: those preferred to it, and itself."""
        yield from self._steps(self.times)

    def trimmed(self, among: int) -> Iterator[tuple[IntArray, IntArray]]:  # noqa: ARG002
        """Only the first documents of level 0 stay, as many as all relevant ones."""
        kept = first_of(self.nonrelevant.astype(np.int64), self.relevant(len(self.numbers)))
        yield from self._steps(np.where(self.nonrelevant, kept, self.times))

    def _steps(self, weights: IntArray) -> Iterator[tuple[IntArray, IntArray]]:
        for document, above in enumerate(self._above):
            itself = np.zeros_like(weights)
            itself[document] = weights[document]
            yield above * weights, itself

    def over(self, document: int) -> IntArray:
        """How often each document is preferred to this one."""
        return self._above[document].astype(np.int64)

    def under(self, document: int) -> IntArray:
        """How often this document is preferred to each one."""
        return self._above[:, document].astype(np.int64)


def _refuse_mixed_levels(lines: Lines, places: IntArray) -> None:
    """Level 0 in one line and a higher one in another: relevant and not relevant at once."""
    zero: dict[int, int] = {}
    positive: dict[int, int] = {}
    for line, (place, level) in enumerate(zip(places.tolist(), lines.levels.tolist(), strict=True)):
        if level >= 0:
            (positive if level > 0 else zero).setdefault(place, line)
        if place in zero and place in positive:
            raise lines.two_levels(zero[place], positive[place])


def _weak_order(
    lines: Lines, places: IntArray, levels: FloatArray, numbers: IntArray
) -> list[IntArray]:
    """The classes of one sub-group, best first.

    A document named at two levels stands between them: it is preferred to whatever is below the
    higher one and comes after whatever is above the lower one. Where that puts two documents
    before each other there is no order.
    """
    named, at = np.unique(places, return_inverse=True)
    low, high = np.full(len(named), np.inf), np.full(len(named), -np.inf)
    np.minimum.at(low, at, levels)
    np.maximum.at(high, at, levels)
    rising = np.lexsort((high, low))
    order, low, high = named[rising], low[rising], high[rising]
    same = (low[1:] == low[:-1]) & (high[1:] == high[:-1])
    crossed = np.where(same, low[1:] < high[1:], high[:-1] > low[1:])
    for lower in np.flatnonzero(crossed).tolist():
        first, second = numbers[order[lower : lower + 2]].tolist()
        raise lines.circle([first, second, first])
    return np.split(order, np.flatnonzero(~same) + 1)[::-1]


def _closure(orders: list[list[IntArray]], lines: Lines, numbers: IntArray) -> BoolArray:
    """For each document (row) which ones (columns) are preferred to it, directly or not.

    Between two neighbouring classes stands a gate: it comes after every document of the class
    above and before every document of the class below, which keeps the graph as small as the
    file.
    """
    count = len(numbers)
    graph: dict[int, list[int]] = {document: [] for document in range(count)}
    for classes in orders:
        for upper, lower in pairwise(classes):
            gate = len(graph)
            graph[gate] = upper.tolist()
            for document in lower.tolist():
                graph[document].append(gate)
    above = np.zeros((len(graph), count), np.bool_)
    try:
        for node in TopologicalSorter(graph).static_order():
            above[node] = above[graph[node]].any(axis=0)
            above[node, [before for before in graph[node] if before < count]] = True
    except CycleError as error:
        documents = [node for node in error.args[1] if node < count]
        circle = documents if documents[0] == documents[-1] else [*documents, documents[0]]
        raise lines.circle(numbers[circle].tolist()) from None
    return above[:count]
