"""Files of other projects with questions, evidence and retrieved texts."""

# ruff: noqa: E501 (tables of mistakes read best with one a line)

import json

import numpy as np
import pytest

import spanwise
from same_content import parsed, written
from shared_data import shared
from spanwise.errors import FormatError
from spanwise.formats import FORMATS, read_judgements, read_run

SQUAD = {"data": [{"title": "T", "paragraphs": [
    {"context": "zero one", "qas": [{"id": "q", "question": "?", "answers": [{"text": "one", "answer_start": 5}]}]},
    {"context": "two", "qas": []},
]}]}  # fmt: skip
QASPER = {"p1": {"title": "A title", "abstract": "An abstract.", "full_text": [
    {"section_name": "One", "paragraphs": ["First paragraph.", ""]}],
    "qas": [{"question_id": "q", "question": "?", "answers": [
        {"worker_id": "w", "answer": {"evidence": ["First paragraph.", "FLOAT SELECTED: Table 1"]}},
        {"worker_id": "v", "answer": {"evidence": ["An abstract."]}}]}]}}  # fmt: skip
WICE = {"claim": "c", "evidence": ["zero", "one", "two"], "supporting_sentences": [[0, 2], [1]], "meta": {"id": "dev1"}}  # fmt: skip
FEVER = {"id": 7, "claim": "c", "label": "SUPPORTS", "evidence": [[[1, 2, "Page", 3]], [[1, 3, "Page", 4], [1, 4, "Other", 0]]]}  # fmt: skip
LEGAL = {"tests": [{"query": "?", "snippets": [{"file_path": "a/b.txt", "span": [3, 9]}]}]}
LEGAL_RUN = {"tests": [{"query": "?", "snippets": [{"file_path": "a/b.txt", "span": [3, 9], "score": 0.5}]}]}  # fmt: skip
RAGAS = {"user_input": "?", "retrieved_contexts": ["one", "two"], "reference_contexts": ["gold"]}
CHECKER = {"results": [{"query_id": "q", "query": "?", "gt_answer": "a", "response": "b", "retrieved_context": [{"doc_id": "d", "text": "one"}]}]}  # fmt: skip
CHROMA = 'question,references,corpus_id\n"Why, then?","[{""content"": ""abc"", ""start_index"": 4, ""end_index"": 7}]",wiki\n'
GENOMICS = "200\t123\t40\t10\tX|Y\n200\t124\t0\t5\t\n200\t123\t10\t5\tX\n"
GENOMICS_RUN = "200 123 1 4.5 40 10 tag\n200 124 2 3.5 0 5 tag\n"
BEIR = "query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\t0\n"

FILES = {
    "squad": json.dumps(SQUAD),
    "qasper": json.dumps(QASPER),
    "wice": json.dumps(WICE),
    "fever": json.dumps(FEVER),
    "legalbench": json.dumps(LEGAL),
    "legalbench_run": json.dumps(LEGAL_RUN),
    "ragchecker": json.dumps(CHECKER),
    "chroma_csv": CHROMA,
    "genomics_gold": GENOMICS,
    "genomics_run": GENOMICS_RUN,
    "beir_qrels": BEIR,
}


@pytest.mark.parametrize("name", FILES)
def test_they_are_recognised_by_their_content(name):
    head = (FILES[name] + "\n").encode()
    held = FORMATS[name].holds
    found = [n for n, entry in FORMATS.items() if entry.holds == held and entry.recognise(head)]
    assert found[-1] == name


def test_samples_of_ragas_are_judgements_and_a_run():
    data = json.dumps(RAGAS) + "\n"
    assert FORMATS["ragas"].recognise(data.encode())
    assert FORMATS["ragas_run"].recognise(data.encode())
    gold, run = parsed(data, "ragas"), parsed(data, "ragas_run")
    assert gold.rows.topics == run.rows.topics == (b"1",)
    assert gold.evidence.texts.take(np.arange(1)) == [b"gold"]
    assert run.chunks.texts.take(np.arange(2)) == [b"one", b"two"]
    listed = 'user_input,retrieved_contexts,reference_contexts\n?,"[\'one\']","[""gold""]"\n'
    assert parsed(listed, "ragas").evidence.texts.take(np.arange(1)) == [b"gold"]
    assert parsed(listed, "ragas_run").chunks.texts.take(np.arange(1)) == [b"one"]


def test_samples_of_ragas_as_they_were_called_before():
    old = {"question": "?", "contexts": ["one", "two"], "ground_truth_contexts": ["gold"]}
    data = json.dumps([old])
    assert FORMATS["ragas"].recognise(data.encode())
    assert FORMATS["ragas_run"].recognise(data.encode())
    assert parsed(data, "ragas").evidence.texts.take(np.arange(1)) == [b"gold"]
    assert parsed(data, "ragas_run").chunks.texts.take(np.arange(2)) == [b"one", b"two"]
    assert not FORMATS["ragas"].recognise(json.dumps([{"question": "?", "contexts": []}]).encode())
    assert not FORMATS["ragas_run"].recognise(CHROMA.encode())


def test_a_table_of_several_runs_is_none(tmp_path):
    import polars as pl

    rows = [{"run": run, "qid": "q", "doc": "d", "s": 0, "e": 5} for run in ("one", "two")]
    pl.DataFrame(rows).write_parquet(tmp_path / "runs.parquet")
    with pytest.raises(FormatError, match="'one' and 1 more in 'run'"):
        read_run(tmp_path / "runs.parquet")


def test_tables_are_recognised_by_their_columns(tmp_path):
    """Not by words in their texts; and where only one kind is due, it is that."""
    import polars as pl

    from spanwise.formats.registry import format_and_pieces

    row = {"qid": "q", "doc": "d", "s": 0, "e": 14, "text": "rank and score"}
    pl.DataFrame([row]).write_parquet(tmp_path / "plain")
    pl.DataFrame([{**row, "rank": 1}]).write_parquet(tmp_path / "ranked")
    assert (
        format_and_pieces(str(tmp_path / "plain"), ("judgements", "run"))[0].holds == "judgements"
    )
    assert format_and_pieces(str(tmp_path / "ranked"), ("judgements", "run"))[0].holds == "run"
    assert len(read_run(tmp_path / "plain").rows) == 1
    assert len(read_judgements(tmp_path / "plain").rows) == 1


def items(name):
    judgements = parsed(FILES[name] + "\n", name)
    evidence = judgements.evidence
    owner = np.repeat(np.arange(len(judgements.rows)), evidence.counts)
    bounds = zip(evidence.spans.starts.tolist(), evidence.spans.ends.tolist(), strict=True)
    names = judgements.documents.take(owner)
    return judgements, [
        (n, *b, int(s)) for n, b, s in zip(names, bounds, evidence.sets, strict=True)
    ]


def test_paragraphs_are_named_and_come_along():
    judgements, found = items("squad")
    assert found == [(b"T#0", 5, 8, 0)]
    assert judgements.evidence.documents == {b"T#0": "zero one", b"T#1": "two"}
    assert judgements.evidence.questions == {b"q": "?"}


def test_sets_of_sentences():
    _, found = items("wice")
    assert found == [(b"dev1", 0, 4, 0), (b"dev1", 9, 12, 0), (b"dev1", 5, 8, 1)]
    _, found = items("fever")
    assert found == [(b"Page#3", 0, 1, 0), (b"Page#4", 0, 1, 1), (b"Other#0", 0, 1, 1)]


def test_sentences_of_pages_count_one_each():
    """Two sets: a sentence of its own, or two together; three sentences in all."""
    judgements = parsed(FILES["fever"] + "\n", "fever")
    run = {"7": {"Page#4": 3.0, "Nowhere#1": 2.0, "Other#0": 1.0}}
    asked = ["FullEvidence@2", "FullEvidence@3", "SpanR", "SpanP", "SpanR(budget=1)"]
    found = spanwise.evaluate(judgements, run, asked).means
    assert list(found.values()) == [0, 1, 2 / 3, 2 / 3, 1 / 3]


def test_quoted_paragraphs_of_each_annotator_are_one_set():
    judgements, found = items("qasper")
    assert [one[3] for one in found] == [0, 1]  # the table is no text
    assert judgements.evidence.documents[b"p1"].split("\n\n")[-1] == "First paragraph."


def test_snippets_and_csv():
    assert items("legalbench")[1] == [(b"a/b.txt", 3, 9, 0)]
    assert items("chroma_csv")[1] == [(b"wiki", 4, 7, 0)]
    run = parsed(FILES["legalbench_run"] + "\n", "legalbench_run")
    assert (run.spans.starts.tolist(), run.scores.tolist()) == ([3], [0.5])


def test_passages_of_genomics_keep_their_order_and_aspects():
    judgements, found = items("genomics_gold")
    assert found == [(b"123", 40, 50, 0), (b"123", 10, 15, 0), (b"124", 0, 5, 0)]
    assert judgements.evidence.aspects == [(b"X", b"Y"), (b"X",), ()]
    assert judgements.highlights.unit == "byte"


@pytest.mark.parametrize("name", ["genomics_gold", "genomics_run", "chroma_csv"])
def test_what_is_written_is_read_again(name):
    once = written(parsed(FILES[name], name), name)
    assert written(parsed(once, name), name) == once


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("genomics_gold", "200\t123\tx\t10\tX\n", ":1: b'x' is not a whole number"),
        ("genomics_run", "200 123 1 4.5 40 10\n", ":1: 6 columns; expected topic document rank"),
        ("chroma_csv", "question,references,corpus_id\nWhy,[,wiki\n", ":2: references are not JSON"),
        ("squad", '{"data": [{"paragraphs": [{"qas": []}]}]}', "data[0].paragraphs[0]: no 'context'"),
        ("wice", json.dumps({**WICE, "supporting_sentences": [[9]]}), "line 1: sentence 9, but there are 3"),
        ("legalbench", '{"tests": [{"query": "?", "snippets": [{"file_path": "a", "span": [5, 2]}]}]}', "'span' is [5, 2]"),
        ("ragas", '{"user_input": "?", "reference_contexts": [7]}', "line 1.reference_contexts[0]: 7 is not text"),
        ("qasper", "{", "not JSON"),
    ],
)  # fmt: skip
def test_mistakes_are_told_with_their_place(name, data, message):
    with pytest.raises(FormatError) as caught:
        parsed(data + "\n", name)
    assert message in str(caught.value)


def test_a_beir_folder_stands_for_its_judgements(tmp_path):
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "test.tsv").write_text(BEIR)
    (tmp_path / "corpus.jsonl").write_text('{"_id": "d1", "title": "T", "text": "body"}\n')
    assert read_judgements(tmp_path).grades.tolist() == [1, 0]
    from spanwise.collection import opened

    assert opened(tmp_path).text("d1") == "T\nbody"


def test_real_files():
    chroma = read_judgements(shared("data", "spans", "chroma-chunking", "questions_df.csv"))
    assert (len(chroma.rows.topics), len(chroma.evidence)) == (472, 790)
    folder = ("data", "spans", "trec-genomics-2007")
    gold = read_judgements(shared(*folder, "trecgen2007.gold.standard.tsv"))
    assert (len(gold.rows.topics), len(gold.evidence), len(gold.rows)) == (36, 4492, 2490)
    assert len(read_run(shared(*folder, "york07-ga-01.run.gz")).rows) == 36_000
    wice = read_judgements(shared("data", "spans", "wice", "claim-dev.jsonl"))
    assert len(wice.rows.topics) == 349
    for language in ("en", "hi", "zh"):
        xquad = read_judgements(shared("data", "spans", "xquad", f"xquad.{language}.json"))
        assert len(xquad.evidence) == 1190
