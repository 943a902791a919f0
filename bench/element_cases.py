"""Cases with judged elements: all official measures of INEX 2006, of all four tasks.

Only the standard library is imported here, as in cases.py.
"""

import sys

from cases import Bar, Case, Dataset, Entry

TOPICS, RESULTS, RUNS = 114, 1500, 100
START = "start alone"
ONE, MANY = "one run", "all runs"
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
    """The command as a user would type it."""
    words = [word for name in MEASURES for word in ("-m", name)]
    files = [str(data.folder / "assessments"), *map(str, data.run_paths)]
    store = ["--collection", str(data.folder / "store")]
    return [sys.executable, "-m", "spanwise", "eval", *files, *store, *words]


def started(_: Dataset) -> list[str]:
    """The interpreter with everything imported that evaluation needs."""
    modules = "spanwise.app.evaluation, spanwise.app.explaining, polars, spanwise.measure"
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
                lambda results: results[ONE].cpu_seconds - results[START].cpu_seconds,
                lambda figure: figure < MOST_SECONDS_OF_ONE,
            ),
        ),
        base=ONE,
    )


def _many(scale: int) -> Case:
    data = Dataset("elements", TOPICS, runs=RUNS // scale, depth=RESULTS)
    return Case(
        "elements-many",
        f"{data.runs} such runs in one call",
        (Entry(MANY, evaluated, data, has_map=False),),
        (
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


def element_cases(scale: int) -> list[Case]:
    """Every case with judged elements."""
    return [_one(scale), _many(scale)]
