"""Runs that stop before a budget: marks, the topics of differences, curves, and the verdict."""

import base64
import gzip
import json

import pytest

import spanwise
from spanwise.cli import main

TOPICS = [f"q{n:02}" for n in range(20)]


def lines(path, objects):
    path.write_text("".join(json.dumps(one) + "\n" for one in objects))


def results(spans):
    """A run of spans in document d, by topic."""
    return [
        {"qid": topic, "rank": rank, "doc": "d", "s": s, "e": e}
        for topic, some in spans.items()
        for rank, (s, e) in enumerate(some, start=1)
    ]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Relevant are 100 to 200. `full` returns 1,000 characters for every topic, the answer last.

    `short` returns 300 on five topics, with the answer, and 1,000 on the others, without it.
    """
    monkeypatch.chdir(tmp_path)
    lines(tmp_path / "gold.jsonl", [
        {"qid": topic, "query": f"what is {topic}", "doc": "d", "spans": [{"s": 100, "e": 200}]}
        for topic in TOPICS
    ])  # fmt: skip
    full = {topic: [(1000, 1900), (100, 200)] for topic in TOPICS}
    short = {topic: [(1000, 1900), (2000, 2100)] for topic in TOPICS}
    short |= {topic: [(100, 200), (1000, 1200)] for topic in TOPICS[:5]}
    lines(tmp_path / "full.jsonl", results(full))
    lines(tmp_path / "short.jsonl", results(short))
    return tmp_path


FILES = ("gold.jsonl", "full.jsonl", "short.jsonl")


def answer(capfd, *words):
    capfd.readouterr()
    assert main([*words]) == 0
    return json.loads(capfd.readouterr().out)


def test_differences_are_over_the_topics_that_both_runs_reach(folder, capfd):
    found = answer(capfd, "compare", *FILES, "-m", "SpanR(budget=1000),SpanR", "--json")
    assert [(one["measure"], one["topics"]) for one in found["comparisons"]] == [
        ("SpanR(budget=1000)", 15),
        ("SpanR", 20),
    ]
    (at, whole) = found["comparisons"]
    assert (at["difference"], at["wins"], at["losses"]) == (-1, 0, 15)
    assert whole["difference"] == -15 / 20
    reached = {(one["run"], one["measure"]): one.get("reached") for one in found["scores"]}
    assert reached["full", "SpanR(budget=1000)"] == 20
    assert reached["short", "SpanR(budget=1000)"] == 15
    assert reached["short", "SpanR"] is None


def test_a_table_marks_means_at_budgets_that_are_not_reached(folder, capfd):
    assert main(["compare", *FILES, "-m", "SpanR(budget=1000),SpanR(budget=200)"]) == 0
    table = capfd.readouterr().out
    row = next(line for line in table.splitlines() if line.startswith("short"))
    # 5 of 20 topics have the answer, 15 are compared; 200 is reached on every topic
    assert [word for word in row.split() if word.startswith("0.25")] == ["0.2500‡§", "0.2500"]
    assert "§ short reaches the budget of 1,000 in 15 of 20 topics" in table
    assert "half of its topics return 1,000 or more" in table
    assert "full reaches" not in table
    assert "topics in which both runs reach it" in table
    assert main(["eval", *FILES, "-m", "SpanR(budget=1000)"]) == 0
    table = capfd.readouterr().out
    assert "0.2500§" in table
    assert "§ short reaches the budget of 1,000 in 15 of 20 topics" in table


def test_a_budget_that_no_run_reaches_in_half_of_the_topics_is_not_reached(folder, capfd):
    words = ["compare", *FILES, "-m", "SpanR(budget=200),SpanP(budget=5000)"]
    assert main(words) == 0
    table = capfd.readouterr().out
    assert table.count("not reached") == 2
    assert "5,000 in 0 of 20 topics" in table
    found = answer(capfd, *words, "--json")
    (one,) = [one for one in found["comparisons"] if one["measure"] == "SpanP(budget=5000)"]
    assert (one["topics"], one["p"], one["difference"]) == (0, None, None)
    assert any("both reach the budget of SpanP(budget=5000) in 0" in w for w in found["warnings"])
    assert main([*words, "--test", "tukey", "--all-pairs"]) == 0
    assert main([*words, "--test", "bootstrap,t,wilcoxon,sign,randomised_tukey"]) == 0


def test_a_short_run_does_not_win_by_stopping(folder, capfd):
    """Its precision at 1,000 is higher because it has read 300; no topic of these is compared."""
    short = {topic: [(100, 200), (1000, 1200)] for topic in TOPICS}
    lines(folder / "short.jsonl", results(short))
    c = spanwise.compare(*self_named(folder), "SpanP(budget=1000)")
    assert c.mean("short", "SpanP(budget=1000)").value > c.mean("full", "SpanP(budget=1000)").value
    assert c.best("SpanP(budget=1000)") == ("full",)
    assert c.mark("short", "SpanP(budget=1000)") == "§"
    assert c.differences[0].topics == 0


def self_named(folder):
    runs = {name: str(folder / f"{name}.jsonl") for name in ("full", "short")}
    return str(folder / "gold.jsonl"), runs


def test_python_and_files_of_results_say_the_same(folder, capfd):
    found = spanwise.compare(*self_named(folder), budget=[200, 1000])
    by_name = {one.measure: one.topics for one in found.differences}
    assert by_name["SpanR(budget=200)"] == 20
    assert by_name["SpanR(budget=1000)"] == 15
    assert by_name["FirstEvidence(budget=1000)"] == 15
    for ending in ("jsonl", "parquet"):
        name = f"kept.{ending}"
        assert main(["eval", *FILES, "-m", "SpanR(budget=1000)", "-o", name]) == 0
        kept = answer(capfd, "compare", name, "--json")
        assert kept["comparisons"][0]["topics"] == 15


def test_the_probability_is_that_of_the_topics_compared(folder):
    """Fifteen losses of equal size: 2 of 2^15 assignments of signs are as extreme."""
    found = spanwise.compare(*self_named(folder), "SpanR(budget=1000)", tests="sign")
    assert found.differences[0].p == pytest.approx(2 / 2**15)


def test_a_curve_ends_where_half_of_the_topics_end(folder, capfd):
    short = {topic: [(1000, 1600)] for topic in TOPICS}
    lines(folder / "short.jsonl", results(short))
    assert main(["plot", "budget", *FILES, "-o", "curve.json"]) == 0
    spec = json.loads((folder / "curve.json").read_text())
    points = spec["data"]["values"]
    assert max(one["x"] for one in points if one["run"] == "short") == 500
    assert max(one["x"] for one in points if one["run"] == "full") == 1000
    assert [(one["run"], one["x"]) for one in points if one.get("end")] == [
        ("full", 1000), ("short", 500),
    ]  # fmt: skip
    assert any("datum.end" in json.dumps(layer) for layer in spec["layer"])
    gold, _ = self_named(folder)
    read = {n: [("d", s, e) for s, e in [(1000, 1600)]] for n in TOPICS}
    curve = spanwise.compare(gold, {"short": read}, budget=[200, 1000]).curve()
    assert 500 < curve["budget"].max() <= 600
    assert curve["budget"].min() == 50


def test_reach_counts_in_the_unit_of_the_budget(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "d.txt").write_text("one two three four five six")
    lines(tmp_path / "gold.jsonl", [{"qid": "q", "doc": "d", "spans": [{"s": 8, "e": 13}]}])
    lines(tmp_path / "run.jsonl", [
        {"qid": "q", "doc": "d", "s": 0, "e": 7, "cost": 14},
        {"qid": "q", "doc": "d", "s": 7, "e": 18, "cost": 22},
    ])  # fmt: skip
    names = ("Reach(budget=4)", "Reach(budget=5)", "FirstEvidence(budget=3)")
    words = ["eval", "gold.jsonl", "run.jsonl", "--collection", "docs", "--json", "-m"]
    found = answer(capfd, *words, ",".join(names), "--unit", "tokens:whitespace")
    assert found["runs"][0]["means"] == dict(zip(names, (1, 0, 2), strict=True))  # one two | three
    names = ("Reach(budget=36)", "Reach(budget=37)", "FirstEvidence(budget=99)")
    found = answer(capfd, *words, ",".join(names), "--unit", "cost")
    # the first relevant character is the second of the second result: 14 + 22 / 11
    assert found["runs"][0]["means"] == dict(zip(names, (1, 0, 16), strict=True))


@pytest.mark.parametrize(
    ("name", "due"),
    [
        ("Reach(budget=300)", 1),
        ("Reach(budget=301)", 15 / 20),
        ("FirstEvidence(budget=1000)", (5 * 0 + 15 * 1000) / 20),
        ("FirstEvidence(budget=150)", (5 * 0 + 15 * 150) / 20),
        ("FirstEvidence", 0),  # topics without evidence are left out
    ],
)
def test_reach_and_cost_to_first_evidence(folder, capfd, name, due):
    found = answer(capfd, "eval", "gold.jsonl", "short.jsonl", "-m", name, "--json")
    assert found["runs"][0]["means"][name] == due


def test_returning_more_does_not_raise_the_cost_to_first_evidence(folder, capfd):
    """Without a budget it does: a topic whose evidence comes late enters the mean."""
    more = {topic: [(1000, 1900), (2000, 2100), (100, 200)] for topic in TOPICS}
    more |= {topic: [(100, 200), (1000, 1200)] for topic in TOPICS[:5]}
    lines(folder / "more.jsonl", results(more))
    files = ("gold.jsonl", "short.jsonl", "more.jsonl")
    names = "FirstEvidence,FirstEvidence(budget=1000),FirstEvidence(budget=5000)"
    found = answer(capfd, "eval", *files, "-m", names, "--json")
    short, longer = (one["means"] for one in found["runs"])
    assert short["FirstEvidence"] < longer["FirstEvidence"]
    for name in names.split(",")[1:]:
        assert longer[name] <= short[name]


def test_marks_are_written_for_latex_and_markdown(folder, capfd):
    words = ["compare", *FILES, "-m", "SpanR(budget=1000)", "--format"]
    assert main([*words, "latex"]) == 0
    assert r"0.2500$^{\ddagger\S}$" in capfd.readouterr().out
    assert main([*words, "md"]) == 0
    assert "0.2500‡§" in capfd.readouterr().out


def test_a_page_shows_no_mean_and_no_curve_beyond_the_end(folder, capfd):
    words = ["compare", *FILES, "-m", "SpanR(budget=1000),SpanR(budget=5000)"]
    assert main([*words, "--html", "page.html"]) == 0
    page = (folder / "page.html").read_text()
    whole = part_of(page, "all")
    assert [one[1] for one in whole["means"]] == [[None] * 3] * 2
    assert [one[0] for one in whole["marks"]] == ["", "‡§"]
    assert any("5,000 in 0 of 20 topics" in line for line in whole["legend"])
    curve = part_of(page, "curves")[0]
    for run in curve["points"]:
        drawn = [place for place, one in zip(curve["places"], run, strict=True) if one[0]]
        assert max(drawn) == 1000


def part_of(page, name):
    """One of the compressed parts of a page."""
    packed = page.partition(f'id="data-{name}">')[2].partition("<")[0]
    return json.loads(gzip.decompress(base64.b64decode(packed)))


def test_pieces_of_a_run_give_the_same(folder, capfd, monkeypatch):
    """Also what is noted about depth, reach and white space."""
    names = "SpanR(budget=1000),FullEvidence(budget=1000),Ceiling(of=returned,budget=1000)"
    words = ("eval", *FILES, "-m", names, "-q", "--json")
    whole = answer(capfd, *words)
    monkeypatch.setattr("spanwise.evaluation.plan.piece_size", lambda: 200)
    assert answer(capfd, *words) == whole
    assert main(["eval", *FILES, "-m", names]) == 0
    table = capfd.readouterr().out
    assert "§ short reaches the budget of 1,000 in 15 of 20 topics" in table
    assert table.count("largest number of results of a topic: 2") == 2
