"""TREC formats: blank-separated columns, one record per line; also the runs of Lemur.

Bytes are never decoded. Columns are separated by any mix of blanks and tabs. Lines may end in CRLF,
and the last one needs no end; blank lines and lines that begin with `#` are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from spanwise.errors import FormatError
from spanwise.formats.io.columns import Layout
from spanwise.formats.io.columns import read as read_columns
from spanwise.formats.io.files import STDIN
from spanwise.formats.registry import Lines, Reading, reader, writer
from spanwise.model.columns import text
from spanwise.model.judgements import Judgements, Preferences
from spanwise.model.run import Run

RUN = Layout(
    "6 columns: topic Q0 document rank score tag", 6, True, (2,), (4,), indented_comments=True
)
QRELS = Layout("4 columns: topic iteration document grade", 4, False, (2,), (3,))
ASSESSED = Layout("4 columns: topic assessor document grade", 4, False, (1, 2), (3,))
GROUPED = Layout("4 columns: topic group document level", 4, False, (1, 2), (3,))
SUBGROUPED = Layout("5 columns: topic group sub-group document level", 5, False, (1, 2, 3), (4,))
STATISTICS = Layout("4 columns: topic measure mean deviation", 4, False, (1,), (2, 3))


# Looking at the beginning of a file --------------------------------------------------------------
def beginning(head: bytes) -> bytes:
    """Return the first nonblank byte: < in XML, { in JSON lines, others in columns."""
    return head.lstrip()[:1]


def first_line(head: bytes) -> bytes:
    """Return the first nonblank line; the rest, possibly megabytes, is not touched."""
    begun = head.lstrip()
    end = begun.find(b"\n")
    return begun[:end] if end >= 0 else begun


def first_lines(head: bytes) -> list[list[bytes]]:
    """Return the columns of the first lines of data."""
    return _split(head[:100_000])


@lru_cache(maxsize=2)
def _split(head: bytes) -> list[list[bytes]]:
    """Split the first lines, cached because most formats look at them."""
    lines = (line.split() for line in head.split(b"\n", 200)[:200])
    return [fields for fields in lines if fields and not fields[0].startswith(b"#")]


def columns_of(head: bytes) -> int:
    """Return the most frequent number of columns in the first lines, or 0 for XML and JSON."""
    if beginning(head) in (b"<", b"{"):
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
def parse_run(pieces: Iterator[bytes], file: str, how: Reading) -> Run:
    """TREC run: `topic Q0 document rank score tag`; further columns are ignored.

    Only the score orders the results; ranks are read only if they are to break ties. The name of
    the run is the tag of its last line.
    """
    layout = replace(RUN, comments=how.comments, numbers=(3, 4) if how.ranks else (4,))
    tail = Tail(pieces, layout)
    rows, texts, numbers = read_columns(iter(tail), file, layout, how.report, how.above)
    name = text(tail.fields[5]) if len(tail.fields) > 5 else stem(file)
    return Run(name, rows, texts[2], numbers[4], numbers.get(3))


def run_loses(run: Run) -> Mapping[str, int]:
    """Count what the TREC format cannot hold of a run, by kind."""
    import spanwise.formats.trec.writing as out

    return out.run_loses(run)


@writer("trec_run", loses=run_loses)
def write_run(run: Run) -> Iterator[bytes]:
    """Write documents by score; the first of several parts of a document represents it."""
    import spanwise.formats.trec.writing as out

    return out.write_run(run)


def stem(file: str) -> str:
    """Return the file name without folders and extensions."""
    return "stdin" if file == STDIN else Path(file).name.split(".")[0] or Path(file).name


# Judgements --------------------------------------------------------------------------------------
@reader(
    "qrels",
    holds="judgements",
    recognise=lambda head: 0 < columns_of(head) <= 4,
    lines=IN_COLUMNS,
)
def parse_qrels(pieces: Iterator[bytes], file: str, how: Reading) -> Judgements:
    """TREC judgements (qrels): `topic iteration document grade`.

    A grade of 1 or more means relevant, 0 means not relevant, and a negative one means that the
    document was pooled but not judged. Grades may be fractions, except in the drop-in programs.
    """
    rows, texts, numbers = read_columns(
        pieces, file, replace(QRELS, comments=how.comments), how.report
    )
    judgements = Judgements(rows, texts[2], numbers[3])
    check_grades(judgements, how)
    return judgements


@reader("qrels_jg", holds="judgements", lines=IN_COLUMNS)
def parse_qrels_jg(pieces: Iterator[bytes], file: str, how: Reading) -> Judgements:
    """TREC judgements by several assessors: `topic assessor document grade`.

    The judgements of each assessor are evaluated separately, and the values averaged.
    """
    rows, texts, numbers = read_columns(
        pieces, file, replace(ASSESSED, comments=how.comments), how.report
    )
    judgements = Judgements(rows, texts[2], numbers[3], texts[1])
    check_grades(judgements, how)
    return judgements


def qrels_lose(judgements: Judgements) -> Mapping[str, int]:
    """Count what the format of one assessor cannot hold of judgements, by kind."""
    import spanwise.formats.trec.writing as out

    return out.qrels_lose(judgements)


def qrels_jg_lose(judgements: Judgements) -> Mapping[str, int]:
    """Count what the format of several assessors cannot hold of judgements, by kind."""
    import spanwise.formats.trec.writing as out

    return out.qrels_jg_lose(judgements)


@writer("qrels", loses=qrels_lose)
def write_qrels(judgements: Judgements) -> Iterator[bytes]:
    """Write documents and grades."""
    import spanwise.formats.trec.writing as out

    return out.write_qrels(replace(judgements, assessors=None))


@writer("qrels_jg", loses=qrels_jg_lose)
def write_qrels_jg(judgements: Judgements) -> Iterator[bytes]:
    """Write documents and grades with the names of the assessors."""
    import spanwise.formats.trec.writing as out

    return out.write_qrels(judgements)


def check_grades(judgements: Judgements, how: Reading) -> None:
    """Report grades that are not finite, or not whole numbers if these are required."""
    grades = judgements.grades
    wrong = ~np.isfinite(grades)
    if how.whole_grades:
        wrong |= grades != np.trunc(grades)
    expected = "a whole number" if how.whole_grades else "a finite number"
    for row in np.flatnonzero(wrong).tolist():
        error = FormatError(
            judgements.rows.source,
            judgements.rows.line(row),
            f"grade {grades[row]:g}",
            expected,
            "`spanwise eval` takes fractions" if how.whole_grades else "",
        )
        if how.report is None:
            raise error
        how.report(error)


# Preferences and statistics ----------------------------------------------------------------------
@reader(
    "prefs",
    holds="preferences",
    recognise=lambda head: columns_of(head) == 5 and not looks_like_run(head),
    lines=IN_COLUMNS,
)
def parse_prefs(pieces: Iterator[bytes], file: str, how: Reading) -> Preferences:
    """TREC preferences: `topic group sub-group document level`.

    Within a sub-group, documents of a higher level are preferred to those of a lower one.
    """
    rows, texts, numbers = read_columns(
        pieces, file, replace(SUBGROUPED, comments=how.comments), how.report
    )
    every = np.arange(len(rows))
    groups, subgroups, documents = (tuple(texts[column].take(every)) for column in (1, 2, 3))
    return Preferences(rows, groups, subgroups, documents, numbers[4])


@reader("qrels_prefs", holds="preferences", lines=IN_COLUMNS)
def parse_qrels_prefs(pieces: Iterator[bytes], file: str, how: Reading) -> Preferences:
    """TREC preferences in the layout of judgements: `topic group document level`."""
    rows, texts, numbers = read_columns(
        pieces, file, replace(GROUPED, comments=how.comments), how.report
    )
    every = np.arange(len(rows))
    groups, documents = (tuple(texts[column].take(every)) for column in (1, 2))
    return Preferences(rows, groups, (b"0",) * len(rows), documents, numbers[3])


@reader("zscores", holds="statistics")
def parse_zscores(
    pieces: Iterator[bytes], file: str, how: Reading
) -> dict[tuple[bytes, bytes], tuple[float, float]]:
    """Z-score statistics for comparison: `topic measure mean deviation`."""
    rows, texts, numbers = read_columns(
        pieces, file, replace(STATISTICS, comments=False), how.report
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
    lines = [] if beginning(head) in (b"<", b"{") else first_lines(head)
    scores = [fields[2] for fields in lines if len(fields) == 3 and SCORE.fullmatch(fields[2])]
    return 0 < len(scores) == len(lines) and any(re.search(rb"[.eE]", one) for one in scores)


@reader("lemur_run", holds="run", recognise=looks_like_lemur)
def parse_lemur(pieces: Iterator[bytes], file: str, how: Reading) -> Run:
    """Lemur run: `topic document score`, its simple result format.

    The run is named after its file. Indri, Terrier and Zettair write TREC runs (`trec_run`).
    """
    from spanwise.model.run import Run

    layout = replace(LEMUR, comments=how.comments)
    rows, texts, numbers = read_columns(pieces, file, layout, how.report)
    return Run(stem(file), rows, texts[1], numbers[2])
