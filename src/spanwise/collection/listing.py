"""Documents that are not yet looked into, and the files below a folder."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from warnings import warn

from spanwise.collection.unpacking import refusing_damage, unpacked
from spanwise.errors import FormatError, SpanwiseWarning


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
    refusal: FormatError | None = None  # why it cannot be read, where that came out already

    @property
    def is_stated(self) -> bool:
        """Whether its name is an id that the file states, as files of many documents do."""
        return self.kind is not None

    def load(self) -> bytes:
        """Its bytes."""
        if self.refusal is not None:
            raise self.refusal
        if self.is_stated and self.data is not None:
            return self.data
        with refusing_damage(self.place):
            if self.data is not None:
                return unpacked(self.data, self.place)
            with open(self.path or self.place, "rb", buffering=0) as stream:  # noqa: PTH123
                data = stream.read()
            return unpacked(data, self.place)


class Found(NamedTuple):
    """A file below a folder."""

    path: str
    name: str  # relative to the folder
    about: os.stat_result
    reason: str = ""  # why it is not used


def files(folder: Path, prefix: str, above: frozenset[tuple[int, int]]) -> Iterator[Found]:
    """The files below a folder, hidden ones left out. Of each only the name waits for its turn."""
    with refusing_damage(str(folder)):
        about = folder.stat()
        with os.scandir(folder) as listing:
            ordered = sorted(
                os.fsencode(entry.name) + b"/" * entry.is_dir()
                for entry in listing
                if not entry.name.startswith(".")
            )
    above = above | {(about.st_dev, about.st_ino)}
    place = "" if folder == Path() else str(folder)  # as text: a path object is slow to make
    for each in ordered:
        own = os.fsdecode(each.rstrip(b"/"))
        path, name = os.path.join(place, own), prefix + own  # noqa: PTH118
        about = _about(path)
        if stat.S_ISDIR(about.st_mode):
            if (about.st_dev, about.st_ino) in above:
                yield Found(path, name, about, "a link to a folder above it")
            else:
                yield from files(Path(path), f"{name}/", above)
        elif stat.S_ISREG(about.st_mode) or stat.S_ISLNK(about.st_mode):
            yield Found(path, name, about)
        else:
            yield Found(path, name, about, "not a file")


def _about(path: str) -> os.stat_result:
    """The status of a file; of a link to nothing its own, so that reading it says what is wrong."""
    with refusing_damage(path):
        try:
            return os.stat(path)  # noqa: PTH116
        except FileNotFoundError:
            return os.lstat(path)


def left_out(path: str, reason: str) -> None:
    """Say that a file is not used."""
    warn(f"{path}: {reason}, left out", SpanwiseWarning, stacklevel=2)
