"""spanwise plot: pictures for papers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from spanwise.cli.options import (
    judgements_format_option,
    measures_option,
    profile_option,
    run_format_option,
    task_option,
    with_request,
)

if TYPE_CHECKING:
    from spanwise.evaluation.request import Request


@click.command("plot")
@click.argument("kind")
@click.argument("judgements")
@click.argument("runs", nargs=-1)
@click.option("-o", "--output", required=True, help="A file that ends in .png, .svg, .pdf, .json.")
@measures_option
@click.option("--baseline", help="Of differences: the run to compare with; else the first.")
@click.option("--run", "chosen", help="Of differences: which run, where more than two are given.")
@click.option("--collection", help="A store or a folder of documents.")
@profile_option
@task_option
@judgements_format_option
@run_format_option
@with_request()
def command(
    request: Request, kind: str, output: str, baseline: str | None, chosen: str | None
) -> None:
    """Draw a picture of runs.

    KIND is recall-precision, ep-gr, nxCG, gain-recall, budget (recall over a budget of reading),
    curve (the measure named with -m over its cut-offs), differences (of two runs, topic by topic)
    or scatter (the first measure against the second). Bands are 95 % intervals. Files are what
    `spanwise compare` takes. A file that ends in .json is the Vega-Lite source of the picture.

    \b
    Examples:
      spanwise plot recall-precision qrels.txt bm25.run dense.run -o curves.pdf
      spanwise plot curve qrels.txt bm25.run dense.run -m nDCG@10 -o ndcg.svg
      spanwise plot differences qrels.txt dense.run --baseline bm25.run -m AP -o topics.png
      spanwise plot differences results.jsonl --run dense --baseline bm25 -m AP -o topics.svg
      spanwise plot scatter results.jsonl -m AP -m nDCG@10 -o scatter.png
    """
    from spanwise.workflows.plot import write_plot

    write_plot(kind, request, baseline, output, chosen)
