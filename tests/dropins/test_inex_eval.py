"""`spanwise inex_eval`."""

import pytest

from spanwise.dropins.inex_eval.files import _keeps_rules, read_run
from spanwise.dropins.inex_eval.program import java_double, java_int

QRELS = "1 Q0 a 10 100 0 0:10\n1 Q0 b 0 50\n2 Q0 a 4 8 2 2:4\n"
MINE = "1 Q0 b 1 9 m 0 10\n1 Q0 a 2 8 m 0 10\n"
FOCUSED = """\
<eval run-id="m" file="mine.run">
num_ret\t\t1\t2
num_rel\t\t1\t1
num_rel_ret\t1\t1
ret_size\t1\t20
rel_size\t1\t10
rel_ret_size\t1\t10
art_prec\t1\t0.5
art_rec\t\t1\t1.0
art_f1\t\t1\t0.6666666666666666
char_prec\t1\t0.5
char_rec\t1\t1.0
char_f1\t\t1\t0.6666666666666666
iP[0.00]\t1\t0.5
iP[0.01]\t1\t0.5
iP[0.05]\t1\t0.5
iP[0.10]\t1\t0.5
AiP\t\t1\t0.5
num_q\t\tall\t1
num_ret\t\tall\t2
num_rel\t\tall\t1
num_rel_ret\tall\t1
ret_size\tall\t20
rel_size\tall\t10
rel_ret_size\tall\t10
art_prec\tall\t0.5
art_rec\t\tall\t1.0
art_f1\t\tall\t0.6666666666666666
char_prec\tall\t0.5
char_rec\tall\t1.0
char_f1\t\tall\t0.6666666666666666
iP[0.00]\tall\t0.5
iP[0.01]\tall\t0.5
iP[0.05]\tall\t0.5
iP[0.10]\tall\t0.5
MAiP\t\tall\t0.5
"""
CURVE = "".join(f"ircl_prn.{level / 100:.2f}\tall\t0.5\n" for level in range(101))


@pytest.fixture
def files(folder):
    (folder / "judged.qrels").write_text(QRELS)
    (folder / "mine.run").write_text(MINE)
    return folder


def returned(files, *lines):
    (files / "mine.run").write_text("".join(f"{line}\n" for line in lines))


# The drop-in --------------------------------------------------------------------------------


def test_focused_as_by_hand(files, ask):
    answer = ask("inex_eval", "-f", "-q", "judged.qrels", "mine.run")
    assert answer.status == 0
    assert answer.err == ""
    assert answer.text == FOCUSED + CURVE + "</eval>\n"


def test_best_in_context_as_by_hand(files, ask):
    returned(files, "1 Q0 a 1 9 m 50 1", "2 Q0 a 1 9 m 2 1")
    lines = ask("inex_eval", "-b", "-n", "100", "judged.qrels", "mine.run").text.splitlines()
    assert lines[:8] == [
        '<eval run-id="m" file="mine.run">',
        "num_q\t\tall\t2",
        "num_ret\t\tall\t2",
        "num_rel\t\tall\t2",
        "num_rel_ret\tall\t2",
        "ret_size\tall\t0",
        "rel_size\tall\t14",
        "rel_ret_size\tall\t0",
    ]
    assert lines[8] == "MAgP\t\tall\t0.75"
    assert lines[9:11] == ["gP[1]\t\tall\t0.75", "gR[1]\t\tall\t1.0"]
    assert lines[-2:] == ["ircl_prn.1.00\tall\t0.75", "</eval>"]


def test_options_may_stand_anywhere_and_files_in_folders(files, ask):
    asked = ask("inex_eval", str(files / "judged.qrels"), "-c", str(files / "mine.run"), "-f")
    assert asked.text.startswith('<eval run-id="m" file="mine.run">\nnum_q\t\tall\t2\n')


def test_a_fraction_of_a_character_is_refused_with_its_line(files, ask):
    (files / "other.run").write_text(MINE + "1 Q0 a 3 7 m 500 1.5\n")
    answer = ask("inex_eval", "-f", "judged.qrels", "other.run")
    assert answer.status == 2
    due = "other.run:3: 1.5; expected a whole number of characters"
    assert answer.err == f"spanwise: error: {due}\n"


def test_several_runs_of_which_one_is_rejected(files, ask):
    (files / "other.run").write_text(MINE + "1 Q0 a 3 7 m 5 10\n")
    answer = ask("inex_eval", "-f", "judged.qrels", "other.run", "mine.run")
    first, rest = answer.text.split("\n", 1)
    assert first == (
        "ERROR *** (other.run) passage overlaps with previously retrieved passages in topic 1"
        "\tarticle id: a\tin line: 3"
    )
    assert rest.startswith('<eval run-id="m" file="mine.run">')
    assert answer.status == 0
    assert answer.warnings == ["other.run: rejected; the exit status is that of the original, 0"]


@pytest.mark.parametrize(
    ("task", "lines", "fault"),
    [
        ("-f", ["1 Q0 a 1 9 m 0 5", "1 Q0 b 1 9 m 0 5", "1 Q0 a 1 9 m 4 1"], "overlaps"),
        ("-f", ["1 Q0 a 1 9 m 0 5", "1 Q0 a 1 9 m 5 5", "1 Q0 a 1 9 m 0 0"], None),
        ("-f", ["1 Q0 a 1 9 m 0 5", "1 Q0 a 1 9 m 2 0", "1 Q0 a 1 9 m 3 1"], "overlaps"),
        ("-t", ["1 Q0 a 1 9 m 0 5", "1 Q0 a 1 9 m 0 5"], None),
        ("-t", ["1 Q0 a 1 9 m 0 -5"], "negative"),
        ("-f", ["1 Q0 a 1 9 m X X", "1 Q0 a 1 9 m X X"], None),
        ("-f", ["1 Q0 a 1 9 m", "1 Q0 a 1 9 m 0 5"], "fields missing in line 1: 1 Q0 a 1 9 m"),
        ("-f", ["1 Q0 a 1 9 m 0 5 6"], "too many fields in line 1: 1 Q0 a 1 9 m 0 5 6"),
        ("-f", ["1 Q0 a 1 9 m 0 5", ""], "fields missing in line 2: "),
        ("-f", ["1 Q0 a 1 9 m 0 5", " 1 Q0 b 1 9 m 0 5"], "too many fields in line 2:  1 Q0 b"),
        ("-f", ["7 Q0 a 1 9 m 0 5", "7 Q0 a 1 9 m 0 5", "1 Q0 a 1 9 m 0 5"], None),
        ("-r", ["7 Q0 a 1 9 m 0 5", "7 Q0 b 1 9 m 0 5", "7 Q0 a 1 9 m 5 -5"], None),
        ("-r", ["1 Q0 a 1 9 m 0 5", "1 Q0 b 1 9 m 0 5", "1 Q0 a 1 9 m 5 5"], "interleaved"),
        ("-i", ["1 Q0 a 1 9 m 0 5", "1 Q0 b 1 9 m 0 5", "2 Q0 a 1 9 m 5 5"], None),
        ("-r", ["1 Q0 a 1 9 m 0 5", "1 Q0 a 1 9 m 5 5", "1 Q0 b 1 9 m 0 5"], None),
        ("-b", ["1 Q0 a 1 9 m 0 5", "1 Q0 a 1 9 m 5 5"], "multiple results"),
        ("-b", ["1 Q0 a 1 9 m X X", "1 Q0 b 1 9 m 0 1", "1 Q0 a 1 9 m 5 5"], "interleaved"),
        (
            "-r",
            ["1 Q0 a 1 9 m 0 5", "1 Q0 b 1 9 m 0 5", "1 Q0 a 1 9 m 5 5", "1 Q0 a 1 9 m 5 5"],
            "interleaved",
        ),
    ],
)
def test_rules_of_the_tasks(files, ask, task, lines, fault):
    returned(files, *lines)
    answer = ask("inex_eval", task, "judged.qrels", "mine.run")
    assert answer.status == 0
    if fault is None:
        assert answer.text.startswith("<eval")
        assert answer.err == ""
    else:
        assert fault in answer.text
        assert "<eval" not in answer.text
        assert len(answer.warnings) == 1


def test_rank_and_score_may_be_anything(files, ask):
    returned(files, "1 Q0 a ? - m 0 10")
    assert "char_prec\tall\t1.0\n" in ask("inex_eval", "-f", "judged.qrels", "mine.run").text


def test_blanks_between_columns_do_not_matter(files, ask):
    returned(files, "1\tQ0 b  1 9 m 0 10 \r", "1 Q0 a 2 8 m 0 10\r")
    asked = ask("inex_eval", "-f", "-q", "judged.qrels", "mine.run")
    assert asked.text == FOCUSED + CURVE + "</eval>\n"


def test_no_topic_in_common(files, ask):
    returned(files, "7 Q0 a 1 9 m 0 10")
    lines = ask("inex_eval", "-f", "judged.qrels", "mine.run").text.splitlines()
    assert lines[1] == "num_q\t\tall\t0"
    assert lines[-2] == "ircl_prn.1.00\tall\tNaN"


def test_a_topic_with_nothing_relevant_is_said(files, ask):
    (files / "judged.qrels").write_text(QRELS + "3 Q0 a 0 9\n")
    answer = ask("inex_eval", "-r", "-c", "judged.qrels", "mine.run")
    assert "MAgP\t\tall\tNaN\n" in answer.text
    assert answer.warnings == [
        "judged.qrels: topics judged, but nothing is relevant: 3; where they count is NaN"
    ]


def test_repeated_judgements_count_again_in_the_totals_only(files, ask):
    (files / "judged.qrels").write_text(QRELS + "1 Q0 a 10 100 0 0:10\n")
    answer = ask("inex_eval", "-f", "-q", "judged.qrels", "mine.run")
    assert "rel_size\t1\t20\n" in answer.text
    assert "num_rel\t\t1\t2\n" in answer.text
    assert "char_rec\t1\t0.5\n" in answer.text
    assert answer.warnings == [
        "judged.qrels: lines about a document judged before: 1; they count again"
    ]


def test_topics_are_printed_in_order_whatever_the_order_of_the_files(files, ask):
    (files / "judged.qrels").write_text("9 Q0 a 1 9 0 0:1\n10 Q0 a 1 9 0 0:1\n")
    returned(files, "9 Q0 a 1 9 m 0 1", "10 Q0 a 1 9 m 0 1")
    lines = ask("inex_eval", "-b", "-q", "judged.qrels", "mine.run").text.splitlines()
    assert [line for line in lines if line.startswith("AgP")] == ["AgP\t\t10\t1.0", "AgP\t\t9\t1.0"]


def test_a_topic_that_comes_again_is_not_known_any_more(files, ask):
    """Its first document is counted again, its text found again; the other topic's is known."""
    lines = ["1 Q0 a 1 9 m 0 10", "2 Q0 b 1 9 m 0 5", "1 Q0 a 1 9 m 0 10", "1 Q0 b 1 9 m 5 5"]
    returned(files, *lines)
    answer = ask("inex_eval", "-f", "-q", "judged.qrels", "mine.run")
    assert answer.text.startswith(
        "Impossible recall point: 200\nImpossible recall point: 200\n<eval"
    )
    assert "num_ret\t\t1\t2\n" in answer.text  # a, and a again
    assert "num_rel_ret\t1\t2\n" in answer.text
    assert "art_rec\t\t1\t2.0\n" in answer.text
    assert "char_rec\t1\t2.0\n" in answer.text
    assert "AiP\t\t1\t1.0\n" in answer.text
    assert "comes again" in answer.warnings[0]
    assert "more is found than there is: 1;" in answer.warnings[1]
    returned(files, *lines[:3], "1 Q0 b 1 9 m 4 5")
    assert "overlaps with previously" in ask("inex_eval", "-f", "judged.qrels", "mine.run").text


def test_recall_above_1_is_said_in_the_order_of_the_run(files, ask):
    (files / "judged.qrels").write_text("1 Q0 a 4 20 0 0:10\n2 Q0 a 5 20 0 0:10\n")
    returned(files, "2 Q0 a 1 9 m 0 10", "1 Q0 a 1 9 m 0 4", "1 Q0 a 1 9 m 4 1")
    answer = ask("inex_eval", "-f", "judged.qrels", "mine.run")
    first, second, rest = answer.text.split("\n", 2)
    assert [first, second] == ["Impossible recall point: 200", "Impossible recall point: 125"]
    assert rest.startswith("<eval")
    assert "iP[0.00]\tall\t0.5\n" in rest  # 0 and 1


def test_totals_of_more_than_32_bits_are_those_of_the_original_and_said(files, ask):
    returned(files, "1 Q0 a 1 9 m 0 2000000000", "1 Q0 b 1 9 m 0 2000000000")
    answer = ask("inex_eval", "-f", "judged.qrels", "mine.run")
    assert "ret_size\tall\t-294967296\n" in answer.text  # 4,000,000,000 - 2^32
    assert len(answer.warnings) == 1
    assert "2147483647" in answer.warnings[0]
    (record,) = ask(
        "eval",
        "judged.qrels",
        "mine.run",
        "-m",
        "char_prec",
        "--average-over",
        "both",
        "--format",
        "jsonl",
    ).records
    assert record["value"] == 10 / 4_000_000_000


def test_recall_of_a_topic_with_nothing_relevant_that_is_missing_from_the_run(files, ask):
    (files / "judged.qrels").write_text(QRELS + "3 Q0 a 0 9\n4 Q0 a 0 9\n")
    returned(files, MINE.strip(), "3 Q0 a 1 9 m 0 1")
    text = ask("inex_eval", "-r", "-c", "-q", "judged.qrels", "mine.run").text
    assert "gR[1]\t\t3\tNaN\n" in text
    assert "gR[1]\t\t4\t0.0\n" in text
    assert "AgP\t\t4\tNaN\n" in text


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        ([], "no task"),
        (["-f"], "0 files"),
        (["-f", "judged.qrels"], "1 files"),
        (["judged.qrels", "mine.run"], "no task"),
        (["-f", "-r", "judged.qrels", "mine.run"], "only one task"),
        (["-x", "judged.qrels", "mine.run"], "unknown option '-x'"),
        (["-r", "judged.qrels", "mine.run", "-beta"], "-beta needs a value"),
        (["-r", "-beta", "b", "judged.qrels", "mine.run"], "-beta is 'b'"),
        (["-b", "-n", "0", "judged.qrels", "mine.run"], "-n is 0"),
        (["-i", "-irr", "-1", "judged.qrels", "mine.run"], "-irr is -1"),
        (["-b", "-n", "9" * 30, "judged.qrels", "mine.run"], "between 1 and 2147483647"),
        (["-r", "-beta", "inf", "judged.qrels", "mine.run"], "-beta is inf"),
        (["-f", "judged.qrels", "absent.run"], "absent.run: cannot be opened"),
        (["-f", "mine.run", "mine.run"], "mine.run:1:"),
    ],
)
def test_mistakes_are_one_line(files, ask, words, fault):
    assert fault in ask("inex_eval", *words).complaint


@pytest.mark.parametrize("place", ["a 5", "1.5 5", "0 99999999999999", "-7 5", "0 X"])
def test_places_that_are_no_numbers(files, ask, place):
    returned(files, f"1 Q0 a 1 9 m {place}")
    assert "mine.run" in ask("inex_eval", "-f", "judged.qrels", "mine.run").complaint


def test_a_run_that_keeps_the_rules_is_read_once(files):
    run = read_run(str(files / "mine.run"), "r", [b"1"]).run
    assert all(_keeps_rules(run, task, [b"1"]) for task in "tfrib")


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.0, "0.0"),
        (1.0, "1.0"),
        (0.1, "0.1"),
        (0.0003, "3.0E-4"),
        (0.001, "0.001"),
        (0.0009999, "9.999E-4"),
        (9999999.0, "9999999.0"),
        (1e7, "1.0E7"),
        (12345678.9, "1.23456789E7"),
        (1.5e-10, "1.5E-10"),
        (-2e-5, "-2.0E-5"),
        (1e300, "1.0E300"),
        (2 / 3, "0.6666666666666666"),
        (float("nan"), "NaN"),
        (float("inf"), "Infinity"),
    ],
)
def test_numbers_as_java_prints_them(value, shown):
    assert java_double(value) == shown


def test_whole_numbers_as_32_bits_hold_them():
    assert [java_int(n) for n in (0, 2**31 - 1, 2**31)] == ["0", "2147483647", "-2147483648"]
