"""spanwise search, fuse, cluster and experiment, as commands."""

import json
import sys

import pytest

from spanwise.cli import main

DOCUMENTS = {
    "a.xml": "<article><sec><p>sea walls and dunes</p><p>wind</p></sec></article>",
    "b.xml": "<article><sec><p>dunes</p></sec><sec><p>rain on walls</p></sec></article>",
    "c.xml": "<article><sec><p>nothing of it</p></sec></article>",
}
TOPICS = """<inex-topic-file><topic id="7"><title>sea walls</title>
<castitle>//article[about(., dunes)]//sec[about(., walls)]</castitle>
<description>Where are walls?</description></topic>
<topic id="8"><title>dunes</title><castitle>//p[about(., dunes)]</castitle></topic>
</inex-topic-file>"""


@pytest.fixture
def world(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    for name, content in DOCUMENTS.items():
        (tmp_path / "docs" / name).write_text(content)
    (tmp_path / "topics.xml").write_text(TOPICS)
    (tmp_path / "qrels").write_text("7 0 a 1\n7 0 b 0\n8 0 b 1\n8 0 a 0\n")
    return tmp_path


def asked(*words):
    return main(list(words))


def results(file):
    return [tuple(line.split()) for line in file.read_text().splitlines()]


def test_documents_are_searched_by_default(world):
    assert asked("search", "docs", "topics.xml", "-o", "r.run") == 0
    found = results(world / "r.run")
    assert [(line[0], line[2]) for line in found] == [
        ("7", "a"),
        ("7", "b"),
        ("8", "b"),
        ("8", "a"),
    ]
    assert {line[5] for line in found} == {"fts5"}
    assert asked("eval", "qrels", "r.run", "-m", "AP") == 0


def test_topics_without_an_answer_are_said(world, capsys):
    (world / "topics.tsv").write_text("7\tsea walls\n9\tglaciers\n")
    assert asked("search", "docs", "topics.tsv", "-o", "r.run") == 0
    said = capsys.readouterr().err
    assert said == ("spanwise: warning: topics.tsv: no results for 1 of the topics: '9'\n")
    assert {line[0] for line in results(world / "r.run")} == {"7"}


def test_the_same_search_gives_the_same_bytes_with_and_without_an_index(world):
    for name in ("one", "two"):
        assert asked("search", "docs", "topics.xml", "--index", "ix", "-o", name) == 0
    assert asked("search", "docs", "topics.xml", "-o", "three") == 0
    contents = {(world / name).read_bytes() for name in ("one", "two", "three")}
    assert len(contents) == 1


def test_an_index_of_something_else_is_refused(world, capsys):
    assert asked("search", "docs", "topics.xml", "--index", "ix", "-o", "r") == 0
    assert asked("search", "docs", "topics.xml", "--index", "ix", "--grain", "element") == 2
    assert "ix: found an index with grain 'document'" in capsys.readouterr().err
    (world / "docs" / "c.xml").write_text("<article>other</article>")
    assert asked("search", "docs", "topics.xml", "--index", "ix") == 2
    assert "found an index with texts" in capsys.readouterr().err


def test_a_damaged_index_is_refused_and_named(world, capsys):
    assert asked("search", "docs", "topics.xml", "--index", "ix", "-o", "r") == 0
    content = (world / "ix" / "fts5.db").read_bytes()
    (world / "ix" / "fts5.db").write_bytes(content[: len(content) // 2])
    assert asked("search", "docs", "topics.xml", "--index", "ix", "-o", "r") == 2
    assert "fts5.db: found a damaged index" in capsys.readouterr().err


@pytest.mark.parametrize("task", ["thorough", "focused", "ric", "bic"])
@pytest.mark.parametrize("more", [(), ("--propagate", "0.5"), ("--query", "castitle")])
def test_runs_of_elements_keep_the_rules_of_their_task(world, task, more):
    words = ("search", "docs", "topics.xml", "--grain", "element", "--task", task, *more)
    assert asked(*words, "-o", "e.run") == 0
    assert asked("check", "--task", task, "e.run") == 0
    assert len(results(world / "e.run")[0]) == 7


def test_structure_is_a_condition_when_it_is_strict(world):
    words = ("search", "docs", "topics.xml", "--grain", "element", "--query", "castitle")
    assert asked(*words, "--structure", "strict", "-o", "s.run") == 0
    found = {(line[0], line[2], line[6]) for line in results(world / "s.run")}
    assert found == {
        ("7", "a", "/article[1]/sec[1]"),
        ("7", "b", "/article[1]/sec[2]"),
        ("8", "a", "/article[1]/sec[1]/p[1]"),
        ("8", "b", "/article[1]/sec[1]/p[1]"),
    }


def test_chunks_are_written_with_their_places(world):
    assert asked("search", "docs", "topics.xml", "--grain", "chunk:10", "-o", "c.jsonl") == 0
    lines = [json.loads(line) for line in (world / "c.jsonl").read_text().splitlines()]
    assert lines[0]["format"] == "span-run/1"
    assert asked("check", "c.jsonl") == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--engine", "nosuch"), "unknown engine 'nosuch'"),
        (("--grain", "word"), "grain 'word'; expected document"),
        (("--query", "description"), "topic '8' has no description; it has title, castitle"),
        (("--query", "castitle"), "need elements"),
        (("--query", "abstract"), "--query 'abstract'; expected title"),
        (("--set", "k1"), "--set 'k1'; expected NAME=VALUE"),
        (("--engine", "bm25", "--set", "k1=x"), "engine bm25: k1=x; expected something like 1.2"),
        (("--engine", "bm25", "--set", "k9=1"), "unknown parameter of engine bm25 'k9'"),
    ],
)
def test_what_makes_no_sense_is_one_line(world, capsys, words, message):
    assert asked("search", "docs", "topics.xml", *words) == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1


@pytest.mark.parametrize("way", ["rocchio", "rm3"])
def test_feedback_finds_more(world, way):
    assert (
        asked("search", "docs", "topics.xml", "--engine", "bm25", "--expand", way, "-o", "f") == 0
    )
    # "sea walls" alone finds a and b; their words find c only if it shared one, and it does not
    assert {line[2] for line in results(world / "f")} == {"a", "b"}


def test_runs_are_fused(world):
    for engine in ("fts5", "tfidf"):
        assert asked("search", "docs", "topics.xml", "--engine", engine, "-o", engine) == 0
    assert asked("fuse", "fts5", "tfidf", "--name", "both", "-o", "f.run") == 0
    found = results(world / "f.run")
    assert [line[2] for line in found if line[0] == "7"] == ["a", "b"]
    assert float(found[0][4]) == pytest.approx(2 / 61, abs=1e-11)
    assert asked("fuse", "fts5", "-o", "g.run") == 2


def test_engines_are_listed(capsys):
    assert asked("engines") == 0
    said = capsys.readouterr().out
    assert "fts5" in said
    assert "pip install 'spanwise[bm25s]'" in said


# Experiments -------------------------------------------------------------------------------------

FILE = """
name = "tiny"
measures = ["AP"]
baseline = "fts5"
missing = "{missing}"
[[collection]]
name = "all"
documents = "docs"
topics = "topics.xml"
judgements = "qrels"
[[engine]]
name = "fts5"
[[engine]]
name = "bm25"
set = {{ k1 = [0.9, 1.2], b = 0.4 }}
"""


ENGINES_APART = """
[[engine]]
name = "fts5"
[[engine]]
name = "fts5"
label = "bad"
set = { tokenize = "unicode61" }
"""


@pytest.fixture
def experiment(world):
    (world / "x.toml").write_text(FILE.format(missing="stop"))
    return world


def test_an_experiment_makes_runs_results_and_one_page(experiment, capsys):
    assert asked("experiment", "x.toml", "-o", "out") == 0
    names = {path.name for path in (experiment / "out" / "runs" / "all").glob("*.run")}
    assert names == {"fts5.run", "bm25_k1=0.9.run", "bm25_k1=1.2.run"}
    page = (experiment / "out" / "report.html").read_text()
    assert page.startswith("<!doctype html>")
    assert "bm25_k1=0.9" in page
    assert "srcdoc=" in page
    assert (experiment / "out" / "results" / "all.jsonl").is_file()
    said = capsys.readouterr()
    assert said.err.count("spanwise: done: ") == 3
    assert "fts5" in said.out


def test_a_table_says_over_how_many_topics_and_which_differences_count(world, capsys):
    words = [f"{first}a{last}t" for first in "bcdf" for last in "klmnprst"]
    for word in words:  # which are found by stems alone
        (world / "docs" / f"{word}.xml").write_text(f"<p>{word}ing</p>")
    topics = "".join(f"{word}\t{word}ed wind\n" for word in words)
    (world / "topics.tsv").write_text(topics)
    (world / "many").write_text("".join(f"{word} 0 {word} 1\n" for word in words))
    text = FILE.format(missing="stop").replace("topics.xml", "topics.tsv").replace("qrels", "many")
    (world / "x.toml").write_text(text.split("[[engine]]")[0] + ENGINES_APART)
    assert asked("experiment", "x.toml", "-o", "out") == 0
    said = capsys.readouterr().out
    assert "all (32)" in said
    assert "† better and ‡ worse than fts5 (randomisation, corrected by holm, p < 0.05)" in said
    worse = next(line for line in said.splitlines() if line.startswith("bad "))
    assert worse.endswith("‡")
    page = (world / "out" / "report.html").read_text().partition("<details>")[0]
    assert page.count("<b>") == page.count("</b>") == 1
    assert "‡</td>" in page


def test_what_is_done_is_not_done_again_and_what_is_missing_is(experiment, capsys):
    assert asked("experiment", "x.toml", "-o", "out") == 0
    runs = experiment / "out" / "runs" / "all"
    before = {path: path.read_bytes() for path in runs.glob("*.run")}
    (runs / "bm25_k1=0.9.run").unlink()  # as after a kill between two runs
    (runs / "bm25_k1=1.2.json").unlink()  # as after a kill between a run and its note
    capsys.readouterr()
    assert asked("experiment", "x.toml", "-o", "out") == 0
    assert capsys.readouterr().err.count("spanwise: done: ") == 2
    assert {path: path.read_bytes() for path in runs.glob("*.run")} == before


def test_other_topics_make_other_runs(experiment, capsys):
    assert asked("experiment", "x.toml", "-o", "out") == 0
    (experiment / "topics.xml").write_text(TOPICS.replace("sea walls", "rain"))
    capsys.readouterr()
    assert asked("experiment", "x.toml", "-o", "out") == 0
    assert capsys.readouterr().err.count("spanwise: done: ") == 3


def test_other_documents_make_other_runs(experiment, capsys):
    assert asked("experiment", "x.toml", "-o", "out") == 0
    (experiment / "docs" / "d.xml").write_text("<article><p>sea sea walls</p></article>")
    capsys.readouterr()
    assert asked("experiment", "x.toml", "-o", "out") == 0
    assert capsys.readouterr().err.count("spanwise: done: ") == 3
    found = results(experiment / "out" / "runs" / "all" / "fts5.run")
    assert ("7", "d") in {(line[0], line[2]) for line in found}


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ('name = "tiny"', "name = ", "x.toml: invalid TOML"),
        ("measures", "measure", "'measure' in the file"),
        ('topics = "topics.xml"', "", "a [[collection]] without 'topics'"),
        ("[[engine]]", "[[motor]]", "'motor' in the file"),
        ("k1 = [0.9, 1.2]", "k1 = [0.9, 0.9]", "two runs named 'bm25 k1=0.9'"),
        ('name = "bm25"', "", "an [[engine]] without 'name'"),
        ("[0.9, 1.2]", "[]", "k1 = [] in set; expected at least one value"),
        ('["AP"]', '"AP"', "measures = 'AP' in the file; expected a list of texts"),
        ('"fts5"\nmissing', '"nope"\nmissing', "baseline 'nope'; expected one of fts5, bm25 k1"),
        ('"stop"', '"never"', "missing = 'never' in the file; expected one of stop, skip"),
        ('"all"', '"../all"', "name = '../all' in [[collection]]; expected a name without /"),
        (
            "set = { k1 = [0.9, 1.2], b = 0.4 }",
            "set = 3",
            "set = 3 in [[engine]]; expected a table",
        ),
        (
            "set =",
            "search = { top = 0 }\nset =",
            "top = 0 in search; expected a whole number from 1",
        ),
        ("set =", 'grains = "element"\nset =', "grains = 'element' in [[engine]]"),
        ("set =", 'grains = ["word"]\nset =', "x.toml: grain 'word'; expected document"),
        ("b = 0.4", "b = 4", "x.toml: engine bm25: b=4; expected a number from 0 to 1"),
        ('"bm25"', '"bm52"', "x.toml: unknown engine 'bm52'"),
        ('["AP"]', '["PA"]', "x.toml: unknown measure 'PA'"),
        ("measures", 'tests = ["z"]\nmeasures', "x.toml: unknown test 'z'"),
        ('"qrels"', '"qrels.txt"', "qrels.txt: cannot be opened"),
    ],
)
def test_a_mistake_in_the_file_is_named(experiment, capsys, before, after, message):
    text = FILE.format(missing="stop").replace(before, after)
    (experiment / "x.toml").write_text(text)
    assert asked("experiment", "x.toml", "-o", "out") == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1  # before anything is searched


def test_a_missing_engine_stops_or_is_left_out(experiment, capsys, monkeypatch):
    monkeypatch.setenv("PATH", str(experiment))
    for missing, status in (("stop", 3), ("skip", 0)):
        text = FILE.format(missing=missing).replace('"bm25"\nset', '"zebra"\n#')
        (experiment / "x.toml").write_text(text)
        assert asked("experiment", "x.toml", "-o", f"out-{missing}") == status
        assert "install Debian's idzebra-2.0-utils" in capsys.readouterr().err


def test_clusters_need_to_be_asked_for(world, capsys):
    assert asked("cluster", "docs") == 2
    assert "neither --clusters nor --categories" in capsys.readouterr().err


def test_clusters_are_compared_with_categories(world, capsys):
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    (world / "kinds").write_text("x 0 a 1\nx 0 b 1\ny 0 c 1\nz 0 b 1\n")
    assert asked("cluster", "docs", "--categories", "kinds", "-o", "c.txt") == 0
    said = capsys.readouterr().out
    assert "documents         2" in said  # b has two categories
    assert len(results(world / "c.txt")) == 2


def test_a_skipped_engine_is_in_the_report_of_an_experiment(experiment, capsys, monkeypatch):
    """The library of tantivy is hidden, so that the experiment goes on without it."""
    monkeypatch.setitem(sys.modules, "tantivy", None)
    text = FILE.format(missing="skip") + '[[engine]]\nname = "tantivy"\n'
    (experiment / "x.toml").write_text(text)
    assert asked("experiment", "x.toml", "-o", "out", "--json") == 0
    said = capsys.readouterr()
    (warning,) = json.loads(said.out)["warnings"]
    assert warning.startswith("tantivy is skipped: engine tantivy needs")
    assert f"spanwise: warning: {warning}\n" in said.err
