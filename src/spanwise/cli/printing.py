"""Output of scores and comparisons: printed, or kept as files of results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from spanwise.console import emit, page_width, say, styled, watched, write_atomically
from spanwise.errors import UsageError
from spanwise.evaluation.evaluate import PROCESSES, run
from spanwise.evaluation.prepare import asked
from spanwise.model.scores import printable
from spanwise.report.scores import records, rendered

if TYPE_CHECKING:
    from spanwise.evaluation.request import Request
    from spanwise.model.comparison import Comparison
    from spanwise.model.scores import Scores


def report(
    request: Request,
    layout: str | None,
    per_topic: bool,
    output: str | None,
    cite: bool = False,
    on: str | None = None,
) -> None:
    """Score runs and print the scores, or keep them if the name of the file is one of results."""
    results = run(request, on or PROCESSES, watched)
    kept = layout is None and output is not None and _asks_for_results(output)
    shown = layout or ("results" if kept else "table")
    for label in results[0].texts if not per_topic or shown in ("parquet", "results") else ():
        say("warning", f"{label} is a text; it has no mean, use -q to show it for each topic")
    if kept and output is not None:
        from spanwise.workflows.results import keep

        keep(request, results, output)
    elif shown == "parquet":
        _parquet(results, per_topic, output)
    else:
        width = page_width(output)
        emit(rendered(results, shown, per_topic=per_topic, width=width), output)
    if shown not in ("table", "md", "latex", "json"):
        for message in _notes(results):
            say("warning", message)
    if cite:
        emit(("" if output else "\n") + cited(results))


def _asks_for_results(output: str) -> bool:
    from spanwise.workflows.results import is_results_name

    return is_results_name(output)


def cited(results: Sequence[Scores]) -> str:
    """Return the sentence and the BibTeX with which a paper cites the measures used."""
    from spanwise.report.catalogue import citation

    measures = [(one.label, one.measure) for one in asked(results[0].means)]
    return citation(measures, results[0].signature)


def _notes(results: Sequence[Scores]) -> Iterator[str]:
    return (f"{scores.run}: {note}" for scores in results for note in scores.notes)


def _parquet(results: Sequence[Scores], per_topic: bool, output: str | None) -> None:
    from io import BytesIO

    import polars as pl

    if output is None:
        raise UsageError("--format parquet needs -o FILE")
    every = [record for scores in results for record in records(scores, per_topic)]
    rows = [record for record in every if not isinstance(record["value"], str)]
    schema = {"run": pl.String, "topic": pl.String, "measure": pl.String, "value": pl.Float64}
    for row in rows:
        row |= {"run": printable(row["run"]), "topic": printable(row["topic"])}
    buffer = BytesIO()
    pl.DataFrame(rows, schema=schema).write_parquet(buffer)
    write_atomically(Path(output), buffer.getvalue())


def report_comparison(
    c: Comparison,
    layout: str,
    output: str | None = None,
    *,
    everything: bool = False,
    warnings: str | None = None,
) -> None:
    """Print a comparison; warnings go to standard error where the layout has no place for them.

    Of systems of chunks, `everything` prints all measures and differences.
    """
    from spanwise.report.comparison import rendered

    c = replace(c, ungrouped=warnings == "all")
    width, colours = page_width(output), styled(output)
    emit(rendered(c, layout, width, colours, everything=everything), output)
    if layout in ("csv", "latex"):
        for warning in c.warnings:
            say("warning", warning)
