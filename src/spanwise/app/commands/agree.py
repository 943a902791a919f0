"""spanwise agree: do judges agree, and does it matter?"""

from __future__ import annotations

import click

UNITS = ("char", "token", "sentence", "element", "document")


@click.command("agree")
@click.argument("judgements", nargs=-1, required=True)
@click.option("--unit", type=click.Choice(UNITS), default="char", help="What is compared.")
@click.option("--runs", multiple=True, metavar="RUN", help="Runs (files, folders) to rank.")
@click.option("-m", "--measure", "measures", multiple=True, help="What to rank the runs by.")
@click.option("--collection", metavar="PATH", help="The documents; a store or a folder.")
@click.option("-q", "--per-topic", is_flag=True, help="Also print every topic.")
@click.option("--seed", type=int, default=1, help="Of everything that is drawn at random.")
@click.option(
    "--format",
    "layout",
    type=click.Choice(["table", "json"]),
    default="table",
    help="How to print.",
)
@click.option("--judgements-format", help="See: spanwise formats.")
def command(
    judgements: tuple[str, ...],
    unit: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    collection: str | None,
    per_topic: bool,
    seed: int,
    layout: str,
    judgements_format: str | None,
) -> None:
    """Compare judges on the documents that they have in common.

    Each of JUDGEMENTS is what one judge said, in any format of judgements; one file with several
    judges, or a store of `spanwise judge`, stands for all of its judges. Coefficients are computed
    for each topic and averaged over topics; with 5 topics or more there are intervals.

    With --runs the runs are scored under each judge: if their order changes, the disagreement
    matters, and the pairs of runs that change places are listed.

    \b
    Examples:
      spanwise agree anna.jsonl ben.jsonl
      spanwise agree anna.jsonl ben.jsonl cleo.jsonl --unit char --format json
      spanwise agree judged.sqlite --runs runs/ -m MAiP -m 'iP[0.01]'
      spanwise agree a.qrels b.qrels --unit document --runs bm25.run --runs dense.run -m nDCG@10
    """
    from spanwise.app.agreeing import Question, answered
    from spanwise.app.output import emit

    question = Question(judgements, unit, runs, measures, collection, seed, judgements_format)
    emit(answered(question, layout, per_topic))
