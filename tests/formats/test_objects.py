"""Objects in memory: what may come in, and what is said about the rest."""

import math
from typing import NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import spanwise
from spanwise.errors import FormatError
from spanwise.formats.frames.tables import judgements_of, run_of


class Qrel(NamedTuple):
    query_id: str
    doc_id: str
    relevance: float


class ScoredDoc(NamedTuple):
    query_id: str
    doc_id: str
    score: float


COLUMNS = {"query_id": ["q2", "q1", "q2"], "doc_id": ["a", "a", "b"], "relevance": [2, 0, 1]}
SAME_JUDGEMENTS = {
    "dict": {"q2": {"a": 2, "b": 1}, "q1": {"a": 0}},
    "bytes": {b"q2": {b"a": 2, b"b": 1}, b"q1": {b"a": 0}},
    "NumPy numbers": {"q2": {"a": np.int8(2), "b": np.float32(1)}, "q1": {"a": np.uint64(0)}},
    "pandas": pd.DataFrame(COLUMNS),
    "pandas with other columns": pd.DataFrame({"iteration": [0, 0, 0], **COLUMNS}),
    "pandas, columns in another order": pd.DataFrame(COLUMNS)[["relevance", "doc_id", "query_id"]],
    "pandas with an index of its own": pd.DataFrame(COLUMNS, index=[7, 7, 7]),
    "pandas categories": pd.DataFrame(COLUMNS).astype({"query_id": "category"}),
    "polars": pl.DataFrame(COLUMNS),
    "polars categories": pl.DataFrame(COLUMNS).cast({"doc_id": pl.Categorical}),
    "Arrow": pa.table(COLUMNS),
    "Arrow batch": pa.RecordBatch.from_pydict(COLUMNS),
    "named tuples": [Qrel("q2", "a", 2), Qrel("q1", "a", 0), Qrel("q2", "b", 1)],
    "a generator": None,
}


def rows_of(rows, documents, values) -> list[tuple]:
    counts = np.diff(rows.starts).tolist()
    topics = [t for t, n in zip(rows.topics, counts, strict=True) for _ in range(n)]
    return list(zip(topics, documents.take(np.arange(len(rows))), values.tolist(), strict=True))


@pytest.mark.parametrize("kind", SAME_JUDGEMENTS)
def test_the_same_judgements_can_come_as(kind):
    source = SAME_JUDGEMENTS[kind]
    if kind == "a generator":
        source = (qrel for qrel in SAME_JUDGEMENTS["named tuples"])
    judgements = judgements_of(source)
    assert rows_of(judgements.rows, judgements.documents, judgements.grades) == [
        (b"q2", b"a", 2.0),
        (b"q2", b"b", 1.0),
        (b"q1", b"a", 0.0),
    ]


@pytest.mark.parametrize(
    "source",
    [
        {"q": {"a": 0.5, "b": -np.inf}},
        pd.DataFrame({"query_id": ["q", "q"], "doc_id": ["a", "b"], "score": [0.5, -np.inf]}),
        pl.DataFrame({"query_id": ["q", "q"], "doc_id": ["a", "b"], "score": [0.5, -np.inf]}),
        pa.table({"query_id": ["q", "q"], "doc_id": ["a", "b"], "score": [0.5, -np.inf]}),
        [ScoredDoc("q", "a", 0.5), ScoredDoc("q", "b", -np.inf)],
    ],
    ids=["dict", "pandas", "polars", "Arrow", "named tuples"],
)
def test_the_same_run_can_come_as(source):
    run = run_of(source)
    assert run.name == "run"
    assert rows_of(run.rows, run.documents, run.scores) == [
        (b"q", b"a", 0.5),
        (b"q", b"b", -np.inf),
    ]


def test_numbers_are_ids_as_they_are_written():
    run = run_of({1: {10: 0.5, np.int64(9): 0.4}, "1": {"x": 0.3}})
    assert rows_of(run.rows, run.documents, run.scores) == [
        (b"1", b"10", 0.5),
        (b"1", b"9", 0.4),
        (b"1", b"x", 0.3),
    ]


def test_text_that_came_from_other_bytes_becomes_them_again():
    run = run_of({"q": {"\udcff": 1.0, "ä": 0.5}})
    assert run.documents.take(np.arange(2)) == [b"\xff", b"\xc3\xa4"]


def test_rows_of_objects_have_no_lines():
    run = run_of({"q": {"a": 1.0}})
    assert run.rows.line(0) is None
    assert run.rows.place(0) == "the run"


def refusal(make, source) -> str:
    with pytest.raises(FormatError) as caught:
        make(source)
    return str(caught.value)


COLUMNS_DUE = "expected the columns query_id, doc_id and relevance"
WRONG_JUDGEMENTS = {
    "no dict inside": (
        {"q": ["a", "b"]},
        "dict: topic 'q' has ['a', 'b']; expected {document: number}",
    ),
    "a column called otherwise": (
        pd.DataFrame({"qid": ["q"], "doc_id": ["a"], "relevance": [1]}),
        f"data frame: no column 'query_id' among ['qid', 'doc_id', 'relevance']; {COLUMNS_DUE}",
    ),
    "an Arrow table of a run": (
        pa.table({"query_id": ["q"], "doc_id": ["a"], "score": [1]}),
        f"data frame: no column 'relevance' among ['query_id', 'doc_id', 'score']; {COLUMNS_DUE}",
    ),
    "tuples without names": (
        [("q", "a", 1)],
        "tuple: found ('q', 'a', 1); expected query_id, doc_id and relevance",
    ),
    "records": (
        [{"query_id": "q"}],
        "dict: found {'query_id': 'q'}; expected query_id, doc_id and relevance",
    ),
    "a number": (
        5,
        "int: this object cannot be read;"
        " expected a file, a dict, a data frame or an iterable with query_id, doc_id, relevance",
    ),
    "nothing": ({}, "the judgements: it is empty; expected at least one topic"),
    "no documents": (
        {"q": {}},
        "the judgements: it is empty; expected at least one topic",
    ),
    "an empty frame": (
        pl.DataFrame(schema={"query_id": pl.String, "doc_id": pl.String, "relevance": pl.Int64}),
        "the judgements: it is empty; expected at least one topic",
    ),
    "nan": (
        {"q": {"a": 1, "b": float("nan")}},
        "the judgements: topic 'q', document 'b': nan; expected a number",
    ),
    "an infinite grade": (
        {"q": {"a": float("inf")}},
        "the judgements: topic 'q', document 'a': inf; expected a number",
    ),
    "True": (
        {"q": {"a": True}},
        "the judgements: topic 'q', document 'a': True; expected a number",
    ),
    "text for a number": (
        {"q": {"a": "1"}},
        "the judgements: topic 'q', document 'a': '1'; expected a number",
    ),
    "a missing number": (
        pl.DataFrame({"query_id": ["q"], "doc_id": ["a"], "relevance": [None]}),
        "the judgements: topic 'q', document 'a': None; expected a number",
    ),
    "a missing id": (
        pl.DataFrame({"query_id": [None], "doc_id": ["a"], "relevance": [1]}),
        "the judgements: the id None; expected text, bytes or an integer",
    ),
    "a fraction for an id": (
        {1.0: {"a": 1}},
        "the judgements: the id 1.0; expected text, bytes or an integer",
    ),
    "False for an id": (
        {"q": {False: 1}},
        "the judgements: the id False; expected text, bytes or an integer",
    ),
    "half a character in an id": (
        {"q": {"\ud800": 1}},
        "the judgements: the id '\\ud800'; expected text that is Unicode",
    ),
    "a number beyond all bounds": (
        {"q": {"a": 10**400}},
        "the judgements: topic 'q', document 'a': inf; expected a number",
    ),
}


@pytest.mark.parametrize(("source", "said"), WRONG_JUDGEMENTS.values(), ids=list(WRONG_JUDGEMENTS))
def test_what_cannot_be_read_is_refused_clearly(source, said):
    assert refusal(judgements_of, source) == said


def test_a_score_beyond_all_bounds_is_infinite_as_in_a_file():
    assert run_of({"q": {"a": 10**400, "b": -(10**400)}}).scores.tolist() == [math.inf, -math.inf]


def test_a_run_with_nan_is_refused():
    assert refusal(run_of, {"q": {"a": 1.0}, "r": {"b": float("nan")}}) == (
        "the run: topic 'r', document 'b': nan; expected a number"
    )


def test_a_lazy_frame_is_refused_with_advice():
    lazy = pl.DataFrame(COLUMNS).lazy()
    assert "collect" in refusal(judgements_of, lazy)


def test_objects_and_files_give_the_same_scores(tmp_path):
    qrels = tmp_path / "qrels"
    qrels.write_text("q1 0 a 1\nq1 0 b 0\nq1 0 c 2\nq2 0 a 1\n")
    run = tmp_path / "run"
    run.write_text("q1 Q0 b 1 3 me\nq1 Q0 c 2 2 me\nq2 Q0 a 1 1 me\nq1 Q0 a 3 2 me\n")
    as_dicts = spanwise.evaluate(
        {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"a": 1}},
        {"q1": {"b": 3, "c": 2, "a": 2}, "q2": {"a": 1}},
        ["AP", "P@2"],
    )
    from_files = spanwise.evaluate(str(qrels), run, ["AP", "P@2"])
    # q1: b, then c before a: (1/2 + 2/3) / 2 and 1/2; q2: 1 and 1/2
    assert as_dicts.per_topic == from_files.per_topic
    assert as_dicts.per_topic["q1"] == pytest.approx({"AP": 7 / 12, "P@2": 1 / 2})
    assert as_dicts.per_topic["q2"] == {"AP": 1, "P@2": 1 / 2}


def test_a_document_twice_in_a_frame_is_refused_without_lines():
    twice = [ScoredDoc("q", "a", 1.0), ScoredDoc("q", "a", 2.0)]
    with pytest.raises(spanwise.SpanwiseError) as caught:
        spanwise.evaluate({"q": {"a": 1}}, twice, "AP")
    assert str(caught.value) == (
        "the run: document 'a' occurs twice for topic 'q';"
        " expected each document once; remove one of the two"
    )
