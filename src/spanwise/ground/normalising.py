"""Texts without what programs change on the way: white space, case, the spelling of characters."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from spanwise.model.arrays import IntArray

_SPELLED = {
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u00b4\u0060", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb", '"'),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
    **dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff", ""),
}
"""Quotation marks, dashes and characters without width that programs exchange freely."""


@cache
def spelled(character: str) -> str:
    """A character as it is compared; blank for all kinds of white space."""
    if character.isspace():
        return " "
    if character in _SPELLED:
        return _SPELLED[character]
    folded = unicodedata.normalize("NFKD", character).casefold()
    return unicodedata.normalize("NFKD", folded).replace(" ", "")


@dataclass(frozen=True, slots=True, eq=False)
class Normalised:
    """A text as it is compared, and where each of its characters came from."""

    text: str
    source: IntArray

    def span(self, start: int, length: int) -> tuple[int, int]:
        """The stretch of the source behind a stretch of this text."""
        begin = int(self.source[start])
        return begin, int(self.source[start + length - 1]) + 1 - begin


def normalised(text: str) -> Normalised:
    r"""Compatible characters decomposed, case folded, white space collapsed.

    >>> normalised("The  \ufb01rst\nOne").text
    'the first one'
    """
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    distinct, inverse = np.unique(codes, return_inverse=True)
    forms = [spelled(chr(code)) for code in distinct.tolist()]
    blank = np.array([form == " " for form in forms], np.bool_)[inverse]
    widths = np.array([len(form) for form in forms], np.int64)[inverse]
    widths[1:][blank[1:] & blank[:-1]] = 0
    kept = np.flatnonzero(widths)
    table = {code: form for code, form in zip(distinct.tolist(), forms, strict=True) if form}
    plain = codes[kept].tobytes().decode("utf-32-le", "surrogatepass").translate(table)
    return Normalised(plain, np.repeat(np.arange(len(codes)), widths))
