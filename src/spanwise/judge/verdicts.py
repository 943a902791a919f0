"""Verdicts: the state of each document by assessor, computed from the log.

States are folds of gestures, and times are sums of intervals between gestures. A tally keeps both
up to date while the log grows. Verdicts can be merged over assessors and converted to judgements.
"""

from __future__ import annotations

import itertools
import threading
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from spanwise.errors import InputError, UsageError
from spanwise.judge.events import Gesture, State, added, applied, exhaustivity_of, folded, removed
from spanwise.judge.events import Spans as Set
from spanwise.matching.placing import TOUCHED, assessed
from spanwise.model.columns import PlainIds, Rows
from spanwise.model.elements import Assessments, begins_of
from spanwise.model.elements import Pool as Numbered
from spanwise.model.judgements import Highlights, Judgements
from spanwise.model.spans import Spans

if TYPE_CHECKING:
    from spanwise.judge.store import Document, Event, Store
    from spanwise.model.documents import Collection

# States and times ---------------------------------------------------------------------------------

Place = tuple[int, int]
"""A topic and a document, by their numbers."""
FINISHED = ("done", "skipped")
AT_ONCE = 10_000
"""Maximum number of events that are read together."""
PAUSE = 120.0
"""Maximum time in seconds between two gestures that counts as work."""


def states(events: Iterable[Event]) -> dict[Place, State]:
    """Return the state of each document after one assessor's events."""
    gestures: dict[Place, list[Gesture]] = {}
    for event in events:
        gestures.setdefault((event.topic, event.doc), []).append(event.gesture)
    return {key: folded(mine) for key, mine in gestures.items()}


def seconds(events: Iterable[Event]) -> dict[Place, float]:
    """Return the time in seconds that an assessor spent on each document."""
    spent: dict[Place, float] = {}
    before = None
    for event in events:
        place = (event.topic, event.doc)
        spent[place] = spent.get(place, 0.0) + busy(before, event)
        before = event
    return spent


def busy(before: Event | None, event: Event) -> float:
    """Return the working time between two gestures; longer pauses are cut."""
    return min(max(event.at_server - before.at_server, 0.0), PAUSE) if before else 0.0


class Tally:
    """A cache of the states and times of every assessor, updated from the log.

    A gesture changes the state of its document. If a gesture was undone, all gestures of the
    document are folded again.
    """

    def __init__(self, store: Store) -> None:
        self._store, self._lock, self._seq = store, threading.Lock(), 0
        self._states: dict[str, dict[Place, State]] = {}
        self._spent: dict[str, dict[Place, float]] = {}
        self._finished: dict[str, Counter[int]] = {}
        self._last: dict[str, Event] = {}
        self._refolded: set[tuple[str, Place]] = set()

    def states(self, assessor: str) -> dict[Place, State]:
        """Return the state of every document that an assessor has opened."""
        self._catch_up()
        return dict(self._states.get(assessor, {}))

    def seconds(self, assessor: str) -> dict[Place, float]:
        """Return the time in seconds that an assessor spent on each document."""
        self._catch_up()
        return dict(self._spent.get(assessor, {}))

    def finished(self, assessor: str) -> Counter[int]:
        """Count the documents of each topic that an assessor has finished."""
        self._catch_up()
        return Counter(self._finished.get(assessor, {}))

    def last(self, assessor: str) -> Event | None:
        """Return the last event of an assessor."""
        self._catch_up()
        return self._last.get(assessor)

    def _catch_up(self) -> None:
        with self._lock:
            while fresh := self._store.events(since=self._seq, most=AT_ONCE):
                for event in fresh:
                    self._take(event)
                touched = {(one.assessor, (one.topic, one.doc)) for one in fresh}
                for assessor, place in touched & self._refolded:
                    every = self._store.events(assessor, *place)
                    self._put(assessor, place, folded(one.gesture for one in every))
                self._seq = fresh[-1].seq

    def _take(self, event: Event) -> None:
        assessor, place = event.assessor, (event.topic, event.doc)
        spent = self._spent.setdefault(assessor, {})
        spent[place] = spent.get(place, 0.0) + busy(self._last.get(assessor), event)
        self._last[assessor] = event
        if event.gesture.kind in ("undo", "redo"):
            self._refolded.add((assessor, place))
        if (assessor, place) not in self._refolded:
            old = self._states.get(assessor, {}).get(place, State("open"))
            self._put(assessor, place, applied(old, event.gesture))

    def _put(self, assessor: str, place: Place, state: State) -> None:
        mine = self._states.setdefault(assessor, {})
        before = place in mine and mine[place].status in FINISHED
        mine[place] = state
        change = (state.status in FINISHED) - before
        self._finished.setdefault(assessor, Counter())[place[0]] += change


# Verdicts -----------------------------------------------------------------------------------------

MACHINE = "machine:"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The judgement of one document by one assessor."""

    topic: str
    document: Document
    assessor: str
    state: State
    seconds: float = 0.0
    seq: int = 0

    @property
    def spans(self) -> Set:
        """The relevant spans on any layer."""
        return self.state.highlighted

    @property
    def grade(self) -> float:
        """The stated grade; else 1 if text is highlighted and 0 if not; -1 if skipped."""
        if self.state.status == "skipped":
            return -1.0
        return float(self.state.grade if self.state.grade is not None else bool(self.spans))


def verdicts(store: Store, names: Sequence[str], *, every: bool = False) -> list[Verdict]:
    """Return the verdicts of assessors by topic and document.

    Only finished and skipped documents are included, unless `every`.
    """
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
    return sorted(
        found, key=lambda v: (v.document.topic, v.document.number, names.index(v.assessor))
    )


def chosen_assessors(
    store: Store, assessor: str | None, merge: str | None, machines: bool
) -> list[str]:
    """Return the names of the assessors whose verdicts are exported."""
    roles = store.assessors()
    if assessor is not None:
        if assessor not in roles:
            raise UsageError(f"unknown assessor {assessor!r}; expected one of {', '.join(roles)}")
        return [assessor]
    if merge == "adjudicated":
        return [name for name, role in roles.items() if role == "adjudicator"]
    return [
        name
        for name, role in roles.items()
        if role == "judge" and (machines or not name.startswith(MACHINE))
    ]


def merged_verdicts(found: Iterable[Verdict], how: str) -> list[Verdict]:
    """Merge the verdicts of all assessors: text that any, all or most highlighted."""
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
    return replace(group[0], assessor=how, state=state, seconds=sum(v.seconds for v in group))


# Judgements ---------------------------------------------------------------------------------------


def judgements_of(
    found: Sequence[Verdict], source: str, collection: Collection | None = None
) -> Judgements:
    """Return verdicts as judgements; with a collection also paths and elements."""
    found = [one for one in found if one.state.status != "skipped"]
    if not found:
        raise InputError(f"{source}: found no judgements")
    topics: dict[str, list[Verdict]] = {}
    for one in found:
        topics.setdefault(one.topic, []).append(one)
    ordered = [one for group in topics.values() for one in group]
    starts = begins_of([len(group) for group in topics.values()])
    rows = Rows(source, tuple(map(_bytes, topics)), starts, has_lines=False)
    people = {one.assessor for one in ordered}
    highlights = _highlights(ordered)
    return Judgements(
        rows,
        PlainIds([_bytes(one.document.id) for one in ordered]),
        np.array([one.grade for one in ordered]),
        PlainIds([_bytes(one.assessor) for one in ordered]) if len(people) > 1 else None,
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
        raise InputError(
            f"{name}: the text differs from the judged text; use the collection that was judged"
        )
    return content
