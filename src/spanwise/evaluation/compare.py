"""From a request to statements about its runs: score each, align by topic, test, warn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from spanwise.evaluation.budgets import compare_at
from spanwise.evaluation.evaluate import Watch, unwatched
from spanwise.evaluation.gather import scores_of, stated
from spanwise.evaluation.request import Request, request_of
from spanwise.stats.resampling import RESAMPLES, Draws
from spanwise.stats.statements import Question

if TYPE_CHECKING:
    from typing import Unpack

    from spanwise.model.comparison import Comparison
    from spanwise.model.policy import Policy, PolicyFields


def compare_runs(
    request: Request,
    baseline: str | None = None,
    question: Question | None = None,
    on: str | None = None,
    watch: Watch = unwatched,
) -> Comparison:
    """Compare the runs of a request."""
    return stated(scores_of(request, baseline, on, watch), baseline, question)


# In Python --------------------------------------------------------------------------------------


def compare(
    judgements: Any,
    runs: Mapping[str, Any] | Sequence[Any],
    measures: Iterable[object] | str | None = None,
    *,
    baseline: str | None = None,
    all_pairs: bool = False,
    tests: Sequence[str] | str = ("randomisation",),
    correction: str = "holm",
    confidence: float = 0.95,
    seed: int = 0,
    resamples: int = RESAMPLES,
    budget: Any = None,
    policy: Policy | None = None,
    profile: str | None = None,
    task: str | None = None,
    collection: Any = None,
    topics: Any = None,
    rel: float | None = None,
    on: str | None = None,
    judgements_format: str | None = None,
    run_format: str | None = None,
    **fields: Unpack[PolicyFields],
) -> Comparison:
    """Compare runs on the same judgements.

    `judgements` and `measures` are what `evaluate` takes, and so are the other options. `runs` are
    a mapping from names to runs, or a sequence of them; a run may have been scored already, and a
    file of results stands for the runs in it. Each is compared with the `baseline`, a name, which
    is the first of them by default, or all with all.

    With a `budget`, such as [500, 2000, 8000], chunks are compared at equal reading: then
    `judgements` may also be questions with quotes, and a run whatever a retriever returns for each
    question, or the retriever itself, a function from a question to chunks; `collection` may be a
    mapping from ids to texts, and `unit` is what a budget counts.
    """
    chosen = (tests,) if isinstance(tests, str) else tuple(tests)
    question = Question(chosen, correction, confidence, Draws(seed, resamples), all_pairs)
    named = runs if isinstance(runs, Mapping) else dict(enumerate(runs))
    request = request_of(
        judgements,
        list(named.values()),
        measures,
        policy=policy,
        profile=profile,
        task=task,
        collection=collection,
        topics=topics,
        judgements_format=judgements_format,
        run_format=run_format,
        names=[name if isinstance(name, str) else None for name in named],
        assume={} if rel is None else {"rel": rel},
        **fields,
    )
    if budget is None:
        return compare_runs(request, baseline, question, on)
    return compare_at(request, budget, baseline, question, on=on)
