"""A block of rankings of elements and passages, with the recall bases that they are held against.

Flat columns of results, topic by topic and rank by rank; tables with one row per topic and ranks
along the last axis, padded with zeros, are made of them on demand. What a result is worth depends
on what was returned before it: that is worked out in `ground`, and asked for here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

import numpy as np

from spanwise.errors import UsageError

if TYPE_CHECKING:
    from spanwise.model.arrays import BoolArray, FloatArray, IntArray
    from spanwise.model.elements import JudgedElements, Paths, RecallBase, Ties
    from spanwise.model.policy import Policy

T = TypeVar("T")
Which = Literal["full"] | tuple["Ties", "Paths"]
"""Which recall base: the full one, or the ideal one under these rules."""
Cap = Literal["full", "subtree", "descendants"]
"""What the bound on the parts of an ideal element reaches: its parts, itself, what is around it."""
Sight = Literal["characters", "highlighted", "anything"]
"""What is asked about text seen before: how many characters, how many highlighted ones, or whether
there is any (1 or 0)."""
ROUNDING = 1e-12
"""Gains no larger than this are 0, and a level missed by no more than this share is reached."""


@dataclass(frozen=True, slots=True, eq=False)
class Returned:
    """Results as columns: elements, named by their paths, and passages."""

    topic: IntArray  # row of the block, rising
    rank: IntArray  # from 0
    row: IntArray  # of the run
    document: IntArray  # number of its document, in order of first appearance over all topics
    judgement: IntArray  # row of the judgements for its document, -1 if there is none
    element: IntArray  # which judged element it is, NOBODY if none
    paths: Sequence[bytes]  # empty: a passage
    passage: BoolArray
    size: IntArray  # characters; -1 where nobody says
    highlighted: IntArray  # highlighted ones among them; -1 where none were counted
    start: IntArray  # -1 where nobody says
    length: IntArray  # of its span, where there is one
    level: IntArray  # results of one topic that stand on one level share a number

    def __len__(self) -> int:
        return len(self.topic)


@dataclass(frozen=True, slots=True)
class GainRule:
    """How a result's gain follows from what it is worth and what was seen before it."""

    quant: str | None = None
    alpha: float = 1.0  # how much of what was seen before is taken off; 0: overlap is ignored
    ideal: Ties = "higher"
    paths: Paths = "valued"
    cap: Cap = "full"
    depth: int | None = None  # only so many ranks are looked at

    def __post_init__(self) -> None:
        if not 0 <= self.alpha <= 1:
            raise UsageError(f"alpha is {self.alpha:g}; it must be between 0 and 1")


UNSEEN, PARTLY, SEEN = 0, 1, 2
"""The cases of the gain function."""


@dataclass(frozen=True, slots=True, eq=False)
class Gains:
    """What each result earns, and why."""

    gain: FloatArray
    bare: FloatArray  # before the bound
    case: IntArray  # UNSEEN, PARTLY or SEEN
    seen: IntArray  # characters that were shown before, where that was looked at


@dataclass(frozen=True, slots=True, eq=False)
class ElementRankings:
    """Some topics of one run as elements, with what was judged."""

    topics: tuple[bytes, ...]
    codes: IntArray  # per topic: its number in the judgements, -1 if it was not judged
    policy: Policy
    retrieved: IntArray  # per topic
    results: Returned
    judged: Callable[[], JudgedElements]  # raises what is missing to know them
    base: Callable[[str | None], RecallBase]
    gains: Callable[[GainRule], Gains]
    seen: Callable[[Sight], IntArray]
    """Of each result what earlier ones have shown."""
    inside: Callable[[], BoolArray]
    """Which results lie inside another one of their topic."""
    passages: IntArray  # per topic: highlighted characters in all documents
    relevant: BoolArray  # per topic: whether assessors found anything relevant
    unsized: Callable[[int], str]
    """A result in words whose size nobody knows."""
    _derived: dict[Any, Any] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.topics)

    def anything_relevant(self, rel: float | None = None) -> BoolArray:  # noqa: ARG002
        """Whether assessors found something; what a quantisation makes of it, measures say."""
        return self.relevant

    # Tables -----------------------------------------------------------------------------------

    @property
    def depth(self) -> int:
        """The longest ranking."""
        return int(self.retrieved.max(initial=0))

    def table(self, column: Any) -> Any:
        """A column of results as a table."""
        filled = np.zeros((len(self), self.depth), np.asarray(column).dtype)
        filled[self.results.topic, self.results.rank] = column
        return filled

    def gain(self, rule: GainRule) -> FloatArray:
        """The gain of every result; 0 below the rule's depth."""
        return self.once(("gain", rule), lambda: self.table(self.gains(rule).gain))

    def gained(self, rule: GainRule) -> FloatArray:
        """Cumulated gain up to each rank."""
        return self.once(("gained", rule), lambda: np.cumsum(self.gain(rule), axis=-1))

    def ideal_gained(self, quant: str | None, which: Which) -> FloatArray:
        """Cumulated value of the elements of a recall base, best first; flat after the last."""
        return self.once(
            ("ideal", quant, which), lambda: np.cumsum(self._falling(quant, which), axis=-1)
        )

    def ideal_count(self, quant: str | None, which: Which) -> IntArray:
        """How many elements that recall base has, per topic."""
        return np.count_nonzero(self._falling(quant, which), axis=-1)

    def _falling(self, quant: str | None, which: Which) -> FloatArray:
        """The values of a recall base, best first, padded with 0."""
        return self.once(("falling", quant, which), lambda: self._sorted_values(quant, which))

    def _sorted_values(self, quant: str | None, which: Which) -> FloatArray:
        base = self.base(quant)
        counts, values = base.once(("by topic", which), lambda: _by_topic(base, which))
        ends = np.concatenate([np.cumsum(counts), [0]])  # the last stands for topics not judged
        mine = np.where(self.codes >= 0, np.concatenate([counts, [0]])[self.codes], 0)
        table = np.zeros((len(self), int(mine.max(initial=0))))
        for row, (code, count) in enumerate(zip(self.codes.tolist(), mine.tolist(), strict=True)):
            if count:
                table[row, :count] = values[ends[code] - count : ends[code]]
        return table

    def of_topics(self, sums: Any) -> Any:
        """What the judgements say of each topic of the block; 0 where it was not judged."""
        return np.where(self.codes >= 0, sums[self.codes], 0) if len(sums) else self.codes * 0

    def sizes(self) -> IntArray:
        """The size of every result; an error where nobody knows one."""
        unknown = np.flatnonzero(self.results.size < 0)
        if len(unknown):
            raise UsageError(self.unsized(int(unknown[0])))
        return self.results.size

    def seen_before(self, what: Sight) -> IntArray:
        """Of each result what earlier ones have shown."""
        return self.once(("seen", what), lambda: self.seen(what))

    # Arithmetic -------------------------------------------------------------------------------

    def at(self, cumulated: Any, cutoff: int | IntArray) -> Any:
        """A cumulated table after `cutoff` ranks; 0 before the first, unchanged after the last."""
        if not cumulated.shape[-1]:
            return np.zeros(len(self), cumulated.dtype)
        index = np.broadcast_to(np.minimum(cutoff, cumulated.shape[-1]) - 1, (len(self),))
        values = np.take_along_axis(cumulated, np.maximum(index, 0)[:, None], axis=-1)[:, 0]
        return np.where(index < 0, np.zeros((), cumulated.dtype), values)

    def ratio(self, part: Any, whole: Any, undefined: float = float("nan")) -> FloatArray:
        """One correctly rounded division each; where the divisor is 0, `undefined`."""
        part, whole = np.broadcast_arrays(np.asarray(part, float), np.asarray(whole, float))
        quotient = np.full(part.shape, float(undefined))
        return np.divide(part, whole, out=quotient, where=whole != 0)

    def once(self, key: object, make: Callable[[], T]) -> T:
        """Derived columns that several measures need are made once per block."""
        if key not in self._derived:
            self._derived[key] = make()
        return self._derived[key]


def _by_topic(base: RecallBase, which: Which) -> tuple[IntArray, FloatArray]:
    """For every judged topic how many elements a recall base has, and all values, best first."""
    chosen = np.flatnonzero(base.full if which == "full" else base.ideal(*which))
    topic, value = base.judged.topic[chosen], base.value[chosen]
    order = np.lexsort((-value, topic))
    counts = np.bincount(topic, minlength=len(base.judged.rows.topics))
    return counts, value[order]


# A block of rankings as journeys: from which result a reader may come to which target. ------------
#
# A target is what a reader is after: an ideal element, a highlighted passage, or the best entry
# point of a document. Readers are modelled by chances: at each rank they may navigate to targets,
# to each with a chance of its own and independently of all else.

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
    paths: Literal["valued", "assessed"] = "valued"  # where the paths to ideal elements end
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
