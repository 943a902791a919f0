"""spanwise convert: from one format to another."""

from __future__ import annotations

import click


@click.command("convert")
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT")
@click.option("--to", required=True, metavar="FORMAT", help="See: spanwise formats.")
@click.option("--from", "source_format", metavar="FORMAT", help="By default recognised.")
@click.option("--collection", help="Place elements and points: a store, or a folder of documents.")
def command(
    source: str, target: str, to: str, source_format: str | None, collection: str | None
) -> None:
    """Write a run or judgements in another format.

    IN is a file, a folder of judgements or - for standard input; OUT is a file, - for standard
    output, or a folder (with / at its end) where the format has one file for each topic. What the
    format cannot hold is counted and said on standard error. With --collection results and
    passages that are named by paths are also given their offsets.

    \b
    Examples:
      spanwise convert submission.xml run.jsonl --to span_run
      spanwise convert assessments/ judgements.jsonl --to span_qrels
      spanwise convert judgements.jsonl - --to qrels
      spanwise convert judgements.jsonl release/ --to inex_assessments_2007
      spanwise convert elements.run offsets.run --to inex_run --collection articles/
    """
    from spanwise.app.converting import converted

    converted(source, target, to, source_format, collection)
