"""The encoding of a document, and its text in UTF-8."""

from __future__ import annotations

import codecs
import re

from spanwise.errors import FormatError

_DECLARATION = re.compile(rb"<\?xml[^>]*?\sencoding\s*=\s*[\"']([A-Za-z][A-Za-z0-9._-]*)[\"']")
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_UNMARKED = ((b"<\0", "utf-16-le"), (b"\0<", "utf-16-be"))
_WIDE = ("utf-16", "utf16", "utf-32", "utf32")
"""A declaration in one of these cannot be read byte by byte."""
_UTF8 = frozenset({"utf-8", "utf8", "us-ascii", "ascii"})


def as_utf8(data: bytes, file: str) -> bytes:
    """A document in UTF-8, by its byte order mark, by its XML declaration, or taken to be so.

    Whether bytes that are taken to be UTF-8 really are is left to `check_utf8`, or to expat.
    """
    encoding, mark = marked(data)
    if encoding is not None:
        return _converted(data[mark:], encoding, file)
    found = _DECLARATION.match(data[:400]) if data.startswith(b"<?xml") else None
    declared = found[1].decode().lower() if found else "utf-8"
    if declared.startswith(_WIDE):
        raise FormatError(
            file, 1, f"declared as {declared}, which it is not", "the encoding that it has"
        )
    return _converted(data, declared, file)


def marked(data: bytes) -> tuple[str | None, int]:
    """The encoding that the first bytes tell by themselves, and how long a mark they are."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return encoding, len(mark)
    return next((encoding for start, encoding in _UNMARKED if data.startswith(start)), None), 0


def _converted(data: bytes, encoding: str, file: str) -> bytes:
    try:
        return data if encoding in _UTF8 else data.decode(encoding).encode()
    except LookupError as error:
        raise FormatError(
            file, 1, f"unknown encoding {encoding!r}", "a known one", "convert the file to UTF-8"
        ) from error
    except UnicodeError as error:
        raise _wrong_byte(data, getattr(error, "start", 0), encoding, file) from error


def check_utf8(text: bytes, file: str, last: int | None = None) -> None:
    """An error where text is not UTF-8, if that is not behind the last byte that was read."""
    try:
        if not text.isascii():
            text.decode()
    except UnicodeDecodeError as error:
        if last is None or error.start <= last:
            raise _wrong_byte(text, error.start, "UTF-8", file) from error


def _wrong_byte(data: bytes, place: int, encoding: str, file: str) -> FormatError:
    line = data.count(b"\n", 0, place) + 1
    return FormatError(file, line, f"byte {place + 1} is not {encoding}", f"text in {encoding}")
