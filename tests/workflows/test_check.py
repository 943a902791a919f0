"""`spanwise.check`: files and objects, the same findings as the command, and a repair."""

import json

import pytest

import spanwise
from spanwise.errors import UsageError
from spanwise.workflows.check import check

RUN = "1 Q0 a 1 9 mine 0 100\n1 Q0 b 2 8 mine 0 50\n1 Q0 a 3 7 mine 50 100\n"


def test_the_command_prints_what_the_function_finds(folder, ask):
    (folder / "p.run").write_text(RUN)
    (folder / "qrels").write_text("1 0 a 1\n1 0 a 0\n2 0 x 0\n")
    for words in ((), ("--task", "focused"), ("--task", "ric", "--limit", "1")):
        options = {"task": words[1], "limit": int(words[3]) if words[2:] else None} if words else {}
        found = check(["p.run", "qrels"], **options)
        answer = ask("check", *words, "p.run", "qrels", "--format", "json")
        assert json.loads(answer.out) == found.to_dict()
        assert answer.status == (0 if found.ok else 1)
        assert ask("check", *words, "p.run", "qrels").text == str(found) == found.to_text()
    assert not found.ok


def test_objects_are_checked_as_their_files_are(folder):
    (folder / "p.run").write_text(RUN)
    (folder / "qrels").write_text("1 0 a 1\n1 0 a 0\n2 0 x 0\n")
    files = check(["p.run", "qrels"], task="focused")
    read = [spanwise.read_run("p.run"), spanwise.read_judgements("qrels")]
    objects = check(read, task="focused")
    assert objects.problems == files.problems
    assert len(files.problems) == 2
    assert [one.remarks for one in objects.files] == [one.remarks for one in files.files]
    assert [problem.rule for problem in files.problems] == ["overlap", None]
    assert str(files.problems[0]).startswith("p.run:3: topic '1', rank 3: ")


def test_contradicting_ranks_of_an_object_are_those_it_holds(folder):
    (folder / "d.run").write_text("1 Q0 a 1 1 mine\n1 Q0 b 2 9 mine\n")
    (remark,) = (r for r in check("d.run").files[0].remarks if "contradict" in r)
    assert remark.startswith("ranks that contradict the scores: 1")
    run = spanwise.read_run({"1": {"a": 1.0, "b": 9.0}})
    assert not [r for r in check(run).files[0].remarks if "contradict" in r]


def test_a_repair_writes_only_where_it_is_asked_to(folder):
    (folder / "p.run").write_text(RUN)
    before = sorted(folder.iterdir())
    found = check("p.run", task="focused")
    fixed = found.repaired()
    assert (len(fixed.run.rows), fixed.results) == (2, 3)
    assert sum(fixed.changes.values()) == 1
    assert sorted(folder.iterdir()) == before
    fixed.write(folder / "fixed.run")
    assert check("fixed.run", task="focused").ok
    assert not found.ok
    with pytest.raises(UsageError, match="check with task"):
        check("p.run").repaired()


def test_a_result_shows_itself_in_one_line(folder):
    (folder / "p.run").write_text(RUN)
    assert repr(check("p.run")) == "<Checked 1 file: fine>"
    found = check(["p.run", "p.run"], task="focused")
    assert repr(found) == "<Checked 2 files: 2 problems>"
    assert repr(found.files[0]) == "<CheckedFile p.run: 1 problem>"
    assert repr(found.files[0].problems)
    fixed = check("p.run", task="focused").repaired()
    assert repr(fixed) == "<Repaired 'mine': 2 of 3 results, changes: 1>"
    page = check("p.run", task="focused")._repr_html_()
    assert "overlaps the one at rank 1" in page
    assert page.startswith("<table>")


@pytest.mark.parametrize("wrong", [{"1": {"a": 1}}, [7], None])
def test_what_cannot_be_checked_is_refused(wrong):
    with pytest.raises(UsageError):
        check(wrong)


def test_the_limit_of_results_belongs_to_a_task(folder):
    (folder / "p.run").write_text(RUN)
    with pytest.raises(UsageError, match="--limit needs --task"):
        check("p.run", limit=3)
