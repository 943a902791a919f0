"""A table once, drawn as text, Markdown or LaTeX."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from spanwise.report.cells import filled, room_of, shortened, visible, wrapped

Cell = tuple[int, int]
"""Row and column."""


@dataclass(frozen=True, slots=True)
class Table:
    """Cells as text. The first column is words, all others are numbers, unless it is said."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    below: tuple[str, ...] = ()  # lines of explanation
    rules: tuple[int, ...] = ()  # a line is drawn before these rows
    words: tuple[int, ...] = (0,)  # columns of words, which stand to the left
    bold: frozenset[Cell] = frozenset()
    marks: Mapping[Cell, str] = field(default_factory=dict)  # raised, behind the cell's text
    attached: frozenset[int] = frozenset()  # columns that say something about the one before

    def widths(self) -> list[int]:
        """The widest cell of every column."""
        return [max(map(room_of, column)) for column in zip(self.header, *self.rows, strict=True)]

    def written(
        self,
        change: Callable[[str], str] = str,
        bold: Callable[[str], str] = str,
        raised: Callable[[str, int], str] = lambda mark, _: mark,
    ) -> Table:
        """The same with every cell changed and all control characters escaped.

        `bold` and `raised` then set apart what is bold and what is a mark; a mark is given the
        number of its column.
        """

        def cell(text: str, place: Cell) -> str:
            changed = change(visible(text))
            shown = bold(changed) if place in self.bold else changed
            return shown + raised(self.marks.get(place, ""), place[1])

        rows = tuple(
            tuple(cell(text, (number, column)) for column, text in enumerate(row))
            for number, row in enumerate(self.rows)
        )
        header = tuple(change(visible(text)) for text in self.header)
        return replace(self, header=header, rows=rows, below=tuple(map(visible, self.below)))

    def mark_widths(self) -> list[int]:
        """The room that marks need in every column."""
        widths = [0] * len(self.header)
        for (_, column), mark in self.marks.items():
            widths[column] = max(widths[column], len(mark))
        return widths


BOLD = "\x1b[1m{}\x1b[0m"


def as_text(table: Table, width: int | None = None, styled: bool = False) -> str:
    """Aligned columns; where they do not fit, the table goes on in a second panel below.

    Long names are shortened until a column of numbers fits beside them. Only a terminal that can
    be `styled` shows what is bold.
    """
    room = table.mark_widths()
    table = table.written(raised=lambda mark, column: mark.ljust(room[column]))
    if width is not None:
        table = _narrowed(table, width)
    panels = [_panel(table, columns, styled) for columns in _fitting(table, width)]
    below = [line for text in table.below for line in wrapped(text, width)]
    return "\n\n".join(panels) + "".join(f"\n{line}" for line in ("", *below)) + "\n"


NARROWEST = 8
"""No column of words is made narrower than this."""


def _keys(table: Table) -> list[int]:
    """The first columns, which say what a row is about."""
    named = 0
    while named in table.words and named < len(table.header) - 1:
        named += 1
    return list(range(max(named, 1)))


def _narrowed(table: Table, width: int) -> Table:
    """The same with names so short that one more column fits, if that is possible."""
    keys, widths = _keys(table), table.widths()
    widest = max(widths[len(keys) :], default=0)
    excess = sum(widths[key] + 2 for key in keys) + widest - width
    while excess > 0 and any(widths[key] > NARROWEST for key in keys):
        widths[max(keys, key=lambda key: widths[key])] -= 1
        excess -= 1

    def row(cells: tuple[str, ...]) -> tuple[str, ...]:
        names = (shortened(cells[key], widths[key], widths[key] // 3) for key in keys)
        return (*names, *cells[len(keys) :])

    return replace(table, header=row(table.header), rows=tuple(map(row, table.rows)))


def _fitting(table: Table, width: int | None) -> list[list[int]]:
    """Groups of columns that fit side by side, each with those that say what a row is about."""
    widths, keys = table.widths(), _keys(table)
    if width is None:
        return [list(range(len(widths)))]
    taken = sum(widths[key] + 2 for key in keys) - 2
    panels, used = [list(keys)], taken
    for group in _groups(table, len(keys), width - taken):
        needed = sum(2 + widths[column] for column in group)
        if used + needed > width and len(panels[-1]) > len(keys):
            panels.append(list(keys))
            used = taken
        panels[-1] += group
        used += needed
    return panels


def _groups(table: Table, first: int, room: int) -> list[list[int]]:
    """Columns from the first on, each with those attached to it, where there is room for them."""
    groups: list[list[int]] = []
    widths = table.widths()
    for column in range(first, len(widths)):
        fits = groups and sum(2 + widths[n] for n in (*groups[-1], column)) <= room
        if fits and column in table.attached:
            groups[-1].append(column)
        else:
            groups.append([column])
    return groups


def _panel(table: Table, columns: list[int], styled: bool) -> str:
    widths = table.widths()

    def drawn(cells: Sequence[str], column: int, row: int) -> str:
        text, width = cells[column], widths[column]
        padded = filled(text, width, right=column not in table.words)
        set_apart = styled and (row, column) in table.bold
        return padded.replace(text, BOLD.format(text)) if set_apart else padded

    def line(cells: Sequence[str], row: int = -1) -> str:
        return "  ".join(drawn(cells, column, row) for column in columns).rstrip()

    rule = "-" * (sum(widths[column] for column in columns) + 2 * (len(columns) - 1))
    lines = [line(table.header), rule]
    for number, row in enumerate(table.rows):
        lines += [rule] if number in table.rules else []
        lines.append(line(row, number))
    return "\n".join(lines)


SPECIAL = re.compile(
    r"[*`~$]|<(?=\S)|\\(?=[!-/:-@\[-`{-~])"  # markup anywhere; a backslash that would escape
    r"|\](?=[(\[])|&(?=#?\w+;)"  # links and entities
    r"|(?<![^\W_])_|_(?![^\W_])"  # at the edge of a word
)
AT_FIRST = re.compile(r"^(\d*)([#>+.)-])")  # headings, quotes and lists


def _for_markdown(text: str) -> str:
    """What would be taken for markup is escaped."""
    return SPECIAL.sub(lambda found: "\\" + found[0], text)


def _in_cell(text: str) -> str:
    return _for_markdown(text).replace("|", "\\|")


def _in_line(text: str) -> str:
    return AT_FIRST.sub(r"\1\\\2", _for_markdown(text))


def as_markdown(table: Table) -> str:
    """A table as GitHub and most other sites render it."""
    table = table.written(_in_cell, "**{}**".format)
    widths = [max(width, 4) for width in table.widths()]

    def line(cells: Sequence[str]) -> str:
        every = (
            filled(cell, widths[n], right=n not in table.words) for n, cell in enumerate(cells)
        )
        return "| " + " | ".join(every) + " |"

    marks = ["-" * (w - 1) + ("-" if n in table.words else ":") for n, w in enumerate(widths)]
    lines = [line(table.header), "| " + " | ".join(marks) + " |", *map(line, table.rows)]
    below = "".join(f"\n{_in_line(line)}  " for line in table.below)
    return "\n".join(lines) + "\n" + below + "\n"
