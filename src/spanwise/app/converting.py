"""What `spanwise convert` does: read, say what will be lost, write."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from spanwise.app.output import emit_bytes, say, write_atomically, write_folder_atomically
from spanwise.collection import opened
from spanwise.errors import FormatError, UsageError
from spanwise.formats import Format, Reading, expanded, read
from spanwise.formats.opening import STDIN, lasts
from spanwise.formats.registry import Holds, find_format
from spanwise.ground.anew import sized_anew
from spanwise.ground.match import repeated_rows
from spanwise.ground.placing import placed_judgements, placed_run
from spanwise.ground.points import assessed
from spanwise.model.assessments import Pool as Said
from spanwise.model.holdings import ASSESSORS, HIGHLIGHTED, PASSAGES, said
from spanwise.model.ids import text as text_of
from spanwise.model.judgements import Highlights, Judgements, Preferences, combined
from spanwise.model.notes import Note, in_lines
from spanwise.model.pools import Pool, once_each
from spanwise.model.run import Run

if TYPE_CHECKING:
    from spanwise.model.arrays import IntArray
    from spanwise.model.assessments import Assessments
    from spanwise.model.documents import Collection

KINDS: tuple[Holds, ...] = ("judgements", "preferences", "run", "pool")


PARQUET = {"run": "span_run_parquet", "judgements": "span_qrels_parquet"}
"""What a file is written as whose name ends in .parquet, where no format is named."""


def converted(
    source: str,
    target: str,
    to: str | None,
    source_format: str | None,
    collection: str | None = None,
    *,
    anew: bool = False,
) -> None:
    """Read a file and write it in another format, with sizes computed `anew` if that is asked."""
    content, entry = prepared(source, target, to, source_format, collection, anew=anew)
    _write(entry, content, target)


def prepared(
    source: str,
    target: str,
    to: str | None,
    source_format: str | None,
    collection: str | None = None,
    *,
    anew: bool = False,
) -> tuple[Any, Format]:
    """What a file holds and the format that it goes to; what will be lost is said."""
    if to is None and not target.endswith(".parquet"):
        raise UsageError("--to: which format? It can be left out if OUT ends in .parquet")
    entry = None if to is None else _writable(to)
    content = _content(source, source_format)
    if anew and (collection is None or not isinstance(content, Judgements)):
        raise UsageError("--sizes collection is for judgements and needs --collection")
    if entry is None:
        entry = _writable(PARQUET.get(_kind(content), "span_run_parquet"))
    if collection is not None and not isinstance(content, Pool):  # a pool names no places
        content = _placed(content, collection, source, entry, anew=anew)
    held = _kind(content)
    if held != entry.holds:
        raise UsageError(
            f"{source} holds {_article(held)}, but format {entry.name!r} holds"
            f" {_article(entry.holds)}"
        )
    lost = entry.loses(content)
    if isinstance(content, Judgements) and ASSESSORS in lost:
        _refuse_several(content, source, entry)
    if lost:
        kinds = ", ".join(said(kind, count) for kind, count in lost.items())
        say("warning", f"{source}: format {entry.name!r} cannot hold {kinds}")
    return content, entry


def _refuse_several(content: Judgements, source: str, entry: Format) -> None:
    """A format without names cannot tell what several assessors said of one document."""
    prints = content.documents.fingerprints()
    for _, again in repeated_rows(content.rows, content.documents, prints):
        name = text_of(content.documents.take(np.array([again]))[0])
        raise UsageError(
            f"{source}: several assessors judged document {name!r} for one topic, and format"
            f" {entry.name!r} has room for one; keep the judgements of one"
        )


def _writable(name: str) -> Format:
    entry = find_format(name, KINDS)
    if entry.write is None:
        raise UsageError(f"format {name!r} is only read, not written; see: spanwise formats")
    return entry


def _content(source: str, name: str | None) -> Run | Judgements | Preferences | Pool:
    """What a file or folder holds."""
    files = expanded([source])
    parts = [_read(file, name) for file in files]
    if len(parts) == 1:
        return parts[0]
    if all(isinstance(part, Pool) for part in parts):
        return Pool(source, once_each(one for part in parts for one in part))
    judged = [part for part in parts if isinstance(part, Judgements | Preferences)]
    if len(judged) < len(parts):
        raise UsageError(f"{source} has {len(parts)} files, among them runs; give one run")
    return combined(judged, source)


def _placed(
    content: Run | Judgements | Preferences, path: str, source: str, entry: Format, *, anew: bool
) -> Run | Judgements | Preferences:
    """The same with offsets for everything that the collection can place, or with points."""
    collection, notes = opened(path, content), list[str]()
    assert collection is not None
    if isinstance(content, Run):
        found: list[Note] = []
        content = replace(placed_run(content, collection, found), lengths=None)
        notes = in_lines(found)
    elif isinstance(content, Judgements):
        if anew:
            content = sized_anew(content, collection, notes)
        if content.elements is None and content.highlights:
            content = _named(content, content.highlights, collection, entry, notes)
        elif not anew:
            content = placed_judgements(content, collection, notes)
    for note in notes:
        say("warning", f"{source}: {note}")
    return content


def _named(
    content: Judgements,
    text: Highlights,
    collection: Collection,
    entry: Format,
    notes: list[str],
) -> Judgements:
    """Highlighted text by points instead of offsets, where only those can be written."""
    if entry.holds != "judgements" or HIGHLIGHTED not in entry.loses(content):
        return content
    stripped = collection.policy.blank_nodes == "strip"
    pool = Said(version="2", whitespace="strip" if stripped else "")
    documents = content.documents.take(np.arange(len(content.rows)))
    elements, unnamed = assessed(documents, text, collection, [pool] * len(content.rows.topics))
    named = replace(content, highlights=None, elements=elements)
    if PASSAGES in entry.loses(named):
        return content
    notes += _differing(text, elements, collection.lengths(documents))
    if unnamed:
        first = text_of(documents[unnamed[0]])
        notes.append(
            f"judged documents whose text the collection has not: {len(unnamed)} ({first!r})"
        )
    return named


def _differing(text: Highlights, elements: Assessments, lengths: IntArray) -> list[str]:
    """What becomes of the lengths of documents when elements are listed instead."""
    listed = np.diff(elements.elements.first) > 0
    differing = int(np.count_nonzero(listed & (text.lengths >= 0) & (text.lengths != lengths)))
    left_out = int(np.count_nonzero(~listed & (text.lengths >= 0)))
    notes = {
        "lengths that differ from the collection's, which are written": differing,
        "lengths of documents that list no elements, left out": left_out,
    }
    return [f"{what}: {count}" for what, count in notes.items() if count]


def _read(file: str, name: str | None) -> Any:
    """A file with its ranks, where those are numbers."""
    try:
        return read(file, KINDS, name, Reading(ranks=True))
    except FormatError as error:
        if not lasts(file):
            raise
        content = read(file, KINDS, name, Reading())  # the same error, unless ranks were to blame
        say("warning", f"{error}; ranks are not kept")
        return content


def _kind(content: Run | Judgements | Preferences | Pool) -> Holds:
    if isinstance(content, Pool):
        return "pool"
    if isinstance(content, Run):
        return "run"
    return "judgements" if isinstance(content, Judgements) else "preferences"


def _article(kind: str) -> str:
    return f"a {kind}" if kind in ("run", "pool") else kind


def _write(entry: Format, content: Any, target: str) -> None:
    write = entry.write
    assert write is not None
    if target == STDIN:
        for piece in write(content):
            emit_bytes(piece)
    elif target.endswith("/") or Path(target).is_dir():
        if entry.files is None:
            raise UsageError(f"{target}: format {entry.name!r} is one file; give a file's name")

        def files() -> Iterator[tuple[str, Iterator[bytes]]]:
            for name, part in entry.files(content) if entry.files else ():
                yield name, write(part)

        write_folder_atomically(Path(target), files())
    else:
        write_atomically(Path(target), write(content))
