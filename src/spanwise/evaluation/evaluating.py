"""Scores for a call from Python: here, or on an engine that has more machines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spanwise.collection import opened
from spanwise.errors import UsageError
from spanwise.evaluation.pipeline import (
    asked,
    asking,
    fitting,
    how_to_read,
    known,
    score,
    texts_along,
)
from spanwise.evaluation.profiles import find_profile
from spanwise.evaluation.shards import Partial, Request, Workshop, scored
from spanwise.executors import workers
from spanwise.formats import read_judgements, read_run
from spanwise.formats.io.dataset import dataset_at
from spanwise.formats.io.files import STDIN, piece_size
from spanwise.matching.placing import placed_judgements

if TYPE_CHECKING:
    from spanwise.model.element_rankings import Place
    from spanwise.model.scores import Scores

Watch = Callable[[Iterable[Partial], int], Iterable[Partial]]
"""Looks on while so many partial results come."""
NAMED = ("profile", "task", "judgements_format", "run_format", "collection", "queries")
"""The options of a call that are not those of a policy."""


def evaluate(
    qrels: Any,
    run: Any,
    measures: Iterable[object] | str | None = None,
    *,
    profile: str | None = None,
    task: str | None = None,
    judgements_format: str | None = None,
    run_format: str | None = None,
    collection: Any = None,
    queries: Any = None,
    behaviour: Callable[[Place, Place], float] | None = None,
    on: str | None = None,
    **policy: Any,
) -> Scores:
    """Score one run.

    `qrels` and `run` are files, or objects: dicts as pytrec_eval has them, pandas, polars or
    Arrow tables with the columns query_id, doc_id and relevance or score, lists of named tuples.
    `measures` are names such as "nDCG@10" or trec_eval's, or objects that are written so, as those
    of ir_measures; by default those of the profile or task, and without these whatever fits the
    files. `collection` is a store or a folder of documents, or an open one: it says where the
    elements that files name by paths lie. `queries` are topics, for structure="strict" or "vague":
    which elements each one asks for. `behaviour` is a user model of your own: given a result and a
    target, the chance that a reader goes from one to the other, for the measures that have such a
    parameter. `on` is an engine to run on, with an address or without: "dask:tcp://HOST:8786",
    "spark", "ray". `policy` are the fields of `Policy`, such as ties="expected".
    """
    request = request_of(
        qrels,
        [run],
        measures,
        profile=profile,
        task=task,
        judgements_format=judgements_format,
        run_format=run_format,
        collection=collection,
        queries=queries,
        **policy,
    )
    if on is None and behaviour is None and _is_long(run):
        with Workshop() as shop:
            plain = replace(request, judgements=_plain(qrels), runs=[_plain(run)])
            return scored(plain, shop=shop)[0][0]
    if on is None:
        return _scored_here(request, behaviour)
    if behaviour is not None:
        raise UsageError("behaviour is a function of this process; it cannot go with on=")
    return scored_on(on, request)[0][0]


def request_of(qrels: Any, runs: Sequence[Any], measures: object, **options: Any) -> Request:
    """What a call asks for; options that are no part of a request are those of a policy."""
    names = _spelled(measures)
    parts = {name: options.pop(name) for name in NAMED if name in options}
    return Request(qrels, runs, names, policy=known(options), **parts)


def _spelled(measures: object) -> tuple[str, ...]:
    """The names of measures, of which there may be one, many or none."""
    if measures is None:
        return ()
    if isinstance(measures, str) or not isinstance(measures, Iterable):
        return (str(measures),)
    return tuple(str(one) for one in measures)


def _scored_here(request: Request, behaviour: Callable[[Place, Place], float] | None) -> Scores:
    """One run, read and scored in one piece."""
    given, names = request.policy or {}, request.measures
    named = request.profile or request.task
    profile = find_profile(request.profile, request.task)
    how = how_to_read(profile, given)
    judged = read_judgements(request.judgements, request.judgements_format, how)
    results = read_run(request.runs[0], request.run_format, how)
    judged = asking(judged, request.queries, given.get("structure", "ignore"))
    documents = opened(request.collection, judged)
    judged = placed_judgements(judged, documents or texts_along(judged))
    chosen = fitting(profile, judged, results, names, named=named)
    wanted = asked(names or chosen.measures, chosen.defaults)
    if behaviour is not None:
        wanted = [one.assuming({"behaviour": behaviour}) for one in wanted]
    policy = replace(chosen.policy, **given)
    return score(judged, results, wanted, policy, documents, chosen.limit)


def scored_on(
    engine: str, request: Request, watch: Watch = lambda some, _: some
) -> tuple[list[Scores], frozenset[str]]:
    """The scores of every run, and which of the measures are counts, found on an engine."""
    files = [_plain(one) for one in (request.judgements, request.queries, *request.runs)]
    if any(isinstance(file, str) and file == STDIN for file in files):
        raise UsageError("standard input (-) is here alone; on an engine give files")
    request = replace(request, judgements=files[0], queries=files[1], runs=files[2:])
    with workers(engine) as mapped:
        return scored(request, lambda work, shards: watch(mapped(work, shards), len(shards)))


def _is_long(run: Any) -> bool:
    """Whether a run is a file, or a dataset, that is better measured piece by piece."""
    if not isinstance(run, (str, PathLike)):
        return False
    if dataset_at(fspath(run)) is not None:
        return True
    file = Path(run)
    return file.is_file() and file.stat().st_size > piece_size()


def _plain(source: Any) -> Any:
    return fspath(source) if isinstance(source, PathLike) else source
