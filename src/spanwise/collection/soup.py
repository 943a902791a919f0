"""Tag soup: HTML and TREC's SGML, in which tags may be left open, made into well-formed XML.

Every start tag keeps its place, attributes are dropped, names come in small letters. An element
that is never closed ends where its parent ends; in HTML some end where the next of their kind
begins. An end tag without a start is dropped. Characters that XML forbids become blanks.
"""

from __future__ import annotations

import re
from contextlib import suppress
from html.parser import HTMLParser
from typing import Literal
from xml.sax.saxutils import escape

from spanwise.collection.encoding import marked

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
"""Which start tags end an open element of HTML."""
DEEPEST = 500
CHARSET = re.compile(rb"<meta\s[^>]*?charset\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE)
NAME = re.compile(r"[a-z_][a-z0-9_.\-]*")
FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def well_formed(data: bytes, kind: Kind) -> bytes:
    """Tag soup as XML in UTF-8, under one root.

    >>> well_formed(b"<html><p>one<p>two<br></html>", "html")
    b'<html><p>one</p><p>two<br></br></p></html>'
    """
    soup = _Soup(kind)
    soup.feed(readable(_recoded(data) if kind == "html" else data))
    soup.close()
    return soup.markup().encode()


def _recoded(data: bytes) -> bytes:
    """A page in UTF-8, if its first bytes or its META tag say what it is in; else as it is."""
    encoding, mark = marked(data)
    if encoding is not None:
        return data[mark:].decode(encoding, "replace").encode()
    said = CHARSET.search(data[:4096])
    try:
        data.decode()
    except UnicodeDecodeError:
        with suppress(LookupError, UnicodeError):
            return data.decode(said[1].decode() if said else "utf-8").encode()
    return data


def readable(data: bytes) -> str:
    r"""Bytes as text: UTF-8, or Latin-1 where they are not; no character that XML forbids.

    >>> readable(b"caf\xe9\x03")
    'café '
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return FORBIDDEN.sub(" ", text.replace("\r\n", "\n").replace("\r", "\n"))


def escaped(text: str) -> str:
    """Text as it may stand between tags."""
    return escape(FORBIDDEN.sub(" ", text))


class _Soup(HTMLParser):
    """Writes well-formed markup while soup is fed to it."""

    def __init__(self, kind: Kind) -> None:
        super().__init__(convert_charrefs=True)
        self._html = kind == "html"
        if not self._html:
            vars(self).update(CDATA_CONTENT_ELEMENTS=(), RCDATA_CONTENT_ELEMENTS=())
        self._out: list[str] = []
        self._open: list[str] = []
        self._unseen = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002
        """An element begins, and may end others."""
        if self._html and tag in UNSEEN:
            self._unseen += 1
        if self._unseen or not NAME.fullmatch(tag) or len(self._open) >= DEEPEST:
            return
        while self._html and self._open and tag in CLOSED_BY.get(self._open[-1], ()):
            self._close()
        if self._open[:1] == [tag] == ["html"]:  # a second root tag says nothing
            return
        self._out.append(f"<{tag}>")
        if self._html and tag in VOID:
            self._out.append(f"</{tag}>")
        else:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        """An empty element."""
        before = len(self._open)
        self.handle_starttag(tag, attrs)
        if len(self._open) > before:
            self._close()
        elif self._html and tag in UNSEEN:
            self._unseen -= 1

    def handle_endtag(self, tag: str) -> None:
        """An element ends, and with it those inside it that are still open."""
        if self._html and tag in UNSEEN:
            self._unseen = max(self._unseen - 1, 0)
        elif not self._unseen and tag in self._open:
            while self._open[-1] != tag:
                self._close()
            self._close()

    def handle_data(self, data: str) -> None:
        """Text."""
        if not self._unseen:
            self._out.append(escaped(data))

    def _close(self) -> None:
        self._out.append(f"</{self._open.pop()}>")

    def markup(self) -> str:
        """All of it; a root is put around what has none, or several."""
        while self._open:
            self._close()
        text = "".join(self._out).strip()
        root = re.match(r"<([a-z0-9_.\-]+)>", text)
        if root and _is_whole(text, root[1]):
            return text
        name = "html" if self._html else "doc"
        return f"<{name}>{text}</{name}>"


def _is_whole(text: str, name: str) -> bool:
    """Whether the first element reaches to the end."""
    depth = 0
    for tag in re.finditer(rf"<(/?){re.escape(name)}>", text):
        depth += -1 if tag[1] else 1
        if depth == 0:
            return tag.end() == len(text)
    return False
