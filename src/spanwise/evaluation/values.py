"""Values of the topics of a run or of a piece of it, before means are formed.

`Measured` is what a worker returns for a piece, and `joined` combines the pieces of a run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

import numpy as np

from spanwise.errors import InputError
from spanwise.model.columns import text
from spanwise.model.notes import Note, added, within

Values = dict[str, Any]
"""Values of each measure, one per topic."""


class Scattered(InputError):
    """Pieces of a run cannot be joined: several have results of one topic, or kinds differ."""


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """The measured topics of a run or of a piece of it, as plain data.

    `joined` is associative, and joining the pieces of a run equals measuring it as a whole.
    """

    run: str  # the name of the run
    source: str  # the file of the run
    shape: tuple[Any, ...]  # the kind of results (documents, spans, elements) and their unit
    answered: frozenset[bytes]  # the topics with results
    judged: frozenset[bytes]  # the judged topics that this piece is responsible for
    topics: tuple[bytes, ...]  # the measured topics, in byte order
    values: Values
    placing: tuple[Note, ...] = ()  # found while results were placed
    measuring: tuple[Note, ...] = ()  # found while topics were measured
    facts: Mapping[str, int] = field(default_factory=dict)  # counts of results, which are summed


def joined(pieces: Sequence[Measured], *, in_order: bool = True) -> Measured:
    """Join the pieces of a run; if they are not in its order, at least the last is last."""
    if len(pieces) == 1:
        return pieces[0]
    _refuse_scattered(pieces)
    owner: dict[bytes, tuple[int, int]] = {}  # the piece and row that has each topic
    for number, piece in enumerate(pieces):
        for row, topic in enumerate(piece.topics):
            if topic not in owner or topic in piece.answered:
                owner[topic] = number, row
    topics = tuple(sorted(owner))
    valued = [number for number, piece in enumerate(pieces) if piece.topics]
    begins = dict(
        zip(valued, np.cumsum([0, *(len(pieces[n].topics) for n in valued)]), strict=False)
    )
    order = np.array([begins[n] + row for n, row in map(owner.__getitem__, topics)], np.int64)
    names = pieces[valued[0]].values if valued else ()
    return Measured(
        pieces[-1].run,
        pieces[0].source,
        pieces[0].shape,
        frozenset().union(*(piece.answered for piece in pieces)),
        frozenset().union(*(piece.judged for piece in pieces)),
        topics,
        {name: np.concatenate([pieces[n].values[name] for n in valued])[order] for name in names},
        tuple(reduce(added, _numbered([piece.placing for piece in pieces], in_order))),
        tuple(reduce(added, (piece.measuring for piece in pieces))),
        dict(sum((Counter(piece.facts) for piece in pieces), Counter())),
    )


def _numbered(notes: Sequence[tuple[Note, ...]], in_order: bool) -> Iterable[Sequence[Note]]:
    """Prefix positions in notes with the numbers of pieces, if pieces are in order."""
    return [within(some, number) for number, some in enumerate(notes)] if in_order else notes


def _refuse_scattered(pieces: Sequence[Measured]) -> None:
    seen: set[bytes] = set()
    for piece in pieces:
        again = seen & piece.answered
        if again:
            raise Scattered(
                f"{piece.source}: topic {text(min(again))!r} has results in several pieces"
            )
        if piece.shape != pieces[0].shape:
            raise Scattered(f"{piece.source}: found results of different kinds; expected one kind")
        seen |= piece.answered
