"""What `spanwise convert` does: read, say what will be lost, write."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from spanwise.collection import opened
from spanwise.console import emit_bytes, say, watched, write_atomically, write_folder_atomically
from spanwise.errors import FormatError, UsageError
from spanwise.evaluation.shards import Workshop
from spanwise.formats import FORMATS, Format, Reading, expanded, read
from spanwise.formats.io.dataset import MARK, Dataset
from spanwise.formats.io.files import STDIN, fits, is_remote, lasts
from spanwise.formats.pieces import format_of, part_of, partitioned, read_part
from spanwise.formats.registry import Holds, find_format
from spanwise.matching.documents import repeated_rows
from spanwise.matching.placing import placed_judgements, placed_run, recompute_sizes
from spanwise.matching.points import assessed
from spanwise.model.columns import text as text_of
from spanwise.model.contents import ASSESSORS, HIGHLIGHTED, PASSAGES, loss_in_words
from spanwise.model.elements import Pool as Said
from spanwise.model.judgements import Highlights, Judgements, Preferences, combined, of_topics
from spanwise.model.notes import Note, in_lines
from spanwise.model.pools import Pool, once_each
from spanwise.model.run import Run
from spanwise.model.run import of_topics as run_of_topics

if TYPE_CHECKING:
    from spanwise.model.arrays import IntArray
    from spanwise.model.documents import Collection
    from spanwise.model.elements import Assessments

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
        kinds = ", ".join(loss_in_words(kind, count) for kind, count in lost.items())
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
            content = recompute_sizes(content, collection, notes)
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


# What `spanwise convert --partition` does: a run or judgements as a folder of files by topic. -----

Parts = Iterator[tuple[int, Run | Judgements]]


def dataset_made(
    source: str,
    target: str,
    to: str | None,
    source_format: str | None,
    collection: str | None,
    parts: int,
) -> None:
    """Write a dataset, the whole of it or nothing."""
    if is_remote(target):
        raise UsageError(f"{target}: a dataset is written to a folder here; copy it there")
    if to is not None and to not in PARQUET.values():
        raise UsageError(f"--partition writes {' or '.join(PARQUET.values())}, not {to}")
    with Workshop(lambda some, count: watched(some, count, "sorting")) as shop:
        if collection is None and _too_large(source, source_format):
            name, entry, contents = _in_parts(source, source_format, parts, shop)
        else:
            content, entry = prepared(source, "x.parquet", to, source_format, collection)
            name, contents = getattr(content, "name", ""), _by_topic(content, parts)
        write_folder_atomically(Path(target), _files(contents, entry, name, parts))


def _files(contents: Parts, entry: Format, name: str, parts: int) -> Iterator[tuple[str, Any]]:
    """Names and bytes, and last what says what they are."""
    assert entry.write is not None
    files: dict[str, str] = {}
    for number, content in contents:
        files[str(number)] = f"part-{number:05}.parquet"
        yield files[str(number)], entry.write(content)
    dataset = Dataset(entry.holds, entry.name, name, parts, files)
    yield MARK, [dataset.mark()]


def _by_topic(content: Run | Judgements, parts: int) -> Parts:
    """Content that memory holds."""
    owned: dict[int, list[bytes]] = {}
    for topic in content.rows.topics:
        owned.setdefault(part_of(topic, parts), []).append(topic)
    for number in sorted(owned):
        if isinstance(content, Run):
            yield number, run_of_topics(content, owned[number])
        else:
            yield number, of_topics(content, owned[number])


def _too_large(source: str, name: str | None) -> bool:
    path = Path(source)
    return path.is_file() and not fits(source) and format_of(source, name, KINDS).lines is not None


def _in_parts(
    source: str, name: str | None, parts: int, shop: Workshop
) -> tuple[str, Format, Parts]:
    """A file that memory does not hold: the name of the run, the format to write, the parts."""
    entry = format_of(source, name, KINDS)
    common, there, last = partitioned(source, entry, parts, shop.folder() / "parts", shop.watch)
    if entry.holds not in PARQUET:
        raise UsageError(f"{source} holds {entry.holds}; --partition is for runs and judgements")
    how = Reading(ranks=True)

    def read(number: int) -> Run | Judgements:
        content: Run | Judgements = read_part(source, replace(common, paths=(there[number],)), how)
        return content

    try:
        latest = read(last)
    except FormatError as error:
        how = Reading()  # the same error, unless ranks were to blame
        latest = read(last)
        say("warning", f"{error}; ranks are not kept")
    called = latest.name if isinstance(latest, Run) else ""
    return called, FORMATS[PARQUET[entry.holds]], _one_by_one(read, sorted(there), called)


def _one_by_one(read: Callable[[int], Run | Judgements], numbers: list[int], name: str) -> Parts:
    for number in numbers:
        content = read(number)
        yield number, replace(content, name=name) if isinstance(content, Run) else content


# Writing a run that was made here. ----------------------------------------------------------------


def plainest(run: Run) -> str:
    """The plainest format that holds a run: columns, or JSON lines where units must be stated."""
    if run.spans is not None:
        return "span_run"
    return "trec_run" if run.paths is None else "inex_run"


def write_run(run: Run, layout: str | None, output: str | None) -> None:
    """To a file in one step, or to standard output; what the format cannot hold is said."""
    entry = find_format(layout, ("run",)) if layout else FORMATS[plainest(run)]
    if entry.write is None:
        raise UsageError(f"format {entry.name!r} is only read, not written")
    for kind, count in entry.loses(run).items():
        say("warning", f"format {entry.name!r} cannot hold {loss_in_words(kind, count)}")
    data = b"".join(entry.write(run))
    if output is None:
        emit_bytes(data)
    else:
        write_atomically(Path(output), data)
