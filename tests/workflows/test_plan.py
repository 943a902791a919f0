"""spanwise compare --plan: what topics can show before anything is judged."""

import json

import numpy as np
import pytest
from statsmodels.stats.power import TTestPower

import spanwise
from calling import called
from scores_by_hand import scores_of_values
from spanwise.cli import main
from spanwise.errors import UnknownName, UsageError


def planned(*words):
    out, err, status = called(main, "compare", "--plan", *words, "--json")
    assert (err, status) == ("", 0)
    return {one["test"]: one for one in json.loads(out)["plan"]}


def refused(*words):
    out, err, status = called(main, "compare", *words)
    assert (out, status) == (b"", 2)
    return err


def test_a_number_of_topics_has_a_smallest_p():
    found = planned("--topics", "10")
    assert found["sign"] == {"test": "sign", "topics": 10, "smallest_p": 2 / 2**10}
    assert found["t"]["smallest_p"] == 0
    assert found["bootstrap"]["smallest_p"] == 1 / 10_001
    assert set(found) == {"t", "wilcoxon", "sign", "randomisation", "bootstrap", "mcnemar"}
    some = planned("--topics", "20", "--test", "randomisation", "--resamples", "1999")
    assert some == {
        "randomisation": {"test": "randomisation", "topics": 20, "smallest_p": 1 / 2000}
    }


def test_a_spread_gives_the_difference_that_is_found():
    effect = TTestPower().solve_power(nobs=50, alpha=0.01, power=0.8)
    found = planned("--topics", "50", "--sd", "0.2", "--confidence", "0.99", "--test", "t")
    assert found["t"]["detectable"] == pytest.approx(0.2 * effect, rel=1e-5)
    assert "power" not in found["t"]
    assert planned("--topics", "5", "--sd", "0.2")["sign"]["detectable"] is None


def test_a_difference_has_a_power_and_a_number_of_topics():
    found = planned("--topics", "50", "--sd", "0.2", "--difference", "-0.05")["t"]
    assert found["power"] == pytest.approx(TTestPower().power(0.25, 50, 0.05), rel=1e-9)
    assert found["needed_topics"] == np.ceil(TTestPower().solve_power(0.25, alpha=0.05, power=0.8))
    assert "detectable" not in found


def test_results_have_a_spread(tmp_path):
    rng = np.random.default_rng(1)
    columns = [rng.random(20) for _ in range(3)]
    runs = [scores_of_values(name, {"AP": c}) for name, c in zip("abc", columns, strict=True)]
    file = tmp_path / "results.jsonl"
    file.write_text(
        "".join(
            json.dumps({"run": s.run, "topic": topic, "measure": "AP", "value": value}) + "\n"
            for s in runs
            for topic, value in [
                *zip(s.topics, s.values["AP"], strict=True),
                ("all", s.means["AP"]),
            ]
        )
    )
    words = (file, "--baseline", "b", "--topics", "40", "-m", "AP", "--test", "t")
    out, err, status = called(main, "compare", "--plan", *words, "--json")
    assert (err, status) == ("", 0)
    rows = json.loads(out)["plan"]
    assert [(one["run"], one["baseline"], one["measure"]) for one in rows] == [
        ("a", "b", "AP"),
        ("c", "b", "AP"),
    ]
    assert rows[1]["sd"] == pytest.approx(np.std(columns[2] - columns[1], ddof=1))
    in_python = spanwise.plan(40, results=runs, baseline="b", tests="t")
    assert in_python.to_dict()["plan"] == rows
    with pytest.raises(UsageError, match="all 0 or 1"):
        spanwise.plan(40, results=runs, tests="mcnemar")
    with pytest.raises(UnknownName, match="nDCG"):
        spanwise.plan(40, results=runs, measures="nDCG")
    with pytest.raises(UsageError, match="results of one run"):
        spanwise.plan(40, results=runs[0])


def test_a_published_table_is_audited():
    words = ("--topics", "10", "--means", "0.70,1.00")
    found = planned(*words)
    assert found["randomisation"]["smallest_p"] == 2 / 2**10
    assert found["randomisation"]["can_show"] is True
    # 7 and 10 of 10: three topics, all in one direction
    assert found["mcnemar"]["smallest_p_of_means"] == 2 / 2**3
    assert found["mcnemar"]["can_show"] is False
    text = called(main, "compare", "--plan", *words)[0].decode()
    assert (
        "10 topics: the smallest p is 0.002 (wilcoxon, sign and randomisation), so such a" in text
    )
    assert "the smallest p is 0.25, and the table shows nothing" in text
    five = spanwise.plan(5, means=[0.2, 0.6], tests="sign")
    assert "such a table can show nothing" in str(five)
    assert not five.rows[0].can_show
    many = spanwise.plan(7, means=[0.2, 0.6, 0.7, 0.8, 0.9], tests="sign")
    assert not any(one.can_show for one in many.rows)  # 4 x 2 / 2**7 is above 0.05
    assert all(
        one.can_show
        for one in spanwise.plan(
            7, means=[0.2, 0.6, 0.7, 0.8, 0.9], tests="t", correction="bh"
        ).rows
    )
    equal = spanwise.plan(30, means=["0.5", "0.5"], tests="t")
    assert not equal.rows[0].can_show
    assert "the means are equal" in str(equal)


def test_means_that_no_topics_have_are_no_shares():
    found = spanwise.plan(10, means=["0.75", "1.00"], tests="mcnemar")
    assert np.isnan(found.rows[0].smallest_p_of_means)
    assert not found.rows[0].can_show


def test_what_has_no_effect_is_refused():
    assert "--sd has no effect without --plan" in refused("q", "r", "--sd", "1")
    assert "found a number; expected a file of topics" in refused("q", "r", "--topics", "50")
    assert "such as --topics 50" in refused("--plan", "--topics", "topics.txt")
    assert "--plan needs the number of topics" in refused("--plan")
    assert "--budget has no effect with --plan" in refused(
        "--plan", "--topics", "5", "--budget", "9"
    )
    assert "without a spread" in refused("--plan", "--topics", "5", "--difference", "0.1")
    assert "expected one of them" in refused("--plan", "--topics", "5", "--sd", "1", __file__)
    assert "found no results" in refused("--plan", "--topics", "5", __file__)
    assert "Missing argument 'JUDGEMENTS'" in refused()
    assert "measure has no effect" in refused("--plan", "--topics", "5", "-m", "AP")
    assert "found 1 mean" in refused("--plan", "--topics", "5", "--means", "0.1")
    assert "--correction has no effect" in refused("--plan", "--topics", "5", "--correction", "bh")


@pytest.mark.parametrize("words", [{"topics": 0}, {"topics": 5, "sd": 0.0}, {"topics": True}])
def test_odd_numbers_are_refused(words):
    with pytest.raises(UsageError, match="expected"):
        spanwise.plan(**words)
