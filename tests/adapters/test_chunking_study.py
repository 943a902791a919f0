"""The study of chunkers gives the same numbers again, where its data and libraries are here."""

import csv
import json
import runpy
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest

import spanwise
from shared_data import shared

STUDY = Path(__file__).parents[2] / "examples" / "chunking-study"
REASON = "not installed; run: make test-adapters"
WAYS = [
    ({"chunkers": "langchain-recursive", "sizes": (800,), "overlaps": (200,)}, "bm25"),
    ({"chunkers": "llamaindex-sentence", "sizes": (1600,), "overlaps": (0,)}, "wordllama"),
]


@pytest.fixture
def study(monkeypatch):
    """The script as a module, and its data."""
    for library in ("langchain_text_splitters", "llama_index.core", "wordllama", "bm25s"):
        pytest.importorskip(library, reason=REASON)
    monkeypatch.syspath_prepend(str(STUDY))
    module = runpy.run_path(str(STUDY / "study.py"))
    yield module, module["data_in"](str(shared("data", "spans", "chroma-chunking")))
    for name in ("analysis", "pictures"):
        sys.modules.pop(name, None)


def stated():
    return json.loads((STUDY / "results" / "study.json").read_text(encoding="utf-8"))


def test_some_runs_have_the_stated_means(study):
    module, data = study
    assert data.digests == stated()["data"]
    differ = {name: one for name, one in stated()["versions"].items() if version(name) != one}
    if differ:
        pytest.skip(f"the study used other versions: {differ}")
    with (STUDY / "results" / "runs.csv").open(encoding="utf-8", newline="") as file:
        rows = {row.pop("run"): row for row in csv.DictReader(file)}
    for way, retriever in WAYS:
        found = spanwise.sweep(
            str(data.questions),
            data.documents,
            **way,
            retrievers={retriever: module["RETRIEVERS"][retriever]},
            budgets=module["BUDGETS"],
            measures=module["MEASURES"],
        )
        (run,) = found.scores
        row = rows[run.run]
        assert run.facts["chunks"] == int(row["chunks"])
        shared_measures = set(row) & set(run.means)
        assert len(shared_measures) > 15
        for measure in shared_measures:
            assert run.means[measure] == pytest.approx(float(row[measure]), abs=6e-5), measure


def test_a_folder_without_the_data_is_an_error(study, tmp_path):
    module, _ = study
    with pytest.raises(SystemExit, match=r"found 0 files called questions_df\.csv"):
        module["data_in"](str(tmp_path))


# The statistics, on numbers that can be checked by other means ------------------------------------


@pytest.fixture
def analysis(monkeypatch):
    monkeypatch.syspath_prepend(str(STUDY))
    return runpy.run_path(str(STUDY / "analysis.py"))


def test_one_comparison_alone_has_the_interval_of_student(analysis):
    """With one column of many topics, the largest t is the absolute t of that column."""
    stats = pytest.importorskip("scipy.stats", reason=REASON)
    column = np.random.default_rng(1).normal(0.2, 1.0, 400)
    (mean,), (low,), (high,), (p,) = analysis["simultaneous"]([column])
    expected = stats.ttest_1samp(column, 0)
    interval = expected.confidence_interval(0.95)
    assert mean == pytest.approx(column.mean())
    assert (low, high) == pytest.approx((interval.low, interval.high), abs=0.005)
    assert p == pytest.approx(expected.pvalue, abs=0.005)


def test_intervals_of_several_comparisons_hold_together(analysis):
    """Of twenty independent columns the intervals are as wide as Sidak's correction makes them."""
    stats = pytest.importorskip("scipy.stats", reason=REASON)
    table = np.random.default_rng(2).normal(size=(20, 500))
    mean, low, high, _ = analysis["simultaneous"](list(table))
    error = table.std(axis=1, ddof=1) / np.sqrt(500)
    level = (1 - 0.95 ** (1 / 20)) / 2
    assert (high - mean) / error == pytest.approx(stats.t(499).isf(level), rel=0.03)
    assert (mean - low) == pytest.approx(high - mean)


def test_topics_that_do_not_reach_a_budget_are_left_out(analysis):
    known = np.random.default_rng(3).normal(size=60)
    column = np.concatenate([known[:30], np.full(20, np.nan), known[30:]])
    (mean,), (low,), (high,), _ = analysis["simultaneous"]([column])
    assert mean == pytest.approx(known.mean())
    error = known.std(ddof=1) / np.sqrt(60)
    assert (high - low) / (2 * error) == pytest.approx(2.0, abs=0.1)  # Student's t of 59: 2.001


def test_a_contrast_is_the_mean_over_its_pairs(analysis):
    import polars as pl

    values = {"a": (1.0, 0.5), "b": (0.0, 0.5), "c": (0.8, 0.2), "d": (0.6, 0.0)}
    frame = pl.DataFrame(
        [
            {"run": run, "topic": topic, "measure": measure, "value": value}
            for run, numbers in values.items()
            for topic, number in zip("12", numbers, strict=True)
            for measure, value in (
                ("SpanR(budget=9)", number),
                ("Reach(budget=9)", float((run, topic) != ("d", "2"))),
            )
        ]
    )
    contrast = analysis["Contrast"]("x", [("a", "b"), ("c", "d")])
    column, pairs = analysis["by_topic"](analysis["Values"](frame), contrast, "SpanR(budget=9)")
    # Topic 1: the mean of 1.0 and 0.2. Topic 2 is left out, because d does not reach the budget.
    assert column[0] == pytest.approx(0.6)
    assert np.isnan(column[1])
    assert pairs == pytest.approx([1.0, 0.2])
