"""Every measure of text keeps every law that its registry line claims, on runs made at random."""

from math import isnan

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spanwise.measures import MEASURES
from spanwise.model.measure import REQUIRED, Law, MeasureRequest
from spanwise.model.policy import Policy
from text_blocks import block, pointed_out, returned

ROUNDING = 1e-12
VALUES = {
    "cutoff": (1, 2, 3, 20),
    "recall": (0.0, 0.01, 0.2, 0.35, 1.0),
    "repeats": ("charge", "skip"),
    "score": ("f", "bep", "t2i"),
    "beta": (0.0, 0.25, 1.0),
    "n": (1, 5, 500),
    "tolerance": (0, 3, 300),
    "past": ("zero", "last"),
    "budget": (None, 0, 1, 7, 25.5, 10_000),
    "blank": ("ignore", "count"),
    "share": (0.3, 0.95, 1.0),
    "of": ("returned",),
}
# where nothing relevant, or nothing at all, is read; or without the texts of documents
UNDEFINED = {"FirstEvidence", "JudgedText", "UnreadBlank"}
TEXTUAL = [entry for entry in MEASURES.values() if entry.reads == "readings"]
# One topic. Highlighted are a 5-15 and 20-30, b 0-4, c 8-12; d has no highlighted text.
PASSAGES = [("a", 5, 10), ("a", 20, 10), ("b", 0, 4), ("c", 8, 4)]
JUDGED = pointed_out(
    """
{"qid": "1", "doc": "a", "doc_len": 40, "bep": 5, "spans": [
   {"s": 20, "e": 30, "aspect": ["x", "y"]}, {"s": 5, "e": 15, "aspect": ["x"]}]}
{"qid": "1", "doc": "b", "doc_len": 20, "bep": 0, "spans": [{"s": 0, "e": 4, "aspect": ["z"]}]}
{"qid": "1", "doc": "c", "doc_len": 12, "bep": 8, "spans": [{"s": 8, "e": 12}]}
{"qid": "1", "doc": "d", "doc_len": 30, "spans": []}
"""
)

place = st.tuples(st.sampled_from("abcdz"), st.integers(0, 35), st.integers(1, 20))
anything = st.lists(place, max_size=8)
elsewhere = st.lists(st.tuples(st.sampled_from("dz"), st.just(0), st.integers(1, 9)), max_size=4)
choices = st.fixed_dictionaries({name: st.sampled_from(v) for name, v in VALUES.items()})
enough = settings(max_examples=100, deadline=None)


def claiming(law):
    return [entry for entry in TEXTUAL if law in entry.laws]


def value(measure, choice, results):
    given_ = {name: choice[name] for name in measure.parameters if name in choice}
    if given_.get("cutoff") is None and measure.parameters.get("cutoff") is None:
        given_.pop("cutoff", None)
    if given_.get("budget") is None and measure.parameters.get("budget") is REQUIRED:
        given_["budget"] = 12
    lines = [f"1 {document} {start} {length}" for document, start, length in results]
    run = returned(*lines) if lines else returned("2 a 0 1")
    return float(
        MeasureRequest(measure.name, measure, given_)(block(JUDGED, run, Policy(ties="file")))[0]
    )


def test_every_parameter_has_values_to_try():
    assert {name for entry in TEXTUAL for name in entry.parameters} <= VALUES.keys()


def test_some_measures_are_textual():
    assert {entry.name for entry in TEXTUAL} >= {"iP", "MAiP", "char_prec", "gP", "MAgP"}


@enough
@given(anything, choices)
def test_values_stay_within_bounds(results, choice):
    for measure in TEXTUAL:
        low, high = measure.bounds
        found = value(measure, choice, results)
        assert not isnan(found) or measure.name in UNDEFINED
        assert isnan(found) or low <= found <= high + ROUNDING, measure.name


@enough
@given(st.permutations(PASSAGES), choices)
def test_the_ideal_ranking_scores_one(results, choice):
    choice = {**choice, "budget": None}
    for measure in claiming(Law.IDEAL_IS_ONE):
        assert value(measure, choice, results) == pytest.approx(1, abs=ROUNDING), measure.name


@enough
@given(elsewhere, choices)
def test_nothing_relevant_scores_zero(results, choice):
    for measure in claiming(Law.NOTHING_IS_ZERO):
        assert value(measure, choice, results) == 0, measure.name


@enough
@given(anything, elsewhere, choices)
def test_irrelevant_results_at_the_end_change_nothing(results, more, choice):
    for measure in claiming(Law.ADD_BELOW):
        before, after = (value(measure, choice, r) for r in (results, [*results, *more]))
        assert after == pytest.approx(before, abs=ROUNDING), measure.name


@enough
@given(anything, st.randoms(use_true_random=False), choices)
def test_the_order_does_not_matter(results, random, choice):
    mixed = random.sample(results, len(results))
    for measure in claiming(Law.ORDER_FREE):
        before, after = (value(measure, choice, r) for r in (results, mixed))
        assert after == pytest.approx(before, abs=ROUNDING), measure.name


@enough
@given(anything, st.data(), choices)
def test_cutting_a_result_in_two_changes_nothing(results, data, choice):
    cut = []
    for document, start, length in results:
        first = data.draw(st.integers(1, length))
        cut.append((document, start, first))
        if first < length:
            cut.append((document, start + first, length - first))
    for measure in claiming(Law.CUT_IN_TWO):
        counts_results = "budget" in measure.parameters or measure.name == "NearR"
        mine = {**choice, "cutoff": None} if counts_results else choice
        before, after = (value(measure, mine, r) for r in (results, cut))
        if isnan(before):
            assert isnan(after), measure.name
            continue
        assert after == pytest.approx(before, abs=ROUNDING), measure.name


@enough
@given(anything, anything, choices)
def test_documents_below_the_cut_off_change_nothing(results, more, choice):
    shown = {document for document, _, _ in results}
    new = [place for place in more if place[0] not in shown]
    if len(shown) >= choice["cutoff"]:
        for measure in claiming(Law.BLIND_BELOW_CUTOFF):
            before, after = (value(measure, choice, r) for r in (results, [*results, *new]))
            if isnan(before):
                assert isnan(after), measure.name
                continue
            assert after == pytest.approx(before, abs=ROUNDING), measure.name


@enough
@given(st.lists(place, min_size=1, max_size=5), st.data(), choices)
def test_returning_a_result_again_never_helps(results, data, choice):
    again = list(results)
    for _ in range(data.draw(st.integers(1, 5))):
        copied = data.draw(st.integers(0, len(again) - 1))
        again.insert(data.draw(st.integers(copied + 1, len(again))), again[copied])
    for measure in claiming(Law.READ_AGAIN):
        if measure.parameters.get("cutoff", 0) is None:  # a copy can push a worse result below it
            choice = {**choice, "cutoff": None}
        before, after = (value(measure, choice, r) for r in (results, again))
        assert after <= before + ROUNDING, measure.name


def test_all_measures_of_chunks_forbid_copies_to_help():
    names = ("SpanR", "SpanP", "SpanF", "SpanIoU", "FullEvidence", "AspectR", "Passage2AP")
    assert {*names, "PassageAP", "AspectAP", "DocumentAP"} <= {
        entry.name for entry in claiming(Law.READ_AGAIN)
    }
