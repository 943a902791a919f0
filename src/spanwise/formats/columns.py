"""Text files of blank-separated columns, read fast and refused precisely.

One reading is the law: `by_line`, plain Python that looks at every line and can say what is wrong
with it. Two quicker readings serve files that are regular, which almost all are: `by_tokens` for
small ones (nothing but NumPy is imported), `by_polars` for large ones. They only take what they
can prove to be regular; everything else, and every doubt, goes to `by_line`. A property test
holds the three together.
"""

from __future__ import annotations

import re
import sys
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain, groupby
from typing import TYPE_CHECKING

import numpy as np

from spanwise.errors import EmptyError, FormatError
from spanwise.formats.opening import BOM
from spanwise.model.ids import Ids, PlainIds, PolarsIds, joined
from spanwise.model.rows import Rows

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray, IntArray

WORKERS = 2
"""Threads that read the pieces of a large file; reading a piece is itself parallel."""

NUMBER = re.compile(rb"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?)", re.IGNORECASE)
Report = Callable[[FormatError], None]


@dataclass(frozen=True, slots=True)
class Layout:
    """What the columns of a format are; the first is always the topic."""

    describes: str  # the columns in words, as an error message shows them
    width: int  # how many columns there are
    more_allowed: bool  # whether further columns may follow
    texts: tuple[int, ...]  # columns kept as ids
    numbers: tuple[int, ...]  # columns kept as numbers
    indented_comments: bool = False  # whether blanks may stand before '#'
    comments: bool = True

    def name(self, column: int) -> str:
        """What a column is called, as in `describes`."""
        return self.describes.partition(": ")[2].split()[column]


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Columns of some lines: topics as stretches of equal ones, the wanted texts and numbers."""

    topics: list[bytes]
    lengths: list[int]
    texts: dict[int, Ids]
    numbers: dict[int, FloatArray]
    lines: IntArray | None = None  # None: every line of the piece is a row

    def __len__(self) -> int:
        return sum(self.lengths)


Quick = Callable[[bytes, int, Layout], Table | None]
"""A reader of regular pieces: bytes, number of columns, layout; None if in doubt."""


def read(
    pieces: Iterator[bytes], file: str, layout: Layout, report: Report | None = None
) -> tuple[Rows, dict[int, Ids], dict[int, FloatArray]]:
    """All rows of a file, grouped by topic."""

    def read_piece(piece: bytes, line: int, quick: Quick) -> Table:
        return _read_piece(piece, file, line, layout, quick, report)

    return _grouped(list(_tables(pieces, read_piece)), file, layout)


def _tables(
    pieces: Iterator[bytes], read_piece: Callable[[bytes, int, Quick], Table]
) -> Iterator[tuple[Table, int]]:
    """Every piece's table and the number of lines before it, in order.

    A small file is one piece. The pieces of a large one are read on threads, a few at a time, so
    that memory stays bounded.
    """
    first = next(pieces)
    second = next(pieces, None)
    if second is None:
        yield read_piece(first, 0, by_polars if "polars" in sys.modules else by_tokens), 0
        return
    from concurrent.futures import Future, ThreadPoolExecutor

    line = 0
    waiting: deque[tuple[Future[Table], int]] = deque()
    with ThreadPoolExecutor(WORKERS) as pool:
        for piece in chain([first, second], pieces):
            waiting.append((pool.submit(read_piece, piece, line, by_polars), line))
            line += line_count(piece)
            if len(waiting) > WORKERS:
                future, before = waiting.popleft()
                yield future.result(), before
        for future, before in waiting:
            yield future.result(), before


def _read_piece(
    piece: bytes,
    file: str,
    line: int,
    layout: Layout,
    quick: Quick,
    report: Report | None,
) -> Table:
    width = regular_width(piece)
    regular = piece if width is not None else single_blanks(piece)
    if width is None and regular is not None:
        width = regular_width(regular)
    if regular is not None and width is not None and _width_fits(width, layout):
        table = quick(regular, width, layout)
        if table is not None:
            return table
    return by_line(piece, file, line, layout, report or _raise)


def _width_fits(width: int, layout: Layout) -> bool:
    return width == layout.width or (layout.more_allowed and width > layout.width)


def _raise(error: FormatError) -> None:
    raise error


# The law ------------------------------------------------------------------------------------


def by_line(piece: bytes, file: str, line: int, layout: Layout, report: Report) -> Table:
    """Every line on its own; what is wrong with one is reported with its place."""
    topics: list[bytes] = []
    texts: dict[int, list[bytes]] = {column: [] for column in layout.texts}
    numbers: dict[int, list[float]] = {column: [] for column in layout.numbers}
    lines: list[int] = []
    for number, text in enumerate(piece.split(b"\n")[:-1], start=line + 1):
        fields = text.split()
        if not fields or is_comment(text, layout):
            continue
        try:
            _check(text, fields, layout, file, number)
            values = [_number(fields[c], layout.name(c), file, number) for c in layout.numbers]
        except FormatError as error:
            report(error)
            continue
        topics.append(fields[0])
        lines.append(number)
        for column in layout.texts:
            texts[column].append(fields[column])
        for column, value in zip(layout.numbers, values, strict=True):
            numbers[column].append(value)
    names, lengths = _stretches(topics)
    return Table(
        names,
        lengths,
        {column: PlainIds(values) for column, values in texts.items()},
        {column: np.array(values, np.float64) for column, values in numbers.items()},
        np.array(lines, np.int64),
    )


def is_comment(text: bytes, layout: Layout) -> bool:
    """Whether a line is a comment."""
    if not layout.comments:
        return False
    return (text.lstrip() if layout.indented_comments else text).startswith(b"#")


def _check(text: bytes, fields: list[bytes], layout: Layout, file: str, line: int) -> None:
    if b"\0" in text:
        raise FormatError(
            file, line, "a NUL byte", layout.describes, "the file may be UTF-16 or not text at all"
        )
    if not _width_fits(len(fields), layout):
        count = f"{len(fields)} column{'s' if len(fields) != 1 else ''}: {shown(text)}"
        raise FormatError(file, line, count, layout.describes, _guess(fields, layout))


def _guess(fields: list[bytes], layout: Layout) -> str:
    width = len(fields)
    if fields[0].startswith(b"#"):
        return "comments are not known here; remove the line"
    if layout.width == 4 and width >= 6:
        return "this looks like a run; are run and judgements swapped?"
    if layout.width == 6 and width == 4:
        return "this looks like judgements; are run and judgements swapped?"
    if layout.width == 6 and width == 5:
        return "add the column that is missing, probably the run tag at the end"
    return ""


def _number(field: bytes, name: str, file: str, line: int) -> float:
    if NUMBER.fullmatch(field):
        return float(field)
    advice = "use a point, not a comma" if b"," in field else ""
    raise FormatError(file, line, f"the {name} is {shown(field)}", "a number", advice)


def shown(text: bytes, most: int = 80) -> str:
    """A piece of input as it can stand in a message: quoted, escaped, cut."""
    cut = text[:most].decode("utf-8", "backslashreplace")
    return ascii_safe(repr(cut)) + ("..." if len(text) > most else "")


def ascii_safe(text: str) -> str:
    """Text without surrogates, which no terminal can print."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _stretches(topics: list[bytes]) -> tuple[list[bytes], list[int]]:
    groups = [(topic, len(list(same))) for topic, same in groupby(topics)]
    return [topic for topic, _ in groups], [length for _, length in groups]


def line_count(piece: bytes) -> int:
    """How many lines a piece has; `bytes.count` is three times slower."""
    return int(np.count_nonzero(np.frombuffer(piece, np.uint8) == 10))


# What is regular ----------------------------------------------------------------------------


def regular_width(piece: bytes) -> int | None:
    """The number of columns, if only single blanks separate them and no line is odd in sum.

    A total, not a proof for each line: the quick readers complete it.
    """
    data = np.frombuffer(piece, np.uint8)
    separators = data <= 32
    lines = np.count_nonzero(data == 10)
    if separators[0] or np.count_nonzero(data < 32) != lines:
        return None
    if (separators[1:] & separators[:-1]).any():
        return None
    width, rest = divmod(int(np.count_nonzero(separators)), int(lines))
    return None if rest else width


def single_blanks(piece: bytes) -> bytes | None:
    """The same lines with single blanks between columns; None where that loses something."""
    data = np.frombuffer(piece, np.uint8)
    newline = data == 10
    blank = ((data - np.uint8(9)) < 5) & ~newline | (data == 32)  # TAB, VT, FF, CR, blank
    if np.count_nonzero(data < 32) != np.count_nonzero((blank & (data != 32)) | newline):
        return None  # other control characters: NUL, or part of an id
    after_separator = np.concatenate([[True], (blank | newline)[:-1]])
    kept = data[~(blank & after_separator)].copy()
    blank = (kept != 10) & ((kept == 32) | ((kept - np.uint8(9)) < 5))
    kept[blank] = 32
    before_newline = np.concatenate([kept[1:] == 10, [False]])
    kept = kept[~(blank & before_newline)]
    if (kept[0] == 10) or ((kept[1:] == 10) & (kept[:-1] == 10)).any():
        return None  # blank lines: line numbers would shift
    return kept.tobytes()


# Quick readers ------------------------------------------------------------------------------


def by_tokens(piece: bytes, width: int, layout: Layout) -> Table | None:
    """Split everything at once; every line must have `width` columns."""
    data = np.frombuffer(piece, np.uint8)
    ends = np.flatnonzero(data <= 32)[width - 1 :: width]
    if not (data[ends] == 10).all():
        return None
    tokens = piece.split()
    names, lengths = _stretches(tokens[::width])
    if _any_comment(names, layout):
        return None
    numbers = {}
    for column in layout.numbers:
        values = _all_numbers(tokens[column::width])
        if values is None:
            return None
        numbers[column] = values
    texts: dict[int, Ids] = {c: PlainIds(tokens[c::width]) for c in layout.texts}
    return Table(names, lengths, texts, numbers)


def _any_comment(topics: list[bytes], layout: Layout) -> bool:
    return layout.comments and any(topic.startswith(b"#") for topic in topics)


ODD = re.compile(rb"[_nNxX]")


def _all_numbers(tokens: list[bytes]) -> FloatArray | None:
    """All tokens as numbers; None if one of them is not plainly one."""
    if ODD.search(b" ".join(tokens)):  # Python reads 1_0, nan and inf; by_line decides on those
        return None
    try:
        return np.array(list(map(float, tokens)))
    except ValueError:
        return None


def by_polars(piece: bytes, width: int, layout: Layout) -> Table | None:
    """Let Polars read the columns that are wanted, and the last, which tells of short lines."""
    import polars as pl

    if piece.startswith(BOM):
        return None  # Polars would drop it; here it is the beginning of an id
    wanted = sorted({0, *layout.texts, *layout.numbers, width - 1})
    schema = {
        f"c{column}": pl.Float64 if column in layout.numbers else pl.String
        for column in range(width)
    }
    try:
        frame = pl.read_csv(
            piece,
            has_header=False,
            separator=" ",
            quote_char=None,
            schema=schema,
            columns=wanted,
        )
    except pl.exceptions.PolarsError:
        return None
    if len(frame) != line_count(piece) or any(column.has_nulls() for column in frame):
        return None
    numbers = {column: frame[f"c{column}"].to_numpy() for column in layout.numbers}
    if any(np.isnan(values).any() for values in numbers.values()):
        return None
    runs = frame["c0"].rle().struct.unnest()
    names = [name.encode() for name in runs["value"].to_list()]
    if _any_comment(names, layout):
        return None
    texts: dict[int, Ids] = {
        column: PolarsIds(frame[f"c{column}"].cast(pl.Binary)) for column in layout.texts
    }
    return Table(names, runs["len"].to_list(), texts, numbers)


# Grouping by topic --------------------------------------------------------------------------


def _grouped(
    tables: list[tuple[Table, int]], file: str, layout: Layout
) -> tuple[Rows, dict[int, Ids], dict[int, FloatArray]]:
    stretches = [
        (n, k) for table, _ in tables for n, k in zip(table.topics, table.lengths, strict=True)
    ]
    if not stretches:
        raise EmptyError(file, None, "no data in it, only blank or comment lines", layout.describes)
    codes: dict[bytes, int] = {}
    stretch_codes = np.array([codes.setdefault(name, len(codes)) for name, _ in stretches])
    lengths = np.array([length for _, length in stretches])
    counts = np.bincount(stretch_codes, weights=lengths).astype(np.int64)
    starts = np.concatenate([[0], np.cumsum(counts)])
    lines = _line_numbers(tables)
    texts = {
        column: joined([table.texts[column] for table, _ in tables]) for column in layout.texts
    }
    numbers = {
        column: np.concatenate([table.numbers[column] for table, _ in tables])
        for column in layout.numbers
    }
    if (np.diff(stretch_codes) < 0).any():  # a topic comes again after another one
        order = np.argsort(np.repeat(stretch_codes, lengths), kind="stable")
        lines = order + 1 if lines is None else lines[order]
        texts = {column: ids.reordered(order) for column, ids in texts.items()}
        numbers = {column: values[order] for column, values in numbers.items()}
    return Rows(file, tuple(codes), starts, lines), texts, numbers


def _line_numbers(tables: list[tuple[Table, int]]) -> IntArray | None:
    """The line of every row; None if row 0 stood on line 1, row 1 on line 2, and so on."""
    if all(table.lines is None for table, _ in tables):
        return None
    lines = np.concatenate(
        [
            np.arange(line + 1, line + 1 + len(table)) if table.lines is None else table.lines
            for table, line in tables
        ]
    )
    return None if (lines == np.arange(1, len(lines) + 1)).all() else lines
