"""Values of many topics to one number, rounded as trec_eval 8 rounds.

Sums run in the order of topics and are rounded to 32 bits after every addition; so are quotients.
The functions of the same kind for everything else are in `aggregate`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray

Overall = Literal["mean", "sum", "geometric", "pooled", "topics", "twice"]
"""How the number for all topics is made. `topics` is how many there are; `twice` is a slip: each
value is added two times."""
FLOOR = 0.00001
"""Geometric means take this for anything smaller."""


def total_in_32_bits(values: FloatArray) -> float:
    """The sum, added one by one.

    >>> total_in_32_bits(np.array([16777216.0, 1.0, 1.0]))
    16777216.0
    """
    sums = np.cumsum(np.asarray(values, np.float32), dtype=np.float32)
    return float(sums[-1]) if len(sums) else 0.0


def mean_in_32_bits(values: FloatArray, topics: int) -> float:
    """The sum divided by the number of topics that count, which may be more than have a value."""
    return quotient_in_32_bits(total_in_32_bits(values), topics)


def quotient_in_32_bits(part: float, whole: float) -> float:
    """One rounded division; 0 where the divisor is 0."""
    return float(np.float32(part) / np.float32(whole)) if whole else 0.0


def geometric_in_32_bits(values: FloatArray, topics: int) -> float:
    """The geometric mean; a topic without a value counts with the floor."""
    logs = np.array([log(max(float(value), FLOOR)) for value in values], np.float32)
    sums = np.float32(total_in_32_bits(logs) + (topics - len(logs)) * log(FLOOR))
    return float(np.float32(exp(quotient_in_32_bits(float(sums), topics))))


def overall_in_32_bits(columns: Sequence[FloatArray], how: Overall, topics: int) -> float:
    """One number for all topics; the first column has the values, two further ones their parts."""
    values, *parts = columns
    match how:
        case "sum":
            return float(np.sum(values))
        case "geometric":
            return geometric_in_32_bits(values, topics)
        case "pooled":
            return quotient_in_32_bits(total_in_32_bits(parts[0]), float(np.sum(parts[1])))
        case "topics":
            return float(topics)
        case "twice":
            return mean_in_32_bits(np.repeat(values, 2), topics)
        case _:
            return mean_in_32_bits(values, topics)
