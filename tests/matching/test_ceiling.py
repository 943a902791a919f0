"""The best that any order of chunks can do, against all orders tried one by one."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spanwise.matching.ceiling import Chooser, Pool
from spanwise.measures.names import parse
from text_blocks import block, judged, returned


def best_by_hand(gold, chunks, budget, begins=range(99)):
    """Read every order of the chunks character by character; some of them are to be paid for."""
    needed = {(d, c) for d, s, length in gold for c in range(s, s + length)}
    best = 0
    for order in permutations(chunks):
        read, paid = set(), 0
        for place in ((d, c) for d, s, length in order for c in range(s, s + length)):
            paid += place[1] in begins
            if paid > budget:
                break
            read.add(place)
        best = max(best, len(needed & read))
    return best / len(needed)


def reached(gold, chunks, budget, begins=None):
    lines = {}
    for document, start, length in gold:
        lines.setdefault(document, []).append((start, length))
    passages = {d: " ".join(f"{s}:{n}" for s, n in sorted(some)) for d, some in lines.items()}
    sizes = {d: sum(n for _, n in some) for d, some in lines.items()}
    judgements = judged(*(f"1 Q0 {d} {sizes[d]} 99 0 {passages[d]}" for d in lines))
    run = returned(*(f"1 {d} {s} {n}" for d, s, n in chunks))
    tokens = None if begins is None else lambda _: np.array(sorted(begins))
    most, exact = Chooser(judgements, Pool(run), tokens).choice(b"1", {}, every=True).best(budget)
    if begins is None:  # the same chunks as results
        name = f"Ceiling(of=returned,budget={budget})"
        assert float(parse(name)(block(judgements, run))[0]) == most / sum(sizes.values())
    return most / sum(sizes.values()), exact


chunk = st.tuples(st.sampled_from("ab"), st.integers(0, 30), st.integers(1, 15))
GOLD = [("a", 5, 6), ("a", 20, 4), ("b", 10, 5)]


@settings(max_examples=150, deadline=None)
@given(st.lists(chunk, min_size=1, max_size=6), st.integers(0, 60))
def test_it_is_what_the_best_order_reaches(chunks, budget):
    assert reached(GOLD, chunks, budget) == (
        pytest.approx(best_by_hand(GOLD, sorted(set(chunks)), budget)),
        True,
    )


@settings(max_examples=150, deadline=None)
@given(st.lists(chunk, min_size=1, max_size=5), st.integers(0, 12), st.sets(st.integers(0, 45)))
def test_it_is_what_the_best_order_reaches_in_tokens(chunks, budget, begins):
    assert reached(GOLD, chunks, budget, begins) == (
        pytest.approx(best_by_hand(GOLD, sorted(set(chunks)), budget, begins)),
        True,
    )


def test_many_chunks_are_bounded_from_above():
    gold = [("a", 0, 40)]
    chunks = [("a", 4 * n, 3) for n in range(10)]  # nine of them are too many to try
    value, exact = reached(gold, chunks, 15)
    assert not exact
    assert value >= 15 / 40
    assert reached(gold, chunks, 30) == (pytest.approx(30 / 40), True)


def test_without_relevant_text_it_is_undefined():
    run = returned("1 a 0 5")
    judgements = judged("1 Q0 a 0 99", "2 Q0 a 5 99 0 0:5")
    found = parse("Ceiling(budget=10)")(block(judgements, run))
    assert np.isnan(found[0])
    assert found[1] == 0  # no results
