"""Measures of the first TREC conferences that trec_eval dropped after version 8.

They are kept for old results. Each follows the formula in 64 bits for our own commands, and gives
the older program's rounded value where its conventions are followed.
"""

from math import inf
from typing import Literal

import numpy as np

from spanwise.measure.ranks import ELEVEN, RISE, average_precision, interpolated_precision
from spanwise.measure.registry import measure
from spanwise.measure.sets import relevant as relevant_count
from spanwise.measure.sets import (
    relevant_retrieved,
    retrieved,
    set_precision,
    set_recall,
)
from spanwise.model.arrays import BoolArray, FloatArray, IntArray
from spanwise.model.measures import Law
from spanwise.model.rankings import Rankings, packed_ranks

TREC_EVAL_8 = "trec_eval 8.1, NIST, 2006"
TREC_1 = "Harman: Overview of the First Text REtrieval Conference, 1992; " + TREC_EVAL_8
NONREL = 142
"""Results that are not relevant to a topic of TREC 1 beyond which nobody was expected to read."""
Variant = Literal["exact", "tool"]
"""The definition as it is meant, or with the slips of trec_eval up to 8.1."""


def only_judged(r: Rankings, rel: float, values: FloatArray) -> FloatArray:
    """The values, undefined for topics without relevant documents."""
    undefined = r.policy.conventions.no_divisor
    return np.where(r.relevant(rel) > 0, values, undefined).astype(r.real_type)


def precisions(r: Rankings, rel: float) -> FloatArray:
    """Precision after every rank; after the last result it keeps falling."""
    return r.once(("precisions", rel), lambda: r.ratio(r.found(rel), r.ranks))


def interpolated(r: Rankings, rel: float) -> FloatArray:
    """The best precision at every rank or further down."""

    def best() -> FloatArray:
        return np.maximum.accumulate(precisions(r, rel)[:, ::-1], axis=-1)[:, ::-1]

    return r.once(("interpolated", rel), best)


# Precision over the first R results -----------------------------------------------------------


def _over_first_r(r: Rankings, rel: float, column: FloatArray) -> FloatArray:
    """A column summed over ranks below R, topped up for short rankings, divided by R."""
    known, shown, found = r.relevant(rel), r.retrieved, r.found_by(rel, None)
    inside = r.ranks <= np.minimum(shown, known - 1)[:, None]
    sums = r.total(np.where(inside, column, 0))
    ranks = np.arange(int(known[shown < known].max(initial=0)))
    missing = (ranks >= shown[:, None]) & (ranks < known[:, None])
    fill = np.where(missing, r.ratio(found[:, None], ranks, undefined=0), 0)
    return r.ratio(r.total_from_top(np.concatenate([sums[:, None], fill], axis=-1)), known)


@measure(
    "AvgPFirstR", Law.NOTHING_IS_ZERO, Law.SWAP_UP, reference=TREC_EVAL_8, aliases=("map_at_R",)
)
def average_over_first_r(r: Rankings, *, rel: float = 1) -> FloatArray:
    """Precision averaged over as many ranks as there are relevant documents.

    (1/R) times the sum of P@k over k = 1 .. min(n, R - 1), plus, if n < R, the sum of ok / i over
    i = n .. R - 1; n results hold ok relevant ones. Undefined without relevant documents.

    Beware: the sum has R - 1 terms and is divided by R, so a perfect ranking stays below 1; a
    ranking shorter than R has its last rank counted twice. That is how it was always printed.
    """
    return _over_first_r(r, rel, precisions(r, rel))


@measure(
    "IntAvgPFirstR",
    Law.NOTHING_IS_ZERO,
    Law.SWAP_UP,
    reference=TREC_EVAL_8,
    aliases=("int_map_at_R",),
)
def interpolated_average_over_first_r(r: Rankings, *, rel: float = 1) -> FloatArray:
    """Interpolated precision averaged over as many ranks as there are relevant documents.

    As AvgPFirstR, with the best precision at rank k or further down in place of P@k. Undefined
    without relevant documents.
    """
    return _over_first_r(r, rel, interpolated(r, rel))


@measure("IntAP", *RISE, Law.IDEAL_IS_ONE, reference=TREC_EVAL_8, aliases=("int_map",))
def interpolated_average_precision(r: Rankings, *, rel: float = 1) -> FloatArray:
    """Average precision that forgives a bad start made good further down.

    (1/R) times the sum over the ranks i of relevant results of the best precision at i or further
    down. Undefined without relevant documents.
    """
    best = np.maximum.accumulate(r.hit_precisions(rel)[:, ::-1], axis=-1)[:, ::-1]
    return r.ratio(r.total(best), r.relevant(rel))


def _interpolated_at(r: Rankings, rel: float, cutoff: IntArray) -> FloatArray:
    """The best precision from rank k on; after the end ok / k; 0 for k = 0."""
    after_end = r.ratio(r.found_by(rel, None), cutoff, undefined=0)
    best = r.at(interpolated(r, rel), cutoff)
    return np.where(cutoff > r.retrieved, after_end, best).astype(r.real_type)


@measure(
    "IntRprec", *RISE, Law.IDEAL_IS_ONE, reference=TREC_EVAL_8, aliases=("exact_int_R_rcl_prec",)
)
def interpolated_r_precision(r: Rankings, *, rel: float = 1) -> FloatArray:
    """The best precision after R results or more, R being the number of relevant documents.

    max of P@j over j >= R; ok / R if fewer than R were retrieved. Undefined without relevant
    documents.
    """
    return only_judged(r, rel, _interpolated_at(r, rel, r.relevant(rel)))


@measure("IntRprecMult", *RISE, reference=TREC_EVAL_8, aliases=("int_{multiple}R-prec",))
def interpolated_r_based_precision(
    r: Rankings, *, rel: float = 1, multiple: float = 1
) -> FloatArray:
    """The best precision after a multiple of R results or more.

    max of P@j over j >= k, k = trunc(multiple R + 0.9), which is the ceiling for multiples with
    one decimal; ok / k if fewer than k were retrieved; 0 if k is 0.
    """
    cutoff = np.trunc(multiple * r.relevant(rel) + 0.9).astype(np.int64)
    return _interpolated_at(r, rel, cutoff)


@measure("IPrecAvg3", *RISE, Law.IDEAL_IS_ONE, reference=TREC_1, aliases=("3-pt_avg",))
def three_point_average(r: Rankings, *, rel: float = 1) -> FloatArray:
    """Interpolated precision averaged over low, middle and high recall.

    The mean of IPrec at recall 0.2, 0.5 and 0.8.
    """
    points = [interpolated_precision(r, rel=rel, recall=ELEVEN[tenths]) for tenths in (2, 5, 8)]
    return r.ratio(r.total_from_top(np.stack(points, axis=-1)), 3)


# Relative and unranked precision --------------------------------------------------------------


@measure(
    "AvgRelativeP",
    Law.NOTHING_IS_ZERO,
    Law.IDEAL_IS_ONE,
    Law.SWAP_UP,
    reference=TREC_EVAL_8,
    aliases=("avg_relative_prec",),
)
def average_relative_precision(r: Rankings, *, rel: float = 1) -> FloatArray:
    """Precision relative to the best possible one, averaged over all ranks.

    The mean over k = 1 .. n of rel(k) / min(k, R); 0 if nothing was retrieved. Undefined without
    relevant documents.
    """
    best = np.minimum(r.ranks, r.relevant(rel)[:, None])
    terms = np.where(r.real(), r.ratio(r.found(rel), best, undefined=0), 0)
    return only_judged(r, rel, r.ratio(r.total(terms), r.retrieved, undefined=0))


def sum_of_precisions(r: Rankings, *, rel: float = 1) -> FloatArray:
    """The sum of P@i over the ranks i of relevant results."""
    return r.total(r.hit_precisions(rel))


@measure(
    "AvgDocP",
    *RISE,
    Law.IDEAL_IS_ONE,
    reference=TREC_EVAL_8,
    aliases=("avg_doc_prec",),
    aggregate="pooled",
    parts=(sum_of_precisions, relevant_count),
)
def average_document_precision(r: Rankings, *, rel: float = 1) -> FloatArray:
    """Average precision in whose mean every relevant document, not every topic, counts alike.

    Per topic the same as AP; over topics the sum of P@i over all relevant results, divided by the
    number of relevant documents of all topics. Undefined without relevant documents.
    """
    return average_precision(r, rel=rel)


@measure(
    "UAP",
    *RISE,
    Law.BLIND_BELOW_CUTOFF,
    reference=TREC_EVAL_8,
    aliases=("unranked_avg_prec{cutoff}",),
)
def unranked_average_precision(r: Rankings, *, rel: float = 1, cutoff: int) -> FloatArray:
    """Precision times recall after k results: average precision if their order were unknown.

    P@k R@k. Undefined without relevant documents.
    """
    found = r.found_by(rel, cutoff)
    return r.ratio(found, cutoff) * r.ratio(found, r.relevant(rel))


@measure(
    "RelativeUAP",
    Law.NOTHING_IS_ZERO,
    reference=TREC_EVAL_8,
    aliases=("relative_unranked_avg_prec{cutoff}",),
)
def relative_unranked_average_precision(r: Rankings, *, rel: float = 1, cutoff: int) -> FloatArray:
    """The square of relative precision after k results.

    (rel(k) / min(k, R))^2. Undefined without relevant documents.

    Beware: for a ranking shorter than k it is P@k^2, as trec_eval 8 has it, so results that are
    not relevant can raise it.
    """
    best = np.minimum(cutoff, r.relevant(rel))
    value = r.ratio(r.found_by(rel, cutoff), np.where(cutoff > r.retrieved, cutoff, best))
    return only_judged(r, rel, value * value)


@measure(
    "SetRelativeUAP",
    Law.ORDER_FREE,
    Law.NOTHING_IS_ZERO,
    reference=TREC_EVAL_8,
    aliases=("exact_relative_unranked_avg_prec",),
)
def set_relative_unranked_average_precision(r: Rankings, *, rel: float = 1) -> FloatArray:
    """The square of the retrieved set's precision.

    (ok / n)^2; 0 if nothing was retrieved.

    Beware: in spite of its old name it is not relative to anything.
    """
    value = set_precision(r, rel=rel)
    return value * value


# Recall against results that are not relevant --------------------------------------------------


def _nonrel_ranks(r: Rankings, rel: float) -> IntArray:
    """The ranks of the results that are not known to be relevant, padded with 0."""

    def pack() -> IntArray:
        nonrel: BoolArray = r.real() & ~r.hits(rel)
        return packed_ranks(nonrel)

    return r.once(("nonrel_ranks", rel), pack)


def _points() -> dict[int, int]:
    """What the labels of trec_eval stand for: tenths of 142, cut in the label, else rounded up.

    >>> list(_points().items())[:4]
    [(0, 0), (14, 15), (28, 29), (42, 43)]
    """
    return {NONREL * t // 10: -(-NONREL * t // 10) for t in range(11)}


@measure(
    "FalloutRecall",
    *RISE,
    Law.IDEAL_IS_ONE,
    reference=TREC_1,
    aliases=("fallout_recall_{label}",),
)
def fallout_recall(
    r: Rankings,
    *,
    rel: float = 1,
    nonrel: int = NONREL,
    label: int | None = None,
    variant: Variant = "exact",
) -> FloatArray:
    """Recall at the price of so many results that are not relevant.

    Recall just before result number `nonrel` + 1 that is not relevant; final recall if there is
    none. Undefined without relevant documents. `label` is a point as trec_eval calls it: 0, 14,
    28, .. 142 stand for 0, 15, 29, .. 142. With `variant=tool` all points up to one that is
    reached exactly at the end are 0.
    """
    limit = nonrel if label is None else _points().get(label, label)
    ranks = _nonrel_ranks(r, rel)
    wrong = r.retrieved - r.found_by(rel, None)
    before = np.where(wrong > limit, r.at(ranks, limit + 1) - 1, r.retrieved)
    found = r.found_by(rel, before)
    if variant == "tool":
        ends = [point for point in _points().values() if point >= limit]
        found = np.where(np.isin(wrong, ends), 0, found)
    return r.ratio(found, r.relevant(rel))


@measure(
    "AvgFalloutRecall",
    *RISE,
    Law.IDEAL_IS_ONE,
    reference=TREC_1,
    aliases=("rcl_at_{nonrel}_nonrel",),
)
def average_fallout_recall(
    r: Rankings, *, rel: float = 1, nonrel: int = NONREL, variant: Variant = "exact"
) -> FloatArray:
    """Recall averaged over the first results that are not relevant.

    The mean over m = 1 .. `nonrel` of the recall just before result number m that is not relevant;
    final recall where there is none. Undefined without relevant documents. With `variant=tool`
    the last of them adds nothing where that many were retrieved.
    """
    ranks = _nonrel_ranks(r, rel)[:, : nonrel - (variant == "tool")]
    known, found = r.relevant(rel), r.found_by(rel, None)
    hits = np.where(ranks > 0, ranks - np.arange(1, ranks.shape[-1] + 1), 0)
    sums = r.total(r.ratio(hits, known[:, None], undefined=0))
    left = np.maximum(nonrel - (r.retrieved - found), 0).astype(r.real_type)
    sums = sums + left * r.ratio(found, known, undefined=0)
    return only_judged(r, rel, r.ratio(sums, nonrel))


# One number per run ----------------------------------------------------------------------------


@measure(
    "RankFirstRel",
    reference=TREC_EVAL_8,
    bounds=(0.0, inf),
    aliases=("rank_first_rel",),
    less_is_better=True,
)
def rank_of_first_relevant(r: Rankings, *, rel: float = 1) -> FloatArray:
    """The rank of the first relevant result.

    Undefined if nothing relevant was retrieved; trec_eval 8 has 0 there.

    Beware: a mean leaves out the topics that found nothing. RR does not.
    """
    rank = r.at(r.hit_ranks(rel), 1)
    return r.ratio(rank, rank > 0)


def _results(r: Rankings, *, rel: float = 1) -> FloatArray:  # noqa: ARG001
    """How many documents were retrieved, relevant or not."""
    return retrieved(r)


@measure(
    "MicroP",
    Law.ORDER_FREE,
    Law.NOTHING_IS_ZERO,
    reference=TREC_EVAL_8,
    aliases=("micro_prec",),
    aggregate="pooled",
    parts=(relevant_retrieved, _results),
)
def micro_precision(r: Rankings, *, rel: float = 1) -> FloatArray:
    """The share of all results, whatever their topic, that is relevant.

    Per topic ok / n, as SetP; over topics the sum of ok divided by the sum of n.
    """
    return set_precision(r, rel=rel)


@measure(
    "MicroR",
    Law.ORDER_FREE,
    Law.NOTHING_IS_ZERO,
    Law.IDEAL_IS_ONE,
    reference=TREC_EVAL_8,
    aliases=("micro_recall",),
    aggregate="pooled",
    parts=(relevant_retrieved, relevant_count),
)
def micro_recall(r: Rankings, *, rel: float = 1) -> FloatArray:
    """The share of all relevant documents, whatever their topic, that was retrieved.

    Per topic ok / R, as SetR; over topics the sum of ok divided by the sum of R. Undefined without
    relevant documents.
    """
    return set_recall(r, rel=rel)
