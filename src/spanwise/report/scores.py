"""Scores as tables, CSV, JSON and lines in trec_eval's layout."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from math import isnan
from typing import TYPE_CHECKING, Any

from spanwise.model.scores import SHORT, UNREACHED, on_reach, run_names, unreached
from spanwise.report.tables import Table, as_latex, as_markdown, as_text

if TYPE_CHECKING:
    from spanwise.model.scores import Scores

ALL = "all"
UNDEFINED = "-"


def shown(value: float, digits: int = 4) -> str:
    """Format a number for a table; undefined values become a dash."""
    return UNDEFINED if isnan(value) else f"{value:.{digits}f}"


def null(value: float) -> float | None:
    """Return the JSON form of a number: undefined values become null."""
    return None if isnan(value) else value


# Tables -------------------------------------------------------------------------------------------


def means_table(results: Sequence[Scores]) -> Table:
    """Return a table of means of runs by measures; the longer list forms the rows."""
    counts = [count for scores in results for count in scores.counts.values()]
    same = len(set(counts)) <= 1
    measures = list(dict.fromkeys(name for scores in results for name in scores.means))

    def cell(scores: Scores, name: str) -> str:
        if name not in scores.means:
            return ""  # it was not asked of this run
        if unreached(results, name):
            return UNREACHED
        number = shown(scores.means[name], 0 if name in scores.sums else 4)
        number += SHORT if scores.short(name) else ""
        return number if same else f"{number} ({scores.counts[name]})"

    names = run_names(results)
    below = footer(results, names, counts[0] if same and counts else None)
    if len(results) == 1 or len(results) < len(measures):
        header = ("measure", *names)
        down = [(name, *(cell(scores, name) for scores in results)) for name in measures]
        return Table(header, tuple(down), below)
    header = ("run", *measures)
    rows = [
        (run, *(cell(scores, name) for name in measures))
        for run, scores in zip(names, results, strict=True)
    ]
    return Table(header, tuple(rows), below)


def topics_table(scores: Scores) -> Table:
    """Return a table of the values of one run by topic, followed by the means."""
    measures = list(scores.values)
    columns = [scores.values[name].tolist() for name in measures]
    digits = [0 if name in scores.sums else 4 for name in measures]
    cells = [
        [shown(value, places) for value in column]
        for column, places in zip(columns, digits, strict=True)
    ]
    rows = list(zip(scores.topics, *cells, *scores.texts.values(), strict=True))
    blank = ("",) * len(scores.texts)
    means = (
        UNREACHED
        if unreached([scores], name)
        else shown(scores.means[name], d) + (SHORT if scores.short(name) else "")
        for name, d in zip(measures, digits, strict=True)
    )
    last = (ALL, *means, *blank)
    topics = ("topics", *(str(scores.counts[name]) for name in measures), *blank)
    header = (scores.run, *measures, *scores.texts)
    return Table(
        header, (*rows, last, topics), footer([scores], run_names([scores]))[1:], rules=(len(rows),)
    )


def footer(
    results: Sequence[Scores], names: Sequence[str], topics: int | None = None
) -> tuple[str, ...]:
    """Return the number of topics, the signature, and the notes of each run."""
    counted = f"{topics} topic{'s' if topics != 1 else ''}"
    lines = [counted if topics is not None else "(n): topics behind a mean"]
    lines.append(results[0].signature)
    for name, scores in zip(names, results, strict=True):
        lines += [f"{name}: {note}" for note in scores.notes]
    if any(scores.budgets for scores in results):
        lines += on_reach(results, names)
    return tuple(lines)


# JSON, CSV and TREC -------------------------------------------------------------------------------


def records(scores: Scores, per_topic: bool) -> Iterator[dict[str, Any]]:
    """Yield a record for each value: topics in byte order, then `all`."""
    if per_topic:
        for topic, measure, value in topic_values(scores):
            yield {"run": scores.run, "topic": topic, "measure": measure, "value": value}
    for measure, mean in scores.means.items():
        yield {"run": scores.run, "topic": ALL, "measure": measure, "value": null(mean)}


def topic_values(scores: Scores) -> Iterator[tuple[str, str, float | str | None]]:
    """Yield topic, measure and value, by topic; texts come after the numbers."""
    columns: dict[str, list[Any]] = {
        name: [null(value) for value in values.tolist()] for name, values in scores.values.items()
    }
    columns.update((name, list(texts)) for name, texts in scores.texts.items())
    for row, topic in enumerate(scores.topics):
        for name, values in columns.items():
            yield topic, name, values[row]


def as_jsonl(results: Sequence[Scores], per_topic: bool) -> str:
    """Return the scores as one JSON object per line."""
    return "".join(
        json.dumps(record) + "\n" for scores in results for record in records(scores, per_topic)
    )


def as_json(results: Sequence[Scores], per_topic: bool) -> str:
    """Return the scores as one JSON object."""
    runs = []
    for scores in results:
        entry: dict[str, Any] = {
            "run": scores.run,
            "means": {name: null(value) for name, value in scores.means.items()},
            "counts": dict(scores.counts),
            "notes": list(scores.notes),
        }
        if per_topic:
            topics: dict[str, dict[str, Any]] = {topic: {} for topic in scores.topics}
            for topic, measure, value in topic_values(scores):
                topics[topic][measure] = value
            entry["per_topic"] = topics
        runs.append(entry)
    return json.dumps({"signature": results[0].signature, "runs": runs}, indent=2) + "\n"


def as_csv(results: Sequence[Scores], per_topic: bool) -> str:
    """Return CSV with columns run, topic, measure, value; undefined values are empty."""
    import csv
    import io

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["run", "topic", "measure", "value"])
    for scores in results:
        writer.writerows(list(record.values()) for record in records(scores, per_topic))
    return text.getvalue()


def as_trec(results: Sequence[Scores], per_topic: bool) -> str:
    """Return lines in trec_eval's layout; an undefined value is `nan`."""
    lines = []
    for name, scores in zip(run_names(results), results, strict=True):
        if len(results) > 1:
            lines.append(f"{'runid':<22}\t{ALL}\t{name}\n")
        for record in records(scores, per_topic):
            text = _in_trec_style(record["value"], 0 if record["measure"] in scores.sums else 4)
            lines.append(f"{record['measure']:<22}\t{record['topic']}\t{text}\n")
    return "".join(lines)


def _in_trec_style(value: float | str | None, digits: int) -> str:
    if isinstance(value, str):
        return f"'{value}'"
    return "nan" if value is None else f"{value:.{digits}f}"


def drawn(
    results: Sequence[Scores],
    per_topic: bool,
    draw: Callable[[Table], str],
) -> str:
    """Draw the table of means, or the topics of each run, with a drawing function."""
    if not per_topic:
        return draw(means_table(results))
    return "\n".join(draw(topics_table(scores)) for scores in results)


def rendered(
    results: Sequence[Scores],
    how: str,
    *,
    per_topic: bool = False,
    width: int | None = None,
) -> str:
    """Render the scores in a layout of the command line."""
    if how == "jsonl":
        return as_jsonl(results, per_topic)
    if how == "json":
        return as_json(results, per_topic)
    if how == "csv":
        return as_csv(results, per_topic)
    if how == "trec":
        return as_trec(results, per_topic)
    draw: dict[str, Callable[[Table], str]] = {
        "table": lambda table: as_text(table, width),
        "md": as_markdown,
        "latex": as_latex,
    }
    return drawn(results, per_topic, draw[how])
