"""Rules of the INEX tasks: the violations of a run, and its repair.

Parts of documents are checked in the order of the file, whole documents by score, chunks by rank or
score. They are compared by offsets if these are known, else by paths: an element lies inside
another if its path begins with the other's path and a slash.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from spanwise.errors import InputError, UnknownName, UsageError
from spanwise.matching.documents import reading_order
from spanwise.matching.placing import Lookup, spans_between
from spanwise.model.columns import PlainIds, Rows, text
from spanwise.model.contents import filled
from spanwise.model.notes import Tally
from spanwise.model.run import Chunks, chunks_at
from spanwise.model.spans import UNKNOWN, Spans

if TYPE_CHECKING:
    from spanwise.model.arrays import BoolArray, IntArray
    from spanwise.model.judgements import Judgements
    from spanwise.model.run import Run

# Tasks --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of a task for the results of one topic, which must all be different."""

    most: int = 1500
    counted: Literal["results", "documents"] = "results"  # what `most` limits
    overlap: bool = True  # whether results of one document may share text
    consecutive: bool = False  # results of one document are adjacent
    alone: bool = False  # at most one result of each document
    per_document: int | None = None  # maximum number of characters of one document
    per_topic: int | None = None  # maximum number of characters of all results


IN_CONTEXT = Rules(counted="documents", overlap=False, consecutive=True)

TASKS: dict[str, Rules] = {
    "thorough": Rules(),
    "focused": Rules(overlap=False),
    "fetch-browse": Rules(consecutive=True),
    "all-in-context": replace(IN_CONTEXT, counted="results"),
    "ric": IN_CONTEXT,
    "bic": Rules(alone=True),
    "restricted-focused": Rules(overlap=False, per_topic=1000),
    "restricted-ric": replace(IN_CONTEXT, per_document=500),
    "efficiency": Rules(),
}
"""The rules of each task; in 2006 the limit of relevant in context counted results."""

ALIASES: dict[str, tuple[str, ...]] = {
    "thorough": (
        *("CO", "CAS", "SCAS", "VCAS", "CO.Thorough", "COS.Thorough", "CO+S.Thorough"),
        *("VVCAS", "VSCAS", "SVCAS", "SSCAS"),
    ),
    "focused": ("Focussed", "CO.Focussed", "COS.Focussed", "CO+S.Focussed", "CO.Focused"),
    "fetch-browse": ("FetchBrowse", "CO.FetchBrowse", "COS.FetchBrowse", "CO+S.FetchBrowse"),
    "all-in-context": ("AllInContext",),
    "ric": ("RelevantInContext",),
    "bic": ("BestInContext",),
    "restricted-focused": ("RestrictedFocused",),
    "restricted-ric": ("RestrictedRelevantInContext",),
}
"""Names of the tasks in submissions; case, blanks and punctuation do not matter."""


def _folded(name: str) -> str:
    return "".join(character for character in name.lower() if character.isalnum())


def find_task(name: str, most: int | None = None) -> Rules:
    """Return the rules of a task; `most` replaces its limit of results, as for the top 15 or 150.

    >>> find_task("CO.Focussed").overlap
    False
    """
    if most is not None and most < 1:
        raise UsageError(f"the limit of results is {most}; expected 1 or more")
    names = {_folded(task): task for task in TASKS}
    names |= {_folded(alias): task for task, some in ALIASES.items() for alias in some}
    if _folded(name) not in names:
        raise UnknownName("task", name, list(TASKS))
    rules = TASKS[names[_folded(name)]]
    return rules if most is None else replace(rules, most=most)


# Violations ---------------------------------------------------------------------------------------


class Violation(NamedTuple):
    """A violation of a rule: by one result, or by the topic from one result on."""

    topic: bytes
    rank: int  # position among the results of the topic, from 1
    rule: str
    message: str
    row: int  # of the run


class Result(NamedTuple):
    """A result of a topic as the rules see it."""

    row: int
    document: bytes
    start: int  # UNKNOWN if its place is unknown, or given by its path only
    length: int  # UNKNOWN if it is not stated
    path: bytes
    last: bytes  # the second path of a range
    trouble: str = ""  # why it has no place: unplaced, document or path

    @property
    def is_element(self) -> bool:
        """Whether it is one element: elements are compared by path even if they are empty."""
        return bool(self.path) and not self.last

    @property
    def name(self) -> str:
        """The document and place of the result, for messages."""
        place = text(b" ".join(filter(None, (self.path, self.last))))
        if not place and self.start != UNKNOWN:
            place = f"{self.start}:{self.length}"
        return f"{text(self.document)!r}" + (f" {place}" if place else "")


def violations(
    run: Run, task: str | Rules, collection: Lookup | None = None, most: int | None = None
) -> list[Violation]:
    """Return every violation of the rules of a task, topic by topic and from rank 1 down.

    A limit is violated once: by the first result that exceeds it.
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


def overlong(
    run: Run, topics: Iterable[bytes], limit: int | None, depth: int | None = None
) -> list[Tally]:
    """Return how many topics have more results than could be submitted; nothing is cut for it.

    Results below a depth do not count. Without a limit there is nothing to report.
    """
    if limit is None or (depth is not None and depth <= limit):
        return []
    counted = set(topics)
    lengths = zip(run.rows.topics, np.diff(run.rows.starts).tolist(), strict=True)
    count = sum(length > limit for topic, length in lengths if topic in counted)
    what = f"topics with more than {limit} results, the limit of submissions, all of which count"
    return [Tally(f"{what} (--depth {limit} cuts them)", count)]


def unknown_results(run: Run, collection: Lookup) -> list[Violation]:
    """Return the results whose document or path is not in a collection, whatever the task."""
    return [
        Violation(topic, place + 1, "unknown", _in_words(result), result.row)
        for topic, results in by_topic(run, collection)
        for place, result in enumerate(results)
        if result.trouble
    ]


def past_the_end(run: Run, lengths: Sequence[int] | IntArray) -> list[str]:
    """Report how many spans end after their documents; `lengths` are -1 if unknown."""
    if run.spans is None:
        return []
    known = np.asarray(lengths) >= 0
    past = int(np.count_nonzero(known & (run.spans.ends > lengths)))
    advice = "; are the last columns start and end?" if 2 * past > np.count_nonzero(known) else ""
    return [f"results that reach past the end of their document: {past}{advice}"] if past else []


def stated_lengths(run: Run, judgements: Judgements) -> list[int]:
    """Return the length of each result's document as judgements state it, -1 if they do not."""
    if judgements.highlights is None:
        return [-1] * len(run.rows)
    judged = judgements.documents.take(np.arange(len(judgements.rows)))
    known = dict(zip(judged, judgements.highlights.lengths.tolist(), strict=True))
    return [known.get(name, -1) for name in run.documents.take(np.arange(len(run.rows)))]


def unchecked(run: Run, task: str | Rules, collection: Lookup | None = None) -> list[str]:
    """Report which rules could not be applied in full, because places of results are unknown."""
    rules = find_task(task) if isinstance(task, str) else task
    every = [result for _, results in by_topic(run, collection) for result in results]
    notes = []
    texts = int(np.count_nonzero(quoted(run)))
    if texts:
        advice = "pass --collection to find them"
        notes.append(f"texts without a stated place, checked by size only: {texts}; {advice}")
    unsized = sum(1 for result in every if result.length == UNKNOWN and not result.trouble)
    if unsized and (rules.per_document or rules.per_topic):
        notes.append(f"results of unknown size, not counted in characters: {unsized}")
    ranges = sum(1 for result in every if result.last and result.start == UNKNOWN)
    if ranges and not rules.overlap:
        notes.append(f"results from one path to another, compared by paths only: {ranges}")
    return notes


# Results ------------------------------------------------------------------------------------------


def by_topic(run: Run, collection: Lookup | None = None) -> Iterator[tuple[bytes, list[Result]]]:
    """Yield the results of each topic in the order in which they are read."""
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
    """Return the places of results as far as run and collection tell, and what the others lack."""
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
    """Return which results are texts that have not been placed yet."""
    if run.chunks is None or run.spans is None or run.labels is not None:
        return np.zeros(len(run.rows), np.bool_)
    return filled(run.chunks.texts) & (run.spans.starts == UNKNOWN)


# Overlap ------------------------------------------------------------------------------------------


class Shown:
    """The text that results of one document have shown so far, and at which rank."""

    def __init__(self) -> None:
        self._starts: list[int] = []  # of disjoint pieces, rising
        self._ends: list[int] = []
        self._ranks: list[int] = []
        self._named: dict[bytes, int] = {}
        self._around: dict[bytes, int] = {}  # ancestors of elements that were named

    def meets(self, result: Result) -> int | None:
        """Return the rank of a result that shares text with this one, if there is one."""
        if result.start == UNKNOWN:
            return self._meets_path(result)
        first = bisect_right(self._ends, result.start)
        met = first < len(self._ends) and self._starts[first] < result.start + result.length
        if met and result.length > 0:
            return self._ranks[first]
        return self._meets_path(result) if result.is_element else None  # an element may be empty

    def _meets_path(self, result: Result) -> int | None:
        for path in filter(None, (result.path, result.last)):
            for around in (path, *_ancestors(path)):
                if around in self._named:
                    return self._named[around]
            if path in self._around:
                return self._around[path]
        return None

    def add(self, result: Result, rank: int) -> None:
        """Add a result; pieces that it covers are removed."""
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
    """Yield the paths of all ancestors, from the nearest on."""
    place = path.rfind(b"/")
    while place > 0:
        path = path[:place]
        yield path
        place = path.rfind(b"/")


# Checks -------------------------------------------------------------------------------------------

Found = tuple[int, str, str]
"""Position in the topic, rule, message."""
TROUBLE = {
    "unplaced": "could not be placed in its document",
    "document": "is of a document that the collection does not have",
    "path": "is an element that its document does not have",
}


@dataclass(slots=True)
class _Document:
    """The results of one document so far, while a topic is checked."""

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
            yield place, "duplicate", f"result {result.name} already occurs at rank {first + 1}"
        known = documents.get(result.document)
        if known is None:
            known = documents[result.document] = _Document(place, place, Shown())
        elif first == place:
            yield from _against_document(place, result, known, rules)
        if known.latest < place - 1 and rules.consecutive:
            name = text(result.document)
            message = f"document {name!r} continues after others, last at rank {known.latest + 1}"
            yield place, "grouping", message
        known.latest = place
        known.shown.add(result, place)
    yield from _against_limits(results, rules)


def _in_words(result: Result) -> str:
    """Return a message why a result cannot be placed."""
    return f"result {result.name} {TROUBLE[result.trouble]}"


def identity(result: Result) -> tuple[object, ...]:
    """Return a key that is equal for equal results."""
    quoted = result.start == UNKNOWN and not result.path and result.length >= 0
    if quoted or result.trouble == "unplaced":  # nothing identifies it
        return (result.row,)
    return result.document, result.path, result.last, result.start, result.length


def _against_document(
    place: int, result: Result, known: _Document, rules: Rules
) -> Iterator[Found]:
    if rules.alone:
        message = f"document {text(result.document)!r} already occurs at rank {known.first + 1}"
        yield place, "one-per-document", f"{message}; expected one result of each document"
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
    """Return the first position past the limit of results or documents."""
    if rules.counted == "results":
        return rules.most if len(results) > rules.most else None
    seen: set[bytes] = set()
    for place, result in enumerate(results):
        seen.add(result.document)
        if len(seen) > rules.most:
            return place
    return None


def _passing(results: list[Result], most: int) -> Iterator[tuple[int, bytes]]:
    """Yield the position at which each document exceeds a limit of characters."""
    sums: Counter[bytes] = Counter()
    for place, result in enumerate(results):
        before = sums[result.document]
        sums[result.document] += max(result.length, 0)
        if before <= most < sums[result.document]:
            yield place, result.document


# Repair -------------------------------------------------------------------------------------------

CHANGES = {
    "unplaced": "results that could not be placed, removed",
    "unknown": "results that are not in the collection, removed",
    "duplicate": "results that repeated a better ranked one, removed",
    "one-per-document": "results of documents that already had one, removed",
    "overlap": "results that overlapped a better ranked one, removed",
    "grouping": "results moved up to the others of their document",
    "length": "results past the limit, removed",
    "document-characters": "results past the limit of characters of a document, cut or removed",
    "topic-characters": "results past the limit of characters of a topic, cut or removed",
}
"""The repair of each rule's violations, in words."""


def repaired(
    run: Run, task: str | Rules, collection: Lookup | None = None, most: int | None = None
) -> tuple[Run, Mapping[str, int]]:
    """Return the run without what its task forbids, and the number of results each rule changed.

    Of two conflicting results the better ranked one is kept. Documents are brought together in the
    order in which they first appear. A span that exceeds a limit of characters is cut; an element
    is removed, and then conflicts with no other result. Ranks are renumbered.
    """
    rules = find_task(task, most) if isinstance(task, str) else task
    changes: Counter[str] = Counter()
    kept = []
    for topic, results in by_topic(run, collection):
        some = _without_forbidden(results, rules, changes)
        some = _grouped(some, changes) if rules.consecutive else some
        kept.append((topic, _within_limit(some, rules, changes)))
    kept = [(topic, some) for topic, some in kept if some]
    if not kept:
        raise InputError(f"{run.rows.source}: nothing is left of the run after its repair")
    return _picked(run, kept), {rule: changes[rule] for rule in CHANGES if changes[rule]}


def _without_forbidden(results: list[Result], rules: Rules, changes: Counter[str]) -> list[Result]:
    """Return the results that conflict with no better ranked one and keep the limits."""
    kept: list[Result] = []
    seen: set[tuple[object, ...]] = set()
    documents: dict[bytes, Shown] = {}
    room = _Room(rules)
    for result in results:
        shown = documents.get(result.document)
        if result.trouble:
            changes["unplaced" if result.trouble == "unplaced" else "unknown"] += 1
        elif identity(result) in seen:
            changes["duplicate"] += 1
        elif rules.alone and shown is not None:
            changes["one-per-document"] += 1
        elif not rules.overlap and shown is not None and shown.meets(result) is not None:
            changes["overlap"] += 1
        elif (fitting := room.fitted(result, changes)) is not None:
            seen.add(identity(result))
            documents.setdefault(result.document, Shown()).add(fitting, len(kept))
            kept.append(fitting)
    return kept


class _Room:
    """The numbers of characters that a topic and each of its documents may still show."""

    def __init__(self, rules: Rules) -> None:
        self._allowed = (
            ("document-characters", rules.per_document),
            ("topic-characters", rules.per_topic),
        )
        self._used: Counter[bytes] = Counter()

    def fitted(self, result: Result, changes: Counter[str]) -> Result | None:
        """Return the result, cut if necessary and possible; None if it does not fit."""
        for rule, most in self._allowed:
            left = None if most is None else most - self._used[_owner(rule, result)]
            if left is None or result.length <= left:
                continue
            changes[rule] += 1
            if left <= 0 or result.path:
                return None
            result = result._replace(length=left)
        for owner in {_owner(rule, result) for rule, _ in self._allowed}:
            self._used[owner] += max(result.length, 0)
        return result


def _owner(rule: str, result: Result) -> bytes:
    """Return the document whose characters a rule counts; empty for the whole topic."""
    return result.document if rule == "document-characters" else b""


def _grouped(results: list[Result], changes: Counter[str]) -> list[Result]:
    """Group the results by document, documents in order of first appearance."""
    groups: dict[bytes, list[Result]] = {}
    left: set[bytes] = set()  # documents that were followed by others
    before = None
    for result in results:
        if before is not None and result.document != before:
            left.add(before)
        changes["grouping"] += result.document in left
        groups.setdefault(result.document, []).append(result)
        before = result.document
    return [result for group in groups.values() for result in group]


def _within_limit(results: list[Result], rules: Rules, changes: Counter[str]) -> list[Result]:
    end = beyond(results, rules)
    if end is None:
        return results
    changes["length"] += len(results) - end
    return results[:end]


def _picked(run: Run, kept: list[tuple[bytes, list[Result]]]) -> Run:
    """Return a run of these results, in this order."""
    rows = np.array([result.row for _, some in kept for result in some], np.int64)
    counts = [len(some) for _, some in kept]
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    spans, chunks = run.spans, run.chunks
    if chunks is not None:
        chunks = chunks_at(chunks, rows)
    if spans is not None:
        lengths = [result.length for _, some in kept for result in some if not result.path]
        cut = spans.lengths[rows]
        named = np.array([bool(result.path) for _, some in kept for result in some], np.bool_)
        cut[~named] = lengths
        if chunks is not None:
            chunks = _shortened(chunks, np.flatnonzero(cut != spans.lengths[rows]), cut)
        spans = Spans(spans.starts[rows], cut)
    return replace(
        run,
        rows=Rows(run.rows.source, tuple(topic for topic, _ in kept), starts, has_lines=False),
        documents=run.documents.reordered(rows),
        scores=run.scores[rows],
        stated_scores=None if run.stated_scores is None else run.stated_scores[rows],
        ranks=1.0 + np.arange(len(rows)) - np.repeat(starts[:-1], counts),
        spans=spans,
        paths=None if run.paths is None else run.paths.reordered(rows),
        ends=None if run.ends is None else run.ends.reordered(rows),
        chunks=chunks,
        labels=None if run.labels is None else run.labels[rows],
        parts=None,
    )


def _shortened(chunks: Chunks, cut: IntArray, lengths: IntArray) -> Chunks:
    """Cut the texts of some chunks, whose costs become unknown."""
    if not len(cut):
        return chunks
    texts, costs = chunks.texts.take(np.arange(len(chunks.costs))), chunks.costs.copy()
    for row in cut.tolist():
        words = texts[row].decode("utf-8", "surrogatepass")[: int(lengths[row])]
        texts[row] = words.encode("utf-8", "surrogatepass")
    costs[cut] = -1
    return replace(chunks, texts=PlainIds(texts), costs=costs)
