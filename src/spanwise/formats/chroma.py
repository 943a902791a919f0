"""Chroma's chunking evaluation: questions with references as CSV, corpora in files beside it."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from spanwise.errors import FormatError
from spanwise.formats.json_file import Within
from spanwise.formats.pointed import Item, PointedOut
from spanwise.formats.registry import Reading, reader, writer
from spanwise.formats.trec import first_line

if TYPE_CHECKING:
    from spanwise.model.judgements import Judgements

TOPICS = "ids of topics, which are questions by number"
COLUMNS = ("question", "references", "corpus_id")
DUE = "the columns question, references (JSON with content, start_index, end_index), corpus_id"


def looks_like_chroma(head: bytes) -> bool:
    """CSV whose first line names the three columns."""
    first = first_line(head).strip().decode("utf-8", "replace").split(",")
    return {*COLUMNS} <= {name.strip('"') for name in first}


@reader("chroma_csv", holds="judgements", recognise=looks_like_chroma)
def parse_chroma(pieces: Iterator[bytes], file: str, how: Reading) -> Judgements:
    """Questions of Chroma's chunking evaluation: CSV with question, references and corpus_id.

    The references are a JSON list of `content`, `start_index` and `end_index` in code points. A
    question's id is its number, from 1 on; documents are called by their corpus_id, so that the
    folder of corpora is the collection. The files themselves need --collection only to be checked.
    """
    data = b"".join(pieces).decode("utf-8", "surrogateescape")
    rows = csv.DictReader(io.StringIO(data, newline=""), strict=True)
    content = PointedOut(file, how)
    try:
        for number, row in enumerate(rows, start=1):
            try:
                _take(content, row, number, rows.line_num)
            except FormatError as error:
                content.problem(rows.line_num, error.found, error.expected)
    except csv.Error as error:
        raise FormatError(file, rows.line_num, f"not CSV ({error})", DUE) from error
    return content.judgements(DUE)


def _take(content: PointedOut, row: dict[str, str | None], number: int, line: int) -> None:
    question, written, corpus = (row.get(name) for name in COLUMNS)
    if question is None or written is None or not corpus:
        raise FormatError(content.file, line, "a row with too few columns", DUE)
    topic, document = str(number).encode(), corpus.encode("utf-8", "surrogateescape")
    try:
        references = Within(json.loads(written), content.file, "references", DUE)
    except ValueError as error:
        raise FormatError(content.file, line, "references are not JSON", DUE) from error
    content.topic(topic, question)
    content.document(topic, document, line)
    for one in references:
        start, end = one["start_index"].whole(), one["end_index"].whole()
        words = one["content"].text() if "content" in one else ""
        content.item(topic, document, line, Item(start, end - start, words))


def _loses(judgements: Judgements) -> Mapping[str, int]:
    """What of judgements such a table cannot hold."""
    from spanwise.model import holdings

    starts = judgements.rows.starts.tolist()
    renamed = [
        topic
        for topic, first, last in zip(judgements.rows.topics, starts[:-1], starts[1:], strict=True)
        if last - first > 1 or topic != b"%d" % last
    ]
    counts = holdings.of_judgements(judgements) | {TOPICS: len(renamed)}
    kept = (holdings.HIGHLIGHTED, holdings.MARKED_TEXTS, holdings.QUESTIONS)
    return holdings.without(counts, *kept)


@writer("chroma_csv", loses=_loses)
def write_chroma(judgements: Judgements) -> Iterator[bytes]:
    """One row for each topic and document; the ids of topics become their numbers."""
    evidence = judgements.evidence
    if evidence is None:
        raise FormatError(judgements.rows.source, None, "no evidence in it", "spans with offsets")
    out = io.StringIO(newline="")
    table = csv.writer(out, lineterminator="\n")
    table.writerow(COLUMNS)
    for code, topic in enumerate(judgements.rows.topics):
        for row in range(int(judgements.rows.starts[code]), int(judgements.rows.starts[code + 1])):
            table.writerow(_written(judgements, topic, row))
    yield out.getvalue().encode("utf-8", "surrogateescape")


def _written(judgements: Judgements, topic: bytes, row: int) -> tuple[str, str, str]:
    import numpy as np

    evidence = judgements.evidence
    assert evidence is not None
    here = evidence.at(np.array([row]))
    texts = here.texts.take(np.arange(len(here)))
    bounds = zip(here.spans.starts.tolist(), here.spans.ends.tolist(), texts, strict=True)
    references = [
        {"content": words.decode("utf-8", "surrogatepass"), "start_index": s, "end_index": e}
        for s, e, words in bounds
    ]
    name = judgements.documents.take(np.array([row]))[0].decode("utf-8", "surrogateescape")
    return (
        evidence.questions.get(topic, topic.decode("utf-8", "replace")),
        json.dumps(references),
        name,
    )
