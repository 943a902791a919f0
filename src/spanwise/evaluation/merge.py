"""Merging of shards: the pieces of each run become its scores, with means and notes.

Warnings and mistakes are those that reading each run as a whole would have reported.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from spanwise.errors import CountedWarning, SpanwiseError, SpanwiseWarning
from spanwise.evaluation.kinds import RETURNED, part_names
from spanwise.evaluation.plan import Scratch, Shard, prepared_for, share_of
from spanwise.evaluation.prepare import Prepared, flows
from spanwise.evaluation.score import (
    Measured,
    Partial,
    Scattered,
    joined,
    refuse_strangers,
    score_shard,
)
from spanwise.formats.io.files import Stored, fits
from spanwise.formats.pieces import Part, Piece, format_of, partition_alike
from spanwise.model.columns import text
from spanwise.model.notes import counted, in_lines
from spanwise.model.scores import Scores, run_names
from spanwise.stats import overall, pooled

if TYPE_CHECKING:
    from spanwise.evaluation.kinds import Values
    from spanwise.model.measure import MeasureRequest
    from spanwise.model.policy import Policy


def merge(
    shards: Sequence[Shard], partials: Iterable[Partial], scratch: Scratch | None = None
) -> list[Scores]:
    """Return the scores of every run from the outcomes of its shards, which are in order.

    If the results of a topic are scattered over several pieces, the run is measured again: as a
    whole if it fits in memory, else in parts on disk.
    """
    prepared = prepared_for(shards[0])
    measures, policy = prepared.settle(shards[0].profile)
    of_run = {run: list(some) for run, some in groupby(shards, lambda shard: shard.run)}
    results = []
    for run, some in groupby(partials, lambda partial: partial.run):
        found = _of_run(of_run[run], list(some), prepared, scratch)
        scores = summed_up(found, measures, policy)
        name = of_run[run][0].name
        results.append(scores if name is None else replace(scores, run=name))
    return with_distinct_names(results)


def with_distinct_names(results: Sequence[Scores]) -> list[Scores]:
    """Return scores whose runs are renamed where several have the same name."""
    named = zip(results, run_names(results), strict=True)
    return [scores if scores.run == name else replace(scores, run=name) for scores, name in named]


def _of_run(
    shards: Sequence[Shard],
    partials: Sequence[Partial],
    prepared: Prepared,
    scratch: Scratch | None,
) -> Measured:
    """Join the pieces of a run, or raise the mistake that reading it as a whole would find."""
    try:
        return _joined(partials, prepared, in_order=not isinstance(shards[0].piece, Part))
    except SpanwiseError as error:
        first, source = shards[0], _bytes_of(shards[0])
        again = len(shards) > 1 or (flows(source) and not first.at_once)
        if not again or isinstance(first.piece, Part | Stored):
            _warn(partials)
            raise
        if fits(source):
            whole = replace(
                first, piece=_whole_piece(shards), number=0, share="whole", at_once=True
            )
            return _of_run([whole], [score_shard(whole)], prepared, None)
        if scratch is None or not isinstance(error, Scattered):
            raise
    entry = format_of(source, first.request.run_format)
    parts = partition_alike([(source, entry)], scratch.folder(), scratch.watch)
    shards = [
        replace(first, piece=part, number=place, share=share_of(place, len(parts)))
        for place, (part,) in enumerate(parts)
    ]
    return _joined([score_shard(shard) for shard in shards], prepared, in_order=False)


def _bytes_of(shard: Shard) -> str:
    """Return the file that contains the lines of a shard."""
    piece = shard.piece
    return piece.path if isinstance(piece, Piece) and piece.path else str(shard.source)


def _whole_piece(shards: Sequence[Shard]) -> Piece | None:
    """Return a piece that spans all pieces; None if the file is read directly."""
    first, last = shards[0].piece, shards[-1].piece
    if isinstance(first, Piece) and isinstance(last, Piece) and first.path:
        return replace(first, end=last.end)
    return None


def _joined(pieces: Sequence[Partial], prepared: Prepared, *, in_order: bool = True) -> Measured:
    failed = [partial for partial in pieces if partial.failure is not None]
    if failed:
        raise min(failed, key=lambda partial: partial.rank).failure or Scattered("")
    there = [partial.found for partial in pieces if partial.found is not None]
    found = joined(there, in_order=in_order)
    _warn(pieces)
    if len(pieces) > 1:
        judgements = prepared.judgements.rows.source
        refuse_strangers(found.judged, found.answered, judgements, found.source)
    return found


def _warn(pieces: Iterable[Partial]) -> None:
    """Issue the warnings of all pieces, with counts summed and duplicates removed."""
    distinct: dict[tuple[str, ...], Warning] = {}
    for warning in (warning for piece in pieces for warning in piece.warnings):
        if isinstance(warning, CountedWarning):
            key = (warning.before, warning.after)
            before = distinct.get(key)
            more = warning.counts
            distinct[key] = before.plus(more) if isinstance(before, CountedWarning) else warning
        else:
            distinct.setdefault((str(warning),), warning)
    for warning in distinct.values():
        warnings.warn(warning, stacklevel=2)


# Means and notes --------------------------------------------------------------------------------


def summed_up(found: Measured, measures: Sequence[MeasureRequest], policy: Policy) -> Scores:
    """Form means over topics, with the number of topics behind each."""
    topics, values = found.topics, found.values
    numeric = [one for one in measures if one.measure.aggregate != "text"]
    numbers = {one.label: values[one.label] for one in numeric}
    undefined = {name: int(np.count_nonzero(np.isnan(column))) for name, column in numbers.items()}
    unanswered = {one.label for one in numeric if one.measure.unanswered}
    empty = min((n for name, n in undefined.items() if name not in unanswered), default=0)
    for warning in _misplaced(found):
        warnings.warn(warning, SpanwiseWarning, stacklevel=2)
    notes = [
        *in_lines(found.placing),
        *_topic_notes(found.judged, found.answered, policy),
        *in_lines(found.measuring),
    ]
    if empty:
        notes.append(f"{counted(empty)} with nothing relevant, left out")
    for name, count in undefined.items():
        if count > empty and name not in unanswered:
            notes.append(f"{counted(count)} where {name} is undefined, left out of its mean")
    if unanswered:
        count = len(topics) - max(undefined[name] for name in unanswered)
        names = ", ".join(name for name in numbers if name in unanswered)
        notes.append(f"{names}: over {counted(count)} without evidence")
    return Scores(
        run=found.run,
        topics=tuple(map(text, topics)),
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
        facts=found.facts,
        sums=frozenset(one.label for one in measures if one.measure.aggregate == "sum"),
        returned=values.get(RETURNED),
        budgets={one.label: one.budget for one in measures if one.budget is not None},
    )


def _misplaced(found: Measured) -> list[str]:
    """Return warnings of chunks and quotes that are in no document."""
    facts = found.facts
    if not facts.get("placed lost") and not facts.get("quotes lost"):
        return []
    from spanwise.stats.cautions import not_found, nothing_placed

    lost = {"lost": facts.get("placed lost", 0)}
    some = (
        not_found(facts.get("quotes", 0), facts.get("quotes lost", 0)),
        nothing_placed(found.run, facts.get("results", 0), lost),
    )
    return [warning for warning in some if warning]


def _topic_notes(judged: frozenset[bytes], answered: frozenset[bytes], policy: Policy) -> list[str]:
    """Return notes on topics that only the run or only the judgements have."""
    notes = []
    if answered - judged and policy.average_over != "run":
        notes.append(f"{_topics(answered - judged)} of the run not judged, so ignored")
    if judged - answered:
        fate = "counted as empty" if policy.average_over == "judged" else "left out"
        notes.append(f"{_topics(judged - answered)} missing from the run, {fate}")
    return notes


def _topics(topics: frozenset[bytes]) -> str:
    more = ", ..." if len(topics) > 1 else ""
    return f"{counted(len(topics))} ({text(min(topics))!r}{more})"


def assumptions(measures: Sequence[MeasureRequest]) -> list[str]:
    """Return the values of parameters that a profile chose, as a signature shows them."""
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
