"""Scores from sampled pools: exact where all is judged, near the truth where it is not."""

import json
from pathlib import Path

import numpy as np
import pytest

import spanwise
from calling import called
from spanwise.cli import main

TEXT = 1000
"""Characters of every document."""


class World:
    """Topics with relevant text that is known, and runs of passages that find some of it."""

    def __init__(self, folder, topics, seed, documents=600, runs=4):
        self.folder = folder
        random = np.random.default_rng(seed)
        lines = [[] for _ in range(runs)]
        self.judged = {}
        for topic in range(topics):
            relevant = random.random(documents) < min(0.3, random.lognormal(-3.2, 0.8))
            relevant[0] = True
            starts = random.integers(0, 600, documents)
            for name in range(documents):
                text = f"{starts[name]}:300" if relevant[name] else ""
                size = 300 if relevant[name] else 0
                line = f"t{topic} Q0 d{name} {size} {TEXT} {starts[name] if size else -1} {text}"
                self.judged[f"t{topic}", f"d{name}"] = line.rstrip()
            base = random.normal(0, 1, documents)
            ease = random.uniform(0.7, 2.5)
            for number, run in enumerate(lines):
                good = relevant * ease * (1 + number / 3)
                score = good + base + random.normal(0, 1, documents)
                shown = np.clip(starts + random.integers(-250, 250, documents), 0, 600)
                for rank, name in enumerate(np.argsort(-score)[:300], 1):
                    run.append(
                        f"t{topic} Q0 d{name} {rank} {400 - rank} r{number} {shown[name]} 400"
                    )
        self.runs = [folder / f"r{number}.run" for number in range(runs)]
        for path, run in zip(self.runs, lines, strict=True):
            path.write_text("\n".join(run) + "\n")

    def pool(self, *words):
        """A sampled pool, and the judgements of what is in it."""
        pool, judged = self.folder / "pool", self.folder / "judged"
        words = ("-o", pool, "--method", "sample", "--support", "off", *words)
        assert called(main, "pool", *self.runs, *words)[2] == 0
        keys = [json.loads(line) for line in pool.read_text().splitlines()[1:]]
        judged.write_text("".join(self.judged[k["topic"], k["doc"]] + "\n" for k in keys))
        return pool, judged

    def truth(self, run, measures):
        """Scores when all documents are judged that the sample could have drawn."""
        every, judged = self.folder / "every", self.folder / "all"
        words = ("-o", every, "--method", "depth", "--depth", "200", "--support", "off")
        assert called(main, "pool", *self.runs, *words)[2] == 0
        keys = [json.loads(line) for line in every.read_text().splitlines()[1:]]
        judged.write_text("".join(self.judged[k["topic"], k["doc"]] + "\n" for k in keys))
        words = [word for name in measures for word in ("-m", name)]
        out = called(main, "eval", judged, run, *words, "--format", "jsonl")[0]
        return {one["measure"]: one["value"] for one in map(json.loads, out.splitlines())}


def estimates(pool, judged, run, measures, *words):
    """What the command prints for one run."""
    words = [word for name in measures for word in ("-m", name)] + list(words)
    out, err, status = called(
        main, "pool", "estimate", pool, judged, run, *words, "--format", "json"
    )
    assert status == 0, err
    return json.loads(out)["runs"][0]


MEASURES = ["AP", "P@10", "iP[0.1]", "MAiP", "char_rec", "char_prec"]


@pytest.mark.simulation
@pytest.mark.parametrize("words", [(), ("--budget", "250")])
def test_intervals_of_measures_cover(tmp_path, words):
    """Each pool is another sample of one world; the truth of that world should lie within."""
    world, found = World(tmp_path, 30, 1), []
    truth = world.truth(world.runs[3], MEASURES)
    for seed in range(40):
        pool, judged = world.pool("--seed", seed, *words)
        found.append(estimates(pool, judged, world.runs[3], MEASURES))
    for name, real in truth.items():
        parts = np.array([list(one[name].values()) for one in found])
        low, high = parts[:, 1] - 1e-9 <= real, real <= parts[:, 2] + 1e-9
        both = (parts[:, 3] <= real) & (real <= parts[:, 4])
        covers = float((low & high).mean())
        off = parts[:, 0].mean() - real
        print(f"{name:10} {real:.4f} off {off:+.4f} covered {covers:.2f}, topics {both.mean():.2f}")
        assert both.mean() >= 0.9
        assert covers >= 0.7


@pytest.mark.simulation
def test_intervals_of_totals_cover(tmp_path):
    """Relevant characters of each topic, and of all, where ranks 51-200 are drawn one in ten."""
    world, inside, together = World(tmp_path, 30, 5), [], []
    world.truth(world.runs[0], ["P@10"])
    real = {f"t{n}": 0 for n in range(30)}
    for line in (tmp_path / "all").read_text().splitlines():
        real[line.split()[0]] += int(line.split()[3])
    for seed in range(40):
        words = ("pool", "estimate", *world.pool("--seed", seed), "--format", "json")
        found = json.loads(called(main, *words)[0])
        totals = found["relevant"].items()
        inside += [one["low"] - 1e-9 <= real[topic] <= one["high"] + 1e-9 for topic, one in totals]
        together.append(found["all"]["low"] <= sum(real.values()) <= found["all"]["high"])
    print(f"totals of topics {np.mean(inside):.3f}, of all {np.mean(together):.3f}")
    assert 0.92 <= np.mean(inside) <= 0.985
    assert np.mean(together) >= 0.85


def test_totals_on_paper(tmp_path):
    """Topic 1 has 100 for certain, and 50 and 0 in two of eight others: 100 + 50 * 4.

    That scatters by 8^2 (1 - 1/4) 1250 / 2. Topic 2 has found nothing among its eight, and
    scatters by nothing; but what topic 1 has found may be there too: at most six times 50.
    """
    pool, lines = [{"topic": t, "doc": "c"} for t in "12"], ["1 Q0 c 100 500 0 0:100"]
    for topic, doc in ((topic, doc) for topic in "12" for doc in "xy"):
        pool.append({"topic": topic, "doc": doc, "p": 0.25, "stratum": 2})
        found = "50 500 0 0:50" if (topic, doc) == ("1", "x") else "0 500"
        lines.append(f"{topic} Q0 {doc} {found}")
    lines.append("2 Q0 c 30 500 0 0:30")
    (tmp_path / "pool").write_text("".join(json.dumps(one) + "\n" for one in pool))
    (tmp_path / "judged").write_text("\n".join(lines) + "\n")
    words = ("pool", "estimate", tmp_path / "pool", tmp_path / "judged", "--format", "json")
    found = json.loads(called(main, *words)[0])
    first, second, both = found["relevant"]["1"], found["relevant"]["2"], found["all"]
    reach = 1.959963984540054 * (8**2 * (1 - 1 / 4) * 1250 / 2) ** 0.5
    assert (first["value"], second["value"], both["value"]) == (300, 30, 330)
    assert (both["low"], both["high"]) == pytest.approx((330 - reach, 330 + reach))
    assert 150 <= first["low"] < 300 < 300 + reach <= first["high"]
    assert second["low"] == 30 < second["high"] <= 30 + 6 * 50


def test_what_was_judged_for_certain_is_exact(tmp_path):
    """The first ten ranks are all drawn: P@10 does not scatter over samples."""
    world = World(tmp_path, 4, 2, documents=300)
    real = world.truth(world.runs[0], ["P@10"])["P@10"]
    found = estimates(*world.pool(), world.runs[0], ["P@10"])["P@10"]
    assert found["value"] == pytest.approx(real, abs=1e-12)
    assert found["low"] == pytest.approx(found["high"], abs=1e-12)
    assert found["topics_low"] < found["low"]


def test_a_pool_that_is_judged_as_a_whole_leaves_nothing_open(tmp_path):
    world = World(tmp_path, 6, 3, documents=300)
    names = ["AP", "MAiP", "iP[0.01]", "char_rec"]
    truth = world.truth(world.runs[1], names)
    found = estimates(tmp_path / "every", tmp_path / "all", world.runs[1], names)
    for name in names:
        assert found[name]["low"] == found[name]["high"] == pytest.approx(truth[name], abs=1e-12)


def test_estimates_are_near_the_truth(tmp_path):
    """One sample of thirty topics, half of the last strata drawn; and the same twice."""
    world = World(tmp_path, 30, 4, documents=400)
    names = ["AP", "MAiP", "char_rec"]
    truth = world.truth(world.runs[2], names)
    pool, judged = world.pool("--budget", "150")
    found = estimates(pool, judged, world.runs[2], names)
    assert found == estimates(pool, judged, world.runs[2], names)
    for name in names:
        assert found[name]["value"] == pytest.approx(truth[name], abs=0.04)
        assert found[name]["low"] < found[name]["value"] < found[name]["high"]
        assert found[name]["topics_low"] < found[name]["low"]
    assert found["recall"] == found["char_rec"]


@pytest.mark.parametrize(
    ("qrels", "words", "message"),
    [
        ("t0 0 d0 1\nt0 0 d0 0\n", (), "occurs twice"),
        ("t0 0 d0 1\n", ("-m", "MAiP"), "measure 'MAiP' needs"),
        ("t0 0 d0 1\n", ("-m", "what"), "unknown measure 'what'"),
        ("t0 0 d0 1\n", ("-m", "nxCG@5"), "'nxCG@5' cannot be estimated"),
        ("t0 0 d0 1\n", ("-m", "gm_map"), "'gm_map' cannot be estimated"),
        ("t0 0 d0 1\n", ("-m", "bpref"), "'bpref' depends on which documents were judged"),
        ("t0 0 d0 1\n", ("-m", "old_bpref"), "'old_bpref' depends on which documents were judged"),
        ("t0 0 d0 1\n", ("-m", "bpref_10"), "'bpref_10' depends on which documents were judged"),
        ("t0 0 d0 0\n", (), "found no relevant document"),
        ("t9 0 d0 1\n", (), "found no judgement"),
    ],
)
def test_what_cannot_be_estimated_is_said(tmp_path, qrels, words, message):
    (tmp_path / "pool").write_text('{"topic": "t0", "doc": "d0"}\n')
    (tmp_path / "qrels").write_text(qrels)
    (tmp_path / "run").write_text("t0 Q0 d0 1 9 r\n")
    paths = (tmp_path / "pool", tmp_path / "qrels", tmp_path / "run")
    _, err, status = called(main, "pool", "estimate", *paths, *words)
    assert status == 2
    assert message in err


def test_several_judges_are_not_taken_for_one(tmp_path):
    world = World(tmp_path, 1, 6, documents=100)
    pool, _ = world.pool()
    line = {"qid": "t0", "doc": "d0", "doc_len": TEXT, "spans": [{"s": 0, "e": 5}]}
    both = [json.dumps(line | {"by": name, "judged": "full"}) + "\n" for name in "ab"]
    (tmp_path / "two.jsonl").write_text("".join(both))
    words = ("pool", "estimate", pool, tmp_path / "two.jsonl", world.runs[0])
    assert "several assessors; expected one" in called(main, *words)[1]
    (tmp_path / "one.jsonl").write_text(both[0])
    words = ("pool", "estimate", pool, tmp_path / "one.jsonl", world.runs[0])
    assert called(main, *words)[2] == 0


@pytest.mark.parametrize("name", ["MAiP", "SpanR(budget=2000)", "gP(score=bep)@5", "art_prec"])
def test_runs_of_elements_have_estimates_too(tmp_path, name):
    """The handbook's topics: what was not drawn need not be in the collection."""
    handbook = Path(spanwise.__file__).parent / "data" / "handbook"
    run = handbook / "elements.run"
    words = ("-o", tmp_path / "p", "--method", "sample", "--budget", "12")
    called(main, "pool", *sorted(handbook.glob("*.run")), *words)
    texts = ("--collection", handbook / "articles")
    found = estimates(tmp_path / "p", handbook / "qrels.txt", run, [name], *texts)[name]
    words = ("--task", "passages", "-m", name, "--format", "jsonl")
    real = json.loads(called(main, "eval", handbook / "qrels.txt", run, *texts, *words)[0])["value"]
    assert found["topics_low"] < real < found["topics_high"]


def test_scores_that_take_a_sample_for_all_there_is_say_so(tmp_path):
    """As `judge export` writes it: the probability stands with every document."""
    line = {"qid": "t0", "doc": "d0", "doc_len": 9, "spans": [{"s": 0, "e": 5}]}
    (tmp_path / "run").write_text("t0 Q0 d0 1 9 r 0 5\n")
    for p in (1.0, 0.3):
        (tmp_path / "j").write_text(json.dumps(line | {"drawn": {"p": p}}) + "\n")
        _, err, status = called(main, "eval", tmp_path / "j", tmp_path / "run", "-m", "MAiP")
        assert (status, "j: 1 documents are a sample of more; only" in err) == (0, p < 1)
