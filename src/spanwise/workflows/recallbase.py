"""Recall bases: the elements that count as relevant, and which of them are ideal."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal
from warnings import warn

import numpy as np

from spanwise.collection import opened
from spanwise.errors import SpanwiseWarning, UsageError
from spanwise.evaluation.prepare import asking
from spanwise.formats import read_judgements, read_quantisation
from spanwise.matching.elements import Setting
from spanwise.matching.placing import placed_judgements
from spanwise.matching.quantise import QUANTISATIONS
from spanwise.model.columns import plural, text
from spanwise.model.judgements import Judgements
from spanwise.model.scores import html_table
from spanwise.report.studies import NAMES, Entry, drawn

if TYPE_CHECKING:
    import polars as pl

    from spanwise.model.documents import Collection
    from spanwise.model.elements import Paths, RecallBase, Ties
    from spanwise.model.topics import Topics

SHOWN = 20
"""Number of elements that a notebook shows."""


@dataclass(frozen=True, slots=True, eq=False)
class RelevantElements:
    """The elements of a recall base: topic by topic in byte order, best first."""

    elements: tuple[Entry, ...]
    quant: str
    """The quantisation that gave the elements their values."""

    def __len__(self) -> int:
        return len(self.elements)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.elements)

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics that have relevant elements."""
        return tuple(dict.fromkeys(one.topic for one in self.elements))

    def to_dict(self) -> dict[str, Any]:
        """Return the quantisation and a dict for each element."""
        return {"quant": self.quant, "elements": [asdict(one) for one in self.elements]}

    def to_polars(self) -> pl.DataFrame:
        """Return a frame with a row for each element."""
        import polars as pl

        columns = {name: [getattr(one, name) for one in self.elements] for name in NAMES}
        sizes = {"size": pl.Int64, "highlighted": pl.Int64}  # also where they are all unknown
        return pl.DataFrame(columns, schema_overrides=sizes)

    def to_text(
        self, layout: Literal["table", "csv", "json", "jsonl"] = "table", width: int | None = None
    ) -> str:
        """Return a table, values separated by commas, JSON, or lines of JSON."""
        if layout == "json":
            return json.dumps(self.to_dict(), indent=1) + "\n"
        return drawn(self.elements, layout, self.quant, width)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        topics, ideal = plural(len(self.topics), "topic"), sum(one.ideal for one in self.elements)
        return (
            f"<RelevantElements: {plural(len(self), 'element')} of {topics}, {ideal:,} ideal;"
            f" quant={self.quant}>"
        )

    def _repr_html_(self) -> str:
        rows = [[str(value) for value in asdict(one).values()] for one in self.elements[:SHOWN]]
        return html_table(NAMES, rows, [repr(self)[1:-1]])


def recallbase(
    judgements: Any,
    *,
    quant: str | None = None,
    only_ideal: bool = False,
    ideal: Ties = "higher",
    topic: str | Sequence[str] = (),
    collection: Collection | Mapping[Any, str] | str | os.PathLike[str] | None = None,
    topics: Topics | Mapping[str, str] | str | os.PathLike[str] | None = None,
    structure: Literal["ignore", "strict", "vague"] = "ignore",
    paths: Paths = "valued",
    judgements_format: str | None = None,
) -> RelevantElements:
    """Return the full recall base of every topic, or the ideal one.

    `judgements` is a file or `Judgements` of elements or of highlighted text. `quant` is the name
    of a quantisation or a file with a table of your own; by default "spec" where text was
    highlighted and "gen" where elements have grades. `only_ideal` returns the ideal elements only,
    one on each relevant path; `ideal` decides which of equally good elements on a path is ideal:
    the "higher" or the "deeper" one. `topic` restricts the result to one or several topics.
    `collection` is a store, a folder of documents or an open collection; highlighted text needs it.
    `paths` decides where relevant paths end: at elements with a value, or also at elements that
    assessors found relevant and that have no value. `structure` restricts the recall base to
    elements that the query on structure in `topics` asks for.

    >>> from importlib.resources import files
    >>> handbook = files("spanwise") / "data" / "handbook"
    >>> found = recallbase(handbook / "qrels.txt", collection=handbook / "articles", topic="101")
    >>> found
    <RelevantElements: 72 elements of 1 topic, 20 ideal; quant=spec>
    >>> found.elements[0].path
    '/article[1]/body[1]/section[2]/p[1]'
    """
    only = (topic,) if isinstance(topic, str) else tuple(topic)
    wish = Wish(
        judgements,
        quant,
        only_ideal,
        ideal,
        collection,
        topics,
        structure,
        judgements_format,
        only,
        paths,
    )
    placed, base, _ = base_of(wish)
    for one in set(only) - set(map(text, placed.rows.topics)):
        raise UsageError(f"topic {one!r} is not in {placed.rows.source}")
    return RelevantElements(tuple(entries(wish, placed, base)), base.quant)


@dataclass(frozen=True, slots=True)
class Wish:
    """A request for a recall base of some judgements."""

    judgements: Any
    quant: str | None = None
    ideal: bool = False
    ties: Ties = "higher"
    collection: Any = None
    queries: Any = None
    structure: str = "ignore"
    judgements_format: str | None = None
    topics: Sequence[str] = ()
    paths: Paths = "valued"


def base_of(wish: Wish) -> tuple[Judgements, RecallBase, Collection | None]:
    """Return the placed judgements, their recall base, and the collection."""
    judgements = read_judgements(wish.judgements, wish.judgements_format)
    if not isinstance(judgements, Judgements):
        raise UsageError(f"{judgements.rows.source}: preferences; expected judgements of elements")
    documents = opened(wish.collection, judgements)
    asked = asking(judgements, wish.queries, wish.structure)
    notes: list[str] = []
    placed = placed_judgements(asked, documents, notes)
    for note in notes:
        warn(note, SpanwiseWarning, stacklevel=2)
    assert isinstance(placed, Judgements)
    if placed.elements is None and placed.highlights is None:
        raise UsageError(
            f"{judgements.rows.source}: judgements of documents; expected judged elements or"
            " highlighted text; see: spanwise formats"
        )
    own = wish.quant if wish.quant not in QUANTISATIONS else None
    tables = {own: read_quantisation(own)} if own else {}
    return placed, Setting(documents, tables).base(placed, wish.quant), documents


def entries(wish: Wish, judgements: Judgements, base: RecallBase) -> list[Entry]:
    """Return the elements of the recall base: topic by topic in byte order, best first."""
    judged, ideal = base.judged, base.ideal(wish.ties, wish.paths)
    chosen = np.flatnonzero(ideal if wish.ideal else base.full)
    names = judgements.documents.take(judged.row[chosen])
    topics = [judged.rows.topics[code] for code in judged.topic[chosen].tolist()]
    found = [
        Entry(
            text(topic),
            text(name),
            text(judged.paths[number]),
            float(base.value[number]),
            bool(ideal[number]),
            _known(int(judged.size[number])),
            _known(int(judged.highlighted[number])),
        )
        for number, topic, name in zip(chosen.tolist(), topics, names, strict=True)
        if not wish.topics or text(topic) in wish.topics
    ]
    found.sort(key=lambda e: (e.topic.encode("utf-8", "surrogateescape"), -e.value, e.document))
    return found


def _known(size: int) -> int | None:
    return None if size < 0 else size
