"""Reliability of measures: expected orders of runs, violations, swaps of pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import isnan
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray, IntArray

ROUNDING = 1e-9
"""Tolerance below which two scores are equal."""
IDEAL = "irb"


@dataclass(frozen=True, slots=True)
class Violation:
    """A pair of runs that a measure puts in the wrong order."""

    measure: str
    rule: str
    better: str  # the run that scores better
    worse: str  # the run that should not score worse
    values: tuple[float, float]

    def __str__(self) -> str:
        good, bad = self.values
        side = "above" if good > bad else "below"
        return (
            f"{self.measure}: {self.better} {good:.4f} {side} {self.worse} {bad:.4f} ({self.rule})"
        )


def competition_ranks(values: Sequence[float], less_is_better: bool = False) -> list[int]:
    """Return competition ranks: 1 for the best, undefined values last.

    Equal values share the first of their ranks.

    >>> competition_ranks([0.2, 0.9, 0.2, float("nan")])
    [2, 1, 2, 4]
    >>> competition_ranks([0.2, 0.9, 0.2, float("nan")], less_is_better=True)
    [1, 3, 1, 4]
    """
    known = [-float("inf") if isnan(merit) else merit for merit in _merits(values, less_is_better)]
    return [1 + sum(other > merit + ROUNDING for other in known) for merit in known]


def _merits(values: Sequence[float], less_is_better: bool) -> list[float]:
    """Return the values with signs such that the highest is best."""
    return [-value if less_is_better else value for value in values]


def ideal_beaten(
    measure: str, runs: Sequence[str], values: Sequence[float], less_is_better: bool = False
) -> list[Violation]:
    """Return the runs that score better than the ideal recall base."""
    scores = dict(zip(runs, values, strict=True))
    merits = dict(zip(runs, _merits(values, less_is_better), strict=True))
    ideal = merits.get(IDEAL, float("nan"))
    return [
        Violation(measure, f"nothing beats {IDEAL}", run, IDEAL, (scores[run], scores[IDEAL]))
        for run, merit in merits.items()
        if merit > ideal + ROUNDING
    ]


def overlap_rewarded(
    measure: str,
    runs: Sequence[str],
    values: Sequence[float],
    overlaps: Sequence[float],
    less_is_better: bool = False,
) -> list[Violation]:
    """Return the pairs in which the run with more overlap scores better."""
    found = []
    merits = _merits(values, less_is_better)
    for one, other in combinations(range(len(runs)), 2):
        for more, less in ((one, other), (other, one)):
            if overlaps[more] > overlaps[less] + ROUNDING and (
                merits[more] > merits[less] + ROUNDING
            ):
                pair = (values[more], values[less])
                rule = f"overlap {overlaps[more]:.1%} against {overlaps[less]:.1%}"
                found.append(Violation(measure, rule, runs[more], runs[less], pair))
    return found


# Swaps --------------------------------------------------------------------------------------------


def swapped(one: FloatArray, other: FloatArray) -> float:
    """Return the share of pairs of runs that two columns of scores order oppositely.

    >>> swapped(np.array([0.1, 0.2, 0.3]), np.array([0.1, 0.3, 0.2]))
    0.3333333333333333
    """
    first, second = _signs(one), _signs(other)
    pairs = np.triu_indices(len(one), 1)
    if not len(pairs[0]):
        return float("nan")
    return float(np.mean(first[pairs] * second[pairs] < 0))


def _signs(scores: FloatArray) -> FloatArray:
    apart = scores[:, None] - scores[None, :]
    return np.where(np.abs(apart) <= ROUNDING, 0.0, np.sign(apart))


def swapped_by_halves(table: FloatArray, seed: int, splits: int = 100) -> float:
    """Return the mean share of pairs that two halves of the topics order oppositely.

    `table` has a row for each run and a column for each topic; topics that are undefined for a run
    are left out. Undefined for fewer than two topics.
    """
    known = table[:, ~np.isnan(table).any(axis=0)]
    topics = known.shape[1]
    if topics < 2 or len(known) < 2:
        return float("nan")
    random = np.random.default_rng(seed)
    rates = []
    for _ in range(splits):
        order: IntArray = random.permutation(topics)
        first, second = order[: topics // 2], order[topics // 2 :]
        rates.append(swapped(known[:, first].mean(axis=1), known[:, second].mean(axis=1)))
    return float(np.mean(rates))
