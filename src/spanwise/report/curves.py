"""Curves: a measure at many cut-offs, levels of recall or budgets.

A point of a curve is a measure like any other, so a curve needs no arithmetic of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanwise.errors import UnknownName, UsageError
from spanwise.report.budgets import WORDS

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray
    from spanwise.model.scores import Scores

LEVELS = tuple(n / 20 for n in range(21))
TENTHS = tuple(n / 10 for n in range(11))
HUNDREDTHS = tuple(n / 100 for n in range(1, 101))
RANKS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100)
BUDGETS = (100, 200, 500, 1000, 2000, 4000, 8000, 16000, 32000)


@dataclass(frozen=True, slots=True)
class Curve:
    """What stands along the axes, and which measure gives the value at each place."""

    name: str
    x: str
    y: str
    template: str  # the measure, `{x}` standing for the place
    places: tuple[float, ...]
    logarithmic: bool = False
    bounded: bool = True  # between 0 and 1
    reads: str = ""  # the kind of judgements it is for; empty: whatever its measure is for

    def measures(self) -> list[str]:
        """The measure of every place."""
        return [self.template.format(x=f"{place:g}") for place in self.places]


CURVES: dict[str, tuple[Curve, ...]] = {
    "recall-precision": (
        Curve("recall-precision", "recall", "precision", "IPrec[{x}]", TENTHS, reads="rankings"),
        Curve(
            "recall-precision", "recall", "precision", "precall[{x}]", HUNDREDTHS, reads="elements"
        ),
        Curve("recall-precision", "recall", "precision", "iP[{x}]", LEVELS, reads="readings"),
    ),
    "ep-gr": (Curve("ep-gr", "gain-recall", "effort-precision", "ep[{x}]", HUNDREDTHS),),
    "nxCG": (Curve("nxCG", "rank", "nxCG", "nxCG@{x}", RANKS, True),),
    "gain-recall": (Curve("gain-recall", "rank", "gain-recall", "gr@{x}", RANKS, True),),
    "budget": (Curve("budget", "characters read", "recall", "SpanR(budget={x})", BUDGETS, True),),
}
"""Curves by name; of several, that which fits the judgements is drawn."""

AT, LEVEL = re.compile(r"@\d+$"), re.compile(r"\[[\d.]+\]$")
BUDGET = re.compile(r"budget=\d+")


def curve_of(measure: str) -> Curve | None:
    """A measure over all its cut-offs, levels or budgets; None where it has none.

    >>> curve_of("nDCG@10").template
    'nDCG@{x}'
    """
    if AT.search(measure):
        name = AT.sub("@{x}", measure)
        stem = measure.partition("@")[0]
        bounded = not stem.startswith(("DCG", "IDCG", "xCG"))
        return Curve(f"{stem} by rank", "rank", stem, name, RANKS, True, bounded)
    if LEVEL.search(measure):
        stem = LEVEL.sub("", measure)
        places = LEVELS if stem.startswith(("iP", "IPrec")) else LEVELS[1:]  # few take level 0
        if re.match(r"(ep|precall)\b", stem):  # as their campaigns drew them
            places = HUNDREDTHS
        return Curve(f"{stem} by recall", "recall", stem, f"{stem}[{{x}}]", places)
    if BUDGET.search(measure):
        name = BUDGET.sub("budget={x}", measure)
        stem = re.sub(r"\(.*\)", "", measure)
        title = WORDS.get(stem, stem)
        return Curve(f"{title} by budget", "read", title, name, BUDGETS, True)
    return None


def find_curve(name: str, measures: Sequence[str], kinds: Sequence[str]) -> Curve:
    """The curve of that name; `curve` is that of the first measure asked for."""
    if name == "curve":
        found = curve_of(measures[0]) if measures else None
        if found is None:
            raise UsageError("a curve needs a measure with a cut-off, such as -m nDCG@10")
        return found
    if name not in CURVES:
        raise UnknownName("curve", name, [*CURVES, "curve"])
    fitting = [one for one in CURVES[name] if not one.reads or one.reads in kinds]
    if not fitting:
        raise UsageError(f"{name} cannot be drawn of {' and '.join(kinds)}")
    return fitting[-1]


def curve_points(
    curve: Curve,
    results: Sequence[Scores],
    names: Sequence[str],
    interval: Callable[[FloatArray], tuple[float, float, float]],
) -> list[dict[str, float | str | None]]:
    """Run, place, mean and bounds of every point."""
    points: list[dict[str, float | str | None]] = []
    for name, scores in zip(names, results, strict=True):
        for place, measure in zip(curve.places, curve.measures(), strict=True):
            mean, low, high = interval(scores.values[measure])
            if mean == mean:
                bounds = (low, high) if low == low else (mean, mean)
                points.append(
                    {"run": name, "x": place, "y": mean, "low": bounds[0], "high": bounds[1]}
                )
    return points
