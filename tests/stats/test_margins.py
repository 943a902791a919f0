"""Margins: a difference is better, worse, equivalent or not known."""

import json

import numpy as np
import pytest
from statsmodels.stats.weightstats import DescrStatsW

import spanwise
from level_of_groups import mistaken_decisions
from one_relevant import scored
from spanwise.errors import UsageError
from spanwise.stats.margins import Margin, decision, margin_of

BASE = [0.4, 0.6, 0.5, 0.7, 0.3, 0.5, 0.6, 0.4]


def shifted(run, by, spread):
    """Scores whose difference to the base is `by`, give or take `spread`."""
    signs = [1, -1] * 4
    return scored(
        run, [value + by + spread * sign for value, sign in zip(BASE, signs, strict=True)]
    )


def compare(*others, margin=0.01, measure="AP", **more):
    return spanwise.compare(None, [scored("base", BASE), *others], margin=margin, **more)


@pytest.mark.parametrize(
    ("by", "spread", "expected"),
    # the half width of the interval is spread * sqrt(8/7) / sqrt(8) * 2.3646 = 0.894 * spread
    [
        (0.0, 0.01, "equivalent"),  # +-0.0089
        (0.0, 0.02, "not known"),  # +-0.0179
        (0.03, 0.02, "better"),  # from 0.012
        (-0.03, 0.02, "worse"),
        (0.03, 0.05, "not known"),  # from -0.015
        (0.005, 0.004, "equivalent"),  # from 0.0014 to 0.0086: surely better, but not by much
        (0.01, 0.001, "better"),  # from 0.0091 to 0.0109
        (0.01, 0.0, "equivalent"),  # exactly the margin, but for rounding
        (0.0, 0.0, "equivalent"),
    ],
)
def test_the_interval_decides(by, spread, expected):
    (one,) = compare(shifted("new", by, spread)).differences
    assert (one.decision, one.margin) == (expected, 0.01)


def test_where_less_is_better_a_lower_value_is_better():
    runs = [
        scored("base", BASE, "RBPResidual"),
        scored("new", [v - 0.1 for v in BASE], "RBPResidual"),
    ]
    (one,) = spanwise.compare(None, runs, margin=0.01).differences
    assert (one.difference, one.decision) == (pytest.approx(-0.1), "better")


def test_a_relative_margin_is_a_share_of_the_mean_of_the_baseline():
    c = compare(shifted("new", 0.0, 0.01), margin="2%")  # of 0.5
    (one,) = c.differences
    assert (one.margin, one.decision) == (pytest.approx(0.01), "equivalent")
    assert c.margin == "2%"
    (one,) = compare(shifted("new", 0.0, 0.01), margin="1%").differences
    assert one.decision == "not known"
    pairs = compare(shifted("new", 0.5, 0.01), margin="2%", all_pairs=True).differences
    assert {one.baseline: one.margin for one in pairs} == {"base": pytest.approx(0.01)}


def test_equivalence_is_two_one_sided_tests():
    generator = np.random.default_rng(4)
    for _ in range(200):
        values = generator.normal(0, 0.02, 12)
        low, high = DescrStatsW(values).tconfint_mean(alpha=0.05)
        p, _, _ = DescrStatsW(values).ttost_mean(-0.012, 0.012)
        assert (decision(low, high, 0.012) == "equivalent") == (p <= 0.025)


def test_a_margin_changes_no_other_number():
    some = [shifted("new", 0.02, 0.03), shifted("other", -0.01, 0.05)]
    plain, with_margin = (compare(*some, margin=margin).to_dict() for margin in (None, 0.01))
    for one in with_margin["comparisons"]:
        assert one.pop("margin") == 0.01
        one.pop("decision")
    assert with_margin["comparisons"] == plain["comparisons"]


def test_the_margin_is_stated_and_the_verdict_uses_it():
    c = compare(shifted("new", 0.0, 0.01), shifted("bad", -0.2, 0.01))
    assert "new is equivalent to base within 0.01." in c.verdict[0].sentence
    assert "bad is equivalent" not in c.verdict[0].sentence
    text = c.table()
    assert "margin 0.01, stated beforehand" in text
    (row,) = [line for line in text.splitlines() if line.startswith("new  AP ")]
    assert row.endswith("equivalent")
    assert "margin" not in compare(shifted("new", 0.0, 0.01), margin=None).table()


@pytest.mark.parametrize("margin", ["1 percent", "0", "-1%", 0, "nan", "inf"])
def test_a_margin_is_a_number_above_zero(margin):
    with pytest.raises(UsageError, match="expected a number"):
        margin_of(margin)


def test_a_margin_may_be_absolute_or_relative():
    assert (margin_of("0.5%"), margin_of(0.02)) == (Margin(0.005, relative=True), Margin(0.02))


def test_a_margin_has_no_effect_on_one_run():
    with pytest.raises(UsageError, match="no effect on one run"):
        spanwise.compare(None, [scored("base", BASE)], margin=0.01)


@pytest.mark.parametrize("shape", ["beta", "steps"])
def test_a_difference_as_large_as_the_margin_is_seldom_equivalent(shape):
    equivalent, sure = mistaken_decisions(shape, 50, 1000, np.random.default_rng(6))
    assert equivalent < 0.025 + 3 * (0.025 * 0.975 / 1000) ** 0.5
    assert 0.03 < sure < 0.07


def test_the_command_line_has_margins_and_groups(tmp_path, capfdbinary):
    from spanwise.cli import main

    results, groups = tmp_path / "results.jsonl", tmp_path / "groups.tsv"
    with results.open("w") as file:
        for one in (scored("base", BASE), shifted("new", 0.03, 0.02)):
            for n, value in enumerate(one.values["AP"].tolist()):
                record = {"run": one.run, "topic": f"q{n}", "measure": "AP", "value": value}
                file.write(json.dumps(record) + "\n")
            mean = {"run": one.run, "topic": "all", "measure": "AP", "value": one.means["AP"]}
            file.write(json.dumps(mean) + "\n")
    groups.write_text("topic\thalf\n" + "".join(f"q{n}\t{n < 4}\n" for n in range(8)))
    words = ["compare", str(results), "--groups", str(groups), "--margin", "1%", "--json"]
    assert main(words) == 0
    found = json.loads(capfdbinary.readouterr().out)
    (one,) = found["comparisons"]
    assert (one["decision"], one["margin"]) == ("better", pytest.approx(0.005))
    assert [(g["group"], g["run"], g["topics"]) for g in found["groups"]] == [
        *(("False", "new", 4), ("False", "base", 4)),
        *(("True", "new", 4), ("True", "base", 4)),
    ]
    assert {one["grouping"] for one in found["worst_groups"]} == {"half"}
