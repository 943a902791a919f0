"""Logarithms as the C library has them.

NumPy's vectorised log2 may differ from the C library's in the last bit, and then, now and then,
a printed digit would differ from trec_eval's. A table of Python's logarithms is exact and quick.
"""

from functools import lru_cache
from math import log2, nan

import numpy as np

from spanwise.model.arrays import FloatArray


@lru_cache(maxsize=8)
def _log2_table(size: int) -> FloatArray:
    table = np.array([nan, *(log2(number) for number in range(1, size))])
    table.flags.writeable = False
    return table


def log2_of_whole(largest: int) -> FloatArray:
    """A table whose entry i is log2(i), up to `largest`; entry 0 is not-a-number."""
    size = 1 << max(10, int(largest + 1).bit_length())  # few sizes, so that the cache is hit
    return _log2_table(size)


def rank_discounts(depth: int) -> FloatArray:
    """log2(rank + 1) for the ranks 1 to `depth`: what a gain is divided by."""
    return log2_of_whole(depth + 1)[2 : depth + 2]
