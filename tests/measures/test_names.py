"""Names of measures: every spelling reaches one entry of the table, every mistake is explained."""

import pytest

from builders import value
from spanwise.errors import UnknownName, UsageError
from spanwise.evaluation.profiles import NICKNAMES, TREC_EVAL, measure_names
from spanwise.measures import MEASURES
from spanwise.measures.names import by_stem, listed, parse, plain_names
from spanwise.model.measure import REQUIRED


def meaning(name):
    """The entry of the table and all parameters, defaults included."""
    asked = parse(name)
    return asked.measure, dict(asked.measure.parameters) | dict(asked.parameters)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("AP", "map"),
        ("AP", "map_avgjg"),
        ("AP@10", "map_cut_10"),
        ("GMAP", "gm_map"),
        ("Rprec", "R-prec"),
        ("RprecMult(multiple=0.2)", "Rprec_mult_0.20"),
        ("RprecMult(multiple=1.2)", "Rprec_mult_avgjg_1.20"),
        ("RR", "recip_rank"),
        ("P@5", "P_5"),
        ("P@1000", "P_1000"),
        ("P@5", "P_avgjg_5"),
        ("R@5", "recall_5"),
        ("Success@10", "success_10"),
        ("RelativeP@30", "relative_P_30"),
        ("IPrec@0.1", "iprec_at_recall_0.10"),
        ("IPrecAvg", "11pt_avg"),
        ("IPrecAvg(recalls=[0.25,0.5])", "11pt_avg_0.25,.5"),
        ("YAAP", "yaap"),
        ("nDCG", "ndcg"),
        ("nDCG@10", "ndcg_cut_10"),
        ("nDCG(gains={1:2,2:5})", "ndcg_1=2,2=5"),
        ("nDCGrel", "ndcg_rel"),
        ("nDCGrel(gains={2:3})", "ndcg_rel_2=3"),
        ("Rndcg(gains={2:3})", "Rndcg_2=3"),
        ("G(gains={1:1,2:3})", "G_1=1,2=3"),
        ("DCG", "dcg"),
        ("DCG(gains={2:3})", "dcg_2=3"),
        ("IDCG", "ideal_dcg"),
        ("Bpref", "bpref"),
        ("GMBpref", "gm_bpref"),
        ("Unjudged@10", "unj_10"),
        ("NumRet", "num_ret"),
        ("NumRel", "num_rel"),
        ("NumRelRet", "num_rel_ret"),
        ("NumNonrelJudgedRet", "num_nonrel_judged_ret"),
        ("NumQ", "num_q"),
        ("RelString(length=4)", "relstring_4"),
        ("SetP", "set_P"),
        ("SetR", "set_recall"),
        ("SetRelativeP", "set_relative_P"),
        ("SetAP", "set_map"),
        ("SetF(beta=0.5)", "set_F_0.5"),
        ("Utility(weights=[1,-0.5,0,0])", "utility_1,-0.5,0,0"),
        ("rbp(p=0.5)", "rbp_p=0.5"),
        ("rbp(gains={1:1,2:3})", "rbp_1=1,2=3"),
        ("rbp_resid(p=0.5)", "rbp_resid_p=0.5"),
        ("PrefSimple(pairs=ret)", "prefs_simp_ret"),
        ("PrefAvgBalanced", "prefs_avgjg_Rnonrel"),
        # the long and other names of ir_measures
        ("AP", "MAP"),
        ("RR@10", "MRR@10"),
        ("P(rel=2)@5", "Precision(rel=2)@5"),
        ("R@100", "Recall@100"),
        ("Rprec", "RPrec"),
        ("Bpref", "BPref"),
        ("nDCG@10", "NDCG@10"),
        ("SetRelativeP", "SetRelP"),
        # names of other tools, and any case
        ("RR", "mrr"),
        ("RR@10", "mrr@10"),
        ("R@10", "recall@10"),
        ("P@5", "precision@5"),
        ("Success@5", "hit_rate@5"),
        ("Success@5", "hits@5"),
        ("AP@10", "map@10"),
        ("nDCG@10", "ndcg@10"),
        ("nDCG@10", "NDCG_CUT_10"),
        ("P@5", "p_5"),
        ("MAiP", "maip"),
        ("iP[0.1]", "IP[0.1]"),
        ("SetF(beta=0.5)", "SET_f_0.5"),
    ],
)
def test_both_spellings_name_one_entry(ours, theirs):
    assert meaning(ours) == meaning(theirs)
    assert parse(theirs).label == theirs


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("AP", {}),
        ("AP(rel=2)@10", {"rel": 2, "cutoff": 10}),
        ("nDCG(dcg='exp-log2')@10", {"dcg": "exp-log2", "cutoff": 10}),
        ('nDCG(dcg="exp-log2")@10', {"dcg": "exp-log2", "cutoff": 10}),
        ("nDCG(dcg=exp-log2)@10", {"dcg": "exp-log2", "cutoff": 10}),
        ("nDCG(gains={0: 0, 1: 1, 2: 3})", {"gains": ((0, 0), (1, 1), (2, 3))}),
        ("nDCG(gains={-1:2})@5", {"gains": ((-1, 2),), "cutoff": 5}),
        ("P(rel=2)@5", {"rel": 2, "cutoff": 5}),
        ("P(cutoff=5)", {"cutoff": 5}),
        ("P(cutoff=5)@10", {"cutoff": 10}),  # as in ir_measures the number after @ wins
        ("RR@10", {"cutoff": 10}),
        ("ERR@20", {"cutoff": 20}),
        ("nERR@20", {"cutoff": 20}),
        ("RBP(p=0.95,rel=2)", {"p": 0.95, "rel": 2}),
        ("Judged@10", {"cutoff": 10}),
        ("Success(rel=2)@3", {"rel": 2, "cutoff": 3}),
        ("SetF(beta=0.5)", {"beta": 0.5}),
        ("SetP(relative=True)", {"relative": True}),
        ("infAP(rel=2)", {"rel": 2}),
        ("IPrec@0.1", {"recall": 0.1}),
        ("IPrec[0.1]", {"recall": 0.1}),
        ("IPrec(rel=2)[.1]", {"rel": 2, "recall": 0.1}),
        ("NumRet(rel=1)", {"rel": 1}),
        ("INST(T=2.0,min_rel=1,max_rel=3)", {"T": 2, "min_rel": 1, "max_rel": 3}),
        ("INSQ(max_rel=3)", {"max_rel": 3}),
        ("BPM(T=1.0,max_rel=3)@10", {"T": 1, "max_rel": 3, "cutoff": 10}),
        ("SDCG(max_rel=4)@3", {"max_rel": 4, "cutoff": 3}),
        ("Accuracy@3", {"cutoff": 3}),
        ("Compat(p=0.8,normalize=False)", {"p": 0.8, "normalize": False}),
        ("IPrecAvg(recalls=[0.2,0.5,0.8])", {"recalls": (0.2, 0.5, 0.8)}),
    ],
)
def test_parameters_are_those_of_the_function(name, parameters):
    asked = parse(name)
    assert asked.parameters == parameters
    assert asked.label == name


@pytest.mark.parametrize(
    "name", [" nDCG@10", "nDCG @ 10", "nDCG\t@10 ", "n DCG@1 0", " ndcg_cut_10 "]
)
def test_spaces_do_not_matter(name):
    assert meaning(name) == meaning("nDCG@10")


def test_spaces_inside_parameters_do_not_matter():
    one, other = "nDCG( gains = {1 : 1, 2 : 3} )", "nDCG(gains={1:1,2:3})"
    assert meaning(one) == meaning(other)


def test_a_gain_table_may_look_like_trec_evals():
    assert meaning("nDCG(gains={1=1,2=3})") == meaning("ndcg_1=1,2=3")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("ndgc@10", "nDCG"),
        ("nDCGG@10", "nDCG"),
        ("PP@5", "P"),
        ("APP", "AP"),
        ("recip_rnk", "recip_rank"),
    ],
)
def test_an_unknown_name_gets_a_hint(name, hint):
    with pytest.raises(UnknownName) as caught:
        parse(name)
    message = str(caught.value)
    assert message.startswith(f"unknown measure {name.partition('@')[0]!r}; did you mean ")
    assert hint in message.partition("did you mean ")[2].partition("?")[0].split(", ")


def test_a_name_unlike_any_other_is_unknown_without_a_hint():
    with pytest.raises(UnknownName, match=r"^unknown measure 'zzzzzz'; see: spanwise measures$"):
        parse("zzzzzz")


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("P", "needs its cutoff, such as P@10"),
        ("R(rel=2)", "needs its cutoff"),
        ("Judged(rel=2)@5", "has the parameters cutoff"),
        ("IPrec", "needs its recall, such as IPrec[0.1]"),
        ("INST", "needs its max_rel, such as INST(max_rel=...)"),
        ("INST(T=2)", "needs its max_rel, such as INST(T=2,max_rel=...)"),
        ("SDCG@5", "needs its max_rel, such as SDCG(max_rel=...)@5"),
        ("BPM(max_rel=3)", "needs its cutoff"),
        ("P@0", "the cut-off is 0; it must be 1 or more"),
        ("AP@-3", "the cut-off is -3; it must be 1 or more"),
        ("ndcg_cut_0", "the cut-off is 0; it must be 1 or more"),
        ("P(cutoff=0)", "the cut-off is 0; it must be 1 or more"),
        ("P@1234567890123", "expected a whole number of at most 12 digits"),
        ("P@5.5", "cutoff is '5.5'; expected a whole number"),
        ("P@ten", "cutoff is 'ten'; expected a whole number"),
        ("AP(rel=high)", "rel is 'high'; expected a number"),
        ("AP(rel=)", "rel is ''; expected a number"),
        ("AP(rel=nan)", "rel is 'nan'; expected a number"),
        ("BEPD(A=1e400)", "A is '1e400'; expected a smaller number"),
        ("AP(foo=1)", "'foo=1': AP has the parameters rel, cutoff"),
        ("AP(2)", "'2': AP has the parameters rel, cutoff"),
        ("NumQ(rel=1)", "has the parameters none at all"),
        ("nDCG(dcg='log10')", "expected one of log2, exp-log2"),
        ("nDCG(gains={1})", "expected grades and gains"),
        ("nDCG(gains={1:x})", "expected a number"),
        ("Compat(normalize=yes)", "expected True or False"),
        ("SetP@10", "SetP takes no cut-off"),
        ("P@5(rel=2)", "is not well formed"),
        ("P@", "is not well formed"),
        ("P(rel=2", "is not well formed"),
        ("P(rel=2,)@5", "are not well formed"),
        ("P(,rel=2)@5", "are not well formed"),
        ("nDCG(gains={1:2)@5", "are not well formed"),
        ("AP[0.1", "is not well formed"),
        ("", "is not well formed"),
    ],
)
def test_a_mistake_in_a_name_is_explained(name, complaint):
    with pytest.raises(UsageError) as caught:
        parse(name)
    assert complaint in str(caught.value)
    assert repr(name) in str(caught.value)


def test_a_parameter_given_twice_is_a_mistake():
    with pytest.raises(UsageError, match="rel is given twice"):
        parse("P(rel=2,rel=3)@5")


@pytest.mark.parametrize("name", TREC_EVAL)
def test_every_name_of_trec_eval_is_known(name):
    for spelled in measure_names([name]):
        assert parse(spelled).label == spelled
    if name != "runid":
        assert by_stem(name)[0] in MEASURES.values()


def test_trec_eval_has_57_measures():
    assert len(TREC_EVAL) == 57


@pytest.mark.parametrize("nickname", NICKNAMES)
def test_nicknames_stand_for_known_measures(nickname):
    assert set(NICKNAMES[nickname]) <= set(TREC_EVAL)
    assert all(parse(name).measure for name in measure_names([nickname]))


def test_families_of_trec_eval_are_spelled_out_once():
    assert measure_names(["success", "P.5,10", "success_5"]) == [
        *("success_1", "success_5", "success_10"),
        *("P_5", "P_10"),
    ]


def test_the_numbers_of_a_family_are_taken_as_they_were_given():
    assert measure_names(["iprec_at_recall.0.494,.1"]) == [
        "iprec_at_recall_0.494",
        "iprec_at_recall_.1",
    ]
    with pytest.raises(UsageError, match=r"'P\.23\.4': found '23\.4'; expected whole numbers"):
        measure_names(["P.23.4"])


def test_a_name_stands_for_one_measure_only():
    assert len(plain_names()) >= len(MEASURES)
    for name, entry in plain_names().items():
        assert name == entry.name or name in entry.aliases


def test_a_default_may_be_given_in_full():
    assert value("AP(rel=1)", "0 1 1") == value("AP", "0 1 1")


@pytest.mark.parametrize(
    "name", ["xCG@5", "nxCG@5", "MAnxCG@5", "MAncG", "ep[0.1]", "gr@5", "MAep"]
)
def test_all_measures_of_cumulated_gain_have_the_same_parameters(name):
    word, sign, number = name.partition("@" if "@" in name else "[")
    given = {"quant": "gen", "overlap": "on", "recallbase": "full", "alpha": 0.5}
    given |= {"ideal": "deeper", "cap": "subtree", "interpolate": "whole"}
    inside = ",".join(f"{key}={value}" for key, value in given.items())
    found = parse(f"{word}({inside}){sign}{number}").parameters
    assert {key: found[key] for key in given} == given


@pytest.mark.parametrize("name", ["gP@5", "gR@5", "MAgP"])
def test_all_measures_in_context_have_the_same_parameters(name):
    word, sign, number = name.partition("@")
    given = {"score": "bep", "beta": 1, "n": 1000, "tolerance": 100, "past": "last"}
    inside = ",".join(f"{key}={value}" for key, value in given.items())
    found = parse(f"{word}({inside}){sign}{number}").parameters
    assert {key: found[key] for key in given} == given


def test_defaults_that_differ_within_a_family():
    usual = {name: parse(name).parameter("overlap") for name in ("nxCG@5", "MAncG", "gr@5", "MAep")}
    assert usual == {"nxCG@5": "on", "MAncG": "on", "gr@5": "off", "MAep": "off"}
    assert parse("EPRUM").parameter("behaviour") == "bep"
    assert parse("GR@5").parameter("behaviour") == "identity"


def test_a_name_that_differs_from_two_measures_in_case_only_is_ambiguous():
    assert meaning("RBP(p=0.5)") != meaning("rbp(p=0.5)")
    with pytest.raises(UsageError, match="'Rbp' is ambiguous; expected one of RBP, rbp"):
        parse("Rbp")


def test_every_name_in_another_case_is_the_same_measure_or_ambiguous():
    for name, measure in plain_names().items():
        if REQUIRED in measure.parameters.values():
            continue
        same = {one for other, one in plain_names().items() if other.lower() == name.lower()}
        for spelled in {name.lower(), name.upper(), name.swapcase()} - plain_names().keys():
            if len(same) == 1:
                assert parse(spelled).measure is measure
            else:
                with pytest.raises(UsageError, match="is ambiguous"):
                    parse(spelled)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("AP", ["AP"]),
        (" AP , RR ", ["AP", "RR"]),
        ("G(gains={1:1,2:3},a='b,c')@9,AP", ["G(gains={1:1,2:3},a='b,c')@9", "AP"]),
        ("P_5,10,AP,R@5,10", ["P_5", "P_10", "AP", "R@5", "R@10"]),
        ("iP[0.01],MAiP", ["iP[0.01]", "MAiP"]),
        ("ndcg_1=3,2=9,AP", ["ndcg_1=3,2=9", "AP"]),
        ("utility_1,-1,0,0", ["utility_1,-1,0,0"]),
        ("11pt_avg_0.25,.5,11pt_avg", ["11pt_avg_0.25,.5", "11pt_avg"]),
        ("iprec_at_recall_0.1,0.2", ["iprec_at_recall_0.1", "iprec_at_recall_0.2"]),
        ("P.5,10,AP", ["P.5,10", "AP"]),
        ("nonsense_5,10", ["nonsense_5,10"]),
    ],
)
def test_lists_of_names(text, names):
    assert listed(text) == names
