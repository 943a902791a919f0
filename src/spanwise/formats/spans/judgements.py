"""Judgements as JSON objects: one for each topic and document, one for what a pool says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from warnings import warn

import numpy as np

from spanwise.errors import CountedWarning, FormatError, SpanwiseWarning
from spanwise.formats.builders import Item, Judged, evidence_of, grades_of
from spanwise.formats.io.json_lines import line, say_unread, split, unit_of, unit_said
from spanwise.model.columns import PlainIds, text
from spanwise.model.contents import filled, without
from spanwise.model.documents import PATH_DUE, POINT_DUE, is_element_path, is_point
from spanwise.model.elements import (
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
from spanwise.model.judgements import Highlights, Judgements
from spanwise.model.spans import NOTHING, UNKNOWN, Spans, Unit, merged

if TYPE_CHECKING:
    from spanwise.formats.io.json_lines import Record
    from spanwise.formats.registry import Reading
    from spanwise.model.arrays import FloatArray, IntArray
    from spanwise.model.judgements import Evidence

QRELS = "span-qrels/1"
DUE = '{"qid": ..., "doc": ..., "spans": [{"s": ..., "e": ...}]}, one object a line'
GRADES = {TOO_SMALL: "?", UNJUDGED: "U"}
GRADES_DUE = '0, 1, 2, 3, "?" or "U"'
NOTES = {"inpool": Flag.INPOOL, "inferred": Flag.INFERRED, "inconsistent": Flag.INCONSISTENT}
SPAN_DUE = '{"s": ..., "e": ...}, {"text": ...} or {"from": ..., "to": ..., "size": ...}'
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
    content, unread, sampled = Marked(file, how), Counter[str](), 0
    if head is not None:
        content.unit = unit_of(head)
        content.expect(head)
        unread.update(name for name in head.unread() if name not in PROVENANCE)
    for record in records:
        try:
            content.counts_as(record, settled=head is not None)
            content.take(_in_our_words(record))
        except FormatError as error:
            content.problem(error.line, error.found, error.expected)
        unread.update(name for name in record.unread() if name not in PROVENANCE)
        sampled += _of_a_sample(record)
    say_unread(unread + content.unread, file)
    if sampled:
        warn(CountedWarning(f"{file}: ", {"": sampled}, OF_A_SAMPLE), stacklevel=2)
    return content.judgements(DUE)


OF_A_SAMPLE = " documents are a sample of more; only spanwise pool estimate counts the rest"
"""Said of those that were drawn with a probability below 1: scores take them for all there is."""


def _of_a_sample(record: Record) -> bool:
    drawn = record.said.get("drawn")
    p = drawn.get("p") if isinstance(drawn, dict) else None
    return isinstance(p, (int, float)) and p < 1


PAGE = {"topic": "qid", "doc_chars": "doc_len", "judge": "by"}
"""Names that pages for judging give to our fields."""
QUESTION = {"id": "qid", "question": "query"}
"""Names that lists of questions with quoted answers give to our fields."""


def _in_our_words(record: Record) -> Record:
    """Objects of a page for judging, and questions with quotes, say the same in other words."""
    if "quotes" in record and "spans" not in record:
        _rename(record, QUESTION)
        quotes = record.texts_of("quotes")
        record.said["spans"] = [{"text": quote} for quote in quotes]
    if "qid" in record or "topic" not in record:
        return record
    _rename(record, PAGE)
    if "relevant" in record:
        pairs = record.items("relevant")
        if not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
            raise record.wrong("'relevant' has entries that are no pairs", "[[start, end], ...]")
        record.said["spans"] = [{"s": start, "e": end} for start, end in pairs]
    return record


def _rename(record: Record, names: Mapping[str, str]) -> None:
    for other, own in names.items():
        if other in record.said and own not in record.said:
            record.said[own] = record.said.pop(other)


def _quotes_only(record: Record) -> bool:
    """Whether all that is said are texts, which may be looked for in all documents."""
    spans = record.said.get("spans")
    return (
        "doc" not in record
        and isinstance(spans, list)
        and len(spans) > 0
        and all(isinstance(one, dict) and "text" in one and "s" not in one for one in spans)
    )


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
        self._items: list[list[Item]] = []
        self._full: list[bool] = []
        self._questions: dict[bytes, str] = {}
        self._merged = 0

    def expect(self, head: Record) -> None:
        """What the header says the file holds."""
        parts = head.texts_of("parts") if "parts" in head else []
        self._parts.update(parts)

    def counts_as(self, record: Record, *, settled: bool) -> None:
        """One unit counts for the whole file: the header's, else that of the first object."""
        if "unit" not in record:
            return
        unit = unit_of(record)
        if not settled and not self._assessors:
            self.unit = unit
        if unit != self.unit:
            raise record.wrong(f"positions that count {unit}", f"{self.unit}, as before")

    def take(self, record: Record) -> None:
        """The next object."""
        topic = record.id("qid")
        if "doc" not in record and "pool" in record:
            said = record.texts("pool")
            self._parts.add("elements")
            self.pools[topic] = Pool(*(said.get(name, "") for name in POOL))
            return
        name = b"" if _quotes_only(record) else record.id("doc")
        parts = _Parts(record)
        collection = record.id("collection") if "collection" in record else b""
        grade = record.number("grade") if "grade" in record else np.nan
        assessor = record.id("by") if "by" in record else b""
        if "query" in record:
            self._questions.setdefault(topic, record.text("query"))
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
        if parts.items or parts.offset >= 0 or parts.length >= 0:
            self._parts.add("spans")
        if "spans" in parts.record:
            self._parts.add("perhaps none")
        self._items.append(parts.items)
        self._full.append(parts.full)
        spans = parts.placed()
        disjoint = merged(spans)
        plain = all(item == Item(item.start, item.length) for item in parts.items)
        self._merged += plain and len(spans) != len(disjoint)
        stated = parts.highlighted if parts.highlighted >= 0 else disjoint.total()
        self._numbers_of_text.append((stated, parts.length, parts.offset))
        self._texts.append(disjoint)

    def judgements(self, due: str) -> Judgements:
        """All of it."""
        judgements, order = self.finished(due)
        highlights = self._highlights(order) if self._of_text() else None
        evidence = self._evidence().at(order) if highlights is not None else None
        if self._merged:
            warn(
                f"{self.file}: documents whose spans overlapped or touched and were merged:"
                f" {self._merged}",
                SpanwiseWarning,
                stacklevel=3,
            )
        stated, grades = np.array(self._grades)[order], judgements.grades
        if highlights is not None:
            quoted = [any(one.text and one.grade > 0 for one in some) for some in self._items]
            grades = np.maximum(grades, (highlights.relevant > 0) | np.array(quoted)[order])
        return replace(
            judgements,
            grades=np.where(np.isnan(stated), grades, stated),
            assessors=self._people(order),
            highlights=highlights,
            elements=judgements.elements if "elements" in self._parts else None,
            evidence=evidence,
        )

    def _of_text(self) -> bool:
        """Whether it is text that was judged, even if nothing of it is relevant."""
        none = self._parts == {"perhaps none"} and bool(np.isnan(self._grades).all())
        return none or "spans" in self._parts

    def _evidence(self) -> Evidence:
        return evidence_of(self._items, self._full, self.unit, self._questions, {})

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
        self.items: list[Item] = []
        self.full = True
        if "judged" in record:
            self._check_judged()
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
        else:
            self.items.append(item_in(span))

    def placed(self) -> Spans:
        """The relevant spans by offset, as columns."""
        bounds = [
            (item.start, item.length)
            for item in self.items
            if item.start is not None and item.start != UNKNOWN and item.grade > 0
        ]
        if not bounds:
            return NOTHING
        starts, lengths = np.array(bounds, np.int64).T
        return Spans(starts, lengths)

    def _check_judged(self) -> None:
        """Whether the rest of the document was judged."""
        judged = self.record.text("judged")
        if judged not in ("full", "spans", "doc"):
            raise self.record.wrong(f"judged {judged!r}", "'full', 'spans' or 'doc'")
        self.full = judged != "spans"


def item_in(span: Record) -> Item:
    """Text that was pointed out: from s to e, or word for word, or both."""
    item = Item(text=span.text("text") if "text" in span else "")
    item.start, item.length = stretch(span, item.text)
    item.grade = span.number("g") if "g" in span else 1.0
    if item.grade < 0:
        raise span.wrong(f"grade {item.grade:g}", "a grade of 0 or more")
    item.by = span.id("by") if "by" in span else b""
    item.set = span.whole("set") if "set" in span else 0
    if "aspect" in span:
        several = isinstance(span.said["aspect"], list)
        aspects = span.texts_of("aspect") if several else [span.text("aspect")]
        item.aspects = tuple(one.encode("utf-8", "surrogateescape") for one in aspects)
    return item


def stretch(record: Record, words: str) -> tuple[int | None, int]:
    """Where a text begins, if anything is said, and its length; -1 says that nobody knows."""
    if record.said.get("s") == UNKNOWN and words:
        record.said = {**record.said, "s": None, "e": None}
        record.said.pop("s"), record.said.pop("e")
        return UNKNOWN, len(words)
    if words and "s" not in record and "e" not in record:
        return None, len(words)
    start = record.whole("s")
    end = record.whole("e") if "e" in record or not words else start + len(words)
    if end < start:
        raise record.wrong(f"a span from {start} to {end}", "an end after the start")
    return start, end - start


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


# Writing judgements as JSON objects. --------------------------------------------------------------

BESIDE = "paths of best entry points, beside their offsets"


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


def loses(judgements: Judgements) -> Mapping[str, int]:
    """An object has one best entry point, and an offset goes before a path."""
    said, marked = judgements.elements, judgements.highlights
    if said is None or marked is None:
        return {}
    both = filled(said.entries) & (marked.entries >= 0)
    return without({BESIDE: int(np.count_nonzero(both))})


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
        evidence = judgements.evidence
        if marked is not None:
            _say_text(one, marked, row, evidence)
        one["judged"] = "full" if said is not None or marked is not None else "doc"
        if evidence is not None:
            one |= {"query": evidence.questions[topic]} if topic in evidence.questions else {}
            one["judged"] = one["judged"] if evidence.full[row] else "spans"
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
    said = judgements.evidence
    if said is not None:  # words make a document relevant wherever they stand in it
        quoted = said.only((said.grades > 0) & filled(said.texts)).counts > 0
        grades = np.maximum(grades, quoted)
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
    for path, (e, s, letter, size, highlighted, flags) in elements.records():
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


def _say_text(one: dict[str, Any], marked: Highlights, row: int, evidence: Evidence | None) -> None:
    spans = marked.of(row)
    if evidence is not None:
        one["spans"] += _said_items(evidence, row)
    else:
        for start, end in zip(spans.starts.tolist(), spans.ends.tolist(), strict=True):
            one["spans"].append({"s": start, "e": end})
    if marked.lengths[row] >= 0:
        one["doc_len"] = int(marked.lengths[row])
    if marked.relevant[row] != spans.total():
        one["highlighted"] = int(marked.relevant[row])
    if marked.entries[row] >= 0:
        one["bep"] = int(marked.entries[row])


def _said_items(evidence: Evidence, row: int) -> Iterator[dict[str, Any]]:
    here = evidence.at(np.array([row]))
    every = np.arange(len(here))
    texts, people = here.texts.take(every), here.by.take(every)
    bounds = zip(here.spans.starts.tolist(), here.spans.ends.tolist(), strict=True)
    for item, (start, end) in enumerate(bounds):
        one: dict[str, Any] = {"s": start, "e": end} if start != UNKNOWN else {}
        if start == UNKNOWN and here.stated[item]:
            one["s"] = UNKNOWN
        grade = float(here.grades[item])
        if grade != 1:
            one["g"] = int(grade) if grade.is_integer() else grade
        if texts[item]:
            one["text"] = texts[item].decode("utf-8", "surrogatepass")
        if here.aspects[item]:
            one["aspect"] = [text(aspect) for aspect in here.aspects[item]]
        if people[item]:
            one["by"] = text(people[item])
        if here.sets[item]:
            one["set"] = int(here.sets[item])
        yield one
