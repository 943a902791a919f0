"""A table once, drawn as text, Markdown or LaTeX."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from unicodedata import category

Cell = tuple[int, int]
"""Row and column."""


@dataclass(frozen=True, slots=True)
class Table:
    """Cells as text. The first column is words, all others are numbers, unless it is said."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    below: tuple[str, ...] = ()  # lines of explanation
    rules: tuple[int, ...] = ()  # a line is drawn before these rows
    words: tuple[int, ...] = (0,)  # columns of words (as text only)
    bold: frozenset[Cell] = frozenset()
    marks: Mapping[Cell, str] = field(default_factory=dict)  # raised, behind the cell's text

    def widths(self) -> list[int]:
        """The widest cell of every column."""
        return [max(map(len, column)) for column in zip(self.header, *self.rows, strict=True)]

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


def visible(text: str) -> str:
    r"""A name as a terminal may be shown it: control characters would be obeyed.

    >>> print(visible("a\x1b[1m"))
    a\x1b[1m
    """
    return "".join(repr(c)[1:-1] if category(c) == "Cc" else c for c in text)


BOLD = "\x1b[1m{}\x1b[0m"


def as_text(table: Table, width: int | None = None, styled: bool = False) -> str:
    """Aligned columns; where they do not fit, the table goes on in a second panel below.

    Only a terminal that can be `styled` shows what is bold.
    """
    room = table.mark_widths()
    table = table.written(raised=lambda mark, column: mark.ljust(room[column]))
    panels = [_panel(table, columns, styled) for columns in _fitting(table.widths(), width)]
    return "\n\n".join(panels) + "".join(f"\n{line}" for line in ("", *table.below)) + "\n"


def _fitting(widths: Sequence[int], width: int | None) -> list[list[int]]:
    """Groups of columns that fit side by side, each with the first column."""
    if width is None:
        return [list(range(len(widths)))]
    panels, used = [[0]], widths[0]
    for column, needed in list(enumerate(widths))[1:]:
        if used + 2 + needed > width and len(panels[-1]) > 1:
            panels.append([0])
            used = widths[0]
        panels[-1].append(column)
        used += 2 + needed
    return panels


def _panel(table: Table, columns: list[int], styled: bool) -> str:
    widths = table.widths()

    def drawn(cells: Sequence[str], column: int, row: int) -> str:
        text, width = cells[column], widths[column]
        padded = text.ljust(width) if column in table.words else text.rjust(width)
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


SPECIAL = re.compile(r"[|*`<]|\\(?=[!-/:-@\[-`{-~])")


def _for_markdown(cell: str) -> str:
    """What would be taken for markup is escaped; so is a backslash that would escape."""
    return SPECIAL.sub(lambda found: "\\" + found[0], cell)


def as_markdown(table: Table) -> str:
    """A table as GitHub and most other sites render it."""
    table = table.written(_for_markdown, "**{}**".format)
    widths = [max(width, 4) for width in table.widths()]

    def line(cells: Sequence[str]) -> str:
        first = cells[0].ljust(widths[0])
        rest = [cell.rjust(width) for cell, width in zip(cells[1:], widths[1:], strict=True)]
        return "| " + " | ".join([first, *rest]) + " |"

    marks = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    lines = [line(table.header), "| " + " | ".join(marks) + " |", *map(line, table.rows)]
    return "\n".join(lines) + "\n" + "".join(f"\n{line}  " for line in table.below) + "\n"


LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "|": r"\textbar{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    **{character: "\\" + character for character in "&%$#_{}"},
}


RAISED = {"†": r"\dagger", "‡": r"\ddagger"}


def as_latex(table: Table) -> str:
    """A table for the booktabs package."""
    table = table.written(
        lambda cell: "".join(LATEX.get(c, c) for c in cell),
        r"\textbf{{{}}}".format,
        lambda mark, _: f"$^{{{RAISED.get(mark, mark)}}}$" if mark else "",
    )

    def line(cells: Sequence[str]) -> str:
        shield = "{}" if cells[0][:1] in ("[", "*") else ""  # they would belong to the line before
        return shield + " & ".join(cells) + r" \\"

    body: list[str] = []
    for number, row in enumerate(table.rows):
        body += [r"\midrule"] if number in table.rules else []
        body.append(line(row))
    comments = [f"% {text}" for text in table.below]
    return "\n".join(
        [
            *comments,
            r"\begin{tabular}{l" + "r" * (len(table.header) - 1) + "}",
            r"\toprule",
            line(table.header),
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            "",
        ]
    )
