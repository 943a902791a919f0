"""Kinds of content in runs and judgements, counted, so that a conversion can report its losses."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from spanwise.model.spans import UNKNOWN

if TYPE_CHECKING:
    from spanwise.model.arrays import BoolArray
    from spanwise.model.columns import Ids
    from spanwise.model.judgements import Evidence, Judgements
    from spanwise.model.run import Run

RANKS = "stated ranks"
PATHS = "element paths"
RANGES = "passages between two points"
SPANS = "passages by offset"
PLACED = "offsets of results that have paths"
LOST = "results without a place in their document"
UNSCORED = "results without a score, replaced by falling numbers"
HEADER = "entries of the header"
BLANKS = "blanks in the name of the run, written as _"
TEXTS = "texts of results"
IDS = "ids of results"
COSTS = "costs of results"
UNIT = "unit of offsets"
GRADES = "grades of documents other than 0 and 1"
POOLED = "documents pooled but not judged"
ASSESSORS = "names of assessors"
HIGHLIGHTED = "highlighted passages by offset"
LENGTHS = "lengths of documents"
OFFSETS = "best entry points by offset"
ELEMENTS = "element grades"
SIZES = "sizes of elements"
FLAGS = "notes on how elements were judged"
PASSAGES = "highlighted passages between two points"
ENTRIES = "best entry points"
COLLECTIONS = "names of collections"
POOLS = "pool numbers"
VERSIONS = "versions of assessments"
WHITESPACE = "statements on white space"
STATEMENTS = "topic statements"
MARKED_GRADES = "grades of passages other than 1"
MARKED_TEXTS = "texts of passages"
UNPLACED = "passages by text only"
ASPECTS = "aspects of passages"
SETS = "alternative sets of passages"
MARKERS = "names of those who marked passages"
PARTLY = "documents of which a part was judged"
QUESTIONS = "questions of topics"
OF_EVIDENCE = (
    *(MARKED_GRADES, MARKED_TEXTS, UNPLACED, ASPECTS, SETS, MARKERS, PARTLY),
    QUESTIONS,
)
DENIED = "grades of 0 for documents with highlighted text"
UNSUPPORTED = "relevant documents with nothing that this format can hold"


CHARACTERS = ("opaque", "codepoint")
"""Units of the offsets in formats that name no unit."""
HEAD = re.compile(r"(.*?)(?= (?:of|by|between|with|without|on|in|pooled)\b|,|$)")
"""The name of a kind before its details are listed."""


def loss_in_words(kind: str, count: int) -> str:
    """Return a kind with its number in words.

    >>> loss_in_words(HEADER, 1), loss_in_words(ELEMENTS, 312)
    ('1 entry of the header', '312 element grades')
    """
    head = HEAD.match(kind)
    if count != 1 or head is None:
        return f"{count} {kind}"
    one = re.sub(r"ies$", "y", head[1])
    return f"1 {one.removesuffix('s')}{kind[head.end() :]}"


def of_run(run: Run) -> dict[str, int]:
    """Count the content of a run beyond documents and scores."""
    ranges = filled(run.ends) if run.ends is not None else np.zeros(len(run.rows), np.bool_)
    paths = filled(run.paths) if run.paths is not None else np.zeros(len(run.rows), np.bool_)
    found = {PATHS: paths & ~ranges, RANGES: ranges}
    if run.spans is not None:
        placed = run.spans.starts != UNKNOWN
        found |= {SPANS: placed & ~paths, LOST: ~placed & ~paths}
    counts = {kind: int(np.count_nonzero(flags)) for kind, flags in found.items()}
    counts[RANKS] = 0 if run.ranks is None else int(np.count_nonzero(~np.isnan(run.ranks)))
    counts[HEADER] = len({*(run.header or ())} - {"run-id"})
    counts[QUESTIONS] = len(run.questions) if run.numbered else 0
    return counts | of_chunks(run)


def of_chunks(run: Run) -> dict[str, int]:
    """Count the texts, ids and costs of chunks, and the units of their positions."""
    some = run.chunks
    counts = {UNIT: int(run.unit not in CHARACTERS and run.spans is not None)}
    if some is not None:
        counts |= {
            TEXTS: int(np.count_nonzero(filled(some.texts))),
            IDS: int(np.count_nonzero(filled(some.ids))),
            COSTS: int(np.count_nonzero(some.costs >= 0)),
        }
    return counts


def in_lines(run: Run) -> dict[str, int]:
    """Count the content of a run for a format whose lines need a score and the run's name."""
    stated = run.stated_scores
    unscored = 0 if stated is None else int(np.count_nonzero(np.isnan(stated)))
    blanks = sum(character.isspace() for character in run.name)
    return {**of_run(run), UNSCORED: unscored, BLANKS: blanks}


def of_judgements(judgements: Judgements) -> dict[str, int]:
    """Count the content of judgements beyond relevant and not relevant documents."""
    grades, people = judgements.grades, judgements.assessors
    counts = {
        GRADES: int(np.count_nonzero((grades >= 0) & (grades != 0) & (grades != 1))),
        POOLED: int(np.count_nonzero(grades < 0)),
        ASSESSORS: 0 if people is None else int(np.count_nonzero(filled(people))),
    }
    if judgements.highlights is not None:
        text = judgements.highlights
        counts |= {
            HIGHLIGHTED: len(text.passages),
            LENGTHS: int(np.count_nonzero(text.lengths >= 0)),
            OFFSETS: int(np.count_nonzero(text.entries >= 0)),
            UNIT: int(text.unit not in CHARACTERS),
        }
    said = judgements.elements
    if said is not None:
        counts |= {
            ELEMENTS: len(said.elements),
            SIZES: int(np.count_nonzero(said.elements.sizes >= 0)),
            FLAGS: int(np.count_nonzero(said.elements.flags)),
            PASSAGES: len(said.passages),
            ENTRIES: int(np.count_nonzero(filled(said.entries))),
            COLLECTIONS: int(np.count_nonzero(filled(said.collections))),
            POOLS: sum(bool(pool.number) for pool in said.pools),
            VERSIONS: sum(bool(pool.version) for pool in said.pools),
            WHITESPACE: sum(bool(pool.whitespace) for pool in said.pools),
            STATEMENTS: sum(bool(pool.statement) for pool in said.pools),
        }
    if judgements.evidence is not None:
        counts |= of_evidence(judgements.evidence)
    return counts


def of_evidence(said: Evidence) -> dict[str, int]:
    """Count the content of evidence beyond the relevant characters."""
    return {
        MARKED_GRADES: int(np.count_nonzero(said.grades != 1)),
        MARKED_TEXTS: int(np.count_nonzero(filled(said.texts))),
        UNPLACED: int(np.count_nonzero(said.spans.starts == UNKNOWN)),
        ASPECTS: sum(map(len, said.aspects)),
        SETS: int(np.count_nonzero(np.unique(said.sets))),
        MARKERS: int(np.count_nonzero(filled(said.by))),
        PARTLY: int(np.count_nonzero(~said.full)),
        QUESTIONS: len(said.questions),
    }


def filled(ids: Ids) -> BoolArray:
    """Return which ids are not empty."""
    return np.array([bool(one) for one in ids.take(np.arange(len(ids)))], np.bool_)


def without(counts: dict[str, int], *kept: str) -> dict[str, int]:
    """Return the counts of the kinds that are not kept; kinds that do not occur are left out."""
    return {kind: count for kind, count in counts.items() if count and kind not in kept}
