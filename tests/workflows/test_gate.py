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


# Limits of the interval, margins, and groups ----------------------------------------------------


def closes(tmp_path, values, *options, before=None):
    """Whether a gate closes on these values; `before` defaults to 0.5 for each topic."""
    old, new = tmp_path / "old.jsonl", tmp_path / "new.jsonl"
    results(old, "bm25", before or [0.5] * len(values))
    results(new, "bm25", values)
    words = ["gate", str(new), "--baseline", str(old), "-m", "AP", *options]
    return bool(main([*words, "--junit", str(tmp_path / "gate.xml")]))


SPREAD = [0.4, 0.6] * 15  # mean 0.5, Student's 95 % interval 0.462 to 0.538


@pytest.mark.parametrize(
    ("options", "closed"),
    [
        (["--min", "0.45"], False),
        (["--min", "0.47"], True),
        (["--min", "0.47", "--by", "mean"], False),
        (["--min", "0.47", "--by", "interval"], True),
        (["--max", "0.55"], False),
        (["--max", "0.53"], True),
        (["--max", "0.53", "--by", "mean"], False),
        (["--max", "0.49", "--by", "mean"], True),
        (["--min", "0.45", "--max", "0.55"], False),
    ],
)
def test_limits_hold_for_the_end_of_the_interval(tmp_path, options, closed):
    assert closes(tmp_path, SPREAD, *options) == closed


@pytest.mark.parametrize(
    ("drops", "options", "closed"),
    [
        ([0.005] * 30, [], True),  # a credible drop without a margin
        ([0.005] * 30, ["--margin", "0.01"], False),  # equivalent
        ([0.005] * 30, ["--margin", "0.01", "--strict"], False),
        ([0.005] * 30, ["--margin", "2%"], False),  # of 0.5, so 0.01
        ([0.02] * 30, ["--margin", "0.01"], True),  # worse
        ([0.02] * 30, ["--margin", "2%"], True),
        ([-0.02] * 30, ["--margin", "0.01", "--strict"], False),  # better
        ([0.1, -0.09] * 15, ["--margin", "0.01"], False),  # not known
        ([0.1, -0.09] * 15, ["--margin", "0.01", "--strict"], True),
    ],
)
def test_a_margin_decides_about_drops(tmp_path, drops, options, closed):
    assert closes(tmp_path, [0.5 - drop for drop in drops], *options) == closed


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--strict"], "strict has no effect without a margin"),
        (["--by", "mean"], "by mean has no effect"),
        (["--margin", "0.1", "--max-drop", "0.2"], "max-drop has no effect with a margin"),
        (["--margin", "0.1", "--alpha", "0.01"], "alpha has no effect with a margin"),
        (["--worst-group"], "worst-group needs groups"),
        (["--max", "nan"], "the maximum is not a number"),
        (["--groups", "g.txt"], "groups have no effect without worst-group"),
    ],
)
def test_options_without_effect_are_refused(tmp_path, capfdbinary, options, complaint):
    old = tmp_path / "old.jsonl"
    results(old, "bm25", [0.5] * 3)
    words = ["gate", str(old), "--baseline", str(old), "-m", "AP", *options]
    assert main(words) == 2
    assert complaint in capfdbinary.readouterr().err.decode()


@pytest.mark.parametrize(
    ("options", "closed"),
    [
        ([], False),  # better in most topics
        (["--worst-group"], True),
        (["--worst-group", "--max-drop", "0.2"], False),
        (["--worst-group", "--max-drop", "0.2", "--min", "0.35"], False),
        (["--worst-group", "--max-drop", "0.2", "--min", "0.45"], True),
        (["--worst-group", "--margin", "0.01"], True),
        (["--worst-group", "--margin", "0.15"], False),
    ],
)
def test_every_threshold_holds_for_each_group(tmp_path, capfdbinary, options, closed):
    file = tmp_path / "groups.txt"
    file.write_text("".join(f"{n} {'rare' if n < 12 else 'common'}\n" for n in range(40)))
    groups = ["--groups", str(file)] if options else []
    assert closes(tmp_path, [0.4] * 12 + [0.7] * 28, *groups, *options) == closed
    said = capfdbinary.readouterr().out.decode()
    assert ("worst group of group for bm25 on AP: rare, 0.4000" in said) == bool(options)


def test_the_groups_of_a_gate_as_json_and_junit(tmp_path, capfdbinary):
    file = tmp_path / "groups.txt"
    file.write_text("".join(f"{n} {'rare' if n < 12 else 'common'}\n" for n in range(40)))
    words = ["--groups", str(file), "--worst-group", "--json", "--min", "0.3"]
    assert closes(tmp_path, [0.4] * 12 + [0.7] * 28, *words)
    found = json.loads(capfdbinary.readouterr().out)
    assert [one.get("group") for one in found["verdicts"]] == [None, "common", "rare"]
    assert [one["passed"] for one in found["verdicts"]] == [True, True, False]
    assert [one["topics"] for one in found["verdicts"]] == [40, 28, 12]
    worst = {"run": "bm25", "measure": "AP", "grouping": "group", "group": "rare"}
    assert found["worst_groups"] == [worst]
    suite = ElementTree.parse(tmp_path / "gate.xml").getroot().find("testsuite")
    names = [case.get("name") for case in suite]
    assert names == ["AP", "AP [group: common]", "AP [group: rare]"]


def test_python_gates_by_groups_and_margins():
    import spanwise
    from one_relevant import scored

    old = scored("a", [0.5] * 40)
    new = scored("a", [0.4] * 12 + [0.7] * 28)
    groups = {f"q{n}": "rare" if n < 12 else "common" for n in range(40)}
    assert spanwise.gate(new, old, "AP", margin=0.01).passed
    found = spanwise.gate(new, old, "AP", margin=0.01, groups=groups, worst_group=True)
    assert [one.decision for one in found.verdicts] == ["better", "better", "worse"]
    assert [one.group for one in found.worst_groups] == ["rare"]


def test_a_gate_says_first_what_a_comparison_says(tmp_path, capfdbinary):
    old, new = tmp_path / "old.jsonl", tmp_path / "new.jsonl"
    results(old, "bm25", [0.5, 0.4] * 15)
    results(new, "dense", [0.3, 0.2] * 15)
    words = ["gate", str(new), "--baseline", str(old), "-m", "AP"]
    assert main(words) == 1
    lines = capfdbinary.readouterr().out.decode().split("\n\n")
    assert lines[0].startswith("**Gate: failed")
    assert lines[1].startswith("bm25 is best on AP: 0.4500; dense has -0.2000")
    assert main([*words, "--format", "json"]) == 1
    (one,) = json.loads(capfdbinary.readouterr().out)["verdicts"]
    assert one["sentence"] == lines[1]
