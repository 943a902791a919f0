"""Which results lie inside another result of the same topic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from spanwise.ground.gain import shared_documents

if TYPE_CHECKING:
    from spanwise.model.arrays import BoolArray
    from spanwise.model.element_rankings import Returned


def lying_inside(results: Returned, refuse: Callable[[Sequence[int]], None]) -> BoolArray:
    """Elements with a proper ancestor among the results; spans that another one goes beyond.

    `refuse` is told of the results of one document of which some are passages.
    """
    inside = np.zeros(len(results), np.bool_)
    for numbers in shared_documents(results.document, np.ones(len(results), np.bool_)):
        paths = {results.paths[number] for number in numbers}
        for number in numbers:
            inside[number] = _below(results.paths[number], paths)
        if b"" in paths:
            refuse(numbers)
            _contained(results, numbers, inside)
    return inside


def _below(path: bytes, paths: set[bytes]) -> bool:
    while path:
        path = path[: path.rfind(b"/")]
        if path and path in paths:
            return True
    return False


def _contained(results: Returned, numbers: list[int], inside: BoolArray) -> None:
    """The same by offsets, where one of the two is a passage."""
    groups: dict[tuple[int, int], list[int]] = {}  # results of one span are not inside each other
    for number in numbers:
        start = int(results.start[number])
        if start >= 0:
            groups.setdefault((start, -start - int(results.length[number])), []).append(number)
    of_passages = of_any = -1  # how far those that began before reach
    for (_, minus_end), same in sorted(groups.items()):
        for number in same:
            reach = of_passages if results.paths[number] else of_any
            inside[number] |= reach >= -minus_end
        of_any = max(of_any, -minus_end)
        if not all(results.paths[number] for number in same):
            of_passages = max(of_passages, -minus_end)
