"""Elements by the row of the judgements they belong to and their path, found many at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from spanwise.model.arrays import IntArray
    from spanwise.model.ids import Coded

NOT_THERE = -1


class ByPath:
    """Elements, each with a row and a path; of two with the same the later one is found."""

    def __init__(self, rows: IntArray, paths: Coded) -> None:
        self._numbers = {name: number for number, name in enumerate(paths.names)}
        keys = rows * len(self._numbers) + paths.codes
        self._order = np.argsort(keys, kind="stable")
        self._keys = keys[self._order]

    def find(self, rows: IntArray, paths: Coded) -> IntArray:
        """The element of each row and path, NOT_THERE where there is none or no row."""
        if not len(self._keys):
            return np.full(len(rows), NOT_THERE)
        codes = [self._numbers.get(name, NOT_THERE) for name in paths.names]
        number = np.array(codes or [NOT_THERE])[paths.codes]
        wanted = rows * len(self._numbers) + number
        place = np.searchsorted(self._keys, wanted, side="right") - 1
        there = (place >= 0) & (rows >= 0) & (number >= 0)
        there &= self._keys[place] == wanted
        return np.where(there, self._order[place], NOT_THERE)
