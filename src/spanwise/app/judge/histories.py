"""What the events of one judge come to: the state of each document, and the time it took."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from spanwise.model.gestures import Gesture, State, applied, folded

if TYPE_CHECKING:
    from spanwise.app.judge.store import Event, Store

Place = tuple[int, int]
"""A topic and a document, by their numbers."""
FINISHED = ("done", "skipped")
AT_ONCE = 10_000
"""Events that are read together."""
PAUSE = 120.0
"""Seconds without a gesture after which nobody is taken to be reading."""


def states(events: Iterable[Event]) -> dict[Place, State]:
    """The fold of one judge's events, document by document."""
    gestures: dict[Place, list[Gesture]] = {}
    for event in events:
        gestures.setdefault((event.topic, event.doc), []).append(event.gesture)
    return {key: folded(mine) for key, mine in gestures.items()}


def seconds(events: Iterable[Event]) -> dict[Place, float]:
    """How long a judge was busy with each document: pauses are cut."""
    spent: dict[Place, float] = {}
    before = None
    for event in events:
        place = (event.topic, event.doc)
        spent[place] = spent.get(place, 0.0) + busy(before, event)
        before = event
    return spent


def busy(before: Event | None, event: Event) -> float:
    """Seconds from one gesture of a judge to the next, if nobody went away meanwhile."""
    return min(max(event.at_server - before.at_server, 0.0), PAUSE) if before else 0.0


class Tally:
    """What the log comes to for every judge, kept up to date: a view, made again at any time.

    A gesture changes the state of its document; where something was taken back, the document's
    gestures are folded anew.
    """

    def __init__(self, store: Store) -> None:
        self._store, self._lock, self._seq = store, threading.Lock(), 0
        self._states: dict[str, dict[Place, State]] = {}
        self._spent: dict[str, dict[Place, float]] = {}
        self._finished: dict[str, Counter[int]] = {}
        self._last: dict[str, Event] = {}
        self._refolded: set[tuple[str, Place]] = set()

    def states(self, judge: str) -> dict[Place, State]:
        """The state of every document that a judge has touched."""
        self._catch_up()
        return dict(self._states.get(judge, {}))

    def seconds(self, judge: str) -> dict[Place, float]:
        """How long a judge was busy with each of them."""
        self._catch_up()
        return dict(self._spent.get(judge, {}))

    def finished(self, judge: str) -> Counter[int]:
        """How many documents of each topic a judge has finished."""
        self._catch_up()
        return Counter(self._finished.get(judge, {}))

    def last(self, judge: str) -> Event | None:
        """A judge's last gesture."""
        self._catch_up()
        return self._last.get(judge)

    def _catch_up(self) -> None:
        with self._lock:
            while fresh := self._store.events(since=self._seq, most=AT_ONCE):
                for event in fresh:
                    self._take(event)
                touched = {(one.judge, (one.topic, one.doc)) for one in fresh}
                for who, place in touched & self._refolded:
                    every = self._store.events(who, *place)
                    self._put(who, place, folded(one.gesture for one in every))
                self._seq = fresh[-1].seq

    def _take(self, event: Event) -> None:
        who, place = event.judge, (event.topic, event.doc)
        spent = self._spent.setdefault(who, {})
        spent[place] = spent.get(place, 0.0) + busy(self._last.get(who), event)
        self._last[who] = event
        if event.gesture.kind in ("undo", "redo"):
            self._refolded.add((who, place))
        if (who, place) not in self._refolded:
            old = self._states.get(who, {}).get(place, State("open"))
            self._put(who, place, applied(old, event.gesture))

    def _put(self, who: str, place: Place, state: State) -> None:
        mine = self._states.setdefault(who, {})
        before = place in mine and mine[place].status in FINISHED
        mine[place] = state
        change = (state.status in FINISHED) - before
        self._finished.setdefault(who, Counter())[place[0]] += change
