"""Confidence sequences: by hand, and at every look of simulated worlds."""

from math import log, sqrt

import numpy as np
import pytest

from spanwise.stats.betting import (
    anytime_p,
    bets,
    capitals,
    confidence_sequence,
    crossings,
)


def by_definition(values, mean, alpha, c=0.5):
    """The capitals of Waudby-Smith and Ramdas, equations 23 to 26, one value after the other."""
    up = down = 1.0
    found = []
    total, squares, variance = 0.5, 0.25, 0.25
    for t, x in enumerate(values, start=1):
        bet = sqrt(2 * log(2 / alpha) / (variance * t * log(1 + t)))
        up *= 1 + min(bet, c / mean) * (x - mean)
        down *= 1 - min(bet, c / (1 - mean)) * (x - mean)
        found.append((up, down))
        total += x
        squares += (x - total / (t + 1)) ** 2
        variance = squares / (t + 1)
    return np.array(found)


@pytest.mark.parametrize("mean", [0.2, 0.5, 0.9])
def test_capitals_are_those_of_the_definition(mean):
    values = np.random.default_rng(1).beta(2, 3, 40)
    expected = by_definition(values, mean, 0.05)
    mine = np.exp(np.column_stack(capitals(values, mean, 0.05)))
    assert mine == pytest.approx(expected, rel=1e-9)


def test_a_bet_depends_on_earlier_values_only():
    values = np.random.default_rng(2).random(20)
    other = np.concatenate([values[:10], 1 - values[10:]])
    assert bets(values, 0.05)[:11].tolist() == bets(other, 0.05)[:11].tolist()


def test_the_interval_holds_the_means_that_no_capital_excludes():
    values = np.random.default_rng(3).beta(8, 2, 60)
    mean, low, high = confidence_sequence(values, 0.05)
    assert low < mean < high
    for candidate in np.linspace(0.01, 0.99, 99):
        excluded = by_definition(values, candidate, 0.05).max() >= 2 / 0.05
        assert excluded == (not low < candidate < high)
        assert excluded == (crossings(values, candidate, 0.05) != (None, None))
        assert excluded == (anytime_p(values, candidate, 0.05) <= 0.05)


def test_the_bounds_never_become_wider():
    values = np.random.default_rng(4).random(80)
    found = [confidence_sequence(values[:n], 0.05)[1:] for n in range(1, 81)]
    lows, highs = np.array(found).T
    assert (np.diff(lows) >= -1e-12).all()
    assert (np.diff(highs) <= 1e-12).all()
    assert confidence_sequence(values[:0], 0.05)[1:] == (0.0, 1.0)


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_values_at_the_ends_are_no_trouble(value):
    mean, low, high = confidence_sequence(np.full(200, value), 0.05)
    assert mean == value
    assert low <= value <= high
    assert high - low < 0.1


@pytest.mark.parametrize("shape", ["beta", "shares", "rare"])
def test_at_most_five_percent_are_wrong_over_200_looks(shape):
    """Two equally good runs, looked at after each of 200 topics: the true difference stays inside.

    A t-test at every look would be wrong in a third of the worlds.
    """
    rng, worlds, wrong = np.random.default_rng(5), 400, 0
    for _ in range(worlds):
        if shape == "beta":
            d = rng.beta(0.8, 2, 200) - rng.beta(0.8, 2, 200)
        elif shape == "shares":
            d = rng.integers(0, 2, 200) - rng.integers(0, 2, 200).astype(float)
        else:
            d = np.where(rng.random(200) < 0.02, rng.choice([-1.0, 1.0], 200), 0.0)
        wrong += crossings((d + 1) / 2, 0.5, 0.05) != (None, None)
    assert wrong / worlds <= 0.05
