"""Text on a terminal: how much room it takes, and how it is made to fit."""

from __future__ import annotations

import textwrap
from unicodedata import category, combining, east_asian_width

DISOBEYED = {"Cc", "Zl", "Zp"}
"""Control characters and separators of lines; beside them, what turns the direction of writing:"""
TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def counted(number: int, what: str) -> str:
    """A number of things in words.

    >>> counted(1, "topic"), counted(2, "topic")
    ('1 topic', '2 topics')
    """
    return f"{number} {what}{'s' if number != 1 else ''}"


def visible(text: str) -> str:
    r"""A name as a terminal may be shown it: control characters would be obeyed.

    >>> print(visible("a\x1b[1m"))
    a\x1b[1m
    """
    if text.isprintable():
        return text
    return "".join(
        c.encode("ascii", "backslashreplace").decode()
        if c in TURNING
        else repr(c)[1:-1]
        if category(c) in DISOBEYED
        else c
        for c in text
    )


def room_of(text: str) -> int:
    """How many columns a text takes: two for wide letters, none for accents that stand above.

    >>> room_of("abc"), room_of("日本"), room_of("e\u0301")
    (3, 4, 1)
    """
    if text.isascii():
        return len(text)
    return sum(2 if east_asian_width(c) in "WF" else 1 for c in text if not combining(c))


def filled(text: str, width: int, *, right: bool = False) -> str:
    """A text with blanks behind it, or before it, until it takes so many columns."""
    blanks = " " * (width - room_of(text))
    return blanks + text if right else text + blanks


def shortened(name: str, width: int, head: int = 0) -> str:
    """A name with dots after its first letters; ends of paths and of names differ most.

    >>> shortened("/article[1]/sec[2]/p[1]", 12)
    '...c[2]/p[1]'
    >>> shortened("precision at 2,000", 12, head=3)
    'pre... 2,000'
    """
    if room_of(name) <= width:
        return name
    start = name[: max(head, 0)]
    first = len(name)
    while first > len(start) and room_of(start + name[first - 1 :]) <= width - 3:
        first -= 1
    return start + "..." + name[first:]


def wrapped(line: str, width: int | None) -> list[str]:
    """A sentence on lines of a width; what has no blanks in it stays whole, to be copied."""
    if width is None or room_of(line) <= width:
        return [line]
    return textwrap.wrap(
        line, width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )
