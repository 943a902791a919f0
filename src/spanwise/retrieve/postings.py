"""Postings: the counts of words in units, from which the models are computed.

Stems are SQLite's (Porter), read back from its full-text index, so that all models see the same
words as the default engine.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray, IntArray

# Stop words ---------------------------------------------------------------------------------------

TEXT = """
a about above after again against all also am an and any are as at be because been before
being below between both but by can could did do does doing down during each few for from
further had has have having he her here hers herself him himself his how i if in into is it
its itself just may me might more most must my myself no nor not now of off on once only or
other our ours ourselves out over own same shall she should so some such than that the their
theirs them themselves then there these they this those through to too under until up upon
us very was we were what when where which while who whom whose why will with within without
would you your yours yourself yourselves
"""
STOP_WORDS = frozenset(TEXT.split())


# Postings -----------------------------------------------------------------------------------------

TABLE = "create virtual table units using fts5(text, detail=full, tokenize='porter unicode61')"
ROWS = "create virtual table rows using fts5vocab(units, instance)"


@dataclass(frozen=True, slots=True, eq=False)
class Postings:
    """Words as columns: word w occurs in the units at first[w] to first[w + 1]."""

    words: dict[str, int]
    first: IntArray
    units: IntArray
    counts: IntArray
    lengths: IntArray  # words of each unit

    def of(self, word: int) -> tuple[IntArray, IntArray]:
        """Return the units that contain a word, and its counts there."""
        begin, end = int(self.first[word]), int(self.first[word + 1])
        return self.units[begin:end], self.counts[begin:end]

    @property
    def frequencies(self) -> IntArray:
        """The number of units that contain each word."""
        return np.diff(self.first)

    @property
    def totals(self) -> FloatArray:
        """The number of occurrences of each word in all units."""
        return np.bincount(self.owners, self.counts, len(self.words)).astype(np.float64)

    def weights(self, words: Mapping[str, float]) -> dict[int, float]:
        """Return the weights of stems by number; weights of words with one stem add up."""
        found: dict[int, float] = {}
        for word, some in zip(words, stems_of_each(list(words)), strict=True):
            for stem in some:
                if stem in self.words:
                    number = self.words[stem]
                    found[number] = found.get(number, 0.0) + words[word]
        return found

    @property
    def owners(self) -> IntArray:
        """The word of each pair of word and unit."""
        return np.repeat(np.arange(len(self.words)), self.frequencies)

    def table(self) -> FloatArray:
        """Return the counts by unit and word as a dense array, for small collections."""
        table = np.zeros((len(self.lengths), len(self.words)))
        table[self.units, self.owners] = self.counts
        return table

    def save(self, file: Path) -> None:
        """Write the postings to a file."""
        names = np.array(list(self.words))
        np.savez(
            file,
            words=names,
            first=self.first,
            units=self.units,
            counts=self.counts,
            lengths=self.lengths,
        )


def load(file: Path) -> Postings:
    """Read postings from a file."""
    known = np.load(file)
    words = {word: number for number, word in enumerate(known["words"].tolist())}
    return Postings(words, known["first"], known["units"], known["counts"], known["lengths"])


def postings_of(texts: Iterable[str], *, stop: bool = True) -> Postings:
    """Count the stems of texts, without stop words unless `stop` is false."""
    database = sqlite3.connect(":memory:")
    database.execute(TABLE)
    database.execute(ROWS)
    number = 0
    for number, text in enumerate(texts, start=1):
        database.execute("insert into units(rowid, text) values(?, ?)", (number, text))
    stopped = _stop_stems() if stop else frozenset[str]()
    words: dict[str, int] = {}
    rows: list[tuple[int, int, int]] = []
    counted = database.execute("select term, doc, count(*) from rows group by term, doc")
    for term, unit, count in counted:
        if term not in stopped:
            rows.append((words.setdefault(term, len(words)), unit - 1, count))
    database.close()
    columns = np.array(rows, np.int64).reshape(-1, 3).T
    owners, units, counts = columns
    first = np.concatenate([[0], np.cumsum(np.bincount(owners, minlength=len(words)))])
    lengths = np.bincount(units, counts, number).astype(np.int64)
    return Postings(words, first, units, counts, lengths)


def stems(words: Sequence[str]) -> list[str]:
    """Return the stems of words, in order; a string of several words gives several."""
    return stems_of_each([" ".join(words)])[0]


def stems_of_each(texts: Sequence[str]) -> list[list[str]]:
    """Return the stems of each text, in order."""
    database = sqlite3.connect(":memory:")
    database.execute(TABLE)
    database.execute(ROWS)
    database.executemany("insert into units(rowid, text) values(?, ?)", enumerate(texts))
    found: list[list[str]] = [[] for _ in texts]
    for number, stem in database.execute("select doc, term from rows order by doc, offset"):
        found[number].append(stem)
    database.close()
    return found


def spellings(counts: Mapping[str, int]) -> dict[str, str]:
    """Return for each stem its most frequent word, given the counts of words."""
    words = sorted(counts, key=lambda word: (-counts[word], word))
    found: dict[str, str] = {}
    for word, some in zip(words, stems_of_each(words), strict=True):
        if len(some) == 1:
            found.setdefault(some[0], word)
    return found


def _stop_stems() -> frozenset[str]:
    return frozenset(stems(sorted(STOP_WORDS)))
