"""Paired, two-sided tests of the difference between two runs, and corrections of p.

Each test takes differences (a row per topic, a column per pair of runs) and returns a p-value for
each column. p is 1 if all differences are zero. It is undefined for Student's t and the bootstrap
on a single topic, which has no variance.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from spanwise.errors import MissingExtra, UnknownName
from spanwise.stats.paired import (
    CONFIDENCE,
    Interval,
    alike,
    checked,
    student_tail,
    wins_ties_losses,
)
from spanwise.stats.resampling import SAME, Draws, all_signs, sums

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray, IntArray

EXACT = 14
"""Maximum number of differing topics for which all signs are enumerated."""


def t(differences: FloatArray, draws: Draws | None = None) -> FloatArray:  # noqa: ARG001
    """Run Student's paired t-test, as SciPy's `ttest_rel`."""
    topics = len(differences)
    if topics < 2:
        return np.full(differences.shape[1], np.nan)
    means, errors = differences.mean(0), differences.std(0, ddof=1) / np.sqrt(topics)
    with np.errstate(divide="ignore", invalid="ignore"):
        p = 2 * student_tail(np.abs(means / errors), topics - 1)
    return np.where(np.any(differences != 0, axis=0), p, 1.0)


def wilcoxon(differences: FloatArray, draws: Draws | None = None) -> FloatArray:  # noqa: ARG001
    """Run Wilcoxon's signed-rank test, as SciPy's `wilcoxon` with its defaults."""
    return np.array([_wilcoxon(column) for column in differences.T])


def _wilcoxon(column: FloatArray) -> float:
    if not np.any(column):
        return 1.0
    return float(stats().wilcoxon(column).pvalue)


def sign(differences: FloatArray, draws: Draws | None = None) -> FloatArray:  # noqa: ARG001
    """Run the sign test, as SciPy's `binomtest`, dropping topics without a difference."""
    return np.array([_sign(column) for column in differences.T])


def _sign(column: FloatArray) -> float:
    wins, _, losses = wins_ties_losses(column)
    return float(stats().binomtest(wins, wins + losses).pvalue) if wins + losses else 1.0


def mcnemar(differences: FloatArray, draws: Draws | None = None) -> FloatArray:
    """Run McNemar's exact test, as statsmodels' `mcnemar`, for values that are 0 or 1.

    On such values it is the sign test: topics in which only one of the two runs succeeds count.
    """
    return sign(differences, draws)


def randomisation(differences: FloatArray, draws: Draws | None = None) -> FloatArray:
    """Run Fisher's randomisation test, which flips the signs of topics at random.

    All signs are enumerated if at most 14 topics differ. Otherwise signs are drawn, and the
    observed ones count as one more draw, so that p is never 0.
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
    sizes = np.sort(np.abs(differences), axis=0)  # draws belong to places, not to names of topics
    reached -= SAME * sizes.sum(0)
    extreme = np.zeros(differences.shape[1], np.int64)
    for signs in draws.signs(len(differences)):
        extreme += np.count_nonzero(np.abs(sums(signs, sizes)) >= reached, axis=0)
    return (extreme + 1) / (draws.resamples + 1)


def bootstrap(differences: FloatArray, draws: Draws | None = None) -> FloatArray:
    """Run the studentised paired bootstrap test, which resamples topics.

    Differences are shifted so that their mean is 0; p is the share of draws whose t is at least as
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
    """Yield blocks of t-values of bootstrap draws around the mean."""
    topics = len(differences)
    centred = _in_order(differences - differences.mean(0), differences.mean(0))
    squares = centred**2
    for counts in draws.counts(topics):
        means, totals = sums(counts, centred) / topics, sums(counts, squares)
        left = totals - topics * means**2
        left = np.where(left > SAME * totals, left, 0)
        yield studentised(means, np.sqrt(left / (topics - 1)), topics)


def _in_order(values: FloatArray, means: FloatArray) -> FloatArray:
    """Return the values of each column in rising order, or falling if its mean is negative.

    Draws belong to places: so they depend on values alone, not on the names of topics, and turning
    the runs around changes no p.
    """
    side = np.where(means < 0, -1.0, 1.0)
    ordered: FloatArray = side * np.sort(side * values, axis=0)
    return ordered


def studentised(means: FloatArray, deviations: FloatArray, topics: int) -> FloatArray:
    """Divide means by their standard errors.

    Without variance the result is 0 or infinite, as the mean is.
    """
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
    "mcnemar": mcnemar,
}
"""The tests of one pair of runs, by name."""


def find_test(name: str) -> Test:
    """Return the test of a name."""
    if name not in TESTS:
        raise UnknownName("test", name, list(TESTS))
    return TESTS[name]


def p_values(columns: Sequence[FloatArray], test: str, draws: Draws | None = None) -> list[float]:
    """Return a p-value for each column of differences, which may differ in length."""
    function = find_test(test)
    p = np.full(len(columns), np.nan)
    for numbers, differences in alike(columns):
        if len(differences):
            p[numbers] = function(differences, draws)
    return p.tolist()


def stats() -> Any:
    """Import SciPy's statistics when they are first needed."""
    try:
        from scipy import stats
    except ImportError:
        raise MissingExtra("SciPy", "stats", "this test") from None
    return stats


# Corrections for multiple comparisons -------------------------------------------------------------


def bonferroni(p: FloatArray) -> FloatArray:
    """Correct p-values with Bonferroni's method: multiply each by their number."""
    return np.minimum(p * len(p), 1)


def holm(p: FloatArray) -> FloatArray:
    """Correct p-values with Holm's method.

    The smallest is multiplied by the number of comparisons, the next by one less, and so on. The
    error rate is controlled as with Bonferroni's method, and no value is larger.
    """
    order = np.argsort(p, kind="stable")
    scaled = p[order] * np.arange(len(p), 0, -1)
    return _in_place(order, np.minimum(np.maximum.accumulate(scaled), 1))


def benjamini_hochberg(p: FloatArray) -> FloatArray:
    """Correct p-values with Benjamini and Hochberg's method.

    It controls the share of false discoveries instead of the chance of any.
    """
    order = np.argsort(p, kind="stable")
    scaled = p[order] * len(p) / np.arange(1, len(p) + 1)
    return _in_place(order, np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1))


def _in_place(order: IntArray, values: FloatArray) -> FloatArray:
    placed = np.empty_like(values)
    placed[order] = values
    return placed


def _unchanged(p: FloatArray) -> FloatArray:
    return p


CORRECTIONS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "holm": holm,
    "bonferroni": bonferroni,
    "bh": benjamini_hochberg,
    "none": _unchanged,
}
"""The corrections by name; `bh` is Benjamini and Hochberg's."""


def corrected(p: Sequence[float], correction: str) -> list[float]:
    """Correct the p-values of one family; undefined ones are ignored and kept.

    >>> corrected([0.01, 0.02, 0.03], "holm")
    [0.03, 0.04, 0.04]
    """
    if correction not in CORRECTIONS:
        raise UnknownName("correction", correction, list(CORRECTIONS))
    values = np.array(p, np.float64)
    defined = ~np.isnan(values)
    values[defined] = CORRECTIONS[correction](values[defined])
    return values.tolist()


# Bootstrap intervals ------------------------------------------------------------------------------


def bootstrap_intervals(
    differences: FloatArray, draws: Draws, confidence: float = CONFIDENCE
) -> list[Interval]:
    """Return symmetric bootstrap-t intervals of the means, one for each column.

    They exclude 0 when the bootstrap test rejects it, except for the observed draw that the test
    adds.
    """
    topics, means = len(differences), differences.mean(0)
    if topics < 2:
        return [Interval(mean, float("nan"), float("nan")) for mean in means.tolist()]
    errors = differences.std(0, ddof=1) / np.sqrt(topics)
    drawn = np.abs(np.concatenate(list(bootstrap_ts(differences, draws))))
    reach = np.quantile(drawn, checked(confidence), axis=0, method="higher") * errors
    return [
        Interval(mean, mean - width, mean + width)
        for mean, width in zip(means.tolist(), reach.tolist(), strict=True)
    ]
