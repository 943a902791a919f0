"""spanwise plot: pictures for papers."""

from __future__ import annotations

import click

TASKS = ("documents", "thorough", "focused", "ric", "bic", "passages")


@click.command("plot")
@click.argument("kind")
@click.argument("judgements")
@click.argument("runs", nargs=-1)
@click.option("-o", "--output", required=True, help="A file that ends in .png, .svg, .pdf, .json.")
@click.option("-m", "--measure", "measures", multiple=True, help="A measure; may be repeated.")
@click.option("--baseline", help="Of differences: the run to compare with; else the first.")
@click.option("--collection", help="A store or a folder of documents.")
@click.option("--profile", help="A named policy with its measures.")
@click.option("--task", type=click.Choice(TASKS), help="What the runs are for.")
@click.option("--judgements-format", help="See: spanwise formats.")
@click.option("--run-format", help="See: spanwise formats.")
def command(
    kind: str,
    judgements: str,
    runs: tuple[str, ...],
    output: str,
    measures: tuple[str, ...],
    baseline: str | None,
    collection: str | None,
    profile: str | None,
    task: str | None,
    judgements_format: str | None,
    run_format: str | None,
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
      spanwise plot scatter results.jsonl -m AP -m nDCG@10 -o scatter.png
    """
    from spanwise.app.evaluation import Request
    from spanwise.app.plotting import plot

    request = Request(
        judgements,
        runs,
        measures,
        profile,
        task,
        {},
        judgements_format,
        run_format,
        collection,
    )
    plot(kind, request, baseline, output)
