"""The project's own formats in JSON lines, which hold everything and state the unit of positions.

The first line is a header with the field `format`. Positions are half open, [s, e). This module
recognises the formats; `spans.runs` and `spans.judgements` are imported when they are needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from spanwise.formats.io.files import beginning, first_line
from spanwise.formats.registry import Lines, Reading, reader, writer

if TYPE_CHECKING:
    from spanwise.model.judgements import Judgements
    from spanwise.model.run import Run


def _begins_with(head: bytes, *marks: bytes) -> bool:
    first = first_line(head)
    return beginning(head) == b"{" and any(mark in first for mark in marks)


def looks_like_span_run(head: bytes) -> bool:
    """Return whether these are JSON lines of a run, by the header or the first object.

    A result has a score or a rank, or a place or a text without fields of judgements.
    """
    judged = _begins_with(head, b'"spans"', b'"elements"', b'"grade"', b'"quotes"')
    places = (b'"s"', b'"text"', b'"results"', b'"element"', b'"from"')
    placed = not judged and _begins_with(head, *places)
    named = placed or _begins_with(head, b'"score"', b'"rank"')
    return (named and _begins_with(head, b'"qid"')) or _begins_with(head, b'"span-run/')


def looks_like_span_qrels(head: bytes) -> bool:
    """Return whether these are JSON lines of judgements: by the header, or not of a run."""
    marks = (b'"qid"', b'"span-qrels/', b'"relevant"', b'"quotes"')
    return _begins_with(head, *marks) and not looks_like_span_run(head)


def topic_of(line: bytes) -> bytes | None:
    """Return the topic of an object; invalid lines have an empty topic."""
    import json

    if not line.strip():
        return None
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        return b""
    if not isinstance(fields, dict):
        return b""
    topic = fields.get("qid", fields.get("id" if "quotes" in fields else "topic", ""))
    return None if "format" in fields else str(topic).encode("utf-8", "surrogateescape")


OBJECTS = Lines(topic_of, lambda line: b'"format"' in line)


@reader("span_run", holds="run", recognise=looks_like_span_run, lines=OBJECTS)
def parse_span_run(pieces: Iterator[bytes], file: str, how: Reading) -> Run:
    """Span run as JSON lines: documents, spans, elements, or ranges of elements.

    After a header such as `{"format": "span-run/1", "run": "mine", "unit": "char", "char":
    "codepoint"}`, each line is a result: `{"qid": "q1", "rank": 1, "doc": "d7", "s": 800, "e":
    1200, "score": 7.31}`. An element has its path in `element`, a range has two paths in `from` and
    `to`; a result without any of these is a whole document. Rank and score are optional; without
    them the order counts.
    """
    from spanwise.formats.spans.runs import parsed

    return parsed(pieces, file, how)


@writer("span_run")
def write_span_run(run: Run) -> Iterator[bytes]:
    """Write a run with everything it has."""
    from spanwise.formats.spans.runs import written

    return written(run)


@reader("span_qrels", holds="judgements", recognise=looks_like_span_qrels, lines=OBJECTS)
def parse_span_qrels(pieces: Iterator[bytes], file: str, how: Reading) -> Judgements:
    """Span judgements as JSON lines: documents, highlighted spans, graded elements, entry points.

    After a header such as `{"format": "span-qrels/1", "unit": "char", "char": "codepoint"}`, each
    line is a topic and document: `{"qid": "q1", "doc": "d7", "doc_len": 48211, "spans": [{"s":
    1000, "e": 1200}], "bep": 1000}`. Spans may also be `from` a point `to` another, with their
    `size`; `elements` have a `path`, `exhaustivity`, `specificity` or `coverage`, `size` and
    `rsize`. An empty list of spans means that nothing is relevant; `grade` without spans judges the
    whole document. The fields of judging pages are read too: `topic`, `judge`, `doc_chars`,
    `relevant` as pairs.

    If offsets are unknown, a span is a text, `{"text": "verbatim text"}`, which is searched for in
    the collection; then `doc` is optional. Questions with quotes may be written shorter: `{"id":
    "q1", "question": "Why?", "quotes": ["verbatim text"]}`.
    """
    from spanwise.formats.spans.judgements import parsed

    return parsed(pieces, file, how)


def span_qrels_lose(judgements: Judgements) -> Mapping[str, int]:
    """Count what JSON lines cannot hold of judgements, by kind."""
    from spanwise.formats.spans.judgements import loses

    return loses(judgements)


@writer("span_qrels", loses=span_qrels_lose)
def write_span_qrels(judgements: Judgements) -> Iterator[bytes]:
    """Write judgements with everything they have, except second best entry points."""
    from spanwise.formats.spans.judgements import written

    return written(judgements)
