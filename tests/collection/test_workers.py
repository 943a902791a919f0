"""Processes that make shards, and Ctrl-C."""

import signal
import subprocess
import sys

import pytest

from spanwise.collection.building import Plan, _interrupts_held, build

resource = pytest.importorskip("resource", reason="processes are measured where POSIX can do it")


def test_two_shards_are_made_by_this_process(tmp_path):
    documents = [tmp_path / "d.xml", tmp_path / "e.xml"]
    for document in documents:
        document.write_text("<a>x</a>")
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    plan = Plan(workers=2, shard_bytes=8)
    build(list(map(str, documents)), str(tmp_path / "store"), plan)
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime == before


def interrupted_while_a_process_starts():
    """What the process prints that is started while Ctrl-C is pressed."""
    code = "import os, signal; os.kill(os.getpid(), signal.SIGINT); print('still here')"
    with _interrupts_held():
        signal.raise_signal(signal.SIGINT)
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
        assert done.stdout == b"still here\n"


def test_an_interruption_waits_until_a_process_has_started():
    with pytest.raises(KeyboardInterrupt):
        interrupted_while_a_process_starts()
    with pytest.raises(KeyboardInterrupt):  # as before
        signal.raise_signal(signal.SIGINT)


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_store_that_does_not_fit(tmp_path, workers):
    (tmp_path / "d.xml").write_text(f"<a>{'<b>x</b>' * 100_000}</a>")
    words = [sys.executable, "-m", "spanwise", "collection", "build", "d.xml", "-o", "store"]
    done = subprocess.run(
        [*words, "--workers", workers],
        cwd=tmp_path,
        capture_output=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)),
    )
    assert done.returncode == 2
    assert done.stderr == b"spanwise: error: store: cannot be written (File too large)\n"
    assert not (tmp_path / "store").exists()
