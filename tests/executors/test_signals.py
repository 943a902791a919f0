"""Engines are quiet, and what they start does not hear Ctrl-C."""

import os
import signal
import subprocess
import sys

from spanwise.executors.signals import interrupts_blocked, stderr_discarded

MASK = "import signal; print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ()))"
SPAWNED = """
import multiprocessing, signal
from spanwise.executors.signals import interrupts_blocked

def main():
    with interrupts_blocked():
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            print(pool.apply(signal.pthread_sigmask, (signal.SIG_BLOCK, ())))

if __name__ == "__main__":
    main()
"""


def blocked():
    return signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())


def child():
    return subprocess.run([sys.executable, "-c", MASK], capture_output=True, text=True).stdout


def test_a_process_that_is_started_meanwhile_does_not_hear_interrupts():
    with interrupts_blocked():
        assert blocked()
        assert child() == "True\n"
    assert not blocked()
    assert child() == "False\n"


def test_nor_does_one_that_python_spawns(tmp_path):
    program = tmp_path / "spawning.py"
    program.write_text(SPAWNED)
    found = subprocess.run([sys.executable, program], capture_output=True, text=True)
    assert "SIGINT" in found.stdout, found.stderr


def test_what_a_library_writes_past_python_is_not_heard(capfd):
    os.write(2, b"before ")
    with stderr_discarded():
        os.write(2, b"meanwhile ")
    os.write(2, b"after")
    assert capfd.readouterr().err == "before after"
