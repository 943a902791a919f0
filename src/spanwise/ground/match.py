"""Which results were judged: the join of a run with its judgements, and the search for duplicates.

Most results of a large run are unjudged, so ids are compared through 64-bit fingerprints first,
and only where those agree are the ids themselves looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from spanwise.model.arrays import BoolArray, FingerprintArray, IntArray
    from spanwise.model.ids import Ids
    from spanwise.model.judgements import Judgements
    from spanwise.model.rows import Rows
    from spanwise.model.run import Run

TOPICS_AT_ONCE = 256
_SPREAD = np.uint64(0x9E3779B97F4A7C15)


def judged_rows(
    run: Run, prints: FingerprintArray, judgements: Judgements
) -> tuple[IntArray, IntArray]:
    """The rows of the run that were judged, rising, and the judgement's row of each.

    `prints` are the fingerprints of the run's documents.
    """
    index = judgements.once(
        ("index", type(run.documents)), lambda: Index.of(judgements, run.documents)
    )
    run_codes = np.array([index.codes.get(topic, 0) for topic in run.rows.topics])
    rows, found = [], []
    for first, last in _blocks(run.rows):
        start, stop = run.rows.starts[first], run.rows.starts[last]
        lengths = np.diff(run.rows.starts[first : last + 1])
        theirs = prints[start:stop] ^ np.repeat(_spread(run_codes[first:last]), lengths)
        candidates = index.sieve.passing(theirs)
        places = index.sieve.places(theirs[candidates])
        same = index.keys.take(places) == theirs[candidates]
        rows.append(candidates[same] + start)
        found.append(index.order[places[same]])
    run_rows, judged = np.concatenate(rows), np.concatenate(found)
    if not run_codes.all():  # keys of topics that nobody judged may match by accident
        run_rows, judged = _of_judged_topics(run.rows, run_codes, run_rows, judged)
    if run.documents.same_at(run_rows, index.ids, judged):
        return run_rows, judged
    return _joined_exactly(run, judgements)  # two ids with one fingerprint: all but impossible


@dataclass(frozen=True, slots=True, eq=False)
class Index:
    """Judgements by fingerprint; made once, however many runs are looked up."""

    ids: Ids  # stored in the same way as the run's
    codes: dict[bytes, int]  # of the topics, from 1 on
    keys: FingerprintArray  # of topic and document, rising
    order: IntArray  # the row of the judgement behind each key
    sieve: Sieve

    @classmethod
    def of(cls, judgements: Judgements, like: Ids) -> Index:
        """Sort the judgements by topic and document."""
        ids = like.same_kind(judgements.documents)
        codes = {topic: code for code, topic in enumerate(judgements.rows.topics, start=1)}
        keys = ids.fingerprints() ^ _per_row(np.arange(1, len(codes) + 1), judgements.rows)
        order = np.argsort(keys)
        return cls(ids, codes, keys[order], order, Sieve(keys[order]))


def _of_judged_topics(
    rows: Rows, codes: IntArray, run_rows: IntArray, judged: IntArray
) -> tuple[IntArray, IntArray]:
    topics = np.searchsorted(rows.starts, run_rows, side="right") - 1
    kept = codes[topics] > 0
    return run_rows[kept], judged[kept]


def _spread(codes: IntArray) -> FingerprintArray:
    return codes.astype(np.uint64) * _SPREAD


def topic_keys(prints: FingerprintArray, topic: IntArray) -> FingerprintArray:
    """Fingerprints of topic and document together."""
    return prints ^ _spread(topic + 1)


def _per_row(codes: IntArray, rows: Rows) -> FingerprintArray:
    return np.repeat(_spread(codes), np.diff(rows.starts))


def _blocks(rows: Rows) -> Iterator[tuple[int, int]]:
    """Stretches of topics, small enough that their columns stay in the cache."""
    for first in range(0, len(rows.topics), TOPICS_AT_ONCE):
        yield first, min(first + TOPICS_AT_ONCE, len(rows.topics))


class Sieve:
    """Where a key stands among sorted ones, at the price of a look-up or two.

    A table of the first bits says which keys cannot be there at all, which are most, and where
    those of the others begin.
    """

    def __init__(self, keys: FingerprintArray) -> None:
        bits = min(24, max(16, len(keys).bit_length() + 4))
        self._keys = keys
        self._shift = np.uint64(64 - bits)
        counts = np.bincount(self._slots(keys), minlength=1 << bits)
        self._seen: BoolArray = counts > 0
        self._begins = (np.cumsum(counts) - counts).astype(np.int32)

    def _slots(self, keys: FingerprintArray) -> IntArray:
        """The first bits, as the signed numbers that look-ups take as they are."""
        return (keys >> self._shift).view(np.int64)

    def passing(self, keys: FingerprintArray) -> IntArray:
        """The places of the keys that may be in the set."""
        return np.flatnonzero(self._seen.take(self._slots(keys)))

    def places(self, keys: FingerprintArray) -> IntArray:
        """Where each of these keys, all of which passed, stands if it is in the set."""
        places = self._begins.take(self._slots(keys)).astype(np.int64)
        last = len(self._keys) - 1
        behind = np.flatnonzero((self._keys[places] < keys) & (places < last))
        while len(behind):  # few keys share their first bits, and fewer at each step
            places[behind] += 1
            there = places[behind]
            behind = behind[(self._keys[there] < keys[behind]) & (there < last)]
        return places


def _joined_exactly(run: Run, judgements: Judgements) -> tuple[IntArray, IntArray]:
    """The same join by the ids themselves."""
    places = {pair: row for row, pair in enumerate(_pairs(judgements.rows, judgements.documents))}
    matched = [
        (row, places[pair])
        for row, pair in enumerate(_pairs(run.rows, run.documents))
        if pair in places
    ]
    both = np.array(matched, np.int64).reshape(-1, 2)
    return both[:, 0], both[:, 1]


def _pairs(rows: Rows, ids: Ids) -> Iterator[tuple[bytes, bytes]]:
    for topic, first, last in zip(rows.topics, rows.starts[:-1], rows.starts[1:], strict=True):
        for identifier in ids.take(np.arange(first, last)):
            yield topic, identifier


# Duplicates ---------------------------------------------------------------------------------


def repeated_rows(rows: Rows, ids: Ids, prints: FingerprintArray) -> Iterator[tuple[int, int]]:
    """Pairs of rows of one topic with the same id: the first one and the one that repeats it."""
    for first, last in _blocks(rows):
        starts = rows.starts[first : last + 1]
        for topic in np.flatnonzero(_suspicious(prints, starts)):
            yield from _repeated(ids, np.arange(starts[topic], starts[topic + 1]))


def _suspicious(prints: FingerprintArray, starts: IntArray) -> BoolArray:
    """Which topics have two equal fingerprints; half of each fingerprint is enough to tell."""
    lengths = np.diff(starts)
    halves = (prints[starts[0] : starts[-1]] >> np.uint64(32)).astype(np.uint32)
    longest = int(lengths.max(initial=0))
    if (lengths == longest).all():
        table = halves.reshape(len(lengths), longest)
    else:
        table = np.full((len(lengths), longest), np.iinfo(np.uint32).max)
        table[np.arange(longest) < lengths[:, None]] = halves
    table = np.sort(table, axis=-1)
    real = np.arange(1, longest) < lengths[:, None]
    return ((table[:, 1:] == table[:, :-1]) & real).any(axis=-1)


def _repeated(ids: Ids, rows: Iterable[int]) -> Iterator[tuple[int, int]]:
    seen: dict[bytes, int] = {}
    rows = np.asarray(rows)
    for row, identifier in zip(rows.tolist(), ids.take(rows), strict=True):
        if identifier in seen:
            yield seen[identifier], row
        else:
            seen[identifier] = row


# The same document again --------------------------------------------------------------------


def same_documents(
    ids: Ids, prints: FingerprintArray, rows: IntArray, topic: IntArray
) -> tuple[IntArray, IntArray]:
    """Which results of a topic come from one document.

    For each of these rows the number of its document, in order of first appearance; and for each
    document the place among the rows at which it appears first.
    """
    keys = topic_keys(prints[rows], topic)
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    begins = np.concatenate([[True], keys[1:] != keys[:-1]])[: len(keys)]
    opening = order[begins]
    number = np.empty(len(opening), np.int64)
    number[np.argsort(opening)] = np.arange(len(opening))
    document = np.empty(len(rows), np.int64)
    document[order] = number[np.cumsum(begins) - 1]
    opening = np.sort(opening)
    if (topic[opening[document]] == topic).all() and ids.distinct() == _different(prints):
        return document, opening
    return _numbered_exactly(ids, rows, topic)  # two ids with one fingerprint: all but impossible


def _different(prints: FingerprintArray) -> int:
    ordered = np.sort(prints)
    return 1 + int(np.count_nonzero(ordered[1:] != ordered[:-1]))


def _numbered_exactly(ids: Ids, rows: IntArray, topic: IntArray) -> tuple[IntArray, IntArray]:
    """The same by the ids themselves."""
    numbers: dict[tuple[int, bytes], int] = {}
    pairs = zip(topic.tolist(), ids.take(rows), strict=True)
    document = np.array([numbers.setdefault(pair, len(numbers)) for pair in pairs], np.int64)
    opening = np.zeros(len(numbers), np.int64)
    opening[document[::-1]] = np.arange(len(rows))[::-1]
    return document, opening
