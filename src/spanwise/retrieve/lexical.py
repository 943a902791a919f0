"""BM25 over chunks, by the library bm25s."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from spanwise.errors import MissingExtra, UnknownName

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray, IntArray

K1, B = 1.2, 0.75
RETRIEVERS = ("bm25",)


class Bm25:
    """An index of texts."""

    def __init__(self, texts: Sequence[str]) -> None:
        try:
            import bm25s
        except ImportError:
            raise MissingExtra("bm25s", "sweep", "retriever 'bm25'") from None
        self._library: Any = bm25s
        self._count = len(texts)
        self._index = bm25s.BM25(k1=K1, b=B)
        self._index.index(self._tokens(texts), show_progress=False)

    def _tokens(self, texts: Sequence[str]) -> Any:
        return self._library.tokenize(
            list(texts), stopwords="en", return_ids=False, show_progress=False
        )

    def best(self, questions: Sequence[str], most: int) -> tuple[IntArray, FloatArray]:
        """For each question the numbers of the best texts, and their scores, best first."""
        found, scores = self._index.retrieve(
            self._tokens(questions), k=min(most, self._count), show_progress=False
        )
        # The library leaves equal scores in any order: the earlier text first.
        order = np.lexsort((found, -scores), axis=-1)
        return (
            np.take_along_axis(np.asarray(found, np.int64), order, axis=-1),
            np.take_along_axis(np.asarray(scores, np.float64), order, axis=-1),
        )


def find_retriever(name: str) -> type[Bm25]:
    """The retriever of that name."""
    if name not in RETRIEVERS:
        raise UnknownName("retriever", name, list(RETRIEVERS))
    return Bm25
