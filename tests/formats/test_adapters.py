"""Chunks in memory: texts, dicts, tuples, frames, and objects with the fields of frameworks."""

from types import SimpleNamespace as Thing

import numpy as np
import pandas as pd
import polars as pl
import pytest

import spanwise
from spanwise.errors import FormatError, UsageError
from spanwise.formats.frames.chunks import Shelf, chunks_run, gold_of, of_chroma, result_of


def place(item, names=()):
    result = result_of(item, 1, Shelf(names))
    return result.document, result.start, result.length, result.text, result.score


LANGCHAIN = Thing(page_content="some text", metadata={"source": "d", "start_index": 7}, id=None)


@pytest.mark.parametrize(
    ("item", "due"),
    [
        ("some text", (b"", -1, 9, "some text", None)),
        (("d", 7, 16), (b"d", 7, 9, "", None)),
        (("d", 7, 16, 0.5), (b"d", 7, 9, "", 0.5)),
        ({"doc": "d", "s": 7, "e": 16, "score": 2}, (b"d", 7, 9, "", 2)),
        ({"doc_id": "d", "text": "abc", "distance": 0.25}, (b"d", -1, 3, "abc", -0.25)),
        ({"file_path": "d", "span": [7, 16]}, (b"d", 7, 9, "", None)),
        (LANGCHAIN, (b"d", 7, 9, "some text", None)),
        ((LANGCHAIN, 0.5), (b"d", 7, 9, "some text", 0.5)),
        (
            Thing(page_content="abc", metadata={"source": "d", "start_index": -1}),
            (b"d", -1, 3, "abc", None),
        ),
        (
            Thing(
                score=0.5,
                node=Thing(text="abc", start_char_idx=7, end_char_idx=10, ref_doc_id="d"),
            ),
            (b"d", 7, 3, "abc", 0.5),
        ),
        (
            Thing(content="abc", score=0.5, id="h", meta={"source_id": "d", "split_idx_start": 7}),
            (b"d", 7, 3, "abc", 0.5),
        ),
        (Thing(text="abc", start_index=7, end_index=10, id="c"), (b"", 7, 3, "abc", None)),
        (
            {
                "type": "char_location",
                "document_index": 1,
                "start_char_index": 7,
                "end_char_index": 10,
                "cited_text": "abc",
            },
            (b"d", 7, 3, "abc", None),
        ),
        (
            {"start": 90, "end": 93, "text": "abc", "document_ids": ["d"]},
            (b"d", -1, 3, "abc", None),
        ),
    ],
)
def test_every_kind_of_chunk(item, due):
    assert place(item, ["other", "d"]) == due


@pytest.mark.parametrize("item", [{}, {"doc": "d"}, ("a", "b"), 7, {"doc": "d", "s": 1.5, "e": 3}])
def test_what_is_no_chunk_is_refused(item):
    with pytest.raises(FormatError, match="chunk: number 1"):
        result_of(item, 1)


@pytest.mark.parametrize("frame", [pl.DataFrame, pd.DataFrame])
def test_frames_are_put_in_the_order_of_their_ranks(frame):
    starts = [0] * 3
    columns = {"qid": ["q", "q", "r"], "rank": [2, 1, 1], "doc": ["b", "a", "c"]}
    table = frame({**columns, "s": starts, "e": [4, 5, 6]})
    run = chunks_run(table, "mine", {})
    assert run.rows.topics == (b"q", b"r")
    assert run.documents.take(np.arange(3)) == [b"a", b"b", b"c"]
    assert run.spans.lengths.tolist() == [5, 4, 6]


def test_a_function_is_asked_every_question():
    run = chunks_run(lambda question: [question.upper()], "mine", {"1": "one", "2": "two"})
    assert run.chunks.texts.take(np.arange(2)) == [b"ONE", b"TWO"]


def test_a_result_of_chroma_must_have_as_many_queries_as_topics():
    result = {"ids": [["x"]], "documents": [["text"]], "metadatas": None, "distances": [[0.5]]}
    assert of_chroma(result, ["q"])["q"][0]["distance"] == 0.5
    with pytest.raises(FormatError, match="1 queries; expected one for each topic: 2"):
        of_chroma(result, ["q", "r"])


def test_of_the_names_of_a_document_one_is_taken_that_there_is():
    """Frameworks invent ids, and put the name of the file into the metadata."""
    item = {"text": "abc", "ref_doc_id": "4fe1-99", "metadata": {"file_path": "/data/a.txt"}}
    assert result_of(item, 1).document == b"4fe1-99"
    shelf = Shelf((), lambda name: name == b"/data/a.txt")
    assert result_of(item, 1, shelf).document == b"/data/a.txt"


def test_functions_may_answer_as_chroma_and_haystack_do():
    chroma = {"ids": [["x"]], "documents": [["one"]], "metadatas": [[{"source": "d"}]]}
    for answer in (chroma, {"documents": [{"content": "one", "meta": {"source_id": "d"}}]}):
        run = chunks_run(lambda _, answer=answer: answer, "mine", {"q": "?"})
        assert run.documents.take(np.arange(1)) == [b"d"]
        assert run.chunks.texts.take(np.arange(1)) == [b"one"]


@pytest.mark.parametrize("answer", [None, "one text", b"bytes", 7, {"answer": "one"}])
def test_what_is_no_list_of_chunks_is_refused(answer):
    for source in (lambda _: answer, {"q": answer}):
        with pytest.raises(FormatError, match=r"mine: question 'q': .*; expected a list of chunks"):
            chunks_run(source, "mine", {"q": "?"})


def test_cells_of_frames_may_be_empty_or_hold_several_values():
    cells = {"embedding": [np.array([1.0, 2.0])], "page": [pd.NA], "score": [float("nan")]}
    table = pd.DataFrame({"qid": ["q"], "doc": ["d"], "s": [0], "e": [4], **cells})
    assert chunks_run(table, "mine", {}).spans.lengths.tolist() == [4]


@pytest.mark.parametrize("frame", [pl.DataFrame, pd.DataFrame])
def test_frames_become_evidence(frame):
    table = frame({"qid": ["q", "q"], "doc": ["d", "e"], "text": ["one", "two"], "by": ["x", "y"]})
    gold = gold_of(table)
    assert gold.documents.take(np.arange(2)) == [b"d", b"e"]
    assert gold.evidence.texts.take(np.arange(2)) == [b"one", b"two"]
    assert gold.evidence.by.take(np.arange(2)) == [b"x", b"y"]


@pytest.mark.parametrize("gold", [[("q", "quote")], ["quote"], 7])
def test_what_is_no_evidence_is_refused(gold):
    with pytest.raises(FormatError, match=r"gold: .*; expected"):
        gold_of(gold)


def test_quotes_become_evidence():
    gold = gold_of([{"id": 7, "question": "why?", "quotes": ["because"], "doc": "d"}])
    assert gold.rows.topics == (b"7",)
    assert gold.evidence.questions == {b"7": "why?"}
    assert gold.evidence.texts.take(np.arange(1)) == [b"because"]


def test_everything_in_memory_is_compared_at_budgets():
    documents = {"a": "Yes. " + "x" * 95 + "The answer is 42.", "b": "y" * 500}
    gold = {"q": ["The answer is 42."]}
    found = spanwise.compare(
        gold,
        {"near": {"q": [("a", 100, 117)]}, "far": {"q": [("b", 0, 500), ("a", 0, 117)]}},
        collection=documents,
        budget=[20, 600],
    )
    values = {run: found.diff("q")[run] for run in ("near", "far")}
    assert values["near"]["SpanR(budget=20)"] == 1
    assert values["far"]["SpanR(budget=20)"] == 0
    assert values["far"]["SpanR(budget=600)"] == 0  # 500 of b, then 100 of a: one short of it
    assert values["far"]["Ceiling(of=returned,budget=600)"] == 1
    curve = found.curve()
    assert curve.columns == ["run", "budget", "measure", "value"]
    found.assert_no_regression("SpanR(budget=20)")  # one topic proves nothing
    with pytest.raises(UsageError, match="unknown measure 'SpanR'"):
        found.assert_no_regression("SpanR")
