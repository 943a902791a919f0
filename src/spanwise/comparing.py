"""From runs to statements about them: score each, align by topic, test, warn.

evaluate each run  >  compare  >  Comparison
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from spanwise import formats
from spanwise.collection import opened
from spanwise.compare.resampling import RESAMPLES, Draws
from spanwise.compare.statements import Question, compared
from spanwise.errors import UnknownName, UsageError
from spanwise.measure.names import parse
from spanwise.model.scores import Scores, run_names
from spanwise.pipeline import evaluate

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
    """
    named = runs if isinstance(runs, Mapping) else dict(enumerate(runs))
    if budget is not None:
        from spanwise.budgets import compare_objects

        chosen = (tests,) if isinstance(tests, str) else tuple(tests)
        question = Question(chosen, correction, confidence, Draws(seed, resamples), all_pairs)
        wanted = (measures,) if isinstance(measures, str) else tuple(measures or ())
        return compare_objects(
            qrels, named, budget, unit, wanted, collection, baseline, question, options
        )
    judged = qrels if qrels is None else formats.read_judgements(qrels)
    documents = opened(collection)
    results = [
        _scores(judged, name, run, measures, {"collection": documents, **options})
        for name, run in named.items()
    ]
    chosen = (tests,) if isinstance(tests, str) else tuple(tests)
    question = Question(chosen, correction, confidence, Draws(seed, resamples), all_pairs)
    return stated(results, baseline, question)


def _scores(
    judged: Any, name: Any, run: Any, measures: Iterable[str] | str | None, options: dict[str, Any]
) -> Scores:
    scores = run if isinstance(run, Scores) else evaluate(judged, run, measures, **options)
    return replace(scores, run=name) if isinstance(name, str) else scores


def stated(
    results: Sequence[Scores], baseline: str | None = None, question: Question | None = None
) -> Comparison:
    """A comparison of runs that have been scored; of some measures less is better."""
    if not results:
        raise UsageError("no run was given; expected at least one")
    question = question or Question()
    lowest = frozenset(name for name in results[0].means if less_is_better(name))
    return compared(results, place_of(baseline, results), replace(question, lowest=lowest))


def less_is_better(name: str) -> bool:
    """Whether a low value of a measure is a good one; an unknown measure has a high one."""
    try:
        return parse(name).measure.less_is_better
    except UsageError:
        return False


def place_of(baseline: str | None, results: Sequence[Scores]) -> int:
    """Which of the runs is the baseline: by its name, its file, or its file's name."""
    if baseline is None:
        return 0
    names = run_names(results)
    ways = (
        names,
        [scores.run for scores in results],
        [scores.source for scores in results],
        [PurePath(scores.source).name for scores in results],
    )
    for known in ways:
        if known.count(baseline) == 1:
            return known.index(baseline)
    if any(baseline in known for known in ways):
        raise UsageError(f"several runs are called {baseline!r}; name the file of one of them")
    raise UnknownName("baseline", baseline, names)
