"""The most relevant text that any order of given chunks can bring within a reading budget.

Chunks are read whole except the last one, of which a beginning may be read. Which ones to choose is
a covering problem: it is solved exactly where few chunks are in question, else bounded from above.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spanwise.model.spans import UNKNOWN

if TYPE_CHECKING:
    from spanwise.model.arrays import BoolArray, FloatArray, IntArray
    from spanwise.model.judgements import Judgements
    from spanwise.model.run import Run

FEW = 8
"""So many chunks are tried in all combinations."""

Stretch = tuple[int, int]
"""Where a stretch begins and ends."""


class Chunk(NamedTuple):
    """A chunk as far as one topic is concerned: its size, and the relevant text in it."""

    size: int
    parts: tuple[tuple[int, int], ...]  # number of a piece of relevant text, where it ends here


@dataclass(frozen=True, slots=True, eq=False)
class Ceiling:
    """The best recall of each topic at each budget, and whether it is exact or only a bound."""

    recall: FloatArray  # topic by budget; nan without relevant text
    exact: BoolArray


class Pool:
    """All different chunks of a run, document by document, in rising order."""

    def __init__(self, runs: Sequence[Run]) -> None:
        found: dict[bytes, set[Stretch]] = {}
        for run in runs:
            if run.spans is None:
                continue
            names = run.documents.take(np.arange(len(run.rows)))
            bounds = zip(run.spans.starts.tolist(), run.spans.ends.tolist(), strict=True)
            for name, (start, end) in zip(names, bounds, strict=True):
                if start != UNKNOWN and end > start:
                    found.setdefault(name, set()).add((start, end))
        self._chunks = {name: sorted(some) for name, some in found.items()}
        self._starts = {name: [s for s, _ in some] for name, some in self._chunks.items()}
        self._longest = {n: max(e - s for s, e in some) for n, some in self._chunks.items()}

    def touching(self, document: bytes, gold: Stretch) -> list[Stretch]:
        """The chunks that share a character with a stretch."""
        from bisect import bisect_left

        chunks = self._chunks.get(document)
        if chunks is None:
            return []
        starts = self._starts[document]
        first = bisect_left(starts, gold[0] - self._longest[document] + 1)
        last = bisect_left(starts, gold[1])
        return [chunk for chunk in chunks[first:last] if chunk[1] > gold[0]]


def ceiling(
    judgements: Judgements, topics: Sequence[bytes], pool: Pool, budgets: Sequence[float]
) -> Ceiling:
    """The best that any order of the pool's chunks can do for each topic."""
    marked = judgements.highlights
    assert marked is not None
    recall = np.full((len(topics), len(budgets)), np.nan)
    exact = np.ones((len(topics), len(budgets)), np.bool_)
    codes = {topic: code for code, topic in enumerate(judgements.rows.topics)}
    for row, topic in enumerate(topics):
        if topic not in codes:
            continue
        code = codes[topic]
        rows = np.arange(judgements.rows.starts[code], judgements.rows.starts[code + 1])
        total = int(marked.relevant[rows].sum())
        if not total:
            continue
        gold: dict[bytes, list[Stretch]] = {}
        for one, name in zip(rows.tolist(), judgements.documents.take(rows), strict=True):
            spans = marked.of(one)
            gold.setdefault(name, []).extend(
                zip(spans.starts.tolist(), spans.ends.tolist(), strict=True)
            )
        chunks, weights = _chunks(gold, pool)
        for column, budget in enumerate(budgets):
            best, exact[row, column] = _best(chunks, weights, budget)
            recall[row, column] = min(best / total, 1)
    return Ceiling(recall, exact)


def _chunks(gold: dict[bytes, list[Stretch]], pool: Pool) -> tuple[list[Chunk], IntArray]:
    """The chunks that matter, and the sizes of the pieces into which they cut the relevant text."""
    weights: list[int] = []
    chunks: list[Chunk] = []
    for name, stretches in gold.items():
        touching = sorted({c for stretch in stretches for c in pool.touching(name, stretch)})
        cuts = sorted({edge for chunk in touching for edge in chunk})
        pieces: list[Stretch] = []
        for start, end in sorted(stretches):
            edges = [start, *(edge for edge in cuts if start < edge < end), end]
            pieces += itertools.pairwise(edges)
        first = len(weights)
        weights += [end - start for start, end in pieces]
        for begin, stop in touching:
            parts = tuple(
                (first + number, end - begin)
                for number, (start, end) in enumerate(pieces)
                if begin <= start and end <= stop
            )
            chunks.append(Chunk(stop - begin, parts))
    return _undominated(chunks), np.array(weights, np.int64)


def _undominated(chunks: list[Chunk]) -> list[Chunk]:
    """Without chunks than which another one brings all the same, each piece no later."""
    kept: list[Chunk] = []
    for chunk in sorted(chunks, key=lambda one: (-len(one.parts), one.size)):
        needs = dict(chunk.parts)
        for other in kept:
            has = dict(other.parts)
            early = all(has.get(piece, 1 << 62) <= end for piece, end in needs.items())
            if early and other.size <= chunk.size:
                break
        else:
            kept.append(chunk)
    return kept


def _best(chunks: list[Chunk], weights: IntArray, budget: float) -> tuple[float, bool]:
    everything = {piece for chunk in chunks for piece, _ in chunk.parts}
    most = float(sum(int(weights[piece]) for piece in everything))
    if sum(chunk.size for chunk in chunks) <= budget:
        return most, True
    if len(chunks) <= FEW:
        return _tried(chunks, weights, budget), True
    bound = min(most, _relaxed(chunks, weights, budget))
    return bound, False


def _tried(chunks: list[Chunk], weights: IntArray, budget: float) -> float:
    """The best of all combinations, each with the beginning of one more chunk."""
    sizes = [chunk.size for chunk in chunks]
    masks = [sum(1 << piece for piece, _ in chunk.parts) for chunk in chunks]
    best = 0
    for choice in range(1 << len(chunks)):
        mine = [number for number in range(len(chunks)) if choice >> number & 1]
        rest = budget - sum(sizes[number] for number in mine)
        if rest < 0:
            continue
        covered = 0
        for number in mine:
            covered |= masks[number]
        gain = _weight(covered, weights)
        more = 0
        for number, chunk in enumerate(chunks):
            if not choice >> number & 1:
                more = max(more, _beginning(chunk, weights, covered, rest))
        best = max(best, gain + more)
    return float(best)


def _weight(mask: int, weights: IntArray) -> int:
    total, number = 0, 0
    while mask:
        if mask & 1:
            total += int(weights[number])
        mask >>= 1
        number += 1
    return total


def _beginning(chunk: Chunk, weights: IntArray, covered: int, rest: float) -> int:
    """What the first characters of a chunk bring beyond what is covered."""
    gain = 0
    for piece, end in chunk.parts:
        if not covered >> piece & 1:
            length = int(weights[piece])
            gain += max(0, min(length, int(rest) - (end - length)))
    return gain


def _relaxed(chunks: list[Chunk], weights: IntArray, budget: float) -> float:
    """More than can be had: chunks by the best share of relevant text any beginning has."""
    gains = []
    for chunk in chunks:
        found, density = 0, 0.0
        for piece, end in sorted(chunk.parts, key=lambda part: part[1]):
            found += int(weights[piece])
            density = max(density, found / end)
        gains.append((density, found))
    total, left = 0.0, float(budget)
    for density, found in sorted(gains, reverse=True):
        if density <= 0 or left <= 0:
            break
        cost = min(found / density, left)
        total += cost * density
        left -= cost
    return total
