"""Groups of topics: means with intervals, the worst group, and a test of differences.

The test asks whether the groups of a run differ by more than chance. The groups are assigned to
the topics anew, at random and with their sizes kept; p is the share of assignments for which the
means of the groups are spread at least as far (the sum of squares between groups, which orders
assignments as the F of a one-way analysis of variance does). It is exact where topics of all groups
have the same distribution.

Reference: Fisher: The Design of Experiments, 1935; Good: Permutation, Parametric and Bootstrap
Tests of Hypotheses, third edition, 2005.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from math import isclose, isnan, nan
from typing import TYPE_CHECKING, Literal

import numpy as np

from spanwise.errors import UsageError
from spanwise.model.groups import FEW, GroupedMeans, GroupMean, GroupTest, WorstGroup
from spanwise.model.scores import printable
from spanwise.stats import overall
from spanwise.stats.paired import CONFIDENCE, Interval, student
from spanwise.stats.resampling import SAME, Draws, sums

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray, IntArray
    from spanwise.model.groups import Groupings
    from spanwise.model.scores import Scores
    from spanwise.stats.paired import Grid

SHOWN = 5
"""Number of small groups that a warning names."""
Whole = Literal["mean", "sum", "geometric"]
UNKNOWN = Interval(nan, nan, nan)


# Groups of topics ---------------------------------------------------------------------------------


def members(
    topics: Sequence[str], groupings: Groupings
) -> dict[str, tuple[tuple[str, ...], IntArray]]:
    """Return the groups of each grouping, and the number of the group of each topic.

    The number is -1 for a topic without a group. Groups are in byte order of their names.
    """
    found = {}
    for grouping, group_of in groupings.items():
        named = [group_of(topic) for topic in topics]
        groups = tuple(sorted({name for name in named if name is not None}))
        if not groups:
            shown = ", ".join(printable(topic) for topic in topics[:3])
            raise UsageError(
                f"groups {grouping!r}: no topic of the runs has a group; expected groups of"
                f" topics such as {shown}"
            )
        places = {name: number for number, name in enumerate(groups)}
        numbers = np.array([-1 if name is None else places[name] for name in named])
        found[grouping] = (groups, numbers)
    return found


def restricted(scores: Scores, topics: Iterable[str]) -> Scores:
    """Return the scores of some topics, with their aggregates."""
    wanted = set(topics)
    rows = np.array([topic in wanted for topic in scores.topics], np.bool_)
    values = {name: column[rows] for name, column in scores.values.items()}
    return replace(
        scores,
        topics=tuple(topic for topic in scores.topics if topic in wanted),
        values=values,
        means={name: _aggregate(values[name], whole(scores, name)) for name in values},
        counts={name: int(np.count_nonzero(~np.isnan(column))) for name, column in values.items()},
        texts={},
        returned=None if scores.returned is None else scores.returned[rows],
    )


def whole(scores: Scores, measure: str) -> Whole | None:
    """Return how the value of a run follows from those of its topics; None if in another way."""
    value = scores.means[measure]
    ways: tuple[Whole, ...] = ("sum",) if measure in scores.sums else ("mean", "sum", "geometric")
    for how in ways:
        found = overall(scores.values[measure], how)
        if isnan(value) or isclose(found, value, rel_tol=1e-9, abs_tol=1e-12):
            return how
    return None


def _aggregate(values: FloatArray, how: Whole | None) -> float:
    return nan if how is None else overall(values, how)


# Means of groups ----------------------------------------------------------------------------------


def grouped(
    results: Sequence[Scores],
    names: Sequence[str],
    grids: Sequence[Grid],
    groupings: Groupings,
    *,
    order: Sequence[int],
    baseline: int | None = 0,
    lowest: frozenset[str] = frozenset(),
    draws: Draws | None = None,
    confidence: float = CONFIDENCE,
) -> GroupedMeans:
    """Return the means of each group and run, the worst groups, and tests of their differences.

    `order` has the positions of the runs as they are listed; `lowest` the measures of which less is
    better.
    """
    means: list[GroupMean] = []
    worst: list[WorstGroup] = []
    tests: list[GroupTest] = []
    for grouping, (groups, numbers) in members(grids[0].topics, groupings).items():
        columns: list[FloatArray] = []
        for g in grids:
            wholes = [whole(one, g.measure) for one in results]
            found = [
                _group_mean(g, numbers == number, n, baseline, wholes[n], confidence)
                for number in range(len(groups))
                for n in order
            ]
            cells = [(group, names[n]) for group in groups for n in order]
            some = [
                GroupMean(grouping, group, run, g.measure, topics, *interval, *difference)
                for (group, run), (topics, interval, difference) in zip(cells, found, strict=True)
            ]
            means += some
            comparable = [names[n] for n in order if wholes[n] != "sum"]  # sums grow with groups
            worst += _worst(some, comparable, less=g.measure in lowest)
            for n in order:
                columns += [_testable(g.values[:, n], wholes[n]), _differences(g, n, baseline)]
        p = iter(permutation_p(columns, numbers, draws))
        tests += [
            GroupTest(names[n], g.measure, grouping, next(p), next(p)) for g in grids for n in order
        ]
    return GroupedMeans(tuple(means), tuple(worst), tuple(tests))


def _group_mean(
    g: Grid,
    mine: FloatArray,
    column: int,
    baseline: int | None,
    how: Whole | None,
    confidence: float,
) -> tuple[int, Interval, Interval]:
    values = g.values[mine.astype(np.bool_), column]
    interval = student(values, confidence)
    if how != "mean":
        interval = Interval(_aggregate(values, how), nan, nan)
    differences = _differences(g, column, baseline)[mine.astype(np.bool_)]
    between = student(differences, confidence) if baseline != column else UNKNOWN
    return int(np.count_nonzero(~np.isnan(values))), interval, between


def _differences(g: Grid, column: int, baseline: int | None) -> FloatArray:
    """Return the difference to the baseline of each topic, nan where there is none."""
    if baseline is None or column == baseline:
        return np.full(len(g.topics), nan)
    found: FloatArray = g.comparable[:, column] - g.comparable[:, baseline]
    return found


def _testable(values: FloatArray, how: Whole | None) -> FloatArray:
    return values if how == "mean" else np.full(len(values), nan)


def _worst(some: Sequence[GroupMean], runs: Sequence[str], *, less: bool) -> Iterator[WorstGroup]:
    """Yield the group with the worst value of each run; of equal ones the first."""
    for run in runs:
        mine = [one for one in some if one.run == run and not isnan(one.value)]
        if mine:
            one = min(mine, key=lambda each: -each.value if less else each.value)
            yield WorstGroup(run, one.measure, one.grouping, one.group, one.value)


# The test -----------------------------------------------------------------------------------------


def permutation_p(
    columns: Sequence[FloatArray], numbers: IntArray, draws: Draws | None = None
) -> list[float]:
    """Return for each column the p of a permutation test of differences between groups.

    Topics without a value or without a group (-1) are left out. The observed assignment counts as
    one of the draws, so that p is never 0. It is undefined for fewer than two groups, or where each
    group has one topic, and 1 if all values are equal.
    """
    patterns: dict[bytes, list[int]] = {}
    for place, column in enumerate(columns):
        rows = ~np.isnan(column) & (numbers >= 0)
        patterns.setdefault(rows.tobytes(), []).append(place)
    found = [nan] * len(columns)
    for pattern, places in patterns.items():
        rows = np.frombuffer(pattern, np.bool_)
        _, labels = np.unique(numbers[rows], return_inverse=True)
        if 1 < len(set(labels.tolist())) < len(labels):
            together = np.column_stack([columns[place][rows] for place in places])
            p = _permuted(together, labels, draws or Draws())
            for place, value in zip(places, p.tolist(), strict=True):
                found[place] = value
    return found


def _permuted(values: FloatArray, labels: IntArray, draws: Draws) -> FloatArray:
    sizes = np.bincount(labels).astype(np.float64)
    centred = values - values.mean(axis=0)
    observed = _between(labels[None, :], centred, sizes)[0]
    observed -= SAME * (centred**2).sum(axis=0)
    ranked = np.sort(centred, axis=0)  # draws belong to places, not to names of topics
    sizes = np.sort(sizes)  # nor to names of groups
    assignment = np.repeat(np.arange(len(sizes)), sizes.astype(np.int64))
    extreme = np.zeros(values.shape[1], np.int64)
    for generator, rows in draws.blocks(len(labels)):
        drawn = generator.permuted(np.tile(assignment, (rows, 1)), axis=1)
        extreme += np.count_nonzero(_between(drawn, ranked, sizes) >= observed, axis=0)
    return (extreme + 1) / (draws.resamples + 1)


def _between(labels: IntArray, centred: FloatArray, sizes: FloatArray) -> FloatArray:
    """Return the sums of squares between groups: a row per assignment, a column per column."""
    total = np.zeros((len(labels), centred.shape[1]))
    for group, size in enumerate(sizes.tolist()):
        total += sums((labels == group).astype(np.float64), centred) ** 2 / size
    return total


# Warnings -----------------------------------------------------------------------------------------


def group_cautions(topics: Sequence[str], groupings: Groupings) -> Iterator[str]:
    """Yield warnings of groups that are too small, and of topics without a group."""
    for grouping, (groups, numbers) in members(topics, groupings).items():
        sizes = np.bincount(numbers[numbers >= 0], minlength=len(groups)).tolist()
        few = [f"{name} ({n})" for name, n in zip(groups, sizes, strict=True) if n < FEW]
        if few:
            more = f" and {len(few) - SHOWN} others" if len(few) > SHOWN else ""
            verb = "groups are" if len(few) > 1 else "group is"
            yield (
                f"groups {grouping!r}: {len(few)} {verb} too small to say anything, with fewer"
                f" than {FEW} topics: {', '.join(few[:SHOWN])}{more}"
            )
        if left := int(np.count_nonzero(numbers < 0)):
            yield f"groups {grouping!r}: {left} of {len(topics)} topics have no group"
        if len(groups) == 1:
            yield f"groups {grouping!r}: all topics are in one group, {groups[0]}"
