"""Measures over time of trec_eval 8 (`-T`): the score of a result is the second of its return.

Time is divided into 60 buckets of 5 seconds; later results belong to the last one. The results must
be in order of time: the policy `order=rising`. As in trec_eval 8, precision is that of the whole
list from the first result on.
"""

from math import inf
from typing import Any, Literal

import numpy as np

from spanwise.errors import UsageError
from spanwise.measures.registry import TREC_EVAL_8, measure
from spanwise.model.arrays import FloatArray, IntArray
from spanwise.model.measure import Law
from spanwise.model.rankings import Rankings

FAMILY = "Scores that are times (trec_eval 8)"

BUCKETS, SECONDS = 60, 5
COUNT = (0.0, inf)
Weights = tuple[float, ...]
LINEAR: Weights = (1.0, -1.0, 0.0, 0.0)
Yes = Literal["no", "yes"]


def _buckets(r: Rankings) -> IntArray:
    """Return the bucket of every result; padding belongs to none of them."""
    if r.score is None:
        raise UsageError(
            "measures over time use the scores of results as times; found a run without scores"
        )
    times = np.clip(r.score * (1 / SECONDS), 0, BUCKETS - 1)
    return np.where(r.real(), np.trunc(times).astype(np.int64), BUCKETS)


def _counts(r: Rankings, marked: Any) -> IntArray:
    """Return the number of marked results of each bucket."""
    rows = np.broadcast_to(np.arange(len(r))[:, None], r.grade.shape)
    counts = np.zeros((len(r), BUCKETS + 1), np.int64)
    np.add.at(counts, (rows, _buckets(r)), marked)
    return counts[:, :BUCKETS]


def _shown(r: Rankings) -> IntArray:
    return r.once("time shown", lambda: _counts(r, r.real()))


def _found(r: Rankings, rel: float) -> IntArray:
    return r.once(("time found", rel), lambda: _counts(r, r.hits(rel)))


def _at(table: Any, second: int) -> FloatArray:
    """Return the column of the bucket that contains a second."""
    if second < 0:
        raise UsageError(f"second is {second}; expected 0 or more")
    return table[:, min(second // SECONDS, BUCKETS - 1)]


def _constant(r: Rankings, value: FloatArray) -> FloatArray:
    """Return a value for all buckets from the first result on, and 0 before it."""
    begun = np.cumsum(_shown(r), axis=-1) > 0
    return np.where(begun, value[:, None], 0).astype(r.real_type)


def _integral(r: Rankings, table: FloatArray, first: int = 1) -> FloatArray:
    """Return the mean over the buckets, the first of which is usually left out of the sum."""
    return r.ratio(r.total_from_top(table[:, first:]), BUCKETS)


def _precision(r: Rankings, rel: float, relative: Yes) -> FloatArray:
    shown = np.minimum(r.retrieved, r.relevant(rel)) if relative == "yes" else r.retrieved
    return _constant(r, r.ratio(r.found_by(rel, None), shown, undefined=0))


def _unranked(r: Rankings, rel: float, relative: Yes) -> FloatArray:
    found = r.found_by(rel, None)
    best = np.minimum(r.retrieved, r.relevant(rel))
    shown = best if relative == "yes" else r.retrieved
    return _constant(r, r.ratio(found * found, shown * best, undefined=0))


def _utility(r: Rankings, rel: float, weights: Weights, documents: int) -> FloatArray:
    """Return the utility of each bucket at its first result; empty buckets take the one before."""
    if len(weights) != 4:
        raise UsageError(f"a utility has {len(weights)} weights; expected 4, such as 1,-1,0,0")
    shown = _shown(r)
    before = np.cumsum(shown, axis=-1) - shown
    filled = np.maximum.accumulate(np.where(shown > 0, np.arange(BUCKETS), -1), axis=-1)
    rank = np.take_along_axis(before, np.maximum(filled, 0), axis=-1) + 1
    found, known = r.found_by(rel, None)[:, None], r.relevant(rel)[:, None]
    a, b, c, d = weights
    neither = documents + found - rank - known
    value = a * found + b * (rank - found) + c * (known - found) + d * neither
    return np.where(filled >= 0, value, 0).astype(r.real_type)


# Counts -------------------------------------------------------------------------------------------


@measure(
    "TimeNumRel",
    Law.NOTHING_IS_ZERO,
    reference=TREC_EVAL_8,
    bounds=COUNT,
    aliases=("time_num_rel_{second}",),
    scores=True,
)
def relevant_in_bucket(r: Rankings, *, rel: float = 1, second: int = 0) -> FloatArray:
    """How many relevant results came in the same period of 5 seconds as a given second."""
    return _at(_found(r, rel), second).astype(np.float64)


@measure(
    "TimeNumNonrel",
    reference=TREC_EVAL_8,
    bounds=COUNT,
    aliases=("time_num_nonrel_{second}",),
    scores=True,
)
def nonrelevant_in_bucket(r: Rankings, *, rel: float = 1, second: int = 0) -> FloatArray:
    """How many results not known to be relevant came in the same 5 seconds as a given second."""
    return _at(_shown(r) - _found(r, rel), second).astype(np.float64)


@measure(
    "TimeCumRel",
    Law.NOTHING_IS_ZERO,
    reference=TREC_EVAL_8,
    bounds=COUNT,
    aliases=("time_cum_rel_{second}",),
    scores=True,
)
def relevant_so_far(r: Rankings, *, rel: float = 1, second: int = 0) -> FloatArray:
    """How many relevant results came until the end of the 5 seconds that contain a given second."""
    return _at(np.cumsum(_found(r, rel), axis=-1), second).astype(np.float64)


@measure(
    "TimeIntegralCumRel",
    Law.NOTHING_IS_ZERO,
    reference=TREC_EVAL_8,
    bounds=COUNT,
    aliases=("time_integral_cum_rel",),
    scores=True,
)
def relevant_over_time(r: Rankings, *, rel: float = 1) -> FloatArray:
    """How many relevant results a user had received, on average over 300 seconds.

    The mean of TimeCumRel over the 60 buckets.
    """
    return _integral(r, np.cumsum(_found(r, rel), axis=-1).astype(r.real_type), first=0)


# Precision ----------------------------------------------------------------------------------------


@measure(
    "TimeP",
    Law.NOTHING_IS_ZERO,
    reference=TREC_EVAL_8,
    aliases=("time_precis_{second}",),
    scores=True,
)
def precision_at_time(
    r: Rankings, *, rel: float = 1, second: int = 0, relative: Yes = "no"
) -> FloatArray:
    """Precision of the whole list, once any result has come.

    ok / n from the bucket of the first result on, 0 before it; with `relative=yes` divided by
    min(n, R) instead of n.

    Beware: it is not the precision of the results so far. trec_eval 8 never lowers its count.
    """
    return _at(_precision(r, rel, relative), second)


@measure(
    "TimeRelativeP",
    Law.NOTHING_IS_ZERO,
    reference=TREC_EVAL_8,
    aliases=("time_relative_precis_{second}",),
    scores=True,
)
def relative_precision_at_time(r: Rankings, *, rel: float = 1, second: int = 0) -> FloatArray:
    """Relative precision of the whole list, once any result has come: TimeP with `relative=yes`."""
    return precision_at_time(r, rel=rel, second=second, relative="yes")


@measure(
    "TimeIntegralP",
    Law.NOTHING_IS_ZERO,
    reference=TREC_EVAL_8,
    aliases=("time_integral_prec",),
    scores=True,
)
def precision_over_time(r: Rankings, *, rel: float = 1, relative: Yes = "no") -> FloatArray:
    """How precise and how fast the results are: TimeP over 300 seconds.

    The sum of TimeP over all buckets but the first, divided by 60.
    """
    return _integral(r, _precision(r, rel, relative))


@measure(
    "TimeIntegralRelativeP",
    Law.NOTHING_IS_ZERO,
    reference=TREC_EVAL_8,
    aliases=("time_integral_relative_prec",),
    scores=True,
)
def relative_precision_over_time(r: Rankings, *, rel: float = 1) -> FloatArray:
    """How relatively precise and how fast the results are: TimeIntegralP with `relative=yes`."""
    return precision_over_time(r, rel=rel, relative="yes")


@measure(
    "TimeUAP",
    Law.NOTHING_IS_ZERO,
    reference=TREC_EVAL_8,
    aliases=("time_uap_{second}",),
    scores=True,
)
def unranked_at_time(
    r: Rankings, *, rel: float = 1, second: int = 0, relative: Yes = "no"
) -> FloatArray:
    """Precision of the whole list times its relative precision, once any result has come.

    ok^2 / (n m) with m = min(n, R) from the bucket of the first result on, 0 before it; with
    `relative=yes` ok^2 / m^2.
    """
    return _at(_unranked(r, rel, relative), second)


@measure(
    "TimeRelativeUAP",
    Law.NOTHING_IS_ZERO,
    reference=TREC_EVAL_8,
    aliases=("time_relative_uap_{second}",),
    scores=True,
)
def relative_unranked_at_time(r: Rankings, *, rel: float = 1, second: int = 0) -> FloatArray:
    """Squared relative precision, once any result has come: TimeUAP with `relative=yes`."""
    return unranked_at_time(r, rel=rel, second=second, relative="yes")


@measure(
    "TimeIntegralUAP",
    Law.NOTHING_IS_ZERO,
    reference=TREC_EVAL_8,
    aliases=("time_integral_uap",),
    scores=True,
)
def unranked_over_time(r: Rankings, *, rel: float = 1, relative: Yes = "no") -> FloatArray:
    """How precise, how complete and how fast the results are: TimeUAP over 300 seconds.

    The sum of TimeUAP over all buckets but the first, divided by 60.
    """
    return _integral(r, _unranked(r, rel, relative))


@measure(
    "TimeIntegralRelativeUAP",
    Law.NOTHING_IS_ZERO,
    reference=TREC_EVAL_8,
    aliases=("time_integral_relative_uap",),
    scores=True,
)
def relative_unranked_over_time(r: Rankings, *, rel: float = 1) -> FloatArray:
    """Squared relative precision over 300 seconds: TimeIntegralUAP with `relative=yes`."""
    return unranked_over_time(r, rel=rel, relative="yes")


# Utility ------------------------------------------------------------------------------------------


@measure("TimeUtility", reference=TREC_EVAL_8, bounds=(-inf, inf), scores=True)
def utility_at_time(
    r: Rankings,
    *,
    rel: float = 1,
    second: int = 0,
    weights: Weights = LINEAR,
    documents: int = 0,
) -> FloatArray:
    """A weighted count of right and wrong decisions when the first result of a bucket came.

    a ok + b (j - ok) + c (R - ok) + d (N + ok - j - R) for weights a, b, c, d, with j the rank of
    the bucket's first result, ok all relevant results of the list and N the number of `documents`
    in the collection. An empty bucket has the value of the one before it; buckets before the first
    result have the value 0.
    """
    return _at(_utility(r, rel, weights, documents), second)


@measure("TimeIntegralUtility", reference=TREC_EVAL_8, bounds=(-inf, inf), scores=True)
def utility_over_time(
    r: Rankings, *, rel: float = 1, weights: Weights = LINEAR, documents: int = 0
) -> FloatArray:
    """The weighted count of right and wrong decisions over 300 seconds.

    The sum of TimeUtility over all buckets but the first, divided by 60.
    """
    return _integral(r, _utility(r, rel, weights, documents))
