"""Orders of runs: ranks, what breaks them, and swaps."""

import numpy as np
import pytest

from spanwise.stats.correlation import (
    competition_ranks,
    ideal_beaten,
    overlap_rewarded,
    swapped,
    swapped_by_halves,
)


def test_ranks_of_the_published_table():
    values = [0.1430, 0.7437, 0.2567, 0.6195, 0.3944, 0.0296]
    assert competition_ranks(values) == [5, 1, 4, 2, 3, 6]


def test_violations_in_the_published_table():
    """inex-2002 puts four runs above the ideal one; nXCG none."""
    runs = ("irb", "frb", "ia", "id", "lo", "ao")
    inex = [0.1430, 0.7437, 0.2567, 0.6195, 0.3944, 0.0296]
    gain = [1.0000, 0.5369, 0.7936, 0.7790, 0.8269, 0.4096]
    assert [v.better for v in ideal_beaten("m", runs, inex)] == ["frb", "ia", "id", "lo"]
    assert ideal_beaten("m", runs, gain) == []
    overlaps = [0, 0.775, 0.707, 0.579, 0, 0]
    rewarded = {(v.better, v.worse) for v in overlap_rewarded("m", runs, inex, overlaps)}
    assert rewarded == {
        *(("frb", other) for other in ("irb", "ia", "id", "lo", "ao")),
        *(("id", other) for other in ("irb", "lo", "ao")),
        *(("ia", other) for other in ("irb", "ao")),
    }
    rewarded = {(v.better, v.worse) for v in overlap_rewarded("m", runs, gain, overlaps)}
    assert rewarded == {("frb", "ao"), ("ia", "ao"), ("id", "ao"), ("ia", "id")}


def test_where_less_is_better_the_least_is_best():
    """The third reads most for nothing: it beats none, and the first is beaten by nobody."""
    runs, wasted = ("irb", "lo", "frb"), [0.0, 0.25, 0.5]
    assert competition_ranks(wasted, less_is_better=True) == [1, 2, 3]
    assert competition_ranks([float("nan"), 0.5, 0.25], less_is_better=True) == [3, 2, 1]
    assert ideal_beaten("m", runs, wasted, less_is_better=True) == []
    assert overlap_rewarded("m", runs, wasted, [0, 0, 0.5], less_is_better=True) == []
    (beaten,) = ideal_beaten("m", runs, [0.5, 0.25, 0.75], less_is_better=True)
    assert str(beaten) == "m: lo 0.2500 below irb 0.5000 (nothing beats irb)"
    (rewarded,) = overlap_rewarded("m", runs, [0.5, 0.75, 0.5], [0, 0, 0.5], less_is_better=True)
    assert (rewarded.better, rewarded.worse, rewarded.values) == ("frb", "lo", (0.5, 0.75))


def test_ties_are_no_swaps():
    assert swapped(np.array([1.0, 1.0, 2.0]), np.array([1.0, 2.0, 3.0])) == 0
    assert swapped(np.array([1.0, 2.0]), np.array([2.0, 1.0])) == 1
    assert np.isnan(swapped(np.array([1.0]), np.array([1.0])))


def test_halves():
    """Two topics that disagree always swap; topics that agree never."""
    assert swapped_by_halves(np.array([[1.0, 0.0], [0.0, 1.0]]), seed=1) == 1
    assert swapped_by_halves(np.array([[1.0, 1.0], [0.0, 0.0]]), seed=1) == 0
    assert np.isnan(swapped_by_halves(np.array([[1.0, np.nan], [0.0, 0.0]]), seed=1))


def test_halves_of_four_topics():
    """One run wins by 3 on one topic and loses by 1 on three: of every split one half swaps.

    Halves of two topics: the half with the large win is won by 2, the other lost by 2.
    """
    table = np.array([[3.0, 0, 0, 0], [0, 1, 1, 1]])
    assert swapped_by_halves(table, seed=3) == pytest.approx(1)
