"""Plans of experiments: what a number of topics can show, before anything is judged.

A plan needs the standard deviation of differences over topics, which a file of earlier results
has. Without one it states the smallest p. An audit takes the means of a published table and tells
whether any topics with these means could be significant.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import product
from math import isfinite, isnan, nan, sqrt
from os import PathLike, fspath
from typing import Any

from spanwise.errors import UnknownName, UsageError
from spanwise.evaluation.compare import may_pass_one, only, place_of, scores_of
from spanwise.evaluation.request import Request, names_of
from spanwise.formats.results import holds_results
from spanwise.model.comparison import defined, listed
from spanwise.model.scores import Scores, run_names
from spanwise.report.comparison import probability
from spanwise.report.tables import Table, as_latex, as_markdown, as_text
from spanwise.stats.paired import CONFIDENCE, POWER, Grid, checked, grid, special
from spanwise.stats.power import detectable, needed_topics, power_of, smallest_p
from spanwise.stats.proportions import is_binary
from spanwise.stats.resampling import RESAMPLES
from spanwise.stats.statements import shared_measures
from spanwise.stats.tests import TESTS, corrected


@dataclass(frozen=True, slots=True)
class Planned:
    """What topics can show by one test; what was not asked for is None."""

    test: str
    topics: int
    smallest_p: float  # if all topics differ, all in one direction
    measure: str | None = None
    run: str | None = None
    baseline: str | None = None
    sd: float | None = None  # of the differences over topics
    difference: float | None = None
    detectable: float | None = None  # found with power 0.8
    power: float | None = None  # of finding the difference
    needed_topics: float | None = None  # to find it with power 0.8
    smallest_p_of_means: float | None = None  # of any topics that have the means of a table
    can_show: bool | None = None  # whether a table with these means may be significant


@dataclass(frozen=True, slots=True)
class Plan:
    """A plan: a row for each test, and sentences about a published table."""

    rows: tuple[Planned, ...]
    sentences: tuple[str, ...] = ()
    alpha: float = 1 - CONFIDENCE

    def to_dict(self) -> dict[str, Any]:
        """Return the object that `--json` prints."""
        found: dict[str, Any] = {"plan": [_record(one) for one in self.rows]}
        return {**found, **({"sentences": list(self.sentences)} if self.sentences else {})}

    def __str__(self) -> str:
        return rendered(self, "table")

    def __repr__(self) -> str:
        tests = ", ".join(dict.fromkeys(one.test for one in self.rows))
        return f"<Plan of {self.rows[0].topics} topics: {tests}>"


def plan(
    topics: int,
    *,
    sd: float | None = None,
    results: Any = None,
    difference: float | None = None,
    means: Iterable[float | str] = (),
    measures: Iterable[object] | str | None = None,
    baseline: str | None = None,
    tests: Sequence[str] | str = (),
    correction: str = "holm",
    confidence: float = CONFIDENCE,
    resamples: int = RESAMPLES,
) -> Plan:
    """Return what a number of topics can show, by each test.

    `sd` is the standard deviation of the differences over topics; `results`, a file of results or
    scores of two runs or more, has one for each measure and run. With it, the plan has the smallest
    difference that is found with power 0.8; with a `difference`, the power of finding it and the
    number of topics that is needed. `means` of a published table, the first that of the baseline,
    ask whether such a table can show anything at all.

    >>> for one in plan(10, sd=0.2, tests=["t", "sign"]).rows:
    ...     print(one.test, round(one.smallest_p, 4), round(one.detectable, 4))
    t 0.0 0.1992
    sign 0.002 0.2767
    """
    chosen = _tests(tests)
    corrected([], correction)
    means = list(means)
    _refuse_conflicts(topics, sd, results, difference, means)
    if results is None and (baseline is not None or measures is not None):
        what = "a measure" if baseline is None else "the baseline"
        raise UsageError(f"{what} has no effect without results; expected a file of results")
    alpha = round(1 - checked(confidence), 12)
    if means:
        return _audit(topics, means, chosen, alpha, resamples, correction)
    rows = [
        _planned(one, topics, spread, difference, alpha, resamples)
        for spread in ([_Spread(sd)] if results is None else _spreads(results, measures, baseline))
        for one in chosen
        if spread.shares or one != "mcnemar"
    ]
    if not rows:
        raise UsageError(
            "the test mcnemar has no effect: found no measure whose topic values are all 0 or 1;"
            " expected one, such as Success@5"
        )
    return Plan(tuple(rows), (), alpha)


def _tests(tests: Sequence[str] | str) -> tuple[str, ...]:
    chosen = (tests,) if isinstance(tests, str) else tuple(dict.fromkeys(tests))
    for one in chosen:
        if one not in TESTS:
            raise UnknownName("test of a plan", one, list(TESTS))
    return chosen or tuple(TESTS)


def _refuse_conflicts(
    topics: int, sd: float | None, results: Any, difference: float | None, means: Sequence[Any]
) -> None:
    if isinstance(topics, bool) or not isinstance(topics, int) or topics < 1:
        raise UsageError(f"topics is {topics!r}; expected a number of topics of 1 or more")
    if sd is not None and not 0 < sd < float("inf"):
        raise UsageError(f"sd is {sd:g}; expected a standard deviation above 0")
    if difference is not None and not 0 < abs(difference) < float("inf"):
        raise UsageError(f"difference is {difference:g}; expected a number other than 0")
    if sd is not None and results is not None:
        raise UsageError("found sd and results, which both state a spread; expected one of them")
    if means and (sd is not None or results is not None or difference is not None):
        raise UsageError(
            "sd, results and difference have no effect with means; expected means alone"
        )
    if difference is not None and sd is None and results is None:
        raise UsageError("a difference has no effect without a spread; expected sd or results")


# Power ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Spread:
    """The standard deviation of differences over topics, and what it was observed in."""

    sd: float | None
    measure: str | None = None
    run: str | None = None
    baseline: str | None = None
    shares: bool = True  # whether values may be only 0 and 1


def _spreads(
    results: Any, measures: Iterable[object] | str | None, baseline: str | None
) -> list[_Spread]:
    """Return the spread of each measure and run of results."""
    wanted = () if measures is None else names_of(measures)
    scores = [only(one, wanted) if wanted else one for one in _read(results, wanted)]
    if len(scores) < 2:
        raise UsageError("found results of one run; expected two or more, whose differences vary")
    place, names, found = place_of(baseline, scores), run_names(scores), []
    for measure in shared_measures(scores):
        g = grid(scores, measure)
        for column, name in enumerate(names):
            differences = g.differences(column, place)
            if column != place:
                sd = float(differences.std(ddof=1)) if len(differences) > 1 else nan
                found.append(_Spread(sd, measure, name, names[place], _shares(g)))
    return found


def _shares(g: Grid) -> bool:
    return not may_pass_one(g.measure) and is_binary(g.values)


def _read(results: Any, measures: Sequence[str]) -> list[Scores]:
    """Read files of results; scores are returned as they are."""
    if isinstance(results, Mapping):
        results = list(results.values())
    several = [results] if isinstance(results, str | PathLike | Scores) else list(results)
    for n, one in enumerate(several):
        if isinstance(one, Scores):
            for name in measures:
                if name not in one.values:
                    raise UnknownName(f"measure of {one.run}", name, list(one.values))
        else:
            several[n] = file = fspath(one)
            if not holds_results(file):
                raise UsageError(
                    f"{file}: found no results; expected a file made with:"
                    " spanwise eval -o RESULTS.jsonl"
                )
    return scores_of(Request(None, several, measures, policy={}))


def _planned(
    test: str, topics: int, of: _Spread, difference: float | None, alpha: float, resamples: int
) -> Planned:
    """Return what topics can show by one test, given their spread or without one."""
    least = smallest_p(test, topics, resamples)
    names = (of.measure, of.run, of.baseline)
    if of.sd is None:
        return Planned(test, topics, least, *names)
    if difference is None:
        found = detectable(test, of.sd, topics, alpha)
        return Planned(test, topics, least, *names, of.sd, detectable=found)
    return Planned(
        test,
        topics,
        least,
        *names,
        of.sd,
        difference,
        power=power_of(test, difference, of.sd, topics, alpha),
        needed_topics=needed_topics(test, difference, of.sd, alpha),
    )


# Audits -----------------------------------------------------------------------------------------


def _audit(
    topics: int,
    means: Sequence[float | str],
    tests: Sequence[str],
    alpha: float,
    resamples: int,
    correction: str,
) -> Plan:
    """Ask what a published table of means over topics can show."""
    first, *others = _numbers(means)
    count = len(others) if correction in ("holm", "bonferroni") else 1
    rows: list[Planned] = []
    sentences: list[str] = []
    for place, (mean, half) in enumerate(others):
        difference = round(mean - first[0], 12)
        net = _most_topics_ahead(topics, first, (mean, half))
        for test in tests:
            least = least_here = smallest_p(test, topics, resamples)
            if test == "mcnemar":
                least_here = 2.0 ** min(1 - net, 0) if net is not None else nan
            shows = bool(difference) and least_here * count < alpha
            rows.append(
                Planned(
                    test,
                    topics,
                    least,
                    run=str(means[place + 1]),
                    baseline=str(means[0]),
                    difference=difference,
                    smallest_p_of_means=least_here,
                    can_show=shows,
                )
            )
        sentences += _sentences(rows[-1], topics, difference, net, alpha, count)
    corrections = f" ({count} comparisons, corrected)" if count > 1 else ""
    shared = _attainable(rows[: len(tests)], topics, alpha, count, corrections)
    return Plan(tuple(rows), (shared, *sentences), alpha)


def _numbers(means: Sequence[float | str]) -> list[tuple[float, float]]:
    """Return each mean with half a unit of its last decimal, of which two are assumed at least."""
    found = []
    for one in means:
        text = str(one).strip()
        try:
            value = float(text)
        except ValueError:
            value = nan
        if not isfinite(value):
            raise UsageError(f"means: found {text!r}; expected numbers, such as 0.70,1.00")
        found.append((value, 0.5 * 10.0 ** -max(len(text.partition(".")[2]), 2)))
    if len(found) < 2:
        raise UsageError(f"found {len(found)} mean; expected two or more, such as 0.70,1.00")
    return found


def _most_topics_ahead(
    topics: int, one: tuple[float, float], other: tuple[float, float]
) -> int | None:
    """Return by how many topics two runs can differ if values are 0 and 1, or None if they cannot.

    The means are rounded, so that several numbers of topics may belong to one of them.
    """
    fitting = [
        [n for n in range(topics + 1) if abs(n / topics - mean) <= half + 1e-12]
        for mean, half in (one, other)
    ]
    return max((abs(a - b) for a, b in product(*fitting)), default=None)


def _attainable(
    rows: Sequence[Planned], topics: int, alpha: float, count: int, corrections: str
) -> str:
    """State the smallest p of the tests that have one, and what follows."""
    discrete = [one for one in rows if one.test not in ("t", "bootstrap", "mcnemar")]
    if not discrete:
        return f"{_topics(topics)}: p may be as small as {rows[0].smallest_p:.2g} ({rows[0].test})."
    least = min(one.smallest_p for one in discrete)
    tests = listed([one.test for one in discrete if one.smallest_p == least])
    sentence = f"{_topics(topics)}: the smallest p is {least:.2g} ({tests})"
    if least * count < alpha:
        return f"{sentence}, so such a table can show a difference at p < {alpha:g}{corrections}."
    return f"{sentence}, so such a table can show nothing at p < {alpha:g}{corrections}."


def _sentences(
    row: Planned,
    topics: int,
    difference: float,
    net: int | None,
    alpha: float,
    count: int,
) -> Iterator[str]:
    """Yield what a difference of two means can show at best."""
    pair = f"{row.run} against {row.baseline}"
    if not difference:
        yield f"{pair}: the means are equal, which shows nothing."
        return
    if topics > 1:
        bound = float(special().stdtrit(topics - 1, 1 - alpha / count / 2))
        most = abs(difference) * sqrt(topics) / bound
        yield (
            f"{pair}: {difference:+.4f} is significant by a t test only if the differences of"
            f" topics have a standard deviation below {most:.4f}, which means alone do not tell."
        )
    if net is not None:
        least = 2.0 ** min(1 - net, 0)
        shows = "can show a difference" if least * count < alpha else "shows nothing"
        yield (
            f"{pair}: if every topic is 0 or 1, the runs differ by {_topics(net)}; the smallest p"
            f" is {least:.2g}, and the table {shows}."
        )


def _topics(number: int) -> str:
    return f"{number} topic{'s' if number != 1 else ''}"


# Layouts ----------------------------------------------------------------------------------------


def _record(one: Planned) -> dict[str, Any]:
    """Return a row as JSON has it, without what was not asked for."""
    found = {}
    for each in fields(one):
        value = getattr(one, each.name)
        if value is not None:
            found[each.name] = defined(value) if isinstance(value, float) else value
    return found


COLUMNS = {
    "measure": "measure",
    "run": "run",
    "baseline": "against",
    "test": "test",
    "topics": "topics",
    "sd": "deviation",
    "difference": "difference",
    "smallest_p": "smallest p",
    "smallest_p_of_means": "with these means",
    "detectable": "detectable",
    "power": "power",
    "needed_topics": "topics needed",
    "can_show": "can show",
}
"""The heading of each column."""
WORDS = ("measure", "run", "baseline", "test")


def rendered(found: Plan, layout: str, width: int | None = None, *, bold: bool = False) -> str:
    """Render a plan in a layout of the command line."""
    if layout == "json":
        return json.dumps(found.to_dict(), indent=2) + "\n"
    names = [name for name in COLUMNS if any(getattr(one, name) is not None for one in found.rows)]
    if layout == "csv":
        return _as_csv(found, names)
    rows = [tuple(_cell(name, getattr(one, name)) for name in names) for one in found.rows]
    table = Table(
        tuple(COLUMNS[name] for name in names),
        tuple(rows),
        (*found.sentences, *_below(found)),
        words=tuple(n for n, name in enumerate(names) if name in WORDS),
    )
    if layout == "md":
        return as_markdown(table)
    return as_latex(table) if layout == "latex" else as_text(table, width, bold)


def _below(found: Plan) -> Iterator[str]:
    """Yield what the numbers depend on."""
    if any(one.detectable is not None for one in found.rows):
        yield f"detectable: difference that {POWER:.0%} of such sets of topics show"
    if any(one.needed_topics is not None for one in found.rows):
        yield f"topics needed: for a power of {POWER:.0%}"
    yield f"p < {found.alpha:g}, two-sided"
    if any(one.test == "mcnemar" for one in found.rows):
        yield "mcnemar: if all values are 0 or 1"


def _as_csv(found: Plan, names: Sequence[str]) -> str:
    import csv
    import io

    text = io.StringIO()
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(_record(one) for one in found.rows)
    return text.getvalue()


def _cell(name: str, value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str | int):
        return str(value)
    if isnan(value) or not isfinite(value):
        return "-"
    if name in ("smallest_p", "smallest_p_of_means"):
        return probability(value) if value else "0"
    if name == "needed_topics":
        return f"{value:.0f}"
    return f"{value:+.4f}" if name == "difference" else f"{value:.4f}"
