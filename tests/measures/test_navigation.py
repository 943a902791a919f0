"""User models on small files: worked examples, expected values as fractions."""

from fractions import Fraction

import pytest

from small_navigation import (
    ASSESSED,
    QRELS,
    paths_run,
    spans_run,
    write,
)
from spanwise import evaluate
from spanwise.errors import InputError, SpanwiseError, UsageError


def value(judged, run, measure, **more):
    return evaluate(judged, run, [measure], **more).means[measure]


# Best entry points --------------------------------------------------------------------------
# Topic 1 has best entry points: a at 100, b at 0, c at 50. With A = 1 and L = 100 a result that
# begins d characters away from one scores 100 / (100 + d).

EXACT = [("a", 100), ("b", 0), ("c", 50)]
MIXED = [("z", 0), ("a", 0), ("b", 0), ("a", 100)]  # a twice: 1/2, then 1


@pytest.fixture
def judged(tmp_path):
    return write(tmp_path, "qrels", QRELS)


def run_of(tmp_path, places):
    return write(tmp_path, "run", spans_run(places))


def test_bepd_counts_the_first_result_of_each_document(tmp_path, judged):
    run = run_of(tmp_path, MIXED)
    expected = (Fraction(1, 2) + 1) / 3
    assert value(judged, run, "BEPD(A=1,L=100)") == pytest.approx(float(expected), abs=1e-15)


IGNORED = "results that BEPD ignored, since only the first of a document counts"


@pytest.mark.parametrize(
    ("places", "options", "count"),
    [
        (MIXED, {}, 1),
        (
            [*MIXED, ("a", 150), ("z", 9), ("b", 2)],
            {},
            4,
        ),  # twice a; z, without entry point; b
        ([*MIXED, ("b", 1)], {"depth": 4}, 1),
        ([*MIXED, ("q", 0), ("q", 5)], {"unjudged": "drop"}, 1),
        ([*MIXED, ("q", 0), ("q", 5)], {}, 2),
        (EXACT, {}, 0),
    ],
)
def test_bepd_reports_what_it_ignores(tmp_path, judged, places, options, count):
    run = [*spans_run(places), "9 Q0 a 1 9 mine 0 10", "9 Q0 a 2 8 mine 20 10"]  # 9 is not judged
    run = write(tmp_path, "run", run)
    notes = evaluate(judged, run, ["BEPD(L=100)", "BEPD(L=9)"], ties="file", **options).notes
    assert [n for n in notes if "BEPD" in n] == ([f"{IGNORED}: {count}"] if count else [])
    assert not any("ignored, since" in n for n in evaluate(judged, run, ["EPRUM(L=100)"]).notes)


def test_eprum_counts_what_bepd_ignores(tmp_path, judged):
    """The second result of a is its entry point; b and c are not returned.

    BEPD takes the first one's 1/2 of three entry points. For EPRUM a reader finds a at rank 1 with
    chance 1/2, else at rank 2 for certain: (1/2 * 1 + 1/2 * 1/2) of the first of three levels.
    """
    run = run_of(tmp_path, [("a", 0), ("a", 100)])
    assert value(judged, run, "BEPD(L=100)") == pytest.approx(float(Fraction(1, 6)), abs=1e-15)
    assert value(judged, run, "EPRUM(L=100)") == pytest.approx(float(Fraction(3, 12)), abs=1e-15)


def test_bepd_with_a_smaller_a_forgives_less(tmp_path, judged):
    run = run_of(tmp_path, [("a", 0)])
    expected = Fraction(10, 110) / 3  # 0.1 * 100 / (0.1 * 100 + 100)
    assert value(judged, run, "BEPD(A=0.1,L=100)") == pytest.approx(float(expected), abs=1e-15)


def test_exact_entry_points_score_one(tmp_path, judged):
    run = run_of(tmp_path, EXACT)
    for measure in ("BEPD(L=100)", "EPRUM(L=100)", "EPRUM(L=100)[0.5]", "EPRUM(L=100)@3"):
        assert value(judged, run, measure) == pytest.approx(1, abs=1e-14), measure


def test_eprum_follows_every_result(tmp_path, judged):
    """a is seen at rank 2 with 1/2 and at rank 4 for certain; b at rank 3.

    First of three: 1/2 at rank 2, else at rank 3. Two: if a was seen, at rank 3; else at rank 4.
    """
    run = run_of(tmp_path, MIXED)
    one = Fraction(1, 2) * Fraction(1, 2) + Fraction(1, 2) * Fraction(1, 3)
    two = Fraction(1, 2) * Fraction(2, 3) + Fraction(1, 2) * Fraction(2, 4)
    measured = value(judged, run, "EPRUM(L=100)[0.3333333333333333]")
    assert measured == pytest.approx(float(one), abs=1e-14)
    assert value(judged, run, "EPRUM(L=100)[0.5]") == pytest.approx(float(two), abs=1e-14)
    assert value(judged, run, "EPRUM(L=100)") == pytest.approx(float((one + two) / 3), abs=1e-14)
    assert value(judged, run, "EPRUM(L=100)[1]") == 0


def test_eprum_at_a_rank_is_the_mean_of_the_first_scores(tmp_path, judged):
    run = run_of(tmp_path, [("z", 0), ("a", 0), ("c", 0)])
    expected = (Fraction(1, 2) + Fraction(100, 150)) / 3
    assert value(judged, run, "EPRUM(L=100)@3") == pytest.approx(float(expected), abs=1e-15)
    assert value(judged, run, "EPRUM(L=100,interpolate=whole)@3") == pytest.approx(2 / 3)


def test_recall_and_prum_with_entry_points(tmp_path, judged):
    """One target of three wanted: all look at ranks 1 and 2, half at 3; both lead somewhere."""
    run = run_of(tmp_path, MIXED)
    recall = (Fraction(1, 2) + 1) / 3
    measured = value(judged, run, "GR(behaviour=bep,L=100)@3")
    assert measured == pytest.approx(float(recall), abs=1e-15)
    expected = (Fraction(1, 2) + Fraction(1, 2)) / (2 + Fraction(1, 2))
    measured = value(judged, run, "PRUM(behaviour=bep,L=100)[0.33]")
    assert measured == pytest.approx(float(expected), abs=1e-14)


def test_without_a_mean_length_the_message_names_both_remedies(tmp_path, judged):
    for measure in ("BEPD", "EPRUM(A=0.1)", "GR(behaviour=bep)@5"):
        with pytest.raises(UsageError, match=r"--collection.*L="):
            evaluate(judged, run_of(tmp_path, MIXED), [measure])


@pytest.mark.parametrize(
    "measure",
    ["BEPD(A=0,L=9)", "EPRUM(L=0)", "EPRUM(L=9)[0]", "PRUM[1.5]", "T2I(tolerance=-1)"],
)
def test_parameters_that_make_no_sense(tmp_path, judged, measure):
    with pytest.raises(UsageError, match="must be"):
        evaluate(judged, run_of(tmp_path, MIXED), [measure])


def test_a_topic_missing_from_the_run_counts_nothing(tmp_path):
    judged = write(tmp_path, "qrels", [*QRELS, "2 Q0 a 10 200 0 0:10"])
    scores = evaluate(judged, run_of(tmp_path, EXACT), ["BEPD(L=100)", "EPRUM(L=100)"])
    assert scores.per_topic["2"] == {"BEPD(L=100)": 0, "EPRUM(L=100)": 0}


def test_a_topic_without_entry_points_is_undefined(tmp_path):
    judged = write(tmp_path, "qrels", [*QRELS, "2 Q0 a 0 200"])
    scores = evaluate(judged, run_of(tmp_path, EXACT), ["BEPD(L=100)"])
    assert scores.counts == {"BEPD(L=100)": 1}
    assert scores.means["BEPD(L=100)"] == 1


# Tolerance to irrelevance -------------------------------------------------------------------
# Highlighted: a 100-150 and 180-190, b 0-20, c 40-80.


@pytest.mark.parametrize(
    ("places", "tolerance", "expected"),
    [
        ([("a", 70)], 30, Fraction(1, 4)),  # begins within 30 characters
        ([("a", 69)], 30, 0),
        ([("a", 149)], 0, Fraction(1, 4)),  # inside a passage
        ([("a", 150)], 30, Fraction(1, 4)),  # that passage has ended, the next one is near
        ([("a", 150)], 29, 0),
        ([("a", 110), ("a", 100)], 300, Fraction(1, 4)),  # the same passage counts once
        ([("z", 0), ("b", 5), ("c", 0)], 40, (Fraction(1, 2) + Fraction(2, 3)) / 4),
        ([("a", 190)], 300, 0),  # nothing after it
    ],
)
def test_t2i(tmp_path, judged, places, tolerance, expected):
    measured = value(judged, run_of(tmp_path, places), f"T2I(tolerance={tolerance})")
    assert measured == pytest.approx(float(expected), abs=1e-15)


# Ideal elements -----------------------------------------------------------------------------
# Under gen: a has the ideal sec[1] worth 1, sec[2] worth 3/4; b the ideal article worth 1/4.

SEC1, SEC2, ROOT = "/article[1]/sec[1]", "/article[1]/sec[2]", "/article[1]"


@pytest.fixture
def assessed(tmp_path):
    return write(tmp_path, "assessments.xml", [ASSESSED])


def elements_run(tmp_path, places):
    return write(tmp_path, "run.xml", [paths_run(places)])


def test_identity_with_graded_ideality(tmp_path, assessed):
    run = elements_run(tmp_path, [("a", SEC2), ("z", ROOT), ("a", SEC1), ("b", ROOT)])
    for level, expected in (
        (Fraction(3, 8), 1),  # 3/4 of 2: the first result has it
        (Fraction(1, 2), Fraction(1, 3)),  # 1 of 2: one ideal element, at rank 3 here
        (Fraction(7, 8), Fraction(2, 3)),
        (Fraction(1), Fraction(3, 4)),
    ):
        measured = value(assessed, run, f"EPRUM(behaviour=identity)[{float(level)}]")
        assert measured == pytest.approx(float(expected), abs=1e-15), level
    assert value(assessed, run, "GR@1") == pytest.approx(3 / 8)
    assert value(assessed, run, "GR(worth=binary)@1") == pytest.approx(1 / 3)
    assert value(assessed, run, "PRUM[1]") == pytest.approx(3 / 4)
    binary = "EPRUM(behaviour=identity,worth=binary)"
    assert value(assessed, run, binary) == pytest.approx((1 + 2 / 3 + 3 / 4) / 3)


def test_containment_can_pass_one(tmp_path, assessed):
    """The article holds both ideal sections: what takes two ranks in the ideal list takes one."""
    run = elements_run(tmp_path, [("a", ROOT), ("b", ROOT)])
    contained = "EPRUM(behaviour=containment)"
    assert value(assessed, run, f"{contained}[0.875]") == 2
    assert value(assessed, run, f"{contained}[1]") == 3 / 2
    assert value(assessed, run, "GR(behaviour=containment)@1") == pytest.approx(7 / 8)


def test_an_element_inside_a_target_does_not_contain_it(tmp_path, assessed):
    run = elements_run(tmp_path, [("a", SEC1 + "/p[1]"), ("a", "/article[1]/sec[11]")])
    assert value(assessed, run, "GR(behaviour=containment)@9") == 0


def test_whole_documents_are_their_roots(tmp_path, assessed):
    run = write(tmp_path, "documents", ["1 Q0 a 1 9 mine", "1 Q0 b 2 8 mine"])
    assert value(assessed, run, "GR@9") == pytest.approx((1 / 4) / 2)
    assert value(assessed, run, "GR(behaviour=containment)@1") == pytest.approx(7 / 8)


def test_strict_quantisation_leaves_the_best(tmp_path, assessed):
    run = elements_run(tmp_path, [("a", SEC2), ("a", SEC1)])
    assert value(assessed, run, "EPRUM(behaviour=identity,quant=strict)") == 1 / 2


# Tables and functions -----------------------------------------------------------------------

TABLE = [
    "# document result target chance",
    f"a {SEC1}/p[1] {SEC1} 0.5",
    f"a {SEC2} {SEC2} 1",
    f"a {SEC2} {SEC1} 0.25",
]


def test_a_table_of_chances(tmp_path, assessed):
    table = write(tmp_path, "chances", TABLE)
    run = elements_run(tmp_path, [("a", SEC1 + "/p[1]"), ("a", SEC2), ("b", ROOT)])
    seen = Fraction(1, 2) + Fraction(1, 2) * Fraction(1, 4)  # sec[1] after two results
    name = f"GR(behaviour=table,table={table})@2"
    expected = (seen + Fraction(3, 4)) / 2
    assert value(assessed, run, name) == pytest.approx(float(expected), abs=1e-15)
    # Half of the worth is sec[1], or more than the other two: K is 1 with 1/2, 2 with 1/8, else
    # sec[2] (3/4) does not reach 1.
    name = f"EPRUM(behaviour=table,table={table})[0.5]"
    expected = Fraction(1, 2) + Fraction(1, 8) / 2
    assert value(assessed, run, name) == pytest.approx(float(expected), abs=1e-14)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["a b c"], r"chances:1: 3 columns; expected 4"),
        ([f"a {SEC1} {SEC1} 1.5"], r"chances:1: probability '1.5'; expected a number from 0 to 1"),
        ([f"a {SEC1} {SEC1} nan"], r"probability 'nan'"),
        ([f"a {SEC1} there 1"], r"target 'there'; expected a path"),
        (
            [f"a /article {SEC1} 1"],
            r"chances:1: result '/article'; expected a path .*, offset:length",
        ),
        ([f"a 10-20 {SEC1} 1"], r"result '10-20'; expected"),
        (TABLE + TABLE, r"chances:6: the same pair a second time"),
        (["# nothing"], r"no probabilities"),
    ],
)
def test_bad_tables(tmp_path, assessed, lines, message):
    table = write(tmp_path, "chances", lines)
    run = elements_run(tmp_path, [("a", SEC1)])
    with pytest.raises(InputError, match=message):
        evaluate(assessed, run, [f"GR(behaviour=table,table={table})@2"])


def test_a_table_must_be_named(tmp_path, assessed):
    with pytest.raises(UsageError, match="table="):
        evaluate(assessed, elements_run(tmp_path, [("a", SEC1)]), ["GR(behaviour=table)@2"])


def test_a_table_is_not_passed_over(tmp_path, assessed):
    table = write(tmp_path, "chances", TABLE)
    run = elements_run(tmp_path, [("a", SEC1)])
    with pytest.raises(UsageError, match=r"behaviour is 'identity', so .* expected behaviour="):
        evaluate(assessed, run, [f"GR(table={table})@2"])
    with pytest.raises(UsageError, match="behaviour is a function, so table="):
        evaluate(assessed, run, [f"GR(table={table})@2"], behaviour=lambda _r, _t: 1)


def test_a_function_is_asked_about_every_pair_of_a_topic(tmp_path, assessed):
    asked = []

    def parent(result, target):
        asked.append((result, target))
        return 0.5 if result.document == target.document and result.path == ROOT else 0

    run = elements_run(tmp_path, [("a", ROOT), ("z", ROOT)])
    measured = value(assessed, run, "GR@1", behaviour=parent)
    assert measured == pytest.approx((0.5 * 1 + 0.5 * 0.75) / 2)
    assert len(asked) == 2 * 3
    result, target = asked[0]
    assert (result.topic, result.document, result.rank) == ("1", "a", 1)
    assert (target.path, target.rank) == (SEC1, None)
    exact = (Fraction(1, 2) * Fraction(1, 2)) * 2  # both by rank 1: two ideal ranks
    measured = value(assessed, run, "EPRUM[0.8]", behaviour=parent)
    assert measured == pytest.approx(float(exact))


def test_a_function_is_told_what_is_known_of_a_place(tmp_path, assessed):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.xml").write_text("<article><sec>xyz</sec><sec/></article>")
    run = elements_run(
        tmp_path, [("a", SEC1), ("a", f"{ROOT}/sec[2]"), ("z", ROOT), ("a", "/b[1]")]
    )
    told = []

    def nowhere(result, target):
        told.append(result[1:5])
        return 0

    evaluate(assessed, run, ["GR@1"], behaviour=nowhere, collection=tmp_path / "docs")
    assert list(dict.fromkeys(told)) == [
        ("a", SEC1, 0, 3),
        ("a", f"{ROOT}/sec[2]", 3, 0),
        ("z", ROOT, None, None),
        ("a", "/b[1]", None, None),
    ]


def test_a_function_must_give_chances(tmp_path, assessed):
    run = elements_run(tmp_path, [("a", ROOT)])
    with pytest.raises(InputError, match="expected a number from 0 to 1"):
        evaluate(assessed, run, ["GR@1"], behaviour=lambda _r, _t: 2)


def test_judged_documents_have_no_targets(tmp_path):
    judged = write(tmp_path, "qrels", ["1 0 a 1"])
    run = write(tmp_path, "run", ["1 Q0 a 1 1 mine"])
    with pytest.raises(SpanwiseError, match="needs judged elements or highlighted text"):
        evaluate(judged, run, ["EPRUM(L=9)"])
