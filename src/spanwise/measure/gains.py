"""Graded relevance: discounted cumulated gain and its kin."""

from math import inf, log2, nan
from typing import Literal

import numpy as np

from spanwise.errors import UsageError
from spanwise.measure.condensed import condensed
from spanwise.measure.discounts import rank_discounts
from spanwise.measure.gain_tables import Gains, ideal_gains, result_gains
from spanwise.measure.registry import measure
from spanwise.model.arrays import FloatArray, IntArray
from spanwise.model.measures import Law
from spanwise.model.rankings import Rankings

JARVELIN = "Järvelin and Kekäläinen: Cumulated Gain-Based Evaluation. ACM TOIS 20(4), 2002"
BURGES = "exponential gain: Burges et al.: Learning to Rank using Gradient Descent. ICML 2005"
TREC_EVAL = "trec_eval 10.0, NIST, 2026"
Scale = Literal["log2", "exp-log2"]
LARGEST_EXPONENT = 1000
"""Beyond it sums of 2^grade are no longer finite."""


def _scaled(gains: FloatArray, dcg: Scale) -> FloatArray:
    if dcg == "log2":
        return gains
    if gains.size and gains.max() > LARGEST_EXPONENT:
        raise UsageError(
            f"2^{gains.max():g} is too large a gain; use dcg=log2, or a table of gains"
        )
    return np.exp2(gains) - 1


def _discounted(gains: FloatArray) -> FloatArray:
    return gains / rank_discounts(gains.shape[-1])


def _cumulated(gains: FloatArray) -> FloatArray:
    """DCG after every rank."""
    return np.cumsum(_discounted(gains), axis=-1)


def gain_curves(r: Rankings, gains: Gains, dcg: Scale) -> tuple[FloatArray, FloatArray, FloatArray]:
    """For each rank the gain, DCG up to it, and DCG of the best ranking possible up to it."""
    gain = _scaled(result_gains(r, gains), dcg)
    best = _scaled(ideal_gains(r, gains), dcg)
    ideal = np.zeros(gain.shape)
    shared = min(best.shape[-1], r.depth)
    ideal[:, :shared] = best[:, :shared]
    return gain, _cumulated(gain), _cumulated(ideal)


def _dcg(r: Rankings, gains: Gains, dcg: Scale, cutoff: int | None) -> FloatArray:
    return r.total(_discounted(_scaled(result_gains(r, gains), dcg)[:, :cutoff]))


def _expected_dcg(
    r: Rankings, *, gains: Gains = (), dcg: Scale = "log2", cutoff: int | None = None
) -> FloatArray:
    return r.total(_discounted(r.expected(_scaled(result_gains(r, gains), dcg))[:, :cutoff]))


def _ideal_dcg(r: Rankings, gains: Gains, dcg: Scale, cutoff: int | None) -> FloatArray:
    return r.total(_discounted(_scaled(ideal_gains(r, gains), dcg)[:, :cutoff]))


def _expected_ndcg(
    r: Rankings, *, gains: Gains = (), dcg: Scale = "log2", cutoff: int | None = None
) -> FloatArray:
    gained = _expected_dcg(r, gains=gains, dcg=dcg, cutoff=cutoff)
    return r.ratio(gained, _ideal_dcg(r, gains, dcg, cutoff))


@measure(
    "nDCG",
    Law.IDEAL_IS_ONE,
    Law.NOTHING_IS_ZERO,
    Law.BLIND_BELOW_CUTOFF,
    Law.SWAP_UP,
    Law.ADD_BELOW,
    reference=f"{JARVELIN}; {BURGES}",
    aliases=("ndcg", "ndcg_cut_{cutoff}", "ndcg_{gains}", "NDCG"),
    expected=_expected_ndcg,
    of=condensed,
)
def ndcg(
    r: Rankings, *, gains: Gains = (), dcg: Scale = "log2", cutoff: int | None = None
) -> FloatArray:
    """How much gain comes how early, compared with the best ranking possible.

    DCG@k / ideal DCG@k, DCG@k being the sum over the first k ranks i of gain / log2(i + 1). The
    gain is the grade, or what the table `gains` says; with dcg=exp-log2 it is 2^grade - 1. The
    ideal ranking holds all judged documents with a positive gain, best first. Undefined if
    nothing has a positive gain.

    Beware: tools differ in the gain (linear here, exponential elsewhere); name it.
    """
    return r.ratio(_dcg(r, gains, dcg, cutoff), _ideal_dcg(r, gains, dcg, cutoff))


@measure(
    "DCG",
    Law.NOTHING_IS_ZERO,
    Law.BLIND_BELOW_CUTOFF,
    Law.SWAP_UP,
    Law.ADD_BELOW,
    reference=f"{JARVELIN}; {BURGES}",
    bounds=(0.0, inf),
    aliases=("dcg", "dcg_{gains}"),
    expected=_expected_dcg,
)
def dcg(
    r: Rankings, *, gains: Gains = (), dcg: Scale = "log2", cutoff: int | None = None
) -> FloatArray:
    """How much gain comes how early, on an open scale.

    The sum over ranks i of gain / log2(i + 1).

    Beware: topics with more relevant documents weigh more in its mean.
    """
    return _dcg(r, gains, dcg, cutoff)


@measure(
    "IDCG",
    Law.ORDER_FREE,
    Law.ADD_BELOW,
    Law.BLIND_BELOW_CUTOFF,
    reference=f"{JARVELIN}; {BURGES}",
    bounds=(0.0, inf),
    aliases=("ideal_dcg", "ideal_dcg_{gains}"),
)
def ideal_dcg(
    r: Rankings, *, gains: Gains = (), dcg: Scale = "log2", cutoff: int | None = None
) -> FloatArray:
    """The discounted cumulated gain of the best ranking possible."""
    return _ideal_dcg(r, gains, dcg, cutoff)


def _ndcg_curve(r: Rankings, gained: FloatArray, ideal: FloatArray, ranks: IntArray) -> FloatArray:
    """DCG / ideal DCG after the given ranks, of which there may be any number per topic."""

    def after(curve: FloatArray) -> FloatArray:
        if not curve.shape[-1]:
            return np.zeros(ranks.shape)
        column = np.clip(ranks, 1, curve.shape[-1]) - 1
        return np.take_along_axis(curve, column, axis=-1)

    return r.ratio(after(gained), after(ideal), undefined=nan)


@measure(
    "nDCGrel",
    Law.IDEAL_IS_ONE,
    Law.NOTHING_IS_ZERO,
    Law.ADD_BELOW,
    reference=TREC_EVAL,
    aliases=("ndcg_rel", "ndcg_rel_{gains}"),
)
def ndcg_at_relevant(r: Rankings, *, gains: Gains = ()) -> FloatArray:
    """The mean of nDCG over the ranks of the relevant results, as AP averages precision.

    The mean over all documents of the ideal ranking: for a retrieved one with positive gain
    DCG@i / ideal DCG@i at its rank i, for every other one nDCG of the whole ranking. Undefined if
    nothing has a positive gain.
    """
    worth, best = result_gains(r, gains), ideal_gains(r, gains)
    curve = _ndcg_curve(
        r, _cumulated(worth), _cumulated(best), np.broadcast_to(r.ranks, worth.shape)
    )
    at_gains = r.total(np.where(worth > 0, curve, 0))
    size = np.count_nonzero(best > 0, axis=-1)
    others = size - np.count_nonzero(worth > 0, axis=-1)
    gained = others * r.total(_discounted(worth))  # multiplied before it is divided
    sums = at_gains + r.ratio(gained, r.total(_discounted(best)), undefined=0)
    return r.ratio(np.where(sums > 0, sums, 0), size)


@measure(
    "Rndcg",
    Law.IDEAL_IS_ONE,
    Law.NOTHING_IS_ZERO,
    reference=TREC_EVAL,
    aliases=("Rndcg_{gains}",),
)
def r_ndcg(r: Rankings, *, rel: float = 1, gains: Gains = ()) -> FloatArray:
    """The mean of nDCG over the ranks where the gain of the ideal ranking drops, as Rprec at R.

    The mean of DCG@k / ideal DCG@k over every k where the ideal ranking has its last document of
    one gain; and over the length of the ranking once more if it is longer by two or more.
    Undefined without relevant documents.
    """
    worth, best = result_gains(r, gains), ideal_gains(r, gains)
    size = np.count_nonzero(best > 0, axis=-1)
    following = np.concatenate([best[:, 1:], np.zeros((len(r), 1))], axis=-1)[:, : best.shape[-1]]
    columns = np.arange(1, best.shape[-1] + 1)
    drops = (following != best) & (columns <= size[:, None])
    longer = r.retrieved >= size + 2
    ranks = np.broadcast_to(columns, best.shape)
    curve = _ndcg_curve(r, _cumulated(worth), _cumulated(best), ranks)
    last = _ndcg_curve(
        r, _cumulated(worth), _cumulated(best), np.maximum(r.retrieved, size)[:, None]
    )
    terms = np.concatenate([np.where(drops, curve, 0), np.where(longer[:, None], last, 0)], axis=-1)
    counted = np.count_nonzero(drops, axis=-1) + longer
    mean = r.ratio(r.total(terms), np.where(size > 0, counted, 0), undefined=nan)
    return np.where(r.relevant(rel) > 0, mean, r.policy.conventions.no_divisor)


@measure(
    "G",
    Law.IDEAL_IS_ONE,
    Law.NOTHING_IS_ZERO,
    Law.ADD_BELOW,
    reference=TREC_EVAL,
    aliases=("G_{gains}",),
)
def graded_g(r: Rankings, *, gains: Gains = ()) -> FloatArray:
    """How little gain was lost above each result that gains something.

    The sum over results with a gain of gain / log2(2 + C - S), divided by the sum of all ideal
    gains; S is the gain so far and C the cost so far, at each rank the ideal gain there or 1 if
    that is less. Undefined if nothing has a positive gain.

    Beware: with gains far from whole numbers the logarithm may be undefined.
    """
    worth, best = result_gains(r, gains), ideal_gains(r, gains)
    price = np.ones_like(worth)
    shared = min(best.shape[-1], r.depth)
    price[:, :shared] = np.maximum(best[:, :shared], 1)
    lost = 2 + np.cumsum(price, axis=-1) - np.cumsum(worth, axis=-1)
    terms = np.zeros_like(worth)
    for place in zip(*np.nonzero(worth), strict=True):
        terms[place] = _gain_over_log(float(worth[place]), float(lost[place]))
    return r.ratio(r.total(terms), r.total(best))


def _gain_over_log(gain: float, argument: float) -> float:
    if argument == 0:
        return 0.0  # divided by minus infinity
    if argument < 0:
        return nan
    if argument == 1:
        return float(np.copysign(np.inf, gain))
    return gain / log2(argument)
