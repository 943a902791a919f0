"""Judgements as they may be: documents that nobody judged take the place of relevant ones.

A relevant document that was not drawn is like one that was: as relevant, as much of it found, and
about as far down in the run. There it is the next document that was not pooled, so that measures
see a ranking like any other. What the run does not return is a document that it does not return.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from spanwise.ground.pooling import ranked
from spanwise.model.highlights import Highlights
from spanwise.model.ids import PlainIds
from spanwise.model.judgements import Judgements, combined
from spanwise.model.rows import Rows
from spanwise.model.spans import NOTHING, Spans, merged, overlap

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from spanwise.model.run import Run

NOWHERE = b"\0not returned "
"""How the id of a document begins that no run returns."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """What a relevant document was like: its grade, its rank (0: none), and its text."""

    grade: float
    rank: int
    relevant: int  # characters
    found: int  # by the run, among them


@dataclass(slots=True)
class Place:
    """A document of the run that was not pooled."""

    document: bytes
    rank: int
    shown: Spans
    length: int  # -1: not known


@dataclass(frozen=True, slots=True)
class _Entry:
    document: bytes
    grade: float
    passages: Spans
    length: int


class Guesses:
    """One run before judgements that are not complete."""

    def __init__(self, run: Run, known: Judgements, pooled: Sequence[frozenset[str]]) -> None:
        """`pooled` are the documents of each topic of `known` of which something is known."""
        self._known, self._run = known, run
        ranks = {topic.encode("utf-8", "surrogateescape"): found for topic, found in ranked(run)}
        self._ranks = [ranks.get(topic, {}) for topic in known.rows.topics]
        self._rows = [_rows_of(run, topic) for topic in known.rows.topics]
        self._free = [
            sorted(
                (self._place(topic, name, rank) for name, rank in found.items() if name not in own),
                key=lambda place: place.rank,
            )
            for topic, (found, own) in enumerate(zip(self._ranks, pooled, strict=True))
        ]

    def _place(self, topic: int, name: str, rank: int) -> Place:
        document = name.encode("utf-8", "surrogateescape")
        rows = self._rows[topic].get(document, [])
        lengths = self._run.lengths
        length = -1 if lengths is None or not rows else int(lengths[rows[0]])
        return Place(document, rank, self._shown(rows), length)

    def _shown(self, rows: list[int]) -> Spans:
        if self._run.spans is None or not rows:
            return NOTHING
        spans = self._run.spans.at(np.array(rows))
        return merged(spans.at(np.flatnonzero(spans.starts >= 0)))

    def likeness(self, topic: int, row: int) -> Likeness:
        """What a judged document is like; `row` is that of its judgement."""
        (document,) = self._known.documents.take(np.array([row]))
        rank = self._ranks[topic].get(document.decode("utf-8", "surrogateescape"), 0)
        grade, marked = float(self._known.grades[row]), self._known.highlights
        if marked is None:
            return Likeness(grade, rank, 0, 0)
        shown = self._shown(self._rows[topic].get(document, []))
        found = int(overlap(shown, marked.of(row)).sum())
        return Likeness(grade, rank, int(marked.relevant[row]), found)

    def judgements(self, more: Mapping[int, Iterable[Likeness]]) -> Judgements:
        """What is known, and for each topic some more relevant documents."""
        entries = [
            (topic, entry) for topic, some in more.items() for entry in self._new(topic, some)
        ]
        if not entries:
            return self._known
        topics = list(dict.fromkeys(topic for topic, _ in entries))
        counts = np.bincount([topic for topic, _ in entries])[topics]
        rows = Rows(
            self._known.rows.source,
            tuple(self._known.rows.topics[topic] for topic in topics),
            np.concatenate([[0], np.cumsum(counts)]),
            has_lines=False,
        )
        some = [entry for _, entry in entries]
        added = Judgements(
            rows,
            PlainIds([one.document for one in some]),
            np.array([one.grade for one in some]),
            highlights=None if self._known.highlights is None else self._marked(some),
        )
        both = combined([self._known, added], self._known.rows.source)
        assert isinstance(both, Judgements)  # both parts are
        return both

    def _marked(self, some: Sequence[_Entry]) -> Highlights:
        assert self._known.highlights is not None  # asked for only then
        starts = np.concatenate([one.passages.starts for one in some])
        lengths = np.concatenate([one.passages.lengths for one in some])
        return Highlights(
            np.array([one.passages.total() for one in some]),
            np.array([one.length for one in some]),
            np.array([int(one.passages.starts[0]) for one in some]),
            np.concatenate([[0], np.cumsum([len(one.passages) for one in some])]),
            Spans(starts, lengths),
            self._known.highlights.unit,
        )

    def _new(self, topic: int, some: Iterable[Likeness]) -> list[_Entry]:
        """Documents like some, each at the nearest free place to its rank, if it has one."""
        places = list(self._free[topic])
        ranks = np.array([place.rank for place in places], np.float64)
        entries = []
        for number, like in enumerate(some):
            place = Place(NOWHERE + str(number).encode(), 0, NOTHING, -1)
            if like.rank and np.isfinite(ranks).any():
                at = int(np.abs(ranks - like.rank).argmin())
                place, ranks[at] = places[at], np.inf
            entries.append(_entry(place, like))
        return entries


def _rows_of(run: Run, topic: bytes) -> dict[bytes, list[int]]:
    if topic not in run.rows.topics:
        return {}
    code = run.rows.topics.index(topic)
    rows = np.arange(run.rows.starts[code], run.rows.starts[code + 1])
    found: dict[bytes, list[int]] = {}
    for row, name in zip(rows.tolist(), run.documents.take(rows), strict=True):
        found.setdefault(name, []).append(row)
    return found


def _entry(place: Place, like: Likeness) -> _Entry:
    """As much of the text shown is relevant as in the likeness, and as much of the rest."""
    if not like.relevant:
        return _Entry(place.document, like.grade, NOTHING, place.length)
    inside = _first(place.shown, like.found)
    last = int(place.shown.ends[-1]) if len(place.shown) else 0
    end = place.length if place.length >= 0 else last + like.relevant
    starts = np.concatenate([[0], place.shown.ends])
    ends = np.concatenate([place.shown.starts, [max(end, last)]])
    outside = _first(Spans(starts, ends - starts), like.relevant - like.found)
    parts = Spans(
        np.concatenate([inside.starts, outside.starts]),
        np.concatenate([inside.lengths, outside.lengths]),
    )
    passages = merged(parts)
    return _Entry(place.document, like.grade, passages, place.length)


def _first(spans: Spans, count: int) -> Spans:
    """The first characters of spans, so many."""
    before = np.cumsum(spans.lengths) - spans.lengths
    return Spans(spans.starts, np.clip(count - before, 0, spans.lengths))
