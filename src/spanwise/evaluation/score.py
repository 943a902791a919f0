"""Scoring of shards: results are matched with judgements, then each topic is measured.

`score_shard` is the function that runs on workers. It reads a run or a piece of one, `match` finds
the places of its results and the judgements that the measures need, and `measured` evaluates every
topic.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from spanwise.errors import (
    DuplicateError,
    EmptyError,
    FormatError,
    InputError,
    NoTopicsError,
    SpanwiseError,
    SpanwiseWarning,
    UsageError,
)
from spanwise.evaluation.kinds import KINDS, MatchTask, Values, kinds_of
from spanwise.evaluation.plan import Shard, Share, prepared_for
from spanwise.evaluation.prepare import (
    Prepared,
    Settled,
    flows,
    messages,
    of_all_chunks,
    of_elements,
    one_at_a_time,
    texts_along,
)
from spanwise.formats.io.files import Stored
from spanwise.formats.pieces import Piece
from spanwise.matching import refuse_duplicate_judgements
from spanwise.model.columns import text
from spanwise.model.judgements import Judgements, Preferences, of_topics
from spanwise.model.notes import Note, Remark, added, within
from spanwise.model.spans import EXACT, LOST, counted

if TYPE_CHECKING:
    from spanwise.model.documents import Collection
    from spanwise.model.measure import MeasureRequest
    from spanwise.model.policy import Policy
    from spanwise.model.run import Run


# What a worker returns ----------------------------------------------------------------------------


class Scattered(InputError):
    """Pieces of a run cannot be joined: several have results of one topic, or kinds differ."""


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """The measured topics of a run or of a piece of it, as plain data.

    `joined` is associative, and joining the pieces of a run equals measuring it as a whole.
    """

    run: str  # the name of the run
    source: str  # the file of the run
    shape: tuple[Any, ...]  # the kind of results (documents, spans, elements) and their unit
    answered: frozenset[bytes]  # the topics with results
    judged: frozenset[bytes]  # the judged topics that this piece is responsible for
    topics: tuple[bytes, ...]  # the measured topics, in byte order
    values: Values
    placing: tuple[Note, ...] = ()  # found while results were placed
    measuring: tuple[Note, ...] = ()  # found while topics were measured
    facts: Mapping[str, int] = field(default_factory=dict)  # counts of results, which are summed


def joined(pieces: Sequence[Measured], *, in_order: bool = True) -> Measured:
    """Join the pieces of a run; if they are not in its order, at least the last is last."""
    if len(pieces) == 1:
        return pieces[0]
    _refuse_scattered(pieces)
    owner: dict[bytes, tuple[int, int]] = {}  # the piece and row that has each topic
    for number, piece in enumerate(pieces):
        for row, topic in enumerate(piece.topics):
            if topic not in owner or topic in piece.answered:
                owner[topic] = number, row
    topics = tuple(sorted(owner))
    valued = [number for number, piece in enumerate(pieces) if piece.topics]
    begins = dict(
        zip(valued, np.cumsum([0, *(len(pieces[n].topics) for n in valued)]), strict=False)
    )
    order = np.array([begins[n] + row for n, row in map(owner.__getitem__, topics)], np.int64)
    names = pieces[valued[0]].values if valued else ()
    return Measured(
        pieces[-1].run,
        pieces[0].source,
        pieces[0].shape,
        frozenset().union(*(piece.answered for piece in pieces)),
        frozenset().union(*(piece.judged for piece in pieces)),
        topics,
        {name: np.concatenate([pieces[n].values[name] for n in valued])[order] for name in names},
        tuple(reduce(added, _numbered([piece.placing for piece in pieces], in_order))),
        tuple(reduce(added, (piece.measuring for piece in pieces))),
        dict(sum((Counter(piece.facts) for piece in pieces), Counter())),
    )


def _numbered(notes: Sequence[tuple[Note, ...]], in_order: bool) -> Iterable[Sequence[Note]]:
    """Prefix positions in notes with the numbers of pieces, if pieces are in order."""
    return [within(some, number) for number, some in enumerate(notes)] if in_order else notes


def _refuse_scattered(pieces: Sequence[Measured]) -> None:
    seen: set[bytes] = set()
    for piece in pieces:
        again = seen & piece.answered
        if again:
            raise Scattered(
                f"{piece.source}: topic {text(min(again))!r} has results in several pieces"
            )
        if piece.shape != pieces[0].shape:
            raise Scattered(f"{piece.source}: found results of different kinds; expected one kind")
        seen |= piece.answered


# Scoring a shard ----------------------------------------------------------------------------------


OF_TEXT = "readings"
"""The kind of blocks that are made from the text of results."""

Rank = tuple[int, int, bytes]
"""The position of a mistake among those that reading the run as a whole would find."""


@dataclass(frozen=True, slots=True, eq=False)
class Partial:
    """The outcome of a shard, as plain data."""

    run: int
    number: int
    found: Measured | None  # None: the piece is empty, or it failed
    failure: SpanwiseError | None = None
    rank: Rank = (0, 0, b"")  # of the failure
    warnings: tuple[Warning, ...] = ()


def score_shard(shard: Shard) -> Partial:
    """Score a shard on a worker.

    A mistake in the input does not raise an exception: the outcome holds it.
    """
    found, failure, rank = None, None, (0, 0, b"")
    with one_at_a_time, warnings.catch_warnings(record=True) as caught:
        if shard.judgements is None:  # planning has read them and issued their warnings
            warnings.simplefilter("ignore", SpanwiseWarning)
        prepared = None
        try:
            prepared = prepared_for(shard)
            warnings.simplefilter("always", SpanwiseWarning)
            found = _measured(prepared, shard)
        except SpanwiseError as error:
            failure = error
            rank = rank if prepared is None else rank_of(error, prepared)
    return Partial(shard.run, shard.number, found, failure, rank, tuple(messages(caught)))


def rank_of(error: SpanwiseError, prepared: Prepared) -> Rank:
    """Return the rank of a mistake.

    Bad lines come first, duplicate results last; among these, those of unjudged topics come first.
    """
    if isinstance(error, FormatError):
        return 0, error.line or 0, b""
    if isinstance(error, DuplicateError):
        return 2, error.topic in prepared.judgements.rows.topics, error.topic
    return 1, 0, b""


def _measured(prepared: Prepared, shard: Shard) -> Measured | None:
    """Measure a shard; if that fails, read the piece again with line numbers, for the message."""
    if not isinstance(shard.piece, Piece):
        return _read_and_measured(prepared, shard)
    try:
        return _read_and_measured(prepared, shard)
    except EmptyError:
        if shard.share == "later":
            return None  # a piece of comments only
    except SpanwiseError:
        if not shard.piece.begin:
            raise
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # caught the first time
        return _read_and_measured(prepared, shard, numbered=True)


def _read_and_measured(prepared: Prepared, shard: Shard, *, numbered: bool = False) -> Measured:
    settled = prepared.settle(shard.profile)
    in_turn = flows(shard.source) and settled.policy.match != "order"
    if shard.piece is None and not shard.at_once and in_turn:
        return _in_turn(prepared, shard, prepared.read_in_turn(shard.source))
    run = prepared.read(shard.source, shard.piece, numbered=numbered)
    found = measured(prepared, run, settled, shard.share, shard.profile.limit, shard.name)
    return replace(found, source=shard.source) if isinstance(shard.piece, Stored) else found


def _in_turn(prepared: Prepared, shard: Shard, pieces: Iterator[Run]) -> Measured:
    """Measure one piece of a packed file after the other, of which memory holds one at a time.

    A mistake in a line is reported before a mistake in results.
    """
    found: list[Measured] = []
    failures: list[SpanwiseError] = []
    settled, limit = prepared.settle(shard.profile), shard.profile.limit
    run = next(pieces, None)
    while run is not None:
        following = next(pieces, None)
        share: Share = "later" if found or failures else "first"
        try:
            alone = share == "first" and following is None
            share = "whole" if alone else share
            found.append(measured(prepared, run, settled, share, limit, shard.name))
        except SpanwiseError as error:
            failures.append(error)
        run = following
    if failures:
        raise min(failures, key=lambda error: rank_of(error, prepared))
    return joined(found)


# Matching ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Matched:
    """A run and judgements that measures can be applied to."""

    judgements: Judgements | Preferences
    run: Run
    collection: Collection | None
    notes: tuple[Note, ...] = ()


def match(
    prepared: Prepared,
    run: Run,
    settled: Settled,
    share: Share = "whole",
    name: str | None = None,
) -> Matched:
    """Find the place of each result, and judgements of the kind that the measures need."""
    notes = list(run.notes)
    if any(map(of_all_chunks, settled.measures)):
        run = prepared.with_chunks(run, name)
    measures, policy = settled
    collection = prepared.collection or texts_along(prepared.judgements)
    judgements = prepared.judgements
    if collection is not None:
        from spanwise.matching.placing import placed

        judgements, run = placed(judgements, run, collection, notes)
    if isinstance(judgements, Judgements):
        if judgements.elements is not None and share != "later":
            from spanwise.matching.trees import assessment_notes

            notes += assessment_notes(judgements)
        judgements = _readable(judgements, run, measures, policy, collection, notes)
    _refuse_unsuitable(judgements, measures)
    return Matched(judgements, run, collection, tuple(notes))


def _readable(
    judgements: Judgements,
    run: Run,
    measures: Sequence[MeasureRequest],
    policy: Policy,
    collection: Collection | None,
    notes: list[Note],
) -> Judgements:
    """Return judgements with relevant text in the units of the run, from the chosen annotators."""
    textual = [one for one in measures if one.measure.reads == OF_TEXT]
    if not textual:
        return judgements
    from spanwise.matching.evidence import combine_assessors
    from spanwise.matching.placing import nothing_highlighted, whole_documents
    from spanwise.matching.text import states_sizes
    from spanwise.matching.texts import copies_counted, refuse_unplaced_texts

    if states_sizes(judgements) and all(map(_of_sizes, textual)):
        return judgements
    judgements = nothing_highlighted(judgements)
    plain = judgements.highlights is None and judgements.elements is None
    if plain and collection is not None:
        judgements = whole_documents(judgements, collection)
        notes.append(Remark("relevant documents are taken for relevant text as a whole"))
    refuse_unplaced_texts(run, judgements)

    def combined() -> Judgements:
        with_copies = copies_counted(judgements, collection, policy.copies)
        return combine_assessors(with_copies, policy.annotators)

    return judgements.once(("annotators", policy.annotators, policy.copies, collection), combined)


def _refuse_unsuitable(
    judgements: Judgements | Preferences, measures: Sequence[MeasureRequest]
) -> None:
    """Refuse measures that need judgements of another kind."""
    offered = kinds_of(judgements)
    unfit = [one for one in measures if one.measure.reads not in (*offered, "anything")]
    if not unfit:
        return
    from spanwise.matching.placing import refuse_unplaced_passages
    from spanwise.matching.text import states_sizes

    sized = isinstance(judgements, Judgements) and states_sizes(judgements)
    for one in unfit:
        if not (sized and _of_sizes(one)):
            if one.measure.reads == OF_TEXT:
                refuse_unplaced_passages(judgements, one.label)
            raise UsageError(
                f"measure {one.label!r} needs {KINDS[one.measure.reads].needs}, but"
                f" {judgements.rows.source} holds {KINDS[offered[-1]].needs}; see: spanwise formats"
            )


def _of_sizes(one: MeasureRequest) -> bool:
    """Tell whether a measure of text does with the sizes that a file states."""
    return one.measure.reads == OF_TEXT and one.sizes_suffice


# Measuring --------------------------------------------------------------------------------------


def measured(
    prepared: Prepared,
    run: Run,
    settled: Settled,
    share: Share = "whole",
    limit: int | None = None,
    name: str | None = None,
) -> Measured:
    """Measure each topic of a run, or of a piece of one.

    Topics with more results than `limit` are reported. `name` is what the request calls the run.
    """
    matched = match(prepared, run, settled, share, name)
    measures, policy = settled
    judgements, facts = matched.judgements, _facts(matched, run, measures)
    if share != "later" and facts:
        facts |= _quotes(prepared.judgements)
    run = matched.run
    judged = frozenset(judgements.rows.topics)
    answered = frozenset(run.rows.topics).union(run.questions)  # some with nothing
    if share == "whole":
        refuse_strangers(judged, answered, judgements.rows.source, run.rows.source)
    if isinstance(judgements, Judgements):
        refuse_duplicate_judgements(judgements)
    topics = evaluated_topics(judged, answered, policy, share)
    if share == "later" and isinstance(judgements, Judgements):
        some = (judged & answered) or judgements.rows.topics[:1]  # judgements must not be empty
        judgements = of_topics(judgements, some)
    notes: list[Note] = []
    if limit is not None:
        from spanwise.matching.tasks import overlong

        notes += overlong(run, topics, limit, policy.depth)
    values = values_of(judgements, run, topics, measures, policy, notes, matched.collection)
    return Measured(
        run.name,
        run.rows.source,
        (run.spans is None, run.paths is None, run.ends is None, run.chunks is None, run.unit),
        answered,
        judged if share != "later" else frozenset(),
        topics,
        values,
        matched.notes,
        tuple(notes),
        facts,
    )


def _facts(matched: Matched, given: Run, measures: Sequence[MeasureRequest]) -> dict[str, int]:
    """Count the results of a run of chunks, and how they were placed."""
    run, judgements = matched.run, matched.judgements
    if run.spans is None or not any(one.measure.reads == OF_TEXT for one in measures):
        return {}
    quoted = isinstance(judgements, Judgements) and judgements.evidence is not None
    facts = {"results": len(run.rows)}
    if quoted:
        facts["beside quoted evidence"] = len(run.rows)
    if run.labels is not None:
        facts |= {f"placed {label}": count for label, count in counted(run.labels).items()}
        if given.chunks is not None and given.chunks.stated.any():
            wrong = ~given.chunks.stated | (run.labels != EXACT)
            facts["invalid offsets"] = int(np.count_nonzero((run.labels >= 0) & wrong))
    if run.lengths is not None:
        from spanwise.matching.placing import absent

        facts["missing documents"] = int(np.count_nonzero(absent(run, run.lengths)))
    return facts


def _quotes(judgements: Judgements | Preferences) -> dict[str, int]:
    """Count the quotes of judgements, and those that are in no document."""
    evidence = judgements.evidence if isinstance(judgements, Judgements) else None
    if evidence is None or evidence.labels is None or not (evidence.labels >= 0).any():
        return {}
    lost = int(np.count_nonzero(evidence.labels == LOST))
    return {"quotes": int(np.count_nonzero(evidence.labels >= 0)), "quotes lost": lost}


def refuse_strangers(
    judged: frozenset[bytes], answered: frozenset[bytes], judgements: str, run: str
) -> None:
    """Raise an error if a run and judgements, named by their files, share no topic."""
    if not judged & answered:
        raise NoTopicsError(
            f"{run} and {judgements} have no topic in common:"
            f" {_example(answered)} in the run, {_example(judged)} in the judgements;"
            " expected the same topic ids in both"
        )


def _example(topics: frozenset[bytes]) -> str:
    return repr(text(min(topics)))


def evaluated_topics(
    judged: frozenset[bytes], answered: frozenset[bytes], policy: Policy, share: Share = "whole"
) -> tuple[bytes, ...]:
    """Return the topics that the policy counts, in byte order."""
    mine = judged & answered if share == "later" else judged
    chosen = {"judged": mine, "both": judged & answered, "run": answered}[policy.average_over]
    return tuple(sorted(chosen))


def values_of(
    judgements: Judgements | Preferences,
    run: Run,
    topics: Sequence[bytes],
    measures: Sequence[MeasureRequest],
    policy: Policy,
    notes: list[Note] | None = None,
    collection: Collection | None = None,
) -> Values:
    """Return the value of each measure for each topic."""
    offered = kinds_of(judgements)
    wanted: dict[str, list[MeasureRequest]] = {}
    for one in measures:
        kind = offered[0] if one.measure.reads == "anything" else one.measure.reads
        wanted.setdefault(kind, []).append(one)
    values: Values = {}
    notes = [] if notes is None else notes
    unmoved = [one.label for one in measures if not of_elements(one)]
    if policy.structure != "ignore" and unmoved:
        names = ", ".join(unmoved)
        notes.append(
            Remark(f"structure has no effect on {names}: it applies to measures of judged elements")
        )
    for kind, some in wanted.items():
        task = MatchTask(run, topics, some, policy, notes, collection)
        values |= KINDS[kind].values(judgements, task)
    return values


def laborious(shard: Shard) -> bool:
    """Tell whether scoring takes long even for small runs."""
    measures, _ = prepared_for(shard).settle(shard.profile)
    return any(one.measure.reads in ("elements", "navigation") for one in measures)
