"""BEIR folders: judgements of whole documents as a table with a header."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from warnings import warn

import numpy as np

from spanwise.errors import EmptyError, FormatError, SpanwiseWarning
from spanwise.formats.io.files import first_line
from spanwise.formats.registry import Reading, reader, writer
from spanwise.formats.trec.columns import qrels_lose
from spanwise.model.columns import PlainIds, Rows
from spanwise.model.elements import begins_of
from spanwise.model.judgements import Judgements

HEAD = (b"query-id", b"corpus-id", b"score")
EXPECTED = "query-id, corpus-id and score, separated by tabs"
SPLITS = ("test", "dev", "train")


def looks_like_beir(head: bytes) -> bool:
    """Return whether the first line has the names of the columns."""
    return tuple(first_line(head).split()) == HEAD


@reader("beir_qrels", holds="judgements", recognise=looks_like_beir)
def parse_beir(pieces: Iterator[bytes], file: str, options: Reading) -> Judgements:
    """BEIR judgements: `query-id corpus-id score` separated by tabs, after a header line.

    A BEIR folder may be given instead: its `qrels/test.tsv` is read, or else that of dev or train.
    As a collection, the documents of the folder are in `corpus.jsonl`.
    """
    topics: dict[bytes, list[tuple[bytes, float, int]]] = {}
    lines = (line for piece in pieces for line in piece.split(b"\n"))
    for number, line in enumerate(lines, start=1):
        if number == 1 or not line.strip():
            continue
        fields = line.rstrip(b"\r").split(b"\t")
        try:
            topic, document, grade = fields
            topics.setdefault(topic, []).append((document, float(grade), number))
        except ValueError:
            options.note(FormatError(file, number, f"found {line[:60]!r}", EXPECTED))
    if not topics:
        raise EmptyError(file, None, "no judgements", EXPECTED)
    judged = [one for some in topics.values() for one in some]
    names, grades, numbers = zip(*judged, strict=True)
    begins = begins_of([len(some) for some in topics.values()])
    rows = Rows(file, tuple(topics), begins, np.array(numbers))
    return Judgements(rows, PlainIds(list(names)), np.array(grades, np.float64))


@writer("beir_qrels", loses=qrels_lose)
def write_beir(judgements: Judgements) -> Iterator[bytes]:
    """Write a table with a header."""
    yield b"\t".join(HEAD) + b"\n"
    for code, topic in enumerate(judgements.rows.topics):
        rows = np.arange(judgements.rows.starts[code], judgements.rows.starts[code + 1])
        grades = judgements.grades[rows].tolist()
        for name, grade in zip(judgements.documents.take(rows), grades, strict=True):
            value = b"%d" % int(grade) if float(grade).is_integer() else repr(grade).encode()
            yield b"\t".join((topic, name, value)) + b"\n"


def beir_qrels(folder: Path) -> list[str] | None:
    """Return the file with the judgements of a BEIR folder, or None if it is not one."""
    if not (folder / "corpus.jsonl").is_file() or not (folder / "qrels").is_dir():
        return None
    found = [folder / "qrels" / f"{split}.tsv" for split in SPLITS]
    there = [file for file in found if file.is_file()]
    if not there:
        raise FormatError(str(folder), None, "no qrels/test.tsv", "a BEIR folder")
    if len(there) > 1:
        warn(f"{folder}: the judgements of {there[0].name} are used", SpanwiseWarning, stacklevel=2)
    return [str(there[0])]
