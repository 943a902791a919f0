"""Evaluation keeps nothing between calls: any order, any number at once, the same numbers."""

import random
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

import spanwise

THREADS = 8
MEASURES = [
    "AP",
    "nDCG@10",
    "P@5",
    "RR",
    "bpref",
    "infAP",
    "ERR@10",
    "Rprec",
    "iprec_at_recall_0.50",
]


def made_up(seed: int, kind=dict):
    """Judgements and a run of 40 topics, with ties."""
    dice = random.Random(seed)
    documents = [f"d{n}" for n in range(60)]
    topics = [f"t{n}" for n in range(40)]
    qrels = {t: {d: dice.choice([0, 0, 1, 2]) for d in dice.sample(documents, 20)} for t in topics}
    run = {t: {d: float(dice.randint(0, 9)) for d in dice.sample(documents, 30)} for t in topics}
    return qrels, run


def options(number: int) -> dict:
    """A policy of its own for every job."""
    return {"ties": ("docno", "file")[number % 2], "depth": (None, 10)[number // 2 % 2]}


JOBS = [(made_up(seed), options(seed)) for seed in range(THREADS)]


def results(job) -> tuple:
    (qrels, run), policy = job
    scores = spanwise.evaluate(qrels, run, MEASURES, **policy)
    return repr(scores.per_topic), scores.means, scores.signature, scores.notes


@pytest.fixture(scope="module")
def alone():
    """What every job gives when nothing else runs."""
    return [results(job) for job in JOBS]


def test_jobs_differ(alone):
    assert len({means for means, *_ in alone}) == len(JOBS)


def test_threads_at_once_give_what_each_gives_alone(alone):
    start = Barrier(THREADS)

    def together(job):
        start.wait()
        return [results(job) for _ in range(3)]

    with ThreadPoolExecutor(THREADS) as pool:
        for expected, found in zip(alone, pool.map(together, JOBS), strict=True):
            assert found == [expected] * 3


def test_the_order_of_evaluations_does_not_matter(alone):
    order = list(range(THREADS))
    random.Random(1).shuffle(order)
    assert [results(JOBS[n]) for n in order] == [alone[n] for n in order]


def test_one_run_can_be_scored_by_many_threads_at_once(alone):
    (qrels, run), policy = JOBS[0]
    judgements, read = spanwise.read_judgements(qrels), spanwise.read_run(run)

    def job(_):
        return results(((judgements, read), policy))

    with ThreadPoolExecutor(THREADS) as pool:
        assert list(pool.map(job, range(2 * THREADS))) == [alone[0]] * 2 * THREADS


def test_what_is_given_is_not_changed():
    (qrels, run), policy = made_up(99), options(0)
    spanwise.evaluate(qrels, run, MEASURES, **policy)
    assert (qrels, run) == made_up(99)
