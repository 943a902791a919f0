"""A block of rankings as journeys: from which result a reader may come to which target.

A target is what a reader is after: an ideal element, a highlighted passage, or the best entry
point of a document. Readers are modelled by chances: at each rank they may navigate to targets,
to each with a chance of its own and independently of all else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

if TYPE_CHECKING:
    from spanwise.model.arrays import BoolArray, FloatArray, IntArray
    from spanwise.model.policy import Policy

T = TypeVar("T")
Worth = Literal["graded", "binary"]


class Place(NamedTuple):
    """A result or a target, as a function of behaviour is told of it; unknown is None."""

    topic: str
    document: str
    path: str | None
    start: int | None
    length: int | None
    rank: int | None = None  # of a result


Chance = Callable[[Place, Place], float]
"""How likely a reader of a result (the first place) navigates to a target (the second)."""
ChanceTable = Mapping[tuple[bytes, bytes, bytes], float]
"""Chances by document, result and target; what is not in it has none."""


@dataclass(frozen=True, slots=True)
class Behaviour:
    """How readers navigate, and what they are after."""

    name: str | Chance  # identity, containment, bep, table, t2i, or a function
    A: float = 1.0  # how forgiving a reader is of the distance to a best entry point
    L: float | None = None  # mean length of documents; None: the collection's
    tolerance: float = 0.0  # how many characters a reader reads on for nothing
    quant: str | None = None  # which elements are ideal, and how much; None: what fits
    ideal: Literal["higher", "deeper"] = "higher"
    worth: Worth = "graded"
    table: str | None = None  # file with chances


@dataclass(frozen=True, slots=True, eq=False)
class Journey:
    """One topic: its targets, and the chances of coming to one of them from a rank.

    A step is a rank, a target and a chance. Steps come in order of rank, and no rank has two to
    the same target.
    """

    results: int
    worth: FloatArray  # of each target: above 0
    rank: IntArray  # of each step, from 1
    target: IntArray
    chance: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Journeys:
    """Some topics of one run, to be browsed in any way."""

    topics: tuple[bytes, ...]
    policy: Policy
    browse: Callable[[Behaviour], Sequence[Journey]]  # one journey for each topic
    _derived: dict[Any, Any] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.topics)

    def anything_relevant(self, rel: float | None = None) -> BoolArray:  # noqa: ARG002
        """Every topic is looked at: whether it has targets depends on the behaviour."""
        import numpy as np

        return np.ones(len(self), np.bool_)

    def of(self, behaviour: Behaviour) -> Sequence[Journey]:
        """The journeys of readers who behave so, made once."""
        return self.once(behaviour, lambda: self.browse(behaviour))

    def once(self, key: object, make: Callable[[], T]) -> T:
        """What several measures need is made once per block."""
        if key not in self._derived:
            self._derived[key] = make()
        return self._derived[key]
