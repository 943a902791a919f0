"""Files of documents: archives and compressed files, recognised by content and read in one pass.

`Source` is a document that has not been read yet, and `files` lists those below a folder.
"""

from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple, cast
from warnings import warn

from spanwise.collection.parsing import LARGEST
from spanwise.errors import FormatError, SpanwiseWarning

if TYPE_CHECKING:
    from zipfile import ZipInfo

PACKED = (".zip", ".tar", ".tgz", ".txz", ".tbz", ".tbz2", ".tzst", ".gz", ".xz", ".bz2", ".zst")
"""File name endings of archives and compressed files that are opened inside folders."""
_MAGIC = (b"\x1f\x8b", b"\xfd7zXZ", b"BZh", b"\x28\xb5\x2f\xfd")
_PIECE = 1 << 22
_HARMLESS = 500_000_000
_MOST_PACKED = 500
"""Limits beyond which a file counts as a decompression bomb: bytes, and times its packed size."""
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")  # the second one begins an archive without members
_TAR, _CHECKSUM = slice(257, 262), slice(148, 156)
_Opener = Callable[[], IO[bytes]]
_DAMAGE = ("LZMAError", "ZstdError", "error", "BadZipFile", "TarError", "ReadError")


@dataclass(frozen=True, slots=True)
class Member:
    """A file in an archive."""

    name: str
    data: bytes
    position: int  # bytes of the archive read so far
    refusal: FormatError | None = None  # why its bytes cannot be read
    is_file: bool = True  # false for a link or a device


@contextmanager
def refusing_damage(place: str) -> Iterator[None]:
    """Convert errors of reading into errors of this package."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise FormatError(place, None, f"cannot be read ({reason})", "") from error
    except (EOFError, RuntimeError, ValueError) as error:
        raise FormatError(place, None, f"damaged ({error})", "a complete file") from error
    except Exception as error:  # each library has error classes of its own
        if {base.__name__ for base in type(error).__mro__} & set(_DAMAGE):
            raise FormatError(place, None, f"damaged ({error})", "a complete file") from error
        raise


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """Open a file, decompressed as its first bytes indicate, whatever its name."""
    with path.open("rb") as raw, _unpacked(raw) as stream:
        yield stream


def _unpacked(raw: io.BufferedReader) -> IO[bytes]:
    magic = raw.peek(6)[:6]
    if magic.startswith(b"\x1f\x8b"):
        import gzip

        return cast("IO[bytes]", gzip.GzipFile(fileobj=raw))
    if magic.startswith(b"\xfd7zXZ"):
        import lzma

        return lzma.LZMAFile(raw)
    if magic.startswith(b"BZh"):
        import bz2

        return bz2.BZ2File(raw)
    if magic.startswith(b"\x28\xb5\x2f\xfd"):
        if sys.version_info >= (3, 14):
            from compression import zstd
        else:
            from backports import zstd
        return cast("IO[bytes]", zstd.ZstdFile(raw))
    return raw


def unpacked(data: bytes, place: str) -> bytes:
    """Return the content of a file with one document."""
    if is_compressed(data):
        with _unpacked(io.BufferedReader(cast("io.RawIOBase", io.BytesIO(data)))) as stream:
            data = read_all(stream, place, len(data))
    if data.startswith(_ZIP) or _is_tar(data[:512]):
        raise FormatError(place, None, "an archive", "a document", "unpack it first")
    return data


def is_compressed(data: bytes) -> bool:
    """Return whether a file begins like one compressed with gzip, xz, bzip2 or zstd."""
    return data.startswith(_MAGIC)


def read_all(stream: IO[bytes], place: str, packed: int) -> bytes:
    """Read the rest of a stream, unless it is larger than a document may be.

    `packed` is the size of the compressed data.
    """
    pieces: list[bytes] = []
    size = 0
    while piece := stream.read(_PIECE):
        pieces.append(piece)
        size += len(piece)
        if size > LARGEST:
            raise FormatError(place, None, "a document of over 2 GB", "smaller documents")
        if size > max(_HARMLESS, _MOST_PACKED * packed):
            found = f"unpacks to over {_MOST_PACKED} times its size, {size:,} bytes and more"
            raise FormatError(
                place, None, found, "a document", "unpack it first if this is intended"
            )
    return b"".join(pieces)


def is_zip(path: Path) -> bool:
    """Return whether a file is a zip archive."""
    with path.open("rb") as stream:
        return stream.read(4) in _ZIP


def is_packed(path: Path) -> bool:
    """Return whether a file is an archive or compressed."""
    if is_zip(path):
        return True
    with path.open("rb") as raw:
        stream = _unpacked(raw)
        return stream is not raw or _is_tar(raw.peek(512))


def _is_tar(head: bytes) -> bool:
    """Return whether a file begins as a tar archive, in the oldest case only by its checksum."""
    if head[_TAR] == b"ustar":
        return True
    stated = head[_CHECKSUM].strip(b" \0")
    if len(head) < 512 or not stated.isdigit() or stated.strip(b"01234567"):
        return False
    return int(stated, 8) == sum(head[:148]) + sum(b" " * 8) + sum(head[156:512])


def unpacked_name(name: str) -> str:
    """Return the name of a compressed document without the ending of the compression.

    >>> unpacked_name("a/b.xml.gz"), unpacked_name("c.xml")
    ('a/b.xml', 'c.xml')
    """
    stem, _, ending = name.rpartition(".")
    return stem if stem and ending.lower() in ("gz", "xz", "bz2", "zst") else name


def members_of_tar(path: Path) -> Iterator[Member] | None:
    """Return the files of a tar archive, or None if the file is not one."""
    with refusing_damage(str(path)), opened(path) as stream:
        if not _is_tar(stream.read(512)):
            return None
    return _tar_members(path)


def _tar_members(path: Path) -> Iterator[Member]:
    import tarfile

    size = path.stat().st_size
    with (
        path.open("rb") as raw,
        _unpacked(raw) as stream,
        tarfile.open(fileobj=stream, mode="r|") as archive,
    ):
        for about in archive:
            if about.isfile() and not _is_hidden(about.name):
                member = partial(archive.extractfile, about)
                data, refusal = _content(cast("_Opener", member), f"{path}/{about.name}", size)
                yield Member(about.name.removeprefix("./"), data, raw.tell(), refusal)
            elif not about.isfile() and not about.isdir():
                yield Member(about.name, b"", raw.tell(), is_file=False)
            vars(archive)["members"] = []  # otherwise the archive keeps all members


def members_of_zip(path: Path) -> Iterator[Member]:
    """Yield the files of a zip archive."""
    import zipfile

    with zipfile.ZipFile(path) as archive:
        position = 0
        for about in archive.infolist():
            position += about.compress_size
            name = _zip_name(about)
            if not about.is_dir() and not _is_hidden(name):
                data, refusal = _content(
                    partial(archive.open, about), f"{path}/{name}", about.compress_size
                )
                yield Member(name, data, position, refusal)


def _zip_name(about: ZipInfo) -> str:
    """Return the name of a member, also for the many programs that do not flag UTF-8."""
    if about.flag_bits & 0x800 or about.filename.isascii():
        return about.filename
    try:
        return about.filename.encode("cp437").decode()
    except UnicodeError:
        return about.filename


def _content(open_it: _Opener, place: str, packed: int) -> tuple[bytes, FormatError | None]:
    """Return the bytes of a member, or why they cannot be read; other members may be readable."""
    try:
        with refusing_damage(place), open_it() as stream:
            return read_all(stream, place, packed), None
    except FormatError as error:
        return b"", error


def _is_hidden(name: str) -> bool:
    return name.rpartition("/")[2].startswith(".")


# Documents and files below a folder --------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Source:
    """A document that has not been read yet."""

    name: str
    place: str  # name in messages
    size: int
    stamp: int  # time of its last change
    weight: int  # bytes on disk, for progress bars
    path: str | None = None  # the file that contains it, compressed or not
    data: bytes | None = None  # its bytes, if they cannot be read later
    kind: str | None = None  # its format, if the name does not determine it
    refusal: FormatError | None = None  # why it cannot be read, if that is known already

    @property
    def is_stated(self) -> bool:
        """Return whether the name is an id that the file states, as in files of many documents."""
        return self.kind is not None

    def load(self) -> bytes:
        """Read the bytes of the document."""
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
    """Yield the files below a folder in byte order, except hidden ones."""
    with refusing_damage(str(folder)):
        about = folder.stat()
        with os.scandir(folder) as listing:
            ordered = sorted(
                os.fsencode(entry.name) + b"/" * entry.is_dir()
                for entry in listing
                if not entry.name.startswith(".")
            )
    above = above | {(about.st_dev, about.st_ino)}
    # As text, because path objects are slow to make.
    place = "" if folder == Path() else str(folder)
    for each in ordered:
        own = os.fsdecode(each.rstrip(b"/"))
        path, name = os.path.join(place, own), prefix + own  # noqa: PTH118
        about = _status(path)
        if stat.S_ISDIR(about.st_mode):
            if (about.st_dev, about.st_ino) in above:
                yield Found(path, name, about, "a link to a folder above it")
            else:
                yield from files(Path(path), f"{name}/", above)
        elif stat.S_ISREG(about.st_mode) or stat.S_ISLNK(about.st_mode):
            yield Found(path, name, about)
        else:
            yield Found(path, name, about, "not a file")


def _status(path: str) -> os.stat_result:
    """Return the status of a file, or of a dangling link, so that reading reports the problem."""
    with refusing_damage(path):
        try:
            return os.stat(path)  # noqa: PTH116
        except FileNotFoundError:
            return os.lstat(path)


def warn_ignored(path: str, reason: str) -> None:
    """Warn that a file is not used."""
    warn(f"{path}: {reason}, left out", SpanwiseWarning, stacklevel=2)
