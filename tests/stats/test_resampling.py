"""Draws and weighted sums, on which every resampled statistic rests."""

from math import fsum, inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from spanwise.stats.resampling import Draws, sums

VALUES = st.floats(-1e6, 1e6, allow_subnormal=False)


@given(arrays(np.float64, st.tuples(st.integers(1, 40), st.just(3)), elements=VALUES))
def test_sums_are_as_exact_as_those_of_the_standard_library(columns):
    """To the last digits of the largest value that is summed."""
    topics = len(columns)
    weights = np.vstack([*Draws(1, 5).signs(topics), *Draws(2, 5).counts(topics)])
    found = sums(weights, columns)
    for column in range(3):
        unit = np.spacing(topics * np.abs(columns[:, column]).max())
        for row in range(10):
            # products of small whole numbers are rounded too, so add a value as often as it counts
            times = np.abs(weights[row]).astype(int)
            due = fsum(np.repeat(np.sign(weights[row]) * columns[:, column], times))
            assert abs(found[row, column] - due) <= unit


def test_the_order_of_topics_does_not_change_the_last_digit():
    generator = np.random.default_rng(4)
    columns = generator.choice([0.1, 0.2, 0.3, 1 / 3, 1e-9], (300, 4))
    weights = next(Draws(5, 50).counts(300))
    moved = generator.permutation(300)
    assert np.array_equal(sums(weights, columns), sums(weights[:, moved], columns[moved]))


@pytest.mark.parametrize("columns", [[[0.0], [0.0]], [[1e-300], [-2e-300]], [[1e300], [1e300]]])
def test_values_of_any_size_are_summed(columns):
    found = sums(np.array([[1.0, 1.0], [1.0, -1.0]]), np.array(columns))
    (one,), (other,) = columns
    assert found[:, 0].tolist() == [one + other, one - other]


def test_an_infinite_value_stays_infinite():
    assert sums(np.array([[1.0, 1.0]]), np.array([[inf], [1.0]])).tolist() == [[inf]]


@pytest.mark.parametrize("topics", [1, 2, 7, 300])
def test_each_resample_has_as_many_topics(topics):
    blocks = [*Draws(3, 600).counts(topics)]
    counts = np.vstack(blocks)
    assert counts.shape == (600, topics)
    assert (counts.sum(axis=1) == topics).all()
    assert counts.mean(axis=0) == pytest.approx(1, abs=0.25)
    if topics > 1:
        assert len(np.unique(counts, axis=0)) > 2 ** (min(topics, 9) - 1)
