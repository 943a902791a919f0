"""Blocks of rankings and of preferences, the input of measures of documents.

One row per topic, ranks along the last axis, padded with zeros. A measure reduces the last axis and
returns one value per topic; the same code serves one topic or ten thousand.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np

from spanwise.model.columns import plural

if TYPE_CHECKING:
    from spanwise.model.arrays import BoolArray, FloatArray, IntArray, StatusArray
    from spanwise.model.policy import Policy

T = TypeVar("T")
OUTSIDE, JUDGED, SET_ASIDE = 0, 1, -1
"""Status of a result: not in the judgements (or padding), judged, in the pool but not judged."""


@dataclass(frozen=True, slots=True, eq=False)
class Rankings:
    """A block of some topics of one run, rank by rank, with what was judged relevant."""

    topics: tuple[bytes, ...]
    retrieved: IntArray  # per topic: number of results; the other ranks are padding
    grade: FloatArray  # per rank: the grade, 0 if it has none
    status: StatusArray  # per rank: OUTSIDE, JUDGED or SET_ASIDE
    ideal: FloatArray  # per topic: all judged grades, best first, padded with 0
    judged: IntArray  # per topic: number of entries of `ideal` that are not padding
    set_aside: IntArray  # per topic: number of judgements with a negative grade
    policy: Policy
    score: FloatArray | None = None  # per rank: the system's score, if a measure needs it
    tied_from: IntArray | None = None  # per rank: first index of its group of equal scores
    tied_to: IntArray | None = None  # per rank: last index of that group
    _derived: dict[Any, Any] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.topics)

    def __repr__(self) -> str:
        return f"<Rankings: {plural(len(self), 'topic')}, {plural(self.depth, 'rank')}>"

    @property
    def depth(self) -> int:
        """The number of ranks in this block, padding included."""
        return self.grade.shape[-1]

    @property
    def ranks(self) -> IntArray:
        """The numbers 1, 2, 3, ... along the last axis."""
        return np.arange(1, self.depth + 1)

    def real(self) -> BoolArray:
        """Return which entries are results, not padding."""
        return self.once("real", lambda: self.ranks <= self.retrieved[:, None])

    # What is relevant -----------------------------------------------------------------------------

    def hits(self, rel: float) -> BoolArray:
        """Return which results have a grade of at least `rel`."""
        return self.once(("hits", rel), lambda: (self.grade >= rel) & (self.status == JUDGED))

    def misses(self, rel: float) -> BoolArray:
        """Return which results were judged and have a grade below `rel`."""
        return self.once(("misses", rel), lambda: (self.grade < rel) & (self.status == JUDGED))

    def found(self, rel: float) -> IntArray:
        """Return the number of relevant results in the first k ranks, for every k."""
        return self.once(("found", rel), lambda: np.cumsum(self.hits(rel), axis=-1))

    def hit_ranks(self, rel: float) -> IntArray:
        """Return the ranks of the relevant results: first hit, second hit, ..., padded with 0.

        Relevant results are few, so measures that only use them are fast on this.
        """
        return self.once(("hit_ranks", rel), lambda: packed_ranks(self.hits(rel)))

    def found_by(self, rel: float, cutoff: int | IntArray | None) -> IntArray:
        """Return the number of relevant results in the first `cutoff` ranks of each topic."""
        ranks = self.hit_ranks(rel)
        if cutoff is None:
            return self.once(("found_by", rel), lambda: np.count_nonzero(ranks, axis=-1))
        limit = cutoff[:, None] if isinstance(cutoff, np.ndarray) else cutoff
        return np.count_nonzero((ranks > 0) & (ranks <= limit), axis=-1)

    def relevant(self, rel: float) -> IntArray:
        """Return the number of units that were judged relevant, retrieved or not."""
        return self.once(("relevant", rel), lambda: self._ideal_count(rel))

    def anything_relevant(self, rel: float | None) -> BoolArray:
        """Return which topics have anything relevant; None: anything with a positive grade."""
        if rel is None:
            return self.once("positive", lambda: np.any(self.ideal > 0, axis=-1))
        return self.relevant(rel) > 0

    def nonrelevant(self, rel: float) -> IntArray:
        """Return the number of units that were judged not relevant, retrieved or not."""
        extra = self.set_aside if self.policy.conventions.every_line_counts else 0
        return self.judged + extra - self.relevant(rel)

    def _ideal_count(self, rel: float) -> IntArray:
        real = np.arange(self.ideal.shape[-1]) < self.judged[:, None]
        return np.count_nonzero((self.ideal >= rel) & real, axis=-1)

    def hit_precisions(self, rel: float) -> FloatArray:
        """Return the precision after the first hit, the second hit, ..., padded with 0."""

        def divide() -> FloatArray:
            ranks = self.hit_ranks(rel)
            nth = np.arange(1, ranks.shape[-1] + 1)
            return self.ratio(np.where(ranks > 0, nth, 0), ranks, undefined=0)

        return self.once(("hit_precisions", rel), divide)

    # Arithmetic -----------------------------------------------------------------------------------

    def at(self, column: Any, cutoff: int | IntArray) -> Any:
        """Return a cumulated column after `cutoff` ranks: 0 before the first, then constant."""
        if not column.shape[-1]:
            return np.zeros(len(self), column.dtype)
        index = np.minimum(cutoff, column.shape[-1]) - 1
        values = column[np.arange(len(self)), np.maximum(index, 0)]
        return np.where(index < 0, np.zeros((), column.dtype), values)

    def ratio(self, part: Any, whole: Any, undefined: float | None = None) -> FloatArray:
        """Divide with one correct rounding; give `undefined` where the divisor is 0.

        `undefined` is not-a-number unless the program that is followed differs.
        """
        if undefined is None:
            undefined = self.policy.conventions.no_divisor
        part, whole = np.asarray(part, self.real_type), np.asarray(whole, self.real_type)
        quotient = np.full(np.broadcast(part, whole).shape, undefined, self.real_type)
        return np.divide(part, whole, out=quotient, where=whole != 0)

    def total(self, terms: FloatArray) -> FloatArray:
        """Sum along the ranks, in the order of addition of the program that is followed."""
        return self.total_from_top(terms[..., ::-1] if self.policy.conventions.single else terms)

    def total_from_top(self, terms: FloatArray) -> FloatArray:
        """Sum along the ranks, adding one by one from rank 1 on.

        NumPy's own sum adds in pairs: its last digit, and sometimes a printed one, would differ
        from trec_eval's.
        """
        if not terms.shape[-1]:
            return np.zeros(terms.shape[:-1], self.real_type)
        if not self.policy.conventions.single:
            return np.cumsum(terms, axis=-1)[..., -1]
        sums = np.zeros(terms.shape[:-1], np.float32)
        for rank in range(terms.shape[-1]):  # each sum is rounded before the next addition
            sums = (sums.astype(np.float64) + terms[..., rank]).astype(np.float32)
        return sums

    @property
    def real_type(self) -> type[np.floating[Any]]:
        """The type of quotients and sums."""
        return np.float32 if self.policy.conventions.single else np.float64

    # Ties -----------------------------------------------------------------------------------------

    def expected(self, column: Any) -> FloatArray:
        """Replace every value by the mean of its group of equal scores."""
        first, last = self.tied()
        if not self.depth:
            return np.asarray(column, np.float64)
        sums = np.cumsum(column, axis=-1, dtype=np.float64)
        before = np.take_along_axis(sums, np.maximum(first - 1, 0), axis=-1)
        within = np.take_along_axis(sums, last, axis=-1) - np.where(first > 0, before, 0)
        return within / (last - first + 1)

    def tied(self) -> tuple[IntArray, IntArray]:
        """Return the first and last index of every result's group of equal scores."""
        if self.tied_from is None or self.tied_to is None:
            alone = np.broadcast_to(np.arange(self.depth), self.grade.shape)
            return alone, alone
        return self.tied_from, self.tied_to

    def condensed(self) -> Rankings:
        """Return the block without unjudged results, the other results moved up."""
        return self.once("condensed", self._condense)

    def _condense(self) -> Rankings:
        kept = self.status == JUDGED
        counts = np.count_nonzero(kept, axis=-1)
        order = np.argsort(~kept, axis=-1, kind="stable")[:, : int(counts.max(initial=0))]
        left_before = np.cumsum(kept, axis=-1) - kept
        first, last = self.tied()

        def closed_up(column: Any) -> Any:
            taken = np.take_along_axis(column, order, axis=-1)
            return np.where(np.arange(order.shape[-1]) < counts[:, None], taken, 0)

        return replace(
            self,
            retrieved=counts,
            grade=closed_up(self.grade),
            status=closed_up(self.status),
            score=None if self.score is None else closed_up(self.score),
            tied_from=closed_up(np.take_along_axis(left_before, first, axis=-1)),
            tied_to=closed_up(np.take_along_axis(left_before + kept, last, axis=-1) - 1),
            _derived={},
        )

    def once(self, key: object, make: Callable[[], T]) -> T:
        """Return a derived value, computed once per block."""
        if key not in self._derived:
            self._derived[key] = make()
        return self._derived[key]


def packed_ranks(marked: BoolArray) -> IntArray:
    """Return the ranks of the marked results, moved to the left, padded with 0.

    >>> packed_ranks(np.array([[False, True, True], [True, False, False]])).tolist()
    [[2, 3], [1, 0]]
    """
    topics, columns = np.nonzero(marked)
    counts = np.bincount(topics, minlength=len(marked))
    firsts = np.cumsum(counts) - counts
    packed = np.zeros((len(marked), int(counts.max(initial=0))), np.int64)
    packed[topics, np.arange(len(topics)) - firsts[topics]] = columns + 1
    return packed


# Preferences --------------------------------------------------------------------------------------
#
# One row per topic, groups along the last axis, padded with zeros. A preference says that one
# document should come before another; it is fulfilled if it does, and a document that was not
# retrieved comes after all that were. Pairs of documents fall into three kinds: both retrieved,
# one retrieved, neither.

Pairs = Literal["all", "ret", "imp"]
"""Which preferences count: all, those between retrieved documents, or also those that hold because
only one of the two was retrieved.
"""


@dataclass(frozen=True, slots=True, eq=False)
class PreferenceRankings:
    """A block of some topics of one run: how many preferences its rankings fulfil, by group."""

    topics: tuple[bytes, ...]
    policy: Policy
    # Per topic, over pairs of documents that any group puts in order
    agreement_both: FloatArray  # sum of the shares of votes that agree; both retrieved
    agreement: FloatArray  # the same, continued over pairs with one retrieved
    pairs_both: IntArray  # number of pairs with both retrieved
    pairs_one: IntArray
    pairs_neither: IntArray
    groups: IntArray  # number of groups; the other columns are padding
    # Per group, over its preferences
    fulfilled_both: IntArray  # both retrieved, in the preferred order
    both: IntArray  # both retrieved
    fulfilled_one: IntArray  # the preferred one retrieved, the other not
    one: IntArray  # exactly one retrieved
    neither: IntArray
    # Per group, documents by the sign of their level
    relevant: IntArray
    relevant_retrieved: IntArray
    nonrelevant: IntArray
    nonrelevant_retrieved: IntArray
    # Per group, preferences left when most documents that are not relevant are taken out; 0
    # unless these are the majority (of the retrieved, for the last two)
    trimmed_fulfilled: IntArray
    trimmed: IntArray
    trimmed_fulfilled_both: IntArray
    trimmed_both: IntArray

    def __len__(self) -> int:
        return len(self.topics)

    def anything_relevant(self, rel: float | None = None) -> BoolArray:  # noqa: ARG002
        """Return True for every topic: measures decide which topics have preferences."""
        return np.ones(len(self), np.bool_)

    def fulfilled(self, pairs: Pairs) -> IntArray:
        """Return the number of fulfilled preferences of each group."""
        return self.fulfilled_both + (0 if pairs == "ret" else self.fulfilled_one)

    def possible(self, pairs: Pairs) -> IntArray:
        """Return the number of preferences of each group that count."""
        one = 0 if pairs == "ret" else self.one
        return self.both + one + (self.neither if pairs == "all" else 0)

    def stated(self) -> IntArray:
        """Return the number of preferences of each topic."""
        return self.possible("all").sum(axis=-1)

    def defined(self, values: FloatArray, basis: IntArray) -> FloatArray:
        """Return the values; where `basis` is 0, the undefined value of the followed program."""
        return np.where(basis > 0, values, self.policy.conventions.no_divisor)


def ratio(part: Any, whole: Any, undefined: float = 0.0) -> FloatArray:
    """Divide element by element; give `undefined` where the divisor is 0.

    >>> ratio(np.array([1, 0]), np.array([2, 0])).tolist()
    [0.5, 0.0]
    """
    quotient = np.full(np.shape(whole), undefined)
    return np.divide(part, whole, out=quotient, where=whole != 0)


def total(terms: FloatArray) -> FloatArray:
    """Sum along the last axis, adding one by one from the first on.

    >>> total(np.array([[1.0, 2.0], [0.5, 0.0]])).tolist()
    [3.0, 0.5]
    """
    return np.cumsum(terms, axis=-1)[..., -1] if terms.shape[-1] else np.zeros(terms.shape[:-1])
