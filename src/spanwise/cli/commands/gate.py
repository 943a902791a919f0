"""spanwise gate: fail a build when retrieval got worse."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from spanwise.cli.options import (
    FILES,
    Command,
    clusters_option,
    evaluation_options,
    groups_option,
    margin_option,
    measures_option,
    on_option,
    option,
    printed_as,
    seed_option,
    with_request,
    workers_option,
)

if TYPE_CHECKING:
    from spanwise.evaluation.request import Request


@click.command("gate", cls=Command)
@click.argument("judgements", metavar="RESULTS")
@click.argument("runs", nargs=-1, metavar="[RUN...]")
@option(
    "--baseline", required=True, metavar="FILE", help="Earlier results, or a run, to compare with."
)
@measures_option
@option("--min", "floor", type=float, metavar="VALUE", help="Minimum; the worst value that passes.")
@option("--max", "ceiling", type=float, metavar="VALUE", help="Maximum of the value.")
@option(
    "--by",
    type=click.Choice(["interval", "mean"]),
    metavar="WHAT",
    help="Hold to --min and --max the end of the interval, or the mean. [default: interval]",
)
@option("--max-drop", type=float, metavar="VALUE", help="Allowed drop. [default: 0]")
@margin_option
@option("--strict", is_flag=True, help="With --margin: fail also if the difference is not known.")
@groups_option
@option("--worst-group", is_flag=True, help="Apply every threshold to each group of --groups.")
@option(
    "--alpha",
    type=float,
    metavar="P",
    help="Value of p below which a drop counts. [default: 0.05]",
)
@option(
    "--test",
    default="randomisation",
    metavar="NAME",
    help="Test, as for compare. [default: randomisation]",
)
@option(
    "--anytime",
    metavar="STATE",
    help="File that keeps what was seen, for verdicts that hold at every look.",
)
@printed_as("md", "json", "junit")
@option(
    "--junit",
    metavar="FILE",
    section=FILES,
    help="JUnit XML to write. [default: RESULTS with the ending .junit.xml]",
)
@clusters_option
@evaluation_options
@seed_option
@on_option
@workers_option
@with_request
def command(
    request: Request,
    baseline: str,
    floor: float | None,
    ceiling: float | None,
    by: str | None,
    max_drop: float | None,
    margin: str | None,
    strict: bool,
    groups: str | None,
    worst_group: bool,
    alpha: float | None,
    test: str,
    anytime: str | None,
    seed: int,
    clusters: str | None,
    layout: str,
    output: str | None,
    junit: str | None,
    on: str | None,
) -> int:
    """Compare results with a baseline and fail if they are worse.

    A run fails if its mean fell by more than --max-drop and the drop is significant, that is if the
    test over topics gives p below --alpha. With --margin, it fails instead if it is worse: if the
    interval of the difference excludes 0 and is not inside the margin. It also fails if the 95 %
    interval of its mean reaches below --min or above --max. The exit status is 1 if a run fails.

    RESULTS and the baseline are files written by `spanwise eval -o
    RESULTS.jsonl`; or judgements, with runs to be scored, and a run as the baseline.

    With --anytime STATE, verdicts hold at every look, as continuous integration needs: topics are
    taken in random order, a run fails once it is surely worse by more than --max-drop, and passes
    once it surely is not. Each look goes on with topics not yet seen; the share of topics that a
    decision did not need is printed. An undecided run passes so far.

    The verdicts are printed as Markdown. JUnit XML is written beside RESULTS, to --junit FILE, or
    to -o FILE.xml.

    \b
    Examples:
      spanwise gate new.jsonl --baseline main.jsonl -m 'SpanR(budget=2000)' --max-drop 0.02
      spanwise gate new.jsonl --baseline main.jsonl -m nDCG@10 --min 0.4 -o gate.xml
      spanwise gate new.jsonl --baseline main.jsonl -m nDCG@10 --anytime gate-state.jsonl
      spanwise gate qrels.txt new.run --baseline main.run -m nDCG@10
      spanwise gate new.jsonl --baseline main.jsonl -m AP --margin 0.01 --strict
      spanwise gate new.jsonl --baseline main.jsonl -m AP --groups groups.txt --worst-group
    """
    from pathlib import Path

    from spanwise.console import emit, write_atomically
    from spanwise.errors import UsageError
    from spanwise.evaluation.grouping import without_idle_topics
    from spanwise.report.comparison import as_junit, as_md, gate_as_json
    from spanwise.workflows.gate import question_of, rules_of, scored_runs, verdicts

    measures = request.measures
    if not measures:
        raise UsageError("no measure is given; expected the measures to check: -m nDCG@10")
    if layout == "junit" and output is not None and junit is not None:
        raise UsageError(f"JUnit XML is asked for twice; expected --junit {junit} or -o {output}")
    if anytime is not None:
        source = click.get_current_context().get_parameter_source
        for name, given in (
            ("--min", floor is not None),
            ("--max", ceiling is not None),
            ("--margin", margin is not None),
            ("--worst-group", worst_group),
            ("--clusters", clusters is not None),
            ("--test", source("test") != ParameterSource.DEFAULT),
        ):
            if given:
                raise UsageError(f"{name} has no effect with --anytime")
    rules = rules_of(
        measures,
        floor=floor,
        ceiling=ceiling,
        by=by,
        max_drop=max_drop,
        alpha=alpha,
        margin=margin,
        strict=strict,
    )
    question = question_of(
        *(test, seed, margin, groups, request.topics), worst_group=worst_group, clusters=clusters
    )
    new, old = scored_runs(without_idle_topics(request, groups), baseline, on)
    found = verdicts(new, old, rules, question, anytime)
    if layout == "junit":
        write_atomically(Path(output or "-"), as_junit(found))
    if layout != "junit" or junit is not None:
        file = (
            Path(junit) if junit is not None else Path(request.judgements).with_suffix(".junit.xml")
        )
        write_atomically(file, as_junit(found))
    if layout == "json":
        emit(gate_as_json(found), output)
    elif layout == "md":
        emit(as_md(found), output)
    elif output is not None:
        emit(as_md(found))
    return 0 if all(one.passed for one in found) else 1
