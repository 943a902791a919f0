"""Quantisation: the value of an element as one number, given its grades or highlighted text.

| name        | for                        | value                                                |
|-------------|----------------------------|------------------------------------------------------|
| `strict`    | letters, two grades        | 1 for (3, E) or (3, 3), else 0                       |
| `gen`       | letters, two grades        | the generalised table of 2003                        |
| `sog`       | two grades                 | the table of 2004 that leans to specificity          |
| `strict5`   | highlighted text           | 1 for exhaustivity 2 and nothing but highlighted text |
| `gen5`      | highlighted text           | exhaustivity times specificity, up to 2              |
| `genLifted` | highlighted text           | (exhaustivity + 1) times specificity, up to 3        |
| `spec`      | highlighted text           | specificity: highlighted characters / characters     |
| `exhspe`    | two grades, highlighted    | product of both, each from 0 to 1                    |

Exhaustivity `?` (too small) counts as 0. An element without text has the value 0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from spanwise.errors import InputError, UnknownName, UsageError
from spanwise.model.elements import Grades, JudgedElements, RecallBase, Scale

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray, IntArray

GEN: Grades = {
    (3, "3"): 1.0,
    (2, "3"): 0.75,
    (1, "3"): 0.5,
    **{(3, s): 0.75 for s in "21"},
    **{(2, s): 0.5 for s in "21"},
    **{(1, s): 0.25 for s in "21"},
    (3, "E"): 1.0,
    (2, "E"): 0.75,
    (1, "E"): 0.5,
    **{(3, s): 0.75 for s in "LS"},
    **{(2, s): 0.5 for s in "LS"},
    **{(1, s): 0.25 for s in "LS"},
}
SOG: Grades = {
    (3, "3"): 1.0,
    (2, "3"): 0.9,
    (1, "3"): 0.75,
    (3, "2"): 0.75,
    (2, "2"): 0.5,
    (1, "2"): 0.25,
    (3, "1"): 0.25,
    (2, "1"): 0.1,
    (1, "1"): 0.1,
}
STRICT: Grades = {(3, "3"): 1.0, (3, "E"): 1.0}


@dataclass(frozen=True, slots=True)
class Quantisation:
    """A quantisation: a line of the table in the module's docstring."""

    scales: tuple[Scale, ...]
    values: Callable[[JudgedElements], FloatArray]
    highest: float = 1.0


def by_grades(table: Grades) -> Callable[[JudgedElements], FloatArray]:
    """Return a function that looks values up in a table; unlisted grades have the value 0."""

    def values(judged: JudgedElements) -> FloatArray:
        letters = judged.scale == "letters"
        second = judged.coverage if letters else judged.specificity
        value = np.zeros(len(judged))
        for (grade, sign), worth in table.items():
            code = int(sign) if sign.isdigit() else ord(sign)
            if sign.isdigit() != letters:
                value[(judged.exhaustivity == grade) & (second == code)] = worth
        return value

    return values


def _share(part: IntArray, whole: IntArray) -> FloatArray:
    """Divide with one correct rounding, so that equal shares are equal; 0 if `whole` is 0."""
    return np.divide(part, whole, out=np.zeros(len(part)), where=whole > 0)


def _exhaustive(judged: JudgedElements) -> IntArray:
    """Return the exhaustivity of 2005: 0, 1 or 2; `?` counts as 0."""
    return np.maximum(judged.exhaustivity, 0)


def _strict5(judged: JudgedElements) -> FloatArray:
    whole = (judged.highlighted == judged.size) & (judged.size > 0)
    return np.where(whole & (judged.exhaustivity == 2), 1.0, 0.0)


def _gen5(judged: JudgedElements) -> FloatArray:
    return _share(_exhaustive(judged) * judged.highlighted, judged.size)


def _gen_lifted(judged: JudgedElements) -> FloatArray:
    return _share((_exhaustive(judged) + 1) * judged.highlighted, judged.size)


def _spec(judged: JudgedElements) -> FloatArray:
    return _share(judged.highlighted, judged.size)


def _exhspe(judged: JudgedElements) -> FloatArray:
    if judged.scale == "highlighted":
        return _share(_exhaustive(judged) * judged.highlighted, 2 * judged.size)
    both = np.maximum(judged.exhaustivity, 0) * np.maximum(judged.specificity, 0)
    return both / 9


QUANTISATIONS: dict[str, Quantisation] = {
    "strict": Quantisation(("letters", "pairs"), by_grades(STRICT)),
    "gen": Quantisation(("letters", "pairs"), by_grades(GEN)),
    "sog": Quantisation(("pairs",), by_grades(SOG)),
    "strict5": Quantisation(("highlighted",), _strict5),
    "gen5": Quantisation(("highlighted",), _gen5, 2.0),
    "genLifted": Quantisation(("highlighted",), _gen_lifted, 3.0),
    "spec": Quantisation(("highlighted",), _spec),
    "exhspe": Quantisation(("pairs", "highlighted"), _exhspe),
}
"""Every quantisation by its name."""

SCALES: dict[Scale, str] = {
    "letters": "relevance with a letter for coverage",
    "pairs": "exhaustivity and specificity from 0 to 3",
    "highlighted": "highlighted text",
}
"""The scales of judgements of elements, in words."""


def usual(scale: Scale) -> str:
    """Return the default quantisation of a scale."""
    return "spec" if scale == "highlighted" else "gen"


def recall_base(
    judged: JudgedElements, quant: str | None = None, table: Grades | None = None
) -> RecallBase:
    """Return the recall base of a quantisation; `table` is the user's own table of that name."""
    name = quant or usual(judged.scale)
    return judged.once(("recall base", name), lambda: _quantised(judged, name, table))


def _quantised(judged: JudgedElements, name: str, table: Grades | None) -> RecallBase:
    if table is not None:
        return _recall_base(judged, name, _own(judged, name, table))
    if name not in QUANTISATIONS:
        raise UnknownName("quantisation", name, list(QUANTISATIONS), "or the name of a file")
    quantisation = QUANTISATIONS[name]
    relevant = (judged.exhaustivity > 0) | (judged.highlighted > 0)
    if relevant.any() and judged.scale not in quantisation.scales:
        due = " or ".join(SCALES[scale] for scale in quantisation.scales)
        raise UsageError(
            f"quant={name} is for {due}, but {judged.source} holds {SCALES[judged.scale]};"
            f" {_fitting(judged.scale)}"
        )
    return _recall_base(judged, name, quantisation)


def _recall_base(judged: JudgedElements, name: str, quantisation: Quantisation) -> RecallBase:
    value = quantisation.values(judged)
    empty = judged.size == 0
    return RecallBase(
        judged, name, np.where(empty | ~judged.wanted, 0.0, value), quantisation.highest
    )


def _own(judged: JudgedElements, name: str, table: Grades) -> Quantisation:
    """Return the user's own table as a quantisation; it must be for the scale of the judgements."""
    letters = {not sign.isdigit() for _, sign in table}
    wanted = {"letters": True, "pairs": False}.get(judged.scale)
    if letters != {wanted} and len(judged):  # without elements the scale is unknown
        raise InputError(
            f"{name}: found a table for {SCALES['letters' if True in letters else 'pairs']}, but"
            f" {judged.source} holds {SCALES[judged.scale]}; {_fitting(judged.scale)}"
        )
    return Quantisation((judged.scale,), by_grades(table))


def _fitting(scale: Scale) -> str:
    names = [name for name, one in QUANTISATIONS.items() if scale in one.scales]
    return f"expected one of {', '.join(names)}"
