"""Operations of the judging page: every request of an assessor, checked and answered.

The organiser of a campaign assigns topics to assessors and closes topics. These settings are events
of the log, like gestures, under a reserved name; the current settings are their fold.
"""

from __future__ import annotations

import json
import random
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from spanwise.collection import open_collection
from spanwise.judge.events import (
    CLIENT,
    EDITS,
    HIGHEST,
    Gesture,
    State,
    folded,
    inconsistencies,
    refusal,
    whole,
)
from spanwise.judge.pooling import Queue
from spanwise.judge.practice import practised
from spanwise.judge.store import Document, Event, Store
from spanwise.judge.verdicts import FINISHED, MACHINE, Tally, seconds, states
from spanwise.judge.views import (
    View,
    assessed,
    check_of,
    fingerprint,
    found,
    matches,
    meant,
    refuse_bytes,
    view,
)
from spanwise.model.scores import printable
from spanwise.report.tables import Table, as_text

if TYPE_CHECKING:
    from spanwise.model.documents import Collection


# Settings of the organiser ------------------------------------------------------------------------

OWNER = "owner"
"""Role of the organiser in the store."""
NAME = "desk"
"""Name under which the organiser's settings are in the log."""
WHOLE_TOPIC = -1
"""Number in place of a document's for settings about a whole topic."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The current settings of the organiser."""

    frozen: frozenset[int] = frozenset()
    assigned: Mapping[int, frozenset[str]] = field(default_factory=dict)

    def allows(self, assessor: str, topic: int) -> bool:
        """Return whether an assessor may judge a topic.

        A topic that is not assigned is open to all assessors.
        """
        return assessor in self.assigned.get(topic, frozenset([assessor]))


def settings(events: Iterable[Event]) -> Settings:
    """Return the current settings: the last event of each kind, topic and assessor counts."""
    frozen: set[int] = set()
    assigned: dict[int, set[str]] = {}
    for event in events:
        one, on = event.gesture, event.gesture.value == "on"
        if one.kind == "freeze":
            (frozen.add if on else frozen.discard)(event.topic)
        elif one.kind == "assign":
            people = assigned.setdefault(event.topic, set())
            (people.add if on else people.discard)(one.layer)
    return Settings(
        frozenset(frozen), {topic: frozenset(some) for topic, some in assigned.items() if some}
    )


def refusal_of_setting(sent: object, store: Store) -> str:
    """Return what is wrong with a submitted setting; empty if it is valid."""
    if not isinstance(sent, Mapping) or set(sent) - {"client", "n", "kind", "topic", "judge", "on"}:
        return "a setting needs client, n, kind, topic, on and optionally judge"
    if not isinstance(sent.get("client"), str) or not CLIENT.fullmatch(sent["client"]):
        return "client must have 8 to 64 letters, digits, - or _"
    if not whole(sent.get("n")) or not whole(sent.get("topic")):
        return "n and topic must be whole numbers of 0 or more"
    if sent.get("kind") not in ("freeze", "assign") or not isinstance(sent.get("on"), bool):
        return "kind must be freeze or assign, on must be true or false"
    if sent["topic"] not in {number for number, *_ in store.topics()}:
        return "unknown topic"
    if not isinstance(sent.get("judge", ""), str):
        return "judge must be a name"
    if sent["kind"] == "assign" and store.assessors().get(sent.get("judge", "")) != "judge":
        return "unknown assessor"
    return ""


def setting_event(sent: Mapping[str, Any]) -> Event:
    """Return a setting as an event of the log."""
    gesture = Gesture(
        sent["client"],
        sent["n"],
        sent["kind"],
        sent.get("judge", ""),
        value="on" if sent["on"] else "off",
    )
    return Event(0, NAME, sent["topic"], WHOLE_TOPIC, gesture, 0, 0.0, time.time())


def agreements(store: Store) -> list[dict[str, Any]]:
    """Measure the agreement of every two assessors on documents that both finished.

    The unit is a character.
    """
    from spanwise.judge.verdicts import judgements_of, verdicts
    from spanwise.report.scores import null
    from spanwise.stats.assessors import (
        PAIRS,
        Assessor,
        agreement,
        mean,
        shared_topics,
    )

    found = {
        name: [one for one in verdicts(store, [name]) if one.state.status == "done"]
        for name, role in store.assessors().items()
        if role == "judge"
    }
    people = [
        Assessor(name, judgements_of(some, store.path)) for name, some in found.items() if some
    ]
    shared = shared_topics(people) if len(people) > 1 else []
    if not shared:
        return []
    answer = agreement(shared, "char", None)
    return [
        {"a": people[a].name, "b": people[b].name} | {n: null(mean(values[n])) for n in PAIRS}
        for (a, b), values in answer.pairs.items()
    ]


# Operations ---------------------------------------------------------------------------------------

CHANGES = EDITS | {"undo", "redo"}
CLOSED = "this topic is closed by the organiser"
READ_AT_ONCE = 8
"""Number of documents kept in memory; they may be long, and are quick to read again."""


class Refused(Exception):
    """A refused request, with an HTTP status and the reason in one sentence."""

    def __init__(self, status: int, reason: str) -> None:
        self.status, self.reason = status, reason
        super().__init__(reason)


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of one event: its number in the log, or why it was rejected."""

    n: int
    seq: int = 0
    error: str = ""


class Service:
    """The operations on a store and its collection.

    Judgements of other assessors are never disclosed, except to the adjudicator.
    """

    def __init__(self, store: Store, collection: Collection) -> None:
        refuse_bytes(collection)
        self.store, self.collection = store, collection
        self.mode = store.about.get("mode", "highlight")
        self.aspects: list[str] = store.about.get("aspects", [])
        self._view = lru_cache(READ_AT_ONCE)(lambda name: view(collection, name))
        self._text = lru_cache(READ_AT_ONCE)(collection.text)
        self._fingerprint = lru_cache(100_000)(lambda name: fingerprint(self._text(name)))
        self._documents = lru_cache(100_000)(store.document)
        self.tally = Tally(store)
        self._topics = {number: (name, statement) for number, name, statement in store.topics()}

    # Asking -----------------------------------------------------------------------------------

    def overview(self, assessor: str, role: str) -> dict[str, Any]:
        """Return the topics with the progress of an assessor.

        Of other assessors only the number of finished documents is included.
        """
        mine, settings = self.tally.states(assessor), self.settings()
        spent, finished = self.tally.seconds(assessor), self._finished_by_others(assessor)
        topics = []
        for number, (name, statement) in self._topics.items():
            if not settings.allows(assessor, number):
                continue
            order = self.order(assessor, number)
            states = [mine.get((number, one.number), State()) for one in order]
            counts = dict.fromkeys(("left", "relevant", "nothing", "skipped"), 0)
            for state in states:
                counts[_bin(state)] += 1
            topics.append(
                {
                    "number": number,
                    "id": name,
                    "title": statement.get("title"),
                    **counts,
                    "minutes": sum(time for (t, _), time in spent.items() if t == number) / 60,
                    "others": finished.get(number, 0),
                    "frozen": number in settings.frozen,
                }
            )
        return {
            "judge": assessor,
            "role": role,
            "store": str(self.store.about.get("made", "")),
            "mode": self.mode,
            "aspects": self.aspects,
            "guidelines": self.store.about.get("guidelines", ""),
            "topics": topics,
            "last": self._last(assessor),
            "practised": len(practised(self.store).get(assessor, ())),
        }

    def settings(self) -> Settings:
        """Return the current settings of the organiser."""
        return settings(self.store.events(NAME))

    def _finished_by_others(self, assessor: str) -> Counter[int]:
        """Count the documents of each topic that other assessors have finished."""
        people = [name for name, role in self.store.assessors().items() if role == "judge"]
        return sum((self.tally.finished(one) for one in people if one != assessor), Counter())

    def _last(self, assessor: str) -> dict[str, int] | None:
        last = self.tally.last(assessor)
        return {"topic": last.topic, "doc": last.doc} if last else None

    def pool(self, assessor: str, topic: int) -> dict[str, Any]:
        """Return a topic and its documents in the assessor's order."""
        name, statement = self._topic(topic, assessor)
        mine = self.tally.states(assessor)
        documents = []
        for one in self.order(assessor, topic):
            state = mine.get((topic, one.number), State())
            documents.append(
                {
                    "number": one.number,
                    "id": one.id,
                    "chars": one.chars,
                    "status": state.status,
                    "relevant": sum(end - start for start, end in state.highlighted),
                    "added": bool(one.added_by),
                }
            )
        spent = self.tally.seconds(assessor)
        return {
            "number": topic,
            "id": name,
            "topic": statement,
            "documents": documents,
            "minutes": sum(time for (t, _), time in spent.items() if t == topic) / 60,
            "frozen": topic in self.settings().frozen,
        }

    def findable(self, assessor: str, topic: int, wanted: str) -> dict[str, Any]:
        """Return documents of the collection whose id or title contains some letters."""
        self._topic(topic, assessor)
        return found(self.collection, self.store.documents(topic)[0].id, wanted)

    def matches(self, assessor: str, topic: int, number: int, pattern: object) -> dict[str, Any]:
        """Return the matches of a regular expression in a document."""
        return matches(pattern, self._shown(self._document(topic, number, assessor)).blocks)

    def add(self, assessor: str, topic: int, name: object) -> int:
        """Add a document to the assessor's own pool and return its number there."""
        self._topic(topic, assessor)
        if topic in self.settings().frozen:
            raise Refused(409, CLOSED)
        if not isinstance(name, str) or name not in self.collection:
            raise Refused(404, "the document is not in the collection")
        text = self._text(name)
        one = Document(topic, -1, name, fingerprint(text), len(text), {"spans": []})
        number = self.store.add_document(one, assessor)
        self._documents.cache_clear()
        return number

    def document(self, assessor: str, topic: int, number: int) -> dict[str, Any]:
        """Return a document's text and the assessor's gestures.

        It is frozen if the text has changed since the pool was made.
        """
        one = self._document(topic, number, assessor)
        shown = self._shown(one)
        frozen = shown.sha256 != one.sha256
        events = self.store.events(assessor, topic, number)
        return {
            "number": number,
            "id": one.id,
            **shown.to_dict(),
            "frozen": frozen,
            "closed": topic in self.settings().frozen,
            "support": one.details.get("spans", [])
            if self.store.about.get("support", True)
            else [],
            "paths": self._paths(one) if self.mode == "exhaustivity" else [],
            "events": [event_object(event) for event in events],
            "seconds": self.tally.seconds(assessor).get((topic, number), 0.0),
        }

    def _paths(self, one: Document) -> list[list[Any]]:
        return [[e.path, e.start, e.start + e.length] for e in self.collection.elements(one.id)]

    def newer(self, assessor: str, topic: int, number: int, since: int) -> list[dict[str, Any]]:
        """Return the assessor's gestures on a document after an event, from any window."""
        self._document(topic, number, assessor)
        return [event_object(event) for event in self.store.events(assessor, topic, number, since)]

    def order(self, assessor: str, topic: int) -> list[Document]:
        """Return the documents of a topic in the order in which an assessor sees them."""
        every = [one for one in self.store.documents(topic) if self._visible(one, assessor)]
        documents = [one for one in every if not one.added_by]
        return self._ordered(assessor, topic, documents) + [one for one in every if one.added_by]

    def _visible(self, one: Document, assessor: str) -> bool:
        mine = not one.added_by or assessor in one.added_by
        return mine or self.store.assessors().get(assessor) == "adjudicator"

    def _ordered(self, assessor: str, topic: int, documents: list[Document]) -> list[Document]:
        about = self.store.about
        if about.get("pool", {}).get("live"):
            return self._queue(topic, documents)
        if about.get("order", "shuffle") == "shuffle":
            random.Random(f"{about.get('seed', 0)} {assessor} {topic}").shuffle(documents)
        elif about["order"] == "id":
            documents.sort(key=lambda one: one.id)
        return documents

    def _queue(self, topic: int, documents: list[Document]) -> list[Document]:
        """Return the documents that an adaptive pooling method has selected so far.

        The judgements of the first assessor determine the selection.
        """
        about = self.store.about["pool"]
        driver = next(iter(self.store.assessors()), "")
        states = self.tally.states(driver)
        by_id = {one.id: one for one in documents}
        count = max((len(one.details.get("ranks", ())) for one in documents), default=0)
        rankings = []
        for run in range(count):
            ranked = [
                (one.details["ranks"][run], one.id) for one in documents if "ranks" in one.details
            ]
            rankings.append({name: rank for rank, name in sorted(r for r in ranked if r[0])})

        def relevant(name: str) -> bool | None:
            state = states.get((topic, by_id[name].number), State())
            return bool(state.highlighted or state.grade) if state.status in FINISHED else None

        seed = f"{about.get('seed', 0)} {self._topics[topic][0]}"
        queue = Queue(about["method"], rankings, about["budget"], seed, about.get("gamma", 1.0))
        added = [
            one for one in documents if "ranks" not in one.details
        ]  # documents added by hand come first
        return added + [by_id[one.document] for one in queue.documents(relevant)]

    def compare(self, role: str, topic: int, number: int) -> dict[str, Any]:
        """Return the judgements of a document for the adjudicator, once all are finished.

        They are those of the assessors to whom the topic is assigned and whose pool has the
        document.
        """
        if role != "adjudicator":
            raise Refused(403, "only the adjudicator can see the judgements of others")
        one, settings = self._document(topic, number), self.settings()
        people = [
            name
            for name, one in self.store.assessors().items()
            if one == "judge" and settings.allows(name, topic) and not name.startswith(MACHINE)
        ]
        unfinished = [name for name in people if not self._finished(name, topic)]
        if unfinished:
            raise Refused(409, f"assessors who have not finished this topic: {len(unfinished)}")
        lanes = []
        for name in [name for name in people if self._visible(one, name)]:
            state = self.tally.states(name).get((topic, number), State())
            lanes.append(
                {
                    "judge": name,
                    "layers": state.layers,
                    "bep": state.bep,
                    "grade": state.grade,
                    "exhaustivity": state.exhaustivity,
                    "note": state.note,
                    "status": state.status,
                    "reason": state.reason,
                }
            )
        return {"judges": lanes}

    def _finished(self, assessor: str, topic: int) -> bool:
        mine = self.tally.states(assessor)
        return all(
            mine.get((topic, one.number), State()).status in FINISHED
            for one in self.order(assessor, topic)
        )

    # Doing ------------------------------------------------------------------------------------

    def receive(self, assessor: str, batch: Iterable[Mapping[str, Any]]) -> list[Answer]:
        """Validate and store events; rejected ones state a reason."""
        answers: list[Answer] = []
        taken: list[Event] = []
        places: list[int] = []
        for sent in batch:
            event = self._event(assessor, sent)
            error = self._refusal(event, taken)
            answers.append(Answer(event.gesture.n, error=error))
            if not error:
                places.append(len(answers) - 1)
                taken.append(event)
        stored = self.store.append(taken) if taken else []
        for place, (seq, error) in zip(places, stored, strict=True):
            answers[place] = Answer(answers[place].n, seq, error)
        return answers

    def _event(self, assessor: str, sent: Mapping[str, Any]) -> Event:
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
        self._document(sent["topic"], sent["doc"], assessor)
        at = float(sent.get("at", 0.0))
        base = sent.get("base", 0)
        return Event(0, assessor, sent["topic"], sent["doc"], gesture, base, at, time.time())

    def _refusal(self, event: Event, before: list[Event]) -> str:
        """Return why an event is rejected; empty if it is accepted."""
        gesture, one = event.gesture, self._document(event.topic, event.doc)
        if event.topic in self.settings().frozen:
            return CLOSED
        if gesture.kind in EDITS | {"done"}:
            if self._fingerprint(one.id) != one.sha256:
                return "the text of this document has changed since the pool was made"
            text = self._text(one.id)
            if gesture.end > len(text) or gesture.start >= len(text):
                return f"beyond the end of the document, which has {len(text)} characters"
            if gesture.check and gesture.check != check_of(meant(gesture, text)):
                return "the text at this position differs from the one on the page"
        if gesture.kind in ("done", "redo"):
            return self._unfinished(event, before)
        return ""

    def _unfinished(self, event: Event, before: list[Event]) -> str:
        """Return why a gesture must not leave the document finished; empty otherwise."""
        stored = self.store.events(event.assessor, event.topic, event.doc)
        if any(old.gesture.key == event.gesture.key for old in stored):
            return ""  # a repeated event
        mine = [e for e in before if (e.topic, e.doc) == (event.topic, event.doc)]
        keys = {e.gesture.key for e in stored}
        gestures = [e.gesture for e in stored]
        gestures += [e.gesture for e in [*mine, event] if e.gesture.key not in keys]
        state = folded(gestures)
        if state.status != "done":
            return ""
        newer = [
            e for e in stored if e.seq > event.base and e.gesture.client != event.gesture.client
        ]
        if any(e.gesture.kind in CHANGES for e in newer):
            return "the document was changed in another window; check it again"
        assess = []
        if self.mode == "exhaustivity":
            name = self._document(event.topic, event.doc).id
            assess = assessed(self.collection, name, state.highlighted)
        return "; ".join(inconsistencies(state, self.mode, assess))

    # Looking up -------------------------------------------------------------------------------

    def _topic(self, number: int, assessor: str = "") -> tuple[str, dict[str, Any]]:
        if number not in self._topics:
            raise Refused(404, "unknown topic")
        if assessor and not self.settings().allows(assessor, number):
            raise Refused(403, "this topic is assigned to other assessors")
        return self._topics[number]

    def _document(self, topic: int, number: int, assessor: str = "") -> Document:
        self._topic(topic, assessor)
        one = self._documents(topic, number) if number < HIGHEST else None
        if one is None or (assessor and not self._visible(one, assessor)):
            raise Refused(404, "the document is not in the pool")
        return one

    def _shown(self, one: Document) -> View:
        return self._view(one.id)


def event_object(event: Event) -> dict[str, Any]:
    """Return an event as the page receives it."""
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


# Reports ------------------------------------------------------------------------------------------


def status(path: str, layout: str) -> str:
    """Report how many documents are finished by assessor and topic, and the time spent."""
    store = Store(path)
    rows = progress(store)
    seq, head = store.head()
    if layout == "json":
        answer = {"mode": store.about["mode"], "events": seq, "head": head, "judges": rows}
        return json.dumps(answer, indent=1) + "\n"
    names = ("judge", "topic", "documents", "finished", "relevant", "skipped", "minutes")
    cells = tuple(tuple(_cell(row[name]) for name in names) for row in rows)
    below = (f"mode {store.about['mode']}, log: {seq} events, head {head}",)
    return as_text(Table(("assessor", *names[1:]), cells, below, words=(0, 1)))


def _cell(value: Any) -> str:
    return f"{value:.1f}" if isinstance(value, float) else str(value)


def progress(store: Store) -> list[dict[str, Any]]:
    """Return the finished documents and the time spent, for each assessor and topic."""
    people = [name for name, role in store.assessors().items() if role != OWNER]
    return [row for assessor in people for row in _of_assessor(store, assessor)]


def _of_assessor(store: Store, assessor: str) -> Iterator[dict[str, Any]]:
    events = store.events(assessor)
    mine, spent = states(events), seconds(events)
    for number, name, _ in store.topics():
        every = store.documents(number)
        documents = [one for one in every if not one.added_by or assessor in one.added_by]
        each = [mine.get((number, one.number), State()) for one in documents]
        busy = sum(time for (topic, _), time in spent.items() if topic == number)
        yield {
            "judge": printable(assessor),
            "topic": printable(name),
            "documents": len(documents),
            "finished": sum(state.status in FINISHED for state in each),
            "relevant": sum(bool(s.highlighted or s.grade) for s in each if s.status == "done"),
            "skipped": sum(state.status == "skipped" for state in each),
            "minutes": busy / 60,
        }


def verified(path: str, collection: str | None, cited: str | None = None) -> tuple[str, bool]:
    """Report the problems of a store, and whether there are none."""
    store = Store(path)
    problems = store.verify(cited)
    if collection is not None:
        documents = open_collection(collection)
        for number, name, _ in store.topics():
            for one in store.documents(number):
                if one.id not in documents:
                    problems.append(f"topic {name}: document {one.id!r} is not in the collection")
                elif fingerprint(documents.text(one.id)) != one.sha256:
                    problems.append(f"topic {name}: the text of document {one.id!r} has changed")
    seq, head = store.head()
    lines = [*problems, f"{path}: {seq} events, head {head}, {'damaged' if problems else 'intact'}"]
    return "".join(f"{line}\n" for line in lines), not problems


def log(path: str, assessor: str | None) -> Iterator[str]:
    """Yield every event as a line of JSON."""
    store = Store(path)
    topics = {number: name for number, name, _ in store.topics()}
    documents = {n: {d.number: d.id for d in store.documents(n)} for n in topics}
    for event in store.events(assessor):
        at = datetime.fromtimestamp(event.at_server, UTC).isoformat(timespec="milliseconds")
        where = {
            "topic": topics.get(event.topic),
            "doc": documents.get(event.topic, {}).get(event.doc),
        }
        yield json.dumps({"at": at, "judge": event.assessor, **where, **event_object(event)}) + "\n"
