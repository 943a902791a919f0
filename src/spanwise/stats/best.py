"""The best of several runs: how probable it is, what ranks are likely, and which runs are out.

Topics are resampled for all runs together. A run is out if another is so much better that the
largest of all pairwise differences would be as large by chance in few sets of topics only. The
bound is that of the largest studentised difference (max-t). Runs that are out are removed, and the
bound is formed anew for the others, until none is out: with the stated confidence, no run that is
truly the best is removed, however many runs there are.

Reference: Hansen, Lunde and Nason: The Model Confidence Set. Econometrica 79, 2011.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from spanwise.model.comparison import Contest
from spanwise.stats.clustered import freedom, summed, totals_of
from spanwise.stats.paired import CONFIDENCE, checked, special
from spanwise.stats.repeats import filled_up, joint_freedom, one_less
from spanwise.stats.resampling import SAME, Draws, sums

if TYPE_CHECKING:
    from spanwise.model.arrays import BoolArray, FloatArray, IntArray

FEWEST = 2
"""Number of topics from which anything can be said."""


def contests(
    runs: Sequence[str],
    tables: Sequence[FloatArray],
    lowest: Sequence[bool] = (),
    draws: Draws | None = None,
    confidence: float = CONFIDENCE,
    owners: IntArray | None = None,
    repeats: Sequence[Sequence[FloatArray]] = (),
) -> list[Contest]:
    """Resample the topics of all runs together, for several measures.

    Each table has the values of a measure, a row per topic and a column per run; topics without a
    value for some run are left out. `lowest` tells for each table whether less is better. Tables
    with values for the same topics are resampled at once. `owners` has the number of the cluster of
    each topic; then clusters are resampled. `repeats` has for each table the values of the repeats
    of each run: a row per topic, a column per repeat; then repeats are resampled too.
    """
    checked(confidence)
    rows = [~np.isnan(table).any(axis=1) for table in tables]
    signs = [-1.0 if less else 1.0 for less in lowest] or [1.0] * len(tables)
    found: dict[int, Contest] = {}
    for number, mine in enumerate(rows):
        if number in found:
            continue
        alike = [n for n, other in enumerate(rows) if np.array_equal(mine, other)]
        groups = None if owners is None else owners[mine]
        some = [_Resampled(tuple(runs), signs[n] * tables[n][mine], groups) for n in alike]
        if repeats:
            columns = [[signs[n] * filled_up(table[mine]) for table in repeats[n]] for n in alike]
            _resample_repeats(some, columns, draws or Draws())
        else:
            _resample(some, draws or Draws())
        found |= {n: one.contest(confidence) for n, one in zip(alike, some, strict=True)}
    return [found[number] for number in range(len(tables))]


def _resample(some: Sequence[_Resampled], draws: Draws) -> None:
    """Draw topics or clusters with replacement, and give each table the means of its runs."""
    drawn = some[0].drawn
    if drawn < FEWEST:
        return
    ends = np.cumsum([one.totals.shape[1] for one in some])
    sizes = [one.sizes[:, None] for one in some if one.sizes is not None]
    together = np.hstack([*(one.totals for one in some), *sizes])
    for counts in draws.counts(drawn):
        found = sums(counts, together)
        for number, (one, end) in enumerate(zip(some, ends.tolist(), strict=True)):
            count = found[:, [ends[-1] + number]] if sizes else drawn
            one.add(found[:, end - one.totals.shape[1] : end] / count)


def _resample_repeats(
    some: Sequence[_Resampled], tables: Sequence[Sequence[FloatArray]], draws: Draws
) -> None:
    """Draw repeats of each run, and topics or clusters within them, as `for_more_repeats` does.

    The standard errors are those of the draws.
    """
    drawn, topics = some[0].drawn, len(some[0].values)
    if drawn < FEWEST:
        return
    places = np.arange(topics)
    if some[0].owners is not None:
        _, places = np.unique(some[0].owners, return_inverse=True)
    sizes = np.bincount(places).astype(np.float64)
    totals = [[totals_of(table, places, drawn) for table in of_one] for of_one in tables]
    for generator, rows in draws.blocks(drawn):
        counts = one_less(generator, rows, drawn)
        count = sums(counts, sizes[:, None])
        weights = [one_less(generator, rows, table.shape[1]) for table in totals[0]]
        for one, of_one in zip(some, totals, strict=True):
            means = [
                (sums(counts, table) * weight).sum(axis=1) / weight.sum(axis=1)
                for table, weight in zip(of_one, weights, strict=True)
            ]
            one.add(np.column_stack(means) / count)
    for one, columns in zip(some, tables, strict=True):
        shifted = np.concatenate(one.shifted)
        for run in range(len(one.runs)):
            one.spreads[run] = (shifted - shifted[:, [run]]).std(axis=0)
        one.errors = one.spreads
        one.freedom = min(
            joint_freedom([a, b], summed(a.mean(axis=1) - b.mean(axis=1), places))
            for a, b in combinations(columns, 2)
        )


@dataclass(slots=True, eq=False)
class _Resampled:
    """The values of a measure, and what resampling them has shown so far."""

    runs: tuple[str, ...]
    values: FloatArray
    owners: IntArray | None = None  # the number of the cluster of each topic
    firsts: list[FloatArray] = field(default_factory=list)
    ranks: list[tuple[IntArray, IntArray]] = field(default_factory=list)
    shifted: list[FloatArray] = field(default_factory=list)  # means less those of all topics
    spreads: FloatArray = field(init=False)  # of the mean differences of all pairs
    errors: FloatArray = field(init=False)  # the same without the bias of few topics
    totals: FloatArray = field(init=False)  # what is resampled: values of topics, or sums of them
    sizes: FloatArray | None = field(init=False, default=None)  # of clusters
    freedom: float = field(init=False)

    def __post_init__(self) -> None:
        topics, runs = self.values.shape
        self.spreads = np.zeros((runs, runs))
        if self.owners is not None:
            self._cluster(self.owners)
            return
        # draws belong to places, not to names of topics
        self.values = self.values[np.lexsort(self.values.T[::-1])]
        self.totals, self.freedom = self.values, topics - 1
        for run in range(runs) if topics >= FEWEST else ():
            self.spreads[run] = (self.values - self.values[:, [run]]).std(axis=0) / np.sqrt(topics)
        self.errors = self.spreads * np.sqrt(topics / max(topics - 1, 1))

    def _cluster(self, owners: IntArray) -> None:
        """Sum up the topics of each cluster, and form standard errors that respect clusters."""
        runs, topics = len(self.runs), len(owners)
        _, places = np.unique(owners, return_inverse=True)
        sizes = np.bincount(places).astype(np.float64)
        totals = totals_of(self.values, places, len(sizes))
        order = np.lexsort([sizes, *totals.T[::-1]])  # draws do not depend on names of clusters
        self.totals, sizes = totals[order], sizes[order]
        self.sizes, self.freedom = sizes, freedom(sizes)
        self.errors = np.zeros((runs, runs))
        for run in range(runs) if len(sizes) >= FEWEST else ():
            gaps = self.totals - self.totals[:, [run]]
            squares = (gaps - gaps.sum(axis=0) / topics * sizes[:, None]) ** 2
            self.spreads[run] = np.sqrt(squares.sum(axis=0)) / topics
            outside = 1 - sizes[:, None] / topics
            self.errors[run] = np.sqrt((squares / outside).sum(axis=0)) / topics

    @property
    def drawn(self) -> int:
        """The number of topics or clusters that a resample draws."""
        return len(self.totals)

    def add(self, drawn: FloatArray) -> None:
        """Add the means of some resamples: a row each, a column per run."""
        ahead = drawn >= drawn.max(axis=1, keepdims=True) - SAME
        self.firsts.append((ahead / ahead.sum(axis=1, keepdims=True)).sum(axis=0))
        best, worst = np.empty((2, *drawn.shape), np.int32)  # equal runs share their ranks
        for run in range(drawn.shape[1]):
            ahead_of_it = drawn - drawn[:, [run]]
            best[:, run] = 1 + (ahead_of_it > SAME).sum(axis=1)
            worst[:, run] = (ahead_of_it >= -SAME).sum(axis=1)
        self.ranks.append((best, worst))
        self.shifted.append(drawn - self.values.mean(axis=0))

    def _bound(self, runs: IntArray, confidence: float) -> float:
        """Return what no studentised difference of these runs exceeds by chance."""
        shifted = np.concatenate(self.shifted)
        largest = np.zeros(len(shifted))
        for place, run in enumerate(runs.tolist()):
            others = runs[place + 1 :]
            others = others[self.spreads[run, others] > SAME]
            if len(others):
                gaps = np.abs(shifted[:, [run]] - shifted[:, others]) / self.spreads[run, others]
                np.maximum(largest, gaps.max(axis=1), out=largest)
        bound = float(np.quantile(largest, confidence))
        return _of_few_topics(bound, self.freedom)

    def _behind(
        self, gaps: FloatArray, errors: FloatArray, confidence: float
    ) -> tuple[BoolArray, FloatArray]:
        """Return which runs (columns) are clearly behind which (rows), and the limit of each run.

        The limit is the bound with which a run was last compared.
        """
        runs = np.arange(len(gaps))
        clear: BoolArray = np.zeros(gaps.shape, np.bool_)
        limits = np.zeros(len(gaps))
        while True:
            inside = np.ix_(runs, runs)
            limits[runs] = self._bound(runs, confidence)
            reach = limits[runs] * errors[inside]
            clear[inside] = (gaps[inside] > SAME) & (gaps[inside] > reach + SAME)
            left = runs[~clear[inside].any(axis=0)]
            if len(left) == len(runs) or len(left) < 2:
                return clear, limits
            runs = left

    def contest(self, confidence: float) -> Contest:
        """Return what the resamples show."""
        topics, runs = self.values.shape
        clusters = None if self.sizes is None else len(self.sizes)
        if self.drawn < FEWEST:
            unknown = (float("nan"),) * runs
            nobody: tuple[tuple[int, ...], ...] = ((),) * runs
            return Contest(
                self.runs,
                topics,
                unknown,
                (1,) * runs,
                (runs,) * runs,
                nobody,
                0,
                unknown,
                unknown,
                unknown,
                clusters,
            )
        means = self.values.mean(axis=0)
        best, worst = (np.concatenate(ranks) for ranks in zip(*self.ranks, strict=True))
        gaps = means[:, None] - means[None, :]
        clear, limits = self._behind(gaps, self.errors, confidence)
        reach = self.errors[int(np.argmax(means))] * limits
        low, high = (
            np.quantile(ranks, level, axis=0, method="inverted_cdf").astype(np.int64).tolist()
            for ranks, level in ((best, (1 - confidence) / 2), (worst, (1 + confidence) / 2))
        )
        first = int(np.argmax(means))
        return Contest(
            self.runs,
            topics,
            tuple((np.sum(self.firsts, axis=0) / len(best)).tolist()),
            tuple(low),
            tuple(high),
            tuple(tuple(np.flatnonzero(clear[:, run]).tolist()) for run in range(runs)),
            first,
            tuple(gaps[first].tolist()),
            tuple((gaps[first] - reach).tolist()),
            tuple((gaps[first] + reach).tolist()),
            clusters,
        )


def _of_few_topics(bound: float, freedom: float) -> float:
    """Return the bound of Student's t that is as improbable as this one of the normal."""
    return float(special().stdtrit(freedom, special().ndtr(min(bound, 8.0))))
