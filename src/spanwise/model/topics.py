"""Topics: information needs, as topic files state them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal

from spanwise.model.columns import plural
from spanwise.model.scores import html_table

SHOWN = 10
"""Number of topics that a notebook shows."""
STRUCTURED = frozenset({"CAS", "SCAS", "VCAS"})
"""Query types whose title itself is a query on structure."""


@dataclass(frozen=True, slots=True)
class Context:
    """A pair of a title of 2002: words, and the elements in which they should occur."""

    words: str
    elements: str | None = None


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic: an information need with an id.

    Fields that its file does not state are None; texts have no leading or trailing blanks.
    """

    id: str
    title: str | None = None
    castitle: str | None = None  # the query with its structural hints, in NEXI
    phrasetitle: str | None = None
    description: str | None = None
    narrative: str | None = None
    keywords: str | None = None
    query_type: str | None = None  # CO, CAS, SCAS, VCAS, CO+S, or the type of an efficiency topic
    ct_no: str | None = None  # number of the candidate topic
    initial_statement: str | None = None  # 2005
    parent: str | None = None  # 2005: the topic that this one is a part of
    mmtitle: str | None = None  # 2006: multimedia
    ontopic_keywords: str | None = None  # 2006
    offtopic_keywords: str | None = None  # 2006
    xpath_title: str | None = None  # efficiency 2009
    targets: tuple[str, ...] = ()  # 2002: the requested elements
    contexts: tuple[Context, ...] = ()  # 2002: the parts of the title
    others: tuple[tuple[str, str], ...] = ()  # all other fields; names of attributes begin with '@'
    lines: Mapping[str, int] = field(default_factory=dict, compare=False, repr=False)
    """Where the topic (`id`) and the text of each field begin in their file."""

    @property
    def structured(self) -> str | None:
        """The field that holds a query on structure: `castitle`, or `title` in 2003 and 2004."""
        if self.castitle:
            return "castitle"
        asks = (self.query_type or "").upper() in STRUCTURED and not self.contexts
        return "title" if asks and self.title and not self.targets else None

    def line(self, name: str, character: int = 0) -> int | None:
        """Return the line number of a character of a field."""
        first = self.lines.get(name)
        if first is None:
            return None
        return first + str(getattr(self, name)).count("\n", 0, character)


@dataclass(frozen=True, slots=True)
class Topics:
    """Topics in the order of their file; ids are unique."""

    source: str
    topics: tuple[Topic, ...]

    def __len__(self) -> int:
        return len(self.topics)

    def __iter__(self) -> Iterator[Topic]:
        return iter(self.topics)

    def __getitem__(self, topic_id: str) -> Topic:
        """Return the topic with this id."""
        for topic in self.topics:
            if topic.id == topic_id:
                return topic
        raise KeyError(topic_id)

    def __repr__(self) -> str:
        return f"<Topics {self.source!r}: {plural(len(self), 'topic')}>"

    def _repr_html_(self) -> str:
        rows = [[one.id, one.title or one.description or ""] for one in self.topics[:SHOWN]]
        return html_table(["topic", "title"], rows, [repr(self)[1:-1]])


# NEXI queries -------------------------------------------------------------------------------------
#
# >>> about = About(Path((Node(("sec", "p")),)), (Word("solar"), Phrase(("building", "code"), "-")))
# >>> str(Structured((Step(Path((Node(("article",)),)), about),)))
# '//article[about(.//(sec|p), solar -"building code")]'
#
# Canonical: one blank where white space is of use, `and` and `or` in small letters, brackets only
# where they are needed, numbers without superfluous zeros. What is printed parses to the same tree;
# trees with steps to children or with quoted strings do so in the legacy notation alone.

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
