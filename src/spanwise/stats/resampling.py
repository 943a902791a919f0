"""Random signs and samples, the same for the same seed on any number of threads.

Sums over topics are formed with `np.einsum`, not with a matrix product: libraries of linear algebra
may add in an order that depends on the number of threads, which changes the last digit.
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
"""Approximate number of values in a block of resamples."""
SAME = 1e-12
"""Relative tolerance below which two sums are equal, so that rounding decides nothing."""


@dataclass(frozen=True, slots=True)
class Draws:
    """The number of resamples and the seed of the random generator."""

    seed: int = 0
    resamples: int = RESAMPLES

    def blocks(self, topics: int) -> Iterator[tuple[np.random.Generator, int]]:
        """Yield the generator and the size of the next block of resamples."""
        generator = np.random.default_rng(self.seed)
        size = max(1, CELLS // max(topics, 1))
        for start in range(0, self.resamples, size):
            yield generator, min(size, self.resamples - start)

    def signs(self, topics: int) -> Iterator[FloatArray]:
        """Yield blocks of rows of 1 and -1, with a sign for each topic."""
        for generator, rows in self.blocks(topics):
            coins = generator.integers(0, 2, (rows, topics), dtype=np.int8)
            coins *= 2  # in place: blocks are large, and fresh memory is slow
            coins -= 1
            yield coins.astype(np.float64)

    def counts(self, topics: int) -> Iterator[FloatArray]:
        """Yield blocks of rows that count the draws of each topic, with replacement."""
        for generator, rows in self.blocks(topics):
            drawn = generator.integers(0, topics, (rows, topics))
            places = drawn + topics * np.arange(rows)[:, None]
            counts: IntArray = np.bincount(places.ravel(), minlength=rows * topics)
            yield counts.reshape(rows, topics).astype(np.float64)


def all_signs(topics: int) -> FloatArray:
    """Return every assignment of signs whose last sign is 1; the others mirror these.

    >>> all_signs(2).tolist()
    [[1.0, 1.0], [-1.0, 1.0]]
    """
    numbers = np.arange(2 ** max(topics - 1, 0))
    bits = (numbers[:, None] >> np.arange(topics)) & 1
    return 1.0 - 2.0 * bits


def sums(weights: FloatArray, columns: FloatArray) -> FloatArray:
    """Return weighted sums over topics: a row per row of weights, a column per column."""
    result: FloatArray = np.einsum("rt,tc->rc", weights, columns)
    return result
