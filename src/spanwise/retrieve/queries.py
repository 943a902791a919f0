"""Evaluation of queries: weighted words, structure, propagation, tasks of INEX, runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal
from warnings import warn

import numpy as np

from spanwise.errors import InputError, SpanwiseWarning, UsageError
from spanwise.model.columns import PlainIds, Rows
from spanwise.model.run import Run
from spanwise.model.topics import About, And, Comparison, Or, Phrase, Structured

if TYPE_CHECKING:
    from spanwise.model.arrays import BoolArray, FloatArray, IntArray
    from spanwise.model.topics import Condition, Path, Query, Term
    from spanwise.retrieve.registry import Searcher
    from spanwise.retrieve.units import Units

Fits = Callable[[str, "Path"], bool]
"""A test whether the element at a path, as in a run, matches a path of a query."""

NOTHING = -np.inf
"""Score of a unit that does not match."""
BOOST_TARGET = 1.0
"""Relative bonus of elements of the target kind when a query is read vaguely."""


@dataclass(frozen=True, slots=True)
class Hits:
    """Units with their scores, in no order."""

    units: IntArray
    scores: FloatArray

    def best(self, top: int) -> Hits:
        """Return the best units in falling order of score, ties in the order of units."""
        order = np.lexsort((self.units, -self.scores))[:top]
        return Hits(self.units[order], self.scores[order])


def search_weighted(searcher: Searcher, words: Mapping[str, float], top: int) -> Hits:
    """Search for weighted words.

    A model that supports weights is given them. Other engines are asked once for each weight and
    the scores are added: the scores of BM25 and similar models are sums over words, so that the
    result is that of a weighted query.
    """
    if hasattr(searcher, "weighted"):
        return Hits(*searcher.weighted(words, top))
    groups = by_weight(words)
    if len(groups) == 1:
        weight, some = next(iter(groups.items()))
        units, scores = searcher.search(some, top)
        return Hits(units, scores * weight).best(top)
    parts = [(weight, searcher.search(some, ALL_RESULTS)) for weight, some in groups.items()]
    return summed([Hits(units, scores * weight) for weight, (units, scores) in parts]).best(top)


def by_weight(words: Mapping[str, float]) -> dict[float, list[str]]:
    """Group the words by their weight."""
    groups: dict[float, list[str]] = {}
    for word, weight in words.items():
        groups.setdefault(weight, []).append(word)
    return groups


ALL_RESULTS = 10_000_000
"""Number of results that is asked for when all are needed; no collection has more."""


def summed(parts: Sequence[Hits]) -> Hits:
    """Add up the scores of each unit."""
    if not parts:
        return Hits(np.zeros(0, np.int64), np.zeros(0))
    every = np.concatenate([part.units for part in parts])
    units, place = np.unique(every, return_inverse=True)
    scores: FloatArray = np.concatenate([part.scores for part in parts]).astype(np.float64)
    return Hits(units, np.bincount(place, weights=scores, minlength=len(units)).astype(np.float64))


def positive(scores: FloatArray) -> FloatArray:
    """Return scores that can be multiplied and normalised.

    Negative scores are taken for logarithms, as in query likelihood, and converted to values of
    which the greatest is 1.
    """
    return np.exp(scores - scores.max()) if (scores < 0).any() else scores


# Structural queries -------------------------------------------------------------------------------


def query_words(terms: Sequence[Term]) -> list[str]:
    """Return the words of an about clause that are not marked with a minus."""
    found: list[str] = []
    for term in terms:
        if term.sign != "-":
            found += term.words if isinstance(term, Phrase) else [term.text]
    return found


def content_words(query: Query) -> list[str]:
    """Return all words that a query asks for in any clause."""
    if not isinstance(query, Structured):
        return query_words(query.terms)
    conditions = [step.condition for step in query.steps if step.condition is not None]
    return [word for one in conditions for about in _abouts(one) for word in about]


def _abouts(condition: Condition) -> list[list[str]]:
    if isinstance(condition, About):
        return [query_words(condition.terms)]
    if isinstance(condition, Comparison):
        return []
    return [words for part in condition.conditions for words in _abouts(part)]


@dataclass(frozen=True, slots=True)
class StructuralSearch:
    """The evaluation of a structural query on the units of a collection."""

    units: Units
    search: Callable[[list[str]], Hits]  # returns all units that contain any of the words
    fits: Fits
    value: Callable[[int], float | None]  # the numeric value of a unit's text

    def vaguely(self, query: Structured) -> Hits:
        """Return all units that match the words, with a bonus for the target kind."""
        hits = self.search(content_words(query))
        is_target = self._of_kind(hits.units, query.target)
        return Hits(hits.units, positive(hits.scores) * (1.0 + BOOST_TARGET * is_target))

    def strictly(self, query: Structured) -> Hits:
        """Return units of the target kind below elements that meet the query's conditions.

        A condition is met by matching text anywhere in the elements that it names. The scores of
        all clauses, each the best in its element, are added.
        """
        from spanwise.model.topics import Path

        below: Hits | None = None  # elements that meet the steps so far
        nodes = query.steps[0].path.nodes[:0]
        for step in query.steps:
            nodes += step.path.nodes
            place = Path(nodes)
            every = np.arange(len(self.units))
            here = every[self._of_kind(every, place)]
            scores: FloatArray = np.zeros(len(here))
            if below is not None:
                scores = self._above(here, below)
                here, scores = here[scores > NOTHING], scores[scores > NOTHING]
            if step.condition is not None:
                met, more = self._met(here, step.condition, place)
                here, scores = here[met], scores[met] + more[met]
            below = Hits(here, scores)
        assert below is not None
        return below

    def _met(
        self, units: IntArray, condition: Condition, place: Path
    ) -> tuple[BoolArray, FloatArray]:
        """Return which units meet a condition, and their scores."""
        if isinstance(condition, About):
            hits = self.search(query_words(condition.terms))
            hits = Hits(hits.units, positive(hits.scores))
            scores = self._inside(units, self._at(hits, place, condition.path))
            met = scores > NOTHING
            return met, np.where(met, scores, 0.0)
        if isinstance(condition, Comparison):
            return self._compared(units, condition, place), np.zeros(len(units))
        assert isinstance(condition, And | Or)
        parts = [self._met(units, part, place) for part in condition.conditions]
        all_or_any = np.all if isinstance(condition, And) else np.any
        return all_or_any([one for one, _ in parts], axis=0), np.sum([s for _, s in parts], axis=0)

    def _at(self, hits: Hits, place: Path, path: Path) -> Hits:
        from spanwise.model.topics import Path

        kept = self._of_kind(hits.units, Path(place.nodes + path.nodes))
        return Hits(hits.units[kept], hits.scores[kept])

    def _compared(self, units: IntArray, condition: Comparison, place: Path) -> BoolArray:
        from operator import (
            eq,
            ge,
            gt,
            le,
            lt,
        )

        test = {"<": lt, "<=": le, "=": eq, ">=": ge, ">": gt}[condition.operator]
        every = np.arange(len(self.units))
        named = self._at(Hits(every, np.ones(len(every))), place, condition.path).units
        values = [self.value(unit) for unit in named.tolist()]
        due = float(condition.value)
        good = [value is not None and test(value, due) for value in values]
        return self._inside(units, Hits(named[good], np.ones(sum(good)))) > NOTHING

    def _of_kind(self, units: IntArray, path: Path) -> BoolArray:
        known: dict[str, bool] = {}
        found = []
        for unit in units.tolist():
            tags = _tags(self.units.paths[unit])
            if tags not in known:
                known[tags] = self.fits(tags, path)
            found.append(known[tags])
        return np.array(found, np.bool_)

    def _inside(self, units: IntArray, hits: Hits) -> FloatArray:
        """Return for each unit the best score among the hits that it contains."""
        best: dict[tuple[int, str], float] = {}
        for unit, score in zip(hits.units.tolist(), hits.scores.tolist(), strict=True):
            for place in self._around(unit):
                if score > best.get(place, NOTHING):
                    best[place] = score
        return np.array([best.get(self._place(unit), NOTHING) for unit in units.tolist()])

    def _above(self, units: IntArray, hits: Hits) -> FloatArray:
        """Return for each unit the best score among the hits that contain it."""
        places = map(self._place, hits.units.tolist())
        known = dict(zip(places, hits.scores.tolist(), strict=True))
        found = [
            max(known.get(place, NOTHING) for place in self._around(unit))
            for unit in units.tolist()
        ]
        return np.array(found, np.float64)

    def _place(self, unit: int) -> tuple[int, str]:
        return int(self.units.document[unit]), self.units.paths[unit]

    def _around(self, unit: int) -> Iterator[tuple[int, str]]:
        """Yield the places of a unit and of all its ancestors."""
        document, path = self._place(unit)
        while path:
            yield document, path
            path = path.rpartition("/")[0]


def _tags(path: str) -> str:
    """Return a path without its position numbers."""
    return "/".join(step.partition("[")[0] for step in path.split("/"))


# Propagation of scores ----------------------------------------------------------------------------


def propagated(units: Units, hits: Hits, decay: float) -> Hits:
    """Propagate the scores of elements to their ancestors, times `decay` for each step.

    An element has its own score and, from every element below it, that element's score times
    `decay` for each step between them. Elements that are no units count as steps but have no score.
    """
    rows = {
        (int(units.document[unit]), units.paths[unit]): unit
        for unit in np.flatnonzero(np.isin(units.document, units.document[hits.units])).tolist()
    }
    scores: dict[int, float] = {}
    for unit, score in zip(hits.units.tolist(), positive(hits.scores).tolist(), strict=True):
        document, path = int(units.document[unit]), units.paths[unit]
        share = score
        while path:
            target = rows.get((document, path))
            if target is not None:
                scores[target] = scores.get(target, 0.0) + share
            path = path.rpartition("/")[0]
            share *= decay
    return Hits(np.array(list(scores), np.int64), np.array(list(scores.values())))


# Tasks --------------------------------------------------------------------------------------------


Task = Literal["thorough", "focused", "ric", "bic"]
TASKS: tuple[Task, ...] = ("thorough", "focused", "ric", "bic")


def filtered_for_task(units: Units, hits: Hits, task: Task, top: int) -> Hits:
    """Filter a ranking for a task; `top` counts results, in context tasks documents.

    thorough: the ranking is unchanged. focused: from the top down, a result that overlaps a better
    one is dropped, so that the best result on every path remains. ric: focused, then grouped by
    document in the order of their best results. bic: the best result of each document.
    """
    if task not in TASKS:
        raise UsageError(f"task {task!r}; expected one of {', '.join(TASKS)}")
    ranked = hits.best(len(hits.units))
    if task == "thorough":
        return ranked.best(top)
    if task == "bic":
        return _first_of_each(units, ranked, top)
    kept = _without_overlap(units, ranked)
    return (
        Hits(kept.units[:top], kept.scores[:top])
        if task == "focused"
        else _grouped(units, kept, top)
    )


def _without_overlap(units: Units, ranked: Hits) -> Hits:
    taken: dict[int, list[tuple[int, int]]] = {}
    kept = []
    starts, ends = units.spans.starts, units.spans.ends
    for row, unit in enumerate(ranked.units.tolist()):
        start, end = int(starts[unit]), int(ends[unit])
        mine = taken.setdefault(int(units.document[unit]), [])
        if all(end <= begin or start >= stop for begin, stop in mine):
            mine.append((start, end))
            kept.append(row)
    return Hits(ranked.units[kept], ranked.scores[kept])


def _first_of_each(units: Units, ranked: Hits, top: int) -> Hits:
    _, first = np.unique(units.document[ranked.units], return_index=True)
    rows = np.sort(first)[:top]
    return Hits(ranked.units[rows], ranked.scores[rows])


def _grouped(units: Units, ranked: Hits, top: int) -> Hits:
    documents = units.document[ranked.units]
    _, first, which = np.unique(documents, return_index=True, return_inverse=True)
    place = first[which]  # row of the document's best result
    order = np.argsort(place, kind="stable")
    kept = order[np.isin(place[order], np.sort(first)[:top])]
    return Hits(ranked.units[kept], ranked.scores[kept])


# Runs ---------------------------------------------------------------------------------------------

DIGITS = 9
"""Digits to which scores are rounded, so that runs are the same on every machine."""


def rounded(scores: FloatArray) -> FloatArray:
    """Round scores to nine decimals, and to nine significant digits below 1.

    >>> rounded(np.array([12.3456789012345, 0.000001234567890123, -0.0])).tolist()
    [12.345678901, 1.23456789e-06, 0.0]
    """
    size = np.abs(scores)
    first = np.floor(np.log10(size, out=np.zeros_like(size), where=size > 0)).astype(np.int64)
    places = np.clip(DIGITS - 1 - first, DIGITS, 300)
    return (
        np.array([round(s, p) for s, p in zip(scores.tolist(), places.tolist(), strict=True)]) + 0.0
    )


def _say_unanswered(topics: Sequence[str], source: str) -> None:
    if topics:
        some = ", ".join(map(repr, topics[:5])) + (", ..." if len(topics) > 5 else "")
        message = f"{source}: no results for {len(topics)} of the topics: {some}"
        warn(message, SpanwiseWarning, stacklevel=2)


def run_of(answers: Mapping[str, Hits], units: Units, name: str, source: str) -> Run:
    """Collect the rankings of topics in a run.

    Topics without a result are left out with a warning.
    """
    found = {topic: hits for topic, hits in answers.items() if len(hits.units)}
    if not found:
        raise InputError(f"{source}: found no results for any topic")
    _say_unanswered([topic for topic in answers if topic not in found], source)
    rows = np.concatenate([hits.units for hits in found.values()])
    scores = rounded(np.concatenate([hits.scores for hits in found.values()]))
    starts = np.cumsum([0, *(len(hits.units) for hits in found.values())])
    names = [units.ids[document].encode() for document in units.document[rows].tolist()]
    topics = tuple(topic.encode("utf-8", "surrogateescape") for topic in found)
    kind = units.grain.kind
    paths = [units.paths[row].encode() for row in rows.tolist()] if kind == "element" else None
    return Run(
        name,
        Rows(source, topics, starts, has_lines=False),
        PlainIds(names),
        scores,
        spans=units.spans.at(rows) if kind == "chunk" else None,
        paths=PlainIds(paths) if paths is not None else None,
        unit="byte" if units.collection.policy.unit == "bytes" else "codepoint",
    )
