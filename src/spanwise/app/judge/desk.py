"""The desk of who runs a campaign: who judges what, what is closed, how far everybody is.

Decisions are events of the log like gestures, in the name of the desk; what holds is their fold.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from spanwise.app.judge.gate import CLIENT, whole
from spanwise.app.judge.store import Event
from spanwise.model.gestures import Gesture

if TYPE_CHECKING:
    from spanwise.app.judge.store import Store

OWNER = "owner"
"""The role."""
NAME = "desk"
"""In whose name its decisions stand in the log."""
WHOLE_TOPIC = -1
"""Instead of a document's number: a decision is about all of a topic."""


@dataclass(frozen=True, slots=True)
class Orders:
    """What the desk has decided so far."""

    frozen: frozenset[int] = frozenset()
    assigned: Mapping[int, frozenset[str]] = field(default_factory=dict)

    def lets(self, judge: str, topic: int) -> bool:
        """Whether a topic is this judge's: it is everybody's until it is given to somebody."""
        return judge in self.assigned.get(topic, frozenset([judge]))


def orders(events: Iterable[Event]) -> Orders:
    """The decisions that stand: of each kind, topic and judge the last one counts."""
    frozen: set[int] = set()
    assigned: dict[int, set[str]] = {}
    for event in events:
        one, on = event.gesture, event.gesture.value == "on"
        if one.kind == "freeze":
            (frozen.add if on else frozen.discard)(event.topic)
        elif one.kind == "assign":
            people = assigned.setdefault(event.topic, set())
            (people.add if on else people.discard)(one.layer)
    return Orders(
        frozenset(frozen), {topic: frozenset(some) for topic, some in assigned.items() if some}
    )


def refusal(sent: object, store: Store) -> str:
    """What is wrong with a decision; empty if nothing is."""
    if not isinstance(sent, Mapping) or set(sent) - {"client", "n", "kind", "topic", "judge", "on"}:
        return "a decision has client, n, kind, topic, on, and perhaps a judge"
    if not isinstance(sent.get("client"), str) or not CLIENT.fullmatch(sent["client"]):
        return "client is no name of 8 to 64 letters"
    if not whole(sent.get("n")) or not whole(sent.get("topic")):
        return "n and topic are whole numbers from 0 on"
    if sent.get("kind") not in ("freeze", "assign") or not isinstance(sent.get("on"), bool):
        return "kind is freeze or assign, on is true or false"
    if sent["topic"] not in {number for number, *_ in store.topics()}:
        return "no such topic"
    if not isinstance(sent.get("judge", ""), str):
        return "a judge is a name"
    if sent["kind"] == "assign" and store.judges().get(sent.get("judge", "")) != "judge":
        return "no such judge"
    return ""


def decided(sent: Mapping[str, Any]) -> Event:
    """A decision as an event of the log."""
    gesture = Gesture(
        sent["client"],
        sent["n"],
        sent["kind"],
        sent.get("judge", ""),
        value="on" if sent["on"] else "off",
    )
    return Event(0, NAME, sent["topic"], WHOLE_TOPIC, gesture, 0, 0.0, time.time())


def agreements(store: Store) -> list[dict[str, Any]]:
    """How far every two judges agree on what both have finished, character by character."""
    from spanwise.app.judge.verdicts import judgements_of, verdicts
    from spanwise.compare.agreeing import PAIRS, agreement, mean
    from spanwise.compare.judges import Judge, shared_topics
    from spanwise.report.scores import null

    found = {
        name: [one for one in verdicts(store, [name]) if one.state.status == "done"]
        for name, role in store.judges().items()
        if role == "judge"
    }
    people = [Judge(name, judgements_of(some, store.path)) for name, some in found.items() if some]
    shared = shared_topics(people) if len(people) > 1 else []
    if not shared:
        return []
    answer = agreement(shared, "char", None)
    return [
        {"a": people[a].name, "b": people[b].name} | {n: null(mean(values[n])) for n in PAIRS}
        for (a, b), values in answer.pairs.items()
    ]
