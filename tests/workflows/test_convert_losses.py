"""spanwise convert says what the target cannot hold, and writes nothing that was not said."""

import json
import os

import pytest

CHUNKS = [
    {"format": "span-run/1", "run": "mine", "unit": "char", "char": "utf16"},
    {"qid": "7", "doc": "a", "s": 3, "e": 9, "score": 2, "text": "abcdef", "id": "c1", "cost": 5},
    {"qid": "7", "doc": "b", "s": 0, "e": 4, "score": 1},
]
EVIDENCE = [
    {"format": "span-qrels/1", "unit": "byte"},
    {
        "qid": "7",
        "doc": "a",
        "doc_len": 50,
        "query": "What?",
        "judged": "spans",
        "spans": [
            {"s": 3, "e": 9, "g": 2, "text": "abcdef", "aspect": ["x", "y"], "by": "ann"},
            {"text": "words", "set": 1},
        ],
    },
    {"qid": "7", "doc": "b", "doc_len": 40, "spans": []},
]
OF_EVIDENCE = (
    "1 grade of passages other than 1, 2 texts of passages, 1 passage by text only,"
    " 2 aspects of passages, 1 alternative set of passages, 1 name of those who marked passages,"
    " 1 document of which a part was judged, 1 question of topics"
)


@pytest.fixture
def converted(folder, ask):
    """The answer to converting some objects."""

    def converted(objects, target):
        (folder / "in").write_text("".join(json.dumps(one) + "\n" for one in objects))
        return ask("convert", "in", "-", "--to", target)

    return converted


def lost(target, *what):
    return [f"in: format '{target}' cannot hold {', '.join(what)}"]


OF_CHUNKS = "1 text of results, 1 id of results, 1 cost of results"


@pytest.mark.parametrize(
    ("target", "more"),
    [
        ("inex_run", ["1 unit of offsets"]),
        ("inex_submission_2007", ["1 unit of offsets"]),
        ("inex_submission_2006", ["2 passages by offset", "1 unit of offsets"]),
        ("trec_run", ["2 passages by offset", "1 unit of offsets"]),
        ("genomics_run", ["1 unit of offsets"]),
    ],
)
def test_what_results_have_besides_their_place(converted, target, more):
    assert converted(CHUNKS, target).warnings == lost(target, *more, OF_CHUNKS)


@pytest.mark.parametrize("unit", ["codepoint", "opaque"])
def test_characters_are_what_offsets_count_unless_said(converted, unit):
    head = {**CHUNKS[0], "char": unit}
    assert converted([head, CHUNKS[2]], "inex_run").warnings == []


def test_what_passages_have_besides_their_place(converted):
    answer = converted(EVIDENCE, "inex_qrels")
    assert answer.warnings == lost("inex_qrels", "1 unit of offsets", OF_EVIDENCE)
    assert answer.text == "7 Q0 a 6 50 -1 3:6\n7 Q0 b 0 40\n"
    places = ("1 highlighted passage by offset", "2 lengths of documents", "1 unit of offsets")
    for target in ("qrels", "beir_qrels"):
        assert converted(EVIDENCE, target).warnings == lost(target, *places, OF_EVIDENCE)


@pytest.mark.parametrize("target", ["span_qrels", "span_qrels_parquet"])
def test_what_holds_evidence_says_nothing(folder, ask, target):
    text = "".join(json.dumps(one) + "\n" for one in EVIDENCE)
    (folder / "in").write_text(text)
    assert ask("convert", "in", "out", "--to", target).warnings == []
    back = ask("convert", "out", "-", "--to", "span_qrels").out
    assert back == ask("convert", "in", "-", "--to", "span_qrels").out


JUDGED = [
    {"format": "span-qrels/1", "unit": "char", "char": "opaque", "parts": ["spans"]},
    {"qid": "7", "doc": "lit", "doc_len": 9, "spans": [{"s": 1, "e": 5}]},
    {"qid": "7", "doc": "unlit", "doc_len": 9, "spans": []},
    {"qid": "7", "doc": "graded", "doc_len": 9, "grade": 1, "spans": []},
    {"qid": "7", "doc": "refused", "doc_len": 9, "grade": 0, "spans": [{"s": 1, "e": 5}]},
    {"qid": "7", "doc": "pooled", "doc_len": 9, "grade": -1, "spans": []},
    {"qid": "7", "doc": "entry", "doc_len": 9, "bep": 3, "spans": []},
]


def test_no_document_becomes_relevant_or_not_on_the_way(converted):
    """Lines of highlighted text say by column 4 alone whether a document is relevant."""
    answer = converted(JUDGED, "inex_qrels")
    marked = "7 Q0 lit 4 9 -1 1:4\n7 Q0 unlit 0 9\n7 Q0 refused 4 9 -1 1:4\n7 Q0 entry 0 9\n"
    assert answer.text == marked  # what is highlighted stays so, and the grade is said to be lost
    assert answer.warnings == lost(
        "inex_qrels",
        "1 document pooled but not judged",
        "1 best entry point by offset",
        "1 relevant document with nothing that this format can hold",
        "1 grade of 0 for documents with highlighted text",
    )


def test_a_document_relevant_by_its_elements_alone_is_left_out(converted):
    element = {"path": "/a[1]", "exhaustivity": 2, "size": 9, "rsize": 4}
    objects = [*JUDGED[:2], {"qid": "7", "doc": "b", "doc_len": 9, "elements": [element]}]
    answer = converted(objects, "inex_qrels")
    assert answer.text == "7 Q0 lit 4 9 -1 1:4\n"
    assert "1 relevant document with nothing" in answer.err


def test_a_file_without_a_single_line_is_not_written(converted):
    answer = converted([JUDGED[0], JUDGED[3]], "inex_qrels")
    assert (answer.status, answer.text) == (2, "")
    assert "grades without highlighted text cannot be written as inex_qrels" in answer.err


def test_elements_have_no_place_in_a_table_of_documents(folder, ask):
    (folder / "pool.xml").write_text(
        '<assessments pool="4" topic="1"><file file="ape"><path path="/article[1]"'
        ' exhaustiveness="2" specificity="1"/></file></assessments>\n'
    )
    answer = ask("convert", "pool.xml", "-", "--to", "beir_qrels")
    assert answer.text == "query-id\tcorpus-id\tscore\n1\tape\t1\n"
    assert answer.warnings == [
        "pool.xml: format 'beir_qrels' cannot hold 1 element grade, 1 pool number"
    ]


def test_runs_of_genomics_hold_offsets_only(folder, ask):
    (folder / "some.run").write_text("1 Q0 a 1 9 mine 17 3\n1 Q0 b 2 8 mine X X\n")
    answer = ask("convert", "some.run", "-", "--to", "genomics_run")
    assert answer.text == "1 a 1 9 17 3 mine\n"
    assert "1 result without a place in their document, 1 unit of offsets" in answer.err
    (folder / "some.run").write_text("1 Q0 a 1 9 mine /article[1]\n")
    answer = ask("convert", "some.run", "-", "--to", "genomics_run")
    assert (answer.status, answer.text) == (2, "")


def test_runs_of_genomics_have_ids_without_blanks(converted):
    answer = converted([CHUNKS[0], {**CHUNKS[2], "doc": "b c"}], "genomics_run")
    assert (answer.status, answer.text) == (2, "")
    assert "id 'b c' cannot be written in columns" in answer.err


@pytest.mark.parametrize("grade", [0, 1, 2])
def test_a_grade_beside_words_is_kept(converted, grade):
    said = {"qid": "7", "doc": "a", "grade": grade, "spans": [{"text": "words"}]}
    once = converted([EVIDENCE[0], said], "span_qrels").out
    objects = [json.loads(line) for line in once.splitlines()]
    assert objects[1].get("grade", 1) == grade
    assert converted(objects, "span_qrels").out == once


def test_runs_of_genomics_become_json_lines(folder, ask):
    (folder / "some.run").write_text("200 123 1 4.5 40 10 mine\n")
    answer = ask("convert", "some.run", "-", "--to", "span_run")
    assert json.loads(answer.out.splitlines()[1]) == {
        "qid": "200",
        "doc": "123",
        "s": 40,
        "e": 50,
        "rank": 1,
        "score": 4.5,
    }


def test_gold_standards_of_genomics_hold_relevant_stretches_only(converted):
    answer = converted(EVIDENCE, "genomics_gold")
    assert answer.text == "7\ta\t3\t6\tx|y\n"
    assert "1 document with nothing relevant that has offsets" in answer.err
    assert "aspects" not in answer.err


def test_what_is_wrong_in_a_pipe_is_said_as_in_a_file(folder, run_command):
    os.mkfifo(folder / "pipe")
    line = b"1 Q0 a first 9 mine 0 5\n"
    fill = f"import threading; w = lambda: open('pipe', 'wb').write({line!r})"
    start = "threading.Thread(target=w, daemon=True).start()"
    words = ("convert", "pipe", "-", "--to", "span_run")
    answer = run_command(*words, before=f"{fill}; {start}", cwd=folder)
    assert answer.err == "spanwise: error: pipe:1: the rank is 'first'; expected a number\n"


def test_questions_of_chroma_go_by_number(converted):
    asked = {**EVIDENCE[1], "doc": "a", "judged": "full"}
    asked["spans"] = [{"s": 3, "e": 9, "text": "abcdef"}]
    assert "1 id of topics, which become question numbers" in converted([asked], "chroma_csv").err
    (warning,) = converted([{**asked, "qid": "1"}], "chroma_csv").warnings
    assert warning == "in: format 'chroma_csv' cannot hold 1 length of documents"


def test_a_table_of_spans_tells_relevance_by_spans_alone(folder, converted, ask):
    assert converted(JUDGED, "span_qrels_parquet").warnings == lost(
        "span_qrels_parquet",
        "1 document pooled but not judged",
        "1 relevant document with nothing that this format can hold",
        "1 grade of 0 for documents with highlighted text",
    )
    ask("convert", "in", "out.parquet", "--to", "span_qrels_parquet")
    rows = ask("convert", "out.parquet", "-", "--to", "span_qrels").out.splitlines()[1:]
    said = [json.loads(row) for row in rows]
    assert [one["doc"] for one in said] == ["lit", "unlit", "refused", "entry"]
    assert not any("grade" in one for one in said)
    assert converted([JUDGED[0], JUDGED[3]], "span_qrels_parquet").status == 2


def test_one_file_for_all_topics_has_no_names_of_assessors(converted):
    element = {"path": "/a[1]", "exhaustivity": 2, "specificity": 1}
    objects = [
        {"qid": topic, "doc": "a", "by": "ann", "elements": [element]} for topic in ("1", "2")
    ]
    target = "inex_full_recall_base"
    assert converted(objects, target).warnings == lost(target, "2 names of assessors")


def test_what_several_assessors_said_is_not_written_as_if_one_had(folder, converted, ask):
    objects = [
        {"qid": "1", "doc": "a", "by": person, "doc_len": 20, "spans": [{"s": 0, "e": end}]}
        for person, end in (("ann", 5), ("bob", 9))
    ]
    for target in ("inex_qrels", "qrels", "inex_assessments_2007"):
        answer = converted(objects, target)
        assert (answer.status, answer.text) == (2, "")
        assert "several assessors judged document 'a'" in answer.complaint
    assert converted(objects, "qrels_jg").text == "1 ann a 1\n1 bob a 1\n"


def test_ids_that_are_no_text_are_refused_by_a_table_of_spans(folder, ask):
    (folder / "in").write_bytes(b"1 Q0 \xe9 10 100 5 5:10\n")
    answer = ask("convert", "in", "out.parquet")
    assert (answer.status, (folder / "out.parquet").exists()) == (2, False)
    assert answer.complaint.startswith(r"'\udce9' is not UTF-8, but a Parquet table contains text;")
    assert ask("convert", "in", "out", "--to", "span_qrels").status == 0
    assert ask("convert", "out", "-", "--to", "inex_qrels").out == (folder / "in").read_bytes()


@pytest.mark.parametrize("target", ["inex_submission_2005", "inex_submission_2007"])
def test_submissions_say_a_place_once(converted, target):
    head = {"format": "span-run/1", "run": "mine"}
    plain = {"qid": "7", "doc": "a", "element": "/article[1]", "score": 1}
    warnings = converted([head, {**plain, "s": 3, "e": 9}, plain], target).warnings
    assert warnings == lost(target, "1 offset of results that have paths")
    assert converted([head, plain], target).warnings == []


def test_json_lines_have_one_best_entry_point(folder, ask):
    (folder / "texts").mkdir()
    (folder / "texts" / "ape.xml").write_text("<article><p>abcdef</p></article>")
    (folder / "pool.xml").write_text(
        '<assessments topic="1"><file name="ape"><best-entry-point path="/article[1]/p[1]"/>'
        '<passage start="/article[1]/p[1]" end="/article[1]/p[1]" size="6"/></file></assessments>\n'
    )
    words = ("convert", "pool.xml", "-", "--to", "span_qrels")
    assert ask(*words).warnings == []
    placed = ask(*words, "--collection", "texts")
    assert json.loads(placed.out.splitlines()[-1])["bep"] == 0
    assert placed.warnings == [
        "pool.xml: format 'span_qrels' cannot hold 1 path of best entry points, beside their"
        " offsets"
    ]
