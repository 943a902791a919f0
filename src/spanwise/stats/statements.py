"""Statements about several runs: which differ, by how much, and what limits the conclusions.

A question holds the choices of a comparison: tests, correction, confidence and resampling. The
comparison aligns the runs by topic, tests pairs of them in families, and corrects the p-values of
each family. Warnings report data that cannot support a conclusion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, groupby
from math import isclose, isfinite, isnan, nan
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from spanwise.errors import InputError, UnknownName, UsageError
from spanwise.model.comparison import (
    Caution,
    Comparison,
    Contest,
    Difference,
    Mean,
    Power,
    Rule,
    Verdict,
)
from spanwise.model.scores import run_names, unreached
from spanwise.stats.anova import Family, randomised_tukey, tukey, two_way
from spanwise.stats.best import contests
from spanwise.stats.clustered import (
    FEW_CLUSTERS,
    Clusters,
    clustered_effect,
    freedom,
    interval,
    p_and_intervals,
    refuse_disrespecting,
    standard_error,
    summed,
)
from spanwise.stats.groups import group_cautions, grouped
from spanwise.stats.margins import Margin, decided
from spanwise.stats.paired import (
    CONFIDENCE,
    Grid,
    Interval,
    alike,
    checked,
    cohen,
    grid,
    student,
    topics_needed,
    wins_ties_losses,
)
from spanwise.stats.power import detectable, smallest_p
from spanwise.stats.proportions import WILSON, find_interval, is_binary, share_interval
from spanwise.stats.repeats import FEW_REPEATS, for_more_repeats, variances
from spanwise.stats.resampling import SAME, Draws
from spanwise.stats.tests import TESTS, bootstrap_intervals, corrected, p_values

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray, IntArray
    from spanwise.model.comparison import Anova
    from spanwise.model.groups import GroupedMeans, Groupings
    from spanwise.model.scores import Scores

# Questions ----------------------------------------------------------------------------------------


FAMILIES: dict[str, Callable[..., Family]] = {"tukey": tukey, "randomised_tukey": randomised_tukey}
"""Tests of all pairs at once, whose p-values allow for the number of runs."""

T = TypeVar("T")
Watching = Callable[[Iterable[Any], int], Iterable[Any]]
"""A function that passes items on one by one and may report progress."""


def unwatched(things: Iterable[T], count: int) -> Iterable[T]:  # noqa: ARG001
    """Return the items unchanged, without reporting progress."""
    return things


@dataclass(frozen=True, slots=True)
class Question:
    """The choices of a comparison of runs."""

    tests: tuple[str, ...] = ("randomisation",)
    correction: str = "holm"
    confidence: float = CONFIDENCE
    draws: Draws = field(default_factory=Draws)
    all_pairs: bool = False
    watching: Watching = unwatched  # reports progress
    lowest: frozenset[str] = frozenset()  # measures of which lower values are better
    contested: frozenset[str] | None = None  # measures in which a best run is sought; None: all
    groupings: Groupings | None = None  # of topics
    margin: Margin | None = None  # within which differences do not matter
    clusters: Clusters | None = None  # of topics; None: topics are independent
    more_repeats: bool = False  # whether intervals and tests are for more repeats of systems
    interval: str | None = None  # of measures whose values are all 0 or 1; None: Wilson's
    beyond: frozenset[str] = frozenset()  # measures whose values may pass 1, so are no shares

    def __post_init__(self) -> None:
        for test in self.tests:
            if test not in (*TESTS, *FAMILIES):
                raise UnknownName("test", test, [*TESTS, *FAMILIES])
        corrected([], self.correction)
        find_interval(self.interval or WILSON)
        checked(self.confidence)
        if not self.tests:
            raise UsageError("no test was named; expected at least one")
        if self.clusters is not None:
            refuse_disrespecting(self.tests)
        if self.more_repeats and self.tests != ("bootstrap",):
            raise UsageError(
                f"the test {self.tests[0]} is for the repeats at hand; expected the test bootstrap"
                " for more repeats; use --test bootstrap"
            )


# Comparisons --------------------------------------------------------------------------------------


Pair = tuple[int, int]
"""Positions of a run and of the run it is compared with."""


def compared(
    results: Sequence[Scores], baseline: int | None = 0, question: Question | None = None
) -> Comparison:
    """Compare runs topic by topic, each with the baseline or all with all.

    `baseline` is the position of a run; it is ignored if all pairs are asked for.
    """
    question = question or Question()
    if question.more_repeats and not any(scores.repeats for scores in results):
        raise UsageError(
            "--repeats more has no effect: no run has repeats; give several runs one name, as in"
            " dense='runs/dense.*.run'"
        )
    names, measures = run_names(results), shared_measures(results)
    grids = [grid(results, measure) for measure in measures]
    _refuse_without_shares(grids, question)
    means = [
        [_mean(names[n], results[n], g, n, question) for g in grids] for n in range(len(names))
    ]
    order = _order([row[0].value for row in means], measures[0] in question.lowest)
    pairs = _pairs(order, None if question.all_pairs else baseline)
    steps = [(test, some) for test in question.tests for some in _batches(grids, pairs, test)]
    tested = [
        one
        for test, some in question.watching(steps, len(steps))
        for one in _differences(some, names, test, question)
    ]
    tested.sort(key=lambda one: (measures.index(one.measure), question.tests.index(one.test)))
    found = list(_adjusted(tested, question.correction))
    if question.margin is not None:
        far = frozenset(name for name in measures if unreached(results, name))
        every = [mean for row in means for mean in row]
        found = list(decided(found, every, question.margin, question.lowest, far))
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
        groups=_groups(results, names, grids, order, baseline, question),
        margin="" if question.margin is None else str(question.margin),
        warnings=tuple(cautions(results, names, grids, found, question)),
        contests=_contests(results, names, grids, order, question),
        anova={
            each.measure: one
            for each in (() if question.clusters else grids)  # it takes topics for independent
            if (one := _analysed(each)) is not None
        },
        clusters=_count_of_clusters(grids[0], question),
        more_repeats=question.more_repeats,
        power=tuple(_power(grids, found, names, question)),
    )


def _contests(
    results: Sequence[Scores],
    names: Sequence[str],
    grids: Sequence[Grid],
    order: Sequence[int],
    question: Question,
) -> dict[str, Contest]:
    """Ask which run is best in each measure.

    Runs that do not reach the budget of a measure in half of the topics do not take part.
    """
    groups: dict[tuple[int, ...], list[Grid]] = {}
    for g in grids:
        if question.contested is None or g.measure in question.contested:
            far = tuple(n for n in order if results[n].far(g.measure))
            if len(far) > 1 and all(_has_interval(g, n, results) for n in far):
                groups.setdefault(far, []).append(g)
    found: dict[str, Contest] = {}
    for far, some in groups.items():
        made = contests(
            [names[n] for n in far],
            [g.comparable[:, far] for g in some],
            [g.measure in question.lowest for g in some],
            question.draws,
            question.confidence,
            _owners(some[0], question),
            [g.repeated(far) for g in some] if question.more_repeats else (),
        )
        found |= {g.measure: one for g, one in zip(some, made, strict=True)}
    return {g.measure: found[g.measure] for g in grids if g.measure in found}


def _groups(
    results: Sequence[Scores],
    names: Sequence[str],
    grids: Sequence[Grid],
    order: Sequence[int],
    baseline: int | None,
    question: Question,
) -> GroupedMeans | None:
    if question.groupings is None:
        return None
    return grouped(
        results,
        names,
        grids,
        question.groupings,
        order=order,
        baseline=None if question.all_pairs else baseline,
        lowest=question.lowest,
        draws=question.draws,
        confidence=question.confidence,
    )


def _has_interval(g: Grid, column: int, results: Sequence[Scores]) -> bool:
    """Tell whether the value of a run is a mean over topics."""
    mean = student(g.values[:, column]).mean
    return isclose(mean, results[column].means[g.measure], rel_tol=1e-9, abs_tol=1e-12)


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
    owners = _owners(g, question)
    kind, topics = "student", int(np.count_nonzero(~np.isnan(values)))
    if question.more_repeats:
        mean, low, high = _of_more_repeats(g, (column,), question)[1]
    elif owners is None:
        mean, low, high = student(values, question.confidence)
    else:
        mean, low, high = interval(values, owners, question.confidence)
    if not isclose(mean, value, rel_tol=1e-9, abs_tol=1e-12):  # a sum, or another kind of mean
        low = high = nan
    elif topics > 1 and owners is None and scores.repeats is None and _has_shares(g, question):
        kind = question.interval or WILSON
        _, low, high = share_interval(values, kind, question.confidence)
    found = Mean(name, g.measure, value, low, high, topics, scores.reach(g.measure), interval=kind)
    repeats = scores.repeats
    if repeats is None:
        return found
    parts = variances(repeats.values[g.measure])
    return replace(
        found,
        repeats=repeats.count,
        variance_topics=parts.topics,
        variance_repeats=parts.repeats,
        consistency=repeats.consistency,
    )


def _owners(g: Grid, question: Question) -> IntArray | None:
    """Return the number of the cluster of each topic; None if topics are independent."""
    return None if question.clusters is None else question.clusters.owners(g.topics)


def _of_more_repeats(g: Grid, runs: tuple[int, ...], question: Question) -> tuple[float, Interval]:
    """Return p and interval of a mean or difference for more repeats of the systems."""
    owners = _owners(g, question)
    if owners is None:
        owners = np.arange(len(g.topics))
    return for_more_repeats(g.tables(*runs), owners, question.draws, question.confidence)


def _count_of_clusters(g: Grid, question: Question) -> int | None:
    owners = _owners(g, question)
    return None if owners is None else len(set(owners.tolist()))


def _has_shares(g: Grid, question: Question) -> bool:
    """Tell whether the means of a measure are shares, as all its values are 0 or 1."""
    return g.measure not in question.beyond and is_binary(g.values)


def _refuse_without_shares(grids: Sequence[Grid], question: Question) -> None:
    """Refuse choices for values of 0 and 1 if no measure has only such values."""
    for what, asked in (
        ("the test mcnemar", "mcnemar" in question.tests),
        (f"the interval {question.interval}", question.interval is not None),
    ):
        if asked and not any(_has_shares(g, question) for g in grids):
            raise UsageError(
                f"{what} has no effect: found no measure whose topic values are all 0 or 1;"
                " expected one, such as Success@5"
            )


def _power(
    grids: Sequence[Grid], found: Sequence[Difference], names: Sequence[str], question: Question
) -> Iterator[Power]:
    """Yield what the topics of each difference can show."""
    by_measure = {g.measure: (g, _has_shares(g, question)) for g in grids}
    places = {name: column for column, name in enumerate(names)}
    alpha = round(1 - question.confidence, 12)
    for one in found:
        g, shares = by_measure[one.measure]
        if one.test == "mcnemar" and not shares:
            least = least_found = nan
        else:
            if one.effect and isfinite(one.effect):
                deviation = one.difference / one.effect
            else:
                column = g.differences(places[one.run], places[one.baseline])
                deviation = float(column.std(ddof=1)) if len(column) > 1 else nan
            test = "mcnemar" if shares and one.test == "sign" else one.test
            least = smallest_p(one.test, one.topics, question.draws.resamples)
            least_found = detectable(test, deviation, one.topics, alpha)
        yield Power(one.run, one.baseline, one.measure, one.test, one.topics, least, least_found)


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
"""Number of differences that are resampled together, so that their draws fit in memory."""


def _batches(
    grids: Sequence[Grid], pairs: Sequence[Pair], test: str
) -> list[Sequence[tuple[Grid, Pair]]]:
    """Split the pairs of all measures into batches, which share their draws.

    A test of all pairs at once takes those of a measure whole.
    """
    by_measure = [[(each, pair) for pair in pairs] for each in grids]
    if test in FAMILIES:
        return [some for some in by_measure if some]
    every = list(chain.from_iterable(by_measure))
    return [every[start : start + BATCH] for start in range(0, len(every), BATCH)]


def _differences(
    some: Sequence[tuple[Grid, Pair]], names: Sequence[str], test: str, question: Question
) -> list[Difference]:
    """Compute differences of pairs by one test, p unadjusted."""
    columns = [g.differences(*pair) for g, pair in some]
    owners = _owners(some[0][0], question)
    aligned = [] if owners is None else [g.aligned(*pair) for g, pair in some]
    if question.more_repeats:
        p, intervals = [], []
        for g, pair in some:
            value, bounds = _of_more_repeats(g, pair, question)
            p.append(value)
            intervals.append(bounds)
    elif owners is not None:
        p, intervals = p_and_intervals(aligned, owners, test, question.draws, question.confidence)
    elif test in FAMILIES:
        p, intervals = _family(some[0][0], [pair for _, pair in some], columns, test, question)
    else:
        p = _p_values(some, columns, test, question)
        intervals = _intervals(columns, test, question)
    found = [
        _difference(g.measure, test, pair, names, columns[n], p[n], intervals[n])
        for n, (g, pair) in enumerate(some)
    ]
    if owners is not None:
        found = [
            _clustered(one, values, owners) for one, values in zip(found, aligned, strict=True)
        ]
    return [  # where less is better, a win is a lower value
        replace(one, wins=one.losses, losses=one.wins) if one.measure in question.lowest else one
        for one in found
    ]


def _clustered(one: Difference, values: FloatArray, owners: IntArray) -> Difference:
    """Return a difference with the number of its clusters and its standard error."""
    some = summed(values, owners)
    return replace(
        one,
        clusters=len(some.sizes),
        se=standard_error(some),
        df=freedom(some.sizes),
        topics_needed=topics_needed(clustered_effect(some)),
    )


def _p_values(
    some: Sequence[tuple[Grid, Pair]], columns: Sequence[FloatArray], test: str, question: Question
) -> list[float]:
    """Return a p-value for each pair; pairs on different topics are randomised together.

    A topic without a difference changes nothing in a randomisation test, so that columns are filled
    up with zeros: drawing signs for each length anew would take much longer.
    """
    if test == "mcnemar" and not all(_has_shares(one, question) for one, _ in some):
        return [
            value
            for (one, _), column in zip(some, columns, strict=True)
            for value in (
                p_values([column], test, question.draws) if _has_shares(one, question) else [nan]
            )
        ]
    if test != "randomisation":
        return p_values(columns, test, question.draws)
    filled = [
        column if g.reached.all() else g.padded(*pair)
        for (g, pair), column in zip(some, columns, strict=True)
    ]
    p = p_values(filled, test, question.draws)
    return [value if len(column) else nan for value, column in zip(p, columns, strict=True)]


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
    p, radius = FAMILIES[test](g.complete(), pairs, question.draws, question.confidence)
    means = [student(column).mean for column in columns]
    return p, [Interval(mean, mean - radius, mean + radius) for mean in means]


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


# Warnings -----------------------------------------------------------------------------------------


FEW = 10
"""Number of topics below which intervals are wide and tests weak."""
MANY = 10
"""Number of measures from which a warning about multiple measures is given."""
LISTED = 3
"""Maximum number of names in a list; the rest are counted."""


def cautions(
    results: Sequence[Scores],
    names: Sequence[str],
    grids: Sequence[Grid],
    found: Sequence[Difference],
    question: Question,
) -> Iterator[str]:
    """Yield every warning that a reader of the comparison needs."""
    if len(results) == 1:
        yield "only one run: there is nothing to compare it with"
    yield from _choices(results, names)
    yield from _topics(results, found)
    yield from _clusters(grids[0], question)
    if question.more_repeats:
        yield from _few_repeats(results, names)
    yield from _reach(results, found)
    if question.contested is not None:
        found = [one for one in found if one.measure in question.contested]
    yield from _no_difference(found)
    yield from _kinds(results, names, grids)
    yield from _no_shares(grids, question)
    yield from _many(found, question.correction)
    yield from _out_of_reach(found, question)
    if question.groupings is not None:
        yield from group_cautions(grids[0].topics, question.groupings)


def _choices(results: Sequence[Scores], names: Sequence[str]) -> Iterator[str]:
    """Warn of runs that were scored under different signatures."""
    for name, scores in zip(names, results, strict=True):
        if scores.signature != results[0].signature:
            yield (
                f"{names[0]} and {name} were scored with different signatures:"
                f" {results[0].signature} and {scores.signature}"
            )


def _topics(results: Sequence[Scores], found: Sequence[Difference]) -> Iterator[str]:
    """Warn of too few topics, or of runs scored on different topics."""
    every = {topic for scores in results for topic in scores.topics}
    if any(len(scores.topics) < len(every) for scores in results):
        yield (
            f"the runs were not scored on the same topics ({len(every)} in all):"
            " differences are over the topics that two runs share, means are not"
        )
    limited = _limited(results)
    found = [one for one in found if one.measure not in limited]
    if not found:
        return
    topics = min(one.topics for one in found)
    counted = f"{topics} topic{'s' if topics != 1 else ''}"
    if topics < 2:
        yield f"{counted} to compare on: no test can tell a difference from chance"
    elif topics < FEW:
        least = 2.0 ** (1 - topics)
        consequence = (
            f"; a randomisation, Wilcoxon or sign test cannot give a p below {least:.2g},"
            " so they find nothing significant"
            if least > 0.05
            else ""
        )
        yield f"only {counted} to compare on: differences are uncertain{consequence}"


def _clusters(g: Grid, question: Question) -> Iterator[str]:
    """Warn of too few clusters of topics."""
    clusters = _count_of_clusters(g, question)
    if clusters is not None and clusters < FEW_CLUSTERS:
        counted = f"{clusters} cluster{'s' if clusters != 1 else ''} of topics"
        yield (
            f"only {counted}: standard errors are uncertain"
            if clusters > 1
            else f"only {counted}: no test can tell a difference from chance"
        )


def _few_repeats(results: Sequence[Scores], names: Sequence[str]) -> Iterator[str]:
    """Warn of systems with too few repeats to tell how much further ones would vary."""
    for name, scores in zip(names, results, strict=True):
        count = 1 if scores.repeats is None else scores.repeats.count
        if 1 < count < FEW_REPEATS:
            yield Caution(
                f"{name} has {count} repeats only: its intervals for more repeats are uncertain",
                name,
                "{runs} have few repeats: their intervals for more repeats are uncertain",
            )
        elif count == 1:
            yield Caution(
                f"{name} is a single run: intervals hold for this run of it",
                name,
                "{runs} are single runs: intervals hold for these runs of them",
            )


def _limited(results: Sequence[Scores]) -> set[str]:
    """Return the measures whose budget some run does not reach on every topic."""
    return {name for one in results for name in one.values if one.short(name)}


def _reach(results: Sequence[Scores], found: Sequence[Difference]) -> Iterator[str]:
    """Warn of budgets that two runs reach together in too few topics."""
    limited = _limited(results)
    fewest: dict[str, Difference] = {}
    for one in found:
        if one.measure in limited and one.topics < FEW:
            least = fewest.setdefault(one.measure, one)
            fewest[one.measure] = min(least, one, key=lambda each: each.topics)
    for least, measures in _grouped(fewest):
        topics = f"{least.topics} topic{'s' if least.topics != 1 else ''}"
        yield (
            f"{least.run} and {least.baseline} both reach the budget of {listed(measures)} in"
            f" {topics}: {'there is nothing to test' if least.topics < 2 else 'too few to test'}"
        )


def _grouped(fewest: dict[str, Difference]) -> Iterator[tuple[Difference, list[str]]]:
    """Group measures with the same pair of runs and the same number of topics."""
    groups: dict[tuple[str, str, int], list[str]] = {}
    for measure, one in fewest.items():
        groups.setdefault((one.run, one.baseline, one.topics), []).append(measure)
    for measures in groups.values():
        yield fewest[measures[0]], measures


def _no_difference(found: Sequence[Difference]) -> Iterator[str]:
    """Warn of pairs of runs that have the same value for every topic."""
    same: dict[tuple[str, str], list[str]] = {}
    for one in found:
        if one.topics and one.ties == one.topics:
            measures = same.setdefault((one.run, one.baseline), [])
            if one.measure not in measures:
                measures.append(one.measure)
    for (run, baseline), measures in same.items():
        yield Caution(
            f"{run} and {baseline} have the same value for every topic in {listed(measures)}:"
            " all differences are zero, there is nothing to test",
            run,
            f"{{runs}} have the same value as {baseline} for every topic in some measures, where"
            " there is nothing to test",
        )


def _kinds(results: Sequence[Scores], names: Sequence[str], grids: Sequence[Grid]) -> Iterator[str]:
    """Warn of measures that are not means and of partly undefined topics."""
    for n, g in enumerate(grids):
        whole = [
            isclose(scores.means[g.measure], student(g.values[:, k]).mean, rel_tol=1e-9,
                    abs_tol=1e-12)
            or np.isnan(scores.means[g.measure])
            for k, scores in enumerate(results)
        ]  # fmt: skip
        if not all(whole):
            yield (
                f"{g.measure} is not a mean over topics: it has no interval, and its differences"
                " are means over topics"
            )
        undefined = np.isnan(g.values)
        uneven = undefined.any(axis=1) & ~undefined.all(axis=1)
        if n == 0 and uneven.any() and len({scores.topics for scores in results}) == 1:
            lacking = [name for k, name in enumerate(names) if undefined[uneven, k].any()]
            yield (
                f"{g.measure} is undefined for some topics of {listed(lacking)}:"
                " their pairs leave these topics out"
            )


def _no_shares(grids: Sequence[Grid], question: Question) -> Iterator[str]:
    """Warn of measures that McNemar's test does not apply to."""
    others = [g.measure for g in grids if not _has_shares(g, question)]
    if others and "mcnemar" in question.tests:
        yield f"{listed(others)}: no p of McNemar's test, which needs values of 0 and 1"


def _many(found: Sequence[Difference], correction: str) -> Iterator[str]:
    """Warn of many comparisons, some of which are significant by chance."""
    families: dict[tuple[str, str], int] = {}
    for one in found:
        key = (one.measure, one.test)
        families[key] = families.get(key, 0) + (one.test not in FAMILIES)
    count = max(families.values(), default=0)
    if correction == "none" and count > 1:
        chance = 1 - 0.95**count
        yield (
            f"{count} comparisons without correction: by chance alone, at least one p below 0.05"
            f" occurs with probability {chance:.0%} (if they were independent);"
            " use --correction holm"
        )
    measures = len({measure for measure, _ in families})
    if measures >= MANY:
        yield (
            f"{measures} measures: p is corrected for the number of runs, not of measures;"
            " decide on one measure before you look"
        )


def _out_of_reach(found: Sequence[Difference], question: Question) -> Iterator[str]:
    """Warn where corrected p-values cannot become significant."""
    if question.correction not in ("holm", "bonferroni"):
        return
    alpha = 1 - question.confidence
    for test in question.tests:
        for measure in dict.fromkeys(one.measure for one in found):
            mine = [one for one in found if (one.measure, one.test) == (measure, test)]
            least = min(_least_p(one, question.draws.resamples) for one in mine)
            if least < alpha <= least * len(mine):
                yield (
                    f"a {test} test gives no p below {least:.2g} here, which is"
                    f" {min(least * len(mine), 1):.2g} corrected for {len(mine)} comparisons:"
                    " nothing can be significant; use --test t or tukey, or more --resamples"
                )
                break


def _least_p(one: Difference, resamples: int) -> float:
    """Return the smallest p-value that a test can give on these topics."""
    differing = one.topics if one.test == "bootstrap" else one.wins + one.losses
    differing = differing if one.clusters is None else min(differing, one.clusters)
    least = smallest_p(one.test, max(differing, 1), resamples)
    return 0.0 if isnan(least) or one.test in FAMILIES else least


def listed(names: Sequence[str]) -> str:
    """List the first names and count the others.

    >>> listed(["a", "b", "c", "d", "e"])
    'a, b, c and 2 more'
    """
    more = len(names) - LISTED
    return ", ".join(names[:LISTED]) + (f" and {more} more" if more > 0 else "")


# Gates --------------------------------------------------------------------------------------------


def judged(run: Scores, baseline: Scores, rule: Rule, question: Question) -> Verdict:
    """Check a run against a rule, topic by topic against its baseline."""
    for scores in (run, baseline):
        if rule.measure not in scores.values:
            raise UnknownName(f"measure of {scores.source}", rule.measure, list(scores.values))
    common = [topic for topic in baseline.topics if topic in set(run.topics)]
    if not common:
        raise InputError(
            f"{run.source} and {baseline.source} have no topic in common; expected one"
        )
    new, old = (_only(one, common, rule.measure) for one in (run, baseline))
    lowest = frozenset({rule.measure} if rule.less_is_better else ())
    pair = [replace(old, run="baseline"), replace(new, run="run")]
    asked = replace(question, correction="none", lowest=lowest, groupings=None)
    found = compared(pair, 0, asked)
    (one,) = found.select(measure=rule.measure, test=question.tests[0])
    sign = 1 if rule.less_is_better else -1
    low, high = sorted((sign * one.low + 0.0, sign * one.high + 0.0))  # no -0
    drop, value = sign * one.difference + 0.0, float(run.means[rule.measure])
    mean = _mean(run.run, run, grid([run], rule.measure), 0, question)
    verdict = Verdict(
        run.run,
        rule,
        value,
        float(baseline.means[rule.measure]),
        drop,
        low,
        high,
        one.p,
        one.topics,
        (),
        *(mean.low, mean.high),
        *(one.margin, one.decision),
    )
    return replace(verdict, reasons=tuple(_reasons(verdict, found.margin)))


def _reasons(one: Verdict, margin: str) -> Iterator[str]:
    rule = one.rule
    floor, ceiling = rule.floor, rule.ceiling
    if rule.less_is_better and floor is not None:  # the worst value that passes
        ceiling = floor if ceiling is None else min(floor, ceiling)
        floor = None
    for limit, word, name, end in (
        (floor, "below", "minimum", one.value_low),
        (ceiling, "above", "maximum", one.value_high),
    ):
        if limit is None:
            continue
        sign = 1 if word == "below" else -1
        if isnan(one.value) or sign * (one.value - limit) < -SAME:
            yield f"{one.value:.4f} is {word} the {name} of {limit:g}"
        elif rule.by_mean:
            continue
        elif isnan(end):
            yield f"{one.value:.4f} has no interval to hold to the {name} of {limit:g}"
        elif sign * (end - limit) < -SAME:
            yield f"{end:.4f}, the end of the interval, is {word} the {name} of {limit:g}"
    if rule.decides:
        if one.decision == "worse":
            yield f"worse by {one.drop:.4f} [{one.low:+.4f}, {one.high:+.4f}], margin {margin}"
        elif one.decision == "not known" and rule.strict:
            bounds = f"[{one.low:+.4f}, {one.high:+.4f}]"
            yield f"not known: the drop {bounds} is not inside the margin {margin}"
    elif one.drop > rule.max_drop and one.p < rule.alpha:
        yield f"worse by {one.drop:.4f}, the maximum is {rule.max_drop:g}, p = {one.p:.4f}"


def _only(scores: Scores, topics: Sequence[str], measure: str) -> Scores:
    rows = {topic: row for row, topic in enumerate(scores.topics)}
    values = scores.values[measure][np.array([rows[topic] for topic in topics])]
    defined = values[~np.isnan(values)]
    mean = float(defined.mean()) if len(defined) else float("nan")
    return replace(
        scores,
        topics=tuple(topics),
        values={measure: values},
        means={measure: mean},
        counts={measure: len(defined)},
        texts={},
        returned=None
        if scores.returned is None
        else scores.returned[np.array([rows[topic] for topic in topics])],
    )
