"""Blocks of rankings of text: what a reader sees, result by result and document by document.

One row per topic, ranks (or documents in the order in which they first appear) along the last axis,
padded with zeros. Everything is counted in characters.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from spanwise.errors import InputError

if TYPE_CHECKING:
    from spanwise.model.arrays import BoolArray, FloatArray, IntArray
    from spanwise.model.policy import Policy

T = TypeVar("T")
ROUNDING = 1e-12
"""A level counts as reached if it is missed by no more than this share."""


@dataclass(frozen=True, slots=True, eq=False)
class Stretches:
    """The text of retrieved documents with highlights, cut at every beginning and end.

    Stretches are in document order; each is wholly highlighted or not, and wholly shown or not.
    """

    topic: IntArray  # row of the block
    place: IntArray  # column of the document
    length: IntArray
    relevant: BoolArray
    shown: BoolArray  # whether some result shows it


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """The text of all results that no earlier result has shown, cut where something changes.

    Pieces are in reading order within each topic. Reading goes character by character, rank by
    rank.
    """

    topic: IntArray  # row of the block
    at: IntArray  # characters read before it, repeated ones included
    length: IntArray
    relevant: BoolArray
    judged: BoolArray
    repeated: IntArray  # relevant characters read again before it

    def within(self, limit: IntArray) -> IntArray:
        """Return how many characters of each piece are read if a reader stops at these limits."""
        return np.clip(limit[self.topic] - self.at, 0, self.length)


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """The item of evidence that each result meets: the first in file order sharing a character."""

    item: IntArray  # per topic and rank; -1 if it meets none
    shared: IntArray  # per topic and rank: characters of the item that the result shows
    copy: BoolArray  # per topic and rank: whether the same span was returned before
    aspects: list[tuple[int, ...]]  # per item: its aspects, numbered within the topic


class MatchedEvidence(Protocol):
    """The evidence piece by piece. Counts of characters read include repeated ones."""

    def complete(self, limit: IntArray, share: float, blank: bool) -> BoolArray:
        """Return which topics have a set of items of which this share is read within the limits.

        White space is counted only if `blank` is set.
        """

    def blank(self, limit: IntArray) -> tuple[IntArray, IntArray] | None:
        """Return, per topic, the white space in relevant text: that which is read, and all.

        None if the text is unknown.
        """

    def ceiling(self, budget: float, *, every: bool) -> tuple[FloatArray, BoolArray] | None:
        """Return, per topic, the most relevant text that an order of chunks shows, and its kind.

        The chunks are those returned for the topic, or `every` chunk of the system; None if these
        are unknown. The value is exact or a bound from above.
        """

    def touched(self) -> tuple[IntArray, IntArray]:
        """Return the topic of each aspect, and the characters read before it; NEVER if not read."""

    def matches(self) -> Matches:
        """Return the item that each result meets."""

    def nothing(self) -> BoolArray:
        """Return which topics were judged to have no evidence, placed or not."""

    def totals(self) -> tuple[IntArray, IntArray]:
        """Return, per topic, the number of different items, and of different aspects."""

    def pieces(self) -> Pieces:
        """Return the text of all results, without text that an earlier result has shown."""

    def near(self, cutoff: int | None, tolerance: int) -> IntArray:
        """Return, per topic, the relevant characters within `tolerance` of the first results."""


class Prices(Protocol):
    """The prices of results whose budgets do not count characters."""

    @property
    def total(self) -> IntArray:
        """The units that all results of each topic cost."""

    def reach(self, budget: float) -> IntArray:
        """Return the characters of each topic that a budget pays for."""

    def price(self, characters: IntArray) -> FloatArray:
        """Return the units that the first characters of each topic cost."""


NEVER = 1 << 62
"""A number of characters that is never read."""


@dataclass(frozen=True, slots=True, eq=False)
class Readings:
    """A block of some topics of one run as text, with what was highlighted."""

    topics: tuple[bytes, ...]
    policy: Policy
    # per topic
    highlighted: IntArray  # characters in all documents
    relevant_documents: IntArray  # documents with highlighted text
    retrieved: IntArray  # number of results; the other ranks are padding
    documents: IntArray  # number of different documents among the results
    # per rank
    size: IntArray
    relevant: IntArray  # highlighted characters among them
    fresh: IntArray  # characters that no earlier result has shown
    fresh_relevant: IntArray  # highlighted ones among these
    # per document, in order of first appearance
    shown: IntArray  # characters of all its results, repeated text included
    found: IntArray  # highlighted characters shown, each counted once
    known: IntArray  # highlighted characters in the whole document
    start: IntArray  # where its first result begins; -1 if that could not be placed
    entry: IntArray  # best entry point of the document; -1 if it has none
    stretches: Stretches
    unsized: str = ""  # a result of unknown size; empty if all sizes are known
    endless: str = ""  # a document with highlights and of unknown length
    unstated: tuple[tuple[int, str], ...] = ()
    """Documents of which a result has an unknown size: column, and the error. Topic by topic."""
    matched: MatchedEvidence | None = None  # the evidence piece by piece
    prices: Prices | None = None  # None: budgets count characters
    _derived: dict[Any, Any] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.topics)

    def anything_relevant(self, rel: float | None = None) -> BoolArray:  # noqa: ARG002
        """Return which topics have highlighted text."""
        return self.highlighted > 0

    # Along the ranks ------------------------------------------------------------------------------

    def read(self, skip: bool) -> IntArray:
        """Return the characters read up to each rank, without repeated ones if `skip` is set."""
        if self.unsized:
            raise InputError(
                f"{self.unsized}: its length was not found in any file; expected offsets and"
                " lengths, or --collection"
            )
        return np.cumsum(self.fresh if skip else self.size, axis=-1)

    def gathered(self, skip: bool) -> IntArray:
        """Return the highlighted characters found up to each rank, each counted once."""
        forgotten = self.policy.conventions.forgets_repeats and not skip
        return np.cumsum(self.relevant if forgotten else self.fresh_relevant, axis=-1)

    def limit(self, budget: float | None, cutoff: int | None) -> IntArray:
        """Return how many characters are read up to a budget or up to the `cutoff`-th result."""
        read = self.read(skip=False)
        limit = self.last(read)
        if cutoff is not None and cutoff < read.shape[-1]:
            limit = np.minimum(limit, read[:, cutoff - 1])
        if budget is not None:
            allowed = np.floor(budget) if self.prices is None else self.prices.reach(budget)
            limit = np.minimum(limit, allowed).astype(np.int64)
        return limit

    @property
    def returned(self) -> IntArray:
        """How much was returned for each topic, in the units of budgets."""
        if self.prices is not None:
            return self.prices.total
        whole: IntArray = self.last(self.read(skip=False))
        return whole

    def price(self, characters: IntArray) -> FloatArray:
        """Return what the first characters of each topic cost, in the units of budgets."""
        if self.prices is not None:
            return self.prices.price(characters)
        return characters.astype(np.float64)

    @property
    def pieces(self) -> Pieces:
        """The text of each result that no earlier result has shown."""
        return self.once("pieces", self.evidence.pieces)

    @property
    def evidence(self) -> MatchedEvidence:
        """The evidence piece by piece."""
        if self.matched is None:
            raise InputError("this block has no evidence; expected one made by spanwise.matching")
        return self.matched

    def ceiling(self, budget: float, *, every: bool) -> tuple[FloatArray, BoolArray] | None:
        """Return the most relevant text of each topic that an order of chunks shows."""
        key = ("ceiling", budget, every)
        return self.once(key, lambda: self.evidence.ceiling(budget, every=every))

    def summed(self, topic: IntArray, values: Any) -> IntArray:
        """Return the sum of whole numbers for each topic."""
        return np.bincount(topic, weights=values, minlength=len(self)).astype(np.int64)

    def steps(self, gathered: IntArray, levels: FloatArray) -> tuple[IntArray, IntArray]:
        """Return recall up to each rank and at each level, as comparable whole numbers."""
        if self.policy.conventions.recall_level != "floored":
            asked = levels * self.highlighted[:, None] * (1 - ROUNDING)
            return gathered, np.ceil(asked).astype(np.int64)
        recall = self.ratio(gathered, self.highlighted[:, None], undefined=0)
        asked = np.broadcast_to(np.round(levels * 100), (len(self), len(levels)))
        return np.floor(recall * 100).astype(np.int64), asked.astype(np.int64)

    # Along the documents --------------------------------------------------------------------------

    @property
    def relevant_place(self) -> BoolArray:
        """Which of the documents have highlighted text."""
        return self.known > 0

    def refuse_unstated(self, cutoff: int | None = None) -> None:
        """Refuse to say what is shown of the first documents if a size of a result is unknown."""
        for place, error in self.unstated:
            if cutoff is None or place < cutoff:
                raise InputError(error)

    def read_until(self, tolerance: float) -> tuple[FloatArray, FloatArray]:
        """Return each document's highlighted and other characters read, up to `tolerance` others.

        The parts that were shown come first, then the rest, both in document order.
        """
        if self.endless:
            raise InputError(
                f"{self.endless}: its length was not found in any file; pass --collection"
            )
        text = self.stretches
        other = np.where(text.relevant, 0, text.length)
        owner = text.topic * self.known.shape[-1] + text.place
        before = np.where(
            text.shown,
            _before(np.where(text.shown, other, 0), owner),
            _before(np.where(text.shown, 0, other), owner) + _of_owner(other * text.shown, owner),
        )
        reached = np.where(text.relevant & (before < tolerance), text.length, 0)
        good = np.bincount(owner, weights=reached, minlength=self.known.size)
        bad = np.bincount(owner, weights=other, minlength=self.known.size)
        read: FloatArray = np.stack([good, np.minimum(bad, tolerance)])
        good, bad = read.reshape(2, *self.known.shape)
        return good, bad

    # Arithmetic -----------------------------------------------------------------------------------

    def ratio(self, part: Any, whole: Any, undefined: float | None = None) -> FloatArray:
        """Divide with one correct rounding; give `undefined` where the divisor is 0."""
        if undefined is None:
            undefined = self.policy.conventions.no_divisor
        part, whole = np.broadcast_arrays(np.asarray(part, float), np.asarray(whole, float))
        quotient = np.full(part.shape, float(undefined))
        return np.divide(part, whole, out=quotient, where=whole != 0)

    def total(self, terms: FloatArray) -> FloatArray:
        """Sum along the last axis, adding one by one from its beginning."""
        if not terms.shape[-1]:
            return np.zeros(terms.shape[:-1])
        return np.cumsum(terms, axis=-1)[..., -1]

    def last(self, column: Any) -> Any:
        """Return the last entry of a cumulated column; 0 if it is empty."""
        return column[:, -1] if column.shape[-1] else np.zeros(len(self), column.dtype)

    def once(self, key: object, make: Callable[[], T]) -> T:
        """Return a derived value, computed once per block."""
        if key not in self._derived:
            self._derived[key] = make()
        return self._derived[key]


def _before(values: IntArray, owner: IntArray) -> IntArray:
    """Return, for each value, the sum of the values of the same owner before it."""
    sums = np.cumsum(values) - values
    begins = np.concatenate([[True], owner[1:] != owner[:-1]])[: len(owner)]
    firsts = np.maximum.accumulate(np.where(begins, np.arange(len(owner)), 0))
    return sums - sums[firsts]


def _of_owner(values: IntArray, owner: IntArray) -> IntArray:
    """Return, for each value, the sum of all values of its owner."""
    if not len(owner):
        return values
    return np.bincount(owner, weights=values)[owner].astype(np.int64)
