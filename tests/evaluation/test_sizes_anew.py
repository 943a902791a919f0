"""`spanwise convert --sizes collection`: sizes are computed only where somebody asks for it."""

import json

import pytest

DOCUMENT = "<a><s><p>tides rise</p><p>and fall</p></s><s>of cakes</s></a>"
JUDGED = """\
<assessments pool="4" topic="9" version="2">
<file name="a1">
<passage start="/a[1]/s[1]/p[1]/text()[1].6" end="/a[1]/s[1]/p[2]" size="99"/>
<element path="/a[1]" exhaustivity="2" size="99" rsize="98"/>
<element path="/a[1]/s[1]/p[1]" exhaustivity="1" size="97" rsize="96"/>
<element path="/a[1]/x[1]" exhaustivity="1" size="95" rsize="94"/>
</file>
<file name="gone"><passage start="/a[1]" end="/a[1]" size="7"/></file>
</assessments>
"""


@pytest.fixture
def judged(folder):
    (folder / "documents").mkdir()
    (folder / "documents" / "a1.xml").write_text(DOCUMENT)
    (folder / "judged.xml").write_text(JUDGED)


def sizes(answer):
    """Of passages and of elements, document by document."""
    said = [json.loads(line) for line in answer.out.splitlines()[1:]]
    return [
        (
            [span["size"] for span in one["spans"] if "size" in span],
            [(element["size"], element["rsize"]) for element in one.get("elements", [])],
        )
        for one in said
        if "doc" in one
    ]


def test_sizes_stay_as_stated(judged, ask):
    answer = ask("convert", "judged.xml", "-", "--to", "span_qrels", "--collection", "documents")
    assert sizes(answer) == [([99], [(99, 98), (97, 96), (95, 94)]), ([7], [])]


def test_sizes_are_computed_on_request(judged, ask):
    """`rise` and `and fall` are 4 + 8 characters of 10 + 8 + 8; what is not there stays."""
    words = ("convert", "judged.xml", "-", "--to", "span_qrels", "--collection", "documents")
    answer = ask(*words, "--sizes", "collection")
    assert sizes(answer) == [([12], [(26, 12), (10, 4), (95, 94)]), ([7], [])]
    assert "documents whose sizes stay as they are stated" in answer.err
    assert "the file's are used" not in answer.err


def test_offsets_get_the_lengths_of_their_documents(judged, folder, ask):
    (folder / "judged.qrels").write_text("9 Q0 a1 40 77 0 0:4 6:4\n")
    words = ("convert", "judged.qrels", "-", "--to", "inex_qrels", "--collection", "documents")
    assert ask(*words).text == "9 Q0 a1 40 77 0 0:4 6:4\n"
    assert ask(*words, "--sizes", "collection").text == "9 Q0 a1 8 26 0 0:4 6:4\n"


def test_it_needs_judgements_and_documents(judged, ask):
    answer = ask("convert", "judged.xml", "-", "--to", "qrels", "--sizes", "collection")
    assert (answer.status, answer.out) == (2, b"")
    assert "needs --collection" in answer.err
