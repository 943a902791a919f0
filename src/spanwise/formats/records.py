"""Our own format: JSON lines that hold everything, with units stated.

The first line is a header, recognised by its field `format`. Positions are half open, [s, e).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from warnings import warn

from spanwise.errors import FormatError, SpanwiseWarning
from spanwise.formats.json_lines import Record, counted, line, lines_of
from spanwise.formats.records_judged import Marked, judged_lines
from spanwise.formats.registry import Reading, reader, writer
from spanwise.formats.returned import Result, Returned, results_at, says_order_only, topics_of
from spanwise.formats.trec import stem
from spanwise.model.ids import text
from spanwise.model.paths import POINT_DUE, is_point
from spanwise.model.spans import UNKNOWN, Unit

if TYPE_CHECKING:
    from spanwise.model.judgements import Judgements
    from spanwise.model.run import Run

RUN, QRELS = "span-run/1", "span-qrels/1"
RUN_DUE = '{"qid": ..., "doc": ..., "s": ..., "e": ..., "score": ...}, one object a line'
QRELS_DUE = '{"qid": ..., "doc": ..., "spans": [{"s": ..., "e": ...}]}, one object a line'
UNITS: dict[tuple[str, str], Unit] = {
    ("char", "opaque"): "opaque",
    ("char", "codepoint"): "codepoint",
    ("char", "utf16"): "utf16",
    ("byte", ""): "byte",
}


def _begins_with(head: bytes, *marks: bytes) -> bool:
    first = head.lstrip().partition(b"\n")[0]
    return first.startswith(b"{") and any(mark in first for mark in marks)


def looks_like_span_run(head: bytes) -> bool:
    """JSON lines whose header says so, or whose first object has a score or a rank."""
    return _begins_with(head, b'"span-run/', b'"score"', b'"rank"')


def looks_like_span_qrels(head: bytes) -> bool:
    """JSON lines whose header says so, or any whose first object has no score nor rank."""
    return _begins_with(head, b'"qid"', b'"span-qrels/') and not looks_like_span_run(head)


def _unit(record: Record) -> Unit:
    unit = record.text("unit") if "unit" in record else "char"
    kind = record.text("char") if "char" in record and unit == "char" else ""
    found = UNITS.get((unit, kind or ("codepoint" if unit == "char" else "")))
    if found is None:
        raise record.wrong(
            f"unit {unit!r} {kind}".rstrip(), "char (codepoint, utf16, opaque) or byte"
        )
    if "half_open" in record and not record.flag("half_open"):
        raise record.wrong("'half_open' is false", "half-open positions")
    return found


def _unit_said(unit: Unit) -> dict[str, Any]:
    return {"unit": "byte"} if unit == "byte" else {"unit": "char", "char": unit}


def _split(
    pieces: Iterator[bytes], file: str, due: str, form: str
) -> tuple[Record | None, Iterator[Record]]:
    """The header, if there is one, and the records after it."""
    records = lines_of(pieces, file, due)
    first = next(records, None)
    if first is None:
        return None, records
    if "format" in first:
        stated = first.text("format")
        if stated != form:
            raise first.wrong(f"format {stated!r}", f"{form!r}")
        return first, records

    def every() -> Iterator[Record]:
        yield first
        yield from records

    return None, every()


def _say_unread(unread: Counter[str], file: str) -> None:
    if unread:
        warn(f"{file}: fields that are not used: {counted(unread)}", SpanwiseWarning, stacklevel=3)


# Runs ---------------------------------------------------------------------------------------


@reader("span_run", holds="run", recognise=looks_like_span_run)
def parse_span_run(pieces: Iterator[bytes], file: str, how: Reading) -> Run:
    """Runs as JSON lines: documents, spans `s` and `e`, elements, or ranges `from` and `to`.

    After a header such as `{"format": "span-run/1", "run": "mine", "unit": "char", "char":
    "codepoint"}` one object for each result: `{"qid": "q1", "rank": 1, "doc": "d7", "s": 800,
    "e": 1200, "score": 7.31}`. Rank and score may be missing; then the order counts.
    """
    head, records = _split(pieces, file, RUN_DUE, RUN)
    content, unread = Returned(file, how), Counter[str]()
    for record in records:
        try:
            content.add(record.id("qid"), _result(record))
        except FormatError as error:
            content.problem(error.line, error.found, error.expected)
        unread.update(record.unread())
    header = head.texts("header") if head is not None and "header" in head else None
    name = head.text("run") if head is not None and "run" in head else stem(file)
    unit = _unit(head) if head is not None else "codepoint"
    if head is not None:
        unread.update(head.unread())
    _say_unread(unread, file)
    return content.finished(name, header, RUN_DUE, unit)


def _result(record: Record) -> Result:
    result = Result(record.id("doc"), line=record.line)
    if "element" in record:
        result.path = _point(record, "element")
    elif "from" in record or "to" in record:
        result.path, result.end = _point(record, "from"), _point(record, "to")
    if "s" in record or "e" in record:
        result.start, end = record.whole("s"), record.whole("e")
        result.length = end - result.start
        if result.length < 0:
            raise record.wrong(f"a span from {result.start} to {end}", "an end after the start")
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


@writer("span_run")
def write_span_run(run: Run) -> Iterator[bytes]:
    """Everything that a run has."""
    header = {"header": dict(run.header)} if run.header is not None else {}
    yield line({"format": RUN, "run": run.name, **_unit_said(run.unit), **header})
    for topic, rows in topics_of(run):
        scored = not says_order_only(run.scores[rows])
        yield b"".join(
            line({"qid": text(topic), **_said(result, scored)}) for result in results_at(run, rows)
        )


def _said(result: Result, scored: bool) -> dict[str, Any]:
    said: dict[str, Any] = {"doc": text(result.document)}
    if result.end:
        said |= {"from": text(result.path), "to": text(result.end)}
    elif result.path:
        said["element"] = text(result.path)
    if result.start == UNKNOWN:
        said["lost"] = True
    elif result.start is not None:
        said |= {"s": result.start, "e": result.start + result.length}
    if result.rank is not None:
        said["rank"] = int(result.rank) if result.rank.is_integer() else result.rank
    if scored:
        said["score"] = result.score
    return said


# Judgements ---------------------------------------------------------------------------------


@reader("span_qrels", holds="judgements", recognise=looks_like_span_qrels)
def parse_span_qrels(pieces: Iterator[bytes], file: str, how: Reading) -> Judgements:
    """Judgements as JSON lines: documents, highlighted spans, graded elements, entry points.

    After a header such as `{"format": "span-qrels/1", "unit": "char", "char": "codepoint"}` one
    object for each topic and document: `{"qid": "q1", "doc": "d7", "doc_len": 48211, "spans":
    [{"s": 1000, "e": 1200}], "bep": 1000}`. Spans may also go `from` a point `to` another, with
    their `size`; `elements` have a `path`, `exhaustivity`, `specificity` or `coverage`, `size`
    and `rsize`. No spans say that nothing is relevant; `grade` alone judges the document.
    """
    head, records = _split(pieces, file, QRELS_DUE, QRELS)
    content, unread = Marked(file, how), Counter[str]()
    if head is not None:
        content.unit = _unit(head)
        content.expect(head)
        unread.update(head.unread())
    for record in records:
        try:
            content.take(record)
        except FormatError as error:
            content.problem(error.line, error.found, error.expected)
        unread.update(record.unread())
    _say_unread(unread + content.unread, file)
    return content.judgements(QRELS_DUE)


@writer("span_qrels")
def write_span_qrels(judgements: Judgements) -> Iterator[bytes]:
    """Everything that judgements have."""
    unit: Unit = judgements.highlights.unit if judgements.highlights is not None else "opaque"
    parts = [
        name
        for name, column in (("elements", judgements.elements), ("spans", judgements.highlights))
        if column is not None
    ]
    yield line({"format": QRELS, **_unit_said(unit), "half_open": True, "parts": parts})
    for said in judged_lines(judgements):
        yield line(said)
