"""The first sentence of a comparison: which run is best, or that none is."""

import json

import numpy as np

import spanwise


def runs_of(values, measure="AP"):
    """Return judgements and runs with one relevant document per topic, found at a rank."""
    judged = {f"q{n:02}": {"d": 1} for n in range(len(values))}
    runs = {
        name: {
            f"q{n:02}": {**{f"x{k}": 9.0 - k for k in range(ranks[place] - 1)}, "d": 0.5}
            for n, ranks in enumerate(values)
        }
        for place, name in enumerate("abc"[: len(values[0])])
    }
    return judged, runs


def compared(values, measures=("RR",), **more):
    judged, runs = runs_of(values)
    return spanwise.compare(judged, runs, list(measures), **more)


def test_a_run_that_is_always_better_is_best():
    c = compared([(1, 2)] * 15 + [(1, 4)] * 15)
    (answer,) = c.verdict
    assert answer.best == ("a",)
    assert answer.out == ("b",)
    assert answer.sentence.startswith("a is best on RR: 1.0000; b has -0.6250")
    assert "worse on 30 of 30 topics" in answer.sentence
    assert "hint" not in answer.sentence


def test_the_baseline_is_stated():
    c = compared([(1, 2)] * 15 + [(1, 4)] * 15, baseline="b")
    assert c.verdict[0].sentence.startswith("a is best on RR: 1.0000, +0.6250 over b (95%")


def test_runs_that_alternate_cannot_be_told_apart():
    c = compared([(1, 2), (2, 1)] * 15)
    (answer,) = c.verdict
    assert (answer.best, answer.out, answer.open) == ((), (), ("a", "b"))
    assert answer.sentence.startswith("No run is best on RR: a and b have 0.7500.")


def test_a_run_that_leads_by_chance_is_not_best():
    c = compared([(1, 2)] * 11 + [(2, 1)] * 9, all_pairs=True)
    sentence = c.verdict[0].sentence
    assert sentence.startswith("No run is best on RR: a leads with 0.7750, but b cannot be told")
    assert "topics would be needed)" in sentence


def test_a_run_that_is_behind_is_out_although_nothing_is_settled_above_it():
    c = compared([(1, 2, 9), (2, 1, 9)] * 15)
    (answer,) = c.verdict
    assert (answer.best, answer.out, answer.open) == ((), ("c",), ("a", "b"))
    assert answer.sentence.endswith("a and b have 0.7500; c is clearly behind.")


def test_few_topics_are_a_hint():
    c = compared([(1, 2)] * 4 + [(1, 3)] * 4)
    assert c.verdict[0].sentence.endswith("With 8 topics this is a hint, not a proof.")


def test_a_measure_that_contradicts_the_first_is_named():
    # a finds it at rank 1 or not among the first 10, b always at rank 2
    values = [(1, 2)] * 36 + [(12, 2)] * 12
    c = compared(values, ["RR", "Success@2"])
    assert c.verdict[0].best == ("a",)
    assert c.verdict[1].best == ("b",)
    assert "Success@2 says otherwise: there b is best." in c.verdict[0].sentence


def test_a_measure_that_agrees_is_named():
    c = compared([(1, 2)] * 15 + [(1, 4)] * 15, ["RR", "P@1"])
    assert "P@1 agrees." in c.verdict[0].sentence


def test_every_number_of_the_sentence_stands_in_the_table():
    import re

    generator = np.random.default_rng(4)
    c = compared(generator.integers(1, 6, (40, 3)).tolist(), ["RR", "P@2"])
    from spanwise.report.comparison import rendered

    sentence, _, table = rendered(c, "table").partition("\n\n")
    for number in re.findall(r"[-+]?\d\.\d{4}", sentence):
        assert number in table


def test_one_run_has_no_verdict():
    assert compared([(1,), (2,)] * 4).verdict == ()


def test_less_is_better_where_the_measure_says_so():
    c = compared([(1, 2)] * 15 + [(1, 4)] * 15, ["RankFirstRel"])
    assert c.verdict[0].best == ("a",)


def test_the_sentence_comes_first_in_every_representation():
    c = compared([(1, 2)] * 15 + [(1, 4)] * 15)
    sentence = c.verdict[0].sentence
    assert " ".join(str(c).split()).startswith(sentence)
    assert c._repr_html_().startswith("<p><strong>a is best on RR: 1.0000; b has")
    assert json.loads(json.dumps(c.to_dict()))["verdict"][0]["sentence"] == sentence


def test_the_footer_tells_how_probable_it_is_that_each_run_is_the_best():
    c = compared([(1, 2), (2, 1)] * 15 + [(1, 9)])
    (line,) = c.odds()
    assert line.startswith("best on RR, not settled: a ")
    assert line.partition("a ")[2].endswith(" %") or "b " in line
