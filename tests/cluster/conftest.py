"""Real engines; one that is not installed is skipped with a reason."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from cluster.leftovers import nothing_left
from spanwise.executors import ENGINES

SESSION = Path(__file__).with_name("session.py")


def refuse_missing(engine: str) -> None:
    """Skip what cannot be run here."""
    if find_spec(ENGINES[engine].library) is None:
        pytest.skip(f"{engine} is not installed; make test-cluster does that")
    if engine == "spark" and shutil.which("java") is None:
        pytest.skip("spark needs Java 17")


@pytest.fixture
def scratch():
    """A folder for temporary files, whose name is short enough for sockets; empty in the end."""
    folder = Path(tempfile.mkdtemp(prefix="sw-", dir="/tmp"))
    yield folder
    left = list(folder.iterdir())
    shutil.rmtree(folder)
    assert left == []


class Session:
    """A cluster in a process group of its own, and a command line beside it."""

    def __init__(self, engine: str, temporary: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(SESSION), engine],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "TMPDIR": str(temporary)},
            start_new_session=True,
        )

    def both(self, *words) -> tuple[list, list]:
        """What a command does here, and on the cluster."""
        print(json.dumps([str(word) for word in words]), file=self._process.stdin, flush=True)
        line = self._process.stdout.readline()
        assert line, f"the session ended: {self._process.wait()}"
        here, there = json.loads(line)
        return here, there

    def end(self) -> None:
        with self._process:
            self._process.stdin.close()
            assert self._process.wait(60) == 0
        nothing_left(self._process.pid)


@pytest.fixture(scope="module", params=ENGINES)
def session(request):
    """Two workers of each engine, for all tests of a module."""
    refuse_missing(request.param)
    folder = Path(tempfile.mkdtemp(prefix="sw-", dir="/tmp"))
    found = Session(request.param, folder)
    yield found
    try:
        found.end()
        left = [one for one in folder.rglob("*") if one.is_file() and one.suffix != ".lock"]
        assert left == []
    finally:
        shutil.rmtree(folder, ignore_errors=True)
