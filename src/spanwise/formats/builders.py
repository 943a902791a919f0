"""Builders that collect runs and judgements while files are read, and iteration for writing.

`RunBuilder` collects results, `EvidenceBuilder` evidence (items of text in documents), and
`AssessmentsBuilder` assessments of elements. `ElementBlocks` speeds up files with many assessed
elements.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from secrets import token_hex
from typing import TYPE_CHECKING
from warnings import warn

import numpy as np

from spanwise.errors import CountedWarning, EmptyError, FormatError
from spanwise.model.columns import Ids, PlainIds, Rows, text
from spanwise.model.contents import filled
from spanwise.model.elements import (
    NO_COVERAGE,
    NO_SIZE,
    TOO_SMALL,
    UNSTATED,
    Assessments,
    Elements,
    Flag,
    Passages,
    Pool,
    begins_of,
)
from spanwise.model.judgements import Evidence, Judgements, highlights_of
from spanwise.model.run import Chunks, Run
from spanwise.model.spans import UNKNOWN, Spans, Unit

if TYPE_CHECKING:
    from spanwise.formats.registry import Reading
    from spanwise.model.arrays import BoolArray, FloatArray, IntArray


class Builder:
    """Content of a file that is being read, with a place for its problems."""

    def __init__(self, file: str, options: Reading) -> None:
        self.file, self._options = file, options

    def problem(self, line: int | None, found: str, expected: str = "", advice: str = "") -> None:
        """Report a problem, or raise it if problems are not collected."""
        self._options.note(FormatError(self.file, line, found, expected, advice))


def refuse_mixed(
    content: Builder,
    numbered: bool,
    entries: Collection[bytes],
    topic: bytes | None,
    line: int | None,
) -> bool:
    """Return whether entries have no ids; report an entry unlike those before it."""
    if not entries or numbered == (topic is None):
        return topic is None
    content.problem(
        line,
        "an entry without an id after others with ids"
        if topic is None
        else f"the id {text(topic)!r} after entries without ids",
        "ids of all topics, or of none",
    )
    return numbered


# Collecting results of a run ---------------------------------------------------------------------


@dataclass(slots=True)
class Result:
    """A result: a document, or the part of it given by a path, points or a span."""

    document: bytes = b""
    path: bytes = b""
    end: bytes = b""  # second point of a passage; the path is the first
    start: int | None = None  # start of a span; UNKNOWN if it could not be placed
    length: int = 0
    rank: float | None = None
    score: float | None = None
    line: int = 0
    text: str = ""  # verbatim text
    stated: bool = True  # whether the file states where the text begins
    id: bytes = b""
    cost: int = -1

    @property
    def whole(self) -> bool:
        """Return whether this is a whole document."""
        return not self.path and self.start is None


class RunBuilder(Builder):
    """A builder of runs that takes results in the order of the file."""

    def __init__(self, file: str, options: Reading) -> None:
        super().__init__(file, options)
        self._topics: dict[bytes, list[Result]] = {}
        self._questions: dict[bytes, str] = {}
        self._numbered = False

    def entry(self, topic: bytes | None, number: int, question: str, line: int | None) -> bytes:
        """Add a topic, which may have no results; return its id, or its number if it has none."""
        self._numbered = refuse_mixed(self, self._numbered, self._questions, topic, line)
        name = b"%d" % number if topic is None else topic
        if name in self._questions:
            self.problem(line, f"topic {text(name)!r} a second time", "each topic once")
        self._questions[name] = question
        return name

    def add(self, topic: bytes, result: Result) -> None:
        """Add the next result of a topic."""
        self._topics.setdefault(topic, []).append(result)

    def build(
        self, name: str, header: Mapping[str, str] | None, expected: str, unit: Unit = "opaque"
    ) -> Run:
        """Return the run with its results grouped by topic."""
        results = [result for of_topic in self._topics.values() for result in of_topic]
        if not results:
            raise EmptyError(self.file, None, "no results", expected)
        whole = next((result for result in results if result.whole), None)
        if whole is not None and any(result.start is not None for result in results):
            self.problem(
                whole.line, "a whole document among spans of documents", "results of one kind"
            )
        starts = begins_of([len(of_topic) for of_topic in self._topics.values()])
        lines = np.array([result.line for result in results])
        ranks = np.array([np.nan if r.rank is None else r.rank for r in results], np.float64)
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
            questions=self._questions,
            numbered=self._numbered,
        )

    def _scores(self, *, by_rank: bool) -> FloatArray:
        """Return the stated scores; in topics where one is missing, numbers that keep the order.

        That is the order of the ranks if all are stated and positions have a unit, else the order
        of the file, which is the ranking in INEX runs.
        """
        columns, given_up = [], 0
        for results in self._topics.values():
            stated = [result.score for result in results if result.score is not None]
            if len(stated) < len(results):
                given_up += len(stated)
                ranks = [result.rank if by_rank else None for result in results]
                columns.append(scores_by_rank(ranks))
            else:
                columns.append(np.array(stated, np.float64))
        if given_up:
            after = (
                " scores are ignored because other results of their topic have none; the order of"
                " ranks or of the file is used"
            )
            warn(CountedWarning(f"{self.file}: ", {"": given_up}, after), stacklevel=2)
        return np.concatenate(columns)


def falling_scores(count: int) -> FloatArray:
    """Return decreasing scores that only express an order: count, ..., 2, 1."""
    return np.arange(count, 0, -1, dtype=np.float64)


def scores_by_rank(ranks: Sequence[float | None]) -> FloatArray:
    """Return scores that express the order of ranks, or of the file if a rank is missing.

    >>> scores_by_rank([2, 1, 7]).tolist(), scores_by_rank([2, None]).tolist()
    ([2.0, 3.0, 1.0], [2.0, 1.0])
    """
    scores = falling_scores(len(ranks))
    stated = [rank for rank in ranks if rank is not None]
    if len(stated) == len(ranks):
        scores[np.argsort(stated, kind="stable")] = falling_scores(len(ranks))
    return scores


def chunks_of(results: Sequence[Result]) -> Chunks | None:
    """Return the texts, ids and costs of results, or None if there are none."""
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


# Iterating over a run ----------------------------------------------------------------------------


def in_parts(run: Run) -> bool:
    """Return whether results are parts of documents, which are ranked by the order of the file."""
    return run.paths is not None or run.spans is not None


def topics_of(run: Run) -> Iterator[tuple[bytes, IntArray]]:
    """Yield each topic and its rows in ranking order: by score for whole documents."""
    for code, topic in enumerate(run.rows.topics):
        first, last = int(run.rows.starts[code]), int(run.rows.starts[code + 1])
        if in_parts(run):
            yield topic, np.arange(first, last)
        else:
            yield topic, first + np.argsort(-run.scores[first:last], kind="stable")


def results_at(run: Run, rows: IntArray) -> Iterator[Result]:
    """Yield results one by one, with the scores and ranks that were stated."""
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


def results_of(run: Run) -> Iterator[tuple[bytes, Result]]:
    """Yield each topic and one of its results, in the order that counts."""
    for topic, rows in topics_of(run):
        for result in results_at(run, rows):
            yield topic, result


def _add_chunk(result: Result, chunks: Chunks, row: int) -> None:
    here = np.array([row])
    result.text = chunks.texts.take(here)[0].decode("utf-8", "surrogatepass")
    result.id = chunks.ids.take(here)[0]
    result.cost, result.stated = int(chunks.costs[row]), bool(chunks.stated[row])


def places(run: Run) -> dict[str, BoolArray]:
    """Return flags for results that are elements, ranges, spans, unplaced or whole documents."""
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
    """Return a number in its shortest exact form; whole numbers have no point.

    >>> number(3.0), number(0.25)
    ('3', '0.25')
    """
    return str(int(value)) if value.is_integer() and abs(value) < 1e16 else repr(value)


# Collecting evidence -----------------------------------------------------------------------------


@dataclass(slots=True)
class Item:
    """A piece of relevant text, given by its position, by its words, or by both."""

    start: int | None = None  # None: not stated; UNKNOWN: stated, but not a position
    length: int = 0
    text: str = ""
    grade: float = 1.0
    set: int = 0
    aspects: tuple[bytes, ...] = ()
    by: bytes = b""


@dataclass(slots=True)
class _Row:
    """The evidence in one document."""

    line: int
    items: list[Item]
    full: bool = True


class EvidenceBuilder(Builder):
    """A builder of judgements that takes items of evidence by topic and document."""

    def __init__(self, file: str, options: Reading, unit: Unit = "codepoint") -> None:
        super().__init__(file, options)
        self._unit = unit
        self._topics: dict[bytes, dict[bytes, _Row]] = {}
        self.questions: dict[bytes, str] = {}
        self.documents: dict[bytes, str] = {}
        self._numbered = False

    def document(self, topic: bytes, document: bytes, line: int, *, full: bool = True) -> None:
        """Add a judged document, unless it has been added before."""
        self._topics.setdefault(topic, {}).setdefault(document, _Row(line, [], full))

    def item(self, topic: bytes, document: bytes, line: int, item: Item) -> None:
        """Add an item of evidence to a document."""
        self.document(topic, document, line)
        self._topics[topic][document].items.append(item)

    def topic(self, topic: bytes, question: str = "") -> None:
        """Add a topic, which may have no relevant documents."""
        self._topics.setdefault(topic, {})
        if question:
            self.questions[topic] = question

    def entry(self, topic: bytes | None, number: int, question: str, line: int | None) -> bytes:
        """Add a topic; return its id, or its number if it has none."""
        self._numbered = refuse_mixed(self, self._numbered, self._topics, topic, line)
        name = b"%d" % number if topic is None else topic
        if name in self._topics:
            self.problem(line, f"topic {text(name)!r} a second time", "each topic once")
        self.topic(name, question)
        return name

    def nothing(self, topic: bytes, line: int) -> None:
        """Add a topic that was judged to have no evidence in any document."""
        self.document(topic, b"", line)

    def build(self, expected: str) -> Judgements:
        """Return the judgements with their evidence."""
        rows = [row for documents in self._topics.values() for row in documents.values()]
        if not rows:
            raise EmptyError(self.file, None, "no evidence", expected)
        topics = {topic: some for topic, some in self._topics.items() if some}
        evidence = evidence_of(
            [row.items for row in rows],
            [row.full for row in rows],
            self._unit,
            self.questions,
            self.documents,
        )
        names = [name for documents in topics.values() for name in documents]
        lengths = [len(self.documents[n]) if n in self.documents else -1 for n in names]
        if self._unit != "codepoint":
            lengths = [-1] * len(names)
        return Judgements(
            Rows(
                self.file,
                tuple(topics),
                begins_of([len(documents) for documents in topics.values()]),
                np.array([row.line for row in rows]),
            ),
            PlainIds(names),
            np.array([float(any(i.grade > 0 for i in row.items)) for row in rows]),
            highlights=highlights_of(evidence, np.array(lengths), np.full(len(rows), -1)),
            evidence=replace(evidence, numbered=self._numbered),
        )


def evidence_of(
    rows: Sequence[Sequence[Item]],
    full: Sequence[bool],
    unit: Unit,
    questions: Mapping[bytes, str],
    documents: Mapping[bytes, str],
) -> Evidence:
    """Return the items of all rows as columns."""
    items = [item for row in rows for item in row]
    starts = [UNKNOWN if item.start is None else item.start for item in items]
    return Evidence(
        begins_of([len(row) for row in rows]),
        Spans(np.array(starts, np.int64), np.array([item.length for item in items], np.int64)),
        np.array([item.grade for item in items], np.float64),
        np.array([item.set for item in items], np.int64),
        [item.aspects for item in items],
        PlainIds([item.by for item in items]),
        PlainIds([item.text.encode("utf-8", "surrogatepass") for item in items]),
        np.array([item.start is not None for item in items], np.bool_),
        np.array(full, np.bool_),
        unit,
        None,
        questions,
        documents,
    )


# Collecting assessments of elements --------------------------------------------------------------


class AssessmentsBuilder(Builder):
    """A builder of judgements that takes documents, and then their elements and passages."""

    def __init__(self, file: str, options: Reading) -> None:
        super().__init__(file, options)
        self.pools: dict[bytes, Pool] = {}
        self._codes: dict[bytes, int] = {}
        self._lines: dict[tuple[bytes, bytes, bytes], int] = {}
        self._owners: list[int] = []
        self._collections: list[bytes] = []
        self._entries: list[bytes] = []
        self._paths: list[bytes] = []
        self._numbers: list[Numbers] = []
        self._begins: list[int] = []
        self._starts: list[bytes] = []
        self._ends: list[bytes] = []
        self._sizes: list[int] = []
        self._passages: list[int] = []
        self._seen: set[bytes] = set()

    def document(
        self,
        topic: bytes,
        document: bytes,
        line: int,
        collection: bytes = b"",
        assessor: bytes = b"",
    ) -> bool:
        """Begin a document, to which the following parts belong; return False for a duplicate."""
        before = self._lines.get((topic, document, assessor))
        if before is not None:
            self.problem(
                line,
                f"document {text(document)!r} occurs twice for topic {text(topic)!r},"
                f" first on line {before}",
                "each document once",
            )
            return False
        self._lines[topic, document, assessor] = line
        self._owners.append(self._codes.setdefault(topic, len(self._codes)))
        self._collections.append(collection)
        self._entries.append(b"")
        self._begins.append(len(self._paths))
        self._passages.append(len(self._sizes))
        self._seen.clear()
        return True

    def element(
        self,
        path: bytes,
        line: int,
        exhaustivity: int = UNSTATED,
        specificity: int = UNSTATED,
        coverage: int = NO_COVERAGE,
        size: int = NO_SIZE,
        highlighted: int = NO_SIZE,
        flags: int = Flag(0),
    ) -> None:
        """Add a judged element of the current document."""
        if path in self._seen:
            self.problem(line, f"element {text(path)} occurs twice", "each element once")
            return
        self._seen.add(path)
        self._paths.append(path)
        self._numbers.append((exhaustivity, specificity, coverage, size, highlighted, int(flags)))

    def elements(self, paths: list[bytes], numbers: list[Numbers], line: int) -> None:
        """Add judged elements of the current document, one on each line."""
        if len(set(paths)) == len(paths) and self._seen.isdisjoint(paths):
            self._seen.update(paths)
            self._paths += paths
            self._numbers += numbers
            return
        for count, (path, values) in enumerate(zip(paths, numbers, strict=True)):
            self.element(path, line + count, *values)

    def passage(self, start: bytes, end: bytes, size: int) -> None:
        """Add highlighted text of the current document."""
        self._starts.append(start)
        self._ends.append(end)
        self._sizes.append(size)

    def entry(self, point: bytes, line: int) -> None:
        """Set the best entry point of the current document."""
        if self._entries[-1]:
            self.problem(line, "a second best entry point", "one for each document")
        self._entries[-1] = point

    def build_grouped(self, expected: str) -> tuple[Judgements, IntArray]:
        """Return the judgements grouped by topic, and the order that grouped them."""
        if not self._owners:
            raise EmptyError(self.file, None, "no judged documents", expected)
        owners = np.array(self._owners)
        order = np.argsort(owners, kind="stable")
        starts = begins_of(np.bincount(owners, minlength=len(self._codes)))
        lines = np.array(list(self._lines.values()))[order]
        rows = Rows(self.file, tuple(self._codes), starts, lines)
        documents = PlainIds([document for _, document, _ in self._lines]).reordered(order)
        content = self._assessments().at(order, range(len(self._codes)))
        return Judgements(rows, documents, grades_of(content), elements=content), order

    def _assessments(self) -> Assessments:
        columns = np.array(self._numbers, np.int64).reshape(-1, 6).T
        exhaustivity, specificity, coverage, sizes, highlighted, flags = columns
        return Assessments(
            Elements(
                np.array([*self._begins, len(self._paths)]),
                PlainIds(self._paths),
                exhaustivity,
                specificity,
                coverage,
                sizes,
                highlighted,
                flags,
            ),
            Passages(
                np.array([*self._passages, len(self._sizes)]),
                PlainIds(self._starts),
                PlainIds(self._ends),
                np.array(self._sizes, np.int64),
            ),
            PlainIds(self._entries),
            PlainIds(self._collections),
            tuple(self.pools.get(topic, Pool()) for topic in self._codes),
        )


def grades_of(content: Assessments) -> FloatArray:
    """Return 1 for documents with relevant parts, 0 for those without, -1 for unjudged ones.

    A document without parts was judged: a file states in this way that nothing is relevant.
    """
    elements, passages = content.elements, content.passages

    def any_of(flags: BoolArray, first: IntArray) -> BoolArray:
        return np.diff(begins_of(flags.astype(np.int64))[first]) > 0

    relevant = any_of(elements.relevant(), elements.first) | (np.diff(passages.first) > 0)
    unjudged = np.diff(elements.first) > 0
    unjudged &= ~any_of(elements.judged(), elements.first)
    return np.where(relevant, 1.0, np.where(unjudged, -1.0, 0.0))


# Reading many similar elements at once -----------------------------------------------------------
#
# Assessments consist mostly of tens of thousands of lines of the same form. A block of such lines
# is cut out of the file before it is parsed as XML, and replaced by one placeholder element.
# Everything else is left to the parser, and so is the rest of the file after a comment.

PATH = rb"(?:/[A-Za-z_][A-Za-z0-9_.-]*\[[1-9][0-9]{0,8}\])+"
GRADED_ELEMENT = (
    rb'[ \t]*<element path="(%s)" exhaustivity="([012?])" size="([0-9]{1,18})"'
    rb' rsize="([0-9]{1,18})" ?/>\r?\n' % PATH
)
LINE = re.compile(GRADED_ELEMENT)
MANY = re.compile(rb"(?:[ \t]*<element [^<>]*/>\r?\n){4,}")
COMMENT = re.compile(rb"<!--|<!\[CDATA\[|<!ENTITY")
GRADES = {b"0": 0, b"1": 1, b"2": 2, b"?": TOO_SMALL}

Numbers = tuple[int, int, int, int, int, int]
"""Exhaustivity, specificity, coverage, size, highlighted characters, flags."""
ElementBlock = tuple[list[bytes], list[Numbers]]


class ElementBlocks:
    """Blocks of element lines that were cut out of a file, each with its placeholder."""

    def __init__(self) -> None:
        self._sign = token_hex(8)  # random, so that no file contains it
        self._taken: list[ElementBlock] = []

    def cut_from(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the file with blocks replaced by placeholders; line numbers do not change."""
        plain = True
        for piece in pieces:
            plain = plain and not COMMENT.search(piece)
            yield MANY.sub(self._replaced, piece) if plain else piece

    def _replaced(self, found: re.Match[bytes]) -> bytes:
        rows = LINE.findall(found[0])
        if len(rows) < found[0].count(b"\n"):  # some line has another form
            return found[0]
        numbers = [
            (GRADES[grade], UNSTATED, NO_COVERAGE, int(size), int(lit), 0)
            for _, grade, size, lit in rows
        ]
        self._taken.append(([row[0] for row in rows], numbers))
        placeholder = f'<element stretch="{self._sign}-{len(self._taken) - 1}"/>'
        return placeholder.encode() + b"\n" * len(rows)

    def get(self, placeholder: str) -> ElementBlock | None:
        """Return the block of a placeholder, or None if there is no such block."""
        sign, _, number = placeholder.partition("-")
        return self._taken[int(number)] if sign == self._sign else None
