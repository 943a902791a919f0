"""Whole commands in process groups of their own: workers that are killed, runs that are ended.

Whatever happens, no process of the group stays, and no file.
"""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cluster.conftest import refuse_missing
from cluster.leftovers import nothing_left, of_session
from demo_files import HANDBOOK, KEYWORD, QRELS
from spanwise.executors import ENGINES

RUNS = 40
MEASURES = ["-m", "MAiP", "-m", "SpanR", "-m", "Passage2AP"]
READ_ALREADY = 75_000_000
"""Bytes that a worker has read when it is in the middle of its work: some five of the runs."""
WORKERS = {"dask": "spawn_main", "spark": "pyspark", "ray": "ray::"}
every_engine = pytest.mark.parametrize("engine", ENGINES)


class Command:
    """A program, such as the command line, in a session of its own."""

    def __init__(self, words, temporary, folder, program=("-m", "spanwise")) -> None:
        self.process = subprocess.Popen(
            [sys.executable, *map(str, program), *map(str, words)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "TMPDIR": str(temporary)},
            cwd=folder,
            start_new_session=True,
        )

    def ended(self):
        """Output, errors and status, once nothing is left of it."""
        with self.process:
            out, err = self.process.communicate(timeout=180)
        nothing_left(self.process.pid)
        return out, err.decode(), self.process.returncode

    def worker_in_the_middle(self, engine) -> int:
        """A worker that has read some runs; there are many more of them."""
        until = time.monotonic() + 120
        while time.monotonic() < until:
            for number, words in of_session(self.process.pid).items():
                if WORKERS[engine] in words and bytes_read(number) > READ_ALREADY:
                    return number
            assert self.process.poll() is None, self.process.communicate()
            time.sleep(0.02)
        raise AssertionError(of_session(self.process.pid))


def bytes_read(number) -> int:
    try:
        return int(Path(f"/proc/{number}/io").read_text().split()[1])
    except OSError:
        return 0


def here(words, folder):
    return Command(words, folder, folder).ended()


@pytest.fixture(scope="module")
def much(tmp_path_factory):
    """Forty runs of 200,000 chunks: work for some seconds."""
    folder, dice = tmp_path_factory.mktemp("much"), random.Random(1)
    head = {"unit": "char", "char": "codepoint"}
    gold, run = [{"format": "span-qrels/1", **head}], [{"format": "span-run/1", **head}]
    for topic in range(200):
        for document in dice.sample(range(2000), 5):
            start = dice.randrange(800)
            place = {"qid": f"t{topic}", "doc": f"d{document}", "doc_len": 1000}
            gold.append({**place, "spans": [{"s": start, "e": start + 60}]})
        for rank in range(1000):
            start = dice.randrange(900)
            place = {"qid": f"t{topic}", "doc": f"d{dice.randrange(2000)}", "score": 1000 - rank}
            run.append({**place, "s": start, "e": start + 100})
    for name, lines in (("gold.jsonl", gold), ("run00.jsonl", run)):
        (folder / name).write_text("".join(json.dumps(line) + "\n" for line in lines))
    for number in range(1, RUNS):
        (folder / f"run{number:02}.jsonl").hardlink_to(folder / "run00.jsonl")
    return folder


@pytest.fixture(scope="module")
def long_words(much):
    runs = [f"run{number:02}.jsonl" for number in range(RUNS)]  # from the folder of the call
    return ["eval", "gold.jsonl", *runs, *MEASURES, "-q", "--format", "csv"]


@pytest.fixture(scope="module")
def expected(much, long_words):
    return here(long_words, much)


@every_engine
def test_without_an_address_two_workers_are_started_and_stopped(engine, scratch, tmp_path):
    refuse_missing(engine)
    runs = [HANDBOOK / f"{name}.run" for name in ("articles", "elements", "passages")]
    words = ["eval", HANDBOOK / "qrels.txt", *runs, "--collection", HANDBOOK / "articles", "-q"]
    found = Command([*words, "--on", engine], scratch, tmp_path).ended()
    assert found == here(words, tmp_path)
    assert found[2] == 0


@every_engine
def test_calls_from_python(engine, tmp_path):
    refuse_missing(engine)
    program = Path(__file__).with_name("calls.py")
    out, err, status = Command([engine], "/tmp", tmp_path, program=[program]).ended()
    assert (out, status) == (b"", 0), err


@every_engine
def test_a_worker_that_is_killed_changes_nothing(engine, scratch, much, long_words, expected):
    refuse_missing(engine)
    on = "spark:local-cluster[2,1,1024]" if engine == "spark" else engine
    command = Command([*long_words, "--on", on], scratch, much)
    worker = command.worker_in_the_middle(engine)
    if engine == "spark":
        worker = executor_of(worker)
    os.kill(worker, signal.SIGKILL)
    assert command.process.poll() is None
    assert command.ended() == expected


def executor_of(number) -> int:
    """The Java process above a worker of Spark's."""
    while b"java" not in Path(f"/proc/{number}/cmdline").read_bytes().split(b"\0")[0]:
        number = int(Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[1])
    return number


@every_engine
@pytest.mark.parametrize("asked", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_ended_leaves_nothing(engine, asked, scratch, much, long_words):
    refuse_missing(engine)
    command = Command([*long_words, "--on", engine], scratch, much)
    command.worker_in_the_middle(engine)
    if asked == signal.SIGINT:
        os.killpg(command.process.pid, asked)  # as Ctrl-C does
        out, err, status = command.ended()
        assert (out, err.strip(), status) == (b"", "spanwise: error: interrupted", 130)
    else:
        command.process.send_signal(asked)
        assert command.ended() == (b"", "", 128 + asked)


@every_engine
def test_a_poisoned_run_ends_the_work_on_all(engine, scratch, much, long_words):
    refuse_missing(engine)
    (much / "poisoned.jsonl").write_text('{"qid": "t1", "doc": "d1", "s": 5}\n{"qid"\n')
    words = [*long_words[:4], "poisoned.jsonl", *long_words[4:]]
    found = Command([*words, "--on", engine], scratch, much).ended()
    assert found == here(words, much)
    assert "poisoned.jsonl:" in found[1]
    assert found[2] == 2


@pytest.mark.parametrize(
    "address",
    ["dask:tcp://127.0.0.1:9", "spark:spark://127.0.0.1:9", "spark:nonsense", "ray:127.0.0.1:9"],
)
def test_a_cluster_that_is_not_there_is_one_line(address, scratch, tmp_path):
    engine = address.partition(":")[0]
    refuse_missing(engine)
    words = ["eval", QRELS, KEYWORD, "--on", address]
    out, err, status = Command(words, scratch, tmp_path).ended()
    assert (out, status) == (b"", 2)
    assert err.startswith(f"spanwise: error: {engine}: ")
    assert err.count("\n") == 1
