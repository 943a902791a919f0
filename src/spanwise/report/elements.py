"""Why a ranking of elements has its score: what each result earned, and what was taken off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from spanwise.report.explanation import Listing, table_of

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray
    from spanwise.report.tables import Table

GAIN_WORDS = (
    "value: quantised; case: nothing of it was shown before, a part of so many characters, or all"
    " (blank: worth nothing either way); earns: after what was seen; bound: what is taken off"
    " because its ideal element has no more left; ideal: gain of the ideal run so far"
)


@dataclass(frozen=True, slots=True)
class Earnings:
    """Gains of one topic, rank by rank."""

    value: FloatArray
    cases: Sequence[str]  # of the gain function; none where overlap is ignored
    seen: Sequence[int]  # characters shown before, where a part was
    bare: FloatArray  # before the bound
    gain: FloatArray
    gained: FloatArray  # cumulated
    best: FloatArray  # the same of the ideal run


def numbers(column: Any) -> list[str]:
    """Numbers of characters; a dash where nobody knows."""
    return ["-" if value < 0 else str(value) for value in column.tolist()]


def shown(column: Any) -> list[str]:
    """Numbers with four decimals."""
    return ["-" if value != value else f"{value:.4f}" for value in column.tolist()]


def earnings_table(earned: Earnings, listing: Listing, last: str, quotient: FloatArray) -> Table:
    """What every result is worth, what it earned, and how that compares with the ideal run."""
    lost = earned.bare - earned.gain
    cases = [
        f"{case} {seen}" if case == "partly" else case
        for case, seen in zip(earned.cases, earned.seen, strict=False)
    ]
    columns = [
        ("value", shown(earned.value)),
        *([("case", cases)] if cases else []),
        ("earns", shown(earned.bare)),
        ("bound", [f"-{value:.4f}" if value > 0 else "" for value in lost.tolist()]),
        ("gain", shown(earned.gain)),
        ("xCG", shown(earned.gained)),
        ("ideal", shown(earned.best)),
        (last, shown(quotient)),
    ]
    return table_of(listing, columns)


def chance_table(listing: Listing, chance: FloatArray, level: Sequence[int]) -> Table:
    """Probabilities of relevance, and how much is relevant and how much is not so far."""
    columns = [
        ("level", [str(1 + number - level[0]) for number in level]),
        ("value", shown(chance)),
        ("relevant", shown(np.cumsum(chance))),
        ("not", shown(np.cumsum(1 - chance))),
    ]
    return table_of(listing, columns)


def columns_table(listing: Listing, columns: Sequence[tuple[str, Any]]) -> Table:
    """Whatever a measure is made of: whole numbers are characters."""
    return table_of(
        listing,
        [
            (name, numbers(column) if np.asarray(column).dtype.kind == "i" else shown(column))
            for name, column in columns
        ],
    )


def flag_table(listing: Listing, name: str, flags: Any) -> Table:
    """A yes beside some results."""
    return table_of(listing, [(name, ["yes" if flag else "" for flag in flags.tolist()])])
