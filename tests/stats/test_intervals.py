"""Intervals, effects, power and corrections against SciPy and statsmodels."""

from math import inf, isnan, nan

import numpy as np
import pytest
import scipy
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower

from spanwise.errors import UnknownName, UsageError
from spanwise.stats.paired import (
    cohen,
    hedges,
    power,
    rank_biserial,
    student,
    topics_needed,
)
from spanwise.stats.resampling import Draws
from spanwise.stats.tests import bootstrap_intervals, corrected

VALUES = np.random.default_rng(0).random(30)


@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.99])
def test_the_interval_of_a_mean(confidence):
    low, high = stats.t.interval(confidence, 29, VALUES.mean(), stats.sem(VALUES))
    assert student(VALUES, confidence) == pytest.approx((VALUES.mean(), low, high), rel=1e-12)


def test_the_interval_of_a_difference():
    other = np.random.default_rng(1).random(30)
    expected = stats.ttest_rel(VALUES, other).confidence_interval()
    assert student(VALUES - other)[1:] == pytest.approx((expected.low, expected.high), rel=1e-12)


def test_undefined_values_are_left_out():
    assert student(np.append(VALUES, nan)) == student(VALUES)


def test_one_value_has_no_interval():
    mean, low, high = student(np.array([0.5]))
    assert mean == 0.5
    assert isnan(low)
    assert isnan(high)


def test_a_confidence_must_make_sense():
    with pytest.raises(UsageError, match="between 0 and 1"):
        student(VALUES, 95)


def test_the_bootstrap_interval_is_near_students_where_values_are_normal():
    values = np.random.default_rng(2).normal(0.1, 0.3, (200, 1))
    ((mean, low, high),) = bootstrap_intervals(values, Draws(seed=3))
    assert mean == pytest.approx(values.mean())
    expected = student(values[:, 0])
    assert (low, high) == pytest.approx(expected[1:], abs=0.005)
    assert mean - low == pytest.approx(high - mean)


def test_a_bootstrap_interval_can_be_endless_but_never_undefined():
    ((mean, low, high),) = bootstrap_intervals(np.array([[0.1], [0.3]]), Draws())
    assert (mean, low, high) == (pytest.approx(0.2), -inf, inf)


@pytest.mark.parametrize(
    ("name", "theirs"), [("holm", "holm"), ("bonferroni", "bonferroni"), ("bh", "fdr_bh")]
)
def test_corrections_are_those_of_statsmodels(name, theirs):
    p = np.random.default_rng(4).random(20) ** 3
    p[5] = p[7]  # equal ones too
    assert corrected(p.tolist(), name) == pytest.approx(multipletests(p, method=theirs)[1])


def test_an_undefined_p_does_not_count():
    assert corrected([0.01, nan, 0.02], "bonferroni") == pytest.approx(
        [0.02, nan, 0.04], nan_ok=True
    )
    assert corrected([], "holm") == []
    with pytest.raises(UnknownName):
        corrected([0.1], "sidak")


def test_cohen_on_paper():
    # mean 2, squares of deviations 1, 0, 1: variance 1
    assert cohen(np.array([1.0, 2.0, 3.0])) == 2.0
    assert cohen(np.zeros(3)) == 0.0
    assert cohen(np.full(3, -0.5)) == -inf
    assert cohen(np.array([0.3, 0.4, 0.6]) - np.array([0.2, 0.3, 0.5])) == inf  # but for rounding
    assert isnan(cohen(np.array([1.0])))


def test_hedges_takes_away_the_bias():
    # the mean of many estimates is the true effect
    samples = np.random.default_rng(5).normal(0.5, 1, (20_000, 6))
    plain = np.mean([cohen(sample) for sample in samples])
    assert plain > 0.58
    assert np.mean([hedges(sample) for sample in samples]) == pytest.approx(0.5, abs=0.01)


def test_rank_biserial_on_paper():
    assert rank_biserial(np.array([0.1, 0.2, -0.3])) == 0.0  # ranks 1 + 2 - 3
    assert rank_biserial(np.array([0.1, 0.2, 0.0])) == 1.0
    assert rank_biserial(np.array([0.1, -0.1, 0.3])) == pytest.approx((1.5 - 1.5 + 3) / 6)
    assert rank_biserial(np.zeros(2)) == 0.0


@pytest.mark.parametrize("effect", [0.1, 0.3, -0.5, 0.8, 2.0])
def test_power_is_that_of_statsmodels(effect):
    theirs = TTestPower()
    expected = theirs.power(abs(effect), 40, 0.05)
    assert power(effect, 40) == pytest.approx(expected, abs=1e-9)
    topics = theirs.solve_power(abs(effect), alpha=0.05, power=0.8)
    assert topics_needed(effect) == np.ceil(topics)


# SciPy's own two ways to this distribution differ by 4e-7 for two topics before its version 1.15.
EXACT = 1e-9 if tuple(map(int, scipy.__version__.split(".")[:2])) >= (1, 15) else 1e-6


@pytest.mark.parametrize(("effect", "topics"), [(3, 30), (2, 100), (20, 2), (9, 2)])
def test_power_of_effects_beyond_doubt(effect, topics):
    assert power(effect, topics) == pytest.approx(nct_power(effect, topics), abs=EXACT)


def nct_power(effect, topics):
    """The tail that counts; the other one is nothing."""
    bound = stats.t.ppf(0.975, topics - 1)
    return stats.nct.sf(bound, topics - 1, effect * np.sqrt(topics))


def test_topics_that_no_one_has():
    assert topics_needed(0.0) == inf
    assert topics_needed(1e-6) == inf
    assert topics_needed(inf) == 2
    assert isnan(topics_needed(nan))
