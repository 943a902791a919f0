"""Paired values of runs: their alignment by topic, intervals and effect sizes.

Every paired statistic starts from a grid, the values of one measure with a row per topic and a
column per run. Student's interval bounds the mean of a column; effect size and power relate a mean
difference to its spread over topics.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, inf, isfinite, isnan, lgamma, nan, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spanwise.errors import MissingExtra, UsageError
from spanwise.stats import running_sum
from spanwise.stats.resampling import SAME

if TYPE_CHECKING:
    from spanwise.model.arrays import BoolArray, FloatArray
    from spanwise.model.scores import Scores

# Grids --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """The values of one measure: a row per topic, a column per run."""

    measure: str
    topics: tuple[str, ...]
    values: FloatArray  # nan: topic missing from the run, or measure undefined
    reached: BoolArray  # whether the run reaches the budget of the measure; True if it has none
    repeats: tuple[FloatArray | None, ...] = ()  # of each run: a row per topic, a column per repeat

    @property
    def comparable(self) -> FloatArray:
        """The values where budgets are reached; others are nan."""
        return np.where(self.reached, self.values, np.nan)

    def aligned(self, run: int, baseline: int) -> FloatArray:
        """Return the difference on every topic, nan where the two runs are not comparable."""
        both: FloatArray = self.comparable[:, run] - self.comparable[:, baseline]
        return both

    def tables(self, *runs: int) -> list[FloatArray]:
        """Return the values of repeats: of one run, or of two where these are comparable."""
        values = self.values if len(runs) == 1 else self.comparable  # as in means and differences
        there: Any = ~np.isnan(values[:, runs]).any(axis=1)
        return [np.where(there[:, None], table, np.nan) for table in self.repeated(runs)]

    def repeated(self, runs: Sequence[int]) -> list[FloatArray]:
        """Return the values of the repeats of runs; a run without repeats has one."""
        found = [(run, self.repeats[run]) for run in runs]
        return [self.values[:, [run]] if table is None else table for run, table in found]

    def differences(self, run: int, baseline: int) -> FloatArray:
        """Return the differences on the topics for which both runs have a comparable value."""
        both = self.aligned(run, baseline)
        return both[~np.isnan(both)]

    def padded(self, run: int, baseline: int) -> FloatArray:
        """Return the differences on all topics, 0 where the two runs are not comparable."""
        both = self.aligned(run, baseline)
        return np.nan_to_num(both[~np.isnan(self.values).all(axis=1)])

    def complete(self) -> FloatArray:
        """Return the rows of the topics for which every run has a comparable value."""
        return self.values[~np.isnan(self.comparable).any(axis=1)]


def grid(results: Sequence[Scores], measure: str) -> Grid:
    """Align the runs by topic.

    Topics are sorted in byte order of their ids and include those of any run.
    """
    every = {topic for scores in results for topic in scores.topics}
    topics = tuple(sorted(every, key=lambda topic: topic.encode("utf-8", "surrogateescape")))
    rows = {topic: row for row, topic in enumerate(topics)}
    values = np.full((len(topics), len(results)), np.nan)
    enough = np.ones(values.shape, np.bool_)
    for column, scores in enumerate(results):
        if measure in scores.values:
            mine = [rows[topic] for topic in scores.topics]
            values[mine, column] = scores.values[measure]
            reached = scores.reached(measure)
            enough[mine, column] = True if reached is None else reached
    repeats = tuple(_of_repeats(scores, measure, rows) for scores in results)
    return Grid(measure, topics, values, enough, repeats)


def _of_repeats(scores: Scores, measure: str, rows: Mapping[str, int]) -> FloatArray | None:
    if scores.repeats is None or measure not in scores.repeats.values:
        return None
    table = np.full((len(rows), scores.repeats.count), np.nan)
    table[[rows[topic] for topic in scores.topics]] = scores.repeats.values[measure]
    return table


def alike(columns: Sequence[FloatArray]) -> list[tuple[list[int], FloatArray]]:
    """Group columns of equal length so that they can be resampled together.

    Each group has the numbers of its columns and the columns as an array.
    """
    lengths: dict[int, list[int]] = {}
    for number, column in enumerate(columns):
        lengths.setdefault(len(column), []).append(number)
    return [(some, np.column_stack([columns[i] for i in some])) for some in lengths.values()]


def wins_ties_losses(differences: FloatArray) -> tuple[int, int, int]:
    """Count the topics on which a run is better, equal and worse.

    >>> wins_ties_losses(np.array([0.1, 0.0, -0.2, 0.3]))
    (2, 1, 1)
    """
    better: BoolArray = differences > 0
    worse: BoolArray = differences < 0
    wins, losses = int(better.sum()), int(worse.sum())
    return wins, len(differences) - wins - losses, losses


# Intervals ----------------------------------------------------------------------------------------


CONFIDENCE = 0.95


class Interval(NamedTuple):
    """A mean with its bounds, which are nan where undefined."""

    mean: float
    low: float
    high: float


def student(values: FloatArray, confidence: float = CONFIDENCE) -> Interval:
    """Return Student's interval for the mean of the defined values.

    The bounds are undefined for fewer than two values.
    """
    defined = values[~np.isnan(values)]
    topics = len(defined)
    mean = running_sum(defined) / topics if topics else float("nan")
    if topics < 2:
        return Interval(mean, float("nan"), float("nan"))
    error = float(defined.std(ddof=1)) / np.sqrt(topics)
    reach = float(special().stdtrit(topics - 1, (1 + checked(confidence)) / 2)) * float(error)
    return Interval(mean, mean - reach, mean + reach)


def checked(confidence: float) -> float:
    """Return a confidence level, or raise if it is not between 0 and 1."""
    if not 0 < confidence < 1:
        raise UsageError(f"confidence is {confidence!r}; expected a number between 0 and 1")
    return confidence


def student_tail(values: FloatArray, freedom: int) -> FloatArray:
    """Return the probability of a t of at least each value; 0 for infinity."""
    tail: FloatArray = special().stdtr(freedom, -np.minimum(values, 1e300))
    return tail


def special() -> Any:
    """Import SciPy's special functions when they are first needed."""
    try:
        from scipy import special
    except ImportError:
        raise MissingExtra("SciPy", "stats", "an interval or a test") from None
    return special


# Effect sizes and power ---------------------------------------------------------------------------

ALPHA, POWER = 0.05, 0.8
MOST = 10_000_000
"""Number of topics that is treated as infinite."""


def cohen(differences: FloatArray) -> float:
    """Return Cohen's d of paired differences (d_z): their mean by their deviation.

    0 if all differences are 0, infinite if all are the same, undefined for fewer than two.
    """
    if len(differences) < 2:
        return nan
    mean, deviation = float(differences.mean()), float(differences.std(ddof=1))
    if deviation > SAME * abs(mean):
        return mean / deviation
    return 0.0 if mean == 0 else inf if mean > 0 else -inf


def hedges(differences: FloatArray) -> float:
    """Return Hedges' g: Cohen's d_z corrected for the bias of few topics."""
    freedom = len(differences) - 1
    if freedom < 2:
        return nan
    factor = exp(lgamma(freedom / 2) - lgamma((freedom - 1) / 2)) / sqrt(freedom / 2)
    return factor * cohen(differences)


def rank_biserial(differences: FloatArray) -> float:
    """Return the rank-biserial correlation, the effect size of Wilcoxon's test.

    It is the share of the ranks of better topics minus that of worse ones, from -1 to 1.
    """
    kept = differences[differences != 0]
    if not len(kept):
        return 0.0 if len(differences) else nan
    sizes = np.abs(kept)
    ranks = (sizes[:, None] > sizes).sum(1) + ((sizes[:, None] == sizes).sum(1) + 1) / 2
    return float((ranks * np.sign(kept)).sum() / ranks.sum())


def power(effect: float, topics: int, alpha: float = ALPHA) -> float:
    """Return the probability that a two-sided paired t-test detects an effect."""
    if isnan(effect) or topics < 2:
        return nan
    freedom, shift = topics - 1, abs(effect) * sqrt(topics)
    bound = special().stdtrit(freedom, 1 - alpha / 2)
    above = 1 - special().nctdtr(freedom, shift, bound)
    below = special().nctdtr(freedom, shift, -bound)
    return float(above if isnan(below) else above + below)  # SciPy returns nan for tiny values


def topics_needed(effect: float, alpha: float = ALPHA, wanted: float = POWER) -> float:
    """Return the number of topics that show an effect with the wanted power.

    Infinite if there is no effect. The effect is taken for the true one: estimated from few topics,
    it is a rough guess.
    """
    if isnan(effect):
        return nan
    if not effect:
        return inf
    if not isfinite(effect):
        return 2.0
    low, high = 2, 2
    while power(effect, high, alpha) < wanted:
        low, high = high, high * 2
        if high > MOST:
            return inf
    while low < high:
        middle = (low + high) // 2
        enough = power(effect, middle, alpha) >= wanted
        low, high = (low, middle) if enough else (middle + 1, high)
    return float(low)
