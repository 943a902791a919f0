"""Options of `spanwise pool`: what comes in besides, what stays out, who brought what."""

import json
from itertools import permutations

import pytest

from calling import called
from spanwise.cli import main

RUNS = {"a": ["d1", "d2", "d3"], "b": ["d2", "d4", "d1"]}


@pytest.fixture
def runs(tmp_path):
    """Two runs of topic 1."""
    for name, documents in RUNS.items():
        lines = [f"1 Q0 {d} {n} {9 - n} {name}\n" for n, d in enumerate(documents)]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    return [tmp_path / f"{name}.run" for name in RUNS]


def pooled(runs, place, *words):
    """The header of a pool, and its lines."""
    _, err, status = called(main, "pool", *runs, "-o", place, *words)
    assert status == 0, err
    head, *lines = [json.loads(line) for line in place.read_text().splitlines()]
    return head, lines


def test_documents_that_are_added_stand_with_their_topic_and_what_is_known_of_them(runs, tmp_path):
    (tmp_path / "q").write_text("0 0 d9 1\n1 0 d3 0\n1 0 d4 1\n1 0 d7 -1\n")
    _, lines = pooled(runs, tmp_path / "p", "--budget", 1, "--add", tmp_path / "q")
    found = [(one["topic"], one["doc"], one["round"], one["runs"]) for one in lines]
    first = [("1", "d1", 1, 2), ("1", "d2", 1, 2)]
    assert found == [*first, ("1", "d3", 0, 1), ("1", "d4", 0, 1), ("0", "d9", 0, 0)]


def test_added_documents_keep_what_systems_returned(tmp_path):
    run = tmp_path / "r.run"
    run.write_text("1 Q0 x 1 2 r 0 5\n1 Q0 y 2 1 r 3 4\n")
    (tmp_path / "q").write_text("1 0 y 1\n")
    words = ("--budget", 1, "--add", tmp_path / "q")
    _, lines = pooled([run], tmp_path / "p", *words)
    assert [(one["doc"], one["support"]) for one in lines] == [("x", [[0, 5]]), ("y", [[3, 7]])]
    _, lines = pooled([run], tmp_path / "p", *words, "--support", "off")
    assert [one["support"] for one in lines] == [[], []]


def test_every_line_has_all_that_a_line_of_a_pool_has(runs, tmp_path):
    names = ["topic", "doc", "round", "runs", "p", "stratum", "support"]
    _, lines = pooled(runs, tmp_path / "p")
    assert {tuple(one) for one in lines} == {tuple(names)}


def test_the_order_of_runs_does_not_decide_among_equal_sums(tmp_path):
    """1/66 + 1/67 + 1/68 for each of three documents, added in another order each."""
    files = []
    for name, documents in enumerate(("xyz", "yzx", "zxy")):
        files.append(tmp_path / f"r{name}.run")
        ranked = [*(f"{name}-{n}" for n in range(5)), *documents]
        files[-1].write_text("".join(f"1 Q0 {d} 0 {9 - n} r{name}\n" for n, d in enumerate(ranked)))
    for ordered in permutations(files):
        _, lines = pooled(ordered, tmp_path / "p", "--method", "fusion", "--budget", 1)
        assert [one["doc"] for one in lines] == ["x"]


def submission(place, participant, document):
    place.write_text(
        f'<inex-submission participant-id="{participant}" run-id="{place.stem}" task="Focused">'
        f'<topic topic-id="1"><result><file>{document}</file><path>/a[1]</path><rank>1</rank>'
        "</result></topic></inex-submission>"
    )
    return place


def test_so_many_runs_of_each_participant(runs, tmp_path):
    """Who does not say who he is stands alone."""
    files = [submission(tmp_path / f"s{n}.xml", n // 2, f"x{n}") for n in (1, 2, 3)]
    words = ("-o", tmp_path / "p", "--budget", 1, "--runs-per-team", 1)
    _, err, _ = called(main, "pool", *files, *runs, *words)
    assert "4 of 5 runs are pooled" in err
    head, *lines = [json.loads(line) for line in (tmp_path / "p").read_text().splitlines()]
    assert [one["doc"] for one in lines] == ["x1", "x2", "d1", "d2"]
    assert head["runs_per_team"] == 1


@pytest.mark.parametrize(
    ("words", "alone"),
    [
        (("--method", "depth", "--depth", 2), {"a": 1, "b": 1}),  # b has d1 further down
        (("--budget", 3), {"a": 1, "b": 1}),  # two rounds: d1 is b's third
        (("--budget", 4), {"a": 1, "b": 1}),  # three rounds: d3 is a's, d4 is b's
        (("--method", "fusion"), {"a": 1, "b": 1}),  # d3, d4
    ],
)
def test_what_only_one_run_brought_in(runs, tmp_path, words, alone):
    pooled(runs, tmp_path / "p", *words)
    out = called(main, "pool", "check", tmp_path / "p", *runs, "--format", "json")[0]
    assert {run["run"]: run["unique"] for run in json.loads(out)["runs"]} == alone


def test_the_pool_says_in_which_order_judges_are_shown_it(runs, tmp_path):
    head, _ = pooled(runs, tmp_path / "p", "--order", "id")
    assert head["order"] == "id"
    (tmp_path / "docs").mkdir()
    for name in ("d1", "d2", "d3", "d4"):
        (tmp_path / "docs" / f"{name}.txt").write_text("text")
    (tmp_path / "t").write_text("1\ta question\n")
    from spanwise.judge.store import Store

    for place, words, order in (("s", (), "id"), ("u", ("--order", "pool"), "pool")):
        where = ("--collection", tmp_path / "docs", "--topics", tmp_path / "t", "--prepare")
        more = ("--store", tmp_path / place, *words)
        _, err, status = called(main, "judge", tmp_path / "p", *where, *more)
        assert status == 0, err
        assert Store(str(tmp_path / place)).about["order"] == order


def test_what_learns_from_nothing_is_given_no_judgements(runs, tmp_path):
    (tmp_path / "q").write_text("1 0 d3 1\n")
    words = ("-o", tmp_path / "p", "--judgements", tmp_path / "q")
    _, err, status = called(main, "pool", *runs, *words)
    assert (status, "rounds does not learn" in err) == (2, True)
