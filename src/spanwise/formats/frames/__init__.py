"""Objects in memory: mappings, data frames, named tuples, chunks of frameworks, retrievers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any


def holds_numbers(source: Any, value: str) -> bool:
    """Tell whether an object gives a number to each document, rather than passages of documents.

    `value` is the name of the column or field with the number: relevance or score.
    """
    if isinstance(source, Mapping):
        return all(isinstance(documents, Mapping) for documents in source.values())
    columns = {
        str(name) for name in getattr(source, "column_names", getattr(source, "columns", ()))
    }
    if columns:
        return {"query_id", "doc_id", value} <= columns
    if isinstance(source, (list, tuple)) and source:
        return hasattr(source[0], "query_id")
    return not is_retriever(source) and isinstance(source, Iterable)


def is_retriever(source: Any) -> bool:
    """Tell whether an object is a retriever: a function, or an object of a framework."""
    methods = (getattr(source, name, None) for name in ("invoke", "retrieve"))
    return callable(source) or any(map(callable, methods))


def several_runs(runs: Any) -> bool:
    """Tell whether an object is a mapping of names to runs, rather than one run.

    >>> several_runs({"bm25": "bm25.run", "dense": {"q1": {"d1": 0.9}}})
    True
    >>> several_runs({"q1": {"d1": 0.9}})
    False
    """
    if not isinstance(runs, Mapping) or not runs:
        return False
    return all(isinstance(name, str) and _is_run(run) for name, run in runs.items())


def _is_run(value: Any) -> bool:
    """Tell whether an object can only be a run, not what a run holds for one topic."""
    if isinstance(value, (str, bytes, PathLike)):
        return not isinstance(value, bytes)
    if isinstance(value, Mapping):
        inner = next(iter(value.values()), None)
        return isinstance(inner, (Mapping, list, tuple))
    if isinstance(value, (list, tuple)):
        return bool(value) and hasattr(value[0], "query_id")
    framed = hasattr(value, "columns") or hasattr(value, "column_names")
    return is_retriever(value) or framed or hasattr(value, "rows")
