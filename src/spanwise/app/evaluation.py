"""What `spanwise eval` does with its words: read once, score each run, print."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spanwise.app.output import emit, say
from spanwise.errors import UsageError
from spanwise.formats import Reading, expanded, read_judgements, read_run
from spanwise.formats.opening import CHUNK, STDIN
from spanwise.pipeline import asked, score
from spanwise.profiles import find_profile
from spanwise.report.scores import rendered, run_names

if TYPE_CHECKING:
    from spanwise.model.run import Run
    from spanwise.model.scores import Scores


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be evaluated, as it was asked for."""

    judgements: str
    runs: Sequence[str]
    measures: Sequence[str] = ()
    profile: str = "documents"
    policy: Mapping[str, Any] | None = None
    judgements_format: str | None = None
    run_format: str | None = None


def scored(request: Request) -> tuple[list[Scores], frozenset[str]]:
    """The scores of every run, and which of the measures are counts."""
    profile = find_profile(request.profile)
    policy = replace(profile.policy, **(request.policy or {}))
    measures = asked(request.measures or profile.measures)
    runs = expanded(request.runs)
    if [request.judgements, *runs].count(STDIN) > 1:
        raise UsageError("standard input (-) can be read only once")
    _prepare(runs)
    how = Reading(ranks=policy.ties == "rank")
    judgements = read_judgements(request.judgements, request.judgements_format, how)
    counting = frozenset(one.label for one in measures if one.measure.aggregate == "sum")
    contents = read_ahead(runs, lambda run: read_run(run, request.run_format, how))
    return [score(judgements, run, measures, policy) for run in contents], counting


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


def _prepare(files: Sequence[str]) -> None:
    """Many small files are as much work as a large one: then the table library pays."""
    sizes = (Path(file).stat().st_size for file in files if Path(file).is_file())
    if sum(sizes) > 2 * CHUNK:
        import polars  # noqa: F401


def report(request: Request, layout: str, per_topic: bool, output: str | None) -> None:
    """Score and print."""
    results, counting = scored(request)
    for label in results[0].texts if not per_topic or layout == "parquet" else ():
        say("warning", f"{label} is a text: it is shown for each topic (-q), not in sum")
    if layout == "parquet":
        _parquet(results, per_topic, output)
    else:
        terminal = sys.stdout is not None and sys.stdout.isatty()
        width = shutil.get_terminal_size().columns if terminal else None
        emit(rendered(results, layout, per_topic=per_topic, counting=counting, width=width), output)
    if layout not in ("table", "md", "latex", "json"):
        for message in _notes(results):
            say("warning", message)


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
