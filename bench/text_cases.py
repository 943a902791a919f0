"""Cases with highlighted text: runs of passages, scored as inex_eval did.

Only the standard library is imported here, as in cases.py.
"""

import sys

from cases import (
    Bar,
    Case,
    Dataset,
    Entry,
    Results,
)

JAVA_SECONDS = 0.25
"""Seconds of the official Java program for one run of this size, including its start."""
MOST_CPU_SECONDS = 3.0
PASSAGES = 312
"""Results of each topic: about three passages from each of a hundred documents."""
ONE, MANY = "spanwise inex_eval, 1 run", "spanwise inex_eval"


def inex_eval(task: str, data: Dataset) -> list[str]:
    """Return the command of the drop-in as a user would type it."""
    return [sys.executable, "-m", "spanwise", "inex_eval", task, *data.arguments]


def focused(data: Dataset) -> list[str]:
    """Return the command for runs whose passages do not overlap."""
    return inex_eval("-f", data)


def thorough(data: Dataset) -> list[str]:
    """Return the command for runs whose passages may overlap."""
    return inex_eval("-t", data)


def _one(_scale: int) -> Case:
    """Return the case of one run of real size, dominated by the start of the program."""
    data = Dataset("text", 60, depth=PASSAGES)
    return Case(
        "text",
        f"one run of 60 topics x {PASSAGES} passages; highlighted text of 120 topics",
        (Entry(ONE, focused, data, has_map=False),),
        (
            Bar(
                f"CPU seconds at most the {JAVA_SECONDS} s that the Java program takes",
                lambda results: results[ONE].cpu_seconds,
                lambda figure: figure <= JAVA_SECONDS,
            ),
        ),
        repeat_factor=5,
        base=ONE,
    )


def _many(scale: int) -> Case:
    """Return the case of a hundred such runs in one call."""
    data = Dataset("text", 60, runs=100 // scale, depth=PASSAGES)

    def cpu_seconds(results: Results) -> float:
        return results[MANY].cpu_seconds

    return Case(
        "texts",
        f"{data.runs} runs of 60 topics x {PASSAGES} passages in one call",
        (Entry(MANY, focused, data, has_map=False),),
        (
            Bar(
                f"under {MOST_CPU_SECONDS:g} s of CPU",
                cpu_seconds,
                lambda figure: figure < MOST_CPU_SECONDS,
            ),
        ),
        base=MANY,
    )


def _one_document(scale: int) -> Case:
    """Return the case of overlapping passages of one document, which must stay linear."""
    sizes = [320_000 // scale // part for part in (8, 4, 2, 1)]
    labels = [f"{times}x: {n:,} passages" for times, n in zip((1, 2, 4, 8), sizes, strict=True)]
    return Case(
        "text-linear",
        "spanwise inex_eval -t on 1, 2, 4 and 8 times the passages of one document",
        tuple(
            Entry(label, thorough, Dataset("one-document", 1, depth=size), has_map=False)
            for label, size in zip(labels, sizes, strict=True)
        ),
        (
            Bar(
                "8 times the passages take at most 9 times the seconds",
                lambda results: results[labels[-1]].seconds / results[labels[0]].seconds,
                lambda figure: figure <= 9,
            ),
        ),
        base=labels[0],
        ratio_title="ratio to 1x",
    )


def text_cases(scale: int) -> list[Case]:
    """Return all cases with highlighted text."""
    return [make(scale) for make in (_one, _many, _one_document)]
