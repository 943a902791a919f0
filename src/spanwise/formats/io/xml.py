"""XML as events, read by expat without expanding entities, and XML output.

The only way to read XML here. Nothing external is loaded: no entities and no document type
definitions. A file may not declare entities, except the five predefined ones, whose meaning a
declaration cannot change.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, Literal, NamedTuple, Protocol
from xml.parsers import expat
from xml.parsers.expat import ErrorString, ExpatError

from spanwise.errors import FormatError, InputError

DEEPEST = 256
"""Maximum nesting of elements; the formats read here need far less."""
PREDEFINED = frozenset({"lt", "gt", "amp", "quot", "apos"})
NEXT_DOCUMENT = frozenset(
    expat.errors.codes[message]
    for message in (
        expat.errors.XML_ERROR_JUNK_AFTER_DOC_ELEMENT,
        expat.errors.XML_ERROR_MISPLACED_XML_PI,
    )
)


class Visitor(Protocol):
    """A receiver of elements and text in the order of the file, with line numbers."""

    def start(self, name: str, attributes: dict[str, str], line: int) -> None:
        """Handle the start of an element."""

    def text(self, text: str, line: int) -> None:
        """Handle a piece of text, white space included; a text may arrive in several pieces."""

    def end(self, name: str, line: int) -> None:
        """Handle the end of an element."""


def walk(pieces: Iterator[bytes], file: str, visitor: Visitor) -> None:
    """Pass the documents of a file to a visitor, one after the other.

    A proper file has one document; files made by concatenation have several.
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
        except (LookupError, ValueError) as error:  # expat asks Python for encodings
            if document.begun:
                raise
            found = f"an encoding that cannot be read ({error})"
            raise FormatError(file, document.before + 1, found, "UTF-8") from None


def root_of(head: bytes) -> str:
    """Return the name of the first element, or an empty string if this is not XML."""
    return first_element(head)[0]


def first_element(head: bytes) -> tuple[str, dict[str, str]]:
    """Return the name and attributes of the first element.

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
"""A reference in an attribute value; expat skips it if an external DTD might declare it."""


class Document:
    """A parser of one document, which limits depth and refuses entities."""

    def __init__(self, file: str, visitor: Visitor, before: int = 0) -> None:
        self.file, self.visitor = file, visitor
        self.before = before  # number of lines in the documents before this one
        self.depth = 0
        self.begun = False
        self.outside = False  # whether there is an external document type definition
        self.parser: Any = expat.ParserCreate()
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.StartDoctypeDeclHandler = self._doctype
        self.parser.EntityDeclHandler = self._declared
        self.parser.SkippedEntityHandler = self._skipped

    def parse(self, piece: bytes | memoryview, last: bool) -> None:
        """Parse the next piece of the document."""
        line = self.line
        self.parser.Parse(piece, last)
        hidden = UNDECLARED_IN_VALUE.search(piece) if self.outside else None
        if hidden is not None:
            line += bytes(piece[: hidden.end()]).count(b"\n")
            raise _unknown(self.file, line, f"&{hidden[1].decode()};")

    @property
    def line(self) -> int:
        """Return the current line of the parser."""
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
            raise self._problem(f"a declaration of the entity {name!r}", "no entity declarations")

    def _skipped(self, name: str, parameter: int) -> None:
        raise _unknown(self.file, self.line, f"{'%' if parameter else '&'}{name};")

    def _problem(self, found: str, expected: str = "") -> FormatError:
        return FormatError(self.file, self.line, found, expected)

    def refusal(self, error: expat.ExpatError) -> FormatError:
        """Return the error for XML that is not well-formed."""
        reason = expat.ErrorString(error.code).removeprefix("not well-formed (").rstrip(")")
        found = f"not well-formed XML at character {error.offset + 1} ({reason})"
        return FormatError(self.file, self.before + error.lineno, found, "")


def _unknown(file: str, line: int, entity: str) -> FormatError:
    return FormatError(file, line, f"the entity {entity} is not known", "the character itself")


# Writing -----------------------------------------------------------------------------------------

FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
NO_ATTRIBUTES: Mapping[str, object] = {}
DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
IN_TEXT = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"})
IN_VALUE = IN_TEXT | str.maketrans({"\t": "&#9;", "\n": "&#10;", '"': "&quot;", "'": "&apos;"})


def escaped(text: str) -> str:
    """Return text escaped for use between tags."""
    _refuse_forbidden(text)
    return text.translate(IN_TEXT)


def tag(
    name: str,
    attributes: Mapping[str, object] = NO_ATTRIBUTES,
    *,
    quote: str = '"',
    empty: bool = False,
) -> str:
    """Return a start tag, or the tag of an empty element.

    >>> tag("file", {"name": "R&D"}, empty=True)
    '<file name="R&amp;D"/>'
    """
    values = "".join(
        f" {key}={quote}{_value(str(value))}{quote}" for key, value in attributes.items()
    )
    return f"<{name}{values}{'/' if empty else ''}>"


def _value(text: str) -> str:
    _refuse_forbidden(text)
    return text.translate(IN_VALUE)


def _refuse_forbidden(text: str) -> None:
    if FORBIDDEN.search(text):
        raise InputError(f"{text!a} cannot be written in XML; expected printable characters")


# Streaming ---------------------------------------------------------------------------------------
#
# Unlike `walk`, `events` never holds the whole file in memory.

NO_EVENT_ATTRIBUTES: dict[str, str] = {}


class Event(NamedTuple):
    """The start or end of an element, or text between tags."""

    kind: Literal["start", "end", "text"]
    name: str  # the element itself; for text, the element that contains it
    line: int  # for text, the line where it ends
    depth: int  # depth of the element; 1 for the root
    attributes: dict[str, str] = NO_EVENT_ATTRIBUTES
    text: str = ""


class _EventCollector:
    """A visitor that collects events."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self._open: list[str] = []

    def start(self, name: str, attributes: dict[str, str], line: int) -> None:
        self._open.append(name)
        self.events.append(Event("start", name, line, len(self._open), attributes))

    def end(self, name: str, line: int) -> None:
        self.events.append(Event("end", name, line, len(self._open)))
        self._open.pop()

    def text(self, text: str, line: int) -> None:
        self.events.append(Event("text", self._open[-1], line, len(self._open), text=text))


def events(pieces: Iterable[bytes], file: str, expected: str) -> Iterator[Event]:
    """Yield the events of a file; `expected` describes the expected content in errors."""
    waiting = _EventCollector()
    document = Document(file, waiting)
    document.parser.buffer_text = True
    for piece in chain(pieces, [b""]):
        refused = _parse_piece(document, piece, expected)
        yield from waiting.events
        waiting.events.clear()
        if refused is not None:
            raise refused


def _parse_piece(document: Document, piece: bytes, expected: str) -> FormatError | None:
    """Parse a piece, the empty one being the last; return the error if there is one."""
    try:
        document.parse(piece, not piece)
    except FormatError as error:
        return error
    except ExpatError as error:
        reason = ErrorString(error.code)
        if reason in ("no element found", "unclosed token"):
            return FormatError(document.file, error.lineno, "the XML breaks off", "a complete file")
        refused = document.refusal(error)
        return FormatError(document.file, refused.line, refused.found, expected)
    except (LookupError, ValueError) as error:  # expat asks Python for encodings
        if document.begun:
            raise
        return FormatError(document.file, 1, f"an encoding that cannot be read ({error})", "UTF-8")
    return None


def as_xml(event: Event) -> str:
    """Return an event as XML, equal to its source up to the spelling of characters."""
    if event.kind == "start":
        return tag(event.name, event.attributes)
    return f"</{event.name}>" if event.kind == "end" else escaped(event.text)
