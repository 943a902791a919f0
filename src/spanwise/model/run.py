"""What a system returned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray
    from spanwise.model.ids import Ids
    from spanwise.model.rows import Rows


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """One system's results for many topics, as columns."""

    name: str  # the id the run states, else its file's name
    rows: Rows
    documents: Ids
    scores: FloatArray
    ranks: FloatArray | None = None  # the stated ranks, read only when a policy needs them
