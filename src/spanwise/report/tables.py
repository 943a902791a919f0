"""Tables, drawn as text, Markdown or LaTeX.

A table is built once. As text it is fitted to the width of a terminal: names are shortened, and
columns that do not fit continue in further panels.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from unicodedata import category, combining, east_asian_width, normalize

# Text on terminals --------------------------------------------------------------------------------

CONTROLS = {"Cc", "Zl", "Zp"}
"""Unicode categories of control characters and line separators."""
DIRECTION_MARKS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def counted(number: int, what: str) -> str:
    """Return a number with a noun in the singular or plural.

    >>> counted(1, "topic"), counted(2, "topic")
    ('1 topic', '2 topics')
    """
    return f"{number} {what}{'s' if number != 1 else ''}"


def visible(text: str) -> str:
    r"""Return a text whose control characters are escaped for terminals.

    >>> print(visible("a\x1b[1m"))
    a\x1b[1m
    """
    if text.isprintable():
        return text
    return "".join(
        c.encode("ascii", "backslashreplace").decode()
        if c in DIRECTION_MARKS
        else repr(c)[1:-1]
        if category(c) in CONTROLS
        else c
        for c in text
    )


def display_width(text: str) -> int:
    """Return the number of columns of a text: wide letters take two, combining marks none.

    >>> display_width("abc"), display_width("日本"), display_width("e\u0301")
    (3, 4, 1)
    """
    if text.isascii():
        return len(text)
    return sum(2 if east_asian_width(c) in "WF" else 1 for c in text if not combining(c))


def padded(text: str, width: int, *, right: bool = False) -> str:
    """Pad a text with spaces to a number of columns."""
    blanks = " " * (width - display_width(text))
    return blanks + text if right else text + blanks


def shortened(name: str, width: int, head: int = 0) -> str:
    """Shorten a name to a width, dropping the letters after its first `head` ones.

    The end is kept, because ends of paths and of names differ most.

    >>> shortened("/article[1]/sec[2]/p[1]", 12)
    '...c[2]/p[1]'
    >>> shortened("precision at 2,000", 12, head=3)
    'pre... 2,000'
    """
    if display_width(name) <= width:
        return name
    start = name[: max(head, 0)]
    first = len(name)
    while first > len(start) and display_width(start + name[first - 1 :]) <= width - 3:
        first -= 1
    return start + "..." + name[first:]


def wrapped(line: str, width: int | None, indent: str = "  ") -> list[str]:
    """Wrap a sentence to a width; words are never broken, so that they can be copied."""
    if width is None or display_width(line) <= width:
        return [line]
    return textwrap.wrap(
        line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


# Tables as text and Markdown ----------------------------------------------------------------------

Cell = tuple[int, int]
"""The row and the column of a cell."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table of text cells; the first column is words and all others are numbers by default."""

    header: tuple[str, ...]  # a newline begins a second line, where a layout has one
    rows: tuple[tuple[str, ...], ...]
    below: tuple[str, ...] = ()  # lines of explanation
    rules: tuple[int, ...] = ()  # a line is drawn before these rows
    words: tuple[int, ...] = (0,)  # columns of words, aligned left
    bold: frozenset[Cell] = frozenset()
    marks: Mapping[Cell, str] = field(default_factory=dict)  # superscripts behind the cell's text
    attached: frozenset[int] = frozenset()  # columns that belong to the one before

    def widths(self) -> list[int]:
        """Return the width of the widest cell of every column."""
        lines = (*self.header_lines(), *self.rows)
        return [max(map(display_width, column)) for column in zip(*lines, strict=True)]

    def header_lines(self) -> list[tuple[str, ...]]:
        """Return the lines of the header, the last of which stands above the rows."""
        most = max(cell.count("\n") for cell in self.header)
        lines = [(["", *cell.split("\n")])[-most - 1 :] for cell in self.header]
        repeated = [before[:-1] == here[:-1] for before, here in pairwise([[""], *lines])]
        shown = [
            ["" if again else one for one in here[:-1]] + here[-1:]
            for here, again in zip(lines, repeated, strict=True)
        ]
        return list(zip(*shown, strict=True))

    def written(
        self,
        change: Callable[[str], str] = str,
        bold: Callable[[str], str] = str,
        raised: Callable[[str, int], str] = lambda mark, _: mark,
    ) -> Table:
        """Return the table with every cell changed and all control characters escaped.

        `bold` and `raised` then format bold cells and marks; `raised` is called with a mark and the
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
        header = tuple(
            "\n".join(change(visible(line)) for line in text.split("\n")) for text in self.header
        )
        return replace(self, header=header, rows=rows, below=tuple(map(visible, self.below)))

    def in_one_line(self) -> Table:
        """Return the table with a header of one line."""
        return replace(self, header=tuple(" ".join(cell.split()) for cell in self.header))

    def mark_widths(self) -> list[int]:
        """Return the width of the widest mark of every column."""
        widths = [0] * len(self.header)
        for (_, column), mark in self.marks.items():
            widths[column] = max(widths[column], len(mark))
        return widths


BOLD = "\x1b[1m{}\x1b[0m"


def as_text(table: Table, width: int | None = None, styled: bool = False) -> str:
    """Draw aligned columns; those that do not fit continue in a second panel below.

    Long names are shortened until a column of numbers fits beside them. Bold type is shown only on
    a terminal that can be `styled`.
    """
    room = table.mark_widths()
    table = table.written(raised=lambda mark, column: mark.ljust(room[column]))
    if width is not None:
        table = _narrowed(table, width)
    panels = [_panel(table, columns, styled) for columns in _fitting(table, width)]
    below = [line for text in table.below for line in wrapped(text, width)]
    return "\n\n".join(panels) + "".join(f"\n{line}" for line in ("", *below)) + "\n"


NARROWEST = 8
"""Minimum width of a column of words."""


def _keys(table: Table) -> list[int]:
    """Return the first columns, which identify a row."""
    named = 0
    while named in table.words and named < len(table.header) - 1:
        named += 1
    return list(range(max(named, 1)))


NARROW = 24
"""Minimum width of a column of words that is shortened for columns that belong together."""


def _together(table: Table, keys: Sequence[int]) -> list[list[int]]:
    """Group the columns of numbers that belong together."""
    groups: list[list[int]] = []
    for column in range(len(keys), len(table.header)):
        if groups and column in table.attached:
            groups[-1].append(column)
        else:
            groups.append([column])
    return groups


def _sum(widths: Sequence[int], columns: Sequence[int]) -> int:
    """Return the width of columns with the gaps between them."""
    return sum(widths[column] + 2 for column in columns) - 2


def _narrowed(table: Table, width: int) -> Table:
    """Shorten names until one more column fits, if that is possible."""
    keys, widths = _keys(table), table.widths()
    for needed, least in (
        (max((_sum(widths, group) for group in _together(table, keys)), default=0), NARROW),
        (max(widths[len(keys) :], default=0), NARROWEST),
    ):
        excess = sum(widths[key] + 2 for key in keys) + needed - width
        if excess > sum(max(widths[key] - least, 0) for key in keys) and least > NARROWEST:
            continue
        while excess > 0 and any(widths[key] > least for key in keys):
            widths[max(keys, key=lambda key: widths[key])] -= 1
            excess -= 1

    def row(cells: tuple[str, ...]) -> tuple[str, ...]:
        names = (shortened(cells[key], widths[key], widths[key] // 3) for key in keys)
        return (*names, *cells[len(keys) :])

    return replace(table, header=row(table.header), rows=tuple(map(row, table.rows)))


def _fitting(table: Table, width: int | None) -> list[list[int]]:
    """Group the columns into panels that fit, each with the columns that identify a row."""
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
    """Group columns with those attached to them, as far as they fit."""
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
        shown = padded(text, width, right=column not in table.words)
        set_apart = styled and (row, column) in table.bold
        return shown.replace(text, BOLD.format(text)) if set_apart else shown

    def line(cells: Sequence[str], row: int = -1) -> str:
        return "  ".join(drawn(cells, column, row) for column in columns).rstrip()

    rule = "-" * (sum(widths[column] for column in columns) + 2 * (len(columns) - 1))
    lines = [*map(line, table.header_lines()), rule]
    for number, row in enumerate(table.rows):
        lines += [rule] if number in table.rules else []
        lines.append(line(row, number))
    return "\n".join(lines)


SPECIAL = re.compile(
    r"[*`~$]|<(?=\S)|\\(?=[!-/:-@\[-`{-~])"  # markup anywhere; a backslash before punctuation
    r"|\](?=[(\[])|&(?=#?\w+;)"  # links and entities
    r"|(?<![^\W_])_|_(?![^\W_])"  # at the edge of a word
)
AT_FIRST = re.compile(r"^(\d*)([#>+.)-])")  # headings, quotes and lists


def _for_markdown(text: str) -> str:
    """Escape characters that Markdown would take for markup."""
    return SPECIAL.sub(lambda found: "\\" + found[0], text)


def _in_cell(text: str) -> str:
    return _for_markdown(text).replace("|", "\\|")


def _in_line(text: str) -> str:
    return AT_FIRST.sub(r"\1\\\2", _for_markdown(text))


def as_markdown(table: Table) -> str:
    """Draw a table in Markdown as GitHub and most other sites render it."""
    table = table.in_one_line().written(_in_cell, "**{}**".format)
    widths = [max(width, 4) for width in table.widths()]

    def line(cells: Sequence[str]) -> str:
        every = (
            padded(cell, widths[n], right=n not in table.words) for n, cell in enumerate(cells)
        )
        return "| " + " | ".join(every) + " |"

    marks = ["-" * (w - 1) + ("-" if n in table.words else ":") for n, w in enumerate(widths)]
    lines = [line(table.header), "| " + " | ".join(marks) + " |", *map(line, table.rows)]
    below = "".join(f"\n{_in_line(line)}  " for line in table.below)
    return "\n".join(lines) + "\n" + below + "\n"


# Tables in LaTeX ----------------------------------------------------------------------------------
#
# The output compiles with any names in it.

LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "|": r"\textbar{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    **{character: "\\" + character for character in "&%$#_{}"},
}
ACCENTS = frozenset("\u0300\u0301\u0302\u0303\u0308\u030a\u0327\u030c\u0304\u0306\u0307\u030b")
OTHERS = frozenset("ßæœøÆŒØłŁı")
LAST = "\u0180"
"""First character beyond the Latin letters that pdfTeX knows without further packages."""
UNKNOWN = re.compile(r"[^\x00-\x7f]+")


def escaped(text: str) -> str:
    """Escape a text for TeX."""
    plain = "".join(LATEX.get(c, c) for c in normalize("NFC", text))
    return UNKNOWN.sub(lambda found: "".join(map(_letter, found[0])), plain)


def _letter(c: str) -> str:
    """Return a letter known to every TeX, or its code point as a fallback for pdfTeX."""
    parts = normalize("NFD", c)
    accented = c < LAST and parts[0].isascii() and ACCENTS.issuperset(parts[1:])
    if c in OTHERS or accented:
        return c
    return rf"\ifdefined\Umathchar {c}\else[U+{ord(c):04X}]\fi{{}}"


RAISED = {"†": r"\dagger", "‡": r"\ddagger", "§": r"\S"}


def _raised(mark: str) -> str:
    if " " in mark:
        return rf"\textsuperscript{{{mark.replace('§', chr(92) + 'S')}}}"
    return f"$^{{{''.join(RAISED.get(c, c) for c in mark)}}}$"


def as_latex(table: Table) -> str:
    """Draw a table for the LaTeX package booktabs."""
    table = table.in_one_line().written(
        escaped,
        r"\textbf{{{}}}".format,
        lambda mark, _: _raised(mark) if mark else "",
    )

    def line(cells: Sequence[str]) -> str:
        shield = "{}" if cells[0][:1] in ("[", "*") else ""  # else an argument of the line before
        return shield + " & ".join(cells) + r" \\"

    body: list[str] = []
    for number, row in enumerate(table.rows):
        body += [r"\midrule"] if number in table.rules else []
        body.append(line(row))
    comments = [f"% {text}" for text in table.below]
    sides = "".join("l" if column in table.words else "r" for column in range(len(table.header)))
    return "\n".join(
        [
            *comments,
            r"\begin{tabular}{" + sides + "}",
            r"\toprule",
            line(table.header),
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            "",
        ]
    )
