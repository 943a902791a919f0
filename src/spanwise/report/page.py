"""A comparison as a self-contained HTML page.

The data is divided into parts, each of which is compressed and decoded when it is first displayed:
the overview, the values of each measure, the curves, and the rankings and documents of each topic.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterable, Sequence
from gzip import compress
from importlib.resources import files
from math import isfinite
from typing import TYPE_CHECKING, Any

from spanwise.errors import MissingExtra
from spanwise.model.comparison import letter
from spanwise.model.scores import printable
from spanwise.report.comparison import worded
from spanwise.report.plots import LABELLED, converter, curve_spec, differences_spec, scatter_spec
from spanwise.version import __version__

if TYPE_CHECKING:
    from spanwise.model.comparison import Comparison
    from spanwise.report.plots import Curve

DIGITS = 6
Chunk = tuple[str, Any]
"""The name and content of a part of the data."""


def page(
    c: Comparison,
    topics: Sequence[str],
    curves: Sequence[tuple[Curve, list[list[list[float | None]]]]],
    details: Iterable[Chunk],
    title: str,
    explained: str,
) -> str:
    """Render the whole page.

    `curves` have a mean and its bounds for each run and position.
    """
    parts: list[Chunk] = [("all", overview(c, topics, curves, explained))]
    parts += [(f"values-{n}", values(c, topics, m)) for n, m in enumerate(c.measures)]
    parts.append(("curves", [_curve(curve, points) for curve, points in curves]))
    packed_parts = [(name, packed(part)) for name, part in (*parts, *details)]
    counted = [f"{len(c.runs)} run{_s(len(c.runs))}", f"{len(topics)} topic{_s(len(topics))}"]
    return template().render(
        version=__version__,
        title=printable(title),
        facts=" · ".join([*counted, named_or_counted(c.measures)]),
        style=part_of_page("page.css"),
        script=part_of_page("page.js"),
        bundle=converter().javascript_bundle(),
        confidence=f"{c.confidence:.0%}",
        curves=bool(curves),
        pairs=len(c.runs) > 1,
        scatter=len(c.measures) > 1,
        warnings=[printable(warning) for warning in c.warnings],
        method=[printable(line) for line in method(c)],
        notes=[
            printable(f"{name}: {note}")
            for name, scores in zip(c.runs, c.scores, strict=True)
            for note in scores.notes
        ],
        chunks=packed_parts,
    )


def _s(count: int) -> str:
    return "" if count == 1 else "s"


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


def overview(
    c: Comparison, topics: Sequence[str], curves: Sequence[tuple[Curve, Any]], explained: str
) -> dict[str, Any]:
    """Return the data that the page needs at once."""
    places = {run: n for n, run in enumerate(c.runs)}
    first = [one for one in c.differences if one.test == c.tests[0]]
    return {
        "runs": [printable(run) for run in c.runs],
        "letters": [letter(n) if c.lettered else "" for n in range(len(c.runs))],
        "measures": [worded(measure) for measure in c.measures],
        "topics": [printable(topic) for topic in topics],
        "lowest": [n for n, name in enumerate(c.measures) if name in c.lowest],
        "baseline": None if c.baseline is None or len(c.runs) < 2 else places[c.baseline],
        "alpha": c.alpha,
        "explained": worded(explained),
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
        "marks": [[c.mark(run, measure) for measure in c.measures] for run in c.runs],
        "differences": {
            "run": [places[one.run] for one in first],
            "measure": [c.measures.index(one.measure) for one in first],
            "d": [short(one.difference) for one in first],
            "low": [short(one.low) for one in first],
            "high": [short(one.high) for one in first],
            "p": [short(one.p_adjusted) for one in first],
            "wins": [one.wins for one in first],
            "ties": [one.ties for one in first],
            "losses": [one.losses for one in first],
        },
        "curves": [curve.name for curve, _ in curves],
        "labelled": LABELLED,
        "specs": {"differences": differences_spec("", "", ""), "scatter": scatter_spec("", "")},
    }


def values(c: Comparison, topics: Sequence[str], measure: str) -> list[list[float | None]]:
    """Return the value of each topic, for each run."""
    rows = []
    for scores in c.scores:
        mine = dict(zip(scores.topics, scores.values[measure].tolist(), strict=True))
        rows.append([short(mine.get(topic, float("nan"))) for topic in topics])
    return rows


def _curve(curve: Curve, points: list[list[list[float | None]]]) -> dict[str, Any]:
    return {"places": list(curve.places), "points": points, "spec": curve_spec(curve)}


def short(value: float) -> float | None:
    """Round a number to the digits that the page shows, or return None if undefined."""
    return float(f"{value:.{DIGITS}g}") if isfinite(value) else None


def packed(part: Any) -> str:
    """Return JSON, compressed and in base64; the same data gives the same text."""
    text = json.dumps(part, separators=(",", ":"), ensure_ascii=False)
    data = text.encode("utf-8", "backslashreplace")
    return b64encode(compress(data, 9, mtime=0)).decode()


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
