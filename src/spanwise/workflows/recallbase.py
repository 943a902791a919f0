"""What `spanwise recallbase` does: the relevant elements, and which of them are ideal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from warnings import warn

import numpy as np

from spanwise.collection import opened
from spanwise.errors import SpanwiseWarning, UsageError
from spanwise.evaluation.prepare import asking
from spanwise.formats import read_judgements, read_quantisation
from spanwise.matching.elements import Setting
from spanwise.matching.placing import placed_judgements
from spanwise.matching.quantise import QUANTISATIONS
from spanwise.model.columns import text
from spanwise.model.judgements import Judgements
from spanwise.report.studies import Entry, drawn

if TYPE_CHECKING:
    from spanwise.model.documents import Collection
    from spanwise.model.elements import Paths, RecallBase, Ties


@dataclass(frozen=True, slots=True)
class Wish:
    """Which recall base, of which judgements."""

    judgements: str
    quant: str | None = None
    ideal: bool = False
    ties: Ties = "higher"
    collection: str | None = None
    queries: str | None = None
    structure: str = "ignore"
    judgements_format: str | None = None
    topics: Sequence[str] = ()
    paths: Paths = "valued"


def base_of(wish: Wish) -> tuple[Judgements, RecallBase, Collection | None]:
    """The judgements, their recall base, and the documents."""
    judgements = read_judgements(wish.judgements, wish.judgements_format)
    if not isinstance(judgements, Judgements):
        raise UsageError(f"{wish.judgements}: preferences; expected judgements of elements")
    documents = opened(wish.collection, judgements)
    asked = asking(judgements, wish.queries, wish.structure)
    notes: list[str] = []
    placed = placed_judgements(asked, documents, notes)
    for note in notes:
        warn(note, SpanwiseWarning, stacklevel=2)
    assert isinstance(placed, Judgements)
    if placed.elements is None and placed.highlights is None:
        raise UsageError(
            f"{wish.judgements}: judgements of documents; expected judged elements or highlighted"
            " text; see: spanwise formats"
        )
    own = wish.quant if wish.quant not in QUANTISATIONS else None
    tables = {own: read_quantisation(own)} if own else {}
    return placed, Setting(documents, tables).base(placed, wish.quant), documents


def listed(wish: Wish, layout: str, width: int | None) -> str:
    """The recall base, printed."""
    judgements, base, _ = base_of(wish)
    for topic in set(wish.topics) - set(map(text, judgements.rows.topics)):
        raise UsageError(f"topic {topic!r} is not in {judgements.rows.source}")
    return drawn(entries(wish, judgements, base), layout, base.quant, width)


def entries(wish: Wish, judgements: Judgements, base: RecallBase) -> list[Entry]:
    """The elements of the recall base: topic by topic in byte order, best first."""
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
