"""Measures of chunks against their definitions, on random runs and judgements, through the door."""

import json
from random import Random

import pytest

import naive_chunks as naive
import spanwise


def world(random):
    """Relevant text of some topics, and results for them; much of it overlaps."""
    length = random.choice([12, 60])

    def stretch():
        start = random.randrange(length)
        return start, min(length, start + random.randint(1, random.choice([3, 40])))

    gold, run = {}, {}
    for topic in "abc":
        gold[topic] = []
        for _ in range(random.randint(1, 6)):
            start, end = stretch()
            one = {"doc": random.choice("xyz"), "s": start, "e": end}
            one |= {"g": random.choice([0, 1, 2])} if random.random() < 0.4 else {}
            one |= {"set": random.randrange(2)} if random.random() < 0.4 else {}
            one |= {"aspect": random.sample("stuv", 2)} if random.random() < 0.6 else {}
            gold[topic].append(one)
        gold[topic].sort(key=lambda one: one["doc"])
        run[topic] = [(random.choice("xyzw"), *stretch()) for _ in range(random.randint(0, 9))]
        run[topic] += random.choices(run[topic], k=2) if run[topic] else []
    run["a"] = run["a"] or [("x", 0, 3)]
    return gold, run


def written(folder, random, gold, run):
    """Both as files; the order is said by ranks, by scores, or by the order of lines."""
    lines = []
    for topic, spans in gold.items():
        for doc in sorted({one["doc"] for one in spans}):
            mine = [
                {k: v for k, v in one.items() if k != "doc"} for one in spans if one["doc"] == doc
            ]
            lines.append({"qid": topic, "doc": doc, "spans": mine})
    (folder / "gold.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    lines = []
    for topic, results in run.items():
        said = random.choice(["rank", "score", "order"])
        mine = []
        for n, (doc, s, e) in enumerate(results, start=1):
            extra = {"rank": {"rank": n}, "score": {"score": -n}, "order": {}}[said]
            mine.append({"qid": topic, "doc": doc, "s": s, "e": e, **extra})
        if said != "order":
            random.shuffle(mine)
        lines += mine
    (folder / "run.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder / "gold.jsonl", folder / "run.jsonl"


@pytest.mark.filterwarnings("ignore:.*merged")
@pytest.mark.parametrize("seed", range(25))
def test_values_follow_their_definitions(seed, tmp_path):
    random = Random(seed)
    gold, run = world(random)
    wanted = dict(naive.WHOLE)
    for name, function in naive.READ.items():
        for budget, k in ((None, None), (random.randint(1, 60), None), (None, 3), (25, 2)):
            label = name + (f"(budget={budget})" if budget else "") + (f"@{k}" if k else "")
            wanted[label] = lambda g, r, f=function, b=budget, c=k: f(g, r, b, c)
    scores = spanwise.evaluate(*written(tmp_path, random, gold, run), list(wanted))
    for topic, spans in gold.items():
        if not naive.relevant(spans):
            continue
        found = scores.per_topic[topic]
        due = {name: of(spans, run[topic]) for name, of in wanted.items()}
        assert found == pytest.approx(
            {name: float("nan") if value is None else value for name, value in due.items()},
            abs=1e-9,
            nan_ok=True,
        ), topic
