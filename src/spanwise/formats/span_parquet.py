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
from spanwise.formats.json_lines import Record
from spanwise.formats.opening import is_remote
from spanwise.formats.records_judged import Marked
from spanwise.formats.records_judged_out import judged_lines
from spanwise.formats.records_runs import result_in, said_of
from spanwise.formats.registry import PARQUET as MAGIC
from spanwise.formats.registry import Reading, reader, writer
from spanwise.formats.returned import Returned, results_at, topics_of
from spanwise.formats.tables import (
    judgements_table,
    plain_judgements,
    plain_run,
    run_columns,
    run_table,
)
from spanwise.formats.trec import stem
from spanwise.model.holdings import filled
from spanwise.model.ids import text
from spanwise.model.judgements import Judgements, only

if TYPE_CHECKING:
    import polars as pl

    from spanwise.model.arrays import BoolArray
    from spanwise.model.run import Run
    from spanwise.model.spans import Unit

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
    from spanwise.model import holdings

    counts = holdings.of_judgements(judgements)
    if judgements.highlights is None:
        return holdings.without(counts, holdings.GRADES, holdings.POOLED, holdings.ASSESSORS)
    kept = (
        *(holdings.HIGHLIGHTED, holdings.LENGTHS, holdings.OFFSETS, holdings.ASSESSORS),
        *(holdings.UNIT, *holdings.OF_EVIDENCE),
    )
    grades, lit = judgements.grades, judgements.highlights.relevant > 0
    counts[holdings.UNSUPPORTED] = int(np.count_nonzero(~_of_text(judgements) & (grades > 0)))
    counts[holdings.DENIED] = int(np.count_nonzero((grades == 0) & lit))
    return holdings.without(counts, *kept)


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
