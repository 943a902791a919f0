"""How texts were placed in their documents: one label each, and the count of every label."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    Labels = np.ndarray[Any, np.dtype[np.int8]]
    """For each text which of LABELS holds, NOT_PLACED if there was nothing to place."""

LABELS = ("exact", "shifted", "normalised", "fuzzy", "ambiguous", "lost")
"""Exact: the text stands where it was said to stand, or, where nothing was said, in one place.
Shifted: it stands word for word in one other place. Normalised: so it does but for white space,
case and the spelling of characters. Fuzzy: something very much like it does. Ambiguous: there are
several such places, of which the nearest to the stated one was taken. Lost: there is none."""

EXACT, SHIFTED, NORMALISED, FUZZY, AMBIGUOUS, LOST = range(6)
NOT_PLACED = -1


def counted(labels: Labels) -> dict[str, int]:
    """How often each label occurs.

    >>> counted(np.array([0, 1, 1, -1], np.int8))["shifted"]
    2
    """
    counts = np.bincount(labels[labels >= 0], minlength=len(LABELS)).tolist()
    return dict(zip(LABELS, counts, strict=True))


def said(labels: Labels) -> str:
    """The count of every label that occurs, in words; empty if there was nothing to place."""
    return in_words(counted(labels))


def in_words(counts: Mapping[str, int]) -> str:
    """Counts by label in words; empty if there was nothing to place.

    >>> in_words({"exact": 3, "lost": 1}), in_words({"exact": 2, "lost": 0})
    ('3 exact, 1 lost of 4', 'all 2 exact')
    """
    parts = [f"{count} {label}" for label, count in counts.items() if count]
    if len(parts) <= 1:
        return "".join(f"all {part}" for part in parts)
    return f"{', '.join(parts)} of {sum(counts.values())}"


def labels_of(values: Iterable[int]) -> Labels:
    """Labels as a column."""
    return np.fromiter(values, np.int8)
