"""NEXI queries as trees. `str` of any part gives its canonical spelling.

>>> about = About(Path((Node(("sec", "p")),)), (Word("solar"), Phrase(("building", "code"), "-")))
>>> str(Structured((Step(Path((Node(("article",)),)), about),)))
'//article[about(.//(sec|p), solar -"building code")]'

Canonical: one blank where white space is of use, `and` and `or` in small letters, brackets only
where they are needed, numbers without superfluous zeros. What is printed parses to the same tree;
trees with steps to children or with quoted strings do so in the legacy notation alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

Sign = Literal["", "+", "-"]
Axis = Literal["//", "/"]
Operator = Literal["<", "<=", "=", ">=", ">"]
OPERATORS: tuple[Operator, ...] = ("<=", ">=", "<", "=", ">")  # the longer ones first


@dataclass(frozen=True, slots=True)
class Word:
    """A word that should occur; with `-` one that should not."""

    text: str
    sign: Sign = ""

    def __str__(self) -> str:
        return self.sign + self.text


@dataclass(frozen=True, slots=True)
class Phrase:
    """A phrase: words that belong together."""

    words: tuple[str, ...]
    sign: Sign = ""

    def __str__(self) -> str:
        return f'{self.sign}"{" ".join(self.words)}"'


Term = Word | Phrase


@dataclass(frozen=True, slots=True)
class Node:
    """The names that an element may have, and its distance from the element before it.

    Without names it is `*`. The axis `//` leads to descendants, `/` (legacy) to children.
    """

    names: tuple[str, ...] = ()
    axis: Axis = "//"

    def __str__(self) -> str:
        if len(self.names) > 1:
            return f"{self.axis}({'|'.join(self.names)})"
        return self.axis + (self.names[0] if self.names else "*")


@dataclass(frozen=True, slots=True)
class Path:
    """A way down the tree; an empty path leads nowhere else."""

    nodes: tuple[Node, ...] = ()

    def __str__(self) -> str:
        return "".join(map(str, self.nodes))


@dataclass(frozen=True, slots=True)
class About:
    """A condition on what the element, or the elements at a path below it, should be about."""

    path: Path
    terms: tuple[Term, ...]

    def __str__(self) -> str:
        return f"about(.{self.path}, {' '.join(map(str, self.terms))})"


@dataclass(frozen=True, slots=True)
class Comparison:
    """A comparison of the value of elements at a path with a number, or (legacy) with a string."""

    path: Path
    operator: Operator
    value: Decimal | str

    def __str__(self) -> str:
        return f".{self.path} {self.operator} {self.shown_value}"

    @property
    def shown_value(self) -> str:
        """The value as it is written in a query."""
        if isinstance(self.value, str):
            return f"'{self.value}'"
        number = format(self.value, "f")
        if "." in number:
            number = number.rstrip("0").rstrip(".")
        return "0" if number == "-0" else number


@dataclass(frozen=True, slots=True)
class And:
    """The conjunction of two or more conditions; an And among them is replaced by its parts."""

    conditions: tuple[Condition, ...]

    def __post_init__(self) -> None:
        _flatten(self)

    def __str__(self) -> str:
        parts = (f"({part})" if isinstance(part, Or) else str(part) for part in self.conditions)
        return " and ".join(parts)


@dataclass(frozen=True, slots=True)
class Or:
    """The disjunction of two or more conditions; an Or among them is replaced by its parts."""

    conditions: tuple[Condition, ...]

    def __post_init__(self) -> None:
        _flatten(self)

    def __str__(self) -> str:
        return " or ".join(map(str, self.conditions))


Condition = About | Comparison | And | Or


def _flatten(junction: And | Or) -> None:
    """Flatten nested junctions: `(a and b) and c` is the same tree as `a and b and c`."""
    flat: list[Condition] = []
    for part in junction.conditions:
        flat += part.conditions if isinstance(part, type(junction)) else (part,)
    if len(flat) < 2:
        raise ValueError(f"{type(junction).__name__} joins two conditions or more")
    object.__setattr__(junction, "conditions", tuple(flat))


@dataclass(frozen=True, slots=True)
class Step:
    """A path and a condition on the element it leads to; only the last step may lack one."""

    path: Path
    condition: Condition | None = None

    def __str__(self) -> str:
        return str(self.path) + ("" if self.condition is None else f"[{self.condition}]")


@dataclass(frozen=True, slots=True)
class Structured:
    """A query on content and structure: the last step names the requested element."""

    steps: tuple[Step, ...]

    def __post_init__(self) -> None:
        if not self.steps or any(step.condition is None for step in self.steps[:-1]):
            raise ValueError("every step but the last has a condition")
        if not all(step.path.nodes for step in self.steps):
            raise ValueError("every step has a path")

    def __str__(self) -> str:
        return "".join(map(str, self.steps))

    @property
    def target(self) -> Path:
        """The whole path to the requested element, without conditions."""
        return Path(tuple(node for step in self.steps for node in step.path.nodes))


@dataclass(frozen=True, slots=True)
class ContentOnly:
    """A query without conditions on structure."""

    terms: tuple[Term, ...]

    def __str__(self) -> str:
        return " ".join(map(str, self.terms))


Query = Structured | ContentOnly
