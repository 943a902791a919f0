"""The engine bm25s: BM25 in NumPy, in the variants of the literature."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from spanwise.errors import InputError
from spanwise.retrieve.registry import MissingEngine, engine, refusing

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray, IntArray


@engine(
    "bm25s",
    title="bm25s",
    install="install it with: pip install 'spanwise[bm25s]'",
    ranges={"k1": (0, 1000), "b": (0, 1)},
)
@dataclass(frozen=True, slots=True)
class Bm25s:
    """BM25 in Lucene's variant over Snowball's English stems, without stop words."""

    k1: float = 0.9
    b: float = 0.4
    method: str = "lucene"
    stopwords: str = "en"

    def build(self, texts: Iterable[str], folder: Path) -> None:
        """Compute the scores of all words in all texts in advance."""
        library, stemmer = _library()
        with refusing(self, ValueError):
            words = library.tokenize(
                list(texts), stopwords=self.stopwords, stemmer=stemmer, show_progress=False
            )
            index = library.BM25(method=self.method, k1=self.k1, b=self.b)
        if not words.vocab:
            raise InputError("engine bm25s: the texts contain no words except stop words")
        with refusing(self, ValueError):
            index.index(words, show_progress=False)
        index.save(str(folder), show_progress=False)

    def open(self, folder: Path) -> _Open:
        """Load the index into memory."""
        library, stemmer = _library()
        return _Open(library, stemmer, library.BM25.load(str(folder)), self.stopwords)


def _library() -> tuple[Any, Any]:
    try:
        import bm25s
        import Stemmer
    except ImportError as error:
        raise MissingEngine("bm25s", "the packages bm25s and PyStemmer") from error
    return bm25s, Stemmer.Stemmer("english")


class _Open:
    def __init__(self, library: Any, stemmer: Any, index: Any, stopwords: str) -> None:
        self._library, self._stemmer, self._index = library, stemmer, index
        self._stopwords = stopwords

    def search(self, words: Sequence[str], top: int) -> tuple[IntArray, FloatArray]:
        """Return the best units that contain any of the words."""
        asked = self._library.tokenize(
            [" ".join(words)],
            stopwords=self._stopwords,
            stemmer=self._stemmer,
            show_progress=False,
            return_ids=False,
        )[0]
        known = [word for word in asked if word in self._index.vocab_dict]
        if not known:
            return np.zeros(0, np.int64), np.zeros(0)
        scores = np.asarray(self._index.get_scores(known), np.float64)
        order = np.lexsort((np.arange(len(scores)), -scores))[:top]
        order = order[scores[order] > 0]
        return order, scores[order]

    def __enter__(self) -> _Open:
        return self

    def __exit__(self, *_: object) -> None:
        pass
