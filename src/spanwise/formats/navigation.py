"""Tables of navigation: how likely a reader of a result goes on to a target.

Four columns, separated by white space: document, result, target, chance. Results and targets are
element paths; a result that is a passage is `offset:length`, one that is a whole document `-`.
Lines that begin with `#` say nothing. A pair that is not listed has no chance.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spanwise.errors import FormatError
from spanwise.formats.numerals import NUMBER
from spanwise.formats.opening import chunks
from spanwise.model.ids import text
from spanwise.model.paths import PATH_DUE, is_element_path

if TYPE_CHECKING:
    from spanwise.model.journeys import ChanceTable

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
