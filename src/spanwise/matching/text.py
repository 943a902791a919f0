"""Text of a run matched with highlighted text: the characters that each result shows first."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spanwise.errors import UsageError
from spanwise.matching.cuts import CutDocuments
from spanwise.matching.documents import (
    TOPICS_AT_ONCE,
    Results,
    has_unplaced_paths,
    ordered_results,
    owners_of,
)
from spanwise.matching.evidence import Shown, StretchEvidence, TopicItems
from spanwise.matching.trees import Listed
from spanwise.model.columns import text
from spanwise.model.readings import Readings, Stretches
from spanwise.model.spans import UNKNOWN, Spans, ranges

if TYPE_CHECKING:
    from spanwise.matching.units import Meter
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
    """Yield the text to read in blocks of `TOPICS_AT_ONCE` topics.

    A `meter` gives the cost of reading if a budget does not count characters.
    """
    marked = judgements.highlights
    if marked is None:
        raise UsageError(f"{judgements.rows.source}: no highlighted text; see: spanwise formats")
    refuse_paths(run)
    results = ordered_results(run, judgements, topics, policy)
    totals = _totals(judgements, marked, topics)
    needed = judgements.once("needed", lambda: TopicItems.of(judgements, marked))
    for first in range(0, len(topics), TOPICS_AT_ONCE):
        last = min(first + TOPICS_AT_ONCE, len(topics))
        some = results.of_topics(first, last)
        listed = Listed.of(run, judgements, some.row, some.judged[some.document])
        block = _Block(run, marked, needed, some, policy, tuple(topics[first:last]), listed)
        yield block.readings(totals[:, first:last], meter)


def refuse_paths(run: Run) -> None:
    """Raise an error for results that are named by paths and were not placed."""
    if has_unplaced_paths(run):
        raise UsageError(
            f"{run.rows.source}: the positions of results named by element paths are unknown;"
            " pass --collection"
        )


def _totals(judgements: Judgements, marked: Highlights, topics: Sequence[bytes]) -> IntArray:
    """Return each topic's highlighted characters and its number of documents that have some."""
    codes = {topic: code for code, topic in enumerate(topics)}
    owner = owners_of(judgements.rows, codes, np.arange(len(judgements.rows)))
    characters = _sums(owner, marked.relevant, len(topics))
    return np.stack([characters, _sums(owner, marked.relevant > 0, len(topics))])


def without_entry(judgements: Judgements, topics: Sequence[bytes]) -> int:
    """Count the documents of these topics with highlighted text but without best entry point."""
    marked = judgements.highlights
    assert marked is not None
    rows = np.flatnonzero((marked.relevant > 0) & (marked.entries < 0))
    codes = {topic: code for code, topic in enumerate(topics)}
    return int((owners_of(judgements.rows, codes, rows) >= 0).sum())


# Blocks -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Places:
    """The places of results in their documents."""

    spans: Spans  # empty if a result could not be placed
    unplaced: BoolArray
    unsized: BoolArray  # whole documents of unknown length
    lost: IntArray  # lengths of the texts that could not be placed

    @classmethod
    def of(cls, run: Run, results: Results, lengths: IntArray) -> _Places:
        """Return the places of results; a whole document lies from 0 to its end."""
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
        """Return the characters read of each result, also of texts that could not be placed."""
        unplaced = np.where(self.lost > 0, self.lost, policy.conventions.unplaced_size)
        return np.where(self.unplaced, unplaced, self.spans.lengths)


@dataclass(frozen=True, slots=True, eq=False)
class _Block:
    """Some topics of one run, and what was highlighted for them."""

    run: Run
    marked: Highlights
    needed: TopicItems
    results: Results
    policy: Policy
    topics: tuple[bytes, ...]
    listed: Listed

    def readings(self, totals: IntArray, meter: Meter | None) -> Readings:
        """Return the block that measures take."""
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
        cuts = CutDocuments.of(
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
            matched=StretchEvidence(shown, self.needed, places.spans),
            reach=None
            if meter is None
            else meter.reach(results, places.spans, size, len(self.topics)),
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Grid:
    """A layout of columns as tables: one row per topic, padded with zeros."""

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


def _stretches(
    cuts: CutDocuments, relevant: BoolArray, columns: _Grid, shown: BoolArray
) -> Stretches:
    """Return the text of documents with highlights; text past their ends only if it was shown."""
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
    """Return the sum of each owner's values; values of owner -1 are ignored."""
    mine = owner >= 0
    return np.bincount(owner[mine], weights=values[mine], minlength=count).astype(np.int64)


def _example(run: Run, rows: IntArray) -> str:
    """Return a description of the first of some results; empty if there is none."""
    if not len(rows):
        return ""
    return f"{run.rows.place(int(rows[0]))}: document {text(run.documents.take(rows[:1])[0])!r}"


# Text seen before ---------------------------------------------------------------------------------
#
# There are two accounts of what a reader has seen of one document, result after result. If all
# results are elements, their paths tell what contains what, and sizes are enough. If some are
# passages, everything is a stretch of text. The cost of a result is the number of its ancestors, or
# of the stretches in it that were seen before and are joined now: no result is compared with all
# earlier ones.


class Item(NamedTuple):
    """An element or a passage, with what is needed to account for it."""

    path: bytes  # empty for a passage
    size: int  # -1 if unknown
    highlighted: int
    start: int = -1
    length: int = 0  # of its span


class SeenPart(NamedTuple):
    """The part of an item that was seen before."""

    whole: bool
    characters: int
    highlighted: int
    doubt: int = -1  # a result inside it of unknown size; -1 if all are known


UNTOUCHED = SeenPart(False, 0, 0)


class SeenPaths:
    """An account of elements: one is wholly seen if it, or an ancestor, was returned.

    Nothing is ever seen of an element without text.
    """

    __slots__ = ("_around", "_doubts", "_inside", "_returned")

    def __init__(self) -> None:
        self._returned: set[bytes] = set()
        self._inside: dict[
            bytes, tuple[int, int]
        ] = {}  # seen in an element that is not wholly seen
        self._doubts: dict[bytes, int] = {}
        self._around: list[bytes] = []

    def view(self, item: Item) -> SeenPart:
        """Return what was seen of an item."""
        path = item.path
        returned, around = self._returned, []
        while path:
            if path in returned:
                self._around = []
                return SeenPart(item.size != 0, max(item.size, 0), item.highlighted)
            around.append(path)
            path = path[: path.rfind(b"/")]
        self._around = around
        return self.part(item)

    def part(self, item: Item) -> SeenPart:
        """Return what was seen of an element without returned ancestors."""
        path = item.path
        if path in self._returned:
            return SeenPart(item.size != 0, max(item.size, 0), item.highlighted)
        characters, highlighted = self._inside.get(path, (0, 0))
        doubt = self._doubts.get(path, -1) if self._doubts else -1
        if not characters and not highlighted and doubt < 0:
            return UNTOUCHED
        whole = 0 < item.size <= characters and doubt < 0
        return SeenPart(whole, characters, highlighted, doubt)

    def add(self, item: Item, before: SeenPart, number: int) -> None:
        """Add an item, which result `number` returned; `before` is the last value of `view`."""
        if not self._around:  # it or an ancestor was returned
            return
        self._returned.add(item.path)
        if item.size < 0:
            for path in self._around[1:]:
                self._doubts.setdefault(path, number)
        fresh = max(item.size - before.characters, 0)
        lit = max(item.highlighted - before.highlighted, 0)
        if fresh or lit:
            inside = self._inside
            for path in self._around[1:]:
                characters, highlighted = inside.get(path, (0, 0))
                inside[path] = characters + fresh, highlighted + lit


class SeenText:
    """An account of spans of one document: the text seen is a set of disjoint stretches."""

    __slots__ = ("_begins", "_ends", "_lit_begins", "_lit_ends", "_lit_sums")

    def __init__(self, highlights: Spans) -> None:
        self._begins: list[int] = []
        self._ends: list[int] = []
        self._lit_begins: Sequence[int] = highlights.starts.tolist()
        self._lit_ends: Sequence[int] = highlights.ends.tolist()
        sums = [0]
        for length in highlights.lengths.tolist():
            sums.append(sums[-1] + length)
        self._lit_sums = sums

    def view(self, item: Item) -> SeenPart:
        """Return what was seen of an item."""
        if item.start < 0 or item.length <= 0:
            return UNTOUCHED
        begin, end = item.start, item.start + item.length
        characters = highlighted = 0
        for number in range(bisect_right(self._ends, begin), bisect_left(self._begins, end)):
            left, right = max(self._begins[number], begin), min(self._ends[number], end)
            characters += right - left
            highlighted += self.lit(left, right)
        return SeenPart(characters >= item.length, characters, highlighted)

    part = view

    def lit(self, begin: int, end: int) -> int:
        """Return the number of highlighted characters between two positions."""
        return self._lit_before(end) - self._lit_before(begin)

    def _lit_before(self, place: int) -> int:
        number = bisect_right(self._lit_begins, place)
        if not number:
            return 0
        inside = min(place, self._lit_ends[number - 1]) - self._lit_begins[number - 1]
        return self._lit_sums[number - 1] + inside

    def add(self, item: Item, before: SeenPart, number: int) -> None:  # noqa: ARG002
        """Add an item; stretches that it touches are joined with it."""
        if item.start < 0 or item.length <= 0:
            return
        begin, end = item.start, item.start + item.length
        first, last = bisect_left(self._ends, begin), bisect_right(self._begins, end)
        if first < last:
            begin, end = min(begin, self._begins[first]), max(end, self._ends[last - 1])
        self._begins[first:last], self._ends[first:last] = [begin], [end]


SeenAccount = SeenPaths | SeenText
