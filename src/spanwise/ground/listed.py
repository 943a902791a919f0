"""The sizes that assessors' files list for elements and documents: they win over all others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from spanwise.model.assessments import NO_SIZE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanwise.model.arrays import BoolArray, IntArray
    from spanwise.model.judgements import Judgements
    from spanwise.model.run import Run


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
        known = judgements.once("listed", lambda: _by_path(judgements))
        ends = [b""] * len(rows) if run.ends is None else run.ends.take(rows)
        columns = zip(run.paths.take(rows), ends, judged.tolist(), strict=True)
        for place, (path, end, row) in enumerate(columns):
            if row < 0 or end or not path:
                continue
            if (row, path) in known:
                size[place], relevant[place] = known[row, path]
            elif path.count(b"/") == 1 and judgements.highlights is not None:
                size[place] = judgements.highlights.lengths[row]
        return cls(size, relevant)

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


def _by_path(judgements: Judgements) -> dict[tuple[int, bytes], tuple[int, int]]:
    """Size and highlighted characters of every element whose size is listed."""
    if judgements.elements is None:
        return {}
    elements = judgements.elements.elements
    listed = np.flatnonzero(elements.highlighted != NO_SIZE)
    owners = np.searchsorted(elements.first, listed, side="right") - 1
    keys: Sequence[tuple[int, bytes]] = list(
        zip(owners.tolist(), elements.paths.take(listed), strict=True)
    )
    sizes = zip(elements.sizes[listed].tolist(), elements.highlighted[listed].tolist(), strict=True)
    return dict(zip(keys, sizes, strict=True))
