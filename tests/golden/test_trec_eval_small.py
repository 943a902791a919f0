"""Two topics that fit on paper: what trec_eval 10.0 and 9.0.8 print for them.

The derivations of the values stand with the measures, in tests/measure.
"""

import pytest

A = ("qrels.a", "run.a")
EVERYTHING = ["-m", "all_trec", "-m", "yaap", "-m", "dcg", "-m", "ideal_dcg"]

PRINTED = """
num_ret                 7       2       9
num_rel                 4       1       5
num_rel_ret             3       1       4
map                     0.4000  0.5000  0.4500
Rprec                   0.5000  0.0000  0.2500
bpref                   0.5000  0.0000  0.2500
recip_rank              0.5000  0.5000  0.5000
iprec_at_recall_0.00    0.6000  0.5000  0.5500
iprec_at_recall_0.10    0.6000  0.5000  0.5500
iprec_at_recall_0.50    0.6000  0.5000  0.5500
iprec_at_recall_0.70    0.6000  0.5000  0.5500
iprec_at_recall_0.80    0.6000  0.5000  0.5500
iprec_at_recall_0.90    0.0000  0.5000  0.2500
iprec_at_recall_1.00    0.0000  0.5000  0.2500
P_5                     0.6000  0.2000  0.4000
P_10                    0.3000  0.1000  0.2000
P_1000                  0.0030  0.0010  0.0020
recall_5                0.7500  1.0000  0.8750
infAP                   0.4000  0.5000  0.4500
Rprec_mult_0.20         0.0000  0.0000  0.0000
Rprec_mult_0.40         0.5000  0.0000  0.2500
Rprec_mult_0.60         0.3333  0.0000  0.1667
Rprec_mult_0.80         0.5000  0.0000  0.2500
Rprec_mult_1.00         0.5000  0.0000  0.2500
Rprec_mult_1.20         0.6000  0.5000  0.5500
Rprec_mult_1.40         0.5000  0.5000  0.5000
Rprec_mult_1.60         0.4286  0.5000  0.4643
Rprec_mult_1.80         0.3750  0.5000  0.4375
Rprec_mult_2.00         0.3750  0.5000  0.4375
utility                 -1.0000 0.0000  -0.5000
11pt_avg                0.4909  0.5000  0.4955
binG                    0.4077  0.6309  0.5193
G                       0.4524  0.6309  0.5417
dcg                     2.0794  0.6309  1.3552
ideal_dcg               3.5616  1.0000  2.2808
ndcg                    0.5838  0.6309  0.6074
ndcg_rel                0.5306  0.6309  0.5808
Rndcg                   0.3530  0.0000  0.1765
ndcg_cut_5              0.5838  0.6309  0.6074
map_cut_5               0.4000  0.5000  0.4500
relative_P_5            0.7500  1.0000  0.8750
success_1               0.0000  0.0000  0.0000
success_5               1.0000  1.0000  1.0000
success_10              1.0000  1.0000  1.0000
set_P                   0.4286  0.5000  0.4643
set_relative_P          0.7500  1.0000  0.8750
set_recall              0.7500  1.0000  0.8750
set_map                 0.3214  0.5000  0.4107
set_F                   0.5455  0.6667  0.6061
num_nonrel_judged_ret   2       1       3
yaap                    -0.2683 0.0000  -0.1341
rbp                     0.1593  0.0900  0.1246
rbp_resid               0.6183  0.0000  0.3092
unj_5                   0.2000  0.0000  0.1000
unj_10                  0.2000  0.0000  0.1000
unj_20                  0.1000  0.0000  0.0500
"""
LINES = [line.split() for line in PRINTED.strip().splitlines()]
NEW_IN_10 = ("dcg", "ideal_dcg", "rbp", "rbp_resid", "unj_5", "unj_10", "unj_20")
OTHER_IN_9 = {
    "iprec_at_recall_0.80": ["0.0000", "0.5000", "0.2500"],
    "11pt_avg": ["0.4364", "0.5000", "0.4682"],
}


def test_every_value_of_version_10(trec_eval):
    answer = trec_eval("-q", *EVERYTHING, *A)
    assert (answer.status, answer.err) == (0, "")
    for name, *printed in LINES:
        assert [answer.values[name, topic] for topic in ("1", "2", "all")] == printed, name


def test_every_value_of_version_9(trec_eval):
    answer = trec_eval("--compat", "9", "-q", "-m", "all_trec", "-m", "yaap", *A)
    assert (answer.status, answer.err) == (0, "")
    for name, *printed in LINES:
        if name not in NEW_IN_10:
            found = [answer.values[name, topic] for topic in ("1", "2", "all")]
            assert found == OTHER_IN_9.get(name, printed), name
    assert not set(NEW_IN_10) & {name for name, _ in answer.values}


def test_what_only_the_summary_or_only_topics_have(trec_eval):
    answer = trec_eval("-q", *EVERYTHING, *A)
    summary, topic = answer.of("all"), answer.of("1")
    assert summary.keys() - topic.keys() == {"runid", "num_q", "gm_map", "gm_bpref"}
    assert topic.keys() - summary.keys() == {"relstring"}
    assert summary["runid"] == "tag"
    assert summary["num_q"] == "2"
    assert summary["gm_map"] == "0.4472"  # sqrt(0.4 0.5)
    assert summary["gm_bpref"] == "0.0022"  # sqrt(0.5 0.00001)
    assert [answer.of(t)["relstring"] for t in ("1", "2")] == ["'02-11.0'", "'01'"]


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("10", ["num_q", "map", "P_5", "P_10", "recall_5", "ndcg", "ndcg_cut_5", "unj_5"]),
        ("9", ["num_q", "map", "P_5", "P_10", "recall_5", "ndcg", "ndcg_cut_5"]),
    ],
)
def test_lines_come_in_the_order_of_trec_eval_not_in_that_of_the_options(
    trec_eval, version, expected
):
    words = [f"-m{name}" for name in ("ndcg_cut.5", "recall.5", "P.10,5", "ndcg", "map", "num_q")]
    newer = ["-munj.5"] if version == "10" else []
    answer = trec_eval("--compat", version, *newer, *words, *A)
    assert list(answer.of("all")) == expected


def test_the_exact_form_of_lines(trec_eval):
    answer = trec_eval("-q", "-m", "map", "-m", "relstring", "-m", "iprec_at_recall.0", *A)
    assert answer.out == (
        b"map                   \t1\t0.4000\n"
        b"iprec_at_recall_0.00  \t1\t0.6000\n"
        b"relstring             \t1\t'02-11.0'\n"
        b"map                   \t2\t0.5000\n"
        b"iprec_at_recall_0.00  \t2\t0.5000\n"
        b"relstring             \t2\t'01'\n"
        b"map                   \tall\t0.4500\n"
        b"iprec_at_recall_0.00  \tall\t0.5500\n"
    )


def test_without_a_measure_the_official_ones_are_printed(trec_eval):
    official = trec_eval("-m", "official", *A)
    assert trec_eval(*A).out == official.out
    assert len(official.out.splitlines()) == 10 + 11 + 9  # iprec_at_recall 11, P 9 lines


@pytest.mark.parametrize(
    ("asked", "name", "printed"),
    [
        ("P.1,3", "P_1", "0.0000"),
        ("P.1,3", "P_3", "0.3333"),
        ("P.3.9", "P_3", "0.3333"),  # a whole number is read, the rest ignored
        ("P. 3", "P_3", "0.3333"),
        ("recall.3", "recall_3", "0.2500"),
        ("ndcg_cut.3", "ndcg_cut_3", "0.4030"),
        ("ndcg.1=2,2=5", "ndcg_1=2,2=5", "0.5896"),
        ("ndcg_rel.2=3", "ndcg_rel_2=3", "0.5547"),
        ("Rndcg.2=3", "Rndcg_2=3", "0.3678"),
        ("G.1=1,2=3", "G_1=1,2=3", "0.4821"),
        ("iprec_at_recall.0.33", "iprec_at_recall_0.33", "0.6000"),
        ("iprec_at_recall..333333", "iprec_at_recall_0.33", "0.6000"),
        ("11pt_avg.0.25,.5,.75", "11pt_avg_0.25,.5,.75", "0.6000"),
        ("success.2", "success_2", "1.0000"),
        ("Rprec_mult.0.5,1.5", "Rprec_mult_0.50", "0.5000"),
        ("Rprec_mult.0.5,1.5", "Rprec_mult_1.50", "0.5000"),
        ("set_F.0.5", "set_F_0.5", "0.5000"),
        ("set_F.0.5,7", "set_F_0.5,7", "0.5000"),  # further values are ignored
        ("utility.1,-0.5,0,0", "utility_1,-0.5,0,0", "1.0000"),
        ("relstring.4", "relstring_4", "'02-1'"),
        ("relstring.4.9", "relstring_4.9", "'02-1'"),
        ("map_cut.4", "map_cut_4", "0.2500"),
        ("relative_P.3", "relative_P_3", "0.3333"),
        ("unj.3", "unj_3", "0.3333"),
        ("rbp.p=0.5", "rbp_p=0.5", "0.2969"),
        ("rbp_resid.p=0.5", "rbp_resid_p=0.5", "0.1484"),
        ("dcg.2=3", "dcg_2=3", "2.7103"),
        ("map.5", "map", "0.4000"),  # parameters of a measure without any are ignored
        ("official.5", "P_10", "0.3000"),
    ],
)
def test_parameters(trec_eval, asked, name, printed):
    answer = trec_eval("-q", "-m", asked, *A)
    assert (answer.status, answer.err) == (0, "")
    assert answer.values[name, "1"] == printed


def test_a_utility_may_count_the_rest_of_the_collection(trec_eval):
    # topic 1: 100 + 3 - 7 - 4 = 92 documents neither retrieved nor relevant
    answer = trec_eval("-q", "-N", "100", "-m", "utility.0,0,0,1", *A)
    assert answer.values["utility_0,0,0,1", "1"] == "92.0000"


MISSING = [f"-m{n}" for n in ("num_ret", "num_rel", "map", "bpref", "relstring")]


def test_a_missing_topic_counts_with_c(trec_eval):
    answer = trec_eval("-c", "-q", *MISSING, "-mutility.1,-1,0,0", "qrels.a", "run.1")
    wanted = {"num_ret": "0", "num_rel": "1", "map": "0.0000", "bpref": "0.0000"}
    assert answer.of("2") == wanted | {"relstring": "''", "utility_1,-1,0,0": "-1.0000"}
    counted = {"num_ret": "7", "num_rel": "5", "map": "0.2000", "bpref": "0.2500"}
    assert answer.of("all") == counted | {"utility_1,-1,0,0": "-1.0000"}


def test_a_missing_topic_is_set_to_zero_under_plain_names(trec_eval):
    words = ["-mutility", "-mrbp_resid", "-munj.3", "qrels.a", "run.1"]
    answer = trec_eval("-c", "-q", *words)
    assert answer.of("2") == {"utility": "0.0000", "rbp_resid": "0.0000", "unj_3": "0.0000"}


def test_a_missing_topic_keeps_its_value_under_names_with_parameters(trec_eval):
    words = ["-mrelstring.4", "-mrbp_resid.p=0.5", "-myaap", "-mideal_dcg", "qrels.a", "run.1"]
    assert trec_eval("-c", "-q", *words).of("2") == {  # as one result outside the pool
        "relstring_4": "'-'",
        "ideal_dcg": "1.0000",
        "yaap": "-0.6931",  # -ln(1 + 1)
        "rbp_resid_p=0.5": "1.0000",
    }


def test_version_9_counts_a_missing_topic_without_listing_it(trec_eval):
    words = ["--compat", "9", "-q", *MISSING, "qrels.a", "run.1"]
    answer = trec_eval("-c", *words)
    assert answer.of("2") == {}
    counted = {"num_ret": "7", "num_rel": "5", "map": "0.2000", "bpref": "0.2500"}
    assert answer.of("all") == counted
    without_c = trec_eval(*words)
    assert without_c.of("all")["map"] == "0.4000"
    assert without_c.of("all")["num_rel"] == "4"


def test_num_rel_of_all_topics_ignores_the_level(trec_eval):
    assert trec_eval("-l2", "-c", "-mnum_rel", "qrels.a", "run.1").of("all") == {"num_rel": "5"}
    assert trec_eval("-l2", "-mnum_rel", *A).of("all") == {"num_rel": "1"}


def test_a_geometric_mean_counts_missing_topics_at_the_floor(trec_eval):
    for version in ("9", "10"):
        answer = trec_eval("--compat", version, "-c", "-mgm_map", "-mnum_q", "qrels.a", "run.1")
        # sqrt(0.4 0.00001) = 0.002
        assert answer.of("all") == {"num_q": "2", "gm_map": "0.0020"}, version


ZSCORES = "1 map 0.5 0.1\n1 P_5 0.4 0.2\n2 map 0.5 0\n2 P_5 0.2 0\nzz zz 0 1\n"


@pytest.mark.parametrize("version", ["9", "10"])
def test_zscores(trec_eval, version):
    measures = [f"-m{name}" for name in ("num_q", "num_ret", "map", "P.5", "relstring", "runid")]
    answer = trec_eval("--compat", version, "-q", "-Z", "z", *measures, *A, z=ZSCORES)
    assert answer.out.decode().splitlines() == [
        "Znum_ret               \t1\t-1000000.0000",
        "Zmap                   \t1\t-1.0000",
        "ZP_5                   \t1\t1.0000",
        "relstring             \t1\t'02-11.0'",
        "Znum_ret               \t2\t-1000000.0000",
        "Zmap                   \t2\t0.0000",
        "ZP_5                   \t2\t0.0000",
        "relstring             \t2\t'01'",
        "runid                 \tall\ttag",
        "Znum_q                 \tall\t2.0000",
        "Znum_ret               \tall\t-2000000.0000",
        "Zmap                   \tall\t-0.5000",
        "ZP_5                   \tall\t0.5000",
    ]


def test_the_count_of_relevant_documents_in_the_file_is_no_zscore(trec_eval):
    answer = trec_eval("-c", "-Zz", "-mnum_rel", *A, z=ZSCORES)
    assert answer.of("all") == {"Znum_rel": "5.0000"}  # without -c: of two topics not in the file
    assert trec_eval("-Zz", "-mnum_rel", *A).of("all") == {"Znum_rel": "-2000000.0000"}


@pytest.mark.parametrize(
    ("p", "rbp", "residual"),
    [  # topic 1 is 0 2 - 1 1 . 0 with gains 0 1 - 1/2 1/2 . 0; the weights p^(i-1) are as they are
        ("1", "0.0000", "1.0000"),
        ("2", "-14.0000", "92.0000"),  # -(2 + 8/2 + 16/2); 2^7 - (4 + 32)
    ],
)
def test_any_persistence_will_do(trec_eval, p, rbp, residual):
    answer = trec_eval("-q", f"-mrbp.p={p}", f"-mrbp_resid.p={p}", *A)
    assert answer.of("1") == {f"rbp_p={p}": rbp, f"rbp_resid_p={p}": residual}


def test_a_zscore_without_deviation_is_zero_or_absent(trec_eval):
    statistics = "1 map 0.3 0\n2 map 0.5 0\n"
    answer = trec_eval("-q", "-Zz", "-mmap", *A, z=statistics)
    assert answer.values["Zmap", "1"] == "-1000000.0000"  # 0.4 is not the mean
    assert answer.values["Zmap", "2"] == "0.0000"


@pytest.mark.parametrize(("version", "undefined"), [("10", 5), ("9", 1)])
def test_an_empty_ranking_has_no_best_precision(trec_eval, version, undefined):
    judged, run = "1 0 a 1\n1 0 b 0\n", "1 Q0 z 1 1 t\n"
    answer = trec_eval(
        *("--compat", version, "-J", "-miprec_at_recall", "-m11pt_avg", "-mmap", "q", "r"),
        q=judged,
        r=run,
    )
    levels = [value for name, value in answer.of("all").items() if name.startswith("iprec")]
    assert levels == ["  -nan"] * undefined + ["0.0000"] * (11 - undefined)
    assert answer.of("all")["11pt_avg"] == "  -nan"
    assert answer.of("all")["map"] == "0.0000"


@pytest.mark.parametrize(("version", "printed"), [("10", "1.0000"), ("9", "0.5000")])
def test_scores_have_64_bits_in_10_and_32_in_9(trec_eval, version, printed):
    files = {"q": "1 0 a 1\n1 0 b 0\n", "r": "1 Q0 a 1 1.00000001 t\n1 Q0 b 2 1.0 t\n"}
    assert trec_eval("--compat", version, "-mmap", "q", "r", **files).of("all")["map"] == printed


ASSESSORS = "1 ann a 1\n1 ann b 0\n1 ann c 1\n1 bob a 0\n1 bob b 1\n"


def test_several_assessors_are_averaged(trec_eval):
    words = ["-R", "qrels_jg", "-m", "map_avgjg", "-m", "P_avgjg.1,5", "-m"]
    answer = trec_eval(*words, "Rprec_mult_avgjg.0.5,1", "q", "run.1", q=ASSESSORS)
    assert answer.of("all") == {
        "map_avgjg": "0.7500",  # ann (1/2 + 2/4)/2, bob 1
        "P_avgjg_1": "0.5000",
        "P_avgjg_5": "0.3000",
        "Rprec_mult_avgjg_0.50": "0.5000",
        "Rprec_mult_avgjg_1.00": "0.7500",
    }


PREFERENCES = """\
p j1 s a 2
p j1 s b 1
p j1 s c 0
p j1 s d 0
p j2 s1 b 2
p j2 s1 a 1
p j2 s2 a 5
p j2 s2 e 1
"""
RETRIEVED = "p Q0 c 1 4 tag\np Q0 a 2 3 tag\np Q0 e 3 2 tag\np Q0 b 4 2 tag\np Q0 z 5 1 tag\n"


@pytest.mark.parametrize("version", ["9", "10"])
def test_preferences(trec_eval, version):
    words = ["--compat", version, "-q", "-R", "prefs", "-m", "all_prefs", "q", "r"]
    answer = trec_eval(*words, q=PREFERENCES, r=RETRIEVED)
    assert answer.of("p") == {
        "prefs_num_prefs_poss": "8",
        "prefs_num_prefs_ful": "5",
        "prefs_num_prefs_ful_ret": "3",
        "prefs_simp": "0.6250",
        "prefs_pair": "0.6429",
        "prefs_avgjg": "0.6333",
        "prefs_avgjg_Rnonrel": "0.7583",
        "prefs_simp_ret": "0.5000",
        "prefs_pair_ret": "0.5000",
        "prefs_avgjg_ret": "0.5000",
        "prefs_avgjg_Rnonrel_ret": "0.7583",
        "prefs_simp_imp": "0.6250",
        "prefs_pair_imp": "0.6429",
        "prefs_avgjg_imp": "0.6333",
    }
    assert b"\nprefs_avgjg_Rnonrel_ret\tp\t0.7583\n" in answer.out  # a long name is not cut


def test_judgements_as_preferences(trec_eval):
    answer = trec_eval("-q", "-R", "qrels_prefs", "-m", "prefs", *A)
    counts = ("prefs_num_prefs_poss", "prefs_num_prefs_ful", "prefs_num_prefs_ful_ret")
    shares = ("prefs_simp", "prefs_pair", "prefs_avgjg")
    assert [answer.of("1")[name] for name in counts] == ["22", "12", "8"]
    assert [answer.of("1")[name] for name in shares] == ["0.5455"] * 3
    # the tie puts a first here: in preferences the lesser id comes first
    assert [answer.of("2")[name] for name in shares] == ["1.0000"] * 3
