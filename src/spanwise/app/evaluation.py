"""What `spanwise eval` does with its words: read once, score each run, print."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spanwise.app.output import emit, say
from spanwise.app.terminal import page_width, watched
from spanwise.collection import opened
from spanwise.errors import UsageError
from spanwise.formats import Reading, expanded, read_judgements, read_run
from spanwise.formats.columns import prepare
from spanwise.formats.opening import STDIN
from spanwise.ground.placing import placed_judgements
from spanwise.model.scores import run_names
from spanwise.pipeline import asked, asking, fitting, score, texts_along
from spanwise.profiles import find_profile
from spanwise.report.scores import rendered

if TYPE_CHECKING:
    from spanwise.model.measures import Asked
    from spanwise.model.run import Run
    from spanwise.model.scores import Scores


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be evaluated, as it was asked for."""

    judgements: str
    runs: Sequence[str]
    measures: Sequence[str] = ()
    profile: str | None = None
    task: str | None = None
    policy: Mapping[str, Any] | None = None
    judgements_format: str | None = None
    run_format: str | None = None
    collection: str | None = None
    queries: str | None = None  # topics, where structure counts


def scored(request: Request) -> tuple[list[Scores], frozenset[str]]:
    """The scores of every run, and which of the measures are counts."""
    named = find_profile(request.profile, request.task)
    given = request.policy or {}
    asked(request.measures)  # a mistake in a name is said before anything is read
    runs = expanded(request.runs)
    if [request.judgements, *runs].count(STDIN) > 1:
        raise UsageError("standard input (-) can be read only once")
    prepare(runs)
    how = Reading(ranks=given.get("ties") == "rank")
    judgements = read_judgements(request.judgements, request.judgements_format, how)
    judgements = asking(judgements, request.queries, given.get("structure", "ignore"))
    collection = opened(request.collection, judgements)
    judgements = placed_judgements(judgements, collection or texts_along(judgements))
    results: list[Scores] = []
    measures: list[Asked] = []
    reading = read_ahead(runs, lambda file: read_run(file, request.run_format, how))
    for run in watched(reading, len(runs), "scoring"):
        if not results:  # without a name the first run decides for all
            word = request.profile or request.task
            profile = fitting(named, judgements, run, request.measures, named=word)
            measures = asked(request.measures or profile.measures, profile.defaults)
            policy = replace(profile.policy, **given)
        results.append(score(judgements, run, measures, policy, collection))
    return results, frozenset(one.label for one in measures if one.measure.aggregate == "sum")


def read_ahead(files: Sequence[str], read: Callable[[str], Run]) -> Iterator[Run]:
    """The contents of files in their order; the next file is read while one is in use."""
    if len(files) == 1:
        yield read(files[0])
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        coming = pool.submit(read, files[0])
        for following in files[1:]:
            content = coming.result()
            coming = pool.submit(read, following)
            yield content
        yield coming.result()


def report(
    request: Request,
    layout: str | None,
    per_topic: bool,
    output: str | None,
    cite: bool = False,
) -> None:
    """Score and print; without a layout, the name of the file may ask for results to keep."""
    from spanwise.app.keeping import is_results_name, keep

    results, counting = scored(request)
    kept = layout is None and is_results_name(output)
    shown = layout or ("results" if kept else "table")
    for label in results[0].texts if not per_topic or shown in ("parquet", "results") else ():
        say("warning", f"{label} is a text: it is shown for each topic (-q), not in sum")
    if kept and output is not None:
        keep(request, results, output)
    elif shown == "parquet":
        _parquet(results, per_topic, output)
    else:
        width = page_width(output)
        emit(rendered(results, shown, per_topic=per_topic, counting=counting, width=width), output)
    if shown not in ("table", "md", "latex", "json"):
        for message in _notes(results):
            say("warning", message)
    if cite:
        emit(("" if output else "\n") + cited(results))


def cited(results: Sequence[Scores]) -> str:
    """The sentence and BibTeX that a paper needs for the measures used."""
    from spanwise.report.citation import citation

    measures = [(one.label, one.measure) for one in asked(results[0].means)]
    return citation(measures, results[0].signature)


def _notes(results: Sequence[Scores]) -> Iterator[str]:
    for name, scores in zip(run_names(results), results, strict=True):
        for note in scores.notes:
            yield f"{name}: {note}"


def _parquet(results: Sequence[Scores], per_topic: bool, output: str | None) -> None:
    from io import BytesIO

    import polars as pl

    from spanwise.app.output import write_atomically
    from spanwise.model.scores import printable
    from spanwise.report.scores import records

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
