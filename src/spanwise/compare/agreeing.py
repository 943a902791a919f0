"""Agreement of judges over topics: each pair, all together, best entry points, intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from spanwise.compare.agreement import (
    Ratings,
    alpha,
    fleiss,
    interval,
    table,
    weighted_kappa,
)
from spanwise.compare.unitised import alpha_u, alpha_u_binary

if TYPE_CHECKING:
    from spanwise.compare.judges import Shared
    from spanwise.model.arrays import FloatArray
    from spanwise.model.spans import Spans

PAIRS = ("overlap", "f1", "kappa")
BESIDE = ("precision", "recall", "negative", "ac1", "prevalence", "bias")
ALL = ("fleiss", "alpha", "alpha_u", "alpha_u_binary")
NEEDS_LENGTH = frozenset({"kappa", "negative", "ac1", "prevalence", "bias", *ALL})
WITHIN = (0, 500, 1000)

Rate = Callable[["Shared"], Ratings]
Cut = Callable[["Shared"], "Spans"]


@dataclass(frozen=True, slots=True, eq=False)
class Agreement:
    """Values by topic, nan where undefined; means are over the topics that have one."""

    topics: tuple[bytes, ...]
    pairs: Mapping[tuple[int, int], Mapping[str, FloatArray]]
    all: Mapping[str, FloatArray]
    entries: Mapping[tuple[int, int], Entries]
    curve: Mapping[int, float]  # overlap of all within groups of so many judges


@dataclass(frozen=True, slots=True)
class Entries:
    """How far apart two judges would begin to read, over all documents with both points."""

    documents: int
    median: float
    within: Mapping[int, float]  # share of documents within so many characters
    chance: float  # the median for two points anywhere in the document


def agreement(topics: Sequence[Shared], unit: str, cut: Cut | None = None) -> Agreement:
    """All coefficients. `cut` says where the tokens, sentences or elements of a topic lie."""
    judges = len(topics[0].seen) if topics else 0
    rated = [_rated(shared, unit, cut) for shared in topics]
    chosen = list(combinations(range(judges), 2))
    pairs = {(a, b): _pair(topics, rated, a, b, graded=unit == "document") for a, b in chosen}
    every = _columns(
        [_of_all(shared, one, unit) for shared, one in zip(topics, rated, strict=True)]
    )
    return Agreement(
        tuple(shared.topic for shared in topics),
        pairs,
        every,
        {(a, b): entry_points(topics, a, b) for a, b in chosen},
        _curve(rated, judges),
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
    """Grades as yes and no; every grade above 0, however small, is a yes."""
    return Ratings(ratings.weights, np.where(ratings.values > 0, 1, ratings.values))


def _columns(rows: Sequence[Mapping[str, float]]) -> dict[str, FloatArray]:
    names = rows[0] if rows else {}
    return {name: np.array([row[name] for row in rows], np.float64) for name in names}


def mean(values: FloatArray) -> float:
    """Over the topics that have a value."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else math.nan


def intervals(values: Mapping[str, FloatArray], seed: int) -> dict[str, tuple[float, float]]:
    """For each coefficient the interval of its mean, where there are topics enough."""
    return {name: interval(column, seed) for name, column in values.items()}


def entry_points(topics: Sequence[Shared], a: int, b: int) -> Entries:
    """How far apart the best entry points of two judges are."""
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


def _curve(rated: Sequence[Ratings], judges: int) -> dict[int, float]:
    """Expected overlap within a random group of 2, 3, ... judges, on what all have seen.

    What such a group has in common, over what any of it took, both as means over all groups.
    """
    curve = {}
    for size in range(2, judges + 1):
        share = np.array([math.comb(k, size) for k in range(judges + 1)]) / math.comb(judges, size)
        curve[size] = mean(np.array([_expected_overlap(one.complete(), share) for one in rated]))
    return curve


def _expected_overlap(ratings: Ratings, share: FloatArray) -> float:
    """`share[k]` of all groups lie within k judges."""
    yes = (ratings.values > 0).sum(axis=0)
    common = float((ratings.weights * share[yes]).sum())
    either = float((ratings.weights * (1 - share[len(ratings.values) - yes])).sum())
    return common / either if either else math.nan
