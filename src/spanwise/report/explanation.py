"""Tables that explain a score: the ranking row by row, with each measure's terms."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any
from unicodedata import category, east_asian_width

import numpy as np

from spanwise.report.tables import NARROWEST, Table, as_text, shortened, wrapped

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray, IntArray
    from spanwise.model.element_rankings import NavigationSteps
    from spanwise.model.rankings import Rankings
    from spanwise.model.readings import Readings
    from spanwise.model.spans import Spans

READABLE = 16
"""Minimum width of names; columns of numbers move to a second panel before."""
Columns = Sequence[tuple[str, Sequence[str]]]
"""Titles, each with the cells of its column."""


@dataclass(frozen=True, slots=True)
class Listing:
    """The results of one topic in rank order, as text."""

    documents: Sequence[str]
    places: Sequence[str] = ()  # span or path; empty for whole documents

    def columns(self) -> list[tuple[str, Sequence[str]]]:
        """Return the columns rank, document and, if results are parts, part."""
        ranks = [str(rank) for rank in range(1, len(self.documents) + 1)]
        named = [("rank", ranks), ("document", self.documents)]
        return [*named, ("part", self.places)] if self.places else named


def plain_table(listing: Listing) -> Table:
    """Return a table of the ranking alone."""
    return table_of(listing, [])


# Text ---------------------------------------------------------------------------------------------


def text_table(
    r: Readings,
    listing: Listing,
    skip: bool,
    best: FloatArray | None = None,
    marks: Sequence[str] = (),
) -> Table:
    """Return a table of the characters read and found up to each result."""
    found, read = r.gathered(skip)[0], r.read(skip)[0]
    columns = [
        ("size", _whole(r.size[0])),
        ("relevant", _whole(r.relevant[0])),
        ("new", _whole(r.fresh_relevant[0])),
        ("precision", _shown(r.ratio(found, read, undefined=0))),
        ("recall", _shown(r.ratio(found, r.highlighted[0]))),
    ]
    if best is not None:
        columns.append(("best from here", _shown(best[0])))
    return table_of(listing, columns, marks)


def reading_table(r: Readings, listing: Listing, limit: int) -> Table:
    """Return a table of the characters read and found by a reader who stops at a limit.

    A rule is drawn below the last result of which something is read.
    """
    read = np.minimum(np.cumsum(r.size[0]), limit)
    seen = _read_of(r, np.ones(len(r.pieces.at), np.int64), read)
    found = _read_of(r, r.pieces.relevant.astype(np.int64), read)
    columns = [
        ("size", _whole(r.size[0])),
        ("read", _whole(read)),
        ("again", _whole(np.diff(read - seen, prepend=0))),
        ("relevant", _whole(r.relevant[0])),
        ("new", _whole(np.diff(found, prepend=0))),
        ("precision", _shown(r.ratio(found, read, undefined=0))),
        ("recall", _shown(r.ratio(found, r.highlighted[0]))),
    ]
    reached = int(np.count_nonzero(np.cumsum(r.size[0]) < limit)) + 1
    return cut_after(table_of(listing, columns), reached)


def _read_of(r: Readings, counts: IntArray, read: IntArray) -> IntArray:
    """Sum the counted pieces of one topic up to given numbers of read characters.

    `counts` has 1 for each piece that is counted and 0 for the others.
    """
    at, length = r.pieces.at, r.pieces.length
    if not len(at):
        return np.zeros_like(read)
    last = np.maximum(np.searchsorted(at, read, side="right") - 1, 0)
    before = np.cumsum(length * counts) - length * counts
    begun: IntArray = np.clip(read - at[last], 0, length[last]) * counts[last]
    return before[last] + begun


def context_table(
    r: Readings, documents: Sequence[str], evidence: Columns, scores: FloatArray | None
) -> Table:
    """Return a table of documents in order of first appearance, with their scores."""
    columns = list(evidence)
    if scores is not None:
        means = np.cumsum(scores[0]) / np.arange(1, r.known.shape[-1] + 1)
        columns += [("score", _shown(scores[0])), ("gP", _shown(means))]
    return table_of(Listing(documents), [*columns, ("gR", _shown(_share_of_documents(r)))])


def document_table(r: Readings, documents: Sequence[str]) -> Table:
    """Return a table of documents with document precision and recall."""
    found = np.cumsum(r.relevant_place[0])
    columns = [
        ("relevant", ["yes" if hit else "" for hit in r.relevant_place[0].tolist()]),
        ("precision", _shown(found / np.arange(1, len(found) + 1))),
        ("recall", _shown(_share_of_documents(r))),
    ]
    return table_of(Listing(documents), columns)


def _share_of_documents(r: Readings) -> FloatArray:
    return r.ratio(np.cumsum(r.relevant_place[0]), r.relevant_documents[0])


def shown_of_each(r: Readings) -> Columns:
    """Return columns of shown, relevant shown and all relevant characters by document."""
    return [
        ("shown", _whole(r.shown[0])),
        ("relevant", _whole(r.found[0])),
        ("of", _whole(r.known[0])),
    ]


def entries_of_each(r: Readings) -> Columns:
    """Return columns of the first result's start, the best entry point and their distance."""
    distance = np.where((r.start < 0) | (r.entry < 0), -1, np.abs(r.start - r.entry))
    named = (("start", r.start), ("best entry", r.entry), ("distance", distance))
    return [
        (title, ["-" if value < 0 else str(value) for value in column[0].tolist()])
        for title, column in named
    ]


def read_of_each(r: Readings, tolerance: float) -> Columns:
    """Return columns of the characters read in each document until the tolerance is used up.

    Characters are undefined in documents without highlighted text.
    """
    relevant, others = (
        np.where(r.relevant_place, column, np.nan)[0] for column in r.read_until(tolerance)
    )
    return [
        ("shown", _whole(r.shown[0])),
        ("relevant read", _shown(relevant, digits=0)),
        ("others read", _shown(others, digits=0)),
    ]


def level_marks(levels: FloatArray, ranks: IntArray, depth: int) -> list[str]:
    """Return for each rank the levels of recall that use its precision.

    >>> level_marks(np.array([0, 0.01, 0.02, 0.03]), np.array([1, 1, 0, 2]), 2)
    ['< 0.02', '< 0.00-0.01']
    """
    marks = []
    for rank in range(depth):
        mine = levels[ranks == rank].tolist()
        ends = [level_name(level) for level in (mine[:1] + mine[1:][-1:])]
        marks.append(f"< {'-'.join(ends)}" if ends else "")
    return marks


def level_name(level: float) -> str:
    """Format a level of recall with two decimals, or with more if needed.

    >>> level_name(0.1), level_name(0.125)
    ('0.10', '0.125')
    """
    name = f"{level:.2f}"
    return name if float(name) == level else f"{level:.12g}"


# Documents ----------------------------------------------------------------------------------------


def grade_table(r: Rankings, listing: Listing, rel: float, averaged: bool = False) -> Table:
    """Return a table of grades, precision and recall, for AP also the running average."""
    precision = r.ratio(r.found(rel)[0], r.ranks)
    relevant = int(r.relevant(rel)[0])
    columns = [
        ("grade", _grades(r)),
        ("relevant", ["yes" if hit else "" for hit in r.hits(rel)[0].tolist()]),
        ("precision", _shown(precision)),
        ("recall", _shown(r.ratio(r.found(rel)[0], relevant))),
    ]
    if averaged:
        sums = np.cumsum(np.where(r.hits(rel)[0], precision, 0))
        columns.append(("AP so far", _shown(r.ratio(sums, relevant))))
    return table_of(listing, columns)


def gain_table(
    r: Rankings, listing: Listing, gain: FloatArray, gained: FloatArray, ideal: FloatArray
) -> Table:
    """Return a table of grades, gains, and cumulated gain beside the ideal."""
    columns = [
        ("grade", _grades(r)),
        ("gain", [f"{value:g}" for value in gain[0].tolist()]),
        ("DCG", _shown(gained[0])),
        ("ideal DCG", _shown(ideal[0])),
        ("nDCG", _shown(r.ratio(gained[0], ideal[0]))),
    ]
    return table_of(listing, columns)


def _grades(r: Rankings) -> list[str]:
    """Return the grade of each result, or a dash if it is unjudged."""
    pairs = zip(r.grade[0].tolist(), r.status[0].tolist(), strict=True)
    return [f"{grade:g}" if status == 1 else "-" for grade, status in pairs]


# Drawing ------------------------------------------------------------------------------------------


def _whole(column: IntArray) -> list[str]:
    return [str(value) for value in column.tolist()]


def _shown(column: FloatArray, digits: int = 4) -> list[str]:
    """Format numbers with decimals; undefined ones become a dash."""
    return ["-" if value != value else f"{value:.{digits}f}" for value in column.tolist()]


def table_of(listing: Listing, columns: Columns, marks: Sequence[str] = ()) -> Table:
    """Combine results with columns of numbers, and with marks behind them."""
    every = [*listing.columns(), *columns]
    named = len(every) - len(columns)
    words = tuple(range(1, named))
    attached = frozenset[int]()
    if any(marks):
        words, attached = (*words, len(every)), frozenset([len(every)])
        every.append(("", marks))
    rows = tuple(zip(*(cells for _, cells in every), strict=True))
    return Table(tuple(title for title, _ in every), rows, words=words, attached=attached)


def cut_after(table: Table, cutoff: Any) -> Table:
    """Draw a rule below the last row that a measure considers."""
    inside = isinstance(cutoff, int) and 0 < cutoff < len(table.rows)
    return replace(table, rules=(cutoff,)) if inside else table


def drawn(table: Table, below: Sequence[str], width: int | None, most: int | None = None) -> str:
    """Draw a table as text, shortening long names until it fits.

    If that is not enough, the numbers continue in a second panel below, beside the ranks.
    """
    left = len(table.rows) - (len(table.rows) if most is None else most)
    if left > 0:
        below = [f"{left} more row{'s' if left != 1 else ''}", *below]
    table = replace(table, rows=table.rows[:most], below=tuple(below)).written()
    return as_text(table if width is None else _narrowed(table, width), width)


def _narrowed(table: Table, width: int) -> Table:
    names = [column for column in table.words if table.header[column]]
    widths = table.widths()
    least = [min(w, READABLE) if column in names else w for column, w in enumerate(widths)]
    side_by_side = range(len(widths)) if sum(least) + 2 * (len(least) - 1) <= width else [0, *names]
    excess = sum(widths[column] + 2 for column in side_by_side) - 2 - width
    while excess > 0 and any(widths[column] > NARROWEST for column in names):
        widest = max(names, key=lambda column: widths[column])
        widths[widest] -= 1
        excess -= 1

    def cells(row: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(
            shortened(cell, widths[column]) if column in names else cell
            for column, cell in enumerate(row)
        )

    return replace(table, header=cells(table.header), rows=tuple(map(cells, table.rows)))


# Elements -----------------------------------------------------------------------------------------

GAIN_WORDS = (
    "value: quantised grade; case: text shown before: none, part (in characters) or all"
    " (blank: value 0); earns: value without text shown before; bound: deduction because"
    " the gain of the ideal element is used up; ideal: cumulated gain of the ideal run"
)


@dataclass(frozen=True, slots=True)
class Earnings:
    """The gains of one topic, rank by rank."""

    value: FloatArray
    cases: Sequence[str]  # of the gain function; empty if overlap is ignored
    seen: Sequence[int]  # characters shown before, if only a part was
    bare: FloatArray  # before the bound
    gain: FloatArray
    gained: FloatArray  # cumulated
    best: FloatArray  # cumulated gain of the ideal run


def _characters(column: Any) -> list[str]:
    """Format numbers of characters; unknown numbers become a dash."""
    return ["-" if value < 0 else str(value) for value in column.tolist()]


def earnings_table(earned: Earnings, listing: Listing, last: str, quotient: FloatArray) -> Table:
    """Return a table of the value and gain of every result beside the ideal run."""
    lost = earned.bare - earned.gain
    cases = [
        f"{case} {seen}" if case == "partly" else case
        for case, seen in zip(earned.cases, earned.seen, strict=False)
    ]
    columns = [
        ("value", _shown(earned.value)),
        *([("case", cases)] if cases else []),
        ("earns", _shown(earned.bare)),
        ("bound", [f"-{value:.4f}" if value > 0 else "" for value in lost.tolist()]),
        ("gain", _shown(earned.gain)),
        ("xCG", _shown(earned.gained)),
        ("ideal", _shown(earned.best)),
        (last, _shown(quotient)),
    ]
    return table_of(listing, columns)


def chance_table(listing: Listing, chance: FloatArray, level: Sequence[int]) -> Table:
    """Return a table of probabilities of relevance with their running sums."""
    columns = [
        ("level", [str(1 + number - level[0]) for number in level]),
        ("value", _shown(chance)),
        ("relevant", _shown(np.cumsum(chance))),
        ("not", _shown(np.cumsum(1 - chance))),
    ]
    return table_of(listing, columns)


def columns_table(listing: Listing, columns: Sequence[tuple[str, Any]]) -> Table:
    """Return a table of any columns; integers are numbers of characters."""
    return table_of(
        listing,
        [
            (name, _characters(column) if np.asarray(column).dtype.kind == "i" else _shown(column))
            for name, column in columns
        ],
    )


def flag_table(listing: Listing, name: str, flags: Any) -> Table:
    """Return a table with "yes" beside the flagged results."""
    return table_of(listing, [(name, ["yes" if flag else "" for flag in flags.tolist()])])


# User models --------------------------------------------------------------------------------------


def navigation_table(
    navigation: NavigationSteps,
    ranks: IntArray,
    targets: IntArray,
    new: FloatArray,
    listing: Listing,
) -> Table:
    """Return a table of the targets reached from each result and the expected discoveries.

    `new` is the increase at a rank of the probability of having seen a target.
    """
    size = navigation.results + 1
    count = np.bincount(navigation.rank, minlength=size)[1:]
    chance = np.zeros(size)
    np.maximum.at(chance, navigation.rank, navigation.chance)
    fresh: FloatArray = np.bincount(ranks, weights=new, minlength=size)[1:].astype(np.float64)
    worth = np.bincount(ranks, weights=new * navigation.worth[targets], minlength=size)[1:]
    total = float(navigation.worth.sum())
    recall = np.cumsum(worth) / total if total else np.full(size - 1, np.nan)
    columns = [
        ("targets", [str(number) if number else "" for number in count.tolist()]),
        ("chance", _shown_share(chance[1:], count)),
        ("new", _shown_share(fresh, count)),
        ("GR", [f"{value:.4f}" for value in recall.tolist()]),
    ]
    return table_of(listing, columns)


def entry_table(navigation: NavigationSteps, listing: Listing) -> Table:
    """Return a table of the distances of first results to their documents' entry points."""
    _, first = np.unique(navigation.target, return_index=True)  # pairs come by rank
    near = np.zeros(navigation.results)
    near[navigation.rank[first] - 1] = navigation.chance[first]
    counts = np.bincount(navigation.rank[first] - 1, minlength=navigation.results)
    total = len(navigation.worth)
    so_far = np.cumsum(near) / total if total else np.full(navigation.results, np.nan)
    columns = [
        ("score", _shown_share(near, counts)),
        ("BEPD", [f"{value:.4f}" for value in so_far.tolist()]),
    ]
    return table_of(listing, columns)


def _shown_share(column: FloatArray, count: IntArray) -> list[str]:
    """Format numbers; results without targets get an empty cell."""
    pairs = zip(column.tolist(), count.tolist(), strict=True)
    return [f"{value:.4f}" if number else "" for value, number in pairs]


# Marked text --------------------------------------------------------------------------------------
#
# On a terminal the marks are colours, elsewhere rulers below the lines. Unmarked text is shown only
# beside marked text; the middle of long passages is replaced by the number of its characters.

NOTHING, RETRIEVED, RELEVANT = 0, 1, 2
RULER = {NOTHING: " ", RETRIEVED: "-", RELEVANT: "~", RETRIEVED | RELEVANT: "="}
COLOUR = {NOTHING: "", RETRIEVED: "33", RELEVANT: "4;31", RETRIEVED | RELEVANT: "1;32"}
WORDS = {
    RETRIEVED | RELEVANT: "relevant and retrieved",
    RELEVANT: "relevant, not retrieved",
    RETRIEVED: "retrieved, not relevant",
}
BESIDE = 80
"""Characters shown on each side of a cut through unmarked text."""
WITHIN = 240
"""Characters shown on each side of a cut through marked text."""


@dataclass(frozen=True, slots=True)
class Marked:
    """A document of a topic, with its text and marks."""

    title: str
    length: int
    retrieved: Spans
    relevant: Spans  # disjoint and sorted
    read: Callable[[int, int], str]  # returns the text at a start with a length

    def segments(self) -> Iterator[tuple[int, int, int]]:
        """Yield the start, end and mark of each segment with constant marks."""
        bounds = {0, self.length}
        spans = [(RETRIEVED, self.retrieved), (RELEVANT, self.relevant)]
        pieces = [
            (mark, min(start, self.length), min(end, self.length))
            for mark, some in spans
            for start, end in zip(some.starts.tolist(), some.ends.tolist(), strict=True)
            if 0 <= start < end
        ]
        steps: dict[int, list[tuple[int, int]]] = {}
        for mark, start, end in pieces:
            bounds |= {start, end}
            steps.setdefault(start, []).append((mark, 1))
            steps.setdefault(end, []).append((mark, -1))
        depth = {RETRIEVED: 0, RELEVANT: 0}
        for start, end in pairwise(sorted(bounds)):
            for mark, step in steps.get(start, ()):
                depth[mark] += step
            yield start, end, sum(mark for mark, count in depth.items() if count)


def shown(documents: Sequence[Marked], width: int, colour: bool, page: int | None = None) -> str:
    """Render the documents one after the other, below a legend of the marks.

    Lines of text have at most `width` columns; legend and titles have those of `page`, or any
    length if it is None.
    """
    lines = [_legend(colour)] if colour else wrapped(_legend(colour), page)
    for one in documents:
        cells = [cell for part in _parts(one) for cell in part]
        lines += ["", *wrapped(one.title, page), *_wrapped(cells, width, colour)]
    return "\n".join(lines) + "\n"


def _legend(colour: bool) -> str:
    if colour:
        return "marks: " + ", ".join(_coloured(word, mark) for mark, word in WORDS.items())
    return "marks: " + ", ".join(f"{RULER[mark]} {word}" for mark, word in WORDS.items())


Cell = tuple[str, int]
"""A character and its mark."""


def _parts(one: Marked) -> Iterator[list[Cell]]:
    """Yield the text as characters with marks; white space becomes one space."""
    segments = list(one.segments())
    blank = True
    for number, (start, end, mark) in enumerate(segments):
        keep = WITHIN if mark else BESIDE
        head = 0 if not mark and number == 0 else keep
        tail = 0 if not mark and number == len(segments) - 1 else keep
        if end - start > head + tail + keep:
            pieces = [one.read(start, head), f"[... {end - start - head - tail:,} characters ...]"]
            pieces.append(one.read(end - tail, tail))
            marks = [mark, NOTHING, mark]
        else:
            pieces, marks = [one.read(start, end - start)], [mark]
        for place, (piece, its) in enumerate(zip(pieces, marks, strict=True), start=1):
            cells, blank = _cells(piece, its, blank)
            yield cells
            if place < len(pieces) and not blank:
                yield [(" ", NOTHING)]
                blank = True


def _cells(text: str, mark: int, blank: bool) -> tuple[list[Cell], bool]:
    """Return the characters with a mark, dropping a space after a space."""
    cells: list[Cell] = []
    for character in text:
        if character.isspace():
            if not blank:
                cells.append((" ", mark))
            blank = True
        else:
            cells.append((character if character.isprintable() else "\ufffd", mark))
            blank = False
    return cells, blank


def _wrapped(cells: list[Cell], width: int, colour: bool) -> Iterator[str]:
    """Yield lines no longer than the width, broken at spaces if possible."""
    start = 0
    while start < len(cells):
        end, used, fits = start, 0, start
        while end < len(cells) and used + _columns(cells[end][0]) <= width:
            used += _columns(cells[end][0])
            end += 1
            if cells[end - 1][0] == " ":
                fits = end
        if end < len(cells) and cells[end][0] != " " and fits > start:
            end = fits
        end = max(end, start + 1)
        yield from _line(cells[start:end], colour)
        start = end + (end < len(cells) and cells[end][0] == " ")


def _line(cells: list[Cell], colour: bool) -> Iterator[str]:
    """Yield the coloured line, or the plain line followed by its ruler."""
    while cells and cells[-1][0] == " ":
        cells = cells[:-1]
    if colour:
        yield "  " + "".join(_coloured(text, mark) for text, mark in _runs(cells))
        return
    yield "  " + "".join(character for character, _ in cells)
    ruler = "".join(RULER[mark] * _columns(character) for character, mark in cells).rstrip()
    if ruler:
        yield "  " + ruler


def _runs(cells: list[Cell]) -> Iterator[Cell]:
    text, before = "", NOTHING
    for character, mark in cells:
        if mark != before and text:
            yield text, before
            text = ""
        text, before = text + character, mark
    if text:
        yield text, before


def _coloured(text: str, mark: int) -> str:
    return f"\x1b[{COLOUR[mark]}m{text}\x1b[0m" if COLOUR[mark] else text


def _columns(character: str) -> int:
    """Return the number of terminal columns that a character occupies."""
    if character.isascii():
        return 1
    if category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if east_asian_width(character) in "WF" else 1
