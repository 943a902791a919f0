"""Values of some topics of a run, before means are formed; pieces of a run can be joined."""

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
"""For each measure one value per topic."""


class Scattered(InputError):
    """Pieces of a run do not fit together: one topic's results stand in several of them."""


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """What is known of a run, or of a piece of it, once its topics have been measured.

    Plain data. `joined` is associative, and putting pieces together says the same as measuring
    the whole.
    """

    run: str  # its name
    source: str  # its file
    shape: tuple[Any, ...]  # what its results are: documents, spans, elements; counted in what
    answered: frozenset[bytes]  # the topics that it has results for
    judged: frozenset[bytes]  # those that were judged, as far as this piece was to look at them
    topics: tuple[bytes, ...]  # those that were measured, in byte order
    values: Values
    placing: tuple[Note, ...] = ()  # found while things were placed
    measuring: tuple[Note, ...] = ()  # found while they were measured
    facts: Mapping[str, int] = field(default_factory=dict)  # counts of results; pieces add up


def joined(pieces: Sequence[Measured], *, in_order: bool = True) -> Measured:
    """Pieces of a run as one: in the order in which they stand in it, or the last one last."""
    if len(pieces) == 1:
        return pieces[0]
    _refuse_scattered(pieces)
    owner: dict[bytes, tuple[int, int]] = {}  # where the value of each topic is to be had
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
    """Lines are counted from the beginning of each piece, unless pieces are not in order."""
    return [within(some, number) for number, some in enumerate(notes)] if in_order else notes


def _refuse_scattered(pieces: Sequence[Measured]) -> None:
    seen: set[bytes] = set()
    for piece in pieces:
        again = seen & piece.answered
        if again:
            raise Scattered(f"{piece.source}: topic {text(min(again))!r} is in several pieces")
        if piece.shape != pieces[0].shape:
            raise Scattered(f"{piece.source}: results of different kinds")
        seen |= piece.answered
