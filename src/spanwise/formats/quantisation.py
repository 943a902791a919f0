"""A quantisation as a table of the user's own.

One line for each pair of grades: exhaustivity (in 2002 relevance), specificity (in 2002 the letter
for coverage), and what an element so judged is worth, from 0 to 1. Blanks, tabs or commas stand
between them; `#` begins a comment. A pair that is not listed is worth 0, and so is what was judged
to be irrelevant: whatever nobody judged is that too.

    # only elements that speak of nothing else
    3 3 1
    2 3 0.8
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spanwise.errors import EmptyError, FormatError, UnknownName
from spanwise.formats.opening import chunks

if TYPE_CHECKING:
    from spanwise.model.elements import Grades

DUE = "two grades and a value from 0 to 1, such as: 3 3 0.75"
GRADES = re.compile(r"([0-3])[\s,]+([0-3NLSE])[\s,]+(0|1|0?\.\d+|0\.\d*|1\.0*)")


def parsed(file: str) -> Grades:
    """What each pair of grades is worth."""
    from pathlib import Path

    if not Path(file).is_file():
        known = ["strict", "gen", "sog", "strict5", "gen5", "genLifted", "spec", "exhspe"]
        raise UnknownName("quantisation", file, known, "or the name of a file")
    table: dict[tuple[int, str], float] = {}
    lines = b"".join(chunks(file)).decode("utf-8", "surrogateescape").splitlines()
    for number, line in enumerate(lines, start=1):
        content = line.partition("#")[0].strip()
        if not content:
            continue
        match = GRADES.fullmatch(content)
        if not match:
            raise FormatError(file, number, f"{content[:60]!r}", DUE)
        pair = int(match[1]), match[2]
        if pair in table:
            raise FormatError(file, number, f"{match[1]} {match[2]} is there twice", "each once")
        table[pair] = float(match[3])
        if pair[0] == 0 and table[pair]:
            due = "0 for what is not relevant, as whatever nobody judged is that"
            raise FormatError(file, number, f"{content[:60]!r}", due)
    if not table:
        raise EmptyError(file, None, "no grades in it", DUE)
    if len({second.isdigit() for _, second in table}) > 1:
        raise FormatError(file, None, "grades and letters", "specificity or coverage, not both")
    return table
