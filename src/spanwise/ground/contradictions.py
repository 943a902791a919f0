"""Grades of elements that contradict each other: against what assessors were told to keep to."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from spanwise.model.assessments import NO_COVERAGE, UNSTATED

if TYPE_CHECKING:
    from spanwise.model.arrays import BoolArray
    from spanwise.model.assessments import Elements


def contradictions(elements: Elements) -> Mapping[str, int]:
    """How many elements are graded in a way that cannot be meant, by what is odd about them."""
    e, s = elements.exhaustivity, elements.specificity
    paired = (e >= 0) & (s >= 0)
    sized = elements.sizes >= 0
    odd = {
        "elements of which one grade is 0 and the other is not": paired & ((e == 0) != (s == 0)),
        "elements with more highlighted characters than they have": sized
        & (elements.highlighted > elements.sizes),
        "elements less exhaustive than one inside them": _surpassed(elements),
    }
    counts = {what: int(np.count_nonzero(which)) for what, which in odd.items()}
    return {what: count for what, count in counts.items() if count}


def _surpassed(elements: Elements) -> BoolArray:
    """Which elements have a lower grade than one inside them; letters of 2002 know no such rule."""
    paths = elements.paths.take(np.arange(len(elements)))
    grades = np.where(elements.coverage == NO_COVERAGE, elements.exhaustivity, UNSTATED).tolist()
    surpassed = np.zeros(len(paths), np.bool_)
    for first, last in pairwise(elements.first.tolist()):
        rows = {paths[row]: row for row in range(first, last) if grades[row] >= 0}
        for path, row in rows.items():
            outer = path.rpartition(b"/")[0]
            while outer:
                above = rows.get(outer)
                if above is not None and grades[above] < grades[row]:
                    surpassed[above] = True
                outer = outer.rpartition(b"/")[0]
    return surpassed
