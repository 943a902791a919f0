"""Topics in other forms: TREC's tagged text, queries of Indri, lines of an id and a text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import TYPE_CHECKING

from spanwise.errors import FormatError
from spanwise.formats.inex_topics import unique
from spanwise.formats.registry import Reading, reader
from spanwise.model.ids import text

if TYPE_CHECKING:
    from spanwise.model.topics import Topic, Topics

TOP = re.compile(rb"<top>(.*?)(?:</top>|(?=<top>)|\Z)", re.DOTALL | re.IGNORECASE)
TAG = r"(num|title|desc|narr|head|dom|smry|con|fac|def|nat|time)"
FIELD = re.compile(rf"<{TAG}>(.*?)(?=<{TAG}>|\Z)", re.DOTALL | re.IGNORECASE)
AROUND = re.compile(rf"\A\s*(?:Number|Topic|Description|Narrative):|</{TAG}>\s*\Z", re.IGNORECASE)
QUERY = re.compile(r"<query>(.*?)</query>", re.DOTALL)
PART = re.compile(r"<(number|text)>(.*?)</\1>", re.DOTALL)
COMBINED = re.compile(r"#combine\(([^#()]*)\)")
NAMES = {"title": "title", "desc": "description", "narr": "narrative", "num": "id"}


def looks_like_trec(head: bytes) -> bool:
    """The tag that begins a topic, before anything else."""
    return head.lstrip()[:5].lower() == b"<top>"


@reader("trec_topics", holds="topics", recognise=looks_like_trec)
def parse_trec_topics(pieces: Iterator[bytes], file: str, how: Reading) -> Topics:
    """Topics of TREC: `<top>` with `<num>`, `<title>`, `<desc>` and `<narr>`.

    Tags need no end; the words that TREC puts before a field (`Number:`) are left out.
    """
    found: list[Topic] = []
    data = b"".join(pieces)
    line, seen = 1, 0
    for match in TOP.finditer(data):
        line, seen = line + data.count(b"\n", seen, match.start()), match.start()
        found.append(_trec_topic(text(match.group(1)), line))
    return unique(found, file, how)


def _trec_topic(content: str, line: int) -> Topic:
    from spanwise.model.topics import Topic

    known = {"id": ""}
    others = []
    for tag, value, _ in FIELD.findall(content):
        shown = " ".join(AROUND.sub("", value).split())
        name = NAMES.get(tag.lower())
        if name and not known.get(name):
            known[name] = shown
        else:
            others.append((tag.lower(), shown))
    return Topic(**known, others=tuple(others), lines={"id": line})  # type: ignore[arg-type]


def looks_like_indri(head: bytes) -> bool:
    """Parameters among which there is a query."""
    return head.lstrip().startswith(b"<parameters") and b"<query>" in head


@reader("indri_topics", holds="topics", recognise=looks_like_indri)
def parse_indri_topics(pieces: Iterator[bytes], file: str, how: Reading) -> Topics:
    """Queries in a file of Indri's parameters: `<query>` with `<number>` and `<text>`.

    Of `#combine( some words )` the words are the title; any other query is taken as it stands.
    """
    from spanwise.model.topics import Topic

    found: list[Topic] = []
    data = text(b"".join(pieces))
    line, seen = 1, 0
    for match in QUERY.finditer(data):
        line, seen = line + data.count("\n", seen, match.start()), match.start()
        parts = {name: " ".join(unescape(value).split()) for name, value in PART.findall(match[1])}
        query = parts.get("text", "")
        words = COMBINED.fullmatch(query)
        title = words[1].strip() if words else query
        found.append(Topic(parts.get("number", ""), title, lines={"id": line, "title": line}))
    return unique(found, file, how)


def looks_like_lines(head: bytes) -> bool:
    """Each of the first lines has one tab, with something on both sides."""
    lines = [line for line in head[:100_000].splitlines()[:200] if line.strip()]
    whole = lines[:-1] if len(head) > 100_000 else lines
    return bool(whole) and all(
        line.count(b"\t") == 1 and all(part.strip() for part in line.split(b"\t")) for line in whole
    )


@reader("tsv_topics", holds="topics", recognise=looks_like_lines)
def parse_lines(pieces: Iterator[bytes], file: str, how: Reading) -> Topics:
    """Topics as lines: an id, a tab, the text.

    Blanks will do for the tab where nothing but topics is looked for, or if the format is named.
    """
    from spanwise.model.topics import Topic

    found: list[Topic] = []
    for number, line in enumerate((line for piece in pieces for line in piece.splitlines()), 1):
        parts = text(line).split(None, 1)
        if len(parts) == 2:
            found.append(Topic(parts[0], parts[1].rstrip(), lines={"id": number, "title": number}))
        elif parts:
            how.note(FormatError(file, number, f"{parts[0]!r} alone", "an id, a tab, the text"))
    return unique(found, file, how)
