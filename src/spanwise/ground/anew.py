"""Sizes that judgements state, computed anew from the documents, for whoever asks for it.

Assessors' programs counted characters in ways of their own, so that what a file states is taken as
it stands everywhere else.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from spanwise.ground.placing import placed_judgements, placed_passages
from spanwise.model.assessments import NO_SIZE
from spanwise.model.spans import UNKNOWN, overlap

if TYPE_CHECKING:
    from spanwise.model.arrays import BoolArray, IntArray
    from spanwise.model.assessments import Assessments
    from spanwise.model.documents import Collection
    from spanwise.model.highlights import Highlights
    from spanwise.model.judgements import Judgements


def sized_anew(judgements: Judgements, collection: Collection, notes: list[str]) -> Judgements:
    """The judgements, placed, with the collection's sizes wherever it knows what is meant.

    Elements, their highlighted text and passages are measured; of highlighted text by offset the
    lengths of documents and how much of each is relevant.
    """
    placed = placed_judgements(judgements, collection, notes)
    notes[:] = [note for note in notes if not note.endswith("the file's are used")]
    documents = placed.documents.take(np.arange(len(placed.rows)))
    lengths, marked, said = collection.lengths(documents), placed.highlights, placed.elements
    there = lengths >= 0
    passages = None if said is None else placed_passages(said, documents, collection)
    if said is not None and passages is not None:
        lost = np.flatnonzero(passages.starts == UNKNOWN)
        there[np.searchsorted(said.passages.first, lost, side="right") - 1] = False
        sizes = np.where(passages.starts == UNKNOWN, said.passages.sizes, passages.lengths)
        said = replace(said, passages=replace(said.passages, sizes=sizes))
        said = _measured(said, marked, there)
    kept = int(np.count_nonzero(~there))
    if marked is not None:
        totals = np.array([marked.of(row).total() for row in range(len(documents))], np.int64)
        marked = replace(
            marked,
            lengths=np.where(lengths >= 0, lengths, marked.lengths),
            relevant=np.where(there, totals, marked.relevant),
        )
    if kept:
        notes.append(
            "documents whose sizes stay as they are stated, because not all of their text could be"
            f" found: {kept}"
        )
    return replace(placed, highlights=marked, elements=said, _derived={})


def _measured(said: Assessments, marked: Highlights | None, there: BoolArray) -> Assessments:
    """Elements with the sizes that they have, and the highlighted text in them."""
    elements = said.elements
    assert elements.spans is not None
    known = elements.spans.starts != UNKNOWN
    lit = elements.highlighted.copy()
    for row in np.flatnonzero(there).tolist() if marked is not None else ():
        assert marked is not None
        first, last = elements.first[row], elements.first[row + 1]
        mine: IntArray = first + np.flatnonzero(known[first:last] & (lit[first:last] != NO_SIZE))
        lit[mine] = overlap(elements.spans.at(mine), marked.of(row))
    sizes = np.where(known, elements.spans.lengths, elements.sizes)
    return replace(said, elements=replace(elements, sizes=sizes, highlighted=lit))
