"""Files that are one JSON value, or one object a line: reading them, and where things stand."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from spanwise.errors import FormatError
from spanwise.formats.trec import beginning


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
