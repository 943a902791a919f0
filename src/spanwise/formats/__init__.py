"""Readers and writers of files and foreign objects, one sub-package per family of formats."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from warnings import warn

from spanwise.errors import FormatError, SpanwiseWarning
from spanwise.formats.io.files import STDIN, dataset_at
from spanwise.formats.registry import FORMATS, Format, Reading, read
from spanwise.formats.trec.beir import beir_qrels

if TYPE_CHECKING:
    from spanwise.model.elements import Grades
    from spanwise.model.judgements import Judgements, Preferences
    from spanwise.model.pools import Pool
    from spanwise.model.run import Run
    from spanwise.model.topics import Topics

__all__ = [
    "ABOUT",
    "FORMATS",
    "Format",
    "Reading",
    "expanded",
    "read",
    "read_judgements",
    "read_pool",
    "read_quantisation",
    "read_run",
    "read_topics",
]


def read_judgements(
    source: Any, format: str | None = None, options: Reading | None = None
) -> Judgements | Preferences:
    """Read judgements or preferences.

    `source` is a file or a folder of files, or an object: a dict of dicts, a data frame or an Arrow
    table with the columns query_id, doc_id and relevance, or an iterable of objects with these
    attributes. `Judgements` and `Preferences` pass through. `format` is that of files, where its
    recognition must be overruled.

    >>> read_judgements({"q1": {"d1": 1, "d2": 0}})
    <Judgements 'the judgements': 2 judged documents (1 relevant) of 1 topic>
    """
    from spanwise.model.judgements import Judgements, Preferences, combined

    if isinstance(source, (Judgements, Preferences)):
        return source
    if isinstance(source, (str, os.PathLike)):
        files = expanded([os.fspath(source)])
        parts = [read(file, ("judgements", "preferences"), format, options) for file in files]
        return combined(parts, os.fspath(source))
    from spanwise.formats.frames import holds_numbers

    if not holds_numbers(source, "relevance"):
        from spanwise.formats.frames.chunks import gold_of

        return gold_of(source)
    from spanwise.formats.frames.tables import judgements_of

    return judgements_of(source)


def read_quantisation(file: str) -> Grades:
    """Return a user-defined quantisation from a file: the value of each pair of grades."""
    from spanwise.formats.inex.tables import read_quantisation_table

    return read_quantisation_table(file)


def read_run(source: Any, format: str | None = None, options: Reading | None = None) -> Run:
    """Read a run.

    `source` is a file, or an object as in `read_judgements`, with `score` in the place of
    `relevance`. A `Run` passes through. `format` is the format of a file, where its recognition
    must be overruled.

    >>> read_run({"q1": {"d1": 2.5, "d2": 1.5}})
    <Run 'run': 2 results for 1 topic, documents>
    """
    from spanwise.model.run import Run

    if isinstance(source, Run):
        return source
    if isinstance(source, (str, os.PathLike)):
        return read(os.fspath(source), ("run",), format, options)
    from spanwise.formats.frames.tables import run_of

    return run_of(source)


def read_topics(source: Any, format: str | None = None, options: Reading | None = None) -> Topics:
    """Read topics.

    `source` is a file, a folder of files, or a dict of texts by id. `Topics` pass through. `format`
    is the format of files, where its recognition must be overruled. The topics of a folder have no
    line numbers.

    >>> read_topics({"q1": "cats", "q2": "dogs"})["q2"].title
    'dogs'
    """
    from spanwise.model.topics import Topic, Topics

    if isinstance(source, Topics):
        return source
    if isinstance(source, Mapping):
        return Topics("topics", tuple(Topic(str(name), str(text)) for name, text in source.items()))
    files = expanded([os.fspath(source)])
    parts: list[Topics] = [read(file, ("topics",), format, options) for file in files]
    if len(parts) == 1:
        return parts[0]
    return _joined_topics(parts, os.fspath(source), options or Reading())


def _joined_topics(parts: list[Topics], source: str, options: Reading) -> Topics:
    """Return the topics of several files; an id that occurs in two files is reported."""
    from dataclasses import replace

    from spanwise.model.topics import Topics

    first: dict[str, str] = {}
    kept = []
    for part in parts:
        for topic in part:
            if first.setdefault(topic.id, part.source) == part.source:
                kept.append(replace(topic, lines={}))
                continue
            found = f"topic {topic.id!r} a second time, first in {first[topic.id]}"
            options.note(FormatError(part.source, topic.line("id"), found, "one topic for each id"))
    return Topics(source, tuple(kept))


def read_pool(
    source: Pool | str | os.PathLike[str], format: str | None = None, options: Reading | None = None
) -> Pool:
    """Read a pool from a file, or from all files of a folder.

    A `Pool` passes through. `format` is the format of files, where its recognition must be
    overruled.
    """
    from spanwise.model.pools import Pool, once_each

    if isinstance(source, Pool):
        return source
    place = os.fspath(source)
    parts: list[Pool] = [read(file, ("pool",), format, options) for file in expanded([place])]
    if len(parts) == 1:
        return parts[0]
    return Pool(place, once_each(one for part in parts for one in part))


# Releases of assessments -------------------------------------------------------------------------
#
# A release is a tree of folders, of which only a part is official:
# `done/<query type>/main/topic-<n>/pool-<n>.xml`, with `others` beside `main` for further assessors
# and `in_progress` beside `done` for unfinished pools. Older releases have neither `main` nor
# `others`.

POOLS = "topic-*/pool-*.xml*"
ASIDE = ("others", "in_progress")


def official_pools(folder: Path) -> list[str] | None:
    """Return the official files of a release in byte order, or None if the folder is not one.

    The number of skipped files is reported. The folder may be any level of a release: naming
    `others` explicitly selects it.
    """
    if not any(inside.is_dir() for inside in folder.iterdir()):
        return None
    every = sorted(folder.rglob(POOLS), key=bytes)
    if not every:
        return None
    aside = {name: [f for f in every if name in f.relative_to(folder).parts] for name in ASIDE}
    official = [file for file in every if not any(file in files for files in aside.values())]
    if not official:
        raise FormatError(
            str(folder), None, "no official pool", "pool-*.xml under main", "name the folder"
        )
    counts = [f"{len(files)} under {name}" for name, files in aside.items() if files]
    if counts:
        passed = len(every) - len(official)
        warn(
            f"{folder}: {passed} of {len(every)} pools are not official and were skipped"
            f" ({', '.join(counts)})",
            SpanwiseWarning,
            stacklevel=2,
        )
    return [str(file) for file in official]


# Expanding folders -------------------------------------------------------------------------------

ABOUT = ".about.json"
"""Suffix of a file that documents the origin of the file whose name precedes it."""


def expanded(names: Sequence[str]) -> list[str]:
    """Return the files, with each folder replaced by its files in byte order.

    The folder of a release of assessments is replaced by its official files; a dataset is kept.
    """
    files: list[str] = []
    for name in names:
        path = Path(name)
        folder = bool(name) and name != STDIN and path.is_dir()
        pools = (beir_qrels(path) or official_pools(path)) if folder else None
        if folder and dataset_at(name) is not None:
            files.append(name)
        elif pools is not None:
            files += pools
        elif folder:
            inside = sorted((p for p in path.iterdir() if _is_data(p)), key=lambda p: bytes(p))
            if not inside:
                raise FormatError(name, None, "the folder has no files", "at least one file")
            files += [str(file) for file in inside]
        else:
            files.append(name)
    return files


def _is_data(file: Path) -> bool:
    """Return whether a file of a folder contains data."""
    of = file.with_name(file.name.removesuffix(ABOUT))
    return file.is_file() and (of == file or not of.is_file())
