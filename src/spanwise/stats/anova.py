"""Analysis of many runs at once: variance by runs and topics, and tests of all pairs.

Runs are measured on the same topics, and topics differ more than runs do. The two-way analysis of
variance removes the effect of topics; Tukey's honestly significant differences are tested against
the remaining error. The caller leaves out topics for which a run has no value.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple
from warnings import catch_warnings, simplefilter

import numpy as np

from spanwise.model.comparison import Anova
from spanwise.stats.paired import CONFIDENCE, special
from spanwise.stats.resampling import SAME, Draws
from spanwise.stats.tests import stats

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray


class Family(NamedTuple):
    """The p-values of one family of pairs, and the radius of their joint intervals.

    The bounds of a difference lie `radius` to both sides of it; all of them hold together.
    """

    p: list[float]
    radius: float


def two_way(values: FloatArray) -> Anova:
    """Analyse the variance of a table with a row per topic and a column per run."""
    topics, runs = values.shape
    grand = values.mean()
    by_run, by_topic = values.mean(0), values.mean(1)
    left = values - by_run - by_topic[:, None] + grand
    least = SAME**2 * float((values**2).sum())  # smaller sums are rounding errors

    def square(parts: FloatArray) -> float:
        total = float(parts.sum())
        return total if total > least else 0.0

    squares = (
        square(topics * (by_run - grand) ** 2),
        square(runs * (by_topic - grand) ** 2),
        square(left**2),
    )
    freedom = (runs - 1, topics - 1, (runs - 1) * (topics - 1))
    f, p = [], []
    for part, free in zip(squares[:2], freedom[:2], strict=True):
        ratio = _ratio(_ratio(part, free), _ratio(squares[2], freedom[2]))
        f.append(ratio)
        p.append(float(special().fdtrc(free, freedom[2], ratio)) if ratio == ratio else np.nan)
    return Anova(*squares, *freedom, f[0], p[0], f[1], p[1])


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else float("nan") if not part else float("inf")


UNDEFINED = float("nan")


def tukey(
    values: FloatArray,
    pairs: Sequence[tuple[int, int]],
    draws: Draws | None = None,  # noqa: ARG001
    confidence: float = CONFIDENCE,
) -> Family:
    """Test pairs of runs with Tukey's honestly significant difference.

    The effect of topics is removed. The family is all runs of the table, however few pairs are
    asked for, so that p needs no correction.
    """
    topics, runs = values.shape
    if topics < 2 or runs < 2:
        return Family([UNDEFINED] * len(pairs), UNDEFINED)
    analysis = two_way(values)
    error = float(np.sqrt(analysis.error / topics))
    gaps = _gaps(values.mean(0), pairs)
    if not error:
        same = gaps <= SAME * np.abs(values).mean()
        return Family(np.where(same, 1.0, 0.0).tolist(), 0.0)
    spread = stats().studentized_range
    with catch_warnings():
        simplefilter("ignore")  # near 1 SciPy wrongly warns of divergence
        p = spread.sf(gaps / error, runs, analysis.freedom_left)
        radius = float(spread.isf(1 - confidence, runs, analysis.freedom_left)) * error
    return Family(np.clip(np.atleast_1d(p), 0, 1).tolist(), radius)


def randomised_tukey(
    values: FloatArray,
    pairs: Sequence[tuple[int, int]],
    draws: Draws | None = None,
    confidence: float = CONFIDENCE,
) -> Family:
    """Test pairs of runs with the randomised version of Tukey's test.

    Within each topic the values are shuffled among the runs. p is the share of shuffles, the
    observed order among them, in which the best and the worst run are at least as far apart as the
    pair. (Carterette, TOIS 2012.)
    """
    if len(values) < 2:
        return Family([UNDEFINED] * len(pairs), UNDEFINED)
    draws = draws or Draws()
    generator = np.random.default_rng(draws.seed)
    ranges = np.empty(draws.resamples)
    for draw in range(draws.resamples):
        sums = generator.permuted(values, axis=1).sum(0)
        ranges[draw] = sums.max() - sums.min()
    ranges.sort()
    reached = _gaps(values.mean(0), pairs) * len(values) - SAME * np.abs(values).sum()
    extreme = len(ranges) - np.searchsorted(ranges, reached, side="left")
    radius = float(np.quantile(ranges, confidence, method="higher")) / len(values)
    return Family(((extreme + 1) / (len(ranges) + 1)).tolist(), radius)


def _gaps(means: FloatArray, pairs: Sequence[tuple[int, int]]) -> FloatArray:
    """Return the absolute differences of the means of each pair of runs."""
    return np.abs([means[one] - means[other] for one, other in pairs])
