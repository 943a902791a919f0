"""Runs as JSON objects: one for each result."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from io import BytesIO
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from spanwise.errors import FormatError
from spanwise.formats.builders import Result, Returned, results_at, topics_of
from spanwise.formats.io.json_lines import Record, line, say_unread, split, unit_of, unit_said
from spanwise.formats.spans.judgements import stretch
from spanwise.formats.trec.columns import stem
from spanwise.model.columns import PlainIds, PolarsIds, Rows, text
from spanwise.model.documents import POINT_DUE, is_point
from spanwise.model.run import Chunks, Run
from spanwise.model.spans import UNKNOWN, Spans

if TYPE_CHECKING:
    import polars as pl

    from spanwise.formats.registry import Reading
    from spanwise.model.arrays import IntArray
    from spanwise.model.spans import Unit


# Large runs as JSON lines, read column by column. -------------------------------------------------
#
# Only lines that all have the same plain fields are read in this way; everything else, and every
# mistake, is left to the reader that goes line by line.

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


# Runs as JSON objects: one for each result. -------------------------------------------------------

RUN = "span-run/1"
DUE = '{"qid": ..., "doc": ..., "s": ..., "e": ..., "score": ...}, one object a line'


def parsed(pieces: Iterator[bytes], file: str, how: Reading) -> Run:
    """One run."""
    first = next(pieces, b"")
    if len(first) >= LARGE:
        data = b"".join([first, *pieces])
        quick = _quick(data, file, how.above)
        if quick is not None:
            return quick
        first, pieces = data, iter(())
    return _line_by_line(chain([first], pieces), file, how)


def _quick(data: bytes, file: str, above: int) -> Run | None:
    """A large run whose lines are all alike."""
    line, _, rest = data.partition(b"\n")
    head, _ = split(iter([line + b"\n"]), file, DUE, RUN, above)
    if head is None:
        return fast_run(data, file, stem(file), "codepoint", above)
    if {*head.said} - {"format", "run", "unit", "char", "half_open", "chunker", "k"}:
        return None
    name = head.text("run") if "run" in head else stem(file)
    return fast_run(rest, file, name, unit_of(head), above + 1)


def _line_by_line(pieces: Iterator[bytes], file: str, how: Reading) -> Run:
    head, records = split(pieces, file, DUE, RUN, how.above)
    content, unread = Returned(file, how), Counter[str]()
    for record in flattened(records):
        try:
            content.add(record.id("qid"), result_in(record))
        except FormatError as error:
            content.problem(error.line, error.found, error.expected)
        unread.update(record.unread())
    if head is not None:
        for name in ("chunker", "k"):  # they describe the run, and change nothing
            head.passed(name)
    header = head.texts("header") if head is not None and "header" in head else None
    name = head.text("run") if head is not None and "run" in head else stem(file)
    unit = unit_of(head) if head is not None else "codepoint"
    if head is not None:
        unread.update(head.unread())
    say_unread(unread, file)
    return content.finished(name, header, DUE, unit)


def flattened(records: Iterator[Record]) -> Iterator[Record]:
    """One object for each result, also where the results of a topic stand in one."""
    for record in records:
        if "results" not in record:
            yield record
            continue
        for one in record.records("results", DUE):
            one.said = {"qid": record.said.get("qid"), **one.said}
            yield one


def result_in(record: Record) -> Result:
    """The result that one object names."""
    result = Result(line=record.line)
    result.text = record.text("text") if "text" in record else ""
    result.document = record.id("doc") if "doc" in record or not result.text else b""
    result.id = record.id("id") if "id" in record else b""
    result.cost = record.whole("cost") if "cost" in record else -1
    record.passed("align")  # made by whoever placed the text; it is placed again
    record.passed("text_sha1")
    if "element" in record:
        result.path = _point(record, "element")
    elif "from" in record or "to" in record:
        result.path, result.end = _point(record, "from"), _point(record, "to")
    if "s" in record or "e" in record or result.text:
        start, result.length = stretch(record, result.text)
        result.start, result.stated = UNKNOWN if start is None else start, start is not None
    elif "lost" in record and record.flag("lost"):
        result.start = UNKNOWN
    result.rank = record.number("rank") if "rank" in record else None
    result.score = record.number("score") if "score" in record else None
    return result


def _point(record: Record, key: str) -> bytes:
    point = record.text(key)
    if not is_point(point):
        raise record.wrong(f"{key!r} is {point!r}", POINT_DUE)
    return point.encode()


def written(run: Run) -> Iterator[bytes]:
    """Everything that a run has."""
    header = {"header": dict(run.header)} if run.header is not None else {}
    yield line({"format": RUN, "run": run.name, **unit_said(run.unit), **header})
    for topic, rows in topics_of(run):
        yield b"".join(
            line({"qid": text(topic), **said_of(result)}) for result in results_at(run, rows)
        )


def said_of(result: Result) -> dict[str, Any]:
    """A result as the fields of an object."""
    said: dict[str, Any] = {"doc": text(result.document)} if result.document else {}
    if result.end:
        said |= {"from": text(result.path), "to": text(result.end)}
    elif result.path:
        said["element"] = text(result.path)
    if result.text:
        said["text"] = result.text
    if result.start == UNKNOWN and result.text:
        said |= {"s": UNKNOWN} if result.stated else {}
    elif result.start == UNKNOWN:
        said["lost"] = True
    elif result.start is not None:
        said |= {"s": result.start, "e": result.start + result.length}
    if result.rank is not None:
        said["rank"] = int(result.rank) if result.rank.is_integer() else result.rank
    if result.score is not None:
        said["score"] = result.score
    if result.id:
        said["id"] = text(result.id)
    if result.cost >= 0:
        said["cost"] = result.cost
    return said
