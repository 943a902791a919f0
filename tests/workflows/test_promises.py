"""What users rely on across commands: verify without false alarms, explain what eval scores."""

import json

import pytest

import spanwise

JUDGED = '{"qid": "q1", "doc": "a", "doc_len": 50, "spans": [{"s": 0, "e": 10}]}\n'
CHUNKS = '{"qid": "q1", "doc": "a", "s": 5, "e": 15, "score": 1}\n'


def test_verify_of_runs_of_several_formats_reports_no_change(folder, ask):
    (folder / "gold.jsonl").write_text(JUDGED)
    (folder / "chunks.jsonl").write_text(CHUNKS)
    (folder / "documents.run").write_text("q1 Q0 b 1 2 whole\nq1 Q0 a 2 1 whole\n")
    files = ("gold.jsonl", "chunks.jsonl", "documents.run")
    assert ask("eval", *files, "-m", "AP", "-o", "kept.jsonl").status == 0
    answer = ask("verify", "kept.jsonl")
    assert answer.text == "2 runs, 2 values by topic: nothing changed\n"
    assert answer.status == 0


def test_explain_takes_judgements_of_several_assessors(folder, ask):
    # the value of eval is the mean over assessors: RR is 1 for anna, 1/2 for ben
    (folder / "several").write_text("1 anna a 1\n1 anna b 0\n1 ben a 0\n1 ben b 1\n")
    (folder / "mine").write_text("1 Q0 a 1 2 me\n1 Q0 b 2 1 me\n")
    files = ("several", "mine", "--judgements-format", "qrels_jg")
    scored = ask("eval", *files, "-m", "RR", "--json")
    assert json.loads(scored.text)["runs"][0]["means"] == {"RR": 0.75}
    text = ask("explain", *files, "--topic", "1", "-m", "RR").text
    assert "assessor anna: RR = 1.0000" in text
    assert "assessor ben: RR = 0.5000" in text
    assert "RR = 0.7500, the mean over 2 assessors" in text


def test_explain_takes_what_eval_takes(folder, ask):
    (folder / "runs").mkdir()
    (folder / "runs" / "only.run").write_text("1 Q0 bat 1 2 me\n")
    answer = ask("explain", "qrels.txt", "runs", "--topic", "1", "-m", "map")
    assert answer.status == 0
    assert "map = 0.5000" in answer.text


def test_a_named_run_has_its_name_everywhere(folder, ask):
    words = ("qrels.txt", "one=run.txt", "two=run.txt", "-m", "AP")
    for command in ("eval", "compare"):
        for layout in ("csv", "json", "md"):
            text = ask(command, *words, "--format", layout).text
            assert "one" in text, (command, layout)
            assert "two" in text, (command, layout)
            assert "mine" not in text, (command, layout)


def test_python_explains_gates_and_verifies(folder):
    found = spanwise.explain("qrels.txt", "run.txt", "1", "AP")
    assert found.value == 0.5
    scores = spanwise.evaluate("qrels.txt", "run.txt", "AP")
    worse = spanwise.evaluate("qrels.txt", {"1": {"ape": 1.0}, "2": {"fox": 1.0}}, "AP")
    assert spanwise.gate(scores, scores, "AP", floor=0.5, by="mean").passed
    assert not spanwise.gate(scores, scores, "AP", floor=0.5).passed  # two topics show little
    assert not spanwise.gate(worse, scores, "AP", floor=0.5).passed


def test_python_compares_assessors(folder):
    found = spanwise.agree(
        {"anna": {"1": {"a": 1, "b": 1}}, "ben": {"1": {"a": 1, "b": 0}}}, unit="document"
    )
    assert found["pairs"][0]["a"] == "anna"
    assert found["pairs"][0]["overlap"] == pytest.approx(1 / 2)
    assert "anna" in str(found)


def test_python_sweeps_over_texts_in_memory():
    texts = {"a": "one two three. " * 30, "b": "four five six. " * 30}
    gold = [{"id": "q", "question": "five six", "spans": [{"doc": "b", "s": 0, "e": 14}]}]
    pytest.importorskip("bm25s")
    found = spanwise.sweep(gold, texts, sizes=(100, 200), budgets=200)
    assert set(found.runs) == {"fixed-100/0 bm25", "fixed-200/0 bm25"}


def test_explain_has_json(folder, ask):
    words = ("explain", "qrels.txt", "run.txt", "--topic", "1", "-m", "RR")
    found = json.loads(ask(*words, "--json").text)
    assert (found["run"], found["topic"], found["measure"], found["value"]) == (
        "mine",
        "1",
        "RR",
        0.5,
    )
    (only,) = found["assessors"]
    assert only["value"] == 0.5
    assert [row["document"] for row in only["rows"]] == ["ape", "bat", "cat", "dog"]
    ask(*words, "-o", "why.json")
    assert json.loads((folder / "why.json").read_text()) == found
