"""Spans of text: half-open intervals of characters, as columns.

A span is a document, a start and a length. Sets of spans of one document are sorted and disjoint
once `merged`; everything else here is plain arithmetic on intervals.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from spanwise.model.arrays import IntArray

Unit = str
"""Unit of positions: `codepoint`, `utf16`, `byte` (of UTF-8), `token:NAME` with the name of a
tokenizer, or `opaque`: whatever the program that made them counted, as in INEX."""

UNKNOWN = -1
"""Start of a span that could not be placed in its document."""


@dataclass(frozen=True, slots=True, eq=False)
class Spans:
    """The starts and lengths of spans, row by row."""

    starts: IntArray
    lengths: IntArray

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def ends(self) -> IntArray:
        """The first character after each span."""
        return self.starts + self.lengths

    def at(self, rows: IntArray | slice) -> Spans:
        """Return some of the spans."""
        return Spans(self.starts[rows], self.lengths[rows])

    def total(self) -> int:
        """Return the sum of all lengths, repeated text included."""
        return int(self.lengths.sum())


NOTHING = Spans(np.zeros(0, np.int64), np.zeros(0, np.int64))


def merged(spans: Spans) -> Spans:
    """Return the same text as disjoint spans in rising order; spans that touch become one.

    >>> both = merged(Spans(np.array([5, 0, 8]), np.array([5, 3, 2])))
    >>> both.starts.tolist(), both.lengths.tolist()
    ([0, 5], [3, 5])
    """
    real = spans.at(np.flatnonzero(spans.lengths > 0))
    if not len(real):
        return NOTHING
    order = np.argsort(real.starts, kind="stable")
    starts, ends = real.starts[order], np.maximum.accumulate(real.ends[order])
    begins = np.concatenate([[True], starts[1:] > ends[:-1]])
    last = np.concatenate([begins[1:], [True]])
    return Spans(starts[begins], ends[last] - starts[begins])


def merged_by(owner: IntArray, spans: Spans) -> tuple[IntArray, Spans]:
    """Return the owner of each merged span, and the spans; owners rise.

    >>> spans = Spans(np.array([5, 0, 8]), np.array([5, 5, 2]))
    >>> owner, both = merged_by(np.array([0, 0, 2]), spans)
    >>> owner.tolist(), both.starts.tolist(), both.lengths.tolist()
    ([0, 2], [0, 8], [10, 2])
    """
    apart = 2 + int(spans.ends.max(initial=0))  # so large that texts of two owners never touch
    together = merged(Spans(spans.starts + owner * apart, spans.lengths))
    owner = together.starts // apart
    return owner, Spans(together.starts - owner * apart, together.lengths)


def inmost(spans: Spans) -> Spans:
    """Return the spans that contain no other, in rising order; spans nest, equal ones count once.

    >>> leaves = inmost(Spans(np.array([0, 5, 0]), np.array([9, 2, 3])))
    >>> leaves.starts.tolist(), leaves.lengths.tolist()
    ([0, 5], [3, 2])
    """
    rising = spans.at(np.lexsort((-spans.lengths, spans.starts)))
    holds = rising.starts[1:] < rising.ends[:-1]
    return rising.at(np.flatnonzero(~np.append(holds, False)))


def overlap(spans: Spans, text: Spans) -> IntArray:
    """Return how many characters of each span lie in `text`, which is sorted and disjoint.

    >>> text = Spans(np.array([2, 6]), np.array([3, 2]))
    >>> overlap(Spans(np.array([0, 4]), np.array([3, 9])), text).tolist()
    [1, 3]
    """
    if not len(text):
        return np.zeros(len(spans), np.int64)
    before = np.concatenate([[0], np.cumsum(text.lengths)])

    def covered_until(place: IntArray) -> IntArray:
        number = np.searchsorted(text.starts, place, side="right")
        previous = np.maximum(number - 1, 0)
        inside = np.minimum(place - text.starts[previous], text.lengths[previous])
        return np.where(number > 0, before[previous] + np.maximum(inside, 0), 0)

    return covered_until(spans.ends) - covered_until(spans.starts)


def ranges(firsts: IntArray, sizes: IntArray) -> IntArray:
    """Concatenate ranges of consecutive numbers, given by their first numbers and sizes.

    >>> ranges(np.array([7, 3]), np.array([2, 3])).tolist()
    [7, 8, 3, 4, 5]
    """
    offsets = np.cumsum(sizes) - sizes
    return np.arange(int(sizes.sum())) - np.repeat(offsets - firsts, sizes)


# Labels: how texts were placed in their documents -------------------------------------------------

if TYPE_CHECKING:
    Labels = np.ndarray[Any, np.dtype[np.int8]]
    """For each text which of LABELS holds, NOT_PLACED if there was nothing to place."""

LABELS = ("exact", "shifted", "normalised", "fuzzy", "ambiguous", "lost", "partial")
"""Exact: the text is at its stated position, or, if none was stated, in one place. Shifted: it is
word for word in one other place. Normalised: the same, apart from white space, case and the
spelling of characters. Fuzzy: a very similar text is there. Ambiguous: there are several such
places, of which the nearest to the stated one was taken. Lost: there is no such place. Partial:
only pieces of the text are there."""

EXACT, SHIFTED, NORMALISED, FUZZY, AMBIGUOUS, LOST, PARTIAL = range(7)
NOT_PLACED = -1


def counted(labels: Labels) -> dict[str, int]:
    """Return how often each label occurs; partial is left out where it does not.

    >>> counted(np.array([0, 1, 1, -1], np.int8))["shifted"]
    2
    """
    counts = np.bincount(labels[labels >= 0], minlength=len(LABELS)).tolist()
    found = dict(zip(LABELS, counts, strict=True))
    return found if found[LABELS[PARTIAL]] else dict(list(found.items())[:PARTIAL])


def label_counts_in_words(labels: Labels) -> str:
    """Return the count of every label that occurs, in words; empty if nothing was to be placed."""
    return in_words(counted(labels))


def in_words(counts: Mapping[str, int]) -> str:
    """Return counts by label in words; empty if nothing was to be placed.

    >>> in_words({"exact": 3, "lost": 1}), in_words({"exact": 2, "lost": 0})
    ('3 exact, 1 lost of 4', 'all 2 exact')
    """
    parts = [f"{count} {label}" for label, count in counts.items() if count]
    if len(parts) <= 1:
        return "".join(f"all {part}" for part in parts)
    return f"{', '.join(parts)} of {sum(counts.values())}"


def labels_of(values: Iterable[int]) -> Labels:
    """Return labels as a column."""
    return np.fromiter(values, np.int8)
