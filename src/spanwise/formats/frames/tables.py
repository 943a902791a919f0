"""Runs and judgements of documents from objects in memory.

The objects are dicts as in pytrec_eval, data frames, or named tuples. Columns and fields are named
query_id, doc_id, and relevance or score. Ids may be text, bytes or integers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from spanwise.errors import FormatError
from spanwise.model.columns import PlainIds, Rows, text
from spanwise.model.judgements import Judgements
from spanwise.model.run import Run

if TYPE_CHECKING:
    from spanwise.model.arrays import BoolArray, FloatArray

Record = tuple[Any, Any, Any]


def judgements_of(source: Any) -> Judgements:
    """Return judgements from an object."""
    rows, documents, grades = _columns(records(source, "relevance"), "the judgements")
    _refuse(~np.isfinite(grades), rows, documents, grades)
    return Judgements(rows, documents, grades)


def run_of(source: Any) -> Run:
    """Return a run from an object."""
    rows, documents, scores = _columns(records(source, "score"), "the run")
    _refuse(np.isnan(scores), rows, documents, scores)
    return Run("run", rows, documents, scores)


def records(source: Any, value: str) -> Iterator[Record]:
    """Yield topic, document and value of every entry of an object."""
    if isinstance(source, Mapping):
        return _of_mapping(source)
    if hasattr(source, "__arrow_c_stream__") or hasattr(source, "to_dict"):
        return _of_frame(source, value)
    if isinstance(source, Iterable):
        return _of_tuples(source, value)
    raise FormatError(
        type(source).__name__,
        None,
        "this object cannot be read",
        f"a file, a dict, a data frame or an iterable with query_id, doc_id, {value}",
        "call its collect() first" if hasattr(source, "collect") else "",
    )


def _of_mapping(source: Mapping[Any, Any]) -> Iterator[Record]:
    for topic, documents in source.items():
        if not isinstance(documents, Mapping):
            raise FormatError(
                "dict", None, f"topic {topic!r} has {documents!r}", "{document: number}"
            )
        for document, value in documents.items():
            yield topic, document, value


def _of_frame(source: Any, value: str) -> Iterator[Record]:
    names = [str(name) for name in getattr(source, "columns", [])]
    if hasattr(source, "column_names"):  # an Arrow table
        names = list(source.column_names)
    missing = [name for name in ("query_id", "doc_id", value) if name not in names]
    if missing:
        raise FormatError(
            "data frame",
            None,
            f"no column {missing[0]!r} among {names}",
            f"the columns query_id, doc_id and {value}",
        )
    columns = (_listed(source[name]) for name in ("query_id", "doc_id", value))
    return zip(*columns, strict=True)


def _listed(column: Any) -> list[Any]:
    for method in ("to_pylist", "to_list", "tolist"):
        if hasattr(column, method):
            return list(getattr(column, method)())
    return list(column)


def _of_tuples(source: Iterable[Any], value: str) -> Iterator[Record]:
    for item in source:
        try:
            yield item.query_id, item.doc_id, getattr(item, value)
        except AttributeError:
            raise FormatError(
                type(item).__name__, None, f"found {item!r}", f"query_id, doc_id and {value}"
            ) from None


def _columns(entries: Iterator[Record], source: str) -> tuple[Rows, PlainIds, Any]:
    topics: dict[bytes, list[tuple[bytes, float]]] = {}
    for topic, document, value in entries:
        entry = (_id(document, source), _number(value, source, topic, document))
        topics.setdefault(_id(topic, source), []).append(entry)
    if not topics:
        raise FormatError(source, None, "it is empty", "at least one topic")
    counts = [len(entry) for entry in topics.values()]
    documents = [document for entry in topics.values() for document, _ in entry]
    values = [value for entry in topics.values() for _, value in entry]
    starts = np.concatenate([[0], np.cumsum(counts)])
    rows = Rows(source, tuple(topics), starts, has_lines=False)
    return rows, PlainIds(documents), np.array(values, np.float64)


def _id(value: Any, source: str) -> bytes:
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        try:
            return value.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            raise FormatError(source, None, f"the id {value!a}", "text that is Unicode") from None
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        return str(value).encode()
    raise FormatError(source, None, f"the id {value!r}", "text, bytes or an integer")


def _number(value: Any, source: str, topic: Any, document: Any) -> float:
    if isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:
            return float("inf") if value > 0 else float("-inf")  # as 1e400 in a file
    raise FormatError(
        source, None, f"topic {topic!r}, document {document!r}: {value!r}", "a number"
    )


def _refuse(wrong: BoolArray, rows: Rows, documents: PlainIds, values: FloatArray) -> None:
    """Raise an error for the first wrong value."""
    if wrong.any():
        row = int(np.argmax(wrong))
        topic = rows.topics[int(np.searchsorted(rows.starts, row, side="right")) - 1]
        (document,) = documents.take(np.array([row]))
        place = f"topic {text(topic)!r}, document {text(document)!r}"
        raise FormatError(rows.source, None, f"{place}: {values[row]}", "a number")
