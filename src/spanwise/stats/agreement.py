"""Coefficients of agreement between assessors who judged the same text.

The first part is about ratings: values that each assessor gave to the same units. A unit is a
character, a token, a sentence or a document. Neighbouring units that every assessor rated alike
share one column, whose weight is their number, so that a long text costs no more than the
highlights in it. A value below 0 means that the assessor has not judged the unit.

The second part is about units that the assessors cut out of the text themselves: Krippendorff's
unitised alphas.
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
    from spanwise.model.arrays import BoolArray, FloatArray, IntArray

NAN = math.nan
MISSING = -1


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """The rating of each unit by each assessor: 0 or more, or MISSING."""

    weights: IntArray  # number of units in each column
    values: IntArray | FloatArray  # assessors by columns; grades may be fractions

    def of(self, a: int, b: int) -> Ratings:
        """Return the ratings of two assessors on the units that both judged."""
        both = self.values[[a, b]]
        seen = (both >= 0).all(axis=0)
        return Ratings(self.weights[seen], both[:, seen])

    def complete(self) -> Ratings:
        """Return the ratings of the units that all assessors judged."""
        seen = (self.values >= 0).all(axis=0)
        return Ratings(self.weights[seen], self.values[:, seen])


@dataclass(frozen=True, slots=True)
class Table:
    """The two-by-two table of two assessors: units that both, one or neither marked."""

    both: float
    only_a: float
    only_b: float
    neither: float

    @property
    def total(self) -> float:
        """The total number of units."""
        return self.both + self.only_a + self.only_b + self.neither

    def overlap(self) -> float:
        """Return the share of units marked by both among those marked by either.

        Undefined if neither assessor marked a unit.
        """
        return _share(self.both, self.both + self.only_a + self.only_b)

    def f1(self) -> float:
        """Return the harmonic mean of precision and recall between the two assessors."""
        return _share(2 * self.both, 2 * self.both + self.only_a + self.only_b)

    def precision(self) -> float:
        """Return the share of the first assessor's units that the second marked too."""
        return _share(self.both, self.both + self.only_a)

    def recall(self) -> float:
        """Return the share of the second assessor's units that the first marked too."""
        return _share(self.both, self.both + self.only_b)

    def negative(self) -> float:
        """Return the agreement on unmarked units, the counterpart of F1."""
        return _share(2 * self.neither, 2 * self.neither + self.only_a + self.only_b)

    def kappa(self) -> float:
        """Return Cohen's kappa: agreement beyond chance, with each assessor's own rate."""
        p = _share(self.both + self.only_a, self.total)
        q = _share(self.both + self.only_b, self.total)
        return _beyond(self._observed(), p * q + (1 - p) * (1 - q))

    def ac1(self) -> float:
        """Return Gwet's AC1: agreement beyond chance that is robust where one value is rare."""
        share = _share(2 * self.both + self.only_a + self.only_b, 2 * self.total)
        return _beyond(self._observed(), 2 * share * (1 - share))

    def prevalence(self) -> float:
        """Return the mean share of marked units."""
        return _share(2 * self.both + self.only_a + self.only_b, 2 * self.total)

    def bias(self) -> float:
        """Return the first assessor's share of marked units minus the second's."""
        return _share(self.only_a - self.only_b, self.total)

    def _observed(self) -> float:
        return _share(self.both + self.neither, self.total)


def table(ratings: Ratings) -> Table:
    """Count how two assessors marked the units; every value above 0 is a mark."""
    a, b = ratings.values[0] > 0, ratings.values[1] > 0
    weights = ratings.weights

    def count(flags: BoolArray) -> float:
        return float(weights[flags].sum())

    return Table(count(a & b), count(a & ~b), count(b & ~a), count(~a & ~b))


def weighted_kappa(ratings: Ratings) -> float:
    """Return Cohen's kappa of grades, weighting differences by their squares."""
    a, b = ratings.values[:2].astype(np.float64)
    weights, total = ratings.weights, float(ratings.weights.sum())
    if not total:
        return NAN
    observed = float((weights * (a - b) ** 2).sum()) / total
    levels = np.unique(ratings.values[:2])
    shares = [[float(weights[row == level].sum()) / total for level in levels] for row in (a, b)]
    apart = np.subtract.outer(levels, levels).astype(np.float64) ** 2
    expected = float(np.array(shares[0]) @ apart @ np.array(shares[1]))
    return _beyond(1 - observed, 1 - expected) if expected else NAN


def fleiss(ratings: Ratings) -> float:
    """Return Fleiss' kappa of all assessors on the units that all of them judged."""
    seen = ratings.complete()
    assessors, total = len(seen.values), float(seen.weights.sum())
    if assessors < 2 or not total:
        return NAN
    counts = _counts(seen)
    pairs = (counts * (counts - 1)).sum(axis=0) / (assessors * (assessors - 1))
    shares = (counts * seen.weights).sum(axis=1) / (assessors * total)
    observed = float((pairs * seen.weights).sum()) / total
    return _beyond(observed, float((shares**2).sum()))


def alpha(ratings: Ratings, *, ordinal: bool = False) -> float:
    """Return Krippendorff's alpha: 1 minus observed by expected disagreement.

    A unit that fewer than two assessors judged does not count. Values are categories, or, if
    `ordinal`, grades whose distance is the number of values between them.
    """
    counts = _counts(ratings)
    assessors = counts.sum(axis=0)
    counts, assessors, weights = (
        counts[:, assessors > 1],
        assessors[assessors > 1],
        ratings.weights[assessors > 1],
    )
    if not len(assessors):
        return NAN
    scaled = counts * (weights / (assessors - 1))
    together = scaled @ counts.T
    together[np.diag_indices(len(together))] -= scaled.sum(axis=1)
    totals = together.sum(axis=1)
    n = float(totals.sum())
    chance = (np.outer(totals, totals) - np.diag(totals)) / (n - 1) if n > 1 else together * NAN
    apart = _distances(totals) if ordinal else 1.0 - np.eye(len(totals))
    expected = float((apart * chance).sum())
    return 1 - float((apart * together).sum()) / expected if expected > 0 else NAN


def _distances(totals: FloatArray) -> FloatArray:
    """Return the squared distances of ordered values.

    The distance of two values is the number of ratings between them, with half of the ratings of
    each.
    """
    middle = np.cumsum(totals) - totals / 2
    return np.subtract.outer(middle, middle) ** 2


def _counts(ratings: Ratings) -> FloatArray:
    """Count for each value the assessors who gave it to each column."""
    levels = np.unique(ratings.values[ratings.values >= 0])
    return np.array(
        [(ratings.values == level).sum(axis=0) for level in levels], np.float64
    ).reshape(len(levels), -1)


def _share(part: float, whole: float) -> float:
    return part / whole if whole else NAN


def _beyond(observed: float, expected: float) -> float:
    """Return the agreement beyond chance; undefined if chance alone would always agree."""
    return (observed - expected) / (1 - expected) if expected < 1 else NAN


def interval(values: FloatArray, seed: int = 0, resamples: int = 10_000) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of the mean over topics.

    Samples of topics are drawn with replacement. The interval is undefined below 5 topics.
    """
    known = values[~np.isnan(values)]
    if len(known) < 5:
        return NAN, NAN
    random = np.random.default_rng(seed)
    means = known[random.integers(0, len(known), (resamples, len(known)))].mean(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high)


# Units cut out by the assessors -------------------------------------------------------------------
#
# The text of a topic is its documents end to end. Units and gaps end where a document ends.


@dataclass(frozen=True, slots=True, eq=False)
class Continuum:
    """A text and the units each assessor marked in it: sorted, disjoint, within documents."""

    bounds: IntArray  # document i lies from bounds[i] to bounds[i + 1]
    units: tuple[Spans, ...]

    @property
    def length(self) -> int:
        """The number of characters in the text."""
        return int(self.bounds[-1])

    def gaps(self, assessor: int) -> IntArray:
        """Return the lengths of the gaps between an assessor's units in each document."""
        units = self.units[assessor]
        starts = np.concatenate([self.bounds[:-1], units.ends])
        ends = np.concatenate([units.starts, self.bounds[1:]])
        starts.sort()
        ends.sort()
        return (ends - starts)[ends > starts]


def alpha_u(text: Continuum) -> float:
    """Return Krippendorff's unitised alpha of 1995, based on where units begin and end.

    Two units that intersect contribute the squares of the distances of their ends; a unit inside a
    gap contributes the square of its length. Undefined if nothing was marked.
    """
    expected = _expected(text)
    return 1 - _observed(text) / expected if expected > 0 else math.nan


def _observed(text: Continuum) -> float:
    assessors = len(text.units)
    apart = sum(2 * _apart(a, b) for a, b in combinations(text.units, 2))
    return apart / (assessors * (assessors - 1) * float(text.length) ** 2)


def _apart(a: Spans, b: Spans) -> float:
    """Return the disagreement of two assessors: intersecting units, then isolated ones."""
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
    assessors, length = len(text.units), float(text.length)
    units = _lengths(text.units).astype(np.float64)
    if not len(units) or not length:
        return 0.0
    gaps = np.sort(np.concatenate([text.gaps(j) for j in range(assessors)])).astype(np.float64)
    above = np.concatenate([np.cumsum(gaps[::-1])[::-1], [0.0]])
    place = np.searchsorted(gaps, units, side="left")
    room = above[place] - (len(gaps) - place) * (units - 1)
    meeting = (len(units) - 1) / 3 * (2 * units**3 - 3 * units**2 + units)
    pairs = assessors * length * (assessors * length - 1) - float((units * (units - 1)).sum())
    return 2 / length * float((meeting + units**2 * room).sum()) / pairs


def alpha_u_binary(text: Continuum) -> float:
    """Return the binary unitised alpha of 2016: how long assessors agree on a text.

    The expected disagreement treats units as wholes; gaps are not units, their characters count one
    by one. Undefined if all assessors marked the whole text or nothing.
    """
    assessors, length = len(text.units), float(text.length)
    units = _lengths(text.units).astype(np.float64)
    both = sum(2.0 * float(overlap(a, b).sum()) for a, b in combinations(text.units, 2))
    marked = float(units.sum())
    apart = 2 * ((assessors - 1) * marked - both) / (assessors - 1)
    total = assessors * length
    rest = total - marked
    whole = float((units**2).sum()) + rest
    expected = 2 * total * marked * rest / (total**2 - whole) if total**2 > whole else 0.0
    return 1 - apart / expected if expected > 0 else math.nan


def _lengths(units: Sequence[Spans]) -> IntArray:
    return np.concatenate([one.lengths for one in units])
