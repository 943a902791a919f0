"""Every choice that changes a number and is not part of a measure's name, as data.

A policy is obeyed in one place each: ties, depth and unjudged results in `ground`, topics and
undefined values in `compare`. It is printed in the signature that travels with every score.
"""

from dataclasses import dataclass, fields
from typing import Literal, TypedDict, get_args

from spanwise.errors import UnknownName, UsageError
from spanwise.version import __version__

Ties = Literal["docno", "file", "rank", "expected"]
AverageOver = Literal["judged", "both", "run"]
Empty = Literal["skip", "zero", "as-is"]
Unjudged = Literal["keep", "drop"]
Order = Literal["falling", "rising"]
Structure = Literal["ignore", "strict", "vague"]
Annotators = Literal["union", "intersection", "mean"]
Program = Literal[
    "spanwise",
    "trec_eval 10",
    "trec_eval 9",
    "trec_eval 8",
    "TrecEval II",
    "INEX 2007-2010",
    "inex_eval 3.1",
]


@dataclass(frozen=True, slots=True)
class Conventions:
    """How a program computes, where programs differ."""

    recall_level: Literal["ceiling", "nearest", "truncated", "floored"] = "ceiling"
    """How many relevant units a recall level asks for: the exact ceiling of level times relevant
    units, that product rounded to the nearest, or cut after adding 0.9; or as many as make the
    hundredfold of recall reach that of the level once it is cut to a whole number."""
    gain_order: Literal["value", "whole"] = "value"
    """Order of the ideal ranking: by gain, or with gains less than 1 apart taken for equal."""
    no_divisor: float = float("nan")
    """The value of a quotient whose divisor is 0."""
    no_results: float = 0.0
    """The best precision of a ranking without results."""
    single: bool = False
    """Quotients and sums are rounded to 32 bits, and sums begin at the last rank."""
    score_bits: Literal[64, 32] = 64
    """Width of the scores that decide what is a tie."""
    every_line_counts: bool = False
    """Judgements with a negative grade count as judged not relevant."""
    missing_results: int = 0
    """Results, all outside the pool, that a topic missing from the run is taken to have."""
    unplaced_size: int = 0
    """Characters charged for a result that could not be placed in its document."""
    skips_if_relevant: bool = False
    """A reader who skips what was read before does so only in documents with relevant text."""
    forgets_repeats: bool = False
    """Relevant text that is shown again is found again."""


_NAN = float("nan")
CONVENTIONS: dict[str, Conventions] = {
    "spanwise": Conventions(),
    "trec_eval 10": Conventions("nearest", "whole", 0.0, _NAN, missing_results=1),
    "trec_eval 9": Conventions("truncated", "whole", 0.0, _NAN, score_bits=32),
    "trec_eval 8": Conventions(
        "ceiling", "whole", 0.0, 0.0, single=True, score_bits=32, every_line_counts=True
    ),
    "TrecEval II": Conventions(no_divisor=0.0),
    "INEX 2007-2010": Conventions("floored", unplaced_size=18, skips_if_relevant=True),
    "inex_eval 3.1": Conventions(
        "floored", unplaced_size=18, skips_if_relevant=True, forgets_repeats=True
    ),
}


@dataclass(frozen=True, slots=True)
class Policy:
    """How rankings are made of files, and means of values."""

    ties: Ties = "docno"
    """Order of equal scores: falling document id, file order, stated rank, or the expectation
    over all orders. Where text is ranked, not documents, `file` and `rank` order all results."""
    average_over: AverageOver = "judged"
    """Which topics count: all judged ones (missing from the run: as an empty ranking), those in
    both, or those of the run."""
    empty: Empty = "skip"
    """A topic with nothing relevant: undefined and left out of the mean, or 0, or whatever the
    measure gives."""
    depth: int | None = None
    """Only so many results of each topic are looked at."""
    unjudged: Unjudged = "keep"
    """Results without a judgement stay, or are taken out of the ranking."""
    order: Order = "falling"
    """What comes first: the highest score, or the lowest, where the score is a time."""
    structure: Structure = "ignore"
    """Elements that are not what a topic's query on structure asks for, strictly or vaguely, are
    not relevant; or structure is ignored."""
    follow: Program = "spanwise"
    """Whose arithmetic is followed where programs differ."""

    annotators: Annotators = "union"
    """Relevant text of several annotators: what any or all of them pointed out, or the mean over
    the values that each of them gives."""
    unit: str = "characters"
    """What a reading budget counts: `characters`, `tokens:NAME` of a tokenizer, or `cost`, as the
    run states it."""

    def __post_init__(self) -> None:
        for name, choices in CHOICES.items():
            value = getattr(self, name)
            if value not in choices:
                raise UnknownName(name, str(value), list(choices))
        if self.unit not in ("characters", "cost") and not self.unit.startswith("tokens:"):
            raise UnknownName("unit", self.unit, ["characters", "tokens:NAME", "cost"])
        if self.depth is not None and not (type(self.depth) is int and self.depth >= 0):
            raise UsageError(f"depth is {self.depth!r}; it must be a whole number, 0 or more")

    def __repr__(self) -> str:
        chosen = [
            f"{one.name}={getattr(self, one.name)!r}"
            for one in fields(self)
            if getattr(self, one.name) != one.default
        ]
        return f"Policy({', '.join(chosen)})"

    @property
    def conventions(self) -> Conventions:
        """How the program that is followed computes."""
        return CONVENTIONS[self.follow]

    def signature(self, *more: str) -> str:
        """The choices that made a score, in one line; unusual ones only where they were made.

        `more` are further choices, such as the defaults of a profile.
        """
        always = ("ties", "average_over", "empty")
        parts = [
            f"{field.name}:{getattr(self, field.name)}"
            for field in fields(self)
            if field.name in always or getattr(self, field.name) != field.default
        ]
        return "|".join([*parts, *more, f"spanwise:{__version__}"])


class PolicyFields(TypedDict, total=False):
    """The fields of a policy, as keyword arguments."""

    ties: Ties
    average_over: AverageOver
    empty: Empty
    depth: int | None
    unjudged: Unjudged
    order: Order
    structure: Structure
    follow: Program
    annotators: Annotators
    unit: str


CHOICES: dict[str, tuple[str, ...]] = {
    "ties": get_args(Ties),
    "order": get_args(Order),
    "average_over": get_args(AverageOver),
    "empty": get_args(Empty),
    "unjudged": get_args(Unjudged),
    "structure": get_args(Structure),
    "follow": get_args(Program),
    "annotators": get_args(Annotators),
}
