"""Every measure keeps every law that its registry line claims, on rankings made at random.

A test draws rankings and parameters and asks all measures that make the claim; what it compares
with the empty list are the names of those that broke it.
"""

from collections.abc import Callable
from math import isnan
from typing import Any, NamedTuple

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from builders import (
    OUTSIDE,
    SET_ASIDE,
    ranking,
    rankings,
)
from spanwise.evaluation.evaluate import score_run as score
from spanwise.formats.frames.tables import judgements_of, run_of
from spanwise.measures import MEASURES
from spanwise.model.measure import (
    REQUIRED,
    Law,
    Measure,
    MeasureRequest,
)
from spanwise.model.policy import Policy
from spanwise.model.rankings import Rankings

ROUNDING = 1e-12
VALUES: dict[str, tuple[Any, ...]] = {
    "cutoff": (None, 1, 2, 3, 5, 20),  # a measure that needs a cut-off takes 7 for None
    "recall": (0.0, 0.1, 0.35, 0.5, 1.0),
    "max_rel": (1, 2, 4),
    "rel": (1, 2),
    "p": (0.5, 0.8, 0.95),
    "T": (0.5, 1.0, 3.0),
    "beta": (0.5, 1.0, 2.0),
    "multiple": (0.2, 0.5, 1.0, 2.0),
    "relative": (False, True),
    "normalize": (False, True),
    "dcg": ("log2", "exp-log2"),
    "gains": ((), ((1.0, 1.0), (2.0, 3.0), (3.0, 7.0), (4.0, 15.0))),
}
"""What a parameter may be here; one that is not listed keeps its default."""

GRADED = [entry for entry in MEASURES.values() if entry.reads in ("rankings", "anything")]
NUMERIC = [entry for entry in GRADED if entry.aggregate != "text"]

grades = st.sampled_from(["0", "1", "2", "3", "4"])
worthless = st.sampled_from(["0", OUTSIDE, SET_ASIDE])
result = grades | worthless
some_results = st.lists(result, max_size=12)
some_grades = st.lists(grades, max_size=5)
choices = st.fixed_dictionaries({name: st.sampled_from(v) for name, v in VALUES.items()})
enough = settings(max_examples=120, deadline=None)


class Topic(NamedTuple):
    """One ranking, and the grades of documents that were judged and not retrieved."""

    results: list[str]
    missed: list[str]

    @property
    def spec(self) -> tuple[str, str]:
        judged = [token for token in self.results if token != OUTSIDE]
        return " ".join(self.results), " ".join([*judged, *self.missed])

    @property
    def block(self) -> Rankings:
        return ranking(*self.spec)


topics = st.builds(Topic, some_results, some_grades)


def claiming(law: Law) -> list[Measure]:
    return [entry for entry in NUMERIC if law in entry.laws]


def with_choices(measure: Measure, choice: dict[str, Any]) -> MeasureRequest:
    """The measure with those of the chosen parameters that it has."""
    given = {name: choice[name] for name in measure.parameters if name in choice}
    if given.get("cutoff", 0) is None and measure.parameters["cutoff"] is REQUIRED:
        given["cutoff"] = 7
    return MeasureRequest(measure.name, measure, given)


def breaking(
    measures: list[Measure], choice: dict[str, Any], keeps: Callable[..., bool], *blocks: Rankings
) -> list[str]:
    """The measures whose values for one topic in each of some blocks are not as they should be."""
    return [
        f"{asked.label} {dict(asked.parameters)}: {values}"
        for asked in (with_choices(measure, choice) for measure in measures)
        if not keeps(*(values := [float(asked(block)[0]) for block in blocks]))
    ]


def same(one: float, other: float) -> bool:
    return (isnan(one) and isnan(other)) or abs(one - other) <= ROUNDING


def test_every_required_parameter_has_values_to_try():
    needed = {n for m in GRADED for n, default in m.parameters.items() if default is REQUIRED}
    assert needed <= VALUES.keys()


def test_every_law_is_claimed_by_some_measure_and_none_by_all():
    claims = [sum(law in entry.laws for entry in MEASURES.values()) for law in Law]
    assert all(0 < count < len(MEASURES) for count in claims)


# What single registry lines claim -----------------------------------------------------------


@enough
@given(topic=topics, choice=choices)
def test_values_stay_within_bounds_or_are_undefined(topic, choice):
    block = topic.block
    for measure in NUMERIC:
        low, high = measure.bounds
        within = lambda v, low=low, high=high: isnan(v) or low <= v <= high + ROUNDING  # noqa: E731
        assert breaking([measure], choice, within, block) == []


@enough
@given(results=some_results, missed=some_grades, choice=choices)
def test_where_something_is_relevant_every_measure_is_defined(results, missed, choice):
    """But for two old ones, which say so: the rank of nothing, and a share of no pairs."""
    measures = [m for m in NUMERIC if m.name not in ("RankFirstRel", "MicroBpref")]
    block = Topic(results, [*missed, "4"]).block
    assert breaking(measures, choice, lambda v: not isnan(v), block) == []


@enough
@given(relevant=st.lists(st.integers(1, 4), max_size=8), nothing=st.integers(0, 3), choice=choices)
def test_the_ideal_ranking_scores_one(relevant, nothing, choice):
    """Optional parameters but `rel` keep their defaults: AP@2 of three relevant stays below 1."""
    grades = sorted([*relevant, 4], reverse=True)
    for measure in claiming(Law.IDEAL_IS_ONE):
        given = {k: v for k, v in choice.items() if measure.parameters.get(k) is REQUIRED}
        least = choice["rel"] if "rel" in measure.parameters else 1
        if "gains" in measure.parameters:  # then every positive grade is worth something
            least = 1
        best = [str(grade) for grade in grades if grade >= least]
        rest = [str(grade) for grade in grades if grade < least]
        block = Topic(best, rest + ["0"] * nothing).block
        given["rel"] = least
        assert breaking([measure], given, lambda v: same(v, 1), block) == []


@enough
@given(results=st.lists(worthless, max_size=12), missed=some_grades, choice=choices)
def test_a_ranking_without_anything_relevant_scores_zero(results, missed, choice):
    block = Topic(results, [*missed, "4"]).block
    assert breaking(claiming(Law.NOTHING_IS_ZERO), choice, lambda v: v == 0, block) == []


@enough
@given(
    top=st.lists(result, min_size=1, max_size=6),
    tails=st.tuples(some_results, some_results),
    missed=some_grades,
    choice=choices,
)
def test_what_stands_below_the_cut_off_changes_nothing(top, tails, missed, choice):
    first, second = ([token for token in tail if token != OUTSIDE] for tail in tails)
    one = Topic([*top, *tails[0]], [*missed, *second]).block  # the same documents were judged,
    other = Topic([*top, *tails[1]], [*missed, *first]).block  # but others were retrieved
    cut = choice | {"cutoff": len(top)}
    assert breaking(claiming(Law.BLIND_BELOW_CUTOFF), cut, same, one, other) == []


@settings(max_examples=300, deadline=None)
@given(
    above=some_results,
    pair=st.tuples(result, result),
    between=st.lists(result, max_size=6),
    below=st.lists(result, max_size=4),
    missed=some_grades,
    choice=choices,
)
def test_moving_a_more_relevant_result_up_never_lowers_the_score(
    above, pair, between, below, missed, choice
):
    worse, better = sorted(pair, key=worth)
    before = Topic([*above, worse, *between, better, *below], [*missed, "4"]).block
    after = Topic([*above, better, *between, worse, *below], [*missed, "4"]).block
    rises = lambda old, new: new >= old - ROUNDING  # noqa: E731
    assert breaking(claiming(Law.SWAP_UP), choice, rises, before, after) == []


def worth(token: str) -> int:
    return 0 if token in (OUTSIDE, SET_ASIDE) else int(token)


@enough
@given(topic=topics, more=st.lists(worthless, min_size=1, max_size=6), choice=choices)
def test_irrelevant_results_added_at_the_end_change_nothing(topic, more, choice):
    pooled = [token for token in more if token != OUTSIDE]
    before = Topic(topic.results, [*topic.missed, *pooled]).block
    after = Topic([*topic.results, *more], topic.missed).block
    assert breaking(claiming(Law.ADD_BELOW), choice, same, before, after) == []


@enough
@given(data=st.data(), topic=topics, choice=choices)
def test_the_order_of_results_does_not_matter(data, topic, choice):
    shuffled = Topic(data.draw(st.permutations(topic.results)), topic.missed).block
    assert breaking(claiming(Law.ORDER_FREE), choice, same, topic.block, shuffled) == []


# What holds for all -------------------------------------------------------------------------


@enough
@given(several=st.lists(topics, min_size=2, max_size=5), choice=choices)
def test_many_topics_at_once_give_the_same_bits_as_each_alone(several, choice):
    block, alone = rankings([topic.spec for topic in several]), [topic.block for topic in several]
    for asked in (with_choices(measure, choice) for measure in GRADED):
        together = asked(block)
        single = np.array([asked(one)[0] for one in alone], together.dtype)
        equal = together.dtype != object
        assert np.array_equal(together, single, equal_nan=equal), (asked.label, together, single)


def documents_of(several: list[Topic]) -> tuple[dict, dict]:
    """Judgements and a run in which every result has a score of its own or shares it."""
    qrels: dict[str, dict[str, float]] = {}
    run: dict[str, dict[str, float]] = {}
    for number, topic in enumerate(several):
        name = f"t{number}"
        qrels[name], run[name] = {"none": 0.0}, {}
        for place, token in enumerate([*topic.results, *topic.missed]):
            document = f"d{place}"
            if token != OUTSIDE:
                qrels[name][document] = -1.0 if token == SET_ASIDE else float(token)
            if place < len(topic.results):
                run[name][document] = float(-place // 2)  # two and two are tied
        run[name]["last"] = -100.0
    return qrels, run


EVERYTHING = [
    with_choices(measure, {"cutoff": 3, "recall": 0.5, "max_rel": 4}) for measure in GRADED
]


def all_values(qrels: dict, run: dict) -> list[list]:
    """Every measure for every topic, topics in order of their ids."""
    found = score(judgements_of(qrels), run_of(run), EVERYTHING, Policy(empty="as-is"))
    return [found.values[name].tolist() for name in sorted(found.values)] + [
        list(found.texts[name]) for name in sorted(found.texts)
    ]


def identical(one: list[list], other: list[list]) -> bool:
    return repr(one) == repr(other)  # so that undefined equals undefined


@enough
@given(several=st.lists(topics, min_size=1, max_size=3), data=st.data())
def test_the_order_of_input_lines_is_irrelevant(several, data):
    qrels, run = documents_of(several)
    shuffled = [
        {name: shuffle(data, one[name]) for name in shuffle(data, one)} for one in (qrels, run)
    ]
    assert identical(all_values(qrels, run), all_values(*shuffled))


def shuffle(data, mapping: dict) -> dict:
    return {key: mapping[key] for key in data.draw(st.permutations(list(mapping)))}


@enough
@given(several=st.lists(topics, min_size=1, max_size=3), prefix=st.sampled_from(["a", "z/", "é"]))
def test_renaming_topics_and_documents_in_their_order_changes_nothing(several, prefix):
    qrels, run = documents_of(several)
    renamed = [
        {
            prefix + name: {prefix + document: number for document, number in inner.items()}
            for name, inner in one.items()
        }
        for one in (qrels, run)
    ]
    assert identical(all_values(qrels, run), all_values(*renamed))
