"""Text files of blank-separated columns, read fast and refused precisely.

One reading is the law: `by_line`, plain Python that looks at every line and can say what is wrong
with it. Three quicker readings serve files that are regular, which almost all are: `by_fields` for
short ids and plain numbers, and where there are others `by_tokens` for small files (nothing but
NumPy is imported), `by_polars` for large ones. They only take what they can prove to be regular;
everything else, and every doubt, goes to `by_line`. A property test holds the four together.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count, groupby
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from spanwise.errors import EmptyError, FormatError
from spanwise.formats.fields import Fields
from spanwise.formats.numerals import NUMBER, all_numbers
from spanwise.formats.opening import BOM, CHUNK
from spanwise.formats.regular import line_count, regular_width, single_blanks
from spanwise.model.ids import Ids, PlainIds, PolarsIds, joined
from spanwise.model.rows import Rows

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray, IntArray

WORKERS = 2
"""Threads that read the pieces of a large file; reading a piece is itself parallel."""

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
    pieces: Iterator[bytes],
    file: str,
    layout: Layout,
    report: Report | None = None,
    above: int = 0,
) -> tuple[Rows, dict[int, Ids], dict[int, FloatArray]]:
    """All rows of a file, or of the lines of it below some others, grouped by topic."""

    def read_piece(piece: bytes, line: int, quick: Quick) -> Table:
        return _read_piece(piece, file, line, layout, quick, report)

    return grouped(list(_tables(pieces, read_piece, above)), file, layout)


def _tables(
    pieces: Iterator[bytes], read_piece: Callable[[bytes, int, Quick], Table], above: int
) -> Iterator[tuple[Table, int]]:
    """Every piece's table and the number of lines before it, in order.

    A small file is one piece. The pieces of a large one are read on threads, a few at a time, so
    that memory stays bounded.
    """
    first = next(pieces)
    second = next(pieces, None)
    if second is None:
        yield read_piece(first, above, _quick_for(first)), above
        return
    from concurrent.futures import Future, ThreadPoolExecutor

    line = above
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
        table = by_fields(regular, width, layout)
        if table is None:
            table = quick(regular, width, layout)
        if table is not None:
            return table
    return by_line(piece, file, line, layout, report or raise_first)


def _width_fits(width: int, layout: Layout) -> bool:
    return width == layout.width or (layout.more_allowed and width > layout.width)


def raise_first(error: FormatError) -> None:
    """What is done with a problem when nobody collects them."""
    raise error


PATIENCE = 6
"""So many files of some size are read without the table library before it is imported."""
_read_without = count()


def prepare(files: Sequence[str]) -> None:
    """Many small files are as much work as a large one: then there is no need for patience."""
    sizes = (Path(file).stat().st_size for file in files if Path(file).is_file())
    if sum(sizes) > 2 * CHUNK:
        for _ in range(PATIENCE):
            next(_read_without)


def _quick_for(piece: bytes) -> Quick:
    """The table library if it is there, or when it would have paid: its import takes a while."""
    some_size = len(piece) > CHUNK // 8
    if "polars" in sys.modules or (some_size and next(_read_without) >= PATIENCE):
        return by_polars
    return by_tokens


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
            _check(text, fields, layout, file, number, begun=bool(line or topics))
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
    names, lengths = stretches(topics)
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


def _check(
    text: bytes, fields: list[bytes], layout: Layout, file: str, line: int, *, begun: bool
) -> None:
    if b"\0" in text:
        raise FormatError(
            file, line, "a NUL byte", layout.describes, "the file may be UTF-16 or not text at all"
        )
    if not _width_fits(len(fields), layout):
        count = f"{len(fields)} column{'s' if len(fields) != 1 else ''}: {shown(text)}"
        raise FormatError(file, line, count, layout.describes, _guess(fields, layout, begun))


def _guess(fields: list[bytes], layout: Layout, begun: bool) -> str:
    """What probably happened; a file that has `begun` well is hardly the wrong one."""
    width = len(fields)
    if fields[0].startswith(b"#"):
        return "comments are not known here; remove the line"
    if layout.width == 4 and width >= 6 and not begun:
        return "this looks like a run; are run and judgements swapped?"
    if layout.width == 6 and width == 4 and not begun:
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


def stretches(topics: list[bytes]) -> tuple[list[bytes], list[int]]:
    """Topics as stretches of equal ones: whose, and how long."""
    groups = [(topic, len(list(same))) for topic, same in groupby(topics)]
    return [topic for topic, _ in groups], [length for _, length in groups]


# Quick readers ------------------------------------------------------------------------------


def by_fields(piece: bytes, width: int, layout: Layout) -> Table | None:
    """Look at the columns that are wanted, eight bytes of every line at a time."""
    fields = Fields(piece, width)
    if not fields.even():
        return None
    topics = fields.stretches()
    if topics is None or _any_comment(topics[0], layout):
        return None
    numbers = {}
    for column in layout.numbers:
        values = fields.numbers(column)
        if values is None:
            return None
        numbers[column] = values
    texts: dict[int, Ids] = {}
    for column in layout.texts:
        ids = fields.ids(column)
        if ids is None:
            return None
        texts[column] = ids
    return Table(*topics, texts, numbers)


def by_tokens(piece: bytes, width: int, layout: Layout) -> Table | None:
    """Split everything at once; every line must have `width` columns."""
    data = np.frombuffer(piece, np.uint8)
    ends = np.flatnonzero(data <= 32)[width - 1 :: width]
    if not (data[ends] == 10).all():
        return None
    tokens = piece.split()
    names, lengths = stretches(tokens[::width])
    if _any_comment(names, layout):
        return None
    numbers = {}
    for column in layout.numbers:
        values = all_numbers(tokens[column::width])
        if values is None:
            return None
        numbers[column] = values
    texts: dict[int, Ids] = {c: PlainIds(tokens[c::width]) for c in layout.texts}
    return Table(names, lengths, texts, numbers)


def _any_comment(topics: list[bytes], layout: Layout) -> bool:
    return layout.comments and any(topic.startswith(b"#") for topic in topics)


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


def grouped(
    tables: list[tuple[Table, int]], file: str, layout: Layout
) -> tuple[Rows, dict[int, Ids], dict[int, FloatArray]]:
    """The rows of all tables, each with the number of lines before it, topic by topic."""
    pieces = [
        (n, k) for table, _ in tables for n, k in zip(table.topics, table.lengths, strict=True)
    ]
    if not pieces:
        raise EmptyError(file, None, "no data in it, only blank or comment lines", layout.describes)
    codes: dict[bytes, int] = {}
    stretch_codes = np.array([codes.setdefault(name, len(codes)) for name, _ in pieces])
    lengths = np.array([length for _, length in pieces])
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
    if all(table.lines is None for table, _ in tables) and not tables[0][1]:
        return None
    lines = np.concatenate(
        [
            np.arange(line + 1, line + 1 + len(table)) if table.lines is None else table.lines
            for table, line in tables
        ]
    )
    return None if (lines == np.arange(1, len(lines) + 1)).all() else lines
