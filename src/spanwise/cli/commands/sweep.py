"""spanwise sweep: try many ways of cutting documents, and compare them at equal reading."""

from __future__ import annotations

import click

from spanwise.cli.names import NamesOption, chunker_names

FORMATS = ("table", "md", "latex", "csv", "json")


@click.command("sweep")
@click.argument("judgements")
@click.option("--collection", help="A store or a folder of documents.")
@click.option(
    "--chunker",
    "chunkers",
    multiple=True,
    default=("fixed",),
    cls=NamesOption,
    names=chunker_names,
    listed=True,
    help="How to cut documents; may be repeated.",
)
@click.option("--retriever", default="bm25", help="bm25 (by the library bm25s).")
@click.option("--sizes", default="200,400,800", help="Characters of a chunk; 200,400,800.")
@click.option("--overlaps", default="0", help="Characters that neighbours share; 0.")
@click.option("--budget", default="500,2000,8000", help="Amounts of reading; 500,2000,8000.")
@click.option("--unit", default="chars", help="What a budget counts: chars, or tokens:NAME.")
@click.option("-m", "--measure", "measures", multiple=True, help="Measures instead of the usual.")
@click.option("--baseline", help="The way to compare with, such as 'fixed 400/0'; else the first.")
@click.option("--seed", type=click.IntRange(min=0), default=0, help="Where chance starts; 0.")
@click.option("--runs", "keep", metavar="FOLDER", help="Keep the runs in this folder.")
@click.option("--format", "layout", type=click.Choice(FORMATS), default="table", help="How.")
@click.option("-o", "--output", help="Write to this file instead of standard output.")
def command(
    judgements: str,
    collection: str | None,
    chunkers: tuple[str, ...],
    retriever: str,
    sizes: str,
    overlaps: str,
    budget: str,
    unit: str,
    measures: tuple[str, ...],
    baseline: str | None,
    seed: int,
    keep: str | None,
    layout: str,
    output: str | None,
) -> None:
    """Cut documents in many ways, search each, compare fairly.

    Each way is searched with a real engine and compared with the others at equal reading.
    JUDGEMENTS hold the questions and the relevant text. An overlap that is not smaller than a size
    is left out.

    \b
    Examples:
      spanwise sweep gold.jsonl --collection docs/ --sizes 200,400,800 --overlaps 0,100
      spanwise sweep questions_df.csv --collection corpora/ --chunker fixed --chunker sentence
    """
    from spanwise.cli.printing import report_comparison
    from spanwise.stats.resampling import Draws
    from spanwise.stats.statements import Question
    from spanwise.workflows.sweep import Sweep, swept

    asked = Sweep(
        judgements,
        collection,
        chunkers,
        retriever,
        _whole(sizes, "--sizes"),
        _whole(overlaps, "--overlaps"),
        budget,
        unit,
        measures,
        keep,
    )
    found = swept(asked, baseline, Question(draws=Draws(seed)))
    report_comparison(found, layout, output, across=True)


def _whole(written: str, option: str) -> list[int]:
    from spanwise.errors import UsageError

    try:
        return [int(part) for part in written.split(",")]
    except ValueError:
        raise UsageError(f"{option} {written!r}; expected whole numbers, such as 200,400") from None
