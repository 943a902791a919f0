"""Collecting evidence while it is read: what somebody pointed out in documents, item by item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from spanwise.errors import EmptyError, FormatError
from spanwise.model.assessments import begins_of
from spanwise.model.evidence import Evidence, highlights_of
from spanwise.model.ids import PlainIds
from spanwise.model.judgements import Judgements
from spanwise.model.rows import Rows
from spanwise.model.spans import UNKNOWN, Spans, Unit

if TYPE_CHECKING:
    from spanwise.formats.registry import Reading


@dataclass(slots=True)
class Item:
    """One stretch of text: by its place, by its words, or by both."""

    start: int | None = None  # None: nothing was said; UNKNOWN: what was said is no place
    length: int = 0
    text: str = ""
    grade: float = 1.0
    set: int = 0
    aspects: tuple[bytes, ...] = ()
    by: bytes = b""


@dataclass(slots=True)
class _Row:
    """What was said of one document."""

    line: int
    items: list[Item]
    full: bool = True


class PointedOut:
    """Topics, documents of them, items of those, in the order of the file."""

    def __init__(self, file: str, how: Reading, unit: Unit = "codepoint") -> None:
        self.file, self._how, self._unit = file, how, unit
        self._topics: dict[bytes, dict[bytes, _Row]] = {}
        self.questions: dict[bytes, str] = {}
        self.documents: dict[bytes, str] = {}

    def problem(self, line: int | None, found: str, expected: str = "", advice: str = "") -> None:
        """Something is wrong: raised, or reported if somebody collects."""
        self._how.note(FormatError(self.file, line, found, expected, advice))

    def document(self, topic: bytes, document: bytes, line: int, *, full: bool = True) -> None:
        """A judged document; that it is named again changes nothing."""
        self._topics.setdefault(topic, {}).setdefault(document, _Row(line, [], full))

    def item(self, topic: bytes, document: bytes, line: int, item: Item) -> None:
        """Something in a document."""
        self.document(topic, document, line)
        self._topics[topic][document].items.append(item)

    def topic(self, topic: bytes, question: str = "") -> None:
        """A topic, which may have nothing relevant at all."""
        self._topics.setdefault(topic, {})
        if question:
            self.questions[topic] = question

    def judgements(self, due: str) -> Judgements:
        """All of it."""
        rows = [row for documents in self._topics.values() for row in documents.values()]
        if not rows:
            raise EmptyError(self.file, None, "no evidence in it", due)
        topics = {topic: some for topic, some in self._topics.items() if some}
        evidence = evidence_of(
            [row.items for row in rows],
            [row.full for row in rows],
            self._unit,
            self.questions,
            self.documents,
        )
        names = [name for documents in topics.values() for name in documents]
        lengths = [len(self.documents[n]) if n in self.documents else -1 for n in names]
        if self._unit != "codepoint":
            lengths = [-1] * len(names)
        return Judgements(
            Rows(
                self.file,
                tuple(topics),
                begins_of([len(documents) for documents in topics.values()]),
                np.array([row.line for row in rows]),
            ),
            PlainIds(names),
            np.array([float(any(i.grade > 0 for i in row.items)) for row in rows]),
            highlights=highlights_of(evidence, np.array(lengths), np.full(len(rows), -1)),
            evidence=evidence,
        )


def evidence_of(
    rows: Sequence[Sequence[Item]],
    full: Sequence[bool],
    unit: Unit,
    questions: Mapping[bytes, str],
    documents: Mapping[bytes, str],
) -> Evidence:
    """Items as columns."""
    items = [item for row in rows for item in row]
    starts = [UNKNOWN if item.start is None else item.start for item in items]
    return Evidence(
        begins_of([len(row) for row in rows]),
        Spans(np.array(starts, np.int64), np.array([item.length for item in items], np.int64)),
        np.array([item.grade for item in items], np.float64),
        np.array([item.set for item in items], np.int64),
        [item.aspects for item in items],
        PlainIds([item.by for item in items]),
        PlainIds([item.text.encode("utf-8", "surrogatepass") for item in items]),
        np.array([item.start is not None for item in items], np.bool_),
        np.array(full, np.bool_),
        unit,
        None,
        questions,
        documents,
    )
