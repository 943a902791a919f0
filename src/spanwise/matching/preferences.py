"""Rankings matched with preferences: which preferences they fulfil.

Only documents that some preference of the topic names take part. Retrieved ones are numbered in the
order of the ranking; equal scores are ordered by **rising** document id here, the opposite of the
order for judgements. Those not retrieved follow, by rising id.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spanwise.errors import PreferenceError, UsageError
from spanwise.matching.documents import (
    TOPICS_AT_ONCE,
    by_score,
    places_of,
    refuse_duplicate_results,
)
from spanwise.model.columns import text
from spanwise.model.rankings import PreferenceRankings

if TYPE_CHECKING:
    from spanwise.model.arrays import BoolArray, FloatArray, IntArray
    from spanwise.model.columns import Rows
    from spanwise.model.judgements import Preferences
    from spanwise.model.policy import Policy
    from spanwise.model.run import Run

# Groups -------------------------------------------------------------------------------------------
#
# The lines of a group have one of two forms. With a single sub-group they divide the documents into
# classes of equal level, and a higher class is preferred to a lower one. With several sub-groups
# they are a table of pairs: each sub-group orders its own documents, and the table is closed under
# transitivity (a before b, b before c: a before c).
#
# Documents are numbers here: the lower the number, the earlier in the ranking.


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
        """The id of the group."""
        return self.preferences.groups[self.rows[0]]

    def refused(self, line: int, found: str, due: str) -> PreferenceError:
        """Return an error that names the line, the group and the topic."""
        where = f"group {text(self.group)!r} of topic {text(self.topic)!r}"
        place = self.preferences.rows.place(int(self.rows[line]))
        return PreferenceError(f"{place}: {where}: {found}; expected {due}; correct the levels")

    def two_levels(self, line: int, other: int) -> PreferenceError:
        """Return the error for a document whose level differs between two lines."""
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
        """Return the error for documents of which each is preferred to the next, in a cycle."""
        lines = [int(np.flatnonzero(self.numbers == number)[0]) for number in numbers]
        names = [repr(text(self.preferences.documents[self.rows[line]])) for line in lines]
        return self.refused(
            lines[0], f"preferences form a cycle: {' over '.join(names)}", "an order"
        )


class Group(ABC):
    """The preferences of one group among its documents, which are in order of their numbers."""

    numbers: IntArray  # of the documents, rising
    levels: FloatArray
    times: IntArray  # number of times that each document counts
    nonrelevant: BoolArray  # which documents were judged not relevant

    @abstractmethod
    def steps(self) -> Iterator[tuple[IntArray, IntArray]]:
        """Yield all preferences: how often each document is preferred, and to which, how often."""

    @abstractmethod
    def trimmed(self, among: int) -> Iterator[tuple[IntArray, IntArray]]:
        """Yield the preferences left when most documents that are not relevant are removed.

        As many of them are kept as there are relevant ones among the first `among` documents.
        """

    @abstractmethod
    def over(self, document: int) -> IntArray:
        """Return how often each document is preferred to this one."""

    @abstractmethod
    def under(self, document: int) -> IntArray:
        """Return how often this document is preferred to each one."""

    def relevant(self, among: int) -> int:
        """Return the number of relevant documents among the first `among`."""
        return int(self.times[:among][self.levels[:among] > 0].sum())


def group_of(lines: Lines) -> Group:
    """Return the preferences that the lines of a group state."""
    subgroups = {lines.preferences.subgroups[row] for row in lines.rows.tolist()}
    return Classes(lines) if len(subgroups) == 1 else Table(lines)


def first_of(weights: IntArray, most: int) -> IntArray:
    """Return the weights from the left on, until they add up to `most`.

    >>> first_of(np.array([0, 2, 1, 2]), 4).tolist()
    [0, 2, 1, 1]
    """
    return np.clip(most - (np.cumsum(weights) - weights), 0, weights)


# One sub-group ------------------------------------------------------------------------------------


class Classes(Group):
    """Classes of documents, each preferred to all lower ones; a repeated line counts again."""

    def __init__(self, lines: Lines) -> None:
        self.numbers, first, places, self.times = np.unique(
            lines.numbers, return_index=True, return_inverse=True, return_counts=True
        )
        self.levels = lines.levels[first]
        for line in np.flatnonzero(lines.levels != self.levels[places]).tolist():
            raise lines.two_levels(line, int(first[places[line]]))
        self.nonrelevant = self.levels <= 0

    def steps(self) -> Iterator[tuple[IntArray, IntArray]]:
        """Yield one step for each class: the documents in higher classes, and its own."""
        higher = np.zeros_like(self.times)
        for level in np.unique(self.levels)[::-1]:
            members = np.where(self.levels == level, self.times, 0)
            yield higher, members
            higher = higher + members

    def trimmed(self, among: int) -> Iterator[tuple[IntArray, IntArray]]:
        """Yield the preferences left when only the first documents of the lowest class are kept.

        Every document counts against them, those of the lowest class too.
        """
        *upper, (higher, lowest) = self.steps()
        yield from upper
        yield higher + lowest, first_of(lowest, self.relevant(among))

    def over(self, document: int) -> IntArray:
        """Return how often each document is preferred to this one."""
        return (self.levels > self.levels[document]) * self.times * self.times[document]

    def under(self, document: int) -> IntArray:
        """Return how often this document is preferred to each one."""
        return (self.levels < self.levels[document]) * self.times * self.times[document]


# Several sub-groups -------------------------------------------------------------------------------


class Table(Group):
    """A table of preferred pairs, closed under transitivity; every pair counts once."""

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
            self.levels[places[falling]] = lines.levels[falling]  # the lowest level is kept
        self._above = _closure(orders, lines, self.numbers)
        self.times = np.ones_like(self.numbers)
        self.nonrelevant = self.levels == 0

    def steps(self) -> Iterator[tuple[IntArray, IntArray]]:
        """Yield one step for each document: those preferred to it, and itself."""
        yield from self._steps(self.times)

    def trimmed(self, among: int) -> Iterator[tuple[IntArray, IntArray]]:  # noqa: ARG002
        """Yield the preferences with no more documents of level 0 than relevant ones."""
        kept = first_of(self.nonrelevant.astype(np.int64), self.relevant(len(self.numbers)))
        yield from self._steps(np.where(self.nonrelevant, kept, self.times))

    def _steps(self, weights: IntArray) -> Iterator[tuple[IntArray, IntArray]]:
        for document, above in enumerate(self._above):
            itself = np.zeros_like(weights)
            itself[document] = weights[document]
            yield above * weights, itself

    def over(self, document: int) -> IntArray:
        """Return how often each document is preferred to this one."""
        return self._above[document].astype(np.int64)

    def under(self, document: int) -> IntArray:
        """Return how often this document is preferred to each one."""
        return self._above[:, document].astype(np.int64)


def _refuse_mixed_levels(lines: Lines, places: IntArray) -> None:
    """Raise an error for a document that has level 0 in one line and a higher one in another."""
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
    """Return the classes of one sub-group, best first.

    A document named at two levels is between them: it is preferred to everything below the higher
    one and comes after everything above the lower one. If that puts two documents before each
    other, there is no order, which is an error.
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
    """Return for each document (row) which ones (columns) are preferred to it, directly or not.

    Between two neighbouring classes the graph has a gate: it comes after every document of the
    class above and before every document of the class below, which keeps the graph as small as the
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


# Blocks of preferences ----------------------------------------------------------------------------

COLUMNS = 13
"""Number of columns of a block that are counted per group."""


def preference_rankings(
    run: Run, preferences: Preferences, topics: Sequence[bytes], policy: Policy
) -> Iterator[PreferenceRankings]:
    """Yield the numbers of fulfilled preferences in blocks of `TOPICS_AT_ONCE` topics.

    A topic without results counts like one whose results no preference names; one without
    preferences has no groups.
    """
    if policy.ties == "expected":
        raise UsageError(
            "ties: expected: the expectation of preferences over tied results is not implemented;"
            " use another rule for ties, such as --ties docno"
        )
    results = _Results(run, topics, policy)
    levels = _as_wide(preferences.levels, policy)
    owned = _rows_of(preferences.rows)
    for first in range(0, len(topics), TOPICS_AT_ONCE):
        some = tuple(topics[first : first + TOPICS_AT_ONCE])
        counted = [
            _counted(topic, results.of(topic), preferences, levels, owned.get(topic, range(0)))
            for topic in some
        ]
        yield _block(some, policy, counted)


def _as_wide(levels: FloatArray, policy: Policy) -> FloatArray:
    """Return the levels in the precision of the program that is followed."""
    with np.errstate(over="ignore"):  # levels too large for 32 bits become infinite
        return levels.astype(np.float32) if policy.conventions.score_bits == 32 else levels


def _rows_of(rows: Rows) -> dict[bytes, range]:
    bounds = rows.starts.tolist()
    spans = (range(first, last) for first, last in pairwise(bounds))
    return dict(zip(rows.topics, spans, strict=True))


class _Results:
    """The results of each topic in order, cut at the policy's depth."""

    def __init__(self, run: Run, topics: Sequence[bytes], policy: Policy) -> None:
        self._run, self._policy = run, policy
        codes = {topic: code for code, topic in enumerate(topics)}
        places_of_rows = partial(places_of, by_score(run, policy), run, policy, rising=True)
        prints = run.documents.fingerprints()
        refuse_duplicate_results(run, prints, codes, policy, places_of_rows)
        self._spans = {t: span for t, span in _rows_of(run.rows).items() if t in codes}
        rows = np.concatenate([np.arange(0), *(np.array(span) for span in self._spans.values())])
        self._row_at = np.empty(len(run.rows), np.int64)
        self._row_at[places_of_rows(rows)] = rows

    def of(self, topic: bytes) -> list[bytes]:
        """Return the documents of a topic, best first."""
        span = self._spans.get(topic, range(0))[: self._policy.depth]
        return self._run.documents.take(self._row_at[span.start : span.stop])


# One topic ----------------------------------------------------------------------------------------


class _Counted(NamedTuple):
    """The counts of one topic, in the order of the block's columns."""

    agreement: tuple[float, float]
    pairs: tuple[int, int, int]
    groups: list[tuple[int, ...]]


def _counted(
    topic: bytes, results: list[bytes], preferences: Preferences, levels: FloatArray, rows: range
) -> _Counted:
    named = {preferences.documents[row] for row in rows}
    retrieved = [document for document in results if document in named]
    order = retrieved + sorted(named.difference(retrieved))
    number = {document: place for place, document in enumerate(order)}
    lines: dict[bytes, list[int]] = {}
    for row in rows:
        lines.setdefault(preferences.groups[row], []).append(row)
    groups = []
    for _, of_group in sorted(lines.items()):
        numbers = np.array([number[preferences.documents[row]] for row in of_group])
        mine = np.array(of_group)
        groups.append(group_of(Lines(preferences, mine, numbers, levels[mine], topic)))
    agreement, pairs = _agreement(groups, len(order), len(retrieved))
    return _Counted(agreement, pairs, [_counts(group, len(retrieved)) for group in groups])


def _counts(group: Group, retrieved: int) -> tuple[int, ...]:
    """Return the counts of one group, in the order of the block's columns."""
    known = len(group.numbers)
    shown = int(np.searchsorted(group.numbers, retrieved))
    tally = _tally(group.steps(), shown)
    relevant, relevant_shown = group.relevant(known), group.relevant(shown)
    others = np.where(group.nonrelevant, group.times, 0)
    nonrelevant, nonrelevant_shown = int(others.sum()), int(others[:shown].sum())
    trimmed = trimmed_shown = _Tally()
    if relevant < nonrelevant:
        trimmed = _tally(group.trimmed(known), shown)
    if relevant_shown < nonrelevant_shown:
        trimmed_shown = _tally(group.trimmed(shown), shown)
    return (
        *tally,
        *(relevant, relevant_shown, nonrelevant, nonrelevant_shown),
        *(trimmed.fulfilled_both + trimmed.fulfilled_one, trimmed.possible),
        *(trimmed_shown.fulfilled_both, trimmed_shown.both),
    )


class _Tally(NamedTuple):
    """The numbers of preferences, and of fulfilled ones."""

    fulfilled_both: int = 0
    both: int = 0
    fulfilled_one: int = 0
    one: int = 0
    neither: int = 0

    @property
    def possible(self) -> int:
        return self.both + self.one + self.neither


def _tally(steps: Iterator[tuple[IntArray, IntArray]], shown: int) -> _Tally:
    """Count preferences; the first `shown` of the group's documents are retrieved."""
    fulfilled_both = both = fulfilled_one = one = neither = 0
    for upper, lower in steps:
        before = np.cumsum(upper) - upper  # number of preferred documents before each
        upper_shown, upper_rest = int(upper[:shown].sum()), int(upper[shown:].sum())
        lower_shown, lower_rest = int(lower[:shown].sum()), int(lower[shown:].sum())
        fulfilled_both += int(before[:shown] @ lower[:shown])
        both += upper_shown * lower_shown
        fulfilled_one += upper_shown * lower_rest
        one += upper_shown * lower_rest + upper_rest * lower_shown
        neither += upper_rest * lower_rest
    return _Tally(fulfilled_both, both, fulfilled_one, one, neither)


def _agreement(
    groups: list[Group], documents: int, retrieved: int
) -> tuple[tuple[float, float], tuple[int, int, int]]:
    """Return sums, over pairs of documents, of the shares of votes for the order of the ranking.

    There are two sums: over pairs with both retrieved, and continued over those with one retrieved.
    The numbers of pairs are those with both, one and none retrieved. The order of addition is
    trec_eval's.
    """
    both, later, pairs = 0.0, [np.zeros(0)], [0, 0, 0]
    for first, (agreeing, votes) in enumerate(_votes(groups, documents), start=1):
        voted = votes > 0
        shares = agreeing[voted] / votes[voted]
        near = int(np.count_nonzero(voted[: max(retrieved - first, 0)]))
        far = len(shares) - near
        if first > retrieved:
            pairs[2] += far
            continue
        both = float(np.cumsum(np.concatenate([[both], shares[:near]]))[-1])
        later.append(shares[near:])
        pairs[0] += near
        pairs[1] += far
    total = float(np.cumsum(np.concatenate([[both], *later]))[-1])
    return (both, total), (pairs[0], pairs[1], pairs[2])


def _votes(groups: list[Group], documents: int) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield, per document, how often it is preferred to each later one, and that or the reverse."""
    members: list[list[tuple[Group, int]]] = [[] for _ in range(documents)]
    for group in groups:
        for place, number in enumerate(group.numbers.tolist()):
            members[number].append((group, place))
    for number, mine in enumerate(members):
        agreeing, votes = np.zeros(documents, np.int64), np.zeros(documents, np.int64)
        for group, place in mine:
            under = group.under(place)
            agreeing[group.numbers] += under
            votes[group.numbers] += under + group.over(place)
        yield agreeing[number + 1 :], votes[number + 1 :]


# Many topics --------------------------------------------------------------------------------------


def _block(
    topics: tuple[bytes, ...], policy: Policy, counted: list[_Counted]
) -> PreferenceRankings:
    groups = np.array([len(topic.groups) for topic in counted], np.int64)
    columns = np.zeros((COLUMNS, len(topics), int(groups.max(initial=0))), np.int64)
    for row, topic in enumerate(counted):
        if topic.groups:
            columns[:, row, : len(topic.groups)] = np.array(topic.groups).T
    agreement_both, agreement = np.array([topic.agreement for topic in counted]).T
    both, one, neither = np.array([topic.pairs for topic in counted], np.int64).T
    return PreferenceRankings(
        topics, policy, agreement_both, agreement, both, one, neither, groups, *columns
    )
