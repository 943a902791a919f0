"""What was found out about a pool, as tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spanwise.report.tables import Table, as_text

PARTS = ("value", "low", "high", "topics_low", "topics_high")


def check_tables(found: Mapping[str, Any]) -> str:
    """Runs and how the pool covers them; below, size and cost."""
    names = [name for name in found["runs"][0] if name != "run"]
    rows = tuple((run["run"], *(_cell(run.get(name)) for name in names)) for run in found["runs"])
    sizes = sorted(found["sizes"].values())
    below = [
        f"pool: {found['topics']} topics, {found['documents']} documents"
        f" ({sizes[0]} to {sizes[-1]} for a topic)",
        f"expected: {found['hours']:.1f} hours at {found['minutes']:g} minutes a document",
        "unique: pooled documents that no other of these runs brought in",
    ]
    if "judged" in found:
        below.insert(1, f"judged: {found['judged']} of them")
    return as_text(Table(("run", *names), rows, tuple(below)))


def estimate_tables(found: Mapping[str, Any]) -> str:
    """Relevant text of each topic, then the measures of each run."""
    totals = tuple(
        (topic, *(_cell(one[name], 1) for name in PARTS[:3]))
        for topic, one in [*found["relevant"].items(), ("all", found["all"])]
    )
    text = as_text(Table(("topic", "relevant", "low", "high"), totals, ("95 % intervals",)))
    if not found["runs"]:
        return text
    rows = tuple(
        (run["run"], name, *(_cell(value[part]) for part in PARTS))
        for run in found["runs"]
        for name, value in run.items()
        if isinstance(value, Mapping) and "value" in value
    )
    header = ("run", "measure", "mean", "low", "high", "low*", "high*")
    below = (
        f"mean over topics: {found['topics']}",
        "low, high: had other documents been drawn; low*, high*: or other topics, too",
    )
    return text + "\n" + as_text(Table(header, rows, below))


def _cell(value: float | None, digits: int = 4) -> str:
    if value is None:
        return "-"
    return str(value) if isinstance(value, int) else f"{value:.{digits}f}"
