"""Runs made of what is relevant: what a measure should think of them is known beforehand.

| run | elements                                             |
|-----|------------------------------------------------------|
| irb | the ideal recall base                                |
| frb | the full recall base                                 |
| ia  | ideal elements, and all relevant ones around them    |
| id  | ideal elements, and all relevant ones in them        |
| lo  | relevant elements with nothing relevant in them      |
| ao  | relevant root elements                               |

Each comes by falling value; of equal ones the deeper first, then by document, then by path.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from spanwise.errors import UnknownName
from spanwise.model.columns import PlainIds, Rows
from spanwise.model.elements import NO_ELEMENT
from spanwise.model.run import Run

if TYPE_CHECKING:
    from spanwise.model.arrays import BoolArray, IntArray
    from spanwise.model.elements import RecallBase, Ties
    from spanwise.model.judgements import Judgements

SIMULATED = {
    "irb": "the ideal recall base",
    "frb": "the full recall base",
    "ia": "ideal elements and the relevant ones around them",
    "id": "ideal elements and the relevant ones in them",
    "lo": "relevant elements with nothing relevant in them",
    "ao": "relevant root elements",
}
"""The simulated runs, in words."""


def simulated(judgements: Judgements, base: RecallBase, kind: str, ties: Ties) -> Run:
    """The run of that kind, made of all topics that have something for it; perhaps of none."""
    chosen = np.flatnonzero(_chosen(base, kind, ties))
    documents = judgements.documents.take(base.judged.row[chosen])
    paths = [base.judged.paths[number] for number in chosen.tolist()]
    order = np.array(_ordered(base, chosen, documents, paths), np.int64)
    topics = base.judged.topic[chosen[order]]
    counts = np.bincount(topics, minlength=len(base.judged.rows.topics))
    # A run of nothing still is a run for these topics: it scores 0 in all of them.
    present = np.flatnonzero(counts) if len(chosen) else np.arange(len(counts))
    names = tuple(base.judged.rows.topics[code] for code in present.tolist())
    starts = np.concatenate([[0], np.cumsum(counts[present])])
    return Run(
        kind,
        Rows(f"{kind} of {base.judged.source}", names, starts, has_lines=False),
        PlainIds([documents[number] for number in order.tolist()]),
        base.value[chosen[order]],
        paths=PlainIds([paths[number] for number in order.tolist()]),
        header={
            "run-id": kind,
            "task": "Thorough",
            "query": "automatic",
            "description": f"simulated: {SIMULATED[kind]}, quantised by {base.quant}",
        },
    )


def _chosen(base: RecallBase, kind: str, ties: Ties) -> BoolArray:
    if kind not in SIMULATED:
        raise UnknownName("simulated run", kind, list(SIMULATED))
    if kind == "irb":
        return base.ideal(ties)
    if kind == "frb":
        return base.full
    if kind == "ia":
        return base.full & _around(base, base.ideal(ties))
    if kind == "id":
        return base.full & (base.home(ties) != NO_ELEMENT)
    if kind == "lo":
        return base.full & ~_outside(base, base.full)
    roots = [path.count(b"/") == 1 for path in base.judged.paths]
    return base.full & np.array(roots, np.bool_)


def _around(base: RecallBase, some: BoolArray) -> BoolArray:
    """These elements and all around them."""
    return some | _outside(base, some)


def _outside(base: RecallBase, some: BoolArray) -> BoolArray:
    """The elements that have some of these in them."""
    outside = np.zeros(len(some), np.bool_)
    for level in base.judged.in_levels()[:0:-1]:
        inner = level[some[level] | outside[level]]
        outside[base.judged.parent[inner]] = True
    return outside


def _ordered(
    base: RecallBase, chosen: IntArray, documents: Sequence[bytes], paths: Sequence[bytes]
) -> list[int]:
    topic, value = base.judged.topic[chosen].tolist(), base.value[chosen].tolist()

    def key(number: int) -> tuple[int, float, int, bytes, bytes]:
        path = paths[number]
        return topic[number], -value[number], -path.count(b"/"), documents[number], path

    return sorted(range(len(chosen)), key=key)
