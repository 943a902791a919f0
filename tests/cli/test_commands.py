"""The smaller commands: measures, formats, check, demo."""

import json
import shlex

import pytest

from spanwise.formats import FORMATS
from spanwise.measures import MEASURES

# measures and formats ------------------------------------------------------------------------


def test_all_measures_are_listed_with_their_first_sentence(ask):
    answer = ask("measures")
    assert (answer.status, answer.err) == (0, "")
    for measure in MEASURES.values():
        assert f"\n  {measure.name}" in answer.text
        assert measure.summary[:15] in answer.text


def test_the_list_fits_the_page(ask, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert max(map(len, ask("measures").text.splitlines())) <= 80


@pytest.mark.parametrize("name", MEASURES)
def test_every_measure_can_be_looked_up(ask, name):
    answer = ask("measures", name)
    assert answer.text.startswith(name)
    assert MEASURES[name].definition in answer.text
    assert f"\nReference: {MEASURES[name].reference}\n" in answer.text


@pytest.mark.parametrize("name", ["nDCG@10", "nDCG", "ndcg_cut_10"])
def test_a_measure_is_found_by_any_of_its_names(ask, name):
    assert ask("measures", name).text.startswith("nDCG")


def test_a_misspelt_measure_gets_a_hint(ask):
    complaint = ask("measures", "nDGC").complaint
    assert complaint.startswith("unknown measure 'nDGC'; did you mean ")
    assert "nDCG" in complaint


def test_all_formats_are_listed(ask):
    lines = ask("formats").text.splitlines()
    assert [line.split()[:2] for line in lines[: len(FORMATS)]] == [
        [entry.name, entry.holds] for entry in FORMATS.values()
    ]


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_can_be_looked_up(ask, name):
    answer = ask("formats", name)
    assert answer.text == f"{name} ({FORMATS[name].holds})\n\n{FORMATS[name].description}\n"


def test_a_misspelt_format_is_answered_with_the_nearest(ask):
    said = ask("formats", "qrel").complaint
    assert said.startswith("unknown format 'qrel'; did you mean qrels")


# check ---------------------------------------------------------------------------------------


def test_files_in_order_are_fine(ask):
    answer = ask("check", "qrels.txt", "run.txt")
    assert (answer.status, answer.err) == (0, "")
    assert answer.text == (
        "qrels.txt: fine (qrels: 5 lines of data, 2 topics)\n"
        "run.txt: fine (trec_run: 6 lines of data, 2 topics)\n"
    )


BAD_RUN = """\
1 Q0 a 1 9 me
1 Q0 b 2 high me
1 Q0 c 3
1 Q0 a 4 7 me
2 Q0 a 1 nan me
"""


def test_every_problem_is_found_in_the_order_of_lines(folder, ask):
    (folder / "bad.txt").write_text(BAD_RUN)
    answer = ask("check", "bad.txt")
    assert answer.status == 1
    lines = answer.text.splitlines()
    assert [line.split(": ")[0] for line in lines] == [
        *("bad.txt:2", "bad.txt:3", "bad.txt:4", "bad.txt:5", "bad.txt"),
    ]
    assert "swapped" not in lines[1]  # the file began as a run
    assert lines[2] == "bad.txt:4: document 'a' appears twice for its topic, first on line 1"
    assert lines[4] == "bad.txt: 4 problems"


def test_a_byte_order_mark_is_remarked_on_once(folder, ask):
    (folder / "run.txt").write_bytes(b"\xef\xbb\xbf" + (folder / "run.txt").read_bytes())
    assert ask("check", "run.txt").text.count("byte order mark") == 1


def test_only_so_many_problems_are_shown(folder, ask):
    (folder / "bad.txt").write_text(BAD_RUN)
    lines = ask("check", "bad.txt", "--most", "1").text.splitlines()
    assert lines[1:] == ["bad.txt: and 3 more problems", "bad.txt: 4 problems"]


def test_check_as_json(folder, ask):
    (folder / "bad.txt").write_text("1 Q0 a 1 9 me\n1 Q0 b 2 high me\n")
    answer = ask("check", "bad.txt", "qrels.txt", "--format", "json")
    bad, fine = json.loads(answer.out)["files"]
    assert answer.status == 1
    assert (bad["file"], bad["format"]) == ("bad.txt", "trec_run")
    message = "the score is 'high'; expected a number"
    assert bad["problems"] == [{"line": 2, "message": message}]
    assert (fine["file"], fine["problems"]) == ("qrels.txt", [])


@pytest.mark.parametrize(
    ("run", "remark"),
    [
        ("1 Q0 a 1 5 me\n1 Q0 b 2 5 me\n", "topics with equal scores: 1"),
        ("1 Q0 a 2 4 me\n1 Q0 b 1 5 me\n", "lines are not in the order of their scores"),
        ("1 Q0 a 2 5 me\n1 Q0 b 1 4 me\n", "ranks that contradict the scores: 1 "),
        ("\ufeff1 Q0 a 1 5 me\n", "a byte order mark at the start was dropped"),
    ],
)
def test_what_is_odd_in_a_run_is_remarked_upon(folder, ask, run, remark):
    (folder / "odd.txt").write_text(run)
    answer = ask("check", "odd.txt")
    assert answer.status == 0
    assert f"odd.txt: remark: {remark}" in answer.text


def test_what_is_odd_in_judgements_is_remarked_upon(folder, ask):
    (folder / "odd.txt").write_text("1 0 a 0\n2 0 a 1.5\n3 0 a 1\n")
    text = ask("check", "odd.txt").text
    assert "odd.txt: remark: topics with nothing relevant: 1\n" in text
    assert "odd.txt: remark: grades that are fractions: 1 " in text


def test_run_and_judgements_are_checked_against_each_other(folder, ask):
    (folder / "part.txt").write_text("1 Q0 a 1 1 me\n7 Q0 a 1 1 me\n")
    (folder / "none.txt").write_text("7 Q0 a 1 1 me\n")
    answer = ask("check", "qrels.txt", "part.txt", "none.txt")
    assert "part.txt: remark: judged topics missing from the run: 1\n" in answer.text
    assert "part.txt: remark: unjudged topics: 1\n" in answer.text
    assert "none.txt: no topic in common with qrels.txt\n" in answer.text
    assert answer.status == 1


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (None, "cannot be opened (No such file or directory)"),
        (b"", "the file is empty"),
        (b"# nothing\n", "no data, only"),
        (b"\xff\xfe1\x00", "the text is UTF-16"),
    ],
)
def test_a_file_that_cannot_be_read_at_all_is_a_problem(folder, ask, data, said):
    if data is not None:
        (folder / "bad.txt").write_bytes(data)
    answer = ask("check", "bad.txt", "run.txt")
    assert answer.status == 1
    assert answer.text.startswith(f"bad.txt: {said}")
    assert "\nrun.txt: fine" in answer.text


def test_a_folder_is_checked_file_by_file(folder, ask):
    assert ask("check", ".").text.count(": fine (") == 2


def test_a_file_can_be_checked_as_something_else(folder, ask):
    answer = ask("check", "qrels.txt", "--from", "trec_run")
    assert answer.status == 1
    assert answer.text.count("qrels.txt:") == 5 + 1


def test_standard_input_can_be_checked(folder, run_command):
    data = (folder / "run.txt").read_bytes()
    answer = run_command("check", "-", "--from", "trec_run", input=data)
    assert (answer.status, answer.text) == (0, "-: fine (trec_run: 6 lines of data, 2 topics)\n")


# demo ----------------------------------------------------------------------------------------


def test_the_demo_does_the_main_job(ask):
    answer = ask("demo")
    assert (answer.status, answer.err) == (0, "")
    for word in ("keyword", "dense", "hybrid", "nDCG@10", "AP", "12 topics"):
        assert word in answer.text
    for word in ("articles", "elements", "passages", "MAiP", "MAgP(score=bep)"):
        assert word in answer.text


def test_the_demo_tells_the_commands_that_give_its_numbers(ask, monkeypatch):
    demo = ask("demo").text
    commands = [line for line in demo.splitlines() if line.startswith("$ spanwise ")]
    places = [line for line in demo.splitlines() if line.startswith("The files are in ")]
    assert len(commands) == len(places) == 2
    for command, place in zip(commands, places, strict=True):
        monkeypatch.chdir(place.removeprefix("The files are in "))
        assert ask(*shlex.split(command)[2:]).text in demo


def test_the_demo_can_be_written_to_a_folder_and_its_commands_run_there(ask, folder, monkeypatch):
    answer = ask("demo", "new/trial")
    assert (answer.status, answer.err) == (0, "")
    lines = [line.strip() for line in answer.text.partition("Try:\n")[2].splitlines()]
    assert lines[0] == "cd new/trial"
    monkeypatch.chdir(folder / "new" / "trial")
    assert len(lines) > 4
    for line in lines[1:]:
        assert ask(*shlex.split(line)[1:]).status == 0, line


def test_the_demo_overwrites_nothing(ask, folder):
    """The folder has a file qrels.txt, and nothing is written beside it."""
    before = sorted(folder.rglob("*"))
    complaint = ask("demo", ".").complaint
    assert complaint.startswith("qrels.txt: already exists; expected a folder without the files")
    assert sorted(folder.rglob("*")) == before
