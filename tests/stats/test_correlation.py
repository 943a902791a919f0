"""Agreement of rankings, against definitions written out and against SciPy."""

from itertools import pairwise, permutations
from math import isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanwise.errors import UsageError
from spanwise.stats.correlation import kendall, rbo, tau_ap

PAIRS = st.integers(2, 6).flatmap(
    lambda n: st.tuples(
        st.lists(st.integers(0, 4), min_size=n, max_size=n),
        st.lists(st.integers(0, 4), min_size=n, max_size=n),
    )
)


def orders(scores):
    """All rankings that agree with scores, equal ones in every order."""
    for order in permutations(range(len(scores))):
        if all(scores[x] >= scores[y] for x, y in pairwise(order)):
            yield order


def tau_ap_of_orders(truth, ranking):
    place = {thing: rank for rank, thing in enumerate(truth)}
    total = 0
    for i in range(1, len(ranking)):
        right = sum(place[other] < place[ranking[i]] for other in ranking[:i])
        total += right / i
    return 2 * total / (len(ranking) - 1) - 1


@given(PAIRS)
def test_tau_ap_is_the_mean_over_all_orders_of_equals(pair):
    a, b = pair
    every = [tau_ap_of_orders(x, y) for x in orders(a) for y in orders(b)]
    assert tau_ap(a, b) == pytest.approx(sum(every) / len(every), abs=1e-12)


def test_tau_ap_on_paper():
    # b ranks 1 2 4 3 of a truth 1 2 3 4: shares 1, 1, 2/3
    assert tau_ap([4, 3, 2, 1], [4, 3, 1, 2]) == pytest.approx(2 * (1 + 1 + 2 / 3) / 3 - 1)
    # a mistake at the top costs more: shares 0, 1, 1
    assert tau_ap([4, 3, 2, 1], [3, 4, 2, 1]) == pytest.approx(2 * 2 / 3 - 1)


@given(PAIRS)
def test_kendall_is_that_of_scipy(pair):
    stats = pytest.importorskip("scipy.stats")
    expected = stats.kendalltau(*pair).statistic
    assert kendall(*pair) == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_kendall_is_undefined_where_everything_is_tied():
    assert isnan(kendall([1, 1, 1], [1, 2, 3]))


def rbo_of_lists(a, b, p):
    """RBO_EXT of two lists of equal length without ties, as the formula stands (equation 23)."""
    k = len(a)
    common = [len(set(a[:d]) & set(b[:d])) for d in range(1, k + 1)]
    total = sum(x / d * p**d for d, x in enumerate(common, 1))
    return common[-1] / k * p**k + (1 - p) / p * total


@given(st.permutations(range(6)), st.permutations(range(6)), st.sampled_from([0.5, 0.9, 0.98]))
def test_rbo_without_ties(a, b, p):
    scores_a, scores_b = ({str(x): -i for i, x in enumerate(order)} for order in (a, b))
    assert rbo(scores_a, scores_b, p) == pytest.approx(rbo_of_lists(a, b, p), abs=1e-12)


def test_rbo_with_ties_on_paper():
    # depth 1: {x} and {x, y}: 2/3; depth 2: {x, y} twice: 1; depth 3: 1; below: 1
    assert rbo([3, 2, 1], [2, 2, 1], p=0.5) == pytest.approx(0.5 * 2 / 3 + 0.25 + 0.125 + 0.125)


@pytest.mark.parametrize("agreement", [kendall, tau_ap, rbo])
def test_a_ranking_agrees_with_itself(agreement):
    assert agreement([0.3, 0.2, 0.1], [3, 2, 1]) == pytest.approx(1.0)
    assert agreement({"a": 1.0, "b": 2.0}, {"b": 5.0, "a": 4.0}) == pytest.approx(1.0)
    assert agreement(np.array([1.0, 2.0]), [1, 2]) == pytest.approx(1.0)


def test_what_cannot_be_compared_is_refused():
    with pytest.raises(UsageError, match="'b' is ranked on one side only"):
        kendall({"a": 1}, {"a": 1, "b": 2})
    with pytest.raises(UsageError, match="2 scores against 3"):
        tau_ap([1, 2], [1, 2, 3])
    with pytest.raises(UsageError, match="undefined"):
        rbo([1, float("nan")], [1, 2])
    with pytest.raises(UsageError, match="one ranking has names"):
        kendall({"a": 1}, [1])
    with pytest.raises(UsageError, match="between 0 and 1"):
        rbo([1, 2], [1, 2], p=1)
