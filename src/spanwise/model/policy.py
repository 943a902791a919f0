"""The policy: every choice that changes a number and is not part of a measure's name, as data.

Each choice is obeyed in one place: ties, depth and unjudged results in `spanwise.matching`, topics
and undefined values where means are taken. The policy is printed in the signature of every score.
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
Match = Literal["id", "order"]
Copied = Literal["default", "any", "stated"]
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
    """The arithmetic of a program, as far as programs differ."""

    recall_level: Literal["ceiling", "nearest", "truncated", "floored"] = "ceiling"
    """Number of relevant units that a recall level asks for: the exact ceiling of level times
    relevant units (`ceiling`); that product rounded to the nearest (`nearest`); that product cut
    after adding 0.9 (`truncated`); or as many as make 100 times recall, cut to a whole number,
    reach 100 times the level (`floored`)."""
    gain_order: Literal["value", "whole"] = "value"
    """Order of the ideal ranking: by gain, or with gains less than 1 apart taken as equal."""
    no_divisor: float = float("nan")
    """The value of a quotient whose divisor is 0."""
    no_results: float = 0.0
    """The best precision of a ranking without results."""
    single: bool = False
    """Whether quotients and sums are rounded to 32 bits, and sums begin at the last rank."""
    score_bits: Literal[64, 32] = 64
    """Number of bits of the scores that are compared to find ties."""
    every_line_counts: bool = False
    """Whether judgements with a negative grade count as judged not relevant."""
    missing_results: int = 0
    """Number of results, all outside the pool, assumed for a topic missing from the run."""
    unplaced_size: int = 0
    """Number of characters charged for a result that could not be placed in its document."""
    skips_if_relevant: bool = False
    """Whether readers who skip text that they read before do so only in documents with relevant
    text."""
    forgets_repeats: bool = False
    """Whether relevant text that is shown again counts as found again."""


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
    """Choices of how rankings are made from files, and means from values."""

    ties: Ties = "docno"
    """Order of equal scores: falling document id, file order, stated rank, or the expectation
    over all orders. Where text is ranked, not documents, `file` and `rank` order all results."""
    average_over: AverageOver = "judged"
    """Which topics count: all judged ones (missing from the run: as an empty ranking), those in
    both, or those of the run."""
    empty: Empty = "skip"
    """The value of a topic with nothing relevant: undefined and left out of the mean, 0, or the
    measure's own value."""
    depth: int | None = None
    """Maximum number of results of each topic that are considered; None: all."""
    unjudged: Unjudged = "keep"
    """Whether results without a judgement are kept in the ranking or dropped."""
    order: Order = "falling"
    """Which score comes first: the highest, or the lowest (for scores that are times)."""
    structure: Structure = "ignore"
    """Whether elements must match a topic's query on structure, strictly or vaguely, to be
    relevant; or structure is ignored."""
    follow: Program = "spanwise"
    """The program whose arithmetic is followed where programs differ."""

    annotators: Annotators = "union"
    """How relevant text of several assessors is combined: text that any of them marked, text that
    all of them marked, or the mean of the values for each of them."""
    copies: Copied = "default"
    """Whether a copy of a piece of evidence elsewhere in its document is an alternative to it
    (`any`), or only the stated place counts (`stated`); by default, the first for evidence that was
    given without a position, and the second for evidence with one."""
    unit: str = "characters"
    """Unit of reading budgets: `characters` (code points), `bytes` of UTF-8, code units of `utf16`,
    `tokens:NAME` of a tokenizer, or `cost` as the run states it."""

    match: Match = "id"
    """How topics of a run are matched with judged ones: by id, or by the text of the question where
    no ids are stated; or by the order of entries, which files without ids allow."""

    def __post_init__(self) -> None:
        for name, choices in CHOICES.items():
            value = getattr(self, name)
            if value not in choices:
                raise UnknownName(name, str(value), list(choices))
        if self.unit not in UNITS and not self.unit.startswith("tokens:"):
            raise UnknownName("unit", self.unit, list(UNITS))
        if self.depth is not None and not (type(self.depth) is int and self.depth >= 0):
            raise UsageError(f"depth is {self.depth!r}; expected a whole number, 0 or more")

    def __repr__(self) -> str:
        chosen = [
            f"{one.name}={getattr(self, one.name)!r}"
            for one in fields(self)
            if getattr(self, one.name) != one.default
        ]
        return f"Policy({', '.join(chosen)})"

    @property
    def conventions(self) -> Conventions:
        """The arithmetic of the program that is followed."""
        return CONVENTIONS[self.follow]

    def signature(self, *more: str) -> str:
        """Return the choices that affect a score in one line.

        Most choices appear only if they differ from the default. `more` are further choices, such
        as the defaults of a profile.
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
    copies: Copied
    unit: str
    match: Match


UNITS = ("characters", "bytes", "utf16", "tokens:NAME", "cost")
"""What a reading budget may count."""


def unit_in_words(unit: str) -> str:
    """Return what a sentence calls the unit of a budget.

    >>> unit_in_words("tokens:words"), unit_in_words("utf16"), unit_in_words("bytes")
    ('tokens of words', 'UTF-16 code units', 'bytes')
    """
    return {"utf16": "UTF-16 code units"}.get(unit, unit.replace("tokens:", "tokens of "))


CHOICES: dict[str, tuple[str, ...]] = {
    "ties": get_args(Ties),
    "order": get_args(Order),
    "average_over": get_args(AverageOver),
    "empty": get_args(Empty),
    "unjudged": get_args(Unjudged),
    "structure": get_args(Structure),
    "follow": get_args(Program),
    "annotators": get_args(Annotators),
    "match": get_args(Match),
    "copies": get_args(Copied),
}
