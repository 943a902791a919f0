"""Measures of highlighted text: how much of it was found, and how much other text was read for it.

A result is a stretch of text. Precision is the share of the characters read that is highlighted,
recall the share of the highlighted characters that was found. Text that was shown before is not
found again.
"""

from typing import Literal

import numpy as np

from spanwise.errors import UsageError
from spanwise.measures.registry import BY_GAIN, HIXEVAL, measure
from spanwise.model.arrays import FloatArray, IntArray
from spanwise.model.element_rankings import ElementRankings
from spanwise.model.measure import Law
from spanwise.model.readings import Readings

FAMILY = "Highlighted text (format inex_qrels)"

INEX_2007 = (
    "Kamps, Pehcevski, Kazai, Lalmas and Robertson: INEX 2007 Evaluation Measures. In: Focused"
    " Access to XML Documents, LNCS 4862, 2008"
)
INEX_EVAL = "inex_eval 3.1, INEX, 2010"
Repeats = Literal["charge", "skip"]
LEVELS = np.arange(101) / 100
LARGEST = 1e9
"""The largest weight of recall; with more precision has no effect, and its square may overflow."""
CHARACTERS = (Law.NOTHING_IS_ZERO, Law.ORDER_FREE, Law.CUT_IN_TWO)


def checked_weight(beta: float) -> float:
    """Return the weight of recall; raise an error if it is not valid."""
    if not 0 <= beta <= LARGEST:
        raise UsageError(f"beta is {beta:g}; expected a weight from 0 to {LARGEST:g}")
    return beta


def f_of(r: Readings, precision: FloatArray, recall: FloatArray, beta: float) -> FloatArray:
    """Compute F = (1 + beta^2) P R / (beta^2 P + R); 0 if both are 0."""
    square = checked_weight(beta) * beta
    part = (1 + square) * precision * recall
    return r.ratio(part, square * precision + recall, undefined=0)


def interpolated(r: Readings, repeats: Repeats, levels: FloatArray) -> FloatArray:
    """Return, for each topic and level, the best precision at any rank that reaches it; else 0."""
    precision, places = _reached(r, repeats, levels)
    best = np.concatenate([best_from(precision), np.zeros((len(r), 1))], axis=-1)
    return np.take_along_axis(best, places, axis=-1)


def picked(r: Readings, repeats: Repeats, levels: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return precision after each rank, and the rank (from 0) whose precision each level takes.

    A level that is never reached has the number of ranks.
    """
    precision, places = _reached(r, repeats, levels)
    depth = precision.shape[-1]
    best = np.concatenate([best_from(precision), np.full((len(r), 1), -1.0)], axis=-1)
    wanted = np.take_along_axis(best, places, axis=-1)
    reaches = np.arange(depth) >= places[..., None]
    fits = reaches & (precision[:, None, :] == wanted[..., None])
    return precision, np.where(fits.any(axis=-1), fits.argmax(axis=-1) if depth else 0, depth)


def best_from(precision: FloatArray) -> FloatArray:
    """Return the best precision at each rank or further down."""
    best: FloatArray = np.maximum.accumulate(precision[:, ::-1], axis=-1)[:, ::-1]
    return best


def _reached(r: Readings, repeats: Repeats, levels: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return precision after each rank, and the first rank (from 0) that reaches each level."""
    skip = repeats == "skip"
    gathered = r.gathered(skip)
    precision = r.ratio(gathered, r.read(skip), undefined=0)
    reached, asked = r.steps(gathered, levels)
    if r.policy.conventions.recall_level == "floored":  # ranks with recall above 1 are ignored
        precision, reached = np.where(reached > 100, 0, precision), np.minimum(reached, 100)
    return precision, _places(reached, asked)


def _places(rising: IntArray, asked: IntArray) -> IntArray:
    """Return the first position in each row with at least each value; past the end if none has."""
    topics, depth = rising.shape
    above = 1 + max(int(rising.max(initial=0)), 0)
    row = np.arange(topics)[:, None]
    flat = (rising + row * above).ravel()
    found = np.searchsorted(flat, (np.minimum(asked, above) + row * above).ravel())
    return np.minimum(found.reshape(asked.shape) - row * depth, depth)


@measure(
    "iP",
    Law.NOTHING_IS_ZERO,
    Law.IDEAL_IS_ONE,
    Law.ADD_BELOW,
    reference=INEX_2007,
    reads="readings",
    properties=BY_GAIN,
    explains="text",
)
def interpolated_precision(
    r: Readings, *, recall: float, repeats: Repeats = "charge"
) -> FloatArray:
    """How little other text is read before a given share of the highlighted text is found.

    iP[x] = the highest precision after any result at which recall is x or more; 0 if recall never
    gets there. Precision after a result = highlighted characters found so far / characters read so
    far; recall = highlighted characters found so far / all highlighted characters. Text that is
    returned again is found only once; with `repeats=charge` it is read again, with `skip` it is
    not. Undefined without highlighted text.

    Beware: only the ends of results are considered, so cutting results into pieces can raise it.
    """
    if not 0 <= recall <= 1:
        raise UsageError(f"iP: the recall level is {recall:g}; expected a number from 0 to 1")
    return interpolated(r, repeats, np.array([recall]))[:, 0]


@measure(
    "MAiP",
    Law.NOTHING_IS_ZERO,
    Law.IDEAL_IS_ONE,
    Law.ADD_BELOW,
    reference=INEX_2007,
    aliases=("AiP",),
    reads="readings",
    properties=BY_GAIN,
    explains="text",
)
def average_interpolated_precision(r: Readings, *, repeats: Repeats = "charge") -> FloatArray:
    """How little other text is read for the highlighted text, averaged over all levels of recall.

    AiP = the mean of iP[x] over x = 0.00, 0.01, ..., 1.00; MAiP is its mean over topics. Undefined
    without highlighted text.
    """
    return r.ratio(r.total(interpolated(r, repeats, LEVELS)), len(LEVELS))


def _precision_and_recall(r: Readings, repeats: Repeats) -> tuple[FloatArray, FloatArray]:
    skip = repeats == "skip"
    found = r.last(r.gathered(skip))
    return r.ratio(found, r.last(r.read(skip)), undefined=0), r.ratio(found, r.highlighted)


def _harmonic_mean(r: Readings, precision: FloatArray, recall: FloatArray) -> FloatArray:
    both = precision + recall
    return np.where(both > 0, r.ratio(2 * precision * recall, both, undefined=0), 0)


@measure(
    "char_prec",
    *CHARACTERS,
    Law.IDEAL_IS_ONE,
    reference=INEX_EVAL,
    reads="readings",
    properties=BY_GAIN,
    explains="text",
)
def character_precision(r: Readings, *, repeats: Repeats = "charge") -> FloatArray:
    """The share of the returned text that is highlighted.

    char_prec = highlighted characters found / characters returned; 0 if nothing was returned. Text
    returned again is charged again unless `repeats=skip`.
    """
    return _precision_and_recall(r, repeats)[0]


@measure(
    "char_rec",
    *CHARACTERS,
    Law.IDEAL_IS_ONE,
    Law.ADD_BELOW,
    reference=INEX_EVAL,
    reads="readings",
    properties=BY_GAIN,
    explains="text",
)
def character_recall(r: Readings, *, repeats: Repeats = "charge") -> FloatArray:
    """The share of the highlighted text that was returned.

    char_rec = highlighted characters found / all highlighted characters. Undefined without
    highlighted text.
    """
    return _precision_and_recall(r, repeats)[1]


@measure(
    "char_f1",
    *CHARACTERS,
    Law.IDEAL_IS_ONE,
    reference=INEX_EVAL,
    reads="readings",
    properties=BY_GAIN,
    explains="text",
)
def character_f1(r: Readings, *, repeats: Repeats = "charge") -> FloatArray:
    """Precision and recall of the returned text in one number.

    char_f1 = 2 P R / (P + R) of char_prec and char_rec; 0 if both are 0. Undefined without
    highlighted text.
    """
    return _harmonic_mean(r, *_precision_and_recall(r, repeats))


def _document_precision_and_recall(r: Readings) -> tuple[FloatArray, FloatArray]:
    found = np.count_nonzero(r.relevant_place, axis=-1)
    return r.ratio(found, r.documents, undefined=0), r.ratio(found, r.relevant_documents)


@measure(
    "art_prec",
    *CHARACTERS,
    Law.IDEAL_IS_ONE,
    reference=INEX_EVAL,
    reads="readings",
    explains="articles",
)
def document_precision(r: Readings) -> FloatArray:
    """The share of the documents of the results that have highlighted text.

    Every document counts once, and counts as found even if none of its highlighted text was
    returned; 0 if nothing was returned.
    """
    return _document_precision_and_recall(r)[0]


@measure(
    "art_rec",
    *CHARACTERS,
    Law.IDEAL_IS_ONE,
    Law.ADD_BELOW,
    reference=INEX_EVAL,
    reads="readings",
    explains="articles",
)
def document_recall(r: Readings) -> FloatArray:
    """The share of the documents with highlighted text that have a result.

    Undefined without highlighted text.
    """
    return _document_precision_and_recall(r)[1]


@measure(
    "art_f1",
    *CHARACTERS,
    Law.IDEAL_IS_ONE,
    reference=INEX_EVAL,
    reads="readings",
    explains="articles",
)
def document_f1(r: Readings) -> FloatArray:
    """Precision and recall of documents with highlighted text in one number.

    art_f1 = 2 P R / (P + R) of art_prec and art_rec; 0 if both are 0. Undefined without highlighted
    text.
    """
    return _harmonic_mean(r, *_document_precision_and_recall(r))


# HiXEval, and overlap of results ------------------------------------------------------------------

OF_ELEMENTS = "Elements: highlighted characters; overlap"
RELIABILITY = (
    "Kazai, Lalmas and de Vries: Reliability Tests for the XCG and inex-2002 Metrics. In: Advances"
    " in XML Information Retrieval, LNCS 3493, 2005"
)
Base = Literal["focused", "thorough"]
Variant = Literal["inside", "earlier"]


def _found(r: ElementRankings, alpha: float) -> FloatArray:
    """Return highlighted characters cumulated over the ranks, seen ones weighted by 1 - alpha."""
    if not 0 <= alpha <= 1:
        raise UsageError(f"alpha is {alpha:g}; expected a number from 0 to 1")
    lit = r.results.highlighted
    if (lit < 0).any():
        judged = r.judged()  # or raises an error that names the missing input
        if judged.scale == "highlighted":
            raise UsageError(
                f"{judged.source}: the positions of highlighted text are unknown, and some results"
                " are passages; pass --collection"
            )
        raise UsageError(
            f"{judged.source}: found graded elements; HiP, HiR and HiF expect highlighted text"
        )
    values = lit.astype(float)
    if alpha:
        values -= alpha * r.seen_before("highlighted")
    return np.cumsum(r.table(values), axis=-1)


def highlighted_in_all(r: ElementRankings, base: Base) -> FloatArray:
    """Return the divisor of recall: highlighted characters of a topic, or of all its elements."""
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
    explains="characters",
    heading=OF_ELEMENTS,
)
def highlighted_precision(
    r: ElementRankings,
    *,
    cutoff: int,
    alpha: float = 1.0,
    base: Base = "focused",  # noqa: ARG001
) -> FloatArray:
    """The share of the text of the first k results that is highlighted and was not seen before.

    HiP@k = the sum of rval over the first k results / the sum of their sizes, every result counted
    in full. rval = highlighted characters of a result, minus alpha times those among them that
    earlier results have shown. 0 if nothing was returned. Undefined without highlighted text.
    `base` has no effect.
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
    explains="characters",
    heading=OF_ELEMENTS,
)
def highlighted_recall(
    r: ElementRankings, *, cutoff: int, alpha: float = 1.0, base: Base = "focused"
) -> FloatArray:
    """The share of the highlighted text that the first k results show.

    HiR@k = the sum of rval, as for HiP, over the first k results / all highlighted characters
    (`base=focused`), or / the sum of the highlighted characters of all elements, which contain each
    other (`base=thorough`). Undefined without highlighted text.

    Beware: with alpha below 1 and `base=focused` it can exceed 1.
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
    explains="characters",
    heading=OF_ELEMENTS,
)
def highlighted_f(
    r: ElementRankings, *, cutoff: int, alpha: float = 1.0, base: Base = "focused"
) -> FloatArray:
    """Precision and recall of the highlighted text of the first k results in one number.

    HiF@k = 2 P R / (P + R) of HiP and HiR; 0 if both are 0. Undefined without highlighted text.
    """
    precision, recall = _precision(r, cutoff, alpha), _recall(r, cutoff, alpha, base)
    both = precision + recall
    value = r.ratio(2 * precision * recall, both, undefined=0)
    return np.where(np.isnan(both), np.nan, value)


@measure(
    "Overlap",
    reference=RELIABILITY,
    reads="elements",
    less_is_better=True,
    explains="overlap",
    heading=OF_ELEMENTS,
)
def overlap_of_results(r: ElementRankings, *, variant: Variant = "inside") -> FloatArray:
    """The share of the results that repeat text of another result.

    Overlap = the share of a topic's results that lie inside another result of the topic, at any
    rank (`variant=inside`); or that share text with an earlier one (`variant=earlier`). An element
    lies inside another by its path, a span by its offsets; the same span is not inside itself.
    Undefined for a topic without results, or with nothing relevant.
    """
    flags = r.inside() if variant == "inside" else r.seen_before("anything")
    count = np.bincount(r.results.topic, weights=flags, minlength=len(r))
    return r.ratio(count, r.retrieved)
