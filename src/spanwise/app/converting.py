"""What `spanwise convert` does: read, say what will be lost, write."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from spanwise.app.output import emit_bytes, say, write_atomically, write_folder_atomically
from spanwise.collection import opened
from spanwise.errors import FormatError, UsageError
from spanwise.formats import Format, Reading, expanded, read
from spanwise.formats.opening import STDIN
from spanwise.formats.registry import Holds, find_format
from spanwise.ground.placing import placed_judgements, placed_run
from spanwise.model.holdings import said
from spanwise.model.judgements import Judgements, Preferences, combined
from spanwise.model.pools import Pool, pool_of
from spanwise.model.run import Run

KINDS: tuple[Holds, ...] = ("judgements", "preferences", "run", "pool")


def converted(
    source: str, target: str, to: str, source_format: str | None, collection: str | None = None
) -> None:
    """Read a file and write it in another format."""
    entry = find_format(to, KINDS)
    if entry.write is None:
        raise UsageError(f"format {to!r} is only read, not written; see: spanwise formats")
    content = _content(source, source_format)
    if collection is not None and not isinstance(content, Pool):  # a pool names no places
        content = _placed(content, collection, source)
    held = _kind(content)
    if held != entry.holds:
        raise UsageError(
            f"{source} holds {_article(held)}, but format {to!r} holds {_article(entry.holds)}"
        )
    lost = [said(kind, count) for kind, count in entry.loses(content).items()]
    if lost:
        say("warning", f"{source}: format {to!r} cannot hold {', '.join(lost)}")
    _write(entry, content, target)


def _content(source: str, name: str | None) -> Run | Judgements | Preferences | Pool:
    """What a file or folder holds."""
    files = expanded([source])
    parts = [_read(file, name) for file in files]
    if len(parts) == 1:
        return parts[0]
    if all(isinstance(part, Pool) for part in parts):
        return pool_of(source, (one for part in parts for one in part), {})
    judged = [part for part in parts if isinstance(part, Judgements | Preferences)]
    if len(judged) < len(parts):
        raise UsageError(f"{source} has {len(parts)} files, among them runs; give one run")
    return combined(judged, source)


def _placed(
    content: Run | Judgements | Preferences, path: str, source: str
) -> Run | Judgements | Preferences:
    """The same with offsets for everything that the collection can place."""
    collection, notes = opened(path, content), list[str]()
    if isinstance(content, Run):
        content = replace(placed_run(content, collection, notes), lengths=None)
    else:
        content = placed_judgements(content, collection, notes)
    for note in notes:
        say("warning", f"{source}: {note}")
    return content


def _read(file: str, name: str | None) -> Any:
    """A file with its ranks, where those are numbers."""
    try:
        return read(file, KINDS, name, Reading(ranks=True))
    except FormatError as error:
        if file == STDIN:
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
