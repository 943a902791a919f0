"""Lines of one source, grouped by topic: whom they belong to and where they stood."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanwise.model.arrays import IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The rows of a run or of judgements: topic after topic, file order within each."""

    source: str
    topics: tuple[bytes, ...]  # in order of first appearance
    starts: IntArray  # topic t owns rows starts[t] to starts[t + 1]
    lines: IntArray | None = None  # line number of each row; None: row 0 stood on line 1, ...
    has_lines: bool = True  # False for objects in memory

    def __len__(self) -> int:
        return int(self.starts[-1])

    def line(self, row: int) -> int | None:
        """Where a row stood in its file."""
        if not self.has_lines:
            return None
        return row + 1 if self.lines is None else int(self.lines[row])

    def order(self, row: int) -> tuple[int, int]:
        """Where a row stands among all: after those of topics that came before its own."""
        first = int(self.starts[np.searchsorted(self.starts, row, side="right") - 1])
        return self.line(first) or first, self.line(row) or row

    def place(self, row: int) -> str:
        """The row's file and line, as error messages begin."""
        line = self.line(row)
        return self.source if line is None else f"{self.source}:{line}"


def concatenated(parts: Sequence[Rows], source: str) -> tuple[Rows, IntArray]:
    """The rows of several files as those of one source, and the order that groups them by topic.

    Line numbers are given up, because they would not say of which file.
    """
    codes: dict[bytes, int] = {}
    topics = [codes.setdefault(topic, len(codes)) for rows in parts for topic in rows.topics]
    owner = np.repeat(topics, np.concatenate([np.diff(rows.starts) for rows in parts]))
    starts = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=len(codes)))])
    rows = Rows(source, tuple(codes), starts, has_lines=False)
    return rows, np.argsort(owner, kind="stable")
