"""Text judgements of INEX: highlighted text of 2008-2010, and those of the entity track.

Highlighted text is offset:length, with one document per line. Offsets and lengths are not
interpreted: what counts as a character depends on the program that made the files, and only files
made in the same way can be combined.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from warnings import warn

import numpy as np

from spanwise.errors import FormatError, InputError, SpanwiseWarning
from spanwise.formats.io.columns import (
    Layout,
    Table,
    grouped,
    line_count,
    runs_of_equal,
    shown,
    single_blanks,
    whole_numbers,
)
from spanwise.formats.io.columns import read as read_columns
from spanwise.formats.io.files import first_lines
from spanwise.formats.registry import Reading, reader, writer
from spanwise.formats.trec.columns import check_grades, column, topic_column
from spanwise.model.columns import PlainIds
from spanwise.model.judgements import Highlights, Judgements
from spanwise.model.spans import Spans, merged, ranges

if TYPE_CHECKING:
    from spanwise.model.arrays import BoolArray, IntArray
    from spanwise.model.columns import Ids, Rows

AT_ONCE = 10_000
"""Number of lines that are written at once."""
QRELS = Layout(
    "5 columns or more: topic Q0 document relevant-characters characters"
    " [best-entry-point offset:length ...]",
    5,
    True,
    (2,),
    (3, 4, 5, 6),
)
PASSAGE = re.compile(rb"\d{1,12}:\d{1,12}")
WHOLE = re.compile(rb"\d{1,12}")
ENTRY = re.compile(rb"-1|\d{1,12}")
LARGEST = 10**12 - 1


def looks_like_highlights(head: bytes) -> bool:
    """Return whether columns 4 and 5 are sizes, and column 7 is passages or column 2 is Q0."""
    lines = first_lines(head)
    fitting = [
        fields
        for fields in lines
        if len(fields) >= 5 and WHOLE.fullmatch(fields[3]) and WHOLE.fullmatch(fields[4])
    ]
    if not fitting or 2 * len(fitting) < len(lines):  # half of them may be mistakes
        return False
    longer = [fields for fields in fitting if len(fields) >= 7]
    if longer:
        return 2 * sum(1 for fields in longer if PASSAGE.fullmatch(fields[6])) >= len(longer)
    return all(
        len(fields) == 5 and fields[1].upper() == b"Q0" and int(fields[3]) <= int(fields[4])
        for fields in fitting
    )


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """The content of some lines as columns."""

    topics: list[bytes]
    documents: list[bytes]
    numbers: IntArray  # highlighted characters, length and best entry point of each document
    counts: IntArray  # number of passages of each document
    passages: IntArray  # offset and length of each passage
    lines: IntArray


def by_tokens(piece: bytes, before: int) -> Part | None:
    """Read lines with single blanks between columns all at once, or return None if in doubt."""
    data = np.frombuffer(piece, np.uint8)
    last = np.flatnonzero(data[data <= 32] == 10)  # number of each line's last token
    first = np.concatenate([[0], last[:-1] + 1])
    width = last - first + 1
    if (width < 5).any() or (width == 6).any():
        return None
    tokens = piece.split()

    def taken(places: IntArray) -> list[bytes]:
        return [tokens[place] for place in places.tolist()]

    topics, marked = taken(first), width > 6
    sizes = _whole(taken(np.concatenate([first + 3, first + 4, first[marked] + 5])))
    counts = np.maximum(width - 6, 0)
    passages = _pairs(taken(ranges(first + 6, counts)))
    if sizes is None or passages is None or any(topic[:1] == b"#" for topic in set(topics)):
        return None
    numbers = np.full((3, len(first)), -1)
    numbers[:2] = sizes[: 2 * len(first)].reshape(2, -1)
    numbers[2, marked] = sizes[2 * len(first) :]
    lines = np.arange(before + 1, before + 1 + len(first))
    return Part(topics, taken(first + 2), numbers.T, counts, passages, lines)


def _whole(tokens: list[bytes]) -> IntArray | None:
    """Return tokens as whole numbers, or None if one is not."""
    values = whole_numbers(b" ".join(tokens))
    whole = values is not None and len(values) == len(tokens) and values.max() <= LARGEST
    return values if whole else None


def _pairs(tokens: list[bytes]) -> IntArray | None:
    """Return tokens as pairs of whole numbers with a colon between, or None if one is not."""
    if not tokens:
        return np.zeros((0, 2), np.int64)
    column = b" ".join(tokens)
    values = whole_numbers(column)
    if values is None or len(values) != 2 * len(tokens) or values.max() > LARGEST:
        return None
    data = np.frombuffer(column, np.uint8)
    between = data[(data == ord(":")) | (data == ord(" "))]
    return values.reshape(-1, 2) if (between[::2] == ord(":")).all() else None


def by_line(piece: bytes, before: int, file: str, options: Reading) -> Part:
    """Read every line on its own and report each problem with its place."""
    good = []
    for number, line in enumerate(piece.split(b"\n")[:-1], start=before + 1):
        fields = line.split()
        if not fields or (options.comments and line.startswith(b"#")):
            continue
        error = _error_in(file, number, line)
        if error is None:
            good.append((number, fields))
        else:
            options.note(error)
    passages = [field.split(b":") for _, fields in good for field in fields[6:]]
    numbers = [[*f[3:5], f[5] if len(f) > 6 else b"-1"] for _, f in good]
    return Part(
        [fields[0] for _, fields in good],
        [fields[2] for _, fields in good],
        np.array([list(map(int, row)) for row in numbers], np.int64).reshape(-1, 3),
        np.array([max(len(fields) - 6, 0) for _, fields in good], np.int64),
        np.array([list(map(int, pair)) for pair in passages], np.int64).reshape(-1, 2),
        np.array([number for number, _ in good], np.int64),
    )


def _error_in(file: str, line: int, content: bytes) -> FormatError | None:
    """Return the error in a line, or None if there is none."""
    fields = content.split()
    if len(fields) < 5:
        return FormatError(
            file, line, f"{len(fields)} columns: {shown(content)}", QRELS.describes, _guess(fields)
        )
    checks = [
        (fields[3], WHOLE, "a number of highlighted characters"),
        (fields[4], WHOLE, "the length of the document in characters"),
        *((entry, ENTRY, "a best entry point, which is an offset") for entry in fields[5:6]),
        *((passage, PASSAGE, "a passage as offset:length") for passage in fields[6:]),
    ]
    for value, pattern, expected in checks:
        if not pattern.fullmatch(value):
            return FormatError(file, line, shown(value), expected)
    return None


def _guess(fields: list[bytes]) -> str:
    if len(fields) != 4:
        return ""
    return "this looks like a file of grades; use --judgements-format qrels"


@reader("inex_qrels", holds="judgements", recognise=looks_like_highlights)
def parse_inex_qrels(pieces: Iterator[bytes], file: str, options: Reading) -> Judgements:
    """INEX highlighted text: `topic Q0 document relevant length [entry offset:length ...]`.

    INEX 2008-2010. Column 4 is the number of highlighted characters, where 0 means judged and not
    relevant. Column 5 is the length of the document. The best entry point and the highlighted
    passages follow, if there are any. If a document is judged twice, the first line counts.
    """
    parts = []
    before = 0
    for piece in pieces:
        regular = single_blanks(piece.replace(b"\r\n", b"\n"))
        part = None if regular is None else by_tokens(regular, before)
        parts.append(part or by_line(piece, before, file, options))
        before += line_count(piece)
    rows, documents, highlights, repeated = _columns(parts, file, options)
    if not options.literal:
        highlights = _repaired(highlights, file, repeated)
    highlights = _of_relevant(highlights)
    return Judgements(
        rows, documents, (highlights.relevant > 0).astype(np.float64), highlights=highlights
    )


def _columns(parts: list[Part], file: str, options: Reading) -> tuple[Rows, Ids, Highlights, int]:
    """Return the rows by topic, with sorted disjoint passages, and the number of duplicates."""
    topics = [topic for part in parts for topic in part.topics]
    documents = [document for part in parts for document in part.documents]
    kept = np.arange(len(topics))
    if len(set(zip(topics, documents, strict=True))) < len(topics):
        kept = _first_ones(topics, documents)
    repeated = len(topics) - len(kept)
    if options.literal or not repeated:
        kept = np.arange(len(topics))
    names, lengths = runs_of_equal([topics[row] for row in kept.tolist()])
    lines = np.concatenate([part.lines for part in parts])
    table = Table(names, lengths, {}, {0: kept.astype(np.float64)}, lines[kept])
    rows, _, order = grouped([(table, 0)], file, replace(QRELS, texts=(), numbers=(0,)))
    numbers = np.concatenate([part.numbers for part in parts])
    passages = np.concatenate([part.passages for part in parts])
    counts = np.concatenate([part.counts for part in parts])
    relevant, characters, entries = numbers.T
    first = np.concatenate([[0], np.cumsum(counts)])
    every = Highlights(relevant, characters, entries, first, Spans(*passages.T))
    chosen = order[0].astype(np.int64)
    return rows, PlainIds(documents).reordered(chosen), _disjoint(every.at(chosen)), repeated


def _first_ones(topics: list[bytes], documents: list[bytes]) -> IntArray:
    """Return the rows whose topic and document have no earlier row."""
    first: dict[tuple[bytes, bytes], int] = {}
    for row, key in enumerate(zip(topics, documents, strict=True)):
        first.setdefault(key, row)
    return np.array(list(first.values()), np.int64)


def _disjoint(highlights: Highlights) -> Highlights:
    """Return the text in sorted passages that do not overlap; they rarely do."""
    passages, first = highlights.passages, highlights.first
    rising = np.ones(len(passages), np.bool_)
    rising[1:] = passages.starts[1:] >= passages.ends[:-1]
    rising[first[:-1][highlights.counts > 0]] = True
    if rising.all():
        return highlights
    parts = [merged(highlights.of(row)) for row in range(len(highlights.relevant))]
    return replace(
        highlights,
        first=np.concatenate([[0], np.cumsum([len(part) for part in parts])]),
        passages=Spans(
            np.concatenate([part.starts for part in parts]),
            np.concatenate([part.lengths for part in parts]),
        ),
    )


def _repaired(highlights: Highlights, file: str, repeated: int) -> Highlights:
    """Return the highlights with impossible sizes corrected; everything suspicious is counted."""
    totals = np.concatenate([[0], np.cumsum(highlights.passages.lengths)])
    marked = totals[highlights.first[1:]] - totals[highlights.first[:-1]]
    ends = np.repeat(highlights.lengths, highlights.counts)
    too_many = highlights.relevant > highlights.lengths
    suspicious = {
        "a document judged before for the same topic: the first line counts": repeated,
        "more highlighted characters than the document has: lowered": np.count_nonzero(too_many),
        "passages that do not add up to the highlighted characters stated, which count": (
            np.count_nonzero((marked != highlights.relevant) & (marked > 0) & ~too_many)
        ),
        "highlighted characters, but no passages: no result can find them": (
            np.count_nonzero((highlights.relevant > 0) & (marked == 0))
        ),
        "a passage that ends after its document": (
            np.count_nonzero(highlights.passages.ends > ends)
        ),
    }
    for what, count in suspicious.items():
        if count:
            lines = "line" if count == 1 else "lines"
            warn(f"{file}: {count} {lines} with {what}", SpanwiseWarning, stacklevel=4)
    return replace(highlights, relevant=np.minimum(highlights.relevant, highlights.lengths))


def _of_relevant(highlights: Highlights) -> Highlights:
    """Return the highlights without passages in documents stated to have no highlighted text."""
    relevant = highlights.relevant > 0
    kept = np.repeat(relevant, highlights.counts)
    if kept.all():
        return highlights
    counts = np.where(relevant, highlights.counts, 0)
    return replace(
        highlights,
        first=np.concatenate([[0], np.cumsum(counts)]),
        passages=highlights.passages.at(np.flatnonzero(kept)),
    )


def qrels_lose(judgements: Judgements) -> Mapping[str, int]:
    """Count what lines of highlighted text cannot hold of judgements, by kind."""
    from spanwise.model import contents

    counts = contents.of_judgements(judgements)
    marked, grades = judgements.highlights, judgements.grades
    if marked is not None:
        counts[contents.UNSUPPORTED] = int(np.count_nonzero((grades > 0) & (marked.relevant == 0)))
        counts[contents.DENIED] = int(np.count_nonzero((grades == 0) & (marked.relevant > 0)))
        counts[contents.OFFSETS] = int(
            np.count_nonzero((marked.entries >= 0) & (marked.counts == 0))
        )
    return contents.without(counts, contents.HIGHLIGHTED, contents.LENGTHS)


def _writable(judgements: Judgements, marked: Highlights) -> BoolArray:
    """Return which documents were judged and have a line that states their relevance correctly."""
    grades = judgements.grades
    return (grades == 0) | ((grades > 0) & (marked.relevant > 0))


@writer("inex_qrels", loses=qrels_lose)
def write_inex_qrels(judgements: Judgements) -> Iterator[bytes]:
    """Write lines of highlighted text; the lengths of all documents must be known."""
    marked = judgements.highlights
    if marked is None:
        raise InputError(f"{judgements.rows.source}: {_missing(judgements)}")
    held = _writable(judgements, marked)
    _refuse(judgements, marked, held)
    for topics, documents, rows in some_at_a_time(judgements.rows, judgements.documents):
        lines = zip(topics, documents, rows.tolist(), strict=True)
        yield b"".join(_line(topic, name, marked, row) for topic, name, row in lines if held[row])


def _missing(judgements: Judgements) -> str:
    """Return why judgements without highlighted text by offset cannot be written."""
    assessments = judgements.elements
    if assessments is not None and len(assessments.passages):
        return "passages between points have no offsets; pass --collection to compute them"
    return "grades without highlighted text cannot be written as inex_qrels"


def _refuse(judgements: Judgements, marked: Highlights, held: BoolArray) -> None:
    """Raise an error if there is nothing to write or a document's length is unknown."""
    source = judgements.rows.source
    if not held.any():
        raise InputError(f"{source}: {_missing(judgements)}")
    unknown = int(np.count_nonzero(held & (marked.lengths < 0)))
    if unknown:
        raise InputError(
            f"{source}: inex_qrels needs the length of every document, but {unknown} are"
            " unknown; pass --collection with these documents"
        )


def _line(topic: bytes, document: bytes, marked: Highlights, row: int) -> bytes:
    passages = marked.of(row)
    fields = [topic_column(topic), b"Q0", column(document)]
    fields += [b"%d" % marked.relevant[row], b"%d" % marked.lengths[row]]
    if len(passages):
        fields.append(b"%d" % marked.entries[row])
        pairs = zip(passages.starts.tolist(), passages.lengths.tolist(), strict=True)
        fields += [b"%d:%d" % pair for pair in pairs]
    return b" ".join(fields) + b"\n"


def some_at_a_time(
    rows: Rows, documents: Ids
) -> Iterator[tuple[list[bytes], list[bytes], IntArray]]:
    """Yield topics, documents and numbers of the rows in groups."""
    owners = np.repeat(np.arange(len(rows.topics)), np.diff(rows.starts))
    for first in range(0, len(rows), AT_ONCE):
        some = np.arange(first, min(first + AT_ONCE, len(rows)))
        yield [rows.topics[t] for t in owners[some].tolist()], documents.take(some), some


# Entity track of INEX 2007-2009 ------------------------------------------------------------------
#
# The documents stand for entities. The format must be named, because preferences have five columns
# too.

ENTITIES = Layout("5 columns: topic - document - judgement", 5, False, (2,), (4,))
RELATED = 2
"""Grade of a related document that is not an entity of the requested kind."""


@reader("inex_entity_qrels", holds="judgements")
def parse_entity_qrels(pieces: Iterator[bytes], file: str, options: Reading) -> Judgements:
    """INEX entity track: `topic - document - judgement`; the format must be named.

    The second and the fourth column are ignored. A judgement of 2 counts as not relevant, with a
    warning; every other judgement is the grade.
    """
    layout = replace(ENTITIES, comments=options.comments)
    rows, texts, numbers = read_columns(pieces, file, layout, options.report)
    related = numbers[4] == RELATED
    if related.any():
        count = int(np.count_nonzero(related))
        warn(f"{file}: judgements of 2, counted as 0: {count}", SpanwiseWarning, stacklevel=2)
    judgements = Judgements(rows, texts[2], np.where(related, 0.0, numbers[4]))
    check_grades(judgements, options)
    return judgements
