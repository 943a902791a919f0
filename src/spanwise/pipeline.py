"""From files to scores, in the order in which it happens. Read this first.

    read  >  ground  >  measure  >  aggregate

Evaluation is a map over shards (some topics of one run) to values by topic, followed by an
associative merge: `shard_values` and `merged` are all that a pool of workers needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from spanwise import formats
from spanwise.compare import overall, pooled
from spanwise.errors import NoTopicsError, UsageError
from spanwise.ground import align, refuse_duplicate_judgements
from spanwise.measure.names import parse
from spanwise.model.ids import text
from spanwise.model.judgements import Judgements, Preferences, by_assessor
from spanwise.model.rankings import Rankings
from spanwise.model.scores import Scores
from spanwise.profiles import find_profile, measure_names

if TYPE_CHECKING:
    from spanwise.ground import Aligned
    from spanwise.model.measures import Asked
    from spanwise.model.policy import Policy
    from spanwise.model.run import Run

Values = dict[str, Any]
"""For each measure one value per topic."""


def evaluate(
    qrels: Any,
    run: Any,
    measures: Iterable[str] | str | None = None,
    *,
    profile: str = "documents",
    judgements_format: str | None = None,
    run_format: str | None = None,
    **policy: Any,
) -> Scores:
    """Score one run.

    `qrels` and `run` are files, or objects: dicts as pytrec_eval has them, pandas, polars or
    Arrow tables with the columns query_id, doc_id and relevance or score, lists of named tuples.
    `measures` are names such as "nDCG@10" or trec_eval's; the profile's by default. `policy` are
    the fields of `Policy`, such as ties="expected".
    """
    chosen = find_profile(profile)
    rules = replace(chosen.policy, **_known(policy))
    names = [measures] if isinstance(measures, str) else list(measures or chosen.measures)
    how = formats.Reading(ranks=rules.ties == "rank")
    judged = formats.read_judgements(qrels, judgements_format, how)
    return score(judged, formats.read_run(run, run_format, how), asked(names), rules)


def _known(policy: Mapping[str, Any]) -> dict[str, Any]:
    from spanwise.model.policy import Policy

    unknown = [name for name in policy if name not in Policy.__dataclass_fields__]
    if unknown:
        raise UsageError(
            f"unknown option {unknown[0]!r}; a policy has {', '.join(Policy.__dataclass_fields__)}"
        )
    return dict(policy)


def asked(names: Iterable[str]) -> list[Asked]:
    """The measures behind names; nicknames are spelled out."""
    return [parse(name) for name in measure_names(list(names))]


def score(
    judgements: Judgements | Preferences, run: Run, measures: Sequence[Asked], policy: Policy
) -> Scores:
    """Score one run that has been read: ground it, measure each topic, sum up."""
    refuse_unfit(judgements, measures)
    topics = evaluated_topics(judgements, run, policy)
    if isinstance(judgements, Judgements):
        refuse_duplicate_judgements(judgements)
    notes = topic_notes(judgements, run, policy)
    values = values_of(judgements, run, topics, measures, policy, notes)
    return summed_up(run, topics, measures, policy, values, notes)


def refuse_unfit(judgements: Judgements | Preferences, measures: Sequence[Asked]) -> None:
    """A measure of preferences needs preferences, every other one graded documents."""
    given = "preferences" if isinstance(judgements, Preferences) else "rankings"
    for one in measures:
        if one.measure.reads not in (given, "anything"):
            kinds = {"rankings": "graded documents", "preferences": "preferences"}
            raise UsageError(
                f"measure {one.label!r} needs {kinds[one.measure.reads]}, but"
                f" {judgements.rows.source} holds {kinds[given]}; see: spanwise formats"
            )


def evaluated_topics(
    judgements: Judgements | Preferences, run: Run, policy: Policy
) -> tuple[bytes, ...]:
    """The topics that the policy counts, in byte order."""
    judged, answered = set(judgements.rows.topics), set(run.rows.topics)
    if not judged & answered:
        raise NoTopicsError(
            f"{run.rows.source} and {judgements.rows.source} have no topic in common:"
            f" {_example(answered)} in the run, {_example(judged)} in the judgements;"
            " expected the same topic ids in both"
        )
    chosen = {"judged": judged, "both": judged & answered, "run": answered}[policy.topics]
    return tuple(sorted(chosen))


def _example(topics: set[bytes]) -> str:
    return repr(text(min(topics)))


def topic_notes(judgements: Judgements | Preferences, run: Run, policy: Policy) -> list[str]:
    """What is to be said of topics that only one of the two sides has."""
    judged, answered = set(judgements.rows.topics), set(run.rows.topics)
    notes = []
    if answered - judged and policy.topics != "run":
        notes.append(f"{_topics(answered - judged)} of the run not judged, so ignored")
    if judged - answered:
        fate = "counted as empty" if policy.topics == "judged" else "left out"
        notes.append(f"{_topics(judged - answered)} missing from the run, {fate}")
    return notes


def _topics(topics: set[bytes]) -> str:
    more = ", ..." if len(topics) > 1 else ""
    return f"{_counted(len(topics))} ({_example(topics)}{more})"


def _counted(topics: int) -> str:
    return f"{topics} topic{'s' if topics != 1 else ''}"


def values_of(
    judgements: Judgements | Preferences,
    run: Run,
    topics: Sequence[bytes],
    measures: Sequence[Asked],
    policy: Policy,
    notes: list[str] | None = None,
) -> Values:
    """The value of each measure for each topic."""
    if isinstance(judgements, Preferences):
        from spanwise.ground.preferences import fulfilments

        blocks = fulfilments(run, judgements, topics, policy)
        return merged(shard_values(block, measures) for block in blocks)
    parts = []
    for part in by_assessor(judgements):
        judged = set(part.rows.topics)
        mine = [topic for topic in topics if judgements.assessors is None or topic in judged]
        aligned = align(run, part, mine, policy)
        if notes is not None:
            notes += [note for note in tie_notes(aligned, measures) if note not in notes]
        if mine:
            scores = any(one.measure.scores for one in measures)
            shards = aligned.blocks(with_scores=scores)
            parts.append((mine, merged(shard_values(block, measures) for block in shards)))
    return parts[0][1] if judgements.assessors is None else mean_over_assessors(topics, parts)


def tie_notes(aligned: Aligned, measures: Sequence[Asked]) -> list[str]:
    """Where equal scores stand on both sides of a cut-off, the order among them decides."""
    notes = []
    cutoffs = {one.parameter("cutoff") for one in measures} - {None}
    depth = aligned.policy.depth
    if depth is not None:  # nothing below it is looked at
        cutoffs = {cutoff for cutoff in cutoffs if cutoff < depth} | {depth}
    for cutoff in sorted(cutoffs):
        count = aligned.straddled(cutoff)
        if count:
            rule = aligned.policy.ties
            order = "mean over all orders" if rule == "expected" else f"{rule} order"
            notes.append(f"{_counted(count)} with equal scores across rank {cutoff}: {order}")
    return notes


def shard_values(block: Any, measures: Sequence[Asked]) -> Values:
    """The map: values of some topics. This function runs on every worker, near or far."""
    values = {one.label: settled(one(block), one, block) for one in measures}
    for one in measures:
        for name, part in zip(part_names(one), one.measure.parts or (), strict=True):
            values[name] = settled(part(block, **one.parameters), one, block)
    return values


def part_names(one: Asked) -> list[str]:
    """Under which names the two parts of a pooled measure stand among the values."""
    kinds = ("dividend", "divisor") if one.measure.parts else ()
    return [f"{kind} of {one.label}" for kind in kinds]


def settled(values: Any, one: Asked, block: Any) -> Any:
    """Topics with nothing relevant are undefined or 0, as the policy says."""
    if one.measure.aggregate == "text" or not isinstance(block, Rankings):
        return values
    if block.policy.empty == "skip":
        return np.where(block.anything_relevant(one.parameter("rel")), values, np.nan)
    if block.policy.empty == "zero":
        return np.where(np.isnan(values), 0.0, values)
    return values


def merged(shards: Iterable[Values]) -> Values:
    """The reduction: shards one after the other."""
    parts = list(shards)
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def mean_over_assessors(topics: Sequence[bytes], parts: list[tuple[list[bytes], Values]]) -> Values:
    """Each topic's mean over those of its assessors for whom the measure is defined."""
    rows = {topic: row for row, topic in enumerate(topics)}
    means: Values = {}
    for name in parts[0][1]:
        sums, count = np.zeros(len(topics)), np.zeros(len(topics), np.int64)
        for mine, values in parts:
            defined = ~np.isnan(values[name])
            where = np.array([rows[topic] for topic in mine])[defined]
            sums[where] += values[name][defined]
            count[where] += 1
        means[name] = np.divide(sums, count, out=np.full(len(sums), np.nan), where=count > 0)
    return means


def summed_up(
    run: Run,
    topics: Sequence[bytes],
    measures: Sequence[Asked],
    policy: Policy,
    values: Values,
    notes: list[str],
) -> Scores:
    """Means over topics, with the number of topics behind each."""
    numeric = [one for one in measures if one.measure.aggregate != "text"]
    numbers = {one.label: values[one.label] for one in numeric}
    undefined = {name: int(np.count_nonzero(np.isnan(column))) for name, column in numbers.items()}
    if any(undefined.values()):
        most = max(undefined.values())
        notes.append(f"{_counted(most)} with nothing relevant, left out")
    return Scores(
        run=run.name,
        topics=tuple(text(topic) for topic in topics),
        values=numbers,
        means={one.label: _overall(one, values) for one in numeric},
        counts={name: len(topics) - undefined[name] for name in numbers},
        signature=policy.signature(),
        notes=tuple(notes),
        texts={
            one.label: tuple(values[one.label].tolist())
            for one in measures
            if one.measure.aggregate == "text"
        },
        source=run.rows.source,
    )


def _overall(one: Asked, values: Values) -> float:
    if one.measure.aggregate != "pooled":
        return overall(values[one.label], one.measure.aggregate)
    return pooled(*(values[name] for name in part_names(one)))
