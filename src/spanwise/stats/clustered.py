"""Statistics of topics that belong together: questions on one document, or paraphrases of one need.

Means are over topics. Their standard errors allow for topics of one cluster that vary together, and
clusters are what is resampled, or flipped, as a whole. If each topic is a cluster of its own, every
statistic equals the one for independent topics.

References: Bell and McCaffrey: Bias reduction in standard errors for linear regression with
multi-stage samples. Survey Methodology 28(2), 2002. Pustejovsky and Tipton: Small-sample methods
for cluster-robust variance estimation and hypothesis testing in fixed effects models. Journal of
Business & Economic Statistics 36(4), 2018.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import copysign, inf, isnan, nan, sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spanwise.errors import UsageError
from spanwise.stats.paired import CONFIDENCE, Interval, checked, special, student
from spanwise.stats.resampling import SAME, Draws, sums
from spanwise.stats.tests import randomisation, studentised

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray, IntArray

FEW_CLUSTERS = 10
"""Number of clusters below which standard errors are uncertain."""
RESPECTING = ("randomisation", "t", "bootstrap")
"""The tests that respect clusters."""


# Clusters of topics -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Clusters:
    """The cluster of each topic, by its id."""

    of: Mapping[str, object] | Callable[[str], object]
    source: str = "clusters"
    _labels: dict[str, str] = field(default_factory=dict)  # of topics that were asked for

    def owners(self, topics: Sequence[str]) -> IntArray:
        """Return the number of the cluster of each topic; every topic must have one."""
        for topic in topics:
            if topic not in self._labels:
                found = self.of.get(topic) if isinstance(self.of, Mapping) else self.of(topic)
                if found is not None:
                    self._labels[topic] = str(found)
        lacking = [topic for topic in topics if topic not in self._labels]
        if lacking:
            more = ", ..." if len(lacking) > 1 else ""
            raise UsageError(
                f"{self.source}: found no cluster for {len(lacking)} of {len(topics)} topics"
                f" ({lacking[0]!r}{more}); expected one for each; give a topic that stands alone"
                " a cluster of its own"
            )
        numbers: dict[str, int] = {}
        return np.array(
            [numbers.setdefault(self._labels[topic], len(numbers)) for topic in topics], np.int64
        )


def refuse_disrespecting(tests: Sequence[str]) -> None:
    """Refuse tests that take all topics for independent."""
    for test in tests:
        if test not in RESPECTING:
            raise UsageError(
                f"the test {test} takes topics for independent and cannot respect clusters;"
                f" expected one of {', '.join(RESPECTING)}; use --test t"
            )


class Summed(NamedTuple):
    """The values of topics, summed up by cluster."""

    sums: FloatArray
    sizes: FloatArray  # number of topics with a value, above 0

    @property
    def mean(self) -> float:
        """The mean over topics, undefined if there are none."""
        return float(self.sums.sum() / self.sizes.sum()) if len(self.sizes) else nan

    @property
    def left(self) -> FloatArray:
        """The sums by cluster of differences from the mean."""
        residuals: FloatArray = self.sums - self.mean * self.sizes
        return residuals


def summed(values: FloatArray, owners: IntArray) -> Summed:
    """Return the defined values summed up by cluster, without clusters that have none."""
    defined = ~np.isnan(values)
    _, places = np.unique(owners[defined], return_inverse=True)
    totals = np.bincount(places, weights=values[defined]).astype(np.float64)
    return Summed(totals, np.bincount(places).astype(np.float64))


# Standard errors ----------------------------------------------------------------------------------


def freedom(sizes: FloatArray) -> float:
    """Return Satterthwaite's degrees of freedom of a mean over clusters of these sizes.

    The working model is that of independent topics with equal variance. Clusters of equal size give
    their number minus 1; undefined for fewer than two.

    >>> round(freedom(np.array([1.0, 1.0, 1.0, 1.0])), 12), freedom(np.array([9.0, 1.0, 1.0])) < 2
    (3.0, True)
    """
    if len(sizes) < 2:
        return nan
    shares = sizes / sizes.sum()
    crossed = shares**2 / (1 - shares)
    off_diagonal = float(crossed.sum()) ** 2 - float((crossed**2).sum())
    return 1 / (float((shares**2).sum()) + off_diagonal)


def standard_error(some: Summed) -> float:
    """Return the standard error CR2 of a mean; undefined for fewer than two clusters.

    For a mean, the adjustment by the inverse square root of I - H divides the residual sum of a
    cluster by the square root of the share of the topics that are outside.
    """
    if len(some.sizes) < 2:
        return nan
    topics = float(some.sizes.sum())
    return sqrt(float((some.left**2 / (1 - some.sizes / topics)).sum())) / topics


def interval(values: FloatArray, owners: IntArray, confidence: float = CONFIDENCE) -> Interval:
    """Return the interval of the mean of the defined values, which respects clusters."""
    checked(confidence)
    mean = student(values, confidence).mean
    return _around(mean, summed(values, owners), confidence)


def _around(mean: float, some: Summed, confidence: float) -> Interval:
    if len(some.sizes) < 2:
        return Interval(mean, nan, nan)
    quantile = float(special().stdtrit(freedom(some.sizes), (1 + confidence) / 2))
    reach = quantile * standard_error(some)
    return Interval(mean, mean - reach, mean + reach)


def clustered_effect(some: Summed) -> float:
    """Return the effect size that as many independent topics need for this standard error.

    It is Cohen's d divided by the root of the design effect, so that it tells how many topics are
    needed: more of them, the more the topics of a cluster vary together.
    """
    error, mean = standard_error(some), some.mean
    if not error > SAME * abs(mean):
        return nan if isnan(error) else copysign(inf, mean) if mean else 0.0
    return mean / (error * sqrt(float(some.sizes.sum())))


# Tests --------------------------------------------------------------------------------------------


def p_and_intervals(
    columns: Sequence[FloatArray],
    owners: IntArray,
    test: str,
    draws: Draws | None = None,
    confidence: float = CONFIDENCE,
) -> tuple[list[float], list[Interval]]:
    """Return p-values and intervals of the means of columns, of which nan is left out.

    The columns have a value per topic. `t` takes the standard error CR2 and Satterthwaite's degrees
    of freedom. `randomisation` flips the signs of whole clusters. `bootstrap` resamples clusters.
    """
    refuse_disrespecting([test])
    checked(confidence)
    draws = draws or Draws()
    some = [summed(column, owners) for column in columns]
    means = [student(column).mean for column in columns]
    if test == "bootstrap":
        found = [
            _bootstrap(mean, one, draws, confidence) for mean, one in zip(means, some, strict=True)
        ]
        return [p for p, _ in found], [bounds for _, bounds in found]
    p = [_t(one) for one in some] if test == "t" else _flipped(columns, owners, draws)
    return p, [_around(mean, one, confidence) for mean, one in zip(means, some, strict=True)]


def _t(some: Summed) -> float:
    if len(some.sizes) < 2:
        return nan
    if not some.sums.any():
        return 1.0
    error, mean = standard_error(some), abs(some.mean)
    if error <= SAME * mean:
        return 0.0
    return 2 * float(special().stdtr(freedom(some.sizes), -mean / error))


def _flipped(columns: Sequence[FloatArray], owners: IntArray, draws: Draws) -> list[float]:
    """Run the randomisation test on the sums of clusters; those without a difference are zeros."""
    if not columns:
        return []
    clusters, places = np.unique(owners, return_inverse=True)
    table = np.column_stack([np.nan_to_num(column) for column in columns])
    totals = totals_of(table, places, len(clusters))
    sizes = totals_of(np.abs(table), places, len(clusters))
    totals[np.abs(totals) <= SAME * sizes] = 0.0  # differences that cancel out in a cluster
    p = randomisation(totals, draws).tolist()
    return [
        nan if np.isnan(column).all() else value for value, column in zip(p, columns, strict=True)
    ]


def totals_of(table: FloatArray, owners: IntArray, clusters: int) -> FloatArray:
    """Return the sums of the rows of each cluster."""
    places = owners[:, None] * table.shape[1] + np.arange(table.shape[1])
    flat = np.bincount(places.ravel(), table.ravel(), minlength=clusters * table.shape[1])
    return flat.reshape(clusters, table.shape[1]).astype(np.float64)


def _bootstrap(
    mean: float, some: Summed, draws: Draws, confidence: float
) -> tuple[float, Interval]:
    """Run the studentised bootstrap of clusters: p of a mean of 0, and a symmetric interval."""
    if len(some.sizes) < 2:
        return nan, Interval(mean, nan, nan)
    error = standard_error(some)
    drawn = np.abs(_drawn_ts(some, draws))
    reach = float(np.quantile(drawn, confidence, method="higher")) * error
    bounds = Interval(mean, mean - reach, mean + reach)
    if not some.sums.any():
        return 1.0, bounds
    observed = float(np.abs(studentised(np.array([some.mean]), np.array([error]), 1))[0])
    extreme = int(np.count_nonzero(drawn >= observed * (1 - SAME)))
    return (extreme + 1) / (draws.resamples + 1), bounds


def _drawn_ts(some: Summed, draws: Draws) -> FloatArray:
    """Return the t-values of resampled clusters around the mean, with CR2 of each resample.

    Draws belong to places, so that neither names nor the direction of a difference matter.
    """
    left, sizes = some.left, some.sizes
    order = np.lexsort((sizes, left if some.mean >= 0 else -left))
    columns = np.column_stack([left, sizes])[order]
    squares = np.column_stack([left**2, left * sizes, sizes**2])[order]
    found = []
    for counts in draws.counts(len(sizes)):
        totals = sums(counts, columns)
        topics = totals[:, 1]
        means = totals[:, 0] / topics
        weights = counts / (1 - columns[:, 1] / topics[:, None])
        own, both, size = sums(weights, squares).T
        variance = own - 2 * means * both + means**2 * size
        variance = np.where(variance > SAME * own, variance, 0) / topics**2
        found.append(studentised(means, np.sqrt(variance), 1))
    return np.concatenate(found)
