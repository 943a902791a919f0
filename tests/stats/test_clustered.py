"""Clusters of topics: standard errors, tests and intervals that respect them."""

from math import inf, isnan, sqrt

import numpy as np
import pytest
from scipy import stats

from spanwise.errors import UsageError
from spanwise.stats.best import contests
from spanwise.stats.clustered import (
    Clusters,
    clustered_effect,
    freedom,
    interval,
    p_and_intervals,
    standard_error,
    summed,
)
from spanwise.stats.paired import cohen, student
from spanwise.stats.resampling import Draws
from spanwise.stats.statements import Question
from spanwise.stats.tests import TESTS, bootstrap_intervals

SIZES = [[1, 1, 1, 1, 1], [4, 4, 4], [1, 2, 3, 10], [17, 1, 1], [2, 9, 5, 5, 1, 1, 3], [3, 4]]


def by_matrices(values, owners):
    """CR2 and Satterthwaite's degrees of freedom of an intercept, from the definitions.

    The adjustment of a cluster is the symmetric square root of the pseudo-inverse of its block of
    I - H. The estimated variance is a quadratic form of the values; its moments give the degrees of
    freedom: 2 E^2 / Var for independent values of equal variance.
    """
    count = len(values)
    design = np.ones((count, 1))
    bread = np.linalg.inv(design.T @ design)
    residual_maker = np.eye(count) - design @ bread @ design.T
    residuals = residual_maker @ values
    variance, form = 0.0, np.zeros((count, count))
    for owner in np.unique(owners):
        mine = owners == owner
        block = np.linalg.pinv(residual_maker[np.ix_(mine, mine)], hermitian=True)
        size, axes = np.linalg.eigh(block)
        adjustment = axes @ np.diag(np.sqrt(np.clip(size, 0, None))) @ axes.T
        weights = (bread @ design[mine].T @ adjustment)[0]
        variance += float(weights @ residuals[mine]) ** 2
        row = weights @ residual_maker[mine]
        form += np.outer(row, row)
    mean, spread = np.trace(form), 2 * np.trace(form @ form)
    return float(values.mean()), sqrt(variance), 2 * mean**2 / spread


def clusters_of(sizes, seed=0, together=0.3):
    generator = np.random.default_rng(seed)
    owners = np.repeat(np.arange(len(sizes)), sizes)
    values = generator.normal(0.1, together, len(sizes))[owners] + generator.normal(
        0, 0.2, len(owners)
    )
    mixed = generator.permutation(len(owners))
    return values[mixed], owners[mixed]


@pytest.mark.parametrize("sizes", SIZES)
def test_standard_error_and_degrees_of_freedom_are_those_of_the_definition(sizes):
    values, owners = clusters_of(sizes)
    mean, error, degrees = by_matrices(values, owners)
    some = summed(values, owners)
    assert some.mean == pytest.approx(mean, rel=1e-12)
    assert standard_error(some) == pytest.approx(error, rel=1e-9)
    assert freedom(some.sizes) == pytest.approx(degrees, rel=1e-9)
    (p,), (bounds,) = p_and_intervals([values], owners, "t")
    assert p == pytest.approx(2 * stats.t.sf(abs(mean / error), degrees), rel=1e-9)
    reach = stats.t.ppf(0.975, degrees) * error
    assert bounds == pytest.approx((mean, mean - reach, mean + reach), rel=1e-9)
    assert interval(values, owners) == pytest.approx(bounds, rel=1e-12)


def test_a_small_case_by_hand():
    # 4 topics in clusters of 1, 1 and 2; the mean is 2, the sums of residuals are -2, 0 and 2:
    # CR2 = (4 / (3/4) + 0 + 4 / (2/4)) / 16 = 5/6. Shares 1/4, 1/4, 1/2; of the diagonal
    # 1/16 + 1/16 + 1/4 = 3/8; crossed 1/12, 1/12, 1/2: 2 (1/144 + 1/24 + 1/24) = 13/72.
    some = summed(np.array([0.0, 2.0, 2.0, 4.0]), np.array([0, 1, 2, 2]))
    assert standard_error(some) == pytest.approx(sqrt(5 / 6))
    assert freedom(some.sizes) == pytest.approx(1 / (3 / 8 + 13 / 72))


def test_equal_clusters_are_tested_as_their_means_are():
    values, owners = clusters_of([5] * 12)
    means = [values[owners == owner].mean() for owner in range(12)]
    (p,), _ = p_and_intervals([values], owners, "t")
    assert p == pytest.approx(stats.ttest_1samp(means, 0).pvalue, rel=1e-9)
    assert freedom(np.full(12, 5.0)) == pytest.approx(11)


@pytest.mark.parametrize("test", ["t", "randomisation", "bootstrap"])
def test_clusters_of_one_topic_change_nothing(test):
    generator = np.random.default_rng(4)
    columns = generator.normal(0.08, 0.2, (30, 3))
    owners, draws = generator.permutation(30), Draws(7, 2000)
    p, bounds = p_and_intervals(list(columns.T), owners, test, draws)
    assert p == pytest.approx(TESTS[test](columns, draws).tolist(), abs=1e-12)
    expected = (
        bootstrap_intervals(columns, draws)
        if test == "bootstrap"
        else [student(column) for column in columns.T]
    )
    assert np.array(bounds) == pytest.approx(np.array(expected), rel=1e-9)
    some = summed(columns[:, 0], owners)
    assert clustered_effect(some) == pytest.approx(cohen(columns[:, 0]))


def test_whole_clusters_are_flipped():
    # sums of clusters 3, 2 and -1: of the 8 assignments of signs, |sum| >= 4 for
    # (+ + -) 4, (+ + +) 6 -- as 3 + 2 + 1 -- and their mirror images: 4 of 8.
    values = np.array([1.0, 2.0, 2.0, -3.0, 2.0])
    owners = np.array([0, 0, 1, 2, 2])
    (p,), _ = p_and_intervals([values], owners, "randomisation")
    assert p == pytest.approx(4 / 8)


def test_topics_without_a_value_are_left_out():
    values, owners = clusters_of([3, 4, 2, 5, 1, 6])
    more = np.concatenate([values, [np.nan, np.nan]])
    longer = np.concatenate([owners, [0, 6]])
    for test in ("t", "randomisation", "bootstrap"):
        assert p_and_intervals([more], longer, test) == p_and_intervals([values], owners, test)


@pytest.mark.parametrize("test", ["t", "randomisation", "bootstrap"])
def test_neither_names_of_clusters_nor_the_direction_matter(test):
    values, owners = clusters_of([3, 4, 2, 5, 1, 6] * 4)
    (p,), (bounds,) = p_and_intervals([values], owners, test, Draws(3, 2000))
    (turned,), (other,) = p_and_intervals([-values], 99 - owners, test, Draws(3, 2000))
    assert turned == pytest.approx(p, abs=1e-12)
    assert other == pytest.approx((-bounds.mean, -bounds.high, -bounds.low))


def test_no_difference_and_one_cluster():
    zeros, owners = np.zeros(6), np.array([0, 0, 1, 1, 2, 2])
    for test in ("t", "randomisation", "bootstrap"):
        assert p_and_intervals([zeros], owners, test)[0] == [1.0]
    (p,), (bounds,) = p_and_intervals([np.arange(6.0)], np.zeros(6, np.int64), "t")
    assert isnan(p)
    assert isnan(bounds.low)
    assert isnan(freedom(np.array([6.0])))
    same = p_and_intervals([np.full(6, 0.1)], owners, "t")[0]
    assert same == [0.0]
    assert clustered_effect(summed(np.full(6, 0.1), owners)) == inf
    for test in ("t", "randomisation", "bootstrap"):
        (p,), (bounds,) = p_and_intervals([np.full(6, np.nan)], owners, test)
        assert isnan(p)
        assert isnan(bounds.mean)


def test_differences_that_cancel_out_in_every_cluster_show_nothing():
    values, owners = np.array([0.3, -0.3, 0.1, -0.1]), np.array([0, 0, 1, 1])
    for test in ("t", "randomisation"):
        assert p_and_intervals([values], owners, test)[0] == [1.0]


@pytest.mark.parametrize("test", ["wilcoxon", "sign", "tukey", "randomised_tukey"])
def test_tests_that_cannot_respect_clusters_are_refused(test):
    with pytest.raises(UsageError, match=f"{test} .*use --test t"):
        Question((test,), clusters=Clusters({}))


def test_every_topic_needs_a_cluster():
    clusters = Clusters({"q1": "a", "q2": "a", "q3": 7}, "file")
    assert clusters.owners(["q3", "q1", "q2"]).tolist() == [0, 1, 1]
    with pytest.raises(UsageError, match=r"file: found no cluster for 1 of 2 topics \('q9'\)"):
        clusters.owners(["q1", "q9"])
    assert Clusters(lambda topic: topic[0]).owners(["a1", "b1", "a2"]).tolist() == [0, 1, 0]


def worlds(sizes, count, seed):
    """Differences without a true effect, half of whose variance is that of clusters; in [-1, 1]."""
    generator = np.random.default_rng(seed)
    owners = np.repeat(np.arange(len(sizes)), sizes)
    first, second = generator.beta(0.8, 2, (2, count, len(sizes)))
    third, fourth = generator.beta(0.8, 2, (2, count, len(owners)))
    return (first - second)[:, owners] / 2 + (third - fourth) / 2, owners


@pytest.mark.parametrize("test", ["t", "randomisation", "bootstrap"])
def test_the_level_holds_where_topics_taken_for_independent_break_it(test):
    sizes = np.random.default_rng(1).integers(1, 12, 25)
    rows, owners = worlds(sizes, 300, 2)
    p, _ = p_and_intervals(list(rows), owners, test, Draws(0, 500))
    assert np.mean(np.array(p) < 0.05) < 0.09
    naive = TESTS["t"](rows.T, None)
    assert np.mean(naive < 0.05) > 0.12


def test_the_contest_resamples_clusters():
    sizes = [6] * 15
    owners = np.repeat(np.arange(15), sizes)
    generator = np.random.default_rng(9)
    table = generator.normal(0, 0.2, (15, 3))[owners] + generator.normal(0.5, 0.02, (90, 3))
    (mine,) = contests("abc", [table], draws=Draws(1, 2000), owners=owners)
    means = np.array([table[owners == owner].mean(axis=0) for owner in range(15)])
    (expected,) = contests("abc", [means], draws=Draws(1, 2000))
    assert mine.probability == pytest.approx(expected.probability)
    assert mine.behind == expected.behind
    assert mine.gap_low == pytest.approx(expected.gap_low)
    assert (mine.topics, mine.clusters) == (90, 15)


def test_the_best_of_equal_runs_is_rarely_out_with_clusters_of_unequal_size():
    generator = np.random.default_rng(11)
    out = 0
    for world in range(200):
        sizes = generator.integers(1, 10, 25)
        owners = np.repeat(np.arange(25), sizes)
        table = generator.normal(0, 0.1, (25, 4))[owners]
        table = table + generator.normal(0.5, 0.1, (len(owners), 4))
        (found,) = contests("abcd", [table], draws=Draws(world, 500), owners=owners)
        out += len(found.contenders) < 4
    assert out / 200 < 0.1
