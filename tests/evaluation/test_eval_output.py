"""`spanwise eval`: formats, files, and what is said when it cannot be done."""

import csv
import io
import json

import polars as pl
import pytest
from click import NoSuchOption

from spanwise.model.policy import Policy

FORMATS = ("table", "trec", "json", "jsonl", "csv", "md", "latex")
SIGNATURE = Policy().signature()


# Formats -------------------------------------------------------------------------------------


def test_a_table_by_default(ask):
    answer = ask("eval", "qrels.txt", "run.txt", "-m", "AP", "-m", "P@1")
    assert answer.text == (
        "measure    mine\n---------------\nAP       0.7500\nP@1      0.5000\n\n"
        f"2 topics\n{SIGNATURE}\n"
    )


def test_a_table_of_topics(ask):
    answer = ask("eval", "qrels.txt", "run.txt", "-m", "AP", "-q")
    rows = [line.split() for line in answer.text.splitlines()]
    assert rows[0] == ["mine", "AP"]
    assert rows[2:4] == [["1", "0.5000"], ["2", "1.0000"]]
    assert rows[5:7] == [["all", "0.7500"], ["topics", "2"]]


def test_trec_lines(ask):
    answer = ask("eval", "qrels.txt", "run.txt", "-m", "map", "-m", "num_rel", "--format", "trec")
    assert answer.text == "map                   \tall\t0.7500\nnum_rel               \tall\t3\n"


def test_csv(ask):
    answer = ask("eval", "qrels.txt", "run.txt", "-m", "AP", "-q", "--format", "csv")
    assert list(csv.reader(io.StringIO(answer.text))) == [
        ["run", "topic", "measure", "value"],
        ["mine", "1", "AP", "0.5"],
        ["mine", "2", "AP", "1.0"],
        ["mine", "all", "AP", "0.75"],
    ]


def test_json(ask):
    answer = ask("eval", "qrels.txt", "run.txt", "-m", "AP", "--format", "json")
    assert json.loads(answer.out) == {
        "signature": SIGNATURE,
        "runs": [{"run": "mine", "means": {"AP": 0.75}, "counts": {"AP": 2}, "notes": []}],
    }


def test_markdown_and_latex(ask):
    asked = ("eval", "qrels.txt", "run.txt", "-m", "P_1", "--format")
    assert "\n| P_1     | 0.5000 |\n" in ask(*asked, "md").text
    assert "\nP\\_1 & 0.5000 \\\\\n" in ask(*asked, "latex").text


def test_parquet(folder, ask):
    words = ("-m", "AP", "-m", "P(rel=2)@1", "-q", "--format", "parquet", "-o", "out.parquet")
    answer = ask("eval", "qrels.txt", "run.txt", *words)
    assert (answer.status, answer.out) == (0, b"")
    frame = pl.read_parquet(folder / "out.parquet")
    assert frame.columns == ["run", "topic", "measure", "value"]
    assert frame.filter(pl.col("measure") == "AP")["value"].to_list() == [0.5, 1.0, 0.75]
    assert frame.filter(pl.col("measure") != "AP")["value"].to_list() == [None] * 3


def test_parquet_needs_a_file(ask):
    answer = ask("eval", "qrels.txt", "run.txt", "--format", "parquet")
    assert answer.complaint == "--format parquet needs -o FILE"


@pytest.mark.parametrize("layout", [*FORMATS, "parquet"])
def test_every_format_can_write_names_that_are_no_text(folder, ask, layout):
    (folder / "qrels.txt").write_bytes(b"\xff 0 a 1\n")
    (folder / "run.txt").write_bytes(b"\xff Q0 a 1 1 \xfe\n")
    answer = ask("eval", "qrels.txt", "run.txt", "-q", "--format", layout, "-o", "out")
    assert (answer.status, answer.err) == (0, "")
    assert (folder / "out").stat().st_size > 0


@pytest.mark.parametrize("layout", ["table", "md", "latex", "json"])
def test_notes_stand_below_what_people_read(folder, ask, layout):
    (folder / "qrels.txt").write_text("1 0 bat 1\n3 0 a 1\n2 0 eel 1\n")
    answer = ask("eval", "qrels.txt", "run.txt", "-m", "AP", "--format", layout)
    assert "1 topic ('3') missing from the run, counted as empty" in answer.text
    assert answer.err == ""


@pytest.mark.parametrize("layout", ["trec", "jsonl", "csv"])
def test_notes_are_warnings_where_programs_read(folder, ask, layout):
    (folder / "qrels.txt").write_text("1 0 bat 1\n3 0 a 1\n2 0 eel 1\n")
    answer = ask("eval", "qrels.txt", "run.txt", "-m", "AP", "--format", layout)
    assert answer.warnings == ["mine: 1 topic ('3') missing from the run, counted as empty"]
    assert "missing" not in answer.text


def test_the_number_of_topics_stands_beside_every_mean(folder, ask):
    (folder / "qrels.txt").write_text("1 0 bat 2\n2 0 eel 1\n")
    answer = ask("eval", "qrels.txt", "run.txt", "-m", "AP", "-m", "AP(rel=2)")
    rows = [line.split() for line in answer.text.splitlines()]
    assert rows[2:4] == [["AP", "0.7500", "(2)"], ["AP(rel=2)", "0.5000", "(1)"]]


# Files ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", FORMATS)
def test_a_file_gets_what_would_have_been_printed(folder, ask, layout):
    asked = ("eval", "qrels.txt", "run.txt", "-m", "AP", "--format", layout)
    printed = ask(*asked).out
    written = ask(*asked, "-o", "out.txt")
    assert (written.status, written.out) == (0, b"")
    assert (folder / "out.txt").read_bytes() == printed


def left_in(folder) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_an_error_leaves_no_file_behind(folder, ask):
    answer = ask("eval", "qrels.txt", "absent.txt", "-o", "out.txt")
    assert answer.complaint == "absent.txt: cannot be opened (No such file or directory)"
    assert left_in(folder) == ["qrels.txt", "run.txt"]


FULL = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))"


def test_a_disk_that_is_full_leaves_no_half_a_file(folder, run_command):
    answer = run_command("eval", "qrels.txt", "run.txt", "-o", "out.txt", before=FULL)
    assert answer.complaint.endswith("out.txt: cannot be written (File too large)")
    assert left_in(folder) == ["qrels.txt", "run.txt"]


def test_a_disk_that_is_full_leaves_the_old_file_alone(folder, run_command):
    (folder / "out.txt").write_text("old")
    assert run_command("eval", "qrels.txt", "run.txt", "-o", "out.txt", before=FULL).status == 2
    assert (folder / "out.txt").read_text() == "old"


def test_a_file_takes_the_place_of_an_old_one(folder, ask):
    (folder / "out.txt").write_text("old")
    ask("eval", "qrels.txt", "run.txt", "-m", "AP", "--format", "trec", "-o", "out.txt")
    assert (folder / "out.txt").read_text() == "AP                    \tall\t0.7500\n"


def test_a_link_is_followed(folder, ask):
    (folder / "real.txt").write_text("old")
    (folder / "link.txt").symlink_to("real.txt")
    ask("eval", "qrels.txt", "run.txt", "-o", "link.txt")
    assert (folder / "link.txt").is_symlink()
    assert "nDCG@10" in (folder / "real.txt").read_text()


def test_a_device_is_written_to_and_not_replaced(folder, run_command):
    answer = run_command("eval", "qrels.txt", "run.txt", "-m", "AP", "-o", "/dev/stdout")
    assert (answer.status, answer.err) == (0, "")
    assert "AP       0.7500" in answer.text


@pytest.mark.parametrize(
    ("file", "reason"),
    [("folder", "Is a directory"), ("absent/out.txt", "No such file or directory")],
)
def test_a_place_that_cannot_be_written_is_named(folder, ask, file, reason):
    (folder / "folder").mkdir()
    answer = ask("eval", "qrels.txt", "run.txt", "-o", file)
    assert answer.complaint == f"{file}: cannot be written ({reason})"


def test_standard_output_that_is_full_is_an_error_of_one_line(folder, run_command):
    with open("/dev/full", "wb") as full:  # noqa: PTH123
        answer = run_command_to(full, run_command)
    assert answer.complaint == "standard output cannot be written (No space left on device)"


def run_command_to(stream, run_command):
    redirect = f"import os; os.dup2({stream.fileno()}, 1)"
    return run_command("eval", "qrels.txt", "run.txt", before=redirect, pass_fds=[stream.fileno()])


# What cannot be done -------------------------------------------------------------------------

NO_OPTION = NoSuchOption("--nonsense").message  # versions of click differ
WRONG = {
    "no files": ((), "Missing argument 'JUDGEMENTS'."),
    "no run": (("qrels.txt",), "Missing argument 'RUN...'."),
    "an unknown option": (("qrels.txt", "run.txt", "--nonsense"), NO_OPTION),
    "an unknown format": (("qrels.txt", "run.txt", "--format", "xml"), "'xml' is not one of"),
    "an unknown profile": (
        ("qrels.txt", "run.txt", "--profile", "x"),
        "unknown profile 'x'; expected one of chunks, ",
    ),
    "an unknown rule for ties": (("qrels.txt", "run.txt", "--ties", "x"), "'x' is not one of"),
    "a depth that is no number": (("qrels.txt", "run.txt", "--depth", "x"), "'x' is not a valid"),
    "a negative depth": (("qrels.txt", "run.txt", "--depth", "-1"), "depth is -1;"),
    "an unknown measure": (("qrels.txt", "run.txt", "-m", "nDGC@10"), "unknown measure 'nDGC"),
    "a measure without its cut-off": (("qrels.txt", "run.txt", "-m", "R"), "cutoff"),
    "half a measure": (("qrels.txt", "run.txt", "-m", "P(rel="), "P(rel="),
    "an option without value": (("qrels.txt", "run.txt", "-m"), "requires an argument"),
    "an unknown file format": (("qrels.txt", "run.txt", "--run-format", "x"), "unknown run format"),
    "the wrong way round": (("run.txt", "qrels.txt"), "are run and judgements swapped?"),
    "an absent file": (("absent", "run.txt"), "absent: cannot be opened"),
    "an empty name": (("qrels.txt", ""), "'': the file name is empty"),
    "expected ties and a depth": (
        ("qrels.txt", "run.txt", "--ties", "expected", "--depth", "3"),
        "ties: expected needs whole rankings",
    ),
    "a measure of preferences": (
        ("qrels.txt", "run.txt", "-m", "prefs_simp"),
        "measure 'prefs_simp' needs preferences, but qrels.txt holds graded documents",
    ),
}


@pytest.mark.parametrize(("words", "said"), WRONG.values(), ids=list(WRONG))
def test_a_mistake_is_one_line_and_status_2(ask, words, said):
    answer = ask("eval", *words)
    assert said in answer.complaint
    assert "Usage" not in answer.err


def test_control_characters_in_names_are_escaped(ask):
    assert ask("eval", "qrels.txt", "a\x1b[31m\nb").complaint == (
        r"a\x1b[31m\nb: cannot be opened (No such file or directory)"
    )


def test_control_characters_in_a_tag_are_escaped(folder, ask):
    (folder / "run.txt").write_bytes(b"1 Q0 bat 1 1 \x1b[31m\n3 Q0 bat 1 1 \x1b[31m\n")
    asked = ("eval", "qrels.txt", "run.txt", "-m", "AP", "--format")
    assert "\x1b" not in ask(*asked, "table").text
    answer = ask(*asked, "jsonl")
    assert answer.warnings[0].startswith(r"\x1b[31m: 1 topic ('3')")


def test_a_byte_order_mark_is_a_warning(folder, ask):
    (folder / "run.txt").write_bytes(b"\xef\xbb\xbf" + (folder / "run.txt").read_bytes())
    answer = ask("eval", "qrels.txt", "run.txt", "-m", "AP", "--format", "jsonl")
    assert answer.values == {"all": 0.75}
    assert answer.warnings == ["run.txt: a byte order mark at the start was dropped"]


def test_everything_in_order_is_silent(ask):
    answer = ask("eval", "qrels.txt", "run.txt")
    assert (answer.status, answer.err) == (0, "")


def test_a_run_that_is_given_twice_gets_numbers(ask):
    answer = ask("eval", "qrels.txt", "run.txt", "run.txt", "-m", "AP", "--format", "jsonl")
    assert [json.loads(line)["run"] for line in answer.text.splitlines()] == ["mine #1", "mine #2"]
    assert ask("eval", "qrels.txt", "run.txt", "run.txt", "-m", "AP").err == ""  # told apart there


def test_a_file_called_minus_is_standard_output(ask, folder):
    told = ask("eval", "qrels.txt", "run.txt", "-m", "AP")
    assert ask("eval", "qrels.txt", "run.txt", "-m", "AP", "-o", "-").text == told.text
    assert not (folder / "-").exists()
