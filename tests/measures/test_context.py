"""Measures of documents in context, by hand."""

import re
from fractions import Fraction

import numpy as np
import pytest

from spanwise.errors import UsageError
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
    "1 Q0 d 30 400 100 100:30",
)
# a: 50 characters shown, 40 of them highlighted; b: none; c: 20 shown, 10 highlighted
MINE = returned("1 a 10 20", "1 a 40 30", "1 b 0 40", "1 c 0 20")
A, C = (Fraction(40, 50), Fraction(40, 40)), (Fraction(10, 20), Fraction(10, 10))


def f(precision_and_recall, beta=Fraction(1, 4)):
    precision, recall = precision_and_recall
    return (1 + beta**2) * precision * recall / (beta**2 * precision + recall)


def value(name, run=MINE, judgements=JUDGED):
    return parse(name)(block(judgements, run, Policy(ties="file")))[0]


def close(expected):
    return pytest.approx(float(expected), abs=1e-15)


def test_the_f_score_of_each_document():
    assert value("gP@1") == close(f(A))
    assert value("gP@2") == close(f(A) / 2)
    assert value("gP@3") == close((f(A) + f(C)) / 3)
    assert value("gP(beta=1)@3") == close((f(A, 1) + f(C, 1)) / 3)
    assert f(A, 1) == Fraction(8, 9)
    assert value("gP(beta=0)@1") == close(A[0])


def test_past_the_last_document():
    assert value("gP@6") == close((f(A) + f(C)) / 6)
    assert value("gP(past=last)@6") == close((f(A) + f(C)) / 3)
    assert value("gP(past=last)@2") == value("gP@2")
    assert value("gR@6") == value("gR@3") == 2 / 3
    assert value("gP(past=last)@5", returned("2 a 0 5")) == 0


def test_recall_counts_documents_whatever_was_shown_of_them():
    assert [value(f"gR@{k}") for k in (1, 2, 3)] == [1 / 3, 1 / 3, 2 / 3]
    assert value("gR(score=bep)@3") == 2 / 3
    assert value("gR(beta=1,n=10,tolerance=5,past=last)@6") == 2 / 3
    run = returned("1 a 90 5")
    assert (value("gR@1", run), value("gP@1", run)) == (1 / 3, 0)


def test_the_average_over_documents_with_highlighted_text():
    expected = (f(A) + (f(A) + f(C)) / 3) / 3
    assert value("MAgP") == close(expected)
    assert value("AgP") == value("MAgP") == value("MAgP(past=last)")


@pytest.mark.parametrize(
    ("start", "n", "expected"),
    [
        (100, 500, Fraction(1)),
        (90, 500, Fraction(490, 500)),
        (130, 500, Fraction(470, 500)),
        (130, 30, Fraction(0)),
        (129, 30, Fraction(1, 30)),
        (131, 30, Fraction(0)),
        (399, 500, Fraction(201, 500)),
    ],
)
def test_the_distance_from_the_best_entry_point(start, n, expected):
    run = returned(f"1 d {start} 1")
    assert value(f"gP(score=bep,n={n})@1", run) == close(expected)


def test_only_the_first_result_of_a_document_is_an_entry():
    run = returned("1 d 110 1", "1 d 100 1")
    assert value("gP(score=bep)@1", run) == close(Fraction(490, 500))


def test_an_entry_that_could_not_be_placed_is_worth_nothing():
    assert value("gP(score=bep)@1", returned("1 d X X")) == 0


@pytest.mark.parametrize(
    ("tolerance", "expected"),
    [
        (0, Fraction(0)),  # the reader does not begin
        (1, Fraction(20, 21)),  # 20 highlighted characters, then one that is not
        (9, Fraction(20, 29)),
        (10, Fraction(20, 30)),  # what begins when the tolerance is reached is not read
        (11, Fraction(40, 51)),
        (60, Fraction(40, 100)),
        (1000, Fraction(40, 100)),  # the document is at its end
    ],
)
def test_a_reader_with_a_tolerance(tolerance, expected):
    """Of document a: 10-30, all highlighted; 40-70, of which the last 20 are; then the rest."""
    assert value(f"gP(score=t2i,tolerance={tolerance})@1") == close(expected)


def test_passages_are_read_in_the_order_of_the_document():
    run = returned("1 a 40 30", "1 a 10 20")
    assert value("gP(score=t2i,tolerance=1)@1", run) == close(Fraction(20, 21))


def test_what_was_not_shown_is_read_after_what_was():
    run = returned("1 d 0 10")
    assert value("gP(score=t2i,tolerance=100)@1", run) == 0  # 10 shown, then 90 up to offset 100
    assert value("gP(score=t2i,tolerance=101)@1", run) == close(Fraction(30, 131))


def test_whole_documents_need_no_lengths_of_those_nobody_judged():
    run = returned_documents("1 zoo", "1 c")
    p = Fraction(10, 50)
    assert value("gP@2", run) == close(f((p, Fraction(1))) / 2)
    assert value("gP(score=t2i)@2", run) == close(Fraction(10, 50) / 2)


def test_overlapping_results_of_a_document_are_charged_and_found_once():
    run = returned("1 c 0 10", "1 c 0 10")
    assert value("gP@1", run) == close(f((Fraction(10, 20), Fraction(1))))


def test_results_of_a_document_need_not_stand_together():
    apart = returned("1 a 10 20", "1 b 0 40", "1 a 40 30", "1 c 0 20")
    assert value("MAgP", apart) == value("MAgP")


def test_without_highlighted_text_it_is_undefined():
    judgements, run = judged("1 Q0 a 0 100"), returned("1 a 0 10")
    assert np.isnan(value("MAgP", run, judgements))
    assert np.isnan(value("gR@5", run, judgements))
    assert value("gP@5", run, judgements) == 0


def test_a_distance_must_be_positive():
    with pytest.raises(UsageError, match="n is 0"):
        value("gP(score=bep,n=0)@1")
    for beta in ("-1", "1e+200"):
        with pytest.raises(UsageError, match=re.escape(f"beta is {beta}; expected a weight")):
            value(f"MAgP(beta={beta})")
    with pytest.raises(UsageError, match="tolerance is -1; it must be 0 characters or more"):
        value("MAgP(score=t2i,tolerance=-1)")


def test_only_known_scores():
    with pytest.raises(UsageError, match="one of f, bep, t2i"):
        value("gP(score=g)@1")
