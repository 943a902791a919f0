"""Totals from a sample, where every judged document stands for 1/p of its stratum, and means."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray, IntArray

NORMAL = 1.959963984540054
"""95 % of a normal distribution lie within so many standard deviations."""


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """The judged documents of one topic."""

    p: FloatArray
    stratum: IntArray

    def total(self, values: FloatArray) -> float:
        """Horvitz and Thompson's estimate of a sum over all documents."""
        return float((values / self.p).sum())

    def variance(self, values: FloatArray) -> float:
        """How far that estimate scatters: simple random samples within strata."""
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
    """A value and the 95 % interval that sampling leaves."""

    value: float
    low: float
    high: float


def estimate(value: float, variance: float) -> Estimate:
    """The interval of a value that scatters normally."""
    reach = NORMAL * math.sqrt(variance) if variance >= 0 else math.nan
    return Estimate(value, value - reach, value + reach)


@dataclass(frozen=True, slots=True)
class Mean(Estimate):
    """A mean over topics; also the interval where topics, too, might have been others."""

    topics_low: float
    topics_high: float


def mean_of(values: FloatArray) -> Mean:
    """The mean of `values[draw, topic]`, each draw being one way in which things may be.

    The variance over draws is that of sampling. What topics scatter within a draw comes to it, as
    Rubin adds what is imputed to what is seen.
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
