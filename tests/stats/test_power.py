"""What topics can show, against statsmodels and enumeration."""

from itertools import product
from math import inf, isnan

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.power import TTestPower

import spanwise
from scores_by_hand import scores_of_values
from spanwise.stats.power import attained_level, detectable, needed_topics, power_of, smallest_p
from spanwise.stats.resampling import Draws
from spanwise.stats.tests import TESTS, p_values


@pytest.mark.parametrize("topics", [1, 2, 5, 10, 14, 15, 30, 60])
@pytest.mark.parametrize("test", TESTS)
def test_the_smallest_p_is_that_of_the_clearest_topics(test, topics):
    ones = test in ("sign", "mcnemar")
    clearest = np.ones(topics) if ones else 1 + np.arange(topics) * 1e-6
    (p,) = p_values([clearest], test, Draws(resamples=1000))
    mine = smallest_p(test, topics, 1000)
    if test == "t":
        assert isnan(mine) if topics == 1 else mine == 0
    elif test == "randomisation" and 10 < topics < 30:
        assert mine <= p < 0.002  # a draw may by chance repeat the observed signs
    elif test == "bootstrap" and topics < 10:
        assert isnan(mine) if topics == 1 else mine <= p
    else:
        assert mine == pytest.approx(p)


@pytest.mark.parametrize("topics", [5, 6, 8, 11])
@pytest.mark.parametrize("alpha", [0.01, 0.05])
def test_the_attained_level_is_enumerated(topics, alpha):
    every = np.array(list(product((1.0, -1.0), repeat=topics))).T
    sizes = np.sqrt(np.arange(2.0, topics + 2))[:, None]  # no two sums are equal
    for test in ("randomisation", "wilcoxon"):
        p = np.array(p_values(list((every * sizes).T), test))
        assert attained_level(test, topics, alpha) == pytest.approx(np.mean(p < alpha))


@pytest.mark.parametrize("topics", [5, 25, 100])
def test_the_detectable_difference_of_t_is_that_of_statsmodels(topics):
    effect = TTestPower().solve_power(nobs=topics, alpha=0.05, power=0.8)
    assert detectable("t", 0.2, topics) == pytest.approx(0.2 * effect, rel=1e-5)
    assert detectable("randomisation", 0.2, topics + 10) == detectable("t", 0.2, topics + 10)
    assert needed_topics("t", 0.2 * effect * (1 + 1e-4), 0.2) == topics


@pytest.mark.parametrize(("topics", "difference", "deviation"), [(8, 0.4, 0.5), (20, 0.3, 0.6)])
def test_the_power_of_mcnemar_is_a_sum_over_all_tables(topics, difference, deviation):
    differing = deviation**2 + difference**2
    shares = ((differing + difference) / 2, (differing - difference) / 2, 1 - differing)
    expected = 0.0
    for wins in range(topics + 1):
        for losses in range(topics + 1 - wins):
            if wins + losses and stats.binomtest(wins, wins + losses).pvalue < 0.05:
                counts = (wins, losses, topics - wins - losses)
                expected += stats.multinomial.pmf(counts, topics, shares)
    assert power_of("mcnemar", difference, deviation, topics) == pytest.approx(expected)


@pytest.mark.parametrize("topics", [6, 17, 60])
def test_the_power_of_the_sign_test_is_a_sum_over_all_counts(topics):
    share, counts = stats.norm.cdf(0.5), np.arange(topics + 1)
    rejected = [stats.binomtest(int(one), topics).pvalue < 0.05 for one in counts]
    expected = stats.binom.pmf(counts, topics, share)[rejected].sum()
    assert power_of("sign", 0.1, 0.2, topics) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("test", "topics"),
    [
        *(("randomisation", n) for n in (8, 25)),
        *(("wilcoxon", n) for n in (8, 25)),
        ("bootstrap", 25),
    ],
)
def test_a_detectable_difference_is_found_in_four_of_five_sets_of_topics(test, topics):
    size = detectable(test, 0.2, topics)
    worlds = 1000
    d = np.random.default_rng(1).normal(size, 0.2, (topics, worlds))
    found = np.mean(TESTS[test](d, Draws(seed=2, resamples=1000)) < 0.05)
    assert abs(found - 0.8) < (0.08 if topics < 10 else 0.05)


def test_five_topics_show_nothing_by_a_sign_test():
    assert smallest_p("sign", 5) == 0.0625
    assert isnan(detectable("sign", 0.2, 5))
    assert power_of("randomisation", 0.9, 0.01, 5) == 0
    assert needed_topics("sign", 0.9, 0.1) == 6
    assert needed_topics("sign", 0.0, 0.1) == inf


@pytest.mark.parametrize("test", ["sign", "wilcoxon", "randomisation", "mcnemar"])
@pytest.mark.parametrize("difference", [0.02, 0.1, 0.25])
def test_needed_topics_have_the_power(test, difference):
    topics = int(needed_topics(test, difference, 0.3))
    assert power_of(test, difference, 0.3, topics) >= 0.8
    assert power_of(test, difference, 0.3, topics - 1) < 0.8


def test_a_comparison_says_what_its_topics_can_show():
    rng = np.random.default_rng(3)
    old, new = (scores_of_values(name, {"AP": rng.random(30)}) for name in ("old", "new"))
    c = spanwise.compare(None, [old, new], "AP", tests=("t", "sign", "tukey"))
    deviation = np.std(new.values["AP"] - old.values["AP"], ddof=1)
    effect = TTestPower().solve_power(nobs=30, alpha=0.05, power=0.8)
    first, second, third = c.to_dict()["power"]
    assert first == {
        "run": "new",
        "baseline": "old",
        "measure": "AP",
        "test": "t",
        "topics": 30,
        "smallest_p": 0.0,
        "detectable": pytest.approx(effect * deviation, rel=1e-5),
    }
    assert (second["test"], second["smallest_p"]) == ("sign", 2.0**-29)
    assert third["detectable"] is None
    assert f"show a difference of {effect * deviation:.4f} (AP)" in c.table()
