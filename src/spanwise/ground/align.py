"""A run and its judgements, put together: blocks of rankings, ready to be measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from spanwise.errors import DuplicateError, UsageError
from spanwise.ground.match import judged_rows, repeated_rows
from spanwise.ground.order import Ordered, by_score, places_of
from spanwise.model.ids import text
from spanwise.model.judgements import by_assessor
from spanwise.model.rankings import JUDGED, SET_ASIDE, Rankings

if TYPE_CHECKING:
    from spanwise.model.arrays import BoolArray, FingerprintArray, FloatArray, IntArray
    from spanwise.model.ids import Ids
    from spanwise.model.judgements import Judgements
    from spanwise.model.policy import Policy
    from spanwise.model.rows import Rows
    from spanwise.model.run import Run

TOPICS_AT_ONCE = 256
"""Some hundred topics at once: the columns of a block stay in the cache."""


@dataclass(frozen=True, slots=True, eq=False)
class Marks:
    """The judged results, as columns: whose they are, where they stand, what they are worth."""

    owner: IntArray  # number of the topic
    rank: IntArray  # 0 is the top
    grade: FloatArray
    stood: IntArray  # the rank before unjudged results were dropped

    def in_order(self) -> Marks:
        """By topic and rank. Nearly sorted already, which this way of sorting makes use of."""
        place = self.owner * (int(self.rank.max(initial=0)) + 1) + self.rank
        return self.where(np.argsort(place, kind="stable"))

    def where(self, chosen: BoolArray | IntArray) -> Marks:
        """Some of them."""
        return Marks(self.owner[chosen], self.rank[chosen], self.grade[chosen], self.stood[chosen])

    def of(self, first: int, last: int) -> Marks:
        """Those of some topics, renumbered from 0."""
        begin, end = np.searchsorted(self.owner, [first, last])
        span = slice(begin, end)
        return Marks(self.owner[span] - first, self.rank[span], self.grade[span], self.stood[span])


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """The judged documents of each topic, retrieved or not, best first."""

    starts: IntArray
    grades: FloatArray
    set_aside: IntArray  # per topic: judgements with a negative grade

    @classmethod
    def of(cls, judgements: Judgements, codes: dict[bytes, int]) -> Known:
        """Sort the grades of the topics that are evaluated."""
        owner = owners_of(judgements.rows, codes, np.arange(len(judgements.rows)))
        aside = np.bincount(owner[(owner >= 0) & (judgements.grades < 0)], minlength=len(codes))
        kept = (owner >= 0) & (judgements.grades >= 0)
        owner, grades = owner[kept], judgements.grades[kept]
        order = np.lexsort((-grades, owner))
        counts = np.bincount(owner, minlength=len(codes))
        return cls(np.concatenate([[0], np.cumsum(counts)]), grades[order], aside)

    def spread(self, first: int, last: int) -> tuple[FloatArray, IntArray]:
        """The grades of some topics as rows of a table padded with 0, and how many are real."""
        counts = np.diff(self.starts[first : last + 1])
        table = np.zeros((last - first, int(counts.max(initial=0))))
        real = np.arange(table.shape[-1]) < counts[:, None]
        table[real] = self.grades[self.starts[first] : self.starts[last]]
        return table, counts


@dataclass(frozen=True, slots=True, eq=False)
class Aligned:
    """For each topic how much was retrieved, and where its judged results stand."""

    topics: tuple[bytes, ...]
    policy: Policy
    retrieved: IntArray  # per topic
    marks: Marks
    known: Known
    ordered: Ordered
    places: IntArray  # per topic: where its results begin in the ordered run
    shown: IntArray  # per topic: results before any were cut or dropped

    def blocks(self, *, with_scores: bool = False) -> Iterator[Rankings]:
        """The rankings, some hundred topics at a time."""
        for first in range(0, len(self.topics), TOPICS_AT_ONCE):
            yield self._block(first, min(first + TOPICS_AT_ONCE, len(self.topics)), with_scores)

    def _block(self, first: int, last: int, with_scores: bool) -> Rankings:
        retrieved = self.retrieved[first:last]
        marks = self.marks.of(first, last)
        shape = (last - first, int(retrieved.max(initial=0)))
        grade, status = np.zeros(shape), np.zeros(shape, np.int8)
        grade[marks.owner, marks.rank] = np.maximum(marks.grade, 0)
        status[marks.owner, marks.rank] = np.where(marks.grade >= 0, JUDGED, SET_ASIDE)
        ideal, judged = self.known.spread(first, last)
        expected = self.policy.ties == "expected"
        score = self._scores(first, marks, retrieved, shape) if with_scores or expected else None
        groups = _tie_groups(score, retrieved) if score is not None and expected else (None, None)
        return Rankings(
            self.topics[first:last],
            retrieved,
            grade,
            status,
            ideal,
            judged,
            self.known.set_aside[first:last],
            self.policy,
            score,
            *groups,
        )

    def _scores(
        self, first: int, marks: Marks, retrieved: IntArray, shape: tuple[int, int]
    ) -> FloatArray:
        score = np.zeros(shape)
        begins = self.places[first : first + shape[0]]
        if self.policy.unjudged == "drop":  # only marked results are left
            score[marks.owner, marks.rank] = self.ordered.scores[begins[marks.owner] + marks.stood]
        else:
            real = np.arange(shape[1]) < retrieved[:, None]
            score[real] = self.ordered.scores[(begins[:, None] + np.arange(shape[1]))[real]]
        return -score if self.policy.order == "rising" else score

    def straddled(self, cutoff: int) -> int:
        """In how many topics equal scores stand on both sides of a cut-off."""
        deep = self.shown > cutoff
        last = self.places[deep] + cutoff - 1
        scores = self.ordered.scores
        return int(np.count_nonzero(scores[last] == scores[last + 1])) if cutoff > 0 else 0


def _tie_groups(score: FloatArray, retrieved: IntArray) -> tuple[IntArray, IntArray]:
    """First and last index of the group of equal scores of every result."""
    columns = np.arange(score.shape[-1])
    real = columns < retrieved[:, None]
    differs = np.ones(score.shape, np.bool_)
    differs[:, 1:] = (score[:, 1:] != score[:, :-1]) | ~real[:, 1:]
    first = np.maximum.accumulate(np.where(differs, columns, 0), axis=-1)
    ends = np.ones(score.shape, np.bool_)
    ends[:, :-1] = differs[:, 1:]
    last = np.minimum.accumulate(np.where(ends, columns, len(columns))[:, ::-1], axis=-1)[:, ::-1]
    return first, last


def align(run: Run, judgements: Judgements, topics: Sequence[bytes], policy: Policy) -> Aligned:
    """Put the results of each topic in order and look up what they are worth."""
    if policy.ties == "expected" and (policy.depth is not None or policy.unjudged == "drop"):
        raise UsageError("ties: expected needs whole rankings: no depth, nothing dropped")
    codes = {topic: code for code, topic in enumerate(topics)}
    prints = run.documents.fingerprints()
    ordered = by_score(run, policy)
    refuse_duplicate_results(run, prints, codes, policy, partial(places_of, ordered, run, policy))
    run_rows, judged = judged_rows(run, prints, judgements)
    del prints  # as large as the scores
    places, shown = segments(run.rows, codes)
    owner = owners_of(run.rows, codes, run_rows)
    kept = owner >= 0
    rank = places_of(ordered, run, policy, run_rows[kept]) - places[owner[kept]]
    marks = Marks(owner[kept], rank, judgements.grades[judged[kept]], rank).in_order()
    retrieved = shown
    if policy.depth is not None:
        marks = marks.where(marks.rank < policy.depth)
        retrieved = np.minimum(shown, policy.depth)
    retrieved = np.where(shown > 0, retrieved, policy.conventions.missing_results)
    if policy.unjudged == "drop":
        marks, retrieved = _without_unjudged(marks, retrieved, policy)
    evaluated = tuple(topics)
    known = judgements.once(("known", evaluated), lambda: Known.of(judgements, codes))
    return Aligned(evaluated, policy, retrieved, marks, known, ordered, places, shown)


def owners_of(rows: Rows, codes: dict[bytes, int], of_rows: IntArray) -> IntArray:
    """The code of the topic that each row belongs to; -1 if it is not evaluated."""
    owners = np.array([codes.get(topic, -1) for topic in rows.topics], np.int64)
    return owners[np.searchsorted(rows.starts, of_rows, side="right") - 1]


def segments(rows: Rows, codes: dict[bytes, int]) -> tuple[IntArray, IntArray]:
    """For each topic the place of its first result, and how many there are."""
    places, shown = np.zeros(len(codes), np.int64), np.zeros(len(codes), np.int64)
    evaluated = [(codes[t], n) for n, t in enumerate(rows.topics) if t in codes]
    if evaluated:
        mine, theirs = np.array(evaluated).T
        places[mine] = rows.starts[theirs]
        shown[mine] = np.diff(rows.starts)[theirs]
    return places, shown


def _without_unjudged(marks: Marks, retrieved: IntArray, policy: Policy) -> tuple[Marks, IntArray]:
    """Only what was judged stays, closed up. trec_eval 8 kept pool members without a grade."""
    stay = marks if policy.conventions.every_line_counts else marks.where(marks.grade >= 0)
    counts = np.bincount(stay.owner, minlength=len(retrieved))
    firsts = np.cumsum(counts) - counts
    rank = np.arange(len(stay.owner)) - firsts[stay.owner]
    return Marks(stay.owner, rank, stay.grade, stay.stood), counts


# Duplicates ---------------------------------------------------------------------------------


def refuse_duplicate_results(
    run: Run,
    prints: FingerprintArray,
    codes: dict[bytes, int],
    policy: Policy,
    places_of_rows: Callable[[IntArray], IntArray],
) -> None:
    """The same document twice in one topic is an error.

    The drop-in programs look only at topics that they evaluate, and 9 and 10 only at the results
    that their cut leaves.
    """
    pairs = np.array(list(repeated_rows(run.rows, run.documents, prints)), np.int64).reshape(-1, 2)
    if not len(pairs):
        return
    owners = owners_of(run.rows, codes, pairs[:, 0])
    if policy.follow != "spanwise":
        pairs, owners = pairs[owners >= 0], owners[owners >= 0]
        if policy.depth is not None and policy.follow != "trec_eval 8":
            places = places_of_rows(pairs.ravel()).reshape(-1, 2)
            topics = np.searchsorted(run.rows.starts, places, side="right") - 1
            kept = ((places - run.rows.starts[topics]) < policy.depth).all(axis=-1)
            pairs, owners = pairs[kept], owners[kept]
    if len(pairs):
        first, again = pairs[np.argmin(owners)].tolist()
        raise _duplicate(run.rows, run.documents, first, again)


def refuse_duplicate_judgements(
    judgements: Judgements, topics: Sequence[bytes] | None = None
) -> None:
    """The same document judged twice in one topic by one assessor is an error, grades or no.

    With `topics` only duplicates in those count.
    """
    codes = {topic: code for code, topic in enumerate(topics or judgements.rows.topics)}
    worst: tuple[int, DuplicateError] | None = None
    for part in by_assessor(judgements):
        for first, again in part.once("repeated", partial(_repeated_judgements, part)):
            owner = int(owners_of(part.rows, codes, np.array([again]))[0])
            if owner >= 0 and (worst is None or owner < worst[0]):
                worst = owner, _duplicate(part.rows, part.documents, first, again)
    if worst:
        raise worst[1]


def _repeated_judgements(judgements: Judgements) -> list[tuple[int, int]]:
    prints = judgements.documents.fingerprints()
    return list(repeated_rows(judgements.rows, judgements.documents, prints))


def _duplicate(rows: Rows, ids: Ids, first: int, again: int) -> DuplicateError:
    topic = rows.topics[int(np.searchsorted(rows.starts, again, side="right")) - 1]
    name = text(ids.take(np.array([again]))[0])
    before = rows.line(first)
    where = f", first on line {before}" if before is not None else ""
    return DuplicateError(
        topic,
        f"{rows.place(again)}: document {name!r} is there twice for topic {text(topic)!r}{where};"
        " expected each document once; remove one of the two",
    )
