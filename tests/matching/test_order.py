"""The order of results, against the plainest possible sort."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from small_runs import (
    KINDS,
    entries,
    run_of,
    scores,
)
from spanwise.errors import UsageError
from spanwise.matching.documents import by_score, places_of, tie_groups
from spanwise.model.policy import Policy

EITHER_KIND = pytest.mark.parametrize("ids", KINDS.values(), ids=KINDS)
TIES = pytest.mark.parametrize("ties", ["docno", "file", "rank"])


def in_order(run, policy, **how) -> list[tuple[bytes, bytes]]:
    """Topics and documents as they are ranked."""
    every = np.arange(len(run.rows))
    places = places_of(by_score(run, policy), run, policy, every, **how)
    counts = np.diff(run.rows.starts).tolist()
    topics = [t for t, n in zip(run.rows.topics, counts, strict=True) for _ in range(n)]
    placed = sorted(zip(places.tolist(), topics, run.documents.take(every), strict=True))
    assert [place for place, _, _ in placed] == every.tolist()  # each place once
    return [(topic, document) for _, topic, document in placed]


def naively(lines, ties, ranks, bits=64) -> list[tuple[bytes, bytes]]:
    """Topic after topic, best score first, ties as they are to be broken."""
    appearance = list(dict.fromkeys(topic for topic, _, _ in lines))
    ranked = []
    for topic in appearance:
        mine = [(n, d, s) for n, (t, d, s) in enumerate(lines) if t == topic]
        if ties == "docno":
            mine.sort(key=lambda line: line[1], reverse=True)
        elif ties == "rising docno":
            mine.sort(key=lambda line: line[1])
        elif ties == "rank":
            mine.sort(key=lambda line: ranks[line[0]])
        value = np.float32 if bits == 32 else np.float64
        mine.sort(key=lambda line: value(line[2]), reverse=True)  # stable
        ranked += [(topic, document) for _, document, _ in mine]
    return ranked


@EITHER_KIND
@TIES
@given(lines=entries(scores), data=st.data())
def test_any_run_is_ordered_as_a_plain_sort_would(ids, ties, lines, data):
    ranks = data.draw(st.lists(st.integers(1, 3), min_size=len(lines), max_size=len(lines)))
    run = run_of(lines, ids, ranks)
    assert in_order(run, Policy(ties=ties)) == naively(lines, ties, ranks)


@EITHER_KIND
@given(lines=entries(scores))
def test_scores_equal_in_32_bits_are_ties_where_trec_eval_9_is_followed(ids, lines):
    policy = Policy(follow="trec_eval 9")
    assert in_order(run_of(lines, ids), policy) == naively(lines, "docno", None, bits=32)


@EITHER_KIND
@given(lines=entries(scores))
def test_ids_may_rise_within_a_tie_instead(ids, lines):
    expected = naively(lines, "rising docno", None)
    assert in_order(run_of(lines, ids), Policy(), rising=True) == expected


@TIES
@given(lines=entries(scores), data=st.data())
def test_the_place_of_some_rows_is_their_place_among_all(ties, lines, data):
    run, policy = run_of(lines, ranks=range(len(lines))), Policy(ties=ties)
    some = np.array(sorted(data.draw(st.sets(st.integers(0, len(lines) - 1)))), np.int64)
    ordered = by_score(run, policy)
    every = places_of(ordered, run, policy, np.arange(len(lines)))
    assert places_of(ordered, run, policy, some).tolist() == every[some].tolist()


def test_a_run_in_order_is_left_alone():
    run = run_of([(b"1", b"a", 2.0), (b"1", b"b", 1.0), (b"2", b"a", 5.0)])
    ordered = by_score(run, Policy())
    assert ordered.rows is None
    assert ordered.tied.tolist() == []


def test_ties_do_not_reach_from_one_topic_into_the_next():
    run = run_of([(b"1", b"a", 1.0), (b"2", b"b", 1.0), (b"2", b"c", 1.0), (b"2", b"d", 1.0)])
    ordered = by_score(run, Policy())
    assert ordered.tied.tolist() == [1, 2]
    assert [part.tolist() for part in tie_groups(ordered)] == [[1], [3]]


def test_neighbouring_ties_of_different_scores_are_two_groups():
    values = [3.0, 3.0, 2.0, 2.0, 1.0]
    run = run_of([(b"1", bytes([97 + n]), score) for n, score in enumerate(values)])
    assert [part.tolist() for part in tie_groups(by_score(run, Policy()))] == [[0, 2], [1, 3]]


def test_ids_are_compared_by_their_bytes():
    lines = [(b"1", name.encode(), 1.0) for name in ("a", "Z", "é", "z", "10", "9")]
    assert [d.decode() for _, d in in_order(run_of(lines), Policy())] == [
        "é",
        "z",
        "a",
        "Z",
        "9",
        "10",
    ]


def test_ranks_that_nobody_stated_cannot_break_ties():
    run = run_of([(b"1", b"a", 1.0), (b"1", b"b", 1.0)])
    with pytest.raises(UsageError):
        in_order(run, Policy(ties="rank"))
