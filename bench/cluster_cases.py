"""Cases with cluster engines: lines per second, and the size from which each saves time.

The engines are installed in a separate environment; missing ones are left out. Only the standard
library is imported here, as in cases.py.
"""

from itertools import product

from cases import HERE, Case, Dataset, Entry, Figures, MakeCommand, Results

PYTHON = HERE.parent / ".venv-cluster" / "bin" / "python"
LIBRARIES = {"dask": "distributed", "spark": "pyspark", "ray": "ray"}
TOPICS, DEPTH, RUNS, TIMES = 50, 1000, 100, 8
WORKERS = (1, 2)
ENOUGH = 3
"""Minimum number of repeats for a comparison of speed."""


def installed() -> list[str]:
    """Return the engines installed in the environment of engines."""
    folder = PYTHON.parent.parent / "lib"
    return [name for name, library in LIBRARIES.items() if any(folder.glob(f"*/*/{library}/"))]


def _on(engine: str, workers: int) -> MakeCommand:
    program = str(HERE / "call_engine.py")
    before = [str(PYTHON), program, engine, str(workers), str(TIMES)]
    return lambda data: [*before, *data.arguments]


def _label(engine: str, workers: int) -> str:
    if engine == "processes":
        return "one process" if workers == 1 else f"{workers} processes"
    return f"{engine}, {workers} worker{'s' if workers > 1 else ''}"


ALONE = _label("processes", 1)


def lines_of(entry: Entry) -> int:
    """Return the number of lines that an entry reads while it works."""
    return entry.data.runs * TOPICS * DEPTH * TIMES


def remark(label: str, found: Figures, alone: Figures, lines: int) -> str:
    """Return the size from which an engine saves time over one process, if repeats suffice."""
    begins = f"{label}: start {found.start:.1f} s"
    if min(len(found.work), len(alone.work)) < ENOUGH:
        return f"{begins}, too few repeats to tell from which size it saves time"
    if min(found.work) >= min(alone.work):
        return f"{begins}, not faster at work than one process: it saves no time here"
    if max(found.work) >= min(alone.work):
        return (
            f"{begins}, faster at work at best, but its repeats overlap with those of one process"
        )
    saved = (min(alone.work) - min(found.work)) / lines
    pays = max(0.0, found.start - alone.start) / saved / 1e6
    return f"{begins}, saves time from about {pays:.0f} million lines"


def remarks(results: Results) -> list[str]:
    """Return a line for each engine and number of workers that was measured."""
    alone = results.get(ALONE)
    if alone is None:
        return []
    lines = alone.lines
    return [remark(label, one, alone, lines) for label, one in results.items() if label != ALONE]


def cluster_cases(scale: int) -> list[Case]:
    """Return the case of all runs of a track on one and on two workers of each engine."""
    if not installed():
        return []
    data = Dataset("newswire", TOPICS, runs=RUNS // scale, depth=DEPTH)
    pairs = product(("processes", *installed()), WORKERS)
    entries = tuple(Entry(_label(*pair), _on(*pair), data) for pair in pairs)
    return [
        Case(
            "cluster",
            f"{data.runs} runs of {TOPICS} topics x {DEPTH:,} documents, {TIMES} times, on engines",
            entries,
            (),
            base=ALONE,
            ratio_title="lines/s at work",
            lines=lines_of,
            remarks=remarks,
        )
    ]
