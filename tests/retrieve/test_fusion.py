"""Fusion and agreement of clusters, on paper."""

from math import log

import pytest

from spanwise.errors import InputError, UsageError
from spanwise.formats import read_run
from spanwise.retrieve.clustering import agreement
from spanwise.retrieve.fusion import fused


def run(folder, name, *lines):
    path = folder / name
    path.write_text("".join(f"{line}\n" for line in lines))
    return read_run(path)


@pytest.fixture
def two(tmp_path):
    one = run(tmp_path, "a", "1 Q0 x 1 8 a", "1 Q0 y 2 6 a", "1 Q0 z 3 4 a")
    other = run(tmp_path, "b", "1 Q0 z 1 0.9 b", "1 Q0 w 2 0.4 b", "2 Q0 q 1 1 b")
    return [one, other]


def scores(result, topic=b"1"):
    code = result.rows.topics.index(topic)
    rows = range(int(result.rows.starts[code]), int(result.rows.starts[code + 1]))
    names = result.documents.take(__import__("numpy").array(list(rows)))
    return {n.decode(): s for n, s in zip(names, result.scores[list(rows)].tolist(), strict=True)}


@pytest.mark.parametrize(
    ("method", "weights", "expected"),
    [
        ("rrf", (), {"z": 1 / 63 + 1 / 61, "x": 1 / 61, "y": 1 / 62, "w": 1 / 62}),
        ("combsum", (), {"x": 1, "z": 1, "y": 0.5, "w": 0}),
        ("combmnz", (), {"z": 2, "x": 1, "y": 0.5, "w": 0}),
        ("interpolate", (3, 1), {"x": 0.75, "y": 0.375, "z": 0.25, "w": 0}),
    ],
)
def test_runs_are_fused(two, method, weights, expected):
    found = scores(fused(two, method, weights))
    assert found == pytest.approx(expected, abs=1e-11)
    order = sorted(expected, key=lambda name: (-expected[name], name))
    assert list(found) == order


def test_topics_of_one_run_alone_are_kept(two):
    assert scores(fused(two, "combsum"), b"2") == {"q": 1.0}


def test_no_more_results_than_asked(two):
    assert list(scores(fused(two, "rrf", top=2))) == ["z", "x"]


def test_elements_are_fused_by_path(tmp_path):
    one = run(tmp_path, "a", "1 Q0 d 1 2 a /s[1]", "1 Q0 d 2 1 a /s[2]")
    other = run(tmp_path, "b", "1 Q0 d 1 5 b /s[2]", "1 Q0 d 2 4 b /s[1]/p[1]")
    result = fused([one, other], "combmnz")
    assert result.paths.take(__import__("numpy").arange(3)) == [b"/s[2]", b"/s[1]", b"/s[1]/p[1]"]
    with pytest.raises(InputError, match="cannot be fused"):
        fused([one, run(tmp_path, "c", "1 Q0 d 1 2 c")], "rrf")


@pytest.mark.parametrize("weights", [(1,), (1, -1), (0, 0)])
def test_weights_that_make_no_sense_are_refused(two, weights):
    with pytest.raises(UsageError):
        fused(two, "interpolate", weights)


def test_one_run_cannot_be_fused(two):
    with pytest.raises(UsageError, match="at least two runs"):
        fused(two[:1], "rrf")


# Agreement ---------------------------------------------------------------------------------------


def test_what_a_run_has_twice_counts_once(tmp_path):
    lines = ["1 Q0 d 1 4 a /x[1]", "1 Q0 d 2 3 a /x[1]", "1 Q0 d 3 2 a /x[1]/y[1]"]
    one, other = run(tmp_path, "a", *lines), run(tmp_path, "b", "1 Q0 d 1 1 b /x[1]")
    assert fused([one, other], "combmnz").scores.tolist() == [4.0, 0.0]
    assert fused([one, other], "rrf").scores == pytest.approx([2 / 61, 1 / 62], abs=1e-12)


def test_scores_and_weights_without_end_are_refused(tmp_path):
    one, other = run(tmp_path, "a", "1 Q0 d 1 inf a"), run(tmp_path, "b", "1 Q0 d 1 1 b")
    with pytest.raises(InputError, match="topic '1' has a score that is not finite"):
        fused([one, other], "combsum")
    with pytest.raises(UsageError, match="weights must be 0 or more, finite, and not all 0"):
        fused([other, other], "rrf", (float("nan"), 1.0))


def test_perfect_and_useless_clusters():
    perfect = agreement([5, 5, 7, 7], ["b", "b", "a", "a"])
    assert perfect == pytest.approx(dict.fromkeys(("B3P", "B3R", "B3F", "NMI", "ARI"), 1.0))
    useless = agreement([0, 1, 0, 1], ["a", "a", "b", "b"])
    assert useless["NMI"] == pytest.approx(0, abs=1e-12)
    assert useless["ARI"] == pytest.approx(-0.5)  # (0 - 4/6) / (2 - 4/6)
    assert (useless["B3P"], useless["B3R"]) == (0.5, 0.5)


def test_a_worked_example():
    # clusters {1, 2, 3} and {4, 5}; categories a = {1, 2}, b = {3, 4, 5}
    found = agreement([0, 0, 0, 1, 1], ["a", "a", "b", "b", "b"])
    assert found["B3P"] == pytest.approx((2 / 3 + 2 / 3 + 1 / 3 + 1 + 1) / 5)
    assert found["B3R"] == pytest.approx((1 + 1 + 1 / 3 + 2 / 3 + 2 / 3) / 5)
    assert found["ARI"] == pytest.approx((2 - 4 * 4 / 10) / (4 - 4 * 4 / 10))
    mutual = 0.4 * log(0.4 / 0.24) + 0.2 * log(0.2 / 0.36) + 0.4 * log(0.4 / 0.24)
    entropy = -(0.6 * log(0.6) + 0.4 * log(0.4))
    assert found["NMI"] == pytest.approx(mutual / entropy)


def test_against_scikit_learn():
    metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed")
    import numpy as np

    random = np.random.default_rng(0)
    clusters, kinds = random.integers(0, 5, 200).tolist(), random.integers(0, 4, 200).tolist()
    found = agreement(clusters, [str(kind) for kind in kinds])
    assert found["ARI"] == pytest.approx(metrics.adjusted_rand_score(kinds, clusters), abs=1e-12)
    expected = metrics.normalized_mutual_info_score(kinds, clusters)
    assert found["NMI"] == pytest.approx(expected, abs=1e-12)
