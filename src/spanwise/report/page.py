"""A comparison as a self-contained HTML page.

The data is divided into parts, each of which is compressed and decoded when it is first displayed:
the overview, the values of each measure, the curves, and the rankings and documents of each topic.
"""

from __future__ import annotations

import json
import os
import re
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from gzip import compress
from importlib.resources import files
from math import isfinite
from typing import TYPE_CHECKING, Any

from spanwise.errors import MissingExtra
from spanwise.model.comparison import joined_cautions, letter
from spanwise.model.scores import UNREACHED, number, printable
from spanwise.report.comparison import at, mean_cells, probability, worded
from spanwise.report.plots import COLOURS, DASHES, LABELLED
from spanwise.report.tables import counted
from spanwise.version import __version__

if TYPE_CHECKING:
    from spanwise.model.comparison import Comparison, Difference
    from spanwise.report.plots import Curve

Chunk = tuple[str, Any]
"""The name and content of a part of the data."""
Points = list[list[list[float | None]]]
"""The mean and its bounds for each run and position of a curve."""
FIRST_WARNINGS = 3
"""Maximum number of warnings that are shown below the verdict."""
MINOR = ("have the same value for every topic", "decide on one measure before you look")
"""What warnings say that cannot change who is best in the first measure."""


@dataclass(frozen=True, slots=True)
class Details:
    """The rankings and the texts of documents, packed, and what all of them have in common."""

    questions: list[str] = field(default_factory=list)  # of each topic; empty if unknown
    parts: list[tuple[str, str]] = field(default_factory=list)
    headers: list[list[str]] = field(default_factory=list)
    words: list[list[str]] = field(default_factory=list)
    budgets: Sequence[float] = ()
    unit: str = "characters"  # of budgets
    together: int = 1  # number of topics in a part
    painted: int = 0  # number of topics with relevant text that is shown
    cut: bool = False  # whether text is left out that would not fit


NO_DETAILS = Details()


@dataclass(frozen=True, slots=True)
class Content:
    """What a page shows beside the numbers of a comparison."""

    topics: Sequence[str]
    curves: Sequence[tuple[Curve, Points]]
    details: Details
    title: str
    styles: Sequence[int]  # of runs, by their places on the command line
    made: Sequence[str] = ()  # command and inputs


def page(c: Comparison, content: Content) -> str:
    """Render the whole page."""
    topics = content.topics
    parts: list[Chunk] = [("all", overview(c, content))]
    parts += [(f"values-{n}", values(c, topics, m)) for n, m in enumerate(c.measures)]
    parts.append(("curves", [_curve(curve, points) for curve, points in content.curves]))
    packed_parts = [*((name, packed(part)) for name, part in parts), *content.details.parts]
    warnings = [printable(warning) for warning in c.warnings]
    facts = [counted(len(c.runs), "run"), counted(len(topics), "topic")]
    return template().render(
        version=__version__,
        title=printable(content.title),
        facts=" · ".join([*facts, named_or_counted(c.measures)]),
        style=part_of_page("page.css"),
        script=part_of_page("page.js"),
        confidence=f"{c.confidence:.0%}",
        verdict=[printable(sentence) for sentence in c.headline],
        grave=[printable(line) for line in gravest(c.warnings)],
        curves=bool(content.curves),
        pairs=len(c.runs) > 1,
        scatter=len(c.measures) > 1,
        several=len(c.measures) > 1,
        losses=bool(c.losses),
        warnings=warnings,
        method=[printable(line) for line in method(c)],
        notes=[
            printable(f"{name}: {note}")
            for name, scores in zip(c.runs, c.scores, strict=True)
            for note in scores.notes
        ],
        made=[printable(line) for line in content.made],
        when=now().strftime("%Y-%m-%d %H:%M UTC"),
        chunks=packed_parts,
    )


def gravest(warnings: Sequence[str]) -> list[str]:
    """Return the first warnings that could change the verdict, one of each kind."""
    grave = [line for line in warnings if not any(words in line for words in MINOR)]
    return joined_cautions(grave)[:FIRST_WARNINGS]


def now() -> datetime:
    """Return the time of the page; SOURCE_DATE_EPOCH replaces that of the clock."""
    stated = os.environ.get("SOURCE_DATE_EPOCH")
    return datetime.fromtimestamp(int(stated), UTC) if stated else datetime.now(UTC)


NAMED = 5
"""Maximum number of measures that are named at the top of the page."""


def named_or_counted(measures: Sequence[str]) -> str:
    """Name the measures, or count them if there are many."""
    few = len(measures) <= NAMED
    return ", ".join(map(worded, measures)) if few else f"{len(measures)} measures"


def method(c: Comparison) -> list[str]:
    """Describe how the numbers were computed."""
    lines = [f"Measures: {', '.join(c.measures)}", f"Choices: {c.scores[0].signature}"]
    lines.append(f"Intervals: Student's, {c.confidence:.0%}, over topics.")
    if c.differences:
        against = "all pairs of runs" if c.baseline is None else f"each run against {c.baseline}"
        lines.append(
            f"Test: {c.tests[0]}, {against}, p two-sided, {c.allowing} within each measure."
        )
    if len(c.runs) > 2:
        lines += [f"Analysis of variance, {worded(m)}: {one.words()}" for m, one in c.anova.items()]
    return lines


def legend(c: Comparison) -> list[str]:
    """Explain the marks of the overview."""
    lines = [f"Lines are {c.confidence:.0%} intervals of the mean", "the best value is bold"]
    return [*lines, *c.legend()[1 : -len(c.warnings) or None]]


def overview(c: Comparison, content: Content) -> dict[str, Any]:
    """Return the data that the page needs at once; what it shows of means is text."""
    places = {run: n for n, run in enumerate(c.runs)}
    first = [one for one in c.differences if one.test == c.tests[0]]
    details = content.details
    return {
        "runs": [printable(run) for run in c.runs],
        "letters": [letter(n) if c.lettered else "" for n in range(len(c.runs))],
        "styles": list(content.styles),
        "colours": list(COLOURS),
        "dashes": [list(dash) for dash in DASHES],
        "measures": [worded(measure) for measure in c.measures],
        "topics": [printable(topic) for topic in content.topics],
        "order": natural(content.topics),
        "lowest": [n for n, name in enumerate(c.measures) if name in c.lowest],
        "baseline": None if c.baseline is None or len(c.runs) < 2 else places[c.baseline],
        "alpha": c.alpha,
        "explained": worded(c.measures[0]),
        "legend": [printable(line) for line in legend(c)],
        "means": [
            [
                [None] * 3
                if c.unreached(one.measure)
                else [short(one.value), short(one.low), short(one.high)]
                for one in (c.mean(run, measure) for measure in c.measures)
            ]
            for run in c.runs
        ],
        "cells": [
            [mean_cells(c, c.mean(run, measure)) for measure in c.measures] for run in c.runs
        ],
        "marks": [[c.mark(run, measure) for measure in c.measures] for run in c.runs],
        "best": [[places[run] for run in c.best(measure)] for measure in c.measures],
        "differences": [
            [places[one.run], c.measures.index(one.measure), *_difference(c, one)] for one in first
        ],
        "losses": _losses(c),
        "curves": [curve.name for curve, _ in content.curves],
        "curve_of": [_curve_of(content.curves, measure) for measure in c.measures],
        "budgets": list(details.budgets),
        "unit": details.unit,
        "budget_of": [at(measure) for measure in c.measures],
        "questions": details.questions,
        "headers": details.headers,
        "words": details.words,
        "together": details.together,
        "painted": details.painted,
        "cut": details.cut,
        "detailed": bool(details.parts),
        "labelled": LABELLED,
    }


def _difference(c: Comparison, one: Difference) -> list[Any]:
    """Return a difference, its interval, p, counts of topics, and whether it is a gain."""
    sure = one.p_adjusted < c.alpha and not c.unreached(one.measure)
    gain = (one.difference < 0) == (one.measure in c.lowest)
    return [
        "-" if not isfinite(one.difference) else f"{one.difference:+.4f}",
        f"[{one.low:+.4f}, {one.high:+.4f}]" if isfinite(one.low) else "-",
        probability(one.p_adjusted),
        f"{one.wins} / {one.ties} / {one.losses}",
        (1 if gain else -1) if sure else 0,
    ]


def _losses(c: Comparison) -> list[list[Any]]:
    """Return, for each run and budget, recall and its losses, as numbers and as text."""
    places = {run: n for n, run in enumerate(c.runs)}
    rows: list[list[Any]] = []
    for one in c.losses:
        known = isfinite(one.chunker)
        name = next((m for m in c.measures if m.startswith("SpanR(") and at(m) == one.budget), None)
        if name is None:
            continue
        recall = c.mean(one.run, name).value
        early = one.chunker if known else 1 - recall - one.ranker
        parts = [recall, one.ranker, one.retriever if known else 0.0, early]
        far = not c.unreached(name)
        texts = [number(part + 0.0) if far else UNREACHED for part in parts]
        rows.append(
            [places[one.run], one.budget, [short(max(x, 0.0)) for x in parts], texts, known]
        )
    return rows


def _curve_of(curves: Sequence[tuple[Curve, Points]], measure: str) -> int | None:
    """Return which curve has a measure among its points."""
    return next((n for n, (curve, _) in enumerate(curves) if measure in curve.measures()), None)


def natural(names: Sequence[str]) -> list[int]:
    """Return the places of names in natural order: by the numbers in them.

    >>> natural(["q10", "q9", "a"])
    [2, 1, 0]
    """

    def key(place: int) -> list[tuple[bool, int, str]]:
        pieces = re.split(r"(\d+)", names[place])
        return [(not p.isdecimal(), int(p) if p.isdecimal() else 0, p) for p in pieces if p]

    return sorted(range(len(names)), key=key)


def values(c: Comparison, topics: Sequence[str], measure: str) -> list[list[float | None]]:
    """Return the value of each topic, for each run."""
    rows = []
    for scores in c.scores:
        mine = dict(zip(scores.topics, scores.values[measure].tolist(), strict=True))
        rows.append([short(mine.get(topic, float("nan"))) for topic in topics])
    return rows


def _curve(curve: Curve, points: Points) -> dict[str, Any]:
    low, high = curve.bounds
    return {
        "places": list(curve.places),
        "points": points,
        "x": curve.x_title,
        "y": curve.y_title,
        "logarithmic": curve.logarithmic,
        "budgets": curve.of_budgets,
        "bounds": [low, high] if isfinite(low) and isfinite(high) else None,
    }


def short(value: float) -> float | None:
    """Return a number in full, so that it is rounded only once, or None if undefined."""
    return value if isfinite(value) else None


def packed(part: Any) -> str:
    """Return JSON, compressed and in base64; the same data gives the same text."""
    text = json.dumps(part, separators=(",", ":"), ensure_ascii=False)
    data = text.encode("utf-8", "backslashreplace")
    return b64encode(compress(data, 6, mtime=0)).decode()


def part_of_page(name: str) -> str:
    """Read one of the files that the page is made of."""
    return (files("spanwise") / "data" / "page" / name).read_text(encoding="utf-8")


def template() -> Any:
    """Return the template of the page, which escapes all inserted text."""
    try:
        import jinja2
    except ImportError:
        raise MissingExtra("Jinja2", "report", "an HTML report") from None
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
    return environment.from_string(part_of_page("page.html"))
