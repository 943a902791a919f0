"""Groups of topics as a user gives them: a file, a column of topics, mappings or a function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spanwise.errors import UnknownName, UsageError
from spanwise.formats import read_topics
from spanwise.formats.groups import PLAIN, read_groups

if TYPE_CHECKING:
    from spanwise.evaluation.request import Request
    from spanwise.model.groups import Groupings
    from spanwise.model.topics import Topic

GROUP_KINDS = "a file, a column of the topics, a mapping from topics to groups, or a function"


def groupings_of(groups: Any, topics: Any = None) -> Groupings | None:
    """Return groupings by name from what a user may give as groups.

    A text is a file, or else the name of a column (a field) of the topics.
    """
    if groups is None:
        return None
    if isinstance(groups, str | PathLike):
        name = fspath(groups)
        if topics is not None and not Path(name).exists():
            return {name: _looked_up(_column(name, topics))}
        if topics is None and not Path(name).exists() and "/" not in name and "." not in name:
            raise UsageError(
                f"groups {name!r}: no such file; a column of the topics needs --topics"
            )
        return {column: _looked_up(found) for column, found in read_groups(name).items()}
    if callable(groups):
        return {PLAIN: _called(groups)}
    if hasattr(groups, "items"):
        items = dict(groups.items())
        if items and all(hasattr(one, "items") or callable(one) for one in items.values()):
            return {
                str(name): _called(one) if callable(one) else _looked_up(dict(one.items()))
                for name, one in items.items()
            }
        return {PLAIN: _looked_up(items)}
    raise UsageError(f"groups are {type(groups).__name__}; expected {GROUP_KINDS}")


def without_idle_topics(request: Request, groups: Any) -> Request:
    """Return the request without topics that only the groups are taken from."""
    if groups is None or request.topics is None or "structure" in (request.policy or {}):
        return request
    if isinstance(groups, str) and not Path(groups).exists():
        return replace(request, topics=None)
    raise UsageError(
        "topics have no effect here: the groups are not a column of them, and no structure is used"
    )


def _looked_up(found: Mapping[Any, Any]) -> Callable[[str], str | None]:
    names = {str(topic): _name(group) for topic, group in found.items()}
    return names.get


def _called(function: Callable[[str], Any]) -> Callable[[str], str | None]:
    def group_of(topic: str) -> str | None:
        return _name(function(topic))

    return group_of


def _name(group: Any) -> str | None:
    """Return the name of a group; None, an empty text and not-a-number are no group."""
    return None if group is None or group != group or group == "" else str(group)


def _column(name: str, topics: Any) -> dict[str, Any]:
    """Return a field of each topic."""
    found = {topic.id: _fields(topic) for topic in read_topics(topics)}
    known = {field for one in found.values() for field in one}
    if name not in known:
        raise UnknownName("column of the topics", name, sorted(known))
    return {topic: one.get(name) for topic, one in found.items()}


def _fields(topic: Topic) -> dict[str, str]:
    stated = {field.name: getattr(topic, field.name) for field in fields(topic)}
    plain = {name: value for name, value in stated.items() if isinstance(value, str)}
    del plain["id"]
    return {**plain, **{name.removeprefix("@"): value for name, value in topic.others}}
