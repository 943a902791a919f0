"""The tables of the reliability study."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from spanwise.report.cells import counted, wrapped
from spanwise.report.latex import as_latex
from spanwise.report.scores import null, shown
from spanwise.report.tables import Table, as_markdown, as_text


@dataclass(frozen=True, slots=True, eq=False)
class Ranked:
    """Runs under some measures: a value and a rank for each, and the overlap of each run."""

    runs: tuple[str, ...]
    overlap: tuple[float, ...]
    values: Mapping[str, tuple[float, ...]]
    ranks: Mapping[str, tuple[int, ...]]

    def table(self) -> Table:
        """One row for each run, as the study prints it."""
        rows = [
            (
                run,
                *(f"{shown(self.values[m][row])} ({self.ranks[m][row]})" for m in self.values),
                _percent(self.overlap[row]),
            )
            for row, run in enumerate(self.runs)
        ]
        return Table(("run", *self.values, "overlap %"), tuple(rows))

    def best(self, measure: str, other: str, most: int = 10) -> Table:
        """The best runs under one measure, with their ranks under another in brackets."""
        order = sorted(range(len(self.runs)), key=lambda row: self.ranks[measure][row])[:most]
        rows = [
            (
                f"{self.ranks[measure][row]} ({self.ranks[other][row]})",
                self.runs[row],
                shown(self.values[measure][row]),
                _percent(self.overlap[row]),
            )
            for row in order
        ]
        header = ("rank", "run", measure, "overlap %")
        return Table(header, tuple(rows), (f"in brackets: rank by {other}",), words=(0, 1))


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two measures order real runs alike."""

    first: str
    second: str
    kendall: float
    tau_ap: float
    rbo: float
    swapped: float


@dataclass(frozen=True, slots=True, eq=False)
class Study:
    """Everything that was found out."""

    simulated: Ranked
    violations: tuple[Any, ...]  # each says itself in words
    signature: str
    notes: tuple[str, ...] = ()  # what was ignored, missing or left open
    real: Ranked | None = None
    agreements: tuple[Agreement, ...] = ()
    halves: Mapping[str, float] | None = None  # swaps between halves of the topics, by measure

    def tables(self) -> list[tuple[str, Table]]:
        """Titles and tables, in order."""
        found = [("Simulated runs", self.simulated.table())]
        if self.real is None:
            return found
        found.append(("Runs", self.real.table()))
        for one in self.agreements:
            for measure, other in ((one.first, one.second), (one.second, one.first)):
                found.append((f"Best by {measure}", self.real.best(measure, other)))
        if self.agreements:
            found.append(("Agreement of measures", _agreements(self.agreements)))
        if self.halves:
            rows = tuple((name, shown(rate)) for name, rate in self.halves.items())
            found.append(("Two halves of the topics", Table(("measure", "pairs swapped"), rows)))
        return found


def _percent(share: float) -> str:
    return shown(100 * share, 1)


def _agreements(agreements: Sequence[Agreement]) -> Table:
    rows = tuple(
        (one.first, one.second, *map(shown, (one.kendall, one.tau_ap, one.rbo, one.swapped)))
        for one in agreements
    )
    header = ("measure", "and", "Kendall's tau", "tau-AP", "RBO", "pairs swapped")
    return Table(header, rows, words=(0, 1))


def rendered_study(study: Study, layout: str, width: int | None = None) -> str:
    """The study as text, Markdown, LaTeX, CSV or JSON."""
    if layout == "json":
        return json.dumps(_as_objects(study), ensure_ascii=False, indent=2) + "\n"
    if layout == "csv":
        return _as_csv(study)
    draw = {"md": as_markdown, "latex": as_latex}.get(layout)
    parts = []
    for title, table in study.tables():
        heading = {"md": f"## {title}\n\n", "latex": f"% {title}\n"}.get(layout, f"{title}\n\n")
        drawn = draw(table) if draw else as_text(table, width)
        parts.append(heading + drawn.rstrip("\n") + "\n")
    said = [f"{counted(len(study.violations), 'violation')} of the expected orders"]
    said += [f"- {violation}" for violation in study.violations]
    said += ["", study.signature, *study.notes]
    begin = "% " if layout == "latex" else ""
    lines = [begin + line if line else "" for text in said for line in wrapped(text, width)]
    return "\n".join([*parts, *lines]) + "\n"


def _as_csv(study: Study) -> str:
    lines = ["runs,run,measure,value,rank,overlap"]
    for kind, ranked in (("simulated", study.simulated), ("real", study.real)):
        for row, run in enumerate(ranked.runs) if ranked else ():
            assert ranked is not None
            name = '"' + run.replace('"', '""') + '"'
            for measure, values in ranked.values.items():
                rank, overlap = ranked.ranks[measure][row], ranked.overlap[row]
                lines.append(f'{kind},{name},"{measure}",{values[row]!r},{rank},{overlap!r}')
    return "\n".join(lines) + "\n"


def _as_objects(study: Study) -> dict[str, Any]:
    def ranked(one: Ranked | None) -> list[dict[str, Any]]:
        return [
            {
                "run": run,
                "measure": measure,
                "value": null(values[row]),
                "rank": one.ranks[measure][row],
                "overlap": null(one.overlap[row]),
            }
            for row, run in enumerate(one.runs if one else ())
            for measure, values in (one.values if one else {}).items()
            if one is not None
        ]

    return {
        "simulated": ranked(study.simulated),
        "violations": [
            {
                "measure": one.measure,
                "rule": one.rule,
                "better": one.better,
                "worse": one.worse,
                "values": list(one.values),
            }
            for one in study.violations
        ],
        "runs": ranked(study.real),
        "agreements": [
            {
                "measures": [one.first, one.second],
                "kendall": null(one.kendall),
                "tau_ap": null(one.tau_ap),
                "rbo": null(one.rbo),
                "swapped": null(one.swapped),
            }
            for one in study.agreements
        ],
        "halves": {name: null(rate) for name, rate in (study.halves or {}).items()},
        "signature": study.signature,
        "notes": list(study.notes),
    }
