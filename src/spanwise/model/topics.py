"""Topics: information needs, as topic files state them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

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
