"""Clusters of the documents of a collection, compared with categories in judgements."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING, Any

import numpy as np

from spanwise.collection import open_collection, opened
from spanwise.errors import InputError, UsageError
from spanwise.formats import read_judgements
from spanwise.model.columns import plural, text
from spanwise.model.judgements import Judgements
from spanwise.model.scores import html_table, number
from spanwise.retrieve.clustering import agreement, clustered, row_vectors
from spanwise.retrieve.units import Grain, units_of

if TYPE_CHECKING:
    from spanwise.model.documents import Collection
    from spanwise.retrieve.clustering import Space

DIMENSIONS = 100
"""Number of dimensions of a reduced space, unless a user chooses it."""


@dataclass(frozen=True, slots=True, eq=False)
class Clusters:
    """Documents in clusters, and how well these agree with categories."""

    clusters: Mapping[str, int]
    """The number of the cluster of each document."""
    categories: Mapping[str, str]
    """The category of each document. Empty without categories."""
    agreement: Mapping[str, float]
    """B3P, B3R and B3F (B-cubed precision, recall and F), NMI and ARI. Empty without categories."""

    def __len__(self) -> int:
        return len(self.clusters)

    @property
    def counts(self) -> dict[str, int]:
        """The number of documents, categories and clusters."""
        return {
            "documents": len(self.clusters),
            "categories": len(set(self.categories.values())),
            "clusters": len(set(self.clusters.values())),
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the counts, the agreement and the cluster of each document."""
        return {
            **self.counts,
            "agreement": dict(self.agreement),
            "cluster": dict(self.clusters),
        }

    def to_text(self) -> str:
        """Return the counts and the agreement as lines; an empty text without categories."""
        if not self.categories:
            return ""
        lines = [f"{name:<11}{value:>8}" for name, value in self.counts.items()]
        lines += [f"{name:<11}{value:>8.4f}" for name, value in self.agreement.items()]
        return "\n".join(lines) + "\n"

    def to_lines(self) -> str:
        """Return a line for each document, with the number of its cluster."""
        return "".join(f"{name} {cluster}\n" for name, cluster in self.clusters.items())

    def __repr__(self) -> str:
        counts = self.counts
        with_categories = ""
        if self.categories:
            f = self.agreement["B3F"]
            with_categories = f", categories: {counts['categories']}, B3F {f:.4f}"
        clusters = plural(counts["clusters"], "cluster")
        return f"<Clusters: {plural(len(self), 'document')} in {clusters}{with_categories}>"

    def _repr_html_(self) -> str:
        rows = [[name, str(value)] for name, value in self.counts.items()]
        rows += [[name, number(value)] for name, value in self.agreement.items()]
        return html_table(["", "value"], rows, [])


def cluster(
    collection: Collection | Mapping[Any, str] | str | os.PathLike[str],
    *,
    space: Space = "tfidf",
    clusters: int | None = None,
    dimensions: int | None = None,
    categories: Any = None,
    judgements_format: str | None = None,
    most: int | None = None,
    seed: int = 0,
) -> Clusters:
    """Cluster the documents of a collection by k-means and compare the clusters with categories.

    `collection` is a store, a folder of documents, an open collection, or a dict of texts by id.
    `space` is the vector space of the documents: "tfidf", "bm25", "lsi" or "plsi"; `dimensions` is
    the size of the last two, 100 by default. `clusters` is the number of clusters; by default that
    of the categories. `categories` are judgements whose topics are categories: only the documents
    that have exactly one are clustered. `most` is the maximum number of categories, largest first.
    `seed` is the seed of the random generator.

    >>> texts = {"c1": "cat cats purr", "c2": "cat purr meow", "d1": "dog bark", "d2": "dog bone"}
    >>> cluster(texts, clusters=2)
    <Clusters: 4 documents in 2 clusters>
    """
    if categories is None and clusters is None:
        raise UsageError("neither --clusters nor --categories; expected one of them")
    if dimensions is not None and space not in ("lsi", "plsi"):
        raise UsageError(f"--dimensions has no effect on {space}; it is for lsi and plsi")
    if categories is None and (most is not None or judgements_format is not None):
        raise UsageError("--most and --judgements-format have no effect without --categories")
    if isinstance(collection, (str, os.PathLike)):
        place = os.fspath(collection)
        documents: Collection | None = open_collection(collection)
    else:
        place, documents = "the collection", opened(collection)
    assert documents is not None
    units = units_of(documents, Grain())
    labels = None if categories is None else labelled(categories, judgements_format, most)
    chosen = [labels is None or one in labels for one in units.ids]
    if not any(chosen):
        named = categories if isinstance(categories, str) else "the categories"
        raise InputError(f"{named}: no document of {place} has a category")
    ids = list(compress(units.ids, chosen))
    kinds = [labels[one] for one in ids] if labels is not None else []
    rows = row_vectors(compress(units.texts(), chosen), space, dimensions or DIMENSIONS, seed)
    found = clustered(rows, clusters or len(set(kinds)), seed).tolist()
    return Clusters(
        dict(zip(ids, found, strict=True)),
        dict(zip(ids, kinds, strict=True)) if kinds else {},
        agreement(found, kinds) if kinds else {},
    )


def labelled(categories: Any, form: str | None = None, most: int | None = None) -> dict[str, str]:
    """Return the category of each document that has exactly one; keep the `most` largest ones."""
    judgements = read_judgements(categories, form)
    if not isinstance(judgements, Judgements):
        source = judgements.rows.source
        raise InputError(f"{source}: preferences; expected judgements of documents")
    owners: dict[str, list[str]] = {}
    starts = judgements.rows.starts
    for code, topic in enumerate(judgements.rows.topics):
        rows = np.arange(starts[code], starts[code + 1])
        for document in judgements.documents.take(rows[judgements.grades[rows] > 0]):
            owners.setdefault(text(document), []).append(text(topic))
    single = {name: kinds[0] for name, kinds in owners.items() if len(kinds) == 1}
    counts = Counter(single.values())
    kept = sorted(counts, key=lambda kind: (-counts[kind], kind))[:most]
    return {name: kind for name, kind in single.items() if kind in set(kept)}
