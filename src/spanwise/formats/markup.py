"""The one way to read XML: expat, with nothing fetched and nothing expanded.

External entities and document type definitions are never loaded. A file may not declare entities,
except the five that XML knows anyway, whose meaning a declaration cannot change.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Protocol
from xml.parsers import expat

from spanwise.errors import FormatError

DEEPEST = 256
"""Elements within each other; the formats that are read here have a handful."""
PREDEFINED = frozenset({"lt", "gt", "amp", "quot", "apos"})
NEXT_DOCUMENT = frozenset(
    expat.errors.codes[message]
    for message in (
        expat.errors.XML_ERROR_JUNK_AFTER_DOC_ELEMENT,
        expat.errors.XML_ERROR_MISPLACED_XML_PI,
    )
)


class Visitor(Protocol):
    """What is told about elements and text, in the order of the file, with line numbers."""

    def start(self, name: str, attributes: dict[str, str], line: int) -> None:
        """An element begins."""

    def text(self, text: str, line: int) -> None:
        """A piece of text; white space is not left out, and a text may come in many pieces."""

    def end(self, name: str, line: int) -> None:
        """An element ends."""


def walk(pieces: Iterator[bytes], file: str, visitor: Visitor) -> None:
    """Show a visitor the documents of a file, one after the other.

    A proper file has one; those that were made by joining files have several.
    """
    rest = memoryview(b"".join(pieces))
    document = Document(file, visitor)
    while True:
        try:
            document.parse(rest, True)
            return
        except expat.ExpatError as error:
            begin = document.parser.ErrorByteIndex
            follows = rest[begin : begin + 1].tobytes() == b"<" and begin > 0
            if error.code not in NEXT_DOCUMENT or document.depth or not follows:
                raise document.refusal(error) from None
            rest = rest[begin:]
            document = Document(file, visitor, document.before + error.lineno - 1)
        except (LookupError, ValueError) as error:  # expat asks Python about encodings
            if document.begun:
                raise
            found = f"an encoding that cannot be read ({error})"
            raise FormatError(file, document.before + 1, found, "UTF-8") from None


def root_of(head: bytes) -> str:
    """The name of the first element; empty where the beginning of a file does not look like XML."""
    return first_element(head)[0]


def first_element(head: bytes) -> tuple[str, dict[str, str]]:
    """Name and attributes of the first element.

    >>> first_element(b'<?xml version="1.0"?> <!-- by hand --> <pool topic="7">')
    ('pool', {'topic': '7'})
    """
    found: list[tuple[str, dict[str, str]]] = []

    def note(name: str, attributes: dict[str, str]) -> None:
        found.append((name, attributes))

    if head.lstrip()[:1] == b"<":
        parser = expat.ParserCreate()
        parser.StartElementHandler = note
        for line in head.lstrip()[:100_000].splitlines(keepends=True):
            try:
                parser.Parse(line, False)
            except (expat.ExpatError, LookupError, ValueError):
                break
            if found:
                break
    return found[0] if found else ("", {})


UNDECLARED_IN_VALUE = re.compile(
    rb"""=\s*(?:"[^"<>]*|'[^'<>]*)&((?!(?:lt|gt|amp|quot|apos);)[A-Za-z_][\w.-]*);"""
)
"""Where a DTD elsewhere might declare it, expat passes over an entity in a value without a word."""


class Document:
    """One parser: it counts, refuses what is dangerous, and passes on the rest."""

    def __init__(self, file: str, visitor: Visitor, before: int = 0) -> None:
        self.file, self.visitor = file, visitor
        self.before = before  # lines of the documents before this one
        self.depth = 0
        self.begun = False
        self.outside = False  # whether there is a document type definition elsewhere
        self.parser: Any = expat.ParserCreate()
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.StartDoctypeDeclHandler = self._doctype
        self.parser.EntityDeclHandler = self._declared
        self.parser.SkippedEntityHandler = self._skipped

    def parse(self, piece: bytes | memoryview, last: bool) -> None:
        """Read on."""
        line = self.line
        self.parser.Parse(piece, last)
        hidden = UNDECLARED_IN_VALUE.search(piece) if self.outside else None
        if hidden is not None:
            line += bytes(piece[: hidden.end()]).count(b"\n")
            raise _unknown(self.file, line, f"&{hidden[1].decode()};")

    @property
    def line(self) -> int:
        """Where the parser is."""
        number: int = self.parser.CurrentLineNumber
        return self.before + number

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        self.begun = True
        if self.depth > DEEPEST:
            raise self._problem(f"more than {DEEPEST} elements within each other")
        self.visitor.start(name, attributes, self.line)

    def _end(self, name: str) -> None:
        self.depth -= 1
        self.visitor.end(name, self.line)

    def _text(self, text: str) -> None:
        self.visitor.text(text, self.line)

    def _doctype(self, _name: str, system: str | None, *_: object) -> None:
        self.outside = system is not None

    def _declared(self, name: str, parameter: int, value: str | None, *_: object) -> None:
        if parameter or value is None or name not in PREDEFINED:
            raise self._problem(f"a declaration of the entity {name!r}", "a file without any")

    def _skipped(self, name: str, parameter: int) -> None:
        raise _unknown(self.file, self.line, f"{'%' if parameter else '&'}{name};")

    def _problem(self, found: str, expected: str = "") -> FormatError:
        return FormatError(self.file, self.line, found, expected)

    def refusal(self, error: expat.ExpatError) -> FormatError:
        """What is wrong with the XML itself."""
        reason = expat.ErrorString(error.code).removeprefix("not well-formed (").rstrip(")")
        found = f"not well-formed XML at character {error.offset + 1} ({reason})"
        return FormatError(self.file, self.before + error.lineno, found, "")


def _unknown(file: str, line: int, entity: str) -> FormatError:
    return FormatError(file, line, f"the entity {entity} is not known", "the character itself")
