"""Export of judgements from a store, and import of judgements from files.

`spanwise judge export` writes spanwise's own JSON lines, any registered format of judgements, or
W3C Web Annotations. In the latter a judged document is one annotation and every highlight in it
another. `spanwise judge import` reads all of these and appends the gestures that lead to the same
judgements.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote
from warnings import warn

import numpy as np

from spanwise.collection import open_collection
from spanwise.console import write_atomically, write_folder_atomically
from spanwise.errors import FormatError, InputError, SpanwiseWarning, UsageError
from spanwise.formats import ABOUT, FORMATS, read_judgements
from spanwise.formats.io.json_lines import line
from spanwise.formats.spans.judgements import QRELS
from spanwise.judge.events import RELEVANT, TOO_SMALL, Gesture
from spanwise.judge.store import Document, Event, Store
from spanwise.judge.verdicts import (
    MACHINE,
    Verdict,
    chosen_assessors,
    judgements_of,
    merged_verdicts,
    verdicts,
)
from spanwise.judge.views import READ_FIRST, check_of, fingerprint
from spanwise.matching.placing import TextPoints, placed_judgements
from spanwise.model.columns import text
from spanwise.model.judgements import Judgements, by_assessor
from spanwise.model.scores import Findings
from spanwise.report.tables import counted

if TYPE_CHECKING:
    from spanwise.model.documents import Collection

# Export -------------------------------------------------------------------------------------------

LINES = {"qrels": "document", "inex_qrels": "codepoint"}
"""Formats that cannot hold comments; a file beside them states their origin."""


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """The options of an export."""

    to: str = "span_qrels"
    assessor: str | None = None
    merge: str | None = None
    state: str = "done"
    collection: str | None = None
    machines: bool = False


def exported(path: str, output: str, wanted: ExportOptions) -> Findings:
    """Write a file or a folder, and return what was written."""
    store = Store(path)
    names = chosen_assessors(store, wanted.assessor, wanted.merge, wanted.machines)
    found = verdicts(store, names, every=wanted.state == "all")
    if wanted.merge in ("union", "intersection", "majority"):
        found = merged_verdicts(found, wanted.merge)
    if wanted.to == "span_qrels":
        write_atomically(Path(output), lines(store, found))
    elif wanted.to == "w3c":
        collection = open_collection(_needed(wanted))
        write_atomically(Path(output), written_annotations(store, found, collection))
    else:
        _write_format(store, output, wanted, found)
    if wanted.to in LINES and Path(output).is_file():
        about = {"format": wanted.to, "unit": LINES[wanted.to], **origin(store)}
        write_atomically(Path(output + ABOUT), line(about))
    seq, head = store.head()
    count = len({v.assessor for v in found})
    about = {
        "path": output,
        "format": wanted.to,
        "documents": len(found),
        "assessors": count,
        "log": {"length": seq, "head": head},
    }
    return Findings(
        "judge export",
        about,
        lambda: (
            f"{output}: {len(found)} judged documents, {counted(count, 'assessor')},"
            f" log {seq} {head[:16]}\n"
        ),
    )


def _needed(wanted: ExportOptions) -> str:
    if wanted.collection is None:
        raise UsageError(f"--to {wanted.to} needs --collection to locate text")
    return wanted.collection


def _write_format(
    store: Store, output: str, wanted: ExportOptions, found: Sequence[Verdict]
) -> None:
    entry = FORMATS[wanted.to]
    assert entry.write is not None  # all formats offered here are written
    xml = wanted.to.startswith("inex_assessments")
    collection = open_collection(_needed(wanted)) if xml else None
    judgements = judgements_of(found, store.path, collection)
    if judgements.assessors is not None:
        raise UsageError(f"--to {wanted.to} cannot hold several assessors; use --judge or --merge")
    (alone,) = by_assessor(judgements)
    _warn_of_losses(output, wanted.to, {**({} if xml else entry.loses(alone)), **_losses(found)})
    if entry.files is not None:
        record = {"unit": "codepoint", **origin(store)}
        parts = ((name, _commented(entry.write(one), record)) for name, one in entry.files(alone))
        write_folder_atomically(Path(output), parts)
    else:
        write_atomically(Path(output), entry.write(alone))


def _losses(found: Sequence[Verdict]) -> dict[str, int]:
    """Count what the assessors recorded that only spanwise's own formats hold."""
    return {
        "skipped documents": sum(one.state.status == "skipped" for one in found),
        "notes": sum(bool(one.state.note) for one in found),
        "layers of aspects": sum(len(set(one.state.layers) - {RELEVANT}) for one in found),
        "probabilities below 1": sum(one.document.details.get("p", 1) < 1 for one in found),
    }


def _warn_of_losses(output: str, to: str, lost: dict[str, int]) -> None:
    if parts := ", ".join(f"{count} {what}" for what, count in lost.items() if count):
        warn(f"{output}: format {to!r} cannot hold {parts}", SpanwiseWarning, stacklevel=2)


def _commented(pieces: Iterable[bytes], record: dict[str, Any]) -> Iterator[bytes]:
    """Yield XML with a comment about its origin after the declaration."""
    declaration, _, rest = b"".join(pieces).partition(b"\n")
    comment = line(record).strip().replace(b"--", b"-\\u002d")  # `--` would end the comment
    yield b"%b\n<!-- %b -->\n%b" % (declaration, comment, rest)


def lines(store: Store, found: Sequence[Verdict]) -> Iterator[bytes]:
    """Yield spanwise's own JSON lines, which are complete.

    Every line also states how the document was drawn.
    """
    yield line(
        {
            "format": QRELS,
            "unit": "char",
            "char": "codepoint",
            "half_open": True,
            "parts": ["spans"],
            **origin(store),
        }
    )
    pool = store.about.get("pool", {})
    for one in found:
        yield line(_record(one, pool))


def _record(one: Verdict, pool: dict[str, Any]) -> dict[str, Any]:
    state, drawn = one.state, one.document.details
    record: dict[str, Any] = {
        "qid": one.topic,
        "doc": one.document.id,
        "by": one.assessor,
        "state": state.status,
        "doc_len": one.document.chars,
        "spans": [{"s": start, "e": end} for start, end in one.spans],
    }
    if state.bep is not None:
        record["bep"] = state.bep
    if state.grade is not None or state.status == "skipped":
        record["grade"] = int(one.grade)
    if set(state.layers) - {RELEVANT}:
        record["layers"] = {
            name: [list(span) for span in spans] for name, spans in state.layers.items()
        }
    if state.exhaustivity:
        record["exhaustivity"] = dict(state.exhaustivity)
    for name in ("note", "reason"):
        if getattr(state, name):
            record[name] = getattr(state, name)
    record |= {"judged": "full", "sha256": one.document.sha256}
    record["origin"] = "machine" if one.assessor.startswith(MACHINE) else "human"
    record["drawn"] = {
        "method": pool.get("method"),
        "p": drawn.get("p", 1.0),
        "stratum": drawn.get("stratum", 1),
    }
    if one.document.added_by:
        record["drawn"] = {"method": "judge", "added_by": one.document.added_by}
    return record | {"seconds": round(one.seconds, 1), "seq": one.seq}


# W3C Web Annotations ------------------------------------------------------------------------------

CONTEXT = "http://www.w3.org/ns/anno.jsonld"
AROUND = 32
"""Number of context characters on either side of a quote."""
Assessments = dict[tuple[str, str], dict[str, Any]]


def origin(store: Store) -> dict[str, Any]:
    """Return the pool and the last event of the log, which every export names."""
    seq, head = store.head()
    pool = {"file": store.about.get("pool_file"), **store.about.get("pool", {})}
    return {"pool": pool, "head": head, "events": seq}


def written_annotations(
    store: Store, found: Sequence[Verdict], collection: Collection
) -> Iterator[bytes]:
    """Yield the verdicts as one annotation page."""
    items = [item for one in found for item in _items(one, collection)]
    record = {
        "@context": CONTEXT,
        "type": "AnnotationPage",
        "spanwise": {"unit": "codepoint", **origin(store)},
        "items": items,
    }
    yield json.dumps(record, ensure_ascii=True, indent=1).encode() + b"\n"


def _items(one: Verdict, collection: Collection) -> Iterator[dict[str, Any]]:
    name, state = one.document.id, one.state
    base = ":".join(["urn:spanwise", *map(_quoted, (one.topic, name, one.assessor))])
    source = {
        "source": _quoted(name),
        "state": {"type": "TextState", "sha256": one.document.sha256},
    }
    creator = {"type": "Person", "name": one.assessor}
    record: dict[str, Any] = {"topic": one.topic, "state": state.status}
    record |= {"bep": state.bep, "grade": state.grade}
    record |= {"chars": one.document.chars, "note": state.note, "reason": state.reason}
    record["exhaustivity"] = dict(state.exhaustivity) or None
    yield {
        "id": base,
        "type": "Annotation",
        "motivation": "assessing",
        "creator": creator,
        "body": {
            "type": "TextualBody",
            "purpose": "assessing",
            "format": "application/json",
            "value": json.dumps({k: v for k, v in record.items() if v not in (None, "")}),
        },
        "target": source,
    }
    text, points = collection.text(name), TextPoints(collection, name)
    for layer, spans in state.layers.items():
        for start, end in spans:
            yield {
                "id": f"{base}:{_quoted(layer)}:{start}-{end}",
                "type": "Annotation",
                "motivation": "highlighting",
                "creator": creator,
                "body": {"type": "TextualBody", "purpose": "tagging", "value": layer},
                "target": {**source, "selector": _selectors(text, points, start, end)},
            }


def _selectors(text: str, points: TextPoints, start: int, end: int) -> list[dict[str, Any]]:
    return [
        {"type": "TextPositionSelector", "start": start, "end": end},
        {
            "type": "TextQuoteSelector",
            "exact": text[start:end],
            "prefix": text[max(0, start - AROUND) : start],
            "suffix": text[end : end + AROUND],
        },
        {
            "type": "RangeSelector",
            "startSelector": _point(points.start(start)),
            "endSelector": _point(points.end(end)),
        },
    ]


def _point(point: str) -> dict[str, Any]:
    """Return a selector of a position in a text node, which is named by an XPath."""
    path, _, offset = point.rpartition(".")
    place = {"type": "TextPositionSelector", "start": int(offset), "end": int(offset)}
    return {"type": "XPathSelector", "value": path, "refinedBy": place}


def _quoted(name: str) -> str:
    """Quote a name as part of an IRI."""
    return quote(name, safe="/", errors="surrogateescape")


def looks_like_annotations(file: str) -> bool:
    """Return whether a file begins like a page of annotations."""
    if not Path(file).is_file():
        return False
    with Path(file).open("rb") as stream:
        return CONTEXT.encode() in stream.read(1000)


def read_annotations(file: str, collection: Collection) -> Assessments:
    """Read judgements from a page of annotations; every quote must match its position."""
    try:
        return _annotated(file, json.loads(Path(file).read_bytes())["items"], collection)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        record = f"invalid annotations ({type(error).__name__}: {error})"
        raise FormatError(
            file, None, record, "what `spanwise judge export --to w3c` writes"
        ) from error


def _annotated(file: str, items: list[dict[str, Any]], collection: Collection) -> Assessments:
    found: Assessments = {}
    owners: dict[str, tuple[str, str]] = {}
    for item in items:
        if item.get("motivation") == "assessing":
            record = json.loads(item["body"]["value"])
            source = unquote(item["target"]["source"], errors="surrogateescape")
            key = (record.pop("topic"), source)
            owners[item["id"]] = key
            found[key] = {"layers": {}, **record}
    for item in items:
        if item.get("motivation") == "highlighting":
            _highlight(file, item, owners, found, collection)
    return found


def _highlight(
    file: str,
    item: Any,
    owners: dict[str, tuple[str, str]],
    found: Assessments,
    collection: Collection,
) -> None:
    layer = item["body"]["value"]
    owner = owners.get(item["id"].rsplit(f":{_quoted(layer)}:", 1)[0])
    if owner is None:
        raise InputError(
            f"{file}: {item['id']}: found a highlight in a document that is not assessed"
        )
    by_type = {one["type"]: one for one in item["target"]["selector"]}
    place, quote = by_type["TextPositionSelector"], by_type["TextQuoteSelector"]
    start, end = place["start"], place["end"]
    if collection.text(owner[1], start, end - start) != quote["exact"]:
        raise InputError(
            f"{file}: {item['id']}: the text at {start} differs from the quoted text; use the"
            " collection that was judged"
        )
    found[owner]["layers"].setdefault(layer, []).append((start, end))


# Import -------------------------------------------------------------------------------------------


OWN = ("state", "note", "reason", "exhaustivity")


def imported(path: str, file: str, assessor: str, collection: str, form: str | None) -> Findings:
    """Import a file as the judgements of one assessor, and return what was imported."""
    store, documents = Store(path), open_collection(collection)
    if store.events(assessor):
        raise UsageError(
            f"{path}: already has judgements of {assessor!r}; import under another name"
        )
    annotated = form == "w3c" or (form is None and looks_like_annotations(file))
    found = read_annotations(file, documents) if annotated else _from_format(file, form, documents)
    if store.about["mode"] != "exhaustivity":
        found = {key: {**record, "exhaustivity": {}} for key, record in found.items()}
    _refuse_layers(file, store, found)
    numbers = {name: number for number, name, _ in store.topics()}
    places = {(t, d.id): d for t, n in numbers.items() for d in store.documents(n)}
    known = {key: record for key, record in found.items() if key in places}
    if not known:
        raise InputError(f"{file}: none of its documents is in the pool of {path}")
    store.add_assessor(assessor)
    client = "import-" + sha256(f"{file} {assessor} {time.time()}".encode()).hexdigest()[:16]
    events: list[Event] = []
    for key, record in known.items():
        for gesture in _gestures(client, len(events), record, places[key], documents):
            place = places[key]
            events.append(
                Event(0, assessor, place.topic, place.number, gesture, 0, 0.0, time.time())
            )
    store.append(events)
    beyond = len(found) - len(known)
    about = {
        "store": path,
        "file": file,
        "assessor": assessor,
        "documents": len(known),
        "left_out": beyond,
    }
    left_out = f"; {beyond} that are not in the pool were left out" if beyond else ""
    return Findings(
        "judge import",
        about,
        lambda: f"{path}: {len(known)} documents of {assessor} from {file}{left_out}\n",
    )


def _refuse_layers(file: str, store: Store, found: Assessments) -> None:
    """Raise if a highlight is on a layer that the page does not show."""
    aspects = store.about.get("aspects", [])
    shown = aspects if store.about["mode"] == "aspects" else [RELEVANT]
    others = sorted({layer for record in found.values() for layer in record["layers"]} - set(shown))
    if others:
        raise InputError(
            f"{file}: found highlights on layer {others[0]!r}; expected {', '.join(shown)}"
        )


def _from_format(file: str, form: str | None, collection: Collection) -> Assessments:
    judgements = placed_judgements(read_judgements(file, form), collection)
    if not isinstance(judgements, Judgements) or (
        judgements.assessors is not None
        and len(set(judgements.assessors.take(np.arange(len(judgements.rows))))) > 1
    ):
        raise UsageError(
            f"{file}: found other judgements than those of one assessor; import one at a time"
        )
    rows, marked = judgements.rows, judgements.highlights
    owners = np.repeat(np.arange(len(rows.topics)), np.diff(rows.starts)).tolist()
    found: Assessments = {}
    for row, name in enumerate(judgements.documents.take(np.arange(len(rows)))):
        grade = float(judgements.grades[row])
        record: dict[str, Any] = {"layers": {}, "state": "skipped" if grade < 0 else "done"}
        record["reason"] = "not judged" if grade < 0 else ""
        if marked is not None:
            spans = marked.of(row)
            pairs = list(zip(spans.starts.tolist(), spans.ends.tolist(), strict=True))
            record["layers"] = {"relevant": pairs} if pairs else {}
            entry = int(marked.entries[row])
            record["bep"] = entry if entry >= 0 else None
            record["chars"] = int(marked.lengths[row])
        record["exhaustivity"] = _exhaustivity(judgements, row)
        if grade >= 0 and (marked is None or grade > 1):
            record["grade"] = int(grade)
        found[text(rows.topics[owners[row]]), text(name)] = record
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


def own_words(file: str) -> Assessments:
    """Return what spanwise's own lines hold beyond all other formats.

    These are layers, notes, reasons of skips, states and exhaustivity.
    """
    written = Path(file).read_bytes() if Path(file).is_file() else b""
    found: Assessments = {}
    for row in written.splitlines() if written.startswith(b"{") else ():
        record = json.loads(row) if row.strip() else {}
        if "qid" in record and "doc" in record:
            more = {name: record[name] for name in OWN if name in record}
            if "layers" in record:
                more["layers"] = {
                    name: list(map(tuple, spans)) for name, spans in record["layers"].items()
                }
            found[str(record["qid"]), str(record["doc"])] = more
    return found


def _gestures(
    client: str, first: int, record: dict[str, Any], place: Document, collection: Collection
) -> Iterator[Gesture]:
    """Yield the gestures that lead to a judgement; the text must be the one that was judged."""
    content = collection.text(place.id)
    if fingerprint(content) != place.sha256:
        raise InputError(f"{place.id}: the text has changed since the pool was made")
    if record.get("chars", -1) not in (-1, None, len(content)):
        raise InputError(
            f"{place.id}: judged with {record['chars']} characters, but the collection has"
            f" {len(content)}; expected the same text"
        )
    made: list[dict[str, Any]] = []
    for layer, spans in record["layers"].items():
        for start, end in spans:
            check = check_of(content[start:end])
            made.append({"kind": "add", "layer": layer, "start": start, "end": end, "check": check})
    if record.get("bep") is not None:
        check = check_of(content[record["bep"] : record["bep"] + READ_FIRST])
        made.append({"kind": "bep", "start": record["bep"], "check": check})
    if record.get("grade") is not None:
        made.append({"kind": "grade", "value": str(record["grade"])})
    for path, value in sorted(record.get("exhaustivity", {}).items(), key=lambda one: len(one[0])):
        made.append({"kind": "exh", "layer": path, "value": str(value)})
    if record.get("note"):
        made.append({"kind": "note", "value": record["note"]})
    if record["state"] == "skipped":
        made.append({"kind": "skip", "value": record.get("reason") or "not judged"})
    elif record["state"] == "done":
        made.append({"kind": "done"})
    for number, one in enumerate(made, first):
        yield Gesture(client, number, **one)
