"""Many runs at once, against statsmodels, SciPy and enumeration."""

from itertools import combinations, permutations, product

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.anova import AnovaRM

from spanwise.stats.anova import randomised_tukey, tukey, two_way
from spanwise.stats.resampling import Draws


def grid(topics, runs, seed=0):
    rng = np.random.default_rng(seed)
    return rng.random((topics, 1)) + 0.1 * np.arange(runs) + rng.normal(0, 0.2, (topics, runs))


def test_the_analysis_is_that_of_statsmodels():
    values = grid(12, 4)
    cells = [(t, r, values[t, r]) for t in range(12) for r in range(4)]
    frame = pd.DataFrame(cells, columns=["topic", "run", "value"])
    table = AnovaRM(frame, "value", "topic", within=["run"]).fit().anova_table
    mine = two_way(values)
    assert mine.f_runs == pytest.approx(table["F Value"].iloc[0])
    assert mine.p_runs == pytest.approx(table["Pr > F"].iloc[0])
    assert (mine.freedom_runs, mine.freedom_left) == (3, 33)
    total = ((values - values.mean()) ** 2).sum()
    assert mine.squares_runs + mine.squares_topics + mine.squares_left == pytest.approx(total)


def test_two_runs_are_a_paired_t_test():
    values = grid(20, 2)
    expected = stats.ttest_rel(values[:, 0], values[:, 1]).pvalue
    assert two_way(values).p_runs == pytest.approx(expected)
    assert tukey(values, [(0, 1)]).p == pytest.approx([expected], abs=1e-7)


def test_tukey_on_values_without_topics_is_that_of_scipy():
    # with residuals that already sum to zero in each topic, only the degrees of freedom differ
    values = grid(15, 3)
    analysis = two_way(values)
    pairs = list(combinations(range(3), 2))
    means = values.mean(0)
    q = [abs(means[a] - means[b]) / np.sqrt(analysis.error / 15) for a, b in pairs]
    assert tukey(values, pairs).p == pytest.approx(stats.studentized_range.sf(q, 3, 28))


def test_tukeys_bounds_are_those_of_the_studentised_range():
    # the 5 % point for 3 runs and 10 degrees of freedom is 3.877 in every printed table
    values = grid(6, 3)
    reach = tukey(values, [(0, 1)]).radius
    assert reach == pytest.approx(3.877 * np.sqrt(two_way(values).error / 6), rel=2e-4)
    pairs = list(combinations(range(5), 2))
    for seed in range(5):
        some = grid(20, 5, seed)
        means, (p, reach) = some.mean(0), tukey(some, pairs)
        for (a, b), one in zip(pairs, p, strict=True):
            assert (one < 0.05) == (abs(means[a] - means[b]) > reach)


def test_one_topic_says_nothing():
    one = np.array([[0.1, 0.2]])
    for found in (tukey(one, [(0, 1)]), randomised_tukey(one, [(0, 1)])):
        assert np.isnan([*found.p, found.radius]).all()


def test_scipys_doubts_about_an_integral_are_not_passed_on():
    # two runs of a hundred, 2.4117 standard errors apart: p is 0.99999999995 by Gauss-Legendre
    noise = np.random.default_rng(0).normal(0, 1, (250, 100))
    noise -= noise.mean(0) + noise.mean(1)[:, None] - noise.mean()
    analysis = two_way(noise)
    noise[:, 0] += 2.4117044606205194 * np.sqrt(analysis.error / 250)
    assert tukey(noise, [(0, 1)]).p == pytest.approx([0.9999999999508558], abs=1e-9)


def test_runs_that_are_the_same():
    values = np.repeat(np.array([[0.1], [0.5], [0.3]]), 3, axis=1)
    assert tukey(values, [(0, 1), (0, 2)]) == ([1.0, 1.0], 0.0)
    assert randomised_tukey(values, [(0, 1)]) == ([1.0], pytest.approx(0))


def test_rounding_is_no_variance():
    topics = np.random.default_rng(0).random((40, 1)) / 3
    same = two_way(np.repeat(topics, 5, axis=1))
    assert (same.squares_runs, same.squares_left) == (0, 0)
    assert np.isnan(same.p_runs)
    apart = topics + 0.1 * np.arange(5)  # the same everywhere: nothing is left to chance
    assert two_way(apart).p_runs == 0
    assert tukey(apart, [(0, 1)]) == ([0.0], 0.0)


def test_randomised_tukey_comes_near_all_shuffles():
    values = grid(4, 3, seed=5)
    pairs = list(combinations(range(3), 2))
    ranges = []
    for orders in product(permutations(range(3)), repeat=4):
        sums = sum(values[t, list(order)] for t, order in enumerate(orders))
        ranges.append((sums.max() - sums.min()) / 4)
    means = values.mean(0)
    found = randomised_tukey(values, pairs, Draws(seed=1))
    assert np.quantile(ranges, 0.94) <= found.radius <= np.quantile(ranges, 0.96)
    for (a, b), p in zip(pairs, found.p, strict=True):
        exact = np.mean(np.array(ranges) >= abs(means[a] - means[b]) - 1e-12)
        assert abs(p - exact) < 5 * np.sqrt(exact * (1 - exact) / 10_000) + 1e-4


def test_randomised_tukey_is_repeatable():
    values, pairs = grid(30, 5), [(0, 4), (1, 2)]
    assert randomised_tukey(values, pairs) == randomised_tukey(values, pairs)


@pytest.mark.parametrize("runs", [2, 5])
def test_omega_squared_is_nothing_without_differences(runs):
    assert abs(two_way(np.random.default_rng(0).random((500, runs))).omega_squared) < 0.01
    far = np.random.default_rng(0).random((500, runs)) + 5 * np.arange(runs)
    assert two_way(far).omega_squared > 0.8
