"""Any number of processes prints the same bytes."""

import gzip
import os
from pathlib import Path

import pytest
from numpy.random import default_rng

from run_worlds import WORLDS
from spanwise.executors.processes import by_processes
from spanwise.formats.io.files import MEMORY_VARIABLE


@pytest.fixture(autouse=True)
def in_pieces(monkeypatch):
    monkeypatch.setenv(MEMORY_VARIABLE, "100K")


def printed(ask, *words):
    return ask("eval", "qrels", *words, "-q", "--format", "jsonl")


@pytest.mark.parametrize("world", WORLDS)
def test_any_number_of_workers(world, folder, ask):
    WORLDS[world](default_rng(1), folder)
    words = ["--collection", "articles"] if world == "elements" else []
    words += ["-m", "PrefSimple"] if world == "preferences" else []
    alone = printed(ask, "run", *words, "--workers", "1")
    assert alone.status == 0
    assert printed(ask, "run", *words, "--workers", "3") == alone


def test_several_runs_and_a_mistake_in_one(folder, ask):
    WORLDS["documents"](default_rng(2), folder)
    data = Path("run").read_bytes()
    Path("packed").write_bytes(gzip.compress(data.replace(b"mine", b"other")))
    alone = printed(ask, "run", "packed", "run")
    assert alone.status == 0
    assert printed(ask, "run", "packed", "run", "--workers", "2") == alone
    Path("packed").write_bytes(gzip.compress(data + b"t1 Q0 d1 1 one mine\n"))
    alone = printed(ask, "run", "packed", "run")
    assert "the score is 'one'" in alone.err
    assert printed(ask, "run", "packed", "run", "--workers", "2") == alone


def test_workers_of_an_engine_are_its_own(folder, ask):
    WORLDS["documents"](default_rng(2), folder)
    answer = printed(ask, "run", "--workers", "2", "--on", "dask")
    assert answer.status == 2
    assert "--workers has no effect with --on dask" in answer.err


def square_or_die(number: int) -> int:
    """What a worker does; one of them is killed the first time."""
    if number == 3 and not Path("died").exists():
        Path("died").touch()
        os._exit(1)
    return number * number


def test_what_a_dead_worker_left_is_done_here(folder):
    assert list(by_processes(square_or_die, range(9), 2)) == [n * n for n in range(9)]
    assert Path("died").exists()
