"""What readers have discovered after each rank: chances of single targets, and how many in all.

A target is discovered when it is first reached. Chances are independent, so the number of targets
discovered is a sum of independent trials (a Poisson binomial variable). Its distribution is made
from its characteristic function: the product over targets of q + p w, with p the chance that the
target has been seen, q = 1 - p and w a root of unity. From one rank to the next only a few factors
change. They are changed in logarithms, so nothing is divided that could be close to 0, and one
inverse Fourier transform gives all probabilities, exact to some 1e-13 for thousands of targets.
The number of roots is odd: then no factor is 0 at any of them, since only w = -1 could make it so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray, IntArray
    from spanwise.model.journeys import Journey

CELLS = 1 << 20
"""How many numbers a table has at most that is made at once."""
COARSE = 2.0**30
"""Multiples of its inverse can be added up without rounding as far as some millions."""


@dataclass(frozen=True, slots=True, eq=False)
class Discoveries:
    """The steps of a journey that can discover something, in order of rank."""

    results: int
    worth: FloatArray  # of every target
    rank: IntArray  # of each step
    target: IntArray
    missed_before: FloatArray  # chance that the target has not been seen before this rank; not 0
    missed: FloatArray  # chance that it has not been seen after it

    @property
    def certain(self) -> bool:
        """Whether readers either surely or surely not see a target."""
        return not self.missed.any()

    def ends(self) -> IntArray:
        """The last step at each rank that has some."""
        last = np.ones(len(self.rank), np.bool_)
        last[:-1] = self.rank[1:] != self.rank[:-1]
        return np.flatnonzero(last)

    def missed_at(self, rank: int) -> FloatArray:
        """For each target the chance that it has not been seen after a rank."""
        missed = np.ones(len(self.worth))
        steps = slice(0, int(np.searchsorted(self.rank, rank, side="right")))
        missed[self.target[steps]] = self.missed[steps]  # of steps to one target the last counts
        return missed


def discoveries(journeys: Sequence[Journey]) -> list[Discoveries]:
    """How likely each target is still to be discovered, before and after each step."""
    targets = np.cumsum([0, *(len(journey.worth) for journey in journeys)])
    pairs = list(zip(journeys, targets.tolist(), strict=False))
    target = np.concatenate([_NONE, *(journey.target + first for journey, first in pairs)])
    chance = np.concatenate([_NO_CHANCE, *(journey.chance for journey in journeys)])
    before, after = _missed(target, chance)
    steps = np.cumsum([0, *(len(journey.rank) for journey in journeys)]).tolist()
    return [
        _fresh(journey, before[first:last], after[first:last])
        for journey, (first, last) in zip(journeys, pairwise(steps), strict=True)
    ]


_NONE, _NO_CHANCE = np.zeros(0, np.int64), np.zeros(0)


def _missed(target: IntArray, chance: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The chance that the target of each step has not been seen before the step, and after it."""
    order = np.argsort(target, kind="stable")
    ordered = target[order]
    visit = np.arange(len(ordered)) - np.searchsorted(ordered, ordered)
    before, after = np.ones(len(ordered)), 1 - chance[order]
    by_visit = np.argsort(visit, kind="stable")
    ends = np.cumsum(np.bincount(visit))
    for begin, end in pairwise(ends.tolist()):
        now = by_visit[begin:end]
        before[now] = after[now - 1]
        after[now] *= before[now]
    back = np.empty_like(order)
    back[order] = np.arange(len(order))
    return before[back], after[back]


def _fresh(journey: Journey, before: FloatArray, after: FloatArray) -> Discoveries:
    """The steps to what has not surely been seen before."""
    fresh = before > 0
    return Discoveries(
        journey.results,
        journey.worth,
        journey.rank[fresh],
        journey.target[fresh],
        before[fresh],
        after[fresh],
    )


# How much in all ----------------------------------------------------------------------------


class Reached(NamedTuple):
    """Chances after some of the ranks: what has been discovered is worth at least so much."""

    ranks: IntArray
    chances: FloatArray  # one row for each rank, one column for each amount


def reached(found: Discoveries, shares: IntArray, amounts: IntArray) -> Iterator[Reached]:
    """Chances that what has been discovered is worth at least some amounts, rank by rank.

    `shares` are the worths of the targets as whole numbers above 0. Ranks that change nothing are
    left out. Some ranks come at once, so that tables stay small.
    """
    ends = found.ends()
    roots = Roots.enough_for(int(shares[np.unique(found.target)].sum()))
    for some, _, after in _logs(found, shares, roots):
        yield Reached(found.rank[ends[some]], roots.tails(after)[:, roots.place(amounts)])


class Unsatisfied(NamedTuple):
    """How likely ranks that may discover something are met by readers short of their goal."""

    ranks: IntArray
    before: FloatArray  # chance that fewer targets than wanted had been discovered
    in_vain: FloatArray  # chance that, besides, nothing is discovered here
    at_last: float  # chance that fewer than wanted are discovered in the end


def unsatisfied(found: Discoveries, goal: int) -> Unsatisfied:
    """Readers who want to discover so many targets, rank by rank."""
    ends = found.ends()
    if found.certain:
        counts = np.concatenate([[0], ends + 1])
        still = (counts < goal).astype(np.float64)
        return Unsatisfied(found.rank[ends], still[:-1], np.zeros(len(ends)), float(still[-1]))
    ones = np.ones(len(found.worth), np.int64)
    roots = Roots.enough_for(len(np.unique(found.target)))
    place = roots.place(np.array([goal]))
    before: list[FloatArray] = []
    vain: list[FloatArray] = []
    last = 1.0
    for some, ahead, after in _logs(found, ones, roots):
        quiet = roots.tails(ahead + _nothing_new(found, some, roots))
        vain.append(quiet[:, 0] - quiet[:, place[0]])
        short = 1 - roots.tails(after)[:, place[0]]
        before.append(np.append(last, short[:-1]))
        last = float(short[-1])
    chances = np.concatenate(before), np.clip(np.concatenate(vain), 0, 1)
    return Unsatisfied(found.rank[ends], *chances, last)


# The characteristic function ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Roots:
    """Roots of unity; of each conjugate pair one is enough."""

    total: int  # the highest sum that can come up
    count: int  # an odd number above it, easy to transform

    @classmethod
    def enough_for(cls, total: int) -> Roots:
        """As many as a distribution on 0 to `total` needs."""
        easy = _easy_counts()
        return cls(total, int(easy[np.searchsorted(easy, total, side="right")]))

    def halves(self, shares: IntArray) -> FloatArray:
        """Half the angle of each root, multiplied by each share; one row if shares are equal."""
        if shares.min() == shares.max():
            shares = shares[:1]
        turns = np.outer(shares, np.arange(self.count // 2 + 1)) % self.count
        return np.pi / self.count * turns

    def tails(self, logs: FloatArray) -> FloatArray:
        """The chance of every sum or more, from logarithms at the roots; the last column is 0."""
        spread = np.fft.irfft(np.exp(logs.conj()), self.count, axis=-1)[:, : self.total + 1]
        tails = np.cumsum(spread[:, ::-1], axis=-1)[:, ::-1]
        return np.concatenate([np.clip(tails, 0, 1), np.zeros((len(tails), 1))], axis=-1)

    def place(self, amounts: IntArray) -> IntArray:
        """The columns of `tails` for some amounts."""
        return np.clip(amounts, 0, self.total + 1)


@cache
def _easy_counts() -> IntArray:
    """Odd numbers without large prime factors, in rising order."""
    threes, fives, sevens = np.ix_(3 ** np.arange(16), 5 ** np.arange(11), 7 ** np.arange(9))
    return np.sort((threes * fives * sevens).ravel())


def _logs(
    found: Discoveries, shares: IntArray, roots: Roots
) -> Iterator[tuple[slice, FloatArray, FloatArray]]:
    """Logarithms of the characteristic function before and after some of the ranks with steps.

    The first item says which of those ranks they are.
    """
    ends = found.ends()
    begins = np.concatenate([[0], ends[:-1] + 1])
    carried = np.zeros((2, roots.count // 2 + 1), np.complex128)
    for some in _portions(ends, roots):
        steps = slice(int(begins[some.start]), int(ends[some.stop - 1]) + 1)
        halves = roots.halves(shares[found.target[steps]])
        now, before = found.missed[steps], found.missed_before[steps]
        change = _halved(_log(now, 1 - now, halves))
        if some == slice(0, len(ends)):  # what was before a step was after the last to its target
            change -= _shifted(change, found.target)
        elif before.min() < 1:  # else nothing has been seen before, and the logarithms are 0
            change -= _halved(_log(before, 1 - before, halves))
        parts = np.cumsum(np.concatenate([carried[:, None], change], axis=1), axis=1)
        carried, logs = parts[:, -1], parts[0] + parts[1]
        here = np.concatenate([[0], ends[some] + 1 - steps.start])
        yield some, logs[here[:-1]], logs[here[1:]]


def _shifted(halved: FloatArray, target: IntArray) -> FloatArray:
    """For each step what the one before it to the same target has; 0 if it is the first."""
    order = np.argsort(target, kind="stable")
    again = np.flatnonzero(np.diff(target[order]) == 0) + 1
    shifted = np.zeros_like(halved)
    shifted[:, order[again]] = halved[:, order[again - 1]]
    return shifted


def _halved(logs: FloatArray) -> FloatArray:
    """Numbers as sums of two: multiples of a power of two, whose sums are exact, and the rest.

    So what comes in with one step and leaves with another leaves no trace of rounding.
    """
    coarse = np.round(logs * COARSE) / COARSE
    return np.stack([coarse, logs - coarse])


def _portions(ends: IntArray, roots: Roots) -> Iterator[slice]:
    """Ranks with steps, so many at once that tables stay small."""
    height = max(1, 2 * CELLS // (roots.count + 1))
    first = 0
    while first < len(ends):
        done = int(ends[first - 1]) + 1 if first else 0
        last = max(first + 1, int(np.searchsorted(ends, done + height)))
        yield slice(first, last)
        first = last


def _log(missed: FloatArray, seen: FloatArray, halves: FloatArray) -> FloatArray:
    """The logarithm of q + p w, for every step and root; no cancellation where p is near q."""
    q, p = missed[:, None], seen[:, None]
    cosine = np.cos(halves) ** 2
    size = np.log((p - q) ** 2 + 4 * p * q * cosine) / 2
    return size + 1j * np.arctan2(p * np.sin(2 * halves), (q - p) + 2 * p * cosine)


def _nothing_new(found: Discoveries, some: slice, roots: Roots) -> FloatArray:
    """By what the function before a rank is to be multiplied if nothing is discovered there.

    A target is then either seen before, or missed both before and now; as logarithms.
    """
    ends = found.ends()
    begins = np.concatenate([[0], ends[:-1] + 1])[some]
    steps = slice(int(begins[0]), int(ends[some][-1]) + 1)
    now, before = found.missed[steps], found.missed_before[steps]
    halves = roots.halves(np.ones(len(now), np.int64))
    with np.errstate(divide="ignore"):  # what is discovered for certain has the logarithm of 0
        kept = _log(now, 1 - before, halves) - _log(before, 1 - before, halves)
    return np.add.reduceat(kept, begins - steps.start, axis=0)
