"""From a request to scored units: weighted words, structural queries, propagation of scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from spanwise.model.nexi import About, And, Comparison, Or, Phrase, Structured

if TYPE_CHECKING:
    from spanwise.model.arrays import BoolArray, FloatArray, IntArray
    from spanwise.model.nexi import Condition, Path, Query, Term
    from spanwise.retrieve.registry import Searcher
    from spanwise.retrieve.units import Units

Fits = Callable[[str, "Path"], bool]
"""Whether the element at a path, as in a run, is one that a path of a query leads to."""

BOOST_TARGET = 1.0
"""Vaguely, an element of the kind asked for counts so much more."""


@dataclass(frozen=True, slots=True)
class Hits:
    """Scored units, in no order."""

    units: IntArray
    scores: FloatArray

    def best(self, top: int) -> Hits:
        """The best ones in falling order of score; of equal ones the first unit comes first."""
        order = np.lexsort((self.units, -self.scores))[:top]
        return Hits(self.units[order], self.scores[order])


def asked(searcher: Searcher, words: Mapping[str, float], top: int) -> Hits:
    """Units for weighted words: words of one weight are asked together, scores are added up.

    With one weight for all this is one question. BM25 and its like add up over words, so that
    asking in parts gives what a weighted query would give.
    """
    groups: dict[float, list[str]] = {}
    for word, weight in words.items():
        groups.setdefault(weight, []).append(word)
    if len(groups) == 1:
        weight, some = next(iter(groups.items()))
        units, scores = searcher.search(some, top)
        return Hits(units, scores * weight).best(top)
    parts = [(weight, searcher.search(some, DEEP)) for weight, some in groups.items()]
    return summed([Hits(units, scores * weight) for weight, (units, scores) in parts]).best(top)


DEEP = 100_000
"""How many units are looked at where scores of several questions are added up."""


def summed(parts: Sequence[Hits]) -> Hits:
    """Scores added up by unit."""
    if not parts:
        return Hits(np.zeros(0, np.int64), np.zeros(0))
    every = np.concatenate([part.units for part in parts])
    units, place = np.unique(every, return_inverse=True)
    scores: FloatArray = np.concatenate([part.scores for part in parts]).astype(np.float64)
    return Hits(units, np.bincount(place, weights=scores, minlength=len(units)).astype(np.float64))


# Structure --------------------------------------------------------------------------------------


def wanted_words(terms: Sequence[Term]) -> list[str]:
    """The words of an about clause; those with a minus are not asked for."""
    found: list[str] = []
    for term in terms:
        if term.sign != "-":
            found += term.words if isinstance(term, Phrase) else [term.text]
    return found


def content_words(query: Query) -> list[str]:
    """All words that a query wants to find anywhere."""
    if not isinstance(query, Structured):
        return wanted_words(query.terms)
    conditions = [step.condition for step in query.steps if step.condition is not None]
    return [word for one in conditions for about in _abouts(one) for word in about]


def _abouts(condition: Condition) -> list[list[str]]:
    if isinstance(condition, About):
        return [wanted_words(condition.terms)]
    if isinstance(condition, Comparison):
        return []
    return [words for part in condition.conditions for words in _abouts(part)]


@dataclass(frozen=True, slots=True)
class Asking:
    """Everything that an answer to a structural query is made of."""

    units: Units
    search: Callable[[list[str]], Hits]  # for words, all units that have some
    fits: Fits
    value: Callable[[int], float | None]  # the number that a unit's text is

    def vaguely(self, query: Structured) -> Hits:
        """All units about the words; those of the kind asked for count more."""
        hits = self.search(content_words(query))
        is_target = self._of_kind(hits.units, query.target)
        return Hits(hits.units, hits.scores * (1.0 + BOOST_TARGET * is_target))

    def strictly(self, query: Structured) -> Hits:
        """Units of the kind asked for, below elements that meet the conditions on the way.

        A condition is met by text about its words anywhere in the elements it names; the scores
        of all clauses, each the best in its element, add up.
        """
        from spanwise.model.nexi import Path

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
                here, scores = here[scores > 0], scores[scores > 0]
            if step.condition is not None:
                met, more = self._met(here, step.condition, place)
                here, scores = here[met], scores[met] + more[met]
            below = Hits(here, scores)
        assert below is not None
        return Hits(below.units[below.scores > 0], below.scores[below.scores > 0])

    def _met(
        self, units: IntArray, condition: Condition, place: Path
    ) -> tuple[BoolArray, FloatArray]:
        """Which units meet a condition, and how well."""
        if isinstance(condition, About):
            hits = self.search(wanted_words(condition.terms))
            scores = self._inside(units, self._at(hits, place, condition.path))
            return scores > 0, scores
        if isinstance(condition, Comparison):
            return self._compared(units, condition, place), np.zeros(len(units))
        parts = [self._met(units, part, place) for part in condition.conditions]
        met = np.all if isinstance(condition, And) else np.any
        assert isinstance(condition, And | Or)
        return met([one for one, _ in parts], axis=0), np.sum([s for _, s in parts], axis=0)

    def _at(self, hits: Hits, place: Path, path: Path) -> Hits:
        from spanwise.model.nexi import Path

        kept = self._of_kind(hits.units, Path(place.nodes + path.nodes))
        return Hits(hits.units[kept], hits.scores[kept])

    def _compared(self, units: IntArray, condition: Comparison, place: Path) -> BoolArray:
        from operator import eq, ge, gt, le, lt

        test = {"<": lt, "<=": le, "=": eq, ">=": ge, ">": gt}[condition.operator]
        every = np.arange(len(self.units))
        named = self._at(Hits(every, np.ones(len(every))), place, condition.path).units
        values = [self.value(unit) for unit in named.tolist()]
        due = float(condition.value)
        good = [value is not None and test(value, due) for value in values]
        return self._inside(units, Hits(named[good], np.ones(sum(good)))) > 0

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
        """For each unit the best score among hits that lie in it."""
        best = np.zeros(len(units))
        inner = _by_document(self.units, hits)
        for row, unit in enumerate(units.tolist()):
            path = self.units.paths[unit]
            for other, score in inner.get(int(self.units.document[unit]), ()):
                if score > best[row] and _holds(path, other):
                    best[row] = score
        return best

    def _above(self, units: IntArray, hits: Hits) -> FloatArray:
        """For each unit the best score among hits that it lies in."""
        best = np.zeros(len(units))
        outer = _by_document(self.units, hits)
        for row, unit in enumerate(units.tolist()):
            path = self.units.paths[unit]
            for other, score in outer.get(int(self.units.document[unit]), ()):
                if score > best[row] and _holds(other, path):
                    best[row] = score
        return best


def _by_document(units: Units, hits: Hits) -> dict[int, list[tuple[str, float]]]:
    found: dict[int, list[tuple[str, float]]] = {}
    for unit, score in zip(hits.units.tolist(), hits.scores.tolist(), strict=True):
        found.setdefault(int(units.document[unit]), []).append((units.paths[unit], score))
    return found


def _holds(outer: str, inner: str) -> bool:
    return inner == outer or inner.startswith(f"{outer}/")


def _tags(path: str) -> str:
    """A path without its numbers, as the kind of an element."""
    return "/".join(step.partition("[")[0] for step in path.split("/"))


# Propagation ------------------------------------------------------------------------------------


def propagated(units: Units, hits: Hits, decay: float) -> Hits:
    """Scores of elements handed on to those around them, each step up times `decay`.

    An element has its own score, and from every element below it that element's score times
    `decay` for each step between them. Elements that are no units are stepped over.
    """
    rows = {
        (int(units.document[unit]), units.paths[unit]): unit
        for unit in np.flatnonzero(np.isin(units.document, units.document[hits.units])).tolist()
    }
    scores: dict[int, float] = {}
    for unit, score in zip(hits.units.tolist(), hits.scores.tolist(), strict=True):
        document, path = int(units.document[unit]), units.paths[unit]
        share = score
        while path:
            target = rows.get((document, path))
            if target is not None:
                scores[target] = scores.get(target, 0.0) + share
            path = path.rpartition("/")[0]
            share *= decay
    return Hits(np.array(list(scores), np.int64), np.array(list(scores.values())))
