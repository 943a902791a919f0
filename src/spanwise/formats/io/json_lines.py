"""JSON files: one object per line with line numbers, headers with units, and nested values.

`Record` is an object of JSON lines; `JsonValue` is a value nested in a JSON file. Both check the
type of what is read from them and raise errors that name its place.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any
from warnings import warn

from spanwise.errors import CountedWarning, FormatError
from spanwise.formats.io.files import beginning

if TYPE_CHECKING:
    from spanwise.model.spans import Unit


class Record:
    """An object of JSON lines; every field that is read is checked for its type."""

    def __init__(self, fields: dict[str, Any], file: str, line: int, expected: str) -> None:
        self.fields, self.file, self.line, self._expected = fields, file, line, expected
        self._read: set[str] = set()

    def __contains__(self, key: str) -> bool:
        return self.fields.get(key) is not None

    def wrong(self, found: str, expected: str) -> FormatError:
        """Return the error for something wrong with this record."""
        return FormatError(self.file, self.line, found, expected)

    def _get(self, key: str, kinds: tuple[type, ...], expected: str) -> Any:
        self._read.add(key)
        value = self.fields.get(key)
        if not isinstance(value, kinds) or isinstance(value, bool) != (bool in kinds):
            if key not in self.fields:
                raise self.wrong(f"no {key!r}", self._expected)
            raise self.wrong(f"{key!r} is {json.dumps(value)[:60]}", expected)
        return value

    def text(self, key: str) -> str:
        """Return a text field; numbers are converted as they are written."""
        value: str | int = self._get(key, (str, int), "text")
        return str(value)

    def id(self, key: str) -> bytes:
        """Return a field that is an id."""
        return self.text(key).encode("utf-8", "surrogateescape")

    def whole(self, key: str) -> int:
        """Return a field that is a whole number from 0 on."""
        value: int = self._get(key, (int,), "a whole number from 0 on")
        if not 0 <= value < 1 << 62:
            raise self.wrong(f"{key!r} is {value}", "a whole number from 0 on")
        return value

    def number(self, key: str) -> float:
        """Return a field that is a number."""
        value = float(self._get(key, (int, float), "a number"))
        if value != value:
            raise self.wrong(f"{key!r} is NaN", "a number")
        return value

    def flag(self, key: str) -> bool:
        """Return a field that is true or false."""
        value: bool = self._get(key, (bool,), "true or false")
        return value

    def texts(self, key: str) -> dict[str, str]:
        """Return a field that is an object with text values."""
        value: dict[str, Any] = self._get(key, (dict,), "an object")
        if not all(isinstance(one, str) for one in value.values()):
            raise self.wrong(f"{key!r} has values that are not text", "an object of texts")
        return value

    def texts_of(self, key: str) -> list[str]:
        """Return a field that is a list of texts."""
        value: list[Any] = self._get(key, (list,), "a list")
        if not all(isinstance(one, str) for one in value):
            raise self.wrong(f"{key!r} has entries that are not text", "a list of texts")
        return value

    def items(self, key: str) -> list[Any]:
        """Return a field that is a list of any values."""
        value: list[Any] = self._get(key, (list,), "a list")
        return value

    def mark_read(self, key: str) -> None:
        """Mark a field as read, although it has no effect."""
        self._read.add(key)

    def records(self, key: str, expected: str) -> list[Record]:
        """Return a field that is a list of objects, empty if the field is absent."""
        if key not in self:
            return []
        values: list[Any] = self._get(key, (list,), "a list")
        if not all(isinstance(value, dict) for value in values):
            raise self.wrong(f"{key!r} has entries that are not objects", expected)
        return [Record(value, self.file, self.line, expected) for value in values]

    def unread(self) -> Iterator[str]:
        """Return the fields that were not read."""
        return (key for key in self.fields if key not in self._read)


def lines_of(pieces: Iterable[bytes], file: str, expected: str, above: int = 0) -> Iterator[Record]:
    """Yield the objects of a file, or of its lines after the first `above` ones.

    Blank lines are skipped.
    """
    line = above
    for piece in pieces:
        for written in piece.split(b"\n")[:-1]:
            line += 1
            if not written.strip():
                continue
            try:
                fields = json.loads(written)
            except (ValueError, RecursionError) as error:
                reason = str(error).split(":")[0]
                raise FormatError(file, line, f"not JSON ({reason})", expected) from error
            if not isinstance(fields, dict):
                raise FormatError(
                    file, line, f"JSON, but not an object: {written[:60]!r}", expected
                )
            yield Record(fields, file, line, expected)


def line(fields: dict[str, Any]) -> bytes:
    """Return an object as a JSON line."""
    return json.dumps(fields, ensure_ascii=True, separators=(", ", ": ")).encode() + b"\n"


# Headers -----------------------------------------------------------------------------------------

UNITS: dict[tuple[str, str], Unit] = {
    ("char", "opaque"): "opaque",
    ("char", "codepoint"): "codepoint",
    ("char", "utf16"): "utf16",
    ("byte", ""): "byte",
    ("codepoint", ""): "codepoint",
    ("utf16", ""): "utf16",
}


def unit_of(record: Record) -> Unit:
    """Return the unit of positions that a header states."""
    unit = record.text("unit").removesuffix("s") if "unit" in record else "char"
    if "half_open" in record and not record.flag("half_open"):
        raise record.wrong("'half_open' is false", "half-open positions")
    if "encoding" in record and record.text("encoding").lower() not in ("utf-8", "utf8"):
        raise record.wrong(f"encoding {record.text('encoding')!r}", "UTF-8")
    for name in ("tokenizer", "corpus", "text_norm", "char"):
        record.mark_read(name)
    if "text_norm" in record and record.text("text_norm") != "none":
        raise record.wrong(f"text_norm {record.text('text_norm')!r}", "positions in plain text")
    if unit == "token":
        if "tokenizer" not in record:
            raise record.wrong("unit 'token' without 'tokenizer'", "the name of the tokenizer")
        return f"token:{record.text('tokenizer')}"
    kind = record.text("char") if "char" in record and unit == "char" else ""
    found = UNITS.get((unit, kind or ("codepoint" if unit == "char" else "")))
    if found is None:
        raise record.wrong(
            f"unit {unit!r} {kind}".rstrip(), "char (codepoint, utf16, opaque), byte or token"
        )
    return found


def unit_fields(unit: Unit) -> dict[str, Any]:
    """Return the header fields that state a unit."""
    if unit.startswith("token:"):
        return {"unit": "token", "tokenizer": unit.removeprefix("token:")}
    return {"unit": "byte"} if unit == "byte" else {"unit": "char", "char": unit}


def split_header(
    pieces: Iterator[bytes], file: str, expected: str, form: str, above: int = 0
) -> tuple[Record | None, Iterator[Record]]:
    """Return the header, or None if there is none, and the records after it."""
    records = lines_of(pieces, file, expected, above)
    first = next(records, None)
    if first is None:
        return None, records
    if "format" in first:
        stated = first.text("format")
        if stated != form:
            raise first.wrong(f"format {stated!r}", f"{form!r}")
        return first, records

    def every() -> Iterator[Record]:
        yield first
        yield from records

    return None, every()


def warn_unread(unread: Counter[str], file: str) -> None:
    """Warn of fields that have no effect."""
    if unread:
        warn(CountedWarning(f"{file}: fields that are not used: ", unread), stacklevel=3)


# Nested values -----------------------------------------------------------------------------------


class JsonValue:
    """A value in a JSON file with its path; what is read must exist and have the right type."""

    def __init__(self, value: Any, file: str, place: str, expected: str) -> None:
        self.value, self.file, self.place, self._expected = value, file, place, expected

    def wrong(self, found: str) -> FormatError:
        """Return the error for something wrong with this value."""
        where = f"{self.place}: " if self.place else ""
        return FormatError(self.file, None, f"{where}{found}", self._expected)

    def __contains__(self, key: str) -> bool:
        return isinstance(self.value, dict) and self.value.get(key) is not None

    def __getitem__(self, key: str) -> JsonValue:
        if key not in self:
            raise self.wrong(f"no {key!r}")
        return JsonValue(
            self.value[key], self.file, f"{self.place}.{key}".lstrip("."), self._expected
        )

    def get(self, key: str, otherwise: Any) -> Any:
        """Return the value of a key, or `otherwise` if it is absent."""
        return self[key] if key in self else otherwise  # noqa: SIM401

    def __iter__(self) -> Iterator[JsonValue]:
        if not isinstance(self.value, list):
            raise self.wrong("not a list")
        for number, value in enumerate(self.value):
            yield JsonValue(value, self.file, f"{self.place}[{number}]", self._expected)

    def items(self) -> Iterator[tuple[str, JsonValue]]:
        """Return the keys and values of an object."""
        if not isinstance(self.value, dict):
            raise self.wrong("not an object")
        return ((key, self[key]) for key in self.value if self.value[key] is not None)

    def text(self) -> str:
        """Return the value as text."""
        if not isinstance(self.value, str):
            raise self.wrong(f"{json.dumps(self.value)[:60]} is not text")
        return self.value

    def id(self) -> bytes:
        """Return a text or whole number that identifies something."""
        if not isinstance(self.value, str | int) or isinstance(self.value, bool):
            raise self.wrong(f"{json.dumps(self.value)[:60]} is not an id")
        return str(self.value).encode("utf-8", "surrogateescape")

    def whole(self) -> int:
        """Return the value as a whole number."""
        if not isinstance(self.value, int) or isinstance(self.value, bool):
            raise self.wrong(f"{json.dumps(self.value)[:60]} is not a whole number")
        return self.value

    def number(self) -> float:
        """Return the value as a number."""
        if not isinstance(self.value, int | float) or isinstance(self.value, bool):
            raise self.wrong(f"{json.dumps(self.value)[:60]} is not a number")
        return float(self.value)


def one_value(pieces: Iterator[bytes], file: str, expected: str) -> JsonValue:
    """Return the value of a file that consists of one JSON value."""
    data = b"".join(pieces)
    try:
        return JsonValue(json.loads(data), file, "", expected)
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", None)
        raise FormatError(file, line, f"not JSON ({str(error).split(':')[0]})", expected) from error


def values_of(pieces: Iterator[bytes], file: str, expected: str) -> Iterator[tuple[int, JsonValue]]:
    """Yield objects with their line numbers, or with their positions in a single list."""
    data = b"".join(pieces)
    if beginning(data) == b"[":
        yield from enumerate(one_value(iter([data]), file, expected), start=1)
        return
    for number, written in enumerate(data.split(b"\n"), start=1):
        if written.strip():
            try:
                yield number, JsonValue(json.loads(written), file, f"line {number}", expected)
            except (ValueError, RecursionError) as error:
                reason = str(error).split(":")[0]
                raise FormatError(file, number, f"not JSON ({reason})", expected) from error


def has_keys(head: bytes, *keys: bytes) -> bool:
    """Return whether the beginning of a file is JSON in which these keys occur."""
    begins = beginning(head) in (b"{", b"[")
    return begins and all(b'"' + key + b'"' in head for key in keys)
