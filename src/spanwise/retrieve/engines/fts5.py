"""The full-text search of SQLite, which is part of Python."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from spanwise.errors import InputError
from spanwise.retrieve.registry import engine, refusing

if TYPE_CHECKING:
    from types import TracebackType

    from spanwise.model.arrays import FloatArray, IntArray

FILE = "fts5.db"


@engine("fts5", title="SQLite FTS5")
@dataclass(frozen=True, slots=True)
class Fts5:
    """SQLite's BM25 (k1 1.2, b 0.75, fixed) over Porter stems, without stop word removal."""

    tokenize: str = "porter unicode61"

    def build(self, texts: Iterable[str], folder: Path) -> None:
        """Build a table without content, which holds only words and their positions."""
        database = sqlite3.connect(folder / FILE)
        database.execute("pragma journal_mode = off")
        database.execute("pragma synchronous = off")
        database.execute("pragma cache_size = -100000")
        kind = self.tokenize.replace("'", "''")
        with refusing(self, sqlite3.OperationalError):
            database.execute(
                f"create virtual table units using fts5(text, content='', tokenize='{kind}')"
            )
        database.execute("insert into units(units, rank) values('hashsize', 33554432)")
        rows = enumerate(texts, start=1)
        database.executemany("insert into units(rowid, text) values(?, ?)", rows)
        database.commit()
        database.close()

    def open(self, folder: Path) -> _Open:
        """Open the database for searching."""
        return _Open(folder / FILE)


class _Open:
    def __init__(self, file: Path) -> None:
        self._file, self._database = file, sqlite3.connect(file)

    def search(self, words: Sequence[str], top: int) -> tuple[IntArray, FloatArray]:
        """Return the best units that contain any of the words, each word counted once."""
        asked = " OR ".join(f'"{word}"' for word in dict.fromkeys(words))
        if not asked:
            return np.zeros(0, np.int64), np.zeros(0)
        try:
            found = self._database.execute(
                "select rowid, rank from units where units match ? order by rank, rowid limit ?",
                (asked, top),
            ).fetchall()
        except sqlite3.DatabaseError as error:
            raise InputError(
                f"{self._file}: found a damaged index ({error}); remove its folder to rebuild it"
            ) from error
        columns = np.array(found, np.float64).reshape(-1, 2)
        return columns[:, 0].astype(np.int64) - 1, -columns[:, 1]

    def __enter__(self) -> _Open:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._database.close()
