"""What `spanwise plot` does: data for a picture, then the picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spanwise.console import write_atomically
from spanwise.errors import UnknownName, UsageError
from spanwise.evaluation.kinds import kinds_of
from spanwise.evaluation.stating import place_of
from spanwise.formats import expanded, read_judgements
from spanwise.formats.io.files import lasts
from spanwise.formats.results import holds_results
from spanwise.model.scores import run_names
from spanwise.report import plots
from spanwise.report.plots import CURVES, curve_points, find_curve
from spanwise.stats.paired import grid, student
from spanwise.workflows.compare import gathered, refuse_none
from spanwise.workflows.eval import scored

if TYPE_CHECKING:
    from spanwise.evaluation.shards import Request
    from spanwise.model.scores import Scores
    from spanwise.report.plots import Spec

KINDS = (*CURVES, "curve", "differences", "scatter")
"""Every picture by its name."""
Values = list[dict[str, Any]]


def plot(
    kind: str, request: Request, baseline: str | None, output: str, run: str | None = None
) -> None:
    """Draw a picture into a file; the end of its name says of which kind."""
    if kind not in KINDS:
        raise UnknownName("picture", kind, list(KINDS))
    ending = plots.ending_of(output)
    if ending not in plots.ENDINGS[:4]:
        raise UsageError(f"{output}: expected a name that ends in .png, .svg, .pdf or .json")
    spec, values = picture(kind, request, baseline, run)
    write_atomically(Path(output), plots.drawn(spec, values, ending))


def picture(
    kind: str, request: Request, baseline: str | None, run: str | None = None
) -> tuple[Spec, Values]:
    """The picture and its data."""
    if kind == "differences":
        return of_differences(gathered(request, baseline), baseline, run)
    if kind == "scatter":
        return of_scatter(gathered(request, baseline))
    return of_curve(kind, request)


def of_curve(kind: str, request: Request) -> tuple[Spec, Values]:
    """A line with its band for each run."""
    if holds_results(request.judgements):
        curve = find_curve(kind, request.measures, ["rankings"])
        results = gathered(replace(request, measures=curve.measures()))
    else:
        refuse_none(request.judgements, list(expanded(request.runs)))
        curve = find_curve(kind, request.measures, _kinds(kind, request))
        results, _ = scored(replace(request, measures=curve.measures()))
    return plots.curve_spec(curve), curve_points(curve, results, run_names(results), student)


def _kinds(kind: str, request: Request) -> list[str]:
    """Of what kind the judgements are, where that decides which curve is drawn."""
    if not any(one.reads for one in CURVES.get(kind, ())):
        return []
    if not lasts(request.judgements):
        raise UsageError(f"{request.judgements}: cannot be read twice; this picture needs a file")
    return kinds_of(read_judgements(request.judgements, request.judgements_format))


def of_differences(
    results: Sequence[Scores], baseline: str | None, chosen: str | None = None
) -> tuple[Spec, Values]:
    """A bar for each topic: one run against the baseline."""
    if len(results) < 2:
        raise UsageError("differences are between two runs; expected two, or --baseline")
    base = place_of(baseline, results)
    if chosen is None and len(results) > 2:
        few = f"differences are between two runs; {len(results)} were given: choose one with --run"
        raise UsageError(few)
    other = next(n for n in range(len(results)) if n != base)
    run = other if chosen is None else place_of(chosen, results)
    names, measure = run_names(results), next(iter(results[0].means))
    g = grid(results, measure)
    rows = []
    for topic, values in zip(g.topics, g.values.tolist(), strict=True):
        difference = values[run] - values[base]
        if difference == difference:
            side = "better" if difference > 0 else "worse" if difference < 0 else "same"
            rows.append(
                {"topic": topic, "difference": difference, "side": side,
                 "run": values[run], "baseline": values[base]}
            )  # fmt: skip
    rows.sort(key=lambda row: -row["difference"])
    return plots.differences_spec(measure, names[run], names[base]), rows


def of_scatter(results: Sequence[Scores]) -> tuple[Spec, Values]:
    """One measure against another: a point for each run, or for each topic of a single run."""
    measures = list(results[0].means)
    if len(measures) < 2:
        raise UsageError("a scatter is of two measures; expected -m twice")
    x, y = measures[:2]
    if len(results) == 1:
        names = list(results[0].topics)
        pairs = [results[0].values[x].tolist(), results[0].values[y].tolist()]
    else:
        names = run_names(results)
        pairs = [[scores.means[m] for scores in results] for m in (x, y)]
    apart = plots.disagreements(*pairs)
    few = len(names) <= plots.LABELLED
    rows = [
        {"name": name, "x": a, "y": b, "disagrees": odd, "label": name if few else ""}
        for name, a, b, odd in zip(names, *pairs, apart, strict=True)
        if a == a and b == b
    ]
    return plots.scatter_spec(x, y), rows
