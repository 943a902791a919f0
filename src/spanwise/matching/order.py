"""The order of results: by falling score, equal scores as the policy says.

A run is usually in order already, so that is checked first. Ids are compared only within groups of
equal scores that hold something judged, because the order of the rest changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from spanwise.errors import UsageError
from spanwise.model.spans import ranges

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray, IntArray
    from spanwise.model.columns import Rows
    from spanwise.model.policy import Policy
    from spanwise.model.run import Run


@dataclass(frozen=True, slots=True, eq=False)
class Ordered:
    """The rows of a run in the order of their scores, topic by topic."""

    scores: FloatArray  # falling within each topic; negated if the policy's order is rising
    rows: IntArray | None  # the row at each place; None: the rows are in order already
    tied: IntArray  # places whose score equals the next one's in the same topic


def by_score(run: Run, policy: Policy) -> Ordered:
    """Order the rows by score; equal scores keep file order."""
    if policy.ties == "rank" and run.ranks is None and run.spans is None:
        raise UsageError(f"ties: rank needs stated ranks, and {run.rows.source} was read without")
    scores = -run.scores if policy.order == "rising" else run.scores
    if policy.conventions.score_bits == 32:
        with np.errstate(over="ignore"):  # scores too large for 32 bits become infinite
            scores = scores.astype(np.float32)
    inner = np.ones(max(len(scores) - 1, 0), np.bool_)
    inner[run.rows.starts[1:-1] - 1] = False  # the score may rise from one topic to the next
    rising = np.flatnonzero((scores[1:] > scores[:-1]) & inner)
    rows = None
    if len(rising):
        rows = _sorted_rows(scores, run.rows, rising)
        scores = scores[rows]
    return Ordered(scores, rows, np.flatnonzero((scores[1:] == scores[:-1]) & inner))


def _sorted_rows(scores: FloatArray, rows: Rows, rising: IntArray) -> IntArray:
    order = np.arange(len(scores))
    topics = np.searchsorted(rows.starts, rising, side="right") - 1
    for topic in distinct(topics, len(rows.topics)).tolist():
        first, last = rows.starts[topic], rows.starts[topic + 1]
        order[first:last] = first + np.argsort(-scores[first:last], kind="stable")
    return order


def places_of(
    ordered: Ordered, run: Run, policy: Policy, rows: IntArray, *, rising: bool = False
) -> IntArray:
    """Return the place of each of these rows in the order, with ties broken.

    If document ids break ties, the greater id comes first, or last if `rising` is set.
    """
    places = rows
    if ordered.rows is not None:
        place_of_row = np.empty(len(ordered.rows), np.int64)
        place_of_row[ordered.rows] = np.arange(len(ordered.rows))
        places = place_of_row[rows]
    unranked = policy.ties == "rank" and run.ranks is None  # chunks may lack ranks
    if policy.ties == "file" or unranked or not len(ordered.tied):
        return places
    return _untied(ordered, run, policy, rows, places, rising)


def tie_groups(ordered: Ordered) -> tuple[IntArray, IntArray]:
    """Return the first and last place of every group of equal scores."""
    tied = ordered.tied
    begins = np.concatenate([[True], np.diff(tied) != 1])
    ends = np.concatenate([np.diff(tied) != 1, [True]])
    return tied[begins], tied[ends] + 1


def _untied(
    ordered: Ordered, run: Run, policy: Policy, rows: IntArray, places: IntArray, rising: bool
) -> IntArray:
    firsts, lasts = tie_groups(ordered)
    group = np.searchsorted(firsts, places, side="right") - 1
    inside = (group >= 0) & (places <= lasts[group])
    groups = distinct(group[inside], len(firsts))
    sizes = lasts[groups] - firsts[groups] + 1
    members = ranges(firsts[groups], sizes)
    member_rows = members if ordered.rows is None else ordered.rows[members]
    numbers = np.repeat(np.arange(len(groups)), sizes)
    if run.ranks is not None and policy.ties == "rank":
        sorted_rows = member_rows[np.lexsort((run.ranks[member_rows], numbers))]
    elif rising:
        sorted_rows = run.documents.falling(member_rows, -numbers)[::-1]
    else:
        sorted_rows = run.documents.falling(member_rows, numbers)
    by_row = np.argsort(sorted_rows)
    new_places = places.copy()
    at = np.searchsorted(sorted_rows, rows[inside], sorter=by_row)
    new_places[inside] = members[by_row[at]]
    return new_places


def distinct(numbers: IntArray, below: int) -> IntArray:
    """Return the different numbers, rising; unlike `np.unique` it imports no further subpackage.

    >>> distinct(np.array([3, 1, 3]), 5).tolist()
    [1, 3]
    """
    present = np.zeros(below, np.bool_)
    present[numbers] = True
    return np.flatnonzero(present)
