"""Runs and judgements that memory does not hold, in any order, packed or not: nothing shows it.

What a small allowance gives is compared with what reading everything at once gives: standard
output, standard error and status, byte for byte.
"""

import gzip
import io
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from numpy.random import default_rng

import spanwise
from run_worlds import WORLDS
from spanwise.errors import UsageError
from spanwise.formats.io import files
from spanwise.formats.io.files import (
    MEMORY_VARIABLE,
    fits,
    memory_limit,
    piece_size,
)

TIGHT, LESS_TIGHT = "6K", "60K"
"""In the first even judgements are taken apart, in the second they are not."""


def in_another_order(lines: list[str], seed: int) -> list[str]:
    """Lines of all topics mixed; a header stays."""
    head = lines[: lines[0].startswith('{"format')]
    body = lines[len(head) :]
    random.Random(seed).shuffle(body)
    return head + body


def spoiled(lines: list[str]) -> list[str]:
    return [*lines[:-4], "t1 what is this?\n", *lines[-4:]]


def doubled(lines: list[str]) -> list[str]:
    return [*lines, *lines[7:10]]


FILES = {
    "grouped": lambda lines: lines,
    "mixed": lambda lines: in_another_order(lines, 1),
    "spoiled": spoiled,
    "mixed and spoiled": lambda lines: spoiled(in_another_order(lines, 2)),
    "doubled": doubled,
    "mixed and doubled": lambda lines: doubled(in_another_order(lines, 3)),
    "commented": lambda lines: ["# a comment\n", *lines[:30], "\n", *lines[30:], "# the end\n"],
}


@pytest.fixture(autouse=True)
def small_steps(monkeypatch):
    """Files are read in steps of some kilobytes, as large ones in steps of megabytes."""
    monkeypatch.setattr(files, "CHUNK", 1 << 12)


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("world", WORLDS)
def test_the_same_is_printed(world, file, packed, folder, ask, monkeypatch):
    WORLDS[world](default_rng(7), folder)
    lines = (folder / "run").read_text().splitlines(keepends=True)
    if file == "commented" and lines[0].startswith("{"):
        pytest.skip("JSON lines have no comments")
    data = "".join(FILES[file](lines)).encode()
    (folder / "run").write_bytes(gzip.compress(data) if packed else data)
    words = ["eval", "qrels", "run", "-q", "--format", "jsonl"]
    words += ["--collection", "articles"] if world == "elements" else []
    at_once = ask(*words)
    for little in (TIGHT, LESS_TIGHT):
        monkeypatch.setenv(MEMORY_VARIABLE, little)
        assert ask(*words) == at_once


@pytest.mark.parametrize("file", ["grouped", "mixed", "spoiled"])
def test_standard_input(file, folder, ask, monkeypatch):
    WORLDS["documents"](default_rng(8), folder)
    lines = (folder / "run").read_text().splitlines(keepends=True)
    data = "".join(FILES[file](lines)).encode()

    def answer():
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(data))))
        return ask("eval", "qrels", "-", "-q", "--format", "jsonl")

    at_once = answer()
    monkeypatch.setenv(MEMORY_VARIABLE, LESS_TIGHT)
    assert answer() == at_once


def test_several_assessors(folder, ask, monkeypatch):
    WORLDS["documents"](default_rng(9), folder)
    lines = (folder / "qrels").read_text().splitlines()
    people = [line.replace(" 0 ", f" {'AB'[n % 2]} ", 1) for n, line in enumerate(lines)]
    (folder / "qrels").write_text("\n".join(people) + "\n")
    words = ("eval", "qrels", "run", "-q", "--judgements-format", "qrels_jg", "--format", "json")
    at_once = ask(*words)
    assert at_once.status == 0
    for little in (TIGHT, LESS_TIGHT):
        monkeypatch.setenv(MEMORY_VARIABLE, little)
        assert ask(*words) == at_once


def test_python_reads_long_files_in_pieces(folder, monkeypatch):
    WORLDS["documents"](default_rng(10), folder)
    whole = spanwise.evaluate("qrels", "run", ["AP", "nDCG@10"])
    monkeypatch.setenv(MEMORY_VARIABLE, LESS_TIGHT)
    pieces = spanwise.evaluate("qrels", Path("run"), ["AP", "nDCG@10"])
    assert pieces.per_topic == whole.per_topic
    assert (pieces.means, pieces.notes) == (whole.means, whole.notes)


# Room ---------------------------------------------------------------------------------------


def test_how_much_may_be_used(monkeypatch, tmp_path):
    file = tmp_path / "run"
    file.write_bytes(b"x" * 1000)
    monkeypatch.setenv(MEMORY_VARIABLE, "2G")
    assert memory_limit() == 2 << 30
    assert fits(str(file))
    monkeypatch.setenv(MEMORY_VARIABLE, "3K")
    assert not fits(str(file))
    assert piece_size() == 192
    monkeypatch.setenv(MEMORY_VARIABLE, "much")
    with pytest.raises(UsageError, match="SPANWISE_MEMORY is 'much'"):
        memory_limit()
    monkeypatch.delenv(MEMORY_VARIABLE)
    assert memory_limit() > 1 << 20


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """Where temporary folders are made."""
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setenv("TMPDIR", str(place))
    monkeypatch.setattr("tempfile.tempdir", None)
    return place


@pytest.mark.parametrize("file", ["mixed", "mixed and spoiled"])
def test_nothing_is_left_on_disk(file, folder, ask, monkeypatch, temporary):
    WORLDS["documents"](default_rng(11), folder)
    lines = (folder / "run").read_text().splitlines(keepends=True)
    (folder / "run").write_text("".join(FILES[file](lines)))
    monkeypatch.setenv(MEMORY_VARIABLE, TIGHT)
    ask("eval", "qrels", "run")
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_not_even_when_it_is_told_to_stop(number, folder, temporary):
    WORLDS["documents"](default_rng(12), folder)
    lines = (folder / "run").read_text().splitlines(keepends=True)
    with (folder / "run").open("w") as out:
        for turn in range(600):  # each time other documents
            out.writelines(line.replace(" d", f" d{turn}-") for line in in_another_order(lines, 1))
    environment = os.environ | {MEMORY_VARIABLE: "2M", "TMPDIR": str(temporary)}
    words = [sys.executable, "-m", "spanwise", "eval", "qrels", "run"]
    running = subprocess.Popen(words, env=environment, stderr=subprocess.PIPE, text=True)
    while not list(temporary.iterdir()) and running.poll() is None:
        time.sleep(0.01)
    assert running.poll() is None, "it was over before it could be stopped"
    running.send_signal(number)
    _, said = running.communicate(timeout=60)
    assert running.returncode not in (0, 2)
    assert "Traceback" not in said
    assert list(temporary.iterdir()) == []
