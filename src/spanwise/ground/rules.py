"""Whether a run keeps the rules of its task: every violation, with topic and rank.

Results count in the order of the file; documents as a whole in that of their scores, chunks in that
of their ranks or scores. Where their offsets are known they are compared by these,
else by their paths: an element lies inside another if its path begins with the other's path and
a slash.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spanwise.ground.placing import Lookup, spans_between
from spanwise.ground.results import reading_order
from spanwise.ground.tasks import Rules, find_task
from spanwise.model.holdings import filled
from spanwise.model.ids import text
from spanwise.model.spans import UNKNOWN, Spans

if TYPE_CHECKING:
    from spanwise.model.arrays import BoolArray, IntArray
    from spanwise.model.judgements import Judgements
    from spanwise.model.run import Run


class Violation(NamedTuple):
    """One result, or the topic from one result on, against one rule."""

    topic: bytes
    rank: int  # place among the results of the topic, from 1
    rule: str
    message: str
    row: int  # of the run


class Result(NamedTuple):
    """One result of a topic as the rules see it."""

    row: int
    document: bytes
    start: int  # UNKNOWN: where it lies is not known, or only its path says
    length: int  # UNKNOWN where nobody says
    path: bytes
    last: bytes  # the second path of a range
    trouble: str = ""  # why it cannot be placed: unplaced, document or path

    @property
    def is_element(self) -> bool:
        """Whether it is one element: those are compared by path, even where they are empty."""
        return bool(self.path) and not self.last

    @property
    def name(self) -> str:
        """The result in words."""
        place = text(b" ".join(filter(None, (self.path, self.last))))
        if not place and self.start != UNKNOWN:
            place = f"{self.start}:{self.length}"
        return f"{text(self.document)!r}" + (f" {place}" if place else "")


def violations(
    run: Run, task: str | Rules, collection: Lookup | None = None, most: int | None = None
) -> list[Violation]:
    """Every violation of the rules of a task, topic by topic and from rank 1 down.

    A limit is violated once: by the first result that passes it.
    """
    rules = find_task(task, most) if isinstance(task, str) else task
    found = []
    for topic, results in by_topic(run, collection):
        mine = sorted(_of_topic(results, rules), key=lambda one: one[0])
        found += [
            Violation(topic, place + 1, rule, message, results[place].row)
            for place, rule, message in mine
        ]
    return found


def unknown_results(run: Run, collection: Lookup) -> list[Violation]:
    """The results whose document or path a collection does not have, whatever the task."""
    return [
        Violation(topic, place + 1, "unknown", _in_words(result), result.row)
        for topic, results in by_topic(run, collection)
        for place, result in enumerate(results)
        if result.trouble
    ]


def past_the_end(run: Run, lengths: Sequence[int] | IntArray) -> list[str]:
    """How many spans end after their documents do; `lengths` has -1 where nobody knows."""
    if run.spans is None:
        return []
    known = np.asarray(lengths) >= 0
    past = int(np.count_nonzero(known & (run.spans.ends > lengths)))
    advice = "; are the last columns start and end?" if 2 * past > np.count_nonzero(known) else ""
    return [f"results that reach past the end of their document: {past}{advice}"] if past else []


def stated_lengths(run: Run, judgements: Judgements) -> list[int]:
    """How long judgements say that the document of each result is, -1 where they do not."""
    if judgements.highlights is None:
        return [-1] * len(run.rows)
    judged = judgements.documents.take(np.arange(len(judgements.rows)))
    known = dict(zip(judged, judgements.highlights.lengths.tolist(), strict=True))
    return [known.get(name, -1) for name in run.documents.take(np.arange(len(run.rows)))]


def unchecked(run: Run, task: str | Rules, collection: Lookup | None = None) -> list[str]:
    """Which rules could not be applied in full, because nobody says where results lie."""
    rules = find_task(task) if isinstance(task, str) else task
    every = [result for _, results in by_topic(run, collection) for result in results]
    notes = []
    texts = int(np.count_nonzero(quoted(run)))
    if texts:
        advice = "to find them needs --collection"
        notes.append(f"texts without their place, of which only the size counts: {texts}; {advice}")
    unsized = sum(1 for result in every if result.length == UNKNOWN and not result.trouble)
    if unsized and (rules.per_document or rules.per_topic):
        notes.append(f"results of unknown size, not counted in characters: {unsized}")
    ranges = sum(1 for result in every if result.last and result.start == UNKNOWN)
    if ranges and not rules.overlap:
        notes.append(f"results from one path to another, compared by these only: {ranges}")
    return notes


# Results ------------------------------------------------------------------------------------


def by_topic(run: Run, collection: Lookup | None = None) -> Iterator[tuple[bytes, list[Result]]]:
    """The results of each topic, in the order in which they are read."""
    every = np.arange(len(run.rows))
    documents = run.documents.take(every)
    nothing = [b""] * len(every)
    paths = nothing if run.paths is None else run.paths.take(every)
    lasts = nothing if run.ends is None else run.ends.take(every)
    spans, troubles = _placed(run, documents, paths, lasts, collection)
    columns = zip(
        every.tolist(),
        documents,
        spans.starts.tolist(),
        spans.lengths.tolist(),
        paths,
        lasts,
        troubles,
        strict=True,
    )
    rows = list(map(Result._make, columns))
    results = [rows[row] for row in reading_order(run).tolist()]
    starts = run.rows.starts.tolist()
    for topic, first, last in zip(run.rows.topics, starts[:-1], starts[1:], strict=True):
        yield topic, results[first:last]


def _placed(
    run: Run,
    documents: list[bytes],
    paths: list[bytes],
    lasts: list[bytes],
    collection: Lookup | None,
) -> tuple[Spans, list[str]]:
    """Where results lie, as far as run and collection say, and what is wrong with the others."""
    named = np.array([bool(path) for path in paths], np.bool_)
    lost = np.full(len(documents), UNKNOWN)
    spans = Spans(lost, lost) if run.spans is None else run.spans
    nowhere, texts = spans.starts == UNKNOWN, quoted(run)
    unplaced = nowhere & ~named & ~texts & (run.spans is not None)
    starts, lengths = spans.starts, np.where(nowhere & ~texts, UNKNOWN, spans.lengths)
    troubles = np.where(unplaced, "unplaced", "")
    if collection is None:
        return Spans(starts, lengths), troubles.tolist()
    known = collection.lengths(documents)
    if named.any():
        found = spans_between(collection, documents, paths, lasts)
        placed = named & (found.starts != UNKNOWN)
        starts = np.where(placed, found.starts, starts)
        lengths = np.where(placed, found.lengths, lengths)
        troubles = np.where(named & ~placed, "path", troubles)
    if run.spans is None and run.paths is None:
        starts, lengths = np.where(known >= 0, 0, UNKNOWN), known
    return Spans(starts, lengths), np.where(known < 0, "document", troubles).tolist()


def quoted(run: Run) -> BoolArray:
    """Which results are texts of which nobody has looked yet where they stand."""
    if run.chunks is None or run.spans is None or run.labels is not None:
        return np.zeros(len(run.rows), np.bool_)
    return filled(run.chunks.texts) & (run.spans.starts == UNKNOWN)


# Overlap ------------------------------------------------------------------------------------


class Shown:
    """What results of one document have shown so far, and at which rank."""

    def __init__(self) -> None:
        self._starts: list[int] = []  # of disjoint pieces, rising
        self._ends: list[int] = []
        self._ranks: list[int] = []
        self._named: dict[bytes, int] = {}
        self._around: dict[bytes, int] = {}  # elements that hold one that was named

    def meets(self, result: Result) -> int | None:
        """The rank of a result that shares text with this one, if there is one."""
        if result.start == UNKNOWN:
            return self._meets_path(result)
        first = bisect_right(self._ends, result.start)
        met = first < len(self._ends) and self._starts[first] < result.start + result.length
        if met and result.length > 0:
            return self._ranks[first]
        return self._meets_path(result) if result.is_element else None  # it may be empty

    def _meets_path(self, result: Result) -> int | None:
        for path in filter(None, (result.path, result.last)):
            for around in (path, *_ancestors(path)):
                if around in self._named:
                    return self._named[around]
            if path in self._around:
                return self._around[path]
        return None

    def add(self, result: Result, rank: int) -> None:
        """Remember a result; pieces that it covers are not needed any more."""
        if result.start == UNKNOWN or result.is_element:
            for path in filter(None, (result.path, result.last)):
                self._named.setdefault(path, rank)
                for around in _ancestors(path):
                    self._around.setdefault(around, rank)
        if result.start != UNKNOWN and result.length > 0:
            self._cover(result.start, result.start + result.length, rank)

    def _cover(self, start: int, end: int, rank: int) -> None:
        first = bisect_right(self._ends, start)
        last = bisect_left(self._starts, end, lo=first)
        pieces = [(start, end, rank)]
        if first < last and self._starts[first] < start:
            pieces.insert(0, (self._starts[first], start, self._ranks[first]))
        if first < last and self._ends[last - 1] > end:
            pieces.append((end, self._ends[last - 1], self._ranks[last - 1]))
        columns = (self._starts, self._ends, self._ranks)
        for column, values in zip(columns, zip(*pieces, strict=True), strict=True):
            column[first:last] = values


def _ancestors(path: bytes) -> Iterator[bytes]:
    """The paths of all elements around one, from the nearest on."""
    place = path.rfind(b"/")
    while place > 0:
        path = path[:place]
        yield path
        place = path.rfind(b"/")


# The rules one by one -----------------------------------------------------------------------

Found = tuple[int, str, str]
"""Place in the topic, rule, message."""
TROUBLE = {
    "unplaced": "could not be placed in its document",
    "document": "is of a document that the collection does not have",
    "path": "is an element that its document does not have",
}


@dataclass(slots=True)
class _Document:
    """What is known of one document while a topic is gone through."""

    first: int
    latest: int
    shown: Shown


def _of_topic(results: list[Result], rules: Rules) -> Iterator[Found]:
    seen: dict[tuple[object, ...], int] = {}
    documents: dict[bytes, _Document] = {}
    for place, result in enumerate(results):
        if result.trouble:
            rule = "unplaced" if result.trouble == "unplaced" else "unknown"
            yield place, rule, _in_words(result)
        first = seen.setdefault(identity(result), place)
        if first < place and result.trouble != "unplaced":
            yield place, "duplicate", f"result {result.name} is there already at rank {first + 1}"
        known = documents.get(result.document)
        if known is None:
            known = documents[result.document] = _Document(place, place, Shown())
        elif first == place:
            yield from _against_document(place, result, known, rules)
        if known.latest < place - 1 and rules.consecutive:
            name = text(result.document)
            message = f"document {name!r} goes on after others, last at rank {known.latest + 1}"
            yield place, "grouping", message
        known.latest = place
        known.shown.add(result, place)
    yield from _against_limits(results, rules)


def _in_words(result: Result) -> str:
    """Why a result cannot be placed."""
    return f"result {result.name} {TROUBLE[result.trouble]}"


def identity(result: Result) -> tuple[object, ...]:
    """What two results have in common that are the same."""
    quoted = result.start == UNKNOWN and not result.path and result.length >= 0
    if quoted or result.trouble == "unplaced":  # nobody knows what it is
        return (result.row,)
    return result.document, result.path, result.last, result.start, result.length


def _against_document(
    place: int, result: Result, known: _Document, rules: Rules
) -> Iterator[Found]:
    if rules.alone:
        message = f"document {text(result.document)!r} is there already at rank {known.first + 1}"
        yield place, "one-per-document", f"{message}; one result of each document is due"
    if not rules.overlap:
        met = known.shown.meets(result)
        if met is not None:
            yield place, "overlap", f"result {result.name} overlaps the one at rank {met + 1}"


def _against_limits(results: list[Result], rules: Rules) -> Iterator[Found]:
    place = beyond(results, rules)
    if place is not None:
        documents = len({result.document for result in results})
        count = len(results) if rules.counted == "results" else documents
        yield place, "length", f"{count} {rules.counted}; at most {rules.most} are allowed"
    if rules.per_document:
        totals: Counter[bytes] = Counter()
        for result in results:
            totals[result.document] += max(result.length, 0)
        for place, document in _passing(results, rules.per_document):
            shown = f"{totals[document]} characters of document {text(document)!r}"
            message = f"{shown}; at most {rules.per_document} are allowed"
            yield place, "document-characters", message
    if rules.per_topic:
        everything = [result._replace(document=b"") for result in results]
        total = sum(max(result.length, 0) for result in results)
        for place, _ in _passing(everything, rules.per_topic):
            message = f"{total} characters; at most {rules.per_topic} are allowed"
            yield place, "topic-characters", message


def beyond(results: Sequence[Result], rules: Rules) -> int | None:
    """The first place past the limit of results or documents."""
    if rules.counted == "results":
        return rules.most if len(results) > rules.most else None
    seen: set[bytes] = set()
    for place, result in enumerate(results):
        seen.add(result.document)
        if len(seen) > rules.most:
            return place
    return None


def _passing(results: list[Result], most: int) -> Iterator[tuple[int, bytes]]:
    """Where each document passes a limit of characters, if it does."""
    sums: Counter[bytes] = Counter()
    for place, result in enumerate(results):
        before = sums[result.document]
        sums[result.document] += max(result.length, 0)
        if before <= most < sums[result.document]:
            yield place, result.document
