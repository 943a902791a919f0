"""Blocks of rankings of elements and passages: with gains, and as links that readers navigate.

Results are flat columns, topic by topic and rank by rank. Tables with one row per topic and ranks
along the last axis, padded with zeros, are made of them on demand. The gain of a result depends on
what was returned before it: `spanwise.matching` computes it, and a block calls that code on demand.
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
"""Scope of the bound on the gain of the parts of an ideal element: the parts, the element itself,
and the elements around it.
"""
SeenCount = Literal["characters", "highlighted", "anything"]
"""What to count of text seen before: its characters, its highlighted characters, or whether there
is any (1 or 0).
"""
ROUNDING = 1e-12
"""Gains no larger than this are 0, and a level missed by no more than this share is reached."""


@dataclass(frozen=True, slots=True, eq=False)
class ElementResults:
    """The results of a block as columns: elements, named by their paths, and passages."""

    topic: IntArray  # row of the block, rising
    rank: IntArray  # from 0
    row: IntArray  # of the run
    document: IntArray  # number of its document, in order of first appearance over all topics
    judgement: IntArray  # row of the judgements for its document, -1 if there is none
    element: IntArray  # index of its judged element, NO_ELEMENT if it was not judged
    paths: Sequence[bytes]  # empty: a passage
    passage: BoolArray
    size: IntArray  # characters; -1 if unknown
    highlighted: IntArray  # highlighted characters among them; -1 if unknown
    start: IntArray  # -1 if unknown
    length: IntArray  # of its span; 0 if it has none
    level: IntArray  # number of its level; tied results of a topic share a level

    def __len__(self) -> int:
        return len(self.topic)


@dataclass(frozen=True, slots=True)
class GainRule:
    """Parameters of the gain of a result, given its value and what was seen before it."""

    quant: str | None = None
    alpha: float = 1.0  # weight of the deduction for text seen before; 0: overlap is ignored
    ideal: Ties = "higher"
    paths: Paths = "valued"
    cap: Cap = "full"
    depth: int | None = None  # number of ranks considered; None: all

    def __post_init__(self) -> None:
        if not 0 <= self.alpha <= 1:
            raise UsageError(f"alpha is {self.alpha:g}; it must be between 0 and 1")


UNSEEN, PARTLY, SEEN = 0, 1, 2
"""The cases of the gain function."""


@dataclass(frozen=True, slots=True, eq=False)
class Gains:
    """The gain of each result, and how it was determined."""

    gain: FloatArray
    bare: FloatArray  # the gain before the bound is applied
    case: IntArray  # UNSEEN, PARTLY or SEEN
    seen: IntArray  # characters that were shown before, if the rule needs them


@dataclass(frozen=True, slots=True, eq=False)
class ElementRankings:
    """A block of some topics of one run as elements, with what was judged."""

    topics: tuple[bytes, ...]
    codes: IntArray  # per topic: its number in the judgements, -1 if it was not judged
    policy: Policy
    retrieved: IntArray  # per topic
    results: ElementResults
    judged: Callable[[], JudgedElements]  # raises an error that names missing input
    base: Callable[[str | None], RecallBase]
    gains: Callable[[GainRule], Gains]
    seen: Callable[[SeenCount], IntArray]
    """Counts, for each result, what earlier results have shown of it."""
    inside: Callable[[], BoolArray]
    """Tells which results lie inside another result of their topic."""
    passages: IntArray  # per topic: highlighted characters in all documents
    relevant: BoolArray  # per topic: whether anything was judged relevant
    unsized: Callable[[int], str]
    """Describes a result of unknown size, for error messages."""
    _derived: dict[Any, Any] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.topics)

    def anything_relevant(self, rel: float | None = None) -> BoolArray:  # noqa: ARG002
        """Return which topics have anything judged relevant, independent of a quantisation."""
        return self.relevant

    # Tables ---------------------------------------------------------------------------------------

    @property
    def depth(self) -> int:
        """The length of the longest ranking."""
        return int(self.retrieved.max(initial=0))

    def table(self, column: Any) -> Any:
        """Return a column of results as a table."""
        filled = np.zeros((len(self), self.depth), np.asarray(column).dtype)
        filled[self.results.topic, self.results.rank] = column
        return filled

    def gain(self, rule: GainRule) -> FloatArray:
        """Return the gain of every result; 0 below the rule's depth."""
        return self.once(("gain", rule), lambda: self.table(self.gains(rule).gain))

    def gained(self, rule: GainRule) -> FloatArray:
        """Return the cumulated gain up to each rank."""
        return self.once(("gained", rule), lambda: np.cumsum(self.gain(rule), axis=-1))

    def ideal_gained(self, quant: str | None, which: Which) -> FloatArray:
        """Return the cumulated value of a recall base, best first; constant after its end."""
        return self.once(
            ("ideal", quant, which), lambda: np.cumsum(self._falling(quant, which), axis=-1)
        )

    def ideal_count(self, quant: str | None, which: Which) -> IntArray:
        """Return the number of elements of that recall base for each topic."""
        return np.count_nonzero(self._falling(quant, which), axis=-1)

    def _falling(self, quant: str | None, which: Which) -> FloatArray:
        """Return the values of a recall base, best first, padded with 0."""
        return self.once(("falling", quant, which), lambda: self._sorted_values(quant, which))

    def _sorted_values(self, quant: str | None, which: Which) -> FloatArray:
        base = self.base(quant)
        counts, values = base.once(("by topic", which), lambda: _by_topic(base, which))
        ends = np.concatenate([np.cumsum(counts), [0]])  # the last is for topics not judged
        mine = np.where(self.codes >= 0, np.concatenate([counts, [0]])[self.codes], 0)
        table = np.zeros((len(self), int(mine.max(initial=0))))
        for row, (code, count) in enumerate(zip(self.codes.tolist(), mine.tolist(), strict=True)):
            if count:
                table[row, :count] = values[ends[code] - count : ends[code]]
        return table

    def of_topics(self, sums: Any) -> Any:
        """Return a column of the judgements for the block's topics; 0 for topics not judged."""
        return np.where(self.codes >= 0, sums[self.codes], 0) if len(sums) else self.codes * 0

    def sizes(self) -> IntArray:
        """Return the size of every result; raise an error if one is unknown."""
        unknown = np.flatnonzero(self.results.size < 0)
        if len(unknown):
            raise UsageError(self.unsized(int(unknown[0])))
        return self.results.size

    def seen_before(self, what: SeenCount) -> IntArray:
        """Return, for each result, what earlier results have shown of it."""
        return self.once(("seen", what), lambda: self.seen(what))

    # Arithmetic -----------------------------------------------------------------------------------

    def at(self, cumulated: Any, cutoff: int | IntArray) -> Any:
        """Return a cumulated table after `cutoff` ranks: 0 before the first, then constant."""
        if not cumulated.shape[-1]:
            return np.zeros(len(self), cumulated.dtype)
        index = np.broadcast_to(np.minimum(cutoff, cumulated.shape[-1]) - 1, (len(self),))
        values = np.take_along_axis(cumulated, np.maximum(index, 0)[:, None], axis=-1)[:, 0]
        return np.where(index < 0, np.zeros((), cumulated.dtype), values)

    def ratio(self, part: Any, whole: Any, undefined: float = float("nan")) -> FloatArray:
        """Divide with one correct rounding; give `undefined` where the divisor is 0."""
        part, whole = np.broadcast_arrays(np.asarray(part, float), np.asarray(whole, float))
        quotient = np.full(part.shape, float(undefined))
        return np.divide(part, whole, out=quotient, where=whole != 0)

    def once(self, key: object, make: Callable[[], T]) -> T:
        """Return a derived value, computed once per block."""
        if key not in self._derived:
            self._derived[key] = make()
        return self._derived[key]


def _by_topic(base: RecallBase, which: Which) -> tuple[IntArray, FloatArray]:
    """Return the number of elements of each judged topic, and all their values, best first."""
    chosen = np.flatnonzero(base.full if which == "full" else base.ideal(*which))
    topic, value = base.judged.topic[chosen], base.value[chosen]
    order = np.lexsort((-value, topic))
    counts = np.bincount(topic, minlength=len(base.judged.rows.topics))
    return counts, value[order]


# Navigation ---------------------------------------------------------------------------------------
#
# A target is what a reader looks for: an ideal element, a highlighted passage, or the best entry
# point of a document. At each rank a reader navigates to each target with some probability,
# independently of everything else.

Worth = Literal["graded", "binary"]


class Place(NamedTuple):
    """A result or a target, as an argument of a behaviour function; unknown fields are None."""

    topic: str
    document: str
    path: str | None
    start: int | None
    length: int | None
    rank: int | None = None  # of a result


Chance = Callable[[Place, Place], float]
"""Gives the probability that a reader of a result (first place) navigates to a target (second)."""
ChanceTable = Mapping[tuple[bytes, bytes, bytes], float]
"""Probabilities by document, result and target; a missing entry means 0."""


@dataclass(frozen=True, slots=True)
class Behaviour:
    """A model of how readers navigate, and of their targets."""

    name: str | Chance  # identity, containment, bep, table, t2i, or a function
    A: float = 1.0  # tolerance of the distance to a best entry point
    L: float | None = None  # mean length of documents; None: the collection's
    tolerance: float = 0.0  # characters read without finding anything before a reader gives up
    quant: str | None = None  # quantisation of the ideal elements; None: default of the judgements
    ideal: Literal["higher", "deeper"] = "higher"
    paths: Literal["valued", "assessed"] = "valued"  # where the paths to ideal elements end
    worth: Worth = "graded"
    table: str | None = None  # file of probabilities


@dataclass(frozen=True, slots=True, eq=False)
class NavigationSteps:
    """The targets of one topic, and the probabilities of reaching them from each rank.

    A step is a rank, a target and a probability. Steps are in order of rank, and no rank has two
    steps to the same target.
    """

    results: int
    worth: FloatArray  # of each target: above 0
    rank: IntArray  # of each step, from 1
    target: IntArray
    chance: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class NavigationRankings:
    """A block of some topics of one run, for measures of navigating readers."""

    topics: tuple[bytes, ...]
    policy: Policy
    browse: Callable[[Behaviour], Sequence[NavigationSteps]]  # one item for each topic
    _derived: dict[Any, Any] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.topics)

    def anything_relevant(self, rel: float | None = None) -> BoolArray:  # noqa: ARG002
        """Return True for every topic: whether it has targets depends on the behaviour."""
        import numpy as np

        return np.ones(len(self), np.bool_)

    def of(self, behaviour: Behaviour) -> Sequence[NavigationSteps]:
        """Return the steps of readers with this behaviour, computed once."""
        return self.once(behaviour, lambda: self.browse(behaviour))

    def once(self, key: object, make: Callable[[], T]) -> T:
        """Return a derived value, computed once per block."""
        if key not in self._derived:
            self._derived[key] = make()
        return self._derived[key]
