"""Chunkers and retrievers compared at equal reading: a request with more measures.

The measures at each budget, the ceilings, and what fairness is judged by are scored like all
others; what is unfair about a comparison is then put into sentences.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from spanwise.errors import UsageError
from spanwise.evaluation.evaluate import Watch, run, unwatched
from spanwise.evaluation.gather import only, refuse_none, refuse_twice, stated, with_baseline
from spanwise.evaluation.kinds import CEILINGS
from spanwise.stats.cautions import Facts, sentences

if TYPE_CHECKING:
    from spanwise.evaluation.request import Request
    from spanwise.model.comparison import Comparison
    from spanwise.model.scores import Scores
    from spanwise.stats.question import Question

K = 5
"""The number of results that people compare at."""
TOUCHING = {f"ChunkHit@{K}": f"hit@{K}", f"ChunkNDCG@{K}": f"nDCG@{K}"}
POINTS = 40
"""Number of budgets that make a curve."""


@dataclass(frozen=True, slots=True)
class Budgets:
    """What is to be measured at which budgets."""

    sizes: tuple[float, ...]
    measures: tuple[str, ...] = ()  # asked for instead of the usual ones
    ceilings: bool = True

    @property
    def wanted(self) -> list[str]:
        """Return the measures to be shown."""
        if self.measures:
            return list(self.measures)
        spans = [
            f"{name}(budget={shown(size)})"
            for name in ("SpanR", "SpanP", "FullEvidence")
            for size in self.sizes
        ]
        waste = f"Waste(budget={shown(max(self.sizes))})"
        best = [f"Ceiling(budget={shown(size)})" for size in self.sizes if self.ceilings]
        return [*spans, "MAiP", waste, "FirstEvidence", *best]

    @property
    def behind(self) -> list[str]:
        """Return the measures that fairness is judged by."""
        most = shown(max(self.sizes))
        recall = [f"SpanR(budget={shown(size)})" for size in self.sizes]
        return [*recall, f"JudgedText(budget={most})", "Waste", f"Read@{K}", *TOUCHING]


def shown(size: float) -> str:
    """Return a budget as it stands in a name."""
    return str(int(size)) if float(size).is_integer() else repr(float(size))


def sizes_of(budget: float | str | Iterable[float]) -> tuple[float, ...]:
    """Return budgets as numbers: one, several, or text such as `500,2000`."""
    if isinstance(budget, str):
        parts: list[Any] = budget.split(",")
    else:
        parts = list(budget) if isinstance(budget, Iterable) else [budget]
    try:
        sizes = tuple(dict.fromkeys(float(part) for part in parts))
    except (TypeError, ValueError):
        sizes = ()
    if not sizes or not all(0 < size < float("inf") for size in sizes):
        raise UsageError(f"budget {budget!r}; expected numbers above 0, such as 500,2000,8000")
    return sizes


def of_chunks(request: Request) -> Request:
    """Return a request in which chunks are taken as chunks, unless a profile or task is named."""
    if request.profile or request.task:
        return request
    return replace(request, profile="chunks")


def compare_at(
    request: Request,
    budget: float | str | Iterable[float],
    baseline: str | None = None,
    question: Question | None = None,
    *,
    ceilings: bool = True,
    on: str | None = None,
    watch: Watch = unwatched,
) -> Comparison:
    """Compare the runs of a request at equal reading."""
    request = of_chunks(with_baseline(request, baseline))
    refuse_twice(request)
    refuse_none(request.judgements, request.runs)
    unit = (request.policy or {}).get("unit", "characters")
    costly = unit == "cost"
    budgets = Budgets(sizes_of(budget), tuple(request.measures), ceilings and not costly)
    every = list(dict.fromkeys([*budgets.wanted, *budgets.behind]))
    results = run(replace(request, measures=every), on, watch)
    unfair = sentences(
        [_facts(scores, budgets) for scores in results],
        K,
        unit.replace("tokens:", "tokens of "),
    )
    unfair += [f"{s.run}: {note}" for s in results for note in s.notes if note.startswith(CEILINGS)]
    if ceilings and costly and not budgets.measures:
        unfair.append("no ceilings: the costs of other orders are unknown")
    found = stated([only(scores, budgets.wanted) for scores in results], baseline, question)
    lasting = not any(isinstance(one, str) for one in request.runs)
    drawn = _Curve(request, [scores.run for scores in results], budgets) if lasting else None
    return replace(found, warnings=(*found.warnings, *unfair), drawn=drawn)


def _facts(scores: Scores, budgets: Budgets) -> Facts:
    most = shown(max(budgets.sizes))
    counts = scores.facts
    return Facts(
        scores.run,
        scores.means[f"Read@{K}"],
        scores.means["Waste"],
        {name[7:]: count for name, count in counts.items() if name.startswith("placed ")},
        counts.get("invalid offsets", 0),
        counts.get("missing documents", 0),
        counts.get("results", 0),
        scores.means[f"JudgedText(budget={most})"],
        {word: scores.means[label] for label, word in TOUCHING.items()},
        {size: scores.means[f"SpanR(budget={shown(size)})"] for size in budgets.sizes},
    )


class _Curve:
    """Draws a measure over budgets when somebody asks for it."""

    def __init__(self, request: Request, names: Sequence[str], budgets: Budgets) -> None:
        self._request = replace(request, names=list(names))
        self._sizes = budgets.sizes

    def __call__(self, measure: str) -> list[dict[str, Any]]:
        """Return a row for each run and budget."""
        grid = np.geomspace(min(self._sizes) / 4, 4 * max(self._sizes), POINTS)
        sizes = sorted({*self._sizes, *(float(round(size)) for size in grid)})
        names = {f"{measure}(budget={shown(size)})": size for size in sizes}
        return [
            {"run": s.run, "budget": size, "measure": measure, "value": s.means[label]}
            for s in run(replace(self._request, measures=tuple(names)))
            for label, size in names.items()
        ]
