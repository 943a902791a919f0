"""From files to scores, in the order in which it happens. Read this first.

    read  >  ground  >  measure  >  aggregate

Evaluation is a map over shards (some topics of one run) to values by topic, followed by an
associative merge: `shard_values` and `merged` are all that a pool of workers needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spanwise.collection import opened
from spanwise.compare import overall, pooled
from spanwise.errors import NoTopicsError, UsageError
from spanwise.formats import Reading, read_judgements, read_run
from spanwise.ground import align, refuse_duplicate_judgements
from spanwise.ground.placing import placed, placed_judgements, refuse_unplaced_passages
from spanwise.measure.names import parse
from spanwise.model.ids import text
from spanwise.model.judgements import Judgements, Preferences, by_assessor
from spanwise.model.scores import Scores
from spanwise.model.spans import UNKNOWN
from spanwise.profiles import Profile, find_profile, measure_names

if TYPE_CHECKING:
    from spanwise.ground import Aligned
    from spanwise.model.documents import Collection
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
    profile: str | None = None,
    task: str | None = None,
    judgements_format: str | None = None,
    run_format: str | None = None,
    collection: Any = None,
    **policy: Any,
) -> Scores:
    """Score one run.

    `qrels` and `run` are files, or objects: dicts as pytrec_eval has them, pandas, polars or
    Arrow tables with the columns query_id, doc_id and relevance or score, lists of named tuples.
    `measures` are names such as "nDCG@10" or trec_eval's; by default those of the profile or task,
    and without these whatever fits the files. `collection` is a store or a folder of documents,
    or an open one: it says where the elements that files name by paths lie. `policy` are the
    fields of `Policy`, such as ties="expected".
    """
    given = _known(policy)
    names = [measures] if isinstance(measures, str) else list(measures or ())
    how = Reading(ranks=given.get("ties") == "rank")
    judged = read_judgements(qrels, judgements_format, how)
    results = read_run(run, run_format, how)
    documents = opened(collection, judged)
    judged = placed_judgements(judged, documents)
    chosen = fitting(find_profile(profile, task), judged, results, names, named=profile or task)
    wanted = asked(names or chosen.measures, chosen.defaults)
    return score(judged, results, wanted, replace(chosen.policy, **given), documents)


def fitting(
    profile: Profile,
    judgements: Judgements | Preferences,
    run: Run,
    measures: Sequence[str],
    *,
    named: str | None,
) -> Profile:
    """The profile that was named; where none was, that of passages if text is to be measured."""
    if named or "readings" not in kinds_of(judgements):
        return profile
    parts = run.spans is not None or run.paths is not None
    textual = any(one.measure.reads == "readings" for one in asked(measures))
    return find_profile(None, "passages") if textual or (parts and not measures) else profile


def _known(policy: Mapping[str, Any]) -> dict[str, Any]:
    from spanwise.model.policy import Policy

    unknown = [name for name in policy if name not in Policy.__dataclass_fields__]
    if unknown:
        raise UsageError(
            f"unknown option {unknown[0]!r}; a policy has {', '.join(Policy.__dataclass_fields__)}"
        )
    return dict(policy)


def asked(
    names: Iterable[str], defaults: Mapping[str, Mapping[str, Any]] | None = None
) -> list[Asked]:
    """The measures behind names; nicknames are spelled out.

    `defaults` are those of a profile: for a family of measures other values of parameters.
    """
    found = [parse(name) for name in measure_names(list(names))]
    return [one.assuming((defaults or {}).get(one.measure.family, {})) for one in found]


def score(
    judgements: Judgements | Preferences,
    run: Run,
    measures: Sequence[Asked],
    policy: Policy,
    collection: Collection | None = None,
) -> Scores:
    """Score one run that has been read: ground it, measure each topic, sum up."""
    said: list[str] = []
    judgements, run = placed(judgements, run, collection, said)
    refuse_unfit(judgements, measures)
    topics = evaluated_topics(judgements, run, policy)
    if isinstance(judgements, Judgements):
        refuse_duplicate_judgements(judgements)
    notes = [*said, *topic_notes(judgements, run, policy)]
    values = values_of(judgements, run, topics, measures, policy, notes)
    return summed_up(run, topics, measures, policy, values, notes)


def refuse_unfit(judgements: Judgements | Preferences, measures: Sequence[Asked]) -> None:
    """A measure needs judgements of the kind that its blocks are made of."""
    offered = kinds_of(judgements)
    for one in measures:
        if one.measure.reads not in (*offered, "anything"):
            if one.measure.reads == "readings":
                refuse_unplaced_passages(judgements, one.label)
            raise UsageError(
                f"measure {one.label!r} needs {KINDS[one.measure.reads].needs}, but"
                f" {judgements.rows.source} holds {KINDS[offered[-1]].needs}; see: spanwise formats"
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
    offered = kinds_of(judgements)
    wanted: dict[str, list[Asked]] = {}
    for one in measures:
        kind = offered[0] if one.measure.reads == "anything" else one.measure.reads
        wanted.setdefault(kind, []).append(one)
    values: Values = {}
    for kind, some in wanted.items():
        task = Grounding(run, topics, some, policy, [] if notes is None else notes)
        values |= KINDS[kind].values(judgements, task)
    return values


@dataclass(frozen=True, slots=True)
class Grounding:
    """What is to be put together with judgements, and for which measures."""

    run: Run
    topics: Sequence[bytes]
    measures: Sequence[Asked]
    policy: Policy
    notes: list[str]  # what was found worth saying is added here


def _of_preferences(judgements: Preferences, task: Grounding) -> Values:
    from spanwise.ground.preferences import fulfilments

    blocks = fulfilments(task.run, judgements, task.topics, task.policy)
    return merged(shard_values(block, task.measures) for block in blocks)


def _of_rankings(judgements: Judgements, task: Grounding) -> Values:
    def values(part: Judgements, topics: Sequence[bytes]) -> Values:
        aligned = align(task.run, part, topics, task.policy)
        new = [note for note in tie_notes(aligned, task.measures) if note not in task.notes]
        task.notes.extend(new)
        scores = any(one.measure.scores for one in task.measures)
        return merged(shard_values(b, task.measures) for b in aligned.blocks(with_scores=scores))

    return _by_assessor(judgements, task, values)


def _of_readings(judgements: Judgements, task: Grounding) -> Values:
    from spanwise.ground.passages import readings

    lost = 0 if task.run.spans is None else int((task.run.spans.starts == UNKNOWN).sum())
    if lost:
        task.notes.append(f"results that could not be placed in their documents: {lost}")

    def values(part: Judgements, topics: Sequence[bytes]) -> Values:
        blocks = readings(task.run, part, topics, task.policy)
        return merged(shard_values(block, task.measures) for block in blocks)

    return _by_assessor(judgements, task, values)


def _by_assessor(
    judgements: Judgements,
    task: Grounding,
    values: Callable[[Judgements, Sequence[bytes]], Values],
) -> Values:
    """The values under each assessor's judgements, averaged where there are several."""
    if judgements.assessors is None:
        return values(judgements, task.topics)
    parts = []
    for part in by_assessor(judgements):
        judged = set(part.rows.topics)
        mine = [topic for topic in task.topics if topic in judged]
        if mine:
            parts.append((mine, values(part, mine)))
    return mean_over_assessors(task.topics, parts)


class Kind(NamedTuple):
    """A kind of block: what it is made of in words, what offers it, how values come of it."""

    needs: str
    offered: Callable[[Judgements | Preferences], bool]
    values: Callable[[Any, Grounding], Values]


KINDS: dict[str, Kind] = {
    "rankings": Kind("graded documents", lambda j: isinstance(j, Judgements), _of_rankings),
    "preferences": Kind("preferences", lambda j: isinstance(j, Preferences), _of_preferences),
    "readings": Kind(
        "highlighted text",
        lambda j: isinstance(j, Judgements) and j.highlights is not None,
        _of_readings,
    ),
}
"""Every kind of block that a measure can be a function of."""


def kinds_of(judgements: Judgements | Preferences) -> list[str]:
    """The kinds of blocks that can be made of judgements."""
    return [name for name, kind in KINDS.items() if kind.offered(judgements)]


def tie_notes(aligned: Aligned, measures: Sequence[Asked]) -> list[str]:
    """Where equal scores stand on both sides of a cut-off, the order among them decides."""
    cutoffs = {one.parameter("cutoff") for one in measures} - {None}
    depth = aligned.policy.depth
    if depth is not None:  # nothing below it is looked at
        cutoffs = {cutoff for cutoff in cutoffs if cutoff < depth} | {depth}
    rule = aligned.policy.ties
    order = "mean over all orders" if rule == "expected" else f"{rule} order"
    found = [(cutoff, aligned.straddled(cutoff)) for cutoff in sorted(cutoffs)]
    across = [(cutoff, count) for cutoff, count in found if count]
    if len(across) > 2:  # in one line
        ranks = ", ".join(f"{cutoff} ({count})" for cutoff, count in across)
        return [f"equal scores across ranks (in so many topics) {ranks}: {order}"]
    return [f"{_counted(n)} with equal scores across rank {k}: {order}" for k, n in across]


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
    if one.measure.aggregate == "text":
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
        signature=policy.signature(*assumptions(measures)),
        notes=tuple(notes),
        texts={
            one.label: tuple(values[one.label].tolist())
            for one in measures
            if one.measure.aggregate == "text"
        },
        source=run.rows.source,
    )


def assumptions(measures: Sequence[Asked]) -> list[str]:
    """The values of parameters that a profile chose, as a signature shows them."""
    chosen = {f"{key}={value}" for one in measures for key, value in one.assumed.items()}
    return [f"assumed:{','.join(sorted(chosen))}"] if chosen else []


def _overall(one: Asked, values: Values) -> float:
    if one.measure.aggregate != "pooled":
        return overall(values[one.label], one.measure.aggregate)
    return pooled(*(values[name] for name in part_names(one)))
