"""Models computed from postings: TF-IDF with cosine, BM25, query likelihood."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from spanwise.retrieve.postings import Postings, load, postings_of, stems
from spanwise.retrieve.registry import engine

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray, IntArray

FILE = "postings.npz"
Weigh = Callable[[Postings, Mapping[int, float]], "FloatArray"]
"""A function that scores every unit, given the count or weight of each query word."""


class _Model(ABC):
    """A model whose index are postings and whose scores are a formula."""

    def build(self, texts: Iterable[str], folder: Path) -> None:
        """Count the words and save the postings."""
        postings_of(texts).save(folder / FILE)

    def open(self, folder: Path) -> Scored:
        """Load the postings and combine them with the formula."""
        return Scored(load(folder / FILE), self.weigh)

    @abstractmethod
    def weigh(self, postings: Postings, query: Mapping[int, float]) -> FloatArray:
        """Return the score of every unit for a query."""


class Scored:
    """Postings that are searched with a formula."""

    def __init__(self, postings: Postings, weigh: Weigh) -> None:
        self.postings, self._weigh = postings, weigh

    def search(self, words: Sequence[str], top: int) -> tuple[IntArray, FloatArray]:
        """Return the best units that contain any of the words."""
        known = self.postings.words
        return self._best(Counter(known[stem] for stem in stems(words) if stem in known), top)

    def weighted(self, words: Mapping[str, float], top: int) -> tuple[IntArray, FloatArray]:
        """Return the best units that contain any of the weighted words."""
        return self._best(self.postings.weights(words), top)

    def _best(self, query: Mapping[int, float], top: int) -> tuple[IntArray, FloatArray]:
        if not query:
            return np.zeros(0, np.int64), np.zeros(0)
        matched = np.zeros(len(self.postings.lengths), np.bool_)
        for word in query:
            matched[self.postings.of(word)[0]] = True
        units = np.flatnonzero(matched)
        scores = self._weigh(self.postings, query)[units]
        order = np.lexsort((units, -scores))[:top]
        return units[order], scores[order]

    def __enter__(self) -> Scored:
        return self

    def __exit__(self, *_: object) -> None:
        pass


def tfidf_of(postings: Postings) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the idf of each word, the weight of each pair of word and unit, and units' norms."""
    count = len(postings.lengths)
    idf = np.log(count / postings.frequencies)
    weights = (1.0 + np.log(postings.counts)) * idf[postings.owners]
    return idf, weights, np.sqrt(np.bincount(postings.units, weights**2, count))


@engine("tfidf", title="TF-IDF with cosine", kind="model")
@dataclass(frozen=True, slots=True)
class TfIdf(_Model):
    """The vector space: (1 + ln tf) · ln(N / df) on both sides, compared by cosine."""

    def weigh(self, postings: Postings, query: Mapping[int, float]) -> FloatArray:
        """Return the cosine of each unit's vector and the query's.

        A weight below 1 is used as it is, without the logarithm.
        """
        count = len(postings.lengths)
        idf, _, norms = tfidf_of(postings)
        asked = {
            word: (1.0 + np.log(tf) if tf >= 1 else tf) * idf[word] for word, tf in query.items()
        }
        length = float(np.sqrt(sum(weight**2 for weight in asked.values())))
        scores = np.zeros(count)
        for word, weight in asked.items():
            units, counts = postings.of(word)
            scores[units] += weight * (1.0 + np.log(counts)) * idf[word]
        return np.divide(scores, norms * length, out=np.zeros(count), where=norms * length > 0)


@engine("bm25", title="BM25", kind="model", ranges={"k1": (0, 1000), "b": (0, 1)})
@dataclass(frozen=True, slots=True)
class Bm25(_Model):
    """Okapi BM25: ln(1 + (N - df + 1/2) / (df + 1/2)) · tf (k1 + 1) / (tf + k1 (1 - b + b l/L))."""

    k1: float = 1.2
    b: float = 0.75

    def weigh(self, postings: Postings, query: Mapping[int, float]) -> FloatArray:
        """Return the sum over the words of the query, times their counts or weights."""
        count = len(postings.lengths)
        norm = self.k1 * (1 - self.b + self.b * postings.lengths / postings.lengths.mean())
        scores = np.zeros(count)
        for word, times in query.items():
            units, tf = postings.of(word)
            idf = np.log1p((count - len(units) + 0.5) / (len(units) + 0.5))
            scores[units] += times * idf * tf * (self.k1 + 1) / (tf + norm[units])
        return scores


@engine("ql", title="Query likelihood", kind="model", ranges={"mu": (1e-6, 1e9)})
@dataclass(frozen=True, slots=True)
class QueryLikelihood(_Model):
    """The probability that a unit's language model generates the query (Dirichlet smoothing)."""

    mu: float = 1000.0

    def weigh(self, postings: Postings, query: Mapping[int, float]) -> FloatArray:
        """Return the sum of ln((tf + mu P(w)) / (l + mu)) over the words of the query."""
        count = len(postings.lengths)
        total, every = postings.totals, float(postings.lengths.sum())
        scores = np.zeros(count)
        for word, times in query.items():
            units, tf = postings.of(word)
            background = self.mu * total[word] / every
            seen = np.zeros(count)
            seen[units] = tf
            scores += times * np.log((seen + background) / (postings.lengths + self.mu))
        return scores
