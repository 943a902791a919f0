"""Measures of the tasks in context: rankings of documents, scored by the text shown of each.

Documents are ranked by their first result. The score of a document, between 0 and 1, rates the
results shown of it; generalised precision is the mean score of the first documents.
"""

from typing import Literal

import numpy as np

from spanwise.errors import UsageError
from spanwise.measures.highlight import checked_weight, f_of
from spanwise.measures.registry import BY_DOCUMENT, measure
from spanwise.model.arrays import FloatArray
from spanwise.model.measure import Law
from spanwise.model.readings import Readings

FAMILY = "Documents in context (format inex_qrels)"

INEX_2006 = (
    "Lalmas, Kazai, Kamps, Pehcevski, Piwowarski and Robertson: INEX 2006 Evaluation Measures. In:"
    " Comparative Evaluation of XML Information Retrieval Systems, LNCS 4518, 2007"
)
INEX_EVAL = "inex_eval 3.1, INEX, 2010"
Score = Literal["f", "bep", "t2i"]
Past = Literal["zero", "last"]
LAWS = (Law.NOTHING_IS_ZERO, Law.CUT_IN_TWO)


class Documents:
    """The documents of a block, each with the score of what was shown of it.

    The parameters are those of every measure in this module.
    """

    def __init__(
        self,
        r: Readings,
        *,
        score: Score = "f",
        beta: float = 0.25,
        n: float = 500,
        tolerance: float = 300,
        past: Past = "zero",
    ) -> None:
        if n <= 0:
            raise UsageError(f"n is {n:g}; a distance must be more than 0")
        checked_weight(beta)
        if tolerance < 0:
            raise UsageError(f"tolerance is {tolerance:g}; it must be 0 characters or more")
        self.r, self.past = r, past
        self._score, self._beta, self._n, self._tolerance = score, beta, n, tolerance

    def scores(self, cutoff: int | None = None) -> FloatArray:
        """How good the results of each document are, from 0 to 1; with a cut-off of the first."""
        r, score = self.r, self._score
        if score == "f":
            r.refuse_unstated(cutoff)
            return r.once((score, self._beta), lambda: _f_scores(r, self._beta))
        if score == "bep":
            return r.once((score, self._n), lambda: _entry_scores(r, self._n))
        return r.once((score, self._tolerance), lambda: _effort_scores(r, self._tolerance))


def _f_scores(r: Readings, beta: float) -> FloatArray:
    precision = r.ratio(r.found, r.shown, undefined=0)
    recall = r.ratio(r.found, r.known, undefined=0)
    return f_of(r, precision, recall, beta)


def _entry_scores(r: Readings, n: float) -> FloatArray:
    distance = np.abs(r.start - r.entry)
    near = r.relevant_place & (r.start >= 0) & (r.entry >= 0) & (distance <= n)
    return np.where(near, (n - distance) / n, 0)


def _effort_scores(r: Readings, tolerance: float) -> FloatArray:
    good, bad = r.read_until(tolerance)
    return r.ratio(good, good + bad, undefined=0)


def _means(scores: FloatArray) -> FloatArray:
    """Return the mean score of the first k documents, for every k."""
    return np.cumsum(scores, axis=-1) / np.arange(1, scores.shape[-1] + 1)


def curve(documents: Documents) -> FloatArray:
    """Return, for eleven levels of recall, the best precision at any rank that reaches the level.

    This is the curve that inex_eval prints: recall counts documents and is truncated to tenths.
    Levels that are never reached have precision 0.
    """
    r, scores = documents.r, documents.scores()
    recall = r.ratio(np.cumsum(r.relevant_place, axis=-1), r.relevant_documents[:, None], 0)
    precision = np.where(np.arange(scores.shape[-1]) < r.documents[:, None], _means(scores), 0)
    reached = np.floor(recall * 10)
    return np.stack(
        [np.max(np.where(reached >= level, precision, 0), -1, initial=0) for level in range(11)],
        axis=-1,
    )


@measure(
    "gP",
    *LAWS,
    Law.BLIND_BELOW_CUTOFF,
    reference=INEX_2006 + "; " + INEX_EVAL,
    reads="readings",
    of=Documents,
    sizes_suffice={"score": "f"},
    properties=BY_DOCUMENT,
    explains="context",
)
def generalised_precision(documents: Documents, *, cutoff: int) -> FloatArray:
    """How good the first k documents are, each scored by what was shown of it.

    gP@k = the sum of the scores of the first k documents / k. The score of a document is

    f: F = (1 + beta^2) P R / (beta^2 P + R), P being the share of the text shown of it that is
    highlighted and R the share of its highlighted text that was shown;

    bep: (n - d) / n, d being the number of characters between the start of its first result and its
    best entry point; 0 if d is more than n;

    t2i: the share of highlighted text in what a reader reads. The reader reads the parts shown,
    then the rest of the document, and stops after `tolerance` characters that are not highlighted.

    A document without highlighted text scores 0. For `f` the sizes that XML assessments of 2005 to
    2007 state are enough; a result of a relevant document whose size they do not state needs
    --collection. If fewer than k documents were retrieved the sum
    is divided by k all the same (`past=zero`), or by their number (`past=last`, as inex_eval did).

    Beware: `past=last` rewards short rankings.
    """
    r = documents.r
    count = np.minimum(r.documents, cutoff) if documents.past == "last" else cutoff
    return r.ratio(r.total(documents.scores(cutoff)[:, :cutoff]), count, undefined=0)


@measure(
    "gR",
    *LAWS,
    Law.BLIND_BELOW_CUTOFF,
    Law.ADD_BELOW,
    reference=INEX_2006,
    reads="readings",
    of=Documents,
    sizes_suffice={},
    properties=BY_DOCUMENT,
    explains="context",
)
def generalised_recall(documents: Documents, *, cutoff: int) -> FloatArray:
    """The share of the documents with highlighted text that is among the first k.

    gR@k = documents with highlighted text among the first k / all documents with highlighted
    text, whatever was shown of them. Undefined without highlighted text. The parameters are those
    of the gP beside it, and change nothing. Neither places nor sizes of results are needed.
    """
    r = documents.r
    found = np.count_nonzero(r.relevant_place[:, :cutoff], axis=-1)
    return r.ratio(found, r.relevant_documents)


@measure(
    "MAgP",
    *LAWS,
    Law.ADD_BELOW,
    reference=INEX_2006 + "; " + INEX_EVAL,
    aliases=("AgP",),
    reads="readings",
    of=Documents,
    sizes_suffice={"score": "f"},
    properties=BY_DOCUMENT,
    explains="context",
)
def average_generalised_precision(documents: Documents) -> FloatArray:
    """How early good documents come; all documents with highlighted text have equal weight.

    AgP = (1/D) times the sum of gP@k over the ranks k of documents with highlighted text, D being
    the number of all such documents; MAgP is its mean over topics. The scores of documents are
    those of gP. Undefined without highlighted text.

    Beware: a document with highlighted text counts as found even if none of that text was shown;
    its own score is then 0. No rank lies past the last document, so `past` has no effect.
    """
    r = documents.r
    precision = np.where(r.relevant_place, _means(documents.scores()), 0)
    return r.ratio(r.total(precision), r.relevant_documents)
