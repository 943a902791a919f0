"""Documents and spans as columns of a table, which is how Parquet holds them when all are alike.

A run has the columns qid, doc, score, and perhaps run, rank, s, e, id, cost; judgements have qid,
doc, grade, and perhaps by. Ids are text, or bytes where they are not UTF-8. What is not so regular
is left to those who go row by row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spanwise.formats.records_fast import REAL, TEXTS, WHOLE, codes_of, run_of, sound
from spanwise.model.ids import PolarsIds
from spanwise.model.judgements import Judgements
from spanwise.model.rows import Rows
from spanwise.model.spans import UNKNOWN

if TYPE_CHECKING:
    import polars as pl

    from spanwise.model.ids import Ids
    from spanwise.model.run import Run
    from spanwise.model.spans import Unit

JUDGED = {"qid", "doc", "grade", "by"}


# Runs ---------------------------------------------------------------------------------------


def run_columns(columns: list[str], *, ranks: bool) -> list[str] | None:
    """The columns of a run that are needed; None if there are others than the plain ones."""
    if not {"qid", "doc"} <= set(columns) <= {"run", *TEXTS, *WHOLE, *REAL}:
        return None
    if ("s" in columns) != ("e" in columns):
        return None
    left_out = {"run"} if ranks else {"run", "rank"}
    return [name for name in columns if name not in left_out]


def plain_run(table: pl.DataFrame, file: str, name: str, unit: Unit) -> Run | None:
    """The run that a table is; None if it needs a closer look."""
    import polars as pl

    texts = [table[column].dtype for column in table.columns if column in TEXTS]
    if not len(table) or not all(kind in (pl.String, pl.Binary) for kind in texts):
        return None
    for column in (*WHOLE, *REAL):
        if column in table.columns:
            kind = table[column].dtype
            if not (kind.is_integer() or (column in REAL and kind.is_float())):
                return None
            wanted = pl.Float64 if column in REAL else pl.Int64
            table = table.with_columns(pl.col(column).cast(wanted))
    return (
        run_of(table, file, name, unit if "s" in table.columns else "opaque")
        if sound(table)
        else None
    )


def run_table(run: Run) -> pl.DataFrame | None:
    """A run as a table; None if its results are not all documents, or not all spans."""
    import polars as pl

    chunks = run.chunks
    if run.paths is not None or run.ends is not None:
        return None
    unscored = np.zeros(0, np.bool_) if run.stated_scores is None else np.isnan(run.stated_scores)
    if unscored.any() and not unscored.all():
        return None
    if run.ranks is not None and np.isnan(run.ranks).any():
        return None
    if chunks is not None and (any(_all(chunks.texts)) or (chunks.costs < 0).any()):
        return None
    columns = {"qid": _topics(run.rows), "doc": _column(run.documents)}
    if run.spans is not None:
        if (run.spans.starts == UNKNOWN).any():
            return None
        columns |= {"s": pl.Series(run.spans.starts), "e": pl.Series(run.spans.ends)}
    if run.ranks is not None:
        columns["rank"] = pl.Series(run.ranks)
    if not unscored.any():
        columns["score"] = pl.Series(run.scores)
    if chunks is not None:
        columns |= {"id": _column(chunks.ids), "cost": pl.Series(chunks.costs)}
    name = run.name.encode("utf-8", "replace").decode()
    return pl.DataFrame(columns).select(pl.lit(name).alias("run"), pl.all())


# Judgements ---------------------------------------------------------------------------------


def plain_judgements(table: pl.DataFrame, file: str) -> Judgements | None:
    """The graded documents that a table is; None if it needs a closer look."""
    import polars as pl

    if not {"qid", "doc", "grade"} <= set(table.columns) <= JUDGED or not len(table):
        return None
    kinds = [table[name].dtype for name in table.columns if name != "grade"]
    numeric = table["grade"].dtype.is_numeric()
    if not numeric or not all(kind in (pl.String, pl.Binary) for kind in kinds):
        return None
    grades = table["grade"].cast(pl.Float64)
    if sum(table.null_count().row(0)) or not grades.is_finite().all():
        return None
    codes, topics = codes_of(table["qid"])
    order = np.argsort(codes, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(codes, minlength=len(topics)))])
    ids = {
        name: PolarsIds(table[name].cast(pl.Binary).gather(order))
        for name in table.columns
        if name in ("doc", "by")
    }
    rows = Rows(file, topics, starts, order + 1)
    return Judgements(rows, ids["doc"], grades.to_numpy()[order], ids.get("by"))


def judgements_table(judgements: Judgements) -> pl.DataFrame | None:
    """Graded documents as a table; None if there is more to say of them."""
    import polars as pl

    if judgements.highlights is not None or judgements.elements is not None:
        return None
    columns = {"qid": _topics(judgements.rows), "doc": _column(judgements.documents)}
    columns["grade"] = pl.Series(judgements.grades)
    if judgements.assessors is not None:
        columns["by"] = _column(judgements.assessors)
    return pl.DataFrame(columns)


def _topics(rows: Rows) -> pl.Series:
    import polars as pl

    names = pl.Series(rows.topics, dtype=pl.Binary)
    return _readable(names.gather(np.repeat(np.arange(len(names)), np.diff(rows.starts))))


def _column(ids: Ids) -> pl.Series:
    import polars as pl

    return _readable(
        ids.series if isinstance(ids, PolarsIds) else pl.Series(_all(ids), dtype=pl.Binary)
    )


def _readable(column: pl.Series) -> pl.Series:
    """As text, if it is."""
    import polars as pl

    try:
        return column.cast(pl.String)
    except pl.exceptions.PolarsError:
        return column


def _all(ids: Ids) -> list[bytes]:
    return ids.take(np.arange(len(ids)))
