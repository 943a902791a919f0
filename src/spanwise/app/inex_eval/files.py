"""Reading as inex_eval reads.

A run is read fast and proved to keep the rules; only if it does not is it gone through line by
line, to find what the original would say about it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from spanwise.app.inex_eval.rules import counted_documents
from spanwise.errors import FormatError
from spanwise.formats import Reading, read
from spanwise.formats.columns import Layout
from spanwise.formats.columns import read as read_columns
from spanwise.formats.inex_runs import MOST_CHARACTERS, with_minus_one
from spanwise.formats.opening import chunks
from spanwise.formats.regular import line_count
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


# Judgements ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """Judgements, and the totals that inex_eval forms of them."""

    judgements: Judgements  # every document once
    characters: dict[bytes, int]  # highlighted, for each topic; repeated lines count again
    documents: dict[bytes, int]  # with highlighted text, likewise
    repeated: int  # lines about a document that was judged before

    @property
    def topics(self) -> list[bytes]:
        """The topics, in the order in which they are printed."""
        return sorted(self.judgements.rows.topics)

    def relevant(self) -> set[tuple[bytes, bytes]]:
        """Topics and documents of the lines with highlighted text."""
        rows, marked = self.judgements.rows, self.judgements.highlights
        assert marked is not None
        owner = np.repeat(np.arange(len(rows.topics)), np.diff(rows.starts))
        kept = np.flatnonzero(marked.relevant > 0)
        names = [rows.topics[topic] for topic in owner[kept].tolist()]
        return set(zip(names, self.judgements.documents.take(kept), strict=True))


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


@dataclass(frozen=True, slots=True, eq=False)
class Returned:
    """A run, and what the original counts of it where that is not what is there."""

    run: Run
    counted: dict[bytes, list[bytes]] | None = None  # documents of each topic, if one is resumed


def read_run(file: str, task: Task, judged: Collection[bytes]) -> Returned:
    """A run that keeps the rules of its task in judged topics; one that does not is `Rejected`."""
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
    return Returned(run, counted if _resumes(rows) else None)


def _resumes(rows: Rows) -> bool:
    """Whether a topic comes again after another one."""
    return rows.lines is not None and bool((np.diff(rows.lines) < 0).any())


def _odd(pieces: Sequence[bytes], rows: Rows) -> bool:
    """Whether there are blank lines, or blanks before the first column."""
    blanks = any(piece[:1].isspace() or b"\n " in piece or b"\n\t" in piece for piece in pieces)
    return blanks or sum(map(line_count, pieces)) != len(rows)


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


def _keeps_rules(run: Run, task: Task, judged: Collection[bytes]) -> bool:
    """Whether nothing is wrong for sure; a doubt is settled line by line."""
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
