"""Evidence of several annotators: united, what all of them pointed out, or each on their own."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from spanwise.model.evidence import Evidence, highlights_of
from spanwise.model.ids import PlainIds
from spanwise.model.judgements import Judgements
from spanwise.model.rows import Rows
from spanwise.model.spans import UNKNOWN, Spans, merged

if TYPE_CHECKING:
    from spanwise.model.arrays import IntArray
    from spanwise.model.policy import Annotators

Groups = dict[tuple[int, bytes, bytes], tuple[int, list[int]]]
"""Topic, document and annotator; the row that it comes from, and its items."""


def as_annotators_say(judgements: Judgements, how: Annotators) -> Judgements:
    """The judgements as a policy wants those of several annotators to be taken."""
    evidence = judgements.evidence
    if evidence is None or judgements.highlights is None:
        return judgements
    people = _people(judgements, evidence)
    named = sorted({one for one in people if one})
    if not named or (judgements.assessors is None and how == "union"):
        return judgements
    owner = np.repeat(np.arange(len(judgements.rows)), evidence.counts)
    apart = how == "mean"
    united = regrouped(judgements, _groups(judgements, owner, people, apart), apart=apart)
    return _shared(united) if how == "intersection" else united


def _people(judgements: Judgements, evidence: Evidence) -> list[bytes]:
    """Who pointed out each item."""
    people = evidence.by.take(np.arange(len(evidence)))
    if judgements.assessors is None:
        return people
    owner = np.repeat(np.arange(len(judgements.rows)), evidence.counts)
    return [a or b for a, b in zip(people, judgements.assessors.take(owner), strict=True)]


def _groups(judgements: Judgements, owner: IntArray, people: list[bytes], apart: bool) -> Groups:
    rows = judgements.rows
    topics = np.searchsorted(rows.starts, np.arange(len(rows)), side="right") - 1
    names = judgements.documents.take(np.arange(len(rows)))
    groups: Groups = {}
    for row, (topic, name) in enumerate(zip(topics.tolist(), names, strict=True)):
        if not apart:
            groups.setdefault((topic, name, b""), (row, []))
    for item, row in enumerate(owner.tolist()):
        key = (int(topics[row]), names[row], people[item] if apart else b"")
        groups.setdefault(key, (row, []))[1].append(item)
    return groups


def regrouped(judgements: Judgements, groups: Groups, *, apart: bool = False) -> Judgements:
    """The same items with other rows."""
    evidence, marked, rows = judgements.evidence, judgements.highlights, judgements.rows
    assert evidence is not None
    assert marked is not None
    ordered = sorted(groups.items(), key=lambda group: group[0][0])
    source = np.array([row for _, (row, _) in ordered], np.int64)
    items = np.array([item for _, (_, some) in ordered for item in some], np.int64)
    singles = replace(
        evidence, first=np.arange(len(evidence) + 1), full=np.ones(len(evidence), np.bool_)
    )
    sizes = [len(some) for _, (_, some) in ordered]
    moved = replace(
        singles.at(items),
        first=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        full=evidence.full[source],
    )
    counts = np.bincount([key[0] for key, _ in ordered], minlength=len(rows.topics))
    kept = np.flatnonzero(counts)
    lines = [rows.line(row) or 0 for row in source.tolist()]
    highlights = highlights_of(moved, marked.lengths[source], marked.entries[source])
    grades = np.where(highlights.relevant > 0, np.maximum(judgements.grades[source], 1), 0)
    return Judgements(
        Rows(
            rows.source,
            tuple(rows.topics[code] for code in kept.tolist()),
            np.concatenate([[0], np.cumsum(counts[kept])]),
            np.array(lines) if rows.has_lines else None,
            rows.has_lines,
        ),
        PlainIds([name for (_, name, _), _ in ordered]),
        grades,
        PlainIds([by for (_, _, by), _ in ordered]) if apart else None,
        highlights=highlights,
        evidence=moved,
    )


def _shared(judgements: Judgements) -> Judgements:
    """Only the text that everybody who judged a topic pointed out."""
    evidence, marked = judgements.evidence, judgements.highlights
    assert evidence is not None
    assert marked is not None
    people = evidence.by.take(np.arange(len(evidence)))
    starts, lengths, counts = [], [], []
    topics = np.searchsorted(judgements.rows.starts, np.arange(len(judgements.rows)), "right") - 1
    cuts = evidence.first[judgements.rows.starts].tolist()
    everybody = [{*people[a:b]} - {b""} for a, b in itertools.pairwise(cuts)]
    relevant = evidence.relevant
    for row in range(len(judgements.rows)):
        mine = range(int(evidence.first[row]), int(evidence.first[row + 1]))
        common: Spans | None = None
        for person in sorted(everybody[int(topics[row])]):
            chosen = np.array([i for i in mine if people[i] == person and relevant[i]], np.int64)
            spans = merged(evidence.spans.at(chosen))
            common = spans if common is None else _both(common, spans)
        found = common if common is not None else Spans(np.zeros(0, int), np.zeros(0, int))
        starts.append(found.starts)
        lengths.append(found.lengths)
        counts.append(len(found))
    count = sum(counts)
    nothing = PlainIds([b""] * count)
    left = replace(
        evidence,
        first=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        spans=Spans(np.concatenate(starts), np.concatenate(lengths)),
        grades=np.ones(count),
        sets=np.zeros(count, np.int64),
        aspects=[()] * count,
        by=nothing,
        texts=nothing,
        stated=np.ones(count, np.bool_),
        labels=None,
    )
    highlights = highlights_of(left, marked.lengths, marked.entries)
    grades = (highlights.relevant > 0).astype(np.float64)
    return replace(judgements, grades=grades, highlights=highlights, evidence=left, _derived={})


def _both(one: Spans, other: Spans) -> Spans:
    """What two sets of disjoint spans have in common."""
    begin = np.maximum(one.starts[:, None], other.starts[None, :]).ravel()
    end = np.minimum(one.ends[:, None], other.ends[None, :]).ravel()
    real = end > begin
    return merged(Spans(begin[real], (end - begin)[real]))


def unplaced(evidence: Evidence) -> int:
    """How many relevant items are nowhere."""
    return int(np.count_nonzero((evidence.grades > 0) & (evidence.spans.starts == UNKNOWN)))
