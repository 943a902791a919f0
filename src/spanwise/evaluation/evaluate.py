"""Running a request, and the function `evaluate`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from spanwise.errors import UnknownName, UsageError
from spanwise.evaluation.merge import merge, summed_up
from spanwise.evaluation.plan import Scratch, plan
from spanwise.evaluation.prepare import Prepared, Settled, names_of_run, refuse_without_chunks
from spanwise.evaluation.request import Request, request_of
from spanwise.evaluation.score import laborious, measured, score_shard
from spanwise.formats.frames import several_runs
from spanwise.formats.io.files import STDIN
from spanwise.model.policy import PolicyFields
from spanwise.model.scores import ScoreTable

if TYPE_CHECKING:
    from typing import Unpack

    from spanwise.evaluation.plan import Shard
    from spanwise.evaluation.score import Partial
    from spanwise.model.documents import Collection
    from spanwise.model.judgements import Judgements, Preferences
    from spanwise.model.measure import MeasureRequest
    from spanwise.model.policy import Policy
    from spanwise.model.run import Run
    from spanwise.model.scores import Scores

Watch = Callable[[Iterable[Any], int, str], Iterable[Any]]
"""Hands on things of a known number while they come, and may show how far it is."""

PROCESSES = "processes"
"""Processes of this machine: as many as pay, or `processes:N`."""
LONG = 768 << 20
"""Bytes of runs from which further processes pay."""
LONG_IF_CHEAP = 64 << 20
"""The same, where these are copies of this one."""
MANY = 12
"""Number of runs from which processes pay, if their measures are laborious."""


def unwatched(things: Iterable[Any], count: int, label: str) -> Iterable[Any]:  # noqa: ARG001
    """Hand on things as they are."""
    return things


def run(request: Request, on: str | None = None, watch: Watch = unwatched) -> list[Scores]:
    """Return the scores of every run of a request: prepare, plan, score, merge.

    `on` says where shards are scored: in this process, on `processes`, `processes:N`, or on an
    engine such as `dask:tcp://HOST:8786`.
    """
    if on is not None and on.partition(":")[0] != PROCESSES:
        found = _on_engine(on, request, watch)
    else:
        with Scratch(lambda some, count: iter(watch(some, count, "sorting"))) as scratch:
            shards = plan(request, scratch=scratch)
            found = merge(shards, _scored(shards, on, watch), scratch)
    if not request.derived:
        _refuse_unknown_runs(request, found)
    return found


def _refuse_unknown_runs(request: Request, results: Sequence[Scores]) -> None:
    """Refuse chunks that are given for a run that does not exist."""
    known = {name for one in results for name in names_of_run(one.run, one.source)}
    known |= {name for name in request.names if name is not None}
    for name in request.chunks:
        if name not in known:
            raise UnknownName("run of --chunks", name, [one.run for one in results])


def _scored(shards: Sequence[Shard], on: str | None, watch: Watch) -> Iterable[Partial]:
    """Score shards by several processes where that pays, else one after the other."""
    count = _processes(shards, on)
    if count < 2 or len(shards) < 2 or shards[0].request.judgements == STDIN:
        return watch(map(score_shard, shards), len(shards), "scoring")
    from spanwise.executors.processes import by_processes

    return watch(by_processes(score_shard, shards, count), len(shards), "scoring")


def _processes(shards: Sequence[Shard], on: str | None) -> int:
    """Return the number of processes that saves time.

    Starting a process takes as long as scoring some hundred megabytes.
    """
    if on != PROCESSES:
        return 1 if on is None else int(on.partition(":")[2])
    files = {shard.source for shard in shards if isinstance(shard.source, str)}
    size = sum(Path(file).stat().st_size for file in files if Path(file).is_file())
    runs = {shard.run for shard in shards}
    if len(shards) < 2 or (size < LONG_IF_CHEAP and len(runs) < MANY):
        return 1
    from spanwise.executors.processes import cheap, cores

    enough = size >= (LONG_IF_CHEAP if cheap() else LONG)
    return cores() if enough or (len(runs) >= MANY and laborious(shards[0])) else 1


def _on_engine(engine: str, request: Request, watch: Watch) -> list[Scores]:
    """Score shards on the workers of an engine, which read the files themselves."""
    from spanwise.executors import workers

    files = (request.judgements, request.topics, *request.runs)
    if any(isinstance(file, str) and file == STDIN for file in files):
        raise UsageError("standard input (-) is here alone; on an engine give files")
    if "behaviour" in request.assume:
        raise UsageError("behaviour is a function of this process; it cannot go with on=")
    with workers(engine) as mapped:
        shards = plan(request)
        scored = watch(mapped(score_shard, shards), len(shards), "scoring")
        return merge(shards, scored)


def score_run(
    judgements: Judgements | Preferences,
    run: Run,
    measures: Sequence[MeasureRequest],
    policy: Policy,
    collection: Collection | None = None,
) -> Scores:
    """Score one run that has been read, by measures that have been chosen."""
    prepared = Prepared(Request(judgements, [], collection=collection))
    settled = Settled(measures, policy)
    return summed_up(measured(prepared, run, settled), *settled)


# In Python --------------------------------------------------------------------------------------


class Options(PolicyFields, total=False):
    """The options of `evaluate`, as keyword arguments."""

    policy: Policy | None
    profile: str | None
    task: str | None
    collection: Any
    topics: Any
    rel: float | None
    on: str | None
    judgements_format: str | None
    run_format: str | None
    chunks: Mapping[str, Any] | None
    behaviour: Callable[[Any, Any], float] | None


@overload
def evaluate(
    judgements: Any,
    run: str | PathLike[str] | Run | Mapping[str, Mapping[str, float]],
    measures: Iterable[object] | str | None = None,
    **options: Unpack[Options],
) -> Scores: ...
@overload
def evaluate(
    judgements: Any,
    run: Mapping[str, str | PathLike[str] | Run | Mapping[str, Mapping[str, float]]],
    measures: Iterable[object] | str | None = None,
    **options: Unpack[Options],
) -> ScoreTable: ...
@overload
def evaluate(
    judgements: Any,
    run: Any,
    measures: Iterable[object] | str | None = None,
    **options: Unpack[Options],
) -> Any: ...
def evaluate(
    judgements: Any,
    run: Any,
    measures: Iterable[object] | str | None = None,
    *,
    policy: Policy | None = None,
    profile: str | None = None,
    task: str | None = None,
    collection: Any = None,
    topics: Any = None,
    rel: float | None = None,
    on: str | None = None,
    judgements_format: str | None = None,
    run_format: str | None = None,
    chunks: Mapping[str, Any] | None = None,
    behaviour: Callable[[Any, Any], float] | None = None,
    **fields: Unpack[PolicyFields],
) -> Any:
    """Score a run, or each run of a mapping of names to runs.

    >>> evaluate({"q1": {"d1": 1}}, {"q1": {"d2": 0.9, "d1": 0.1}}, "RR").means
    {'RR': 0.5}

    `judgements` and `run` are files, or objects: dicts as pytrec_eval has them, pandas, polars or
    Arrow tables with the columns query_id, doc_id and relevance or score, lists of named tuples;
    a run may also be chunks of a framework, or a retriever: a function from a question to chunks.
    One run gives `Scores`, a mapping of names to runs gives a `ScoreTable`.

    `measures` are names such as "nDCG@10" or trec_eval's, or objects that are written so, as those
    of ir_measures; by default those of the profile or task, and without these whatever fits the
    files. `rel` is the grade from which a result counts as relevant, for every measure that does
    not state it. `policy` holds the choices that are no part of a measure's name; its fields may
    also be given by name, such as ties="expected".

    `collection` is a store or a folder of documents, or an open one: it is needed where elements
    are named by paths. `topics` hold the queries for structure="strict" or "vague". `behaviour` is
    a user model: given a result and a target, the chance that a reader goes from one to the other.
    `chunks` has all chunks of runs by the name of the run, for Ceiling(of=chunks): a file, a run or
    a list each. `on` is where to run: "processes:4", "dask:tcp://HOST:8786", "spark", "ray".
    """
    several = several_runs(run)
    request = request_of(
        judgements,
        list(run.values()) if several else [run],
        measures,
        policy=policy,
        profile=profile,
        task=task,
        collection=collection,
        topics=topics,
        judgements_format=judgements_format,
        run_format=run_format,
        chunks=chunks,
        names=list(run) if several else (),
        assume=_stated(rel=rel, behaviour=behaviour),
        **fields,
    )
    results = _run(request, on)
    return ScoreTable(results) if several else results[0]


def _stated(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


_run = run


class Evaluator:
    """Judgements that are prepared once, to score many runs, as training loops need it.

    >>> evaluator = Evaluator({"q1": {"d1": 1}}, ["RR", "nDCG@10"])
    >>> evaluator.evaluate({"q1": {"d1": 0.9, "d2": 0.1}}).means
    {'RR': 1.0, 'nDCG@10': 1.0}

    The options are those of `evaluate`.
    """

    def __init__(
        self,
        judgements: Any,
        measures: Iterable[object] | str | None = None,
        *,
        policy: Policy | None = None,
        profile: str | None = None,
        task: str | None = None,
        collection: Any = None,
        topics: Any = None,
        rel: float | None = None,
        judgements_format: str | None = None,
        run_format: str | None = None,
        chunks: Mapping[str, Any] | None = None,
        behaviour: Callable[[Any, Any], float] | None = None,
        **fields: Unpack[PolicyFields],
    ) -> None:
        self._prepared = Prepared(
            request_of(
                judgements,
                [],
                measures,
                policy=policy,
                profile=profile,
                task=task,
                collection=collection,
                topics=topics,
                judgements_format=judgements_format,
                run_format=run_format,
                chunks=chunks,
                assume=_stated(rel=rel, behaviour=behaviour),
                **fields,
            )
        )
        self._profile: Any = None  # settled by the first run

    def evaluate(self, run: Any, name: str | None = None) -> Scores:
        """Score a run; what the first one is decides which measures and policy fit, if open.

        `name` is the name of the run, by which `chunks` are found too.
        """
        content = self._prepared.read(run)
        if self._profile is None:
            profile = self._prepared.profile_of(content)
            refuse_without_chunks(self._prepared, profile, [content])
            self._profile = profile
        settled = self._prepared.settle(self._profile)
        found = measured(self._prepared, content, settled, "whole", self._profile.limit, name)
        scores = summed_up(found, *settled)
        return scores if name is None else replace(scores, run=name)

    def __repr__(self) -> str:
        rows = self._prepared.judgements.rows
        measures = ", ".join(self._prepared.request.measures) or "measures that fit"
        return f"<Evaluator: {len(rows.topics)} topics of {rows.source!r}; {measures}>"
