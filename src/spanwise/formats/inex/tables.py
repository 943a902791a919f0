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
from spanwise.formats.io.columns import NUMBER
from spanwise.formats.io.files import chunks
from spanwise.model.columns import text
from spanwise.model.documents import PATH_DUE, is_element_path

if TYPE_CHECKING:
    from spanwise.model.element_rankings import ChanceTable
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


# Tables of navigation: how likely a reader of a result goes on to a target. -----------------------
#
# Four columns, separated by white space: document, result, target, chance. Results and targets are
# element paths; a result that is a passage is `offset:length`, one that is a whole document `-`.
# Lines that begin with `#` say nothing. A pair that is not listed has no chance.

COLUMNS = "document, result, target and chance"
RESULT = re.compile(rb"-|\d+:\d+")
RESULT_DUE = f"{PATH_DUE}, offset:length of a passage, or - for a whole document"


def read_navigation(file: str) -> ChanceTable:
    """The chances in a file, by document, result and target."""
    table: dict[tuple[bytes, bytes, bytes], float] = {}
    number = 0
    for piece in chunks(file):
        for line in piece.splitlines():
            number += 1
            words = line.split()
            if not words or words[0].startswith(b"#"):
                continue
            if len(words) != 4:
                raise FormatError(file, number, f"{len(words)} columns", f"4: {COLUMNS}")
            document, result, target, chance = words
            if not RESULT.fullmatch(result) and not is_element_path(text(result)):
                raise FormatError(file, number, f"result {text(result)!r}", RESULT_DUE)
            if not is_element_path(text(target)):
                raise FormatError(file, number, f"target {text(target)!r}", PATH_DUE)
            pair = (document, result, target)
            if pair in table:
                raise FormatError(file, number, "the same pair a second time", "each pair once")
            table[pair] = _chance(chance, file, number)
    if not table:
        raise FormatError(file, None, "no chances in it", f"lines of {COLUMNS}")
    return table


def _chance(word: bytes, file: str, line: int) -> float:
    if NUMBER.fullmatch(word) and 0 <= float(word) <= 1:
        return float(word)
    raise FormatError(file, line, f"chance {text(word)!r}", "a number from 0 to 1")
