"""When a comparison is asked of data that cannot answer it, this is said in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isclose
from typing import TYPE_CHECKING

import numpy as np

from spanwise.compare.intervals import student
from spanwise.compare.questions import FAMILIES
from spanwise.compare.tests import EXACT

if TYPE_CHECKING:
    from spanwise.compare.grid import Grid
    from spanwise.compare.questions import Question
    from spanwise.model.comparison import Difference
    from spanwise.model.scores import Scores

FEW = 10
"""Fewer topics than this leave every interval wide and every test weak."""
MANY = 10
"""From so many measures on, it is said that each of them is a chance of its own."""
LISTED = 3
"""So many names are listed, and of more the number is given."""


def cautions(
    results: Sequence[Scores],
    names: Sequence[str],
    grids: Sequence[Grid],
    found: Sequence[Difference],
    question: Question,
) -> Iterator[str]:
    """Everything a reader ought to know before believing a comparison."""
    if len(results) == 1:
        yield "only one run: there is nothing to compare it with"
    yield from _choices(results, names)
    yield from _topics(results, found)
    yield from _no_difference(found)
    yield from _kinds(results, names, grids)
    yield from _many(found, question.correction)
    yield from _out_of_reach(found, question)


def _choices(results: Sequence[Scores], names: Sequence[str]) -> Iterator[str]:
    """Scores that were made in different ways."""
    for name, scores in zip(names, results, strict=True):
        if scores.signature != results[0].signature:
            yield (
                f"{names[0]} and {name} were scored under different choices:"
                f" {results[0].signature} and {scores.signature}"
            )


def _topics(results: Sequence[Scores], found: Sequence[Difference]) -> Iterator[str]:
    """Too few topics, or not the same ones."""
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
    """Pairs that do not differ anywhere."""
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
    """Values that are no means over topics, and topics for which only some runs have a value."""
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
    """Many comparisons are many chances to find something by luck."""
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
    """So many comparisons that no p is small enough once it is corrected."""
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
    """How small the p of a test can become on these topics."""
    differing, drawn = one.wins + one.losses, 1 / (resamples + 1)
    if (one.test == "randomisation" and differing > EXACT) or one.test == "bootstrap":
        return drawn
    if one.test in ("randomisation", "wilcoxon", "sign"):
        return 2.0 ** (1 - max(differing, 1))
    return 0.0


def listed(names: Sequence[str]) -> str:
    """Some names, and how many more there are.

    >>> listed(["a", "b", "c", "d", "e"])
    'a, b, c and 2 more'
    """
    more = len(names) - LISTED
    return ", ".join(names[:LISTED]) + (f" and {more} more" if more > 0 else "")
