"""The TREC formats, line by line."""

import numpy as np
import pytest

from spanwise.errors import FormatError
from spanwise.formats import read_judgements, read_run
from spanwise.formats.io.files import stem
from spanwise.formats.registry import Reading, read, recognised
from spanwise.formats.trec.columns import columns_of, parse_qrels, parse_qrels_jg, parse_run
from spanwise.model.judgements import Judgements, Preferences, by_assessor

RUN = b"# made by hand\n1 Q0 b 1 3.5 mine\n1 Q0 a 2 -inf mine\n\n2 Q0 b 9 .5 last\n#\n"
QRELS = b"1 0 b 2\n1 0 a -1\n2 0 b 0.5\n"
ANY = ("judgements", "preferences")


def run_of(data: bytes, **how):
    return parse_run(iter([data]), "some/file.run.gz", Reading(**how))


def qrels_of(data: bytes, **how):
    return parse_qrels(iter([data]), "judged.txt", Reading(**how))


def refusal(parse, data: bytes, **how) -> str:
    with pytest.raises(FormatError) as caught:
        parse(data, **how)
    return str(caught.value)


# Runs ----------------------------------------------------------------------------------------


def test_run_lines_become_columns():
    run = run_of(RUN)
    assert run.rows.topics == (b"1", b"2")
    assert run.rows.starts.tolist() == [0, 2, 3]
    assert run.documents.take(np.arange(3)) == [b"b", b"a", b"b"]
    assert run.scores.tolist() == [3.5, -np.inf, 0.5]
    assert [run.rows.line(row) for row in range(3)] == [2, 3, 5]


def test_a_run_is_called_what_its_last_line_says():
    assert run_of(RUN).name == "last"
    assert run_of(b"1 Q0 a 1 1 first\n2 Q0 a 1 1 last\n1 Q0 b 1 1 final\n").name == "final"


def test_the_last_tag_may_stand_in_an_earlier_piece():
    pieces = [b"1 Q0 a 1 1 mine\n", b"\n# the end\n", b"  # of it\n"]
    assert parse_run(iter(pieces), "f", Reading()).name == "mine"


def test_ranks_are_read_only_when_they_are_needed():
    assert run_of(RUN).ranks is None
    assert run_of(RUN, ranks=True).ranks.tolist() == [1, 2, 9]
    wordy = b"1 Q0 a first 1 mine\n"
    assert run_of(wordy).ranks is None
    assert refusal(run_of, wordy, ranks=True) == (
        "some/file.run.gz:1: the rank is 'first'; expected a number"
    )


def test_further_columns_are_ignored():
    assert run_of(b"1 Q0 a 1 1 mine and more\n").name == "mine"


def test_comments_are_data_where_the_program_that_is_followed_has_none():
    with_mark = b"#1 Q0 a 1 1 mine\n1 Q0 a 1 1 mine\n"
    assert run_of(with_mark).rows.topics == (b"1",)
    assert run_of(with_mark, comments=False).rows.topics == (b"#1", b"1")


def test_blanks_before_a_comment_matter_in_judgements_only():
    assert run_of(b" # a b c d e f\n1 Q0 a 1 1 mine\n").rows.topics == (b"1",)
    assert qrels_of(b" #x 0 a 1\n1 0 a 1\n").rows.topics == (b"#x", b"1")


@pytest.mark.parametrize(
    ("file", "name"),
    [("runs/bm25.run.gz", "bm25"), ("bm25", "bm25"), ("-", "stdin"), (".hidden", ".hidden")],
)
def test_a_file_is_called_what_it_is_without_folder_and_extension(file, name):
    assert stem(file) == name


# Judgements ----------------------------------------------------------------------------------


def test_judgement_lines_become_columns():
    judgements = qrels_of(QRELS)
    assert judgements.rows.topics == (b"1", b"2")
    assert judgements.documents.take(np.arange(3)) == [b"b", b"a", b"b"]
    assert judgements.grades.tolist() == [2, -1, 0.5]
    assert judgements.assessors is None


def test_a_fraction_is_a_grade_unless_whole_ones_are_due():
    assert refusal(qrels_of, QRELS, whole_grades=True) == (
        "judged.txt:3: grade 0.5; expected a whole number; `spanwise eval` takes fractions"
    )


def test_an_infinite_grade_is_refused():
    assert refusal(qrels_of, b"1 0 b 1\n1 0 a inf\n") == (
        "judged.txt:2: grade inf; expected a finite number"
    )


def test_every_wrong_grade_is_reported_where_reports_are_wanted():
    heard: list[FormatError] = []
    qrels_of(b"1 0 a inf\n1 0 b x\n1 0 c 1\n2 0 a 1e999\n", report=heard.append)
    assert sorted(error.line for error in heard) == [1, 2, 4]


def test_judgements_of_several_assessors_can_be_taken_apart():
    lines = b"1 ann a 1\n1 bob a 0\n2 ann b 1\n1 ann b 0\n"
    judgements = parse_qrels_jg(iter([lines]), "f", Reading())
    ann, bob = by_assessor(judgements)
    assert ann.rows.topics == (b"1", b"2")
    assert ann.documents.take(np.arange(3)) == [b"a", b"b", b"b"]
    assert ann.grades.tolist() == [1, 0, 1]
    assert [ann.rows.line(row) for row in range(3)] == [1, 4, 3]
    assert (bob.rows.topics, bob.grades.tolist()) == ((b"1",), [0])


# Others --------------------------------------------------------------------------------------


def test_preferences_have_groups_and_sub_groups(tmp_path):
    file = tmp_path / "prefs"
    file.write_bytes(b"1 g s a 2\n1 g t b .5\n")
    preferences = read(str(file), ANY)
    assert isinstance(preferences, Preferences)
    assert preferences.groups == (b"g", b"g")
    assert preferences.subgroups == (b"s", b"t")
    assert preferences.documents == (b"a", b"b")
    assert preferences.levels.tolist() == [2, 0.5]


def test_preferences_may_come_in_the_layout_of_judgements(tmp_path):
    file = tmp_path / "prefs"
    file.write_bytes(b"1 g a 2\n1 h b 1\n")
    preferences = read(str(file), ANY, "qrels_prefs")
    assert preferences.groups == (b"g", b"h")
    assert preferences.subgroups == (b"0", b"0")


def test_statistics_are_looked_up_by_topic_and_measure(tmp_path):
    file = tmp_path / "zscores"
    file.write_bytes(b"1 map .5 .1\n2 map .6 .2\n1 P_5 .7 .3\n#1 map 1 1\n")
    statistics = read(str(file), ("statistics",), "zscores")
    assert statistics == {
        (b"1", b"map"): (0.5, 0.1),
        (b"2", b"map"): (0.6, 0.2),
        (b"1", b"P_5"): (0.7, 0.3),
        (b"#1", b"map"): (1.0, 1.0),
    }


# Recognition ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (b"1 0 a 1\n", "qrels"),
        (b"# comment of five columns\n\n1 0 a 1\n", "qrels"),
        (b"1 0 a\n1 0 b 1\n1 0 c 1\n", "qrels"),  # one bad line among good ones
        (b"300674\t0\t7067032\t1\n125705\t0\t7067056\t1\n", "qrels"),  # no passages of genomics
        (b"8\t0\t3\t1\t\n8\t0\t4\t0\t\n", "qrels"),  # a tab at the end is no empty aspect
        (b"1 0 2 1\n1 0 31 1\n2 0 28 1\n", "qrels"),  # not LISA's topic 1, 0 documents, topic 2
        (b"1 0 101 1\n2 0 102\n3 0 103 1\n", "qrels"),  # a column is missing; no list of TIME
        (b"1 g s a 2\n", "prefs"),
        (b"\n", "qrels"),  # the commonest says what is wrong
    ],
)
def test_judgements_are_recognised_by_their_columns(head, name):
    assert recognised(head, ANY).name == name


def test_most_lines_decide_how_many_columns_there_are():
    assert columns_of(b"a b\na b c\na b c\n# a\n") == 3
    assert columns_of(b"# a\n") == 0


def test_a_run_and_judgements_are_read_from_files(tmp_path):
    (tmp_path / "run").write_bytes(RUN)
    (tmp_path / "qrels").write_bytes(QRELS)
    assert read_run(tmp_path / "run").name == "last"
    assert isinstance(read_judgements(str(tmp_path / "qrels")), Judgements)


def test_what_has_been_read_passes_through():
    run, judgements = run_of(RUN), qrels_of(QRELS)
    assert read_run(run) is run
    assert read_judgements(judgements) is judgements
