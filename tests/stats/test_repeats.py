"""Repeats of a system: variances between topics and repeats, and overlaps of rankings."""

from math import isnan, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from spanwise.errors import UsageError
from spanwise.stats.correlation import rbo, rbo_of_lists
from spanwise.stats.paired import student
from spanwise.stats.repeats import consistency, for_more_repeats, variances
from spanwise.stats.resampling import Draws


def test_the_components_are_those_of_a_one_way_analysis_of_variance():
    import pandas as pd
    from statsmodels.formula.api import ols
    from statsmodels.stats.anova import anova_lm

    values = np.random.default_rng(2).normal(0, 1, (12, 1)) * 0.4 + np.random.default_rng(3).normal(
        0, 0.2, (12, 4)
    )
    columns = {"value": values.ravel(), "topic": np.repeat(np.arange(12), 4)}
    table = anova_lm(ols("value ~ C(topic)", pd.DataFrame(columns)).fit())
    between, inside = table["mean_sq"]
    found = variances(values)
    assert found.repeats == pytest.approx(inside)
    assert found.topics == pytest.approx((between - inside) / 4)


def test_the_components_estimate_the_true_variances():
    generator = np.random.default_rng(4)
    values = generator.normal(0, 0.3, (4000, 1)) + generator.normal(0, 0.1, (4000, 3))
    found = variances(values)
    assert found.topics == pytest.approx(0.09, rel=0.1)
    assert found.repeats == pytest.approx(0.01, rel=0.1)


def test_a_variance_is_never_negative_and_incomplete_topics_are_left_out():
    assert variances(np.array([[0.0, 1.0], [1.0, 0.0]])) == (0.0, 0.5)
    assert variances(np.array([[1.0, 3.0], [nan, 9.0], [5.0, 7.0]])) == (7.0, 2.0)
    assert all(map(isnan, variances(np.array([[1.0, 3.0]]))))
    assert all(map(isnan, variances(np.array([[1.0], [2.0]]))))


def by_definition(a, b, p, deep=4000):
    """RBO_EXT as the limit of an infinite sum, from the assumption that it stands for.

    Below the end of the longer list both lists agree as much as at that end, where the shorter one
    is taken to go on as it did up to its own end (Webber et al., section 4.3 and 4.4).
    """
    short, long = sorted((a, b), key=len)
    s, end = len(short), len(long)

    def shared(depth):
        return len(set(short[:depth]) & set(long[:depth]))

    total, agreement = 0.0, 0.0
    for depth in range(1, deep):
        if depth <= s:
            agreement = shared(depth) / depth
        elif depth <= end:
            agreement = (shared(depth) + shared(s) / s * (depth - s)) / depth
        total += (1 - p) * p ** (depth - 1) * agreement
    return total


lists = st.lists(st.integers(0, 12), unique=True, min_size=1, max_size=10)


@given(lists, lists, st.sampled_from([0.3, 0.8, 0.9]))
def test_the_overlap_of_lists_is_that_of_the_definition(a, b, p):
    found = rbo_of_lists(np.array(a), np.array(b), p)
    assert found == pytest.approx(by_definition(a, b, p), abs=1e-9)
    assert found == pytest.approx(rbo_of_lists(np.array(b), np.array(a), p))
    assert -1e-12 <= found <= 1 + 1e-12


@given(st.permutations(range(8)), st.permutations(range(8)))
def test_lists_of_the_same_items_overlap_as_rankings_do(a, b):
    scores = [[-order.index(item) for item in range(8)] for order in (a, b)]
    assert rbo_of_lists(np.array(a), np.array(b)) == pytest.approx(rbo(*scores))


def test_overlaps_at_the_ends():
    nothing, some = np.array([], np.int64), np.array([4, 2])
    assert rbo_of_lists(some, some) == pytest.approx(1)
    assert rbo_of_lists(some, np.array([7, 9])) == 0
    assert rbo_of_lists(nothing, some) == rbo_of_lists(some, nothing) == 0
    assert rbo_of_lists(nothing, nothing) == 1
    assert rbo_of_lists(np.array([4, 4, 2]), some) == pytest.approx(1)
    with pytest.raises(UsageError, match="p of rbo is 1"):
        rbo_of_lists(some, some, 1)


def test_consistency_is_the_mean_over_pairs_of_repeats():
    a, b, none = np.array([1, 2]), np.array([3, 4]), np.array([], np.int64)
    # pairs: (1 + 0) / 2 of the first two; 1 and 0 of the others, where the second topic is empty
    # in both, and (0, 0) of the last pair
    found = consistency([[a, b], [a, a], [a, none]])
    assert found == pytest.approx(((1 + 0) / 2 + (1 + 0) / 2 + (1 + 0) / 2) / 3)
    assert consistency([[a, none], [a, none]]) == pytest.approx(1)
    assert isnan(consistency([[a]]))


def worlds(repeats, topics, count, seed):
    """Tables of a system without an effect, whose repeats have something in common with topics."""
    generator = np.random.default_rng(seed)
    for _ in range(count):
        yield (
            generator.normal(0, 0.15, (topics, 1))
            + generator.normal(0, 0.05, (1, repeats))
            + generator.normal(0, 0.1, (topics, repeats))
        )


@pytest.mark.parametrize("repeats", [3, 5, 10])
def test_intervals_for_more_repeats_cover_and_those_for_these_do_not(repeats):
    covered = these = 0
    for number, table in enumerate(worlds(repeats, 40, 400, 7)):
        p, bounds = for_more_repeats([table], np.arange(40), Draws(number, 1000))
        assert (p < 0.05) == (not bounds.low <= 0 <= bounds.high)
        covered += bounds.low <= 0 <= bounds.high
        alone = student(table.mean(axis=1))
        these += alone.low <= 0 <= alone.high
    assert 0.92 < covered / 400 < 0.98
    assert these < covered


def test_the_error_of_repeats_and_topics_is_that_of_the_mean_squares():
    table = next(worlds(6, 30, 1, 3))
    p, bounds = for_more_repeats([table], np.arange(30), Draws(1, 40_000))
    of_topics = table.mean(axis=1).var(ddof=1) / 30
    of_repeats = table.mean(axis=0).var(ddof=1) / 6
    degrees = (of_topics + of_repeats) ** 2 / (of_topics**2 / 29 + of_repeats**2 / 5)
    reach = stats.t.ppf(0.975, degrees) * np.sqrt(of_topics + of_repeats)
    assert bounds.mean == pytest.approx(table.mean())
    assert bounds.high - bounds.mean == pytest.approx(reach, rel=0.03)
    assert 0 < p < 1


def test_a_single_run_has_the_interval_of_topics():
    table = np.random.default_rng(5).normal(0.1, 0.2, (40, 1))
    _, bounds = for_more_repeats([table], np.arange(40), Draws(1, 40_000))
    assert bounds == pytest.approx(student(table[:, 0]), rel=0.02)


def test_differences_of_two_systems_and_topics_without_a_value():
    one, other = worlds(4, 30, 2, 9)
    more = [np.vstack([table, np.full((1, 4), nan)]) for table in (one, other)]
    owners = np.arange(30)
    found = for_more_repeats([one, other], owners, Draws(2, 1000))
    assert for_more_repeats(more, np.append(owners, 30), Draws(2, 1000)) == found
    assert found[1].mean == pytest.approx(one.mean() - other.mean())
    assert for_more_repeats([one, one * 0 + 0.5], owners)[1].mean == pytest.approx(one.mean() - 0.5)
    assert isnan(for_more_repeats([one[:1]], owners[:1])[0])
    assert for_more_repeats([np.zeros((5, 3))], owners[:5])[0] == 1
