"""Chunks compared at equal reading, as a table in plain words: runs across, measures down."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spanwise.model.notebook import number
from spanwise.report.comparison import against, below, bounds, differences_table
from spanwise.report.latex import as_latex
from spanwise.report.tables import Table, as_markdown, as_text

if TYPE_CHECKING:
    from spanwise.model.comparison import Comparison

WORDS = {
    "SpanR": "recall",
    "SpanP": "precision",
    "FullEvidence": "complete evidence",
    "Waste": "read twice",
    "Ceiling": "ceiling of recall",
    "FirstEvidence": "cost to first evidence",
}
_AT = re.compile(r"(\w+)\(budget=([^)]*)\)")


def worded(measure: str) -> str:
    """A measure in plain words.

    >>> worded("SpanR(budget=2000)"), worded("FirstEvidence"), worded("MAiP")
    ('recall at 2,000', 'cost to first evidence', 'MAiP')
    """
    found = _AT.fullmatch(measure)
    if found is None:
        return WORDS.get(measure, measure)
    return f"{WORDS.get(found[1], found[1])} at {float(found[2]):,.0f}"


def values_table(c: Comparison) -> Table:
    """A row for each measure, a column for each run and its interval; the best value is bold."""
    header, bold, marks = [""], set(), {}
    rows = [[worded(measure)] for measure in c.measures]
    for column, run in enumerate(c.runs):
        header += [c.named(run), "interval"]
        for place, measure in enumerate(c.measures):
            mean, cell = c.mean(run, measure), (place, 1 + 2 * column)
            rows[place] += [number(mean.value), bounds(mean)]
            if len(c.runs) > 1 and run in c.best(measure):
                bold.add(cell)
            if mark := c.mark(run, measure):
                marks[cell] = mark
    table = tuple(map(tuple, rows))
    intervals = frozenset(range(2, len(header), 2))
    return Table(
        tuple(header),
        table,
        tuple(below(c)),
        bold=frozenset(bold),
        marks=marks,
        attached=intervals,
    )


def rendered_across(c: Comparison, layout: str, width: int | None, styled: bool) -> str:
    """The table, what is unfair, and the differences."""
    if layout == "latex":
        return as_latex(values_table(c))
    tables = [values_table(c)]
    if c.differences:
        tables.append(differences_table(c, worded))
    if layout == "md":
        parts = [as_markdown(table) for table in tables]
    else:
        parts = [as_text(table, width, styled) for table in tables]
    if c.differences and layout != "md":
        parts.insert(1, against(c))
    return "\n".join(part.rstrip("\n") + "\n" for part in parts)
