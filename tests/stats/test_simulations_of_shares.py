"""Do intervals of shares cover, does McNemar's test keep its level, and the gate at every look?

Slow: `make simulate`.
"""

import numpy as np
import pytest

from spanwise.stats.betting import crossings
from spanwise.stats.power import detectable
from spanwise.stats.proportions import clopper_pearson, wilson
from spanwise.stats.resampling import Draws
from spanwise.stats.tests import TESTS, mcnemar

pytestmark = pytest.mark.simulation
WORLDS = 2000
ERROR = 4 * np.sqrt(0.05 * 0.95 / WORLDS)


def shares(topics, worlds, rng):
    """Two runs that succeed on 60 % of topics, more often on the same ones."""
    easy = rng.beta(1.5, 1, (topics, worlds))
    return (rng.random((2, topics, worlds)) < easy).astype(float)


@pytest.mark.parametrize("topics", [25, 50, 100])
def test_shares(topics):
    rng = np.random.default_rng(1)
    new, old = shares(topics, WORLDS, rng)
    rate = float(np.mean(mcnemar(new - old) < 0.05))
    covered = {}
    for name, function in (("Wilson", wilson), ("Clopper-Pearson", clopper_pearson)):
        bounds = [function(int(count), topics)[1:] for count in new.sum(0)]
        covered[name] = np.mean([low <= 0.6 <= high for low, high in bounds])
    print(f"\n{topics:3} topics: mcnemar {rate:.3f}", *(f"{n} {c:.3f}" for n, c in covered.items()))
    assert rate < 0.05 + ERROR
    assert 0.93 < covered["Wilson"] < 0.97
    assert covered["Clopper-Pearson"] > 0.95 - ERROR


@pytest.mark.parametrize("topics", [25, 50, 100])
@pytest.mark.parametrize("name", TESTS)
def test_detectable_differences_are_found_in_four_of_five_worlds(name, topics):
    rng = np.random.default_rng(2)
    if name == "mcnemar":
        size = detectable(name, 0.6, topics)
        differing = 0.36 + size**2
        chances = [(differing - size) / 2, 1 - differing, (differing + size) / 2]
        d = rng.choice([-1.0, 0.0, 1.0], (topics, WORLDS), p=chances)
    else:
        d = rng.normal(detectable(name, 0.2, topics), 0.2, (topics, WORLDS))
    found = float(np.mean(TESTS[name](d, Draws(seed=3, resamples=2000)) < 0.05))
    print(f"\n{name:14} {topics:3} topics: found {found:.3f}")
    assert 0.77 < found < 0.83


def drops(shape, rng):
    """Differences of two equally good runs for 200 topics."""
    if shape == "AP":
        return rng.beta(0.8, 2, 200) - rng.beta(0.8, 2, 200)
    if shape == "nDCG":
        return rng.beta(3, 2, 200) - rng.beta(3, 2, 200)
    if shape == "0/1":
        return (rng.integers(0, 2, 200) - rng.integers(0, 2, 200)).astype(float)
    return np.where(rng.random(200) < 0.02, rng.choice([-1.0, 1.0], 200), 0.0)


@pytest.mark.parametrize("shape", ["AP", "nDCG", "0/1", "rare"])
def test_wrong_decisions_over_200_looks(shape):
    rng = np.random.default_rng(4)
    wrong = often = 0
    numbers = np.arange(1, 201)
    for _ in range(WORLDS):
        d = drops(shape, rng)
        wrong += crossings((d + 1) / 2, 0.5, 0.05) != (None, None)
        means = np.cumsum(d) / numbers
        with np.errstate(divide="ignore", invalid="ignore"):
            spread = np.sqrt((np.cumsum(d**2) - numbers * means**2) / (numbers - 1) / numbers)
            often += bool((np.abs(means / spread)[9:] > 1.96).any())
    print(f"\n{shape:5} anytime {wrong / WORLDS:.3f}, fixed interval {often / WORLDS:.3f}")
    assert wrong / WORLDS <= 0.05
    assert often > wrong
