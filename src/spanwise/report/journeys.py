"""Where readers go from each result, and what they have seen by then."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spanwise.report.explanation import table_of

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray, IntArray
    from spanwise.model.journeys import Journey
    from spanwise.report.explanation import Listing
    from spanwise.report.tables import Table


def journey_table(
    journey: Journey, ranks: IntArray, targets: IntArray, new: FloatArray, listing: Listing
) -> Table:
    """For each result how many targets it may lead to, and what is expected to be discovered.

    `new` is by how much the chance to have seen a target grows at a rank.
    """
    size = journey.results + 1
    count = np.bincount(journey.rank, minlength=size)[1:]
    chance = np.zeros(size)
    np.maximum.at(chance, journey.rank, journey.chance)
    fresh: FloatArray = np.bincount(ranks, weights=new, minlength=size)[1:].astype(np.float64)
    worth = np.bincount(ranks, weights=new * journey.worth[targets], minlength=size)[1:]
    total = float(journey.worth.sum())
    recall = np.cumsum(worth) / total if total else np.full(size - 1, np.nan)
    columns = [
        ("targets", [str(number) if number else "" for number in count.tolist()]),
        ("chance", _shown(chance[1:], count)),
        ("new", _shown(fresh, count)),
        ("GR", [f"{value:.4f}" for value in recall.tolist()]),
    ]
    return table_of(listing, columns)


def entry_table(journey: Journey, listing: Listing) -> Table:
    """How near each result begins to the entry point of its document, if it is the first there."""
    _, first = np.unique(journey.target, return_index=True)  # pairs come by rank
    near = np.zeros(journey.results)
    near[journey.rank[first] - 1] = journey.chance[first]
    counts = np.bincount(journey.rank[first] - 1, minlength=journey.results)
    total = len(journey.worth)
    so_far = np.cumsum(near) / total if total else np.full(journey.results, np.nan)
    columns = [
        ("score", _shown(near, counts)),
        ("BEPD", [f"{value:.4f}" for value in so_far.tolist()]),
    ]
    return table_of(listing, columns)


def _shown(column: FloatArray, count: IntArray) -> list[str]:
    """Numbers where a result leads somewhere."""
    pairs = zip(column.tolist(), count.tolist(), strict=True)
    return [f"{value:.4f}" if number else "" for value, number in pairs]
