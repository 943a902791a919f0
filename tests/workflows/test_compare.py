"""spanwise compare: tables, the contract's JSON, baselines, warnings."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

import spanwise
from calling import called
from spanwise.cli import main
from spanwise.errors import UnknownName, UsageError

DEMO = Path(spanwise.__file__).parent / "data" / "demo"
QRELS, RUNS = DEMO / "qrels.txt", [DEMO / f"{name}.run" for name in ("keyword", "dense", "hybrid")]
TESTS = "t,wilcoxon,sign,randomisation,bootstrap"


def compare(*words):
    out, err, status = called(main, "compare", QRELS, *words)
    return out.decode(), err, status


def read(*words):
    out, err, status = compare(*words, "--format", "json")
    assert (err, status) == ("", 0)
    return json.loads(out)


@pytest.fixture(scope="module")
def answer():
    return read(*RUNS, "-m", "AP", "-m", "nDCG@10", "--baseline", RUNS[0], "--test", TESTS)


def test_the_layout_is_that_of_the_contract(answer):
    assert set(answer) == {"scores", "comparisons", "power", "warnings", "verdict", "best"}
    assert {tuple(one) for one in answer["scores"]} == {("run", "measure", "value", "low", "high")}
    names = "run baseline measure test p p_adjusted difference low high wins ties losses topics"
    assert {tuple(one) for one in answer["comparisons"]} == {tuple(names.split())}
    assert len(answer["comparisons"]) == 2 * 2 * 5


def per_topic(measure):
    values = [spanwise.evaluate(QRELS, run, measure).per_topic for run in RUNS]
    topics = list(values[0])
    return [np.array([one[topic][measure] for topic in topics]) for one in values]


def test_numbers_are_those_of_scipy(answer):
    keyword, dense, _ = per_topic("AP")
    mine = {
        one["test"]: one
        for one in answer["comparisons"]
        if (one["run"], one["measure"]) == ("dense", "AP")
    }
    student = stats.ttest_rel(dense, keyword)
    assert mine["t"]["p"] == pytest.approx(student.pvalue, rel=1e-12)
    interval = student.confidence_interval()
    assert (mine["t"]["low"], mine["t"]["high"]) == pytest.approx(interval, rel=1e-9)
    assert mine["wilcoxon"]["p"] == stats.wilcoxon(dense, keyword).pvalue
    wins, losses = int((dense > keyword).sum()), int((dense < keyword).sum())
    assert mine["sign"]["p"] == stats.binomtest(wins, wins + losses).pvalue
    exact = stats.permutation_test(
        (dense, keyword),
        lambda x, y, axis: (x - y).mean(axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=np.inf,
    )
    assert mine["randomisation"]["p"] == pytest.approx(exact.pvalue, abs=1e-12)
    for one in mine.values():
        assert one["difference"] == pytest.approx((dense - keyword).mean())
        assert (one["wins"], one["ties"], one["losses"]) == (wins, 12 - wins - losses, losses)
        assert one["topics"] == 12


def test_p_is_adjusted_within_a_measure_and_a_test(answer):
    for test in TESTS.split(","):
        mine = [o for o in answer["comparisons"] if (o["test"], o["measure"]) == (test, "AP")]
        low, high = sorted(mine, key=lambda one: one["p"])
        assert low["p_adjusted"] == pytest.approx(min(1, 2 * low["p"]))
        assert high["p_adjusted"] == pytest.approx(max(high["p"], low["p_adjusted"]))


def test_the_same_seed_gives_the_same_bytes():
    words = (*RUNS, "--test", "bootstrap,randomised_tukey", "--format", "json", "-m", "AP")
    assert compare(*words, "--seed", "7") == compare(*words, "--seed", "7")
    assert compare(*words, "--seed", "7") != compare(*words, "--seed", "8")


def test_the_first_run_is_the_baseline_unless_one_is_named():
    assert {one["baseline"] for one in read(*RUNS, "-m", "AP")["comparisons"]} == {"keyword"}
    for name in ("dense", "dense.run", str(RUNS[1])):
        found = read(*RUNS, "-m", "AP", "--baseline", name)["comparisons"]
        assert {one["baseline"] for one in found} == {"dense"}


def test_a_baseline_may_be_a_file_of_its_own():
    found = read(RUNS[0], "-m", "AP", "--baseline", RUNS[1])
    assert [one["run"] for one in found["scores"]] == ["keyword", "dense"]
    assert [(o["run"], o["baseline"]) for o in found["comparisons"]] == [("keyword", "dense")]


def test_a_baseline_is_known_however_its_file_is_spelt(tmp_path, monkeypatch):
    monkeypatch.chdir(DEMO)
    for name in ("./dense.run", DEMO / "dense.run", "../demo/dense.run"):
        found = read("keyword.run", "dense.run", "-m", "AP", "--baseline", name)
        assert [(one["run"], one["baseline"]) for one in found["comparisons"]] == [
            ("keyword", "dense")
        ]
    (tmp_path / "link.run").symlink_to(DEMO / "dense.run")
    found = read("keyword.run", "dense.run", "-m", "AP", "--baseline", tmp_path / "link.run")
    assert len(found["scores"]) == 2


def test_a_test_named_twice_is_done_once():
    assert len(read(*RUNS, "-m", "AP", "--test", "t,sign,t")["comparisons"]) == 4


def test_what_comes_through_a_pipe_is_read_once(tmp_path, monkeypatch):
    def piped(*words):
        with QRELS.open(encoding="utf-8") as stream:
            monkeypatch.setattr("sys.stdin", stream)
            return called(main, *words)

    page = tmp_path / "page.html"
    words = ("compare", "-", *RUNS[:2], "-m", "AP", "--html", page)
    _, err, status = piped(*words)
    assert (status, err) == (
        0,
        "spanwise: warning: -: cannot be read twice;"
        " the page has no curves and no rankings of it\n",
    )
    assert page.is_file()
    words = ("plot", "curve", "-", *RUNS[:2], "-m", "nDCG@10", "-o", tmp_path / "a.svg")
    assert piped(*words)[2] == 0
    words = ("plot", "recall-precision", "-", *RUNS[:2], "-o", tmp_path / "b.svg")
    _, err, status = piped(*words)
    assert status == 2
    assert err == "spanwise: error: -: cannot be read twice; this picture needs a file\n"


def test_chunks_at_a_budget_have_a_row_for_each_system_or_runs_across_in_latex_too():
    book = DEMO.parent / "handbook"
    runs = (book / "passages.run", book / "elements.run")
    words = ("--collection", book / "articles", "--budget", "500", "--format", "latex")
    out, _, status = called(main, "compare", book / "qrels.txt", *runs, *words)
    assert status == 0
    assert "\nsystem & recall at 500 & precision at 500 & complete at 500" in out.decode()
    out, _, status = called(main, "compare", book / "qrels.txt", *runs, *words, "--all")
    lines = out.decode().splitlines()
    assert status == 0
    assert " & elements & interval & passages & interval \\\\" in lines
    assert any(line.startswith("recall at 500 & ") for line in lines)


def test_a_page_needs_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    _, err, status = compare(*RUNS, "--html", "-")
    assert status == 2
    assert err.startswith("spanwise: error: a page needs a file")
    assert list(tmp_path.iterdir()) == []


def test_a_baseline_that_nobody_knows():
    _, err, status = compare(*RUNS, "--baseline", "sparse")
    assert status == 2
    assert err.startswith("spanwise: error: unknown baseline 'sparse'; expected one of keyword")


def test_all_pairs():
    found = read(*RUNS, "-m", "AP", "--all-pairs")["comparisons"]
    pairs = [(one["run"], one["baseline"]) for one in found]
    assert pairs == [("hybrid", "keyword"), ("hybrid", "dense"), ("keyword", "dense")]
    assert all(one["difference"] >= 0 for one in found)


def test_the_table_is_sorted_and_marks_what_is_no_chance():
    out, err, _ = compare(*RUNS, "-m", "nDCG@10", "--test", "t")
    assert err == ""
    names = [line.split()[0] for line in out.partition("---\n")[2].splitlines()[:3]]
    assert names == ["hybrid", "keyword", "dense"]
    assert "0.8706†" in out
    assert "12 topics" in out
    assert "\x1b" not in out  # not a terminal


def test_markdown_and_latex():
    out, _, _ = compare(*RUNS, "-m", "nDCG@10", "--test", "t", "--format", "md")
    assert "| hybrid  | **0.8706**† |" in out
    out, _, _ = compare(*RUNS, "-m", "nDCG@10", "--all-pairs", "--format", "latex")
    assert r"a hybrid & \textbf{0.8706}$^{bc}$ & [0.8234, 0.9177] \\" in out
    assert out.count(r"\begin{tabular}") == out.count(r"\end{tabular}") == 1


def test_csv_has_a_row_for_each_mean_and_test():
    out, _, _ = compare(*RUNS, "-m", "AP", "--test", "t,sign", "--format", "csv")
    lines = out.splitlines()
    assert len(lines) == 1 + 2 + 1 + 2
    assert lines[0].startswith("run,measure,value,value_low,value_high,value_topics,baseline,test")


def test_the_same_run_twice():
    found = read(RUNS[0], RUNS[0], "-m", "AP", "--test", TESTS)
    assert {one["p"] for one in found["comparisons"]} == {1.0}
    assert any("all differences are zero" in warning for warning in found["warnings"])


def test_two_topics(tmp_path):
    (tmp_path / "q").write_text("1 0 a 1\n2 0 b 1\n")
    (tmp_path / "x.run").write_text("1 Q0 a 1 2 x\n2 Q0 b 1 1 x\n")
    (tmp_path / "y.run").write_text("1 Q0 c 1 2 y\n1 Q0 a 2 1 y\n2 Q0 b 1 1 y\n")
    words = ("compare", tmp_path / "q", tmp_path / "x.run", tmp_path / "y.run", "-m", "AP")
    found = json.loads(called(main, *words, "--format", "json")[0])
    assert found["comparisons"][0]["p"] == 1.0
    assert found["warnings"][0].startswith("only 2 topics to compare on")
    assert "cannot give a p below 0.5" in found["warnings"][0]


def test_many_comparisons_without_correction():
    found = read(*RUNS, "-m", "AP", "--correction", "none")
    assert found["warnings"][0].startswith("2 comparisons without correction")
    assert all(one["p"] == one["p_adjusted"] for one in found["comparisons"])


def test_tukey_is_corrected_already():
    words = (*RUNS, "-m", "AP", "--all-pairs", "--test", "tukey")
    assert read(*words, "--correction", "none")["warnings"] == []
    for correction in ("none", "holm"):
        out, _, _ = compare(*words, "--correction", correction)
        assert "tukey test, p < 0.05, corrected for all pairs of runs" in out


def test_bounds_of_tukey_leave_out_zero_where_it_is_significant():
    words = ("-m", "AP", "-m", "P@5", "--all-pairs", "--test", "tukey,randomised_tukey")
    found = read(*RUNS, *words)["comparisons"]
    assert len(found) == 12
    for one in found:
        assert (one["p"] < 0.05) == (one["low"] > 0 or one["high"] < 0)
        assert one["p_adjusted"] == one["p"]
        assert (one["low"] + one["high"]) / 2 == pytest.approx(one["difference"])


def test_more_pairs_than_are_resampled_together():
    runs, topics = 24, [f"q{n:02}" for n in range(20)]
    rng = np.random.default_rng(3)
    values = {
        f"r{n:02}": spanwise.model.scores.Scores(
            f"r{n:02}", tuple(topics), {"AP": rng.random(20)}, {"AP": 0.5}, {"AP": 20}, ""
        )
        for n in range(runs)
    }
    found = spanwise.compare(None, values, "AP", all_pairs=True, tests="t").differences
    assert len(found) == runs * (runs - 1) // 2 > 256
    p = [
        stats.ttest_rel(values[one.run].values["AP"], values[one.baseline].values["AP"]).pvalue
        for one in found
    ]
    assert [one.p for one in found] == pytest.approx(p)
    assert [one.p_adjusted for one in found] == pytest.approx(multipletests(p, method="holm")[1])


def test_three_runs_have_an_analysis_of_variance():
    keyword, dense, hybrid = per_topic("AP")
    values = np.column_stack([keyword, dense, hybrid])
    left = values - values.mean(0) - values.mean(1)[:, None] + values.mean()
    f = 12 * values.mean(0).var(ddof=1) / ((left**2).sum() / 22)
    out, _, _ = compare(*RUNS, "-m", "AP", "-m", "P@5")
    p = stats.f.sf(f, 2, 22)
    assert f"analysis of variance, AP: runs F(2, 22) = {f:.2f}, p = {p:.4f}, omega squared" in out
    assert "analysis of variance" not in compare(*RUNS[:2], "-m", "AP")[0]
    found = spanwise.compare(QRELS, RUNS, ["AP", "P@5"])
    assert found.anova["AP"].f_runs == pytest.approx(f)
    assert set(found.anova) == {"AP", "P@5"}


def test_comparisons_of_which_none_can_be_significant():
    # all of 6 topics differ the same way: p = 2/64 at the least, twice that for two comparisons
    qrels = {str(t): {"d": 1} for t in range(6)}
    runs = {
        name: {t: {"d": 2, "e": rank} for t in qrels}
        for name, rank in (("a", 1), ("b", 3), ("c", 4))
    }
    warned = [w for w in spanwise.compare(qrels, runs, "AP").warnings if "can be" in w]
    assert warned == [
        "a randomisation test gives no p below 0.031 here, which is 0.062 corrected for 2"
        " comparisons: nothing can be significant; use --test t or tukey, or more --resamples"
    ]
    for way in ({"tests": "t"}, {"correction": "bh"}, {"confidence": 0.9}):
        assert not any("can be" in w for w in spanwise.compare(qrels, runs, "AP", **way).warnings)


def test_one_run_is_shown_with_a_warning():
    found = read(RUNS[0], "-m", "AP")
    assert found["comparisons"] == []
    assert found["warnings"] == ["only one run: there is nothing to compare it with"]


def test_a_sum_has_no_interval():
    found = read(*RUNS[::2], "-m", "NumRelRet")
    assert found["warnings"][0].startswith("NumRelRet is not a mean over topics")
    assert found["scores"][0]["value"] > 12


def test_less_of_some_measures_is_better():
    c = spanwise.compare(QRELS, RUNS, "Unjudged@10", baseline="keyword")
    values = [mean.value for mean in c.means]
    assert values == sorted(values)
    assert c.best("Unjudged@10") == (c.runs[0],)


def test_runs_on_other_topics_are_compared_on_those_they_share():
    c = spanwise.compare(QRELS, RUNS, "AP", average_over="both")
    assert {one.topics for one in c.differences} == {11, 12}
    assert any("not scored on the same topics" in warning for warning in c.warnings)


def test_python_takes_names_objects_and_scores():
    qrels = {"1": {"a": 1}, "2": {"b": 1}}
    scores = spanwise.evaluate(qrels, {"1": {"a": 1.0}}, "AP")
    c = spanwise.compare(qrels, {"mine": scores, "yours": {"2": {"b": 1.0}}}, "AP", tests="t")
    assert c.runs == ("mine", "yours")
    low, high = proportion_confint(1, 2, method="wilson")  # the values are 1 and 0
    mine = {"run": "mine", "measure": "AP", "value": 0.5, "low": low, "high": high}
    assert c.to_dict()["scores"][0] == pytest.approx(mine)
    assert c.diff("1") == {"mine": {"AP": 1.0}, "yours": {"AP": 0.0}}
    assert "mine" in c.table()
    assert c.to_polars().columns == ["run", "topic", "measure", "value"]
    with pytest.raises(UsageError, match="was not evaluated"):
        c.diff("3")
    with pytest.raises(UnknownName, match="unknown test 'z'"):
        spanwise.compare(qrels, {"mine": scores}, "AP", tests="z")


def test_a_notebook_shows_names_as_they_are():
    qrels = {"1": {"a": 1}}
    c = spanwise.compare(qrels, {"<b>x": {"1": {"a": 1.0}}, "y": {"1": {"b": 1.0}}}, "AP")
    assert "&lt;b&gt;x" in c._repr_html_()
    assert "<b>" not in c._repr_html_()
