"""The pictures of the study, drawn from its results.

    python examples/chunking-study/pictures.py RESULTS FOLDER

Draws the results in one folder to another.
"""

import sys
from pathlib import Path

from analysis import BUDGETS, LIBRARIES, RETRIEVERS, SEMANTIC, SIZES, WORDS, K, read

import spanwise

COLOURS = ["#2f7ed8", "#e08a00", "#129b74"]
NAMES = {"bm25": "BM25", "wordllama": "static embeddings"}


def draw(results, folder):
    """Write all pictures to a folder, if the library that draws them is installed."""
    made = {"sizes": sizes, "contrasts": contrasts, "semantic": semantic}
    try:
        for name, picture in made.items():
            picture(results).save(folder / f"chunking-study-{name}.svg")
    except spanwise.SpanwiseError as error:
        print(f"no pictures: {error}", file=sys.stderr)


def mean_of(results, size, retriever, measure):
    """Return the mean over libraries and overlaps."""
    runs = [
        f"{library}-{size}/{overlap} {retriever}"
        for library in LIBRARIES
        for overlap in (0, size // 4)
    ]
    found = [row[measure] for row in results["runs"] if row["run"] in runs]
    return sum(found) / len(found)


def sizes(results):
    """Draw measures over the size of chunks: at five chunks, and at equal reading."""
    panels = {
        f"hit rate of {K} chunks": f"ChunkHit@{K}",
        f"recall of {K} chunks": f"SpanR@{K}",
        **{f"recall at {budget:,} characters": f"SpanR(budget={budget})" for budget in BUDGETS},
    }
    values = [
        {
            "panel": panel,
            "retriever": NAMES[retriever],
            "size": size,
            "value": mean_of(results, size, retriever, measure),
        }
        for panel, measure in panels.items()
        for retriever in RETRIEVERS
        for size in SIZES
    ]
    spec = {
        "width": 150,
        "height": 190,
        "mark": {"type": "line", "point": {"size": 40, "filled": True}, "strokeWidth": 2},
        "encoding": {
            "column": {
                "field": "panel",
                "title": None,
                "sort": list(panels),
                "header": {"labelFontSize": 12},
            },
            "x": {
                "field": "size",
                "type": "quantitative",
                "title": "characters in a chunk, at most",
                "scale": {"type": "log", "nice": False, "padding": 12},
                "axis": {"values": list(SIZES), "grid": False, "titleFontWeight": "normal"},
            },
            "y": {
                "field": "value",
                "type": "quantitative",
                "title": "mean over 472 questions",
                "scale": {"domain": [0.3, 1]},
                "axis": {"titleFontWeight": "normal"},
            },
            "color": {
                "field": "retriever",
                "title": None,
                "scale": {"range": COLOURS},
                "legend": {"orient": "bottom"},
            },
        },
    }
    return spanwise.Picture(spec, values)


def contrasts(results):
    """Draw the differences with their intervals, a row for each contrast and budget."""
    values = [
        {
            "contrast": row["contrast"],
            "budget": f"{budget_of(row['measure']):,}",
            "difference": row["difference"],
            "low": row["low"],
            "high": row["high"],
        }
        for row in results["contrasts"]
        if row["family"] == "recall"
    ]
    budgets = [f"{budget:,}" for budget in BUDGETS]
    rows = list(dict.fromkeys(one["contrast"] for one in values))
    encoding = {
        "y": {
            "field": "contrast",
            "type": "nominal",
            "sort": rows,
            "title": None,
            "axis": {"labelLimit": 400, "ticks": False, "domain": False, "labelPadding": 8},
        },
        "yOffset": {"field": "budget", "sort": budgets},
        "color": {
            "field": "budget",
            "sort": budgets,
            "title": "characters read",
            "scale": {"range": COLOURS},
            "legend": {"orient": "bottom"},
        },
    }
    across = {
        "type": "quantitative",
        "title": "difference in recall, with intervals that hold together",
        "axis": {"titleFontWeight": "normal", "format": "+.2f"},
    }
    spec = {
        "width": 430,
        "height": {"step": 13},
        "layer": [
            {
                "mark": {"type": "rule", "color": "#333333"},
                "encoding": {"x": {"datum": 0, "type": "quantitative"}},
            },
            {
                "mark": {"type": "rule", "strokeWidth": 2},
                "encoding": {
                    **encoding,
                    "x": {**across, "field": "low"},
                    "x2": {"field": "high"},
                },
            },
            {
                "mark": {"type": "point", "filled": True, "size": 45, "opacity": 1},
                "encoding": {**encoding, "x": {**across, "field": "difference"}},
            },
        ],
    }
    return spanwise.Picture(spec, values)


def budget_of(measure):
    """Return the budget in the name of a measure."""
    return int(measure.partition("budget=")[2].rstrip(")"))


def semantic(results):
    """Draw recall over the mean length of chunks, for semantic chunkers and their controls."""
    values = []
    for row in results["runs"]:
        way, _, retriever = row["run"].rpartition(" ")
        control = "-like-" in way
        if not control and "-semantic-" not in way:
            continue
        kind = way.partition("-like-")[0] if control else way.rpartition("-")[0]
        values += [
            {
                "kind": WORDS[kind],
                "panel": f"{NAMES[retriever]}, {budget:,} characters",
                "length": row["mean_length"],
                "value": row[f"SpanR(budget={budget})"],
            }
            for budget in BUDGETS
        ]
    panels = [f"{word}, {b:,} characters" for word in NAMES.values() for b in BUDGETS]
    kinds = [WORDS[kind] for pair in SEMANTIC.items() for kind in pair]
    spec = {
        "width": 190,
        "height": 150,
        "mark": {"type": "line", "point": {"size": 45, "filled": True}, "strokeWidth": 1.5},
        "encoding": {
            "facet": {
                "field": "panel",
                "columns": len(BUDGETS),
                "title": None,
                "sort": panels,
                "header": {"labelFontSize": 12},
            },
            "x": {
                "field": "length",
                "type": "quantitative",
                "title": "mean characters in a chunk",
                "scale": {"type": "log", "nice": False, "padding": 10},
                "axis": {
                    "values": [200, 400, 800, 1600, 3200],
                    "grid": False,
                    "titleFontWeight": "normal",
                },
            },
            "y": {
                "field": "value",
                "type": "quantitative",
                "title": "recall",
                "scale": {"zero": False},
                "axis": {"titleFontWeight": "normal", "tickCount": 5},
            },
            "color": {
                "field": "kind",
                "title": None,
                "sort": kinds,
                "scale": {"domain": kinds, "range": [*COLOURS, "#d64550"]},
                "legend": {"orient": "bottom", "labelLimit": 300, "symbolType": "circle"},
            },
            "strokeDash": {
                "field": "kind",
                "sort": kinds,
                "scale": {"domain": kinds, "range": [[1, 0], [5, 3], [1, 0], [5, 3]]},
                "legend": None,
            },
        },
    }
    return spanwise.Picture(spec, values)


if __name__ == "__main__":
    draw(read(Path(sys.argv[1])), Path(sys.argv[2]))
