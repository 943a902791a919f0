"""Assessments of INEX 2008-2010: highlighted text as offset:length, one document a line.

Offsets and lengths are whole numbers that nobody interprets: what counts as a character is up to
whoever made the files, and only files of one making go together.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING
from warnings import warn

import numpy as np

from spanwise.errors import FormatError, InputError, SpanwiseWarning
from spanwise.formats.columns import Layout, Table, grouped, raise_first, shown, stretches
from spanwise.formats.registry import Reading, reader, writer
from spanwise.formats.trec import first_lines
from spanwise.model.ids import PlainIds
from spanwise.model.judgements import Highlights, Judgements
from spanwise.model.spans import Spans, merged

if TYPE_CHECKING:
    from spanwise.model.arrays import IntArray
    from spanwise.model.ids import Ids
    from spanwise.model.rows import Rows

AT_ONCE = 10_000
"""So many lines are written at once."""
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
BLANK = rb"[ \t\r\f\v]"
LINE = re.compile(
    (
        rb"^ *(\S+) +\S+ +(\S+) +(\d{1,12}) +(\d{1,12})"
        rb"(?: +(-1|\d{1,12})((?: +\d{1,12}:\d{1,12})*))? *$"
    ).replace(b" ", BLANK),
    re.MULTILINE,
)


def looks_like_highlights(head: bytes) -> bool:
    """Two sizes in columns 4 and 5, and passages in column 7 or the constant in column 2."""
    lines = first_lines(head)
    fitting = [
        fields
        for fields in lines
        if len(fields) >= 5 and WHOLE.fullmatch(fields[3]) and WHOLE.fullmatch(fields[4])
    ]
    if not fitting or 2 * len(fitting) <= len(lines):
        return False
    longer = [fields for fields in fitting if len(fields) >= 7]
    if longer:
        return 2 * sum(1 for fields in longer if PASSAGE.fullmatch(fields[6])) > len(longer)
    return all(
        len(fields) == 5 and fields[1].upper() == b"Q0" and int(fields[3]) <= int(fields[4])
        for fields in fitting
    )


@dataclass(slots=True)
class _Lines:
    """What the lines of a file say, line after line."""

    file: str
    how: Reading
    topics: list[bytes] = field(default_factory=list)
    documents: list[bytes] = field(default_factory=list)
    numbers: list[bytes] = field(default_factory=list)  # three for each line
    passages: list[bytes] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    seen: set[tuple[bytes, bytes]] = field(default_factory=set)
    repeated: int = 0

    def take(self, piece: bytes, before: int) -> int:
        """Take a piece of whole lines apart; the number of lines up to its end."""
        content = piece.split(b"\n")[:-1]
        found = LINE.findall(piece)
        if len(found) < len(content):  # blank lines, or something is wrong
            found = [self._line(line, n) for n, line in enumerate(content, start=before + 1)]
        for number, columns in enumerate(found, start=before + 1):
            if columns is not None:
                self._add(columns, number)
        return before + len(content)

    def _line(self, line: bytes, number: int) -> tuple[bytes, ...] | None:
        """The columns of a line; what is wrong with it is reported."""
        match = LINE.fullmatch(line)
        if match is not None:
            return match.groups(b"")
        if line.strip() and not (self.how.comments and line.startswith(b"#")):
            (self.how.report or raise_first)(_wrong(self.file, number, line))
        return None

    def _add(self, columns: tuple[bytes, ...], number: int) -> None:
        topic, document, relevant, length, entry, passages = columns
        if self.how.comments and topic.startswith(b"#"):
            return
        key = (topic, document)
        if key in self.seen:
            self.repeated += 1
            if not self.how.literal:
                return
        self.seen.add(key)
        self.topics.append(topic)
        self.documents.append(document)
        self.numbers += (relevant, length, entry if passages else b"-1")
        self.passages.append(passages)
        self.places.append(number)


def _wrong(file: str, line: int, content: bytes) -> FormatError:
    """What is wrong with a line that is not as it should be."""
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
    for value, pattern, due in checks:
        if not pattern.fullmatch(value):
            return FormatError(file, line, shown(value), due)
    return FormatError(file, line, shown(content), QRELS.describes)


def _guess(fields: list[bytes]) -> str:
    return "this looks like a file of grades: --judgements-format qrels" if len(fields) == 4 else ""


@reader("inex_qrels", holds="judgements", recognise=looks_like_highlights)
def parse_inex_qrels(pieces: Iterator[bytes], file: str, how: Reading) -> Judgements:
    """Highlighted text: `topic Q0 document relevant length [entry offset:length ...]`.

    INEX 2008-2010. Column 4 counts the highlighted characters, 0 says judged and not relevant;
    column 5 is the length of the document; then the best entry point and every highlighted
    passage, if there are any. A document judged twice counts as it was judged first.
    """
    lines = _Lines(file, how)
    before = 0
    for piece in pieces:
        before = lines.take(piece, before)
    rows, documents, highlights = _columns(lines)
    if not how.literal:
        highlights = _repaired(highlights, lines)
    return Judgements(
        rows, documents, (highlights.relevant > 0).astype(np.float64), highlights=highlights
    )


def _columns(lines: _Lines) -> tuple[Rows, PlainIds, Highlights]:
    """The lines grouped by topic, the passages of each sorted and disjoint."""
    counts = np.array([p.count(b":") for p in lines.passages], np.int64)
    relevant, lengths, entries = _whole(lines.numbers).reshape(-1, 3).T
    places = _whole(b" ".join(lines.passages).replace(b":", b" ").split()).reshape(-1, 2)
    unsorted = Highlights(
        relevant,
        lengths,
        entries,
        np.concatenate([[0], np.cumsum(counts)]),
        Spans(places[:, 0], places[:, 1]),
    )
    every = np.arange(len(lines.topics), dtype=np.float64)
    table = Table(*stretches(lines.topics), {}, {0: every}, np.array(lines.places, np.int64))
    layout = replace(QRELS, texts=(), numbers=(0,))
    rows, _, order = grouped([(table, 0)], lines.file, layout)
    chosen = order[0].astype(np.int64)
    return rows, PlainIds(lines.documents).reordered(chosen), _disjoint(unsorted.at(chosen))


def _whole(tokens: list[bytes]) -> IntArray:
    return np.fromiter(map(int, tokens), np.int64, len(tokens))


def _disjoint(highlights: Highlights) -> Highlights:
    """The same text in passages that rise and do not overlap; usually they do not."""
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


def _repaired(highlights: Highlights, lines: _Lines) -> Highlights:
    """Sizes that cannot be are put right; everything odd is counted and said."""
    totals = np.concatenate([[0], np.cumsum(highlights.passages.lengths)])
    marked = totals[highlights.first[1:]] - totals[highlights.first[:-1]]
    ends = np.repeat(highlights.lengths, highlights.counts)
    too_many = highlights.relevant > highlights.lengths
    odd = {
        "a document judged before for the same topic: the first line counts": lines.repeated,
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
    for what, count in odd.items():
        if count:
            lines_ = "line" if count == 1 else "lines"
            warn(f"{lines.file}: {count} {lines_} with {what}", SpanwiseWarning, stacklevel=4)
    return replace(highlights, relevant=np.minimum(highlights.relevant, highlights.lengths))


@writer("inex_qrels")
def write_inex_qrels(judgements: Judgements) -> Iterator[bytes]:
    """Lines of highlighted text. Lengths of all documents must be known."""
    marked = judgements.highlights
    source = judgements.rows.source
    if marked is None:
        raise InputError(f"{source}: grades without highlighted text cannot be inex_qrels")
    if (marked.lengths < 0).any():
        raise InputError(
            f"{source}: inex_qrels states the length of every document; --collection knows them"
        )
    for topics, documents, rows in some_at_a_time(judgements.rows, judgements.documents):
        lines = []
        for topic, document, row in zip(topics, documents, rows.tolist(), strict=True):
            passages = marked.of(row)
            fields = [topic, b"Q0", document]
            fields += [b"%d" % marked.relevant[row], b"%d" % marked.lengths[row]]
            if len(passages):
                fields.append(b"%d" % marked.entries[row])
                pairs = zip(passages.starts.tolist(), passages.lengths.tolist(), strict=True)
                fields += [b"%d:%d" % pair for pair in pairs]
            lines.append(b" ".join(fields) + b"\n")
        yield b"".join(lines)


def some_at_a_time(
    rows: Rows, documents: Ids
) -> Iterator[tuple[list[bytes], list[bytes], IntArray]]:
    """Topics, documents and numbers of the rows, some at a time."""
    owners = np.repeat(np.arange(len(rows.topics)), np.diff(rows.starts))
    for first in range(0, len(rows), AT_ONCE):
        some = np.arange(first, min(first + AT_ONCE, len(rows)))
        yield [rows.topics[t] for t in owners[some].tolist()], documents.take(some), some
