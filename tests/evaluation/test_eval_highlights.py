"""`spanwise eval` with highlighted text."""

import pytest

QRELS = "1 Q0 a 10 100 0 0:10\n1 Q0 b 0 50\n2 Q0 a 4 8 2 2:4\n"
MINE = "1 Q0 b 1 9 m 0 10\n1 Q0 a 2 8 m 0 10\n"


@pytest.fixture
def files(folder):
    (folder / "judged.qrels").write_text(QRELS)
    (folder / "mine.run").write_text(MINE)
    return folder


def returned(files, *lines):
    (files / "mine.run").write_text("".join(f"{line}\n" for line in lines))


def test_eval_chooses_measures_that_fit_the_files(files, ask):
    answer = ask("eval", "judged.qrels", "mine.run", "--format", "jsonl")
    found = {record["measure"]: record["value"] for record in answer.records}
    assert found["iP[0.01]"] == found["char_prec"] == 0.25  # topic 2 is missing: 0
    assert "MAiP" in found


def test_eval_takes_measures_and_topics(files, ask):
    names = ("MAiP", "iP[0.01]", "gP(score=bep)@5", "AP")
    asked = [word for name in names for word in ("-m", name)]
    answer = ask("eval", "judged.qrels", "mine.run", *asked, "-q", "--format", "jsonl")
    values = {(record["topic"], record["measure"]): record["value"] for record in answer.records}
    assert values["1", "MAiP"] == values["1", "iP[0.01]"] == pytest.approx(0.5)
    assert values["1", "gP(score=bep)@5"] == pytest.approx(1 / 5)
    assert values["1", "AP"] == 0.5
    assert values["2", "MAiP"] == 0
    assert values["all", "AP"] == 0.25


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (["--task", "focused"], ["iP[0.00]", "iP[0.01]", "iP[0.05]", "iP[0.10]", "MAiP"]),
        (["--task", "thorough"], ["iP[0.00]", "iP[0.01]", "iP[0.05]", "iP[0.10]", "MAiP"]),
        (["--task", "ric"], ["MAgP", "gP@5", "gP@10", "gP@25", "gP@50"]),
        (["--task", "bic"], ["MAgP", "gP@5", "gP@10", "gP@25", "gP@50"]),
        (["--task", "documents", "-m", "AP"], ["AP"]),
    ],
)
def test_tasks_have_their_measures(files, ask, words, names):
    answer = ask("eval", "judged.qrels", "mine.run", *words, "--format", "jsonl")
    assert [record["measure"] for record in answer.records] == names


def test_a_profile_replaces_the_defaults(files, ask):
    returned(files, "2 Q0 a 1 9 m 1002 1")
    words = ("--average-over", "both", "-m", "MAgP", "--task", "bic")
    asked = ("eval", "judged.qrels", "mine.run", *words)
    assert ask(*asked, "--format", "jsonl").values == {"all": 0.0}
    (files / "judged.qrels").write_text("2 Q0 a 4 8000 802 802:4\n")
    assert ask(*asked, "--format", "jsonl").values == {"all": pytest.approx(300 / 500)}
    answer = ask(*asked, "--profile", "inex2007", "--format", "jsonl")
    assert answer.values == {"all": pytest.approx(800 / 1000)}
    assert "assumed:beta=1,n=1000,past=last,score=bep" in ask(*asked, "--profile", "inex2007").text
    given = ask(*asked[:-4], "-m", "MAgP(score=bep,n=400)", "--profile", "inex2007")
    assert "0.5000" in given.text


def test_results_that_could_not_be_placed_are_counted(files, ask):
    returned(files, "1 Q0 a 1 9 m 0 10", "1 Q0 b 1 9 m X X")
    answer = ask("eval", "judged.qrels", "mine.run", "-m", "char_prec")
    assert "results that could not be placed in their documents: 1" in answer.text


def test_results_that_come_again_are_counted(files, ask):
    returned(files, "1 Q0 a 1 9 m 0 10", "1 Q0 b 1 9 m X X", "1 Q0 b 1 9 m X X")
    assert "repeat" not in ask("eval", "judged.qrels", "mine.run", "-m", "char_prec").text
    again = ("1 Q0 a 3 7 m 0 10", "1 Q0 a 4 6 m 0 11", "2 Q0 a 1 9 m 0 10", "1 Q0 a 5 5 m 0 10")
    returned(files, "1 Q0 a 1 9 m 0 10", *again)
    answer = ask("eval", "judged.qrels", "mine.run", "-m", "char_prec")
    assert "results that repeat an earlier one: 2" in answer.text


def test_grades_are_not_enough_for_measures_of_text(ask):
    assert "needs highlighted text, but qrels.txt holds graded documents" in (
        ask("eval", "qrels.txt", "run.txt", "-m", "MAiP").complaint
    )


def test_elements_need_their_collection(files, ask):
    returned(files, "1 Q0 a 1 9 m /article[1]")
    assert "--collection" in ask("eval", "judged.qrels", "mine.run").complaint


def test_a_document_run_counts_as_whole_documents(files, ask):
    returned(files, "1 Q0 a 1 9 m", "1 Q0 b 2 8 m")
    answer = ask("eval", "judged.qrels", "mine.run", "-m", "char_prec", "-q", "--format", "jsonl")
    assert answer.values["1"] == 10 / 150
    assert ask("eval", "judged.qrels", "mine.run", "-m", "AP", "--format", "jsonl").values == {
        "all": 0.5
    }


def test_parts_of_one_document_are_no_fault(files, ask):
    returned(files, "1 Q0 a 1 9 m 0 10", "1 Q0 a 2 8 m 10 10")
    answer = ask("check", "judged.qrels", "mine.run")
    assert answer.status == 0
    assert "mine.run: fine (inex_run: 2 lines of data, 1 topics)" in answer.text


@pytest.mark.parametrize(("topics", "missing"), [("judged", 2), ("both", 1)])
def test_best_entry_points_that_are_missing_are_counted(files, ask, topics, missing):
    lines = "1 Q0 a 10 100 -1 0:10\n1 Q0 b 10 50 3 0:10\n2 Q0 a 4 8\n3 Q0 a 0 8\n"
    (files / "judged.qrels").write_text(lines)
    asked = ("eval", "judged.qrels", "mine.run", "--average-over", topics, "-m")
    said = "documents with highlighted text but no best entry point, whose score=bep is 0: "
    assert f"{said}{missing}\n" in ask(*asked, "MAgP(score=bep)", "-m", "MAgP").text
    assert said not in ask(*asked, "MAgP").text
