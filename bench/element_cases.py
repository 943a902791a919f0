"""Cases with judged elements: all official measures of INEX 2006, of all four tasks.

Only the standard library is imported here, as in cases.py.
"""

import sys
from math import log

from cases import (
    Bar,
    Case,
    Dataset,
    Entry,
    Results,
)

TOPICS, RESULTS, RUNS = 114, 1500, 100
START = "start alone"
ONE, MANY, QUARTER = "one run", "all runs", "a quarter of the runs"
TIMES = (1, 2, 4, 8)
N_LOG_N = 8 * log(8 * RESULTS) / log(RESULTS)
MOST_SECONDS_OF_ONE, MOST_SECONDS, MOST_MB = 2.0, 60.0, 2000.0
A = ("0.01", "0.1", "1", "10", "100")
MEASURES = (
    "MAep",
    *(f"nxCG@{k}" for k in (5, 10, 25, 50)),
    *(f"nxCG(overlap=off,recallbase=ideal)@{k}" for k in (5, 10, 25, 50)),
    "MAgP(beta=1)",
    *(f"gP(beta=1)@{k}" for k in (5, 10, 25, 50)),
    *(f"BEPD(A={a})" for a in A),
    *(f"EPRUM(A={a})" for a in A),
)


def evaluated(data: Dataset) -> list[str]:
    """Return the command of an evaluation as a user would type it."""
    words = [word for name in MEASURES for word in ("-m", name)]
    files = [str(data.folder / "assessments"), *map(str, data.run_paths)]
    store = ["--collection", str(data.folder / "store")]
    return [sys.executable, "-m", "spanwise", "eval", *files, *store, *words]


def started(_: Dataset) -> list[str]:
    """Return a command that only imports everything that evaluation needs."""
    modules = "spanwise.evaluation.evaluate, spanwise.workflows.explain, polars, spanwise.measures"
    return [sys.executable, "-c", f"import {modules}"]


def _one(_scale: int) -> Case:
    data = Dataset("elements", TOPICS, depth=RESULTS)
    return Case(
        "elements",
        f"one run of {TOPICS} topics x {RESULTS} elements, all measures of 2006",
        (Entry(START, started, data, has_map=False), Entry(ONE, evaluated, data, has_map=False)),
        (
            Bar(
                f"under {MOST_SECONDS_OF_ONE:g} s of CPU after the start",
                lambda results: _work(results, ONE),
                lambda figure: figure < MOST_SECONDS_OF_ONE,
            ),
        ),
        base=ONE,
    )


def _many(scale: int) -> Case:
    data = Dataset("elements", TOPICS, runs=RUNS // scale, depth=RESULTS)
    quarter = Dataset("elements", TOPICS, runs=max(RUNS // scale // 4, 1), depth=RESULTS)
    return Case(
        "elements-many",
        f"{data.runs} such runs in one call",
        (
            Entry(MANY, evaluated, data, has_map=False),
            Entry(QUARTER, evaluated, quarter, has_map=False),
        ),
        (
            Bar(
                f"{data.runs / quarter.runs:g} times the runs take no more times the CPU seconds",
                lambda results: results[MANY].cpu_seconds / results[QUARTER].cpu_seconds,
                lambda figure: figure <= data.runs / quarter.runs,
            ),
            Bar(
                f"under {MOST_SECONDS / scale:g} s",
                lambda results: results[MANY].seconds,
                lambda figure: figure < MOST_SECONDS / scale,
            ),
            Bar(
                f"under {MOST_MB:g} MB",
                lambda results: results[MANY].peak_mb,
                lambda figure: figure < MOST_MB,
            ),
        ),
        base=MANY,
    )


def _deep(scale: int) -> Case:
    """Return the case that checks how time grows with the results of each topic."""
    sets = [Dataset("elements", TOPICS // scale, depth=RESULTS * times) for times in TIMES]
    labels = [f"{times}x: {data.depth:,} results" for times, data in zip(TIMES, sets, strict=True)]
    runs = (Entry(*pair, has_map=False) for pair in zip(labels, [evaluated] * 4, sets, strict=True))
    return Case(
        "elements-linear",
        f"one run of {TOPICS // scale} topics with 1, 2, 4 and 8 times the results in each",
        (Entry(START, started, sets[0], has_map=False), *runs),
        (
            Bar(
                f"8 times the results: at most n log n, {N_LOG_N:.1f} times the CPU seconds",
                lambda results: _work(results, labels[-1]) / _work(results, labels[0]),
                lambda figure: figure <= N_LOG_N,
            ),
        ),
        base=labels[0],
        ratio_title="ratio to 1x",
    )


def _work(results: Results, label: str) -> float:
    return results[label].cpu_seconds - results[START].cpu_seconds


def element_cases(scale: int) -> list[Case]:
    """Return all cases with judged elements."""
    return [_one(scale), _many(scale), _deep(scale)]
