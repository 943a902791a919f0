"""Random signs and samples, the same for the same seed on any number of threads.

Libraries of linear algebra add in an order that depends on the number of threads, which may change
the last digit. So values are split into parts whose sums are exact in any order.
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
ROWS = 256
"""Number of resamples that are counted together, so that they fit in the cache."""
BITS = 53
"""Number of bits in which a whole number of a float is exact."""
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
            counts = np.empty((rows, topics))
            for start in range(0, rows, ROWS):
                some = counts[start : start + ROWS]
                places: IntArray = generator.integers(0, topics, some.shape)
                places += topics * np.arange(len(some))[:, None]
                some[:] = np.bincount(places.ravel(), minlength=some.size).reshape(some.shape)
            yield counts


def all_signs(topics: int) -> FloatArray:
    """Return every assignment of signs whose last sign is 1; the others mirror these.

    >>> all_signs(2).tolist()
    [[1.0, 1.0], [-1.0, 1.0]]
    """
    numbers = np.arange(2 ** max(topics - 1, 0))
    bits = (numbers[:, None] >> np.arange(topics)) & 1
    return 1.0 - 2.0 * bits


def sums(weights: FloatArray, columns: FloatArray) -> FloatArray:
    """Return weighted sums over topics: a row per row of weights, a column per column.

    Weights are whole numbers. The absolute weights of a row sum up to at most the number of topics.
    """
    if not np.isfinite(columns).all():
        infinite: FloatArray = np.einsum("rt,tc->rc", weights, columns)
        return infinite
    topics = max(len(columns), 1)
    _, exponents = np.frexp(np.abs(columns).max(axis=0, initial=0))
    shift = BITS - topics.bit_length() - exponents
    scaled = np.ldexp(columns, shift)
    high = np.rint(scaled)
    low = np.rint(np.ldexp(scaled - high, BITS - topics.bit_length()))
    total: FloatArray = weights @ np.hstack([high, low])
    whole, rest = np.hsplit(total, 2)
    return np.ldexp(whole + np.ldexp(rest, topics.bit_length() - BITS), -shift)
