"""However a run is cut into pieces, its scores and all that is said are the same, bit by bit."""

import pickle
import warnings
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.random import default_rng

from run_worlds import WORLDS
from spanwise.evaluation.merge import merge
from spanwise.evaluation.plan import plan
from spanwise.evaluation.request import Request
from spanwise.evaluation.score import Partial, score_shard
from spanwise.measures import MEASURES
from spanwise.model.measure import REQUIRED

WHOLE = 1 << 40
REQUIRED_VALUES = {"max_rel": "max_rel=4", "A": "A=0.1", "budget": "budget=30"}
READS = {
    "documents": ("rankings", "anything"),
    "preferences": ("preferences",),
    "passages": ("readings",),
    "chunks": ("readings",),
    "elements": ("elements", "navigation"),
}


def named(reads: str) -> list[str]:
    """Every measure of a kind, with the parameters that it needs."""
    return [_spelled(m.name, m.parameters) for m in MEASURES.values() if m.reads == reads]


def _spelled(name: str, parameters) -> str:
    needed = {key for key, default in parameters.items() if default is REQUIRED}
    said = ",".join(REQUIRED_VALUES[key] for key in sorted(needed - {"cutoff", "recall"}))
    end = "@10" if "cutoff" in needed else "[0.2]" if "recall" in needed else ""
    return f"{name}{f'({said})' if said else ''}{end}"


# The law ------------------------------------------------------------------------------------


def said_and_scored(request: Request, size: int, mapper=map) -> list:
    """Everything that can be seen of an evaluation, as bytes where it is numbers."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        shards = plan(request, size)
        (scores,) = merge(shards, mapper(score_shard, shards))
    return [
        scores.run,
        scores.topics,
        {name: values.tobytes() for name, values in scores.values.items()},
        {name: repr(mean) for name, mean in scores.means.items()},
        scores.counts,
        scores.signature,
        scores.notes,
        scores.texts,
        scores.source,
        scores.sums,
        scores.facts,
        [str(one.message) for one in caught],
    ]


def through_a_wire(work, some) -> Iterator[Partial]:
    """As another process would do it."""
    for shard in some:
        yield pickle.loads(pickle.dumps(work(pickle.loads(pickle.dumps(shard)))))


@pytest.mark.parametrize("world", WORLDS)
@settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    seed=st.integers(0, 1 << 30),
    size=st.integers(1, 600),
    topics=st.sampled_from(["judged", "both", "run"]),
)
def test_a_run_in_pieces_is_the_run(world, seed, size, topics, tmp_path):
    WORLDS[world](default_rng(seed), tmp_path)
    articles = tmp_path / "articles"
    request = Request(
        str(tmp_path / "qrels"),
        [str(tmp_path / "run")],
        [name for reads in READS[world] for name in named(reads)],
        policy={"average_over": topics},
        collection=str(articles) if articles.exists() else None,
    )
    whole = said_and_scored(request, WHOLE)
    assert len(plan(request, size)) > 1
    assert said_and_scored(request, size, through_a_wire) == whole
