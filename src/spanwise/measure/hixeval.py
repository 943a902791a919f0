"""Highlighted characters among those returned: HiXEval; and how much results overlap."""

from typing import Literal

import numpy as np

from spanwise.errors import UsageError
from spanwise.measure.properties import BY_GAIN
from spanwise.measure.registry import measure
from spanwise.model.arrays import FloatArray
from spanwise.model.element_rankings import ElementRankings
from spanwise.model.measures import Law

HIXEVAL = (
    "Pehcevski and Thom: HiXEval: Highlighting XML Retrieval Evaluation. In: Advances in XML"
    " Information Retrieval and Evaluation, LNCS 3977, 2006"
)
RELIABILITY = (
    "Kazai, Lalmas and de Vries: Reliability Tests for the XCG and inex-2002 Metrics. In: Advances"
    " in XML Information Retrieval, LNCS 3493, 2005"
)
Base = Literal["focused", "thorough"]
Variant = Literal["inside", "earlier"]


def _found(r: ElementRankings, alpha: float) -> FloatArray:
    """Highlighted characters cumulated over the ranks, those seen before weighted by 1 - alpha."""
    if not 0 <= alpha <= 1:
        raise UsageError(f"alpha is {alpha:g}; it must be between 0 and 1")
    lit = r.results.highlighted
    if (lit < 0).any():
        judged = r.judged()  # or it says why they are not known
        if judged.scale == "highlighted":
            raise UsageError(
                f"{judged.source}: where text was highlighted is not known, and some results are"
                " passages; it needs --collection"
            )
        raise UsageError(
            f"{judged.source}: elements were graded, no text was highlighted; HiP, HiR and HiF"
            " need highlighted text"
        )
    values = lit.astype(float)
    if alpha:
        values -= alpha * r.seen_before("highlighted")
    return np.cumsum(r.table(values), axis=-1)


def highlighted_in_all(r: ElementRankings, base: Base) -> FloatArray:
    """What recall is a share of: the highlighted characters of a topic, or of all its elements."""
    if base == "focused":
        return r.passages.astype(float)
    judged = r.judged()
    return r.of_topics(judged.of_topics(np.maximum(judged.highlighted, 0)))


def _precision(r: ElementRankings, cutoff: int, alpha: float) -> FloatArray:
    found = _found(r, alpha)
    read = np.cumsum(r.table(r.sizes()), axis=-1)
    value = r.ratio(r.at(found, cutoff), r.at(read, cutoff), undefined=0)
    return np.where(r.passages > 0, value, np.nan)


def _recall(r: ElementRankings, cutoff: int, alpha: float, base: Base) -> FloatArray:
    return r.ratio(r.at(_found(r, alpha), cutoff), highlighted_in_all(r, base))


@measure(
    "HiP",
    Law.NOTHING_IS_ZERO,
    Law.BLIND_BELOW_CUTOFF,
    reference=HIXEVAL,
    reads="elements",
    properties=BY_GAIN,
)
def highlighted_precision(
    r: ElementRankings,
    *,
    cutoff: int,
    alpha: float = 1.0,
    base: Base = "focused",  # noqa: ARG001
) -> FloatArray:
    """The share of the text of the first k results that is highlighted, and was not seen before.

    The sum of rval over the first k results / the sum of their sizes, every result counted in
    full. rval = highlighted characters of a result, minus alpha times those among them that
    earlier results have shown. 0 if nothing was returned. Undefined without highlighted text.
    `base` changes nothing here.
    """
    return _precision(r, cutoff, alpha)


@measure(
    "HiR",
    Law.NOTHING_IS_ZERO,
    Law.BLIND_BELOW_CUTOFF,
    Law.ADD_BELOW,
    reference=HIXEVAL,
    bounds=(0.0, float("inf")),
    reads="elements",
    properties=BY_GAIN,
)
def highlighted_recall(
    r: ElementRankings, *, cutoff: int, alpha: float = 1.0, base: Base = "focused"
) -> FloatArray:
    """The share of the highlighted text that the first k results show.

    The sum of rval, as for HiP, over the first k results / all highlighted characters
    (`base=focused`), or / the sum of the highlighted characters of all elements, which lie in each
    other (`base=thorough`). Undefined without highlighted text.

    Beware: with alpha below 1 and `base=focused` it can pass 1.
    """
    return _recall(r, cutoff, alpha, base)


@measure(
    "HiF",
    Law.NOTHING_IS_ZERO,
    Law.BLIND_BELOW_CUTOFF,
    reference=HIXEVAL,
    bounds=(0.0, float("inf")),
    reads="elements",
    properties=BY_GAIN,
)
def highlighted_f(
    r: ElementRankings, *, cutoff: int, alpha: float = 1.0, base: Base = "focused"
) -> FloatArray:
    """Precision and recall of the highlighted text of the first k results in one number.

    2 P R / (P + R) of HiP and HiR; 0 if both are 0. Undefined without highlighted text.
    """
    precision, recall = _precision(r, cutoff, alpha), _recall(r, cutoff, alpha, base)
    both = precision + recall
    value = r.ratio(2 * precision * recall, both, undefined=0)
    return np.where(np.isnan(both), np.nan, value)


@measure("Overlap", reference=RELIABILITY, reads="elements", less_is_better=True)
def overlap_of_results(r: ElementRankings, *, variant: Variant = "inside") -> FloatArray:
    """How many of the results are there twice, because another one holds them.

    The share of a topic's results that lie inside another result of the topic, wherever that
    stands (`variant=inside`); or that share text with an earlier one (`variant=earlier`). An
    element lies inside another by its path, a span by its offsets; the same span is not inside
    itself. Undefined for a topic without results, or with nothing relevant.
    """
    flags = r.inside() if variant == "inside" else r.seen_before("anything")
    count = np.bincount(r.results.topic, weights=flags, minlength=len(r))
    return r.ratio(count, r.retrieved)
