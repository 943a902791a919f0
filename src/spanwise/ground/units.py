"""Positions in one unit turned into positions in another, exactly, given the text.

Everything goes through code points. A position inside a character, or past the end of the text,
has no counterpart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spanwise.errors import UnknownName
from spanwise.ground.tokenizers import TOKEN, tokens_of
from spanwise.model.spans import UNKNOWN, Spans

if TYPE_CHECKING:
    from spanwise.model.arrays import IntArray
    from spanwise.model.spans import Unit

UNITS = ("codepoint", "utf16", "byte")


def boundaries(text: str, unit: Unit) -> IntArray:
    """Where each code point begins in the unit, and where the last one ends.

    >>> boundaries("aé\U0001f600", "byte").tolist(), boundaries("aé\U0001f600", "utf16").tolist()
    ([0, 1, 3, 7], [0, 1, 2, 4])
    """
    if unit not in UNITS:
        raise UnknownName("unit", unit, [*UNITS, "token:NAME"])
    if unit == "codepoint" or text.isascii():
        return np.arange(len(text) + 1)
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    if unit == "utf16":
        widths = 1 + (codes > 0xFFFF)
    else:
        widths = 1 + (codes > 0x7F).astype(np.int64) + (codes > 0x7FF) + (codes > 0xFFFF)
    return np.concatenate([[0], np.cumsum(widths, dtype=np.int64)])


def in_codepoints(text: str, spans: Spans, unit: Unit) -> Spans:
    """The same stretches counted in code points; UNKNOWN where they are none."""
    if unit in ("codepoint", "opaque"):
        return spans
    if unit.startswith(TOKEN):
        return _from_tokens(text, spans, unit)
    bounds = boundaries(text, unit)
    starts, ends = _found(bounds, spans.starts), _found(bounds, spans.ends)
    return _spans(starts, ends)


def in_unit(text: str, spans: Spans, unit: Unit) -> Spans:
    """Stretches counted in code points, counted in another unit; UNKNOWN where they are none."""
    if unit in ("codepoint", "opaque"):
        return spans
    if unit.startswith(TOKEN):
        begins, ends = tokens_of(text, unit)
        first, last = _found(begins, spans.starts), _found(ends, spans.ends)
        empty = spans.lengths == 0
        return _spans(first, np.where(empty, first, np.where(last == UNKNOWN, UNKNOWN, last + 1)))
    bounds = boundaries(text, unit)
    inside = (spans.starts >= 0) & (spans.ends < len(bounds))
    starts = np.where(inside, bounds[np.where(inside, spans.starts, 0)], UNKNOWN)
    return _spans(starts, np.where(inside, bounds[np.where(inside, spans.ends, 0)], UNKNOWN))


def _from_tokens(text: str, spans: Spans, unit: Unit) -> Spans:
    begins, ends = tokens_of(text, unit)
    inside = (spans.starts >= 0) & (spans.ends <= len(begins)) & (spans.lengths >= 0)
    begins, ends = np.append(begins, len(text)), np.append(ends, len(text))
    starts = begins[np.where(inside, spans.starts, 0)]
    stops = np.where(spans.lengths > 0, ends[np.where(inside, spans.ends - 1, 0)], starts)
    return _spans(np.where(inside, starts, UNKNOWN), np.where(inside, stops, UNKNOWN))


def _found(bounds: IntArray, places: IntArray) -> IntArray:
    """The number of each place among the bounds; UNKNOWN where it is none of them."""
    if not len(bounds):
        return np.full(len(places), UNKNOWN)
    number = np.minimum(np.searchsorted(bounds, places), len(bounds) - 1)
    return np.where(bounds[number] == places, number, UNKNOWN)


def _spans(starts: IntArray, ends: IntArray) -> Spans:
    known = (starts != UNKNOWN) & (ends != UNKNOWN)
    return Spans(np.where(known, starts, UNKNOWN), np.where(known, ends - starts, 0))
