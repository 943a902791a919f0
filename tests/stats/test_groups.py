"""Groups of topics: their means, the worst of them, and whether they differ by chance."""

import csv
import io
import json
from statistics import fmean

import numpy as np
import pytest
from scipy.stats import f_oneway, permutation_test, t

import spanwise
from one_relevant import reciprocal, scored
from spanwise.errors import UsageError
from spanwise.model.topics import Topic, Topics
from spanwise.stats.groups import permutation_p
from spanwise.stats.resampling import Draws

RANKS = {"a": [1, 2, 4, 1, 2, 5], "b": [1, 1, 2, 4, 4, 5]}  # of the relevant document of each topic
GROUPS = {"q0": "x", "q1": "x", "q2": "x", "q3": "y", "q4": "y", "q5": "z"}


def compare(groups, ranks=RANKS, measures=("RR",), **more):
    return spanwise.compare(*reciprocal(ranks), list(measures), groups=groups, **more)


def cell(c, group, run, measure="RR", grouping="group"):
    (one,) = [
        g
        for g in c.groups.means
        if (g.group, g.run, g.measure, g.grouping) == (group, run, measure, grouping)
    ]
    return one


def test_a_group_has_the_mean_of_its_topics():
    c = compare(GROUPS)
    values = [1, 1, 1 / 2]  # of b on q0, q1, q2
    one = cell(c, "x", "b")
    assert (one.topics, one.value) == (3, pytest.approx(fmean(values)))
    bounds = t.interval(0.95, 2, np.mean(values), np.std(values, ddof=1) / 3**0.5)
    assert (one.low, one.high) == pytest.approx(bounds)
    assert one.difference == pytest.approx((0 + 1 / 2 + 1 / 4) / 3)
    assert cell(c, "y", "b").difference == pytest.approx((1 / 4 - 1 + 1 / 4 - 1 / 2) / 2)
    assert np.isnan(cell(c, "x", "a").difference)  # of the baseline
    assert np.isnan(cell(c, "z", "a").low)  # one topic has no interval


def test_the_worst_group_is_that_with_the_worst_mean():
    worst = {one.run: one.group for one in compare(GROUPS).groups.worst}
    assert worst == {"a": "z", "b": "z"}
    without = {topic: group for topic, group in GROUPS.items() if group != "z"}
    worst = {one.run: one.group for one in compare(without).groups.worst}
    assert worst == {"a": "x", "b": "y"}  # a: 7/12 against 3/4, b: 5/6 against 1/4


def test_where_less_is_better_the_worst_group_has_the_highest_mean():
    some = [
        scored("a", [0.1, 0.2, 0.9, 0.8], "RBPResidual"),
        scored("b", [1, 1, 0, 0], "RBPResidual"),
    ]
    groups = {"q0": "low", "q1": "low", "q2": "high", "q3": "high"}
    c = spanwise.compare(None, some, groups=groups)
    assert {one.run: one.group for one in c.groups.worst} == {"a": "high", "b": "low"}


def test_groups_may_be_given_in_many_ways(tmp_path):
    plain, table = tmp_path / "groups.txt", tmp_path / "groups.csv"
    plain.write_text("".join(f"{topic} {group}\n" for topic, group in GROUPS.items()))
    table.write_text(
        "topic,size,half\n"
        + "".join(f"{topic},{group},{topic >= 'q3'}\n" for topic, group in GROUPS.items())
    )
    topics = Topics("t", tuple(Topic(name, query_type=group) for name, group in GROUPS.items()))
    expected = [one.value for one in compare(GROUPS).groups.means]
    for groups in (str(plain), plain, GROUPS.get, {"size": GROUPS}, {"size": GROUPS.get}):
        assert [one.value for one in compare(groups).groups.means] == expected
    found = compare("query_type", topics=topics).groups
    assert ([one.value for one in found.means], found.groupings) == (expected, ("query_type",))
    found = compare(str(table)).groups
    assert found.groupings == ("size", "half")
    assert [one.value for one in found.means if one.grouping == "size"] == expected
    assert {one.group for one in found.means if one.grouping == "half"} == {"True", "False"}


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ({"other": "x"}, "no topic of the runs has a group; expected groups of topics such as q0"),
        (7, "groups are int; expected a file, a column of the topics, a mapping"),
        ("nowhere", "no such file; a column of the topics needs --topics"),
    ],
)
def test_groups_without_effect_are_refused(groups, message):
    with pytest.raises(UsageError, match=message):
        compare(groups)


def test_topics_have_an_effect_only_as_a_column(tmp_path):
    file = tmp_path / "groups.txt"
    file.write_text("q0 x\nq1 y\n")
    topics = Topics("t", (Topic("q0", title="a"), Topic("q1", title="b")))
    with pytest.raises(UsageError, match="topics have no effect"):
        compare(str(file), topics=topics)
    with pytest.raises(UsageError, match="unknown column of the topics 'colour'"):
        compare("colour", topics=topics)


def test_the_command_line_takes_a_column_of_the_topics(folder, ask):
    lines = ('{"_id": "1", "text": "x", "kind": "law"}', '{"_id": "2", "text": "y", "kind": "tax"}')
    (folder / "topics.jsonl").write_text("\n".join(lines) + "\n")
    (folder / "other.txt").write_text("1 Q0 bat 1 9.5 other\n")
    words = ("compare", "qrels.txt", "run.txt", "other.txt", "-m", "AP", "--topics", "topics.jsonl")
    found = json.loads(ask(*words, "--groups", "kind", "--json").out)
    values = {(one["group"], one["run"]): one["value"] for one in found["groups"]}
    assert values == {
        ("law", "mine"): 0.5, ("tax", "mine"): 1.0, ("law", "other"): 0.5, ("tax", "other"): 0.0
    }  # fmt: skip
    assert {one["grouping"] for one in found["groups"]} == {"kind"}
    assert "unknown column of the topics 'colour'" in ask(*words, "--groups", "colour").complaint
    ask("eval", "qrels.txt", "run.txt", "-m", "AP", "-o", "kept.jsonl")
    gate = (
        "gate",
        "kept.jsonl",
        "--baseline",
        "kept.jsonl",
        "-m",
        "AP",
        "--topics",
        "topics.jsonl",
    )
    held = ask(*gate, "--groups", "kind", "--worst-group", "--min", "0.6", "--by", "mean", "--json")
    verdicts = json.loads(held.out)["verdicts"]
    assert [(one.get("group"), one["passed"]) for one in verdicts] == [
        *((None, True), ("law", False), ("tax", True)),
    ]


def test_small_groups_and_topics_without_a_group_are_warned_of():
    ranks = {"a": [1, 2] * 15, "b": [2, 1] * 15}
    groups = {f"q{n}": "large" if n < 20 else "small" for n in range(29)}
    (small, left) = [one for one in compare(groups, ranks).warnings if "groups" in one]
    assert small == (
        "groups 'group': 1 group is too small to say anything, with fewer than 10 topics: small (9)"
    )
    assert left == "groups 'group': 1 of 30 topics have no group"


def test_the_json_has_groups_and_worst_groups():
    found = json.loads(json.dumps(compare({"kind": GROUPS}).to_dict()))
    assert found["groups"][0].keys() == {
        *("grouping", "group", "run", "measure", "topics"),
        *("value", "low", "high", "difference"),
    }
    assert {"run": "b", "measure": "RR", "grouping": "kind", "group": "z"} in found["worst_groups"]
    assert not {"groups", "worst_groups", "group_tests"} & compare(None).to_dict().keys()


def test_a_measure_that_is_no_mean_is_aggregated_in_its_own_way():
    c = compare(GROUPS, measures=["num_rel_ret", "gm_map"])
    assert [cell(c, g, "a", "num_rel_ret").value for g in "xyz"] == [3, 2, 1]
    expected = (1 * 1 / 2 * 1 / 4) ** (1 / 3)
    assert cell(c, "x", "a", "gm_map").value == pytest.approx(expected)
    assert np.isnan(cell(c, "x", "a", "gm_map").low)
    assert {one.measure for one in c.groups.worst} == {"gm_map"}  # sums grow with their group


def test_the_table_stands_below_the_others():
    text = compare(GROUPS).table()
    below = text.partition("by group of topics:")[2]
    assert below.split()[1:5] == ["run", "topics", "mean", "interval"]
    assert "worst group for b on RR: z, 0.2000 (groups differ: p = " in below


def test_csv_has_a_row_for_each_group():
    from spanwise.report.comparison import as_csv

    rows = list(csv.DictReader(io.StringIO(as_csv(compare(GROUPS)))))
    (one,) = [row for row in rows if (row["group"], row["run"]) == ("y", "b")]
    assert float(one["value"]) == pytest.approx(1 / 4)
    assert (one["value_topics"], one["baseline"]) == ("2", "a")
    assert float(one["difference"]) == pytest.approx(-1 / 2)
    assert [row["group"] for row in rows].count("") == 2  # the runs themselves


def test_chunks_are_compared_by_groups_at_every_budget():
    text = "abcdefghij" * 4
    gold = [{"id": f"q{n}", "question": f"{n}?", "quotes": ["abcdefghij"]} for n in range(4)]
    runs = {
        "whole": {f"q{n}": [text[:20]] for n in range(4)},
        "half": {f"q{n}": [text[:5] if n < 2 else text[:10]] for n in range(4)},
    }
    groups = {"q0": "left", "q1": "left", "q2": "right", "q3": "right"}
    c = spanwise.compare(
        gold, runs, collection={"d": text}, budget=[5, 10], groups=groups, margin=0.1
    )
    assert cell(c, "left", "half", "SpanR(budget=10)").value == pytest.approx(1 / 2)
    assert cell(c, "right", "half", "SpanR(budget=10)").value == pytest.approx(1)
    assert {one.measure for one in c.groups.means} == set(c.measures)
    above, _, below = c.table().partition("by group of topics:")
    assert "recall at 5" in below
    assert "equivalent" in above.partition("against whole:")[2]
    assert {one.decision for one in c.differences if one.measure == "SpanR(budget=5)"} == {
        "equivalent"
    }


def test_a_comparison_draws_its_groups():
    picture = compare(GROUPS).plot("groups")
    (one,) = [row for row in picture.values if (row["group"], row["run"]) == ("y", "b")]
    assert (one["topics"], one["value"]) == (2, pytest.approx(1 / 4))
    judgements, runs = reciprocal(RANKS)
    scores = spanwise.evaluate(judgements, runs, "RR")
    drawn = spanwise.plot("groups", scores, groups=GROUPS)
    order = sorted(drawn.values, key=lambda row: (row["group"], row["run"]))
    assert order == sorted(picture.values, key=lambda row: (row["group"], row["run"]))
    with pytest.raises(UsageError, match="no groups are given"):
        spanwise.plot("groups", scores)
    with pytest.raises(UsageError, match="groups have no effect on scatter"):
        spanwise.plot("scatter", scores, groups=GROUPS)


# The test of differences --------------------------------------------------------------------------


def test_the_p_is_that_of_all_assignments():
    values = np.array([0.1, 0.4, 0.35, 0.8, 0.6, 0.9, 0.75, 0.7])
    numbers = np.array([0, 0, 0, 1, 1, 1, 1, 0])
    exact = permutation_test(
        (values[numbers == 0], values[numbers == 1]),
        lambda *some: f_oneway(*some).statistic,
        permutation_type="independent",
        n_resamples=np.inf,
        alternative="greater",
    )
    (p,) = permutation_p([values], numbers, Draws(resamples=40_000))
    assert p == pytest.approx(exact.pvalue, abs=0.005)


def test_topics_without_a_value_or_group_do_not_count():
    generator = np.random.default_rng(2)
    values, numbers = generator.random(30), np.arange(30) % 3
    (p,) = permutation_p([values], numbers)
    more = np.concatenate([values, [np.nan, 9.0]])
    assert permutation_p([more], np.append(numbers, [0, -1])) == [p]


def test_the_order_of_topics_does_not_change_p():
    generator = np.random.default_rng(3)
    values, numbers = generator.random(24), (np.arange(24) % 4 == 0).astype(int)
    order = generator.permutation(24)
    assert permutation_p([values[order]], 1 - numbers[order]) == permutation_p([values], numbers)


def test_p_is_undefined_without_groups_to_compare_and_one_without_differences():
    assert np.isnan(permutation_p([np.arange(4.0)], np.zeros(4, int))).all()
    assert np.isnan(permutation_p([np.arange(4.0)], np.arange(4))).all()
    assert permutation_p([np.ones(6)], np.arange(6) % 2) == [1.0]


@pytest.mark.parametrize("shape", ["beta", "steps"])
def test_equal_groups_are_seldom_called_different(shape):
    from level_of_groups import false_positives

    rate = false_positives(shape, 25, 400, np.random.default_rng(7))
    assert 0.02 < rate < 0.085  # 0.05, give or take three standard errors


def test_groups_that_differ_are_found():
    generator = np.random.default_rng(8)
    numbers = np.arange(40) % 2
    (p,) = permutation_p([generator.beta(2, 2, 40) + 0.5 * numbers], numbers)
    assert p < 0.001
