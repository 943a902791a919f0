"""Many runs at once: variance by runs and by topics, and all pairs in one family.

Runs are measured on the same topics, and topics differ more than runs do. The two-way analysis
takes the topics' part out; Tukey's honestly significant differences are then judged by what is
left. Topics for which a run has no value have to be left out before.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from warnings import catch_warnings, simplefilter

import numpy as np

from spanwise.compare.intervals import special
from spanwise.compare.resampling import SAME, Draws
from spanwise.compare.tests import stats

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray


@dataclass(frozen=True, slots=True)
class Anova:
    """Sums of squares, degrees of freedom, F and p of runs and of topics, and what is left."""

    squares_runs: float
    squares_topics: float
    squares_left: float
    freedom_runs: int
    freedom_topics: int
    freedom_left: int
    f_runs: float
    p_runs: float
    f_topics: float
    p_topics: float

    @property
    def error(self) -> float:
        """The variance that neither runs nor topics explain."""
        return self.squares_left / self.freedom_left if self.freedom_left else float("nan")

    @property
    def omega_squared(self) -> float:
        """The share of variance that runs explain, in the population of topics (partial)."""
        gain = self.freedom_runs * (self.f_runs - 1)
        cells = (self.freedom_runs + 1) * (self.freedom_topics + 1)
        return gain / (gain + cells)


def two_way(values: FloatArray) -> Anova:
    """The analysis of a grid: a row per topic, a column per run, one value in each cell."""
    topics, runs = values.shape
    grand = values.mean()
    by_run, by_topic = values.mean(0), values.mean(1)
    left = values - by_run - by_topic[:, None] + grand
    squares = (
        float(topics * ((by_run - grand) ** 2).sum()),
        float(runs * ((by_topic - grand) ** 2).sum()),
        float((left**2).sum()),
    )
    freedom = (runs - 1, topics - 1, (runs - 1) * (topics - 1))
    f, p = [], []
    for square, free in zip(squares[:2], freedom[:2], strict=True):
        ratio = _ratio(_ratio(square, free), _ratio(squares[2], freedom[2]))
        f.append(ratio)
        p.append(float(special().fdtrc(free, freedom[2], ratio)) if ratio == ratio else np.nan)
    return Anova(*squares, *freedom, f[0], p[0], f[1], p[1])


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else float("nan") if not part else float("inf")


def tukey(values: FloatArray, pairs: list[tuple[int, int]]) -> list[float]:
    """P of Tukey's honestly significant difference for pairs of runs, topics taken out.

    The family is all runs of the grid, however few pairs are asked for: p needs no correction.
    """
    topics, runs = values.shape
    if topics < 2 or runs < 2:
        return [float("nan")] * len(pairs)
    analysis = two_way(values)
    error = float(np.sqrt(analysis.error / topics))
    means = values.mean(0)
    gaps = [abs(float(means[one] - other)) for one, other in ((a, means[b]) for a, b in pairs)]
    if not error:
        return [1.0 if gap == 0 else 0.0 for gap in gaps]
    reached = np.array(gaps) / error
    with catch_warnings():
        simplefilter("ignore")  # near 1 the integral is said to diverge, and is right all the same
        p = stats().studentized_range.sf(reached, runs, analysis.freedom_left)
    return np.clip(np.atleast_1d(p), 0, 1).tolist()


def randomised_tukey(
    values: FloatArray, pairs: list[tuple[int, int]], draws: Draws | None = None
) -> list[float]:
    """Tukey's difference without assumptions: within each topic the runs are shuffled.

    p is the share of shuffles, the observed order among them, in which the best and the worst run
    are at least as far apart as the pair. (Carterette, TOIS 2012.)
    """
    draws = draws or Draws()
    means = values.mean(0)
    gaps = np.array([abs(float(means[a] - means[b])) for a, b in pairs])
    generator = np.random.default_rng(draws.seed)
    ranges = np.empty(draws.resamples)
    for draw in range(draws.resamples):
        sums = generator.permuted(values, axis=1).sum(0)
        ranges[draw] = sums.max() - sums.min()
    ranges.sort()
    reached = gaps * len(values) - SAME * np.abs(values).sum()
    extreme = len(ranges) - np.searchsorted(ranges, reached, side="left")
    return ((extreme + 1) / (len(ranges) + 1)).tolist()
