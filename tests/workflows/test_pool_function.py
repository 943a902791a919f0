"""`spanwise.pool` and `extend_pool`: the pools that the command writes, from files or objects."""

import pytest

import spanwise
from spanwise.errors import UnknownName, UsageError
from spanwise.judge.pooling import extend_pool, pool

A = "".join(f"{t} Q0 d{n} {n} {20 - n} a\n" for t in (1, 2) for n in range(1, 12))
B = "".join(f"{t} Q0 e{n} {n} {20 - n} b\n" for t in (1, 2) for n in range(1, 12))
RELEVANT = "1 0 d1 1\n1 0 e1 0\n2 0 e1 1\n1 0 z 1\n"


@pytest.fixture
def runs(folder):
    (folder / "a.run").write_text(A)
    (folder / "b.run").write_text(B)
    (folder / "seen").write_text(RELEVANT)
    (folder / "topics.tsv").write_text("2\tcats\n")
    return folder


@pytest.mark.parametrize(
    ("words", "options"),
    [
        ("--budget 4", {"budget": 4}),
        ("--method depth --depth 3", {"method": "depth", "depth": 3}),
        ("--method sample --seed 7", {"method": "sample", "seed": 7}),
        ("--method mtf --judgements seen", {"method": "mtf", "judgements": "seen"}),
        ("--method ts --gamma 0.5 --budget 5", {"method": "ts", "budget": 5, "gamma": 0.5}),
        ("--topics topics.tsv --support off", {"topics": "topics.tsv", "support": False}),
        ("--add seen --without seen --order id", {"add": "seen", "without": "seen", "order": "id"}),
    ],
)  # fmt: skip
def test_the_command_writes_what_the_function_returns(runs, ask, words, options):
    assert ask("pool", "a.run", "b.run", "-o", "by-command", *words.split()).status == 0
    spanwise.write_pool(pool(["a.run", "b.run"], **options), "by-function")
    assert (runs / "by-function").read_bytes() == (runs / "by-command").read_bytes()


def test_objects_give_the_documents_that_their_files_give(runs):
    files = pool(["a.run", "b.run"], budget=6, without="seen", topics="topics.tsv")
    given = pool(
        [spanwise.read_run("a.run"), spanwise.read_run("b.run")],
        budget=6,
        without=spanwise.read_judgements("seen"),
        topics=["2"],
    )
    assert given.documents == files.documents
    assert len(files) == 5
    read = spanwise.read_topics("topics.tsv")
    assert pool(["a.run", "b.run"], budget=6, without="seen", topics=read).keys() == files.keys()


def test_a_pool_is_extended_as_it_was_made(runs, ask):
    spanwise.write_pool(pool(["a.run"], method="depth", depth=2), "pool.jsonl")
    assert ask("pool", "extend", "pool.jsonl", "b.run", "-o", "more").status == 0
    more = extend_pool("pool.jsonl", ["b.run"])
    assert more.documents == spanwise.read_pool("more").documents
    assert {one.document for one in more} == {"e1", "e2"}
    assert extend_pool(spanwise.read_pool("pool.jsonl"), ["b.run"]).keys() == more.keys()
    assert extend_pool("pool.jsonl", ["a.run"]).keys() == set()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"depth": 3}, "--depth is for --method depth"),
        ({"budget": 3, "method": "depth"}, "--budget is not for"),
        ({"judgements": {"1": {"d1": 1}}}, "rounds does not learn"),
    ],
)
def test_options_without_effect_are_refused(runs, options, message):
    with pytest.raises(UsageError, match=message):
        pool(["a.run"], **options)


def test_an_unknown_method_and_no_runs_are_refused(runs):
    with pytest.raises(UnknownName, match="pooling method 'depht'"):
        pool(["a.run"], method="depht")
    with pytest.raises(UsageError, match="no runs"):
        pool([])
