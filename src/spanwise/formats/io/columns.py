"""Text files of blank-separated columns, read fast and with precise errors.

The reference is `by_line`, plain Python that looks at every line and can report what is wrong with
it. Three faster readers serve regular files, which are nearly all: `by_fields` for short ids and
plain numbers; for other columns, `by_tokens` for small files (which imports only NumPy) and
`by_polars` for large ones. A fast reader accepts a piece only if it can prove it regular; otherwise
`by_line` reads it. A property test checks that all four agree.
"""

from __future__ import annotations

import re
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count, groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from spanwise.errors import EmptyError, FormatError
from spanwise.formats.io.files import BOM, CHUNK
from spanwise.model.columns import Ids, PackedIds, PlainIds, PolarsIds, Rows, joined

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from spanwise.model.arrays import BoolArray, FloatArray, IntArray

    Words = NDArray[np.uint64]

# Layouts and reading -----------------------------------------------------------------------------

WORKERS = 2
"""Number of threads that read the pieces of a large file; each is itself parallel."""

Report = Callable[[FormatError], None]


@dataclass(frozen=True, slots=True)
class Layout:
    """The columns of a format; the first is always the topic."""

    describes: str  # the columns in words, for error messages
    width: int  # number of columns
    more_allowed: bool  # whether further columns may follow
    texts: tuple[int, ...]  # columns kept as ids
    numbers: tuple[int, ...]  # columns kept as numbers
    indented_comments: bool = False  # whether blanks may precede '#'
    comments: bool = True

    def name(self, column: int) -> str:
        """Return the name of a column, as in `describes`."""
        return self.describes.partition(": ")[2].split()[column]


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """The columns of some lines: topics as blocks of equal ones, the wanted texts and numbers."""

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
    """Read a file, or the lines after the first `above`, as columns grouped by topic."""

    def read_piece(piece: bytes, line: int, quick: Quick) -> Table:
        return _read_piece(piece, file, line, layout, quick, report)

    return grouped(list(_tables(pieces, read_piece, above)), file, layout)


def _tables(
    pieces: Iterator[bytes], read_piece: Callable[[bytes, int, Quick], Table], above: int
) -> Iterator[tuple[Table, int]]:
    """Yield the table of every piece and the number of lines before it, in order.

    A small file is one piece. The pieces of a large file are read by threads, a few at a time, so
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
    """Raise a problem, when problems are not collected."""
    raise error


FILES_BEFORE_POLARS = 6
"""Number of larger files that are read without Polars before its import pays off."""
_reads_without_polars = count()


def prepare(files: Sequence[str]) -> None:
    """Use Polars at once for many files, because together they are as much work as a large one."""
    sizes = (Path(file).stat().st_size for file in files if Path(file).is_file())
    if sum(sizes) > 2 * CHUNK:
        for _ in range(FILES_BEFORE_POLARS):
            next(_reads_without_polars)


def _quick_for(piece: bytes) -> Quick:
    """Return the reader with Polars if it is imported or its slow import would pay off."""
    some_size = len(piece) > CHUNK // 8
    if "polars" in sys.modules or (
        some_size and next(_reads_without_polars) >= FILES_BEFORE_POLARS
    ):
        return by_polars
    return by_tokens


# Reading line by line ----------------------------------------------------------------------------


def by_line(piece: bytes, file: str, line: int, layout: Layout, report: Report) -> Table:
    """Read every line on its own and report each problem with its place."""
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
    names, lengths = runs_of_equal(topics)
    return Table(
        names,
        lengths,
        {column: PlainIds(values) for column, values in texts.items()},
        {column: np.array(values, np.float64) for column, values in numbers.items()},
        np.array(lines, np.int64),
    )


def is_comment(text: bytes, layout: Layout) -> bool:
    """Return whether a line is a comment."""
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
    """Return advice on the probable cause; a file that has `begun` well is hardly the wrong one."""
    width = len(fields)
    if fields[0].startswith(b"#"):
        return "this format has no comments; remove the line"
    if layout.width == 4 and width >= 6 and not begun:
        return "this looks like a run; are run and judgements swapped?"
    if layout.width == 6 and width == 4 and not begun:
        return "this looks like judgements; are run and judgements swapped?"
    if layout.width == 6 and width == 5:
        return "add the missing column, probably the run tag at the end"
    return ""


def _number(field: bytes, name: str, file: str, line: int) -> float:
    if NUMBER.fullmatch(field):
        return float(field)
    advice = "use a point, not a comma" if b"," in field else ""
    raise FormatError(file, line, f"the {name} is {shown(field)}", "a number", advice)


def shown(text: bytes, most: int = 80) -> str:
    """Return a piece of input for use in a message: quoted, escaped, shortened."""
    cut = text[:most].decode("utf-8", "backslashreplace")
    return ascii_safe(repr(cut)) + ("..." if len(text) > most else "")


def ascii_safe(text: str) -> str:
    """Return text without surrogates, which no terminal can print."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def runs_of_equal(topics: list[bytes]) -> tuple[list[bytes], list[int]]:
    """Return topics as blocks of equal ones: the topics and the lengths."""
    groups = [(topic, len(list(same))) for topic, same in groupby(topics)]
    return [topic for topic, _ in groups], [length for _, length in groups]


# Fast readers ------------------------------------------------------------------------------------


def by_fields(piece: bytes, width: int, layout: Layout) -> Table | None:
    """Read the wanted columns through windows of eight bytes."""
    fields = Fields(piece, width)
    if not fields.even():
        return None
    topics = fields.topic_blocks()
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
    """Read by splitting everything at once; every line must have `width` columns."""
    data = np.frombuffer(piece, np.uint8)
    ends = np.flatnonzero(data <= 32)[width - 1 :: width]
    if not (data[ends] == 10).all():
        return None
    tokens = piece.split()
    names, lengths = runs_of_equal(tokens[::width])
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
    """Read the wanted columns with Polars, and the last one, which reveals short lines."""
    import polars as pl

    if piece.startswith(BOM):
        return None  # Polars would drop it; here it is part of an id
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


# Grouping by topic -------------------------------------------------------------------------------


def grouped(
    tables: list[tuple[Table, int]], file: str, layout: Layout
) -> tuple[Rows, dict[int, Ids], dict[int, FloatArray]]:
    """Return the rows of all tables, given with the lines before each, grouped by topic."""
    pieces = [
        (n, k) for table, _ in tables for n, k in zip(table.topics, table.lengths, strict=True)
    ]
    if not pieces:
        raise EmptyError(file, None, "no data, only blank or comment lines", layout.describes)
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
    if (np.diff(stretch_codes) < 0).any():  # a topic occurs again after another one
        order = np.argsort(np.repeat(stretch_codes, lengths), kind="stable")
        lines = order + 1 if lines is None else lines[order]
        texts = {column: ids.reordered(order) for column, ids in texts.items()}
        numbers = {column: values[order] for column, values in numbers.items()}
    return Rows(file, tuple(codes), starts, lines), texts, numbers


def _line_numbers(tables: list[tuple[Table, int]]) -> IntArray | None:
    """Return the line of every row, or None if row 0 was on line 1, row 1 on line 2, and so on."""
    if all(table.lines is None for table, _ in tables) and not tables[0][1]:
        return None
    lines = np.concatenate(
        [
            np.arange(line + 1, line + 1 + len(table)) if table.lines is None else table.lines
            for table, line in tables
        ]
    )
    return None if (lines == np.arange(1, len(lines) + 1)).all() else lines


# Fields of a regular piece -----------------------------------------------------------------------
#
# Every field is read through windows of eight bytes, one 64-bit number each: ids are kept as such
# numbers, and the digits of a number are summed inside them. This works for short ids and plain
# decimal numbers only; None means that a column contains something else.

MOST_WORDS = 4
"""Maximum number of windows of an id, which is therefore at most 32 bytes long."""
MOST_DIGITS = 8
"""Maximum number of digits before the point. With the decimals there are at most 15, so that the
quotient of two exact numbers, correctly rounded, is the written number."""
MOST_DECIMALS = 7
_BEFORE, _AFTER = 24, 8 * MOST_WORDS + 8
_WHOLE = (1 << 64) - 1
_FIRST = np.array([_WHOLE >> (64 - 8 * k) if k else 0 for k in range(9)], np.uint64)
"""Masks that keep the first k bytes of a window."""
_LAST = np.array([(_WHOLE << (64 - 8 * k)) & _WHOLE for k in range(9)], np.uint64)
_NOUGHTS = np.uint64(0x3030303030303030)
_POINT, _MINUS = ord("."), ord("-")


class Fields:
    """The positions of the fields of a piece that has `width` fields in every line."""

    def __init__(self, piece: bytes, width: int) -> None:
        padded = b"".join([bytes(_BEFORE), piece, bytes(_AFTER)])
        self._bytes = np.frombuffer(padded, np.uint8)
        inner = self._bytes[_BEFORE:-_AFTER]
        self._ends: IntArray = np.flatnonzero(inner <= 32).reshape(-1, width)
        self._ends += _BEFORE
        self._windows: Words = np.ndarray((len(padded) - 7,), np.dtype("<u8"), padded, strides=(1,))

    def even(self) -> bool:
        """Return whether every line has exactly `width` fields."""
        return bool((self._bytes.take(self._ends[:, -1]) == 10).all())

    def _begins(self, column: int) -> IntArray:
        if column:
            return self._ends[:, column - 1] + 1
        return np.concatenate([[_BEFORE], self._ends[:-1, -1] + 1])

    def ids(self, column: int) -> PackedIds | None:
        """Return a column of ids, or None if one is too long."""
        begins = self._begins(column)
        lengths = self._ends[:, column] - begins
        count = -(-int(lengths.max()) // 8)
        if count > MOST_WORDS:
            return None
        words = np.empty((len(begins), count), np.dtype("<u8"))
        for word in range(count):
            shown = np.minimum(lengths, 8) if not word else np.clip(lengths - 8 * word, 0, 8)
            words[:, word] = self._windows[begins + 8 * word] & _FIRST.take(shown)
        return PackedIds(words)

    def numbers(self, column: int) -> FloatArray | None:
        """Return a column of numbers such as -12.345, correctly rounded, or None."""
        begins, ends = self._begins(column), self._ends[:, column]
        first = self._bytes[begins[0] : ends[0]].tobytes()
        decimals = len(first) - 1 - first.find(b".") if b"." in first else None
        values = self._decimal(begins, ends, decimals)
        return self._mixed(begins, ends) if values is None else values

    def _mixed(self, begins: IntArray, ends: IntArray) -> FloatArray | None:
        """Return numbers whose points are at different places, or missing."""
        values = np.empty(len(begins))
        left = np.arange(len(begins))
        for decimals in (*range(MOST_DECIMALS + 1), None):
            here = np.ones(len(left), np.bool_)
            if decimals is not None:
                here = self._has_point(begins[left], ends[left], decimals)
            rows, left = left[here], left[~here]
            if len(rows):
                some = self._decimal(begins[rows], ends[rows], decimals)
                if some is None:
                    return None
                values[rows] = some
        return values

    def _has_point(self, begins: IntArray, ends: IntArray, decimals: int) -> BoolArray:
        return (self._bytes.take(ends - 1 - decimals) == _POINT) & (ends - begins > decimals)

    def _decimal(self, begins: IntArray, ends: IntArray, decimals: int | None) -> FloatArray | None:
        """Return numbers with this many decimals; None means no point."""
        negative = self._bytes.take(begins) == _MINUS
        whole_ends = ends
        if decimals is not None:
            if decimals > MOST_DECIMALS or not self._has_point(begins, ends, decimals).all():
                return None
            whole_ends = ends - 1 - decimals
        whole = self._digits(whole_ends, whole_ends - begins - negative, least=0 if decimals else 1)
        if whole is None:
            return None
        values: Any = whole
        if decimals:
            part = self._digits(ends, np.full(1, decimals), least=1)
            if part is None:
                return None
            values = whole * np.uint64(10**decimals) + part
        values = values.astype(np.float64)
        if decimals:
            values /= 10**decimals
        return np.where(negative, -values, values) if negative.any() else values

    def _digits(self, ends: IntArray, lengths: IntArray, least: int) -> Words | None:
        """Return the whole numbers that end there, or None if one has anything but digits."""
        if lengths.min() < least or lengths.max() > MOST_DIGITS:
            return None
        words = self._windows[ends - 8] & _LAST.take(lengths)
        words |= _NOUGHTS & ~_LAST.take(lengths)
        words -= _NOUGHTS
        if (
            (words | (words + np.uint64(0x7676767676767676))) & np.uint64(0x8080808080808080)
        ).any():
            return None
        # Neighbours are combined: eight digits, four pairs, two fours, one number.
        words = words * np.uint64(10) + (words >> np.uint64(8))
        alternate = np.uint64(0x000000FF000000FF)
        evens = (words & alternate) * np.uint64(0x000F424000000064)
        odds = ((words >> np.uint64(16)) & alternate) * np.uint64(0x0000271000000001)
        return (evens + odds) >> np.uint64(32)

    def topic_blocks(self) -> tuple[list[bytes], list[int]] | None:
        """Return the first column as blocks of equal ids: the ids and the lengths."""
        ids = self.ids(0)
        if ids is None:
            return None
        begins = np.concatenate([[0], ids.changes()])
        lengths = np.diff(begins, append=len(ids))
        return ids.take(begins), lengths.tolist()


# Columns of tokens as numbers --------------------------------------------------------------------

NUMBER = re.compile(rb"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?)", re.IGNORECASE)
UNSURE = re.compile(rb"[_nNxX]")


def all_numbers(tokens: list[bytes]) -> FloatArray | None:
    """Return all tokens as numbers, or None if one is not plainly a number."""
    column = b" ".join(tokens)
    whole = whole_numbers(column)
    if whole is not None and len(whole) == len(tokens):
        return whole.astype(np.float64)
    if UNSURE.search(column):  # Python accepts 1_0, nan and inf; by_line decides on those
        return None
    try:
        return np.array(list(map(float, tokens)))
    except ValueError:
        return None


def whole_numbers(column: bytes) -> IntArray | None:
    """Return short whole numbers separated by one character, or None for anything else.

    >>> whole_numbers(b"12 0 345")
    array([ 12,   0, 345])
    """
    data = np.frombuffer(column, np.uint8) - np.uint8(ord("0"))
    ends = np.concatenate([np.flatnonzero(data > 9), [len(data)]])
    lengths = np.diff(ends, prepend=-1) - 1
    if column.translate(None, b"0123456789 :") or not 0 < lengths.min() <= lengths.max() <= 15:
        return None
    values = np.zeros(len(ends), np.int64)
    for digit in range(int(lengths.max())):
        has = lengths > digit
        values[has] += data[ends[has] - 1 - digit].astype(np.int64) * 10**digit
    return values


# Regularity of a piece ---------------------------------------------------------------------------
#
# These passes over the bytes are the only cost of a regular file before a fast reader takes it.

BLOCK = 1 << 17
"""Number of bytes processed together: the derived arrays then stay in the cache, which is four
times as fast as deriving them for a whole piece."""


def line_count(piece: bytes) -> int:
    """Return the number of lines of a piece; `bytes.count` is three times slower."""
    return int(np.count_nonzero(np.frombuffer(piece, np.uint8) == 10))


def regular_width(piece: bytes) -> int | None:
    """Return the number of columns if single blanks separate them and the total fits, else None.

    This checks a total only, not each line: the fast readers complete the check.
    """
    data = np.frombuffer(piece, np.uint8)
    lines = controls = columns = 0
    for first in range(0, len(data), BLOCK):
        some = data[first : first + BLOCK]
        separators = data[max(first - 1, 0) : first + BLOCK] <= 32
        if (separators[1:] & separators[:-1]).any():
            return None
        columns += int(np.count_nonzero(separators[1:] if first else separators))
        lines += int(np.count_nonzero(some == 10))
        controls += int(np.count_nonzero(some < 32))
    if data[0] <= 32 or controls != lines:
        return None
    width, rest = divmod(columns, lines)
    return None if rest else width


def single_blanks(piece: bytes) -> bytes | None:
    """Return the lines with single blanks between columns, or None if that would lose something."""
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
