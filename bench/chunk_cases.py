"""Cases with chunks: many questions and runs, compared at three reading budgets.

Only the standard library is imported here, as in cases.py.
"""

import sys

from cases import (
    Bar,
    Case,
    Dataset,
    Entry,
)

MOST_SECONDS, MOST_MB = 30.0, 2048
MOST_RATIO, MOST_CPU, MOST_CPU_SECONDS = 5, 60.0, 3.0
PAGE_CPU_SECONDS, PAGE_MB = 15.0, 8.0
NAME = "spanwise compare --budget"


def compare(data: Dataset) -> list[str]:
    """Return the command of a comparison as a user would type it."""
    options = ["--budget", "500,2000,8000", "--format", "json"]
    return [sys.executable, "-m", "spanwise", "compare", *data.arguments, *options]


def _many(scale: int) -> Case:
    data = Dataset("chunks", 10_000 // scale, runs=20, depth=50)
    return Case(
        "chunks",
        f"{data.topics:,} questions x 50 chunks x 20 runs at 3 budgets, with ceilings",
        (Entry(NAME, compare, data, has_map=False),),
        (
            Bar(
                f"under {MOST_SECONDS:g} s",
                lambda results: results[NAME].seconds,
                lambda figure: figure < MOST_SECONDS,
            ),
            Bar(
                f"peak memory under {MOST_MB} MB",
                lambda results: results[NAME].peak_mb,
                lambda figure: figure < MOST_MB,
            ),
        ),
        base=NAME,
    )


def _ten(scale: int) -> Case:
    data = Dataset("chunks", 1000 // scale, runs=10, depth=50)
    return Case(
        "chunks-ten",
        f"{data.topics:,} questions x 50 chunks x 10 runs at 3 budgets, with tests",
        (Entry(NAME, compare, data, has_map=False),),
        (
            Bar(
                f"under {MOST_CPU_SECONDS:g} CPU s",
                lambda results: results[NAME].cpu_seconds,
                lambda figure: figure < MOST_CPU_SECONDS,
            ),
        ),
        base=NAME,
    )


def _linear(scale: int) -> Case:
    depths = (25, 50, 100, 200)
    labels = [f"{depth} chunks each" for depth in depths]
    return Case(
        "chunks-linear",
        "spanwise compare --budget on 1, 2, 4 and 8 times the chunks",
        tuple(
            Entry(label, compare, Dataset("chunks", 2000 // scale, 2, depth), has_map=False)
            for label, depth in zip(labels, depths, strict=True)
        ),
        (
            Bar(
                "8 times the chunks take at most 9 times the seconds",
                lambda results: results[labels[-1]].seconds / results[labels[0]].seconds,
                lambda figure: figure <= 9,
            ),
        ),
        base=labels[0],
        ratio_title="ratio to 25",
    )


def report(data: Dataset) -> list[str]:
    """Return the command of a comparison that writes a page too."""
    return [*compare(data), "--html", str(data.folder / "report.html")]


def _page(scale: int) -> Case:
    data = Dataset("chunks", 1000 // scale, runs=2, depth=50)
    name = "spanwise compare --html"
    return Case(
        "chunks-page",
        f"{data.topics:,} questions x 50 chunks x 2 runs at 3 budgets, as a page",
        (Entry(name, report, data, has_map=False),),
        (
            Bar(
                f"under {PAGE_CPU_SECONDS:g} CPU s",
                lambda results: results[name].cpu_seconds,
                lambda figure: figure < PAGE_CPU_SECONDS,
            ),
            Bar(
                f"page under {PAGE_MB:g} MB",
                lambda _: (data.folder / "report.html").stat().st_size / 1e6,
                lambda figure: figure < PAGE_MB,
            ),
        ),
        base=name,
    )


def place(data: Dataset) -> list[str]:
    """Return the command that places chunks without offsets, and scores them."""
    options = ["-m", "SpanR", "--collection", str(data.folder / "documents"), "--workers", "1"]
    return [sys.executable, "-m", "spanwise", "eval", *data.arguments, *options]


def _placing(scale: int) -> Case:
    good, hopeless, million = "verbatim", "in no document", "verbatim, ten times as many"
    return Case(
        "placing",
        f"{100_000 // scale:,} chunks without offsets, and {1_000_000 // scale:,}",
        (
            Entry(good, place, Dataset("verbatim", 2000 // scale, depth=50), has_map=False),
            Entry(hopeless, place, Dataset("hopeless", 2000 // scale, depth=50), has_map=False),
            Entry(million, place, Dataset("verbatim", 20_000 // scale, depth=50), has_map=False),
        ),
        (
            Bar(
                f"hopeless chunks take at most {MOST_RATIO} times the CPU seconds of verbatim ones",
                lambda results: results[hopeless].cpu_seconds / results[good].cpu_seconds,
                lambda figure: figure <= MOST_RATIO,
            ),
            Bar(
                f"{1_000_000 // scale:,} verbatim chunks under {MOST_CPU:g} CPU seconds",
                lambda results: results[million].cpu_seconds,
                lambda figure: figure < MOST_CPU,
            ),
        ),
        base=good,
        ratio_title="ratio to verbatim",
    )


def chunk_cases(scale: int) -> list[Case]:
    """Return all cases with chunks."""
    return [_many(scale), _ten(scale), _linear(scale), _page(scale), _placing(scale)]
