"""The report of an experiment: a table of all collections, and each one's page, in one file."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import isnan, nan
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from spanwise.app.output import write_atomically
from spanwise.model.comparison import BETTER, WORSE

if TYPE_CHECKING:
    from spanwise.app.experiment_file import Data, Experiment
    from spanwise.model.comparison import Comparison

STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:75rem;padding:0 1rem}"
    "table{border-collapse:collapse;margin:1rem 0}td,th{padding:.2rem .8rem;text-align:right}"
    "th:first-child,td:first-child{text-align:left}tr{border-bottom:1px solid #ddd}"
    "iframe{width:100%;height:60rem;border:1px solid #ccc}summary{cursor:pointer;margin:1rem 0}"
)

MARKS = BETTER + WORSE
Found = Sequence[tuple["Data", "Comparison"]]


class Cell(NamedTuple):
    """What a table says of a run on a collection."""

    text: str
    is_best: bool = False


def heads_of(found: Found, measure: str) -> list[str]:
    """Collections, with the number of topics over which their means go."""
    return [f"{data.name} ({max(_topics(one, measure))})" for data, one in found]


def _topics(one: Comparison, measure: str) -> list[int]:
    return [mean.topics for mean in one.means if mean.measure == measure]


def rows_of(found: Found, measure: str) -> list[tuple[str, list[Cell]]]:
    """For every run what it reaches on each collection, nothing where it was not made."""
    names = list(dict.fromkeys(run for _, one in found for run in one.runs))
    return [(name, [_cell(one, name, measure) for _, one in found]) for name in names]


def _cell(one: Comparison, run: str, measure: str) -> Cell:
    value = one.mean(run, measure).value if run in one.runs else nan
    if isnan(value):
        return Cell("-")
    mark = ""
    if run != one.baseline and one.baseline in one.better(run, measure):
        mark = BETTER
    elif run != one.baseline and one.baseline in one.worse(run, measure):
        mark = WORSE
    return Cell(f"{value:.4f}{mark}", run in one.best(measure))


def legend(found: Found) -> str:
    """What the marks mean; nothing where there is no baseline."""
    one = next((one for _, one in found if one.baseline is not None), None)
    if one is None:
        return ""
    how = f"{one.tests[0]}, corrected by {one.correction}, p < {one.alpha:g}"
    return f"{BETTER} better and {WORSE} worse than {one.baseline} ({how})"


def summary(experiment: Experiment, found: Found) -> str:
    """Means by run and collection, for each measure."""
    parts = []
    for measure in found[0][1].measures:
        rows, heads = rows_of(found, measure), heads_of(found, measure)
        width = max(len(name) for name, _ in rows)
        columns = [max(len(head), 7) for head in heads]
        lines = [measure, f"{'':<{width}}  {_aligned(heads, columns)}"]
        lines += [
            f"{name:<{width}}  {_aligned([cell.text for cell in cells], columns)}"
            for name, cells in rows
        ]
        parts.append("\n".join(lines) + "\n")
    marks = f"\n{legend(found)}\n" if legend(found) else ""
    return f"{experiment.name}\n\n" + "\n".join(parts) + marks


def _aligned(texts: Sequence[str], widths: Sequence[int]) -> str:
    """Texts to the right; a mark stands to the right of its column."""
    shown = (
        f"{text.rstrip(MARKS):>{width}}{text[len(text.rstrip(MARKS)) :]:<1}"
        for text, width in zip(texts, widths, strict=True)
    )
    return " ".join(shown).rstrip()


def write_report(experiment: Experiment, found: Found, folder: Path) -> None:
    """One page that holds everything; the pages of the collections unfold in it."""
    body = [f"<h1>{escape(experiment.name)}</h1>", f"<p>{escape(experiment.about)}</p>"]
    body += [_table(found, measure) for measure in found[0][1].measures]
    body.append(f"<p>{escape(legend(found))}</p>" if legend(found) else "")
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
    head = "".join(f"<th>{escape(head)}</th>" for head in heads_of(found, measure))
    lines = [f"<h2>{escape(measure)}</h2><table><tr><th>run</th>{head}</tr>"]
    for name, cells in rows_of(found, measure):
        shown = (f"<b>{text}</b>" if is_best else text for text, is_best in cells)
        row = "".join(f"<td>{text}</td>" for text in shown)
        lines.append(f"<tr><td>{escape(name)}</td>{row}</tr>")
    return "".join(lines) + "</table>"
