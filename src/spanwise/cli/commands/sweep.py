"""spanwise sweep: try many ways of cutting documents, and compare them at equal reading."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from spanwise.cli.options import (
    CHUNKS,
    FILES,
    Command,
    choice_options,
    chunker_names,
    measures_option,
    option,
    printed_as,
    seed_option,
    with_request,
)

if TYPE_CHECKING:
    from spanwise.evaluation.request import Request


@click.command("sweep", cls=Command)
@click.argument("judgements")
@measures_option
@option(
    "--baseline", metavar="WAY", help="Way to compare with: 'fixed 400/0'. [default: the first]"
)
@printed_as("table", "md", "latex", "csv", "json")
@option(
    "--chunker",
    "chunkers",
    multiple=True,
    default=("fixed",),
    metavar="NAME",
    names=chunker_names,
    listed=True,
    section=CHUNKS,
    help="Chunkers; repeatable. [default: fixed]",
)
@option(
    "--retriever",
    default="bm25",
    metavar="NAME",
    section=CHUNKS,
    help="Retriever: bm25, of the library bm25s. [default: bm25]",
)
@option(
    "--sizes",
    default="200,400,800",
    metavar="N,...",
    section=CHUNKS,
    help="Sizes of chunks in characters. [default: 200,400,800]",
)
@option(
    "--overlaps",
    default="0",
    metavar="N,...",
    section=CHUNKS,
    help="Characters that neighbouring chunks share. [default: 0]",
)
@option(
    "--budget",
    default="500,2000,8000",
    metavar="N,...",
    section=CHUNKS,
    help="Reading budgets. [default: 500,2000,8000]",
)
@choice_options
@option("--runs", "keep", metavar="FOLDER", section=FILES, help="Folder to write the runs to.")
@seed_option
@with_request
def command(
    request: Request,
    chunkers: tuple[str, ...],
    retriever: str,
    sizes: str,
    overlaps: str,
    budget: str,
    baseline: str | None,
    seed: int,
    keep: str | None,
    layout: str,
    output: str | None,
) -> None:
    """Cut documents in many ways, search each, compare fairly.

    Each way of cutting is searched with a real engine and compared with the others after the same
    amount of reading. JUDGEMENTS contain the questions and the relevant text. An overlap that is
    not smaller than a size is left out.

    \b
    Examples:
      spanwise sweep judged.jsonl --collection docs/ --sizes 200,400,800 --overlaps 0,100
      spanwise sweep questions_df.csv --collection corpora/ --chunker fixed --chunker sentence
    """
    from spanwise.cli.printing import report_comparison
    from spanwise.stats.resampling import Draws
    from spanwise.stats.statements import Question
    from spanwise.workflows.sweep import Sweep, swept

    asked = Sweep(
        request,
        chunkers or ("fixed",),
        retriever,
        _whole(sizes, "--sizes"),
        _whole(overlaps, "--overlaps"),
        budget,
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
