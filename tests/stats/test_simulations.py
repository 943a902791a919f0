"""Do intervals cover, and do tests keep their promise? Slow: `make simulate`."""

import numpy as np
import pytest

from level_of_groups import false_positives, mistaken_decisions
from spanwise.stats.clustered import RESPECTING, p_and_intervals
from spanwise.stats.paired import student
from spanwise.stats.resampling import Draws
from spanwise.stats.statements import FAMILIES
from spanwise.stats.tests import TESTS, bootstrap_intervals, corrected

pytestmark = pytest.mark.simulation
WORLDS = 2000


def differences(shape, topics, worlds, rng):
    """Differences of two equally good runs: per-topic scores in [0, 1], as measures give them."""
    if shape == "normal":
        return rng.normal(0, 0.2, (topics, worlds))
    if shape == "beta":  # like average precision
        return rng.beta(0.8, 2, (topics, worlds)) - rng.beta(0.8, 2, (topics, worlds))
    return rng.choice([0, 0.1, 0.2, 0.5, 1], (topics, worlds)) - rng.choice(
        [0, 0.1, 0.2, 0.5, 1], (topics, worlds)
    )  # like reciprocal rank, with many ties


@pytest.mark.parametrize("shape", ["normal", "beta", "steps"])
@pytest.mark.parametrize("topics", [10, 25, 50])
@pytest.mark.parametrize("name", TESTS)
def test_false_positives(name, topics, shape):
    rng = np.random.default_rng(1)
    worlds = WORLDS // 10 if name == "wilcoxon" and topics < 14 else WORLDS  # it enumerates
    d = differences(shape, topics, worlds, rng)
    p = TESTS[name](d, Draws(seed=2, resamples=2000))
    rate = float(np.mean(p < 0.05))
    print(f"\n{name:14} {shape:7} {topics:3} topics: {rate:.3f}")
    assert rate < 0.05 + 4 * np.sqrt(0.05 * 0.95 / worlds)


@pytest.mark.parametrize("shape", ["normal", "beta", "steps"])
@pytest.mark.parametrize("topics", [10, 25, 50])
def test_coverage(topics, shape):
    rng = np.random.default_rng(3)
    d = differences(shape, topics, WORLDS, rng) + 0.1
    bounds = [student(column)[1:] for column in d.T]
    covered = np.mean([low <= 0.1 <= high for low, high in bounds])
    drawn = bootstrap_intervals(d, Draws(seed=4, resamples=2000))
    redrawn = np.mean([low <= 0.1 <= high for _, low, high in drawn])
    print(f"\n{shape:7} {topics:3} topics: Student {covered:.3f}, bootstrap {redrawn:.3f}")
    assert 0.93 < covered < 0.97
    assert 0.92 < redrawn < 0.98


@pytest.mark.parametrize("correction", ["holm", "bonferroni", "bh"])
def test_any_mistake_among_ten_runs(correction):
    rng = np.random.default_rng(5)
    mistakes = 0
    for _ in range(WORLDS // 4):
        runs = rng.beta(0.8, 2, (30, 10))
        p = TESTS["t"](runs[:, 1:] - runs[:, :1], None)
        mistakes += min(corrected(p.tolist(), correction)) < 0.05
    rate = mistakes / (WORLDS // 4)
    print(f"\n{correction:10} any of 9: {rate:.3f}")
    assert rate < 0.05 + 4 * np.sqrt(0.05 * 0.95 / (WORLDS // 4))


@pytest.mark.parametrize("name", ["tukey", "randomised_tukey"])
def test_any_mistake_of_tukey(name):
    rng = np.random.default_rng(6)
    pairs = [(a, b) for a in range(4) for b in range(a)]
    worlds, mistakes = 300, 0
    for world in range(worlds):
        values = rng.beta(0.8, 2, (30, 4)) + rng.random((30, 1))
        draws = Draws(world, 500)
        mistakes += min(FAMILIES[name](values, pairs, draws).p) < 0.05
    print(f"\n{name:16} any of 6 pairs: {mistakes / worlds:.3f}")
    assert mistakes / worlds < 0.05 + 4 * np.sqrt(0.05 * 0.95 / worlds)


@pytest.mark.parametrize("shape", ["beta", "ndcg", "binary"])
@pytest.mark.parametrize("topics", [25, 50, 100])
def test_groups_that_are_alike(topics, shape):
    rate = false_positives(shape, topics, WORLDS, np.random.default_rng(7))
    print(f"\ngroups         {shape:7} {topics:3} topics: {rate:.3f}")
    assert rate < 0.05 + 4 * np.sqrt(0.05 * 0.95 / WORLDS)


@pytest.mark.parametrize("shape", ["beta", "ndcg", "binary"])
@pytest.mark.parametrize("topics", [25, 50, 100])
def test_margins_that_are_reached(topics, shape):
    """A difference as large as the margin is called equivalent in at most 2.5 % of worlds."""
    wrong, worse = mistaken_decisions(shape, topics, WORLDS, np.random.default_rng(8))
    print(
        f"\nmargin         {shape:7} {topics:3} topics: {wrong:.3f}, without difference {worse:.3f}"
    )
    assert wrong < 0.025 + 4 * np.sqrt(0.025 * 0.975 / WORLDS)
    assert worse < 0.05 + 4 * np.sqrt(0.05 * 0.95 / WORLDS)


def scores_of_clusters(shape, sizes, worlds, rng):
    """Differences of two equally good runs, half of whose variance is that of clusters.

    The result has a row for each world; the second result is the cluster of each topic.
    """
    owners = np.repeat(np.arange(len(sizes)), sizes)

    def drawn(count):
        if shape == "AP":
            return rng.beta(0.8, 2, (worlds, count)) - rng.beta(0.8, 2, (worlds, count))
        if shape == "nDCG":
            return rng.beta(3, 2, (worlds, count)) - rng.beta(3, 2, (worlds, count))
        return rng.integers(0, 2, (worlds, count)) - rng.integers(0, 2, (worlds, count))

    if shape == "0/1":  # half of the topics are as their cluster is
        same = rng.random((worlds, len(owners))) < np.sqrt(0.5)
        return np.where(same, drawn(len(sizes))[:, owners], drawn(len(owners))) * 1.0, owners
    return (drawn(len(sizes))[:, owners] + drawn(len(owners))) / 2, owners


SPREAD = {"equal": (5, 6), "unequal": (1, 16)}


@pytest.mark.parametrize("shape", ["AP", "nDCG", "0/1"])
@pytest.mark.parametrize("sizes", SPREAD)
@pytest.mark.parametrize("clusters", [20, 50, 100])
@pytest.mark.parametrize("name", RESPECTING)
def test_level_and_coverage_with_clusters(name, clusters, sizes, shape):
    rng = np.random.default_rng(8)
    counts = rng.integers(*SPREAD[sizes], clusters)
    rows, owners = scores_of_clusters(shape, counts, WORLDS, rng)
    p, bounds = p_and_intervals(list(rows + 0.0), owners, name, Draws(9, 1000))
    level = float(np.mean(np.array(p) < 0.05))
    covered = float(np.mean([low <= 0 <= high for _, low, high in bounds]))
    print(f"\n{name:14} {shape:5} {clusters:3} {sizes:7} clusters: {level:.3f}, {covered:.3f}")
    assert 0.03 < level < 0.07
    assert 0.93 < covered < 0.97
