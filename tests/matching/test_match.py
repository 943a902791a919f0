"""Which results were judged, against a join by dictionary; duplicates; colliding fingerprints."""

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from small_runs import (
    KINDS,
    Colliding,
    documents,
    entries,
    grades,
    judgements_of,
    packed,
    run_of,
    scores,
    topics,
)
from spanwise.matching import documents as match
from spanwise.matching.documents import judged_rows, repeated_rows
from spanwise.model.columns import (
    PackedIds,
    PlainIds,
    PolarsIds,
    joined,
    text,
)

ALL_KINDS = KINDS | {"colliding": Colliding}
ANY_KIND = pytest.mark.parametrize("ids", ALL_KINDS.values(), ids=ALL_KINDS)
with_repeats = st.lists(st.tuples(topics, documents, scores), min_size=1, max_size=25)


def keys_of(source) -> list[tuple[bytes, bytes]]:
    """Topic and document of every row."""
    counts = np.diff(source.rows.starts).tolist()
    names = [t for t, n in zip(source.rows.topics, counts, strict=True) for _ in range(n)]
    return list(zip(names, source.documents.take(np.arange(len(source.rows))), strict=True))


def joined_plainly(run, judgements) -> list[tuple[int, int]]:
    rows = {key: row for row, key in enumerate(keys_of(judgements))}
    return [(row, rows[key]) for row, key in enumerate(keys_of(run)) if key in rows]


def joined_by_us(run, judgements) -> list[tuple[int, int]]:
    mine, judged = judged_rows(run, run.documents.fingerprints(), judgements)
    return list(zip(mine.tolist(), judged.tolist(), strict=True))


@ANY_KIND
@given(lines=entries(scores), judged=entries(grades))
def test_judged_results_are_those_that_a_dictionary_finds(ids, lines, judged):
    run, judgements = run_of(lines, ids), judgements_of(judged, ids)
    assert joined_by_us(run, judgements) == joined_plainly(run, judgements)


@given(lines=entries(scores), judged=entries(grades))
def test_columns_of_two_kinds_can_be_joined(lines, judged):
    for mine, theirs in permutations(KINDS.values(), 2):
        run, judgements = run_of(lines, mine), judgements_of(judged, theirs)
        assert joined_by_us(run, judgements) == joined_plainly(run, judgements)


@pytest.mark.parametrize("at_once", [1, 2, 3])
@given(lines=entries(scores), judged=entries(grades))
def test_the_size_of_a_block_of_topics_changes_nothing(at_once, lines, judged):
    run, judgements = run_of(lines), judgements_of(judged)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(match, "TOPICS_AT_ONCE", at_once)
        assert joined_by_us(run, judgements) == joined_plainly(run, judgements)


def test_the_same_document_of_another_topic_is_another_document():
    run = run_of([(b"1", b"a", 1.0), (b"2", b"a", 1.0), (b"3", b"a", 1.0)])
    judgements = judgements_of([(b"2", b"a", 1.0)])
    assert joined_by_us(run, judgements) == [(1, 0)]


def test_two_ids_with_one_fingerprint_are_told_apart():
    run = run_of([(b"1", b"a", 1.0), (b"1", b"b", 1.0)], Colliding)
    judgements = judgements_of([(b"1", b"b", 1.0), (b"1", b"c", 1.0)], Colliding)
    assert joined_by_us(run, judgements) == [(1, 0)]


@ANY_KIND
@given(lines=with_repeats)
def test_repeated_rows_are_found_with_the_first_of_their_kind(ids, lines):
    run = run_of(lines, ids)
    first, expected = {}, []
    for row, key in enumerate(keys_of(run)):
        if key in first:
            expected.append((first[key], row))
        first.setdefault(key, row)
    found = repeated_rows(run.rows, run.documents, run.documents.fingerprints())
    assert list(found) == expected


# Three ways of storing ids ---------------------------------------------------------------------

short = st.binary(max_size=3)
long = st.binary(min_size=7, max_size=34)
id_lists = st.lists(short | long, min_size=1, max_size=20)


def every_kind(ids: list[bytes]) -> list:
    return [kind(ids) for kind in KINDS.values()]


@given(ids=id_lists, data=st.data())
def test_all_kinds_of_columns_behave_alike(ids, data):
    chosen = st.lists(st.integers(0, len(ids) - 1), max_size=20)
    rows = np.array(data.draw(chosen), np.int64)
    expected = [ids[row] for row in rows]
    for column in every_kind(ids):
        assert len(column) == len(ids)
        assert column.distinct() == len(set(ids))
        assert column.take(rows) == expected
        if len(rows):
            moved = column.reordered(rows)
            assert type(moved) is type(column)
            assert moved.take(np.arange(len(rows))) == expected


@given(ids=id_lists)
def test_equal_ids_have_equal_fingerprints_and_others_do_not(ids):
    for column in every_kind(ids):
        prints = column.fingerprints()
        assert prints.dtype == np.uint64
        assert len(set(prints.tolist())) == len(set(ids))


@given(ids=id_lists, others=id_lists)
def test_a_column_can_take_the_other_kind(ids, others):
    for column, other in product(every_kind(ids), every_kind(others)):
        if isinstance(column, PackedIds):
            continue
        mine = column.same_kind(other)
        assert type(mine) is type(column)
        assert mine.take(np.arange(len(others))) == others
        assert column.same_kind(column) is column


@given(ids=id_lists, others=id_lists)
def test_what_cannot_be_packed_is_like_nothing_that_is(ids, others):
    ids = [identifier.replace(b"\0", b"0")[:32] for identifier in ids]
    column = packed(ids)
    mine = column.same_kind(PlainIds(others))
    prints, theirs = column.fingerprints(), mine.fingerprints()
    for row, other in product(range(len(ids)), range(len(others))):
        same = ids[row] == others[other]
        assert column.same_at(np.array([row]), mine, np.array([other])) is same
        assert (prints[row] == theirs[other]) == same


@given(ids=id_lists, data=st.data())
def test_rows_are_compared_id_by_id(ids, data):
    rows = st.lists(st.integers(0, len(ids) - 1), min_size=len(ids), max_size=len(ids))
    one, two = (np.array(data.draw(rows), np.int64) for _ in range(2))
    same = [ids[row] for row in one] == [ids[row] for row in two]
    for column in every_kind(ids):
        for other in every_kind(ids):
            assert column.same_at(one, other, two) is same


@given(ids=st.lists(short | long, min_size=1, max_size=20, unique=True), data=st.data())
def test_ids_fall_within_groups(ids, data):
    rows = np.array(data.draw(st.permutations(range(len(ids)))), np.int64)
    numbers = st.lists(st.integers(-2, 2), min_size=len(ids), max_size=len(ids))
    groups = np.array(data.draw(numbers), np.int64)
    group_of = dict(zip(rows.tolist(), groups.tolist(), strict=True))
    expected = sorted(rows.tolist(), key=lambda row: ids[row], reverse=True)
    expected.sort(key=group_of.__getitem__)
    for column in every_kind(ids):
        assert column.falling(rows, groups).tolist() == expected


@given(parts=st.lists(id_lists, min_size=1, max_size=4), data=st.data())
def test_columns_are_joined_end_to_end(parts, data):
    kinds = [data.draw(st.sampled_from(list(KINDS.values()))) for _ in parts]
    column = joined([kind(ids) for kind, ids in zip(kinds, parts, strict=True)])
    every = [identifier for ids in parts for identifier in ids]
    assert column.take(np.arange(len(every))) == every
    if packed not in kinds:
        assert isinstance(column, PolarsIds) == (PolarsIds.of in kinds)


@given(identifier=st.binary())
def test_ids_survive_as_text(identifier):
    assert text(identifier).encode("utf-8", "surrogateescape") == identifier
