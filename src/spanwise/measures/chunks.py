"""Measures of chunks: how much of the relevant text is read for a given amount of reading.

Reading goes character by character, result by result in rank order. It stops at a budget, which may
be inside a result, or after k results; without either the whole run is read. Text that is returned
again is read again, but found only once.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from spanwise.errors import UsageError
from spanwise.measures.highlight import f_of
from spanwise.measures.registry import GENOMICS_2007, HIXEVAL, measure
from spanwise.model.arrays import FloatArray, IntArray
from spanwise.model.measure import Law
from spanwise.model.readings import NEVER, Readings

FAMILY = "Chunks, at a reading budget or after k results"

RESTRICTED = (
    "Arvola, Geva, Kamps, Schenkel, Trotman and Vainio: Overview of the INEX 2010 Ad Hoc Track."
    " In: Comparative Evaluation of Focused Retrieval, LNCS 6932, 2011"
)
FEVER = (
    "Thorne, Vlachos, Christodoulopoulos and Mittal: FEVER: a Large-scale Dataset for Fact"
    " Extraction and VERification. In: NAACL-HLT, 2018"
)
CHROMA = "Smith and Troynikov: Evaluating Chunking Strategies for Retrieval. Chroma, 2024"
SEARCH_LENGTH = (
    "Cooper: Expected Search Length. A Single Measure of Retrieval Effectiveness Based on the Weak"
    " Ordering Action of Retrieval Systems. American Documentation 19, 1968"
)
TOLERANCE = (
    "de Vries, Kazai and Lalmas: Tolerance to Irrelevance: A User-effort Oriented Evaluation of"
    " Retrieval Systems without Predefined Retrieval Unit. In: RIAO, 2004"
)
OWN = "spanwise, 2026"
LAWS = (Law.NOTHING_IS_ZERO, Law.BLIND_BELOW_CUTOFF)


@dataclass(frozen=True, slots=True, eq=False)
class Read:
    """The text that is read of each topic, in characters."""

    read: IntArray  # repeated text included
    distinct: IntArray
    hit: IntArray  # relevant characters, each counted once
    judged: IntArray  # distinct characters that were judged


def what_is_read(r: Readings, budget: float | None, cutoff: int | None) -> Read:
    """Count what is read up to a budget or up to the `cutoff`-th result."""
    refuse_budget(budget)

    def count() -> Read:
        limit, pieces = r.limit(budget, cutoff), r.pieces
        seen = pieces.within(limit)
        return Read(
            limit,
            r.summed(pieces.topic, seen),
            r.summed(pieces.topic, seen * pieces.relevant),
            r.summed(pieces.topic, seen * pieces.judged),
        )

    return r.once(("read", budget, cutoff), count)


def refuse_budget(budget: float | None) -> None:
    """Raise an error for a budget below 0."""
    if budget is not None and not budget >= 0:
        raise UsageError(f"the budget is {budget:g}; expected 0 or more")


@measure(
    "SpanR",
    *LAWS,
    Law.ADD_BELOW,
    Law.CUT_IN_TWO,
    Law.READ_AGAIN,
    reference=RESTRICTED,
    reads="readings",
    explains="readings",
)
def span_recall(
    r: Readings, *, budget: float | None = None, cutoff: int | None = None
) -> FloatArray:
    """The share of the relevant text that you find within your reading budget.

    SpanR = different relevant characters read / all relevant characters. Reading stops at the
    `budget` of characters (or of tokens, if the budget counts tokens), or after k results,
    whichever comes first. Undefined without relevant text.
    """
    return r.ratio(what_is_read(r, budget, cutoff).hit, r.highlighted)


@measure(
    "SpanP",
    *LAWS,
    Law.CUT_IN_TWO,
    Law.READ_AGAIN,
    reference=HIXEVAL,
    reads="readings",
    explains="readings",
)
def span_precision(
    r: Readings, *, budget: float | None = None, cutoff: int | None = None
) -> FloatArray:
    """The share of the text read that is relevant; text that is read again counts as not relevant.

    SpanP = different relevant characters read / characters read, repeated ones included; 0 if
    nothing is read. Reading stops as for SpanR.

    Beware: with a cut-off, a copy can push a worse result below it; with a budget copies never pay.
    """
    text = what_is_read(r, budget, cutoff)
    return r.ratio(text.hit, text.read, undefined=0)


@measure(
    "SpanF",
    *LAWS,
    Law.CUT_IN_TWO,
    Law.READ_AGAIN,
    reference=HIXEVAL,
    reads="readings",
    explains="readings",
)
def span_f(
    r: Readings, *, budget: float | None = None, cutoff: int | None = None, beta: float = 1
) -> FloatArray:
    """Recall and precision of the text read in one number.

    SpanF = (1 + beta^2) P R / (beta^2 P + R) of SpanP and SpanR; 0 if both are 0. Undefined without
    relevant text.
    """
    text = what_is_read(r, budget, cutoff)
    precision = r.ratio(text.hit, text.read, undefined=0)
    recall = r.ratio(text.hit, r.highlighted)
    return np.where(np.isnan(recall), np.nan, f_of(r, precision, recall, beta))


@measure(
    "FullEvidence",
    *LAWS,
    Law.ADD_BELOW,
    Law.CUT_IN_TWO,
    Law.READ_AGAIN,
    reference=FEVER,
    reads="readings",
    explains="readings",
    ranges={"share": (0.01, 1.0)},
)
def full_evidence(
    r: Readings,
    *,
    budget: float | None = None,
    cutoff: int | None = None,
    blank: Literal["ignore", "count"] = "ignore",
    share: float = 1.0,
) -> FloatArray:
    """Whether all relevant text has been read; the mean is the share of topics with an answer.

    FullEvidence = 1 if every relevant character that is not white space is read, or, if the
    judgements have several alternative sets, every one of a complete set; else 0. With a `share`
    below 1, that share of these characters of a set is enough. White space is what Unicode calls
    White_Space; `blank=count` counts it as well. Reading stops as for SpanR. Undefined without
    relevant text.

    Beware: white space is found in the text of the documents; where no text is known, every
    character counts.
    """
    refuse_budget(budget)
    complete = r.evidence.complete(r.limit(budget, cutoff), share, blank == "count")
    return np.where(r.highlighted > 0, complete.astype(np.float64), np.nan)


@measure(
    "Waste",
    Law.BLIND_BELOW_CUTOFF,
    Law.CUT_IN_TWO,
    reference=OWN,
    reads="readings",
    less_is_better=True,
    explains="readings",
)
def waste(r: Readings, *, budget: float | None = None, cutoff: int | None = None) -> FloatArray:
    """The share of the text read that had been read before.

    Waste = 1 - different characters read / characters read; 0 if nothing is read. Reading stops as
    for SpanR. Lower is better.
    """
    text = what_is_read(r, budget, cutoff)
    return r.ratio(text.read - text.distinct, text.read, undefined=0)


@measure(
    "Read",
    Law.BLIND_BELOW_CUTOFF,
    Law.CUT_IN_TWO,
    reference=OWN,
    bounds=(0.0, float("inf")),
    reads="readings",
    less_is_better=True,
    explains="readings",
)
def characters_read(
    r: Readings, *, budget: float | None = None, cutoff: int | None = None
) -> FloatArray:
    """The amount of text that is read.

    Read = characters read, repeated ones included. Reading stops as for SpanR. Lower is better if
    the same amount is found.
    """
    return r.limit(budget, cutoff).astype(np.float64)


@measure(
    "SpanIoU",
    *LAWS,
    Law.CUT_IN_TWO,
    Law.READ_AGAIN,
    reference=CHROMA,
    reads="readings",
    explains="readings",
)
def span_iou(r: Readings, *, budget: float | None = None, cutoff: int | None = None) -> FloatArray:
    """How well the text read and the relevant text coincide.

    SpanIoU = hit / (read + relevant - hit). Hit counts the different relevant characters read, read
    all characters read with repeated ones, relevant all relevant characters. Undefined without
    relevant text.
    """
    text = what_is_read(r, budget, cutoff)
    value = r.ratio(text.hit, text.read + r.highlighted - text.hit, undefined=0)
    return np.where(r.highlighted > 0, value, np.nan)


@measure(
    "FirstEvidence",
    Law.CUT_IN_TWO,
    reference=SEARCH_LENGTH,
    bounds=(0.0, float("inf")),
    reads="readings",
    less_is_better=True,
    explains="readings",
)
def first_evidence(r: Readings, *, budget: float | None = None) -> FloatArray:
    """How much has to be read before the first relevant character.

    FirstEvidence = what is read before the first relevant character, repeated text included. With a
    `budget`, no more than the budget: a topic for which no relevant text is read counts as the
    whole budget. Without one, in characters, it is undefined for such topics. Undefined without
    relevant text. Lower is better.

    Beware: without a budget, hard topics for which a run finds nothing are left out of its mean.
    """
    refuse_budget(budget)
    pieces = r.pieces
    first = np.full(len(r), NEVER)
    np.minimum.at(first, pieces.topic[pieces.relevant], pieces.at[pieces.relevant])
    found = first < NEVER
    if budget is None:
        return np.where(found, first.astype(np.float64), np.nan)
    cost = np.where(found, np.minimum(r.price(np.where(found, first, 0)), budget), budget)
    return np.where(r.highlighted > 0, cost, np.nan)


@measure(
    "Reach",
    Law.CUT_IN_TWO,
    reference=OWN,
    reads="readings",
    explains="readings",
    unlimited=True,
)
def reach(r: Readings, *, budget: float) -> FloatArray:
    """Whether enough is returned to spend the budget; the mean is the share of such topics.

    Reach = 1 if all results of the topic together have at least `budget` characters, or tokens or
    cost if the budget counts these; else 0. Repeated text counts. A measure at a budget compares
    two runs fairly only on topics in which both reach it.
    """
    refuse_budget(budget)
    return (r.returned >= budget).astype(np.float64)


def unread_blank_count(r: Readings, *, budget: float | None = None) -> FloatArray:
    """Count the white space in the relevant text that is not read."""
    found = r.evidence.blank(r.limit(budget, None))
    return np.full(len(r), np.nan) if found is None else (found[1] - found[0]).astype(np.float64)


def unread_count(r: Readings, *, budget: float | None = None) -> FloatArray:
    """Count the relevant characters that are not read."""
    return (r.highlighted - what_is_read(r, budget, None).hit).astype(np.float64)


@measure(
    "UnreadBlank",
    Law.CUT_IN_TWO,
    reference=OWN,
    reads="readings",
    aggregate="pooled",
    parts=(unread_blank_count, unread_count),
    explains="readings",
)
def unread_blank(r: Readings, *, budget: float | None = None) -> FloatArray:
    """The share of the relevant text that is not read which is white space.

    UnreadBlank = white space in relevant text that is not read / relevant characters that are not
    read, over all topics together. It shows whether recall is lost to text or to the white space
    that a chunker strips. Undefined if everything is read, or if the documents' text is unknown.
    """
    return r.ratio(
        unread_blank_count(r, budget=budget), unread_count(r, budget=budget), undefined=np.nan
    )


@measure(
    "AspectR",
    *LAWS,
    Law.ADD_BELOW,
    Law.CUT_IN_TWO,
    Law.READ_AGAIN,
    reference=GENOMICS_2007,
    reads="readings",
    explains="readings",
)
def aspect_recall(
    r: Readings, *, budget: float | None = None, cutoff: int | None = None
) -> FloatArray:
    """The share of the topic's aspects on which something relevant has been read.

    AspectR = aspects of which at least one relevant character is read / all aspects of the topic.
    Reading stops as for SpanR. Undefined if the judgements name no aspects.
    """
    topic, at = r.once("touched", r.evidence.touched)
    limit = r.limit(budget, cutoff)
    found = np.bincount(topic, weights=at < limit[topic], minlength=len(r))
    return r.ratio(found, np.bincount(topic, minlength=len(r)), undefined=np.nan)


@measure(
    "NearR",
    *LAWS,
    Law.ADD_BELOW,
    Law.CUT_IN_TWO,
    Law.READ_AGAIN,
    reference=TOLERANCE,
    reads="readings",
    explains="readings",
)
def near_recall(r: Readings, *, tolerance: int = 100, cutoff: int | None = None) -> FloatArray:
    """The share of the relevant text that is read, or that is close to text that is read.

    NearR = relevant characters in the first k results or at most `tolerance` characters before or
    after one of them / all relevant characters. It shows what fetching the neighbouring text would
    bring. Undefined without relevant text.

    Beware: the text around results is not charged, so large values of `tolerance` favour many small
    results.
    """
    if tolerance < 0:
        raise UsageError(f"NearR: the tolerance is {tolerance}; expected 0 or more")
    return r.ratio(r.evidence.near(cutoff, tolerance), r.highlighted)


@measure(
    "JudgedText",
    Law.BLIND_BELOW_CUTOFF,
    Law.CUT_IN_TWO,
    reference=OWN,
    reads="readings",
    explains="readings",
    sampled=False,
)
def judged_text(
    r: Readings, *, budget: float | None = None, cutoff: int | None = None
) -> FloatArray:
    """The share of the text read that was judged.

    JudgedText = different characters read that were judged / different characters read. All text of
    a judged document counts as judged, unless the judgements state that only the marked spans were.
    Undefined if nothing is read.
    """
    text = what_is_read(r, budget, cutoff)
    return r.ratio(text.judged, text.distinct, undefined=np.nan)


# Whole chunks -------------------------------------------------------------------------------------

TOUCHING = (
    "Järvelin and Kekäläinen: Cumulated Gain-Based Evaluation of IR Techniques. TOIS 20, 2002"
)


@measure(
    "ChunkHit",
    Law.NOTHING_IS_ZERO,
    Law.BLIND_BELOW_CUTOFF,
    reference=TOUCHING,
    reads="readings",
    explains="readings",
)
def chunk_hit(r: Readings, *, cutoff: int | None = None) -> FloatArray:
    """Whether any of the first k results overlaps relevant text.

    ChunkHit@k = 1 if any of the first k results shares a character with relevant text, else 0.

    Beware: larger results overlap more, so it cannot compare chunks of different size; see SpanR.
    """
    found: FloatArray = np.any(r.relevant[:, :cutoff] > 0, axis=-1) * np.ones(len(r))
    return found


@measure(
    "ChunkP",
    Law.NOTHING_IS_ZERO,
    Law.BLIND_BELOW_CUTOFF,
    reference=TOUCHING,
    reads="readings",
    explains="readings",
)
def chunk_precision(r: Readings, *, cutoff: int) -> FloatArray:
    """The share of the first k results that overlap relevant text.

    ChunkP@k = results among the first k that share a character with relevant text / k, or / the
    number of results if there are fewer; 0 without results.

    Beware: chunks that overlap at the same place all count; see SpanP.
    """
    found = np.count_nonzero(r.relevant[:, :cutoff], axis=-1)
    return r.ratio(found, np.minimum(r.retrieved, cutoff), undefined=0)


@measure(
    "ChunkNDCG",
    Law.NOTHING_IS_ZERO,
    Law.BLIND_BELOW_CUTOFF,
    reference=TOUCHING,
    reads="readings",
    explains="readings",
)
def chunk_ndcg(r: Readings, *, cutoff: int) -> FloatArray:
    """How early the results that overlap relevant text come.

    ChunkNDCG@k = DCG@k / ideal DCG@k. The gain of a result is 1 if it shares a character with
    relevant text, else 0; the discount is 1/log2(rank+1). The ideal ranking begins with as many
    results of gain 1 as there are relevant passages, at most k, or as the first k results have if
    these are more.

    Beware: the ideal depends on how text was cut, so it cannot compare chunks of different size.
    """
    gains = (r.relevant[:, :cutoff] > 0).astype(np.float64)
    discount = 1 / np.log2(np.arange(2, cutoff + 2))
    found = r.total(gains * discount[: gains.shape[-1]])
    items, _ = r.once("totals", r.evidence.totals)
    ideal = np.minimum(np.maximum(items, np.count_nonzero(gains, axis=-1)), cutoff)
    return r.ratio(found, np.concatenate([[0], np.cumsum(discount)])[ideal], undefined=0)


# What no order of the same chunks can pass ------------------------------------------------------


@measure("Ceiling", reference=OWN, reads="readings", explains="readings")
def ceiling(
    r: Readings, *, budget: float, of: Literal["chunks", "returned"] = "returned"
) -> FloatArray:
    """How much of the relevant text the best choice and order of chunks would show.

    The largest share of the relevant text that any choice and order of chunks brings within the
    budget. The choice is among the chunks that the run returned for the topic (`of=returned`), or
    among all chunks of the system (`of=chunks`), which `--chunks` or a sweep makes known; undefined
    without them. What 1 exceeds `of=chunks` by is lost by the chunker, what that exceeds
    `of=returned` by is lost by the retriever, and what that exceeds SpanR by is lost by the order.
    Undefined without relevant text.

    Beware: where very many chunks overlap each other it is a bound from above; a note says so.
    """
    refuse_budget(budget)
    if r.policy.unit == "cost":
        raise UsageError("Ceiling: the costs of other orders are unknown; use another --unit")
    found = r.ceiling(budget, every=of == "chunks")
    if found is None:
        return np.full(len(r), np.nan)
    return r.ratio(np.minimum(found[0], r.highlighted), r.highlighted, undefined=np.nan)


# Topics without evidence ------------------------------------------------------------------------


@measure("Abstain", reference=OWN, reads="readings", explains="readings", unanswered=True)
def abstain(r: Readings, *, budget: float | None = None) -> FloatArray:
    """Whether nothing is returned for a topic that has no evidence.

    Abstain = 1 if nothing is returned, else 0. Only topics that were judged to have no evidence in
    any document count; it is undefined for others. The budget changes nothing: any result is read.
    """
    if budget is not None and not budget >= 0:
        raise UsageError(f"the budget is {budget:g}; expected 0 or more")
    nothing: FloatArray = (r.retrieved == 0).astype(np.float64)
    return nothing


@measure(
    "ReadForNothing",
    reference=OWN,
    bounds=(0.0, float("inf")),
    reads="readings",
    less_is_better=True,
    explains="readings",
    unanswered=True,
)
def read_for_nothing(
    r: Readings, *, budget: float | None = None, cutoff: int | None = None
) -> FloatArray:
    """The amount of text that is read for a topic that has no evidence.

    ReadForNothing = characters read, repeated ones included. Reading stops as for SpanR. Only
    topics that were judged to have no evidence in any document count; it is undefined for others.
    Lower is better.
    """
    return what_is_read(r, budget, cutoff).read.astype(np.float64)
