"""The verdict depends on nothing but the text that is read, and on whose answer it is.

Each test changes how the same reading is written down, and expects the same verdict: the sentences
with the runs that are best, out and open, and the marks of the tables.
"""

import json
import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import spanwise
from spanwise.cli import main

BUDGETS = (150, 300)
SEEDS = range(4)
READ = ("SpanR", "SpanP", "FullEvidence", "FirstEvidence", "Waste")
"""Measures of what is read within a budget. Others look at whole runs, or at chunks as such."""


def lines(path, objects):
    path.write_text("".join(json.dumps(one) + "\n" for one in objects))


def world(seed):
    """Documents, evidence and three runs, as plain data: two are nearly alike, one is worse."""
    chance = random.Random(seed)
    words = ["alpha", "beta", "gamma", "délta", "ünïcode", "😀", "stop", "e\u0301nd"]
    documents = {
        name: " ".join(chance.choice(words) + str(chance.randrange(99)) for _ in range(400))
        for name in ("one", "two")
    }
    gold, runs = {}, {"good": {}, "twin": {}, "bad": {}}
    for n in range(30):
        document = chance.choice(sorted(documents))
        start = chance.randrange(1000)
        gold[f"t{n}"] = (document, start, start + 80)
        for name, shift in (("good", 15), ("twin", 17), ("bad", 75)):
            first = max(0, start - shift + chance.randrange(12))
            others = [chance.randrange(1500) for _ in range(6)]
            places = [chance.randrange(1500), first, *others]
            runs[name][f"t{n}"] = [(document, s, s + 100) for s in places]
    return documents, gold, runs


UNITS = {
    "codepoint": ({}, len),
    "byte": ({"unit": "byte"}, lambda text: len(text.encode())),
    "utf16": ({"unit": "char", "char": "utf16"}, lambda text: len(text.encode("utf-16-le")) // 2),
}


def written(folder, documents, gold, runs, unit="codepoint"):
    """Write documents, judgements and runs, with offsets in a unit."""
    head, size = UNITS[unit]

    def place(document, s, e):
        text = documents[document]
        return {"s": size(text[:s]), "e": size(text[:e])}

    (folder / "docs").mkdir(parents=True)
    for name, text in documents.items():
        (folder / "docs" / f"{name}.txt").write_text(text, "utf-8")
    lines(folder / "gold.jsonl", [{"format": "span-qrels/1", **head}, *(
        {"qid": topic, "query": f"what is {topic}", "doc": one[0], "spans": [place(*one)]}
        for topic, one in gold.items()
    )])  # fmt: skip
    for name, run in runs.items():
        lines(folder / f"{name}.jsonl", [{"format": "span-run/1", **head}, *(
            {"qid": topic, "rank": rank, "doc": one[0], **place(*one)}
            for topic, some in run.items()
            for rank, one in enumerate(some, start=1)
        )])  # fmt: skip
    return folder


def compared(folder, names=("good", "twin", "bad")):
    return spanwise.compare(
        str(folder / "gold.jsonl"),
        {name: str(folder / f"{name}.jsonl") for name in names},
        collection=str(folder / "docs"),
        budget=BUDGETS,
        resamples=2000,
    )


def verdict(folder, only=None, values=True):
    """Who is best, out and open in each measure, what is marked, and the numbers behind it."""
    c = compared(folder)
    found = {}
    for answer in c.verdict:
        name = answer.measure
        if only is not None and not name.startswith(tuple(f"{one}(" for one in only)):
            continue
        marks = {run: c.mark(run, name) for run in c.runs}
        found[name] = [set(answer.best), set(answer.out), set(answer.open), marks]
        if values:
            contest = c.contests[name]
            # topics are added up in the order of their names, which may change the last digit
            found[name] += [contest, {run: round(c.mean(run, name).value, 12) for run in c.runs}]
            found[name].append([(one.p, one.topics) for one in c.select(measure=name)])
            if only is None:
                found[name].append(answer.sentence)
    return found


def decides(found):
    """Whether a verdict has everything that a change could spoil."""
    return (
        any(mark.startswith("‡") for one in found.values() for mark in one[3].values())
        and any("bad" in one[1] for one in found.values())
        and any(one[2] >= {"good", "twin"} for one in found.values())
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_there_is_a_verdict_that_could_change(seed, tmp_path):
    assert decides(verdict(written(tmp_path / "x", *world(seed))))


# Order and names ----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_lines_may_stand_in_any_order(seed, tmp_path):
    """Ranks are stated, so results of a topic need not stand together either."""
    before = written(tmp_path / "before", *world(seed))
    after = written(tmp_path / "after", *world(seed))
    chance = random.Random(seed + 100)
    for file in after.glob("*.jsonl"):
        head, *rest = file.read_text().splitlines()
        file.write_text("\n".join([head, *chance.sample(rest, len(rest))]))
    assert verdict(after) == verdict(before)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("prefix", ["x", "10", "é"])
def test_topics_may_have_other_names_in_another_order(seed, prefix, tmp_path):
    documents, gold, runs = world(seed)
    before = written(tmp_path / "before", documents, gold, runs)
    order = random.Random(seed).sample(sorted(gold), len(gold))
    name = {topic: f"{prefix} {n}" for n, topic in enumerate(order)}
    runs = {
        run: {name[topic]: answers[topic] for topic in reversed(order)}
        for run, answers in runs.items()
    }
    after = written(tmp_path / "after", documents, {name[t]: gold[t] for t in order}, runs)
    assert verdict(after) == verdict(before)


@pytest.mark.parametrize("seed", SEEDS)
def test_entries_without_ids_may_stand_in_any_order(seed, tmp_path):
    """Texts without offsets and ids; the same texts with ids, in the order of the judgements."""
    documents, gold, runs = world(seed)
    question = {topic: f"What is {n} of {seed}?" for n, topic in enumerate(gold)}
    chance = random.Random(seed + 5)
    for kind in ("before", "after"):
        folder = written(tmp_path / kind, documents, gold, {})
        judged = [
            {"question": question[t], "reference_contexts": [documents[d][s:e]]}
            for t, (d, s, e) in gold.items()
        ]
        named = [{"id": f"n{n}", **one} for n, one in enumerate(judged)]
        lines(folder / "gold.jsonl", named if kind == "before" else judged)
        for run, answers in runs.items():
            rows = [
                {"question": question[t], "contexts": [documents[d][s:e] for d, s, e in some]}
                for t, some in answers.items()
            ]
            rows = [{"id": f"n{n}", **one} for n, one in enumerate(rows)]
            if kind == "after":
                rows = [{k: v for k, v in one.items() if k != "id"} for one in rows]
                chance.shuffle(rows)
            lines(folder / f"{run}.jsonl", rows)
    before, after = (verdict(tmp_path / kind) for kind in ("before", "after"))
    assert decides(before)
    assert after == before


@pytest.mark.parametrize("seed", SEEDS)
def test_runs_may_be_named_in_any_order(seed, tmp_path):
    folder = written(tmp_path / "x", *world(seed))
    first, second = (compared(folder, names) for names in (
        ("good", "twin", "bad"), ("good", "bad", "twin"),
    ))  # fmt: skip
    assert first.runs == second.runs
    assert first.verdict == second.verdict
    assert first.contests == second.contests


# The same reading ---------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("run", ["good", "bad"])
def test_results_beyond_the_largest_budget_change_nothing(seed, run, tmp_path):
    documents, gold, runs = world(seed)
    before = written(tmp_path / "before", documents, gold, runs)
    chance = random.Random(seed + 3)
    for topic, some in runs[run].items():
        assert sum(e - s for _, s, e in some) >= max(BUDGETS)
        more = [(some[0][0], s, s + 60) for s in chance.sample(range(1500), 3 * len(some))]
        evidence = gold[topic]
        runs[run][topic] = [*some, *more, evidence]
    after = written(tmp_path / "after", documents, gold, runs)
    assert verdict(after, READ) == verdict(before, READ)


@settings(max_examples=6, deadline=None)
@given(seed=st.sampled_from(SEEDS), cut=st.integers(1, 99), run=st.sampled_from(["good", "bad"]))
def test_a_chunk_may_be_cut_in_two(tmp_path_factory, seed, cut, run):
    tmp_path = tmp_path_factory.mktemp("cut")
    documents, gold, runs = world(seed)
    before = written(tmp_path / "before", documents, gold, runs)
    for topic, some in runs[run].items():
        parts = [pairwise([s, s + cut, e]) for _, s, e in some]
        document = some[0][0]
        runs[run][topic] = [(document, s, e) for two in parts for s, e in two]
    after = written(tmp_path / "after", documents, gold, runs)
    assert verdict(after, READ) == verdict(before, READ)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("unit", ["byte", "utf16"])
def test_offsets_may_have_any_unit(seed, unit, tmp_path):
    before = written(tmp_path / "before", *world(seed))
    after = written(tmp_path / "after", *world(seed), unit)
    assert verdict(after) == verdict(before)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_conversion_keeps_the_verdict(seed, tmp_path):
    """From bytes to Parquet, and from there to JSON lines."""
    folder = written(tmp_path / "x", *world(seed), "byte")
    before = verdict(folder)
    for file in sorted(folder.glob("*.jsonl")):
        kind = "span_qrels" if file.stem == "gold" else "span_run"
        table = str(file.with_suffix(".parquet"))
        assert main(["convert", str(file), table, "--to", f"{kind}_parquet"]) == 0
        file.unlink()
        assert main(["convert", table, str(file), "--to", kind]) == 0
    assert verdict(folder) == before


@pytest.mark.parametrize("seed", SEEDS)
def test_chunks_may_be_texts_without_offsets(seed, tmp_path):
    """Each text stands only once in its document."""
    documents, gold, runs = world(seed)
    before = written(tmp_path / "before", documents, gold, runs)
    after = written(tmp_path / "after", documents, gold, {})
    for run, answers in runs.items():
        texts = [
            {"qid": topic, "rank": rank, "doc": d, "text": documents[d][s:e]}
            for topic, some in answers.items()
            for rank, (d, s, e) in enumerate(some, start=1)
        ]
        assert all(documents[one["doc"]].count(one["text"]) == 1 for one in texts)
        lines(after / f"{run}.jsonl", texts)
    assert verdict(after) == verdict(before)


def stripped(text, s, e):
    """The span without white space at its ends."""
    inside = text[s:e]
    start = s + len(inside) - len(inside.lstrip())
    return start, start + len(inside.strip())


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("blank", ["  ", " \u2003\n"])
def test_chunks_may_be_stripped_at_their_ends(seed, blank, tmp_path):
    """Chunks are some words with all white space around them, or only with that inside."""
    chance = random.Random(seed + 40)
    words = [f"wörd{n:03}" for n in range(400)]
    text = blank.join(["", *words, ""])
    width, step = len(words[0]), len(words[0] + blank)
    gold, plain = {}, {"good": {}, "twin": {}, "bad": {}}
    for n in range(30):
        first = chance.randrange(20, 350)
        last = len(blank) + step * (first + 3) + width
        gold[f"t{n}"] = ("d", len(blank) + step * first, last)  # four words
        for name, off in (("good", 0), ("twin", 0), ("bad", 5)):
            some = [first + chance.choice([0, 0, 1]), first + 2 + off, 366]
            chunks = [("d", step * w, step * (w + 2) + len(blank)) for w in some]
            plain[name][f"t{n}"] = [*chunks, *(("d", s, s + 60) for s in range(0, 300, 60))]
    bare = {
        name: {t: [(d, *stripped(text, s, e)) for d, s, e in some] for t, some in run.items()}
        for name, run in plain.items()
    }
    documents = {"d": text}
    whole = ("FullEvidence", "SpanR")
    before = verdict(written(tmp_path / "before", documents, gold, plain), whole, values=False)
    after = verdict(written(tmp_path / "after", documents, gold, bare), whole, values=False)
    assert after == before
    assert all("bad" in one[1] for one in before.values())
    found = spanwise.evaluate(
        str(tmp_path / "after" / "gold.jsonl"),
        str(tmp_path / "after" / "good.jsonl"),
        ["FullEvidence(budget=150)", "FullEvidence(budget=150,blank=count)"],
        collection=str(tmp_path / "after" / "docs"),
    )
    assert found.means["FullEvidence(budget=150)"] > 0.5
    assert found.means["FullEvidence(budget=150,blank=count)"] == 0
