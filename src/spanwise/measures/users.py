"""Measures that model a reader: the probability of reading on, and the gain.

The family of Moffat, Bailey, Scholer and Thomas is written in their terms: after rank i a reader
continues with probability C(i), reads rank i with probability V(i) = C(1) ... C(i-1), and the score
is the gain per result read, sum of V(i) g(i) / sum of V(i). As in cwl_eval rankings have 1000
ranks: shorter ones continue with gain 0. Grades become gains between `min_rel` and `max_rel`.
"""

import numpy as np

from spanwise.errors import UsageError
from spanwise.measures.gains import rank_discounts, result_gains, sorted_table
from spanwise.measures.registry import TREC_EVAL, measure
from spanwise.model.arrays import BoolArray, FloatArray
from spanwise.model.measure import Gains, Law
from spanwise.model.rankings import JUDGED, OUTSIDE, Rankings

FAMILY = "Models of a reader"

ERR = "Chapelle, Metzler, Zhang, Grinspan: Expected Reciprocal Rank for Graded Relevance. CIKM 2009"
RBP = (
    "Moffat and Zobel: Rank-Biased Precision for Measurement of Retrieval Effectiveness. TOIS 2008"
)
INST = "Moffat, Bailey, Scholer, Thomas: INST: An Adaptive Metric for IR Evaluation. ADCS 2015"
INSQ = "Moffat, Scholer, Thomas: Models and Metrics: IR Evaluation as a User Process. ADCS 2012"
BPM = "Zhang et al.: Evaluating Web Search with a Bejeweled Player Model. SIGIR 2017"
CWL = "Moffat, Bailey, Scholer, Thomas: Incorporating User Expectations and Behavior. TOIS 2017"
COMPAT = "Clarke, Vtyurina, Smucker: Assessing Top-k Preferences. ACM TOIS 39(3), 2021"
RISE = (Law.NOTHING_IS_ZERO, Law.SWAP_UP, Law.ADD_BELOW)
DEPTH = 1000


# Expected reciprocal rank -------------------------------------------------------------------------


def _cascade(grades: FloatArray, cutoff: int | None) -> FloatArray:
    """Return the terms of ERR: reciprocal ranks, weighted by the probability of stopping there."""
    stops = (np.exp2(grades[:, :cutoff]) - 1) / 16
    goes_on = np.cumprod(1 - stops, axis=-1)
    reads = np.concatenate([np.ones((len(stops), 1)), goes_on[:, :-1]], axis=-1)
    return reads[:, : stops.shape[-1]] * stops / np.arange(1, stops.shape[-1] + 1)


@measure("ERR", *RISE, Law.BLIND_BELOW_CUTOFF, reference=ERR)
def expected_reciprocal_rank(r: Rankings, *, cutoff: int | None = None) -> FloatArray:
    """How early a reader is satisfied who stops at the first good result.

    ERR = the sum over ranks i of (1/i) t(i) times the product of 1 - t(j) over j < i; a result of
    grade g stops the reader with probability t = (2^g - 1) / 16.

    Beware: it was defined for grades 0 to 4; higher ones give probabilities above 1 and are
    refused.
    """
    if r.grade.size and r.grade.max() > 4:
        raise UsageError(f"ERR is defined for grades up to 4; found {r.grade.max():g}")
    return r.total(_cascade(r.grade, cutoff))


@measure("nERR", *RISE, Law.IDEAL_IS_ONE, Law.BLIND_BELOW_CUTOFF, reference=ERR)
def normalised_err(r: Rankings, *, cutoff: int | None = None) -> FloatArray:
    """ERR relative to that of the best ranking possible.

    nERR = ERR@k of the ranking divided by ERR@k of all judged documents ordered by falling grade.
    Undefined if nothing has a positive grade.
    """
    if r.ideal.size and r.ideal.max() > 4:
        raise UsageError(f"nERR is defined for grades up to 4; found {r.ideal.max():g}")
    best = r.total(_cascade(np.maximum(r.ideal, 0), cutoff))
    return r.ratio(expected_reciprocal_rank(r, cutoff=cutoff), best)


# Rank-biased precision ----------------------------------------------------------------------------


def _weights(p: float, depth: int) -> FloatArray:
    """Return 1, p, p^2, ... for a reader who continues with probability p."""
    if not 0 <= p < 1:
        raise UsageError(f"the persistence p is {p:g}; expected a number of at least 0 and below 1")
    return _powers(p, depth)


def _powers(p: float, depth: int) -> FloatArray:
    """Return 1, p, p^2, ... by repeated multiplication; any p is accepted, as in trec_eval."""
    with np.errstate(over="ignore"):
        return np.cumprod(np.concatenate([[1.0], np.full(max(depth - 1, 0), p)]))[:depth]


def _expected_rbp(
    r: Rankings, *, p: float = 0.8, rel: float = 1, cutoff: int | None = None
) -> FloatArray:
    terms = r.expected(r.hits(rel)) * _weights(p, r.depth)
    return (1 - p) * r.total(terms[:, :cutoff])


@measure("RBP", *RISE, Law.BLIND_BELOW_CUTOFF, reference=RBP, expected=_expected_rbp)
def rank_biased_precision(
    r: Rankings, *, p: float = 0.8, rel: float = 1, cutoff: int | None = None
) -> FloatArray:
    """The expected relevance per result of a reader who continues with probability p after each.

    RBP = (1 - p) times the sum of p^(i-1) over the ranks i of relevant results.

    Beware: unjudged results and ranks below the ranking could raise it, by RBPResidual with the
    same p.
    """
    return (1 - p) * r.total((r.hits(rel) * _weights(p, r.depth))[:, :cutoff])


def _residual(r: Rankings, p: float, weights: FloatArray, cutoff: int | None = None) -> FloatArray:
    unknown = np.where(r.real() & (r.status != JUDGED), weights[:-1], 0)
    seen = r.retrieved if cutoff is None else np.minimum(r.retrieved, cutoff)
    return weights[seen] + (1 - p) * r.total(unknown[:, :cutoff])


@measure("RBPResidual", Law.BLIND_BELOW_CUTOFF, reference=RBP, less_is_better=True)
def rbp_residual(r: Rankings, *, p: float = 0.8, cutoff: int | None = None) -> FloatArray:
    """How much RBP could still grow if everything unknown were relevant.

    RBPResidual = p^n, for all ranks below the n retrieved, plus (1 - p) times the sum of p^(i-1)
    over the ranks of unjudged results. With a cut-off everything below it is unknown too.
    """
    return _residual(r, p, _weights(p, r.depth + 1), cutoff)


@measure("rbp_resid", reference=TREC_EVAL, aliases=("rbp_resid_p={p}",), less_is_better=True)
def trec_rbp_residual(r: Rankings, *, p: float = 0.9) -> FloatArray:
    """trec_eval's residual of rank-biased precision.

    As RBPResidual, but 0 if every retrieved result was judged.
    """
    unknown = (r.real() & (r.status != JUDGED)).any(axis=-1)
    return np.where(unknown, _residual(r, p, _powers(p, r.depth + 1)), 0)


@measure("rbp", *RISE, reference=f"{RBP}; {TREC_EVAL}", aliases=("rbp_p={p}", "rbp_{gains}"))
def trec_graded_rbp(r: Rankings, *, p: float = 0.9, gains: Gains = ()) -> FloatArray:
    """trec_eval's rank-biased precision with graded gains.

    (1 - p) times the sum of gain p^(i-1) over all ranks. If a gain of the topic's table is below 0
    or above 1, all become (gain - least) / (largest - least), least and largest including 0.

    Beware: the scale depends on the topic's own largest grade.
    """
    return r.total(_scaled_gains(r, gains) * _powers(p, r.depth)) * (1 - p)


def _scaled_gains(r: Rankings, gains: Gains) -> FloatArray:
    worth = result_gains(r, gains)
    tables = [[e.gain for e in sorted_table(r, topic, gains)] for topic in range(len(r))]
    least = np.array([min([0.0, *table]) for table in tables])[:, None]
    largest = np.array([max([0.0, *table]) for table in tables])[:, None]
    scaled = (worth - least) / np.where(largest > least, largest - least, 1)
    listed = _listed(r, gains) & r.real()
    return np.where((least < 0) | (largest > 1), np.where(listed, scaled, 0), worth)


def _listed(r: Rankings, gains: Gains) -> BoolArray:
    """Return which results have an entry in the table: judged ones, others only if named."""
    keys = {grade for grade, _ in gains}
    outside = (r.status == OUTSIDE) & (-1.0 in keys)
    aside = (r.status < 0) & (-2.0 in keys)
    return (r.status == JUDGED) | outside | aside


# The C/W/L family ---------------------------------------------------------------------------------


def _padded_gains(r: Rankings, min_rel: float, max_rel: float) -> FloatArray:
    """Return gains between 0 and 1 at 1000 ranks."""
    if min_rel >= max_rel:
        raise UsageError(
            f"min_rel is {min_rel:g} and max_rel {max_rel:g}; expected max_rel to be larger"
        )
    depth = min(r.depth, DEPTH)
    scaled = (np.clip(r.grade, min_rel, max_rel) - min_rel) / (max_rel - min_rel)
    gains = np.zeros((len(r), DEPTH))
    gains[:, :depth] = np.where(r.status != OUTSIDE, scaled, 0)[:, :depth]
    return gains


def _ranks_wanted(target: float) -> FloatArray:
    """Return i + 2T for each rank i, the number of ranks in the model before any gain."""
    if target <= 0:
        raise UsageError(f"T is {target:g}; expected a gain above 0")
    return np.arange(1, DEPTH + 1) + 2 * target


def _gain_per_result(gains: FloatArray, goes_on: FloatArray) -> FloatArray:
    reads = np.cumprod(goes_on[:, :-1], axis=-1)
    reads = np.concatenate([np.ones((len(gains), 1)), reads], axis=-1)
    return np.sum(reads * gains, axis=-1) / np.sum(reads, axis=-1)


@measure("INST", *RISE, reference=INST)
def inst(r: Rankings, *, T: float = 1.0, min_rel: float = 0, max_rel: float) -> FloatArray:  # noqa: N803
    """The gain per result of a reader who wants T units of gain and adapts to what was found.

    C(i) = ((i + 2T - G(i) - 1) / (i + 2T - G(i)))^2, G(i) being the gain so far.
    """
    gains = _padded_gains(r, min_rel, max_rel)
    wanted = _ranks_wanted(T) - np.cumsum(gains, axis=-1)
    return _gain_per_result(gains, ((wanted - 1) / wanted) ** 2)


@measure("INSQ", *RISE, reference=INSQ)
def insq(r: Rankings, *, T: float = 1.0, min_rel: float = 0, max_rel: float) -> FloatArray:  # noqa: N803
    """The gain per result of a reader who wants T units of gain and does not adapt.

    C(i) = ((i + 2T - 1) / (i + 2T))^2.
    """
    gains = _padded_gains(r, min_rel, max_rel)
    wanted = np.broadcast_to(_ranks_wanted(T), gains.shape)
    return _gain_per_result(gains, ((wanted - 1) / wanted) ** 2)


@measure("BPM", Law.NOTHING_IS_ZERO, Law.BLIND_BELOW_CUTOFF, reference=BPM)
def bejeweled_player(
    r: Rankings,
    *,
    T: float = 1.0,  # noqa: N803
    min_rel: float = 0,
    max_rel: float,
    cutoff: int,
) -> FloatArray:
    """The gain per result of a reader who stops with T units of gain or after k results.

    C(i) = 1 while G(i) < T and i < k, else 0: the static form of the model.
    """
    gains = _padded_gains(r, min_rel, max_rel)
    so_far = np.cumsum(gains, axis=-1)
    goes_on = (so_far < T) & (np.arange(1, DEPTH + 1) < cutoff)
    return _gain_per_result(gains, goes_on.astype(np.float64))


@measure("SDCG", *RISE, Law.BLIND_BELOW_CUTOFF, reference=CWL)
def scaled_dcg(r: Rankings, *, min_rel: float = 0, max_rel: float, cutoff: int) -> FloatArray:
    """Discounted cumulated gain relative to that of k results of the highest grade.

    SDCG@k = the sum over the first k ranks i of g(i) / log2(i + 1), divided by the sum of 1 /
    log2(i + 1).
    """
    depth = min(cutoff, DEPTH)
    weights = 1 / rank_discounts(depth)
    gains = _padded_gains(r, min_rel, max_rel)[:, :depth]
    return np.sum(gains * weights, axis=-1) / np.sum(weights)


# Agreement with the ideal -------------------------------------------------------------------------


@measure("Compat", Law.NOTHING_IS_ZERO, Law.IDEAL_IS_ONE, reference=COMPAT)
def compatibility(r: Rankings, *, p: float = 0.95, normalize: bool = True) -> FloatArray:
    """How similar the ranking is to an ideal one, with most weight at the top.

    Compat = the rank-biased overlap of the ranking with the ideal ranking (grades above 0, best
    first, equal grades in the order of the ranking, the retrieved ones first), over as many ranks
    as the longer of the two has; divided by the overlap of the ideal ranking with itself unless
    normalize is False. Undefined if nothing has a positive grade.
    """
    size = np.count_nonzero(r.ideal > 0, axis=-1)
    depth = max(r.depth, int(size.max(initial=0)))
    weights = _weights(p, depth)
    ranks = np.arange(1, depth + 1)
    weights = np.where(ranks <= np.maximum(r.retrieved, size)[:, None], weights, 0)
    shared = np.cumsum(_shared_from(r, depth), axis=-1)
    overlap = r.total(weights * shared / ranks)
    own = r.total(weights * np.minimum(ranks, size[:, None]) / ranks)
    scale = own if normalize else np.where(size > 0, r.total(weights), 0)
    return r.ratio(overlap, scale)


def _shared_from(r: Rankings, depth: int) -> FloatArray:
    """Return how many relevant results are in both lists from each rank on, and not before."""
    counts = np.zeros((len(r), depth))
    for topic in range(len(r)):
        grades = r.grade[topic]
        ranks = np.flatnonzero(grades > 0)
        by_grade = ranks[np.argsort(-grades[ranks], kind="stable")]
        values = grades[by_grade]
        better = np.count_nonzero(r.ideal[topic] > values[:, None], axis=-1)
        among_equals = np.arange(len(values)) - np.searchsorted(-values, -values, side="left")
        np.add.at(counts[topic], np.maximum(by_grade, better + among_equals), 1)
    return counts
