"""Parsing documents: from the bytes of a file to bare, well-formed markup.

Expat checks the document without a callback for every tag, which makes it fast. The checked text is
then reduced to start tags, end tags and text: the prolog, comments, processing instructions and
CDATA brackets are removed, and every entity reference is replaced by its character. `positions`
finds tags and text in the result with array operations.

Nothing external is loaded and no declared entity is expanded: a reference counts as one character.
If that character is unknown (neither predefined, nor a character reference, nor declared as one
character, nor an HTML name), it is U+FFFD and the name is kept. HTML and SGML are first made
well-formed.
"""

from __future__ import annotations

import codecs
import re
from codecs import BOM_UTF8
from contextlib import suppress
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Literal
from xml.parsers import expat
from xml.sax.saxutils import escape

from spanwise.errors import EmptyError, FormatError
from spanwise.model.documents import TEXT_ELEMENT, UNKNOWN_CHARACTER

# Encodings ---------------------------------------------------------------------------------------

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
"""Encodings whose declaration cannot be read byte by byte."""
_UTF8 = frozenset({"utf-8", "utf8", "us-ascii", "ascii"})


def as_utf8(data: bytes, file: str) -> bytes:
    """Return a document in UTF-8, by its byte order mark or XML declaration, else unchanged.

    This does not check that undeclared bytes are UTF-8; `check_utf8` or expat does.
    """
    encoding, mark = detect_encoding(data)
    if encoding is not None:
        return _converted(data[mark:], encoding, file)
    found = _DECLARATION.match(data[:400]) if data.startswith(b"<?xml") else None
    declared = found[1].decode().lower() if found else "utf-8"
    if declared.startswith(_WIDE):
        raise FormatError(file, 1, f"declared as {declared}, but it is not", "the actual encoding")
    return _converted(data, declared, file)


def detect_encoding(data: bytes) -> tuple[str | None, int]:
    """Return the encoding that the first bytes indicate, and the length of a byte order mark."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return encoding, len(mark)
    return next((encoding for start, encoding in _UNMARKED if data.startswith(start)), None), 0


def _converted(data: bytes, encoding: str, file: str) -> bytes:
    try:
        return data if encoding in _UTF8 else data.decode(encoding).encode()
    except LookupError as error:
        raise FormatError(
            file,
            1,
            f"unknown encoding {encoding!r}",
            "a known encoding",
            "convert the file to UTF-8",
        ) from error
    except UnicodeError as error:
        raise _wrong_byte(data, getattr(error, "start", 0), encoding, file) from error


def check_utf8(text: bytes, file: str, last: int | None = None) -> None:
    """Raise an error where text is not UTF-8, unless that is after the byte `last`."""
    try:
        if not text.isascii():
            text.decode()
    except UnicodeDecodeError as error:
        if last is None or error.start <= last:
            raise _wrong_byte(text, error.start, "UTF-8", file) from error


def _wrong_byte(data: bytes, place: int, encoding: str, file: str) -> FormatError:
    line = data.count(b"\n", 0, place) + 1
    return FormatError(file, line, f"byte {place + 1} is not {encoding}", f"text in {encoding}")


# XML ---------------------------------------------------------------------------------------------

DEEPEST = 1000
"""Maximum nesting of elements."""
LARGEST = (1 << 31) - 1
"""Maximum size of a document in bytes."""
LONGEST_EXPANSION = 10_000
"""Maximum number of characters of an entity that is declared by other entities."""

# Bytes that UTF-8 never uses represent characters of text that would look like markup, and, before
# two continuation bytes, an unknown character.
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

_SKIPPED = re.compile(rb"<!--.*?-->|<\?.*?\?>|<!\[CDATA\[(.*?)\]\]>", re.DOTALL)
_REFERENCE = re.compile(rb"&([^;]+);")
_DECLARED_REFERENCE = re.compile(r"&([^#;][^;]*);")
_ADVICE = {
    expat.errors.XML_ERROR_JUNK_AFTER_DOC_ELEMENT: "a file holds one document with one root: split"
    " it if these are several"
}
"""Advice for some errors of expat."""
_STANDALONE = re.compile(rb"(<\?xml[^>]*?)\sstandalone\s*=\s*[\"']yes[\"']")


@dataclass(frozen=True, slots=True)
class Body:
    """A document reduced to tags and text."""

    markup: bytes
    entities: tuple[bytes, ...] = ()  # names of unknown characters in order, those in tags included


class _Characters(dict[bytes, bytes]):
    """A mapping from names of entities to the bytes that represent their characters."""

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
    """Return the body of an XML document."""
    text = as_utf8(data, file)
    if b"\r" in text:
        text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    checked = _XmlCheck(file)
    markup = text[checked.root_of(text) :]
    if checked.has_asides:
        markup = _SKIPPED.sub(_replace_skipped, markup)
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
    """Return the body of a plain text: one element around all of it, line ends unchanged.

    A byte order mark counts as a character, because offsets that others computed, in bytes or with
    Python, count it too.
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
    """Return the error for a document that is nested too deeply, with its line."""
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


def _replace_skipped(match: re.Match[bytes]) -> bytes:
    """Return the text of a CDATA section, or nothing for a comment or processing instruction."""
    text = match[1]
    if not text:
        return b""
    return text.replace(b"<", LESS).replace(b">", GREATER).replace(b"&", AMPERSAND)


@dataclass(slots=True)
class _XmlCheck:
    """What expat reports about a well-formed document."""

    file: str
    values: dict[str, str] = field(default_factory=dict)  # values of the declared entities
    has_asides: bool = False  # whether comments or the like follow the start tag of the root

    def root_of(self, text: bytes) -> int:
        """Return where the start tag of the root begins; raise an error for invalid documents."""
        if not text or text.isspace():
            raise EmptyError(self.file, None, "the file is empty", "an XML document")
        if len(text) > LARGEST:
            raise FormatError(self.file, None, "a document of over 2 GB", "smaller documents")
        parser = expat.ParserCreate("utf-8")
        # Assume an external DTD, so that undeclared entities are not an error.
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
            _release(parser)
        return root

    def _declared(self, name: str, is_parameter: int, value: str | None, *_: object) -> None:
        """Store an entity; one that refers to a file or address has an empty value."""
        if not is_parameter:
            self.values.setdefault(name, value if value is not None else "")

    def _check_bomb(self, line: int) -> None:
        """Raise an error for entities that multiply each other."""
        sizes: dict[str, int] = {}
        for name in self.values:
            nested = "&" in self.values[name]
            if nested and self._size(name, sizes, 0) > LONGEST_EXPANSION:
                raise FormatError(
                    self.file,
                    line,
                    f"an entity bomb: {name!r} expands through other entities to"
                    f" more than {LONGEST_EXPANSION:,} characters",
                    "short entities",
                )

    def _size(self, name: str, sizes: dict[str, int], depth: int) -> int:
        """Return the number of characters of an entity, more than allowed if it contains itself."""
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


def _release(parser: expat.XMLParserType) -> None:
    """Break the reference cycles of a parser, so that it is freed at once.

    Otherwise thousands of parsers accumulate, whose buffers the garbage collector does not count.
    """
    parser.StartElementHandler = parser.EndDoctypeDeclHandler = None
    parser.CommentHandler = parser.StartCdataSectionHandler = None
    parser.ProcessingInstructionHandler = None


def _blanked(match: re.Match[bytes]) -> bytes:
    """Return the declaration without `standalone`, padded to the same length."""
    return match[1] + b" " * (len(match[0]) - len(match[1]))


# Tag soup ----------------------------------------------------------------------------------------
#
# HTML and TREC's SGML, whose tags may be left open, are made into well-formed XML. Every start tag
# keeps its place, attributes are dropped, and names are in lower case. An unclosed element ends
# where its parent ends; in HTML some end where the next of their kind begins. An end tag without a
# start is dropped. Characters that XML forbids become blanks.

Kind = Literal["html", "sgml"]

VOID = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr")
)
UNSEEN = frozenset(("script", "style", "template", "noscript"))
CELLS = frozenset(("td", "th"))
ROWS = frozenset(("tr", "thead", "tbody", "tfoot"))
HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
BLOCKS = HEADINGS | frozenset(
    ("p", "div", "section", "article", "ul", "ol", "dl", "table", "pre", "blockquote", "form")
)
CLOSED_BY = {
    "p": BLOCKS,
    "li": frozenset(("li",)),
    "dt": frozenset(("dt", "dd")),
    "dd": frozenset(("dt", "dd")),
    "option": frozenset(("option",)),
    "td": CELLS | ROWS,
    "th": CELLS | ROWS,
    "tr": ROWS,
}
"""HTML elements with the start tags that close them."""
DEEPEST_SOUP = 500
CHARSET = re.compile(rb"<meta\s[^>]*?charset\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE)
NAME = re.compile(r"[a-z_][a-z0-9_.\-]*")
FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def well_formed(data: bytes, kind: Kind) -> bytes:
    """Return tag soup as XML in UTF-8, under one root.

    >>> well_formed(b"<html><p>one<p>two<br></html>", "html")
    b'<html><p>one</p><p>two<br></br></p></html>'
    """
    soup = _Soup(kind)
    soup.feed(readable(_recoded(data) if kind == "html" else data))
    soup.close()
    return soup.markup().encode()


def _recoded(data: bytes) -> bytes:
    """Return an HTML page in UTF-8 if its first bytes or META tag state an encoding."""
    encoding, mark = detect_encoding(data)
    if encoding is not None:
        return data[mark:].decode(encoding, "replace").encode()
    stated = CHARSET.search(data[:4096])
    try:
        data.decode()
    except UnicodeDecodeError:
        with suppress(LookupError, UnicodeError):
            return data.decode(stated[1].decode() if stated else "utf-8").encode()
    return data


def readable(data: bytes) -> str:
    r"""Return bytes decoded as UTF-8 or else Latin-1, without characters that XML forbids.

    >>> readable(b"caf\xe9\x03")
    'café '
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return FORBIDDEN.sub(" ", text.replace("\r\n", "\n").replace("\r", "\n"))


def escaped(text: str) -> str:
    """Return text escaped for use between tags."""
    return escape(FORBIDDEN.sub(" ", text))


class _Soup(HTMLParser):
    """A parser of tag soup that writes well-formed markup."""

    def __init__(self, kind: Kind) -> None:
        super().__init__(convert_charrefs=True)
        self._html = kind == "html"
        if not self._html:
            vars(self).update(CDATA_CONTENT_ELEMENTS=(), RCDATA_CONTENT_ELEMENTS=())
        self._out: list[str] = []
        self._open: list[str] = []
        self._unseen = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002
        """Open an element, which may close others."""
        if self._html and tag in UNSEEN:
            self._unseen += 1
        if self._unseen or not NAME.fullmatch(tag) or len(self._open) >= DEEPEST_SOUP:
            return
        while self._html and self._open and tag in CLOSED_BY.get(self._open[-1], ()):
            self._close()
        if self._open[:1] == [tag] == ["html"]:  # a second root tag has no effect
            return
        self._out.append(f"<{tag}>")
        if self._html and tag in VOID:
            self._out.append(f"</{tag}>")
        else:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        """Write an empty element."""
        before = len(self._open)
        self.handle_starttag(tag, attrs)
        if len(self._open) > before:
            self._close()
        elif self._html and tag in UNSEEN:
            self._unseen -= 1

    def handle_endtag(self, tag: str) -> None:
        """Close an element and those inside it that are still open."""
        if self._html and tag in UNSEEN:
            self._unseen = max(self._unseen - 1, 0)
        elif not self._unseen and tag in self._open:
            while self._open[-1] != tag:
                self._close()
            self._close()

    def handle_data(self, data: str) -> None:
        """Write the text of an element."""
        if not self._unseen:
            self._out.append(escaped(data))

    def _close(self) -> None:
        self._out.append(f"</{self._open.pop()}>")

    def markup(self) -> str:
        """Return the markup, with a root around it if there is none or several."""
        while self._open:
            self._close()
        text = "".join(self._out).strip()
        root = re.match(r"<([a-z0-9_.\-]+)>", text)
        if root and _is_whole(text, root[1]):
            return text
        name = "html" if self._html else "doc"
        return f"<{name}>{text}</{name}>"


def _is_whole(text: str, name: str) -> bool:
    """Return whether the first element extends to the end."""
    depth = 0
    for tag in re.finditer(rf"<(/?){re.escape(name)}>", text):
        depth += -1 if tag[1] else 1
        if depth == 0:
            return tag.end() == len(text)
    return False
