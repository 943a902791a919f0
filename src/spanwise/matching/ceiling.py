"""The most relevant text that any order of given chunks can bring within a reading budget.

The chunks are those that a run returned for a topic, or all chunks of the system. They are read
whole except the last one, of which a beginning may be read. Choosing them is a covering problem: it
is solved exactly for few chunks, and bounded from above for many.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spanwise.model.readings import ROUNDING
from spanwise.model.spans import UNKNOWN

if TYPE_CHECKING:
    from spanwise.model.arrays import IntArray
    from spanwise.model.judgements import Judgements
    from spanwise.model.run import Run

ALL = 1 << 62
"""A number of characters larger than any chunk."""
FEW = 8
"""Up to this many chunks all combinations are tried."""

Stretch = tuple[int, int]
"""The first character of a stretch of text, and the one after its last."""


Begins = Callable[[bytes], "IntArray"]
"""Gives the places of a document's tokens or code units, rising; one costs when it is read."""


class Chunk(NamedTuple):
    """A chunk from the point of view of one topic: its cost, and the relevant text in it."""

    size: int
    parts: tuple[tuple[int, int], ...]  # number of a relevant piece, and its end in the chunk
    tokens: IntArray | None = None  # places of its tokens or code units; None: characters cost 1

    def reach(self, budget: float) -> int:
        """Return the number of characters that a budget pays for."""
        if budget >= self.size:
            return ALL
        return int(budget) if self.tokens is None else int(self.tokens[int(budget)])


class Pool:
    """All different chunks of a system, document by document, in rising order."""

    def __init__(self, run: Run) -> None:
        self._chunks: dict[bytes, list[Stretch]] = {}
        self._starts: dict[bytes, list[int]] = {}
        self._longest: dict[bytes, int] = {}
        if run.spans is None:
            return
        real = np.flatnonzero((run.spans.starts != UNKNOWN) & (run.spans.lengths > 0))
        if not len(real):
            return
        prints, starts, ends = run.documents.fingerprints(), run.spans.starts, run.spans.ends
        order = real[np.lexsort((ends[real], starts[real], prints[real]))]
        prints, starts, ends = prints[order], starts[order], ends[order]
        new = np.ones(len(order), np.bool_)
        new[1:] = (starts[1:] != starts[:-1]) | (ends[1:] != ends[:-1])
        new[1:] |= prints[1:] != prints[:-1]
        prints, starts, ends = prints[new], starts[new], ends[new]
        begins = np.flatnonzero(np.concatenate([[True], prints[1:] != prints[:-1]]))[: len(prints)]
        names = run.documents.take(order[new][begins])
        stops = np.append(begins[1:], len(prints)).tolist()
        for name, begin, stop in zip(names, begins.tolist(), stops, strict=True):
            first, last = starts[begin:stop], ends[begin:stop]
            self._starts[name] = first.tolist()
            self._chunks[name] = list(zip(self._starts[name], last.tolist(), strict=True))
            self._longest[name] = int((last - first).max())

    def touching(self, document: bytes, stretch: Stretch) -> list[Stretch]:
        """Return the chunks that share a character with a stretch."""
        chunks = self._chunks.get(document)
        if chunks is None:
            return []
        starts = self._starts[document]
        first = bisect_left(starts, stretch[0] - self._longest[document] + 1)
        last = bisect_left(starts, stretch[1])
        return [chunk for chunk in chunks[first:last] if chunk[1] > stretch[0]]


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """The useful chunks of one topic, and the sizes of the pieces that they cut its text into."""

    chunks: list[Chunk]
    weights: IntArray

    def best(self, budget: float) -> tuple[float, bool]:
        """Return the most relevant text within a budget, and whether that is exact or a bound."""
        chunks, weights = self.chunks, self.weights
        everything = {piece for chunk in chunks for piece, _ in chunk.parts}
        most = float(sum(int(weights[piece]) for piece in everything))
        if not chunks or sum(chunk.size for chunk in chunks) <= budget:
            return most, True
        bound = min(most, _relaxed(chunks, weights, budget))
        if len(chunks) <= FEW:
            return _tried(chunks, weights, budget, bound), True
        return bound, False


Placed = Mapping[int, Iterable[Stretch]]
"""The chunks that were returned for a topic, by the row of their document in the judgements."""


@dataclass(frozen=True, slots=True, eq=False)
class Chooser:
    """The relevant text of all topics, with all chunks of the system if they are known."""

    judgements: Judgements
    pool: Pool | None
    begins: Begins | None  # None: budgets count characters

    def choice(self, topic: bytes, returned: Placed, *, every: bool) -> Choice:
        """Return the choice among the returned chunks of a topic, or among `every` chunk."""
        needed = self.judgements.once("relevant text", lambda: _by_topic(self.judgements))
        weights: list[int] = []
        chunks: list[Chunk] = []
        for row, (name, stretches) in needed.get(topic, {}).items():
            found = set(returned.get(row, ()))
            if every and self.pool is not None:
                for stretch in stretches:
                    found.update(self.pool.touching(name, stretch))
            tokens = None if self.begins is None or not found else self.begins(name)
            _cut(sorted(found), stretches, tokens, chunks, weights)
        return Choice(_undominated(chunks), np.array(weights, np.int64))


def _by_topic(judgements: Judgements) -> dict[bytes, dict[int, tuple[bytes, list[Stretch]]]]:
    """Return the relevant stretches of each topic, by row of the judgements, with the document."""
    marked, rows = judgements.highlights, judgements.rows
    assert marked is not None
    names = judgements.documents.take(np.arange(len(rows)))
    first = marked.first.tolist()
    starts, ends = marked.passages.starts.tolist(), marked.passages.ends.tolist()
    found: dict[bytes, dict[int, tuple[bytes, list[Stretch]]]] = {}
    for code, topic in enumerate(rows.topics):
        mine = found.setdefault(topic, {})
        for row in range(int(rows.starts[code]), int(rows.starts[code + 1])):
            some = slice(first[row], first[row + 1])
            if first[row + 1] > first[row]:
                mine[row] = names[row], list(zip(starts[some], ends[some], strict=True))
    return found


def _cut(
    touching: list[Stretch],
    stretches: list[Stretch],
    tokens: IntArray | None,
    chunks: list[Chunk],
    weights: list[int],
) -> None:
    """Add the chunks of a document, and the sizes of the pieces that they cut its text into."""
    cuts = sorted({edge for chunk in touching for edge in chunk})
    pieces: list[Stretch] = []
    for start, end in sorted(stretches):
        edges = [start, *cuts[bisect_right(cuts, start) : bisect_left(cuts, end)], end]
        pieces += itertools.pairwise(edges)
    first = len(weights)
    weights += [end - start for start, end in pieces]
    begins = [start for start, _ in pieces]
    for begin, stop in touching:
        inside = range(bisect_left(begins, begin), bisect_left(begins, stop))
        parts = tuple((first + number, pieces[number][1] - begin) for number in inside)
        if parts:
            chunks.append(_priced(begin, stop, parts, tokens))


def _priced(
    begin: int, stop: int, parts: tuple[tuple[int, int], ...], tokens: IntArray | None
) -> Chunk:
    if tokens is None:
        return Chunk(stop - begin, parts)
    first, last = np.searchsorted(tokens, [begin, stop])
    return Chunk(int(last - first), parts, tokens[first:last] - begin)


def _undominated(chunks: list[Chunk]) -> list[Chunk]:
    """Return the chunks for which no other brings the same pieces as early at no higher cost."""
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


def _tried(chunks: list[Chunk], weights: IntArray, budget: float, bound: float) -> float:
    """Return the best of all combinations, each with the beginning of one more chunk."""
    masks = [sum(1 << piece for piece, _ in chunk.parts) for chunk in chunks]
    best = 0

    def tried(first: int, covered: int, gain: int, rest: float) -> bool:
        """Extend a choice of chunks; return True once the bound is reached."""
        nonlocal best
        more = max(_beginning(chunk, weights, covered, rest) for chunk in chunks)
        best = max(best, gain + more)
        if best >= bound * (1 - ROUNDING):
            return True
        for number in range(first, len(chunks)):
            new, left = masks[number] & ~covered, rest - chunks[number].size
            if new and left >= 0:
                found = gain + _weight(new, weights)
                if tried(number + 1, covered | new, found, left):
                    return True
        return False

    tried(0, 0, 0, budget)
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
    """Return how much uncovered relevant text the first characters of a chunk bring."""
    gain, reach = 0, chunk.reach(rest)
    for piece, end in chunk.parts:
        if not covered >> piece & 1:
            length = int(weights[piece])
            gain += max(0, min(length, reach - (end - length)))
    return gain


def _relaxed(chunks: list[Chunk], weights: IntArray, budget: float) -> float:
    """Return an upper bound: fill the budget by the best density of any beginning of each chunk.

    Chunks without tokens are free, and so is the text before the first token of the last chunk.
    """
    whole = [sum(int(weights[piece]) for piece, _ in chunk.parts) for chunk in chunks]
    free = sum(found for chunk, found in zip(chunks, whole, strict=True) if not chunk.size)
    priced = [(chunk, found) for chunk, found in zip(chunks, whole, strict=True) if chunk.size]
    before = max((_beginning(chunk, weights, 0, 0) for chunk, _ in priced), default=0)
    total, left = float(free + before), float(budget)
    densities = [(_density(chunk, weights), found) for chunk, found in priced]
    for density, found in sorted(densities, reverse=True):
        if density <= 0 or left <= 0:
            break
        cost = min(found / density, left)
        total += cost * density
        left -= cost
    return total


def _density(chunk: Chunk, weights: IntArray) -> float:
    """Return the highest ratio of relevant text to cost of any beginning of a chunk."""
    if chunk.tokens is not None:
        reach, gain = np.append(chunk.tokens[1:], ALL), np.zeros(chunk.size)
        for piece, end in chunk.parts:
            length = int(weights[piece])
            gain += np.clip(reach - (end - length), 0, length)
        return float((gain / np.arange(1, chunk.size + 1)).max())
    found, density = 0, 0.0
    for piece, end in sorted(chunk.parts, key=lambda part: part[1]):
        found += int(weights[piece])
        density = max(density, found / end)
    return density
