"""One document: from the bytes of a file to bare markup that is known to be well formed.

Expat checks the document without calling back for every tag, which is what makes it fast. What it
let pass is then reduced to start tags, end tags and text: the prolog, comments, processing
instructions and CDATA brackets are taken out, and every entity reference becomes the character it
stands for. `positions` finds tags and text in the result by array operations alone.

Nothing is ever fetched and no declared entity is expanded: the reference counts one character.
Where that character is not known (neither predefined, nor a character reference, nor declared as
one character, nor a name of HTML) U+FFFD stands for it and the name is kept.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from dataclasses import dataclass, field
from xml.parsers import expat

from spanwise.collection.encoding import as_utf8, check_utf8
from spanwise.errors import EmptyError, FormatError
from spanwise.model.documents import TEXT_ELEMENT, UNKNOWN_CHARACTER

DEEPEST = 1000
"""Elements may be nested so deep."""
LARGEST = (1 << 31) - 1
"""Bytes of one document."""
LONGEST_EXPANSION = 10_000
"""Characters that an entity declared in terms of others may stand for."""

# Bytes that UTF-8 never uses stand for characters of text that would look like markup, and before
# two continuation bytes for a character that is not known.
LESS, GREATER, AMPERSAND, QUOTE, APOSTROPHE = (bytes([code]) for code in range(0xF8, 0xFD))
UNKNOWN = b"\xfd\x80\x80"
HIDDEN = {
    ord("<"): LESS,
    ord(">"): GREATER,
    ord("&"): AMPERSAND,
    ord('"'): QUOTE,
    ord("'"): APOSTROPHE,
}
REPLACEMENT = UNKNOWN_CHARACTER.encode()

_ASIDE = re.compile(rb"<!--.*?-->|<\?.*?\?>|<!\[CDATA\[(.*?)\]\]>", re.DOTALL)
_REFERENCE = re.compile(rb"&([^;]+);")
_DECLARED_REFERENCE = re.compile(r"&([^#;][^;]*);")
_ADVICE = {
    expat.errors.XML_ERROR_JUNK_AFTER_DOC_ELEMENT: "a file holds one document with one root: split"
    " it if these are several"
}
"""What to do about some errors of expat."""
_STANDALONE = re.compile(rb"(<\?xml[^>]*?)\sstandalone\s*=\s*[\"']yes[\"']")


@dataclass(frozen=True, slots=True)
class Body:
    """A document reduced to tags and text."""

    markup: bytes
    entities: tuple[bytes, ...] = ()  # names of unknown characters, tags included, in order


class _Characters(dict[bytes, bytes]):
    """What stands for an entity reference, by its name."""

    def __missing__(self, name: bytes) -> bytes:
        if name.startswith(b"#"):
            digits = name[1:].decode()
            code = int(digits[1:], 16) if digits.startswith("x") else int(digits)
            found = _hidden(chr(code))
        else:
            from html.entities import html5

            character = html5.get(name.decode() + ";", "")
            found = _hidden(character) if len(character) == 1 else UNKNOWN
        if len(self) < 100_000:
            self[name] = found
        return found


def _hidden(character: str) -> bytes:
    return HIDDEN.get(ord(character)) or character.encode()


_PREDEFINED = {
    b"lt": LESS,
    b"gt": GREATER,
    b"amp": AMPERSAND,
    b"quot": QUOTE,
    b"apos": APOSTROPHE,
}
_KNOWN = _Characters(_PREDEFINED)


def xml_body(data: bytes, file: str) -> Body:
    """The body of an XML document."""
    text = as_utf8(data, file)
    if b"\r" in text:
        text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    checked = _Checked(file)
    markup = text[checked.root_of(text) :]
    if checked.has_asides:
        markup = _ASIDE.sub(_without_aside, markup)
    markup = markup.rstrip(b" \t\n")
    if b"&" not in markup:
        return Body(markup)
    known = _KNOWN
    if checked.values:
        known = _Characters(_PREDEFINED)
        for name, value in checked.values.items():
            known.setdefault(name.encode(), _hidden(value) if len(value) == 1 else UNKNOWN)
    plain = _REFERENCE.sub(lambda match: known[match[1]], markup)
    if UNKNOWN[:1] not in plain:
        return Body(plain)
    names = _REFERENCE.findall(markup)
    return Body(plain, tuple(name for name in names if known[name] is UNKNOWN))


def text_body(data: bytes, file: str) -> Body:
    """The body of a plain text: one element around all of it, line ends as they are.

    A mark at the start of UTF-8 is a character of it, as it is for whoever counted positions: in
    bytes, and in what Python and its frameworks read.
    """
    text = as_utf8(data, file)
    check_utf8(text, file)
    if not text:
        raise EmptyError(file, None, "the file is empty", "text")
    if data.startswith(BOM_UTF8):
        text = BOM_UTF8 + text
    if b"\x00" in text:
        line = text.count(b"\n", 0, text.index(b"\x00")) + 1
        raise FormatError(file, line, "a NUL character: this is not text", "XML or plain text")
    inside = text.replace(b"<", LESS).replace(b">", GREATER)
    tag = TEXT_ELEMENT.encode()
    return Body(b"<%b>%b</%b>" % (tag, inside, tag))


def too_deep(data: bytes, file: str) -> FormatError:
    """The complaint about a document whose elements are nested too deep, with its line."""
    parser = expat.ParserCreate("utf-8")
    parser.UseForeignDTD(True)
    depth = 0
    line = None

    def start(*_: object) -> None:
        nonlocal depth, line
        depth += 1
        if depth > DEEPEST and line is None:
            line = parser.CurrentLineNumber

    def end(_: object) -> None:
        nonlocal depth
        depth -= 1

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.Parse(_STANDALONE.sub(rb"\1", as_utf8(data, file)), True)
    return FormatError(
        file, line, f"elements nested more than {DEEPEST} deep", f"at most {DEEPEST} levels"
    )


def _without_aside(match: re.Match[bytes]) -> bytes:
    """Nothing for a comment or processing instruction, its text for a CDATA section."""
    text = match[1]
    if not text:
        return b""
    return text.replace(b"<", LESS).replace(b">", GREATER).replace(b"&", AMPERSAND)


@dataclass(slots=True)
class _Checked:
    """What expat finds out about a document besides that it is well formed."""

    file: str
    values: dict[str, str] = field(default_factory=dict)  # of the entities it declares
    has_asides: bool = False  # comments and the like after the root's start tag

    def root_of(self, text: bytes) -> int:
        """Where the root's start tag begins; an error if anything is wrong with the document."""
        if not text or text.isspace():
            raise EmptyError(self.file, None, "the file is empty", "an XML document")
        if len(text) > LARGEST:
            raise FormatError(self.file, None, "a document of over 2 GB", "smaller documents")
        parser = expat.ParserCreate("utf-8")
        # There may always be a DTD that is not read, so that entities may be undeclared.
        parser.UseForeignDTD(True)
        root = 0

        def first(*_: object) -> None:
            nonlocal root
            root = parser.CurrentByteIndex
            parser.StartElementHandler = None
            parser.CommentHandler = parser.StartCdataSectionHandler = aside
            parser.ProcessingInstructionHandler = aside

        def aside(*_: object) -> None:
            self.has_asides = True
            parser.CommentHandler = parser.StartCdataSectionHandler = None
            parser.ProcessingInstructionHandler = None

        parser.StartElementHandler = first
        parser.EntityDeclHandler = self._declared
        parser.EndDoctypeDeclHandler = lambda: self._check_bomb(parser.CurrentLineNumber)
        head = text[:200]
        if b"standalone" in head:
            shorter = _STANDALONE.sub(_blanked, head)
            text = shorter + text[200:]
        try:
            parser.Parse(text, True)
        except expat.ExpatError as error:
            check_utf8(text, self.file, parser.ErrorByteIndex)
            raise FormatError(
                self.file,
                error.lineno,
                f"not well-formed XML: {expat.ErrorString(error.code)}"
                f" (character {error.offset + 1} of the line)",
                "",
                _ADVICE.get(expat.ErrorString(error.code), ""),
            ) from error
        finally:
            _let_go(parser)
        return root

    def _declared(self, name: str, is_parameter: int, value: str | None, *_: object) -> None:
        """Note an entity; one that names a file or address has no value."""
        if not is_parameter:
            self.values.setdefault(name, value if value is not None else "")

    def _check_bomb(self, line: int) -> None:
        """Refuse entities that multiply each other."""
        sizes: dict[str, int] = {}
        for name in self.values:
            nested = "&" in self.values[name]
            if nested and self._size(name, sizes, 0) > LONGEST_EXPANSION:
                raise FormatError(
                    self.file,
                    line,
                    f"entity {name!r} is declared in terms of others and would stand for"
                    f" more than {LONGEST_EXPANSION:,} characters",
                    "no entity bomb",
                )

    def _size(self, name: str, sizes: dict[str, int], depth: int) -> int:
        """The characters that an entity stands for, more than allowed if it contains itself."""
        if name in sizes:
            return sizes[name]
        if depth > 50:
            return LONGEST_EXPANSION + 1
        sizes[name] = LONGEST_EXPANSION + 1
        value = self.values.get(name, " ")
        total = len(value)
        for inner in _DECLARED_REFERENCE.findall(value):
            total = min(total + self._size(inner, sizes, depth + 1), LONGEST_EXPANSION + 1)
        sizes[name] = total
        return total


def _let_go(parser: expat.XMLParserType) -> None:
    """Free a parser at once: it and what it calls hold each other, thousands of them if one waits.

    Each has buffers that the garbage collector knows nothing of.
    """
    parser.StartElementHandler = parser.EndDoctypeDeclHandler = None
    parser.CommentHandler = parser.StartCdataSectionHandler = None
    parser.ProcessingInstructionHandler = None


def _blanked(match: re.Match[bytes]) -> bytes:
    """The declaration without the claim to stand alone, of the same length."""
    return match[1] + b" " * (len(match[0]) - len(match[1]))
