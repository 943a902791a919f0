"""Explanations of scores: one topic of one run, result by result, as a measure sees it.

`explain` prepares a case for each assessor: the judgements, the run, the topic and the measure.
From a case follows a table with a row for each result, whose columns are those that the measure
computes with. There is one function for each family of measures. The text of documents can be
printed too, with the retrieved and the relevant parts marked.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from spanwise.errors import UsageError
from spanwise.evaluation.kinds import (
    TEXTUAL,
    MatchTask,
    element_setting,
    kinds_of,
    navigation_blocks,
)
from spanwise.evaluation.merge import assumptions
from spanwise.evaluation.prepare import Prepared
from spanwise.evaluation.prepare import asked as measures_of
from spanwise.evaluation.request import request_of
from spanwise.evaluation.score import match, values_of
from spanwise.formats import expanded
from spanwise.matching import align, refuse_duplicate_judgements
from spanwise.matching.documents import by_score, ordered_results, places_of
from spanwise.matching.elements import element_rankings
from spanwise.matching.text import readings
from spanwise.matching.texts import meter_of
from spanwise.measures.cumulated import Curves, reached
from spanwise.measures.gains import gain_curves
from spanwise.measures.highlight import LEVELS, best_from, highlighted_in_all, picked
from spanwise.measures.next_generation import exhaustivity_in_all, parts
from spanwise.model.columns import text
from spanwise.model.element_rankings import PARTLY, SEEN, UNSEEN, Gains
from spanwise.model.elements import NO_ELEMENT
from spanwise.model.judgements import Judgements, Preferences, assessors_of, by_assessor
from spanwise.model.notes import in_lines
from spanwise.model.readings import Pieces
from spanwise.model.run import of_topics
from spanwise.model.scores import printable
from spanwise.model.spans import NOTHING, UNKNOWN, Spans, inmost
from spanwise.report import explanation
from spanwise.report import explanation as marked
from spanwise.report.explanation import (
    GAIN_WORDS,
    Earnings,
    chance_table,
    columns_table,
    earnings_table,
    flag_table,
)
from spanwise.report.scores import shown
from spanwise.report.tables import counted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Unpack

    from spanwise.evaluation.request import Request
    from spanwise.model.arrays import FloatArray, IntArray
    from spanwise.model.documents import Collection
    from spanwise.model.element_rankings import ElementRankings
    from spanwise.model.measure import MeasureRequest
    from spanwise.model.notes import Note
    from spanwise.model.policy import Policy, PolicyFields
    from spanwise.model.rankings import Rankings
    from spanwise.model.readings import Readings
    from spanwise.model.run import Run
    from spanwise.report.explanation import Listing
    from spanwise.report.tables import Table

# Explanations -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Case:
    """One topic of one run, with the measure that is to be explained."""

    judgements: Judgements | Preferences
    run: Run
    topic: bytes
    asked: MeasureRequest
    policy: Policy
    collection: Collection | None = None
    notes: tuple[Note, ...] = ()  # on the placement of results
    block: Rankings | None = None  # the ranking of the topic, if it is ready
    rows: IntArray | None = None  # of its results in order, if they are known
    assessor: str | None = None  # of these judgements, if there are several

    @property
    def name(self) -> str:
        """Return the name of the measure, without parameters."""
        return self.asked.measure.name

    @property
    def explains(self) -> str | None:
        """Return which columns explain the measure; None for none of its own."""
        return self.asked.measure.explains

    def parameters(self, *names: str) -> list[Any]:
        """Return the values of some parameters of the measure."""
        return [self.asked.parameter(name) for name in names]


@dataclass(frozen=True, slots=True, eq=False)
class Explanation:
    """An explanation of the score of a topic: a table with a row for each result."""

    cases: Sequence[Case]

    def text(self, width: int | None = None, most: int | None = None) -> str:
        """Return the table, the value, and the choices that it depends on, as text."""
        return explained(self.cases, width, most)

    def marked(self, width: int | None = None, most: int | None = None) -> str:
        """Return the documents as text, with the retrieved and the relevant parts marked."""
        return marked_text(self.cases[0], width, colour=False, most=most)

    @property
    def value(self) -> Any:
        """Return the value of the topic, averaged over assessors if there are several."""
        values = [_explained(case, None, None)[0] for case in self.cases]
        if len(values) == 1:
            return values[0]
        defined = [value for value in values if value == value]
        return sum(defined) / len(defined) if defined else float("nan")

    def rows(self) -> list[dict[str, str]]:
        """Return a dict of columns for each result, under the first assessor."""
        table, _ = _table(self.cases[0])
        return [dict(zip(table.header, row, strict=True)) for row in table.rows]

    def to_dict(self) -> dict[str, Any]:
        """Return the value and the ranking of each assessor, as `--json` prints them."""
        case = self.cases[0]
        return {
            "run": printable(case.run.name),
            "topic": printable(text(case.topic)),
            "measure": case.asked.label,
            "value": _defined(self.value),
            "signature": case.policy.signature(*assumptions([case.asked])),
            "assessors": [_case_data(one) for one in self.cases],
        }

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        case = self.cases[0]
        return f"<Explanation of {case.asked.label}: {case.run.name}, topic {text(case.topic)}>"

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self.text())}</pre>"


def _case_data(case: Case) -> dict[str, Any]:
    value, _ = _explained(case, None, None)
    table, remarks = _table(case)
    return {
        "assessor": None if case.assessor is None else printable(case.assessor),
        "value": _defined(value),
        "rows": [dict(zip(table.header, map(printable, row), strict=True)) for row in table.rows],
        "remarks": [*remarks, *in_lines(case.notes)],
    }


def _defined(value: Any) -> Any:
    return None if isinstance(value, float) and value != value else value


def explain(
    judgements: Any,
    run: Any,
    topic: str,
    measure: object,
    *,
    policy: Policy | None = None,
    profile: str | None = None,
    task: str | None = None,
    collection: Any = None,
    topics: Any = None,
    rel: float | None = None,
    judgements_format: str | None = None,
    run_format: str | None = None,
    **fields: Unpack[PolicyFields],
) -> Explanation:
    """Explain why a topic of a run has its score; the options are those of `evaluate`.

    >>> found = explain({"q1": {"d1": 1}}, {"q1": {"d2": 0.9, "d1": 0.1}}, "q1", "RR")
    >>> found.value, [row["document"] for row in found.rows()]
    (0.5, ['d2', 'd1'])
    """
    request = request_of(
        judgements,
        [run],
        measure,
        policy=policy,
        profile=profile,
        task=task,
        collection=collection,
        topics=topics,
        judgements_format=judgements_format,
        run_format=run_format,
        assume={} if rel is None else {"rel": rel},
        **fields,
    )
    return Explanation(cases_of(request, topic))


def cases_of(request: Request, topic: str) -> list[Case]:
    """Prepare a request, and return the case of each assessor for a topic of its run."""
    measures_of(request.measures)  # a mistake in a name is reported before anything is read
    files = [
        file
        for one in request.runs
        for file in (expanded([one]) if one.__class__ is str else [one])
    ]
    if len(files) != 1:
        raise UsageError(f"found {len(files)} runs; expected the one run to explain")
    prepared = Prepared(replace(request, runs=(), names=()))
    run = prepared.read(files[0])
    settled = prepared.settle(prepared.profile_of(run))
    if len(settled.measures) != 1:
        names = ", ".join(request.measures) or "the default"
        raise UsageError(f"{names!r} stands for {len(settled.measures)} measures; expected one")
    (measure,), policy = settled
    if request.names and request.names[0] is not None:
        run = replace(run, name=request.names[0])
    key = topic.encode("utf-8", "surrogateescape")
    judged, answered = prepared.judgements.rows.topics, run.rows.topics
    if key not in judged and not (policy.average_over == "run" and key in answered):
        raise UsageError(
            f"{prepared.judgements.rows.source}: found no topic {topic!r}; expected a judged topic"
        )
    if isinstance(prepared.judgements, Judgements):
        refuse_duplicate_judgements(prepared.judgements, [key])
    matched = match(prepared, run, settled)
    run = matched.run
    if key in run.rows.topics:
        run = of_topics(run, [key])  # so that notes count only these results
    case = Case(matched.judgements, run, key, measure, policy, matched.collection, matched.notes)
    if not isinstance(matched.judgements, Judgements) or matched.judgements.assessors is None:
        return [case]
    named = zip(assessors_of(matched.judgements), by_assessor(matched.judgements), strict=True)
    return [
        replace(case, judgements=part, assessor=text(name))
        for name, part in named
        if key in part.rows.topics
    ]


def explained(cases: Sequence[Case], width: int | None, most: int | None = None) -> str:
    """Return the tables of all cases, each followed by its value and its signature."""
    parts = [_explained(case, width, most) for case in cases]
    if len(parts) == 1:
        return parts[0][1]
    defined = [value for value, _ in parts if isinstance(value, float) and value == value]
    mean = shown(sum(defined) / len(defined)) if defined else shown(float("nan"))
    label = cases[0].asked.label
    last = f"\n{label} = {mean}, the mean over {counted(len(defined), 'assessor')}\n"
    return "\n".join(drawn for _, drawn in parts) + last


def _explained(case: Case, width: int | None, most: int | None) -> tuple[Any, str]:
    """Return the value of a case, and its table with all notes as text."""
    found = list(case.notes)
    values = values_of(
        *(case.judgements, case.run, [case.topic], [case.asked], case.policy, found),
        case.collection,
    )
    notes = in_lines(found)
    value = values[case.asked.label][0]
    table, remarks = _table(case)
    if case.policy.ties == "expected":
        notes.append("the value is the mean over all orders of equal scores; one order is shown")
    if case.topic not in case.run.rows.topics:
        notes.append("the run has no results for this topic")
    result = value if isinstance(value, str) else shown(float(value))
    who = "" if case.assessor is None else f", assessor {case.assessor}"
    lines = [
        f"{case.run.name}, topic {text(case.topic)}{who}: {case.asked.label} = {result}",
        *remarks,
        case.policy.signature(*assumptions([case.asked])),
        *notes,
    ]
    return value if isinstance(value, str) else float(value), explanation.drawn(
        table, lines, width, most
    )


def _table(case: Case) -> tuple[Table, list[str]]:
    """Return the table of a measure of elements, with remarks."""
    (cutoff,) = case.parameters("cutoff")
    reads = case.asked.measure.reads
    if case.explains in ("text", "context", "articles"):
        table, remarks = _of_text(case)
    elif case.explains in ("binary", "gains"):
        table, remarks = _of_documents(case), []
    elif reads == "elements" and case.explains is not None:
        assert isinstance(case.judgements, Judgements)
        block = block_of(
            *(case.run, case.judgements, case.topic, case.asked, case.policy, case.collection)
        )
        table, remarks = of_elements(block, case.asked, _listing(case.run, block.results.row))
    elif reads == "navigation" and case.explains is not None:
        table, remarks = _of_navigation(case)
    elif reads == "readings":
        return _of_reading(case)
    else:
        remarks = [f"{case.name} is not explained row by row"]
        table = explanation.plain_table(_listing(case.run, _rows(case)))
    return explanation.cut_after(table, cutoff), remarks


@dataclass(frozen=True, slots=True)
class Ranking:
    """The table of one topic of one run, with its results."""

    table: Table
    remarks: list[str]
    rows: IntArray  # of the run of the case, in order


def ranking_of(case: Case) -> Ranking:
    """Return the explanation of a case in the form that pages need."""
    table, remarks = _table(case)
    return Ranking(table, remarks, _rows(case))


READ = "read: characters up to here; new: relevant ones read for the first time"
"""What the columns of a table of reading are."""


def reading_of(block: Readings, number: int, run: Run, rows: IntArray) -> Ranking:
    """Return what is read of each result of one topic of a block, without a limit.

    `rows` are the results of the topic in order, as rows of the run.
    """
    count, pieces = int(block.retrieved[number]), block.pieces
    first, last = np.searchsorted(pieces.topic, [number, number + 1])
    mine = slice(int(first), int(last))
    here, depth = slice(number, number + 1), slice(0, count)
    one = replace(
        block,
        topics=block.topics[here],
        highlighted=block.highlighted[here],
        retrieved=block.retrieved[here],
        size=block.size[here, depth],
        relevant=block.relevant[here, depth],
        _derived={
            "pieces": Pieces(
                *(pieces.topic[mine] - number, pieces.at[mine], pieces.length[mine]),
                *(pieces.relevant[mine], pieces.judged[mine], pieces.repeated[mine]),
            )
        },
    )
    table = explanation.reading_table(one, _listing(run, rows), int(one.size.sum()))
    return Ranking(table, [READ], rows)


# Marked text ------------------------------------------------------------------------------------

DOCUMENTS = 10
"""Number of documents that are shown with their text by default."""


def marked_text(case: Case, width: int | None, colour: bool, most: int | None = None) -> str:
    """Return the text of retrieved documents, with retrieved and relevant parts marked."""
    if case.collection is None:
        return ""
    if not isinstance(case.judgements, Judgements) or case.judgements.highlights is None:
        return "\nno highlighted text to show\n"
    rows = _rows(case)
    ranks: dict[bytes, list[int]] = {}
    for rank, name in enumerate(case.run.documents.take(rows)):
        ranks.setdefault(name, []).append(rank)
    known = [name for name in ranks if name in case.collection]
    if not known:
        return "\nno text to show: the collection has none of the retrieved documents\n"
    here = known[: most or DOCUMENTS]
    parts = [_marked(case, case.collection, name, rows, ranks[name]) for name in here]
    left = len(known) - len(here)
    more = f"\n{counted(left, 'more document')} of the run\n" if left else ""
    return "\n" + marked.shown(parts, (width or 80) - 2, colour, width) + more


def _marked(
    case: Case, collection: Collection, name: bytes, rows: IntArray, ranks: list[int]
) -> marked.Marked:
    length = collection.length(name)
    everything = Spans(np.zeros(1, np.int64), np.array([length]))
    retrieved = everything if case.run.spans is None else case.run.spans.at(rows[ranks])
    relevant, entry = _highlighted(case, name)
    places = ", ".join(str(rank + 1) for rank in ranks)
    share = f"{relevant.total()} of {length} characters relevant"
    best = f"; best entry point {entry}" if entry >= 0 else ""
    title = f"{text(name)} (rank{'s' if len(ranks) > 1 else ''} {places}; {share}{best})"
    return marked.Marked(
        title, length, retrieved, relevant, lambda start, size: collection.text(name, start, size)
    )


def _highlighted(case: Case, name: bytes) -> Relevant:
    assert isinstance(case.judgements, Judgements)
    return relevant_text(case.judgements, case.topic, name, case.collection)


# Relevant text ----------------------------------------------------------------------------------

Relevant = tuple[Spans, int]
"""The relevant spans of a document, and its best entry point, which may be UNKNOWN."""


def relevant_text(
    judgements: Judgements, topic: bytes, name: bytes, collection: Collection | None
) -> Relevant:
    """Return the relevant text of a document, and its best entry point.

    If judgements have no highlighted text, the relevant text is that of the smallest relevant
    elements, or else the whole text of a relevant document.
    """
    rows = judgements.rows
    number = rows.topics.index(topic)
    every = np.arange(rows.starts[number], rows.starts[number + 1])
    names = judgements.documents.take(every)
    if name not in names:
        return NOTHING, UNKNOWN
    return relevant_at(judgements, int(every[names.index(name)]), name, collection)


def relevant_at(
    judgements: Judgements, row: int, name: bytes, collection: Collection | None
) -> Relevant:
    """Return the relevant text of a judged document, given its row and its name."""
    highlights = judgements.highlights
    if highlights is not None:
        return highlights.of(row), int(highlights.entries[row])
    if judgements.elements is not None:
        return _elements(judgements, row), UNKNOWN
    return _whole(judgements, row, name, collection), UNKNOWN


def _elements(judgements: Judgements, row: int) -> Spans:
    assert judgements.elements is not None
    judged = judgements.elements.elements.at(np.array([row]))
    if judged.spans is None:
        return NOTHING
    placed = judged.relevant() & (judged.spans.starts != UNKNOWN)
    return inmost(judged.spans.at(np.flatnonzero(placed)))


def _whole(judgements: Judgements, row: int, name: bytes, collection: Collection | None) -> Spans:
    if collection is None or name not in collection or judgements.grades[row] <= 0:
        return NOTHING
    return Spans(np.zeros(1, np.int64), np.array([collection.length(name)]))


# Measures of documents --------------------------------------------------------------------------


def _of_documents(case: Case) -> Table:
    assert isinstance(case.judgements, Judgements)
    block = case.block
    if block is None:
        aligned = align(case.run, case.judgements, [case.topic], case.policy)
        (block,) = aligned.blocks(with_scores=True)
    listing = _listing(case.run, _rows(case)[: block.depth])
    if case.explains == "gains":
        gains, dcg = case.parameters("gains", "dcg")
        return explanation.gain_table(block, listing, *gain_curves(block, gains, dcg))
    (rel,) = case.parameters("rel")
    rel = 1 if rel is None else rel
    return explanation.grade_table(block, listing, rel, averaged=case.name == "AP")


# Measures of highlighted text -------------------------------------------------------------------


def _of_text(case: Case) -> tuple[Table, list[str]]:
    assert isinstance(case.judgements, Judgements)
    (block,) = readings(case.run, case.judgements, [case.topic], case.policy)
    rows = _rows(case)
    if case.explains != "text":
        documents = list(dict.fromkeys(_listing(case.run, rows).documents))
        return _of_each_document(case, block, documents), _if_nothing(block)
    (repeats,) = case.parameters("repeats")
    skip, listing = repeats == "skip", _listing(case.run, rows)
    if case.name not in ("iP", "MAiP"):
        return explanation.text_table(block, listing, skip), _if_nothing(block)
    (recall,) = case.parameters("recall")
    levels = LEVELS if recall is None else np.array([recall])
    precision, chosen = picked(block, repeats, levels)
    depth = precision.shape[-1]
    remarks = _if_nothing(block)
    marks = [] if remarks else explanation.level_marks(levels, chosen[0], depth)
    remarks = remarks or _of_levels(levels, chosen[0], depth)
    return explanation.text_table(block, listing, skip, best_from(precision), marks), remarks


def _if_nothing(block: Readings) -> list[str]:
    return [] if block.highlighted[0] else ["nothing is highlighted for this topic"]


def _of_each_document(case: Case, block: Readings, documents: Sequence[str]) -> Table:
    """Return a row for each document in order of appearance, with its score."""
    if case.explains == "articles":
        return explanation.document_table(block, documents)
    if case.name == "gR":  # gR counts documents, whatever they show
        return explanation.context_table(block, documents, explanation.shown_of_each(block), None)
    score, tolerance = case.parameters("score", "tolerance")
    if score == "bep":
        evidence = explanation.entries_of_each(block)
    elif score == "t2i":
        evidence = explanation.read_of_each(block, tolerance)
    else:
        evidence = explanation.shown_of_each(block)
    scores = case.asked.measure.made(block, **case.asked.parameters).scores()
    return explanation.context_table(block, documents, evidence, scores)


def _of_levels(levels: Any, chosen: IntArray, depth: int) -> list[str]:
    missed = levels[chosen == depth]
    remarks = (
        [] if len(missed) == len(levels) else ["<: recall levels that take their precision here"]
    )
    if len(missed):
        first, last = map(explanation.level_name, (missed[0], missed[-1]))
        which = f"levels {first} to {last} are" if len(missed) > 1 else f"level {first} is"
        remarks.append(f"recall {which} never reached, precision 0")
    return remarks


def _of_reading(case: Case) -> tuple[Table, list[str]]:
    """Return what is read of each result, up to the budget or the cut-off."""
    assert isinstance(case.judgements, Judgements)
    meter = meter_of(case.run, case.collection, case.policy.unit)
    (block,) = readings(case.run, case.judgements, [case.topic], case.policy, meter)
    budget, cutoff = case.parameters("budget", "cutoff")
    limit = int(block.limit(budget, cutoff)[0])
    table = explanation.reading_table(block, _listing(case.run, _rows(case)), limit)
    remarks = [READ]
    if limit < int(block.size.sum()):
        remarks.append(f"reading ends after {limit} characters")
    if case.explains is None:
        remarks.append(f"{case.name} is not explained row by row")
    return table, remarks


# Measures of elements ---------------------------------------------------------------------------

RowsAndRemarks = tuple["Table", list[str]]
"""A table of results, and the lines that explain it."""
CASES = {UNSEEN: "unseen", PARTLY: "partly", SEEN: "seen"}


def block_of(
    run: Run,
    judgements: Judgements,
    topic: bytes,
    asked: MeasureRequest,
    policy: Policy,
    collection: Collection | None,
) -> ElementRankings:
    """Return the results of a topic, matched with the judged elements."""
    setting = element_setting([asked], collection)
    (block,) = element_rankings(run, judgements, [topic], policy, setting)
    return block


def of_elements(block: ElementRankings, asked: MeasureRequest, listing: Listing) -> RowsAndRemarks:
    """Return the table of a measure of elements, with remarks."""
    shows = asked.measure.explains
    if shows == "cumulated":
        return _gains(block, asked, listing)
    if shows == "chances":
        return _chances(block, asked, listing)
    if shows == "specificity":
        return _next_generation(block, asked, listing)
    if shows == "overlap":
        inside = asked.parameter("variant") == "inside"
        flags = block.inside() if inside else block.seen_before("anything")
        return flag_table(listing, "inside another" if inside else "seen before", flags), []
    return _highlighted_characters(block, asked, listing)


def _gains(block: ElementRankings, asked: MeasureRequest, listing: Listing) -> RowsAndRemarks:
    curves: Curves = asked.measure.made(block, **asked.parameters)
    gains, base = block.gains(curves.rule), block.base(curves.rule.quant)
    depth = len(gains.gain)
    worth = block.gains(type(curves.rule)(curves.rule.quant, 0.0)).gain
    ranks = np.arange(1, depth + 1)
    best = np.array([block.at(curves.best, rank)[0] for rank in ranks.tolist()])
    cases = _cases(gains, worth) if curves.rule.alpha else []
    seen = gains.seen.tolist()
    gained = np.cumsum(gains.gain)
    earned = Earnings(worth, cases, seen, gains.bare, gains.gain, gained, best)
    last, quotient = _quotient(block, asked, curves, earned)
    remarks = [
        GAIN_WORDS if cases else "overlap is ignored: every result counts with its full value"
    ]
    total, count = float(curves.total[0]), int(curves.count[0])
    remarks.append(
        f"the recall base has {counted(count, 'element')} with a total value of {total:g};"
        f" quant={base.quant}"
    )
    if asked.measure.name == "ep":
        remarks += _effort(curves, asked)
    return earnings_table(earned, listing, last, quotient), remarks


def _cases(gains: Gains, worth: FloatArray) -> list[str]:
    """Return the case of the gain function for each result; empty for worthless ones."""
    has_case = (worth > 0) | (gains.case != UNSEEN)
    return [
        CASES[case] if shown_case else ""
        for case, shown_case in zip(gains.case.tolist(), has_case.tolist(), strict=True)
    ]


def _quotient(
    block: ElementRankings, asked: MeasureRequest, curves: Curves, earned: Earnings
) -> tuple[str, Any]:
    """Return the name and the values of the last column: the measure at each rank."""
    name = asked.measure.name
    if name == "gr":
        return "gr", block.ratio(earned.gained, curves.total[0])
    if name in ("MAep", "ep"):
        ideal, beyond = reached(curves.best, earned.gained[None, :], curves.interpolate)
        ideal = np.where(beyond, curves.count[0], ideal)[0]
        ranks = np.arange(1, len(earned.gain) + 1)
        return "ep", np.where(earned.gain > 0, ideal / ranks, np.nan)
    return "nxCG", block.ratio(earned.gained, earned.best)


def _effort(curves: Curves, asked: MeasureRequest) -> list[str]:
    wanted = np.array([[asked.parameter("recall") * curves.total[0]]])
    ideal, _ = reached(curves.best, wanted, curves.interpolate)
    run, missed = reached(curves.run(), wanted, curves.interpolate)
    where = "never" if missed[0, 0] else f"at rank {run[0, 0]:.4f}"
    return [
        f"a gain of {wanted[0, 0]:g} is reached by the ideal run at rank {ideal[0, 0]:.4f},"
        f" by this run {where}"
    ]


def _chances(block: ElementRankings, asked: MeasureRequest, listing: Listing) -> RowsAndRemarks:
    base = block.base(asked.parameter("quant"))
    element = block.results.element
    value = base.value / base.highest
    chance = np.where(element != NO_ELEMENT, value[element], 0.0) if len(value) else element * 0.0
    total = float(block.of_topics(base.judged.of_topics(value))[0])
    remarks = [f"total value of the relevant elements: {total:g}; quant={base.quant}"]
    return chance_table(listing, chance, block.results.level.tolist()), remarks


def _next_generation(
    block: ElementRankings, asked: MeasureRequest, listing: Listing
) -> RowsAndRemarks:
    exhaustivity, specificity, new = parts(block, asked.parameter("overlap"))
    size = block.results.size
    columns = [("size", size), ("new", new)]
    if asked.measure.name == "NGP":
        read = block.sizes() * new
        so_far = block.ratio(np.cumsum(specificity * read), np.cumsum(read), undefined=0)
        columns += [("specificity", specificity), ("precision", so_far)]
    else:
        so_far = block.ratio(np.cumsum(exhaustivity * new), exhaustivity_in_all(block)[0])
        columns += [("exhaustivity", exhaustivity), ("recall", so_far)]
    return columns_table(listing, columns), ["new: the share that no earlier result has shown"]


def _highlighted_characters(
    block: ElementRankings, asked: MeasureRequest, listing: Listing
) -> RowsAndRemarks:
    results, alpha = block.results, asked.parameter("alpha")
    seen = block.seen_before("highlighted")
    found = np.cumsum(results.highlighted - alpha * seen)
    columns = [
        ("size", results.size),
        ("highlighted", results.highlighted),
        ("seen", seen),
        ("found", found),
    ]
    recall = block.ratio(found, highlighted_in_all(block, asked.parameter("base"))[0])
    columns.append(("recall", recall))
    if (results.size >= 0).all():
        precision = block.ratio(found, np.cumsum(results.size), undefined=0)
        columns.insert(-1, ("precision", precision))
        if asked.measure.name == "HiF":
            both = precision + recall
            columns.append(("F", block.ratio(2 * precision * recall, both, undefined=0)))
    return columns_table(listing, columns), ["seen: highlighted characters in earlier results"]


# Measures of browsing ---------------------------------------------------------------------------


def _of_navigation(case: Case) -> tuple[Table, list[str]]:
    from spanwise.measures.discoveries import discoveries
    from spanwise.measures.navigation import behaviour_of
    from spanwise.report.explanation import entry_table, navigation_table

    assert isinstance(case.judgements, Judgements)
    task = MatchTask(case.run, [case.topic], [case.asked], case.policy, [], case.collection)
    (block,) = navigation_blocks(case.judgements, task)
    (navigation,) = block.of(behaviour_of(case.asked, block))
    listing = _listing(case.run, _rows(case))
    count, total = counted(len(navigation.worth), "target"), navigation.worth.sum()
    targets = f"{count} with a total value of {total:g}"
    if case.name == "BEPD":
        score = "score: nearness of its start to the best entry point of its document"
        once = "only the first result of each document counts"
        return entry_table(navigation, listing), [score, once, targets]
    [found] = discoveries([navigation])
    new = found.missed_before - found.missed
    remarks = [
        "chance: probability of going to the likeliest target",
        "new: expected number of targets that are first seen here",
        targets,
    ]
    return navigation_table(navigation, found.rank, found.target, new, listing), remarks


# Results of a topic -----------------------------------------------------------------------------


def _rows(case: Case) -> IntArray:
    """Return the rows of the results of the topic, in the order that the measure uses."""
    if case.rows is not None:
        return case.rows
    reads = case.asked.measure.reads
    kind = kinds_of(case.judgements)[0] if reads == "anything" else reads
    if kind in TEXTUAL and isinstance(case.judgements, Judgements):
        return ordered_results(case.run, case.judgements, [case.topic], case.policy).row
    if case.topic not in case.run.rows.topics:
        return np.zeros(0, np.int64)
    number = case.run.rows.topics.index(case.topic)
    mine = np.arange(case.run.rows.starts[number], case.run.rows.starts[number + 1])
    order = np.argsort(places_of(by_score(case.run, case.policy), case.run, case.policy, mine))
    rows = mine[order][: case.policy.depth]
    if case.policy.unjudged == "drop" and isinstance(case.judgements, Judgements):
        return rows[_judged(case, rows)]
    return rows


def _judged(case: Case, rows: IntArray) -> list[int]:
    """Return the places of the judged results among `rows`."""
    assert isinstance(case.judgements, Judgements)
    theirs, number = case.judgements.rows, case.judgements.rows.topics.index(case.topic)
    every = np.arange(theirs.starts[number], theirs.starts[number + 1])
    graded = every[case.judgements.grades[every] >= 0]
    known = set(case.judgements.documents.take(graded))
    return [place for place, name in enumerate(case.run.documents.take(rows)) if name in known]


def _listing(run: Run, rows: IntArray) -> explanation.Listing:
    documents = [text(name) for name in run.documents.take(rows)]
    return explanation.Listing(documents, _places(run, rows))


def _places(run: Run, rows: IntArray) -> Sequence[str]:
    """Return paths, or starts and ends; empty if results are whole documents."""
    if run.paths is not None:
        paths = [text(path) for path in run.paths.take(rows)]
        lasts = [""] * len(paths) if run.ends is None else map(text, run.ends.take(rows))
        names = [f"{path} {last}".strip() for path, last in zip(paths, lasts, strict=True)]
    elif run.spans is None:
        return ()
    else:
        names = [""] * len(rows)
    if run.spans is None:
        return names
    spans = run.spans.at(rows)
    pairs = zip(names, spans.starts.tolist(), spans.ends.tolist(), strict=True)
    return [name or ("?" if start == UNKNOWN else f"{start}-{end}") for name, start, end in pairs]
