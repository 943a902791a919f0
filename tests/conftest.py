"""How generated tests run: quick by default, `--hypothesis-profile=thorough` before a release.

`make check` uses the profile `few`.

And the one session of Playwright: a process can have no second one.
"""

import os
import shutil
import signal

import pytest
from hypothesis import settings

from command_line import ask, evaluate, folder, run_command  # noqa: F401

# Who started the tests may have told them to ignore signals, as nohup does: the programs that tests
# start, and then interrupt, would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP"):
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

if not hasattr(os, "mkfifo"):  # Windows
    os.mkfifo = lambda *_: pytest.skip("this system has no named pipes")

settings.register_profile("few", max_examples=5, deadline=None)
settings.register_profile("quick", max_examples=50, deadline=None)  # machines may be busy
settings.register_profile("thorough", max_examples=2000, deadline=None)
settings.load_profile("quick")


@pytest.fixture(scope="session")
def playwright_session():
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with sync_api.sync_playwright() as session:
        yield session


@pytest.fixture
def pdflatex():
    """The program that shows whether a table for a paper compiles."""
    program = shutil.which("pdflatex")
    if program is None:
        pytest.skip("there is no LaTeX to compile with (Debian: texlive-latex-recommended)")
    return program
