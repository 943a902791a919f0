"""Measures for incomplete judgements."""

import numpy as np

from spanwise.measures.registry import measure
from spanwise.model.arrays import BoolArray, FloatArray, IntArray
from spanwise.model.measure import Law
from spanwise.model.rankings import JUDGED, OUTSIDE, SET_ASIDE, Rankings

FAMILY = "Incomplete judgements"

BPREF = "Buckley and Voorhees: Retrieval Evaluation with Incomplete Information. SIGIR 2004"
EPSILON = 0.00001


def above_hits(r: Rankings, marked: BoolArray, rel: float) -> IntArray:
    """Return, for the first hit, the second hit, ..., the number of marked results above it."""
    ranks = r.hit_ranks(rel)
    if not ranks.shape[-1]:
        return ranks
    counts = np.cumsum(marked, axis=-1, dtype=np.int64)
    return np.take_along_axis(counts, np.maximum(ranks - 1, 0), axis=-1)


@measure(
    "Bpref",
    Law.IDEAL_IS_ONE,
    Law.NOTHING_IS_ZERO,
    Law.ADD_BELOW,
    reference=BPREF,
    aliases=("bpref", "BPref"),
    sampled=False,
)
def bpref(r: Rankings, *, rel: float = 1) -> FloatArray:
    """How rarely a judged irrelevant result is above a relevant one; unjudged results are ignored.

    Bpref = (1/R) times the sum over relevant results of 1 - min(b, R) / min(B, R), b being the
    judged irrelevant results above it and B all judged irrelevant documents; the term is 1 if b is
    0. Undefined without relevant documents.
    """
    relevant = r.relevant(rel)
    worst = np.minimum(r.nonrelevant(rel), relevant)[:, None]
    above = np.minimum(above_hits(r, r.misses(rel), rel), relevant[:, None])
    terms = np.where(above > 0, 1 - r.ratio(above, worst, undefined=0).astype(np.float64), 1.0)
    terms = np.where(r.hit_ranks(rel) > 0, terms, 0)
    return r.ratio(r.total_from_top(terms), relevant)


@measure(
    "GMBpref",
    reference="Robertson: On GMAP and other transformations. CIKM 2006; " + BPREF,
    aliases=("gm_bpref",),
    aggregate="geometric",
)
def geometric_bpref(r: Rankings, *, rel: float = 1) -> FloatArray:
    """Bpref whose mean rewards improving the worst topics.

    Per topic the same as Bpref; over topics exp of the mean of ln max(Bpref, 0.00001). Undefined
    without relevant documents.
    """
    return bpref(r, rel=rel)


@measure(
    "infAP",
    Law.NOTHING_IS_ZERO,
    Law.ADD_BELOW,
    reference="Yilmaz and Aslam: Estimating Average Precision with Incomplete Judgments. CIKM 2006",
    sampled=False,
)
def inferred_average_precision(r: Rankings, *, rel: float = 1) -> FloatArray:
    """Average precision, estimated if only a sample of the pool was judged.

    infAP = (1/R) times the sum over relevant results at rank i = j + 1 of 1/i + (j/i) ((r + b +
    u)/j) ((r + e)/(r + b + 2e)), where r, b and u count the relevant, the judged irrelevant and the
    unjudged pool members (negative grade) above it and e is 0.00001; the term is 1 at rank 1.
    Undefined without relevant documents.
    """
    ranks = r.hit_ranks(rel)
    above = np.maximum(ranks - 1, 0)
    found = np.broadcast_to(np.arange(ranks.shape[-1]), ranks.shape)
    missed = above_hits(r, r.misses(rel), rel)
    pooled = found + missed + above_hits(r, r.status == SET_ASIDE, rel)
    in_pool = r.ratio(pooled, above, undefined=0).astype(np.float64)
    guess = (found + EPSILON) / (found + missed + 2 * EPSILON)
    shown = np.maximum(ranks, 1)
    terms = 1.0 / shown + (above / shown) * in_pool * guess
    terms = np.where(ranks > 0, np.where(above > 0, terms, 1.0), 0)
    return r.ratio(r.total_from_top(terms), r.relevant(rel))


def _pooled(r: Rankings, cutoff: int | None) -> IntArray:
    return np.count_nonzero(r.status[:, :cutoff] != OUTSIDE, axis=-1)


def _judged(r: Rankings, cutoff: int) -> IntArray:
    return np.count_nonzero(r.status[:, :cutoff] == JUDGED, axis=-1)


def _shown(r: Rankings, cutoff: int | None) -> IntArray:
    return r.retrieved if cutoff is None else np.minimum(cutoff, r.retrieved)


def _expected_judged(r: Rankings, *, cutoff: int | None = None) -> FloatArray:
    """Compute the expectation of Judged@k over all orders of tied results."""
    shown = _shown(r, cutoff)
    sums = np.cumsum(r.expected(r.status != OUTSIDE), axis=-1)
    return r.ratio(r.at(sums, shown), shown, undefined=0)


@measure(
    "Judged",
    Law.BLIND_BELOW_CUTOFF,
    reference="ir_measures 0.4; see also unj of trec_eval 10.0",
    expected=_expected_judged,
    sampled=False,
)
def judged(r: Rankings, *, cutoff: int | None = None) -> FloatArray:
    """The share of the first k results that are in the judgements.

    Judged@k = results among the first k, or all, that the judgements list, with any grade, divided
    by k or by the number retrieved if that is less; 0 if nothing was retrieved.

    Beware: if it is low, the values of other measures are uncertain.
    """
    return r.ratio(_pooled(r, cutoff), _shown(r, cutoff), undefined=0)


@measure(
    "Unjudged",
    Law.BLIND_BELOW_CUTOFF,
    reference="trec_eval 10.0, NIST, 2026",
    aliases=("unj_{cutoff}",),
    less_is_better=True,
    sampled=False,
)
def unjudged(r: Rankings, *, cutoff: int) -> FloatArray:
    """The number of unjudged results among the first k, divided by k.

    Results outside the pool and pool members with a negative grade both count.
    """
    return r.ratio(_shown(r, cutoff) - _judged(r, cutoff), cutoff)


# Condensed lists ----------------------------------------------------------------------------------


def condensed(r: Rankings, *, judged_only: bool = False) -> Rankings:
    """Return the rankings, without unjudged results if `judged_only` is set.

    Sakai: Alternatives to Bpref. SIGIR 2007 calls them condensed lists.
    """
    return r.condensed() if judged_only else r
