"""The Python functions that score: one run, several runs, runs in a loop."""

import numpy as np
import pytest

import spanwise
from spanwise.errors import UsageError

# q1   cat -, dog +    RR 1/2
# q2   eel +           RR 1
JUDGED = {"q1": {"dog": 1, "cat": 0}, "q2": {"eel": 2}}
FIRST = {"q1": {"cat": 2.0, "dog": 1.0}, "q2": {"eel": 1.0}}
SECOND = {"q1": {"dog": 2.0, "cat": 1.0}, "q2": {"fox": 1.0}}


def test_one_run_gives_scores_and_several_give_a_table():
    scores = spanwise.evaluate(JUDGED, FIRST, "RR")
    assert isinstance(scores, spanwise.Scores)
    table = spanwise.evaluate(JUDGED, {"first": FIRST, "second": SECOND}, "RR")
    assert isinstance(table, spanwise.ScoreTable)
    assert table.means == {"first": {"RR": 0.75}, "second": {"RR": 0.5}}
    assert table["first"].per_topic == scores.per_topic
    assert list(table) == ["first", "second"]
    assert table.signature == scores.signature


def test_runs_of_a_table_may_be_files_and_objects(tmp_path):
    (tmp_path / "run.txt").write_text("q1 Q0 dog 1 2 mine\nq2 Q0 eel 1 1 mine\n")
    table = spanwise.evaluate(JUDGED, {"file": tmp_path / "run.txt", "dict": FIRST}, "RR")
    assert table.means == {"file": {"RR": 1.0}, "dict": {"RR": 0.75}}


def test_the_exports_of_a_table_name_the_run():
    table = spanwise.evaluate(JUDGED, {"first": FIRST, "second": SECOND}, "RR")
    rows = [
        ("first", "q1", "RR", 0.5),
        ("first", "q2", "RR", 1.0),
        ("second", "q1", "RR", 1.0),
        ("second", "q2", "RR", 0.0),
    ]
    assert table.to_polars().rows() == rows
    assert [tuple(row.values()) for row in table.to_arrow().to_pylist()] == rows
    assert list(table.to_pandas().itertuples(index=False, name=None)) == rows
    assert repr(table) == "<ScoreTable of 2 runs in RR>"
    assert "<td>first</td>" in table._repr_html_()


def test_an_evaluator_prepares_once_and_scores_many():
    evaluator = spanwise.Evaluator(JUDGED, ["RR", "nDCG@10"])
    for run in (FIRST, SECOND):
        one, other = evaluator.evaluate(run), spanwise.evaluate(JUDGED, run, ["RR", "nDCG@10"])
        assert one.means == other.means
        assert one.signature == other.signature
        assert one.notes == other.notes
    assert repr(evaluator) == "<Evaluator: 2 topics of 'the judgements'; RR, nDCG@10>"


def test_a_policy_may_be_an_object_or_fields():
    policy = spanwise.Policy(average_over="both")
    short = {"q1": FIRST["q1"]}
    one = spanwise.evaluate(JUDGED, short, "RR", policy=policy)
    other = spanwise.evaluate(JUDGED, short, "RR", average_over="both")
    assert one.means == other.means == {"RR": 0.5}
    assert one.signature == other.signature


def test_rel_is_for_every_measure_that_does_not_state_it():
    means = spanwise.evaluate(JUDGED, FIRST, ["P@1", "P(rel=1)@1"], rel=2).means
    assert means == {"P@1": 1.0, "P(rel=1)@1": 0.5}  # q1 has nothing of grade 2: undefined there


def test_chunks_and_retrievers_are_runs():
    gold = [{"id": "q1", "question": "what is a cat?", "spans": [{"doc": "a", "s": 0, "e": 10}]}]
    chunks = {"q1": [{"doc": "a", "s": 0, "e": 20}]}
    one = spanwise.evaluate(gold, chunks, "SpanR(budget=5)")
    assert one.means == {"SpanR(budget=5)": 0.5}
    other = spanwise.evaluate(gold, lambda _: chunks["q1"], "SpanR(budget=5)")
    assert other.means == one.means


def test_one_evaluation_may_have_two_kinds_of_wrong_options():
    with pytest.raises(UsageError, match="unknown option 'tie'"):
        spanwise.evaluate(JUDGED, FIRST, "RR", tie="file")
    with pytest.raises(UsageError, match="--unit has no effect on RR"):
        spanwise.evaluate(JUDGED, FIRST, "RR", unit="cost")


def test_differences_are_drawn_of_a_table():
    table = spanwise.evaluate(JUDGED, {"first": FIRST, "second": SECOND}, "RR")
    picture = table.plot("differences", run="second", baseline="first")
    assert [row["difference"] for row in picture.values] == [0.5, -1.0]


def test_runs_of_one_name_are_told_apart_in_every_output(tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.run").write_text("q1 Q0 dog 1 2 mine\n")
    files = [str(tmp_path / folder / "x.run") for folder in ("a", "b")]
    found = spanwise.compare(JUDGED, files, "RR")
    assert sorted(found.runs) == ["a/x.run", "b/x.run"]
    assert sorted({row[0] for row in found.to_polars().rows()}) == ["a/x.run", "b/x.run"]


def test_results_stay_arrays_of_numbers():
    table = spanwise.evaluate(JUDGED, {"first": FIRST}, "RR")
    assert isinstance(table["first"].values["RR"], np.ndarray)
