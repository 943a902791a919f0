"""Signs and draws at random: the same seed gives the same ones, on any number of threads.

Sums over topics are formed with `np.einsum`, not with a matrix product: libraries of linear
algebra may add in an order that depends on the number of threads, and the last digit with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray, IntArray

RESAMPLES = 10_000
CELLS = 1 << 24
"""Resamples are drawn in blocks of about so many numbers."""
SAME = 1e-12
"""Sums that differ by less than this share of what was added up are equal: rounding decides
nothing."""


@dataclass(frozen=True, slots=True)
class Draws:
    """How often to draw, and from where the random numbers start."""

    seed: int = 0
    resamples: int = RESAMPLES

    def blocks(self, topics: int) -> Iterator[tuple[np.random.Generator, int]]:
        """The generator, and how many resamples are to be drawn next."""
        generator = np.random.default_rng(self.seed)
        size = max(1, CELLS // max(topics, 1))
        for start in range(0, self.resamples, size):
            yield generator, min(size, self.resamples - start)

    def signs(self, topics: int) -> Iterator[FloatArray]:
        """Blocks of rows of 1 and -1, a sign for each topic."""
        for generator, rows in self.blocks(topics):
            coins = generator.integers(0, 2, (rows, topics), dtype=np.int8)
            coins *= 2  # in place: blocks are large, and fresh memory is slow
            coins -= 1
            yield coins.astype(np.float64)

    def counts(self, topics: int) -> Iterator[FloatArray]:
        """Blocks of rows that say how often each topic was drawn, with replacement."""
        for generator, rows in self.blocks(topics):
            drawn = generator.integers(0, topics, (rows, topics))
            places = drawn + topics * np.arange(rows)[:, None]
            counts: IntArray = np.bincount(places.ravel(), minlength=rows * topics)
            yield counts.reshape(rows, topics).astype(np.float64)


def all_signs(topics: int) -> FloatArray:
    """Every assignment of signs whose last sign is 1; the others are these turned around.

    >>> all_signs(2).tolist()
    [[1.0, 1.0], [-1.0, 1.0]]
    """
    numbers = np.arange(2 ** max(topics - 1, 0))
    bits = (numbers[:, None] >> np.arange(topics)) & 1
    return 1.0 - 2.0 * bits


def sums(weights: FloatArray, columns: FloatArray) -> FloatArray:
    """Weighted sums over topics: a row for each row of weights, a column for each column."""
    result: FloatArray = np.einsum("rt,tc->rc", weights, columns)
    return result
