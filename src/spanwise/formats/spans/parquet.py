"""Runs and judgements of spans as Parquet: the columns of our JSON lines, one row for each span."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from spanwise.errors import FormatError, InputError
from spanwise.formats.builders import Returned, results_at, topics_of
from spanwise.formats.io.files import is_remote
from spanwise.formats.io.json_lines import Record
from spanwise.formats.registry import PARQUET as MAGIC
from spanwise.formats.registry import Reading, reader, writer
from spanwise.formats.spans.judgements import Marked, judged_lines
from spanwise.formats.spans.runs import (
    REAL,
    TEXTS,
    WHOLE,
    codes_of,
    result_in,
    run_of,
    said_of,
    sound,
)
from spanwise.formats.trec.columns import stem
from spanwise.model.columns import PolarsIds, Rows, text
from spanwise.model.contents import filled
from spanwise.model.judgements import Judgements, only
from spanwise.model.spans import UNKNOWN

if TYPE_CHECKING:
    import polars as pl

    from spanwise.model.arrays import BoolArray
    from spanwise.model.columns import Ids
    from spanwise.model.run import Run
    from spanwise.model.spans import Unit


# Documents and spans as columns of a table, which is how Parquet holds them when all are alike. ---
#
# A run has the columns qid, doc, score, and perhaps run, rank, s, e, id, cost; judgements have qid,
# doc, grade, and perhaps by. Ids are text, or bytes where they are not UTF-8. What is not so
# regular is left to those who go row by row.

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


# Runs and judgements of spans as Parquet: the columns of our JSON lines, one row for each span. ---

OWN = ("qid", "doc", "query", "doc_len", "highlighted", "bep", "judged")
"""What is said of a document, not of a span."""
ASSESSOR = "assessor"
"""Who judged the document, which JSON lines say as `by`; here that is who pointed out the span."""
RUN_DUE = "the columns qid, doc, s, e, and perhaps run, rank, score, cost, id, text"
GOLD_DUE = "the columns qid, doc, s, e, and perhaps g, text, aspect, by, set, query, doc_len"
SPAN = ("s", "e", "g", "text", "aspect", "by", "set")


def looks_like_run(head: bytes) -> bool:
    """A table that has ranks or scores, as far as can be seen."""
    return head.startswith(MAGIC) and bool({"rank", "score", "run"} & _columns(head))


def looks_like_gold(head: bytes) -> bool:
    """A table without."""
    return head.startswith(MAGIC) and not looks_like_run(head)


def _columns(head: bytes) -> set[str]:
    """The columns of a table; they stand at its end, which the beginning may not hold."""
    import polars as pl

    try:
        return {*pl.read_parquet_schema(BytesIO(_complete(head)))}
    except Exception:  # polars has several kinds
        return {name for name in ("rank", "score") if name.encode() in head}


def _complete(data: bytes) -> bytes:
    """Without the newline in which pieces end."""
    return data[: data.rfind(MAGIC) + len(MAGIC)]


class _Stored:
    """A table that has not been read yet: its columns, what its positions count, its rows."""

    def __init__(self, pieces: Iterator[bytes], file: str, due: str) -> None:
        self._file, self._due = file, due
        self._place: str | BytesIO = file
        if not _is_plain(file):  # it has been unpacked, or comes from elsewhere
            self._place = BytesIO(_complete(b"".join(pieces)))
        import polars as pl

        self.columns = list(self._read(pl.read_parquet_schema))
        said = self._read(pl.read_parquet_metadata)
        self.unit: Unit = said.get("unit", "codepoint")
        self.header: dict[str, str] | None = (
            json.loads(said["header"]) if "header" in said else None
        )
        missing = [name for name in ("qid", "doc") if name not in self.columns]
        if missing:
            raise FormatError(file, None, f"no column {missing[0]!r}", due)

    def rows(self, columns: list[str] | None = None) -> pl.DataFrame:
        """The rows, or some columns of them."""
        import polars as pl

        return self._read(partial(pl.read_parquet, columns=columns))

    def _read(self, ask: Callable[..., Any]) -> Any:
        if isinstance(self._place, BytesIO):
            self._place.seek(0)
        try:
            return ask(self._place)
        except Exception as error:  # polars has several kinds
            reason = f"not Parquet ({str(error)[:80]})"
            raise FormatError(self._file, None, reason, self._due) from error


def _is_plain(file: str) -> bool:
    path = Path(file)
    if is_remote(file) or not path.is_file():
        return False
    with path.open("rb") as stream:
        return stream.read(len(MAGIC)) == MAGIC


def _records(table: pl.DataFrame, file: str, due: str) -> Iterator[Record]:
    for number, row in enumerate(table.iter_rows(named=True), start=1):
        said = {name: value for name, value in row.items() if value is not None}
        yield Record(said, file, number, due)


@reader("span_run_parquet", holds="run", recognise=looks_like_run)
def parse_run(pieces: Iterator[bytes], file: str, how: Reading) -> Run:
    """Runs as Parquet: columns qid, doc, s, e, and perhaps run, rank, score, cost, id, text.

    One row for each result. Positions count code points, unless the file's metadata name another
    `unit`.
    """
    stored = _Stored(pieces, file, RUN_DUE)
    name, unit = stem(file), stored.unit
    if "run" in stored.columns:
        names = stored.rows(["run"])["run"].unique(maintain_order=True).to_list()
        if len(names) > 1:
            found = f"{str(names[0])!r} and {len(names) - 1} more in 'run'"
            raise FormatError(file, None, found, "one run a file")
        name = next(map(str, names), name)
    plain = run_columns(stored.columns, ranks=how.ranks)
    if plain is not None:
        run = plain_run(stored.rows(plain), file, name, unit)
        if run is not None:
            return replace(run, header=stored.header)
    content = Returned(file, how)
    for record in _records(stored.rows(), file, RUN_DUE):
        try:
            content.add(record.id("qid"), result_in(record))
        except FormatError as error:
            content.problem(error.line, error.found, error.expected)
    return content.finished(name, stored.header, RUN_DUE, unit)


@writer("span_run_parquet")
def write_run(run: Run) -> Iterator[bytes]:
    """One row for each result; what a submission says about itself is in the metadata."""
    more = {} if run.header is None else {"header": json.dumps(dict(run.header))}
    table = run_table(run)
    if table is not None:
        yield _parquet(table, run.unit, **more)
        return
    rows: list[dict[str, Any]] = []
    for topic, places in topics_of(run):
        start = {"run": run.name, "qid": text(topic)}
        rows += [{**start, **said_of(result)} for result in results_at(run, places)]
    yield _written(rows, run.unit, **more)


def _written(rows: list[dict[str, Any]], unit: str, **more: str) -> bytes:
    import polars as pl

    try:
        table = pl.DataFrame(rows, infer_schema_length=None)
    except UnicodeEncodeError as error:
        raise InputError(
            f"{error.object!a} is not UTF-8, and such a table holds text; JSON lines (span_run,"
            " span_qrels) have a place for it"
        ) from None
    return _parquet(table, unit, **more)


def _parquet(table: pl.DataFrame, unit: str, **more: str) -> bytes:
    buffer = BytesIO()
    table.write_parquet(buffer, metadata={"unit": unit, **more})
    return buffer.getvalue()


@reader("span_qrels_parquet", holds="judgements", recognise=looks_like_gold)
def parse_gold(pieces: Iterator[bytes], file: str, how: Reading) -> Judgements:
    """Judgements as Parquet: columns qid, doc, s, e, and perhaps g, text, aspect, by, set, query.

    One row for each span, and one without s and e for a document in which nothing is relevant.
    Of the document there may be doc_len, highlighted (how many characters, if not those of its
    spans), bep and assessor.
    Judgements of documents as a whole have the columns qid, doc, grade, and perhaps by.
    Positions count code points, unless the file's metadata name another `unit`.
    """
    stored = _Stored(pieces, file, GOLD_DUE)
    table = stored.rows()
    plain = plain_judgements(table, file)
    if plain is not None:
        return plain
    content = Marked(file, how)
    content.unit = stored.unit
    for record in _by_document(_records(table, file, GOLD_DUE)):
        try:
            content.take(record)
        except FormatError as error:
            content.problem(error.line, error.found, error.expected)
    return content.judgements(GOLD_DUE)


def _by_document(rows: Iterator[Record]) -> list[Record]:
    """One object for each document, as JSON lines have it, of one row for each span."""
    documents: dict[tuple[Any, ...], Record] = {}
    for row in rows:
        key = tuple(row.said.get(name) for name in ("qid", "doc", ASSESSOR))
        known = documents.get(key)
        if known is None:
            said = {name: row.said[name] for name in OWN if name in row.said}
            said |= {"by": row.said[ASSESSOR]} if ASSESSOR in row.said else {}
            known = Record({**said, "spans": []}, row.file, row.line, GOLD_DUE)
            documents[key] = known
        if "s" in row.said or "text" in row.said:
            span = {name: value for name, value in row.said.items() if name in SPAN}
            known.said["spans"].append(span)
    return [*documents.values()]


def gold_loses(judgements: Judgements) -> Mapping[str, int]:
    """What of judgements such a table cannot hold."""
    from spanwise.model import contents

    counts = contents.of_judgements(judgements)
    if judgements.highlights is None:
        return contents.without(counts, contents.GRADES, contents.POOLED, contents.ASSESSORS)
    kept = (
        *(contents.HIGHLIGHTED, contents.LENGTHS, contents.OFFSETS, contents.ASSESSORS),
        *(contents.UNIT, *contents.OF_EVIDENCE),
    )
    grades, lit = judgements.grades, judgements.highlights.relevant > 0
    counts[contents.UNSUPPORTED] = int(np.count_nonzero(~_of_text(judgements) & (grades > 0)))
    counts[contents.DENIED] = int(np.count_nonzero((grades == 0) & lit))
    return contents.without(counts, *kept)


def _of_text(judgements: Judgements) -> BoolArray:
    """Which documents are relevant because of highlighted text, or judged and not relevant."""
    grades, said = judgements.grades, judgements.evidence
    assert judgements.highlights is not None
    lit = judgements.highlights.relevant > 0
    if said is not None:
        lit = lit | (said.only((said.grades > 0) & filled(said.texts)).counts > 0)
    return (grades == 0) | ((grades > 0) & lit)


@writer("span_qrels_parquet", loses=gold_loses)
def write_gold(judgements: Judgements) -> Iterator[bytes]:
    """One row for each span, or for each graded document; elements have no place."""
    table = judgements_table(judgements)
    if table is not None:
        yield _parquet(table, "opaque")
        return
    marked = judgements.highlights
    if marked is None:
        raise InputError(
            f"{judgements.rows.source}: judgements of elements cannot be span_qrels_parquet;"
            " span_qrels has a place for them"
        )
    kept = np.flatnonzero(_of_text(judgements))
    if not len(kept):
        raise InputError(
            f"{judgements.rows.source}: grades without highlighted text cannot stand among spans;"
            " span_qrels has a place for them"
        )
    people = judgements.assessors
    some = replace(only(judgements, kept), elements=None)
    if people is not None:
        some = replace(some, assessors=people.reordered(kept))
    rows: list[dict[str, Any]] = []
    for said in judged_lines(some):
        own = {name: said[name] for name in OWN if name in said}
        own |= {ASSESSOR: said["by"]} if "by" in said else {}
        rows += [{**own, **span} for span in said.get("spans") or [{}]]
    yield _written(rows, marked.unit)
