"""Files of one JSON object a line: reading with line numbers, looking into objects, headers."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any
from warnings import warn

from spanwise.errors import CountedWarning, FormatError
from spanwise.formats.trec.columns import beginning

if TYPE_CHECKING:
    from spanwise.model.spans import Unit


class Record:
    """One object of a file; every field that is read must be of its kind."""

    def __init__(self, said: dict[str, Any], file: str, line: int, due: str) -> None:
        self.said, self.file, self.line, self._due = said, file, line, due
        self._read: set[str] = set()

    def __contains__(self, key: str) -> bool:
        return self.said.get(key) is not None

    def wrong(self, found: str, expected: str) -> FormatError:
        """The error that says what is wrong with this record."""
        return FormatError(self.file, self.line, found, expected)

    def _get(self, key: str, kinds: tuple[type, ...], expected: str) -> Any:
        self._read.add(key)
        value = self.said.get(key)
        if not isinstance(value, kinds) or isinstance(value, bool) != (bool in kinds):
            if key not in self.said:
                raise self.wrong(f"no {key!r}", self._due)
            raise self.wrong(f"{key!r} is {json.dumps(value)[:60]}", expected)
        return value

    def text(self, key: str) -> str:
        """A field that is text; numbers are taken as they are written."""
        value: str | int = self._get(key, (str, int), "text")
        return str(value)

    def id(self, key: str) -> bytes:
        """A field that is an id."""
        return self.text(key).encode("utf-8", "surrogateescape")

    def whole(self, key: str) -> int:
        """A field that is a whole number from 0 on."""
        value: int = self._get(key, (int,), "a whole number from 0 on")
        if not 0 <= value < 1 << 62:
            raise self.wrong(f"{key!r} is {value}", "a whole number from 0 on")
        return value

    def number(self, key: str) -> float:
        """A field that is a number."""
        value = float(self._get(key, (int, float), "a number"))
        if value != value:
            raise self.wrong(f"{key!r} is NaN", "a number")
        return value

    def flag(self, key: str) -> bool:
        """A field that is true or false."""
        value: bool = self._get(key, (bool,), "true or false")
        return value

    def texts(self, key: str) -> dict[str, str]:
        """A field that is an object of texts."""
        value: dict[str, Any] = self._get(key, (dict,), "an object")
        if not all(isinstance(one, str) for one in value.values()):
            raise self.wrong(f"{key!r} has values that are not text", "an object of texts")
        return value

    def texts_of(self, key: str) -> list[str]:
        """A field that is a list of texts."""
        value: list[Any] = self._get(key, (list,), "a list")
        if not all(isinstance(one, str) for one in value):
            raise self.wrong(f"{key!r} has entries that are not text", "a list of texts")
        return value

    def items(self, key: str) -> list[Any]:
        """A field that is a list of anything."""
        value: list[Any] = self._get(key, (list,), "a list")
        return value

    def passed(self, key: str) -> None:
        """A field that changes nothing."""
        self._read.add(key)

    def records(self, key: str, due: str) -> list[Record]:
        """A field that is a list of objects; an absent one is empty."""
        if key not in self:
            return []
        values: list[Any] = self._get(key, (list,), "a list")
        if not all(isinstance(value, dict) for value in values):
            raise self.wrong(f"{key!r} has entries that are not objects", due)
        return [Record(value, self.file, self.line, due) for value in values]

    def unread(self) -> Iterator[str]:
        """The fields that nobody asked for."""
        return (key for key in self.said if key not in self._read)


def lines_of(pieces: Iterable[bytes], file: str, due: str, above: int = 0) -> Iterator[Record]:
    """The objects of a file, or of those lines of it that come after so many others.

    Blank lines are passed over.
    """
    line = above
    for piece in pieces:
        for written in piece.split(b"\n")[:-1]:
            line += 1
            if not written.strip():
                continue
            try:
                said = json.loads(written)
            except (ValueError, RecursionError) as error:
                reason = str(error).split(":")[0]
                raise FormatError(file, line, f"not JSON ({reason})", due) from error
            if not isinstance(said, dict):
                raise FormatError(file, line, f"JSON that is no object: {written[:60]!r}", due)
            yield Record(said, file, line, due)


def line(said: dict[str, Any]) -> bytes:
    """An object as a line."""
    return json.dumps(said, ensure_ascii=True, separators=(", ", ": ")).encode() + b"\n"


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
    """What positions count, as a header says."""
    unit = record.text("unit").removesuffix("s") if "unit" in record else "char"
    if "half_open" in record and not record.flag("half_open"):
        raise record.wrong("'half_open' is false", "half-open positions")
    if "encoding" in record and record.text("encoding").lower() not in ("utf-8", "utf8"):
        raise record.wrong(f"encoding {record.text('encoding')!r}", "UTF-8")
    for name in ("tokenizer", "corpus", "text_norm", "char"):
        record.passed(name)
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


def unit_said(unit: Unit) -> dict[str, Any]:
    """The same for a header."""
    if unit.startswith("token:"):
        return {"unit": "token", "tokenizer": unit.removeprefix("token:")}
    return {"unit": "byte"} if unit == "byte" else {"unit": "char", "char": unit}


def split(
    pieces: Iterator[bytes], file: str, due: str, form: str, above: int = 0
) -> tuple[Record | None, Iterator[Record]]:
    """The header, if there is one, and the records after it."""
    records = lines_of(pieces, file, due, above)
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


def say_unread(unread: Counter[str], file: str) -> None:
    """Warn of fields that nobody asked for."""
    if unread:
        warn(CountedWarning(f"{file}: fields that are not used: ", unread), stacklevel=3)


# Files that are one JSON value, or one object a line: reading them, and where things stand. -------


class Within:
    """A value of a file, and the way to it; what is asked for must be there and of its kind."""

    def __init__(self, value: Any, file: str, place: str, due: str) -> None:
        self.value, self.file, self.place, self._due = value, file, place, due

    def wrong(self, found: str) -> FormatError:
        """The error that says what is wrong here."""
        where = f"{self.place}: " if self.place else ""
        return FormatError(self.file, None, f"{where}{found}", self._due)

    def __contains__(self, key: str) -> bool:
        return isinstance(self.value, dict) and self.value.get(key) is not None

    def __getitem__(self, key: str) -> Within:
        if key not in self:
            raise self.wrong(f"no {key!r}")
        return Within(self.value[key], self.file, f"{self.place}.{key}".lstrip("."), self._due)

    def get(self, key: str, otherwise: Any) -> Any:
        """What stands under a key, or something else if nothing does."""
        return self[key] if key in self else otherwise  # noqa: SIM401

    def __iter__(self) -> Iterator[Within]:
        if not isinstance(self.value, list):
            raise self.wrong("no list")
        for number, value in enumerate(self.value):
            yield Within(value, self.file, f"{self.place}[{number}]", self._due)

    def items(self) -> Iterator[tuple[str, Within]]:
        """Keys and values of an object."""
        if not isinstance(self.value, dict):
            raise self.wrong("no object")
        return ((key, self[key]) for key in self.value if self.value[key] is not None)

    def text(self) -> str:
        """A text."""
        if not isinstance(self.value, str):
            raise self.wrong(f"{json.dumps(self.value)[:60]} is no text")
        return self.value

    def id(self) -> bytes:
        """A text or a whole number that names something."""
        if not isinstance(self.value, str | int) or isinstance(self.value, bool):
            raise self.wrong(f"{json.dumps(self.value)[:60]} is no id")
        return str(self.value).encode("utf-8", "surrogateescape")

    def whole(self) -> int:
        """A whole number."""
        if not isinstance(self.value, int) or isinstance(self.value, bool):
            raise self.wrong(f"{json.dumps(self.value)[:60]} is no whole number")
        return self.value

    def number(self) -> float:
        """A number."""
        if not isinstance(self.value, int | float) or isinstance(self.value, bool):
            raise self.wrong(f"{json.dumps(self.value)[:60]} is no number")
        return float(self.value)


def one_value(pieces: Iterator[bytes], file: str, due: str) -> Within:
    """The value of a file that is one."""
    data = b"".join(pieces)
    try:
        return Within(json.loads(data), file, "", due)
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", None)
        raise FormatError(file, line, f"not JSON ({str(error).split(':')[0]})", due) from error


def values_of(pieces: Iterator[bytes], file: str, due: str) -> Iterator[tuple[int, Within]]:
    """Objects with the numbers of their lines; or of their places, if they are one list."""
    data = b"".join(pieces)
    if beginning(data) == b"[":
        yield from enumerate(one_value(iter([data]), file, due), start=1)
        return
    for number, written in enumerate(data.split(b"\n"), start=1):
        if written.strip():
            try:
                yield number, Within(json.loads(written), file, f"line {number}", due)
            except (ValueError, RecursionError) as error:
                reason = str(error).split(":")[0]
                raise FormatError(file, number, f"not JSON ({reason})", due) from error


def has_keys(head: bytes, *keys: bytes) -> bool:
    """Whether the beginning of a file is JSON in which these keys occur."""
    begins = beginning(head) in (b"{", b"[")
    return begins and all(b'"' + key + b'"' in head for key in keys)
