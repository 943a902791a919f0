"""The public API is typed: checkers accept a program that uses it, and refuse wrong calls."""

import json
import os
import runpy
import shutil
import subprocess
import sys
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parent / "program.py"
SOURCES = Path(__file__).parents[2] / "src"


def test_the_program_runs(tmp_path):
    made = runpy.run_path(str(PROGRAM))
    answer = made["program"](tmp_path)
    assert answer.startswith("1.0 [] 0 ")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "both.run",
        "judgements.parquet",
        "pool.jsonl",
        "qrels",
    ]
    handbook = files("spanwise") / "data" / "handbook"
    shutil.copytree(str(handbook / "articles"), tmp_path / "articles")
    found = made["elements"](handbook / "qrels.txt", tmp_path / "articles")
    assert found[0][0].startswith("/article[1]/")


def test_mypy_accepts_it_strictly(tmp_path):
    words = ("--strict", "--follow-imports=silent", f"--cache-dir={tmp_path}", "--config-file=")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *words, str(PROGRAM)],
        env={**os.environ, "MYPYPATH": str(SOURCES)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_pyright_accepts_it(tmp_path):
    """Basic checks, as most editors have them switched on."""
    if find_spec("pyright") is None:
        pytest.skip("pyright is not installed")
    settings = {
        "include": [PROGRAM.name],
        "extraPaths": [str(SOURCES)],
        "typeCheckingMode": "basic",
        "reportUnnecessaryTypeIgnoreComment": "error",
    }
    shutil.copy(PROGRAM, tmp_path)
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    words = ("--outputjson", "--pythonpath", sys.executable, "-p", str(tmp_path))
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pyright", *words],
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        found = json.loads(done.stdout)
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        pytest.skip(f"pyright cannot start: {error}")
    assert found["summary"]["filesAnalyzed"] == 1
    problems = found["generalDiagnostics"]
    assert [(one["range"]["start"], one["message"]) for one in problems] == []
