"""Does the disagreement of judges change the ranking of runs? On paper, and by the command."""

import json
from math import isnan

import numpy as np
import pytest

from calling import called
from spanwise.cli import main
from spanwise.stats.correlation import (
    mixtures,
    randomisation,
    rankings,
    spearman,
)


def means(*values):
    """Runs of one topic."""
    return np.array(values)[:, None]


def test_rank_correlations_on_paper():
    x, y = means(4.0, 3, 2, 1), means(4.0, 2, 3, 1)
    found = rankings("abcd", x, y, 1)
    assert found.tau == pytest.approx(4 / 6)
    assert found.spearman == spearman(x[:, 0], y[:, 0]) == pytest.approx(1 - 6 * 2 / (4 * 15))
    # places 2, 3, 4 of y: what stands above them and is above them in x too
    assert found.tau_ap == pytest.approx(2 / 3 * (1 / 1 + 1 / 2 + 3 / 3) - 1)
    assert [(swap.better_for_a, swap.better_for_b) for swap in found.swaps] == [("b", "c")]


def test_runs_of_equal_score_stand_in_either_order():
    """Below the best run: 1, then 3/4, as the other of the two is above it in every other order."""
    same = means(0.9, 0.5, 0.5)
    assert rankings("abc", same, same, 1).tau_ap == pytest.approx(2 * (1 + 3 / 4) / 2 - 1)


def test_rounding_swaps_no_runs():
    a = np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1]])  # the sums differ in the last digit
    assert a[0].mean() != a[1].mean()
    found = rankings("xy", a, a[::-1], 1)
    assert (isnan(found.tau), found.swaps) == (True, ())


def test_randomisation_is_exact_for_few_topics():
    """Of 8 patterns of signs of 1, 1, 1 two have a mean of 1 in size."""
    assert randomisation(np.array([1.0, 1, 1]), 1) == 2 / 8


def test_mixtures_of_judges_who_agree_change_nothing():
    values = np.tile(np.array([[0.1, 0.2, 0.3], [0.2, 0.3, 0.4]]), (3, 1, 1))
    found = mixtures(values, 1)
    assert (found.tau_mean, found.same_best) == (1.0, 1.0)


@pytest.mark.parametrize("order", [[0, 1], [1, 0]])
def test_the_best_run_stays_the_best_beside_an_equal(order):
    """The first judge sees no difference, the second prefers the first run: it is never beaten."""
    values = np.array([[[0.5], [0.5]], [[0.7], [0.3]]])[:, order]
    assert mixtures(values, 1).same_best == 1


def test_does_it_matter(tmp_path):
    """One judge finds d1 alone relevant, the other d2: the runs change places."""
    (tmp_path / "a.qrels").write_text("1 0 d1 1\n1 0 d2 0\n2 0 d1 1\n2 0 d2 0\n")
    (tmp_path / "b.qrels").write_text("1 0 d1 0\n1 0 d2 1\n2 0 d1 1\n2 0 d2 0\n")
    (tmp_path / "x.run").write_text("1 Q0 d1 1 2 x\n1 Q0 d2 2 1 x\n2 Q0 d2 1 2 x\n")
    (tmp_path / "y.run").write_text("1 Q0 d2 1 2 y\n1 Q0 d1 2 1 y\n2 Q0 d2 1 2 y\n")
    words = ["agree", tmp_path / "a.qrels", tmp_path / "b.qrels", "--unit", "document"]
    words += ["--runs", tmp_path / "x.run", "--runs", tmp_path / "y.run", "-m", "RR"]
    answer = json.loads(called(main, *words, "--format", "json")[0])
    (effect,) = answer["ranking"]
    assert effect["means"] == {"x": [0.5, 0.25], "y": [0.25, 0.5]}
    (pair,) = effect["pairs"]
    assert pair["tau"] == -1.0
    assert [(s["better_for_a"], s["better_for_b"]) for s in pair["swaps"]] == [("x", "y")]
    assert answer["pairs"][0]["overlap"] == pytest.approx((0 / 2 + 1 / 1) / 2)
    assert "no assessor separates" in called(main, *words)[0].decode()


def test_runs_that_are_equal_have_no_ranking(tmp_path):
    """JSON knows no NaN; and all words behind --runs are runs."""
    (tmp_path / "a.qrels").write_text("1 0 d1 1\n1 0 d2 0\n")
    (tmp_path / "b.qrels").write_text("1 0 d1 0\n1 0 d2 1\n")
    for name in "xy":
        (tmp_path / f"{name}.run").write_text(f"1 Q0 d1 1 2 {name}\n1 Q0 d2 2 1 {name}\n")
    files, runs = [tmp_path / "a.qrels", tmp_path / "b.qrels"], [tmp_path / "x.run"]
    runs.append(tmp_path / "y.run")
    words = ["--unit", "document", "-m", "RR", "--format", "json"]
    out = called(main, "agree", *files, "--runs", *runs, *words)[0]
    (pair,) = json.loads(out, parse_constant=pytest.fail)["ranking"][0]["pairs"]
    assert (pair["tau"], pair["spearman"], pair["swaps"]) == (None, None, [])
    apart = [word for run in runs for word in ("--runs", run)]
    assert called(main, "agree", *apart, *words, *files)[0] == out
