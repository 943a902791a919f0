"""TREC formats in blank-separated columns, one record per line, and the runs of Lemur.

Bytes are never decoded. Columns are separated by any mix of blanks and tabs. Lines may end in CRLF,
and the last one needs no end; blank lines and lines that begin with `#` are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from spanwise.errors import FormatError, InputError
from spanwise.formats.builders import in_parts, number, topics_of
from spanwise.formats.io.columns import Layout
from spanwise.formats.io.columns import read as read_columns
from spanwise.formats.io.files import first_lines, stem
from spanwise.formats.registry import Lines, Reading, reader, writer
from spanwise.model import contents
from spanwise.model.columns import text
from spanwise.model.judgements import Judgements, Preferences
from spanwise.model.run import Run

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray, IntArray

RUN = Layout(
    "6 columns: topic Q0 document rank score tag", 6, True, (2,), (4,), indented_comments=True
)
QRELS = Layout("4 columns: topic iteration document grade", 4, False, (2,), (3,))
ASSESSED = Layout("4 columns: topic assessor document grade", 4, False, (1, 2), (3,))
GROUPED = Layout("4 columns: topic group document level", 4, False, (1, 2), (3,))
SUBGROUPED = Layout("5 columns: topic group sub-group document level", 5, False, (1, 2, 3), (4,))
STATISTICS = Layout("4 columns: topic measure mean deviation", 4, False, (1,), (2, 3))
QRELS_KEEPS = (contents.GRADES, contents.POOLED)
REPEATED = "further parts of documents that are already in the run"
REORDERED = "scores in conflict with the order of the file, which was kept"


# Recognition -------------------------------------------------------------------------------------


def columns_of(head: bytes) -> int:
    """Return the most frequent number of columns in the first lines, or 0 for XML and JSON."""
    if head.lstrip()[:1] in (b"<", b"{"):
        return 0
    counts: dict[int, int] = {}
    for fields in first_lines(head):
        counts[len(fields)] = counts.get(len(fields), 0) + 1
    return max(counts, key=counts.__getitem__, default=0)


def looks_like_run(head: bytes) -> bool:
    """Return whether there are six or more columns, or five with the constant of runs."""
    columns = columns_of(head)
    return columns >= 6 or (columns == 5 and b" Q0 " in head[:1000].replace(b"\t", b" "))


# Runs --------------------------------------------------------------------------------------------


class Tail:
    """An iterator over pieces that remembers the last line of data."""

    def __init__(self, pieces: Iterator[bytes], layout: Layout) -> None:
        self._pieces, self._layout = pieces, layout
        self.fields: list[bytes] = []

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._pieces:
            end = len(piece)
            while end > 0:
                start = piece.rfind(b"\n", 0, end - 1) + 1
                fields = piece[start:end].split()
                if fields and not (self._layout.comments and fields[0].startswith(b"#")):
                    self.fields = fields
                    break
                end = start
            yield piece


def topic_of(line: bytes) -> bytes | None:
    """Return the first column, or None if the line is blank or a comment."""
    fields = line.split(None, 1)
    return fields[0] if fields and not fields[0].startswith(b"#") else None


IN_COLUMNS = Lines(topic_of)


@reader("trec_run", holds="run", recognise=looks_like_run, lines=IN_COLUMNS)
def parse_run(pieces: Iterator[bytes], file: str, options: Reading) -> Run:
    """TREC run: `topic Q0 document rank score tag`; further columns are ignored.

    Only the score orders the results; ranks are read only if they are to break ties. The name of
    the run is the tag of its last line.
    """
    layout = replace(RUN, comments=options.comments, numbers=(3, 4) if options.ranks else (4,))
    tail = Tail(pieces, layout)
    rows, texts, numbers = read_columns(iter(tail), file, layout, options.report, options.above)
    name = text(tail.fields[5]) if len(tail.fields) > 5 else stem(file)
    return Run(name, rows, texts[2], numbers[4], numbers.get(3))


def run_loses(run: Run) -> dict[str, int]:
    """Count what the TREC format cannot hold of a run, by kind."""
    counts = contents.in_lines(run)
    counts.pop(contents.RANKS)
    if in_parts(run):
        kept = [_first_of_each(run, rows) for _, rows in topics_of(run)]
        counts[REPEATED] = len(run.rows) - sum(map(len, kept))
        counts[REORDERED] = sum(len(rows) for rows in kept if not _is_falling(run.scores[rows]))
    return contents.without(counts)


@writer("trec_run", loses=run_loses)
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
        if in_parts(run) and not _is_falling(scores):
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


def _is_falling(scores: FloatArray) -> bool:
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


# Judgements --------------------------------------------------------------------------------------


@reader(
    "qrels",
    holds="judgements",
    recognise=lambda head: columns_of(head) == 4,
    resemble=lambda head: 0 < columns_of(head) < 4,
    lines=IN_COLUMNS,
)
def parse_qrels(pieces: Iterator[bytes], file: str, options: Reading) -> Judgements:
    """TREC judgements (qrels): `topic iteration document grade`.

    A grade of 1 or more means relevant, 0 means not relevant, and a negative one means that the
    document was pooled but not judged. Grades may be fractions, except in the drop-in programs.
    """
    rows, texts, numbers = read_columns(
        pieces, file, replace(QRELS, comments=options.comments), options.report
    )
    judgements = Judgements(rows, texts[2], numbers[3])
    check_grades(judgements, options)
    return judgements


@reader("qrels_jg", holds="judgements", lines=IN_COLUMNS)
def parse_qrels_jg(pieces: Iterator[bytes], file: str, options: Reading) -> Judgements:
    """TREC judgements by several assessors: `topic assessor document grade`.

    The judgements of each assessor are evaluated separately, and the values averaged.
    """
    rows, texts, numbers = read_columns(
        pieces, file, replace(ASSESSED, comments=options.comments), options.report
    )
    judgements = Judgements(rows, texts[2], numbers[3], texts[1])
    check_grades(judgements, options)
    return judgements


def qrels_lose(judgements: Judgements) -> dict[str, int]:
    """Count what the TREC format cannot hold of judgements, by kind."""
    return contents.without(contents.of_judgements(judgements), *QRELS_KEEPS)


def qrels_jg_lose(judgements: Judgements) -> dict[str, int]:
    """Count what the TREC format cannot hold of judgements by several assessors, by kind."""
    return contents.without(contents.of_judgements(judgements), *QRELS_KEEPS, contents.ASSESSORS)


@writer("qrels", loses=qrels_lose)
def write_qrels(judgements: Judgements) -> Iterator[bytes]:
    """Write documents and grades."""
    return write_qrels_jg(replace(judgements, assessors=None))


@writer("qrels_jg", loses=qrels_jg_lose)
def write_qrels_jg(judgements: Judgements) -> Iterator[bytes]:
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


def check_grades(judgements: Judgements, options: Reading) -> None:
    """Report grades that are not finite, or not whole numbers if these are required."""
    grades = judgements.grades
    wrong = ~np.isfinite(grades)
    if options.whole_grades:
        wrong |= grades != np.trunc(grades)
    expected = "a whole number" if options.whole_grades else "a finite number"
    for row in np.flatnonzero(wrong).tolist():
        options.note(
            FormatError(
                judgements.rows.source,
                judgements.rows.line(row),
                f"grade {grades[row]:g}",
                expected,
                "`spanwise eval` takes fractions" if options.whole_grades else "",
            )
        )


# Preferences and statistics ----------------------------------------------------------------------


@reader(
    "prefs",
    holds="preferences",
    recognise=lambda head: columns_of(head) == 5 and not looks_like_run(head),
    lines=IN_COLUMNS,
)
def parse_prefs(pieces: Iterator[bytes], file: str, options: Reading) -> Preferences:
    """TREC preferences: `topic group sub-group document level`.

    Within a sub-group, documents of a higher level are preferred to those of a lower one.
    """
    rows, texts, numbers = read_columns(
        pieces, file, replace(SUBGROUPED, comments=options.comments), options.report
    )
    every = np.arange(len(rows))
    groups, subgroups, documents = (tuple(texts[column].take(every)) for column in (1, 2, 3))
    return Preferences(rows, groups, subgroups, documents, numbers[4])


@reader("qrels_prefs", holds="preferences", lines=IN_COLUMNS)
def parse_qrels_prefs(pieces: Iterator[bytes], file: str, options: Reading) -> Preferences:
    """TREC preferences in the layout of judgements: `topic group document level`."""
    rows, texts, numbers = read_columns(
        pieces, file, replace(GROUPED, comments=options.comments), options.report
    )
    every = np.arange(len(rows))
    groups, documents = (tuple(texts[column].take(every)) for column in (1, 2))
    return Preferences(rows, groups, (b"0",) * len(rows), documents, numbers[3])


@reader("zscores", holds="statistics")
def parse_zscores(
    pieces: Iterator[bytes], file: str, options: Reading
) -> dict[tuple[bytes, bytes], tuple[float, float]]:
    """Z-score statistics for comparison: `topic measure mean deviation`."""
    rows, texts, numbers = read_columns(
        pieces, file, replace(STATISTICS, comments=False), options.report
    )
    lengths = np.diff(rows.starts)
    topics = [t for t, n in zip(rows.topics, lengths.tolist(), strict=True) for _ in range(n)]
    names = texts[1].take(np.arange(len(rows)))
    values = zip(numbers[2].tolist(), numbers[3].tolist(), strict=True)
    return dict(zip(zip(topics, names, strict=True), values, strict=True))


# Lemur -------------------------------------------------------------------------------------------
#
# Indri, Terrier and Zettair write the six columns of TREC. Terrier counts ranks from 0, scores of
# Indri are logarithms below 0, and Zettair names every run `zettair`: all are read as TREC runs.

LEMUR = Layout("3 columns: topic document score", 3, True, (1,), (2,), indented_comments=True)


SCORE = re.compile(rb"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


def looks_like_lemur(head: bytes) -> bool:
    """Return whether there are three columns, the last with a fractional number somewhere."""
    lines = [] if head.lstrip()[:1] in (b"<", b"{") else first_lines(head)
    scores = [fields[2] for fields in lines if len(fields) == 3 and SCORE.fullmatch(fields[2])]
    return 0 < len(scores) == len(lines) and any(re.search(rb"[.eE]", one) for one in scores)


@reader("lemur_run", holds="run", recognise=looks_like_lemur)
def parse_lemur(pieces: Iterator[bytes], file: str, options: Reading) -> Run:
    """Lemur run: `topic document score`, its simple result format.

    The run is named after its file. Indri, Terrier and Zettair write TREC runs (`trec_run`).
    """
    layout = replace(LEMUR, comments=options.comments)
    rows, texts, numbers = read_columns(pieces, file, layout, options.report)
    return Run(stem(file), rows, texts[1], numbers[2])
