"""The relevance value of a result, given what was seen before it, and the bound on it.

    rv(c) = q(c)                                              if nothing of c was seen
    rv(c) = (1 - alpha) q(c)                                  if all of it was
    rv(c) = alpha * sum of rv(c_k) size(c_k) / size(c)
            + (1 - alpha) q(c)                                otherwise

c_k are the relevant children of c, each with its current value. A passage has no children: instead
of the sum it has the number of its highlighted characters that were not seen. Every ideal element d
has a budget of q(d). A result that is d or lies in d gains at most the rest of the budget, and uses
it up; in the sum no part of d counts more than the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from spanwise.errors import InputError
from spanwise.matching.text import Item, SeenAccount, SeenPart
from spanwise.model.documents import parent_of
from spanwise.model.element_rankings import (
    PARTLY,
    ROUNDING,
    SEEN,
    UNSEEN,
    ElementResults,
    GainRule,
    Gains,
    SeenCount,
)
from spanwise.model.elements import NO_ELEMENT

if TYPE_CHECKING:
    from spanwise.model.arrays import BoolArray, FloatArray, IntArray
    from spanwise.model.elements import JudgedElements, RecallBase

Kids = dict[int | tuple[int, bytes], list[int]]
Doubt = Callable[[int, bytes], InputError]
"""Makes the error for an unknown size: the result it is about, and the path that needs it."""


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    """A recall base as plain lists, which are fastest for single look-ups."""

    value: Sequence[float]
    parent: Sequence[int]  # the nearest judged ancestor of each element
    home: Sequence[int]  # the ideal element that each element is or lies in
    items: Callable[[int], Item]
    kids: Kids  # relevant children of an element, or of an unjudged one by row and path
    unjudged: bool  # whether any unjudged element has relevant children

    @classmethod
    def of(cls, base: RecallBase, rule: GainRule) -> Values:
        """Return the values of a recall base, computed once for all runs."""

        def listed() -> Values:
            parent = base.judged.parent.tolist()
            home = base.home(rule.ideal, rule.paths).tolist()
            kids, items = _kids(base), items_of(base.judged)
            unjudged = any(isinstance(key, tuple) for key in kids)
            return cls(base.value.tolist(), parent, home, items, kids, unjudged)

        return base.once(("values", rule.ideal, rule.paths), listed)


def items_of(judged: JudgedElements) -> Callable[[int], Item]:
    """Return a function from the index of a judged element to its item."""
    size, lit = judged.size.tolist(), judged.highlighted.tolist()
    start, paths = judged.start.tolist(), judged.paths

    def item(element: int) -> Item:
        length = size[element]
        return Item(paths[element], length, lit[element], start[element], length)

    return item


def _kids(base: RecallBase) -> Kids:
    judged, full = base.judged, np.flatnonzero(base.full)
    inner = full[judged.child[full]]
    kids: Kids = dict(_grouped(inner, judged.parent[inner]))
    for element in full[~judged.child[full]].tolist():  # its parent was not judged
        if around := parent_of(judged.paths[element]):
            kids.setdefault((int(judged.row[element]), around), []).append(element)
    return kids


def _grouped(elements: IntArray, owner: IntArray) -> Iterator[tuple[int, list[int]]]:
    """Yield each owner with its elements, in their order."""
    order = np.argsort(owner, kind="stable")
    owner, ordered = owner[order], elements[order].tolist()
    begins = np.flatnonzero(np.diff(owner, prepend=-1, append=-1))
    for key, (begin, end) in zip(
        owner[begins[:-1]].tolist(), pairwise(begins.tolist()), strict=True
    ):
        yield key, ordered[begin:end]


class Reader:
    """A reader of the results of one document, in order."""

    __slots__ = ("_alpha", "_budget", "_cap", "_doubt", "_known", "_seen")

    def __init__(self, known: Values, rule: GainRule, seen: SeenAccount, doubt: Doubt) -> None:
        self._known, self._seen, self._doubt = known, seen, doubt
        self._alpha, self._cap = rule.alpha, rule.cap
        self._budget: dict[int, float] = {}

    def take(
        self, item: Item, element: int, worth: float, home: int, kids: Sequence[int], number: int
    ) -> tuple[float, float, int, int]:
        """Return the next result's gain, gain before the bound, case and characters seen before."""
        before = self._seen.view(item)
        bare, case = 0.0, UNSEEN
        if worth or kids:
            bare, case = self._value(item, worth, kids, before)
        elif before.characters or before.whole:
            case = SEEN if before.whole else PARTLY
        self._seen.add(item, before, number)
        if home == NO_ELEMENT or (self._cap == "descendants" and home == element):
            return bare, bare, case, before.characters
        left = self._left(home)
        gain = min(bare, left)
        left -= gain
        self._budget[home] = left if left > ROUNDING else 0.0
        return gain, bare, case, before.characters

    def _value(
        self, item: Item, worth: float, kids: Sequence[int], before: SeenPart
    ) -> tuple[float, int]:
        if before.whole:
            return (1 - self._alpha) * worth, SEEN
        if before.doubt >= 0 and (not before.characters or self._alpha < 1):
            raise self._doubt(before.doubt, item.path)
        if not before.characters:
            return worth, UNSEEN
        rest = (1 - self._alpha) * worth
        if not item.path:
            fresh = item.highlighted - before.highlighted
            return self._alpha * fresh / item.size + rest, PARTLY
        total = 0.0
        for kid in kids:
            part = self._known.items(kid)
            if part.size < 0 or item.size <= 0:
                raise self._doubt(NO_ELEMENT, part.path if part.size < 0 else item.path)
            total += self._present(kid, part) * part.size
        return (self._alpha * total / item.size if kids else 0.0) + rest, PARTLY

    def _present(self, element: int, item: Item) -> float:
        """Return the current value of a relevant element, at most the budget that is left."""
        known = self._known
        kids = known.kids.get(element, ())
        value, _ = self._value(item, known.value[element], kids, self._seen.part(item))
        home = known.home[element]
        return min(value, self._left(home)) if home != NO_ELEMENT and self._cap == "full" else value

    def _left(self, home: int) -> float:
        return self._budget.get(home, self._known.value[home])


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """The results of a block with everything needed to compute their gains."""

    results: ElementResults
    item: Callable[[int], Item]
    seen: Callable[[Sequence[int]], SeenAccount]  # makes the account of one document's results
    doubt: Doubt


def gains_of(
    case: Case, base: RecallBase, rule: GainRule, worth: FloatArray, home: IntArray
) -> Gains:
    """Compute the gain of each result, given its value and the ideal element it lies in."""
    if rule.alpha == 0:
        nothing = np.full(len(worth), UNSEEN)
        return Gains(worth, worth, nothing, nothing)
    known = Values.of(base, rule)
    element = case.results.element
    bound = np.where(home == NO_ELEMENT, np.inf, base.value[home] if len(base.value) else np.inf)
    if rule.cap == "descendants":
        bound = np.where(home == element, np.inf, bound)
    gain, bare, cases = np.minimum(worth, bound), worth.copy(), np.full(len(worth), UNSEEN)
    seen = np.zeros(len(worth), np.int64)
    kids, inner = kids_of(case.results, known, worth)
    home = home.copy()
    home[list(inner)] = [
        NO_ELEMENT if around < 0 else known.home[around] for around in inner.values()
    ]
    worths, homes, elements = worth.tolist(), home.tolist(), element.tolist()
    live = worth > 0
    live[list(inner)] = True
    ranks = case.results.rank
    above = None if rule.depth is None else ranks < rule.depth
    if above is not None:
        gain[~above] = bare[~above] = 0.0
    for numbers in shared_documents(case.results.document, live, above):
        reader = Reader(known, rule, case.seen(numbers), case.doubt)
        for number in numbers:
            gain[number], bare[number], cases[number], seen[number] = reader.take(
                case.item(number),
                elements[number],
                worths[number],
                homes[number],
                kids(number),
                number,
            )
    gain[gain <= ROUNDING] = 0.0
    return Gains(gain, bare, cases, seen)


def kids_of(
    results: ElementResults, known: Values, worth: FloatArray
) -> tuple[Callable[[int], Sequence[int]], dict[int, int]]:
    """Return the relevant children of a result, and the results without value that have some.

    For the latter also return the nearest judged ancestor of each, NO_ELEMENT if there is none.
    """
    elements, judgements, paths = (
        results.element.tolist(),
        results.judgement.tolist(),
        results.paths,
    )

    def kids(number: int) -> Sequence[int]:
        element = elements[number]
        if element != NO_ELEMENT:
            return known.kids.get(element, ())
        key = judgements[number], paths[number]
        return known.kids.get(key, ()) if known.unjudged else ()

    inner = {}
    candidates = (worth == 0) & (known.unjudged | (results.element != NO_ELEMENT))
    for number in np.flatnonzero(candidates).tolist():
        element = elements[number]
        if element != NO_ELEMENT and element in known.kids:
            inner[number] = element
        elif known.unjudged and element == NO_ELEMENT and (some := kids(number)):
            inner[number] = known.parent[some[0]]
    return kids, inner


def shared_documents(
    document: IntArray, live: BoolArray, above: BoolArray | None = None
) -> list[list[int]]:
    """Return the results of documents with two or more, at least one of which is `live`.

    With `above` other results are ignored.
    """
    if above is not None:
        chosen = np.flatnonzero(above)
        groups = shared_documents(document[chosen], live[chosen])
        return [chosen[group].tolist() for group in groups]
    if not len(document):
        return []
    lively = np.bincount(document, weights=live) > 0
    some = np.flatnonzero(((np.bincount(document) > 1) & lively)[document])
    order = some[np.argsort(document[some], kind="stable")]
    ends = np.flatnonzero(np.diff(document[order])) + 1
    return [group.tolist() for group in np.split(order, ends)] if len(order) else []


def seen_before(case: Case, what: SeenCount) -> IntArray:
    """Return, for each result, how much of it was seen before."""
    seen_of = np.zeros(len(case.results), np.int64)
    live = case.results.highlighted > 0 if what == "highlighted" else case.results.size != 0
    for numbers in shared_documents(case.results.document, live):
        seen = case.seen(numbers)
        for number in numbers:
            item = case.item(number)
            before = seen.view(item)
            if what == "anything":
                some = before.characters or before.doubt >= 0 or before.whole
                seen_of[number] = bool(some and item.size)
            elif what == "highlighted":
                seen_of[number] = before.highlighted
            elif before.doubt >= 0:
                raise case.doubt(before.doubt, item.path)
            else:
                seen_of[number] = before.characters
            seen.add(item, before, number)
    return seen_of
