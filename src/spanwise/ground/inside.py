"""Results and the targets that lie in them, or begin in them, without trying every pair.

Targets of one document do not lie in each other. So what lies in an element stands together when
targets are ordered by path, and what begins in a span when they are ordered by start.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spanwise.model.spans import Spans, ranges

if TYPE_CHECKING:
    from spanwise.model.arrays import IntArray
    from spanwise.model.ids import Coded

AFTER_SLASH = b"0"
"""A path with it stands behind everything that lies in the path."""


class Pairs(NamedTuple):
    """Numbers of results, rising, and of targets."""

    result: IntArray
    target: IntArray


def by_path(
    owner: IntArray, targets: Sequence[bytes], row: IntArray, results: Coded, some: IntArray
) -> Pairs:
    """Some results with the targets that they are or hold; an empty path holds all.

    `owner` and `row` say which documents targets and results belong to; -1 for none.
    """
    names = sorted(set(targets))
    number = {name: place for place, name in enumerate(names)}
    codes = np.array([number[name] for name in targets], np.int64)
    order = np.lexsort((codes, owner))
    width = len(names) + 1
    keys = (owner * width + codes)[order]
    lowest = np.array([bisect_left(names, name) for name in results.names])
    highest = np.array(
        [bisect_left(names, name + AFTER_SLASH) if name else len(names) for name in results.names]
    )
    mine, code = row[some] * width, results.codes[some]
    begin = np.searchsorted(keys, mine + lowest[code])
    end = np.searchsorted(keys, mine + highest[code])
    return _listed(some, begin, end, order)


def by_start(
    owner: IntArray, targets: Spans, row: IntArray, results: Spans, some: IntArray
) -> Pairs:
    """Some results with the targets that begin where they do, or before they end."""
    order = np.lexsort((targets.starts, owner))
    far = 1 + max(int(targets.ends.max(initial=0)), int(results.ends.max(initial=0)))
    keys = (owner * far + targets.starts)[order]
    mine, spans = row[some] * far, results.at(some)
    begin = np.searchsorted(keys, mine + spans.starts)
    end = np.searchsorted(keys, mine + spans.ends)
    return _listed(some, begin, end, order)


def _listed(some: IntArray, begin: IntArray, end: IntArray, order: IntArray) -> Pairs:
    count = np.maximum(end - begin, 0)
    return Pairs(np.repeat(some, count), order[ranges(begin, count)])
