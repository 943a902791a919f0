"""TEMPORARY statement docstring to replace."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from math import isclose, isnan, nan
from typing import TYPE_CHECKING

import numpy as np

from spanwise.errors import UsageError
from spanwise.model.comparison import Comparison, Difference, Mean
from spanwise.model.scores import run_names
from spanwise.stats.anova import two_way
from spanwise.stats.cautions import cautions
from spanwise.stats.grid import Grid, alike, grid, wins_ties_losses
from spanwise.stats.intervals import Interval, cohen, student, topics_needed
from spanwise.stats.question import FAMILIES
from spanwise.stats.question import Question as Question
from spanwise.stats.tests import bootstrap_intervals, corrected, p_values

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray
    from spanwise.model.comparison import Anova
    from spanwise.model.scores import Scores

Pair = tuple[int, int]
"""Positions of a run and of the run it is compared with."""


def compared(
    results: Sequence[Scores], baseline: int | None = 0, question: Question | None = None
) -> Comparison:
    """Compare runs topic by topic, each with the baseline or all with all.

    `baseline` is the position of a run; it is ignored if all pairs are asked for.
    """
    question = question or Question()
    names, measures = run_names(results), shared_measures(results)
    grids = [grid(results, measure) for measure in measures]
    means = [
        [_mean(names[n], results[n], g, n, question) for g in grids] for n in range(len(names))
    ]
    order = _order([row[0].value for row in means], measures[0] in question.lowest)
    pairs = _pairs(order, None if question.all_pairs else baseline)
    steps = [
        (each, test, some)
        for each in grids
        for test in question.tests
        for some in _batches(pairs, test)
    ]
    tested = [
        one
        for each, test, some in question.watching(steps, len(steps))
        for one in _differences(each, some, names, test, question)
    ]
    found = list(_adjusted(tested, question.correction))
    place = None if question.all_pairs or baseline is None else names[baseline]
    return Comparison(
        runs=tuple(names[n] for n in order),
        measures=tuple(measures),
        means=tuple(mean for n in order for mean in means[n]),
        differences=tuple(found),
        scores=tuple(results[n] for n in order),
        baseline=place,
        tests=question.tests,
        correction=question.correction,
        confidence=question.confidence,
        lowest=question.lowest & frozenset(measures),
        warnings=tuple(cautions(results, names, grids, found, question)),
        anova={each.measure: one for each in grids if (one := _analysed(each)) is not None},
    )


def shared_measures(results: Sequence[Scores]) -> list[str]:
    """Return the measures that every run has, in the order of the first run."""
    if not results:
        raise UsageError("no run was given; expected at least one")
    shared = [name for name in results[0].means if all(name in s.values for s in results)]
    if not shared:
        raise UsageError("the runs have no measure in common; expected at least one")
    return shared


def _mean(name: str, scores: Scores, g: Grid, column: int, question: Question) -> Mean:
    value, values = scores.means[g.measure], g.values[:, column]
    mean, low, high = student(values, question.confidence)
    if not isclose(mean, value, rel_tol=1e-9, abs_tol=1e-12):  # a sum, or another kind of mean
        low = high = nan
    return Mean(name, g.measure, value, low, high, int(np.count_nonzero(~np.isnan(values))))


def _order(values: Sequence[float], less_is_better: bool) -> list[int]:
    """Return the positions of the runs, best first, undefined last; ties keep their order."""
    sign = 1 if less_is_better else -1
    return sorted(range(len(values)), key=lambda n: (isnan(values[n]), sign * values[n]))


def _pairs(order: Sequence[int], baseline: int | None) -> list[Pair]:
    """Pair each run with the baseline, or, without one, with every lower run."""
    if baseline is not None:
        return [(run, baseline) for run in order if run != baseline]
    return [(run, other) for n, run in enumerate(order) for other in order[n + 1 :]]


BATCH = 256
"""Number of pairs that are resampled together, so that their draws fit in memory."""


def _batches(pairs: Sequence[Pair], test: str) -> list[Sequence[Pair]]:
    """Split the pairs into batches; a test of all pairs at once takes them whole."""
    size = len(pairs) if test in FAMILIES else BATCH
    return [pairs[start : start + size] for start in range(0, len(pairs), size or 1)]


def _differences(
    g: Grid, pairs: Sequence[Pair], names: Sequence[str], test: str, question: Question
) -> list[Difference]:
    """Compute the differences of pairs in one measure by one test, p unadjusted."""
    columns = [g.differences(*pair) for pair in pairs]
    if test in FAMILIES:
        p, intervals = _family(g, pairs, columns, test, question)
    else:
        p = p_values(columns, test, question.draws)
        intervals = _intervals(columns, test, question)
    found = [
        _difference(g.measure, test, pair, names, columns[n], p[n], intervals[n])
        for n, pair in enumerate(pairs)
    ]
    if g.measure in question.lowest:  # to win is to be better, not to have more
        return [replace(one, wins=one.losses, losses=one.wins) for one in found]
    return found


def _adjusted(found: Sequence[Difference], correction: str) -> Iterator[Difference]:
    """Adjust the p-values of each family: all pairs in one measure by one test."""
    for (_, test), some in groupby(found, lambda one: (one.measure, one.test)):
        family = list(some)
        p = [one.p for one in family]
        adjusted = p if test in FAMILIES else corrected(p, correction)
        for one, value in zip(family, adjusted, strict=True):
            yield replace(one, p_adjusted=value)


def _analysed(g: Grid) -> Anova | None:
    """Analyse the variance of a measure, or return None if there is none to analyse."""
    values = g.complete()
    found = two_way(values) if min(values.shape) > 1 else None
    return found if found and found.squares_left else None


def _family(
    g: Grid, pairs: Sequence[Pair], columns: Sequence[FloatArray], test: str, question: Question
) -> tuple[list[float], list[Interval]]:
    """Return p-values and intervals that hold for all pairs together."""
    p, reach = FAMILIES[test](g.complete(), pairs, question.draws, question.confidence)
    means = [student(column).mean for column in columns]
    return p, [Interval(mean, mean - reach, mean + reach) for mean in means]


def _intervals(columns: Sequence[FloatArray], test: str, question: Question) -> list[Interval]:
    """Return Student's intervals, or bootstrap intervals for the bootstrap test."""
    if test != "bootstrap":
        return [student(column, question.confidence) for column in columns]
    found = [Interval(nan, nan, nan)] * len(columns)
    for numbers, together in alike(columns):
        if len(together):
            drawn = bootstrap_intervals(together, question.draws, question.confidence)
            for number, interval in zip(numbers, drawn, strict=True):
                found[number] = interval
    return found


def _difference(
    measure: str,
    test: str,
    pair: Pair,
    names: Sequence[str],
    differences: FloatArray,
    p: float,
    interval: Interval,
) -> Difference:
    wins, ties, losses = wins_ties_losses(differences)
    effect = cohen(differences)
    return Difference(
        run=names[pair[0]],
        baseline=names[pair[1]],
        measure=measure,
        test=test,
        p=p,
        p_adjusted=nan,
        difference=interval.mean,
        low=interval.low,
        high=interval.high,
        wins=wins,
        ties=ties,
        losses=losses,
        topics=len(differences),
        effect=effect,
        topics_needed=topics_needed(effect),
    )
