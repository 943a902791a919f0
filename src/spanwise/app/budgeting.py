"""What `spanwise compare --budget` does: read runs, compare them at equal reading."""

from __future__ import annotations

from functools import partial
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
    named = {file: partial(read_run, file, request.run_format, how) for file in files}
    return compared_at(
        judgements,
        named,
        Budgets(sizes, policy, tuple(request.measures), ceilings),
        collection=opened(request.collection),
        baseline=baseline,
        question=question,
    )
