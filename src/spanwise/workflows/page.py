"""The page of a comparison: its curves, and its rankings and documents by topic.

`write_page` scores the runs again for the curves, and collects for each topic a sheet with the
ranking of every run and the relevant text of the documents. The text of each document is stored
once, as far as the rankings show it. The page is one file of limited size: text and ranks are left
out until it fits. A comparison alone, without its files, gives a page of tables only.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any
from warnings import catch_warnings, simplefilter

import numpy as np

from spanwise.console import say, watched, write_atomically
from spanwise.errors import SpanwiseError, SpanwiseWarning
from spanwise.evaluation.evaluate import run as score_all
from spanwise.evaluation.kinds import kinds_of
from spanwise.evaluation.prepare import Prepared, texts_along
from spanwise.evaluation.score import match
from spanwise.formats import expanded, read_judgements, read_topics
from spanwise.formats.io.files import lasts
from spanwise.formats.results import holds_results
from spanwise.matching import align
from spanwise.matching.documents import by_score, ordered_results, places_of
from spanwise.matching.text import readings
from spanwise.matching.texts import meter_of
from spanwise.model.columns import text
from spanwise.model.judgements import Judgements
from spanwise.model.policy import unit_in_words
from spanwise.model.run import of_topics
from spanwise.model.scores import printable
from spanwise.model.spans import UNKNOWN
from spanwise.report.comparison import at
from spanwise.report.page import NO_DETAILS, Content, Details, packed, page, short
from spanwise.report.plots import Curve, curve_of, find_curve
from spanwise.report.tables import counted
from spanwise.stats.paired import grid, student
from spanwise.workflows.explain import Case, ranking_of, reading_of, relevant_at
from spanwise.workflows.plot import completed
from spanwise.workflows.results import hashed

if TYPE_CHECKING:
    from spanwise.evaluation.prepare import Settled
    from spanwise.evaluation.request import Request
    from spanwise.evaluation.score import Matched
    from spanwise.model.arrays import IntArray
    from spanwise.model.comparison import Comparison
    from spanwise.model.documents import Collection
    from spanwise.model.policy import Policy
    from spanwise.model.rankings import Rankings
    from spanwise.model.run import Run
    from spanwise.model.scores import Scores
    from spanwise.workflows.explain import Ranking

CURVES = 6
"""Maximum number of curves."""
RANKS = 120_000
"""Maximum number of ranks in all rankings, which decides how many are shown of each."""
DEEPEST, SHALLOWEST = 50, 5
"""Largest and smallest number of ranks that are shown of a ranking."""
MAX_TEXT = 6_000_000
"""Maximum number of characters of all documents."""
MAX_DOCUMENT = 60_000
"""Maximum number of characters that are shown around the marked text of a document."""
MAX_RESULT = 20_000
"""Maximum number of characters that are shown of one result."""
BESIDE = 300
"""Number of characters that are shown at least on both sides of relevant text."""
OWN = 500
"""Maximum number of characters of a result whose place is unknown, which has its own text."""
ROOM = 6_500_000
"""Maximum number of characters for all topics and texts, which keeps the page below 8 MB."""
TOGETHER, TEXTS_TOGETHER = 20, 200_000
"""Topics, and characters of documents, that the page unpacks together."""


def write_page(request: Request, c: Comparison, output: str, stated: Request | None = None) -> None:
    """Write the page of a comparison, with curves, rankings and documents.

    `stated` has the inputs to be named at the foot, if they are not those of the request.
    """
    topics = grid(c.scores, c.measures[0]).topics
    fresh = lasts(request.judgements) and not holds_results(request.judgements)
    for file in (request.judgements, *(scores.source for scores in c.scores)):
        if not lasts(file):
            say(
                "warning",
                f"{file}: cannot be read twice; the page has no curves and no rankings of it",
            )
    if any(scores.repeats for scores in c.scores):
        say("warning", "curves and rankings on the page are those of the first repeat of a system")
    with catch_warnings():
        simplefilter("ignore", SpanwiseWarning)  # issued when the runs were scored
        curves = _curves(request, c) if fresh else []
        details = _details(request, c, topics) if fresh else NO_DETAILS
    title = f"{PurePath(request.judgements).stem}: {counted(len(c.runs), 'run')} compared"
    order = {file: n for n, file in enumerate(expanded(request.runs))}
    styles = [order.get(scores.source, len(order)) for scores in c.scores]
    _write(output, c, Content(topics, curves, details, title, styles, _made(stated or request)))


def write_comparison(c: Comparison, output: str) -> None:
    """Write the page of a comparison without its files, and thus without rankings."""
    topics = grid(c.scores, c.measures[0]).topics
    title = f"{counted(len(c.runs), 'run')} compared"
    _write(output, c, Content(topics, [], NO_DETAILS, title, list(range(len(c.runs)))))


def _write(output: str, c: Comparison, content: Content) -> None:
    whole = page(c, content).encode("utf-8", "backslashreplace")
    write_atomically(Path(output), whole)


def _made(request: Request) -> list[str]:
    """Return the inputs of a request with their hashes, and the command if it was typed."""
    lines = [f"Command: {command}"] if (command := _typed()) else []
    runs = expanded([one for one in request.runs if isinstance(one, str)])
    given = (request.judgements, *runs, request.collection, request.topics)
    files = [one for one in given if isinstance(one, str)]
    known = (source for source in map(hashed, files) if source.sha256 is not None)
    return [*lines, *(f"{source.path}: SHA-256 {source.sha256}" for source in known)]


def _typed() -> str | None:
    """Return the command line, if this process is the command."""
    program = PurePath(sys.argv[0])
    if program.stem != "spanwise" and program.parts[-2:] != ("spanwise", "__main__.py"):
        return None
    return shlex.join(["spanwise", *sys.argv[1:]])


def _runs(request: Request, c: Comparison) -> list[tuple[int, str]]:
    """Return the files of runs that can be read again, with their places on the page."""
    places = {scores.source: n for n, scores in enumerate(c.scores)}
    plain = dict.fromkeys([*expanded(request.runs), *places])
    return [(places[f], f) for f in plain if f in places and lasts(f) and not holds_results(f)]


# Curves -----------------------------------------------------------------------------------------


def _curves(request: Request, c: Comparison) -> list[tuple[Curve, list[list[list[float | None]]]]]:
    """Return the curve of recall and precision and those of the compared measures, with data."""
    runs = _runs(request, c)
    if len(runs) < len(c.runs):
        return []
    kinds = kinds_of(read_judgements(request.judgements, request.judgements_format))
    found = [curve for name in c.measures if (curve := curve_of(name)) is not None]
    if "preferences" not in kinds:  # it follows a curve over reading budgets, if there is one
        over_budget = bool(found) and "budget={x}" in found[0].template
        found.insert(int(over_budget), find_curve("recall-precision", (), kinds))
    unit = (request.policy or {}).get("unit")
    several = [completed(curve, unit) for curve in {one.template: one for one in found}.values()]
    several = [_through(curve, c.measures) for curve in several[:CURVES]]
    files = [file for _, file in runs]
    several = [
        curve for curve in several if _drawable(replace(request, runs=files[:1], names=()), curve)
    ]
    wanted = [name for curve in several for name in curve.measures()]
    if not wanted:
        return []
    wanted_runs = replace(
        request, measures=list(dict.fromkeys(wanted)), runs=files, names=(), derived=True
    )
    results = score_all(wanted_runs)
    mine = {place: scores for (place, _), scores in zip(runs, results, strict=True)}
    return [
        (curve, [_points(curve, mine[place], c.confidence) for place in range(len(c.runs))])
        for curve in several
    ]


def _through(curve: Curve, measures: Sequence[str]) -> Curve:
    """Return a curve over budgets with those that were asked for; another one as it is."""
    if not curve.of_budgets:
        return curve
    asked = {size for name in measures if (size := at(name)) is not None}
    return replace(curve, places=tuple(sorted({*curve.places, *asked})))


def _drawable(request: Request, curve: Curve) -> bool:
    """Tell whether the measures of a curve can be evaluated; print a warning if not."""
    try:
        score_all(replace(request, measures=curve.measures(), names=(), derived=True))
    except SpanwiseError as error:
        say("warning", f"no curve of {curve.name}: {error}")
        return False
    return True


def _points(curve: Curve, scores: Scores, confidence: float) -> list[list[float | None]]:
    """Return the mean and its interval at each point of a curve; None where a run has ended."""
    return [
        [short(number) for number in student(scores.values[name], confidence)]
        if scores.far(name)
        else [None] * 3
        for name in curve.measures()
    ]


# Rankings ---------------------------------------------------------------------------------------

Stretch = tuple[int, int, int]
"""A document of the library, and where a stretch of its text begins and ends."""


@dataclass(slots=True)
class Sheet:
    """The content of the page for one topic: its relevant text, and rankings by run."""

    runs: dict[int, dict[str, Any]] = field(default_factory=dict)
    relevant: dict[int, list[Any]] = field(default_factory=dict)  # by document: spans, entry point

    def as_data(self, library: Library, depth: int) -> dict[str, Any]:
        """Return the sheet as plain data for the page, with at most `depth` ranks of each run."""
        runs = {place: _first(run, depth) for place, run in self.runs.items()}
        shown = {*self.relevant, *(one for run in runs.values() for one in run["d"])}
        numbers = {document: n for n, document in enumerate(sorted(shown))}
        for run in runs.values():
            run["d"] = [numbers[document] for document in run["d"]]
        return {
            "runs": runs,
            "documents": [library.described(document) for document in numbers],
            "relevant": [[numbers[n], *rest] for n, rest in self.relevant.items()],
        }


def _first(run: dict[str, Any], depth: int) -> dict[str, Any]:
    """Return the first ranks of a ranking, with the number of those that are left out."""
    count = len(run["d"])
    cut: dict[str, Any] = {key: run[key][:depth] for key in ("d", "s", "e", "part") if key in run}
    own = {rank: words for rank, words in run["own"].items() if rank < depth}
    cells = [column[:depth] for column in run["cells"]]
    return {**run, **cut, "cells": cells, "own": own, "more": run["more"] + max(count - depth, 0)}


def _details(request: Request, c: Comparison, topics: Sequence[str]) -> Details:
    """Return the rankings of all runs and the documents that they show, for each topic."""
    runs = _runs(request, c)
    if not runs:
        return NO_DETAILS
    prepared = Prepared(replace(request, runs=(), names=()))
    judgements = prepared.judgements
    if not isinstance(judgements, Judgements) or judgements.assessors is not None:
        return NO_DETAILS
    settled = prepared.settle(prepared.profile_of(runs[0][1]), c.measures[:1])
    affordable = RANKS // max(len(c.runs) * len(topics), 1)
    depth = max(SHALLOWEST, min(DEEPEST, affordable))
    library = Library(prepared.collection or texts_along(judgements))
    budgets = sorted({size for name in c.measures if (size := at(name)) is not None})
    drawing = Drawing({topic: Sheet() for topic in topics}, library, settled, depth, budgets)
    questions = _questions(request, judgements)
    for place, file in watched(runs, len(runs), "drawing rankings"):
        run = prepared.read(file)
        questions = {**dict(run.questions), **questions}
        try:
            drawing.draw(match(prepared, run, settled), place)
        except SpanwiseError:
            continue  # the page states that this measure has no explanation
    names = [questions.get(_key(topic), "") for topic in topics]
    return _fitted(drawing, [printable(name) for name in names], budgets)


def _questions(request: Request, judgements: Judgements) -> dict[bytes, str]:
    """Return the text of each topic, as far as the judgements or the topics state it."""
    stated = {} if judgements.evidence is None else dict(judgements.evidence.questions)
    if request.topics is not None:
        for topic in read_topics(request.topics):
            if words := topic.title or topic.description:
                stated[_key(topic.id)] = words
    return stated


def _fitted(drawing: Drawing, questions: list[str], budgets: Sequence[float]) -> Details:
    """Pack the sheets and the texts; text, and then ranks, are left out until they fit."""
    library, sheets = drawing.library, list(drawing.sheets.values())
    drawn = [sheet if sheet.runs else None for sheet in sheets]
    depth, allowed = drawing.depth, MAX_TEXT
    while True:
        texts = library.texts(drawn, depth, allowed)
        parts = [(f"text-{n}", packed(part)) for n, part in enumerate(texts)]
        taken = sum(len(part) for _, part in parts)
        for first in range(0, len(drawn), TOGETHER):
            some = drawn[first : first + TOGETHER]
            data = [None if one is None else one.as_data(library, depth) for one in some]
            parts.append((f"topic-{first // TOGETHER}", packed(data)))
        size = sum(len(part) for _, part in parts)
        if size <= ROOM or (depth == SHALLOWEST and not allowed):
            break
        if taken > ROOM // 2 or depth == SHALLOWEST:
            allowed = int(allowed * 0.9 * (ROOM / 2) / taken) if taken > ROOM // 2 else 0
        else:
            depth = max(SHALLOWEST, min(depth // 2, int(depth * ROOM / size)))
    painted = sum(
        any(library.readable(document) for document in sheet.relevant)
        for sheet in drawn
        if sheet is not None
    )
    unit = unit_in_words(drawing.settled.policy.unit)
    common = (drawing.headers, drawing.words, budgets, unit, TOGETHER)
    return Details(questions, parts, *common, painted, library.cut)


@dataclass(slots=True)
class Drawing:
    """The sheets of all topics, to which runs are added one by one."""

    sheets: dict[str, Sheet]
    library: Library
    settled: Settled
    depth: int
    budgets: Sequence[float]
    headers: list[list[str]] = field(default_factory=list)  # titles of columns
    words: list[list[str]] = field(default_factory=list)  # remarks on columns
    _judged: dict[bytes, dict[bytes, int]] = field(default_factory=dict)

    def draw(self, matched: Matched, place: int) -> None:
        """Add the rankings of one run to the sheets of topics."""
        judgements, run = matched.judgements, matched.run
        assert isinstance(judgements, Judgements)  # the caller has excluded preferences
        here = [key for topic in self.sheets if (key := _key(topic)) in set(run.rows.topics)]
        known = set(judgements.rows.topics)
        here = [key for key in here if key in known]
        for topic in known:
            self._relevant(judgements, topic)
        for key, one, ranking, ends in self._rankings(matched, here):
            self._add(self.sheets[text(key)], place, one, ranking, ends)

    def _rankings(
        self, matched: Matched, topics: list[bytes]
    ) -> Iterator[tuple[bytes, Run, Ranking, list[int]]]:
        """Yield the ranking of each topic, and the characters that each budget pays for."""
        judgements, run = matched.judgements, matched.run
        assert isinstance(judgements, Judgements)
        (one,), policy = self.settled
        case = Case(judgements, run, b"", one, policy, self.library.collection)
        if one.measure.reads == "readings" and one.measure.explains in ("readings", None):
            meter = meter_of(run, self.library.collection, policy.unit)
            rows = ordered_results(run, judgements, topics, policy).row
            begin = 0
            for block in readings(run, judgements, topics, policy, meter):
                limits = [block.limit(size, None).tolist() for size in self.budgets]
                for number, topic in enumerate(block.topics):
                    end = begin + int(block.retrieved[number])
                    ranking = reading_of(block, number, run, rows[begin:end])
                    begin = end
                    yield topic, run, ranking, [limit[number] for limit in limits]
            return
        if one.measure.reads == "rankings" and policy.unjudged == "keep":
            order = ordered(run, policy)
            for some in align(run, judgements, topics, policy).blocks(with_scores=True):
                for n, topic in enumerate(some.topics):
                    mine = single(some, n, self.depth)
                    each = replace(case, topic=topic, block=mine, rows=order[topic])
                    yield topic, run, ranking_of(each), []
            return
        for topic in topics:
            own = of_topics(run, [topic])
            yield topic, own, ranking_of(replace(case, topic=topic, run=own)), []

    def _add(self, sheet: Sheet, place: int, run: Run, ranking: Ranking, ends: list[int]) -> None:
        """Add the ranking of one run to the sheet of a topic."""
        depth = self.depth
        header = [printable(name) for name in ranking.table.header]
        rows = ranking.rows[:depth]
        places = list(map(self.library.number, run.documents.take(rows)))
        columns = list(zip(*ranking.table.rows[:depth], strict=True)) or [()] * len(header)
        skipped = 3 if "part" in header else 2  # rank, document and part are stated otherwise
        found: dict[str, Any] = {
            "head": _place_in(self.headers, header),
            "words": _place_in(self.words, [printable(line) for line in ranking.remarks]),
            "d": places,
            "cells": [list(map(printable, column)) for column in columns[skipped:]],
            "more": len(ranking.rows) - len(rows),
            "ends": ends,
            "own": {},
        }
        if run.spans is not None:
            starts = run.spans.starts[rows]
            found["s"] = starts.tolist()
            found["e"] = np.where(starts == UNKNOWN, UNKNOWN, run.spans.ends[rows]).tolist()
        if run.paths is not None and skipped == 3:
            found["part"] = list(map(printable, columns[2]))
        if run.chunks is not None:
            found["own"] = self._own(run, rows, places)
        sheet.runs[place] = found

    def _own(self, run: Run, rows: IntArray, documents: list[int]) -> dict[int, str]:
        """Return the beginning of the text of each result whose text is in no document."""
        assert run.chunks is not None
        unplaced = np.ones(len(rows), np.bool_)
        if run.spans is not None:
            unplaced = run.spans.starts[rows] == UNKNOWN
        unplaced |= np.array([not self.library.readable(one) for one in documents], np.bool_)
        ranks = np.flatnonzero(unplaced)
        texts = run.chunks.texts.take(rows[ranks])
        return {
            rank: words.decode("utf-8", "replace")[:OWN]
            for rank, words in zip(ranks.tolist(), texts, strict=True)
            if words
        }

    def _relevant(self, judgements: Judgements, topic: bytes) -> None:
        """Add the relevant text of a topic to its sheet, once."""
        sheet = self.sheets.get(text(topic))
        if sheet is None or topic in self._judged:
            return
        rows = judgements.rows
        number = rows.topics.index(topic)
        every = np.arange(rows.starts[number], rows.starts[number + 1])
        if judgements.highlights is not None:
            every = every[judgements.highlights.counts[every] > 0]
        else:
            every = every[judgements.grades[every] > 0]
        self._judged[topic] = {}
        for row, name in zip(every.tolist(), judgements.documents.take(every), strict=True):
            spans, entry = relevant_at(judgements, row, name, self.library.collection)
            if len(spans):
                flat = np.column_stack([spans.starts, spans.ends]).ravel().tolist()
                sheet.relevant[self.library.number(name)] = [flat, entry]


def _place_in(several: list[list[str]], one: list[str]) -> int:
    """Return the place of an entry in a list, adding it if it is not there."""
    if one not in several:
        several.append(one)
    return several.index(one)


def _key(topic: str) -> bytes:
    return topic.encode("utf-8", "surrogateescape")


def ordered(run: Run, policy: Policy) -> dict[bytes, IntArray]:
    """Return the rows of each topic, in the order that measures of rankings use."""
    every = np.arange(int(run.rows.starts[-1]))
    places = places_of(by_score(run, policy), run, policy, every)
    found = {}
    for number, topic in enumerate(run.rows.topics):
        first, last = run.rows.starts[number], run.rows.starts[number + 1]
        found[topic] = first + np.argsort(places[first:last])[: policy.depth]
    return found


def single(block: Rankings, row: int, depth: int) -> Rankings:
    """Return one topic of a block, restricted to `depth` ranks."""
    here = slice(row, row + 1)
    depth = min(depth, int(block.retrieved[row]))  # other topics of the block may be deeper
    return replace(
        block,
        topics=block.topics[here],
        retrieved=np.minimum(block.retrieved[here], depth),
        grade=block.grade[here, :depth],
        status=block.status[here, :depth],
        ideal=block.ideal[here],
        judged=block.judged[here],
        set_aside=block.set_aside[here],
        score=None if block.score is None else block.score[here, :depth],
        tied_from=None,
        tied_to=None,
        _derived={},
    )


# Documents --------------------------------------------------------------------------------------


@dataclass(slots=True)
class Library:
    """The documents of the page, whose text is stored once, as far as rankings show it."""

    collection: Collection | None
    names: list[bytes] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)  # -1 if the collection has no such document
    bundles: list[int] = field(default_factory=list)  # where its text is; -1 if it has none
    cut: bool = False  # whether the text of some results or relevant passages is left out
    _numbers: dict[bytes, int] = field(default_factory=dict)

    def number(self, name: bytes) -> int:
        """Return the number of a document, which is a new one at first."""
        if name not in self._numbers:
            known = self.collection is not None and name in self.collection
            self._numbers[name] = len(self.names)
            self.names.append(name)
            self.lengths.append(
                self.collection.length(name) if known and self.collection is not None else -1
            )
            self.bundles.append(-1)
        return self._numbers[name]

    def readable(self, number: int) -> bool:
        """Tell whether the text of a document is known."""
        return self.lengths[number] >= 0

    def described(self, number: int) -> list[Any]:
        """Return the name and the length of a document, and where its text is."""
        return [printable(text(self.names[number])), self.lengths[number], self.bundles[number]]

    def texts(self, sheets: Sequence[Sheet | None], depth: int, room: int) -> list[list[Any]]:
        """Return bundles of the text to store: everything, or what fits of what matters most.

        Relevant text comes first, then the text of the first results, then whole documents.
        """
        kept = [sheet for sheet in sheets if sheet is not None]
        relevant = list(self._relevant(kept))
        results = {
            some: list(self._results(kept, some)) for some in (depth, 10, 3) if some <= depth
        }
        whole = [(n, 0, MAX_DOCUMENT) for n in self._shown(kept, depth)]
        choices = [[*relevant, *results[depth], *whole]]
        choices += [[*relevant, *some] for some in results.values()]
        choices.append(relevant)
        for number, some in enumerate(choices):
            stretches = self._united(some)
            if _characters(stretches) <= room:
                self.cut = number > 1
                return self._bundled(stretches)
        self.cut = True
        return self._bundled(np.zeros((0, 3), np.int64))

    def _relevant(self, sheets: Sequence[Sheet]) -> Iterator[Stretch]:
        for sheet in sheets:
            for document, (flat, _) in sheet.relevant.items():
                for start, end in zip(flat[::2], flat[1::2], strict=True):
                    end = min(end, start + MAX_RESULT)
                    yield document, start - BESIDE, end + BESIDE

    def _results(self, sheets: Sequence[Sheet], depth: int) -> Iterator[Stretch]:
        for sheet in sheets:
            for run in sheet.runs.values():
                documents = run["d"][:depth]
                if "s" not in run:
                    yield from ((document, 0, MAX_RESULT) for document in documents)
                    continue
                for document, start, end in zip(documents, run["s"], run["e"], strict=False):
                    if start != UNKNOWN:
                        yield document, start, min(end, start + MAX_RESULT)

    def _shown(self, sheets: Sequence[Sheet], depth: int) -> set[int]:
        found = {document for sheet in sheets for document in sheet.relevant}
        for sheet in sheets:
            found.update(one for run in sheet.runs.values() for one in run["d"][:depth])
        return found

    def _united(self, stretches: Sequence[Stretch]) -> IntArray:
        """Return stretches in order, without overlap, and within their documents."""
        lengths = np.array(self.lengths, np.int64)
        rows = np.array(stretches, np.int64).reshape(-1, 3)
        rows = rows[lengths[rows[:, 0]] > 0]
        document = rows[:, 0]
        start, end = (np.clip(rows[:, n], 0, lengths[document]) for n in (1, 2))
        order = np.lexsort((end, start, document))
        offset = document[order] * (int(lengths.max(initial=0)) + 2)  # documents do not touch
        start, end = start[order] + offset, end[order] + offset
        reach = np.maximum.accumulate(end) if len(end) else end
        opens = np.concatenate([[True], start[1:] > reach[:-1]])[: len(start)]
        first = np.flatnonzero(opens)
        last = np.concatenate([first[1:], [len(start)]])[: len(first)] - 1
        begin, close = start[first] - offset[first], reach[last] - offset[first]
        return np.column_stack([document[order][first], begin, close])

    def _bundled(self, stretches: IntArray) -> list[list[Any]]:
        """Return the text of stretches in bundles, and note which bundle has which document."""
        self.bundles = [-1] * len(self.names)
        bundles: list[list[Any]] = []
        taken = TEXTS_TOGETHER
        mine = -1
        for document, start, end in stretches.tolist():
            assert self.collection is not None  # it has the lengths
            words = self.collection.text(self.names[document], start, end - start)
            if document != mine:
                if taken >= TEXTS_TOGETHER:
                    bundles.append([])
                    taken = 0
                bundles[-1].append([printable(text(self.names[document])), []])
                self.bundles[document] = len(bundles) - 1
                mine = document
            bundles[-1][-1][1].append([start, words])
            taken += len(words)
        return bundles


def _characters(stretches: IntArray) -> int:
    """Return the number of characters of stretches."""
    return int((stretches[:, 2] - stretches[:, 1]).sum())
