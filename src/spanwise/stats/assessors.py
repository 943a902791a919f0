"""Agreement of several assessors over topics.

The documents of a topic that at least two assessors judged are laid end to end on one axis. Their
ratings give the coefficients of each pair and of all assessors together, the distances of best
entry points, and intervals.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spanwise.errors import InputError
from spanwise.model.columns import text
from spanwise.model.spans import NOTHING, Spans, overlap
from spanwise.stats.agreement import (
    MISSING,
    Continuum,
    Ratings,
    alpha,
    alpha_u,
    alpha_u_binary,
    fleiss,
    interval,
    table,
    weighted_kappa,
)

if TYPE_CHECKING:
    from spanwise.model.arrays import BoolArray, FloatArray, IntArray
    from spanwise.model.judgements import Judgements

Lengths = Callable[[Sequence[bytes]], "IntArray"]
"""A function that returns the lengths of documents in characters, -1 if unknown."""


class Assessor(NamedTuple):
    """An assessor and the judgements made by that assessor."""

    name: str
    judgements: Judgements


@dataclass(frozen=True, slots=True, eq=False)
class Shared:
    """The documents of one topic that at least two assessors judged."""

    topic: bytes
    documents: tuple[bytes, ...]
    bounds: IntArray  # of the documents on the common axis
    known: BoolArray  # whether the lengths are known; else bounds end at highlights
    seen: BoolArray  # assessors by documents
    units: tuple[Spans, ...]  # highlights of each assessor
    entries: IntArray  # assessors by documents: best entry points, -1 for none
    grades: FloatArray  # assessors by documents

    def ratings(self) -> Ratings:
        """Return the rating of every character by every assessor."""
        edges = [
            self.bounds,
            *(one.starts for one in self.units),
            *(one.ends for one in self.units),
        ]
        cuts = np.unique(np.concatenate(edges))
        pieces = Spans(cuts[:-1], np.diff(cuts))
        return self._rated(pieces, pieces.lengths)

    def ratings_of(self, pieces: Spans) -> Ratings:
        """Return the rating of tokens, sentences or elements.

        A piece is marked if at least half of it is highlighted.
        """
        return self._rated(pieces, np.ones(len(pieces), np.int64))

    def _rated(self, pieces: Spans, weights: IntArray) -> Ratings:
        owner = np.searchsorted(self.bounds, pieces.starts, side="right") - 1
        yes = [2 * overlap(pieces, one) >= pieces.lengths for one in self.units]
        values = np.where(self.seen[:, owner], np.array(yes).astype(np.int64), MISSING)
        return Ratings(weights, values)

    def graded(self) -> Ratings:
        """Return the rating of every document: its grade, or 1 for highlighted text."""
        grades = np.where(self.seen, self.grades, MISSING)
        return Ratings(np.ones(len(self.documents), np.int64), grades)

    def continuum(self) -> Continuum:
        """Return the text and units of the documents that all assessors judged."""
        kept = np.asarray(self.seen.all(axis=0))
        bounds = np.concatenate([[0], np.cumsum(np.diff(self.bounds)[kept])])
        moved = np.cumsum(kept) - 1
        units = []
        for one in self.units:
            owner = np.searchsorted(self.bounds, one.starts, side="right") - 1
            stays = kept[owner]
            owner, some = owner[stays], one.at(np.flatnonzero(stays))
            starts = some.starts - self.bounds[owner] + bounds[moved[owner]]
            units.append(Spans(starts, some.lengths))
        return Continuum(bounds, tuple(units))

    def measured(self) -> bool:
        """Return whether the length of every document is known."""
        return bool(self.known.all())


def shared_topics(assessors: Sequence[Assessor], lengths: Lengths | None = None) -> list[Shared]:
    """Collect the documents that two or more assessors judged, in byte order of topics."""
    judged = [_judged_rows(assessor) for assessor in assessors]
    found = []
    for topic in sorted(set().union(*judged)):
        rows_of_topic = [rows_by_topic.get(topic, {}) for rows_by_topic in judged]
        documents = sorted(set().union(*rows_of_topic))
        rows = np.array(
            [
                [rows_by_document.get(name, -1) for name in documents]
                for rows_by_document in rows_of_topic
            ]
        )
        several = (rows >= 0).sum(axis=0) > 1
        if several.any():
            chosen = tuple(name for name, kept in zip(documents, several, strict=True) if kept)
            found.append(_shared(assessors, topic, chosen, rows[:, several], lengths))
    return found


def _judged_rows(assessor: Assessor) -> dict[bytes, dict[bytes, int]]:
    """Return the row of every judged document, by topic."""
    judgements = assessor.judgements
    rows = judgements.rows
    owners = np.repeat(np.arange(len(rows.topics)), np.diff(rows.starts)).tolist()
    names = judgements.documents.take(np.arange(len(rows)))
    graded = (judgements.grades >= 0).tolist()
    rows_by_topic: dict[bytes, dict[bytes, int]] = {}
    for row, (owner, name) in enumerate(zip(owners, names, strict=True)):
        topic = rows.topics[owner]
        rows_by_document = rows_by_topic.setdefault(topic, {})
        if graded[row] and name in rows_by_document:
            raise InputError(
                f"{rows.place(row)}: document {text(name)!r} of topic {text(topic)!r} is"
                f" judged twice by {assessor.name!r}; expected one judgement by each assessor"
            )
        if graded[row]:
            rows_by_document[name] = row
    return rows_by_topic


def _shared(
    assessors: Sequence[Assessor],
    topic: bytes,
    documents: tuple[bytes, ...],
    rows: IntArray,
    lengths: Lengths | None,
) -> Shared:
    stated = _stated_lengths(assessors, topic, documents, rows)
    if lengths is not None:
        found = lengths(documents)
        stated = np.where(stated < 0, found, stated)
    known = stated >= 0
    reach = np.array(
        [
            [_reach(assessor, row) for row in mine]
            for assessor, mine in zip(assessors, rows, strict=True)
        ]
    ).max(axis=0)
    if (beyond := np.flatnonzero(known & (reach > stated))).size:
        raise InputError(
            f"topic {text(topic)!r}, document {text(documents[beyond[0]])!r}: found a"
            f" highlight up to character {reach[beyond[0]]}; expected at most the length"
            f" of the document, {stated[beyond[0]]}"
        )
    bounds = np.concatenate([[0], np.cumsum(np.where(known, stated, reach))])
    units = tuple(
        _laid_out(assessor, mine, bounds) for assessor, mine in zip(assessors, rows, strict=True)
    )
    return Shared(
        topic,
        documents,
        bounds,
        known,
        rows >= 0,
        units,
        _entries(assessors, rows),
        _grades(assessors, rows),
    )


def _stated_lengths(
    assessors: Sequence[Assessor], topic: bytes, documents: Sequence[bytes], rows: IntArray
) -> IntArray:
    """Return the lengths that the judgements state; raise if they contradict each other."""
    stated = np.full(len(documents), -1)
    for assessor, mine in zip(assessors, rows, strict=True):
        marked = assessor.judgements.highlights
        if marked is None:
            continue
        lengths_ = np.where(mine >= 0, marked.lengths[mine], -1)
        other = np.flatnonzero((lengths_ >= 0) & (stated >= 0) & (lengths_ != stated))
        if other.size:
            raise InputError(
                f"topic {text(topic)!r}, document {text(documents[other[0]])!r}: {assessor.name!r}"
                f" judged a text of {lengths_[other[0]]} characters, another assessor one of"
                f" {stated[other[0]]}; expected the same text"
            )
        stated = np.maximum(stated, lengths_)
    return stated


def _spans(assessor: Assessor, row: int) -> Spans:
    marked = assessor.judgements.highlights
    return NOTHING if marked is None or row < 0 else marked.of(row)


def _reach(assessor: Assessor, row: int) -> int:
    spans = _spans(assessor, row)
    return int(spans.ends[-1]) if len(spans) else 0


def _laid_out(assessor: Assessor, rows: IntArray, bounds: IntArray) -> Spans:
    """Return the highlights of an assessor on the common axis."""
    each = [_spans(assessor, row) for row in rows.tolist()]
    offsets = np.repeat(bounds[:-1], [len(one) for one in each])
    return Spans(
        np.concatenate([one.starts for one in each]) + offsets,
        np.concatenate([one.lengths for one in each]),
    )


def _entries(assessors: Sequence[Assessor], rows: IntArray) -> IntArray:
    entries = np.full(rows.shape, -1)
    for number, (assessor, mine) in enumerate(zip(assessors, rows, strict=True)):
        marked = assessor.judgements.highlights
        if marked is not None:
            entries[number] = np.where(mine >= 0, marked.entries[mine], -1)
    return entries


def _grades(assessors: Sequence[Assessor], rows: IntArray) -> FloatArray:
    return np.array(
        [
            np.where(mine >= 0, assessor.judgements.grades[mine], MISSING)
            for assessor, mine in zip(assessors, rows, strict=True)
        ],
        np.float64,
    )


# Agreement over topics ----------------------------------------------------------------------------

PAIRS = ("overlap", "f1", "kappa")
BESIDE = ("precision", "recall", "negative", "ac1", "prevalence", "bias")
ALL = ("fleiss", "alpha", "alpha_u", "alpha_u_binary")
NEEDS_LENGTH = frozenset({"kappa", "negative", "ac1", "prevalence", "bias", *ALL})
WITHIN = (0, 500, 1000)

Rate = Callable[["Shared"], Ratings]
Cut = Callable[["Shared"], "Spans"]


@dataclass(frozen=True, slots=True, eq=False)
class Agreement:
    """Coefficients by topic, nan where undefined; means are over the defined ones."""

    topics: tuple[bytes, ...]
    pairs: Mapping[tuple[int, int], Mapping[str, FloatArray]]
    all: Mapping[str, FloatArray]
    entries: Mapping[tuple[int, int], Entries]
    curve: Mapping[int, float]  # overlap by size of groups of assessors


@dataclass(frozen=True, slots=True)
class Entries:
    """The distances between the best entry points of two assessors."""

    documents: int
    median: float
    within: Mapping[int, float]  # share of documents by maximum distance
    chance: float  # the median for two points anywhere in the document


def agreement(topics: Sequence[Shared], unit: str, cut: Cut | None = None) -> Agreement:
    """Compute all coefficients of agreement.

    `cut` returns the tokens, sentences or elements of a topic; without it units are characters.
    """
    assessors = len(topics[0].seen) if topics else 0
    rated = [_rated(shared, unit, cut) for shared in topics]
    chosen = list(combinations(range(assessors), 2))
    pairs = {(a, b): _pair(topics, rated, a, b, graded=unit == "document") for a, b in chosen}
    every = _columns(
        [_of_all(shared, one, unit) for shared, one in zip(topics, rated, strict=True)]
    )
    return Agreement(
        tuple(shared.topic for shared in topics),
        pairs,
        every,
        {(a, b): entry_points(topics, a, b) for a, b in chosen},
        _curve(rated, assessors),
    )


def _rated(shared: Shared, unit: str, cut: Cut | None) -> Ratings:
    if unit == "document":
        return shared.graded()
    return shared.ratings() if cut is None else shared.ratings_of(cut(shared))


def _pair(
    topics: Sequence[Shared], rated: Sequence[Ratings], a: int, b: int, *, graded: bool
) -> dict[str, FloatArray]:
    rows = []
    for shared, ratings in zip(topics, rated, strict=True):
        counts = table(ratings.of(a, b))
        known = graded or bool(shared.known[shared.seen[[a, b]].all(axis=0)].all())
        row = {
            name: getattr(counts, name)() if known or name not in NEEDS_LENGTH else math.nan
            for name in (*PAIRS, *BESIDE)
        }
        if graded:
            row["weighted_kappa"] = weighted_kappa(ratings.of(a, b))
        rows.append(row)
    return _columns(rows)


def _of_all(shared: Shared, ratings: Ratings, unit: str) -> dict[str, float]:
    graded = unit == "document"
    if not graded and not shared.measured():
        return dict.fromkeys(ALL, math.nan)
    values = {"fleiss": fleiss(_yes(ratings)), "alpha": alpha(_yes(ratings))}
    if graded:
        return (
            values
            | {"alpha_u": math.nan, "alpha_u_binary": math.nan}
            | {"alpha_ordinal": alpha(ratings, ordinal=True)}
        )
    text = shared.continuum()
    return values | {"alpha_u": alpha_u(text), "alpha_u_binary": alpha_u_binary(text)}


def _yes(ratings: Ratings) -> Ratings:
    """Return grades as marks: every grade above 0, however small, is 1."""
    return Ratings(ratings.weights, np.where(ratings.values > 0, 1, ratings.values))


def _columns(rows: Sequence[Mapping[str, float]]) -> dict[str, FloatArray]:
    names = rows[0] if rows else {}
    return {name: np.array([row[name] for row in rows], np.float64) for name in names}


def mean(values: FloatArray) -> float:
    """Return the mean over the topics that have a value."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else math.nan


def intervals(values: Mapping[str, FloatArray], seed: int) -> dict[str, tuple[float, float]]:
    """Return the interval of the mean of each coefficient."""
    return {name: interval(column, seed) for name, column in values.items()}


def entry_points(topics: Sequence[Shared], a: int, b: int) -> Entries:
    """Measure the distances between the best entry points of two assessors."""
    distances: list[float] = []
    lengths: list[float] = []
    for shared in topics:
        both = (shared.entries[[a, b]] >= 0).all(axis=0)
        distances += np.abs(shared.entries[a] - shared.entries[b])[both].tolist()
        lengths += np.where(shared.known, np.diff(shared.bounds), math.nan)[both].tolist()
    if not distances:
        return Entries(0, math.nan, dict.fromkeys(WITHIN, math.nan), math.nan)
    apart = np.array(distances)
    return Entries(
        len(apart),
        float(np.median(apart)),
        {most: float((apart <= most).mean()) for most in WITHIN},
        float(np.median(np.array(lengths) * (1 - math.sqrt(0.5)))),
    )


def _curve(rated: Sequence[Ratings], assessors: int) -> dict[int, float]:
    """Return the expected overlap in a random group of 2, 3, ... assessors.

    It is the text that all members of such a group marked, divided by the text that any member
    marked. Both are means over all groups, on the units that all assessors judged.
    """
    curve = {}
    for size in range(2, assessors + 1):
        share = np.array([math.comb(k, size) for k in range(assessors + 1)]) / math.comb(
            assessors, size
        )
        curve[size] = mean(np.array([_expected_overlap(one.complete(), share) for one in rated]))
    return curve


def _expected_overlap(ratings: Ratings, share: FloatArray) -> float:
    """Return the expected overlap, given the share of groups that lie within k assessors."""
    yes = (ratings.values > 0).sum(axis=0)
    common = float((ratings.weights * share[yes]).sum())
    either = float((ratings.weights * (1 - share[len(ratings.values) - yes])).sum())
    return common / either if either else math.nan
