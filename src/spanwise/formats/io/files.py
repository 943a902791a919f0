"""Opening files: plain, gzip, xz or zstd by content, standard input for `-`, remote addresses.

All reading goes through `chunks`. The second half of the module decides how much memory may be used
and whether a file fits in it.
"""

from __future__ import annotations

import io
import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import IO, Any, cast
from warnings import warn

from spanwise.errors import FormatError, MissingExtra, SpanwiseError, SpanwiseWarning, UsageError

CHUNK = 4 << 20
"""Number of bytes read at once; a file that is not longer counts as small."""
LONGEST_LINE = 256 << 20
BOM = b"\xef\xbb\xbf"
PARQUET = b"PAR1"
"""First and last bytes of a Parquet file."""
UTF16 = (b"\xff\xfe", b"\xfe\xff")
STDIN = "-"
GZIP, XZ, ZSTD = b"\x1f\x8b", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd"
PACKED = (GZIP, XZ, ZSTD)
"""First bytes of compressed files."""


def chunks(file: str, begin: int = 0, end: int | None = None) -> Iterator[bytes]:
    """Yield the bytes of a file in pieces of whole lines, adding a missing final newline.

    An empty file, UTF-16 and a truncated compressed stream are errors; a byte order mark is dropped
    with a warning. A part of an uncompressed file can be read if `begin` is the start of a line.
    """
    with _opened(file) as stream:
        if begin:
            stream.seek(begin)
        first = not begin
        left = None if end is None else end - begin
        for piece in _pieces(stream, file, left):
            yield _without_bom(piece, file) if first else piece
            first = False
        if first:
            raise FormatError(file, None, "the file is empty", "", "check how it was made")


def _pieces(stream: IO[bytes], file: str, left: int | None = None) -> Iterator[bytes]:
    while left is None or left > 0:
        try:
            piece = stream.read(CHUNK if left is None else min(CHUNK, left))
            if piece and not piece.endswith(b"\n"):
                piece += stream.readline(LONGEST_LINE)
        except (OSError, EOFError, ValueError) as error:
            raise FormatError(
                file, None, f"cannot be read to its end ({error})", "a complete file"
            ) from error
        except Exception as error:  # lzma and zstd have error classes of their own
            if type(error).__name__ in ("LZMAError", "ZstdError", "error"):
                raise FormatError(
                    file, None, f"damaged compressed data ({error})", "a complete file"
                ) from error
            raise
        if not piece:
            return
        if not piece.endswith(b"\n"):
            if len(piece) > LONGEST_LINE:
                raise FormatError(file, None, "a line longer than 256 MB", "lines of text")
            piece += b"\n"
        left = None if left is None else left - len(piece)
        yield piece


def _without_bom(piece: bytes, file: str) -> bytes:
    if piece.startswith(UTF16):
        raise FormatError(
            file, None, "the text is UTF-16", "UTF-8", "convert it: iconv -f UTF-16 -t UTF-8"
        )
    if piece.startswith(BOM):
        warn(f"{file}: a byte order mark at the start was dropped", SpanwiseWarning, stacklevel=2)
        return piece[len(BOM) :]
    return piece


def lasts(file: str) -> bool:
    """Return whether a file can be read again, unlike standard input and pipes."""
    return file != STDIN and not Path(file).is_fifo()


@contextmanager
def _opened(file: str) -> Iterator[IO[bytes]]:
    if file == STDIN:
        if sys.stdin is None:
            raise FormatError(file, None, "standard input cannot be opened (it is closed)", "")
        yield _decompressed(cast("io.BufferedReader", sys.stdin.buffer))
        return
    if is_remote(file):
        with _remote(file) as stream, closing(_decompressed(stream)) as unpacked:
            yield unpacked
        return
    if not file:  # Path would take it for the current folder
        raise FormatError("''", None, "the file name is empty", "the name of a file")
    path = Path(file)
    if path.is_dir():
        raise FormatError(file, None, "this is a folder", "a file")
    try:
        stream = path.open("rb")
    except (OSError, ValueError) as error:  # a name with a NUL byte is a ValueError
        reason = getattr(error, "strerror", None) or error
        raise FormatError(file, None, f"cannot be opened ({reason})", "") from error
    with stream, closing(_decompressed(stream)) as unpacked:
        yield unpacked


def is_remote(file: str) -> bool:
    """Return whether a name is an address, such as s3://bucket/run.txt."""
    scheme, mark, _ = file.partition("://")
    return bool(mark) and scheme.replace("+", "").isalnum()


@contextmanager
def _remote(file: str) -> Iterator[io.BufferedReader]:
    """Open an address with fsspec."""
    try:
        import fsspec
    except ImportError:
        raise MissingExtra("fsspec", "remote", f"to read {file}") from None
    try:
        with fsspec.open(file, "rb").open() as stream:
            yield io.BufferedReader(_Resumed(b"", stream))
    except ImportError as error:
        raise MissingExtra(str(error), "remote", f"to read {file}") from None
    except SpanwiseError:
        raise
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise FormatError(file, None, f"cannot be opened ({reason})", "") from error


def read_remote(file: str, absent: bytes) -> bytes:
    """Return the content of a short remote file, or `absent` if it cannot be read."""
    try:
        with _remote(file) as stream:
            return stream.read()
    except FormatError:
        return absent


def _decompressed(stream: io.BufferedReader) -> IO[bytes]:
    """Decompress a stream, as indicated by its first bytes and not by the file name."""
    magic = stream.peek(6)[:6]
    if len(magic) < 6:  # a pipe returns what has arrived so far
        magic = stream.read(6)
        stream = io.BufferedReader(_Resumed(magic, stream))
    if magic.startswith(GZIP):
        import gzip

        return cast("IO[bytes]", gzip.GzipFile(fileobj=stream))
    if magic.startswith(XZ):
        import lzma

        return lzma.LZMAFile(stream)
    if magic.startswith(ZSTD):
        return _zstd(stream)
    return stream


class _Resumed(io.RawIOBase):
    """A stream whose first bytes were already read; closing it leaves the original open."""

    def __init__(self, head: bytes, rest: io.BufferedReader) -> None:
        self._head, self._rest = head, rest

    def readable(self) -> bool:
        """Return true, because the stream can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read the bytes that were already taken, then those that follow."""
        if not self._head:
            take = getattr(self._rest, "readinto1", self._rest.readinto)
            return int(take(buffer))
        data, self._head = self._head[: len(buffer)], self._head[len(buffer) :]
        buffer[: len(data)] = data
        return len(data)


def _zstd(stream: io.BufferedReader) -> IO[bytes]:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return cast("IO[bytes]", zstd.ZstdFile(stream))


# Names and beginnings of files -------------------------------------------------------------------


def stem(file: str) -> str:
    """Return the file name without folders and extensions."""
    return "stdin" if file == STDIN else Path(file).name.split(".")[0] or Path(file).name


def beginning(head: bytes) -> bytes:
    """Return the first nonblank byte: < in XML, { in JSON lines, others in columns."""
    return head.lstrip()[:1]


def first_line(head: bytes) -> bytes:
    """Return the first nonblank line; the rest, possibly megabytes, is not touched."""
    begun = head.lstrip()
    end = begun.find(b"\n")
    return begun[:end] if end >= 0 else begun


def first_lines(head: bytes) -> list[list[bytes]]:
    """Return the columns of the first lines of data."""
    return _split(head[:100_000])


@lru_cache(maxsize=2)
def _split(head: bytes) -> list[list[bytes]]:
    """Split the first lines, cached because most formats look at them."""
    lines = (line.split() for line in head.split(b"\n", 200)[:200])
    return [fields for fields in lines if fields and not fields[0].startswith(b"#")]


# Memory ------------------------------------------------------------------------------------------

MEMORY_VARIABLE = "SPANWISE_MEMORY"
"""Environment variable with the number of bytes that may be used, such as 500M or 2G."""
SHARE = 0.5
"""Share of the available memory that may be used."""
TIMES = 4
"""Bytes of memory that a run takes up at most for each byte of its file."""
UNPACKED = 5
"""Bytes that a compressed file has when decompressed, for each of its own."""
PIECE = 64 << 20
"""Size of the pieces that are measured together, where memory allows."""
UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def memory_limit() -> int:
    """Return the bytes of memory that may be used: as set by the user, or half of the free ones."""
    stated = os.environ.get(MEMORY_VARIABLE, "")
    if not stated:
        return int(_available() * SHARE)
    found = re.fullmatch(r"(\d+)([KMGT]?)", stated.strip().upper().removesuffix("B"))
    if found is None:
        raise UsageError(f"{MEMORY_VARIABLE} is {stated!r}; expected bytes, such as 500M or 2G")
    return int(found[1]) * UNITS[found[2]]


def _available() -> int:
    """Return the memory that is free or cached, within the limits of a container."""
    figures = [_from_system(), _from_group()]
    return min((figure for figure in figures if figure is not None), default=4 << 30)


def _from_system() -> int | None:
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    found = next((line.split()[1] for line in lines if line.startswith("MemAvailable:")), None)
    return None if found is None else int(found) << 10


def _from_group() -> int | None:
    folder = Path("/sys/fs/cgroup")
    try:
        most, used = ((folder / name).read_text() for name in ("memory.max", "memory.current"))
    except OSError:
        return None
    return None if most.strip() == "max" else max(int(most) - int(used), 0)


def piece_size() -> int:
    """Return the size of the pieces that are measured together; shorter files are not cut."""
    return max(1, min(PIECE, memory_limit() // (4 * TIMES)))


def fits(file: str) -> bool:
    """Return whether a file is expected to fit in memory as a whole."""
    return size_in_memory(file) <= memory_limit()


def size_in_memory(file: str) -> int:
    """Return the number of bytes of memory that the content of a file may take."""
    path = Path(file)
    if not path.is_file():
        return 0
    with path.open("rb") as stream:
        packed = stream.read(6).startswith(PACKED)
    return path.stat().st_size * TIMES * (UNPACKED if packed else 1)


# Datasets -----------------------------------------------------------------------------------------
#
# Each file has some of the topics. A file `_spanwise.json` describes the folder and the number of
# partitions of the topics; it distinguishes a dataset from a plain folder of files.

MARK = "_spanwise.json"
FORM = "spanwise-dataset/1"


@dataclass(frozen=True, slots=True)
class Dataset:
    """The description of a dataset folder."""

    holds: str
    file_format: str
    name: str  # name of the run
    parts: int  # number of partitions of the topics
    files: Mapping[str, str]  # file names of the partitions that are not empty, by number

    def mark(self) -> bytes:
        """Return the content of the file that marks the folder as a dataset."""
        return json.dumps({"format": FORM, **asdict(self)}, indent=1).encode() + b"\n"


def dataset_at(place: str) -> Dataset | None:
    """Return the dataset in a folder, or None if the folder is not a dataset."""
    if place in ("", STDIN):
        return None
    mark = f"{place.rstrip('/')}/{MARK}"
    content = read_remote(mark, absent=b"") if is_remote(place) else _beside(mark)
    if not content:
        return None
    try:
        known = json.loads(content)
        if known.pop("format") != FORM:
            raise ValueError(FORM)
        return Dataset(**known)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise FormatError(
            mark, None, "not what spanwise convert --partition writes", FORM
        ) from error


def _beside(mark: str) -> bytes:
    from pathlib import Path

    path = Path(mark)
    return path.read_bytes() if path.is_file() else b""


def paths_in(place: str, dataset: Dataset) -> dict[int, str]:
    """Return the files of a dataset by partition number."""
    files = {int(number): name for number, name in dataset.files.items()}
    return {number: f"{place.rstrip('/')}/{files[number]}" for number in sorted(files)}


@dataclass(frozen=True, slots=True)
class Stored:
    """Some partitions of a dataset."""

    format: str
    paths: tuple[str, ...]
    name: str  # name of the run


def stored(place: str, dataset: Dataset, numbers: Iterable[int]) -> Stored:
    """Return the partitions with these numbers."""
    paths = paths_in(place, dataset)
    there = tuple(paths[number] for number in numbers if number in paths)
    return Stored(dataset.file_format, there, dataset.name)
