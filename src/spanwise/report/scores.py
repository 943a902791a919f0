"""Scores as something to look at or to read in again."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from math import isnan
from typing import TYPE_CHECKING, Any

from spanwise.report.tables import Table, as_latex, as_markdown, as_text

if TYPE_CHECKING:
    from spanwise.model.scores import Scores

ALL = "all"
UNDEFINED = "-"


def shown(value: float, digits: int = 4) -> str:
    """A number in a table; counts without decimals, undefined as a dash."""
    return UNDEFINED if isnan(value) else f"{value:.{digits}f}"


def null(value: float) -> float | None:
    """Undefined as JSON has it."""
    return None if isnan(value) else value


# For people ---------------------------------------------------------------------------------


def means_table(results: Sequence[Scores], counting: frozenset[str]) -> Table:
    """Runs and measures; the longer list goes down the page."""
    counts = [count for scores in results for count in scores.counts.values()]
    same = len(set(counts)) <= 1
    measures = list(results[0].means)

    def cell(scores: Scores, name: str) -> str:
        number = shown(scores.means[name], 0 if name in counting else 4)
        return number if same else f"{number} ({scores.counts[name]})"

    below = footer(results, counts[0] if same and counts else None)
    if len(results) == 1 or len(results) < len(measures) <= 40 < 8 * len(measures):
        header = ("measure", *(scores.run for scores in results))
        down = [(name, *(cell(scores, name) for scores in results)) for name in measures]
        return Table(header, tuple(down), below)
    header = ("run", *measures)
    rows = [(scores.run, *(cell(scores, name) for name in measures)) for scores in results]
    return Table(header, tuple(rows), below)


def topics_table(scores: Scores, counting: frozenset[str]) -> Table:
    """Topics and measures of one run, the means last."""
    measures = list(scores.values)
    columns = [scores.values[name].tolist() for name in measures]
    digits = [0 if name in counting else 4 for name in measures]
    rows = [
        (topic, *map(shown, values, digits))
        for topic, *values in zip(scores.topics, *columns, strict=True)
    ]
    last = (ALL, *(shown(scores.means[name], d) for name, d in zip(measures, digits, strict=True)))
    topics = ("topics", *(str(scores.counts[name]) for name in measures))
    header = (scores.run, *measures)
    return Table(header, (*rows, last, topics), footer([scores])[1:], rules=(len(rows),))


def footer(results: Sequence[Scores], topics: int | None = None) -> tuple[str, ...]:
    """The number of topics, the signature, and what is to be said of each run."""
    counted = f"{topics} topic{'s' if topics != 1 else ''}"
    lines = [counted if topics is not None else "(n): topics behind a mean"]
    lines.append(results[0].signature)
    for scores in results:
        lines += [f"{scores.run}: {note}" for note in scores.notes]
    return tuple(lines)


# For programs -------------------------------------------------------------------------------


def records(scores: Scores, per_topic: bool) -> Iterator[dict[str, Any]]:
    """One record per value: topics first, in byte order, then `all`."""
    if per_topic:
        for topic, measure, value in scores.rows():
            yield {"run": scores.run, "topic": topic, "measure": measure, "value": value}
    for measure, mean in scores.means.items():
        yield {"run": scores.run, "topic": ALL, "measure": measure, "value": null(mean)}


def as_jsonl(results: Sequence[Scores], per_topic: bool) -> str:
    """One JSON object per line."""
    return "".join(
        json.dumps(record) + "\n" for scores in results for record in records(scores, per_topic)
    )


def as_json(results: Sequence[Scores], per_topic: bool) -> str:
    """One JSON object with everything there is to say."""
    runs = []
    for scores in results:
        entry: dict[str, Any] = {
            "run": scores.run,
            "means": {name: null(value) for name, value in scores.means.items()},
            "counts": dict(scores.counts),
            "notes": list(scores.notes),
        }
        if per_topic:
            entry["per_topic"] = {
                topic: {name: null(value) for name, value in values.items()}
                for topic, values in scores.per_topic.items()
            }
        runs.append(entry)
    return json.dumps({"signature": results[0].signature, "runs": runs}, indent=2) + "\n"


def as_csv(results: Sequence[Scores], per_topic: bool) -> str:
    """Columns run, topic, measure, value; undefined is empty."""
    import csv
    import io

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["run", "topic", "measure", "value"])
    for scores in results:
        writer.writerows(list(record.values()) for record in records(scores, per_topic))
    return text.getvalue()


def as_trec(results: Sequence[Scores], per_topic: bool, counting: frozenset[str]) -> str:
    """Lines as trec_eval prints them; an undefined value is `nan`."""
    lines = []
    for scores in results:
        for record in records(scores, per_topic):
            value, name = record["value"], record["measure"]
            digits = 0 if name in counting else 4
            number = "nan" if value is None else f"{value:.{digits}f}"
            lines.append(f"{name:<22}\t{record['topic']}\t{number}\n")
    return "".join(lines)


def drawn(
    results: Sequence[Scores],
    per_topic: bool,
    counting: frozenset[str],
    draw: Callable[[Table], str],
) -> str:
    """Tables in one of the ways of drawing."""
    if not per_topic:
        return draw(means_table(results, counting))
    return "\n".join(draw(topics_table(scores, counting)) for scores in results)


def rendered(
    results: Sequence[Scores],
    how: str,
    *,
    per_topic: bool = False,
    counting: frozenset[str] = frozenset(),
    width: int | None = None,
) -> str:
    """The scores in a format of the command line; `counting` are the measures that are counts."""
    if how == "jsonl":
        return as_jsonl(results, per_topic)
    if how == "json":
        return as_json(results, per_topic)
    if how == "csv":
        return as_csv(results, per_topic)
    if how == "trec":
        return as_trec(results, per_topic, counting)
    draw: dict[str, Callable[[Table], str]] = {
        "table": lambda table: as_text(table, width),
        "md": as_markdown,
        "latex": as_latex,
    }
    return drawn(results, per_topic, counting, draw[how])
