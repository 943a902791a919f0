"""LegalBench-RAG: questions with snippets of files, and what a system retrieved for them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from spanwise.formats.json_file import Within, has_keys, one_value
from spanwise.formats.pointed import Item, PointedOut
from spanwise.formats.registry import Reading, reader
from spanwise.formats.returned import Result, Returned
from spanwise.formats.trec import stem

if TYPE_CHECKING:
    from spanwise.model.judgements import Judgements
    from spanwise.model.run import Run

DUE = '{"tests": [{"query": ..., "snippets": [{"file_path": ..., "span": [s, e]}]}]}'
RUN_DUE = '{"tests": [{"query": ..., "snippets": [{"file_path": ..., "span": ..., "score": ...}]}]}'


def _span(snippet: Within) -> tuple[int, int]:
    bounds = [one.whole() for one in snippet["span"]]
    if len(bounds) != 2 or not 0 <= bounds[0] <= bounds[1]:
        raise snippet.wrong(f"'span' is {bounds}")
    return bounds[0], bounds[1] - bounds[0]


def _topic(test: Within, number: int) -> bytes:
    return test["id"].id() if "id" in test else str(number).encode()


def looks_like_run(head: bytes) -> bool:
    """The same as the questions, with scores."""
    return has_keys(head, b"tests", b"snippets", b"score")


@reader(
    "legalbench",
    holds="judgements",
    recognise=lambda head: has_keys(head, b"tests", b"snippets") and not looks_like_run(head),
)
def parse_legalbench(pieces: Iterator[bytes], file: str, how: Reading) -> Judgements:
    """Questions of LegalBench-RAG: `{"tests": [{"query": ..., "snippets": [...]}]}`.

    A snippet is `{"file_path": "a/b.txt", "span": [800, 1200], "answer": ...}`, in code points. A
    question's id is its number, from 1 on, unless it has an `id`.
    """
    content = PointedOut(file, how)
    for number, test in enumerate(one_value(pieces, file, DUE)["tests"], start=1):
        topic = _topic(test, number)
        content.topic(topic, test["query"].text())
        for snippet in test["snippets"]:
            words = snippet["answer"].text() if "answer" in snippet else ""
            item = Item(*_span(snippet), words)
            content.item(topic, snippet["file_path"].id(), number, item)
    return content.judgements(DUE)


@reader("legalbench_run", holds="run", recognise=looks_like_run)
def parse_legalbench_run(pieces: Iterator[bytes], file: str, how: Reading) -> Run:
    """What a system retrieved, as LegalBench-RAG has it: questions, and snippets with a score."""
    content = Returned(file, how)
    for number, test in enumerate(one_value(pieces, file, RUN_DUE)["tests"], start=1):
        for snippet in test["snippets"]:
            start, length = _span(snippet)
            result = Result(snippet["file_path"].id(), start=start, length=length, line=number)
            result.score = snippet["score"].number()
            result.text = snippet["answer"].text() if "answer" in snippet else ""
            content.add(_topic(test, number), result)
    return content.finished(stem(file), None, RUN_DUE, "codepoint")
