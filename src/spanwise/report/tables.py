"""A table once, drawn as text, Markdown or LaTeX."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from unicodedata import category


@dataclass(frozen=True, slots=True)
class Table:
    """Cells as text. The first column is words, all others are numbers, unless it is said."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    below: tuple[str, ...] = ()  # lines of explanation
    rules: tuple[int, ...] = ()  # a line is drawn before these rows
    words: tuple[int, ...] = (0,)  # columns of words (as text only)

    def widths(self) -> list[int]:
        """The widest cell of every column."""
        return [max(map(len, column)) for column in zip(self.header, *self.rows, strict=True)]

    def written(self, change: Callable[[str], str] = str) -> Table:
        """The same with every cell changed and all control characters escaped."""

        def cells(row: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(change(visible(cell)) for cell in row)

        below = tuple(map(visible, self.below))
        return Table(
            cells(self.header), tuple(map(cells, self.rows)), below, self.rules, self.words
        )


def visible(text: str) -> str:
    r"""A name as a terminal may be shown it: control characters would be obeyed.

    >>> print(visible("a\x1b[1m"))
    a\x1b[1m
    """
    return "".join(repr(c)[1:-1] if category(c) == "Cc" else c for c in text)


def as_text(table: Table, width: int | None = None) -> str:
    """Aligned columns; where they do not fit, the table goes on in a second panel below."""
    table = table.written()
    panels = [_panel(table, columns) for columns in _fitting(table.widths(), width)]
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


def _panel(table: Table, columns: list[int]) -> str:
    widths = table.widths()

    def line(cells: Sequence[str]) -> str:
        drawn = [
            cells[column].ljust(widths[column])
            if column in table.words
            else cells[column].rjust(widths[column])
            for column in columns
        ]
        return "  ".join(drawn).rstrip()

    rule = "-" * (sum(widths[column] for column in columns) + 2 * (len(columns) - 1))
    lines = [line(table.header), rule]
    for number, row in enumerate(table.rows):
        lines += [rule] if number in table.rules else []
        lines.append(line(row))
    return "\n".join(lines)


def as_markdown(table: Table) -> str:
    """A table as GitHub and most other sites render it."""
    table = table.written(lambda cell: cell.replace("|", "\\|"))
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


def as_latex(table: Table) -> str:
    """A table for the booktabs package."""
    table = table.written(lambda cell: "".join(LATEX.get(c, c) for c in cell))

    def line(cells: Sequence[str]) -> str:
        return " & ".join(cells) + r" \\"

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
