"""Every measure with a user model keeps the laws that its registry line claims."""

from math import isnan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spanwise.measures import MEASURES
from spanwise.measures.discoveries import discoveries, mean_precision
from spanwise.model.element_rankings import NavigationRankings, NavigationSteps
from spanwise.model.measure import Law, MeasureRequest
from spanwise.model.policy import Policy

ROUNDING = 1e-12
VALUES = {
    "cutoff": (1, 2, 3, 20),
    "recall": (0.01, 0.2, 0.5, 1.0),
    "interpolate": ("linear", "whole"),
    "grid": (None, 100),
}
BROWSED = [entry for entry in MEASURES.values() if entry.reads == "navigation"]
chances = st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0])
worths = st.lists(st.sampled_from([0.25, 0.5, 1.0]), min_size=1, max_size=4)
choices = st.fixed_dictionaries({name: st.sampled_from(v) for name, v in VALUES.items()})
enough = settings(max_examples=150, deadline=None)


def block(steps, worth, results):
    """One topic whose steps are (rank, target) with chances, whatever the behaviour."""
    rows = sorted((rank, target, chance) for (rank, target), chance in steps.items())
    rank, target, chance = zip(*rows, strict=True) if rows else ((), (), ())
    navigation = NavigationSteps(
        results,
        np.array(worth),
        np.array(rank, np.int64),
        np.array(target, np.int64),
        np.array(chance, np.float64),
    )
    return NavigationRankings((b"1",), Policy(ties="file"), lambda _: [navigation])


@st.composite
def rankings(draw, alone=False):
    """Steps, worths and a length; `alone`: each result leads to one target at most."""
    worth = draw(worths)
    results = draw(st.integers(1, 6))
    steps = {}
    for rank in range(1, results + 1):
        targets = st.sets(st.integers(0, len(worth) - 1), max_size=1 if alone else 3)
        for target in draw(targets):
            steps[rank, target] = draw(chances)
    return steps, worth, results


def claiming(law):
    return [entry for entry in BROWSED if law in entry.laws]


def value(measure, choice, case):
    given_ = {name: choice[name] for name in measure.parameters if name in choice}
    return float(MeasureRequest(measure.name, measure, given_)(block(*case))[0])


def at_a_level(choice):
    """The choice without a cut-off, for measures that can do without."""
    return {**choice, "cutoff": None}


def test_some_measures_have_a_user_model():
    assert {entry.name for entry in BROWSED} == {"GR", "PRUM", "EPRUM", "BEPD", "T2I"}


@enough
@given(rankings(), rankings(alone=True), choices)
def test_values_stay_within_bounds(case, alone, choice):
    """Where targets are entry points or passages a result leads to no more than one."""
    for measure in BROWSED:
        low, high = measure.bounds
        found = value(measure, choice, case if "behaviour" in measure.parameters else alone)
        assert not isnan(found)
        assert low <= found <= high + ROUNDING, measure.name


@enough
@given(rankings(alone=True), choices)
def test_eprum_stays_below_one_if_results_lead_to_one_target_each(case, choice):
    for some in (choice, at_a_level(choice), {**at_a_level(choice), "recall": None}):
        if some["interpolate"] == "linear" or some["cutoff"] is None:
            assert value(MEASURES["EPRUM"], some, case) <= 1 + ROUNDING


@enough
@given(worths, st.integers(0, 3), choices)
def test_the_ideal_ranking_scores_one(worth, more, choice):
    falling = sorted(worth, reverse=True)
    case = {(n + 1, n): 1.0 for n in range(len(falling))}, falling, len(falling) + more
    for measure in (*claiming(Law.IDEAL_IS_ONE), MEASURES["EPRUM"]):
        found = value(measure, at_a_level(choice), case)
        assert found == pytest.approx(1, abs=ROUNDING), measure.name


@enough
@given(worths, st.integers(1, 5), choices)
def test_nothing_relevant_scores_zero(worth, results, choice):
    for measure in claiming(Law.NOTHING_IS_ZERO):
        for some in (choice, at_a_level(choice)) if measure.name == "EPRUM" else (choice,):
            assert value(measure, some, ({}, worth, results)) == 0, measure.name


@enough
@given(rankings(), st.integers(1, 5), choices)
def test_irrelevant_results_at_the_end_change_nothing(case, more, choice):
    steps, worth, results = case
    for measure in claiming(Law.ADD_BELOW):
        longer = steps, worth, results + more
        before, after = (value(measure, choice, one) for one in (case, longer))
        assert after == pytest.approx(before, abs=ROUNDING), measure.name


@enough
@given(rankings(), choices)
def test_results_below_the_cut_off_change_nothing(case, choice):
    steps, worth, results = case
    above = {pair: chance for pair, chance in steps.items() if pair[0] <= choice["cutoff"]}
    for measure in claiming(Law.BLIND_BELOW_CUTOFF):
        before, after = (value(measure, choice, one) for one in (case, (above, worth, results)))
        assert after == pytest.approx(before, abs=ROUNDING), measure.name


@enough
@given(rankings(), choices)
def test_a_likelier_step_never_lowers_recall_or_expected_precision(case, choice):
    steps, worth, results = case
    if steps:
        pair = min(steps)
        for name in ("GR", "EPRUM"):
            some = {**choice, "grid": None}
            better = {**steps, pair: 1.0}, worth, results
            assert value(MEASURES[name], some, better) >= value(MEASURES[name], some, case) - 1e-12


@enough
@given(rankings())
def test_without_doubt_expected_precision_is_average_precision(case):
    """Every target counts 1 and is met once, or never; results lead to one target."""
    steps, worth, results = case
    first = {}
    for rank, target in sorted(steps):
        if target not in first and rank not in first.values():
            first[target] = rank
    certain = {(rank, target): 1.0 for target, rank in first.items()}
    (navigation,) = block(certain, [1.0] * len(worth), results).of(None)
    ranks = sorted(first.values())
    average = sum((i + 1) / rank for i, rank in enumerate(ranks)) / len(worth)
    [found] = discoveries([navigation])
    assert mean_precision(found) == pytest.approx(average, abs=ROUNDING)
