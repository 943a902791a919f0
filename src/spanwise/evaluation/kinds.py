"""Kinds of blocks: what measures are functions of, and how they are evaluated.

A run is matched with judgements in blocks of some hundred topics. There are blocks of rankings,
readings, elements and others, and each measure reads one kind of them; it returns one value for
each topic of a block. `KINDS` lists the kinds with the functions that make their blocks, apply the
measures, average over assessors, and concatenate the values of blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spanwise.formats import read_quantisation
from spanwise.matching import align
from spanwise.model.judgements import Judgements, Preferences, assessors_of, by_assessor
from spanwise.model.notes import Largest, Remark, Straddling, Tally, merged
from spanwise.model.spans import UNKNOWN

if TYPE_CHECKING:
    from spanwise.matching import Aligned
    from spanwise.matching.elements import Setting
    from spanwise.model.documents import Collection
    from spanwise.model.element_rankings import NavigationRankings
    from spanwise.model.measure import MeasureRequest
    from spanwise.model.notes import Note
    from spanwise.model.policy import Policy
    from spanwise.model.readings import Readings
    from spanwise.model.run import Run

CEILINGS = "ceilings that are bounds, not exact (topics)"
DEPTH = "ceilings of returned chunks: largest number of results of a topic"
ALL_CHUNKS_UNKNOWN = "Ceiling(of=chunks) needs all chunks of the run; pass --chunks NAME=FILE"
BLANK_COUNTS = "FullEvidence counts white space where the text is unknown; pass --collection"
RETURNED = "returned"
"""The name under which it is kept how much a run returned for each topic, in units of budgets."""
TEXTUAL = ("readings", "elements", "navigation")
"""Kinds of blocks that are made from parts of documents."""


Values = dict[str, Any]
"""Values of each measure, one per topic."""


@dataclass(frozen=True, slots=True)
class MatchTask:
    """A run that is to be matched with judgements, and the measures that need it."""

    run: Run
    topics: Sequence[bytes]
    measures: Sequence[MeasureRequest]
    policy: Policy
    notes: list[Note]  # to which notes on matching are added
    collection: Collection | None = None


def _of_preferences(judgements: Preferences, task: MatchTask) -> Values:
    from spanwise.matching.preferences import preference_rankings

    blocks = preference_rankings(task.run, judgements, task.topics, task.policy)
    return concatenated(block_values(block, task.measures) for block in blocks)


def _of_rankings(judgements: Judgements, task: MatchTask) -> Values:
    ties: dict[bytes, dict[int, int]] = {}

    def values(part: Judgements, topics: Sequence[bytes], assessor: bytes) -> Values:
        aligned = align(task.run, part, topics, task.policy)
        ties[assessor] = split_ties(aligned, task.measures)
        scores = any(one.measure.scores for one in task.measures)
        return concatenated(
            block_values(b, task.measures) for b in aligned.blocks(with_scores=scores)
        )

    found = _by_assessor(judgements, task, values)
    rule = task.policy.ties
    order = "mean over all orders" if rule == "expected" else f"{rule} order"
    task.notes.append(Straddling(order, ties))
    return found


def _of_readings(judgements: Judgements, task: MatchTask) -> Values:
    from spanwise.matching.cuts import repeats
    from spanwise.matching.text import readings, without_entry
    from spanwise.matching.texts import meter_of

    meter = meter_of(task.run, task.collection, task.policy.unit)
    unplaced = 0 if task.run.spans is None else int((task.run.spans.starts == UNKNOWN).sum())
    task.notes.append(Tally("results that could not be placed in their documents", unplaced))
    task.notes.append(Tally("results that repeat an earlier one", repeats(task.run)))
    if any(one.parameter("score") == "bep" for one in task.measures):
        what = "documents with highlighted text but no best entry point, whose score=bep is 0"
        task.notes.append(Tally(what, without_entry(judgements, task.topics)))

    limited = any(one.budget is not None for one in task.measures)
    on_block = partial(_on_block, task.measures)
    task.notes.extend(on_block(None))  # in this order, also if a first piece has no topics

    def block_of(block: Readings) -> Values:
        found = block_values(block, task.measures)
        if limited:
            found[RETURNED] = block.returned.astype(np.float64)
        task.notes.extend(on_block(block))
        return found

    def values(part: Judgements, topics: Sequence[bytes], _: bytes) -> Values:
        blocks = readings(task.run, part, topics, task.policy, meter, task.collection)
        return concatenated(block_of(block) for block in blocks)

    found = _by_assessor(judgements, task, values)
    task.notes[:] = merged(task.notes)
    return found


def _on_block(measures: Sequence[MeasureRequest], block: Readings | None) -> Iterator[Note]:
    """Yield what values of a block depend on: known text, depth, and whether ceilings are exact."""
    if any(one.parameter("blank") == "ignore" for one in measures):
        yield Remark(BLANK_COUNTS, block is not None and bool(block.evidence.textless().any()))
    ceilings = [one for one in measures if one.measure.name == "Ceiling"]
    if not ceilings:
        return
    yield Largest(DEPTH, 0 if block is None else int(block.retrieved.max(initial=0)))
    missing, bounds = False, 0
    if block is not None:
        each = [
            block.ceiling(one.parameter("budget"), every=one.parameter("of") == "chunks")
            for one in ceilings
        ]
        missing = None in each
        inexact = [~one[1] for one in each if one is not None]
        bounds = int(np.count_nonzero(np.any(inexact, axis=0))) if inexact else 0
    yield Remark(ALL_CHUNKS_UNKNOWN, missing)
    yield Tally(CEILINGS, bounds)


def _of_elements(judgements: Judgements, task: MatchTask) -> Values:
    from spanwise.matching.elements import element_rankings

    setting = element_setting(task.measures, task.collection)

    def values(part: Judgements, topics: Sequence[bytes], _: bytes) -> Values:
        blocks = element_rankings(task.run, part, topics, task.policy, setting)
        return concatenated(block_values(block, task.measures) for block in blocks)

    return _by_assessor(judgements, task, values)


def element_setting(measures: Sequence[MeasureRequest], collection: Collection | None) -> Setting:
    """Return what matching elements needs: the collection and quantisations from files."""
    from spanwise.matching.elements import Setting
    from spanwise.matching.quantise import QUANTISATIONS

    named = {one.parameter("quant") for one in measures} - {None, *QUANTISATIONS}
    tables = {name: read_quantisation(name) for name in sorted(named)}
    return Setting(collection, tables)


def _of_navigation(judgements: Judgements, task: MatchTask) -> Values:
    from spanwise.matching.readers import later_results

    if any(one.measure.name == "BEPD" for one in task.measures):
        task.notes.append(later_results(task.run, judgements, task.topics, task.policy))

    def values(part: Judgements, topics: Sequence[bytes], _: bytes) -> Values:
        blocks = navigation_blocks(part, replace(task, topics=topics))
        return concatenated(block_values(block, task.measures) for block in blocks)

    return _by_assessor(judgements, task, values)


def navigation_blocks(judgements: Judgements, task: MatchTask) -> Iterator[NavigationRankings]:
    """Yield rankings for models of browsing, with the tables that measures name."""
    from spanwise.formats.inex.tables import read_navigation
    from spanwise.matching.readers import navigation_rankings

    files = {one.parameter("table") for one in task.measures} - {None}
    chances = {file: read_navigation(file) for file in sorted(files)}
    setting = element_setting(task.measures, task.collection)
    return navigation_rankings(task.run, judgements, task.topics, task.policy, setting, chances)


def _by_assessor(
    judgements: Judgements,
    task: MatchTask,
    values: Callable[[Judgements, Sequence[bytes], bytes], Values],
) -> Values:
    """Return the values of each topic, averaged over assessors if there are several."""
    if judgements.assessors is None or not task.topics:
        return values(judgements, task.topics, b"")
    parts = []
    for name, part in zip(assessors_of(judgements), by_assessor(judgements), strict=True):
        judged = set(part.rows.topics)
        mine = [topic for topic in task.topics if topic in judged]
        if mine:
            parts.append((mine, values(part, mine, name)))
    return mean_over_assessors(task.topics, parts)


class Kind(NamedTuple):
    """A kind of block: what it needs, which judgements offer it, and how it is evaluated."""

    needs: str
    offered: Callable[[Judgements | Preferences], bool]
    values: Callable[[Any, MatchTask], Values]


def _has_parts(judgements: Judgements | Preferences) -> bool:
    if not isinstance(judgements, Judgements):
        return False
    return judgements.highlights is not None or judgements.elements is not None


KINDS: dict[str, Kind] = {
    "rankings": Kind("graded documents", lambda j: isinstance(j, Judgements), _of_rankings),
    "preferences": Kind("preferences", lambda j: isinstance(j, Preferences), _of_preferences),
    "navigation": Kind("judged elements or highlighted text", _has_parts, _of_navigation),
    "readings": Kind(
        "highlighted text",
        lambda j: isinstance(j, Judgements) and j.highlights is not None,
        _of_readings,
    ),
    "elements": Kind(
        "judged elements",
        lambda j: (
            isinstance(j, Judgements) and (j.elements is not None or j.highlights is not None)
        ),
        _of_elements,
    ),
}
"""Kinds of blocks by name; the first that judgements offer serves measures that read any."""


def kinds_of(judgements: Judgements | Preferences) -> list[str]:
    """Return the kinds of blocks that can be made from judgements."""
    return [name for name, kind in KINDS.items() if kind.offered(judgements)]


def split_ties(aligned: Aligned, measures: Sequence[MeasureRequest]) -> dict[int, int]:
    """Count, for each cut-off, the topics with equal scores on both sides of it."""
    cutoffs = {one.parameter("cutoff") for one in measures} - {None}
    depth = aligned.policy.depth
    if depth is not None:  # results below it are ignored
        cutoffs = {cutoff for cutoff in cutoffs if cutoff < depth} | {depth}
    return {cutoff: aligned.split_ties(cutoff) for cutoff in sorted(cutoffs)}


def block_values(block: Any, measures: Sequence[MeasureRequest]) -> Values:
    """Return the values of each measure for the topics of a block."""
    values = {one.label: with_empty_topics(one(block), one, block) for one in measures}
    for one in measures:
        for name, part in zip(part_names(one), one.measure.parts or (), strict=True):
            values[name] = with_empty_topics(part(block, **one.parameters), one, block)
    return values


def part_names(one: MeasureRequest) -> list[str]:
    """Return the names under which the two parts of a pooled measure are kept."""
    kinds = ("dividend", "divisor") if one.measure.parts else ()
    return [f"{kind} of {one.label}" for kind in kinds]


def with_empty_topics(values: Any, one: MeasureRequest, block: Any) -> Any:
    """Replace the values of topics with nothing relevant as the policy requires."""
    if one.measure.aggregate == "text":
        return values
    if one.measure.unanswered:
        return np.where(block.evidence.nothing(), values, np.nan)
    if block.policy.empty == "skip":
        relevant = block.anything_relevant(one.parameter("rel"))
        whole = relevant.all() and values.dtype == np.float64
        return values if whole else np.where(relevant, values, np.nan)
    if block.policy.empty == "zero":
        return np.where(np.isnan(values), 0.0, values)
    return values


def concatenated(blocks: Iterable[Values]) -> Values:
    """Concatenate the values of successive blocks."""
    parts = list(blocks)
    if len(parts) == 1:
        return parts[0]
    names = parts[0] if parts else ()  # no topics have no values
    return {name: np.concatenate([part[name] for part in parts]) for name in names}


def mean_over_assessors(topics: Sequence[bytes], parts: list[tuple[list[bytes], Values]]) -> Values:
    """Average each topic over the assessors for whom the measure is defined."""
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
