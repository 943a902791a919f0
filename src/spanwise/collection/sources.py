"""Sources of documents: folders, archives, lists of files, single files.

Files of a folder come in byte order of their paths, members of an archive in the order of the
archive. Nothing is unpacked to disk. A document is named by its path relative to the given folder
or archive, with `/` between parts; an archive inside a folder counts as its parent folder.
"""

from __future__ import annotations

import os
import re
import stat
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO
from warnings import warn

from spanwise.collection.archives import (
    PACKED,
    Source,
    files,
    is_compressed,
    is_packed,
    is_zip,
    members_of_tar,
    members_of_zip,
    opened,
    refusing_damage,
    unpacked_name,
    warn_ignored,
)
from spanwise.collection.sets import documents_in
from spanwise.errors import FormatError, SpanwiseWarning

STDIN = "-"
_NAME = re.compile(rb"\S+\.(xml|nxml|xhtml|html?|sgml?|txt|tei|dbk|zip|tar|tgz|gz|xz|bz2|zst)")
"""A line that consists of the name of a document or archive."""
COMPANIONS = frozenset(
    (
        *(".dtd", ".ent", ".mod", ".css", ".js"),
        *(".png", ".jpg", ".jpeg", ".gif", ".tif", ".tiff", ".bmp", ".webp", ".ico", ".eps"),
    )
)
"""Endings of files that accompany documents: declarations, styles and pictures."""


def sources(paths: Sequence[str]) -> Iterator[Source]:
    """Yield all documents of folders, archives, lists and files."""
    for path in paths:
        if path == STDIN:
            yield from _listed(sys.stdin.buffer, "<standard input>", Path())
        else:
            found = documents_in(path)
            if found is not None:
                yield from found
            elif Path(path).is_dir():
                yield from _documents(_folder_with_files(Path(path)), path)
            else:
                yield from _given_file(Path(path))


def _documents(found: Iterator[Source], place: str) -> Iterator[Source]:
    """Yield the documents without companion files, which are counted in a warning."""
    left: Counter[str] = Counter()
    for source in found:
        ending = os.path.splitext(source.name)[1].lower()  # noqa: PTH122
        if ending in COMPANIONS:
            left[ending] += 1
        else:
            yield source
    if left:
        kinds = ", ".join(f"{count} {ending}" for ending, count in sorted(left.items()))
        warn(f"{place}: not documents, ignored: {kinds}", SpanwiseWarning, stacklevel=2)


def total_size(paths: Sequence[str]) -> int:
    """Return the size of all files in bytes, as far as known before reading."""
    total = 0
    for path in paths:
        if path != STDIN and Path(path).is_dir():
            found = files(Path(path), "", frozenset())
            total += sum(file.about.st_size for file in found if not file.reason)
        elif Path(path).is_file():
            total += Path(path).stat().st_size
    return total


def _folder_with_files(folder: Path) -> Iterator[Source]:
    empty = True
    for path, name, about, reason in files(folder, "", frozenset()):
        if reason:
            warn_ignored(path, reason)
            continue
        empty = False
        if name.lower().endswith(PACKED):
            yield from _packed(Path(path), name, about)
        else:
            yield _plain(path, name, about)
    if empty:
        raise FormatError(str(folder), None, "the folder has no files", "at least one document")


def _plain(path: str, name: str, about: os.stat_result) -> Source:
    return Source(name, path, about.st_size, about.st_mtime_ns, about.st_size, path)


def _given_file(path: Path) -> Iterator[Source]:
    """Yield the documents of a named file: an archive, a list of files, or a document."""
    with refusing_damage(str(path)):
        about = path.stat()
        if not stat.S_ISREG(about.st_mode):
            raise FormatError(str(path), None, "not a file", "a folder, an archive or a file")
        if not is_zip(path):
            with opened(path) as stream:
                if _is_list(stream, path.parent):
                    stream.seek(0)
                    yield from _listed(stream, str(path), path.parent)
                    return
        if is_packed(path):
            yield from _documents(_packed(path, path.name, about), str(path))
            return
    yield _plain(str(path), path.name, about)


def _is_list(stream: IO[bytes], folder: Path) -> bool:
    """Return whether the first line names an existing file, or all inspected lines may be names."""
    head = stream.read(4096)
    lines = [line.strip() for line in head.splitlines() if line.strip()]
    if not lines or lines[0].startswith(b"<") or b"\0" in head:
        return False
    if _found(os.fsdecode(lines[0]), folder) is not None:
        return True
    whole = lines if len(head) < 4096 else lines[:-1]
    return bool(whole) and all(map(_NAME.fullmatch, whole))


def _found(name: str, folder: Path) -> Path | None:
    """Return a listed file, relative to the list or to the current folder, or None."""
    try:
        return next((path for path in (folder / name, Path(name)) if path.is_file()), None)
    except OSError:  # a line of text can be too long for a file name
        return None


def _listed(lines: IO[bytes], place: str, folder: Path) -> Iterator[Source]:
    for number, line in enumerate(lines, start=1):
        written = os.fsdecode(line.strip())
        if not written:
            continue
        path = _found(written, folder)
        name = os.path.normpath(written).replace(os.sep, "/").lstrip("./")
        if path is None:
            missing = FormatError(place, number, f"{written!r} is not a file", "one file per line")
            yield Source(name, place, 0, 0, 0, refusal=missing)
            continue
        with refusing_damage(str(path)):
            about = path.stat()
            packed = is_packed(path)
        if packed:
            yield from _packed(path, name, about)
        else:
            yield _plain(str(path), name, about)


def _packed(path: Path, name: str, about: os.stat_result) -> Iterator[Source]:
    """Yield the members of an archive, or the single document of a compressed file."""
    prefix = name.rpartition("/")[0]
    prefix = f"{prefix}/" if prefix else ""
    stamp, weighed = about.st_mtime_ns, 0
    try:
        with refusing_damage(str(path)):
            members = members_of_zip(path) if is_zip(path) else members_of_tar(path)
            if members is None:
                yield _plain(str(path), unpacked_name(name), about)
                return
            others = 0
            for member in members:
                if not member.is_file:
                    others += 1
                    continue
                own = unpacked_name(member.name) if is_compressed(member.data) else member.name
                yield Source(
                    f"{prefix}{own}",
                    f"{path}/{member.name}",
                    len(member.data),
                    stamp,
                    member.position - weighed,
                    data=member.data,
                    refusal=member.refusal,
                )
                weighed = member.position
        if others:
            warn_ignored(str(path), f"{others} members that are links or not files")
    except FormatError as error:  # what precedes the damage is kept
        yield Source(name, str(path), 0, stamp, about.st_size - weighed, refusal=error)
