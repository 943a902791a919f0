"""spanwise recallbase: the elements that count as relevant."""

from __future__ import annotations

from typing import Literal

import click

from spanwise.cli.options import (
    Command,
    collection_option,
    ideal_option,
    judgements_format_option,
    option,
    paths_option,
    printed_as,
    quant_option,
    structure_option,
    topics_option,
)


@click.command("recallbase", cls=Command)
@click.argument("judgements")
@option("--only-ideal", is_flag=True, help="Print only the ideal elements.")
@option("--topic", multiple=True, metavar="ID", help="Topic to print; repeatable. [default: all]")
@printed_as("table", "csv", "json", "jsonl")
@quant_option
@ideal_option
@paths_option
@collection_option
@topics_option
@structure_option
@judgements_format_option
def command(
    judgements: str,
    quant: str | None,
    only_ideal: bool,
    ideal: Literal["higher", "deeper"],
    paths: Literal["valued", "assessed"],
    topic: tuple[str, ...],
    collection: str | None,
    topics: str | None,
    structure: Literal["strict", "vague"] | None,
    layout: Literal["table", "csv", "json", "jsonl"],
    output: str | None,
    judgements_format: str | None,
) -> None:
    """Print the full recall base of every topic, or the ideal one.

    The full recall base holds all elements with a value under the quantisation. The default of
    --quant is `spec` where text was highlighted, `gen` where elements have grades.

    A relevant path leads from the root to a relevant element with nothing relevant in it. The best
    element on each path is ideal; of ideal elements that contain each other, only the outermost is.
    All others are near misses. With --paths assessed, a path may also end at an element without a
    value that assessors found relevant.

    Highlighted text needs --collection, which says which elements contain it.

    \b
    Examples:
      spanwise recallbase assessments.xml
      spanwise recallbase assessments/ --quant sog --only-ideal --ideal deeper
      spanwise recallbase inex.qrels --collection articles/ --format jsonl
    """
    from spanwise.console import emit, page_width
    from spanwise.workflows.recallbase import recallbase

    found = recallbase(
        judgements,
        quant=quant,
        only_ideal=only_ideal,
        ideal=ideal,
        topic=topic,
        collection=collection,
        topics=topics,
        structure=structure or "ignore",
        judgements_format=judgements_format,
        paths=paths,
    )
    emit(found.to_text(layout, page_width(output)), output)
