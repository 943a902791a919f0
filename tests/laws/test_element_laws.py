"""Every measure of elements keeps every law that its registry line claims."""

from itertools import pairwise
from math import isnan

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from element_worlds import (
    document,
    highlighted_assessments,
    shapes,
    submission,
)
from spanwise.matching.elements import element_rankings
from spanwise.measures import MEASURES
from spanwise.model.measure import Law, MeasureRequest
from spanwise.model.policy import Policy

ROUNDING = 1e-9
VALUES = {
    "cutoff": (1, 2, 5, 20),
    "recall": (0.01, 0.2, 1.0),
    "quant": (None, "spec", "strict5", "gen5", "genLifted", "exhspe"),
    "overlap": ("on", "off"),
    "recallbase": (None, "ideal", "full"),
    "alpha": (1.0, 0.5, 0.0),
    "ideal": ("higher", "deeper"),
    "paths": ("valued", "assessed"),
    "cap": ("full", "subtree", "descendants"),
    "interpolate": ("linear", "whole"),
    "points": (100, 7),
    "elements": (None,),
    "base": None,
    "variant": ("inside", "earlier"),
}
BASES = {"MAncG": ("1500", "ideal"), "HiP": ("focused", "thorough")}
STRUCTURAL = [entry for entry in MEASURES.values() if entry.reads == "elements"]
FOCUSED = {"overlap": "on", "recallbase": None, "alpha": 1.0, "cap": "full"}
"""The choices under which no run gains more than the ideal one."""
choices = st.fixed_dictionaries(
    {name: st.sampled_from(v) for name, v in VALUES.items() if v is not None}
)
enough = settings(max_examples=60, deadline=None)


@st.composite
def worlds(draw):
    """Three documents, the last without highlighted text, and results."""
    documents = []
    for name in "def":
        nodes, _ = document(name, [2, *draw(shapes)])
        end = nodes[0].end
        begin = draw(st.integers(0, end - 1))
        lit = range(begin, min(begin + draw(st.integers(1, 5)), end)) if name != "f" else ()
        documents.append((name, nodes, {(name, place) for place in lit}))
        for node in nodes:
            node.exhaustivity = draw(st.sampled_from([2, 2, 1, -1]))
    every = [node for _, nodes, _ in documents for node in nodes]
    return documents, draw(st.lists(st.sampled_from(every), unique=True, max_size=10))


def value(measure, choice, documents, results):
    bases = BASES["MAncG"] if measure.name == "MAncG" else BASES["HiP"]
    every = {**choice, "base": bases[choice["points"] == 7]}
    given_ = {name: every[name] for name in measure.parameters if name in every}
    judgements = highlighted_assessments(documents, exhaustivity=None)
    run = submission(results) if results else submission(documents[0][1][:1], topic="2")
    (block,) = element_rankings(run, judgements, [b"1"], Policy(ties="file"))
    return float(MeasureRequest(measure.name, measure, given_)(block)[0])


def claiming(law):
    return [entry for entry in STRUCTURAL if law in entry.laws]


def test_every_parameter_has_values_to_try():
    assert {name for entry in STRUCTURAL for name in entry.parameters} <= VALUES.keys()


def test_some_measures_are_structural():
    assert {entry.name for entry in STRUCTURAL} >= {"nxCG", "MAep", "inex_eval", "NGP", "HiP"}


@enough
@given(worlds(), choices)
def test_values_stay_within_bounds(world, choice):
    for measure in STRUCTURAL:
        low, high = measure.bounds
        found = value(measure, choice, *world)
        assert isnan(found) or low <= found <= high + ROUNDING, measure.name


def ideal_run(documents, choice):
    judgements = highlighted_assessments(documents, exhaustivity=None)
    run = submission(documents[0][1][:1])
    (block,) = element_rankings(run, judgements, [b"1"], Policy(ties="file"))
    base = block.base(choice["quant"])
    nodes = {(n.document, n.path): n for _, of_document, _ in documents for n in of_document}
    names = judgements.documents.take(base.judged.row)
    ideal = base.ideal(choice["ideal"], choice["paths"]) if choice["overlap"] == "on" else base.full
    order = sorted(ideal.nonzero()[0].tolist(), key=lambda n: -base.value[n])
    return [nodes[names[n].decode(), base.judged.paths[n].decode()] for n in order]


@enough
@given(worlds(), choices)
def test_the_ideal_ranking_scores_one(world, choice):
    documents, _ = world
    choice = {**choice, "recallbase": None, "alpha": 1.0}
    results = ideal_run(documents, choice)
    for measure in claiming(Law.IDEAL_IS_ONE):
        found = value(measure, choice, documents, results)
        assert isnan(found) or found == pytest.approx(1, abs=ROUNDING), measure.name


@enough
@given(worlds(), choices)
def test_nothing_beats_the_ideal_ranking(world, choice):
    documents, results = world
    for measure in claiming(Law.IDEAL_IS_ONE):
        found = value(measure, {**choice, **FOCUSED}, documents, results)
        assert isnan(found) or found <= 1 + ROUNDING, measure.name


@enough
@given(worlds(), choices)
def test_without_alpha_overlap_is_ignored(world, choice):
    documents, results = world
    for name in ("xCG", "nxCG", "MAnxCG", "gr", "MAep"):
        measure, base = MEASURES[name], {**choice, "recallbase": "ideal"}
        plain = value(measure, {**base, "overlap": "off"}, documents, results)
        blind = value(measure, {**base, "overlap": "on", "alpha": 0.0}, documents, results)
        assert plain == pytest.approx(blind, nan_ok=True)


@enough
@given(worlds(), choices)
def test_nothing_relevant_scores_zero(world, choice):
    documents, _ = world
    results = documents[2][1]
    for measure in claiming(Law.NOTHING_IS_ZERO):
        choice = {**choice, "quant": "spec"}
        if measure.name not in ("NGP", "NGR"):  # these ask what was said, not what is highlighted
            assert value(measure, choice, documents, results) == 0, measure.name


@enough
@given(worlds(), choices)
def test_results_elsewhere_at_the_end_change_nothing(world, choice):
    documents, results = world
    results = [one for one in results if one.document != "f"]
    for measure in claiming(Law.ADD_BELOW):
        if measure.name in ("NGP", "NGR"):
            continue
        before = value(measure, choice, documents, results)
        after = value(measure, choice, documents, [*results, *documents[2][1]])
        assert before == pytest.approx(after, nan_ok=True), measure.name


@enough
@given(worlds(), choices)
def test_what_stands_below_the_cutoff_changes_nothing(world, choice):
    documents, results = world
    for measure in claiming(Law.BLIND_BELOW_CUTOFF):
        before = value(measure, choice, documents, results[: choice["cutoff"]])
        after = value(measure, choice, documents, results)
        assert before == pytest.approx(after, nan_ok=True), measure.name


@enough
@given(worlds(), choices)
def test_effort_falls_from_level_to_level_never_below_nothing(world, choice):
    documents, results = world
    choice = {**choice, "quant": "spec"}
    gained = [
        value(MEASURES["gr"], {**choice, "cutoff": k}, documents, results) for k in range(1, 8)
    ]
    assert all(first <= second + ROUNDING for first, second in pairwise(gained))
