"""Measures: functions of a block of rankings, and what is known about them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Literal

from spanwise.errors import UsageError

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray

Aggregate = Literal["mean", "sum", "geometric", "pooled", "text"]
"""What stands for all topics; pooled is a quotient of sums; a text is not summed up at all."""
Reads = Literal["rankings", "preferences", "readings", "elements", "navigation", "anything"]
"""What kind of block a measure is a function of."""

Explains = Literal[
    "text",  # highlighted text, result by result
    "context",  # documents and their scores in context
    "articles",  # documents and the share of each that was found
    "binary",  # documents that are relevant or not
    "gains",  # documents by grade
    "cumulated",  # elements: gains after what was seen before
    "chances",  # elements: chances of being relevant
    "specificity",  # elements: sizes, and what is new
    "characters",  # elements: highlighted characters
    "overlap",  # elements: whether another one holds them
    "navigation",  # readers who navigate
    "readings",  # text read up to a budget
]
"""Which columns `spanwise explain` shows for a measure."""

Function = Callable[..., Any]
"""Takes a block and keyword parameters, and returns one value per topic."""

Gains = tuple[tuple[float, float], ...]
"""A parameter type: pairs of grade and gain, in the order given."""

REQUIRED = object()
"""The default of a parameter that has to be given."""


class Law(Enum):
    """A property that a measure claims, and that the law tests check for it."""

    IDEAL_IS_ONE = "the best possible ranking scores 1"
    NOTHING_IS_ZERO = "a ranking without anything relevant scores 0"
    BLIND_BELOW_CUTOFF = "results below the cut-off change nothing"
    SWAP_UP = "moving a more relevant result up never lowers the score"
    ADD_BELOW = "results that are not relevant, added at the end, change nothing"
    ORDER_FREE = "the order of the results does not matter"
    CUT_IN_TWO = "cutting a result in two changes nothing"
    READ_AGAIN = "returning a result again never raises the score, unless a cut-off cuts others"


Support = Literal["yes", "no", "indirect", "unclear", "-"]
"""Whether a measure has a property; a dash means that the question does not apply."""
Attitude = Literal["rewarded", "neutral", "penalised", "-"]
"""How results that overlap are treated."""


@dataclass(frozen=True, slots=True)
class Properties:
    """Properties of a measure for the retrieval of elements.

    The questions, and the answers for the measures of 2002 to 2007, are those of Pehcevski and
    Piwowarski: Evaluation Metrics. In: Encyclopedia of Database Systems, 2009. Measures that belong
    together, such as HiP and HiR, share one answer.
    """

    recall: Support = "-"  # do missed relevant elements matter?
    precision: Support = "-"  # do results that are not relevant matter?
    near_misses: Support = "-"  # does it credit elements near ideal ones?
    overlap: Attitude = "-"
    ideality: Support = "-"  # does it distinguish ideal elements?
    graded_ideality: Support = "-"  # can one ideal element be better than another?
    user_model: Support = "-"  # does it model how a reader behaves?
    thorough: Support = "-"
    focused: Support = "-"
    relevant_in_context: Support = "-"
    best_in_context: Support = "-"


@dataclass(frozen=True, slots=True, eq=False)
class Measure:
    """An entry of the registry of measures."""

    name: str
    function: Function
    family: str
    reference: str
    laws: frozenset[Law] = frozenset()
    bounds: tuple[float, float] = (0.0, 1.0)
    aliases: tuple[str, ...] = ()  # other spellings; `{cutoff}` is a parameter
    aggregate: Aggregate = "mean"
    reads: Reads = "rankings"
    of: Function | None = (
        None  # turns a block into the function's argument; has the parameters of the family
    )
    expected: Function | None = None  # computes the mean over all orders of equal scores
    parts: tuple[Function, Function] | None = None  # for aggregate "pooled": dividend and divisor
    scores: bool = False  # whether it uses the system's scores
    less_is_better: bool = False
    grades: bool = False  # whether it counts elements by their grades, without a quantisation
    # With these values of parameters it need not know where text lies: stated sizes suffice.
    sizes_suffice: Mapping[str, Any] | None = None
    properties: Properties = Properties()
    heading: str = ""  # of its family in a listing
    explains: Explains | None = None  # None: results are listed without columns of the measure
    sampled: bool = True  # whether its mean can be estimated when only a sample was judged
    unanswered: bool = False  # whether it is for topics without evidence, undefined for others
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)  # of parameters
    unlimited: bool = False  # whether its value at a budget holds for runs that return less
    plugin: str = ""  # the module that registered it, if it is not one of ours

    @property
    def definition(self) -> str:
        """The function's docstring: summary, definition, when it is undefined, cautions."""
        from inspect import getdoc

        return getdoc(self.function) or ""

    @property
    def summary(self) -> str:
        """What the measure tells you, in one sentence."""
        return self.definition.partition("\n\n")[0].replace("\n", " ")

    @property
    def parameters(self) -> dict[str, Any]:
        """Names and defaults of the parameters: the function's keyword arguments.

        They are followed by the parameters that the measure shares with its family.
        """
        return keywords(self.function) | self._shared

    @property
    def _shared(self) -> dict[str, Any]:
        return {} if self.of is None else keywords(self.of)

    def parameter_type(self, name: str) -> Any:
        """Return the annotated type of a parameter."""
        own = name in keywords(self.function) or self.of is None
        signed = _signed(self.function if own else self.of)
        kind = signed.__annotations__[name]
        return eval(kind, signed.__globals__) if isinstance(kind, str) else kind

    def made(self, block: Any, **parameters: Any) -> Any:
        """Return the function's argument: the block, or what the family's function makes of it."""
        if self.of is None:
            return block
        return self.of(block, **{k: v for k, v in parameters.items() if k in self._shared})

    def __call__(self, block: Any, **parameters: Any) -> Any:
        """Compute one value per topic of the block."""
        own = {k: v for k, v in parameters.items() if k not in self._shared}
        values = self.function(self.made(block, **parameters), **own)
        return self._refused_misshapen(values, len(block)) if self.plugin else values

    def _refused_misshapen(self, values: Any, count: int) -> Any:
        """Return the values of a plug-in's measure as an array, if there is one per topic."""
        import numpy as np

        column = np.asarray(values, None if self.aggregate == "text" else np.float64)
        if column.shape != (count,):
            raise UsageError(
                f"measure {self.name!r} of {self.plugin}: returned an array of shape"
                f" {column.shape}; expected one value for each of {count} topics"
            )
        return column

    def __repr__(self) -> str:
        return f"<measure {self.name}>"


@cache
def keywords(function: Any) -> dict[str, Any]:
    """Return the keyword arguments of a function or a class with their defaults.

    >>> def drawn(block, *, size=1, colour="red"): ...
    >>> keywords(partial(drawn, size=2))
    {'size': 2, 'colour': 'red'}
    """
    given = function.keywords if isinstance(function, partial) else {}
    signed = _signed(function)
    code, defaults = signed.__code__, signed.__kwdefaults__ or {}
    names = code.co_varnames[code.co_argcount :][: code.co_kwonlyargcount]
    return {name: defaults.get(name, REQUIRED) for name in names} | given


def _signed(function: Any) -> Any:
    """Return the function that has the signature."""
    bare = function.func if isinstance(function, partial) else function
    return vars(bare)["__init__"] if isinstance(bare, type) else bare


@dataclass(frozen=True, slots=True, eq=False)
class MeasureRequest:
    """A measure with its parameters, as it was requested."""

    label: str  # the name as it was requested
    measure: Measure
    parameters: Mapping[str, Any] = field(default_factory=dict)
    assumed: Mapping[str, Any] = field(default_factory=dict)  # parameters that a profile added

    def assuming(self, values: Mapping[str, Any]) -> MeasureRequest:
        """Return the request with other defaults for parameters that were not given."""
        own = self.measure.parameters
        more = {k: v for k, v in values.items() if k in own and k not in self.parameters}
        return replace(
            self, parameters={**self.parameters, **more}, assumed={**self.assumed, **more}
        )

    @property
    def sizes_suffice(self) -> bool:
        """Tell whether the sizes that a file states are enough, wherever the text lies."""
        enough = self.measure.sizes_suffice
        return enough is not None and all(
            self.parameter(name) == value for name, value in enough.items()
        )

    @property
    def budget(self) -> float | None:
        """The reading budget that a run must reach for a fair value; None if there is none."""
        found: float | None = None if self.measure.unlimited else self.parameter("budget")
        return found

    def __call__(self, block: Any) -> FloatArray:
        """Compute one value per topic of the block."""
        if block.policy.ties == "expected":
            return self._expected(block)
        return self.measure(block, **self.parameters)

    def _expected(self, block: Any) -> FloatArray:
        if Law.ORDER_FREE in self.measure.laws:
            return self.measure(block, **self.parameters)
        if self.measure.expected is None:
            raise UsageError(
                f"{self.label}: its expected value over tied results is not implemented;"
                " use another rule for ties, such as --ties docno"
            )
        return replace(self.measure, function=self.measure.expected)(block, **self.parameters)

    def parameter(self, name: str) -> Any:
        """Return the value of a parameter, given or default; None if it does not exist."""
        if name in self.parameters:
            return self.parameters[name]
        return self.measure.parameters.get(name)
