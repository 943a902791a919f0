"""Texts of runs and judgements placed in their documents, and all positions in code points."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

import numpy as np

from spanwise.errors import InputError
from spanwise.matching.documents import reading_order
from spanwise.matching.evidence import (
    Groups,
    Link,
    add_empty_rows,
    cut_up,
    regrouped,
    unplaced,
    with_copies,
)
from spanwise.matching.quotes import (
    Page,
    Part,
    Placement,
    Quote,
    occurrences,
    placed_anywhere,
)
from spanwise.matching.units import (
    CODE_UNITS,
    CostMeter,
    Meter,
    TextMeter,
    boundaries,
    in_codepoints,
    places_of_units,
)
from spanwise.model.columns import PlainIds, text
from spanwise.model.judgements import highlights_of
from spanwise.model.policy import unit_in_words
from spanwise.model.run import Parts
from spanwise.model.spans import (
    EXACT,
    LOST,
    NOT_PLACED,
    PARTIAL,
    SHIFTED,
    UNKNOWN,
    Spans,
    label_counts_in_words,
    ranges,
)

if TYPE_CHECKING:
    from spanwise.model.arrays import BoolArray, IntArray
    from spanwise.model.columns import Rows
    from spanwise.model.documents import Document, Name
    from spanwise.model.judgements import Evidence, Judgements
    from spanwise.model.policy import Copied
    from spanwise.model.run import Run
    from spanwise.model.spans import Labels

CODEPOINT = "codepoint"
NO_HINT = -2
"""Start of a text whose start was not stated; UNKNOWN is a stated start that cannot be."""


class Library(Protocol):
    """The methods of a collection that placing texts needs."""

    def __contains__(self, document: object) -> bool:
        """Return whether the collection has this document."""

    def text(self, document: Name, start: int = 0, length: int | None = None) -> str:
        """Return the text of a document or of a part of it."""

    def documents(self) -> Iterator[Document]:
        """Return all documents of the collection."""


class Texts:
    """Rows with a text, a span or both, to be placed document by document."""

    def __init__(
        self,
        documents: Sequence[bytes],
        spans: Spans,
        texts: Sequence[bytes],
        stated: BoolArray,
        unit: str,
        numbers: IntArray | None = None,
    ) -> None:
        self.documents = list(documents)
        self.starts, self.lengths = spans.starts.copy(), spans.lengths.copy()
        self.labels: Labels = np.full(len(spans), NOT_PLACED, np.int8)
        self.broken: list[int] = []  # rows with positions that do not exist in their document
        self._parts: dict[int, tuple[Part, ...]] = {}  # of rows that are in pieces
        self._texts, self._stated, self._unit = texts, stated, unit
        self._numbers = np.zeros(len(spans), np.int64) if numbers is None else numbers

    def place(self, library: Library) -> None:
        """Place all rows, one document after the other so that each is read once."""
        order: dict[bytes, list[int]] = {}
        for row, name in enumerate(self.documents):
            order.setdefault(name, []).append(row)
        unidentified = order.pop(b"", [])
        for name, rows in order.items():
            if name in library:
                self._on(Page(library.text(name)), np.array(rows))
            else:  # perhaps the id of a chunk: then its text identifies the document
                unidentified += [row for row in rows if self._texts[row]]
        if unidentified:
            self._anywhere(library, unidentified)

    def _on(self, page: Page, rows: IntArray) -> None:
        known = self.starts[rows] != UNKNOWN
        spans = Spans(self.starts[rows], self.lengths[rows])
        counted = in_codepoints(page.text, spans, self._unit)
        texts = [self._texts[row] for row in rows.tolist()]
        starts = np.where(self._stated[rows], counted.starts, NO_HINT).tolist()
        quoted = [number for number, words in enumerate(texts) if words]
        quotes = [self._quote(int(rows[number]), starts[number]) for number in quoted]
        self._put(rows[quoted], quotes, page.placed_all(quotes))
        bare = known & np.array([not words for words in texts], np.bool_)
        here = rows[bare]
        lost = counted.starts[bare] == UNKNOWN
        self.broken += here[lost].tolist()
        self.starts[here[~lost]] = counted.starts[bare][~lost]
        self.lengths[here[~lost]] = counted.lengths[bare][~lost]

    def _put(self, rows: IntArray, quotes: list[Quote], places: list[Placement]) -> None:
        """Enter the places of texts; an unplaced one keeps its length, which is read."""
        for row, quote, found in zip(rows.tolist(), quotes, places, strict=True):
            self.starts[row], self.labels[row] = found.start, found.label
            self.lengths[row] = found.length if found.label != LOST else len(quote.text)
            if found.parts:
                self._parts[row] = found.parts

    def _anywhere(self, library: Library, rows: list[int]) -> None:
        """Place texts whose document is unknown."""
        names = [document.name for document in library.documents()]
        done = self._unit in _DONE
        stated = np.where(self._stated & done, self.starts, NO_HINT)
        quotes = [self._quote(row, int(stated[row])) for row in rows]
        places = placed_anywhere(quotes, lambda: (Page(library.text(name)) for name in names))
        self._put(np.array(rows), quotes, [place for _, place in places])
        for row, quote, (number, found) in zip(rows, quotes, places, strict=True):
            if self.documents[row] and quote.start is None and found.label == EXACT:
                self.labels[row] = SHIFTED
            if found.label != LOST:
                self.documents[row] = _id(names[number], library)

    def _quote(self, row: int, start: int) -> Quote:
        """Return the quote of a row, with its stated start if that is in code points."""
        words = self._texts[row].decode("utf-8", "surrogatepass")
        if start != NO_HINT:
            return Quote(words, start)
        return Quote(words, None, int(self._numbers[row]))

    @property
    def spans(self) -> Spans:
        """The spans of all rows at present."""
        return Spans(self.starts, self.lengths)

    @property
    def parts(self) -> Parts | None:
        """The parts of all rows; None if no text is in pieces."""
        if not self._parts:
            return None
        counts = np.ones(len(self.starts), np.int64)
        rows = np.array(sorted(self._parts), np.int64)
        counts[rows] = [len(self._parts[row]) for row in rows.tolist()]
        first = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        table = np.zeros((int(first[-1]), 3), np.int64)
        table[first[:-1], 0], table[first[:-1], 1] = self.starts, self.lengths
        every = [part for row in rows.tolist() for part in self._parts[row]]
        table[ranges(first[rows], counts[rows])] = every
        return Parts(first, Spans(table[:, 0], table[:, 1]), table[:, 2])


def _id(name: str, library: Library) -> bytes:
    """Return the id of a document: its name without extension, unless that is ambiguous."""
    folder, slash, base = name.rpartition("/")
    stem = f"{folder}{slash}{base.rpartition('.')[0] or base}"
    try:
        known = stem in library
    except InputError:
        known = False
    return (stem if known else name).encode("utf-8", "surrogateescape")


def quoted_run(run: Run, library: Library) -> Run:
    """Return the run in code points, with its texts placed."""
    chunks = run.chunks
    if run.spans is None or run.labels is not None or (chunks is None and run.unit in _DONE):
        return run
    every = np.arange(len(run.rows))
    none = [b""] * len(every)
    texts = none if chunks is None else chunks.texts.take(every)
    if run.unit in _DONE and not any(texts):
        return run
    stated = np.ones(len(every), np.bool_) if chunks is None else chunks.stated
    names = run.documents.take(every)
    numbers = _numbers_of_equals(run, names, texts, stated)
    places = Texts(names, run.spans, texts, stated, run.unit, numbers)
    places.place(library)
    _refuse(places, run.rows, run.unit)
    labels = places.labels if any(texts) else None
    unit = "opaque" if run.unit == "opaque" else CODEPOINT
    documents = run.documents if places.documents == names else PlainIds(places.documents)
    return replace(
        run, documents=documents, spans=places.spans, unit=unit, labels=labels, parts=places.parts
    )


def _numbers_of_equals(
    run: Run, names: Sequence[bytes], texts: Sequence[bytes], stated: BoolArray
) -> IntArray:
    """Return how many equal texts without a place precede each result in its ranking."""
    numbers = np.zeros(len(names), np.int64)
    topic = np.repeat(np.arange(len(run.rows.topics)), np.diff(run.rows.starts))
    before: dict[tuple[int, bytes, bytes], int] = {}
    rows = reading_order(run)
    rows = rows[~stated[rows]]
    for row, code in zip(rows.tolist(), topic[rows].tolist(), strict=True):
        if texts[row]:
            key = (code, names[row], texts[row])
            numbers[row] = before.get(key, 0)
            before[key] = int(numbers[row]) + 1
    return numbers


_DONE = (CODEPOINT, "opaque")


def _refuse(places: Texts, rows: Rows, unit: str) -> None:
    if places.broken:
        row = places.broken[0]
        raise InputError(
            f"{rows.place(row)}: from {places.starts[row]} to"
            f" {places.starts[row] + places.lengths[row]} in {unit} units is not a span of whole"
            f" characters of document {text(places.documents[row])!r}"
        )


def quoted_judgements(judgements: Judgements, library: Library, notes: list[str]) -> Judgements:
    """Return the judgements in code points, with their quotes placed."""
    evidence, marked = judgements.evidence, judgements.highlights
    if evidence is None or marked is None or evidence.labels is not None:
        return judgements
    items = np.arange(len(evidence))
    texts = evidence.texts.take(items)
    if evidence.unit in _DONE and not any(texts):
        return judgements
    owner = np.repeat(np.arange(len(judgements.rows)), evidence.counts)
    names = judgements.documents.take(owner)
    places = Texts(names, evidence.spans, texts, evidence.stated, evidence.unit)
    places.place(library)
    if places.broken:
        places.broken = [int(owner[places.broken[0]])]
        _refuse(places, judgements.rows, evidence.unit)
    if label_counts_in_words(places.labels):
        notes.append(f"quotes placed in their documents: {label_counts_in_words(places.labels)}")
    unit = "opaque" if evidence.unit == "opaque" else CODEPOINT
    placed = replace(evidence, spans=places.spans, unit=unit, labels=places.labels)
    found = places.documents
    if places.parts is not None:  # what of a quote is not in its document cannot be read
        parts, item = places.parts.of(items)
        kept = (places.labels[item] != PARTIAL) | (places.parts.spans.starts[parts] != UNKNOWN)
        parts, item = parts[kept], item[kept]
        placed = cut_up(placed, item, places.parts.spans.at(parts))
        found, owner = [found[number] for number in item.tolist()], owner[item]
    if places.documents != names:
        return _found_elsewhere(judgements, placed, found, owner)
    entries = _entries(judgements, library, evidence.unit)
    lengths = _lengths(judgements, library, marked.lengths, evidence.unit)
    highlights = highlights_of(placed, lengths, entries)
    return replace(judgements, highlights=highlights, evidence=placed, _derived={})


def _lengths(judgements: Judgements, library: Library, stated: IntArray, unit: str) -> IntArray:
    if unit in _DONE:
        return stated
    names = judgements.documents.take(np.arange(len(judgements.rows)))
    return np.array([len(library.text(n)) if n in library else UNKNOWN for n in names], np.int64)


def _entries(judgements: Judgements, library: Library, unit: str) -> IntArray:
    """Return the best entry points in code points."""
    marked = judgements.highlights
    assert marked is not None
    entries = marked.entries.copy()
    if unit in _DONE or not (entries >= 0).any():
        return entries
    rows = np.flatnonzero(entries >= 0)
    for row, name in zip(rows.tolist(), judgements.documents.take(rows), strict=True):
        if name in library:
            point = Spans(entries[row : row + 1], np.zeros(1, np.int64))
            entries[row] = in_codepoints(library.text(name), point, unit).starts[0]
    return entries


def _found_elsewhere(
    judgements: Judgements, evidence: Evidence, names: Sequence[bytes], owner: IntArray
) -> Judgements:
    """Return judgements of the documents in which quotes were found, topic by topic."""
    topic = np.searchsorted(judgements.rows.starts, owner, side="right") - 1
    groups: Groups = {}
    for item, (code, name) in enumerate(zip(topic.tolist(), names, strict=True)):
        groups.setdefault((code, name, b""), (int(owner[item]), []))[1].append(item)
    add_empty_rows(groups, judgements)
    return regrouped(replace(judgements, evidence=evidence), groups)


# Copies of evidence -------------------------------------------------------------------------------


def copies_counted(judgements: Judgements, library: Library | None, copies: Copied) -> Judgements:
    """Return the judgements with copies of evidence as alternatives to it, as the policy says."""
    if library is None or judgements.evidence is None or copies == "stated":
        return judgements
    links = copies_of_items(judgements, library)
    if copies == "default":
        stated = judgements.evidence.stated
        links = {item: some for item, some in links.items() if not stated[item]}
    return with_copies(judgements, links)


def copies_of_items(judgements: Judgements, library: Library) -> Mapping[int, list[Link]]:
    """Return the items of evidence that are in several places of their document, with copies."""
    return judgements.once(("copies", library), lambda: _copies_of_items(judgements, library))


def _copies_of_items(judgements: Judgements, library: Library) -> Mapping[int, list[Link]]:
    evidence, found = judgements.evidence, dict[int, list[Link]]()
    if evidence is None or evidence.unit not in _DONE:
        return found
    owner = np.repeat(np.arange(len(judgements.rows)), evidence.counts)
    items = np.flatnonzero(evidence.relevant)
    by_document: dict[bytes, list[int]] = {}
    for item, name in zip(items.tolist(), judgements.documents.take(owner[items]), strict=True):
        by_document.setdefault(name, []).append(item)
    for name, some in by_document.items():
        if name not in library:
            continue
        document, places = library.text(name), dict[str, list[int]]()
        for item in some:
            start, length = int(evidence.spans.starts[item]), int(evidence.spans.lengths[item])
            words = document[start : start + length]
            if words.strip() and len(words) == length:
                if words not in places:
                    places[words] = occurrences(document, words)
                others = [at for at in places[words] if abs(at - start) >= length]
                if others:
                    found[item] = [(start, at, length) for at in others]
    return found


# Checks before measuring --------------------------------------------------------------------------


def refuse_unplaced_texts(run: Run, judgements: Judgements) -> None:
    """Raise an error for texts that were not placed, and for positions in different units."""
    evidence = judgements.evidence
    if evidence is not None and evidence.labels is None and unplaced(evidence):
        raise InputError(
            f"{judgements.rows.source}: relevant texts without a stated place:"
            f" {unplaced(evidence)}; pass --collection to find them"
        )
    if run.spans is None:
        return
    if run.chunks is not None and run.labels is None and run.paths is None:
        lost = np.flatnonzero((run.spans.starts == UNKNOWN) & (run.spans.lengths > 0))
        if len(lost):
            raise InputError(
                f"{run.rows.place(int(lost[0]))}: results that are texts without a stated place:"
                f" {len(lost)}; pass --collection to find them"
            )
    marked = judgements.highlights
    if marked is not None and run.unit != marked.unit and "opaque" not in (run.unit, marked.unit):
        raise InputError(
            f"{run.rows.source} counts in {run.unit} units, {judgements.rows.source} in"
            f" {marked.unit} units; pass --collection to convert them"
        )


def text_meter(run: Run, library: Library | None, unit: str) -> TextMeter | None:
    """Return a meter that counts tokens or code units of texts.

    None if the positions of the run count this unit already, so that no text is needed. Raise an
    error if there are no texts.
    """
    if run.unit == CODE_UNITS.get(unit):
        return None
    if library is None:
        raise InputError(
            f"--unit {unit}: counting {unit_in_words(unit)} needs the texts of documents; pass"
            " --collection"
        )
    counts = getattr(getattr(library, "policy", None), "unit", "")
    in_bytes = run.unit == "opaque" and counts == "bytes"
    known: dict[bytes, IntArray] = {}

    def begins(document: bytes) -> IntArray:
        if document not in known:
            if document not in library:
                raise InputError(
                    f"{run.rows.source}: document {text(document)!r} is not in the collection;"
                    f" counting {unit_in_words(unit)} needs its text"
                )
            words = library.text(document)
            places = places_of_units(words, unit)
            if in_bytes and unit == "bytes":
                places = np.arange(len(words.encode("utf-8", "surrogatepass")))
            elif in_bytes:
                places = boundaries(words, "byte")[places]
            known[document] = places
        return known[document]

    return TextMeter(run, begins, lambda words: places_of_units(words, unit))


def meter_of(run: Run, library: Library | None, unit: str) -> Meter | None:
    """Return the meter of a budget's unit; None for that of positions, mostly characters."""
    if unit == "characters":
        return None
    return CostMeter(run) if unit == "cost" else text_meter(run, library, unit)
