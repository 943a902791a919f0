"""Pools: each method against a plain reading of its rule."""

import json
import random
from math import isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calling import called
from spanwise.cli import main
from spanwise.formats import read_pool
from spanwise.judge.pooling import (
    Queue,
    depth,
    fusion,
    rounds,
    sample,
)
from spanwise.stats.sampling import NORMAL, Found, Sample, Strata, filled, mean_of


def rankings(*lists):
    return [{name: rank for rank, name in enumerate(names, 1)} for names in lists]


THREE = rankings("abcd", "bxyz", "qaxb")
some_rankings = st.lists(
    st.lists(st.sampled_from("abcdefghijkl"), unique=True, max_size=9), min_size=1, max_size=4
)


def names(drawn):
    return [one.document for one in drawn]


def test_depth_is_the_union_of_the_first_ranks():
    assert names(depth(THREE, 2)) == ["a", "b", "q", "x"]
    assert [one.round for one in depth(THREE, 2)] == [1, 1, 1, 2]


def test_depth_counts_ranks_of_units_not_documents():
    """The third unit is the second document."""
    assert names(depth([{"a": 1, "b": 3}], 2)) == ["a"]


def test_rounds_end_after_the_one_that_reaches_the_budget():
    assert names(rounds(THREE, 3)) == ["a", "b", "q"]
    assert names(rounds(THREE, 4)) == ["a", "b", "q", "x"]
    assert names(rounds(THREE, 5)) == ["a", "b", "q", "x", "c", "y"]


@given(some_rankings, st.integers(1, 14))
def test_rounds_by_another_way(lists, budget):
    pool, i = [], 0
    while len(pool) < budget and i < 9:
        for ranking in lists:
            if i < len(ranking) and ranking[i] not in pool:
                pool.append(ranking[i])
        i += 1
    assert names(rounds(rankings(*lists), budget)) == pool


def test_fusion_on_paper():
    """a: 1/61 + 1/62; b: 1/62 + 1/61 + 1/64; x: 1/62 + 1/63; q: 1/61."""
    assert names(fusion(THREE, 4)) == ["b", "a", "x", "q"]


def test_move_to_front_stays_with_a_run_that_finds():
    lists = rankings([f"a{n}" for n in range(9)], [f"b{n}" for n in range(9)])
    queue = Queue("mtf", lists, 10, "1")
    found = names(queue.documents(lambda name: name.startswith("a")))
    assert found[0] == "a0"
    assert sum(name.startswith("a") for name in found) >= 8


@pytest.mark.parametrize("method", ["mtf", "mm", "ts"])
def test_what_learns_is_reproducible_and_keeps_its_budget(method):
    lists = rankings(*[random.Random(n).sample(range(60), 40) for n in range(4)])
    lists = [{f"d{name}": rank for name, rank in ranking.items()} for ranking in lists]

    def draw(seed):
        queue = Queue(method, lists, 30, seed)
        return names(queue.documents(lambda name: name.endswith("7")))

    assert draw("1") == draw("1")
    assert len(set(draw("1"))) == len(draw("1")) == 30


def test_max_mean_asks_the_run_with_the_best_record():
    """After r0 a/(a+b) is 2/3 for the first run, 1/2 for the other, which comes at the end."""
    lists = rankings(["r0", "r1", "r2"], ["n0", "n1", "n2"])
    queue = Queue("mm", lists, 5, "1")
    assert names(queue.documents(lambda name: name[0] == "r")) == ["r0", "r1", "r2", "n0", "n1"]


def test_a_pool_that_is_not_told_ends():
    queue = Queue("mtf", THREE, 5, "1")
    assert len(list(queue.documents(lambda name: None))) == 1


def test_a_sample_carries_its_probabilities():
    one = [{f"d{rank}": rank for rank in range(1, 201)}]
    drawn = sample(one, None, "1")
    by_stratum = {s: [d for d in drawn if d.stratum == s] for s in (1, 2, 3)}
    assert [len(some) for some in by_stratum.values()] == [10, 12, 15]
    assert {s: some[0].p for s, some in by_stratum.items()} == {1: 1.0, 2: 12 / 40, 3: 15 / 150}
    assert len(sample(one, 64, "1")) == 64


def test_estimates_have_no_bias_and_intervals_cover():
    """1,000 samples: the mean is within 1 % of the truth; 93 to 97 % of intervals cover it.

    The total is over eight topics: for one alone the estimate is skewed where text is rare.
    """
    truth = np.random.default_rng(1)
    strata = [(10, 10, 0.7), (40, 24, 0.4), (150, 75, 0.15)]  # documents, drawn, share relevant
    topics = [
        [truth.integers(100, 900, size) * (truth.random(size) < share) for size, _, share in strata]
        for _ in range(8)
    ]
    real = sum(float(stratum.sum()) for topic in topics for stratum in topic)
    p = np.repeat([drawn / size for size, drawn, _ in strata], [n for _, n, _ in strata])
    numbers = np.repeat([1, 2, 3], [n for _, n, _ in strata])
    drawn_from = Sample(p, numbers)
    draw = np.random.default_rng(2)
    sums, covered = [], 0
    for _ in range(1000):
        total = spread = 0.0
        for topic in topics:
            some = [
                draw.choice(s, n, replace=False) for s, (_, n, _) in zip(topic, strata, strict=True)
            ]
            values = np.concatenate(some).astype(float)
            total += drawn_from.total(values)
            spread += drawn_from.variance(values)
        sums.append(total)
        covered += abs(total - real) <= 1.96 * spread**0.5
    assert np.mean(sums) == pytest.approx(real, rel=0.01)
    assert 930 <= covered <= 970


def test_means_on_paper():
    """Two draws of three topics: means 0.3 and 0.5, variance 0.02, and half of it for two draws.

    Within a draw topics have variance 0.01 and 0.04: the mean over them has a third, 0.025 / 3.
    """
    found = mean_of(np.array([[0.2, 0.3, 0.4], [0.3, 0.5, 0.7]]))
    assert found.value == pytest.approx(0.4)
    assert found.high - 0.4 == pytest.approx(NORMAL * (0.02 * 1.5) ** 0.5)
    assert found.topics_high - 0.4 == pytest.approx(NORMAL * (0.03 + 0.025 / 3) ** 0.5)


def test_a_sample_of_everything_scatters_nowhere():
    found = mean_of(np.array([[0.25, np.nan, 0.75]]))
    assert (found.low, found.value, found.high) == (0.5, 0.5, 0.5)
    assert isnan(mean_of(np.array([[np.nan]])).value)


def test_what_was_not_drawn_is_as_what_was():
    """Half of each of 40 topics is drawn, and a fifth of that is relevant: so of the rest."""
    size = np.tile([0, 100], (40, 1))
    strata = Strata(size, size // 2, size // 10)
    owner = np.repeat(np.arange(40), 10)
    draws = list(filled(strata, Found(owner, np.ones(400, np.int64)), 50, seed=1))
    assert np.mean([sum(len(some) for _, some in draw) for draw in draws]) == pytest.approx(
        400, 0.05
    )
    own = [np.mean(owner[some] == topic) for draw in draws for topic, some in draw]
    assert np.mean(own) == pytest.approx(10 / 11, abs=0.02)  # others weigh as much as one of ten


def test_where_nothing_relevant_was_drawn_nothing_is_made_up():
    strata = Strata(*np.array([[[0, 90]], [[0, 9]], [[0, 0]]]))
    draws = filled(strata, Found(np.zeros(0, np.int64), np.zeros(0, np.int64)), 20, seed=1)
    assert all(not len(some) for draw in draws for _, some in draw)


# The command ----------------------------------------------------------------------------------


@pytest.fixture
def runs(tmp_path):
    for name, lists in (("x", {"1": "abcd", "2": "mn"}), ("y", {"1": "bxyz"})):
        lines = [
            f"{topic} Q0 {document} {rank} {10 - rank} {name}\n"
            for topic, documents in lists.items()
            for rank, document in enumerate(documents, 1)
        ]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    return [tmp_path / "x.run", tmp_path / "y.run"]


def lines_of(path):
    head, *lines = map(json.loads, path.read_text().splitlines())
    return head, [(line["topic"], line["doc"]) for line in lines]


def test_a_pool_file_has_a_header_and_a_line_for_each_document(runs, tmp_path):
    out, _, status = called(main, "pool", *runs, "-o", tmp_path / "p", "--budget", 3)
    head, keys = lines_of(tmp_path / "p")
    assert status == 0
    assert b"2 topics, 5 documents" in out
    assert (head["method"], head["budget"], head["estimable"]) == ("rounds", 3, True)
    assert [run["run"] for run in head["runs"]] == ["x", "y"]
    assert keys == [("1", "a"), ("1", "b"), ("1", "x"), ("2", "m"), ("2", "n")]


def test_a_second_pool_has_only_what_is_new(runs, tmp_path):
    called(main, "pool", runs[0], "-o", tmp_path / "p", "--budget", 2)
    called(main, "pool", "extend", tmp_path / "p", runs[1], "-o", tmp_path / "q")
    assert lines_of(tmp_path / "q")[1] == [("1", "x")]


def test_pools_go_through_x_rai_and_back(tmp_path):
    (tmp_path / "e.run").write_text("1 Q0 d 1 9 e /article[1]/p[1]\n2 Q0 d 1 9 e /article[1]\n")
    called(main, "pool", tmp_path / "e.run", "-o", tmp_path / "xml", "--to", "xrai_pool")
    assert sorted(p.name for p in (tmp_path / "xml").iterdir()) == ["pool-1.xml", "pool-2.xml"]
    back = read_pool(str(tmp_path / "xml"))
    assert [(one.topic, one.document, one.support) for one in back] == [
        ("1", "d", ("/article[1]/p[1]",)),
        ("2", "d", ("/article[1]",)),
    ]


def test_pools_are_converted(runs, tmp_path):
    called(main, "pool", *runs, "-o", tmp_path / "p", "--budget", 2)
    for target, form in (("xml/", "xrai_pool"), ("back", "pool")):
        source = tmp_path / ("p" if form == "xrai_pool" else "xml")
        (tmp_path / "xml").mkdir(exist_ok=True)
        assert called(main, "convert", source, f"{tmp_path}/{target}", "--to", form)[2] == 0
    assert read_pool(str(tmp_path / "back")).keys() == read_pool(str(tmp_path / "p")).keys()


def test_the_check_counts_what_only_one_run_found(runs, tmp_path):
    called(main, "pool", *runs, "-o", tmp_path / "p", "--budget", 3)
    (tmp_path / "q").write_text("1 0 a 1\n1 0 x 0\n1 0 b 1\n2 0 m 1\n")
    words = ["pool", "check", tmp_path / "p", *runs, "--judgements", tmp_path / "q", "-m", "AP"]
    found = json.loads(called(main, *words, "--format", "json")[0])
    assert [run["unique"] for run in found["runs"]] == [3, 1]
    assert [run["unique_relevant"] for run in found["runs"]] == [2, 0]
    assert found["runs"][1]["pooled@10"] == 2 / 4
    assert found["hours"] == pytest.approx(5 * 2 / 60)
    assert found["runs"][0]["scores"]["AP"]["score"] == pytest.approx(1.0)
    assert b"expected: 0.2 hours" in called(main, *words)[0]


def test_estimates_by_command(runs, tmp_path):
    called(main, "pool", *runs, "-o", tmp_path / "p", "--method", "sample")
    (tmp_path / "q").write_text("1 0 a 1\n1 0 x 0\n1 0 b 1\n2 0 m 1\n")
    words = ["pool", "estimate", tmp_path / "p", tmp_path / "q", *runs]
    found = json.loads(called(main, *words, "--format", "json")[0])
    assert found["relevant"]["1"] == {"value": 2.0, "low": 2.0, "high": 2.0}
    assert found["runs"][1]["recall"]["value"] == pytest.approx((1 / 2 + 0) / 2)
    assert called(main, *words)[2] == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["x.run", "-o", "p", "--depth", "3"], "--depth is for --method depth"),
        (["x.run", "-o", "p", "--without", "all.q"], "nothing is left to judge"),
        (["check", "bad.jsonl", "x.run"], "bad.jsonl:1: 'p' is 0.0"),
        (["check", "twice.jsonl", "x.run"], "twice.jsonl:2: document 'd' occurs twice"),
        (["check", "all.pool", "x.run", "--minutes", "nan"], "--minutes nan: expected"),
        (["check", "all.pool", "x.run", "--minutes", "-1"], "--minutes -1: expected"),
        (["estimate", "all.pool", "all.q", "other.run"], "have no topic in common"),
        (
            ["estimate", "live.jsonl", "all.q", "x.run"],
            "found a pool by mtf, which is not a random sample",
        ),
    ],
)
def test_mistakes_are_said(runs, tmp_path, monkeypatch, words, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "all.q").write_text("".join(f"1 0 {d} 1\n" for d in "abcd") + "2 0 m 1\n2 0 n 0\n")
    (tmp_path / "all.pool").write_text('{"topic": "1", "doc": "a"}\n')
    (tmp_path / "other.run").write_text("9 Q0 a 1 9 r\n")
    (tmp_path / "bad.jsonl").write_text('{"topic": "1", "doc": "d", "p": 0.0}\n')
    (tmp_path / "twice.jsonl").write_text('{"topic": "1", "doc": "d"}\n' * 2)
    called(main, "pool", "x.run", "-o", "live.jsonl", "--method", "mtf")
    _, err, status = called(main, "pool", *words)
    assert status == 2
    assert message in err


def test_many_runs_do_not_stretch_the_first_tenth():
    """Of 20 documents 2 come by rounds; then the first run, which finds, is asked all the time."""
    lists = rankings(*[[f"{run}-{n}" for n in range(20)] for run in range(20)])
    found = names(Queue("mm", lists, 20, "1").documents(lambda name: name.startswith("0-")))
    assert found == ["0-0", "1-0", *(f"0-{n}" for n in range(1, 19))]


@pytest.mark.parametrize("method", ["mtf", "mm", "ts"])
def test_a_pool_that_will_learn_keeps_its_budget_and_names_its_candidates(runs, tmp_path, method):
    out = called(main, "pool", *runs, "-o", tmp_path / "p", "--method", method, "--budget", 2)[0]
    head, keys = lines_of(tmp_path / "p")
    assert b"2 topics, 4 documents to judge (2 to 2 for a topic)" in out
    assert (len(keys), head["live"], head["estimable"]) == (4, True, False)
    reach = {(one["topic"], one["doc"]): one["ranks"] for one in head["candidates"]}
    assert reach == {
        ("1", "a"): [1, None],
        ("1", "b"): [2, 1],
        ("1", "x"): [None, 2],
        ("2", "m"): [1, None],
        ("2", "n"): [2, None],
    }
    called(main, "convert", tmp_path / "p", tmp_path / "again", "--to", "pool")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "p").read_bytes()
    (tmp_path / "q").write_text("1 0 a 1\n2 0 m 0\n")
    called(main, "pool", "extend", tmp_path / "p", *runs, "-o", tmp_path / "more", "--budget", 3)
    head, keys = lines_of(tmp_path / "more")
    assert not set(keys) & set(lines_of(tmp_path / "p")[1])
    assert ("1", "a") not in {(one["topic"], one["doc"]) for one in head["candidates"]}


def test_the_header_says_how_deep_by_default(runs, tmp_path):
    called(main, "pool", *runs, "-o", tmp_path / "p", "--method", "depth")
    assert lines_of(tmp_path / "p")[0]["depth"] == 100
    (tmp_path / "e.run").write_text("1 Q0 d 1 9 e /article[1]/p[1]\n")
    called(main, "pool", tmp_path / "e.run", "-o", tmp_path / "p", "--method", "depth")
    assert lines_of(tmp_path / "p")[0]["depth"] == 10


def test_x_rai_has_a_file_for_every_topic_and_says_what_it_cannot_hold(tmp_path):
    (tmp_path / "r.run").write_text("a/b Q0 d1 1 9 r 5 10\na_b Q0 d2 1 9 r 5 10\n")
    words = ["pool", tmp_path / "r.run", "-o", tmp_path / "xml", "--to", "xrai_pool"]
    _, err, status = called(main, *words)
    assert status == 0
    assert "cannot hold 2 rounds, 2 spans that systems returned, by offset" in err
    assert read_pool(str(tmp_path / "xml")).keys() == {("a/b", "d1"), ("a_b", "d2")}


def test_estimates_say_what_is_not_judged_and_where_elements_lie(tmp_path):
    """`aaaa` is at 0-4; half of it is relevant: precision 1/2, recall 1."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "d.xml").write_text("<a><p>aaaa</p><p>bbbb</p></a>")
    (tmp_path / "docs" / "e.xml").write_text("<a><p>cccc</p></a>")
    (tmp_path / "r.run").write_text("1 Q0 d 1 9 r /a[1]/p[1]\n")
    (tmp_path / "p").write_text('{"topic": "1", "doc": "d"}\n{"topic": "1", "doc": "e"}\n')
    (tmp_path / "q").write_text("1 Q0 d 2 8 0 0:2\n")
    words = ["pool", "estimate", tmp_path / "p", tmp_path / "q", tmp_path / "r.run"]
    assert "named by element paths are unknown; pass --collection" in called(main, *words)[1]
    out, err, status = called(main, *words, "--collection", tmp_path / "docs", "--format", "json")
    assert "1 of 2 pooled documents are unjudged" in err
    (run,) = json.loads(out)["runs"]
    assert (status, run["recall"]["value"], run["precision"]["value"]) == (0, 1.0, 0.5)


@pytest.mark.parametrize("words", [("--add",), ("--without",)])
def test_a_sample_with_documents_added_or_left_out_is_none(tmp_path, words):
    """What was added stands for itself, and is stood for by what was drawn: counted twice."""
    lines = [f"1 Q0 d{rank} {rank} {99 - rank} r\n" for rank in range(1, 40)]
    (tmp_path / "r.run").write_text("".join(lines))
    (tmp_path / "q").write_text("".join(f"1 0 d{rank} 1\n" for rank in range(5, 20)))
    build = ("pool", tmp_path / "r.run", "-o", tmp_path / "p", "--method", "sample")
    estimate = ("pool", "estimate", tmp_path / "p", tmp_path / "q", tmp_path / "r.run")
    called(main, *build, *words, tmp_path / "q")
    assert lines_of(tmp_path / "p")[0]["estimable"] is False
    _, err, status = called(main, *estimate)
    assert status == 2
    assert "expected a sampled pool to which no documents were added" in err
    called(main, *build)
    assert called(main, *estimate)[2] == 0


def test_a_second_pool_is_no_sample_of_all(runs, tmp_path):
    called(main, "pool", runs[0], "-o", tmp_path / "p", "--budget", 2)
    called(main, "pool", "extend", tmp_path / "p", runs[1], "-o", tmp_path / "q")
    assert [lines_of(tmp_path / name)[0]["estimable"] for name in "pq"] == [True, False]


def test_a_pool_to_standard_output_is_a_pool(runs):
    out, err, status = called(main, "pool", *runs, "-o", "-", "--budget", 3)
    assert status == 0
    assert [json.loads(line).get("doc") for line in out.splitlines()] == [None, *"abxmn"]
    assert err.startswith("-: 2 topics, 5 documents to judge")
