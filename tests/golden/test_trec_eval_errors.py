"""What trec_eval says first, what it has printed by then, and where the drop-in is saner."""

import io

import pytest

A = ("qrels.a", "run.a")
JUDGED = "1 0 a 1\n1 0 b 0\n2 0 a 1\n2 0 b 0\n3 0 a 1\n"
RUN = "1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n2 Q0 b 1 2 t\n2 Q0 a 2 1 t\n3 Q0 a 1 1 t\n"


@pytest.mark.parametrize(
    ("status", "words"),
    [  # options, judgements, results, z-scores, measures, topics
        (1, ["-m", "nonsense", "absent", "absent"]),
        (1, ["-M-1", "-R", "nonsense", "absent", "absent"]),
        (2, ["-R", "nonsense", "-Z", "absent", *A]),
        (2, ["-Z", "absent", "qrels.a", "absent"]),
        (2, ["-mP.0", "-Z", "absent", "absent", "run.a"]),
        (255, ["-mP.0", "-Z", "absent", *A]),
        (2, ["-mP.0", "-mmap_avgjg", *A]),
        (4, ["-mmap_avgjg", *A]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_errors_come_in_the_order_of_work(trec_eval, status, words):
    assert trec_eval(*words).status == status


def test_the_judgements_are_read_before_the_results(trec_eval):
    assert "absent.q" in trec_eval("absent.q", "absent.r").err


def test_bad_parameters_are_found_after_the_files_are_read(trec_eval):
    assert "absent.r" in trec_eval("-mP.0", "qrels.a", "absent.r").err


@pytest.mark.parametrize(
    ("files", "done"),
    [
        ({"q": JUDGED, "r": RUN + "2 Q0 a 9 0 t\n"}, ["1"]),  # a result twice in topic 2
        ({"q": JUDGED + "2 0 b 0\n", "r": RUN}, ["1"]),  # a judgement twice in topic 2
        ({"q": JUDGED, "r": RUN.replace("3 Q0", "9 Q0")}, ["1", "2"]),  # topic 3 is missing
        ({"q": JUDGED, "r": RUN + "1 Q0 a 9 0 t\n"}, []),
    ],
    ids=["duplicate result", "duplicate judgement", "missing topic", "the first topic"],
)
def test_topics_finished_before_an_error_are_printed(trec_eval, files, done):
    answer = trec_eval("-q", "-mmap", "q", "r", **files)
    assert answer.status == 4
    assert list(answer.values) == [("map", topic) for topic in done]
    assert trec_eval("-mmap", "q", "r", **files).out == b""  # without -q nothing is


def test_a_duplicate_matters_only_where_it_is_looked_at(trec_eval):
    twice = RUN + "2 Q0 a 9 0 t\n9 Q0 a 1 1 t\n9 Q0 a 2 2 t\n"
    assert trec_eval("-mnum_q", "q", "r", q=JUDGED, r=twice).status == 0  # no ranking needed
    assert trec_eval("-mmap", "-M2", "q", "r").status == 0  # cut off before
    assert trec_eval("-mmap", "-D0.1", "q", "r").status == 0  # another topic
    assert trec_eval("-mmap", "q", "r").status == 4


def test_a_duplicate_judgement_matters_only_in_a_topic_that_is_evaluated(trec_eval):
    twice = JUDGED + "9 0 a 1\n9 0 a 1\n"
    assert trec_eval("--compat", "9", "-mmap", "q", "r", q=twice, r=RUN).status == 0
    assert trec_eval("-D0.1", "-mmap", "q", "r").status == 0


def test_topics_that_nobody_judged_are_ignored(trec_eval):
    answer = trec_eval("-mnum_q", "q", "r", q=JUDGED, r=RUN + "9 Q0 a 1 1 t\n")
    assert answer.of("all") == {"num_q": "3"}


def test_the_tag_is_that_of_the_last_line(trec_eval):
    answer = trec_eval("-mrunid", "q", "r", q=JUDGED, r=RUN + "3 Q0 x 2 0 last\n")
    assert answer.of("all") == {"runid": "last"}


def test_topics_come_in_byte_order_whatever_the_file_says(trec_eval):
    judged = "".join(f"{topic} 0 a 1\n" for topic in ("b", "10", "2", "B", "é"))
    run = "".join(f"{topic} Q0 a 1 1 t\n" for topic in ("é", "2", "B", "10", "b"))
    answer = trec_eval("-n", "-q", "-mmap", "q", "r", q=judged, r=run)
    assert [topic for _, topic in answer.values] == ["10", "2", "B", "b", "é"]


# Where the original crashes, hangs or prints what memory happens to hold ---------------------


def test_a_missing_topic_stops_version_10_with_an_honest_message(trec_eval):
    answer = trec_eval("qrels.a", "run.1")
    assert answer.status == 4
    assert "judged topic '2' is missing from the run" in answer.err


def test_all_comments_are_skipped(trec_eval):
    judged = "# one\n# two\n1 0 a 1\n# three\n#four\n"
    run = "# one\n#two\n  # three\n1 Q0 a 1 1 t\n\n# last\n"
    answer = trec_eval("-mmap", "-mrunid", "q", "r", q=judged, r=run)
    assert answer.of("all") == {"runid": "t", "map": "1.0000"}


def test_version_9_knows_no_comments(trec_eval):
    files = {"q": "#1 0 a 1\n1 0 a 1\n", "r": "#1 Q0 a 1 1 t\n1 Q0 a 1 1 t\n"}
    assert trec_eval("--compat", "9", "-mnum_q", "q", "r", **files).of("all") == {"num_q": "2"}
    assert trec_eval("--compat", "10", "-mnum_q", "q", "r", **files).of("all") == {"num_q": "1"}


def test_rbp_does_not_depend_on_what_else_is_asked_for(trec_eval):
    words = ["-munj.3", "-mrbp.p=0.5", "-mrbp_resid.p=0.5", "-mdcg.2=3"]
    assert trec_eval("-q", *words, *A).values["rbp_p=0.5", "1"] == "0.2969"


def test_gains_of_one_measure_are_not_those_of_another(trec_eval):
    answer = trec_eval("-q", "-mdcg.2=3", "-mndcg", "-mideal_dcg", *A)
    assert answer.of("1") == {"dcg_2=3": "2.7103", "ideal_dcg": "3.5616", "ndcg": "0.5838"}


def test_a_level_above_all_grades_gives_zero(trec_eval):
    answer = trec_eval("-q", "-l9", "-mmap", "-mbpref", "-mnum_rel", *A)
    assert answer.of("1") == {"num_rel": "0", "map": "0.0000", "bpref": "0.0000"}


def test_a_topic_without_any_verdict_scores_zero(trec_eval):
    judged = "1 0 a -1\n1 0 b -1\n2 0 a 1\n"
    run = "1 Q0 a 1 1 t\n2 Q0 a 1 1 t\n"
    answer = trec_eval("-q", "-mmap", "-mbpref", "-mndcg", "-mG", "q", "r", q=judged, r=run)
    assert answer.of("1") == dict.fromkeys(("map", "bpref", "G", "ndcg"), "0.0000")
    assert answer.of("2") == dict.fromkeys(("map", "bpref", "G", "ndcg"), "1.0000")


def test_zscores_of_names_beyond_the_file_are_absent_not_a_crash(trec_eval):
    answer = trec_eval("-q", "-Zz", "-mmap", "-mutility", *A, z="1 map 0.5 0.1\n")
    assert answer.values["Zutility", "1"] == "-1000000.0000"
    assert answer.values["Zmap", "2"] == "-1000000.0000"


@pytest.mark.parametrize(
    "levels",
    [
        "1 g s a 2\n1 g s a 1\n1 g s b 0\n",  # two levels in one sub-group
        "1 g s a 2\n1 g s b 1\n1 g t b 2\n1 g t a 1\n",  # a over b and b over a
        "1 g s a 2\n1 g s b 0\n1 g t b 2\n1 g t c 1\n",  # relevant here, not there
    ],
)
def test_contradictory_preferences_are_refused(trec_eval, levels):
    answer = trec_eval("-Rprefs", "-mprefs", "q", "run.1", q=levels)
    assert (answer.status, answer.out) == (4, b"")


@pytest.mark.parametrize("content", ["# nothing\n", "\n\n", "# a\n# b\n\n"])
def test_a_run_of_comments_and_blank_lines_has_no_topic(trec_eval, content):
    assert trec_eval("-mmap", "qrels.a", "r", r=content).status == 7


def test_no_topic_in_common_is_never_a_score(trec_eval):
    answer = trec_eval("-c", "-mmap", "qrels.a", "r", r="9 Q0 a 1 1 t\n")
    assert (answer.status, answer.out) == (7, b"")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["-l", "abc"], "-l abc is read as 0"),
        (["-M", "5x"], "-M 5x is read as 5"),
        (["-N", "1e3"], "-N 1e3 is read as 1"),
    ],
)
def test_numbers_that_are_half_read_are_mentioned(trec_eval, words, said):
    answer = trec_eval(*words, "-mmap", *A)
    assert answer.status == 0
    assert answer.err == f"spanwise: warning: {said}\n"


def test_a_huge_grade_is_only_a_grade(trec_eval):
    files = {"q": "1 0 a 2000000000\n1 0 b 1\n", "r": "1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n"}
    answer = trec_eval("-q", "-mmap", "-mndcg", "-mG", "-mrbp", "-mbpref", "q", "r", **files)
    # rbp divides by the largest gain: 0.1 (1 + 0.9 / 2000000000)
    assert answer.of("1") == dict.fromkeys(("map", "bpref", "G", "ndcg"), "1.0000") | {
        "rbp": "0.1000"
    }


def test_a_byte_order_mark_is_dropped_with_a_word(trec_eval):
    answer = trec_eval("-mmap", "q", "r", q="\ufeff1 0 a 1\n", r="1 Q0 a 1 1 t\n")
    assert answer.of("all") == {"map": "1.0000"}
    assert answer.err.startswith("spanwise: warning: q: a byte order mark")


@pytest.mark.parametrize("file", ["q", "r"])
def test_a_nul_byte_is_refused(trec_eval, file):
    files = {"q": "1 0 a 1\n", "r": "1 Q0 a 1 1 t\n"}
    files[file] = files[file].replace("a", "a\0")
    assert trec_eval("-mmap", "q", "r", **files).status == 2


class Piped:
    """What standard input is when something is piped in."""

    def __init__(self, content: bytes) -> None:
        self.buffer = io.BufferedReader(io.BytesIO(content))


@pytest.mark.parametrize(
    ("version", "content", "status"),
    [
        ("10", b"1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n2 Q0 a 1 1 t\n", 0),
        ("10", b"", 2),
        ("9", b"1 Q0 a 1 1 t\n", 2),
    ],
)
def test_results_from_standard_input(trec_eval, monkeypatch, version, content, status):
    monkeypatch.setattr("sys.stdin", Piped(content))
    answer = trec_eval("--compat", version, "-mmap", "qrels.a", "-")
    assert answer.status == status
    assert answer.of("all") == ({"map": "0.6250"} if not status else {})  # 1/4 and 1


def test_a_name_that_begins_with_a_dash_is_a_file(trec_eval):
    answer = trec_eval("-mmap", "--", "q", "-r", q="1 0 a 1\n", **{"-r": "1 Q0 a 1 1 t\n"})
    assert answer.of("all") == {"map": "1.0000"}
