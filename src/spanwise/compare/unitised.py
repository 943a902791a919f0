"""Agreement on units that judges cut out of a text themselves: Krippendorff's unitised alphas.

The text of a topic is its documents end to end. Units and gaps end where a document ends.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from spanwise.model.spans import Spans, overlap, ranges

if TYPE_CHECKING:
    from spanwise.model.arrays import IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Continuum:
    """A text, and the units that each judge marked in it: sorted, disjoint, within documents."""

    bounds: IntArray  # document i lies from bounds[i] to bounds[i + 1]
    units: tuple[Spans, ...]

    @property
    def length(self) -> int:
        """All characters."""
        return int(self.bounds[-1])

    def gaps(self, judge: int) -> IntArray:
        """The lengths of what lies between the units of a judge, document by document."""
        units = self.units[judge]
        starts = np.concatenate([self.bounds[:-1], units.ends])
        ends = np.concatenate([units.starts, self.bounds[1:]])
        starts.sort()
        ends.sort()
        return (ends - starts)[ends > starts]


def alpha_u(text: Continuum) -> float:
    """Alpha of 1995: how far units of different judges begin and end apart.

    For two units that meet it counts the squares of both differences, for a unit inside a gap the
    square of its length. Undefined where nobody marked anything.
    """
    expected = _expected(text)
    return 1 - _observed(text) / expected if expected > 0 else math.nan


def _observed(text: Continuum) -> float:
    judges = len(text.units)
    apart = sum(2 * _apart(a, b) for a, b in combinations(text.units, 2))
    return apart / (judges * (judges - 1) * float(text.length) ** 2)


def _apart(a: Spans, b: Spans) -> float:
    """What two judges differ by: units that meet, then units that meet no other."""
    first = np.searchsorted(b.ends, a.starts, side="right")
    last = np.searchsorted(b.starts, a.ends, side="left")
    counts = np.maximum(last - first, 0)
    mine, theirs = np.repeat(np.arange(len(a)), counts), ranges(first, counts)
    begins = (a.starts[mine] - b.starts[theirs]).astype(np.float64)
    ends = (a.ends[mine] - b.ends[theirs]).astype(np.float64)
    alone = _squares(a.lengths[counts == 0]) + _squares(b.lengths[overlap(b, a) == 0])
    return float((begins**2 + ends**2).sum()) + alone


def _squares(lengths: IntArray) -> float:
    return float((lengths.astype(np.float64) ** 2).sum())


def _expected(text: Continuum) -> float:
    judges, length = len(text.units), float(text.length)
    units = _lengths(text.units).astype(np.float64)
    if not len(units) or not length:
        return 0.0
    gaps = np.sort(np.concatenate([text.gaps(j) for j in range(judges)])).astype(np.float64)
    above = np.concatenate([np.cumsum(gaps[::-1])[::-1], [0.0]])
    place = np.searchsorted(gaps, units, side="left")
    room = above[place] - (len(gaps) - place) * (units - 1)
    meeting = (len(units) - 1) / 3 * (2 * units**3 - 3 * units**2 + units)
    pairs = judges * length * (judges * length - 1) - float((units * (units - 1)).sum())
    return 2 / length * float((meeting + units**2 * room).sum()) / pairs


def alpha_u_binary(text: Continuum) -> float:
    """Alpha of 2016 for highlighted or not: how long the judges say the same of a text.

    What chance gives allows for units as wholes; a gap is no unit, its characters stand alone.
    Undefined where all of the text, or nothing, was marked by everybody.
    """
    judges, length = len(text.units), float(text.length)
    units = _lengths(text.units).astype(np.float64)
    both = sum(2.0 * float(overlap(a, b).sum()) for a, b in combinations(text.units, 2))
    marked = float(units.sum())
    apart = 2 * ((judges - 1) * marked - both) / (judges - 1)
    total = judges * length
    rest = total - marked
    whole = float((units**2).sum()) + rest
    expected = 2 * total * marked * rest / (total**2 - whole) if total**2 > whole else 0.0
    return 1 - apart / expected if expected > 0 else math.nan


def _lengths(units: Sequence[Spans]) -> IntArray:
    return np.concatenate([one.lengths for one in units])
