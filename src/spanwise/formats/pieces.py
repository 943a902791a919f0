"""Pieces of a file: where it can be cut so that each topic's lines stay together, and reading one.

Cuts fall where the topic changes. Whether a topic comes again elsewhere nobody knows before all
pieces have been read; whoever puts their values together finds out. A file that is packed, or that
comes through a pipe, has no places to begin at: its pieces come one after the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from spanwise.errors import EmptyError
from spanwise.formats.opening import PACKED, chunks
from spanwise.formats.registry import (
    FORMATS,
    Format,
    Holds,
    Lines,
    Reading,
    find_format,
    recognised,
)
from spanwise.formats.regular import line_count

if TYPE_CHECKING:
    from spanwise.model.run import Run


@dataclass(frozen=True, slots=True)
class Piece:
    """Some lines of a file of a known format: from one byte to another."""

    format: str
    begin: int
    end: int
    path: str | None = None  # where the bytes are, if not in the file


GLANCES, GLANCE = 16, 1 << 16
"""So many pieces are looked at, and so many bytes of each."""
RUN: tuple[Holds, ...] = ("run",)
JUDGEMENTS: tuple[Holds, ...] = ("judgements", "preferences")


def format_of(file: str, name: str | None, holds: tuple[Holds, ...] = RUN) -> Format:
    """The format of a file, as named or recognised."""
    return find_format(name, holds) if name else recognised(next(chunks(file)), holds)


def pieces_of(file: str, name: str | None, size: int) -> list[Piece] | None:
    """Pieces of about so many bytes; None if the file can only be read as a whole.

    Packed files and standard input can only be read from their beginning.
    """
    path = Path(file)
    if not path.is_file():
        return None
    whole = path.stat().st_size
    if whole <= size or is_packed(file):
        return None
    entry = format_of(file, name)
    if entry.lines is None:
        return None
    with path.open("rb") as stream:
        cuts = [0]
        while cuts[-1] < whole:
            cuts.append(_cut(stream, cuts[-1] + size, entry.lines))
    return [Piece(entry.name, begin, end) for begin, end in pairwise(cuts)]


def scattered(file: str, pieces: Sequence[Piece]) -> bool:
    """Whether a topic is seen in several pieces at a glance: at the beginning of some of them."""
    seen: set[bytes] = set()
    lines = FORMATS[pieces[0].format].lines
    assert lines is not None
    with Path(file).open("rb") as stream:
        for piece in pieces[:: -(-len(pieces) // GLANCES)]:
            stream.seek(piece.begin)
            some = stream.read(min(GLANCE, piece.end - piece.begin)).split(b"\n")[:-1]
            here = {topic for line in some if (topic := lines.topic(line)) is not None}
            if seen & here:
                return True
            seen |= here
    return False


def is_packed(file: str) -> bool:
    """Whether a file is compressed."""
    with Path(file).open("rb") as stream:
        return stream.read(6).startswith(PACKED)


def _cut(stream: IO[bytes], place: int, lines: Lines) -> int:
    """Where the first topic begins that begins after a place."""
    stream.seek(place)
    stream.readline()  # a line may have begun before
    before: bytes | None = None
    for line in iter(stream.readline, b""):
        topic = lines.topic(line)
        if topic is not None and before is not None and topic != before:
            return stream.tell() - len(line)
        before = before if topic is None else topic
    return stream.tell()


def read_piece(file: str, piece: Piece, how: Reading, *, numbered: bool = False) -> Run:
    """The run that a piece of a file is.

    Its lines are counted from the file's beginning if they are to be `numbered`, which means to
    read what is before them.
    """
    entry = FORMATS[piece.format]
    path = piece.path or file
    header = header_of(path, entry) if piece.begin else b""
    above = _lines_before(path, piece.begin) - bool(header) if numbered else 0
    run: Any = entry.parse(_between(path, piece, header), file, replace(how, above=above))
    return run


def kept_on_disk(source: str, name: str | None, folder: Path, size: int) -> list[Piece]:
    """What comes through a pipe, kept in a folder so that it can be cut; at least one piece."""
    path = folder / "stream"
    with path.open("wb") as stream:
        stream.writelines(chunks(source))
    cut = pieces_of(str(path), name, size)
    whole = [Piece(format_of(str(path), name).name, 0, path.stat().st_size)]
    return [replace(piece, path=str(path)) for piece in cut or whole]


def header_of(file: str, entry: Format) -> bytes:
    """The first line, if all pieces need it."""
    line = next(chunks(file)).partition(b"\n")[0] + b"\n"
    return line if entry.lines is not None and entry.lines.is_header(line) else b""


def _between(file: str, piece: Piece, header: bytes) -> Iterator[bytes]:
    """The bytes of a piece, some megabytes at a time, in whole lines."""
    for number, data in enumerate(chunks(file, piece.begin, piece.end)):
        yield header + data if header and not number else data


def _lines_before(file: str, place: int) -> int:
    return sum(line_count(data) for data in chunks(file, 0, place)) if place else 0


# From the beginning on -----------------------------------------------------------------------


def runs_in_turn(file: str, name: str | None, how: Reading, size: int) -> Iterator[Run]:
    """The pieces of a file that can only be read from its beginning, as runs.

    There is one piece if the file is short, or of a format that cannot be cut.
    """
    source = chunks(file)
    first = next(source)
    entry = find_format(name, RUN) if name else recognised(first, RUN)
    some = chain([first], source)
    if entry.lines is None:
        yield entry.parse(some, file, how)
        return
    header, above = b"", 0
    for number, held in enumerate(_stretches(some, size, entry.lines)):
        if not number:
            line = held[0].partition(b"\n")[0] + b"\n"
            header = line if entry.lines.is_header(line) else b""
        there = [header, *held] if header and number else held
        try:
            yield entry.parse(
                iter(there), file, replace(how, above=above - (len(there) > len(held)))
            )
        except EmptyError:
            if not number:
                raise
        above += sum(map(line_count, held))


def _stretches(pieces: Iterator[bytes], size: int, lines: Lines) -> Iterator[list[bytes]]:
    """Bytes in stretches of about so many, cut where the topic changes."""
    held: list[bytes] = []
    there = 0
    for piece in pieces:
        if there >= size:
            place = _last_change(piece, lines)
            if place:
                yield [*held, piece[:place]]
                held, there, piece = [], 0, piece[place:]
        held.append(piece)
        there += len(piece)
    yield held


def _last_change(piece: bytes, lines: Lines) -> int:
    """Where the last topic of a piece begins; 0 if it has no other."""
    last: bytes | None = None
    end = place = len(piece)
    while end > 0:
        start = piece.rfind(b"\n", 0, end - 1) + 1
        topic = lines.topic(piece[start:end])
        if topic is not None:
            if last is not None and topic != last:
                return place
            last, place = topic, start
        end = start
    return 0
