"""Lines of one source, grouped by topic: whom they belong to and where they stood."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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

    def place(self, row: int) -> str:
        """The row's file and line, as error messages begin."""
        line = self.line(row)
        return self.source if line is None else f"{self.source}:{line}"
