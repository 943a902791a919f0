"""Average precision of passages as the TREC Genomics tracks of 2006 and 2007 defined it.

A result meets a passage if it shares at least one byte with it; of several passages it meets the
first in the order of the judgements. "Byte" here means the unit that the files count.
"""

import numpy as np

from spanwise.measures.registry import GENOMICS_2007, measure
from spanwise.model.arrays import FloatArray
from spanwise.model.measure import Law
from spanwise.model.readings import Readings

FAMILY = "Passages (TREC Genomics)"

TRACK_2006 = (
    "Hersh, Cohen, Roberts and Rekapalli: TREC 2006 Genomics Track Overview. In: Proceedings of"
    " the Fifteenth Text REtrieval Conference, 2006"
)
SMALL = 64


def harmonic(start: FloatArray, count: FloatArray) -> FloatArray:
    """Compute 1/(start + 1) + ... + 1/(start + count), by Euler-Maclaurin for small terms."""
    start, count = np.asarray(start, np.float64), np.asarray(count, np.float64)
    end, value = start + count, np.zeros(np.broadcast(start, count).shape)
    for number in range(1, SMALL + 1):
        value += np.where((number > start) & (number <= end), 1 / number, 0)
    low, high = np.maximum(start, SMALL), np.maximum(end, SMALL)

    def rest(n: FloatArray) -> FloatArray:
        return 1 / (2 * n) - 1 / (12 * n**2) + 1 / (120 * n**4) - 1 / (252 * n**6)

    return value + np.log1p((high - low) / low) + rest(high) - rest(low)


@measure(
    "PassageAP",
    Law.NOTHING_IS_ZERO,
    Law.IDEAL_IS_ONE,
    Law.READ_AGAIN,
    reference=TRACK_2006,
    reads="readings",
)
def passage_average_precision(r: Readings) -> FloatArray:
    """How early and how purely relevant passages are returned; all passages have equal weight.

    At each result that meets a relevant passage: bytes shared with passages so far / bytes shown so
    far. PassageAP = the sum of these / (results that meet a passage + relevant passages that no
    result meets). A copy of an earlier result is shown, but meets nothing. Undefined without
    relevant text.

    Beware: cutting results into pieces raises it, and overlapping results are each credited for the
    same bytes; Passage2AP was defined for that reason.
    """
    matches = r.once("matches", r.evidence.matches)
    met = (matches.item >= 0) & ~matches.copy
    shared = np.cumsum(np.where(met, matches.shared, 0), axis=-1)
    precision = r.ratio(shared, r.read(skip=False), undefined=0)
    different = np.array([len({*row[row >= 0].tolist()}) for row in matches.item], np.int64)
    items, _ = r.once("totals", r.evidence.totals)
    divisor = np.count_nonzero(met, axis=-1) + items - different
    return r.ratio(r.total(np.where(met, precision, 0)), divisor, undefined=np.nan)


@measure(
    "Passage2AP",
    Law.NOTHING_IS_ZERO,
    Law.IDEAL_IS_ONE,
    Law.ADD_BELOW,
    Law.CUT_IN_TWO,
    Law.READ_AGAIN,
    reference=GENOMICS_2007,
    reads="readings",
)
def byte_average_precision(r: Readings) -> FloatArray:
    """How early the relevant bytes come; all bytes have equal weight.

    Passage2AP = average precision of a ranking whose results are single bytes, in reading order.
    Relevant bytes that were shown before are skipped; other bytes count each time. Undefined
    without relevant text.
    """
    pieces = r.pieces
    rows = np.flatnonzero(pieces.relevant)
    topic, length = pieces.topic[rows], pieces.length[rows].astype(np.float64)
    seen = np.cumsum(length) - length  # over all topics: those of earlier topics are subtracted
    hits = seen - seen[np.searchsorted(topic, topic)] if len(topic) else seen
    counted = (pieces.at - pieces.repeated)[rows].astype(np.float64)
    # Byte i of a piece adds (hits + i) / (counted + i) = 1 - (counted - hits) / (counted + i).
    terms = length - (counted - hits) * harmonic(counted, length)
    sums = np.bincount(topic, weights=terms, minlength=len(r))
    return r.ratio(sums, r.highlighted)


@measure(
    "AspectAP",
    Law.NOTHING_IS_ZERO,
    Law.IDEAL_IS_ONE,
    Law.READ_AGAIN,
    reference=TRACK_2006,
    reads="readings",
)
def aspect_average_precision(r: Readings) -> FloatArray:
    """How early results on new aspects of the topic come.

    With h and n at 0: a result that meets no relevant passage adds 1 to n; one whose passage has
    new aspects adds 1 to h and n, and (new aspects) * h / n to the sum; one whose passage has none
    is skipped. AspectAP = the sum / aspects of the topic. Undefined if the judgements name no
    aspects.
    """
    matches = r.once("matches", r.evidence.matches)
    _, aspects = r.once("totals", r.evidence.totals)
    sums = np.zeros(len(r))
    for row, items in enumerate(matches.item.tolist()):
        hits = counted = 0
        seen: set[int] = set()
        for item in items[: int(r.retrieved[row])]:
            new = 0
            if item >= 0:
                new = len(seen.union(matches.aspects[item])) - len(seen)
                seen.update(matches.aspects[item])
                if not new:
                    continue
                hits += 1
            counted += 1
            sums[row] += new * hits / counted
    return r.ratio(sums, aspects, undefined=np.nan)


@measure(
    "DocumentAP",
    Law.NOTHING_IS_ZERO,
    Law.IDEAL_IS_ONE,
    Law.ADD_BELOW,
    Law.CUT_IN_TWO,
    Law.READ_AGAIN,
    reference=TRACK_2006,
    reads="readings",
)
def document_average_precision(r: Readings) -> FloatArray:
    """How early documents with relevant text come, regardless of what was shown of them.

    DocumentAP = average precision of the different documents in the order in which they first
    appear; a document is relevant if it has relevant text. Undefined without relevant text.
    """
    found = r.relevant_place
    hits = np.cumsum(found, axis=-1)
    precision = np.where(found, hits / np.arange(1, hits.shape[-1] + 1), 0)
    return r.ratio(r.total(precision), r.relevant_documents)
