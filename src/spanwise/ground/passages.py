"""A run and highlighted text, put together: who shows which characters, and who is the first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from spanwise.errors import UsageError
from spanwise.ground.align import TOPICS_AT_ONCE, owners_of, segments
from spanwise.ground.cuts import Cuts
from spanwise.ground.listed import Listed
from spanwise.ground.match import judged_rows, same_documents
from spanwise.ground.order import by_score, places_of
from spanwise.model.ids import text
from spanwise.model.readings import Readings, Stretches
from spanwise.model.spans import UNKNOWN, Spans, ranges

if TYPE_CHECKING:
    from spanwise.model.arrays import BoolArray, IntArray
    from spanwise.model.judgements import Highlights, Judgements
    from spanwise.model.policy import Policy
    from spanwise.model.run import Run


def readings(
    run: Run, judgements: Judgements, topics: Sequence[bytes], policy: Policy
) -> Iterator[Readings]:
    """What there is to read, some hundred topics at a time."""
    marked = judgements.highlights
    if marked is None:
        raise UsageError(f"{judgements.rows.source}: no highlighted text; see: spanwise formats")
    refuse_paths(run)
    results = ordered_results(run, judgements, topics, policy)
    totals = _totals(judgements, marked, topics)
    for first in range(0, len(topics), TOPICS_AT_ONCE):
        last = min(first + TOPICS_AT_ONCE, len(topics))
        some = results.of_topics(first, last)
        listed = Listed.of(run, judgements, some.row, some.judged[some.document])
        yield _block(
            run, marked, some, policy, tuple(topics[first:last]), totals[:, first:last], listed
        )


def refuse_paths(run: Run) -> None:
    """Results named by paths lie somewhere, but only the documents say where."""
    if run.spans is None and run.paths is not None:
        raise UsageError(
            f"{run.rows.source}: results are named by element paths; to know where they lie"
            " needs --collection"
        )


def _totals(judgements: Judgements, marked: Highlights, topics: Sequence[bytes]) -> IntArray:
    """For each topic its highlighted characters, and the number of documents that have some."""
    codes = {topic: code for code, topic in enumerate(topics)}
    owner = owners_of(judgements.rows, codes, np.arange(len(judgements.rows)))
    characters = _sums(owner, marked.relevant, len(topics))
    return np.stack([characters, _sums(owner, marked.relevant > 0, len(topics))])


# Order and documents ------------------------------------------------------------------------


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
    if policy.ties == "rank" and run.ranks is not None:
        owner = np.repeat(np.arange(len(run.rows.topics)), np.diff(run.rows.starts))
        return np.lexsort((run.ranks, owner))
    order = np.empty(len(every), np.int64)
    order[places_of(by_score(run, policy), run, policy, every)] = every
    return order


# Blocks -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Places:
    """Where results lie in their documents."""

    spans: Spans  # empty where a result could not be placed
    unplaced: BoolArray
    unsized: BoolArray  # whole documents whose length nobody knows

    @classmethod
    def of(cls, run: Run, results: Results, lengths: IntArray) -> _Places:
        """A result that is a whole document lies from 0 to its end."""
        if run.spans is None:
            size = lengths[results.document]
            placed = Spans(np.zeros_like(size), np.maximum(size, 0))
            nowhere = np.zeros(len(size), np.bool_)
            if run.lengths is None:
                return cls(placed, nowhere, size < 0)
            return cls(placed, size < 0, nowhere)
        spans = run.spans.at(results.row)
        unplaced = spans.starts == UNKNOWN
        placed = Spans(np.where(unplaced, 0, spans.starts), np.where(unplaced, 0, spans.lengths))
        return cls(placed, unplaced, np.zeros(len(spans), np.bool_))


def _block(
    run: Run,
    marked: Highlights,
    results: Results,
    policy: Policy,
    topics: tuple[bytes, ...],
    totals: IntArray,
    listed: Listed,
) -> Readings:
    lengths = results.stated(marked.lengths, -1)
    if run.lengths is not None:
        lengths = np.where(lengths < 0, run.lengths[results.row[results.opening]], lengths)
    known = results.stated(marked.relevant, 0)
    passages = results.stated(marked.counts, 0)
    places = _Places.of(run, results, lengths)
    cuts = Cuts.of(
        places.spans,
        results.document,
        marked.passages.at(ranges(results.stated(marked.first[:-1], 0), passages)),
        np.repeat(np.arange(len(passages)), passages),
        np.maximum(lengths, 0),
    )
    first = cuts.shown_first()
    size = np.where(places.unplaced, policy.conventions.unplaced_size, places.spans.lengths)
    relevant = cuts.relevant_in_results()
    fresh = _sums(first, cuts.length, len(size))
    fresh_relevant = _sums(first, cuts.length * cuts.relevant, len(size))
    size, relevant, fresh, fresh_relevant = listed.instead(
        places.unplaced, size, relevant, fresh, fresh_relevant
    )
    found = fresh_relevant
    if policy.conventions.forgets_repeats:
        fresh, found = np.where(known[results.document] > 0, fresh, size), relevant
    ranks = _Grid.of(results.topic, len(topics))
    columns = _Grid.of(results.topic[results.opening], len(topics))
    start = np.where(places.unplaced, UNKNOWN, places.spans.starts)[results.opening]
    endless = (lengths < 0) & (known > 0)
    return Readings(
        topics,
        policy,
        highlighted=totals[0],
        relevant_documents=totals[1],
        retrieved=ranks.counts,
        documents=columns.counts,
        size=ranks.filled(size),
        relevant=ranks.filled(relevant),
        fresh=ranks.filled(fresh),
        fresh_relevant=ranks.filled(fresh_relevant),
        shown=columns.filled(_sums(results.document, size, len(known))),
        found=columns.filled(_sums(results.document, found, len(known))),
        known=columns.filled(known),
        start=columns.filled(start),
        entry=columns.filled(results.stated(marked.entries, UNKNOWN)),
        stretches=_stretches(cuts, known > 0, columns, first >= 0),
        unsized=_example(run, results.row[places.unsized]),
        endless=_example(run, results.row[results.opening[endless]]),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Grid:
    """Columns of some topics as tables: one row per topic, padded with zeros."""

    counts: IntArray
    row: IntArray
    column: IntArray

    @classmethod
    def of(cls, topic: IntArray, topics: int) -> _Grid:
        counts = np.bincount(topic, minlength=topics)
        return cls(counts, topic, ranges(np.zeros(topics, np.int64), counts))

    def filled(self, values: IntArray) -> IntArray:
        table = np.zeros((len(self.counts), int(self.counts.max(initial=0))), np.int64)
        table[self.row, self.column] = values
        return table


def _stretches(cuts: Cuts, relevant: BoolArray, columns: _Grid, shown: BoolArray) -> Stretches:
    """The text of documents with highlights; what lies past their ends only if it was shown."""
    kept = (cuts.document >= 0) & (cuts.inside | cuts.relevant | shown)
    kept[kept] = relevant[cuts.document[kept]]
    document = cuts.document[kept]
    return Stretches(
        columns.row[document],
        columns.column[document],
        cuts.length[kept],
        cuts.relevant[kept],
        shown[kept],
    )


def _sums(owner: IntArray, values: IntArray | BoolArray, count: int) -> IntArray:
    """The sum of each owner's values; those of -1 belong to nobody."""
    mine = owner >= 0
    return np.bincount(owner[mine], weights=values[mine], minlength=count).astype(np.int64)


def _example(run: Run, rows: IntArray) -> str:
    """The first of some results in words; empty if there is none."""
    if not len(rows):
        return ""
    return f"{run.rows.place(int(rows[0]))}: document {text(run.documents.take(rows[:1])[0])!r}"
