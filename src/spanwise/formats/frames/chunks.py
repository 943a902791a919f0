"""Runs and judgements from objects in memory: chunks of frameworks, quotes and spans.

Chunks are recognised by their fields, without importing any framework: LangChain documents (alone
or with a score), LlamaIndex nodes, Haystack documents, Chonkie chunks, results of Chroma, citations
of Claude and Cohere, texts, dicts and tuples.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from spanwise.errors import FormatError
from spanwise.formats.builders import EvidenceBuilder, Item, Result, RunBuilder
from spanwise.formats.frames import several_runs
from spanwise.formats.registry import Reading
from spanwise.model.spans import UNKNOWN

if TYPE_CHECKING:
    from spanwise.model.judgements import Judgements
    from spanwise.model.run import Run

# Single chunks -----------------------------------------------------------------------------------

DOCUMENT = (
    *("doc", "doc_id", "document_id", "ref_doc_id", "source_id", "source", "file_path"),
    *("corpus_id", "file_name", "docid", "document_title"),
)
START = ("s", "start", "start_index", "start_char_idx", "start_char", "split_idx_start")
END = ("e", "end", "end_index", "end_char_idx", "end_char")
TEXT = ("text", "page_content", "content", "document", "segment", "cited_text", "chunk")
SCORE = ("score", "relevance_score", "similarity")
TOPIC = ("qid", "query_id", "topic", "question_id")
QUESTION = ("user_input", "question", "query")
RETRIEVED = ("retrieved_contexts", "contexts", "chunks", "retrieved_context", "results")
META = ("metadata", "meta", "payload")
EXPECTED = "a text, (document, start, end), or an object with a text and its document"


class Shelf(NamedTuple):
    """Known documents: their order, for citations by number, and a test for ids."""

    names: Sequence[str] = ()
    known: Callable[[bytes], bool] = lambda _: False  # whether there is such a document


NOTHING_KNOWN = Shelf()


def result_of(item: Any, place: int, shelf: Shelf = NOTHING_KNOWN) -> Result:
    """Return one chunk of any kind as a result."""
    if isinstance(item, str):
        return _made(b"", None, None, item, None, place)
    if isinstance(item, Result):
        return item
    if isinstance(item, tuple | list):
        return _of_tuple(item, place, shelf)
    return _of_fields(_Fields(item), place, shelf)


def _of_tuple(item: Sequence[Any], place: int, shelf: Shelf) -> Result:
    """Return the result of (document, start, end[, score]), or of an object with its score."""
    whole = len(item) in (3, 4) and all(_is_whole(one) for one in item[1:3])
    if whole and isinstance(item[0], str | bytes | int):
        score = float(item[3]) if len(item) == 4 and item[3] is not None else None
        return _made(_id(item[0]), int(item[1]), int(item[2]), "", score, place)
    if len(item) == 2 and isinstance(item[1], int | float):
        result = result_of(item[0], place, shelf)
        result.score = float(item[1])
        return result
    raise FormatError("chunk", None, f"number {place}: {item!r}"[:200], EXPECTED)


class _Fields:
    """The fields of an object or a mapping, and of the metadata inside it."""

    def __init__(self, item: Any) -> None:
        self._item = item
        self._inner = next(
            (one for name in META if isinstance(one := self._own(name), Mapping)), {}
        )

    def _own(self, name: str) -> Any:
        if isinstance(self._item, Mapping):
            return self._item.get(name)
        return getattr(self._item, name, None)

    def first(self, names: Iterable[str]) -> Any:
        """Return the first of these fields that exists, its own before the metadata's."""
        return next(self.every(names), None)

    def every(self, names: Iterable[str]) -> Iterator[Any]:
        """Yield all of these fields that exist, in that order."""
        for name in names:
            value = self._own(name)
            if value is not None and not callable(value):
                yield value
        for name in names:
            if self._inner.get(name) is not None:
                yield self._inner[name]


def _document(fields: _Fields, shelf: Shelf) -> bytes:
    """Return the document of a chunk: the first known candidate, or else the first candidate.

    Frameworks give documents their own ids, and store the file name elsewhere.
    """
    candidates = [_id(one) for one in fields.every(DOCUMENT) if isinstance(one, str | bytes | int)]
    known = (one for one in candidates if shelf.known(one))
    return next(known, candidates[0] if candidates else b"")


def _of_fields(fields: _Fields, place: int, shelf: Shelf) -> Result:
    node = fields.first(("node",))
    if node is not None:  # LlamaIndex: a node with its score
        result = result_of(node, place, shelf)
        score = fields.first(("score",))
        result.score = None if score is None else float(score)
        return result
    if fields.first(("document_ids", "sources")) is not None:
        return _of_cohere(fields, place)
    if str(fields.first(("type",)) or "").endswith("_location"):
        return _of_claude(fields, place, shelf.names)
    text, document = fields.first(TEXT), _document(fields, shelf)
    start, end = fields.first(START), fields.first(END)
    span = fields.first(("span",))
    if isinstance(span, Sequence) and len(span) == 2:
        start, end = span
    score = fields.first(SCORE)
    distance = fields.first(("distance",))
    if score is None and distance is not None:
        score = -float(distance)  # a smaller distance is better
    if text is None and start is None:
        raise FormatError("chunk", None, f"number {place}: {fields._item!r}"[:200], EXPECTED)
    words = str(text) if text is not None else ""
    result = _made(document, start, end, words, score, place)
    result.id = _id(fields.first(("id", "id_", "node_id")))
    return result


def _of_cohere(fields: _Fields, place: int) -> Result:
    """Return a Cohere citation; its offsets refer to the answer, so only the text counts."""
    ids = fields.first(("document_ids",))
    if ids is None:
        sources = [_Fields(source) for source in fields.first(("sources",))]
        ids = [source.first(("id", "document_id")) for source in sources]
    words = str(fields.first(("text",)) or "")
    return _made(_id(ids[0] if ids else None), None, None, words, None, place)


def _of_claude(fields: _Fields, place: int, names: Sequence[str]) -> Result:
    """Return a Claude citation by characters; one by page or block is placed by its text."""
    number, title = fields.first(("document_index",)), fields.first(("document_title",))
    known = number is not None and 0 <= int(number) < len(names)
    name = names[int(number)] if known else title
    start, end = fields.first(("start_char_index",)), fields.first(("end_char_index",))
    words = str(fields.first(("cited_text",)) or "")
    return _made(_id(name), start, end, words, None, place)


def _made(document: bytes, start: Any, end: Any, words: str, score: Any, place: int) -> Result:
    result = Result(document, rank=place, line=place, text=words, stated=start is not None)
    if start is not None and not _is_whole(start):
        raise FormatError("chunk", None, f"number {place} begins at {start!r}", "a whole number")
    begin = UNKNOWN if start is None or int(start) < 0 else int(start)
    result.start, result.length = begin, len(words)
    if end is not None and not _is_whole(end):
        raise FormatError("chunk", None, f"number {place} ends at {end!r}", "a whole number")
    if begin != UNKNOWN and end is not None and int(end) >= begin:
        result.length = int(end) - begin
    if begin == UNKNOWN and not words:
        raise FormatError(
            "chunk", None, f"number {place} has neither a position nor a text", EXPECTED
        )
    result.score = None if score is None else float(score)
    return result


def _id(value: Any) -> bytes:
    if value is None:
        return b""
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogateescape")


def _is_whole(value: Any) -> bool:
    if isinstance(value, bool) or value is None or isinstance(value, str | bytes):
        return False
    try:
        return float(value).is_integer()
    except (TypeError, ValueError):
        return False


def _is_missing(value: Any) -> bool:
    """Return whether a cell of a data frame is empty."""
    try:
        return value is None or bool(value != value)
    except ValueError:  # several values in one cell
        return False
    except TypeError:  # the missing value of pandas has no truth value
        return True


def document_of(item: Any) -> bytes:
    """Return the document that an object names, or an empty id."""
    return _document(_Fields(item), NOTHING_KNOWN)


# Collections of chunks by topic ------------------------------------------------------------------


def is_frame(source: Any) -> bool:
    """Return whether this is a data frame of pandas or polars."""
    return hasattr(source, "to_dicts") or (
        hasattr(source, "to_dict") and hasattr(source, "columns")
    )


def is_chroma(source: Any) -> bool:
    """Return whether this is the result of a Chroma query: lists of lists."""
    return (
        isinstance(source, Mapping)
        and "documents" in source
        and "ids" in source
        and isinstance(source["ids"], Sequence)
    )


def of_chroma(source: Mapping[str, Any], topics: Sequence[str]) -> dict[str, list[Any]]:
    """Return the results of a Chroma query by topic, in the order of the topics."""
    count = len(source["ids"])
    if count != len(topics):
        raise FormatError(
            "Chroma result", None, f"{count} queries", f"one for each topic: {len(topics)}"
        )
    found: dict[str, list[Any]] = {}
    for number, topic in enumerate(topics):
        columns = {
            name: source[name][number] if source.get(name) else [None] * len(source["ids"][number])
            for name in ("ids", "documents", "metadatas", "distances")
        }
        rows = zip(*columns.values(), strict=True)
        found[topic] = [
            {"id": i, "text": text, "metadata": meta or {}, "distance": distance}
            for i, text, meta, distance in rows
        ]
    return found


def rows_of(source: Any) -> list[dict[str, Any]]:
    """Return the rows of a data frame without empty cells."""
    rows = source.to_dicts() if hasattr(source, "to_dicts") else source.to_dict("records")
    return [{n: value for n, value in row.items() if not _is_missing(value)} for row in rows]


def _lists(source: Any, names: Iterable[str]) -> bool:
    """Return whether the rows of a data frame are questions with lists in one of these columns."""
    return is_frame(source) and any(name in source.columns for name in names)


def of_frame(source: Any) -> dict[str, list[Any]]:
    """Return the rows of a data frame by topic, with columns as in span runs or frameworks."""
    found: dict[str, list[Any]] = {}
    for number, fields in enumerate(rows_of(source), start=1):
        topic = next((fields[name] for name in (*TOPIC, *QUESTION) if name in fields), None)
        if topic is None:
            raise FormatError(
                "data frame", None, f"row {number} has no 'qid' and no 'question'", EXPECTED
            )
        found.setdefault(str(topic), []).append(fields)
    for chunks in found.values():
        if all("rank" in one for one in chunks):
            chunks.sort(key=lambda one: one["rank"])
        elif all("score" in one for one in chunks):
            chunks.sort(key=lambda one: -one["score"])
    return found


def plain_chunks(file: str) -> list[Any] | None:
    """Return the chunks in JSON lines that state no topics, or None for a file of another kind."""
    from spanwise.formats.io.files import chunks

    if not Path(file).is_file():
        return None
    found = []
    lines = (line for piece in chunks(file) for line in piece.splitlines())
    for line in filter(None, map(bytes.strip, lines)):
        try:
            chunk = json.loads(line)
        except ValueError:
            return None
        if not isinstance(chunk, dict) or not chunk.keys().isdisjoint(
            ("results", "format", *TOPIC)
        ):
            return None
        found.append(chunk)
    return found or None


# Repeats -----------------------------------------------------------------------------------------


def repeated_runs(runs: Any) -> list[Any]:
    """Return the runs of a list of runs; anything else is one run, and so are lists of chunks.

    >>> len(repeated_runs([{"q1": {"d1": 0.9}}, {"q1": {"d2": 0.7}}]))
    2
    >>> len(repeated_runs([{"question": "Why?", "contexts": ["Because."]}]))
    1
    """
    several = isinstance(runs, (list, tuple)) and runs and all(map(_is_whole_run, runs))
    return list(runs) if several else [runs]


def _is_whole_run(value: Any) -> bool:
    """Tell whether an item of a list can only be a run, not the chunks of one topic."""
    if isinstance(value, str):
        try:
            return Path(value).exists()  # others are texts of chunks
        except (OSError, ValueError):  # too long for a name, or no name
            return False
    if isinstance(value, Mapping):
        full = all(one is None or isinstance(one, (Mapping, list, tuple)) for one in value.values())
        return full and several_runs({"": value}) and not _is_entry(value)
    if isinstance(value, (list, tuple)) and value and _is_entry(value[0]):
        return True
    return several_runs({"": value}) or hasattr(value, "per_topic")


def _is_entry(value: Any) -> bool:
    return isinstance(value, Mapping) and not value.keys().isdisjoint((*QUESTION, *RETRIEVED))


# Runs and judgements -----------------------------------------------------------------------------

EXPECTED_RUN = (
    "{question or its id: [chunks]}, [{'question': ..., 'contexts': [...]}], a function from a"
    " question to chunks, a data frame or a file"
)
REFERENCES = ("reference_contexts", "ground_truth_contexts")
QUOTES = ("spans", "quotes", "quote", *REFERENCES)
EXPECTED_GOLD = "[{'id': ..., 'question': ..., 'quotes': [...], 'doc': ...}] or a file"


def chunks_run(
    source: Any, name: str, questions: Mapping[str, str], shelf: Shelf = NOTHING_KNOWN
) -> Run:
    """Return a run of chunks; if the source is a function, it is called for each question."""
    content = RunBuilder(name, Reading())
    for number, (topic, question, answer) in enumerate(_entries(source, questions), start=1):
        stated = None if topic is None else topic.encode("utf-8", "surrogateescape")
        entry = content.entry(stated, number, question, None)
        chunks = listed(answer, topic or question or number, name)
        for place, item in enumerate(chunks, start=1):  # scores may be distances: order counts
            content.add(entry, result_of(item, place, shelf))
    return content.build(name, None, EXPECTED_RUN, "codepoint")


def _entries(source: Any, questions: Mapping[str, str]) -> Iterator[tuple[str | None, str, Any]]:
    """Yield the id, the question and the chunks of each entry; what is not stated is empty."""
    if callable(source):
        for topic, question in questions.items():
            yield topic, "", source(question)
    elif is_chroma(source):
        numbers = [str(number) for number in range(len(source["ids"]))]
        for answer in of_chroma(source, numbers).values():
            yield None, "", answer
    elif _lists(source, RETRIEVED):
        for row in rows_of(source):
            yield _entry(row)
    elif is_frame(source) or isinstance(source, Mapping):
        for topic, answer in (of_frame(source) if is_frame(source) else source).items():
            yield str(topic), "", answer
    elif isinstance(source, Sequence) and not isinstance(source, str | bytes):
        for one in source:
            yield _entry(one)
    else:
        raise FormatError(type(source).__name__, None, "not a run", EXPECTED_RUN)


def _entry(one: Any) -> tuple[str | None, str, Any]:
    """Return the entry of a list: chunks, or a dict with a question and its contexts."""
    if not isinstance(one, Mapping):
        return None, "", one
    fields = (("id", *TOPIC), QUESTION, RETRIEVED)
    topic, question, chunks = (next((one[n] for n in some if n in one), None) for some in fields)
    if chunks is None:
        return None, "", one
    return None if topic is None else str(topic), str(question or ""), chunks


def listed(answer: Any, topic: Any = "", name: str = "run") -> Iterable[Any]:
    """Return the chunks for one question; Chroma and Haystack return them in a dict."""
    if is_chroma(answer):
        return of_chroma(answer, [str(topic)])[str(topic)]
    if isinstance(answer, Mapping):
        answer = answer.get("documents")
    if isinstance(answer, str | bytes) or not isinstance(answer, Iterable):
        what = f"question {str(topic)!r}: {type(answer).__name__} {answer!r}"
        raise FormatError(name, None, what[:200], "a list of chunks")
    return answer


def gold_of(source: Any) -> Judgements:
    """Return judgements from plain objects: questions with quotes or spans.

    Each is a dict with `id`, `question` or `query`, and `quotes` (texts) or `spans` (dicts with s,
    e, text, or tuples), which may name their `doc`; an empty list states that nothing answers the
    question. The source may also be a mapping from questions or their ids to quotes, or a data
    frame with a row for each quote or span.
    """
    content = EvidenceBuilder("gold", Reading())
    for number, one in enumerate(_questions(source), start=1):
        if not isinstance(one, Mapping):
            raise FormatError("gold", None, f"number {number}: {one!r}"[:200], EXPECTED_GOLD)
        stated = one.get("id", one.get("qid"))
        known = None if stated is None else str(stated).encode("utf-8", "surrogateescape")
        topic = content.entry(known, number, _asked(one), None)
        quotes = next((one[name] for name in QUOTES if name in one), None)
        if quotes is None:
            continue
        quotes = [quotes] if isinstance(quotes, str | Mapping) else list(quotes)
        if not quotes:
            content.nothing(topic, number)
        for item in quotes:
            document, made = _item(item, number)
            content.item(topic, document or document_of(one), number, made)
    return content.build(EXPECTED_GOLD)


def _questions(source: Any) -> Iterable[Any]:
    """Return one object for each question."""
    if _lists(source, REFERENCES):
        return rows_of(source)
    if is_frame(source):
        frame = of_frame(source)
        some = any(_holds_text(row) for rows in frame.values() for row in rows)
        return [
            {
                "id": topic,
                "spans": [row for row in rows if _holds_text(row) or not some],
                "question": _asked(rows[0]),
            }
            for topic, rows in frame.items()
        ]
    if isinstance(source, Mapping):
        return [
            {"id": topic, "question": topic, "quotes": quotes} for topic, quotes in source.items()
        ]
    if not isinstance(source, Iterable):
        raise FormatError("gold", None, f"{source!r}"[:200], EXPECTED_GOLD)
    return source


def _holds_text(row: Mapping[str, Any]) -> bool:
    """Tell whether a row of a data frame has a text or a place, rather than only a question."""
    return any(name in row for name in (*TEXT, *START, "span"))


def _asked(row: Mapping[str, Any]) -> str:
    return next((str(row[name]) for name in QUESTION if name in row), "")


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
