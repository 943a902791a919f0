"""Topic files of all years, written again, and broken ones."""

from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared_data import shared
from spanwise.errors import (
    EmptyError,
    FormatError,
    InputError,
    SpanwiseWarning,
)
from spanwise.formats import Reading, read_topics
from spanwise.formats.registry import recognised
from spanwise.formats.topics.inex import looks_like_topics, parse_topics, write_topics
from spanwise.formats.topics.nexi import parse as parse_nexi
from spanwise.model.topics import Context, Topic, Topics

EVERYTHING = ("judgements", "preferences", "run", "topics")

OF_2002 = """<?xml version="1.0" encoding="ISO-8859-1"?>
<!DOCTYPE INEX-Topic SYSTEM "inex-topics.dtd">
<INEX-Topic topic-id="07" query-type="CAS" ct-no="031">
<Title>
<te>article, sec</te>
<cw>tidal power</cw> <ce>bdy/sec</ce>
<cw>1997 2001</cw> <ce>hdr//yr</ce>
<cw>-nuclear</cw>
</Title>
<Description>Power from tides.</Description>
<Narrative>Anything on plants
that were built.</Narrative>
<Keywords>tide, turbine</Keywords>
</INEX-Topic>
"""

OF_2003 = """<?xml version="1.0" encoding="ISO-8859-1"?>
<!DOCTYPE inex_topic SYSTEM "topic.dtd">
<inex_topic topic_id="901" query_type="CAS" ct_no="12">
<title>
  //article[(./fm//yr = '1997' OR ./fm//yr = '2001') AND about(.,
    '"tidal power station"')]//sec[about(.,'turbine
      +corrosion')]
</title>
<description>Corrosion of turbines in tidal power stations, in two years.</description>
<narrative>
  Sections on corrosion count if the article is on tidal power
  and appeared in 1997 or 2001.
</narrative>
<keywords>tidal power, turbine, salt water</keywords>
</inex_topic>
"""

OF_2005 = """<inex_topic topic_id="951" query_type="CO+S" ct_no="3">
<InitialTopicStatement>How are sea walls tested?</InitialTopicStatement>
<title>sea walls</title>
<castitle>//article//sec[about(., "sea wall" test)]</castitle>
<parent>950</parent>
<description>Tests.</description>
<narrative>All of them.</narrative>
</inex_topic>
"""

OF_2006 = """<topics>
<inex_topic topic_id="961" query_type="CO+S" ct_no="4"><title>dunes</title>
<castitle/><mmtitle>//figure[about(., dunes)]</mmtitle>
<ontopic_keywords>sand</ontopic_keywords><offtopic_keywords>deserts</offtopic_keywords>
</inex_topic>
<inex_topic topic_id="962"><title>marsh</title></inex_topic>
</topics>
"""

OF_2009 = """<?xml version="1.0"?>
<!DOCTYPE inex-topic-file [
<!ENTITY  lt      "lessthan">
<!ENTITY  amp     "ampersand">
<!ELEMENT inex-topic-file (topic+)>
]>
<inex-topic-file>
<topic id="9999001" ct_no="1">
  <title>solar panels "building code" -satellite</title>
  <castitle>//article[.//yr &lt; 1999]//sec[about(., "building code" -satellite)]</castitle>
  <phrasetitle>"building code"</phrasetitle>
  <description>R&amp;D</description>
  <narrative><![CDATA[Roofs < walls.]]></narrative>
</topic>
</inex-topic-file>
"""

EFFICIENCY = """<inex-efficiency>
<topic ct_no="5" id="2009-Eff-001" type="B"><title>reef</title>
<castitle>//sec[about(., reef)]</castitle>
<xpath_title>//sec[. ftcontains "reef"]</xpath_title><hint>coral</hint></topic>
</inex-efficiency>
"""


def read(data, report=None):
    data = data.encode("latin-1") if isinstance(data, str) else data
    return parse_topics(iter([data]), "t.xml", Reading(report=report))


class TestYears:
    def test_2002(self):
        (topic,) = read(OF_2002)
        assert topic == Topic(
            "07",
            title="tidal power 1997 2001 -nuclear",
            description="Power from tides.",
            narrative="Anything on plants\nthat were built.",
            keywords="tide, turbine",
            query_type="CAS",
            ct_no="031",
            targets=("article, sec",),
            contexts=(
                Context("tidal power", "bdy/sec"),
                Context("1997 2001", "hdr//yr"),
                Context("-nuclear"),
            ),
        )
        assert topic.structured is None

    def test_2002_context_without_words(self):
        (topic,) = read('<INEX-Topic topic-id="1"><Title>a<ce>x</ce></Title></INEX-Topic>')
        assert (topic.title, topic.contexts) == ("a", (Context("", "x"),))

    def test_2003(self):
        (topic,) = read(OF_2003)
        assert (topic.id, topic.query_type, topic.ct_no) == ("901", "CAS", "12")
        assert topic.keywords == "tidal power, turbine, salt water"
        assert topic.structured == "title"
        tree = parse_nexi(topic.title, legacy=True)
        assert str(tree).startswith("//article[(./fm//yr = '1997' or ./fm//yr = '2001') and about(")
        assert topic.narrative.startswith("Sections on")
        assert topic.narrative.endswith("1997 or 2001.")

    def test_2005(self):
        (topic,) = read(OF_2005)
        assert topic.initial_statement == "How are sea walls tested?"
        assert topic.castitle == '//article//sec[about(., "sea wall" test)]'
        assert topic.parent == "950"
        assert topic.keywords is None

    def test_2006_several_in_one(self):
        first, second = read(OF_2006)
        assert first.mmtitle == "//figure[about(., dunes)]"
        assert (first.ontopic_keywords, first.offtopic_keywords) == ("sand", "deserts")
        assert first.castitle == ""
        assert second == Topic("962", title="marsh")

    def test_files_joined_to_one(self):
        assert [topic.id for topic in read(OF_2003 + OF_2002 + OF_2005)] == ["901", "07", "951"]

    def test_2009(self):
        (topic,) = read(OF_2009)
        assert topic.castitle.startswith("//article[.//yr < 1999]")
        assert topic.phrasetitle == '"building code"'
        assert (topic.description, topic.narrative) == ("R&D", "Roofs < walls.")

    def test_efficiency(self):
        (topic,) = read(EFFICIENCY)
        assert (topic.id, topic.query_type) == ("2009-Eff-001", "B")
        assert topic.xpath_title == '//sec[. ftcontains "reef"]'
        assert topic.others == (("hint", "coral"),)

    def test_efficiency_by_the_names_of_its_runs(self):
        renamed = EFFICIENCY.replace("castitle", "cas_title").replace("<title", "<co_title")
        (topic,) = read(renamed.replace("</title", "</co_title"))
        assert (topic.title, topic.castitle) == ("reef", "//sec[about(., reef)]")

    def test_the_real_file(self):
        topics = read_topics(shared("data", "inex", "topics", "INEX-2009-topics.xml"))
        assert len(topics) == 115
        assert [topics.topics[0].id, topics.topics[-1].id] == ["2009001", "2009115"]
        assert topics["2009006"].title == "opera singer italian spanish -soprano"
        for topic in topics:
            assert all((topic.title, topic.castitle, topic.description, topic.narrative))
            assert topic.others == ()


@pytest.mark.parametrize("data", [OF_2002, OF_2003, OF_2005, OF_2006, OF_2009, EFFICIENCY])
class TestEveryYear:
    def test_recognised(self, data):
        assert recognised(data.encode(), EVERYTHING).name == "inex_topics"

    def test_written_and_read(self, data):
        topics = read(data)
        assert read(b"".join(write_topics(topics))) == topics


@pytest.mark.parametrize(
    "head",
    [
        '<inex-submission><topic topic-id="1"><result/></topic><title/></inex-submission>',
        '<efficiency-submission><topic id="1"><title>x</title></topic></efficiency-submission>',
        '<assessments><topic id="1"/></assessments>',
        "<article><title>x</title></article>",
        "1 0 d 1\n",
        "<topic",
    ],
)
def test_other_files_are_not_recognised(head):
    assert not looks_like_topics(head.encode())


class TestLines:
    def test_where_fields_begin(self):
        (topic,) = read(OF_2003)
        assert topic.lines == {
            "id": 3,
            "query_type": 3,
            "ct_no": 3,
            "title": 5,
            "description": 9,
            "narrative": 11,
            "keywords": 14,
        }
        assert topic.line("title", topic.title.index("+corrosion")) == 7

    def test_in_a_later_document(self):
        assert [topic.line("id") for topic in read(OF_2003 + OF_2003.replace("901", "902"))] == [
            3,
            18,
        ]


class TestProblems:
    @pytest.mark.parametrize(
        ("data", "message"),
        [
            ("<topics>\n<topic/></topics>", "t.xml:2: a topic without an id"),
            (
                '<x>\n<topic id="1"/>\n<topic id="1"/></x>',
                "t.xml:3: topic '1' a second time, first on line 2; expected one topic for each id",
            ),
            (
                '<topic id="1"><title>a</title>\n<title>b</title></topic>',
                "t.xml:2: a second <title> in one topic; expected one of each",
            ),
            ("<topics/>", "t.xml: no topics; expected at least one topic"),
            ("<topic id='1'>\n<title></topic>", "t.xml:2: not well-formed XML"),
            ('<!DOCTYPE topic [<!ENTITY a "b">]><topic/>', "t.xml:1: a declaration of the entity"),
        ],
    )
    def test_raised(self, data, message):
        with pytest.raises(FormatError) as caught:
            read(data)
        assert str(caught.value).startswith(message)

    def test_reported_one_by_one(self):
        problems = []
        data = '<x><topic/><topic id="1"><title/><title>b</title></topic>\n<topic id="1"/></x>'
        topics = read(data, problems.append)
        assert [topic.id for topic in topics] == ["1"]
        assert sorted(problem.found[:10] for problem in problems) == [
            "a second <",
            "a topic wi",
            "topic '1' ",
        ]

    def test_markup_in_fields_is_said(self):
        data = '<topic id="1"><narrative><p>one</p><p>two <i>three</i></p></narrative></topic>'
        with pytest.warns(SpanwiseWarning, match="read as their text: 3"):
            (topic,) = read(data)
        assert topic.narrative.split() == ["one", "two", "three"]

    def test_attributes_of_fields_are_said(self):
        with pytest.warns(SpanwiseWarning, match="attributes of fields, ignored: 1"):
            read('<topic id="1"><hint weight="2">x</hint></topic>')

    def test_stray_text_is_said(self):
        with pytest.warns(SpanwiseWarning, match="outside fields, ignored, first on line 2"):
            read('<x>\nx<topic id="1">y</topic></x>')

    def test_no_topics_is_an_empty_file(self):
        with pytest.raises(EmptyError):
            read("<topics/>")


texts = st.none() | st.text(st.sampled_from("<>&\"' \r\n\té]a")).map(str.strip)
NO_TEXTS = ("id", "targets", "contexts", "others", "lines")
stated_texts = st.fixed_dictionaries(
    {field.name: texts for field in fields(Topic) if field.name not in NO_TEXTS}
)


class TestWriting:
    def test_layout(self):
        topic = Topic("7", title='R&D < "x"', castitle="//a", ct_no="1", others=(("@b", "2"),))
        assert b"".join(write_topics(Topics("", (topic,)))).decode() == (
            '<?xml version="1.0" encoding="UTF-8"?>\n<inex-topic-file>\n'
            '<topic id="7" ct_no="1" b="2">\n'
            '  <title>R&amp;D &lt; "x"</title>\n  <castitle>//a</castitle>\n</topic>\n'
            "</inex-topic-file>\n"
        )

    @pytest.mark.parametrize("character", ["\x01", "\udcff", "\ufffe"])
    def test_what_xml_cannot_hold(self, character):
        with pytest.raises(InputError, match="topic '7': XML cannot hold the character"):
            list(write_topics(Topics("", (Topic("7", title=character),))))

    @given(stated_texts)
    def test_reading_undoes_writing(self, stated):
        topics = Topics("t.xml", (Topic("1", **stated),))
        assert read(b"".join(write_topics(topics))) == topics


class TestFolders:
    def test_one_topic_a_file(self, tmp_path):
        (tmp_path / "b.xml").write_text(OF_2003)
        (tmp_path / "a.xml").write_text(OF_2005)
        topics = read_topics(tmp_path)
        assert [topic.id for topic in topics] == ["951", "901"]
        assert read_topics(topics) is topics

    def test_the_same_topic_twice(self, tmp_path):
        for name in ("a.xml", "b.xml"):
            (tmp_path / name).write_text(OF_2005)
        with pytest.raises(FormatError) as caught:
            read_topics(tmp_path)
        line = 1 + OF_2005[: OF_2005.index("<inex_topic ")].count("\n")
        assert str(caught.value) == (
            f"{tmp_path}/b.xml:{line}: topic '951' a second time, first in {tmp_path}/a.xml;"
            " expected one topic for each id"
        )
