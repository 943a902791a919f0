"""Exports of RAGAS and RAGChecker: questions with retrieved texts and reference texts.

The files do not state where the texts come from; the texts are searched for in the collection.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from spanwise.errors import FormatError
from spanwise.formats.builders import EvidenceBuilder, Item, Result, RunBuilder
from spanwise.formats.io.files import beginning, first_line, stem
from spanwise.formats.io.json_lines import JsonValue, has_keys, one_value, values_of
from spanwise.formats.registry import Reading, reader
from spanwise.model.spans import UNKNOWN

if TYPE_CHECKING:
    from spanwise.model.judgements import Judgements
    from spanwise.model.run import Run

EXPECTED_RAGAS = '{"user_input": ..., "retrieved_contexts": [...], "reference_contexts": [...]}'
EXPECTED_CHECKER = '{"results": [{"query_id", "query", "retrieved_context": [{"doc_id", "text"}]}]}'

QUESTION = ("user_input", "question")
RETRIEVED = ("retrieved_contexts", "contexts")
REFERENCES = ("reference_contexts", "ground_truth_contexts", "ground_truth_context")
"""Names of fields: the current one, then those used before version 0.2."""


def _has(head: bytes, names: tuple[str, ...]) -> bool:
    """Return whether a file begins with samples that have such a field."""
    if beginning(head) in (b"{", b"["):
        return any(has_keys(head, a.encode(), b.encode()) for a in QUESTION for b in names)
    columns = set(first_line(head).decode("utf-8", "replace").replace('"', "").strip().split(","))
    return not columns.isdisjoint(QUESTION) and not columns.isdisjoint(names)


def _named(sample: JsonValue, names: tuple[str, ...]) -> JsonValue | None:
    """Return the field of a sample under the first of its names that exists."""
    return next((sample[name] for name in names if name in sample), None)


def _texts(sample: JsonValue, names: tuple[str, ...]) -> Iterator[str]:
    """Yield a list of texts; a single text stands for a list of one."""
    found = _named(sample, names)
    if found is not None and isinstance(found.value, str):
        yield found.text()
    elif found is not None and found.value is not None:
        yield from (one.text() for one in found)


def _samples(pieces: Iterator[bytes], file: str) -> Iterator[tuple[int, JsonValue]]:
    """Yield the samples of a file, from JSON or CSV."""
    first = next(pieces, b"")
    if beginning(first) in (b"{", b"["):
        data = b"".join([first, *pieces])
        yield from values_of(iter([data]), file, EXPECTED_RAGAS)
        return
    written = b"".join([first, *pieces]).decode("utf-8", "surrogateescape")
    rows = csv.DictReader(io.StringIO(written, newline=""))
    for row in rows:
        fields = {name: _listed(value) for name, value in row.items() if name and value}
        yield rows.line_num, JsonValue(fields, file, f"line {rows.line_num}", EXPECTED_RAGAS)


def _listed(value: Any) -> Any:
    """Return the list in a cell, written as JSON or as a Python literal, or the value as it is."""
    if not isinstance(value, str) or not value.startswith("["):
        return value
    from ast import literal_eval

    for read in (json.loads, literal_eval):
        try:
            return read(value)
        except (ValueError, SyntaxError):
            continue
    return value


def _id(sample: JsonValue, name: str = "id") -> bytes | None:
    """Return the stated id of a sample, or None if it has none."""
    stated = name in sample and sample[name].value not in (None, "")
    return sample[name].id() if stated else None


def _question(sample: JsonValue) -> str:
    return (_named(sample, QUESTION) or sample[QUESTION[0]]).text()


@reader("ragas", holds="judgements", recognise=lambda head: _has(head, REFERENCES))
def parse_ragas(pieces: Iterator[bytes], file: str, options: Reading) -> Judgements:
    """RAGAS judgements: the reference contexts of samples in JSON lines, a JSON list, or CSV.

    `{"user_input": ..., "retrieved_contexts": [...], "reference_contexts": [...]}`; the older names
    `question`, `contexts` and `ground_truth_contexts` are read too. The texts are searched for in
    the collection, which is required. The id of a question is its `id`. Without ids, the question
    itself is matched with that of a run, and questions are numbered from 1. An empty list of
    references states that nothing answers the question; a sample without references is not judged.
    """
    content = EvidenceBuilder(file, options)
    for number, (line, sample) in enumerate(_samples(pieces, file), start=1):
        topic = content.entry(_id(sample), number, _question(sample), line)
        stated = _named(sample, REFERENCES)
        texts = [words for words in _texts(sample, REFERENCES) if words.strip()]
        if stated is not None and stated.value is not None and not texts:
            content.nothing(topic, line)
        for words in texts:
            content.item(topic, b"", line, Item(None, len(words), words))
    return content.build(EXPECTED_RAGAS)


@reader("ragas_run", holds="run", recognise=lambda head: _has(head, RETRIEVED))
def parse_ragas_run(pieces: Iterator[bytes], file: str, options: Reading) -> Run:
    """RAGAS run: the retrieved contexts of samples, in their order; see the format `ragas`."""
    content = RunBuilder(file, options)
    for number, (line, sample) in enumerate(_samples(pieces, file), start=1):
        topic = content.entry(_id(sample), number, _question(sample), line)
        for rank, words in enumerate(_texts(sample, RETRIEVED), start=1):
            content.add(topic, _text(b"", words, line, rank))
    return content.build(stem(file), None, EXPECTED_RAGAS, "codepoint")


def _text(document: bytes, words: str, line: int, rank: int) -> Result:
    if not words:
        words = " "
    return Result(
        document, start=UNKNOWN, length=len(words), rank=rank, line=line, text=words, stated=False
    )


@reader(
    "ragchecker",
    holds="run",
    recognise=lambda head: any(
        has_keys(head, b"retrieved_context", name) for name in (b"query_id", b"query")
    ),
)
def parse_ragchecker(pieces: Iterator[bytes], file: str, options: Reading) -> Run:
    """RAGChecker run: `{"results": [{"query_id", "query", "retrieved_context": [...]}]}`.

    A context is `{"doc_id": ..., "text": ...}`; the text is searched for in that document, or in
    all documents if none has that id. Without `query_id`, or if the judgements state no ids, the
    `query` is matched with the questions of the judgements.
    """
    content = RunBuilder(file, options)
    samples = one_value(pieces, file, EXPECTED_CHECKER)
    listed = samples.get("results", samples)
    for number, sample in enumerate(listed, start=1):
        question = sample["query"].text() if "query" in sample else ""
        topic = content.entry(_id(sample, "query_id"), number, question, number)
        for rank, one in enumerate(sample["retrieved_context"], start=1):
            if "text" not in one:
                raise FormatError(file, None, f"{one.place}: no 'text'", EXPECTED_CHECKER)
            document = one["doc_id"].id() if "doc_id" in one else b""
            result = _text(document, one["text"].text(), number, rank)
            content.add(topic, result)
    return content.build(stem(file), None, EXPECTED_CHECKER, "codepoint")
