"""Passages of the TREC Genomics tracks of 2006 and 2007: judgements and runs in bytes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from spanwise.errors import FormatError, InputError
from spanwise.formats.builders import (
    EvidenceBuilder,
    Item,
    Result,
    RunBuilder,
    number,
    results_at,
    topics_of,
)
from spanwise.formats.io.files import first_line, stem
from spanwise.formats.registry import Reading, reader, writer
from spanwise.formats.trec.columns import column

if TYPE_CHECKING:
    from spanwise.model.judgements import Judgements
    from spanwise.model.run import Run

EXPECTED_GOLD = "topic, document, offset, length and aspects joined by |, separated by tabs"
NOTHING = "documents with nothing relevant that has offsets"
EXPECTED_RUN = "topic document rank score offset length tag"


def _fields(line: bytes, tabs: bool) -> list[bytes]:
    return line.rstrip(b"\r\n").split(b"\t") if tabs else line.split()


def looks_like_gold(head: bytes) -> bool:
    """Return whether there are five columns by tabs, the third and fourth being whole numbers.

    Without aspects, these could be judgements of documents with numeric ids.
    """
    lines = [_fields(line, True) for line in head[:100_000].split(b"\n", 200)[:200]]
    five = [fields for fields in lines if len(fields) == 5]
    if not five or five[0] is not lines[0]:
        return False
    whole = all(one.strip().isdigit() for one in five[0][2:4])
    return whole and any(re.search(rb"[A-Za-z]", fields[4]) for fields in five)


def looks_like_run(head: bytes) -> bool:
    """Return whether there are seven columns with whole numbers as rank, offset and length."""
    fields = first_line(head).split()
    if len(fields) != 7 or not all(fields[place].isdigit() for place in (2, 4, 5)):
        return False
    try:
        float(fields[3])
    except ValueError:
        return False
    return fields[1] != b"Q0"


def _lines(pieces: Iterator[bytes]) -> Iterator[tuple[int, bytes]]:
    line = 0
    for piece in pieces:
        for written in piece.split(b"\n")[:-1]:
            line += 1
            if written.strip():
                yield line, written


def _whole(content: EvidenceBuilder | RunBuilder, line: int, field: bytes, expected: str) -> int:
    if not field.strip().isdigit():
        raise FormatError(content.file, line, f"{field!r} is not a whole number", expected)
    return int(field)


@reader("genomics_gold", holds="judgements", recognise=looks_like_gold)
def parse_gold(pieces: Iterator[bytes], file: str, options: Reading) -> Judgements:
    """TREC Genomics judgements: `topic document offset length aspect|aspect` separated by tabs.

    Offsets and lengths count bytes. The order of the lines counts: a result is matched with the
    first passage with which it shares a byte.
    """
    content = EvidenceBuilder(file, options, "byte")
    for line, written in _lines(pieces):
        try:
            fields = _fields(written, True)
            if len(fields) not in (4, 5):
                raise FormatError(file, line, f"{len(fields)} columns", EXPECTED_GOLD)
            start, length = (_whole(content, line, one, EXPECTED_GOLD) for one in fields[2:4])
            named = fields[4].split(b"|") if len(fields) == 5 else []
            aspects = tuple(one.strip() for one in named if one.strip())
            item = Item(start, length, aspects=aspects)
            content.item(fields[0].strip(), fields[1].strip(), line, item)
        except FormatError as error:
            content.problem(error.line, error.found, error.expected)
    return content.build(EXPECTED_GOLD)


def gold_loses(judgements: Judgements) -> Mapping[str, int]:
    """Count what such lines cannot hold of judgements, by kind."""
    from spanwise.model import contents

    counts = contents.of_judgements(judgements) | {NOTHING: 0}
    evidence = judgements.evidence
    if evidence is not None:
        held = evidence.only(evidence.relevant).counts
        counts |= {NOTHING: int((held == 0).sum()), contents.UNIT: int(evidence.unit != "byte")}
    return contents.without(counts, contents.HIGHLIGHTED, contents.ASPECTS)


@writer("genomics_gold", loses=gold_loses)
def write_gold(judgements: Judgements) -> Iterator[bytes]:
    """Write one line for each item, topic by topic."""
    import numpy as np

    evidence = judgements.evidence
    if evidence is None:
        raise FormatError(judgements.rows.source, None, "no evidence", EXPECTED_GOLD)
    evidence = evidence.only(evidence.relevant)
    owner = np.repeat(np.arange(len(judgements.rows)), evidence.counts)
    topic = np.searchsorted(judgements.rows.starts, owner, side="right") - 1
    columns = zip(
        topic.tolist(),
        judgements.documents.take(owner),
        evidence.spans.starts.tolist(),
        evidence.spans.lengths.tolist(),
        evidence.aspects,
        strict=True,
    )
    for code, name, start, length, aspects in columns:
        fields = (judgements.rows.topics[code], name, b"%d" % start, b"%d" % length)
        yield b"\t".join([*fields, b"|".join(aspects)]) + b"\n"


@reader("genomics_run", holds="run", recognise=looks_like_run)
def parse_run(pieces: Iterator[bytes], file: str, options: Reading) -> Run:
    """TREC Genomics run: `topic document rank score offset length tag`, separated by blanks.

    Offsets and lengths count bytes. Results are ordered by rank, then by document, offset and
    length.
    """
    content, tag = RunBuilder(file, options), ""
    for line, written in _lines(pieces):
        try:
            fields = written.split()
            if len(fields) != 7:
                raise FormatError(file, line, f"{len(fields)} columns", EXPECTED_RUN)
            rank, start, length = (
                _whole(content, line, fields[place], EXPECTED_RUN) for place in (2, 4, 5)
            )
            result = Result(fields[1], start=start, length=length, rank=float(rank), line=line)
            result.score = _score(file, line, fields[3])
            content.add(fields[0], result)
            tag = tag or fields[6].decode("utf-8", "surrogateescape")
        except FormatError as error:
            content.problem(error.line, error.found, error.expected)
    return content.build(tag or stem(file), None, EXPECTED_RUN, "byte")


def _score(file: str, line: int, field: bytes) -> float:
    try:
        score = float(field)
    except ValueError:
        score = float("nan")
    if score != score:
        raise FormatError(file, line, f"{field!r} is not a score", EXPECTED_RUN)
    return score


def run_loses(run: Run) -> Mapping[str, int]:
    """Count what such lines cannot hold of a run, by kind."""
    from spanwise.model import contents

    counts = contents.in_lines(run) | {contents.UNIT: int(run.unit != "byte")}
    return contents.without(counts, contents.SPANS, contents.RANKS)


@writer("genomics_run", loses=run_loses)
def write_run(run: Run) -> Iterator[bytes]:
    """Write one line for each result with known offsets."""
    from spanwise.model.spans import UNKNOWN

    if run.spans is None:
        source = run.rows.source
        raise InputError(
            f"{source}: results have no offsets; pass --collection to compute those of elements"
        )
    tag = "_".join(run.name.split()).encode("utf-8", "surrogateescape")
    for topic, rows in topics_of(run):
        results = zip(rows.tolist(), results_at(run, rows), strict=True)
        for place, (row, result) in enumerate(results, start=1):
            if result.start is None or result.start == UNKNOWN:
                continue
            rank = place if result.rank is None else result.rank
            numbers = (number(float(rank)), number(float(run.scores[row])))
            fields = [column(topic), column(result.document), *(one.encode() for one in numbers)]
            fields += [b"%d" % result.start, b"%d" % result.length, tag]
            yield b" ".join(fields) + b"\n"
