"""spanwise convert: from one format to another."""

from __future__ import annotations

from typing import Literal

import click

from spanwise.cli.command import Command


@click.command("convert", cls=Command)
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT")
@click.option("--to", metavar="FORMAT", help="See: spanwise formats. By default Parquet.")
@click.option("--from", "source_format", metavar="FORMAT", help="By default recognised.")
@click.option("--collection", help="Place elements and points: a store, or a folder of documents.")
@click.option(
    "--sizes",
    type=click.Choice(["file", "collection"]),
    default="file",
    help="Sizes in judgements: as stated, or computed anew.",
)
@click.option(
    "--partition",
    "parts",
    type=click.IntRange(min=1, max=100_000),
    help="Write a dataset: a folder of so many files, all results of a topic in one.",
)
def command(
    source: str,
    target: str,
    to: str | None,
    source_format: str | None,
    collection: str | None,
    sizes: Literal["file", "collection"],
    parts: int | None,
) -> None:
    """Write a run or judgements in another format.

    IN is a file, a folder of judgements or - for standard input; OUT is a file, - for standard
    output, or a folder (with / at its end) where the format has one file for each topic. What the
    format cannot hold is counted and said on standard error. With --collection results and
    passages that are named by paths are also given their offsets, and highlighted offsets become
    points where a format holds only those; with --sizes collection the sizes that judgements
    state are computed anew. With --partition OUT is a dataset, which eval, compare
    and check read part by part.

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

    convert(
        source,
        target,
        to=to,
        source_format=source_format,
        collection=collection,
        sizes=sizes,
        partition=parts,
        progress=True,
    )
