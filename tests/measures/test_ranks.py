"""Ranks of relevant results: every measure on one ranking that fits on paper."""

from fractions import Fraction
from math import log, log2

import pytest

from builders import scores, value

# rank      1    2    3    4    5    6    7     not retrieved
# result    0    2    -    1    1    .    0     1 0
# rel(k)    0    1    1    2    3    3    3     R = 4, of which 3 were retrieved
# P(k)      0   1/2  1/3  2/4  3/5  3/6  3/7
RESULTS, JUDGED = "0 2 - 1 1 . 0", "2 1 1 1 0 0 0"
EVERY_ONE = [
    *("P@5", "R@5", "AP", "GMAP", "RR", "Success@5", "Rprec", "RprecMult", "RelativeP@5"),
    *("IPrec@0.0", "IPrec@0.5", "IPrecAvg", "YAAP", "binG"),
]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("P@1", 0),
        ("P@3", Fraction(1, 3)),
        ("P@5", Fraction(3, 5)),
        ("P@7", Fraction(3, 7)),
        ("P@1000", Fraction(3, 1000)),  # divided by k, though only 7 were retrieved
        ("P(rel=2)@5", Fraction(1, 5)),
        ("P(rel=0)@7", Fraction(5, 7)),  # a judged 0 counts then, the unjudged two still do not
        ("R@3", Fraction(1, 4)),
        ("R@5", Fraction(3, 4)),
        ("R@1000", Fraction(3, 4)),
        ("R(rel=2)@1", 0),
        ("R(rel=2)@2", 1),
        ("AP", (Fraction(1, 2) + Fraction(2, 4) + Fraction(3, 5)) / 4),
        ("AP@4", (Fraction(1, 2) + Fraction(2, 4)) / 4),
        ("AP@1", 0),
        ("AP(rel=2)", Fraction(1, 2)),
        ("AP(rel=2)@1", 0),
        ("GMAP", Fraction(2, 5)),  # for one topic the same as AP
        ("RR", Fraction(1, 2)),
        ("RR@1", 0),
        ("RR@2", Fraction(1, 2)),
        ("RR(rel=3)", 0),
        ("Success@1", 0),
        ("Success@2", 1),
        ("Success@1000", 1),
        ("Success(rel=3)@7", 0),
        ("Rprec", Fraction(2, 4)),
        ("Rprec(rel=2)", 0),  # R = 1, and rank 1 is not relevant
        ("RelativeP@1", 0),
        ("RelativeP@3", Fraction(1, 3)),
        ("RelativeP@5", Fraction(3, 4)),  # min(5, R) = 4
        ("RelativeP@1000", Fraction(3, 4)),
    ],
)
def test_precision_and_recall(name, expected):
    assert value(name, RESULTS, JUDGED) == pytest.approx(float(expected), abs=1e-15)


@pytest.mark.parametrize(
    ("multiple", "expected"),
    [  # k = trunc(multiple R + 0.9), R = 4
        (0.2, 0),  # k = 1
        (0.4, Fraction(1, 2)),  # k = 2
        (0.5, Fraction(1, 2)),  # k = 2
        (0.6, Fraction(1, 3)),  # k = 3
        (0.8, Fraction(2, 4)),  # k = 4
        (1.0, Fraction(2, 4)),
        (1.2, Fraction(3, 5)),  # k = 5
        (1.4, Fraction(3, 6)),
        (1.6, Fraction(3, 7)),
        (1.8, Fraction(3, 8)),  # beyond the ranking: still divided by k
        (2.0, Fraction(3, 8)),
        (0.0, 0),  # k = 0
    ],
)
def test_precision_after_a_multiple_of_the_relevant(multiple, expected):
    assert value(f"RprecMult(multiple={multiple})", RESULTS, JUDGED) == pytest.approx(
        float(expected)
    )


@pytest.mark.parametrize(
    ("recall", "exact", "nearest", "truncated"),
    [  # relevant results needed: ceil(4 x), 4 x rounded, trunc(4 x + 0.9); the best P is 3/5
        (0.0, Fraction(3, 5), Fraction(3, 5), Fraction(3, 5)),  # 0: the best anywhere
        (0.33, Fraction(3, 5), Fraction(3, 5), Fraction(3, 5)),  # 1.32: 2, 1, 2
        (0.75, Fraction(3, 5), Fraction(3, 5), Fraction(3, 5)),  # 3, 3, 3
        (0.80, 0, Fraction(3, 5), 0),  # 3.2: 4, 3, 4, and only 3 were retrieved
        (0.87, 0, Fraction(3, 5), 0),  # 3.48: 4, 3, 4
        (0.88, 0, 0, 0),  # 3.52: 4, 4, 4
        (1.0, 0, 0, 0),
    ],
)
def test_interpolated_precision_as_each_program_counts(recall, exact, nearest, truncated):
    rules = {"spanwise": exact, "trec_eval 10": nearest, "trec_eval 9": truncated}
    for program, expected in rules.items():
        found = value(f"IPrec@{recall}", RESULTS, JUDGED, follow=program)
        assert found == pytest.approx(float(expected)), program


@pytest.mark.parametrize(
    ("recall", "expected"),
    [  # the hits of 1 0 0 1 1 stand at ranks 1, 4, 5: P = 1, 2/4, 3/5; R = 3
        (0.0, 1),
        (0.3, 1),
        (0.34, Fraction(3, 5)),  # from the second hit on the best is at rank 5
        (0.6, Fraction(3, 5)),
        (0.7, Fraction(3, 5)),
        (1.0, Fraction(3, 5)),
    ],
)
def test_interpolated_precision_is_the_best_from_that_recall_on(recall, expected):
    assert value(f"IPrec[{recall}]", "1 0 0 1 1") == pytest.approx(float(expected))


@pytest.mark.parametrize(
    ("program", "levels"),
    [("spanwise", 8), ("trec_eval 10", 9), ("trec_eval 9", 8)],  # 0.0 to 0.7, or to 0.8
)
def test_eleven_points_weigh_alike(program, levels):
    expected = float(levels * Fraction(3, 5) / 11)
    assert value("IPrecAvg", RESULTS, JUDGED, follow=program) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("recalls", "expected"),
    [  # hits at ranks 1 and 4 of R = 4: one relevant needed gives 1, two give 2/4, more give 0
        ("0.25,0.5", (1 + Fraction(1, 2)) / 2),
        ("0.25,0.5,1.0", (1 + Fraction(1, 2) + 0) / 3),
        (
            "0.5,0.25",
            Fraction(2, 2),
        ),  # read from the right 0.5 asks for more than 0.25: the best, 1
        ("0.5,1.0,0.25", Fraction(3, 3)),  # and so does everything left of it
        ("0.5", Fraction(1, 2)),
    ],
)
def test_levels_that_fall_are_read_as_trec_eval_reads_them(recalls, expected):
    found = value(f"IPrecAvg(recalls=[{recalls}])", "1 0 0 1", "1 1 1 1 0 0")
    assert found == pytest.approx(float(expected))


def test_yaap_is_the_log_odds_of_summed_precision():
    # S = 1/2 + 2/4 + 3/5 = 1.6; (1 + S) / (1 + R - S) = 2.6 / 3.4
    assert value("YAAP", RESULTS, JUDGED) == pytest.approx(log(2.6 / 3.4))
    assert value("YAAP", "0 1") == pytest.approx(0)  # S = 1/2, R = 1
    assert value("YAAP", "0 -", "0 1 1 1") == pytest.approx(-log(1 + 3))  # nothing found
    assert value("YAAP", "0 -", "0 0") == 0  # nothing to be found


def test_bing_counts_the_irrelevant_above():
    # one irrelevant above the first hit, two above the second and the third: R = 4
    expected = (1 / log2(2 + 1) + 1 / log2(2 + 2) + 1 / log2(2 + 2)) / 4
    assert value("binG", RESULTS, JUDGED) == pytest.approx(expected)


def test_the_geometric_mean_multiplies():
    # topic 1: AP 1, topic 2: AP 1/4; the mean is sqrt(1/4), where MAP would be 5/8
    found = scores("1 a 1\n2 d 1", "1 a 1\n2 a 4\n2 b 3\n2 c 2\n2 d 1", ["GMAP", "AP"])
    assert found.means == pytest.approx({"GMAP": 1 / 2, "AP": 5 / 8})


def test_a_topic_at_zero_counts_as_one_hundred_thousandth_in_the_geometric_mean():
    found = scores("1 a 1\n2 d 1", "1 a 1\n2 b 1", "GMAP")
    assert found.means["GMAP"] == pytest.approx((1 * 0.00001) ** 0.5)


@pytest.mark.parametrize("name", EVERY_ONE)
def test_an_empty_ranking_scores_as_nothing(name):
    expected = -log(1 + 2) if name == "YAAP" else 0
    assert value(name, "", "1 1 0") == pytest.approx(expected)


@pytest.mark.parametrize("name", ["R@5", "AP", "GMAP", "Rprec", "RelativeP@5", "binG"])
def test_without_anything_relevant_a_share_of_it_is_undefined(name):
    assert value(name, "0 0 -", "0 0 0") != value(name, "0 0 -", "0 0 0")  # not-a-number
    assert value(name, "0 0 -", "0 0 0", follow="trec_eval 10") == 0


@pytest.mark.parametrize(
    ("name", "expected"),
    [  # grades 0.5, 1.5, 1: at least 1 are the last two
        ("P@2", Fraction(1, 2)),
        ("P(rel=0.5)@2", Fraction(2, 2)),
        ("P(rel=1.5)@3", Fraction(1, 3)),
        ("AP", (Fraction(1, 2) + Fraction(2, 3)) / 2),
        ("AP(rel=0.25)", 1),
        ("RR(rel=1.2)", Fraction(1, 2)),
    ],
)
def test_fractional_grades_are_relevant_from_the_level_on(name, expected):
    assert value(name, "0.5 1.5 1") == pytest.approx(float(expected))
