"""The results of a run in the order in which they are read, and the documents they come from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from spanwise.ground.align import segments
from spanwise.ground.match import judged_rows, same_documents
from spanwise.ground.order import by_score, places_of
from spanwise.model.spans import UNKNOWN, ranges

if TYPE_CHECKING:
    from spanwise.model.arrays import IntArray
    from spanwise.model.judgements import Judgements
    from spanwise.model.policy import Policy
    from spanwise.model.run import Run


@dataclass(frozen=True, slots=True, eq=False)
class Results:
    """Results of some topics, topic by topic and in the order in which they are read."""

    topic: IntArray  # rising
    row: IntArray  # of the run
    document: IntArray  # number of the document, in order of first appearance
    opening: IntArray  # per document: number of its first result
    judged: IntArray  # per document: row of the judgements, -1 if there is none

    def of_topics(self, first: int, last: int) -> Results:
        """Those of some topics; topics, results and documents are renumbered from 0."""
        begin, end = np.searchsorted(self.topic, [first, last])
        lowest, highest = np.searchsorted(self.opening, [begin, end])
        return Results(
            self.topic[begin:end] - first,
            self.row[begin:end],
            self.document[begin:end] - lowest,
            self.opening[lowest:highest] - begin,
            self.judged[lowest:highest],
        )

    def stated(self, column: IntArray, otherwise: int) -> IntArray:
        """What the judgements say about each document."""
        return np.where(self.judged >= 0, column[self.judged], otherwise)


def are_adrift(run: Run) -> bool:
    """Whether results are named by element paths, and nobody said where any of them lies."""
    if run.paths is None or run.lengths is not None:  # lengths come with places
        return False
    if run.spans is None:
        return True
    paths = run.paths.coded()
    named = np.array([bool(path) for path in paths.names], np.bool_)[paths.codes]
    return bool(named.any() and (run.spans.starts[named] == UNKNOWN).all())


def ordered_results(
    run: Run, judgements: Judgements, topics: Sequence[bytes], policy: Policy
) -> Results:
    """The results of the evaluated topics in order, and the documents that they come from."""
    codes = {topic: code for code, topic in enumerate(topics)}
    places, shown = segments(run.rows, codes)
    rows = _rows_in_order(run, policy)[ranges(places, shown)]
    topic = np.repeat(np.arange(len(topics)), shown)
    prints = run.documents.fingerprints()
    judged = np.full(len(run.rows), -1)
    judged_run_rows, judgement = judged_rows(run, prints, judgements)
    judged[judged_run_rows] = judgement
    kept = np.ones(len(rows), np.bool_)
    if policy.depth is not None:
        kept &= ranges(np.zeros(len(shown), np.int64), shown) < policy.depth
    if policy.unjudged == "drop":
        kept &= judged[rows] >= 0
    if not kept.all():
        topic, rows = topic[kept], rows[kept]
    document, opening = same_documents(run.documents, prints, rows, topic)
    return Results(topic, rows, document, opening, judged[rows[opening]])


def _rows_in_order(run: Run, policy: Policy) -> IntArray:
    """The rows as they are read: as they stand, by stated rank, or by score."""
    every = np.arange(len(run.rows))
    if policy.ties == "file":
        return every
    if policy.ties == "rank" and run.spans is not None:
        return _by_rank(run)
    if policy.ties == "rank" and run.ranks is not None:
        owner = np.repeat(np.arange(len(run.rows.topics)), np.diff(run.rows.starts))
        return np.lexsort((run.ranks, owner))
    order = np.empty(len(every), np.int64)
    order[places_of(by_score(run, policy), run, policy, every)] = every
    return order


def reading_order(run: Run) -> IntArray:
    """The rows topic by topic, as they are read where no policy says more.

    Documents by score, chunks by stated rank or by score; parts of documents of INEX as they stand.
    """
    if run.paths is None and run.spans is None:
        owner = np.repeat(np.arange(len(run.rows.topics)), np.diff(run.rows.starts))
        return np.lexsort((-run.scores, owner))
    chunks = run.paths is None and run.unit != "opaque"
    return _by_rank(run) if chunks else np.arange(len(run.rows))


def _by_rank(run: Run) -> IntArray:
    """Parts of documents by stated rank, or by score in topics where ranks are missing.

    Equal ranks go by document, offset and length, equal scores as they stand.
    """
    owner = np.repeat(np.arange(len(run.rows.topics)), np.diff(run.rows.starts))
    if run.ranks is None or run.spans is None:
        return np.lexsort((-run.scores, owner))
    missing = np.bincount(owner, np.isnan(run.ranks), len(run.rows.topics)) > 0
    ranked = ~missing[owner]
    ranks = np.where(ranked, run.ranks, -run.scores)
    order = np.lexsort((ranks, owner))
    after, before = order[1:], order[:-1]
    tied = (ranks[after] == ranks[before]) & (owner[after] == owner[before]) & ranked[after]
    if not tied.any():
        return order
    names = run.documents.take(np.arange(len(order)))
    number = {name: place for place, name in enumerate(sorted(set(names)))}
    document = np.array([number[name] for name in names])
    places = (run.spans.lengths, run.spans.starts, document)
    return np.lexsort((*(column * ranked for column in places), ranks, owner))
