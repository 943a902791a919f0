"""Text files of blank-separated columns, read fast and refused precisely.

One reading is the law: `by_line`, plain Python that looks at every line and can say what is wrong
with it. Three quicker readings serve files that are regular, which almost all are: `by_fields` for
short ids and plain numbers, and where there are others `by_tokens` for small files (nothing but
NumPy is imported), `by_polars` for large ones. They only take what they can prove to be regular;
everything else, and every doubt, goes to `by_line`. A property test holds the four together.
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
    from spanwise.model.arrays import FloatArray, IntArray


# The fields of a regular piece, eight bytes at a time. --------------------------------------------
#
# Every field is looked at through windows of eight bytes, one 64-bit number each: ids are kept as
# such numbers, and the digits of a number are added up inside them. Only short ids and plain
# decimal numbers can be had in this way; None says that a column holds something else.

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from spanwise.model.arrays import BoolArray, FloatArray, IntArray

    Words = NDArray[np.uint64]

MOST_WORDS = 4
"""Ids of up to 32 bytes."""
MOST_DIGITS = 8
"""Before the point; with those behind it at most 15, so that a quotient of two exact numbers,
correctly rounded, is what the digits say."""
MOST_DECIMALS = 7
_BEFORE, _AFTER = 24, 8 * MOST_WORDS + 8
_WHOLE = (1 << 64) - 1
_FIRST = np.array([_WHOLE >> (64 - 8 * k) if k else 0 for k in range(9)], np.uint64)
"""What leaves the first k bytes of a window."""
_LAST = np.array([(_WHOLE << (64 - 8 * k)) & _WHOLE for k in range(9)], np.uint64)
_NOUGHTS = np.uint64(0x3030303030303030)
_POINT, _MINUS = ord("."), ord("-")


class Fields:
    """Where the fields of a piece lie; every line must have `width` of them, singly separated."""

    def __init__(self, piece: bytes, width: int) -> None:
        padded = b"".join([bytes(_BEFORE), piece, bytes(_AFTER)])
        self._bytes = np.frombuffer(padded, np.uint8)
        inner = self._bytes[_BEFORE:-_AFTER]
        self._ends: IntArray = np.flatnonzero(inner <= 32).reshape(-1, width)
        self._ends += _BEFORE
        self._windows: Words = np.ndarray((len(padded) - 7,), np.dtype("<u8"), padded, strides=(1,))

    def even(self) -> bool:
        """Whether every line really has as many fields as all have on average."""
        return bool((self._bytes.take(self._ends[:, -1]) == 10).all())

    def _begins(self, column: int) -> IntArray:
        if column:
            return self._ends[:, column - 1] + 1
        return np.concatenate([[_BEFORE], self._ends[:-1, -1] + 1])

    def ids(self, column: int) -> PackedIds | None:
        """A column of ids."""
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
        """A column of numbers such as -12.345, each the nearest to what is written."""
        begins, ends = self._begins(column), self._ends[:, column]
        first = self._bytes[begins[0] : ends[0]].tobytes()
        decimals = len(first) - 1 - first.find(b".") if b"." in first else None
        values = self._decimal(begins, ends, decimals)
        return self._mixed(begins, ends) if values is None else values

    def _mixed(self, begins: IntArray, ends: IntArray) -> FloatArray | None:
        """Numbers with different places of the point, or with none."""
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
        """Numbers with so many digits behind the point; None: with no point."""
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
        """The whole numbers that end there; None if anything but a digit is among them."""
        if lengths.min() < least or lengths.max() > MOST_DIGITS:
            return None
        words = self._windows[ends - 8] & _LAST.take(lengths)
        words |= _NOUGHTS & ~_LAST.take(lengths)
        words -= _NOUGHTS
        if (
            (words | (words + np.uint64(0x7676767676767676))) & np.uint64(0x8080808080808080)
        ).any():
            return None
        # Neighbours are put together: eight digits, four pairs, two fours, one number.
        words = words * np.uint64(10) + (words >> np.uint64(8))
        alternate = np.uint64(0x000000FF000000FF)
        evens = (words & alternate) * np.uint64(0x000F424000000064)
        odds = ((words >> np.uint64(16)) & alternate) * np.uint64(0x0000271000000001)
        return (evens + odds) >> np.uint64(32)

    def stretches(self) -> tuple[list[bytes], list[int]] | None:
        """The first column as stretches of equal ids: which, and how long."""
        ids = self.ids(0)
        if ids is None:
            return None
        begins = np.concatenate([[0], ids.changes()])
        lengths = np.diff(begins, append=len(ids))
        return ids.take(begins), lengths.tolist()


# Columns of tokens as numbers, many at once. ------------------------------------------------------

NUMBER = re.compile(rb"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?)", re.IGNORECASE)
ODD = re.compile(rb"[_nNxX]")


def all_numbers(tokens: list[bytes]) -> FloatArray | None:
    """All tokens as numbers; None if one of them is not plainly one."""
    column = b" ".join(tokens)
    whole = whole_numbers(column)
    if whole is not None and len(whole) == len(tokens):
        return whole.astype(np.float64)
    if ODD.search(column):  # Python reads 1_0, nan and inf; by_line decides on those
        return None
    try:
        return np.array(list(map(float, tokens)))
    except ValueError:
        return None


def whole_numbers(column: bytes) -> IntArray | None:
    """Short whole numbers with one character between them; None if there is anything else.

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


# What is regular about a piece of a file: how many lines, how many columns in each. ---------------
#
# These passes over the bytes are all that a well-made file costs before a quick reader takes it.

BLOCK = 1 << 17
"""Bytes looked at together: the columns derived from them stay in the cache, which is four times
as fast as deriving them of a whole piece."""


def line_count(piece: bytes) -> int:
    """How many lines a piece has; `bytes.count` is three times slower."""
    return int(np.count_nonzero(np.frombuffer(piece, np.uint8) == 10))


def regular_width(piece: bytes) -> int | None:
    """The number of columns, if only single blanks separate them and no line is odd in sum.

    A total, not a proof for each line: the quick readers complete it.
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


# Text files of blank-separated columns, read fast and refused precisely. --------------------------
#
# One reading is the law: `by_line`, plain Python that looks at every line and can say what is wrong
# with it. Three quicker readings serve files that are regular, which almost all are: `by_fields`
# for short ids and plain numbers, and where there are others `by_tokens` for small files (nothing
# but NumPy is imported), `by_polars` for large ones. They only take what they can prove to be
# regular; everything else, and every doubt, goes to `by_line`. A property test holds the four
# together.

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
