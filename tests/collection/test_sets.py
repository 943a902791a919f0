"""Files that hold many documents, each in the manner of its set; all texts are made up."""

import json
import tarfile

import pytest

from collections_by_hand import stored
from shared_data import shared
from spanwise.collection.building import Plan, build
from spanwise.collection.parsing import readable, well_formed
from spanwise.collection.store import Store
from spanwise.errors import InputError, SpanwiseWarning

SMART = """.I 1
.T
on wings
.A
miller,a.
.W
on wings
  lift & drag < thrust .
.X
1\t5\t1
.I 2
.W
no title here
"""
LISA = """Document    1
A TITLE:
IN TWO LINES.
{}
THE ABSTRACT.
********************************************
Document    2
ONLY A TITLE.
********************************************
""".format("     ")
NPL = "1\ncompact memories\nare described\n   /\n2\nother things\n   /\n"
TIME = """*TEXT 017 01/04/63 PAGE 020

THE FIRST

STORY .

*TEXT 020 01/04/63 PAGE 021

THE SECOND .

*STOP
"""
REUTERS = """<!DOCTYPE lewis SYSTEM "lewis.dtd">
<REUTERS TOPICS="YES" LEWISSPLIT="TRAIN" CGISPLIT="TRAINING-SET" OLDID="9" NEWID="1">
<TOPICS><D>cocoa</D></TOPICS>
<TEXT>&#2;
<TITLE>PRICES RISE &lt;ABC></TITLE>
<DATELINE>    ROME, Feb 26 - </DATELINE><BODY>Beans &amp; bags.
 Reuter
&#3;</BODY></TEXT>
</REUTERS>
<REUTERS TOPICS="NO" LEWISSPLIT="TEST" CGISPLIT="TRAINING-SET" OLDID="10" NEWID="2">
<TEXT TYPE="UNPROC">&#2;
no parts at all
&#3;</TEXT>
</REUTERS>
"""
TREC = """<DOC>
<DOCNO> AP-1.0 </DOCNO>
<HEAD>Fish & Chips</HEAD>
<TEXT>
<P>one
<P>two <B>bold</P>
</TEXT>
</DOC>
<DOC>
<DOCNO>AP-2.0</DOCNO>
<TEXT>three</TEXT>
</DOC>
"""
BEIR = "".join(
    json.dumps(line) + "\n"
    for line in (
        {"_id": "d.1", "title": "A title", "text": "Its text & more", "metadata": {"url": "x"}},
        {"_id": "d.2", "title": "", "text": "Only text"},
    )
)
CASES = {
    "smart": ("tiny.all", SMART, {"1": "on wings\nlift & drag < thrust .", "2": "no title here"}),
    "lisa": (
        "TINY.001",
        LISA,
        {"1": "A TITLE:\nIN TWO LINES.\nTHE ABSTRACT.", "2": "ONLY A TITLE."},
    ),
    "npl": ("doc-text", NPL, {"1": "compact memories\nare described", "2": "other things"}),
    "time": ("TINY.ALL", TIME, {"1": "THE FIRST\nSTORY .", "2": "THE SECOND ."}),
    "reuters": (
        "reut2-000.sgm",
        REUTERS,
        {"1": "PRICES RISE <ABC>\nROME, Feb 26 -\nBeans & bags.\n Reuter", "2": "no parts at all"},
    ),
    "trec": ("ap880212", TREC, None),
    "jsonl": ("corpus.jsonl", BEIR, {"d.1": "A title\nIts text & more", "d.2": "Only text"}),
}


def built(folder, path):
    build([str(path)], str(folder / "store"), Plan())
    return Store(str(folder / "store"))


@pytest.mark.parametrize("kind", CASES)
def test_a_file_of_many_documents_is_recognised_and_taken_apart(kind, tmp_path):
    name, content, texts = CASES[kind]
    (tmp_path / name).write_text(content)
    store = built(tmp_path, tmp_path / name)
    if texts is not None:
        assert {d.name: store.text(d.name) for d in store.documents()} == texts


def test_documents_of_trec_keep_their_elements_and_lose_their_number(tmp_path):
    (tmp_path / "ap").write_text(TREC)
    store = built(tmp_path, tmp_path / "ap")
    assert [d.name for d in store.documents()] == ["AP-1.0", "AP-2.0"]
    start, length = store.span("AP-1.0", "/doc[1]/text[1]/p[1]/p[1]/b[1]")
    assert store.text("AP-1.0", start, length) == "bold"
    assert "AP-1" not in store.text("AP-1.0")
    assert "Fish & Chips" in store.text("AP-1.0")


def test_the_elements_of_a_smart_document_are_title_and_text(tmp_path):
    (tmp_path / "tiny.all").write_text(SMART.replace("\n", "\r\n"))
    store = built(tmp_path, tmp_path / "tiny.all")
    paths = [element.path for element in store.elements("1")]
    assert paths == ["/doc[1]", "/doc[1]/title[1]", "/doc[1]/text[1]"]


def test_a_sentence_that_begins_with_the_words_of_the_title_keeps_them(tmp_path):
    record = ".I 1\n.T\nThe Grid\n.W\nThe Grid is a method .\n"
    (tmp_path / "tiny.all").write_text(record)
    store = built(tmp_path, tmp_path / "tiny.all")
    assert store.text("1") == "The Grid\nThe Grid is a method ."


def test_what_lies_beside_the_documents_of_a_set_is_left_out_and_said(tmp_path):
    folder = tmp_path / "tiny"
    folder.mkdir()
    (folder / "tiny.all").write_text(SMART)
    (folder / "tiny.qry").write_text(".I 1\n.W\nwhich wings\n")
    (folder / "tiny.trec").write_text(TREC)
    (folder / "README").write_text("read me\n")
    with pytest.warns(SpanwiseWarning, match=r"ignored: README, tiny\.qry, tiny\.trec"):
        store = built(tmp_path, folder)
    assert [d.name for d in store.documents()] == ["1", "2"]


def test_the_queries_of_a_beir_folder_are_no_documents(tmp_path):
    folder = tmp_path / "tiny"
    folder.mkdir()
    (folder / "corpus.jsonl").write_text(BEIR)
    (folder / "queries.jsonl").write_text('{"_id": "q1", "text": "what"}\n')
    with pytest.warns(SpanwiseWarning, match=r"ignored: queries\.jsonl"):
        assert len(built(tmp_path, folder)) == 2


def test_a_set_in_an_archive_is_recognised(tmp_path):
    (tmp_path / "tiny.all").write_text(SMART)
    with tarfile.open(tmp_path / "tiny.tar.xz", "w:xz") as archive:
        archive.add(tmp_path / "tiny.all", "tiny/tiny.all")
    store = built(tmp_path, tmp_path / "tiny.tar.xz")
    assert [d.name for d in store.documents()] == ["1", "2"]


def test_a_document_that_comes_again_is_left_out_and_said(tmp_path):
    folder = tmp_path / "lisa"
    folder.mkdir()
    (folder / "LISA0.001").write_text(LISA)
    (folder / "LISA0.002").write_text(LISA.replace("Document    1", "Document    3"))
    with pytest.warns(SpanwiseWarning, match="1 duplicate documents, ignored: 2"):
        assert [d.name for d in built(tmp_path, folder).documents()] == ["1", "2", "3"]


@pytest.mark.parametrize(
    ("line", "message"),
    [('{"_id": "1"}', "no id or no text"), ("{'_id'}", "not JSON"), ("[1]", "no id")],
)
def test_a_broken_line_of_a_corpus_is_named(line, message, tmp_path):
    path = tmp_path / "corpus.jsonl"
    path.write_text('{"_id": "0", "text": "fine"}\n' + line + "\n")
    with pytest.raises(InputError, match=rf"corpus\.jsonl:2: .*{message}"):
        built(tmp_path, path)


def test_a_document_without_a_number_is_an_error(tmp_path):
    (tmp_path / "ap").write_text(TREC + "<DOC><TEXT>nobody</TEXT></DOC>")
    with pytest.raises(InputError, match="a document without an id"):
        built(tmp_path, tmp_path / "ap")


def test_html_that_says_it_is_xml_is_read_as_xml_if_it_is(tmp_path):
    said = "<?xml version='1.0'?><html><svg:G xmlns:svg='s'>x</svg:G><p>one"
    documents = {"a.html": f"{said}<br/></p></html>", "b.html": f"{said}<br></html>"}
    store = stored(tmp_path, documents)
    paths = {name: [e.path for e in store.elements(name)] for name in "ab"}
    assert paths["a"] == [
        "/html[1]",
        "/html[1]/svg:G[1]",
        "/html[1]/p[1]",
        "/html[1]/p[1]/br[1]",
    ]
    assert paths["b"] == ["/html[1]", "/html[1]/p[1]", "/html[1]/p[1]/br[1]"]


def test_html_files_are_tag_soup(tmp_path):
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "a.html").write_bytes(
        b"<!DOCTYPE html><html><head><title>T &amp; U</title><script>x < 1</script></head>"
        b"<body><ul><li>one<li>two</ul><p>caf\xe9<p>last<br>line</body></html>"
    )
    (folder / "b.txt").write_text("plain <text>")
    store = built(tmp_path, folder)
    assert store.text("a") == "T & Uonetwocafélastline"
    assert "/html[1]/body[1]/ul[1]/li[2]" in [e.path for e in store.elements("a")]
    assert "/html[1]/body[1]/p[2]/br[1]" in [e.path for e in store.elements("a")]
    assert store.text("b") == "plain <text>"


@pytest.mark.parametrize(
    ("soup", "kind", "xml"),
    [
        (b"<p>a<p>b", "html", b"<html><p>a</p><p>b</p></html>"),
        (b"<P>a<P>b", "sgml", b"<p>a<p>b</p></p>"),
        (b"a</b>c", "html", b"<html>ac</html>"),
        (b"<a>x</a><a>y</a>", "sgml", b"<doc><a>x</a><a>y</a></doc>"),
        (
            b"<table><tr><td>1<td>2<tr><td>3</table>",
            "html",
            b"<table><tr><td>1</td><td>2</td></tr><tr><td>3</td></tr></table>",
        ),
        (b"<i>x<b>y</i>z", "html", b"<html><i>x<b>y</b></i>z</html>"),
        (b"<source>LA Times</source>", "sgml", b"<source>LA Times</source>"),
        (b"1 < 2 & 3", "sgml", b"<doc>1 &lt; 2 &amp; 3</doc>"),
        (b"", "html", b"<html></html>"),
    ],
)
def test_soup_becomes_well_formed(soup, kind, xml):
    assert well_formed(soup, kind) == xml


def test_soup_is_never_nested_too_deep(tmp_path):
    (tmp_path / "deep.html").write_bytes(b"<div>" * 5000 + b"end")
    assert built(tmp_path, tmp_path / "deep.html").text("deep") == "end"


@pytest.mark.parametrize(
    ("page", "encoding"),
    [
        ("\ufeff<p>é漢</p>", "utf-16-le"),
        ("\ufeff<p>é漢</p>", "utf-16-be"),
        ("<p>é漢</p>", "utf-16-le"),
        ("\ufeff<p>é漢</p>", "utf-8"),
        ('<meta charset="gb18030"><p>é漢</p>', "gb18030"),
        ("<META http-equiv=x content='text/html; charset=Shift_JIS'><p>ж漢</p>", "shift_jis"),
        ('<meta charset="gb18030"><p>é漢</p>', "utf-8"),
        ('<meta charset="no-such"><p>éà</p>', "latin-1"),
        ('<meta charset="hex"><p>éà</p>', "latin-1"),
        ("<p>éà</p>", "latin-1"),
    ],
)
def test_a_page_is_read_in_its_own_encoding(page, encoding):
    text = page.partition("<p>")[2].partition("</p>")[0]
    assert f"<p>{text}</p>".encode() in well_formed(page.encode(encoding), "html")


def test_bytes_that_are_not_utf8_are_latin1():
    assert readable(b"na\xefve\r\nx\x00y") == "naïve\nx y"


@pytest.mark.parametrize(
    ("name", "documents"),
    [
        *(("adi", 82), ("cacm", 3204), ("cisi", 1460), ("cran", 1400)),
        *(("lisa", 5999), ("med", 1033), ("npl", 11429), ("time", 423)),
    ],
)
@pytest.mark.filterwarnings("ignore::spanwise.errors.SpanwiseWarning")
def test_the_sets_themselves(name, documents, tmp_path):
    path = shared("data", "collections", "smart", f"{name}.tar.xz")
    assert len(built(tmp_path, path)) == documents


def test_reuters_itself(tmp_path):
    path = shared("data", "collections", "reuters", "reuters21578.tar.xz")
    store = built(tmp_path, path)
    assert len(store) == 21578
    assert all(str(n) in store for n in (1, 10000, 21578))
