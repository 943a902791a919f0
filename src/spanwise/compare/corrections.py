"""Many comparisons, some of them significant by chance: p-values made larger to allow for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from spanwise.errors import UnknownName

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray, IntArray


def bonferroni(p: FloatArray) -> FloatArray:
    """Each p times the number of comparisons: at most this chance of any mistake."""
    return np.minimum(p * len(p), 1)


def holm(p: FloatArray) -> FloatArray:
    """The smallest p times all comparisons, the next times one less, ...: as safe as Bonferroni's,
    and never larger.
    """
    order = np.argsort(p, kind="stable")
    scaled = p[order] * np.arange(len(p), 0, -1)
    return _in_place(order, np.minimum(np.maximum.accumulate(scaled), 1))


def benjamini_hochberg(p: FloatArray) -> FloatArray:
    """The share of mistakes among what is called significant is kept low, not the chance of any."""
    order = np.argsort(p, kind="stable")
    scaled = p[order] * len(p) / np.arange(1, len(p) + 1)
    return _in_place(order, np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1))


def _in_place(order: IntArray, values: FloatArray) -> FloatArray:
    placed = np.empty_like(values)
    placed[order] = values
    return placed


def _unchanged(p: FloatArray) -> FloatArray:
    return p


CORRECTIONS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "holm": holm,
    "bonferroni": bonferroni,
    "bh": benjamini_hochberg,
    "none": _unchanged,
}
"""Every correction by its name; `bh` is Benjamini and Hochberg's."""


def corrected(p: Sequence[float], correction: str) -> list[float]:
    """The p-values of one family, corrected; undefined ones stay so and do not count.

    >>> corrected([0.01, 0.02, 0.03], "holm")
    [0.03, 0.04, 0.04]
    """
    if correction not in CORRECTIONS:
        raise UnknownName("correction", correction, list(CORRECTIONS))
    values = np.array(p, np.float64)
    defined = ~np.isnan(values)
    values[defined] = CORRECTIONS[correction](values[defined])
    return values.tolist()
