"""What `spanwise pool check` looks at: sizes, coverage, unique contributions, cost."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from spanwise.errors import UsageError
from spanwise.formats import read_judgements, read_pool
from spanwise.judge.pooling import (
    STRATA,
    Contributions,
    Ranking,
    Relevant,
    contributions,
    relevant_in,
)
from spanwise.model.columns import text
from spanwise.model.scores import printable
from spanwise.report.scores import null

if TYPE_CHECKING:
    from spanwise.model.pools import Pool

TOPS = (10, 100)


def checked(
    pool: str, runs: Sequence[str], judgements: str | None, measure: str | None, minutes: float
) -> dict[str, Any]:
    """Everything about a pool and runs, as JSON has it."""
    if measure and not judgements:
        raise UsageError("-m scores runs, which needs --judgements")
    if not 0 <= minutes < np.inf:
        raise UsageError(f"--minutes {minutes:g}: expected what a document takes, 0 or more")
    drawn, given = read_pool(pool), contributions(runs)
    known = relevant_in(judgements) if judgements else None
    alone = unique(drawn, given)
    sizes = {printable(topic): len(documents) for topic, documents in drawn.topics.items()}
    answer: dict[str, Any] = {
        "pool": {key: value for key, value in drawn.about.items() if key != "runs"},
        "topics": len(sizes),
        "documents": len(drawn),
        "sizes": sizes,
        "hours": len(drawn) * minutes / 60,
        "minutes": minutes,
        "runs": [_run(drawn, given, number, known, alone[number]) for number in range(len(alone))],
    }
    if known is not None:
        answer["judged"] = len(drawn.keys() & known.keys())
    if measure and judgements:
        _leave_out(answer, alone, given, judgements, measure)
    return answer


def _run(
    pool: Pool,
    given: Contributions,
    number: int,
    known: Relevant | None,
    alone: set[tuple[str, str]],
) -> dict[str, Any]:
    said: dict[str, Any] = {"run": printable(given.runs[number].name)}
    said["unique"] = len(alone)
    if known is not None:
        said["unique_relevant"] = sum(known.get(key, False) for key in alone)
    keys, topics = pool.keys(), set(pool.topics)
    for most in TOPS:
        shares, seen = [], []
        for topic in topics:
            names = list(given.rankings[number].get(topic, {}))[:most]
            if names:
                shares.append(np.mean([(topic, name) in keys for name in names]))
                seen.append(np.mean([(topic, name) in (known or ()) for name in names]))
        said[f"pooled@{most}"] = null(float(np.mean(shares))) if shares else None
        if known is not None:
            said[f"judged@{most}"] = null(float(np.mean(seen))) if seen else None
    said["characters"] = _characters(pool, given, number)
    return said


def unique(pool: Pool, given: Contributions) -> list[set[tuple[str, str]]]:
    """For each run what of the pool it has brought in and no other.

    A run that returned a document further down than the pool reaches did not bring it in.
    """
    found: list[set[tuple[str, str]]] = [set() for _ in given.runs]
    for topic, documents in pool.topics.items():
        reached = max(one.round for one in documents)
        brought = [_brought(pool, ranking, reached) for ranking in given.of(topic)]
        for one in documents:
            owners = [number for number, names in enumerate(brought) if one.document in names]
            if len(owners) == 1:
                found[owners[0]].add((topic, one.document))
    return found


def _brought(pool: Pool, ranking: Ranking, rounds: int) -> Ranking:
    """As far as a pool of these rounds reaches into a run; all, where there is no such place."""
    match pool.about.get("method"):
        case "rounds":
            return dict(islice(ranking.items(), rounds))
        case "depth":
            last = pool.about.get("depth", np.inf)
        case "sample":
            last = STRATA[-1][0]
        case _:
            return ranking
    return {name: rank for name, rank in ranking.items() if rank <= last}


def _characters(pool: Pool, given: Contributions, number: int) -> float | None:
    """The share of the characters returned that lie in pooled documents."""
    run, keys = given.runs[number], pool.keys()
    if run.spans is None:
        return None
    owners = np.repeat(np.arange(len(run.rows.topics)), np.diff(run.rows.starts)).tolist()
    names = run.documents.take(np.arange(len(run.rows)))
    inside = np.array(
        [
            (text(run.rows.topics[owner]), text(name)) in keys
            for owner, name in zip(owners, names, strict=True)
        ]
    )
    real = run.spans.starts >= 0
    total = int(run.spans.lengths[real].sum())
    return int(run.spans.lengths[real & inside].sum()) / total if total else None


def _leave_out(
    answer: dict[str, Any],
    alone: Sequence[set[tuple[str, str]]],
    given: Contributions,
    judgements: str,
    measure: str,
) -> None:
    """Score each run as if what it alone brought into the pool had not been judged."""
    from spanwise.evaluation.evaluate import run as score
    from spanwise.evaluation.request import Request
    from spanwise.model.judgements import Judgements, only

    said = read_judgements(judgements)
    if not isinstance(said, Judgements):
        raise UsageError(f"{judgements}: preferences; expected judgements")
    owners = np.repeat(np.arange(len(said.rows.topics)), np.diff(said.rows.starts)).tolist()
    names = said.documents.take(np.arange(len(said.rows)))
    keys = [(text(said.rows.topics[o]), text(n)) for o, n in zip(owners, names, strict=True)]
    for number, run in enumerate(given.runs):
        kept = only(said, np.flatnonzero([key not in alone[number] for key in keys]))
        for name, judged in (("score", said), ("without_own", kept)):
            ((_, mean),) = score(Request(judged, [run], [measure]))[0].means.items()
            answer["runs"][number][name] = null(float(mean))
    answer["measure"] = measure
