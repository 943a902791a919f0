"""INEX assessments of 2002 to 2007: one made-up file for each year, and every rule of reading."""

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
from spanwise.errors import (
    EmptyError,
    FormatError,
    SpanwiseWarning,
    UsageError,
)
from spanwise.formats import FORMATS, read_judgements
from spanwise.formats.inex.assessments import form_of
from spanwise.model.elements import (
    TOO_SMALL,
    UNJUDGED,
    UNSTATED,
    Flag,
    Pool,
)

A2002 = """\
<?xml version="1.0"?>
<assessments topicnumber="7">
<file filename="tp/1999/k0001">
<path path="/article[1]" relevance="3" coverage="L"/>
<path path="/article[1]/bdy[1]/sec[2]" relevance="2" coverage="E"/>
<path path="/article[1]/bdy[1]/sec[2]/p[1]" relevance="1" coverage="S"/>
<path path="/article[1]/fm[1]" relevance="0" coverage="N"/>
</file>
<file filename="tp/1999/k0002">
<path path="/article[1]" relevance="0" coverage="N"/>
</file>
</assessments>
"""
A2003 = """\
<assessments topicid="88">
<file file="tc/2000/t0301">
<path path="/article[1]" exhaustiveness="3" specificity="1"/>
<path path="/article[1]/bdy[1]" exhaustiveness="0" specificity="0"/>
</file>
</assessments>
"""
A2004 = """\
<?xml version='1.0'?>
<!DOCTYPE assessments SYSTEM '../../assessments.dtd'>
<assessments pool='15' topic='140'>
  <!-- judged in spring -->
  <file file='ic/2002/w0001'>
    <path path='/article[1]' exhaustiveness='2' specificity='1' inpool='true'/>
    <path path='/article[1]/bdy[1]' exhaustiveness='2' specificity='2' inferred='true'/>
    <path path='/article[1]/bm[1]' inpool='true'/>
    <path path='/article[1]/fm[1]' exhaustiveness='U' specificity='U' inconsistant='true'/>
  </file>
  <file file='ic/2002/w0002'>
    <path path='/article[1]' inpool='true'/>
  </file>
  <file file='ic/2002/w0003'/>
</assessments>
"""
TOPIC = (
    '<inex_topic topic_id="231" query_type="CO+S" ct_no="4">\n<title>R&amp;D</title></inex_topic>'
)
A2005 = f"""\
<assessments pool="52" topic="231" version="2">
 {TOPIC}
 <file collection="ieee" name="so/1998/s0042">
  <!-- skipped: nothing -->
  <passage start="/article[1]/bdy[1]/p[1]/text()[1].0" end="/article[1]/bdy[1]/p[2]" size="310"/>
  <passage start="/article[1]/bm[1]" end="/article[1]/bm[1]" size="11"/>
  <element path="/article[1]" exhaustivity="2" size="4000" rsize="323"/>
  <element path="/article[1]/bdy[1]/p[1]" exhaustivity="1" size="120" rsize="121"/>
  <element path="/article[1]/bdy[1]/p[1]/it[1]" exhaustivity="?" size="4" rsize="4"/>
 </file>
 <file collection="ieee" name="so/1998/s0043">
 </file>
</assessments>
"""
A2006 = """\
<assessments pool="9" topic="333" version="2">
 <file collection="wikipedia" name="90210">
  <best-entry-point path="/article[1]/body[1]/text()[2].17"/>
  <passage start="/article[1]/body[1]/text()[2].17" end="/article[1]/body[1]/text()[2].40" size="23"/>
  <element path="/article[1]" exhaustivity="2" size="800" rsize="23"/>
 </file>
</assessments>
"""
A2007 = A2006.replace('version="2"', 'version="2" whitespace-text-node="strip"')
YEARS = {"2002": A2002, "2003": A2003, "2004": A2004, "2005": A2005, "2006": A2006, "2007": A2007}
every_year = pytest.mark.parametrize("year", YEARS)


def name(year: str) -> str:
    return f"inex_assessments_{year}"


def elements_of(data: str):
    return parsed(data, name("2004")).elements.elements


@every_year
def test_the_form_of_each_year_is_recognised(year, tmp_path):
    assert form_of(YEARS[year].encode()) == year
    assert [f for f in FORMATS if FORMATS[f].recognise(YEARS[year].encode())] == [name(year)]
    (tmp_path / "a.xml").write_text(YEARS[year])
    assert plain(read_judgements(tmp_path / "a.xml")) == plain(parsed(YEARS[year], name(year)))


@every_year
def test_each_year_is_written_as_it_was_read(year):
    content = parsed(YEARS[year], name(year))
    again = written(content, name(year))
    assert form_of(again) == year
    assert plain(parsed(again, name(year))) == plain(content)
    assert FORMATS[name(year)].loses(content) == {}


def test_letters_of_2002():
    content = parsed(A2002, name("2002"))
    elements = content.elements.elements
    assert content.rows.topics == (b"7",)
    assert listed(content.documents) == [b"tp/1999/k0001", b"tp/1999/k0002"]
    assert content.grades.tolist() == [1, 0]
    assert elements.exhaustivity.tolist() == [3, 2, 1, 0, 0]
    assert bytes(elements.coverage.tolist()) == b"LESNN"
    assert elements.specificity.tolist() == [UNSTATED] * 5
    assert elements.first.tolist() == [0, 4, 5]


def test_pairs_of_2003_and_2004():
    content = parsed(A2004, name("2004"))
    elements = content.elements.elements
    assert elements.exhaustivity.tolist() == [2, 2, UNSTATED, UNJUDGED, UNSTATED]
    assert elements.specificity.tolist() == [1, 2, UNSTATED, UNJUDGED, UNSTATED]
    assert elements.flags.tolist() == [
        Flag.INPOOL,
        Flag.INFERRED,
        Flag.INPOOL,
        Flag.INCONSISTENT,
        Flag.INPOOL,
    ]
    assert content.elements.pools == (Pool(number="15"),)
    assert parsed(A2003, name("2003")).elements.elements.specificity.tolist() == [1, 0]


def test_nobody_looked_at_a_document_whose_elements_are_all_unjudged():
    assert parsed(A2004, name("2004")).grades.tolist() == [1, -1, 0]


def test_highlighting_of_2005():
    content = parsed(A2005, name("2005"))
    said = content.elements
    assert content.grades.tolist() == [1, 0]
    assert said.elements.exhaustivity.tolist() == [2, 1, TOO_SMALL]
    assert said.elements.sizes.tolist() == [4000, 120, 4]
    assert said.elements.highlighted.tolist() == [323, 121, 4]  # more than fits, as it was written
    assert listed(said.passages.starts)[0] == b"/article[1]/bdy[1]/p[1]/text()[1].0"
    assert listed(said.passages.ends) == [b"/article[1]/bdy[1]/p[2]", b"/article[1]/bm[1]"]
    assert said.passages.sizes.tolist() == [310, 11]
    assert listed(said.collections) == [b"ieee", b"ieee"]
    assert said.pools == (Pool("52", "2", "", TOPIC),)


def test_best_entry_points_of_2006_and_white_space_of_2007():
    said = parsed(A2006, name("2006")).elements
    assert listed(said.entries) == [b"/article[1]/body[1]/text()[2].17"]
    assert said.pools[0].whitespace == ""
    assert parsed(A2007, name("2007")).elements.pools[0].whitespace == "strip"


def test_lines_of_documents_are_known():
    rows = parsed(A2004, name("2004")).rows
    assert [rows.place(row) for row in range(3)] == ["made.xml:5", "made.xml:11", "made.xml:14"]


@pytest.mark.parametrize("quotes", ["'\"", "\"'"])
def test_quotes_of_either_kind(quotes):
    data = A2004.translate(str.maketrans(*(quotes, quotes[::-1])))
    assert plain(parsed(data, name("2004"))) == plain(parsed(A2004, name("2004")))


def test_any_child_with_a_path_is_an_element():
    data = A2003.replace("<path path", "<component path")
    assert plain(parsed(data, name("2003"))) == plain(parsed(A2003, name("2003")))


def test_exhaustivity_may_stand_for_exhaustiveness():
    data = A2003.replace("exhaustiveness", "exhaustivity")
    assert plain(parsed(data, name("2003"))) == plain(parsed(A2003, name("2003")))


def test_what_has_no_exhaustivity_takes_the_best_inside():
    data = A2005.replace('path="/article[1]" exhaustivity="2"', 'path="/article[1]"')
    with pytest.warns(SpanwiseWarning, match="1 elements without exhaustivity get the highest"):
        content = parsed(data, name("2005"))
    assert content.elements.elements.exhaustivity.tolist() == [1, 1, TOO_SMALL]


def test_exhaustivity_that_nobody_can_infer_is_an_error():
    data = A2006.replace(' exhaustivity="2"', "")
    with pytest.raises(FormatError) as caught:
        parsed(data, name("2006"))
    assert str(caught.value) == (
        "made.xml:2: no exhaustivity of /article[1] or of an element inside;"
        " expected one of 0, 1, 2, ?"
    )


def one(part: str) -> str:
    return f'<assessments topic="1">\n<file name="d">\n{part}\n</file>\n</assessments>\n'


@pytest.mark.parametrize(
    ("part", "message"),
    [
        ('<path path="/a[1]" relevance="4" coverage="E"/>', "relevance '4'; expected one of 0, 1, 2, 3"),
        ('<path path="/a[1]" relevance="1" coverage="X"/>', "coverage 'X'; expected one of N, L, S, E"),
        ('<path path="/a[1]" relevance="1"/>', "no coverage; expected one of N, L, S, E"),
        ('<path path="/a[1]" exhaustiveness="5" specificity="1"/>', "exhaustiveness '5'; expected one of 0, 1, 2, 3, U"),
        ('<path path="/a[1]" exhaustiveness="1"/>', "no specificity; expected one of 0, 1, 2, 3, U"),
        ('<element path="/a[1]" exhaustivity="3" size="1" rsize="1"/>', "exhaustivity '3'; expected one of 0, 1, 2, ?"),
        ('<element path="/a[1]" exhaustivity="2" size="1"/>', "no rsize of <element>; expected a number of characters"),
        ('<element path="/a[1]" exhaustivity="2" size="-1" rsize="1"/>', "size '-1' of <element>; expected a number of characters"),
        ('<path path="/a[1]" inpool="yes"/>', "inpool 'yes'; expected true or false"),
        ('<path path="/a/b"/>', "path '/a/b'; expected a path such as /article[1]/sec[2]/p[1]"),
        ('<path path="/a[1]/xrai:s[1]"/>', "path '/a[1]/xrai:s[1]' names the helper element xrai:s; expected paths of the document itself; the export was not finished"),
        ('<path path="/a[1]"/>\n<path path="/a[1]"/>', None),
        ('<passage start="/a[1]" size="1"/>', "end '' of <passage>; expected a path such as /article[1]/sec[2]/p[1] or a point in its text such as /article[1]/p[1]/text()[2].17"),
        ('<passage start="/a[1]" end="/a[1]"/>', "no size of <passage>; expected a number of characters"),
        ("<path/>", "<path> without a path; expected INEX assessments: <assessments topic=...> with a <file> for each judged document"),
        ("relevant", "the text 'relevant'; expected elements only"),
        ('<path path="/a[1]"><b/></path>', "<b> in an unexpected place; expected INEX assessments: <assessments topic=...> with a <file> for each judged document"),
    ],
)  # fmt: skip
def test_mistakes_are_told_with_their_line(part, message):
    line, message = (
        (3, message) if message else (4, "element /a[1] occurs twice; expected each element once")
    )
    assert problems(one(part), name("2004"))[0] == (line if part != "relevant" else 4, message)


def test_two_best_entry_points_are_one_too_many():
    part = '<best-entry-point path="/a[1]"/>\n<best-entry-point path="/a[1]/b[1]"/>'
    assert problems(one(part), name("2006")) == [
        (4, "a second best entry point; expected one for each document")
    ]


def test_a_document_twice_is_a_problem_and_counts_once():
    data = A2004.replace("w0003", "w0001")
    assert problems(data, name("2004")) == [
        (
            14,
            "document 'ic/2002/w0001' occurs twice for topic '140', first on line 5;"
            " expected each document once",
        )
    ]


def test_all_problems_are_reported():
    data = A2005.replace('size="4000"', 'size="?"').replace('"310"', '"x"')
    assert [line for line, _ in problems(data, name("2005"))] == [6, 8]


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        ("<pool topic='1'/>", FormatError, "made.xml:1: <pool>; expected INEX assessments"),
        ("<assessments pool='1'/>", FormatError, "made.xml:1: assessments without a topic"),
        ("<assessments topic='1'/>", EmptyError, "made.xml: no judged documents"),
        ("<assessments topic='1'><file/></assessments>", FormatError, "made.xml:1: a file without"),
        (
            "<assessments topic='1'>\n<file name='d'>\n",
            FormatError,
            "made.xml:3: the XML breaks off",
        ),
    ],
)
def test_files_that_hold_nothing(data, error, message):
    with pytest.raises(error) as caught:
        parsed(data, name("2004"))
    assert str(caught.value).startswith(message)


# Writing ------------------------------------------------------------------------------------


def lost(data: str, year: str) -> dict[str, int]:
    return FORMATS[name(year)].loses(parsed(data, name("2004")))


def test_pools_and_flags_are_what_2003_cannot_hold_of_2004():
    content = parsed(A2004, name("2004"))
    assert lost(A2004, "2003") == {"notes on how elements were judged": 5, "pool numbers": 1}
    again = plain(parsed(written(content, name("2003")), name("2003")))
    assert again["grades"] == content.grades.tolist()
    assert again["elements"]["elements"]["flags"] == [0] * 5


def test_entry_points_are_what_2005_cannot_hold_of_2007():
    assert lost(A2007, "2005") == {"best entry points": 1, "statements on white space": 1}
    assert lost(A2007, "2006") == {"statements on white space": 1}
    assert lost(A2005, "2007") == {}


def test_a_relevant_document_is_never_written_as_an_empty_one():
    content = parsed(A2005, name("2005"))
    data = written(content, name("2004"))
    assert b"s0042" not in data
    assert b"s0043" in data
    assert FORMATS[name("2004")].loses(content) == {
        "highlighted passages between two points": 2,
        "names of collections": 2,
        "versions of assessments": 1,
        "topic statements": 1,
        "element grades": 3,
        "relevant documents with nothing that this format can hold": 1,
    }


def test_letters_and_pairs_are_not_each_other():
    assert lost(A2002, "2003") == {
        "element grades": 5,
        "relevant documents with nothing that this format can hold": 1,
    }
    assert lost(A2003, "2002") == {
        "element grades": 2,
        "relevant documents with nothing that this format can hold": 1,
    }


def test_plain_judgements_leave_only_what_is_not_relevant():
    content = parsed("1 0 a 1\n1 0 b 0\n1 0 c -1\n1 0 d 2\n", "qrels")
    assert FORMATS[name("2007")].loses(content) == {
        "grades of documents other than 0 and 1": 1,
        "relevant documents with nothing that this format can hold": 2,
        "documents pooled but not judged": 1,
    }
    assert listed(parsed(written(content, name("2007")), name("2007")).documents) == [b"b"]


def test_one_file_holds_one_topic():
    content = parsed("1 0 a 0\n2 0 b 0\n", "qrels")
    with pytest.raises(UsageError, match="has 2 topics, but a file of this form holds one"):
        written(content, name("2004"))
    files = dict(FORMATS[name("2004")].files(content))
    assert list(files) == ["done/all/topic-1/pool-1.xml", "done/all/topic-2/pool-2.xml"]
    assert [part.rows.topics for part in files.values()] == [(b"1",), (b"2",)]


def test_a_release_is_named_by_type_topic_and_pool():
    content = parsed(A2005, name("2005"))
    assert [file for file, _ in FORMATS[name("2005")].files(content)] == [
        "done/CO+S/main/topic-231/pool-52.xml"
    ]


def test_sizes_are_kept_as_numbers():
    assert elements_of(A2005).sizes.dtype == np.int64


def test_other_xml_is_told_what_else_is_read():
    with pytest.raises(FormatError, match=r"runs begin with <inex-submission>.*--collection"):
        problems("<article/>", name("2007"))
