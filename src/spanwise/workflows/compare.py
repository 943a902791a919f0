"""What `spanwise compare` does with its words: score the runs, compare them, print."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from spanwise.console import emit, page_width, say, styled
from spanwise.errors import UsageError
from spanwise.evaluation.stating import stated
from spanwise.formats import expanded
from spanwise.formats.results import holds_results, read_results
from spanwise.report.comparison import rendered, rendered_across
from spanwise.workflows.eval import scored
from spanwise.workflows.results import selected

if TYPE_CHECKING:
    from spanwise.evaluation.shards import Request
    from spanwise.model.comparison import Comparison
    from spanwise.model.scores import Scores
    from spanwise.stats.statements import Question


def gathered(request: Request, baseline: str | None = None, on: str | None = None) -> list[Scores]:
    """The scores of all runs, and of the baseline if it is a file of its own.

    A file of results stands for the runs in it; where the first argument is one, all must be.
    """
    runs = list(expanded(request.runs))
    if holds_results(request.judgements):
        runs = [request.judgements, *runs]
    runs = with_baseline(runs, baseline)
    refuse_none(request.judgements, runs)
    kept = {file for file in runs if holds_results(file)}
    plain = [file for file in runs if file not in kept]
    if plain and holds_results(request.judgements):
        raise UsageError(f"{request.judgements} holds results, so {plain[0]} has no judgements")
    fresh = iter(scored(replace(request, runs=plain), on)[0] if plain else [])
    results: list[Scores] = []
    for file in runs:
        if file not in kept:
            results.append(next(fresh))
            continue
        wanted = request.measures or (list(results[0].means) if results and plain else ())
        results += selected(read_results(file), wanted)
    return results


def with_baseline(runs: Sequence[str], baseline: str | None) -> list[str]:
    """The files of runs, and that of the baseline unless it is one of them, however it is spelt."""
    if baseline is None or not Path(baseline).is_file():
        return list(runs)
    there = Path(baseline).resolve() in {Path(run).resolve() for run in runs}
    return list(runs) if there else [*runs, baseline]


def refuse_none(judgements: str, runs: Sequence[str]) -> None:
    """Judgements alone are nothing to look at."""
    if not runs:
        raise UsageError(f"{judgements}: no run was given, and this is no file of results")


def comparison(
    request: Request, baseline: str | None, question: Question, on: str | None = None
) -> Comparison:
    """The runs of a request, compared."""
    return stated(gathered(request, baseline, on), baseline, question)


def report(c: Comparison, layout: str, output: str | None = None, *, across: bool = False) -> None:
    """Print a comparison; what to beware of is said wherever the layout has no place for it.

    Where many measures stand beside few runs, runs go `across`.
    """
    across = across and layout in ("table", "md", "latex")
    drawn = rendered_across if across else rendered
    emit(drawn(c, layout, page_width(output), styled(output)), output)
    if layout in ("csv", "latex"):
        for warning in c.warnings:
            say("warning", warning)
