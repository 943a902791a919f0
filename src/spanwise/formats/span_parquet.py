"""Runs and judgements of spans as Parquet: the columns of our JSON lines, one row for each span."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import TYPE_CHECKING, Any

from spanwise.errors import FormatError
from spanwise.formats.json_lines import Record
from spanwise.formats.pointed import PointedOut
from spanwise.formats.records_judged import item_in
from spanwise.formats.records_judged_out import judged_lines
from spanwise.formats.records_runs import result_in, said_of
from spanwise.formats.registry import Reading, reader, writer
from spanwise.formats.returned import Returned, results_at, says_order_only, topics_of
from spanwise.formats.trec import stem

if TYPE_CHECKING:
    import polars as pl

    from spanwise.model.judgements import Judgements
    from spanwise.model.run import Run

MAGIC = b"PAR1"
OWN = ("qid", "doc", "query", "doc_len", "judged")
"""What is said of a document, not of a span."""
RUN_DUE = "the columns qid, doc, s, e, and perhaps run, rank, score, cost, id, text"
GOLD_DUE = "the columns qid, doc, s, e, and perhaps g, text, aspect, by, set, query, doc_len"


def looks_like_run(head: bytes) -> bool:
    """A table that has ranks or scores, as far as can be seen."""
    return head.startswith(MAGIC) and (b"score" in head or b"rank" in head)


def looks_like_gold(head: bytes) -> bool:
    """A table without."""
    return head.startswith(MAGIC) and not looks_like_run(head)


def _table(pieces: Iterator[bytes], file: str, due: str) -> tuple[pl.DataFrame, str]:
    """The rows of a file, and what its positions count."""
    import polars as pl

    data = b"".join(pieces)
    data = data[: data.rfind(MAGIC) + len(MAGIC)]  # pieces end in a newline
    try:
        table = pl.read_parquet(BytesIO(data))
        unit = pl.read_parquet_metadata(BytesIO(data)).get("unit", "codepoint")
    except Exception as error:  # polars has several kinds
        raise FormatError(file, None, f"not Parquet ({str(error)[:80]})", due) from error
    missing = [name for name in ("qid", "doc") if name not in table.columns]
    if missing:
        raise FormatError(file, None, f"no column {missing[0]!r}", due)
    return table, unit


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
    table, unit = _table(pieces, file, RUN_DUE)
    content = Returned(file, how)
    name = stem(file)
    if "run" in table.columns and len(table):
        name = str(table["run"][0])
    for record in _records(table, file, RUN_DUE):
        try:
            content.add(record.id("qid"), result_in(record))
        except FormatError as error:
            content.problem(error.line, error.found, error.expected)
    return content.finished(name, None, RUN_DUE, unit)


@writer("span_run_parquet")
def write_run(run: Run) -> Iterator[bytes]:
    """One row for each result."""
    rows: list[dict[str, Any]] = []
    for topic, places in topics_of(run):
        scored = not says_order_only(run.scores[places])
        for rank, result in enumerate(results_at(run, places), start=1):
            said = said_of(result, scored)
            said.setdefault("rank", rank)
            rows.append({"run": run.name, "qid": topic.decode("utf-8", "replace"), **said})
    yield _written(rows, run.unit)


def _written(rows: list[dict[str, Any]], unit: str) -> bytes:
    import polars as pl

    buffer = BytesIO()
    pl.DataFrame(rows, infer_schema_length=None).write_parquet(buffer, metadata={"unit": unit})
    return buffer.getvalue()


@reader("span_qrels_parquet", holds="judgements", recognise=looks_like_gold)
def parse_gold(pieces: Iterator[bytes], file: str, how: Reading) -> Judgements:
    """Judgements as Parquet: columns qid, doc, s, e, and perhaps g, text, aspect, by, set, query.

    One row for each span, and one without s and e for a document in which nothing is relevant.
    Positions count code points, unless the file's metadata name another `unit`.
    """
    table, unit = _table(pieces, file, GOLD_DUE)
    content = PointedOut(file, how, unit)
    for record in _records(table, file, GOLD_DUE):
        try:
            topic, document = record.id("qid"), record.id("doc")
            content.topic(topic, record.text("query") if "query" in record else "")
            full = record.said.get("judged") != "spans"
            content.document(topic, document, record.line, full=full)
            if "s" in record or "text" in record:
                content.item(topic, document, record.line, item_in(record))
        except FormatError as error:
            content.problem(error.line, error.found, error.expected)
    return content.judgements(GOLD_DUE)


@writer("span_qrels_parquet")
def write_gold(judgements: Judgements) -> Iterator[bytes]:
    """One row for each span."""
    rows: list[dict[str, Any]] = []
    for said in judged_lines(judgements):
        own = {name: said[name] for name in OWN if name in said}
        rows += [{**own, **span} for span in said.get("spans") or [{}]]
    marked = judgements.highlights
    yield _written(rows, "opaque" if marked is None else marked.unit)
