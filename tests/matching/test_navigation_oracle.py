"""User models on random documents against enumeration in fractions."""

from fractions import Fraction
from math import isnan

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from collections_by_hand import stored
from element_worlds import (
    document,
    highlighted_assessments,
    shapes,
    submission,
)
from naive_elements import Passage, Topic
from naive_navigation import (
    effort,
    enumerated_precision,
    enumerated_prum,
    enumerated_recall,
    ideal_list,
)
from spanwise import evaluate

CHANCES = [Fraction(1, 4), Fraction(1, 2), Fraction(1), Fraction(1, 10)]
HIGHEST = {"spec": 1, "gen5": 2, "genLifted": 3, "strict5": 1}
LEVELS = (Fraction(1, 3), Fraction(1, 2), Fraction(1))
CLOSE = {"rel": 1e-9, "abs": 1e-12}
enough = settings(max_examples=150, deadline=None)


@st.composite
def worlds(draw, passages=False):
    documents = []
    for name in "de"[: draw(st.integers(1, 2))]:
        nodes, xml = document(name, draw(shapes))
        end = nodes[0].end
        spans = st.tuples(st.integers(0, max(end - 1, 0)), st.integers(1, 5))
        places = draw(st.lists(spans, min_size=1))
        lit = {
            (name, p) for start, size in places[:3] for p in range(start, min(start + size, end))
        }
        for node in nodes:
            node.exhaustivity = draw(st.sampled_from([1, 2, -1]))
        documents.append((name, nodes, lit, xml))
    every = [node for _, nodes, _, _ in documents for node in nodes]
    if passages:
        for name, nodes, _, _ in documents:
            for _ in range(3):
                start = draw(st.integers(0, nodes[0].end))
                every.append(Passage(name, start, draw(st.integers(start, nodes[0].end))))
    unique = {(one.document, one.path, one.start, one.end): one for one in every}.values()
    results = st.lists(st.sampled_from(list(unique)), min_size=1, max_size=5, unique=True)
    return documents, draw(results)


def topic_of(documents, results, quant):
    nodes = [node for _, of_document, _, _ in documents for node in of_document]
    return Topic(nodes, set().union(*(lit for _, _, lit, _ in documents)), results, quant)


def judged_of(documents):
    listed = [(name, nodes, lit) for name, nodes, lit, _ in documents]
    return highlighted_assessments(listed, exhaustivity=None)


def compared(judgements, results, steps, worth, binary, given_, **more):
    """Every measure of the family beside its enumeration."""
    count, ranks = len(results), (1, 2, len(results), len(results) + 3)
    expected = {
        **{f"EPRUM({given_})[{float(x)}]": enumerated_precision(steps, worth, count, x)
           for x in LEVELS},
        f"EPRUM({given_})": sum(
            enumerated_precision(steps, worth, count, Fraction(n + 1, len(worth)))
            for n in range(len(worth))
        ) / len(worth),
        **{f"GR({given_})@{k}": enumerated_recall(steps, worth, count, k) for k in ranks},
        **{f"EPRUM({given_})@{k}": effort(worth, enumerated_recall(steps, worth, count, k)) / k
           for k in ranks},
    }  # fmt: skip
    if binary:
        plain = given_.replace(",worth=binary", "")
        for x in LEVELS:
            expected[f"PRUM({plain})[{float(x)}]"] = enumerated_prum(steps, len(worth), count, x)
        whole = f"EPRUM({given_},interpolate=whole)@2"
        level = enumerated_recall(steps, worth, count, 2)
        expected[whole] = Fraction(ideal_list(worth, level) if level else 0, 2)
    scores = evaluate(judgements, submission(results), list(expected), **more)
    for name, value in expected.items():
        assert scores.means[name] == pytest.approx(float(value), **CLOSE), name


def ideal_of(topic, ties, binary, paths="valued"):
    targets = topic.ideal(ties, paths)
    worth = [topic.value(node) / HIGHEST[topic.quant] for node in targets]
    return targets, [Fraction(1)] * len(targets) if binary else worth


choices = st.tuples(
    st.sampled_from(sorted(HIGHEST)), st.sampled_from(["higher", "deeper"]), st.booleans()
)


@enough
@given(
    worlds(),
    choices,
    st.sampled_from(["identity", "containment"]),
    st.sampled_from(["valued", "assessed"]),
)
def test_named_behaviours(world, choice, behaviour, paths):
    documents, results = world
    quant, ties, binary = choice
    topic = topic_of(documents, results, quant)
    targets, worth = ideal_of(topic, ties, binary, paths)
    given_ = f"behaviour={behaviour},quant={quant},ideal={ties},paths={paths}"
    given_ += ",worth=binary" * binary
    if not targets:
        name = f"EPRUM({given_})"
        means = evaluate(judged_of(documents), submission(results), [name]).means
        assert isnan(means[name])
        return
    steps = [
        (rank, number, Fraction(1))
        for rank, result in enumerate(results, start=1)
        for number, target in enumerate(targets)
        if (target is result if behaviour == "identity" else target.inside(result))
    ]
    compared(judged_of(documents), results, steps, worth, binary, given_)


@enough
@given(worlds(), choices, st.randoms(use_true_random=False))
def test_functions_of_behaviour(world, choice, random):
    documents, results = world
    quant, ties, binary = choice
    topic = topic_of(documents, results, quant)
    targets, worth = ideal_of(topic, ties, binary)
    if not targets:
        return
    pairs = [(rank, n) for rank in range(1, len(results) + 1) for n in range(len(targets))]
    chosen = random.sample(pairs, min(7, len(pairs)))
    steps = [(rank, number, random.choice(CHANCES)) for rank, number in chosen]
    numbers = {(node.document, node.path): n for n, node in enumerate(targets)}
    table = {(rank, number): chance for rank, number, chance in steps}

    def behaviour(result, target):
        number = numbers[target.document, target.path]
        return float(table.get((result.rank, number), 0))

    given_ = f"quant={quant},ideal={ties}" + ",worth=binary" * binary
    judgements = judged_of(documents)
    compared(judgements, results, steps, worth, binary, given_, behaviour=behaviour)


@settings(max_examples=15, deadline=None)
@given(worlds(passages=True))
def test_passages_lead_to_what_they_hold(tmp_path_factory, world):
    documents, results = world
    topic = topic_of(documents, results, "spec")
    targets, worth = ideal_of(topic, "higher", binary=False)
    if not targets:
        return
    folder = tmp_path_factory.mktemp("world")
    store = stored(folder, {f"{name}.xml": xml for name, _, _, xml in documents})
    steps = [
        (rank, number, Fraction(1))
        for rank, result in enumerate(results, start=1)
        for number, target in enumerate(targets)
        if (
            Passage.inside(target, result) if isinstance(result, Passage) else target.inside(result)
        )
    ]
    given_ = "behaviour=containment,quant=spec"
    compared(judged_of(documents), results, steps, worth, False, given_, collection=store)
