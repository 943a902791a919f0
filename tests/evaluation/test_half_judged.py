"""Elements of which assessors said how exhaustive they are, and nothing else.

The document is `<a><s>xxxx</s><s>yyyyyy</s></a>`; its first six characters are highlighted: all of
the first s, a third of the second, six tenths of a.
"""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from calling import called
from spanwise.cli import main

HEADER = {"format": "span-qrels/1", "unit": "char", "char": "codepoint"}
FIRST = {"path": "/a[1]/s[1]", "exhaustivity": 1}
LIT = [{"s": 0, "e": 6}]


@pytest.fixture
def judged(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "d.xml").write_text("<a><s>xxxx</s><s>yyyyyy</s></a>")

    def write(elements, spans):
        record = {"qid": "1", "doc": "d", "elements": elements}
        if spans:
            record["spans"] = spans
        (tmp_path / "judged.jsonl").write_text(f"{json.dumps(HEADER)}\n{json.dumps(record)}\n")

    return write


def base(quant, *words):
    out, errors, status = called(
        main, "recallbase", "judged.jsonl", "--quant", quant, "--format", "jsonl", *words
    )
    assert status == 0, errors
    found = map(json.loads, out.decode().splitlines())
    return {one["path"]: pytest.approx(one["value"]) for one in found}


@pytest.mark.parametrize(
    ("quant", "expected"),
    [
        ("spec", {"/a[1]/s[1]": 1, "/a[1]": Fraction(6, 10), "/a[1]/s[2]": Fraction(1, 3)}),
        ("gen5", {"/a[1]/s[1]": 1, "/a[1]": Fraction(6, 10)}),  # a is as exhaustive as its first s
        ("genLifted", {"/a[1]/s[1]": 2, "/a[1]": Fraction(12, 10), "/a[1]/s[2]": Fraction(1, 3)}),
    ],
)
def test_text_says_how_specific_they_are(judged, quant, expected):
    judged([FIRST], LIT)
    assert base(quant, "--collection", "docs") == {k: float(v) for k, v in expected.items()}


def test_sizes_that_are_listed_win(judged):
    judged([FIRST, {"path": "/a[1]/s[2]", "exhaustivity": 2, "size": 5, "rsize": 1}], LIT)
    expected = {"/a[1]/s[1]": 1, "/a[1]": 1.2, "/a[1]/s[2]": 0.4}
    assert base("gen5", "--collection", "docs") == expected


def test_an_exhaustive_element_without_highlighted_text_counts_for_recall_alone(judged):
    """The second s has exhaustivity 2 and no highlighted text; the first 1, and so has a: 2.

    The run returns the first s: its 1/2 of 1/2 + 2/2 + 2/2.
    """
    judged([FIRST, {"path": "/a[1]/s[2]", "exhaustivity": 2}], [{"s": 0, "e": 4}])
    run = {"format": "span-run/1", "run": "r", "unit": "char", "char": "codepoint"}
    result = {"qid": "1", "doc": "d", "element": "/a[1]/s[1]"}
    Path("run.jsonl").write_text(f"{json.dumps(run)}\n{json.dumps(result)}\n")
    out, errors, status = called(
        main, "eval", "judged.jsonl", "run.jsonl", "-m", "NGR@1", "--collection", "docs",
        "--format", "jsonl",
    )  # fmt: skip
    assert status == 0, errors
    assert json.loads(out)["value"] == pytest.approx(float(Fraction(1, 5)))


@pytest.mark.parametrize(
    ("grade", "spans", "words", "due"),
    [
        (1, LIT, (), "its position in the highlighted text is unknown; pass --collection"),
        ("?", LIT, (), "its position in the highlighted text is unknown; pass --collection"),
        (0, LIT, (), "its position in the highlighted text is unknown; pass --collection"),
        (1, [], (), "no specificity; expected specificity or rsize too"),
        ("?", [], (), "no specificity; expected specificity or rsize too"),
        (1, [], ("--collection", "docs"), "no specificity; expected specificity"),
    ],
)
def test_what_is_not_known_is_not_taken_for_irrelevant(judged, grade, spans, words, due):
    judged([{**FIRST, "exhaustivity": grade}], spans)
    _, errors, status = called(main, "recallbase", "judged.jsonl", *words)
    assert status == 2
    assert f"judged.jsonl:2: /a[1]/s[1] has an exhaustivity, but {due}" in errors
