"""The command line as a whole: help, hints, pipes, and the same bytes every time."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click import Context, NoSuchOption

import spanwise
from demo_files import HANDBOOK
from spanwise.cli import COMMANDS, SECTIONS, cli

EVERY_COMMAND = pytest.mark.parametrize("name", COMMANDS)

DROP_INS = ("trec_eval", "inex_eval", "evalj")


def test_help_lists_every_command_and_an_example(ask):
    answer = ask("--help")
    assert (answer.status, answer.err) == (0, "")
    below = [line.split() for line in answer.text.partition("\nScore:")[2].splitlines()]
    listed = [words[0] for words in below if words]
    assert [name for name in listed if name in COMMANDS] == list(COMMANDS)
    headings = [line for line in answer.text.splitlines() if line.endswith(":") and line[0] != " "]
    assert headings == ["Options:", *(f"{heading}:" for heading in SECTIONS)]
    assert "\n    spanwise eval " in answer.text


@EVERY_COMMAND
def test_every_command_is_explained_in_the_list(ask, name):
    lines = [line.split(maxsplit=1) for line in ask("--help").text.splitlines()]
    (explanation,) = [words[1] for words in lines if len(words) == 2 and words[0] == name]
    assert len(explanation) > 10
    assert not explanation.endswith("..."), "cut off: the first sentence is too long for a line"


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in DROP_INS])
def test_every_command_has_help_with_an_example(ask, name):
    for option in ("-h", "--help"):
        answer = ask(name, option)
        assert (answer.status, answer.err) == (0, "")
        assert answer.text.startswith(f"Usage: spanwise {name}")
        assert f"\n    spanwise {name}" in answer.text


def _commands_of_groups():
    for name in COMMANDS:
        command = cli.get_command(Context(cli), name)
        yield from ((name, part) for part in getattr(command, "commands", ()))


@pytest.mark.parametrize(("name", "part"), list(_commands_of_groups()))
def test_every_command_of_a_group_has_help_with_an_example(ask, name, part):
    answer = ask(name, part, "--help")
    assert (answer.status, answer.err) == (0, "")
    assert f"\n    spanwise {name} {part} " in answer.text


@pytest.mark.parametrize("name", DROP_INS)
def test_the_drop_ins_have_their_own_help(ask, name):
    answer = ask(name, "-h")
    assert answer.status == 0
    assert answer.text.startswith(f"spanwise {name} ")
    assert f"\n  spanwise {name} -" in answer.text


def test_without_words_there_is_help_and_a_status_of_its_own(ask):
    answer = ask()
    assert answer.status == 2
    assert answer.text.startswith("Usage: spanwise ")


def test_the_version(ask):
    answer = ask("--version")
    assert (answer.status, answer.text) == (0, f"spanwise {spanwise.__version__}\n")


@pytest.mark.parametrize("word", ["evl", "xyz"])
def test_an_unknown_command_is_answered_with_a_hint(ask, word):
    complaint = ask(word, "a", "b").complaint
    assert complaint.startswith(f"unknown command '{word}'; ")
    assert complaint.endswith("; see: spanwise --help")
    assert "eval" in complaint or word == "xyz"


def test_an_unknown_option_is_an_error_of_one_line(ask):
    assert ask("--nonsense").complaint == NoSuchOption("--nonsense").message


def test_the_package_runs_as_a_module(folder):
    source = str(Path(spanwise.__file__).parent.parent)
    done = subprocess.run(
        [sys.executable, "-m", "spanwise", "--version"],
        capture_output=True,
        env=os.environ | {"PYTHONPATH": source},
        check=True,
    )
    assert done.stdout == f"spanwise {spanwise.__version__}\n".encode()


# Pipes ---------------------------------------------------------------------------------------


def large(folder, topics: int = 3000) -> None:
    """Files whose scores fill a pipe many times."""
    numbers = range(topics)
    (folder / "qrels.txt").write_text("".join(f"{n} 0 a 1\n{n} 0 b 0\n" for n in numbers))
    lines = [f"{n} Q0 {d} 1 {n % 7 + (d == 'a')} me\n" for n in numbers for d in "ab"]
    (folder / "run.txt").write_text("".join(lines))


def start(*words: str, **how) -> subprocess.Popen:
    source = str(Path(spanwise.__file__).parent.parent)
    return subprocess.Popen(
        [sys.executable, "-m", "spanwise", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": source},
        **how,
    )


@pytest.mark.parametrize("command", ["eval", "trec_eval"])
def test_a_reader_that_has_enough_is_no_error(folder, command):
    large(folder)
    words = ("-q", "-m", "map", "qrels.txt", "run.txt")
    with start(command, *words) as process:
        first = process.stdout.readline()
        process.stdout.close()
        err = process.stderr.read()
    assert first
    assert (process.returncode, err) == (0, b"")


def test_an_interrupt_is_one_line(folder):
    os.mkfifo(folder / "pipe")
    process = start("eval", "qrels.txt", "pipe")
    with process, (folder / "pipe").open("wb"):  # opened: the command waits for lines
        process.send_signal(signal.SIGINT)
        err = process.stderr.read()
    assert b"Traceback" not in err
    assert err.decode().strip() == "spanwise: error: interrupted"
    assert process.returncode == 130


# The same bytes ------------------------------------------------------------------------------


def test_the_same_bytes_every_time_on_any_number_of_threads(folder, run_command):
    large(folder, 500)
    words = ("eval", "qrels.txt", "run.txt", "-q", "--format", "jsonl")
    one = {"PYTHONHASHSEED": "1", "POLARS_MAX_THREADS": "1"}
    two = {"PYTHONHASHSEED": "2", "POLARS_MAX_THREADS": "2"}
    plain = run_command(*words)
    assert (plain.status, len(plain.records)) == (0, 501 * 6)
    for setting in (one, one, two):
        answer = run_command(*words, before="import polars", environment=setting)
        assert answer.out == plain.out


def test_several_pieces_on_threads_give_the_same_bytes(folder, run_command):
    large(folder, 500)
    words = ("eval", "qrels.txt", "run.txt", "-q", "--format", "jsonl")
    cut = "from spanwise.formats.io import files; files.CHUNK = 1000"
    answers = [
        run_command(*words, before=cut, environment={"POLARS_MAX_THREADS": threads})
        for threads in ("1", "2")
    ]
    assert answers[0].out == answers[1].out == run_command(*words).out


@pytest.mark.parametrize("traceback", ["", "1"])
def test_a_defect_of_ours_is_one_line_unless_a_traceback_is_wanted(traceback):
    code = "from spanwise import cli; cli.main = lambda: {}['absent']; cli.run()"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "SPANWISE_TRACEBACK": traceback},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr.startswith("Traceback" if traceback else "spanwise: error: a defect of ")
    assert done.stderr.count("\n") == 1 or traceback
    assert "KeyError: 'absent'" in done.stderr
    assert done.returncode == (1 if traceback else 70)


@pytest.mark.parametrize("asked", [signal.SIGTERM, signal.SIGHUP])
def test_a_command_that_is_ended_leaves_nothing(tmp_path, asked):
    words = [HANDBOOK / "qrels.txt", "-", "--collection", HANDBOOK / "articles"]
    process = subprocess.Popen(
        [sys.executable, "-m", "spanwise", "eval", *map(str, words)],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    until = time.monotonic() + 60
    while not list(tmp_path.glob("*/*")):  # the documents are being taken in, or were
        assert time.monotonic() < until
        time.sleep(0.01)
    process.send_signal(asked)
    with process:
        assert process.stderr.read() == b""
    assert process.returncode == 128 + asked
    assert list(tmp_path.iterdir()) == []
