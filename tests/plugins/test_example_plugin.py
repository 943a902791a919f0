"""The package in examples/plugin works with every command as our own entries do."""

import json
import os
import subprocess
import sys

import pytest

from command_line import Answer
from plugins.installed import EXAMPLE, beside, install

QRELS = "q1 0 a 1\nq1 0 b 0\nq1 0 c 1\nq2 0 a 0\nq2 0 d 2\n"
RUN = "topic,document,score\nq1,a,3.0\nq1,x,2.5\nq1,b,2.0\nq2,d,2.0\nq2,a,1.5\n"
OTHER = "q1 Q0 b 1 9 other\nq1 Q0 a 2 8 other\nq2 Q0 a 1 9 other\nq2 Q0 d 2 8 other\n"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    return install(EXAMPLE, tmp_path_factory.mktemp("example"))


@pytest.fixture
def ask(site, tmp_path):
    """Run the real command where the example is installed, in a folder with some files."""
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "mine.csv").write_text(RUN)
    (tmp_path / "other.run").write_text(OTHER)

    def ask(*words: str, **environment: str) -> Answer:
        done = subprocess.run(
            [sys.executable, "-m", "spanwise", *words],
            capture_output=True,
            cwd=tmp_path,
            env={**os.environ, **beside(site), "COLUMNS": "200", **environment},
            timeout=120,
            check=False,
        )
        return Answer(done.returncode, done.stdout, done.stderr.decode())

    return ask


def test_its_measure_is_listed_under_its_own_heading(ask):
    answer = ask("measures")
    assert answer.status == 0
    block = answer.text[answer.text.index("Misses (spanwise-example)") :]
    assert block.splitlines()[1].split()[0] == "FirstMiss"


def test_its_measure_is_defined(ask):
    answer = ask("measures", "first_miss_5")
    assert "Parameters: rel=1 (0 to 1000); cutoff=10\n" in answer.text
    assert "Plug-in: spanwise_example.measures\n" in answer.text
    assert ask("measures", "--properties").text.count("FirstMiss") == 1


def test_its_measure_and_its_format_are_evaluated(ask):
    """q1: b is the first miss, at 3. q2: a is, at 2."""
    names = ["-m", "FirstMiss", "-m", "first_miss_1", "-m", "AP"]
    answer = ask("eval", "qrels.txt", "mine.csv", *names, "-q", "--format", "jsonl")
    assert (answer.status, answer.err) == (0, "")
    values = {(r["topic"], r["measure"]): r["value"] for r in answer.records}
    assert values["q1", "FirstMiss"] == 3
    assert values["q2", "FirstMiss"] == 2
    assert values["all", "FirstMiss"] == 2.5
    assert values["q1", "first_miss_1"] == 2
    assert {record["run"] for record in answer.records} == {"mine"}


def test_its_format_is_read_in_processes_and_by_name(ask):
    ask("eval", "qrels.txt", "mine.csv", "-m", "FirstMiss")
    words = ["eval", "qrels.txt", "mine.csv", "mine.csv", "-m", "FirstMiss", "--workers", "2"]
    assert ask(*words).text.count("2.5000") == 2
    named = ask("eval", "qrels.txt", "mine.csv", "-m", "FirstMiss", "--run-format", "ranked_csv")
    assert "2.5000" in named.text


def test_runs_are_compared_with_its_measure(ask, tmp_path):
    words = ["compare", "qrels.txt", "mine.csv", "other.run", "-m", "FirstMiss", "-m", "AP"]
    answer = ask(*words, "--html", "page.html")
    assert answer.status == 0, answer.err
    assert "FirstMiss" in (tmp_path / "page.html").read_text()
    compared = json.loads(ask(*words, "--format", "json").out)
    scores = {(s["run"], s["measure"]): s["value"] for s in compared["scores"]}
    assert scores["mine", "FirstMiss"] == 2.5
    assert scores["other", "FirstMiss"] == 1.0


def test_its_measure_is_explained(ask):
    answer = ask("explain", "qrels.txt", "mine.csv", "--topic", "q1", "-m", "FirstMiss")
    assert answer.status == 0, answer.err
    assert "FirstMiss = 3.0000" in answer.text


def test_its_format_is_listed_and_described(ask):
    assert "\nranked_csv " in ask("formats").text
    assert "`topic,document,score`" in ask("formats", "ranked_csv").text


def test_its_format_is_checked(ask, tmp_path):
    assert ask("check", "mine.csv").status == 0
    (tmp_path / "wrong.csv").write_text(RUN + "q3,only two\n")
    answer = ask("check", "wrong.csv")
    assert answer.status == 1
    assert "wrong.csv:7" in answer.text
    assert "expected topic,document,score" in answer.text


def test_its_format_is_written(ask, tmp_path):
    answer = ask("convert", "other.run", "other.csv", "--to", "ranked_csv")
    assert answer.status == 0, answer.err
    first = "topic,document,score\nq1,b,9.0\nq1,a,8.0\n"
    assert (tmp_path / "other.csv").read_text().startswith(first)
    assert ask("eval", "qrels.txt", "other.csv", "-m", "FirstMiss").text.count("1.0000") == 1


def write_articles(folder):
    articles = folder / "articles"
    articles.mkdir()
    (articles / "cap.txt").write_text("The cap on liability.\n\nNotices go by post.\n")
    (articles / "rent.txt").write_text("Rent is due monthly.\n\nThe cap is high, but\nit is.\n")
    (folder / "topics.tsv").write_text("t1\tliability cap\n")


def test_its_engine_searches(ask, tmp_path):
    write_articles(tmp_path)
    listed = ask("engines").text
    assert "overlap  Overlap of words (spanwise-example)\n         power=1.0\n" in listed
    words = ["search", "articles", "topics.tsv", "--engine", "overlap", "-o", "found.run"]
    assert ask(*words, "--set", "power=2").status == 0
    lines = [line.split() for line in (tmp_path / "found.run").read_text().splitlines()]
    assert [(line[2], float(line[4])) for line in lines] == [("cap", 4), ("rent", 1)]
    refused = ask(*words, "--set", "power=11").complaint
    assert refused == "engine overlap: power=11; expected a number from 0 to 10"
    known = " ".join(ask("search", "--help").text.split())
    assert "Known: fts5," in known
    assert ", overlap." in known


def test_its_chunker_cuts(ask, tmp_path):
    pytest.importorskip("bm25s")
    write_articles(tmp_path)
    question = {"id": "t1", "question": "What is the cap?", "quotes": ["The cap on liability."]}
    (tmp_path / "gold.jsonl").write_text(json.dumps(question) + "\n")
    words = ["sweep", "gold.jsonl", "--collection", "articles", "--sizes", "30", "--budget", "25"]
    answer = ask(*words, "--chunker", "paragraph", "--chunker", "fixed", "--format", "json")
    assert answer.status == 0, answer.err
    scores = {(s["run"], s["measure"]): s["value"] for s in json.loads(answer.out)["scores"]}
    assert scores["paragraph-30/0 bm25", "SpanR(budget=25)"] == 1
    assert "paragraph" in ask("sweep", "--help").text


@pytest.mark.parametrize(
    ("words", "wrong", "right"),
    [
        (("eval", "qrels.txt", "mine.csv", "-m", "FristMiss"), "FristMiss", "FirstMiss"),
        (("convert", "other.run", "x", "--to", "rankd_csv"), "rankd_csv", "ranked_csv"),
        (("search", "a", "topics.tsv", "--engine", "overlpa"), "overlpa", "overlap"),
    ],
    ids=["measure", "format", "engine"],
)
def test_a_misspelt_name_gets_a_hint(ask, tmp_path, words, wrong, right):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "some.txt").write_text("some")
    (tmp_path / "topics.tsv").write_text("t1\tsome\n")
    complaint = ask(*words).complaint
    assert repr(wrong) in complaint
    assert "did you mean" in complaint
    assert right in complaint.partition("did you mean")[2]


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("eval qrels.txt mine.csv -m FirstM", "FirstMiss"),
        ("eval qrels.txt mine.csv -m AP,FirstM", "AP,FirstMiss"),
        ("measures FirstM", "FirstMiss"),
        ("formats ranked", "ranked_csv"),
        ("eval qrels.txt mine.csv --run-format ranked", "ranked_csv"),
        ("search a b --engine over", "overlap"),
        ("sweep gold.jsonl --chunker par", "paragraph"),
    ],
)
def test_its_names_are_completed(site, typed, expected):
    count = str(len(typed.split()))
    asked = {"_SPANWISE_COMPLETE": "bash_complete", "COMP_CWORD": count}
    program = "from spanwise.cli import cli; cli(prog_name='spanwise')"
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        env={**os.environ, **asked, "COMP_WORDS": f"spanwise {typed}", **beside(site)},
        timeout=60,
        check=False,
    )
    assert f"plain,{expected}" in done.stdout.decode().splitlines(), done.stderr.decode()


def test_a_run_of_ours_is_never_read_as_one_of_a_plug_in(ask, tmp_path):
    """Six columns are a TREC run, whatever a plug-in thinks."""
    (tmp_path / "odd.run").write_text("topic,document,score Q0 a 1 9 odd\n" + OTHER)
    answer = ask("check", "odd.run")
    assert "trec_run" in answer.text
