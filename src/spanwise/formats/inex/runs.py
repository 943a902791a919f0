"""Text runs of INEX 2009-2010: results that are spans, elements or entry points.

topic Q0 document rank score run-id offset length      a span; X or -1 if it could not be placed
topic Q0 document rank score run-id offset             an entry point
topic Q0 document rank score run-id path               an element
topic Q0 document rank score run-id path path          the text from one element to another
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from spanwise.errors import FormatError, InputError
from spanwise.formats.inex.qrels import some_at_a_time
from spanwise.formats.io.columns import Layout
from spanwise.formats.io.columns import read as read_columns
from spanwise.formats.io.files import first_lines, stem
from spanwise.formats.registry import Reading, reader, writer
from spanwise.formats.trec.columns import IN_COLUMNS, Tail, column, topic_column
from spanwise.model.columns import PlainIds, text
from spanwise.model.documents import EXPECTED_POINT, is_point
from spanwise.model.run import Run
from spanwise.model.spans import UNKNOWN, Spans

if TYPE_CHECKING:
    from spanwise.model.arrays import BoolArray, FloatArray, IntArray
    from spanwise.model.columns import Ids, Rows

MOST_CHARACTERS = 10**12
"""Upper limit of offsets and lengths."""
NAMES = "topic Q0 document rank score run-id"
PLACE = re.compile(rb"-?\d{1,12}|X")
MARKS = (b"X", b"-1")
"""Marks in place of an offset for a result that could not be placed."""
FIRST_X = rb"(?m)[ \t]X([ \t]+\S+)[ \t\r]*$"  # compiled when needed
LAST_X = rb"(?m)[ \t]X[ \t\r]*$"
BOTH_X = rb"(?m)([ \t]-1[ \t]+)X[ \t\r]*$"


def kind_of(head: bytes) -> str:
    """Return the kind of columns after the sixth: spans, points, paths, ranges, or empty."""
    lines = first_lines(head)
    if all(len(fields) <= 6 for fields in lines):
        return ""

    placed = [fields for fields in lines if not _lost(fields)]  # an unplaced result has no kind
    counts = {
        kind: sum(_is(kind, fields) for fields in placed or lines)
        for kind in ("spans", "paths", "ranges")
    }
    if 2 * sum(counts.values()) >= len(placed or lines):  # mixed kinds too: not a run of documents
        return max(counts, key=lambda kind: counts[kind])
    # A number alone is ambiguous, so all lines must have one.
    return "points" if all(_is("points", fields) for fields in lines) else ""


def _lost(fields: list[bytes]) -> bool:
    return len(fields) in (7, 8) and fields[6] in MARKS


def _is(kind: str, fields: list[bytes]) -> bool:
    more = fields[6:]
    if kind in ("spans", "points"):
        wanted = 2 if kind == "spans" else 1
        return len(more) == wanted and all(PLACE.fullmatch(field) for field in more)
    return len(more) == (2 if kind == "ranges" else 1) and all(f.startswith(b"/") for f in more)


@reader("inex_run", holds="run", recognise=lambda head: bool(kind_of(head)), lines=IN_COLUMNS)
def parse_inex_run(pieces: Iterator[bytes], file: str, options: Reading) -> Run:
    """INEX run as text: `topic Q0 document rank score run-id offset length`.

    INEX 2009-2010. Instead of offset and length there may be an offset only, the path of an
    element, or the paths of two elements. X or -1 marks a result that could not be placed. The
    order of the lines is the ranking; rank and score are kept beside it.
    """
    head = next(pieces)
    kind = kind_of(head) or "spans"
    layout = _layout(kind, options)
    tail = Tail(chain([head], pieces), layout)
    placed = _without_x(iter(tail), kind)
    rows, texts, numbers = read_columns(placed, file, layout, options.report, options.above)
    name = text(tail.fields[5]) if len(tail.fields) > 5 else stem(file)
    if kind in ("spans", "points"):
        places = [
            _wholes(numbers[column], rows, options) for column in layout.numbers if column > 5
        ]
        return Run(name, rows, texts[2], numbers[4], numbers.get(3), _spans(places, rows, options))
    first = texts[6].coded()
    lost = np.array([name in MARKS for name in first.names], np.bool_)[first.codes]
    paths = _points(texts[6], lost, rows, options)
    ends = _points(texts[7], lost, rows, options) if 7 in texts else None
    nowhere = np.full(len(rows), UNKNOWN)
    spans = Spans(nowhere, np.zeros(len(rows), np.int64)) if lost.any() else None
    return Run(name, rows, texts[2], numbers[4], numbers.get(3), spans, paths, ends)


def _points(column: Ids, lost: BoolArray, rows: Rows, options: Reading) -> Ids:
    """Return paths, each checked once; those of unplaced results are empty."""
    coded = column.coded()
    wrong = np.array([not is_point(text(name)) for name in coded.names], np.bool_)[coded.codes]
    for row in np.flatnonzero(wrong & ~lost).tolist():
        found = f"path {text(coded[row])!r}"
        expected = f"{EXPECTED_POINT}, or X"
        options.note(FormatError(rows.source, rows.line(row), found, expected))
    if not lost.any():
        return column
    named = zip(coded, lost.tolist(), strict=True)
    return PlainIds([b"" if gone else name for name, gone in named])


def _layout(kind: str, options: Reading) -> Layout:
    more = {
        "spans": (" offset length", 8),
        "points": (" offset", 7),
        "paths": (" path", 7),
        "ranges": (" path path", 8),
    }
    names, width = more[kind]
    extra = tuple(range(6, width))
    numeric = kind in ("spans", "points")
    ranks = (3,) if options.ranks else ()
    return Layout(
        f"{width} columns: {NAMES}{names}",
        width,
        False,
        (2,) if numeric else (2, *extra),
        (*ranks, 4, *extra) if numeric else (*ranks, 4),
        indented_comments=True,
        comments=options.comments,
    )


def _without_x(pieces: Iterator[bytes], kind: str) -> Iterator[bytes]:
    """Yield pieces in which the mark of an unplaced result is always -1."""
    for piece in pieces:
        marked = kind in ("spans", "points") and (b" X" in piece or b"\tX" in piece)
        yield with_minus_one(piece, kind == "spans") if marked else piece


def with_minus_one(piece: bytes, two_columns: bool) -> bytes:
    """Return lines with X in the last columns replaced by -1."""
    if two_columns:
        return re.sub(BOTH_X, rb"\g<1>-1", re.sub(FIRST_X, rb" -1\1", piece))
    return re.sub(LAST_X, b" -1", piece)


def _wholes(values: FloatArray, rows: Rows, options: Reading) -> IntArray:
    good = (values == np.trunc(values)) & (np.abs(values) <= MOST_CHARACTERS)
    _refuse(~good, values, rows, options, "a whole number of characters")
    return np.where(good, values, 0).astype(np.int64)


def _spans(places: list[IntArray], rows: Rows, options: Reading) -> Spans:
    starts, lengths = places if len(places) == 2 else (places[0], np.zeros(len(rows), np.int64))
    unknown = starts == UNKNOWN
    _refuse((starts < 0) & ~unknown, starts, rows, options, "an offset of 0 or more, or X")
    _refuse((lengths < 0) & ~unknown, lengths, rows, options, "a length of 0 or more")
    return Spans(starts, np.where(unknown, 0, lengths))


def _refuse(
    wrong: BoolArray, values: FloatArray | IntArray, rows: Rows, options: Reading, expected: str
) -> None:
    for row in np.flatnonzero(wrong).tolist():
        found = f"{float(values[row]):.15g}"
        options.note(FormatError(rows.source, rows.line(row), found, expected))


def run_loses(run: Run) -> Mapping[str, int]:
    """Count what lines cannot hold of a run, by kind; all lines place results in the same way."""
    from spanwise.model import contents

    counts = contents.in_lines(run)
    places = (contents.PATHS, contents.RANGES) if _by_paths(run) else (contents.SPANS,)
    return contents.without(counts, contents.RANKS, contents.LOST, *places)


@writer("inex_run", loses=run_loses)
def write_inex_run(run: Run) -> Iterator[bytes]:
    """Write lines with offset and length of placed results, or with paths."""
    if run.spans is None and run.paths is None:
        raise InputError(
            f"{run.rows.source}: results are whole documents; inex_run needs a span or a path for"
            " each"
        )
    name = b"_".join(run.name.encode("utf-8", "surrogateescape").split()) or b"run"
    ranks = _ranks(run)
    for topics, documents, some in some_at_a_time(run.rows, run.documents):
        columns = zip(
            topics,
            documents,
            ranks[some].tolist(),
            run.scores[some].tolist(),
            _places(run, some),
            strict=True,
        )
        yield b"".join(
            b"%s Q0 %s %d %s %s %s\n"
            % (topic_column(topic), column(document), rank, _number(score), name, place)
            for topic, document, rank, score, place in columns
        )


def _ranks(run: Run) -> IntArray:
    """Return the stated ranks, or else the order of the lines."""
    firsts = np.repeat(run.rows.starts[:-1], np.diff(run.rows.starts))
    ranks: FloatArray = 1.0 + np.arange(len(run.rows)) - firsts
    if run.ranks is not None:
        ranks = np.where(np.isnan(run.ranks), ranks, run.ranks)
    return ranks.astype(np.int64)


def _number(score: float) -> bytes:
    return (repr(int(score)) if score.is_integer() else repr(score)).encode()


def _places(run: Run, some: IntArray) -> list[bytes]:
    if run.spans is not None and not _by_paths(run):
        spans = run.spans.at(some)
        pairs = zip(spans.starts.tolist(), spans.lengths.tolist(), strict=True)
        return [b"X X" if start == UNKNOWN else b"%d %d" % (start, size) for start, size in pairs]
    assert run.paths is not None
    paths = [path or b"X" for path in run.paths.take(some)]
    if run.ends is None:
        return paths
    ends = run.ends.take(some)  # an element ends with itself
    return [b"%s %s" % (path, end or path) for path, end in zip(paths, ends, strict=True)]


def _by_paths(run: Run) -> bool:
    """Return whether results are given by paths, as far as they are placed."""
    return run.paths is not None and (
        run.spans is None or bool((run.spans.starts == UNKNOWN).all())
    )
