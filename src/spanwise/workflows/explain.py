"""What `spanwise explain` does: one topic of one run, as its measure sees it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from spanwise.errors import UsageError
from spanwise.evaluation.kinds import TEXTUAL, MatchTask, element_setting, journey_blocks, kinds_of
from spanwise.evaluation.merge import assumptions
from spanwise.evaluation.prepare import Prepared
from spanwise.evaluation.prepare import asked as measures_of
from spanwise.evaluation.request import request_of
from spanwise.evaluation.score import match, values_of
from spanwise.formats import expanded
from spanwise.matching import align, refuse_duplicate_judgements
from spanwise.matching.documents import ordered_results
from spanwise.matching.elements import element_rankings
from spanwise.matching.order import by_score, places_of
from spanwise.matching.text import readings
from spanwise.matching.texts import meter_of
from spanwise.measures.cumulated import Curves, reached
from spanwise.measures.gains import gain_curves
from spanwise.measures.highlight import LEVELS, best_from, highlighted_in_all, picked
from spanwise.measures.next_generation import exhaustivity_in_all, parts
from spanwise.model.columns import text
from spanwise.model.element_rankings import PARTLY, SEEN, UNSEEN, Gains
from spanwise.model.elements import NOBODY
from spanwise.model.judgements import Judgements, Preferences, assessors_of, by_assessor
from spanwise.model.notes import in_lines
from spanwise.model.run import of_topics
from spanwise.model.spans import NOTHING, UNKNOWN, Spans, inmost
from spanwise.report import explanation, marked
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
    from collections.abc import Callable, Sequence
    from typing import Unpack

    from spanwise.evaluation.request import Request
    from spanwise.model.arrays import FloatArray, IntArray
    from spanwise.model.documents import Collection
    from spanwise.model.element_rankings import ElementRankings
    from spanwise.model.measure import Asked
    from spanwise.model.notes import Note
    from spanwise.model.policy import Policy, PolicyFields
    from spanwise.model.rankings import Rankings
    from spanwise.model.readings import Readings
    from spanwise.model.run import Run
    from spanwise.report.explanation import Listing
    from spanwise.report.tables import Table


# Explaining measures of elements: which case each result was, and what the bound took away. -------

Told = tuple["Table", list[str]]
CASES = {UNSEEN: "unseen", PARTLY: "partly", SEEN: "seen"}


def block_of(
    run: Run,
    judgements: Judgements,
    topic: bytes,
    asked: Asked,
    policy: Policy,
    collection: Collection | None,
) -> ElementRankings:
    """The topic's results, put together with what was judged."""
    setting = element_setting([asked], collection)
    (block,) = element_rankings(run, judgements, [topic], policy, setting)
    return block


def of_elements(block: ElementRankings, asked: Asked, listing: Listing) -> Told:
    """The rows, and what is to be said about them."""
    family, name = asked.measure.family, asked.measure.name
    if family == "cumulated":
        return _gains(block, asked, listing)
    if family == "precall":
        return _chances(block, asked, listing)
    if name in ("NGP", "NGR"):
        return _next_generation(block, asked, listing)
    if name == "Overlap":
        inside = asked.parameter("variant") == "inside"
        flags = block.inside() if inside else block.seen_before("anything")
        return flag_table(listing, "inside another" if inside else "seen before", flags), []
    return _highlighted_characters(block, asked, listing)


def _gains(block: ElementRankings, asked: Asked, listing: Listing) -> Told:
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
    words = [GAIN_WORDS if cases else "overlap is ignored: every result earns its value"]
    total, count = float(curves.total[0]), int(curves.count[0])
    words.append(
        f"the recall base has {counted(count, 'element')}, worth {total:g} in all;"
        f" quant={base.quant}"
    )
    if asked.measure.name == "ep":
        words += _effort(curves, asked)
    return earnings_table(earned, listing, last, quotient), words


def _cases(gains: Gains, worth: FloatArray) -> list[str]:
    """The cases of the gain function; none for what is worth nothing, seen or not."""
    looked = (worth > 0) | (gains.case != UNSEEN)
    return [
        CASES[case] if known else ""
        for case, known in zip(gains.case.tolist(), looked.tolist(), strict=True)
    ]


def _quotient(
    block: ElementRankings, asked: Asked, curves: Curves, earned: Earnings
) -> tuple[str, Any]:
    """What a row comes to: the measure's own number at that rank."""
    name = asked.measure.name
    if name == "gr":
        return "gr", block.ratio(earned.gained, curves.total[0])
    if name in ("MAep", "ep"):
        ideal, beyond = reached(curves.best, earned.gained[None, :], curves.interpolate)
        ideal = np.where(beyond, curves.count[0], ideal)[0]
        ranks = np.arange(1, len(earned.gain) + 1)
        return "ep", np.where(earned.gain > 0, ideal / ranks, np.nan)
    return "nxCG", block.ratio(earned.gained, earned.best)


def _effort(curves: Curves, asked: Asked) -> list[str]:
    wanted = np.array([[asked.parameter("recall") * curves.total[0]]])
    ideal, _ = reached(curves.best, wanted, curves.interpolate)
    run, missed = reached(curves.run(), wanted, curves.interpolate)
    where = "never" if missed[0, 0] else f"at rank {run[0, 0]:.4f}"
    return [
        f"a gain of {wanted[0, 0]:g}: the ideal run at rank {ideal[0, 0]:.4f}, this run {where}"
    ]


def _chances(block: ElementRankings, asked: Asked, listing: Listing) -> Told:
    base = block.base(asked.parameter("quant"))
    element = block.results.element
    value = base.value / base.highest
    chance = np.where(element != NOBODY, value[element], 0.0) if len(value) else element * 0.0
    total = float(block.of_topics(base.judged.of_topics(value))[0])
    words = [f"all that is relevant adds up to {total:g}; quant={base.quant}"]
    return chance_table(listing, chance, block.results.level.tolist()), words


def _next_generation(block: ElementRankings, asked: Asked, listing: Listing) -> Told:
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
    return columns_table(listing, columns), ["new: the share that earlier results have not shown"]


def _highlighted_characters(block: ElementRankings, asked: Asked, listing: Listing) -> Told:
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
    return columns_table(listing, columns), ["seen: highlighted characters shown before"]


# Which text of a document is relevant, to be shown. -----------------------------------------------

Relevant = tuple[Spans, int]
"""Spans, and the best entry point; UNKNOWN where there is none."""


def relevant_text(
    judgements: Judgements, topic: bytes, name: bytes, collection: Collection | None
) -> Relevant:
    """The relevant text of a document, and its best entry point.

    Where no text was highlighted, these are the smallest elements that were judged relevant, or
    all of a relevant document.
    """
    rows, highlights = judgements.rows, judgements.highlights
    number = rows.topics.index(topic)
    every = np.arange(rows.starts[number], rows.starts[number + 1])
    names = judgements.documents.take(every)
    if name not in names:
        return NOTHING, UNKNOWN
    row = int(every[names.index(name)])
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


# What `spanwise explain` does: one topic of one run, as its measure sees it. ----------------------

TEXT = {"iP", "MAiP", "char_prec", "char_rec", "char_f1"}
CONTEXT = {"gP", "gR", "MAgP"}
ARTICLES = {"art_prec", "art_rec", "art_f1"}
BINARY = {"AP", "P", "R", "RR"}
GAINS = {"nDCG", "DCG"}


@dataclass(frozen=True, slots=True)
class Case:
    """One topic of one run, and the measure that is to be explained."""

    judgements: Judgements | Preferences
    run: Run
    topic: bytes
    asked: Asked
    policy: Policy
    collection: Collection | None = None
    notes: tuple[Note, ...] = ()  # what was said when things were placed
    block: Rankings | None = None  # the topic's ranking, where it has been made already
    rows: IntArray | None = None  # of its results in order, likewise
    assessor: str | None = None  # whose judgements these are, where there are several

    @property
    def name(self) -> str:
        """The measure's own name, whatever it was called."""
        return self.asked.measure.name

    def parameters(self, *names: str) -> list[Any]:
        """The values of some of the measure's parameters."""
        return [self.asked.parameter(name) for name in names]


@dataclass(frozen=True, slots=True, eq=False)
class Explanation:
    """Why a topic has its score: the ranking row by row, as the measure sees it."""

    cases: Sequence[Case]

    def text(self, width: int | None = None, most: int | None = None) -> str:
        """Return the ranking, the value, and the choices that it depends on."""
        return explained(self.cases, width, most)

    def marked(self, width: int | None = None, most: int | None = None) -> str:
        """Return the documents with what was retrieved and what is relevant in them marked."""
        return marked_text(self.cases[0], width, colour=False, most=most)

    @property
    def value(self) -> Any:
        """Return the value of the topic; its mean over assessors, if there are several."""
        values = [_explained(case, None, None)[0] for case in self.cases]
        if len(values) == 1:
            return values[0]
        defined = [value for value in values if value == value]
        return sum(defined) / len(defined) if defined else float("nan")

    def rows(self) -> list[dict[str, str]]:
        """Return the ranking, a dict of columns for each result; that of the first assessor."""
        table, _ = _table(self.cases[0])
        return [dict(zip(table.header, row, strict=True)) for row in table.rows]

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        case = self.cases[0]
        return f"<Explanation of {case.asked.label}: {case.run.name}, topic {text(case.topic)}>"

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self.text())}</pre>"


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
    """Prepare a request and return what is to be explained: a case for each assessor."""
    measures_of(request.measures)  # a mistake in a name is reported before anything is read
    files = [
        file
        for one in request.runs
        for file in (expanded([one]) if one.__class__ is str else [one])
    ]
    if len(files) != 1:
        raise UsageError(f"{len(files)} runs were given; expected one, to explain its score")
    prepared = Prepared(replace(request, runs=(), names=()))
    run = prepared.read(files[0])
    settled = prepared.settle(prepared.profile_of(run))
    if len(settled.measures) != 1:
        names = ", ".join(request.measures) or "those that fit"
        raise UsageError(f"{names!r} is {len(settled.measures)} measures; name one of them")
    (measure,), policy = settled
    if request.names and request.names[0] is not None:
        run = replace(run, name=request.names[0])
    key = topic.encode("utf-8", "surrogateescape")
    judged, answered = prepared.judgements.rows.topics, run.rows.topics
    if key not in judged and not (policy.average_over == "run" and key in answered):
        raise UsageError(f"topic {topic!r} is not in {prepared.judgements.rows.source}")
    if isinstance(prepared.judgements, Judgements):
        refuse_duplicate_judgements(prepared.judgements, [key])
    matched = match(prepared, run, settled)
    run = matched.run
    if key in run.rows.topics:
        run = of_topics(run, [key])  # notes on results are about these
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
    """Return the ranking row by row, then the value with its signature."""
    parts = [_explained(case, width, most) for case in cases]
    if len(parts) == 1:
        return parts[0][1]
    defined = [value for value, _ in parts if isinstance(value, float) and value == value]
    mean = shown(sum(defined) / len(defined)) if defined else shown(float("nan"))
    label = cases[0].asked.label
    last = f"\n{label} = {mean}, the mean over {counted(len(defined), 'assessor')}\n"
    return "\n".join(drawn for _, drawn in parts) + last


def _explained(case: Case, width: int | None, most: int | None) -> tuple[Any, str]:
    """Return the value of a case, and its ranking with what is to be said about it."""
    said = list(case.notes)
    values = values_of(
        *(case.judgements, case.run, [case.topic], [case.asked], case.policy, said),
        case.collection,
    )
    notes = in_lines(said)
    value = values[case.asked.label][0]
    table, words = _table(case)
    if case.policy.ties == "expected":
        notes.append("the value is the mean over all orders of equal scores; one order is shown")
    if case.topic not in case.run.rows.topics:
        notes.append("the run has no results for this topic")
    result = value if isinstance(value, str) else shown(float(value))
    who = "" if case.assessor is None else f", assessor {case.assessor}"
    lines = [
        f"{case.run.name}, topic {text(case.topic)}{who}: {case.asked.label} = {result}",
        *words,
        case.policy.signature(*assumptions([case.asked])),
        *notes,
    ]
    return value if isinstance(value, str) else float(value), explanation.drawn(
        table, lines, width, most
    )


def _table(case: Case) -> tuple[Table, list[str]]:
    """The rows, and what is to be said about them."""
    (cutoff,) = case.parameters("cutoff")
    if case.name in TEXT | CONTEXT | ARTICLES:
        table, words = _of_text(case)
    elif case.name in BINARY | GAINS:
        table, words = _of_documents(case), []
    elif case.asked.measure.reads == "elements":
        assert isinstance(case.judgements, Judgements)
        block = block_of(
            *(case.run, case.judgements, case.topic, case.asked, case.policy, case.collection)
        )
        table, words = of_elements(block, case.asked, _listing(case.run, block.results.row))
    elif case.asked.measure.reads == "journeys":
        table, words = _of_journey(case)
    elif case.asked.measure.reads == "readings":
        return _of_reading(case)
    else:
        words = [f"how {case.name} comes about is not shown row by row"]
        table = explanation.plain_table(_listing(case.run, _rows(case)))
    return explanation.cut_after(table, cutoff), words


@dataclass(frozen=True, slots=True)
class Ranking:
    """What a page says of one topic of one run."""

    table: Table
    words: list[str]
    rows: IntArray  # of the run, in order
    relevant: Callable[[bytes], Relevant]  # relevant text of a document, entry point


def ranking_of(case: Case) -> Ranking:
    """The same facts as `spanwise explain` prints, for a page."""
    table, words = _table(case)
    return Ranking(table, words, _rows(case), lambda name: _highlighted(case, name))


# Text ---------------------------------------------------------------------------------------


def _of_text(case: Case) -> tuple[Table, list[str]]:
    assert isinstance(case.judgements, Judgements)
    (block,) = readings(case.run, case.judgements, [case.topic], case.policy)
    rows = _rows(case)
    if case.name in CONTEXT | ARTICLES:
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
    words = _if_nothing(block)
    marks = [] if words else explanation.level_marks(levels, chosen[0], depth)
    words = words or _of_levels(levels, chosen[0], depth)
    return explanation.text_table(block, listing, skip, best_from(precision), marks), words


def _if_nothing(block: Readings) -> list[str]:
    return [] if block.highlighted[0] else ["nothing is highlighted for this topic"]


def _of_each_document(case: Case, block: Readings, documents: Sequence[str]) -> Table:
    """Documents in order of first appearance, with what the measure makes of each."""
    if case.name in ARTICLES:
        return explanation.document_table(block, documents)
    if case.name == "gR":  # which counts documents, whatever was shown of them
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
    words = (
        [] if len(missed) == len(levels) else ["<: recall levels that take their precision here"]
    )
    if len(missed):
        first, last = map(explanation.level_name, (missed[0], missed[-1]))
        which = f"levels {first} to {last} are" if len(missed) > 1 else f"level {first} is"
        words.append(f"recall {which} never reached: 0")
    return words


def _of_reading(case: Case) -> tuple[Table, list[str]]:
    """What is read, result by result, until the budget or the cut-off ends it."""
    assert isinstance(case.judgements, Judgements)
    meter = meter_of(case.run, case.collection, case.policy.unit)
    (block,) = readings(case.run, case.judgements, [case.topic], case.policy, meter)
    budget, cutoff = case.parameters("budget", "cutoff")
    limit = int(block.limit(budget, cutoff)[0])
    table = explanation.reading_table(block, _listing(case.run, _rows(case)), limit)
    words = ["read: characters up to here; new: relevant ones read for the first time"]
    if limit < int(block.size.sum()):
        words.append(f"reading ends after {limit} characters")
    if case.asked.measure.family != "chunks":
        words.append(f"how {case.name} comes about is not shown row by row")
    return table, words


# The text itself ----------------------------------------------------------------------------

DOCUMENTS = 10
"""So many documents are shown with their text unless more are asked for."""


def marked_text(case: Case, width: int | None, colour: bool, most: int | None = None) -> str:
    """The text of the retrieved documents, with what was retrieved and what is relevant marked."""
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
        return "\nno text to show: the collection has no document that was returned\n"
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


# Documents ----------------------------------------------------------------------------------


def _of_documents(case: Case) -> Table:
    assert isinstance(case.judgements, Judgements)
    block = case.block
    if block is None:
        aligned = align(case.run, case.judgements, [case.topic], case.policy)
        (block,) = aligned.blocks(with_scores=True)
    listing = _listing(case.run, _rows(case)[: block.depth])
    if case.name in GAINS:
        gains, dcg = case.parameters("gains", "dcg")
        return explanation.gain_table(block, listing, *gain_curves(block, gains, dcg))
    (rel,) = case.parameters("rel")
    return explanation.grade_table(block, listing, rel, averaged=case.name == "AP")


# Journeys -----------------------------------------------------------------------------------


def _of_journey(case: Case) -> tuple[Table, list[str]]:
    from spanwise.measures.discoveries import discoveries
    from spanwise.measures.navigation import behaviour_of
    from spanwise.report.explanation import entry_table, journey_table

    assert isinstance(case.judgements, Judgements)
    task = MatchTask(case.run, [case.topic], [case.asked], case.policy, [], case.collection)
    (block,) = journey_blocks(case.judgements, task)
    (journey,) = block.of(behaviour_of(case.asked, block))
    listing = _listing(case.run, _rows(case))
    targets = f"{counted(len(journey.worth), 'target')}, worth {journey.worth.sum():g} in all"
    if case.name == "BEPD":
        words = "score: how near it begins to the best entry point of its document"
        once = "only the first result of each document counts"
        return entry_table(journey, listing), [words, once, targets]
    [found] = discoveries([journey])
    new = found.missed_before - found.missed
    words = "chance: of going to the likeliest target; new: targets expected to be seen first here"
    return journey_table(journey, found.rank, found.target, new, listing), [words, targets]


# Results ------------------------------------------------------------------------------------


def _rows(case: Case) -> IntArray:
    """The rows of the topic's results, in the order in which the measure sees them."""
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
    """Places of the results that were judged."""
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
    """Paths, or starts and ends; empty where results are whole documents."""
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
