"""p-values against SciPy and against enumeration."""

from itertools import product
from math import comb, isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from spanwise.errors import UnknownName
from spanwise.stats.resampling import Draws
from spanwise.stats.tests import (
    TESTS,
    bootstrap,
    p_values,
    randomisation,
    sign,
    t,
    wilcoxon,
)

TENTHS = st.lists(st.integers(-10, 10), min_size=2, max_size=8)


def drawn(topics, pairs, seed=0, shift=0.05):
    return np.random.default_rng(seed).normal(shift, 0.2, (topics, pairs))


@pytest.mark.parametrize("topics", [2, 3, 10, 50, 250])
def test_t_is_that_of_scipy(topics):
    x, y = np.random.default_rng(1).random((2, topics, 4))
    expected = stats.ttest_rel(x, y).pvalue
    assert t(x - y) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("topics", [3, 12, 49, 51, 200])
def test_wilcoxon_is_that_of_scipy(topics):
    x, y = np.random.default_rng(2).random((2, topics))
    differences = np.column_stack([x - y, np.round(x - y, 1)])  # without and with ties and zeros
    expected = [stats.wilcoxon(differences[:, k]).pvalue for k in range(2)]
    assert wilcoxon(differences).tolist() == expected


def test_wilcoxon_on_paper():
    # ranks 1 to 4, all positive: one of 16 assignments of signs, and its mirror image
    assert wilcoxon(np.array([[0.1], [0.2], [0.3], [0.4]]))[0] == pytest.approx(2 / 16)


@pytest.mark.parametrize(("wins", "losses", "ties"), [(9, 1, 0), (9, 1, 5), (5, 5, 2), (0, 6, 0)])
def test_sign_counts_and_drops_ties(wins, losses, ties):
    column = np.array([0.5] * wins + [-0.1] * losses + [0.0] * ties)[:, None]
    n, k = wins + losses, max(wins, losses)
    tail = sum(comb(n, i) for i in range(k, n + 1)) / 2**n
    assert sign(column)[0] == pytest.approx(min(1, 2 * tail))


@given(TENTHS)
def test_randomisation_goes_through_all_signs(tenths):
    column = [number / 10 for number in tenths]
    reached = abs(sum(tenths))
    every = [
        abs(sum(map(int.__mul__, signs, tenths))) for signs in product((1, -1), repeat=len(tenths))
    ]
    expected = sum(total >= reached for total in every) / len(every)
    assert randomisation(np.array(column)[:, None])[0] == pytest.approx(expected, abs=1e-15)


def test_fourteen_topics_are_exact_and_zeros_do_not_count():
    column = drawn(14, 1)[:, 0]
    expected = stats.permutation_test(
        (column, np.zeros(14)),
        lambda x, y, axis: (x - y).mean(axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=np.inf,
    ).pvalue
    assert randomisation(column[:, None])[0] == pytest.approx(expected, abs=1e-15)
    with_zeros = np.concatenate([column, np.zeros(20)])
    assert randomisation(with_zeros[:, None])[0] == pytest.approx(expected, abs=1e-15)


def test_drawn_signs_come_near_the_exact_p():
    column = drawn(15, 1, seed=3)
    signs = np.array(list(product((1.0, -1.0), repeat=15)))
    exact = np.mean(np.abs(signs @ column) >= abs(column.sum()) - 1e-12)
    p = randomisation(column, Draws(seed=1))[0]
    assert p != exact
    assert abs(p - exact) < 5 * np.sqrt(exact * (1 - exact) / 10_000)


def bootstrap_by_hand(column):
    """p over all ordered draws of a few topics, from the definition."""
    n, mean = len(column), sum(column) / len(column)

    def student(values):
        m = sum(values) / n
        s = (sum((v - m) ** 2 for v in values) / (n - 1)) ** 0.5
        if s < 1e-12:
            return 0.0 if abs(m) < 1e-12 else float("inf")
        return abs(m) / (s / n**0.5)

    observed = student(column)
    every = [student([v - mean for v in draw]) for draw in product(column, repeat=n)]
    return sum(value >= observed - 1e-12 for value in every) / len(every)


@pytest.mark.parametrize("column", [[0.1, 0.2, 0.4, 0.3], [0.1, -0.2, 0.4, 0.1, 0.0]])
def test_bootstrap_comes_near_all_draws(column):
    expected = bootstrap_by_hand(column)
    p = bootstrap(np.array(column)[:, None], Draws(seed=2))[0]
    assert abs(p - expected) < 5 * np.sqrt(expected * (1 - expected) / 10_000)


@pytest.mark.parametrize("name", TESTS)
def test_no_difference_at_all_is_p_1(name):
    assert p_values([np.zeros(20), np.zeros(3)], name) == [1.0, 1.0]


@pytest.mark.parametrize("name", TESTS)
def test_one_topic_says_nothing(name):
    (p,) = p_values([np.array([0.5])], name)
    assert isnan(p) if name in ("t", "bootstrap") else p == 1.0


@pytest.mark.parametrize("name", TESTS)
def test_the_same_difference_everywhere(name):
    (p,) = p_values([np.full(20, 0.25)], name, Draws())
    assert p <= 1 / 10_000


def test_no_topic_at_all_is_undefined():
    assert isnan(p_values([np.array([])], "randomisation")[0])


@pytest.mark.parametrize("name", TESTS)
def test_a_pair_has_its_p_in_any_company(name):
    columns = [drawn(20, 1, seed=k)[:, 0] for k in range(4)]
    columns.append(columns[0][:12])  # with other topics than the rest
    together = p_values(columns, name)
    alone = [p_values([column], name)[0] for column in columns]
    assert together == pytest.approx(alone, rel=1e-12)


@pytest.mark.parametrize("name", ["randomisation", "bootstrap"])
def test_the_seed_decides(name):
    columns = [drawn(40, 1)[:, 0]]
    assert p_values(columns, name, Draws(1)) == p_values(columns, name, Draws(1))
    assert p_values(columns, name, Draws(1)) != p_values(columns, name, Draws(2))


@pytest.mark.parametrize("name", TESTS)
def test_turning_runs_around_changes_no_p(name):
    column = drawn(30, 1)[:, 0]
    assert p_values([column], name) == pytest.approx(p_values([-column], name))


def test_an_unknown_test_is_refused():
    with pytest.raises(UnknownName, match="unknown test 'welch'"):
        p_values([np.zeros(2)], "welch")


@pytest.mark.parametrize("name", TESTS)
def test_the_order_and_so_the_names_of_topics_change_no_p(name):
    column = drawn(40, 1)[:, 0]
    mixed = np.random.default_rng(4).permutation(column)
    assert p_values([mixed], name) == pytest.approx(p_values([column], name), rel=1e-9)
