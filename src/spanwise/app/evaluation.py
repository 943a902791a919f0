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
from spanwise.model.ids import PackedIds
from spanwise.model.scores import run_names
from spanwise.pipeline import asked, asking, fitting, score, texts_along
from spanwise.profiles import find_profile
from spanwise.report.scores import rendered

if TYPE_CHECKING:
    from spanwise.model.measures import Asked
    from spanwise.model.policy import Policy
    from spanwise.model.run import Run
    from spanwise.model.scores import Scores


MANY = 12
"""So many runs can be worth the start of further processes."""


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


class Scorer:
    """What all runs of a request have in common, read once; the first run settles the rest."""

    def __init__(self, request: Request) -> None:
        given = request.policy or {}
        self._request, self._given = request, given
        self._named = find_profile(request.profile, request.task)
        self._how = Reading(ranks=given.get("ties") == "rank")
        judgements = read_judgements(request.judgements, request.judgements_format, self._how)
        judgements = asking(judgements, request.queries, given.get("structure", "ignore"))
        self._collection = opened(request.collection, judgements)
        documents = self._collection or texts_along(judgements)
        self._judgements = placed_judgements(judgements, documents)
        self.measures: list[Asked] = []
        self._policy: Policy | None = None

    def read(self, file: str) -> Run:
        """A run as it stands in its file."""
        return read_run(file, self._request.run_format, self._how)

    def score(self, run: Run) -> Scores:
        """The scores of a run."""
        policy = self.settle(run)
        return score(self._judgements, run, self.measures, policy, self._collection)

    def settle(self, run: Run) -> Policy:
        """Without a name the first run decides for all what is measured, and how."""
        if self._policy is None:
            word = self._request.profile or self._request.task
            wanted = self._request.measures
            profile = fitting(self._named, self._judgements, run, wanted, named=word)
            self.measures = asked(wanted or profile.measures, profile.defaults)
            self._policy = replace(profile.policy, **self._given)
        return self._policy

    @property
    def laborious(self) -> bool:
        """Whether runs take long enough for several processes to pay."""
        return any(one.measure.reads in ("elements", "journeys") for one in self.measures)


def scored(request: Request) -> tuple[list[Scores], frozenset[str]]:
    """The scores of every run, and which of the measures are counts."""
    find_profile(request.profile, request.task)
    asked(request.measures)  # a mistake in a name is said before anything is read
    runs = expanded(request.runs)
    if [request.judgements, *runs].count(STDIN) > 1:
        raise UsageError("standard input (-) can be read only once")
    prepare(runs)
    scorer = Scorer(request)
    results = list(watched(_each(scorer, request, runs), len(runs), "scoring"))
    counting = (one.label for one in scorer.measures if one.measure.aggregate == "sum")
    return results, frozenset(counting)


def _each(scorer: Scorer, request: Request, runs: Sequence[str]) -> Iterator[Scores]:
    """The scores of one run after another; many laborious ones are shared between processes."""
    pooled = len(runs) >= MANY and STDIN not in (request.judgements, *runs)
    first = runs[:1] if pooled else runs
    for run in read_ahead(first, scorer.read):
        yield scorer.score(run)
    if pooled and scorer.laborious:
        from spanwise.app.workers import scored_by_workers

        yield from scored_by_workers(scorer, request, runs)
    elif pooled:
        for run in read_ahead(runs[1:], scorer.read):
            yield scorer.score(run)


def read_ahead(files: Sequence[str], read: Callable[[str], Run]) -> Iterator[Run]:
    """The contents of files in their order; the next file is read while one is in use.

    Not so where ids are packed: reading those is many short steps of Python, and two threads
    would wait for each other at each of them.
    """
    first = read(files[0])
    yield first
    if isinstance(first.documents, PackedIds):
        yield from map(read, files[1:])
        return
    if len(files) == 1:
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        coming = pool.submit(read, files[1])
        for following in files[2:]:
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
