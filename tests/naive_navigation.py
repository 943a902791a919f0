"""User models by enumeration: everything that readers may do, in fractions.

Steps are (rank, target, chance).
"""

from fractions import Fraction
from itertools import product


def behaviours(steps, results):
    """Everything that can happen: its chance, and for every rank the targets seen by then."""
    choices = [(True,) if chance == 1 else (False, True) for _, _, chance in steps]
    for outcome in product(*choices):
        chance = Fraction(1)
        for (_, _, c), goes in zip(steps, outcome, strict=True):
            chance *= c if goes else 1 - c
        seen, history = set(), [frozenset()]
        for rank in range(1, results + 1):
            seen |= {
                target
                for (at, target, _), goes in zip(steps, outcome, strict=True)
                if goes and at == rank
            }
            history.append(frozenset(seen))
        if chance:
            yield chance, history


def ideal_list(worth, level):
    falling = sorted(worth, reverse=True)
    return next(n for n in range(1, len(worth) + 1) if sum(falling[:n]) >= level * sum(worth))


def enumerated_precision(steps, worth, results, level):
    total = Fraction(0)
    for chance, history in behaviours(steps, results):
        enough = [
            rank
            for rank in range(1, results + 1)
            if sum(worth[target] for target in history[rank]) >= level * sum(worth)
        ]
        if enough:
            total += chance * ideal_list(worth, level) / enough[0]
    return total


def enumerated_prum(steps, targets, results, level):
    looked_at = discovering = Fraction(0)
    for chance, history in behaviours(steps, results):
        for rank in range(1, results + 1):
            if len(history[rank - 1]) < level * targets:
                looked_at += chance
                discovering += chance * (len(history[rank]) > len(history[rank - 1]))
    return discovering / looked_at


def enumerated_recall(steps, worth, results, rank):
    """The expected share of the worth that has been seen after a rank."""
    seen = [
        chance * sum(worth[target] for target in history[min(rank, results)])
        for chance, history in behaviours(steps, results)
    ]
    return sum(seen) / sum(worth)


def effort(worth, level):
    """Where a line through the list of targets, the best first, reaches a share of all worth."""
    wanted, so_far = level * sum(worth), Fraction(0)
    for rank, value in enumerate(sorted(worth, reverse=True)):
        if so_far + value >= wanted:
            return rank + (wanted - so_far) / value
        so_far += value
    return Fraction(len(worth))
