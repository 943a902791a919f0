"""Judged elements put in order as trees.

Where only text was highlighted, a collection says which elements hold some of it: these, all their
ancestors among them, are judged. A plain text has its highlighted passages for elements: so the
ideal is what was highlighted, however text is cut. An element of which an exhaustivity was written
and nothing else is as specific as the highlighted text makes it, once a collection says where.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from spanwise.errors import InputError
from spanwise.ground.by_path import ByPath
from spanwise.model.assessments import NO_COVERAGE, NO_SIZE, TOO_SMALL, UNSTATED
from spanwise.model.elements import NOBODY, JudgedElements, Scale
from spanwise.model.ids import Coded, text
from spanwise.model.paths import parent_of
from spanwise.model.spans import UNKNOWN, Spans, overlap

if TYPE_CHECKING:
    from spanwise.model.arrays import BoolArray, IntArray
    from spanwise.model.assessments import Assessments, Elements
    from spanwise.model.documents import Collection
    from spanwise.model.judgements import Highlights, Judgements, Wanted

PASSAGE = b"/#passage["
"""What a highlighted passage of a plain text is called: like no element of XML."""
MOST_EXHAUSTIVE = 2
"""Where only highlighted text counts every element with some is as exhaustive as can be."""


@dataclass(slots=True)
class _Columns:
    """Judged elements as they come, not yet in order."""

    paths: Coded
    owner: IntArray  # row of the judgements
    numbers: IntArray  # exhaustivity, specificity, coverage, size, highlighted, start


def judged_elements(judgements: Judgements, collection: Collection | None = None) -> JudgedElements:
    """The elements that were judged, or that hold highlighted text, as trees.

    Sizes and places that only a collection knows come with judgements that were placed in it.
    """
    said = judgements.elements
    if said is None and collection is None:
        raise InputError(
            f"{judgements.rows.source}: text was highlighted, and which elements hold it is not"
            " said; it needs --collection"
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
    return replace(judged, wanted=_asked_for(judged, judgements.wanted))


def _listed(said: Assessments) -> _Columns:
    """The elements that assessments list."""
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
    """Documents with highlighted text of which no elements are listed."""
    marked = judgements.highlights
    assert marked is not None
    silent = marked.counts > 0
    if judgements.elements is not None:
        silent &= np.diff(judgements.elements.elements.first) == 0
    return np.flatnonzero(silent)


def _half_judged(
    judgements: Judgements, said: Assessments, collection: Collection | None
) -> IntArray:
    """Documents with highlighted text and elements of which only an exhaustivity was written."""
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
        known = "where it lies in the highlighted text; it needs --collection"
        raise InputError(
            f"{judgements.rows.place(row)}: {text(path)} has an exhaustivity, but it is not said"
            f" {known if lit[row] else 'how specific it is; expected specificity or rsize too'}"
        )
    return np.intersect1d(owner[bare], np.flatnonzero(lit))


def _graded(listed: _Columns, touched: _Columns, half: IntArray) -> list[_Columns]:
    """Elements with highlighted text have the grades and sizes that some documents list for them.

    What has no grade is as exhaustive as the most exhaustive element in it.
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
    found = known.find(np.where(mine, listed.owner, NOBODY), listed.paths)
    here = np.flatnonzero(found != NOBODY)
    there, given = found[here], listed.numbers[:, here]
    numbers[0, there] = given[0]
    numbers[3:5, there] = np.where(given[3:5] == NO_SIZE, numbers[3:5, there], given[3:5])
    rest = np.flatnonzero(found == NOBODY)
    others = listed.numbers[:, rest]
    others[4] = np.where(mine[rest] & (others[4] == NO_SIZE), 0, others[4])
    kept = _Columns(listed.paths.at(rest), listed.owner[rest], others)
    return [kept, _Columns(touched.paths, touched.owner, numbers)]


def _touched(
    judgements: Judgements, marked: Highlights, rows: IntArray, collection: Collection
) -> _Columns:
    """The elements of some documents that hold highlighted text, ancestors included."""
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
    """How the elements were judged; all must have been judged in one way."""
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
    # Files of 2005 count every passage one too long, but no element is more than all highlighted.
    highlighted = np.where(size == NO_SIZE, highlighted, np.minimum(highlighted, size))
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


def _order(columns: _Columns) -> IntArray:
    """Numbers of elements by row, then path: what lies in an element follows it."""
    names = columns.paths.names
    place = np.empty(len(names), np.int64)
    place[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
    return np.lexsort((place[columns.paths.codes], columns.owner))


def _parents(owner: IntArray, paths: Coded) -> tuple[IntArray, BoolArray]:
    """For each element the nearest one around it, and whether it lies directly in that one."""
    known, names = ByPath(owner, paths), paths.names
    parent, child = np.full(len(paths), NOBODY), np.zeros(len(paths), np.bool_)
    alone = np.arange(len(paths))
    while len(alone):  # those around which nothing was found so far
        first = names is paths.names
        names = [parent_of(name) for name in names]
        parent[alone] = known.find(owner[alone], Coded(paths.codes[alone], names))
        if first:
            child = parent != NOBODY
        inner = np.array([bool(name) for name in names], np.bool_)
        alone = alone[(parent[alone] == NOBODY) & inner[paths.codes[alone]]]
    return parent, child


def _afters(parent: IntArray, level: IntArray) -> IntArray:
    """For each element the first one after all that is in it."""
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
        around = np.where(inside, parent[around], NOBODY)
    return level


def _highlighted(
    judgements: Judgements, owner: IntArray, parent: IntArray, highlighted: IntArray
) -> IntArray:
    """Highlighted characters of each document: its passages', else those of its outermost."""
    rows = len(judgements.rows)
    top = (parent == NOBODY) & (highlighted > 0)
    outermost = np.bincount(owner[top], weights=highlighted[top], minlength=rows).astype(np.int64)
    said, marked = judgements.elements, judgements.highlights
    if said is None:
        return outermost if marked is None else marked.relevant
    passages = said.passages
    counts = np.diff(passages.first)
    sums = np.concatenate([[0], np.cumsum(passages.sizes)])
    return np.where(counts > 0, np.diff(sums[passages.first]), outermost)


def _asked_for(judged: JudgedElements, wanted: Wanted) -> BoolArray:
    topics = [judged.rows.topics[code] for code in judged.topic.tolist()]
    return np.fromiter(map(wanted, topics, judged.paths), np.bool_, len(judged))
