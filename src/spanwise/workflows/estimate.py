"""What `spanwise pool estimate` does: a sampled pool, its judgements and runs become estimates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any
from warnings import warn

import numpy as np

from spanwise.collection import opened
from spanwise.errors import InputError, SpanwiseWarning, UsageError
from spanwise.evaluation.prepare import Prepared
from spanwise.evaluation.request import Request, names_of
from spanwise.evaluation.score import match, refuse_strangers, values_of
from spanwise.formats import read_judgements, read_pool
from spanwise.judge.pooling import contributions, ranked
from spanwise.matching import refuse_duplicate_judgements
from spanwise.matching.placing import placed, placed_judgements
from spanwise.model.columns import PlainIds, Rows, text
from spanwise.model.findings import Findings
from spanwise.model.judgements import Highlights, Judgements, by_assessor, combined, only
from spanwise.model.pools import Pool
from spanwise.model.scores import printable
from spanwise.model.spans import NOTHING, Spans, merged, overlap
from spanwise.report.scores import null
from spanwise.report.studies import estimate_tables
from spanwise.stats.sampling import Estimate, Found, Sample, Strata, filled, mean_of
from spanwise.stats.sampling import estimate as estimate_total

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray, IntArray
    from spanwise.model.documents import Collection
    from spanwise.model.measure import MeasureRequest
    from spanwise.model.pools import Pooled
    from spanwise.model.run import Run


# Judgements as they may be: documents that nobody judged take the place of relevant ones. ---------
#
# A relevant document that was not drawn is like one that was: as relevant, as much of it found, and
# about as far down in the run. There it is the next document that was not pooled, so that measures
# see a ranking like any other. What the run does not return is a document that it does not return.

NOWHERE = b"\0not returned "
"""How the id of a document begins that no run returns."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """What a relevant document was like: its grade, its rank (0: none), and its text."""

    grade: float
    rank: int
    relevant: int  # characters
    found: int  # by the run, among them


@dataclass(slots=True)
class Place:
    """A document of the run that was not pooled."""

    document: bytes
    rank: int
    shown: Spans
    length: int  # -1: not known


@dataclass(frozen=True, slots=True)
class _Entry:
    document: bytes
    grade: float
    passages: Spans
    length: int


class Guesses:
    """One run before judgements that are not complete."""

    def __init__(self, run: Run, known: Judgements, pooled: Sequence[frozenset[str]]) -> None:
        """`pooled` are the documents of each topic of `known` of which something is known."""
        self._known, self._run = known, run
        ranks = {topic.encode("utf-8", "surrogateescape"): found for topic, found in ranked(run)}
        self._ranks = [ranks.get(topic, {}) for topic in known.rows.topics]
        self._rows = [_rows_of(run, topic) for topic in known.rows.topics]
        self._free = [
            sorted(
                (self._place(topic, name, rank) for name, rank in found.items() if name not in own),
                key=lambda place: place.rank,
            )
            for topic, (found, own) in enumerate(zip(self._ranks, pooled, strict=True))
        ]

    def _place(self, topic: int, name: str, rank: int) -> Place:
        document = name.encode("utf-8", "surrogateescape")
        rows = self._rows[topic].get(document, [])
        lengths = self._run.lengths
        length = -1 if lengths is None or not rows else int(lengths[rows[0]])
        return Place(document, rank, self._shown(rows), length)

    def _shown(self, rows: list[int]) -> Spans:
        if self._run.spans is None or not rows:
            return NOTHING
        spans = self._run.spans.at(np.array(rows))
        return merged(spans.at(np.flatnonzero(spans.starts >= 0)))

    def likeness(self, topic: int, row: int) -> Likeness:
        """What a judged document is like; `row` is that of its judgement."""
        (document,) = self._known.documents.take(np.array([row]))
        rank = self._ranks[topic].get(document.decode("utf-8", "surrogateescape"), 0)
        grade, marked = float(self._known.grades[row]), self._known.highlights
        if marked is None:
            return Likeness(grade, rank, 0, 0)
        shown = self._shown(self._rows[topic].get(document, []))
        found = int(overlap(shown, marked.of(row)).sum())
        return Likeness(grade, rank, int(marked.relevant[row]), found)

    def judgements(self, more: Mapping[int, Iterable[Likeness]]) -> Judgements:
        """What is known, and for each topic some more relevant documents."""
        entries = [
            (topic, entry) for topic, some in more.items() for entry in self._new(topic, some)
        ]
        if not entries:
            return self._known
        topics = list(dict.fromkeys(topic for topic, _ in entries))
        counts = np.bincount([topic for topic, _ in entries])[topics]
        rows = Rows(
            self._known.rows.source,
            tuple(self._known.rows.topics[topic] for topic in topics),
            np.concatenate([[0], np.cumsum(counts)]),
            has_lines=False,
        )
        some = [entry for _, entry in entries]
        added = Judgements(
            rows,
            PlainIds([one.document for one in some]),
            np.array([one.grade for one in some]),
            highlights=None if self._known.highlights is None else self._marked(some),
        )
        both = combined([self._known, added], self._known.rows.source)
        assert isinstance(both, Judgements)  # both parts are
        return both

    def _marked(self, some: Sequence[_Entry]) -> Highlights:
        assert self._known.highlights is not None  # asked for only then
        starts = np.concatenate([one.passages.starts for one in some])
        lengths = np.concatenate([one.passages.lengths for one in some])
        return Highlights(
            np.array([one.passages.total() for one in some]),
            np.array([one.length for one in some]),
            np.array([int(one.passages.starts[0]) for one in some]),
            np.concatenate([[0], np.cumsum([len(one.passages) for one in some])]),
            Spans(starts, lengths),
            self._known.highlights.unit,
        )

    def _new(self, topic: int, some: Iterable[Likeness]) -> list[_Entry]:
        """Documents like some, each at the nearest free place to its rank, if it has one."""
        places = list(self._free[topic])
        ranks = np.array([place.rank for place in places], np.float64)
        entries = []
        for number, like in enumerate(some):
            place = Place(NOWHERE + str(number).encode(), 0, NOTHING, -1)
            if like.rank and np.isfinite(ranks).any():
                at = int(np.abs(ranks - like.rank).argmin())
                place, ranks[at] = places[at], np.inf
            entries.append(_entry(place, like))
        return entries


def _rows_of(run: Run, topic: bytes) -> dict[bytes, list[int]]:
    if topic not in run.rows.topics:
        return {}
    code = run.rows.topics.index(topic)
    rows = np.arange(run.rows.starts[code], run.rows.starts[code + 1])
    found: dict[bytes, list[int]] = {}
    for row, name in zip(rows.tolist(), run.documents.take(rows), strict=True):
        found.setdefault(name, []).append(row)
    return found


def _entry(place: Place, like: Likeness) -> _Entry:
    """As much of the text shown is relevant as in the likeness, and as much of the rest."""
    if not like.relevant:
        return _Entry(place.document, like.grade, NOTHING, place.length)
    inside = _first(place.shown, like.found)
    last = int(place.shown.ends[-1]) if len(place.shown) else 0
    end = place.length if place.length >= 0 else last + like.relevant
    starts = np.concatenate([[0], place.shown.ends])
    ends = np.concatenate([place.shown.starts, [max(end, last)]])
    outside = _first(Spans(starts, ends - starts), like.relevant - like.found)
    parts = Spans(
        np.concatenate([inside.starts, outside.starts]),
        np.concatenate([inside.lengths, outside.lengths]),
    )
    passages = merged(parts)
    return _Entry(place.document, like.grade, passages, place.length)


def _first(spans: Spans, count: int) -> Spans:
    """The first characters of spans, so many."""
    before = np.cumsum(spans.lengths) - spans.lengths
    return Spans(spans.starts, np.clip(count - before, 0, spans.lengths))


# What `spanwise pool estimate` does: a sampled pool, its judgements and runs become estimates. ----

DRAWS = 100
DRAWS_OF_TOTALS = 400
OF_JUDGING = frozenset({"Bpref", "infAP", "Judged", "Unjudged"})
OF_TEXT = {"recall": "char_rec", "precision": "char_prec(repeats=skip)"}
OF_DOCUMENTS = {"recall": "SetR", "precision": "SetP"}


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """The pooled documents of a topic: how each was drawn and what is relevant in it."""

    names: frozenset[str]
    sample: Sample
    rows: IntArray  # of their judgements; -1 where nobody has judged
    relevant: FloatArray  # characters; documents where nothing was highlighted by offset

    @property
    def unjudged(self) -> int:
        """How many of them nobody has judged: they count as without relevant text."""
        return int((self.rows < 0).sum())

    def strata(self, most: int) -> IntArray:
        """For each stratum its documents, those drawn and the relevant among them."""
        drawn = np.bincount(self.sample.stratum, minlength=most)
        size = np.bincount(self.sample.stratum, 1 / self.sample.p, minlength=most)
        found = np.bincount(self.sample.stratum, self.relevant > 0, minlength=most)
        return np.stack([np.rint(size), drawn, found]).astype(np.int64)


def estimate(
    pool: Any,
    judgements: Any,
    runs: Sequence[Any] = (),
    *,
    measures: Iterable[object] | str | None = None,
    collection: Any = None,
    per_topic: bool = False,
) -> Findings:
    """Estimate, from a sampled pool that was judged, what is relevant and how runs would score.

    `pool`, `judgements` and `runs` are files or objects. The findings have totals for each topic,
    recall, precision and the measures asked for, each with its interval.
    """
    found = estimated(
        pool, judgements, runs, collection, measures=names_of(measures), per_topic=per_topic
    )
    return Findings("estimate", found, lambda: estimate_tables(found))


def estimated(
    pool: Any,
    judgements: Any,
    runs: Sequence[Any],
    collection: Any = None,
    *,
    measures: Sequence[str] = (),
    per_topic: bool,
) -> dict[str, Any]:
    """Relevant text and documents of each topic; recall, precision and other measures of runs."""
    drawn = pool if isinstance(pool, Pool) else read_pool(pool)
    if not drawn.about.get("estimable", True):
        raise UsageError(
            f"{pool}: by {drawn.about.get('method')}, and no sample of all documents; nothing can"
            " be estimated from pools that learn, nor where documents were added or left out"
        )
    if measures and not runs:
        raise UsageError("-m scores runs, and there are none; give RUN...")
    texts = opened(collection)
    said = _read(judgements, texts)
    topics = {topic: _judged(documents, topic, said) for topic, documents in drawn.topics.items()}
    topics = {topic: one for topic, one in topics.items() if one.unjudged < len(one.names)}
    if not topics:
        raise InputError(f"{judgements}: nothing of the pool {pool} is judged")
    _say_unjudged(topics.values())
    every = list(topics.values())
    totals = {
        printable(topic): _rounded(found)
        for topic, found in zip(topics, _totals(every), strict=True)
    }
    some = {topic: one for topic, one in topics.items() if one.relevant.any()}
    answer: dict[str, Any] = {"topics": len(some), "relevant": totals, "runs": []}
    answer["all"] = _rounded(_sum(every))
    if runs and not some:
        raise InputError(f"{judgements}: nothing of the pool {pool} is relevant")
    known = frozenset(topic.encode("utf-8", "surrogateescape") for topic in topics)
    for run in contributions(runs).runs if runs else ():
        refuse_strangers(known, frozenset(run.rows.topics), pool, run.rows.source)
        both, found = placed(said, run, texts, [])
        assert isinstance(both, Judgements)  # as they were read
        both = replace(both, elements=None, evidence=None)  # what was not drawn has neither
        answer["runs"].append(_run(both, found, some, measures, texts, per_topic))
    return answer


def _read(judgements: Any, texts: Collection | None) -> Judgements:
    said = read_judgements(judgements)
    if not isinstance(said, Judgements):
        raise UsageError(f"{judgements}: preferences; expected judgements")
    said, *others = by_assessor(said)
    if others:
        raise UsageError(f"{judgements}: several judges; expected one, or all merged into one")
    refuse_duplicate_judgements(said)
    notes: list[str] = []
    found = placed_judgements(said, texts, notes)
    for note in notes:
        warn(note, SpanwiseWarning, stacklevel=4)
    return found


def _say_unjudged(topics: Iterable[Judged]) -> None:
    every = list(topics)
    drawn, unjudged = sum(len(one.names) for one in every), sum(one.unjudged for one in every)
    if unjudged:
        warn(
            f"{unjudged} of {drawn} pooled documents are not judged and count as without"
            " relevant text; the estimates are too low until they are",
            SpanwiseWarning,
            stacklevel=3,
        )


def _totals(topics: Sequence[Judged]) -> list[Estimate]:
    """What is relevant in each topic. Two intervals are made, and the hull of both is given.

    One has what the topic's own sample scatters, which is nothing where it has found nothing; the
    other has what the same strata of other topics make likely.
    """
    alone = [
        estimate_total(one.sample.total(one.relevant), one.sample.variance(one.relevant))
        for one in topics
    ]
    strata, found, drawn = _strata(topics)
    values = np.concatenate([one.relevant for one in topics])
    seen = [float(one.relevant.sum()) for one in topics]
    sums = np.tile(seen, (DRAWS_OF_TOTALS, 1))
    for row, draw in zip(sums, filled(strata, found, DRAWS_OF_TOTALS, seed=1), strict=True):
        for topic, like in draw:
            row[topic] += values[drawn[like]].sum()
    lows, highs = np.quantile(sums, [0.025, 0.975], axis=0).tolist()
    return [
        Estimate(own.value, min(low, max(own.low, least)), max(high, own.high))
        for own, low, high, least in zip(alone, lows, highs, seen, strict=True)
    ]


def _sum(topics: Sequence[Judged]) -> Estimate:
    """What is relevant in all topics together: their errors add up to a normal one."""
    return estimate_total(
        sum(one.sample.total(one.relevant) for one in topics),
        sum(one.sample.variance(one.relevant) for one in topics),
    )


def _strata(topics: Sequence[Judged]) -> tuple[Strata, Found, IntArray]:
    """Strata by topic, and the relevant documents drawn where not all were, by their place."""
    owner = np.concatenate([np.full(len(one.rows), number) for number, one in enumerate(topics)])
    stratum = np.concatenate([one.sample.stratum for one in topics])
    relevant = np.concatenate([one.relevant > 0 for one in topics])
    drawn = np.flatnonzero(relevant & (np.concatenate([one.sample.p for one in topics]) < 1))
    most = int(stratum.max()) + 1
    strata = Strata(*np.stack([one.strata(most) for one in topics], axis=1))
    return strata, Found(owner[drawn], stratum[drawn]), drawn


def _rounded(found: Any) -> dict[str, float | None]:
    return {name: null(value) for name, value in asdict(found).items()}


def _judged(documents: Sequence[Pooled], topic: str, said: Judgements) -> Judged:
    rows = {}
    key = topic.encode("utf-8", "surrogateescape")
    if key in said.rows.topics:
        code = said.rows.topics.index(key)
        mine = np.arange(said.rows.starts[code], said.rows.starts[code + 1])
        names = said.documents.take(mine)
        rows = {
            text(name): row
            for name, row in zip(names, mine.tolist(), strict=True)
            if said.grades[row] >= 0
        }
    where = np.array([rows.get(one.document, -1) for one in documents])
    found = (said.grades > 0).astype(float)
    if said.highlights is not None:
        found = said.highlights.relevant.astype(float)
    return Judged(
        frozenset(one.document for one in documents),
        Sample(np.array([one.p for one in documents]), np.array([d.stratum for d in documents])),
        where,
        np.where(where >= 0, found[where], 0.0),
    )


def _run(
    said: Judgements,
    run: Run,
    topics: dict[str, Judged],
    measures: Sequence[str],
    texts: Collection | None,
    per_topic: bool,
) -> dict[str, Any]:
    lies = said.highlights is not None and (run.spans is not None or run.paths is not None)
    always = OF_TEXT if lies else OF_DOCUMENTS
    answer: dict[str, Any] = {"run": printable(run.name)}
    columns = _columns(said, run, topics, [*always.values(), *measures], texts)
    hidden = set(always.values()) - set(measures)
    for name, label in {**always, **{one: one for one in columns if one not in hidden}}.items():
        values = columns[label]
        answer[name] = _rounded(mean_of(values))
        if per_topic:
            means = [mean_of(column[:, None]).value for column in values.T]
            answer[f"{name} by topic"] = {
                printable(topic): null(mean) for topic, mean in zip(topics, means, strict=True)
            }
    return answer


def _columns(
    said: Judgements,
    run: Run,
    topics: dict[str, Judged],
    names: Sequence[str],
    texts: Collection | None,
) -> dict[str, FloatArray]:
    """For each measure its values by draw and topic."""
    prepared = Prepared(Request(said, [run], names, collection=texts))
    settled = prepared.settle(prepared.profile_of(run))
    wanted, policy = settled
    for one in wanted:
        _refuse_unfit(one)
    match(prepared, run, settled)
    keys = [topic.encode("utf-8", "surrogateescape") for topic in topics]
    draws = [
        values_of(judged, run, keys, wanted, policy, collection=texts)
        for judged in _completed(said, run, list(topics.values()), keys)
    ]
    return {one.label: np.array([draw[one.label] for draw in draws], np.float64) for one in wanted}


def _refuse_unfit(one: MeasureRequest) -> None:
    """What was not drawn is known as documents and text, and only as if it had been judged."""
    if one.measure.reads not in ("rankings", "readings") or one.measure.aggregate != "mean":
        raise UsageError(
            f"measure {one.label!r} cannot be estimated; expected a measure of documents or of"
            " highlighted text that has a mean over topics"
        )
    if one.measure.name in OF_JUDGING:
        raise UsageError(
            f"measure {one.label!r} depends on what was judged; estimate the one that it stands"
            " for, such as AP"
        )


def _completed(
    said: Judgements, run: Run, topics: Sequence[Judged], keys: Sequence[bytes]
) -> Iterable[Judgements]:
    """What is known of the pool, and, draw by draw, what else may be relevant."""
    kept = np.sort(np.concatenate([one.rows[one.rows >= 0] for one in topics]))
    known = only(said, kept)
    if all((one.sample.p == 1).all() for one in topics):
        return [known]
    order = [keys.index(topic) for topic in known.rows.topics]
    mine = [topics[number] for number in order]
    guesses = Guesses(run, known, [one.names for one in mine])
    strata, found, drawn = _strata(mine)
    places = np.searchsorted(kept, np.concatenate([one.rows for one in mine])[drawn])
    like = [
        guesses.likeness(topic, place)
        for topic, place in zip(found.topic.tolist(), places.tolist(), strict=True)
    ]
    return (
        guesses.judgements({topic: [like[n] for n in some.tolist()] for topic, some in draw})
        for draw in filled(strata, found, DRAWS, seed=1)
    )
