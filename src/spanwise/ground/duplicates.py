"""The same result twice in one topic, where results are parts of documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from spanwise.errors import DuplicateError
from spanwise.model.ids import text
from spanwise.model.spans import UNKNOWN

if TYPE_CHECKING:
    from spanwise.ground.results import Results
    from spanwise.model.arrays import BoolArray, IntArray
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


def _suspicious(run: Run, results: Results) -> bool:
    """Whether any two results of one document agree in the fingerprints of what names them."""
    keys = results.document.astype(np.uint64) * SPREAD
    for ids in (run.paths, run.ends):
        if ids is not None:
            keys = (keys ^ ids.fingerprints()[results.row]) * SPREAD
    if run.spans is not None:
        for column in (run.spans.starts, run.spans.lengths):
            keys = (keys ^ column[results.row].astype(np.uint64)) * SPREAD
    keys.sort()
    return bool((keys[1:] == keys[:-1]).any())


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
