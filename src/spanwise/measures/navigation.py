"""Measures of navigating readers, who go from a result to elements, passages or entry points.

A behaviour gives, for each result and each target, the probability that a reader who looks at the
result goes to the target. Targets are independent of each other. A target that was seen before is
not discovered again. Behaviours:

identity: a reader looks at the result only, so only a target itself counts; containment: a reader
reads all of the result and so finds every target in it; bep: targets are best entry points, one per
document; the probability is A L / (A L + d), where d is the number of characters between the starts
of result and entry point and L is the mean document length; table: probabilities are read from the
file that `table` names.

But for `bep`, targets are the ideal elements under a quantisation, each worth its value as a share
of the highest one can give (`worth=graded`), or 1 (`binary`). With `paths=assessed` the relevant
paths, on each of which the best element is ideal, end also at elements that assessors found
relevant and to which the quantisation gives no value.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import numpy as np

from spanwise.errors import UsageError
from spanwise.measures.discoveries import (
    Discoveries,
    discoveries,
    discovering_share,
    mean_precision,
    precision_at_rank,
    precision_at_recall,
    recall_at,
)
from spanwise.measures.registry import (
    BY_ENTRY_POINT,
    BY_READER,
    BY_READER_BINARY,
    BY_TOLERANCE,
    measure,
)
from spanwise.model.arrays import FloatArray
from spanwise.model.element_rankings import Behaviour, NavigationRankings, Worth
from spanwise.model.elements import Paths
from spanwise.model.measure import Law, MeasureRequest

FAMILY = "Readers who go on from what they find; entry points"

INEX_2006 = (
    "Lalmas, Kazai, Kamps, Pehcevski, Piwowarski and Robertson: INEX 2006 Evaluation Measures. In:"
    " Comparative Evaluation of XML Information Retrieval Systems, LNCS 4518, 2007"
)
EPRUM = "Piwowarski and Dupret: Evaluation in (XML) Information Retrieval: EPRUM. SIGIR 2006"
METRICS = "Pehcevski and Piwowarski: Evaluation Metrics. Encyclopedia of Database Systems, 2009"
T2I = (
    "After de Vries, Kazai and Lalmas: Tolerance to Irrelevance. RIAO 2004; a definition of our own"
)
Behaving = Literal["identity", "containment", "bep", "table"]
Ideal = Literal["higher", "deeper"]
Steps = Literal["linear", "whole"]
RECALL = (Law.NOTHING_IS_ZERO, Law.BLIND_BELOW_CUTOFF, Law.ADD_BELOW)


def _behaviour(name: Any, **others: Any) -> Behaviour:
    behaviour = Behaviour(name, **others)
    if behaviour.A <= 0:
        raise UsageError(f"A is {behaviour.A:g}; it must be more than 0")
    if behaviour.L is not None and behaviour.L <= 0:
        raise UsageError(f"L is {behaviour.L:g}; a mean length must be more than 0")
    if behaviour.table is not None and name != "table":
        given = "a function" if callable(name) else repr(name)
        raise UsageError(
            f"behaviour is {given}, so table={behaviour.table} has no effect; expected"
            " behaviour=table"
        )
    return behaviour


class Readers:
    """The readers of a block with one behaviour, and what they discover.

    The parameters are those of all measures whose behaviour can be chosen.
    """

    def __init__(
        self,
        b: NavigationRankings,
        *,
        behaviour: Behaving = "identity",
        A: float = 1,  # noqa: N803
        L: float | None = None,  # noqa: N803
        quant: str | None = None,
        ideal: Ideal = "higher",
        paths: Paths = "valued",
        worth: Worth = "graded",
        table: str | None = None,
    ) -> None:
        self._rankings = b
        self.behaviour = _behaviour(
            behaviour, A=A, L=L, quant=quant, ideal=ideal, paths=paths, worth=worth, table=table
        )

    def each(self, value: Callable[[Discoveries], float]) -> FloatArray:
        """Compute one value per topic; undefined for topics without targets."""
        return _each(self._rankings, self.behaviour, value)


NEAR_ENTRY_POINTS = partial(Readers, behaviour="bep")
EQUAL_TARGETS = partial(Readers, worth="binary")


def behaviour_of(one: MeasureRequest, b: NavigationRankings) -> Behaviour:
    """Return the behaviour of a requested measure of this family."""
    if one.measure.of is not None:
        readers: Readers = one.measure.made(b, **one.parameters)
        return readers.behaviour
    values = {name: one.parameter(name) for name in one.measure.parameters}
    return _behaviour({"BEPD": "bep", "T2I": "t2i"}[one.measure.name], **values)


def _each(
    b: NavigationRankings, behaviour: Behaviour, value: Callable[[Discoveries], float]
) -> FloatArray:
    found = b.once(("discoveries", behaviour), lambda: discoveries(b.of(behaviour)))
    return np.array([value(one) if len(one.worth) else np.nan for one in found])


def _level(name: str, recall: float) -> float:
    if not 0 < recall <= 1:
        raise UsageError(f"{name}: the recall level is {recall:g}; it must be above 0, at most 1")
    return recall


@measure(
    "GR",
    *RECALL,
    reference=METRICS,
    reads="navigation",
    of=Readers,
    properties=BY_READER,
    explains="navigation",
)
def generalised_recall(readers: Readers, *, cutoff: int) -> FloatArray:
    """The expected share of the targets that readers see in the first k results.

    GR@k = the sum over targets of worth times the probability that it has been seen / the sum of
    all worths. The probability that a target has been seen is 1 minus the product, over the first k
    results, of the probabilities of not going there. Undefined without targets.
    """
    return readers.each(lambda found: recall_at(found, cutoff))


@measure(
    "PRUM",
    Law.NOTHING_IS_ZERO,
    Law.IDEAL_IS_ONE,
    reference=METRICS,
    reads="navigation",
    of=EQUAL_TARGETS,
    properties=BY_READER_BINARY,
    explains="navigation",
)
def precision_with_user_model(readers: Readers, *, recall: float) -> FloatArray:
    """How likely an examined result leads to something new, until a given share was seen.

    PRUM[l] = the expected number of results that lead to at least one discovery / the expected
    number of results examined, by readers who stop when they have seen a share l of the targets.
    Readers who never get there examine all results. Undefined without targets.

    Beware: every target counts 1, whatever its value.
    """
    level = _level("PRUM", recall)
    if readers.behaviour.worth != "binary":
        raise UsageError("PRUM: worth is 'graded'; every target counts 1, expected binary")
    return readers.each(lambda found: discovering_share(found, level))


@measure(
    "EPRUM",
    Law.NOTHING_IS_ZERO,
    Law.BLIND_BELOW_CUTOFF,
    Law.ADD_BELOW,
    reference=f"{EPRUM}; {INEX_2006}",
    bounds=(0.0, float("inf")),
    reads="navigation",
    of=NEAR_ENTRY_POINTS,
    properties=BY_READER,
    explains="navigation",
)
def expected_precision(
    readers: Readers,
    *,
    recall: float | None = None,
    cutoff: int | None = None,
    interpolate: Steps = "linear",
    grid: int | None = None,
) -> FloatArray:
    """How little effort readers make, compared with the least possible effort for the same recall.

    EPRUM[l] = the expectation of I/K. K is the rank at which a reader has seen a share l of the
    worth of all targets, and I the smallest number of targets that are worth as much; a reader who
    never gets there counts 0. Without a level: the mean over l = 1/N, 2/N, ..., 1 for N targets.
    EPRUM@k = the rank at which the list of targets, the best first, reaches the worth expected to
    be seen in k results (interpolated, or the next whole rank with `interpolate=whole`) / k.
    Undefined without targets.

    Beware: under containment one result can lead to several targets, more than a rank of the ideal
    list holds, so values can exceed 1. Each result of a document is another opportunity to reach
    its entry point, whereas BEPD counts the first result alone. Many targets of different worth
    have too many sums; `grid=1000` rounds their worth to thousandths.
    """
    if cutoff is not None:
        return readers.each(lambda found: precision_at_rank(found, cutoff, interpolate == "whole"))
    if recall is None:
        return readers.each(lambda found: mean_precision(_rounded(found, grid)))
    level = np.array([_level("EPRUM", recall)])
    return readers.each(lambda found: float(precision_at_recall(_rounded(found, grid), level)[0]))


def _rounded(found: Discoveries, grid: int | None) -> Discoveries:
    """Return worths as whole numbers of shares, each at least 1."""
    if grid is None:
        return found
    if grid < 1:
        raise UsageError(f"grid is {grid}; it must be 1 or more")
    return replace(found, worth=np.maximum(np.round(found.worth * grid), 1))


@measure(
    "BEPD",
    Law.NOTHING_IS_ZERO,
    Law.IDEAL_IS_ONE,
    Law.ADD_BELOW,
    reference=INEX_2006,
    reads="navigation",
    properties=BY_ENTRY_POINT,
    explains="navigation",
)
def best_entry_point_distance(
    b: NavigationRankings,
    *,
    A: float = 1,  # noqa: N803
    L: float | None = None,  # noqa: N803
) -> FloatArray:
    """How near the results begin to the best entry points.

    BEPD = the sum over documents of A L / (A L + d) / the number of best entry points. d is the
    number of characters between the start of the first result of a document and its best entry
    point; a document that has none, or is not returned, counts 0. L is the mean length of the
    documents of the collection. Undefined without best entry points.

    Beware: only the first result of a document counts, and ranks do not matter. How many results
    were ignored is reported beside the scores; EPRUM counts every one.
    """

    def value(topic: int) -> float:
        navigation = b.of(how)[topic]
        if not len(navigation.worth):
            return float("nan")
        first = np.zeros(len(navigation.worth))
        first[navigation.target[::-1]] = navigation.chance[
            ::-1
        ]  # of several the last one assigned counts
        return float(first.sum() / len(navigation.worth))

    how = _behaviour("bep", A=A, L=L)
    return np.array([value(topic) for topic in range(len(b))])


@measure(
    "T2I",
    Law.NOTHING_IS_ZERO,
    Law.IDEAL_IS_ONE,
    Law.ADD_BELOW,
    reference=T2I,
    reads="navigation",
    properties=BY_TOLERANCE,
    explains="navigation",
)
def tolerance_to_irrelevance(b: NavigationRankings, *, tolerance: float = 300) -> FloatArray:
    """Experimental: how early results lead readers with little patience to highlighted passages.

    A reader reads on from the start of each result. If the first highlighted passage that ends
    after it begins within `tolerance` characters, the result hits that passage; a passage is hit
    once. T2I = (1/N) times the sum, over ranks k that hit something new, of hits so far / k, for N
    highlighted passages. Undefined without highlighted text.

    Beware: the measure was proposed without an implementation; this is our interpretation. It is
    unrelated to `score=t2i` of MAgP.
    """
    if tolerance < 0:
        raise UsageError(f"tolerance is {tolerance:g}; it must be 0 or more")
    return _each(b, Behaviour("t2i", tolerance=tolerance), mean_precision)
