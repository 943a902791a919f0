"""`spanwise eval`: what goes in, which topics count, what the numbers are."""

import gzip
import os
import threading

import pytest

from spanwise.model.policy import Policy

OTHER = "1 Q0 dog 1 2 other\n1 Q0 bat 2 1 other\n2 Q0 fox 1 2 other\n2 Q0 eel 2 1 other\n"


# What is printed -----------------------------------------------------------------------------


def test_json_lines_are_topics_then_all(evaluate):
    assert evaluate().out == (
        b'{"run": "mine", "topic": "1", "measure": "AP", "value": 0.5}\n'
        b'{"run": "mine", "topic": "2", "measure": "AP", "value": 1.0}\n'
        b'{"run": "mine", "topic": "all", "measure": "AP", "value": 0.75}\n'
    )


def test_without_q_there_is_only_all(ask):
    answer = ask("eval", "qrels.txt", "run.txt", "-m", "AP", "-m", "RR", "--format", "jsonl")
    assert [(r["topic"], r["measure"], r["value"]) for r in answer.records] == [
        ("all", "AP", 0.75),
        ("all", "RR", 0.75),
    ]
    assert (answer.status, answer.err) == (0, "")


def test_topics_come_in_byte_order(folder, evaluate):
    topics = ["9", "10", "ä", "a", "Z", "1"]
    (folder / "qrels.txt").write_text("".join(f"{topic} 0 d 1\n" for topic in topics))
    (folder / "run.txt").write_text("".join(f"{topic} Q0 d 1 1 me\n" for topic in topics))
    assert list(evaluate().values) == ["1", "10", "9", "Z", "a", "ä", "all"]


@pytest.mark.parametrize("name", ["AP", "map", "P@2", "P_2", "P(rel=1)@2", "ndcg_cut_10", "AP@10"])
def test_a_measure_is_called_what_it_was_asked_for(evaluate, name):
    assert {record["measure"] for record in evaluate(measure=name).records} == {name}


def test_measures_come_in_the_order_in_which_they_were_asked_for(ask):
    answer = ask("eval", "qrels.txt", "run.txt", "-m", "RR", "-m", "AP", "--format", "jsonl")
    assert [record["measure"] for record in answer.records] == ["RR", "AP"]


def test_values_have_full_precision(folder, evaluate):
    (folder / "qrels.txt").write_text("1 0 ape 1\n1 0 bat 0\n1 0 cat 0\n")
    assert evaluate(measure="P@3").values == {"1": 1 / 3, "all": 1 / 3}


def test_undefined_is_null_and_left_out_of_the_mean(folder, evaluate):
    (folder / "qrels.txt").write_text("1 0 bat 1\n1 0 dog 1\n2 0 eel 0\n")
    answer = evaluate()
    assert answer.values == {"1": 0.5, "2": None, "all": 0.5}
    assert answer.warnings == ["mine: 1 topic with nothing relevant, left out"]


def test_a_measure_that_asks_for_more_than_anybody_gave_is_undefined(evaluate):
    assert evaluate(measure="P(rel=2)@5").values == {"1": None, "2": None, "all": None}


def test_the_run_is_called_what_the_file_states(folder, ask):
    (folder / "b.txt").write_text(OTHER)
    answer = ask("eval", "qrels.txt", "run.txt", "b.txt", "-m", "AP", "--format", "jsonl")
    # other: dog+ bat+ and fox eel+, (1 + 1/2) / 2
    assert [(r["run"], r["value"]) for r in answer.records] == [("mine", 0.75), ("other", 0.75)]


def test_the_usual_measures_are_those_of_the_profile(ask):
    answer = ask("eval", "qrels.txt", "run.txt", "--format", "jsonl")
    names = [record["measure"] for record in answer.records]
    assert names == ["nDCG@10", "AP", "RR", "P@10", "R@100", "Judged@10"]


def test_a_profile_brings_its_measures_and_its_policy(folder, ask):
    (folder / "qrels.txt").write_text("1 0 bat 1\n2 0 eel 0\n3 0 a 1\n")
    answer = ask("eval", "qrels.txt", "run.txt", "--profile", "trec_eval", "--format", "json")
    assert '"num_q": 2.0' in answer.text  # topics of both files, empty ones too
    assert '"map": 0.25' in answer.text  # 1/2 and 0
    assert (
        Policy(average_over="both", empty="as-is", follow="trec_eval 10").signature() in answer.text
    )


# Which topics count --------------------------------------------------------------------------


@pytest.fixture
def lopsided(folder):
    """Topic 3 is judged and missing from the run; topic 9 is in the run and nobody judged it."""
    with (folder / "qrels.txt").open("a") as file:
        file.write("3 0 gnu 1\n")
    with (folder / "run.txt").open("a") as file:
        file.write("9 Q0 bat 1 1 mine\n")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ((), {"1": 0.5, "2": 1.0, "3": 0.0, "all": 0.5}),
        (("--average-over", "judged"), {"1": 0.5, "2": 1.0, "3": 0.0, "all": 0.5}),
        (("--average-over", "both"), {"1": 0.5, "2": 1.0, "all": 0.75}),
        (("--average-over", "run"), {"1": 0.5, "2": 1.0, "9": None, "all": 0.75}),
    ],
)
def test_topics_that_count(lopsided, evaluate, words, expected):
    assert evaluate(*words).values == expected


@pytest.mark.parametrize(
    ("topics", "said"),
    [
        (
            "judged",
            [
                "('9') of the run not judged, so ignored",
                "('3') missing from the run, counted as empty",
            ],
        ),
        (
            "both",
            ["('9') of the run not judged, so ignored", "('3') missing from the run, left out"],
        ),
        ("run", ["('3') missing from the run, left out", "with nothing relevant, left out"]),
    ],
)
def test_what_only_one_side_has_is_said(lopsided, evaluate, topics, said):
    assert evaluate("--average-over", topics).warnings == [f"mine: 1 topic {what}" for what in said]


def test_no_topic_in_common_is_an_error(folder, evaluate):
    (folder / "qrels.txt").write_text("01 0 bat 1\n")
    assert evaluate().complaint == (
        "run.txt and qrels.txt have no topic in common: '1' in the run, '01' in the judgements;"
        " expected the same topic ids in both"
    )


# Order ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ties", "expected"),
    [
        ("docno", 1 / 3),  # c b a+
        ("file", 1.0),  # a+ b c
        ("rank", 1 / 2),  # b a+ c
        ("expected", 11 / 18),  # (1 + 1/2 + 1/3) / 3
    ],
)
def test_ties_are_broken_as_asked(folder, evaluate, ties, expected):
    (folder / "qrels.txt").write_text("1 0 a 1\n1 0 b 0\n")
    (folder / "run.txt").write_text("1 Q0 a 2 5 me\n1 Q0 b 1 5 me\n1 Q0 c 3 5 me\n")
    assert evaluate("--ties", ties).values["1"] == pytest.approx(expected)


def test_ties_across_a_cutoff_are_said(folder, evaluate):
    (folder / "run.txt").write_text("1 Q0 bat 1 5 me\n1 Q0 dog 2 5 me\n2 Q0 eel 1 5 me\n")
    assert evaluate(measure="P@1").warnings == [
        "me: 1 topic with equal scores across rank 1: docno order"
    ]
    assert evaluate(measure="P@2").warnings == []
    assert evaluate().warnings == []


def test_ties_across_many_cutoffs_are_said_in_one_line(folder, evaluate):
    lines = [f"1 Q0 d{n} 1 5 me\n" for n in range(7)]
    (folder / "run.txt").write_text("".join([*lines, "2 Q0 eel 1 5 me\n2 Q0 d 2 5 me\n"]))
    assert evaluate("-m", "P@1", "-m", "P@5", "-m", "P@6", "-m", "P@7").warnings == [
        "me: equal scores across ranks (number of topics) 1 (2), 5 (1), 6 (1): docno order"
    ]


def test_a_tie_below_the_depth_is_nobodys_concern_and_one_across_it_is(folder, evaluate):
    scores = [9, 8, 8, 7, 7]
    lines = [f"1 Q0 d{n} 1 {score} me\n" for n, score in enumerate(scores)]
    (folder / "run.txt").write_text("".join([*lines, "2 Q0 eel 1 1 me\n"]))
    assert evaluate("--depth", "3", measure="P@4").warnings == []
    assert evaluate("--depth", "2", measure="P@4").warnings == [
        "me: 1 topic with equal scores across rank 2: docno order"
    ]


@pytest.mark.parametrize(
    ("depth", "expected"),
    [("2", {"1": 1 / 4, "2": 1.0}), ("1", {"1": 0.0, "2": 1.0}), ("0", {"1": 0.0, "2": 0.0})],
)
def test_a_depth_cuts_every_ranking(evaluate, depth, expected):
    values = evaluate("--depth", depth).values
    assert {topic: values[topic] for topic in expected} == expected


def test_unjudged_results_can_be_taken_out(evaluate):
    assert evaluate("--judged-only").values["1"] == pytest.approx((1 / 2 + 2 / 3) / 2)


def test_choices_are_said_in_the_signature(ask):
    words = ("--depth", "2", "--judged-only", "--average-over", "both")
    answer = ask("eval", "qrels.txt", "run.txt", "-m", "AP", *words)
    expected = Policy(average_over="both", depth=2, unjudged="drop").signature()
    assert answer.text.splitlines()[-1] == expected


# Where files come from -----------------------------------------------------------------------


def test_a_folder_of_runs_is_taken_in_byte_order(folder, ask):
    runs = folder / "runs"
    runs.mkdir()
    for name in ("b", "a10", "a9", "Z"):
        (runs / name).write_text(OTHER.replace("other", f"tag_{name}"))
    answer = ask("eval", "qrels.txt", "runs", "run.txt", "-m", "AP", "--format", "jsonl")
    expected = ["tag_Z", "tag_a10", "tag_a9", "tag_b", "mine"]
    assert [record["run"] for record in answer.records] == expected


def test_a_folder_of_judgements_is_one_set_of_judgements(folder, ask):
    parts = folder / "judged"
    parts.mkdir()
    (parts / "b").write_text("1 0 dog 1\n1 0 ape 0\n")
    (parts / "a").write_text("2 0 eel 1\n2 0 fox 0\n1 0 bat 1\n")
    answer = ask("eval", "judged", "run.txt", "-m", "AP", "-q", "--format", "jsonl")
    assert answer.values == {"1": 0.5, "2": 1.0, "all": 0.75}


def test_an_empty_folder_is_an_error(folder, ask):
    (folder / "empty").mkdir()
    said = "empty: the folder has no files; expected at least one file"
    assert ask("eval", "qrels.txt", "empty").complaint == said
    assert ask("eval", "empty", "run.txt").complaint == said


def test_packed_files_are_unpacked(folder, ask):
    (folder / "packed").write_bytes(gzip.compress((folder / "run.txt").read_bytes()))
    answer = ask("eval", "qrels.txt", "packed", "-m", "AP", "--format", "jsonl")
    assert answer.values == {"all": 0.75}


@pytest.mark.parametrize("files", [("-", "run.txt"), ("qrels.txt", "-")])
def test_a_dash_is_standard_input(folder, run_command, files):
    missing = "qrels.txt" if files[0] == "-" else "run.txt"
    data = (folder / missing).read_bytes()
    answer = run_command("eval", *files, "-m", "AP", "--format", "jsonl", input=data)
    assert (answer.values, answer.err) == ({"all": 0.75}, "")


@pytest.mark.parametrize("files", [("-", "-"), ("qrels.txt", "-", "-")])
def test_standard_input_is_read_only_once(ask, files):
    assert ask("eval", *files).complaint == "standard input (-) can be read only once"


def test_pipes_can_be_read(folder, ask):
    os.mkfifo(folder / "pipe")
    data = (folder / "run.txt").read_bytes()
    writer = threading.Thread(target=(folder / "pipe").write_bytes, args=(data,))
    writer.start()
    answer = ask("eval", "qrels.txt", "pipe", "-m", "AP", "--format", "jsonl")
    writer.join()
    assert answer.values == {"all": 0.75}


def test_a_format_can_be_named(folder, ask):
    (folder / "qrels.txt").write_text("1 ann bat 1\n1 bob dog 1\n1 bob bat 0\n")
    words = ("-m", "RR", "--format", "jsonl", "--judgements-format", "qrels_jg")
    # ann's bat stands at rank 2, bob's dog at rank 4
    assert ask("eval", "qrels.txt", "run.txt", *words).values == {"all": 3 / 8}
