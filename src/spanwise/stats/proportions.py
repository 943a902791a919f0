"""Shares of topics: intervals of the mean of a measure whose values are all 0 or 1.

References: Wilson: Probable inference, the law of succession, and statistical inference. JASA 22,
1927. Clopper and Pearson: The use of confidence or fiducial limits illustrated in the case of the
binomial. Biometrika 26, 1934.
"""

from __future__ import annotations

from collections.abc import Callable
from math import nan, sqrt
from typing import TYPE_CHECKING

import numpy as np

from spanwise.errors import UnknownName
from spanwise.stats.paired import CONFIDENCE, Interval, checked, special

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray


def is_binary(values: FloatArray) -> bool:
    """Tell whether all defined values are 0 or 1, and at least one is defined."""
    defined = values[~np.isnan(values)]
    return bool(len(defined)) and bool(np.isin(defined, (0.0, 1.0)).all())


def wilson(successes: int, topics: int, confidence: float = CONFIDENCE) -> Interval:
    """Return Wilson's interval of a share: the shares that a score test does not reject.

    >>> [round(one, 4) for one in wilson(8, 10)]
    [0.8, 0.4902, 0.9433]
    """
    if not topics:
        return Interval(nan, nan, nan)
    mean = successes / topics
    z = float(special().ndtri((1 + checked(confidence)) / 2))
    shrunk = z * z / topics
    middle = (mean + shrunk / 2) / (1 + shrunk)
    reach = z * sqrt(mean * (1 - mean) / topics + shrunk / (4 * topics)) / (1 + shrunk)
    low = middle - reach if successes else 0.0
    return Interval(mean, max(low, 0.0), min(middle + reach, 1.0) if successes < topics else 1.0)


def clopper_pearson(successes: int, topics: int, confidence: float = CONFIDENCE) -> Interval:
    """Return the exact interval of a share, which is never too narrow.

    >>> [round(one, 4) for one in clopper_pearson(8, 10)]
    [0.8, 0.4439, 0.9748]
    """
    if not topics:
        return Interval(nan, nan, nan)
    tail, failures = (1 - checked(confidence)) / 2, topics - successes
    low = special().betaincinv(successes, failures + 1, tail) if successes else 0.0
    high = special().betaincinv(successes + 1, failures, 1 - tail) if failures else 1.0
    return Interval(successes / topics, float(low), float(high))


WILSON = "wilson"
INTERVALS: dict[str, Callable[[int, int, float], Interval]] = {
    WILSON: wilson,
    "clopper-pearson": clopper_pearson,
}
"""The intervals of a share by name."""


def find_interval(name: str) -> Callable[[int, int, float], Interval]:
    """Return the interval of a name."""
    if name not in INTERVALS:
        raise UnknownName("interval", name, list(INTERVALS))
    return INTERVALS[name]


def share_interval(values: FloatArray, name: str, confidence: float = CONFIDENCE) -> Interval:
    """Return an interval of the mean of values that are 0, 1 or undefined."""
    defined = values[~np.isnan(values)]
    return find_interval(name)(int(defined.sum()), len(defined), confidence)
