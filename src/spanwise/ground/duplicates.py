"""The same result twice in one topic, where results are parts of documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from spanwise.errors import DuplicateError
from spanwise.ground.match import topic_keys
from spanwise.model.ids import text
from spanwise.model.spans import UNKNOWN

if TYPE_CHECKING:
    from spanwise.ground.results import Results
    from spanwise.model.arrays import BoolArray, FingerprintArray, IntArray
    from spanwise.model.run import Run
    from spanwise.model.spans import Spans

SPREAD = np.uint64(0x9E3779B97F4A7C15)


def refuse_duplicates(run: Run, results: Results) -> None:
    """The same element, or the same span, twice in one topic is an error.

    Chunks may come again, and are read again: they have their positions in a unit of text.
    """
    chunks = run.paths is None and run.unit != "opaque"
    if chunks or not _suspicious(run, results):
        return
    keys: dict[tuple[int, object], int] = {}
    for row, document, part in zip(
        results.row.tolist(), results.document.tolist(), _names(run, results.row), strict=True
    ):
        first = keys.setdefault((document, part), row) if part is not None else row
        if first != row:
            raise _duplicate(run, first, row)


def repeats(run: Run) -> int:
    """How many results are the same as an earlier one of their topic.

    Where text is counted they are no error: it is found once. Of chunks nothing is said.
    """
    if run.spans is None or run.unit != "opaque":
        return 0
    topic = np.repeat(np.arange(len(run.rows.topics)), np.diff(run.rows.starts))
    document = topic_keys(run.documents.fingerprints(), topic)
    placed = np.flatnonzero(run.spans.starts != UNKNOWN)
    keys = np.sort(_fingerprints(run, document[placed], placed))
    return int(np.count_nonzero(keys[1:] == keys[:-1]))


def _suspicious(run: Run, results: Results) -> bool:
    """Whether any two results of one document agree in the fingerprints of what names them."""
    keys = np.sort(_fingerprints(run, results.document, results.row))
    return bool((keys[1:] == keys[:-1]).any())


def _fingerprints(
    run: Run, documents: IntArray | FingerprintArray, rows: IntArray
) -> FingerprintArray:
    """Numbers that are equal for results of the same name."""
    keys = documents.astype(np.uint64) * SPREAD
    for ids in (run.paths, run.ends):
        if ids is not None:
            keys = (keys ^ ids.fingerprints()[rows]) * SPREAD
    if run.spans is not None:
        for column in (run.spans.starts, run.spans.lengths):
            keys = (keys ^ column[rows].astype(np.uint64)) * SPREAD
    return keys


def _names(run: Run, rows: IntArray) -> Sequence[object]:
    """What tells the results of one document apart; None where nobody knows."""
    if run.paths is None and run.spans is None:
        return [b""] * len(rows)
    paths = [b""] * len(rows) if run.paths is None else run.paths.take(rows)
    names: list[Any] = list(paths)
    if run.ends is not None:
        names = list(zip(paths, run.ends.take(rows), strict=True))
    if run.spans is None:
        return names
    spans = zip(run.spans.starts[rows].tolist(), run.spans.lengths[rows].tolist(), strict=True)
    return [
        name if path else (None if span[0] == UNKNOWN else span)
        for path, name, span in zip(paths, names, spans, strict=True)
    ]


def _duplicate(run: Run, first: int, again: int) -> DuplicateError:
    topic = run.rows.topics[int(np.searchsorted(run.rows.starts, again, side="right")) - 1]
    before = run.rows.line(first)
    where = f", first on line {before}" if before is not None else ""
    return DuplicateError(
        topic,
        f"{run.rows.place(again)}: {said(run, again)} is there twice for topic"
        f" {text(topic)!r}{where}; expected each result once; remove one of the two",
    )


def said(run: Run, row: int) -> str:
    """A result in words."""
    one = np.array([row])
    name = f"document {text(run.documents.take(one)[0])!r}"
    path = b"" if run.paths is None else run.paths.take(one)[0]
    if path:
        return f"{text(path)} of {name}"
    if run.spans is None:
        return name
    return f"the span at {run.spans.starts[row]} of {name}"


def copies(document: IntArray, spans: Spans) -> BoolArray:
    """Which spans stand before with the same place in the same document."""
    order = np.lexsort((spans.lengths, spans.starts, document))
    keys = np.stack([document, spans.starts, spans.lengths])[:, order]
    again = np.zeros(len(order), np.bool_)
    again[order[1:]] = (keys[:, 1:] == keys[:, :-1]).all(axis=0)
    return again
