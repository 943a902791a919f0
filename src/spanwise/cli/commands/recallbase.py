"""spanwise recallbase: the elements that count as relevant."""

from __future__ import annotations

from typing import Literal

import click

from spanwise.cli.command import Command
from spanwise.cli.options import (
    judgements_format_option,
    paths_option,
    structure_option,
    topics_option,
)


@click.command("recallbase", cls=Command)
@click.argument("judgements")
@click.option("--quant", help="Quantisation: a name, or a file with a table of your own.")
@click.option("--ideal", is_flag=True, help="Only the ideal elements, one on each relevant path.")
@click.option(
    "--ties",
    type=click.Choice(["higher", "deeper"]),
    default="higher",
    help="Which of equally good elements on a path is ideal.",
)
@paths_option
@click.option("--topic", multiple=True, help="Only this topic; may be repeated.")
@click.option("--collection", help="Where the documents are: a store, or a folder of files.")
@topics_option
@structure_option
@click.option(
    "--format",
    "layout",
    type=click.Choice(["table", "jsonl", "csv"]),
    default="table",
    help="How to print; table by default.",
)
@click.option("-o", "--output", help="Write to this file instead of standard output.")
@judgements_format_option
def command(
    judgements: str,
    quant: str | None,
    ideal: bool,
    ties: Literal["higher", "deeper"],
    paths: Literal["valued", "assessed"] | None,
    topic: tuple[str, ...],
    collection: str | None,
    topics: str | None,
    structure: Literal["strict", "vague"] | None,
    layout: Literal["table", "jsonl", "csv"],
    output: str | None,
    judgements_format: str | None,
) -> None:
    """Print the full recall base of every topic, or the ideal one.

    The full recall base holds all elements with a value under the quantisation: without --quant
    `spec` where text was highlighted, `gen` where elements have grades. On each path from the root
    to a relevant element with nothing relevant in it, the best one is ideal; of ideal elements that
    lie in each other the outermost. All others are near misses. With --paths assessed a path may
    also end at an element that assessors found relevant and that has no value. Where only text was
    highlighted, --collection says which elements hold it.

    \b
    Examples:
      spanwise recallbase assessments.xml
      spanwise recallbase assessments/ --quant sog --ideal --ties deeper
      spanwise recallbase inex.qrels --collection articles/ --format jsonl
    """
    from spanwise.console import emit, page_width
    from spanwise.workflows.recallbase import recallbase

    found = recallbase(
        judgements,
        quant=quant,
        only_ideal=ideal,
        ideal=ties,
        topic=topic,
        collection=collection,
        topics=topics,
        structure=structure or "ignore",
        judgements_format=judgements_format,
        paths=paths or "valued",
    )
    emit(found.to_text(layout, page_width(output)), output)
