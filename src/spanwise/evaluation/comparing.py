"""From runs to statements about them: score each, align by topic, test, warn.

evaluate each run  >  compare  >  Comparison
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from spanwise.collection import opened
from spanwise.errors import UsageError
from spanwise.evaluation.evaluating import evaluate, request_of, scored_on
from spanwise.evaluation.stating import stated
from spanwise.formats import read_judgements
from spanwise.model.scores import Scores
from spanwise.stats.resampling import RESAMPLES, Draws
from spanwise.stats.statements import Question

if TYPE_CHECKING:
    from spanwise.model.comparison import Comparison


def compare(
    qrels: Any,
    runs: Mapping[str, Any] | Sequence[Any],
    measures: Iterable[str] | str | None = None,
    *,
    baseline: str | None = None,
    all_pairs: bool = False,
    tests: Sequence[str] | str = ("randomisation",),
    correction: str = "holm",
    confidence: float = 0.95,
    seed: int = 0,
    resamples: int = RESAMPLES,
    collection: Any = None,
    budget: Any = None,
    unit: str = "chars",
    on: str | None = None,
    **options: Any,
) -> Comparison:
    """Compare runs on the same judgements.

    With a `budget`, such as [500, 2000, 8000], chunks are compared at equal reading: then `qrels`
    may also be questions with quotes, and a run whatever a retriever hands out for each question,
    or the retriever itself, a function from a question to chunks; `collection` may be a mapping
    from ids to texts, and `unit` is what a budget counts.

    `qrels` and `measures` are what `evaluate` takes, and so are `options`. `runs` are a mapping
    from names to runs, or a sequence of them; a run may have been scored already. Each is compared
    with the `baseline`, a name, which is the first of them unless said otherwise, or all with all.
    `on` is an engine to score runs on, such as "dask:tcp://HOST:8786".
    """
    named = runs if isinstance(runs, Mapping) else dict(enumerate(runs))
    chosen = (tests,) if isinstance(tests, str) else tuple(tests)
    question = Question(chosen, correction, confidence, Draws(seed, resamples), all_pairs)
    if budget is not None:
        refuse_budget_on(on)
        from spanwise.evaluation.budgets import compare_objects

        wanted = (measures,) if isinstance(measures, str) else tuple(measures or ())
        return compare_objects(
            qrels, named, budget, unit, wanted, collection, baseline, question, options
        )
    if on is not None:
        named = _scored_on(on, qrels, named, measures, {"collection": collection, **options})
    judged = qrels if qrels is None or on is not None else read_judgements(qrels)
    documents = opened(collection, judged)
    results = [
        _scores(judged, name, run, measures, {"collection": documents, **options})
        for name, run in named.items()
    ]
    return stated(results, baseline, question)


def refuse_budget_on(engine: str | None) -> None:
    """Ceilings and fairness are worked out for all chunks of a run at once, in this process."""
    if engine is not None:
        raise UsageError(f"a budget is not compared on {engine}; leave out one of the two")


def _scored_on(
    engine: str,
    qrels: Any,
    runs: Mapping[Any, Any],
    measures: Iterable[str] | str | None,
    options: dict[str, Any],
) -> dict[Any, Scores]:
    """The runs with their scores instead of themselves, all of them found at one go."""
    fresh = {name: run for name, run in runs.items() if not isinstance(run, Scores)}
    if not fresh:
        return dict(runs)
    found = scored_on(engine, request_of(qrels, list(fresh.values()), measures, **options))[0]
    return {**runs, **dict(zip(fresh, found, strict=True))}


def _scores(
    judged: Any, name: Any, run: Any, measures: Iterable[str] | str | None, options: dict[str, Any]
) -> Scores:
    scores = run if isinstance(run, Scores) else evaluate(judged, run, measures, **options)
    return replace(scores, run=name) if isinstance(name, str) else scores
