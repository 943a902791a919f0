"""The same numbers as pytrec_eval, bit for bit: it wraps trec_eval 9 and keeps 32-bit scores."""

from math import exp, log

import pytest

from peers.random_files import in_both, random_pair
from spanwise.evaluation.evaluate import score_run as score
from spanwise.evaluation.prepare import asked as asked_for
from spanwise.evaluation.profiles import find_profile
from spanwise.formats import read_judgements, read_run
from spanwise.model.measure import MeasureRequest

pytrec_eval = pytest.importorskip("pytrec_eval", reason="pytrec_eval-terrier is not installed")

NINE = find_profile("trec_eval9").policy
NOT_NUMBERS = {"runid", "relstring"}
PARAMETERS = {"P.1,3,7", "ndcg_cut.1,3", "map_cut.2", "recall.1,50", "success.2", "relative_P.3"}


def theirs(qrels, run, measures=pytrec_eval.supported_measures, **options):
    found = pytrec_eval.RelevanceEvaluator(qrels, measures, **options).evaluate(run)
    return {
        topic: {name: number for name, number in values.items() if name not in NOT_NUMBERS}
        for topic, values in found.items()
    }


def ours(qrels, run, names, level=1, policy=NINE):
    asked = [at_level(one, level) for one in asked_for(names)]
    return score(read_judgements(qrels), read_run(run), asked, policy).per_topic


def at_level(one: MeasureRequest, level: int) -> MeasureRequest:
    """The measure with documents of at least this grade as relevant ones."""
    if "rel" not in one.measure.parameters or one.measure.name == "NumRet":
        return one
    return MeasureRequest(one.label, one.measure, {**one.parameters, "rel": level})


def assert_equal(found, wanted):
    assert found.keys() == wanted.keys()
    for topic, values in wanted.items():
        for name, number in values.items():
            if name.startswith("gm_"):  # theirs is the logarithm that its mean adds up
                assert log(max(found[topic][name], 0.00001)) == number, (topic, name)
            else:
                assert found[topic][name] == number, (topic, name)


@pytest.mark.parametrize("seed", range(12))
def test_every_measure_of_theirs_is_the_same_for_every_topic(seed):
    qrels, run = random_pair(seed, lowest=-1 if seed % 2 else 0)
    wanted = theirs(qrels, run)
    names = list(next(iter(wanted.values())))
    assert len(names) > 80
    assert wanted.keys() == in_both(qrels, run)
    assert_equal(ours(qrels, run, names), wanted)


@pytest.mark.parametrize("level", [2, 3, 5])
def test_a_higher_level_of_relevance(level):
    qrels, run = random_pair(100 + level)
    if level > 4:  # it reads beyond its tables for bpref where no document reaches the level
        measures = pytrec_eval.supported_measures - {"bpref", "gm_bpref"}
    else:
        qrels = {t: {**documents, "best": 4} for t, documents in qrels.items()}
        measures = pytrec_eval.supported_measures
    wanted = theirs(qrels, run, measures, relevance_level=level)
    names = list(next(iter(wanted.values())))
    assert_equal(ours(qrels, run, names, level), wanted)


@pytest.mark.parametrize("seed", [200, 201, 202])
def test_other_cut_offs(seed):
    qrels, run = random_pair(seed)
    wanted = theirs(qrels, run, PARAMETERS)
    names = list(next(iter(wanted.values())))
    assert {"P_7", "ndcg_cut_3", "recall_50"} <= set(names)
    assert_equal(ours(qrels, run, names), wanted)


@pytest.mark.parametrize("seed", [300, 301, 302])
def test_only_judged_documents(seed):
    from dataclasses import replace

    qrels, run = random_pair(seed, lowest=-1)
    # without a single judged result they divide 0 by 0
    run = {t: r for t, r in run.items() if any(qrels.get(t, {}).get(d, -1) >= 0 for d in r)}
    wanted = theirs(qrels, run, judged_docs_only_flag=True)
    names = list(next(iter(wanted.values())))
    assert_equal(ours(qrels, run, names, policy=replace(NINE, unjudged="drop")), wanted)


def test_deep_rankings_add_up_in_the_same_order():
    qrels, run = random_pair(400, topics=3, depth=1500, ties=False)
    wanted = theirs(qrels, run)
    assert_equal(ours(qrels, run, list(next(iter(wanted.values())))), wanted)


def test_scores_that_only_64_bits_tell_apart_are_tied():
    qrels, run = {"1": {"a": 1, "b": 0}}, {"1": {"a": 1.00000001, "b": 1.0}}
    assert theirs(qrels, run, {"map"}) == {"1": {"map": 0.5}}  # tied, so b comes first
    assert ours(qrels, run, ["map"]) == {"1": {"map": 0.5}}
    ten = find_profile("trec_eval").policy
    assert ours(qrels, run, ["map"], policy=ten) == {"1": {"map": 1.0}}


def test_means_are_theirs():
    qrels, run = random_pair(500)
    wanted = theirs(qrels, run, {"map", "gm_map", "num_rel", "P.5"})
    found = score(
        read_judgements(qrels), read_run(run), asked_for(["map", "gm_map", "num_rel", "P_5"]), NINE
    ).means
    columns = {n: [values[n] for values in wanted.values()] for n in ("map", "num_rel", "P_5")}
    for name in columns:
        mean = pytrec_eval.compute_aggregated_measure(name, columns[name])
        assert found[name] == pytest.approx(mean, rel=1e-14)
    logs = [values["gm_map"] for values in wanted.values()]
    assert found["gm_map"] == pytest.approx(exp(sum(logs) / len(logs)), rel=1e-14)
