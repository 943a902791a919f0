"""`--collection` of eval, check and explain, on a folder of two documents."""

import json
import os
import subprocess
import sys

import pytest

# /article[1] 0-14, t[1] 0-4, p[1] 4-14, p[1]/b[1] 10-12; highlighted: 0-4 and 10-12
DOCUMENTS = {
    "a": "<article><t>abcd</t><p>efghij<b>kl</b>mn</p></article>",
    "b": "<article><p>" + "0123456789" * 60 + "</p></article>",
}
QRELS = "1 Q0 a 6 14 10 0:4 10:2\n1 Q0 b 0 600\n"
RUN = "1 Q0 a 1 3 mine /article[1]/p[1]\n1 Q0 b 2 2 mine /article[1]/p[1]\n"


@pytest.fixture(autouse=True)
def files(folder):
    (folder / "docs").mkdir()
    for name, text in DOCUMENTS.items():
        (folder / "docs" / f"{name}.xml").write_text(text)
    (folder / "inex.qrels").write_text(QRELS)
    (folder / "elements.run").write_text(RUN)
    return folder


# eval ---------------------------------------------------------------------------------------


def score(ask, run, *words):
    return ask(
        "eval", "inex.qrels", run, "-m", "char_prec", "--format", "jsonl", "--collection", *words
    )


def test_elements_are_placed(ask):
    assert score(ask, "elements.run", "docs").values == {"all": 2 / 610}


def test_a_store_serves_as_well_as_a_folder(ask):
    assert ask("collection", "build", "docs", "-o", "store").status == 0
    assert score(ask, "elements.run", "store").values == {"all": 2 / 610}


def test_without_it_the_need_of_it_is_said(ask):
    answer = ask("eval", "inex.qrels", "elements.run", "-m", "MAiP")
    assert answer.complaint.endswith("named by element paths are unknown; pass --collection")


def test_what_is_unknown_is_counted(ask, folder):
    lines = "1 Q0 x 3 1 mine /article[1]\n1 Q0 a 4 1 mine /article[1]/p[9]\n"
    (folder / "more.run").write_text(RUN + lines)
    answer = score(ask, "more.run", "docs")
    assert answer.values == {"all": 2 / 610}
    assert answer.warnings == [
        "mine: results of documents that the collection does not have: 1 ('x' /article[1])",
        "mine: results whose path is not in their document: 1 ('a' /article[1]/p[9])",
        "mine: results that could not be placed in their documents: 2",
    ]


def test_a_collection_that_is_not_there_is_an_error(ask):
    answer = score(ask, "elements.run", "nowhere")
    assert "nowhere" in answer.complaint


# convert ------------------------------------------------------------------------------------


def test_paths_are_converted_to_offsets(ask, folder):
    words = ("convert", "elements.run", "offsets.run", "--to", "inex_run", "--collection", "docs")
    answer = ask(*words)
    assert answer.status == 0
    assert (folder / "offsets.run").read_text() == "1 Q0 a 1 3 mine 4 10\n1 Q0 b 2 2 mine 0 600\n"
    assert answer.warnings == ["elements.run: format 'inex_run' cannot hold 2 element paths"]


def test_assessments_are_converted_to_offsets(ask, folder):
    (folder / "pool.xml").write_text(
        '<assessments pool="1" topic="7" version="2"><file collection="c" name="a">'
        '<best-entry-point path="/article[1]/p[1]/b[1]"/>'
        '<passage start="/article[1]/t[1]" end="/article[1]/p[1]/text()[1].1" size="5"/>'
        '</file><file collection="c" name="b"/></assessments>'
    )
    answer = ask("convert", "pool.xml", "-", "--to", "inex_qrels", "--collection", "docs")
    assert answer.text == "7 Q0 a 5 14 10 0:5\n7 Q0 b 0 600\n"


# check --------------------------------------------------------------------------------------


def test_unknown_documents_and_paths_are_problems(ask, folder):
    lines = "1 Q0 x 3 1 mine /article[1]\n1 Q0 a 4 1 mine /article[1]/p[9]\n"
    (folder / "more.run").write_text(RUN + lines)
    answer = ask("check", "--collection", "docs", "more.run")
    assert answer.status == 1
    assert answer.text.splitlines() == [
        "more.run:3: topic '1', rank 3: result 'x' /article[1] is of a document that the collection"
        " does not have",
        "more.run:4: topic '1', rank 4: result 'a' /article[1]/p[9] is an element that its document"
        " does not have",
        "more.run: 2 problems",
    ]


def test_restricted_tasks_count_the_characters_of_elements(ask):
    answer = ask("check", "--task", "restricted-ric", "--collection", "docs", "elements.run")
    assert answer.text.splitlines() == [
        "elements.run:2: topic '1', rank 2: 600 characters of document 'b'; at most 500 are"
        " allowed",
        "elements.run: 1 problem",
    ]


def test_ranges_are_compared_by_what_lies_between_their_ends(ask, folder):
    lines = "1 Q0 a 1 2 m /article[1]/t[1] /article[1]/p[1]\n"
    lines += "1 Q0 a 2 1 m /article[1]/p[1]/b[1] /article[1]/p[1]/b[1]\n"
    (folder / "ranges.run").write_text(lines)
    answer = ask("check", "--task", "focused", "--collection", "docs", "ranges.run")
    assert "rank 2" in answer.text
    assert "overlaps the one at rank 1" in answer.text


def test_an_element_inside_another_overlaps_even_if_it_is_empty(ask, folder):
    (folder / "docs" / "c.xml").write_text("<article><p>ab<e/>cd</p></article>")
    lines = "1 Q0 c 1 2 m /article[1]/p[1]\n1 Q0 c 2 1 m /article[1]/p[1]/e[1]\n"
    (folder / "empty.run").write_text(lines)
    answer = ask("check", "--task", "focused", "--collection", "docs", "empty.run")
    assert "overlaps the one at rank 1" in answer.text


def test_a_repair_takes_out_what_the_collection_does_not_have(ask, folder):
    (folder / "more.run").write_text(RUN + "1 Q0 x 3 1 mine /article[1]\n")
    words = ("check", "--task", "restricted-ric", "--collection", "docs")
    answer = ask(*words, "more.run", "--fix", "fixed.run")
    assert (folder / "fixed.run").read_text() == "1 Q0 a 1 3 mine /article[1]/p[1]\n"
    assert "removed: 1 (unknown)" in answer.err
    assert "removed: 1 (document-characters)" in answer.err
    assert ask(*words, "fixed.run").status == 0


def test_spans_that_end_after_their_documents_are_remarked_on(ask, folder):
    (folder / "spans.run").write_text("1 Q0 a 1 3 mine 10 14\n1 Q0 b 2 2 mine 0 600\n")
    answer = ask("check", "--collection", "docs", "spans.run", "--format", "json")
    (file,) = json.loads(answer.out)["files"]
    assert file["remarks"] == ["results that reach past the end of their document: 1"]


def test_judgements_are_looked_up_too(ask, folder):
    (folder / "other.qrels").write_text("1 Q0 a 6 15 10 0:4 10:2\n1 Q0 y 0 600\n")
    answer = ask("check", "--collection", "docs", "other.qrels")
    assert answer.text.splitlines()[:2] == [
        "other.qrels: remark: judged documents that the collection does not have: 1 ('y')",
        "other.qrels: remark: sizes that differ from the collection's: 1; the file's are used",
    ]


# explain ------------------------------------------------------------------------------------

EXPLAIN = ("explain", "inex.qrels", "elements.run", "--topic", "1", "-m", "MAiP")


def test_the_text_is_shown_with_rulers(ask):
    answer = ask(*EXPLAIN, "--collection", "docs", "--most", "1")
    assert answer.text.split("\n\n", 2)[2] == (
        "marks: = relevant and retrieved, ~ relevant, not retrieved, - retrieved, not relevant\n"
        "\n"
        "a (rank 1; 6 of 14 characters relevant; best entry point 10)\n"
        "  abcdefghijklmn\n"
        "  ~~~~------==--\n"
        "\n"
        "1 more document of the run\n"
    )


def test_elements_are_rows_with_their_paths(ask):
    answer = ask(*EXPLAIN, "--collection", "docs")
    assert answer.text.splitlines()[2].split() == [
        *("1", "a", "/article[1]/p[1]", "10", "2", "2", "0.2000", "0.3333", "0.2000", "<"),
        "0.00-0.33",
    ]


@pytest.mark.parametrize(("setting", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_colours_are_for_terminals_that_want_them(folder, setting, coloured):
    pty = pytest.importorskip("pty", reason="terminals are tested where POSIX has them")
    here, there = pty.openpty()
    environment = {k: v for k, v in os.environ.items() if k != "NO_COLOR"} | {"TERM": "xterm"}
    words = [sys.executable, "-m", "spanwise", *EXPLAIN, "--collection", "docs", "--most", "1"]
    subprocess.run(words, cwd=folder, env=environment | setting, stdout=there, check=True)
    os.close(there)
    text = os.read(here, 100_000).decode()
    os.close(here)
    assert ("\x1b[4;31mabcd\x1b[0m" in text) is coloured
    assert ("~~~~------==--" in text) is not coloured
