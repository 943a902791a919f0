"""`spanwise.search`, `fuse` and `simulate` return the runs that their commands write."""

from pathlib import Path

import numpy as np
import pytest

import spanwise
from spanwise.errors import UnknownName, UsageError
from spanwise.workflows.convert import write_run
from spanwise.workflows.fuse import fuse
from spanwise.workflows.search import search

TEXTS = {"d1": "a cat sat on a mat", "d2": "a dog and a cat", "d3": "a dog"}


@pytest.fixture
def zoo(folder):
    (folder / "zoo").mkdir()
    for name, text in TEXTS.items():
        (folder / "zoo" / f"{name}.txt").write_text(text)
    (folder / "topics.tsv").write_text("q1\tcat\nq2\tdog\n")
    return folder


def written(run):
    write_run(run, "written")
    return Path("written").read_text()


@pytest.mark.parametrize("words", [(), ("--engine", "bm25", "--top", "1"), ("--name", "mine")])
def test_a_search_returns_what_the_command_writes(zoo, ask, words):
    pairs = zip(words[::2], words[1::2], strict=True)
    options = {word.removeprefix("--"): value for word, value in pairs}
    if "top" in options:
        options["top"] = int(options["top"])
    run = search("zoo", "topics.tsv", **options)
    assert written(run) == ask("search", "zoo", "topics.tsv", *words).text


def test_texts_and_topics_may_be_dicts(zoo):
    by_path = search("zoo", "topics.tsv")
    given = search(TEXTS, {"q1": "cat", "q2": "dog"})
    assert written(given) == written(by_path)
    assert written(search(TEXTS, spanwise.read_topics("topics.tsv"))) == written(by_path)
    store = spanwise.read_run("written")
    assert store.rows.topics == given.rows.topics


def test_chunks_and_settings_reach_the_engine(zoo):
    run = search(TEXTS, {"q1": "cat"}, grain="chunk:8/2")
    assert run.grain == "passages"
    b = [search(TEXTS, {"q1": "cat"}, engine="bm25", settings={"b": b}).scores for b in (0, 1)]
    assert not np.array_equal(*b)
    with pytest.raises(UnknownName, match="engine"):
        search(TEXTS, {"q1": "cat"}, engine="nosuch")


def test_fused_runs_are_those_of_the_command(folder, ask):
    (folder / "a.run").write_text("q Q0 x 1 3 a\nq Q0 y 2 1 a\n")
    (folder / "b.run").write_text("q Q0 y 1 9 b\nq Q0 z 2 8 b\n")
    mixed = fuse(["a.run", "b.run"], method="interpolate", weights=[3, 1], top=2)
    words = ("--method", "interpolate", "--weight", "3", "--weight", "1", "--top", "2")
    assert written(mixed) == ask("fuse", "a.run", "b.run", *words).text
    objects = fuse(
        [{"q": {"x": 3, "y": 1}}, spanwise.read_run("b.run")],
        method="interpolate",
        weights=[3, 1],
        top=2,
    )
    assert written(objects) == written(mixed)
    with pytest.raises(UsageError, match="at least two runs"):
        fuse(["a.run"])


@pytest.mark.parametrize(
    ("name", "begin"),
    [("r.run", "q Q0 x"), ("r.jsonl", '{"'), ("r.parquet", "PAR1"), ("r.txt", "q Q0 x")],
)
def test_the_ending_chooses_the_format_of_a_run(folder, name, begin):
    write_run({"q": {"x": 3}}, name)
    assert (folder / name).read_bytes().startswith(begin.encode())
    again = spanwise.read_run(name)
    assert (again.rows.topics, again.scores.tolist()) == ((b"q",), [3.0])
    write_run({"q": {"x": 3}}, name, "trec_run")
    assert (folder / name).read_text() == "q Q0 x 1 3.0 run\n"


@pytest.mark.parametrize("name", ["j.txt", "j.jsonl", "j.parquet"])
def test_the_ending_chooses_the_format_of_judgements(folder, name):
    judgements = {"q": {"x": 2, "y": 0}}
    spanwise.write_judgements(judgements, name)
    again = spanwise.read_judgements(name)
    assert again.grades.tolist() == [2.0, 0.0]
    assert (name == "j.txt") == ((folder / name).read_bytes() == b"q 0 x 2\nq 0 y 0\n")


def test_what_a_format_cannot_hold_is_a_warning(folder):
    (folder / "marked").write_text("1 Q0 ape 6 9 3 1:3 6:3\n1 Q0 bat 0 4\n")
    with pytest.warns(spanwise.SpanwiseWarning, match="cannot hold 2 highlighted passages"):
        spanwise.write_judgements("marked", "j", "qrels")
    spanwise.write_judgements("marked", "plain")  # nothing lost, or this warning is an error
    assert len(spanwise.read_judgements("plain").highlights.passages) == 2


def test_a_file_is_written_completely_or_not_at_all(folder):
    (folder / "old").write_text("old")
    before = sorted(folder.iterdir())
    with pytest.raises(spanwise.SpanwiseError):
        write_run({"q": {"blank name": 1.0}}, "old")
    assert (folder / "old").read_text() == "old"
    assert sorted(folder.iterdir()) == before
    with pytest.raises(UnknownName, match="run format"):
        write_run({"q": {"x": 1.0}}, "old", "qrels")


def test_a_pool_is_no_run_to_write(folder):
    with pytest.raises(spanwise.SpanwiseError):
        write_run(7, "x")
    assert not (folder / "x").exists()
