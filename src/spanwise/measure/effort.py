"""How much effort a reader makes for what is discovered, beside the least that could be made.

The ideal list is that of the targets themselves, the most worthy first, each found for certain.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from spanwise.measure.discoveries import Discoveries, Reached, reached, unsatisfied
from spanwise.measure.odd_worths import odd_sums_reached

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray, IntArray

ROUNDING = 1e-12
"""A level counts as reached if it is missed by no more than this share."""
FINEST = 1000
"""Worths are taken for whole numbers of shares if these are no finer than one thousandth."""


# The ideal list -----------------------------------------------------------------------------


def ideal_ranks(worth: FloatArray, levels: FloatArray) -> IntArray:
    """The fewest targets that are worth these shares of all.

    >>> ideal_ranks(np.array([0.5, 1.0, 0.5]), np.array([0.25, 0.5, 0.6])).tolist()
    [1, 1, 2]
    """
    gathered = np.cumsum(np.sort(worth)[::-1])
    return 1 + np.searchsorted(gathered, levels * gathered[-1] * (1 - ROUNDING))


def ideal_effort(worth: FloatArray, level: float) -> float:
    """The same with parts of targets: where a line through the ideal list reaches the level.

    >>> ideal_effort(np.array([0.5, 1.0, 0.5]), 0.25), ideal_effort(np.array([0.5, 1.0, 0.5]), 0.6)
    (0.5, 1.4)
    """
    gathered = np.concatenate([[0.0], np.cumsum(np.sort(worth)[::-1])])
    return float(np.interp(level * gathered[-1], gathered, np.arange(len(gathered))))


# Recall and precision -----------------------------------------------------------------------


def recall_at(found: Discoveries, rank: int) -> float:
    """The share of the targets' worth that readers are expected to have discovered by a rank."""
    return float(found.worth @ (1 - found.missed_at(rank)) / found.worth.sum())


def precision_at_rank(found: Discoveries, rank: int, whole: bool) -> float:
    """The effort that the expected recall would have cost in the ideal list, per rank."""
    level = recall_at(found, rank)
    if whole:
        return int(ideal_ranks(found.worth, np.array([level]))[0]) / rank if level > 0 else 0.0
    return ideal_effort(found.worth, level) / rank


def precision_at_recall(found: Discoveries, levels: FloatArray) -> FloatArray:
    """For each level the expectation of ideal rank / rank at which a reader reaches it.

    Readers who never reach it count 0.
    """
    if found.certain:
        return ideal_ranks(found.worth, levels) * _saved_for_certain(found, levels)
    saved, chance = np.zeros(len(levels)), np.zeros(len(levels))
    for ranks, chances in _levels_reached(found, levels):
        newly = np.diff(chances, axis=0, prepend=chance[None])
        saved += (1 / ranks) @ newly
        chance = chances[-1]
    return ideal_ranks(found.worth, levels) * saved


def _saved_for_certain(found: Discoveries, levels: FloatArray) -> FloatArray:
    """One over the rank that reaches each level, where every discovery is certain; else 0."""
    shares = whole_shares(found.worth)  # their sums are exact
    worth = found.worth if shares is None else shares
    wanted = levels * worth.sum() * (1 - ROUNDING)
    place = np.searchsorted(np.cumsum(worth[found.target]), wanted)
    return np.append(1 / found.rank, 0.0)[place]


def mean_precision(found: Discoveries) -> float:
    """The mean of precision over the levels 1/N, 2/N, ..., 1 for N targets."""
    targets = len(found.worth)
    if (found.worth == found.worth[0]).all():
        return _mean_of_equals(found) / targets
    return float(precision_at_recall(found, np.arange(1, targets + 1) / targets).mean())


def _mean_of_equals(found: Discoveries) -> float:
    """The sum of precision over these levels where all targets are worth the same.

    The i-th level costs i ranks of the ideal list, so a reader who has discovered F targets has
    saved 1 + 2 + ... + F of them: in expectation the sum of all chances and of the products of
    all pairs of them. A chance that rises by d adds d (1 + the sum of the others).
    """
    rise = found.missed_before - found.missed
    others = np.cumsum(rise) - rise - (1 - found.missed_before)
    return float((rise * (1 + np.maximum(others, 0)) / found.rank).sum())


def discovering_share(found: Discoveries, level: float) -> float:
    """The chance that a result looked at discovers something, until so many are discovered.

    Readers who never discover enough look at all results. Without results nothing is discovered.
    """
    if not found.results:
        return 0.0
    goal = int(np.ceil(level * len(found.worth) * (1 - ROUNDING)))
    ranks, before, in_vain, at_last = unsatisfied(found, goal)
    waits = np.diff(ranks, prepend=0)  # before the results between two ranks with steps
    looked_at = before @ waits + at_last * (found.results - (ranks[-1] if len(ranks) else 0))
    return float((before - in_vain).sum() / looked_at)


# Any worth ----------------------------------------------------------------------------------


def _levels_reached(found: Discoveries, levels: FloatArray) -> Iterable[Reached]:
    """After each rank with steps the chance that each level of recall is reached."""
    if not len(found.rank):
        return ()
    shares = whole_shares(found.worth)
    if shares is not None:
        amounts = np.ceil(levels * shares.sum() * (1 - ROUNDING)).astype(np.int64)
        return reached(found, shares, amounts)
    wanted = levels * found.worth.sum() * (1 - ROUNDING)
    ranks = found.rank[found.ends()]
    return [Reached(ranks, odd_sums_reached(found, ranks, wanted))]


def whole_shares(worth: FloatArray) -> IntArray | None:
    """Worths as whole numbers of the largest share that they have in common, if there is one.

    >>> whole_shares(np.array([0.25, 0.9, 1.0])).tolist(), whole_shares(np.array([0.5, 2**-0.5]))
    ([5, 18, 20], None)
    """
    different = np.unique(worth)
    scaled = different[:, None] * np.arange(1, FINEST + 1)
    whole = np.round(scaled)
    fits = np.all((np.abs(scaled - whole) <= 1e-9) & (whole > 0), axis=0)
    if not fits.any():
        return None
    return np.round(worth * (1 + int(np.argmax(fits)))).astype(np.int64)
