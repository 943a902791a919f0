"""Runs of whole documents, held against text that was highlighted in them."""

import pytest

from spanwise import evaluate

GOLD = """{"format": "span-qrels/1", "unit": "char", "char": "codepoint"}
{"qid": "1", "doc": "a", "doc_len": 8, "spans": [{"s": 0, "e": 2}]}
{"qid": "1", "doc": "b", "doc_len": 4, "spans": [{"s": 1, "e": 4}]}
"""
RUN = ["1 Q0 z 3 7 mine", "1 Q0 b 2 8 mine", "1 Q0 a 1 9 mine"]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.xml").write_text("<a><b>xx</b>yyyyyy</a>")
    (tmp_path / "docs" / "b.xml").write_text("<a>yxxx</a>")
    (tmp_path / "gold.jsonl").write_text(GOLD)
    return tmp_path


def value(folder, lines, measure, **more):
    (folder / "run").write_text("".join(line + "\n" for line in lines))
    return evaluate(folder / "gold.jsonl", folder / "run", [measure], **more).means[measure]


@pytest.mark.parametrize("more", [{}, {"profile": "chunks"}, {"ties": "rank"}])
def test_they_are_read_in_the_order_of_their_scores(folder, more):
    assert value(folder, RUN, "HiR@1", **more) == 2 / 5
    assert value(folder, RUN[1:], "SpanR@1", **more) == 2 / 5
    assert value(folder, RUN[1:], "HiP@2", **more) == 5 / 12


def test_a_document_that_the_collection_does_not_have_has_no_text(folder):
    docs = folder / "docs"
    for measure in ("HiP@3", "NGP@3", "char_prec"):
        expected = 5 / 12  # a and b: 12 characters, 5 of them highlighted
        assert value(folder, RUN, measure, collection=docs) == pytest.approx(expected, abs=1e-15)
