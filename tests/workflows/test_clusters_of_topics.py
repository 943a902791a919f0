"""Topics that belong together, in compare and gate: on the command line and in Python."""

import json
from pathlib import Path

import numpy as np
import pytest

import spanwise
from calling import called
from spanwise.cli import main
from spanwise.errors import FormatError, UsageError
from spanwise.stats.clustered import freedom, standard_error, summed

TOPICS = [f"q{n:02}" for n in range(1, 41)]
CLUSTER = {topic: f"c{n // 3}" for n, topic in enumerate(TOPICS)}
QRELS = {topic: {f"d{n}": int(n < 3) for n in range(8)} for topic in TOPICS}


def runs():
    """Two runs; topics of a cluster are similarly hard for the second."""
    generator = np.random.default_rng(5)
    ease = generator.random(14)
    return {
        name: {
            topic: {
                f"d{d}": generator.random() + (d < 3) * (0.3 if name == "a" else ease[n // 3])
                for d in range(8)
            }
            for n, topic in enumerate(TOPICS)
        }
        for name in ("a", "b")
    }


RUNS = runs()


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = (f"{t} 0 {d} {g}\n" for t, some in QRELS.items() for d, g in some.items())
    Path("q.txt").write_text("".join(lines))
    for name, run in RUNS.items():
        lines = (
            f"{t} Q0 {d} 0 {float(score)!r} {name}\n"
            for t, some in run.items()
            for d, score in some.items()
        )
        Path(f"{name}.run").write_text("".join(lines))
    lines = (f"{t}{' ' if n % 2 else chr(9)}{CLUSTER[t]}\n" for n, t in enumerate(TOPICS))
    Path("clusters.txt").write_text("# topic cluster\n\n" + "".join(lines))
    return tmp_path


def read(*words):
    out, err, status = called(main, *words)
    assert status == 0, err
    return json.loads(out)


def test_each_comparison_has_clusters_se_and_df(files):
    words = ("compare", "q.txt", "a.run", "b.run", "-m", "AP,nDCG@10", "--test", "t,bootstrap")
    found = read(*words, "--clusters", "clusters.txt", "--json")
    values = {name: spanwise.evaluate(QRELS, run, ["AP"]).per_topic for name, run in RUNS.items()}
    differences = np.array([values["b"][t]["AP"] - values["a"][t]["AP"] for t in TOPICS])
    some = summed(differences, np.arange(40) // 3)
    one = found["comparisons"][0]
    assert (one["measure"], one["test"], one["clusters"], one["topics"]) == ("AP", "t", 14, 40)
    assert one["se"] == pytest.approx(standard_error(some), rel=1e-9)
    assert one["df"] == pytest.approx(freedom(some.sizes), rel=1e-9)
    assert all(each["clusters"] == 14 for each in found["comparisons"])
    plain = read(*words, "--json")
    assert "clusters" not in plain["comparisons"][0]
    assert plain["comparisons"][0]["difference"] == pytest.approx(one["difference"])
    assert (
        plain["comparisons"][0]["high"] - plain["comparisons"][0]["low"] < one["high"] - one["low"]
    )
    assert [s["value"] for s in plain["scores"]] == [s["value"] for s in found["scores"]]


def test_a_mapping_a_function_and_a_file_are_the_same(files):
    given = [CLUSTER, lambda topic: CLUSTER[topic], "clusters.txt", files / "clusters.txt"]
    found = [spanwise.compare(QRELS, RUNS, "AP", clusters=one).to_dict() for one in given]
    assert found[1:] == found[:1] * 3
    assert found[0]["comparisons"][0]["clusters"] == 14


def test_intervals_of_single_means_respect_clusters():
    alone, together = (
        spanwise.compare(QRELS, {"b": RUNS["b"]}, "AP", clusters=one).mean("b", "AP")
        for one in (None, CLUSTER)
    )
    values = spanwise.evaluate(QRELS, RUNS["b"], "AP").values["AP"]
    some = summed(values, np.arange(40) // 3)
    from scipy import stats

    reach = stats.t.ppf(0.975, freedom(some.sizes)) * standard_error(some)
    assert together.value == alone.value
    assert together.high == pytest.approx(together.value + reach, rel=1e-9)
    assert together.high - together.low > alone.high - alone.low


def test_few_clusters_are_warned_of():
    c = spanwise.compare(QRELS, RUNS, "AP", clusters=lambda topic: topic[:2])
    assert any("only 5 clusters of topics" in one for one in c.warnings)
    assert not any("clusters" in one for one in spanwise.compare(QRELS, RUNS, "AP").warnings)
    c = spanwise.compare(QRELS, RUNS, "AP", clusters=CLUSTER)
    assert not any("clusters" in one for one in c.warnings)
    assert "intervals and tests respect the 14 clusters of topics" in c.table()


def test_an_analysis_of_variance_is_left_out_as_it_takes_topics_for_independent():
    assert not spanwise.compare(QRELS, RUNS, "AP", clusters=CLUSTER).anova


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("q01\n", r"c\.txt:1: found 'q01'; expected a topic and its cluster"),
        ("q01 a\nq01 b\n", r"c\.txt:2: found topic 'q01' in the clusters 'a' and 'b'"),
        ("# nothing\n", r"c\.txt: found no line"),
    ],
)
def test_mistakes_in_the_file_are_reported_with_their_place(tmp_path, content, message):
    (tmp_path / "c.txt").write_text(content)
    with pytest.raises(FormatError, match=message):
        spanwise.compare(QRELS, RUNS, "AP", clusters=tmp_path / "c.txt")


def test_other_mistakes():
    with pytest.raises(UsageError, match="found no cluster for 1 of 40 topics"):
        spanwise.compare(QRELS, RUNS, "AP", clusters=dict(list(CLUSTER.items())[1:]))
    with pytest.raises(UsageError, match=r"wilcoxon .* use --test t"):
        spanwise.compare(QRELS, RUNS, "AP", clusters=CLUSTER, tests="wilcoxon")
    with pytest.raises(UsageError, match="clusters is a int; expected a file"):
        spanwise.compare(QRELS, RUNS, "AP", clusters=3)


def test_systems_of_chunks_at_reading_budgets_respect_clusters():
    texts = {
        f"d{n}": f"Some words before: x{n}x is the evidence. And more after." for n in range(40)
    }
    judgements = [
        {"question": topic, "quotes": [f"x{n}x is the evidence."]} for n, topic in enumerate(TOPICS)
    ]
    systems = {
        name: {
            topic: [text[:19], text[19:]] if n // 3 % step else [text[19:], text[:19]]
            for n, (topic, text) in enumerate(zip(TOPICS, texts.values(), strict=True))
        }
        for name, step in (("one", 2), ("two", 3))
    }
    c = spanwise.compare(
        judgements,
        systems,
        budget=[12, 24],
        collection=texts,
        clusters=lambda number: int(number) // 3,
    )
    assert {one["clusters"] for one in c.to_dict()["comparisons"]} == {
        14
    }  # topics without ids are numbered from 1


def test_a_gate_respects_clusters(files):
    for name in ("a", "b"):
        assert (
            called(main, "eval", "q.txt", f"{name}.run", "-m", "AP", "-o", f"{name}.jsonl")[2] == 0
        )
    words = ("gate", "b.jsonl", "--baseline", "a.jsonl", "-m", "AP", "--test", "t", "--json")
    plain = json.loads(called(main, *words)[0])
    found = json.loads(called(main, *words, "--clusters", "clusters.txt")[0])
    (one,), (other,) = (
        some["verdicts"] if isinstance(some, dict) else some for some in (plain, found)
    )
    assert one["drop"] == other["drop"]
    assert one["p"] != other["p"]
    (verdict,) = spanwise.gate("b.jsonl", "a.jsonl", "AP", test="t", clusters=CLUSTER).verdicts
    assert verdict.p == pytest.approx(other["p"])
