"""Documents in SGML files of many: TREC's `<DOC>`, and the stories of Reuters-21578."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

from spanwise.collection.smart import Piece
from spanwise.collection.soup import escaped, readable

DOC = re.compile(rb"<DOC(?:\s[^>]*)?>(.*?)</DOC>", re.DOTALL | re.IGNORECASE)
DOCNO = re.compile(rb"<DOCNO>\s*(.*?)\s*</DOCNO>", re.DOTALL | re.IGNORECASE)
STORY = re.compile(r"<REUTERS\b([^>]*)>(.*?)</REUTERS>", re.DOTALL)
NEWID = re.compile(r'\bNEWID="(\d+)"')
TEXT = re.compile(r"<TEXT\b[^>]*>(.*)</TEXT>", re.DOTALL)
PARTS = ("TITLE", "AUTHOR", "DATELINE", "BODY")


def looks_like_trec(name: bytes, head: bytes) -> bool:  # noqa: ARG001
    """A `<DOC>` with a `<DOCNO>` near the start."""
    return bool(re.match(rb"(?is)\s*(?:<\?xml[^>]*>\s*)?<DOC(?:\s[^>]*)?>.{0,4000}?<DOCNO>", head))


def trec_documents(data: bytes) -> Iterator[Piece]:
    """What stands between `<DOC>` and `</DOC>`, named by its `<DOCNO>`."""
    for found in DOC.finditer(data):
        number = DOCNO.search(found[1])
        name = readable(number[1]).strip() if number else ""
        yield Piece(name, b"<doc>" + DOCNO.sub(b"", found[1], count=1) + b"</doc>", "sgml")


def looks_like_reuters(name: bytes, head: bytes) -> bool:  # noqa: ARG001
    """Stories of Reuters-21578, after a line that names the grammar."""
    return bool(re.match(rb"\s*(?:<!DOCTYPE lewis[^>]*>\s*)?<REUTERS\s", head))


def reuters_documents(data: bytes) -> Iterator[Piece]:
    """Stories by `NEWID`; categories are not text: they are read as judgements."""
    for story in STORY.finditer(readable(data)):
        number, text = NEWID.search(story[1]), TEXT.search(story[2])
        yield Piece(number[1] if number else "", _story(text[1] if text else ""))


def _story(text: str) -> bytes:
    """Title, author, dateline and body; a story without these is one text."""
    inside = []
    for part in PARTS:
        found = re.search(rf"<{part}>(.*?)</{part}>", text, re.DOTALL)
        if found:
            inside.append(_element(part.lower(), found[1]))
    if "<BODY>" not in text:
        rest = re.sub(r"<([A-Z]+)>.*?</\1>", "", text, flags=re.DOTALL)
        if rest.strip():
            inside.append(_element("body", rest))
    return f"<story>{chr(10).join(inside)}</story>".encode()


def _element(tag: str, text: str) -> str:
    return f"<{tag}>{escaped(unescape(text)).strip()}</{tag}>"
