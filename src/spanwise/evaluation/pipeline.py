"""From files to scores, in the order in which it happens. Read this first.

    read  >  ground  >  measure  >  aggregate

Evaluation is a map over shards (some topics of one run) to values by topic, followed by an
associative merge: `shard_values` and `merged` in `kinds` are all that a pool of workers needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from spanwise.collection import opened
from spanwise.errors import NoTopicsError, UsageError
from spanwise.evaluation.kinds import KINDS, TEXTUAL, Grounding, kinds_of, part_names
from spanwise.evaluation.profiles import ELEMENTS, Profile, find_profile, measure_names
from spanwise.formats import Reading, read_topics
from spanwise.matching import refuse_duplicate_judgements
from spanwise.matching.evidence import combine_assessors
from spanwise.matching.placing import (
    nothing_highlighted,
    placed,
    refuse_unplaced_passages,
    whole_documents,
)
from spanwise.matching.texts import refuse_unplaced_texts
from spanwise.measures.names import parse
from spanwise.model.columns import text
from spanwise.model.judgements import Judgements, Preferences, of_topics
from spanwise.model.notes import Remark, counted, in_lines
from spanwise.model.scores import Measured, Scores
from spanwise.stats import overall, pooled

if TYPE_CHECKING:
    from spanwise.model.documents import Collection
    from spanwise.model.measure import MeasureRequest
    from spanwise.model.notes import Note
    from spanwise.model.policy import Policy
    from spanwise.model.run import Run
    from spanwise.model.scores import Values


def asking(
    judgements: Judgements | Preferences, queries: Any, structure: str
) -> Judgements | Preferences:
    """The judgements of those elements alone for which topics ask, where structure counts."""
    if structure == "ignore" or not isinstance(judgements, Judgements):
        return judgements
    if queries is None:
        raise UsageError(
            f"structure: {structure} needs to know what topics ask for; it needs --queries"
        )
    from spanwise.formats.topics.nexi import queries_of
    from spanwise.matching.structure import structure_filter

    stated = queries_of(read_topics(queries))
    missing = [topic for topic in judgements.rows.topics if topic not in stated]
    if missing:
        raise UsageError(
            f"topic {text(missing[0])!r} is judged in {judgements.rows.source}, but not among the"
            " queries; expected every judged topic"
        )
    wanted = structure_filter(stated, strict=structure == "strict")
    return replace(judgements, wanted=wanted, _derived={})


def how_to_read(profile: Profile, given: Mapping[str, Any]) -> Reading:
    """Stated ranks are read where a policy lets them decide what comes first."""
    return Reading(ranks=given.get("ties", profile.policy.ties) == "rank")


def needs_a_look(judgements: Judgements | Preferences) -> bool:
    """Whether, where nothing is named, the run decides what is measured."""
    return bool(set(TEXTUAL) & set(kinds_of(judgements)))


def fitting(
    profile: Profile,
    judgements: Judgements | Preferences,
    run: Run,
    measures: Sequence[str],
    *,
    named: str | None,
) -> Profile:
    """The profile that was named; where none was, that of passages if text is to be measured.

    Documents as a whole stay in the order of their scores beside the evidence for chunks.
    """
    if named or not needs_a_look(judgements):
        return profile
    kinds = kinds_of(judgements)
    parts = run.spans is not None or run.paths is not None
    textual = any(one.measure.reads in TEXTUAL for one in asked(measures))
    if not (textual if measures else parts):
        return profile
    marked = judgements.highlights if isinstance(judgements, Judgements) else None
    campaign = run.paths is not None or (run.spans is not None and run.unit == "opaque")
    if marked is not None and marked.unit != "opaque" and not campaign:
        return find_profile("chunks") if parts else profile
    return find_profile(None, "passages") if measures or "readings" in kinds else ELEMENTS


def known(policy: Mapping[str, Any]) -> dict[str, Any]:
    """Fields of a policy; a name that is none is refused."""
    from spanwise.model.policy import Policy

    unknown = [name for name in policy if name not in Policy.__dataclass_fields__]
    if unknown:
        raise UsageError(
            f"unknown option {unknown[0]!r}; a policy has {', '.join(Policy.__dataclass_fields__)}"
        )
    return dict(policy)


def asked(
    names: Iterable[str], defaults: Mapping[str, Mapping[str, Any]] | None = None
) -> list[MeasureRequest]:
    """The measures behind names; nicknames are spelled out.

    `defaults` are those of a profile: for a family of measures other values of parameters.
    """
    found = [parse(name) for name in measure_names(list(names))]
    return [one.assuming((defaults or {}).get(one.measure.family, {})) for one in found]


def score(
    judgements: Judgements | Preferences,
    run: Run,
    measures: Sequence[MeasureRequest],
    policy: Policy,
    collection: Collection | None = None,
) -> Scores:
    """Score one run that has been read: ground it, measure each topic, sum up."""
    return summed_up(measured(judgements, run, measures, policy, collection), measures, policy)


Share = Literal["whole", "first", "later"]
"""What of a run there is: all of it, its first piece, another piece. The first piece also answers
for judged topics that no piece has results for."""


def measured(
    judgements: Judgements | Preferences,
    run: Run,
    measures: Sequence[MeasureRequest],
    policy: Policy,
    collection: Collection | None = None,
    share: Share = "whole",
) -> Measured:
    """The value of each topic of a run, or of a piece of one, and what there is to say."""
    placing: list[Note] = []
    measuring: list[Note] = []
    collection = collection or texts_along(judgements)
    judgements, run = placed(judgements, run, collection, placing)
    if isinstance(judgements, Judgements):
        judgements = ready_to_read(judgements, run, measures, policy, collection, placing)
    refuse_unfit(judgements, measures)
    judged, answered = frozenset(judgements.rows.topics), frozenset(run.rows.topics)
    if share == "whole":
        refuse_strangers(judged, answered, judgements.rows.source, run.rows.source)
    if isinstance(judgements, Judgements):
        refuse_duplicate_judgements(judgements)
    topics = evaluated_topics(judged, answered, policy, share)
    if share == "later" and isinstance(judgements, Judgements):
        some = (judged & answered) or judgements.rows.topics[:1]  # there is no such thing as none
        judgements = of_topics(judgements, some)
    values = values_of(judgements, run, topics, measures, policy, measuring, collection)
    return Measured(
        run.name,
        run.rows.source,
        (run.spans is None, run.paths is None, run.ends is None, run.chunks is None, run.unit),
        answered,
        judged if share != "later" else frozenset(),
        topics,
        values,
        tuple(placing),
        tuple(measuring),
    )


def texts_along(judgements: Judgements | Preferences) -> Collection | None:
    """The documents that came with the judgements, as a collection."""
    if not isinstance(judgements, Judgements) or judgements.evidence is None:
        return None
    evidence = judgements.evidence
    if not evidence.documents:
        return None
    return judgements.once("texts along", lambda: opened(evidence.documents))


def ready_to_read(
    judgements: Judgements,
    run: Run,
    measures: Sequence[MeasureRequest],
    policy: Policy,
    collection: Collection | None,
    notes: list[Note],
) -> Judgements:
    """Judgements whose relevant text is where the run's is, as annotators are to be taken."""
    textual = any(one.measure.reads == "readings" for one in measures)
    if not textual:
        return judgements
    judgements = nothing_highlighted(judgements)
    plain = judgements.highlights is None and judgements.elements is None
    if plain and collection is not None:
        judgements = whole_documents(judgements, collection)
        notes.append(Remark("relevant documents are taken for relevant text as a whole"))
    refuse_unplaced_texts(run, judgements)
    return judgements.once(
        ("annotators", policy.annotators), lambda: combine_assessors(judgements, policy.annotators)
    )


def refuse_unfit(judgements: Judgements | Preferences, measures: Sequence[MeasureRequest]) -> None:
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


def refuse_strangers(
    judged: frozenset[bytes], answered: frozenset[bytes], judgements: str, run: str
) -> None:
    """Run and judgements, known by their files, must have a topic in common."""
    if not judged & answered:
        raise NoTopicsError(
            f"{run} and {judgements} have no topic in common:"
            f" {_example(answered)} in the run, {_example(judged)} in the judgements;"
            " expected the same topic ids in both"
        )


def evaluated_topics(
    judged: frozenset[bytes], answered: frozenset[bytes], policy: Policy, share: Share = "whole"
) -> tuple[bytes, ...]:
    """The topics that the policy counts, in byte order."""
    mine = judged & answered if share == "later" else judged
    chosen = {"judged": mine, "both": judged & answered, "run": answered}[policy.topics]
    return tuple(sorted(chosen))


def _example(topics: frozenset[bytes]) -> str:
    return repr(text(min(topics)))


def topic_notes(judged: frozenset[bytes], answered: frozenset[bytes], policy: Policy) -> list[str]:
    """What is to be said of topics that only one of the two sides has."""
    notes = []
    if answered - judged and policy.topics != "run":
        notes.append(f"{_topics(answered - judged)} of the run not judged, so ignored")
    if judged - answered:
        fate = "counted as empty" if policy.topics == "judged" else "left out"
        notes.append(f"{_topics(judged - answered)} missing from the run, {fate}")
    return notes


def _topics(topics: frozenset[bytes]) -> str:
    more = ", ..." if len(topics) > 1 else ""
    return f"{counted(len(topics))} ({_example(topics)}{more})"


def values_of(
    judgements: Judgements | Preferences,
    run: Run,
    topics: Sequence[bytes],
    measures: Sequence[MeasureRequest],
    policy: Policy,
    notes: list[Note] | None = None,
    collection: Collection | None = None,
) -> Values:
    """The value of each measure for each topic."""
    offered = kinds_of(judgements)
    wanted: dict[str, list[MeasureRequest]] = {}
    for one in measures:
        kind = offered[0] if one.measure.reads == "anything" else one.measure.reads
        wanted.setdefault(kind, []).append(one)
    values: Values = {}
    said = [] if notes is None else notes
    unmoved = [one.label for one in measures if not _of_elements(one)]
    if policy.structure != "ignore" and unmoved:
        names = ", ".join(unmoved)
        said.append(Remark(f"structure does not matter to {names}: it is of judged elements"))
    for kind, some in wanted.items():
        task = Grounding(run, topics, some, policy, said, collection)
        values |= KINDS[kind].values(judgements, task)
    return values


def _of_elements(one: MeasureRequest) -> bool:
    """Whether a measure counts elements by how they were judged, so that structure matters."""
    graded = one.measure.grades or "quant" in one.measure.parameters
    return graded and one.parameter("behaviour") != "bep"


def summed_up(found: Measured, measures: Sequence[MeasureRequest], policy: Policy) -> Scores:
    """Means over topics, with the number of topics behind each."""
    topics, values = found.topics, found.values
    numeric = [one for one in measures if one.measure.aggregate != "text"]
    numbers = {one.label: values[one.label] for one in numeric}
    undefined = {name: int(np.count_nonzero(np.isnan(column))) for name, column in numbers.items()}
    empty = min(undefined.values(), default=0)
    notes = [
        *in_lines(found.placing),
        *topic_notes(found.judged, found.answered, policy),
        *in_lines(found.measuring),
    ]
    if empty:
        notes.append(f"{counted(empty)} with nothing relevant, left out")
    for name, count in undefined.items():
        if count > empty:
            notes.append(f"{counted(count)} where {name} is undefined, left out of its mean")
    return Scores(
        run=found.run,
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
        source=found.source,
    )


def assumptions(measures: Sequence[MeasureRequest]) -> list[str]:
    """The values of parameters that a profile chose, as a signature shows them."""
    chosen = {
        f"{key}={getattr(value, '__name__', value)}"
        for one in measures
        for key, value in one.assumed.items()
    }
    return [f"assumed:{','.join(sorted(chosen))}"] if chosen else []


def _overall(one: MeasureRequest, values: Values) -> float:
    if one.measure.aggregate != "pooled":
        return overall(values[one.label], one.measure.aggregate)
    return pooled(*(values[name] for name in part_names(one)))
