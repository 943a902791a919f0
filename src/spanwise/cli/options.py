"""Options that several commands share, each defined once, and the request that they make.

An option keeps the name that it has on the command line here; the second name in a definition is
the keyword that the package uses for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import wraps
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

import click

from spanwise.cli.command import (
    Decorator,
    format_names,
    measure_names,
    option,
    profile_names,
    task_names,
)
from spanwise.errors import UsageError
from spanwise.model.policy import CHOICES

if TYPE_CHECKING:
    from spanwise.evaluation.request import Request

XML = "XML and passages"
CHUNKS = "Chunks"
FILES = "Files"
RUNNING = "Running"

# What is measured ---------------------------------------------------------------------------


def _listed(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of measures, of which a value may hold several with commas between them."""
    if not values:
        return ()
    from spanwise.measures.names import listed

    return tuple(name for value in values for name in listed(value))


measures_option = option(
    *("-m", "--measure", "measures"),
    multiple=True,
    metavar="NAME",
    callback=_listed,
    names=measure_names,
    help="Measures, with commas or repeated: AP,nDCG@10.",
)
measure_option = option(
    *("-m", "--measure"),
    required=True,
    metavar="NAME",
    names=measure_names,
    help="Measure, such as nDCG@10.",
)
rel_option = option(
    *("-l", "--rel"),
    type=float,
    callback=lambda _, __, value: int(value) if value is not None and value % 1 == 0 else value,
    metavar="N",
    help="Grade from which a result is relevant. [default: 1]",
)
average_over_option = option(
    *("--average-over", "average_over"),
    type=click.Choice(CHOICES["average_over"]),
    metavar="TOPICS",
    help="Topics averaged: judged, both, run. [default: judged]",
)
ties_option = option(
    "--ties",
    type=click.Choice(CHOICES["ties"]),
    metavar="ORDER",
    help="Ties: docno, file, rank, expected. [default: docno]",
)
depth_option = option(
    "--depth", type=int, metavar="N", help="Results considered per topic. [default: all]"
)
judged_only_option = option(
    "--judged-only", is_flag=True, help="Remove unjudged results from the rankings."
)
profile_option = option(
    "--profile",
    metavar="NAME",
    names=profile_names,
    help="Named measures and choices; see: spanwise profiles.",
)
task_option = option(
    "--task",
    metavar="NAME",
    names=task_names,
    help="Task of the runs; see: spanwise profiles.",
)
per_topic_option = option("-q", "--per-topic", is_flag=True, help="Print each topic too.")
collection_option = option(
    "--collection",
    metavar="PATH",
    section=XML,
    help="Store or folder of the documents, to place elements and texts.",
)
topics_option = option(
    "--topics",
    metavar="FILE",
    section=XML,
    help="Topics with the structure that they ask for.",
)
structure_option = option(
    "--structure",
    type=click.Choice([one for one in CHOICES["structure"] if one != "ignore"]),
    section=XML,
    help="Count only the elements that a topic asks for. [default: count all]",
)
copies_option = option(
    "--copies",
    type=click.Choice([choice for choice in CHOICES["copies"] if choice != "default"]),
    section=CHUNKS,
    help="Places in which evidence may be read. [default: any for evidence without a position, else"
    " stated]",
)
annotators_option = option(
    "--annotators",
    type=click.Choice(CHOICES["annotators"]),
    metavar="HOW",
    section=XML,
    help="Relevant text of several assessors: union, intersection, mean. [default: union]",
)
unit_option = option(
    "--unit",
    metavar="UNIT",
    section=CHUNKS,
    help="Unit of reading budgets: chars, tokens:NAME, cost. [default: chars]",
)
quant_option = option(
    "--quant",
    metavar="NAME",
    section=XML,
    help="Quantisation: name or file. [default: spec or gen]",
)


def _paths(default: str | None) -> Decorator:
    return option(
        "--paths",
        type=click.Choice(["valued", "assessed"]),
        default=default,
        section=XML,
        help="Relevant paths end at elements with a value, or at all that assessors found"
        " relevant. [default: valued]",
    )


def _ideal(default: str | None) -> Decorator:
    return option(
        "--ideal",
        type=click.Choice(["higher", "deeper"]),
        default=default,
        section=XML,
        help="Ideal one of equally good elements on a path. [default: higher]",
    )


paths_option, ideal_option = _paths("valued"), _ideal("higher")
paths_if_any_option, ideal_if_any_option = _paths(None), _ideal(None)
"""The same for a command that refuses them where there are no relevant paths or ideal elements."""
judgements_format_option = option(
    "--judgements-format",
    metavar="FORMAT",
    section=FILES,
    names=format_names("judgements", "preferences"),
    help="Format of the judgements; see: spanwise formats. [default: recognised]",
)
run_format_option = option(
    "--run-format",
    metavar="FORMAT",
    section=FILES,
    names=format_names("run"),
    help="Format of the runs; see: spanwise formats. [default: recognised]",
)
topics_format_option = option(
    "--topics-format",
    metavar="FORMAT",
    section=FILES,
    names=format_names("topics"),
    help="Format of the topics; see: spanwise formats. [default: recognised]",
)
source_format_option = option(
    *("--from", "source_format"),
    metavar="FORMAT",
    section=FILES,
    names=format_names(),
    help="Format of the input; see: spanwise formats. [default: recognised]",
)
run_output_option = option(
    *("-o", "--output"),
    default="-",
    metavar="RUN",
    help="File of the run that is written. [default: -]",
)
written_format_option = option(
    "--to",
    metavar="FORMAT",
    section=FILES,
    names=format_names("run"),
    help="Format of the run that is written. [default: by the ending, or the plainest]",
)
seed_option = option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    metavar="N",
    section=RUNNING,
    help="Seed of the random generator. [default: 0]",
)
top_option = option(
    "--top",
    type=click.IntRange(1),
    default=1000,
    metavar="N",
    help="Number of results returned per topic. [default: 1000]",
)
on_option = option(
    "--on",
    metavar="ENGINE[:ADDRESS]",
    section=RUNNING,
    help="Cluster engine: dask, spark or ray, at an address or with two local workers.",
)
workers_option = option(
    "--workers",
    type=click.IntRange(min=1),
    metavar="N",
    section=RUNNING,
    help="Number of worker processes. [default: chosen by input size]",
)


def all_of(*options: Decorator) -> Decorator:
    """Return one decorator that adds several options, listed in this order."""

    def added(command: Callable[..., Any]) -> Callable[..., Any]:
        for one in reversed(options):
            command = one(command)
        return command

    return added


choice_options = all_of(
    rel_option,
    average_over_option,
    ties_option,
    depth_option,
    judged_only_option,
    profile_option,
    task_option,
    collection_option,
    topics_option,
    structure_option,
    annotators_option,
    copies_option,
    unit_option,
    judgements_format_option,
)
"""What decides how runs are scored, besides measures."""
evaluation_options = all_of(choice_options, run_format_option)
"""What `eval`, `compare`, `plot` and the like let a user choose, besides measures."""

# Where the result goes, and its layout ------------------------------------------------------

ENDINGS = {
    "table": ".txt",
    "md": ".md",
    "latex": ".tex",
    "csv": ".csv",
    "json": ".json",
    "jsonl": ".jsonl",
    "parquet": ".parquet",
    "html": ".html",
    "junit": ".xml",
}
"""The ending of a file of each layout."""


def printed_as(*layouts: str, output: bool = True, kept: Sequence[str] = ()) -> Decorator:
    """Add `--format`, `--json` and `-o` to a command, which gets `layout` and `output`.

    The first layout is the default. The ending of the output file chooses another one. The layout
    is None if that is one of `kept`: the command then writes a file of its own kind.
    """
    options = [
        option(
            *("--format", "layout"),
            type=click.Choice(layouts),
            metavar="LAYOUT",
            help=f"Layout: {', '.join(layouts)}. [default: {layouts[0]}]",
        )
    ]
    if "json" in layouts:
        options.append(option("--json", "as_json", is_flag=True, help="Same as --format json."))
    if output:
        endings = {ENDINGS.get(one, ".txt"): one for one in reversed(layouts)}
        text = "File; its ending chooses the layout. [default: -]"
        options.append(option("-o", "--output", metavar="FILE", help=text))

    def resolved(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def called(**words: Any) -> Any:
            layout = words["layout"]
            if words.pop("as_json", False):
                if layout not in (None, "json"):
                    raise UsageError(f"--json and --format {layout}; expected one of them")
                layout = "json"
            if layout is None and output:
                chosen = of_ending(words["output"], endings) or layouts[0]
                words["layout"] = None if chosen in kept else chosen
            else:
                words["layout"] = layout or layouts[0]
            return command(**words)

        return all_of(*options)(called)

    return resolved


def of_ending(output: str | None, endings: dict[str, str]) -> str | None:
    """Return the layout that the ending of a file name chooses; None if it has no ending."""
    ending = PurePath(output).suffix.lower() if output is not None else ""
    if not ending or str(output).startswith("/dev/"):
        return None
    if ending not in endings:
        known = ", ".join(one for one in ENDINGS.values() if one in endings)
        raise UsageError(
            f"{output}: unknown ending {ending!r}; expected one of {known}, or choose a layout"
            " with --format"
        )
    return endings[ending]


# The request --------------------------------------------------------------------------------

POLICY = ("average_over", "ties", "depth", "structure", "annotators", "copies", "unit")
"""Options that are fields of a policy under the same keyword."""


def with_request(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command its options as one request."""

    @wraps(command)
    def called(**words: Any) -> Any:
        workers = words.pop("workers", None)
        if workers is not None:
            words["on"] = _processes(words["on"], workers)
        request = _request(words)
        refuse_idle(request)
        return command(request, **words)

    return called


def _processes(engine: str | None, count: int) -> str:
    if engine is not None:
        raise UsageError(f"--workers has no effect with --on {engine}, which has its own workers")
    return f"processes:{count}"


def _request(words: dict[str, Any]) -> Request:
    """Take the words of a request out of the words; choices that were not made are left to it."""
    from spanwise.evaluation.request import Request

    made = {name: words.pop(name) for name in POLICY if name in words}
    if words.pop("judged_only", False):
        made["unjudged"] = "drop"
    if made.get("unit") in ("char", "chars"):
        made["unit"] = "characters"
    for single, several in (("run", "runs"), ("measure", "measures")):
        if single in words:
            words[several] = (words.pop(single),)
    rel = words.pop("rel", None)
    words["names"], words["runs"] = named_runs(words.pop("runs", ()))
    given = {field.name: words.pop(field.name) for field in fields(Request) if field.name in words}
    policy = {name: value for name, value in made.items() if value is not None}
    return Request(**given, policy=policy, assume={} if rel is None else {"rel": rel})


def named_runs(runs: Sequence[str]) -> tuple[tuple[str | None, ...], tuple[str, ...]]:
    """Return the names of runs and their files; `bm25=runs/a.txt` gives a run a name.

    A file whose own name contains an equals sign is a file.

    >>> named_runs(["bm25=runs/a.txt", "runs/b.txt"])
    (('bm25', None), ('runs/a.txt', 'runs/b.txt'))
    """
    names: list[str | None] = []
    files = []
    for run in runs:
        name, equals, file = run.partition("=")
        named = bool(equals and name and file) and "/" not in name and not Path(run).exists()
        names.append(name if named else None)
        files.append(file if named else run)
    return tuple(names), tuple(files)


def refuse_idle(request: Request) -> None:
    """Refuse choices that have no effect, as far as the words alone show it."""
    structured = "structure" in (request.policy or {})
    if structured and request.topics is None:
        raise UsageError("--structure has no effect without --topics, which state the structure")
    if request.topics is not None and not structured:
        raise UsageError("--topics has no effect without --structure strict or vague")
