"""Values of many topics to one number.

Sums are formed one by one in the order of topics, as trec_eval does; NumPy's own sum and, since
3.12, Python's add in other ways, and the last digit would depend on the version.
"""

from __future__ import annotations

from math import exp, log
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray
    from spanwise.model.measure import Aggregate

FLOOR = 0.00001
"""Geometric means take this for anything smaller."""


def running_sum(values: FloatArray) -> float:
    """The sum, added one by one."""
    return float(np.cumsum(values)[-1]) if len(values) else 0.0


def overall(values: FloatArray, how: Aggregate) -> float:
    """One number for all topics; undefined values are left out, and nothing at all is undefined."""
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
    """The sum of the one divided by the sum of the other; undefined values are left out."""
    whole = overall(divisors, "sum")
    return overall(dividends, "sum") / whole if whole else float("nan")
