"""What reading costs where a budget does not count characters: tokens, or stated costs.

A token is paid for when its first character is read, so that cutting a text in two changes no
price, and what stands between tokens is free. A stated cost is paid evenly along the text.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from spanwise.errors import InputError

if TYPE_CHECKING:
    from spanwise.ground.results import Results
    from spanwise.model.arrays import IntArray
    from spanwise.model.run import Run
    from spanwise.model.spans import Spans

Reach = Callable[[float], "IntArray"]
"""For each topic of a block how many characters a budget pays for."""


class Meter(Protocol):
    """Knows what reading results costs."""

    def reach(self, results: Results, spans: Spans, size: IntArray, topics: int) -> Reach:
        """How far budgets reach in a block of results."""


@dataclass(frozen=True, slots=True, eq=False)
class TokenMeter:
    """Counts the tokens whose first characters are read."""

    run: Run
    begins: Callable[[bytes], IntArray]  # where the tokens of a document begin, rising

    def reach(self, results: Results, spans: Spans, size: IntArray, topics: int) -> Reach:
        """How far budgets of tokens reach."""
        names = self.run.documents.take(results.row)
        tokens = [self.begins(name) for name in names]
        first = np.array(
            [np.searchsorted(t, s) for t, s in zip(tokens, spans.starts, strict=True)], np.int64
        )
        last = np.array(
            [np.searchsorted(t, e) for t, e in zip(tokens, spans.ends, strict=True)], np.int64
        )

        def inside(result: int, budget: float) -> int:
            begins, number = tokens[result], int(first[result]) + int(budget)
            end = int(spans.ends[result])
            stop = int(begins[number]) if number < len(begins) else end
            return min(stop, end) - int(spans.starts[result])

        return _reach(results, last - first, size, topics, inside)


@dataclass(frozen=True, slots=True, eq=False)
class CostMeter:
    """Takes the costs that a run states."""

    run: Run

    def reach(self, results: Results, spans: Spans, size: IntArray, topics: int) -> Reach:  # noqa: ARG002
        """How far budgets of stated costs reach."""
        chunks = self.run.chunks
        costs = None if chunks is None else chunks.costs[results.row]
        if costs is None or (costs < 0).any():
            row = int(results.row[0 if costs is None else int(np.argmax(costs < 0))])
            raise InputError(f"{self.run.rows.place(row)}: no cost is stated; expected a 'cost'")

        def inside(result: int, budget: float) -> int:
            return int(size[result] * budget // max(int(costs[result]), 1))

        return _reach(results, costs, size, topics, inside)


def _reach(
    results: Results,
    costs: IntArray,
    size: IntArray,
    topics: int,
    inside: Callable[[int, float], int],
) -> Reach:
    """Whole results as long as the budget lasts, and a part of the one at which it ends."""
    bounds = np.searchsorted(results.topic, np.arange(topics + 1)).tolist()

    def reach(budget: float) -> IntArray:
        limits = np.zeros(topics, np.int64)
        for topic, (begin, end) in enumerate(itertools.pairwise(bounds)):
            paid = np.cumsum(costs[begin:end])
            whole = int(np.searchsorted(paid, budget, side="right"))
            limits[topic] = size[begin : begin + whole].sum()
            if begin + whole < end:
                rest = budget - (int(paid[whole - 1]) if whole else 0)
                limits[topic] += inside(begin + whole, rest)
        return limits

    return reach
