"""Highlighted text and spans of text, as INEX 2008-2010 wrote them."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from same_content import (
    listed,
    parsed,
    plain,
    problems,
    written,
)
from shared_data import shared
from spanwise.errors import (
    EmptyError,
    FormatError,
    InputError,
    SpanwiseWarning,
)
from spanwise.formats import FORMATS, read_judgements, read_run
from spanwise.formats.inex.qrels import (
    by_line,
    by_tokens,
    parse_inex_qrels,
    write_inex_qrels,
)
from spanwise.formats.inex.runs import kind_of, parse_inex_run, write_inex_run
from spanwise.formats.registry import Reading, recognised
from spanwise.model.judgements import Judgements, combined
from spanwise.model.run import Run
from spanwise.model.spans import UNKNOWN

QRELS = b"""\
2 Q0 b 0 500
1 Q0 a 100 1000 50 50:60 200:40
1 Q0 b 0 500
1 Q0 c 30 300 0 10:30
"""
RUN = b"""\
1 Q0 a 1 0.9 mine 0 100
1 Q0 c 2 0.8 mine X X
2 Q0 b 1 0.7 mine 5 0
"""
JUDGEMENTS, RUNS = ("judgements", "preferences"), ("run",)


def judgements(content, **how):
    return parse_inex_qrels(iter([content]), "judged", Reading(**how))


def run(content, **how):
    return parse_inex_run(iter([content]), "mine", Reading(**how))


def names(ids):
    return ids.take(np.arange(len(ids)))


# Judgements ---------------------------------------------------------------------------------


def test_highlighted_text():
    judged = judgements(QRELS)
    assert judged.rows.topics == (b"2", b"1")
    assert names(judged.documents) == [b"b", b"a", b"b", b"c"]
    assert judged.grades.tolist() == [0, 1, 0, 1]
    marked = judged.highlights
    assert marked.relevant.tolist() == [0, 100, 0, 30]
    assert marked.lengths.tolist() == [500, 1000, 500, 300]
    assert marked.entries.tolist() == [-1, 50, -1, 0]
    assert [marked.of(row).starts.tolist() for row in range(4)] == [[], [50, 200], [], [10]]
    assert [marked.of(row).lengths.tolist() for row in range(4)] == [[], [60, 40], [], [30]]


def test_a_topic_may_come_again_after_another():
    judged = judgements(b"1 Q0 a 5 9 0 0:5\n2 Q0 a 0 9\n1 Q0 b 7 9 1 1:7\n")
    assert judged.rows.topics == (b"1", b"2")
    assert names(judged.documents) == [b"a", b"b", b"a"]
    assert judged.highlights.of(1).starts.tolist() == [1]
    assert [judged.rows.line(row) for row in range(3)] == [1, 3, 2]


@pytest.mark.parametrize(
    "same",
    [
        QRELS.replace(b" ", b"\t"),
        QRELS.replace(b"\n", b"\r\n"),
        QRELS.replace(b" ", b"  "),
        b"\n# nothing\n" + QRELS.replace(b"\n", b"\n\n"),
        QRELS.replace(b"Q0", b"0"),
    ],
)
def test_white_space_comments_and_column_two_do_not_matter(same):
    one, other = judgements(QRELS), judgements(same)
    assert one.rows.topics == other.rows.topics
    assert names(one.documents) == names(other.documents)
    assert one.highlights.passages.starts.tolist() == other.highlights.passages.starts.tolist()
    assert one.highlights.entries.tolist() == other.highlights.entries.tolist()


def test_six_columns_state_no_entry_point():
    with pytest.warns(SpanwiseWarning, match="1 line with highlighted characters, but no passages"):
        judged = judgements(b"1 Q0 a 7 70 3\n")
    assert judged.highlights.entries.tolist() == [-1]
    assert judged.grades.tolist() == [1]


def test_of_two_lines_about_one_document_the_first_counts():
    with pytest.warns(SpanwiseWarning, match="judged: 1 line with a document judged before"):
        judged = judgements(b"1 Q0 a 5 9 0 0:5\n1 Q0 a 7 9 0 0:7\n1 Q0 b 0 9\n")
    assert judged.highlights.relevant.tolist() == [5, 0]
    assert judged.rows.line(1) == 3


def test_literally_every_line_is_kept():
    judged = judgements(b"1 Q0 a 5 9 0 0:5\n1 Q0 a 70 9 0 0:7\n", literal=True)
    assert judged.highlights.relevant.tolist() == [5, 70]


def test_more_highlighted_than_there_is_is_lowered():
    with pytest.warns(SpanwiseWarning, match="more highlighted characters than the document has"):
        judged = judgements(b"1 Q0 a 90 80 0 0:80\n")
    assert judged.highlights.relevant.tolist() == [80]


def test_passages_that_do_not_add_up_are_said_and_the_stated_number_counts():
    with pytest.warns(SpanwiseWarning, match="do not add up"):
        judged = judgements(b"1 Q0 a 10 80 0 0:8\n")
    assert judged.highlights.relevant.tolist() == [10]


def test_passages_of_a_document_that_is_stated_not_to_be_relevant_do_not_count():
    lines = b"1 Q0 a 0 80 0 0:8\n1 Q0 b 3 9 0 2:3\n"
    with pytest.warns(SpanwiseWarning, match="do not add up .* stated, which count"):
        judged = judgements(lines)
    for marked in (judged.highlights, judgements(lines, literal=True).highlights):
        assert [marked.of(row).starts.tolist() for row in range(2)] == [[], [2]]


def test_a_passage_after_the_end_is_said():
    with pytest.warns(SpanwiseWarning, match="ends after its document"):
        judgements(b"1 Q0 a 10 80 75 75:10\n")


def test_passages_are_sorted_and_disjoint():
    judged = judgements(b"1 Q0 a 10 80 0 20:5 0:4 2:3\n1 Q0 b 2 8 0 4:1 2:1\n")
    assert judged.highlights.of(0).starts.tolist() == [0, 20]
    assert judged.highlights.of(0).lengths.tolist() == [5, 5]
    assert judged.highlights.of(1).starts.tolist() == [2, 4]


@pytest.mark.parametrize(
    ("line", "found", "due"),
    [
        ("1 Q0 a 5", "4 columns", "5 columns or more"),
        ("1 Q0 a five 9", "'five'", "highlighted characters"),
        ("1 Q0 a 5 9.5", "'9.5'", "length of the document"),
        ("1 Q0 a -5 9", "'-5'", "highlighted characters"),
        ("1 Q0 a 5 9 x 0:5", "'x'", "best entry point"),
        ("1 Q0 a 5 9 0 0-5", "'0-5'", "offset:length"),
        ("1 Q0 a 5 9 0 0:5:1 4", "'0:5:1'", "offset:length"),
        ("1 Q0 a 5 9 0 0:", "'0:'", "offset:length"),
        ("1 Q0 a 5 1234567890123", "'1234567890123'", "length of the document"),
    ],
)
def test_what_is_wrong_with_a_line_is_said(line, found, due):
    with pytest.raises(FormatError) as caught:
        judgements(f"1 Q0 z 0 9\n{line}\n".encode())
    assert str(caught.value).startswith("judged:2: ")
    assert found in str(caught.value)
    assert due in str(caught.value)


def test_problems_are_collected_where_somebody_asks_for_them():
    problems = []
    judged = judgements(b"1 Q0 a 5\n1 Q0 b 0 9\n1 Q0 c x 9\n", report=problems.append)
    assert [problem.line for problem in problems] == [1, 3]
    assert names(judged.documents) == [b"b"]


def test_comments_alone_are_no_judgements():
    with pytest.raises(EmptyError):
        judgements(b"# 1 Q0 a 5 9 0 0:5\n")


number = st.integers(0, 10**12 - 1).map(str)
word = st.sampled_from(["d", "7", "a:b", "x-1", "-3", "1e3", "", "é", "#", "12345678901234567890"])
passage = st.tuples(number, number).map(":".join)
field = st.one_of(number, passage, word)
line = st.one_of(
    st.tuples(word, st.just("Q0"), word, number, number).map(" ".join),
    st.builds(
        lambda head, entry, passages: " ".join([*head, entry, *passages]),
        st.tuples(word, st.just("Q0"), word, number, number),
        number | st.just("-1"),
        st.lists(passage, max_size=4),
    ),
    st.lists(field, max_size=8).map(" ".join),
)


@given(st.lists(line, min_size=1, max_size=6))
def test_the_quick_reading_is_the_careful_one(lines):
    piece = "".join(one + "\n" for one in lines).encode()
    problems = []
    careful = by_line(piece, 0, "f", Reading(report=problems.append))
    try:
        judgements(piece, literal=True)
    except EmptyError:
        assert not careful.topics
    except FormatError:
        assert problems
    if all(one.count(" ") - len(one.split()) + 2 == 1 for one in lines):
        quick = by_tokens(piece, 0)
        if quick is not None:
            assert not problems
            assert (quick.topics, quick.documents) == (careful.topics, careful.documents)
            for name in ("numbers", "counts", "passages", "lines"):
                assert getattr(quick, name).tolist() == getattr(careful, name).tolist()


def test_judgements_survive_being_written():
    written = b"".join(write_inex_qrels(judgements(QRELS)))
    assert written == QRELS


def test_grades_alone_cannot_be_written_as_highlights():
    judged = judgements(QRELS)
    with pytest.raises(InputError, match="without highlighted text"):
        list(write_inex_qrels(Judgements(judged.rows, judged.documents, judged.grades)))


def test_files_of_a_folder_are_put_together():
    one, other = judgements(b"2 Q0 x 4 9 3 3:4\n"), judgements(QRELS)
    both = combined([one, other], "folder")
    assert both.rows.topics == (b"2", b"1")
    assert names(both.documents) == [b"x", b"b", b"a", b"b", b"c"]
    assert both.highlights.of(0).starts.tolist() == [3]
    assert both.highlights.of(2).starts.tolist() == [50, 200]


# Runs ---------------------------------------------------------------------------------------


def test_spans():
    mine = run(RUN)
    assert mine.name == "mine"
    assert names(mine.documents) == [b"a", b"c", b"b"]
    assert mine.scores.tolist() == [0.9, 0.8, 0.7]
    assert mine.spans.starts.tolist() == [0, UNKNOWN, 5]
    assert mine.spans.lengths.tolist() == [100, 0, 0]
    assert mine.paths is None


@pytest.mark.parametrize("mark", ["X X", "-1 -1", "X 18", "-1 7", "-1 X", "X\tX", "X X \r"])
def test_marks_of_a_result_that_could_not_be_placed(mark):
    mine = run(f"1 Q0 X 1 5 EX {mark}\n1 Q0 X 2 4 EX 3 4\n".encode())
    assert mine.spans.starts.tolist() == [UNKNOWN, 3]
    assert mine.spans.lengths.tolist() == [0, 4]
    assert names(mine.documents) == [b"X", b"X"]


def test_entry_points_are_spans_without_text():
    mine = run(b"1 Q0 a 1 5 m 30\n1 Q0 b 2 4 m X\n")
    assert mine.spans.starts.tolist() == [30, UNKNOWN]
    assert mine.spans.lengths.tolist() == [0, 0]


def test_paths_and_ranges():
    mine = run(b"1 Q0 a 1 5 m /article[1]/sec[2]\n")
    assert mine.spans is None
    assert names(mine.paths) == [b"/article[1]/sec[2]"]
    mine = run(b"1 Q0 a 1 5 m /article[1]/p[1] /article[1]/p[3]\n")
    assert (names(mine.paths), names(mine.ends)) == ([b"/article[1]/p[1]"], [b"/article[1]/p[3]"])


@pytest.mark.parametrize(
    ("place", "due"),
    [
        ("0 -5", "a length of 0 or more"),
        ("0 X", "the length is 'X'; expected a number"),
        ("-7 5", "an offset of 0 or more, or X"),
        ("1.5 5", "a whole number"),
        ("5 9999999999999", "a whole number"),
        ("5", "8 columns"),
        ("5 6 7", "8 columns"),
        ("a 6", "a number"),
    ],
)
def test_what_is_wrong_with_a_result_is_said(place, due):
    with pytest.raises(FormatError, match=due) as caught:
        run(f"1 Q0 a 1 5 m 0 9\n1 Q0 a 1 5 m 3 3\n1 Q0 b 2 4 m {place}\n".encode())
    assert str(caught.value).startswith("mine:3: ")


def test_one_mistake_is_one_problem():
    problems = []
    run(b"1 Q0 a 1 5 m 0 9\n1 Q0 b 2 4 m 3 1.5\n", report=problems.append)
    assert [str(problem) for problem in problems] == [
        "mine:2: 1.5; expected a whole number of characters"
    ]


def test_runs_survive_being_written():
    for content in (RUN, b"1 Q0 a 1 -2 m /a[1]\n", b"1 Q0 a 1 0.125 m /a[1] /b[2]\n"):
        assert b"".join(write_inex_run(run(content))) == content


def test_whole_documents_cannot_be_written_as_spans():
    mine = run(RUN)
    with pytest.raises(InputError, match="whole documents"):
        list(write_inex_run(Run(mine.name, mine.rows, mine.documents, mine.scores)))


# Recognition --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (QRELS, "inex_qrels"),
        (b"1 Q0 a 0 500\n1 Q0 b 0 20\n", "inex_qrels"),
        (b"1 Q0 7 30 300 0 10:30\n", "inex_qrels"),
        (b"1 0 a 1\n1 0 b 0\n", "qrels"),
        (b"1 Q0 12 1\n1 Q0 13 0\n", "qrels"),
        (b"1 1 1 12 3\n1 1 1 13 2\n", "prefs"),
        (b"1 g s doc 3\n1 g s dog 2\n", "prefs"),
        (b"1 0 0 12 13\n1 0 0 13 14\n", "prefs"),
    ],
)
def test_judgements_are_told_apart(content, name):
    assert recognised(content, JUDGEMENTS).name == name


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (RUN, "inex_run"),
        (b"1 Q0 a 1 5 m 0\n1 Q0 b 2 4 m 7\n", "inex_run"),
        (b"1 Q0 a 1 5 m /article[1]\n", "inex_run"),
        (b"1 Q0 a 1 5 m /article[1]\n1 Q0 b 2 4 m 0 5\n", "inex_run"),
        (b"1 Q0 a 1 5 m\n", "trec_run"),
        (b"1 Q0 a 1 5 m more\n", "trec_run"),
        (b"1 Q0 a 1 5 m\n1 Q0 a 1 5 m 8\n", "trec_run"),
        (b"1 Q0 a 1 5 m\n1 Q0 a 1 5 m\n1 Q0 a 1 5 m 8 9\n", "trec_run"),
        (b"1 Q0 a 1 5 m 0 9\n1 Q0 b 2 4 m 3 1.5\n", "inex_run"),
        (b"1 Q0 a 1 5 m 1 2 3\n", "trec_run"),
        (b"1 Q0 a 1 5\n", "trec_run"),
    ],
)
def test_runs_are_told_apart(content, name):
    assert recognised(content, RUNS).name == name


def test_a_number_alone_must_stand_in_every_line():
    assert kind_of(b"1 Q0 a 1 5 m 0\n1 Q0 b 2 4 m\n") == ""


def test_both_formats_can_be_written():
    assert FORMATS["inex_run"].write is write_inex_run
    assert FORMATS["inex_qrels"].write is write_inex_qrels


def test_real_files_are_recognised_and_survive(tmp_path):
    folder = shared("data", "inex")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        judged = read_judgements(folder / "qrels" / "inex2009-2010-ipcs.qrels")
    assert len(judged.rows.topics) == 120
    assert judged.highlights.relevant.sum() == judged.highlights.passages.total() == 36633793
    content = (folder / "qrels" / "inex2009-2010-ipcs.qrels").read_bytes().replace(b"\r", b"")
    assert b"".join(write_inex_qrels(judged)) == content
    for path in sorted((folder / "runs").glob("*.run")):
        mine = read_run(path)
        assert mine.spans is not None, path


def test_a_path_is_looked_at_as_in_xml():
    paths = ("/a[1]", "/a[1]/b", "b[1]", "/a[1]/text()[1].3")
    found = problems("".join(f"1 Q0 a 1 9 m {path}\n" for path in paths), "inex_run")
    assert [line for line, _ in found] == [2, 3]
    assert all("expected a path such as" in reason for _, reason in found)


@pytest.mark.parametrize(("path", "marks"), [("/a[1]", "X"), ("/a[1] /b[1]", "X 0")])
def test_an_element_that_was_not_found_has_no_place(path, marks):
    """The tables of a collection knew some paths not; however many there are, the others stay."""
    lines = f"1 Q0 a 1 9 m {path}\n" + f"1 Q0 a 2 8 m {marks}\n" * 3
    run = parsed(lines, "inex_run")
    assert FORMATS["inex_run"].recognise(lines.encode())
    assert [bool(path) for path in listed(run.paths)] == [True, False, False, False]
    assert run.spans.starts.tolist() == [-1] * 4
    again = written(run, "inex_run")
    assert plain(parsed(again, "inex_run")) == plain(run)


def test_half_of_the_lines_may_be_mistakes():
    """A file is what most of it looks like, so that what is wrong is said of the right format."""
    good = "1 Q0 a 10 99 0 0:10\n"
    for bad in ("1 Q0 b 10 99 0 0-10\n", "1 Q0 b -1 99\n"):
        assert FORMATS["inex_qrels"].recognise((good + bad).encode())
        assert [line for line, _ in problems(good + bad, "inex_qrels")] == [2]
