"""The queries on structure that topics hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanwise.errors import FormatError, QueryError
from spanwise.formats.nexi import parse
from spanwise.model.nexi import ContentOnly, Node, Path, Query, Step, Structured

if TYPE_CHECKING:
    from spanwise.model.topics import Topic, Topics


def queries_of(topics: Topics) -> dict[bytes, tuple[Query, ...]]:
    """For each topic what it asks for; one without structure asks for everything.

    A title of 2002 has several targets, of which any will do.
    """
    return {
        topic.id.encode("utf-8", "surrogateescape"): _queries(topic, topics.source)
        for topic in topics
    }


def _queries(topic: Topic, source: str) -> tuple[Query, ...]:
    if topic.targets:
        return tuple(_target(target) for target in topic.targets)
    name = topic.structured
    if name is None:
        return (ContentOnly(()),)
    try:
        return (_parsed(str(getattr(topic, name))),)
    except QueryError as error:
        raise FormatError(source, topic.line(name), f"{name}: {error}", "a NEXI query") from None


def _parsed(query: str) -> Query:
    """A query in NEXI, or in the older notation of 2003."""
    try:
        return parse(query)
    except QueryError as error:
        try:
            return parse(query, legacy=True)
        except QueryError:
            raise error from None


def _target(target: str) -> Structured:
    """An element that a title of 2002 asks for: a name, or names from the outside in."""
    names = [name for name in target.split("/") if name]
    return Structured((Step(Path(tuple(Node((name,)) for name in names))),))
