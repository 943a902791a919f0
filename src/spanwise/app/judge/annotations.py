"""W3C Web Annotations: a judged document is one annotation, every highlight in it another."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from spanwise.errors import FormatError, InputError
from spanwise.ground.points import TextPoints

if TYPE_CHECKING:
    from spanwise.app.judge.store import Store
    from spanwise.app.judge.verdicts import Verdict
    from spanwise.model.documents import Collection

CONTEXT = "http://www.w3.org/ns/anno.jsonld"
AROUND = 32
"""Characters of context on either side of a quote."""
Judged = dict[tuple[str, str], dict[str, Any]]


def origin(store: Store) -> dict[str, Any]:
    """What every export names: the pool, and how far the log went."""
    seq, head = store.head()
    pool = {"file": store.about.get("pool_file"), **store.about.get("pool", {})}
    return {"pool": pool, "head": head, "events": seq}


def written_annotations(
    store: Store, found: Sequence[Verdict], collection: Collection
) -> Iterator[bytes]:
    """One annotation page."""
    items = [item for one in found for item in _items(one, collection)]
    said = {
        "@context": CONTEXT,
        "type": "AnnotationPage",
        "spanwise": {"unit": "codepoint", **origin(store)},
        "items": items,
    }
    yield json.dumps(said, ensure_ascii=True, indent=1).encode() + b"\n"


def _items(one: Verdict, collection: Collection) -> Iterator[dict[str, Any]]:
    name, state = one.document.id, one.state
    base = ":".join(["urn:spanwise", *map(_quoted, (one.topic, name, one.judge))])
    source = {
        "source": _quoted(name),
        "state": {"type": "TextState", "sha256": one.document.sha256},
    }
    creator = {"type": "Person", "name": one.judge}
    said: dict[str, Any] = {"topic": one.topic, "state": state.status}
    said |= {"bep": state.bep, "grade": state.grade}
    said |= {"chars": one.document.chars, "note": state.note, "reason": state.reason}
    said["exhaustivity"] = dict(state.exhaustivity) or None
    yield {
        "id": base,
        "type": "Annotation",
        "motivation": "assessing",
        "creator": creator,
        "body": {
            "type": "TextualBody",
            "purpose": "assessing",
            "format": "application/json",
            "value": json.dumps({k: v for k, v in said.items() if v not in (None, "")}),
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
    """A place in a text node: XPath names the node, and a position the place in it."""
    path, _, offset = point.rpartition(".")
    place = {"type": "TextPositionSelector", "start": int(offset), "end": int(offset)}
    return {"type": "XPathSelector", "value": path, "refinedBy": place}


def _quoted(name: str) -> str:
    """A name as part of an IRI."""
    return quote(name, safe="/", errors="surrogateescape")


def looks_like_annotations(file: str) -> bool:
    """Whether a file begins as a page of annotations does."""
    if not Path(file).is_file():
        return False
    with Path(file).open("rb") as stream:
        return CONTEXT.encode() in stream.read(1000)


def read_annotations(file: str, collection: Collection) -> Judged:
    """What a page of annotations says; every quote must stand where its position says."""
    try:
        return _judged(file, json.loads(Path(file).read_bytes())["items"], collection)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        said = f"no annotations of judgements ({type(error).__name__}: {error})"
        raise FormatError(
            file, None, said, "what `spanwise judge export --to w3c` writes"
        ) from error


def _judged(file: str, items: list[dict[str, Any]], collection: Collection) -> Judged:
    found: Judged = {}
    owners: dict[str, tuple[str, str]] = {}
    for item in items:
        if item.get("motivation") == "assessing":
            said = json.loads(item["body"]["value"])
            source = unquote(item["target"]["source"], errors="surrogateescape")
            key = (said.pop("topic"), source)
            owners[item["id"]] = key
            found[key] = {"layers": {}, **said}
    for item in items:
        if item.get("motivation") == "highlighting":
            _highlight(file, item, owners, found, collection)
    return found


def _highlight(
    file: str, item: Any, owners: dict[str, tuple[str, str]], found: Judged, collection: Collection
) -> None:
    layer = item["body"]["value"]
    owner = owners.get(item["id"].rsplit(f":{_quoted(layer)}:", 1)[0])
    if owner is None:
        raise InputError(f"{file}: {item['id']}: a highlight of a document that is not assessed")
    by_type = {one["type"]: one for one in item["target"]["selector"]}
    place, quote = by_type["TextPositionSelector"], by_type["TextQuoteSelector"]
    start, end = place["start"], place["end"]
    if collection.text(owner[1], start, end - start) != quote["exact"]:
        raise InputError(
            f"{file}: {item['id']}: the text at {start} is not the one quoted; expected the same"
            " collection, and nothing is moved to where it might fit"
        )
    found[owner]["layers"].setdefault(layer, []).append((start, end))
