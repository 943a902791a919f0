"""Measures that know that not everything was judged."""

from fractions import Fraction
from math import isnan

import pytest

from builders import scores, value

# rank    1   2   3   4   5   6   7     not retrieved
# result  0   2   -   1   1   .   0     1 0          R = 4 relevant, B = 3 judged irrelevant
RESULTS, JUDGED = "0 2 - 1 1 . 0", "2 1 1 1 0 0 0"
E = Fraction(1, 100_000)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "Bpref",
            3 * (1 - Fraction(1, 3)) / 4,
        ),  # one judged irrelevant, of min(B, R) = 3, above each
        ("Bpref(rel=2)", 0),  # R = 1: 1 - min(1, 1)/min(6, 1)
        ("GMBpref", Fraction(1, 2)),
        ("Judged@3", Fraction(2, 3)),
        ("Judged@5", Fraction(4, 5)),
        ("Judged@7", Fraction(6, 7)),  # the judgements mention rank 6, if without a verdict
        ("Judged", Fraction(6, 7)),
        ("Judged@1000", Fraction(6, 7)),  # divided by what was retrieved
        ("Unjudged@3", Fraction(1, 3)),
        ("Unjudged@5", Fraction(1, 5)),
        ("Unjudged@10", Fraction(2, 10)),  # nobody judged rank 6; divided by k
        ("Unjudged@20", Fraction(2, 20)),
    ],
)
def test_worked_example(name, expected):
    assert value(name, RESULTS, JUDGED) == pytest.approx(float(expected), abs=1e-15)


@pytest.mark.parametrize(
    ("name", "expected"),  # without ranks 3 and 6: 0 2 1 1 0
    [
        ("P(judged_only=True)@3", Fraction(2, 3)),
        ("R(judged_only=True)@3", Fraction(2, 4)),
        ("AP(judged_only=True)", (Fraction(1, 2) + Fraction(2, 3) + Fraction(3, 4)) / 4),
        ("RR(judged_only=True)", Fraction(1, 2)),
        ("SetP(judged_only=True)", Fraction(3, 5)),
        ("P(judged_only=False)@3", Fraction(1, 3)),
    ],
)
def test_condensed_lists_have_only_what_was_judged(name, expected):
    assert value(name, RESULTS, JUDGED) == pytest.approx(float(expected), abs=1e-15)


def test_inferred_ap_guesses_from_what_was_judged_above():
    # rank 2: j = 1 above, 0 relevant, 1 irrelevant
    # rank 4: j = 3 above, 1 relevant, 1 irrelevant, 1 outside the pool
    # rank 5: j = 4 above, 2 relevant, 1 irrelevant, 1 outside the pool
    terms = [
        Fraction(1, 2) + Fraction(1, 2) * Fraction(1, 1) * E / (1 + 2 * E),
        Fraction(1, 4) + Fraction(3, 4) * Fraction(2, 3) * (1 + E) / (2 + 2 * E),
        Fraction(1, 5) + Fraction(4, 5) * Fraction(3, 4) * (2 + E) / (3 + 2 * E),
    ]
    assert value("infAP", RESULTS, JUDGED) == pytest.approx(float(sum(terms) / 4), rel=1e-14)


def test_inferred_ap_counts_pool_members_that_nobody_judged():
    # rank 2: one pool member above, no verdict: 1/2 + (1/2) (1/1) (e/2e)
    assert value("infAP", ". 1") == pytest.approx(3 / 4)
    # a result outside the pool only takes its rank: 1/2 + (1/2) (0/1) (e/2e)
    assert value("infAP", "- 1") == pytest.approx(1 / 2)


def test_inferred_ap_is_average_precision_where_everything_was_judged():
    # hits at 1, 3, 4 of R = 3: (1 + 2/3 + 3/4) / 3, up to e
    assert value("infAP", "1 0 1 1") == pytest.approx((1 + 2 / 3 + 3 / 4) / 3, abs=1e-5)


@pytest.mark.parametrize(
    ("results", "judged", "expected"),
    [
        ("1 0 1 0", "1 1 0 0", (1 + (1 - Fraction(1, 2))) / 2),
        ("0 0 1 1", "1 1 0 0", 0),  # all irrelevant above all relevant
        ("0 0 0 1 1", "1 1 0 0 0", 0),  # not below 0: b is at most R
        ("- - . 1 0", "1 0", 1),  # the unjudged above do no harm
        ("1 1", "1 1 1 1", Fraction(2, 4)),  # nothing judged irrelevant; what is missing adds 0
        ("0 1", "1 0", 0),
        ("0 1", "1 0 0", 0),  # min(B, R) = 1
        ("0 1 1", "1 1 1 0", 0),  # B = 1: 1 - 1/1 each
        ("0 1 1", "1 1 1 0 0", 2 * (1 - Fraction(1, 2)) / 3),
    ],
)
def test_bpref_counts_the_judged_irrelevant_above(results, judged, expected):
    assert value("Bpref", results, judged) == pytest.approx(float(expected), abs=1e-15)


def test_a_negative_grade_is_no_judgement_for_bpref():
    # B = 1, not 2: the negative grade is in the pool without a verdict
    assert value("Bpref", "0 1 1", "1 1 0 .") == pytest.approx(0)
    assert value("Bpref", "0 1 1", "1 1 0 0") == pytest.approx(2 * (1 - 1 / 2) / 2)


@pytest.mark.parametrize("name", ["Bpref", "GMBpref", "infAP"])
def test_without_anything_relevant_it_is_undefined(name):
    assert isnan(value(name, "0 -", "0 0"))
    assert value(name, "0 -", "0 0", follow="trec_eval 9") == 0


@pytest.mark.parametrize("name", ["Bpref", "infAP", "Judged@5", "Unjudged@5"])
def test_an_empty_ranking_scores_zero(name):
    assert value(name, "", "1 0") == 0


def test_the_geometric_mean_of_bpref():
    # topic 1: 1; topic 2: 1 - 1/2 + 0 of two relevant is 1/4; the mean is sqrt(1/4)
    qrels = "1 a 1\n2 a 1\n2 b 1\n2 x 0\n2 y 0"
    found = scores(qrels, "1 a 1\n2 x 2\n2 a 1", "GMBpref")
    assert found.means["GMBpref"] == pytest.approx(1 / 2)
