"""Collecting assessments while they are read: documents one after another, parts of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spanwise.errors import EmptyError, FormatError
from spanwise.model.assessments import (
    NO_COVERAGE,
    NO_SIZE,
    UNSTATED,
    Assessments,
    Elements,
    Flag,
    Passages,
    Pool,
    begins_of,
)
from spanwise.model.ids import PlainIds, text
from spanwise.model.judgements import Judgements
from spanwise.model.rows import Rows

if TYPE_CHECKING:
    from spanwise.formats.registry import Reading
    from spanwise.formats.stretches import Numbers
    from spanwise.model.arrays import BoolArray, FloatArray, IntArray


class Judged:
    """Columns that grow: topics, documents of them, elements and passages of those."""

    def __init__(self, file: str, how: Reading) -> None:
        self.file, self._how = file, how
        self.pools: dict[bytes, Pool] = {}
        self._codes: dict[bytes, int] = {}
        self._lines: dict[tuple[bytes, bytes, bytes], int] = {}
        self._owners: list[int] = []
        self._collections: list[bytes] = []
        self._entries: list[bytes] = []
        self._paths: list[bytes] = []
        self._numbers: list[Numbers] = []
        self._begins: list[int] = []
        self._starts: list[bytes] = []
        self._ends: list[bytes] = []
        self._sizes: list[int] = []
        self._passages: list[int] = []
        self._seen: set[bytes] = set()

    def problem(self, line: int | None, found: str, expected: str = "", advice: str = "") -> None:
        """Something is wrong: raised, or reported if somebody collects."""
        self._how.note(FormatError(self.file, line, found, expected, advice))

    def document(
        self,
        topic: bytes,
        document: bytes,
        line: int,
        collection: bytes = b"",
        assessor: bytes = b"",
    ) -> bool:
        """From here on parts belong to this document; False if it was there before."""
        before = self._lines.get((topic, document, assessor))
        if before is not None:
            self.problem(
                line,
                f"document {text(document)!r} is there twice for topic {text(topic)!r},"
                f" first on line {before}",
                "every document once",
            )
            return False
        self._lines[topic, document, assessor] = line
        self._owners.append(self._codes.setdefault(topic, len(self._codes)))
        self._collections.append(collection)
        self._entries.append(b"")
        self._begins.append(len(self._paths))
        self._passages.append(len(self._sizes))
        self._seen.clear()
        return True

    def element(
        self,
        path: bytes,
        line: int,
        exhaustivity: int = UNSTATED,
        specificity: int = UNSTATED,
        coverage: int = NO_COVERAGE,
        size: int = NO_SIZE,
        highlighted: int = NO_SIZE,
        flags: int = Flag(0),
    ) -> None:
        """A judged element of the document."""
        if path in self._seen:
            self.problem(line, f"element {text(path)} is there twice", "every element once")
            return
        self._seen.add(path)
        self._paths.append(path)
        self._numbers.append((exhaustivity, specificity, coverage, size, highlighted, int(flags)))

    def elements(self, paths: list[bytes], numbers: list[Numbers], line: int) -> None:
        """Many judged elements of the document, one on each line."""
        if len(set(paths)) == len(paths) and self._seen.isdisjoint(paths):
            self._seen.update(paths)
            self._paths += paths
            self._numbers += numbers
            return
        for count, (path, said) in enumerate(zip(paths, numbers, strict=True)):
            self.element(path, line + count, *said)

    def passage(self, start: bytes, end: bytes, size: int) -> None:
        """Highlighted text of the document."""
        self._starts.append(start)
        self._ends.append(end)
        self._sizes.append(size)

    def entry(self, point: bytes, line: int) -> None:
        """The document's best entry point."""
        if self._entries[-1]:
            self.problem(line, "a second best entry point", "one in each document")
        self._entries[-1] = point

    def finished(self, due: str) -> tuple[Judgements, IntArray]:
        """All of it, grouped by topic, and the order that grouped it."""
        if not self._owners:
            raise EmptyError(self.file, None, "no judged documents in it", due)
        owners = np.array(self._owners)
        order = np.argsort(owners, kind="stable")
        starts = begins_of(np.bincount(owners, minlength=len(self._codes)))
        lines = np.array(list(self._lines.values()))[order]
        rows = Rows(self.file, tuple(self._codes), starts, lines)
        documents = PlainIds([document for _, document, _ in self._lines]).reordered(order)
        content = self._assessments().at(order, range(len(self._codes)))
        return Judgements(rows, documents, grades_of(content), elements=content), order

    def _assessments(self) -> Assessments:
        columns = np.array(self._numbers, np.int64).reshape(-1, 6).T
        exhaustivity, specificity, coverage, sizes, highlighted, flags = columns
        return Assessments(
            Elements(
                np.array([*self._begins, len(self._paths)]),
                PlainIds(self._paths),
                exhaustivity,
                specificity,
                coverage,
                sizes,
                highlighted,
                flags,
            ),
            Passages(
                np.array([*self._passages, len(self._sizes)]),
                PlainIds(self._starts),
                PlainIds(self._ends),
                np.array(self._sizes, np.int64),
            ),
            PlainIds(self._entries),
            PlainIds(self._collections),
            tuple(self.pools.get(topic, Pool()) for topic in self._codes),
        )


def grades_of(content: Assessments) -> FloatArray:
    """1 where something in a document is relevant, 0 where nothing is, -1 if nobody looked.

    A document without any parts was looked at: that is how a file says that nothing is relevant.
    """
    elements, passages = content.elements, content.passages

    def any_of(flags: BoolArray, first: IntArray) -> BoolArray:
        return np.diff(begins_of(flags.astype(np.int64))[first]) > 0

    relevant = any_of(elements.relevant(), elements.first) | (np.diff(passages.first) > 0)
    unjudged = np.diff(elements.first) > 0
    unjudged &= ~any_of(elements.judged(), elements.first)
    return np.where(relevant, 1.0, np.where(unjudged, -1.0, 0.0))
