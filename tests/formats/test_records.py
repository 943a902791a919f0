"""Our own JSON lines: what a person may write, what is refused, what is said."""

# ruff: noqa: E501 (tables of mistakes read best with one a line)

import pytest

from same_content import (
    listed,
    parsed,
    problems,
    written,
)
from spanwise.errors import EmptyError, FormatError, SpanwiseWarning
from spanwise.formats import FORMATS
from spanwise.model.elements import (
    TOO_SMALL,
    UNJUDGED,
    UNSTATED,
    Flag,
    Pool,
)

RUN = """\
{"format": "span-run/1", "run": "mine", "unit": "char", "char": "codepoint"}
{"qid": "q1", "rank": 1, "doc": "d7", "s": 800, "e": 1200, "score": 7.5}

{"qid": "q1", "rank": 2, "doc": "d7", "element": "/article[1]/p[2]", "score": 7.25}
{"qid": "q1", "rank": 3, "doc": "d8", "from": "/article[1]/p[2]", "to": "/article[1]/p[4]", "score": 7}
{"qid": 2, "rank": 1, "doc": "d8", "lost": true, "score": 1}
"""
QRELS = """\
{"format": "span-qrels/1", "unit": "byte"}
{"qid": "q1", "doc": "d7", "doc_len": 4000, "spans": [{"s": 90, "e": 100}, {"s": 0, "e": 30}], "bep": 0}
{"qid": "q2", "doc": "d7", "spans": [], "judged": "full"}
{"qid": "q1", "doc": "d8", "doc_len": 50, "spans": []}
"""
ELEMENTS = """\
{"qid": "1", "pool": {"number": "4", "whitespace": "keep"}}
{"qid": "1", "doc": "a", "collection": "plays", "bep": "/play[1]/act[2]", "spans": [{"from": "/play[1]/act[2]", "to": "/play[1]/act[2]/text()[1].9"}], "elements": [{"path": "/play[1]", "exhaustivity": "?", "size": 90, "rsize": 9}, {"path": "/play[1]/act[1]", "exhaustivity": "U", "specificity": "U", "inpool": true, "inconsistent": true}, {"path": "/play[1]/act[2]", "exhaustivity": 3, "coverage": "E"}]}
"""


def recognised(data: str) -> list[str]:
    return [name for name in FORMATS if FORMATS[name].recognise(data.encode())]


def test_they_are_recognised_with_and_without_header():
    assert recognised(RUN) == ["span_run"]
    assert recognised(RUN.partition("\n")[2]) == ["span_run"]
    assert recognised(QRELS) == ["span_qrels"]
    assert recognised(QRELS.partition("\n")[2]) == ["span_qrels"]


@pytest.mark.parametrize("place", ['"element": "/b[1]"', '"from": "/b[1]", "to": "/b[2]"'])
def test_a_place_by_path_alone_is_a_result(place):
    assert recognised(f'{{"qid": "1", "doc": "a", {place}}}\n') == ["span_run"]
    judged = f'{{"qid": "1", "doc": "a", "spans": [{{{place}, "size": 9}}]}}\n'
    assert recognised(judged) == ["span_qrels"]


def test_a_run_of_every_kind_of_part():
    run = parsed(RUN, "span_run")
    assert (run.name, run.unit, run.header) == ("mine", "codepoint", None)
    assert run.rows.topics == (b"q1", b"2")
    assert [run.rows.line(row) for row in range(4)] == [2, 4, 5, 6]
    assert run.spans.starts.tolist() == [800, -1, -1, -1]
    assert run.spans.lengths.tolist() == [400, 0, 0, 0]
    assert listed(run.paths) == [b"", b"/article[1]/p[2]", b"/article[1]/p[2]", b""]
    assert listed(run.ends) == [b"", b"", b"/article[1]/p[4]", b""]
    assert run.scores.tolist() == [7.5, 7.25, 7, 1]
    assert run.ranks.tolist() == [1, 2, 3, 1]


def test_without_a_header_characters_are_code_points():
    run = parsed(RUN.partition("\n")[2], "span_run", file="x/some.jsonl")
    assert (run.name, run.unit) == ("some", "codepoint")


def test_whole_documents_need_no_place():
    run = parsed('{"qid": "1", "doc": "a", "score": 2}\n', "span_run")
    assert (run.spans, run.paths) == (None, None)


def test_highlighted_text():
    judgements = parsed(QRELS, "span_qrels")
    marked = judgements.highlights
    assert judgements.rows.topics == (b"q1", b"q2")
    assert listed(judgements.documents) == [b"d7", b"d8", b"d7"]
    assert judgements.grades.tolist() == [1, 0, 0]
    assert marked.unit == "byte"
    assert marked.relevant.tolist() == [40, 0, 0]
    assert marked.lengths.tolist() == [4000, 50, -1]
    assert marked.entries.tolist() == [0, -1, -1]
    assert (marked.of(0).starts.tolist(), marked.of(0).lengths.tolist()) == ([0, 90], [30, 10])
    assert judgements.elements is None


PAGE = """\
{"topic": "q1", "doc": "d7", "judge": "anna", "state": "done", "relevant": [[90, 100], [0, 30]], "bep": 0, "unit": "codepoint", "doc_chars": 4000, "sha256": "9f"}
{"topic": "q1", "doc": "d8", "judge": "anna", "state": "done", "relevant": [], "unit": "codepoint", "doc_chars": 50}
"""


def test_the_words_of_pages_for_judging():
    assert recognised(PAGE) == ["span_qrels"]
    judgements = parsed(PAGE, "span_qrels")
    marked = judgements.highlights
    assert listed(judgements.assessors) == [b"anna", b"anna"]
    assert (marked.unit, marked.lengths.tolist()) == ("codepoint", [4000, 50])
    assert (marked.of(0).starts.tolist(), marked.of(0).lengths.tolist()) == ([0, 90], [30, 10])
    assert judgements.grades.tolist() == [1, 0]


def test_a_unit_said_by_an_object_counts_for_all():
    assert parsed(PAGE.replace("codepoint", "bytes"), "span_qrels").highlights.unit == "byte"
    mixed = PAGE.replace("codepoint", "utf16", 1)
    with pytest.raises(FormatError, match=":2: positions in the unit codepoint; expected utf16"):
        parsed(mixed, "span_qrels")
    headed = QRELS + '{"qid": "q3", "doc": "d7", "unit": "char", "spans": [{"s": 1, "e": 2}]}\n'
    with pytest.raises(FormatError, match=":5: positions in the unit codepoint; expected byte"):
        parsed(headed, "span_qrels")


def test_elements_passages_and_entry_points():
    judgements = parsed(ELEMENTS, "span_qrels")
    said = judgements.elements
    assert judgements.highlights is None
    assert said.pools == (Pool(number="4", whitespace="keep"),)
    assert said.elements.exhaustivity.tolist() == [TOO_SMALL, UNJUDGED, 3]
    assert said.elements.specificity.tolist() == [UNSTATED, UNJUDGED, UNSTATED]
    assert said.elements.coverage.tolist() == [0, 0, ord("E")]
    assert said.elements.highlighted.tolist() == [9, -1, -1]
    assert said.elements.flags.tolist() == [0, Flag.INPOOL | Flag.INCONSISTENT, 0]
    assert listed(said.entries) == [b"/play[1]/act[2]"]
    assert said.passages.sizes.tolist() == [-1]


def test_grades_alone_judge_documents():
    data = '{"qid": "1", "doc": "a", "grade": 2}\n{"qid": "1", "doc": "b", "grade": -1, "judged": "doc"}\n'
    judgements = parsed(data, "span_qrels")
    assert judgements.grades.tolist() == [2, -1]
    assert (judgements.elements, judgements.highlights) == (None, None)


def test_spans_that_overlap_are_merged_and_that_is_said():
    data = QRELS.replace('{"s": 90, "e": 100}', '{"s": 10, "e": 100}')
    with pytest.warns(SpanwiseWarning, match="overlapped or touched and were merged: 1"):
        assert parsed(data, "span_qrels").highlights.relevant.tolist() == [100, 0, 0]


def test_fields_that_nobody_reads_are_counted():
    data = QRELS.replace('"qid"', '"remark": "x", "qid"').replace(
        '"e": 30', '"e": 30, "colour": "y"'
    )
    with pytest.warns(SpanwiseWarning) as said:
        parsed(data, "span_qrels")
    assert [str(one.message) for one in said] == [
        "made.xml: fields that are not used: 'remark' (3), 'spans.colour' (1)"
    ]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "not JSON (Expecting property name enclosed in double quotes)"),
        ("[1]", "JSON, but not an object"),
        ('{"doc": "a", "score": 1}', "no 'qid'; expected {"),
        ('{"qid": "1", "score": 1}', "no 'doc'; expected {"),
        ('{"qid": true, "doc": "a"}', "'qid' is true; expected text"),
        ('{"qid": "1", "doc": "a", "s": 4}', "no 'e'; expected {"),
        ('{"qid": "1", "doc": "a", "s": -4, "e": 2}', "'s' is -4; expected a whole number from 0 on"),
        ('{"qid": "1", "doc": "a", "s": 4.5, "e": 7}', "'s' is 4.5; expected a whole number from 0 on"),
        ('{"qid": "1", "doc": "a", "s": 4, "e": 2}', "a span from 4 to 2; expected an end after the start"),
        ('{"qid": "1", "doc": "a", "score": "high"}', "'score' is \"high\"; expected a number"),
        ('{"qid": "1", "doc": "a", "score": NaN}', "'score' is NaN; expected a number"),
        ('{"qid": "1", "doc": "a", "element": "p"}', "'element' is 'p'; expected a path such as"),
        ('{"qid": "1", "doc": "a", "from": "/a[1]"}', "no 'to'; expected {"),
    ],
)  # fmt: skip
def test_mistakes_in_runs_are_told_with_their_line(line, message):
    with pytest.raises(FormatError) as caught:
        parsed(f'{{"qid": "1", "doc": "z", "s": 1, "e": 2}}\n{line}\n', "span_run")
    assert str(caught.value).startswith(f"made.xml:2: {message}")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"qid": "1", "doc": "a", "spans": {}}', "'spans' is {}; expected a list"),
        ('{"qid": "1", "doc": "a", "spans": [1]}', "'spans' has entries that are not objects"),
        ('{"qid": "1", "doc": "a", "spans": [{"s": 3, "e": 1}]}', "a span from 3 to 1"),
        ('{"qid": "1", "doc": "a", "bep": "here"}', "'bep' is 'here'; expected a path"),
        ('{"qid": "1", "doc": "a", "judged": "half"}', "judged 'half'; expected 'full', 'spans' or 'doc'"),
        ('{"qid": "1", "doc": "a", "elements": [{"path": "/a"}]}', "'path' is '/a'; expected a path"),
        ('{"qid": "1", "doc": "a", "elements": [{"path": "/a[1]", "exhaustivity": 4}]}', "exhaustivity 4; expected 0, 1, 2, 3,"),
        ('{"qid": "1", "doc": "a", "elements": [{"path": "/a[1]", "specificity": "x"}]}', "specificity 'x'; expected 0, 1,"),
        ('{"qid": "1", "doc": "a", "elements": [{"path": "/a[1]", "coverage": "Q"}]}', "coverage 'Q'; expected N, L, S or E"),
        ('{"qid": "1", "pool": {"number": 4}}', "'pool' has values that are not text"),
        ('{"qid": "1", "doc": "z"}', "document 'z' occurs twice for topic '1', first on line 1"),
    ],
)  # fmt: skip
def test_mistakes_in_judgements_are_told_with_their_line(line, message):
    with pytest.raises(FormatError) as caught:
        parsed(f'{{"qid": "1", "doc": "z", "grade": 1}}\n{line}\n', "span_qrels")
    assert str(caught.value).startswith(f"made.xml:2: {message}")


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ('{"format": "span-run/1"}', "format 'span-run/1'; expected 'span-qrels/1'"),
        ('{"format": "span-qrels/1", "unit": "token"}', "unit 'token' without 'tokenizer'; expected the name"),
        ('{"format": "span-qrels/1", "unit": "word"}', "unit 'word'; expected char"),
        ('{"format": "span-qrels/1", "char": "glyph"}', "unit 'char' glyph; expected char"),
        ('{"format": "span-qrels/1", "half_open": false}', "'half_open' is false; expected half-open"),
    ],
)  # fmt: skip
def test_headers_that_cannot_be_obeyed_are_refused(header, message):
    with pytest.raises(FormatError) as caught:
        parsed(f'{header}\n{{"qid": "1", "doc": "z", "grade": 1}}\n', "span_qrels")
    assert str(caught.value).startswith(f"made.xml:1: {message}")


def test_all_problems_are_reported():
    data = QRELS.replace('"doc": "d7"', '"docs": "d7"')
    with pytest.warns(SpanwiseWarning, match="'docs' \\(2\\)"):
        assert [line for line, _ in problems(data, "span_qrels")] == [2, 3]


@pytest.mark.parametrize(("name", "form"), [("span_run", "run"), ("span_qrels", "qrels")])
def test_a_header_alone_is_an_empty_file(name, form):
    with pytest.raises(EmptyError):
        parsed(f'{{"format": "span-{form}/1"}}\n', name)


def test_a_whole_document_among_spans_is_a_problem():
    data = '{"qid": "1", "doc": "a", "s": 1, "e": 2}\n{"qid": "1", "doc": "b"}\n'
    assert problems(data, "span_run") == [
        (2, "a whole document among spans of documents; expected results of one kind")
    ]


def test_ids_that_are_not_utf8_survive():
    run = parsed(b"1 Q0 caf\xe9 1 2.5 mine\n", "trec_run")
    assert listed(parsed(written(run, "span_run"), "span_run").documents) == [b"caf\xe9"]
