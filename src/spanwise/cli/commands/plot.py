"""spanwise plot: pictures for papers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from spanwise.cli.options import (
    Command,
    evaluation_options,
    groups_option,
    measures_option,
    option,
    with_request,
)

if TYPE_CHECKING:
    from spanwise.evaluation.request import Request


@click.command("plot", cls=Command)
@click.argument("kind")
@click.argument("judgements")
@click.argument("runs", nargs=-1, metavar="RUN...")
@option(
    *("-o", "--output"),
    required=True,
    metavar="FILE",
    help="Picture to write; ends in .png, .svg, .pdf or .json.",
)
@measures_option
@option("--baseline", metavar="RUN", help="Differences: run to compare with. [default: the first]")
@option("--run", "chosen", metavar="RUN", help="Differences: run to compare, if more than two.")
@groups_option
@evaluation_options
@with_request
def command(
    request: Request,
    kind: str,
    output: str,
    baseline: str | None,
    chosen: str | None,
    groups: str | None,
) -> None:
    """Draw a picture of runs.

    KIND is recall-precision, ep-gr, nxCG, gain-recall, budget (recall over a reading budget), curve
    (a measure over its cut-offs), differences (two runs, topic by topic), scatter (the first
    measure against the second), groups (means of the groups of topics in --groups) or ranks
    (intervals of the runs' ranks, with the probability of being the best). Bands are 95 %
    intervals. JUDGEMENTS and RUN are what `spanwise compare` takes. A file that ends in .json
    contains the Vega-Lite source of the picture.

    \b
    Examples:
      spanwise plot recall-precision qrels.txt bm25.run dense.run -o curves.pdf
      spanwise plot curve qrels.txt bm25.run dense.run -m nDCG@10 -o ndcg.svg
      spanwise plot differences qrels.txt dense.run --baseline bm25.run -m AP -o topics.png
      spanwise plot differences results.jsonl --run dense --baseline bm25 -m AP -o topics.svg
      spanwise plot scatter results.jsonl -m AP,nDCG@10 -o scatter.png
      spanwise plot ranks results.jsonl -m AP -o ranks.svg
      spanwise plot groups results.jsonl -m AP --groups groups.txt -o groups.svg
    """
    from spanwise.errors import UsageError
    from spanwise.report.plots import CURVES
    from spanwise.workflows.plot import KINDS, write_plot

    if kind in KINDS and kind != "differences":
        for name, value in (("--baseline", baseline), ("--run", chosen)):
            if value is not None:
                raise UsageError(f"{name} has no effect on {kind}; it is for differences")
    if groups is not None and kind in KINDS and kind != "groups":
        raise UsageError(f"--groups has no effect on {kind}; it is for groups")
    if kind in CURVES and request.measures:
        raise UsageError(f"-m has no effect on {kind}, which chooses its own measures")
    write_plot(kind, request, baseline, output, chosen, groups)
