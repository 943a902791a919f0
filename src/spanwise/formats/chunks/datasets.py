"""Question sets with evidence: Chroma, WiCE, FEVER, LegalBench-RAG, QASPER and SQuAD.

All are judgements of spans or sentences, read with the builders of `formats.builders`. Where files
contain the documents themselves, these are kept with the judgements.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from spanwise.errors import FormatError
from spanwise.formats.builders import EvidenceBuilder, Item, Result, RunBuilder
from spanwise.formats.io.files import first_line, stem
from spanwise.formats.io.json_lines import JsonValue, has_keys, one_value, values_of
from spanwise.formats.registry import Reading, reader, writer

if TYPE_CHECKING:
    from spanwise.model.judgements import Judgements
    from spanwise.model.run import Run

# Chroma ------------------------------------------------------------------------------------------

TOPICS = "ids of topics, which become question numbers"
COLUMNS = ("question", "references", "corpus_id")
EXPECTED_CHROMA = (
    "the columns question, references (JSON with content, start_index, end_index), corpus_id"
)


def looks_like_chroma(head: bytes) -> bool:
    """Return whether this is CSV whose first line has the three columns."""
    first = first_line(head).strip().decode("utf-8", "replace").split(",")
    return {*COLUMNS} <= {name.strip('"') for name in first}


@reader("chroma_csv", holds="judgements", recognise=looks_like_chroma)
def parse_chroma(pieces: Iterator[bytes], file: str, options: Reading) -> Judgements:
    """Chroma's chunking evaluation: CSV with question, references and corpus_id.

    The references are a JSON list of `content`, `start_index` and `end_index` in code points. The
    id of a question is its number, from 1; runs without ids are matched by the question. An empty
    list of references states that nothing answers the question. Documents are named by their
    corpus_id, so that the folder of corpora is the collection; --collection is only needed to check
    the references.
    """
    data = b"".join(pieces).decode("utf-8", "surrogateescape")
    rows = csv.DictReader(io.StringIO(data, newline=""), strict=True)
    content = EvidenceBuilder(file, options)
    try:
        for number, row in enumerate(rows, start=1):
            try:
                _take_question(content, row, number, rows.line_num)
            except FormatError as error:
                content.problem(rows.line_num, error.found, error.expected)
    except csv.Error as error:
        raise FormatError(file, rows.line_num, f"not CSV ({error})", EXPECTED_CHROMA) from error
    return content.build(EXPECTED_CHROMA)


def _take_question(
    content: EvidenceBuilder, row: dict[str, str | None], number: int, line: int
) -> None:
    question, written, corpus = (row.get(name) for name in COLUMNS)
    if question is None or written is None or corpus is None:
        raise FormatError(content.file, line, "a row with too few columns", EXPECTED_CHROMA)
    document = (corpus or "").encode("utf-8", "surrogateescape")
    try:
        references = JsonValue(json.loads(written), content.file, "references", EXPECTED_CHROMA)
    except ValueError as error:
        raise FormatError(content.file, line, "references are not JSON", EXPECTED_CHROMA) from error
    listed = list(references)
    if listed and not document:
        raise FormatError(content.file, line, "references without a corpus_id", EXPECTED_CHROMA)
    topic = content.entry(None, number, question, line)
    content.document(topic, document, line)
    for one in listed:
        start, end = one["start_index"].whole(), one["end_index"].whole()
        words = one["content"].text() if "content" in one else ""
        content.item(topic, document, line, Item(start, end - start, words))


def _loses(judgements: Judgements) -> Mapping[str, int]:
    """Count what such a table cannot hold, by kind."""
    from spanwise.model import contents

    starts = judgements.rows.starts.tolist()
    renamed = [
        topic
        for topic, first, last in zip(judgements.rows.topics, starts[:-1], starts[1:], strict=True)
        if last - first > 1 or topic != b"%d" % last
    ]
    counts = contents.of_judgements(judgements) | {TOPICS: len(renamed)}
    kept = (contents.HIGHLIGHTED, contents.MARKED_TEXTS, contents.QUESTIONS)
    return contents.without(counts, *kept)


@writer("chroma_csv", loses=_loses)
def write_chroma(judgements: Judgements) -> Iterator[bytes]:
    """Write one row for each topic and document; topic ids become numbers."""
    evidence = judgements.evidence
    if evidence is None:
        raise FormatError(judgements.rows.source, None, "no evidence", "spans with offsets")
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


# WiCE and FEVER: claims with alternative sets of sentences ---------------------------------------

EXPECTED_WICE = (
    '{"claim": ..., "evidence": [sentences], "supporting_sentences": [[5, 15], [15, 17]]}'
)
EXPECTED_FEVER = '{"id": ..., "claim": ..., "evidence": [[[0, 0, "page", 3]]]}'


@reader(
    "wice",
    holds="judgements",
    recognise=lambda head: has_keys(head, b"supporting_sentences", b"evidence"),
)
def parse_wice(pieces: Iterator[bytes], file: str, options: Reading) -> Judgements:
    """WiCE: claims, a web page in sentences for each, and sets of supporting sentences.

    Every claim has its own document, its sentences joined by newlines, which is part of the file.
    Claim and document are named by `meta.id`, or else by the line number. Each list in
    supporting_sentences is one alternative set.
    """
    content = EvidenceBuilder(file, options)
    for line, claim in values_of(pieces, file, EXPECTED_WICE):
        name = str(line).encode()
        if "meta" in claim and "id" in claim["meta"]:
            name = claim["meta"]["id"].id()
        sentences = [sentence.text() for sentence in claim["evidence"]]
        content.documents[name] = "\n".join(sentences)
        content.topic(name, claim["claim"].text())
        content.document(name, name, line)
        begins = _begins(sentences)
        for number, chosen in enumerate(claim["supporting_sentences"]):
            for place in (one.whole() for one in chosen):
                if not 0 <= place < len(sentences):
                    raise claim.wrong(f"sentence {place}, but there are {len(sentences)}")
                words = sentences[place]
                item = Item(begins[place], len(words), words, set=number)
                content.item(name, name, line, item)
    return content.build(EXPECTED_WICE)


def _begins(sentences: list[str]) -> list[int]:
    """Return where each sentence begins in the joined text."""
    begins = [0]
    for sentence in sentences:
        begins.append(begins[-1] + len(sentence) + 1)
    return begins


def looks_like_fever(head: bytes) -> bool:
    """Return whether these are claims with labels and evidence, but without sentences."""
    return has_keys(head, b"claim", b"evidence", b"label") and not has_keys(
        head, b"supporting_sentences"
    )


@reader("fever", holds="judgements", recognise=looks_like_fever)
def parse_fever(pieces: Iterator[bytes], file: str, options: Reading) -> Judgements:
    """FEVER: claims with alternative sets of sentences of pages.

    A set is a list of `[annotation, evidence, page, sentence]`. A document is a sentence, named
    `page#sentence`, and relevant as a whole, because its position in the page is unknown. Every
    sentence therefore counts 1, and a budget counts sentences. A claim without evidence is judged:
    no document is relevant to it.
    """
    content = EvidenceBuilder(file, options, "opaque")
    for line, claim in values_of(pieces, file, EXPECTED_FEVER):
        topic = claim["id"].id()
        content.topic(topic, claim["claim"].text())
        found = False
        for number, chosen in enumerate(claim["evidence"]):
            for one in chosen:
                parts = list(one)
                if len(parts) != 4:
                    raise one.wrong("not a list of four")
                if parts[2].value is None:
                    continue
                name = b"%s#%d" % (parts[2].id(), parts[3].whole())
                content.item(topic, name, line, Item(0, 1, set=number))
                found = True
        if not found:
            content.nothing(topic, line)
    judgements = content.build(EXPECTED_FEVER)
    assert judgements.highlights is not None
    whole = replace(judgements.highlights, lengths=np.ones(len(judgements.rows), np.int64))
    return replace(judgements, highlights=whole)


# LegalBench-RAG ----------------------------------------------------------------------------------

EXPECTED_LEGALBENCH = (
    '{"tests": [{"query": ..., "snippets": [{"file_path": ..., "span": [s, e]}]}]}'
)
EXPECTED_RUN = (
    '{"tests": [{"query": ..., "snippets": [{"file_path": ..., "span": ..., "score": ...}]}]}'
)


def _span(snippet: JsonValue) -> tuple[int, int]:
    bounds = [one.whole() for one in snippet["span"]]
    if len(bounds) != 2 or not 0 <= bounds[0] <= bounds[1]:
        raise snippet.wrong(f"'span' is {bounds}")
    return bounds[0], bounds[1] - bounds[0]


def _id(test: JsonValue) -> bytes | None:
    """Return the stated id of a question, or None if it has none."""
    return test["id"].id() if "id" in test else None


def looks_like_run(head: bytes) -> bool:
    """Return whether this has the form of the questions, with scores."""
    return has_keys(head, b"tests", b"snippets", b"score")


@reader(
    "legalbench",
    holds="judgements",
    recognise=lambda head: has_keys(head, b"tests", b"snippets") and not looks_like_run(head),
)
def parse_legalbench(pieces: Iterator[bytes], file: str, options: Reading) -> Judgements:
    """LegalBench-RAG questions: `{"tests": [{"query": ..., "snippets": [...]}]}`.

    A snippet is `{"file_path": "a/b.txt", "span": [800, 1200], "answer": ...}`, in code points. The
    id of a question is its `id`, or else its number, from 1; runs without ids are matched by the
    query. An empty list of snippets states that nothing answers the question.
    """
    content = EvidenceBuilder(file, options)
    for number, test in enumerate(one_value(pieces, file, EXPECTED_LEGALBENCH)["tests"], start=1):
        topic = content.entry(_id(test), number, test["query"].text(), number)
        snippets = list(test["snippets"])
        if not snippets:
            content.nothing(topic, number)
        for snippet in snippets:
            words = snippet["answer"].text() if "answer" in snippet else ""
            item = Item(*_span(snippet), words)
            content.item(topic, snippet["file_path"].id(), number, item)
    return content.build(EXPECTED_LEGALBENCH)


@reader("legalbench_run", holds="run", recognise=looks_like_run)
def parse_legalbench_run(pieces: Iterator[bytes], file: str, options: Reading) -> Run:
    """LegalBench-RAG run: questions with the retrieved snippets, each with a score."""
    content = RunBuilder(file, options)
    for number, test in enumerate(one_value(pieces, file, EXPECTED_RUN)["tests"], start=1):
        question = test["query"].text() if "query" in test else ""
        topic = content.entry(_id(test), number, question, number)
        for snippet in test["snippets"]:
            start, length = _span(snippet)
            result = Result(snippet["file_path"].id(), start=start, length=length, line=number)
            result.score = snippet["score"].number()
            result.text = snippet["answer"].text() if "answer" in snippet else ""
            content.add(topic, result)
    return content.build(stem(file), None, EXPECTED_RUN, "codepoint")


# QASPER ------------------------------------------------------------------------------------------

EXPECTED_QASPER = (
    '{"1909.00694": {"full_text": [...], "qas": [{"question_id", "question", "answers"}]}}'
)
FLOAT = "FLOAT SELECTED"
"""Prefix of evidence that is a figure or a table, which the text does not contain."""


@reader("qasper", holds="judgements", recognise=lambda head: has_keys(head, b"full_text", b"qas"))
def parse_qasper(pieces: Iterator[bytes], file: str, options: Reading) -> Judgements:
    """QASPER: questions on papers, with paragraphs as verbatim evidence.

    The papers are part of the file: title, abstract and all paragraphs, separated by empty lines.
    The evidence of every annotator is one alternative set; figures and tables are left out.
    """
    content = EvidenceBuilder(file, options)
    for number, (name, paper) in enumerate(
        one_value(pieces, file, EXPECTED_QASPER).items(), start=1
    ):
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
    return content.build(EXPECTED_QASPER)


def _text(paper: JsonValue) -> str:
    parts = [paper[name].text() for name in ("title", "abstract") if name in paper]
    for section in paper["full_text"]:
        parts += [section["section_name"].text()] if "section_name" in section else []
        parts += [paragraph.text() for paragraph in section["paragraphs"]]
    return "\n\n".join(part for part in parts if part)


# SQuAD, XQuAD and COVID-QA -----------------------------------------------------------------------

EXPECTED_SQUAD = (
    '{"data": [{"paragraphs": [{"context": ..., "qas": [{"id", "question", "answers"}]}]}]}'
)


@reader(
    "squad",
    holds="judgements",
    recognise=lambda head: has_keys(head, b"data", b"paragraphs"),
)
def parse_squad(pieces: Iterator[bytes], file: str, options: Reading) -> Judgements:
    """SQuAD, XQuAD and COVID-QA: questions with answers in paragraphs.

    An answer is `{"text": ..., "answer_start": ...}`, in code points. The paragraphs are the
    documents and are part of the file. A paragraph is named by its document_id, or by the title of
    its article if that has only one paragraph, or else by title and number from 0: `Title#3`. All
    answers to a question together are its relevant text.
    """
    content = EvidenceBuilder(file, options)
    for number, article in enumerate(one_value(pieces, file, EXPECTED_SQUAD)["data"], start=1):
        paragraphs = list(article["paragraphs"])
        for place, paragraph in enumerate(paragraphs):
            name = _name(article, paragraph, number, place if len(paragraphs) > 1 else None)
            content.documents[name] = paragraph["context"].text()
            for question in paragraph["qas"]:
                _take_paragraph(content, question, name, number)
    return content.build(EXPECTED_SQUAD)


def _name(article: JsonValue, paragraph: JsonValue, number: int, place: int | None) -> bytes:
    if "document_id" in paragraph:
        return paragraph["document_id"].id()
    title = article["title"].id() if "title" in article else str(number).encode()
    return title if place is None else b"%s#%d" % (title, place)


def _take_paragraph(
    content: EvidenceBuilder, question: JsonValue, document: bytes, line: int
) -> None:
    topic = question["id"].id()
    content.topic(topic, question["question"].text())
    content.document(topic, document, line)
    for answer in question["answers"]:
        words, start = answer["text"].text(), answer["answer_start"].whole()
        content.item(topic, document, line, Item(max(start, -1), len(words), words))
