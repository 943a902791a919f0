"""The text between tags under a character policy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from spanwise.collection.parsing import (
    AMPERSAND,
    APOSTROPHE,
    GREATER,
    LESS,
    QUOTE,
    REPLACEMENT,
    UNKNOWN,
)

if TYPE_CHECKING:
    from spanwise.model.arrays import BoolArray, IntArray
    from spanwise.model.documents import CharacterPolicy

_BLANK = np.zeros(256, np.bool_)
_BLANK[list(b" \t\n\r")] = True
_SHOWN = {LESS: b"<", GREATER: b">", AMPERSAND: b"&", QUOTE: b'"', APOSTROPHE: b"'"}
_SPACE = b" "[0]


@dataclass(frozen=True, slots=True, eq=False)
class Texts:
    """The text of some documents: as it is stored, and as it is counted."""

    data: bytes  # UTF-8, document after document
    bounds: IntArray  # where each document's bytes begin, and where the last one's end
    places: IntArray  # characters before each tag, since the first document's start
    nodes: BoolArray  # whether a text node stands right before each tag
    entities: Entities


@dataclass(frozen=True, slots=True, eq=False)
class Entities:
    """Characters of the text that are not known: in which document, where, and their names."""

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
    """Take the text out of a block of markup; `roots` are the tags that start a document."""
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
    """How many characters there are before a byte."""

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
    """Where white space is."""
    low = np.flatnonzero(text <= _SPACE)
    return low[_BLANK[text[low]]]


def _stripped(
    text: np.ndarray, before: IntArray, gaps: IntArray
) -> tuple[np.ndarray, IntArray, IntArray]:
    """Without the text nodes that are nothing but white space."""
    blanks = np.searchsorted(_blanks(text), before)
    blank = np.diff(blanks, prepend=0) == gaps
    keep = np.repeat(~blank, gaps)
    gaps = np.where(blank, 0, gaps)
    return text[: len(keep)][keep], np.cumsum(gaps), gaps


def _collapsed(text: np.ndarray, before: IntArray, starts: IntArray) -> tuple[np.ndarray, IntArray]:
    """With one space for every run of white space within a document."""
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
