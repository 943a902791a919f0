"""The scores of several runs, gathered from runs, files of results and finished scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from os.path import realpath
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from spanwise.errors import UnknownName, UsageError
from spanwise.evaluation.evaluate import Watch, run, unwatched
from spanwise.evaluation.merge import with_distinct_names
from spanwise.formats import expanded
from spanwise.formats.io.files import STDIN
from spanwise.formats.results import holds_results, read_results
from spanwise.measures.names import parse
from spanwise.model.scores import Results, Scores, run_names
from spanwise.stats.statements import Question, compared

if TYPE_CHECKING:
    from spanwise.evaluation.request import Request
    from spanwise.model.comparison import Comparison


def scores_of(
    request: Request,
    baseline: str | None = None,
    on: str | None = None,
    watch: Watch = unwatched,
) -> list[Scores]:
    """Return the scores of all runs, and of the baseline if it is a file of its own.

    A file of results stands for the runs in it; where the first argument is one, all must be. A
    run may have been scored already.
    """
    request = with_baseline(request, baseline)
    names = request.names or [None] * len(request.runs)
    runs = list(zip(names, request.runs, strict=True))
    if _is_results(request.judgements):
        runs = [(None, request.judgements), *runs]
    refuse_none(request.judgements, runs)
    ready = [isinstance(one, Scores) or _is_results(one) for _, one in runs]
    plain = [entry for entry, is_ready in zip(runs, ready, strict=True) if not is_ready]
    if plain and _is_results(request.judgements):
        raise UsageError(f"{request.judgements} holds results, so {plain[0][1]} has no judgements")
    wanted = replace(request, names=[n for n, _ in plain], runs=[one for _, one in plain])
    fresh = iter(run(wanted, on, watch) if plain else [])
    found: list[Scores] = []
    for (name, source), is_ready in zip(runs, ready, strict=True):
        if not is_ready:
            found.append(next(fresh))
        elif isinstance(source, Scores):
            found.append(source if name is None else replace(source, run=name))
        else:
            measures = request.measures or (list(found[0].means) if found and plain else ())
            some = selected(read_results(source), measures)
            found += some if name is None else [replace(one, run=name) for one in some]
    return with_distinct_names(found)


def _is_results(source: Any) -> bool:
    return isinstance(source, str) and holds_results(source)


def with_baseline(request: Request, baseline: str | None) -> Request:
    """Return a request whose runs include the baseline, if that is a file, however it is spelt."""
    names: list[str | None] = []
    runs: list[Any] = []
    for name, one in zip(request.names or [None] * len(request.runs), request.runs, strict=True):
        files = expanded([one]) if isinstance(one, str) else [one]
        names += [name] * len(files)
        runs += files
    if baseline is not None and Path(baseline).is_file():
        there = {Path(one).resolve() for one in runs if isinstance(one, str)}
        if Path(baseline).resolve() not in there:
            names.append(None)
            runs.append(baseline)
    return replace(request, names=names, runs=runs)


def refuse_none(judgements: Any, runs: Sequence[Any]) -> None:
    """Refuse judgements without a run."""
    if not runs:
        if isinstance(judgements, str):
            raise UsageError(
                f"{judgements}: no run was given, and this is no file of results; expected"
                " JUDGEMENTS and at least one run, or a file of results"
            )
        raise UsageError("no run was given; expected at least one")


def selected(results: Results, measures: Sequence[str]) -> list[Scores]:
    """Return the scores of a file in the measures asked for; in all of them if none is."""
    if not measures:
        return list(results.scores)
    chosen = []
    for scores in results.scores:
        lacking = [name for name in measures if name not in scores.values]
        if lacking:
            raise UsageError(
                f"{results.file}: run {scores.run!r} has no {lacking[0]}; it has"
                f" {', '.join(scores.values)}"
            )
        chosen.append(only(scores, measures))
    return chosen


def only(scores: Scores, measures: Sequence[str]) -> Scores:
    """Return scores in some of their measures."""
    return replace(
        scores,
        values={name: scores.values[name] for name in measures},
        means={name: scores.means[name] for name in measures},
        counts={name: scores.counts[name] for name in measures},
    )


# Statements -------------------------------------------------------------------------------------


def stated(
    results: Sequence[Scores], baseline: str | None = None, question: Question | None = None
) -> Comparison:
    """Compare runs that have been scored; of some measures less is better."""
    if not results:
        raise UsageError("no run was given; expected at least one")
    question = question or Question()
    lowest = frozenset(name for name in results[0].means if less_is_better(name))
    return compared(results, place_of(baseline, results), replace(question, lowest=lowest))


def less_is_better(name: str) -> bool:
    """Tell whether a low value of a measure is a good one; an unknown measure has a high one."""
    try:
        return parse(name).measure.less_is_better
    except UsageError:
        return False


def place_of(baseline: str | None, results: Sequence[Scores]) -> int:
    """Return which of the runs is the baseline: by its name, its file, or its file's name."""
    if baseline is None:
        return 0
    names = run_names(results)
    files = [scores.source for scores in results]
    ways = (
        (baseline, names),
        (baseline, files),
        (baseline, [PurePath(file).name for file in files]),
        (realpath(baseline), [realpath(file) for file in files]),
    )
    for wanted, known in ways:
        if known.count(wanted) == 1:
            return known.index(wanted)
    if any(wanted in known for wanted, known in ways):
        raise UsageError(f"several runs are called {baseline!r}; name the file of one of them")
    raise UnknownName("baseline", baseline, names)


def refuse_twice(request: Request) -> None:
    """Refuse a file that is given as two runs, or standard input as two files."""
    files = [one for one in (request.judgements, *request.runs) if isinstance(one, str)]
    if files.count(STDIN) > 1:
        raise UsageError("standard input (-) can be read only once")
    runs = [one for one in request.runs if isinstance(one, str)]
    twice = [file for file in runs if runs.count(file) > 1]
    if twice:
        raise UsageError(f"{twice[0]}: given twice; a run is compared with others, not with itself")
