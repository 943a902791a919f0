"""Tables for papers: LaTeX with the booktabs package, which compiles whatever names are in it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING
from unicodedata import normalize

if TYPE_CHECKING:
    from spanwise.report.tables import Table

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
"""The letters of Latin alphabets that pdfTeX knows without further packages."""
UNKNOWN = re.compile(r"[^\x00-\x7f]+")


def escaped(text: str) -> str:
    """A text that TeX takes as it is."""
    plain = "".join(LATEX.get(c, c) for c in normalize("NFC", text))
    return UNKNOWN.sub(lambda found: "".join(map(_letter, found[0])), plain)


def _letter(c: str) -> str:
    """A letter that every TeX has, or one of which pdfTeX says the number."""
    parts = normalize("NFD", c)
    accented = c < LAST and parts[0].isascii() and ACCENTS.issuperset(parts[1:])
    if c in OTHERS or accented:
        return c
    return rf"\ifdefined\Umathchar {c}\else[U+{ord(c):04X}]\fi{{}}"


RAISED = {"†": r"\dagger", "‡": r"\ddagger"}


def _raised(mark: str) -> str:
    if " " in mark:
        return rf"\textsuperscript{{{mark}}}"
    return f"$^{{{RAISED.get(mark, mark)}}}$"


def as_latex(table: Table) -> str:
    """A table for the booktabs package."""
    table = table.written(
        escaped,
        r"\textbf{{{}}}".format,
        lambda mark, _: _raised(mark) if mark else "",
    )

    def line(cells: Sequence[str]) -> str:
        shield = "{}" if cells[0][:1] in ("[", "*") else ""  # they would belong to the line before
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
