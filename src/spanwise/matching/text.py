"""Matching of the text of a run with highlighted text: which characters each result adds."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spanwise.errors import UsageError
from spanwise.matching.ceiling import Chooser, Pool
from spanwise.matching.cuts import CutDocuments, result_in_words
from spanwise.matching.documents import (
    TOPICS_AT_ONCE,
    Results,
    has_unplaced_paths,
    ordered_results,
    owners_of,
)
from spanwise.matching.evidence import Redirection, Shown, StretchEvidence, TopicItems
from spanwise.matching.trees import Listed, above, capped_to
from spanwise.matching.units import Passed, TextMeter
from spanwise.model.columns import text
from spanwise.model.elements import begins_of
from spanwise.model.judgements import Highlights
from spanwise.model.readings import Readings, Stretches
from spanwise.model.spans import NOTHING, UNKNOWN, Spans, ranges

if TYPE_CHECKING:
    from spanwise.matching.evidence import Library
    from spanwise.matching.units import Meter, Spending
    from spanwise.model.arrays import BoolArray, IntArray
    from spanwise.model.judgements import Copies, Judgements
    from spanwise.model.policy import Policy
    from spanwise.model.run import Run


def readings(
    run: Run,
    judgements: Judgements,
    topics: Sequence[bytes],
    policy: Policy,
    meter: Meter | None = None,
    library: Library | None = None,
) -> Iterator[Readings]:
    """Yield the text to read in blocks of `TOPICS_AT_ONCE` topics.

    A `meter` gives the cost of reading if a budget does not count characters. A `library` has the
    texts of documents, in which white space is found. If only sizes are stated, the blocks hold
    only what measures based on sizes need.
    """
    marked = judgements.highlights
    if states_sizes(judgements):
        yield from _readings_of_sizes(run, judgements, topics, policy)
        return
    if marked is None:
        raise UsageError(f"{judgements.rows.source}: no highlighted text; see: spanwise formats")
    refuse_paths(run)
    results = ordered_results(run, judgements, topics, policy)
    totals = _totals(judgements, marked, topics)
    needed = items_of(judgements, library)
    pool = None if run.pool is None else Pool(run.pool)
    chooser = Chooser(judgements, pool, meter.begins if isinstance(meter, TextMeter) else None)
    for first in range(0, len(topics), TOPICS_AT_ONCE):
        last = min(first + TOPICS_AT_ONCE, len(topics))
        some = results.of_topics(first, last)
        listed = Listed.of(run, judgements, some.row, some.judged[some.document])
        block = _Block(run, marked, needed, some, policy, tuple(topics[first:last]), listed)
        yield block.readings(totals[:, first:last], meter, chooser)


def items_of(judgements: Judgements, library: Library | None) -> TopicItems:
    """Return the items of all topics of judgements with highlighted text, made once."""
    marked = judgements.highlights
    assert marked is not None
    return judgements.once(("needed", library), lambda: TopicItems.of(judgements, marked, library))


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
    if marked is None:  # only sizes are stated, and what is asked for needs no entry point
        return 0
    rows = np.flatnonzero((marked.relevant > 0) & (marked.entries < 0))
    codes = {topic: code for code, topic in enumerate(topics)}
    return int((owners_of(judgements.rows, codes, rows) >= 0).sum())


# Blocks -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Places:
    """The places of results in their documents, part by part in the order of reading."""

    owner: IntArray  # the result of each part
    spans: Spans  # empty if a part could not be placed
    lost: IntArray  # lengths of the texts that could not be placed
    offsets: IntArray  # where each part begins in the text of its result
    starts: IntArray  # per result
    unplaced: BoolArray  # per result
    unsized: BoolArray  # per result: whole documents of unknown length

    @classmethod
    def of(cls, run: Run, results: Results, lengths: IntArray) -> _Places:
        """Return the places of results; a whole document lies from 0 to its end."""
        if run.spans is None:
            size = lengths[results.document]
            placed = Spans(np.zeros_like(size), np.maximum(size, 0))
            nowhere, nothing = np.zeros(len(size), np.bool_), np.zeros_like(size)
            every = np.arange(len(size))
            if run.lengths is None:
                return cls(every, placed, nothing, nothing, nothing, nowhere, size < 0)
            return cls(every, placed, nothing, nothing, nothing, size < 0, nowhere)
        starts = run.spans.starts[results.row]
        unplaced = starts == UNKNOWN
        spans, owner = run.spans.at(results.row), np.arange(len(results.row))
        offsets = np.zeros_like(owner)
        if run.parts is not None:
            parts, owner = run.parts.of(results.row)
            spans, offsets = run.parts.spans.at(parts), run.parts.offsets[parts]
        away = spans.starts == UNKNOWN
        placed = Spans(np.where(away, 0, spans.starts), np.where(away, 0, spans.lengths))
        lost = np.where(away, spans.lengths, 0)
        return cls(owner, placed, lost, offsets, starts, unplaced, unplaced & False)

    def sizes(self, policy: Policy) -> IntArray:
        """Return the characters read of each part, also of texts that could not be placed."""
        unplaced = np.where(self.lost > 0, self.lost, policy.conventions.unplaced_size)
        away = (self.lost > 0) | self.unplaced[self.owner]
        return np.where(away, unplaced, self.spans.lengths)

    def redirected(self, document: IntArray, copies: Sequence[Copies | None]) -> _Places:
        """Return the places with copies of evidence replaced by the evidence that they repeat."""
        if not any(copies):
            return self
        part, spans = Redirection.of(copies).applied(document[self.owner], self.spans)
        return replace(
            self,
            owner=self.owner[part],
            spans=spans,
            lost=self.lost[part],
            offsets=self.offsets[part],
        )

    def of_results(self, values: IntArray) -> IntArray:
        """Return the sum of the values of the parts of each result."""
        if len(self.owner) == len(self.unplaced):
            return values
        return _sums(self.owner, values, len(self.unplaced))


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

    def readings(self, totals: IntArray, meter: Meter | None, chooser: Chooser) -> Readings:
        """Return the block that measures take."""
        results, marked, policy = self.results, self.marked, self.policy
        lengths = results.stated(marked.lengths, -1)
        if self.run.lengths is not None:
            own = self.run.lengths[results.row[results.opening]]
            lengths = np.where(lengths < 0, own, lengths)
        if marked.indivisible:
            lengths = np.ones_like(lengths)
        known = results.stated(marked.relevant, 0)
        given = _Places.of(self.run, results, lengths)
        places = given.redirected(results.document, self._copies())
        items, owner = self.needed.of_documents(results.judged)
        parts = results.cut(places.owner)
        cuts = CutDocuments.of(
            places.spans,
            parts.document,
            self.needed.evidence.spans.at(items),
            owner,
            np.maximum(lengths, 0),
            self.needed.relevant[items],
        )
        first = cuts.shown_first()
        read = places.sizes(policy)
        fresh = _sums(first, cuts.length, len(read))
        fresh_relevant = _sums(first, cuts.length * cuts.relevant, len(read))
        columns_of = (read, cuts.relevant_in_results(), fresh, fresh_relevant)
        size, relevant, fresh, fresh_relevant = self.listed.instead(
            places.unplaced, *map(places.of_results, columns_of)
        )
        if parts is results:
            read = size
        if policy.conventions.skips_if_relevant:
            fresh = np.where(known[results.document] > 0, fresh, size)
        found = relevant if policy.conventions.forgets_repeats else fresh_relevant
        ranks = _Grid.of(results.topic, len(self.topics))
        columns = _Grid.of(results.topic[results.opening], len(self.topics))
        start = np.where(places.unplaced, UNKNOWN, places.starts)[results.opening]
        endless = (lengths < 0) & (known > 0)
        shown = Shown(cuts, first, items, owner, parts, places.owner, read, self.topics)
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
            matched=StretchEvidence(shown, self.needed, places.spans, chooser),
            prices=None if meter is None else self._prices(meter, given, size),
        )

    def _copies(self) -> list[Copies | None]:
        """Return the copies of evidence in each document."""
        known, results = self.needed.evidence.copies, self.results
        if not known:
            return []
        names = self.run.documents.take(results.row[results.opening])
        topics = results.topic[results.opening].tolist()
        return [known.get((self.topics[t], name)) for t, name in zip(topics, names, strict=True)]

    def _prices(self, meter: Meter, places: _Places, size: IntArray) -> Spending:
        """Return what budgets pay for, result by result or part by part."""
        topics = len(self.topics)
        if meter.whole:
            return meter.spending(self.results, Passed(places.spans, size, size * 0), topics)
        passed = Passed(places.spans, places.sizes(self.policy), places.offsets)
        return meter.spending(self.results.cut(places.owner), passed, topics)


# Readings of the sizes that assessments of 2005 to 2007 state for elements and passages. ----------


def states_sizes(judgements: Judgements) -> bool:
    """Tell whether highlighted text has stated sizes and no places; also if there is none of it."""
    said = judgements.elements
    if said is None or judgements.highlights is not None:
        return False
    highlighted = len(said.passages) or (said.elements.highlighted > 0).any()
    return bool(highlighted or not said.elements.relevant().any())


def _stated_highlights(judgements: Judgements) -> IntArray:
    """Return the highlighted characters of each document: its passages', else its elements'."""
    assert judgements.elements is not None
    said, elements = judgements.elements.passages, judgements.elements.elements
    before = np.concatenate([[0], np.cumsum(said.sizes)])
    sums = before[said.first[1:]] - before[said.first[:-1]]
    lit = capped_to(elements.sizes, elements.highlighted)
    for row in np.flatnonzero(np.diff(said.first) == 0).tolist():
        mine = np.arange(elements.first[row], elements.first[row + 1])
        paths = dict(zip(elements.paths.take(mine), lit[mine].tolist(), strict=True))
        outermost = (path for path in paths if not any(around in paths for around in above(path)))
        sums[row] = sum(max(paths[path], 0) for path in outermost)
    return sums


def _stated_lengths(judgements: Judgements) -> IntArray:
    """Return the length of each document: that of its root element, -1 where it is not listed."""
    assert judgements.elements is not None
    elements = judgements.elements.elements
    lengths, paths = np.full(len(judgements.rows), -1), elements.paths.coded()
    root = np.array([path.count(b"/") == 1 for path in paths.names], np.bool_)
    roots = np.flatnonzero(root[paths.codes])
    lengths[np.searchsorted(elements.first, roots, side="right") - 1] = elements.sizes[roots]
    return lengths


def _readings_of_sizes(
    run: Run, judgements: Judgements, topics: Sequence[bytes], policy: Policy
) -> Iterator[Readings]:
    """Return blocks without places, some hundred topics at a time."""
    relevant = judgements.once("stated highlights", lambda: _stated_highlights(judgements))
    lengths = judgements.once("stated lengths", lambda: _stated_lengths(judgements))
    nothing = np.full(len(relevant), UNKNOWN)
    marked = Highlights(relevant, lengths, nothing, begins_of(nothing * 0), NOTHING)
    results = ordered_results(run, judgements, topics, policy)
    totals = _totals(judgements, marked, topics)
    for first in range(0, len(topics), TOPICS_AT_ONCE):
        last = min(first + TOPICS_AT_ONCE, len(topics))
        some = results.of_topics(first, last)
        block = _Sizes(run, judgements, marked, some, policy, tuple(topics[first:last]))
        yield block.readings(totals[:, first:last])


@dataclass(frozen=True, slots=True, eq=False)
class _Sizes:
    """Some topics of one run, and the stated sizes of its results."""

    run: Run
    judgements: Judgements
    marked: Highlights
    results: Results
    policy: Policy
    topics: tuple[bytes, ...]

    def readings(self, totals: IntArray) -> Readings:
        """Return the block with all values that need no positions; the others are 0."""
        results = self.results
        known = results.stated(self.marked.relevant, 0)
        size, relevant, fresh = self._columns(known)
        found = relevant if self.policy.conventions.forgets_repeats else fresh
        ranks = _Grid.of(results.topic, len(self.topics))
        columns = _Grid.of(results.topic[results.opening], len(self.topics))
        doubtful = np.flatnonzero(((size < 0) | (relevant < 0)) & (known[results.document] > 0))
        size, relevant, fresh, found = (np.maximum(c, 0) for c in (size, relevant, fresh, found))
        none, nowhere = np.zeros(0, np.int64), np.full(len(known), UNKNOWN)
        unplaced = self.judgements.rows.source + ": highlighted text without places"
        return Readings(
            self.topics,
            self.policy,
            highlighted=totals[0],
            relevant_documents=totals[1],
            retrieved=ranks.counts,
            documents=columns.counts,
            size=ranks.filled(size),
            relevant=ranks.filled(relevant),
            fresh=ranks.filled(size),
            fresh_relevant=ranks.filled(fresh),
            shown=columns.filled(_sums(results.document, size, len(known))),
            found=columns.filled(_sums(results.document, found, len(known))),
            known=columns.filled(known),
            start=columns.filled(nowhere),
            entry=columns.filled(nowhere),
            stretches=Stretches(none, none, none, none > 0, none > 0),
            unsized=unplaced,
            endless=unplaced,
            unstated=tuple(
                (int(columns.column[results.document[number]]), self._complaint(number, size))
                for number in doubtful.tolist()
            ),
        )

    def _columns(self, known: IntArray) -> tuple[IntArray, IntArray, IntArray]:
        """Return size, highlighted characters and new ones among them; -1 if unknown."""
        run, results = self.run, self.results
        document = results.document
        listed = Listed.of(run, self.judgements, results.row, results.judged[document])
        whole = run.paths is None and run.spans is None
        paths = run.element_paths(results.row).tolist()
        size, relevant = listed.size, listed.relevant
        if whole:
            size = results.stated(self.marked.lengths, -1)[document]
            relevant = known[document]
            paths = [b"/"] * len(document)
        else:
            levels = np.array([path.count(b"/") for path in paths], np.int64)
            relevant = np.where((relevant < 0) & (levels > 1), 0, relevant)  # lists are complete
            relevant = np.where((relevant < 0) & (levels == 1), known[document], relevant)
        size = np.where(size < 0, self._found(document), size)
        fresh = relevant.copy()
        accounts: dict[int, SeenPaths] = {}
        for number in np.flatnonzero(known[document] > 0).tolist():
            seen = accounts.setdefault(int(document[number]), SeenPaths())
            item = Item(paths[number], int(size[number]), max(int(relevant[number]), 0))
            before = seen.view(item)
            fresh[number] = 0 if before.whole else max(item.highlighted - before.highlighted, 0)
            seen.add(item, before, number)
        return size, relevant, fresh

    def _found(self, document: IntArray) -> IntArray:
        """Return the sizes known from the run and the collection; -1 if unknown."""
        run, rows = self.run, self.results.row
        if run.spans is not None:
            lost = -1 if run.lengths is None else self.policy.conventions.unplaced_size
            return np.where(run.spans.starts[rows] == UNKNOWN, lost, run.spans.lengths[rows])
        return np.full(len(document), -1) if run.lengths is None else run.lengths[rows]

    def _complaint(self, number: int, size: IntArray) -> str:
        row = int(self.results.row[number])
        what = "how much of it is highlighted" if size[number] else "its size"
        needs = "pass --collection"
        if self.run.lengths is not None:
            needs = "expected assessments with passages"
        words = result_in_words(self.run, row)
        return f"{self.run.rows.place(row)}: {words}: {what} was not found in any file; {needs}"


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

    An element without text counts as unseen.
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
