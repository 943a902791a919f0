"""The best of several runs: probabilities, ranks, and the runs that are out."""

from itertools import product
from math import isclose, isnan

import numpy as np
import pytest

from spanwise.stats.best import contests
from spanwise.stats.resampling import Draws

MANY = Draws(resamples=40_000)


def contest(rows, less=False, draws=MANY, confidence=0.95):
    rows = np.array(rows, float)
    (found,) = contests("abcdefgh"[: rows.shape[1]], [rows], [less], draws, confidence)
    return found


def exact_probability(rows):
    """Go through every resample of a few topics."""
    rows = np.array(rows, float)
    topics, runs = rows.shape
    wins = np.zeros(runs)
    for drawn in product(range(topics), repeat=topics):
        sums = rows[list(drawn)].sum(axis=0)
        first = sums >= sums.max() - 1e-9
        wins += first / first.sum()
    return wins / topics**topics


def test_the_probability_of_being_best_is_that_of_all_resamples():
    rows = [[0.1, 0.4, 0.3], [0.9, 0.5, 0.8], [0.2, 0.3, 0.3], [0.6, 0.1, 0.2]]
    assert contest(rows).probability == pytest.approx(exact_probability(rows), abs=0.01)


def test_equal_runs_share_the_probability():
    found = contest([[0.5, 0.5, 0.1], [0.7, 0.7, 0.2], [0.6, 0.6, 0.3]])
    assert found.probability == (0.5, 0.5, 0.0)
    assert (found.rank_low, found.rank_high) == ((1, 1, 3), (2, 2, 3))
    assert set(found.contenders) >= {0, 1}
    assert found.winner(0.95) is None


def test_a_run_that_is_better_by_the_same_on_every_topic_wins():
    found = contest([[0.5, 0.4], [0.9, 0.8], [0.2, 0.1]])
    assert found.winner(0.95) == 0
    assert found.behind == ((), (0,))
    assert (found.rank_low, found.rank_high) == ((1, 2), (1, 2))
    assert found.gap == pytest.approx((0, 0.1))


def test_where_less_is_better_the_lowest_wins():
    assert contest([[0.5, 0.4], [0.9, 0.8], [0.2, 0.1]], less=True).winner(0.95) == 1


def test_two_runs_are_told_apart_as_by_a_t_test():
    from scipy.stats import ttest_rel

    generator = np.random.default_rng(5)
    agree = 0
    for _ in range(200):
        rows = generator.normal(0.5, 0.2, (60, 1)) + generator.normal(0, 0.1, (60, 2))
        rows[:, 0] += generator.uniform(0, 0.07)
        p = ttest_rel(rows[:, 0], rows[:, 1]).pvalue
        agree += (contest(rows, draws=Draws(resamples=4000)).winner(0.95) is not None) == (p < 0.05)
    assert agree >= 190


def test_the_best_of_equal_runs_is_rarely_out():
    generator = np.random.default_rng(11)
    out = 0
    for world in range(400):
        rows = generator.normal(0.5, 0.2, (50, 1)) + generator.normal(0, 0.1, (50, 8))
        out += len(contest(rows, draws=Draws(world, 1000)).contenders) < 8
    assert out / 400 < 0.08  # 5 % and chance


def test_topics_without_a_value_are_left_out():
    rows = [[0.5, 0.4], [0.9, 0.8], [float("nan"), 0.1], [0.3, 0.1]]
    assert contest(rows) == contest([rows[0], rows[1], rows[3]])


def test_one_topic_says_nothing():
    found = contest([[0.5, 0.4, 0.3]])
    assert found.topics == 1
    assert found.contenders == (0, 1, 2)
    assert all(map(isnan, found.probability))


def test_tables_resampled_together_give_what_each_gives_alone():
    generator = np.random.default_rng(3)
    one, other, short = (generator.random((n, 4)) for n in (30, 30, 20))
    assert contests("abcd", [one, short, other], [False, True, True]) == [
        *contests("abcd", [one]),
        *contests("abcd", [short], [True]),
        *contests("abcd", [other], [True]),
    ]


def test_the_gap_has_an_interval_that_excludes_0_where_a_run_is_behind():
    generator = np.random.default_rng(8)
    rows = generator.normal(0.5, 0.2, (40, 1)) + generator.normal(0, 0.1, (40, 5))
    rows += [0.2, 0.15, 0.1, 0.02, 0.0]
    found = contest(rows)
    for run in range(5):
        assert found.gap_low[run] <= found.gap[run] <= found.gap_high[run]
        assert (found.leader in found.behind[run]) == (found.gap_low[run] > 0)
    assert isclose(found.gap[found.leader], 0)


@pytest.mark.parametrize("less", [False, True])
def test_the_order_of_topics_changes_nothing(less):
    """Names of topics decide their order, so they must not decide which are drawn together."""
    generator = np.random.default_rng(21)
    rows = generator.choice([0, 0.25, 1 / 3, 1], (30, 4))
    before = contest(rows, less, Draws(resamples=500))
    assert 0 < max(before.probability) < 1
    for _ in range(3):
        assert contest(generator.permutation(rows), less, Draws(resamples=500)) == before


def test_a_winner_for_more_repeats_must_be_better_than_repeats_vary():
    generator = np.random.default_rng(6)
    runs = []
    for gain in (0.08, 0.0):  # one repeat of each is far better than the others
        luck = np.array([[0.15, 0.0, 0.02, -0.03]])
        runs.append(0.5 + gain + luck + generator.normal(0, 0.01, (40, 4)))
    table = np.column_stack([run.mean(axis=1) for run in runs])
    (these,) = contests("ab", [table], draws=Draws(1, 2000))
    assert these.winner(0.95) == 0
    (more,) = contests("ab", [table], draws=Draws(1, 2000), repeats=[runs])
    assert more.winner(0.95) is None
    assert 0.7 < more.probability[0] < 1
    steady = [np.repeat(column[:, None], 4, axis=1) for column in table.T]
    (found,) = contests("ab", [table], draws=Draws(1, 2000), repeats=[steady])
    assert found.winner(0.95) == 0


def test_the_best_of_equal_systems_is_rarely_out_for_more_repeats():
    generator = np.random.default_rng(12)
    out = 0
    for world in range(300):
        runs = [
            generator.normal(0, 0.05, (1, 6)) + generator.normal(0.5, 0.1, (40, 6))
            for _ in range(3)
        ]
        table = np.column_stack([run.mean(axis=1) for run in runs])
        (found,) = contests("abc", [table], draws=Draws(world, 500), repeats=[runs])
        out += len(found.contenders) < 3
    assert out / 300 < 0.09


def test_where_less_is_better_repeats_turn_around_too():
    generator = np.random.default_rng(2)
    runs = [0.2 + generator.random((30, 3)) * 0.1, 0.5 + generator.random((30, 3)) * 0.1]
    table = np.column_stack([run.mean(axis=1) for run in runs])
    (found,) = contests("ab", [table], [True], Draws(1, 1000), repeats=[runs])
    assert found.winner(0.95) == 0


def test_repeats_and_topics_that_never_differ_are_no_obstacle():
    flat = [np.full((5, 3), 0.5), np.full((5, 3), 0.25), np.full((5, 1), 0.5)]
    table = np.column_stack([run.mean(axis=1) for run in flat])
    (found,) = contests("abc", [table], draws=Draws(1, 1000), repeats=[flat])
    assert found.probability == (0.5, 0.0, 0.5)
    assert found.contenders == (0, 2)
    (alone,) = contests("ab", [table[:1, :2]], repeats=[[run[:1] for run in flat[:2]]])
    assert alone.contenders == (0, 1)
