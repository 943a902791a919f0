"""Long stretches of judged elements, read at once.

Assessments are mostly lines of one shape, tens of thousands of them. Where many such lines follow
each other they are taken out of the file before it is parsed as XML, and one element that stands
for all of them is put in their place. Anything else, a comment anywhere in the file included, is
left to the parser.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from secrets import token_hex

from spanwise.model.assessments import NO_COVERAGE, TOO_SMALL, UNSTATED

PATH = rb"(?:/[A-Za-z_][A-Za-z0-9_.-]*\[[1-9][0-9]{0,8}\])+"
GRADED = (
    rb'[ \t]*<element path="(%s)" exhaustivity="([012?])" size="([0-9]{1,18})"'
    rb' rsize="([0-9]{1,18})" ?/>\r?\n' % PATH
)
LINE = re.compile(GRADED)
MANY = re.compile(rb"(?:[ \t]*<element [^<>]*/>\r?\n){4,}")
COMMENT = re.compile(rb"<!--|<!\[CDATA\[|<!ENTITY")
GRADES = {b"0": 0, b"1": 1, b"2": 2, b"?": TOO_SMALL}

Numbers = tuple[int, int, int, int, int, int]
"""Exhaustivity, specificity, coverage, size, highlighted characters, flags."""
Stretch = tuple[list[bytes], list[Numbers]]


class Stretches:
    """What was taken out of a file, by the name that stands for it."""

    def __init__(self) -> None:
        self._sign = token_hex(8)  # nobody can have written this
        self._taken: list[Stretch] = []

    def shortened(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """The file without its stretches; lines keep their numbers."""
        plain = True
        for piece in pieces:
            plain = plain and not COMMENT.search(piece)
            yield MANY.sub(self._replaced, piece) if plain else piece

    def _replaced(self, found: re.Match[bytes]) -> bytes:
        rows = LINE.findall(found[0])
        if len(rows) < found[0].count(b"\n"):  # some line has another shape
            return found[0]
        numbers = [
            (GRADES[grade], UNSTATED, NO_COVERAGE, int(size), int(lit), 0)
            for _, grade, size, lit in rows
        ]
        self._taken.append(([row[0] for row in rows], numbers))
        mark = f'<element stretch="{self._sign}-{len(self._taken) - 1}"/>'
        return mark.encode() + b"\n" * len(rows)

    def behind(self, mark: str) -> Stretch | None:
        """What a mark stands for; None if it is none."""
        sign, _, number = mark.partition("-")
        return self._taken[int(number)] if sign == self._sign else None
