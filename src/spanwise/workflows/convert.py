"""Conversion of files and objects to other formats, and output of runs, judgements and pools."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeGuard
from warnings import warn

import numpy as np

from spanwise.collection import opened
from spanwise.console import emit_bytes, watched, write_atomically, write_folder_atomically
from spanwise.errors import FormatError, SpanwiseWarning, UsageError
from spanwise.evaluation.plan import Scratch
from spanwise.formats import (
    FORMATS,
    Format,
    Reading,
    expanded,
    read,
    read_judgements,
    read_pool,
    read_run,
)
from spanwise.formats.io.files import MARK, STDIN, Dataset, fits, is_remote, lasts
from spanwise.formats.pieces import format_of, part_of, partition, read_part
from spanwise.formats.registry import Holds, find_format
from spanwise.matching.documents import repeated_rows
from spanwise.matching.placing import assessed, placed_judgements, placed_run, recompute_sizes
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
Content = Run | Judgements | Preferences | Pool
"""Input and output of a conversion."""

ENDINGS: dict[str, dict[str, str]] = {
    "run": {
        ".parquet": "span_run_parquet",
        ".jsonl": "span_run",
        ".xml": "inex_submission_2006",
    },
    "judgements": {
        ".parquet": "span_qrels_parquet",
        ".jsonl": "span_qrels",
        ".xml": "inex_assessments_2007",
    },
}
"""The default format of a file by the ending of its name."""
PARQUET = {kind: names[".parquet"] for kind, names in ENDINGS.items()}
COUNTED = {
    "run": "results",
    "judgements": "judgements",
    "preferences": "preferences",
    "pool": "documents",
}
"""What the rows of content are called."""
PLAINEST = ("qrels", "span_qrels", "inex_assessments_2007", "qrels_jg")
"""Formats of judgements, the plainest first."""


@dataclass(frozen=True, slots=True, eq=False)
class Converted:
    """The result of a conversion: the content, its format, and what that format cannot hold."""

    content: Content | None
    """What was read, placed in its documents if a collection was given. None for a dataset that was
    made from a file larger than memory."""
    format: str
    """The format that the content was, or would be, written in. Empty if none was asked for."""
    losses: Mapping[str, int]
    """Number of items of each kind that the format cannot hold."""
    path: str | None
    """The file or folder that was written. None if nothing was written."""

    def to_dict(self) -> dict[str, Any]:
        """Return what was written where, the numbers of topics and rows, and what was lost."""
        content = self.content
        holds = FORMATS[self.format].holds if content is None else _kind(content)
        counts: dict[str, int | None] = {"topics": None, COUNTED[holds]: None}
        if isinstance(content, Pool):
            counts = {"topics": len(content.topics), COUNTED[holds]: len(content)}
        elif content is not None:
            counts = {"topics": len(content.rows.topics), COUNTED[holds]: len(content.rows)}
        return {
            "path": self.path,
            "format": self.format or None,
            "holds": holds,
            **({"run": content.name} if isinstance(content, Run) else {}),
            **counts,
            "losses": dict(self.losses),
        }

    def __repr__(self) -> str:
        what = "dataset" if self.content is None else _kind(self.content)
        lost = ", ".join(loss_in_words(kind, count) for kind, count in self.losses.items())
        to = f" to {self.format}" if self.format else ""
        return f"<Converted {what}{to}: {f'lost {lost}' if lost else 'nothing lost'}>"


def convert(
    source: Content | str | os.PathLike[str],
    path: str | os.PathLike[str] | None = None,
    *,
    to: str | None = None,
    source_format: str | None = None,
    collection: Collection | Mapping[Any, str] | str | os.PathLike[str] | None = None,
    sizes: Literal["file", "collection"] = "file",
    partition: int | None = None,
    progress: bool = False,
) -> Converted:
    """Convert a run, judgements or a pool to another format.

    `source` is a file, a folder of judgements, or an object that was read before. `path` is the
    file or folder to write; without it nothing is written, and the result only holds the content
    and what the format cannot hold. `to` is the name of the format; it may be left out if `path`
    ends in .parquet, or if nothing is written. `source_format` overrules the recognition of the
    format of `source`. `collection` is a store, a folder of documents or an open collection: it
    gives offsets to results and passages that are named by paths. `sizes="collection"` computes the
    sizes in judgements from the collection instead of keeping the stated ones. `partition` writes a
    dataset: a folder of that many files, all results of a topic in one of them. `progress` shows
    the progress of a long conversion on a terminal.

    A `SpanwiseWarning` reports what the format cannot hold, and the result counts it.

    >>> from spanwise.formats import read_judgements
    >>> convert(read_judgements({"q1": {"d1": 2, "d2": 0}}), to="qrels")
    <Converted judgements to qrels: nothing lost>
    """
    target = None if path is None else os.fspath(path)
    anew = sizes == "collection"
    if partition is not None:
        if anew:
            raise UsageError("--partition keeps the stated sizes; convert the file first")
        if target is None:
            raise UsageError("partition needs a path: the folder to write")
        return _dataset_made(source, target, to, source_format, collection, partition, progress)
    if to is None and target is not None and not target.endswith(".parquet"):
        raise UsageError("--to is missing; state a format, or an OUT that ends in .parquet")
    wanted = ".parquet" if to is None and target is not None else to
    content, entry, lost = _prepared(source, wanted, source_format, collection, anew=anew)
    if entry is not None and target is not None:
        _write(entry, content, target)
    return Converted(content, entry.name if entry else "", lost, target)


def _prepared(
    source: Content | str | os.PathLike[str],
    to: str | None,
    source_format: str | None,
    collection: Any,
    *,
    anew: bool = False,
) -> tuple[Content, Format | None, Mapping[str, int]]:
    """Return the content of a source, the format to write, and what that format cannot hold.

    ".parquet" is the Parquet format of such content; without `to` there is no format.
    """
    entry = _writable(to) if to and to != ".parquet" else None
    content = _content(source, source_format)
    if anew and (collection is None or not isinstance(content, Judgements)):
        raise UsageError("--sizes collection is for judgements and needs --collection")
    if to == ".parquet":
        entry = _writable(PARQUET.get(_kind(content), "span_run_parquet"))
    name = _named_source(source, content)
    if collection is not None and not isinstance(content, Pool):  # a pool states no positions
        content = _placed(content, collection, name, entry, anew=anew)
    return content, entry, losses(content, entry, name) if entry else {}


def _named_source(source: object, content: Content) -> str:
    """Return the name of a source for messages: its file, or the one an object was read from."""
    if isinstance(source, (str, os.PathLike)):
        return os.fspath(source)
    return content.source if isinstance(content, Pool) else content.rows.source


def losses(content: Content, entry: Format, source: str) -> dict[str, int]:
    """Count what a format cannot hold of some content and warn of it; refuse a wrong format."""
    held = _kind(content)
    if held != entry.holds:
        raise UsageError(
            f"{source} holds {_article(held)}, but format {entry.name!r} holds"
            f" {_article(entry.holds)}"
        )
    lost = dict(entry.loses(content))
    if isinstance(content, Judgements) and ASSESSORS in lost:
        _refuse_several(content, source, entry)
    if lost:
        kinds = ", ".join(loss_in_words(kind, count) for kind, count in lost.items())
        told = f"{source}: format {entry.name!r} cannot hold {kinds}"
        warn(told, SpanwiseWarning, stacklevel=3)
    return lost


def _refuse_several(content: Judgements, source: str, entry: Format) -> None:
    """Refuse several judgements of one document in a format without names of assessors."""
    prints = content.documents.fingerprints()
    for _, again in repeated_rows(content.rows, content.documents, prints):
        name = text_of(content.documents.take(np.array([again]))[0])
        raise UsageError(
            f"{source}: several assessors judged document {name!r} for one topic, and format"
            f" {entry.name!r} holds one judgement; keep the judgements of one assessor"
        )


def _writable(name: str) -> Format:
    entry = find_format(name, KINDS)
    if entry.write is None:
        raise UsageError(f"format {name!r} is only read, not written; see: spanwise formats")
    return entry


def _content(source: Content | str | os.PathLike[str], name: str | None) -> Content:
    """Read the content of a file or folder; return an object as it is."""
    if isinstance(source, Content):
        return source
    if not isinstance(source, (str, os.PathLike)):
        raise UsageError(
            f"{type(source).__name__} cannot be converted; expected a path, a run, judgements or a"
            " pool; see read_run and read_judgements"
        )
    source = os.fspath(source)
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
    content: Run | Judgements | Preferences,
    documents: Collection | Mapping[Any, str] | str | os.PathLike[str],
    source: str,
    entry: Format | None,
    *,
    anew: bool,
) -> Run | Judgements | Preferences:
    """Return the content with offsets for what the collection can place, or with points."""
    collection, notes = opened(documents, content), list[str]()
    assert collection is not None
    if isinstance(content, Run):
        found: list[Note] = []
        content = replace(placed_run(content, collection, found), lengths=None)
        notes = in_lines(found)
    elif isinstance(content, Judgements):
        if anew:
            content = recompute_sizes(content, collection, notes)
        if entry is not None and content.elements is None and content.highlights:
            content = _named(content, content.highlights, collection, entry, notes)
        elif not anew:
            content = placed_judgements(content, collection, notes)
    for note in notes:
        warn(f"{source}: {note}", SpanwiseWarning, stacklevel=3)
    return content


def _named(
    content: Judgements,
    text: Highlights,
    collection: Collection,
    entry: Format,
    notes: list[str],
) -> Judgements:
    """Return highlighted text as points instead of offsets, if the format has only points."""
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
        notes.append(f"judged documents missing from the collection: {len(unnamed)} ({first!r})")
    return named


def _differing(text: Highlights, elements: Assessments, lengths: IntArray) -> list[str]:
    """Return notes on lengths of documents that listed elements replace or leave out."""
    listed = np.diff(elements.elements.first) > 0
    differing = int(np.count_nonzero(listed & (text.lengths >= 0) & (text.lengths != lengths)))
    left_out = int(np.count_nonzero(~listed & (text.lengths >= 0)))
    notes = {
        "lengths that differ from the collection's, which are written": differing,
        "lengths of documents that list no elements, left out": left_out,
    }
    return [f"{what}: {count}" for what, count in notes.items() if count]


def _read(file: str, name: str | None) -> Any:
    """Read a file with its ranks, or without them if they are not numbers."""
    try:
        return read(file, KINDS, name, Reading(ranks=True))
    except FormatError as error:
        if not lasts(file):
            raise
        content = read(
            file, KINDS, name, Reading()
        )  # raises the error again, unless the ranks caused it
        warn(f"{error}; ranks are not kept", SpanwiseWarning, stacklevel=2)
        return content


def _kind(content: Content) -> Holds:
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
            raise UsageError(f"{target}: format {entry.name!r} is a single file; give a file name")

        def files() -> Iterator[tuple[str, Iterator[bytes]]]:
            for name, part in entry.files(content) if entry.files else ():
                yield name, write(part)

        write_folder_atomically(Path(target), files())
    else:
        write_atomically(Path(target), write(content))


# `spanwise convert --partition`: a run or judgements as a folder of files by topic. ---------------

Parts = Iterator[tuple[int, Run | Judgements]]


def _dataset_made(
    source: Content | str | os.PathLike[str],
    target: str,
    to: str | None,
    source_format: str | None,
    collection: Any,
    parts: int,
    progress: bool,
) -> Converted:
    """Write a dataset, completely or not at all."""
    if is_remote(target):
        raise UsageError(f"{target}: a dataset needs a local folder; write it there, then copy it")
    if to is not None and to not in PARQUET.values():
        raise UsageError(f"--partition writes {' or '.join(PARQUET.values())}, not {to}")

    def seen(some: Any, count: int) -> Any:
        return watched(some, count, "sorting") if progress else some

    content: Content | None = None
    lost: Mapping[str, int] = {}
    with Scratch(seen) as scratch:
        if collection is None and _too_large(source, source_format):
            name, entry, contents = _in_parts(os.fspath(source), source_format, parts, scratch)
        else:
            content, found, lost = _prepared(source, to or ".parquet", source_format, collection)
            assert found is not None
            entry = found
            name, contents = getattr(content, "name", ""), _by_topic(content, parts)
        write_folder_atomically(Path(target), _files(contents, entry, name, parts))
    return Converted(content, entry.name, lost, target)


def _files(contents: Parts, entry: Format, name: str, parts: int) -> Iterator[tuple[str, Any]]:
    """Yield the names and bytes of the files, and last the file that describes them."""
    assert entry.write is not None
    files: dict[str, str] = {}
    for number, content in contents:
        files[str(number)] = f"part-{number:05}.parquet"
        yield files[str(number)], entry.write(content)
    dataset = Dataset(entry.holds, entry.name, name, parts, files)
    yield MARK, [dataset.mark()]


def _by_topic(content: Content, parts: int) -> Parts:
    """Yield the parts of content that fits into memory."""
    assert isinstance(content, Run | Judgements)  # no other content has a Parquet format
    owned: dict[int, list[bytes]] = {}
    for topic in content.rows.topics:
        owned.setdefault(part_of(topic, parts), []).append(topic)
    for number in sorted(owned):
        if isinstance(content, Run):
            yield number, run_of_topics(content, owned[number])
        else:
            yield number, of_topics(content, owned[number])


def _too_large(source: object, name: str | None) -> TypeGuard[str | os.PathLike[str]]:
    if not isinstance(source, (str, os.PathLike)) or not Path(source).is_file():
        return False
    file = os.fspath(source)
    return not fits(file) and format_of(file, name, KINDS).lines is not None


def _in_parts(
    source: str, name: str | None, parts: int, scratch: Scratch
) -> tuple[str, Format, Parts]:
    """Return the name of the run, the format to write and the parts of a file beyond memory."""
    entry = format_of(source, name, KINDS)
    common, there, last = partition(source, entry, parts, scratch.folder() / "parts", scratch.watch)
    if entry.holds not in PARQUET:
        raise UsageError(f"{source} holds {entry.holds}; --partition is for runs and judgements")
    how = Reading(ranks=True)

    def read(number: int) -> Run | Judgements:
        content: Run | Judgements = read_part(source, replace(common, paths=(there[number],)), how)
        return content

    try:
        latest = read(last)
    except FormatError as error:
        how = Reading()  # raises the error again, unless the ranks caused it
        latest = read(last)
        warn(f"{error}; ranks are not kept", SpanwiseWarning, stacklevel=2)
    called = latest.name if isinstance(latest, Run) else ""
    return called, FORMATS[PARQUET[entry.holds]], _one_by_one(read, sorted(there), called)


def _one_by_one(read: Callable[[int], Run | Judgements], numbers: list[int], name: str) -> Parts:
    for number in numbers:
        content = read(number)
        yield number, replace(content, name=name) if isinstance(content, Run) else content


# Output of runs, judgements and pools. ------------------------------------------------------------


def plainest(run: Run) -> str:
    """Return the plainest format that holds a run.

    That is columns, or JSON lines if the unit of positions has to be stated.
    """
    if run.spans is not None:
        return "span_run"
    return "trec_run" if run.paths is None else "inex_run"


def write_run(
    run: Any,
    path: str | os.PathLike[str],
    format: str | None = None,
) -> None:
    """Write a run to a file, completely or not at all.

    `run` is a `Run`, or other input of `read_run`. `path` is the file; "-" is standard output.
    `format` is the name of a format; without it the ending of the file decides (.parquet, .jsonl,
    .xml), and for other endings the plainest format that holds the run is used. A
    `SpanwiseWarning` reports what the format cannot hold.

    >>> write_run({"q1": {"d1": 2.5, "d2": 1.5}}, "-")
    q1 Q0 d1 1 2.5 run
    q1 Q0 d2 2 1.5 run
    """
    saved_run(run, path, format)


def saved_run(run: Any, path: str | os.PathLike[str], format: str | None = None) -> Converted:
    """Write a run as `write_run` does, and return what was written."""
    content = read_run(run)
    return _save(content, path, ("run",), format, plainest(content))


def write_judgements(
    judgements: Any,
    path: str | os.PathLike[str],
    format: str | None = None,
) -> None:
    """Write judgements to a file, completely or not at all.

    `judgements` are `Judgements`, or other input of `read_judgements`. `path`, `format` and
    warnings are as in `write_run`.

    >>> write_judgements({"q1": {"d1": 2, "d2": 0}}, "-")
    q1 0 d1 2
    q1 0 d2 0
    """
    content = read_judgements(judgements)
    if not isinstance(content, Judgements):
        raise UsageError(f"{content.rows.source}: no format for writing preferences is known")
    plain = min(PLAINEST, key=lambda name: len(FORMATS[name].loses(content)))
    _save(content, path, ("judgements",), format, plain)


def write_pool(
    pool: Pool | str | os.PathLike[str],
    path: str | os.PathLike[str],
    format: str | None = None,
) -> None:
    """Write a pool to a file, or to a folder where the format has a file for each topic.

    `format` is "pool" (JSON lines, the default) or "xrai_pool". A `SpanwiseWarning` reports what
    the format cannot hold.

    >>> from spanwise.model.pools import Pooled
    >>> write_pool(Pool("made", (Pooled("q1", "d1"),)), "-")
    {"format": "pool/1"}
    {"topic": "q1", "doc": "d1", "round": 0, "runs": 0, "p": 1.0, "stratum": 1, "support": []}
    """
    saved_pool(pool, path, format)


def saved_pool(
    pool: Pool | str | os.PathLike[str], path: str | os.PathLike[str], format: str | None = None
) -> Converted:
    """Write a pool as `write_pool` does, and return what was written."""
    return _save(read_pool(pool), path, ("pool",), format, "pool")


def _save(
    content: Content,
    path: str | os.PathLike[str],
    kinds: tuple[Holds, ...],
    name: str | None,
    otherwise: str,
) -> Converted:
    """Write content in the stated format, else in that of the ending, else in the default one."""
    file = os.fspath(path)
    by_ending = ENDINGS.get(kinds[0], {}).get(Path(file).suffix.lower(), otherwise)
    entry = find_format(name, kinds) if name else FORMATS[by_ending]
    if entry.write is None:
        raise UsageError(f"format {entry.name!r} is only read, not written")
    lost = losses(content, entry, "standard output" if file == STDIN else file)
    if entry.files is not None and isinstance(content, Pool):
        file = f"{file.rstrip('/')}/"
    _write(entry, content, file)
    return Converted(content, entry.name, lost, file)
