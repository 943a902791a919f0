"""spanwise compare: differences between runs, with intervals and tests."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from spanwise.cli.options import (
    CHUNKS,
    Command,
    all_option,
    clusters_option,
    evaluation_options,
    groups_option,
    html_option,
    margin_option,
    measures_option,
    on_option,
    option,
    page_and_output,
    printed_as,
    repeats_option,
    seed_option,
    warnings_option,
    with_request,
    workers_option,
)

if TYPE_CHECKING:
    from spanwise.evaluation.request import Request

CORRECTIONS = ("holm", "bonferroni", "bh", "none")
TESTS = "Tests"
PLANNING = "Planning"
DRAWN = {"randomisation", "bootstrap", "randomised_tukey"}
"""Tests that draw random numbers."""


PLANNED = {
    *("plan", "judgements", "runs", "topics", "sd", "difference", "means", "measures", "baseline"),
    *("tests", "correction", "confidence", "resamples", "layout", "as_json", "output"),
}
"""Options that have an effect on a plan."""


def _or_plan(command: Callable[..., Any]) -> Callable[..., Any]:
    """Print a plan if that is asked for, else go on with the comparison."""

    @wraps(command)
    def called(**words: Any) -> Any:
        from spanwise.errors import UsageError

        planning = {name: words.pop(name) for name in ("sd", "difference", "means")}
        context = click.get_current_context()
        if words.pop("plan"):
            for one in context.command.params:
                given = context.get_parameter_source(str(one.name)) != ParameterSource.DEFAULT
                if given and one.name not in PLANNED:
                    raise UsageError(f"{one.opts[-1]} has no effect with --plan")
            return _print_plan(words, **planning)
        for name, value in planning.items():
            if value is not None:
                raise UsageError(f"--{name} has no effect without --plan")
        topics = words["topics"]
        if topics is not None and topics.isdecimal() and not Path(topics).exists():
            raise UsageError(
                f"--topics {topics}: found a number; expected a file of topics, or --plan, with"
                " which it is the number of topics"
            )
        if words["judgements"] is None:
            raise click.MissingParameter(
                ctx=context, param_hint="'JUDGEMENTS'", param_type="argument"
            )
        return command(**words)

    return called


def _print_plan(
    words: dict[str, Any], sd: float | None, difference: float | None, means: str | None
) -> None:
    """Print what a number of topics can show."""
    from spanwise.console import emit, page_width, styled
    from spanwise.errors import UsageError
    from spanwise.stats.resampling import RESAMPLES
    from spanwise.workflows.plan import plan, rendered

    topics, layout, output = words["topics"], words["layout"], words["output"]
    if topics is None:
        raise UsageError("--plan needs the number of topics; expected --plan --topics 50")
    if not topics.isdecimal() or not int(topics):
        raise UsageError(
            f"--topics {topics}: found no number; expected the number of topics with --plan,"
            " such as --topics 50"
        )
    if layout == "html":
        raise UsageError("a plan has no page; expected the layout table, md, latex, csv or json")
    tests = tuple(one.strip() for some in words["tests"] for one in some.split(","))
    if words["resamples"] is not None and tests and not DRAWN & set(tests):
        raise UsageError(f"--resamples has no effect on the tests {', '.join(tests)}")
    source = click.get_current_context().get_parameter_source("correction")
    if means is None and source != ParameterSource.DEFAULT:
        raise UsageError("--correction has no effect on a plan without --means")
    files = [one for one in (words["judgements"], *words["runs"]) if one is not None]
    found = plan(
        int(topics),
        sd=sd,
        results=files or None,
        difference=difference,
        means=() if means is None else means.split(","),
        measures=words["measures"] or None,
        baseline=words["baseline"],
        tests=tests,
        correction=words["correction"],
        confidence=words["confidence"],
        resamples=words["resamples"] or RESAMPLES,
    )
    emit(rendered(found, layout, page_width(output), bold=styled(output)), output)


@click.command("compare", cls=Command)
@click.argument("judgements", required=False, metavar="JUDGEMENTS")
@click.argument("runs", nargs=-1, metavar="RUN...")
@measures_option
@option("--baseline", metavar="RUN", help="Run to compare with: file or name. [default: the first]")
@option("--all-pairs", is_flag=True, help="Compare every run with every other run.")
@groups_option
@margin_option
@printed_as("table", "md", "latex", "csv", "json", "html")
@html_option
@evaluation_options
@option(
    "--test",
    "tests",
    multiple=True,
    metavar="NAME",
    section=TESTS,
    help="Tests, with commas or repeated: t, wilcoxon, sign, randomisation, bootstrap,"
    " mcnemar, tukey, randomised_tukey. The first decides what is marked. [default: randomisation]",
)
@option(
    "--correction",
    type=click.Choice(CORRECTIONS),
    default="holm",
    section=TESTS,
    help="Correction of p for the number of comparisons. [default: holm]",
)
@option(
    "--confidence",
    type=float,
    default=0.95,
    metavar="P",
    section=TESTS,
    help="Confidence level of the intervals. [default: 0.95]",
)
@option(
    "--interval",
    metavar="NAME",
    section=TESTS,
    help="Interval of means of values that are all 0 or 1: wilson, clopper-pearson."
    " [default: wilson]",
)
@option(
    "--resamples",
    type=click.IntRange(min=1000),
    metavar="N",
    section=TESTS,
    help="Number of random draws of a test. [default: 10000]",
)
@option(
    "--plan",
    is_flag=True,
    section=PLANNING,
    help="State what --topics N topics can show, without judgements.",
)
@option(
    "--sd",
    type=float,
    metavar="S",
    section=PLANNING,
    help="Standard deviation of differences over topics. [default: observed in RESULTS]",
)
@option(
    "--difference",
    type=float,
    metavar="D",
    section=PLANNING,
    help="Difference to find, for its power and the topics needed.",
)
@option(
    "--means",
    metavar="M,...",
    section=PLANNING,
    help="Means of a published table, baseline first: can it show anything?",
)
@option(
    "--budget",
    metavar="N,...",
    section=CHUNKS,
    help="Reading budgets at which chunks are compared: 500,2000,8000.",
)
@option(
    "--ceiling/--no-ceiling",
    default=None,
    section=CHUNKS,
    help="Compute the highest value that a budget permits. [default: --ceiling]",
)
@clusters_option
@repeats_option
@all_option
@warnings_option
@seed_option
@on_option
@workers_option
@_or_plan
@with_request
def command(
    request: Request,
    budget: str | None,
    ceiling: bool | None,
    baseline: str | None,
    all_pairs: bool,
    groups: str | None,
    margin: str | None,
    tests: tuple[str, ...],
    correction: str,
    confidence: float,
    interval: str | None,
    seed: int,
    resamples: int | None,
    layout: str,
    clusters: str | None,
    repeats: str,
    html: str | None,
    output: str | None,
    everything: bool,
    warnings: str,
    on: str | None,
) -> None:
    """Compare runs: means with intervals, differences with tests.

    Runs are sorted by the first measure. The best value of each measure is bold, and a dagger marks
    a significant difference from the baseline. JUDGEMENTS and RUN are what `spanwise eval` takes. A
    file of results (`spanwise eval -o RESULTS.jsonl`) stands for the runs in it; if all files are
    such files, no judgements are needed.

    With --groups, means and differences are also given for each group of topics. With --margin,
    each difference is better, worse, equivalent (its interval is inside the margin) or not known.

    With --budget, chunks are compared after the same amount of reading, and warnings name what
    makes other comparisons of them unfair.

    With --plan, nothing is scored: --topics is the number of topics, and the output states the
    smallest p, and the difference that would be found, its power, or the topics needed. The spread
    is --sd, or that of a file of results, which stands in the place of JUDGEMENTS.

    \b
    Examples:
      spanwise compare qrels.txt bm25.run dense.run hybrid.run -m nDCG@10
      spanwise compare qrels.txt runs/*.gz -m AP --baseline bm25.run --test t,wilcoxon
      spanwise compare qrels.txt runs/*.gz -m nDCG@10,AP -o report.html
      spanwise compare results.jsonl --baseline bm25
      spanwise compare judged.jsonl a.jsonl b.jsonl --collection docs/ --budget 500,2000,8000
      spanwise compare qrels.txt runs/*.gz -m AP --all-pairs --test tukey --format latex
      spanwise compare --plan --topics 50 --sd 0.2 --difference 0.05
      spanwise compare --plan --topics 10 --means 0.70,1.00
    """
    from functools import partial

    from spanwise.cli.printing import report_comparison
    from spanwise.console import watched
    from spanwise.errors import UsageError
    from spanwise.evaluation.compare import clusters_of, compare_at, compare_runs, of_chunks
    from spanwise.evaluation.evaluate import PROCESSES
    from spanwise.evaluation.grouping import groupings_of, without_idle_topics
    from spanwise.stats.margins import margin_of
    from spanwise.stats.resampling import RESAMPLES, Draws
    from spanwise.stats.statements import Question

    html, output = page_and_output(layout, html, output)
    asked = tuple(dict.fromkeys(test.strip() for some in tests for test in some.split(",")))
    usual = "bootstrap" if repeats == "more" else "randomisation"
    chosen, bar = asked or (usual,), partial(watched, label="comparing")
    if resamples is not None and not DRAWN & set(chosen):
        raise UsageError(f"--resamples has no effect on the tests {', '.join(chosen)}")
    if all_pairs and baseline is not None:
        raise UsageError("--baseline has no effect with --all-pairs")
    if everything and (budget is None or layout in ("csv", "json", "html")):
        raise UsageError("--all has no effect without --budget, and on csv, json and html")
    if budget is None and ceiling is not None:
        raise UsageError("--ceiling and --no-ceiling have no effect without --budget")
    draws = Draws(seed, resamples or RESAMPLES)
    question = Question(
        *(chosen, correction, confidence, draws, all_pairs, bar),
        groupings=groupings_of(groups, request.topics),
        margin=margin_of(margin),
        clusters=clusters_of(clusters),
        more_repeats=repeats == "more",
        interval=interval,
    )
    request = without_idle_topics(request, groups)
    where = on or PROCESSES
    if budget is not None:
        found = compare_at(
            request,
            budget,
            baseline,
            question,
            ceilings=ceiling is not False,
            on=where,
            watch=watched,
        )
        request = of_chunks(request)
    else:
        found = compare_runs(request, baseline, question, where, watched)
    if html is not None:
        from spanwise.workflows.page import write_page

        write_page(request, found, html)
    if layout != "html":
        report_comparison(found, layout, output, everything=everything, warnings=warnings)
