"""Estimates from sampled pools.

Totals are estimated from a sample in which every judged document represents 1/p documents of its
stratum. For means of measures, the relevant documents that were not drawn are imputed several
times.

How many: a stratum of a topic has a rate of relevant documents. The rate is drawn from a beta
distribution given the topic's own sample; where that is small, other topics of the same stratum
provide the prior. Which ones: copies of relevant documents that were drawn, from the topic itself
if it has some, else from other topics. Every draw uses other weights of topics, so that the
uncertainty of the prior enters the variance.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanwise.model.arrays import FloatArray, IntArray

NORMAL = 1.959963984540054
"""Number of standard deviations that hold 95 % of a normal distribution."""


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """The judged documents of one topic with their inclusion probabilities and strata."""

    p: FloatArray
    stratum: IntArray

    def total(self, values: FloatArray) -> float:
        """Return Horvitz and Thompson's estimate of a sum over all documents."""
        return float((values / self.p).sum())

    def variance(self, values: FloatArray) -> float:
        """Return the variance of that estimate for simple random samples within strata."""
        found = 0.0
        for number in np.unique(self.stratum):
            mine = self.stratum == number
            n, share = int(mine.sum()), float(self.p[mine].mean())
            if share < 1 and n > 1:
                size = n / share
                found += size**2 * (1 - share) * float(values[mine].var(ddof=1)) / n
        return found


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its 95 % interval due to sampling."""

    value: float
    low: float
    high: float


def estimate(value: float, variance: float) -> Estimate:
    """Return a value with the interval of a normal distribution."""
    reach = NORMAL * math.sqrt(variance) if variance >= 0 else math.nan
    return Estimate(value, value - reach, value + reach)


@dataclass(frozen=True, slots=True)
class Mean(Estimate):
    """A mean over topics, with a second interval that also allows for other topics."""

    topics_low: float
    topics_high: float


def mean_of(values: FloatArray) -> Mean:
    """Return the mean of `values[draw, topic]` with both intervals.

    Each draw is one imputation. The variance over draws is that of sampling. For the second
    interval the variance over topics within a draw is added, as in Rubin's rules for multiple
    imputation.
    """
    known = ~np.isnan(values)
    values, known = values[known.any(axis=1)], known[known.any(axis=1)]
    if not len(values):
        return Mean(*[math.nan] * 5)
    counts = known.sum(axis=1)
    means = np.where(known, values, 0).sum(axis=1) / counts
    squares = np.where(known, (values - means[:, None]) ** 2, 0).sum(axis=1)
    sampling = float(means.var(ddof=1)) * (1 + 1 / len(means)) if len(means) > 1 else 0.0
    several = counts > 1
    within = squares[several] / (counts[several] - 1) / counts[several]
    of_topics = float(within.mean()) if several.any() else math.nan
    one = estimate(float(means.mean()), sampling)
    both = estimate(one.value, sampling + of_topics)
    return Mean(one.value, one.low, one.high, both.low, both.high)


# Imputation of documents that were not drawn ------------------------------------------------------

STRENGTHS = np.geomspace(0.5, 300, 25)
"""Candidate weights of the prior, in documents of the topic's own sample."""
OTHERS = 1.0
"""Weight of all relevant documents of other topics, relative to one of the topic's own."""
TINY = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Strata:
    """The documents of each topic and stratum: all, drawn, and drawn and relevant."""

    size: IntArray
    drawn: IntArray
    relevant: IntArray

    def left(self, weights: FloatArray, random: np.random.Generator) -> IntArray:
        """Draw for each topic and stratum the number of relevant documents not drawn."""
        usual = (weights @ self.relevant + TINY) / (weights @ self.drawn + 2 * TINY)
        strength = self._strength(usual, weights)
        a, b = strength * usual, strength * (1 - usual)
        rates = random.beta(a + self.relevant + TINY, b + self.drawn - self.relevant + TINY)
        return random.binomial(self.size - self.drawn, rates)

    def _strength(self, usual: FloatArray, weights: FloatArray) -> FloatArray:
        """Return for each stratum the likeliest of STRENGTHS: how similar topics are."""
        steps = np.arange(int(self.drawn.max(initial=0)))
        a = STRENGTHS[:, None, None] * usual[:, None]
        b = STRENGTHS[:, None, None] * (1 - usual)[:, None]

        def rising(start: FloatArray, counts: IntArray) -> FloatArray:
            """Return logarithms of rising factorials for every strength, topic and stratum."""
            sums = np.cumsum(np.log(start + steps + TINY), axis=-1)
            sums = np.concatenate([np.zeros((*sums.shape[:-1], 1)), sums], axis=-1)
            found: FloatArray = sums[:, np.arange(len(usual))[:, None], counts.T]
            return found

        likely = rising(a, self.relevant) + rising(b, self.drawn - self.relevant)
        likely -= rising(a + b, self.drawn)
        best: FloatArray = STRENGTHS[(likely * weights).sum(axis=-1).argmax(axis=0)]
        return best


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """The relevant documents drawn from strata that were judged only in part."""

    topic: IntArray
    stratum: IntArray


def filled(
    strata: Strata, found: Found, draws: int, seed: int
) -> Iterator[list[tuple[int, IntArray]]]:
    """Yield, for each draw, the imputed relevant documents of each topic.

    They are given as rows of `found` that they are copies of.
    """
    random = np.random.default_rng(seed)
    topics = len(strata.size)
    for _ in range(draws):
        weights = random.dirichlet(np.ones(topics)) * topics
        left = strata.left(weights, random)
        yield [
            (topic, _like(found, topic, left[topic], weights, random))
            for topic in np.flatnonzero(left.any(axis=1)).tolist()
        ]


def _like(
    found: Found, topic: int, left: IntArray, weights: FloatArray, random: np.random.Generator
) -> IntArray:
    chosen = [np.zeros(0, np.int64)]
    for stratum in np.flatnonzero(left).tolist():
        able = np.flatnonzero(found.stratum == stratum)
        if len(able):  # else no such document was drawn
            others = weights[found.topic[able]]
            own = found.topic[able] == topic
            share = random.gamma(OTHERS * others / others.sum() + own + TINY)
            chosen.append(random.choice(able, int(left[stratum]), p=share / share.sum()))
    return np.concatenate(chosen)
