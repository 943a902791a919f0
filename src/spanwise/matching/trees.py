"""Judged elements arranged as trees, and what assessment files list about results.

If only text was highlighted, the elements of a collection that hold some of it are judged, all
their ancestors among them. A plain text has its highlighted passages as elements, so that the ideal
is the highlighted text, however texts are cut. An element for which only an exhaustivity is stated
is as specific as the highlighted text makes it, given a collection.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from spanwise.errors import InputError
from spanwise.model.columns import Coded, text
from spanwise.model.documents import parent_of
from spanwise.model.elements import (
    NO_COVERAGE,
    NO_ELEMENT,
    NO_SIZE,
    TOO_SMALL,
    UNSTATED,
    JudgedElements,
    Scale,
)
from spanwise.model.notes import Tally
from spanwise.model.spans import UNKNOWN, Spans, overlap

if TYPE_CHECKING:
    from spanwise.model.arrays import BoolArray, IntArray
    from spanwise.model.documents import Collection
    from spanwise.model.elements import Assessments, Elements
    from spanwise.model.judgements import Highlights, Judgements, Wanted
    from spanwise.model.run import Run

# Look-up by path ----------------------------------------------------------------------------------

NOT_FOUND = -1


class ByPath:
    """An index of elements by row and path; of two equal ones the later is found."""

    def __init__(self, rows: IntArray, paths: Coded) -> None:
        self._numbers = {name: number for number, name in enumerate(paths.names)}
        keys = rows * len(self._numbers) + paths.codes
        self._order = np.argsort(keys, kind="stable")
        self._keys = keys[self._order]

    def find(self, rows: IntArray, paths: Coded) -> IntArray:
        """Return the element of each row and path, NOT_FOUND if there is none or the row is -1."""
        if not len(self._keys):
            return np.full(len(rows), NOT_FOUND)
        codes = [self._numbers.get(name, NOT_FOUND) for name in paths.names]
        number = np.array(codes or [NOT_FOUND])[paths.codes]
        wanted = rows * len(self._numbers) + number
        place = np.searchsorted(self._keys, wanted, side="right") - 1
        there = (place >= 0) & (rows >= 0) & (number >= 0)
        there &= self._keys[place] == wanted
        return np.where(there, self._order[place], NOT_FOUND)


# Trees of judged elements -------------------------------------------------------------------------

PASSAGE = b"/#passage["
"""The name of a highlighted passage of a plain text, which no element of XML has."""
MOST_EXHAUSTIVE = 2
"""The exhaustivity of elements with highlighted text if only highlighted text counts."""


@dataclass(slots=True)
class _Columns:
    """Judged elements before they are put in order."""

    paths: Coded
    owner: IntArray  # row of the judgements
    numbers: IntArray  # exhaustivity, specificity, coverage, size, highlighted, start


def judged_elements(judgements: Judgements, collection: Collection | None = None) -> JudgedElements:
    """Return the elements that were judged, or that hold highlighted text, as trees.

    Sizes and places that only a collection knows must have been added by placing the judgements.
    """
    said = judgements.elements
    if said is None and collection is None:
        raise InputError(
            f"{judgements.rows.source}: the elements that hold the highlighted text are unknown;"
            " pass --collection"
        )
    parts = [] if said is None else [_listed(said)]
    half = np.zeros(0, np.int64) if said is None else _half_judged(judgements, said, collection)
    if collection is not None and judgements.highlights is not None:
        silent = np.union1d(_silent_rows(judgements), half)
        if len(silent) or not parts:
            parts.append(_touched(judgements, judgements.highlights, silent, collection))
    if len(half):
        parts = _graded(parts[0], parts[1], half)
    columns = _joined(parts)
    judged = _in_order(judgements, columns, _scale(judgements, columns))
    if judgements.wanted is None:
        return judged
    return replace(judged, wanted=_fits_structure(judged, judgements.wanted))


def _listed(said: Assessments) -> _Columns:
    """Return the elements that assessments list."""
    elements: Elements = said.elements
    nowhere = np.full(len(elements), UNKNOWN)
    numbers = np.stack(
        [
            *(elements.exhaustivity, elements.specificity, elements.coverage),
            *(elements.sizes, elements.highlighted),
            nowhere if elements.spans is None else elements.spans.starts,
        ]
    )
    owner = np.repeat(np.arange(len(elements.first) - 1), np.diff(elements.first))
    return _Columns(elements.paths.coded(), owner, numbers)


def _silent_rows(judgements: Judgements) -> IntArray:
    """Return the documents with highlighted text but without listed elements."""
    marked = judgements.highlights
    assert marked is not None
    silent = marked.counts > 0
    if judgements.elements is not None:
        silent &= np.diff(judgements.elements.elements.first) == 0
    return np.flatnonzero(silent)


def _half_judged(
    judgements: Judgements, said: Assessments, collection: Collection | None
) -> IntArray:
    """Return the documents with highlighted text and elements with only an exhaustivity."""
    one = said.elements
    bare = (one.exhaustivity >= TOO_SMALL) & (one.specificity == UNSTATED)
    bare &= (one.coverage == NO_COVERAGE) & (one.highlighted == NO_SIZE)
    if not bare.any():
        return np.zeros(0, np.int64)
    marked = judgements.highlights
    lit = np.diff(said.passages.first) > 0 if marked is None else marked.counts > 0
    owner = np.repeat(np.arange(len(one.first) - 1), np.diff(one.first))
    placed = collection is not None and marked is not None
    lost = np.flatnonzero(bare & np.where(lit[owner], not placed, one.exhaustivity != 0))
    if len(lost):
        row, (path,) = int(owner[lost[0]]), one.paths.take(lost[:1])
        known = "its position in the highlighted text is unknown; pass --collection"
        raise InputError(
            f"{judgements.rows.place(row)}: {text(path)} has an exhaustivity, but"
            f" {known if lit[row] else 'no specificity; expected specificity or rsize too'}"
        )
    return np.intersect1d(owner[bare], np.flatnonzero(lit))


def _graded(listed: _Columns, touched: _Columns, half: IntArray) -> list[_Columns]:
    """Return elements with highlighted text with the grades and sizes listed for them.

    An element without a grade is as exhaustive as the most exhaustive element in it.
    """
    mine = np.isin(listed.owner, half)
    inner: dict[tuple[int, bytes], int] = {}
    for number in np.flatnonzero(mine).tolist():
        row, path, grade = (
            int(listed.owner[number]),
            listed.paths[number],
            listed.numbers[0, number],
        )
        while path:
            inner[row, path] = max(int(grade), inner.get((row, path), UNSTATED))
            path = parent_of(path)
    numbers = touched.numbers.copy()
    for number in np.flatnonzero(np.isin(touched.owner, half)).tolist():
        key = int(touched.owner[number]), touched.paths[number]
        numbers[0, number] = inner.get(key, UNSTATED)
    known = ByPath(touched.owner, touched.paths)
    found = known.find(np.where(mine, listed.owner, NO_ELEMENT), listed.paths)
    here = np.flatnonzero(found != NO_ELEMENT)
    there, given = found[here], listed.numbers[:, here]
    numbers[0, there] = given[0]
    numbers[3:5, there] = np.where(given[3:5] == NO_SIZE, numbers[3:5, there], given[3:5])
    rest = np.flatnonzero(found == NO_ELEMENT)
    others = listed.numbers[:, rest]
    others[4] = np.where(mine[rest] & (others[4] == NO_SIZE), 0, others[4])
    kept = _Columns(listed.paths.at(rest), listed.owner[rest], others)
    return [kept, _Columns(touched.paths, touched.owner, numbers)]


def _touched(
    judgements: Judgements, marked: Highlights, rows: IntArray, collection: Collection
) -> _Columns:
    """Return the elements of some documents that hold highlighted text, ancestors included."""
    paths: list[bytes] = []
    owners, columns = [np.zeros(0, np.int64)], [np.zeros((3, 0), np.int64)]
    for row, document in zip(rows.tolist(), judgements.documents.take(rows), strict=True):
        if document not in collection:
            raise InputError(
                f"{judgements.rows.place(row)}: document {text(document)!r} has highlighted text"
                " but is not in the collection; expected the collection that was judged"
            )
        tree, passages = collection.tree(document), marked.of(row)
        found = overlap(Spans(tree.start, tree.length), passages)
        held = np.flatnonzero(found > 0)
        every = tree.paths()
        paths += [every[number].encode("utf-8", "surrogateescape") for number in held.tolist()]
        columns.append(np.stack([tree.length[held], found[held], tree.start[held]]))
        if tree.is_plain and len(held):
            inner = range(1, len(passages) + 1)
            paths += [paths[-1] + PASSAGE + b"%d]" % number for number in inner]
            columns.append(np.stack([passages.lengths, passages.lengths, passages.starts]))
        owners.append(np.full(len(paths) - sum(map(len, owners)), row))
    sizes = np.concatenate(columns, axis=1)
    grades = [MOST_EXHAUSTIVE, UNSTATED, NO_COVERAGE]
    same = np.repeat(np.array(grades)[:, None], sizes.shape[1], axis=1)
    return _Columns(Coded.of(paths), np.concatenate(owners), np.concatenate([same, sizes]))


def _joined(parts: Sequence[_Columns]) -> _Columns:
    paths = parts[0].paths
    if len(parts) > 1:
        paths = Coded.of([path for part in parts for path in part.paths])
    return _Columns(
        paths,
        np.concatenate([part.owner for part in parts]),
        np.concatenate([part.numbers for part in parts], axis=1),
    )


def _scale(judgements: Judgements, columns: _Columns) -> Scale:
    """Return the scale on which the elements were judged, which must be one for all."""
    said: dict[Scale, BoolArray] = {
        "letters": columns.numbers[2] != NO_COVERAGE,
        "pairs": columns.numbers[1] != UNSTATED,
        "highlighted": columns.numbers[4] != NO_SIZE,
    }
    present: list[Scale] = [scale for scale, flags in said.items() if flags.any()]
    if len(present) > 1:
        raise InputError(
            f"{judgements.rows.source}: elements judged in different ways"
            f" ({' and '.join(present)}); expected the assessments of one year"
        )
    return present[0] if present else "highlighted"


def _in_order(judgements: Judgements, columns: _Columns, scale: Scale) -> JudgedElements:
    order = _order(columns)
    numbers, paths, owner = columns.numbers[:, order], columns.paths.at(order), columns.owner[order]
    first = np.searchsorted(owner, np.arange(len(judgements.rows) + 1))
    parent, child = _parents(owner, paths)
    level = _levels(parent)
    exhaustivity, specificity, coverage, size, highlighted, start = numbers
    highlighted = capped_to(size, highlighted)
    return JudgedElements(
        judgements.rows.source,
        scale,
        judgements.rows,
        first,
        paths.tolist(),
        parent,
        child,
        level,
        _afters(parent, level),
        exhaustivity,
        specificity,
        coverage,
        size,
        highlighted,
        start,
        _highlighted(judgements, owner, parent, highlighted),
        np.ones(len(paths), np.bool_),
    )


def capped_to(sizes: IntArray, highlighted: IntArray) -> IntArray:
    """Return highlighted characters that are no more than all characters, where these are known.

    Files of 2005 count every passage one too long, but no element is more than all highlighted.
    """
    return np.where(sizes == NO_SIZE, highlighted, np.minimum(highlighted, sizes))


def _order(columns: _Columns) -> IntArray:
    """Return the elements by row, then path, so that descendants follow their ancestors."""
    names = columns.paths.names
    place = np.empty(len(names), np.int64)
    place[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
    return np.lexsort((place[columns.paths.codes], columns.owner))


def _parents(owner: IntArray, paths: Coded) -> tuple[IntArray, BoolArray]:
    """Return the nearest judged ancestor of each element, and whether it is its parent."""
    known, names = ByPath(owner, paths), paths.names
    parent, child = np.full(len(paths), NO_ELEMENT), np.zeros(len(paths), np.bool_)
    alone = np.arange(len(paths))
    while len(alone):  # those without an ancestor so far
        first = names is paths.names
        names = [parent_of(name) for name in names]
        parent[alone] = known.find(owner[alone], Coded(paths.codes[alone], names))
        if first:
            child = parent != NO_ELEMENT
        inner = np.array([bool(name) for name in names], np.bool_)
        alone = alone[(parent[alone] == NO_ELEMENT) & inner[paths.codes[alone]]]
    return parent, child


def _afters(parent: IntArray, level: IntArray) -> IntArray:
    """Return, for each element, the first one after its descendants."""
    inside = np.zeros(len(parent), np.int64)
    for number in range(int(level.max(initial=0)), 0, -1):
        some = np.flatnonzero(level == number)
        np.add.at(inside, parent[some], inside[some] + 1)
    return np.arange(1, len(parent) + 1) + inside


def _levels(parent: IntArray) -> IntArray:
    level = np.zeros(len(parent), np.int64)
    around = parent
    while len(around) and (inside := around >= 0).any():
        level += inside
        around = np.where(inside, parent[around], NO_ELEMENT)
    return level


def _highlighted(
    judgements: Judgements, owner: IntArray, parent: IntArray, highlighted: IntArray
) -> IntArray:
    """Return each document's highlighted characters: of passages, else of outermost elements."""
    rows = len(judgements.rows)
    top = (parent == NO_ELEMENT) & (highlighted > 0)
    outermost = np.bincount(owner[top], weights=highlighted[top], minlength=rows).astype(np.int64)
    said, marked = judgements.elements, judgements.highlights
    if said is None:
        return outermost if marked is None else marked.relevant
    passages = said.passages
    counts = np.diff(passages.first)
    sums = np.concatenate([[0], np.cumsum(passages.sizes)])
    return np.where(counts > 0, np.diff(sums[passages.first]), outermost)


def _fits_structure(judged: JudgedElements, wanted: Wanted) -> BoolArray:
    topics = [judged.rows.topics[code] for code in judged.topic.tolist()]
    return np.fromiter(map(wanted, topics, judged.paths), np.bool_, len(judged))


# Listed sizes, which take precedence over all others ----------------------------------------------

OTHER, ROOT = NOT_FOUND, -2
"""A result that is no listed element: anything else, or a whole document."""


@dataclass(frozen=True, slots=True, eq=False)
class Listed:
    """What the assessment files list about results; NO_SIZE if nothing is listed."""

    size: IntArray
    relevant: IntArray

    @classmethod
    def of(cls, run: Run, judgements: Judgements, rows: IntArray, judged: IntArray) -> Listed:
        """Look up some rows of a run, given the judgement's row of each document, -1 for none."""
        size, relevant = np.full(len(rows), NO_SIZE), np.full(len(rows), NO_SIZE)
        if run.paths is None or not len(rows):
            return cls(size, relevant)
        element = cls._elements(run, judgements, rows, judged)
        said = np.flatnonzero(element >= 0)
        if judgements.elements is not None:
            listed = judgements.elements.elements
            size[said] = listed.sizes[element[said]]
            relevant[said] = capped_to(size[said], listed.highlighted[element[said]])
        if judgements.highlights is not None:
            roots = np.flatnonzero(element == ROOT)
            size[roots] = judgements.highlights.lengths[judged[roots]]
        return cls(size, relevant)

    @classmethod
    def _elements(
        cls, run: Run, judgements: Judgements, rows: IntArray, judged: IntArray
    ) -> IntArray:
        """Return the listed element that each result is; else ROOT or OTHER."""
        known = judgements.once("listed", lambda: _by_path(judgements))
        paths = run.element_paths(rows)
        root = np.array([path.count(b"/") == 1 for path in paths.names], np.bool_)
        element = known.find(judged, paths)
        whole = (element == OTHER) & (judged >= 0) & root[paths.codes]
        return np.where(whole, ROOT, element)

    def instead(
        self,
        unplaced: BoolArray,
        size: IntArray,
        relevant: IntArray,
        fresh: IntArray,
        fresh_relevant: IntArray,
    ) -> tuple[IntArray, IntArray, IntArray, IntArray]:
        """Return the counted numbers with listed ones in their place.

        How much is new of an element that was shown in part before is known from offsets only.
        """
        sized = (self.size != NO_SIZE) & ~unplaced
        marked = (self.relevant != NO_SIZE) & ~unplaced
        new = fresh == size
        return (
            np.where(sized, self.size, size),
            np.where(marked, self.relevant, relevant),
            np.where(sized & new, self.size, fresh),
            np.where(marked & new, self.relevant, fresh_relevant),
        )


def _by_path(judgements: Judgements) -> ByPath:
    """Return an index of the elements whose highlighted text is listed."""
    if judgements.elements is None:
        return ByPath(np.zeros(0, np.int64), Coded.of([]))
    elements = judgements.elements.elements
    listed = elements.highlighted != NO_SIZE
    owners = np.repeat(np.arange(len(elements.first) - 1), np.diff(elements.first))
    return ByPath(np.where(listed, owners, NOT_FOUND), elements.paths.coded())


# What is odd about assessments of highlighted text, and what is made of it. ----------------------

UNLISTED = (
    "elements around highlighted text that the assessments do not list, so they are not relevant"
)
CAPPED = "elements with more highlighted characters than they have, which count as all highlighted"


def assessment_notes(judgements: Judgements) -> list[Tally]:
    """Return what is odd about the elements that assessments list, with the first of each."""
    if judgements.elements is None:
        return []
    return judgements.once("assessment notes", lambda: [_unlisted(judgements), _capped(judgements)])


def _unlisted(judgements: Judgements) -> Tally:
    """Count the elements around a listed one with highlighted text that are not listed themselves.

    A list of elements is taken as complete. Files that keep to this list all ancestors.
    """
    assert judgements.elements is not None
    elements = judgements.elements.elements
    lit = np.flatnonzero(elements.highlighted > 0)
    if not len(lit):
        return Tally(UNLISTED, 0)
    owner = np.repeat(np.arange(len(elements.first) - 1), np.diff(elements.first))
    paths = elements.paths.take(np.arange(len(elements)))
    listed = set(zip(owner.tolist(), paths, strict=True))
    missing: dict[tuple[int, bytes], None] = {}  # in the order of the file, outermost first
    for row, path in zip(owner[lit].tolist(), map(paths.__getitem__, lit.tolist()), strict=True):
        around = [(row, outer) for outer in above(path)]
        missing |= dict.fromkeys(one for one in reversed(around) if one not in listed)
    return _with_first(judgements, UNLISTED, len(missing), next(iter(missing), None))


def _capped(judgements: Judgements) -> Tally:
    """Count the elements whose highlighted characters are more than all they have."""
    found = over_full(judgements)
    return _with_first(judgements, CAPPED, len(found), found[0][:2] if found else None)


def over_full(judgements: Judgements) -> list[tuple[int, bytes, int, int]]:
    """Return row, path, highlighted characters and size of elements with more than all of it."""
    assert judgements.elements is not None
    one = judgements.elements.elements
    over = np.flatnonzero((one.sizes >= 0) & (one.highlighted > one.sizes))
    rows = np.searchsorted(one.first, over, side="right") - 1
    columns = (rows.tolist(), one.paths.take(over), one.highlighted[over].tolist())
    return list(zip(*columns, one.sizes[over].tolist(), strict=True))


def above(path: bytes) -> Iterator[bytes]:
    """Yield the paths of all elements around one, the nearest first.

    >>> list(above(b"/a[1]/s[2]/p[1]"))
    [b'/a[1]/s[2]', b'/a[1]']
    """
    while path := parent_of(path):
        yield path


def _with_first(
    judgements: Judgements, what: str, count: int, first: tuple[int, bytes] | None
) -> Tally:
    if first is None:
        return Tally(what, 0)
    row, path = first
    (name,) = judgements.documents.take(np.array([row]))
    return Tally(what, count, f"{text(name)!r} {text(path)}", judgements.rows.order(row))


# Contradictory grades -----------------------------------------------------------------------------


def contradictions(elements: Elements) -> Mapping[str, int]:
    """Count the elements whose grades contradict the rules for assessors, by kind."""
    e, s = elements.exhaustivity, elements.specificity
    paired = (e >= 0) & (s >= 0)
    sized = elements.sizes >= 0
    odd = {
        "elements of which one grade is 0 and the other is not": paired & ((e == 0) != (s == 0)),
        "elements with more highlighted characters than they have": sized
        & (elements.highlighted > elements.sizes),
        "elements less exhaustive than one inside them": _surpassed(elements),
    }
    counts = {what: int(np.count_nonzero(which)) for what, which in odd.items()}
    return {what: count for what, count in counts.items() if count}


def _surpassed(elements: Elements) -> BoolArray:
    """Return which elements have a lower grade than a descendant; not with letters of 2002."""
    paths = elements.paths.take(np.arange(len(elements)))
    grades = np.where(elements.coverage == NO_COVERAGE, elements.exhaustivity, UNSTATED).tolist()
    surpassed = np.zeros(len(paths), np.bool_)
    for first, last in pairwise(elements.first.tolist()):
        rows = {paths[row]: row for row in range(first, last) if grades[row] >= 0}
        for path, row in rows.items():
            outer = path.rpartition(b"/")[0]
            while outer:
                above = rows.get(outer)
                if above is not None and grades[above] < grades[row]:
                    surpassed[above] = True
                outer = outer.rpartition(b"/")[0]
    return surpassed
