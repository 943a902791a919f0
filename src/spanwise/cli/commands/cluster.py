"""spanwise cluster: put documents into clusters and compare these with categories."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from spanwise.cli.command import Command

if TYPE_CHECKING:
    from spanwise.retrieve.clustering import Space


@click.command("cluster", cls=Command)
@click.argument("collection")
@click.option(
    "--space",
    type=click.Choice(["tfidf", "bm25", "lsi", "plsi"]),
    default="tfidf",
    show_default=True,
    help="How documents are made into numbers.",
)
@click.option("--clusters", type=click.IntRange(1), help="How many; as many as categories if none.")
@click.option("--dimensions", type=click.IntRange(1), default=100, help="Of lsi and plsi.")
@click.option("--categories", metavar="JUDGEMENTS", help="Judgements whose topics are categories.")
@click.option("--judgements-format", help="Of the categories; see: spanwise formats.")
@click.option("--most", type=click.IntRange(1), help="Only categories that are among the largest.")
@click.option("--seed", type=int, default=0, help="Of k-means and of the spaces.")
@click.option("-o", "--output", metavar="FILE", help="Write lines of document and cluster.")
def command(
    collection: str,
    space: Space,
    clusters: int | None,
    dimensions: int,
    categories: str | None,
    judgements_format: str | None,
    most: int | None,
    seed: int,
    output: str | None,
) -> None:
    """Cluster documents by k-means and compare with categories.

    With categories, the documents that have exactly one of them are clustered. B3 is B-cubed
    precision, recall and F; NMI normalised mutual information; ARI the adjusted Rand index.

    \b
    Examples:
      spanwise cluster reuters.store --categories reuters21578/ --most 10 --space lsi
      spanwise cluster reuters.store --categories reuters21578/ \\
          --judgements-format reuters_modapte_test --clusters 20 -o clusters.txt
      spanwise cluster articles.store --clusters 8 -o clusters.txt
    """
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
    if output is not None:
        emit(found.to_lines(), output)
    emit(found.to_text() or (found.to_lines() if output is None else ""))
