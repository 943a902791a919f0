"""Reports of a judging store: `spanwise judge status`, `verify` and `log`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from spanwise.collection import open_collection
from spanwise.judge.events import State
from spanwise.judge.service import OWNER, event_object
from spanwise.judge.store import Store
from spanwise.judge.verdicts import FINISHED, seconds, states
from spanwise.judge.views import fingerprint
from spanwise.model.scores import printable
from spanwise.report.tables import Table, as_text


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
