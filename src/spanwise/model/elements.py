"""Judged elements as trees, and the recall bases that a quantisation makes of them.

Elements are told apart, and lie in each other, by their paths. Those of one document of one topic
stand together, sorted by path, so that an element is followed at once by everything in it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np

from spanwise.errors import UsageError

if TYPE_CHECKING:
    from spanwise.model.arrays import BoolArray, FloatArray, IntArray
    from spanwise.model.rows import Rows

T = TypeVar("T")
Scale = Literal["letters", "pairs", "highlighted"]
"""How elements were judged: relevance with a letter for coverage (2002), two grades (2003-04), or
by the text that was highlighted in them (from 2005 on)."""
Grades = Mapping[tuple[int, str], float]
"""Values by grade and second grade: `(3, "3")`, or a letter of 2002, `(3, "E")`."""
Ties = Literal["higher", "deeper"]
"""Which of two elements of equal value on one path is the ideal one."""

NOBODY = -1
"""Stands for an element that is not there."""


@dataclass(frozen=True, slots=True, eq=False)
class JudgedElements:
    """The judged elements of all documents of all topics, as columns."""

    source: str
    scale: Scale
    rows: Rows  # of the judgements: documents by topic
    first: IntArray  # row r owns the elements first[r] to first[r + 1]
    paths: Sequence[bytes]
    parent: IntArray  # the nearest judged element around each; NOBODY: there is none
    child: BoolArray  # whether nothing stands between it and that parent
    level: IntArray  # how many judged elements are around it
    after: IntArray  # the element after the last one in it
    exhaustivity: IntArray  # as in assessments; in 2002 the relevance
    specificity: IntArray
    coverage: IntArray
    size: IntArray  # characters; -1 where nobody says
    highlighted: IntArray  # highlighted characters among them; -1 where none were counted
    start: IntArray  # first character in its document; -1 where nobody says
    passages: IntArray  # per row: highlighted characters in the whole document
    wanted: BoolArray  # whether it is of a kind that the topic's query asks for
    _derived: dict[Any, Any] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.parent)

    @property
    def row(self) -> IntArray:
        """The row of the judgements that each element belongs to."""
        return self.once("row", lambda: np.repeat(np.arange(len(self.rows)), np.diff(self.first)))

    @property
    def topic(self) -> IntArray:
        """The number of each element's topic among those of the judgements."""

        def owners() -> IntArray:
            topic = np.repeat(np.arange(len(self.rows.topics)), np.diff(self.rows.starts))
            return topic[self.row]

        return self.once("topic", owners)

    def in_levels(self) -> list[IntArray]:
        """The elements by level, so that an element always comes after those around it."""

        def split() -> list[IntArray]:
            order = np.argsort(self.level, kind="stable")
            counts = np.bincount(self.level) if len(self) else np.zeros(0, np.int64)
            return np.split(order, np.cumsum(counts)[:-1]) if len(counts) else []

        return self.once("levels", split)

    def place(self, element: int) -> str:
        """Topic, document and path in words, for messages."""
        row = int(self.row[element])
        path = self.paths[element].decode("utf-8", "surrogateescape")
        return f"{self.rows.place(row)}: {path}"

    def of_topics(self, column: Any) -> Any:
        """The sum of a column over the elements of each topic."""
        return np.bincount(self.topic, weights=column, minlength=len(self.rows.topics))

    def once(self, key: object, make: Callable[[], T]) -> T:
        """What is derived from judged elements is made once, however many runs are scored."""
        if key not in self._derived:
            self._derived[key] = make()
        return self._derived[key]


@dataclass(frozen=True, slots=True, eq=False)
class RecallBase:
    """What is relevant under a quantisation: the full recall base, and the ideal ones in it."""

    judged: JudgedElements
    quant: str
    value: FloatArray  # per element; 0: not relevant, so not in the full recall base
    highest: float = 1.0  # the highest value that the quantisation can give
    _derived: dict[Any, Any] = field(default_factory=dict, repr=False)

    @property
    def full(self) -> BoolArray:
        """The relevant elements: all that have a value."""
        return self.value > 0

    def ideal(self, ties: Ties) -> BoolArray:
        """The elements that a reader should be given: on every relevant path just one.

        On each path from the root to a relevant element without a relevant one in it, the element
        of highest value is chosen; of equal ones the higher or the deeper. Of chosen elements
        that lie in one another the outermost stays.
        """
        if ties not in ("higher", "deeper"):
            raise UsageError(f"ideal is {ties!r}; expected higher or deeper")
        return self.once(("ideal", ties), lambda: self._ideal(ties))

    def near_misses(self, ties: Ties) -> BoolArray:
        """Relevant elements that are not ideal."""
        return self.full & ~self.ideal(ties)

    def home(self, ties: Ties) -> IntArray:
        """The ideal element that each element is or lies in; NOBODY where there is none."""

        def find() -> IntArray:
            ideal = self.ideal(ties)
            home = np.where(ideal, np.arange(len(ideal)), NOBODY)
            for some in self.judged.in_levels()[1:]:
                home[some] = np.where(ideal[some], some, home[self.judged.parent[some]])
            return home

        return self.once(("home", ties), find)

    def _ideal(self, ties: Ties) -> BoolArray:
        best, inner = self._best_on_path(ties), self._has_relevant_inside()
        leaves = np.flatnonzero(self.full & ~inner)
        chosen = np.zeros(len(self.value), np.bool_)
        chosen[best[leaves]] = True
        hidden = np.zeros(len(self.value), np.bool_)  # what lies in a chosen element
        parent = self.judged.parent
        for some in self.judged.in_levels()[1:]:
            hidden[some] = hidden[parent[some]] | chosen[parent[some]]
        return chosen & ~hidden

    def _best_on_path(self, ties: Ties) -> IntArray:
        """For each element the best of those around it and itself; NOBODY: none is relevant."""
        levels, parent, value = self.judged.in_levels(), self.judged.parent, self.value
        best = np.where(self.full, np.arange(len(value)), NOBODY)
        for some in levels[1:]:
            before = best[parent[some]]
            theirs = np.where(before == NOBODY, 0.0, value[before])
            own = value[some]
            better = (own > 0) & ((own >= theirs) if ties == "deeper" else (own > theirs))
            best[some] = np.where(better, some, before)
        return best

    def _has_relevant_inside(self) -> BoolArray:
        inner = np.zeros(len(self.value), np.bool_)
        for some in self.judged.in_levels()[:0:-1]:
            found = some[self.full[some] | inner[some]]
            inner[self.judged.parent[found]] = True
        return inner

    def once(self, key: object, make: Callable[[], T]) -> T:
        """What is derived from a recall base is made once."""
        if key not in self._derived:
            self._derived[key] = make()
        return self._derived[key]
