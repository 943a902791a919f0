"""QASPER: papers with questions whose evidence is quoted word for word."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from spanwise.formats.json_file import Within, has_keys, one_value
from spanwise.formats.pointed import Item, PointedOut
from spanwise.formats.registry import Reading, reader

if TYPE_CHECKING:
    from spanwise.model.judgements import Judgements

DUE = '{"1909.00694": {"full_text": [...], "qas": [{"question_id", "question", "answers"}]}}'
FLOAT = "FLOAT SELECTED"
"""Begins evidence that is a figure or a table, which the text does not have."""


@reader("qasper", holds="judgements", recognise=lambda head: has_keys(head, b"full_text", b"qas"))
def parse_qasper(pieces: Iterator[bytes], file: str, how: Reading) -> Judgements:
    """Questions on papers as QASPER has them: evidence is a list of paragraphs, word for word.

    The papers come along: title, abstract and all paragraphs, with an empty line between them.
    Every annotator's evidence is one alternative set; figures and tables are no text and left out.
    """
    content = PointedOut(file, how)
    for number, (name, paper) in enumerate(one_value(pieces, file, DUE).items(), start=1):
        document = name.encode("utf-8", "surrogateescape")
        content.documents[document] = _text(paper)
        for question in paper["qas"]:
            topic = question["question_id"].id()
            content.topic(topic, question["question"].text())
            content.document(topic, document, number)
            for place, annotation in enumerate(question["answers"]):
                person = annotation["worker_id"].id() if "worker_id" in annotation else b""
                for evidence in annotation["answer"]["evidence"]:
                    words = evidence.text()
                    if words.strip() and not words.startswith(FLOAT):
                        item = Item(None, len(words), words, set=place, by=person)
                        content.item(topic, document, number, item)
    return content.judgements(DUE)


def _text(paper: Within) -> str:
    parts = [paper[name].text() for name in ("title", "abstract") if name in paper]
    for section in paper["full_text"]:
        parts += [section["section_name"].text()] if "section_name" in section else []
        parts += [paragraph.text() for paragraph in section["paragraphs"]]
    return "\n\n".join(part for part in parts if part)
