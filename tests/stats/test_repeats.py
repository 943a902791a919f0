"""Repeats of a system: variances between topics and repeats, and overlaps of rankings."""

from math import isnan, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanwise.errors import UsageError
from spanwise.stats.correlation import rbo, rbo_of_lists
from spanwise.stats.repeats import consistency, variances


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
