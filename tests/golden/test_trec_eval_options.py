"""The options of trec_eval in all their spellings, its exit statuses, and what comes first."""

import pytest

from spanwise.evaluation.profiles import TREC_EVAL

A = ("qrels.a", "run.a")


def same_output(trec_eval, one, other):
    first, second = trec_eval(*one), trec_eval(*other)
    assert (first.status, first.out) == (second.status, second.out) == (0, second.out)
    assert first.out


@pytest.mark.parametrize(
    "words",
    [
        ["-q", "-c", "-l", "2", "-m", "map"],
        ["-qc", "-l2", "-mmap"],
        ["-qcl2", "-mmap"],
        ["-qcl", "2", "-mmap"],
        ["-mmap", "-l", "5", "-l2", "-c", "-q", "-q"],  # of a repeated value the last counts
        ["--query_eval_wanted", "--complete_rel_info_wanted", "--level_for_rel=2", "--measure=map"],
        ["--query", "--complete", "--level", "2", "--measure", "map"],
        ["--q", "--c", "--l", "2", "--me", "map"],
        ["-q", "-c", "-l", " 2x", "-m", "map"],  # read as C reads it
        ["-q", "-c", "-l2", "-m", "map", "-o"],
        ["-q", "-c", "-l2", "-m", "map", "--Output_old_results_format", "x"],
        ["-q", "-c", "-l2", "-m", "map", "-T", "trec_results", "-R", "qrels", "-N5", "-D3"],
    ],
    ids=" ".join,
)
def test_one_question_in_many_spellings(trec_eval, words):
    same_output(trec_eval, [*words, *A], ["-q", "-c", "-l", "2", "-m", "map", *A])


def test_options_may_follow_the_files(trec_eval):
    plain = ["-q", "-m", "map", *A]
    same_output(trec_eval, ["qrels.a", "-q", "run.a", "-m", "map"], plain)
    same_output(trec_eval, [*A, "-qm", "map"], plain)


def test_two_dashes_end_the_options(trec_eval):
    judged, run = "1 0 a 1\n", "1 Q0 a 1 1 t\n"
    files = {"-q": judged, "-c": run}
    assert trec_eval("-m", "map", "--", "-q", "-c", **files).of("all") == {"map": "1.0000"}


@pytest.mark.parametrize("option", ["-M", "--Max_retrieved_per_topic=", "--Max"])
def test_only_the_first_results_are_looked_at(trec_eval, option):
    words = [f"{option}4"] if option != "--Max" else [option, "4"]
    answer = trec_eval(*words, "-q", "-mnum_ret", "-mmap", *A)
    # topic 1: hits at 2 and 4 of R = 4
    assert answer.of("1") == {"num_ret": "4", "map": "0.2500"}


def test_no_results_at_all_may_be_looked_at(trec_eval):
    answer = trec_eval("-M0", "-mnum_ret", "-mnum_rel", "-mmap", *A)
    assert answer.of("all") == {"num_ret": "0", "num_rel": "5", "map": "0.0000"}


def test_only_judged_documents(trec_eval):
    # topic 1: g and d go, 0 2 1 1 0 are left: (1/2 + 2/3 + 3/4)/4
    answer = trec_eval("-J", "-q", "-mnum_ret", "-mmap", "-mrelstring", *A)
    assert answer.of("1") == {"num_ret": "5", "map": "0.4792", "relstring": "'02110'"}


def test_the_cut_comes_before_the_unjudged_are_dropped(trec_eval):
    answer = trec_eval("-J", "-M4", "-q", "-mrelstring", *A)
    assert answer.of("1") == {"relstring": "'021'"}


def test_no_summary(trec_eval):
    answer = trec_eval("-n", "-q", "-mmap", "-mrunid", *A)
    assert list(answer.values) == [("map", "1"), ("map", "2")]
    assert trec_eval("-n", "-mmap", *A).out == b""


def test_one_topic_only(trec_eval):
    answer = trec_eval("-D", "0.2", "-q", "-mmap", "-mnum_q", *A)
    assert list(answer.values) == [("map", "2"), ("num_q", "all"), ("map", "all")]
    assert answer.of("all") == {"num_q": "1", "map": "0.5000"}


def test_one_topic_only_divides_by_all_with_c(trec_eval):
    answer = trec_eval("-D0.2", "-c", "-mmap", "-mnum_q", *A)
    assert answer.of("all") == {"num_q": "2", "map": "0.2500"}


def test_a_level_of_zero_makes_the_graded_zero_relevant(trec_eval):
    # topic 2: b 0, a 1: both relevant
    assert trec_eval("-l0", "-q", "-mmap", *A).of("2") == {"map": "1.0000"}


def test_the_level_does_not_touch_gains(trec_eval):
    untouched = [f"-m{n}" for n in ("ndcg", "ndcg_cut.5", "ndcg_rel", "dcg", "G", "rbp", "unj.5")]
    same_output(trec_eval, ["-q", "-l2", *untouched, *A], ["-q", *untouched, *A])


def test_two_numbers_that_are_printed_alike_keep_their_own_values(trec_eval):
    # R = 1: 0.099 asks for the first 0 documents, 0.101 for the first one
    files = {"one.qrels": "1 0 a 1\n", "one.run": "1 Q0 a 1 1 t\n"}
    answer = trec_eval("-q", "-mRprec_mult.0.101,0.099", *files, **files)
    values = [line.split(b"\t") for line in answer.out.splitlines()]
    assert values == [
        [b"Rprec_mult_0.10       ", topic, value]
        for topic in (b"1", b"all")
        for value in (b"0.0000", b"1.0000")
    ]


@pytest.mark.parametrize(
    ("asked", "printed"),
    [
        (["P.5", "P.7"], ["P_5"]),  # the first parameters win
        (["P", "P.3"], ["P_3"]),  # also over none
        (["P.3", "P"], ["P_3"]),
        (["P.3", "map", "P"], ["map", "P_3"]),
        (["map", "map"], ["map"]),
        (["success.3", "success"], ["success_3"]),
        (["P.7,3"], ["P_3", "P_7"]),  # sorted
    ],
)
def test_a_measure_asked_for_twice_is_printed_once(trec_eval, asked, printed):
    answer = trec_eval(*(f"-m{name}" for name in asked), *A)
    assert list(answer.of("all")) == printed


@pytest.mark.parametrize(
    ("version", "printed"),
    [
        ("10", "0.6309"),  # the pair is skipped
        ("9", "1.0000"),  # it speaks of grade 0: b gains 5, a 1, and so they stand
    ],
)
def test_a_gain_for_something_that_is_no_grade(trec_eval, version, printed):
    answer = trec_eval("--compat", version, "-q", "-m", "ndcg.p=5", *A)
    assert answer.values["ndcg_p=5", "2"] == printed


def test_parameters_win_over_a_nickname(trec_eval):
    answer = trec_eval("-m", "official", "-m", "P.3", *A)
    assert [name for name in answer.of("all") if name.startswith("P_")] == ["P_3"]


def test_parameters_that_are_ignored_are_mentioned(trec_eval):
    answer = trec_eval("-m", "P.5", "-m", "P.7", *A)
    assert answer.err.startswith("spanwise: warning: -m P.7: ")


@pytest.mark.parametrize(
    ("nickname", "count"),
    [("official", 12), ("set", 11), ("prefs", 8), ("all_prefs", 16), ("qrels_jg", 5)],
)
def test_nicknames_mark_their_members(trec_eval, nickname, count):
    text = trec_eval("-h", "-m", nickname).out.decode()
    assert sum(line in TREC_EVAL for line in text.splitlines()) == count


@pytest.mark.parametrize(("version", "count"), [("9", 34), ("10", 37)])
def test_all_trec_has_three_more_members_in_version_10(trec_eval, version, count):
    text = trec_eval("--compat", version, "-h", "-m", "all_trec").out.decode()
    assert sum(line in TREC_EVAL for line in text.splitlines()) == count


# -h and -v ----------------------------------------------------------------------------------


def test_help_goes_to_standard_output_in_sections(trec_eval):
    answer = trec_eval("-h")
    assert (answer.status, answer.err) == (0, "")
    sections = answer.out.decode().split("-" * 23 + "\n")
    assert len(sections) == 4
    assert "-q" in sections[0]
    assert "topic Q0 document rank score tag" in sections[1]
    assert "topic iteration document grade" in sections[2]
    assert "None was asked for" in sections[3]


def test_help_describes_the_measures_asked_for_in_their_order(trec_eval):
    lines = trec_eval("--help", "-m", "ndcg", "-m", "map").out.decode().splitlines()
    assert lines.index("map") < lines.index("ndcg")
    assert "    Reference: " in "\n".join(lines[lines.index("ndcg") :])


@pytest.mark.parametrize("name", TREC_EVAL)
def test_help_knows_every_measure(trec_eval, name):
    text = trec_eval("-h", "-m", name).out.decode()
    described = text.partition(f"\n{name}\n    ")[2]
    assert len(described.split()) > 5


def test_help_for_a_judgement_format(trec_eval):
    assert "topic group sub-group document level" in trec_eval("-h", "-Rprefs").out.decode()


def test_help_about_something_unknown_fails(trec_eval):
    answer = trec_eval("-h", "-m", "nonsense")
    assert (answer.status, answer.out) == (1, b"")


@pytest.mark.parametrize(
    "words", [["-v"], ["--version"], ["-qv", "-m", "nonsense"], ["-v", "--no"]]
)
def test_the_version_goes_to_standard_error_at_once(trec_eval, words):
    answer = trec_eval(*words)
    assert (answer.status, answer.out) == (0, b"")
    assert len(answer.err.splitlines()) == 1


@pytest.mark.parametrize("words", [["-m", "nonsense", "-v"], ["--nonsense", "-v"], ["-mP.", "-v"]])
def test_an_error_before_the_version_comes_first(trec_eval, words):
    assert trec_eval(*words).status == 1


@pytest.mark.parametrize("option", ["-R", "-T"])
def test_help_leaves_out_a_format_that_there_is_not(trec_eval, option):
    whole, shorter = trec_eval("-h").out.decode(), trec_eval("-h", option, "nonsense").out.decode()
    assert (whole.count("-" * 23), shorter.count("-" * 23)) == (3, 2)


# Exit statuses ------------------------------------------------------------------------------

GOOD = {"z": "1 map 0.5 0.1\n"}


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (1, ["--nonsense", *A]),
        (1, ["-x", *A]),
        (1, ["--Zscore"]),  # its value is missing
        (1, ["-m"]),
        (1, ["--Re", "qrels", *A]),  # Rel_info_format or Results_format?
        (1, ["qrels.a"]),
        (1, []),
        (1, [*A, "run.a"]),
        (1, ["-m", "nonsense", *A]),
        (1, ["-m", "all_qrels", *A]),
        (1, ["-m", "map.", *A]),
        (1, ["-m", "official.", *A]),
        (1, ["--compat", "9", "-m", "rbp", *A]),
        (1, ["--compat", "7", *A]),
        (1, ["-M", "-1", *A]),
        (2, ["-R", "nonsense", *A]),
        (2, ["-T", "nonsense", *A]),
        (2, ["absent", "run.a"]),
        (2, ["qrels.a", "absent"]),
        (2, ["empty", "run.a"]),
        (2, ["qrels.a", "empty"]),
        (2, ["bad", "run.a"]),
        (2, ["qrels.a", "bad"]),
        (2, ["-R", "prefs", *A]),  # 4 columns, not 5
        (2, ["-m", "P.0", *A]),
        (2, ["-m", "P.5,-1", *A]),
        (2, ["-m", "P.abc", *A]),  # which is 0
        (2, ["-m", "P.5,5", *A]),
        (2, ["-m", "iprec_at_recall.0.5,.5", *A]),
        (2, ["-m", "ndcg.1", *A]),
        (2, ["-m", "ndcg.1=2=3", *A]),
        (2, ["-m", "rbp.0.5", *A]),
        (2, ["-R", "qrels_jg", "-mmap_avgjg", "twice", "run.a"]),
        (4, ["-mmap", "qrels.a", "twice.run"]),
        (4, ["-mmap", "twice", "run.1"]),
        (4, ["-m", "utility.1,2", *A]),
        (4, ["-m", "map_avgjg", *A]),
        (4, ["-m", "prefs_simp", *A]),
        (4, ["-R", "qrels_jg", *A]),  # the official measures need qrels
        (4, ["-R", "qrels_prefs", "-m", "map", *A]),
        (4, ["qrels.a", "run.1"]),
        (4, ["qrels.a", "other.run"]),
        (4, ["-R", "prefs", "-m", "prefs", "contradiction", "run.1"]),
        (7, ["--compat", "9", "qrels.a", "other.run"]),
        (7, ["--compat", "9", "-c", "qrels.a", "other.run"]),
        (7, ["-D", "0.nobody", *A]),
        (255, ["-Z", "absent", *A]),
        (255, ["-Z", "bad", *A]),
        (0, ["-Z", "z", *A]),
        (0, ["--compat", "9", "qrels.a", "run.1"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_exit_status(trec_eval, status, words):
    answer = trec_eval(
        *words,
        **GOOD,
        **{
            "empty": "",
            "bad": "1 0\n",
            "twice": "1 0 a 1\n1 0 a 1\n1 0 b 0\n",
            "twice.run": "1 Q0 a 1 2 t\n1 Q0 a 2 1 t\n2 Q0 a 1 1 t\n",
            "other.run": "9 Q0 a 1 1 t\n",
            "contradiction": "1 g s a 2\n1 g s a 1\n1 g s b 0\n",
        },
    )
    assert answer.status == status
    assert len(answer.err.splitlines()) == (1 if status else 0)
    assert answer.out == b"" or status == 0
