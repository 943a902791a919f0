"""Every measure of text keeps every law that its registry line claims, on runs made at random."""

from math import isnan

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spanwise.measure import MEASURES
from spanwise.model.measures import Asked, Law
from spanwise.model.policy import Policy
from text_blocks import block, judged, returned

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
}
TEXTUAL = [entry for entry in MEASURES.values() if entry.reads == "readings"]
# One topic. Highlighted are a 5-15 and 20-30, b 0-4, c 8-12; d has no highlighted text.
PASSAGES = [("a", 5, 10), ("a", 20, 10), ("b", 0, 4), ("c", 8, 4)]
JUDGED = judged(
    "1 Q0 a 20 40 5 5:10 20:10", "1 Q0 b 4 20 0 0:4", "1 Q0 c 4 12 8 8:4", "1 Q0 d 0 30"
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
    lines = [f"1 {document} {start} {length}" for document, start, length in results]
    run = returned(*lines) if lines else returned("2 a 0 1")
    return float(Asked(measure.name, measure, given_)(block(JUDGED, run, Policy(ties="file")))[0])


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
        assert not isnan(found)
        assert low <= found <= high + ROUNDING, measure.name


@enough
@given(st.permutations(PASSAGES), choices)
def test_the_ideal_ranking_scores_one(results, choice):
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
        before, after = (value(measure, choice, r) for r in (results, cut))
        assert after == pytest.approx(before, abs=ROUNDING), measure.name


@enough
@given(anything, anything, choices)
def test_documents_below_the_cut_off_change_nothing(results, more, choice):
    shown = {document for document, _, _ in results}
    new = [place for place in more if place[0] not in shown]
    if len(shown) >= choice["cutoff"]:
        for measure in claiming(Law.BLIND_BELOW_CUTOFF):
            before, after = (value(measure, choice, r) for r in (results, [*results, *new]))
            assert after == pytest.approx(before, abs=ROUNDING), measure.name
