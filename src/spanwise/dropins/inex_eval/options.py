"""TEMPORARY module docstring to replace."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, cast

from spanwise.errors import UsageError

Task = Literal["t", "f", "r", "b", "i"]
USAGE = "inex_eval (-t|-f|-r|-b|-i) [-irr N] [-n N] [-beta B] [-c] [-q] QRELS RUN..."
LARGEST = 2**31 - 1
"""Largest integer of the original, which counts with 32 bits."""
HELP = f"""\
spanwise {USAGE}

Scores runs of passages against highlighted text, as inex_eval 3.1 did for INEX 2008-2010.

  -t        thorough: results may overlap, text shown before does not count again
  -f        focused: results do not overlap
  -r        relevant in context: the passages of a document together, scored by F
  -i        the same, scored by what a reader reads who tolerates some irrelevant text
  -b        best in context: one entry point for each document
  -irr N    with -i, how many irrelevant characters a reader tolerates (300)
  -n N      with -b, how far from the best entry point a result may begin (500)
  -beta B   with -r, the weight of recall (0.25)
  -c        average over all judged topics; those missing from the run count 0
  -q        also print every topic

QRELS has lines `topic Q0 document relevant length [entry offset:length ...]`, RUN has lines
`topic Q0 document rank score run-id offset length`; the order of the lines is the ranking.

Examples:
  spanwise inex_eval -f inex2009.qrels run.txt
  spanwise inex_eval -r -beta 1 -c -q inex2007.qrels run1.txt run2.txt
  spanwise inex_eval -i -irr 500 inex2010.qrels run.txt
"""


@dataclass(frozen=True, slots=True)
class Options:
    """The options of the command line."""

    task: Task | None = None
    tolerance: int = 300
    distance: int = 500
    beta: float = 0.25
    complete: bool = False
    per_topic: bool = False
    files: tuple[str, ...] = ()

    @property
    def in_context(self) -> bool:
        """Whether the task ranks documents instead of passages."""
        return self.task in ("r", "i", "b")


def parsed(words: list[str]) -> Options:
    """Parse the words of the command line."""
    options, rest = Options(), list(words)
    while rest:
        word = rest.pop(0)
        if word in ("-t", "-f", "-r", "-b", "-i"):
            if options.task is not None:
                raise UsageError(f"-{options.task} and {word}: only one task at a time")
            options = replace(options, task=cast("Task", word[1:]))
        elif word in ("-irr", "-n", "-beta"):
            if not rest:
                raise UsageError(f"{word} needs a value; expected {USAGE}")
            options = _with_value(options, word, rest.pop(0))
        elif word == "-c":
            options = replace(options, complete=True)
        elif word == "-q":
            options = replace(options, per_topic=True)
        elif word.startswith("-") and word != "-":
            raise UsageError(f"unknown option {word!r}; expected {USAGE}")
        else:
            options = replace(options, files=(*options.files, word))
    if options.task is None:
        raise UsageError(f"no task; expected {USAGE}")
    if len(options.files) < 2:
        raise UsageError(f"{len(options.files)} files; expected {USAGE}")
    return options


def _with_value(options: Options, word: str, value: str) -> Options:
    try:
        number = float(value) if word == "-beta" else int(value)
    except ValueError:
        raise UsageError(f"{word} is {value!r}; expected a number") from None
    least = 1 if word == "-n" else 0
    if not least <= number <= LARGEST:
        raise UsageError(f"{word} is {value}; it must be between {least} and {LARGEST}")
    if word == "-beta":
        return replace(options, beta=number)
    if word == "-irr":
        return replace(options, tolerance=int(number))
    return replace(options, distance=int(number))
