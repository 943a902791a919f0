"""Runs: the results that a system returned for topics."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from spanwise.model.columns import Coded, PlainIds, Rows, plural, text
from spanwise.model.columns import joined as joined_ids
from spanwise.model.documents import IN_TEXT
from spanwise.model.scores import html_table
from spanwise.model.spans import UNKNOWN, Spans, ranges

if TYPE_CHECKING:
    from spanwise.model.arrays import BoolArray, FloatArray, IntArray
    from spanwise.model.columns import Ids
    from spanwise.model.notes import Note
    from spanwise.model.spans import Labels, Unit

T = TypeVar("T")

SHOWN = 10
"""Number of results that a notebook shows."""


@dataclass(frozen=True, slots=True, eq=False)
class Chunks:
    """Texts, ids and costs of chunks, row by row."""

    texts: Ids  # in UTF-8; empty if only the place was given
    ids: Ids  # empty if the chunk has none
    costs: IntArray  # the stated cost of reading it; -1 if none was stated
    stated: BoolArray  # whether a start was stated, right or wrong


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """The parts of results in the order in which they are read: pieces in a document, and others.

    A result that is not in pieces is one part.
    """

    first: IntArray  # row r owns the parts first[r] to first[r + 1]
    spans: Spans  # UNKNOWN if a part is not in the document
    offsets: IntArray  # where a part begins in the text of its result

    @property
    def placed(self) -> tuple[int, int]:
        """The characters of results in pieces that are in a document, and all of their characters.

        Characters that are in none are counted as they are in the text.
        """
        mine = np.repeat(np.diff(self.first) > 1, np.diff(self.first))
        lengths, there = self.spans.lengths[mine], self.spans.starts[mine] != UNKNOWN
        return int(lengths[there].sum()), int(lengths.sum())

    def of(self, rows: IntArray) -> tuple[IntArray, IntArray]:
        """Return the parts of some results, and for each the number of its result among them."""
        counts = np.diff(self.first)[rows]
        return ranges(self.first[rows], counts), np.repeat(np.arange(len(rows)), counts)

    def at(self, rows: IntArray) -> Parts:
        """Return the parts of some results as parts of a run of these."""
        parts, owner = self.of(rows)
        counts = np.bincount(owner, minlength=len(rows))
        first = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        return Parts(first, self.spans.at(parts), self.offsets[parts])


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """The results of one system for many topics, as columns.

    A result is a document, or a part of one: a span, or an element or point named by its path.
    """

    name: str  # the id the run states, else its file's name
    rows: Rows
    documents: Ids
    scores: FloatArray
    ranks: FloatArray | None = None  # the stated ranks, read only when a policy needs them
    spans: Spans | None = None  # where each result lies, if results are parts of documents
    paths: Ids | None = None  # paths of elements or points; empty if a span was given instead
    ends: Ids | None = None  # for ranges between two paths: the second path
    header: Mapping[str, str] | None = None  # what a submission states about itself
    unit: Unit = "opaque"  # unit of the positions of spans
    chunks: Chunks | None = None  # texts, ids and costs of chunks
    labels: Labels | None = None  # how each text was placed in its document
    parts: Parts | None = None  # of results, if some are in pieces
    lengths: IntArray | None = None  # of each result's document; -1 where the collection has none
    stated_scores: FloatArray | None = None  # nan where none was; None: all scores were stated
    pool: Run | None = None  # all that the system could have returned, if that is known
    questions: Mapping[bytes, str] = field(default_factory=dict)
    """The question of each topic, empty if it is not stated; also of topics without results."""
    numbered: bool = False  # whether topics are numbers of entries, because no ids are stated
    notes: tuple[Note, ...] = ()  # found while topics were matched with judged ones

    @property
    def grain(self) -> str:
        """What the results are: documents, elements, passages or chunks."""
        if self.chunks is not None:
            return "chunks"
        if self.paths is not None:
            return "elements"
        return "documents" if self.spans is None else "passages"

    def __repr__(self) -> str:
        topics = plural(len(self.rows.topics), "topic")
        return f"<Run {self.name!r}: {plural(len(self.rows), 'result')} for {topics}, {self.grain}>"

    def _repr_html_(self) -> str:
        first = np.arange(min(SHOWN, len(self.rows)))
        owners = np.searchsorted(self.rows.starts, first, side="right") - 1
        paths = self.paths.take(first) if self.paths is not None else [b""] * len(first)
        parts = [text(path) for path in paths]
        if self.spans is not None:
            spans = self.spans.at(first)
            offsets = zip(spans.starts.tolist(), spans.ends.tolist(), strict=True)
            parts = [
                path or (f"{start}-{end}" if start != UNKNOWN else "")
                for path, (start, end) in zip(parts, offsets, strict=True)
            ]
        rows = [
            [text(self.rows.topics[owner]), text(name), part, f"{score:g}"]
            for owner, name, part, score in zip(
                owners.tolist(),
                self.documents.take(first),
                parts,
                self.scores[first].tolist(),
                strict=True,
            )
        ]
        return html_table(["topic", "document", "part", "score"], rows, [repr(self)[1:-1]])

    def element_paths(self, rows: IntArray) -> Coded:
        """Return the paths of results that are elements; empty for other kinds of results.

        An unplaced result without a path gets the path of an element that exists in no document.
        """
        if self.paths is None:
            return Coded(np.zeros(len(rows), np.int64), [b""])
        paths = self.paths.coded().at(rows)
        if self.spans is not None:
            paths = _with_lost(paths, self.spans.starts[rows] == UNKNOWN)
        names = [b"" if IN_TEXT in name else name for name in paths.names]
        if self.ends is None:
            return Coded(paths.codes, names)
        pairs = zip(paths, self.ends.take(rows), strict=True)
        ranges = np.array([end not in (b"", path) for path, end in pairs], np.bool_)
        return Coded(np.where(ranges, len(names), paths.codes), [*names, b""])


def _with_lost(paths: Coded, unplaced: BoolArray) -> Coded:
    """Return the paths, with a nonexistent path for each result that has neither path nor place."""
    empty = np.array([not name for name in paths.names], np.bool_)[paths.codes]
    lost = np.flatnonzero(empty & unplaced)
    codes = paths.codes.copy()
    codes[lost] = len(paths.names) + np.arange(len(lost))
    return Coded(codes, [*paths.names, *(b"/?[%d]" % (row + 1) for row in lost.tolist())])


def of_topics(run: Run, topics: Iterable[bytes]) -> Run:
    """Return the results of some topics."""
    codes = {topic: code for code, topic in enumerate(run.rows.topics)}
    mine = np.array(sorted(codes[topic] for topic in topics), np.int64)
    begins, sizes = run.rows.starts[mine], np.diff(run.rows.starts)[mine]
    chosen = ranges(begins, sizes)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    lines = chosen + 1 if run.rows.lines is None else run.rows.lines[chosen]
    rows = Rows(
        run.rows.source,
        tuple(run.rows.topics[code] for code in mine.tolist()),
        starts,
        lines if run.rows.has_lines else None,
        run.rows.has_lines,
    )

    def some(column: FloatArray | None) -> FloatArray | None:
        return None if column is None else column[chosen]

    def named(column: Ids | None) -> Ids | None:
        return None if column is None else column.reordered(chosen)

    return replace(
        run,
        rows=rows,
        documents=run.documents.reordered(chosen),
        scores=run.scores[chosen],
        ranks=some(run.ranks),
        spans=None if run.spans is None else run.spans.at(chosen),
        paths=named(run.paths),
        ends=named(run.ends),
        chunks=None if run.chunks is None else chunks_at(run.chunks, chosen),
        labels=None if run.labels is None else run.labels[chosen],
        parts=None if run.parts is None else run.parts.at(chosen),
        lengths=None if run.lengths is None else run.lengths[chosen],
        stated_scores=some(run.stated_scores),
    )


def chunks_at(chunks: Chunks, rows: IntArray) -> Chunks:
    """Return the chunks of some results."""
    return Chunks(
        chunks.texts.reordered(rows),
        chunks.ids.reordered(rows),
        chunks.costs[rows],
        chunks.stated[rows],
    )


def joined(parts: Sequence[Run], name: str, source: str) -> Run:
    """Join runs of different topics to one without line numbers."""
    if len(parts) == 1:
        return replace(parts[0], name=name)

    def every(
        of: Callable[[Run], T | None],
        absent: Callable[[Run], T],
        together: Callable[[list[T]], T],
    ) -> T | None:
        found = [of(part) for part in parts]
        if all(one is None for one in found):
            return None
        pairs = zip(parts, found, strict=True)
        return together([absent(part) if one is None else one for part, one in pairs])

    sizes = np.concatenate([np.diff(part.rows.starts) for part in parts])
    topics = tuple(topic for part in parts for topic in part.rows.topics)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    return Run(
        name,
        Rows(source, topics, starts, has_lines=False),
        joined_ids([part.documents for part in parts]),
        np.concatenate([part.scores for part in parts]),
        every(lambda part: part.ranks, _no_numbers, np.concatenate),
        every(lambda part: part.spans, _no_spans, _spans_joined),
        every(lambda part: part.paths, _no_names, joined_ids),
        every(lambda part: part.ends, _no_names, joined_ids),
        parts[0].header,
        next((part.unit for part in parts if part.spans is not None), parts[0].unit),
        every(lambda part: part.chunks, _no_chunks, _chunks_joined),
        stated_scores=every(
            lambda part: part.stated_scores, lambda part: part.scores, np.concatenate
        ),
    )


def _no_numbers(part: Run) -> FloatArray:
    return np.full(len(part.rows), np.nan)


def _no_spans(part: Run) -> Spans:
    return Spans(np.full(len(part.rows), UNKNOWN), np.zeros(len(part.rows), np.int64))


def _no_names(part: Run) -> Ids:
    return PlainIds([b""] * len(part.rows))


def _no_chunks(part: Run) -> Chunks:
    count = len(part.rows)
    unsaid = np.full(count, -1), np.ones(count, np.bool_)
    return Chunks(_no_names(part), _no_names(part), *unsaid)


def _spans_joined(parts: Sequence[Spans]) -> Spans:
    return Spans(
        np.concatenate([part.starts for part in parts]),
        np.concatenate([part.lengths for part in parts]),
    )


def _chunks_joined(parts: Sequence[Chunks]) -> Chunks:
    return Chunks(
        joined_ids([part.texts for part in parts]),
        joined_ids([part.ids for part in parts]),
        np.concatenate([part.costs for part in parts]),
        np.concatenate([part.stated for part in parts]),
    )
