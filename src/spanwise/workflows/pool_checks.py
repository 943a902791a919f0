"""Checks of a pool: its size, its cost, and how well it covers runs.

With judgements, a run is also scored as if the documents that it alone contributed were unjudged,
which shows whether the judgements are reusable for runs outside the pool.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from spanwise.errors import UsageError
from spanwise.evaluation.request import names_of
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
from spanwise.model.scores import Findings, printable
from spanwise.report.scores import null
from spanwise.report.studies import check_tables

if TYPE_CHECKING:
    from spanwise.model.pools import Pool

TOPS = (10, 100)


def check_pool(
    pool: Any,
    runs: Sequence[Any],
    *,
    judgements: Any = None,
    measures: Iterable[object] | str | None = None,
    minutes: float = 2.0,
) -> Findings:
    """Report the sizes of a pool, how far it covers runs, and what each run alone brought in.

    With `judgements` the documents that only one run brought in are counted by relevance; with
    `measures` each run is also scored as if these had not been judged. `minutes` is the time that
    one document takes.
    """
    found = checked(pool, runs, judgements, names_of(measures), minutes)
    return Findings("pool check", found, lambda: check_tables(found))


def checked(
    pool: Any, runs: Sequence[Any], judgements: Any, measures: Sequence[str], minutes: float
) -> dict[str, Any]:
    """Check a pool against runs, and return the findings as plain data."""
    if measures and not judgements:
        raise UsageError("-m scores runs and needs judgements; pass --judgements")
    if not 0 <= minutes < np.inf:
        raise UsageError(f"--minutes {minutes:g}: expected the time per document, 0 or more")
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
    if measures and judgements:
        _score_without_own(answer, alone, given, judgements, measures)
    return answer


def _run(
    pool: Pool,
    given: Contributions,
    number: int,
    known: Relevant | None,
    alone: set[tuple[str, str]],
) -> dict[str, Any]:
    checks: dict[str, Any] = {"run": printable(given.runs[number].name)}
    checks["unique"] = len(alone)
    if known is not None:
        checks["unique_relevant"] = sum(known.get(key, False) for key in alone)
    keys, topics = pool.keys(), set(pool.topics)
    for most in TOPS:
        shares, seen = [], []
        for topic in topics:
            names = list(given.rankings[number].get(topic, {}))[:most]
            if names:
                shares.append(np.mean([(topic, name) in keys for name in names]))
                seen.append(np.mean([(topic, name) in (known or ()) for name in names]))
        checks[f"pooled@{most}"] = null(float(np.mean(shares))) if shares else None
        if known is not None:
            checks[f"judged@{most}"] = null(float(np.mean(seen))) if seen else None
    checks["characters"] = _characters(pool, given, number)
    return checks


def unique(pool: Pool, given: Contributions) -> list[set[tuple[str, str]]]:
    """Return, for each run, the pooled documents that no other run contributed.

    A run contributes the documents down to the depth of the pool.
    """
    found: list[set[tuple[str, str]]] = [set() for _ in given.runs]
    for topic, documents in pool.topics.items():
        reached = max(one.round for one in documents)
        contributed = [_contributed(pool, ranking, reached) for ranking in given.of(topic)]
        for one in documents:
            owners = [number for number, names in enumerate(contributed) if one.document in names]
            if len(owners) == 1:
                found[owners[0]].add((topic, one.document))
    return found


def _contributed(pool: Pool, ranking: Ranking, rounds: int) -> Ranking:
    """Return the results of a run down to the depth of the pool; all if it has no depth."""
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
    """Return the share of the characters of a run that are in pooled documents."""
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


def _score_without_own(
    answer: dict[str, Any],
    alone: Sequence[set[tuple[str, str]]],
    given: Contributions,
    judgements: Any,
    measures: Sequence[str],
) -> None:
    """Score each run, also as if the documents that it alone contributed were unjudged."""
    from spanwise.evaluation.evaluate import run as score
    from spanwise.evaluation.request import Request
    from spanwise.model.judgements import Judgements, only

    judged = read_judgements(judgements)
    if not isinstance(judged, Judgements):
        raise UsageError(f"{judgements}: found preferences; expected judgements")
    owners = np.repeat(np.arange(len(judged.rows.topics)), np.diff(judged.rows.starts)).tolist()
    names = judged.documents.take(np.arange(len(judged.rows)))
    keys = [(text(judged.rows.topics[o]), text(n)) for o, n in zip(owners, names, strict=True)]
    for number, run in enumerate(given.runs):
        kept = only(judged, np.flatnonzero([key not in alone[number] for key in keys]))
        full, rest = (score(Request(some, [run], measures))[0].means for some in (judged, kept))
        answer["runs"][number]["scores"] = {
            name: {"score": null(float(mean)), "without_own": null(float(rest[name]))}
            for name, mean in full.items()
        }
