"""Confidence sequences: intervals of a mean that hold at every look, however often one looks.

Values between 0 and 1 arrive one by one. For each candidate mean m, two gamblers bet that the true
mean is above or below m. After t values the capital of the first is the product of 1 + b(X - m)
over the values X so far, that of the second the product of 1 - b(X - m). The bet b of a value
depends on earlier values only. If m is the true mean, neither expects to win, and by Ville's
inequality the mean of both capitals ever reaches 1 / alpha with probability alpha at most. The
interval holds the m at which neither half of it has done so.

Bets are the predictable plug-in ones, sqrt(2 log(2 / alpha) / (v t log(1 + t))) with v the variance
estimated from the values before, truncated at c / m and c / (1 - m).

Reference: Waudby-Smith and Ramdas: Estimating means of bounded random variables by betting. Journal
of the Royal Statistical Society B 86, 2024 (read 2023), theorem 3: the hedged capital process.
"""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING

import numpy as np

from spanwise.stats.paired import Interval

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray

TRUNCATION = 0.5
"""The share c of the capital that may be lost by one value."""
STEPS = 60
"""Number of halvings of a search for a bound."""


def bets(values: FloatArray, alpha: float) -> FloatArray:
    """Return the bet on each value, which depends on the values before it only."""
    numbers = np.arange(1, len(values) + 1)
    means = (0.5 + np.cumsum(values)) / (numbers + 1)
    variances = (0.25 + np.cumsum((values - means) ** 2)) / (numbers + 1)
    before = np.concatenate([[0.25], variances[:-1]])[: len(values)]
    stakes: FloatArray = np.sqrt(2 * log(2 / alpha) / (before * numbers * np.log1p(numbers)))
    return stakes


def capitals(values: FloatArray, mean: float, alpha: float) -> tuple[FloatArray, FloatArray]:
    """Return the logarithms of both capitals after each value: of above, and of below the mean."""
    stakes, gains = bets(values, alpha), values - mean
    up = np.minimum(stakes, TRUNCATION / mean) if mean > 0 else stakes
    down = np.minimum(stakes, TRUNCATION / (1 - mean)) if mean < 1 else stakes
    return np.cumsum(np.log1p(up * gains)), np.cumsum(np.log1p(-down * gains))


def crossings(values: FloatArray, mean: float, alpha: float) -> tuple[int | None, int | None]:
    """Return after how many values the true mean is surely above, and surely below, this mean."""
    limit = log(2 / alpha)
    above, below = (np.flatnonzero(one >= limit) for one in capitals(values, mean, alpha))
    return (
        int(above[0]) + 1 if len(above) else None,
        int(below[0]) + 1 if len(below) else None,
    )


def confidence_sequence(values: FloatArray, alpha: float) -> Interval:
    """Return the mean of values between 0 and 1 with its bounds after the last value.

    The bounds are those of all values so far: they never become wider.
    """
    if not len(values):
        return Interval(float("nan"), 0.0, 1.0)
    limit = log(2 / alpha)

    def excluded(mean: float, side: int) -> bool:
        return bool(capitals(values, mean, alpha)[side].max() >= limit)

    bounds = []
    for side, outer in ((0, 0.0), (1, 1.0)):
        wrong, right = outer, 1 - outer  # the capital of `above` falls as the mean rises
        if excluded(outer, side):
            for _ in range(STEPS):
                middle = (wrong + right) / 2
                wrong, right = (middle, right) if excluded(middle, side) else (wrong, middle)
        bounds.append(wrong)
    low, high = bounds
    return Interval(float(values.mean()), low, high)


def anytime_p(values: FloatArray, mean: float, alpha: float) -> float:
    """Return a p-value of the hypothesis that this is the mean, valid at every look."""
    if not len(values):
        return 1.0
    most = max(float(one.max()) for one in capitals(values, mean, alpha))
    return min(1.0, 2 * float(np.exp(-most)))
