"""Runs in the project's own format: JSON lines with one object for each result.

A header may precede them, as in `spans.judgements`. Large runs with plain fields are read column by
column, all others line by line.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from spanwise.errors import FormatError
from spanwise.formats.builders import Result, RunBuilder, refuse_mixed, results_at, topics_of
from spanwise.formats.io.files import stem
from spanwise.formats.io.json_lines import (
    Record,
    line,
    split_header,
    unit_fields,
    unit_of,
    warn_unread,
)
from spanwise.formats.registry import Reading, reader, writer
from spanwise.formats.spans.judgements import OBJECTS, looks_like_span_run, point_in, position_of
from spanwise.model.columns import PlainIds, PolarsIds, Rows, text
from spanwise.model.run import Chunks, Run
from spanwise.model.spans import UNKNOWN, Spans

if TYPE_CHECKING:
    import polars as pl

    from spanwise.model.arrays import IntArray
    from spanwise.model.spans import Unit

# Large runs, column by column --------------------------------------------------------------------
#
# Only files whose lines all have the same plain fields are read in this way. All others, and those
# with errors, are read line by line.

LARGE = 1 << 20
"""Size in bytes from which reading column by column pays off."""
TEXTS, WHOLE, REAL = ("qid", "doc", "id"), ("s", "e", "cost"), ("rank", "score")
NEEDED = {"qid", "doc", "s", "e"}


def columns_of(data: bytes) -> pl.DataFrame | None:
    """Return the fields of JSON lines as columns, or None if lines are not plain and alike."""
    import polars as pl

    first = data[: data.find(b"\n")]
    try:
        fields = json.loads(first)
    except ValueError:
        return None
    if not isinstance(fields, dict) or not NEEDED <= fields.keys() <= {*TEXTS, *WHOLE, *REAL}:
        return None
    if not all(isinstance(fields[name], str) for name in TEXTS if name in fields):
        return None
    lines = data.count(b"\n")
    if data.count(b'":') != lines * len(fields) or b"\n\n" in data:
        return None
    kinds: dict[str, Any] = dict.fromkeys(TEXTS, pl.String)
    kinds |= dict.fromkeys(WHOLE, pl.Int64) | dict.fromkeys(REAL, pl.Float64)
    try:
        table = pl.read_ndjson(BytesIO(data), schema={name: kinds[name] for name in fields})
    except pl.exceptions.PolarsError:
        return None
    return table if len(table) == lines and is_valid(table) else None


def is_valid(table: pl.DataFrame) -> bool:
    """Return whether the values of a table have no errors."""
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
    """Return the run in lines after the first `above`, or None if lines are not plain and alike."""
    table = columns_of(data)
    return None if table is None else run_of(table, file, name, unit, above)


def run_of(table: pl.DataFrame, file: str, name: str, unit: Unit, above: int = 0) -> Run:
    """Return the run in a table without errors."""
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
    """Return a number for each topic in order of first appearance, and the topics."""
    import polars as pl

    changes = np.flatnonzero((column != column.shift(1)).fill_null(True).to_numpy())
    names = column.gather(changes).cast(pl.Binary).to_list()
    numbers: dict[bytes, int] = {}
    codes = np.array([numbers.setdefault(name, len(numbers)) for name in names])
    sizes = np.diff(np.append(changes, len(column)))
    return np.repeat(codes, sizes), tuple(numbers)


def _falling(counts: IntArray, ranks: Any) -> Any:
    """Return scores that only express an order: that of ranks, or of the file."""
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


# Reading line by line ----------------------------------------------------------------------------

RUN = "span-run/1"
TOPIC = ("qid", "question")
EXPECTED = '{"qid": ..., "doc": ..., "s": ..., "e": ..., "score": ...}, one object per line'


@reader("span_run", holds="run", recognise=looks_like_span_run, lines=OBJECTS)
def parse_span_run(pieces: Iterator[bytes], file: str, options: Reading) -> Run:
    """Span run as JSON lines: documents, spans, elements, or ranges of elements.

    After a header such as `{"format": "span-run/1", "run": "mine", "unit": "char", "char":
    "codepoint"}`, each line is a result: `{"qid": "q1", "rank": 1, "doc": "d7", "s": 800, "e":
    1200, "score": 7.31}`. An element has its path in `element`, a range has two paths in `from` and
    `to`; a result without any of these is a whole document. Rank and score are optional; without
    them the order counts. Without topic ids, `question` in place of `qid` is matched with the
    questions of the judgements.
    """
    first = next(pieces, b"")
    if len(first) >= LARGE:
        data = b"".join([first, *pieces])
        quick = _quick(data, file, options.above)
        if quick is not None:
            return quick
        first, pieces = data, iter(())
    return _line_by_line(chain([first], pieces), file, options)


def _quick(data: bytes, file: str, above: int) -> Run | None:
    """Return a large run whose lines are all alike, or None."""
    line, _, rest = data.partition(b"\n")
    head, _ = split_header(iter([line + b"\n"]), file, EXPECTED, RUN, above)
    if head is None:
        return fast_run(data, file, stem(file), "codepoint", above)
    if {*head.fields} - {"format", "run", "unit", "char", "half_open", "chunker", "k"}:
        return None
    name = head.text("run") if "run" in head else stem(file)
    return fast_run(rest, file, name, unit_of(head), above + 1)


def _line_by_line(pieces: Iterator[bytes], file: str, options: Reading) -> Run:
    head, records = split_header(pieces, file, EXPECTED, RUN, options.above)
    content, unread = RunBuilder(file, options), Counter[str]()
    topics = _Topics(content)
    for record in flattened(records):
        try:
            content.add(topics.of(record), result_in(record))
        except FormatError as error:
            content.problem(error.line, error.found, error.expected)
        unread.update(record.unread())
    if head is not None:
        for name in ("chunker", "k"):  # they describe the run but have no effect
            head.mark_read(name)
    header = head.texts("header") if head is not None and "header" in head else None
    name = head.text("run") if head is not None and "run" in head else stem(file)
    unit = unit_of(head) if head is not None else "codepoint"
    if head is not None:
        unread.update(head.unread())
    warn_unread(unread, file)
    return content.build(name, header, EXPECTED, unit)


def flattened(records: Iterator[Record]) -> Iterator[Record]:
    """Yield one object for each result, also if one object has all results of a topic."""
    for record in records:
        if "results" not in record:
            yield record
            continue
        for one in record.records("results", EXPECTED):
            one.fields = {**_topic_fields(record), **one.fields}
            yield one


def _topic_fields(record: Record) -> dict[str, Any]:
    return {name: record.fields[name] for name in TOPIC if name in record.fields}


class _Topics:
    """The topics of a run: ids, or numbers of questions if no ids are stated."""

    def __init__(self, content: RunBuilder) -> None:
        self._content = content
        self._ids: set[bytes] = set()
        self._entries: dict[str, bytes] = {}  # numbers of questions

    def of(self, record: Record) -> bytes:
        """Return the topic of a result."""
        if "qid" in record or "question" not in record:
            topic = record.id("qid")
            if self._entries:
                refuse_mixed(self._content, True, self._entries.values(), topic, record.line)
            self._ids.add(topic)
            return topic
        question = record.text("question")
        if question not in self._entries:
            refuse_mixed(self._content, False, self._ids, None, record.line)
            number = len(self._entries) + 1
            self._entries[question] = self._content.entry(None, number, question, record.line)
        return self._entries[question]


def result_in(record: Record) -> Result:
    """Return the result in an object."""
    result = Result(line=record.line)
    result.text = record.text("text") if "text" in record else ""
    result.document = record.id("doc") if "doc" in record or not result.text else b""
    result.id = record.id("id") if "id" in record else b""
    result.cost = record.whole("cost") if "cost" in record else -1
    record.mark_read("align")  # the text is placed again here
    record.mark_read("text_sha1")
    if "element" in record:
        result.path = point_in(record, "element")
    elif "from" in record or "to" in record:
        result.path, result.end = point_in(record, "from"), point_in(record, "to")
    if "s" in record or "e" in record or result.text:
        start, result.length = position_of(record, result.text)
        result.start, result.stated = UNKNOWN if start is None else start, start is not None
    elif "lost" in record and record.flag("lost"):
        result.start = UNKNOWN
    result.rank = record.number("rank") if "rank" in record else None
    result.score = record.number("score") if "score" in record else None
    return result


@writer("span_run")
def write_span_run(run: Run) -> Iterator[bytes]:
    """Write a run with everything it has; without topic ids, the questions identify topics."""
    header = {"header": dict(run.header)} if run.header is not None else {}
    yield line({"format": RUN, "run": run.name, **unit_fields(run.unit), **header})
    for topic, rows in topics_of(named_by_questions(run)):
        start = {"qid": text(topic)}
        yield b"".join(line({**start, **fields_of(result)}) for result in results_at(run, rows))


def named_by_questions(run: Run) -> Run:
    """Return a run whose topics are questions, if it states no ids: numbers are those of a file."""
    if not run.numbered:
        return run
    questions = [run.questions.get(topic) or text(topic) for topic in run.rows.topics]
    topics = tuple(one.encode("utf-8", "surrogateescape") for one in questions)
    return replace(run, rows=replace(run.rows, topics=topics), questions={}, numbered=False)


def fields_of(result: Result) -> dict[str, Any]:
    """Return a result as the fields of an object."""
    fields: dict[str, Any] = {"doc": text(result.document)} if result.document else {}
    if result.end:
        fields |= {"from": text(result.path), "to": text(result.end)}
    elif result.path:
        fields["element"] = text(result.path)
    if result.text:
        fields["text"] = result.text
    if result.start == UNKNOWN and result.text:
        fields |= {"s": UNKNOWN} if result.stated else {}
    elif result.start == UNKNOWN:
        fields["lost"] = True
    elif result.start is not None:
        fields |= {"s": result.start, "e": result.start + result.length}
    if result.rank is not None:
        fields["rank"] = int(result.rank) if result.rank.is_integer() else result.rank
    if result.score is not None:
        fields["score"] = result.score
    if result.id:
        fields["id"] = text(result.id)
    if result.cost >= 0:
        fields["cost"] = result.cost
    return fields
