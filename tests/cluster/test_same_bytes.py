"""On two workers of each engine everything that is printed is what it is here, to the last byte."""

from base64 import b64decode

import pytest
from numpy.random import default_rng

from demo_files import (
    DENSE,
    HANDBOOK,
    HYBRID,
    KEYWORD,
    QRELS,
)
from laws.test_shards import READS, named
from run_worlds import WORLDS


def measures(names):
    return [word for name in names for word in ("-m", name)]


def same(session, *words):
    """Output, errors and status of a command that does the same here and there."""
    here, there = session.both(*words)
    assert there[1:] == here[1:]
    assert b64decode(there[0]).splitlines() == b64decode(here[0]).splitlines()
    assert there == here
    return here


@pytest.mark.parametrize("world", ["documents", "preferences", "passages", "chunks"])
def test_every_measure_of_documents_preferences_passages_and_chunks(session, world, tmp_path):
    WORLDS[world](default_rng(7), tmp_path)
    names = [name for reads in READS[world] for name in named(reads)]
    words = [tmp_path / "qrels", tmp_path / "run", *measures(names), "-q"]
    assert same(session, "eval", *words, "--format", "jsonl")[2] == 0


@pytest.mark.parametrize(
    ("reads", "names"),
    [
        ("readings", ["articles", "elements", "passages"]),
        ("elements", ["elements"]),
        ("navigation", ["articles", "elements", "passages"]),
    ],
)
def test_every_measure_of_parts_of_the_documents_of_a_collection(session, reads, names):
    runs = [HANDBOOK / f"{name}.run" for name in names]
    words = [HANDBOOK / "qrels.txt", *runs, "--collection", HANDBOOK / "articles"]
    assert same(session, "eval", *words, *measures(named(reads)), "-q", "--format", "csv")[2] == 0


@pytest.mark.parametrize("more", [[], ["-q"]])
@pytest.mark.parametrize("layout", ["table", "trec", "jsonl"])
def test_layouts_with_and_without_topics(session, layout, more):
    assert same(session, "eval", QRELS, KEYWORD, DENSE, HYBRID, "--format", layout, *more)[2] == 0


@pytest.mark.parametrize(
    ("topics", "ties"),
    [("judged", "docno"), ("both", "file"), ("run", "rank"), ("judged", "expected")],
)
def test_policies(session, topics, ties):
    words = [QRELS, DENSE, HYBRID, "--average-over", topics, "--ties", ties, "-q"]
    assert same(session, "eval", *words)[2] == 0


@pytest.mark.parametrize("layout", ["table", "csv", "json"])
def test_comparisons(session, layout):
    words = [QRELS, KEYWORD, DENSE, HYBRID, "-m", "nDCG@10", "-m", "AP", "--format", layout]
    assert same(session, "compare", *words, "--test", "randomisation,bootstrap")[2] == 0


def test_comparisons_of_runs_of_different_grain(session):
    runs = [HANDBOOK / f"{name}.run" for name in ("articles", "elements", "passages")]
    words = [HANDBOOK / "qrels.txt", *runs, "--collection", HANDBOOK / "articles", "--all-pairs"]
    assert same(session, "compare", *words)[2] == 0


def test_a_folder_of_runs(session, tmp_path):
    folder = tmp_path / "runs"
    folder.mkdir()
    for file in (KEYWORD, DENSE):
        (folder / file.name).write_bytes(file.read_bytes())
    assert same(session, "eval", QRELS, folder)[2] == 0


def poisoned(tmp_path, line, content):
    """A run with something else in one line."""
    lines = HYBRID.read_text().splitlines()
    lines[line - 1] = content
    file = tmp_path / "poisoned.run"
    file.write_text("\n".join(lines) + "\n")
    return file


@pytest.mark.parametrize(
    ("line", "content"),
    [(1, "q07 Q0 d1 1"), (200, "q07 Q0 d1 1 high mine"), (330, "q07 Q0 d1 1"), (200, "\x00")],
)
def test_a_poisoned_shard_is_the_same_error_with_file_and_line(session, tmp_path, line, content):
    file = poisoned(tmp_path, line, content)
    _, err, status = same(session, "eval", QRELS, KEYWORD, file, DENSE)
    assert status == 2
    assert f"spanwise: error: {file}:{line}: " in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    "words",
    [
        ["eval", QRELS, "nowhere.run"],
        ["eval", "nowhere.txt", KEYWORD],
        ["eval", QRELS, KEYWORD, "-m", "nDGC@10"],
        ["eval", QRELS, KEYWORD, "-m", "MAiP"],
        ["eval", QRELS, QRELS],
        ["compare", QRELS, KEYWORD, DENSE, "--baseline", "nobody"],
    ],
    ids=str,
)
def test_other_mistakes_are_the_same_too(session, words):
    _, err, status = same(session, *words)
    assert status == 2
    assert err.startswith("spanwise: error: ")


def test_what_is_worth_a_warning_is_said_once(session, tmp_path):
    lines = [line + " more" for line in HYBRID.read_text().splitlines()]
    file = tmp_path / "more.run"
    file.write_text("\n".join(lines) + "\n")
    same(session, "eval", QRELS, file, KEYWORD, "--format", "jsonl")


def test_topics_that_are_scattered_over_a_file(session, tmp_path):
    lines = sorted(HYBRID.read_text().splitlines(), key=lambda line: line.split()[2])
    file = tmp_path / "scattered.run"
    file.write_text("\n".join(lines) + "\n")
    assert same(session, "eval", QRELS, file, "-q")[2] == 0
