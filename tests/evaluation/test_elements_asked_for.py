"""What counts where structure is scored, and what is said of results and of tables."""

import json
from fractions import Fraction

import pytest

from calling import called
from figure_one import (
    HIGHLIGHTED,
    SEC6,
    assessments,
    lay_out,
    submission,
)
from spanwise.cli import main


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return lay_out(tmp_path)


def test_specificity_and_exhaustivity_are_those_of_elements_asked_for(folder):
    """Of the sections: 3 and 2 of exhaustivity 5 in all; sizes 50, 30 and 80, specific 1, 0, 2/3.

    Without structure all grades of exhaustivity add up to 23, and p[1] has 3 of them.
    """
    words = ["-m", "NGP(overlap=off)@3", "-m", "NGR(overlap=off)@2", "--collection", "docs"]
    strict = ["--structure", "strict", "--topics", "topics.xml"]
    for more, precision, recall in (
        ([], Fraction(50 * 3 + 30 * 3 + 80 * 2, 3 * 160), Fraction(6, 23)),
        (strict, Fraction(50 * 3 + 80 * 2, 3 * 160), Fraction(3, 5)),
    ):
        asked = ("eval", "judged.xml", "run.xml", *words, *more, "--format", "jsonl")
        out, errors, status = called(main, *asked)
        assert status == 0, errors
        found = [json.loads(line)["value"] for line in out.decode().splitlines()]
        assert found == pytest.approx([float(precision), float(recall)])


def test_measures_that_structure_does_not_matter_to_are_named(folder):
    words = ("--structure", "vague", "--topics", "topics.xml", "--collection", "docs")
    names = ("-m", "MAep", "-m", "Overlap", "-m", "NGP@2")
    out, _, _ = called(main, "eval", "judged.xml", "run.xml", *names, *words)
    assert (
        "structure has no effect on Overlap: it applies to measures of judged elements"
        in out.decode()
    )
    out, _, _ = called(main, "eval", "judged.xml", "run.xml", *names, "--collection", "docs")
    assert "structure" not in out.decode()


@pytest.mark.parametrize("topics", ["judged", "both", "run"])
def test_a_topic_with_nothing_relevant_counts_for_no_mean(folder, topics):
    """Of topic 163 one of three results lies in another; 164 has nothing relevant."""
    (folder / "all").mkdir()
    (folder / "all" / "one.xml").write_text(assessments())
    nothing = '<assessments topic="164"><file file="r7022"></file></assessments>'
    (folder / "all" / "two.xml").write_text(nothing)
    results = submission([SEC6, f"{SEC6}/p[1]"]).partition("<topic ")[2].replace("163", "164")
    run = (folder / "run.xml").read_text().replace("</topic>", f"</topic><topic {results}", 1)
    (folder / "run.xml").write_text(run.removesuffix("</inex-submission>\n"))
    words = ("-m", "Overlap", "-m", "MAep", "-q", "--format", "jsonl", "--average-over", topics)
    out, errors, status = called(main, "eval", "all", "run.xml", *words)
    assert status == 0, errors
    found = [json.loads(line) for line in out.decode().splitlines()]
    values = {(one["topic"], one["measure"]): one["value"] for one in found}
    assert values["164", "Overlap"] is values["164", "MAep"] is None
    assert values["163", "Overlap"] == values["all", "Overlap"] == pytest.approx(1 / 3)


def test_recall_is_explained_against_what_was_asked_for(folder):
    """All of s[1]: 40 of 40 characters, or, as s[1] lies in a[1], 40 of the 80 of both."""
    (folder / "lit.xml").write_text(HIGHLIGHTED)
    (folder / "run.xml").write_text(
        '<inex-submission participant-id="1" run-id="r" task="Thorough"><topic topic-id="7">'
        "<result><file>d</file><path>/a[1]/s[1]</path></result></topic></inex-submission>"
    )
    for name, last in (
        ("HiR@1", ["1.0000", "1.0000"]),
        ("HiR(base=thorough)@1", ["1.0000", "0.5000"]),
        ("HiF(base=thorough)@1", ["1.0000", "0.5000", "0.6667"]),  # 2 * 1 * 1/2 / (3/2)
    ):
        out, errors, status = called(
            main, "explain", "lit.xml", "run.xml", "--topic", "7", "-m", name
        )
        assert status == 0, errors
        assert out.decode().splitlines()[2].split()[-len(last) :] == last


def test_of_an_element_without_text_nothing_was_seen(folder):
    """ip1[1] of section 6 is empty; that the section was returned shows nothing of it."""
    (folder / "run.xml").write_text(submission([SEC6, f"{SEC6}/ip1[1]", f"{SEC6}/p[1]"]))
    words = ("--topic", "163", "-m", "nxCG(quant=sog)@3", "--collection", "docs")
    out, _, _ = called(main, "explain", "judged.xml", "run.xml", *words)
    rows = [line.split() for line in out.decode().splitlines()[2:5]]
    assert ["seen" in row for row in rows] == [False, False, True]


def test_graded_elements_are_refused_before_their_sizes_are_asked_for(folder):
    _, errors, status = called(main, "eval", "judged.xml", "run.xml", "-m", "HiP@2")
    assert status == 2
    assert "HiP, HiR and HiF expect highlighted text" in errors


def test_what_is_irrelevant_has_no_value_in_a_table(folder):
    (folder / "own.txt").write_text("3 3 1\n0 0 0.5\n")
    _, errors, status = called(main, "recallbase", "judged.xml", "--quant", "own.txt")
    assert status == 2
    assert "own.txt:2: '0 0 0.5'; expected the value 0 for exhaustivity 0" in errors
    (folder / "own.txt").write_text("3 3 1\n0 0 0\n")
    out, _, status = called(main, "recallbase", "judged.xml", "--quant", "own.txt")
    assert (status, "2 elements of 1 topic" in out.decode()) == (0, True)


@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
def test_results_with_structure_can_be_verified(folder, ending):
    """The topics are an input like the others: they are kept, and a change is reported."""
    words = ("--structure", "strict", "--topics", "topics.xml", "--collection", "docs")
    file = f"results.{ending}"
    asked = ("eval", "judged.xml", "run.xml", "-m", "NGR(overlap=off)@2", *words, "-o", file)
    assert called(main, *asked)[1:] == ("", 0)
    out, errors, status = called(main, "verify", file)
    assert (out.decode(), errors, status) == (
        "1 run, 1 values by topic: nothing changed\n",
        "",
        0,
    )
    topics = folder / "topics.xml"
    topics.write_text(topics.read_text() + "\n")
    out, _, status = called(main, "verify", file)
    assert ": the topics topics.xml changed\n" in out.decode()
    assert status == 1
