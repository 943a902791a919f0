"""Cumulated gain of elements, reduced for text seen before: the measures of 2005 and 2006.

Every result has a gain: its quantised value, lowered if its text was seen before. The gains of a
run are compared with those of an ideal run, which returns the elements of a recall base, best
first.
"""

import re
from dataclasses import replace
from functools import partial
from typing import Literal

import numpy as np

from spanwise.errors import UsageError
from spanwise.measures.registry import BY_GAIN, BY_RANK, measure
from spanwise.model.arrays import BoolArray, FloatArray, IntArray
from spanwise.model.element_rankings import ROUNDING, Cap, ElementRankings, GainRule, Which
from spanwise.model.elements import Paths, Ties
from spanwise.model.measure import Law

FAMILY = "Elements: cumulated gain (2005-06)"

XCG = (
    "Kazai and Lalmas: eXtended Cumulated Gain Measures for the Evaluation of Content-oriented XML"
    " Retrieval. ACM Transactions on Information Systems 24(4), 2006"
)
INEX_2006 = (
    "Lalmas, Kazai, Kamps, Pehcevski, Piwowarski and Robertson: INEX 2006 Evaluation Measures. In:"
    " Comparative Evaluation of XML Information Retrieval Systems, LNCS 4518, 2007"
)
RELIABILITY = (
    "Kazai, Lalmas and de Vries: Reliability Tests for the XCG and inex-2002 Metrics. In: Advances"
    " in XML Information Retrieval, LNCS 3493, 2005"
)
Overlap = Literal["on", "off"]
Base = Literal["ideal", "full"]
Interpolate = Literal["linear", "whole"]


class Curves:
    """The cumulated gain of a run, and that of the ideal run it is compared with.

    Its parameters are those of every measure here. With `paths=assessed` the relevant paths of the
    ideal recall base end also at elements that assessors found relevant (exhaustivity and
    specificity above 0) and to which the quantisation gives no value.
    """

    def __init__(
        self,
        r: ElementRankings,
        *,
        quant: str | None = None,
        overlap: Overlap = "on",
        recallbase: Base | None = None,
        alpha: float = 1.0,
        ideal: Ties = "higher",
        paths: Paths = "valued",
        cap: Cap = "full",
        interpolate: Interpolate = "linear",
    ) -> None:
        rule = GainRule(quant, alpha if overlap == "on" else 0.0, ideal, paths, cap)
        if not rule.alpha:  # nothing else matters then
            rule = GainRule(quant, 0.0)
        which = recallbase or ("ideal" if overlap == "on" else "full")
        base: Which = (ideal, paths) if which == "ideal" else "full"
        self.r, self.rule, self.interpolate = r, rule, interpolate
        self.best = r.ideal_gained(quant, base)
        self.count = r.ideal_count(quant, base)
        self.total = r.at(self.best, self.best.shape[-1])

    def run(self, cutoff: int | None = None) -> FloatArray:
        """Return the run's cumulated gain at each rank; ranks below a cut-off may lack theirs."""
        depth = _depth(self.r, cutoff) if self.rule.alpha else None
        return self.r.gained(replace(self.rule, depth=depth))

    def normalised(self, ranks: IntArray, cutoff: int | None = None) -> FloatArray:
        """Compute nxCG at some ranks, a column each; `ranks` has a row per topic or one for all."""
        ranks = np.broadcast_to(ranks, (len(self.r), ranks.shape[-1]))
        return self.r.ratio(_at(self.run(cutoff), ranks), _at(self.best, ranks))

    def defined(self, values: FloatArray) -> FloatArray:
        """Return the values, undefined for topics without anything relevant."""
        return np.where(self.count > 0, values, np.nan)


WITHOUT_OVERLAP = partial(Curves, overlap="off")
"""The family of measures in which text seen before counts in full by default."""


def _depth(r: ElementRankings, cutoff: int | None) -> int | None:
    """Return the number of ranks to consider: a power of two, so that cut-offs share the work."""
    if cutoff is None:
        return None
    depth = max(64, 1 << (cutoff - 1).bit_length())
    return depth if depth < r.depth else None


def _at(cumulated: FloatArray, ranks: IntArray) -> FloatArray:
    """Return a cumulated table after some ranks; constant after its end, 0 before its beginning."""
    if not cumulated.shape[-1]:
        return np.zeros(ranks.shape)
    index = np.minimum(ranks, cumulated.shape[-1]) - 1
    values = np.take_along_axis(cumulated, np.maximum(index, 0), axis=-1)
    return np.where(index < 0, 0.0, values)


def reached(
    cumulated: FloatArray, wanted: FloatArray, interpolate: Interpolate
) -> tuple[FloatArray, BoolArray]:
    """Return where each row's curve reaches each wanted gain, and which it never reaches.

    The curve consists of straight lines from (0, 0) through the cumulated gain of each rank; with
    `whole` only ranks count.
    """
    asked = wanted * (1 - ROUNDING)
    place = np.zeros(wanted.shape, np.int64)
    for row in range(len(cumulated)):
        place[row] = np.searchsorted(cumulated[row], asked[row])
    depth = cumulated.shape[-1]
    missed = place >= depth
    if not depth:
        return np.zeros(wanted.shape), missed
    if interpolate == "whole":
        return place + 1.0, missed
    upper = np.take_along_axis(cumulated, np.minimum(place, depth - 1), axis=-1)
    lower = np.take_along_axis(cumulated, np.maximum(place - 1, 0), axis=-1)
    lower = np.where(place == 0, 0.0, lower)
    step = upper - lower
    part = np.divide(wanted - lower, step, out=np.ones(step.shape), where=step > 0)
    return place + np.clip(part, 0.0, 1.0), missed


@measure(
    "xCG",
    Law.NOTHING_IS_ZERO,
    Law.BLIND_BELOW_CUTOFF,
    Law.ADD_BELOW,
    reference=XCG,
    bounds=(0.0, float("inf")),
    reads="elements",
    of=Curves,
    properties=BY_RANK,
    explains="cumulated",
)
def cumulated_gain(curves: Curves, *, cutoff: int) -> FloatArray:
    """How much a reader has gained after the first k results.

    xCG@k = the sum of the gains of the first k results. A result of which nothing was seen before
    gains its quantised value q; one that was wholly seen gains (1 - alpha) q; one seen in part
    gains alpha times the current value of its relevant children, weighted by size, plus (1 - alpha)
    q. All parts of an ideal element together gain no more than the ideal element (`cap`). With
    `overlap=off` or alpha 0 every result gains q. Undefined if nothing is relevant. `recallbase`
    and `interpolate` have no effect.

    `paths`, for all measures of this family: on each path from the root to a last relevant element
    the best element is ideal. Relevant is what has a value; with `paths=assessed` also what
    assessors found relevant (exhaustivity and specificity above 0) though it has none. This
    matters under quantisations like `strict`, which give relevant elements no value.

    Beware: it is not normalised, so topics with more to find weigh more.
    """
    return curves.defined(curves.r.at(curves.run(cutoff), cutoff))


@measure(
    "nxCG",
    Law.NOTHING_IS_ZERO,
    Law.BLIND_BELOW_CUTOFF,
    Law.ADD_BELOW,
    Law.IDEAL_IS_ONE,
    reference=XCG + "; " + INEX_2006,
    bounds=(0.0, float("inf")),
    aliases=("nxCG_{cutoff}",),
    reads="elements",
    of=Curves,
    properties=BY_RANK,
    explains="cumulated",
)
def normalised_cumulated_gain(curves: Curves, *, cutoff: int) -> FloatArray:
    """How much of the possible gain of k results was gained by the first k.

    nxCG@k = xCG@k / xCI@k, xCI being the cumulated value of the elements of a recall base, best
    first: of the ideal one with `overlap=on`, of the full one with `overlap=off`, or of the one
    that `recallbase` names. Past the end of either list nothing is added to it. Undefined if
    nothing is relevant. `interpolate` has no effect.

    Beware: with `overlap=off, recallbase=ideal`, as it was printed for the Focused task of 2006, or
    with alpha below 1, it can exceed 1.
    """
    return curves.defined(curves.normalised(np.array([[cutoff]]), cutoff)[:, 0])


@measure(
    "MAnxCG",
    Law.NOTHING_IS_ZERO,
    Law.BLIND_BELOW_CUTOFF,
    Law.ADD_BELOW,
    Law.IDEAL_IS_ONE,
    reference=XCG,
    bounds=(0.0, float("inf")),
    reads="elements",
    of=Curves,
    properties=BY_RANK,
    explains="cumulated",
)
def mean_normalised_cumulated_gain(curves: Curves, *, cutoff: int) -> FloatArray:
    """How much of the possible gain was gained, on average over the first k ranks.

    MAnxCG@k = (1/k) times the sum of nxCG@1 to nxCG@k. Undefined if nothing is relevant.
    `interpolate` has no effect.
    """
    # Nothing changes past the end of both lists. Each topic is summed one by one up to its own
    # end, so that its sum does not depend on other topics.
    longer = np.maximum(curves.r.retrieved, curves.count)
    end = np.clip(longer, 1, cutoff)[:, None]
    values = curves.normalised(np.arange(1, end.max(initial=1) + 1)[None, :], cutoff)
    before, last = (_at(table, end)[:, 0] for table in (np.cumsum(values, axis=-1), values))
    whole = before + (cutoff - end[:, 0]) * last
    return curves.defined(whole / cutoff)


@measure(
    "MAncG",
    Law.NOTHING_IS_ZERO,
    Law.IDEAL_IS_ONE,
    reference=RELIABILITY,
    bounds=(0.0, float("inf")),
    reads="elements",
    of=Curves,
    properties=BY_RANK,
    explains="cumulated",
)
def gain_at_rank_percents(curves: Curves, *, base: str = "1500") -> FloatArray:
    """How much of the possible gain was gained, at ten ranks spread over the whole list.

    MAncG = the mean of nxCG at 10 %, 20 %, ..., 100 % of `base` ranks, rounded up. The base is
    1500, the longest list that could be submitted; another number; `ideal`, the number of elements
    in the recall base; or `run`, the number of results. Undefined if nothing is relevant.
    `interpolate` has no effect.

    Beware: with base 1500 the first of the ten ranks is 150.
    """
    length = _length(curves, base)
    ranks = -(-np.arange(1, 11)[None, :] * length[:, None] // 10)
    values = np.where(ranks > 0, curves.normalised(ranks), 0.0)
    return curves.defined(values.sum(axis=-1) / 10)


def _length(curves: Curves, base: str) -> IntArray:
    if base == "ideal":
        return curves.count
    if base == "run":
        return curves.r.retrieved
    if not re.fullmatch("[0-9]{1,12}", base) or int(base) < 1:
        raise UsageError(f"MAncG: base is {base!r}; expected a number of ranks, ideal or run")
    return np.full(len(curves.r), int(base))


@measure(
    "ep",
    Law.NOTHING_IS_ZERO,
    Law.ADD_BELOW,
    Law.IDEAL_IS_ONE,
    reference=XCG + "; " + INEX_2006,
    bounds=(0.0, float("inf")),
    reads="elements",
    of=WITHOUT_OVERLAP,
    properties=BY_GAIN,
    explains="cumulated",
)
def effort_precision(curves: Curves, *, recall: float) -> FloatArray:
    """How little effort a given share of the total gain took, compared with the least possible.

    ep[x] = ranks that the ideal run needs / ranks that the run needs until the cumulated gain is x
    times the total of the ideal run; 0 if the run never gets there. Both curves consist of straight
    lines from the origin through each rank, or count whole ranks (`interpolate=whole`). Undefined
    if nothing is relevant.

    Beware: counting whole ranks gives 1 to any gain at rank 1.
    """
    if not 0 < recall <= 1:
        raise UsageError(f"ep: the level is {recall:g}; it must be above 0 and not above 1")
    wanted = recall * curves.total[:, None]
    ideal, _ = reached(curves.best, wanted, curves.interpolate)
    run, missed = reached(curves.run(), wanted, curves.interpolate)
    value = np.where(missed, 0.0, curves.r.ratio(ideal, run, undefined=0))
    return curves.defined(value[:, 0])


@measure(
    "gr",
    Law.NOTHING_IS_ZERO,
    Law.BLIND_BELOW_CUTOFF,
    Law.ADD_BELOW,
    reference=XCG + "; " + INEX_2006,
    bounds=(0.0, float("inf")),
    reads="elements",
    of=WITHOUT_OVERLAP,
    properties=BY_GAIN,
    explains="cumulated",
)
def gain_recall(curves: Curves, *, cutoff: int) -> FloatArray:
    """The share of the total possible gain that the first k results gain.

    gr@k = xCG@k / the total value of the recall base: of the full one with `overlap=off`, of the
    ideal one with `overlap=on`, or of the one that `recallbase` names. Undefined if nothing is
    relevant. `interpolate` has no effect.
    """
    return curves.r.ratio(curves.r.at(curves.run(cutoff), cutoff), curves.total)


@measure(
    "MAep",
    Law.NOTHING_IS_ZERO,
    Law.ADD_BELOW,
    Law.IDEAL_IS_ONE,
    reference=XCG + "; " + INEX_2006,
    bounds=(0.0, float("inf")),
    aliases=("AEP",),
    reads="elements",
    of=WITHOUT_OVERLAP,
    properties=BY_GAIN,
    explains="cumulated",
)
def average_effort_precision(curves: Curves) -> FloatArray:
    """How little effort each gain took, compared with the least possible, for all that is relevant.

    For each rank i that gains something, take the rank at which the ideal run reaches the gain
    cumulated at i, divided by i. AEP = the sum of these / the number of elements in the recall
    base, or / the number of such ranks if there are more of them; MAep is its mean over topics. A
    gain beyond the ideal total counts as the end of the ideal run. Undefined if nothing is
    relevant.
    """
    gain = curves.r.gain(curves.rule)
    ranks = np.arange(1, gain.shape[-1] + 1)
    ideal, beyond = reached(curves.best, curves.run(), curves.interpolate)
    ideal = np.where(beyond, curves.count[:, None], ideal)
    terms = np.where(gain > 0, ideal / ranks, 0.0)
    divisor = np.maximum(curves.count, np.count_nonzero(gain, axis=-1))
    # Added one by one: pairwise sums would depend on the number of ranks of other topics.
    whole = curves.r.at(np.cumsum(terms, axis=-1), terms.shape[-1])
    return curves.defined(curves.r.ratio(whole, divisor))
