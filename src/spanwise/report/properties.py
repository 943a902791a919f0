"""What measures do for the retrieval of elements, side by side."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple, fields
from typing import TYPE_CHECKING

from spanwise.model.measures import Properties
from spanwise.report.tables import Table, as_text

if TYPE_CHECKING:
    from spanwise.model.measures import Measure

SHORT = {"relevant_in_context": "RiC", "best_in_context": "BiC"}
HEADER = (
    "measure",
    *(SHORT.get(field.name, field.name.replace("_", " ")) for field in fields(Properties)),
)


def properties_table(measures: Iterable[Measure]) -> str:
    """One line for each measure; first those for which the questions arise."""
    rows = [(measure.name, *astuple(measure.properties)) for measure in measures]
    rows.sort(key=lambda row: all(value == "-" for value in row[1:]))
    table = Table(HEADER, tuple(rows), words=tuple(range(len(HEADER))))
    return as_text(table)
