"""Files that hold many documents, and the folders they come in: the table of such sets.

A folder that has files of such a set has its documents in them alone; what lies beside them
(queries, judgements, word lists, read-me files) is left out, and said. Where several kinds lie
side by side, the one that stands first in the table is taken.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import IO, NamedTuple
from warnings import warn

from spanwise.collection.listing import Found, Source, files
from spanwise.collection.sgml import (
    looks_like_reuters,
    looks_like_trec,
    reuters_documents,
    trec_documents,
)
from spanwise.collection.smart import (
    Piece,
    lisa_documents,
    looks_like_lisa,
    looks_like_npl,
    looks_like_smart,
    looks_like_time,
    marked_up,
    npl_documents,
    smart_documents,
    time_documents,
)
from spanwise.collection.unpacking import (
    is_packed,
    is_zip,
    members_of_tar,
    members_of_zip,
    opened,
    refusing_damage,
)
from spanwise.errors import FormatError, SpanwiseWarning

HEAD = 8192
"""Bytes of a file by which it is recognised."""
IDS = ("_id", "id", "docid", "doc_id", "docno")
TEXTS = ("text", "contents", "body", "abstract")
ENDINGS = (".xml", ".nxml", ".html", ".htm", ".xhtml", ".md", ".tei", ".dbk")
LARGEST_ARCHIVE = 64_000_000
MOST_FILES = 20_000
"""Files of a folder that are looked into to see whether it is a set; sets have few."""
SIDE_FILES = re.compile(rb"(?i)quer|topic|qrels")


class Set(NamedTuple):
    """One line of the table."""

    name: str
    recognise: Callable[[bytes, bytes], bool]  # given a file's name and its head
    documents: Callable[[IO[bytes], str], Iterator[Piece]]


def _whole(split: Callable[[bytes], Iterator[Piece]]) -> Callable[..., Iterator[Piece]]:
    """A splitter that wants all of a file at once."""
    return lambda stream, _place: split(stream.read())


def looks_like_lines(name: bytes, head: bytes) -> bool:
    """JSON objects, one a line, with an id and a text; files of queries are known by name."""
    line = head.lstrip()
    if not line.startswith(b"{") or SIDE_FILES.search(name):
        return False
    keys = {key.decode("utf-8", "replace") for key in re.findall(rb'"([A-Za-z_]+)"\s*:', head)}
    return bool(keys & set(IDS)) and bool(keys & set(TEXTS))


def lines_documents(stream: IO[bytes], place: str) -> Iterator[Piece]:
    """A corpus as BEIR has it: an id, a title where there is one, and a text."""
    for number, line in enumerate(stream, start=1):
        if not line.strip():
            continue
        try:
            said = json.loads(line)
        except ValueError as error:
            raise FormatError(place, number, f"not JSON ({error})", "an object a line") from error
        keys = said if isinstance(said, dict) else {}
        name = next((str(keys[key]) for key in IDS if key in keys), None)
        text = next((keys[key] for key in TEXTS if isinstance(keys.get(key), str)), None)
        if name is None or text is None:
            raise FormatError(place, number, "no id, or no text", '{"_id": ..., "text": ...}')
        title = keys.get("title")
        yield Piece(name, marked_up(title if isinstance(title, str) else "", text))


SETS = (
    Set("smart", looks_like_smart, _whole(smart_documents)),
    Set("lisa", looks_like_lisa, _whole(lisa_documents)),
    Set("npl", looks_like_npl, _whole(npl_documents)),
    Set("time", looks_like_time, _whole(time_documents)),
    Set("reuters", looks_like_reuters, _whole(reuters_documents)),
    Set("jsonl", looks_like_lines, lines_documents),
    Set("trec", looks_like_trec, _whole(trec_documents)),
)
"""Every set that is known; the more special ones first."""


def recognised(name: str, head: bytes) -> Set | None:
    """The set that a file belongs to."""
    known = name.rpartition("/")[2].encode("utf-8", "surrogateescape")
    return next((one for one in SETS if one.recognise(known, head)), None)


class _File(NamedTuple):
    """A file of many documents."""

    place: str
    kind: Set
    stamp: int
    weight: int
    data: bytes | None = None  # where it is a member of an archive

    def sources(self) -> Iterator[Source]:
        """Its documents."""
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
                    self.place, None, "a document without an id", "an id for every document"
                )
            place, size = f"{self.place}#{piece.id}", len(piece.data)
            yield Source(
                piece.id, place, size, self.stamp, weight, data=piece.data, kind=piece.kind
            )
            weight = 0


def documents_in(path: str) -> Iterator[Source] | None:
    """The documents of a set in a folder, an archive or a file; None if there is no set in it."""
    found, others = _sorted_out(Path(path))
    if not found:
        return None
    kind = next(one for one in SETS if any(file.kind is one for file in found))
    others += [file.place for file in found if file.kind is not kind]
    if others:
        names = ", ".join(sorted(Path(name).name for name in others)[:5])
        more = ", ..." if len(others) > 5 else ""
        message = f"{path}: documents of kind {kind.name!r}; left out: {names}{more}"
        warn(message, SpanwiseWarning, stacklevel=2)
    every = (source for file in found if file.kind is kind for source in file.sources())
    return _once_each(every, path)


def _once_each(every: Iterator[Source], path: str) -> Iterator[Source]:
    """The first document of each id; LISA, for one, has some of them twice."""
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
        message = f"{path}: {len(again)} documents are there again, left out: {names}"
        warn(message, SpanwiseWarning, stacklevel=2)


def _sorted_out(path: Path) -> tuple[list[_File], list[str]]:
    """Files of sets, and the names of all others."""
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
    return found, others  # of a damaged archive none: whoever reads its documents says so


def _is_archive(path: Path) -> bool:
    """Whether this is an archive that is small enough to be looked through beforehand."""
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


def _of_file(path: Path, name: str) -> Set | None:
    if not path.is_file() or is_zip(path):
        return None
    try:
        with opened(path) as stream:
            return recognised(name, stream.read(HEAD))
    except Exception:  # whoever reads the file as a document says what is wrong with it
        return None


def _is_one(name: str) -> bool:
    """Whether a name says that the file is one document."""
    return name.lower().endswith(ENDINGS)
