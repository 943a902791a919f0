"""`--json`: what a command did, as JSON on standard output."""

import json

import click
import pytest

from spanwise.cli import COMMANDS, cli
from spanwise.judge.store import Store

WITHOUT = {
    *("plot", "completion"),  # a picture, a script
    "judge log",  # lines of JSON
    *("trec_eval", "inex_eval", "evalj"),  # as the originals
}
"""Commands that report nothing, or whose output has a form of its own."""
RUN = "1 Q0 ape 1 2.5 mine\n1 Q0 bat 2 1.5 mine\n2 Q0 ape 1 1 mine\n"
MARKED = "1 Q0 ape 6 9 3 1:3 6:3\n1 Q0 bat 0 4\n"


def leaves(name, command):
    if isinstance(command, click.Group):
        for part, one in command.commands.items():
            yield from leaves(f"{name} {part}", one)
    else:
        yield name, {word for parameter in command.params for word in parameter.opts}


def test_every_command_that_reports_something_has_it():
    context = click.Context(cli)
    commands = [(name, cli.get_command(context, name)) for name in COMMANDS]
    words = dict(leaf for name, command in commands for leaf in leaves(name, command))
    assert {name for name, options in words.items() if "--json" not in options} == WITHOUT


@pytest.fixture
def files(folder):
    """Runs, judgements, documents, topics and an experiment."""
    (folder / "a.run").write_text(RUN)
    (folder / "marked").write_text(MARKED)
    (folder / "docs").mkdir()
    for name, text in (("ape", "sea walls"), ("bat", "dunes and wind")):
        (folder / "docs" / f"{name}.xml").write_text(f"<article><p>{text}</p></article>")
    (folder / "topics.tsv").write_text("1\tdunes\n2\twalls\n")
    (folder / "topics.xml").write_text(
        '<inex-topic-file><topic id="1"><title>dunes</title></topic>'
        '<topic id="2"><title>walls</title></topic></inex-topic-file>'
    )
    return folder


@pytest.fixture
def report(files, ask):
    def report(*words):
        answer = ask(*words, "--json")
        assert answer.status == 0, answer.err
        return json.loads(answer.text)

    return report


def test_a_conversion_is_reported_with_losses_and_warnings(report, files):
    found = report("convert", "marked", "plain", "--to", "qrels")
    (warning,) = found.pop("warnings")
    assert warning.startswith("marked: format 'qrels' cannot hold 2 highlighted passages")
    assert found == {
        "path": "plain",
        "format": "qrels",
        "holds": "judgements",
        "topics": 1,
        "judgements": 2,
        "losses": {
            "highlighted passages by offset": 2,
            "lengths of documents": 2,
            "best entry points by offset": 1,
        },
    }
    assert (files / "plain").read_text() == "1 0 ape 1\n1 0 bat 0\n"


@pytest.mark.parametrize(
    ("words", "run", "topics", "results"),
    [
        (("convert", "a.run", "new.run", "--to", "trec_run"), "mine", 2, 3),
        (("fuse", "a.run", "a.run", "-o", "new.run"), "rrf", 2, 3),
        # dunes are in one document, and walls in the other
        (("search", "docs", "topics.tsv", "-o", "new.run"), "fts5", 2, 2),
    ],
)
def test_a_run_that_is_written_is_counted(report, files, words, run, topics, results):
    found = report(*words)
    assert (found["path"], found["format"], found["holds"]) == ("new.run", "trec_run", "run")
    assert (found["run"], found["topics"], found["results"]) == (run, topics, results)
    assert len((files / "new.run").read_text().splitlines()) == results


def test_a_simulated_run_is_counted(report):
    found = report(
        *("simulate", "irb", "marked", "--collection", "docs", "-o", "i.run", "--to", "inex_run")
    )
    assert (found["path"], found["format"], found["topics"]) == ("i.run", "inex_run", 1)


def test_warnings_are_printed_and_reported(ask, files):
    (files / "topics.tsv").write_text("1\tdunes\n9\tglaciers\n")
    answer = ask("search", "docs", "topics.tsv", "-o", "new.run", "--json")
    (warning,) = json.loads(answer.text)["warnings"]
    assert warning == "topics.tsv: no results for 1 of the topics: '9'"
    assert answer.warnings == [warning]


def test_pools_are_reported_with_the_work_that_they_ask_for(report):
    """Topic 1 has two documents, topic 2 one of them: three judgements of two minutes."""
    found = report("pool", "a.run", "-o", "pool.jsonl")
    assert (found["path"], found["format"], found["holds"]) == ("pool.jsonl", "pool", "pool")
    assert (found["topics"], found["documents"]) == (2, 3)
    assert (found["fewest"], found["most"], found["hours"]) == (1, 2, 0.1)
    more = report("pool", "extend", "pool.jsonl", "run.txt", "-o", "more.jsonl")
    # run.txt has cat, dog for topic 1 and eel, fox for topic 2 besides
    assert (more["path"], more["documents"]) == ("more.jsonl", 4)


def test_steps_of_judging_are_reported(report, files):
    words = ("--collection", "docs", "--topics", "topics.xml", "--prepare")
    report("pool", "a.run", "-o", "pool.jsonl")
    made = report("judge", "serve", "pool.jsonl", *words, "--judge", "anna")
    assert made == {"store": "pool.jsonl.judged", "topics": 2, "assessors": ["anna"]}
    (files / "old").write_text("1 0 ape 1\n1 0 cat 1\n")
    found = report(
        *("judge", "import", "pool.jsonl.judged", "old", "--judge", "ben", "--collection", "docs")
    )
    assert (found["assessor"], found["documents"], found["left_out"]) == ("ben", 1, 1)
    found = report("judge", "export", "pool.jsonl.judged", "-o", "judged.jsonl")
    assert (found["path"], found["format"]) == ("judged.jsonl", "span_qrels")
    assert (found["documents"], found["assessors"]) == (1, 1)
    Store("pool.jsonl.judged").new_token("anna")
    found = report("judge", "revoke", "pool.jsonl.judged", "anna")
    assert (found["assessor"], found["revoked"]) == ("anna", 1)


def test_an_experiment_is_reported_with_its_comparisons(report, files):
    (files / "x.toml").write_text(
        'name = "x"\nmeasures = ["AP"]\nbaseline = "fts5"\n'
        '[[collection]]\nname = "all"\ndocuments = "docs"\ntopics = "topics.tsv"\n'
        'judgements = "q"\n[[engine]]\nname = "fts5"\n[[engine]]\nname = "bm25"\n'
    )
    (files / "q").write_text("1 0 bat 1\n2 0 ape 1\n")
    found = report("experiment", "x.toml", "-o", "out")
    assert (found["experiment"], found["path"]) == ("x", "out/report.html")
    ((name, scores),) = [(one["name"], one["scores"]) for one in found["collections"]]
    assert name == "all"
    assert [(one["run"], one["measure"], one["value"]) for one in scores] == [
        ("fts5", "AP", 1.0),
        ("bm25", "AP", 1.0),
    ]


def test_a_demo_in_a_folder_is_reported(report, files):
    found = report("demo", "trial")
    assert found["path"] == "trial"
    assert all((files / name).is_file() for name in found["files"])
    assert found["commands"]


@pytest.mark.parametrize(
    "words",
    [
        ("convert", "a.run", "-", "--to", "trec_run"),
        ("fuse", "a.run", "a.run"),
        ("search", "docs", "topics.tsv"),
        ("simulate", "irb", "marked"),
        ("pool", "a.run", "-o", "-"),
    ],
)
def test_it_is_refused_where_standard_output_is_for_the_result(ask, files, words):
    answer = ask(*words, "--json")
    assert answer.complaint.startswith("--json has no effect where standard output is for the")
    assert answer.out == b""


def test_a_pool_is_checked_with_several_measures(report, ask, files):
    """ape of topic 2 is only of a.run: without it, a.run finds nothing for topic 2."""
    (files / "q").write_text("1 0 ape 1\n2 0 ape 1\n")
    report("pool", "a.run", "run.txt", "-o", "pool.jsonl")
    words = ("pool", "check", "pool.jsonl", "a.run", "run.txt", "--judgements", "q")
    first, _ = report(*words, "-m", "AP,RR")["runs"]
    assert list(first["scores"]) == ["AP", "RR"]
    assert first["scores"]["AP"]["score"] == 1
    header = ask(*words, "-m", "AP", "-m", "RR").text.splitlines()[0]
    assert "AP without own" in header
    assert "RR without own" in header
