"""Many documents on one line, cut wherever a result or a highlighted passage begins or ends.

Between two cuts nothing changes, so that questions about characters become arithmetic on
stretches; the work grows with the number of cuts times its logarithm, however many results one
document has.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from spanwise.model.arrays import BoolArray, IntArray
    from spanwise.model.spans import Spans


@dataclass(frozen=True, slots=True, eq=False)
class Cuts:
    """Results as runs of stretches."""

    begin: IntArray  # per result: number of its first stretch
    end: IntArray  # per result: number of the stretch after its last
    length: IntArray  # per stretch
    document: IntArray  # per stretch; -1 for what lies between two documents
    relevant: BoolArray  # per stretch: whether it is highlighted
    inside: BoolArray  # per stretch: whether it lies before the end of its document

    @classmethod
    def of(
        cls,
        results: Spans,
        result_document: IntArray,
        passages: Spans,
        passage_document: IntArray,
        lengths: IntArray,
    ) -> Cuts:
        """Lay out documents of these lengths, 0 if unknown; what is in them may pass their ends."""
        extent = lengths.copy()
        np.maximum.at(extent, result_document, results.ends)
        np.maximum.at(extent, passage_document, passages.ends)
        base = np.cumsum(extent + 1) - (extent + 1)
        known = np.flatnonzero(lengths)
        points = _Points.of(
            [
                (results.starts, result_document),
                (results.ends, result_document),
                (passages.starts, passage_document),
                (passages.ends, passage_document),
                (np.zeros_like(known), known),
                (lengths[known], known),
            ],
            base,
        )
        begin, end, opens, closes, *_ = points.numbers
        count = len(points.places)
        depth = np.bincount(opens, minlength=count) - np.bincount(closes, minlength=count)
        left = points.owner[:-1]
        return cls(
            begin,
            end,
            np.diff(points.places),
            np.where(points.owner[1:] == left, left, -1),
            np.cumsum(depth)[:-1] > 0,
            points.places[:-1] < (base + lengths)[left],
        )

    def relevant_in_results(self) -> IntArray:
        """How many highlighted characters each result holds."""
        before = np.concatenate([[0], np.cumsum(self.length * self.relevant)])
        return before[self.end] - before[self.begin]

    def shown_first(self) -> IntArray:
        """For each stretch the number of the result that shows it first; -1 if none does.

        A result covers two overlapping runs of stretches whose number is a power of two. Each run
        is given the first result that covers it, longest runs first, and hands it on to its
        halves.
        """
        nobody = len(self.begin)
        width = self.end - self.begin
        real = np.flatnonzero(width > 0)
        power = np.frexp(width[real])[1] - 1  # the largest power of two that fits
        first = np.full(len(self.length), nobody)
        for level in range(int(power.max(initial=-1)), -1, -1):
            here = real[power == level][::-1]  # of two results for one place the earlier wins
            for place in (self.begin[here], self.end[here] - (1 << level)):
                first[place] = np.minimum(first[place], here)
            if level:
                half = 1 << (level - 1)
                first[half:] = np.minimum(first[half:], first[:-half])
        return np.where(first < nobody, first, -1)


@dataclass(frozen=True, slots=True, eq=False)
class _Points:
    """Places on the line, each once and rising, and which of them every given place is."""

    places: IntArray
    owner: IntArray  # the document of each
    numbers: list[IntArray]

    @classmethod
    def of(cls, columns: list[tuple[IntArray, IntArray]], base: IntArray) -> _Points:
        """Put columns of offsets in documents on the line, where documents begin at `base`."""
        owner = np.concatenate([document for _, document in columns])
        given = np.concatenate([offset for offset, _ in columns]) + base[owner]
        order = np.argsort(given)
        given = given[order]
        new = np.concatenate([[True], given[1:] != given[:-1]])[: len(given)]
        number = np.empty(len(given), np.int64)
        number[order] = np.cumsum(new) - 1
        bounds = np.cumsum([len(offset) for offset, _ in columns])[:-1]
        return cls(given[new], owner[order][new], np.split(number, bounds))
