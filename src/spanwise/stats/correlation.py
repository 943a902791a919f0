"""Correlation of rankings: Kendall's tau, tau-AP, rank-biased overlap, Spearman.

A ranking is given by scores, the highest first: two sequences in one order of items, or two
mappings from the same names to scores. The coefficients depend on the scores only through their
order. The last part compares the rankings of runs under different assessors.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import isnan
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from spanwise.errors import UsageError

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray, IntArray

Ranked: TypeAlias = "Mapping[str, float] | Sequence[float] | FloatArray"


def kendall(a: Ranked, b: Ranked) -> float:
    """Return Kendall's tau-b: concordant minus discordant pairs, per pair.

    Pairs that one side ties count for neither, and the divisor is reduced by them. Undefined if one
    side ties everything.

    >>> kendall([3, 2, 1], [3, 1, 2])
    0.3333333333333333
    """
    first, second = (_signs(scores) for scores in _paired(a, b))
    pairs = np.triu_indices(len(first), 1)
    x, y = first[pairs], second[pairs]
    divisor = np.sqrt(float(np.count_nonzero(x)) * float(np.count_nonzero(y)))
    return float((x * y).sum() / divisor) if divisor else float("nan")


def tau_ap(a: Ranked, b: Ranked) -> float:
    """Return tau-AP of the ranking `b` against the true ranking `a`.

    Mistakes at the top weigh most. For each item of `b` but the first, the share of the items above
    it that belong there is taken; tau-AP is the mean of these shares, scaled to -1 ... 1. With
    equal scores it is the mean over all their orders, on both sides. Undefined for fewer than two
    items.

    Yilmaz, Aslam and Robertson, SIGIR 2008; ties as in Urbano and Marrero, SIGIR 2017 (tau_AP,a).

    >>> tau_ap([3, 2, 1], [3, 1, 2])
    0.5
    """
    truth, scores = _paired(a, b)
    things = len(truth)
    if things < 2:
        return float("nan")
    right = (1 + _signs(truth)) / 2  # [i, j]: degree to which i belongs above j
    total = 0.0
    for thing in range(things):
        above, level = scores > scores[thing], scores == scores[thing]
        level[thing] = False
        before, beside = int(above.sum()), int(level.sum())
        sure, open_ = float(right[above, thing].sum()), float(right[level, thing].sum())
        k = np.arange(beside + 1)  # equal items above it: all numbers equally likely
        held = sure + (k * open_ / beside if beside else 0.0)
        others = before + k
        shares = np.divide(held, others, out=np.zeros(len(k)), where=others > 0)
        total += float(shares.mean())
    return 2 * total / (things - 1) - 1


def rbo(a: Ranked, b: Ranked, p: float = 0.9) -> float:
    """Return the rank-biased overlap: the shared items at each depth, over all depths.

    Depth d weighs p^(d-1), so that a small p looks at the top only; what lies below the end is
    extrapolated. Items of equal score share the first of their ranks, and the share at a depth is
    twice the number of common items by the number of items on both sides.

    Webber, Moffat and Zobel, TOIS 2010 (RBO_EXT, section 4.5 for ties).

    >>> round(rbo([3, 2, 1], [3, 1, 2], p=0.5), 4)
    0.875
    """
    if not 0 < p < 1:
        raise UsageError(f"p of rbo is {p!r}; expected a number between 0 and 1")
    first, second = (_ranks(scores) for scores in _paired(a, b))
    depths = np.arange(1, len(first) + 1)
    mine, theirs = first[:, None] <= depths, second[:, None] <= depths
    agreement = 2 * (mine & theirs).sum(0) / (mine.sum(0) + theirs.sum(0))
    seen = (1 - p) * float((agreement * p ** (depths - 1.0)).sum())
    return seen + float(agreement[-1]) * p ** len(first)


def rbo_of_lists(a: IntArray, b: IntArray, p: float = 0.9) -> float:
    """Return the rank-biased overlap of two lists of items, best first, which may differ in length.

    It is extrapolated from the end of the longer list (RBO_EXT, equation 32). An item that recurs
    in a list counts where it is first. 1 for two empty lists, 0 if one of them is empty.

    Webber, Moffat and Zobel: A similarity measure for indefinite rankings. TOIS 28(4), 2010.

    >>> round(rbo_of_lists(np.array([1, 2, 3]), np.array([1, 3, 2]), p=0.5), 4)
    0.875
    """
    if not 0 < p < 1:
        raise UsageError(f"p of rbo is {p!r}; expected a number between 0 and 1")
    one, other = (items[np.sort(np.unique(items, return_index=True)[1])] for items in (a, b))
    short, long = sorted((len(one), len(other)))
    if not short:
        return 0.0 if long else 1.0
    _, mine, theirs = np.intersect1d(one, other, assume_unique=True, return_indices=True)
    shared = np.cumsum(np.bincount(np.maximum(mine, theirs), minlength=long))
    depths, weights = np.arange(1, long + 1), p ** np.arange(1.0, long + 1)
    agreement = shared / depths
    beyond = depths[short:]
    agreement[short:] += shared[short - 1] * (beyond - short) / (short * beyond)
    last = (shared[-1] - shared[short - 1]) / long + shared[short - 1] / short
    return float((1 - p) / p * (agreement * weights).sum() + last * weights[-1])


def _paired(a: Ranked, b: Ranked) -> tuple[FloatArray, FloatArray]:
    """Return two columns of scores of the same items."""
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        if set(a) != set(b):
            odd = min(set(a) ^ set(b))
            raise UsageError(f"{odd!r} is ranked on one side only; expected the same names")
        b = [b[name] for name in a]
        a = list(a.values())
    elif isinstance(a, Mapping) or isinstance(b, Mapping):
        raise UsageError(
            "one ranking has names and the other has none; expected names in both or in none"
        )
    first, second = np.asarray(a, np.float64), np.asarray(b, np.float64)
    if first.shape != second.shape or first.ndim != 1 or not len(first):
        raise UsageError(f"{first.size} scores against {second.size}; expected equally many")
    if np.isnan(first).any() or np.isnan(second).any():
        raise UsageError("found an undefined score; remove items that are not scored on both sides")
    return first, second


def _signs(scores: FloatArray) -> FloatArray:
    """Compare all pairs of scores: [i, j] is 1 if i is above j, -1 if below, else 0."""
    signs: FloatArray = np.sign(scores[:, None] - scores[None, :])
    return signs


def _ranks(scores: FloatArray) -> FloatArray:
    """Return competition ranks: 1 for the best, equal scores share the first rank."""
    ranks: FloatArray = 1.0 + (scores[None, :] > scores[:, None]).sum(1)
    return ranks


# Rankings of runs under different assessors -------------------------------------------------------

MIXTURES = 10_000
FLIPS = 10_000
DIGITS = 9
"""Decimals to which means are rounded, so that rounding errors decide nothing."""


@dataclass(frozen=True, slots=True)
class Swap:
    """Two runs whose order differs between two assessors."""

    better_for_a: str
    better_for_b: str
    difference_a: float  # of the means, above 0
    difference_b: float
    p_a: float  # p-value of the difference, under each assessor
    p_b: float


@dataclass(frozen=True, slots=True)
class Rankings:
    """The correlation of the rankings of runs under two assessors."""

    tau: float
    tau_ap: float  # with the first assessor's ranking as the true one
    spearman: float
    swaps: tuple[Swap, ...]


@dataclass(frozen=True, slots=True)
class Mixtures:
    """Rankings under random mixtures of assessors, compared with that of the mean.

    A mixture draws one assessor for each topic.
    """

    count: int
    tau_mean: float
    tau_low: float  # 2.5 % of the mixtures are below
    same_best: float  # share in which the best run stays the best


def rankings(names: Sequence[str], a: FloatArray, b: FloatArray, seed: int) -> Rankings:
    """Compare two assessors' rankings; `a` and `b` have a value per run and topic."""
    x, y = a.mean(axis=1).round(DIGITS), b.mean(axis=1).round(DIGITS)
    swaps = [
        _swap(names, a, b, first, second, seed)
        for first, second in combinations(range(len(names)), 2)
        if (x[first] - x[second]) * (y[first] - y[second]) < 0
    ]
    return Rankings(kendall(x, y), tau_ap(x, y), spearman(x, y), tuple(swaps))


def _swap(
    names: Sequence[str], a: FloatArray, b: FloatArray, first: int, second: int, seed: int
) -> Swap:
    if a[first].mean() < a[second].mean():
        first, second = second, first
    under_a, under_b = a[first] - a[second], b[second] - b[first]
    return Swap(
        names[first],
        names[second],
        float(under_a.mean()),
        float(under_b.mean()),
        randomisation(under_a, seed),
        randomisation(under_b, seed),
    )


def spearman(x: FloatArray, y: FloatArray) -> float:
    """Return the correlation of ranks; equal values share their mean rank."""
    a, b = _ranks_of_runs(x), _ranks_of_runs(y)
    a, b = a - a.mean(), b - b.mean()
    spread = math.sqrt(float((a**2).sum()) * float((b**2).sum()))
    return float((a * b).sum()) / spread if spread else math.nan


def _ranks_of_runs(x: FloatArray) -> FloatArray:
    below = (x[:, None] > x[None, :]).sum(axis=1)
    return below + ((x[:, None] == x[None, :]).sum(axis=1) - 1) / 2


def randomisation(differences: FloatArray, seed: int) -> float:
    """Return the p-value of a mean by random signs: exact for at most 13 topics."""
    n = len(differences)
    if n <= 13:
        signs = 1 - 2 * (np.arange(1 << n)[:, None] >> np.arange(n) & 1)
    else:
        signs = 1 - 2 * np.random.default_rng(seed).integers(0, 2, (FLIPS, n))
        signs[0] = 1
    sums = np.abs(signs @ differences)
    return float((sums >= abs(float(differences.sum())) * (1 - 1e-12)).mean())


def mixtures(values: FloatArray, seed: int) -> Mixtures:
    """Rank the runs under random mixtures of assessors.

    `values` has axes assessor, run and topic; a mixture takes one assessor for each topic.
    """
    assessors, _, topics = values.shape
    random = np.random.default_rng(seed)
    whole = values.mean(axis=(0, 2)).round(DIGITS)
    best = whole >= whole.max()
    taus = np.empty(MIXTURES)
    kept = 0
    for number in range(MIXTURES):
        chosen = random.integers(0, assessors, topics)
        means = values[chosen, :, np.arange(topics)].mean(axis=0).round(DIGITS)
        taus[number] = kendall(whole, means)
        kept += bool((best & (means >= means.max())).any())
    known = taus[~np.isnan(taus)]
    low = float(np.quantile(known, 0.025)) if len(known) else math.nan
    average = float(known.mean()) if len(known) else math.nan
    return Mixtures(MIXTURES, average, low, kept / MIXTURES)


# Reliability of measures --------------------------------------------------------------------------

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
    first, second = _signs_of_differences(one), _signs_of_differences(other)
    pairs = np.triu_indices(len(one), 1)
    if not len(pairs[0]):
        return float("nan")
    return float(np.mean(first[pairs] * second[pairs] < 0))


def _signs_of_differences(scores: FloatArray) -> FloatArray:
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
