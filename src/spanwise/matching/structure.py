"""Matching of elements with queries on structure.

Only paths are considered, the element's and the query's; what an element must be about, and which
other elements must exist, depends on its text. A query without structure accepts everything.

Strictly, the element is a target of the query: its tags, from the root down, follow the query's
steps to the last one, which the element itself matches. This is the rule of 2002 and of the strict
task of 2003.

Vaguely, the steps are hints where to look, and it is enough to follow one of them. The element

- lies in an element that the query's last step names, or is one, whatever else is above it, or
- is named by another step of the query, and so may contain a target.

| path                               | `//article[...]//sec[...]` | strictly | vaguely             |
|------------------------------------|----------------------------|----------|---------------------|
| `/article[1]/bdy[1]/sec[2]`        | the target                 | yes      | yes                 |
| `/article[1]/bdy[1]/sec[2]/p[1]`   | lies in a target           | no       | yes                 |
| `/article[1]`                      | is named by another step   | no       | yes                 |
| `/book[1]/sec[3]`                  | matches the last step only | no       | yes                 |
| `/article[1]/bdy[1]`               | neither                    | no       | no                  |
| `/article[1]/fm[1]/abs[1]/p[1]`    | neither                    | no       | no                  |

What is accepted strictly is accepted vaguely. Tags that mean the same (`sec`, `ss1`, `ss2`) can be
declared equivalent for both.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from spanwise.errors import InputError
from spanwise.model.topics import Structured

if TYPE_CHECKING:
    from spanwise.model.topics import Node, Query

NUMBER = re.compile(rb"\[[0-9]+\]")
STEP = re.compile(r"/(@?[^/\[\]()@\s]+)(?:\[[1-9][0-9]*\])?")

TagGroups = Sequence[Collection[str]]
"""Groups of equivalent tags."""


def satisfies(path: str, query: Query, *, strict: bool, alike: TagGroups = ()) -> bool:
    """Return whether the element at a path matches the structure that a query asks for.

    >>> from spanwise.model.topics import Node, Path, Step, Structured
    >>> query = Structured((Step(Path((Node(("article",)), Node(("sec",))))),))
    >>> satisfies("/article[1]/bdy[1]/sec[2]", query, strict=True)
    True
    >>> satisfies("/article[1]/bdy[1]/sec[2]/p[1]", query, strict=True)
    False
    >>> satisfies("/article[1]/bdy[1]/sec[2]/p[1]", query, strict=False)
    True
    >>> satisfies("/article[1]/bdy[1]/ss1[1]", query, strict=True, alike=[{"sec", "ss1"}])
    True
    """
    tags = _tags(path)
    if not isinstance(query, Structured):
        return True
    nodes = query.target.nodes
    if strict:
        return _follows(tags, nodes, alike)
    inside = any(_fits(tag, nodes[-1], alike) for tag in tags)
    return inside or any(_fits(tags[-1], node, alike) for node in nodes)


def structure_filter(
    queries: Mapping[bytes, Sequence[Query]], *, strict: bool, alike: TagGroups = ()
) -> Callable[[bytes, bytes], bool]:
    """Return a function that tells whether a path matches one of a topic's queries.

    Numbers in paths do not matter, so each sequence of tags is checked only once.
    """
    known: dict[tuple[bytes, bytes], bool] = {}

    def wanted(topic: bytes, path: bytes) -> bool:
        key = topic, NUMBER.sub(b"", path)
        if key not in known:
            place = path.decode("utf-8", "surrogateescape")
            known[key] = any(
                satisfies(place, query, strict=strict, alike=alike)
                for query in queries.get(topic, ())
            )
        return known[key]

    return wanted


def _tags(path: str) -> list[str]:
    """Return the tags along a path, the root's first."""
    if not path or STEP.sub("", path):
        raise InputError(
            f"path {path!r}; expected the path of an element, such as /article[1]/sec[2]"
        )
    return STEP.findall(path)


def _follows(tags: Sequence[str], nodes: Sequence[Node], alike: TagGroups) -> bool:
    """Return whether the steps of a query can be aligned with the tags and end together."""
    reached = {-1}  # positions where the steps so far may end
    for node in nodes:
        reached = {
            place
            for place, tag in enumerate(tags)
            if _fits(tag, node, alike)
            and (place - 1 in reached if node.axis == "/" else place > min(reached))
        }
        if not reached:
            return False
    return len(tags) - 1 in reached


def _fits(tag: str, node: Node, alike: TagGroups) -> bool:
    """Return whether a step allows a tag; `*` allows every element."""
    if not node.names:
        return not tag.startswith("@")
    groups = [group for group in alike if tag in group]
    return tag in node.names or any(name in group for group in groups for name in node.names)
