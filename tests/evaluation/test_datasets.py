"""Datasets partitioned by topic, here and at addresses, give what the files give that they are."""

import json
import sys
from pathlib import Path

import polars as pl
import pytest
from numpy.random import default_rng

import spanwise
from run_worlds import WORLDS
from spanwise.formats.io.files import MARK, MEMORY_VARIABLE, dataset_at
from spanwise.formats.pieces import part_of

IN_PARQUET = [world for world in WORLDS if world not in ("elements", "preferences")]


@pytest.fixture(params=IN_PARQUET)
def world(request, folder, ask):
    """A run and judgements, each as a file and as a dataset."""
    WORLDS[request.param](default_rng(3), folder)
    for name in ("qrels", "run"):
        answer = ask("convert", name, f"{name}.parquet", "--partition", "4")
        assert answer.status == 0, answer.err
    return request.param


def printed(ask, judgements, run, *words):
    answer = ask("eval", judgements, run, "-q", "--format", "jsonl", *words)
    return answer.status, answer.out, answer.err.replace("run.parquet", "run")


def test_a_dataset_scores_as_its_file(world, ask):
    lines = list(printed(ask, "qrels", "run"))
    lines[2] = "".join(x for x in lines[2].splitlines(True) if "fields that are not used" not in x)
    for judgements in ("qrels", "qrels.parquet"):
        for run in ("run", "run.parquet"):
            status, out, said = printed(ask, judgements, run)
            assert (status, out) == (0, lines[1])
            assert lines[2] in said


@pytest.mark.filterwarnings("ignore::spanwise.errors.SpanwiseWarning")
def test_python_reads_datasets(world):
    whole = spanwise.evaluate("qrels", "run")
    for judgements in ("qrels", Path("qrels.parquet")):
        parts = spanwise.evaluate(judgements, Path("run.parquet"))
        assert parts.means == whole.means
        assert parts.source == "run.parquet"


def test_workers_share_the_parts(world, ask):
    alone = printed(ask, "qrels.parquet", "run.parquet")
    assert printed(ask, "qrels.parquet", "run.parquet", "--workers", "2") == alone


def test_a_topic_is_in_one_part(world, folder):
    stored = dataset_at("run.parquet")
    assert (stored.holds, stored.parts, stored.name) == ("run", 4, "mine")
    for number, file in stored.files.items():
        topics = pl.read_parquet(folder / "run.parquet" / file)["qid"].unique().to_list()
        assert {part_of(topic.encode(), 4) for topic in topics} == {int(number)}


def test_what_memory_does_not_hold_becomes_the_same_dataset(world, folder, ask, monkeypatch):
    monkeypatch.setenv(MEMORY_VARIABLE, "1K")
    assert ask("convert", "run", "again.parquet", "--partition", "4").status == 0
    for file in sorted(Path("run.parquet").glob("*.parquet")):
        again = pl.read_parquet(Path("again.parquet") / file.name)
        assert again.equals(pl.read_parquet(file))
    assert Path("again.parquet", MARK).read_bytes() == Path("run.parquet", MARK).read_bytes()


def test_compare_and_check_read_datasets(world, ask):
    compared = ask("compare", "qrels.parquet", "run.parquet", "run", "--format", "json")
    scores = json.loads(compared.out)["scores"]
    half = len(scores) // 2
    values = [[one["value"] for one in some] for some in (scores[:half], scores[half:])]
    assert values[0] == values[1]
    found = []
    for names in (("qrels", "run"), ("qrels.parquet", "run.parquet")):
        checked = ask("check", *names, "--format", "json")
        problems = [one["problems"] for one in json.loads(checked.out)["files"]]
        found.append([len(some) for some in problems])
    assert found[0] == found[1]
    for one in problems[1]:  # each says where it is
        place, _, message = one["message"].partition(": ")
        assert place.startswith("part-0000")
        assert "first on line None" not in message


def test_and_convert_reads_them_back(folder, ask):
    WORLDS["documents"](default_rng(4), folder)
    ask("convert", "qrels", "qrels.parquet", "--partition", "3")
    ask("convert", "qrels.parquet", "back", "--to", "qrels")
    assert sorted(Path("back").read_text().split("\n")) == sorted(
        Path("qrels").read_text().split("\n")
    )


# Mistakes -----------------------------------------------------------------------------------


def test_other_folders_still_stand_for_their_files(folder, ask):
    WORLDS["documents"](default_rng(4), folder)
    Path("runs").mkdir()
    Path("run").rename("runs/one")
    assert ask("eval", "qrels", "runs").status == 0
    Path("runs", MARK).write_text("{}")
    answer = ask("eval", "qrels", "runs")
    assert answer.status == 2
    assert f"runs/{MARK}: not what spanwise convert --partition writes" in answer.err


def test_a_document_twice_is_said_with_its_part(folder, ask):
    WORLDS["documents"](default_rng(4), folder)
    ask("convert", "run", "run.parquet", "--partition", "2")
    file = sorted(Path("run.parquet").glob("*.parquet"))[1]
    table = pl.read_parquet(file)
    pl.concat([table, table[3:4]]).write_parquet(file)
    answer = ask("eval", "qrels", "run.parquet")
    assert answer.status == 2
    assert f"{file}:{len(table) + 1}: document " in answer.err
    assert "first on line 4" in answer.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("out", "--partition", "2", "--to", "qrels"), "--partition writes span_run_parquet or"),
        (("out.txt",), "--to is missing"),
        (("out", "--partition", "0"), "--partition"),
        (("s3://there/run", "--partition", "2"), "a dataset needs a local folder"),
        (("full", "--partition", "2"), "full: already exists"),
    ],
)
def test_what_cannot_be_written(words, said, folder, ask):
    WORLDS["documents"](default_rng(4), folder)
    Path("full").mkdir()
    Path("full", "something").touch()
    answer = ask("convert", "run", *words)
    assert answer.status == 2
    assert said in answer.err
    assert answer.err.count("\n") == 1


# Addresses ----------------------------------------------------------------------------------


@pytest.fixture
def elsewhere(folder):
    """A place that only fsspec can reach."""
    fsspec = pytest.importorskip("fsspec")
    there = fsspec.filesystem("memory")
    yield there
    there.store.clear()


def test_files_and_datasets_at_addresses(folder, ask, elsewhere):
    WORLDS["documents"](default_rng(5), folder)
    ask("convert", "run", "run.parquet", "--partition", "3")
    elsewhere.put("run.parquet", "memory://kept/run.parquet", recursive=True)
    elsewhere.put("qrels", "memory://kept/qrels")
    here = ask("eval", "qrels", "run", "-q", "--format", "jsonl")
    for run in ("run.parquet", "memory://kept/run.parquet", f"file://{folder}/run.parquet"):
        for judgements in ("qrels", "memory://kept/qrels"):
            there = ask("eval", judgements, run, "-q", "--format", "jsonl")
            assert (there.status, there.out) == (0, here.out)


def test_an_address_without_a_file(folder, ask, elsewhere):
    WORLDS["documents"](default_rng(5), folder)
    answer = ask("eval", "qrels", "memory://kept/nothing")
    assert answer.status == 2
    assert answer.err.startswith("spanwise: error: memory://kept/nothing: cannot be opened")


def test_without_fsspec_the_extra_is_named(folder, ask, monkeypatch):
    WORLDS["documents"](default_rng(5), folder)
    monkeypatch.setitem(sys.modules, "fsspec", None)
    answer = ask("eval", "qrels", "s3://bucket/run.txt")
    assert answer.status == 3
    assert "pip install 'spanwise[remote]'" in answer.err


def test_a_protocol_that_nobody_knows(folder, ask, elsewhere):
    WORLDS["documents"](default_rng(5), folder)
    answer = ask("eval", "qrels", "carrier+pigeon://run.txt")
    assert answer.status == 2
    assert answer.err.count("\n") == 1


def test_topics_of_different_kinds_stay_what_they_are(folder, ask):
    """Parts of which one has elements, one spans and one ranges: together they are the run."""
    results = [
        '{"qid": "1", "doc": "a", "element": "/article[1]"}',
        '{"qid": "2", "doc": "a", "s": 0, "e": 5, "rank": 3, "id": "x", "cost": 7}',
        '{"qid": "3", "doc": "a", "from": "/article[1]", "to": "/article[1]/p[2]"}',
        '{"qid": "4", "doc": "a", "element": "/article[1]", "score": 1.0}',
    ]
    head = '{"format": "span-run/1", "run": "m", "unit": "char", "char": "opaque"}'
    (folder / "run").write_text("\n".join([head, *results]) + "\n")
    assert ask("convert", "run", "run.parquet", "--partition", "16").status == 0
    assert len(dataset_at("run.parquet").files) > 2
    answer = ask("convert", "run.parquet", "-", "--to", "span_run")
    first, *rest = answer.text.splitlines()
    assert (first, sorted(rest)) == (head, results)
