"""spanwise convert, and spanwise check on the same files."""

import io
import json
import sys
from types import SimpleNamespace

import pytest

SUBMISSION = """\
<inex-submission participant-id="3" run-id="mine" task="Focused" result-type="fol">
<topic topic-id="1">
<result><file>ape</file><fol offset="10" length="5"/><rsv>2</rsv></result>
<result><file>ape</file><path>/article[1]</path><rsv>1.5</rsv></result>
</topic>
</inex-submission>
"""
POOL = """\
<assessments pool="{pool}" topic="{topic}" version="2">
<file collection="zoo" name="ape">
<best-entry-point path="/article[1]"/>
<passage start="/article[1]/p[1]" end="/article[1]/p[2]" size="9"/>
<element path="/article[1]" exhaustivity="2" size="50" rsize="9"/>
</file>
<file collection="zoo" name="bat"/>
</assessments>
"""


@pytest.fixture
def files(folder):
    (folder / "run.xml").write_text(SUBMISSION)
    (folder / "pool.xml").write_text(POOL.format(pool=4, topic=1))
    return folder


def test_to_standard_output(files, ask):
    answer = ask("convert", "pool.xml", "-", "--to", "qrels")
    assert (answer.status, answer.text) == (0, "1 0 ape 1\n1 0 bat 0\n")
    assert answer.warnings == [
        "pool.xml: format 'qrels' cannot hold 1 element grade, 1 size of elements, 1 highlighted"
        " passage between two points, 1 best entry point, 2 names of collections, 1 pool number,"
        " 1 version of assessments"
    ]


def test_points_become_offsets_only_with_a_collection(files, ask):
    answer = ask("convert", "pool.xml", "-", "--to", "inex_qrels")
    assert (answer.status, answer.text) == (2, "")
    assert answer.err.splitlines()[-1].endswith(
        "pool.xml: passages between points have no offsets; pass --collection to compute them"
    )


OFFSETS = "1 Q0 ape 6 9 3 1:3 6:3\n1 Q0 bat 0 4\n2 Q0 ape 2 9 0 0:2\n"
POINTS = """\
<?xml version="1.0" encoding="UTF-8"?>
<assessments topic="1" version="2">
 <file name="ape">
  <best-entry-point path="/a[1]/p[1]/b[1]/text()[1].1"/>
  <passage start="/a[1]/p[1]/text()[1].1" end="/a[1]/p[1]/b[1]/text()[1].2" size="3"/>
  <passage start="/a[1]/p[2]/text()[1].0" end="/a[1]/p[2]/text()[1].3" size="3"/>
  <element path="/a[1]" exhaustivity="2" size="9" rsize="6"/>
  <element path="/a[1]/p[1]" exhaustivity="2" size="6" rsize="3"/>
  <element path="/a[1]/p[1]/b[1]" exhaustivity="2" size="2" rsize="2"/>
  <element path="/a[1]/p[2]" exhaustivity="2" size="3" rsize="3"/>
 </file>
 <file name="bat">
 </file>
</assessments>
"""


@pytest.fixture
def zoo(folder):
    (folder / "zoo").mkdir()
    (folder / "zoo" / "ape.xml").write_text("<a><p>12<b>34</b>56</p><p>789</p></a>")
    (folder / "zoo" / "bat.xml").write_text("<a>1234</a>")
    (folder / "offsets").write_text(OFFSETS)
    return folder


def test_offsets_become_points_with_a_collection_and_offsets_again(zoo, ask):
    words = ("--to", "inex_assessments_2007", "--collection", "zoo")
    answer = ask("convert", "offsets", "release/", *words)
    assert answer.warnings == ["offsets: lengths of documents that list no elements, left out: 1"]
    made = (zoo / "release" / "done" / "all" / "main" / "topic-1" / "pool-1.xml").read_text()
    assert made == POINTS
    back = ask("convert", "release", "-", "--to", "inex_qrels", "--collection", "zoo")
    assert back.text == OFFSETS


def test_offsets_that_the_collection_has_not(zoo, ask):
    (zoo / "offsets").write_text("1 Q0 ape 1 50 0 40:1\n1 Q0 cat 2 9 0 0:2\n1 Q0 bat 1 5 0 0:1\n")
    words = ("--to", "inex_assessments_2007", "--collection", "zoo")
    answer = ask("convert", "offsets", "-", *words)
    assert answer.warnings == [
        "offsets: lengths that differ from the collection's, which are written: 1",
        "offsets: lengths of documents that list no elements, left out: 2",
        "offsets: judged documents missing from the collection: 2 ('ape')",
        "offsets: format 'inex_assessments_2007' cannot hold 2 relevant documents with nothing that"
        " this format can hold",
    ]
    assert answer.text.count("<file") == 1


def test_there_and_back_without_loss(files, ask):
    for there, back, first in (
        ("span_run", "inex_submission_2007", "run.xml"),
        ("span_qrels", "inex_assessments_2006", "pool.xml"),
    ):
        ask("convert", first, "once.xml", "--to", back)
        assert ask("convert", first, "middle.jsonl", "--to", there).err == ""
        assert ask("convert", "middle.jsonl", "twice.xml", "--to", back).err == ""
        assert (files / "once.xml").read_bytes() == (files / "twice.xml").read_bytes()


def test_a_run_is_not_judgements(files, ask):
    assert ask("convert", "run.xml", "out", "--to", "qrels").complaint == (
        "run.xml holds a run, but format 'qrels' holds judgements"
    )
    assert ask("convert", "qrels.txt", "out", "--to", "span_run").complaint == (
        "qrels.txt holds judgements, but format 'span_run' holds a run"
    )
    assert not (files / "out").exists()


def test_a_format_may_only_be_read(files, ask):
    assert ask("convert", "qrels.txt", "out", "--to", "prefs").complaint == (
        "format 'prefs' is only read, not written; see: spanwise formats"
    )


def test_unknown_formats(files, ask):
    assert "unknown" in ask("convert", "run.xml", "-", "--to", "excel").complaint
    assert "unknown" in ask("convert", "run.xml", "-", "--to", "qrels", "--from", "x").complaint
    assert "--to" in ask("convert", "run.xml", "-").complaint


def test_the_format_of_the_input_can_be_named(files, ask):
    answer = ask("convert", "qrels.txt", "-", "--to", "qrels", "--from", "qrels_jg")
    assert answer.warnings == ["qrels.txt: format 'qrels' cannot hold 5 names of assessors"]


def test_standard_input(files, ask, monkeypatch):
    stream = io.BufferedReader(io.BytesIO(SUBMISSION.encode()))
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=stream))
    answer = ask("convert", "-", "-", "--to", "trec_run")
    assert answer.text == "1 Q0 ape 1 2.0 mine\n"


def test_ranks_that_are_not_numbers_are_given_up_with_a_warning(files, ask):
    (files / "odd.txt").write_text("1 Q0 ape first 2 me\n")
    answer = ask("convert", "odd.txt", "-", "--to", "trec_run")
    assert answer.text == "1 Q0 ape 1 2.0 me\n"
    assert answer.warnings[0].endswith("ranks are not kept")


def test_a_file_that_cannot_be_read_leaves_the_output_alone(files, ask):
    (files / "out.xml").write_text("precious")
    (files / "bad.xml").write_text(SUBMISSION.replace("<rsv>2<", "<rsv>two<"))
    assert ask("convert", "bad.xml", "out.xml", "--to", "trec_run").complaint == (
        "bad.xml:3: rsv 'two' is not a number; expected a number"
    )
    assert (files / "out.xml").read_text() == "precious"


def test_a_conversion_that_fails_half_way_leaves_the_output_alone(files, ask):
    (files / "out.txt").write_text("precious")
    (files / "bad.xml").write_text(SUBMISSION.replace("ape", "a b"))
    before = sorted(files.iterdir())
    answer = ask("convert", "bad.xml", "out.txt", "--to", "trec_run")
    assert answer.status == 2
    assert (files / "out.txt").read_text() == "precious"
    assert sorted(files.iterdir()) == before


# Folders ------------------------------------------------------------------------------------


@pytest.fixture
def release(files):
    for place, topic in (("done/CO/main", 1), ("done/CO/main", 2), ("done/CO/others", 2)):
        pool = files / "release" / place / f"topic-{topic}" / f"pool-{topic}.xml"
        pool.parent.mkdir(parents=True)
        pool.write_text(POOL.format(pool=topic, topic=topic))
    return files


def test_a_release_becomes_one_file_and_a_release_again(release, ask):
    answer = ask("convert", "release", "all.jsonl", "--to", "span_qrels")
    assert answer.warnings == [
        "release: 1 of 3 pools are not official and were skipped (1 under others)"
    ]
    answer = ask("convert", "all.jsonl", "again/", "--to", "inex_assessments_2006")
    assert (answer.status, answer.err) == (0, "")
    again = sorted(str(file.relative_to(release)) for file in release.glob("again/**/*.xml"))
    assert again == [
        "again/done/all/main/topic-1/pool-1.xml",
        "again/done/all/main/topic-2/pool-2.xml",
    ]
    ask("convert", "again", "twice.jsonl", "--to", "span_qrels")
    assert (release / "twice.jsonl").read_bytes() == (release / "all.jsonl").read_bytes()


def test_several_topics_do_not_fit_in_one_file(release, ask):
    ask("convert", "release", "all.jsonl", "--to", "span_qrels")
    assert ask("convert", "all.jsonl", "one.xml", "--to", "inex_assessments_2006").complaint == (
        "all.jsonl has 2 topics, but a file of this form holds one;"
        " give the name of a folder, with / at its end, for one file per topic"
    )


def test_a_folder_must_be_new_and_the_format_must_have_files(release, ask):
    assert (
        "already exists"
        in ask("convert", "pool.xml", "release", "--to", "inex_assessments_2006").complaint
    )
    assert ask("convert", "run.xml", "new/", "--to", "span_run").complaint == (
        "new/: format 'span_run' is a single file; give a file name"
    )
    assert not (release / "new").exists()


def test_a_folder_of_runs_is_refused(files, ask):
    (files / "runs").mkdir()
    for name in ("a.txt", "b.txt"):
        (files / "runs" / name).write_bytes((files / "run.txt").read_bytes())
    assert ask("convert", "runs", "-", "--to", "span_run").complaint == (
        "runs has 2 files, among them runs; give one run"
    )


# check --------------------------------------------------------------------------------------


def test_xml_files_in_order_are_fine(files, ask):
    answer = ask("check", "run.xml", "pool.xml")
    assert (answer.status, answer.err) == (0, "")
    assert answer.text == (
        "run.xml: fine (inex_submission_2007: 2 results, 1 topics)\n"
        "pool.xml: fine (inex_assessments_2006: 2 judged documents, 1 topics)\n"
    )


def test_every_problem_of_an_xml_file_is_told(files, ask):
    bad = SUBMISSION.replace("<rsv>2<", "<rsv>two<").replace("/article[1]", "article")
    (files / "run.xml").write_text(bad)
    answer = ask("check", "run.xml")
    assert answer.status == 1
    assert [line.split(": ")[:2] for line in answer.text.splitlines()[:2]] == [
        ["run.xml:3", "rsv 'two' is not a number; expected a number"],
        ["run.xml:4", "path 'article'; expected a path such as /article[1]/sec[2]/p[1] or a point"
         " in its text such as /article[1]/p[1]/text()[2].17"],
    ]  # fmt: skip


def test_the_same_part_twice_is_a_problem_but_not_the_same_document(files, ask):
    twice = SUBMISSION.replace("<path>/article[1]</path>", '<fol offset="10" length="5"/>')
    (files / "run.xml").write_text(twice)
    answer = ask("check", "run.xml")
    assert answer.status == 1
    assert answer.text.startswith(
        "run.xml:4: result 'ape 10:5' appears twice for its topic, first on line 3\n"
    )


def test_a_release_is_checked_file_by_file(release, ask):
    answer = ask("check", "release")
    assert answer.status == 0
    assert answer.text.count("fine (inex_assessments_2006") == 2
    assert len(answer.warnings) == 1


def test_xml_of_no_known_kind_is_refused(files, ask):
    (files / "odd.xml").write_text("<html/>\n")
    assert ask("check", "odd.xml").text.startswith("odd.xml:1: <html>; expected INEX ")
    assert ask("convert", "odd.xml", "-", "--to", "qrels").complaint.startswith("odd.xml:1: <html>")


def test_a_score_that_looks_like_a_place_is_kept(folder, ask):
    """A single result with score 1, or scores that count down, are stated all the same."""
    (folder / "one.run").write_text(
        "1 Q0 ape 1 1 mine 0 10\n2 Q0 ape 1 2 mine 0 9\n2 Q0 bat 2 1 mine 0 9\n"
    )
    lines = ask("convert", "one.run", "-", "--to", "span_run").out.splitlines()[1:]
    assert [json.loads(line)["score"] for line in lines] == [1, 2, 1]
    assert ask("convert", "one.run", "-", "--to", "inex_submission_2007").text.count("<rsv>") == 3


def test_no_score_is_made_up_where_results_are_left_out(folder, ask):
    """What a form cannot hold goes; the others do not get scores that nobody stated."""
    (folder / "run.xml").write_text(
        SUBMISSION.replace("<rsv>2</rsv>", "").replace("<rsv>1.5</rsv>", "")
    )
    answer = ask("convert", "run.xml", "-", "--to", "inex_submission_2005")
    assert "/article[1]" in answer.text
    assert "<rsv>" not in answer.text


def test_a_score_among_missing_ones_is_kept(folder, ask):
    (folder / "run.xml").write_text(SUBMISSION.replace("<rsv>2</rsv>", ""))
    answer = ask("convert", "run.xml", "-", "--to", "span_run")
    assert [json.loads(line).get("score") for line in answer.out.splitlines()[1:]] == [None, 1.5]


@pytest.mark.parametrize("target", ["trec_run", "inex_run"])
def test_scores_that_a_line_must_have_are_not_made_up_in_silence(files, ask, target):
    (files / "run.xml").write_text(SUBMISSION.replace("<rsv>2</rsv>", "<rank>1</rank>"))
    *_, warning = ask("convert", "run.xml", "-", "--to", target).warnings
    assert "1 result without a score, replaced by falling numbers" in warning
    (files / "run.xml").write_text(SUBMISSION)
    (warning,) = ask("convert", "run.xml", "-", "--to", target).warnings
    assert "without a score" not in warning


def test_parquet_keeps_the_header(files, ask):
    assert ask("convert", "run.xml", "run.parquet").err == ""
    direct = ask("convert", "run.xml", "-", "--to", "span_run").out
    assert ask("convert", "run.parquet", "-", "--to", "span_run").out == direct


def test_a_submission_of_another_track_is_told_that_it_is_not_read(folder, ask):
    (folder / "snippets.xml").write_text(
        '<inex-snippet-submission participant-id="4" run-id="s"><topic topic-id="1">'
        '<snippet rsv="1" doc-id="12">sea</snippet></topic></inex-snippet-submission>\n'
    )
    answer = ask("check", "snippets.xml")
    assert answer.status == 1
    assert "snippets or links, are not read" in answer.text


def test_results_without_a_place_are_not_the_same_result(folder, ask):
    """Two elements that the collection did not have may be two different ones."""
    (folder / "lost.run").write_text("1 Q0 ape 1 9 mine X X\n1 Q0 ape 2 8 mine -1 -1\n")
    assert ask("check", "lost.run").status == 0


def test_a_table_of_spans_never_says_less_than_it_admits(files, ask):
    """Elements have no place there: written without them, documents would not be relevant."""
    answer = ask("convert", "pool.xml", "judged.parquet")
    assert answer.status == 2
    assert "use span_qrels" in answer.err
    lines = [
        '{"qid": "1", "doc": "a", "by": "ann", "spans": [{"s": 0, "e": 5}]}',
        '{"qid": "1", "doc": "a", "by": "bob", "spans": [{"s": 3, "e": 9}]}',
        '{"qid": "1", "doc": "b", "by": "bob", "spans": [],'
        ' "elements": [{"path": "/a[1]", "size": 2, "rsize": 2}]}',
    ]
    (files / "both.jsonl").write_text("\n".join(lines) + "\n")
    assert "1 relevant document with nothing" in ask("convert", "both.jsonl", "both.parquet").err
    rows = ask("convert", "both.parquet", "-", "--to", "span_qrels").out.splitlines()[1:]
    said = [json.loads(row) for row in rows]
    assert [(one["by"], one["spans"]) for one in said] == [
        ("ann", [{"s": 0, "e": 5}]),
        ("bob", [{"s": 3, "e": 9}]),
    ]


def test_every_topic_statement_of_a_file_is_kept(files, ask):
    """There may be several of them: what the assessor saw first, and what it became."""
    both = '<inex_topic ct_no="1"><title>a</title></inex_topic>\n<inex_topic ct_no="2"/>\n'
    pool = POOL.format(pool=4, topic=1).replace('version="2">\n', f'version="2">\n{both}')
    (files / "pool.xml").write_text(pool)
    answer = ask("convert", "pool.xml", "-", "--to", "inex_assessments_2007")
    assert (
        '<inex_topic ct_no="1"><title>a</title></inex_topic>\n<inex_topic ct_no="2">' in answer.text
    )
