"""Measures of the ranks of relevant results: precision, recall, average precision and others.

Relevance is binary here: a result is relevant if its grade is at least `rel`.
"""

from math import inf, log

import numpy as np

from spanwise.measures.gains import log2_of_whole
from spanwise.measures.incomplete import condensed
from spanwise.measures.registry import TREC_EVAL, measure
from spanwise.model.arrays import FloatArray, IntArray
from spanwise.model.measure import Law
from spanwise.model.rankings import Rankings

FAMILY = "Where the relevant results stand"

BUCKLEY_VOORHEES = "Buckley and Voorhees: Retrieval System Evaluation. In: TREC, MIT Press, 2005"
TIES = "McSherry and Najork: Computing IR Performance Measures in the Presence of Tied Scores, 2008"
RISE = (Law.NOTHING_IS_ZERO, Law.SWAP_UP, Law.ADD_BELOW)


def _expected_found(r: Rankings, rel: float, cutoff: int | IntArray) -> FloatArray:
    """Return the expected number of relevant results in the first ranks, over orders of ties."""
    return r.at(np.cumsum(r.expected(r.hits(rel)), axis=-1), cutoff)


def _expected_precision(r: Rankings, *, rel: float = 1, cutoff: int) -> FloatArray:
    return _expected_found(r, rel, cutoff) / cutoff


@measure(
    "P",
    *RISE,
    Law.BLIND_BELOW_CUTOFF,
    reference=BUCKLEY_VOORHEES,
    aliases=("P_{cutoff}", "P{cutoff}", "P_avgjg_{cutoff}", "Precision"),
    expected=_expected_precision,
    of=condensed,
    explains="binary",
)
def precision(r: Rankings, *, rel: float = 1, cutoff: int) -> FloatArray:
    """The share of the first k results that is relevant.

    P@k = rel(k) / k, where rel(k) counts the relevant results among the first k. The divisor is k
    even if the ranking is shorter.

    Beware: it does not average well over topics, because a topic with fewer than k relevant
    documents cannot reach 1.
    """
    return r.ratio(r.found_by(rel, cutoff), cutoff)


def _expected_recall(r: Rankings, *, rel: float = 1, cutoff: int) -> FloatArray:
    return r.ratio(_expected_found(r, rel, cutoff), r.relevant(rel))


@measure(
    "R",
    *RISE,
    Law.BLIND_BELOW_CUTOFF,
    reference=BUCKLEY_VOORHEES,
    aliases=("recall_{cutoff}", "recall{cutoff}", "Recall"),
    expected=_expected_recall,
    of=condensed,
    explains="binary",
)
def recall(r: Rankings, *, rel: float = 1, cutoff: int) -> FloatArray:
    """The share of all relevant documents that the first k results hold.

    R@k = rel(k) / R, where R counts the relevant documents of the judgements. Undefined without
    relevant documents.
    """
    return r.ratio(r.found_by(rel, cutoff), r.relevant(rel))


def _expected_average_precision(
    r: Rankings, *, rel: float = 1, cutoff: int | None = None
) -> FloatArray:
    first, last = r.tied()
    chance = r.expected(r.hits(rel))
    size = last - first + 1
    relevant_in_group = chance * size
    before = np.cumsum(chance, axis=-1) - chance * (np.arange(r.depth) - first + 1)
    # Two ranks of one group are both relevant with probability m (m - 1) / (n (n - 1)).
    also = (relevant_in_group - 1) / np.maximum(size - 1, 1)
    above_in_group = (np.arange(r.depth) - first) * also
    terms = chance * (1 + before + above_in_group) / r.ranks
    return r.ratio(r.total(terms[:, :cutoff]), r.relevant(rel))


@measure(
    "AP",
    *RISE,
    Law.IDEAL_IS_ONE,
    Law.BLIND_BELOW_CUTOFF,
    reference=BUCKLEY_VOORHEES + "; expectation over ties: " + TIES,
    aliases=("map", "map_cut_{cutoff}", "map_avgjg", "MAP"),
    expected=_expected_average_precision,
    of=condensed,
    explains="binary",
)
def average_precision(r: Rankings, *, rel: float = 1, cutoff: int | None = None) -> FloatArray:
    """How early the relevant documents come, with equal weight for each of them.

    AP = (1/R) times the sum of P@i over the ranks i of relevant results; relevant documents that
    were not retrieved add 0. With a cut-off only ranks up to k are summed, still over R. Undefined
    without relevant documents.

    Beware: with a cut-off below R even a perfect ranking stays below 1.
    """
    terms = r.hit_precisions(rel)
    if cutoff is not None:
        terms = np.where(r.hit_ranks(rel) <= cutoff, terms, 0)
    return r.ratio(r.total(terms), r.relevant(rel))


@measure(
    "GMAP",
    reference="Robertson: On GMAP and other transformations. CIKM 2006",
    aliases=("gm_map", "gm_ap"),
    aggregate="geometric",
    expected=_expected_average_precision,
)
def geometric_map(r: Rankings, *, rel: float = 1) -> FloatArray:
    """Average precision whose mean rewards improving the worst topics.

    Per topic the same as AP; over topics exp of the mean of ln max(AP, 0.00001). Undefined without
    relevant documents.

    Beware: topics at 0 dominate, through the floor of 0.00001.
    """
    return average_precision(r, rel=rel)


def _first_relevant_chances(r: Rankings, rel: float) -> FloatArray:
    """Return the probability of each rank to be that of the first relevant result."""
    first, last = r.tied()
    chance = r.expected(r.hits(rel))
    left_in_group = last - np.arange(r.depth) + 1
    hazard = chance * (last - first + 1) / left_in_group
    none_yet = np.cumprod(1 - np.minimum(hazard, 1), axis=-1)
    before = np.concatenate([np.ones((len(r), 1)), none_yet[:, :-1]], axis=-1)[:, : r.depth]
    return before * np.minimum(hazard, 1)


def _expected_reciprocal_rank(
    r: Rankings, *, rel: float = 1, cutoff: int | None = None
) -> FloatArray:
    return r.total((_first_relevant_chances(r, rel) / r.ranks)[:, :cutoff])


@measure(
    "RR",
    *RISE,
    Law.IDEAL_IS_ONE,
    Law.BLIND_BELOW_CUTOFF,
    reference="Voorhees: The TREC-8 Question Answering Track Report, 1999",
    aliases=("recip_rank", "MRR"),
    expected=_expected_reciprocal_rank,
    of=condensed,
    explains="binary",
)
def reciprocal_rank(r: Rankings, *, rel: float = 1, cutoff: int | None = None) -> FloatArray:
    """How early the first relevant result comes.

    RR = 1 / rank of the first relevant result, 0 if there is none (within the cut-off).

    Beware: it depends on one result only.
    """
    ranks = r.at(r.hit_ranks(rel), 1)
    if cutoff is not None:
        ranks = np.where(ranks <= cutoff, ranks, 0)
    return r.ratio(ranks > 0, ranks, undefined=0)


def _expected_success(r: Rankings, *, rel: float = 1, cutoff: int) -> FloatArray:
    return r.total(_first_relevant_chances(r, rel)[:, :cutoff])


@measure(
    "Success",
    *RISE,
    Law.IDEAL_IS_ONE,
    Law.BLIND_BELOW_CUTOFF,
    reference=TREC_EVAL,
    aliases=("success_{cutoff}", "hit_rate", "hits"),
    expected=_expected_success,
    of=condensed,
)
def success(r: Rankings, *, rel: float = 1, cutoff: int) -> FloatArray:
    """Whether any of the first k results is relevant.

    Success@k = 1 if rel(k) > 0, else 0.
    """
    return np.asarray(r.found_by(rel, cutoff) > 0, r.real_type)


def _expected_r_precision(r: Rankings, *, rel: float = 1) -> FloatArray:
    return r.ratio(_expected_found(r, rel, r.relevant(rel)), r.relevant(rel))


@measure(
    "Rprec",
    *RISE,
    Law.IDEAL_IS_ONE,
    reference=BUCKLEY_VOORHEES,
    aliases=("R-prec", "RPrec"),
    expected=_expected_r_precision,
    of=condensed,
)
def r_precision(r: Rankings, *, rel: float = 1) -> FloatArray:
    """Precision after as many results as there are relevant documents.

    Rprec = rel(R) / R. Undefined without relevant documents.
    """
    relevant = r.relevant(rel)
    return r.ratio(r.found_by(rel, relevant), relevant)


@measure(
    "RprecMult",
    *RISE,
    reference=TREC_EVAL,
    aliases=("Rprec_mult_{multiple}", "Rprec_mult_avgjg_{multiple}", "{multiple}R-prec"),
)
def r_based_precision(r: Rankings, *, rel: float = 1, multiple: float = 1) -> FloatArray:
    """Precision after a multiple of R results, R being the number of relevant documents.

    rel(k) / k with k = trunc(multiple R + 0.9), which is the ceiling for multiples with one
    decimal; 0 if k is 0.
    """
    cutoff = np.trunc(multiple * r.relevant(rel) + 0.9).astype(np.int64)
    return r.ratio(r.found_by(rel, cutoff), cutoff, undefined=0)


@measure(
    "RelativeP",
    *RISE,
    Law.IDEAL_IS_ONE,
    Law.BLIND_BELOW_CUTOFF,
    reference=TREC_EVAL,
    aliases=("relative_P_{cutoff}", "relative_prec{cutoff}"),
)
def relative_precision(r: Rankings, *, rel: float = 1, cutoff: int) -> FloatArray:
    """Precision after k results, relative to the best possible precision there.

    rel(k) / min(k, R). Undefined without relevant documents.
    """
    return r.ratio(r.found_by(rel, cutoff), np.minimum(cutoff, r.relevant(rel)))


def needed(recall: float, relevant: IntArray, rule: str) -> IntArray:
    """Return the number of relevant results that reach a recall level.

    >>> needed(0.7, np.array([3, 45]), "ceiling").tolist()
    [3, 32]
    >>> needed(0.7, np.array([3, 45]), "nearest").tolist()
    [2, 31]
    """
    product = recall * relevant
    if rule == "truncated":
        return np.trunc(product + 0.9).astype(np.int64)
    if rule == "nearest":  # halves away from zero; 0.7 times 45 is just below 31.5
        whole = np.trunc(product)
        return (whole + np.trunc(2 * (product - whole))).astype(np.int64)
    return np.ceil(product - 1e-12 * np.maximum(1, np.abs(product))).astype(np.int64)


def _best_to_come(r: Rankings, rel: float) -> FloatArray:
    """Return the best precision from each relevant result on."""
    return np.maximum.accumulate(r.hit_precisions(rel)[:, ::-1], axis=-1)[:, ::-1]


def _best_anywhere(r: Rankings, best: FloatArray) -> FloatArray:
    return np.where(r.retrieved > 0, r.at(best, 1), r.policy.conventions.no_results)


def _best_from(r: Rankings, rel: float, nth: IntArray) -> FloatArray:
    """Return the best precision from the n-th relevant result on; anywhere if n < 1; else 0."""
    best = r.once(("best_precisions", rel), lambda: _best_to_come(r, rel))
    anywhere = r.once(("best_anywhere", rel), lambda: _best_anywhere(r, best))
    reached = np.where(nth <= r.found_by(rel, None), r.at(best, nth), 0)
    return np.where(nth < 1, anywhere, reached).astype(r.real_type)


@measure(
    "IPrec",
    *RISE,
    Law.IDEAL_IS_ONE,
    reference=BUCKLEY_VOORHEES,
    aliases=("iprec_at_recall_{recall}", "ircl_prn.{recall}"),
    of=condensed,
)
def interpolated_precision(r: Rankings, *, rel: float = 1, recall: float) -> FloatArray:
    """The best precision at any rank where at least a given share of the relevant was found.

    IPrec = the maximum of P@j over the ranks j from the m-th relevant result on, m = ceil(recall
    R); 0 if fewer than m were retrieved. For recall 0 it is the best precision anywhere. trec_eval
    10 takes recall R rounded to the nearest as m, trec_eval 9 trunc(recall R + 0.9): see the policy
    `follow`.
    """
    rule = r.policy.conventions.recall_level
    return _best_from(r, rel, needed(recall, r.relevant(rel), rule))


ELEVEN = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


@measure(
    "IPrecAvg",
    *RISE,
    Law.IDEAL_IS_ONE,
    reference=BUCKLEY_VOORHEES,
    aliases=("11pt_avg", "11pt_avg_{recalls}", "11-pt_avg"),
)
def average_interpolated_precision(
    r: Rankings, *, rel: float = 1, recalls: tuple[float, ...] = ELEVEN
) -> FloatArray:
    """Interpolated precision averaged over recall levels, by default 0.0, 0.1, ..., 1.0.

    The mean of IPrec over the levels.

    Beware: levels should rise. If they do not, the result is that of trec_eval: read from the
    right, a level that asks for more relevant results than the one before it, and all levels to its
    left, give the best precision anywhere.
    """
    rule = r.policy.conventions.recall_level
    best = _best_from(r, rel, np.zeros(len(r), np.int64))
    counter = r.found_by(rel, None)
    begun = np.zeros(len(r), bool)
    broken = np.zeros(len(r), bool)
    terms = []
    for recall in reversed(recalls):
        nth = needed(recall, r.relevant(rel), rule)
        begun |= nth <= counter
        broken |= begun & ((nth < 1) | (nth > counter))
        value = np.where(broken, best, _best_from(r, rel, nth))
        terms.append(np.where(begun, value, 0))
        counter = np.where(begun & ~broken, nth, counter)
    sums = r.total_from_top(np.stack(terms, axis=-1))
    return r.ratio(sums, len(recalls))


@measure(
    "YAAP",
    Law.SWAP_UP,
    Law.ADD_BELOW,
    reference="Robertson: yet another average precision, in " + TREC_EVAL,
    bounds=(-inf, inf),
    aliases=("yaap",),
)
def yet_another_average_precision(r: Rankings, *, rel: float = 1) -> FloatArray:
    """Average precision on a scale of log odds, which averages better over topics.

    ln((1 + S) / (1 + R - S)), S being the sum of P@i over the ranks i of relevant results.
    """
    sums = r.total_from_top(r.hit_precisions(rel))
    odds = (1 + sums) / (1 + r.relevant(rel) - sums)
    return np.array([log(value) for value in odds.tolist()])


@measure("binG", *RISE, Law.IDEAL_IS_ONE, reference=TREC_EVAL, aliases=("bin_G",))
def binary_g(r: Rankings, *, rel: float = 1) -> FloatArray:
    """How few irrelevant results are ranked above the relevant ones.

    (1/R) times the sum over relevant results of 1 / log2(2 + results above it that are not
    relevant). Undefined without relevant documents.
    """
    ranks = r.hit_ranks(rel)
    above = ranks - np.arange(1, ranks.shape[-1] + 1)
    logs = log2_of_whole(r.depth + 2)[2 + np.maximum(above, 0)]
    terms = np.where(ranks > 0, 1 / logs, 0)
    return r.ratio(r.total(terms), r.relevant(rel))
