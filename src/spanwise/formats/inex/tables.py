"""Tables supplied by the user: quantisations, and navigation probabilities.

A quantisation has one line for each pair of grades: exhaustivity (in 2002 relevance), specificity
(in 2002 the letter for coverage), and the value of an element with these grades, from 0 to 1. They
are separated by blanks, tabs or commas; `#` begins a comment. A pair that is not listed has the
value 0, and so must every pair with exhaustivity 0, because unjudged elements count as such.

    # only highly specific elements
    3 3 1
    2 3 0.8

A navigation table has the four columns document, result, target and probability, separated by white
space. Results and targets are element paths; a result that is a passage is `offset:length`, and one
that is a whole document `-`. Lines that begin with `#` are ignored. A pair that is not listed has
the probability 0.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spanwise.errors import EmptyError, FormatError, UnknownName
from spanwise.formats.io.columns import NUMBER
from spanwise.formats.io.files import chunks
from spanwise.model.columns import text
from spanwise.model.documents import EXPECTED_PATH, is_element_path

if TYPE_CHECKING:
    from spanwise.model.element_rankings import ChanceTable
    from spanwise.model.elements import Grades

# Quantisations -----------------------------------------------------------------------------------

EXPECTED = "two grades and a value from 0 to 1, such as: 3 3 0.75"
GRADES = re.compile(r"([0-3])[\s,]+([0-3NLSE])[\s,]+(0|1|0?\.\d+|0\.\d*|1\.0*)")


def read_quantisation_table(file: str) -> Grades:
    """Return the value of each pair of grades in a file."""
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
            raise FormatError(file, number, f"{content[:60]!r}", EXPECTED)
        pair = int(match[1]), match[2]
        if pair in table:
            raise FormatError(file, number, f"{match[1]} {match[2]} occurs twice", "each pair once")
        table[pair] = float(match[3])
        if pair[0] == 0 and table[pair]:
            expected = "the value 0 for exhaustivity 0, which unjudged elements have too"
            raise FormatError(file, number, f"{content[:60]!r}", expected)
    if not table:
        raise EmptyError(file, None, "no grades", EXPECTED)
    if len({second.isdigit() for _, second in table}) > 1:
        raise FormatError(file, None, "grades and letters", "specificity or coverage, not both")
    return table


# Navigation --------------------------------------------------------------------------------------

COLUMNS = "document, result, target and probability"
RESULT = re.compile(rb"-|\d+:\d+")
EXPECTED_RESULT = f"{EXPECTED_PATH}, offset:length of a passage, or - for a whole document"


def read_navigation(file: str) -> ChanceTable:
    """Return the probabilities in a file by document, result and target."""
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
                raise FormatError(file, number, f"result {text(result)!r}", EXPECTED_RESULT)
            if not is_element_path(text(target)):
                raise FormatError(file, number, f"target {text(target)!r}", EXPECTED_PATH)
            pair = (document, result, target)
            if pair in table:
                raise FormatError(file, number, "the same pair a second time", "each pair once")
            table[pair] = _chance(chance, file, number)
    if not table:
        raise FormatError(file, None, "no probabilities", f"lines of {COLUMNS}")
    return table


def _chance(word: bytes, file: str, line: int) -> float:
    if NUMBER.fullmatch(word) and 0 <= float(word) <= 1:
        return float(word)
    raise FormatError(file, line, f"probability {text(word)!r}", "a number from 0 to 1")
