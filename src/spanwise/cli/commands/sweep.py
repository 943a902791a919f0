"""spanwise sweep: try many ways of cutting documents, and compare them at equal reading."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from spanwise.cli.options import (
    CHUNKS,
    FILES,
    Command,
    all_option,
    choice_options,
    chunker_names,
    html_option,
    measures_option,
    option,
    page_and_output,
    printed_as,
    retriever_names,
    seed_option,
    warnings_option,
    with_request,
    workers_option,
)

if TYPE_CHECKING:
    from spanwise.evaluation.request import Request


@click.command("sweep", cls=Command)
@click.argument("judgements")
@measures_option
@option(
    "--baseline",
    metavar="WAY",
    help="Way to compare with: 'fixed-400/0 bm25'. [default: the first]",
)
@printed_as("table", "md", "latex", "csv", "json", "html")
@html_option
@option(
    "--chunker",
    "chunkers",
    multiple=True,
    default=("fixed",),
    metavar="NAME",
    names=chunker_names,
    listed=True,
    section=CHUNKS,
    help="Chunkers, with commas or repeated. [default: fixed]",
)
@option(
    "--retriever",
    "retrievers",
    multiple=True,
    default=("bm25",),
    metavar="NAME",
    names=retriever_names,
    listed=True,
    section=CHUNKS,
    help="Retrievers, with commas or repeated. [default: bm25]",
)
@option(
    "--reranker",
    "rerankers",
    multiple=True,
    metavar="NAME",
    section=CHUNKS,
    help="Rerankers, with commas or repeated: dense:wordllama, dense:FOLDER.",
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
@all_option
@warnings_option
@seed_option
@workers_option
@with_request
def command(
    request: Request,
    chunkers: tuple[str, ...],
    retrievers: tuple[str, ...],
    rerankers: tuple[str, ...],
    sizes: str,
    overlaps: str,
    budget: str,
    baseline: str | None,
    seed: int,
    keep: str | None,
    layout: str,
    html: str | None,
    output: str | None,
    everything: bool,
    warnings: str,
    on: str | None = None,
) -> None:
    """Cut documents in many ways, search each, compare fairly.

    Each way of cutting is searched with each retriever and compared with the others after the same
    amount of reading. Each retriever returns as many chunks as the largest budget needs. JUDGEMENTS
    contain the questions and the relevant text. An overlap that is not smaller than a size is left
    out.

    \b
    Examples:
      spanwise sweep judged.jsonl --collection docs/ --sizes 200,400,800 --overlaps 0,100
      spanwise sweep questions_df.csv --collection corpora/ --chunker fixed,sentence
      spanwise sweep judged.jsonl --collection docs/ --retriever bm25,dense:wordllama,hybrid
    """
    from spanwise.cli.printing import report_comparison
    from spanwise.evaluation.evaluate import PROCESSES
    from spanwise.stats.resampling import Draws
    from spanwise.stats.statements import Question
    from spanwise.workflows.sweep import Sweep, swept, write_sweep_page

    html, output = page_and_output(layout, html, output)
    asked = Sweep(
        request,
        _listed(chunkers) or ("fixed",),
        _listed(retrievers) or ("bm25",),
        _listed(rerankers),
        _whole(sizes, "--sizes"),
        _whole(overlaps, "--overlaps"),
        budget,
        keep,
        on or PROCESSES,
    )
    compared, found = swept(asked, baseline, Question(draws=Draws(seed)))
    if html is not None:
        write_sweep_page(compared, found, str(request.judgements), html)
    if layout != "html":
        report_comparison(found, layout, output, everything=everything, warnings=warnings)


def _listed(written: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names in options that may stand several times, each with commas."""
    return tuple(dict.fromkeys(name.strip() for some in written for name in some.split(",")))


def _whole(written: str, option: str) -> list[int]:
    from spanwise.errors import UsageError

    try:
        return [int(part) for part in written.split(",")]
    except ValueError:
        raise UsageError(f"{option} {written!r}; expected whole numbers, such as 200,400") from None
