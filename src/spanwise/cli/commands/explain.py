"""spanwise explain: why a topic has its score."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from spanwise.cli.options import (
    Command,
    evaluation_options,
    measure_option,
    option,
    printed_as,
    with_request,
)

if TYPE_CHECKING:
    from spanwise.evaluation.request import Request


@click.command("explain", cls=Command)
@click.argument("judgements")
@click.argument("run")
@option("--topic", required=True, metavar="ID", help="Topic to explain.")
@measure_option
@option("--most", type=click.IntRange(1), metavar="N", help="Rows to show. [default: all]")
@printed_as("text", "json")
@evaluation_options
@with_request
def command(
    request: Request, topic: str, most: int | None, layout: str, output: str | None
) -> None:
    """Show the ranking of one topic as a measure sees it.

    Each row shows the value of a result, and precision and recall or cumulated gain up to that
    rank. A line marks the cut-off. For iP and MAiP a mark shows which recall levels take their
    precision from a row. Below the table stand the value and the signature of all choices.

    With --collection the text of the documents follows, with relevant and retrieved parts marked:
    by colours on a terminal (unless NO_COLOR is set), else by lines below the text.

    \b
    Examples:
      spanwise explain qrels.txt run.txt --topic 7 -m nDCG@10
      spanwise explain qrels.txt run.txt --topic 7 -m AP --json
      spanwise explain inex.qrels passages.run --topic 2009001 -m 'iP[0.01]' --most 20
      spanwise explain inex.qrels elements.run --topic 101 -m MAiP --collection articles/
    """
    from spanwise.console import coloured, emit, page_width
    from spanwise.workflows.explain import (
        Explanation,
        cases_of,
        explained,
        marked_text,
    )

    cases = cases_of(request, topic)
    if layout == "json":
        emit(json.dumps(Explanation(cases).to_dict(), indent=1) + "\n", output)
        return
    width = page_width(output)
    colour = output is None and coloured()
    emit(explained(cases, width, most) + marked_text(cases[0], width, colour, most), output)
