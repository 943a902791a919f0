"""Documents as the page shows them, and the search for documents and in them.

A document is shown as blocks of text with roles, without omissions. The role of an element follows
from its name if the vocabulary is known, else from its content: it is inline inside mixed content,
a section if it contains only elements, else a block. Inline elements do not end a block. The
lengths of all blocks add up to that of the document.

An assessor can search for documents that no system returned, and for regular expressions in a
document. These run in a separate process that is ended if one takes too long: the security policy
of the page allows no worker there, and an expression that never ends would block the page.
"""

from __future__ import annotations

import hashlib
import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from spanwise.errors import InputError, UsageError

if TYPE_CHECKING:
    from spanwise.judge.events import Gesture
    from spanwise.model.documents import Collection, Tree

READ_FIRST = 32
"""Number of characters after an entry point that identify its text."""
HEADINGS = frozenset(
    {"title", "st", "head", "heading", "h1", "h2", "h3", "h4", "h5", "h6", "h"}
) | {
    *("atl", "tig", "bridgehead", "subtitle", "caption", "name"),
}
VERBATIM = frozenset({"pre", "programlisting", "code", "verbatim", "screen", "listing", "lg"})
ITEMS = frozenset({"li", "item", "listitem", "row", "tr", "entry", "dd", "dt"})
FOLDED = frozenset({"header", "teiheader", "fm", "articleinfo", "bookinfo", "front", "metadata"})
BLOCKS = frozenset({"p", "para", "ip1", "ip2", "p1", "p2", "p3", "simpara", "formula", "quote"})
INLINE = frozenset({"em", "i", "b", "it", "u", "tt", "sub", "sup", "ref", "link", "a", "term"}) | {
    *("hi", "span", "scp", "emphasis", "strong", "q", "collectionlink", "unknownlink", "xref"),
    *("ext-link", "tf", "italic", "bold"),
}


@dataclass(frozen=True, slots=True)
class View:
    """A document with its elements and blocks, as the page receives it."""

    sha256: str
    chars: int
    elements: list[tuple[int, str, str]]  # parent, role, name
    blocks: list[tuple[int, int, str]]  # element, start, text

    def to_dict(self) -> dict[str, Any]:
        """Return the view as a JSON object."""
        return {
            "sha256": self.sha256,
            "chars": self.chars,
            "elements": self.elements,
            "blocks": self.blocks,
        }


def refuse_bytes(collection: Collection) -> None:
    """Raise unless positions are code points, as the page counts them."""
    if collection.policy.unit != "codepoints":
        raise UsageError(
            "the collection counts bytes; judging needs one built with --characters codepoints"
        )


def fingerprint(text: str) -> str:
    """Return the hash of a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def check_of(text: str) -> str:
    """Return a short hash of the text that a gesture refers to."""
    return fingerprint(text)[:16]


def meant(gesture: Gesture, text: str) -> str:
    """Return the text that a gesture refers to: its span, or the text at an entry point."""
    end = gesture.start + READ_FIRST if gesture.kind == "bep" else gesture.end
    return text[gesture.start : end]


def view(collection: Collection, document: str) -> View:
    """Divide a document into blocks."""
    text, tree = collection.text(document), collection.tree(document)
    roles = roles_of(tree, text)
    names = [tree.tags[tag] for tag in tree.tag.tolist()]
    elements = list(zip(tree.parent.tolist(), roles, names, strict=True))
    blocks = [(owner, start, text[start:end]) for owner, start, end in _stretches(tree, roles)]
    return View(fingerprint(text), len(text), elements, blocks)


def roles_of(tree: Tree, text: str) -> list[str]:
    """Return the role of every element."""
    mixed = _mixed(tree, text)
    parents = tree.parent.tolist()
    nested = {parent for parent in parents if parent >= 0}
    roles: list[str] = []
    for row, tag in enumerate(tree.tag.tolist()):
        name = tree.tags[tag].rpartition(":")[2].lower()
        parent = parents[row]
        inside = parent >= 0 and (mixed[parent] or roles[parent] in ("inline", "heading"))
        roles.append(_role(name, inside, row in nested and not mixed[row]))
    return roles


def _role(name: str, inside: bool, container: bool) -> str:
    if inside or (name in INLINE and not container):
        return "inline"
    if name in HEADINGS and not container:
        return "heading"
    if container:
        return "fold" if name in FOLDED else "section"
    for role, known in (("verbatim", VERBATIM), ("item", ITEMS), ("block", BLOCKS)):
        if name in known:
            return role
    return "heading" if "title" in name or "head" in name else "block"


def _mixed(tree: Tree, text: str) -> list[bool]:
    """Return which elements contain text other than white space themselves."""
    mixed = [False] * len(tree)
    places = tree.start.tolist()
    ends = (tree.start + tree.length).tolist()
    reached = list(places)
    for row, parent in enumerate(tree.parent.tolist()):
        if parent >= 0:
            mixed[parent] = mixed[parent] or bool(text[reached[parent] : places[row]].strip())
            reached[parent] = ends[row]
    for row, end in enumerate(ends):
        mixed[row] = mixed[row] or bool(text[reached[row] : end].strip())
    return mixed


def _stretches(tree: Tree, roles: list[str]) -> list[tuple[int, int, int]]:
    """Return the element, start and end of every block.

    A block is the text up to where another block begins or ends.
    """
    edges: list[tuple[int, int, int]] = []  # position, depth, owner
    starts, lengths = tree.start.tolist(), tree.length.tolist()
    stack: list[tuple[int, int]] = []
    for row, (start, length) in enumerate(zip(starts, lengths, strict=True)):
        parent = int(tree.parent[row])
        while stack and stack[-1][0] != _blocky(tree, roles, parent):
            _, end = stack.pop()
            edges.append((end, 0, stack[-1][0] if stack else -1))
        if roles[row] != "inline" or row == 0:
            stack.append((row, start + length))
            edges.append((start, 0, row))
    while stack:
        _, end = stack.pop()
        edges.append((end, 0, stack[-1][0] if stack else -1))
    found = []
    for (place, _, owner), (following, _, _) in pairwise(edges):
        if following > place and owner >= 0:
            found.append((owner, place, following))
    return found


def _blocky(tree: Tree, roles: list[str], row: int) -> int:
    """Return the nearest element that is not inline, from an element upwards."""
    while row > 0 and roles[row] == "inline":
        row = int(tree.parent[row])
    return row


def assessed(collection: Collection, document: str, spans: Any) -> list[tuple[str, bool]]:
    """Return the elements with highlighted text, which the exhaustivity phase assesses.

    Each comes with whether a complete passage lies in it, so that it cannot be too small.
    """
    found = []
    for path, start, length, _, _ in collection.elements(document):
        end = start + length
        touching = [(low, high) for low, high in spans if low < end and high > start]
        if touching:
            found.append((path, any(start <= low and high <= end for low, high in touching)))
    return found


# Documents by id or title -------------------------------------------------------------------------


FOUND = 20
"""Maximum number of documents that are shown."""
PATIENCE = 1.0
"""Time limit in seconds for reading titles, since a collection may be large."""
TITLES = frozenset({"title", "ti", "atl", "article-title", "name", "head", "headline", "h1"})
LONGEST = 200
"""Maximum number of characters of a title."""


def found(collection: Collection, sample: str, wanted: str) -> dict[str, Any]:
    """Return documents whose id or title contains the wanted letters.

    The answer also has the number of titles that were read and the number of documents. Ids have
    the form of the sample, which is an id of the pool.
    """
    letters = wanted.casefold()
    names = list(ids_like(collection, sample))
    chosen = [name for name in names if letters in name.casefold()][:FOUND]
    some = [[name, title_of(collection, name)] for name in chosen]
    read, end = 0, time.monotonic() + PATIENCE
    for name in names:
        if len(some) >= FOUND or time.monotonic() > end:
            break
        read += 1
        title = title_of(collection, name)
        if letters in title.casefold() and letters not in name.casefold():
            some.append([name, title])
    return {"found": some, "read": read, "documents": len(names), "more": len(some) >= FOUND}


def title_of(collection: Collection, name: str) -> str:
    """Return the text of a document's first title element; empty if there is none."""
    tree = collection.tree(name)
    codes = {code for code, tag in enumerate(tree.tags) if tag.lower() in TITLES}
    row = next((row for row, tag in enumerate(tree.tag.tolist()) if tag in codes), None)
    if row is None:
        return ""
    start, length = int(tree.start[row]), int(tree.length[row])
    return " ".join(collection.text(name, start, min(length, LONGEST)).split())


def ids_like(collection: Collection, sample: str) -> Iterator[str]:
    """Yield all document ids of a collection in the form that the pool uses."""
    like = PurePosixPath(sample)
    for one in collection.documents():
        if one.stated:
            yield one.name
            continue
        name = PurePosixPath(one.name)
        name = name if len(like.parts) > 1 else PurePosixPath(name.name)
        yield str(name if like.suffix == name.suffix else name.with_suffix(""))


# Regular expressions ------------------------------------------------------------------------------

LONGEST_PATTERN = 500
"""Maximum number of characters of an expression."""
MOST = 5000
"""Maximum number of matches."""
SECONDS = 0.2
"""Limit of processor time for an expression, in seconds."""
_PATIENCE = 20.0
_CHILD = """
import json, re, signal, sys
pattern, blocks, most, seconds = json.load(sys.stdin.buffer)
signal.setitimer(signal.ITIMER_PROF, seconds)
found = []
try:
    wanted = re.compile(pattern, re.IGNORECASE)
except (re.error, OverflowError, RecursionError) as error:
    json.dump({"error": str(error)}, sys.stdout)
    sys.exit()
for start, text in blocks:
    for one in wanted.finditer(text):
        if one.end() > one.start() and len(found) <= most:
            found.append([start + one.start(), start + one.end()])
json.dump({"spans": found[:most], "more": len(found) > most}, sys.stdout)
"""
_one_at_a_time = threading.Lock()


def matches(pattern: object, blocks: Iterable[tuple[int, int, str]]) -> dict[str, Any]:
    """Return the matches of an expression in the blocks of a document.

    The answer also states whether there are more matches than are returned.
    """
    if not isinstance(pattern, str) or not 0 < len(pattern) <= LONGEST_PATTERN:
        raise InputError(f"expected an expression of at most {LONGEST_PATTERN} characters")
    asked = [pattern, [(start, text) for _, start, text in blocks], MOST, SECONDS]
    with _one_at_a_time:
        child = subprocess.run(
            [sys.executable, "-I", "-S", "-c", _CHILD],
            input=json.dumps(asked).encode(),
            capture_output=True,
            timeout=_PATIENCE,
            check=False,
        )
    if child.returncode == -signal.SIGPROF:
        raise InputError(f"the expression takes longer than {SECONDS * 1000:.0f} ms; simplify it")
    answer: dict[str, Any] = json.loads(child.stdout) if child.returncode == 0 else {}
    if "spans" not in answer:
        raise InputError(f"invalid regular expression: {answer.get('error', 'it cannot be read')}")
    return answer
