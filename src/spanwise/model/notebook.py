"""Results show themselves: as text where there is nothing better, as a table in a notebook.

Names come from files, so everything is escaped.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import isfinite


def number(value: float, digits: int = 4) -> str:
    """A number in a table; a dash where it is undefined."""
    return f"{value:.{digits}f}" if isfinite(value) else "-"


def plain_table(header: Sequence[str], rows: Sequence[Sequence[str]], below: Sequence[str]) -> str:
    """Aligned columns, then lines of explanation."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in (header, *rows)]
    return "\n".join([lines[0], "-" * max(map(len, lines)), *lines[1:], "", *below])


def html_table(header: Sequence[str], rows: Sequence[Sequence[str]], below: Sequence[str]) -> str:
    """The same as HTML."""

    def cells(row: Sequence[str], tag: str) -> str:
        return "".join(f"<{tag}>{safe(cell)}</{tag}>" for cell in row)

    head = f"<thead><tr>{cells(header, 'th')}</tr></thead>"
    body = "".join(f"<tr>{cells(row, 'td')}</tr>" for row in rows)
    notes = "".join(f"<div>{safe(line)}</div>" for line in below)
    return f"<table>{head}<tbody>{body}</tbody></table><small>{notes}</small>"


def safe(text: str) -> str:
    """Text that a page shows as it is, whatever stands in it."""
    return escape(text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace"))
