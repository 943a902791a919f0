"""What `spanwise judge export` writes, in each format."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from warnings import warn

from spanwise.app.judge.annotations import origin, written_annotations
from spanwise.app.judge.store import Store
from spanwise.app.judge.verdicts import (
    MACHINE,
    Verdict,
    chosen_judges,
    judgements_of,
    merged_verdicts,
    verdicts,
)
from spanwise.app.output import write_atomically, write_folder_atomically
from spanwise.collection import open_collection
from spanwise.errors import SpanwiseWarning, UsageError
from spanwise.formats import FORMATS
from spanwise.formats.folders import ABOUT
from spanwise.formats.json_lines import line
from spanwise.formats.records_judged import QRELS
from spanwise.model.gestures import RELEVANT
from spanwise.model.judgements import by_assessor

LINES = {"qrels": "document", "inex_qrels": "codepoint"}
"""Formats whose readers elsewhere know no comments: where they come from stands beside them."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be exported, and how."""

    to: str = "span_qrels"
    judge: str | None = None
    merge: str | None = None
    state: str = "done"
    collection: str | None = None
    machines: bool = False


def exported(path: str, output: str, wanted: Wanted) -> str:
    """Write a file or a folder; what was written, in a sentence."""
    store = Store(path)
    names = chosen_judges(store, wanted.judge, wanted.merge, wanted.machines)
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
    return (
        f"{output}: {len(found)} judged documents, {len({v.judge for v in found})} judges,"
        f" log {seq} {head[:16]}\n"
    )


def _needed(wanted: Wanted) -> str:
    if wanted.collection is None:
        raise UsageError(f"--to {wanted.to} needs --collection, to say where text lies")
    return wanted.collection


def _write_format(store: Store, output: str, wanted: Wanted, found: Sequence[Verdict]) -> None:
    entry = FORMATS[wanted.to]
    assert entry.write is not None  # all formats offered here are written
    xml = wanted.to.startswith("inex_assessments")
    collection = open_collection(_needed(wanted)) if xml else None
    judgements = judgements_of(found, store.path, collection)
    if judgements.assessors is not None:
        raise UsageError(f"--to {wanted.to} has no room for several judges; use --judge or --merge")
    (alone,) = by_assessor(judgements)
    _say_lost(output, wanted.to, {**({} if xml else entry.loses(alone)), **_beside(found)})
    if entry.files is not None:
        said = {"unit": "codepoint", **origin(store)}
        parts = ((name, _commented(entry.write(one), said)) for name, one in entry.files(alone))
        write_folder_atomically(Path(output), parts)
    else:
        write_atomically(Path(output), entry.write(alone))


def _beside(found: Sequence[Verdict]) -> dict[str, int]:
    """What judges said that only formats of our own hold."""
    return {
        "skipped documents": sum(one.state.status == "skipped" for one in found),
        "notes": sum(bool(one.state.note) for one in found),
        "layers of aspects": sum(len(set(one.state.layers) - {RELEVANT}) for one in found),
        "probabilities below 1": sum(one.document.said.get("p", 1) < 1 for one in found),
    }


def _say_lost(output: str, to: str, lost: dict[str, int]) -> None:
    if told := ", ".join(f"{count} {what}" for what, count in lost.items() if count):
        warn(f"{output}: format {to!r} cannot hold {told}", SpanwiseWarning, stacklevel=2)


def _commented(pieces: Iterable[bytes], said: dict[str, Any]) -> Iterator[bytes]:
    """XML that says behind its declaration where it comes from."""
    declaration, _, rest = b"".join(pieces).partition(b"\n")
    told = line(said).strip().replace(b"--", b"-\\u002d")  # which would end the comment
    yield b"%b\n<!-- %b -->\n%b" % (declaration, told, rest)


def lines(store: Store, found: Sequence[Verdict]) -> Iterator[bytes]:
    """Our own JSON lines: nothing is left out, and every line says how the document was drawn."""
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
        yield line(_said(one, pool))


def _said(one: Verdict, pool: dict[str, Any]) -> dict[str, Any]:
    state, drawn = one.state, one.document.said
    said: dict[str, Any] = {
        "qid": one.topic,
        "doc": one.document.id,
        "by": one.judge,
        "state": state.status,
        "doc_len": one.document.chars,
        "spans": [{"s": start, "e": end} for start, end in one.spans],
    }
    if state.bep is not None:
        said["bep"] = state.bep
    if state.grade is not None or state.status == "skipped":
        said["grade"] = int(one.grade)
    if set(state.layers) - {RELEVANT}:
        said["layers"] = {
            name: [list(span) for span in spans] for name, spans in state.layers.items()
        }
    if state.exhaustivity:
        said["exhaustivity"] = dict(state.exhaustivity)
    for name in ("note", "reason"):
        if getattr(state, name):
            said[name] = getattr(state, name)
    said |= {"judged": "full", "sha256": one.document.sha256}
    said["origin"] = "machine" if one.judge.startswith(MACHINE) else "human"
    said["drawn"] = {
        "method": pool.get("method"),
        "p": drawn.get("p", 1.0),
        "stratum": drawn.get("stratum", 1),
    }
    if one.document.added_by:
        said["drawn"] = {"method": "judge", "added_by": one.document.added_by}
    return said | {"seconds": round(one.seconds, 1), "seq": one.seq}
