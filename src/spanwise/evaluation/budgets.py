"""Comparison of runs at equal reading budgets, for chunkers and retrievers.

Such a comparison is a request with additional measures: those at each budget, ceilings, and
measures that show whether the comparison is fair. The last become warnings of the comparison.
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
    from spanwise.stats.statements import Question

K = 5
"""Number of results at which chunks are usually compared."""
TOUCHING = {f"ChunkHit@{K}": f"hit@{K}", f"ChunkNDCG@{K}": f"nDCG@{K}"}
POINTS = 40
"""Number of budgets on a curve."""


@dataclass(frozen=True, slots=True)
class Budgets:
    """The budgets of a comparison, with the measures that they imply."""

    sizes: tuple[float, ...]
    measures: tuple[str, ...] = ()  # that replace the default ones
    ceilings: bool = True

    @property
    def wanted(self) -> list[str]:
        """Return the measures that the comparison shows."""
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
    def for_warnings(self) -> list[str]:
        """Return the measures that warnings about fairness need."""
        most = shown(max(self.sizes))
        recall = [f"SpanR(budget={shown(size)})" for size in self.sizes]
        return [*recall, f"JudgedText(budget={most})", "Waste", f"Read@{K}", *TOUCHING]


def shown(size: float) -> str:
    """Return a budget as names of measures spell it."""
    return str(int(size)) if float(size).is_integer() else repr(float(size))


def sizes_of(budget: float | str | Iterable[float]) -> tuple[float, ...]:
    """Return budgets as numbers, given one, several, or text such as `500,2000`."""
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
    """Return the request under the profile `chunks`, unless it names a profile or task."""
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
    """Compare the runs of a request at equal reading budgets."""
    request = of_chunks(with_baseline(request, baseline))
    refuse_twice(request)
    refuse_none(request.judgements, request.runs)
    unit = (request.policy or {}).get("unit", "characters")
    costly = unit == "cost"
    budgets = Budgets(sizes_of(budget), tuple(request.measures), ceilings and not costly)
    every = list(dict.fromkeys([*budgets.wanted, *budgets.for_warnings]))
    results = run(replace(request, measures=every), on, watch)
    warnings = sentences(
        [_facts(scores, budgets) for scores in results],
        K,
        unit.replace("tokens:", "tokens of "),
    )
    warnings += [
        f"{s.run}: {note}" for s in results for note in s.notes if note.startswith(CEILINGS)
    ]
    if ceilings and costly and not budgets.measures:
        warnings.append("no ceilings: the costs of other orders are unknown")
    found = stated([only(scores, budgets.wanted) for scores in results], baseline, question)
    in_memory = not any(isinstance(one, str) for one in request.runs)
    drawn = _Curve(request, [scores.run for scores in results], budgets) if in_memory else None
    return replace(found, warnings=(*found.warnings, *warnings), drawn=drawn)


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
    """A measure over budgets, evaluated when it is called."""

    def __init__(self, request: Request, names: Sequence[str], budgets: Budgets) -> None:
        self._request = replace(request, names=list(names))
        self._sizes = budgets.sizes

    def __call__(self, measure: str) -> list[dict[str, Any]]:
        """Return the values of a measure, a row for each run and budget."""
        grid = np.geomspace(min(self._sizes) / 4, 4 * max(self._sizes), POINTS)
        sizes = sorted({*self._sizes, *(float(round(size)) for size in grid)})
        names = {f"{measure}(budget={shown(size)})": size for size in sizes}
        return [
            {"run": s.run, "budget": size, "measure": measure, "value": s.means[label]}
            for s in run(replace(self._request, measures=tuple(names)))
            for label, size in names.items()
        ]
