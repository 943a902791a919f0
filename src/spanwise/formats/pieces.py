"""Pieces of a file: where it can be cut so that each topic's lines stay together, and reading one.

Cuts fall where the topic changes. Whether a topic comes again elsewhere nobody knows before all
pieces have been read; whoever puts their values together finds out. A file that is packed, or that
comes through a pipe, has no places to begin at: its pieces come one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from pathlib import Path
from threading import Event, Thread
from typing import IO, TYPE_CHECKING, Any
from zlib import crc32

import numpy as np

from spanwise.errors import EmptyError, FormatError
from spanwise.formats.io.columns import line_count
from spanwise.formats.io.files import CHUNK, PACKED, allowance, chunks, size_in_memory
from spanwise.formats.registry import (
    FORMATS,
    Format,
    Holds,
    Lines,
    Reading,
    find_format,
    recognised,
)

if TYPE_CHECKING:
    import polars as pl

    from spanwise.model.arrays import IntArray
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


# The lines of a file in parts, all lines of a topic in one: for files that are in no such order.
#
# Polars' streaming engine writes them to a folder as they come, so that memory holds some
# megabytes. Each line keeps its number, and what is wrong with it is said as if it had been read in
# its place.

Watch = Callable[[Iterator[bytes], int], Iterator[bytes]]
"""Looks on while the bytes of a file go by, in about so many pieces."""


@dataclass(frozen=True, slots=True)
class Part:
    """Some topics of a file of a known format: their lines, in a file of our own."""

    format: str
    paths: tuple[str, ...]
    header: bytes = b""  # a first line that all parts need


def part_of(topic: bytes, parts: int) -> int:
    """In which of so many parts a topic is, always and everywhere.

    The remainder of CRC-32, whose check value is CBF43926:

    >>> part_of(b"123456789", 16)
    6
    """
    return crc32(topic) % parts


def together(
    files: Sequence[tuple[str, Format]], folder: Path, watch: Watch = lambda some, _: some
) -> list[tuple[Part, ...]]:
    """Files cut alike: each of the results has a part of every file, and the topics are the same.

    There are as many as memory asks for, or fewer, so that each has something of every file; the
    one with the last line of the last file comes last.
    """
    count = parts_for(max((file for file, _ in files), key=size_in_memory))
    cut = [
        partitioned(file, entry, count, folder / str(number), watch)
        for number, (file, entry) in enumerate(files)
    ]
    groups = filled(range(count), [set(there) for _, there, _ in cut])
    groups.sort(key=lambda numbers: cut[-1][2] in numbers)
    return [tuple(_part(one, numbers) for one in cut) for numbers in groups]


def filled(numbers: Iterable[int], there: Sequence[set[int]]) -> list[list[int]]:
    """Numbers in groups, as many as there can be with one of each set in every group.

    >>> filled(range(5), [{0, 1, 3}, {1, 2}])
    [[0, 1], [2, 3, 4]]
    """
    groups: list[list[int]] = []
    some: list[int] = []
    for number in numbers:
        some.append(number)
        if all(one.intersection(some) for one in there):
            groups.append(some)
            some = []
    rest = [number for group in groups[-1:] for number in group] + some
    return [*groups[:-1], rest]


Cut = tuple[Part, dict[int, str], int]
"""What all parts of a file have in common, the path of each, and which has the last line."""


def _part(cut: Cut, numbers: Sequence[int]) -> Part:
    common, there, _ = cut
    return replace(common, paths=tuple(there[n] for n in numbers if n in there))


def parts_for(file: str) -> int:
    """How many parts of a file let memory hold several of them."""
    return min(max(2, -(-8 * size_in_memory(file) // max(allowance(), 1))), 512)


def partitioned(
    file: str, entry: Format, parts: int, folder: Path, watch: Watch = lambda some, _: some
) -> Cut:
    """The parts of a file, written to a new folder; parts that nothing is in are left out."""
    folder.mkdir()
    last = [0]
    header = header_of(file, entry)
    pieces = watch(chunks(file), -(-Path(file).stat().st_size // CHUNK))
    _sink(lambda: _frames(pieces, entry, parts, last), folder)
    paths = {number: folder / f"{number}.parquet" for number in range(parts)}
    there = {number: str(path) for number, path in paths.items() if path.exists()}
    return Part(entry.name, (), header), there, last[0]


def _frames(
    pieces: Iterator[bytes], entry: Format, parts: int, last: list[int]
) -> Iterator[pl.DataFrame]:
    """The lines of data with their numbers and parts; which part was last is noted."""
    import polars as pl

    assert entry.lines is not None
    numbers = 0
    for piece in pieces:
        lines = piece.split(b"\n")[:-1]
        topics = [entry.lines.topic(line) for line in lines]
        known = {topic: -1 if topic is None else part_of(topic, parts) for topic in set(topics)}
        owner = np.array([known[topic] for topic in topics], np.int64)
        kept = np.flatnonzero(owner >= 0)
        last[0] = int(owner[kept[-1]]) if len(kept) else last[0]
        text = pl.Series(lines, dtype=pl.Binary)
        columns = {"text": text, "number": numbers + 1 + np.arange(len(lines)), "part": owner}
        yield pl.DataFrame(columns)[kept]
        numbers += len(lines)


def _sink(frames: Callable[[], Iterator[pl.DataFrame]], folder: Path) -> None:
    """Let Polars write frames by part, in a thread, so that this one hears when it is to end."""
    import polars as pl
    from polars.io.plugins import register_io_source

    enough, failures = Event(), list[BaseException]()

    def source(*_: Any) -> Iterator[pl.DataFrame]:
        try:
            for frame in frames():
                if enough.is_set():
                    return
                yield frame
        except BaseException as error:
            failures.append(error)

    def sink() -> None:
        schema = {"text": pl.Binary, "number": pl.Int64, "part": pl.Int64}
        target = pl.PartitionBy(
            folder,
            key="part",
            include_key=False,
            file_path_provider=lambda one: f"{one.partition_keys.item()}.parquet",
            approximate_bytes_per_file=None,
        )
        try:
            lines = register_io_source(source, schema=schema)
            lines.sink_parquet(target, compression="lz4", engine="streaming")
        except BaseException as error:
            failures.append(error)

    writer = Thread(target=sink)
    writer.start()
    try:
        while writer.is_alive():
            writer.join(0.1)
    finally:
        enough.set()
        writer.join()
    if failures:
        raise failures[0]


# Reading ------------------------------------------------------------------------------------


def read_part(file: str, part: Part, how: Reading) -> Any:
    """What a part of a file holds, as if it had been read in its place."""
    import polars as pl

    table = pl.concat([pl.read_parquet(path) for path in part.paths]).sort("number")
    numbers = table["number"].to_numpy()
    text = part.header + b"\n".join([*table["text"].to_list(), b""])
    del table
    above = np.concatenate([[1], numbers]) if part.header else numbers
    try:
        content = FORMATS[part.format].parse(_again(text), file, how)
    except FormatError as error:
        if error.line is None:
            raise
        line = int(above[error.line - 1])
        raise type(error)(file, line, error.found, error.expected, error.advice) from error
    return replace(content, rows=replace(content.rows, lines=_lines(content.rows, above)))


def _again(text: bytes) -> Iterator[bytes]:
    yield text


def _lines(rows: Any, numbers: IntArray) -> IntArray:
    places = np.arange(len(rows)) if rows.lines is None else rows.lines - 1
    return numbers[places]
