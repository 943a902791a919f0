"""Where the elements of many documents lie: markup to columns, by array operations.

Bodies are laid end to end, some megabytes at a time, so that the cost per document is next to
nothing. They are known to be well formed; hence every `<` begins a tag, the n-th start tag of a
level belongs to the n-th end tag of that level, and the parent of an element is the last element
before it that is one level higher.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from spanwise.collection.keys import ROOT, step_keys
from spanwise.collection.parsing import DEEPEST, Body
from spanwise.collection.tags import WINDOW, TagTable
from spanwise.collection.texts import Texts, texts_between

if TYPE_CHECKING:
    from spanwise.model.arrays import BoolArray, FingerprintArray, IntArray
    from spanwise.model.documents import CharacterPolicy

TEXT_BEFORE, TEXT_AT_END = 1, 2
"""Flags of an element: a text node stands right before its start tag, or right before its end."""

_LESS, _GREATER, _SLASH = b"</>"[0], b"</>"[2], b"</>"[1]
_WHOLE_TAG = re.compile(rb"<[^\"'>]*+(?:\"[^\"]*+\"[^\"'>]*+|'[^']*+'[^\"'>]*+)*+>")
_PADDING = b"\0" * WINDOW


class TooDeep(Exception):
    """Some documents of a block are nested too deep."""

    def __init__(self, documents: list[int]) -> None:
        self.documents = documents
        super().__init__(documents)


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """The elements of some documents, document after document; parents count from each root."""

    tag: IntArray
    index: IntArray
    parent: IntArray
    depth: IntArray
    start: IntArray
    length: IntArray
    flags: IntArray
    key: FingerprintArray  # rising within each document
    key_row: IntArray  # the element that has it, counted from the root
    counts: IntArray  # elements of each document
    texts: Texts


@dataclass(frozen=True, slots=True, eq=False)
class _Tags:
    """All tags of a block, in order."""

    begins: IntArray
    ends: IntArray  # the closing bracket
    closing: BoolArray
    levels: IntArray  # of the element that a tag belongs to, 1 for roots
    openers: IntArray  # which tags start an element
    empty: BoolArray  # of those, which also end it


def columns_of(bodies: Sequence[Body], policy: CharacterPolicy, table: TagTable) -> Columns:
    """Everything that is kept of some documents."""
    markup = b"".join([*(body.markup for body in bodies), _PADDING])
    block = np.frombuffer(markup, np.uint8)[:-WINDOW]
    tags = _tags(markup, block)
    levels = tags.levels[tags.openers]
    roots = np.flatnonzero(levels == 1)
    if levels.max() > DEEPEST:
        owners = np.searchsorted(roots, np.flatnonzero(levels > DEEPEST), side="right") - 1
        raise TooDeep(np.unique(owners).tolist())
    names = [name for body in bodies for name in body.entities]
    texts = texts_between(block, tags.begins, tags.ends, tags.openers[roots], policy, names)
    closers = _closers(tags, levels)
    counts = np.diff(roots, append=len(levels))
    first = np.repeat(roots, counts)
    codes = table.codes_at(markup, tags.begins[tags.openers] + 1)
    parent, index, keys = _family(levels, codes, table.keys())
    order = _by_key(keys, np.repeat(np.arange(len(roots)), counts))
    start = texts.places[tags.openers]
    flags = TEXT_BEFORE * texts.nodes[tags.openers] + TEXT_AT_END * (
        texts.nodes[closers] & ~tags.empty
    )
    flags[roots] &= ~TEXT_BEFORE
    return Columns(
        tag=codes,
        index=index,
        parent=np.where(levels > 1, parent - first, -1),
        depth=levels,
        start=start - np.repeat(start[roots], counts),
        length=texts.places[closers] - start,
        flags=flags,
        key=keys[order],
        key_row=order - first,
        counts=counts,
        texts=texts,
    )


def _tags(markup: bytes, block: np.ndarray) -> _Tags:
    begins = np.flatnonzero(block == _LESS)
    ends = _tag_ends(markup, block, begins)
    closing = block[begins + 1] == _SLASH
    alone = ~closing & (block[ends - 1] == _SLASH)
    openers = np.flatnonzero(~closing)
    change = 1 - 2 * closing.astype(np.int32)
    change[alone] = 0
    levels = np.cumsum(change, dtype=np.int64)
    levels += closing | alone
    return _Tags(begins, ends, closing, levels, openers, alone[openers])


def _tag_ends(markup: bytes, block: np.ndarray, begins: IntArray) -> IntArray:
    """The bracket that closes each tag: the first one after it that is not inside quotes."""
    brackets = np.flatnonzero(block == _GREATER)
    if len(brackets) == len(begins):
        return brackets
    first = np.searchsorted(brackets, begins)
    ends = brackets[first]
    crowded = np.flatnonzero(np.diff(first, append=len(brackets)) > 1)
    quotes = np.flatnonzero((block == ord('"')) | (block == ord("'")))
    quoting = np.searchsorted(quotes, begins[crowded]) < np.searchsorted(quotes, ends[crowded])
    for tag in crowded[quoting].tolist():
        found = _WHOLE_TAG.match(markup, int(begins[tag]))
        ends[tag] = found.end() - 1 if found else ends[tag]
    return ends


def _closers(tags: _Tags, levels: IntArray) -> IntArray:
    """For every element the tag that ends it."""
    closers = tags.openers.copy()
    paired = np.flatnonzero(~tags.empty)
    ends = np.flatnonzero(tags.closing)
    starts_by_level = _by_level(levels[paired])
    ends_by_level = _by_level(tags.levels[ends])
    closers[paired[starts_by_level]] = ends[ends_by_level]
    return closers


def _by_level(levels: IntArray) -> IntArray:
    """Rows by rising level, in their order within each; short numbers are sorted by radix."""
    return np.argsort(levels.astype(np.uint16), kind="stable")


def _by_key(keys: FingerprintArray, owners: IntArray) -> IntArray:
    """Rows by rising key within each document: by document and most of the key in one number."""
    if owners[-1] < 1 << 16:
        both = owners.astype(np.uint64) << np.uint64(48) | keys >> np.uint64(16)
        order = np.argsort(both, kind="stable")
        if (np.diff(both[order]) > 0).all():
            return order
    return np.lexsort((keys, owners))


def _family(
    levels: IntArray, codes: IntArray, tag_keys: FingerprintArray
) -> tuple[IntArray, IntArray, FingerprintArray]:
    """Parent, number among siblings of one name, and key of every element."""
    order = _by_level(levels)
    bounds = np.concatenate([[0], np.cumsum(np.bincount(levels)[1:])]).tolist()
    parent = np.full(len(levels), -1)
    index = np.ones(len(levels), np.int64)
    keys = np.empty(len(levels), np.uint64)
    own = tag_keys[codes]
    above = order[: bounds[1]]
    keys[above] = step_keys(np.full(len(above), ROOT, np.uint64), own[above], index[above])
    for begin, end in pairwise(bounds[1:]):
        rows = order[begin:end]
        parents = above[np.searchsorted(above, rows) - 1]
        parent[rows] = parents
        index[rows] = numbers = _numbered(parents * len(tag_keys) + codes[rows])
        keys[rows] = step_keys(keys[parents], own[rows], numbers)
        above = rows
    return parent, index, keys


def _numbered(groups: IntArray) -> IntArray:
    """The number of each row within its group, from 1.

    >>> _numbered(np.array([7, 7, 3, 7, 3])).tolist()
    [1, 2, 1, 3, 2]
    """
    order = np.argsort(groups, kind="stable")
    sorted_groups = groups[order]
    begins = np.flatnonzero(np.diff(sorted_groups, prepend=-1))
    sizes = np.diff(begins, append=len(groups))
    numbers = np.empty(len(groups), np.int64)
    numbers[order] = np.arange(1, len(groups) + 1) - np.repeat(begins, sizes)
    return numbers
