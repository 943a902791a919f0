"""Highlighted text of judged documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from spanwise.errors import InputError
from spanwise.model.spans import Spans, ranges

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanwise.model.arrays import IntArray
    from spanwise.model.spans import Unit


@dataclass(frozen=True, slots=True, eq=False)
class Highlights:
    """Highlighted text of judged documents, one entry for each row of the judgements."""

    relevant: IntArray  # characters that were highlighted, as the file states them
    lengths: IntArray  # characters of the document; -1 where nobody says
    entries: IntArray  # best entry point, an offset; -1 where there is none
    first: IntArray  # row r owns the passages first[r] to first[r + 1]
    passages: Spans  # sorted and disjoint within each document
    unit: Unit = "opaque"  # what positions count

    def of(self, row: int) -> Spans:
        """The highlighted passages of one judged document."""
        return self.passages.at(slice(int(self.first[row]), int(self.first[row + 1])))

    @property
    def counts(self) -> IntArray:
        """How many passages each row has."""
        return np.diff(self.first)

    @property
    def indivisible(self) -> bool:
        """Whether documents are relevant as a whole or not at all, so that each has length 1."""
        return self.unit == "opaque" and len(self.lengths) > 0 and bool((self.lengths == 1).all())

    def longer_than(self, lengths: IntArray) -> IntArray:
        """The rows whose passages go on where these lengths end; -1 is no end."""
        owner = np.repeat(np.arange(len(lengths)), self.counts)
        past = (lengths[owner] >= 0) & (self.passages.ends > lengths[owner])
        return np.unique(owner[past])

    def at(self, rows: IntArray) -> Highlights:
        """Those of some rows, in the order given."""
        counts = self.counts[rows]
        return Highlights(
            self.relevant[rows],
            self.lengths[rows],
            self.entries[rows],
            np.concatenate([[0], np.cumsum(counts)]),
            self.passages.at(ranges(self.first[rows], counts)),
            self.unit,
        )


def joined_highlights(parts: Sequence[Highlights]) -> Highlights:
    """The highlights of several files, one after the other; all must count alike."""
    units = sorted({part.unit for part in parts})
    if len(units) > 1:
        raise InputError(f"highlighted text counted in {' and '.join(units)}; expected one unit")
    counts = np.concatenate([part.counts for part in parts])
    return Highlights(
        np.concatenate([part.relevant for part in parts]),
        np.concatenate([part.lengths for part in parts]),
        np.concatenate([part.entries for part in parts]),
        np.concatenate([[0], np.cumsum(counts)]),
        Spans(
            np.concatenate([part.passages.starts for part in parts]),
            np.concatenate([part.passages.lengths for part in parts]),
        ),
        parts[0].unit,
    )
