"""A block of preferences after grounding: how many of them the rankings fulfil.

One row per topic, groups along the last axis, padded with zeros. A preference says that one
document should come before another; it is fulfilled if it does, and a document that was not
retrieved comes after all that were. Pairs of documents fall into three kinds: both retrieved,
one retrieved, neither.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

if TYPE_CHECKING:
    from spanwise.model.arrays import BoolArray, FloatArray, IntArray
    from spanwise.model.policy import Policy

Pairs = Literal["all", "ret", "imp"]
"""Which preferences count: all, those between retrieved documents, or also those that hold
because only one of the two was retrieved."""


@dataclass(frozen=True, slots=True, eq=False)
class Fulfilments:
    """Some topics of one run, group by group, with what became of their preferences."""

    topics: tuple[bytes, ...]
    policy: Policy
    # Per topic, over pairs of documents that any group puts in order
    agreement_both: FloatArray  # sum of the shares of votes that agree; both retrieved
    agreement: FloatArray  # the same, continued over pairs with one retrieved
    pairs_both: IntArray  # how many pairs have both retrieved
    pairs_one: IntArray
    pairs_neither: IntArray
    groups: IntArray  # how many groups are real
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
        """No topic is set aside: which of them have preferences the measures see themselves."""
        return np.ones(len(self), np.bool_)

    def fulfilled(self, pairs: Pairs) -> IntArray:
        """How many preferences of each group are fulfilled."""
        return self.fulfilled_both + (0 if pairs == "ret" else self.fulfilled_one)

    def possible(self, pairs: Pairs) -> IntArray:
        """How many preferences of each group count."""
        one = 0 if pairs == "ret" else self.one
        return self.both + one + (self.neither if pairs == "all" else 0)

    def stated(self) -> IntArray:
        """How many preferences each topic has."""
        return self.possible("all").sum(axis=-1)

    def defined(self, values: FloatArray, basis: IntArray) -> FloatArray:
        """The values; where there is nothing to base them on, what the followed program says."""
        return np.where(basis > 0, values, self.policy.conventions.no_divisor)


def ratio(part: Any, whole: Any, undefined: float = 0.0) -> FloatArray:
    """One division each; where the divisor is 0, `undefined`.

    >>> ratio(np.array([1, 0]), np.array([2, 0])).tolist()
    [0.5, 0.0]
    """
    quotient = np.full(np.shape(whole), undefined)
    return np.divide(part, whole, out=quotient, where=whole != 0)


def total(terms: FloatArray) -> FloatArray:
    """The sum along the last axis, added one by one from the first on.

    >>> total(np.array([[1.0, 2.0], [0.5, 0.0]])).tolist()
    [3.0, 0.5]
    """
    return np.cumsum(terms, axis=-1)[..., -1] if terms.shape[-1] else np.zeros(terms.shape[:-1])
