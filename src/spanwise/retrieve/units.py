"""Units that an engine searches, and the index that is built of them.

Units are documents, elements or chunks of a collection. An index in a folder is built once and used
again as long as its engine, settings and texts are the same.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from spanwise.errors import InputError, UsageError
from spanwise.model.spans import Spans

if TYPE_CHECKING:
    from spanwise.model.arrays import IntArray
    from spanwise.model.documents import Collection, Document
    from spanwise.retrieve.registry import Engine, Searcher

Kind = Literal["document", "element", "chunk"]
SYNTAX = "document, element, element:TAG,TAG..., chunk:SIZE or chunk:SIZE/OVERLAP"
FILES = (
    *(".xml", ".txt", ".text", ".md", ".html", ".htm", ".xhtml", ".sgml", ".sgm"),
    *(".nxml", ".tei", ".dbk", ".json"),
)
BLOCKS = (
    *("title", "h1", "h2", "h3", "h4", "h5", "h6", "p", "pre", "blockquote", "address", "caption"),
    *("div", "article", "sec", "section", "main", "nav", "header", "footer", "figure"),
    *("list", "ul", "ol", "li", "dl", "dt", "dd", "table", "thead", "tbody", "tr", "th", "td"),
)
"""Elements whose ends always separate words."""


@dataclass(frozen=True, slots=True)
class Grain:
    """The kind of units and its parameters; sizes of chunks are in characters."""

    kind: Kind = "document"
    tags: tuple[str, ...] = ()
    size: int = 0
    overlap: int = 0

    def __str__(self) -> str:
        if self.kind == "chunk":
            return f"chunk:{self.size}" + (f"/{self.overlap}" if self.overlap else "")
        return ":".join(filter(None, (self.kind, ",".join(self.tags))))


def grain_of(text: str) -> Grain:
    """Parse a grain as it is written on the command line.

    >>> grain_of("element:sec,p")
    Grain(kind='element', tags=('sec', 'p'), size=0, overlap=0)
    >>> str(grain_of("chunk:800/100"))
    'chunk:800/100'
    """
    kind, _, rest = text.partition(":")
    if kind == "document" and not rest:
        return Grain()
    if kind == "element" and ":" not in text:
        return Grain("element")
    if kind == "element" and all(rest.split(",")):
        return Grain("element", tuple(rest.split(",")))
    found = re.fullmatch(r"([1-9]\d*)(?:/(\d+))?", rest)
    if kind == "chunk" and found:
        size, overlap = int(found[1]), int(found[2] or 0)
        if overlap < size:
            return Grain("chunk", (), size, overlap)
        raise UsageError(f"grain {text!r}: expected an overlap smaller than the size")
    raise UsageError(f"grain {text!r}; expected {SYNTAX}")


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """Units as columns: document, path of an element, and position in the document."""

    grain: Grain
    collection: Collection
    names: Sequence[str]  # of documents, as in the collection
    ids: Sequence[str]  # of documents, as in runs
    document: IntArray
    spans: Spans
    paths: Sequence[str]  # of elements; empty for other grains
    first: IntArray  # document d has the units first[d] to first[d + 1]
    own: bool = False  # whether the text of an element excludes smaller units

    def __len__(self) -> int:
        return len(self.document)

    def texts(self) -> Iterator[str]:
        """Yield the text of each unit, in order, as it is to be indexed.

        A space is inserted where one element ends and another begins, at empty elements, and around
        blocks. The last word of a paragraph and the first of the next are two words, as are those
        on both sides of a line break.
        """
        cut = own_texts if self.own else _all_texts
        for number, name in enumerate(self.names):
            spans = self.spans.at(slice(int(self.first[number]), int(self.first[number + 1])))
            text, seams = self._with_blanks(name)
            starts = spans.starts + np.searchsorted(seams, spans.starts, side="right")
            ends = spans.ends + np.searchsorted(seams, spans.ends, side="left")
            for one in cut(text, starts.tolist(), ends.tolist()):
                yield one.encode("latin-1").decode("utf-8", "replace") if self._bytes else one

    @property
    def _bytes(self) -> bool:
        """Whether positions count bytes; the text then has one character for each byte."""
        return self.collection.policy.unit == "bytes"

    def _with_blanks(self, name: str) -> tuple[str, IntArray]:
        """Return a document's text with spaces at element boundaries, and the boundaries."""
        text = self.collection.text(name)
        if self._bytes:
            text = text.encode().decode("latin-1")
        tree = self.collection.tree(name)
        ends = tree.start + tree.length
        block = np.isin(tree.tag, [code for code, tag in enumerate(tree.tags) if tag in BLOCKS])
        seams = np.union1d(np.intersect1d(tree.start, ends), (tree.start[block], ends[block]))
        bounds = [0, *seams.tolist(), len(text)]
        return " ".join(text[a:b] for a, b in pairwise(bounds)), seams


def _all_texts(text: str, starts: Sequence[int], ends: Sequence[int]) -> Iterator[str]:
    return (text[start:end] for start, end in zip(starts, ends, strict=True))


def own_texts(text: str, starts: Sequence[int], ends: Sequence[int]) -> list[str]:
    """Return the text of each span without that of the spans inside it.

    The spans are in the order of their start tags.

    >>> own_texts("abcdefgh", [0, 1, 2, 5], [8, 4, 3, 7])
    ['a e h', 'b d', 'c', 'fg']
    """
    pieces: list[list[str]] = [[] for _ in starts]
    place = list(starts)
    around: list[int] = []

    def close() -> None:
        row = around.pop()
        pieces[row].append(text[place[row] : ends[row]])

    for row, start in enumerate(starts):
        while around and ends[around[-1]] <= start:
            close()
        if around:
            pieces[around[-1]].append(text[place[around[-1]] : start])
            place[around[-1]] = ends[row]
        around.append(row)
    while around:
        close()
    return [" ".join(filter(None, some)) for some in pieces]


def units_of(collection: Collection, grain: Grain) -> Units:
    """Return all units of a collection; chunks end at white space if possible."""
    documents = list(collection.documents())
    names = [document.name for document in documents]
    paths: list[str] = []
    starts: list[IntArray] = []
    lengths: list[IntArray] = []
    for document in documents:
        if grain.kind == "document":
            starts.append(np.zeros(1, np.int64))
            lengths.append(np.array([document.length], np.int64))
        elif grain.kind == "chunk":
            text = collection.text(document.name)
            cuts = np.array(_chunks(text, grain), np.int64).reshape(-1, 2)
            if collection.policy.unit == "bytes":
                cuts = _byte_places(text)[cuts]
            starts.append(cuts[:, 0])
            lengths.append(cuts[:, 1] - cuts[:, 0])
        else:
            found, places = _elements(collection, document.name, grain.tags)
            paths += found
            starts.append(places.starts)
            lengths.append(places.lengths)
    counts = [len(one) for one in starts]
    if not sum(counts):
        raise InputError(
            f"found no {grain} in the collection; to list its documents: spanwise collection show"
        )
    return Units(
        grain,
        collection,
        names,
        ids_of(documents),
        np.repeat(np.arange(len(names)), counts),
        Spans(np.concatenate(starts), np.concatenate(lengths)),
        paths,
        np.concatenate([[0], np.cumsum(counts)]),
    )


def ids_of(documents: Sequence[Document]) -> list[str]:
    """Return the document ids used in runs: stated ids, or names made from file names.

    File names lose their extension, and their folders unless names would be equal.

    >>> from spanwise.model.documents import Document
    >>> files = [Document("a/x.xml", 5, 1), Document("b/y.xml", 5, 1)]
    >>> ids_of(files), ids_of([*files, Document("c/x.xml", 5, 1)])
    (['x', 'y'], ['a/x', 'b/y', 'c/x'])
    >>> ids_of([Document("AC/DC", 5, 1, stated=True), Document("x.html", 5, 1, stated=True)])
    ['AC/DC', 'x.html']
    """
    names = [document.name for document in documents]
    paths = [one.name if one.stated else _stem(one.name) for one in documents]
    short = [
        one.name if one.stated else path.rpartition("/")[2]
        for one, path in zip(documents, paths, strict=True)
    ]
    return next((ids for ids in (short, paths) if len(set(ids)) == len(ids)), names)


def _stem(name: str) -> str:
    ending = next((end for end in FILES if name.lower().endswith(end)), "")
    return name[: -len(ending)] if ending and len(name) > len(ending) else name


def _elements(
    collection: Collection, document: str, tags: tuple[str, ...]
) -> tuple[list[str], Spans]:
    """Return the elements that have text, of all tags or of the given ones."""
    tree = collection.tree(document)
    chosen = tree.length > 0
    if tags:
        codes = [code for code, tag in enumerate(tree.tags) if tag in tags]
        chosen &= np.isin(tree.tag, codes)
    rows = np.flatnonzero(chosen)
    paths = tree.paths()
    return [paths[row] for row in rows.tolist()], Spans(tree.start[rows], tree.length[rows])


def _byte_places(text: str) -> IntArray:
    """Return the byte offset of each character, followed by the length in bytes.

    >>> _byte_places("aéb").tolist()
    [0, 1, 3, 4]
    """
    begins = (np.frombuffer(text.encode(), np.uint8) & 0xC0) != 0x80
    return np.append(np.flatnonzero(begins), len(begins))


def _chunks(text: str, grain: Grain) -> list[tuple[int, int]]:
    """Split a text into windows.

    A window ends after white space if there is some in its second half.
    """
    cuts: list[tuple[int, int]] = []
    start = 0
    while start < len(text):
        end = min(start + grain.size, len(text))
        if end < len(text):
            blank = max(text.rfind(mark, start + grain.size // 2, end) for mark in " \n\t")
            end = blank + 1 if blank >= 0 else end
        if text[start:end].strip():
            cuts.append((start, end))
        if end == len(text):
            break
        start = max(end - grain.overlap, start + 1)
    return cuts


# Indexes ------------------------------------------------------------------------------------------


DESCRIPTION_FILE = "spanwise-index.json"


@contextmanager
def indexed(
    engine: Engine, name: str, units: Units, folder: str | None = None
) -> Iterator[Searcher]:
    """Open an index of units, in a permanent folder or in a temporary one."""
    place = Path(folder) if folder is not None else Path(mkdtemp(prefix="spanwise-index-"))
    try:
        if folder is None:
            engine.build(units.texts(), place)
        else:
            _prepare(engine, place, _description(engine, name, units), units)
        with engine.open(place) as searcher:
            yield searcher
    finally:
        if folder is None:
            shutil.rmtree(place, ignore_errors=True)


def _description(engine: Engine, name: str, units: Units) -> dict[str, Any]:
    """Return the description that must be equal for an index to be used again."""
    digest = blake2b(digest_size=16)
    for text in units.texts():
        digest.update(text.encode("utf-8", "surrogatepass") + b"\0")
    return {
        "format": "spanwise index/1",
        "engine": name,
        "settings": repr(engine),
        "grain": str(units.grain) + (" (own text)" if units.own else ""),
        "units": len(units),
        "texts": digest.hexdigest(),
    }


def _read_description(note: Path) -> dict[str, Any]:
    try:
        stored = json.loads(note.read_bytes())
    except (OSError, ValueError) as error:
        raise UsageError(
            f"{note}: cannot be read; choose another folder or remove this one"
        ) from error
    return stored if isinstance(stored, dict) else {}


def _prepare(engine: Engine, place: Path, about: dict[str, Any], units: Units) -> None:
    """Reuse an index or build it; the description file is written last."""
    note = place / DESCRIPTION_FILE
    if note.is_file():
        known = _read_description(note)
        if known == about:
            return
        other = next(key for key in about if known.get(key) != about[key])
        raise UsageError(
            f"{place}: found an index with {other} {known.get(other)!r}; expected"
            f" {about[other]!r}; choose another folder or remove this one"
        )
    if place.exists() and not (place.is_dir() and not any(place.iterdir())):
        raise UsageError(f"{place}: already exists and is not an index; expected a new folder")
    part = place.parent / f".{place.name}.part"
    shutil.rmtree(part, ignore_errors=True)
    try:
        part.mkdir(parents=True)
        engine.build(units.texts(), part)
        (part / DESCRIPTION_FILE).write_text(json.dumps(about, indent=1) + "\n")
        if place.exists():
            place.rmdir()
        part.rename(place)
    except OSError as error:
        raise UsageError(f"{place}: cannot be written ({error.strerror})") from error
    finally:
        shutil.rmtree(part, ignore_errors=True)
