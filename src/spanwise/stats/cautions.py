"""Warnings about comparisons whose data cannot support a conclusion."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isclose
from typing import TYPE_CHECKING

import numpy as np

from spanwise.stats.intervals import student
from spanwise.stats.question import FAMILIES
from spanwise.stats.tests import EXACT

if TYPE_CHECKING:
    from spanwise.model.comparison import Difference
    from spanwise.model.scores import Scores
    from spanwise.stats.grid import Grid
    from spanwise.stats.question import Question

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
    yield from _no_difference(found)
    yield from _kinds(results, names, grids)
    yield from _many(found, question.correction)
    yield from _out_of_reach(found, question)


def _choices(results: Sequence[Scores], names: Sequence[str]) -> Iterator[str]:
    """Warn of runs that were scored under different signatures."""
    for name, scores in zip(names, results, strict=True):
        if scores.signature != results[0].signature:
            yield (
                f"{names[0]} and {name} were scored under different choices:"
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
    if not found:
        return
    topics = min(one.topics for one in found)
    counted = f"{topics} topic{'s' if topics != 1 else ''}"
    if topics < 2:
        yield f"{counted} to compare on: no test can tell a difference from chance"
    elif topics < FEW:
        least = 2.0 ** (1 - topics)
        reach = (
            f"; a randomisation, Wilcoxon or sign test cannot give a p below {least:.2g},"
            " so they find nothing significant"
            if least > 0.05
            else ""
        )
        yield f"only {counted} to compare on: differences are uncertain{reach}"


def _no_difference(found: Sequence[Difference]) -> Iterator[str]:
    """Warn of pairs of runs that have the same value for every topic."""
    same: dict[tuple[str, str], list[str]] = {}
    for one in found:
        if one.topics and one.ties == one.topics:
            measures = same.setdefault((one.run, one.baseline), [])
            if one.measure not in measures:
                measures.append(one.measure)
    for (run, baseline), measures in same.items():
        yield (
            f"{run} and {baseline} have the same value for every topic in {listed(measures)}:"
            " all differences are zero, there is nothing to test"
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
                f"{g.measure} is no mean over topics: it has no interval, and its differences"
                " are means over topics"
            )
        undefined = np.isnan(g.values)
        uneven = undefined.any(axis=1) & ~undefined.all(axis=1)
        if n == 0 and uneven.any() and len({scores.topics for scores in results}) == 1:
            lacking = [name for k, name in enumerate(names) if undefined[uneven, k].any()]
            yield (
                f"{g.measure} is undefined for some topics of {listed(lacking)}:"
                " these are left out of their pairs"
            )


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
            f" comes up with probability {chance:.0%} (if they were independent);"
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
    differing, drawn = one.wins + one.losses, 1 / (resamples + 1)
    if (one.test == "randomisation" and differing > EXACT) or one.test == "bootstrap":
        return drawn
    if one.test in ("randomisation", "wilcoxon", "sign"):
        return 2.0 ** (1 - max(differing, 1))
    return 0.0


def listed(names: Sequence[str]) -> str:
    """List the first names and count the others.

    >>> listed(["a", "b", "c", "d", "e"])
    'a, b, c and 2 more'
    """
    more = len(names) - LISTED
    return ", ".join(names[:LISTED]) + (f" and {more} more" if more > 0 else "")


# What makes a comparison of chunks unfair, in plain sentences. ------------------------------------

MORE = 1.25
"""Ratio of read text from which two runs are reported as unequal."""
OFTEN = 0.05
"""Share from which duplicate text is reported, and unjudged text likewise."""
CLEAR = 0.005
"""Minimum difference of two values that is reported as a contradiction."""


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts about one run of chunks that decide whether a comparison is fair."""

    run: str
    read: float  # characters after k results, mean over topics
    waste: float  # share of all its text that it had returned before
    placements: Mapping[str, int] = field(default_factory=dict)
    invalid: int = 0  # chunks without a place, or whose text stands elsewhere, if any states one
    missing: int = 0  # results of documents that are not there
    results: int = 0
    judged: float = 1.0  # share of what is read that was judged
    touching: Mapping[str, float] = field(default_factory=dict)  # measures that depend on size
    recall: Mapping[float, float] = field(default_factory=dict)  # at each budget


def sentences(facts: Sequence[Facts], k: int, unit: str) -> list[str]:
    """Describe everything that makes a comparison of chunks unfair.

    Sentences about single runs come first, then those about pairs.
    """
    said: list[str] = []
    for one in facts:
        said += _of_run(one)
    said += _unequal_reading(facts, k)
    for one in facts:
        said += _reversals(one, facts, unit)
    return said


def _of_run(one: Facts) -> Iterator[str]:
    if one.waste >= OFTEN:
        yield f"{_share(one.waste)} of what {one.run} returns is duplicate: it was returned before."
    lost = one.placements.get("lost", 0)
    if one.invalid:
        placed = one.invalid - lost
        yield (
            f"{_share(one.invalid / one.results)} of the chunks of {one.run} had no valid offset;"
            f" {_share(placed / one.results)} were re-placed by their text"
            + (f", {lost} {'is' if lost == 1 else 'are'} lost." if lost else ".")
        )
    elif lost:
        yield (
            f"{lost} of {one.results} chunks of {one.run} {'is' if lost == 1 else 'are'} nowhere in"
            " the documents."
        )
    if one.missing:
        yield (
            f"{one.missing} of {one.results} results of {one.run} name documents that no longer"
            " exist in the collection."
        )
    if one.judged < 1 - OFTEN:
        yield (
            f"Only {_share(one.judged)} of what {one.run} reads was judged; the rest counts as not"
            " relevant."
        )


def _unequal_reading(facts: Sequence[Facts], k: int) -> Iterator[str]:
    """Report runs that read much more than the run that reads least."""
    reading = [one for one in facts if one.read > 0]
    if len(reading) < 2:
        return
    least = min(reading, key=lambda one: one.read)
    for one in reading:
        if one.read >= MORE * least.read:
            yield (
                f"{one.run} reads {one.read / least.read:.1f} times more than {least.run} at k={k}"
                f" ({one.read:,.0f} against {least.read:,.0f} characters): compare at a budget."
            )


def _reversals(worse: Facts, facts: Sequence[Facts], unit: str) -> Iterator[str]:
    """Report measures that depend on chunk size and contradict recall at a budget.

    The largest budget with a contradiction is reported.
    """
    for budget in sorted(worse.recall, reverse=True):
        better = max(facts, key=lambda one: _or_least(one.recall[budget]))
        if not better.recall[budget] - worse.recall[budget] >= CLEAR:
            continue
        names = [
            name
            for name in better.touching
            if worse.touching.get(name, 0) - better.touching[name] >= CLEAR
        ]
        if names:
            yield (
                f"{' and '.join(names)} depend{'s' if len(names) == 1 else ''} on chunk size and"
                f" point{'s' if len(names) == 1 else ''} the other way: better for {worse.run}, but"
                f" within {budget:,.0f} {unit} {better.run} finds {better.recall[budget]:.3f} of"
                f" the needed text and {worse.run} {worse.recall[budget]:.3f}."
            )
            return


def _or_least(value: float) -> float:
    return value if value == value else -1.0


def _share(value: float) -> str:
    """Format a share in percent, with a decimal if it is not whole.

    >>> _share(0.41), _share(0.379)
    ('41 %', '37.9 %')
    """
    percent = round(100 * value, 1)
    return f"{percent:.0f} %" if percent.is_integer() else f"{percent:.1f} %"
