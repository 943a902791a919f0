"""Topics in other forms: TREC, Indri, lines of id and text, the classic collections, and BEIR."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import TYPE_CHECKING, Any

from spanwise.errors import FormatError
from spanwise.formats.io.files import first_line
from spanwise.formats.registry import Reading, reader
from spanwise.formats.topics.inex import unique
from spanwise.model.columns import text

if TYPE_CHECKING:
    from spanwise.model.topics import Topic, Topics

# TREC, Indri and tab-separated lines -------------------------------------------------------------

TOP = re.compile(rb"<top>(.*?)(?:</top>|(?=<top>)|\Z)", re.DOTALL | re.IGNORECASE)
TAG = r"(num|title|desc|narr|head|dom|smry|con|fac|def|nat|time)"
FIELD = re.compile(rf"<{TAG}>(.*?)(?=<{TAG}>|\Z)", re.DOTALL | re.IGNORECASE)
AROUND = re.compile(rf"\A\s*(?:Number|Topic|Description|Narrative):|</{TAG}>\s*\Z", re.IGNORECASE)
QUERY = re.compile(r"<query>(.*?)</query>", re.DOTALL)
PART = re.compile(r"<(number|text)>(.*?)</\1>", re.DOTALL)
COMBINED = re.compile(r"#combine\(([^#()]*)\)")
NAMES = {"title": "title", "desc": "description", "narr": "narrative", "num": "id"}


def looks_like_trec(head: bytes) -> bool:
    """Return whether the file begins with the tag of a topic."""
    return head.lstrip()[:5].lower() == b"<top>"


@reader("trec_topics", holds="topics", recognise=looks_like_trec)
def parse_trec_topics(pieces: Iterator[bytes], file: str, options: Reading) -> Topics:
    """TREC topics: `<top>` with `<num>`, `<title>`, `<desc>` and `<narr>`.

    End tags are optional; labels before a field, such as `Number:`, are dropped.
    """
    found: list[Topic] = []
    data = b"".join(pieces)
    line, seen = 1, 0
    for match in TOP.finditer(data):
        line, seen = line + data.count(b"\n", seen, match.start()), match.start()
        found.append(_trec_topic(text(match.group(1)), line))
    return unique(found, file, options)


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
    """Return whether these are parameters with a query."""
    return head.lstrip().startswith(b"<parameters") and b"<query>" in head


@reader("indri_topics", holds="topics", recognise=looks_like_indri)
def parse_indri_topics(pieces: Iterator[bytes], file: str, options: Reading) -> Topics:
    """Indri topics: a file of parameters with `<query>`, `<number>` and `<text>`.

    In `#combine( some words )`, the words are the title; any other query is kept as it is.
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
    return unique(found, file, options)


def looks_like_lines(head: bytes) -> bool:
    """Return whether the first lines have one tab each, with text on both sides."""
    lines = [line for line in head[:100_000].splitlines()[:200] if line.strip()]
    whole = lines[:-1] if len(head) > 100_000 else lines
    return bool(whole) and all(
        line.count(b"\t") == 1 and all(part.strip() for part in line.split(b"\t")) for line in whole
    )


@reader("tsv_topics", holds="topics", recognise=looks_like_lines)
def parse_lines(pieces: Iterator[bytes], file: str, options: Reading) -> Topics:
    """Topics as lines: an id, a tab, the text.

    Blanks may replace the tab if only topics are expected or the format is named.
    """
    from spanwise.model.topics import Topic

    found: list[Topic] = []
    for number, line in enumerate((line for piece in pieces for line in piece.splitlines()), 1):
        parts = text(line).split(None, 1)
        if len(parts) == 2:
            found.append(Topic(parts[0], parts[1].rstrip(), lines={"id": number, "title": number}))
        elif parts:
            alone = f"{parts[0]!r} without a text"
            options.note(FormatError(file, number, alone, "an id, a tab, the text"))
    return unique(found, file, options)


# Classic collections and BEIR --------------------------------------------------------------------

RECORD = re.compile(rb"^\.I[ \t]+(\d+)[ \t]*$", re.MULTILINE)
SMART_FIELD = re.compile(rb"^\.([A-Z])[ \t]*$", re.MULTILINE)
FIND = re.compile(rb"^\*FIND[ \t]+(\d+)[ \t]*$", re.MULTILINE)
LISA = re.compile(rb"^[ \t]*(\d+)[ \t]*\n(.*?)#", re.MULTILINE | re.DOTALL)
NPL = re.compile(rb"^[ \t]*(\d+)[ \t]*\n(.*?)^[ \t]*/[ \t]*$", re.MULTILINE | re.DOTALL)
STOP = re.compile(rb"^\*STOP.*", re.MULTILINE | re.DOTALL)


def looks_like_smart(head: bytes) -> bool:
    """Return whether records begin with `.I` and a number."""
    return re.match(rb"\s*\.I[ \t]+\d+[ \t]*\r?\n\.[A-Z]", head) is not None


def looks_like_cranfield(head: bytes) -> bool:
    """Return whether the numbers of records are padded to three digits and have gaps."""
    numbers = [int(number) for number in RECORD.findall(head.replace(b"\r", b""))]
    padded = re.match(rb"\s*\.I[ \t]+0\d\d\s", head) is not None
    return padded and numbers != list(range(1, len(numbers) + 1))


@reader("smart_topics", holds="topics", recognise=looks_like_smart)
def parse_smart(pieces: Iterator[bytes], file: str, options: Reading) -> Topics:
    """SMART topics: `.I` with the number, `.W` with the text.

    The id of a topic is its number without leading zeros. Other fields of a query (`.T`, `.A`,
    `.B`, `.N`) are kept beside the text.
    """
    return unique(_smart(b"".join(pieces)), file, options)


@reader("cran_topics", holds="topics", recognise=looks_like_cranfield)
def parse_cranfield(pieces: Iterator[bytes], file: str, options: Reading) -> Topics:
    """Cranfield topics: as `smart_topics`, but numbered by their position in the file.

    The file numbers them 001, 002, 004 up to 365. The judgements count positions instead, from 1 to
    225, and so do the ids here.
    """
    from dataclasses import replace

    every = _smart(b"".join(pieces))
    return unique((replace(t, id=str(n)) for n, t in enumerate(every, 1)), file, options)


def _smart(data: bytes) -> Iterator[Topic]:
    from spanwise.model.topics import Topic

    for line, number, record in _records(RECORD, data.replace(b"\r", b"")):
        parts = SMART_FIELD.split(record)
        fields = list(zip(parts[1::2], parts[2::2], strict=True))
        words = [_text(value) for name, value in fields if name == b"W"]
        others = tuple((name.decode(), _text(v)) for name, v in fields if name != b"W")
        yield Topic(number, " ".join(words), others=others, lines={"id": line, "title": line})


@reader(
    "time_topics",
    holds="topics",
    recognise=lambda head: re.match(rb"\s*\*FIND +\d+", head) is not None,
)
def parse_time(pieces: Iterator[bytes], file: str, options: Reading) -> Topics:
    """TIME topics: `*FIND` with the number, then the text; `*STOP` ends the file."""
    data = STOP.sub(b"", b"".join(pieces).replace(b"\r", b""))
    return _topics(_records(FIND, data), file, options)


def looks_like_lisa(head: bytes) -> bool:
    """Return whether there is a number on its own line, and a text that ends in `#`."""
    return _numbered(head) and b"#" in head


@reader("lisa_topics", holds="topics", recognise=looks_like_lisa)
def parse_lisa(pieces: Iterator[bytes], file: str, options: Reading) -> Topics:
    """LISA topics: the number on its own line, then the text up to a `#`."""
    return _topics(_closed(LISA, b"".join(pieces)), file, options)


def looks_like_npl(head: bytes) -> bool:
    """Return whether there is a number on its own line, a text, and a slash on its own line."""
    return _numbered(head) and re.search(rb"^[ \t]*/[ \t]*\r?$", head, re.MULTILINE) is not None


@reader("npl_topics", holds="topics", recognise=looks_like_npl)
def parse_npl(pieces: Iterator[bytes], file: str, options: Reading) -> Topics:
    """NPL topics: the number on its own line, the text, a slash on its own line."""
    return _topics(_closed(NPL, b"".join(pieces)), file, options)


def looks_like_json(head: bytes) -> bool:
    """Return whether these are JSON lines with an id and a text."""
    first = first_line(head)
    return first.startswith(b"{") and b'"_id"' in first and b'"text"' in first


@reader("json_topics", holds="topics", recognise=looks_like_json)
def parse_json(pieces: Iterator[bytes], file: str, options: Reading) -> Topics:
    """BEIR topics as JSON lines: `{"_id": "q1", "text": "what is sought"}`.

    Other fields with a text, a number, true or false are kept beside the text, and so are those of
    `metadata`; the rest is ignored.
    """
    from spanwise.formats.io.json_lines import lines_of
    from spanwise.model.topics import Topic

    found = (
        Topic(
            one.text("_id"),
            one.text("text").strip(),
            others=tuple(_beside(one.fields)),
            lines={"id": one.line, "title": one.line},
        )
        for one in lines_of(pieces, file, '{"_id": ..., "text": ...}')
    )
    return unique(found, file, options)


def _beside(fields: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the fields of a topic besides id and text, and those of its metadata."""
    nested = fields.get("metadata")
    for name, value in {**(nested if isinstance(nested, dict) else {}), **fields}.items():
        plain = isinstance(value, str | int | float) and value != ""
        if plain and name.isidentifier() and name not in ("_id", "text"):
            yield name, str(value)


def _numbered(head: bytes) -> bool:
    """Return whether the first line is a number and the next one has words."""
    return re.match(rb"\s*\d+[ \t]*\r?\n[^\n]*[A-Za-z]", head) is not None


def _text(value: bytes) -> str:
    """Return text on one line, decoded as UTF-8, or else as Latin-1, which older sets use."""
    try:
        return " ".join(value.decode().split())
    except UnicodeDecodeError:
        return " ".join(value.decode("latin-1").split())


def _records(mark: re.Pattern[bytes], data: bytes) -> Iterator[tuple[int, str, bytes]]:
    """Yield the line and number of each mark, and the text up to the next one."""
    marks = list(mark.finditer(data))
    for place, found in enumerate(marks):
        end = marks[place + 1].start() if place + 1 < len(marks) else len(data)
        line = data.count(b"\n", 0, found.start()) + 1
        yield line, str(int(found[1])), data[found.end() : end]


def _closed(record: re.Pattern[bytes], data: bytes) -> Iterator[tuple[int, str, bytes]]:
    data = data.replace(b"\r", b"")
    for found in record.finditer(data):
        yield data.count(b"\n", 0, found.start()) + 1, str(int(found[1])), found[2]


def _topics(records: Iterator[tuple[int, str, bytes]], file: str, options: Reading) -> Topics:
    from spanwise.model.topics import Topic

    found = (
        Topic(number, _text(words), lines={"id": line, "title": line})
        for line, number, words in records
    )
    return unique(found, file, options)
