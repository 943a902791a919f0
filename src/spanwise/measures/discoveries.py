"""Probabilities of what navigating readers have discovered after each rank.

A target is discovered when it is first reached. Targets are reached independently of each other, so
the number of targets discovered is a sum of independent trials (a Poisson binomial variable). Its
distribution is computed from its characteristic function: the product over targets of q + p w, with
p the probability that the target has been seen, q = 1 - p and w a root of unity. From one rank to
the next only a few factors change. They are changed in logarithms, so that nothing is divided by a
number close to 0, and one inverse Fourier transform gives all probabilities, exact to about 1e-13
for thousands of targets. The number of roots is odd: then no factor is 0 at any of them, since only
w = -1 could make it 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spanwise.errors import UsageError
from spanwise.model.element_rankings import ROUNDING

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray, IntArray
    from spanwise.model.element_rankings import NavigationSteps

CELLS = 1 << 20
"""Maximum number of entries of a table that is computed in one step."""
COARSE = 2.0**30
"""Multiples of its inverse can be added without rounding up to some millions."""


@dataclass(frozen=True, slots=True, eq=False)
class Discoveries:
    """The steps of one topic that can discover a target, in order of rank."""

    results: int
    worth: FloatArray  # of every target
    rank: IntArray  # of each step
    target: IntArray
    missed_before: FloatArray  # probability that the target is unseen before this rank; not 0
    missed: FloatArray  # probability that it is unseen after this rank

    @property
    def certain(self) -> bool:
        """Whether every target is either certainly seen or certainly not seen."""
        return not self.missed.any()

    def ends(self) -> IntArray:
        """Return the last step at each rank with steps."""
        last = np.ones(len(self.rank), np.bool_)
        last[:-1] = self.rank[1:] != self.rank[:-1]
        return np.flatnonzero(last)

    def missed_at(self, rank: int) -> FloatArray:
        """Return the probability that each target is unseen after a rank."""
        missed = np.ones(len(self.worth))
        steps = slice(0, int(np.searchsorted(self.rank, rank, side="right")))
        missed[self.target[steps]] = self.missed[
            steps
        ]  # of several steps to one target the last counts
        return missed


def discoveries(navigations: Sequence[NavigationSteps]) -> list[Discoveries]:
    """Compute the probability that each target is unseen, before and after each step."""
    targets = np.cumsum([0, *(len(navigation.worth) for navigation in navigations)])
    pairs = list(zip(navigations, targets.tolist(), strict=False))
    target = np.concatenate([_NONE, *(navigation.target + first for navigation, first in pairs)])
    chance = np.concatenate([_NO_CHANCE, *(navigation.chance for navigation in navigations)])
    before, after = _missed(target, chance)
    steps = np.cumsum([0, *(len(navigation.rank) for navigation in navigations)]).tolist()
    return [
        _fresh(navigation, before[first:last], after[first:last])
        for navigation, (first, last) in zip(navigations, pairwise(steps), strict=True)
    ]


_NONE, _NO_CHANCE = np.zeros(0, np.int64), np.zeros(0)


def _missed(target: IntArray, chance: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the probability that the target of each step is unseen before and after the step."""
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


def _fresh(navigation: NavigationSteps, before: FloatArray, after: FloatArray) -> Discoveries:
    """Return the steps to targets that are not certainly seen before."""
    fresh = before > 0
    return Discoveries(
        navigation.results,
        navigation.worth,
        navigation.rank[fresh],
        navigation.target[fresh],
        before[fresh],
        after[fresh],
    )


# Distribution of the total ------------------------------------------------------------------------


class Reached(NamedTuple):
    """Probabilities, after some of the ranks, that discoveries have at least some worth."""

    ranks: IntArray
    chances: FloatArray  # one row for each rank, one column for each amount


def reached(found: Discoveries, shares: IntArray, amounts: IntArray) -> Iterator[Reached]:
    """Yield the probabilities that the discovered targets are worth at least some amounts.

    `shares` are the worths of the targets as whole numbers above 0. Ranks that change nothing are
    left out. Ranks are processed in portions, so that tables stay small.
    """
    ends = found.ends()
    roots = Roots.enough_for(int(shares[np.unique(found.target)].sum()))
    for some, _, after in _logs(found, shares, roots):
        yield Reached(found.rank[ends[some]], roots.tails(after)[:, roots.place(amounts)])


class Unsatisfied(NamedTuple):
    """Probabilities, at the ranks with steps, that a reader has not yet reached the goal."""

    ranks: IntArray
    before: FloatArray  # probability that fewer targets than the goal were discovered before
    in_vain: FloatArray  # probability that, besides, nothing is discovered at this rank
    at_last: float  # probability that fewer than the goal are discovered in the end


def unsatisfied(found: Discoveries, goal: int) -> Unsatisfied:
    """Compute how probable it is that fewer than `goal` targets were discovered, rank by rank."""
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


# Characteristic function --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Roots:
    """Roots of unity, one of each conjugate pair."""

    total: int  # the highest possible sum
    count: int  # an odd number above it without large prime factors

    @classmethod
    def enough_for(cls, total: int) -> Roots:
        """Return enough roots for a distribution on 0 to `total`."""
        easy = _easy_counts()
        return cls(total, int(easy[np.searchsorted(easy, total, side="right")]))

    def halves(self, shares: IntArray) -> FloatArray:
        """Return half the angle of each root times each share; one row if shares are equal."""
        if shares.min() == shares.max():
            shares = shares[:1]
        turns = np.outer(shares, np.arange(self.count // 2 + 1)) % self.count
        return np.pi / self.count * turns

    def tails(self, logs: FloatArray) -> FloatArray:
        """Return the probability of every sum or more, from logarithms at the roots, then 0."""
        spread = np.fft.irfft(np.exp(logs.conj()), self.count, axis=-1)[:, : self.total + 1]
        tails = np.cumsum(spread[:, ::-1], axis=-1)[:, ::-1]
        return np.concatenate([np.clip(tails, 0, 1), np.zeros((len(tails), 1))], axis=-1)

    def place(self, amounts: IntArray) -> IntArray:
        """Return the columns of `tails` for some amounts."""
        return np.clip(amounts, 0, self.total + 1)


@cache
def _easy_counts() -> IntArray:
    """Return odd numbers without large prime factors, in rising order."""
    threes, fives, sevens = np.ix_(3 ** np.arange(16), 5 ** np.arange(11), 7 ** np.arange(9))
    return np.sort((threes * fives * sevens).ravel())


def _logs(
    found: Discoveries, shares: IntArray, roots: Roots
) -> Iterator[tuple[slice, FloatArray, FloatArray]]:
    """Yield logarithms of the characteristic function before and after some of the ranks.

    The first item of each triple is the slice of ranks with steps.
    """
    ends = found.ends()
    begins = np.concatenate([[0], ends[:-1] + 1])
    carried = np.zeros((2, roots.count // 2 + 1), np.complex128)
    for some in _portions(ends, roots):
        steps = slice(int(begins[some.start]), int(ends[some.stop - 1]) + 1)
        halves = roots.halves(shares[found.target[steps]])
        now, before = found.missed[steps], found.missed_before[steps]
        change = _halved(_log(now, 1 - now, halves))
        if some == slice(
            0, len(ends)
        ):  # the state before a step is that after the previous step to its target
            change -= _shifted(change, found.target)
        elif before.min() < 1:  # else nothing was seen before, and the logarithms are 0
            change -= _halved(_log(before, 1 - before, halves))
        parts = np.cumsum(np.concatenate([carried[:, None], change], axis=1), axis=1)
        carried, logs = parts[:, -1], parts[0] + parts[1]
        here = np.concatenate([[0], ends[some] + 1 - steps.start])
        yield some, logs[here[:-1]], logs[here[1:]]


def _shifted(halved: FloatArray, target: IntArray) -> FloatArray:
    """Return, for each step, the value of the previous step to the same target; 0 for the first."""
    order = np.argsort(target, kind="stable")
    again = np.flatnonzero(np.diff(target[order]) == 0) + 1
    shifted = np.zeros_like(halved)
    shifted[:, order[again]] = halved[:, order[again - 1]]
    return shifted


def _halved(logs: FloatArray) -> FloatArray:
    """Split numbers into multiples of a power of two, whose sums are exact, and the rest.

    What is added by one step and subtracted by another then leaves no rounding error.
    """
    coarse = np.round(logs * COARSE) / COARSE
    return np.stack([coarse, logs - coarse])


def _portions(ends: IntArray, roots: Roots) -> Iterator[slice]:
    """Yield slices of the ranks with steps, so that tables stay small."""
    height = max(1, 2 * CELLS // (roots.count + 1))
    first = 0
    while first < len(ends):
        done = int(ends[first - 1]) + 1 if first else 0
        last = max(first + 1, int(np.searchsorted(ends, done + height)))
        yield slice(first, last)
        first = last


def _log(missed: FloatArray, seen: FloatArray, halves: FloatArray) -> FloatArray:
    """Compute the logarithm of q + p w for every step and root; no cancellation for p near q."""
    q, p = missed[:, None], seen[:, None]
    cosine = np.cos(halves) ** 2
    size = np.log((p - q) ** 2 + 4 * p * q * cosine) / 2
    return size + 1j * np.arctan2(p * np.sin(2 * halves), (q - p) + 2 * p * cosine)


def _nothing_new(found: Discoveries, some: slice, roots: Roots) -> FloatArray:
    """Return the factor, as a logarithm, for discovering nothing at each rank.

    A target is then either seen before the rank, or missed both before and at the rank.
    """
    ends = found.ends()
    begins = np.concatenate([[0], ends[:-1] + 1])[some]
    steps = slice(int(begins[0]), int(ends[some][-1]) + 1)
    now, before = found.missed[steps], found.missed_before[steps]
    halves = roots.halves(np.ones(len(now), np.int64))
    with np.errstate(divide="ignore"):  # a certain discovery has the logarithm of 0
        kept = _log(now, 1 - before, halves) - _log(before, 1 - before, halves)
    return np.add.reduceat(kept, begins - steps.start, axis=0)


# Distribution for worths without a common share ---------------------------------------------------
#
# Every possible sum of worths is a case of its own; equal sums are one. Targets are split into two
# halves with a sorted table of sums each. A binary search finds, for each sum of one table, which
# sums of the other are enough with it, so that not all pairs of sums are formed.

MOST_SUMS = 1 << 14
"""Maximum number of sums of each of the two tables."""
ALIKE = 1e-13
"""Sums that differ by no more than this share of the total are equal up to rounding."""


@dataclass(frozen=True, slots=True)
class Sums:
    """All possible sums of the worths of some targets, in rising order."""

    values: FloatArray
    steps: tuple[tuple[int, IntArray, IntArray], ...]
    """For each target the indices of the sums so far if it is missed, and if it is discovered."""

    @classmethod
    def of(cls, targets: list[int], worth: FloatArray) -> Sums:
        """Compute the sums of these targets' worths."""
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
        """Return the probability of each sum, given the probability that each target is missed."""
        chances: FloatArray = np.ones(1)
        for target, stays, grows in self.steps:
            count = int(grows[-1]) + 1  # the largest sum is the last
            lost = np.bincount(stays, chances * missed[target], count)
            found = np.bincount(grows, chances * (1 - missed[target]), count)
            chances = np.add(lost, found, dtype=np.float64)
        return chances


def any_sums_reached(found: Discoveries, ranks: IntArray, wanted: FloatArray) -> FloatArray:
    """Return the probability, after each of these ranks, that some worths have been discovered."""
    targets = np.unique(found.target)
    first, second = (Sums.of(half, found.worth) for half in _halves(targets, found.worth))
    rows = np.empty((len(ranks), len(wanted)))
    for some in _portions_of_worths(len(wanted), len(first.values)):
        places = np.searchsorted(second.values, wanted[some, None] - first.values)
        for row, rank in enumerate(ranks.tolist()):
            missed = found.missed_at(rank)
            tails = np.append(np.cumsum(second.chances(missed)[::-1])[::-1], 0.0)
            rows[row, some] = tails[places] @ first.chances(missed)
    return rows


def _halves(targets: IntArray, worth: FloatArray) -> tuple[list[int], list[int]]:
    """Split targets into two parts with similar numbers of sums; equal worths stay together."""
    halves: tuple[list[int], list[int]] = ([], [])
    sums = [1, 1]
    different, counts = np.unique(worth[targets], return_counts=True)
    for number in np.argsort(-counts, kind="stable").tolist():
        smaller = sums.index(min(sums))
        halves[smaller].extend(targets[worth[targets] == different[number]].tolist())
        sums[smaller] *= int(counts[number]) + 1
    return halves


def _portions_of_worths(levels: int, sums: int) -> Iterator[slice]:
    """Return slices of the levels, so that tables of levels and sums stay small."""
    height = max(1, CELLS // sums)
    return (slice(first, first + height) for first in range(0, levels, height))


# Effort -------------------------------------------------------------------------------------------
#
# The effort of a reader is compared with that for the ideal list: the targets themselves, by
# falling worth, each found with certainty.

FINEST = 1000
"""Worths count as multiples of a common share if it is at least one part in this number."""


# The ideal list -----------------------------------------------------------------------------------


def ideal_ranks(worth: FloatArray, levels: FloatArray) -> IntArray:
    """Return the smallest numbers of targets that are worth these shares of the total.

    >>> ideal_ranks(np.array([0.5, 1.0, 0.5]), np.array([0.25, 0.5, 0.6])).tolist()
    [1, 1, 2]
    """
    gathered = np.cumsum(np.sort(worth)[::-1])
    return 1 + np.searchsorted(gathered, levels * gathered[-1] * (1 - ROUNDING))


def ideal_effort(worth: FloatArray, level: float) -> float:
    """Return the number of targets, with fractions, that a line through the ideal list gives.

    >>> ideal_effort(np.array([0.5, 1.0, 0.5]), 0.25), ideal_effort(np.array([0.5, 1.0, 0.5]), 0.6)
    (0.5, 1.4)
    """
    gathered = np.concatenate([[0.0], np.cumsum(np.sort(worth)[::-1])])
    return float(np.interp(level * gathered[-1], gathered, np.arange(len(gathered))))


# Recall and precision -----------------------------------------------------------------------------


def recall_at(found: Discoveries, rank: int) -> float:
    """Return the expected share of the targets' worth that is discovered by a rank."""
    return float(found.worth @ (1 - found.missed_at(rank)) / found.worth.sum())


def precision_at_rank(found: Discoveries, rank: int, whole: bool) -> float:
    """Return the effort of the ideal list for the expected recall, per rank."""
    level = recall_at(found, rank)
    if whole:
        return int(ideal_ranks(found.worth, np.array([level]))[0]) / rank if level > 0 else 0.0
    return ideal_effort(found.worth, level) / rank


def precision_at_recall(found: Discoveries, levels: FloatArray) -> FloatArray:
    """Return, for each level, the expectation of ideal rank / rank at which a reader reaches it.

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
    """Return 1 / the rank that reaches each level if discoveries are certain; 0 if none does."""
    shares = whole_shares(found.worth)  # their sums are exact
    worth = found.worth if shares is None else shares
    wanted = levels * worth.sum() * (1 - ROUNDING)
    place = np.searchsorted(np.cumsum(worth[found.target]), wanted)
    return np.append(1 / found.rank, 0.0)[place]


def mean_precision(found: Discoveries) -> float:
    """Return the mean of precision over the levels 1/N, 2/N, ..., 1 for N targets."""
    targets = len(found.worth)
    if (found.worth == found.worth[0]).all():
        return _mean_of_equals(found) / targets
    return float(precision_at_recall(found, np.arange(1, targets + 1) / targets).mean())


def _mean_of_equals(found: Discoveries) -> float:
    """Return the sum of precision over these levels for targets of equal worth.

    The i-th level costs i ranks of the ideal list, so a reader who has discovered F targets has
    saved 1 + 2 + ... + F of them: in expectation the sum of all probabilities and of the products
    of all pairs of them. A probability that rises by d adds d (1 + the sum of the others).
    """
    rise = found.missed_before - found.missed
    others = np.cumsum(rise) - rise - (1 - found.missed_before)
    return float((rise * (1 + np.maximum(others, 0)) / found.rank).sum())


def discovering_share(found: Discoveries, level: float) -> float:
    """Return the expected share of examined results with a discovery, up to a level of recall.

    Readers who never reach the level examine all results. Without results the share is 0.
    """
    if not found.results:
        return 0.0
    goal = int(np.ceil(level * len(found.worth) * (1 - ROUNDING)))
    ranks, before, in_vain, at_last = unsatisfied(found, goal)
    waits = np.diff(ranks, prepend=0)  # number of results since the last rank with steps
    looked_at = before @ waits + at_last * (found.results - (ranks[-1] if len(ranks) else 0))
    return float((before - in_vain).sum() / looked_at)


# Levels of recall ---------------------------------------------------------------------------------


def _levels_reached(found: Discoveries, levels: FloatArray) -> Iterable[Reached]:
    """Return the probabilities, after each rank with steps, that levels of recall are reached."""
    if not len(found.rank):
        return ()
    shares = whole_shares(found.worth)
    if shares is not None:
        amounts = np.ceil(levels * shares.sum() * (1 - ROUNDING)).astype(np.int64)
        return reached(found, shares, amounts)
    wanted = levels * found.worth.sum() * (1 - ROUNDING)
    ranks = found.rank[found.ends()]
    return [Reached(ranks, any_sums_reached(found, ranks, wanted))]


def whole_shares(worth: FloatArray) -> IntArray | None:
    """Return worths as multiples of their largest common share; None if they have none.

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
