"""What `spanwise compare --budget` does: read runs, compare them at equal reading."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from spanwise.app.comparing import with_baseline
from spanwise.budgets import Budgets, compared_at, policy_of, sizes_of, unit_of
from spanwise.collection import opened
from spanwise.comparing import refuse_budget_on
from spanwise.errors import UsageError
from spanwise.formats import Reading, expanded, read_judgements, read_run
from spanwise.formats.opening import STDIN

if TYPE_CHECKING:
    from spanwise.compare.statements import Question
    from spanwise.model.comparison import Comparison
    from spanwise.shards import Request


def reading(request: Request, unit: str, on: str | None) -> Request:
    """A request of which all that follows counts reading in this unit; no engine does that."""
    refuse_budget_on(on)
    given = {"ties": "rank", "unit": unit_of(unit), **(request.policy or {})}
    return replace(request, policy=given)


def comparison_at(
    request: Request,
    budget: str,
    baseline: str | None,
    question: Question,
    *,
    ceilings: bool = True,
) -> Comparison:
    """The runs of a request, compared at equal reading: see `reading`."""
    sizes = sizes_of(budget)
    policy = policy_of(**dict(request.policy or {}))
    files = with_baseline(list(expanded(request.runs)), baseline)
    if [request.judgements, *files].count(STDIN) > 1:
        raise UsageError("standard input (-) can be read only once")
    twice = [file for file in files if files.count(file) > 1]
    if twice:
        raise UsageError(f"{twice[0]}: given twice; a run is compared with others, not with itself")
    how = Reading(ranks=True)
    judgements = read_judgements(request.judgements, request.judgements_format, how)
    named = {file: partial(read_run, file, request.run_format, how) for file in files}
    return compared_at(
        judgements,
        named,
        Budgets(sizes, policy, tuple(request.measures), ceilings),
        collection=opened(request.collection),
        baseline=baseline,
        question=question,
    )
