"""W3C Web Annotations, as the judging page exports them: read as judgements of spans.

A judged document is one annotation, and every highlight in it another. They are read as the records
of `span_qrels` that say the same, so that scores do not depend on the form of an export.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from spanwise.errors import FormatError
from spanwise.formats.registry import Reading, reader
from spanwise.formats.spans.judgements import parse_span_qrels

if TYPE_CHECKING:
    from spanwise.model.judgements import Judgements

CONTEXT = b"http://www.w3.org/ns/anno.jsonld"
EXPECTED = "what `spanwise judge export --to w3c` writes"
HEADER = {
    "format": "span-qrels/1",
    "unit": "char",
    "char": "codepoint",
    "half_open": True,
    "parts": ["spans"],
}
RELEVANT = "relevant"


@reader("w3c", holds="judgements", recognise=lambda head: CONTEXT in head)
def parse_annotations(pieces: Iterator[bytes], file: str, options: Reading) -> Judgements:
    """W3C Web Annotations: a JSON page in which the judging page exports its judgements.

    Annotations with the motivation `assessing` are judged documents: a JSON text in their body has
    `topic`, `state`, `grade`, `bep` and `chars`. Annotations with the motivation `highlighting` are
    relevant text: their `TextPositionSelector` counts code points.
    """
    try:
        page = json.loads(b"".join(pieces))
        records = _records(page["items"])
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        found = f"invalid annotations ({type(error).__name__}: {error})"
        raise FormatError(file, None, found, EXPECTED) from error
    lines = [json.dumps(one).encode() + b"\n" for one in (HEADER, *records)]
    return parse_span_qrels(iter([b"".join(lines)]), file, options)


def _records(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return a record for each judged document, with the spans that were highlighted in it."""
    records: dict[tuple[str, str, str], dict[str, Any]] = {}
    owners: dict[str, tuple[str, str, str]] = {}
    for item in items:
        if item["motivation"] != "assessing":
            continue
        said = json.loads(item["body"]["value"])
        document = unquote(item["target"]["source"], errors="surrogateescape")
        key = said["topic"], document, item["creator"]["name"]
        owners[item["id"]] = key
        record = {"qid": key[0], "doc": key[1], "by": key[2], "state": said["state"], "spans": []}
        names = {"chars": "doc_len", "bep": "bep", "grade": "grade"}
        records[key] = record | {names[name]: said[name] for name in names if name in said}
    for item in items:
        if item["motivation"] == "highlighting" and item["body"]["value"] == RELEVANT:
            owner = item["id"].rsplit(f":{RELEVANT}:", 1)[0]
            place = next(
                one for one in item["target"]["selector"] if one["type"] == "TextPositionSelector"
            )
            records[owners[owner]]["spans"].append({"s": place["start"], "e": place["end"]})
    return list(records.values())
