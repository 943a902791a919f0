"""XML as a stream of events with line numbers, read safely, and its writing.

Nothing outside the file is ever loaded. Entity declarations are refused, except those that repeat
one of XML's own five; so is an entity that nobody declares, and absurd depth.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import TYPE_CHECKING, Literal, NamedTuple

from spanwise.errors import FormatError, InputError

if TYPE_CHECKING:
    from xml.parsers.expat import XMLParserType

DEEPEST = 100
"""Levels of nesting; the files of the campaigns have five."""
PREDEFINED = frozenset({"lt", "gt", "amp", "quot", "apos"})
NO_ATTRIBUTES: dict[str, str] = {}


class Event(NamedTuple):
    """The start or end of an element, or text between tags."""

    kind: Literal["start", "end", "text"]
    name: str  # of the element; for text that of the element it stands in
    line: int  # of text, where it ends
    depth: int  # of the element: the root's is 1
    attributes: dict[str, str] = NO_ATTRIBUTES
    text: str = ""


class _Events:
    """Collects what expat reports until somebody takes it."""

    def __init__(self, file: str) -> None:
        from xml.parsers import expat

        self.file, self.waiting = file, list[Event]()
        self.outside = False  # whether there is a DTD elsewhere
        self._open: list[str] = []
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.StartDoctypeDeclHandler = self._doctype
        parser.EntityDeclHandler = self._declared
        parser.SkippedEntityHandler = self._skipped
        parser.ExternalEntityRefHandler = self._external
        self.parser: XMLParserType = parser

    @property
    def line(self) -> int:
        return self.parser.CurrentLineNumber

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._open.append(name)
        if len(self._open) > DEEPEST:
            raise self.refused(f"elements nested {len(self._open)} deep", f"at most {DEEPEST}")
        self.waiting.append(Event("start", name, self.line, len(self._open), attributes))

    def _end(self, name: str) -> None:
        self.waiting.append(Event("end", name, self.line, len(self._open)))
        self._open.pop()

    def _text(self, data: str) -> None:
        depth = len(self._open)
        self.waiting.append(Event("text", self._open[-1], self.line, depth, text=data))

    def _declared(self, name: str, is_parameter: bool, *_: object) -> None:
        if is_parameter or name not in PREDEFINED:
            raise self.refused(
                f"a declaration of the entity {name!r}",
                "no entity declarations",
                "they are refused because they can hide files or explode; write the text itself",
            )

    def _skipped(self, name: str, is_parameter: bool) -> None:
        if not is_parameter:
            raise _undeclared(self.file, self.line, name)

    def _doctype(self, _name: str, system: str | None, *_: object) -> None:
        self.outside = system is not None

    def _external(self, *_: object) -> int:
        raise self.refused("an external entity", "everything in one file", "it is never loaded")

    def refused(self, found: str, expected: str, advice: str = "") -> FormatError:
        return FormatError(self.file, self.line, found, expected, advice)


def events(pieces: Iterable[bytes], file: str, due: str) -> Iterator[Event]:
    """The events of a file, which arrives in pieces; `due` says what should stand in it."""
    collected = _Events(file)
    for piece in chain(pieces, [b""]):
        refused = _parsed(collected, piece, due)
        yield from collected.waiting
        collected.waiting.clear()
        if refused is not None:
            raise refused


def _parsed(collected: _Events, piece: bytes, due: str) -> FormatError | None:
    """Let expat see a piece, the empty one being the last; what is wrong with it."""
    from xml.parsers.expat import ExpatError

    line = collected.line
    try:
        collected.parser.Parse(piece, not piece)
    except FormatError as error:
        return error
    except ExpatError as error:
        reason = str(error).split(":")[0].removeprefix("not well-formed (").rstrip(")")
        if reason in ("no element found", "unclosed token"):
            return FormatError(
                collected.file, error.lineno, "the XML breaks off", "a complete file"
            )
        return FormatError(collected.file, error.lineno, f"not well-formed XML ({reason})", due)
    except (ValueError, LookupError) as error:  # an encoding that Python cannot give to expat
        return FormatError(collected.file, line, f"unreadable encoding ({error})", "UTF-8")
    hidden = UNDECLARED_IN_VALUE.search(piece) if collected.outside else None
    if hidden is None:
        return None
    return _undeclared(
        collected.file, line + piece[: hidden.end()].count(b"\n"), hidden[1].decode()
    )


UNDECLARED_IN_VALUE = re.compile(
    rb"""=\s*(?:"[^"<>]*|'[^'<>]*)&((?!(?:lt|gt|amp|quot|apos);)[A-Za-z_][\w.-]*);"""
)
"""Where a DTD elsewhere might declare it, expat passes over an entity in a value without a word."""


def _undeclared(file: str, line: int, name: str) -> FormatError:
    return FormatError(
        file,
        line,
        f"the entity &{name};, which this file does not declare",
        "the character itself or its number (&#233;)",
    )


START_TAG = re.compile(
    rb"\s*(?:<\?.*?\?>\s*|<!--.*?-->\s*|<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>\s*)*<([^\s<>/!?]+)([^<>]*)>",
    re.DOTALL,
)


def root_of(head: bytes) -> tuple[str, str]:
    """Name and attributes, unparsed, of the first element of a file; empty if it is not XML.

    >>> root_of(b'<?xml version="1.0"?> <!-- made by hand --> <pool topic="7">')
    ('pool', 'topic="7"')
    """
    if not head.lstrip().startswith(b"<"):
        return "", ""
    found = START_TAG.match(head)
    if found is None:
        return "", ""
    name, attributes = (group.decode("utf-8", "replace") for group in found.groups())
    return name, attributes.strip().rstrip("/").rstrip()


# Writing ------------------------------------------------------------------------------------

FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
IN_TEXT = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"})
IN_VALUE = IN_TEXT | str.maketrans({"\t": "&#9;", "\n": "&#10;", '"': "&quot;", "'": "&apos;"})


def escaped(text: str) -> str:
    """Text as it stands between tags."""
    _refuse_forbidden(text)
    return text.translate(IN_TEXT)


def tag(
    name: str,
    attributes: Mapping[str, object] = NO_ATTRIBUTES,
    *,
    quote: str = '"',
    empty: bool = False,
) -> str:
    """A start tag, or the tag of an empty element.

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


def copied(event: Event) -> str:
    """An event as the XML it came from, up to the writing of characters."""
    if event.kind == "start":
        return tag(event.name, event.attributes)
    return f"</{event.name}>" if event.kind == "end" else escaped(event.text)
