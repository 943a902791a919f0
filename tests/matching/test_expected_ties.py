"""Expected values over ties: the same as the mean over all orders of tied results."""

from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders import (
    ranking,
    rankings,
    scores,
    value,
)
from spanwise.errors import UsageError
from spanwise.measures import MEASURES
from spanwise.measures.names import parse
from spanwise.model.measure import Law, MeasureRequest

NAMES = [
    *("AP", "AP(rel=2)", "AP@1", "AP@3", "GMAP", "P@1", "P@3", "P(rel=2)@4", "R@2", "R@10"),
    *("RR", "RR(rel=2)", "RR@1", "RR@3", "Success@1", "Success@3", "Rprec", "Rprec(rel=2)"),
    *("nDCG", "nDCG@2", "nDCG(dcg='exp-log2')@3", "nDCG(gains={1:3,2:1,-1:1})", "DCG", "DCG@3"),
    *("RBP", "RBP(p=0.5,rel=2)", "RBP@2", "Judged", "Judged@1", "Judged@3"),
]

tokens = st.sampled_from(["0", "1", "2", "-", "."])
groups = st.lists(st.lists(tokens, min_size=1, max_size=4), max_size=4).filter(
    lambda found: sum(map(len, found)) <= 6
)


def written(some_groups) -> str:
    return " ".join(f"({' '.join(group)})" for group in some_groups)


def all_orders(some_groups):
    """Every ranking that the groups of equal scores allow, without ties."""
    for order in product(*(permutations(group) for group in some_groups)):
        yield " ".join(token for group in order for token in group)


@settings(max_examples=60, deadline=None)
@given(some_groups=groups, missed=st.lists(st.sampled_from(["0", "1", "2"]), max_size=3))
def test_the_expectation_is_the_mean_over_all_orders(some_groups, missed):
    pooled = [token for group in some_groups for token in group if token != "-"]
    judged = " ".join([*pooled, *missed, "2"])
    tied = ranking(written(some_groups), judged, ties="expected")
    orders = rankings([(order, judged) for order in all_orders(some_groups)])
    for name in NAMES:
        mean = np.mean(parse(name)(orders))
        assert parse(name)(tied)[0] == pytest.approx(mean, abs=1e-12), name


def test_every_measure_with_an_expectation_is_tried():
    tried = {parse(name).measure.name for name in NAMES}
    of_documents = [entry for entry in MEASURES.values() if entry.reads == "rankings"]
    assert tried == {entry.name for entry in of_documents if entry.expected is not None}


@pytest.mark.parametrize(
    ("name", "results", "expected"),
    [
        ("P@1", "(1 0)", Fraction(1, 2)),
        ("P@2", "(1 0 0)", Fraction(2, 3) / 2),  # two thirds of a hit in two ranks
        ("RR", "(1 0)", (1 + Fraction(1, 2)) / 2),
        ("RR", "(1 1 0)", Fraction(2, 3) * 1 + Fraction(1, 3) * Fraction(1, 2)),
        ("Success@1", "(1 1 0)", Fraction(2, 3)),
        ("AP", "(1 0)", (1 + Fraction(1, 2)) / 2),
        ("AP", "1 (1 0)", (1 + (1 + Fraction(2, 3)) / 2) / 2),  # the second hit at 2 or 3
        ("AP", "(1 1)", 1),
        ("Rprec", "0 (1 0 1)", Fraction(2, 3) / 2),  # rank 2 is a hit in two cases of three
        ("Judged@1", "(- - 0)", Fraction(1, 3)),
    ],
)
def test_expectations_worked_out(name, results, expected):
    assert value(name, results, ties="expected") == pytest.approx(float(expected))


def test_without_ties_the_expectation_is_the_value():
    for name in NAMES:
        plain = value(name, "0 2 - 1 1 . 0", "2 1 1 1 0 0 0")
        assert value(name, "0 2 - 1 1 . 0", "2 1 1 1 0 0 0", ties="expected") == plain


def test_topics_of_different_depth_do_not_mix():
    block = rankings([("(1 0)", None), ("", "1"), ("0 0 (0 1) 1", None)], ties="expected")
    # hits at 1 or 2; none; at 3 or 4, and at 5: (1/3 + 1/4)/2 and 2/5 over R = 2
    wanted = [3 / 4, 0, ((1 / 3 + 1 / 4) / 2 + 2 / 5) / 2]
    assert parse("AP")(block) == pytest.approx(wanted)


@pytest.mark.parametrize(
    "entry",
    [m for m in MEASURES.values() if Law.ORDER_FREE in m.laws and m.reads == "rankings"],
    ids=lambda entry: entry.name,
)
def test_where_order_does_not_matter_ties_do_not(entry):
    asked = MeasureRequest(entry.name, entry)
    tied = asked(ranking("(0 2 -) (1 1) . 0", "2 1 1 1 0 0 0", ties="expected"))
    assert tied.tolist() == asked(ranking("0 2 - 1 1 . 0", "2 1 1 1 0 0 0")).tolist()


@pytest.mark.parametrize("name", ["Bpref", "ERR@10", "infAP", "nDCGrel", "binG", "IPrec@0.1"])
def test_an_unknown_expectation_is_refused_not_guessed(name):
    with pytest.raises(UsageError, match="over tied results is not implemented; use another rule"):
        scores("1 a 1", "1 a 1\n1 b 1", name, ties="expected")


@pytest.mark.parametrize("choice", [{"depth": 5}, {"unjudged": "drop"}])
def test_an_expectation_needs_whole_rankings(choice):
    with pytest.raises(UsageError, match="needs whole rankings"):
        scores("1 a 1", "1 a 1\n1 b 1", "AP", ties="expected", **choice)


def test_equal_scores_at_the_front_door():
    # b, then the tied a, c, d with one hit among ranks 2 to 4; without ties it would be 1/2 or 1/4
    run = "1 b 2\n1 a 1\n1 c 1\n1 d 1"
    found = scores("1 a 1", run, ["AP", "P@2"], ties="expected")
    assert found.means == pytest.approx({"AP": (1 / 2 + 1 / 3 + 1 / 4) / 3, "P@2": 1 / 3 / 2})
    assert scores("1 a 1", run, "AP").means["AP"] == 1 / 4  # d before c before a
    assert scores("1 a 1", run, "AP", ties="file").means["AP"] == 1 / 2
    assert "ties:expected" in found.signature
