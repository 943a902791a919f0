"""spanwise explain: why a topic has its score."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from spanwise.cli.options import (
    judgements_format_option,
    queries_option,
    run_format_option,
    structure_option,
    with_request,
)

if TYPE_CHECKING:
    from spanwise.evaluation.request import Request


@click.command("explain")
@click.argument("judgements")
@click.argument("run")
@click.option("--topic", required=True, help="The topic to look at.")
@click.option("-m", "--measure", required=True, help="The measure to explain.")
@click.option("--most", type=click.IntRange(1), help="Rows to show; all by default.")
@click.option("--profile", help="A named policy.")
@click.option("--task", help="What the run is for, as for eval.")
@click.option("--collection", help="Show the text too: a store, or a folder of documents.")
@queries_option
@structure_option
@click.option(
    "--ties",
    type=click.Choice(["docno", "file", "rank", "expected"]),
    help="Order of equal scores.",
)
@click.option("--depth", type=int, help="Look only at so many results.")
@click.option("--judged-only", is_flag=True, help="Take unjudged results out of the ranking.")
@judgements_format_option
@run_format_option
@with_request("ties", "depth", "judged_only", "structure")
def command(request: Request, topic: str, most: int | None) -> None:
    """Show the ranking of one topic as a measure sees it.

    Each row has what the result is worth and what precision and recall, or cumulated gain, have
    come to; a line is drawn below the cut-off. For iP and MAiP a mark shows which levels of recall
    take their precision from a row. Then come the value and the signature of all choices, and with
    --collection the text of the documents, in which relevant and retrieved parts are marked: by
    colours on a terminal (unless NO_COLOR is set), else by rulers.

    \b
    Examples:
      spanwise explain qrels.txt run.txt --topic 7 -m nDCG@10
      spanwise explain inex.qrels passages.run --topic 2009001 -m 'iP[0.01]' --most 20
      spanwise explain inex.qrels elements.run --topic 101 -m MAiP --collection articles/
    """
    from spanwise.console import coloured, emit, page_width
    from spanwise.workflows.explain import cases_of, explained, marked_text

    width = page_width()
    cases = cases_of(request, topic)
    emit(explained(cases, width, most) + marked_text(cases[0], width, coloured(), most))
