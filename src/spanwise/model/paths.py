"""How parts of XML documents are named: element paths, and points inside text nodes."""

from __future__ import annotations

import re

ELEMENT = r"(?:/[^/\[\]()\s<>]+\[[1-9]\d{0,8}\])+"
ELEMENT_PATH = re.compile(ELEMENT)
POINT = re.compile(rf"{ELEMENT}(?:/text\(\)\[[1-9]\d{{0,8}}\]\.\d{{1,18}})?")
IN_TEXT = b"/text()["
"""What a path has in it that names a place in a text node."""
PATH_DUE = "a path such as /article[1]/sec[2]/p[1]"
POINT_DUE = f"{PATH_DUE} or a point in its text such as /article[1]/p[1]/text()[2].17"


def is_element_path(path: str) -> bool:
    """Whether this names an element: every step with its number among its namesakes.

    >>> is_element_path("/article[1]/sec[2]"), is_element_path("/article/sec")
    (True, False)
    """
    return ELEMENT_PATH.fullmatch(path) is not None


def is_point(path: str) -> bool:
    """Whether this names an element or a place in a text node."""
    return POINT.fullmatch(path) is not None


def parent_of(path: bytes) -> bytes:
    """The path of the element around this one; empty for the root."""
    return path[: path.rfind(b"/")]
