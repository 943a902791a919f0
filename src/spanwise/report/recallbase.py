"""The elements of a recall base, to look at."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields

from spanwise.report.cells import counted
from spanwise.report.tables import Table, as_text


@dataclass(frozen=True, slots=True)
class Entry:
    """One relevant element."""

    topic: str
    document: str
    path: str
    value: float
    ideal: bool
    size: int | None  # characters; None where nobody says
    highlighted: int | None


NAMES = tuple(field.name for field in fields(Entry))


def drawn(entries: Sequence[Entry], layout: str, quant: str, width: int | None) -> str:
    """The elements as a table, as lines of JSON, or separated by commas."""
    if layout == "jsonl":
        return "".join(json.dumps(asdict(entry)) + "\n" for entry in entries)
    if layout == "csv":
        lines = io.StringIO()
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow(NAMES)
        writer.writerows([getattr(entry, name) for name in NAMES] for entry in entries)
        return lines.getvalue()
    rows = tuple(tuple(_cell(getattr(entry, name)) for name in NAMES) for entry in entries)
    topics = counted(len({entry.topic for entry in entries}), "topic")
    elements = counted(len(entries), "element")
    ideal = sum(entry.ideal for entry in entries)
    below = f"{elements} of {topics}, {ideal} of them ideal; quant={quant}"
    return as_text(Table(NAMES, rows, below=(below,), words=(0, 1, 2)), width)


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else ""
    if isinstance(value, float):
        return f"{value:.4f}"
    return "-" if value is None else str(value)
