"""Cases with runs larger than memory: 100 million lines, in one process and in two.

Only the standard library is imported here, as in cases.py.
"""

from cases import (
    Bar,
    Case,
    Dataset,
    Entry,
    MakeCommand,
    Results,
    spanwise_command,
)

BASE, ONE, TWO = "7 million lines", "100 million lines", "100 million lines, 2 workers"


def _with(workers: int) -> MakeCommand:
    return lambda data: [*spanwise_command(data), "--workers", str(workers)]


def memory_cases(scale: int) -> list[Case]:
    """Return the case of a run of 7 million lines and one of fourteen times as many."""
    few, many = Dataset("log", 6980 // scale), Dataset("log", 100_000 // scale)

    def slowdown(results: Results) -> float:
        each = results[ONE].cpu_seconds / many.topics
        return each / (results[BASE].cpu_seconds / few.topics)

    return [
        Case(
            "memory",
            "one run of 100 million lines, beside one of 7 million",
            (
                Entry(BASE, _with(1), few),
                Entry(ONE, _with(1), many),
                Entry(TWO, _with(2), many),
            ),
            (
                Bar(
                    "CPU seconds per line at most twice those of 7 million lines",
                    slowdown,
                    lambda figure: figure <= 2,
                ),
                Bar(
                    "peak memory at most 2048 MB, one process",
                    lambda results: results[ONE].peak_mb,
                    lambda figure: figure <= 2048,
                ),
                Bar(
                    "peak memory at most 2048 MB, two processes",
                    lambda results: results[TWO].peak_mb,
                    lambda figure: figure <= 2048,
                ),
            ),
            base=BASE,
            ratio_title="ratio to 7 million",
        )
    ]
