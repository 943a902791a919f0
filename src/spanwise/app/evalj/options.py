"""The command line of EvalJ."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from spanwise.errors import UsageError

Graphs = Literal["gnu", "jfree"]
USAGE = "evalj -config FILE [-q] [-e] [-gnu|-jfree] [-collection PATH] [ASSESSMENTS RUN...]"
NAMED = ("-config", "-results", "-collection", "-examples")
"""Options that have a name after them."""
HELP = f"""\
spanwise {USAGE}

Scores runs as XCGEval and EvalJ did for INEX 2005 and 2006.

  -config FILE      XCGEval's properties (KEY: value), or EvalJ's metrics (XML)
  -q                also print every topic
  -e                topics without results count 0; else only topics in the run are averaged
  -gnu              write data and scripts for gnuplot
  -jfree            write graphs as PNG
  -examples DIR     write the official configurations of 2006 into a folder, and nothing else
  -results DIR      where results are written, whatever RESULTS_DIR says (./results)
  -collection PATH  the documents, a store or a folder, whatever INEXDOCCOLL_DIR says

Properties name their files themselves: ASSESSMENTS_DIR or EXPANDED_FULLRB, SUBMISSIONRUNS_DIR,
INEXDOCCOLL_DIR, RESULTS_DIR; and what to do: TASK, METRICS, OVERLAP, ALPHA, DCV, QUANT_FUNCTIONS.
With metrics, assessments and runs are given on the command line.

Examples:
  spanwise evalj -e -config focused.prop
  spanwise evalj -e -config best-in-context.xml -collection wikipedia assessments/ runs/*.xml
"""


@dataclass(frozen=True, slots=True)
class Options:
    """What was asked on the command line."""

    config: str = ""
    per_topic: bool = False
    every_topic: bool = False
    graphs: Graphs | None = None
    results: str | None = None
    collection: str | None = None
    examples: str = ""
    files: tuple[str, ...] = ()


def parsed(words: list[str]) -> Options:
    """The options that these words ask for."""
    options, rest = Options(), list(words)
    while rest:
        word = rest.pop(0)
        word = word[1:] if word[1:] in NAMED else word  # two dashes, as messages have them
        if word in NAMED:
            if not rest:
                raise UsageError(f"evalj: {word} needs a name after it")
            options = replace(options, **{word[1:]: rest.pop(0)})  # type: ignore[arg-type]
        elif word == "-q":
            options = replace(options, per_topic=True)
        elif word == "-e":
            options = replace(options, every_topic=True)
        elif word in ("-gnu", "-jfree"):
            kind: Graphs = "gnu" if word == "-gnu" else "jfree"
            if options.graphs not in (None, kind):
                raise UsageError("evalj: -gnu and -jfree exclude each other")
            options = replace(options, graphs=kind)
        elif word.startswith("-") and word != "-":
            raise UsageError(f"evalj: unknown option {word!r}; usage: {USAGE}")
        else:
            options = replace(options, files=(*options.files, word))
    if not options.config and not options.examples:
        raise UsageError(f"evalj: no configuration; usage: {USAGE}")
    return options
