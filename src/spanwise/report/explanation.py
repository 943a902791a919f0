"""Why a topic has its score: the ranking row by row, with what a measure makes of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from spanwise.report.tables import Table, as_text

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray, IntArray
    from spanwise.model.rankings import Rankings
    from spanwise.model.readings import Readings

NARROWEST = 8
"""No column of words is made narrower than this."""


@dataclass(frozen=True, slots=True)
class Listing:
    """The results of one topic in order, in words."""

    documents: Sequence[str]
    places: Sequence[str] = ()  # span or path; empty: results are whole documents

    def columns(self) -> list[tuple[str, Sequence[str]]]:
        """Rank, document and place."""
        ranks = [str(rank) for rank in range(1, len(self.documents) + 1)]
        named = [("rank", ranks), ("document", self.documents)]
        return [*named, ("part", self.places)] if self.places else named


def plain_table(listing: Listing) -> Table:
    """The ranking as it is."""
    return table_of(listing, [])


# Text ---------------------------------------------------------------------------------------


def text_table(
    r: Readings,
    listing: Listing,
    skip: bool,
    best: FloatArray | None = None,
    marks: Sequence[str] = (),
) -> Table:
    """Characters read and found, result by result."""
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


def context_table(r: Readings, documents: Sequence[str], scores: FloatArray | None) -> Table:
    """The documents in order of first appearance, with what was shown of each."""
    columns = [
        ("shown", _whole(r.shown[0])),
        ("relevant", _whole(r.found[0])),
        ("of", _whole(r.known[0])),
    ]
    if scores is not None:
        means = np.cumsum(scores[0]) / np.arange(1, r.known.shape[-1] + 1)
        columns += [("score", _shown(scores[0])), ("gP", _shown(means))]
    recall = r.ratio(np.cumsum(r.relevant_place[0]), r.relevant_documents[0])
    columns.append(("gR", _shown(recall)))
    return table_of(Listing(documents), columns)


def level_marks(levels: FloatArray, ranks: IntArray, depth: int) -> list[str]:
    """Beside each rank the levels of recall that take its precision.

    >>> level_marks(np.array([0, 0.01, 0.02, 0.03]), np.array([1, 1, 0, 2]), 2)
    ['< 0.02', '< 0.00-0.01']
    """
    marks = []
    for rank in range(depth):
        mine = levels[ranks == rank]
        ends = f"{mine[0]:.2f}" + (f"-{mine[-1]:.2f}" if len(mine) > 1 else "") if len(mine) else ""
        marks.append(f"< {ends}" if ends else "")
    return marks


# Documents ----------------------------------------------------------------------------------


def grade_table(r: Rankings, listing: Listing, rel: float, averaged: bool = False) -> Table:
    """Grades, and precision and recall up to each rank; for AP also what it has come to."""
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
    """Grades and gains, and the discounted cumulated gain beside that of the best ranking."""
    columns = [
        ("grade", _grades(r)),
        ("gain", [f"{value:g}" for value in gain[0].tolist()]),
        ("DCG", _shown(gained[0])),
        ("ideal DCG", _shown(ideal[0])),
        ("nDCG", _shown(r.ratio(gained[0], ideal[0]))),
    ]
    return table_of(listing, columns)


def _grades(r: Rankings) -> list[str]:
    """The grade of each result; a dash where nobody judged."""
    pairs = zip(r.grade[0].tolist(), r.status[0].tolist(), strict=True)
    return [f"{grade:g}" if status == 1 else "-" for grade, status in pairs]


# Drawing ------------------------------------------------------------------------------------


def _whole(column: IntArray) -> list[str]:
    return [str(value) for value in column.tolist()]


def _shown(column: FloatArray) -> list[str]:
    return ["-" if value != value else f"{value:.4f}" for value in column.tolist()]


def table_of(
    listing: Listing, columns: Sequence[tuple[str, Sequence[str]]], marks: Sequence[str] = ()
) -> Table:
    """Results with columns of numbers; marks stand behind them."""
    every = [*listing.columns(), *columns]
    named = len(every) - len(columns)
    words = tuple(range(1, named))
    if any(marks):
        every.append(("", marks))
        words = (*words, len(every) - 1)
    rows = tuple(zip(*(cells for _, cells in every), strict=True))
    return Table(tuple(title for title, _ in every), rows, words=words)


def cut_after(table: Table, cutoff: Any) -> Table:
    """The same with a line drawn below the last row that a measure looks at."""
    inside = isinstance(cutoff, int) and 0 < cutoff < len(table.rows)
    return replace(table, rules=(cutoff,)) if inside else table


def drawn(table: Table, below: Sequence[str], width: int | None, most: int | None = None) -> str:
    """The table as text, in which long names are shortened until it fits.

    Where even that is not enough it goes on in a second panel below.
    """
    left = len(table.rows) - (len(table.rows) if most is None else most)
    if left > 0:
        below = [f"{left} more row{'s' if left != 1 else ''}", *below]
    table = replace(table, rows=table.rows[:most], below=tuple(below)).written()
    return as_text(table if width is None else _narrowed(table, width), width)


def _narrowed(table: Table, width: int) -> Table:
    names = [column for column in table.words if table.header[column]]
    widths = table.widths()
    excess = sum(widths) + 2 * (len(widths) - 1) - width
    while excess > 0 and any(widths[column] > NARROWEST for column in names):
        widest = max(names, key=lambda column: widths[column])
        widths[widest] -= 1
        excess -= 1

    def cells(row: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(
            _shortened(cell, widths[column]) if column in names else cell
            for column, cell in enumerate(row)
        )

    return replace(table, header=cells(table.header), rows=tuple(map(cells, table.rows)))


def _shortened(name: str, width: int) -> str:
    """A name with dots for its beginning; ends of paths differ most.

    >>> _shortened("/article[1]/sec[2]/p[1]", 12)
    '...c[2]/p[1]'
    """
    return name if len(name) <= width else "..." + name[len(name) - width + 3 :]
