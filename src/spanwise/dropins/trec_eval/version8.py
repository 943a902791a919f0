"""The drop-in for trec_eval 8.1: its options, files and numbers to the last digit.

It differs from the original in these cases: a level (-l) or a number of results (-M) below 0 is
refused, and so is a grade that is not a whole number. Judgements with a grade below -2, which the
original takes for relevant in the bpref family and in infAP, count as any other negative grade: in
the pool, but unjudged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import isnan
from typing import TYPE_CHECKING

import numpy as np

from spanwise.console import emit_bytes, say
from spanwise.dropins.trec_eval.older import (
    NO_TOPIC,
    Columns,
    Line,
    Row,
    Utility,
    aligned,
    formatted_report,
    long_lines,
    measured,
    overall_in_32_bits,
    print_lines,
    read_both,
    report_lines,
    short_lines,
    short_rows,
    with_exit_status,
)
from spanwise.dropins.trec_eval.options import real, whole
from spanwise.errors import UsageError
from spanwise.model.policy import Policy
from spanwise.version import __version__

if TYPE_CHECKING:
    from spanwise.model.arrays import BoolArray

# Options ------------------------------------------------------------------------------------------

Block = tuple[bytes | None, list[float]]
"""A topic, or None for all of them, with the values of its lines."""
AVERAGE = "Average precision (non-interpolated) for all rel docs(averaged over queries)"

NAME_WIDTH, LONGEST_TOPIC = 15, 20
USAGE = "trec_eval [-q] [-a] [-o] [-c] [-J] [-l<n>] [-N<n>] [-M<n>] [-U<a..d><x>] [-T] QRELS RUN"
HELP = f"""\
{USAGE}

Evaluate a run (topic Q0 document rank score tag) against judgements (topic 0 document grade) as
trec_eval 8.1 does. Options come first, each a word of its own, with its value attached.

  -q      print every topic, then the summary
  -a      print all measures
  -o      print the old layout, in words
  -c      average over all judged topics; those missing from the run count 0
  -J      leave out documents that are not in the judgements
  -l<n>   grades from n on are relevant; 1 by default
  -N<n>   number of documents in the collection, for utility
  -M<n>   look at the first n documents of each topic only
  -Ua<x> -Ub<x> -Uc<x> -Ud<x>   weights of utility; 1 -1 0 0 by default
  -T      the score is a time in seconds: small ones come first; with -a measures over time
  -v      print the version to standard error
  -h      print this
"""


@dataclass(frozen=True, slots=True)
class Options:
    """The options of the command line."""

    files: tuple[str, ...] = ()
    topics: bool = False
    every_measure: bool = False
    old_layout: bool = False
    complete: bool = False
    judged_only: bool = False
    level: int = 1
    depth: int | None = None
    times: bool = False
    utility: Utility = field(default_factory=Utility)

    @property
    def policy(self) -> Policy:
        """The policy that corresponds to the options."""
        return Policy(
            average_over="both",
            empty="as-is",
            depth=self.depth,
            unjudged="drop" if self.judged_only else "keep",
            order="rising" if self.times else "falling",
            follow="trec_eval 8",
        )


def run(words: list[str]) -> int:
    """Run trec_eval 8.1 and return its exit status."""
    return with_exit_status(_run, words)


def _run(words: list[str]) -> int:
    options = Options()
    rest = list(words)
    while rest and rest[0].startswith("-"):
        word = rest.pop(0)
        letter = word[1:2]
        if letter == "h":
            emit_bytes(HELP.encode())
            return 0
        if letter == "v":
            say("trec_eval", f"as trec_eval 8.1, from spanwise {__version__}")
            return 0
        options = _with_option(options, letter, word[2:])
    if len(rest) != 2:
        raise UsageError(f"{len(rest)} files after the options; expected 2: {USAGE}")
    return _evaluate(replace(options, files=tuple(rest)))


def _with_option(options: Options, letter: str, value: str) -> Options:
    match letter:
        case "q":
            return replace(options, topics=True)
        case "a":
            return replace(options, every_measure=True)
        case "o":
            return replace(options, old_layout=True)
        case "c":
            return replace(options, complete=True)
        case "J":
            return replace(options, judged_only=True)
        case "T":
            return replace(options, times=True)
        case "l":
            return replace(options, level=_not_negative("-l", value))
        case "M":
            return replace(options, depth=_not_negative("-M", value))
        case "N":
            return replace(options, utility=replace(options.utility, documents=whole(value)))
        case "U" if value[:1] in ("a", "b", "c", "d"):
            weights = list(options.utility.weights)
            weights["abcd".index(value[0])] = real(value[1:])
            a, b, c, d = weights
            return replace(options, utility=replace(options.utility, weights=(a, b, c, d)))
    raise UsageError(f"unknown option '-{letter}{value}'; expected {USAGE}")


def _not_negative(option: str, value: str) -> int:
    number = whole(value)
    if number < 0:
        raise UsageError(f"{option} is {number}; it must be 0 or more")
    return number


# Evaluation ---------------------------------------------------------------------------------------


def _evaluate(options: Options) -> int:
    judgements, results = read_both(*options.files)
    found = aligned(judgements, results, options.policy)
    report = list(short_rows(AVERAGE)) if options.old_layout else []
    lines = report_lines(report) if report else _lines(options)
    columns = measured(found, lines, options.level, times=options.times)
    counted = found.retrieved > 0  # topics without results are listed, not averaged
    topics = len(judgements.rows.topics) if options.complete else int(counted.sum())
    blocks = _listed(found.topics, columns, counted) if options.topics else []
    if counted.any():
        blocks.append((None, _summary(lines, columns, counted, topics)))
    for topic, values in blocks:
        print_lines(_in_words(report, topic, values) if report else _in_lines(lines, topic, values))
    return 0 if counted.any() else NO_TOPIC


def _lines(options: Options) -> list[Line]:
    if not options.every_measure:
        return short_lines()
    return long_lines(options.utility, timed=options.times)


def _listed(topics: Sequence[bytes], columns: Columns, counted: BoolArray) -> list[Block]:
    """Return the values of each topic; zeros if no result is left to evaluate."""
    table = np.array([np.where(counted, values, 0) for values, *_ in columns])
    return list(zip(topics, table.T.tolist(), strict=True))


def _summary(
    lines: Sequence[Line], columns: Columns, counted: BoolArray, topics: int
) -> list[float]:
    """Return the value over all topics for each line."""
    return [
        overall_in_32_bits([column[counted] for column in parts], line.overall, topics)
        for line, parts in zip(lines, columns, strict=True)
    ]


# Layouts ------------------------------------------------------------------------------------------


def _in_words(report: Sequence[Row], topic: bytes | None, values: list[float]) -> list[bytes]:
    """Format values in the old layout, with headings; None means all topics."""
    return formatted_report(
        b"Queryid (Num):\t" + (b"All" if topic is None else topic), report, values
    )


def _in_lines(lines: Sequence[Line], topic: bytes | None, values: list[float]) -> list[bytes]:
    """Format values in the usual layout: name, topic, value."""
    name = b"all" if topic is None else topic[:LONGEST_TOPIC]
    return [
        f"{line.name:<{NAME_WIDTH}}\t".encode() + name + f"\t{_number(line, value)}".encode()
        for line, value in zip(lines, values, strict=True)
        if (line.summary if topic is None else line.per_topic)
    ]


def _number(line: Line, value: float) -> str:
    if line.whole:
        return str(int(value))
    return "  -nan" if isnan(value) else f"{value:6.4f}"  # C prints the sign of 0 / 0
