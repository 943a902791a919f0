"""Writers of the TREC formats."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from spanwise.errors import InputError
from spanwise.formats.builders import in_parts, number, topics_of
from spanwise.model import contents
from spanwise.model.columns import text

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray, IntArray
    from spanwise.model.judgements import Judgements
    from spanwise.model.run import Run

REPEATED = "further parts of documents that are already in the run"
REORDERED = "scores in conflict with the order of the file, which was kept"


def run_loses(run: Run) -> dict[str, int]:
    """Count what the TREC format cannot hold of a run, by kind."""
    counts = contents.in_lines(run)
    counts.pop(contents.RANKS)
    if in_parts(run):
        kept = [_first_of_each(run, rows) for _, rows in topics_of(run)]
        counts[REPEATED] = len(run.rows) - sum(map(len, kept))
        counts[REORDERED] = sum(len(rows) for rows in kept if not _falls(run.scores[rows]))
    return contents.without(counts)


def write_run(run: Run) -> Iterator[bytes]:
    """Write documents by score; the first of several parts of a document represents it.

    If parts of documents are not in the order of their scores, their order is kept and the scores
    are replaced, because only the score orders results in this format.
    """
    tag = b"_".join(run.name.encode("utf-8", "surrogateescape").split()) or b"run"
    for topic, rows in topics_of(run):
        if in_parts(run):
            rows = _first_of_each(run, rows)
        scores = run.scores[rows]
        if in_parts(run) and not _falls(scores):
            scores = np.arange(len(rows), 0, -1, dtype=np.float64)
        ranks = np.arange(1, len(rows) + 1, dtype=np.float64)
        if run.ranks is not None:
            ranks = np.where(np.isnan(run.ranks[rows]), ranks, run.ranks[rows])
        values = zip(run.documents.take(rows), ranks.tolist(), scores.tolist(), strict=True)
        yield b"".join(
            b"%b Q0 %b %b %b %b\n"
            % (topic_column(topic), column(name), number(rank).encode(), repr(score).encode(), tag)
            for name, rank, score in values
        )


def _first_of_each(run: Run, rows: IntArray) -> IntArray:
    """Return the first result of each document."""
    seen: dict[bytes, int] = {}
    for row, name in zip(rows.tolist(), run.documents.take(rows), strict=True):
        seen.setdefault(name, row)
    return np.array(list(seen.values()), np.int64)


def _falls(scores: FloatArray) -> bool:
    return bool((np.diff(scores) < 0).all())


def topic_column(identifier: bytes) -> bytes:
    """Return a topic as the first column, where # would begin a comment."""
    if identifier.startswith(b"#"):
        raise InputError(f"topic {text(identifier)!r} cannot be written: it would be a comment")
    return column(identifier)


def column(identifier: bytes) -> bytes:
    """Return an id as one column."""
    if b"\0" in identifier or len(identifier.split()) != 1 or identifier.strip() != identifier:
        raise InputError(
            f"id {text(identifier)!r} cannot be written in columns; expected no blanks"
        )
    return identifier


QRELS_KEEPS = (contents.GRADES, contents.POOLED)


def qrels_lose(judgements: Judgements) -> dict[str, int]:
    """Count what the TREC format cannot hold of judgements, by kind."""
    return contents.without(contents.of_judgements(judgements), *QRELS_KEEPS)


def qrels_jg_lose(judgements: Judgements) -> dict[str, int]:
    """Count what the TREC format cannot hold of judgements by several assessors, by kind."""
    return contents.without(contents.of_judgements(judgements), *QRELS_KEEPS, contents.ASSESSORS)


def write_qrels(judgements: Judgements) -> Iterator[bytes]:
    """Write documents and grades with the names of the assessors, 0 if they are unknown."""
    assessors = judgements.assessors
    starts = judgements.rows.starts
    for code, topic in enumerate(judgements.rows.topics):
        rows = np.arange(starts[code], starts[code + 1])
        names = judgements.documents.take(rows)
        people = assessors.take(rows) if assessors is not None else [b"0"] * len(rows)
        yield b"".join(
            b"%b %b %b %b\n"
            % (topic_column(topic), column(person), column(name), number(grade).encode())
            for person, name, grade in zip(
                people, names, judgements.grades[rows].tolist(), strict=True
            )
        )
