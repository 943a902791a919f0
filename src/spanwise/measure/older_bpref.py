"""The relatives of Bpref that were tried out around 2004, and the counts behind them.

All of them look at the relevant results one after the other and ask how many results that were
judged not relevant stand above. b counts those above one relevant result, B the judged irrelevant
documents of the topic, b_ret the retrieved ones among them, R the relevant documents.
"""

from math import inf
from typing import Literal

import numpy as np

from spanwise.measure.incomplete import BPREF, above_hits
from spanwise.measure.registry import measure
from spanwise.model.arrays import BoolArray, FloatArray, IntArray
from spanwise.model.measures import Law
from spanwise.model.rankings import Rankings

REFERENCE = BPREF + "; trec_eval 8.1, NIST, 2006"
COUNT = (0.0, inf)
Variant = Literal[
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
"""For each variant that bounds b and B the bound: a number, and how many times R is added."""


def _above(r: Rankings, rel: float) -> IntArray:
    """For the first relevant result, the second, ...: b."""
    return above_hits(r, r.misses(rel), rel)


def _real(r: Rankings, rel: float) -> BoolArray:
    """Which entries of the columns per relevant result are not padding."""
    return r.hit_ranks(rel) > 0


def _missed(r: Rankings, rel: float) -> IntArray:
    """b_ret: retrieved results that were judged not relevant."""
    return np.count_nonzero(r.misses(rel), axis=-1)


def _shares(r: Rankings, rel: float, above: IntArray, whole: IntArray) -> FloatArray:
    """1 - above / whole for each relevant result, 1 where nothing is above, 0 for padding."""
    shares = 1 - r.ratio(above, whole[:, None], undefined=0).astype(np.float64)
    return np.where(_real(r, rel), np.where(above > 0, shares, 1.0), 0)


def _capped(r: Rankings, rel: float, whole: IntArray, cap: IntArray) -> FloatArray:
    """The shares when nobody counts further than `cap`."""
    return _shares(r, rel, np.minimum(_above(r, rel), cap[:, None]), np.minimum(whole, cap))


def _multiple(r: Rankings, rel: float, times: int) -> FloatArray:
    """The shares for 5R and 10R: b never counts past 5R, and there is no exception for b = 0."""
    known = r.relevant(rel)
    above = np.minimum(_above(r, rel), 5 * known[:, None])
    worst = np.minimum(r.nonrelevant(rel), times * known)[:, None]
    shares = 1 - r.ratio(above, worst, undefined=np.nan).astype(np.float64)
    return np.where(_real(r, rel), shares, 0)


@measure("BprefVariant", Law.NOTHING_IS_ZERO, reference=REFERENCE, aliases=("bpref_{variant}",))
def bpref_variant(r: Rankings, *, rel: float = 1, variant: Variant = "allnonrel") -> FloatArray:
    """How rarely a judged irrelevant result stands above a relevant one, counted in another way.

    (1/R) times the sum over relevant results of 1 - x, x being 0 if b is 0, else

    - allnonrel: b / B; retnonrel: b / b_ret; retall: the same, divided by the relevant results
      that were retrieved instead of R;
    - topnonrel: min(b, c) / min(B, c) with c = 100; top10pRnonrel, top25pRnonrel, top50pRnonrel:
      c = 10 + R, 25 + R, 50 + R; top25p2Rnonrel: c = 25 + 2R;
    - top5Rnonrel, top10Rnonrel: min(b, 5R) / min(B, 5R) and min(b, 5R) / min(B, 10R), undefined if
      anything relevant was retrieved and B is 0.

    Undefined without relevant documents (retall: 0 without relevant results).
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
)
def old_bpref(r: Rankings, *, rel: float = 1, margin: int = 0) -> FloatArray:
    """Bpref as it was before trec_eval 8: relative to what was retrieved, not to what was judged.

    (1/R) times the sum over relevant results of 1 - min(b, c) / min(b_ret, c), c = R + margin; the
    term is 1 if b is 0. Undefined without relevant documents.

    Beware: it rewards retrieving irrelevant documents at the end of the ranking.
    """
    known = r.relevant(rel)
    shares = _capped(r, rel, _missed(r, rel), known + margin)
    return r.ratio(r.total_from_top(shares), known)


@measure("BprefFirst", Law.NOTHING_IS_ZERO, reference=REFERENCE, aliases=("bpref_{first}",))
def bpref_of_first(r: Rankings, *, rel: float = 1, first: int = 10) -> FloatArray:
    """Bpref that looks only at the first k relevant results and the first k irrelevant ones.

    The sum over the first k relevant results with b < k of 1 - b / min(B, k) (1 if b is 0),
    divided by k, or by the number of relevant results if that is less. 0 if nothing relevant was
    retrieved.
    """
    above = _above(r, rel)
    worst = np.minimum(r.nonrelevant(rel), first)
    shares = np.where(above < first, _shares(r, rel, above, worst), 0)[:, :first]
    return r.ratio(r.total_from_top(shares), np.minimum(r.found_by(rel, None), first), undefined=0)


# Counts ----------------------------------------------------------------------------------------


def _counted(r: Rankings, rel: float, pairs: IntArray) -> FloatArray:
    """The sum over relevant results of numbers of pairs."""
    return np.where(_real(r, rel), pairs, 0).sum(axis=-1).astype(np.float64)


@measure(
    "BprefNumAll",
    Law.NOTHING_IS_ZERO,
    reference=REFERENCE,
    bounds=COUNT,
    aliases=("bpref_num_all",),
)
def correct_pairs_of_all(r: Rankings, *, rel: float = 1) -> FloatArray:
    """How many judged irrelevant documents the relevant results stand above, taken together.

    The sum over relevant results of B - b; documents that were not retrieved stand below.
    """
    return _counted(r, rel, r.nonrelevant(rel)[:, None] - _above(r, rel))


@measure(
    "BprefNumRet",
    Law.NOTHING_IS_ZERO,
    reference=REFERENCE,
    bounds=COUNT,
    aliases=("bpref_num_ret",),
)
def correct_pairs_of_retrieved(r: Rankings, *, rel: float = 1) -> FloatArray:
    """How many judged irrelevant results the relevant results stand above, taken together.

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
)
def correct_pairs(r: Rankings, *, rel: float = 1) -> FloatArray:
    """How many of the pairs that Bpref looks at are in the right order.

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
)
def possible_pairs(r: Rankings, *, rel: float = 1) -> FloatArray:
    """How many pairs Bpref looks at.

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
)
def micro_bpref(r: Rankings, *, rel: float = 1) -> FloatArray:
    """The share of the pairs of all topics that are in the right order.

    Per topic BprefNumCorrect / BprefNumPossible; over topics the sum of the one divided by the
    sum of the other. Undefined without pairs.
    """
    return r.ratio(correct_pairs(r, rel=rel), possible_pairs(r, rel=rel))
