"""What `spanwise compare` does with its words: score the runs, compare them, print."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from spanwise.app.evaluation import scored
from spanwise.app.output import emit, say
from spanwise.app.terminal import page_width, styled
from spanwise.comparing import stated
from spanwise.formats import expanded
from spanwise.report.comparison import rendered

if TYPE_CHECKING:
    from spanwise.app.evaluation import Request
    from spanwise.compare.statements import Question
    from spanwise.model.comparison import Comparison
    from spanwise.model.scores import Scores


def gathered(request: Request, baseline: str | None = None) -> list[Scores]:
    """The scores of all runs, and of the baseline if it is a file of its own."""
    runs = list(expanded(request.runs))
    if baseline is not None and baseline not in runs and Path(baseline).is_file():
        runs.append(baseline)
    results, _ = scored(replace(request, runs=runs))
    return results


def comparison(request: Request, baseline: str | None, question: Question) -> Comparison:
    """The runs of a request, compared."""
    return stated(gathered(request, baseline), baseline, question)


def report(c: Comparison, layout: str, output: str | None = None) -> None:
    """Print a comparison; what to beware of is said wherever the layout has no place for it."""
    emit(rendered(c, layout, page_width(output), styled(output)), output)
    if layout in ("csv", "latex"):
        for warning in c.warnings:
            say("warning", warning)
