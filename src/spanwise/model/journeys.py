"""A block of rankings as journeys: from which result a reader may come to which target.

A target is what a reader is after: an ideal element, or the best entry point of a document. Users
are modelled by chances: at each rank a reader may navigate to targets, each with its own chance
and independently of all else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from spanwise.model.arrays import BoolArray, FloatArray, IntArray
    from spanwise.model.policy import Policy

Named = Literal["identity", "containment", "bep", "table"]
Ideal = Literal["higher", "deeper"]
Worth = Literal["graded", "binary"]


class Place(NamedTuple):
    """A result or a target as a function of behaviour sees it; what is not known is None."""

    topic: str
    document: str
    path: str | None
    start: int | None
    length: int | None
    rank: int | None  # of a result


Chance = Callable[[Place, Place], float]
"""How likely a reader who looks at a result (the first place) navigates to a target."""


@dataclass(frozen=True, slots=True)
class Behaviour:
    """How readers navigate, and what they are after."""

    name: Named | Chance
    A: float = 1.0  # how forgiving a reader is of the distance to a best entry point
    L: float | None = None  # mean length of documents; None: the collection's
    quant: str | None = None  # which elements are ideal, and how much; None: what fits
    ideal: Ideal = "higher"
    worth: Worth = "graded"
    table: str | None = None  # file with chances


@dataclass(frozen=True, slots=True, eq=False)
class Journey:
    """One topic: its targets, and the chances of coming to one of them from a rank.

    A step is a rank, a target and a chance above 0; steps come in order of rank, and no rank has
    two to the same target.
    """

    results: int
    worth: FloatArray  # of each target, above 0
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
        if behaviour not in self._derived:
            self._derived[behaviour] = self.browse(behaviour)
        return self._derived[behaviour]
