"""What the events of one judge come to: the state of each document, and the time it took."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from spanwise.model.gestures import Gesture, State, folded

if TYPE_CHECKING:
    from spanwise.app.judge.store import Event

PAUSE = 120.0
"""Seconds without a gesture after which nobody is taken to be reading."""


def states(events: Iterable[Event]) -> dict[tuple[int, int], State]:
    """The fold of one judge's events, document by document."""
    gestures: dict[tuple[int, int], list[Gesture]] = {}
    for event in events:
        gestures.setdefault((event.topic, event.doc), []).append(event.gesture)
    return {key: folded(mine) for key, mine in gestures.items()}


def seconds(events: Iterable[Event]) -> dict[tuple[int, int], float]:
    """How long a judge was busy with each document: pauses are cut."""
    spent: dict[tuple[int, int], float] = {}
    before = 0.0
    for event in events:
        key = (event.topic, event.doc)
        spent[key] = spent.get(key, 0.0) + min(max(event.at_server - before, 0.0), PAUSE) * (
            before > 0
        )
        before = event.at_server
    return spent
