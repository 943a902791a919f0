"""Runs and evidence of objects in memory: chunks of frameworks, quotes, spans."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from spanwise.errors import FormatError
from spanwise.formats.adapters import (
    NOTHING_KNOWN,
    Shelf,
    document_of,
    is_chroma,
    is_frame,
    of_chroma,
    of_frame,
    result_of,
)
from spanwise.formats.pointed import Item, PointedOut
from spanwise.formats.registry import Reading
from spanwise.formats.returned import Returned
from spanwise.model.spans import UNKNOWN

if TYPE_CHECKING:
    from spanwise.model.judgements import Judgements
    from spanwise.model.run import Run

RUN_DUE = "{question id: [chunks]}, a function from a question to chunks, a data frame or a file"
GOLD_DUE = "[{'id': ..., 'question': ..., 'quotes': [...], 'doc': ...}] or a file"


def chunks_run(
    source: Any, name: str, questions: Mapping[str, str], shelf: Shelf = NOTHING_KNOWN
) -> Run:
    """A run of chunks; `questions` are asked one by one where the source is a function."""
    content = Returned(name, Reading())
    for topic, answer in _by_topic(source, questions).items():
        chunks = _listed(answer, topic, name)
        for place, item in enumerate(chunks, start=1):  # a score may be a distance: order counts
            result = result_of(item, place, shelf)
            content.add(str(topic).encode("utf-8", "surrogateescape"), result)
    return content.finished(name, None, RUN_DUE, "codepoint")


def _by_topic(source: Any, questions: Mapping[str, str]) -> Mapping[Any, Any]:
    if callable(source):
        return {topic: source(question) for topic, question in questions.items()}
    if is_chroma(source):
        return of_chroma(source, list(questions))
    if is_frame(source):
        return of_frame(source)
    if isinstance(source, Mapping):
        return source
    if isinstance(source, Sequence) and not isinstance(source, str | bytes):
        if len(source) == len(questions):
            return dict(zip(questions, source, strict=True))
        due = f"as many lists of chunks as there are questions: {len(questions)}"
        raise FormatError("run", None, f"{len(source)} of them", due)
    raise FormatError(type(source).__name__, None, "no run", RUN_DUE)


def _listed(answer: Any, topic: Any, name: str) -> Iterable[Any]:
    """The chunks for one question; a query of Chroma and a retriever of Haystack return dicts."""
    if is_chroma(answer):
        return of_chroma(answer, [str(topic)])[str(topic)]
    if isinstance(answer, Mapping):
        answer = answer.get("documents")
    if isinstance(answer, str | bytes) or not isinstance(answer, Iterable):
        what = f"question {str(topic)!r}: {type(answer).__name__} {answer!r}"
        raise FormatError(name, None, what[:200], "a list of chunks")
    return answer


def gold_of(source: Any) -> Judgements:
    """Evidence of plain objects: questions with quotes or spans.

    Each is a dict with `id`, `question` or `query`, and `quotes` (texts) or `spans` (dicts with s,
    e, text, or tuples), which may name their `doc`; or a mapping from questions' ids to quotes; or
    a data frame with a row for each quote or span.
    """
    content = PointedOut("gold", Reading())
    for number, one in enumerate(_questions(source), start=1):
        if not isinstance(one, Mapping):
            raise FormatError("gold", None, f"number {number}: {one!r}"[:200], GOLD_DUE)
        topic = str(one.get("id", one.get("qid", number))).encode("utf-8", "surrogateescape")
        content.topic(topic, str(one.get("question", one.get("query", ""))))
        quotes = one.get("spans", one.get("quotes", one.get("quote", ())))
        for item in [quotes] if isinstance(quotes, str | Mapping) else quotes:
            document, made = _item(item, number)
            content.item(topic, document or document_of(one), number, made)
    return content.judgements(GOLD_DUE)


def _questions(source: Any) -> Iterable[Any]:
    """One object for each question."""
    if is_frame(source):
        return [
            {"id": topic, "spans": rows, "question": rows[0].get("question", "")}
            for topic, rows in of_frame(source).items()
        ]
    if isinstance(source, Mapping):
        return [{"id": topic, "quotes": quotes} for topic, quotes in source.items()]
    if not isinstance(source, Iterable):
        raise FormatError("gold", None, f"{source!r}"[:200], GOLD_DUE)
    return source


def _item(item: Any, number: int) -> tuple[bytes, Item]:
    result = result_of(item, number)
    grade = float(item.get("g", 1)) if isinstance(item, Mapping) else 1.0
    aspects: Any = item.get("aspect", ()) if isinstance(item, Mapping) else ()
    aspects = [aspects] if isinstance(aspects, str) else aspects
    start = result.start if result.stated else None
    if start is None and not result.text:
        start = UNKNOWN
    return result.document, Item(
        start,
        result.length,
        result.text,
        grade,
        int(item.get("set", 0)) if isinstance(item, Mapping) else 0,
        tuple(str(aspect).encode() for aspect in aspects),
        str(item.get("by", "")).encode() if isinstance(item, Mapping) else b"",
    )
