"""Clusters of documents, and their agreement with categories."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from spanwise.errors import InputError, MissingExtra, UsageError
from spanwise.retrieve.models.latent import counted, fitted, unit_rows
from spanwise.retrieve.postings import postings_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from spanwise.model.arrays import FloatArray, IntArray

Space = Literal["tfidf", "bm25", "lsi", "plsi"]
SPACES: tuple[Space, ...] = ("tfidf", "bm25", "lsi", "plsi")
K1, B = 1.2, 0.75


def row_vectors(texts: Iterable[str], space: Space, dimensions: int = 100, seed: int = 0) -> Any:
    """Return texts as row vectors of length 1, sparse if each word has a column."""
    sparse, decomposition, _ = _libraries()
    postings = postings_of(texts)
    if not postings.words:
        raise InputError("the texts contain no words except stop words")
    count, owners = len(postings.lengths), postings.owners
    if space == "plsi":
        return unit_rows(fitted(counted(postings), min(dimensions, count), seed=seed).topics)
    idf = np.log(count / postings.frequencies)[owners]
    tf = postings.counts.astype(np.float64)
    if space == "bm25":
        norm = K1 * (1 - B + B * postings.lengths / postings.lengths.mean())
        weights = idf * tf * (K1 + 1) / (tf + norm[postings.units])
    else:
        weights = idf * (1 + np.log(tf))
    shape = (count, len(postings.words))
    table = sparse.csr_matrix((weights, (postings.units, owners)), shape)
    if space != "lsi":
        norms = np.sqrt(np.bincount(postings.units, weights**2, count))
        scale = np.divide(1.0, norms, out=np.zeros(count), where=norms > 0)
        return sparse.diags(scale) @ table
    if min(shape) < 2:
        return unit_rows(table.toarray())
    axes = decomposition.TruncatedSVD(min(dimensions, min(shape) - 1), random_state=seed)
    return unit_rows(axes.fit_transform(table))


def clustered(rows: Any, clusters: int, seed: int = 0) -> IntArray:
    """Return the cluster of each row, by the best of ten runs of k-means."""
    _, _, cluster = _libraries()
    if not 1 <= clusters <= rows.shape[0]:
        raise UsageError(
            f"found {clusters} clusters for {rows.shape[0]} documents; expected at most as many"
        )
    labels: IntArray = cluster.KMeans(clusters, n_init=10, random_state=seed).fit_predict(rows)
    return labels.astype(np.int64)


def _libraries() -> tuple[Any, Any, Any]:
    try:
        from scipy import sparse
        from sklearn import cluster, decomposition
    except ImportError as error:
        raise MissingExtra("scikit-learn", "latent", "clustering") from error
    return sparse, decomposition, cluster


# Agreement of clusters and categories -------------------------------------------------------------


def agreement(clusters: Sequence[int], categories: Sequence[str]) -> dict[str, float]:
    """Return B-cubed precision, recall and F, mutual information and adjusted Rand index.

    >>> agreement([0, 0, 1], ["a", "a", "b"])["B3F"], agreement([0, 1, 2], ["a", "a", "b"])["B3P"]
    (1.0, 1.0)
    """
    table = _table(clusters, categories)
    precision, recall = b_cubed(table)
    both = precision + recall
    return {
        "B3P": precision,
        "B3R": recall,
        "B3F": 2 * precision * recall / both if both else 0.0,
        "NMI": mutual_information(table),
        "ARI": adjusted_rand(table),
    }


def _table(clusters: Sequence[int], categories: Sequence[str]) -> FloatArray:
    """Count the documents of each cluster and category."""
    _, rows = np.unique(np.asarray(clusters), return_inverse=True)
    _, columns = np.unique(np.asarray(categories), return_inverse=True)
    table = np.zeros((rows.max(initial=-1) + 1, columns.max(initial=-1) + 1))
    np.add.at(table, (rows, columns), 1)
    return table


def b_cubed(table: FloatArray) -> tuple[float, float]:
    """Return the mean purity of clusters and of categories over documents."""
    total = table.sum()
    precision = (table**2 / table.sum(axis=1, keepdims=True)).sum() / total
    recall = (table**2 / table.sum(axis=0, keepdims=True)).sum() / total
    return float(precision), float(recall)


def mutual_information(table: FloatArray) -> float:
    """Return mutual information by the mean of the two entropies.

    It is 1 if there is only one cluster and one category.
    """
    joint = table / table.sum()
    rows, columns = joint.sum(axis=1), joint.sum(axis=0)
    entropies = [-float((p[p > 0] * np.log(p[p > 0])).sum()) for p in (rows, columns)]
    if not sum(entropies):
        return 1.0
    seen = joint > 0
    ratio = joint[seen] / np.outer(rows, columns)[seen]
    return 2 * float((joint[seen] * np.log(ratio)).sum()) / sum(entropies)


def adjusted_rand(table: FloatArray) -> float:
    """Return the adjusted Rand index: agreeing pairs beyond chance; 1 is the maximum."""

    def pairs(counts: FloatArray) -> float:
        return float((counts * (counts - 1)).sum() / 2)

    together, every = pairs(table), pairs(table.sum(keepdims=True))
    rows, columns = pairs(table.sum(axis=1)), pairs(table.sum(axis=0))
    chance = rows * columns / every if every else 0.0
    most = (rows + columns) / 2
    return (together - chance) / (most - chance) if most != chance else 1.0
