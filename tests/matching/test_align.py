"""A run and its judgements put together: small cases on paper, large ones against a plain loop."""

from dataclasses import replace
from importlib import import_module

import pytest
from hypothesis import given
from hypothesis import strategies as st

from small_runs import (
    KINDS,
    Colliding,
    entries,
    grades,
    judgements_of,
    run_of,
    scores,
)
from spanwise.errors import DuplicateError, UsageError
from spanwise.matching import align, refuse_duplicate_judgements
from spanwise.model.judgements import Judgements
from spanwise.model.policy import Policy
from spanwise.model.rankings import JUDGED, OUTSIDE, SET_ASIDE

MODULE = import_module("spanwise.matching.documents")  # the package calls its function so
ALL_KINDS = KINDS | {"colliding": Colliding}
ANY_KIND = pytest.mark.parametrize("ids", ALL_KINDS.values(), ids=ALL_KINDS)

# topic 1 ranks d b c a: d is unjudged, c was in the pool but not judged
RUN = [
    (b"1", b"a", 1.0),
    (b"1", b"b", 3.0),
    (b"1", b"d", 4.0),
    (b"1", b"c", 2.0),
    (b"9", b"a", 1.0),
]
QRELS = [
    (b"1", b"a", 2.0),
    (b"1", b"b", 1.0),
    (b"1", b"c", -1.0),
    (b"1", b"x", 3.0),
    (b"2", b"a", 1.0),
]


def aligned(policy=None, run=RUN, qrels=QRELS, topics=(b"1", b"2"), ids=KINDS["plain"]):
    return align(run_of(run, ids), judgements_of(qrels, ids), topics, policy or Policy())


def only_block(*args, **how):
    (block,) = aligned(*args, **how).blocks(with_scores=True)
    return block


@ANY_KIND
def test_worked_example(ids):
    block = only_block(ids=ids)
    assert block.topics == (b"1", b"2")
    assert block.retrieved.tolist() == [4, 0]
    assert block.grade.tolist() == [[0, 1, 0, 2], [0, 0, 0, 0]]
    assert block.status.tolist() == [[OUTSIDE, JUDGED, SET_ASIDE, JUDGED], [OUTSIDE] * 4]
    assert block.ideal.tolist() == [[3, 2, 1], [1, 0, 0]]
    assert block.judged.tolist() == [3, 1]
    assert block.set_aside.tolist() == [1, 0]
    assert block.score.tolist() == [[4, 3, 2, 1], [0, 0, 0, 0]]


def test_a_depth_cuts_the_ranking_and_not_the_ideal():
    block = only_block(Policy(depth=2))
    assert block.retrieved.tolist() == [2, 0]
    assert block.grade.tolist() == [[0, 1], [0, 0]]
    assert block.ideal.tolist() == [[3, 2, 1], [1, 0, 0]]


def test_a_depth_of_nothing_leaves_nothing():
    block = only_block(Policy(depth=0))
    assert block.retrieved.tolist() == [0, 0]
    assert block.grade.shape == (2, 0)


def test_unjudged_results_are_taken_out_and_the_rest_closes_up():
    block = only_block(Policy(unjudged="drop"))
    assert block.retrieved.tolist() == [2, 0]
    assert block.grade.tolist() == [[1, 2], [0, 0]]
    assert block.status.tolist() == [[JUDGED, JUDGED], [OUTSIDE, OUTSIDE]]


def test_the_cut_comes_before_unjudged_results_are_taken_out():
    block = only_block(Policy(unjudged="drop", depth=3))  # of d b c, b is judged
    assert block.retrieved.tolist() == [1, 0]
    assert block.grade.tolist() == [[1], [0]]


def test_trec_eval_8_keeps_pool_members_without_a_grade():
    block = only_block(Policy(unjudged="drop", follow="trec_eval 8"))
    assert block.status.tolist() == [[JUDGED, SET_ASIDE, JUDGED], [OUTSIDE] * 3]


def test_trec_eval_10_takes_a_missing_topic_for_one_result():
    assert only_block(Policy(follow="trec_eval 10")).retrieved.tolist() == [4, 1]


def test_topics_that_are_not_asked_for_leave_no_trace():
    block = only_block(topics=(b"2",))
    assert block.retrieved.tolist() == [0]
    assert block.ideal.tolist() == [[1]]


# Against a plain loop ------------------------------------------------------------------------


def naively(run, qrels, topics, depth, drop):
    """(grades with None for unjudged, ideal grades) of every topic, one line at a time."""
    known = {(t, d): g for t, d, g in qrels}
    result = []
    for topic in topics:
        mine = sorted(((s, d) for t, d, s in run if t == topic), reverse=True)
        worth = [known.get((topic, d)) for _, d in mine][:depth]
        if drop:
            worth = [grade for grade in worth if grade is not None and grade >= 0]
        ideal = sorted((g for t, _, g in qrels if t == topic and g >= 0), reverse=True)
        result.append((worth, ideal))
    return result


def as_lists(blocks):
    result = []
    for block in blocks:
        for row in range(len(block)):
            real = range(block.retrieved[row])
            state = {OUTSIDE: lambda _: None, JUDGED: lambda g: g, SET_ASIDE: lambda _: -1.0}
            worth = [state[int(block.status[row, n])](block.grade[row, n]) for n in real]
            assert not block.grade[row, block.retrieved[row] :].any()  # padding
            result.append((worth, block.ideal[row, : block.judged[row]].tolist()))
    return result


@ANY_KIND
@given(
    run=entries(scores),
    qrels=entries(grades),
    depth=st.none() | st.integers(0, 4),
    drop=st.booleans(),
    at_once=st.sampled_from([1, 2, 256]),
)
def test_blocks_hold_what_a_plain_loop_finds(ids, run, qrels, depth, drop, at_once):
    topics = sorted({topic for topic, _, _ in [*run, *qrels]})
    policy = Policy(depth=depth, unjudged="drop" if drop else "keep")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(MODULE, "TOPICS_AT_ONCE", at_once)
        blocks = list(aligned(policy, run, qrels, topics, ids).blocks())
    assert len(blocks) == -(-len(topics) // at_once)
    assert as_lists(blocks) == naively(run, qrels, topics, depth, drop)


# Ties ----------------------------------------------------------------------------------------


def test_groups_of_equal_scores_are_marked_for_expectations():
    run = [(b"1", bytes([97 + n]), score) for n, score in enumerate([5.0, 4.0, 4.0, 4.0, 1.0])]
    run += [(b"2", b"a", 1.0), (b"2", b"b", 1.0)]
    block = only_block(Policy(ties="expected"), run=run)
    first, last = block.tied()
    assert first.tolist() == [[0, 1, 1, 1, 4], [0, 0, 2, 3, 4]]
    assert last.tolist() == [[0, 3, 3, 3, 4], [1, 1, 2, 3, 4]]


@pytest.mark.parametrize("other", [{"depth": 3}, {"unjudged": "drop"}])
def test_expectations_need_whole_rankings(other):
    with pytest.raises(UsageError) as caught:
        aligned(Policy(ties="expected", **other))
    assert str(caught.value) == (
        "ties: expected needs whole rankings; set no depth and keep unjudged results"
    )


TIED = [(b"1", bytes([97 + n]), score) for n, score in enumerate([5.0, 4.0, 4.0, 3.0, 3.0])]
TIED += [(b"2", b"a", 1.0), (b"2", b"b", 1.0), (b"9", b"a", 1.0), (b"9", b"b", 1.0)]


@pytest.mark.parametrize(
    ("cutoff", "count"),
    [(0, 0), (1, 1), (2, 1), (3, 0), (4, 1), (5, 0), (6, 0)],  # topic 2 at 1, topic 1 at 2 and 4
)
def test_ties_across_a_cutoff_are_counted_by_topic(cutoff, count):
    assert aligned(run=TIED).split_ties(cutoff) == count


@given(run=entries(scores), cutoff=st.integers(0, 6))
def test_ties_across_a_cutoff_are_those_that_a_plain_loop_finds(run, cutoff):
    topics = sorted({topic for topic, _, _ in run})
    count = 0
    for topic in topics:
        mine = sorted((s for t, _, s in run if t == topic), reverse=True)
        count += 0 < cutoff < len(mine) and mine[cutoff - 1] == mine[cutoff]
    assert aligned(run=run, topics=topics).split_ties(cutoff) == count


# Duplicates ----------------------------------------------------------------------------------

TWICE = [
    (b"1", b"a", 3.0),
    (b"1", b"b", 2.0),
    (b"1", b"a", 1.0),
    (b"9", b"c", 1.0),
    (b"9", b"c", 2.0),
]


@ANY_KIND
def test_a_document_twice_in_a_topic_is_refused_with_both_lines(ids):
    with pytest.raises(DuplicateError) as caught:
        aligned(run=TWICE[:3], ids=ids)
    assert caught.value.topic == b"1"
    assert str(caught.value) == (
        "the run:3: document 'a' occurs twice for topic '1', first on line 1;"
        " expected each document once; remove one of the two"
    )


def test_a_document_may_stand_in_two_topics():
    assert only_block(run=[(b"1", b"a", 1.0), (b"2", b"a", 1.0)]).retrieved.tolist() == [1, 1]


def test_a_duplicate_in_a_topic_that_nobody_asked_for_is_refused_too():
    with pytest.raises(DuplicateError):
        aligned(run=[TWICE[1], *TWICE[3:]])


def test_the_programs_that_are_followed_look_only_where_they_evaluate():
    followed = Policy(follow="trec_eval 10")
    assert only_block(followed, run=[TWICE[1], *TWICE[3:]]).retrieved.tolist() == [1, 1]
    with pytest.raises(DuplicateError):
        aligned(followed, run=TWICE)


def test_only_what_the_cut_leaves_counts_for_trec_eval_9_and_10():
    cut = Policy(follow="trec_eval 9", depth=2)
    assert only_block(cut, run=TWICE[:3]).retrieved.tolist() == [2, 0]
    for policy in (replace(cut, depth=3), replace(cut, follow="trec_eval 8"), Policy(depth=2)):
        with pytest.raises(DuplicateError):
            aligned(policy, run=TWICE[:3])


@ANY_KIND
def test_a_document_judged_twice_is_refused_whatever_the_grades(ids):
    for again in (1.0, 0.0):
        judgements = judgements_of([*QRELS, (b"2", b"b", 1.0), (b"2", b"a", again)], ids)
        with pytest.raises(DuplicateError) as caught:
            refuse_duplicate_judgements(judgements)
        assert str(caught.value).startswith(
            "the judgements:7: document 'a' occurs twice for topic '2', first on line 5;"
        )
        refuse_duplicate_judgements(judgements, [b"1"])  # the other topic is not asked for


def test_two_assessors_may_judge_the_same_document():
    once = judgements_of([(b"1", b"a", 1.0), (b"1", b"a", 0.0)])
    two = Judgements(once.rows, once.documents, once.grades, KINDS["plain"]([b"ann", b"bob"]))
    refuse_duplicate_judgements(two)
    same = Judgements(once.rows, once.documents, once.grades, KINDS["plain"]([b"ann", b"ann"]))
    with pytest.raises(DuplicateError):
        refuse_duplicate_judgements(same)
