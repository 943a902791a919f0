"""Questions with answers in paragraphs, as SQuAD, XQuAD and COVID-QA have them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from spanwise.formats.json_file import Within, has_keys, one_value
from spanwise.formats.pointed import Item, PointedOut
from spanwise.formats.registry import Reading, reader

if TYPE_CHECKING:
    from spanwise.model.judgements import Judgements

DUE = '{"data": [{"paragraphs": [{"context": ..., "qas": [{"id", "question", "answers"}]}]}]}'


@reader(
    "squad",
    holds="judgements",
    recognise=lambda head: has_keys(head, b"data", b"paragraphs"),
)
def parse_squad(pieces: Iterator[bytes], file: str, how: Reading) -> Judgements:
    """Questions and answers in paragraphs: SQuAD, XQuAD, COVID-QA.

    An answer is `{"text": ..., "answer_start": ...}`, in code points. The paragraphs are the
    documents and come along. They are called by their document_id, by the title of their article if
    that has one paragraph only, else by title and number from 0 on: `Title#3`. The answers of a
    question are united.
    """
    content = PointedOut(file, how)
    for number, article in enumerate(one_value(pieces, file, DUE)["data"], start=1):
        paragraphs = list(article["paragraphs"])
        for place, paragraph in enumerate(paragraphs):
            name = _name(article, paragraph, number, place if len(paragraphs) > 1 else None)
            content.documents[name] = paragraph["context"].text()
            for question in paragraph["qas"]:
                _take(content, question, name, number)
    return content.judgements(DUE)


def _name(article: Within, paragraph: Within, number: int, place: int | None) -> bytes:
    if "document_id" in paragraph:
        return paragraph["document_id"].id()
    title = article["title"].id() if "title" in article else str(number).encode()
    return title if place is None else b"%s#%d" % (title, place)


def _take(content: PointedOut, question: Within, document: bytes, line: int) -> None:
    topic = question["id"].id()
    content.topic(topic, question["question"].text())
    content.document(topic, document, line)
    for answer in question["answers"]:
        words, start = answer["text"].text(), answer["answer_start"].whole()
        content.item(topic, document, line, Item(max(start, -1), len(words), words))
