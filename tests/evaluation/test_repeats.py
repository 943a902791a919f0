"""Several runs under one name are repeats of one system."""

import json
from itertools import combinations
from math import isnan
from pathlib import Path

import numpy as np
import pytest

import spanwise
from calling import called
from spanwise.cli import main
from spanwise.errors import UsageError
from spanwise.stats.correlation import rbo

TOPICS = [f"q{n:02}" for n in range(30)]
QRELS = {topic: {f"d{n}": int(n < 3) for n in range(8)} for topic in TOPICS}


def run(seed, gain):
    generator = np.random.default_rng(seed)
    return {
        topic: {f"d{d}": float(generator.random() + gain * (d < 3)) for d in range(8)}
        for topic in TOPICS
    }


BASE, REPEATS = run(0, 0.3), [run(seed, 0.6) for seed in (1, 2, 3)]


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = (f"{t} 0 {d} {g}\n" for t, some in QRELS.items() for d, g in some.items())
    Path("q.txt").write_text("".join(lines))
    Path("runs").mkdir()
    for name, one in [("base", BASE), *((f"dense.{n}", r) for n, r in enumerate(REPEATS, 1))]:
        lines = (f"{t} Q0 {d} 0 {s!r} x\n" for t, some in one.items() for d, s in some.items())
        Path(f"runs/{name}.run").write_text("".join(lines))


def read(*words):
    out, err, status = called(main, "compare", "q.txt", *words, "--json")
    assert status == 0, err
    return json.loads(out)


def test_a_topic_has_the_mean_of_its_repeats():
    c = spanwise.compare(QRELS, {"base": BASE, "dense": REPEATS}, ["AP", "RR"])
    single = [spanwise.evaluate(QRELS, one, ["AP", "RR"]) for one in REPEATS]
    (dense,) = (scores for scores in c.scores if scores.run == "dense")
    assert len(c.runs) == 2
    for measure in ("AP", "RR"):
        for row, topic in enumerate(dense.topics):
            values = [one.per_topic[topic][measure] for one in single]
            assert dense.values[measure][row] == pytest.approx(np.mean(values))
        means = [one.means[measure] for one in single]
        assert c.mean("dense", measure).value == pytest.approx(np.mean(means))
    (one,) = c.select(measure="AP")
    assert one.topics == 30


def test_scores_have_repeats_variances_and_consistency():
    c = spanwise.compare(QRELS, {"base": BASE, "dense": REPEATS}, ["AP"])
    base, dense = sorted(c.to_dict()["scores"], key=lambda one: one["run"])
    assert set(base) == {"run", "measure", "value", "low", "high"}
    table = np.array([list(spanwise.evaluate(QRELS, one, "AP").values["AP"]) for one in REPEATS]).T
    inside = table.var(axis=1, ddof=1).mean()
    assert dense["repeats"] == 3
    assert dense["variance_repeats"] == pytest.approx(inside)
    expected = max(table.mean(axis=1).var(ddof=1) - inside / 3, 0)
    assert dense["variance_topics"] == pytest.approx(expected)
    overlaps = [
        rbo([a[t][f"d{d}"] for d in range(8)], [b[t][f"d{d}"] for d in range(8)])
        for a, b in combinations(REPEATS, 2)
        for t in TOPICS
    ]
    assert dense["consistency"] == pytest.approx(np.mean(overlaps))


def test_files_of_a_pattern_a_folder_and_a_list_are_the_same(files):
    found = [
        read("runs/base.run", "dense=runs/dense.*.run", "-m", "AP"),
        read("runs/base.run", *(f"dense=runs/dense.{n}.run" for n in (1, 2, 3)), "-m", "AP"),
    ]
    names = [f"runs/dense.{n}.run" for n in (1, 2, 3)]
    c = spanwise.compare("q.txt", {"base": "runs/base.run", "dense": names}, "AP")
    assert found[0]["scores"][0]["repeats"] == 3
    assert found[1]["scores"] == found[0]["scores"]
    assert c.to_dict()["scores"][0] == found[0]["scores"][0]
    assert found[0]["scores"][0]["consistency"] is not None


def test_the_table_says_what_intervals_are_for(files):
    out, _, status = called(
        main, "compare", "q.txt", "runs/base.run", "dense=runs/dense.*.run", "-m", "AP"
    )
    assert status == 0
    assert b"dense: mean of 3 repeats; " in out
    assert b"% of the variance of AP is between repeats" in out
    assert b"intervals and tests are for these repeats" in out
    plain = called(main, "compare", "q.txt", "runs/base.run", "runs/dense.1.run", "-m", "AP")[0]
    assert b"repeats" not in plain


def test_the_baseline_may_have_repeats():
    runs = {"dense": REPEATS, "base": BASE}
    c = spanwise.compare(QRELS, runs, "AP", baseline="dense")
    assert c.baseline == "dense"
    assert c.differences[0].run == "base"


def test_a_topic_that_some_repeats_lack_is_the_mean_of_the_others():
    lacking = {topic: some for topic, some in REPEATS[1].items() if topic != "q07"}
    runs = {"base": BASE, "dense": [REPEATS[0], lacking]}
    c = spanwise.compare(QRELS, runs, "AP", average_over="both")
    alone = spanwise.evaluate(QRELS, REPEATS[0], "AP").per_topic["q07"]["AP"]
    assert c.diff("q07")["dense"]["AP"] == pytest.approx(alone)
    assert any("repeat 2: " in note for one in c.scores for note in one.notes)


def test_scores_of_repeats_have_no_consistency():
    scored = [spanwise.evaluate(QRELS, one, "AP") for one in REPEATS]
    c = spanwise.compare(QRELS, {"base": BASE, "dense": scored}, "AP")
    assert c.mean("dense", "AP").repeats == 3
    assert isnan(c.mean("dense", "AP").consistency)


def test_other_aggregates_than_means_are_averaged():
    c = spanwise.compare(QRELS, {"dense": REPEATS}, ["GMAP", "AP"])
    single = [spanwise.evaluate(QRELS, one, "GMAP").means["GMAP"] for one in REPEATS]
    assert c.mean("dense", "GMAP").value == pytest.approx(np.mean(single))
    assert isnan(c.mean("dense", "GMAP").low)


TEXTS = {f"d{n}": f"Words before it: x{n}x is the evidence. And more after." for n in range(12)}
GOLD = [{"id": f"q{n}", "question": f"What is {n}?", "quotes": [f"x{n}x is the evidence."]}
        for n in range(12)]  # fmt: skip


def chunks(step):
    texts = enumerate(TEXTS.values())
    return {f"q{n}": [t[:17], t[17:]] if n % step else [t[17:], t[:17]] for n, t in texts}


def test_lists_of_chunks_are_chunks_and_lists_of_runs_of_chunks_are_repeats():
    options = {"budget": [20, 40], "collection": TEXTS}
    two = [chunks(2), chunks(3)]
    c = spanwise.compare(GOLD, {"one": chunks(2), "two": two}, **options)
    assert {one.run: one.repeats for one in c.means} == {"one": None, "two": 2}
    # equal rankings in 6 of 12 topics; in the others two chunks are turned around: 1 - (1 - p)
    assert c.mean("two", c.measures[0]).consistency == pytest.approx((6 + 6 * 0.9) / 12)
    assert {row["run"] for row in c.curve().to_dicts()} == {"one", "two"}
    in_order = {
        "one": [{"question": one["question"], "contexts": chunks(2)[one["id"]]} for one in GOLD]
    }
    c = spanwise.compare(GOLD, in_order, **options)
    assert c.mean("one", c.measures[0]).repeats is None


def test_a_retriever_is_called_once_for_each_repeat_and_question():
    calls = []

    def retriever(question):
        calls.append(question)
        number = question.split()[-1].rstrip("?")
        text = TEXTS[f"d{number}"]
        return [text[:17], text[17:]] if len(calls) % 2 else [text[17:], text[:17]]

    runs = {"one": chunks(2), "live": [retriever, retriever]}
    c = spanwise.compare(GOLD, runs, budget=[20], collection=TEXTS)
    assert c.mean("live", c.measures[0]).repeats == 2
    assert len(calls) == 24


def test_the_page_says_which_repeat_it_shows(files):
    words = ("compare", "q.txt", "runs/base.run", "dense=runs/dense.*.run", "-m", "AP")
    _, err, status = called(main, *words, "--html", "page.html", "-o", "table.txt")
    assert status == 0
    assert "those of the first repeat of a system" in err
    assert "dense" in Path("page.html").read_text()


def test_mistakes(files):
    _, err, status = called(main, "compare", "q.txt", "dense=runs/none.*.run", "-m", "AP")
    assert (status, "found no file" in err) == (2, True)
    signatures = [spanwise.evaluate(QRELS, one, "AP", ties=ties)
                  for one, ties in zip(REPEATS, ("docno", "expected"), strict=False)]  # fmt: skip
    with pytest.raises(UsageError, match="dense: repeats were scored with different signatures"):
        spanwise.compare(QRELS, {"base": BASE, "dense": signatures}, "AP")


def test_intervals_for_more_repeats_are_asked_for(files):
    words = ("runs/base.run", "dense=runs/dense.*.run", "-m", "AP,nDCG@10")
    these, more = read(*words), read(*words, "--repeats", "more")
    assert [one["value"] for one in these["scores"]] == [one["value"] for one in more["scores"]]
    assert {one["test"] for one in more["comparisons"]} == {"bootstrap"}
    for a, b in zip(these["comparisons"], more["comparisons"], strict=True):
        assert a["difference"] == pytest.approx(b["difference"])
        assert (a["low"], a["high"]) != (b["low"], b["high"])
    runs = {"base": BASE, "dense": REPEATS}
    c = spanwise.compare(QRELS, runs, ["AP", "nDCG@10"], repeats="more", tests="bootstrap")
    assert c.to_dict()["comparisons"][0]["p"] == pytest.approx(more["comparisons"][0]["p"])
    assert "intervals and tests are for more repeats of the same systems" in c.table()
    assert {one["measure"] for one in more["verdict"]} == {"AP", "nDCG@10"}
    assert any("dense has 3 repeats only" in one for one in c.warnings)
    assert any("base is a single run" in one for one in c.warnings)
    clusters = {topic: topic[:2] for topic in TOPICS}
    both = spanwise.compare(
        QRELS, runs, "AP", repeats="more", tests="bootstrap", clusters=clusters
    ).differences[0]
    assert both.clusters == 3
    assert both.low != c.differences[0].low


def test_repeats_without_effect_or_with_another_test_are_refused():
    runs = {"base": BASE, "dense": REPEATS[0]}
    with pytest.raises(UsageError, match="--repeats more has no effect: no run has repeats"):
        spanwise.compare(QRELS, runs, "AP", repeats="more", tests="bootstrap")
    with pytest.raises(UsageError, match="expected the test bootstrap for more repeats"):
        spanwise.compare(QRELS, {"dense": REPEATS}, "AP", repeats="more")
    with pytest.raises(UsageError, match="repeats is 'all'; expected 'these' or 'more'"):
        spanwise.compare(QRELS, {"dense": REPEATS}, "AP", repeats="all")
