"""Judgements of the classic collections: SMART sets, Cranfield, TIME, NPL and LISA.

Each has its own layout. Most files consist of numbers only, so that recognition depends on how
these numbers are arranged.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from spanwise.errors import EmptyError, FormatError
from spanwise.formats.registry import Reading, reader

if TYPE_CHECKING:
    from spanwise.model.judgements import Judgements

WORST_CODE = 5
"""Cranfield's code for a reference of no interest; 1 is a complete answer."""
NOT_JUDGED = -1


class Pair(NamedTuple):
    """A judged document of a topic."""

    line: int
    topic: bytes
    document: bytes
    grade: float


def judgements_of_pairs(
    pairs: Iterable[Pair], file: str, options: Reading, *, maybe_none: bool = False
) -> Judgements:
    """Return judgements grouped by topic; a repeated pair must have the same grade."""
    import numpy as np

    from spanwise.model.columns import PlainIds, Rows, text
    from spanwise.model.judgements import Judgements

    topics: dict[bytes, dict[bytes, Pair]] = {}
    for pair in pairs:
        mine = topics.setdefault(pair.topic, {})
        before = mine.setdefault(pair.document, pair)
        if before.grade != pair.grade:
            found = f"document {text(pair.document)!r} of topic {text(pair.topic)!r} a second time"
            repeated = f"{found}, with another grade than on line {before.line}"
            options.note(FormatError(file, pair.line, repeated, "one grade for each document"))
    every = [pair for mine in topics.values() for pair in mine.values()]
    if not every and not maybe_none:
        raise EmptyError(file, None, "no judged documents", "")
    starts = np.cumsum([0, *(len(mine) for mine in topics.values())])
    rows = Rows(file, tuple(topics), starts, np.array([pair.line for pair in every]))
    documents = PlainIds([pair.document for pair in every])
    return Judgements(rows, documents, np.array([pair.grade for pair in every], np.float64))


def numbers(pieces: Iterable[bytes]) -> Iterator[tuple[int, list[bytes]]]:
    """Yield the columns of each line that is not blank."""
    lines = (line for piece in pieces for line in piece.splitlines())
    for number, line in enumerate(lines, start=1):
        fields = line.split()
        if fields:
            yield number, fields


def _plain(number: bytes) -> bytes:
    """Return a number without leading zeros; anything else as it is."""
    return number.lstrip(b"0") or b"0" if number.isdigit() else number


def _head(head: bytes) -> list[list[bytes]]:
    lines = [line.split() for line in head[:100_000].splitlines()[:300]]
    return [fields for fields in lines[: -1 if len(head) > 100_000 else None] if fields]


def _digits(fields: list[bytes]) -> bool:
    return all(field.isdigit() for field in fields)


# SMART: relevant without a grade -----------------------------------------------------------------


def looks_like_smart(head: bytes) -> bool:
    """Return whether there are four columns, of which the last two are only zeros."""
    lines = _head(head)
    return bool(lines) and all(
        len(fields) == 4 and fields[2] == b"0" and fields[3].strip(b"0") in (b"", b".")
        for fields in lines
    )


@reader("smart_qrels", holds="judgements", recognise=looks_like_smart)
def parse_smart(pieces: Iterator[bytes], file: str, options: Reading) -> Judgements:
    """SMART judgements of ADI, CACM, CISI and the older ones of MED: `topic document 0 0`.

    Every pair in the file is relevant with grade 1, although the columns after it are 0. Leading
    zeros of numbers are dropped.
    """
    return judgements_of_pairs(_smart(pieces, file, options), file, options)


def _smart(pieces: Iterator[bytes], file: str, options: Reading) -> Iterator[Pair]:
    for line, fields in numbers(pieces):
        if len(fields) < 2:
            options.note(FormatError(file, line, "1 column", "4 columns: topic document 0 0"))
            continue
        yield Pair(line, _plain(fields[0]), _plain(fields[1]), 1.0)


# Cranfield: inverted codes -----------------------------------------------------------------------


def looks_like_cranfield(head: bytes) -> bool:
    """Return whether there are three columns of numbers, the last a code from 1 to 5, or -1."""
    codes = {b"-1", b"1", b"2", b"3", b"4", b"5"}
    lines = _head(head)
    return bool(lines) and all(
        len(fields) == 3 and _digits(fields[:2]) and fields[2] in codes for fields in lines
    )


@reader("cran_qrels", holds="judgements", recognise=looks_like_cranfield)
def parse_cranfield(pieces: Iterator[bytes], file: str, options: Reading) -> Judgements:
    """Cranfield judgements: `topic document code`, where a lower code is better.

    Code 1 (a complete answer) is grade 4, code 4 (minimum interest) grade 1, code 5 grade 0; -1
    means unjudged. The four columns of TREC with such codes are read too if the format is named,
    because the codes cannot be distinguished from grades.
    """
    if options.guessed:
        _warn(
            f"{file}: three columns, read as Cranfield codes, of which 1 is the best; if these"
            " are grades, a column is missing: topic iteration document grade"
        )
    return judgements_of_pairs(_cranfield(pieces, file, options), file, options)


def _cranfield(pieces: Iterator[bytes], file: str, options: Reading) -> Iterator[Pair]:
    for line, fields in numbers(pieces):
        code = fields[-1]
        if len(fields) not in (3, 4):
            expected = "3 columns: topic document code"
            options.note(FormatError(file, line, f"{len(fields)} columns", expected))
        elif code not in (b"-1", b"1", b"2", b"3", b"4", b"5"):
            found = f"code {code.decode('utf-8', 'replace')!r}"
            options.note(FormatError(file, line, found, "1 to 5, or -1"))
        else:
            grade = NOT_JUDGED if code == b"-1" else WORST_CODE - int(code)
            yield Pair(line, _plain(fields[0]), _plain(fields[-2]), float(grade))


# TIME, NPL and LISA: lists of documents ----------------------------------------------------------


def looks_like_time(head: bytes) -> bool:
    """Return whether lines of numbers begin with 1, 2, 3, ... and rise within each line."""
    lines = _head(head)
    if not lines or not all(map(_digits, lines)) or len({len(fields) for fields in lines}) == 1:
        return False
    rows = [list(map(int, fields)) for fields in lines]
    if any(former >= later for row in rows for former, later in pairwise([0, *row[1:]])):
        return False
    return [row[0] for row in rows] == list(range(1, len(rows) + 1))


@reader("time_qrels", holds="judgements", recognise=looks_like_time)
def parse_time(pieces: Iterator[bytes], file: str, options: Reading) -> Judgements:
    """TIME judgements: a line for each topic, its number and those of relevant documents.

    Documents are numbered by their position in the collection, from 1.
    """
    pairs = (
        Pair(line, _plain(fields[0]), _plain(document), 1.0)
        for line, fields in numbers(pieces)
        for document in fields[1:]
    )
    return judgements_of_pairs(pairs, file, options)


def looks_like_npl(head: bytes) -> bool:
    """Return whether there is a number on its own line, numbers, and a slash on its own line."""
    lines = _head(head)
    ends = [place for place, fields in enumerate(lines) if fields == [b"/"]]
    if not ends or len(lines[0]) != 1:
        return False
    return all(_digits(fields) for fields in lines[: ends[0]]) and ends[0] > 1


@reader("npl_qrels", holds="judgements", recognise=looks_like_npl)
def parse_npl(pieces: Iterator[bytes], file: str, options: Reading) -> Judgements:
    """NPL judgements: the number of the topic, those of relevant documents, and a slash."""

    def pairs() -> Iterator[Pair]:
        topic = b""
        for line, fields in numbers(pieces):
            if not topic:
                topic = _plain(fields[0])
                fields = fields[1:]
            for field in fields:
                if field == b"/":
                    topic = b""
                else:
                    yield Pair(line, topic, _plain(field), 1.0)

    return judgements_of_pairs(pairs(), file, options)


def looks_like_lisa(head: bytes) -> bool:
    """Return whether this is the word Query and a number, then a count of relevant documents."""
    return re.match(rb"\s*Query +\d+\s+\d+ +Relevant", head) is not None


@reader("lisa_qrels", holds="judgements", recognise=looks_like_lisa)
def parse_lisa(pieces: Iterator[bytes], file: str, options: Reading) -> Judgements:
    """LISA judgements in words: `Query 1`, `2 Relevant Refs:`, numbers up to -1.

    A warning reports lists whose length differs from the stated one; a list without a query is
    ignored. Incomplete copies are in circulation; the numbers alone (`lisa_num_qrels`) are
    complete.
    """
    return judgements_of_pairs(_Lists(file).pairs(pieces), file, options)


class _Lists:
    """Lists of documents with their stated lengths."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._topic, self._line, self._stated, self._found = b"", 0, 0, 0

    def pairs(self, pieces: Iterable[bytes]) -> Iterator[Pair]:
        for line, fields in numbers(pieces):
            if fields[0] == b"Query":
                self._compare()
                self._topic, self._line = _plain(fields[-1]), line
            elif fields[1:2] == [b"Relevant"]:
                if self._stated:  # the query of this list is not named
                    self._compare()
                    self._topic, self._line = b"", line
                self._stated = _count(fields[0], self._file, line)
            else:
                every = [field for field in fields if field != b"-1"]
                self._found += len(every)
                if self._topic:
                    yield from (Pair(line, self._topic, _plain(one), 1.0) for one in every)
        self._compare()

    def _compare(self) -> None:
        from spanwise.model.columns import text

        place = f"{self._file}:{self._line}"
        if self._stated and not self._topic:
            _warn(f"{place}: {self._found} documents of a query that is not named, ignored")
        elif self._stated != self._found:
            name = text(self._topic)
            _warn(f"{place}: query {name}: {self._stated} documents stated, {self._found} found")
        self._stated = self._found = 0


def _warn(message: str) -> None:
    from warnings import warn

    from spanwise.errors import SpanwiseWarning

    warn(message, SpanwiseWarning, stacklevel=3)


def looks_like_lisa_numbers(head: bytes) -> bool:
    """Return whether these are numbers alone: a topic, a count, and that many documents."""
    lines = _head(head)
    every = [int(field) for fields in lines for field in fields if field.isdigit()]
    if len(every) != sum(map(len, lines)) or len(every) < 3 or not every[1]:
        return False  # judgements of TREC have 0 there
    place, topic = 0, 1
    while place + 1 < len(every) and place + 2 + every[place + 1] <= len(every):
        if every[place] != topic:
            return False
        place, topic = place + 2 + every[place + 1], topic + 1
    return topic > 2


@reader("lisa_num_qrels", holds="judgements", recognise=looks_like_lisa_numbers)
def parse_lisa_numbers(pieces: Iterator[bytes], file: str, options: Reading) -> Judgements:
    """LISA judgements in numbers: the topic, the count of relevant documents, the documents.

    Lines may break anywhere.
    """

    def pairs() -> Iterator[Pair]:
        topic, left = b"", 0
        for line, fields in numbers(pieces):
            for field in fields:
                if not topic:
                    topic, left = _plain(field), -1
                elif left < 0:
                    left = _count(field, file, line)
                else:
                    yield Pair(line, topic, _plain(field), 1.0)
                    left -= 1
                topic = topic if left else b""

    return judgements_of_pairs(pairs(), file, options)


def _count(field: bytes, file: str, line: int) -> int:
    if not field.isdigit():
        found = field.decode("utf-8", "replace")
        raise FormatError(file, line, f"{found!r}", "a count of relevant documents")
    return int(field)
