"""Reading as inex_eval reads: what it accepts, what it rejects, in which words.

A run is read fast and proved to keep the rules; only if it does not is it gone through line by
line, to find what the original would say about it.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from spanwise.errors import FormatError, SpanwiseError
from spanwise.formats import Reading, read
from spanwise.formats.columns import Layout
from spanwise.formats.columns import read as read_columns
from spanwise.formats.inex_runs import MOST_CHARACTERS, with_minus_one
from spanwise.formats.opening import chunks
from spanwise.ground.match import repeated_rows, topic_keys
from spanwise.model.ids import text
from spanwise.model.judgements import Judgements, only
from spanwise.model.run import Run
from spanwise.model.spans import UNKNOWN, Spans

if TYPE_CHECKING:
    from spanwise.app.inex_eval.options import Task
    from spanwise.model.arrays import FloatArray, IntArray
    from spanwise.model.ids import Ids
    from spanwise.model.rows import Rows

LAYOUT = Layout(
    "8 columns: topic Q0 document rank score run-id offset length",
    8,
    False,
    (2,),
    (6, 7),
    comments=False,
)


class Rejected(SpanwiseError):
    """A run that inex_eval does not score; the message is what it prints."""


# Judgements ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """Judgements, and the totals that inex_eval forms of them."""

    judgements: Judgements  # every document once
    characters: dict[bytes, int]  # highlighted, for each topic; repeated lines count again
    documents: dict[bytes, int]  # with highlighted text, likewise
    repeated: int  # lines about a document that was judged before

    @property
    def topics(self) -> tuple[bytes, ...]:
        """The topics, in the order of the file."""
        return self.judgements.rows.topics


def read_judged(file: str) -> Judged:
    """Judgements as they stand; of two lines about one document the first counts."""
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


# Runs ---------------------------------------------------------------------------------------


def shown_name(file: str) -> str:
    """What the original calls a file: its name without folders."""
    return Path(file).name


def read_run(file: str, task: Task) -> Run:
    """A run that keeps the rules of its task; one that does not is `Rejected`."""
    pieces = list(chunks(file))
    try:
        rows, texts, numbers = _columns(pieces, file)
    except FormatError:
        _reject_if_faulty(pieces, file, task)
        raise
    starts, lengths = (_whole(numbers[column], rows) for column in (6, 7))
    unknown = starts == UNKNOWN
    spans = Spans(starts, np.where(unknown, 0, lengths))
    name = text(_last_line(pieces)[5])
    run = Run(name, rows, texts[2], np.zeros(len(rows)), spans=spans)
    if rows.lines is not None or not _keeps_rules(run, task):
        _reject_if_faulty(pieces, file, task)
    if (starts < UNKNOWN).any():
        row = int(np.argmax(starts < UNKNOWN))
        raise FormatError(file, rows.line(row), f"offset {starts[row]}", "0 or more, -1 or X")
    return run


def _columns(
    pieces: Sequence[bytes], file: str
) -> tuple[Rows, dict[int, Ids], dict[int, FloatArray]]:
    """The columns; X is looked for only where something is not a number."""
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


def _keeps_rules(run: Run, task: Task) -> bool:
    """Whether nothing is wrong for sure; a doubt is settled line by line."""
    spans = run.spans
    assert spans is not None
    if (spans.lengths < 0).any():
        return False
    if task == "t":
        return True
    topic = np.repeat(np.arange(len(run.rows.topics)), np.diff(run.rows.starts))
    document = topic_keys(run.documents.fingerprints(), topic)
    order = np.lexsort((spans.starts, document))
    same = document[order][1:] == document[order][:-1]
    if (same & (spans.starts[order][1:] < spans.ends[order][:-1])).any():
        return False
    again = np.count_nonzero(same)
    in_turn = np.count_nonzero(document[1:] == document[:-1])
    return task == "f" or (again == 0 if task == "b" else again == in_turn)


# Line by line -------------------------------------------------------------------------------


@dataclass(slots=True)
class _Topic:
    """What was returned for a topic since it was last begun."""

    name: bytes
    passages: dict[bytes, list[tuple[int, int]]] = field(default_factory=dict)
    left: set[bytes] = field(default_factory=set)  # documents that another one followed
    latest: bytes = b""
    interleaved: bytes = b""  # the first document that was come back to

    def overlaps(self, document: bytes, start: int, end: int) -> bool:
        """Whether some of this text was returned before; remembers it."""
        passages = self.passages.setdefault(document, [])
        place = bisect_right(passages, (start, end))
        before = place > 0 and passages[place - 1][1] > start
        after = place < len(passages) and passages[place][0] < end
        insort(passages, (start, end))
        return before or after

    def visit(self, document: bytes) -> bool:
        """Note the document of a result; whether it was there before."""
        again = document == self.latest or document in self.left
        if document in self.left and not self.interleaved:
            self.interleaved = document
        if self.latest and document != self.latest:
            self.left.add(self.latest)
        self.latest = document
        return again


def _reject_if_faulty(pieces: Sequence[bytes], file: str, task: Task) -> None:
    """Reject a run with the original's words, if it has a fault that the original knows."""
    topic = _Topic(b"")
    interleaved: tuple[bytes, bytes] | None = None
    lines = b"".join(pieces).split(b"\n")[:-1]
    for number, line in enumerate(lines, start=1):
        fields = line.split()
        if not fields:
            continue
        if len(fields) != 8:
            told = f"fields missing in line {number}: {text(line)}"
            raise Rejected(f"Error *** ({shown_name(file)}) {told}")
        if fields[0] != topic.name:
            topic = _Topic(fields[0])
        _check_line(topic, fields, file, task, number, line)
        if topic.interleaved and interleaved is None:
            interleaved = topic.name, topic.interleaved
    if interleaved and task in ("r", "i", "b"):
        where = f"topic {text(interleaved[0])}\tarticle id: {text(interleaved[1])}"
        told = f"article results are interleaved in {where}"
        more = "\n\tinterleaved results not allowed in inContext tasks!"
        raise Rejected(f"ERROR *** ({shown_name(file)}) {told}{more}")


def _check_line(
    topic: _Topic, fields: list[bytes], file: str, task: Task, number: int, line: bytes
) -> None:
    begin = f"ERROR *** ({shown_name(file)})"
    document = fields[2]
    where = f"topic {text(topic.name)}\tarticle id: {text(document)}\tin line: {number}"
    again = topic.visit(document)
    if fields[6] not in (b"X", b"-1"):
        try:
            start, size = int(fields[6]), int(fields[7])
        except ValueError:
            return  # not a fault that the original has words for
        if size < 0:
            raise Rejected(f"{begin} negative passage size {number}: {text(line)}")
        if task != "t" and size and topic.overlaps(document, start, start + size):
            told = "passage overlaps with previously retrieved passages"
            raise Rejected(f"{begin} {told} in {where}")
    if task == "b" and again:
        raise Rejected(f"{begin} multiple results from single article in {where}")
