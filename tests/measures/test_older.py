"""The older measures on two rankings small enough to check on paper.

Topic 1 is  b a g c e d f  with the codes  0 2 - 1 1 . 0  (- outside the pool, . not judged):
7 results, 4 relevant documents, 3 of them at ranks 2, 4 and 5; 3 judged not relevant (y was not
retrieved), and one line with a negative grade. Precision: 0, 1/2, 1/3, 2/4, 3/5, 3/6, 3/7.
Topic 2 is  b a  with the codes  0 1: one relevant document, one judged not relevant.
"""

from fractions import Fraction

import numpy as np
import pytest

from spanwise.errors import UsageError
from spanwise.evaluation.evaluate import evaluate
from spanwise.formats import Reading, read
from spanwise.matching.documents import align
from spanwise.measures import MEASURES
from spanwise.measures.names import parse
from spanwise.model.policy import Policy

F = Fraction
QRELS = "1 0 a 2|1 0 b 0|1 0 c 1|1 0 d -1|1 0 e 1|1 0 f 0|1 0 x 1|1 0 y 0|2 0 a 1|2 0 b 0"
RUN = (
    "1 Q0 b 1 9 t|1 Q0 a 2 8 t|1 Q0 g 3 7 t|1 Q0 c 4 6 t|1 Q0 d 5 5 t|1 Q0 e 6 5 t|1 Q0 f 7 4 t"
    "|2 Q0 a 1 1 t|2 Q0 b 2 1 t"
)


def ground(folder, qrels, run, *, scores=False, **policy):
    judged, returned = folder / "judged", folder / "returned"
    judged.write_text(qrels.replace("|", "\n") + "\n")
    returned.write_text(run.replace("|", "\n") + "\n")
    judgements = read(str(judged), ("judgements",), "qrels", Reading())
    results = read(str(returned), ("run",), "trec_run", Reading())
    aligned = align(results, judgements, judgements.rows.topics, Policy(**policy))
    (block,) = aligned.blocks(with_scores=scores)
    return block


def value(block, name, **parameters):
    return MEASURES[name].function(block, **parameters)


PAPER = [
    ("AvgPFirstR", {}, (F(1, 2) + F(1, 3)) / 4, 0),
    ("IntAvgPFirstR", {}, 3 * F(3, 5) / 4, 0),
    ("IntAP", {}, 3 * F(3, 5) / 4, F(1, 2)),
    ("IntRprec", {}, F(3, 5), F(1, 2)),
    ("IntRprecMult", {"multiple": 1.4}, F(3, 6), F(1, 2)),
    ("IntRprecMult", {"multiple": 2.0}, F(3, 8), F(1, 2)),
    ("IPrecAvg3", {}, (F(3, 5) + F(3, 5) + 0) / 3, F(1, 2)),
    ("AvgRelativeP", {}, (0 + F(1, 2) + F(1, 3) + F(2, 4) + 3 * F(3, 4)) / 7, F(1, 2)),
    ("AvgDocP", {}, (F(1, 2) + F(2, 4) + F(3, 5)) / 4, F(1, 2)),
    ("UAP", {"cutoff": 5}, F(3, 5) * F(3, 4), F(1, 5)),
    ("RelativeUAP", {"cutoff": 5}, F(3, 4) ** 2, F(1, 5) ** 2),
    ("RelativeUAP", {"cutoff": 3}, F(1, 3) ** 2, F(1, 3) ** 2),
    ("SetAP", {}, F(3, 7) * F(3, 4), F(1, 2)),
    ("SetRelativeUAP", {}, F(3, 7) ** 2, F(1, 2) ** 2),
    ("FalloutRecall", {"nonrel": 0}, 0, 0),
    ("FalloutRecall", {"nonrel": 1}, F(1, 4), 1),
    ("FalloutRecall", {"nonrel": 2}, F(3, 4), 1),
    ("FalloutRecall", {"label": 14}, F(3, 4), 1),
    ("AvgFalloutRecall", {}, (F(1, 4) + F(3, 4) + F(3, 4) + 138 * F(3, 4)) / 142, F(141, 142)),
    ("AvgFalloutRecall", {"nonrel": 2}, F(1, 4) / 2, F(1, 2)),
    ("AvgFalloutRecall", {"nonrel": 2, "variant": "tool"}, 0, F(1, 2)),
    ("RankFirstRel", {}, 2, 2),
    ("MicroP", {}, F(3, 7), F(1, 2)),
    ("MicroR", {}, F(3, 4), 1),
    ("BprefVariant", {"variant": "allnonrel"}, 3 * F(2, 3) / 4, 0),
    ("BprefVariant", {"variant": "retnonrel"}, 3 * F(1, 2) / 4, 0),
    ("BprefVariant", {"variant": "topnonrel"}, 3 * F(2, 3) / 4, 0),
    ("BprefVariant", {"variant": "top5Rnonrel"}, 3 * F(2, 3) / 4, 0),
    ("BprefVariant", {"variant": "top10Rnonrel"}, 3 * F(2, 3) / 4, 0),
    ("BprefVariant", {"variant": "top25p2Rnonrel"}, 3 * F(2, 3) / 4, 0),
    ("BprefVariant", {"variant": "retall"}, F(1, 2), 0),
    ("BprefFirst", {"first": 5}, F(2, 3), 0),
    ("BprefFirst", {"first": 2}, F(1, 2), 0),
    ("BprefFirst", {"first": 1}, 0, 0),
    ("OldBpref", {}, 3 * F(1, 2) / 4, 0),
    ("OldBpref", {"margin": 10}, 3 * F(1, 2) / 4, 0),
    ("BprefNumAll", {}, 3 * (3 - 1), 0),
    ("BprefNumRet", {}, 3 * (2 - 1), 0),
    ("BprefNumCorrect", {}, 3 * (3 - 1), 0),
    ("BprefNumPossible", {}, 4 * 3, 1),
    ("MicroBpref", {}, F(6, 12), 0),
]


@pytest.mark.parametrize(("name", "parameters", "first", "second"), PAPER)
def test_on_paper(tmp_path, name, parameters, first, second):
    block = ground(tmp_path, QRELS, RUN)
    assert value(block, name, **parameters) == pytest.approx([float(first), float(second)])


OF_VERSION_8 = [  # here lines with a negative grade count as judged not relevant
    ("Bpref", {}, 3 * F(3, 4) / 4),
    ("BprefVariant", {"variant": "allnonrel"}, 3 * F(3, 4) / 4),
    ("BprefFirst", {"first": 5}, F(3, 4)),
    ("BprefNumAll", {}, 9),
    ("BprefNumRet", {}, 3),
    ("BprefNumCorrect", {}, 9),
    ("BprefNumPossible", {}, 16),
    ("SetAP", {}, np.float32(3 / 7) * np.float32(3 / 4)),
]


@pytest.mark.parametrize(("name", "parameters", "first"), OF_VERSION_8)
def test_on_paper_as_version_8(tmp_path, name, parameters, first):
    block = ground(tmp_path, QRELS, RUN, follow="trec_eval 8")
    assert value(block, name, **parameters)[0] == np.float32(float(first))


def test_a_bpref_term_is_subtracted_in_64_bits(tmp_path):
    """R = 3 and B = 3: one relevant result with b = 1, so the only term is 1 - 1/3."""
    qrels = "1 0 a 1|1 0 b 0|1 0 c 0|1 0 d 0|1 0 e 1|1 0 f 1"
    block = ground(tmp_path, qrels, "1 Q0 b 1 2 t|1 Q0 a 2 1 t", follow="trec_eval 8")
    term = np.float32(1 - float(np.float32(1) / np.float32(3)))
    assert value(block, "Bpref")[0] == term / np.float32(3)


def test_short_ranking_counts_its_last_rank_twice(tmp_path):
    """n r n r r of 6: (0 + 1/2 + 1/3 + 2/4 + 3/5 + 3/5) / 6."""
    qrels = "|".join(f"1 0 {doc} 1" for doc in "bdexyz")
    run = "|".join(f"1 0 {doc} 0 {9 - rank} t" for rank, doc in enumerate("abcde"))
    block = ground(tmp_path, qrels, run)
    expected = (F(1, 2) + F(1, 3) + F(2, 4) + F(3, 5) + F(3, 5)) / 6
    assert value(block, "AvgPFirstR") == pytest.approx([float(expected)])


def long_run(wrong):
    """A relevant result, then so many others; two relevant documents in all."""
    docs = ["a", *(f"n{rank:03d}" for rank in range(wrong))]
    return "|".join(f"1 0 {doc} 0 {500 - rank} t" for rank, doc in enumerate(docs))


@pytest.mark.parametrize(
    ("wrong", "label", "exact", "tool"),
    [
        (0, 0, F(1, 2), 0),
        (14, 14, F(1, 2), F(1, 2)),
        (15, 0, F(1, 2), 0),
        (15, 14, F(1, 2), 0),
        (15, 28, F(1, 2), F(1, 2)),
        (16, 14, F(1, 2), F(1, 2)),
        (142, 71, F(1, 2), 0),
    ],
)
def test_a_point_reached_at_the_end(tmp_path, wrong, label, exact, tool):
    block = ground(tmp_path, "1 0 a 1|1 0 z 1", long_run(wrong))
    assert value(block, "FalloutRecall", label=label) == [float(exact)]
    assert value(block, "FalloutRecall", label=label, variant="tool") == [float(tool)]


@pytest.mark.parametrize(("wrong", "parts"), [(141, 142), (142, 141), (143, 141)])
def test_the_last_of_142_is_left_out_by_the_tool(tmp_path, wrong, parts):
    block = ground(tmp_path, "1 0 a 1|1 0 z 1", long_run(wrong))
    assert value(block, "AvgFalloutRecall") == pytest.approx([1 / 2])
    tool = value(block, "AvgFalloutRecall", variant="tool")
    assert tool == pytest.approx([parts / 142 / 2])


def test_without_relevant_documents(tmp_path):
    names = ("AvgPFirstR", "IntAP", "IntRprec", "AvgRelativeP", "FalloutRecall", "OldBpref")
    block = ground(tmp_path, "1 0 a 0", "1 0 a 1 1 t")
    old = ground(tmp_path, "1 0 a 0", "1 0 a 1 1 t", follow="trec_eval 8")
    for name in names:
        assert np.isnan(value(block, name)).all(), name
        assert value(old, name) == [0], name


def test_no_exception_for_the_multiples_of_r(tmp_path):
    block = ground(tmp_path, "1 0 a 1", "1 0 a 1 1 t")
    assert value(block, "Bpref") == [1]
    assert np.isnan(value(block, "BprefVariant", variant="top5Rnonrel")).all()


TIMES = "1 0 a 0 12 t|1 0 b 0 7 t|1 0 c 0 9.99 t|1 0 d 0 1000 t"  # in time: b c a d


@pytest.mark.parametrize(
    ("name", "parameters", "expected"),
    [
        ("TimeNumRel", {"second": 5}, 0),
        ("TimeNumRel", {"second": 10}, 1),
        ("TimeNumNonrel", {"second": 5}, 2),
        ("TimeCumRel", {"second": 290}, 1),
        ("TimeCumRel", {"second": 295}, 2),
        ("TimeIntegralCumRel", {}, F(57 * 1 + 2, 60)),
        ("TimeP", {"second": 0}, 0),
        ("TimeP", {"second": 5}, F(2, 4)),
        ("TimeRelativeP", {"second": 295}, F(2, 3)),
        ("TimeIntegralP", {}, F(59 * 2, 60 * 4)),
        ("TimeIntegralRelativeP", {}, F(59 * 2, 60 * 3)),
        ("TimeUAP", {"second": 5}, F(4, 4 * 3)),
        ("TimeRelativeUAP", {"second": 5}, F(4, 9)),
        ("TimeIntegralUAP", {}, F(59, 60) * F(4, 12)),
        ("TimeIntegralRelativeUAP", {}, F(59, 60) * F(4, 9)),
        ("TimeUtility", {"second": 0}, 0),
        ("TimeUtility", {"second": 5}, 2 - (1 - 2)),
        ("TimeUtility", {"second": 10}, 2 - (3 - 2)),
        ("TimeUtility", {"second": 200}, 2 - (3 - 2)),
        ("TimeUtility", {"second": 295}, 2 - (4 - 2)),
        ("TimeIntegralUtility", {}, F(3 + 57 * 1 + 0, 60)),
    ],
)
def test_over_time(tmp_path, name, parameters, expected):
    """The relevant results are a and d; x was not returned."""
    qrels = "1 0 a 1|1 0 d 1|1 0 x 1"
    block = ground(tmp_path, qrels, TIMES, scores=True, order="rising")
    assert value(block, name, **parameters) == pytest.approx([float(expected)])


def test_times_are_needed(tmp_path):
    with pytest.raises(UsageError, match="found a run without scores"):
        value(ground(tmp_path, QRELS, RUN), "TimeP")


def test_pooled_measures_name_what_they_divide():
    for entry in MEASURES.values():
        assert (entry.aggregate == "pooled") == (entry.parts is not None), entry.name


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("micro_prec", F(3 + 1, 7 + 2)),
        ("micro_recall", F(3 + 1, 4 + 1)),
        ("micro_bpref", F(6 + 0, 12 + 1)),
        ("avg_doc_prec", (F(1, 2) + F(2, 4) + F(3, 5) + F(1, 2)) / (4 + 1)),
    ],
)
def test_pooled_over_topics(tmp_path, name, expected):
    ground(tmp_path, QRELS, RUN)
    files = str(tmp_path / "judged"), str(tmp_path / "returned")
    assert evaluate(*files, [name]).means[name] == pytest.approx(float(expected))


@pytest.mark.parametrize(
    ("name", "own", "parameters"),
    [
        ("map_at_R", "AvgPFirstR", {}),
        ("int_1.20R-prec", "IntRprecMult", {"multiple": 1.2}),
        ("unranked_avg_prec5", "UAP", {"cutoff": 5}),
        ("fallout_recall_14", "FalloutRecall", {"label": 14}),
        ("rcl_at_142_nonrel", "AvgFalloutRecall", {"nonrel": 142}),
        ("bpref_top25p2Rnonrel", "BprefVariant", {"variant": "top25p2Rnonrel"}),
        ("bpref_5", "BprefFirst", {"first": 5}),
        ("bpref_num_all", "BprefNumAll", {}),
        ("old_bpref_top10pRnonrel", "OldBpref", {"margin": 10}),
        ("3-pt_avg", "IPrecAvg3", {}),
        ("time_precis_295", "TimeP", {"second": 295}),
    ],
)
def test_older_spellings(name, own, parameters):
    asked = parse(name)
    assert (asked.measure.name, asked.parameters) == (own, parameters)


def test_over_time_from_files(tmp_path):
    ground(tmp_path, "1 0 a 1|1 0 d 1|1 0 x 1", TIMES)
    files = str(tmp_path / "judged"), str(tmp_path / "returned")
    means = evaluate(*files, ["time_cum_rel_10"], order="rising").means
    assert means == {"time_cum_rel_10": 1}
