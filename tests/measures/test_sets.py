"""Counts, and the retrieved documents as a set."""

from fractions import Fraction

import numpy as np
import pytest

from builders import (
    ranking,
    rankings,
    scores,
    value,
)
from spanwise.errors import UsageError
from spanwise.measures.names import parse

# n = 7 retrieved, R = 4 relevant, ok = 3 of them retrieved, 1 outside the pool, 1 not judged
RESULTS, JUDGED = "0 2 - 1 1 . 0", "2 1 1 1 0 0 0"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("NumRet", 7),
        ("NumRet(rel=1)", 3),
        ("NumRet(rel=2)", 1),
        ("NumRel", 4),
        ("NumRel(rel=2)", 1),
        ("NumRel(rel=0)", 7),
        ("NumRelRet", 3),
        ("NumRelRet(rel=2)", 1),
        ("NumNonrelJudgedRet", 2),  # 7 - 1 - 1 - 3
        ("NumNonrelJudgedRet(rel=2)", 4),  # 7 - 1 - 1 - 1
        ("NumQ", 1),
        ("SetP", Fraction(3, 7)),
        ("SetP(rel=2)", Fraction(1, 7)),
        ("SetR", Fraction(3, 4)),
        ("SetRelativeP", Fraction(3, 4)),  # min(7, 4)
        ("SetP(relative=True)", Fraction(3, 4)),
        ("SetAP", Fraction(3 * 3, 7 * 4)),
        ("SetF", 2 * Fraction(3, 7) * Fraction(3, 4) / (Fraction(3, 7) + Fraction(3, 4))),
        (
            "SetF(beta=0.5)",
            Fraction(3, 2) * Fraction(3, 7) * Fraction(3, 4) / (Fraction(3, 14) + Fraction(3, 4)),
        ),
        (
            "SetF(beta=2)",
            3 * Fraction(3, 7) * Fraction(3, 4) / (Fraction(6, 7) + Fraction(3, 4)),
        ),  # not squared
        ("SetF(beta=0)", Fraction(3, 7)),  # only precision
        ("Utility", 3 - 4),
        ("Utility(weights=[1,-0.5,0,0])", 3 - Fraction(4, 2)),
        ("Utility(weights=[0,0,-2,0])", -2 * 1),
        ("Utility(weights=[0,0,0,1],documents=100)", 100 + 3 - 7 - 4),
        # hits at 2, 4, 5; others at 1, 3, 6, 7: 3 + 2 + 2 of 3 times 4 pairs are in order
        ("Accuracy", Fraction(7, 12)),
        ("Accuracy(rel=2)", Fraction(5, 6)),  # the hit at 2, one of the six others above it
        ("Accuracy@3", Fraction(1, 2)),  # the hit at 2 among 1 and 3
        ("Accuracy@1", 0),
    ],
)
def test_worked_example(name, expected):
    assert value(name, RESULTS, JUDGED) == pytest.approx(float(expected), abs=1e-15)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("RelString", "02-11.0"),
        ("RelString(length=4)", "02-1"),
        ("RelString(length=4.9)", "02-1"),
        ("RelString(length=0)", ""),
        ("RelString(length=100)", "02-11.0"),
    ],
)
def test_the_ranking_as_a_string(name, expected):
    assert parse(name)(ranking(RESULTS, JUDGED)).tolist() == [expected]


def test_grades_above_nine_do_not_fit_into_one_character():
    assert parse("RelString")(ranking("9 10 2000000")).tolist() == ["9>>"]


def test_ten_results_are_shown_unless_told_otherwise():
    assert parse("RelString")(ranking("0 " * 12 + "1")).tolist() == ["0000000000"]


def test_accuracy_is_one_where_there_is_nothing_to_confuse():
    assert value("Accuracy", "1 2") == 1
    assert value("Accuracy@1", "1 0") == 1


@pytest.mark.parametrize("name", ["SetP", "SetR", "SetRelativeP", "SetAP", "SetF", "Accuracy"])
def test_an_empty_ranking_scores_zero(name):
    assert value(name, "", "1 1 0") == 0


def test_an_empty_ranking_has_no_right_and_no_wrong_decisions_about_its_results():
    assert value("Utility", "", "1 1 0") == 0
    assert value("Utility(weights=[1,-1,-1,0])", "", "1 1 0") == -2


@pytest.mark.parametrize("name", ["SetP", "SetRelativeP", "SetAP", "SetF"])
def test_without_anything_relevant_the_set_scores_zero(name):
    assert value(name, "0 -", "0 0") == 0


def test_recall_of_nothing_is_undefined():
    assert np.isnan(value("SetR", "0 -", "0 0"))


def test_counts_are_summed_over_topics_and_shares_averaged():
    found = scores(
        "1 a 1\n1 b 1\n2 c 1", "1 a 2\n1 x 1\n2 c 1", ["NumRet", "NumRel", "SetR", "NumQ"]
    )
    assert found.means == pytest.approx({"NumRet": 3, "NumRel": 3, "SetR": 3 / 4, "NumQ": 2})


def test_topics_of_a_block_do_not_mix():
    block = rankings([("1 1", "1 1 1 1"), ("", "1"), ("0 0 0 1", None)])
    assert parse("SetP")(block).tolist() == [1, 0, Fraction(1, 4)]
    assert parse("NumRet")(block).tolist() == [2, 0, 4]


@pytest.mark.parametrize("weights", ["1", "1,2,3", "1,2,3,4,5"])
def test_utility_needs_four_weights(weights):
    with pytest.raises(UsageError, match="expected 4"):
        value(f"Utility(weights=[{weights}])", "1 0")
