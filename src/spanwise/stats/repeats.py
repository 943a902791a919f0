"""Repeated runs of one system: how much its values vary over topics, and how much over repeats.

The value of a topic is its mean over repeats. Variances are those of a one-way random model, in
which a value is the mean of its topic plus a deviation of the repeat; they are estimated from the
mean squares (Searle, Casella and McCulloch: Variance Components, 1992, section 3.5).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import nan
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spanwise.stats.correlation import rbo_of_lists

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray, IntArray

PERSISTENCE = 0.9
"""Parameter p of the rank-biased overlap of two repeats."""


class Variances(NamedTuple):
    """The variance of values between topics, and between repeats of a topic."""

    topics: float
    repeats: float


def variances(values: FloatArray) -> Variances:
    """Return the components of the variance of a table: a row per topic, a column per repeat.

    Topics that lack a value in some repeat are left out. That between topics is 0 if repeats alone
    explain more than their means vary. Undefined for fewer than two topics or repeats.

    >>> variances(np.array([[1.0, 3.0], [5.0, 7.0]]))
    Variances(topics=7.0, repeats=2.0)
    """
    table = values[~np.isnan(values).any(axis=1)]
    topics, repeats = table.shape
    if topics < 2 or repeats < 2:
        return Variances(nan, nan)
    inside = float(table.var(axis=1, ddof=1).mean())
    between = float(table.mean(axis=1).var(ddof=1))
    return Variances(max(between - inside / repeats, 0.0), inside)


def consistency(rankings: Sequence[Sequence[IntArray]]) -> float:
    """Return the mean rank-biased overlap of the rankings of pairs of repeats.

    `rankings` has for each repeat the items of each topic, best first. A topic with results in one
    repeat of a pair only counts 0, and one without results in both is left out.
    """
    found = []
    for one, other in combinations(rankings, 2):
        overlaps = [
            rbo_of_lists(a, b, PERSISTENCE)
            for a, b in zip(one, other, strict=True)
            if len(a) or len(b)
        ]
        if overlaps:
            found.append(sum(overlaps) / len(overlaps))
    return sum(found) / len(found) if found else nan
