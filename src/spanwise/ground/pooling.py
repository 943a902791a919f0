"""Which documents come into a pool: the methods, each a function of one topic's rankings.

A ranking is a list of documents with the rank of their best unit. Every method gives documents in
the order in which they come in, with the round in which they did. What depends on judgements asks
for them one document at a time.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spanwise.ground.order import by_score, places_of
from spanwise.model.policy import Policy

if TYPE_CHECKING:
    from spanwise.model.arrays import IntArray
    from spanwise.model.run import Run

Ranking = Mapping[str, int]
"""Documents in order, each with the rank of its best unit, from 1."""

METHODS = ("depth", "rounds", "fusion", "mtf", "mm", "ts", "sample")
ADAPTIVE = ("mtf", "mm", "ts")
STRATA = ((10, 1.0), (50, 0.3), (200, 0.1))
"""For each stratum its last rank and the share of it that is drawn."""
FUSION = 60
DIGITS = 12
"""Sums that differ by rounding are equal."""
WARM_UP = 10
"""One in so many documents of an adaptive pool comes from rounds: the judge learns the topic."""


class Drawn(NamedTuple):
    """A document that came in."""

    document: str
    round: int
    p: float = 1.0
    stratum: int = 1


def ranked(run: Run) -> Iterator[tuple[str, dict[str, int]]]:
    """The ranking of each topic: text as it stands in the file, documents by score."""
    policy = Policy(ties="docno" if run.spans is None and run.paths is None else "file")
    order = _order(run, policy)
    starts = run.rows.starts
    for code, topic in enumerate(run.rows.topics):
        names = run.documents.take(order[starts[code] : starts[code + 1]])
        ranking: dict[str, int] = {}
        for rank, name in enumerate(names, 1):
            ranking.setdefault(name.decode("utf-8", "surrogateescape"), rank)
        yield topic.decode("utf-8", "surrogateescape"), ranking


def _order(run: Run, policy: Policy) -> IntArray:
    every = np.arange(len(run.rows))
    if policy.ties == "file":
        return every
    order = np.empty(len(every), np.int64)
    order[places_of(by_score(run, policy), run, policy, every)] = every
    return order


def depth(rankings: Sequence[Ranking], most: int) -> list[Drawn]:
    """Whatever has a unit among the first `most` of any run; earlier ranks come first."""
    best = _best(rankings)
    chosen = [(rank, name) for name, rank in best.items() if rank <= most]
    return [Drawn(name, rank) for rank, name in sorted(chosen)]


def rounds(rankings: Sequence[Ranking], budget: int) -> list[Drawn]:
    """The first document of every run, then the second, until a round reaches the budget."""
    columns = [list(ranking) for ranking in rankings]
    found: dict[str, Drawn] = {}
    for number in range(max(map(len, columns), default=0)):
        if len(found) >= budget:
            break
        for column in columns:
            if number < len(column):
                found.setdefault(column[number], Drawn(column[number], number + 1))
    return list(found.values())


def fusion(rankings: Sequence[Ranking], budget: int) -> list[Drawn]:
    """The documents on which runs agree: the largest sums of 1 / (60 + rank)."""
    sums: dict[str, float] = {}
    for ranking in rankings:
        for name, rank in ranking.items():
            sums[name] = sums.get(name, 0.0) + 1 / (FUSION + rank)
    order = sorted(sums, key=lambda name: (-round(sums[name], DIGITS), name))[:budget]
    return [Drawn(name, number) for number, name in enumerate(order, 1)]


def sample(rankings: Sequence[Ranking], budget: int | None, seed: str) -> list[Drawn]:
    """All of the first ranks, and a random part of each stratum of later ones."""
    draw = random.Random(seed)
    best = _best(rankings)
    drawn: list[Drawn] = []
    strata = [sorted(name for name in best if low < best[name] <= high) for low, high in _bounds()]
    sizes = _sizes([len(stratum) for stratum in strata], budget)
    for number, (stratum, size) in enumerate(zip(strata, sizes, strict=True), 1):
        p = size / len(stratum) if stratum else 1.0
        chosen = sorted(draw.sample(stratum, size), key=lambda name: (best[name], name))
        drawn += [Drawn(name, best[name], p, number) for name in chosen]
    return drawn


def _bounds() -> list[tuple[int, int]]:
    lasts = [last for last, _ in STRATA]
    return list(zip([0, *lasts], lasts, strict=False))


def _sizes(counts: Sequence[int], budget: int | None) -> list[int]:
    """How many to draw of each stratum: its share, scaled so that all together fit the budget.

    Two at least, where there are two, because one says nothing of the spread.
    """
    wanted = [share * count for (_, share), count in zip(STRATA, counts, strict=True)]
    if budget is not None:
        later = sum(wanted[1:])
        factor = max(budget - wanted[0], 0) / later if later else 1.0
        wanted = [wanted[0], *(size * factor for size in wanted[1:])]
    return [min(count, max(2, round(size))) for size, count in zip(wanted, counts, strict=True)]


def _best(rankings: Sequence[Ranking]) -> dict[str, int]:
    best: dict[str, int] = {}
    for ranking in rankings:
        for name, rank in ranking.items():
            if rank < best.get(name, rank + 1):
                best[name] = rank
    return best


# Methods that learn ---------------------------------------------------------------------------


@dataclass(slots=True)
class Queue:
    """The next document to judge, given what was judged so far."""

    method: str
    rankings: Sequence[Ranking]
    budget: int
    seed: str
    gamma: float = 1.0

    def documents(self, relevant: Callable[[str], bool | None]) -> Iterator[Drawn]:
        """Documents one by one; `relevant` is asked after each, and None ends it."""
        first = max(1, self.budget // WARM_UP)
        warm = rounds(self.rankings, first)[:first]
        state = _Mtf(self) if self.method == "mtf" else _Bandit(self)
        seen: set[str] = set()
        number = 0
        while len(seen) < self.budget:
            name = warm[number].document if number < len(warm) else state.choose(seen)
            if name is None:
                return
            number += 1
            yield Drawn(name, number)
            seen.add(name)
            answer = relevant(name)
            if answer is None:
                return
            state.learn(name, answer)


class _Columns:
    """The runs' documents, each run with the place up to which it has been read."""

    def __init__(self, queue: Queue) -> None:
        self._columns = [list(ranking) for ranking in queue.rankings]
        self._next = [0] * len(self._columns)
        self._random = random.Random(queue.seed)

    def peek(self, run: int, seen: set[str]) -> str | None:
        """The first document of a run that nobody has judged."""
        column = self._columns[run]
        while self._next[run] < len(column) and column[self._next[run]] in seen:
            self._next[run] += 1
        return column[self._next[run]] if self._next[run] < len(column) else None

    def able(self, seen: set[str]) -> list[int]:
        """The runs that have such a document."""
        return [run for run in range(len(self._columns)) if self.peek(run, seen) is not None]


class _Mtf(_Columns):
    """Move to front: a run keeps its turn as long as it brings relevant documents."""

    def __init__(self, queue: Queue) -> None:
        super().__init__(queue)
        self._priority = [0] * len(self._columns)
        self._turn: int | None = None

    def choose(self, seen: set[str]) -> str | None:
        """The next unjudged document of the run whose turn it is."""
        if self._turn is None or self.peek(self._turn, seen) is None:
            able = self.able(seen)
            if not able:
                return None
            most = max(self._priority[run] for run in able)
            self._turn = self._random.choice([run for run in able if self._priority[run] == most])
        return self.peek(self._turn, seen)

    def learn(self, name: str, relevant: bool) -> None:  # noqa: ARG002
        """Relevant: the run stays; else its priority falls and another is chosen."""
        if self._turn is not None and not relevant:
            self._priority[self._turn] -= 1
            self._turn = None


class _Bandit(_Columns):
    """Max-mean, or Thompson sampling: the run whose judged documents were relevant most often."""

    def __init__(self, queue: Queue) -> None:
        super().__init__(queue)
        self._rankings, self._gamma = queue.rankings, queue.gamma
        self._relevant = [0.0] * len(self._columns)
        self._judged = [0.0] * len(self._columns)
        self._sampling = queue.method == "ts"

    def choose(self, seen: set[str]) -> str | None:
        """The next unjudged document of the run that promises most; ties are drawn."""
        able = self.able(seen)
        if not able:
            return None
        worth = [self._worth(run) for run in able]
        best = max(worth)
        turn = self._random.choice([r for r, w in zip(able, worth, strict=True) if w == best])
        return self.peek(turn, seen)

    def _worth(self, run: int) -> float:
        a = 1 + self._relevant[run]
        b = 1 + self._judged[run] - self._relevant[run]
        return self._random.betavariate(a, b) if self._sampling else a / (a + b)

    def learn(self, name: str, relevant: bool) -> None:
        """Every run that returned the document learns from it."""
        for run, ranking in enumerate(self._rankings):
            if name in ranking:
                self._relevant[run] = self._gamma * self._relevant[run] + relevant
                self._judged[run] = self._gamma * self._judged[run] + 1
