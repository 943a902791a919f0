"""Measurement of a command in a fresh process: seconds, CPU seconds, peak memory."""

import os
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

SAMPLE_SECONDS = 0.01
SAMPLES_PER_LOOK_FOR_CHILDREN = 10
MB = 1024 * 1024


class CommandFailedError(Exception):
    """The command ended with an error or exceeded its time limit."""


@dataclass(frozen=True)
class Taken:
    """Time, memory and output of one run of a command."""

    seconds: float
    cpu_seconds: float
    peak_mb: float
    output: str


class TreeWatch(threading.Thread):
    """Samples the memory of a process and its descendants, and ends them at the time limit.

    The system only records the peak of each single process. A program with workers needs the peak
    of their sum, hence the sampling. A search for new descendants reads the whole process table,
    so it is done less often than reading their memory.
    """

    def __init__(self, pid: int, limit: float) -> None:
        super().__init__(daemon=True)
        self.peak = 0
        self.timed_out = False
        self._root = psutil.Process(pid)
        self._deadline = time.monotonic() + limit
        self._ended = threading.Event()

    def run(self) -> None:
        """Sample memory until the process has ended."""
        family = [self._root]
        samples = 0
        while not self._ended.is_set():
            if samples % SAMPLES_PER_LOOK_FOR_CHILDREN == 0:
                family = self._family()
            self.peak = max(self.peak, sum(map(_resident, family)))
            samples += 1
            if time.monotonic() > self._deadline:
                self.timed_out = True
                self._end_family()
                return
            self._ended.wait(SAMPLE_SECONDS)

    def finish(self) -> None:
        """Stop sampling; call this after the process has ended."""
        self._ended.set()
        self.join()

    def _family(self) -> list[psutil.Process]:
        try:
            return [self._root, *self._root.children(recursive=True)]
        except psutil.Error:
            return []

    def _end_family(self) -> None:
        for process in reversed(self._family()):
            try:
                process.kill()
            except psutil.Error:
                continue


def _resident(process: psutil.Process) -> int:
    """Return the resident bytes of a process, 0 if it has ended."""
    try:
        return int(process.memory_info().rss)
    except psutil.Error:
        return 0


def _environment() -> dict[str, str]:
    """Return the environment with byte-compiled files allowed, so that they are reused."""
    return {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}


def _last_line(text: str) -> str:
    """Return the last line of an error output, which states the error."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "no message"


def measure(command: list[str], folder: Path, limit: float) -> Taken:
    """Run a command to its end and measure it.

    The main thread waits in wait4, so that it notices the end at once and not at the next sample.
    Its rusage covers the command and all descendants it has waited for.
    """
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        start = time.perf_counter()
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            cwd=folder,
            env=_environment(),
        )
        watch = TreeWatch(process.pid, limit)
        watch.start()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        watch.finish()
        out.seek(0)
        err.seek(0)
        if watch.timed_out:
            raise CommandFailedError(f"over {limit:g} s, skipped")
        if process.returncode != 0:
            raise CommandFailedError(f"failed: {_last_line(err.read())}")
        return Taken(
            seconds=seconds,
            cpu_seconds=usage.ru_utime + usage.ru_stime,
            peak_mb=max(watch.peak, usage.ru_maxrss * _maxrss_unit()) / MB,
            output=out.read(),
        )


def _maxrss_unit() -> int:
    """Return the unit of ru_maxrss in bytes: 1024 on Linux, 1 on macOS."""
    return 1 if sys.platform == "darwin" else 1024
