"""Readers and writers of files and foreign objects, one sub-package per family of formats."""

# ruff: noqa: F401  (importing a family registers its formats)

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from spanwise.formats.trec import (
    columns,  # the least specific format comes first: the last registered is tried first
)

# isort: split
from spanwise.formats import pools
from spanwise.formats.chunks import datasets, rag_exports
from spanwise.formats.classic import judgements
from spanwise.formats.folders import expanded
from spanwise.formats.inex import assessments, qrels, runs, submissions
from spanwise.formats.registry import FORMATS, Format, Reading, read
from spanwise.formats.spans import parquet  # with those in JSON lines
from spanwise.formats.topics import inex, plain
from spanwise.formats.trec import beir, genomics

if TYPE_CHECKING:
    from spanwise.model.elements import Grades
    from spanwise.model.judgements import Judgements, Preferences
    from spanwise.model.pools import Pool
    from spanwise.model.run import Run
    from spanwise.model.topics import Topics


__all__ = [
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
    source: Any, name: str | None = None, options: Reading | None = None
) -> Judgements | Preferences:
    """Return judgements or preferences from a file or an object; finished ones are kept."""
    from spanwise.model.judgements import Judgements, Preferences, combined

    if isinstance(source, (Judgements, Preferences)):
        return source
    if isinstance(source, (str, os.PathLike)):
        files = expanded([os.fspath(source)])
        parts = [read(file, ("judgements", "preferences"), name, options) for file in files]
        return combined(parts, os.fspath(source))
    from spanwise.formats.frames.tables import judgements_of

    return judgements_of(source)


def read_quantisation(file: str) -> Grades:
    """Return a user-defined quantisation from a file: the value of each pair of grades."""
    from spanwise.formats.inex.tables import read_quantisation_table

    return read_quantisation_table(file)


def read_run(source: Any, name: str | None = None, options: Reading | None = None) -> Run:
    """Return a run from a file or an object; a finished run is returned as is."""
    from spanwise.model.run import Run

    if isinstance(source, Run):
        return source
    if isinstance(source, (str, os.PathLike)):
        return read(os.fspath(source), ("run",), name, options)
    from spanwise.formats.frames.tables import run_of

    return run_of(source)


def read_topics(source: Any, name: str | None = None, options: Reading | None = None) -> Topics:
    """Return the topics in a file or in all files of a folder; finished ones are returned as is.

    Line numbers are dropped for a folder, because they would be ambiguous.
    """
    from spanwise.model.topics import Topics

    if isinstance(source, Topics):
        return source
    files = expanded([os.fspath(source)])
    parts: list[Topics] = [read(file, ("topics",), name, options) for file in files]
    if len(parts) == 1:
        return parts[0]
    return _joined_topics(parts, os.fspath(source), options or Reading())


def _joined_topics(parts: list[Topics], source: str, options: Reading) -> Topics:
    """Return the topics of several files; an id that occurs in two files is reported."""
    from dataclasses import replace

    from spanwise.errors import FormatError
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


def read_pool(source: str, name: str | None = None, options: Reading | None = None) -> Pool:
    """Return the pool in a file, or in all files of a folder."""
    from spanwise.model.pools import Pool, once_each

    parts: list[Pool] = [read(file, ("pool",), name, options) for file in expanded([source])]
    if len(parts) == 1:
        return parts[0]
    return Pool(source, once_each(one for part in parts for one in part))
