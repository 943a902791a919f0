"""What a number of topics can show: the smallest p, power, and the differences that are found.

Power is that of the t-test for normally distributed differences. The level is the one that the test
attains: few topics allow few values of p. The randomisation test and the bootstrap are as powerful
as the t-test, except that the bootstrap finds less with fewer than about fifteen topics; Wilcoxon's
test needs pi / 3 times as many topics. The powers of the sign test and of
McNemar's test are exact.

References: Cohen: Statistical power analysis for the behavioral sciences, 1988. Lehmann:
Nonparametrics, 1975 (relative efficiency). Miettinen: The matched pairs design in the case of
all-or-none responses. Biometrics 24, 1968 (McNemar's test).
"""

from __future__ import annotations

from functools import lru_cache
from math import ceil, floor, inf, isfinite, nan, pi, sqrt
from typing import TYPE_CHECKING

import numpy as np

from spanwise.stats.paired import ALPHA, POWER, power, special, topics_needed
from spanwise.stats.resampling import RESAMPLES
from spanwise.stats.tests import EXACT, stats

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray, IntArray

EXACT_RANKS = 50
"""Maximum number of topics for which SciPy's Wilcoxon test is exact."""
EFFICIENCY = 3 / pi
"""Topics that the t-test needs for one of Wilcoxon's test."""
STEPS = 60
"""Number of halvings of a search."""
SCANNED = 2000
"""Number of topics up to which each number is tried, as power rises in steps."""


@lru_cache(4096)
def smallest_p(test: str, topics: int, resamples: int = RESAMPLES) -> float:
    """Return the smallest p that a test can give if all topics differ, all in one direction.

    >>> smallest_p("sign", 6), smallest_p("t", 6), smallest_p("bootstrap", 6, 999)
    (0.03125, 0.0, 0.001)
    """
    if topics < 1 or (topics < 2 and test in ("t", "bootstrap", "tukey", "randomised_tukey")):
        return nan
    if test in ("t", "tukey"):
        return 0.0
    if test in ("bootstrap", "randomised_tukey") or (test == "randomisation" and topics > EXACT):
        return 1 / (resamples + 1)
    if test == "wilcoxon" and topics > EXACT_RANKS:
        return float(stats().wilcoxon(np.arange(1.0, topics + 1)).pvalue)
    return 2.0 ** (1 - topics)


@lru_cache(4096)
def attained_level(test: str, topics: int, alpha: float = ALPHA) -> float:
    """Return the largest p below `alpha` that a test can give, which is its level.

    0 if the test cannot give a p below `alpha`.
    """
    if test == "randomisation" and topics <= EXACT:
        return max(ceil(alpha * 2.0 ** (topics - 1)) - 1, 0) / 2.0 ** (topics - 1)
    if test == "wilcoxon" and topics <= EXACT_RANKS:
        ways = np.ones(1)  # of each sum of ranks
        for rank in range(1, topics + 1):
            ways = np.concatenate([ways, np.zeros(rank)]) + np.concatenate([np.zeros(rank), ways])
        levels = 2 * np.cumsum(ways) / 2.0**topics
        return float(levels[levels < alpha].max(initial=0.0))
    return alpha


def power_of(
    test: str, difference: float, deviation: float, topics: int, alpha: float = ALPHA
) -> float:
    """Return the probability that a test finds a difference, given its deviation over topics."""
    if not (deviation > 0 and topics >= 2 and isfinite(difference)):
        return nan
    difference = abs(difference)
    if test == "mcnemar":
        differing = min(max(deviation**2 + difference**2, difference), 1.0)
        return _power_of_pairs(differing, difference, topics, alpha)
    effect = difference / deviation
    if test == "sign":
        share = float(special().ndtr(effect))
        return float(_binomial_power(np.array([topics]), share, alpha)[0])
    level = attained_level(test, topics, alpha)
    if not level:
        return 0.0
    return power(effect * sqrt(EFFICIENCY) if test == "wilcoxon" else effect, topics, level)


def _power_of_pairs(differing: float, difference: float, topics: int, alpha: float) -> float:
    """Return the power of McNemar's test, given the share of topics that differ."""
    counts = np.arange(topics + 1)
    better = min((differing + difference) / (2 * differing), 1.0)
    logs = special().gammaln(topics + 1) - special().gammaln(counts + 1)
    logs = logs - special().gammaln(topics - counts + 1)
    logs = logs + special().xlogy(counts, differing)
    logs = logs + special().xlog1py(topics - counts, -differing)
    return float((np.exp(logs) * _binomial_power(counts, better, alpha)).sum())


def _binomial_power(counts: IntArray, share: float, alpha: float) -> FloatArray:
    """Return the power of a two-sided binomial test of 1/2 for each number of trials."""
    below = special().bdtr
    most = np.floor(np.nan_to_num(special().bdtrik(alpha / 2, np.maximum(counts, 1), 0.5), nan=-1))
    most = np.where(counts > 0, np.clip(most, -1, counts) + 1, -1)
    for _ in range(2):  # the inverse may be one too high
        tail = below(np.maximum(most, 0), np.maximum(counts, 1), 0.5)
        most = np.where((most >= 0) & (2 * tail >= alpha), most - 1, most)
    kept, trials = np.maximum(most, 0), np.maximum(counts, 1)
    found: FloatArray = below(kept, trials, 1 - share) + below(kept, trials, share)
    return np.where(most >= 0, np.minimum(found, 1.0), 0.0)


def detectable(
    test: str, deviation: float, topics: int, alpha: float = ALPHA, wanted: float = POWER
) -> float:
    """Return the smallest difference that a test finds with the wanted power.

    Undefined if the test cannot find any, without spread, and for tests of all pairs at once.
    """
    if test in ("tukey", "randomised_tukey") or not (deviation > 0 and isfinite(deviation)):
        return nan
    if test == "mcnemar":
        return _found_share(round(deviation, 12), topics, alpha, wanted)
    return _found_effect(test, topics, alpha, wanted) * deviation


@lru_cache(4096)
def _found_effect(test: str, topics: int, alpha: float, wanted: float) -> float:
    """Return the smallest difference that is found, in deviations."""
    most = 1.0
    while not power_of(test, most, 1.0, topics, alpha) >= wanted:
        most *= 2
        if most > 1e4:
            return nan
    return _bisected(test, most, 1.0, topics, alpha, wanted)


@lru_cache(4096)
def _found_share(deviation: float, topics: int, alpha: float, wanted: float) -> float:
    """Return the smallest difference of shares that McNemar's test finds."""
    if not power_of("mcnemar", 1.0, deviation, topics, alpha) >= wanted:
        return nan
    return _bisected("mcnemar", 1.0, deviation, topics, alpha, wanted)


def _bisected(
    test: str, most: float, deviation: float, topics: int, alpha: float, wanted: float
) -> float:
    least = 0.0
    for _ in range(STEPS):
        middle = (least + most) / 2
        if power_of(test, middle, deviation, topics, alpha) >= wanted:
            most = middle
        else:
            least = middle
    return most


def needed_topics(
    test: str, difference: float, deviation: float, alpha: float = ALPHA, wanted: float = POWER
) -> float:
    """Return the smallest number of topics with which a test finds a difference.

    Infinite if there is no difference to find.
    """
    if not (deviation > 0 and isfinite(difference)):
        return nan
    least = topics_needed(difference / deviation, alpha, wanted)
    if not isfinite(least) or test in ("t", "bootstrap"):
        return least

    def enough(topics: int) -> bool:
        return power_of(test, difference, deviation, topics, alpha) >= wanted

    start = 2 if test == "mcnemar" else max(2, floor(least))
    for topics in range(start, SCANNED):
        if enough(topics):
            return float(topics)
    low, high = SCANNED - 1, max(SCANNED, floor(least))
    while not enough(high):
        low, high = high, high * 2
        if high > 10_000_000:
            return inf
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return float(high)
