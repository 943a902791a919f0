"""trec_eval 8.1: whole outputs and exit status."""

from functools import partial

import pytest

import calling
from shared_data import shared
from spanwise.dropins.trec_eval.version8 import run

QRELS = """\
1 0 a 2
1 0 b 0
1 0 c 1
1 0 d -1
1 0 e 1
1 0 f 0
1 0 x 1
1 0 y 0
2 0 a 1
2 0 b 0
"""
RUN = """\
1 Q0 b 1 9 tag
1 Q0 a 2 8 tag
1 Q0 g 3 7 tag
1 Q0 c 4 6 tag
1 Q0 d 5 5 tag
1 Q0 e 6 5 tag
1 Q0 f 7 4 tag
2 Q0 a 1 1 tag
2 Q0 b 2 1 tag
"""
SHORT = """\
num_ret 7 2 9
num_rel 4 1 5
num_rel_ret 3 1 4
map 0.4000 0.5000 0.4500
gm_ap - - 0.4472
R-prec 0.5000 0.0000 0.2500
bpref 0.5625 0.0000 0.2812
recip_rank 0.5000 0.5000 0.5000
ircl_prn.0.00 0.6000 0.5000 0.5500
ircl_prn.0.10 0.6000 0.5000 0.5500
ircl_prn.0.20 0.6000 0.5000 0.5500
ircl_prn.0.30 0.6000 0.5000 0.5500
ircl_prn.0.40 0.6000 0.5000 0.5500
ircl_prn.0.50 0.6000 0.5000 0.5500
ircl_prn.0.60 0.6000 0.5000 0.5500
ircl_prn.0.70 0.6000 0.5000 0.5500
ircl_prn.0.80 0.0000 0.5000 0.2500
ircl_prn.0.90 0.0000 0.5000 0.2500
ircl_prn.1.00 0.0000 0.5000 0.2500
P5 0.6000 0.2000 0.4000
P10 0.3000 0.1000 0.2000
P15 0.2000 0.0667 0.1333
P20 0.1500 0.0500 0.1000
P30 0.1000 0.0333 0.0667
P100 0.0300 0.0100 0.0200
P200 0.0150 0.0050 0.0100
P500 0.0060 0.0020 0.0040
P1000 0.0030 0.0010 0.0020
"""
LONG = """\
num_nonrel_judged_ret 2 1 3
exact_prec 0.4286 0.5000 0.4643
exact_recall 0.7500 1.0000 0.8750
11-pt_avg 0.4364 0.5000 0.4682
3-pt_avg 0.4000 0.5000 0.4500
avg_doc_prec 0.4000 0.5000 0.4200
exact_relative_prec 0.7500 1.0000 0.8750
avg_relative_prec 0.5119 0.5000 0.5060
exact_unranked_avg_prec 0.3214 0.5000 0.4107
exact_relative_unranked_avg_prec 0.1837 0.2500 0.2168
map_at_R 0.2083 0.0000 0.1042
int_map 0.4500 0.5000 0.4750
exact_int_R_rcl_prec 0.6000 0.5000 0.5500
int_map_at_R 0.4500 0.0000 0.2250
bpref_allnonrel 0.5625 0.0000 0.2812
bpref_retnonrel 0.3750 0.0000 0.1875
bpref_retall 0.5000 0.0000 0.2500
bpref_5 0.7500 0.0000 0.3750
bpref_num_all 9.0000 0.0000 4.5000
bpref_num_ret 3.0000 0.0000 1.5000
bpref_num_correct 9 0 9
bpref_num_possible 16 1 17
old_bpref 0.3750 0.0000 0.1875
infAP 0.4000 0.5000 0.4500
rank_first_rel 2 2 -
gm_bpref - - 0.0024
recall5 0.7500 1.0000 0.8750
0.20R-prec 0.0000 0.0000 0.0000
0.40R-prec 0.5000 0.0000 0.2500
0.60R-prec 0.3333 0.0000 0.1667
1.00R-prec 0.5000 0.0000 0.2500
1.20R-prec 0.6000 0.5000 0.5500
1.60R-prec 0.4286 0.5000 0.4643
2.00R-prec 0.3750 0.5000 0.4375
relative_prec5 0.7500 1.0000 0.8750
unranked_avg_prec5 0.4500 0.2000 0.3250
relative_unranked_avg_prec5 0.5625 0.0400 0.3013
utility_1.0_-1.0_0.0_0.0 -1.0000 0.0000 -0.5000
rcl_at_142_nonrel 0.7412 0.9930 0.8671
fallout_recall_0 0.0000 0.0000 0.0000
fallout_recall_14 0.7500 1.0000 0.8750
int_1.20R-prec 0.6000 0.5000 0.5500
micro_prec - - 0.4444
micro_recall - - 0.8000
micro_bpref - - 0.5294
"""


called = partial(calling.called, run)


@pytest.fixture
def files(tmp_path):
    def write(qrels=QRELS, run=RUN):
        judged, returned = tmp_path / "judged", tmp_path / "returned"
        judged.write_bytes(qrels if isinstance(qrels, bytes) else qrels.encode())
        returned.write_bytes(run if isinstance(run, bytes) else run.encode())
        return judged, returned

    return write


def expected_lines(table):
    """The lines of topic 1, topic 2 and of all, from a table with one line for the three."""
    rows = [line.split() for line in table.splitlines()]
    return [
        [f"{name:<15}\t{topic}\t{values[n]}" for name, *values in rows if values[n] != "-"]
        for n, topic in enumerate(("1", "2", "all"))
    ]


def test_short_output(files):
    first, second, summary = expected_lines(SHORT)
    summary.insert(0, "num_q          \tall\t2")
    lines = called("-q", *files())[0].decode().splitlines()
    assert lines == first + second + summary
    assert called(*files())[0].decode().splitlines() == summary


def test_long_output(files):
    lines = called("-q", "-a", *files())[0].decode().splitlines()
    for wanted in expected_lines(SHORT) + expected_lines(LONG):
        places = [lines.index(line) for line in wanted]
        assert len(set(places)) == len(places)
    order = [name for name, *_ in map(str.split, LONG.splitlines()) if name != "rank_first_rel"]
    summary = [line.split()[0] for line in lines if "\tall\t" in line]
    order.remove("gm_bpref")
    assert [name for name in summary if name in order] == order
    assert (len(summary), summary[0], summary[-1]) == (
        1 + 8 + 14 + 20 + 89 + 3,
        "num_q",
        "micro_bpref",
    )


OLD = """\

Queryid (Num):	{topic}
Total number of documents over all queries
    Retrieved:    {counts[0]:>5}
    Relevant:     {counts[1]:>5}
    Rel_ret:      {counts[2]:>5}
Interpolated Recall - Precision Averages:
    at 0.00       {low}\x20
    at 0.10       {low}\x20
    at 0.20       {low}\x20
    at 0.30       {low}\x20
    at 0.40       {low}\x20
    at 0.50       {low}\x20
    at 0.60       {low}\x20
    at 0.70       {low}\x20
    at 0.80       {high}\x20
    at 0.90       {high}\x20
    at 1.00       {high}\x20
Average precision (non-interpolated) for all rel docs(averaged over queries)
                  {map}\x20
Precision:
  At    5 docs:   {p[0]}
  At   10 docs:   {p[1]}
  At   15 docs:   {p[2]}
  At   20 docs:   {p[3]}
  At   30 docs:   {p[4]}
  At  100 docs:   {p[5]}
  At  200 docs:   {p[6]}
  At  500 docs:   {p[7]}
  At 1000 docs:   {p[8]}
R-Precision (precision after R (= num_rel for a query) docs retrieved):
    Exact:        {r}
"""


OLD_VALUES = """\
1 7 4 3 0.6000 0.0000 0.4000 0.5000 0.6000 0.3000 0.2000 0.1500 0.1000 0.0300 0.0150 0.0060 0.0030
2 2 1 1 0.5000 0.5000 0.5000 0.0000 0.2000 0.1000 0.0667 0.0500 0.0333 0.0100 0.0050 0.0020 0.0010
All 9 5 4 0.5500 0.2500 0.4500 0.2500 0.4000 0.2000 0.1333 0.1000 0.0667 0.0200 0.0100 0.0040 0.0020
"""


def test_old_layout(files):
    texts = []
    for line in OLD_VALUES.splitlines():
        topic, a, b, c, low, high, average, r, *p = line.split()
        texts.append(
            OLD.format(topic=topic, counts=(a, b, c), low=low, high=high, map=average, p=p, r=r)
        )
    assert called("-o", "-q", "-a", *files())[0].decode() == "".join(texts)
    assert called("-o", *files())[0].decode() == texts[-1]


PUBLISHED = """\
num_q 3
num_ret 1500
num_rel 561
num_rel_ret 131
map 0.1785
gm_ap 0.1051
R-prec 0.2174
bpref 0.1981
recip_rank 0.4064
ircl_prn.0.00 0.4665
ircl_prn.0.10 0.3884
ircl_prn.0.20 0.3186
ircl_prn.0.30 0.2732
ircl_prn.0.40 0.2666
ircl_prn.0.50 0.2184
ircl_prn.0.60 0.0822
ircl_prn.0.70 0.0348
ircl_prn.0.80 0.0312
ircl_prn.0.90 0.0312
ircl_prn.1.00 0.0312
P5 0.2667
P10 0.3000
P15 0.3111
P20 0.3667
P30 0.3333
P100 0.2467
P200 0.1600
P500 0.0873
P1000 0.0437
"""


def test_sample_of_the_program():
    """The numbers that were published for the files that come with it."""
    folder = shared("data", "trec_eval")
    out, _, status = called(folder / "qrels.test", folder / "results.test")
    pairs = [line.split() for line in PUBLISHED.splitlines()]
    assert out.decode() == "".join(f"{name:<15}\tall\t{value}\n" for name, value in pairs)
    assert status == 0


def test_sample_value_that_needs_the_slip():
    folder = shared("data", "trec_eval")
    out = called("-a", folder / "qrels.test", folder / "results.test")[0]
    assert b"rcl_at_142_nonrel\tall\t0.3848\n" in out


# Files and options ------------------------------------------------------------------------------


def test_scores_are_32_bits_wide(files):
    pair = files("1 0 a 1\n1 0 b 0\n", "1 Q0 a 1 1.00000001 t\n1 Q0 b 2 1.0 t\n")
    assert b"map            \tall\t0.5000\n" in called(*pair)[0]


def test_topics_in_the_order_of_the_run_and_cut(files):
    long = b"topic-\xff-of-more-than-20-bytes"
    qrels = long + b" 0 a 1\n9 0 a 1\n10 0 a 1\n"
    run = b"9 Q0 a 1 1 t\n" + long + b" Q0 a 1 1 t\n10 Q0 z 1 1 t\n9 Q0 b 1 0 t\n"
    out = called("-q", *files(qrels, run))[0]
    shown = [line.split(b"\t")[1] for line in out.splitlines() if line.startswith(b"num_ret")]
    assert shown == [b"9", long[:20], b"10", b"all"]
    old = called("-q", "-o", *files(qrels, run))[0]
    assert b"Queryid (Num):\t" + long + b"\n" in old


def test_judged_documents_only_keeps_what_is_in_the_pool(files):
    out = called("-J", "-a", "-q", *files())[0]
    assert b"num_ret        \t1\t6\n" in out
    assert b"infAP          \t1\t0.4792\n" in out  # (1/2 + (1/3 + 2/3 1/2) + (1/4 + 3/4 2/3)) / 4


def test_complete_divides_by_all_judged_topics(files):
    pair = files(QRELS + "3 0 a 1\n", RUN)
    out = called("-c", *pair)[0]
    for line in (b"num_q          \tall\t3\n", b"num_rel        \tall\t5\n"):
        assert line in out
    assert b"map            \tall\t0.3000\n" in out
    assert b"gm_ap          \tall\t0.0126\n" in out  # the cube root of 0.4 0.5 0.00001


def test_a_topic_of_which_nothing_is_left(files):
    qrels, run = QRELS + "3 0 a 1\n", RUN + "3 Q0 z 1 1 t\n"
    out, _, status = called("-q", "-J", *files(qrels, run))
    assert status == 0
    assert b"num_rel        \t3\t0\n" in out
    assert b"num_q          \tall\t2\n" in out
    assert called("-M0", *files(qrels, run))[::2] == (b"", 255)


def test_utility_weights(files):
    out = called("-a", "-Ub-0.5", "-Ud1", "-N10", *files())[0]
    # topic 1: 3 - 2 + 10 + 3 - 7 - 4 = 3; topic 2: 1 - 1/2 + 10 + 1 - 2 - 1 = 8.5
    assert b"utility_1.0_-0.5_0.0_1.0\tall\t5.7500\n" in out


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["-x", "{q}", "{r}"], 1),
        (["-Ux1", "{q}", "{r}"], 1),
        (["-", "{q}", "{r}"], 1),
        (["-l-1", "{q}", "{r}"], 1),
        (["{q}"], 1),
        (["{q}", "{r}", "-q"], 1),
        (["{q}", "{r}.absent"], 2),
        (["{r}", "{q}"], 2),
        (["-h"], 0),
        (["-v", "{q}"], 0),
        (["-l3", "-Mx", "{q}", "{r}"], 255),
        (["-quick", "-l2x", "{q}", "{r}"], 0),
    ],
)
def test_exit_status(files, words, status):
    judged, returned = files()
    out, err, code = called(*(word.format(q=judged, r=returned) for word in words))
    assert code == status
    if status not in (0, 255):
        assert out == b""
        assert err.startswith("spanwise: error: ")
        assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("qrels", "run", "status"),
    [
        (QRELS, RUN + "1 Q0 b 1 0.1 t\n", 3),
        (QRELS + "2 0 b 0\n", RUN, 3),
        (QRELS + "3 0 b 0\n3 0 b 0\n", RUN + "4 Q0 b 1 1 t\n4 Q0 b 1 1 t\n", 0),
        ("", RUN, 255),
        (QRELS, "", 255),
        (QRELS, "\n \n", 255),
        (QRELS, "3 Q0 a 1 1 t\n", 255),
        (QRELS, "# a comment\n" + RUN, 2),
        (QRELS + "1 0 z\n", RUN, 2),
    ],
)
def test_exit_status_of_files(files, qrels, run, status):
    out, err, code = called("-M1", *files(qrels, run))
    assert code == status
    assert (out == b"") == (status != 0) == (err != "")
