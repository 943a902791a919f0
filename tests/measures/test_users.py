"""Measures that model a reader: readers simple enough to follow on paper."""

from fractions import Fraction
from math import isnan, log2

import pytest

from builders import value
from spanwise.errors import UsageError

# rank    1   2   3   4   5   6   7     not retrieved
# result  0   2   -   1   1   .   0     1 0
RESULTS, JUDGED = "0 2 - 1 1 . 0", "2 1 1 1 0 0 0"
RANKS = range(1, 1001)  # rankings of the C/W/L family have 1000 ranks


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # grade 2 stops a reader with chance 3/16, grade 1 with 1/16
        ("ERR@1", 0),
        ("ERR@3", Fraction(1, 2) * Fraction(3, 16)),
        ("ERR@4", Fraction(3, 32) + Fraction(1, 4) * Fraction(13, 16) * Fraction(1, 16)),
        (
            "ERR",
            Fraction(3, 32)
            + Fraction(1, 4) * Fraction(13, 16) * Fraction(1, 16)
            + Fraction(1, 5) * Fraction(13, 16) * Fraction(15, 16) * Fraction(1, 16),
        ),
        ("nERR@1", 0),
        # the ideal begins 2 1: 3/16 + (1/2) (13/16) (1/16)
        ("nERR@2", Fraction(3, 32) / (Fraction(3, 16) + Fraction(13, 512))),
        # hits at ranks 2, 4, 5
        ("RBP(p=0.5)", Fraction(1, 2) * (Fraction(1, 2) + Fraction(1, 8) + Fraction(1, 16))),
        ("RBP(p=0.5)@4", Fraction(1, 2) * (Fraction(1, 2) + Fraction(1, 8))),
        ("RBP(p=0.5,rel=2)", Fraction(1, 4)),
        ("RBP", Fraction(1, 5) * (Fraction(4, 5) + Fraction(64, 125) + Fraction(256, 625))),
        ("RBP(p=0)", 0),  # reads rank 1 only
        # after 4 results 1/16 is left to read, and nobody judged rank 3
        ("RBPResidual(p=0.5)@4", Fraction(1, 16) + Fraction(1, 2) * Fraction(1, 4)),
        # 7 were retrieved, nobody judged ranks 3 and 6
        (
            "RBPResidual(p=0.5)",
            Fraction(1, 128) + Fraction(1, 2) * (Fraction(1, 4) + Fraction(1, 32)),
        ),
        (
            "rbp_resid(p=0.5)",
            Fraction(1, 128) + Fraction(1, 2) * (Fraction(1, 4) + Fraction(1, 32)),
        ),
        # the topic's largest grade is 2: a 1 gains one half
        ("rbp(p=0.5)", Fraction(1, 2) * (Fraction(1, 2) + Fraction(1, 16) + Fraction(1, 32))),
        # stops at rank 2, where the gain so far reaches 1
        ("BPM(max_rel=2)@3", Fraction(1, 2)),
        ("BPM(max_rel=2)@1", 0),
        # 1 + 1/2 after rank 4, and 2 after rank 5
        ("BPM(max_rel=2,T=2.0)@10", Fraction(2, 5)),
        ("BPM(max_rel=2,T=1.5)@10", Fraction(3, 2) / 4),
        ("BPM(max_rel=2,T=1000)@10", Fraction(2, 10)),  # k results are read, though 7 are there
    ],
)
def test_worked_example(name, expected):
    assert value(name, RESULTS, JUDGED) == pytest.approx(float(expected), abs=1e-15)


def test_sdcg_is_a_share_of_k_results_of_the_highest_grade():
    # gains 0 1 0 of grades up to 2, and 0 1/2 0 of grades up to 4
    everything = 1 + 1 / log2(3) + 1 / 2
    assert value("SDCG(max_rel=2)@3", RESULTS, JUDGED) == pytest.approx(1 / log2(3) / everything)
    assert value("SDCG(max_rel=4)@3", RESULTS, JUDGED) == pytest.approx(0.5 / log2(3) / everything)


def test_insq_reads_rank_i_with_a_chance_that_falls_with_its_square():
    # T = 1: C(i) = ((i + 1)/(i + 2))^2, so rank i is read with chance (2/(i + 1))^2
    chances = [(2 / (i + 1)) ** 2 for i in RANKS]
    assert value("INSQ(max_rel=1)", "1") == pytest.approx(1 / sum(chances))
    assert value("INSQ(max_rel=1)", "0 1") == pytest.approx(chances[1] / sum(chances))
    assert value("INSQ(max_rel=4)", "1 0 2") == pytest.approx(
        (1 / 4 + chances[2] * 2 / 4) / sum(chances)
    )


def test_inst_stops_sooner_once_something_was_found():
    # T = 1, one unit found at rank 1: C(i) = ((i + 2 - 1 - 1)/(i + 2 - 1))^2 = (i/(i + 1))^2,
    # so rank i is read with chance 1/i^2
    assert value("INST(max_rel=1)", "1") == pytest.approx(1 / sum(1 / i**2 for i in RANKS))
    # nothing at rank 1: C(1) = (2/3)^2; one unit at rank 2: from there C(i) = (i/(i + 1))^2
    chances = [1.0, (2 / 3) ** 2, *((2 / 3) ** 2 * (2 / i) ** 2 for i in RANKS[2:])]
    assert value("INST(max_rel=1)", "0 1") == pytest.approx(chances[1] / sum(chances))


@pytest.mark.parametrize(
    ("grade", "expected"),
    [("0", 0), ("1", 0), ("2", Fraction(1, 2)), ("3", 1), ("4", 1), ("-", 0), (".", 0)],
)
def test_grades_become_gains_between_the_least_and_the_largest(grade, expected):
    found = value("SDCG(min_rel=1,max_rel=3)@1", grade, "4 3 2 1 0")
    assert found == pytest.approx(float(expected))


def test_a_pool_member_has_the_gain_of_grade_zero_and_an_outsider_none():
    # between -1 and 3 grade 0 is worth 1/4
    found = [value("SDCG(min_rel=-1,max_rel=3)@1", result, "1 0") for result in ("0", ".", "-")]
    assert found == [1 / 4, 1 / 4, 0]


@pytest.mark.parametrize("name", ["INST(T=0,max_rel=1)", "INSQ(T=-1,max_rel=1)"])
def test_a_reader_who_wants_nothing_is_refused(name):
    with pytest.raises(UsageError, match="expected a gain above 0"):
        value(name, "1 0")


def test_a_player_who_wants_nothing_stops_after_the_first_result():
    assert value("BPM(T=0,max_rel=1)@5", "1 0") == 1


def test_the_largest_grade_must_exceed_the_least():
    with pytest.raises(UsageError, match="min_rel is 2 and max_rel 2"):
        value("INST(min_rel=2,max_rel=2)", "1")


@pytest.mark.parametrize("p", ["1", "-0.1", "1.5"])
@pytest.mark.parametrize("name", ["RBP", "RBPResidual", "Compat"])
def test_persistence_lies_between_zero_and_one(name, p):
    with pytest.raises(UsageError, match="persistence"):
        value(f"{name}(p={p})", "1 0")


@pytest.mark.parametrize("name", ["ERR@2", "nERR@2"])
def test_err_is_made_for_grades_up_to_four(name):
    assert value(name, "4", "4") > 0
    with pytest.raises(UsageError, match="grades up to 4"):
        value(name, "5", "5")


def test_what_could_still_be_relevant():
    # everything judged, one retrieved: all ranks below the first are unknown, p = 0.5
    assert value("RBPResidual(p=0.5)", "1") == pytest.approx(1 / 2)
    assert value("RBPResidual(p=0.5)", "-") == pytest.approx(1)
    assert value("RBPResidual", "", "1") == 1
    # trec_eval's is 0 if every result was judged, and the same otherwise
    assert value("rbp_resid(p=0.5)", "1") == 0
    assert value("rbp_resid(p=0.5)", "-") == pytest.approx(1)


def test_trec_evals_rbp_scales_gains_that_leave_the_unit_interval():
    # gains -1 and 1 of grades 0 and 1: least -1, largest 1, so they become 0 and 1
    assert value("rbp(p=0.5,gains={0:-1})", "0 1") == pytest.approx(1 / 4)
    # gains within 0 to 1 stay as they are
    assert value("rbp(p=0.5,gains={1:0.5})", "1 0") == pytest.approx(1 / 4)
    # gains 3 and 0: divided by 3
    assert value("rbp(p=0.5,gains={1:3})", "0 1") == pytest.approx(1 / 4)


@pytest.mark.parametrize(
    ("results", "judged", "expected"),
    [  # p = 0.5; rank 1 weighs 1, rank 2 1/2, rank 3 1/4
        ("1", "1", 1),
        ("0 1", "1 0", Fraction(1, 4) / (1 + Fraction(1, 4))),  # shared: 0/1, 1/2; ideal 1, 1/2
        ("1 2", "2 1", Fraction(1, 2) / (1 + Fraction(1, 2))),  # ideal 2 1: 0/1, 2/2 of 1/1, 2/2
        # ideal 1 1: shared 1/1, 1/2; of 1, 1
        ("1 0", "1 1 0", (1 + Fraction(1, 4)) / (1 + Fraction(1, 2))),
        ("0 -", "1 0", 0),
        # three results, ideal of one: 0/1, 0/2, 1/3 of 1/1, 1/2, 1/3
        ("0 0 1", "1 0 0", Fraction(1, 12) / (1 + Fraction(1, 4) + Fraction(1, 12))),
    ],
)
def test_compatibility_is_overlap_with_the_ideal(results, judged, expected):
    assert value("Compat(p=0.5)", results, judged) == pytest.approx(float(expected), abs=1e-15)


def test_compatibility_as_it_is():
    # overlap 0/1 and 1/2 with weights 1 and 1/2: (1/4) / (3/2)
    assert value("Compat(p=0.5,normalize=False)", "0 1") == pytest.approx(1 / 6)


@pytest.mark.parametrize("name", ["nERR", "Compat", "Compat(normalize=False)"])
def test_a_share_of_an_empty_ideal_is_undefined(name):
    assert isnan(value(name, "0 -", "0 0"))


@pytest.mark.parametrize(
    "name",
    [
        *("ERR", "nERR", "RBP", "rbp", "INST(max_rel=4)", "INSQ(max_rel=4)", "Compat"),
        *("BPM(max_rel=4)@5", "SDCG(max_rel=4)@5"),
    ],
)
def test_an_empty_ranking_gives_a_reader_nothing(name):
    assert value(name, "", "2 1 0") == 0
