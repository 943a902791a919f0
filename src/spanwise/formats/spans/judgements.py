"""Judgements in the project's own format: JSON lines that hold everything and state units.

The first line is a header with the field `format`. Positions are half open, [s, e). The other lines
are objects, one for each topic and document, and one for the pool of a topic. Runs in the same
style are in `spans.runs`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from warnings import warn

import numpy as np

from spanwise.errors import CountedWarning, FormatError, SpanwiseWarning
from spanwise.formats.builders import AssessmentsBuilder, Item, evidence_of, grades_of
from spanwise.formats.io.files import beginning, first_line
from spanwise.formats.io.json_lines import line, split_header, unit_fields, unit_of, warn_unread
from spanwise.formats.registry import Lines, Reading, reader, writer
from spanwise.model.columns import PlainIds, text
from spanwise.model.contents import filled, without
from spanwise.model.documents import EXPECTED_PATH, EXPECTED_POINT, is_element_path, is_point
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
    from spanwise.model.arrays import FloatArray, IntArray
    from spanwise.model.judgements import Evidence

# Recognition -------------------------------------------------------------------------------------


def _begins_with(head: bytes, *marks: bytes) -> bool:
    first = first_line(head)
    return beginning(head) == b"{" and any(mark in first for mark in marks)


def looks_like_span_run(head: bytes) -> bool:
    """Return whether these are JSON lines of a run, by the header or the first object.

    A result has a score or a rank, or a place or a text without fields of judgements. Its topic is
    an id or a question.
    """
    judged = _begins_with(head, b'"spans"', b'"elements"', b'"grade"', b'"quotes"')
    places = (b'"s"', b'"text"', b'"results"', b'"element"', b'"from"')
    placed = not judged and _begins_with(head, *places)
    named = placed or _begins_with(head, b'"score"', b'"rank"')
    topical = _begins_with(head, b'"qid"') or (placed and _asks(head))
    return (named and topical) or _begins_with(head, b'"span-run/')


def _asks(head: bytes) -> bool:
    """Return whether the first line is an object with a question and no topic id."""
    if not _begins_with(head, b'"question"'):
        return False
    try:
        fields = json.loads(first_line(head))
    except (ValueError, RecursionError):
        return False
    return isinstance(fields, dict) and isinstance(fields.get("question"), str)


def looks_like_span_qrels(head: bytes) -> bool:
    """Return whether these are JSON lines of judgements: by the header, or not of a run."""
    marks = (b'"qid"', b'"span-qrels/', b'"relevant"', b'"quotes"')
    return _begins_with(head, *marks) and not looks_like_span_run(head)


def topic_of(line: bytes) -> bytes | None:
    """Return the topic of an object; invalid lines have an empty topic."""
    if not line.strip():
        return None
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        return b""
    if not isinstance(fields, dict):
        return b""
    topic = fields.get("qid", fields.get("id" if "quotes" in fields else "topic", ""))
    return None if "format" in fields else str(topic).encode("utf-8", "surrogateescape")


OBJECTS = Lines(topic_of, lambda line: b'"format"' in line)


# Reading -----------------------------------------------------------------------------------------

QRELS = "span-qrels/1"
EXPECTED = '{"qid": ..., "doc": ..., "spans": [{"s": ..., "e": ...}]}, one object per line'
GRADES = {TOO_SMALL: "?", UNJUDGED: "U"}
EXPECTED_GRADES = '0, 1, 2, 3, "?" or "U"'
NOTES = {"inpool": Flag.INPOOL, "inferred": Flag.INFERRED, "inconsistent": Flag.INCONSISTENT}
EXPECTED_SPAN = '{"s": ..., "e": ...}, {"text": ...} or {"from": ..., "to": ..., "size": ...}'
EXPECTED_ELEMENT = (
    '{"path": ..., "exhaustivity": ..., "specificity": ..., "size": ..., "rsize": ...}'
)
POOL = ("number", "version", "whitespace", "statement")
PROVENANCE = frozenset(
    {"state", "layers", "exhaustivity", "note", "reason", "sha256", "origin", "drawn", "seconds"}
    | {"seq", "head", "events", "pool"}
)
"""Fields on the origin of judgements, which do not change scores and may stay unread."""


@reader("span_qrels", holds="judgements", recognise=looks_like_span_qrels, lines=OBJECTS)
def parse_span_qrels(pieces: Iterator[bytes], file: str, options: Reading) -> Judgements:
    """Span judgements as JSON lines: documents, highlighted spans, graded elements, entry points.

    After a header such as `{"format": "span-qrels/1", "unit": "char", "char": "codepoint"}`, each
    line is a topic and document: `{"qid": "q1", "doc": "d7", "doc_len": 48211, "spans": [{"s":
    1000, "e": 1200}], "bep": 1000}`. Spans may also be `from` a point `to` another, with their
    `size`; `elements` have a `path`, `exhaustivity`, `specificity` or `coverage`, `size` and
    `rsize`. An empty list of spans means that nothing is relevant; `grade` without spans judges the
    whole document. The fields of judging pages are read too: `topic`, `judge`, `doc_chars`,
    `relevant` as pairs.

    If offsets are unknown, a span is a text, `{"text": "verbatim text"}`, which is searched for in
    the collection; then `doc` is optional. Questions with quotes may be written shorter: `{"id":
    "q1", "question": "Why?", "quotes": ["verbatim text"]}`. An empty list without `doc` states that
    no document answers the question.
    """
    head, records = split_header(pieces, file, EXPECTED, QRELS)
    content, unread, sampled = JudgementBuilder(file, options), Counter[str](), 0
    if head is not None:
        content.unit = unit_of(head)
        content.expect(head)
        unread.update(name for name in head.unread() if name not in PROVENANCE)
    for record in records:
        try:
            content.check_unit(record, settled=head is not None)
            content.take(_in_own_fields(record))
        except FormatError as error:
            content.problem(error.line, error.found, error.expected)
        unread.update(name for name in record.unread() if name not in PROVENANCE)
        sampled += _is_sampled(record)
    warn_unread(unread + content.unread, file)
    if sampled:
        warn(CountedWarning(f"{file}: ", {"": sampled}, SAMPLE_WARNING), stacklevel=2)
    return content.build(EXPECTED)


SAMPLE_WARNING = " documents are a sample of more; only spanwise pool estimate counts the rest"
"""Warning for documents drawn with a probability below 1: scores treat them as all there are."""


def _is_sampled(record: Record) -> bool:
    drawn = record.fields.get("drawn")
    p = drawn.get("p") if isinstance(drawn, dict) else None
    return isinstance(p, (int, float)) and p < 1


PAGE = {"topic": "qid", "doc_chars": "doc_len", "judge": "by"}
"""Fields in files of judging pages, with our names for them."""
QUESTION = {"id": "qid", "question": "query"}
"""Fields in lists of questions with quoted answers, with our names for them."""


def _in_own_fields(record: Record) -> Record:
    """Return a record of a judging page, or of a question with quotes, with our field names."""
    if "quotes" in record and "spans" not in record:
        _rename(record, QUESTION)
        quotes = record.texts_of("quotes")
        record.fields["spans"] = [{"text": quote} for quote in quotes]
    if "qid" in record or "topic" not in record:
        return record
    _rename(record, PAGE)
    if "relevant" in record:
        pairs = record.items("relevant")
        if not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
            raise record.wrong("'relevant' has entries that are not pairs", "[[start, end], ...]")
        record.fields["spans"] = [{"s": start, "e": end} for start, end in pairs]
    return record


def _rename(record: Record, names: Mapping[str, str]) -> None:
    for other, own in names.items():
        if other in record.fields and own not in record.fields:
            record.fields[own] = record.fields.pop(other)


OF_TOPICS = {"qid", "query", "spans", "quotes", "judged", "by"}
"""Fields of a topic that no document answers; a misspelt `doc` is not among them."""


def _quotes_only(record: Record) -> bool:
    """Return whether the record has only texts, which may be searched for in all documents.

    Without texts and without a document, it states that nothing answers the question.
    """
    spans = record.fields.get("spans")
    return (
        "doc" not in record
        and isinstance(spans, list)
        and all(isinstance(one, dict) and "text" in one and "s" not in one for one in spans)
        and (bool(spans) or record.fields.keys() <= OF_TOPICS)
    )


class JudgementBuilder(AssessmentsBuilder):
    """A builder of judgements that takes the objects of one file."""

    def __init__(self, file: str, options: Reading) -> None:
        super().__init__(file, options)
        self.unit: Unit = "codepoint"
        self.unread: Counter[str] = Counter()
        self._parts: set[str] = set()
        self._assessors: list[bytes] = []
        self._grades: list[float] = []  # nan: derived from the parts
        self._numbers_of_text: list[tuple[int, int, int]] = []
        self._texts: list[Spans] = []
        self._items: list[list[Item]] = []
        self._full: list[bool] = []
        self._questions: dict[bytes, str] = {}
        self._merged = 0

    def expect(self, head: Record) -> None:
        """Register the parts that the header lists."""
        parts = head.texts_of("parts") if "parts" in head else []
        self._parts.update(parts)

    def check_unit(self, record: Record, *, settled: bool) -> None:
        """Check that positions have the same unit in the whole file, the first one stated."""
        if "unit" not in record:
            return
        unit = unit_of(record)
        if not settled and not self._assessors:
            self.unit = unit
        if unit != self.unit:
            raise record.wrong(f"positions in the unit {unit}", f"{self.unit}, as before")

    def take(self, record: Record) -> None:
        """Add the next object."""
        topic = record.id("qid")
        if "doc" not in record and "pool" in record:
            pool = record.texts("pool")
            self._parts.add("elements")
            self.pools[topic] = Pool(*(pool.get(name, "") for name in POOL))
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

    def build(self, expected: str) -> Judgements:
        """Return the judgements with their highlights and evidence."""
        judgements, order = self.build_grouped(expected)
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
        """Return whether text was judged, even if none of it is relevant."""
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
    """The relevant parts of one document, as one object states them."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.unread: Counter[str] = Counter()
        self.items: list[Item] = []
        self.full = True
        if "judged" in record:
            self._check_judged()
        self.passages: list[tuple[bytes, bytes, int]] = []
        for span in record.records("spans", EXPECTED_SPAN):
            self._span(span)
            self.unread.update(f"spans.{name}" for name in span.unread())
        self.elements: list[dict[str, Any]] = []
        for element in record.records("elements", EXPECTED_ELEMENT):
            self.elements.append(_element(element))
            self.unread.update(f"elements.{name}" for name in element.unread())
        self.length = record.whole("doc_len") if "doc_len" in record else -1
        self.highlighted = record.whole("highlighted") if "highlighted" in record else -1
        self.entry, self.offset = b"", -1
        if "bep" in record and isinstance(record.fields["bep"], str):
            self.entry = point_in(record, "bep")
        elif "bep" in record:
            self.offset = record.whole("bep")

    def _span(self, span: Record) -> None:
        if "from" in span or "to" in span:
            size = span.whole("size") if "size" in span else NO_SIZE
            self.passages.append((point_in(span, "from"), point_in(span, "to"), size))
        else:
            self.items.append(item_in(span))

    def placed(self) -> Spans:
        """Return the relevant spans with known offsets as columns."""
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
        """Check whether all of the document was judged."""
        judged = self.record.text("judged")
        if judged not in ("full", "spans", "doc"):
            raise self.record.wrong(f"judged {judged!r}", "'full', 'spans' or 'doc'")
        self.full = judged != "spans"


def item_in(span: Record) -> Item:
    """Return an item of evidence: from s to e, or a verbatim text, or both."""
    item = Item(text=span.text("text") if "text" in span else "")
    item.start, item.length = position_of(span, item.text)
    item.grade = span.number("g") if "g" in span else 1.0
    if item.grade < 0:
        raise span.wrong(f"grade {item.grade:g}", "a grade of 0 or more")
    item.by = span.id("by") if "by" in span else b""
    item.set = span.whole("set") if "set" in span else 0
    if "aspect" in span:
        several = isinstance(span.fields["aspect"], list)
        aspects = span.texts_of("aspect") if several else [span.text("aspect")]
        item.aspects = tuple(one.encode("utf-8", "surrogateescape") for one in aspects)
    return item


def position_of(record: Record, words: str) -> tuple[int | None, int]:
    """Return where a text begins, if stated, and its length; -1 means that the place is unknown."""
    if record.fields.get("s") == UNKNOWN and words:
        record.fields = {**record.fields, "s": None, "e": None}
        record.fields.pop("s"), record.fields.pop("e")
        return UNKNOWN, len(words)
    if words and "s" not in record and "e" not in record:
        return None, len(words)
    start = record.whole("s")
    end = record.whole("e") if "e" in record or not words else start + len(words)
    if end < start:
        raise record.wrong(f"a span from {start} to {end}", "an end after the start")
    return start, end - start


def point_in(record: Record, key: str) -> bytes:
    """Return a field that is an element path, or a point in the text of an element."""
    point = record.text(key)
    if not is_point(point):
        raise record.wrong(f"{key!r} is {point!r}", EXPECTED_POINT)
    return point.encode()


def _element(element: Record) -> dict[str, Any]:
    path = element.text("path")
    if not is_element_path(path):
        raise element.wrong(f"'path' is {path!r}", EXPECTED_PATH)
    coverage = element.text("coverage") if "coverage" in element else ""
    if coverage and coverage not in ("N", "L", "S", "E"):
        raise element.wrong(f"coverage {coverage!r}", "N, L, S or E")
    flags = Flag(0)
    for name, flag in NOTES.items():
        if name in element and element.flag(name):
            flags |= flag
    return {
        "path": path.encode(),
        "exhaustivity": _grade(element, "exhaustivity"),
        "specificity": _grade(element, "specificity"),
        "coverage": ord(coverage) if coverage else NO_COVERAGE,
        "size": element.whole("size") if "size" in element else NO_SIZE,
        "highlighted": element.whole("rsize") if "rsize" in element else NO_SIZE,
        "flags": flags,
    }


def _grade(element: Record, key: str) -> int:
    if key not in element:
        return UNSTATED
    if isinstance(element.fields[key], str):
        letter = element.text(key)
        for grade, written in GRADES.items():
            if letter == written:
                return grade
        raise element.wrong(f"{key} {letter!r}", EXPECTED_GRADES)
    grade = element.whole(key)
    if grade > 3:
        raise element.wrong(f"{key} {grade}", EXPECTED_GRADES)
    return grade


# Writing -----------------------------------------------------------------------------------------

BESIDE = "paths of best entry points, beside their offsets"


def loses(judgements: Judgements) -> Mapping[str, int]:
    """Count best entry points that are stated twice; an object holds one, preferably an offset."""
    elements, marked = judgements.elements, judgements.highlights
    if elements is None or marked is None:
        return {}
    both = filled(elements.entries) & (marked.entries >= 0)
    return without({BESIDE: int(np.count_nonzero(both))})


@writer("span_qrels", loses=loses)
def write_span_qrels(judgements: Judgements) -> Iterator[bytes]:
    """Write judgements with everything they have, except second best entry points."""
    unit: Unit = judgements.highlights.unit if judgements.highlights is not None else "opaque"
    parts = [
        name
        for name, column in (("elements", judgements.elements), ("spans", judgements.highlights))
        if column is not None
    ]
    yield line({"format": QRELS, **unit_fields(unit), "half_open": True, "parts": parts})
    for judged in judged_lines(judgements):
        yield line(judged)


def judged_lines(judgements: Judgements) -> Iterator[dict[str, Any]]:
    """Yield the objects of all topics."""
    derived, starts = _derived(judgements), judgements.rows.starts
    for code, topic in enumerate(judgements.rows.topics):
        rows = np.arange(starts[code], starts[code + 1])
        yield from _topic_lines(judgements, code, topic, rows, derived)


def _topic_lines(
    judgements: Judgements, code: int, topic: bytes, rows: IntArray, derived: list[float]
) -> Iterator[dict[str, Any]]:
    elements, marked, people = judgements.elements, judgements.highlights, judgements.assessors
    qid = {"qid": text(topic)}
    if elements is not None:
        pool = {name: getattr(elements.pools[code], name) for name in POOL}
        if any(pool.values()):
            yield {**qid, "pool": {name: value for name, value in pool.items() if value}}
    for row, name in zip(rows.tolist(), judgements.documents.take(rows), strict=True):
        one: dict[str, Any] = {**qid, "doc": text(name), "spans": []}
        if not name:
            del one["doc"]
        if people is not None:
            one["by"] = text(people.take(np.array([row]))[0])
        if elements is not None:
            _add_parts(one, elements, row)
        evidence = judgements.evidence
        if marked is not None:
            _add_text(one, marked, row, evidence)
        one["judged"] = "full" if elements is not None or marked is not None else "doc"
        if evidence is not None:
            one |= {"query": evidence.questions[topic]} if topic in evidence.questions else {}
            one["judged"] = one["judged"] if evidence.full[row] else "spans"
        grade = float(judgements.grades[row])
        if elements is None and marked is None:
            del one["spans"]
        if derived[row] != grade or "spans" not in one:
            one["grade"] = int(grade) if grade.is_integer() else grade
        yield one


def _derived(judgements: Judgements) -> list[float]:
    """Return the grades that follow from the parts."""
    grades: FloatArray = np.zeros(len(judgements.rows))
    if judgements.elements is not None:
        grades = grades_of(judgements.elements)
    if judgements.highlights is not None:
        grades = np.maximum(grades, judgements.highlights.relevant > 0)
    evidence = judgements.evidence
    if evidence is not None:  # a quote makes a document relevant wherever it occurs
        quoted = evidence.only((evidence.grades > 0) & filled(evidence.texts)).counts > 0
        grades = np.maximum(grades, quoted)
    return grades.tolist()


def _add_parts(one: dict[str, Any], assessments: Assessments, row: int) -> None:
    here = np.array([row])
    collection, entry = assessments.collections.take(here)[0], assessments.entries.take(here)[0]
    if collection:
        one["collection"] = text(collection)
    if entry:
        one["bep"] = text(entry)
    passages = assessments.passages.at(here)
    every = np.arange(len(passages))
    points = zip(passages.starts.take(every), passages.ends.take(every), strict=True)
    for (start, end), size in zip(points, passages.sizes.tolist(), strict=True):
        sized = {"size": size} if size >= 0 else {}
        one["spans"].append({"from": text(start), "to": text(end), **sized})
    elements = assessments.elements.at(here)
    if len(elements):
        one["elements"] = list(_element_fields(elements))


def _element_fields(elements: Elements) -> Iterator[dict[str, Any]]:
    for path, (e, s, letter, size, highlighted, flags) in elements.values_by_path():
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


def _add_text(one: dict[str, Any], marked: Highlights, row: int, evidence: Evidence | None) -> None:
    spans = marked.of(row)
    if evidence is not None:
        one["spans"] += _item_fields(evidence, row)
    else:
        for start, end in zip(spans.starts.tolist(), spans.ends.tolist(), strict=True):
            one["spans"].append({"s": start, "e": end})
    if marked.lengths[row] >= 0:
        one["doc_len"] = int(marked.lengths[row])
    if marked.relevant[row] != spans.total():
        one["highlighted"] = int(marked.relevant[row])
    if marked.entries[row] >= 0:
        one["bep"] = int(marked.entries[row])


def _item_fields(evidence: Evidence, row: int) -> Iterator[dict[str, Any]]:
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
