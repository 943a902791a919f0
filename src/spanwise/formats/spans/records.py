"""Our own format: JSON lines that hold everything, with units stated.

The first line is a header, recognised by its field `format`. Positions are half open, [s, e).
Here is how to recognise them; reading and writing are imported when they are needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from spanwise.formats.registry import Lines, Reading, reader, writer
from spanwise.formats.trec.columns import beginning, first_line

if TYPE_CHECKING:
    from spanwise.model.judgements import Judgements
    from spanwise.model.run import Run


def _begins_with(head: bytes, *marks: bytes) -> bool:
    first = first_line(head)
    return beginning(head) == b"{" and any(mark in first for mark in marks)


def looks_like_span_run(head: bytes) -> bool:
    """JSON lines whose header says so, or whose first object is a result.

    It has a score or a rank, or a place or a text without saying what was judged.
    """
    judged = _begins_with(head, b'"spans"', b'"elements"', b'"grade"', b'"quotes"')
    places = (b'"s"', b'"text"', b'"results"', b'"element"', b'"from"')
    placed = not judged and _begins_with(head, *places)
    named = placed or _begins_with(head, b'"score"', b'"rank"')
    return (named and _begins_with(head, b'"qid"')) or _begins_with(head, b'"span-run/')


def looks_like_span_qrels(head: bytes) -> bool:
    """JSON lines whose header says so, or any whose first object is no result."""
    marks = (b'"qid"', b'"span-qrels/', b'"relevant"', b'"quotes"')
    return _begins_with(head, *marks) and not looks_like_span_run(head)


def topic_of(line: bytes) -> bytes | None:
    """The topic of an object; what is wrong belongs to a topic without a name."""
    import json

    if not line.strip():
        return None
    try:
        said = json.loads(line)
    except (ValueError, RecursionError):
        return b""
    if not isinstance(said, dict):
        return b""
    topic = said.get("qid", said.get("id" if "quotes" in said else "topic", ""))
    return None if "format" in said else str(topic).encode("utf-8", "surrogateescape")


OBJECTS = Lines(topic_of, lambda line: b'"format"' in line)


@reader("span_run", holds="run", recognise=looks_like_span_run, lines=OBJECTS)
def parse_span_run(pieces: Iterator[bytes], file: str, how: Reading) -> Run:
    """Runs as JSON lines: documents, spans, elements, or ranges of elements.

    After a header such as `{"format": "span-run/1", "run": "mine", "unit": "char", "char":
    "codepoint"}` one object for each result: `{"qid": "q1", "rank": 1, "doc": "d7", "s": 800,
    "e": 1200, "score": 7.31}`. A path stands in `element`, the two of a range in `from` and `to`;
    where there is none of these, the whole document was returned. Rank and score may be missing;
    then the order counts.
    """
    from spanwise.formats.spans.runs import parsed

    return parsed(pieces, file, how)


@writer("span_run")
def write_span_run(run: Run) -> Iterator[bytes]:
    """Everything that a run has."""
    from spanwise.formats.spans.runs import written

    return written(run)


@reader("span_qrels", holds="judgements", recognise=looks_like_span_qrels, lines=OBJECTS)
def parse_span_qrels(pieces: Iterator[bytes], file: str, how: Reading) -> Judgements:
    """Judgements as JSON lines: documents, highlighted spans, graded elements, entry points.

    After a header such as `{"format": "span-qrels/1", "unit": "char", "char": "codepoint"}` one
    object for each topic and document: `{"qid": "q1", "doc": "d7", "doc_len": 48211, "spans":
    [{"s": 1000, "e": 1200}], "bep": 1000}`. Spans may also go `from` a point `to` another, with
    their `size`; `elements` have a `path`, `exhaustivity`, `specificity` or `coverage`, `size`
    and `rsize`. No spans say that nothing is relevant; `grade` alone judges the document. The
    words of pages for judging are read too: `topic`, `judge`, `doc_chars`, `relevant` as pairs.

    Where offsets are not known a span is a text, `{"text": "as it stands there"}`, to be found in
    the collection; then `doc` may be missing. Questions with quotes say it in fewer words: `{"id":
    "q1", "question": "Why?", "quotes": ["as it stands there"]}`.
    """
    from spanwise.formats.spans.judgements import parsed

    return parsed(pieces, file, how)


def span_qrels_lose(judgements: Judgements) -> Mapping[str, int]:
    """What of judgements JSON lines cannot hold."""
    from spanwise.formats.spans.judgements import loses

    return loses(judgements)


@writer("span_qrels", loses=span_qrels_lose)
def write_span_qrels(judgements: Judgements) -> Iterator[bytes]:
    """Everything that judgements have, but one best entry point of a document."""
    from spanwise.formats.spans.judgements import written

    return written(judgements)
