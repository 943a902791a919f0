"""What `spanwise cluster` does: documents of a collection, categories from judgements."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING

import numpy as np

from spanwise.collection import open_collection
from spanwise.errors import InputError, UsageError
from spanwise.formats import read_judgements
from spanwise.model.columns import text
from spanwise.model.judgements import Judgements
from spanwise.retrieve.clustering import agreement, clustered, row_vectors
from spanwise.retrieve.units import Grain, units_of

if TYPE_CHECKING:
    from spanwise.retrieve.clustering import Space


@dataclass(frozen=True, slots=True)
class Clustering:
    """What is to be clustered, as it was asked for."""

    collection: str
    space: Space = "tfidf"
    clusters: int | None = None
    dimensions: int = 100
    categories: str | None = None
    judgements_format: str | None = None
    most: int | None = None
    seed: int = 0


def reported(wanted: Clustering) -> tuple[str, str]:
    """How well clusters agree with categories (nothing without these), and lines of clusters."""
    if wanted.categories is None and wanted.clusters is None:
        raise UsageError("neither --clusters nor --categories; expected one of them")
    units = units_of(open_collection(wanted.collection), Grain())
    labels = labelled(wanted) if wanted.categories is not None else None
    chosen = [labels is None or one in labels for one in units.ids]
    if not any(chosen):
        raise InputError(f"{wanted.categories}: no document of {wanted.collection} has a category")
    ids = list(compress(units.ids, chosen))
    kinds = [labels[one] for one in ids] if labels is not None else []
    texts = compress(units.texts(), chosen)
    rows = row_vectors(texts, wanted.space, wanted.dimensions, wanted.seed)
    found = clustered(rows, wanted.clusters or len(set(kinds)), wanted.seed).tolist()
    lines = "".join(f"{name} {cluster}\n" for name, cluster in zip(ids, found, strict=True))
    return (_table(found, kinds) if kinds else ""), lines


def labelled(wanted: Clustering) -> dict[str, str]:
    """The category of each document that has exactly one, perhaps only the largest ones."""
    assert wanted.categories is not None
    judgements = read_judgements(wanted.categories, wanted.judgements_format)
    if not isinstance(judgements, Judgements):
        raise InputError(f"{wanted.categories}: preferences; expected judgements of documents")
    owners: dict[str, list[str]] = {}
    starts = judgements.rows.starts
    for code, topic in enumerate(judgements.rows.topics):
        rows = np.arange(starts[code], starts[code + 1])
        for document in judgements.documents.take(rows[judgements.grades[rows] > 0]):
            owners.setdefault(text(document), []).append(text(topic))
    single = {name: kinds[0] for name, kinds in owners.items() if len(kinds) == 1}
    counts = Counter(single.values())
    kept = sorted(counts, key=lambda kind: (-counts[kind], kind))[: wanted.most]
    return {name: kind for name, kind in single.items() if kind in set(kept)}


def _table(clusters: list[int], kinds: list[str]) -> str:
    sizes = {"documents": len(kinds), "categories": len(set(kinds)), "clusters": len(set(clusters))}
    lines = [f"{name:<11}{value:>8}" for name, value in sizes.items()]
    lines += [f"{name:<11}{value:>8.4f}" for name, value in agreement(clusters, kinds).items()]
    return "\n".join(lines) + "\n"
