"""Totals and shares from a sample: every judged document stands for 1/p of its stratum."""

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

    def ratio(self, part: FloatArray, whole: FloatArray) -> tuple[float, float]:
        """A quotient of two totals and its variance, by linearisation.

        A quotient of estimates is off by how they scatter together, the same way in every topic, so
        that a mean over topics would not make it good; to first order that is taken off.
        """
        below = self.total(whole)
        if below <= 0:
            return math.nan, math.nan
        value = self.total(part) / below
        together = (self.variance(part + whole) - self.variance(part - whole)) / 4
        off = (value * self.variance(whole) - together) / below**2
        return value - off, self.variance((part - value * whole) / below)


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


def mean_of(values: FloatArray, variances: FloatArray) -> Estimate:
    """The mean over topics that have a value; topics are sampled independently."""
    known = ~np.isnan(values)
    count = int(known.sum())
    if not count:
        return Estimate(math.nan, math.nan, math.nan)
    return estimate(float(values[known].mean()), float(variances[known].sum()) / count**2)
