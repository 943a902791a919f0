"""Gains, recall bases and all measures of elements against a plain account in fractions."""

import itertools
from fractions import Fraction
from math import isnan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_elements as naive
from collections_by_hand import stored
from element_worlds import (
    document,
    graded_assessments,
    highlighted_assessments,
    shapes,
    submission,
)
from naive_elements import Passage, Topic
from spanwise.matching.elements import Setting, element_rankings
from spanwise.matching.placing import placed_judgements, placed_run
from spanwise.measures.names import parse
from spanwise.model.policy import Policy

CLOSE = {"rel": 1e-9, "abs": 1e-12}
CUTOFFS = (1, 2, 3, 7)
enough = settings(max_examples=150, deadline=None)
some = settings(max_examples=40, deadline=None)

rules = st.fixed_dictionaries(
    {
        "alpha": st.sampled_from(
            [Fraction(1), Fraction(1), Fraction(1, 2), Fraction(3, 10), Fraction(0)]
        ),
        "ideal": st.sampled_from(["higher", "deeper"]),
        "paths": st.sampled_from(["valued", "assessed"]),
        "cap": st.sampled_from(["full", "full", "subtree", "descendants"]),
        "overlap": st.sampled_from(["on", "on", "off"]),
        "recallbase": st.sampled_from([None, "ideal", "full"]),
    }
)


@st.composite
def worlds(draw, passages=False):
    """Documents with highlighted text and grades, and a run without duplicates."""
    documents = []
    for name in "de"[: draw(st.integers(1, 2))]:
        nodes, xml = document(name, draw(shapes))
        end = nodes[0].end
        spans = st.tuples(st.integers(0, max(end - 1, 0)), st.integers(1, 5))
        places = draw(st.lists(spans, min_size=name == "d", max_size=2))
        lit = {
            (name, p) for start, length in places for p in range(start, min(start + length, end))
        }
        for node in nodes:
            node.exhaustivity = draw(st.sampled_from([1, 2, -1]))
        documents.append((name, nodes, lit, xml))
    every = [node for _, nodes, _, _ in documents for node in nodes]
    if passages:
        for name, nodes, _, _ in documents:
            cuts = sorted(draw(st.lists(st.integers(0, nodes[0].end), max_size=4, unique=True)))
            every += [Passage(name, a, b) for a, b in itertools.pairwise(cuts)]
            every += [Passage(name, cuts[0], cuts[-1])] if len(cuts) > 2 else []
    results = draw(st.lists(st.sampled_from(every), min_size=1, max_size=9, unique=True))
    return documents, results


def block_of(judgements, run, setting=None, **policy):
    (block,) = element_rankings(
        run, judgements, judgements.rows.topics, Policy(**{"ties": "file", **policy}), setting
    )
    return block


def judged_of(documents):
    return [(name, nodes, lit) for name, nodes, lit, _ in documents]


def topic_of(documents, results, quant):
    nodes = [node for _, of_document, _, _ in documents for node in of_document]
    lit = set().union(*(lit for _, _, lit, _ in documents))
    return Topic(nodes, lit, results, quant)


def value(name, block):
    return float(parse(name)(block)[0])


def spelled(rule, **more):
    given_ = {"alpha": float(rule["alpha"]), **{k: v for k, v in rule.items() if k != "alpha"}}
    return ",".join(f"{k}={v}" for k, v in {**given_, **more}.items() if v is not None)


def same_cumulated_gain(topic, block, rule):
    if not topic.full():
        assert isnan(value(f"nxCG({spelled(rule, quant=topic.quant)})@1", block))
        return
    names = ("overlap", "recallbase", "alpha", "ideal", "cap", "paths")
    gains, best = topic.vectors(*(rule[name] for name in names))
    inside = spelled(rule, quant=topic.quant)
    for k in CUTOFFS:
        assert value(f"xCG({inside})@{k}", block) == pytest.approx(
            float(naive.cumulated(gains, k)), **CLOSE
        )
        assert value(f"nxCG({inside})@{k}", block) == pytest.approx(
            float(naive.nxcg(gains, best, k)), **CLOSE
        )
        mean = sum(naive.nxcg(gains, best, j) for j in range(1, k + 1)) / k
        assert value(f"MAnxCG({inside})@{k}", block) == pytest.approx(float(mean), **CLOSE)
        assert value(f"gr({inside})@{k}", block) == pytest.approx(
            float(naive.cumulated(gains, k) / sum(best)), **CLOSE
        )
    for base, length in (("1500", 1500), ("ideal", len(best)), ("run", len(topic.results))):
        assert value(f"MAncG({inside},base={base})", block) == pytest.approx(
            float(naive.mancg(gains, best, length)), **CLOSE
        )
    for how in ("linear", "whole"):
        for share in (Fraction(1, 100), Fraction(1, 10), Fraction(1, 2), Fraction(1)):
            expected = naive.ep(gains, best, share, how == "whole")
            found = value(f"ep({inside},interpolate={how})[{float(share)}]", block)
            assert found == pytest.approx(float(expected), **CLOSE)
        expected = naive.maep(gains, best, how == "whole")
        found = value(f"MAep({inside},interpolate={how})", block)
        assert found == pytest.approx(float(expected), **CLOSE)


@enough
@given(worlds(), rules, st.sampled_from(["spec", "strict5", "gen5", "genLifted"]))
def test_cumulated_gain_of_elements(world, rule, quant):
    documents, results = world
    topic = topic_of(documents, results, quant)
    judgements = highlighted_assessments(judged_of(documents), exhaustivity=None)
    same_cumulated_gain(topic, block_of(judgements, submission(results)), rule)


@enough
@given(
    worlds(),
    st.sampled_from(["higher", "deeper"]),
    st.sampled_from(["valued", "assessed"]),
    st.sampled_from(["gen5", "strict5"]),
)
def test_recall_bases(world, ties, paths, quant):
    documents, results = world
    topic = topic_of(documents, results, quant)
    judgements = highlighted_assessments(judged_of(documents), exhaustivity=None)
    base = block_of(judgements, submission(results)).base(quant)
    names = judgements.documents.take(base.judged.row)

    def chosen(flags):
        return {
            (names[n].decode(), base.judged.paths[n].decode())
            for n in np.flatnonzero(flags).tolist()
        }

    ideal = {(n.document, n.path) for n in topic.ideal(ties, paths)}
    full = {(n.document, n.path) for n in topic.full()}
    assert chosen(base.full) == full
    assert chosen(base.ideal(ties, paths)) == ideal
    assert chosen(base.near_misses(ties, paths)) == full - ideal
    assert chosen(base.last(paths)) == {(n.document, n.path) for n in topic.last(paths)}


@enough
@given(worlds(), st.sampled_from([Fraction(1), Fraction(1, 2), Fraction(0)]))
def test_hixeval_and_overlap_of_elements(world, alpha):
    documents, results = world
    topic = topic_of(documents, results, "spec")
    block = block_of(highlighted_assessments(judged_of(documents)), submission(results))
    _same_text_measures(topic, block, alpha)
    assert value("Overlap", block) == float(naive.overlap_of(results))


def _same_text_measures(topic, block, alpha):
    if not topic.highlighted:
        assert all(isnan(value(f"{name}@3", block)) for name in ("HiP", "HiR", "HiF"))
        return
    for k in CUTOFFS:
        for base in ("focused", "thorough"):
            p, r = naive.hixeval(topic, k, alpha, base)
            inside = f"alpha={float(alpha)},base={base}"
            assert value(f"HiP({inside})@{k}", block) == pytest.approx(float(p), **CLOSE)
            assert value(f"HiR({inside})@{k}", block) == pytest.approx(float(r), **CLOSE)
            f = 2 * p * r / (p + r) if p + r else 0
            assert value(f"HiF({inside})@{k}", block) == pytest.approx(float(f), **CLOSE)


@enough
@given(worlds(), st.sampled_from(["on", "off"]))
def test_next_generation(world, overlap):
    documents, results = world
    topic = topic_of(documents, results, "gen5")

    def exh(node):
        return Fraction(max(node.exhaustivity, 0), 2)

    def spe(node):
        return (
            Fraction(len(node.characters() & topic.highlighted), node.size)
            if node.size
            else Fraction(0)
        )

    judgements = highlighted_assessments(judged_of(documents), exhaustivity=None)
    block = block_of(judgements, submission(results))
    if not any(exh(node) for node in topic.nodes):
        assert isnan(value("NGP@1", block))
        assert isnan(value("NGR@1", block))
        return
    for k in CUTOFFS:
        p, r = naive.next_generation(topic, k, overlap, exh, spe)
        assert value(f"NGP(overlap={overlap})@{k}", block) == pytest.approx(float(p), **CLOSE)
        assert value(f"NGR(overlap={overlap})@{k}", block) == pytest.approx(float(r), **CLOSE)


@enough
@given(worlds(), st.data())
def test_precall_with_and_without_ties(world, data):
    documents, results = world
    quant = data.draw(st.sampled_from(["spec", "gen5", "genLifted", "strict5"]))
    highest = {"gen5": 2, "genLifted": 3}.get(quant, 1)
    topic = topic_of(documents, results, quant)
    ties = data.draw(st.lists(st.booleans(), min_size=len(results), max_size=len(results)))
    levels, scores = [], []
    for result, tied in zip(results, ties, strict=True):
        chance = topic.value(result) / highest
        if tied and levels:
            levels[-1].append(chance)
        else:
            levels.append([chance])
        scores.append(-len(levels))
    judgements = highlighted_assessments(judged_of(documents), exhaustivity=None)
    run = submission(results, scores=scores)
    total = sum(topic.value(n) for n in topic.full()) / highest
    if not total:
        assert isnan(value(f"inex_eval(quant={quant})", block_of(judgements, run)))
        return
    strict = [[q] for level in levels for q in level]
    more = data.draw(st.integers(len(topic.nodes), 200))
    left = total - sum(sum(level) for level in levels)
    rest = more - len(results) - left
    for policy, said in (("file", strict), ("expected", levels)):
        block = block_of(judgements, run, ties=policy)
        for share in (Fraction(1, 100), Fraction(1, 4), Fraction(1)):
            expected = naive.precall(said, total, share)
            found = value(f"precall(quant={quant})[{float(share)}]", block)
            assert found == pytest.approx(float(expected), **CLOSE)
        mean = sum(naive.precall(said, total, Fraction(t, 100)) for t in range(1, 101)) / 100
        found = value(f"inex_eval(quant={quant})", block)
        assert found == pytest.approx(float(mean), **CLOSE)
        if rest > 0:  # one more level with all that was not returned
            expected = _with_rest(said, total, left, rest)
            found = value(f"precall(quant={quant},elements={more})[1]", block)
            assert found == pytest.approx(float(expected), **CLOSE)


def _with_rest(levels, total, left, rest):
    reached = naive.precall(levels, total, Fraction(1))
    if reached or not left:
        return reached
    passed = sum(1 - q for level in levels for q in level)
    return total / (total + passed + left * rest / (left + 1))


@some
@given(worlds(passages=True), rules)
def test_passages_among_elements(tmp_path_factory, world, rule):
    documents, results = world
    topic = topic_of(documents, results, "spec")
    collection = _collection(tmp_path_factory, documents)
    block = _placed_block(_with_passages(documents), submission(results), collection)
    same_cumulated_gain(topic, block, rule)
    if rule["overlap"] == "on":
        _same_text_measures(topic, block, rule["alpha"])
    assert value("Overlap", block) == float(naive.overlap_of(results))


@some
@given(worlds(), rules, st.sampled_from(["strict", "gen", "sog", "exhspe"]), st.randoms())
def test_grade_pairs_with_sizes_of_a_collection(tmp_path_factory, world, rule, quant, chance):
    documents, results = world
    for _, nodes, _, _ in documents:
        for node in nodes:
            pair = chance.choice([(0, 0), (1, 1), (2, 1), (3, 2), (2, 3), (3, 3), (3, 3)])
            node.exhaustivity, node.specificity = pair
    topic = topic_of(documents, results, quant)
    collection = _collection(tmp_path_factory, documents)
    judgements = graded_assessments(judged_of(documents))
    same_cumulated_gain(topic, _placed_block(judgements, submission(results), collection), rule)


def _collection(tmp_path_factory, documents):
    folder = tmp_path_factory.mktemp("documents")
    return stored(folder, {f"{name}.xml": xml for name, _, _, xml in documents})


def _placed_block(judgements, run, collection):
    judgements = placed_judgements(judgements, collection)
    return block_of(judgements, placed_run(run, collection), Setting(collection))


def _with_passages(documents):
    """Offset lines of 2008 to 2010: only the collection says which elements hold what."""
    from text_blocks import judged

    lines = []
    for name, nodes, lit, _ in documents:
        places = sorted(place for _, place in lit)
        begins = [p for p in places if p - 1 not in places]
        spans = [(b, next(e for e in range(b, 999) if e not in places)) for b in begins]
        said = " ".join(f"{b}:{e - b}" for b, e in spans)
        tail = f"{spans[0][0]} {said}" if spans else ""
        lines.append(f"1 Q0 {name} {len(places)} {nodes[0].end} {tail}".strip())
    return judged(*lines)
