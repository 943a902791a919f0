"""Does it matter who judged? The ranking of runs under one judge against that under another."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from spanwise.compare.correlation import kendall, tau_ap

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray

MIXTURES = 10_000
FLIPS = 10_000
DIGITS = 9
"""Means that differ by rounding are equal."""


@dataclass(frozen=True, slots=True)
class Swap:
    """Two runs that change places between two judges."""

    better_for_a: str
    better_for_b: str
    difference_a: float  # of the means, above 0
    difference_b: float
    p_a: float  # how likely so large a difference is by chance, under each judge
    p_b: float


@dataclass(frozen=True, slots=True)
class Rankings:
    """How alike two judges rank the runs."""

    tau: float
    tau_ap: float  # the first judge's ranking is taken for the true one
    spearman: float
    swaps: tuple[Swap, ...]


@dataclass(frozen=True, slots=True)
class Mixtures:
    """Rankings under judges drawn anew for each topic, against that of the mean over judges."""

    count: int
    tau_mean: float
    tau_low: float  # 2.5 % of the mixtures are below
    same_best: float  # share in which the best run stays the best


def rankings(names: Sequence[str], a: FloatArray, b: FloatArray, seed: int) -> Rankings:
    """Compare two judges; `a` and `b` have a value for each run and topic."""
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
    """The correlation of ranks, equal values sharing theirs."""
    a, b = _ranks(x), _ranks(y)
    a, b = a - a.mean(), b - b.mean()
    spread = math.sqrt(float((a**2).sum()) * float((b**2).sum()))
    return float((a * b).sum()) / spread if spread else math.nan


def _ranks(x: FloatArray) -> FloatArray:
    below = (x[:, None] > x[None, :]).sum(axis=1)
    return below + ((x[:, None] == x[None, :]).sum(axis=1) - 1) / 2


def randomisation(differences: FloatArray, seed: int) -> float:
    """Share of random changes of sign that give so large a mean: exact up to 13 topics."""
    n = len(differences)
    if n <= 13:
        signs = 1 - 2 * (np.arange(1 << n)[:, None] >> np.arange(n) & 1)
    else:
        signs = 1 - 2 * np.random.default_rng(seed).integers(0, 2, (FLIPS, n))
        signs[0] = 1
    sums = np.abs(signs @ differences)
    return float((sums >= abs(float(differences.sum())) * (1 - 1e-12)).mean())


def mixtures(values: FloatArray, seed: int) -> Mixtures:
    """`values` are judges by runs by topics; a mixture takes one judge for each topic."""
    judges, _, topics = values.shape
    random = np.random.default_rng(seed)
    whole = values.mean(axis=(0, 2)).round(DIGITS)
    best = whole >= whole.max()
    taus = np.empty(MIXTURES)
    kept = 0
    for number in range(MIXTURES):
        chosen = random.integers(0, judges, topics)
        means = values[chosen, :, np.arange(topics)].mean(axis=0).round(DIGITS)
        taus[number] = kendall(whole, means)
        kept += bool((best & (means >= means.max())).any())
    known = taus[~np.isnan(taus)]
    low = float(np.quantile(known, 0.025)) if len(known) else math.nan
    average = float(known.mean()) if len(known) else math.nan
    return Mixtures(MIXTURES, average, low, kept / MIXTURES)
