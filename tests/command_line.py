"""A small world for the command line: two files, and ways to ask about them."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

import spanwise
from spanwise.cli import main

# topic 1   ape -, bat +, cat (unjudged), dog +   AP (1/2 + 2/4) / 2 = 1/2
# topic 2   eel +, fox -                          AP 1
QRELS = "1 0 bat 1\n1 0 dog 1\n1 0 ape 0\n2 0 eel 1\n2 0 fox 0\n"
RUN = (
    "1 Q0 ape 1 9.5 mine\n1 Q0 bat 2 8.5 mine\n1 Q0 cat 3 7.5 mine\n1 Q0 dog 4 6.5 mine\n"
    "2 Q0 eel 1 5.5 mine\n2 Q0 fox 2 4.5 mine\n"
)


@dataclass
class Answer:
    status: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        return self.out.decode()

    @property
    def records(self) -> list[dict]:
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def values(self) -> dict[str, float | None]:
        """Value by topic, where one measure was asked for."""
        return {record["topic"]: record["value"] for record in self.records}

    @property
    def complaint(self) -> str:
        """The one line of an error, without its beginning; nothing else may have been said."""
        assert (self.status, self.out) == (2, b""), self
        assert self.err.endswith("\n")
        assert self.err.count("\n") == 1
        assert self.err.startswith("spanwise: error: ")
        return self.err.removeprefix("spanwise: error: ")[:-1]

    @property
    def warnings(self) -> list[str]:
        lines = self.err.splitlines()
        assert all(line.startswith("spanwise: warning: ") for line in lines)
        return [line.removeprefix("spanwise: warning: ") for line in lines]


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """The current folder, with qrels.txt and run.txt in it."""
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "run.txt").write_text(RUN)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def ask(folder, capfdbinary):
    """Put a question to the command line, inside this process."""

    def ask(*words: str) -> Answer:
        capfdbinary.readouterr()
        status = main(list(words))
        out, err = capfdbinary.readouterr()
        return Answer(status, out, err.decode())

    return ask


@pytest.fixture
def evaluate(ask):
    """`spanwise eval` of the two files, topic by topic, as JSON lines."""

    def evaluate(*words: str, measure: str = "AP") -> Answer:
        files = ("qrels.txt", "run.txt")
        return ask("eval", *files, "-m", measure, "-q", "--format", "jsonl", *words)

    return evaluate


@pytest.fixture
def run_command(folder):
    """Run the real command in a process of its own."""

    def run(*words: str, before: str = "", **how) -> Answer:
        source = str(Path(spanwise.__file__).parent.parent)
        environment = os.environ | {"PYTHONPATH": source} | how.pop("environment", {})
        code = f"import sys; {before}\nfrom spanwise.cli import run; run()"
        done = subprocess.run(
            [sys.executable, "-c", code, *words],
            capture_output=True,
            env=environment,
            timeout=120,
            check=False,
            **how,
        )
        return Answer(done.returncode, done.stdout, done.stderr.decode())

    return run
