"""A gate in continuous integration: it closes on what is worse, and only on that."""

import json
from xml.etree import ElementTree

import pytest

from spanwise.cli import main


def results(path, run, values):
    records = [
        {"run": run, "topic": str(n), "measure": "AP", "value": v} for n, v in enumerate(values)
    ]
    mean = sum(values) / len(values)
    records.append({"run": run, "topic": "all", "measure": "AP", "value": mean})
    path.write_text("".join(json.dumps(one) + "\n" for one in records))


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
    said = capfdbinary.readouterr().out
    assert (b"Gate: failed" in said) == bool(status)
    assert b"-0.0000" not in said
    suite = ElementTree.parse(junit).getroot().find("testsuite")
    assert (suite.get("tests"), suite.get("failures")) == ("1", str(status))


def test_a_gate_says_which_topics_it_did_not_compare(tmp_path, capfdbinary):
    old, new = tmp_path / "old.jsonl", tmp_path / "new.jsonl"
    results(old, "bm25", [0.5] * 5)
    results(new, "bm25", [0.5] * 3)
    assert main(["gate", str(new), "--baseline", str(old), "-m", "AP"]) == 0
    assert capfdbinary.readouterr().err == (
        b"spanwise: warning: bm25: 2 topics of the baseline are missing and 0 are new;"
        b" the drop is computed over the 3 topics of both\n"
    )


def test_a_gate_needs_its_measure(tmp_path, capfdbinary):
    results(tmp_path / "old.jsonl", "bm25", [0.5] * 3)
    words = ["gate", str(tmp_path / "old.jsonl"), "--baseline", str(tmp_path / "old.jsonl")]
    assert main([*words, "-m", "nDCG"]) == 2
    assert b"unknown measure" in capfdbinary.readouterr().err


# Runs in the place of results -------------------------------------------------------------------


def test_a_run_is_held_to_another(folder, ask):
    (folder / "worse.run").write_text("1 Q0 ape 1 9 worse\n2 Q0 fox 1 9 worse\n")
    same = ask("gate", "qrels.txt", "run.txt", "--baseline", "run.txt", "-m", "AP")
    assert same.status == 0
    held = ask(
        "gate", "qrels.txt", "worse.run", "--baseline", "run.txt", "-m", "AP", "--min", "0.5"
    )
    assert held.status == 1
    assert "0.0000 is below" in held.text


def test_options_of_scoring_are_for_runs(folder, ask):
    ask("eval", "qrels.txt", "run.txt", "-m", "AP", "-o", "kept.jsonl")
    words = ("gate", "kept.jsonl", "--baseline", "kept.jsonl", "-m", "AP")
    assert ask(*words).status == 0
    assert ask(*words, "--depth", "1").complaint == (
        "options of scoring have no effect on a file of results"
    )
    assert "holds results" in ask("gate", "kept.jsonl", "run.txt", *words[2:]).complaint


def test_a_run_is_held_to_results(folder, ask):
    ask("eval", "qrels.txt", "run.txt", "-m", "AP", "-o", "kept.jsonl")
    answer = ask("gate", "qrels.txt", "run.txt", "--baseline", "kept.jsonl", "-m", "AP")
    assert answer.status == 0
