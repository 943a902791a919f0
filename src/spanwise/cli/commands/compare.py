"""spanwise compare: which run is better, and is it more than chance?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from spanwise.cli.options import (
    judgements_format_option,
    measures_option,
    on_option,
    profile_option,
    run_format_option,
    task_option,
    ties_option,
    topics_option,
    with_request,
    workers_option,
)

if TYPE_CHECKING:
    from spanwise.evaluation.request import Request

FORMATS = ("table", "md", "latex", "csv", "json")
CORRECTIONS = ("holm", "bonferroni", "bh", "none")


@click.command("compare")
@click.argument("judgements")
@click.argument("runs", nargs=-1)
@measures_option
@click.option("--collection", help="A store or a folder of documents.")
@click.option("--budget", help="Compare at these amounts of reading, such as 500,2000,8000.")
@click.option(
    "--unit",
    help="What a budget counts: chars (default), tokens:NAME such as tokens:o200k_base, or cost.",
)
@click.option("--ceiling/--no-ceiling", default=True, help="Whether to work out ceilings.")
@click.option("--baseline", help="The run to compare with: its file or its name; else the first.")
@click.option("--all-pairs", is_flag=True, help="Compare every run with every other.")
@click.option(
    "--test",
    "tests",
    multiple=True,
    help="t, wilcoxon, sign, randomisation, bootstrap, tukey, randomised_tukey; several with"
    " commas. The first decides what is marked; randomisation by default.",
)
@click.option(
    "--correction",
    type=click.Choice(CORRECTIONS),
    default="holm",
    help="How p is adjusted for the number of comparisons; holm by default.",
)
@click.option("--confidence", type=float, default=0.95, help="Of intervals; 0.95 by default.")
@click.option("--seed", type=click.IntRange(min=0), default=0, help="Where chance starts; 0.")
@click.option(
    "--resamples",
    type=click.IntRange(min=1000),
    default=10_000,
    help="How often to draw; 10000 by default.",
)
@click.option(
    "--format",
    "layout",
    type=click.Choice(FORMATS),
    default="table",
    help="How to print; table by default.",
)
@click.option("--html", help="Also write a page to look at, all in one file.")
@click.option("-o", "--output", help="Write to this file instead of standard output.")
@profile_option
@task_option
@topics_option
@ties_option
@judgements_format_option
@run_format_option
@on_option
@workers_option
@with_request("topics", "ties", "unit")
def command(
    request: Request,
    budget: str | None,
    ceiling: bool,
    baseline: str | None,
    all_pairs: bool,
    tests: tuple[str, ...],
    correction: str,
    confidence: float,
    seed: int,
    resamples: int,
    layout: str,
    html: str | None,
    output: str | None,
    on: str | None,
) -> None:
    """Compare runs: means with intervals, differences with tests.

    Runs stand in the order of the first measure, the best value of each measure is bold, and a
    dagger marks what differs from the baseline by more than chance. Files are what `spanwise eval`
    takes. With --budget, chunks are compared at equal reading, and what is unfair about comparing
    them otherwise is said in plain sentences. A file of results (`spanwise eval -o RESULTS.jsonl`)
    stands for the runs in it; if all are such files, no judgements are needed.

    \b
    Examples:
      spanwise compare qrels.txt bm25.run dense.run hybrid.run -m nDCG@10
      spanwise compare qrels.txt runs/*.gz -m AP --baseline bm25.run --test t,wilcoxon
      spanwise compare qrels.txt runs/*.gz -m nDCG@10 -m AP --html report.html
      spanwise compare results.jsonl --baseline bm25
      spanwise compare gold.jsonl a.jsonl b.jsonl --collection docs/ --budget 500,2000,8000
      spanwise compare qrels.txt runs/*.gz -m AP --all-pairs --test tukey --format latex
    """
    from functools import partial

    from spanwise.cli.printing import report_comparison
    from spanwise.console import watched
    from spanwise.errors import UsageError
    from spanwise.evaluation.budgets import compare_at, of_chunks
    from spanwise.evaluation.compare import compare_runs
    from spanwise.evaluation.evaluate import PROCESSES
    from spanwise.stats.question import Question
    from spanwise.stats.resampling import Draws

    if html == "-":
        raise UsageError("--html -: a page needs a file; expected a name such as report.html")
    asked = tuple(dict.fromkeys(test.strip() for some in tests for test in some.split(",")))
    draws = Draws(seed, resamples)
    chosen, bar = asked or ("randomisation",), partial(watched, label="comparing")
    question = Question(chosen, correction, confidence, draws, all_pairs, bar)
    where = on or PROCESSES
    if budget is not None:
        found = compare_at(
            request, budget, baseline, question, ceilings=ceiling, on=where, watch=watched
        )
        request = of_chunks(request)
    else:
        found = compare_runs(request, baseline, question, where, watched)
    if html is not None:
        from spanwise.workflows.page import write_page

        write_page(request, found, html)
    report_comparison(found, layout, output, across=budget is not None)
