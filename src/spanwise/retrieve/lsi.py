"""Latent semantic indexing: texts and queries in a space of few dimensions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from spanwise.errors import InputError
from spanwise.retrieve.registry import MissingEngine, engine

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray, IntArray


@engine(
    "lsi",
    title="Latent semantic indexing",
    install="install it with: pip install 'spanwise[latent]'",
    kind="model",
)
@dataclass(frozen=True, slots=True)
class Lsi:
    """A singular value decomposition of log tf-idf (scikit-learn), compared by cosine."""

    dimensions: int = 100
    seed: int = 0

    def build(self, texts: Iterable[str], folder: Path) -> None:
        """Weights of words, and the texts' places in the space."""
        features, decomposition = _library()
        vectors = features.TfidfVectorizer(stop_words="english", sublinear_tf=True)
        try:
            weights = vectors.fit_transform(texts)
        except ValueError as error:  # scikit-learn's way to say so
            raise InputError("engine lsi: no words in the texts but stop words") from error
        axes = _axes(decomposition, weights, self.dimensions, self.seed)
        places = _unit(weights @ axes.T)
        words = {word: int(number) for word, number in vectors.vocabulary_.items()}
        (folder / "words.json").write_text(json.dumps(words))
        np.savez(folder / "lsi.npz", idf=vectors.idf_, axes=axes, places=places)

    def open(self, folder: Path) -> _Open:
        """The space in memory."""
        features, _ = _library()
        known = np.load(folder / "lsi.npz")
        words = json.loads((folder / "words.json").read_text())
        vectors = features.TfidfVectorizer(
            stop_words="english", sublinear_tf=True, vocabulary=words
        )
        vectors.idf_ = known["idf"]
        return _Open(vectors, known["axes"], known["places"])


def _library() -> tuple[Any, Any]:
    try:
        from sklearn import decomposition
        from sklearn.feature_extraction import text
    except ImportError as error:
        raise MissingEngine("lsi", "scikit-learn") from error
    return text, decomposition


def _axes(decomposition: Any, weights: Any, dimensions: int, seed: int) -> FloatArray:
    """The directions in which texts differ most; of few texts or words, all there are."""
    if min(weights.shape) < 2:
        return np.eye(weights.shape[1]) if weights.shape[0] > 1 else _unit(weights.toarray())
    space = decomposition.TruncatedSVD(min(dimensions, min(weights.shape) - 1), random_state=seed)
    axes: FloatArray = space.fit(weights).components_
    return axes


def _unit(rows: FloatArray) -> FloatArray:
    """Rows of length 1; those of nothing stay so."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)


class _Open:
    def __init__(self, vectors: Any, axes: FloatArray, places: FloatArray) -> None:
        self._vectors, self._axes, self._places = vectors, axes, places

    def search(self, words: Sequence[str], top: int) -> tuple[IntArray, FloatArray]:
        """All units, by cosine; a query of unknown words finds nothing."""
        return self._nearest(self._vectors.transform([" ".join(words)]), top)

    def weighted(self, words: Mapping[str, float], top: int) -> tuple[IntArray, FloatArray]:
        """All units, for words that do not all weigh the same."""
        each = self._vectors.transform(list(words)).multiply(self._vectors.idf_).tocsr()
        return self._nearest(np.array([list(words.values())]) @ each, top)

    def _nearest(self, weights: Any, top: int) -> tuple[IntArray, FloatArray]:
        query = _unit(weights @ self._axes.T)
        if not query.any():
            return np.zeros(0, np.int64), np.zeros(0)
        scores = np.round(self._places @ query[0], 9)  # as many digits as threads agree on
        order = np.lexsort((np.arange(len(scores)), -scores))[:top]
        return order, scores[order]

    def __enter__(self) -> _Open:
        return self

    def __exit__(self, *_: object) -> None:
        pass
