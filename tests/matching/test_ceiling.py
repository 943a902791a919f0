"""The best that any order of chunks can do, against all orders tried one by one."""

import json
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import spanwise
from spanwise.cli import main
from spanwise.errors import UsageError
from spanwise.matching.ceiling import Chooser, Pool
from spanwise.measures.names import parse
from text_blocks import FILE_ORDER, block, judged, returned


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
@example([("a", 0, 7), ("a", 7, 1)], 0, {6})  # a chunk without tokens costs nothing
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


# Ceilings of runs, with all chunks of the system or without --------------------------------------

topics = st.dictionaries(st.sampled_from("qrs"), st.lists(chunk, max_size=12), min_size=1)


@settings(max_examples=200, deadline=None)
@given(topics, st.lists(chunk, max_size=14), st.integers(0, 70), st.sampled_from((None, 1, 3)))
def test_what_is_lost_adds_up_for_every_topic(run, more, budget, depth):
    """1 >= all chunks >= returned chunks >= recall, also where ceilings are only bounds."""
    judgements = judged(
        *(f"{q} Q0 a 10 99 0 5:6 20:4" for q in run), *(f"{q} Q0 b 5 99 0 10:5" for q in run)
    )
    lines = [f"{q} {d} {s} {n}" for q, some in run.items() for d, s, n in some] or ["z a 0 1"]
    result = replace(
        returned(*lines), pool=returned(*(f"x {d} {s} {n}" for d, s, n in more or [("a", 0, 1)]))
    )
    one = block(judgements, result, replace(FILE_ORDER, depth=depth))
    names = (
        f"Ceiling(of=chunks,budget={budget})",
        f"Ceiling(of=returned,budget={budget})",
        f"SpanR(budget={budget})",
    )
    every, best, value = (parse(name)(one) for name in names)
    for low, high in ((value, best), (best, every), (every, np.ones(len(every)))):
        assert (low <= high + 1e-12).all()


@settings(max_examples=60, deadline=None)
@given(topics, st.lists(chunk, max_size=14), st.integers(0, 12))
def test_what_is_lost_adds_up_in_tokens(run, more, budget):
    text = "a bb  ccc dd e ff " * 4
    gold = [{"id": q, "spans": [("a", 5, 11), ("a", 20, 24), ("b", 10, 15)]} for q in run]
    pool = [(d, s, s + n) for d, s, n in more or [("a", 0, 1)]]
    results = {q: [(d, s, s + n) for d, s, n in some] for q, some in run.items()}
    names = (
        f"Ceiling(of=chunks,budget={budget})",
        f"Ceiling(of=returned,budget={budget})",
        f"SpanR(budget={budget})",
    )
    if not any(results.values()):
        return
    scores = spanwise.evaluate(
        gold, {"run": results}, list(names), collection={"a": text, "b": text},
        unit="tokens:whitespace", chunks={"run": pool}, average_over="judged",
    )["run"]  # fmt: skip
    every, best, value = (scores.values[name] for name in names)
    assert (value <= best + 1e-12).all()
    assert (best <= every + 1e-12).all()
    assert (every <= 1).all()


def test_returned_chunks_are_those_of_the_topic():
    """Chunks that are returned for another topic are no merit of this one's retriever."""
    judgements = judged("1 Q0 a 10 99 0 0:10", "2 Q0 a 10 99 0 20:10")
    run = returned("1 a 20 10", "2 a 0 10")  # each has the answer of the other
    found = parse("Ceiling(of=returned,budget=50)")(block(judgements, run))
    assert found.tolist() == [0, 0]
    found = parse("Ceiling(of=chunks,budget=50)")(block(judgements, replace(run, pool=run)))
    assert found.tolist() == [1, 1]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Ten relevant characters, of which one chunk has six and another four.

    The run returns the second one after a chunk without relevant text.
    """
    monkeypatch.chdir(tmp_path)
    span = {"qid": "q", "doc": "d"}
    files = {
        "gold": [{**span, "spans": [{"s": 10, "e": 20}]}],
        "run": [{**span, "s": 30, "e": 38}, {**span, "s": 16, "e": 26}],
        "all": [{**span, "s": s, "e": s + 10} for s in (6, 16, 26, 36)],
        "plain": [{"doc": "d", "s": s, "e": s + 10} for s in (6, 16, 26, 36)],
    }
    for name, objects in files.items():
        text = "".join(json.dumps(one) + "\n" for one in objects)
        (tmp_path / f"{name}.jsonl").write_text(text)
    return tmp_path


NAMES = ("Ceiling(of=chunks,budget=10)", "Ceiling(of=returned,budget=10)", "SpanR(budget=10)")
VALUES = dict(zip(NAMES, (0.6, 0.4, 0.2), strict=True))
CHUNKS = [("d", s, s + 10) for s in (6, 16, 26, 36)]


def printed(capfd, *words):
    capfd.readouterr()
    assert main([*words, "--json"]) == 0
    return json.loads(capfd.readouterr().out)


def test_the_same_request_gives_the_same_number_everywhere(folder, capfd):
    files = ("gold.jsonl", "mine=run.jsonl")
    words = ("-m", ",".join(NAMES), "--chunks", "mine=all.jsonl")
    assert printed(capfd, "eval", *files, *words)["runs"][0]["means"] == VALUES
    found = printed(capfd, "compare", *files, *words)
    assert {one["measure"]: one["value"] for one in found["scores"]} == VALUES
    found = printed(capfd, "compare", *files, "--budget", "10", "--chunks", "mine=all.jsonl")
    values = {one["measure"]: one["value"] for one in found["scores"]}
    assert {name: values[name] for name in NAMES} == VALUES
    (lost,) = found["losses"]
    assert (lost["run"], lost["budget"]) == ("mine", 10)
    assert [lost[part] for part in ("chunker", "retriever", "ranker")] == pytest.approx(
        [0.4, 0.2, 0.2]
    )
    for chunks in ("all.jsonl", "plain.jsonl", CHUNKS, {"any": CHUNKS}):
        scores = spanwise.evaluate(
            "gold.jsonl", {"mine": "run.jsonl"}, NAMES, chunks={"mine": chunks}
        )
        assert scores["mine"].means == VALUES
    c = spanwise.compare("gold.jsonl", ["run.jsonl"], budget=10, chunks={"run": "all.jsonl"})
    assert {name: c.mean("run", name).value for name in NAMES} == VALUES
    pooled = replace(spanwise.read_run("run.jsonl"), pool=spanwise.read_run("all.jsonl"))
    assert spanwise.evaluate("gold.jsonl", pooled, NAMES).means == VALUES  # as a sweep has it
    evaluator = spanwise.Evaluator("gold.jsonl", NAMES, chunks={"mine": CHUNKS, "run": "all.jsonl"})
    assert evaluator.evaluate("run.jsonl").means == VALUES
    named = evaluator.evaluate("run.jsonl", "mine")
    assert (named.run, named.means) == ("mine", VALUES)
    assert evaluator.evaluate(pooled, "other").means == VALUES
    with pytest.raises(UsageError, match="needs all chunks of a run, but none are given"):
        spanwise.Evaluator("gold.jsonl", NAMES).evaluate("run.jsonl")
    found = printed(capfd, "explain", "gold.jsonl", "run.jsonl", "--topic", "q", "-m", NAMES[0],
                    "--chunks", "run=all.jsonl")  # fmt: skip
    assert found["value"] == 0.6


def test_the_results_are_verified_with_their_chunks(folder, capfd):
    words = ["-m", ",".join(NAMES), "--chunks", "mine=all.jsonl", "-o", "kept.jsonl"]
    assert main(["eval", "gold.jsonl", "mine=run.jsonl", *words]) == 0
    assert main(["verify", "kept.jsonl"]) == 0


def test_the_table_says_chunker_only_if_all_chunks_are_known(folder, capfd):
    words = ["compare", "gold.jsonl", "run.jsonl", "--budget", "10"]
    assert main([*words, "--chunks", "run=all.jsonl"]) == 0
    header = capfd.readouterr().out.splitlines()[1]
    assert header.split()[-3:] == ["chunker", "retriever", "ranker"]
    assert main([*words, "--chunks", "run=all.jsonl", "--all"]) == 0
    table = capfd.readouterr().out
    assert "ceiling of all chunks at 10" in table
    (line,) = [one for one in table.splitlines() if one.startswith("lost by the chunker at 10")]
    assert line.split()[6] == "0.4000"
    assert "ceilings of returned chunks: largest number of results of a topic: 2" in table
    assert main(words) == 0
    assert "chunker" not in capfd.readouterr().out
    assert main([*words, "--all"]) == 0
    table = capfd.readouterr().out
    assert "lost by the ranker at 10" in table
    assert "chunker" not in table
    assert "all chunks" not in table


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("-m", NAMES[0]), "needs all chunks of a run, but none are given; pass --chunks"),
        (("-m", NAMES[1], "--chunks", "run=all.jsonl"), "--chunks has no effect on"),
        (("-m", NAMES[0], "--chunks", "ran=all.jsonl"), "'ran'"),
        (("-m", NAMES[0], "--chunks", "all.jsonl"), "expected NAME=FILE"),
        (("-m", NAMES[0], "--chunks", "a=b", "--chunks", "a=c"), "is given twice"),
    ],
)
def test_chunks_that_cannot_be_used_are_refused(folder, capfd, words, said):
    assert main(["eval", "gold.jsonl", "run.jsonl", *words]) == 2
    assert said in capfd.readouterr().err


def test_losses_at_a_budget_that_is_not_reached_are_not_shown(folder, capfd):
    assert main(["compare", "gold.jsonl", "run.jsonl", "--budget", "10,9999", "--all"]) == 0
    table = capfd.readouterr().out
    rows = [line for line in table.splitlines() if line.startswith("lost by the ranker")]
    assert ["not reached" in row for row in rows] == [False, True]
    assert "UnreadBlank" not in table  # it is only evaluated for a warning
