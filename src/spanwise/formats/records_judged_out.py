"""Writing judgements as JSON objects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from spanwise.formats.json_lines import line, unit_said
from spanwise.formats.judged import grades_of
from spanwise.formats.records_judged import GRADES, NOTES, POOL, QRELS
from spanwise.model.assessments import NO_COVERAGE, NO_SIZE, UNSTATED, Assessments, Elements
from spanwise.model.holdings import filled, without
from spanwise.model.ids import text
from spanwise.model.spans import UNKNOWN, Unit

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray, IntArray
    from spanwise.model.evidence import Evidence
    from spanwise.model.judgements import Highlights, Judgements

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
    for path, (e, s, letter, size, highlighted, flags) in elements.told():
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
