"""Columns of ids. An id is a string of bytes: never decoded, compared bytewise.

Two kinds serve the same purpose: plain lists for small files, so that a short command needs no
table library at start-up, and Polars columns for large ones. Everything else asks through `Ids`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    import polars as pl

    from spanwise.model.arrays import FingerprintArray, IntArray


class Ids(Protocol):
    """A column of ids, whatever it is stored in."""

    def __len__(self) -> int: ...

    def take(self, rows: IntArray) -> list[bytes]:
        """The ids of these rows."""

    def reordered(self, rows: IntArray) -> Ids:
        """The same kind of column with the rows in another order."""

    def fingerprints(self) -> FingerprintArray:
        """Equal ids have equal fingerprints; different ids nearly always different ones."""

    def distinct(self) -> int:
        """How many different ids there are."""

    def same_kind(self, other: Ids) -> Ids:
        """`other` stored in this column's way, so that fingerprints can be compared."""

    def same_at(self, rows: IntArray, other: Ids, other_rows: IntArray) -> bool:
        """Whether these rows hold the same ids as those of another column of this kind."""

    def falling(self, rows: IntArray, groups: IntArray) -> IntArray:
        """The rows ordered by group, and by falling id within each group."""


class PlainIds:
    """A list of ids."""

    def __init__(self, ids: Sequence[bytes]) -> None:
        self._ids = ids

    def __len__(self) -> int:
        return len(self._ids)

    def take(self, rows: IntArray) -> list[bytes]:
        ids = self._ids
        return [ids[row] for row in rows.tolist()]

    def reordered(self, rows: IntArray) -> PlainIds:
        return PlainIds(self.take(rows))

    def fingerprints(self) -> FingerprintArray:
        return np.fromiter(map(hash, self._ids), np.int64, len(self._ids)).view(np.uint64)

    def distinct(self) -> int:
        return len(set(self._ids))

    def same_kind(self, other: Ids) -> Ids:
        return other if isinstance(other, PlainIds) else PlainIds(other.take(np.arange(len(other))))

    def same_at(self, rows: IntArray, other: Ids, other_rows: IntArray) -> bool:
        return self.take(rows) == other.take(other_rows)

    def falling(self, rows: IntArray, groups: IntArray) -> IntArray:
        ids = self.take(rows)
        order = sorted(range(len(ids)), key=ids.__getitem__, reverse=True)
        by_id = np.array(order, dtype=np.int64)
        by_group = np.argsort(groups[by_id], kind="stable")
        return rows[by_id[by_group]]


class PolarsIds:
    """A Polars column of binary strings."""

    def __init__(self, series: pl.Series) -> None:
        self._series = series

    @classmethod
    def of(cls, ids: Sequence[bytes]) -> PolarsIds:
        """A Polars column made of a list."""
        import polars as pl

        return cls(pl.Series(ids, dtype=pl.Binary))

    def __len__(self) -> int:
        return len(self._series)

    @property
    def series(self) -> pl.Series:
        """The column itself."""
        return self._series

    def take(self, rows: IntArray) -> list[bytes]:
        return self._series.gather(rows).to_list()

    def reordered(self, rows: IntArray) -> PolarsIds:
        return PolarsIds(self._series.gather(rows))

    def fingerprints(self) -> FingerprintArray:
        return self._series.hash().to_numpy()

    def distinct(self) -> int:
        return self._series.n_unique()

    def same_kind(self, other: Ids) -> Ids:
        if isinstance(other, PolarsIds):
            return other
        return PolarsIds.of(other.take(np.arange(len(other))))

    def same_at(self, rows: IntArray, other: Ids, other_rows: IntArray) -> bool:
        if not isinstance(other, PolarsIds):
            return self.take(rows) == other.take(other_rows)
        import polars as pl

        mine, theirs = pl.lit(self._series).gather(rows), pl.lit(other.series).gather(other_rows)
        return bool(pl.select((mine == theirs).all()).item())

    def falling(self, rows: IntArray, groups: IntArray) -> IntArray:
        import polars as pl

        table = pl.DataFrame({"group": groups, "id": self._series.gather(rows), "row": rows})
        return table.sort(["group", "id"], descending=[False, True])["row"].to_numpy()


def joined(columns: Sequence[Ids]) -> Ids:
    """One column from several, Polars if any of them is."""
    if len(columns) == 1:
        return columns[0]
    polars = next((column for column in columns if isinstance(column, PolarsIds)), None)
    if polars is None:
        return PlainIds([i for column in columns for i in column.take(np.arange(len(column)))])
    import polars as pl

    parts = [polars.same_kind(column) for column in columns]
    return PolarsIds(pl.concat([part.series for part in parts if isinstance(part, PolarsIds)]))


def text(identifier: bytes) -> str:
    """An id as text; bytes that are not UTF-8 survive the round trip as surrogates."""
    return identifier.decode("utf-8", "surrogateescape")
