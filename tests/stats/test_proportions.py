"""Shares of topics: intervals and McNemar's test against SciPy and statsmodels."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as reference
from statsmodels.stats.proportion import proportion_confint

import spanwise
from scores_by_hand import scores_of_values
from spanwise.errors import UnknownName, UsageError
from spanwise.stats.proportions import clopper_pearson, is_binary, wilson
from spanwise.stats.tests import mcnemar

COUNTS = [(0, 1), (1, 1), (0, 12), (5, 12), (12, 12), (40, 100), (999, 1000)]


@pytest.mark.parametrize(("successes", "topics"), COUNTS)
@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
def test_intervals_are_those_of_statsmodels_and_scipy(successes, topics, confidence):
    for name, mine, method in (
        ("beta", clopper_pearson, "exact"),
        ("wilson", wilson, "wilson"),
    ):
        mean, low, high = mine(successes, topics, confidence)
        assert mean == successes / topics
        theirs = proportion_confint(successes, topics, 1 - confidence, method=name)
        assert (low, high) == pytest.approx(theirs, abs=1e-12)
        of_scipy = stats.binomtest(successes, topics).proportion_ci(confidence, method)
        assert (low, high) == pytest.approx(tuple(of_scipy), abs=1e-9)


def test_intervals_cover_the_true_share():
    """By enumeration: Wilson's covers it about as often as stated, the exact one at least so."""
    for topics in (25, 50, 100):
        covered = {wilson: [], clopper_pearson: []}
        counts = np.arange(topics + 1)
        for function, found in covered.items():
            bounds = np.array([function(int(one), topics)[1:] for one in counts])
            for share in np.linspace(0.1, 0.9, 81):
                inside = (bounds[:, 0] <= share) & (share <= bounds[:, 1])
                found.append(stats.binom.pmf(counts, topics, share)[inside].sum())
        assert 0.94 < np.mean(covered[wilson]) < 0.96
        assert min(covered[wilson]) > 0.91
        assert min(covered[clopper_pearson]) >= 0.95


@pytest.mark.parametrize(("wins", "losses", "ties"), [(9, 1, 5), (5, 5, 2), (0, 6, 0), (40, 21, 9)])
def test_mcnemar_is_that_of_statsmodels(wins, losses, ties):
    column = np.array([1.0] * wins + [-1.0] * losses + [0.0] * ties)[:, None]
    table = [[ties, wins], [losses, 0]]
    assert mcnemar(column)[0] == pytest.approx(reference(table, exact=True).pvalue, rel=1e-12)


def test_values_of_0_and_1_are_recognised():
    assert is_binary(np.array([0.0, 1.0, np.nan]))
    assert not is_binary(np.array([0.0, 0.5]))
    assert not is_binary(np.array([np.nan]))


HITS = scores_of_values(
    "new", {"Success@1": [1.0] * 9 + [0.0] * 3, "AP": np.linspace(0.2, 0.9, 12)}
)
BASE = scores_of_values(
    "old", {"Success@1": [1.0] * 5 + [0.0] * 7, "AP": np.linspace(0.1, 0.9, 12)}
)


def test_a_comparison_has_intervals_of_shares_where_values_are_shares():
    c = spanwise.compare(None, [BASE, HITS], tests=("mcnemar", "t"))
    found = {(one["run"], one["measure"]): one for one in c.to_dict()["scores"]}
    mine = found["new", "Success@1"]
    assert (mine["low"], mine["high"]) == pytest.approx(proportion_confint(9, 12, method="wilson"))
    whole = stats.ttest_1samp(HITS.values["AP"], 0).confidence_interval()
    mine = found["new", "AP"]
    assert (mine["low"], mine["high"]) == pytest.approx(tuple(whole))
    exact = spanwise.compare(None, [BASE, HITS], interval="clopper-pearson")
    mine = exact.mean("new", "Success@1")
    assert (mine.low, mine.high) == pytest.approx(proportion_confint(9, 12, method="beta"))
    assert "Clopper and Pearson's interval" in exact.table()
    assert "Wilson's interval" in c.table()


def test_mcnemar_needs_shares():
    c = spanwise.compare(None, [BASE, HITS], tests="mcnemar")
    (share,) = c.select(measure="Success@1")
    (graded,) = c.select(measure="AP")
    assert share.p == pytest.approx(2 / 2**4)  # four topics differ, all in one direction
    assert np.isnan(graded.p)
    assert any("McNemar" in one for one in c.warnings)
    graded_only = [scores_of_values(name, {"AP": [0.1, 0.5, 0.3]}) for name in ("a", "b")]
    for words in ({"tests": "mcnemar"}, {"interval": "wilson"}):
        with pytest.raises(UsageError, match="no measure whose topic values are all 0 or 1"):
            spanwise.compare(None, graded_only, **words)
    with pytest.raises(UnknownName, match="wald"):
        spanwise.compare(None, [BASE, HITS], interval="wald")


def test_costs_that_happen_to_be_0_or_1_are_no_shares():
    values = {"FirstEvidence": [0.0, 1.0, 0.0, 0.0], "NumRet": [1.0, 1.0, 0.0, 1.0]}
    c = spanwise.compare(None, [scores_of_values(name, values) for name in ("a", "b")])
    low, high = stats.ttest_1samp(values["FirstEvidence"], 0).confidence_interval()
    mean = c.mean("a", "FirstEvidence")
    assert (mean.low, mean.high) == pytest.approx((low, high))
    assert "Wilson" not in c.table()
