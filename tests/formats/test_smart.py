"""Queries and judgements of the old sets: each convention on a made-up file, then the real ones."""

import lzma
import tarfile

import numpy as np
import pytest

from shared_data import shared
from spanwise.errors import FormatError, SpanwiseWarning
from spanwise.formats import FORMATS, read_judgements, read_topics
from spanwise.formats.registry import recognised

QRELS = ("judgements", "preferences")


def written(folder, name, content):
    path = folder / name
    path.write_bytes(content.encode("latin-1"))
    return str(path)


def grades(judgements):
    starts = judgements.rows.starts
    return {
        (topic.decode(), document.decode()): grade
        for code, topic in enumerate(judgements.rows.topics)
        for document, grade in zip(
            judgements.documents.take(np.arange(starts[code], starts[code + 1])),
            judgements.grades[starts[code] : starts[code + 1]].tolist(),
            strict=True,
        )
    }


TOPICS = {
    "smart_topics": (".I 1\r\n.W\r\n What is\r\nsought?\r\n.N\r\n 1. Who\r\n.I 2\r\n.W\r\nMore\r\n",
                     {"1": "What is sought?", "2": "More"}),
    "cran_topics": (".I 001\n.W\nfirst\n.I 002\n.W\nsecond\n.I 004\n.W\nthird\n",
                    {"1": "first", "2": "second", "3": "third"}),
    "time_topics": ("*FIND      1\n\n NEWS OF\n\nWAR .\n\n*FIND      2\n\n PEACE .\n\n*STOP\n",
                    {"1": "NEWS OF WAR .", "2": "PEACE ."}),
    "lisa_topics": ("1\r\nI AM INTERESTED IN 5\r\nTHINGS. #\r\n2\r\nOTHERS #\r\n",
                    {"1": "I AM INTERESTED IN 5 THINGS.", "2": "OTHERS"}),
    "npl_topics": ("1\nDIELECTRIC LIQUIDS\n/\n2\nWAVE GUIDES\n/\n",
                   {"1": "DIELECTRIC LIQUIDS", "2": "WAVE GUIDES"}),
    "json_topics": ('{"_id": "a b", "text": "what is it", "m": {}}\n{"_id": 7, "text": "x"}\n',
                    {"a b": "what is it", "7": "x"}),
}  # fmt: skip


@pytest.mark.parametrize("name", TOPICS)
def test_queries_are_recognised_and_read(name, tmp_path):
    content, texts = TOPICS[name]
    path = written(tmp_path, "q", content)
    assert recognised(content.encode(), ("topics",)).name == name
    assert {topic.id: topic.title for topic in read_topics(path)} == texts


def test_what_else_is_said_of_a_query_is_kept(tmp_path):
    topic = read_topics(written(tmp_path, "q", TOPICS["smart_topics"][0]))["1"]
    assert topic.others == (("N", "1. Who"),)
    assert topic.line("id") == 1


def test_fields_of_json_topics_are_kept(tmp_path):
    line = (
        '{"_id": "1", "text": "x", "kind": "law", "metadata": {"hop": 2, "kind": "-"}, "of": []}\n'
    )
    topic = read_topics(written(tmp_path, "q", line))["1"]
    assert dict(topic.others) == {"kind": "law", "hop": "2"}


def test_numbers_of_queries_that_are_not_padded_are_their_ids(tmp_path):
    path = written(tmp_path, "q", ".I 3\n.W\nx\n.I 7\n.W\ny\n")
    assert [topic.id for topic in read_topics(path)] == ["3", "7"]
    assert [topic.id for topic in read_topics(path, "cran_topics")] == ["1", "2"]


JUDGEMENTS = {
    "smart_qrels": ("01 1410  0 0\n01 0572  0 0\n     2     28\t0\t0.000000\r\n",
                    {("1", "1410"): 1, ("1", "572"): 1, ("2", "28"): 1}),
    "cran_qrels": ("1 184 2 \n1 29 1\n1 31 4\n2 12 3\n2 14 -1\n2 15 5\n",
                   {("1", "184"): 3, ("1", "29"): 4, ("1", "31"): 1,
                    ("2", "12"): 2, ("2", "14"): -1, ("2", "15"): 0}),
    "time_qrels": ("1  268 288\n\n2  326\n\n3   61 155 156\n",
                   {("1", "268"): 1, ("1", "288"): 1, ("2", "326"): 1,
                    ("3", "61"): 1, ("3", "155"): 1, ("3", "156"): 1}),
    "npl_qrels": ("1\n 1239  1502\n 7923\n   /\n2\n  414\n   /\n",
                  {("1", "1239"): 1, ("1", "1502"): 1, ("1", "7923"): 1, ("2", "414"): 1}),
    "lisa_qrels": ("Query 1\r\n2 Relevant Refs:\r\n3392 3396 -1\r\n\r\n"
                   "Query 2\r\n3 Relevant Refs:\r\n1 2\r\n3 -1\r\n",
                   {("1", "3392"): 1, ("1", "3396"): 1,
                    ("2", "1"): 1, ("2", "2"): 1, ("2", "3"): 1}),
    "lisa_num_qrels": ("           1           2        3392        3396\r\n"
                       "           2           3           1           2\r\n           3   \r\n",
                       {("1", "3392"): 1, ("1", "3396"): 1,
                        ("2", "1"): 1, ("2", "2"): 1, ("2", "3"): 1}),
}  # fmt: skip


guessed_codes = pytest.mark.filterwarnings("ignore:.*three columns, read as Cranfield codes")


@guessed_codes
@pytest.mark.parametrize("name", JUDGEMENTS)
def test_judgements_are_recognised_and_read_in_their_convention(name, tmp_path):
    content, expected = JUDGEMENTS[name]
    assert recognised(content.encode(), QRELS).name == name
    assert grades(read_judgements(written(tmp_path, "r", content))) == expected


@pytest.mark.parametrize(
    "content",
    ["1 0 13 1\n1 0 14 0\n", "1 0 d1 0\n1 0 d2 0\n", "1 0 0 1\n", "1 0 5 0\n2 0 7 0\n3 1 9 0\n"],
)
def test_ordinary_judgements_stay_ordinary(content):
    assert recognised(content.encode(), QRELS).name == "qrels"


def test_three_columns_are_said_to_be_codes_unless_somebody_said_so_before(tmp_path):
    path = written(tmp_path, "r", "1 184 2\n1 29 1\n")
    with pytest.warns(SpanwiseWarning, match="Cranfield codes, of which 1 is"):
        guessed = grades(read_judgements(path))
    assert (
        guessed == grades(read_judgements(path, "cran_qrels")) == {("1", "184"): 3, ("1", "29"): 4}
    )


def test_codes_in_the_columns_of_trec_have_to_be_named(tmp_path):
    path = written(tmp_path, "r", "1 0 184 2\n1 0 29 1\n1 0 13 -1\n")
    assert grades(read_judgements(path)) == {("1", "184"): 2, ("1", "29"): 1, ("1", "13"): -1}
    forced = grades(read_judgements(path, "cran_qrels"))
    assert forced == {("1", "184"): 3, ("1", "29"): 4, ("1", "13"): -1}


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("cran_qrels", "1 184 2\n1 29 6\n", "r:2: code '6'; expected 1 to 5, or -1"),
        ("cran_qrels", "1 184\n", "r:1: 2 columns; expected 3 columns"),
        ("smart_qrels", "1\n", "r:1: 1 column; expected 4 columns"),
        ("cran_qrels", "1 184 2\n1 184 3\n", "r:2: document '184' of topic '1' a second time"),
        ("lisa_num_qrels", "1 x 3\n", "r:1: 'x'; expected a count of relevant documents"),
        ("time_qrels", "1\n", "no judged documents"),
    ],
)
def test_what_a_convention_does_not_allow_is_named(name, content, message, tmp_path):
    with pytest.raises(FormatError, match=message):
        read_judgements(written(tmp_path, "r", content), name)


def test_a_list_of_lisa_without_its_query_is_left_out_and_said(tmp_path):
    damaged = "Query 1\n3 Relevant Refs:\n5 6\n1 Relevant Refs:\n7 -1\n\n"
    content = damaged + "Query 3\n1 Relevant Refs:\n8 -1\n"
    path = written(tmp_path, "r", content)
    with (
        pytest.warns(SpanwiseWarning, match="r:1: query 1: 3 documents stated, 2 found"),
        pytest.warns(SpanwiseWarning, match="r:4: 1 documents of a query that is not named"),
    ):
        assert grades(read_judgements(path)) == {("1", "5"): 1, ("1", "6"): 1, ("3", "8"): 1}


STORIES = """<!DOCTYPE lewis SYSTEM "lewis.dtd">
<REUTERS TOPICS="YES" LEWISSPLIT="TRAIN" CGISPLIT="TRAINING-SET" OLDID="9" NEWID="1">
<TOPICS><D>cocoa</D><D>coffee</D></TOPICS><PLACES><D>brazil</D></PLACES><PEOPLE></PEOPLE>
<ORGS></ORGS><EXCHANGES></EXCHANGES><TEXT><BODY>x</BODY></TEXT></REUTERS>
<REUTERS TOPICS="BYPASS" LEWISSPLIT="TEST" CGISPLIT="PUBLISHED-TESTSET" OLDID="10" NEWID="2">
<TOPICS><D>cocoa</D></TOPICS><PLACES></PLACES><PEOPLE><D>lawson</D></PEOPLE><TEXT></TEXT></REUTERS>
"""


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("reuters_topics", {("cocoa", "1"), ("coffee", "1"), ("cocoa", "2")}),
        ("reuters_places", {("brazil", "1")}),
        ("reuters_people", {("lawson", "2")}),
        ("reuters_orgs", set()),
        ("reuters_modapte_train", {("cocoa", "1"), ("coffee", "1")}),
        ("reuters_modapte_test", set()),
        ("reuters_modlewis_test", set()),
        ("reuters_modhayes_test", {("cocoa", "2")}),
    ],
)
def test_categories_of_reuters_are_topics(name, expected, tmp_path):
    path = written(tmp_path, "r.sgm", STORIES)
    assert recognised(STORIES.encode(), QRELS).name == "reuters_topics"
    assert set(grades(read_judgements(path, name))) == expected


# The sets themselves -----------------------------------------------------------------------------

FILES = {
    "adi": ("ADI.QRY", 35, "ADI.REL", 170, 35),
    "cacm": ("query.text", 64, "qrels.text", 796, 52),
    "cisi": ("CISI.QRY", 112, "CISI.REL", 3114, 76),
    "cran": ("cran.qry", 225, "cran.qrels", 1837, 225),
    "med": ("MED.QRY", 30, "MED.REL", 696, 30),
    "time": ("TIME.QUE", 83, "TIME.REL", 324, 83),
    "lisa": ("LISA.QUE", 35, "LISARJ.NUM", None, 35),
    "npl": ("query-text", 93, "rlv-ass", None, 93),
}


def unpacked(name, folder):
    archive = shared("data", "collections", "smart", f"{name}.tar.xz")
    with lzma.open(archive) as stream, tarfile.open(fileobj=stream) as tar:
        tar.extractall(folder, filter="data")
    return next(path for path in folder.rglob(FILES[name][0])).parent


@guessed_codes
@pytest.mark.parametrize("name", FILES)
def test_the_sets_have_as_many_queries_and_judgements_as_is_known(name, tmp_path):
    folder = unpacked(name, tmp_path)
    queries, topics, judged, pairs, judged_topics = FILES[name]
    assert len(read_topics(folder / queries)) == topics
    judgements = read_judgements(folder / judged)
    assert len(judgements.rows.topics) == judged_topics
    assert pairs in (None, len(judgements.rows))
    assert set(judgements.rows.topics) <= {t.id.encode() for t in read_topics(folder / queries)}


def test_literally_read_grades_make_nothing_relevant_but_ours_do(tmp_path):
    path = unpacked("cacm", tmp_path) / "qrels.text"
    assert set(grades(read_judgements(path)).values()) == {1}
    assert not read_judgements(path, "qrels").grades.any()


@pytest.mark.parametrize(
    ("name", "stories"),
    [("reuters_modapte_train", 7775), ("reuters_modapte_test", 3019), ("reuters_topics", 11367)],
)
def test_the_splits_of_reuters_have_the_sizes_that_are_known(name, stories, tmp_path):
    archive = shared("data", "collections", "reuters", "reuters21578.tar.xz")
    with tarfile.open(archive) as tar:
        tar.extractall(tmp_path, filter="data")
    judgements = read_judgements(tmp_path / "reuters21578", name)
    assert judgements.documents.distinct() == stories


def test_every_convention_describes_itself():
    names = [*TOPICS, *JUDGEMENTS, *(name for name in FORMATS if name.startswith("reuters"))]
    assert all(FORMATS[name].description for name in names)
