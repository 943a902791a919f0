"""spanwise eval: score runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from spanwise.cli.options import (
    judgements_format_option,
    measures_option,
    on_option,
    profile_option,
    queries_option,
    run_format_option,
    structure_option,
    task_option,
    ties_option,
    topics_option,
    with_request,
    workers_option,
)

if TYPE_CHECKING:
    from spanwise.evaluation.request import Request

FORMATS = ("table", "trec", "json", "jsonl", "csv", "md", "latex", "parquet")
CHOICES = ("topics", "ties", "depth", "judged_only", "structure", "unit", "annotators")


@click.command("eval")
@click.argument("judgements")
@click.argument("runs", nargs=-1, required=True)
@measures_option
@click.option("-q", "--per-topic", is_flag=True, help="Also print every topic.")
@click.option(
    "--format",
    "layout",
    type=click.Choice(FORMATS),
    help="How to print; table by default.",
)
@click.option(
    "-o",
    "--output",
    help="Write to this file instead of standard output. Without --format, FILE.jsonl and"
    " FILE.parquet are results to keep: every topic, the choices, hashes of the inputs.",
)
@click.option("--cite", is_flag=True, help="Also print what a paper cites for these measures.")
@profile_option
@task_option
@click.option("--collection", help="Where the documents are: a store, or a folder of files.")
@queries_option
@structure_option
@topics_option
@ties_option
@click.option("--depth", type=int, help="Look only at so many results of each topic.")
@click.option("--judged-only", is_flag=True, help="Take unjudged results out of the rankings.")
@click.option("--unit", help="What reading budgets count: chars, tokens:NAME, or cost.")
@click.option(
    "--annotators",
    type=click.Choice(["union", "intersection", "mean"]),
    help="Relevant text of several annotators; union by default.",
)
@judgements_format_option
@run_format_option
@on_option
@workers_option
@with_request(*CHOICES)
def command(
    request: Request,
    per_topic: bool,
    layout: str | None,
    output: str | None,
    cite: bool,
    on: str | None,
) -> None:
    """Score one or more runs against judgements.

    JUDGEMENTS and RUNS are files (plain, gzip, xz, zstd), folders, or - for standard input (once).
    Without --task and --profile the measures are those that fit the files. Where results or
    judgements name elements by their paths, --collection says where these lie. Means are
    printed with the number of topics behind them and a signature of all choices made.

    \b
    Examples:
      spanwise eval qrels.txt run.txt
      spanwise eval qrels.txt runs/*.gz -m nDCG@10 -m 'P(rel=2)@5' --format latex
      spanwise eval qrels.txt run.txt -m official --format trec
      spanwise eval qrels.txt run.txt -q --ties expected --format jsonl
      spanwise eval qrels.txt runs/*.gz -o results.jsonl
      spanwise eval inex.qrels passages.run -m MAiP -m 'iP[0.01]' -m 'gP(score=bep)@5'
      spanwise eval inex.qrels run.txt --task ric --profile inex2010
      spanwise eval inex.qrels elements.run --collection articles/ -m MAiP
      spanwise eval qrels.txt runs/*.txt --on dask:tcp://10.0.0.1:8786
    """
    from spanwise.cli.printing import report

    report(request, layout, per_topic, output, cite, on)
