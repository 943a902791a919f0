"""spanwise cluster: put documents into clusters and compare these with categories."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from spanwise.cli.options import Command, judgements_format_option, option, printed_as, seed_option

if TYPE_CHECKING:
    from spanwise.retrieve.clustering import Space

CATEGORIES = "Categories"


@click.command("cluster", cls=Command)
@click.argument("collection")
@option(
    "--clusters",
    type=click.IntRange(1),
    metavar="N",
    help="Number of clusters. [default: number of categories]",
)
@option(
    "--space",
    type=click.Choice(["tfidf", "bm25", "lsi", "plsi"]),
    default="tfidf",
    metavar="NAME",
    help="Vector space: tfidf, bm25, lsi, plsi. [default: tfidf]",
)
@option(
    "--dimensions",
    type=click.IntRange(1),
    metavar="N",
    help="Number of dimensions of lsi and plsi. [default: 100]",
)
@printed_as("table", "json")
@option(
    "--categories",
    metavar="JUDGEMENTS",
    section=CATEGORIES,
    help="Judgements whose topics are categories.",
)
@option(
    "--most",
    type=click.IntRange(1),
    metavar="N",
    section=CATEGORIES,
    help="Number of largest categories used. [default: all]",
)
@judgements_format_option
@seed_option
def command(
    collection: str,
    space: Space,
    clusters: int | None,
    dimensions: int | None,
    categories: str | None,
    judgements_format: str | None,
    most: int | None,
    seed: int,
    layout: str,
    output: str | None,
) -> None:
    """Cluster documents by k-means and compare with categories.

    With categories, the documents that have exactly one of them are clustered, and their agreement
    is printed: B3 is B-cubed precision, recall and F, NMI normalised mutual information, ARI the
    adjusted Rand index. -o FILE.txt contains a line for each document with its cluster; without
    categories these lines are printed. JSON contains both.

    \b
    Examples:
      spanwise cluster articles.store --clusters 8 -o clusters.txt
      spanwise cluster reuters.store --categories reuters21578/ --most 10 --space lsi
      spanwise cluster reuters.store --categories reuters21578/ \\
          --judgements-format reuters_modapte_test --clusters 20 -o clusters.txt
    """
    import json

    from spanwise.console import emit
    from spanwise.workflows.cluster import cluster

    found = cluster(
        collection,
        space=space,
        clusters=clusters,
        dimensions=dimensions,
        categories=categories,
        judgements_format=judgements_format,
        most=most,
        seed=seed,
    )
    if layout == "json":
        emit(json.dumps(found.to_dict(), indent=1) + "\n", output)
        return
    if output is not None:
        emit(found.to_lines(), output)
    emit(found.to_text() or (found.to_lines() if output is None else ""))
