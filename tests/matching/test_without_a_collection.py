"""What only the documents can say is not guessed where they are missing, and is no 0 either."""

import pytest

import spanwise
from spanwise.errors import SpanwiseError

ASSESSMENTS = """<assessments pool="1" topic="1" version="2">
<file collection="w" name="a"><best-entry-point path="/article[1]/p[1]"/>
<passage start="/article[1]/p[1]" end="/article[1]/p[1]" size="5"/>
<element path="/article[1]" exhaustivity="2" size="9" rsize="5"/>
<element path="/article[1]/p[1]" exhaustivity="2" size="5" rsize="5"/>
</file><file collection="w" name="b"></file></assessments>
"""
DOCUMENT = "<article><p>abcde</p><p>fghi</p></article>"
SPAN, ELEMENT = '"doc": "a", "s": 0, "e": 5', '"doc": "a", "element": "/article[1]"'
RANGE = '"doc": "a", "from": "/article[1]/p[1]", "to": "/article[1]/p[2]"'
ELSEWHERE = '"doc": "b", "s": 0, "e": 3'
NEEDS = "--collection"


@pytest.fixture
def judged(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.xml").write_text(DOCUMENT)
    (tmp_path / "docs" / "b.xml").write_text(DOCUMENT)
    (tmp_path / "qrels").write_text("1 Q0 a 5 9 0 0:5\n1 Q0 b 0 9\n")
    (tmp_path / "pool.xml").write_text(ASSESSMENTS)
    return tmp_path


def returned(folder, *results):
    lines = ['{"format": "span-run/1", "run": "mine", "unit": "char", "char": "codepoint"}']
    lines += [f'{{"qid": "1", {result}}}' for result in results]
    (folder / "run.jsonl").write_text("\n".join(lines))
    return folder / "run.jsonl"


def value(folder, file, run, measure, **more):
    return spanwise.evaluate(folder / file, run, [measure], **more).means[measure]


@pytest.mark.parametrize(
    ("measure", "placed"),
    [("nxCG@1", 1), ("MAep", 1), ("xCG(overlap=off)@1", 1), ("HiP@1", 1), ("HiR@1", 1)],
)
def test_a_passage_beside_highlights_that_are_named_by_paths(judged, measure, placed):
    run = returned(judged, SPAN)
    with pytest.raises(SpanwiseError, match=NEEDS):
        value(judged, "pool.xml", run, measure)
    docs = judged / "docs"
    # MAep: two elements are relevant, and the first rank has all of the better one's value
    expected = placed / 2 if measure == "MAep" else placed
    assert value(judged, "pool.xml", run, measure, collection=docs) == expected


def test_a_passage_of_a_document_without_highlights_is_worth_nothing(judged):
    assert value(judged, "pool.xml", returned(judged, ELSEWHERE), "nxCG@1") == 0


@pytest.mark.parametrize("measure", ["HiR@1", "HiR(alpha=0)@1", "BEPD(L=5)", "EPRUM(L=5)", "T2I"])
@pytest.mark.parametrize("results", [(ELEMENT,), (SPAN, ELEMENT), (RANGE, SPAN)])
def test_an_element_beside_highlights_that_are_offsets(judged, measure, results):
    run = returned(judged, *results)
    with pytest.raises(SpanwiseError, match=NEEDS):
        value(judged, "qrels", run, measure)
    assert value(judged, "qrels", run, measure, collection=judged / "docs") == 1


def test_elements_beside_passages_of_their_document(judged):
    run = returned(judged, SPAN, ELEMENT)
    for measure in ("Overlap", "Overlap(variant=earlier)"):
        with pytest.raises(SpanwiseError, match=NEEDS):
            value(judged, "pool.xml", run, measure)
        assert value(judged, "pool.xml", run, measure, collection=judged / "docs") == 0.5
    apart = returned(judged, ELSEWHERE, ELEMENT)
    assert value(judged, "pool.xml", apart, "Overlap") == 0
    assert value(judged, "pool.xml", apart, "nxCG@2") == 5 / 9
