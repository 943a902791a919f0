"""The sizes that assessors' files list for elements and documents: they win over all others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from spanwise.model.assessments import NO_SIZE

if TYPE_CHECKING:
    from spanwise.model.arrays import BoolArray, IntArray
    from spanwise.model.judgements import Judgements
    from spanwise.model.run import Run

OTHER, ROOT = -1, -2
"""A result that is no listed element: a whole document, or anything else."""


@dataclass(frozen=True, slots=True, eq=False)
class Listed:
    """What the file of assessments says of results; NO_SIZE where it says nothing."""

    size: IntArray
    relevant: IntArray

    @classmethod
    def of(cls, run: Run, judgements: Judgements, rows: IntArray, judged: IntArray) -> Listed:
        """Look up some rows of a run, given the judgement's row of each document, -1 for none."""
        size, relevant = np.full(len(rows), NO_SIZE), np.full(len(rows), NO_SIZE)
        if run.paths is None or not len(rows):
            return cls(size, relevant)
        element = cls._elements(run, judgements, rows, judged)
        said = np.flatnonzero(element >= 0)
        if judgements.elements is not None:
            listed = judgements.elements.elements
            size[said] = listed.sizes[element[said]]
            relevant[said] = listed.highlighted[element[said]]
        if judgements.highlights is not None:
            roots = np.flatnonzero(element == ROOT)
            size[roots] = judgements.highlights.lengths[judged[roots]]
        return cls(size, relevant)

    @classmethod
    def _elements(
        cls, run: Run, judgements: Judgements, rows: IntArray, judged: IntArray
    ) -> IntArray:
        """The listed element that each result is; else ROOT or OTHER."""
        assert run.paths is not None
        known = judgements.once("listed", lambda: _by_path(judgements))
        ends = [b""] * len(rows) if run.ends is None else run.ends.take(rows)

        def element(row: int, path: bytes, end: bytes) -> int:
            if row < 0 or end or not path:
                return OTHER
            return known.get((row, path), ROOT if path.count(b"/") == 1 else OTHER)

        found = map(element, judged.tolist(), run.paths.take(rows), ends)
        return np.fromiter(found, np.int64, len(rows))

    def instead(
        self,
        unplaced: BoolArray,
        size: IntArray,
        relevant: IntArray,
        fresh: IntArray,
        fresh_relevant: IntArray,
    ) -> tuple[IntArray, IntArray, IntArray, IntArray]:
        """What is listed in place of what was counted.

        Of an element that was shown in part before, offsets say how much is new.
        """
        sized = (self.size != NO_SIZE) & ~unplaced
        marked = (self.relevant != NO_SIZE) & ~unplaced
        new = fresh == size
        return (
            np.where(sized, self.size, size),
            np.where(marked, self.relevant, relevant),
            np.where(sized & new, self.size, fresh),
            np.where(marked & new, self.relevant, fresh_relevant),
        )


def _by_path(judgements: Judgements) -> dict[tuple[int, bytes], int]:
    """The number of every element whose size is listed, by row and path."""
    if judgements.elements is None:
        return {}
    elements = judgements.elements.elements
    listed = np.flatnonzero(elements.highlighted != NO_SIZE)
    owners = np.searchsorted(elements.first, listed, side="right") - 1
    keys = zip(owners.tolist(), elements.paths.take(listed), strict=True)
    return dict(zip(keys, listed.tolist(), strict=True))
