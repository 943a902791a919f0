"""The sizes that assessors' files list for elements and documents: they win over all others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from spanwise.ground.by_path import NOT_THERE, ByPath
from spanwise.model.assessments import NO_SIZE
from spanwise.model.ids import Coded

if TYPE_CHECKING:
    from spanwise.model.arrays import BoolArray, IntArray
    from spanwise.model.judgements import Judgements
    from spanwise.model.run import Run

OTHER, ROOT = NOT_THERE, -2
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
        known = judgements.once("listed", lambda: _by_path(judgements))
        paths = run.element_paths(rows)
        root = np.array([path.count(b"/") == 1 for path in paths.names], np.bool_)
        element = known.find(judged, paths)
        whole = (element == OTHER) & (judged >= 0) & root[paths.codes]
        return np.where(whole, ROOT, element)

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


def _by_path(judgements: Judgements) -> ByPath:
    """Every element whose highlighted text is listed, by row and path."""
    if judgements.elements is None:
        return ByPath(np.zeros(0, np.int64), Coded.of([]))
    elements = judgements.elements.elements
    listed = elements.highlighted != NO_SIZE
    owners = np.repeat(np.arange(len(elements.first) - 1), np.diff(elements.first))
    return ByPath(np.where(listed, owners, NOT_THERE), elements.paths.coded())
