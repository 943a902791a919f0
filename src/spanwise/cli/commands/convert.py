"""spanwise convert: from one format to another."""

from __future__ import annotations

from typing import Any, Literal

import click

from spanwise.cli.options import (
    Command,
    collection_option,
    format_names,
    option,
    reported,
    source_format_option,
)


@click.command("convert", cls=Command)
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT")
@option(
    "--to",
    metavar="FORMAT",
    names=format_names(),
    help="Format of OUT; see: spanwise formats. It can be left out if OUT ends in .parquet.",
)
@option(
    "--sizes",
    type=click.Choice(["file", "collection"]),
    default="file",
    help="Sizes in judgements: as stated, or computed. [default: file]",
)
@option(
    *("--partition", "parts"),
    type=click.IntRange(min=1, max=100_000),
    metavar="N",
    help="Number of files of a dataset, which is a folder. [default: no dataset]",
)
@collection_option
@source_format_option
@reported
def command(
    source: str,
    target: str,
    to: str | None,
    source_format: str | None,
    collection: str | None,
    sizes: Literal["file", "collection"],
    parts: int | None,
) -> tuple[dict[str, Any], str]:
    """Write a run, judgements or a pool in another format.

    IN is a file, a folder of judgements or - for standard input. OUT is a file, - for standard
    output, or a folder (with / at its end) where the format has one file for each topic. What the
    format cannot hold is counted and reported on standard error.

    With --collection, results and passages that are named by paths get their offsets, and
    highlighted offsets become points where a format holds only those. With --sizes collection, the
    sizes in judgements are computed from the documents.

    With --json, what was written, how much, and what was lost is printed as JSON.

    With --partition, OUT is a dataset: all results of a topic are in one of its files. The commands
    eval, compare and check read it part by part.

    \b
    Examples:
      spanwise convert submission.xml run.jsonl --to span_run
      spanwise convert assessments/ judgements.jsonl --to span_qrels
      spanwise convert judgements.jsonl - --to qrels
      spanwise convert judgements.jsonl release/ --to inex_assessments_2007
      spanwise convert elements.run offsets.run --to inex_run --collection articles/
      spanwise convert inex.qrels release/ --to inex_assessments_2007 --collection articles/
      spanwise convert run.txt run.parquet --partition 64
    """
    from spanwise.workflows.convert import convert

    made = convert(
        source,
        target,
        to=to,
        source_format=source_format,
        collection=collection,
        sizes=sizes,
        partition=parts,
        progress=True,
    )
    return made.to_dict(), ""
