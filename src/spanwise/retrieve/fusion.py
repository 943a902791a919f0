"""Fusion of several runs into one: by ranks, or by scores.

Scores of different systems are not comparable. Fox and Shaw's combinations and interpolation
therefore use scores normalised to 0 ... 1 within each topic: the lowest is 0, the highest 1, and
all are 1 if they are equal. Reciprocal rank fusion uses ranks only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spanwise.errors import InputError, UnknownName, UsageError
from spanwise.model.columns import PlainIds, Rows
from spanwise.model.run import Run
from spanwise.model.spans import Spans

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray, IntArray

K = 60.0
"""The constant of reciprocal rank fusion, unless a user chooses it."""
Unit = tuple[bytes, bytes, bytes, int, int]
"""A result: document, path, second path, start and length."""


class Part(NamedTuple):
    """The rank and score of a unit in one run."""

    rank: int  # from 1
    score: float  # 0 to 1 within the topic
    weight: float


def reciprocal_rank(parts: Sequence[Part], k: float) -> float:
    """Return the sum of 1 / (k + rank)."""
    return sum(part.weight / (k + part.rank) for part in parts)


def comb_sum(parts: Sequence[Part], k: float) -> float:  # noqa: ARG001
    """Return the sum of scores."""
    return sum(part.weight * part.score for part in parts)


def comb_mnz(parts: Sequence[Part], k: float) -> float:  # noqa: ARG001
    """Return the sum of scores times the number of runs that have the unit."""
    return len(parts) * sum(part.weight * part.score for part in parts)


METHODS: dict[str, Callable[[Sequence[Part], float], float]] = {
    "rrf": reciprocal_rank,
    "combsum": comb_sum,
    "combmnz": comb_mnz,
    "interpolate": comb_sum,
}
"""The methods of fusion; interpolation is a sum whose weights add up to 1."""


def fused(
    runs: Sequence[Run],
    method: str,
    weights: Sequence[float] = (),
    *,
    k: float | None = None,
    top: int = 1000,
    name: str | None = None,
) -> Run:
    """Fuse several runs into one, with the topics in the order of the runs.

    A repeated result of a run counts once, at its first rank.
    """
    if method not in METHODS:
        raise UnknownName("fusion method", method, list(METHODS))
    if k is not None and method != "rrf":
        raise UsageError(f"--k has no effect on {method}; it is the constant of rrf")
    k = K if k is None else k
    shares = _shares(len(runs), method, weights)
    if len({(run.paths is None, run.spans is None) for run in runs}) > 1:
        raise InputError("runs of documents and of parts of documents cannot be fused")
    topics: dict[bytes, dict[Unit, list[Part]]] = {}
    for run, weight in zip(runs, shares, strict=True):
        for topic, units, scores in _rankings(run):
            mine = topics.setdefault(topic, {})
            places: dict[Unit, Part] = {}
            for unit, score in zip(units, scores.tolist(), strict=True):
                places.setdefault(unit, Part(len(places) + 1, score, weight))
            for unit, part in places.items():
                mine.setdefault(unit, []).append(part)
    best: dict[bytes, list[tuple[float, Unit]]] = {}
    for topic, mine in topics.items():
        every = [(METHODS[method](parts, k), unit) for unit, parts in mine.items()]
        every.sort(key=lambda one: (-one[0], one[1]))
        best[topic] = every[:top]
    return _run(best, runs, name or method)


def _shares(count: int, method: str, weights: Sequence[float]) -> list[float]:
    if count < 2:
        raise UsageError("fusion needs at least two runs")
    if weights and len(weights) != count:
        raise UsageError(f"{len(weights)} weights for {count} runs; expected one for each")
    if not all(0 <= weight < np.inf for weight in weights) or (weights and not sum(weights)):
        raise UsageError("weights must be 0 or more, finite, and not all 0")
    shares = list(weights) or [1.0] * count
    return [share / sum(shares) for share in shares] if method == "interpolate" else shares


def _rankings(run: Run) -> list[tuple[bytes, list[Unit], FloatArray]]:
    """Return each topic with its units, best first, and their scores from 0 to 1."""
    found = []
    for code, topic in enumerate(run.rows.topics):
        rows = np.arange(run.rows.starts[code], run.rows.starts[code + 1])
        if run.paths is None and run.spans is None:
            names = run.documents.take(rows)
            order = sorted(range(len(rows)), key=lambda i: names[i], reverse=True)
            order.sort(key=lambda i: -run.scores[rows[i]])  # ties as in trec_eval
            rows = rows[order]
        if not np.isfinite(run.scores[rows]).all():
            name = topic.decode("utf-8", "replace")
            raise InputError(f"{run.rows.source}: topic {name!r} has a score that is not finite")
        found.append((topic, _units(run, rows), _normalised(run.scores[rows])))
    return found


def _units(run: Run, rows: IntArray) -> list[Unit]:
    nothing = [b""] * len(rows)
    paths = run.paths.take(rows) if run.paths is not None else nothing
    ends = run.ends.take(rows) if run.ends is not None else nothing
    spans = run.spans.at(rows) if run.spans is not None else None
    starts = spans.starts.tolist() if spans is not None else [0] * len(rows)
    lengths = spans.lengths.tolist() if spans is not None else [0] * len(rows)
    return list(zip(run.documents.take(rows), paths, ends, starts, lengths, strict=True))


def _normalised(scores: FloatArray) -> FloatArray:
    """Return the scores scaled to 0 ... 1.

    >>> _normalised(np.array([4.0, 3.0, 2.0])).tolist(), _normalised(np.array([7.0])).tolist()
    ([1.0, 0.5, 0.0], [1.0])
    """
    low, high = float(scores.min(initial=np.inf)), float(scores.max(initial=-np.inf))
    return (scores - low) / (high - low) if high > low else np.ones(len(scores))


def _run(best: dict[bytes, list[tuple[float, Unit]]], runs: Sequence[Run], name: str) -> Run:
    every = [one for ranked in best.values() for one in ranked]
    starts = np.cumsum([0, *(len(ranked) for ranked in best.values())])
    units = [unit for _, unit in every]
    first = runs[0]
    return Run(
        name,
        Rows(" + ".join(run.name for run in runs), tuple(best), starts, has_lines=False),
        PlainIds([unit[0] for unit in units]),
        np.round(np.array([score for score, _ in every], np.float64), 12),
        spans=None
        if first.spans is None
        else Spans(np.array([u[3] for u in units]), np.array([u[4] for u in units])),
        paths=None if first.paths is None else PlainIds([unit[1] for unit in units]),
        ends=None if first.ends is None else PlainIds([unit[2] for unit in units]),
        unit=first.unit,
    )
