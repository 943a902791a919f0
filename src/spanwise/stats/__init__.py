"""Statistics: means over topics, intervals, tests, agreement and correlation."""

from __future__ import annotations

from math import exp, log
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray
    from spanwise.model.measure import Aggregate


__all__ = ["overall", "pooled", "running_sum"]


FLOOR = 0.00001
"""Smallest value that enters a geometric mean; smaller values are replaced by it."""


def running_sum(values: FloatArray) -> float:
    """Return the sum of the values, added one by one."""
    return float(np.cumsum(values)[-1]) if len(values) else 0.0


def overall(values: FloatArray, how: Aggregate) -> float:
    """Aggregate the values of all topics, leaving out undefined ones.

    A mean is undefined if no value is defined.
    """
    defined = values[~np.isnan(values)]
    if how == "sum":
        return running_sum(defined)
    if not len(defined):
        return float("nan")
    if how == "geometric":
        logs = np.array([log(max(value, FLOOR)) for value in defined.tolist()])
        return exp(running_sum(logs) / len(logs))
    return running_sum(defined) / len(defined)


def pooled(dividends: FloatArray, divisors: FloatArray) -> float:
    """Return the sum of the dividends divided by the sum of the divisors.

    Undefined values are left out.
    """
    whole = overall(divisors, "sum")
    return overall(dividends, "sum") / whole if whole else float("nan")
