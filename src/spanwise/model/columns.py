"""Columns of ids, and the rows of a run or of judgements that they belong to.

An id is a string of bytes: it is never decoded, and ids are compared bytewise. There are three
kinds of columns: plain lists for ids made in Python, packed words for short ids, which almost all
files have, and Polars columns for large files of long ids. All other code uses the protocol `Ids`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    import polars as pl

    from spanwise.model.arrays import FingerprintArray, IntArray

MOST_PACKED = 32
"""Maximum number of bytes of an id that can be packed."""
_ODD = [
    np.uint64(odd)
    for odd in (
        0x9E3779B97F4A7C15,
        0xC2B2AE3D27D4EB4F,
        0x165667B19E3779F9,
        0xD6E8FEB86659FD93,
        0x27D4EB2F165667C5,
    )
]
_MIX = np.uint64(0xFF51AFD7ED558CCD)


class Coded(Sequence[bytes]):
    """A column in which ids recur: a list of distinct names and the code of each row's name."""

    def __init__(self, codes: IntArray, names: Sequence[bytes]) -> None:
        self.codes, self.names = codes, names

    @classmethod
    def of(cls, ids: Sequence[bytes]) -> Coded:
        """Return the same ids with every name stored once."""
        numbers = {name: number for number, name in enumerate(dict.fromkeys(ids))}
        codes = np.fromiter(map(numbers.__getitem__, ids), np.int64, len(ids))
        return cls(codes, list(numbers))

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, row: Any) -> Any:
        if isinstance(row, slice):
            return Coded(self.codes[row], self.names)
        return self.names[int(self.codes[row])]

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.tolist())

    def tolist(self) -> list[bytes]:
        """Return the id of every row."""
        return list(map(self.names.__getitem__, self.codes.tolist()))

    def at(self, rows: IntArray) -> Coded:
        """Return the column restricted to some rows."""
        return Coded(self.codes[rows], self.names)


class _Column:
    """A column that caches its coded form."""

    _coded: Coded | None = None

    def coded(self: Ids) -> Coded:
        """Return all ids with every name stored once."""
        if self._coded is None:
            self._coded = Coded.of(self.take(np.arange(len(self))))
        return self._coded


class Ids(Protocol):
    """A column of ids, independent of how it is stored."""

    _coded: Coded | None

    def __len__(self) -> int: ...

    def coded(self) -> Coded:
        """Return all ids with every name stored once."""

    def take(self, rows: IntArray) -> list[bytes]:
        """Return the ids of these rows."""

    def reordered(self, rows: IntArray) -> Ids:
        """Return a column of the same kind with its rows in this order."""

    def fingerprints(self) -> FingerprintArray:
        """Return a number per row: equal for equal ids, nearly always unequal for different ids."""

    def distinct(self) -> int:
        """Return the number of different ids."""

    def same_kind(self, other: Ids) -> Ids:
        """Return `other` converted to this kind of column, so that fingerprints can be compared."""

    def same_at(self, rows: IntArray, other: Ids, other_rows: IntArray) -> bool:
        """Return whether these rows hold the same ids as those of another column of this kind."""

    def falling(self, rows: IntArray, groups: IntArray) -> IntArray:
        """Return the rows ordered by group and, within each group, by falling id."""


class PlainIds(_Column):
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


class PackedIds(_Column):
    """A column of ids of up to 32 bytes without NUL, as rows of 64-bit words padded with NUL."""

    def __init__(self, words: FingerprintArray) -> None:
        self._words = words

    @classmethod
    def of(cls, ids: Sequence[bytes]) -> PackedIds | None:
        """Return a packed column made of a list, or None if one of the ids cannot be packed."""
        if any(len(one) > MOST_PACKED or b"\0" in one for one in ids):
            return None
        longest = max(map(len, ids), default=0)
        count = max(1, -(-longest // 8))
        return cls(np.array(ids, f"S{8 * count}").view(np.uint64).reshape(len(ids), count))

    def __len__(self) -> int:
        return len(self._words)

    @property
    def words(self) -> FingerprintArray:
        """The words, one row for each id."""
        return self._words

    def widened(self, count: int) -> FingerprintArray:
        """Return the words padded with NUL words to `count` columns."""
        missing = count - self._words.shape[1]
        return np.pad(self._words, ((0, 0), (0, missing))) if missing else self._words

    def take(self, rows: IntArray) -> list[bytes]:
        chosen = self._words.take(rows, axis=0)
        return chosen.view(f"S{8 * chosen.shape[1]}")[:, 0].tolist()

    def reordered(self, rows: IntArray) -> PackedIds:
        return PackedIds(self._words[rows])

    def fingerprints(self) -> FingerprintArray:
        """Return fingerprints that do not depend on the width: words of only NUL add nothing."""
        prints = self._words[:, 0] * _ODD[0]
        for word in range(1, self._words.shape[1]):
            mixed = self._words[:, word] * _ODD[word]
            mixed ^= mixed >> np.uint64(29)
            prints += mixed
        prints ^= prints >> np.uint64(32)
        prints *= _MIX
        return prints

    def changes(self) -> IntArray:
        """Return the rows whose id differs from that of the row before."""
        differs = self._words[1:, 0] != self._words[:-1, 0]
        for word in range(1, self._words.shape[1]):
            differs |= self._words[1:, word] != self._words[:-1, word]
        return np.flatnonzero(differs) + 1

    def distinct(self) -> int:
        return len(set(self.take(np.arange(len(self)))))

    def same_kind(self, other: Ids) -> Ids:
        """Return `other` packed; ids that cannot be packed become one that equals no packed id."""
        if isinstance(other, PackedIds):
            return other
        never = b"\xff" * (MOST_PACKED + 8)
        ids = other.take(np.arange(len(other)))
        fit = [one if len(one) <= MOST_PACKED and b"\0" not in one else never for one in ids]
        count = len(never) // 8
        return PackedIds(np.array(fit, f"S{8 * count}").view(np.uint64).reshape(-1, count))

    def same_at(self, rows: IntArray, other: Ids, other_rows: IntArray) -> bool:
        if not isinstance(other, PackedIds):
            return self.take(rows) == other.take(other_rows)
        mine, theirs = self._words.take(rows, axis=0), other.words.take(other_rows, axis=0)
        both = min(mine.shape[1], theirs.shape[1])
        if mine[:, both:].any() or theirs[:, both:].any():
            return False
        return bool((mine[:, :both] == theirs[:, :both]).all())

    def falling(self, rows: IntArray, groups: IntArray) -> IntArray:
        words = ~self._words[rows].view(">u8")  # numbers are ordered as their bytes are
        return rows[np.lexsort((*words.T[::-1], groups))]


class PolarsIds(_Column):
    """A Polars column of binary strings."""

    def __init__(self, series: pl.Series) -> None:
        self._series = series

    @classmethod
    def of(cls, ids: Sequence[bytes]) -> PolarsIds:
        """Return a Polars column made of a list."""
        import polars as pl

        return cls(pl.Series(ids, dtype=pl.Binary))

    def __len__(self) -> int:
        return len(self._series)

    @property
    def series(self) -> pl.Series:
        """The underlying Polars column."""
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
    """Join columns to one: packed if all can be packed, else Polars if any is packed or Polars."""
    if len(columns) == 1:
        return columns[0]
    if all(isinstance(column, PlainIds) for column in columns):
        return PlainIds([i for column in columns for i in column.take(np.arange(len(column)))])
    packed = _packed(columns)
    if packed is not None:
        return packed
    import polars as pl

    kind = PolarsIds.of([])
    parts = [kind.same_kind(column) for column in columns]
    return PolarsIds(pl.concat([part.series for part in parts if isinstance(part, PolarsIds)]))


def _packed(columns: Sequence[Ids]) -> PackedIds | None:
    """Join packed columns and lists of ids to one packed column; None if an id cannot be packed."""
    parts: list[PackedIds] = []
    for column in columns:
        part = None
        if isinstance(column, PackedIds):
            part = column
        elif isinstance(column, PlainIds):
            part = PackedIds.of(column.take(np.arange(len(column))))
        if part is None:
            return None
        parts.append(part)
    count = max(part.words.shape[1] for part in parts)
    return PackedIds(np.concatenate([part.widened(count) for part in parts]))


def text(identifier: bytes) -> str:
    """Return an id as text; bytes that are not UTF-8 survive the round trip as surrogates."""
    return identifier.decode("utf-8", "surrogateescape")


# Rows ---------------------------------------------------------------------------------------------


def plural(count: int, noun: str) -> str:
    """Return a number with its noun.

    >>> plural(1, "topic"), plural(1200, "topic")
    ('1 topic', '1,200 topics')
    """
    return f"{count:,} {noun}{'s' * (count != 1)}"


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The rows of a run or of judgements: topic after topic, in file order within each topic."""

    source: str
    topics: tuple[bytes, ...]  # in order of first appearance
    starts: IntArray  # topic t owns rows starts[t] to starts[t + 1]
    lines: IntArray | None = None  # line number of each row; None: row 0 is line 1, and so on
    has_lines: bool = True  # False for objects in memory

    def __len__(self) -> int:
        return int(self.starts[-1])

    def line(self, row: int) -> int | None:
        """Return the line number of a row in its file; None for objects in memory."""
        if not self.has_lines:
            return None
        return row + 1 if self.lines is None else int(self.lines[row])

    def order(self, row: int) -> tuple[int, int]:
        """Return a sort key that puts rows in file order, topic by topic."""
        first = int(self.starts[np.searchsorted(self.starts, row, side="right") - 1])
        return self.line(first) or first, self.line(row) or row

    def place(self, row: int) -> str:
        """Return the row's file and line, as error messages begin."""
        line = self.line(row)
        return self.source if line is None else f"{self.source}:{line}"


def concatenated(parts: Sequence[Rows], source: str) -> tuple[Rows, IntArray]:
    """Concatenate the rows of several files, and return the order that groups them by topic.

    Line numbers are dropped because they would not identify the file.
    """
    codes: dict[bytes, int] = {}
    topics = [codes.setdefault(topic, len(codes)) for rows in parts for topic in rows.topics]
    owner = np.repeat(topics, np.concatenate([np.diff(rows.starts) for rows in parts]))
    starts = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=len(codes)))])
    rows = Rows(source, tuple(codes), starts, has_lines=False)
    return rows, np.argsort(owner, kind="stable")
