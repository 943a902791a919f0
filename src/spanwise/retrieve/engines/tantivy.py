"""The engine tantivy, written in Rust, run in this process."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from spanwise.retrieve.registry import MissingEngine, engine, refusing

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray, IntArray

MEMORY = 50_000_000


@engine("tantivy", title="tantivy", install="install it with: pip install 'spanwise[tantivy]'")
@dataclass(frozen=True, slots=True)
class Tantivy:
    """BM25 (k1 1.2, b 0.75, fixed) over Snowball's English stems; keeps stop words."""

    tokenizer: str = "en_stem"

    def build(self, texts: Iterable[str], folder: Path) -> None:
        """Build the index with one thread, so that units keep their order."""
        library = _library()
        index = library.Index(self._schema(library), path=str(folder))
        writer = index.writer(MEMORY, 1)
        with refusing(self, ValueError):
            for number, text in enumerate(texts):
                writer.add_document(library.Document(text=text, number=number))
            writer.commit()
        writer.wait_merging_threads()

    def open(self, folder: Path) -> _Open:
        """Open the files of the index for searching."""
        index = _library().Index.open(str(folder))
        index.reload()
        return _Open(index)

    def _schema(self, library: Any) -> Any:
        builder = library.SchemaBuilder()
        builder.add_text_field("text", stored=False, tokenizer_name=self.tokenizer)
        builder.add_integer_field("number", stored=True)
        return builder.build()


def _library() -> Any:
    try:
        import tantivy
    except ImportError as error:
        raise MissingEngine("tantivy", "the package tantivy") from error
    return tantivy


class _Open:
    def __init__(self, index: Any) -> None:
        self._index, self._searcher = index, index.searcher()

    def search(self, words: Sequence[str], top: int) -> tuple[IntArray, FloatArray]:
        """Return the best units that contain any of the words.

        Words are in lower case, because operators of the query language are in capitals.
        """
        if not words:
            return np.zeros(0, np.int64), np.zeros(0)
        query = self._index.parse_query(" ".join(word.lower() for word in words), ["text"])
        hits = self._searcher.search(query, min(top, max(self._searcher.num_docs, 1))).hits
        units = [self._searcher.doc(place)["number"][0] for _, place in hits]
        return np.array(units, np.int64), np.array([score for score, _ in hits], np.float64)

    def __enter__(self) -> _Open:
        return self

    def __exit__(self, *_: object) -> None:
        pass
