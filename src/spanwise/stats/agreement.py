"""How far judges agree: coefficients of values that each judge gave to the same units.

A unit is a character, a token, a sentence or a document. Units on which nobody changes his mind are
kept together: a column stands for `weights` units in a row, so that a long text costs no more than
the highlights in it. A value below 0 says that the judge has not seen the unit.
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
    """What each judge said of each unit: 0 or more, or MISSING."""

    weights: IntArray  # how many units each column stands for
    values: IntArray | FloatArray  # judges by columns; grades may be fractions

    def of(self, a: int, b: int) -> Ratings:
        """Two judges, on the units that both have seen."""
        both = self.values[[a, b]]
        seen = (both >= 0).all(axis=0)
        return Ratings(self.weights[seen], both[:, seen])

    def complete(self) -> Ratings:
        """The units that all judges have seen."""
        seen = (self.values >= 0).all(axis=0)
        return Ratings(self.weights[seen], self.values[:, seen])


@dataclass(frozen=True, slots=True)
class Table:
    """Two judges and two answers: how often both said yes, one of them, or neither."""

    both: float
    only_a: float
    only_b: float
    neither: float

    @property
    def total(self) -> float:
        """All units."""
        return self.both + self.only_a + self.only_b + self.neither

    def overlap(self) -> float:
        """What both took of what either took; undefined where neither took anything."""
        return _share(self.both, self.both + self.only_a + self.only_b)

    def f1(self) -> float:
        """The harmonic mean of precision and recall of one judge against the other."""
        return _share(2 * self.both, 2 * self.both + self.only_a + self.only_b)

    def precision(self) -> float:
        """How much of what the first judge took the second took too."""
        return _share(self.both, self.both + self.only_a)

    def recall(self) -> float:
        """How much of what the second judge took the first took too."""
        return _share(self.both, self.both + self.only_b)

    def negative(self) -> float:
        """Agreement on what is not relevant, as F1 is on what is."""
        return _share(2 * self.neither, 2 * self.neither + self.only_a + self.only_b)

    def kappa(self) -> float:
        """Cohen's: agreement beyond chance, each judge with his own share of yes."""
        p = _share(self.both + self.only_a, self.total)
        q = _share(self.both + self.only_b, self.total)
        return _beyond(self._observed(), p * q + (1 - p) * (1 - q))

    def ac1(self) -> float:
        """Gwet's: agreement beyond chance that holds where one answer is rare."""
        share = _share(2 * self.both + self.only_a + self.only_b, 2 * self.total)
        return _beyond(self._observed(), 2 * share * (1 - share))

    def prevalence(self) -> float:
        """The mean share of yes."""
        return _share(2 * self.both + self.only_a + self.only_b, 2 * self.total)

    def bias(self) -> float:
        """How much more the first judge says yes than the second."""
        return _share(self.only_a - self.only_b, self.total)

    def _observed(self) -> float:
        return _share(self.both + self.neither, self.total)


def table(ratings: Ratings) -> Table:
    """The table of the first two judges; every value above 0 is a yes."""
    a, b = ratings.values[0] > 0, ratings.values[1] > 0
    weights = ratings.weights

    def count(flags: BoolArray) -> float:
        return float(weights[flags].sum())

    return Table(count(a & b), count(a & ~b), count(b & ~a), count(~a & ~b))


def weighted_kappa(ratings: Ratings) -> float:
    """Cohen's kappa of grades: a difference counts by its square."""
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
    """Fleiss' kappa of all judges, on the units that all have seen."""
    seen = ratings.complete()
    judges, total = len(seen.values), float(seen.weights.sum())
    if judges < 2 or not total:
        return NAN
    counts = _counts(seen)
    pairs = (counts * (counts - 1)).sum(axis=0) / (judges * (judges - 1))
    shares = (counts * seen.weights).sum(axis=1) / (judges * total)
    observed = float((pairs * seen.weights).sum()) / total
    return _beyond(observed, float((shares**2).sum()))


def alpha(ratings: Ratings, *, ordinal: bool = False) -> float:
    """Krippendorff's alpha: disagreement as a share of what chance would give.

    A unit that fewer than two judges have seen does not count. Values are names, or, if `ordinal`,
    grades whose distance is how many values lie between them.
    """
    counts = _counts(ratings)
    judges = counts.sum(axis=0)
    counts, judges, weights = (
        counts[:, judges > 1],
        judges[judges > 1],
        ratings.weights[judges > 1],
    )
    if not len(judges):
        return NAN
    scaled = counts * (weights / (judges - 1))
    together = scaled @ counts.T
    together[np.diag_indices(len(together))] -= scaled.sum(axis=1)
    totals = together.sum(axis=1)
    n = float(totals.sum())
    chance = (np.outer(totals, totals) - np.diag(totals)) / (n - 1) if n > 1 else together * NAN
    apart = _distances(totals) if ordinal else 1.0 - np.eye(len(totals))
    expected = float((apart * chance).sum())
    return 1 - float((apart * together).sum()) / expected if expected > 0 else NAN


def _distances(totals: FloatArray) -> FloatArray:
    """Squared distances of ordered values: those between two, with half of each of them."""
    middle = np.cumsum(totals) - totals / 2
    return np.subtract.outer(middle, middle) ** 2


def _counts(ratings: Ratings) -> FloatArray:
    """For each value how many judges gave it to each column."""
    levels = np.unique(ratings.values[ratings.values >= 0])
    return np.array(
        [(ratings.values == level).sum(axis=0) for level in levels], np.float64
    ).reshape(len(levels), -1)


def _share(part: float, whole: float) -> float:
    return part / whole if whole else NAN


def _beyond(observed: float, expected: float) -> float:
    """Agreement beyond chance; undefined where chance alone would agree on everything."""
    return (observed - expected) / (1 - expected) if expected < 1 else NAN


def interval(values: FloatArray, seed: int = 1, resamples: int = 10_000) -> tuple[float, float]:
    """95 % of the means of samples of topics, drawn with replacement; none below 5 topics."""
    known = values[~np.isnan(values)]
    if len(known) < 5:
        return NAN, NAN
    random = np.random.default_rng(seed)
    means = known[random.integers(0, len(known), (resamples, len(known)))].mean(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high)


# Agreement on units that judges cut out of a text themselves: Krippendorff's unitised alphas. -----
#
# The text of a topic is its documents end to end. Units and gaps end where a document ends.


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
