"""Curves of runs as files for gnuplot or as pictures."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count
from math import isnan
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from spanwise.console import write_atomically
from spanwise.errors import MissingExtra

if TYPE_CHECKING:
    from spanwise.dropins.evalj.configuration import Curve, Metric

# File names ---------------------------------------------------------------------------------------

ENDINGS = (".gz", ".xz", ".zst", ".xml", ".txt")


def file_names(sources: Sequence[str]) -> list[str]:
    """Return a file name for each run: that of its file, with distinguishing folders.

    >>> file_names(["2006/a/run.xml", "2006/b/run.xml", "2006/b/mine.txt.gz"])
    ['a_run', 'b_run', 'mine']
    >>> file_names(["run.xml", "run.txt", "run.txt"])
    ['run', 'run_2', 'run_3']
    """
    parts = [(*PurePath(source).parts[:-1], _stem(source)) for source in sources]
    names = [path[-1] for path in parts]
    for depth in range(2, max(map(len, parts), default=0) + 1):
        there = Counter(names)
        names = [
            "_".join(path[-depth:]).lstrip("/_") if there[name] > 1 else name
            for name, path in zip(names, parts, strict=True)
        ]
    return numbered(names)


def _stem(source: str) -> str:
    name = PurePath(source).name
    for ending in ENDINGS:
        name = name.removesuffix(ending)
    return name


def numbered(names: Sequence[str]) -> list[str]:
    """Return distinct names by adding numbers to those that repeat."""
    taken: dict[str, None] = {}
    for name in names:
        others = (f"{name}_{number}" for number in count(2))
        taken[next(one for one in chain([name], others) if one not in taken)] = None
    return list(taken)


# Graphs -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Line:
    """The curve of one run."""

    run: str
    points: tuple[tuple[float, float], ...]  # without undefined points


@dataclass(frozen=True, slots=True)
class Graph:
    """The curves of all runs under one metric."""

    label: str
    name: str  # of its files
    curve: Curve
    lines: tuple[Line, ...]


def graphs(
    metrics: Sequence[Metric], means: Sequence[tuple[str, Mapping[str, float]]]
) -> list[Graph]:
    """Return the graphs of metrics that have a curve.

    `means` are the means of each run by measure.
    """
    names = numbered([re.sub(r"[^\w.+-]+", "_", one.label).strip("_") or "_" for one in metrics])
    drawn = (_graph(metric, name, means) for metric, name in zip(metrics, names, strict=True))
    return [one for one in drawn if one is not None]


def _graph(
    metric: Metric, name: str, means: Sequence[tuple[str, Mapping[str, float]]]
) -> Graph | None:
    """Return the graph of a metric, or None if there is nothing to draw."""
    if metric.curve is None:
        return None
    lines = []
    for run, values in means:
        points = [(x, values[label]) for x, label, _ in metric.curve.points if label in values]
        lines.append(Line(run, tuple(point for point in points if not isnan(point[1]))))
    drawn = tuple(line for line in lines if line.points)
    return Graph(metric.label, name, metric.curve, drawn) if drawn else None


def write_gnuplot(one: Graph, folder: Path) -> list[Path]:
    """Write a data file with a block for each run, and a script that draws them."""
    blocks = [
        f"# {_one_line(line.run)}\n" + "".join(f"{x:g} {y!r}\n" for x, y in line.points)
        for line in one.lines
    ]
    data, script = folder / f"{one.name}.dat", folder / f"{one.name}.gp"
    write_atomically(data, "\n\n".join(blocks).encode("utf-8", "surrogateescape"))
    curves = ", \\\n     ".join(
        f"{_quoted(data.name)} index {number} using 1:2 with lines title {_quoted(line.run)}"
        for number, line in enumerate(one.lines)
    )
    lines = [
        "set terminal png noenhanced size 900,600",
        f"set output {_quoted(one.name + '.png')}",
        f"set title {_quoted(one.label)}",
        f"set xlabel {_quoted(one.curve.across)}",
        f"set ylabel {_quoted(one.curve.upwards)}",
        "set yrange [0:*]",
        *(["set logscale x"] if one.curve.across == "rank" else []),
        f"plot {curves}",
    ]
    write_atomically(script, ("\n".join(lines) + "\n").encode("utf-8", "surrogateescape"))
    return [data, script]


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _quoted(text: str) -> str:
    """Return a literal string of gnuplot, in which quotes are doubled."""
    return "'" + _one_line(text).replace("'", "''") + "'"


def write_picture(one: Graph, folder: Path) -> Path:
    """Draw the graph as PNG."""
    try:
        import vl_convert
    except ImportError:
        raise MissingExtra("vl-convert", "report", "evalj -jfree") from None
    rows = [{"run": line.run, "x": x, "y": y} for line in one.lines for x, y in line.points]
    scale = {"type": "log" if one.curve.across == "rank" else "linear", "nice": False}
    chart = {
        "title": one.label,
        "width": 600,
        "height": 400,
        "data": {"values": rows},
        "mark": "line",
        "encoding": {
            "x": {"field": "x", "type": "quantitative", "scale": scale, "title": one.curve.across},
            "y": {"field": "y", "type": "quantitative", "title": one.curve.upwards},
            "color": {
                "field": "run",
                "type": "nominal",
                "sort": [line.run for line in one.lines],
                "scale": {"scheme": "tableau10" if len(one.lines) <= 10 else "tableau20"},
                "legend": {"labelLimit": 0},  # without limit
            },
        },
    }
    file = folder / f"{one.name}.png"
    write_atomically(file, vl_convert.vegalite_to_png(chart, scale=2))
    return file
