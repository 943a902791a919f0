"""Import of judgements from a file into a store, as gestures in its log."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from spanwise.collection import open_collection
from spanwise.errors import InputError, UsageError
from spanwise.formats import read_judgements
from spanwise.judge.events import RELEVANT, TOO_SMALL, Gesture
from spanwise.judge.exports import Judged, looks_like_annotations, read_annotations
from spanwise.judge.store import Document, Event, Store
from spanwise.judge.views import READ_FIRST, check_of, fingerprint
from spanwise.matching.placing import placed_judgements
from spanwise.model.columns import text
from spanwise.model.judgements import Judgements

if TYPE_CHECKING:
    from spanwise.model.documents import Collection

OWN = ("state", "note", "reason", "exhaustivity")


def imported(path: str, file: str, judge: str, collection: str, form: str | None) -> str:
    """Import a file as the judgements of one assessor, and return a summary."""
    store, documents = Store(path), open_collection(collection)
    if store.events(judge):
        raise UsageError(f"{path}: {judge!r} has judged already; import under another name")
    annotated = form == "w3c" or (form is None and looks_like_annotations(file))
    found = read_annotations(file, documents) if annotated else _judged(file, form, documents)
    if store.about["mode"] != "exhaustivity":
        found = {key: {**said, "exhaustivity": {}} for key, said in found.items()}
    _refuse_layers(file, store, found)
    numbers = {name: number for number, name, _ in store.topics()}
    places = {(t, d.id): d for t, n in numbers.items() for d in store.documents(n)}
    known = {key: said for key, said in found.items() if key in places}
    if not known:
        raise InputError(f"{file}: none of its documents is in the pool of {path}")
    store.add_judge(judge)
    client = "import-" + sha256(f"{file} {judge} {time.time()}".encode()).hexdigest()[:16]
    events: list[Event] = []
    for key, said in known.items():
        for gesture in _gestures(client, len(events), said, places[key], documents):
            place = places[key]
            events.append(Event(0, judge, place.topic, place.number, gesture, 0, 0.0, time.time()))
    store.append(events)
    beyond = len(found) - len(known)
    return (
        f"{path}: {len(known)} documents of {judge} from {file}"
        + (f"; {beyond} that are not in the pool were left out" if beyond else "")
        + "\n"
    )


def _refuse_layers(file: str, store: Store, found: Judged) -> None:
    """Raise if a highlight is on a layer that the page does not show."""
    aspects = store.about.get("aspects", [])
    shown = aspects if store.about["mode"] == "aspects" else [RELEVANT]
    others = sorted({layer for said in found.values() for layer in said["layers"]} - set(shown))
    if others:
        raise InputError(
            f"{file}: highlights on a layer {others[0]!r}; the store has {', '.join(shown)}"
        )


def _judged(file: str, form: str | None, collection: Collection) -> Judged:
    judgements = placed_judgements(read_judgements(file, form), collection)
    if not isinstance(judgements, Judgements) or (
        judgements.assessors is not None
        and len(set(judgements.assessors.take(np.arange(len(judgements.rows))))) > 1
    ):
        raise UsageError(f"{file}: not the judgements of one judge; import one at a time")
    rows, marked = judgements.rows, judgements.highlights
    owners = np.repeat(np.arange(len(rows.topics)), np.diff(rows.starts)).tolist()
    found: Judged = {}
    for row, name in enumerate(judgements.documents.take(np.arange(len(rows)))):
        grade = float(judgements.grades[row])
        said: dict[str, Any] = {"layers": {}, "state": "skipped" if grade < 0 else "done"}
        said["reason"] = "not judged" if grade < 0 else ""
        if marked is not None:
            spans = marked.of(row)
            pairs = list(zip(spans.starts.tolist(), spans.ends.tolist(), strict=True))
            said["layers"] = {"relevant": pairs} if pairs else {}
            entry = int(marked.entries[row])
            said["bep"] = entry if entry >= 0 else None
            said["chars"] = int(marked.lengths[row])
        said["exhaustivity"] = _exhaustivity(judgements, row)
        if grade >= 0 and (marked is None or grade > 1):
            said["grade"] = int(grade)
        found[text(rows.topics[owners[row]]), text(name)] = said
    for key, more in own_words(file).items():
        if key in found:
            found[key] |= more
    return found


def _exhaustivity(judgements: Judgements, row: int) -> dict[str, int]:
    """Return the exhaustivity of elements in assessments: 1, 2 or too small."""
    if judgements.elements is None:
        return {}
    elements = judgements.elements.elements
    mine = np.arange(*elements.first[row : row + 2])
    pairs = zip(elements.paths.take(mine), elements.exhaustivity[mine].tolist(), strict=True)
    return {text(path): value for path, value in pairs if value in (TOO_SMALL, 1, 2)}


def own_words(file: str) -> Judged:
    """Return what spanwise's own lines hold beyond all other formats.

    These are layers, notes, reasons of skips, states and exhaustivity.
    """
    written = Path(file).read_bytes() if Path(file).is_file() else b""
    found: Judged = {}
    for line in written.splitlines() if written.startswith(b"{") else ():
        said = json.loads(line) if line.strip() else {}
        if "qid" in said and "doc" in said:
            more = {name: said[name] for name in OWN if name in said}
            if "layers" in said:
                more["layers"] = {
                    name: list(map(tuple, spans)) for name, spans in said["layers"].items()
                }
            found[str(said["qid"]), str(said["doc"])] = more
    return found


def _gestures(
    client: str, first: int, said: dict[str, Any], place: Document, collection: Collection
) -> Iterator[Gesture]:
    """Yield the gestures that lead to a judgement; the text must be the one that was judged."""
    content = collection.text(place.id)
    if fingerprint(content) != place.sha256:
        raise InputError(f"{place.id}: the text has changed since the pool was made")
    if said.get("chars", -1) not in (-1, None, len(content)):
        raise InputError(
            f"{place.id}: judged with {said['chars']} characters, but the collection has"
            f" {len(content)}; expected the same text"
        )
    made: list[dict[str, Any]] = []
    for layer, spans in said["layers"].items():
        for start, end in spans:
            check = check_of(content[start:end])
            made.append({"kind": "add", "layer": layer, "start": start, "end": end, "check": check})
    if said.get("bep") is not None:
        check = check_of(content[said["bep"] : said["bep"] + READ_FIRST])
        made.append({"kind": "bep", "start": said["bep"], "check": check})
    if said.get("grade") is not None:
        made.append({"kind": "grade", "value": str(said["grade"])})
    for path, value in sorted(said.get("exhaustivity", {}).items(), key=lambda one: len(one[0])):
        made.append({"kind": "exh", "layer": path, "value": str(value)})
    if said.get("note"):
        made.append({"kind": "note", "value": said["note"]})
    if said["state"] == "skipped":
        made.append({"kind": "skip", "value": said.get("reason") or "not judged"})
    elif said["state"] == "done":
        made.append({"kind": "done"})
    for number, one in enumerate(made, first):
        yield Gesture(client, number, **one)
