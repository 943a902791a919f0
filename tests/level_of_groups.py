"""Worlds whose truth is known: how often groups and margins are decided wrongly.

In some worlds all groups of topics are alike; in others a difference is just as large as the
margin.
"""

import numpy as np

from spanwise.stats.groups import permutation_p
from spanwise.stats.margins import decision
from spanwise.stats.paired import student
from spanwise.stats.resampling import Draws

SHARES = (0.5, 0.3, 0.2)
"""Sizes of the groups: unequal, as in practice."""


def values(shape, topics, worlds, rng):
    """Draw scores like AP, like nDCG, of 0 and 1, or with many ties."""
    if shape == "beta":
        return rng.beta(0.8, 2, (topics, worlds))
    if shape == "ndcg":
        return rng.beta(2.5, 2, (topics, worlds))
    if shape == "binary":
        return rng.integers(0, 2, (topics, worlds)).astype(float)
    return rng.choice([0, 0.1, 0.2, 0.5, 1], (topics, worlds))


def false_positives(shape, topics, worlds, rng):
    """Return the share of worlds that are called different at p < 0.05."""
    ends = np.cumsum(np.array(SHARES) * topics).round()
    numbers = np.searchsorted(ends, np.arange(topics), side="right")
    columns = list(values(shape, topics, worlds, rng).T)
    p = permutation_p(columns, numbers, Draws(seed=1, resamples=2000))
    return float(np.mean(np.array(p) < 0.05))


MARGIN = 0.2


def mistaken_decisions(shape, topics, worlds, rng):
    """Return the share of worlds that are decided wrongly, for two true differences.

    The difference is first just as large as the margin, and mistaken for equivalent; then it is 0,
    and mistaken for better or worse where the margin is tiny.
    """
    differences = values(shape, topics, worlds, rng) - values(shape, topics, worlds, rng)
    bounds = [student(column)[1:] for column in differences.T]
    equivalent = [decision(low + MARGIN, high + MARGIN, MARGIN) for low, high in bounds]
    sure = [decision(low, high, 1e-9) for low, high in bounds]
    return (
        equivalent.count("equivalent") / worlds,
        (sure.count("better") + sure.count("worse")) / worlds,
    )
