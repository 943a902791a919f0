"""Collecting the results of a run while they are read, and walking over them to write."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from warnings import warn

import numpy as np

from spanwise.errors import CountedWarning, EmptyError, FormatError
from spanwise.model.assessments import begins_of
from spanwise.model.holdings import filled
from spanwise.model.ids import Ids, PlainIds
from spanwise.model.rows import Rows
from spanwise.model.run import Chunks, Run
from spanwise.model.spans import UNKNOWN, Spans, Unit

if TYPE_CHECKING:
    from spanwise.formats.registry import Reading
    from spanwise.model.arrays import BoolArray, FloatArray, IntArray


@dataclass(slots=True)
class Result:
    """One result: a document, or the part of it that path, points or span name."""

    document: bytes = b""
    path: bytes = b""
    end: bytes = b""  # the second point of a passage, whose first is the path
    start: int | None = None  # of a span; UNKNOWN if it could not be placed
    length: int = 0
    rank: float | None = None
    score: float | None = None
    line: int = 0
    text: str = ""  # word for word
    stated: bool = True  # whether something was said about where the text begins
    id: bytes = b""
    cost: int = -1

    @property
    def whole(self) -> bool:
        """Whether this is a document as a whole."""
        return not self.path and self.start is None


class Returned:
    """Results that come one after another, in the order of the file."""

    def __init__(self, file: str, how: Reading) -> None:
        self.file, self._how = file, how
        self._topics: dict[bytes, list[Result]] = {}

    def problem(self, line: int | None, found: str, expected: str = "", advice: str = "") -> None:
        """Something is wrong: raised, or reported if somebody collects."""
        self._how.note(FormatError(self.file, line, found, expected, advice))

    def add(self, topic: bytes, result: Result) -> None:
        """The next result of a topic."""
        self._topics.setdefault(topic, []).append(result)

    def finished(
        self, name: str, header: Mapping[str, str] | None, due: str, unit: Unit = "opaque"
    ) -> Run:
        """The run, topic by topic."""
        results = [result for of_topic in self._topics.values() for result in of_topic]
        if not results:
            raise EmptyError(self.file, None, "no results in it", due)
        whole = next((result for result in results if result.whole), None)
        if whole is not None and any(result.start is not None for result in results):
            self.problem(
                whole.line, "a whole document among spans of documents", "results of one kind"
            )
        starts = begins_of([len(of_topic) for of_topic in self._topics.values()])
        lines = np.array([result.line for result in results])
        ranks = np.array([np.nan if r.rank is None else r.rank for r in results])
        stated = np.array([np.nan if r.score is None else r.score for r in results])
        return Run(
            name,
            Rows(self.file, tuple(self._topics), starts, lines),
            PlainIds([result.document for result in results]),
            self._scores(by_rank=unit != "opaque"),
            None if np.isnan(ranks).all() else ranks,
            _spans(results),
            _ids([result.path for result in results]),
            _ids([result.end for result in results]),
            header,
            unit,
            chunks_of(results),
            stated_scores=stated if np.isnan(stated).any() else None,
        )

    def _scores(self, *, by_rank: bool) -> FloatArray:
        """The stated scores; where one is missing in a topic, numbers that keep its order.

        That is the order of ranks where all are stated and count, else that of the file, which is
        what counts in runs of INEX.
        """
        columns, given_up = [], 0
        for results in self._topics.values():
            stated = [result.score for result in results if result.score is not None]
            if len(stated) < len(results):
                given_up += len(stated)
                ranks = [result.rank if by_rank else None for result in results]
                columns.append(ordered_by(ranks))
            else:
                columns.append(np.array(stated, np.float64))
        if given_up:
            after = (
                " scores stand in topics where others are missing and are not used; ranks are, or"
                " the order of the file"
            )
            warn(CountedWarning(f"{self.file}: ", {"": given_up}, after), stacklevel=2)
        return np.concatenate(columns)


def falling(count: int) -> FloatArray:
    """Scores that say nothing but the order: count, ..., 2, 1."""
    return np.arange(count, 0, -1, dtype=np.float64)


def ordered_by(ranks: Sequence[float | None]) -> FloatArray:
    """Scores that say nothing but the order of ranks, or of the file where one is missing.

    >>> ordered_by([2, 1, 7]).tolist(), ordered_by([2, None]).tolist()
    ([2.0, 3.0, 1.0], [2.0, 1.0])
    """
    scores = falling(len(ranks))
    stated = [rank for rank in ranks if rank is not None]
    if len(stated) == len(ranks):
        scores[np.argsort(stated, kind="stable")] = falling(len(ranks))
    return scores


def chunks_of(results: Sequence[Result]) -> Chunks | None:
    """Texts, ids and costs, if there are any."""
    if not any(result.text or result.id or result.cost >= 0 for result in results):
        return None
    return Chunks(
        PlainIds([result.text.encode("utf-8", "surrogatepass") for result in results]),
        PlainIds([result.id for result in results]),
        np.array([result.cost for result in results], np.int64),
        np.array([result.stated for result in results], np.bool_),
    )


def _ids(values: list[bytes]) -> Ids | None:
    return PlainIds(values) if any(values) else None


def _spans(results: list[Result]) -> Spans | None:
    if all(result.start is None for result in results):
        return None
    starts = [UNKNOWN if result.start is None else result.start for result in results]
    return Spans(
        np.array(starts, np.int64), np.array([result.length for result in results], np.int64)
    )


# Walking over a run -------------------------------------------------------------------------


def in_parts(run: Run) -> bool:
    """Whether results are parts of documents; then the order of the file is what counts."""
    return run.paths is not None or run.spans is not None


def topics_of(run: Run) -> Iterator[tuple[bytes, IntArray]]:
    """Each topic and its rows in the order that counts: of documents as a whole, by score."""
    for code, topic in enumerate(run.rows.topics):
        first, last = int(run.rows.starts[code]), int(run.rows.starts[code + 1])
        if in_parts(run):
            yield topic, np.arange(first, last)
        else:
            yield topic, first + np.argsort(-run.scores[first:last], kind="stable")


def results_at(run: Run, rows: IntArray) -> Iterator[Result]:
    """Some results, one by one, with the scores and ranks that were stated."""
    nothing = [b""] * len(rows)
    paths = run.paths.take(rows) if run.paths is not None else nothing
    ends = run.ends.take(rows) if run.ends is not None else nothing
    documents = run.documents.take(rows)
    stated = run.scores if run.stated_scores is None else run.stated_scores
    scores = stated[rows].tolist()
    ranks = run.ranks[rows].tolist() if run.ranks is not None else [np.nan] * len(rows)
    spans = run.spans.at(rows) if run.spans is not None else None
    for number, document in enumerate(documents):
        result = Result(document, paths[number], ends[number])
        if spans is not None and (spans.starts[number] != UNKNOWN or not result.path):
            result.start, result.length = int(spans.starts[number]), int(spans.lengths[number])
        if ranks[number] == ranks[number]:
            result.rank = ranks[number]
        if scores[number] == scores[number]:
            result.score = scores[number]
        if run.chunks is not None:
            _add_chunk(result, run.chunks, int(rows[number]))
        yield result


def _add_chunk(result: Result, chunks: Chunks, row: int) -> None:
    here = np.array([row])
    result.text = chunks.texts.take(here)[0].decode("utf-8", "surrogatepass")
    result.id = chunks.ids.take(here)[0]
    result.cost, result.stated = int(chunks.costs[row]), bool(chunks.stated[row])


def places(run: Run) -> dict[str, BoolArray]:
    """Which results are whole documents, elements, ranges, spans, or lost."""
    nowhere = np.zeros(len(run.rows), np.bool_)
    paths = filled(run.paths) if run.paths is not None else nowhere
    ends = filled(run.ends) if run.ends is not None else nowhere
    placed = run.spans.starts != UNKNOWN if run.spans is not None else nowhere
    return {
        "path": paths & ~ends,
        "passage": ends,
        "fol": placed & ~paths,
        "lost": ~placed & ~paths if run.spans is not None else nowhere,
        "whole": ~paths if run.spans is None else nowhere,
    }


def number(value: float) -> str:
    """A number, as short as it can be read back; whole ones without a point.

    >>> number(3.0), number(0.25)
    ('3', '0.25')
    """
    return str(int(value)) if value.is_integer() and abs(value) < 1e16 else repr(value)
