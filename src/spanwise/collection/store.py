"""Open stores: documents and their elements, mapped into memory when needed."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spanwise.collection.arrow import mapped
from spanwise.collection.building import HEADER, is_store
from spanwise.collection.names import NAMES, NameTable, names_in, whole_names
from spanwise.collection.positions import TEXT_AT_END, TEXT_BEFORE, PathKeys
from spanwise.collection.shards import FORMAT_VERSION, Note, read_note, table_file
from spanwise.errors import InputError
from spanwise.model.columns import Coded
from spanwise.model.documents import CharacterPolicy, Document, Element, Name, Tree
from spanwise.model.spans import UNKNOWN, Spans

if TYPE_CHECKING:
    from spanwise.model.arrays import FingerprintArray, IntArray

# Paths, points and rows --------------------------------------------------------------------------

_POINT = re.compile(rb"(.+)/text\(\)\[([1-9]\d{0,9})\](?:\.(\d{1,10}))?")


class Point(NamedTuple):
    """A text node of an element, or a place in it."""

    element: bytes
    node: int  # number of the text node, from 1
    offset: int | None  # None for the whole node


def point_of(path: bytes) -> Point | None:
    """Parse a path that ends in a text node, or return None.

    >>> point_of(b"/article[1]/p[2]/text()[3].17")
    Point(element=b'/article[1]/p[2]', node=3, offset=17)
    """
    found = _POINT.fullmatch(path)
    if found is None:
        return None
    offset = int(found[3]) if found[3] is not None else None
    return Point(found[1], int(found[2]), offset)


def rows_of(
    keys: FingerprintArray, wanted: FingerprintArray, begins: IntArray, ends: IntArray
) -> IntArray:
    """Return where each wanted key is between its begin and end, or -1.

    Keys are ascending from begin to end. All binary searches run together, with as many steps as
    the longest one.
    """
    low, high = begins.copy(), ends.copy()
    last = max(len(keys) - 1, 0)
    for _ in range(int((ends - begins).max(initial=0)).bit_length()):
        middle = (low + high) >> 1
        below = keys[np.minimum(middle, last)] < wanted
        below &= low < high
        low = np.where(below, middle + 1, low)
        high = np.where(below, high, np.maximum(middle, low))
    found = low < ends
    found[found] = keys[low[found]] == wanted[found]
    return np.where(found, low, -1)


class TextNodes:
    """The text nodes of one document, given its columns."""

    def __init__(
        self, parent: IntArray, start: IntArray, length: IntArray, flags: IntArray
    ) -> None:
        self._start, self._end, self._flags = start, start + length, flags
        self._children = np.argsort(parent, kind="stable")
        self._parents = parent[self._children]

    def of(self, row: int) -> list[tuple[int, int]]:
        """Return start and length of every text node of an element."""
        first, last = np.searchsorted(self._parents, [row, row + 1]).tolist()
        children = self._children[first:last]
        bounds = zip(
            self._flags[children].tolist(),
            self._start[children].tolist(),
            self._end[children].tolist(),
            strict=True,
        )
        nodes = []
        place = int(self._start[row])
        for flags, start, end in bounds:
            if flags & TEXT_BEFORE:
                nodes.append((place, start - place))
            place = end
        if self._flags[row] & TEXT_AT_END:
            nodes.append((place, int(self._end[row]) - place))
        return nodes


def place_in(nodes: list[tuple[int, int]], point: Point) -> tuple[int, int] | None:
    """Return the span of a point, or None if the node does not exist or is shorter."""
    if point.node > len(nodes):
        return None
    start, length = nodes[point.node - 1]
    if point.offset is None:
        return start, length
    return (start + point.offset, 0) if point.offset <= length else None


# The store ---------------------------------------------------------------------------------------

_MOST_REMEMBERED = 1_000_000


class Store:
    """A built collection; see `spanwise.model.documents.Collection` for its methods."""

    def __init__(self, path: str, called: str | None = None) -> None:
        self._path = Path(path)
        self._called = called or path  # name in messages
        self._shards: dict[int, _Shard] = {}
        try:
            header = _header(self._path)
            self.policy = CharacterPolicy(**header["policy"])
            self._characters = int(header["characters"])
            self._starts = np.cumsum([0, *header["shards"]])
            self._names = NameTable(self._path / NAMES, header["names"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise InputError(f"{self._called}: the store is damaged; build it again") from error
        self._numbers: dict[bytes, int] = {}
        self._keys = PathKeys()
        self._latest: tuple[_Shard | None, int, str | bytes] = None, -1, b""

    def __len__(self) -> int:
        return int(self._starts[-1])

    def __contains__(self, document: object) -> bool:
        return isinstance(document, str | bytes) and self._numbered([_bytes(document)])[0] >= 0

    def documents(self) -> Iterator[Document]:
        """Yield all documents in the order in which they were read."""
        for number in range(len(self._starts) - 1):
            yield from self._shard(number).documents()

    def numbers(self, documents: Sequence[Name]) -> IntArray:
        """Return the numbers of the documents with these ids, -1 for unknown ones."""
        return self._numbered(_all_bytes(documents))

    def length(self, document: Name) -> int:
        """Return the number of characters of a document."""
        shard, row = self._place(document)
        return int(shard.length[row])

    def lengths(self, documents: Sequence[Name]) -> IntArray:
        """Return the numbers of characters of documents, -1 for unknown ones."""
        numbers = self._numbered(_all_bytes(documents))
        lengths = np.full(len(numbers), UNKNOWN)
        for shard, positions, rows in self._by_shard(numbers):
            lengths[positions] = shard.length[rows]
        return lengths

    def mean_length(self) -> float:
        """Return the mean length of all documents."""
        return self._characters / len(self) if len(self) else math.nan

    def tree(self, document: Name) -> Tree:
        """Return the elements of a document as columns."""
        shard, row = self._place(document)
        return shard.tree(row)

    def elements(self, document: Name) -> Sequence[Element]:
        """Return the elements of a document, in the order of their start tags."""
        return self.tree(document).elements()

    def span(self, document: Name, path: Name) -> tuple[int, int]:
        """Return start and length of an element, a text node, or (length 0) a point in one."""
        self._place(document)
        found = self.spans([document], [path])
        if found.starts[0] == UNKNOWN:
            name, where = (_bytes(each).decode(*_LOSSY) for each in (document, path))
            is_path = self._wanted([_bytes(path)])[1][0]
            advice = "write paths as /name[1]/name[2], points as /text()[1].0"
            if is_path:
                advice = f"the nearest existing path is {self._nearest(document, where)!r}"
            raise InputError(f"{self._called}: document {name!r} has no {where!r}; {advice}")
        return int(found.starts[0]), int(found.lengths[0])

    def _nearest(self, document: Name, path: str) -> str:
        """Return the longest prefix of a path that a document has, or else its root."""
        while path := path.rpartition("/")[0]:
            if self.spans([document], [path]).starts[0] != UNKNOWN:
                return path
        return self.tree(document).paths()[0]

    def spans(self, documents: Sequence[Name], paths: Sequence[Name]) -> Spans:
        """Return starts and lengths of elements or points, -1 if document or path is unknown."""
        numbers = self._numbered(_all_bytes(documents))
        wanted, known, points = self._wanted(_all_bytes(paths))
        numbers[~known] = -1
        starts, lengths = np.full(len(numbers), UNKNOWN), np.full(len(numbers), UNKNOWN)
        for shard, positions, rows in self._by_shard(numbers):
            elements = shard.find(rows, wanted[positions])
            found = elements >= 0
            starts[positions[found]] = shard.start[elements[found]]
            lengths[positions[found]] = shard.element_length[elements[found]]
            if points:
                _resolve(
                    shard, positions[found], rows[found], elements[found], points, starts, lengths
                )
        return Spans(starts, lengths)

    def text(self, document: Name, start: int = 0, length: int | None = None) -> str:
        """Return the text of a document, or a part of it."""
        shard, row = self._place(document)
        end = int(shard.length[row]) if length is None else start + length
        piece = self._content(shard, row)[start:end]
        return piece if isinstance(piece, str) else piece.decode(*_LOSSY)

    def _content(self, shard: _Shard, row: int) -> str | bytes:
        """Return a document's text in counted units, caching the latest for sequential reading."""
        latest, number, content = self._latest
        if latest is not shard or number != row:
            data = shard.text(row)
            counted = self.policy.unit == "bytes" or len(data) == shard.length[row]
            content = data if counted else data.decode()
            self._latest = shard, row, content
        return content

    def entities(self, document: Name) -> dict[int, str]:
        """Return the places of unknown characters of a document and the names of their entities."""
        shard, row = self._place(document)
        return shard.entities(row)

    def _wanted(
        self, paths: Sequence[bytes]
    ) -> tuple[FingerprintArray, np.ndarray[Any, Any], dict[int, Point]]:
        """Return keys of elements, whether they are valid, and the points in them."""
        if len(self._keys) > _MOST_REMEMBERED:
            self._keys = PathKeys()
        if isinstance(paths, Coded):
            return _expanded(paths.codes, *self._wanted(paths.names))
        keys = self._keys
        found = [keys[path] for path in paths]
        points: dict[int, Point] = {}
        for row in [row for row, key in enumerate(found) if key is None]:
            if (point := point_of(paths[row])) is not None:
                found[row] = keys[point.element]
                points[row] = point
        known = np.array([key is not None for key in found], np.bool_)
        return np.array([key or 0 for key in found], np.uint64), known, points

    def _numbered(self, names: Sequence[bytes]) -> IntArray:
        """Return the numbers of documents, -1 for unknown ones; results are cached."""
        if isinstance(names, Coded):
            return self._numbered(names.names)[names.codes]
        known = self._numbers
        new = list({name for name in names if name not in known})
        if new:
            if len(known) > _MOST_REMEMBERED:
                known.clear()
                new = list(set(names))
            numbers, counts = self._names.numbers(new)
            for name, number, count in zip(new, numbers.tolist(), counts.tolist(), strict=True):
                known[name] = number if count < 2 else self._with_path(name, names)
        return np.array([known[name] for name in names], np.int64)

    def _with_path(self, name: bytes, in_use: Sequence[bytes]) -> int:
        """Return, of several documents with a name, the one with exactly this path."""
        several = self._names.all_named(name)
        full = [each for each in several if self._name(each) == name]  # with its extension
        if not full and any(b"/" in other for other in in_use):  # ids are paths
            full = [each for each in several if name in whole_names(self._name(each))]
        if len(full) == 1:
            return full[0]
        advice = "" if full or b"/" in name else "; use its path"
        raise InputError(
            f"{self._called}: {len(full) or len(several)} documents have the name"
            f" {name.decode(*_LOSSY)!r}{advice}"
        )

    def _name(self, number: int) -> bytes:
        """Return the whole path of a document."""
        shard = int(np.searchsorted(self._starts, number, side="right")) - 1
        return self._shard(shard).name(number - int(self._starts[shard]))

    def _place(self, document: Name) -> tuple[_Shard, int]:
        """Return the shard of a document and its row there."""
        number = int(self._numbered([_bytes(document)])[0])
        if number < 0:
            name = _bytes(document).decode(*_LOSSY)
            raise InputError(
                f"{self._called}: no document {name!r}; list the documents with:"
                f" spanwise collection show {self._called}"
            )
        shard = int(np.searchsorted(self._starts, number, side="right")) - 1
        return self._shard(shard), number - int(self._starts[shard])

    def _by_shard(self, numbers: IntArray) -> Iterator[tuple[_Shard, IntArray, IntArray]]:
        """Yield each shard with the requested documents in it: their positions and rows."""
        owners = np.searchsorted(self._starts, numbers, side="right") - 1
        order = np.argsort(owners, kind="stable")
        order = order[numbers[order] >= 0]
        cuts = np.flatnonzero(np.diff(owners[order])) + 1
        for positions in np.split(order, cuts) if len(order) else ():
            owner = int(owners[positions[0]])
            yield self._shard(owner), positions, numbers[positions] - self._starts[owner]

    def _shard(self, number: int) -> _Shard:
        if number not in self._shards:
            note = read_note(self._path, number)
            if note is None:
                raise InputError(f"{self._path}: shard {number} is damaged; build the store again")
            self._shards[number] = _Shard(self._path, note)
        return self._shards[number]


_LOSSY = ("utf-8", "replace")


def _bytes(name: Name) -> bytes:
    return name if isinstance(name, bytes) else name.encode("utf-8", "surrogateescape")


def _expanded(
    codes: IntArray,
    wanted: FingerprintArray,
    known: np.ndarray[Any, Any],
    points: dict[int, Point],
) -> tuple[FingerprintArray, np.ndarray[Any, Any], dict[int, Point]]:
    """Return what was found for distinct names, for all rows that have them."""
    rows = np.flatnonzero(np.isin(codes, list(points))).tolist() if points else ()
    return wanted[codes], known[codes], {row: points[int(codes[row])] for row in rows}


def _all_bytes(names: Sequence[Name]) -> Sequence[bytes]:
    if isinstance(names, Coded):
        return names
    return [name if isinstance(name, bytes) else _bytes(name) for name in names]


def _header(path: Path) -> dict[str, Any]:
    if not is_store(path):
        raise InputError(f"{path}: not a store; build one with: spanwise collection build")
    header: dict[str, Any] = json.loads((path / HEADER).read_bytes())
    if header["version"] != FORMAT_VERSION:
        raise InputError(
            f"{path}: a store of version {header['version']}; expected version {FORMAT_VERSION};"
            " build it again"
        )
    return header


def _resolve(
    shard: _Shard,
    positions: IntArray,
    rows: IntArray,
    elements: IntArray,
    points: dict[int, Point],
    starts: IntArray,
    lengths: IntArray,
) -> None:
    """Replace elements by the points in them."""
    documents: dict[int, TextNodes] = {}
    nodes: dict[int, list[tuple[int, int]]] = {}
    for each, row, element in zip(
        positions.tolist(), rows.tolist(), elements.tolist(), strict=True
    ):
        if each in points:
            if row not in documents:
                documents[row] = shard.text_nodes(row)
            if element not in nodes:
                nodes[element] = documents[row].of(element - shard.first(row))
            place = place_in(nodes[element], points[each])
            starts[each], lengths[each] = place or (UNKNOWN, UNKNOWN)


class _Shard:
    """The columns of one shard, each mapped on first use."""

    def __init__(self, folder: Path, note: Note) -> None:
        self._folder, self._note = folder, note
        self._columns: dict[tuple[str, ...], np.ndarray[Any, Any]] = {}

    def _column(self, *place: str) -> np.ndarray[Any, Any]:
        """Return a column by table and name, or a part of a column of strings."""
        if place not in self._columns:
            table, name, *part = place
            where = self._note.columns[table][name]
            file = table_file(self._folder, table, self._note.number)
            try:
                self._columns[place] = mapped(file, where[part[0]] if part else where)
            except (OSError, ValueError) as error:
                reason = getattr(error, "strerror", None) or error
                raise InputError(f"{file}: cannot be read ({reason})") from error
        return self._columns[place]

    @property
    def length(self) -> IntArray:
        """Return the number of characters of each document."""
        return self._column("documents", "length")

    @property
    def _counts(self) -> IntArray:
        return self._column("documents", "elements")

    @property
    def _first(self) -> IntArray:
        return self._column("documents", "first_element")

    @property
    def start(self) -> IntArray:
        """Return where each element begins."""
        return self._column("elements", "start")

    @property
    def element_length(self) -> IntArray:
        """Return the number of characters of each element."""
        return self._column("elements", "length")

    @property
    def _path_keys(self) -> FingerprintArray:
        return self._column("elements", "key")

    @property
    def _path_rows(self) -> IntArray:
        return self._column("elements", "key_row")

    @property
    def _text_bounds(self) -> IntArray:
        return self._column("documents", "text", "bounds")

    @property
    def _text(self) -> np.ndarray[Any, Any]:
        return self._column("documents", "text", "bytes")

    def documents(self) -> Iterator[Document]:
        """Yield the documents with their names and sizes."""
        names = names_in(self._folder, self._note)
        stated = self._column("documents", "stated").astype(np.bool_).tolist()
        rows = zip(names, self.length.tolist(), self._counts.tolist(), stated, strict=True)
        return (Document(name.decode(), *about) for name, *about in rows)

    def name(self, row: int) -> bytes:
        """Return the path of a document."""
        begin, end = self._column("documents", "name", "bounds")[row : row + 2].tolist()
        return self._column("documents", "name", "bytes")[begin:end].tobytes()

    def find(self, rows: IntArray, wanted: FingerprintArray) -> IntArray:
        """Return the elements with these keys in these documents, or -1."""
        begins = self._first[rows].astype(np.int64)
        found = rows_of(self._path_keys, wanted, begins, begins + self._counts[rows])
        return np.where(found >= 0, begins + self._path_rows[found], -1)

    def tree(self, row: int) -> Tree:
        """Return the elements of a document as a tree."""
        names = ("tag", "index", "parent", "depth", "start", "length")
        return Tree(self._note.tags, *(self._of_document(row, name) for name in names))

    def text(self, row: int) -> bytes:
        """Return the text of a document in UTF-8."""
        begin, end = self._text_bounds[row : row + 2].tolist()
        return self._text[begin:end].tobytes()

    def first(self, row: int) -> int:
        """Return where the elements of a document begin."""
        return int(self._first[row])

    def text_nodes(self, row: int) -> TextNodes:
        """Return the text nodes of a document."""
        names = ("parent", "start", "length", "flags")
        return TextNodes(*(self._of_document(row, name) for name in names))

    def entities(self, row: int) -> dict[int, str]:
        """Return the unknown characters of a document by place."""
        bounds = self._column("entities", "name", "bounds").tolist()
        data = self._column("entities", "name", "bytes").tobytes()
        places = self._column("entities", "place")
        rows = np.flatnonzero(self._column("entities", "document") == row)
        return {int(places[i]): data[bounds[i] : bounds[i + 1]].decode() for i in rows.tolist()}

    def _of_document(self, row: int, name: str) -> IntArray:
        begin = self.first(row)
        values = self._column("elements", name)[begin : begin + int(self._counts[row])]
        return values.astype(np.int64)
