"""Which characters results show, against sets of characters."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from small_runs import KINDS
from spanwise.errors import UsageError
from spanwise.formats.inex.runs import parse_inex_run
from spanwise.formats.registry import Reading
from spanwise.matching.cuts import CutDocuments
from spanwise.matching.documents import same_documents
from spanwise.matching.text import readings
from spanwise.model.columns import PlainIds
from spanwise.model.policy import Policy
from spanwise.model.spans import Spans
from text_blocks import (
    block,
    judged,
    returned,
    returned_documents,
    rows,
)

LONGEST = 30
TOPICS, DOCUMENTS = ("1", "2"), ("a", "b", "c")


@dataclass(frozen=True)
class Result:
    topic: str
    document: str
    start: int | None  # None: it could not be placed
    length: int

    @property
    def line(self):
        place = "X X" if self.start is None else f"{self.start} {self.length}"
        return f"{self.topic} {self.document} {place}"

    @property
    def text(self):
        if self.start is None:
            return set()
        return set(range(self.start, self.start + self.length))


@dataclass(frozen=True)
class Document:
    length: int
    text: frozenset  # highlighted characters

    def line(self, topic, name):
        begins = sorted(c for c in self.text if c - 1 not in self.text)
        ends = sorted(c + 1 for c in self.text if c + 1 not in self.text)
        passages = "".join(f" {b}:{e - b}" for b, e in zip(begins, ends, strict=True))
        entry = f" {begins[0]}" if begins else ""
        return f"{topic} Q0 {name} {len(self.text)} {self.length}{entry}{passages}"


def documents():
    return st.integers(1, LONGEST).flatmap(
        lambda length: st.builds(
            Document,
            st.just(length),
            st.frozensets(st.integers(0, length - 1), max_size=length),
        )
    )


judgements = st.dictionaries(
    st.tuples(st.sampled_from(TOPICS), st.sampled_from(DOCUMENTS)), documents(), min_size=1
)
results = st.lists(
    st.builds(
        Result,
        st.sampled_from(TOPICS),
        st.sampled_from((*DOCUMENTS, "unjudged")),
        st.none() | st.integers(0, LONGEST + 5),
        st.integers(0, 12),
    ),
    min_size=1,
    max_size=12,
)


def expected_of_results(known, mine):
    """For each result size, relevant, fresh and fresh relevant characters."""
    seen = {}
    for result in mine:
        highlighted = known.get((result.topic, result.document), Document(0, frozenset())).text
        before = seen.setdefault(result.document, set())
        fresh = result.text - before
        before |= result.text
        yield (
            len(result.text),
            len(result.text & highlighted),
            len(fresh),
            len(fresh & highlighted),
        )


def expected_of_documents(known, mine):
    """For each document in order of appearance what was shown, found, known, where it began."""
    order = list(dict.fromkeys(result.document for result in mine))
    for document in order:
        own = [result for result in mine if result.document == document]
        highlighted = known.get((own[0].topic, document), Document(0, frozenset())).text
        text = set().union(*(result.text for result in own))
        shown = sum(len(result.text) for result in own)
        start = -1 if own[0].start is None else own[0].start
        yield shown, len(text & highlighted), len(highlighted), start


@settings(max_examples=300, deadline=None)
@given(judgements, results)
def test_columns_are_counts_of_characters(known, mine):
    judgement = judged(*(document.line(*key) for key, document in known.items()))
    one = block(judgement, returned(*(result.line for result in mine)))
    for row, topic in enumerate(text.decode() for text in one.topics):
        own = [result for result in mine if result.topic == topic]
        columns = [one.size, one.relevant, one.fresh, one.fresh_relevant]
        found = list(zip(*(column[row][: len(own)].tolist() for column in columns), strict=True))
        assert found == list(expected_of_results(known, own))
        per_document = list(expected_of_documents(known, own))
        columns = [one.shown, one.found, one.known, one.start]
        count = len(per_document)
        assert count == one.documents[row]
        found = list(zip(*(column[row][:count].tolist() for column in columns), strict=True))
        assert found == per_document
        texts = [d.text for (t, _), d in known.items() if t == topic]
        assert one.highlighted[row] == sum(map(len, texts))
        assert one.relevant_documents[row] == sum(1 for text in texts if text)


def read_until(document, shown, tolerance):
    """Relevant and other characters read, one by one; what lies after the end if it was shown."""
    order = [*sorted(shown), *sorted(set(range(document.length)) - shown)]
    good = bad = 0
    for character in order:
        if bad >= tolerance:
            break
        if character in document.text:
            good += 1
        else:
            bad += 1
    return good, bad


@settings(max_examples=300, deadline=None)
@given(judgements, results, st.integers(0, 40))
def test_reading_with_a_tolerance(known, mine, tolerance):
    judgement = judged(*(document.line(*key) for key, document in known.items()))
    one = block(judgement, returned(*(result.line for result in mine)))
    good, bad = one.read_until(tolerance)
    for row, topic in enumerate(text.decode() for text in one.topics):
        own = [result for result in mine if result.topic == topic]
        for place, name in enumerate(dict.fromkeys(result.document for result in own)):
            document = known.get((topic, name))
            if document and document.text:
                shown = set().union(*(r.text for r in own if r.document == name))
                mine_read = (good[row, place], bad[row, place])
                assert mine_read == read_until(document, shown, tolerance)
            else:
                assert good[row, place] == 0


def test_a_result_that_could_not_be_placed_shows_nothing():
    one = block(judged("1 Q0 a 5 9 0 0:5"), returned("1 a X X", "1 a 0 3"))
    assert rows(one.size) == rows(one.fresh) == [[0, 3]]
    assert rows(one.start) == [[-1]]


def test_a_whole_document_runs_to_its_end():
    judgement = judged("1 Q0 a 5 9 0 0:5", "1 Q0 b 0 7")
    one = block(judgement, returned_documents("1 b", "1 a"))
    assert rows(one.size) == [[7, 9]]
    assert rows(one.relevant) == [[0, 5]]
    assert one.unsized == ""


def test_a_whole_document_of_unknown_length_is_named():
    one = block(judged("1 Q0 a 5 9 0 0:5"), returned_documents("1 zoo", "1 a"))
    assert one.unsized == "mine:1: document 'zoo'"


def test_paths_need_the_documents():
    path = parse_inex_run(iter([b"1 Q0 a 1 5 m /article[1]\n"]), "mine", Reading())
    with pytest.raises(UsageError, match="--collection"):
        list(readings(path, judged("1 Q0 a 5 9 0 0:5"), [b"1"], Policy()))


def test_a_topic_without_results_is_empty():
    one = block(judged("1 Q0 a 5 9 0 0:5", "2 Q0 a 0 9"), returned("2 a 0 3"))
    assert one.retrieved.tolist() == one.documents.tolist() == [0, 1]
    assert one.highlighted.tolist() == [5, 0]


@pytest.mark.parametrize(
    ("policy", "order"),
    [
        (Policy(ties="file"), [1, 2, 3]),
        (Policy(ties="rank"), [3, 1, 2]),
        (Policy(ties="docno"), [2, 3, 1]),  # by falling score, then by falling name
        (Policy(ties="file", depth=2), [1, 2]),
        (Policy(ties="file", unjudged="drop"), [1]),
    ],
)
def test_the_order_of_results(policy, order):
    content = b"1 Q0 a 2 5 m 0 1\n1 Q0 c 3 7 m 0 2\n1 Q0 b 1 7 m 0 3\n"
    run = parse_inex_run(iter([content]), "mine", Reading(ranks=True))
    one = block(judged("1 Q0 a 5 9 0 0:5"), run, policy)
    assert rows(one.size) == [order]


def test_blocks_hold_some_hundred_topics():
    names = [f"{number:04}" for number in range(300)]
    judgement = judged(*(f"{name} Q0 a 5 9 0 0:5" for name in names))
    run = returned(*(f"{name} a 0 {1 + int(name) % 5}" for name in names))
    blocks = list(readings(run, judgement, judgement.rows.topics, Policy(ties="file")))
    assert [len(one) for one in blocks] == [256, 44]
    sizes = np.concatenate([one.size[:, 0] for one in blocks])
    assert sizes.tolist() == [1 + number % 5 for number in range(300)]


def test_forgetting_what_was_shown():
    judgement = judged("1 Q0 a 5 9 0 0:5", "1 Q0 b 0 9")
    run = returned("1 a 0 4", "1 a 0 4", "1 b 0 4", "1 b 0 4", "1 a X X", "1 b X X")
    one = block(judgement, run, Policy(ties="file", follow="inex_eval 3.1"))
    assert rows(one.size) == [[4, 4, 4, 4, 18, 18]]
    assert rows(one.fresh) == [[4, 0, 4, 4, 0, 18]]
    assert rows(one.found) == [[8, 0]]


def test_the_first_of_many_nested_results():
    """A pyramid: every result shows one more character on each side, smallest first."""
    size = 500
    starts = np.arange(size)[::-1]
    lengths = 2 * np.arange(size) + 1
    nothing = np.zeros(0, np.int64)
    cuts = CutDocuments.of(
        Spans(starts, lengths),
        np.zeros(size, np.int64),
        Spans(nothing, nothing),
        nothing,
        np.array([2 * size]),
    )
    first = cuts.shown_first()
    owner = np.repeat(first, cuts.length)
    centre = size - 1
    distance = np.abs(np.arange(len(owner)) - centre)
    assert owner.tolist() == np.where(distance < size, distance, -1).tolist()


def test_documents_are_numbered_as_they_appear():
    ids = [b"x", b"y", b"x", b"x", b"y", b"z"]
    topic = np.array([0, 0, 0, 1, 1, 1])
    for kind in KINDS.values():
        column = kind(ids)
        prints = column.fingerprints()
        document, opening = same_documents(column, prints, np.arange(6), topic)
        assert document.tolist() == [0, 1, 0, 2, 3, 4]
        assert opening.tolist() == [0, 1, 3, 4, 5]


def test_documents_with_one_fingerprint_are_told_apart():
    ids = PlainIds([b"x", b"y", b"x"])
    same = np.zeros(3, np.uint64)
    document, opening = same_documents(ids, same, np.arange(3), np.zeros(3, np.int64))
    assert (document.tolist(), opening.tolist()) == ([0, 1, 0], [0, 1])
