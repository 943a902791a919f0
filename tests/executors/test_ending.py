"""However a run ends, nothing of it stays."""

import signal
import subprocess
import sys

import pytest

PROGRAM = """
import os, signal, sys, threading, time
from contextlib import contextmanager
from spanwise.executors.signals import safe_context, temporary_folder, signals_deferred

with temporary_folder("x") as folder:
    (folder / "left").write_text("over")
    print(folder, flush=True)
    {body}
"""


def ended(body, tmp_path, *signals):
    """The status of a program that is sent signals, and what it said; its folder must be gone."""
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM.format(body=body)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={"TMPDIR": str(tmp_path)},
    )
    folder = process.stdout.readline().strip()
    for one in signals:
        process.send_signal(one)
    with process:
        out, err = process.stdout.read(), process.stderr.read()
    assert folder
    assert not list(tmp_path.glob("*"))
    return process.returncode, out, err


@pytest.mark.parametrize("asked", [signal.SIGTERM, signal.SIGHUP])
def test_being_asked_to_end_removes_the_folder(tmp_path, asked):
    status, _, err = ended("time.sleep(20)", tmp_path, asked)
    assert (status, err) == (128 + asked, "")


def test_interrupted(tmp_path):
    status, _, err = ended("time.sleep(20)", tmp_path, signal.SIGINT)
    assert status == -signal.SIGINT
    assert err.strip().endswith("KeyboardInterrupt")


def test_a_request_that_came_while_something_was_started_is_heard_afterwards(tmp_path):
    body = """
    with signals_deferred():
        os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGINT)
        print("started", flush=True)
    print("never")
"""
    status, out, _ = ended(body.strip(), tmp_path)
    assert out == "started\n"
    assert status in (128 + signal.SIGTERM, -signal.SIGINT)


def test_who_handles_signals_keeps_doing_so(tmp_path):
    body = """
    pass
signal.signal(signal.SIGTERM, lambda *_: print("mine", flush=True))
with temporary_folder("y"):
    os.kill(os.getpid(), signal.SIGTERM)
"""
    assert ended(body.strip(), tmp_path)[:2] == (0, "mine\n")


def test_a_context_is_left_if_somebody_asked_for_the_end_while_it_was_entered(tmp_path):
    body = """
    @contextmanager
    def cluster():
        os.kill(os.getpid(), signal.SIGTERM)
        print("started", flush=True)
        yield
        print("stopped", flush=True)
    with safe_context(cluster()):
        print("never")
"""
    assert ended(body.strip(), tmp_path) == (128 + signal.SIGTERM, "started\nstopped\n", "")
