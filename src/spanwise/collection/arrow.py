"""Columns on disk: Arrow files that any Arrow library opens and that are mapped into memory.

A file contains one table in one uncompressed record batch, with every column a contiguous range of
bytes. `write` returns where the columns begin, so that `mapped` is a plain NumPy memory map and
needs no library. Columns are given in parts, so that they are never joined in memory.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from spanwise.model.arrays import IntArray

# FlatBuffers -------------------------------------------------------------------------------------
#
# Just enough of the layout to write the metadata of an Arrow file. A table is written as its
# vtable, its fields and then everything that the fields point to. All offsets point forward, except
# that of a table to its vtable.

_REFERENCE = "I"


@dataclass(frozen=True, slots=True)
class Scalar:
    """A number with its `struct` code."""

    code: str
    value: int


@dataclass(frozen=True, slots=True)
class Structs:
    """A vector of structs with 64-bit parts."""

    rows: Sequence[bytes]


@dataclass(frozen=True, slots=True)
class Table:
    """The fields of a table by slot; None for a field that keeps its default."""

    slots: Sequence[Value | None]


Value = Scalar | Structs | Table | str | list[Table]


def flatbuffer(root: Table) -> bytes:
    """Return a buffer that holds one table with everything it refers to."""
    buffer = bytearray(4)
    struct.pack_into("<I", buffer, 0, _put_table(buffer, root))
    _align(buffer, 8)
    return bytes(buffer)


def _align(buffer: bytearray, size: int, ahead: int = 0) -> None:
    """Pad with zeros until `ahead` bytes after the end is a multiple of a size."""
    buffer.extend(bytes(-(len(buffer) + ahead) % size))


def _code(value: Value) -> str:
    return value.code if isinstance(value, Scalar) else _REFERENCE


def _put_table(buffer: bytearray, table: Table) -> int:
    places: list[int] = []
    end = 4
    for value in table.slots:
        size = struct.calcsize(_code(value)) if value is not None else 0
        end += -end % size if size else 0
        places.append(end if size else 0)
        end += size
    vtable = struct.pack(f"<{2 + len(places)}H", 4 + 2 * len(places), end, *places)
    _align(buffer, 8, len(vtable))
    begin = len(buffer) + len(vtable)
    buffer += vtable + struct.pack("<i", len(vtable)) + bytes(end - 4)
    for place, value in zip(places, table.slots, strict=True):
        if isinstance(value, Scalar):
            struct.pack_into(f"<{value.code}", buffer, begin + place, value.value)
        elif value is not None:
            target = _put(buffer, value)
            struct.pack_into("<I", buffer, begin + place, target - begin - place)
    return begin


def _put(buffer: bytearray, value: Structs | Table | str | list[Table]) -> int:
    if isinstance(value, Table):
        return _put_table(buffer, value)
    if isinstance(value, list):
        return _put_tables(buffer, value)
    _align(buffer, 8, 4)
    begin = len(buffer)
    if isinstance(value, str):
        text = value.encode()
        buffer += struct.pack("<I", len(text)) + text + b"\0"
    else:
        buffer += struct.pack("<I", len(value.rows)) + b"".join(value.rows)
    return begin


def _put_tables(buffer: bytearray, tables: list[Table]) -> int:
    _align(buffer, 4)
    begin = len(buffer)
    buffer += struct.pack("<I", len(tables)) + bytes(4 * len(tables))
    for number, table in enumerate(tables, start=1):
        place = begin + 4 * number
        struct.pack_into("<I", buffer, place, _put_table(buffer, table) - place)
    return begin


# Arrow files -------------------------------------------------------------------------------------

_MAGIC = b"ARROW1"
_GOES_ON = b"\xff\xff\xff\xff"
_ALIGNMENT = 64
_VERSION = Scalar("h", 4)  # version of the metadata; Arrow calls it V5
_SCHEMA, _DICTIONARY, _BATCH = 1, 2, 3  # kinds of message
_INT, _LARGE_UTF8 = 2, 20  # kinds of type


@dataclass(frozen=True, slots=True)
class Numbers:
    """A column of integers in parts; with `names` they are codes, and readers see the names."""

    name: str
    type: str  # NumPy type, such as `<u4`
    parts: Iterable[Any]
    names: Sequence[str] | None = None
    rows: int | None = None  # total number, if parts are made while they are written


@dataclass(frozen=True, slots=True)
class Strings:
    """A column of UTF-8 in parts: concatenated bytes, and the length of each value."""

    name: str
    parts: Sequence[bytes]
    lengths: Sequence[Any]


Column = Numbers | Strings
Layout = dict[str, dict[str, Any]]
"""Places of the columns of a file: offset, type and number of rows."""


def write(path: Path, columns: Sequence[Column]) -> Layout:
    """Write a table and return where its columns begin."""
    layout: Layout = {}
    schema = _schema(columns)
    dictionaries: list[bytes] = []
    with path.open("wb") as stream:
        stream.write(_MAGIC + b"\0\0")
        _put_message(stream, _SCHEMA, schema, 0)
        for number, column in enumerate(columns):
            if isinstance(column, Numbers) and column.names is not None:
                texts = [name.encode() for name in column.names]
                values = Strings(column.name, texts, [np.array([len(text) for text in texts])])
                dictionaries.append(_put_batch(stream, [values], {}, number))
        batches = [_put_batch(stream, columns, layout)]
        stream.write(_GOES_ON + bytes(4))
        blocks = (Structs(dictionaries), Structs(batches))
        footer = flatbuffer(Table([_VERSION, schema, *blocks]))
        stream.write(footer + struct.pack("<i", len(footer)) + _MAGIC)
    return layout


def mapped(path: Path, where: dict[str, Any]) -> np.ndarray[Any, Any]:
    """Map a column of numbers into memory."""
    rows = int(where["rows"])
    if not rows:
        return np.zeros(0, where["type"])
    # A plain array, because operations on np.memmap are slower.
    return np.asarray(np.memmap(path, where["type"], "r", int(where["offset"]), (rows,)))


def _schema(columns: Sequence[Column]) -> Table:
    return Table([Scalar("h", 0), [_field(*each) for each in enumerate(columns)]])


def _field(number: int, column: Column) -> Table:
    kind, about = _INT, Table([])
    encoding = None
    if isinstance(column, Numbers):
        about = _integer(column.type)
        if column.names is not None:
            kind = _LARGE_UTF8
            encoding = Table([Scalar("q", number), about])
            about = Table([])
    else:
        kind = _LARGE_UTF8
    return Table([column.name, Scalar("?", 0), Scalar("B", kind), about, encoding, []])


def _integer(kind: str) -> Table:
    dtype = np.dtype(kind)
    return Table([Scalar("i", dtype.itemsize * 8), Scalar("?", int(dtype.kind == "i"))])


def _put_message(stream: IO[bytes], kind: int, header: Table, size: int) -> int:
    """Write the metadata of a message so that its body begins aligned; return their length."""
    message = flatbuffer(Table([_VERSION, Scalar("B", kind), header, Scalar("q", size)]))
    message += bytes(-(stream.tell() + 8 + len(message)) % _ALIGNMENT)
    stream.write(_GOES_ON + struct.pack("<i", len(message)) + message)
    return 8 + len(message)


def _put_batch(
    stream: IO[bytes], columns: Sequence[Column], layout: Layout, dictionary: int | None = None
) -> bytes:
    """Write the values of columns and return the entry of the footer that locates them."""
    rows = [_rows(column) for column in columns]
    sizes = [size for column in columns for size in _sizes(column)]
    places = np.cumsum([0, *(size + -size % _ALIGNMENT for size in sizes)]).tolist()
    batch = Table(
        [
            Scalar("q", rows[0]),
            Structs([struct.pack("<qq", count, 0) for count in rows]),
            Structs([struct.pack("<qq", *each) for each in zip(places, sizes, strict=False)]),
        ]
    )
    begin = stream.tell()
    kind = _BATCH
    if dictionary is not None:
        kind, batch = _DICTIONARY, Table([Scalar("q", dictionary), batch])
    metadata = _put_message(stream, kind, batch, places[-1])
    for column, count in zip(columns, rows, strict=True):
        layout[column.name] = _put_column(stream, column, count)
    return struct.pack("<qiiq", begin, metadata, 0, places[-1])


def _rows(column: Column) -> int:
    if isinstance(column, Numbers) and column.rows is not None:
        return column.rows
    parts = column.parts if isinstance(column, Numbers) else column.lengths
    return sum(len(part) for part in parts)


def _sizes(column: Column) -> list[int]:
    """Return the sizes of a column's buffers; the first one, for missing values, is empty."""
    rows = _rows(column)
    if isinstance(column, Numbers):
        return [0, rows * np.dtype(column.type).itemsize]
    return [0, (rows + 1) * 8, sum(len(part) for part in column.parts)]


def _put_column(stream: IO[bytes], column: Column, rows: int) -> dict[str, Any]:
    offset = stream.tell()
    if isinstance(column, Numbers):
        for part in column.parts:
            stream.write(np.ascontiguousarray(part, column.type).data)
        _pad(stream)
        return {"offset": offset, "type": column.type, "rows": rows}
    end = 0
    stream.write(bytes(8))
    for lengths in column.lengths:
        ends: IntArray = np.cumsum(lengths, dtype="<i8") + end
        stream.write(ends.data)
        end = int(ends[-1]) if len(ends) else end
    _pad(stream)
    bounds = {"offset": offset, "type": "<i8", "rows": rows + 1}
    offset = stream.tell()
    for part in column.parts:
        stream.write(part)
    _pad(stream)
    return {"bounds": bounds, "bytes": {"offset": offset, "type": "|u1", "rows": end}}


def _pad(stream: IO[bytes]) -> None:
    stream.write(bytes(-stream.tell() % _ALIGNMENT))
