"""Runs with more results than INEX accepted: no profile cuts them, and the years report them."""

import json

import pytest

import spanwise

NOTE = (
    "topics with more than 1500 results, the limit of submissions, all of which count"
    " (--depth 1500 cuts them)"
)
YEARS = [f"inex{year}" for year in range(2002, 2011)]
LETTERS = (
    '<assessments topic="{topic}"><file file="d{last}">'
    '<path path="/a[1]" relevance="3" coverage="E"/></file></assessments>'
)


@pytest.fixture
def files(folder):
    """Topics 1 and 2 have 1501 results, 3 has 1500; the last one of each is the relevant one."""
    lengths = {"1": 1501, "2": 1501, "3": 1500}
    (folder / "qrels").write_text(
        "".join(f"{topic} Q0 d{n} 10 10 0 0:10\n" for topic, n in lengths.items())
    )
    lines = [
        f"{topic} Q0 d{rank} {rank} {-rank} mine 0 10\n"
        for topic, count in lengths.items()
        for rank in range(1, count + 1)
    ]
    (folder / "run").write_text("".join(lines))
    (folder / "pools").mkdir()
    for topic, last in lengths.items():
        (folder / "pools" / f"{topic}.xml").write_text(LETTERS.format(topic=topic, last=last))
    results = "".join(
        f'<topic topic-id="{topic}">'
        + "".join(
            f"<result><file>d{rank}</file><path>/a[1]</path></result>"
            for rank in range(1, count + 1)
        )
        + "</topic>"
        for topic, count in lengths.items()
    )
    (folder / "run.xml").write_text(
        f'<inex-submission participant-id="1" run-id="mine" task="CO">{results}</inex-submission>'
    )
    return folder


@pytest.mark.parametrize("profile", YEARS)
def test_every_year_reports_long_runs(files, ask, profile):
    early = profile < "inex2005"
    names = ("pools", "run.xml", "-m", "xCG(quant=gen,overlap=off)@1501")
    words = names if early else ("qrels", "run", "-m", "gR@1501")
    answer = ask("eval", *words, "--profile", profile, "--format", "jsonl")
    (line,) = map(json.loads, answer.out.splitlines())
    assert line["value"] == 1  # the last result is found: nothing was cut
    assert f"{NOTE}: 2\n" in answer.err


def test_a_depth_up_to_the_limit_answers_the_note(files, ask):
    words = ("eval", "qrels", "run", "-m", "gR@1501", "--profile", "inex2009", "--format", "jsonl")
    answer = ask(*words, "--depth", "1500")
    assert NOTE not in answer.err
    assert json.loads(answer.out)["value"] == pytest.approx(1 / 3)  # only topic 3 has it at 1500
    assert f"{NOTE}: 2\n" in ask(*words, "--depth", "1501").err


def test_without_a_year_there_is_no_limit(files, ask):
    assert NOTE not in ask("eval", "qrels", "run", "-m", "gR@5").text


def test_only_evaluated_topics_count(files, ask):
    (files / "qrels").write_text("1 Q0 d1501 10 10 0 0:10\n3 Q0 d1500 10 10 0 0:10\n")
    words = (
        "eval",
        "qrels",
        "run",
        "-m",
        "gR@5",
        "--profile",
        "inex2009",
        "--average-over",
        "judged",
    )
    assert f"{NOTE}: 1\n" in ask(*words).text


def test_in_python_too(files):
    scores = spanwise.evaluate(files / "qrels", files / "run", ["gR@5"], profile="inex2010")
    assert f"{NOTE}: 2" in scores.notes


def test_checking_flags_them(files, ask):
    assert "more than 1500 results for a topic: up to 1501" in ask("check", "run.xml").text
