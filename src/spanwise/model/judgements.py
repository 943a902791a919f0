"""What people found relevant."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np

from spanwise.errors import InputError
from spanwise.model.highlights import Highlights as Highlights
from spanwise.model.highlights import joined_highlights
from spanwise.model.ids import joined, text
from spanwise.model.rows import Rows, concatenated
from spanwise.model.spans import ranges

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from spanwise.model.arrays import FloatArray, IntArray
    from spanwise.model.assessments import Assessments
    from spanwise.model.evidence import Evidence
    from spanwise.model.ids import Ids


T = TypeVar("T")
Wanted: TypeAlias = "Callable[[bytes, bytes], bool]"
"""Whether a topic asks for elements such as the one at a path."""


@dataclass(frozen=True, slots=True, eq=False)
class Judgements:
    """Graded documents. A negative grade says: in the pool, but not judged.

    Where text was highlighted, a document with some has grade 1, one without grade 0.
    """

    rows: Rows
    documents: Ids
    grades: FloatArray
    assessors: Ids | None = None  # who judged, where several did
    highlights: Highlights | None = None  # where the relevant text lies
    elements: Assessments | None = None  # what was said of elements, passages and entry points
    wanted: Wanted | None = None  # which elements count; None: all
    evidence: Evidence | None = None  # what highlights were made of: sets, aspects, annotators
    _derived: dict[Any, Any] = field(default_factory=dict, repr=False)

    def once(self, key: object, make: Callable[[], T]) -> T:
        """What is derived from judgements is made once, however many runs are scored."""
        if key not in self._derived:
            self._derived[key] = make()
        return self._derived[key]


@dataclass(frozen=True, slots=True, eq=False)
class Preferences:
    """Levels of documents within groups: a higher level is preferred to a lower one."""

    rows: Rows
    groups: tuple[bytes, ...]
    subgroups: tuple[bytes, ...]
    documents: tuple[bytes, ...]
    levels: FloatArray


def combined(parts: Sequence[Judgements | Preferences], source: str) -> Judgements | Preferences:
    """Judgements from several files of one kind as if they stood in one."""
    if len(parts) == 1:
        return parts[0]
    rows, order = concatenated([part.rows for part in parts], source)
    judged = [part for part in parts if isinstance(part, Judgements)]
    stated = [part for part in parts if isinstance(part, Preferences)]
    if len(judged) == len(parts):
        documents = joined([part.documents for part in judged]).reordered(order)
        grades = np.concatenate([part.grades for part in judged])[order]
        named = [part.assessors for part in judged if part.assessors is not None]
        marked = [part.highlights for part in judged if part.highlights is not None]
        if len(named) in (0, len(parts)) and len(marked) in (0, len(parts)):
            assessors = joined(named).reordered(order) if named else None
            highlights = joined_highlights(marked).at(order) if marked else None
            elements = _combined_elements(judged, rows, order)
            evidence = _combined_evidence(judged, order)
            return Judgements(
                rows, documents, grades, assessors, highlights, elements, evidence=evidence
            )
    if len(stated) == len(parts):
        every = order.tolist()

        def gathered(columns: Iterable[tuple[bytes, ...]]) -> tuple[bytes, ...]:
            values = [value for column in columns for value in column]
            return tuple(values[row] for row in every)

        return Preferences(
            rows,
            gathered(part.groups for part in stated),
            gathered(part.subgroups for part in stated),
            gathered(part.documents for part in stated),
            np.concatenate([part.levels for part in stated])[order],
        )
    raise InputError(f"{source}: files of different kinds; expected judgements of one kind")


def _combined_evidence(parts: Sequence[Judgements], order: IntArray) -> Evidence | None:
    """The evidence of several files, if all have some."""
    from spanwise.model.evidence import joined_evidence

    stated = [part.evidence for part in parts if part.evidence is not None]
    return joined_evidence(stated).at(order) if len(stated) == len(parts) else None


def _combined_elements(
    parts: Sequence[Judgements], rows: Rows, order: IntArray
) -> Assessments | None:
    """What was said of elements in several files; two pools of one topic are not mixed."""
    from spanwise.model.assessments import concatenated as one_after_another

    with_elements = [part.elements for part in parts if part.elements is not None]
    if not with_elements:
        return None
    if len(with_elements) < len(parts):
        plain = next(part for part in parts if part.elements is None)
        raise InputError(
            f"{plain.rows.source}: judgements of documents among assessments of elements;"
            " expected files of one kind"
        )
    owners: dict[bytes, str] = {}
    for part in parts:
        for topic in part.rows.topics:
            if topic in owners:
                raise InputError(
                    f"{part.rows.source}: topic {text(topic)!r} is also in {owners[topic]};"
                    " expected one pool for each topic; keep the official one"
                )
            owners[topic] = part.rows.source
    return one_after_another(with_elements).at(order, range(len(rows.topics)))


def assessors_of(judgements: Judgements) -> list[bytes]:
    """The names of those who judged, in byte order; one without a name if nobody says."""
    if judgements.assessors is None:
        return [b""]
    return sorted(set(judgements.assessors.take(np.arange(len(judgements.rows)))))


def by_assessor(judgements: Judgements) -> list[Judgements]:
    """The judgements of each assessor on their own, assessors in byte order."""
    if judgements.assessors is None:
        return [judgements]
    names = judgements.assessors.take(np.arange(len(judgements.rows)))
    owners: dict[bytes, list[int]] = {}
    for row, name in enumerate(names):
        owners.setdefault(name, []).append(row)
    return [only(judgements, np.array(owners[name])) for name in sorted(owners)]


def by_topic(judgements: Judgements) -> list[tuple[bytes, Judgements]]:
    """The judgements of each topic on their own."""
    starts = judgements.rows.starts
    return [
        (topic, only(judgements, np.arange(starts[code], starts[code + 1])))
        for code, topic in enumerate(judgements.rows.topics)
    ]


def of_topics(judgements: Judgements, topics: Iterable[bytes]) -> Judgements:
    """The judgements of some topics."""
    codes = {topic: code for code, topic in enumerate(judgements.rows.topics)}
    mine = np.array(sorted(codes[topic] for topic in topics if topic in codes), np.int64)
    begins = judgements.rows.starts[mine]
    chosen = ranges(begins, judgements.rows.starts[mine + 1] - begins)
    named = judgements.assessors
    part = only(judgements, chosen)
    return part if named is None else replace(part, assessors=named.reordered(chosen))


def only(judgements: Judgements, chosen: IntArray) -> Judgements:
    """Some rows, given in rising order; of assessors nothing is kept."""
    rows = judgements.rows
    topic = np.searchsorted(rows.starts, chosen, side="right") - 1
    present, counts = np.unique(topic, return_counts=True)
    lines = chosen + 1 if rows.lines is None else rows.lines[chosen]
    kept = Rows(
        rows.source,
        tuple(rows.topics[code] for code in present.tolist()),
        np.concatenate([[0], np.cumsum(counts)]),
        lines if rows.has_lines else None,
        rows.has_lines,
    )
    marked = judgements.highlights
    elements, evidence = judgements.elements, judgements.evidence
    return Judgements(
        kept,
        judgements.documents.reordered(chosen),
        judgements.grades[chosen],
        highlights=None if marked is None else marked.at(chosen),
        elements=elements.at(chosen, present.tolist()) if elements is not None else None,
        wanted=judgements.wanted,
        evidence=None if evidence is None else evidence.at(chosen),
    )
