"""Counts, and measures of the retrieved documents as a set."""

from math import inf

import numpy as np

from spanwise.errors import UsageError
from spanwise.measures.incomplete import condensed
from spanwise.measures.registry import TREC_EVAL, measure
from spanwise.model.arrays import FloatArray, ObjectArray
from spanwise.model.measure import Law
from spanwise.model.rankings import JUDGED, OUTSIDE, Rankings

FAMILY = "Sets and counts"

VAN_RIJSBERGEN = "van Rijsbergen: Information Retrieval, 2nd edition, chapter 7, 1979"
COUNT = (0.0, inf)


@measure(
    "NumRet",
    Law.ORDER_FREE,
    reference=TREC_EVAL,
    bounds=COUNT,
    aliases=("num_ret",),
    aggregate="sum",
)
def retrieved(r: Rankings, *, rel: float | None = None) -> FloatArray:
    """The number of retrieved documents; with `rel` only those of at least that grade."""
    if rel is not None:
        return relevant_retrieved(r, rel=rel)
    return r.retrieved.astype(np.float64)


@measure(
    "NumRel",
    Law.ORDER_FREE,
    Law.ADD_BELOW,
    reference=TREC_EVAL,
    bounds=COUNT,
    aliases=("num_rel",),
    aggregate="sum",
)
def relevant(r: Rankings, *, rel: float = 1) -> FloatArray:
    """The number of documents known to be relevant, retrieved or not."""
    return r.relevant(rel).astype(np.float64)


@measure(
    "NumRelRet",
    Law.ORDER_FREE,
    Law.NOTHING_IS_ZERO,
    Law.ADD_BELOW,
    reference=TREC_EVAL,
    bounds=COUNT,
    aliases=("num_rel_ret",),
    aggregate="sum",
)
def relevant_retrieved(r: Rankings, *, rel: float = 1) -> FloatArray:
    """The number of relevant documents that were retrieved."""
    return r.found_by(rel, None).astype(np.float64)


@measure(
    "NumNonrelJudgedRet",
    Law.ORDER_FREE,
    reference=TREC_EVAL,
    bounds=COUNT,
    aliases=("num_nonrel_judged_ret",),
    less_is_better=True,
    aggregate="sum",
)
def nonrelevant_judged_retrieved(r: Rankings, *, rel: float = 1) -> FloatArray:
    """The number of retrieved documents that were judged not relevant."""
    return np.count_nonzero(r.misses(rel), axis=-1).astype(np.float64)


@measure(
    "NumQ",
    Law.ORDER_FREE,
    reference=TREC_EVAL,
    bounds=COUNT,
    aliases=("num_q",),
    aggregate="sum",
    reads="anything",
)
def topics(block: Rankings) -> FloatArray:
    """The number of topics that were evaluated: 1 for each."""
    return np.ones(len(block.topics))


@measure(
    "RelString", reference=TREC_EVAL, aliases=("relstring", "relstring_{length}"), aggregate="text"
)
def relevance_string(r: Rankings, *, length: float = 10) -> ObjectArray:
    """The grades of the first results as a string.

    One character for each: 0 to 9, `>` above 9, `-` outside the pool, `.` in the pool but not
    judged.
    """
    shown = np.minimum(max(int(length), 0), r.retrieved).tolist()
    return np.array(
        [
            "".join(map(_character, r.grade[topic, :n].tolist(), r.status[topic, :n].tolist()))
            for topic, n in enumerate(shown)
        ],
        dtype=object,
    )


def _character(grade: float, status: int) -> str:
    if status != JUDGED:
        return "-" if status == OUTSIDE else "."
    return str(int(grade)) if grade < 10 else ">"


@measure(
    "SetP",
    Law.ORDER_FREE,
    Law.NOTHING_IS_ZERO,
    Law.IDEAL_IS_ONE,
    reference=VAN_RIJSBERGEN,
    aliases=("set_P", "exact_prec"),
    of=condensed,
)
def set_precision(r: Rankings, *, rel: float = 1, relative: bool = False) -> FloatArray:
    """The share of the retrieved documents that is relevant.

    SetP = ok / n, ok being the relevant retrieved and n all retrieved; 0 if nothing was retrieved.
    With `relative=True` it is divided by min(n, R): relative to the best possible.
    """
    if relative:
        return set_relative_precision(r, rel=rel)
    return r.ratio(r.found_by(rel, None), r.retrieved, undefined=0)


@measure(
    "SetR",
    Law.ORDER_FREE,
    Law.NOTHING_IS_ZERO,
    Law.IDEAL_IS_ONE,
    Law.ADD_BELOW,
    reference=VAN_RIJSBERGEN,
    aliases=("set_recall", "exact_recall"),
)
def set_recall(r: Rankings, *, rel: float = 1) -> FloatArray:
    """The share of the relevant documents that was retrieved.

    SetR = ok / R. Undefined without relevant documents.
    """
    return r.ratio(r.found_by(rel, None), r.relevant(rel))


@measure(
    "SetRelativeP",
    Law.ORDER_FREE,
    Law.NOTHING_IS_ZERO,
    Law.IDEAL_IS_ONE,
    reference=TREC_EVAL,
    aliases=("set_relative_P", "exact_relative_prec", "SetRelP"),
)
def set_relative_precision(r: Rankings, *, rel: float = 1) -> FloatArray:
    """Precision of the retrieved set, relative to the best possible for its size.

    ok / min(n, R); 0 if that is 0.
    """
    best = np.minimum(r.retrieved, r.relevant(rel))
    return r.ratio(r.found_by(rel, None), best, undefined=0)


@measure(
    "SetAP",
    Law.ORDER_FREE,
    Law.NOTHING_IS_ZERO,
    Law.IDEAL_IS_ONE,
    reference=TREC_EVAL,
    aliases=("set_map", "exact_unranked_avg_prec"),
    of=condensed,
)
def set_average_precision(r: Rankings, *, rel: float = 1) -> FloatArray:
    """Precision times recall of the retrieved set.

    ok^2 / (n R); 0 if nothing was retrieved.
    """
    if r.policy.conventions.single:  # trec_eval 8 multiplies the two rounded quotients
        return set_precision(r, rel=rel) * set_recall(r, rel=rel)
    found = r.found_by(rel, None)
    return r.ratio(found * found, r.retrieved * r.relevant(rel), undefined=0)


@measure(
    "SetF",
    Law.ORDER_FREE,
    Law.NOTHING_IS_ZERO,
    Law.IDEAL_IS_ONE,
    reference=VAN_RIJSBERGEN,
    aliases=("set_F", "set_F_{beta}"),
    of=condensed,
)
def set_f(r: Rankings, *, rel: float = 1, beta: float = 1) -> FloatArray:
    """Precision and recall of the retrieved set in one number.

    (beta + 1) P R / (beta P + R): the larger beta, the more recall weighs. 0 if nothing relevant
    was retrieved.

    Beware: as in trec_eval and ir_measures beta is not squared; van Rijsbergen's F with beta 2 is
    SetF(beta=4) here.
    """
    precision = set_precision(r, rel=rel)
    recall = r.ratio(r.found_by(rel, None), r.relevant(rel), undefined=0)
    part = (beta + 1) * precision * recall
    whole = beta * precision + recall
    return np.where(r.found_by(rel, None) > 0, r.ratio(part, whole, undefined=0), 0)


@measure(
    "Utility",
    Law.ORDER_FREE,
    reference=TREC_EVAL,
    bounds=(-inf, inf),
    aliases=("utility", "utility_{weights}"),
)
def utility(
    r: Rankings,
    *,
    rel: float = 1,
    weights: tuple[float, ...] = (1.0, -1.0, 0.0, 0.0),
    documents: int = 0,
) -> FloatArray:
    """A weighted count of right and wrong decisions about documents.

    a (relevant retrieved) + b (retrieved, not relevant) + c (relevant, not retrieved)
    + d (neither), for weights a, b, c, d; the last needs the number of `documents` in the
    collection. trec_eval 8 gives 0 without relevant documents.
    """
    if len(weights) != 4:
        raise UsageError(f"Utility has {len(weights)} weights; expected 4, such as 1,-1,0,0")
    found, shown, known = r.found_by(rel, None), r.retrieved, r.relevant(rel)
    a, b, c, d = weights
    neither = documents + found - shown - known
    value = a * found + b * (shown - found) + c * (known - found) + d * neither
    if r.policy.conventions.single:
        value = np.where(known > 0, value, 0.0)
    return np.asarray(value, r.real_type)


@measure(
    "Accuracy",
    Law.NOTHING_IS_ZERO,
    Law.BLIND_BELOW_CUTOFF,
    reference="ir_measures 0.4, after the evaluation of dialogue response selection",
)
def accuracy(r: Rankings, *, rel: float = 1, cutoff: int | None = None) -> FloatArray:
    """How often a relevant result is ranked above one that is not.

    The share of pairs of a relevant result and one that is not relevant, judged or not, that are in
    the right order, within the cut-off. 0 if nothing relevant was retrieved, 1 if nothing else.

    Beware: with a cut-off, a relevant result that moves up across it may lower the value, because
    pairs with it now count.
    """
    hits, others = r.hits(rel)[:, :cutoff], (r.real() & ~r.hits(rel))[:, :cutoff]
    others_below = np.cumsum(others[:, ::-1], axis=-1)[:, ::-1]
    ordered = np.sum(np.where(hits, others_below, 0), axis=-1)
    found = np.count_nonzero(hits, axis=-1)
    pairs = found * np.count_nonzero(others, axis=-1)
    return np.where(pairs > 0, r.ratio(ordered, pairs), found > 0)
