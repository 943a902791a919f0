"""Graded relevance: discounted gains worked out rank by rank."""

from math import isnan, log2

import pytest

from builders import value
from spanwise.errors import UsageError

# rank       1   2   3   4   5   6   7     ideal  2  1  1  1
# gain       0   2   0   1   1   0   0
# log2(i+1)  1  l3   2  l5  l6
RESULTS, JUDGED = "0 2 - 1 1 . 0", "2 1 1 1 0 0 0"
L3, L5, L6, L7 = log2(3), log2(5), log2(6), log2(7)
DCG = 2 / L3 + 1 / L5 + 1 / L6
IDCG = 2 + 1 / L3 + 1 / 2 + 1 / L5


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("DCG", DCG),
        ("DCG@1", 0),
        ("DCG@4", 2 / L3 + 1 / L5),
        ("DCG@1000", DCG),
        ("DCG(dcg='exp-log2')", 3 / L3 + 1 / L5 + 1 / L6),
        ("DCG(gains={2:3})", 3 / L3 + 1 / L5 + 1 / L6),
        ("IDCG", IDCG),
        ("IDCG@2", 2 + 1 / L3),
        ("IDCG(dcg='exp-log2')@2", 3 + 1 / L3),
        ("nDCG", DCG / IDCG),
        ("nDCG@1", 0),
        ("nDCG@3", (2 / L3) / (2 + 1 / L3 + 1 / 2)),  # the ideal is cut too
        ("nDCG@1000", DCG / IDCG),
        ("nDCG(dcg='exp-log2')@3", (3 / L3) / (3 + 1 / L3 + 1 / 2)),
        ("nDCG(gains={1:2,2:5})", (5 / L3 + 2 / L5 + 2 / L6) / (5 + 2 / L3 + 2 / 2 + 2 / L5)),
        ("nDCG(gains={1:0})@3", (2 / L3) / 2),  # what gains nothing is not in the ideal
        ("nDCG(gains={-1:1})@3", (2 / L3 + 1 / 2) / (2 + 1 / L3 + 1 / 2)),  # outside the pool
        ("nDCG(gains={-2:1})", (DCG + 1 / L7) / IDCG),  # in the pool, not judged
    ],
)
def test_discounted_cumulated_gain(name, expected):
    assert value(name, RESULTS, JUDGED) == pytest.approx(expected)


def test_ndcg_at_relevant_averages_over_the_ideal():
    # DCG/ideal DCG at ranks 2, 4 and 5 where something was gained, and once at the end
    at = [
        (2 / L3) / (2 + 1 / L3),
        (2 / L3 + 1 / L5) / IDCG,
        DCG / IDCG,
        DCG / IDCG,
    ]
    assert value("nDCGrel", RESULTS, JUDGED) == pytest.approx(sum(at) / 4)


def test_ndcg_at_relevant_with_gains():
    dcg, ideal = 3 / L3 + 1 / L5 + 1 / L6, 3 + 1 / L3 + 1 / 2 + 1 / L5
    at = [(3 / L3) / (3 + 1 / L3), (3 / L3 + 1 / L5) / ideal, dcg / ideal, dcg / ideal]
    assert value("nDCGrel(gains={2:3})", RESULTS, JUDGED) == pytest.approx(sum(at) / 4)


def test_r_ndcg_averages_where_the_ideal_drops():
    # after rank 1 (from 2 to 1), after rank 4 (the end), and at 7, because 7 >= 4 + 2
    at = [0, (2 / L3 + 1 / L5) / IDCG, DCG / IDCG]
    assert value("Rndcg", RESULTS, JUDGED) == pytest.approx(sum(at) / 3)


def test_r_ndcg_leaves_out_the_end_of_a_ranking_that_is_hardly_longer():
    # ideal 1 1: its last document at 2; three results are fewer than 2 + 2
    assert value("Rndcg", "0 1 1") == pytest.approx((1 / L3) / (1 + 1 / L3))


def test_g_charges_what_was_lost_above():
    # ideal 2 1 1 1, so the cost so far is 2 3 4 5 6 7 8 and the gain so far 0 2 2 3 4 4 4
    expected = (2 / log2(2 + 3 - 2) + 1 / log2(2 + 5 - 3) + 1 / log2(2 + 6 - 4)) / 5
    assert value("G", RESULTS, JUDGED) == pytest.approx(expected)
    # ideal 3 1 1 1: cost 3 4 5 6 7, gain 0 3 3 4 5
    expected = (3 / log2(2 + 4 - 3) + 1 / log2(2 + 6 - 4) + 1 / log2(2 + 7 - 5)) / 6
    assert value("G(gains={1:1,2:3})", RESULTS, JUDGED) == pytest.approx(expected)


def test_g_of_odd_gains_may_be_undefined():
    # unjudged results gain 9, the ideal 1: after rank 1 the logarithm is that of 2 + 1 - 9
    assert isnan(value("G(gains={-1:9})", "- 1"))
    # gain 3 outside the pool: 2 + 1 - 3 = 0, whose term is 0; at rank 2 of 2 + 2 - 4 = 0 too
    assert value("G(gains={-1:3})", "- 1") == 0


@pytest.mark.parametrize("name", ["nDCG", "nDCG@3", "nDCGrel", "Rndcg", "G", "nDCG(dcg=exp-log2)"])
def test_without_anything_relevant_a_share_of_the_ideal_is_undefined(name):
    assert isnan(value(name, "0 - .", "0 0"))
    assert value(name, "0 - .", "0 0", follow="trec_eval 10") == 0


@pytest.mark.parametrize("name", ["nDCG", "nDCG@3", "DCG", "nDCGrel", "Rndcg", "G"])
def test_an_empty_ranking_gains_nothing(name):
    assert value(name, "", "2 1 0") == 0


def test_the_ideal_does_not_depend_on_what_was_retrieved():
    assert value("IDCG", "", "2 1 0") == value("IDCG", "0 2 1") == pytest.approx(2 + 1 / L3)


@pytest.mark.parametrize("cutoff", range(1, 9))
def test_the_ideal_ranking_scores_one_at_every_cut_off(cutoff):
    assert value(f"nDCG@{cutoff}", "4 3 3 2 1 0 0") == pytest.approx(1)


def test_a_fractional_grade_is_its_own_gain():
    # gains 0.5 and 1.5, ideal 1.5 and 0.5
    assert value("nDCG", "0.5 1.5") == pytest.approx((0.5 + 1.5 / L3) / (1.5 + 0.5 / L3))


def test_a_negative_grade_gains_nothing():
    assert value("DCG", ". 1") == pytest.approx(1 / L3)


def test_gains_sort_by_value_but_in_trec_eval_by_whole_steps():
    # grade 1 is worth 0.9, grade 2 0.5: the ideal is 0.9 0.5, the ranking 0.5 0.9
    name, results = "nDCG(gains={1:0.9,2:0.5})", "2 1"
    assert value(name, results) == pytest.approx((0.5 + 0.9 / L3) / (0.9 + 0.5 / L3))
    # trec_eval takes 0.9, 0.5 and the 0 of grade 0 for equal and leaves them as given, so that
    # the last entry gains nothing and the ideal list is empty
    assert value(name, results, follow="trec_eval 10") == 0


def test_trec_eval_puts_gains_a_whole_step_apart_in_order():
    # grade 1 is worth 9.5, grade 2 2.5, grade 0 nothing: the ideal is 9.5 2.5
    found = value("nDCG(gains={1:9.5,2:2.5})", "2 1", follow="trec_eval 10")
    assert found == pytest.approx((2.5 + 9.5 / L3) / (9.5 + 2.5 / L3))


def test_of_two_gains_for_one_grade_documents_count_once():
    # pairs (1, 5) and (1, 2): sorted 2 5, so a result of grade 1 gains 2, the first in order,
    # and the ideal list holds the gain of the first pair given, 5
    assert value("DCG(gains={1:5,1:2})", "1") == 2
    assert value("IDCG(gains={1:5,1:2})", "1") == 5


@pytest.mark.parametrize(
    "name", ["nDCG(dcg=exp-log2)@5", "DCG(dcg=exp-log2)", "IDCG(dcg=exp-log2)"]
)
def test_an_exponential_gain_beyond_all_numbers_is_refused(name):
    with pytest.raises(UsageError, match=r"2\^2000 is too large a gain"):
        value(name, "2000 1", "2000 1")
