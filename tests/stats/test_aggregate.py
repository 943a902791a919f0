"""Values of many topics to one number."""

from math import isnan, nan

import numpy as np
import pytest

from spanwise.stats import FLOOR, overall, pooled, running_sum


def test_a_sum_is_formed_from_left_to_right():
    values = [1e16, 1.0, 1.0, -1e16]  # each 1 is lost beside 1e16; added in pairs they are not
    assert running_sum(np.array(values)) == 0.0
    many = np.array([0.1] * 1000)
    plain = 0.0
    for value in many:
        plain += value
    assert running_sum(many) == plain != 100.0


def test_the_sum_of_nothing_is_0():
    assert running_sum(np.array([])) == 0.0


@pytest.mark.parametrize(
    ("values", "how", "expected"),
    [
        ([1.0, 0.0, 0.5], "mean", 1 / 2),
        ([1.0, nan, 0.0], "mean", 1 / 2),  # undefined values are left out
        ([2.0, nan, 3.0], "sum", 5),
        ([nan], "sum", 0),
        ([0.25, 1.0], "geometric", 1 / 2),
        ([0.25, nan, 1.0], "geometric", 1 / 2),
        ([0.0, 0.1], "geometric", 1e-3),  # the square root of 0.00001 times 0.1
        ([1e-9, 0.1], "geometric", 1e-3),
    ],
)
def test_one_number_for_all_topics(values, how, expected):
    assert overall(np.array(values), how) == pytest.approx(expected)


@pytest.mark.parametrize("how", ["mean", "geometric"])
@pytest.mark.parametrize("values", [[], [nan, nan]])
def test_no_values_have_no_mean(how, values):
    assert isnan(overall(np.array(values, float), how))


def test_the_floor_is_trec_evals():
    assert FLOOR == 0.00001


def test_pooled_is_a_quotient_of_sums():
    assert pooled(np.array([1.0, 3.0]), np.array([2.0, 6.0])) == 1 / 2
    assert pooled(np.array([1.0, nan]), np.array([2.0, nan])) == 1 / 2
    assert isnan(pooled(np.array([0.0]), np.array([0.0])))
