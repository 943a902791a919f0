"""Measures of highlighted text, by hand."""

from fractions import Fraction

import numpy as np
import pytest

from spanwise.errors import InputError, UsageError
from spanwise.measures.names import parse
from spanwise.model.policy import Policy
from text_blocks import (
    block,
    judged,
    returned,
    returned_documents,
)

JUDGED = judged(
    "1 Q0 a 40 100 10 10:20 50:20",
    "1 Q0 b 0 100",
    "1 Q0 c 10 50 0 0:10",
)
# 50 highlighted characters. After each result: read 20 found 10; read 60 found 10; 90, 30; 100, 40
MINE = returned("1 a 0 20", "1 b 0 40", "1 a 40 30", "1 c 0 10")


def value(name, run=MINE, judgements=JUDGED, policy=None):
    one = block(judgements, run, policy or Policy(ties="file"))
    return parse(name)(one)[0]


@pytest.mark.parametrize(
    ("level", "expected"),
    [
        ("0.00", Fraction(1, 2)),
        ("0.01", Fraction(1, 2)),
        ("0.20", Fraction(1, 2)),  # 10 of 50, reached exactly
        ("0.21", Fraction(40, 100)),
        ("0.6", Fraction(40, 100)),
        ("0.8", Fraction(40, 100)),
        ("0.81", 0),
        ("1", 0),
    ],
)
def test_interpolated_precision(level, expected):
    assert value(f"iP[{level}]") == float(expected)
    assert value(f"iP@{level}") == float(expected)


def test_the_mean_over_levels():
    # 0.00 to 0.20 are 21 levels, 0.21 to 0.80 are 60
    expected = (21 * Fraction(1, 2) + 60 * Fraction(40, 100)) / 101
    assert value("MAiP") == pytest.approx(float(expected), abs=1e-15)
    assert value("AiP") == value("MAiP")


def test_characters_and_documents():
    assert value("char_prec") == 40 / 100
    assert value("char_rec") == 40 / 50
    assert value("char_f1") == pytest.approx(
        float(2 * Fraction(2, 5) * Fraction(4, 5) / Fraction(6, 5)), abs=1e-15
    )
    assert value("art_prec") == 2 / 3
    assert value("art_rec") == 1
    assert value("art_f1") == pytest.approx(4 / 5, abs=1e-15)


def test_text_that_comes_again_is_found_once_and_charged_or_skipped():
    run = returned("1 a 10 20", "1 a 10 20", "1 b 0 10", "1 b 0 10", "1 a 0 70")
    # found 20, 20, 20, 20, 40; read 20, 40, 50, 60, 130 or without repeats 20, 20, 30, 30, 80
    assert value("iP[0.4]", run) == 1
    assert value("iP[0.8]", run) == 40 / 130
    assert value("iP(repeats=skip)[0.8]", run) == 40 / 80
    assert value("char_prec", run) == 40 / 130
    assert value("char_prec(repeats=skip)", run) == 40 / 80
    assert value("char_rec(repeats=skip)", run) == value("char_rec", run) == 40 / 50
    assert value("MAiP(repeats=skip)", run) == pytest.approx(
        float((41 * 1 + 40 * Fraction(1, 2)) / 101), abs=1e-15
    )


def test_every_level_that_is_reached_exactly_counts():
    """With 100 characters, one found after the other, each level is reached by its own result."""
    judgements = judged("1 Q0 a 100 100 0 0:100")
    for found in range(1, 101):
        run = returned(f"1 a 0 {found}")
        assert value(f"iP[{found / 100}]", run, judgements) == 1
        if found < 100:
            assert value(f"iP[{(found + 1) / 100}]", run, judgements) == 0
        assert value("MAiP", run, judgements) == pytest.approx((found + 1) / 101, abs=1e-15)


def test_the_followed_program_cuts_the_hundredfold_of_recall():
    judgements = judged("1 Q0 a 100 100 0 0:100")
    policy = Policy(ties="file", follow="inex_eval 3.1")
    run = returned("1 a 0 29")  # 100 * 0.29 is a little less than 29
    assert value("iP[0.29]", run, judgements, policy) == 0
    assert value("iP[0.28]", run, judgements, policy) == 1


def test_nothing_returned_and_nothing_of_any_size():
    nothing = returned("2 a 0 5")
    for name in ("iP[0]", "MAiP", "char_prec", "char_rec", "char_f1", "art_prec", "art_f1"):
        assert value(name, nothing) == 0
    assert value("iP[0]", returned("1 a 60 0", "1 c 0 10")) == 1
    assert value("char_prec", returned("1 a X X", "1 c 0 10")) == 1


def test_without_highlighted_text_recall_is_undefined():
    judgements = judged("1 Q0 a 0 100")
    run = returned("1 a 0 10")
    assert np.isnan(value("char_rec", run, judgements))
    assert np.isnan(value("art_rec", run, judgements))


def test_whole_documents():
    run = returned_documents("1 a", "1 c")
    assert value("char_prec", run) == 50 / 150
    assert value("iP[1]", run) == 50 / 150
    assert value("MAiP", run) == pytest.approx(
        float((81 * Fraction(40, 100) + 20 * Fraction(1, 3)) / 101)
    )


def test_whole_documents_of_unknown_length_have_no_precision():
    with pytest.raises(InputError, match=r"mine:1: document 'zoo': its length.*--collection"):
        value("char_prec", returned_documents("1 zoo"))
    assert value("art_prec", returned_documents("1 zoo", "1 a")) == 1 / 2


@pytest.mark.parametrize("level", ["1.01", "-0.1"])
def test_a_level_lies_between_0_and_1(level):
    with pytest.raises(UsageError, match="expected a number from 0 to 1"):
        value(f"iP[{level}]")


def test_a_level_is_needed():
    with pytest.raises(UsageError, match="needs its recall"):
        parse("iP")


def test_ties_in_expectation_are_refused_where_the_order_matters():
    policy = Policy(ties="expected")
    assert value("char_prec", policy=policy) == 40 / 100
    with pytest.raises(UsageError, match="expected value over tied results is not implemented"):
        value("MAiP", policy=policy)
