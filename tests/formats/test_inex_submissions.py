"""INEX runs in XML: every form, every tolerance the notes ask for, and nothing beyond."""

# ruff: noqa: E501 (tables of mistakes read best with one a line)

import numpy as np
import pytest

from same_content import (
    listed,
    parsed,
    plain,
    problems,
    written,
)
from spanwise.errors import EmptyError, FormatError, SpanwiseWarning
from spanwise.formats import FORMATS, read_run
from spanwise.formats.inex.submissions import shape_of

S2002 = """\
<inex-submission participant-id="31" run-id="plain" task="CO" query="automatic" topic-part="TK">
<description>
bag of words
</description>
<topic topic-id="91">
<collections><collection>ieee</collection></collections>
<result><file>tc/2001/t0009</file><path>/article[1]/bdy[1]</path><rsv>-4.25</rsv></result>
<result><file>tc/2001/t0009</file><path>/article[1]</path><rsv>-4.5</rsv></result>
</topic>
</inex-submission>
"""
S2005 = """\
<?xml version="1.0"?>
<!DOCTYPE inex-submission SYSTEM "inex-submission.dtd">
<inex-submission submission-type="adhoc" participant-id="31" run-id="five" task="COS.Thorough"
 query="manual">
<topic-fields title="yes" castitle="no" description="no" narrative="no" ontopic_keywords="no"/>
<description>fields weighted</description>
<collections><collection>ieee</collection></collections>
<topic topic-id="205"><result><file>a/b/c</file><path>/article[1]</path><rank>1</rank></result></topic>
</inex-submission>
"""
S2006 = """\
<inex-submission participant-id="31" run-id="entry" task="BestInContext" query="automatic">
<topic-fields title="yes" mmtitle="no" castitle="yes" description="no" narrative="no"/>
<topic topic-id="301">
<result><file>77</file><path>/article[1]/body[1]/p[2]/text()[1].12</path><rank>0</rank></result>
<result><file>78</file><path>/article[1]</path><rank>1</rank></result>
</topic>
</inex-submission>
"""
S2007 = """\
<inex-submission participant-id="31" run-id="mixed" task="Focused" query="automatic"
 result-type="passage">
<collections><collection>wikipedia</collection><collection>ieee</collection></collections>
<topic topic-id="502">
<result><file>12</file><path>/article[1]/p[1]</path><rank>1</rank><rsv>2.5</rsv></result>
<result><file>12</file><passage start="/article[1]/p[2]/text()[1].4" end="/article[1]/p[3]"/><rsv>2</rsv></result>
<result><file>13</file><fol offset="461" length="202"/><rsv>1e-3</rsv></result>
</topic>
<topic topic-id="501">
<result><file>12</file><fol offset="0" length="9"/><rank>7</rank></result>
</topic>
</inex-submission>
"""
EFFICIENCY = """\
<efficiency-submission participant-id = "31" run-id = "fast" taks = "adhoc" type = "article"
 query = "automatic" sequential = "yes" no_cpu = "8" ram = "8GB" topk = "15">
<topic-fields co_title="yes" cas_title="no" xpath_title="no" text_predicates="no"/>
<general_description>in memory</general_description>
<ranking_description></ranking_description>
<topic topic-id="2009-Eff-228" total_time_ms="17" cpu_time_ms="16" io_bytes="0">
<result><file>900</file><path>/article[1]</path><rank>0</rank><rsv>2</rsv></result>
<result><file>901</file><path>/article[1]</path><rank>1</rank><rsv>1</rsv></result>
</topic>
</efficiency-submission>
"""
SHAPES = {
    "inex_submission_2002": S2002,
    "inex_submission_2005": S2005,
    "inex_submission_2006": S2006,
    "inex_submission_2007": S2007,
    "inex_efficiency": EFFICIENCY,
}
every_shape = pytest.mark.parametrize("name", SHAPES)
UNION = "inex_submission_2007"


@every_shape
def test_every_form_is_recognised(name, tmp_path):
    assert shape_of(SHAPES[name].encode()) == name
    assert [f for f in FORMATS if FORMATS[f].recognise(SHAPES[name].encode())] == [name]
    (tmp_path / "a.xml").write_text(SHAPES[name])
    assert plain(read_run(tmp_path / "a.xml")) == plain(parsed(SHAPES[name], name))


@every_shape
def test_every_form_is_written_as_it_was_read(name):
    run = parsed(SHAPES[name], name)
    assert FORMATS[name].loses(run) == {}
    again = written(run, name)
    assert shape_of(again) == name
    assert plain(parsed(again, name)) == plain(run)


def test_the_order_of_the_file_is_kept_beside_ranks_and_scores():
    run = parsed(S2007, UNION)
    assert run.name == "mixed"
    assert run.rows.topics == (b"502", b"501")
    assert listed(run.documents) == [b"12", b"12", b"13", b"12"]
    assert run.scores.tolist() == [2.5, 2, 1e-3, 1]  # no rsv in topic 501: its order alone
    assert [None if np.isnan(rank) else rank for rank in run.ranks] == [1, None, None, 7]


def test_places_of_every_kind():
    run = parsed(S2007, UNION)
    assert listed(run.paths) == [b"/article[1]/p[1]", b"/article[1]/p[2]/text()[1].4", b"", b""]
    assert listed(run.ends) == [b"", b"/article[1]/p[3]", b"", b""]
    assert run.spans.starts.tolist() == [-1, -1, 461, 0]
    assert run.spans.lengths.tolist() == [0, 0, 202, 9]
    assert parsed(S2005, UNION).spans is None
    assert parsed(S2005, UNION).ends is None


def test_without_rsv_scores_fall():
    run = parsed(S2006, UNION)
    assert run.scores.tolist() == [2, 1]
    assert run.ranks.tolist() == [0, 1]  # some programs count from 0
    assert listed(run.paths)[0] == b"/article[1]/body[1]/p[2]/text()[1].12"


def test_without_ranks_there_are_none():
    assert parsed(S2002, UNION).ranks is None


def test_scores_beside_missing_ones_are_not_used_and_that_is_said():
    data = S2007.replace("<rank>1</rank><rsv>2.5</rsv>", "")
    with pytest.warns(
        SpanwiseWarning, match="2 scores are ignored because other results of their topic have none"
    ):
        run = parsed(data, UNION)
    assert run.scores.tolist() == [3, 2, 1, 1]


def test_what_a_submission_says_about_itself():
    assert parsed(S2002, UNION).header == {
        "participant-id": "31",
        "run-id": "plain",
        "task": "CO",
        "query": "automatic",
        "topic-part": "TK",
        "description": "bag of words",
        "topic/91/collections": "ieee",
    }
    assert parsed(S2007, UNION).header["collections"] == "wikipedia ieee"
    header = parsed(EFFICIENCY, UNION).header
    assert header["task"] == "adhoc"
    assert header["topic-fields/co_title"] == "yes"
    assert header["general_description"] == "in memory"
    assert header["topic/2009-Eff-228/total_time_ms"] == "17"


def test_lines_of_results_are_known():
    rows = parsed(S2007, UNION).rows
    assert [rows.line(row) for row in range(4)] == [5, 6, 7, 10]


def test_a_run_without_a_name_is_called_after_its_file():
    assert parsed(S2006.replace(' run-id="entry"', ""), UNION, file="x/best.xml.gz").name == "best"


def test_trailing_blanks_of_a_task_are_dropped():
    assert parsed(S2006.replace("BestInContext", "BestInContext "), UNION).header["task"] == (
        "BestInContext"
    )


def test_a_stray_bracket_after_a_path_is_dropped_and_said():
    data = EFFICIENCY.replace("/article[1]</path>", "/article[1]></path>")
    with pytest.warns(
        SpanwiseWarning, match="paths from which a stray > at the end was dropped: 2"
    ):
        run = parsed(data, "inex_efficiency")
    assert listed(run.paths) == [b"/article[1]"] * 2


def test_a_topic_without_results_is_said():
    data = S2006.replace("</inex-submission>", '<topic topic-id="9"></topic></inex-submission>')
    with pytest.warns(SpanwiseWarning, match="topics without results: 1"):
        assert parsed(data, UNION).rows.topics == (b"301",)


def test_a_topic_that_comes_again_goes_on():
    data = S2007.replace('topic-id="501"', 'topic-id="502"')
    with pytest.warns(SpanwiseWarning, match="3 scores are ignored because"):
        run = parsed(data, UNION)
    assert run.rows.starts.tolist() == [0, 4]


def one(result: str) -> str:
    return f'<inex-submission>\n<topic topic-id="1">\n<result>{result}</result>\n</topic>\n</inex-submission>\n'


PLACED = "<file>d</file><path>/a[1]</path>"


@pytest.mark.parametrize(
    ("result", "message"),
    [
        ("<path>/a[1]</path>", "a result without a file; expected <file>document</file>"),
        ("<file>d</file>", "a result without a place; expected a path, a passage or a fol in it"),
        (PLACED + "<rank>first</rank>", "rank 'first' is not a number; expected a number"),
        (PLACED + "<rsv>0,5</rsv>", "rsv '0,5' is not a number; expected a number; use a point, not a comma"),
        (PLACED + "<rsv></rsv>", "rsv '' is not a number; expected a number"),
        (PLACED + "<rsv>nan</rsv>", "rsv 'nan' is not a number; expected a number"),
        (PLACED + "<score>1</score>", "<score> in a result; expected file, path, passage, fol, rank or rsv"),
        (PLACED + "<path>/a[2]</path>", "a second place, <path>, in a result; expected one place"),
        (PLACED + "<file>e</file>", "a second file, 'e', in a result; expected one file"),
        (PLACED + '<fol offset="1" length="2"/>', "a second place, <fol>, in a result; expected one place"),
        ('<file>d</file><fol offset="1" length="-2"/>', "offset '1' and length '-2'; expected two numbers from 0 on"),
        ('<file>d</file><fol offset="1"/>', "offset '1' and length ''; expected two numbers from 0 on"),
        ("<file>d</file><path>/a[1]/b</path>", "path '/a[1]/b'; expected a path such as /article[1]/sec[2]/p[1] or a point in its text such as /article[1]/p[1]/text()[2].17"),
        ("words<file>d</file><path>/a[1]</path>", "the text 'words' before <file>; expected an INEX run: <inex-submission> or <efficiency-submission> with a <topic> for each topic"),
    ],
)  # fmt: skip
def test_mistakes_are_told_with_their_line(result, message):
    found = []
    try:
        found = problems(one(result), UNION)
    except EmptyError:  # the only result was wrong
        with pytest.raises(FormatError) as caught:
            parsed(one(result), UNION)
        found = [(caught.value.line, caught.value.reason)]
    assert found[0] == (3, message)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("<run/>", "made.xml:1: <run>; expected an INEX run"),
        ("<inex-submission>\n</inex-submission>", "made.xml: no results"),
        ("<inex-submission>\n<topic/>\n</inex-submission>", "made.xml:2: a topic without an id"),
        ("<inex-submission>\n<machine/>\n</inex-submission>", "made.xml:2: <machine>; expected"),
        ("<inex-submission>\n<topic topic-id='1'>\n<x/></topic></inex-submission>", "made.xml:3: <x> in an"),
        ("<inex-submission>\n<topic topic-id='1'>\n", "made.xml:3: the XML breaks off"),
    ],
)  # fmt: skip
def test_files_that_are_not_runs(data, message):
    with pytest.raises(FormatError) as caught:
        parsed(data, UNION)
    assert str(caught.value).startswith(message)


# Writing ------------------------------------------------------------------------------------


def test_older_forms_cannot_hold_passages_nor_new_entries():
    run = parsed(S2007, UNION)
    assert FORMATS["inex_submission_2006"].loses(run) == {
        "passages between two points": 1,
        "passages by offset": 2,
        "entries of the header": 1,
    }
    with pytest.warns(SpanwiseWarning, match="topics without results: 1"):
        again = parsed(written(run, "inex_submission_2006"), UNION)
    assert again.rows.topics == (b"502",)
    assert listed(again.paths) == [b"/article[1]/p[1]"]


def test_times_have_no_place_in_other_runs():
    run = parsed(EFFICIENCY, UNION)
    assert FORMATS[UNION].loses(run) == {"entries of the header": 10}


def test_whole_documents_are_written_as_their_articles():
    run = parsed("1 Q0 a 1 1.5 mine\n1 Q0 b 2 9.5 mine\n", "trec_run")
    assert FORMATS[UNION].loses(run) == {"whole documents, written as /article[1]": 2}
    again = parsed(written(run, UNION), UNION)
    assert again.name == "mine"
    assert listed(again.documents) == [b"b", b"a"]  # the better score first: order counts here
    assert again.scores.tolist() == [9.5, 1.5]
    assert again.ranks.tolist() == [2, 1]
