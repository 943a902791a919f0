"""Many documents on one line, cut wherever a result or a highlighted passage begins or ends.

Between two cuts nothing changes, so that questions about characters become arithmetic on
stretches; the work grows with the number of cuts times its logarithm, however many results one
document has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from spanwise.errors import DuplicateError
from spanwise.matching.documents import topic_keys
from spanwise.model.columns import text
from spanwise.model.spans import UNKNOWN

if TYPE_CHECKING:
    from spanwise.matching.documents import Results
    from spanwise.model.arrays import BoolArray, FingerprintArray, IntArray
    from spanwise.model.run import Run
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
    ) -> Cuts:
        """Lay out documents of these lengths, 0 if unknown; what is in them may pass their ends.

        Passages may overlap. Those that are not `counted` cut the text, but highlight nothing.
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
        """Where each stretch begins on the line."""
        return np.cumsum(self.length) - self.length

    def relevant_in_results(self) -> IntArray:
        """How many highlighted characters each result holds."""
        before = np.concatenate([[0], np.cumsum(self.length * self.relevant)])
        return before[self.end] - before[self.begin]

    def shown_first(self) -> IntArray:
        """For each stretch the number of the result that shows it first; -1 if none does."""
        return first_cover(self.begin, self.end, len(self.length))

    def depth(self) -> IntArray:
        """How many passages cover each stretch, counted or not."""
        return _depth(self.opens, self.closes, None, len(self.length) + 1)[:-1]


def first_cover(begin: IntArray, end: IntArray, count: int) -> IntArray:
    """For each of so many stretches the first of the runs that covers it; -1 if none does.

    A run covers two overlapping runs whose number of stretches is a power of two. Each of these is
    given the first one that covers it, longest ones first, and hands it on to its halves.
    """
    nobody = len(begin)
    width = end - begin
    real = np.flatnonzero(width > 0)
    power = np.frexp(width[real])[1] - 1  # the largest power of two that fits
    first = np.full(count, nobody)
    for level in range(int(power.max(initial=-1)), -1, -1):
        here = real[power == level][::-1]  # of two for one place the earlier wins
        for place in (begin[here], end[here] - (1 << level)):
            first[place] = np.minimum(first[place], here)
        if level:
            half = 1 << (level - 1)
            first[half:] = np.minimum(first[half:], first[:-half])
    return np.where(first < nobody, first, -1)


def _depth(opens: IntArray, closes: IntArray, counted: BoolArray | None, count: int) -> IntArray:
    """How many of the counted passages are open behind each point."""
    if counted is not None:
        opens, closes = opens[counted], closes[counted]
    return np.cumsum(np.bincount(opens, minlength=count) - np.bincount(closes, minlength=count))


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


# The same result twice in one topic, where results are parts of documents. ------------------------

SPREAD = np.uint64(0x9E3779B97F4A7C15)


def refuse_duplicates(run: Run, results: Results) -> None:
    """The same element, or the same span, twice in one topic is an error.

    Chunks may come again, and are read again: they have their positions in a unit of text.
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
            raise _duplicate(run, first, row)


def repeats(run: Run) -> int:
    """How many results are the same as an earlier one of their topic.

    Where text is counted they are no error: it is found once. Of chunks nothing is said.
    """
    if run.spans is None or run.unit != "opaque":
        return 0
    topic = np.repeat(np.arange(len(run.rows.topics)), np.diff(run.rows.starts))
    document = topic_keys(run.documents.fingerprints(), topic)
    placed = np.flatnonzero(run.spans.starts != UNKNOWN)
    keys = np.sort(_fingerprints(run, document[placed], placed))
    return int(np.count_nonzero(keys[1:] == keys[:-1]))


def _suspicious(run: Run, results: Results) -> bool:
    """Whether any two results of one document agree in the fingerprints of what names them."""
    keys = np.sort(_fingerprints(run, results.document, results.row))
    return bool((keys[1:] == keys[:-1]).any())


def _fingerprints(
    run: Run, documents: IntArray | FingerprintArray, rows: IntArray
) -> FingerprintArray:
    """Numbers that are equal for results of the same name."""
    keys = documents.astype(np.uint64) * SPREAD
    for ids in (run.paths, run.ends):
        if ids is not None:
            keys = (keys ^ ids.fingerprints()[rows]) * SPREAD
    if run.spans is not None:
        for column in (run.spans.starts, run.spans.lengths):
            keys = (keys ^ column[rows].astype(np.uint64)) * SPREAD
    return keys


def _names(run: Run, rows: IntArray) -> Sequence[object]:
    """What tells the results of one document apart; None where nobody knows."""
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


def _duplicate(run: Run, first: int, again: int) -> DuplicateError:
    topic = run.rows.topics[int(np.searchsorted(run.rows.starts, again, side="right")) - 1]
    before = run.rows.line(first)
    where = f", first on line {before}" if before is not None else ""
    return DuplicateError(
        topic,
        f"{run.rows.place(again)}: {result_in_words(run, again)} is there twice for topic"
        f" {text(topic)!r}{where}; expected each result once; remove one of the two",
    )


def result_in_words(run: Run, row: int) -> str:
    """A result in words."""
    one = np.array([row])
    name = f"document {text(run.documents.take(one)[0])!r}"
    path = b"" if run.paths is None else run.paths.take(one)[0]
    if path:
        return f"{text(path)} of {name}"
    if run.spans is None:
        return name
    return f"the span at {run.spans.starts[row]} of {name}"


def copies(document: IntArray, spans: Spans) -> BoolArray:
    """Which spans stand before with the same place in the same document."""
    order = np.lexsort((spans.lengths, spans.starts, document))
    keys = np.stack([document, spans.starts, spans.lengths])[:, order]
    again = np.zeros(len(order), np.bool_)
    again[order[1:]] = (keys[:, 1:] == keys[:, :-1]).all(axis=0)
    return again
