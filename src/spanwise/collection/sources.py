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
from pathlib import Path
from typing import IO

from spanwise.collection.listing import Source, files
from spanwise.collection.sets import documents_in
from spanwise.collection.unpacking import (
    PACKED,
    is_packed,
    is_zip,
    members_of_tar,
    members_of_zip,
    opened,
    refusing_damage,
    unpacked_name,
)
from spanwise.errors import FormatError

STDIN = "-"


def sources(paths: Sequence[str]) -> Iterator[Source]:
    """All documents of folders, archives, lists and files, one after the other."""
    for path in paths:
        if path == STDIN:
            yield from _listed(sys.stdin.buffer, "<standard input>", Path())
        else:
            found = documents_in(path)
            if found is not None:
                yield from found
            elif Path(path).is_dir():
                yield from _folder_with_files(Path(path))
            else:
                yield from _given_file(Path(path))


def total_size(paths: Sequence[str]) -> int:
    """Bytes on disk, as far as they can be told before reading."""
    total = 0
    for path in paths:
        if path != STDIN and Path(path).is_dir():
            total += sum(file.about.st_size for file in files(Path(path), "", frozenset()))
        elif Path(path).is_file():
            total += Path(path).stat().st_size
    return total


def _folder_with_files(folder: Path) -> Iterator[Source]:
    empty = True
    for path, name, about in files(folder, "", frozenset()):
        empty = False
        if name.lower().endswith(PACKED):
            yield from _packed(Path(path), name)
        else:
            yield _plain(path, name, about)
    if empty:
        raise FormatError(str(folder), None, "the folder has no files", "at least one document")


def _plain(path: str, name: str, about: os.stat_result) -> Source:
    return Source(name, path, about.st_size, about.st_mtime_ns, about.st_size, path)


def _given_file(path: Path) -> Iterator[Source]:
    """A file that was named itself: an archive, a list of files, or a document."""
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
            yield from _packed(path, path.name)
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
