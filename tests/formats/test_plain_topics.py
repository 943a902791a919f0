"""Topics as TREC writes them, and as lines."""

import pytest

from spanwise.errors import EmptyError, FormatError
from spanwise.formats import Reading
from spanwise.formats.registry import recognised
from spanwise.formats.topics.plain import parse_indri_topics, parse_lines, parse_trec_topics
from spanwise.model.topics import Topic

EVERYTHING = ("judgements", "preferences", "run", "topics")
TREC = b"""
<top>
<num> Number: 901
<title> tidal power

<desc> Description:
How much power
do tides give, if x < 3?

<narr> Narrative:
Numbers count.
</top>

<top>
<num>902</num><title>dunes</title><con>sand</con>
"""


def topics(parse, data, report=None):
    return list(parse(iter(data.splitlines(keepends=True)), "t.txt", Reading(report=report)))


def test_trec():
    assert topics(parse_trec_topics, TREC) == [
        Topic(
            "901",
            title="tidal power",
            description="How much power do tides give, if x < 3?",
            narrative="Numbers count.",
        ),
        Topic("902", title="dunes", others=(("con", "sand"),)),
    ]
    assert [topic.line("id") for topic in topics(parse_trec_topics, TREC)] == [2, 14]


def test_trec_problems():
    with pytest.raises(FormatError, match=r"t\.txt:1: a topic without an id"):
        topics(parse_trec_topics, b"<top>\n<title> x\n</top>\n")
    with pytest.raises(EmptyError):
        topics(parse_trec_topics, b"<top\n")


def test_lines():
    want = [Topic("1", title="tidal power"), Topic("b-2", title="dunes\tand marshes")]
    assert topics(parse_lines, b"1\ttidal power\r\n\nb-2\tdunes\tand marshes\n") == want
    assert topics(parse_lines, b"1 tidal power\n")[0] == want[0]


def test_line_problems():
    problems = []
    found = topics(parse_lines, b"1\tx\n2\n\n1\ty\n", problems.append)
    assert found == [Topic("1", title="x")]
    assert [str(problem) for problem in problems] == [
        "t.txt:2: '2' without a text; expected an id, a tab, the text",
        "t.txt:4: topic '1' a second time, first on line 1; expected one topic for each id",
    ]


INDRI = b"""<parameters>
  <query>
    <number>2009001</number>
    <text>#combine( nobel &amp; prize )</text>
  </query>
  <query><number>7</number><text>#weight(0.5 a 0.5 #1(b c))</text></query>
</parameters>
"""


def test_queries_of_indri():
    assert topics(parse_indri_topics, INDRI) == [
        Topic("2009001", title="nobel & prize"),
        Topic("7", title="#weight(0.5 a 0.5 #1(b c))"),
    ]
    assert [topic.line("id") for topic in topics(parse_indri_topics, INDRI)] == [2, 6]


def test_lines_with_blanks_are_topics_where_only_those_are_looked_for():
    assert recognised(b"2009001 nobel prize\r\n2009031 sabre\r\n", ("topics",)).name == "tsv_topics"


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (INDRI, "indri_topics"),
        (TREC, "trec_topics"),
        (b"1\ttidal power\n2\tdunes\n", "tsv_topics"),
        (b"1\t0\td\t1\n", "qrels"),
        (b"1 0 d 1\n", "qrels"),
        (b"1\tQ0\td\t1\t2.5\tx\n", "trec_run"),
        (b"1\t\n", "qrels"),
    ],
)
def test_recognised(head, name):
    assert recognised(head, EVERYTHING).name == name
