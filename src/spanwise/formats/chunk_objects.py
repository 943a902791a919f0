"""Runs and evidence of objects in memory: chunks of frameworks, quotes, spans."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from spanwise.errors import FormatError
from spanwise.formats.adapters import Names, is_chroma, of_chroma, of_frame, result_of
from spanwise.formats.pointed import Item, PointedOut
from spanwise.formats.registry import Reading
from spanwise.formats.returned import Returned
from spanwise.model.spans import UNKNOWN

if TYPE_CHECKING:
    from spanwise.model.judgements import Judgements
    from spanwise.model.run import Run

RUN_DUE = "{question id: [chunks]}, a function from a question to chunks, a data frame or a file"
GOLD_DUE = "[{'id': ..., 'question': ..., 'quotes': [...], 'doc': ...}] or a file"


def chunks_run(source: Any, name: str, questions: Mapping[str, str], names: Names = ()) -> Run:
    """A run of chunks; `questions` are asked one by one where the source is a function."""
    listed = _by_topic(source, questions)
    content = Returned(name, Reading())
    for topic, chunks in listed.items():
        for place, item in enumerate(chunks, start=1):  # a score may be a distance: order counts
            result = result_of(item, place, names)
            content.add(str(topic).encode("utf-8", "surrogateescape"), result)
    return content.finished(name, None, RUN_DUE, "codepoint")


def _by_topic(source: Any, questions: Mapping[str, str]) -> Mapping[Any, Iterable[Any]]:
    if callable(source):
        ask: Callable[[str], Iterable[Any]] = source
        return {topic: list(ask(question)) for topic, question in questions.items()}
    if is_chroma(source):
        return of_chroma(source, list(questions))
    if hasattr(source, "to_dicts") or (hasattr(source, "to_dict") and hasattr(source, "columns")):
        return of_frame(source)
    if isinstance(source, Mapping):
        return source
    if isinstance(source, Sequence) and not isinstance(source, str | bytes):
        if len(source) == len(questions):
            return dict(zip(questions, source, strict=True))
        due = f"as many lists of chunks as there are questions: {len(questions)}"
        raise FormatError("run", None, f"{len(source)} of them", due)
    raise FormatError(type(source).__name__, None, "no run", RUN_DUE)


def gold_of(source: Any) -> Judgements:
    """Evidence of plain objects: questions with quotes or spans.

    Each is a dict with `id`, `question` or `query`, and `quotes` (texts) or `spans` (dicts with s,
    e, text, or tuples), which may name their `doc`; or a mapping from questions' ids to quotes.
    """
    content = PointedOut("gold", Reading())
    if isinstance(source, Mapping):
        source = [{"id": topic, "quotes": quotes} for topic, quotes in source.items()]
    for number, one in enumerate(source, start=1):
        topic = str(one.get("id", one.get("qid", number))).encode("utf-8", "surrogateescape")
        content.topic(topic, str(one.get("question", one.get("query", ""))))
        quotes = one.get("spans", one.get("quotes", one.get("quote", ())))
        for item in [quotes] if isinstance(quotes, str | Mapping) else quotes:
            document, made = _item(item, number)
            document = document or str(one.get("doc", "")).encode("utf-8", "surrogateescape")
            content.item(topic, document, number, made)
    return content.judgements(GOLD_DUE)


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
    )
