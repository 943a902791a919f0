"""Documents cut into stretches at every beginning and end of a result or highlighted passage.

All documents are laid out on one line. Nothing changes between two cuts, so that questions about
characters become arithmetic on stretches. The work grows with the number of cuts times its
logarithm, however many results one document has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from spanwise.matching.documents import duplicate_error, topic_keys
from spanwise.model.columns import text
from spanwise.model.spans import UNKNOWN

if TYPE_CHECKING:
    from spanwise.matching.documents import Results
    from spanwise.model.arrays import BoolArray, FingerprintArray, IntArray
    from spanwise.model.run import Run
    from spanwise.model.spans import Spans


@dataclass(frozen=True, slots=True, eq=False)
class CutDocuments:
    """The stretches of some documents, and the results and passages as runs of stretches."""

    begin: IntArray  # per result: number of its first stretch
    end: IntArray  # per result: number of the stretch after its last
    length: IntArray  # per stretch
    document: IntArray  # per stretch; -1 for the gap between two documents
    relevant: BoolArray  # per stretch: whether it is highlighted
    inside: BoolArray  # per stretch: whether it lies before the end of its document
    opens: IntArray  # per passage: number of its first stretch
    closes: IntArray  # per passage: number of the stretch after its last

    @classmethod
    def of(
        cls,
        results: Spans,
        result_document: IntArray,
        passages: Spans,
        passage_document: IntArray,
        lengths: IntArray,
        counted: BoolArray | None = None,
    ) -> CutDocuments:
        """Lay out documents of these lengths, 0 if unknown; results and passages may exceed them.

        Passages may overlap. Passages that are not `counted` cut the text, but highlight nothing.
        """
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
        depth = _depth(opens, closes, counted, len(points.places))
        left = points.owner[:-1]
        return cls(
            begin,
            end,
            np.diff(points.places),
            np.where(points.owner[1:] == left, left, -1),
            depth[:-1] > 0,
            points.places[:-1] < (base + lengths)[left],
            opens,
            closes,
        )

    @property
    def place(self) -> IntArray:
        """The position of each stretch on the line."""
        return np.cumsum(self.length) - self.length

    def relevant_in_results(self) -> IntArray:
        """Return the number of highlighted characters of each result."""
        before = np.concatenate([[0], np.cumsum(self.length * self.relevant)])
        return before[self.end] - before[self.begin]

    def shown_first(self) -> IntArray:
        """Return the first result that shows each stretch; -1 if none does."""
        return first_cover(self.begin, self.end, len(self.length))

    def depth(self) -> IntArray:
        """Return how many passages cover each stretch, counted or not."""
        return _depth(self.opens, self.closes, None, len(self.length) + 1)[:-1]


def first_cover(begin: IntArray, end: IntArray, count: int) -> IntArray:
    """Return, for each of `count` stretches, the first run that covers it; -1 if none does.

    A run covers two overlapping runs whose number of stretches is a power of two. Each of these is
    assigned its first cover, longest ones first, and passes it on to its halves.
    """
    uncovered = len(begin)
    width = end - begin
    real = np.flatnonzero(width > 0)
    power = np.frexp(width[real])[1] - 1  # the largest power of two that fits
    first = np.full(count, uncovered)
    for level in range(int(power.max(initial=-1)), -1, -1):
        here = real[power == level][::-1]  # the earlier of two runs wins
        for place in (begin[here], end[here] - (1 << level)):
            first[place] = np.minimum(first[place], here)
        if level:
            half = 1 << (level - 1)
            first[half:] = np.minimum(first[half:], first[:-half])
    return np.where(first < uncovered, first, -1)


def _depth(opens: IntArray, closes: IntArray, counted: BoolArray | None, count: int) -> IntArray:
    """Return how many of the counted passages are open after each point."""
    if counted is not None:
        opens, closes = opens[counted], closes[counted]
    return np.cumsum(np.bincount(opens, minlength=count) - np.bincount(closes, minlength=count))


@dataclass(frozen=True, slots=True, eq=False)
class _Points:
    """Distinct points on the line, rising, and the number of the point at each given offset."""

    places: IntArray
    owner: IntArray  # the document of each point
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


# Duplicates: the same part of a document twice in one topic ---------------------------------------

SPREAD = np.uint64(0x9E3779B97F4A7C15)


def refuse_duplicates(run: Run, results: Results) -> None:
    """Raise an error if the same element or span occurs twice in one topic.

    Chunks, whose positions have a unit of text, may be repeated and are then read again.
    """
    chunks = run.paths is None and run.unit != "opaque"
    if chunks or not _suspicious(run, results):
        return
    keys: dict[tuple[int, object], int] = {}
    for row, document, part in zip(
        results.row.tolist(), results.document.tolist(), _names(run, results.row), strict=True
    ):
        first = keys.setdefault((document, part), row) if part is not None else row
        if first != row:
            found = result_in_words(run, row)
            raise duplicate_error(run.rows, first, row, found, "each result once")


def repeats(run: Run) -> int:
    """Return how many results equal an earlier one of their topic.

    Repeated chunks are not counted. Where text is measured, repeats are no error: it is found once.
    """
    if run.spans is None or run.unit != "opaque":
        return 0
    topic = np.repeat(np.arange(len(run.rows.topics)), np.diff(run.rows.starts))
    document = topic_keys(run.documents.fingerprints(), topic)
    placed = np.flatnonzero(run.spans.starts != UNKNOWN)
    keys = np.sort(_fingerprints(run, document[placed], placed))
    return int(np.count_nonzero(keys[1:] == keys[:-1]))


def _suspicious(run: Run, results: Results) -> bool:
    """Return whether any two results of one document have the same fingerprint."""
    keys = np.sort(_fingerprints(run, results.document, results.row))
    return bool((keys[1:] == keys[:-1]).any())


def _fingerprints(
    run: Run, documents: IntArray | FingerprintArray, rows: IntArray
) -> FingerprintArray:
    """Return numbers that are equal for results with the same document and name."""
    keys = documents.astype(np.uint64) * SPREAD
    for ids in (run.paths, run.ends):
        if ids is not None:
            keys = (keys ^ ids.fingerprints()[rows]) * SPREAD
    if run.spans is not None:
        for column in (run.spans.starts, run.spans.lengths):
            keys = (keys ^ column[rows].astype(np.uint64)) * SPREAD
    return keys


def _names(run: Run, rows: IntArray) -> Sequence[object]:
    """Return what identifies each result within its document; None if its place is unknown."""
    if run.paths is None and run.spans is None:
        return [b""] * len(rows)
    paths = [b""] * len(rows) if run.paths is None else run.paths.take(rows)
    names: list[Any] = list(paths)
    if run.ends is not None:
        names = list(zip(paths, run.ends.take(rows), strict=True))
    if run.spans is None:
        return names
    spans = zip(run.spans.starts[rows].tolist(), run.spans.lengths[rows].tolist(), strict=True)
    return [
        name if path else (None if span[0] == UNKNOWN else span)
        for path, name, span in zip(paths, names, spans, strict=True)
    ]


def result_in_words(run: Run, row: int) -> str:
    """Return a description of a result."""
    one = np.array([row])
    name = f"document {text(run.documents.take(one)[0])!r}"
    path = b"" if run.paths is None else run.paths.take(one)[0]
    if path:
        return f"{text(path)} of {name}"
    if run.spans is None:
        return name
    return f"the span at {run.spans.starts[row]} of {name}"


def copies(document: IntArray, spans: Spans) -> BoolArray:
    """Return which spans repeat an earlier span of the same document."""
    order = np.lexsort((spans.lengths, spans.starts, document))
    keys = np.stack([document, spans.starts, spans.lengths])[:, order]
    again = np.zeros(len(order), np.bool_)
    again[order[1:]] = (keys[:, 1:] == keys[:, :-1]).all(axis=0)
    return again
