"""Measures of preferences: how many of the assessors' preferences a ranking fulfils.

A preference states that one document should come before another. Groups of them represent
assessors, aspects or anything else to be kept apart. The parameter `pairs` chooses the preferences
that count: `all`; `ret`, those between retrieved documents; `imp`, also those of which exactly one
document was retrieved, which are implied by the ranking.
"""

from math import inf
from typing import Literal

import numpy as np

from spanwise.measures.registry import TREC_EVAL, measure
from spanwise.model.arrays import FloatArray
from spanwise.model.rankings import Pairs, PreferenceRankings, ratio, total

FAMILY = "Preferences (formats prefs and qrels_prefs)"

CARTERETTE = "Carterette and Bennett: Evaluation Measures for Preference Judgments. SIGIR 2008"
COUNT = (0.0, inf)


@measure(
    "NumPref",
    reference=TREC_EVAL,
    bounds=COUNT,
    aliases=("prefs_num_prefs_poss",),
    aggregate="sum",
    reads="preferences",
)
def stated(f: PreferenceRankings) -> FloatArray:
    """The number of preferences, whether their documents were retrieved or not."""
    return f.stated().astype(np.float64)


@measure(
    "NumPrefFulfilled",
    reference=TREC_EVAL,
    bounds=COUNT,
    aliases=("prefs_num_prefs_ful", "prefs_num_prefs_ful_{pairs}"),
    aggregate="sum",
    reads="preferences",
)
def fulfilled(f: PreferenceRankings, *, pairs: Literal["all", "ret"] = "all") -> FloatArray:
    """The number of preferences that the ranking fulfils.

    A preference is fulfilled if its better document comes before the other; a document that was not
    retrieved comes after all that were. With `pairs=ret` both must have been retrieved.
    """
    return f.fulfilled(pairs).sum(axis=-1).astype(np.float64)


@measure(
    "PrefSimple",
    reference=CARTERETTE + "; " + TREC_EVAL,
    aliases=("prefs_simp", "prefs_simp_{pairs}"),
    reads="preferences",
)
def simple(f: PreferenceRankings, *, pairs: Pairs = "all") -> FloatArray:
    """The share of the preferences that the ranking fulfils.

    Fulfilled preferences of all groups, divided by all that count; 0 if none counts. Undefined
    without preferences.

    Beware: large groups outweigh small ones.
    """
    shares = ratio(f.fulfilled(pairs).sum(axis=-1), f.possible(pairs).sum(axis=-1))
    return f.defined(shares, f.stated())


@measure(
    "PrefPair",
    reference=TREC_EVAL,
    aliases=("prefs_pair", "prefs_pair_{pairs}"),
    reads="preferences",
)
def by_pair(f: PreferenceRankings, *, pairs: Pairs = "all") -> FloatArray:
    """How far the groups agree, pair by pair, with the order of the documents in the ranking.

    The mean of w(i, j) / (w(i, j) + w(j, i)) over all pairs of documents that any group puts in
    order, i coming before j and w counting the groups that prefer the first to the second. Pairs of
    which neither was retrieved add 0; with `pairs=ret` or `imp` they are left out. 0 if no pair
    counts. Undefined without preferences.
    """
    if pairs == "ret":
        return f.defined(ratio(f.agreement_both, f.pairs_both), f.stated())
    neither = f.pairs_neither if pairs == "all" else 0
    return f.defined(ratio(f.agreement, f.pairs_both + f.pairs_one + neither), f.stated())


@measure(
    "PrefAvg",
    reference=TREC_EVAL,
    aliases=("prefs_avgjg", "prefs_avgjg_{pairs}"),
    reads="preferences",
)
def by_group(f: PreferenceRankings, *, pairs: Pairs = "all") -> FloatArray:
    """The share of the preferences that the ranking fulfils, with equal weight for every group.

    The mean over the groups of fulfilled preferences divided by those that count; a group of which
    none counts adds 0. Undefined without preferences.
    """
    shares = ratio(f.fulfilled(pairs), f.possible(pairs))
    return f.defined(ratio(total(shares), f.groups), f.stated())


@measure(
    "PrefAvgBalanced",
    reference=TREC_EVAL,
    aliases=("prefs_avgjg_Rnonrel", "prefs_avgjg_Rnonrel_{pairs}"),
    reads="preferences",
)
def by_balanced_group(f: PreferenceRankings, *, pairs: Literal["all", "ret"] = "all") -> FloatArray:
    """PrefAvg as if each group had equal numbers of relevant and irrelevant documents.

    A document is relevant if its level is above 0. Let r count a group's relevant documents, z the
    others, ok the relevant ones retrieved (with `pairs=ret` r and z count retrieved documents
    only). If r >= z, the missing others are added at the end: (F + ok (r - z)) / (Q + R (r - z)), F
    being the fulfilled preferences, Q those that count and R all relevant documents. If r < z, only
    the first r others in the ranking are kept, and F / Q is taken of what is left. The value is the
    mean over the groups, and 0 if some group is left with a divisor of 0. Undefined without groups.

    Beware: it follows trec_eval exactly, oddities included. Within the lowest class of a group
    every document counts as preferred to those that are kept; with `pairs=ret` the missing ones are
    still added once for each relevant document, retrieved or not; and in groups with several
    sub-groups R, not r, documents of level 0 are kept.
    """
    if pairs == "ret":
        lacking = f.relevant_retrieved - f.nonrelevant_retrieved
        trimmed = ratio(f.trimmed_fulfilled_both, f.trimmed_both, undefined=np.nan)
    else:
        lacking = f.relevant - f.nonrelevant
        trimmed = ratio(f.trimmed_fulfilled, f.trimmed, undefined=np.nan)
    part = f.fulfilled(pairs) + f.relevant_retrieved * lacking
    whole = f.possible(pairs) + f.relevant * lacking
    shares = np.where(lacking >= 0, ratio(part, whole, undefined=np.nan), trimmed)
    real = np.arange(shares.shape[-1]) < f.groups[:, None]
    sums = total(np.where(real, shares, 0))
    return f.defined(ratio(np.where(sums > 0, sums, 0), f.groups), f.groups)
