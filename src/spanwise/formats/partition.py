"""The lines of a file in parts, all lines of a topic in one: for files that are in no such order.

Polars' streaming engine writes them to a folder as they come, so that memory holds some megabytes.
Each line keeps its number, and what is wrong with it is said as if it had been read in its place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np

from spanwise.errors import FormatError
from spanwise.formats.allowance import allowance, size_in_memory
from spanwise.formats.opening import CHUNK, chunks
from spanwise.formats.pieces import header_of
from spanwise.formats.registry import FORMATS, Format, Reading

if TYPE_CHECKING:
    import polars as pl

    from spanwise.model.arrays import IntArray

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
