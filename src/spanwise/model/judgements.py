"""What people found relevant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray, IntArray
    from spanwise.model.ids import Ids
    from spanwise.model.rows import Rows


@dataclass(frozen=True, slots=True, eq=False)
class Judgements:
    """Graded documents. A negative grade says: in the pool, but not judged."""

    rows: Rows
    documents: Ids
    grades: FloatArray
    assessors: Ids | None = None  # who judged, where several did


@dataclass(frozen=True, slots=True, eq=False)
class Preferences:
    """Levels of documents within groups: a higher level is preferred to a lower one."""

    rows: Rows
    groups: tuple[bytes, ...]
    subgroups: tuple[bytes, ...]
    documents: tuple[bytes, ...]
    levels: FloatArray


def of_assessor(judgements: Judgements, rows: IntArray) -> tuple[Ids, FloatArray]:
    """The documents and grades of some rows."""
    return judgements.documents.reordered(rows), judgements.grades[rows]
