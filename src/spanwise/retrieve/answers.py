"""Rankings of topics, gathered into a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING
from warnings import warn

import numpy as np

from spanwise.errors import InputError, SpanwiseWarning
from spanwise.model.ids import PlainIds
from spanwise.model.rows import Rows
from spanwise.model.run import Run

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray
    from spanwise.retrieve.asking import Hits
    from spanwise.retrieve.units import Units

DIGITS = 9
"""Scores are rounded so, which makes runs the same on every machine; small ones keep as many."""


def rounded(scores: FloatArray) -> FloatArray:
    """Scores with nine digits after the point, and nine that count below 1.

    >>> rounded(np.array([12.3456789012345, 0.000001234567890123, -0.0])).tolist()
    [12.345678901, 1.23456789e-06, 0.0]
    """
    size = np.abs(scores)
    first = np.floor(np.log10(size, out=np.zeros_like(size), where=size > 0)).astype(np.int64)
    places = np.clip(DIGITS - 1 - first, DIGITS, 300)
    return (
        np.array([round(s, p) for s, p in zip(scores.tolist(), places.tolist(), strict=True)]) + 0.0
    )


def _say_unanswered(topics: Sequence[str], source: str) -> None:
    if topics:
        some = ", ".join(map(repr, topics[:5])) + (", ..." if len(topics) > 5 else "")
        message = f"{source}: nothing was found for {len(topics)} of the topics: {some}"
        warn(message, SpanwiseWarning, stacklevel=2)


def run_of(answers: Mapping[str, Hits], units: Units, name: str, source: str) -> Run:
    """The run; topics without an answer are not in it, and are said."""
    found = {topic: hits for topic, hits in answers.items() if len(hits.units)}
    if not found:
        raise InputError(f"{source}: nothing was found for any topic")
    _say_unanswered([topic for topic in answers if topic not in found], source)
    rows = np.concatenate([hits.units for hits in found.values()])
    scores = rounded(np.concatenate([hits.scores for hits in found.values()]))
    starts = np.cumsum([0, *(len(hits.units) for hits in found.values())])
    names = [units.ids[document].encode() for document in units.document[rows].tolist()]
    topics = tuple(topic.encode("utf-8", "surrogateescape") for topic in found)
    kind = units.grain.kind
    paths = [units.paths[row].encode() for row in rows.tolist()] if kind == "element" else None
    return Run(
        name,
        Rows(source, topics, starts, has_lines=False),
        PlainIds(names),
        scores,
        spans=units.spans.at(rows) if kind == "chunk" else None,
        paths=PlainIds(paths) if paths is not None else None,
        unit="byte" if units.collection.policy.unit == "bytes" else "codepoint",
    )
