"""What the page may ask and do: every question and every gesture of one judge, checked."""

from __future__ import annotations

import random
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from spanwise.app.judge.gate import refusal
from spanwise.app.judge.store import Document, Event, Store
from spanwise.app.judge.views import View, assessed, check_of, fingerprint, refuse_bytes, view
from spanwise.ground.pooling import Queue
from spanwise.model.gestures import EDITS, Gesture, State, folded, inconsistencies

if TYPE_CHECKING:
    from spanwise.model.documents import Collection

FINISHED = ("done", "skipped")
PAUSE = 120.0
"""Seconds without a gesture after which nobody is taken to be reading."""


class Refused(Exception):
    """A request that is not granted: a status of HTTP, and why in one sentence."""

    def __init__(self, status: int, reason: str) -> None:
        self.status, self.reason = status, reason
        super().__init__(reason)


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of one event: its number in the log, or why it was not taken."""

    n: int
    seq: int = 0
    error: str = ""


class Service:
    """A store and its collection; nobody is told what another judge did."""

    def __init__(self, store: Store, collection: Collection) -> None:
        refuse_bytes(collection)
        self.store, self.collection = store, collection
        self.mode = store.about.get("mode", "highlight")
        self.aspects: list[str] = store.about.get("aspects", [])
        self._view = lru_cache(64)(lambda name: view(collection, name))
        self._text = lru_cache(64)(collection.text)
        self._documents = lru_cache(100_000)(store.document)
        self._topics = {number: (name, said) for number, name, said in store.topics()}

    # Asking -----------------------------------------------------------------------------------

    def overview(self, judge: str, role: str) -> dict[str, Any]:
        """The topics with how far the judge is; of others only how many documents are finished."""
        mine = self._states(judge)
        topics = []
        for number, (name, said) in self._topics.items():
            order = self.order(judge, number)
            states = [mine.get((number, one.number), State()) for one in order]
            counts = dict.fromkeys(("left", "relevant", "nothing", "skipped"), 0)
            for state in states:
                counts[_bin(state)] += 1
            topics.append({"number": number, "id": name, "title": said.get("title"), **counts})
        return {
            "judge": judge,
            "role": role,
            "mode": self.mode,
            "aspects": self.aspects,
            "guidelines": self.store.about.get("guidelines", ""),
            "topics": topics,
            "last": self._last(judge),
        }

    def _last(self, judge: str) -> dict[str, int] | None:
        events = self.store.events(judge)
        return {"topic": events[-1].topic, "doc": events[-1].doc} if events else None

    def pool(self, judge: str, topic: int) -> dict[str, Any]:
        """A topic and its documents in the judge's order."""
        name, said = self._topic(topic)
        mine = self._states(judge, topic)
        documents = []
        for one in self.order(judge, topic):
            state = mine.get((topic, one.number), State())
            documents.append(
                {
                    "number": one.number,
                    "id": one.id,
                    "chars": one.chars,
                    "status": state.status,
                    "relevant": sum(end - start for start, end in state.highlighted),
                }
            )
        return {"number": topic, "id": name, "topic": said, "documents": documents}

    def document(self, judge: str, topic: int, number: int) -> dict[str, Any]:
        """A document's text and what the judge did to it; frozen if the text is another by now."""
        one = self._document(topic, number)
        shown = self._shown(one)
        frozen = shown.sha256 != one.sha256
        events = self.store.events(judge, topic, number)
        return {
            "number": number,
            "id": one.id,
            **shown.said(),
            "frozen": frozen,
            "support": one.said.get("spans", []) if self.store.about.get("support", True) else [],
            "paths": self._paths(one) if self.mode == "exhaustivity" else [],
            "events": [said(event) for event in events],
        }

    def _paths(self, one: Document) -> list[list[Any]]:
        return [[e.path, e.start, e.start + e.length] for e in self.collection.elements(one.id)]

    def newer(self, judge: str, topic: int, number: int, since: int) -> list[dict[str, Any]]:
        """What the judge did to a document after an event, in whichever window."""
        self._document(topic, number)
        return [said(event) for event in self.store.events(judge, topic, number, since)]

    def order(self, judge: str, topic: int) -> list[Document]:
        """The documents of a topic as this judge is shown them."""
        documents = self.store.documents(topic)
        about = self.store.about
        if about.get("pool", {}).get("live"):
            return self._queue(topic, documents)
        if about.get("order", "shuffle") == "shuffle":
            random.Random(f"{about.get('seed', 1)} {judge} {topic}").shuffle(documents)
        elif about["order"] == "id":
            documents.sort(key=lambda one: one.id)
        return documents

    def _queue(self, topic: int, documents: list[Document]) -> list[Document]:
        """As far as a method that learns has come: the first judge drives."""
        about = self.store.about["pool"]
        driver = next(iter(self.store.judges()), "")
        states = self._states(driver, topic)
        by_id = {one.id: one for one in documents}
        count = max((len(one.said.get("ranks", ())) for one in documents), default=0)
        rankings = []
        for run in range(count):
            ranked = [(one.said["ranks"][run], one.id) for one in documents]
            rankings.append({name: rank for rank, name in sorted(r for r in ranked if r[0])})

        def relevant(name: str) -> bool | None:
            state = states.get((topic, by_id[name].number), State())
            return bool(state.highlighted or state.grade) if state.status in FINISHED else None

        seed = f"{about.get('seed', 1)} {self._topics[topic][0]}"
        queue = Queue(about["method"], rankings, about["budget"], seed, about.get("gamma", 1.0))
        return [by_id[one.document] for one in queue.documents(relevant)]

    def compare(self, role: str, topic: int, number: int) -> dict[str, Any]:
        """What every judge did to a document: for who adjudicates, once all have finished."""
        if role != "adjudicator":
            raise Refused(403, "only the adjudicator sees what judges did")
        self._document(topic, number)
        people = [name for name, one in self.store.judges().items() if one == "judge"]
        unfinished = [name for name in people if not self._finished(name, topic)]
        if unfinished:
            raise Refused(409, f"judges who have not finished this topic: {len(unfinished)}")
        lanes = []
        for name in people:
            state = self._state(name, topic, number)
            lanes.append(
                {
                    "judge": name,
                    "layers": state.layers,
                    "bep": state.bep,
                    "grade": state.grade,
                    "note": state.note,
                    "status": state.status,
                }
            )
        return {"judges": lanes}

    def _finished(self, judge: str, topic: int) -> bool:
        mine = self._states(judge, topic)
        return all(
            mine.get((topic, one.number), State()).status in FINISHED
            for one in self.order(judge, topic)
        )

    # Doing ------------------------------------------------------------------------------------

    def receive(self, judge: str, batch: Iterable[Mapping[str, Any]]) -> list[Answer]:
        """Check and store events; what is not taken says why."""
        answers: list[Answer] = []
        taken: list[Event] = []
        places: list[int] = []
        for sent in batch:
            event = self._event(judge, sent)
            error = self._refusal(event, taken)
            answers.append(Answer(event.gesture.n, error=error))
            if not error:
                places.append(len(answers) - 1)
                taken.append(event)
        stored = self.store.append(taken) if taken else []
        for place, (seq, error) in zip(places, stored, strict=True):
            answers[place] = Answer(answers[place].n, seq, error)
        return answers

    def _event(self, judge: str, sent: Mapping[str, Any]) -> Event:
        problem = refusal(sent, self.mode, self.aspects)
        if problem:
            raise Refused(400, problem)
        gesture = Gesture(
            sent["client"],
            sent["n"],
            sent["kind"],
            sent.get("layer", ""),
            sent.get("start", -1),
            sent.get("end", -1),
            sent.get("value", ""),
            sent.get("check", ""),
        )
        self._document(sent["topic"], sent["doc"])
        at = float(sent.get("at", 0.0))
        base = sent.get("base", 0)
        return Event(0, judge, sent["topic"], sent["doc"], gesture, base, at, time.time())

    def _refusal(self, event: Event, before: list[Event]) -> str:
        """Why an event cannot be taken; empty if it can."""
        gesture, one = event.gesture, self._document(event.topic, event.doc)
        if gesture.kind in EDITS:
            text = self._text(one.id)
            if fingerprint(text) != one.sha256:
                return "the text of this document has changed since the pool was made"
            if gesture.end > len(text) or gesture.start > len(text):
                return f"beyond the end of the document, which has {len(text)} characters"
            if gesture.kind in ("add", "remove") and gesture.check != check_of(
                text[gesture.start : gesture.end]
            ):
                return "the text between these positions is not the one that was meant"
        if gesture.kind == "done":
            return self._unfinished(event, before)
        return ""

    def _unfinished(self, event: Event, before: list[Event]) -> str:
        stored = self.store.events(event.judge, event.topic, event.doc)
        if any(old.gesture.key == event.gesture.key for old in stored):
            return ""  # sent again
        newer = [
            e for e in stored if e.seq > event.base and e.gesture.client != event.gesture.client
        ]
        if any(e.gesture.kind in EDITS for e in newer):
            return "changed in another window meanwhile: look at it again"
        mine = [e for e in before if (e.topic, e.doc) == (event.topic, event.doc)]
        keys = {e.gesture.key for e in stored}
        gestures = [e.gesture for e in stored]
        gestures += [e.gesture for e in mine if e.gesture.key not in keys]
        state = folded(gestures)
        assess = []
        if self.mode == "exhaustivity":
            name = self._document(event.topic, event.doc).id
            assess = assessed(self.collection, name, state.highlighted)
        return "; ".join(inconsistencies(state, self.mode, assess))

    # Looking up -------------------------------------------------------------------------------

    def _topic(self, number: int) -> tuple[str, dict[str, Any]]:
        if number not in self._topics:
            raise Refused(404, "no such topic")
        return self._topics[number]

    def _document(self, topic: int, number: int) -> Document:
        self._topic(topic)
        found = self._documents(topic, number)
        if found is None:
            raise Refused(404, "no such document in the pool")
        return found

    def _shown(self, one: Document) -> View:
        return self._view(one.id)

    def _state(self, judge: str, topic: int, number: int) -> State:
        return folded(event.gesture for event in self.store.events(judge, topic, number))

    def _states(self, judge: str, topic: int = -1) -> dict[tuple[int, int], State]:
        return states(self.store.events(judge, topic))


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


def said(event: Event) -> dict[str, Any]:
    """An event as the page gets it."""
    g = event.gesture
    return {
        "seq": event.seq,
        "client": g.client,
        "n": g.n,
        "kind": g.kind,
        "layer": g.layer,
        "start": g.start,
        "end": g.end,
        "value": g.value,
    }


def _bin(state: State) -> str:
    if state.status == "skipped":
        return "skipped"
    if state.status != "done":
        return "left"
    return "relevant" if state.highlighted or state.grade else "nothing"
