"""Measures of graded relevance: discounted cumulated gain and related measures."""

from functools import lru_cache
from math import inf, log2, nan
from typing import Literal, NamedTuple

import numpy as np

from spanwise.errors import UsageError
from spanwise.measures.incomplete import condensed
from spanwise.measures.registry import TREC_EVAL, measure
from spanwise.model.arrays import FloatArray, IntArray
from spanwise.model.measure import Gains, Law
from spanwise.model.rankings import JUDGED, OUTSIDE, Rankings

FAMILY = "Graded relevance"

# Gains --------------------------------------------------------------------------------------------
#
# By default the gain of a result is its grade. A table `gains` gives other gains; the keys -1 and
# -2 are for results outside the pool and for pool members that were not judged.

CODE_OUTSIDE, CODE_SET_ASIDE = -1.0, -2.0
LONGEST_LADDER = 1000


class Entry(NamedTuple):
    """A line of the table of gains of a topic."""

    grade: float
    gain: float
    counts: bool  # of several entries for one grade only the first given applies to documents


def result_gains(r: Rankings, gains: Gains = ()) -> FloatArray:
    """Return the gain of every result."""
    if not gains:
        return r.grade
    return r.once(("gains", gains), lambda: _looked_up(r, gains))


def ideal_gains(r: Rankings, gains: Gains = ()) -> FloatArray:
    """Return the positive gains of all judged units, best first, padded with 0."""
    if not gains:
        return r.once("ideal_gains", lambda: np.maximum(r.ideal, 0))
    return r.once(("ideal_gains", gains), lambda: _ideal_lists(r, gains))


def sorted_table(r: Rankings, topic: int, gains: Gains) -> tuple[Entry, ...]:
    """Return the table of gains of one topic, sorted by gain as the policy says."""
    grades = r.ideal[topic, : r.judged[topic]]
    order = r.policy.conventions.gain_order
    top = grades.max(initial=-1)
    if order == "whole" and top < LONGEST_LADDER:  # trec_eval lists unused grades too
        return _table(gains, tuple(range(int(top) + 1)), order)
    return _table(gains, tuple(np.unique(grades).tolist()), order)


def _looked_up(r: Rankings, gains: Gains) -> FloatArray:
    codes = np.where(r.status == JUDGED, r.grade, CODE_SET_ASIDE)
    codes = np.where(r.status == OUTSIDE, CODE_OUTSIDE, codes)
    worth = np.zeros_like(r.grade)
    for topic in range(len(r)):
        for entry in reversed(
            sorted_table(r, topic, gains)
        ):  # so that the first one takes precedence
            worth[topic][codes[topic] == entry.grade] = entry.gain
    return np.where(r.real(), worth, 0)


def _ideal_lists(r: Rankings, gains: Gains) -> FloatArray:
    lists = [
        _ideal_list(sorted_table(r, topic, gains), r.ideal[topic, : r.judged[topic]])
        for topic in range(len(r))
    ]
    ideal = np.zeros((len(r), max(map(len, lists), default=0)))
    for row, values in zip(ideal, lists, strict=True):
        row[: len(values)] = values
    return ideal


def _ideal_list(table: tuple[Entry, ...], grades: FloatArray) -> list[float]:
    """Return each gain as often as its grade was given, from the end of the sorted table."""
    if not table or table[-1].gain <= 0:
        return []
    ideal: list[float] = []
    for entry in reversed(table):
        count = int(np.count_nonzero(grades == entry.grade)) if entry.counts else 0
        if count and entry.gain <= 0:
            break
        ideal += [entry.gain] * count
    return ideal


@lru_cache(maxsize=256)
def _table(gains: Gains, grades: tuple[float, ...], order: str) -> tuple[Entry, ...]:
    """Return the given pairs, then every other grade as its own gain, sorted by gain."""
    known: set[float] = set()
    entries: list[Entry] = []
    for grade, gain in (*gains, *((grade, grade) for grade in grades)):
        if len(entries) < len(gains) or grade not in known:
            entries.append(Entry(grade, gain, grade not in known))
        known.add(grade)
    if order == "value":
        return tuple(sorted(entries, key=lambda entry: entry.gain))
    return tuple(_merge_sorted(entries))


def _merge_sorted(entries: list[Entry]) -> list[Entry]:
    """Sort as trec_eval does: gains less than 1 apart are equal and keep their order.

    That comparison is not transitive, so the result depends on the algorithm; this one is
    trec_eval's.
    """
    if len(entries) < 2:
        return entries
    half = len(entries) // 2
    left, right = _merge_sorted(entries[:half]), _merge_sorted(entries[half:])
    merged = []
    while left and right:
        smaller = left if int(left[0].gain - right[0].gain) <= 0 else right
        merged.append(smaller.pop(0))
    return merged + left + right


# Logarithms of the C library ----------------------------------------------------------------------
#
# NumPy's vectorised log2 may differ from the C library's in the last bit, so that a printed digit
# would sometimes differ from trec_eval's. A table of Python's logarithms is exact and fast.


@lru_cache(maxsize=8)
def _log2_table(size: int) -> FloatArray:
    table = np.array([nan, *(log2(number) for number in range(1, size))])
    table.flags.writeable = False
    return table


def log2_of_whole(largest: int) -> FloatArray:
    """Return a table whose entry i is log2(i), up to `largest`; entry 0 is not-a-number."""
    size = 1 << max(10, int(largest + 1).bit_length())  # few sizes, so that the cache is used
    return _log2_table(size)


def rank_discounts(depth: int) -> FloatArray:
    """Return log2(rank + 1), the divisor of a gain, for the ranks 1 to `depth`."""
    return log2_of_whole(depth + 1)[2 : depth + 2]


# Measures -----------------------------------------------------------------------------------------

JARVELIN = "Järvelin and Kekäläinen: Cumulated Gain-Based Evaluation. ACM TOIS 20(4), 2002"
BURGES = "exponential gain: Burges et al.: Learning to Rank using Gradient Descent. ICML 2005"
Scale = Literal["log2", "exp-log2"]
LARGEST_EXPONENT = 1000
"""The largest grade for which sums of 2^grade are finite."""


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
    """Return DCG after every rank."""
    return np.cumsum(_discounted(gains), axis=-1)


def gain_curves(r: Rankings, gains: Gains, dcg: Scale) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return, for each rank, the gain, DCG up to it, and DCG of the ideal ranking up to it."""
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
    explains="gains",
)
def ndcg(
    r: Rankings, *, gains: Gains = (), dcg: Scale = "log2", cutoff: int | None = None
) -> FloatArray:
    """How much gain comes how early, compared with the best ranking possible.

    nDCG@k = DCG@k / ideal DCG@k, DCG@k being the sum over the first k ranks i of gain / log2(i +
    1). The gain is the grade, or that of the table `gains`; with dcg=exp-log2 it is 2^grade - 1.
    The ideal ranking has all judged documents with a positive gain, best first. Undefined if
    nothing has a positive gain.

    Beware: tools differ in the gain (linear here, exponential elsewhere); state it in reports.
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
    explains="gains",
)
def dcg(
    r: Rankings, *, gains: Gains = (), dcg: Scale = "log2", cutoff: int | None = None
) -> FloatArray:
    """How much gain comes how early, on an open scale.

    DCG@k = the sum over the first k ranks i of gain / log2(i + 1).

    Beware: topics with more relevant documents have more weight in its mean.
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
    """Return DCG / ideal DCG after the given ranks, of which each topic may have any number."""

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

    The mean over all documents of the ideal ranking: for a retrieved one with positive gain DCG@i /
    ideal DCG@i at its rank i, for every other one nDCG of the whole ranking. Undefined if nothing
    has a positive gain.
    """
    worth, best = result_gains(r, gains), ideal_gains(r, gains)
    curve = _ndcg_curve(
        r, _cumulated(worth), _cumulated(best), np.broadcast_to(r.ranks, worth.shape)
    )
    at_gains = r.total(np.where(worth > 0, curve, 0))
    size = np.count_nonzero(best > 0, axis=-1)
    others = size - np.count_nonzero(worth > 0, axis=-1)
    gained = others * r.total(_discounted(worth))  # multiplied before dividing, as trec_eval does
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
    one gain, and also over the length of the ranking if it is longer by two or more. Undefined
    without relevant documents.
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
    """How little gain was lost above each result that has a gain.

    G = the sum over results with a gain of gain / log2(2 + C - S), divided by the sum of all ideal
    gains; S is the gain so far and C the cost so far, which is at each rank the ideal gain there,
    or 1 if that is less. Undefined if nothing has a positive gain.

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
