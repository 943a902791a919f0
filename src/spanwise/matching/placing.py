"""Places of results and judged text: paths, ranges and points, looked up in a collection.

What the files state is kept: sizes that assessment files list win over the collection's, and
offsets are never moved. What cannot be placed is counted and reported.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol, TypeVar
from warnings import warn

import numpy as np

from spanwise.errors import InputError, SpanwiseWarning, UsageError
from spanwise.matching.texts import quoted_judgements, quoted_run
from spanwise.model.columns import Coded, PlainIds, text
from spanwise.model.documents import IN_TEXT
from spanwise.model.elements import (
    NO_COVERAGE,
    NO_SIZE,
    UNSTATED,
    Assessments,
    Elements,
    Passages,
    begins_of,
)
from spanwise.model.judgements import Highlights, Judgements, Preferences
from spanwise.model.notes import Placed, Remark, Share, Tally
from spanwise.model.spans import NOTHING, UNKNOWN, Spans, counted, merged_by, overlap

if TYPE_CHECKING:
    from spanwise.model.arrays import BoolArray, IntArray
    from spanwise.model.columns import Ids, Rows
    from spanwise.model.documents import Collection, Name
    from spanwise.model.elements import Pool
    from spanwise.model.notes import Note
    from spanwise.model.run import Run

NOTES = "notes on placing"
Judged = TypeVar("Judged", Judgements, Preferences, Judgements | Preferences)


class Lookup(Protocol):
    """The methods of a collection that placing needs."""

    def lengths(self, documents: Sequence[bytes]) -> IntArray:
        """Return the number of characters of each document, -1 if it is unknown."""

    def spans(self, documents: Sequence[bytes], paths: Sequence[bytes]) -> Spans:
        """Return the spans of elements, -1 if the document or path is unknown."""


# Judgements and run -------------------------------------------------------------------------------


def placed(
    judgements: Judgements | Preferences,
    run: Run,
    collection: Collection | None,
    notes: list[Note],
) -> tuple[Judgements | Preferences, Run]:
    """Return judgements and run placed by the collection, with documents' ids spelled alike."""
    said: list[str] = []
    judgements = placed_judgements(judgements, collection, said)
    notes += map(Remark, said)
    return judgements, respelled(placed_run(run, collection, notes), judgements, collection)


# Results ------------------------------------------------------------------------------------------


def placed_run(run: Run, collection: Collection | None, notes: list[Note] | None = None) -> Run:
    """Return the run with document lengths and a span for every result that is named by its path.

    A range goes from the first character of its first path to the last one of its second; if the
    second is a point in a text node, the range ends before it. A result that cannot be placed keeps
    its rank and has no place. Reports are added to `notes`. Without a collection the run is
    unchanged.
    """
    if collection is None or run.lengths is not None:
        return run
    said = [] if notes is None else notes
    run = quoted_run(run, collection)
    if run.labels is not None:
        said.append(Placed("chunks placed in their documents", counted(run.labels)))
    if run.parts is not None:
        said.append(Share("text of partly placed chunks that is in documents", *run.parts.placed))
    documents = run.documents.coded()
    lengths = collection.lengths(documents)
    nowhere = absent(run, lengths)
    said.append(_tally("results of documents that the collection does not have", run, nowhere))
    if run.spans is not None:
        past = (lengths >= 0) & (run.spans.ends > lengths)
        said.append(_tally("results that reach past the end of their document", run, past))
    if run.paths is None:
        return replace(run, lengths=lengths)
    paths = run.paths.coded()
    named = np.array([bool(path) for path in paths.names], np.bool_)[paths.codes]
    lasts = None if run.ends is None else _all(run.ends)
    found = spans_between(collection, documents, paths, lasts)
    unplaced = Spans(np.full(len(paths), UNKNOWN), np.zeros(len(paths), np.int64))
    given = unplaced if run.spans is None else run.spans
    spans = Spans(
        np.where(named, found.starts, given.starts), np.where(named, found.lengths, given.lengths)
    )
    missing = named & (found.starts == UNKNOWN) & (lengths >= 0)
    said.append(_tally("results whose path is not in their document", run, missing))
    return replace(run, spans=spans, lengths=lengths)


def absent(run: Run, lengths: IntArray) -> BoolArray:
    """Return which results name a document of unknown length; a lost text may name none."""
    unknown = lengths < 0
    rows = np.flatnonzero(unknown)
    unknown[rows] = [bool(name) for name in run.documents.take(rows)]
    return unknown


def spans_between(
    collection: Lookup,
    documents: Sequence[bytes],
    firsts: Sequence[bytes],
    lasts: Sequence[bytes] | None,
) -> Spans:
    """Return the text from one path to another, or of one path alone if the second is empty.

    It is UNKNOWN with length 0 if either cannot be found, or if the second ends before the first
    begins.
    """
    begin = collection.spans(documents, firsts)
    if lasts is None:
        known, ends = begin.starts != UNKNOWN, begin.ends
    else:
        last = [b or a for a, b in zip(firsts, lasts, strict=True)]
        end = collection.spans(documents, last)
        known, ends = (begin.starts != UNKNOWN) & (end.starts != UNKNOWN), end.ends
    known &= ends >= begin.starts
    return Spans(np.where(known, begin.starts, UNKNOWN), np.where(known, ends - begin.starts, 0))


def _tally(what: str, run: Run, which: BoolArray) -> Tally:
    rows = np.flatnonzero(which)
    if not len(rows):
        return Tally(what, 0)
    name = text(run.documents.take(rows[:1])[0])
    place = "" if run.paths is None else f" {text(run.paths.take(rows[:1])[0])}"
    return Tally(what, len(rows), f"{name!r}{place.rstrip()}", run.rows.order(int(rows[0])))


def respelled(run: Run, judgements: Judgements | Preferences, collection: Collection | None) -> Run:
    """Return the run with its documents named as in the judgements.

    `12345.xml` and `12345` are one document; only the collection knows that.
    """
    if collection is None or not isinstance(judgements, Judgements):
        return run
    spellings = judgements.once(
        ("spellings", collection), lambda: _spellings(judgements, collection)
    )
    documents = run.documents.coded()
    numbers = collection.numbers(documents.names).tolist()
    judged = set(spellings.values())
    names = [
        name if name in judged else spellings.get(number, name)
        for name, number in zip(documents.names, numbers, strict=True)
    ]
    if names == documents.names:
        return run
    spelt = PlainIds(Coded(documents.codes, names).tolist())
    return replace(run, documents=run.documents.same_kind(spelt))


def _spellings(judgements: Judgements, collection: Collection) -> dict[int, bytes]:
    """Return the name in the judgements of each document of the collection."""
    names = judgements.documents.coded().names
    numbers = collection.numbers(names).tolist()
    return {number: name for number, name in zip(numbers, names, strict=True) if number >= 0}


# Judgements ---------------------------------------------------------------------------------------


def placed_judgements(
    judgements: Judged, collection: Collection | None, notes: list[str] | None = None
) -> Judged:
    """Return the judgements with the places of their elements, passages and best entry points.

    Passages become highlighted text with offsets; an end point inside a text node is inclusive or
    exclusive, whichever agrees with the passage's size, exclusive if neither does. Sizes are those
    of the file; missing ones are the collection's. This is done once for each collection. Without
    one the judgements are unchanged.
    """
    if collection is None or not isinstance(judgements, Judgements):
        return judgements
    result = judgements.once(("placed", collection), lambda: _placed(judgements, collection))
    if notes is not None:
        notes += result.once(NOTES, tuple)
    return result


def whole_documents(judgements: Judgements, collection: Collection) -> Judgements:
    """Return graded documents as relevant text: all of a document with grade 1 or more."""
    documents = judgements.documents.take(np.arange(len(judgements.rows)))
    lengths = collection.lengths(documents)
    whole = np.where(judgements.grades >= 1, np.maximum(lengths, 0), 0)
    count = (whole > 0).astype(np.int64)
    sizes = whole[whole > 0]
    marked = Highlights(
        whole,
        lengths,
        np.full(len(whole), UNKNOWN),
        begins_of(count),
        Spans(np.zeros_like(sizes), sizes),
        "codepoint",
    )
    return replace(judgements, highlights=marked, _derived={})


def nothing_highlighted(judgements: Judgements) -> Judgements:
    """Return assessments without anything relevant as highlighted text that is empty."""
    said = judgements.elements
    if judgements.highlights is not None or said is None:
        return judgements
    if len(said.passages) or said.elements.relevant().any():
        return judgements
    none = np.zeros(len(judgements.rows), np.int64)
    marked = Highlights(none, none - 1, none + UNKNOWN, begins_of(none), NOTHING)
    return replace(judgements, highlights=marked, _derived={})


def refuse_unplaced_passages(judgements: Judgements | Preferences, measure: str) -> None:
    """Raise an error if highlighted text is named by paths and points whose places are unknown."""
    said = judgements.elements if isinstance(judgements, Judgements) else None
    if said is not None and len(said.passages):
        raise UsageError(
            f"measure {measure!r}: the positions of the passages of {judgements.rows.source} are"
            " unknown; pass --collection"
        )


def _named(what: str, names: Sequence[bytes]) -> list[str]:
    return Tally(what, len(names), repr(text(names[0]))).lines() if names else []


def _placed(judgements: Judgements, collection: Collection) -> Judgements:
    notes: list[str] = []
    judgements = quoted_judgements(judgements, collection, notes)
    documents = judgements.documents.take(np.arange(len(judgements.rows)))
    lengths = collection.lengths(documents)
    unknown = [name for name, length in zip(documents, lengths, strict=True) if length < 0 and name]
    notes += _named("judged documents that the collection does not have", unknown)
    if judgements.highlights is not None:
        past = [documents[row] for row in judgements.highlights.longer_than(lengths).tolist()]
        notes += _named("documents whose relevant text reaches past their end", past)
    placed = replace(judgements, _derived={})
    disagreeing = 0
    if judgements.highlights is not None:
        stated = judgements.highlights.lengths
        disagreeing += _differing(stated, lengths)
        whole = np.where(stated < 0, lengths, stated)
        placed = replace(placed, highlights=replace(judgements.highlights, lengths=whole))
    if judgements.elements is not None:
        looked_up = _LookedUp.of(judgements.elements, documents, collection)
        disagreeing += looked_up.disagreeing
        notes += looked_up.said(judgements.elements, collection)
        looked_up.warn_of_points(judgements.rows)
        placed = replace(placed, elements=looked_up.assessments(judgements.elements))
        if len(judgements.elements.passages):
            marked = looked_up.highlights(judgements.elements, lengths)
            placed = replace(placed, highlights=placed.highlights or marked)
    if disagreeing:
        notes.append(f"sizes that differ from the collection's: {disagreeing}; the file's are used")
    placed.once(NOTES, lambda: tuple(notes))
    placed.once(("placed", collection), lambda: placed)
    return placed


def _differing(stated: IntArray, found: IntArray) -> int:
    """Return how many sizes are known from both file and collection, and differ."""
    return int(np.count_nonzero((stated >= 0) & (found >= 0) & (stated != found)))


@dataclass(frozen=True, slots=True, eq=False)
class _LookedUp:
    """The places of the parts of assessments in a collection."""

    elements: Spans
    passages: Spans
    entries: IntArray
    disagreeing: int  # number of sizes in the file that differ from the collection's
    unclear: BoolArray  # passages whose end point agrees with their size in neither reading

    @classmethod
    def of(cls, said: Assessments, documents: Sequence[bytes], collection: Collection) -> _LookedUp:
        elements = collection.spans(
            _owners(said.elements.first, documents), said.elements.paths.coded()
        )
        owners = _owners(said.passages.first, documents)
        firsts, lasts = _all(said.passages.starts), _all(said.passages.ends)
        exclusive = spans_between(collection, owners, firsts, lasts)
        passages, unclear = _ending(exclusive, lasts, said.passages.sizes)
        points = _all(said.entries)
        entries = collection.spans(documents, points).starts
        inside = np.array([IN_TEXT in last for last in lasts], np.bool_)
        found = np.where(passages.starts == UNKNOWN, NO_SIZE, passages.lengths)
        disagreeing = _differing(said.elements.sizes, elements.lengths)
        disagreeing += _differing(said.passages.sizes[~inside], found[~inside])
        return cls(elements, passages, entries, disagreeing, unclear)

    def said(self, file: Assessments, collection: Collection) -> list[str]:
        """Return notes on what could not be found."""
        named = np.array([bool(point) for point in _all(file.entries)], np.bool_)
        lost = {
            "judged elements": self.elements.starts == UNKNOWN,
            "highlighted passages": self.passages.starts == UNKNOWN,
            "best entry points": named & (self.entries == UNKNOWN),
        }
        notes = [
            f"{what} that are not in their document: {np.count_nonzero(which)}"
            for what, which in lost.items()
            if which.any()
        ]
        policies = {pool.whitespace for pool in file.pools} - {"", collection.policy.blank_nodes}
        if policies:
            notes.append(
                f"blank text nodes: {policies.pop()} in the assessments,"
                f" {collection.policy.blank_nodes} in the collection"
            )
        return notes

    def warn_of_points(self, rows: Rows) -> None:
        """Warn of end points that were read as exclusive without proof."""
        count = int(np.count_nonzero(self.unclear))
        if count:
            warn(
                f"{rows.source}: {count} passages end at a point in a text node that agrees with"
                " their size neither with nor without the character there; read as without",
                SpanwiseWarning,
                stacklevel=2,
            )

    def assessments(self, said: Assessments) -> Assessments:
        """Return the assessments with places, and with the collection's sizes for unlisted ones."""
        listed = said.elements
        sizes = np.where(listed.sizes == NO_SIZE, self.elements.lengths, listed.sizes)
        return replace(said, elements=replace(listed, sizes=sizes, spans=self.elements))

    def highlights(self, said: Assessments, lengths: IntArray) -> Highlights:
        """Return the passages as disjoint spans, with the file's numbers of characters."""
        first = said.passages.first
        owner = np.repeat(np.arange(len(first) - 1), np.diff(first))
        there = np.flatnonzero(self.passages.starts != UNKNOWN)
        owner, passages = merged_by(owner[there], self.passages.at(there))
        totals = np.concatenate([[0], np.cumsum(said.passages.sizes)])
        return Highlights(
            relevant=totals[first[1:]] - totals[first[:-1]],
            lengths=_listed_lengths(said, lengths),
            entries=self.entries,
            first=begins_of(np.bincount(owner, minlength=len(first) - 1)),
            passages=passages,
        )


def placed_passages(said: Assessments, documents: Sequence[bytes], collection: Collection) -> Spans:
    """Return the place of each passage, without joining passages that touch."""
    return _LookedUp.of(said, documents, collection).passages


def _ending(exclusive: Spans, lasts: Sequence[bytes], sizes: IntArray) -> tuple[Spans, BoolArray]:
    """Return passages with end points read as their sizes say, and which fit neither reading."""
    points = np.array([IN_TEXT in last for last in lasts], np.bool_)
    points &= exclusive.starts != UNKNOWN
    inclusive = points & (exclusive.lengths + 1 == sizes)
    unclear = points & (exclusive.lengths != sizes) & ~inclusive
    return Spans(exclusive.starts, exclusive.lengths + inclusive), unclear


def _listed_lengths(said: Assessments, lengths: IntArray) -> IntArray:
    """Return the length of each document: the size of its root element, if the file lists it."""
    listed = lengths.copy()
    paths = said.elements.paths.coded()
    outermost = np.array([path.count(b"/") == 1 for path in paths.names], np.bool_)
    roots = np.flatnonzero(outermost[paths.codes])
    roots = roots[said.elements.sizes[roots] != NO_SIZE]
    rows = np.searchsorted(said.elements.first, roots, side="right") - 1
    listed[rows] = said.elements.sizes[roots]
    return listed


def _owners(first: IntArray, documents: Sequence[bytes]) -> Coded:
    """Return the document of each part, given where the parts of each document begin."""
    return Coded(np.repeat(np.arange(len(documents)), np.diff(first)), documents)


def _all(ids: Ids) -> list[bytes]:
    return ids.take(np.arange(len(ids)))


# Sizes recomputed from the documents --------------------------------------------------------------
#
# Assessors' programs counted characters in their own ways, so everywhere else stated sizes are used
# unchanged.


def recompute_sizes(judgements: Judgements, collection: Collection, notes: list[str]) -> Judgements:
    """Return the judgements, placed, with sizes recomputed from the collection where possible.

    Elements, their highlighted text and passages are measured; for highlighted text by offset, the
    lengths of documents and the number of relevant characters of each.
    """
    placed = placed_judgements(judgements, collection, notes)
    notes[:] = [note for note in notes if not note.endswith("the file's are used")]
    documents = placed.documents.take(np.arange(len(placed.rows)))
    lengths, marked, said = collection.lengths(documents), placed.highlights, placed.elements
    there = lengths >= 0
    passages = None if said is None else placed_passages(said, documents, collection)
    if said is not None and passages is not None:
        lost = np.flatnonzero(passages.starts == UNKNOWN)
        there[np.searchsorted(said.passages.first, lost, side="right") - 1] = False
        sizes = np.where(passages.starts == UNKNOWN, said.passages.sizes, passages.lengths)
        said = replace(said, passages=replace(said.passages, sizes=sizes))
        said = _measured(said, marked, there)
    kept = int(np.count_nonzero(~there))
    if marked is not None:
        totals = np.array([marked.of(row).total() for row in range(len(documents))], np.int64)
        marked = replace(
            marked,
            lengths=np.where(lengths >= 0, lengths, marked.lengths),
            relevant=np.where(there, totals, marked.relevant),
        )
    if kept:
        notes.append(
            "documents whose sizes stay as they are stated, because not all of their text could be"
            f" found: {kept}"
        )
    return replace(placed, highlights=marked, elements=said, _derived={})


def _measured(said: Assessments, marked: Highlights | None, there: BoolArray) -> Assessments:
    """Return elements with measured sizes and measured highlighted text."""
    elements = said.elements
    assert elements.spans is not None
    known = elements.spans.starts != UNKNOWN
    lit = elements.highlighted.copy()
    for row in np.flatnonzero(there).tolist() if marked is not None else ():
        assert marked is not None
        first, last = elements.first[row], elements.first[row + 1]
        mine: IntArray = first + np.flatnonzero(known[first:last] & (lit[first:last] != NO_SIZE))
        lit[mine] = overlap(elements.spans.at(mine), marked.of(row))
    sizes = np.where(known, elements.spans.lengths, elements.sizes)
    return replace(said, elements=replace(elements, sizes=sizes, highlighted=lit))


# Points in text nodes -----------------------------------------------------------------------------
#
# This is the inverse of `spanwise.matching.placing`.

TOUCHED = 2
"""The exhaustivity of elements in assessments made from highlighted text."""


class TextPoints:
    """The text nodes of a document, in order."""

    def __init__(self, collection: Collection, document: Name) -> None:
        self.document = document if isinstance(document, str) else document.decode(*_LOSSY)
        self.elements = list(collection.elements(document))
        children = Counter(one.parent for one in self.elements)
        paths = [
            f"{one.path}/text()[{number}]"
            for row, one in enumerate(self.elements)
            for number in range(1, children[row] + 2)
        ]
        found = collection.spans([document] * len(paths), paths)
        nodes = zip(found.starts.tolist(), found.ends.tolist(), paths, strict=True)
        self._nodes = sorted(node for node in nodes if node[0] < node[1])
        self._starts = [start for start, _, _ in self._nodes]

    def start(self, position: int) -> str:
        """Return the point before the character at a position."""
        begin, path = self._node(position)
        return f"{path}.{position - begin}"

    def end(self, position: int) -> str:
        """Return the point after the last character of a stretch that ends before a position."""
        begin, path = self._node(position - 1)
        return f"{path}.{position - begin}"

    def _node(self, position: int) -> tuple[int, str]:
        """Return the start and path of the text node with the character at a position."""
        place = bisect_right(self._starts, position) - 1
        if place < 0 or position >= self._nodes[place][1]:
            raise InputError(f"{self.document}: found no text at character {position}")
        begin, _, path = self._nodes[place]
        return begin, path


_LOSSY = ("utf-8", "replace")


def assessed(
    documents: Sequence[bytes],
    highlights: Highlights,
    collection: Collection,
    pools: Sequence[Pool],
    exhaustivity: Callable[[int, str], int] = lambda _row, _path: TOUCHED,
) -> tuple[Assessments, list[int]]:
    """Return highlighted text as assessments, and the rows whose text has no points.

    Every element with highlighted text is listed, with an exhaustivity by row and path.
    """
    made, unnamed = _Made(), list[int]()
    for row, document in enumerate(documents):
        spans, entry = highlights.of(row), int(highlights.entries[row])
        try:
            made.add(TextPoints(collection, document) if len(spans) else None, spans, entry)
        except InputError:
            made.add(None, spans.at(slice(0)), -1)
            unnamed.append(row)
        made.exhaustivity += [exhaustivity(row, path) for path in made.paths[made.elements :]]
    return made.assessments(pools), unnamed


@dataclass(slots=True)
class _Made:
    """Assessments while they are being made."""

    starts: list[str] = field(default_factory=list)
    ends: list[str] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    entries: list[str] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    highlighted: list[int] = field(default_factory=list)
    exhaustivity: list[int] = field(default_factory=list)
    passage_counts: list[int] = field(default_factory=list)
    element_counts: list[int] = field(default_factory=list)

    @property
    def elements(self) -> int:
        """The number of elements whose grade is known."""
        return len(self.exhaustivity)

    def add(self, points: TextPoints | None, spans: Spans, entry: int) -> None:
        """Add one document; None if nothing in it is highlighted."""
        pairs = list(zip(spans.starts.tolist(), spans.ends.tolist(), strict=True))
        named = [] if points is None else [(points.start(s), points.end(e)) for s, e in pairs]
        self.entries.append("" if points is None or entry < 0 else points.start(entry))
        self.starts += [start for start, _ in named]
        self.ends += [end for _, end in named]
        self.sizes += [end - start for start, end in pairs]
        self.passage_counts.append(len(named))
        touched = [] if points is None else list(_touched(points, pairs))
        self.paths += [path for path, _, _ in touched]
        self.lengths += [length for _, length, _ in touched]
        self.highlighted += [inside for _, _, inside in touched]
        self.element_counts.append(len(touched))

    def assessments(self, pools: Sequence[Pool]) -> Assessments:
        """Return the collected assessments as columns."""
        count = len(self.paths)
        return Assessments(
            Elements(
                begins_of(self.element_counts),
                _ids(self.paths),
                np.array(self.exhaustivity, np.int64),
                np.full(count, UNSTATED),
                np.full(count, NO_COVERAGE),
                np.array(self.lengths, np.int64),
                np.array(self.highlighted, np.int64),
                np.zeros(count, np.int64),
            ),
            Passages(
                begins_of(self.passage_counts),
                _ids(self.starts),
                _ids(self.ends),
                np.array(self.sizes, np.int64),
            ),
            _ids(self.entries),
            PlainIds([b""] * len(self.entries)),
            tuple(pools),
        )


def _ids(names: Sequence[str]) -> PlainIds:
    return PlainIds([name.encode("utf-8", "surrogateescape") for name in names])


def _touched(
    points: TextPoints, pairs: Sequence[tuple[int, int]]
) -> Iterator[tuple[str, int, int]]:
    """Yield every element with highlighted text: path, size, highlighted characters."""
    for one in points.elements:
        end = one.start + one.length
        inside = sum(max(0, min(e, end) - max(s, one.start)) for s, e in pairs)
        if inside:
            yield one.path, one.length, inside
