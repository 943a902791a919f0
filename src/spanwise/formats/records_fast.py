"""Large runs as JSON lines, read column by column.

Only lines that all have the same plain fields are read in this way; everything else, and every
mistake, is left to the reader that goes line by line.
"""

from __future__ import annotations

import json
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np

from spanwise.model.ids import PlainIds, PolarsIds
from spanwise.model.rows import Rows
from spanwise.model.run import Chunks, Run
from spanwise.model.spans import Spans

if TYPE_CHECKING:
    import polars as pl

    from spanwise.model.arrays import IntArray
    from spanwise.model.spans import Unit

LARGE = 1 << 20
"""Bytes from which on it is worth it."""
TEXTS, WHOLE, REAL = ("qid", "doc", "id"), ("s", "e", "cost"), ("rank", "score")
NEEDED = {"qid", "doc", "s", "e"}


def columns_of(data: bytes) -> pl.DataFrame | None:
    """The fields of lines of JSON as columns; None if they are not all alike and plain."""
    import polars as pl

    first = data[: data.find(b"\n")]
    try:
        said = json.loads(first)
    except ValueError:
        return None
    if not isinstance(said, dict) or not NEEDED <= said.keys() <= {*TEXTS, *WHOLE, *REAL}:
        return None
    if not all(isinstance(said[name], str) for name in TEXTS if name in said):
        return None
    lines = data.count(b"\n")
    if data.count(b'":') != lines * len(said) or b"\n\n" in data:
        return None
    kinds: dict[str, Any] = dict.fromkeys(TEXTS, pl.String)
    kinds |= dict.fromkeys(WHOLE, pl.Int64) | dict.fromkeys(REAL, pl.Float64)
    try:
        table = pl.read_ndjson(BytesIO(data), schema={name: kinds[name] for name in said})
    except pl.exceptions.PolarsError:
        return None
    return table if len(table) == lines and sound(table) else None


def sound(table: pl.DataFrame) -> bool:
    """Whether there is nothing to complain about."""
    import polars as pl

    if sum(table.null_count().row(0)):
        return False
    wrong = pl.lit(False)
    if "s" in table.columns:
        wrong |= (pl.col("s") < 0) | (pl.col("e") < pl.col("s"))
    for name in (*REAL, "cost"):
        if name in table.columns:
            wrong |= pl.col(name).is_nan() if name in REAL else pl.col(name) < 0
    return not table.select(wrong.any()).item()


def fast_run(data: bytes, file: str, name: str, unit: Unit, above: int) -> Run | None:
    """The run of lines that come after so many others; None if they need a closer look."""
    table = columns_of(data)
    return None if table is None else run_of(table, file, name, unit, above)


def run_of(table: pl.DataFrame, file: str, name: str, unit: Unit, above: int = 0) -> Run:
    """The run that columns without a fault are."""
    import polars as pl

    codes, topics = codes_of(table["qid"])
    order = None if (np.diff(codes) >= 0).all() else np.argsort(codes, kind="stable")
    if order is not None:
        table = table[order]
    counts = np.bincount(codes, minlength=len(topics))
    starts = np.concatenate([[0], np.cumsum(counts)])
    lines = (np.arange(len(codes)) if order is None else order) + above + 1
    spans = None
    if "s" in table.columns:
        begin, end = table["s"].to_numpy(), table["e"].to_numpy()
        spans = Spans(begin, end - begin)
    ranks = table["rank"].to_numpy() if "rank" in table.columns else None
    scored = "score" in table.columns
    counting = None if unit == "opaque" else ranks
    scores = table["score"].to_numpy() if scored else _falling(counts, counting)
    return Run(
        name,
        Rows(file, topics, starts, lines),
        PolarsIds(table["doc"].cast(pl.Binary)),
        scores,
        ranks,
        spans,
        unit=unit,
        chunks=_chunks(table),
        stated_scores=None if scored else np.full(len(codes), np.nan),
    )


def codes_of(column: pl.Series) -> tuple[IntArray, tuple[bytes, ...]]:
    """A number for each topic in order of first appearance, and the topics."""
    import polars as pl

    changes = np.flatnonzero((column != column.shift(1)).fill_null(True).to_numpy())
    names = column.gather(changes).cast(pl.Binary).to_list()
    numbers: dict[bytes, int] = {}
    codes = np.array([numbers.setdefault(name, len(numbers)) for name in names])
    sizes = np.diff(np.append(changes, len(column)))
    return np.repeat(codes, sizes), tuple(numbers)


def _falling(counts: IntArray, ranks: Any) -> Any:
    """Scores that say nothing but the order: that of ranks, or of the file."""
    ends = np.repeat(np.cumsum(counts), counts)
    falling = (ends - np.arange(len(ends))).astype(np.float64)
    if ranks is None:
        return falling
    scores = np.empty_like(falling)
    scores[np.lexsort((ranks, ends))] = falling
    return scores


def _chunks(table: pl.DataFrame) -> Chunks | None:
    if not {"id", "cost"} & set(table.columns):
        return None
    import polars as pl

    count = len(table)
    ids = (
        PolarsIds(table["id"].cast(pl.Binary)) if "id" in table.columns else PlainIds([b""] * count)
    )
    costs = table["cost"].to_numpy() if "cost" in table.columns else np.full(count, -1)
    return Chunks(PlainIds([b""] * count), ids, costs, np.ones(count, np.bool_))
