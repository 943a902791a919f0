"""Documents that are not yet looked into, and the files below a folder."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from warnings import warn

from spanwise.collection.unpacking import refusing_damage, unpacked
from spanwise.errors import SpanwiseWarning


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
    kind: str | None = None  # what it is written in, where its name does not say

    @property
    def is_stated(self) -> bool:
        """Whether its name is an id that the file states, as files of many documents do."""
        return self.kind is not None

    def load(self) -> bytes:
        """Its bytes."""
        if self.data is not None:
            return self.data
        with refusing_damage(self.place):
            with open(self.path or self.place, "rb", buffering=0) as stream:  # noqa: PTH123
                data = stream.read()
            return unpacked(data, self.place)


def files(
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
                left_out(entry.path, "a link to a folder above it")
                continue
            yield from files(Path(entry.path), f"{name}/", above)
        elif stat.S_ISREG(about.st_mode):
            yield entry, name
        else:
            left_out(entry.path, "not a file")


def left_out(path: str, reason: str) -> None:
    """Say that a file is not used."""
    warn(f"{path}: {reason}, left out", SpanwiseWarning, stacklevel=2)
