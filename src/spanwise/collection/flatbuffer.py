"""Just enough of the FlatBuffers layout to write the metadata of an Arrow file.

A table is written as its vtable, its fields and then whatever the fields point to; all offsets
point forward, except that of a table to its vtable.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

_REFERENCE = "I"


@dataclass(frozen=True, slots=True)
class Scalar:
    """A number with its `struct` code."""

    code: str
    value: int


@dataclass(frozen=True, slots=True)
class Structs:
    """A vector of structs of 64-bit parts."""

    rows: Sequence[bytes]


@dataclass(frozen=True, slots=True)
class Table:
    """Fields by slot; None for one that keeps its default."""

    slots: Sequence[Value | None]


Value = Scalar | Structs | Table | str | list[Table]


def flatbuffer(root: Table) -> bytes:
    """A buffer that holds one table with everything it refers to."""
    buffer = bytearray(4)
    struct.pack_into("<I", buffer, 0, _put_table(buffer, root))
    _align(buffer, 8)
    return bytes(buffer)


def _align(buffer: bytearray, size: int, ahead: int = 0) -> None:
    """Zeros until `ahead` bytes after the end is a multiple of a size."""
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
