"""Plots as Vega-Lite specifications, for the page and for papers.

The data is added later. Points of a curve have run, x, y, low and high; differences have topic,
difference and side; points of a scatter plot have name, x, y, disagrees, and a label if there are
few; those of groups have group, run, topics, value, low and high.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf, isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spanwise.errors import MissingExtra, UnknownName, UsageError
from spanwise.report.comparison import WORDS, base_of

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray
    from spanwise.model.comparison import Contest
    from spanwise.model.groups import GroupedMeans
    from spanwise.model.scores import Scores

Spec = dict[str, Any]
SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
COLOURS = (
    *("#0072B2", "#D55E00", "#009E73", "#CC79A7"),
    *("#E69F00", "#56B4E9", "#000000", "#F0E442"),
)
"""Colours of runs, which colour-blind readers can tell apart (Okabe and Ito, 2008)."""
DASHES = ((1, 0), (6, 3), (2, 2))
"""Line styles of runs: each of them with every colour, in turn."""
BETTER, WORSE, SAME = "#009E73", "#D55E00", "#8a8a8a"
ENDINGS = ("svg", "png", "pdf", "json", "html")


ENDS = "half of the topics return no more"
"""What the mark at the end of a curve over reading budgets says."""


def style_of(place: int) -> tuple[str, tuple[int, int]]:
    """Return the colour and the line style of a run, given its place on the command line.

    >>> style_of(0), style_of(8)
    (('#0072B2', (1, 0)), ('#0072B2', (6, 3)))
    """
    turn, colour = divmod(place, len(COLOURS))
    return COLOURS[colour], DASHES[turn % len(DASHES)]


def curve_spec(curve: Curve) -> Spec:
    """Return lines with confidence bands, with a colour for each run."""
    scale: Spec = {"type": "log", "nice": False} if curve.logarithmic else {"domain": [0, 1]}
    x: Spec = {"field": "x", "type": "quantitative", "title": curve.x_title, "scale": scale}
    x["axis"] = {"labelOverlap": "greedy", "labelFlush": False, "labelSeparation": 6}
    if curve.logarithmic:
        x["axis"] |= {"values": list(curve.places), "grid": False}
    named = {"field": "run", "type": "nominal", "title": None, "sort": None}
    styles = [style_of(n) for n in range(len(COLOURS) * len(DASHES))]
    dash = {**named, "scale": {"range": [list(dash) for _, dash in styles]}}
    colour = {
        **named,
        "scale": {"range": [colour for colour, _ in styles]},
        "legend": {
            "orient": "bottom",
            "columns": 3,
            "labelLimit": 400,
            "symbolType": "stroke",
            "symbolOpacity": 1,
            "symbolStrokeWidth": 3,
        },
    }
    tooltip = [
        {"field": "run"},
        {"field": "x", "title": curve.x},
        *({"field": f, "title": t, "format": ".4f"} for f, t in
          (("y", curve.y), ("low", "from"), ("high", "to"))),
    ]  # fmt: skip
    y: Spec = {"type": "quantitative", "title": curve.y_title}
    if all(map(isfinite, curve.bounds)):
        y["scale"] = {"domain": list(curve.bounds), "clamp": True}
    band = {
        "mark": {"type": "area", "opacity": 0.13, "clip": True},
        "encoding": {"y": {**y, "field": "low"}, "y2": {"field": "high"}},
    }
    line = {
        "mark": {"type": "line", "point": {"size": 22, "filled": True}, "strokeWidth": 2},
        "encoding": {"y": {**y, "field": "y"}, "strokeDash": dash, "tooltip": tooltip},
    }
    layer: list[Spec] = [band, line]
    if curve.of_budgets:
        stop = {"type": "point", "shape": "diamond", "size": 150, "strokeWidth": 2, "filled": False}
        end: Spec = {
            "transform": [{"filter": "datum.end"}],
            "mark": stop,
            "encoding": {"y": {**y, "field": "y"}, "tooltip": {"value": ENDS}},
        }
        layer.append(end)
    return {"encoding": {"x": x, "color": colour}, "layer": layer}


def differences_spec(measure: str, run: str, baseline: str) -> Spec:
    """Return a bar for each topic, the largest gain first."""
    colour = {
        "field": "side",
        "type": "nominal",
        "scale": {"domain": ["better", "worse", "same"], "range": [BETTER, WORSE, SAME]},
        "legend": None,
    }
    y = {
        "field": "difference",
        "type": "quantitative",
        "title": f"{measure}: {run} minus {baseline}",
        "stack": None,  # stacking fails for topics with some names
    }
    x = {
        "field": "topic",
        "type": "nominal",
        "sort": None,
        "title": None,
        "axis": {"labelAngle": -90, "labelOverlap": "greedy", "labelLimit": 60, "ticks": False},
    }
    tooltip = [
        {"field": "topic"},
        *({"field": f, "format": ".4f"} for f in ("difference", "run", "baseline")),
    ]
    return {
        "mark": {"type": "bar", "cursor": "pointer"},
        "encoding": {"x": x, "y": y, "color": colour, "tooltip": tooltip},
    }


def scatter_spec(x: str, y: str) -> Spec:
    """Return a scatter plot of two measures that emphasises disagreements."""
    colour = {
        "field": "disagrees",
        "type": "nominal",
        "scale": {"domain": [False, True], "range": [COLOURS[0], WORSE]},
        "legend": None,
    }
    shape = {
        "field": "disagrees",
        "type": "nominal",
        "scale": {"domain": [False, True], "range": ["circle", "diamond"]},
        "legend": None,
    }
    tooltip = [
        {"field": "name", "title": "name"},
        {"field": "x", "title": x, "format": ".4f"},
        {"field": "y", "title": y, "format": ".4f"},
    ]
    axis = {
        "type": "quantitative",
        "scale": {"zero": False, "nice": False, "padding": 24},
        "axis": {"tickCount": 8},
    }
    point = {
        "mark": {"type": "point", "filled": True, "size": 70, "opacity": 0.8},
        "encoding": {"color": colour, "shape": shape, "tooltip": tooltip},
    }
    name = {
        "mark": {"type": "text", "dy": -11, "limit": 140},
        "encoding": {"text": {"field": "label"}},
    }
    across, up = ({**axis, "field": f, "title": t} for f, t in (("x", x), ("y", y)))
    return {"encoding": {"x": across, "y": up}, "layer": [point, name]}


LABELLED = 12
"""Maximum number of points that are labelled with their names."""


def disagreements(x: Sequence[float], y: Sequence[float]) -> list[bool]:
    """Return for each item whether two measures order it differently than some other item.

    Ties count as agreement.

    >>> disagreements([1, 2, 3], [1, 3, 2])
    [False, True, True]
    """
    pairs = list(zip(x, y, strict=True))
    return [any((a - c) * (b - d) < 0 for c, d in pairs) for a, b in pairs]


def groups_spec(measure: str) -> Spec:
    """Return a point with its interval for each group and run."""
    runs: dict[str, Any] = {"field": "run", "type": "nominal"}
    x = {
        "field": "group",
        "type": "nominal",
        "title": None,
        "sort": None,
        "axis": {"labelAngle": -30, "labelLimit": 160},
    }
    y: dict[str, Any] = {"type": "quantitative", "title": measure, "scale": {"zero": False}}
    colour = {
        **runs,
        "title": None,
        "scale": {"range": list(COLOURS)},
        "legend": {"orient": "bottom", "columns": 3, "labelLimit": 400},
    }
    tooltip = [
        *({"field": name} for name in ("group", "run", "topics")),
        *({"field": name, "format": ".4f"} for name in ("value", "low", "high")),
    ]
    interval = {
        "mark": {"type": "rule", "strokeWidth": 2, "opacity": 0.5},
        "encoding": {"y": {**y, "field": "low"}, "y2": {"field": "high"}},
    }
    mean = {
        "mark": {"type": "point", "filled": True, "size": 70, "opacity": 1},
        "encoding": {"y": {**y, "field": "value"}, "tooltip": tooltip},
    }
    encoding = {"x": x, "xOffset": {**runs, "sort": None}, "color": colour}
    return {"encoding": encoding, "layer": [interval, mean]}


def group_points(groups: GroupedMeans, measure: str) -> list[dict[str, Any]]:
    """Return the data of a picture: group, run, mean and bounds of one measure."""
    several = len(groups.groupings) > 1
    return [
        {
            "group": f"{one.grouping}: {one.group}" if several else one.group,
            "run": one.run,
            "topics": one.topics,
            "value": one.value,
            "low": one.low if isfinite(one.low) else one.value,
            "high": one.high if isfinite(one.high) else one.value,
        }
        for one in groups.means
        if one.measure == measure and isfinite(one.value)
    ]


def ranks_spec(measure: str) -> Spec:
    """Return the interval of the rank of each run, with the probability that it is the best."""
    runs: dict[str, Any] = {"field": "run", "type": "nominal", "title": None, "sort": None}
    x: dict[str, Any] = {
        "type": "quantitative",
        "title": f"rank by {measure}, 95 % interval",
        "axis": {"tickMinStep": 1},
        "scale": {"zero": False, "nice": False, "padding": 12},
    }
    tooltip = [
        *({"field": name} for name in ("run", "low", "high")),
        {"field": "probability", "format": ".1%", "title": "probability of being the best"},
    ]
    interval = {
        "mark": {"type": "bar", "height": 8, "cornerRadius": 4, "opacity": 0.35},
        "encoding": {"x": {**x, "field": "from"}, "x2": {"field": "to"}, "tooltip": tooltip},
    }
    likely = {
        "mark": {"type": "point", "filled": True, "size": 70, "opacity": 1},
        "encoding": {"x": {**x, "field": "rank"}, "tooltip": tooltip},
    }
    words = {
        "mark": {"type": "text", "align": "left", "dx": 8, "dy": -10},
        "encoding": {"x": {**x, "field": "rank"}, "text": {"field": "label"}},
    }
    colour = {"field": "out", "type": "nominal", "legend": None}
    scale = {"domain": [False, True], "range": [COLOURS[0], "#888888"]}
    return {
        "encoding": {"y": runs, "color": {**colour, "scale": scale}},
        "layer": [interval, likely, words],
    }


def rank_points(contest: Contest, order: Sequence[int]) -> list[dict[str, Any]]:
    """Return the data of a picture of ranks: a run, its interval, its rank, and its chance."""
    return [
        {
            "run": contest.runs[run],
            "rank": rank,
            "low": contest.rank_low[run],
            "high": contest.rank_high[run],
            "from": contest.rank_low[run] - 0.15,
            "to": contest.rank_high[run] + 0.15,
            "probability": contest.probability[run],
            "label": f"{contest.probability[run]:.0%}",
            "out": bool(contest.behind[run]),
        }
        for rank, run in enumerate(order, start=1)
    ]


# Drawing ------------------------------------------------------------------------------------------

PAPER = {
    "background": "white",
    "view": {"stroke": None},
    "axis": {"labelFontSize": 11, "titleFontSize": 12, "gridColor": "#e6e6e6"},
    "legend": {"labelFontSize": 11},
}


def drawn(spec: Spec, values: Sequence[dict[str, Any]], ending: str) -> bytes:
    """Draw a specification with its data as SVG, PNG, PDF or JSON."""
    if ending not in ENDINGS[:4]:
        raise UsageError(f"found the picture format {ending!r}; expected .png, .svg, .pdf or .json")
    whole = {
        "$schema": SCHEMA,
        "width": 480,
        "height": 320,
        **spec,
        "data": {"values": list(values)},
        "config": PAPER,
    }
    if ending == "json":
        import json

        return (json.dumps(whole, indent=1) + "\n").encode()
    convert = converter()
    if ending == "png":
        return bytes(convert.vegalite_to_png(whole, scale=3))
    svg: str = convert.vegalite_to_svg(whole)
    return svg.encode() if ending == "svg" else bytes(convert.svg_to_pdf(svg))


def ending_of(file: str) -> str:
    """Return the lower-case extension of a file name."""
    return Path(file).suffix.lstrip(".").lower()


def converter() -> Any:
    """Import vl-convert, which draws without a browser and without a network."""
    try:
        import vl_convert
    except ImportError:
        raise MissingExtra("vl-convert-python", "report", "a picture") from None
    return vl_convert


# Curves -------------------------------------------------------------------------------------------
#
# The value at each point of a curve is an ordinary measure.

LEVELS = tuple(n / 20 for n in range(21))
TENTHS = tuple(n / 10 for n in range(11))
HUNDREDTHS = tuple(n / 100 for n in range(1, 101))
RANKS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100)
BUDGETS = (100, 200, 500, 1000, 2000, 4000, 8000, 16000, 32000)


@dataclass(frozen=True, slots=True)
class Curve:
    """The axes of a curve and the template of the measure at each position."""

    name: str
    x: str
    y: str
    template: str  # the measure, with `{x}` for the position
    places: tuple[float, ...]
    logarithmic: bool = False
    reads: str = ""  # kind of judgements; empty for that of its measure
    bounds: tuple[float, float] = (-inf, inf)  # the least and the largest value of its measure

    @property
    def x_title(self) -> str:
        """The title of the horizontal axis, with its unit and kind."""
        unit = {"rank": " (number of results)", "recall": " (share)", "gain-recall": " (share)"}
        kind = ", logarithmic" if self.logarithmic else ""
        return f"{self.x}{unit.get(self.x, '')}{kind}"

    @property
    def y_title(self) -> str:
        """The title of the vertical axis, with its unit."""
        share = "share, " if self.bounds == (0, 1) else ""
        return f"{self.y} ({share}mean over topics)"

    @property
    def of_budgets(self) -> bool:
        """Whether positions are reading budgets, which a run may not reach."""
        return "budget={x}" in self.template

    def measures(self) -> list[str]:
        """Return the measure at every position of the curve."""
        return [self.template.format(x=f"{place:g}") for place in self.places]


CURVES: dict[str, tuple[Curve, ...]] = {
    "recall-precision": (
        Curve("recall-precision", "recall", "precision", "IPrec[{x}]", TENTHS, reads="rankings"),
        Curve(
            "recall-precision", "recall", "precision", "precall[{x}]", HUNDREDTHS, reads="elements"
        ),
        Curve("recall-precision", "recall", "precision", "iP[{x}]", LEVELS, reads="readings"),
    ),
    "ep-gr": (Curve("ep-gr", "gain-recall", "effort-precision", "ep[{x}]", HUNDREDTHS),),
    "nxCG": (Curve("nxCG", "rank", "nxCG", "nxCG@{x}", RANKS, True),),
    "gain-recall": (Curve("gain-recall", "rank", "gain-recall", "gr@{x}", RANKS, True),),
    "budget": (Curve("budget", "characters read", "recall", "SpanR(budget={x})", BUDGETS, True),),
}
"""Curves by name; the last one that fits the judgements is drawn."""

AT, LEVEL = re.compile(r"@\d+$"), re.compile(r"\[[\d.]+\]$")
BUDGET = re.compile(r"budget=\d+")


def curve_of(measure: str) -> Curve | None:
    """Return the curve of a measure over its cut-offs, levels or budgets.

    The result is None if the measure has none of them.

    >>> curve_of("nDCG@10").template
    'nDCG@{x}'
    """
    if AT.search(measure):
        name = AT.sub("@{x}", measure)
        stem = measure.partition("@")[0]
        return Curve(f"{stem} by rank", "rank", stem, name, RANKS, True)
    if LEVEL.search(measure):
        stem = LEVEL.sub("", measure)
        places = (
            LEVELS if stem.startswith(("iP", "IPrec")) else LEVELS[1:]
        )  # most measures have no level 0
        if re.match(r"(ep|precall)\b", stem):  # as in their campaigns
            places = HUNDREDTHS
        return Curve(f"{stem} by recall", "recall", stem, f"{stem}[{{x}}]", places)
    if BUDGET.search(measure):
        name = BUDGET.sub("budget={x}", measure)
        stem = base_of(measure)
        title = WORDS.get(stem, stem)
        return Curve(f"{title} by budget", "characters read", title, name, BUDGETS, True)
    return None


def find_curve(name: str, measures: Sequence[str], kinds: Sequence[str]) -> Curve:
    """Return the curve of a name; `curve` means that of the first measure."""
    if name == "curve":
        found = curve_of(measures[0]) if measures else None
        if found is None:
            raise UsageError("a curve needs a measure with a cut-off, such as -m nDCG@10")
        return found
    if name not in CURVES:
        raise UnknownName("curve", name, [*CURVES, "curve"])
    fitting = [one for one in CURVES[name] if not one.reads or one.reads in kinds]
    if not fitting:
        raise UsageError(f"{name} cannot be drawn from {' and '.join(kinds)}")
    return fitting[-1]


def curve_points(
    curve: Curve,
    results: Sequence[Scores],
    names: Sequence[str],
    interval: Callable[[FloatArray], tuple[float, float, float]],
) -> list[dict[str, Any]]:
    """Return the run, position, mean and bounds of every point.

    A curve over budgets ends where fewer than half of the topics reach them; its last point says
    so.
    """
    points: list[dict[str, Any]] = []
    for name, scores in zip(names, results, strict=True):
        drawn = [
            (place, *interval(scores.values[measure]))
            for place, measure in zip(curve.places, curve.measures(), strict=True)
            if scores.far(measure)
        ]
        mine = [
            {"run": name, "x": place, "y": mean, "low": low, "high": high}
            if low == low
            else {"run": name, "x": place, "y": mean, "low": mean, "high": mean}
            for place, mean, low, high in drawn
            if mean == mean
        ]
        if mine and len(drawn) < len(curve.places):
            mine[-1]["end"] = True
        points += mine
    return points
