"""The engine Xapian, through its Python bindings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from spanwise.retrieve.registry import MissingEngine, engine

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray, IntArray

LONGEST_TERM = 64


@engine(
    "xapian",
    title="Xapian",
    install="install it with: pip install 'spanwise[xapian]', or Debian's python3-xapian",
    ranges={"k1": (0, 1000), "b": (0, 1)},
)
@dataclass(frozen=True, slots=True)
class Xapian:
    """Xapian's BM25 over words and their English stems, without stop word removal."""

    k1: float = 1.0
    b: float = 0.5

    def build(self, texts: Iterable[str], folder: Path) -> None:
        """Build a database on disk, in which units are numbered from 1."""
        library = _library()
        database = library.WritableDatabase(str(folder / "xapian"), library.DB_CREATE)
        generator = library.TermGenerator()
        generator.set_stemmer(library.Stem("en"))
        generator.set_stemming_strategy(library.TermGenerator.STEM_SOME)
        generator.set_max_word_length(LONGEST_TERM)
        for text in texts:
            document = library.Document()
            generator.set_document(document)
            generator.index_text(text)
            database.add_document(document)
        database.commit()
        database.close()

    def open(self, folder: Path) -> _Open:
        """Open the database for searching."""
        library = _library()
        return _Open(library, library.Database(str(folder / "xapian")), self.k1, self.b)


def _library() -> Any:
    try:
        import xapian
    except ImportError as error:
        raise MissingEngine("xapian", "Xapian's Python bindings") from error
    return xapian


class _Open:
    def __init__(self, library: Any, database: Any, k1: float, b: float) -> None:
        self._library, self._database = library, database
        self._parser = library.QueryParser()
        self._parser.set_stemmer(library.Stem("en"))
        self._parser.set_stemming_strategy(library.QueryParser.STEM_SOME)
        self._parser.set_database(database)
        self._weight = library.BM25Weight(k1, 0, 1, b, 0.5)

    def search(self, words: Sequence[str], top: int) -> tuple[IntArray, FloatArray]:
        """Return the best units that contain any of the words."""
        inquiry = self._library.Enquire(self._database)
        inquiry.set_weighting_scheme(self._weight)
        inquiry.set_query(self._parser.parse_query(" ".join(words)))
        found = [(hit.docid - 1, hit.weight) for hit in inquiry.get_mset(0, top)]
        columns = np.array(found, np.float64).reshape(-1, 2)
        return columns[:, 0].astype(np.int64), columns[:, 1]

    def __enter__(self) -> _Open:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()
