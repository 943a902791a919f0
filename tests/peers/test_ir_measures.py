"""The same numbers as ir_measures: printed examples of it everywhere, random files where it is."""

import pytest

import spanwise
from builders import scores
from peers.random_files import random_pair

# What ir_measures 0.4.3 printed. E1 and E2 are single topics, E3 has tied scores, E4 is a mean:
# topic 2 is missing from the run, 3 has nothing relevant, 9 is not judged.
E1 = "1 a 1\n1 b 0\n1 c 2\n1 d 3\n1 e 1", "1 c 5\n1 x 4\n1 a 3\n1 b 2\n1 d 1"
E2 = "1 a 4\n1 b -1\n1 c 0\n1 d 1\n1 e 2", "1 b 9\n1 a 8\n1 c 7\n1 y 6\n1 d 5\n1 z 4"
E3 = "1 a 1\n1 b 0\n1 c 1", "1 a 1\n1 b 1\n1 c 1"
E4 = (
    "1 a 2\n1 b 0\n1 c 1\n2 a 1\n2 d 3\n3 a 0",
    "1 b 3\n1 c 2\n1 a 1\n3 a 1\n3 b .5\n9 q 1",
)
PRINTED = """
AP                                  0.566666667  0.3          0.833333333  0.194444444
AP(rel=2)                           0.7          0.25         0            0.111111111
AP@2                                0.25         0.166666667  0.5          0.0833333333
nDCG                                0.70496543   0.505144532  0.919720789  0.206635411
nDCG@3                              0.525004989  0.438004261  0.919720789  0.206635411
nDCG(gains={1:1,2:3,3:7,4:15})@3    0.372626267  0.544130453  0.919720789  0.195627557
P@3                                 0.666666667  0.333333333  0.666666667  0.222222222
P@10                                0.3          0.2          0.2          0.0666666667
P(rel=2)@3                          0.333333333  0.333333333  0            0.111111111
RR                                  1            0.5          1            0.166666667
RR(rel=3)                           0.2          0.5          0            0
RR@2                                1            0.5          1            0.166666667
RR(rel=3)@10                        0.2          0.5          0            0
R@3                                 0.5          0.333333333  1            0.333333333
R(rel=2)@3                          0.5          0.5          0            0.333333333
Rprec                               0.5          0.333333333  0.5          0.166666667
Rprec(rel=2)                        0.5          0.5          0            0
Bpref                               0.5          0.333333333  0.5          0
Bpref(rel=2)                        0.5          0.5          0            0
RBP(rel=1)                          0.40992      0.24192      0.328        0.096
RBP(p=0.95,rel=2)                   0.0907253125 0.0475       0            0.0150416667
Judged                              0.8          0.666666667  1            0.5
Judged@3                            0.666666667  1            1            0.5
Judged@10                           0.8          0.666666667  1            0.5
Success@1                           1            0            1            0
Success(rel=3)@3                    0            1            0            0
SetP                                0.6          0.333333333  0.666666667  0.222222222
SetP(relative=True)                 0.75         0.666666667  1            0.333333333
SetR                                0.75         0.666666667  1            0.333333333
SetF                                0.666666667  0.444444444  0.8          0.266666667
SetF(beta=2.0)                      0.692307692  0.5          0.857142857  0.285714286
SetF(beta=0.5)                      0.642857143  0.4          0.75         0.25
SetAP                               0.45         0.222222222  0.666666667  0.222222222
infAP                               0.566665667  0.416666667  0.833333333  0.194445278
IPrec@0.0                           1            0.5          1            0.222222222
IPrec@0.35                          0.666666667  0.5          1            0.222222222
IPrec@0.5                           0.666666667  0.4          1            0.222222222
IPrec@1.0                           0            0            0.666666667  0.222222222
NumRet                              5            6            3            5
NumRet(rel=2)                       2            1            0            1
NumRelRet                           3            2            2            2
INST(max_rel=4)                     0.298730905  0.21728225   0.133316908  0.0327080947
INST(T=2.0,max_rel=3)               0.280818683  0.185402816  0.116453799  0.0415715008
INST(T=1.0,min_rel=1,max_rel=3)     0.283237822  0.207222179  0            0.0169852721
INSQ(max_rel=4)                     0.250736785  0.183334424  0.121324251  0.0305557373
INSQ(T=2.0,max_rel=3)               0.23530659   0.159844789  0.106399501  0.0375399267
BPM(max_rel=4)@3                    0.25         0.5          0.166666667  0.0833333333
BPM(T=1.0,max_rel=3)@10             0.333333333  0.5          0.0666666667 0.111111111
BPM(T=2.0,max_rel=3)@10             0.4          0.133333333  0.0666666667 0.0333333333
SDCG(max_rel=4)@3                   0.293299204  0.296081911  0.175979522  0.0637800531
SDCG(max_rel=3)@10                  0.268552923  0.167243483  0.110045883  0.0398838011
Accuracy                            0.5          0.5          0.5          0
Accuracy@3                          0.5          0.5          0.5          0
Compat                              0.457197538  0.360068951  0.813847159  0.140648813
Compat(p=0.8)                       0.405047647  0.313706086  0.820359281  0.123752495
Compat(p=0.8,normalize=False)       0.3951769    0.2749588    0.74863388   0.112932605
"""
LINES = [line.split() for line in PRINTED.strip().splitlines()]
THEIR_WAY = {"empty": "zero", "average_over": "judged", "follow": "trec_eval 9"}
"""All judged topics, nothing relevant is 0, recall levels and 32-bit scores of trec_eval 9."""


@pytest.mark.parametrize("line", LINES, ids=lambda line: line[0])
def test_the_examples_that_ir_measures_printed(line):
    name, *printed = line
    found = [scores(*example, name, **THEIR_WAY).means[name] for example in (E1, E2, E3, E4)]
    assert found == pytest.approx([float(number) for number in printed], rel=5e-9)


@pytest.mark.parametrize(
    ("name", "first", "second", "third"),
    [  # these they compute with another program, which rounds to 5 decimals
        ("nDCG(dcg='exp-log2')@3", 0.37263, 0.54413, 0.91972),
        ("ERR@3", 0.20443, 0.46875, 0.08203),
        ("ERR@20", 0.27108, 0.46953, 0.08203),
    ],
)
def test_the_examples_that_gdeval_rounded(name, first, second, third):
    for example, printed in zip((E1, E2, E3), (first, second, third), strict=True):
        assert round(scores(*example, name).means[name], 5) == printed


# Random files -------------------------------------------------------------------------------

SAME_TIES = [  # of pytrec_eval, which orders ties as we do
    *("AP", "AP(rel=2)", "AP@3", "P@5", "P(rel=2)@3", "RR", "RR(rel=2)", "R@5", "R(rel=2)@3"),
    *("Rprec", "Rprec(rel=2)", "Success@3", "Success(rel=2)@5", "Bpref", "Bpref(rel=2)", "infAP"),
    *("infAP(rel=2)", "IPrec@0.0", "IPrec@0.35", "IPrec@0.5", "IPrec(rel=2)@0.8", "IPrec@1.0"),
    *("SetP", "SetP(rel=2)", "SetP(relative=True)", "SetR", "SetAP", "SetF", "SetF(beta=2.0)"),
    *("nDCG", "nDCG@3", "nDCG@20", "nDCG(gains={1:0,2:5})", "nDCG(gains={1:1,2:3,3:7})@5"),
    *("NumRet", "NumRet(rel=2)", "NumRelRet"),
]
OTHER_TIES = [
    *("RR@3", "RR(rel=2)@10", "Judged", "Judged@5", "Compat", "Compat(p=0.8,normalize=False)"),
    *("Accuracy", "Accuracy@5", "Accuracy(rel=2)", "RBP(rel=1)", "RBP(p=0.95,rel=2)"),
    *("INST(max_rel=3)", "INST(T=2.5,min_rel=1,max_rel=4)", "INSQ(max_rel=4)"),
    *("INSQ(T=3.0,max_rel=2)", "BPM(max_rel=3)@5", "BPM(T=2.0,max_rel=4)@10"),
    *("SDCG(max_rel=3)@5", "SDCG(min_rel=1,max_rel=4)@20"),
]
ROUNDED = ["ERR@3", "ERR@20", "nDCG(dcg='exp-log2')@5"]  # by gdeval, to 5 decimals


def theirs(name, qrels, run):
    """Their values by topic; skipped where the library behind the measure is not installed."""
    peer = pytest.importorskip("ir_measures", reason="ir_measures is not installed")
    measure = peer.parse_measure(name)
    if not peer.DefaultPipeline.supports(measure):
        pytest.skip(f"what ir_measures needs for {name} is not installed")
    return {row.query_id: row.value for row in peer.iter_calc([measure], qrels, run)}


def ours(name, qrels, run):
    return {
        topic: values[name]
        for topic, values in spanwise.evaluate(qrels, run, name, **THEIR_WAY).per_topic.items()
    }


def with_a_last_result(run):
    """So that no ranking is all relevant, where their accuracy divides by 0."""
    return {topic: {**results, "last": 0.125} for topic, results in run.items()}


def assert_same(name, pairs):
    something = False
    for qrels, run in pairs:
        found, wanted = ours(name, qrels, run), theirs(name, qrels, run)
        assert found == pytest.approx(dict.fromkeys(qrels, 0.0) | wanted, abs=1e-9)
        something |= any(wanted.values())
    assert something


@pytest.mark.parametrize("name", SAME_TIES)
def test_random_files_with_ties(name):
    assert_same(name, (random_pair(seed, lowest=-1) for seed in range(4)))


@pytest.mark.parametrize("name", [*SAME_TIES, *OTHER_TIES])
def test_random_files_without_ties(name):
    """Scores are positive: Compat takes 0 as the score of what was not retrieved."""
    pairs = (random_pair(seed, ties=False) for seed in range(10, 14))
    assert_same(name, ((qrels, with_a_last_result(run)) for qrels, run in pairs))


@pytest.mark.parametrize("name", ROUNDED)
def test_random_files_rounded_to_five_decimals(name):
    qrels, run = random_pair(20, ties=False)
    found, wanted = ours(name, qrels, run), theirs(name, qrels, run)
    assert found == pytest.approx(dict.fromkeys(qrels, 0.0) | wanted, abs=5.001e-6)
    assert any(wanted.values())


@pytest.mark.parametrize("name", ["NumRel", "NumQ"])
def test_counts_of_topics_that_both_sides_have(name):
    qrels, run = random_pair(30)
    wanted = theirs(name, qrels, run)  # they count 0 for a topic missing from the run
    found = {topic: count for topic, count in ours(name, qrels, run).items() if topic in run}
    assert found == {topic: count for topic, count in wanted.items() if topic in run}


def test_measures_of_theirs_are_read_as_they_are_written():
    peer = pytest.importorskip("ir_measures", reason="ir_measures is not installed")
    qrels, run = random_pair(40)
    found = spanwise.evaluate(qrels, run, [peer.nDCG @ 10, peer.P(rel=2) @ 5, "AP"]).means
    assert found == spanwise.evaluate(qrels, run, ["nDCG@10", "P(rel=2)@5", "AP"]).means
    assert spanwise.evaluate(qrels, run, peer.AP).means == {"AP": found["AP"]}
