"""Pieces of large files, cut so that the lines of a topic stay together, and reading them.

A file whose topics are contiguous is cut where the topic changes. A file that is compressed or
comes through a pipe can only be read from its beginning, so its pieces come one after the other. A
file whose topics are scattered is first partitioned by topic on disk. Whether a topic occurs again
in another piece is only known when all pieces have been read; the merge of their values checks it.
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
from spanwise.formats.io.files import CHUNK, PACKED, chunks, memory_limit, size_in_memory
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
    """A range of lines of a file of a known format, as byte positions."""

    format: str
    begin: int
    end: int
    path: str | None = None  # the file that has the bytes, if it is not the original


GLANCES, GLANCE = 16, 1 << 16
"""Number of pieces that are sampled for scattered topics, and bytes of each."""
RUN: tuple[Holds, ...] = ("run",)
JUDGEMENTS: tuple[Holds, ...] = ("judgements", "preferences")


def format_of(file: str, name: str | None, holds: tuple[Holds, ...] = RUN) -> Format:
    """Return the named or recognised format of a file."""
    return find_format(name, holds) if name else recognised(next(chunks(file)), holds)


def pieces_of(file: str, name: str | None, size: int) -> list[Piece] | None:
    """Return pieces of about `size` bytes, or None if the file can only be read as a whole.

    Compressed files and standard input can only be read from their beginning.
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
    """Return whether some topic occurs in several pieces, judged by samples of some pieces."""
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
    """Return whether a file is compressed."""
    with Path(file).open("rb") as stream:
        return stream.read(6).startswith(PACKED)


def _cut(stream: IO[bytes], place: int, lines: Lines) -> int:
    """Return the position of the first topic that begins after a place."""
    stream.seek(place)
    stream.readline()  # the place may be inside a line
    before: bytes | None = None
    for line in iter(stream.readline, b""):
        topic = lines.topic(line)
        if topic is not None and before is not None and topic != before:
            return stream.tell() - len(line)
        before = before if topic is None else topic
    return stream.tell()


def read_piece(file: str, piece: Piece, options: Reading, *, numbered: bool = False) -> Run:
    """Read a piece of a file as a run.

    If `numbered`, line numbers count from the beginning of the file, which requires reading what
    precedes the piece.
    """
    entry = FORMATS[piece.format]
    path = piece.path or file
    header = header_of(path, entry) if piece.begin else b""
    above = _lines_before(path, piece.begin) - bool(header) if numbered else 0
    run: Any = entry.parse(_between(path, piece, header), file, replace(options, above=above))
    return run


def save_stream(source: str, name: str | None, folder: Path, size: int) -> list[Piece]:
    """Save the content of a pipe in a folder so that it can be cut; return at least one piece."""
    path = folder / "stream"
    with path.open("wb") as stream:
        stream.writelines(chunks(source))
    cut = pieces_of(str(path), name, size)
    whole = [Piece(format_of(str(path), name).name, 0, path.stat().st_size)]
    return [replace(piece, path=str(path)) for piece in cut or whole]


def header_of(file: str, entry: Format) -> bytes:
    """Return the first line of a file if every piece needs it, else nothing."""
    line = next(chunks(file)).partition(b"\n")[0] + b"\n"
    return line if entry.lines is not None and entry.lines.is_header(line) else b""


def _between(file: str, piece: Piece, header: bytes) -> Iterator[bytes]:
    """Yield the bytes of a piece in blocks of whole lines."""
    for number, data in enumerate(chunks(file, piece.begin, piece.end)):
        yield header + data if header and not number else data


def _lines_before(file: str, place: int) -> int:
    return sum(line_count(data) for data in chunks(file, 0, place)) if place else 0


# Reading from the beginning on -------------------------------------------------------------------


def runs_in_turn(file: str, name: str | None, options: Reading, size: int) -> Iterator[Run]:
    """Yield runs for the pieces of a file that can only be read from its beginning.

    There is one piece if the file is short or its format cannot be cut.
    """
    source = chunks(file)
    first = next(source)
    entry = find_format(name, RUN) if name else recognised(first, RUN)
    some = chain([first], source)
    if entry.lines is None:
        yield entry.parse(some, file, options)
        return
    header, above = b"", 0
    for number, held in enumerate(_blocks(some, size, entry.lines)):
        if not number:
            line = held[0].partition(b"\n")[0] + b"\n"
            header = line if entry.lines.is_header(line) else b""
        there = [header, *held] if header and number else held
        try:
            yield entry.parse(
                iter(there), file, replace(options, above=above - (len(there) > len(held)))
            )
        except EmptyError:
            if not number:
                raise
        above += sum(map(line_count, held))


def _blocks(pieces: Iterator[bytes], size: int, lines: Lines) -> Iterator[list[bytes]]:
    """Yield groups of blocks of about `size` bytes, cut where the topic changes."""
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
    """Return where the last topic of a block begins, or 0 if the block has only one topic."""
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


# Partitioning by topic ---------------------------------------------------------------------------
#
# For files whose topics are scattered. Polars' streaming engine writes the lines to a folder as
# they are read, so that memory holds only some megabytes. Each line keeps its number, so that
# errors are reported at their original place.

Observer = Callable[[Iterator[bytes], int], Iterator[bytes]]
"""A wrapper around the blocks of a file that observes their passing, given their number."""


@dataclass(frozen=True, slots=True)
class Part:
    """Some topics of a file of a known format: their lines, in files of our own."""

    format: str
    paths: tuple[str, ...]
    header: bytes = b""  # a first line that every part needs


def part_of(topic: bytes, parts: int) -> int:
    """Return the part that a topic belongs to, the same on every machine.

    It is the remainder of CRC-32, whose check value is CBF43926:

    >>> part_of(b"123456789", 16)
    6
    """
    return crc32(topic) % parts


def partition_alike(
    files: Sequence[tuple[str, Format]], folder: Path, watch: Observer = lambda some, _: some
) -> list[tuple[Part, ...]]:
    """Partition files by topic in the same way; each result has a part of every file.

    The number of parts follows from the available memory, but every part has something of every
    file. The part with the last line of the last file comes last.
    """
    count = parts_for(max((file for file, _ in files), key=size_in_memory))
    cut = [
        partition(file, entry, count, folder / str(number), watch)
        for number, (file, entry) in enumerate(files)
    ]
    groups = complete_groups(range(count), [set(there) for _, there, _ in cut])
    groups.sort(key=lambda numbers: cut[-1][2] in numbers)
    return [tuple(_part(one, numbers) for one in cut) for numbers in groups]


def complete_groups(numbers: Iterable[int], there: Sequence[set[int]]) -> list[list[int]]:
    """Group numbers into as many groups as possible, each with a member of every set.

    >>> complete_groups(range(5), [{0, 1, 3}, {1, 2}])
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
"""What all parts of a file have in common, the path of each, and the part with the last line."""


def _part(cut: Cut, numbers: Sequence[int]) -> Part:
    common, there, _ = cut
    return replace(common, paths=tuple(there[n] for n in numbers if n in there))


def parts_for(file: str) -> int:
    """Return the number of parts so that memory can hold several of them."""
    return min(max(2, -(-8 * size_in_memory(file) // max(memory_limit(), 1))), 512)


def partition(
    file: str, entry: Format, parts: int, folder: Path, watch: Observer = lambda some, _: some
) -> Cut:
    """Write the parts of a file to a new folder; return those that are not empty."""
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
    """Yield the data lines with their numbers and parts; store the last line's part in `last`."""
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
    """Let Polars write frames by part in a thread, so that this thread can still be interrupted."""
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


# Reading a part ----------------------------------------------------------------------------------


def read_part(file: str, part: Part, options: Reading) -> Any:
    """Read a part of a file, with the line numbers and errors of the original file."""
    import polars as pl

    table = pl.concat([pl.read_parquet(path) for path in part.paths]).sort("number")
    numbers = table["number"].to_numpy()
    text = part.header + b"\n".join([*table["text"].to_list(), b""])
    del table
    above = np.concatenate([[1], numbers]) if part.header else numbers
    try:
        content = FORMATS[part.format].parse(_once(text), file, options)
    except FormatError as error:
        if error.line is None:
            raise
        line = int(above[error.line - 1])
        raise type(error)(file, line, error.found, error.expected, error.advice) from error
    return replace(content, rows=replace(content.rows, lines=_lines(content.rows, above)))


def _once(text: bytes) -> Iterator[bytes]:
    yield text


def _lines(rows: Any, numbers: IntArray) -> IntArray:
    places = np.arange(len(rows)) if rows.lines is None else rows.lines - 1
    return numbers[places]
