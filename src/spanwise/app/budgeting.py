"""What `spanwise compare --budget` does: read runs, compare them at equal reading."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from spanwise.budgets import Budgets, compared_at, policy_of, sizes_of
from spanwise.collection import opened
from spanwise.errors import UsageError
from spanwise.formats import Reading, expanded, read_judgements, read_run
from spanwise.formats.opening import STDIN

if TYPE_CHECKING:
    from spanwise.app.evaluation import Request
    from spanwise.compare.statements import Question
    from spanwise.model.comparison import Comparison
    from spanwise.model.run import Run


def comparison_at(
    request: Request,
    budget: str,
    unit: str,
    baseline: str | None,
    question: Question,
    *,
    ceilings: bool = True,
) -> Comparison:
    """The runs of a request, compared at equal reading."""
    sizes = sizes_of(budget)
    policy = policy_of(unit, **dict(request.policy or {}))
    files = list(expanded(request.runs))
    if baseline is not None and baseline not in files and Path(baseline).is_file():
        files.append(baseline)
    if [request.judgements, *files].count(STDIN) > 1:
        raise UsageError("standard input (-) can be read only once")
    how = Reading(ranks=True)
    judgements = read_judgements(request.judgements, request.judgements_format, how)
    runs = [read_run(file, request.run_format, how) for file in files]
    named = dict(zip(names_of(runs, files), runs, strict=True))
    if baseline is not None and baseline in files:
        baseline = list(named)[files.index(baseline)]
    found = compared_at(
        judgements,
        named,
        Budgets(sizes, policy, tuple(request.measures), ceilings),
        collection=opened(request.collection),
        baseline=baseline,
        question=question,
    )
    return _sourced(found, named)


def names_of(runs: list[Run], files: list[str]) -> list[str]:
    """What runs are called: by themselves, or by their files if two are called the same."""
    names = [run.name for run in runs]
    if len(set(names)) == len(names):
        return names
    stems = [Path(file).name for file in files]
    return stems if len(set(stems)) == len(stems) else files


def _sourced(found: Comparison, named: dict[str, Run]) -> Comparison:
    """The scores with the files that they are of."""
    sources = {name: run.rows.source for name, run in named.items()}
    scores = tuple(
        replace(one, source=sources[name])
        for name, one in zip(found.runs, found.scores, strict=True)
    )
    return replace(found, scores=scores)
