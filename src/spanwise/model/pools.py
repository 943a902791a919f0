"""Pools: which documents of each topic are to be judged, and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from spanwise.model.columns import plural
from spanwise.model.scores import html_table

SHOWN = 10
"""Number of topics that a notebook shows."""
Support = tuple[int, int] | tuple[str, str] | str
"""A part of a document that some system returned: a span, two points, or an element's path."""


@dataclass(frozen=True, slots=True)
class Pooled:
    """A document in the pool of a topic."""

    topic: str
    document: str
    round: int = 0  # when it was added: the best rank, or the number of the round; 0: unknown
    runs: int = 0  # number of runs that returned it
    p: float = 1.0  # probability of inclusion in the pool
    stratum: int = 1
    support: tuple[Support, ...] = ()
    ranks: tuple[int | None, ...] = ()  # by run, if documents are still to be drawn from the pool


@dataclass(frozen=True, slots=True)
class Pool:
    """The documents of each topic, in the order in which they were added."""

    source: str
    documents: tuple[Pooled, ...]
    about: Mapping[str, Any] = field(default_factory=dict)  # how the pool was made
    candidates: tuple[
        Pooled, ...
    ] = ()  # documents that judging may draw from, if it chooses the next one

    def __len__(self) -> int:
        return len(self.documents)

    def __iter__(self) -> Iterator[Pooled]:
        return iter(self.documents)

    @property
    def topics(self) -> dict[str, list[Pooled]]:
        """The documents of each topic."""
        found: dict[str, list[Pooled]] = {}
        for one in self.documents:
            found.setdefault(one.topic, []).append(one)
        return found

    def keys(self) -> set[tuple[str, str]]:
        """Return all pairs of topic and document."""
        return {(one.topic, one.document) for one in self.documents}

    def drawable(self) -> Pool:
        """Return all documents that may be judged: the candidates, if judging draws from them."""
        return Pool(self.source, self.candidates or self.documents, self.about)

    def __repr__(self) -> str:
        counts = f"{plural(len(self), 'document')} of {plural(len(self.topics), 'topic')}"
        method = self.about.get("method")
        return f"<Pool {self.source!r}: {counts}{f', method {method}' if method else ''}>"

    def _repr_html_(self) -> str:
        topics = list(self.topics.items())[:SHOWN]
        rows = [[topic, str(len(documents))] for topic, documents in topics]
        return html_table(["topic", "documents"], rows, [repr(self)[1:-1]])


def once_each(documents: Iterable[Pooled]) -> tuple[Pooled, ...]:
    """Return every document of a topic once, as it occurs first."""
    kept: dict[tuple[str, str], Pooled] = {}
    for one in documents:
        kept.setdefault((one.topic, one.document), one)
    return tuple(kept.values())
