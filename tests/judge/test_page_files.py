"""The files of the page: all listed, small, our own, and none that makes markup of text."""

import gzip
import re
from pathlib import Path

import pytest

import spanwise
from spanwise.judge.server import PAGE

FOLDER = Path(spanwise.__file__).parent / "judge" / "page"
FILES = sorted(FOLDER.iterdir())
PARSERS = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|DOMParser"


def test_every_file_is_in_the_table():
    assert {file.name for file in FILES} == {*PAGE, "index.html"}


def test_the_page_is_small():
    assert sum(len(gzip.compress(file.read_bytes())) for file in FILES) <= 60_000


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_nothing_foreign_and_nothing_that_parses(file):
    text = file.read_text(encoding="utf-8")
    assert not re.search(PARSERS, text)
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", text)
    for source in re.findall(r'from "([^"]+)"', text):
        assert source.startswith("./")
        assert source[2:] in PAGE
    assert len(text.splitlines()) <= 420
