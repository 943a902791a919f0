"""Precision and recall from specificity, exhaustivity and size: inex_eval_ng, 2003."""

from typing import Literal

import numpy as np

from spanwise.errors import UsageError
from spanwise.measures.registry import BY_SIZE, measure
from spanwise.model.arrays import FloatArray
from spanwise.model.element_rankings import ElementRankings
from spanwise.model.elements import NO_ELEMENT, JudgedElements
from spanwise.model.measure import Law

FAMILY = "Elements: specificity and exhaustivity (2003)"

NEXT_GENERATION = (
    "Goevert, Kazai, Fuhr and Lalmas: Evaluating the effectiveness of content-oriented XML"
    " retrieval. Technical report, University of Dortmund, 2003"
)
Overlap = Literal["on", "off"]


def _judged(r: ElementRankings) -> tuple[FloatArray, FloatArray]:
    """Return exhaustivity and specificity of every judged element, from 0 to 1.

    Elements that do not match the structure that the query asks for have neither.
    """
    judged = r.judged()
    if judged.scale == "letters":
        raise UsageError(
            f"{judged.source}: found letters for coverage; NGP and NGR expect two grades or"
            " highlighted text"
        )
    exhaustivity, specificity = _normalised(judged)
    return exhaustivity * judged.wanted, specificity * judged.wanted


def _normalised(judged: JudgedElements) -> tuple[FloatArray, FloatArray]:
    grade = np.maximum(judged.exhaustivity, 0)
    if judged.scale == "pairs":
        return grade / 3, np.maximum(judged.specificity, 0) / 3
    lit, size = np.maximum(judged.highlighted, 0), judged.size
    return grade / 2, np.divide(lit, size, out=np.zeros(len(size)), where=size > 0)


def _of_results(r: ElementRankings, column: FloatArray) -> FloatArray:
    """Return a column of the judged elements for each result; 0 for results not judged."""
    if r.results.passage.any():
        raise UsageError("NGP and NGR are for elements, but results are passages; see HiP and HiR")
    known = r.results.element != NO_ELEMENT
    return np.where(known, column[r.results.element], 0.0) if len(column) else known * 0.0


def _new(r: ElementRankings, overlap: Overlap) -> FloatArray:
    """Return the share of each result that no earlier one has shown."""
    if overlap == "off":
        return np.ones(len(r.results))
    size = r.sizes()
    characters = r.seen_before("characters")
    return 1 - r.ratio(np.minimum(characters, size), size, undefined=0)


def parts(r: ElementRankings, overlap: Overlap) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return exhaustivity, specificity and the new share of each result."""
    exhaustivity, specificity = _judged(r)
    return _of_results(r, exhaustivity), _of_results(r, specificity), _new(r, overlap)


def exhaustivity_in_all(r: ElementRankings) -> FloatArray:
    """Return the sum of the exhaustivity of all judged elements of each topic."""
    exhaustivity, _ = _judged(r)
    return r.of_topics(r.judged().of_topics(exhaustivity))


@measure(
    "NGP",
    Law.NOTHING_IS_ZERO,
    Law.BLIND_BELOW_CUTOFF,
    reference=NEXT_GENERATION,
    reads="elements",
    grades=True,
    properties=BY_SIZE,
    explains="specificity",
)
def next_generation_precision(
    r: ElementRankings, *, cutoff: int, overlap: Overlap = "on"
) -> FloatArray:
    """How specific the text of the first k results is, repeated text counted once.

    NGP@k = the sum of specificity times size times (1 - o) over the first k results / the sum of
    size times (1 - o); o is the share of a result that earlier ones have shown with `overlap=on`, 0
    with `off`. Specificity is from 0 to 1, and 0 for results not judged. 0 if nothing was returned.
    Undefined if nothing is relevant.

    Beware: the order of two nested results changes the value.
    """
    _, specificity = _judged(r)
    text = r.sizes() * _new(r, overlap)
    good = np.cumsum(r.table(_of_results(r, specificity) * text), axis=-1)
    every = np.cumsum(r.table(text), axis=-1)
    value = r.ratio(r.at(good, cutoff), r.at(every, cutoff), undefined=0)
    return np.where(exhaustivity_in_all(r) > 0, value, np.nan)


@measure(
    "NGR",
    Law.NOTHING_IS_ZERO,
    Law.BLIND_BELOW_CUTOFF,
    Law.ADD_BELOW,
    reference=NEXT_GENERATION,
    reads="elements",
    grades=True,
    properties=BY_SIZE,
    explains="specificity",
)
def next_generation_recall(
    r: ElementRankings, *, cutoff: int, overlap: Overlap = "on"
) -> FloatArray:
    """How much of the total exhaustivity the first k results show, repeated text counted once.

    NGR@k = the sum of exhaustivity times (1 - o) over the first k results / the sum of the
    exhaustivity of all judged elements; o is the share of a result that earlier ones have shown
    with `overlap=on`, 0 with `off`. Exhaustivity is from 0 to 1, `?` counts 0. Undefined if nothing
    is relevant.

    Beware: judged elements contain each other, so with `overlap=on` no run reaches 1.
    """
    exhaustivity, _ = _judged(r)
    found = np.cumsum(r.table(_of_results(r, exhaustivity) * _new(r, overlap)), axis=-1)
    return r.ratio(r.at(found, cutoff), exhaustivity_in_all(r))
