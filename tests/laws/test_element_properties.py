"""What the table of properties says of measures of elements is so."""

from dataclasses import astuple

import pytest

import spanwise
from element_worlds import document, highlighted_assessments, submission
from spanwise.measures import MEASURES

TABLE = {
    "inex_eval": "yes yes indirect rewarded no - no yes unclear indirect indirect",
    "NGP": "yes yes indirect penalised no - no yes unclear indirect indirect",
    "NGR": "yes yes indirect penalised no - no yes unclear indirect indirect",
    "nxCG": "yes no yes neutral yes yes no yes yes indirect indirect",
    "ep": "yes yes yes neutral yes yes no yes yes indirect indirect",
    "gr": "yes yes yes neutral yes yes no yes yes indirect indirect",
    "T2I": "yes yes yes neutral yes no yes unclear yes indirect indirect",
    "GR": "yes yes yes neutral yes yes yes yes yes yes yes",
    "PRUM": "yes yes yes neutral yes no yes yes yes yes yes",
    "EPRUM": "yes yes yes neutral yes yes yes yes yes yes yes",
    "HiP": "yes yes yes neutral yes yes no yes yes indirect indirect",
    "HiR": "yes yes yes neutral yes yes no yes yes indirect indirect",
}
"""The encyclopedia's table, metric by metric."""

# article: 2 characters, a section of two paragraphs, a section with nothing relevant; and another.
D, _ = document("d", [2, [[4], [0], [4]], 5, [[6]], 3])
E, _ = document("e", [1, [[4], 4], 2])
ARTICLE, SEC, P1, _, P2, OTHER, _ = D
FIRST = ("d", D, {("d", place) for place in range(2, 10)})
SECOND = ("e", E, {("e", place) for place in range(1, 5)})
EXPECTED = "EPRUM(behaviour=identity)"
OVERLAPPING = {
    "xCG": "xCG@9", "nxCG": "nxCG@9", "MAnxCG": "MAnxCG@9", "MAncG": "MAncG(base=9)",
    "ep": "ep(overlap=on)[0.5]", "gr": "gr(overlap=on)@9", "MAep": "MAep(overlap=on)",
    "HiR": "HiR@9", "GR": "GR@9", "PRUM": "PRUM[1]", "EPRUM": EXPECTED,
}  # fmt: skip
"""Neutral measures, in a form that looks at all results. HiP and HiF charge what is read again."""
PLACES = {"BEPD": "BEPD(L=10)", "T2I": "T2I(tolerance=3)"}
"""Neutral measures of places where a reader begins."""
LIT = "1 Q0 d 10 30 5 5:10"  # highlighted from the entry point on
LIT_TWICE = LIT + "\n1 Q0 e 10 30 5 5:10"


def value(name, results, documents=(FIRST,)):
    judgements = highlighted_assessments(documents)
    return spanwise.evaluate(judgements, submission(results), [name]).means[name]


@pytest.mark.parametrize("name", TABLE)
def test_the_registry_has_the_published_answers(name):
    assert " ".join(astuple(MEASURES[name].properties)) == TABLE[name]


def test_no_other_attitude_goes_untested():
    neutral = {m.name for m in MEASURES.values() if m.properties.overlap == "neutral"}
    of_elements = {m.name for m in MEASURES.values() if m.reads in ("elements", "navigation")}
    assert neutral & of_elements - {"HiP", "HiF"} == {*OVERLAPPING, *PLACES}
    rewarded = {m.name for m in MEASURES.values() if m.properties.overlap == "rewarded"}
    assert rewarded == {"inex_eval", "precall"}


@pytest.mark.parametrize("name", ["inex_eval", "precall[0.5]"])
def test_a_nested_duplicate_is_rewarded(name):
    assert value(name, [SEC, P1]) > value(name, [SEC])


@pytest.mark.parametrize("name", OVERLAPPING.values())
def test_a_nested_duplicate_changes_nothing(name):
    before = value(name, [SEC])
    assert before > 0
    assert value(name, [SEC, P1]) == pytest.approx(before)


@pytest.fixture
def begun(tmp_path):
    """The value of a run of spans, each a document, a start and a length."""

    def measured(name, *spans, judged=LIT):
        lines = [f"1 Q0 {d} {k} {-k} m {s} {n}\n" for k, (d, s, n) in enumerate(spans, start=1)]
        (tmp_path / "run").write_text("".join(lines))
        (tmp_path / "qrels").write_text(judged + "\n")
        return spanwise.evaluate(tmp_path / "qrels", tmp_path / "run", [name]).means[name]

    return measured


@pytest.mark.parametrize("name", PLACES.values())
def test_places_where_a_reader_begins(begun, name):
    """Nested duplicates change nothing, near misses are credited, what was missed is missed."""
    assert begun(name, ("d", 5, 10)) == 1
    assert begun(name, ("d", 5, 10), ("d", 7, 3)) == 1
    assert begun(name, ("d", 2, 20)) > 0
    assert begun(name, ("d", 5, 10), judged=LIT_TWICE) == 1 / 2


def test_only_tolerance_minds_what_is_not_relevant(begun):
    """With precision a vain result before the good one costs something."""
    assert [MEASURES[name].properties.precision for name in PLACES] == ["no", "yes"]
    values = [begun(name, ("z", 0, 9), ("d", 5, 10)) for name in PLACES.values()]
    assert values == [1, 1 / 2]


@pytest.mark.parametrize("name", ["NGP", "NGR"])
def test_a_nested_duplicate_is_penalised(name):
    assert value(f"{name}(overlap=on)@2", [P1, SEC]) <= value(f"{name}(overlap=off)@2", [P1, SEC])
    assert value("NGR@2", [SEC, P1]) < value("NGR(overlap=off)@2", [SEC, P1])
    assert value("NGP@2", [P1, ARTICLE]) < value("NGP@2", [P1])


NEAR = ["xCG@1", "nxCG@1", "MAnxCG@1", "MAncG", "ep(overlap=on)[0.1]", "gr(overlap=on)@1"]


@pytest.mark.parametrize("name", [*NEAR, "MAep(overlap=on)", "HiP@1", "HiR@1", "HiF@1"])
@pytest.mark.parametrize("near", [ARTICLE, P1])
def test_near_misses_are_credited(name, near):
    assert value(name, [near]) > 0


@pytest.mark.parametrize("name", ["GR(behaviour=containment)@1", "EPRUM(behaviour=containment)"])
def test_readers_find_their_way_from_a_near_miss(name):
    assert value(name, [ARTICLE]) > 0


def test_near_misses_are_credited_by_the_quantisation_alone():
    assert value("inex_eval(quant=strict5)", [ARTICLE]) == 0
    assert value("inex_eval(quant=spec)", [ARTICLE]) > 0


LOSING = ["MAep", "inex_eval", "NGR@1", "HiR@1", "GR@1", EXPECTED, "gr@1"]


@pytest.mark.parametrize("name", LOSING)
def test_what_was_missed_is_of_consequence(name):
    assert value(name, [SEC], [FIRST, SECOND]) < value(name, [SEC])


PRECISE = ["MAep", "ep[0.1]", "inex_eval", "NGP@2", "HiP@2", "HiF@2", EXPECTED, "PRUM[1]"]


@pytest.mark.parametrize("name", PRECISE)
def test_what_is_not_relevant_is_of_consequence(name):
    assert value(name, [OTHER, SEC]) < value(name, [SEC])


@pytest.mark.parametrize("name", ["nxCG@1", "MAep(overlap=on)", "ep(overlap=on)[1]", EXPECTED])
def test_an_ideal_run_is_known(name):
    assert value(name, [SEC]) == pytest.approx(1)


def test_without_ideality_the_full_recall_base_is_better_than_the_ideal_one():
    assert value("inex_eval", [SEC]) < value("inex_eval", [SEC, P1, P2, ARTICLE])


HALF = ("e", E, {("e", place) for place in range(1, 3)})


@pytest.mark.parametrize("name", ["nxCG@1", "xCG@1", "gr(overlap=on)@1", "HiR@1", "GR@1"])
def test_ideal_elements_come_in_grades(name):
    assert value(name, [SEC], [FIRST, HALF]) > value(name, [E[2]], [FIRST, HALF])


@pytest.mark.parametrize("name", ["PRUM", "EPRUM", "GR", "T2I", "BEPD"])
def test_a_user_model_has_a_parameter(name):
    assert {"behaviour", "tolerance", "A"} & set(MEASURES[name].parameters)
    assert MEASURES[name].properties.user_model == "yes"
