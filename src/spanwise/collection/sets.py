"""Document sets: files that contain many documents, and the folders they come in.

If a folder has files of such a set, only these contain its documents; other files (queries,
judgements, word lists, read-me files) are ignored with a warning. If a folder has files of several
kinds, the kind that comes first in the table is used.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from html import unescape
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import IO, NamedTuple
from warnings import warn

from spanwise.collection.archives import (
    Found,
    Source,
    files,
    is_packed,
    is_zip,
    members_of_tar,
    members_of_zip,
    opened,
    refusing_damage,
)
from spanwise.collection.parsing import escaped, readable
from spanwise.errors import FormatError, SpanwiseWarning

# SMART sets (ADI, CACM, CISI, CRAN, MED), LISA, NPL and TIME -------------------------------------
#
# Title and text are kept; authors, journals, dates, keys and citations are not. Cranfield repeats
# the title at the start of the text; it is kept once.

RECORD = re.compile(r"^\.I[ \t]+0*(\d+)[ \t]*$", re.MULTILINE)
FIELD = re.compile(r"^\.([A-Z])[ \t]*$", re.MULTILINE)
LISA = re.compile(r"^Document[ \t]+0*(\d+)[ \t]*$", re.MULTILINE)
LISA_END = re.compile(r"^\*{10,}[ \t]*$", re.MULTILINE)
BLANK_LINE = re.compile(r"\n[ \t]*\n")
NPL = re.compile(r"^0*(\d+)[ \t]*\n(.*?)^[ \t]*/[ \t]*$", re.MULTILINE | re.DOTALL)
TIME = re.compile(r"^\*TEXT\b.*$", re.MULTILINE)
QUERIES = re.compile(rb"(?i)\.q|que|qry|topic")


class Piece(NamedTuple):
    """A document of a file that contains many."""

    id: str
    data: bytes
    kind: str = "xml"


def marked_up(title: str, text: str) -> bytes:
    """Return a document with a title and a text, as markup."""
    parts = (("title", title), ("text", text))
    inside = "\n".join(f"<{tag}>{escaped(part)}</{tag}>" for tag, part in parts if part)
    return f"<doc>{inside}</doc>".encode()


def looks_like_smart(name: bytes, head: bytes) -> bool:
    """Return whether records begin with `.I` and a number; queries are excluded by file name."""
    return bool(re.match(rb"\s*\.I[ \t]+\d+[ \t]*\r?\n\.[A-Z]", head)) and not QUERIES.search(name)


def smart_documents(data: bytes) -> Iterator[Piece]:
    """Yield records of `.I`, with the title after `.T` and the text after `.W`."""
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
    """Return the text without a title that is repeated on its own lines.

    A sentence that begins with the words of the title keeps them, as in CISI.
    """
    rest = text.removeprefix(title) if title else text
    return rest.lstrip() if rest[:1] in ("", "\n") else text


def looks_like_lisa(name: bytes, head: bytes) -> bool:  # noqa: ARG001
    """Return whether records begin with the word Document and a number, and end with stars."""
    return bool(re.match(rb"\s*Document +\d+[ \t]*\r?\n", head)) and b"\n*****" in head


def lisa_documents(data: bytes) -> Iterator[Piece]:
    """Yield records of a title, a blank line, an abstract and a line of stars."""
    for number, record in _records(LISA, readable(data)):
        parts = BLANK_LINE.split(LISA_END.split(record)[0].strip(), maxsplit=1)
        title, text = parts if len(parts) == 2 else ("", parts[0])
        yield Piece(number, marked_up(title.strip(), text.strip()))


def looks_like_npl(name: bytes, head: bytes) -> bool:
    """Return whether there is a number on its own line, text, and a slash on its own line."""
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
    """Yield records of a number, a text and a slash."""
    for record in NPL.finditer(readable(data)):
        yield Piece(record[1], marked_up("", record[2].strip()))


def looks_like_time(name: bytes, head: bytes) -> bool:  # noqa: ARG001
    """Return whether articles begin with `*TEXT` and a number."""
    return bool(re.match(rb"\s*\*TEXT +\d+", head))


def time_documents(data: bytes) -> Iterator[Piece]:
    """Yield articles numbered by their position, as in the judgements, and not by `*TEXT`."""
    text = readable(data)
    marks = list(TIME.finditer(text))
    for place, mark in enumerate(marks):
        end = marks[place + 1].start() if place + 1 < len(marks) else len(text)
        article = text[mark.end() : end].split("\n*STOP")[0]
        lines = (line.strip() for line in article.split("\n"))
        yield Piece(str(place + 1), marked_up("", "\n".join(line for line in lines if line)))


def _records(mark: re.Pattern[str], text: str) -> Iterator[tuple[str, str]]:
    """Yield the number after each mark, and the text up to the next one."""
    marks = list(mark.finditer(text))
    for place, found in enumerate(marks):
        end = marks[place + 1].start() if place + 1 < len(marks) else len(text)
        yield found[1], text[found.end() : end]


# SGML: TREC and Reuters-21578 --------------------------------------------------------------------

DOC = re.compile(rb"<DOC(?:\s[^>]*)?>(.*?)</DOC>", re.DOTALL | re.IGNORECASE)
DOCNO = re.compile(rb"<DOCNO>\s*(.*?)\s*</DOCNO>", re.DOTALL | re.IGNORECASE)
STORY = re.compile(r"<REUTERS\b([^>]*)>(.*?)</REUTERS>", re.DOTALL)
NEWID = re.compile(r'\bNEWID="(\d+)"')
TEXT = re.compile(r"<TEXT\b[^>]*>(.*)</TEXT>", re.DOTALL)
PARTS = ("TITLE", "AUTHOR", "DATELINE", "BODY")


def looks_like_trec(name: bytes, head: bytes) -> bool:  # noqa: ARG001
    """Return whether there is a `<DOC>` with a `<DOCNO>` near the start."""
    return bool(re.match(rb"(?is)\s*(?:<\?xml[^>]*>\s*)?<DOC(?:\s[^>]*)?>.{0,4000}?<DOCNO>", head))


def trec_documents(data: bytes) -> Iterator[Piece]:
    """Yield the content of each `<DOC>`, named by its `<DOCNO>`."""
    for found in DOC.finditer(data):
        number = DOCNO.search(found[1])
        name = readable(number[1]).strip() if number else ""
        yield Piece(name, b"<doc>" + DOCNO.sub(b"", found[1], count=1) + b"</doc>", "sgml")


def looks_like_reuters(name: bytes, head: bytes) -> bool:  # noqa: ARG001
    """Return whether there are stories, possibly after a document type declaration."""
    return bool(re.match(rb"\s*(?:<!DOCTYPE lewis[^>]*>\s*)?<REUTERS\s", head))


def reuters_documents(data: bytes) -> Iterator[Piece]:
    """Yield stories by `NEWID`, without their categories, which are read as judgements."""
    for story in STORY.finditer(readable(data)):
        number, text = NEWID.search(story[1]), TEXT.search(story[2])
        yield Piece(number[1] if number else "", _story(text[1] if text else ""))


def _story(text: str) -> bytes:
    """Return title, author, dateline and body as markup; a story without these is one text."""
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


# Registry of sets --------------------------------------------------------------------------------

HEAD = 8192
"""Number of bytes by which a file is recognised."""
IDS = ("_id", "id", "docid", "doc_id", "docno")
TEXTS = ("text", "contents", "body", "abstract")
ENDINGS = (".xml", ".nxml", ".html", ".htm", ".xhtml", ".md", ".tei", ".dbk")
LARGEST_ARCHIVE = 64_000_000
MOST_FILES = 20_000
"""Maximum number of files of a folder that are inspected; sets have few."""
SIDE_FILES = re.compile(rb"(?i)quer|topic|qrels")


class DocumentSet(NamedTuple):
    """An entry of the registry of sets."""

    name: str
    recognise: Callable[[bytes, bytes], bool]  # gets the name of a file and its first bytes
    documents: Callable[[IO[bytes], str], Iterator[Piece]]


def _whole(split: Callable[[bytes], Iterator[Piece]]) -> Callable[..., Iterator[Piece]]:
    """Return a splitter of streams from a splitter of bytes."""
    return lambda stream, _place: split(stream.read())


def looks_like_lines(name: bytes, head: bytes) -> bool:
    """Return whether these are JSON lines with id and text; queries are excluded by file name."""
    line = head.lstrip()
    if not line.startswith(b"{") or SIDE_FILES.search(name):
        return False
    keys = {key.decode("utf-8", "replace") for key in re.findall(rb'"([A-Za-z_]+)"\s*:', head)}
    return bool(keys & set(IDS)) and bool(keys & set(TEXTS))


def lines_documents(stream: IO[bytes], place: str) -> Iterator[Piece]:
    """Yield the documents of a corpus in JSON lines: an id, an optional title, and a text."""
    for number, line in enumerate(stream, start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except ValueError as error:
            raise FormatError(
                place, number, f"not JSON ({error})", "one object per line"
            ) from error
        keys = record if isinstance(record, dict) else {}
        name = next((str(keys[key]) for key in IDS if key in keys), None)
        text = next((keys[key] for key in TEXTS if isinstance(keys.get(key), str)), None)
        if name is None or text is None:
            raise FormatError(place, number, "no id or no text", '{"_id": ..., "text": ...}')
        title = keys.get("title")
        yield Piece(name, marked_up(title if isinstance(title, str) else "", text))


SETS = (
    DocumentSet("smart", looks_like_smart, _whole(smart_documents)),
    DocumentSet("lisa", looks_like_lisa, _whole(lisa_documents)),
    DocumentSet("npl", looks_like_npl, _whole(npl_documents)),
    DocumentSet("time", looks_like_time, _whole(time_documents)),
    DocumentSet("reuters", looks_like_reuters, _whole(reuters_documents)),
    DocumentSet("jsonl", looks_like_lines, lines_documents),
    DocumentSet("trec", looks_like_trec, _whole(trec_documents)),
)
"""All known sets, the more specific ones first."""


def recognised(name: str, head: bytes) -> DocumentSet | None:
    """Return the set that a file belongs to, or None."""
    known = name.rpartition("/")[2].encode("utf-8", "surrogateescape")
    return next((one for one in SETS if one.recognise(known, head)), None)


class _File(NamedTuple):
    """A file of many documents."""

    place: str
    kind: DocumentSet
    stamp: int
    weight: int
    data: bytes | None = None  # the bytes of a member of an archive

    def sources(self) -> Iterator[Source]:
        """Yield the documents of the file."""
        with refusing_damage(self.place):
            if self.data is not None:
                yield from self._pieces(BytesIO(self.data))
            else:
                with opened(Path(self.place)) as stream:
                    yield from self._pieces(stream)

    def _pieces(self, stream: IO[bytes]) -> Iterator[Source]:
        weight = self.weight
        for piece in self.kind.documents(stream, self.place):
            if not piece.id:
                raise FormatError(
                    self.place, None, "a document without an id", "an id for each document"
                )
            place, size = f"{self.place}#{piece.id}", len(piece.data)
            yield Source(
                piece.id, place, size, self.stamp, weight, data=piece.data, kind=piece.kind
            )
            weight = 0


def documents_in(path: str) -> Iterator[Source] | None:
    """Return the documents of a set in a folder, archive or file, or None if there is no set."""
    found, others = _sorted_out(Path(path))
    if not found:
        return None
    kind = next(one for one in SETS if any(file.kind is one for file in found))
    others += [file.place for file in found if file.kind is not kind]
    if others:
        names = ", ".join(sorted(Path(name).name for name in others)[:5])
        more = ", ..." if len(others) > 5 else ""
        message = f"{path}: documents of kind {kind.name!r}; ignored: {names}{more}"
        warn(message, SpanwiseWarning, stacklevel=2)
    every = (source for file in found if file.kind is kind for source in file.sources())
    return _once_each(every, path)


def _once_each(every: Iterator[Source], path: str) -> Iterator[Source]:
    """Yield the first document of each id, and warn of others; LISA has such duplicates."""
    seen: set[str] = set()
    again: list[str] = []
    for source in every:
        if source.name in seen:
            again.append(source.name)
        else:
            seen.add(source.name)
            yield source
    if again:
        names = ", ".join(again[:5]) + (", ..." if len(again) > 5 else "")
        message = f"{path}: {len(again)} duplicate documents, ignored: {names}"
        warn(message, SpanwiseWarning, stacklevel=2)


def _sorted_out(path: Path) -> tuple[list[_File], list[str]]:
    """Return the files of sets, and the names of all others."""
    found: list[_File] = []
    others: list[str] = []
    try:
        with refusing_damage(str(path)):
            for place, file in _members(path) if _is_archive(path) else _files(path):
                if file is None:
                    others.append(place)
                else:
                    found.append(file)
    except FormatError:
        if found:
            raise
    return found, others  # a damaged archive has none; reading its documents reports the damage


def _is_archive(path: Path) -> bool:
    """Return whether this is an archive that is small enough to be inspected in advance."""
    if not path.is_file() or path.stat().st_size > LARGEST_ARCHIVE or not is_packed(path):
        return False
    return is_zip(path) or members_of_tar(path) is not None


def _members(path: Path) -> Iterator[tuple[str, _File | None]]:
    stamp, before = path.stat().st_mtime_ns, 0
    members = members_of_zip(path) if is_zip(path) else members_of_tar(path)
    for member in members or ():
        place = f"{path}/{member.name}"
        is_other = not member.is_file or _is_one(member.name)
        kind = None if is_other else recognised(member.name, member.data[:HEAD])
        weight, before = member.position - before, member.position
        yield place, kind and _File(place, kind, stamp, weight, member.data)


def _files(path: Path) -> Iterator[tuple[str, _File | None]]:
    if path.is_dir():
        entries = files(path, "", frozenset())
    else:
        entries = iter([Found(str(path), path.name, path.stat())])
    for place, name, about, reason in islice(entries, MOST_FILES):
        is_other = reason or _is_one(name) or not about.st_size
        kind = None if is_other else _of_file(Path(place), name)
        yield place, kind and _File(place, kind, about.st_mtime_ns, about.st_size)


def _of_file(path: Path, name: str) -> DocumentSet | None:
    if not path.is_file() or is_zip(path):
        return None
    try:
        with opened(path) as stream:
            return recognised(name, stream.read(HEAD))
    except Exception:  # reading the file as a document reports the problem
        return None


def _is_one(name: str) -> bool:
    """Return whether the name indicates that the file is a single document."""
    return name.lower().endswith(ENDINGS)
