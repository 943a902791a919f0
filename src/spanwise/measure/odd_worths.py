"""Chances that what was discovered is worth enough, where worths have no common share.

Every sum that some of the targets can be worth is a case of its own; equal sums are one. Targets
are split into two halves with a table of sums each: of any two sums, one from each table, it is
seen at once whether they are enough together, so that nobody combines all with all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from spanwise.errors import UsageError

if TYPE_CHECKING:
    from spanwise.measure.discoveries import Discoveries
    from spanwise.model.arrays import FloatArray, IntArray

MOST_SUMS = 1 << 14
"""How many sums one of the two tables has at most."""
CELLS = 1 << 20
"""How many pairs of a level and a sum are looked at at once."""
ALIKE = 1e-13
"""Sums that differ by no more than this share of the whole are one: rounding told them apart."""


@dataclass(frozen=True, slots=True)
class Sums:
    """All that some targets can be worth, in rising order."""

    values: FloatArray
    steps: tuple[tuple[int, IntArray, IntArray], ...]
    """For each target: where each sum so far goes if it is missed, and if it is discovered."""

    @classmethod
    def of(cls, targets: list[int], worth: FloatArray) -> Sums:
        """The sums of these targets' worths."""
        values, steps = np.zeros(1), []
        for target in targets:
            both = np.concatenate([values, values + worth[target]])
            keys = np.round(both / (ALIKE * worth.sum()))
            _, index, place = np.unique(keys, return_index=True, return_inverse=True)
            if len(index) > MOST_SUMS:
                raise UsageError(
                    f"{len(worth)} targets of different worth have too many combinations; round"
                    " their worth to a grid, such as grid=1000, or use worth=binary"
                )
            steps.append((target, place[: len(values)], place[len(values) :]))
            values = both[index]
        return cls(values, tuple(steps))

    def chances(self, missed: FloatArray) -> FloatArray:
        """How likely each sum is, given for every target the chance that it is missed."""
        chances: FloatArray = np.ones(1)
        for target, stays, grows in self.steps:
            count = int(grows[-1]) + 1  # the largest sum comes last
            lost = np.bincount(stays, chances * missed[target], count)
            found = np.bincount(grows, chances * (1 - missed[target]), count)
            chances = np.add(lost, found, dtype=np.float64)
        return chances


def odd_sums_reached(found: Discoveries, ranks: IntArray, wanted: FloatArray) -> FloatArray:
    """The chance, after each of these ranks, that so much worth has been discovered."""
    targets = np.unique(found.target)
    first, second = (Sums.of(half, found.worth) for half in _halves(targets, found.worth))
    rows = np.empty((len(ranks), len(wanted)))
    for some in _portions(len(wanted), len(first.values)):
        places = np.searchsorted(second.values, wanted[some, None] - first.values)
        for row, rank in enumerate(ranks.tolist()):
            missed = found.missed_at(rank)
            tails = np.append(np.cumsum(second.chances(missed)[::-1])[::-1], 0.0)
            rows[row, some] = tails[places] @ first.chances(missed)
    return rows


def _halves(targets: IntArray, worth: FloatArray) -> tuple[list[int], list[int]]:
    """Two parts with about as many sums; targets of one worth stay together, having few sums."""
    halves: tuple[list[int], list[int]] = ([], [])
    sums = [1, 1]
    different, counts = np.unique(worth[targets], return_counts=True)
    for number in np.argsort(-counts, kind="stable").tolist():
        smaller = sums.index(min(sums))
        halves[smaller].extend(targets[worth[targets] == different[number]].tolist())
        sums[smaller] *= int(counts[number]) + 1
    return halves


def _portions(levels: int, sums: int) -> Iterator[slice]:
    """Levels, so many at once that tables of them and all sums stay small."""
    height = max(1, CELLS // sums)
    return (slice(first, first + height) for first in range(0, levels, height))
