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

from spanwise.stats.clustered import Summed, freedom, standard_error, summed, totals_of
from spanwise.stats.correlation import rbo_of_lists
from spanwise.stats.paired import CONFIDENCE, Interval, checked, special
from spanwise.stats.resampling import SAME, Draws, sums

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray, IntArray

FEW_REPEATS = 5
"""Number of repeats below which their variance is uncertain."""
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


# More repeats of the same system ------------------------------------------------------------------


def for_more_repeats(
    tables: Sequence[FloatArray],
    owners: IntArray,
    draws: Draws | None = None,
    confidence: float = CONFIDENCE,
) -> tuple[float, Interval]:
    """Return p and the interval of a mean, or of a difference, as if systems were run again.

    `tables` has the values of a system, and of the one it is compared with: a row per topic, a
    column per repeat. `owners` has the cluster of each topic. The standard error is that of the
    hierarchical bootstrap: whole repeats are drawn for each system, since what varies from one to
    the next may be common to all topics, and clusters of topics within them. One unit less than
    there are is drawn at each level, which leaves the variance without bias. The bounds are those
    of Student's t with Satterthwaite's degrees of freedom.

    References: Rao and Wu: Resampling inference with complex survey data. JASA 83, 1988. Owen: The
    pigeonhole bootstrap. Annals of Applied Statistics 1(2), 2007.
    """
    draws, signs = draws or Draws(), (1.0, -1.0)
    there = np.all([~np.isnan(table).all(axis=1) for table in tables], axis=0)
    filled = [filled_up(table[there]) for table in tables]
    values = np.sum([s * t.mean(axis=1) for s, t in zip(signs, filled, strict=False)], axis=0)
    some = summed(values, owners[there])
    if len(some.sizes) < 2:
        return nan, Interval(some.mean, nan, nan)
    _, places = np.unique(owners[there], return_inverse=True)
    totals = [totals_of(table, places, len(some.sizes)) for table in filled]
    found = []
    for generator, rows in draws.blocks(len(some.sizes)):
        counts = one_less(generator, rows, len(some.sizes))
        topics = sums(counts, some.sizes[:, None])
        drawn = np.zeros(rows)
        for sign, table in zip(signs, totals, strict=False):
            weights = one_less(generator, rows, table.shape[1])
            weights /= weights.sum(axis=1, keepdims=True)
            drawn += sign * (sums(counts, table) / topics * weights).sum(axis=1)
        found.append(drawn)
    error = float(np.std(np.concatenate(found)))
    if error <= SAME * abs(some.mean):
        return (0.0 if some.mean else 1.0), Interval(some.mean, some.mean, some.mean)
    degrees = joint_freedom(filled, some)
    reach = float(special().stdtrit(degrees, (1 + checked(confidence)) / 2)) * error
    p = 2 * float(special().stdtr(degrees, -abs(some.mean) / error))
    return p, Interval(some.mean, some.mean - reach, some.mean + reach)


def filled_up(table: FloatArray) -> FloatArray:
    """Return a table in which the mean of the others stands for repeats without a value."""
    defined = ~np.isnan(table)
    means = np.where(defined, table, 0.0).sum(axis=1) / defined.sum(axis=1)
    return np.where(defined, table, means[:, None])


def one_less(generator: np.random.Generator, rows: int, units: int) -> FloatArray:
    """Draw one unit less than there are, with replacement, and count them; a single one is kept."""
    if units == 1:
        return np.ones((rows, 1))
    drawn = generator.integers(0, units, (rows, units - 1))
    places = (drawn + units * np.arange(rows)[:, None]).ravel()
    return np.bincount(places, minlength=rows * units).reshape(rows, units).astype(np.float64)


def joint_freedom(tables: Sequence[FloatArray], some: Summed) -> float:
    """Return Satterthwaite's degrees of freedom of the variances of topics and of repeats."""
    parts = [(standard_error(some) ** 2, freedom(some.sizes))]
    for table in tables:
        repeats = table.shape[1]
        if repeats > 1:
            parts.append((float(table.mean(axis=0).var(ddof=1)) / repeats, repeats - 1))
    total = sum(variance for variance, _ in parts)
    if not total:
        return freedom(some.sizes)
    return total**2 / sum(variance**2 / degrees for variance, degrees in parts)
