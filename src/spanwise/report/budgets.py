"""Chunks compared at equal reading, as a table in plain words: runs across, measures down."""

from __future__ import annotations

import re
from math import isfinite
from typing import TYPE_CHECKING

from spanwise.model.notebook import number
from spanwise.report.comparison import below, probability
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
    """A row for each measure, a column for each run; the best value is bold."""
    rows, bold, marks = [], set(), {}
    for place, measure in enumerate(c.measures):
        best = c.best(measure) if len(c.runs) > 1 else ()
        rows.append((worded(measure), *(number(c.mean(run, measure).value) for run in c.runs)))
        for column, run in enumerate(c.runs, start=1):
            if run in best:
                bold.add((place, column))
            if mark := c.mark(run, measure):
                marks[place, column] = mark
    return Table(("", *c.runs), tuple(rows), tuple(below(c)), bold=frozenset(bold), marks=marks)


def paired_table(c: Comparison) -> Table:
    """Differences to the baseline with their intervals."""
    rows = []
    for one in c.differences:
        bounds = f"[{one.low:+.4f}, {one.high:+.4f}]" if isfinite(one.low) else "-"
        shown = f"{one.difference:+.4f}" if isfinite(one.difference) else "-"
        words = (one.run, worded(one.measure))
        rows.append((*words, shown, bounds, probability(one.p_adjusted)))
    header = ("run", "measure", "difference", "interval", "p")
    return Table(header, tuple(rows), words=(0, 1))


def rendered_across(c: Comparison, layout: str, width: int | None, styled: bool) -> str:
    """The table, what is unfair, and the differences."""
    tables = [values_table(c)]
    if c.differences:
        tables.append(paired_table(c))
    if layout == "md":
        parts = [as_markdown(table) for table in tables]
    else:
        parts = [as_text(table, width, styled) for table in tables]
    if c.differences:
        parts.insert(1, f"against {c.baseline or 'each other'}:\n")
    return "\n".join(part.rstrip("\n") + "\n" for part in parts)
