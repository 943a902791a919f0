"""The page of a comparison: its curves, and its rankings and documents by topic.

`write_page` scores the runs again for the curves, and collects for each topic a sheet with the
ranking of every run and the documents that the rankings show. The page is one file of limited size:
ranks and documents are left out until it fits. A comparison alone, without its files, gives a page
of tables only.
"""

from __future__ import annotations

from collections.abc import Sequence
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
from spanwise.formats import expanded, read_judgements
from spanwise.formats.io.files import lasts
from spanwise.formats.results import holds_results
from spanwise.matching import align
from spanwise.matching.documents import by_score, places_of
from spanwise.model.columns import text
from spanwise.model.judgements import Judgements
from spanwise.model.scores import printable
from spanwise.model.spans import UNKNOWN
from spanwise.report.page import packed, page, short
from spanwise.report.plots import Curve, curve_of, find_curve
from spanwise.stats.paired import grid, student
from spanwise.workflows.explain import Case, ranking_of
from spanwise.workflows.plot import completed

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

CURVES = 4
"""Maximum number of curves."""
RANKS = 250_000
"""Maximum number of ranks in all rankings, which decides how many are shown of each."""
DEEPEST, SHALLOWEST = 50, 5
"""Largest and smallest number of ranks that are shown of a ranking."""
MAX_TEXT = 6_000_000
"""Maximum number of characters of all documents."""
MAX_DOCUMENT = 60_000
"""Maximum number of characters that are shown of one document."""
ROOM = 8_000_000
"""Maximum number of characters for all topics, which keeps the page below 10 MB."""


def write_page(request: Request, c: Comparison, output: str) -> None:
    """Write the page of a comparison, with curves, rankings and documents."""
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
        details = _details(request, c, topics) if fresh else {}
    title = f"{PurePath(request.judgements).stem}: {len(c.runs)} runs compared"
    chunks = ((f"topic-{n}", details[topic]) for n, topic in enumerate(topics) if topic in details)
    whole = page(c, topics, curves, chunks, title, c.measures[0])
    write_atomically(Path(output), whole.encode("utf-8", "backslashreplace"))


def write_comparison(c: Comparison, output: str) -> None:
    """Write the page of a comparison without its files, and thus without rankings."""
    topics = grid(c.scores, c.measures[0]).topics
    whole = page(c, topics, [], (), f"{len(c.runs)} runs compared", c.measures[0])
    write_atomically(Path(output), whole.encode("utf-8", "backslashreplace"))


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
    several = several[:CURVES]
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


@dataclass(slots=True)
class Sheet:
    """The content of the page for one topic: rankings by run, and documents."""

    header: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    runs: dict[int, Any] = field(default_factory=dict)
    documents: dict[bytes, dict[str, Any]] = field(default_factory=dict)
    left: int = 0  # number of documents that are not shown

    def as_data(self) -> dict[str, Any]:
        """Return the sheet as plain data for the page."""
        places = {name: n for n, name in enumerate(self.documents)}
        runs = {}
        for place, run in self.runs.items():
            spans = [[places[s[0]], *s[1:]] for s in run["spans"] if s[0] in places]
            runs[place] = {**run, "spans": spans}
        return {
            "header": self.header,
            "words": self.words,
            "runs": runs,
            "documents": list(self.documents.values()),
            "left": self.left,
        }

    def cut(self, depth: int) -> None:
        """Restrict the rankings to `depth` ranks."""
        for run in self.runs.values():
            run["more"] += max(len(run["rows"]) - depth, 0)
            run["rows"] = run["rows"][:depth]
            run["spans"] = [span for span in run["spans"] if span[3] <= depth]

    def drop_documents(self) -> None:
        """Remove all documents from the sheet."""
        self.left += len(self.documents)
        self.documents.clear()

    def size(self) -> int:
        """Return the number of characters that the sheet takes on the page."""
        return len(packed(self.as_data()))


def _details(request: Request, c: Comparison, topics: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return the rankings of all runs and the documents that they show, for each topic."""
    runs = _runs(request, c)
    if not runs:
        return {}
    prepared = Prepared(replace(request, runs=(), names=()))
    judgements = prepared.judgements
    if not isinstance(judgements, Judgements) or judgements.assessors is not None:
        return {}
    settled = prepared.settle(prepared.profile_of(runs[0][1]), c.measures[:1])
    affordable = RANKS // max(len(c.runs) * len(topics), 1)
    depth = max(SHALLOWEST, min(DEEPEST, affordable))
    sheets = {topic: Sheet() for topic in topics}
    painter = Painter(prepared.collection or texts_along(judgements))
    for place, file in watched(runs, len(runs), "drawing rankings"):
        run = prepared.read(file)
        try:
            _draw(match(prepared, run, settled), settled, place, depth, sheets, painter)
        except SpanwiseError:
            continue  # the page states that this measure has no explanation
    drawn = {topic: sheet for topic, sheet in sheets.items() if sheet.runs}
    _fit(list(drawn.values()), depth)
    return {topic: sheet.as_data() for topic, sheet in drawn.items()}


def _fit(sheets: Sequence[Sheet], depth: int) -> None:
    """Reduce the sheets to the size of a page: first their ranks, then their documents."""
    for fewer in (depth // 2, SHALLOWEST):
        if sum(sheet.size() for sheet in sheets) <= ROOM:
            return
        for sheet in sheets:
            sheet.cut(max(fewer, SHALLOWEST))
    left = sum(sheet.size() for sheet in sheets)
    for sheet in reversed(sheets):
        if left <= ROOM:
            return
        left -= sheet.size()
        sheet.drop_documents()
        left += sheet.size()


def _draw(
    matched: Matched,
    settled: Settled,
    place: int,
    depth: int,
    sheets: dict[str, Sheet],
    painter: Painter,
) -> None:
    """Add the rankings of one run to the sheets of topics."""
    judgements, run = matched.judgements, matched.run
    assert isinstance(judgements, Judgements)  # the caller has excluded preferences
    (one,), policy = settled
    here = [key for topic in sheets if (key := _key(topic)) in run.rows.topics]
    here = [key for key in here if key in judgements.rows.topics]
    case = Case(judgements, run, b"", one, policy, painter.collection)
    blocks: dict[bytes, Rankings] = {}
    order: dict[bytes, IntArray] = {}
    if one.measure.reads == "rankings" and policy.unjudged == "keep":
        order = ordered(run, policy)
        for block in align(run, judgements, here, policy).blocks(with_scores=True):
            blocks |= {topic: single(block, n, depth) for n, topic in enumerate(block.topics)}
    for key in here:
        mine = replace(case, topic=key, block=blocks.get(key), rows=order.get(key))
        ranking = ranking_of(mine)
        sheet = sheets[text(key)]
        sheet.header = [printable(name) for name in ranking.table.header]
        rows = [list(map(printable, row)) for row in ranking.table.rows[:depth]]
        spans = painter.paint(sheet, run, ranking, depth)
        words = [printable(line) for line in ranking.remarks]
        more = len(ranking.rows) - len(rows)
        sheet.runs[place] = {"rows": rows, "more": max(more, 0), "words": words, "spans": spans}


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
class Painter:
    """An object that adds documents to sheets until their text has reached its maximum size."""

    collection: Collection | None
    room: int = MAX_TEXT  # characters that may still be added

    def paint(self, sheet: Sheet, run: Run, ranking: Ranking, depth: int) -> list[list[Any]]:
        """Add the documents of a ranking, and return the span of each result with its rank."""
        if run.spans is None and self.collection is None:
            return []
        rows = ranking.rows[:depth]
        places = []
        for rank, (row, name) in enumerate(zip(rows, run.documents.take(rows), strict=True), 1):
            document = sheet.documents.get(name) or self._document(sheet, ranking, name)
            if document is None:
                continue
            start, end = 0, document["length"]
            if run.spans is not None:
                start = int(run.spans.starts[row])
                end = start + int(run.spans.lengths[row])
                document["length"] = max(document["length"], end)
            if start != UNKNOWN:
                places.append([name, start, end, rank])
        return places

    def _document(self, sheet: Sheet, ranking: Ranking, name: bytes) -> dict[str, Any] | None:
        relevant, entry = ranking.relevant(name)
        known = self.collection is not None and name in self.collection
        if not known and not len(relevant):
            return None
        length = self.collection.length(name) if known and self.collection is not None else 0
        passages = np.column_stack([relevant.starts, relevant.ends]).tolist()
        length = max([length, *(end for _, end in passages)])
        shown = min(length, MAX_DOCUMENT)
        if self.room < shown:
            sheet.left += 1
            return None
        words = None
        if known and self.collection is not None:
            self.room -= shown
            words = self.collection.text(name, 0, shown)
        sheet.documents[name] = {
            "name": printable(text(name)),
            "length": length,
            "text": words,
            "relevant": passages,
            "entry": entry,
        }
        return sheet.documents[name]
