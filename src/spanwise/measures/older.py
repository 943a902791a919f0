"""Measures of the first TREC conferences that trec_eval dropped after version 8.

They are kept for old results. Each follows the formula in 64 bits, or gives the rounded value of
the older program if the policy follows that program. The second part has the variants of Bpref that
were tried around 2004, and the counts behind them.
"""

from math import inf
from typing import Literal

import numpy as np

from spanwise.measures.incomplete import BPREF, above_hits
from spanwise.measures.ranks import ELEVEN, RISE, average_precision, interpolated_precision
from spanwise.measures.registry import TREC_EVAL_8, measure
from spanwise.measures.sets import relevant as relevant_count
from spanwise.measures.sets import relevant_retrieved, retrieved, set_precision, set_recall
from spanwise.model.arrays import BoolArray, FloatArray, IntArray
from spanwise.model.measure import Law
from spanwise.model.rankings import Rankings, packed_ranks

FAMILY = "TrecEval II and trec_eval 8"

TREC_1 = "Harman: Overview of the First Text REtrieval Conference, 1992; " + TREC_EVAL_8
NONREL = 142
"""Number of irrelevant results for a topic of TREC 1 beyond which readers were expected to stop."""
Variant = Literal["exact", "tool"]
"""The intended definition, or the one with the errors of trec_eval up to 8.1."""


def only_judged(r: Rankings, rel: float, values: FloatArray) -> FloatArray:
    """Return the values, undefined for topics without relevant documents."""
    undefined = r.policy.conventions.no_divisor
    return np.where(r.relevant(rel) > 0, values, undefined).astype(r.real_type)


def precisions(r: Rankings, rel: float) -> FloatArray:
    """Return precision after every rank, and after ranks of padding."""
    return r.once(("precisions", rel), lambda: r.ratio(r.found(rel), r.ranks))


def interpolated(r: Rankings, rel: float) -> FloatArray:
    """Return the best precision at every rank or further down."""

    def best() -> FloatArray:
        return np.maximum.accumulate(precisions(r, rel)[:, ::-1], axis=-1)[:, ::-1]

    return r.once(("interpolated", rel), best)


# Precision over the first R results ---------------------------------------------------------------


def _over_first_r(r: Rankings, rel: float, column: FloatArray) -> FloatArray:
    """Sum a column over ranks below R, extended for short rankings, and divide by R."""
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

    (1/R) times the sum of P@k over k = 1 .. min(n, R - 1), plus, if n < R, the sum of ok / i over i
    = n .. R - 1; n results hold ok relevant ones. Undefined without relevant documents.

    Beware: the sum has R - 1 terms and is divided by R, so a perfect ranking stays below 1; a
    ranking shorter than R has its last rank counted twice. It was always printed this way.
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

    As AvgPFirstR, with the best precision at rank k or further down instead of P@k. Undefined
    without relevant documents.
    """
    return _over_first_r(r, rel, interpolated(r, rel))


@measure("IntAP", *RISE, Law.IDEAL_IS_ONE, reference=TREC_EVAL_8, aliases=("int_map",))
def interpolated_average_precision(r: Rankings, *, rel: float = 1) -> FloatArray:
    """Average precision in which precision further down makes up for a bad start.

    (1/R) times the sum over the ranks i of relevant results of the best precision at i or further
    down. Undefined without relevant documents.
    """
    best = np.maximum.accumulate(r.hit_precisions(rel)[:, ::-1], axis=-1)[:, ::-1]
    return r.ratio(r.total(best), r.relevant(rel))


def _interpolated_at(r: Rankings, rel: float, cutoff: IntArray) -> FloatArray:
    """Return the best precision from rank k on; after the end ok / k; 0 for k = 0."""
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

    max of P@j over j >= k, k = trunc(multiple R + 0.9), which is the ceiling for multiples with one
    decimal; ok / k if fewer than k were retrieved; 0 if k is 0.
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


# Relative and unranked precision ------------------------------------------------------------------


@measure(
    "AvgRelativeP",
    Law.NOTHING_IS_ZERO,
    Law.IDEAL_IS_ONE,
    Law.SWAP_UP,
    reference=TREC_EVAL_8,
    aliases=("avg_relative_prec",),
)
def average_relative_precision(r: Rankings, *, rel: float = 1) -> FloatArray:
    """Precision relative to the best possible precision, averaged over all ranks.

    The mean over k = 1 .. n of rel(k) / min(k, R); 0 if nothing was retrieved. Undefined without
    relevant documents.
    """
    best = np.minimum(r.ranks, r.relevant(rel)[:, None])
    terms = np.where(r.real(), r.ratio(r.found(rel), best, undefined=0), 0)
    return only_judged(r, rel, r.ratio(r.total(terms), r.retrieved, undefined=0))


def sum_of_precisions(r: Rankings, *, rel: float = 1) -> FloatArray:
    """Return the sum of P@i over the ranks i of relevant results."""
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
    """Average precision with equal weight for every relevant document instead of every topic.

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

    UAP@k = P@k R@k. Undefined without relevant documents.
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

    Beware: for a ranking shorter than k it is P@k^2, as in trec_eval 8, so results that are not
    relevant can raise it.
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


# Fallout ------------------------------------------------------------------------------------------


def _nonrel_ranks(r: Rankings, rel: float) -> IntArray:
    """Return the ranks of the results that are not known to be relevant, padded with 0."""

    def pack() -> IntArray:
        nonrel: BoolArray = r.real() & ~r.hits(rel)
        return packed_ranks(nonrel)

    return r.once(("nonrel_ranks", rel), pack)


def _points() -> dict[int, int]:
    """Return the points of trec_eval's labels: tenths of 142, truncated in labels, else rounded up.

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
    """Recall after a given number of results that are not relevant.

    Recall just before irrelevant result number `nonrel` + 1; final recall if there is none.
    Undefined without relevant documents. `label` is a point as trec_eval names it: 0, 14, 28, ..
    142 mean 0, 15, 29, .. 142. With `variant=tool` all points up to one that is reached exactly at
    the end are 0.
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

    The mean over m = 1 .. `nonrel` of the recall just before irrelevant result number m; final
    recall if there is none. Undefined without relevant documents. With `variant=tool` the last of
    them adds nothing if that many were retrieved.
    """
    ranks = _nonrel_ranks(r, rel)[:, : nonrel - (variant == "tool")]
    known, found = r.relevant(rel), r.found_by(rel, None)
    hits = np.where(ranks > 0, ranks - np.arange(1, ranks.shape[-1] + 1), 0)
    sums = r.total(r.ratio(hits, known[:, None], undefined=0))
    left = np.maximum(nonrel - (r.retrieved - found), 0).astype(r.real_type)
    sums = sums + left * r.ratio(found, known, undefined=0)
    return only_judged(r, rel, r.ratio(sums, nonrel))


# Totals over topics -------------------------------------------------------------------------------


@measure(
    "RankFirstRel",
    reference=TREC_EVAL_8,
    bounds=(0.0, inf),
    aliases=("rank_first_rel",),
    less_is_better=True,
)
def rank_of_first_relevant(r: Rankings, *, rel: float = 1) -> FloatArray:
    """The rank of the first relevant result.

    Undefined if nothing relevant was retrieved; trec_eval 8 gives 0.

    Beware: the mean leaves out topics for which nothing was found. That of RR does not.
    """
    rank = r.at(r.hit_ranks(rel), 1)
    return r.ratio(rank, rank > 0)


def _results(r: Rankings, *, rel: float = 1) -> FloatArray:  # noqa: ARG001
    """Return the number of retrieved documents, relevant or not."""
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
    """The share of the results of all topics together that is relevant.

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
    """The share of the relevant documents of all topics together that was retrieved.

    Per topic ok / R, as SetR; over topics the sum of ok divided by the sum of R. Undefined without
    relevant documents.
    """
    return set_recall(r, rel=rel)


# Variants of Bpref --------------------------------------------------------------------------------
#
# All of them count, for each relevant result, the judged irrelevant results above it. b counts
# those above one relevant result, B the judged irrelevant documents of the topic, b_ret the
# retrieved ones among them, R the relevant documents.

VARIANTS = "Variants of bpref (trec_eval 8)"
REFERENCE = BPREF + "; trec_eval 8.1, NIST, 2006"
COUNT = (0.0, inf)
BprefVariant = Literal[
    "allnonrel",
    "retnonrel",
    "topnonrel",
    "top5Rnonrel",
    "top10Rnonrel",
    "top10pRnonrel",
    "top25pRnonrel",
    "top50pRnonrel",
    "top25p2Rnonrel",
    "retall",
]
CAPS: dict[str, tuple[int, int]] = {
    "topnonrel": (100, 0),
    "top5Rnonrel": (0, 5),
    "top10Rnonrel": (0, 10),
    "top10pRnonrel": (10, 1),
    "top25pRnonrel": (25, 1),
    "top50pRnonrel": (50, 1),
    "top25p2Rnonrel": (25, 2),
}
"""The bound of each variant that bounds b and B: a number, and how many times R is added."""


def _above(r: Rankings, rel: float) -> IntArray:
    """Return b for the first relevant result, the second, and so on."""
    return above_hits(r, r.misses(rel), rel)


def _real(r: Rankings, rel: float) -> BoolArray:
    """Return which entries of the columns per relevant result are not padding."""
    return r.hit_ranks(rel) > 0


def _missed(r: Rankings, rel: float) -> IntArray:
    """Return b_ret: the number of retrieved results that were judged not relevant."""
    return np.count_nonzero(r.misses(rel), axis=-1)


def _shares(r: Rankings, rel: float, above: IntArray, whole: IntArray) -> FloatArray:
    """Return 1 - above / whole for each relevant result, 1 if nothing is above, 0 for padding."""
    shares = 1 - r.ratio(above, whole[:, None], undefined=0).astype(np.float64)
    return np.where(_real(r, rel), np.where(above > 0, shares, 1.0), 0)


def _capped(r: Rankings, rel: float, whole: IntArray, cap: IntArray) -> FloatArray:
    """Return the shares with counts bounded by `cap`."""
    return _shares(r, rel, np.minimum(_above(r, rel), cap[:, None]), np.minimum(whole, cap))


def _multiple(r: Rankings, rel: float, times: int) -> FloatArray:
    """Return the shares for 5R and 10R: b is bounded by 5R, and there is no exception for b = 0."""
    known = r.relevant(rel)
    above = np.minimum(_above(r, rel), 5 * known[:, None])
    worst = np.minimum(r.nonrelevant(rel), times * known)[:, None]
    shares = 1 - r.ratio(above, worst, undefined=np.nan).astype(np.float64)
    return np.where(_real(r, rel), shares, 0)


@measure(
    "BprefVariant",
    Law.NOTHING_IS_ZERO,
    reference=REFERENCE,
    aliases=("bpref_{variant}",),
    heading=VARIANTS,
    sampled=False,
)
def bpref_variant(
    r: Rankings, *, rel: float = 1, variant: BprefVariant = "allnonrel"
) -> FloatArray:
    """How rarely a judged irrelevant result is ranked above a relevant one, counted in another way.

    (1/R) times the sum over relevant results of 1 - x, x being 0 if b is 0, else

    - allnonrel: b / B; retnonrel: b / b_ret; retall: the same, divided by the relevant results
      that were retrieved instead of R;
    - topnonrel: min(b, c) / min(B, c) with c = 100; top10pRnonrel, top25pRnonrel, top50pRnonrel:
      c = 10 + R, 25 + R, 50 + R; top25p2Rnonrel: c = 25 + 2R;
    - top5Rnonrel, top10Rnonrel: min(b, 5R) / min(B, 5R) and min(b, 5R) / min(B, 10R), undefined if
      anything relevant was retrieved and B is 0.

    b counts the judged irrelevant results above the relevant one, B the judged irrelevant
    documents, and b_ret the retrieved ones among them. Undefined without relevant documents
    (retall: 0 without relevant results).
    """
    known = r.relevant(rel)
    if variant in ("retnonrel", "retall"):
        shares = _shares(r, rel, _above(r, rel), _missed(r, rel))
    elif variant == "allnonrel":
        shares = _shares(r, rel, _above(r, rel), r.nonrelevant(rel))
    else:
        number, times = CAPS[variant]
        if number:
            shares = _capped(r, rel, r.nonrelevant(rel), number + times * known)
        else:
            shares = _multiple(r, rel, times)
    if variant == "retall":
        return r.ratio(r.total_from_top(shares), r.found_by(rel, None), undefined=0)
    return r.ratio(r.total_from_top(shares), known)


@measure(
    "OldBpref",
    Law.NOTHING_IS_ZERO,
    reference=REFERENCE,
    aliases=("old_bpref", "old_bpref_top{margin}pRnonrel"),
    heading=VARIANTS,
    sampled=False,
)
def old_bpref(r: Rankings, *, rel: float = 1, margin: int = 0) -> FloatArray:
    """Bpref as it was before trec_eval 8: relative to retrieved documents, not to judged ones.

    (1/R) times the sum over relevant results of 1 - min(b, c) / min(b_ret, c), c = R + margin; the
    term is 1 if b is 0. Undefined without relevant documents.

    Beware: it rewards retrieving irrelevant documents at the end of the ranking.
    """
    known = r.relevant(rel)
    shares = _capped(r, rel, _missed(r, rel), known + margin)
    return r.ratio(r.total_from_top(shares), known)


@measure(
    "BprefFirst",
    Law.NOTHING_IS_ZERO,
    reference=REFERENCE,
    aliases=("bpref_{first}",),
    heading=VARIANTS,
    sampled=False,
)
def bpref_of_first(r: Rankings, *, rel: float = 1, first: int = 10) -> FloatArray:
    """Bpref of only the first k relevant results and the first k irrelevant ones.

    The sum over the first k relevant results with b < k of 1 - b / min(B, k) (1 if b is 0), divided
    by k, or by the number of relevant results if that is less. 0 if nothing relevant was retrieved.
    """
    above = _above(r, rel)
    worst = np.minimum(r.nonrelevant(rel), first)
    shares = np.where(above < first, _shares(r, rel, above, worst), 0)[:, :first]
    return r.ratio(r.total_from_top(shares), np.minimum(r.found_by(rel, None), first), undefined=0)


# Counts of pairs ----------------------------------------------------------------------------------


def _counted(r: Rankings, rel: float, pairs: IntArray) -> FloatArray:
    """Return the sum over relevant results of numbers of pairs."""
    return np.where(_real(r, rel), pairs, 0).sum(axis=-1).astype(np.float64)


@measure(
    "BprefNumAll",
    Law.NOTHING_IS_ZERO,
    reference=REFERENCE,
    bounds=COUNT,
    aliases=("bpref_num_all",),
    heading=VARIANTS,
    sampled=False,
)
def correct_pairs_of_all(r: Rankings, *, rel: float = 1) -> FloatArray:
    """The total number of judged irrelevant documents ranked below each relevant result.

    The sum over relevant results of B - b; documents that were not retrieved count as below.
    """
    return _counted(r, rel, r.nonrelevant(rel)[:, None] - _above(r, rel))


@measure(
    "BprefNumRet",
    Law.NOTHING_IS_ZERO,
    reference=REFERENCE,
    bounds=COUNT,
    aliases=("bpref_num_ret",),
    heading=VARIANTS,
    sampled=False,
)
def correct_pairs_of_retrieved(r: Rankings, *, rel: float = 1) -> FloatArray:
    """The total number of judged irrelevant results ranked below each relevant result.

    The sum over relevant results of b_ret - b.
    """
    return _counted(r, rel, _missed(r, rel)[:, None] - _above(r, rel))


@measure(
    "BprefNumCorrect",
    Law.NOTHING_IS_ZERO,
    reference=REFERENCE,
    bounds=COUNT,
    aliases=("bpref_num_correct",),
    aggregate="sum",
    heading=VARIANTS,
)
def correct_pairs(r: Rankings, *, rel: float = 1) -> FloatArray:
    """The number of the pairs considered by Bpref that are in the right order.

    The sum over relevant results with b > 0 of min(B, R) - min(b, R).

    Beware: relevant results with nothing irrelevant above them are left out, as in trec_eval 8.
    """
    known, above = r.relevant(rel), _above(r, rel)
    worst = np.minimum(r.nonrelevant(rel), known)[:, None]
    right = worst - np.minimum(above, known[:, None])
    return _counted(r, rel, np.where(above > 0, right, 0))


@measure(
    "BprefNumPossible",
    Law.ORDER_FREE,
    reference=REFERENCE,
    bounds=COUNT,
    aliases=("bpref_num_possible",),
    aggregate="sum",
    heading=VARIANTS,
)
def possible_pairs(r: Rankings, *, rel: float = 1) -> FloatArray:
    """The number of pairs considered by Bpref.

    R min(B, R).
    """
    known = r.relevant(rel)
    return (known * np.minimum(r.nonrelevant(rel), known)).astype(np.float64)


@measure(
    "MicroBpref",
    reference=REFERENCE,
    aliases=("micro_bpref",),
    aggregate="pooled",
    parts=(correct_pairs, possible_pairs),
    heading=VARIANTS,
)
def micro_bpref(r: Rankings, *, rel: float = 1) -> FloatArray:
    """The share of the pairs of all topics that are in the right order.

    Per topic BprefNumCorrect / BprefNumPossible; over topics the sum of the one divided by the sum
    of the other. Undefined without pairs.
    """
    return r.ratio(correct_pairs(r, rel=rel), possible_pairs(r, rel=rel))
