"""Evidence matched with results: when each item is read, touched or met.

The first part implements `spanwise.model.readings.MatchedEvidence`. The second combines the
evidence of several assessors as the policy says.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from spanwise.matching.cuts import CutDocuments, copies, first_cover
from spanwise.model.columns import PlainIds, Rows
from spanwise.model.judgements import (
    Copies,
    Evidence,
    Judgements,
    highlights_of,
    plain_evidence,
)
from spanwise.model.readings import NEVER, ROUNDING, Matches, Pieces
from spanwise.model.spans import NOT_PLACED, UNKNOWN, Spans, merged, ranges

if TYPE_CHECKING:
    from spanwise.matching.ceiling import Choice, Chooser
    from spanwise.matching.documents import Results
    from spanwise.model.arrays import BoolArray, FloatArray, IntArray
    from spanwise.model.documents import Name
    from spanwise.model.judgements import Highlights
    from spanwise.model.policy import Annotators


class Library(Protocol):
    """The methods of a collection that finding white space needs."""

    def __contains__(self, document: object) -> bool:
        """Return whether the collection has this document."""

    def text(self, document: Name, start: int = 0, length: int | None = None) -> str:
        """Return the text of a document or of a part of it."""


@dataclass(frozen=True, slots=True, eq=False)
class TopicItems:
    """The items of all topics; those of one topic are adjacent."""

    evidence: Evidence
    relevant: BoolArray
    bounds: dict[bytes, tuple[int, int]]  # first item of each topic, and the one after its last
    without: frozenset[bytes]  # judged topics that have no evidence, placed or not
    judgements: Judgements
    library: Library | None = None  # the documents, if they are known

    @classmethod
    def of(
        cls, judgements: Judgements, marked: Highlights, library: Library | None = None
    ) -> TopicItems:
        """Return the stated evidence, or the passages if only highlighted text is known."""
        stated = judgements.evidence
        pointed = stated is not None and (stated.relevant.any() or not len(marked.passages))
        evidence = stated if stated is not None and pointed else plain_evidence(marked)
        cuts = evidence.first[judgements.rows.starts].tolist()
        bounds = dict(zip(judgements.rows.topics, itertools.pairwise(cuts), strict=True))
        without = _without(judgements, evidence)
        return cls(evidence, evidence.relevant, bounds, without, judgements, library)

    def blanks(self) -> Blanks:
        """Return the white space in relevant items, found once."""
        return self.judgements.once(
            ("blanks", self.library), lambda: Blanks.of(self.judgements, self, self.library)
        )

    def sets(self) -> EvidenceSets:
        """Return the sets of evidence, measured once."""
        return self.judgements.once(
            ("evidence sets", self.library),
            lambda: EvidenceSets.of(self.judgements, self, self.blanks()),
        )

    def blank_of_topics(self) -> dict[bytes, int]:
        """Return the number of characters of white space in the relevant text of each topic."""

        def counted() -> dict[bytes, int]:
            together = replace(self.evidence, sets=np.zeros_like(self.evidence.sets))
            whole = EvidenceSets.of(
                self.judgements, replace(self, evidence=together), self.blanks()
            )
            relevant = np.flatnonzero(whole.number >= 0)
            row = np.searchsorted(self.evidence.first, relevant, side="right") - 1
            topic = np.searchsorted(self.judgements.rows.starts, row, side="right") - 1
            names = self.judgements.rows.topics
            return {
                names[code]: int(whole.blank[number])
                for code, number in zip(
                    topic.tolist(), whole.number[relevant].tolist(), strict=True
                )
            }

        return self.judgements.once(("blank of topics", self.library), counted)

    def of_documents(self, judged: IntArray) -> tuple[IntArray, IntArray]:
        """Return the items of documents, given by their rows in the judgements, and the owners."""
        counts = np.where(judged >= 0, self.evidence.counts[judged], 0)
        items = ranges(np.where(judged >= 0, self.evidence.first[judged], 0), counts)
        owner = np.repeat(np.arange(len(judged)), counts)
        placed = self.evidence.spans.starts[items] >= 0
        return items[placed], owner[placed]

    def of_topics(self, topics: Sequence[bytes]) -> tuple[IntArray, IntArray]:
        """Return the relevant items of some topics, and the row of each one's topic."""
        bounds = np.array([self.bounds.get(topic, (0, 0)) for topic in topics], np.int64)
        counts = bounds[:, 1] - bounds[:, 0]
        items = ranges(bounds[:, 0], counts)
        kept = self.relevant[items]
        return items[kept], np.repeat(np.arange(len(topics)), counts)[kept]


def _without(judgements: Judgements, evidence: Evidence) -> frozenset[bytes]:
    """Return the topics of which no document and no item is relevant, wherever it may lie."""
    items = np.concatenate([[0], np.cumsum(evidence.grades > 0)])[evidence.first]
    relevant = (judgements.grades > 0) | (np.diff(items) > 0)
    before = np.concatenate([[0], np.cumsum(relevant)])
    counts = np.diff(before[judgements.rows.starts])
    return frozenset(judgements.rows.topics[code] for code in np.flatnonzero(counts == 0).tolist())


@dataclass(frozen=True, slots=True, eq=False)
class Blanks:
    """White space in relevant items."""

    first: IntArray  # item i owns the offsets first[i] to first[i + 1]
    offsets: IntArray  # from the start of the item, rising
    unknown: int  # number of relevant items whose text is unknown, so that all of it counts

    @classmethod
    def of(cls, judgements: Judgements, needed: TopicItems, library: Library | None) -> Blanks:
        """Find the white space of all relevant items in the documents, or in the stated texts."""
        evidence, count = needed.evidence, len(needed.relevant)
        starts, lengths = evidence.spans.starts, evidence.spans.lengths
        owner = np.repeat(np.arange(len(evidence.counts)), evidence.counts)
        names = judgements.documents.take(np.arange(len(judgements.rows)))
        texts = evidence.texts.take(np.arange(count))
        of_document: dict[bytes, IntArray | None] = {}
        found: list[IntArray] = [np.zeros(0, np.int64)] * count
        unknown = 0
        for item in np.flatnonzero(needed.relevant).tolist():
            name, start, length = names[owner[item]], int(starts[item]), int(lengths[item])
            if name not in of_document:
                known = library is not None and name in library
                of_document[name] = blank_places(library.text(name)) if known and library else None
            places = of_document[name]
            if places is not None:
                low, high = np.searchsorted(places, [start, start + length])
                found[item] = places[low:high] - start
                continue
            words = texts[item].decode("utf-8", "surrogatepass")
            if len(words) == length:
                found[item] = blank_places(words)
            else:
                unknown += 1
        first = np.concatenate([[0], np.cumsum([len(one) for one in found])]).astype(np.int64)
        return cls(first, np.concatenate([*found, np.zeros(0, np.int64)]), unknown)

    def on(self, items: IntArray, places: IntArray) -> IntArray:
        """Return the places of the white space of items that begin at these places, rising."""
        counts = self.first[items + 1] - self.first[items]
        offsets = self.offsets[ranges(self.first[items], counts)]
        return np.unique(np.repeat(places, counts) + offsets)


WHITE_SPACE = np.array(
    [
        *(*range(0x09, 0x0E), 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B)),
        *(0x2028, 0x2029, 0x202F, 0x205F, 0x3000),
    ],
    np.uint32,
)
"""The characters with the Unicode property White_Space; `str.isspace` has four more."""


def blank_places(text: str) -> IntArray:
    r"""Return the positions of white space.

    >>> blank_places("a b\u3000\x1fc").tolist()
    [1, 3]
    """
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    return np.flatnonzero(np.isin(codes, WHITE_SPACE))


@dataclass(frozen=True, slots=True, eq=False)
class EvidenceSets:
    """The sets of evidence of all topics; any of them is a complete answer."""

    number: IntArray  # per item: its set, counted over all topics; -1 if it is not relevant
    size: IntArray  # per set: characters, each counted once
    blank: IntArray  # per set: white space among these

    @classmethod
    def of(cls, judgements: Judgements, needed: TopicItems, blanks: Blanks) -> EvidenceSets:
        """Measure the sets of all topics, which are numbered."""
        evidence = needed.evidence
        items = np.flatnonzero(needed.relevant)
        row = np.repeat(np.arange(len(evidence.counts)), evidence.counts)[items]
        topic = np.searchsorted(judgements.rows.starts, row, side="right") - 1
        keys = np.stack([topic, evidence.sets[items]], axis=1)
        different, number = np.unique(keys, axis=0, return_inverse=True)
        number = number.reshape(-1)
        every = np.full(len(needed.relevant), -1)
        every[items] = number
        fresh = _fresh(number, row, evidence.spans.at(items))
        size = np.bincount(number, weights=fresh.lengths, minlength=len(different))
        empty = blanks.on(items, _line(evidence.spans.at(items)))
        begin = _line(evidence.spans.at(items)) + fresh.starts - evidence.spans.starts[items]
        inside = np.searchsorted(empty, begin + fresh.lengths) - np.searchsorted(empty, begin)
        blank = np.bincount(number, weights=inside, minlength=len(different))
        return cls(every, size.astype(np.int64), blank.astype(np.int64))

    def counted(self, share: float, blank: bool) -> tuple[IntArray, BoolArray]:
        """Return the characters of each set that must be read, and whether white space counts.

        It counts anyway in a set that consists of nothing else.
        """
        all_count = np.full(len(self.size), blank) | (self.blank == self.size)
        needed = np.where(all_count, self.size, self.size - self.blank)
        return np.ceil(needed * share * (1 - ROUNDING)).astype(np.int64), all_count


def _line(spans: Spans) -> IntArray:
    """Return a place for each span so that all can be laid out on one line."""
    return np.cumsum(spans.lengths) - spans.lengths


def _fresh(group: IntArray, row: IntArray, spans: Spans) -> Spans:
    """Return the part of each span that no earlier span of its group and row covers."""
    if not len(spans):
        return spans
    order = np.lexsort((spans.starts, row, group))
    starts, ends = spans.starts[order], spans.ends[order]
    new = (np.diff(group[order], prepend=-1) != 0) | (np.diff(row[order], prepend=-1) != 0)
    base = (np.cumsum(new) - 1) * (int(spans.ends.max()) + 1)  # one line for all groups
    covered = np.maximum.accumulate(ends + base)
    before = np.concatenate([[0], covered[:-1]]) - base
    begins = np.maximum(starts, np.where(new, 0, before))
    fresh = np.empty((2, len(starts)), np.int64)
    fresh[:, order] = begins, np.maximum(ends - begins, 0)
    return Spans(np.minimum(fresh[0], spans.ends), fresh[1])


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """The text that results show, stretch by stretch. Most results are a single part."""

    cuts: CutDocuments
    first: IntArray  # per stretch: the part that shows it first, -1 if none does
    items: IntArray  # the items of the documents of the results
    owner: IntArray  # per such item: its document
    results: Results  # the parts of results, each as if it were a result
    result: IntArray  # per part: the result that it belongs to, rising
    size: IntArray  # per part
    topics: tuple[bytes, ...]

    @property
    def before(self) -> IntArray:
        """The characters of the topic that are read before each part."""
        return _before(self.size, self.results.topic)

    def at(self) -> IntArray:
        """Return the characters of the topic read before each stretch; NEVER if it is not shown."""
        place = self.cuts.place
        shown = self.first >= 0
        result = self.first[shown]
        at = np.full(len(place), NEVER)
        at[shown] = self.before[result] + place[shown] - place[self.cuts.begin[result]]
        return at


class StretchEvidence:
    """An implementation of `spanwise.model.readings.MatchedEvidence` on stretches."""

    def __init__(self, shown: Shown, needed: TopicItems, spans: Spans, chooser: Chooser) -> None:
        self._shown, self._needed, self._spans = shown, needed, spans
        self._chooser = chooser
        self._derived: dict[object, Any] = {}

    def _once(self, key: object, make: Callable[[], Any]) -> Any:
        """Return a derived value, computed once per block."""
        if key not in self._derived:
            self._derived[key] = make()
        return self._derived[key]

    def complete(self, limit: IntArray, share: float, blank: bool) -> BoolArray:
        """Return which topics have a set of items of which this share is read."""
        sets, topic, number, stretch = self._once("sets", self._set_stretches)
        needed, all_count = sets.counted(share, blank)
        read, empty = self._read(limit, topic, stretch)
        found = np.bincount(
            number,
            weights=np.where(all_count[number], read, read - empty),
            minlength=len(needed),
        )
        done = found[number] >= needed[number]
        complete = np.zeros(len(self._shown.topics), np.bool_)
        complete[topic[done]] = True
        return complete

    def _set_stretches(self) -> tuple[EvidenceSets, IntArray, IntArray, IntArray]:
        """Return the sets, with topic, set and stretch of all their text that is shown."""
        shown, cuts, sets = self._shown, self._shown.cuts, self._needed.sets()
        number = sets.number[shown.items]
        items = np.flatnonzero(number >= 0)
        counts = (cuts.closes - cuts.opens)[items]
        stretch = ranges(cuts.opens[items], counts)
        pairs = np.stack([np.repeat(number[items], counts), stretch], axis=1)
        pairs = np.unique(pairs[shown.first[stretch] >= 0], axis=0)
        topic = shown.results.topic[shown.first[pairs[:, 1]]]
        return sets, topic, pairs[:, 0], pairs[:, 1]

    def _read(
        self, limit: IntArray, topic: IntArray, stretch: IntArray
    ) -> tuple[IntArray, IntArray]:
        """Return how many characters of shown stretches are read, and the white space among them.

        Only white space in relevant text is known.
        """
        at, place = self._once("at", self._shown.at), self._shown.cuts.place[stretch]
        read = np.clip(limit[topic] - at[stretch], 0, self._shown.cuts.length[stretch])
        blank = self._once("blank places", self._blank_places)
        return read, np.searchsorted(blank, place + read) - np.searchsorted(blank, place)

    def _blank_places(self) -> IntArray:
        """Return the places of white space in relevant text on the line of all documents."""
        shown = self._shown
        items = np.flatnonzero(self._needed.relevant[shown.items])
        begins = shown.cuts.place[shown.cuts.opens[items]] if len(items) else items
        return self._needed.blanks().on(shown.items[items], begins)

    def blank(self, limit: IntArray) -> tuple[IntArray, IntArray] | None:
        """Return the white space in relevant text that is read, and all of it."""
        shown = self._shown
        if self._needed.blanks().unknown:
            return None
        stretch = np.flatnonzero((shown.first >= 0) & shown.cuts.relevant)
        topic = shown.results.topic[shown.first[stretch]]
        _, empty = self._read(limit, topic, stretch)
        known = self._needed.blank_of_topics()
        every = np.array([known.get(name, 0) for name in shown.topics], np.int64)
        rows = len(shown.topics)
        return np.bincount(topic, weights=empty, minlength=rows).astype(np.int64), every

    def ceiling(self, budget: float, *, every: bool) -> tuple[FloatArray, BoolArray] | None:
        """Return the most relevant text that an order of chunks shows, and whether it is exact."""
        if every and self._chooser.pool is None:
            return None
        rows = len(self._shown.topics)
        most, exact = np.zeros(rows), np.ones(rows, np.bool_)
        found = self._once("returned chunks", self._returned)
        easy = np.zeros(rows, np.bool_)
        if not every and self._chooser.begins is None:
            whole, cost = self._once("whole", self._whole)
            easy = cost <= budget  # the order does not matter
            most = np.where(easy, whole, most)
        choices: dict[int, Choice] = self._once(("choices", every), dict)
        for row in range(rows) if every else found:
            if easy[row]:
                continue
            if row not in choices:
                topic = self._shown.topics[row]
                choices[row] = self._chooser.choice(topic, found.get(row, {}), every=every)
            most[row], exact[row] = choices[row].best(budget)
        if every:  # a bound for the returned chunks may be higher than a bound for all
            returned = self.ceiling(budget, every=False)
            assert returned is not None
            exact &= most >= returned[0]
            most = np.maximum(most, returned[0])
        return most, exact

    def _returned(self) -> dict[int, dict[int, list[tuple[int, int]]]]:
        """Return the spans of the results with relevant text, by topic and row of judgements."""
        results = self._shown.results
        touching = np.flatnonzero(self._shown.cuts.relevant_in_results() > 0)
        found: dict[int, dict[int, list[tuple[int, int]]]] = {}
        for topic, row, start, end in zip(
            results.topic[touching].tolist(),
            results.judged[results.document[touching]].tolist(),
            self._spans.starts[touching].tolist(),
            self._spans.ends[touching].tolist(),
            strict=True,
        ):
            found.setdefault(topic, {}).setdefault(row, []).append((start, end))
        return found

    def _whole(self) -> tuple[IntArray, IntArray]:
        """Return, per topic, the relevant text of all results, and the size of those with some."""
        shown, cuts, topic = self._shown, self._shown.cuts, self._shown.results.topic
        rows = len(shown.topics)
        relevant = np.bincount(shown.result, weights=cuts.relevant_in_results())[shown.result]
        stretch = np.flatnonzero((shown.first >= 0) & cuts.relevant)
        found = np.bincount(topic[shown.first[stretch]], cuts.length[stretch], rows)
        cost = np.bincount(topic, shown.size * (relevant > 0), rows)
        return found.astype(np.int64), cost.astype(np.int64)

    def touched(self) -> tuple[IntArray, IntArray]:
        """Return the topic of each aspect, and the characters read before it; NEVER if not read."""
        items, topic = self._needed.of_topics(self._shown.topics)
        at = self._of_items(self._shown.at(), np.minimum, items)
        aspects = self._needed.evidence.aspects
        earliest: dict[tuple[int, bytes], int] = {}
        for item, row, place in zip(items.tolist(), topic.tolist(), at.tolist(), strict=True):
            for aspect in aspects[item]:
                key = (row, aspect)
                earliest[key] = min(place, earliest.get(key, NEVER))
        rows = np.array([row for row, _ in earliest], np.int64)
        return rows, np.array(list(earliest.values()), np.int64)

    def matches(self) -> Matches:
        """Return the first item in file order that shares a character with each result."""
        shown, cuts, evidence = self._shown, self._shown.cuts, self._needed.evidence
        counted = np.flatnonzero(self._needed.relevant[shown.items])
        cover = first_cover(cuts.opens[counted], cuts.closes[counted], len(cuts.length))
        cover = np.where(cover >= 0, cover, len(counted))
        met = _extreme(np.minimum, cover, cuts.begin, cuts.end, len(counted))
        begins = np.flatnonzero(np.diff(shown.result, prepend=-1))
        if len(begins) < len(met):
            met = np.minimum.reduceat(met, begins)
        item = np.append(shown.items[counted], -1)[met]
        each = item[shown.result]
        own = evidence.spans.at(np.maximum(each, 0)) if len(evidence) else self._spans
        shared = np.minimum(self._spans.ends, own.ends) - np.maximum(self._spans.starts, own.starts)
        shared = np.add.reduceat(np.maximum(shared, 0), begins) if len(begins) else shared
        rows = len(shown.topics)
        topic = shown.results.topic[begins]
        counts = np.bincount(topic, minlength=rows)
        column = ranges(np.zeros(rows, np.int64), counts)
        table = np.full((3, rows, int(counts.max(initial=0))), -1)
        table[0, topic, column] = item
        table[1, topic, column] = np.where(item >= 0, shared, 0)
        again = copies(shown.results.document, self._spans)
        table[2, topic, column] = np.minimum.reduceat(again, begins) if len(begins) else again
        return Matches(
            table[0], np.maximum(table[1], 0), table[2] == 1, _numbered(evidence.aspects)
        )

    def nothing(self) -> BoolArray:
        """Return which topics were judged to have no evidence, placed or not."""
        without = self._needed.without
        return np.array([topic in without for topic in self._shown.topics], np.bool_)

    def totals(self) -> tuple[IntArray, IntArray]:
        """Return, per topic, the number of different items, and of different aspects."""
        items, topic = self._needed.of_topics(self._shown.topics)
        rows, evidence = len(self._shown.topics), self._needed.evidence
        aspects: list[set[bytes]] = [set() for _ in range(rows)]
        for item, row in zip(items.tolist(), topic.tolist(), strict=True):
            aspects[row].update(evidence.aspects[item])
        document = np.searchsorted(evidence.first, items, side="right")
        different = ~copies(document, evidence.spans.at(items))
        return np.bincount(topic[different], minlength=rows), np.array(
            [len(one) for one in aspects]
        )

    def pieces(self) -> Pieces:
        """Return the text of all results, without text that an earlier result has shown."""
        shown, cuts = self._shown, self._shown.cuts
        at = shown.at()
        stretch = np.flatnonzero(shown.first >= 0)
        # Results are in reading order, topic by topic, and so are pieces once they are sorted.
        stretch = stretch[np.lexsort((at[stretch], shown.first[stretch]))]
        result = shown.first[stretch]
        placed = Pieces(
            shown.results.topic[result],
            at[stretch],
            cuts.length[stretch],
            cuts.relevant[stretch],
            self._judged(stretch),
            self._repeated(stretch, result),
        )
        return self._with_lost(placed)

    def _with_lost(self, placed: Pieces) -> Pieces:
        """Add the texts of unplaced results: they are read, but nothing is found in them."""
        shown = self._shown
        lost = np.flatnonzero((self._spans.lengths == 0) & (shown.size > 0))
        if not len(lost):
            return placed
        no = np.zeros(len(lost), np.bool_)
        columns = (shown.results.topic[lost], shown.before[lost], shown.size[lost], no, no, no * 0)
        names = ("topic", "at", "length", "relevant", "judged", "repeated")
        joined = [
            np.concatenate([getattr(placed, name), column])
            for name, column in zip(names, columns, strict=True)
        ]
        order = np.lexsort((joined[1], joined[0]))
        return Pieces(*(column[order] for column in joined))

    def _repeated(self, stretch: IntArray, result: IntArray) -> IntArray:
        """Return the relevant characters read again before each piece, pieces in reading order."""
        cuts = self._shown.cuts
        weight = cuts.length * cuts.relevant
        before = np.concatenate([[0], np.cumsum(weight)])
        whole = before[cuts.end] - before[cuts.begin]
        fresh = np.bincount(result, weights=weight[stretch], minlength=len(whole)).astype(np.int64)
        again = _before(whole - fresh, self._shown.results.topic)
        fresh_before = np.cumsum(weight[stretch]) - weight[stretch]
        inside = before[stretch] - before[cuts.begin[result]]
        since = fresh_before - (np.cumsum(fresh) - fresh)[result]
        return again[result] + inside - since

    def _judged(self, stretch: IntArray) -> BoolArray:
        """Return which stretches were judged."""
        shown, full = self._shown, self._needed.evidence.full
        row = shown.results.judged[shown.cuts.document[stretch]]
        looked = (row >= 0) & full[row] if len(full) else row >= 0
        if (row >= 0).any() and not full.all():
            looked |= shown.cuts.depth()[stretch] > 0
        return looked

    def near(self, cutoff: int | None, tolerance: int) -> IntArray:
        """Return, per topic, the relevant characters within `tolerance` of the first results."""
        shown, rows = self._shown, len(self._shown.topics)
        topic = shown.results.topic
        rank = shown.result - shown.result[np.searchsorted(topic, topic)]
        real = self._spans.lengths > 0
        kept = np.flatnonzero(real if cutoff is None else real & (rank < cutoff))
        start = np.maximum(self._spans.starts[kept] - tolerance, 0)
        wide = Spans(start, self._spans.ends[kept] + tolerance - start)
        relevant = self._needed.relevant[shown.items]
        cuts = CutDocuments.of(
            wide,
            shown.results.document[kept],
            self._needed.evidence.spans.at(shown.items[relevant]),
            shown.owner[relevant],
            np.zeros(len(shown.results.opening), np.int64),
        )
        found = (cuts.shown_first() >= 0) & cuts.relevant
        topic = shown.results.topic[shown.results.opening][cuts.document[found]]
        return np.bincount(topic, weights=cuts.length[found], minlength=rows).astype(np.int64)

    def _of_items(self, values: IntArray, choose: np.ufunc, items: IntArray) -> IntArray:
        """Return the extreme value of the stretches of each item; NEVER if it has none."""
        shown = self._shown
        chosen = np.full(len(self._needed.relevant), NEVER)
        chosen[shown.items] = _extreme(choose, values, shown.cuts.opens, shown.cuts.closes, NEVER)
        return chosen[items]


def _extreme(
    choose: np.ufunc, values: IntArray, begin: IntArray, end: IntArray, nothing: int
) -> IntArray:
    """Return the largest or smallest of the values from each begin to its end."""
    extreme = np.full(len(begin), nothing)
    counts = end - begin
    some = np.flatnonzero(counts > 0)
    if len(some):
        starts = np.cumsum(counts[some]) - counts[some]
        extreme[some] = choose.reduceat(values[ranges(begin[some], counts[some])], starts)
    return extreme


def _before(values: IntArray, topic: IntArray) -> IntArray:
    """Return, for each value, the sum of the values of its topic before it; topics rise."""
    sums = np.cumsum(values) - values
    return sums - sums[np.searchsorted(topic, topic)] if len(topic) else sums


def _numbered(aspects: Sequence[tuple[bytes, ...]]) -> list[tuple[int, ...]]:
    numbers: dict[bytes, int] = {}
    return [tuple(numbers.setdefault(one, len(numbers)) for one in some) for some in aspects]


# Copies of evidence -------------------------------------------------------------------------------
#
# Two characters are the same character of evidence if they are at the same place of two copies of
# an item, or if both are the same as a third one. Each of these classes is counted once, and is
# found when any character of it is read. The class is represented by its first character in the
# document: items are moved there, and so is text that is read. Nothing else knows of copies.

Link = tuple[int, int, int]
"""Where two equal stretches of a document begin, and their length."""


def with_copies(judgements: Judgements, links: Mapping[int, Sequence[Link]]) -> Judgements:
    """Return the judgements with each item's copies as alternatives to it; links are by item."""
    evidence, marked = judgements.evidence, judgements.highlights
    if evidence is None or marked is None or not links:
        return judgements
    rows = judgements.rows
    owner = np.repeat(np.arange(len(rows)), evidence.counts)
    topic = np.searchsorted(rows.starts, owner, side="right") - 1
    names = judgements.documents.take(owner)
    keys = [(rows.topics[c], name) for c, name in zip(topic.tolist(), names, strict=True)]
    linked: dict[tuple[bytes, bytes], list[Link]] = {}
    for item, some in links.items():
        linked.setdefault(keys[item], []).extend(some)
    copies = {key: _copies(some) for key, some in linked.items()}
    moved = Redirection.of([copies.get(key) for key in keys])
    part, spans = moved.applied(np.arange(len(keys)), evidence.spans)
    found = replace(cut_up(evidence, part, spans), copies=copies)
    highlights = highlights_of(found, marked.lengths, marked.entries)
    return replace(judgements, highlights=highlights, evidence=found, _derived={})


def cut_up(evidence: Evidence, item: IntArray, spans: Spans) -> Evidence:
    """Return the evidence with items replaced by parts of them, given the item of each part."""
    owner = np.repeat(np.arange(len(evidence.first) - 1), evidence.counts)
    counts = np.bincount(owner[item], minlength=len(evidence.first) - 1)
    single = replace(
        evidence, first=np.arange(len(evidence) + 1), full=np.ones(len(evidence), np.bool_)
    )
    first = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    found = replace(single.at(item), first=first, full=evidence.full, spans=spans)
    if found.labels is None:
        return found
    again = np.concatenate([[False], item[1:] == item[:-1]])[: len(item)]
    return replace(found, labels=np.where(again, NOT_PLACED, found.labels).astype(np.int8))


def _copies(links: Sequence[Link]) -> Copies:
    """Return the copies that links make: every stretch but the first of each class."""
    edges = {edge for a, b, length in links for edge in (a, b, a + length, b + length)}
    new = edges
    while new:
        more = {
            edge + to - at
            for a, b, length in links
            for at, to in ((a, b), (b, a))
            for edge in new
            if at < edge < at + length
        }
        new = more - edges
        edges = edges | new
    rising = sorted(edges)
    first = {edge: edge for edge in rising}

    def root(edge: int) -> int:
        while first[edge] != edge:
            edge = first[edge]
        return edge

    size: dict[int, int] = {}
    for a, b, length in links:
        inside = rising[bisect_left(rising, a) : bisect_left(rising, a + length)]
        for edge, end in itertools.pairwise([*inside, a + length]):
            one, other = sorted((root(edge), root(edge + b - a)))
            first[other] = one
            size[edge] = size[edge + b - a] = end - edge
    moved = [edge for edge in sorted(size) if root(edge) != edge]
    starts = np.array(moved, np.int64)
    lengths = np.array([size[edge] for edge in moved], np.int64)
    return Copies(Spans(starts, lengths), np.array([root(edge) for edge in moved], np.int64))


@dataclass(frozen=True, slots=True, eq=False)
class Redirection:
    """The copies of evidence in several documents, laid out on one line."""

    starts: IntArray
    ends: IntArray
    targets: IntArray  # offsets in the document

    @classmethod
    def of(cls, documents: Sequence[Copies | None]) -> Redirection:
        """Lay out the copies in each document, None if it has none."""
        some = [(place, one) for place, one in enumerate(documents) if one is not None]
        nothing = np.zeros(0, np.int64)
        starts = [one.spans.starts + place * _APART for place, one in some]
        ends = [one.spans.ends + place * _APART for place, one in some]
        targets = [one.evidence for _, one in some]
        return cls(*(np.concatenate([nothing, *column]) for column in (starts, ends, targets)))

    def applied(self, document: IntArray, spans: Spans) -> tuple[IntArray, Spans]:
        """Return the spans with copies replaced by what they repeat, and the source of each one."""
        begin = document * _APART + spans.starts
        end = begin + spans.lengths
        lowest = np.searchsorted(self.ends, begin, side="right")
        counts = np.searchsorted(self.starts, end) - lowest
        counts[(spans.lengths <= 0) | (spans.starts < 0)] = 0
        every = np.arange(len(spans))
        if not counts.any():
            return every, spans
        copy, source = ranges(lowest, counts), np.repeat(every, counts)
        first = np.maximum(self.starts[copy], begin[source])
        last = np.minimum(self.ends[copy], end[source])
        place = self.targets[copy] + first - self.starts[copy]
        before = np.concatenate([[0], last[:-1]])
        opens = np.concatenate([[True], source[1:] != source[:-1]])
        before[opens] = begin[source[opens]]
        rest = begin.copy()
        rest[source] = last  # the last copy of each span stays
        gap = before - document[source] * _APART
        tail = rest - document * _APART
        tail = np.where(spans.starts < 0, spans.starts, tail)
        columns = [
            (source, before, gap, first - before),
            (source, first, place, last - first),
            (every, rest, tail, np.where(counts > 0, end - rest, spans.lengths)),
        ]
        owner, order, start, length = map(np.concatenate, zip(*columns, strict=True))
        kept = np.flatnonzero((length > 0) | (counts[owner] == 0))
        kept = kept[np.lexsort((order[kept], owner[kept]))]
        return owner[kept], Spans(start[kept], length[kept])


_APART = 1 << 40
"""Length of line for each document; no document is as long."""


# Several assessors --------------------------------------------------------------------------------

Groups = dict[tuple[int, bytes, bytes], tuple[int, list[int]]]
"""Topic, document and assessor; the original row, and its items."""


def combine_assessors(judgements: Judgements, how: Annotators) -> Judgements:
    """Return the judgements with the evidence of several assessors combined as `how` says."""
    evidence = judgements.evidence
    if evidence is None or judgements.highlights is None:
        return judgements
    people = _people(judgements, evidence)
    named = sorted({one for one in people if one})
    if not named or (judgements.assessors is None and how == "union"):
        return judgements
    owner = np.repeat(np.arange(len(judgements.rows)), evidence.counts)
    apart = how == "mean"
    united = regrouped(judgements, _groups(judgements, owner, people, apart), apart=apart)
    return _shared(united) if how == "intersection" else united


def _people(judgements: Judgements, evidence: Evidence) -> list[bytes]:
    """Return the assessor of each item."""
    people = evidence.by.take(np.arange(len(evidence)))
    if judgements.assessors is None:
        return people
    owner = np.repeat(np.arange(len(judgements.rows)), evidence.counts)
    return [a or b for a, b in zip(people, judgements.assessors.take(owner), strict=True)]


def _groups(judgements: Judgements, owner: IntArray, people: list[bytes], apart: bool) -> Groups:
    rows = judgements.rows
    topics = np.searchsorted(rows.starts, np.arange(len(rows)), side="right") - 1
    names = judgements.documents.take(np.arange(len(rows)))
    groups: Groups = {}
    for row, (topic, name) in enumerate(zip(topics.tolist(), names, strict=True)):
        if not apart:
            groups.setdefault((topic, name, b""), (row, []))
    if apart:
        _add_unanswered(groups, judgements, topics, names, owner)
    for item, row in enumerate(owner.tolist()):
        key = (int(topics[row]), names[row], people[item] if apart else b"")
        groups.setdefault(key, (row, []))[1].append(item)
    return groups


def _add_unanswered(
    groups: Groups, judgements: Judgements, topics: IntArray, names: list[bytes], owner: IntArray
) -> None:
    """Add the documents of topics without any item, with their assessors."""
    answered = np.zeros(len(judgements.rows.topics), np.bool_)
    answered[topics[owner]] = True
    rows = np.flatnonzero(~answered[topics])
    by = judgements.assessors.take(rows) if judgements.assessors is not None else [b""] * len(rows)
    for row, person in zip(rows.tolist(), by, strict=True):
        groups.setdefault((int(topics[row]), names[row], person), (row, []))


def add_empty_rows(groups: Groups, judgements: Judgements) -> None:
    """Add the judged documents without items, so that their topics stay judged."""
    rows, evidence = judgements.rows, judgements.evidence
    assert evidence is not None
    empty = np.flatnonzero(evidence.counts == 0)
    topics = np.searchsorted(rows.starts, empty, side="right") - 1
    names = judgements.documents.take(empty)
    for row, topic, name in zip(empty.tolist(), topics.tolist(), names, strict=True):
        groups.setdefault((topic, name, b""), (row, []))


def regrouped(judgements: Judgements, groups: Groups, *, apart: bool = False) -> Judgements:
    """Return the same items with other rows."""
    evidence, marked, rows = judgements.evidence, judgements.highlights, judgements.rows
    assert evidence is not None
    assert marked is not None
    ordered = sorted(groups.items(), key=lambda group: group[0][0])
    source = np.array([row for _, (row, _) in ordered], np.int64)
    items = np.array([item for _, (_, some) in ordered for item in some], np.int64)
    singles = replace(
        evidence, first=np.arange(len(evidence) + 1), full=np.ones(len(evidence), np.bool_)
    )
    sizes = [len(some) for _, (_, some) in ordered]
    moved = replace(
        singles.at(items),
        first=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        full=evidence.full[source],
    )
    counts = np.bincount([key[0] for key, _ in ordered], minlength=len(rows.topics))
    kept = np.flatnonzero(counts)
    lines = [rows.line(row) or 0 for row in source.tolist()]
    highlights = highlights_of(moved, marked.lengths[source], marked.entries[source])
    grades = np.where(highlights.relevant > 0, np.maximum(judgements.grades[source], 1), 0)
    return Judgements(
        Rows(
            rows.source,
            tuple(rows.topics[code] for code in kept.tolist()),
            np.concatenate([[0], np.cumsum(counts[kept])]),
            np.array(lines) if rows.has_lines else None,
            rows.has_lines,
        ),
        PlainIds([name for (_, name, _), _ in ordered]),
        grades,
        PlainIds([by for (_, _, by), _ in ordered]) if apart else None,
        highlights=highlights,
        evidence=moved,
    )


def _shared(judgements: Judgements) -> Judgements:
    """Return the judgements with only the text that all assessors of a topic marked."""
    evidence, marked = judgements.evidence, judgements.highlights
    assert evidence is not None
    assert marked is not None
    people = evidence.by.take(np.arange(len(evidence)))
    starts, lengths, counts = [], [], []
    topics = np.searchsorted(judgements.rows.starts, np.arange(len(judgements.rows)), "right") - 1
    cuts = evidence.first[judgements.rows.starts].tolist()
    everybody = [{*people[a:b]} - {b""} for a, b in itertools.pairwise(cuts)]
    relevant = evidence.relevant
    for row in range(len(judgements.rows)):
        mine = range(int(evidence.first[row]), int(evidence.first[row + 1]))
        common: Spans | None = None
        for person in sorted(everybody[int(topics[row])]):
            chosen = np.array([i for i in mine if people[i] == person and relevant[i]], np.int64)
            spans = merged(evidence.spans.at(chosen))
            common = spans if common is None else _both(common, spans)
        found = common if common is not None else Spans(np.zeros(0, int), np.zeros(0, int))
        starts.append(found.starts)
        lengths.append(found.lengths)
        counts.append(len(found))
    count = sum(counts)
    nothing = PlainIds([b""] * count)
    left = replace(
        evidence,
        first=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        spans=Spans(np.concatenate(starts), np.concatenate(lengths)),
        grades=np.ones(count),
        sets=np.zeros(count, np.int64),
        aspects=[()] * count,
        by=nothing,
        texts=nothing,
        stated=np.ones(count, np.bool_),
        labels=None,
    )
    highlights = highlights_of(left, marked.lengths, marked.entries)
    grades = (highlights.relevant > 0).astype(np.float64)
    return replace(judgements, grades=grades, highlights=highlights, evidence=left, _derived={})


def _both(one: Spans, other: Spans) -> Spans:
    """Return the intersection of two sets of disjoint spans."""
    begin = np.maximum(one.starts[:, None], other.starts[None, :]).ravel()
    end = np.minimum(one.ends[:, None], other.ends[None, :]).ravel()
    real = end > begin
    return merged(Spans(begin[real], (end - begin)[real]))


def unplaced(evidence: Evidence) -> int:
    """Return the number of relevant items that could not be placed."""
    return int(np.count_nonzero((evidence.grades > 0) & (evidence.spans.starts == UNKNOWN)))
