"""Estimates from sampled pools: how much is relevant, and what runs would score.

Relevant documents in the pool stand for those that were not drawn. Totals follow from the
probabilities of the sample. Measures of runs are averaged over completed judgements, in which
documents outside the pool replace the relevant ones that were not drawn. Each is modelled on a
relevant document that was drawn: it has the same grade, as much relevant text, and about the same
rank in the run. A document modelled on one that the run does not return is not returned either.
"""

from __future__ import annotations

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
from spanwise.model.judgements import Highlights, Judgements, by_assessor, combined, only
from spanwise.model.pools import Pool
from spanwise.model.scores import Findings, printable
from spanwise.model.spans import NOTHING, Spans, merged, overlap
from spanwise.report.scores import null
from spanwise.report.studies import estimate_tables
from spanwise.stats.sampling import Estimate, Found, Sample, Strata, filled, mean_of
from spanwise.stats.sampling import estimate as estimate_total

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from spanwise.model.arrays import FloatArray, IntArray
    from spanwise.model.documents import Collection
    from spanwise.model.measure import MeasureRequest
    from spanwise.model.pools import Pooled
    from spanwise.model.run import Run

# Estimates --------------------------------------------------------------------------------------

DRAWS = 100
DRAWS_OF_TOTALS = 400
OF_TEXT = {"recall": "char_rec", "precision": "char_prec(repeats=skip)"}
OF_DOCUMENTS = {"recall": "SetR", "precision": "SetP"}


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """The pooled documents of a topic, with their sample and their relevant text."""

    names: frozenset[str]
    sample: Sample
    rows: IntArray  # of their judgements; -1: unjudged
    relevant: FloatArray  # characters, or documents if there is no highlighted text

    @property
    def unjudged(self) -> int:
        """Return the number of unjudged documents, which count as not relevant."""
        return int((self.rows < 0).sum())

    def strata(self, most: int) -> IntArray:
        """Count the documents of each stratum: all, those drawn, and the relevant ones."""
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
    """Estimate what is relevant, and what runs would score, from a judged sampled pool.

    `pool`, `judgements` and `runs` are files or objects. The findings contain totals for each topic
    and, for each run, recall, precision and the measures, each with its interval.
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
    """Estimate the totals of each topic and the measures of each run, as plain data."""
    drawn = pool if isinstance(pool, Pool) else read_pool(pool)
    if not drawn.about.get("estimable", True):
        raise UsageError(
            f"{pool}: found a pool by {drawn.about.get('method')}, which is not a random sample;"
            " expected a sampled pool to which no documents were added and from which none were"
            " left out"
        )
    if measures and not runs:
        raise UsageError("-m scores runs, but none are given; expected RUN...")
    texts = opened(collection)
    judged = _read(judgements, texts)
    topics = {topic: _judged(documents, topic, judged) for topic, documents in drawn.topics.items()}
    topics = {topic: one for topic, one in topics.items() if one.unjudged < len(one.names)}
    if not topics:
        raise InputError(f"{judgements}: found no judgement of a document in the pool {pool}")
    _warn_of_unjudged(topics.values())
    every = list(topics.values())
    totals = {
        printable(topic): _rounded(found)
        for topic, found in zip(topics, _totals(every), strict=True)
    }
    some = {topic: one for topic, one in topics.items() if one.relevant.any()}
    answer: dict[str, Any] = {"topics": len(some), "relevant": totals, "runs": []}
    answer["all"] = _rounded(_sum(every))
    if runs and not some:
        raise InputError(f"{judgements}: found no relevant document in the pool {pool}")
    known = frozenset(topic.encode("utf-8", "surrogateescape") for topic in topics)
    for run in contributions(runs).runs if runs else ():
        refuse_strangers(known, frozenset(run.rows.topics), pool, run.rows.source)
        both, found = placed(judged, run, texts, [])
        assert isinstance(both, Judgements)  # as preferences were refused
        both = replace(
            both, elements=None, evidence=None
        )  # unknown for documents that were not drawn
        answer["runs"].append(_run(both, found, some, measures, texts, per_topic))
    return answer


def _read(judgements: Any, texts: Collection | None) -> Judgements:
    read = read_judgements(judgements)
    if not isinstance(read, Judgements):
        raise UsageError(f"{judgements}: found preferences; expected judgements")
    judged, *others = by_assessor(read)
    if others:
        raise UsageError(
            f"{judgements}: found several assessors; expected one, or merged judgements"
        )
    refuse_duplicate_judgements(judged)
    notes: list[str] = []
    found = placed_judgements(judged, texts, notes)
    for note in notes:
        warn(note, SpanwiseWarning, stacklevel=4)
    return found


def _warn_of_unjudged(topics: Iterable[Judged]) -> None:
    every = list(topics)
    drawn, unjudged = sum(len(one.names) for one in every), sum(one.unjudged for one in every)
    if unjudged:
        warn(
            f"{unjudged} of {drawn} pooled documents are unjudged and count as without relevant"
            " text; the estimates are too low until they are judged",
            SpanwiseWarning,
            stacklevel=3,
        )


def _totals(topics: Sequence[Judged]) -> list[Estimate]:
    """Estimate the relevant text of each topic, with the hull of two intervals.

    The first is the sampling error of the topic itself, which is 0 if nothing relevant was drawn.
    The second follows from what was found in the same strata of other topics.
    """
    alone = [
        estimate_total(one.sample.total(one.relevant), one.sample.variance(one.relevant))
        for one in topics
    ]
    strata, found, drawn = _strata(topics)
    values = np.concatenate([one.relevant for one in topics])
    seen = [float(one.relevant.sum()) for one in topics]
    sums = np.tile(seen, (DRAWS_OF_TOTALS, 1))
    for row, draw in zip(sums, filled(strata, found, DRAWS_OF_TOTALS, seed=0), strict=True):
        for topic, like in draw:
            row[topic] += values[drawn[like]].sum()
    lows, highs = np.quantile(sums, [0.025, 0.975], axis=0).tolist()
    return [
        Estimate(own.value, min(low, max(own.low, least)), max(high, own.high))
        for own, low, high, least in zip(alone, lows, highs, seen, strict=True)
    ]


def _sum(topics: Sequence[Judged]) -> Estimate:
    """Estimate the relevant text of all topics, with a normal approximation of the error."""
    return estimate_total(
        sum(one.sample.total(one.relevant) for one in topics),
        sum(one.sample.variance(one.relevant) for one in topics),
    )


def _strata(topics: Sequence[Judged]) -> tuple[Strata, Found, IntArray]:
    """Return the strata by topic, and the relevant documents of incompletely drawn strata."""
    owner = np.concatenate([np.full(len(one.rows), number) for number, one in enumerate(topics)])
    stratum = np.concatenate([one.sample.stratum for one in topics])
    relevant = np.concatenate([one.relevant > 0 for one in topics])
    drawn = np.flatnonzero(relevant & (np.concatenate([one.sample.p for one in topics]) < 1))
    most = int(stratum.max()) + 1
    strata = Strata(*np.stack([one.strata(most) for one in topics], axis=1))
    return strata, Found(owner[drawn], stratum[drawn]), drawn


def _rounded(found: Any) -> dict[str, float | None]:
    return {name: null(value) for name, value in asdict(found).items()}


def _judged(documents: Sequence[Pooled], topic: str, judgements: Judgements) -> Judged:
    rows = {}
    key = topic.encode("utf-8", "surrogateescape")
    if key in judgements.rows.topics:
        code = judgements.rows.topics.index(key)
        mine = np.arange(judgements.rows.starts[code], judgements.rows.starts[code + 1])
        names = judgements.documents.take(mine)
        rows = {
            text(name): row
            for name, row in zip(names, mine.tolist(), strict=True)
            if judgements.grades[row] >= 0
        }
    where = np.array([rows.get(one.document, -1) for one in documents])
    found = (judgements.grades > 0).astype(float)
    if judgements.highlights is not None:
        found = judgements.highlights.relevant.astype(float)
    return Judged(
        frozenset(one.document for one in documents),
        Sample(np.array([one.p for one in documents]), np.array([d.stratum for d in documents])),
        where,
        np.where(where >= 0, found[where], 0.0),
    )


def _run(
    judgements: Judgements,
    run: Run,
    topics: dict[str, Judged],
    measures: Sequence[str],
    texts: Collection | None,
    per_topic: bool,
) -> dict[str, Any]:
    is_text = judgements.highlights is not None and (run.spans is not None or run.paths is not None)
    always = OF_TEXT if is_text else OF_DOCUMENTS
    answer: dict[str, Any] = {"run": printable(run.name)}
    columns = _columns(judgements, run, topics, [*always.values(), *measures], texts)
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
    judgements: Judgements,
    run: Run,
    topics: dict[str, Judged],
    names: Sequence[str],
    texts: Collection | None,
) -> dict[str, FloatArray]:
    """Return the values of each measure, by draw and topic."""
    prepared = Prepared(Request(judgements, [run], names, collection=texts))
    settled = prepared.settle(prepared.profile_of(run))
    wanted, policy = settled
    for one in wanted:
        _refuse_unsuitable(one)
    match(prepared, run, settled)
    keys = [topic.encode("utf-8", "surrogateescape") for topic in topics]
    draws = [
        values_of(judged, run, keys, wanted, policy, collection=texts)
        for judged in _completed(judgements, run, list(topics.values()), keys)
    ]
    return {one.label: np.array([draw[one.label] for draw in draws], np.float64) for one in wanted}


def _refuse_unsuitable(one: MeasureRequest) -> None:
    """Raise an error for a measure that needs more than documents and highlighted text."""
    if one.measure.reads not in ("rankings", "readings") or one.measure.aggregate != "mean":
        raise UsageError(
            f"measure {one.label!r} cannot be estimated; expected a measure of documents or of"
            " highlighted text that has a mean over topics"
        )
    if not one.measure.sampled:
        raise UsageError(
            f"measure {one.label!r} depends on which documents were judged; estimate the measure"
            " that it approximates, such as AP"
        )


def _completed(
    judgements: Judgements, run: Run, topics: Sequence[Judged], keys: Sequence[bytes]
) -> Iterable[Judgements]:
    """Yield the judgements of the pool, completed anew for each draw."""
    kept = np.sort(np.concatenate([one.rows[one.rows >= 0] for one in topics]))
    known = only(judgements, kept)
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
        for draw in filled(strata, found, DRAWS, seed=0)
    )


# Completed judgements ---------------------------------------------------------------------------

NOWHERE = b"\0not returned "
"""Prefix of the ids of documents that no run returns."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """The properties of a relevant document that was drawn, as a model for another one."""

    grade: float
    rank: int  # 0: the run does not return it
    relevant: int  # characters
    found: int  # relevant characters that the run returns


@dataclass(slots=True)
class Place:
    """A document of the run that was not pooled."""

    document: bytes
    rank: int
    shown: Spans
    length: int  # -1: unknown


@dataclass(frozen=True, slots=True)
class _Entry:
    """A document that completed judgements add, with its relevant text."""

    document: bytes
    grade: float
    passages: Spans
    length: int


class Guesses:
    """The completed judgements of a pool, as one run sees them."""

    def __init__(self, run: Run, known: Judgements, pooled: Sequence[frozenset[str]]) -> None:
        """Take a run, the judgements, and the pooled documents of each of their topics."""
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
        """Return the properties of the judged document in a row of the judgements."""
        (document,) = self._known.documents.take(np.array([row]))
        rank = self._ranks[topic].get(document.decode("utf-8", "surrogateescape"), 0)
        grade, marked = float(self._known.grades[row]), self._known.highlights
        if marked is None:
            return Likeness(grade, rank, 0, 0)
        shown = self._shown(self._rows[topic].get(document, []))
        found = int(overlap(shown, marked.of(row)).sum())
        return Likeness(grade, rank, int(marked.relevant[row]), found)

    def judgements(self, more: Mapping[int, Iterable[Likeness]]) -> Judgements:
        """Return the judgements, completed by some more relevant documents of topics."""
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
        assert isinstance(both, Judgements)  # as both parts are judgements
        return both

    def _marked(self, some: Sequence[_Entry]) -> Highlights:
        assert self._known.highlights is not None  # the caller has checked it
        starts = np.concatenate([one.passages.starts for one in some])
        lengths = np.concatenate([one.passages.lengths for one in some])
        return Highlights(
            np.array([one.passages.total() for one in some]),
            np.array([one.length for one in some]),
            np.array([int(one.passages.starts[0]) if len(one.passages) else -1 for one in some]),
            np.concatenate([[0], np.cumsum([len(one.passages) for one in some])]),
            Spans(starts, lengths),
            self._known.highlights.unit,
        )

    def _new(self, topic: int, some: Iterable[Likeness]) -> list[_Entry]:
        """Place documents like `some` at the free ranks nearest to those of their models."""
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
    """Return a document with as much relevant text, shown and not shown, as its model."""
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
    """Return the first `count` characters of spans."""
    before = np.cumsum(spans.lengths) - spans.lengths
    return Spans(spans.starts, np.clip(count - before, 0, spans.lengths))
