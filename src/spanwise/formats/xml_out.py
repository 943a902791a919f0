"""Writing XML: tags and text, everything escaped that needs to be."""

from __future__ import annotations

import re
from collections.abc import Mapping

from spanwise.errors import InputError

FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
NO_ATTRIBUTES: Mapping[str, object] = {}
DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
IN_TEXT = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"})
IN_VALUE = IN_TEXT | str.maketrans({"\t": "&#9;", "\n": "&#10;", '"': "&quot;", "'": "&apos;"})


def escaped(text: str) -> str:
    """Text as it stands between tags."""
    _refuse_forbidden(text)
    return text.translate(IN_TEXT)


def tag(
    name: str,
    attributes: Mapping[str, object] = NO_ATTRIBUTES,
    *,
    quote: str = '"',
    empty: bool = False,
) -> str:
    """A start tag, or the tag of an empty element.

    >>> tag("file", {"name": "R&D"}, empty=True)
    '<file name="R&amp;D"/>'
    """
    values = "".join(
        f" {key}={quote}{_value(str(value))}{quote}" for key, value in attributes.items()
    )
    return f"<{name}{values}{'/' if empty else ''}>"


def _value(text: str) -> str:
    _refuse_forbidden(text)
    return text.translate(IN_VALUE)


def _refuse_forbidden(text: str) -> None:
    if FORBIDDEN.search(text):
        raise InputError(f"{text!a} cannot be written in XML; expected printable characters")
