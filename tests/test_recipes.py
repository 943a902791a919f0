"""The recipes of ARCHITECTURE.md lead to a measure, a format, an engine and a command that work.

Each recipe is followed in a copy of the source: its blocks are written to the files that they name,
and its commands are run.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from source_code import ROOT

PAGE = Path(__file__).parents[1] / "ARCHITECTURE.md"
SECTION = re.compile(r"^## (Add [^\n]+)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
RECIPES = dict(SECTION.findall(PAGE.read_text(encoding="utf-8")))
BLOCK = re.compile(
    r"^```python\n# (?P<file>src/[\w/]+\.py)(?P<where>[^\n]*)\n(?P<code>.*?)^```",
    re.MULTILINE | re.DOTALL,
)
CONSOLE = re.compile(
    r"^```console\n\$ spanwise (?P<words>[^\n]+)\n(?P<out>.*?)^```", re.MULTILINE | re.DOTALL
)


def follow(recipe: str, folder: Path) -> None:
    """Write the blocks of a recipe to the files of a copy of the source."""
    shutil.copytree(ROOT, folder / "src" / "spanwise", ignore=shutil.ignore_patterns("__pycache__"))
    for block in BLOCK.finditer(recipe):
        file, code = folder / block["file"], block["code"]
        after = re.fullmatch(r", after '(.*)'", block["where"])
        if after:
            text = file.read_text(encoding="utf-8")
            assert text.count(after[1] + "\n") == 1, after[1]
            file.write_text(text.replace(after[1] + "\n", after[1] + "\n" + code), encoding="utf-8")
        elif block["where"] == ", at the end":
            file.write_text(file.read_text(encoding="utf-8") + code, encoding="utf-8")
        else:
            assert block["where"] == ""
            assert not file.exists()
            file.write_text(code, encoding="utf-8")


def test_there_is_a_recipe_for_each_kind_of_thing():
    assert list(RECIPES) == ["Add a measure", "Add a file format", "Add an engine", "Add a command"]


@pytest.mark.parametrize("title", RECIPES)
def test_a_recipe_can_be_followed(title, tmp_path):
    follow(RECIPES[title], tmp_path)
    commands = list(CONSOLE.finditer(RECIPES[title]))
    assert commands
    for command in commands:
        done = subprocess.run(
            [sys.executable, "-m", "spanwise", *command["words"].split()],
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": str(tmp_path / "src")},
            cwd=tmp_path,
            timeout=60,
            check=True,
        )
        assert done.stdout.startswith(command["out"])


def test_a_measure_that_was_added_is_scored(tmp_path):
    follow(RECIPES["Add a measure"], tmp_path)
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n")
    (tmp_path / "run").write_text("1 Q0 a 1 2 me\n1 Q0 b 2 1 me\n")
    done = subprocess.run(
        [sys.executable, "-m", "spanwise", "eval", "qrels", "run", "-m", "FirstMiss@5", "--json"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(tmp_path / "src")},
        cwd=tmp_path,
        timeout=60,
        check=True,
    )
    assert '"FirstMiss@5": 2.0' in done.stdout


def test_a_format_that_was_added_is_recognised(tmp_path):
    follow(RECIPES["Add a file format"], tmp_path)
    (tmp_path / "judged").write_text("%pairs\n1 a\n")
    (tmp_path / "run").write_text("1 Q0 b 1 2 me\n1 Q0 a 2 1 me\n")
    done = subprocess.run(
        [sys.executable, "-m", "spanwise", "eval", "judged", "run", "-m", "RR", "--json"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(tmp_path / "src")},
        cwd=tmp_path,
        timeout=60,
        check=True,
    )
    assert '"RR": 0.5' in done.stdout
