"""A run and highlighted text, put together: who shows which characters, and who is the first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from spanwise.errors import UsageError
from spanwise.ground.align import TOPICS_AT_ONCE, owners_of
from spanwise.ground.cuts import Cuts
from spanwise.ground.evidenced import Evidenced, Needed, Shown
from spanwise.ground.listed import Listed
from spanwise.ground.results import Results, are_adrift, ordered_results
from spanwise.model.ids import text
from spanwise.model.readings import Readings, Stretches
from spanwise.model.spans import UNKNOWN, Spans, ranges

if TYPE_CHECKING:
    from spanwise.ground.meters import Meter
    from spanwise.model.arrays import BoolArray, IntArray
    from spanwise.model.judgements import Highlights, Judgements
    from spanwise.model.policy import Policy
    from spanwise.model.run import Run


def readings(
    run: Run,
    judgements: Judgements,
    topics: Sequence[bytes],
    policy: Policy,
    meter: Meter | None = None,
) -> Iterator[Readings]:
    """What there is to read, some hundred topics at a time.

    A `meter` says what reading costs where a budget does not count characters.
    """
    marked = judgements.highlights
    if marked is None:
        raise UsageError(f"{judgements.rows.source}: no highlighted text; see: spanwise formats")
    refuse_paths(run)
    results = ordered_results(run, judgements, topics, policy)
    totals = _totals(judgements, marked, topics)
    needed = judgements.once("needed", lambda: Needed.of(judgements, marked))
    for first in range(0, len(topics), TOPICS_AT_ONCE):
        last = min(first + TOPICS_AT_ONCE, len(topics))
        some = results.of_topics(first, last)
        listed = Listed.of(run, judgements, some.row, some.judged[some.document])
        block = _Block(run, marked, needed, some, policy, tuple(topics[first:last]), listed)
        yield block.readings(totals[:, first:last], meter)


def refuse_paths(run: Run) -> None:
    """Results named by paths lie somewhere, but only the documents say where."""
    if are_adrift(run):
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


def without_entry(judgements: Judgements, topics: Sequence[bytes]) -> int:
    """How many documents have highlighted text in these topics, but no best entry point."""
    marked = judgements.highlights
    assert marked is not None
    rows = np.flatnonzero((marked.relevant > 0) & (marked.entries < 0))
    codes = {topic: code for code, topic in enumerate(topics)}
    return int((owners_of(judgements.rows, codes, rows) >= 0).sum())


# Blocks -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Places:
    """Where results lie in their documents."""

    spans: Spans  # empty where a result could not be placed
    unplaced: BoolArray
    unsized: BoolArray  # whole documents whose length nobody knows
    lost: IntArray  # characters of the texts that could not be placed

    @classmethod
    def of(cls, run: Run, results: Results, lengths: IntArray) -> _Places:
        """A result that is a whole document lies from 0 to its end."""
        if run.spans is None:
            size = lengths[results.document]
            placed = Spans(np.zeros_like(size), np.maximum(size, 0))
            nowhere = np.zeros(len(size), np.bool_)
            if run.lengths is None:
                return cls(placed, nowhere, size < 0, np.zeros_like(size))
            return cls(placed, size < 0, nowhere, np.zeros_like(size))
        spans = run.spans.at(results.row)
        unplaced = spans.starts == UNKNOWN
        placed = Spans(np.where(unplaced, 0, spans.starts), np.where(unplaced, 0, spans.lengths))
        lost = np.where(unplaced, spans.lengths, 0)
        return cls(placed, unplaced, np.zeros(len(spans), np.bool_), lost)

    def sizes(self, policy: Policy) -> IntArray:
        """What is read of each; a text that is nowhere in its document has to be read as well."""
        unplaced = np.where(self.lost > 0, self.lost, policy.conventions.unplaced_size)
        return np.where(self.unplaced, unplaced, self.spans.lengths)


@dataclass(frozen=True, slots=True, eq=False)
class _Block:
    """Some topics of one run, and what was highlighted for them."""

    run: Run
    marked: Highlights
    needed: Needed
    results: Results
    policy: Policy
    topics: tuple[bytes, ...]
    listed: Listed

    def readings(self, totals: IntArray, meter: Meter | None) -> Readings:
        """Everything that measures ask for."""
        results, marked, policy = self.results, self.marked, self.policy
        lengths = results.stated(marked.lengths, -1)
        if self.run.lengths is not None:
            own = self.run.lengths[results.row[results.opening]]
            lengths = np.where(lengths < 0, own, lengths)
        if marked.indivisible:
            lengths = np.ones_like(lengths)
        known = results.stated(marked.relevant, 0)
        places = _Places.of(self.run, results, lengths)
        items, owner = self.needed.of_documents(results.judged)
        cuts = Cuts.of(
            places.spans,
            results.document,
            self.needed.evidence.spans.at(items),
            owner,
            np.maximum(lengths, 0),
            self.needed.relevant[items],
        )
        first = cuts.shown_first()
        size = places.sizes(policy)
        relevant = cuts.relevant_in_results()
        fresh = _sums(first, cuts.length, len(size))
        fresh_relevant = _sums(first, cuts.length * cuts.relevant, len(size))
        size, relevant, fresh, fresh_relevant = self.listed.instead(
            places.unplaced, size, relevant, fresh, fresh_relevant
        )
        if policy.conventions.skips_if_relevant:
            fresh = np.where(known[results.document] > 0, fresh, size)
        found = relevant if policy.conventions.forgets_repeats else fresh_relevant
        ranks = _Grid.of(results.topic, len(self.topics))
        columns = _Grid.of(results.topic[results.opening], len(self.topics))
        start = np.where(places.unplaced, UNKNOWN, places.spans.starts)[results.opening]
        endless = (lengths < 0) & (known > 0)
        shown = Shown(cuts, first, items, owner, results, size, self.topics)
        return Readings(
            self.topics,
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
            unsized=_example(self.run, results.row[places.unsized]),
            endless=_example(self.run, results.row[results.opening[endless]]),
            gold=Evidenced(shown, self.needed, places.spans),
            reach=None
            if meter is None
            else meter.reach(results, places.spans, size, len(self.topics)),
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
