"""Elements and passages of a run matched with judgements: blocks of rankings of elements."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from spanwise.errors import InputError, UsageError
from spanwise.matching.cuts import CutDocuments, copies, refuse_duplicates, result_in_words
from spanwise.matching.documents import TOPICS_AT_ONCE, Results, has_unplaced_paths, ordered_results
from spanwise.matching.gain import Case, gains_of, seen_before, shared_documents
from spanwise.matching.quantise import recall_base
from spanwise.matching.text import Item, SeenAccount, SeenPaths, SeenText
from spanwise.matching.trees import PASSAGE, ByPath, judged_elements
from spanwise.model.columns import Coded, text
from spanwise.model.element_rankings import ElementRankings, ElementResults, GainRule, Gains
from spanwise.model.elements import NO_ELEMENT
from spanwise.model.spans import NOTHING, UNKNOWN, Spans, ranges

if TYPE_CHECKING:
    from spanwise.model.arrays import BoolArray, FloatArray, IntArray
    from spanwise.model.documents import Collection
    from spanwise.model.elements import Grades, JudgedElements, RecallBase
    from spanwise.model.judgements import Judgements
    from spanwise.model.policy import Policy
    from spanwise.model.run import Run

# Overlap ------------------------------------------------------------------------------------------


def lying_inside(results: ElementResults, refuse: Callable[[Sequence[int]], None]) -> BoolArray:
    """Return which results lie inside another: in an ancestor, or in a longer span.

    `refuse` is called with the results of each document that has passages among them.
    """
    inside = np.zeros(len(results), np.bool_)
    for numbers in shared_documents(results.document, np.ones(len(results), np.bool_)):
        paths = {results.paths[number] for number in numbers}
        for number in numbers:
            inside[number] = _below(results.paths[number], paths)
        if b"" in paths:
            refuse(numbers)
            _contained(results, numbers, inside)
    return inside


def _below(path: bytes, paths: set[bytes]) -> bool:
    while path:
        path = path[: path.rfind(b"/")]
        if path and path in paths:
            return True
    return False


def _contained(results: ElementResults, numbers: list[int], inside: BoolArray) -> None:
    """Mark results that lie inside another one by offsets; one of the two is a passage."""
    groups: dict[tuple[int, int], list[int]] = {}  # equal spans are not inside each other
    for number in numbers:
        start = int(results.start[number])
        if start >= 0:
            groups.setdefault((start, -start - int(results.length[number])), []).append(number)
    of_passages = of_any = -1  # the last end of the spans that began before
    for (_, minus_end), same in sorted(groups.items()):
        for number in same:
            reach = of_passages if results.paths[number] else of_any
            inside[number] |= reach >= -minus_end
        of_any = max(of_any, -minus_end)
        if not all(results.paths[number] for number in same):
            of_passages = max(of_passages, -minus_end)


# Rankings of elements -----------------------------------------------------------------------------

NEEDS = "its size was not found in any file; pass --collection"


@dataclass(frozen=True, slots=True, eq=False)
class Setting:
    """The collection and the quantisation tables for judgements of elements."""

    collection: Collection | None = None
    tables: Mapping[str, Grades] = field(default_factory=dict)  # the user's own quantisations

    def judged(self, judgements: Judgements) -> JudgedElements:
        """Return the judged elements, made once."""
        return judgements.once(
            "judged elements", lambda: judged_elements(judgements, self.collection)
        )

    def base(self, judgements: Judgements, quant: str | None) -> RecallBase:
        """Return a recall base, made once."""
        return recall_base(self.judged(judgements), quant, self.tables.get(quant or ""))


def element_rankings(
    run: Run,
    judgements: Judgements,
    topics: Sequence[bytes],
    policy: Policy,
    setting: Setting | None = None,
) -> Iterator[ElementRankings]:
    """Yield rankings of elements in blocks of `TOPICS_AT_ONCE` topics."""
    setting = setting or Setting()
    if policy.ties == "expected" and (policy.depth is not None or policy.unjudged == "drop"):
        raise UsageError(
            "ties: expected needs whole rankings; set no depth and keep unjudged results"
        )
    results = ordered_results(run, judgements, topics, policy)
    refuse_duplicates(run, results)
    for first in range(0, len(topics), TOPICS_AT_ONCE):
        last = min(first + TOPICS_AT_ONCE, len(topics))
        some = results.of_topics(first, last)
        yield _Block(run, judgements, some, policy, setting).rankings(topics[first:last])


# Blocks -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Block:
    """A block of some topics while it is being made."""

    run: Run
    judgements: Judgements
    results: Results
    policy: Policy
    setting: Setting

    def rankings(self, topics: Sequence[bytes]) -> ElementRankings:
        codes = {topic: code for code, topic in enumerate(self.judgements.rows.topics)}
        mine = np.array([codes.get(topic, -1) for topic in topics], np.int64)
        retrieved = np.bincount(self.results.topic, minlength=len(topics))
        returned = self._returned(retrieved)
        case = Case(returned, _items(returned), self._account_of(returned), self._doubt)
        return ElementRankings(
            tuple(topics),
            mine,
            self.policy,
            retrieved,
            returned,
            lambda: self.setting.judged(self.judgements),
            lambda quant: self.setting.base(self.judgements, quant),
            lambda rule: self._gains(case, rule),
            lambda what: seen_before(case, what),
            lambda: lying_inside(returned, partial(self._refuse_unplaced, returned)),
            self._highlighted(mine),
            self._relevant(mine),
            lambda number: f"{self._place(number)}: {NEEDS}",
        )

    def _highlighted(self, mine: IntArray) -> IntArray:
        """Return the number of highlighted characters of each topic."""
        marked = self.judgements.highlights
        if self.judgements.elements is None:
            sums = np.zeros(len(self.judgements.rows)) if marked is None else marked.relevant
        else:
            sums = self.setting.judged(self.judgements).passages
        before = np.concatenate([[0], np.cumsum(sums)])
        totals = np.diff(before[self.judgements.rows.starts])
        return np.where(mine >= 0, totals[mine], 0).astype(np.int64)

    def _relevant(self, mine: IntArray) -> BoolArray:
        """Return whether each topic has an element or passage that was judged relevant."""

        def by_topic() -> BoolArray:
            said, marked = self.judgements.elements, self.judgements.highlights
            rows = np.zeros(len(self.judgements.rows), np.bool_)
            if marked is not None:
                rows |= marked.relevant > 0
            if said is not None:
                rows |= np.diff(said.passages.first) > 0
                owner = np.repeat(np.arange(len(rows)), np.diff(said.elements.first))
                rows[owner[said.elements.relevant()]] = True
            before = np.concatenate([[0], np.cumsum(rows)])
            return np.diff(before[self.judgements.rows.starts]) > 0

        found = self.judgements.once("relevant topics", by_topic)
        return np.where(mine >= 0, found[mine], False) if len(found) else mine >= 0

    # Results --------------------------------------------------------------------------------------

    def _returned(self, retrieved: IntArray) -> ElementResults:
        run, results = self.run, self.results
        judgement = results.judged[results.document]
        coded = self._paths(judgement)
        element, paths = self._elements(judgement, coded), coded.tolist()
        start, length = self._places(paths)
        size, lit = length.copy(), np.zeros(len(length), np.int64)
        if self._has_elements:
            judged = self.setting.judged(self.judgements)
            known = element != NO_ELEMENT
            listed = np.where(known, judged.size[element], -1) if len(judged) else element * 0 - 1
            size = np.where(listed >= 0, listed, size)
            if len(judged):
                lit = np.where(known, judged.highlighted[element], 0)
            if judged.scale != "highlighted":
                lit[:] = -1
        passage = np.array([not path for path in coded.names], np.bool_)[coded.codes]
        self._light(lit, passage, judgement, Spans(start, length))
        return ElementResults(
            results.topic,
            ranges(np.zeros(len(retrieved), np.int64), retrieved),
            results.row,
            results.document,
            judgement,
            element,
            paths,
            passage,
            size,
            lit,
            start,
            np.maximum(length, 0),
            _levels(run.scores[results.row], results.topic, self.policy),
        )

    @property
    def _has_elements(self) -> bool:
        return self.judgements.elements is not None or self.setting.collection is not None

    def _paths(self, judgement: IntArray) -> Coded:
        """Return the path of every result that is an element; the root's for a whole document."""
        run, rows = self.run, self.results.row
        if run.paths is None and run.spans is None:
            return Coded.of(self._roots(judgement))
        return run.element_paths(rows)

    def _roots(self, judgement: IntArray) -> list[bytes]:
        if not self._has_elements:
            return [b"/"] * len(judgement)
        judged = self.setting.judged(self.judgements)
        roots = []
        for row in judgement.tolist():
            first = int(judged.first[row]) if row >= 0 else 0
            named = row >= 0 and first < judged.first[row + 1]
            path = judged.paths[first] if named else b"/"
            roots.append(b"/" + path[1:].partition(b"/")[0])
        return roots

    def _elements(self, judgement: IntArray, paths: Coded) -> IntArray:
        """Return the index of the judged element of each result."""
        if not self._has_elements:
            return np.full(len(paths), NO_ELEMENT)
        judged = self.setting.judged(self.judgements)
        known = judged.once("by path", lambda: ByPath(judged.row, Coded.of(judged.paths)))
        return known.find(judgement, paths)

    def _places(self, paths: Sequence[bytes]) -> tuple[IntArray, IntArray]:
        """Return start and length of every result; start -1 if unknown, length 0 if unplaced."""
        run, rows = self.run, self.results.row
        unknown = np.full(len(rows), -1)
        if run.spans is not None:
            spans = run.spans.at(rows)
            if has_unplaced_paths(run):
                assert run.paths is not None
                named = [bool(path) for path in run.paths.take(rows)]
                some = np.flatnonzero((spans.starts == UNKNOWN) & named)
                refuse_points(run, rows[some], [paths[number] for number in some.tolist()])
            looked = run.lengths is not None or run.paths is None
            lost = self.policy.conventions.unplaced_size if looked else -1
            length = np.where(spans.starts == UNKNOWN, lost, spans.lengths)
            return spans.starts, length
        if run.paths is not None:
            refuse_points(run, rows, paths)
            return unknown, unknown
        if run.lengths is not None:
            lost = self.policy.conventions.unplaced_size
            length, known = run.lengths[rows], run.lengths[rows] >= 0
            return np.where(known, 0, -1), np.where(known, length, lost)
        marked = self.judgements.highlights
        if marked is None:
            return unknown, unknown
        length = self.results.stated(marked.lengths, -1)[self.results.document]
        return np.where(length >= 0, 0, -1), length

    def _light(self, lit: IntArray, passages: BoolArray, judgement: IntArray, spans: Spans) -> None:
        """Fill in the highlighted characters of passages and of whole documents.

        The value is -1 if the document has highlighted text, and its place or that of the result is
        unknown.
        """
        marked, counted = self.judgements.highlights, passages | (not self._has_elements)
        some = np.flatnonzero(counted & (judgement >= 0))
        if marked is None:
            if self._has_elements:
                within = self.setting.judged(self.judgements).passages[judgement[some]]
                lit[some[within > 0]] = -1
            return
        rows, document = np.unique(judgement[some], return_inverse=True)
        counts = marked.counts[rows]
        mine = spans.at(some)
        placed = Spans(np.maximum(mine.starts, 0), np.where(mine.starts < 0, 0, mine.lengths))
        cuts = CutDocuments.of(
            placed,
            document,
            marked.passages.at(ranges(marked.first[rows], counts)),
            np.repeat(np.arange(len(rows)), counts),
            np.zeros(len(rows), np.int64),
        )
        lit[some] = cuts.relevant_in_results() if len(some) else 0
        if has_unplaced_paths(self.run):
            lit[some[~passages[some] & (marked.relevant[judgement[some]] > 0)]] = -1

    # Gains ----------------------------------------------------------------------------------------

    def _gains(self, case: Case, rule: GainRule) -> Gains:
        base = self.setting.base(self.judgements, rule.quant)
        results = case.results
        home = base.home(rule.ideal, rule.paths)
        known = results.element != NO_ELEMENT
        worth = np.where(known, base.value[results.element], 0.0) if len(home) else known * 0.0
        inside = (
            np.where(known, home[results.element], NO_ELEMENT) if len(home) else results.element
        )
        passages = np.flatnonzero(results.passage)
        if len(passages):
            self._of_passages(base, rule, results, passages, worth, inside)
        return gains_of(case, base, rule, worth, inside)

    def _of_passages(
        self,
        base: RecallBase,
        rule: GainRule,
        results: ElementResults,
        passages: IntArray,
        worth: FloatArray,
        inside: IntArray,
    ) -> None:
        """Set the values of passages, and the ideal element that each lies in."""
        if base.quant != "spec":
            raise UsageError(
                f"{self.run.rows.source}: results that are passages have no exhaustivity;"
                f" quant={base.quant} is for elements, expected quant=spec"
            )
        size, lit = results.size[passages], results.highlighted[passages]
        if (lit < 0).any():
            raise UsageError(
                f"{base.judged.source}: the positions of highlighted text are unknown, and"
                f" {self.run.rows.source} has offsets; pass --collection"
            )
        worth[passages] = np.divide(lit, size, out=np.zeros(len(size)), where=size > 0)
        mine = Spans(results.start[passages], results.length[passages])
        worth[passages[copies(results.document[passages], mine)]] = 0  # only chunks have them
        ideal = base.ideal(rule.ideal, rule.paths)
        for number in passages[worth[passages] > 0].tolist():
            row = int(results.judgement[number])
            first, last = base.judged.first[row], base.judged.first[row + 1]
            homes = first + np.flatnonzero(ideal[first:last])
            begins, begin = base.judged.start[homes], results.start[number]
            ends, end = begins + base.judged.size[homes], begin + results.length[number]
            holding = (begins >= 0) & (begins <= begin) & (ends >= end)
            if rule.cap == "descendants":  # a passage that is the ideal element is not in it
                holding &= (begins < begin) | (ends > end)
            around = homes[holding]
            if len(homes) and PASSAGE in base.judged.paths[homes[0]]:
                shared = np.minimum(ends, end) - np.maximum(begins, begin)
                around = homes[[int(np.argmax(shared))]]
            inside[number] = around[0] if len(around) else NO_ELEMENT

    def _account_of(self, results: ElementResults) -> Callable[[Sequence[int]], SeenAccount]:
        """Return the account of text seen in a document: by paths if all results are elements."""
        mixed = bool(results.passage.any())

        def seen(numbers: Sequence[int]) -> SeenAccount:
            if not mixed or all(results.paths[number] for number in numbers):
                return SeenPaths()
            self._refuse_unplaced(results, numbers)
            marked, row = self.judgements.highlights, int(results.judgement[numbers[0]])
            return SeenText(NOTHING if marked is None or row < 0 else marked.of(row))

        return seen

    def _refuse_unplaced(self, results: ElementResults, numbers: Sequence[int]) -> None:
        """Raise an error for an unplaced element: its overlap with passages is unknown."""
        if has_unplaced_paths(self.run):
            for number in numbers:
                if results.paths[number]:
                    raise InputError(
                        f"{self._place(number)}: its position relative to passages of that document"
                        " is unknown; pass --collection"
                    )

    def _doubt(self, number: int, path: bytes) -> InputError:
        if number == NO_ELEMENT:
            return InputError(f"{self.judgements.rows.source}: {text(path)}: {NEEDS}")
        return InputError(f"{self._place(number)}, inside {text(path)}: {NEEDS}")

    def _place(self, number: int) -> str:
        row = int(self.results.row[number])
        return f"{self.run.rows.place(row)}: {result_in_words(self.run, row)}"


def refuse_points(run: Run, rows: IntArray, paths: Sequence[bytes]) -> None:
    """Raise an error for results that are points or ranges; `paths` are those of elements."""
    for row, path in zip(rows.tolist(), paths, strict=True):
        if not path:
            raise InputError(
                f"{run.rows.place(row)}: {result_in_words(run, row)} begins or ends at a point of"
                " unknown position; pass --collection"
            )


def _items(results: ElementResults) -> Callable[[int], Item]:
    columns = (results.size, results.highlighted, results.start, results.length)
    size, lit, start, length = (column.tolist() for column in columns)

    def item(number: int) -> Item:
        return Item(results.paths[number], size[number], lit[number], start[number], length[number])

    return item


def _levels(scores: FloatArray, topic: IntArray, policy: Policy) -> IntArray:
    """Return the level of each result: one each, or one for all results of equal score."""
    if policy.ties != "expected" or not len(scores):
        return np.arange(len(scores))
    new = (scores[1:] != scores[:-1]) | (topic[1:] != topic[:-1])
    return np.concatenate([[0], np.cumsum(new)])
