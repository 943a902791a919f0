"""Systems of chunks at reading budgets: a sentence per budget, a row per system, few warnings."""

import json

import numpy as np
import pytest

import spanwise
from spanwise.cli import main
from spanwise.model.comparison import Caution, joined_cautions
from spanwise.report.comparison import rendered

TOPICS = [f"q{n:02}" for n in range(40)]
GOLD = [
    {"id": topic, "question": f"question {topic}?", "spans": [("d", 1000, 1200)]}
    for topic in TOPICS
]


def run(start, end, more=1000):
    """Return a run that reads one span of each topic, then other text."""
    return {topic: [("d", start, end), ("d", 5000, 5000 + more)] for topic in TOPICS}


@pytest.fixture(scope="module")
def three():
    """The best finds all evidence within 200 characters, the second half of it, the last none."""
    generator = np.random.default_rng(3)
    second = {
        topic: [("d", 1000 + int(shift), 1100 + int(shift)), ("d", 5000, 6000)]
        for topic, shift in zip(TOPICS, generator.integers(0, 40, 40), strict=True)
    }
    runs = {"last": run(3000, 3200), "second": second, "best": run(1000, 1200)}
    return spanwise.compare(GOLD, runs, budget=[200, 100_000])


def test_there_is_a_sentence_for_each_budget(three):
    first, second = three.headline
    assert first.startswith("At 200 characters: best is best, recall 1.0000 [1.0000, 1.0000], 0.50")
    assert first.endswith("ahead of second.")
    assert second == (
        "At 100,000 characters: no system returns as much in half of the topics, so nothing can be"
        " said."
    )


def test_the_answers_name_who_is_best_and_who_is_out(three):
    answer = three.verdict[0]
    assert (answer.best, set(answer.out), answer.open) == (("best",), {"second", "last"}, ())
    assert answer.budget == 200
    assert three.to_dict()["verdict"][0]["budget"] == 200


def test_systems_that_cannot_be_told_apart_are_named():
    half = {
        topic: [("d", 1000, 1100)] if n % 2 else [("d", 1100, 1200)]
        for n, topic in enumerate(TOPICS)
    }
    noisy = {
        topic: [("d", 1000 + 30 * (n % 5), 1100 + 30 * (n % 5))] for n, topic in enumerate(TOPICS)
    }
    c = spanwise.compare(GOLD, {"a": half, "b": noisy, "c": run(3000, 3100)}, budget=100)
    assert c.verdict[0].best == ("a",) or c.verdict[0].open == ("a", "b")
    same = spanwise.compare(GOLD, {"a": half, "b": dict(half)}, budget=100)
    assert same.headline[0].endswith(
        "recall 0.5000 [0.5000, 0.5000]; b is not distinguishable from it."
    )


def test_each_system_has_one_row_and_the_best_comes_first(three):
    table = rendered(three, "table")
    rows = table.partition("---\n")[2].splitlines()[:3]
    assert [row.split()[0] for row in rows] == ["best", "second", "last"]
    assert "topics needed" not in table
    assert "read twice" not in table
    assert "topics needed" in rendered(three, "table", everything=True)
    assert "read twice" in rendered(three, "table", everything=True)


def test_losses_are_those_of_the_largest_budget_that_is_reached(three):
    header = rendered(three, "md").partition("| system")[2].splitlines()[0]
    assert "complete at 200" in header
    assert "lost by ranker" in header


def test_the_table_fits_a_narrow_terminal():
    runs = {
        f"langchain-recursive-{n}/0 dense:wordllama": run(1000, 1000 + n) for n in range(60, 64)
    }
    c = spanwise.compare(GOLD, runs, budget=[50, 60, 70])
    assert max(map(len, rendered(c, "table", 80).splitlines())) <= 80


def test_printing_a_comparison_shows_what_the_command_prints(three):
    assert str(three) == rendered(three, "table")
    assert three._repr_html_().startswith("<p><strong>At 200 characters: best is best")


# Warnings -------------------------------------------------------------------------------------


def test_warnings_of_a_kind_are_one_line():
    some = [Caution(f"{n} % of {run}", run, "{amount} of {runs}", n / 100) for run, n in
            zip("abcdef", (5, 9, 3, 7, 8, 6), strict=True)]  # fmt: skip
    assert joined_cautions(["alone", *some]) == ["alone", "3 % to 9 % of a, b, c and 3 others"]
    assert joined_cautions(some[:1]) == ["5 % of a"]


def test_cautions_travel_between_processes():
    import pickle

    one = Caution("5 % of a", "a", "{amount} of {runs}", 0.05)
    again = pickle.loads(pickle.dumps(one))
    assert (again, again.run, again.kind, again.amount) == (one, "a", one.kind, 0.05)


def doubled(start):
    return {topic: [("d", start, start + 100)] * 2 for topic in TOPICS}


def test_a_comparison_has_few_lines_of_warnings():
    runs = {f"s{n}": doubled(1000 + n) for n in range(12)}
    c = spanwise.compare(GOLD, runs, budget=150)
    duplicate = [line for line in c.cautions() if "duplicate" in line]
    assert duplicate == [
        "beware: 50 % of the text that s0, s1, s2 and 9 others return is duplicate."
    ]
    assert len(c.cautions()) <= 11
    assert sum("duplicate" in warning for warning in c.to_dict()["warnings"]) == 12


def test_all_warnings_can_be_shown(tmp_path, monkeypatch, capfdbinary):
    monkeypatch.chdir(tmp_path)
    gold = [{"qid": t, "doc": "d", "spans": [{"s": 1000, "e": 1200}]} for t in TOPICS]
    (tmp_path / "gold.jsonl").write_text("".join(json.dumps(one) + "\n" for one in gold))
    for name in "ab":
        results = [
            {"qid": t, "rank": rank, "doc": "d", "s": 1000, "e": 1100}
            for t in TOPICS
            for rank in (1, 2)
        ]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(r) + "\n" for r in results))
    words = ["compare", "gold.jsonl", "a.jsonl", "b.jsonl", "--budget", "150"]
    assert main(words) == 0
    assert capfdbinary.readouterr().out.decode().count("is duplicate") == 1
    assert main([*words, "--warnings", "all"]) == 0
    assert capfdbinary.readouterr().out.decode().count("is duplicate") == 2


def test_all_needs_a_budget(capfdbinary):
    assert main(["compare", "a", "b", "--all"]) == 2
    assert "--all has no effect without --budget" in capfdbinary.readouterr().err.decode()


def test_text_beside_quoted_evidence_is_no_warning(three):
    assert not any("was judged" in warning for warning in three.warnings)


def test_a_gap_that_excludes_0_is_not_rounded_to_it():
    from spanwise.model.comparison import Contest
    from spanwise.report.verdict import _ahead

    chances, ranks, behind = (1.0, 0.0), (1, 2), ((), (0,))
    contest = Contest(
        ("a", "b"), 99, chances, ranks, ranks, behind, 0, (0, 0.025), (0, 0.0031), (0, 0.0469)
    )
    assert _ahead(contest) == "0.0250 [0.0031, 0.0469] ahead of b"
