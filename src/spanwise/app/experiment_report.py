"""The report of an experiment: a table of all collections, and each one's page, in one file."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from spanwise.app.output import write_atomically

if TYPE_CHECKING:
    from spanwise.app.experiment_file import Data, Experiment
    from spanwise.model.comparison import Comparison

STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:75rem;padding:0 1rem}"
    "table{border-collapse:collapse;margin:1rem 0}td,th{padding:.2rem .8rem;text-align:right}"
    "th:first-child,td:first-child{text-align:left}tr{border-bottom:1px solid #ddd}"
    "iframe{width:100%;height:60rem;border:1px solid #ccc}summary{cursor:pointer;margin:1rem 0}"
)

Found = Sequence[tuple["Data", "Comparison"]]


def rows_of(found: Found, measure: str) -> list[tuple[str, list[float | None]]]:
    """For every run its mean on each collection, None where it was not made."""
    names = list(dict.fromkeys(run for _, one in found for run in one.runs))
    return [
        (name, [_mean(one, name, measure) if name in one.runs else None for _, one in found])
        for name in names
    ]


def _mean(one: Comparison, run: str, measure: str) -> float:
    return next(mean.value for mean in one.means if (mean.run, mean.measure) == (run, measure))


def summary(experiment: Experiment, found: Found) -> str:
    """Means by run and collection, for each measure."""
    parts = []
    for measure in found[0][1].measures:
        rows = rows_of(found, measure)
        width = max(len(name) for name, _ in rows)
        columns = [max(len(data.name), 7) for data, _ in found]
        head = "  ".join(f"{d.name:>{w}}" for (d, _), w in zip(found, columns, strict=True))
        lines = [f"{measure}", f"{'':<{width}}  {head}"]
        for name, values in rows:
            shown = (f"{_shown(v):>{w}}" for v, w in zip(values, columns, strict=True))
            lines.append(f"{name:<{width}}  {'  '.join(shown)}")
        parts.append("\n".join(lines) + "\n")
    return f"{experiment.name}\n\n" + "\n".join(parts)


def _shown(value: float | None) -> str:
    return "-" if value is None or value != value else f"{value:.4f}"


def write_report(experiment: Experiment, found: Found, folder: Path) -> None:
    """One page that holds everything; the pages of the collections unfold in it."""
    body = [f"<h1>{escape(experiment.name)}</h1>", f"<p>{escape(experiment.about)}</p>"]
    body += [_table(found, measure) for measure in found[0][1].measures]
    for data, _ in found:
        page = (folder / "pages" / f"{data.name}.html").read_text("utf-8")
        body.append(
            f"<details><summary>{escape(data.name)}: intervals, tests, topics</summary>"
            f'<iframe title="{escape(data.name)}" srcdoc="{escape(page)}"></iframe></details>'
        )
    title = escape(experiment.name)
    html = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f"<style>{STYLE}</style></head><body>{''.join(body)}</body></html>\n"
    )
    write_atomically(folder / "report.html", html.encode())


def _table(found: Found, measure: str) -> str:
    rows = rows_of(found, measure)
    best = [
        max((v for _, values in rows if (v := values[column]) is not None), default=None)
        for column in range(len(found))
    ]
    head = "".join(f"<th>{escape(data.name)}</th>" for data, _ in found)
    lines = [f"<h2>{escape(measure)}</h2><table><tr><th>run</th>{head}</tr>"]
    for name, values in rows:
        cells = (
            f"<td>{'<b>' if v is not None and v == top else ''}{_shown(v)}</td>"
            for v, top in zip(values, best, strict=True)
        )
        lines.append(f"<tr><td>{escape(name)}</td>{''.join(cells)}</tr>")
    return "".join(lines) + "</table>"
