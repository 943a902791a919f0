"""spanwise compare: differences between runs, with intervals and tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

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
DRAWN = {"randomisation", "bootstrap", "randomised_tukey"}
"""Tests that draw random numbers."""


@click.command("compare", cls=Command)
@click.argument("judgements")
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
    help="Tests, with commas or repeated: t, wilcoxon, sign, randomisation, bootstrap, tukey,"
    " randomised_tukey. The first decides what is marked. [default: randomisation]",
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
    "--resamples",
    type=click.IntRange(min=1000),
    metavar="N",
    section=TESTS,
    help="Number of random draws of a test. [default: 10000]",
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

    \b
    Examples:
      spanwise compare qrels.txt bm25.run dense.run hybrid.run -m nDCG@10
      spanwise compare qrels.txt runs/*.gz -m AP --baseline bm25.run --test t,wilcoxon
      spanwise compare qrels.txt runs/*.gz -m nDCG@10,AP -o report.html
      spanwise compare results.jsonl --baseline bm25
      spanwise compare judged.jsonl a.jsonl b.jsonl --collection docs/ --budget 500,2000,8000
      spanwise compare qrels.txt runs/*.gz -m AP --all-pairs --test tukey --format latex
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
