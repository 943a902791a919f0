"""Files read as inex_eval reads them.

A run is read at once and checked against the rules of its task. Only if the check fails is it read
line by line, to find the message that the original prints. The original remembers the documents of
one topic only, the last new one. A topic that resumes after another is compared with the documents
of that other topic.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from spanwise.errors import FormatError, SpanwiseError
from spanwise.formats import Reading, read
from spanwise.formats.inex.runs import MOST_CHARACTERS, with_minus_one
from spanwise.formats.io.columns import Layout, line_count
from spanwise.formats.io.columns import read as read_columns
from spanwise.formats.io.files import chunks
from spanwise.matching.documents import repeated_rows, topic_keys
from spanwise.model.columns import text
from spanwise.model.judgements import Judgements, only
from spanwise.model.run import Run
from spanwise.model.spans import UNKNOWN, Spans

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray, IntArray
    from spanwise.model.columns import Ids, Rows

Task = Literal["t", "f", "r", "b", "i"]
"""The letters of the tasks: thorough, focused, relevant and best in context, T2I."""


# Checks line by line ------------------------------------------------------------------------------


class Rejected(SpanwiseError):
    """An error for a run that inex_eval rejects; the message is what it prints."""


def shown_name(file: str) -> str:
    """Return the name of a file in the output, which is without folders."""
    return Path(file).name


def counted_documents(
    pieces: Iterable[bytes], file: str, task: Task, judged: Collection[bytes]
) -> dict[bytes, list[bytes]]:
    """Return the documents that inex_eval counts for each topic, or raise Rejected.

    In topics that are not judged only the number of columns is checked.
    """
    memory = _Memory(task, f"*** ({shown_name(file)})")
    lines = chain.from_iterable(piece.split(b"\n")[:-1] for piece in pieces)
    for number, line in enumerate((line.removesuffix(b"\r") for line in lines), start=1):
        fields = _fields(line)
        if len(fields) != 8:
            fault = "fields missing" if len(fields) < 8 else "too many fields"
            raise Rejected(f"Error {memory.begin} {fault} in line {number}: {text(line)}")
        if fields[0] in judged and not memory.take(fields, number, line):
            break
    return memory.documents


def _fields(line: bytes) -> list[bytes]:
    """Split a line at white space; leading white space makes an empty first field."""
    fields = line.split()
    return [b"", *fields] if fields and line[:1].isspace() else fields


@dataclass(slots=True)
class _Memory:
    """The state that inex_eval keeps from line to line."""

    task: Task
    begin: str  # of every message
    documents: dict[bytes, list[bytes]] = field(
        default_factory=dict
    )  # counted documents of each topic
    passages: dict[bytes, list[tuple[int, int]]] = field(default_factory=dict)
    latest: bytes | None = None  # document

    def take(self, fields: list[bytes], number: int, line: bytes) -> bool:
        """Process a result; return False if inex_eval would end here without a message."""
        topic, document = fields[0], fields[2]
        if topic not in self.documents:
            self.documents[topic], self.passages, self.latest = [], {}, None
        where = f"topic {text(topic)}\tarticle id: {text(document)}"
        self._record_document(topic, document, where, number)
        if fields[6] in (b"X", b"-1"):
            return True
        try:
            start, size = int(fields[6]), int(fields[7])
        except ValueError:
            return False
        if size < 0:
            raise Rejected(f"ERROR {self.begin} negative passage size {number}: {text(line)}")
        if self.task != "t" and size and self._overlaps(document, start, start + size):
            fault = "passage overlaps with previously retrieved passages"
            raise Rejected(f"ERROR {self.begin} {fault} in {where}\tin line: {number}")
        return True

    def _record_document(self, topic: bytes, document: bytes, where: str, number: int) -> None:
        """Record the document of a result: the same as before, a repeated one, or a new one."""
        if document == self.latest:
            if self.task == "b":
                fault = f"multiple results from single article in {where}\tin line: {number}"
                raise Rejected(f"ERROR {self.begin} {fault}")
        elif document not in self.passages:
            self.passages[document] = []
            self.documents[topic].append(document)
        elif self.task in ("r", "i", "b"):
            fault = f"article results are interleaved in {where}"
            more = "\n\tinterleaved results not allowed in inContext tasks!"
            raise Rejected(f"ERROR {self.begin} {fault}{more}")
        self.latest = document

    def _overlaps(self, document: bytes, start: int, end: int) -> bool:
        """Return whether text was retrieved before, and record it."""
        passages = self.passages[document]
        place = bisect_right(passages, (start, end))
        before = place > 0 and passages[place - 1][1] > start
        after = place < len(passages) and passages[place][0] < end
        insort(passages, (start, end))
        return before or after


# Layout -------------------------------------------------------------------------------------------

LAYOUT = Layout(
    "8 columns: topic Q0 document rank score run-id offset length",
    8,
    False,
    (2,),
    (6, 7),
    comments=False,
)


# Judgements ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """Judgements with the totals that inex_eval computes from them."""

    judgements: Judgements  # every document once
    characters: dict[bytes, int]  # highlighted, for each topic; repeated lines count again
    documents: dict[bytes, int]  # with highlighted text, likewise
    repeated: int  # lines about a document that was judged before

    @property
    def topics(self) -> list[bytes]:
        """The topics in the order in which they are printed."""
        return sorted(self.judgements.rows.topics)

    def relevant(self) -> set[tuple[bytes, bytes]]:
        """Return the topics and documents of lines with highlighted text."""
        rows, marked = self.judgements.rows, self.judgements.highlights
        assert marked is not None
        owner = np.repeat(np.arange(len(rows.topics)), np.diff(rows.starts))
        kept = np.flatnonzero(marked.relevant > 0)
        names = [rows.topics[topic] for topic in owner[kept].tolist()]
        return set(zip(names, self.judgements.documents.take(kept), strict=True))


def read_judged(file: str) -> Judged:
    """Read judgements; of two lines about one document the first counts."""
    every: Judgements = read(
        file, ("judgements",), "inex_qrels", Reading(literal=True, comments=False)
    )
    assert every.highlights is not None
    relevant, starts = every.highlights.relevant, every.rows.starts[:-1]
    characters = np.add.reduceat(relevant, starts).tolist()
    documents = np.add.reduceat((relevant > 0).astype(np.int64), starts).tolist()
    prints = every.documents.fingerprints()
    again = [row for _, row in repeated_rows(every.rows, every.documents, prints)]
    kept = np.delete(np.arange(len(every.rows)), again)
    return Judged(
        only(every, kept) if again else every,
        dict(zip(every.rows.topics, characters, strict=True)),
        dict(zip(every.rows.topics, documents, strict=True)),
        len(again),
    )


# Runs ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class CheckedRun:
    """A run, with the documents that the original counts if they differ from it."""

    run: Run
    counted: dict[bytes, list[bytes]] | None = None  # of each topic, if a topic resumes


def read_run(file: str, task: Task, judged: Collection[bytes]) -> CheckedRun:
    """Read a run that keeps the rules of its task in judged topics, or raise Rejected."""
    pieces = list(chunks(file))
    try:
        rows, texts, numbers = _columns(pieces, file)
    except FormatError:
        counted_documents(pieces, file, task, judged)
        raise
    starts, lengths = (_whole(numbers[column], rows) for column in (6, 7))
    unknown = starts == UNKNOWN
    spans = Spans(starts, np.where(unknown, 0, lengths))
    name = text(_last_line(pieces)[5])
    run = Run(name, rows, texts[2], np.zeros(len(rows)), spans=spans)
    counted = None
    if rows.lines is not None or _odd(pieces, rows) or not _keeps_rules(run, task, judged):
        counted = counted_documents(pieces, file, task, judged)
    if (starts < UNKNOWN).any():
        row = int(np.argmax(starts < UNKNOWN))
        raise FormatError(file, rows.line(row), f"offset {starts[row]}", "0 or more, -1 or X")
    return CheckedRun(run, counted if _resumes(rows) else None)


def _resumes(rows: Rows) -> bool:
    """Return whether a topic resumes after another one."""
    return rows.lines is not None and bool((np.diff(rows.lines) < 0).any())


def _odd(pieces: Sequence[bytes], rows: Rows) -> bool:
    """Return whether there are blank lines, or blanks before the first column."""
    blanks = any(piece[:1].isspace() or b"\n " in piece or b"\n\t" in piece for piece in pieces)
    return blanks or sum(map(line_count, pieces)) != len(rows)


def _columns(
    pieces: Sequence[bytes], file: str
) -> tuple[Rows, dict[int, Ids], dict[int, FloatArray]]:
    """Read the columns; offsets of X are replaced only if a field is not a number."""
    try:
        return read_columns(iter(pieces), file, LAYOUT)
    except FormatError:
        return read_columns((with_minus_one(piece, True) for piece in pieces), file, LAYOUT)


def _whole(values: FloatArray, rows: Rows) -> IntArray:
    wrong = np.flatnonzero((values != np.trunc(values)) | (np.abs(values) > MOST_CHARACTERS))
    if len(wrong):
        found, line = f"{values[wrong[0]]:g}", rows.line(int(wrong[0]))
        raise FormatError(rows.source, line, found, "a whole number of characters")
    return values.astype(np.int64)


def _last_line(pieces: Sequence[bytes]) -> list[bytes]:
    return pieces[-1].rstrip().rpartition(b"\n")[2].split()


def _keeps_rules(run: Run, task: Task, judged: Collection[bytes]) -> bool:
    """Return whether the run certainly keeps the rules; otherwise lines must be checked."""
    assert run.spans is not None
    topic = np.repeat(np.arange(len(run.rows.topics)), np.diff(run.rows.starts))
    counts = np.array([name in judged for name in run.rows.topics], np.bool_)[topic]
    spans = run.spans.at(np.flatnonzero(counts))
    if (spans.lengths < 0).any():
        return False
    if task == "t":
        return True
    document = topic_keys(run.documents.fingerprints(), topic)[counts]
    order = np.lexsort((spans.starts, document))
    same = document[order][1:] == document[order][:-1]
    if (same & (spans.starts[order][1:] < spans.ends[order][:-1])).any():
        return False
    again = np.count_nonzero(same)
    in_turn = np.count_nonzero(document[1:] == document[:-1])
    return task == "f" or (again == 0 if task == "b" else again == in_turn)
