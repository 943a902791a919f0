"""Positions of the elements of many documents: markup to columns, by array operations.

Documents are concatenated, some megabytes at a time, so that the cost per document is negligible.
They are known to be well-formed. Therefore every `<` begins a tag, the n-th start tag of a level
belongs to the n-th end tag of that level, and the parent of an element is the last element before
it that is one level higher.

The keys of documents and of element paths are 64 bits long. That of a path is computed from the
key of its parent and its last step, so that the keys of a million elements are columns, without
writing out a path. Keys are compared within one document only; two different paths of it have the
same key with a probability of 2**-64.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from spanwise.collection.parsing import (
    AMPERSAND,
    APOSTROPHE,
    DEEPEST,
    GREATER,
    LESS,
    QUOTE,
    REPLACEMENT,
    UNKNOWN,
    Body,
)

if TYPE_CHECKING:
    from spanwise.model.arrays import BoolArray, FingerprintArray, IntArray
    from spanwise.model.documents import CharacterPolicy


# Keys ---------------------------------------------------------------------------------------------


ROOT = 0x9E3779B97F4A7C15
"""Key of the empty path."""
_SPREAD = 0xD1342543DE82EF95
_PARENT = 0xBF58476D1CE4E5B9
_MIX = 0x94D049BB133111EB
_BITS = (1 << 64) - 1


def name_key(name: bytes) -> int:
    """Return the key of a name: of a document, or of an element's tag."""
    return int.from_bytes(blake2b(name, digest_size=8).digest(), "little")


def step_keys(parents: FingerprintArray, tags: FingerprintArray, index: object) -> FingerprintArray:
    """Return the keys of children from the keys of their parents and tags, and their indexes."""
    mixed = np.asarray(index).astype(np.uint64)
    mixed *= np.uint64(_SPREAD)
    mixed += tags
    mixed += parents * np.uint64(_PARENT)
    mixed ^= mixed >> np.uint64(32)
    mixed *= np.uint64(_MIX)
    mixed ^= mixed >> np.uint64(29)
    return mixed


def step_key(parent: int, tag: int, index: int) -> int:
    """Return the key of one child, as `step_keys` does for many."""
    mixed = (index * _SPREAD + tag + parent * _PARENT) & _BITS
    mixed ^= mixed >> 32
    mixed = mixed * _MIX & _BITS
    return mixed ^ (mixed >> 29)


class PathKeys:
    """A cache of the keys of written paths and their prefixes."""

    def __init__(self) -> None:
        self._paths: dict[bytes, int | None] = {b"": ROOT}
        self._tags: dict[bytes, int] = {}

    def __len__(self) -> int:
        return len(self._paths)

    def __getitem__(self, path: bytes) -> int | None:
        """Return the key of a path, or None if it is not of the form `/name[n]/name[n]...`."""
        try:
            return self._paths[path]
        except KeyError:
            pass
        missing = [path]
        while (parent := missing[-1].rpartition(b"/")[0]) not in self._paths:
            if not missing[-1]:
                break
            missing.append(parent)
        for each in reversed(missing):
            self._paths[each] = self._step(each)
        return self._paths[path]

    def _step(self, path: bytes) -> int | None:
        head, slash, step = path.rpartition(b"/")
        parent = self._paths.get(head)
        tag, bracket, number = step.partition(b"[")
        digits = number[:-1]
        if (
            parent is None
            or not (slash and tag and bracket and number.endswith(b"]"))
            or tag.endswith(b"()")
            or not digits.isdigit()
            or digits.startswith(b"0")
            or len(digits) > 10
        ):
            return None
        if tag not in self._tags:
            self._tags[tag] = name_key(tag)
        return step_key(parent, self._tags[tag], int(digits))


# Positions ----------------------------------------------------------------------------------------


# Tag names ---------------------------------------------------------------------------------------
#
# Names of tags are turned into codes, thousands at once. A name of up to 31 bytes is read as two
# 64-bit numbers (its first eight bytes, and a mixture of the others) and looked up in a table
# without collisions. If a new name collides with a known one, another multiplier is chosen that
# spreads the names over the table. A collision-free table grows with the square of the number of
# names, so thousands of names are sorted instead and found by binary search. Longer names are rare
# and looked up one by one.

WINDOW = 32
"""Number of bytes that are read after the start of a name."""

_NAME = re.compile(rb"[^ \t\n/>]+")
_WORD = 8  # bytes
_AT_ONCE = 2000  # minimum number of names among which new ones are searched
_FACTORS = np.array([1, 0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F], np.uint64)
_MOST_BITS = 20  # maximum number of bits of a slot number
_MOST_SPREAD = 2000  # maximum number of names that are likely to fit without collision
_ONES = np.uint64(0x0101010101010101)
_TOPS = np.uint64(0x8080808080808080)
_SLASHES, _BRACKETS, _LOWEST = (np.uint64(int(_ONES) * code) for code in b"/>-")
_MULTIPLIERS = np.random.default_rng(1).integers(0, 1 << 64, (64, 2), np.uint64) | np.uint64(1)


class TagTable:
    """A table of names and their codes, in order of appearance."""

    def __init__(self) -> None:
        self.names: list[bytes] = []
        self._codes: dict[bytes, int] = {}
        self._keys: list[int] = []
        self._short: list[tuple[int, int, int]] = []  # two numbers and a code
        self._spread, self._bits = 0, 10
        self._sorted: FingerprintArray | None = (
            None  # mixtures, if there are too many names to spread
        )
        self._fill()

    def keys(self) -> FingerprintArray:
        """Return the 64-bit keys of all names, by code."""
        return np.array(self._keys, np.uint64)

    def code(self, name: bytes) -> int:
        """Return the code of a name, adding the name if it is new."""
        code = self._codes.setdefault(name, len(self.names))
        if code == len(self.names):
            self.names.append(name)
            self._keys.append(name_key(name))
        return code

    def codes_at(self, markup: bytes, places: IntArray) -> IntArray:
        """Return the codes of the names that begin at these places of a block of markup.

        The block must continue for `WINDOW` bytes after the last place.
        """
        first, second, short = _as_numbers(markup, places)
        codes = self._found(first, second)
        while len(new := np.flatnonzero((codes < 0) & short)[: max(_AT_ONCE, len(self.names))]):
            self._learn(
                markup, places[new], zip(first[new].tolist(), second[new].tolist(), strict=True)
            )
            codes = self._found(first, second)
        for row in np.flatnonzero(~short).tolist():
            codes[row] = self.code(_name_at(markup, int(places[row])))
        return codes

    def _mixed(self, first: FingerprintArray, second: FingerprintArray) -> FingerprintArray:
        one, other = _MULTIPLIERS[self._spread]
        return first * one + second * other

    def _slots(self, first: FingerprintArray, second: FingerprintArray) -> FingerprintArray:
        """Return the slots of names given as numbers, if they are in the table."""
        mixed = self._mixed(first, second)
        if self._sorted is None:
            return mixed >> np.uint64(64 - self._bits)
        found = np.searchsorted(self._sorted, mixed)
        return np.minimum(found, len(self._sorted) - 1).astype(np.uint64)

    def _found(self, first: FingerprintArray, second: FingerprintArray) -> IntArray:
        """Return the codes of names given as numbers, -1 for names that are not in the table."""
        slots = self._slots(first, second)
        same = (self._first[slots] == first) & (self._second[slots] == second)
        return np.where(same, self._code[slots], -1)

    def _learn(self, markup: bytes, places: IntArray, numbers: Iterable[tuple[int, int]]) -> None:
        """Assign codes to new names."""
        new: dict[tuple[int, int], int] = {}
        for both, place in zip(numbers, places.tolist(), strict=True):
            new.setdefault(both, place)
        for (first, second), place in new.items():
            self._short.append((first, second, self.code(_name_at(markup, place))))
        self._fill()

    def _fill(self) -> None:
        """Build the table: spread, or sorted if no multiplier separates the names."""
        known = np.array([entry[:2] for entry in self._short], np.uint64).reshape(-1, 2)
        crowded = self._sorted is not None or len(known) > _MOST_SPREAD
        if crowded or not self._spreads(known):
            self._sort(known)
        slots = self._slots(known[:, 0], known[:, 1])
        size = 1 << self._bits if self._sorted is None else len(known)
        self._first, self._second = np.zeros(size, np.uint64), np.zeros(size, np.uint64)
        self._code = np.full(size, -1)
        self._first[slots], self._second[slots] = known[:, 0], known[:, 1]
        self._code[slots] = [entry[2] for entry in self._short]

    def _spreads(self, known: FingerprintArray) -> bool:
        """Return whether the names can be spread over a table, enlarging it as needed."""
        for _ in range(len(_MULTIPLIERS)):
            if len(np.unique(self._slots(known[:, 0], known[:, 1]))) == len(known):
                return True
            self._spread = (self._spread + 1) % len(_MULTIPLIERS)
            self._bits = min(self._bits + 1, _MOST_BITS)
        return False

    def _sort(self, known: FingerprintArray) -> None:
        """Sort the names by mixtures, with a multiplier for which none are equal."""
        while len(mixed := np.unique(self._mixed(known[:, 0], known[:, 1]))) < len(known):
            self._spread = (self._spread + 1) % len(_MULTIPLIERS)
        self._sorted = mixed


def _name_at(markup: bytes, place: int) -> bytes:
    found = _NAME.match(markup, place)
    return found[0] if found else b""


def _as_numbers(
    markup: bytes, places: IntArray
) -> tuple[FingerprintArray, FingerprintArray, BoolArray]:
    """Return names as two numbers each, and whether they are short enough for that."""
    shape = (len(markup) - _WORD + 1,)
    anywhere: FingerprintArray = np.ndarray(shape, "<u8", buffer=markup, strides=(1,))
    first, goes_on = _until_end(anywhere[places])
    second = np.zeros(len(places), np.uint64)
    longer = np.flatnonzero(goes_on)
    for word, factor in enumerate(_FACTORS, start=1):
        if not len(longer):
            break
        part, goes_on = _until_end(anywhere[places[longer] + word * _WORD])
        second[longer] += part * factor
        longer = longer[goes_on]
    short = np.ones(len(places), np.bool_)
    short[longer] = False
    return first, second, short


def _until_end(words: FingerprintArray) -> tuple[FingerprintArray, BoolArray]:
    """Return words with zeros from the end of a name on, and whether the name fills the word.

    A name ends at a slash, a bracket or white space; all its bytes are at least a hyphen. The
    lowest bit that each of the three tests sets is correct; only higher ones may be wrong.
    """
    slashes, brackets = words ^ _SLASHES, words ^ _BRACKETS
    ends = (words - _LOWEST) & ~words
    ends |= (slashes - _ONES) & ~slashes
    ends |= (brackets - _ONES) & ~brackets
    ends &= _TOPS
    lowest = ends & (~ends + np.uint64(1))
    return words & ((lowest >> np.uint64(7)) - np.uint64(1)), ends == 0


# Text between tags -------------------------------------------------------------------------------

_BLANK = np.zeros(256, np.bool_)
_BLANK[list(b" \t\n\r")] = True
_SHOWN = {LESS: b"<", GREATER: b">", AMPERSAND: b"&", QUOTE: b'"', APOSTROPHE: b"'"}
_SPACE = b" "[0]


@dataclass(frozen=True, slots=True, eq=False)
class Texts:
    """The text of some documents: its bytes, and positions in counted characters."""

    data: bytes  # UTF-8, document after document
    bounds: IntArray  # where the bytes of each document begin, and where the last one's end
    places: IntArray  # characters before each tag, since the first document's start
    nodes: BoolArray  # whether a text node directly precedes each tag
    entities: Entities


@dataclass(frozen=True, slots=True, eq=False)
class Entities:
    """Unknown characters of the text: their documents, places and names."""

    document: IntArray
    place: IntArray
    names: list[bytes]


_NO_ENTITIES = Entities(np.zeros(0, np.int64), np.zeros(0, np.int64), [])


def texts_between(
    block: np.ndarray,
    begins: IntArray,
    ends: IntArray,
    roots: IntArray,
    policy: CharacterPolicy,
    names: Sequence[bytes],
) -> Texts:
    """Extract the text of a block of markup; `roots` are the tags that begin a document."""
    gaps = begins.copy()
    gaps[1:] -= ends[:-1] + 1
    pieces = np.empty(2 * len(begins), np.int64)
    pieces[::2] = gaps
    pieces[1::2] = ends - begins + 1
    outside = np.repeat(np.tile(np.array([True, False]), len(begins)), pieces)
    text = block[outside]
    before = np.cumsum(gaps)  # bytes of text before each tag
    if policy.blank_nodes == "strip":
        text, before, gaps = _stripped(text, before, gaps)
    if policy.white_space == "collapse":
        text, before = _collapsed(text, before, before[roots])
    bounds = np.append(before[roots], len(text))
    data = text.tobytes()
    plain = data.isascii()
    counted = _Counted(text, policy.unit == "bytes" or plain)
    for hidden, shown in () if plain else _SHOWN.items():
        data = data.replace(hidden, shown)
    entities = _NO_ENTITIES
    if names:
        inside = outside[np.flatnonzero(block == UNKNOWN[0])].tolist()
        kept = [name for name, is_text in zip(names, inside, strict=True) if is_text]
        entities = _entities(text, bounds, counted, kept)
        data = data.replace(UNKNOWN, REPLACEMENT)
    return Texts(data, bounds, counted.at(before), gaps > 0, entities)


class _Counted:
    """A counter of the characters before a byte."""

    def __init__(self, text: np.ndarray, each_byte: bool) -> None:
        # As signed numbers, the bytes inside a character of UTF-8 are those below -64.
        self._inner = np.flatnonzero(text[:0] if each_byte else text.view(np.int8) < -64)

    def at(self, places: IntArray) -> IntArray:
        return places - np.searchsorted(self._inner, places) if len(self._inner) else places


def _entities(
    text: np.ndarray, bounds: IntArray, counted: _Counted, names: list[bytes]
) -> Entities:
    places = np.flatnonzero(text == UNKNOWN[0])
    document = np.searchsorted(bounds[:-1], places, side="right") - 1
    return Entities(document, counted.at(places) - counted.at(bounds[document]), names)


def _blanks(text: np.ndarray) -> IntArray:
    """Return the positions of white space."""
    low = np.flatnonzero(text <= _SPACE)
    return low[_BLANK[text[low]]]


def _stripped(
    text: np.ndarray, before: IntArray, gaps: IntArray
) -> tuple[np.ndarray, IntArray, IntArray]:
    """Return the text without nodes of only white space."""
    blanks = np.searchsorted(_blanks(text), before)
    blank = np.diff(blanks, prepend=0) == gaps
    keep = np.repeat(~blank, gaps)
    gaps = np.where(blank, 0, gaps)
    return text[: len(keep)][keep], np.cumsum(gaps), gaps


def _collapsed(text: np.ndarray, before: IntArray, starts: IntArray) -> tuple[np.ndarray, IntArray]:
    """Return the text with one space for every run of white space within a document."""
    blanks = _blanks(text)
    again = np.diff(blanks, prepend=-2) == 1
    first = np.searchsorted(blanks, starts)
    first = first[first < len(blanks)]
    again[first] &= ~np.isin(blanks[first], starts)
    text[blanks] = _SPACE
    dropped = blanks[again]
    keep = np.ones(len(text), np.bool_)
    keep[dropped] = False
    return text[keep], before - np.searchsorted(dropped, before)


# Elements ----------------------------------------------------------------------------------------

TEXT_BEFORE, TEXT_AT_END = 1, 2
"""Flags of an element: a text node directly precedes its start tag, or its end tag."""

_LESS, _GREATER, _SLASH = b"</>"[0], b"</>"[2], b"</>"[1]
_WHOLE_TAG = re.compile(rb"<[^\"'>]*+(?:\"[^\"]*+\"[^\"'>]*+|'[^']*+'[^\"'>]*+)*+>")
_PADDING = b"\0" * WINDOW


class TooDeep(Exception):
    """Documents of a block are nested too deeply."""

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
    key: FingerprintArray  # ascending within each document
    key_row: IntArray  # the element with this key, counted from the root
    counts: IntArray  # number of elements of each document
    texts: Texts


@dataclass(frozen=True, slots=True, eq=False)
class _Tags:
    """All tags of a block, in order."""

    begins: IntArray
    ends: IntArray  # the closing bracket of each tag
    closing: BoolArray
    levels: IntArray  # level of the element that a tag belongs to, 1 for roots
    openers: IntArray  # the tags that begin an element
    empty: BoolArray  # those of them that also end it


def columns_of(bodies: Sequence[Body], policy: CharacterPolicy, table: TagTable) -> Columns:
    """Return everything that is stored of some documents."""
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
    """Return the bracket that closes each tag: the first one after it outside quotes."""
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
    """Return the tag that ends each element."""
    closers = tags.openers.copy()
    paired = np.flatnonzero(~tags.empty)
    ends = np.flatnonzero(tags.closing)
    starts_by_level = _by_level(levels[paired])
    ends_by_level = _by_level(tags.levels[ends])
    closers[paired[starts_by_level]] = ends[ends_by_level]
    return closers


def _by_level(levels: IntArray) -> IntArray:
    """Return rows by ascending level, stable; short integers are sorted by radix."""
    return np.argsort(levels.astype(np.uint16), kind="stable")


def _by_key(keys: FingerprintArray, owners: IntArray) -> IntArray:
    """Return rows by ascending key within each document, sorted as one number if possible."""
    if owners[-1] < 1 << 16:
        both = owners.astype(np.uint64) << np.uint64(48) | keys >> np.uint64(16)
        order = np.argsort(both, kind="stable")
        if (np.diff(both[order]) > 0).all():
            return order
    return np.lexsort((keys, owners))


def _family(
    levels: IntArray, codes: IntArray, tag_keys: FingerprintArray
) -> tuple[IntArray, IntArray, FingerprintArray]:
    """Return the parent, the index among siblings of one name, and the key of every element."""
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
    """Return the number of each row within its group, from 1.

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
