"""User models: the kernels against enumeration of everything that readers may do."""

import tracemalloc
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naive_navigation import behaviours, enumerated_precision, enumerated_prum
from spanwise.errors import UsageError
from spanwise.measures import discoveries as kernel
from spanwise.measures.discoveries import (
    discoveries,
    discovering_share,
    ideal_effort,
    mean_precision,
    precision_at_rank,
    precision_at_recall,
    reached,
    recall_at,
    unsatisfied,
    whole_shares,
)
from spanwise.model.element_rankings import NavigationSteps

CHANCES = [Fraction(n, 4) for n in range(1, 5)] + [Fraction(1, 3), Fraction(1, 10)]
WORTHS = [Fraction(n, 4) for n in range(1, 5)] + [Fraction(9, 10)]


def navigation(steps, worth, results=None):
    """Steps (rank, target, chance), in order of rank."""
    steps = sorted(steps)
    last = max([rank for rank, _, _ in steps], default=0)
    return NavigationSteps(
        last if results is None else results,
        np.array([float(value) for value in worth]),
        np.array([rank for rank, _, _ in steps], np.int64),
        np.array([target for _, target, _ in steps], np.int64),
        np.array([float(chance) for _, _, chance in steps]),
    )


def discovered(steps, worth, results=None):
    [found] = discoveries([navigation(steps, worth, results)])
    return found


@st.composite
def cases(draw, worths=(Fraction(1),)):
    targets = draw(st.integers(1, 3))
    pairs = st.tuples(st.integers(1, 5), st.integers(0, targets - 1))
    chosen = draw(st.lists(pairs, unique=True, max_size=6))
    steps = [(rank, target, draw(st.sampled_from(CHANCES))) for rank, target in chosen]
    worth = [draw(st.sampled_from(worths)) for _ in range(targets)]
    return steps, worth, draw(st.integers(5, 7))


@settings(deadline=None)
@given(cases())
def test_distribution_is_that_of_all_behaviours(case):
    steps, worth, results = case
    found = discovered(steps, worth, results)
    amounts = np.arange(len(worth) + 2)
    for ranks, chances in reached(found, np.ones(len(worth), np.int64), amounts):
        for rank, row in zip(ranks.tolist(), chances, strict=True):
            for amount in amounts.tolist():
                exact = sum(c for c, h in behaviours(steps, results) if len(h[rank]) >= amount)
                assert row[amount] == pytest.approx(float(exact), abs=1e-14)


@settings(deadline=None, max_examples=60)
@given(cases(worths=WORTHS), st.integers(1, 12))
def test_precision_at_recall_is_that_of_all_behaviours(case, twelfths):
    steps, worth, results = case
    level = Fraction(twelfths, 12)
    found = discovered(steps, worth, results)
    (value,) = precision_at_recall(found, np.array([float(level)]))
    exact = enumerated_precision(steps, worth, results, level)
    assert value == pytest.approx(float(exact), abs=1e-13)


@settings(deadline=None, max_examples=40)
@given(cases(), st.integers(1, 6))
def test_prum_is_that_of_all_behaviours(case, sixths):
    steps, worth, results = case
    found = discovered(steps, worth, results)
    exact = enumerated_prum(steps, len(worth), results, Fraction(sixths, 6))
    assert discovering_share(found, sixths / 6) == pytest.approx(float(exact), abs=1e-13)


@settings(deadline=None, max_examples=40)
@given(cases(worths=WORTHS), st.integers(1, 7))
def test_recall_is_that_of_all_behaviours(case, rank):
    steps, worth, results = case
    found = discovered(steps, worth, results)
    exact = sum(
        c * sum(worth[t] for t in h[min(rank, results)]) for c, h in behaviours(steps, results)
    ) / sum(worth)
    assert recall_at(found, rank) == pytest.approx(float(exact), abs=1e-14)


@settings(deadline=None, max_examples=40)
@given(cases(worths=[Fraction(1, 3), Fraction(2, 7), Fraction(5, 11)]))
def test_worths_without_a_common_share_are_combined(case):
    """One worth is beyond fractions, so that no grid can hold it."""
    steps, worth, results = case
    odd = [*worth, Fraction(0.7071067811865476)]
    found = discovered(steps, odd, results)
    assert whole_shares(found.worth) is None
    exact = [enumerated_precision(steps, odd, results, Fraction(n, 4)) for n in range(1, 5)]
    values = precision_at_recall(found, np.arange(1, 5) / 4)
    assert values.tolist() == pytest.approx([float(e) for e in exact], abs=1e-13)


def test_two_dozen_odd_worths():
    """Each is found with one half: more than half of all worth is found as often as less.

    Never as much: the worths are 1 + 1/p for primes p, and fractions 1/p, added and taken away,
    never make a whole number.
    """
    primes = [7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97]
    worth = [1 + 1 / prime for prime in [*primes, 101, 103]]
    found = discovered([(1, n, 0.5) for n in range(24)], worth)
    assert whole_shares(found.worth) is None
    best = np.cumsum(sorted(worth, reverse=True))
    fewest = 1 + int(np.searchsorted(best, sum(worth) / 2))
    (value,) = precision_at_recall(found, np.array([0.5]))
    assert value == pytest.approx(fewest / 2, abs=1e-13)


def test_many_targets_of_which_some_are_odd():
    """Sums of 30 whole worths and 6 odd ones are few: a table in fractions holds them all."""
    worth = [Fraction(1)] * 30 + [Fraction(1, n) for n in (7, 11, 13, 17, 19, 23)]
    chances = [Fraction(1 + n % 4, 5) for n in range(len(worth))]
    found = discovered([(1 + n // 18, n, c) for n, c in enumerate(chances)], worth)
    assert whole_shares(found.worth) is None
    levels = [Fraction(n, 8) for n in range(1, 9)]
    values = precision_at_recall(found, np.array([float(level) for level in levels]))
    after = [_spread(worth, chances, seen) for seen in (18, 36)]
    for level, value in zip(levels, values.tolist(), strict=True):
        first, second = (
            sum(c for s, c in spread.items() if s >= level * sum(worth)) for spread in after
        )
        fewest = next(n for n in range(1, 37) if sum(worth[:n]) >= level * sum(worth))
        exact = fewest * (first + (second - first) / 2)
        assert value == pytest.approx(float(exact), abs=1e-12)


def _spread(worth, chances, seen):
    """How likely each sum of worths is when the first targets have been looked for."""
    spread = {Fraction(0): Fraction(1)}
    for one, chance in zip(worth[:seen], chances[:seen], strict=True):
        wider = {}
        for total, likely in spread.items():
            wider[total] = wider.get(total, 0) + likely * (1 - chance)
            wider[total + one] = wider.get(total + one, 0) + likely * chance
        spread = wider
    return spread


def test_certain_discoveries_need_no_table_of_ranks_and_levels():
    """Of 3000 targets worth 1, 2, ..., 10 in turn the odd ones are found, each at its number."""
    worth = [Fraction(1 + n % 10, 10) for n in range(3000)]
    found = discovered([(n + 1, n, 1) for n in range(0, 3000, 2)], worth)
    tracemalloc.start()
    value = mean_precision(found)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 2**22
    assert value == pytest.approx(float(_mean_of_certain(worth, range(0, 3000, 2))), abs=1e-13)


def _mean_of_certain(worth, found):
    """The mean of ideal rank / rank, by walking along both lists."""
    best, total, mean = sorted(worth, reverse=True), sum(worth), Fraction(0)
    ideal, gained = 0, Fraction(0)
    ranks, rank, seen = iter(found), 0, Fraction(0)
    for level in range(1, len(worth) + 1):
        while gained * len(worth) < level * total:
            gained, ideal = gained + best[ideal], ideal + 1
        while seen * len(worth) < level * total:
            target = next(ranks, None)
            if target is None:
                return mean / len(worth)
            seen, rank = seen + worth[target], target + 1
        mean += Fraction(ideal, rank)
    return mean / len(worth)


def test_too_many_sums_are_refused_and_the_grid_is_named():
    worth = [0.5 + 1 / (3.7 + n) for n in range(40)]
    found = discovered([(n + 1, n, 0.5) for n in range(40)], worth)
    with pytest.raises(UsageError, match="grid=1000"):
        precision_at_recall(found, np.array([0.5]))


def test_small_portions_make_no_difference(monkeypatch):
    """Portions that end between ranks carry everything over."""
    steps = [(k, t, (k * 7 + t * 3) % 10 / 10 + 0.05) for k in range(1, 30) for t in range(k % 5)]
    found = discovered(steps, [1] * 6, 40)
    levels = np.arange(1, 7) / 6
    at_once = *precision_at_recall(found, levels), discovering_share(found, 0.8)
    monkeypatch.setattr(kernel, "CELLS", 1)
    in_portions = *precision_at_recall(found, levels), discovering_share(found, 0.8)
    assert in_portions == pytest.approx(at_once, 1e-14)


@settings(deadline=None)
@given(st.lists(cases(), max_size=4))
def test_topics_do_not_disturb_each_other(several):
    together = discoveries([navigation(*case) for case in several])
    for case, found in zip(several, together, strict=True):
        alone = discovered(*case)
        assert (found.rank == alone.rank).all()
        assert (found.target == alone.target).all()
        assert (found.missed_before == alone.missed_before).all()
        assert (found.missed == alone.missed).all()


@settings(deadline=None)
@given(cases(), st.sampled_from([Fraction(1), Fraction(1, 3)]))
def test_mean_over_targets_of_equal_worth_is_that_of_all_behaviours(case, worth):
    steps, targets, results = case
    worths = [worth] * len(targets)
    levels = [Fraction(i, len(targets)) for i in range(1, len(targets) + 1)]
    found = discovered(steps, worths, results)
    exact = sum(enumerated_precision(steps, worths, results, level) for level in levels)
    assert mean_precision(found) == pytest.approx(float(exact / len(levels)), abs=1e-14)


# On paper -----------------------------------------------------------------------------------


def test_certain_readers_have_average_precision():
    """Targets at ranks 1, 3 and 7, a fourth never: (1/1 + 2/3 + 3/7 + 0) / 4."""
    found = discovered([(1, 0, 1), (3, 1, 1), (7, 2, 1)], [1] * 4, 10)
    expected = (1 + Fraction(2, 3) + Fraction(3, 7)) / 4
    assert mean_precision(found) == pytest.approx(float(expected), abs=1e-15)
    assert discovering_share(found, 0.75) == pytest.approx(3 / 7, abs=1e-15)
    assert discovering_share(found, 1) == pytest.approx(3 / 10, abs=1e-15)  # all are looked at


def test_one_doubtful_target():
    """Seen at rank 2 with 1/2, else at rank 4 with 1/2: 1/2 * 1/2 + 1/4 * 1/4."""
    found = discovered([(2, 0, 0.5), (4, 0, 0.5)], [1], 4)
    assert mean_precision(found) == pytest.approx(5 / 16, abs=1e-15)
    assert recall_at(found, 3) == 0.5
    assert recall_at(found, 4) == 0.75
    assert precision_at_rank(found, 4, whole=False) == pytest.approx(3 / 16)
    assert precision_at_rank(found, 4, whole=True) == 1 / 4
    # Looked at: ranks 1 and 2 by all, 3 and 4 by half. Discoveries: 1/2 at 2, 1/4 at 4.
    assert discovering_share(found, 1) == pytest.approx((1 / 2 + 1 / 4) / 3, abs=1e-15)


def test_graded_targets():
    """Worths 1, 1/2, 1/2: half of all is one target, three quarters are two."""
    found = discovered([(1, 1, 1), (2, 0, 1)], [1, 0.5, 0.5], 2)
    values = precision_at_recall(found, np.array([0.25, 0.5, 0.75, 1]))
    assert values.tolist() == [1, 1 / 2, 2 / 2, 0]
    assert precision_at_rank(found, 1, whole=False) == 0.25 * 2
    assert ideal_effort(found.worth, 0.75) == 2


def test_nothing_found():
    found = discovered([], [1, 1], 5)
    assert mean_precision(found) == 0
    assert discovering_share(found, 0.5) == 0
    assert precision_at_rank(found, 3, whole=True) == 0


# Thousands of targets -----------------------------------------------------------------------


def test_thousands_of_even_chances():
    """Two steps of 1/2 and then certainty for each: binomial distributions throughout."""
    targets = 1999
    steps = [(1, t, 0.5) for t in range(targets)] + [(2, t, 0.5) for t in range(targets)]
    found = discovered(steps + [(3, t, 1) for t in range(targets)], [1] * targets)
    amounts = np.array([0, 900, 999, 1000, 1050, 1499, 1500, 1999, 2000])
    rows = np.concatenate([c for _, c in reached(found, np.ones(targets, np.int64), amounts)])
    for row, (hits, of) in zip(rows, ((1, 2), (3, 4), (1, 1)), strict=True):
        exact = [
            Fraction(sum(comb(targets, m) * hits**m * (of - hits) ** (targets - m)
                         for m in range(amount, targets + 1)), of**targets)
            for amount in amounts.tolist()
        ]  # fmt: skip
        assert row.tolist() == pytest.approx([float(e) for e in exact], abs=1e-12)


def test_targets_that_pass_one_half_one_by_one():
    """The case in which dividing factors out fails: all stand at 1/2, then each becomes certain."""
    targets = 600
    steps = [(1, t, 0.5) for t in range(targets)]
    steps += [(2 + t, t, 1) for t in range(targets)]
    found = discovered(steps, [1] * targets)
    amounts = np.array([300, 450, 599, 600])
    rows = np.concatenate([c for _, c in reached(found, np.ones(targets, np.int64), amounts)])
    for certain in (0, 1, 150, 300, 450, 599, 600):
        free = targets - certain
        exact = [
            Fraction(sum(comb(free, m) for m in range(max(0, a - certain), free + 1)), 2**free)
            for a in amounts.tolist()
        ]
        assert rows[certain].tolist() == pytest.approx([float(e) for e in exact], abs=1e-12)


def test_many_different_chances_against_exact_fractions():
    """Chances n/97, each target visited three times, in an order that mixes them."""
    targets, visits = 120, 3
    steps = [
        (1 + (t * 41 + v * 120) % 360, t, Fraction(1 + (t * 31 + v * 17) % 96, 97))
        for t in range(targets)
        for v in range(visits)
    ]
    found = discovered(steps, [1] * targets)
    amounts = np.arange(targets + 1)
    rows = {}
    for ranks, chances in reached(found, np.ones(targets, np.int64), amounts):
        rows |= dict(zip(ranks.tolist(), chances, strict=True))
    for rank in (1, 60, 200, 360):
        missed = [Fraction(1)] * targets
        for at, target, chance in steps:
            missed[target] *= 1 - chance if at <= rank else 1
        spread = [Fraction(1)]
        for q in missed:
            spread = [a * q + b * (1 - q) for a, b in zip([*spread, 0], [0, *spread], strict=True)]
        tails = [float(sum(spread[a:])) for a in amounts.tolist()]
        assert rows[rank].tolist() == pytest.approx(tails, abs=1e-13)


def test_unsatisfied_readers_among_thousands():
    """After rank 1 binomial: P(F < 1000) of 1999 even chances is one half."""
    targets = 1999
    steps = [(1, t, 0.5) for t in range(targets)] + [(2, t, 0.5) for t in range(targets)]
    found = discovered(steps, [1] * targets)
    _, before, in_vain, _ = unsatisfied(found, 1000)
    assert before.tolist() == pytest.approx([1, 0.5], abs=1e-12)
    assert in_vain.tolist() == pytest.approx([0, 0], abs=1e-12)  # (1/2) ** 1999 and less
