"""The same text before several judges: documents that they share, laid end to end by topic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spanwise.compare.agreement import MISSING, Ratings
from spanwise.compare.unitised import Continuum
from spanwise.errors import InputError
from spanwise.model.ids import text
from spanwise.model.spans import NOTHING, Spans, overlap

if TYPE_CHECKING:
    from spanwise.model.arrays import BoolArray, FloatArray, IntArray
    from spanwise.model.judgements import Judgements

Lengths = Callable[[Sequence[bytes]], "IntArray"]
"""The characters of documents, -1 where nobody knows."""


class Judge(NamedTuple):
    """One who judged, and what."""

    name: str
    judgements: Judgements


@dataclass(frozen=True, slots=True, eq=False)
class Shared:
    """The documents of one topic that at least two judges have judged."""

    topic: bytes
    documents: tuple[bytes, ...]
    bounds: IntArray  # where each document begins and ends when they lie end to end
    known: BoolArray  # whether each document's length is known, or only how far it was highlighted
    seen: BoolArray  # judges by documents
    units: tuple[Spans, ...]  # what each judge highlighted
    entries: IntArray  # judges by documents: best entry points within the document, -1 for none
    grades: FloatArray  # judges by documents

    def ratings(self) -> Ratings:
        """What each judge said of every character."""
        edges = [
            self.bounds,
            *(one.starts for one in self.units),
            *(one.ends for one in self.units),
        ]
        cuts = np.unique(np.concatenate(edges))
        pieces = Spans(cuts[:-1], np.diff(cuts))
        return self._rated(pieces, pieces.lengths)

    def ratings_of(self, pieces: Spans) -> Ratings:
        """What each judge said of tokens or sentences: yes, if half of one is highlighted."""
        return self._rated(pieces, np.ones(len(pieces), np.int64))

    def _rated(self, pieces: Spans, weights: IntArray) -> Ratings:
        owner = np.searchsorted(self.bounds, pieces.starts, side="right") - 1
        yes = [2 * overlap(pieces, one) >= pieces.lengths for one in self.units]
        values = np.where(self.seen[:, owner], np.array(yes).astype(np.int64), MISSING)
        return Ratings(weights, values)

    def graded(self) -> Ratings:
        """What each judge said of every document: its grade; highlighted text alone counts 1."""
        grades = np.where(self.seen, self.grades, MISSING)
        return Ratings(np.ones(len(self.documents), np.int64), grades)

    def continuum(self) -> Continuum:
        """The documents that all judges have seen."""
        kept = np.asarray(self.seen.all(axis=0))
        bounds = np.concatenate([[0], np.cumsum(np.diff(self.bounds)[kept])])
        moved = np.cumsum(kept) - 1
        units = []
        for one in self.units:
            owner = np.searchsorted(self.bounds, one.starts, side="right") - 1
            stays = kept[owner]
            owner, some = owner[stays], one.at(np.flatnonzero(stays))
            starts = some.starts - self.bounds[owner] + bounds[moved[owner]]
            units.append(Spans(starts, some.lengths))
        return Continuum(bounds, tuple(units))

    def measured(self) -> bool:
        """Whether the length of every document is known."""
        return bool(self.known.all())


def shared_topics(judges: Sequence[Judge], lengths: Lengths | None = None) -> list[Shared]:
    """The topics in byte order that have a document which two judges or more have judged."""
    books = [_book(judge) for judge in judges]
    found = []
    for topic in sorted(set().union(*books)):
        pages = [book.get(topic, {}) for book in books]
        documents = sorted(set().union(*pages))
        rows = np.array([[page.get(name, -1) for name in documents] for page in pages])
        several = (rows >= 0).sum(axis=0) > 1
        if several.any():
            chosen = tuple(name for name, kept in zip(documents, several, strict=True) if kept)
            found.append(_shared(judges, topic, chosen, rows[:, several], lengths))
    return found


def _book(judge: Judge) -> dict[bytes, dict[bytes, int]]:
    """By topic, the row of every document that was judged."""
    judgements = judge.judgements
    rows = judgements.rows
    owners = np.repeat(np.arange(len(rows.topics)), np.diff(rows.starts)).tolist()
    names = judgements.documents.take(np.arange(len(rows)))
    graded = (judgements.grades >= 0).tolist()
    book: dict[bytes, dict[bytes, int]] = {}
    for row, (owner, name) in enumerate(zip(owners, names, strict=True)):
        topic = rows.topics[owner]
        page = book.setdefault(topic, {})
        if graded[row] and name in page:
            raise InputError(
                f"{rows.place(row)}: document {text(name)!r} of topic {text(topic)!r} is"
                f" judged twice by {judge.name!r}; expected one judgement by each judge"
            )
        if graded[row]:
            page[name] = row
    return book


def _shared(
    judges: Sequence[Judge],
    topic: bytes,
    documents: tuple[bytes, ...],
    rows: IntArray,
    lengths: Lengths | None,
) -> Shared:
    stated = _stated_lengths(judges, topic, documents, rows)
    if lengths is not None:
        told = lengths(documents)
        stated = np.where(stated < 0, told, stated)
    known = stated >= 0
    reach = np.array(
        [[_reach(judge, row) for row in mine] for judge, mine in zip(judges, rows, strict=True)]
    ).max(axis=0)
    if (beyond := np.flatnonzero(known & (reach > stated))).size:
        raise InputError(
            f"topic {text(topic)!r}, document {text(documents[beyond[0]])!r}: highlighted up to"
            f" character {reach[beyond[0]]}, but it has {stated[beyond[0]]}"
        )
    bounds = np.concatenate([[0], np.cumsum(np.where(known, stated, reach))])
    units = tuple(_laid_out(judge, mine, bounds) for judge, mine in zip(judges, rows, strict=True))
    return Shared(
        topic,
        documents,
        bounds,
        known,
        rows >= 0,
        units,
        _entries(judges, rows),
        _grades(judges, rows),
    )


def _stated_lengths(
    judges: Sequence[Judge], topic: bytes, documents: Sequence[bytes], rows: IntArray
) -> IntArray:
    """The lengths that judgements state; they must agree, else the texts are not the same."""
    stated = np.full(len(documents), -1)
    for judge, mine in zip(judges, rows, strict=True):
        marked = judge.judgements.highlights
        if marked is None:
            continue
        said = np.where(mine >= 0, marked.lengths[mine], -1)
        other = np.flatnonzero((said >= 0) & (stated >= 0) & (said != stated))
        if other.size:
            raise InputError(
                f"topic {text(topic)!r}, document {text(documents[other[0]])!r}: {judge.name!r}"
                f" judged a text of {said[other[0]]} characters, another judge one of"
                f" {stated[other[0]]}; expected the same text"
            )
        stated = np.maximum(stated, said)
    return stated


def _spans(judge: Judge, row: int) -> Spans:
    marked = judge.judgements.highlights
    return NOTHING if marked is None or row < 0 else marked.of(row)


def _reach(judge: Judge, row: int) -> int:
    spans = _spans(judge, row)
    return int(spans.ends[-1]) if len(spans) else 0


def _laid_out(judge: Judge, rows: IntArray, bounds: IntArray) -> Spans:
    """The highlights of a judge on the common axis."""
    each = [_spans(judge, row) for row in rows.tolist()]
    offsets = np.repeat(bounds[:-1], [len(one) for one in each])
    return Spans(
        np.concatenate([one.starts for one in each]) + offsets,
        np.concatenate([one.lengths for one in each]),
    )


def _entries(judges: Sequence[Judge], rows: IntArray) -> IntArray:
    entries = np.full(rows.shape, -1)
    for number, (judge, mine) in enumerate(zip(judges, rows, strict=True)):
        marked = judge.judgements.highlights
        if marked is not None:
            entries[number] = np.where(mine >= 0, marked.entries[mine], -1)
    return entries


def _grades(judges: Sequence[Judge], rows: IntArray) -> FloatArray:
    return np.array(
        [
            np.where(mine >= 0, judge.judgements.grades[mine], MISSING)
            for judge, mine in zip(judges, rows, strict=True)
        ],
        np.float64,
    )
