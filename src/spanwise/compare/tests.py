"""Is a difference between two runs more than chance? Paired tests, two-sided, uncorrected.

Each takes differences (a row per topic, a column per pair of runs) and gives a p for each column.
Where all differences are zero nothing speaks against equality, and p is 1. A single topic leaves
Student's t and the bootstrap without a variance: p is undefined.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from spanwise.compare.grid import alike, wins_ties_losses
from spanwise.compare.intervals import student_tail
from spanwise.compare.resampling import SAME, Draws, all_signs, sums
from spanwise.errors import MissingExtra, UnknownName

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray

EXACT = 14
"""Up to so many topics that differ, all signs are gone through instead of drawing some."""


def t(differences: FloatArray, draws: Draws | None = None) -> FloatArray:  # noqa: ARG001
    """Student's paired t-test, as SciPy's `ttest_rel`."""
    topics = len(differences)
    if topics < 2:
        return np.full(differences.shape[1], np.nan)
    means, errors = differences.mean(0), differences.std(0, ddof=1) / np.sqrt(topics)
    with np.errstate(divide="ignore", invalid="ignore"):
        p = 2 * student_tail(np.abs(means / errors), topics - 1)
    return np.where(np.any(differences != 0, axis=0), p, 1.0)


def wilcoxon(differences: FloatArray, draws: Draws | None = None) -> FloatArray:  # noqa: ARG001
    """Wilcoxon's signed ranks, as SciPy's `wilcoxon` with its defaults."""
    return np.array([_wilcoxon(column) for column in differences.T])


def _wilcoxon(column: FloatArray) -> float:
    if not np.any(column):
        return 1.0
    return float(stats().wilcoxon(column).pvalue)


def sign(differences: FloatArray, draws: Draws | None = None) -> FloatArray:  # noqa: ARG001
    """The sign test, as SciPy's `binomtest`; topics without a difference are dropped."""
    return np.array([_sign(column) for column in differences.T])


def _sign(column: FloatArray) -> float:
    wins, _, losses = wins_ties_losses(column)
    return float(stats().binomtest(wins, wins + losses).pvalue) if wins + losses else 1.0


def randomisation(differences: FloatArray, draws: Draws | None = None) -> FloatArray:
    """Fisher's randomisation of the mean difference: each topic's sign may be turned around.

    All signs are gone through where at most 14 topics differ. Otherwise signs are drawn, and the
    observed ones count as one draw more, so that p is never 0.
    """
    few = np.count_nonzero(differences, axis=0) <= EXACT
    p = np.ones(differences.shape[1])
    for column in np.flatnonzero(few):
        p[column] = _exact(differences[:, column])
    if not few.all():
        p[~few] = _drawn(differences[:, ~few], draws or Draws())
    return p


def _exact(column: FloatArray) -> float:
    kept = column[column != 0]
    if not len(kept):
        return 1.0
    totals = np.abs(sums(all_signs(len(kept)), kept[:, None])[:, 0])
    return float(np.mean(totals >= abs(totals[0]) - SAME * np.abs(kept).sum()))


def _drawn(differences: FloatArray, draws: Draws) -> FloatArray:
    reached = np.abs(sums(np.ones((1, len(differences))), differences)[0])
    reached -= SAME * np.abs(differences).sum(0)
    extreme = np.zeros(differences.shape[1], np.int64)
    for signs in draws.signs(len(differences)):
        extreme += np.count_nonzero(np.abs(sums(signs, differences)) >= reached, axis=0)
    return (extreme + 1) / (draws.resamples + 1)


def bootstrap(differences: FloatArray, draws: Draws | None = None) -> FloatArray:
    """The studentised paired bootstrap: topics are drawn again, with replacement.

    Differences are moved so that their mean is 0; p is the share of draws whose t is at least as
    far from 0 as the observed one. (Sakai, SIGIR 2006.)
    """
    draws = draws or Draws()
    topics = len(differences)
    if topics < 2:
        return np.full(differences.shape[1], np.nan)
    observed = np.abs(studentised(differences.mean(0), differences.std(0, ddof=1), topics))
    extreme = np.zeros(differences.shape[1], np.int64)
    for values in bootstrap_ts(differences, draws):
        extreme += np.count_nonzero(np.abs(values) >= observed * (1 - SAME), axis=0)
    p = (extreme + 1) / (draws.resamples + 1)
    return np.where(np.any(differences != 0, axis=0), p, 1.0)


def bootstrap_ts(differences: FloatArray, draws: Draws) -> Any:
    """Blocks of t-values of draws around the mean."""
    topics = len(differences)
    centred = differences - differences.mean(0)
    squares = centred**2
    for counts in draws.counts(topics):
        means, totals = sums(counts, centred) / topics, sums(counts, squares)
        left = totals - topics * means**2
        left = np.where(left > SAME * totals, left, 0)
        yield studentised(means, np.sqrt(left / (topics - 1)), topics)


def studentised(means: FloatArray, deviations: FloatArray, topics: int) -> FloatArray:
    """Means by their standard errors; without variance, 0 or infinite as the mean is."""
    endless = np.where(np.abs(means) > SAME, np.copysign(np.inf, means), 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        values = means / (deviations / np.sqrt(topics))
    return np.where(deviations <= SAME * np.abs(means), endless, values)


Test = Callable[[Any, Draws | None], Any]

TESTS: dict[str, Test] = {
    "t": t,
    "wilcoxon": wilcoxon,
    "sign": sign,
    "randomisation": randomisation,
    "bootstrap": bootstrap,
}
"""Every test of one pair of runs."""


def find_test(name: str) -> Test:
    """The test of that name."""
    if name not in TESTS:
        raise UnknownName("test", name, list(TESTS))
    return TESTS[name]


def p_values(columns: Sequence[FloatArray], test: str, draws: Draws | None = None) -> list[float]:
    """A p for each column of differences; columns may have different topics."""
    function = find_test(test)
    p = np.full(len(columns), np.nan)
    for numbers, differences in alike(columns):
        if len(differences):
            p[numbers] = function(differences, draws)
    return p.tolist()


def stats() -> Any:
    """SciPy's statistics, imported when they are needed."""
    try:
        from scipy import stats
    except ImportError:
        raise MissingExtra("SciPy", "stats", "this test") from None
    return stats
