"""The log folded into verdicts: what each judge says of each document; several judges as one."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from spanwise.app.judge.histories import seconds, states
from spanwise.errors import InputError, UsageError
from spanwise.ground.points import TOUCHED, assessed
from spanwise.model.assessments import Assessments, begins_of
from spanwise.model.assessments import Pool as Numbered
from spanwise.model.gestures import Spans as Set
from spanwise.model.gestures import State, added, exhaustivity_of, removed
from spanwise.model.ids import PlainIds
from spanwise.model.judgements import Highlights, Judgements
from spanwise.model.rows import Rows
from spanwise.model.spans import Spans

if TYPE_CHECKING:
    from spanwise.app.judge.store import Document, Store
    from spanwise.model.documents import Collection

MACHINE = "machine:"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one judge says of one document."""

    topic: str
    document: Document
    judge: str
    state: State
    seconds: float = 0.0
    seq: int = 0

    @property
    def spans(self) -> Set:
        """What is relevant, on whichever layer."""
        return self.state.highlighted

    @property
    def grade(self) -> float:
        """The judge's grade; else 1 where something is highlighted; -1 for skipped."""
        if self.state.status == "skipped":
            return -1.0
        return float(self.state.grade if self.state.grade is not None else bool(self.spans))


def verdicts(store: Store, names: Sequence[str], *, every: bool = False) -> list[Verdict]:
    """Of these judges, topic by topic; only finished and skipped documents, unless `every`."""
    wanted = ("done", "skipped", "touched", "open") if every else ("done", "skipped")
    found = []
    documents = {n: {d.number: d for d in store.documents(n)} for n, _, _ in store.topics()}
    for name in names:
        events = store.events(name)
        spent = seconds(events)
        last = {(event.topic, event.doc): event.seq for event in events}
        for (topic, number), state in states(events).items():
            if state.status in wanted:
                document = documents[topic][number]
                times = spent[topic, number], last[topic, number]
                found.append(Verdict(store.topics()[topic][1], document, name, state, *times))
    return sorted(found, key=lambda v: (v.document.topic, v.document.number, names.index(v.judge)))


def chosen_judges(store: Store, judge: str | None, merge: str | None, machines: bool) -> list[str]:
    """Whose verdicts are wanted."""
    roles = store.judges()
    if judge is not None:
        if judge not in roles:
            raise UsageError(f"no judge {judge!r}; there are {', '.join(roles)}")
        return [judge]
    if merge == "adjudicated":
        return [name for name, role in roles.items() if role == "adjudicator"]
    return [
        name
        for name, role in roles.items()
        if role == "judge" and (machines or not name.startswith(MACHINE))
    ]


def merged_verdicts(found: Iterable[Verdict], how: str) -> list[Verdict]:
    """All judges of a document as one: what any, all, or most of them highlighted."""
    groups: dict[tuple[int, int], list[Verdict]] = {}
    for one in found:
        if one.state.status == "done":
            groups.setdefault((one.document.topic, one.document.number), []).append(one)
    return [_merged(group, how) for group in groups.values()]


def _merged(group: Sequence[Verdict], how: str) -> Verdict:
    need = {"union": 1, "intersection": len(group), "majority": len(group) // 2 + 1}[how]
    cuts = sorted({place for one in group for span in one.spans for place in span})
    spans: Set = ()
    for start, end in itertools.pairwise(cuts):
        votes = sum(not removed(((start, end),), s, e) for one in group for s, e in one.spans)
        if votes >= need:
            spans = added(spans, start, end)
    inside = [one.state.bep for one in group if one.state.bep is not None]
    entries = [b for b in inside if any(s <= b < e for s, e in spans)]
    bep = (entries[0] if entries else spans[0][0]) if spans else None
    grades = sorted(one.state.grade for one in group if one.state.grade is not None)
    grade = grades[len(grades) // 2] if grades else None
    layers = {"relevant": spans} if spans else {}
    state = State("done", layers, bep, grade)
    return replace(group[0], judge=how, state=state, seconds=sum(v.seconds for v in group))


# As judgements ----------------------------------------------------------------------------------


def judgements_of(
    found: Sequence[Verdict], source: str, collection: Collection | None = None
) -> Judgements:
    """Verdicts as the model has judgements; with a collection also paths and elements."""
    found = [one for one in found if one.state.status != "skipped"]
    if not found:
        raise InputError(f"{source}: nothing is judged yet")
    topics: dict[str, list[Verdict]] = {}
    for one in found:
        topics.setdefault(one.topic, []).append(one)
    ordered = [one for group in topics.values() for one in group]
    starts = begins_of([len(group) for group in topics.values()])
    rows = Rows(source, tuple(map(_bytes, topics)), starts, has_lines=False)
    people = {one.judge for one in ordered}
    highlights = _highlights(ordered)
    return Judgements(
        rows,
        PlainIds([_bytes(one.document.id) for one in ordered]),
        np.array([one.grade for one in ordered]),
        PlainIds([_bytes(one.judge) for one in ordered]) if len(people) > 1 else None,
        highlights,
        None if collection is None else _assessments(ordered, highlights, collection, len(topics)),
    )


def _bytes(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")


def _highlights(found: Sequence[Verdict]) -> Highlights:
    pairs = np.array([span for one in found for span in one.spans], np.int64).reshape(-1, 2)
    return Highlights(
        np.array([sum(e - s for s, e in one.spans) for one in found], np.int64),
        np.array([one.document.chars for one in found], np.int64),
        np.array([-1 if one.state.bep is None else one.state.bep for one in found], np.int64),
        begins_of([len(one.spans) for one in found]),
        Spans(pairs[:, 0], pairs[:, 1] - pairs[:, 0]),
        "codepoint",
    )


def _assessments(
    found: Sequence[Verdict], highlights: Highlights, collection: Collection, topics: int
) -> Assessments:
    content, unnamed = assessed(
        [_bytes(one.document.id) for one in found],
        highlights,
        collection,
        [Numbered(str(number + 1), "2", "keep") for number in range(topics)],
        lambda row, path: exhaustivity_of(found[row].state.exhaustivity, path) or TOUCHED,
    )
    if unnamed:
        name = found[unnamed[0]].document.id
        raise InputError(f"{name}: the collection has not the text that was judged")
    return content
