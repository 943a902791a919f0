"""Filters that adapt a ranking to an INEX task."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from spanwise.errors import UsageError
from spanwise.retrieve.queries import Hits

if TYPE_CHECKING:
    from spanwise.retrieve.units import Units

Task = Literal["thorough", "focused", "ric", "bic"]
TASKS: tuple[Task, ...] = ("thorough", "focused", "ric", "bic")


def shaped(units: Units, hits: Hits, task: Task, top: int) -> Hits:
    """Filter a ranking for a task; `top` counts results, in context tasks documents.

    thorough: the ranking is unchanged. focused: from the top down, a result that overlaps a better
    one is dropped, so that the best result on every path remains. ric: focused, then grouped by
    document in the order of their best results. bic: the best result of each document.
    """
    if task not in TASKS:
        raise UsageError(f"task {task!r}; expected one of {', '.join(TASKS)}")
    ranked = hits.best(len(hits.units))
    if task == "thorough":
        return ranked.best(top)
    if task == "bic":
        return _first_of_each(units, ranked, top)
    kept = _without_overlap(units, ranked)
    return (
        Hits(kept.units[:top], kept.scores[:top])
        if task == "focused"
        else _grouped(units, kept, top)
    )


def _without_overlap(units: Units, ranked: Hits) -> Hits:
    taken: dict[int, list[tuple[int, int]]] = {}
    kept = []
    starts, ends = units.spans.starts, units.spans.ends
    for row, unit in enumerate(ranked.units.tolist()):
        start, end = int(starts[unit]), int(ends[unit])
        mine = taken.setdefault(int(units.document[unit]), [])
        if all(end <= begin or start >= stop for begin, stop in mine):
            mine.append((start, end))
            kept.append(row)
    return Hits(ranked.units[kept], ranked.scores[kept])


def _first_of_each(units: Units, ranked: Hits, top: int) -> Hits:
    _, first = np.unique(units.document[ranked.units], return_index=True)
    rows = np.sort(first)[:top]
    return Hits(ranked.units[rows], ranked.scores[rows])


def _grouped(units: Units, ranked: Hits, top: int) -> Hits:
    documents = units.document[ranked.units]
    _, first, which = np.unique(documents, return_index=True, return_inverse=True)
    place = first[which]  # where the best result of the document stood
    order = np.argsort(place, kind="stable")
    kept = order[np.isin(place[order], np.sort(first)[:top])]
    return Hits(ranked.units[kept], ranked.scores[kept])
