"""`spanwise.recallbase`, `simulate` and `cluster`: the same as their commands, as objects."""

import json

import pytest

import spanwise
from spanwise.errors import InputError, UsageError
from spanwise.workflows.simulate import SIMULATED

POOL = """\
<assessments pool="4" topic="{topic}" version="2">
<file collection="zoo" name="ape">
<element path="/article[1]" exhaustivity="1" size="50" rsize="9"/>
<element path="/article[1]/sec[1]" exhaustivity="2" size="20" rsize="9"/>
<element path="/article[1]/sec[1]/p[1]" exhaustivity="2" size="10" rsize="5"/>
</file>
<file collection="zoo" name="bat"/>
</assessments>
"""


@pytest.fixture
def judged(folder):
    (folder / "pools").mkdir()
    for topic in ("1", "2"):
        (folder / "pools" / f"{topic}.xml").write_text(POOL.format(topic=topic))
    return folder


def records(answer):
    return [json.loads(line) for line in answer.text.splitlines()]


@pytest.mark.parametrize(
    "options", [{}, {"quant": "gen5"}, {"topic": "2"}, {"only_ideal": True, "ideal": "deeper"}]
)
def test_a_recall_base_holds_what_the_command_prints(judged, ask, options):
    words = {
        "quant": ("--quant", "gen5"),
        "topic": ("--topic", "2"),
        "only_ideal": ("--only-ideal",),
        "ideal": ("--ideal", "deeper"),
    }
    said = [word for name in options for word in words[name]]
    found = spanwise.recallbase("pools", **options)
    assert found.to_dict()["elements"] == records(
        ask("recallbase", "pools", *said, "--format", "jsonl")
    )
    assert found.to_text() == str(found) == ask("recallbase", "pools", *said).text
    assert json.loads(ask("recallbase", "pools", *said, "--json").out) == found.to_dict()
    given = spanwise.recallbase(spanwise.read_judgements("pools"), **options)
    assert given.elements == found.elements
    assert found.to_polars()["path"].to_list() == [one.path for one in found]


def test_a_recall_base_shows_itself(judged):
    found = spanwise.recallbase("pools", quant="spec", topic=["1"])
    counts = f"{len(found)} elements of 1 topic, 1 ideal; quant=spec"
    assert repr(found) == f"<RelevantElements: {counts}>"
    assert "/article[1]/sec[1]" in found._repr_html_()
    with pytest.raises(UsageError, match="topic '7' is not in pools"):
        spanwise.recallbase("pools", topic="7")


@pytest.mark.parametrize("kind", SIMULATED)
def test_a_simulated_run_is_what_the_command_writes(judged, ask, kind):
    assert ask("simulate", kind, "pools", "-o", "by-command").status == 0
    run = spanwise.simulate(kind, "pools")
    spanwise.write_run(run, "by-function", "inex_submission_2006")
    assert (judged / "by-function").read_bytes() == (judged / "by-command").read_bytes()
    given = spanwise.simulate(kind, spanwise.read_judgements("pools"))
    assert given.scores.tolist() == run.scores.tolist()
    assert repr(run).startswith(f"<Run '{kind}': ")


def test_an_empty_simulated_run_is_an_error(judged):
    with pytest.raises(InputError, match="so the run ao would be empty"):
        spanwise.simulate("ao", "pools", quant="strict5")


TEXTS = {"c1": "cat cats purr", "c2": "cat purr meow", "d1": "dog bark", "d2": "dog bark bone"}
KINDS = {"cats": {"c1": 1, "c2": 1}, "dogs": {"d1": 1, "d2": 1}}


def test_documents_are_clustered_and_compared(folder, ask):
    (folder / "zoo").mkdir()
    for name, text in TEXTS.items():
        (folder / "zoo" / f"{name}.txt").write_text(text)
    (folder / "kinds").write_text("".join(f"{k} 0 {d} 1\n" for k in KINDS for d in KINDS[k]))
    answer = ask("cluster", "zoo", "--categories", "kinds", "-o", "lines", "--seed", "3")
    found = spanwise.cluster("zoo", categories="kinds", seed=3)
    assert answer.text == found.to_text()
    assert (folder / "lines").read_text() == found.to_lines()
    assert found.agreement["B3F"] == found.to_dict()["agreement"]["B3F"] == 1.0
    assert found.categories["c1"] == "cats"
    given = spanwise.cluster(TEXTS, categories=KINDS, seed=3)
    assert (given.clusters, given.agreement) == (found.clusters, found.agreement)
    assert repr(found) == "<Clusters: 4 documents in 2 clusters, categories: 2, B3F 1.0000>"
    assert "B3F" in found._repr_html_()


def test_clusters_as_json(folder, ask):
    (folder / "zoo").mkdir()
    for name, text in TEXTS.items():
        (folder / "zoo" / f"{name}.txt").write_text(text)
    found = spanwise.cluster("zoo", clusters=2)
    assert json.loads(ask("cluster", "zoo", "--clusters", "2", "--json").out) == found.to_dict()
    assert ask("cluster", "zoo", "--clusters", "2", "-o", "found.json").text == ""
    assert json.loads((folder / "found.json").read_text()) == found.to_dict()


def test_clusters_without_categories(folder):
    found = spanwise.cluster(TEXTS, clusters=3)
    assert (len(found), found.counts["clusters"], found.to_text()) == (4, 3, "")
    assert repr(found) == "<Clusters: 4 documents in 3 clusters>"
    with pytest.raises(UsageError, match="neither"):
        spanwise.cluster(TEXTS)
    with pytest.raises(InputError, match="no document of the collection has a category"):
        spanwise.cluster(TEXTS, categories={"k": {"x": 1}})
