"""Documents of the SMART sets: ADI, CACM, CISI, CRAN, MED; and LISA, NPL and TIME beside them.

What a person would read is kept: title and text. Authors, journals, dates, keys and citations are
left out. Cranfield repeats the title at the start of the text; it is kept once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from spanwise.collection.soup import escaped, readable

RECORD = re.compile(r"^\.I[ \t]+0*(\d+)[ \t]*$", re.MULTILINE)
FIELD = re.compile(r"^\.([A-Z])[ \t]*$", re.MULTILINE)
LISA = re.compile(r"^Document[ \t]+0*(\d+)[ \t]*$", re.MULTILINE)
LISA_END = re.compile(r"^\*{10,}[ \t]*$", re.MULTILINE)
BLANK_LINE = re.compile(r"\n[ \t]*\n")
NPL = re.compile(r"^0*(\d+)[ \t]*\n(.*?)^[ \t]*/[ \t]*$", re.MULTILINE | re.DOTALL)
TIME = re.compile(r"^\*TEXT\b.*$", re.MULTILINE)
QUERIES = re.compile(rb"(?i)\.q|que|qry|topic")


class Piece(NamedTuple):
    """One document of a file that holds many."""

    id: str
    data: bytes
    kind: str = "xml"


def marked_up(title: str, text: str) -> bytes:
    """A document of a title and a text; blank lines between lines of text are no text."""
    parts = (("title", title), ("text", text))
    inside = "\n".join(f"<{tag}>{escaped(part)}</{tag}>" for tag, part in parts if part)
    return f"<doc>{inside}</doc>".encode()


def looks_like_smart(name: bytes, head: bytes) -> bool:
    """Records begin with `.I` and a number; a file of queries looks the same but for its name."""
    return bool(re.match(rb"\s*\.I[ \t]+\d+[ \t]*\r?\n\.[A-Z]", head)) and not QUERIES.search(name)


def smart_documents(data: bytes) -> Iterator[Piece]:
    """Records of `.I`, with the title after `.T` and the text after `.W`."""
    for number, record in _records(RECORD, readable(data)):
        fields: dict[str, str] = {}
        marks = list(FIELD.finditer(record))
        for place, mark in enumerate(marks):
            end = marks[place + 1].start() if place + 1 < len(marks) else len(record)
            known = fields.get(mark[1], "")
            fields[mark[1]] = f"{known}\n{record[mark.end() : end].strip()}".strip()
        title, text = fields.get("T", ""), fields.get("W", "")
        yield Piece(number, marked_up(title, _without(title, text)))


def _without(title: str, text: str) -> str:
    """The text without a title that is repeated on lines of its own.

    A sentence that begins with the words of the title keeps them, as in CISI.
    """
    rest = text.removeprefix(title) if title else text
    return rest.lstrip() if rest[:1] in ("", "\n") else text


def looks_like_lisa(name: bytes, head: bytes) -> bool:  # noqa: ARG001
    """Records begin with the word Document and a number, and end in a line of stars."""
    return bool(re.match(rb"\s*Document +\d+[ \t]*\r?\n", head)) and b"\n*****" in head


def lisa_documents(data: bytes) -> Iterator[Piece]:
    """Title, a blank line, abstract, a line of stars."""
    for number, record in _records(LISA, readable(data)):
        parts = BLANK_LINE.split(LISA_END.split(record)[0].strip(), maxsplit=1)
        title, text = parts if len(parts) == 2 else ("", parts[0])
        yield Piece(number, marked_up(title.strip(), text.strip()))


def looks_like_npl(name: bytes, head: bytes) -> bool:
    """A number on its own line, text, a slash on its own line."""
    lines = [line.strip() for line in head.lstrip().splitlines()]
    if lines[:1] != [b"1"] or b"/" not in lines:
        return False
    end = lines.index(b"/")
    text = b"".join(lines[1:end])
    return (
        lines[end + 1 : end + 2] == [b"2"]
        and text.isascii()
        and not text.isdigit()
        and (re.search(rb"[A-Za-z]", text) is not None and not QUERIES.search(name))
    )


def npl_documents(data: bytes) -> Iterator[Piece]:
    """A number, the text, a slash."""
    for record in NPL.finditer(readable(data)):
        yield Piece(record[1], marked_up("", record[2].strip()))


def looks_like_time(name: bytes, head: bytes) -> bool:  # noqa: ARG001
    """Articles begin with `*TEXT` and a number."""
    return bool(re.match(rb"\s*\*TEXT +\d+", head))


def time_documents(data: bytes) -> Iterator[Piece]:
    """Articles, numbered by their place in the file, as the judgements do: not by `*TEXT`."""
    text = readable(data)
    marks = list(TIME.finditer(text))
    for place, mark in enumerate(marks):
        end = marks[place + 1].start() if place + 1 < len(marks) else len(text)
        article = text[mark.end() : end].split("\n*STOP")[0]
        lines = (line.strip() for line in article.split("\n"))
        yield Piece(str(place + 1), marked_up("", "\n".join(line for line in lines if line)))


def _records(mark: re.Pattern[str], text: str) -> Iterator[tuple[str, str]]:
    """The number after each mark, and what stands until the next one."""
    marks = list(mark.finditer(text))
    for place, found in enumerate(marks):
        end = marks[place + 1].start() if place + 1 < len(marks) else len(text)
        yield found[1], text[found.end() : end]
