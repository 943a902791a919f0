"""Runs and judgements of spans as Parquet, with the fields of our JSON lines as columns.

There is one row for each span. Plain tables are read and written column by column: a run with the
columns qid, doc, score, and optionally run, rank, s, e, id, cost; judgements with qid, doc, grade,
and optionally by. Everything else goes row by row. Ids are text, or bytes if they are not UTF-8.
"""

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
from spanwise.formats.builders import RunBuilder, results_at, topics_of
from spanwise.formats.io.files import PARQUET as MAGIC
from spanwise.formats.io.files import is_remote, stem
from spanwise.formats.io.json_lines import Record
from spanwise.formats.registry import Reading, reader, writer
from spanwise.formats.spans.judgements import JudgementBuilder, judged_lines
from spanwise.formats.spans.runs import (
    REAL,
    TEXTS,
    WHOLE,
    codes_of,
    fields_of,
    is_valid,
    named_by_questions,
    result_in,
    run_of,
)
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

# Plain runs --------------------------------------------------------------------------------------


def run_columns(columns: list[str], *, ranks: bool) -> list[str] | None:
    """Return the columns of a run that are needed, or None if it has columns that are not plain."""
    if not {"qid", "doc"} <= set(columns) <= {"run", *TEXTS, *WHOLE, *REAL}:
        return None
    if ("s" in columns) != ("e" in columns):
        return None
    left_out = {"run"} if ranks else {"run", "rank"}
    return [name for name in columns if name not in left_out]


def plain_run(table: pl.DataFrame, file: str, name: str, unit: Unit) -> Run | None:
    """Return the run in a plain table, or None if it must be read row by row."""
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
        if is_valid(table)
        else None
    )


def run_table(run: Run) -> pl.DataFrame | None:
    """Return a run as a table, or None if its results are not all documents or all spans."""
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


# Plain judgements --------------------------------------------------------------------------------

JUDGED = {"qid", "doc", "grade", "by"}


def plain_judgements(table: pl.DataFrame, file: str) -> Judgements | None:
    """Return the graded documents in a plain table, or None if it must be read row by row."""
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
    """Return graded documents as a table, or None if the judgements have other parts."""
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
    """Return a column as text if it is UTF-8."""
    import polars as pl

    try:
        return column.cast(pl.String)
    except pl.exceptions.PolarsError:
        return column


def _all(ids: Ids) -> list[bytes]:
    return ids.take(np.arange(len(ids)))


# Formats -----------------------------------------------------------------------------------------

OWN = ("qid", "doc", "query", "doc_len", "highlighted", "bep", "judged")
"""Fields of a document, as opposed to a span."""
ASSESSOR = "assessor"
"""Column with the assessor of the document; `by` is here the assessor of the span."""
EXPECTED_RUN = "the columns qid, doc, s, e, and optionally run, rank, score, cost, id, text"
EXPECTED_GOLD = (
    "the columns qid, doc, s, e, and optionally g, text, aspect, by, set, query, doc_len"
)
SPAN = ("s", "e", "g", "text", "aspect", "by", "set")


def looks_like_run(head: bytes) -> bool:
    """Return whether this is a table with ranks or scores, as far as can be seen."""
    return head.startswith(MAGIC) and bool({"rank", "score", "run"} & _columns(head))


def looks_like_gold(head: bytes) -> bool:
    """Return whether this is a table without ranks and scores."""
    return head.startswith(MAGIC) and not looks_like_run(head)


def _columns(head: bytes) -> set[str]:
    """Return the columns of a table, which are listed at the end of the file."""
    import polars as pl

    try:
        return {*pl.read_parquet_schema(BytesIO(_complete(head)))}
    except Exception:  # polars has several kinds
        return {name for name in ("rank", "score") if name.encode() in head}


def _complete(data: bytes) -> bytes:
    """Return the data without the newline that was added at the end."""
    return data[: data.rfind(MAGIC) + len(MAGIC)]


class _Stored:
    """A table that has not been read yet: its columns, its unit of positions, its rows."""

    def __init__(self, pieces: Iterator[bytes], file: str, expected: str) -> None:
        self._file, self._expected = file, expected
        self._place: str | BytesIO = file
        if not _is_plain(file):  # it was decompressed or is remote
            self._place = BytesIO(_complete(b"".join(pieces)))
        import polars as pl

        self.columns = list(self._read(pl.read_parquet_schema))
        metadata = self._read(pl.read_parquet_metadata)
        self.unit: Unit = metadata.get("unit", "codepoint")
        self.header: dict[str, str] | None = (
            json.loads(metadata["header"]) if "header" in metadata else None
        )
        # a text is searched for, and a topic may be judged to have no evidence in any document
        without = not {"text", "judged"}.isdisjoint(self.columns)
        missing = {"qid", "doc"} - {*self.columns, *(["doc"] if without else [])}
        if missing:
            raise FormatError(file, None, f"no column {max(missing)!r}", expected)

    def rows(self, columns: list[str] | None = None) -> pl.DataFrame:
        """Return the rows, or some of their columns."""
        import polars as pl

        return self._read(partial(pl.read_parquet, columns=columns))

    def _read(self, ask: Callable[..., Any]) -> Any:
        if isinstance(self._place, BytesIO):
            self._place.seek(0)
        try:
            return ask(self._place)
        except Exception as error:  # polars has several kinds
            reason = f"not Parquet ({str(error)[:80]})"
            raise FormatError(self._file, None, reason, self._expected) from error


def _is_plain(file: str) -> bool:
    path = Path(file)
    if is_remote(file) or not path.is_file():
        return False
    with path.open("rb") as stream:
        return stream.read(len(MAGIC)) == MAGIC


def _records(table: pl.DataFrame, file: str, expected: str) -> Iterator[Record]:
    for number, row in enumerate(table.iter_rows(named=True), start=1):
        fields = {name: value for name, value in row.items() if value is not None}
        yield Record(fields, file, number, expected)


@reader("span_run_parquet", holds="run", recognise=looks_like_run)
def parse_run(pieces: Iterator[bytes], file: str, options: Reading) -> Run:
    """Span run as Parquet: columns qid, doc, s, e, and optionally run, rank, score, cost, id, text.

    Each row is a result. Positions count code points, unless the metadata of the file have another
    `unit`.
    """
    stored = _Stored(pieces, file, EXPECTED_RUN)
    name, unit = stem(file), stored.unit
    if "run" in stored.columns:
        names = stored.rows(["run"])["run"].unique(maintain_order=True).to_list()
        if len(names) > 1:
            found = f"{str(names[0])!r} and {len(names) - 1} more in 'run'"
            raise FormatError(file, None, found, "one run per file")
        name = next(map(str, names), name)
    plain = run_columns(stored.columns, ranks=options.ranks)
    if plain is not None:
        run = plain_run(stored.rows(plain), file, name, unit)
        if run is not None:
            return replace(run, header=stored.header)
    content = RunBuilder(file, options)
    for record in _records(stored.rows(), file, EXPECTED_RUN):
        try:
            content.add(record.id("qid"), result_in(record))
        except FormatError as error:
            content.problem(error.line, error.found, error.expected)
    return content.build(name, stored.header, EXPECTED_RUN, unit)


@writer("span_run_parquet")
def write_run(run: Run) -> Iterator[bytes]:
    """Write one row for each result, with the header of a submission in the metadata.

    Without topic ids, the questions identify topics.
    """
    more = {} if run.header is None else {"header": json.dumps(dict(run.header))}
    run = named_by_questions(run)
    table = run_table(run)
    if table is not None:
        yield _parquet(table, run.unit, **more)
        return
    rows: list[dict[str, Any]] = []
    for topic, places in topics_of(run):
        start = {"run": run.name, "qid": text(topic)}
        rows += [{**start, **fields_of(result)} for result in results_at(run, places)]
    yield _written(rows, run.unit, **more)


def _written(rows: list[dict[str, Any]], unit: str, **more: str) -> bytes:
    import polars as pl

    try:
        table = pl.DataFrame(rows, infer_schema_length=None)
    except UnicodeEncodeError as error:
        raise InputError(
            f"{error.object!a} is not UTF-8, but a Parquet table contains text; use JSON lines"
            " (span_run, span_qrels)"
        ) from None
    return _parquet(table, unit, **more)


def _parquet(table: pl.DataFrame, unit: str, **more: str) -> bytes:
    buffer = BytesIO()
    table.write_parquet(buffer, metadata={"unit": unit, **more})
    return buffer.getvalue()


@reader("span_qrels_parquet", holds="judgements", recognise=looks_like_gold)
def parse_gold(pieces: Iterator[bytes], file: str, options: Reading) -> Judgements:
    """Span judgements as Parquet: columns qid, doc, s, e, and optionally g, text, aspect, by, set.

    Each row is a span, or, without s and e, a document in which nothing is relevant. Further
    columns of documents are query, doc_len, highlighted (number of characters, if not those of the
    spans), bep and assessor. Judgements of whole documents have the columns qid, doc, grade, and
    optionally by. Positions count code points, unless the metadata of the file have another `unit`.
    """
    stored = _Stored(pieces, file, EXPECTED_GOLD)
    table = stored.rows()
    plain = plain_judgements(table, file)
    if plain is not None:
        return plain
    content = JudgementBuilder(file, options)
    content.unit = stored.unit
    for record in _by_document(_records(table, file, EXPECTED_GOLD)):
        try:
            content.take(record)
        except FormatError as error:
            content.problem(error.line, error.found, error.expected)
    return content.build(EXPECTED_GOLD)


def _by_document(rows: Iterator[Record]) -> list[Record]:
    """Return one object for each document, as in JSON lines, from one row for each span."""
    documents: dict[tuple[Any, ...], Record] = {}
    for row in rows:
        key = tuple(row.fields.get(name) for name in ("qid", "doc", ASSESSOR))
        known = documents.get(key)
        if known is None:
            fields = {name: row.fields[name] for name in OWN if name in row.fields}
            fields |= {"by": row.fields[ASSESSOR]} if ASSESSOR in row.fields else {}
            known = Record({**fields, "spans": []}, row.file, row.line, EXPECTED_GOLD)
            documents[key] = known
        if "s" in row.fields or "text" in row.fields:
            span = {name: value for name, value in row.fields.items() if name in SPAN}
            known.fields["spans"].append(span)
    return [*documents.values()]


def gold_loses(judgements: Judgements) -> Mapping[str, int]:
    """Count what such a table cannot hold of judgements, by kind."""
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
    """Return which documents are relevant by highlighted text, or judged not relevant."""
    grades, evidence = judgements.grades, judgements.evidence
    assert judgements.highlights is not None
    lit = judgements.highlights.relevant > 0
    if evidence is not None:
        lit = lit | (evidence.only((evidence.grades > 0) & filled(evidence.texts)).counts > 0)
    return (grades == 0) | ((grades > 0) & lit)


@writer("span_qrels_parquet", loses=gold_loses)
def write_gold(judgements: Judgements) -> Iterator[bytes]:
    """Write one row for each span or graded document; elements cannot be written."""
    table = judgements_table(judgements)
    if table is not None:
        yield _parquet(table, "opaque")
        return
    marked = judgements.highlights
    if marked is None:
        raise InputError(
            f"{judgements.rows.source}: span_qrels_parquet cannot hold judgements of elements;"
            " use span_qrels"
        )
    kept = np.flatnonzero(_of_text(judgements))
    if not len(kept):
        raise InputError(
            f"{judgements.rows.source}: span_qrels_parquet cannot hold grades without highlighted"
            " text; use span_qrels"
        )
    people = judgements.assessors
    some = replace(only(judgements, kept), elements=None)
    if people is not None:
        some = replace(some, assessors=people.reordered(kept))
    rows: list[dict[str, Any]] = []
    for judged in judged_lines(some):
        own = {name: judged[name] for name in OWN if name in judged}
        own |= {ASSESSOR: judged["by"]} if "by" in judged else {}
        rows += [{**own, **span} for span in judged.get("spans") or [{}]]
    yield _written(rows, marked.unit)
