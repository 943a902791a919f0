"""Which text of a document is relevant, to be shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spanwise.model.spans import NOTHING, UNKNOWN, Spans, inmost

if TYPE_CHECKING:
    from spanwise.model.documents import Collection
    from spanwise.model.judgements import Judgements

Relevant = tuple[Spans, int]
"""Spans, and the best entry point; UNKNOWN where there is none."""


def relevant_text(
    judgements: Judgements, topic: bytes, name: bytes, collection: Collection | None
) -> Relevant:
    """The relevant text of a document, and its best entry point.

    Where no text was highlighted, these are the smallest elements that were judged relevant, or
    all of a relevant document.
    """
    rows, highlights = judgements.rows, judgements.highlights
    number = rows.topics.index(topic)
    every = np.arange(rows.starts[number], rows.starts[number + 1])
    names = judgements.documents.take(every)
    if name not in names:
        return NOTHING, UNKNOWN
    row = int(every[names.index(name)])
    if highlights is not None:
        return highlights.of(row), int(highlights.entries[row])
    if judgements.elements is not None:
        return _elements(judgements, row), UNKNOWN
    return _whole(judgements, row, name, collection), UNKNOWN


def _elements(judgements: Judgements, row: int) -> Spans:
    assert judgements.elements is not None
    judged = judgements.elements.elements.at(np.array([row]))
    if judged.spans is None:
        return NOTHING
    placed = judged.relevant() & (judged.spans.starts != UNKNOWN)
    return inmost(judged.spans.at(np.flatnonzero(placed)))


def _whole(judgements: Judgements, row: int, name: bytes, collection: Collection | None) -> Spans:
    if collection is None or name not in collection or judgements.grades[row] <= 0:
        return NOTHING
    return Spans(np.zeros(1, np.int64), np.array([collection.length(name)]))
