"""Names by which documents are found.

A document is found by its file name, by its path, and by the end of its path, each with and without
extension: archives and lists often put folders before the id that a campaign uses. The keys of all
these names are stored in one sorted column. A name of several documents is ambiguous, unless it is
the whole path of one of them.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, Any
from warnings import warn

import numpy as np

from spanwise.collection.arrow import Layout, Numbers, mapped, write
from spanwise.collection.positions import name_key
from spanwise.collection.shards import Note, table_file
from spanwise.errors import SpanwiseWarning

if TYPE_CHECKING:
    from spanwise.model.arrays import FingerprintArray, IntArray

NAMES = "names.arrow"


def whole_names(name: bytes) -> list[bytes]:
    """Return the path of a document, with and without its extension.

    >>> whole_names(b"co/2001/r7022.xml")
    [b'co/2001/r7022.xml', b'co/2001/r7022']
    """
    folder, slash, base = name.rpartition(b"/")
    stem, dot, _ = base.rpartition(b".")
    return [name, folder + slash + stem] if dot and stem else [name]


def names_of(name: bytes) -> list[bytes]:
    """Return all names of a document, the full name first.

    >>> names_of(b"2001/r7022.xml")
    [b'2001/r7022.xml', b'r7022.xml', b'2001/r7022', b'r7022']
    >>> names_of(b"r7022")
    [b'r7022']
    """
    paths = [whole.split(b"/") for whole in whole_names(name)]
    return [b"/".join(path[first:]) for path in paths for first in range(len(path))]


def names_in(folder: Path, note: Note) -> Iterator[bytes]:
    """Yield the full names of the documents of a shard."""
    where = note.columns["documents"]["name"]
    path = table_file(folder, "documents", note.number)
    bounds = mapped(path, where["bounds"]).tolist()
    data = mapped(path, where["bytes"]).tobytes()
    return (data[begin:end] for begin, end in pairwise(bounds))


def write_names(folder: Path, notes: Sequence[Note]) -> Layout:
    """Write the table of names of a store; documents are numbered across shards."""
    full = array("Q")
    number = 0
    with TemporaryFile(dir=folder) as stream:
        table = _ExternalSort(stream)
        for note in notes:
            keys, documents = array("Q"), array("I")
            for name in names_in(folder, note):
                own = [name_key(each) for each in names_of(name)]
                full.append(own[0])
                keys.extend(own)
                documents.extend([number] * len(own))
                number += 1
            table.add(keys, documents)
        _warn_doubles(number - len(np.unique(np.frombuffer(full, np.uint64))))
        columns = {"key": "<u8", "document": "<u4"}
        return write(
            folder / NAMES,
            [
                Numbers(name, kind, table.column(name), rows=table.rows)
                for name, kind in columns.items()
            ],
        )


def _warn_doubles(count: int) -> None:
    if count:
        warn(
            f"{count} documents have exactly the path and name of another one and cannot be"
            " selected; pass the folder that contains them all, or a list of files",
            SpanwiseWarning,
            stacklevel=2,
        )


_ROW = np.dtype([("key", "<u8"), ("document", "<u4")])
_EDGES = np.arange(256, dtype=np.uint64) << np.uint64(56)
"""Bounds of ranges of keys, which are spread evenly over them."""
AT_ONCE = 250_000
"""Number of rows that are sorted together."""


class _ExternalSort:
    """An external sort of rows by key: each shard is sorted in memory and written to a file."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._bounds: list[IntArray] = []  # for each shard, where in the file its ranges begin
        self.rows = 0

    def add(self, keys: array[int], documents: array[int]) -> None:
        """Add the rows of a shard."""
        rows = np.empty(len(keys), _ROW)
        rows["key"], rows["document"] = keys, documents
        rows = rows[np.argsort(rows["key"], kind="stable")]
        bounds = np.append(np.searchsorted(rows["key"], _EDGES), len(rows))
        self._bounds.append(bounds + self.rows)
        self.rows += len(rows)
        self._stream.write(rows.tobytes())

    def column(self, name: str) -> Iterator[np.ndarray[Any, Any]]:
        """Yield one column of all rows in order, in parts."""
        bounds = np.array(self._bounds)
        sizes = np.diff(bounds, axis=1).sum(axis=0)
        steps = np.flatnonzero(np.diff(np.cumsum(sizes) // AT_ONCE, prepend=-1))
        for begin, end in pairwise([*steps.tolist(), len(_EDGES)]):
            runs = [self._read(*run) for run in bounds[:, [begin, end]].tolist()]
            rows = np.concatenate(runs)
            yield rows[name][np.argsort(rows["key"], kind="stable")]

    def _read(self, begin: int, end: int) -> np.ndarray[Any, Any]:
        self._stream.seek(begin * _ROW.itemsize)
        return np.frombuffer(self._stream.read((end - begin) * _ROW.itemsize), _ROW)


class NameTable:
    """A sorted table from names to numbers of documents."""

    def __init__(self, path: Path, layout: Layout) -> None:
        self._keys: FingerprintArray = mapped(path, layout["key"])
        self._documents: IntArray = mapped(path, layout["document"])

    def numbers(self, names: Sequence[bytes]) -> tuple[IntArray, IntArray]:
        """Return the first document of each name, -1 for none, and the number of documents."""
        keys = np.array([name_key(name) for name in names], np.uint64)
        first = np.searchsorted(self._keys, keys)
        counts = np.searchsorted(self._keys, keys, side="right") - first
        found = np.minimum(first, len(self._keys) - 1)
        return np.where(counts > 0, self._documents[found].astype(np.int64), -1), counts

    def all_named(self, name: bytes) -> list[int]:
        """Return the numbers of all documents with a name."""
        key = np.uint64(name_key(name))
        first, end = (np.searchsorted(self._keys, key, side) for side in ("left", "right"))
        return self._documents[first:end].tolist()
