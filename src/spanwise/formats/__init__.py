"""Files and foreign objects to model and back, one module per family."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from spanwise.formats import trec  # the least special first: those entered last are asked first

# isort: split
from spanwise.formats import (
    inex_assessments,
    inex_qrels,
    inex_runs,
    inex_submissions,
    inex_topics,
    plain_topics,
    records,
    reuters,
    smart_judged,
    smart_topics,
    survey_runs,
)
from spanwise.formats.registry import FORMATS, Format, Reading, expanded, read

if TYPE_CHECKING:
    from spanwise.model.judgements import Judgements, Preferences
    from spanwise.model.run import Run
    from spanwise.model.topics import Topics

__all__ = [
    "FORMATS",
    "Format",
    "Reading",
    "expanded",
    "inex_assessments",
    "inex_qrels",
    "inex_runs",
    "inex_submissions",
    "inex_topics",
    "plain_topics",
    "read",
    "read_judgements",
    "read_run",
    "read_topics",
    "records",
    "reuters",
    "smart_judged",
    "smart_topics",
    "survey_runs",
    "trec",
]


def read_judgements(
    source: Any, name: str | None = None, how: Reading | None = None
) -> Judgements | Preferences:
    """Judgements or preferences from a file or an object; finished ones pass through."""
    from spanwise.model.judgements import Judgements, Preferences, combined

    if isinstance(source, (Judgements, Preferences)):
        return source
    if isinstance(source, (str, os.PathLike)):
        files = expanded([os.fspath(source)])
        parts = [read(file, ("judgements", "preferences"), name, how) for file in files]
        return combined(parts, os.fspath(source))
    from spanwise.formats.objects import judgements_of

    return judgements_of(source)


def read_run(source: Any, name: str | None = None, how: Reading | None = None) -> Run:
    """A run from a file or an object; a finished one passes through."""
    from spanwise.model.run import Run

    if isinstance(source, Run):
        return source
    if isinstance(source, (str, os.PathLike)):
        return read(os.fspath(source), ("run",), name, how)
    from spanwise.formats.objects import run_of

    return run_of(source)


def read_topics(source: Any, name: str | None = None, how: Reading | None = None) -> Topics:
    """Topics from a file, or from all files of a folder; finished ones pass through.

    Line numbers are given up for a folder, because they would not say of which file.
    """
    from dataclasses import replace

    from spanwise.model.topics import Topics

    if isinstance(source, Topics):
        return source
    files = expanded([os.fspath(source)])
    parts = [read(file, ("topics",), name, how) for file in files]
    if len(parts) == 1:
        return parts[0]
    every = [replace(topic, lines={}) for part in parts for topic in part]
    return inex_topics.unique(every, os.fspath(source), how or Reading())
