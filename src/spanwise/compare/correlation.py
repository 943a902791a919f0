"""How far two rankings of the same things agree: Kendall's tau, tau-AP, rank-biased overlap.

A ranking is given by scores, the highest first: two sequences in one order of things, or two
mappings from the same names to scores. Nothing here depends on the scores but through their order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from spanwise.errors import UsageError

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray

Ranked: TypeAlias = "Mapping[str, float] | Sequence[float] | FloatArray"


def kendall(a: Ranked, b: Ranked) -> float:
    """Kendall's tau-b: pairs in the same order minus pairs in opposite order, per pair.

    Pairs that one side ties count for neither, and the divisor is made smaller for them.
    Undefined where one side ties everything.

    >>> kendall([3, 2, 1], [3, 1, 2])
    0.3333333333333333
    """
    first, second = (_signs(scores) for scores in _paired(a, b))
    pairs = np.triu_indices(len(first), 1)
    x, y = first[pairs], second[pairs]
    divisor = np.sqrt(float(np.count_nonzero(x)) * float(np.count_nonzero(y)))
    return float((x * y).sum() / divisor) if divisor else float("nan")


def tau_ap(a: Ranked, b: Ranked) -> float:
    """tau-AP of the ranking `b` against the true ranking `a`: mistakes at the top weigh most.

    For each thing but the first of `b`, the share of those above it that belong there; the mean of
    these shares, scaled to -1 ... 1. Equal scores are the mean over all their orders, on both
    sides. Undefined for fewer than two things.

    Yilmaz, Aslam and Robertson, SIGIR 2008; ties as in Urbano and Marrero, SIGIR 2017 (tau_AP,a).

    >>> tau_ap([3, 2, 1], [3, 1, 2])
    0.5
    """
    truth, scores = _paired(a, b)
    things = len(truth)
    if things < 2:
        return float("nan")
    right = (1 + _signs(truth)) / 2  # [i, j]: how far i belongs above j
    total = 0.0
    for thing in range(things):
        above, level = scores > scores[thing], scores == scores[thing]
        level[thing] = False
        before, beside = int(above.sum()), int(level.sum())
        sure, open_ = float(right[above, thing].sum()), float(right[level, thing].sum())
        k = np.arange(beside + 1)  # how many of its equals stand above it: all equally likely
        held = sure + (k * open_ / beside if beside else 0.0)
        others = before + k
        shares = np.divide(held, others, out=np.zeros(len(k)), where=others > 0)
        total += float(shares.mean())
    return 2 * total / (things - 1) - 1


def rbo(a: Ranked, b: Ranked, p: float = 0.9) -> float:
    """Rank-biased overlap: the share that the first d of both have in common, over all d.

    Depth d weighs p^(d-1), so that a small p looks at the top only; what lies below the end is
    extrapolated. Things of equal score all stand at the first of their ranks, and the share is
    twice what is common by what there is on both sides.

    Webber, Moffat and Zobel, TOIS 2010 (RBO_EXT, section 4.5 for ties).

    >>> round(rbo([3, 2, 1], [3, 1, 2], p=0.5), 4)
    0.875
    """
    if not 0 < p < 1:
        raise UsageError(f"p of rbo is {p!r}; expected a number between 0 and 1")
    first, second = (_ranks(scores) for scores in _paired(a, b))
    depths = np.arange(1, len(first) + 1)
    mine, theirs = first[:, None] <= depths, second[:, None] <= depths
    agreement = 2 * (mine & theirs).sum(0) / (mine.sum(0) + theirs.sum(0))
    seen = (1 - p) * float((agreement * p ** (depths - 1.0)).sum())
    return seen + float(agreement[-1]) * p ** len(first)


def _paired(a: Ranked, b: Ranked) -> tuple[FloatArray, FloatArray]:
    """Two columns of scores of the same things."""
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        if set(a) != set(b):
            odd = min(set(a) ^ set(b))
            raise UsageError(f"{odd!r} is ranked on one side only; expected the same names")
        b = [b[name] for name in a]
        a = list(a.values())
    elif isinstance(a, Mapping) or isinstance(b, Mapping):
        raise UsageError("one ranking has names and the other has none; expected two of a kind")
    first, second = np.asarray(a, np.float64), np.asarray(b, np.float64)
    if first.shape != second.shape or first.ndim != 1 or not len(first):
        raise UsageError(f"{first.size} scores against {second.size}; expected the same things")
    if np.isnan(first).any() or np.isnan(second).any():
        raise UsageError("a score is undefined; leave out what is not scored on both sides")
    return first, second


def _signs(scores: FloatArray) -> FloatArray:
    """[i, j]: 1 where i is above j, -1 where it is below, 0 where they are equal."""
    signs: FloatArray = np.sign(scores[:, None] - scores[None, :])
    return signs


def _ranks(scores: FloatArray) -> FloatArray:
    """1 for the best; equals share the first of their ranks."""
    ranks: FloatArray = 1.0 + (scores[None, :] > scores[:, None]).sum(1)
    return ranks
