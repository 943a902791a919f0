"""Relevant text piece by piece, as it was stated, before anything is united.

One item is one stretch of text that somebody pointed out. Items of one set belong together; where
a topic has several sets, each of them is evidence enough.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from spanwise.model.highlights import Highlights
from spanwise.model.ids import PlainIds, joined
from spanwise.model.spans import UNKNOWN, Spans, Unit, merged, ranges

if TYPE_CHECKING:
    from spanwise.model.arrays import BoolArray, FloatArray, IntArray
    from spanwise.model.ids import Ids
    from spanwise.model.placements import Labels


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """The items of judged documents, one entry for each row of the judgements owning some."""

    first: IntArray  # row r owns the items first[r] to first[r + 1]
    spans: Spans  # UNKNOWN where only the text is known
    grades: FloatArray  # 0: judged, and not relevant
    sets: IntArray  # number of the alternative
    aspects: Sequence[tuple[bytes, ...]]  # what each is about
    by: Ids  # who pointed it out; empty where nobody says
    texts: Ids  # in UTF-8; empty where only the place was given
    stated: BoolArray  # whether something was said about where it begins, right or wrong
    full: BoolArray  # per row: whether the rest of the document was judged not relevant
    unit: Unit = "codepoint"
    labels: Labels | None = None  # how each text was placed in its document
    questions: Mapping[bytes, str] = field(default_factory=dict)  # by topic
    documents: Mapping[bytes, str] = field(default_factory=dict)  # texts that came along, by id

    def __len__(self) -> int:
        return len(self.grades)

    @property
    def counts(self) -> IntArray:
        """How many items each row has."""
        return np.diff(self.first)

    @property
    def relevant(self) -> BoolArray:
        """Which items count: relevant ones whose place is known."""
        placed = (self.spans.starts != UNKNOWN) & (self.spans.lengths > 0)
        return (self.grades > 0) & placed

    def at(self, rows: IntArray) -> Evidence:
        """The items of some rows, in the order given."""
        counts = self.counts[rows]
        items = ranges(self.first[rows], counts)
        return replace(
            self._items(items),
            first=np.concatenate([[0], np.cumsum(counts)]),
            full=self.full[rows],
        )

    def only(self, kept: BoolArray) -> Evidence:
        """Some of the items, those of each row still together."""
        before = np.concatenate([[0], np.cumsum(kept)])
        return replace(self._items(np.flatnonzero(kept)), first=before[self.first])

    def _items(self, items: IntArray) -> Evidence:
        return replace(
            self,
            spans=self.spans.at(items),
            grades=self.grades[items],
            sets=self.sets[items],
            aspects=[self.aspects[item] for item in items.tolist()],
            by=self.by.reordered(items),
            texts=self.texts.reordered(items),
            stated=self.stated[items],
            labels=None if self.labels is None else self.labels[items],
        )


def plain_evidence(marked: Highlights) -> Evidence:
    """Highlighted text as evidence: every passage is one item, all of one set."""
    count = len(marked.passages)
    nothing = PlainIds([b""] * count)
    return Evidence(
        marked.first,
        marked.passages,
        np.ones(count),
        np.zeros(count, np.int64),
        [()] * count,
        nothing,
        nothing,
        np.ones(count, np.bool_),
        np.ones(len(marked.first) - 1, np.bool_),
        marked.unit,
    )


def joined_evidence(parts: Sequence[Evidence]) -> Evidence:
    """The evidence of several files, one after the other."""
    counts = np.concatenate([part.counts for part in parts])
    labels = [part.labels for part in parts if part.labels is not None]
    return Evidence(
        np.concatenate([[0], np.cumsum(counts)]),
        Spans(
            np.concatenate([part.spans.starts for part in parts]),
            np.concatenate([part.spans.lengths for part in parts]),
        ),
        np.concatenate([part.grades for part in parts]),
        np.concatenate([part.sets for part in parts]),
        [aspects for part in parts for aspects in part.aspects],
        joined([part.by for part in parts]),
        joined([part.texts for part in parts]),
        np.concatenate([part.stated for part in parts]),
        np.concatenate([part.full for part in parts]),
        parts[0].unit,
        np.concatenate(labels) if len(labels) == len(parts) else None,
        {topic: text for part in parts for topic, text in part.questions.items()},
        {name: text for part in parts for name, text in part.documents.items()},
    )


def highlights_of(evidence: Evidence, lengths: IntArray, entries: IntArray) -> Highlights:
    """The relevant text of each row, united."""
    kept = evidence.relevant
    texts = []
    for begin, end in zip(evidence.first[:-1].tolist(), evidence.first[1:].tolist(), strict=True):
        mine = begin + np.flatnonzero(kept[begin:end])
        texts.append(merged(evidence.spans.at(mine)))
    counts = [len(one) for one in texts]
    empty = np.zeros(0, np.int64)
    return Highlights(
        np.array([one.total() for one in texts], np.int64),
        lengths,
        entries,
        np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        Spans(
            np.concatenate([empty, *(one.starts for one in texts)]),
            np.concatenate([empty, *(one.lengths for one in texts)]),
        ),
        evidence.unit,
    )
