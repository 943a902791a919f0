"""Precision as a function of recall, by expected search length: inex_eval, 2002 to 2004.

The quantised value of a result is taken as the probability that it is relevant.
"""

import numpy as np

from spanwise.errors import UsageError
from spanwise.measures.registry import BY_CHANCE, measure
from spanwise.model.arrays import FloatArray
from spanwise.model.element_rankings import ROUNDING, ElementRankings
from spanwise.model.elements import NO_ELEMENT
from spanwise.model.measure import Law

FAMILY = "Elements: precision by recall (2002-04)"

INEX_2002 = (
    "Goevert and Kazai: Overview of the INitiative for the Evaluation of XML retrieval (INEX) 2002;"
    " Raghavan, Bollmann and Jung: A critical investigation of recall and precision. ACM"
    " Transactions on Information Systems 7(3), 1989"
)


def precision_at(
    r: ElementRankings, quant: str | None, levels: FloatArray, elements: int | None
) -> FloatArray:
    """Return precision at some levels of recall, a column each."""
    total, relevant, other = _masses(r, quant, elements)
    gathered = np.cumsum(relevant, axis=-1)
    met = np.cumsum(other, axis=-1)
    values = np.full((len(r), len(levels)), np.nan)
    for row in np.flatnonzero(total > 0).tolist():
        wanted = levels * total[row]
        place = np.searchsorted(gathered[row], wanted * (1 - ROUNDING))
        missed = place >= gathered.shape[-1]
        if missed.all():
            values[row] = 0.0
            continue
        at = np.minimum(place, gathered.shape[-1] - 1)
        before = np.where(at > 0, gathered[row][at - 1], 0.0)
        passed = np.where(at > 0, met[row][at - 1], 0.0)
        needed = wanted - before
        length = passed + needed * other[row][at] / (relevant[row][at] + 1)
        values[row] = np.where(missed, 0.0, wanted / (wanted + length))
    return values


def _masses(
    r: ElementRankings, quant: str | None, elements: int | None
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the relevance of the recall base, and of each level what is relevant and what not."""
    base = r.base(quant)
    value = base.value / base.highest
    _refuse_passages(r)
    known = r.results.element != NO_ELEMENT
    chance = np.where(known, value[r.results.element], 0.0) if len(value) else known * 0.0
    total = r.of_topics(r.judged().of_topics(value))
    relevant, other = _levels(r, chance), _levels(r, 1 - chance)
    if elements is None:
        return total, relevant, other
    found, shown = relevant.sum(axis=-1), r.retrieved
    if elements < shown.max(initial=0):
        raise UsageError(
            f"elements is {elements}, but a topic has {shown.max()} results; expected the number of"
            " elements in the collection"
        )
    left = np.maximum(total - found, 0.0)
    rest = np.maximum(elements - shown - left, 0.0)
    last = np.stack([left, rest])[:, :, None]
    return total, np.append(relevant, last[0], axis=-1), np.append(other, last[1], axis=-1)


def _levels(r: ElementRankings, column: FloatArray) -> FloatArray:
    """Return the sum of a column over each level; levels in order along the last axis."""
    level, topic = r.results.level, r.results.topic
    table = np.zeros((len(r), r.depth))
    first = np.zeros(len(r), np.int64)
    begins = np.searchsorted(topic, np.arange(len(r)))
    some = begins < len(topic)
    first[some] = level[begins[some]]
    np.add.at(table, (topic, level - first[topic]), column)
    return table


def _refuse_passages(r: ElementRankings) -> None:
    if r.results.passage.any():
        raise UsageError("inex_eval is for elements, but results are passages; see HiP, MAiP")


def _mean(
    r: ElementRankings, *, quant: str | None = None, points: int = 100, elements: int | None = None
) -> FloatArray:
    if points < 1:
        raise UsageError(f"inex_eval: points is {points}; expected 1 or more")
    return precall_curve(r, quant=quant, points=points, elements=elements).sum(axis=-1) / points


def _single(
    r: ElementRankings, *, recall: float, quant: str | None = None, elements: int | None = None
) -> FloatArray:
    if not 0 < recall <= 1:
        raise UsageError(
            f"precall: the level is {recall:g}; expected a number above 0 and at most 1"
        )
    return precision_at(r, quant, np.array([recall]), elements)[:, 0]


@measure(
    "inex_eval",
    Law.NOTHING_IS_ZERO,
    Law.ADD_BELOW,
    reference=INEX_2002,
    reads="elements",
    aliases=("inex_2002",),
    expected=_mean,
    properties=BY_CHANCE,
    explains="chances",
)
def mean_precall(
    r: ElementRankings, *, quant: str | None = None, points: int = 100, elements: int | None = None
) -> FloatArray:
    """How likely a reader is to meet relevant elements, averaged over levels of recall.

    inex_eval = the mean of precall at the levels of recall 0.01, 0.02, ..., 1 (`points` sets
    another number of levels). Undefined if nothing is relevant.

    Beware: recall is that of the full recall base, in which elements contain each other, so a run
    that returns all nested elements beats one without overlap.
    """
    return _mean(r, quant=quant, points=points, elements=elements)


def precall_curve(
    r: ElementRankings, *, quant: str | None = None, points: int = 100, elements: int | None = None
) -> FloatArray:
    """Return precision at each level of recall, for each topic."""
    return precision_at(r, quant, np.arange(1, points + 1) / points, elements)


@measure(
    "precall",
    Law.NOTHING_IS_ZERO,
    Law.ADD_BELOW,
    reference=INEX_2002,
    reads="elements",
    expected=_single,
    properties=BY_CHANCE,
    explains="chances",
)
def precall(
    r: ElementRankings, *, recall: float, quant: str | None = None, elements: int | None = None
) -> FloatArray:
    """How likely a reader is to meet relevant elements, up to a given level of recall.

    precall[x] = x n / (x n + esl), n being the summed value of the full recall base, and esl the
    expected search length: what is not relevant before the level at which x n is reached, plus s i
    / (r + 1) of that level, of which r is relevant, i is not, and s is still missing. Each result
    is a level of its own; with `--ties expected` results of equal score share one. 0 if the run
    never gets there; or, if `elements` gives the number of elements in the collection, one more
    level holds all elements that were not returned. Values above 1 are divided by the highest
    possible. Undefined if nothing is relevant.

    Beware: values between 0 and 1 are used as probabilities, although they are none.
    """
    return _single(r, recall=recall, quant=quant, elements=elements)
