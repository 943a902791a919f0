"""Pictures as Vega-Lite: the same for the page and for the paper. The data is put in later.

A curve has points with run, x, y, low, high; differences have topic, difference, side; a scatter
has name, x, y, disagrees, and a label where points are few.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spanwise.errors import MissingExtra, UsageError

if TYPE_CHECKING:
    from spanwise.report.curves import Curve

Spec = dict[str, Any]
SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
COLOURS = (
    *("#2f7ed8", "#e08a00", "#129b74", "#d64550"),
    *("#8a5cd6", "#c2578f", "#3a9fb0", "#8a8a8a"),
)
BETTER, WORSE, SAME = "#129b74", "#d64550", "#8a8a8a"
ENDINGS = ("svg", "png", "pdf", "json", "html")


def curve_spec(curve: Curve) -> Spec:
    """Lines with bands, a colour for each run."""
    scale: Spec = {"type": "log", "nice": False} if curve.logarithmic else {"domain": [0, 1]}
    x: Spec = {"field": "x", "type": "quantitative", "title": curve.x, "scale": scale}
    x["axis"] = {"labelOverlap": "greedy", "labelFlush": False, "labelSeparation": 6}
    if curve.logarithmic:
        x["axis"] |= {"values": list(curve.places), "grid": False}
    colour = {
        "field": "run",
        "type": "nominal",
        "title": None,
        "scale": {"range": list(COLOURS)},
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
    y: Spec = {"type": "quantitative", "title": curve.y}
    if curve.bounded:
        y["scale"] = {"domain": [0, 1], "clamp": True}
    band = {
        "mark": {"type": "area", "opacity": 0.13, "clip": True},
        "encoding": {"y": {**y, "field": "low"}, "y2": {"field": "high"}},
    }
    line = {
        "mark": {"type": "line", "point": {"size": 22, "filled": True}, "strokeWidth": 2},
        "encoding": {"y": {**y, "field": "y"}, "tooltip": tooltip},
    }
    return {"encoding": {"x": x, "color": colour}, "layer": [band, line]}


def differences_spec(measure: str, run: str, baseline: str) -> Spec:
    """A bar for each topic, the largest gain first."""
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
        "stack": None,  # stacks are kept under the names of topics, and some names are taken
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
    """One measure against another; what they disagree about stands out."""
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
"""Up to so many points have their names beside them."""


def disagreements(x: Sequence[float], y: Sequence[float]) -> list[bool]:
    """Which things two measures put in another order than some other thing; equals agree.

    >>> disagreements([1, 2, 3], [1, 3, 2])
    [False, True, True]
    """
    pairs = list(zip(x, y, strict=True))
    return [any((a - c) * (b - d) < 0 for c, d in pairs) for a, b in pairs]


# Drawing ------------------------------------------------------------------------------------

PAPER = {
    "background": "white",
    "view": {"stroke": None},
    "axis": {"labelFontSize": 11, "titleFontSize": 12, "gridColor": "#e6e6e6"},
    "legend": {"labelFontSize": 11},
}


def drawn(spec: Spec, values: Sequence[dict[str, Any]], ending: str) -> bytes:
    """A picture in a format that papers and slides take."""
    if ending not in ENDINGS[:4]:
        raise UsageError(f"a picture cannot be {ending!r}; expected .png, .svg, .pdf or .json")
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
    """What kind of picture a file's name asks for."""
    return Path(file).suffix.lstrip(".").lower()


def converter() -> Any:
    """vl-convert, which draws without a browser and without a network."""
    try:
        import vl_convert
    except ImportError:
        raise MissingExtra("vl-convert-python", "report", "a picture") from None
    return vl_convert
