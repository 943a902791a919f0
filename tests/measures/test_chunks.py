"""Reading at a budget: the counter-example of three chunkers, checked by hand."""

import numpy as np
import pytest

from spanwise.measures import MEASURES
from spanwise.measures.genomics import harmonic
from spanwise.measures.names import parse
from spanwise.model.measure import MeasureRequest
from text_blocks import block, pointed_out, returned

GOLD = pointed_out(
    """{"qid": "1", "doc": "d", "doc_len": 10000, "spans": [{"s": 1000, "e": 1200},\
 {"s": 5000, "e": 5300}]}"""
)
RUNS = {
    "A": [(800, 400), (4800, 400), (5200, 400), (2000, 400), (7600, 400)],
    "B": [(800, 400), (850, 400), (900, 400), (950, 400), (1000, 400)],
    "C": [(0, 3200), (3200, 3200)],
}


def value(name, places, gold=GOLD):
    run = returned(*(f"1 d {start} {length}" for start, length in places))
    return float(parse(name)(block(gold, run))[0])


@pytest.mark.parametrize(
    ("measure", "a", "b", "c"),
    [
        ("ChunkHit@5", 1, 1, 1),
        ("ChunkP@5", 3 / 5, 1, 1),
        ("ChunkNDCG@5", 1, 1, 1),
        ("SpanR", 1, 2 / 5, 1),
        ("Read", 2000, 2000, 6400),
        ("Waste", 0, 7 / 10, 0),
        ("SpanR(budget=2000)", 1, 2 / 5, 2 / 5),
        ("SpanP", 500 / 2000, 200 / 2000, 500 / 6400),
        ("SpanF", 2 * 0.25 / 1.25, 2 * 0.1 * 0.4 / 0.5, 2 * 500 / 6400 / (1 + 500 / 6400)),
        ("SpanIoU", 500 / 2000, 200 / 2300, 500 / 6400),
        ("FullEvidence", 1, 0, 1),
        ("FullEvidence(budget=2000)", 1, 0, 0),
        ("FirstEvidence", 200, 200, 1000),
        ("SpanR@1", 2 / 5, 2 / 5, 2 / 5),
        ("SpanR(budget=1100)@1", 2 / 5, 2 / 5, 1 / 5),
    ],
)
def test_three_chunkers(measure, a, b, c):
    found = [value(measure, RUNS[name]) for name in "ABC"]
    assert found == pytest.approx([a, b, c], abs=1e-12)


def test_discounted_gains_are_added_one_by_one_however_many_topics_there_are():
    """A product of matrices adds in an order that depends on their shape."""
    hits = [rank in (1, 4, 5, 7, 8, 9, 10) for rank in range(1, 11)]
    gold = [
        f'{{"qid": "{q}", "doc": "d", "doc_len": 99999, "spans": [{{"s": 0, "e": 9000}}]}}'
        for q in range(1, 10)
    ]
    lines = [
        f"{topic} d {rank * 50 if hit else 9000 + rank * 50} 50"
        for topic in range(1, 10)
        for rank, hit in enumerate(hits, start=1)
    ]
    expected = 0.0
    for rank, hit in enumerate(hits, start=1):
        expected += hit / np.log2(rank + 1)
    ideal = 0.0
    for rank in range(1, 8):
        ideal += 1 / np.log2(rank + 1)
    found = parse("ChunkNDCG@10")(block(pointed_out("\n".join(gold)), returned(*lines)))
    assert found.tolist() == [expected / ideal] * 9


def test_a_budget_stops_inside_a_result():
    assert value("SpanR(budget=300)", RUNS["A"]) == 100 / 500
    assert value("SpanP(budget=300)", RUNS["A"]) == 100 / 300
    assert value("SpanP(budget=0)", RUNS["A"]) == 0


def test_five_copies_of_one_chunk_never_help():
    one, copies = [(800, 400)], [(800, 400)] * 5
    for name in ("SpanR", "FullEvidence", "SpanR(budget=2000)", "Passage2AP", "PassageAP"):
        assert value(name, copies) <= value(name, one), name
    assert value("SpanP", one) == 0.5
    assert value("SpanP", copies) == 0.1
    assert value("Waste", copies) == 0.8


def test_touching_ranges_do_not_overlap():
    assert value("ChunkHit@1", [(800, 200)]) == 0  # ends where the gold begins
    assert value("SpanR", [(1200, 3800)]) == 0  # begins and ends where gold ends and begins
    assert value("NearR(tolerance=0)", [(800, 200)]) == 0
    assert value("NearR(tolerance=50)", [(800, 200)]) == 50 / 500


ALTERNATIVES = pointed_out(
    """{"qid": "1", "doc": "d", "spans": [{"s": 0, "e": 10, "set": 0, "aspect": ["x"], "g": 1},\
 {"s": 100, "e": 110, "set": 1, "aspect": ["y"], "by": "ann"}, {"s": 200, "e": 210, "set": 1},\
 {"s": 300, "e": 310, "g": 0, "aspect": ["z"]}], "judged": "spans"}"""
)


@pytest.mark.parametrize(
    ("places", "full", "aspects", "judged"),
    [
        ([(0, 10)], 1, 1 / 2, 1),
        ([(0, 9)], 0, 1 / 2, 1),
        ([(100, 10)], 0, 1 / 2, 1),
        ([(100, 10), (200, 20)], 1, 1 / 2, 2 / 3),
        ([(300, 10)], 0, 0, 1),
        ([(400, 10)], 0, 0, 0),
    ],
)
def test_one_complete_set_is_enough_and_grade_0_is_not_relevant(places, full, aspects, judged):
    assert value("FullEvidence", places, ALTERNATIVES) == full
    assert value("AspectR", places, ALTERNATIVES) == aspects
    assert value("JudgedText", places, ALTERNATIVES) == pytest.approx(judged)
    assert value("SpanR", places, ALTERNATIVES) <= 1


def test_passages_of_genomics_by_hand():
    # Gold a = 0-10 (x), b = 20-30 (x, y). Results: 5-15 meets a, 40-50 nothing, 20-30 meets b.
    gold = pointed_out(
        """{"qid": "1", "doc": "d", "spans": [{"s": 0, "e": 10, "aspect": ["x"]},\
 {"s": 20, "e": 30, "aspect": ["x", "y"]}]}"""
    )
    places = [(5, 10), (40, 10), (20, 10)]
    assert value("PassageAP", places, gold) == pytest.approx((5 / 10 + 15 / 30) / 2)
    assert value("AspectAP", places, gold) == pytest.approx((1 * 1 / 1 + 1 * 2 / 3) / 2)
    bytes_ = [1.0] * 5 + [0] * 5 + [0] * 10 + [1.0] * 10
    due = sum(sum(bytes_[: n + 1]) / (n + 1) for n, hit in enumerate(bytes_) if hit) / 20
    assert value("Passage2AP", places, gold) == pytest.approx(due, abs=1e-12)
    assert value("DocumentAP", places, gold) == 1


def test_passages_of_genomics_that_are_met_again():
    """As the track's program has it, but for copies: they are shown and bring nothing."""
    gold = pointed_out(
        """{"qid": "1", "doc": "d", "spans": [{"s": 0, "e": 10, "aspect": ["x"]},\
 {"s": 20, "e": 30, "aspect": ["y"]}, {"s": 20, "e": 30, "aspect": ["y"]},\
 {"s": 50, "e": 60, "aspect": ["z"]}]}"""
    )
    # 0-10 meets the first; its copy is shown; 5-25 meets the first again, with 5 bytes of it;
    # 20-30 meets the second, whose place is stated twice and counts once; the last is never met.
    places = [(0, 10), (0, 10), (5, 20), (20, 10)]
    due = (10 / 10 + 15 / 40 + 25 / 50) / (3 + 1)
    assert value("PassageAP", places, gold) == pytest.approx(due)
    # Results that meet what has no new aspect are passed over.
    assert value("AspectAP", places, gold) == pytest.approx((1 / 1 + 2 / 2) / 3)


@pytest.mark.parametrize(("start", "count"), [(0, 1), (0, 64), (10, 500), (63, 2), (10**6, 1000)])
def test_sums_of_reciprocals(start, count):
    due = sum(1 / n for n in range(start + 1, start + count + 1))
    assert float(harmonic(start, count)) == pytest.approx(due, rel=1e-13)


def test_a_budget_below_0_makes_no_sense():
    from spanwise.errors import UsageError

    with pytest.raises(UsageError, match="the budget is -1"):
        value("SpanR(budget=-1)", RUNS["A"])
    assert MeasureRequest("SpanR", MEASURES["SpanR"]).parameter("budget") is None
