"""Runs as JSON objects: one for each result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any

from spanwise.errors import FormatError
from spanwise.formats.json_lines import Record, line, say_unread, split, unit_of, unit_said
from spanwise.formats.records_fast import LARGE, fast_run
from spanwise.formats.records_judged import stretch
from spanwise.formats.returned import Result, Returned, results_at, topics_of
from spanwise.formats.trec import stem
from spanwise.model.ids import text
from spanwise.model.paths import POINT_DUE, is_point
from spanwise.model.spans import UNKNOWN

if TYPE_CHECKING:
    from spanwise.formats.registry import Reading
    from spanwise.model.run import Run

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
