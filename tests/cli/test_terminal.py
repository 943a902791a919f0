"""What only a terminal is shown."""

import io
import os
import subprocess
import sys
import time

import pytest

import spanwise
from demo_files import (
    DENSE,
    HYBRID,
    KEYWORD,
    QRELS,
)
from spanwise import console as output

pty = pytest.importorskip("pty", reason="terminals are tested where POSIX has them")


def on_a_terminal(*words, columns=100, **variables):
    """What a command prints on a terminal of that width."""
    master, slave = pty.openpty()
    environment = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
    environment |= {"COLUMNS": str(columns), "TERM": "xterm", **variables}
    command = [sys.executable, "-m", "spanwise", *map(str, words)]
    with subprocess.Popen(command, stdout=slave, stderr=slave, env=environment) as process:
        os.close(slave)
        printed = b""
        while True:
            try:
                piece = os.read(master, 65536)
            except OSError:
                break
            if not piece:
                break
            printed += piece
        assert process.wait() == 0
    os.close(master)
    return printed.decode().replace("\r\n", "\n")


COMPARE = ("compare", QRELS, KEYWORD, DENSE, HYBRID, "-m", "nDCG@10", "-m", "AP", "-m", "P@5")


def test_the_best_is_bold_on_a_terminal_unless_colour_is_not_wanted():
    assert "\x1b[1m0.8706†\x1b[0m" in on_a_terminal(*COMPARE)
    assert "\x1b" not in on_a_terminal(*COMPARE, NO_COLOR="1")


def test_tables_fit_the_width():
    printed = on_a_terminal(*COMPARE, columns=60, NO_COLOR="1")
    tables = [line for line in printed.splitlines() if line.startswith(("run", "hybrid ", "---"))]
    assert tables
    assert max(map(len, tables)) <= 60


class Screen(io.StringIO):
    def isatty(self):
        return True


def test_a_bar_appears_after_a_while(monkeypatch):
    monkeypatch.setattr(output, "PROGRESS_DELAY", 0.02)
    monkeypatch.setenv("TERM", "xterm")
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    seen, deadline = [], time.monotonic() + 10
    for thing in output.watched(range(6), 6, "scoring"):
        while thing == 3 and "3/6" not in screen.getvalue() and time.monotonic() < deadline:
            time.sleep(0.01)
        seen.append(thing)
    assert seen == list(range(6))
    assert "scoring" in screen.getvalue()


def test_a_bar_appears_while_the_first_thing_is_in_the_making(monkeypatch):
    monkeypatch.setattr(output, "PROGRESS_DELAY", 0.02)
    monkeypatch.setenv("TERM", "xterm")
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)

    def one():
        deadline = time.monotonic() + 10
        while "0/1" not in screen.getvalue() and time.monotonic() < deadline:
            time.sleep(0.01)
        yield "done"

    assert list(output.watched(one(), 1, "scoring")) == ["done"]
    assert "scoring" in screen.getvalue()
    assert "left" in screen.getvalue()


def test_no_bar_where_nobody_looks_or_nothing_takes_long(monkeypatch):
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    assert list(output.watched(range(3), 3, "scoring")) == [0, 1, 2]
    assert screen.getvalue() == ""


def test_scores_show_themselves_in_a_notebook():
    scores = spanwise.evaluate(QRELS, KEYWORD, ["AP"])
    assert "<td>AP</td><td>0.6359</td><td>12</td>" in scores._repr_html_()


@pytest.mark.parametrize("more", [(), ("--all-pairs",)])
def test_latex_compiles(tmp_path, pdflatex, more):
    table = tmp_path / "table.tex"
    words = ("compare", QRELS, KEYWORD, DENSE, HYBRID, *more, "--format", "latex", "-o", table)
    subprocess.run([sys.executable, "-m", "spanwise", *map(str, words)], check=True)
    paper = "\\documentclass{article}\\usepackage{booktabs}\\begin{document}\n\\input{table}\n"
    (tmp_path / "paper.tex").write_text(paper + "\\end{document}\n")
    done = subprocess.run([pdflatex, "-halt-on-error", "paper"], cwd=tmp_path, check=False)
    assert done.returncode == 0
