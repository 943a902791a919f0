"""XML as a stream of events that somebody takes, where `markup` tells a visitor.

The file arrives in pieces and is never in memory as a whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Literal, NamedTuple
from xml.parsers.expat import ErrorString, ExpatError

from spanwise.errors import FormatError
from spanwise.formats.markup import Document
from spanwise.formats.xml_out import escaped, tag

NO_ATTRIBUTES: dict[str, str] = {}


class Event(NamedTuple):
    """The start or end of an element, or text between tags."""

    kind: Literal["start", "end", "text"]
    name: str  # of the element; for text that of the element it stands in
    line: int  # of text, where it ends
    depth: int  # of the element: the root's is 1
    attributes: dict[str, str] = NO_ATTRIBUTES
    text: str = ""


class _Waiting:
    """Keeps what it is told until somebody takes it."""

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


def events(pieces: Iterable[bytes], file: str, due: str) -> Iterator[Event]:
    """The events of a file; `due` says what should stand in it."""
    waiting = _Waiting()
    document = Document(file, waiting)
    document.parser.buffer_text = True
    for piece in chain(pieces, [b""]):
        refused = _refusal(document, piece, due)
        yield from waiting.events
        waiting.events.clear()
        if refused is not None:
            raise refused


def _refusal(document: Document, piece: bytes, due: str) -> FormatError | None:
    """Show the parser a piece, the empty one being the last; what is wrong with it."""
    try:
        document.parse(piece, not piece)
    except FormatError as error:
        return error
    except ExpatError as error:
        reason = ErrorString(error.code)
        if reason in ("no element found", "unclosed token"):
            return FormatError(document.file, error.lineno, "the XML breaks off", "a complete file")
        refused = document.refusal(error)
        return FormatError(document.file, refused.line, refused.found, due)
    except (LookupError, ValueError) as error:  # expat asks Python about encodings
        if document.begun:
            raise
        return FormatError(document.file, 1, f"an encoding that cannot be read ({error})", "UTF-8")
    return None


def copied(event: Event) -> str:
    """An event as the XML it came from, up to the writing of characters."""
    if event.kind == "start":
        return tag(event.name, event.attributes)
    return f"</{event.name}>" if event.kind == "end" else escaped(event.text)
