"""A run and preferences, put together: which preferences the rankings fulfil.

Only documents that some preference of the topic names take part. Those retrieved are numbered in
the order of the ranking; equal scores stand by **rising** document id here, the opposite of what
holds for judgements. Those not retrieved follow, by rising id.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spanwise.errors import UsageError
from spanwise.ground.align import TOPICS_AT_ONCE, refuse_duplicate_results
from spanwise.ground.order import by_score, places_of
from spanwise.ground.preferred import Group, Lines, group_of
from spanwise.model.fulfilments import Fulfilments

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray, IntArray
    from spanwise.model.judgements import Preferences
    from spanwise.model.policy import Policy
    from spanwise.model.rows import Rows
    from spanwise.model.run import Run

COLUMNS = 13
"""So many things are counted of each group."""


def fulfilments(
    run: Run, preferences: Preferences, topics: Sequence[bytes], policy: Policy
) -> Iterator[Fulfilments]:
    """Count fulfilled preferences, some hundred topics at a time.

    A topic without results is as good as one whose results nobody named; one without preferences
    has no groups.
    """
    if policy.ties == "expected":
        raise UsageError(
            "ties: expected: the expectation of preferences over tied results is not known;"
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
    """The levels, as wide as the followed program keeps them."""
    with np.errstate(over="ignore"):  # too large a level is infinite there
        return levels.astype(np.float32) if policy.conventions.score_bits == 32 else levels


def _rows_of(rows: Rows) -> dict[bytes, range]:
    bounds = rows.starts.tolist()
    spans = (range(first, last) for first, last in pairwise(bounds))
    return dict(zip(rows.topics, spans, strict=True))


class _Results:
    """The results of each topic in order, cut where the policy cuts."""

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
        """The documents, best first."""
        span = self._spans.get(topic, range(0))[: self._policy.depth]
        return self._run.documents.take(self._row_at[span.start : span.stop])


# One topic ----------------------------------------------------------------------------------


class _Counted(NamedTuple):
    """What is counted of one topic; the order is that of the block's columns."""

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
    """What is counted of one group, in the order of the block's columns."""
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
    """How many preferences there are, and how many are fulfilled."""

    fulfilled_both: int = 0
    both: int = 0
    fulfilled_one: int = 0
    one: int = 0
    neither: int = 0

    @property
    def possible(self) -> int:
        return self.both + self.one + self.neither


def _tally(steps: Iterator[tuple[IntArray, IntArray]], shown: int) -> _Tally:
    """Count preferences; of the group's documents the first so many are retrieved."""
    fulfilled_both = both = fulfilled_one = one = neither = 0
    for upper, lower in steps:
        before = np.cumsum(upper) - upper  # preferred ones that stand before each document
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
    """Over pairs of documents: the sum of the shares of votes for the order of the ranking.

    The sum over pairs with both retrieved, then continued over those with one retrieved; and how
    many pairs there are, with both, one and none retrieved. The order of addition is trec_eval's.
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
    """For each document: how often it is preferred to each later one, and that or the reverse."""
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


# Many topics --------------------------------------------------------------------------------


def _block(topics: tuple[bytes, ...], policy: Policy, counted: list[_Counted]) -> Fulfilments:
    groups = np.array([len(topic.groups) for topic in counted], np.int64)
    columns = np.zeros((COLUMNS, len(topics), int(groups.max(initial=0))), np.int64)
    for row, topic in enumerate(counted):
        if topic.groups:
            columns[:, row, : len(topic.groups)] = np.array(topic.groups).T
    agreement_both, agreement = np.array([topic.agreement for topic in counted]).T
    both, one, neither = np.array([topic.pairs for topic in counted], np.int64).T
    return Fulfilments(
        topics, policy, agreement_both, agreement, both, one, neither, groups, *columns
    )
