"""The tables of simulated verdicts: what they promise, and the worlds that they are drawn from."""

import importlib.util
import re
from math import sqrt
from pathlib import Path

import numpy as np
import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def simulate():
    spec = importlib.util.spec_from_file_location("simulate", DOCS / "simulate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def tables(simulate):
    """The rows of each table in the page, without the headings."""
    text = simulate.PAGE.read_text(encoding="utf-8")
    part = text.partition(simulate.BEGIN)[2].partition(simulate.END)[0]
    found = re.findall(r"(?:^\|.*\n)+", part, re.MULTILINE)
    return [[row.strip("| ").split(" | ") for row in table.splitlines()[2:]] for table in found]


def test_the_tables_keep_what_the_page_promises(simulate, tables):
    """Rates of mistakes are at most 5 %, and the best is kept in 95 %, within simulation error."""
    most = 0.05 + 4 * sqrt(0.05 * 0.95 / simulate.WORLDS)
    alike, better, none_better, best = tables
    worlds = ["recall", "precision", "complete evidence"]
    cells = [(world, str(topics)) for world in worlds for topics in (25, 50, 100, 200)]
    for table in (alike, none_better):
        assert [(row[0], row[1]) for row in table] == cells
        rates = np.array([row[2:] for row in table], float)
        assert rates.max() <= most
        assert 0.02 < rates[:, 0].mean() < 0.055  # neither too many nor hardly any
    named, power, marked, exact = np.array([row[2:] for row in better], float).T
    assert named == pytest.approx(power, abs=0.045)
    assert marked == pytest.approx(exact, abs=0.045)
    assert [row[0] for row in best] == worlds
    assert np.array([row[1:] for row in best], float).min() >= 1 - most


@pytest.mark.parametrize("by", [0.0, 0.05])
@pytest.mark.parametrize("name", ["RECALL", "PRECISION", "COMPLETE"])
def test_the_true_difference_of_a_world_is_that_of_many_topics(simulate, name, by):
    world = getattr(simulate, name)
    values = world.drawn(np.random.default_rng(3), 4000, [0.0, by], 50)
    gaps = values[:, :, 1] - values[:, :, 0]
    assert gaps.mean() == pytest.approx(by, abs=4 * gaps.std() / sqrt(gaps.size))
    assert set(np.unique(values)) <= set(world.values)


def test_the_power_of_a_world_is_that_of_the_t_test(simulate):
    """Counted with SciPy's test, which the exact power does not use."""
    from scipy.stats import ttest_1samp

    world, count = simulate.COMPLETE, 2000
    drawn = [world.drawn(np.random.default_rng(n), 100, [0.0, 0.12], 500) for n in range(4)]
    values = np.concatenate(drawn)
    found = ttest_1samp(values[:, :, 1] - values[:, :, 0], 0, axis=1).pvalue < 0.05
    due = world.power(100, 0.12)
    assert 0.3 < due < 0.9
    assert found.mean() == pytest.approx(due, abs=4 * sqrt(due * (1 - due) / count))


def test_the_power_where_values_are_0_or_1_is_that_of_the_sign_test(simulate):
    """Counted with SciPy's binomial test, which the exact power does not use."""
    from scipy.stats import binomtest

    world, count = simulate.COMPLETE, 600
    values = world.drawn(np.random.default_rng(8), 100, [0.0, 0.12], count)
    gaps = values[:, :, 1] - values[:, :, 0]
    wins, losses = (gaps > 0).sum(axis=1).tolist(), (gaps < 0).sum(axis=1).tolist()
    found = np.mean([
        w > n and binomtest(w, w + n).pvalue < 0.05 for w, n in zip(wins, losses, strict=True)
    ])  # fmt: skip
    due = world.power_of_signs(100, 0.12)
    assert 0.2 < due < 0.9
    assert found == pytest.approx(due, abs=4 * sqrt(due * (1 - due) / count))


def test_the_script_reports_rates_that_are_too_high(simulate, monkeypatch):
    monkeypatch.setattr(simulate, "TOPICS", (25,))
    monkeypatch.setattr(simulate, "EVERY", (simulate.COMPLETE,))
    monkeypatch.setattr(simulate, "BETTER", ())
    monkeypatch.setattr(simulate, "RUNS", (2, 3))
    monkeypatch.setattr(simulate, "told_apart", lambda *_, **__: (0.5, 0.0))
    lines, wrong = simulate.simulated(20)
    assert "| complete evidence | 25 | 0.500 | 0.000 |" in lines
    assert wrong == ["alike | complete evidence | 25 | 0.500 | 0.000 |"]
