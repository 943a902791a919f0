"""Judgements as JSON objects: one for each topic and document, one for what a pool says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from warnings import warn

import numpy as np

from spanwise.errors import FormatError, SpanwiseWarning
from spanwise.formats.json_lines import line, say_unread, split, unit_of, unit_said
from spanwise.formats.judged import Judged, grades_of
from spanwise.model.assessments import (
    NO_COVERAGE,
    NO_SIZE,
    TOO_SMALL,
    UNJUDGED,
    UNSTATED,
    Assessments,
    Elements,
    Flag,
    Pool,
    begins_of,
)
from spanwise.model.ids import PlainIds, text
from spanwise.model.judgements import Highlights, Judgements
from spanwise.model.paths import PATH_DUE, POINT_DUE, is_element_path, is_point
from spanwise.model.spans import NOTHING, Spans, Unit, merged

if TYPE_CHECKING:
    from spanwise.formats.json_lines import Record
    from spanwise.formats.registry import Reading
    from spanwise.model.arrays import FloatArray, IntArray

QRELS = "span-qrels/1"
DUE = '{"qid": ..., "doc": ..., "spans": [{"s": ..., "e": ...}]}, one object a line'
GRADES = {TOO_SMALL: "?", UNJUDGED: "U"}
GRADES_DUE = '0, 1, 2, 3, "?" or "U"'
NOTES = {"inpool": Flag.INPOOL, "inferred": Flag.INFERRED, "inconsistent": Flag.INCONSISTENT}
SPAN_DUE = '{"s": ..., "e": ...} or {"from": ..., "to": ..., "size": ...}'
ELEMENT_DUE = '{"path": ..., "exhaustivity": ..., "specificity": ..., "size": ..., "rsize": ...}'
POOL = ("number", "version", "whitespace", "statement")
PROVENANCE = frozenset(
    {"state", "layers", "exhaustivity", "note", "reason", "sha256", "origin", "drawn", "seconds"}
    | {"seq", "head", "events", "pool"}
)
"""What says how judgements came about; it changes no score, so nobody has to ask for it."""


def parsed(pieces: Iterator[bytes], file: str, how: Reading) -> Judgements:
    """Judgements of one file."""
    head, records = split(pieces, file, DUE, QRELS)
    content, unread = Marked(file, how), Counter[str]()
    if head is not None:
        content.unit = unit_of(head)
        content.expect(head)
        unread.update(name for name in head.unread() if name not in PROVENANCE)
    for record in records:
        try:
            content.take(record)
        except FormatError as error:
            content.problem(error.line, error.found, error.expected)
        unread.update(name for name in record.unread() if name not in PROVENANCE)
    say_unread(unread + content.unread, file)
    return content.judgements(DUE)


class Marked(Judged):
    """Takes the objects of one file."""

    def __init__(self, file: str, how: Reading) -> None:
        super().__init__(file, how)
        self.unit: Unit = "codepoint"
        self.unread: Counter[str] = Counter()
        self._parts: set[str] = set()
        self._assessors: list[bytes] = []
        self._grades: list[float] = []  # nan: as the parts say
        self._numbers_of_text: list[tuple[int, int, int]] = []
        self._texts: list[Spans] = []
        self._merged = 0

    def expect(self, head: Record) -> None:
        """What the header says the file holds."""
        parts = head.texts_of("parts") if "parts" in head else []
        self._parts.update(parts)

    def take(self, record: Record) -> None:
        """The next object."""
        topic = record.id("qid")
        if "doc" not in record and "pool" in record:
            said = record.texts("pool")
            self._parts.add("elements")
            self.pools[topic] = Pool(*(said.get(name, "") for name in POOL))
            return
        name, parts = record.id("doc"), _Parts(record)
        collection = record.id("collection") if "collection" in record else b""
        grade = record.number("grade") if "grade" in record else np.nan
        assessor = record.id("by") if "by" in record else b""
        if "judged" in record:
            parts.check_judged()
        self.unread.update(parts.unread)
        if not self.document(topic, name, record.line, collection, assessor):
            return
        self._assessors.append(assessor)
        self._grades.append(grade)
        self._keep(parts, record.line, bool(collection))

    def _keep(self, parts: _Parts, line: int, in_collection: bool) -> None:
        for values in parts.elements:
            self.element(line=line, **values)
        for passage in parts.passages:
            self.passage(*passage)
        if parts.entry:
            self.entry(parts.entry, line)
        if parts.elements or parts.passages or parts.entry or in_collection:
            self._parts.add("elements")
        if parts.spans or parts.offset >= 0 or parts.length >= 0:
            self._parts.add("spans")
        spans = parts.placed()
        disjoint = merged(spans)
        self._merged += len(spans) != len(disjoint)
        stated = parts.highlighted if parts.highlighted >= 0 else disjoint.total()
        self._numbers_of_text.append((stated, parts.length, parts.offset))
        self._texts.append(disjoint)

    def judgements(self, due: str) -> Judgements:
        """All of it."""
        judgements, order = self.finished(due)
        highlights = self._highlights(order) if "spans" in self._parts else None
        if self._merged:
            warn(
                f"{self.file}: documents whose spans overlapped or touched and were merged:"
                f" {self._merged}",
                SpanwiseWarning,
                stacklevel=3,
            )
        stated, grades = np.array(self._grades)[order], judgements.grades
        if highlights is not None:
            grades = np.maximum(grades, highlights.relevant > 0)
        return replace(
            judgements,
            grades=np.where(np.isnan(stated), grades, stated),
            assessors=self._people(order),
            highlights=highlights,
            elements=judgements.elements if "elements" in self._parts else None,
        )

    def _people(self, order: IntArray) -> PlainIds | None:
        return PlainIds(self._assessors).reordered(order) if any(self._assessors) else None

    def _highlights(self, order: IntArray) -> Highlights:
        relevant, lengths, entries = np.array(self._numbers_of_text, np.int64)[order].T
        texts = [self._texts[row] for row in order.tolist()]
        passages = Spans(
            np.concatenate([one.starts for one in texts]),
            np.concatenate([one.lengths for one in texts]),
        )
        first = begins_of([len(one) for one in texts])
        return Highlights(relevant, lengths, entries, first, passages, self.unit)


class _Parts:
    """What one object says of the parts of its document."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.unread: Counter[str] = Counter()
        self.spans: list[tuple[int, int]] = []
        self.passages: list[tuple[bytes, bytes, int]] = []
        for span in record.records("spans", SPAN_DUE):
            self._span(span)
            self.unread.update(f"spans.{name}" for name in span.unread())
        self.elements: list[dict[str, Any]] = []
        for element in record.records("elements", ELEMENT_DUE):
            self.elements.append(_element(element))
            self.unread.update(f"elements.{name}" for name in element.unread())
        self.length = record.whole("doc_len") if "doc_len" in record else -1
        self.highlighted = record.whole("highlighted") if "highlighted" in record else -1
        self.entry, self.offset = b"", -1
        if "bep" in record and isinstance(record.said["bep"], str):
            self.entry = _point(record, "bep")
        elif "bep" in record:
            self.offset = record.whole("bep")

    def _span(self, span: Record) -> None:
        if "from" in span or "to" in span:
            size = span.whole("size") if "size" in span else NO_SIZE
            self.passages.append((_point(span, "from"), _point(span, "to"), size))
            return
        start, end = span.whole("s"), span.whole("e")
        if end < start:
            raise span.wrong(f"a span from {start} to {end}", "an end after the start")
        self.spans.append((start, end - start))

    def placed(self) -> Spans:
        """The spans by offset, as columns."""
        if not self.spans:
            return NOTHING
        starts, lengths = np.array(self.spans, np.int64).T
        return Spans(starts, lengths)

    def check_judged(self) -> None:
        """Whether the rest of the document was judged."""
        judged = self.record.text("judged")
        if judged not in ("full", "doc"):
            raise self.record.wrong(f"judged {judged!r}", "'full' or 'doc'")


def _point(record: Record, key: str) -> bytes:
    point = record.text(key)
    if not is_point(point):
        raise record.wrong(f"{key!r} is {point!r}", POINT_DUE)
    return point.encode()


def _element(said: Record) -> dict[str, Any]:
    path = said.text("path")
    if not is_element_path(path):
        raise said.wrong(f"'path' is {path!r}", PATH_DUE)
    coverage = said.text("coverage") if "coverage" in said else ""
    if coverage and coverage not in ("N", "L", "S", "E"):
        raise said.wrong(f"coverage {coverage!r}", "N, L, S or E")
    flags = Flag(0)
    for name, flag in NOTES.items():
        if name in said and said.flag(name):
            flags |= flag
    return {
        "path": path.encode(),
        "exhaustivity": _grade(said, "exhaustivity"),
        "specificity": _grade(said, "specificity"),
        "coverage": ord(coverage) if coverage else NO_COVERAGE,
        "size": said.whole("size") if "size" in said else NO_SIZE,
        "highlighted": said.whole("rsize") if "rsize" in said else NO_SIZE,
        "flags": flags,
    }


def _grade(said: Record, key: str) -> int:
    if key not in said:
        return UNSTATED
    if isinstance(said.said[key], str):
        letter = said.text(key)
        for grade, written in GRADES.items():
            if letter == written:
                return grade
        raise said.wrong(f"{key} {letter!r}", GRADES_DUE)
    grade = said.whole(key)
    if grade > 3:
        raise said.wrong(f"{key} {grade}", GRADES_DUE)
    return grade


# Writing ------------------------------------------------------------------------------------


def written(judgements: Judgements) -> Iterator[bytes]:
    """The lines of a file."""
    unit: Unit = judgements.highlights.unit if judgements.highlights is not None else "opaque"
    parts = [
        name
        for name, column in (("elements", judgements.elements), ("spans", judgements.highlights))
        if column is not None
    ]
    yield line({"format": QRELS, **unit_said(unit), "half_open": True, "parts": parts})
    for said in judged_lines(judgements):
        yield line(said)


def judged_lines(judgements: Judgements) -> Iterator[dict[str, Any]]:
    """The objects of all topics."""
    derived, starts = _derived(judgements), judgements.rows.starts
    for code, topic in enumerate(judgements.rows.topics):
        rows = np.arange(starts[code], starts[code + 1])
        yield from _topic_lines(judgements, code, topic, rows, derived)


def _topic_lines(
    judgements: Judgements, code: int, topic: bytes, rows: IntArray, derived: list[float]
) -> Iterator[dict[str, Any]]:
    said, marked, people = judgements.elements, judgements.highlights, judgements.assessors
    qid = {"qid": text(topic)}
    if said is not None:
        pool = {name: getattr(said.pools[code], name) for name in POOL}
        if any(pool.values()):
            yield {**qid, "pool": {name: value for name, value in pool.items() if value}}
    for row, name in zip(rows.tolist(), judgements.documents.take(rows), strict=True):
        one: dict[str, Any] = {**qid, "doc": text(name), "spans": []}
        if people is not None:
            one["by"] = text(people.take(np.array([row]))[0])
        if said is not None:
            _say_parts(one, said, row)
        if marked is not None:
            _say_text(one, marked, row)
        one["judged"] = "full" if said is not None or marked is not None else "doc"
        grade = float(judgements.grades[row])
        if said is None and marked is None:
            del one["spans"]
        if derived[row] != grade or "spans" not in one:
            one["grade"] = int(grade) if grade.is_integer() else grade
        yield one


def _derived(judgements: Judgements) -> list[float]:
    """The grades that follow from the parts."""
    grades: FloatArray = np.zeros(len(judgements.rows))
    if judgements.elements is not None:
        grades = grades_of(judgements.elements)
    if judgements.highlights is not None:
        grades = np.maximum(grades, judgements.highlights.relevant > 0)
    return grades.tolist()


def _say_parts(one: dict[str, Any], said: Assessments, row: int) -> None:
    here = np.array([row])
    collection, entry = said.collections.take(here)[0], said.entries.take(here)[0]
    if collection:
        one["collection"] = text(collection)
    if entry:
        one["bep"] = text(entry)
    passages = said.passages.at(here)
    every = np.arange(len(passages))
    points = zip(passages.starts.take(every), passages.ends.take(every), strict=True)
    for (start, end), size in zip(points, passages.sizes.tolist(), strict=True):
        sized = {"size": size} if size >= 0 else {}
        one["spans"].append({"from": text(start), "to": text(end), **sized})
    elements = said.elements.at(here)
    if len(elements):
        one["elements"] = list(_said_elements(elements))


def _said_elements(elements: Elements) -> Iterator[dict[str, Any]]:
    columns = (
        elements.exhaustivity,
        elements.specificity,
        elements.coverage,
        elements.sizes,
        elements.highlighted,
        elements.flags,
    )
    numbers = zip(*(column.tolist() for column in columns), strict=True)
    paths = elements.paths.take(np.arange(len(elements)))
    for path, (e, s, letter, size, highlighted, flags) in zip(paths, numbers, strict=True):
        one: dict[str, Any] = {"path": text(path)}
        for name, grade in (("exhaustivity", e), ("specificity", s)):
            if grade != UNSTATED:
                one[name] = GRADES.get(grade, grade)
        if letter != NO_COVERAGE:
            one["coverage"] = chr(letter)
        sizes = {"size": size, "rsize": highlighted}
        one |= {name: value for name, value in sizes.items() if value != NO_SIZE}
        one |= {name: True for name, flag in NOTES.items() if flags & flag}
        yield one


def _say_text(one: dict[str, Any], marked: Highlights, row: int) -> None:
    spans = marked.of(row)
    for start, end in zip(spans.starts.tolist(), spans.ends.tolist(), strict=True):
        one["spans"].append({"s": start, "e": end})
    if marked.lengths[row] >= 0:
        one["doc_len"] = int(marked.lengths[row])
    if marked.relevant[row] != spans.total():
        one["highlighted"] = int(marked.relevant[row])
    if marked.entries[row] >= 0:
        one["bep"] = int(marked.entries[row])
