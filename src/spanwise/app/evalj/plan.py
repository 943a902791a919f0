"""What a configuration asks for, in the names of our measures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from spanwise.model.assessments import NO_COVERAGE, UNSTATED

if TYPE_CHECKING:
    from spanwise.app.evalj.properties import Properties
    from spanwise.model.judgements import Judgements

CURVE = (*tuple(range(1, 11)), 15, 20, 25, 50, 100, 150, 250, 500, 750, 1000, 1250, 1500)
"""Ranks at which curves along the ranking are drawn."""
LEVELS = tuple(level / 100 for level in range(1, 101))
TENTHS = tuple(level / 10 for level in range(1, 11))


@dataclass(frozen=True, slots=True)
class Curve:
    """One line of a graph for each run."""

    across: str  # what the horizontal axis shows
    upwards: str
    points: tuple[tuple[float, str, str], ...]  # places on that axis, labels, our measures


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric of a configuration: numbers to print, and a curve to draw."""

    label: str
    numbers: tuple[tuple[str, str], ...]  # labels and our measures
    curve: Curve | None = None
    only: str | None = None  # runs of this task alone

    def fits(self, task: str | None) -> bool:
        """Whether a run that was made for a task, or does not say, is to be scored."""
        return self.only is None or not task or task.strip().lower() == self.only.lower()

    def measures(self) -> dict[str, str]:
        """Every measure by its label."""
        drawn = {label: name for _, label, name in self.curve.points} if self.curve else {}
        return {**dict(self.numbers), **drawn}


def planned(properties: Properties, judgements: Judgements) -> list[Metric]:
    """The metrics of XCGEval that properties ask for."""
    metrics = []
    for metric in properties.metrics:
        for quant in properties.quantisations:
            for overlap in properties.overlap:
                given = _given(properties, own_name(quant, judgements), overlap)
                label = f"{metric}({quant},{overlap})"
                make = _effort if metric == "ep/gr" else _gain
                metrics.append(make(metric, label, given, properties.ranks))
    return metrics


def _given(properties: Properties, quant: str, overlap: str) -> str:
    """Parameters; what is ideal in the Focused task is so with overlap off as well."""
    ideal = properties.task == "Focused" and overlap == "off"
    base = ",recallbase=ideal" if ideal else ""
    return f"quant={quant},overlap={overlap},alpha={properties.alpha!r}{base}"


def _gain(metric: str, label: str, given: str, ranks: Sequence[int]) -> Metric:
    return Metric(
        label,
        tuple((f"{label}@{rank}", f"{metric}({given})@{rank}") for rank in ranks),
        Curve(
            "rank",
            metric,
            tuple((rank, f"{label}@{rank}", f"{metric}({given})@{rank}") for rank in CURVE),
        ),
    )


def _effort(_metric: str, label: str, given: str, _ranks: Sequence[int]) -> Metric:
    chosen = label.removeprefix("ep/gr")
    points = tuple((x, f"ep{chosen}[{x:g}]", f"ep({given})[{x:g}]") for x in LEVELS)
    number = (f"MAep{chosen}", f"MAep({given})")
    return Metric(label, (number,), Curve("gain-recall", "ep", points))


def own_name(quant: str, judgements: Judgements) -> str:
    """A quantisation of EvalJ as we call it: names mean what they meant in the year of the data.

    Where text was highlighted, `gen` is specificity alone if nobody graded exhaustivity, and
    `strict` looks at both.
    """
    said = judgements.elements
    if said is not None and len(said.elements):
        elements = said.elements
        graded = (elements.specificity != UNSTATED) | (elements.coverage != NO_COVERAGE)
        if graded.any():
            return quant
        exhaustive = bool(np.all(elements.exhaustivity == 2))
        return {"gen": "spec" if exhaustive else "gen5", "strict": "strict5"}.get(quant, quant)
    return {"gen": "spec", "strict": "strict5"}.get(quant, quant)
