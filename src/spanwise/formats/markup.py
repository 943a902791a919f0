"""The one way to read XML: expat, with nothing fetched and nothing expanded.

External entities and document type definitions are never loaded. A file may not declare entities,
except the five that XML knows anyway, whose meaning a declaration cannot change.
"""

from __future__ import annotations

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
    document = _Document(file, visitor)
    while True:
        try:
            document.parser.Parse(rest, True)
            return
        except expat.ExpatError as error:
            begin = document.parser.ErrorByteIndex
            follows = rest[begin : begin + 1].tobytes() == b"<" and begin > 0
            if error.code not in NEXT_DOCUMENT or document.depth or not follows:
                raise document.refusal(error) from None
            rest = rest[begin:]
            document = _Document(file, visitor, document.before + error.lineno - 1)
        except (LookupError, ValueError) as error:  # expat asks Python about encodings
            if document.begun:
                raise
            found = f"an encoding that cannot be read ({error})"
            raise FormatError(file, document.before + 1, found, "UTF-8") from None


def root_of(head: bytes) -> str:
    """The name of the first element; empty where the beginning of a file does not look like XML."""
    found: list[str] = []

    def note(name: str, _: dict[str, str]) -> None:
        found.append(name)

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
    return found[0] if found else ""


class _Document:
    """One parser: it counts, refuses what is dangerous, and passes on the rest."""

    def __init__(self, file: str, visitor: Visitor, before: int = 0) -> None:
        self.file, self.visitor = file, visitor
        self.before = before  # lines of the documents before this one
        self.depth = 0
        self.begun = False
        self.parser: Any = expat.ParserCreate()
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.text
        self.parser.EntityDeclHandler = self.declared
        self.parser.SkippedEntityHandler = self.skipped

    @property
    def line(self) -> int:
        number: int = self.parser.CurrentLineNumber
        return self.before + number

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        self.begun = True
        if self.depth > DEEPEST:
            raise self.problem(f"more than {DEEPEST} elements within each other")
        self.visitor.start(name, attributes, self.line)

    def end(self, name: str) -> None:
        self.depth -= 1
        self.visitor.end(name, self.line)

    def text(self, text: str) -> None:
        self.visitor.text(text, self.line)

    def declared(self, name: str, parameter: int, value: str | None, *_: object) -> None:
        if parameter or value is None or name not in PREDEFINED:
            raise self.problem(f"a declaration of the entity {name!r}", "a file without any")

    def skipped(self, name: str, parameter: int) -> None:
        shown = f"{'%' if parameter else '&'}{name};"
        raise self.problem(f"the entity {shown} is not known", "the character itself")

    def problem(self, found: str, expected: str = "") -> FormatError:
        return FormatError(self.file, self.line, found, expected)

    def refusal(self, error: expat.ExpatError) -> FormatError:
        reason = expat.ErrorString(error.code).removeprefix("not well-formed (").rstrip(")")
        found = f"not well-formed XML at character {error.offset + 1} ({reason})"
        return FormatError(self.file, self.before + error.lineno, found, "")
