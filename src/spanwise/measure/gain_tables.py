"""What a grade is worth, and the best ranking that the judgements allow.

By default a grade is worth itself. A table `gains` gives other worths; the keys -1 and -2 stand
for results outside the pool and for pool members that were not judged.
"""

from functools import lru_cache
from typing import NamedTuple, TypeAlias

import numpy as np

from spanwise.model.arrays import FloatArray
from spanwise.model.rankings import JUDGED, OUTSIDE, Rankings

Gains: TypeAlias = tuple[tuple[float, float], ...]
"""Pairs of grade and gain, in the order given."""

CODE_OUTSIDE, CODE_SET_ASIDE = -1.0, -2.0
LONGEST_LADDER = 1000


class Entry(NamedTuple):
    """One line of the table of a topic."""

    grade: float
    gain: float
    counts: bool  # of several entries for one grade only the first one given stands for documents


def result_gains(r: Rankings, gains: Gains = ()) -> FloatArray:
    """The gain of every result."""
    if not gains:
        return r.grade
    return r.once(("gains", gains), lambda: _looked_up(r, gains))


def ideal_gains(r: Rankings, gains: Gains = ()) -> FloatArray:
    """The positive gains of all judged units, best first, padded with 0."""
    if not gains:
        return r.once("ideal_gains", lambda: np.maximum(r.ideal, 0))
    return r.once(("ideal_gains", gains), lambda: _ideal_lists(r, gains))


def sorted_table(r: Rankings, topic: int, gains: Gains) -> tuple[Entry, ...]:
    """The table of one topic, sorted by gain as the policy says."""
    grades = r.ideal[topic, : r.judged[topic]]
    order = r.policy.conventions.gain_order
    top = grades.max(initial=-1)
    if order == "whole" and top < LONGEST_LADDER:  # trec_eval lists the grades nobody gave too
        return _table(gains, tuple(range(int(top) + 1)), order)
    return _table(gains, tuple(np.unique(grades).tolist()), order)


def _looked_up(r: Rankings, gains: Gains) -> FloatArray:
    codes = np.where(r.status == JUDGED, r.grade, CODE_SET_ASIDE)
    codes = np.where(r.status == OUTSIDE, CODE_OUTSIDE, codes)
    worth = np.zeros_like(r.grade)
    for topic in range(len(r)):
        for entry in reversed(sorted_table(r, topic, gains)):  # so that the first one prevails
            worth[topic][codes[topic] == entry.grade] = entry.gain
    return np.where(r.real(), worth, 0)


def _ideal_lists(r: Rankings, gains: Gains) -> FloatArray:
    lists = [
        _ideal_list(sorted_table(r, topic, gains), r.ideal[topic, : r.judged[topic]])
        for topic in range(len(r))
    ]
    ideal = np.zeros((len(r), max(map(len, lists), default=0)))
    for row, values in zip(ideal, lists, strict=True):
        row[: len(values)] = values
    return ideal


def _ideal_list(table: tuple[Entry, ...], grades: FloatArray) -> list[float]:
    """Each gain as often as its grade was given, from the end of the sorted table."""
    if not table or table[-1].gain <= 0:
        return []
    ideal: list[float] = []
    for entry in reversed(table):
        count = int(np.count_nonzero(grades == entry.grade)) if entry.counts else 0
        if count and entry.gain <= 0:
            break
        ideal += [entry.gain] * count
    return ideal


@lru_cache(maxsize=256)
def _table(gains: Gains, grades: tuple[float, ...], order: str) -> tuple[Entry, ...]:
    """The pairs given, then every other grade as its own gain, sorted by gain."""
    known: set[float] = set()
    entries: list[Entry] = []
    for grade, gain in (*gains, *((grade, grade) for grade in grades)):
        if len(entries) < len(gains) or grade not in known:
            entries.append(Entry(grade, gain, grade not in known))
        known.add(grade)
    if order == "value":
        return tuple(sorted(entries, key=lambda entry: entry.gain))
    return tuple(_merge_sorted(entries))


def _merge_sorted(entries: list[Entry]) -> list[Entry]:
    """Sorted as trec_eval sorts: gains less than 1 apart are equal and keep their order.

    That comparison is not transitive, so the outcome depends on the way of sorting; this is it.
    """
    if len(entries) < 2:
        return entries
    half = len(entries) // 2
    left, right = _merge_sorted(entries[:half]), _merge_sorted(entries[half:])
    merged = []
    while left and right:
        smaller = left if int(left[0].gain - right[0].gain) <= 0 else right
        merged.append(smaller.pop(0))
    return merged + left + right
