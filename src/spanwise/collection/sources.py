"""Where documents come from: folders, archives, lists of files, files.

Files of a folder come in byte order of their paths, members of an archive in the archive's order.
Nothing is unpacked to disk. A document is named by its path relative to what was given, with `/`
between parts; for an archive inside a folder, relative to the folder that holds the archive.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO
from warnings import warn

from spanwise.collection.unpacking import (
    PACKED,
    is_packed,
    is_zip,
    members_of_tar,
    members_of_zip,
    refusing_damage,
    unpacked,
    unpacked_name,
)
from spanwise.errors import FormatError, SpanwiseWarning

STDIN = "-"


@dataclass(frozen=True, slots=True)
class Source:
    """One document, not yet looked into."""

    name: str
    place: str  # what messages call it
    size: int
    stamp: int  # when it was changed
    weight: int  # bytes on disk, for progress
    path: str | None = None  # the file that holds it, packed or not
    data: bytes | None = None  # its bytes, where they could not be read later

    def load(self) -> bytes:
        """Its bytes."""
        if self.data is not None:
            return self.data
        with refusing_damage(self.place):
            with open(self.path or self.place, "rb", buffering=0) as stream:  # noqa: PTH123
                data = stream.read()
            return unpacked(data, self.place)


def sources(paths: Sequence[str]) -> Iterator[Source]:
    """All documents of folders, archives, lists and files, one after the other."""
    for path in paths:
        if path == STDIN:
            yield from _listed(sys.stdin.buffer, "<standard input>", Path())
        elif Path(path).is_dir():
            yield from _folder_with_files(Path(path))
        else:
            yield from _given_file(Path(path))


def total_size(paths: Sequence[str]) -> int:
    """Bytes on disk, as far as they can be told before reading."""
    total = 0
    for path in paths:
        if path != STDIN and Path(path).is_dir():
            total += sum(entry.stat().st_size for entry, _ in _files(Path(path), "", frozenset()))
        elif Path(path).is_file():
            total += Path(path).stat().st_size
    return total


def _folder_with_files(folder: Path) -> Iterator[Source]:
    empty = True
    for entry, name in _files(folder, "", frozenset()):
        empty = False
        if name.lower().endswith(PACKED):
            yield from _packed(Path(entry.path), name)
        else:
            yield _plain(entry.path, name, entry.stat())
    if empty:
        raise FormatError(str(folder), None, "the folder has no files", "at least one document")


def _files(
    folder: Path, prefix: str, above: frozenset[tuple[int, int]]
) -> Iterator[tuple[os.DirEntry[str], str]]:
    """The files below a folder with their relative names, hidden ones left out."""
    with refusing_damage(str(folder)):
        about = folder.stat()
        with os.scandir(folder) as listing:
            entries = [entry for entry in listing if not entry.name.startswith(".")]
    above = above | {(about.st_dev, about.st_ino)}
    ordered = sorted((os.fsencode(entry.name) + b"/" * entry.is_dir(), entry) for entry in entries)
    for _, entry in ordered:
        name = prefix + entry.name
        with refusing_damage(entry.path):
            about = entry.stat()
        if stat.S_ISDIR(about.st_mode):
            if (about.st_dev, about.st_ino) in above:
                _left_out(entry.path, "a link to a folder above it")
                continue
            yield from _files(Path(entry.path), f"{name}/", above)
        elif stat.S_ISREG(about.st_mode):
            yield entry, name
        else:
            _left_out(entry.path, "not a file")


def _left_out(path: str, reason: str) -> None:
    warn(f"{path}: {reason}, left out", SpanwiseWarning, stacklevel=2)


def _plain(path: str, name: str, about: os.stat_result) -> Source:
    return Source(name, path, about.st_size, about.st_mtime_ns, about.st_size, path)


def _given_file(path: Path) -> Iterator[Source]:
    """A file that was named itself: an archive, a list of files, or a document."""
    with refusing_damage(str(path)):
        if is_packed(path):
            yield from _packed(path, path.name)
            return
        about = path.stat()
        if not stat.S_ISREG(about.st_mode):
            raise FormatError(str(path), None, "not a file", "a folder, an archive or a file")
        with path.open("rb") as stream:
            if _is_list(stream, path.parent):
                stream.seek(0)
                yield from _listed(stream, str(path), path.parent)
                return
    yield _plain(str(path), path.name, about)


def _is_list(stream: IO[bytes], folder: Path) -> bool:
    """Whether the first line names a file."""
    line = stream.readline(4096).strip()
    while not line and stream.tell() < 4096:
        if not (line := stream.readline(4096)):
            return False
        line = line.strip()
    if not line or line.startswith(b"<") or b"\0" in line:
        return False
    return _found(os.fsdecode(line), folder) is not None


def _found(name: str, folder: Path) -> Path | None:
    """A listed file: beside the list, or from where the command was given."""
    try:
        return next((path for path in (folder / name, Path(name)) if path.is_file()), None)
    except OSError:  # a line of text can be too long for a name
        return None


def _listed(lines: IO[bytes], place: str, folder: Path) -> Iterator[Source]:
    for number, line in enumerate(lines, start=1):
        written = os.fsdecode(line.strip())
        if not written:
            continue
        path = _found(written, folder)
        if path is None:
            raise FormatError(place, number, f"{written!r} is not a file", "one file per line")
        name = os.path.normpath(written).replace(os.sep, "/").lstrip("./")
        if is_packed(path):
            yield from _packed(path, name)
        else:
            with refusing_damage(str(path)):
                about = path.stat()
            yield _plain(str(path), name, about)


def _packed(path: Path, name: str) -> Iterator[Source]:
    """The members of an archive, or the one document that a file holds."""
    about = path.stat()
    prefix = name.rpartition("/")[0]
    prefix = f"{prefix}/" if prefix else ""
    members = members_of_zip(path) if is_zip(path) else members_of_tar(path)
    if members is None:
        yield _plain(str(path), unpacked_name(name), about)
        return
    weighed = 0
    with refusing_damage(str(path)):
        for member in members:
            yield Source(
                f"{prefix}{member.name}",
                f"{path}/{member.name}",
                len(member.data),
                about.st_mtime_ns,
                member.position - weighed,
                data=member.data,
            )
            weighed = member.position
