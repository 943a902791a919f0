"""compare --budget, sweep and gate, as a stranger calls them."""

import json
from xml.etree import ElementTree

import pytest

from spanwise.app.cli import main

GOLD = [
    {"format": "span-qrels/1", "unit": "char", "char": "codepoint"},
    {"qid": "q", "query": "why", "doc": "d", "doc_len": 10_000,
     "spans": [{"s": 1000, "e": 1200}, {"s": 5000, "e": 5300}]},
]  # fmt: skip
RUNS = {
    "A": [(800, 1200), (4800, 5200), (5200, 5600), (2000, 2400), (7600, 8000)],
    "B": [(800, 1200), (850, 1250), (900, 1300), (950, 1350), (1000, 1400)],
    "C": [(0, 3200), (3200, 6400)],
}


def lines(path, objects):
    path.write_text("".join(json.dumps(one) + "\n" for one in objects))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines(tmp_path / "gold.jsonl", GOLD)
    for name, spans in RUNS.items():
        results = [
            {"qid": "q", "rank": rank, "doc": "d", "s": s, "e": e}
            for rank, (s, e) in enumerate(spans, start=1)
        ]
        lines(tmp_path / f"{name}.jsonl", [{"format": "span-run/1", "run": name}, *results])
    return tmp_path


def test_the_table_of_a_comparison_at_equal_reading(folder, capfdbinary):
    words = ["compare", "gold.jsonl", "A.jsonl", "B.jsonl", "C.jsonl", "--budget", "500,2000"]
    assert main([*words, "--format", "json"]) == 0
    found = json.loads(capfdbinary.readouterr().out)
    values = {(one["run"], one["measure"]): one["value"] for one in found["scores"]}
    assert [values[run, "SpanR(budget=2000)"] for run in "ABC"] == [1.0, 0.4, 0.4]
    assert [values[run, "Ceiling(budget=500)"] for run in "ABC"] == [0.6, 0.4, 0.0]
    assert values["B", "Waste(budget=2000)"] == pytest.approx(0.7)
    said = " ".join(found["warnings"])
    assert "C reads 3.2 times more than A at k=5" in said
    assert "70 % of what B returns is duplicate" in said
    assert main(words) == 0
    table = capfdbinary.readouterr().out.decode()
    assert "recall at 2,000" in table
    assert "complete evidence at 500" in table


def test_budgets_that_are_none_are_refused(folder, capfdbinary):
    assert main(["compare", "gold.jsonl", "A.jsonl", "--budget", "many"]) == 2
    assert b"expected numbers above 0" in capfdbinary.readouterr().err
    assert main(["compare", "gold.jsonl", "A.jsonl", "--budget", "5", "--unit", "pages"]) == 2
    assert b"unknown unit 'pages'" in capfdbinary.readouterr().err


def test_chunks_without_offsets_are_found_and_that_is_said(tmp_path, monkeypatch, capfdbinary):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    text = "".join(f"Sentence number {n} says something. " for n in range(50))
    (tmp_path / "docs" / "d.txt").write_text(text)
    quote = "Sentence number 20 says something."
    lines(tmp_path / "gold.jsonl", [{"qid": "q", "doc": "d", "spans": [{"text": quote}]}])
    chunks = [
        {"qid": "q", "rank": 1, "doc": "d", "s": -1, "text": text[600:800]},
        {"qid": "q", "rank": 2, "doc": "d", "s": 0, "e": 100, "text": text[:100]},
        {"qid": "q", "rank": 3, "doc": "gone", "s": 0, "e": 9},
    ]
    lines(tmp_path / "run.jsonl", chunks)
    files = ["gold.jsonl", "run.jsonl", "--collection", "docs"]
    assert main(["check", *files, "--format", "json"]) == 1  # a document is missing
    gold, run = json.loads(capfdbinary.readouterr().out)["files"]
    assert gold["placements"]["exact"] == 1
    assert (run["placements"]["exact"], run["placements"]["shifted"]) == (1, 1)
    assert main(["compare", *files, "--budget", "300", "--format", "json"]) == 0
    said = " ".join(json.loads(capfdbinary.readouterr().out)["warnings"])
    assert "50 % of the chunks of run had no valid offset; 50 % were re-placed" in said
    assert "1 of 3 results of run name documents that no longer exist" in said


def test_a_sweep_makes_its_runs_itself(tmp_path, monkeypatch, capfdbinary):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    names = ["alpha", "beta", "gamma", "delta"]
    for name in names:
        (tmp_path / "docs" / f"{name}.txt").write_text(
            "Filler words here. " * 20 + f"The {name} value is important. " + "More filler. " * 20
        )
    gold = [
        {"qid": name, "query": f"{name} value", "doc": name,
         "spans": [{"text": f"The {name} value is important."}]}
        for name in names
    ]  # fmt: skip
    lines(tmp_path / "gold.jsonl", gold)
    words = ["sweep", "gold.jsonl", "--collection", "docs", "--budget", "200,800"]
    words += ["--sizes", "100,200", "--overlaps", "0,50", "--chunker", "fixed"]
    words += ["--chunker", "sentence", "--retriever", "bm25", "--runs", "made", "--format", "json"]
    assert main(words) == 0
    found = json.loads(capfdbinary.readouterr().out)
    values = {(one["run"], one["measure"]): one["value"] for one in found["scores"]}
    assert values["sentence 200/0", "SpanR(budget=800)"] == 1
    assert len({run for run, _ in values}) == 8
    assert (tmp_path / "made" / "fixed-100-50.jsonl").is_file()
    assert all(value is None or value <= 1 for (_, m), value in values.items() if "R" in m)


def results(path, run, values):
    records = [
        {"run": run, "topic": str(n), "measure": "AP", "value": v} for n, v in enumerate(values)
    ]
    mean = sum(values) / len(values)
    lines(path, [*records, {"run": run, "topic": "all", "measure": "AP", "value": mean}])


@pytest.mark.parametrize(
    ("drops", "options", "status"),
    [
        ([0.2] * 30, [], 1),
        ([0.2] * 30, ["--max-drop", "0.3"], 0),
        ([0.2, -0.19] * 15, [], 0),  # worse by a little, but that may be chance
        ([-0.2] * 30, [], 0),
        ([0.0] * 30, ["--min", "0.9"], 1),
        ([0.01] * 30, ["--alpha", "0.01"], 1),
    ],
)
def test_the_gate_closes_on_credible_regressions_only(
    tmp_path, capfdbinary, drops, options, status
):
    old, new = tmp_path / "old.jsonl", tmp_path / "new.jsonl"
    results(old, "bm25", [0.5] * 30)
    results(new, "bm25", [0.5 - drop for drop in drops])
    junit = tmp_path / "gate.xml"
    words = ["gate", str(new), "--baseline", str(old), "--measure", "AP", "--junit", str(junit)]
    assert main([*words, *options]) == status
    assert (b"Gate: failed" in capfdbinary.readouterr().out) == bool(status)
    suite = ElementTree.parse(junit).getroot().find("testsuite")
    assert (suite.get("tests"), suite.get("failures")) == ("1", str(status))


def test_a_gate_needs_its_measure(tmp_path, capfdbinary):
    results(tmp_path / "old.jsonl", "bm25", [0.5] * 3)
    words = ["gate", str(tmp_path / "old.jsonl"), "--baseline", str(tmp_path / "old.jsonl")]
    assert main([*words, "-m", "nDCG"]) == 2
    assert b"unknown measure" in capfdbinary.readouterr().err
