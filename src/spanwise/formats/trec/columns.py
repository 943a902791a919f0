"""The TREC formats: blank-separated columns, one record a line.

Bytes are never decoded. Columns are separated by any mix of blanks and tabs, lines may end in
CRLF, the last one in nothing; blank lines and lines that begin with `#` are skipped.
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


def beginning(head: bytes) -> bytes:
    """The first byte that is not blank: < of XML, { of JSON lines, anything of columns."""
    return head.lstrip()[:1]


def first_line(head: bytes) -> bytes:
    """The first line that is not blank. A head may have megabytes: the rest is not touched."""
    begun = head.lstrip()
    end = begun.find(b"\n")
    return begun[:end] if end >= 0 else begun


def first_lines(head: bytes) -> list[list[bytes]]:
    """The columns of the first lines of data."""
    return _split(head[:100_000])


@lru_cache(maxsize=2)
def _split(head: bytes) -> list[list[bytes]]:
    """Every format is asked whether it knows a file, and most look at its lines."""
    lines = (line.split() for line in head.split(b"\n", 200)[:200])
    return [fields for fields in lines if fields and not fields[0].startswith(b"#")]


def columns_of(head: bytes) -> int:
    """How many columns most of the first lines of data have; none if it is XML or JSON."""
    if beginning(head) in (b"<", b"{"):
        return 0
    counts: dict[int, int] = {}
    for fields in first_lines(head):
        counts[len(fields)] = counts.get(len(fields), 0) + 1
    return max(counts, key=counts.__getitem__, default=0)


def looks_like_run(head: bytes) -> bool:
    """Six columns or more, or five with the constant that only runs have."""
    columns = columns_of(head)
    return columns >= 6 or (columns == 5 and b" Q0 " in head[:1000].replace(b"\t", b" "))


class Tail:
    """Passes pieces through and remembers the last line of data."""

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
    """The first column, unless the line is blank or a comment."""
    fields = line.split(None, 1)
    return fields[0] if fields and not fields[0].startswith(b"#") else None


IN_COLUMNS = Lines(topic_of)


@reader("trec_run", holds="run", recognise=looks_like_run, lines=IN_COLUMNS)
def parse_run(pieces: Iterator[bytes], file: str, how: Reading) -> Run:
    """A run: `topic Q0 document rank score tag`, anything after it ignored.

    The score alone orders the results; ranks are read only when ties are to be broken by them.
    The run is called what its last line's tag says.
    """
    layout = replace(RUN, comments=how.comments, numbers=(3, 4) if how.ranks else (4,))
    tail = Tail(pieces, layout)
    rows, texts, numbers = read_columns(iter(tail), file, layout, how.report, how.above)
    name = text(tail.fields[5]) if len(tail.fields) > 5 else stem(file)
    return Run(name, rows, texts[2], numbers[4], numbers.get(3))


def run_loses(run: Run) -> Mapping[str, int]:
    """What of a run the TREC format cannot hold."""
    import spanwise.formats.trec.writing as out

    return out.run_loses(run)


@writer("trec_run", loses=run_loses)
def write_run(run: Run) -> Iterator[bytes]:
    """Documents by score; of several parts of a document the first stands for it."""
    import spanwise.formats.trec.writing as out

    return out.write_run(run)


def stem(file: str) -> str:
    """The file's name without folders and extensions."""
    return "stdin" if file == STDIN else Path(file).name.split(".")[0] or Path(file).name


@reader(
    "qrels",
    holds="judgements",
    recognise=lambda head: 0 < columns_of(head) <= 4,
    lines=IN_COLUMNS,
)
def parse_qrels(pieces: Iterator[bytes], file: str, how: Reading) -> Judgements:
    """Judgements: `topic iteration document grade`.

    A grade of 1 or more says relevant, 0 not relevant, a negative one that the document was in
    the pool but not judged. Grades may be fractions, except in the drop-in programs.
    """
    rows, texts, numbers = read_columns(
        pieces, file, replace(QRELS, comments=how.comments), how.report
    )
    judgements = Judgements(rows, texts[2], numbers[3])
    check_grades(judgements, how)
    return judgements


@reader("qrels_jg", holds="judgements", lines=IN_COLUMNS)
def parse_qrels_jg(pieces: Iterator[bytes], file: str, how: Reading) -> Judgements:
    """Judgements of several assessors: `topic assessor document grade`.

    Each assessor's judgements are evaluated on their own, and the values averaged.
    """
    rows, texts, numbers = read_columns(
        pieces, file, replace(ASSESSED, comments=how.comments), how.report
    )
    judgements = Judgements(rows, texts[2], numbers[3], texts[1])
    check_grades(judgements, how)
    return judgements


def qrels_lose(judgements: Judgements) -> Mapping[str, int]:
    """What of judgements the format of one assessor cannot hold."""
    import spanwise.formats.trec.writing as out

    return out.qrels_lose(judgements)


def qrels_jg_lose(judgements: Judgements) -> Mapping[str, int]:
    """What of judgements the format of several assessors cannot hold."""
    import spanwise.formats.trec.writing as out

    return out.qrels_jg_lose(judgements)


@writer("qrels", loses=qrels_lose)
def write_qrels(judgements: Judgements) -> Iterator[bytes]:
    """Documents and grades."""
    import spanwise.formats.trec.writing as out

    return out.write_qrels(replace(judgements, assessors=None))


@writer("qrels_jg", loses=qrels_jg_lose)
def write_qrels_jg(judgements: Judgements) -> Iterator[bytes]:
    """Documents and grades with the names of those who judged."""
    import spanwise.formats.trec.writing as out

    return out.write_qrels(judgements)


def check_grades(judgements: Judgements, how: Reading) -> None:
    """Report grades that are no numbers, or not the numbers that were asked for."""
    grades = judgements.grades
    wrong = ~np.isfinite(grades)
    if how.whole_grades:
        wrong |= grades != np.trunc(grades)
    due = "a whole number" if how.whole_grades else "a finite number"
    for row in np.flatnonzero(wrong).tolist():
        error = FormatError(
            judgements.rows.source,
            judgements.rows.line(row),
            f"grade {grades[row]:g}",
            due,
            "`spanwise eval` takes fractions" if how.whole_grades else "",
        )
        if how.report is None:
            raise error
        how.report(error)


@reader(
    "prefs",
    holds="preferences",
    recognise=lambda head: columns_of(head) == 5 and not looks_like_run(head),
    lines=IN_COLUMNS,
)
def parse_prefs(pieces: Iterator[bytes], file: str, how: Reading) -> Preferences:
    """Preferences: `topic group sub-group document level`.

    Within a sub-group documents of a higher level are preferred to those of a lower one.
    """
    rows, texts, numbers = read_columns(
        pieces, file, replace(SUBGROUPED, comments=how.comments), how.report
    )
    every = np.arange(len(rows))
    groups, subgroups, documents = (tuple(texts[column].take(every)) for column in (1, 2, 3))
    return Preferences(rows, groups, subgroups, documents, numbers[4])


@reader("qrels_prefs", holds="preferences", lines=IN_COLUMNS)
def parse_qrels_prefs(pieces: Iterator[bytes], file: str, how: Reading) -> Preferences:
    """Preferences in the layout of judgements: `topic group document level`."""
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
    """Means and deviations to compare with: `topic measure mean deviation`."""
    rows, texts, numbers = read_columns(
        pieces, file, replace(STATISTICS, comments=False), how.report
    )
    lengths = np.diff(rows.starts)
    topics = [t for t, n in zip(rows.topics, lengths.tolist(), strict=True) for _ in range(n)]
    names = texts[1].take(np.arange(len(rows)))
    values = zip(numbers[2].tolist(), numbers[3].tolist(), strict=True)
    return dict(zip(zip(topics, names, strict=True), values, strict=True))


# Runs of Lemur in its own three columns; Indri, Terrier and Zettair write TREC's six. -------------
#
# Terrier counts ranks from 0, Indri's scores are logarithms and so below 0, Zettair calls every run
# `zettair`: all of that is fine in TREC's columns, because the score alone orders results.

LEMUR = Layout("3 columns: topic document score", 3, True, (1,), (2,), indented_comments=True)


SCORE = re.compile(rb"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


def looks_like_lemur(head: bytes) -> bool:
    """Three columns, the last one a number; whole numbers alone are judgements of Cranfield."""
    lines = [] if beginning(head) in (b"<", b"{") else first_lines(head)
    scores = [fields[2] for fields in lines if len(fields) == 3 and SCORE.fullmatch(fields[2])]
    return 0 < len(scores) == len(lines) and any(re.search(rb"[.eE]", one) for one in scores)


@reader("lemur_run", holds="run", recognise=looks_like_lemur)
def parse_lemur(pieces: Iterator[bytes], file: str, how: Reading) -> Run:
    """A run of Lemur: `topic document score`, as its simple result format has it.

    The run is called as its file. Indri, Terrier and Zettair write TREC's columns (`trec_run`).
    """
    from spanwise.model.run import Run

    layout = replace(LEMUR, comments=how.comments)
    rows, texts, numbers = read_columns(pieces, file, layout, how.report)
    return Run(stem(file), rows, texts[1], numbers[2])
