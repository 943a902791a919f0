"""What a system returned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanwise.model.arrays import BoolArray, FloatArray, IntArray
    from spanwise.model.ids import Ids
    from spanwise.model.placements import Labels
    from spanwise.model.rows import Rows
    from spanwise.model.spans import Spans, Unit


@dataclass(frozen=True, slots=True, eq=False)
class Chunks:
    """What pieces of text brought along besides their place, row by row."""

    texts: Ids  # in UTF-8; empty where only the place was given
    ids: Ids  # empty where there is none
    costs: IntArray  # what reading it costs, as stated; -1 where nobody says
    stated: BoolArray  # whether something was said about where it begins, right or wrong


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """One system's results for many topics, as columns.

    A result is a document, or a part of one: a span, or an element or point named by its path.
    """

    name: str  # the id the run states, else its file's name
    rows: Rows
    documents: Ids
    scores: FloatArray
    ranks: FloatArray | None = None  # the stated ranks, read only when a policy needs them
    spans: Spans | None = None  # where each result lies, if results are parts of documents
    paths: Ids | None = None  # how elements were named; empty where a span was given instead
    ends: Ids | None = None  # where results are ranges between two paths: the second one
    header: Mapping[str, str] | None = None  # what a submission says about itself
    unit: Unit = "opaque"  # what the positions of spans count
    chunks: Chunks | None = None  # texts, ids and costs of chunks
    labels: Labels | None = None  # how each text was placed in its document
    lengths: IntArray | None = None  # of each result's document; -1 where the collection has none
