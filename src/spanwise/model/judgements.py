"""Judgements: graded documents, highlighted text, evidence piece by piece, preferences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np

from spanwise.errors import InputError
from spanwise.model.columns import PlainIds, Rows, concatenated, joined, plural, text
from spanwise.model.scores import html_table
from spanwise.model.spans import UNKNOWN, Spans, Unit, merged, ranges

if TYPE_CHECKING:
    from spanwise.model.arrays import BoolArray, FloatArray, IntArray
    from spanwise.model.columns import Ids
    from spanwise.model.elements import Assessments
    from spanwise.model.spans import Labels

# Highlighted text ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Highlights:
    """The highlighted text of judged documents, one entry for each row of the judgements."""

    relevant: IntArray  # number of highlighted characters, as the file states it
    lengths: IntArray  # characters of the document; -1 if unknown
    entries: IntArray  # best entry point, an offset; -1 if it has none
    first: IntArray  # row r owns the passages first[r] to first[r + 1]
    passages: Spans  # sorted and disjoint within each document
    unit: Unit = "opaque"  # unit of the positions

    def of(self, row: int) -> Spans:
        """Return the highlighted passages of one judged document."""
        return self.passages.at(slice(int(self.first[row]), int(self.first[row + 1])))

    @property
    def counts(self) -> IntArray:
        """The number of passages of each row."""
        return np.diff(self.first)

    @property
    def indivisible(self) -> bool:
        """Whether documents are relevant as a whole or not at all, so that each has length 1."""
        return self.unit == "opaque" and len(self.lengths) > 0 and bool((self.lengths == 1).all())

    def longer_than(self, lengths: IntArray) -> IntArray:
        """Return the rows with a passage that ends after these lengths; length -1 is unlimited."""
        owner = np.repeat(np.arange(len(lengths)), self.counts)
        past = (lengths[owner] >= 0) & (self.passages.ends > lengths[owner])
        return np.unique(owner[past])

    def at(self, rows: IntArray) -> Highlights:
        """Return the highlights of some rows, in the order given."""
        counts = self.counts[rows]
        return Highlights(
            self.relevant[rows],
            self.lengths[rows],
            self.entries[rows],
            np.concatenate([[0], np.cumsum(counts)]),
            self.passages.at(ranges(self.first[rows], counts)),
            self.unit,
        )


def joined_highlights(parts: Sequence[Highlights]) -> Highlights:
    """Join the highlights of several files; all must count in the same unit."""
    units = sorted({part.unit for part in parts})
    if len(units) > 1:
        raise InputError(f"highlighted text counted in {' and '.join(units)}; expected one unit")
    counts = np.concatenate([part.counts for part in parts])
    return Highlights(
        np.concatenate([part.relevant for part in parts]),
        np.concatenate([part.lengths for part in parts]),
        np.concatenate([part.entries for part in parts]),
        np.concatenate([[0], np.cumsum(counts)]),
        Spans(
            np.concatenate([part.passages.starts for part in parts]),
            np.concatenate([part.passages.lengths for part in parts]),
        ),
        parts[0].unit,
    )


# Judgements ---------------------------------------------------------------------------------------

SHOWN = 10
"""Number of topics that a notebook shows."""
T = TypeVar("T")
Wanted: TypeAlias = "Callable[[bytes, bytes], bool]"
"""Tells whether a topic asks for elements such as the one at a path."""


@dataclass(frozen=True, slots=True, eq=False)
class Judgements:
    """The graded documents of topics. A negative grade means: in the pool, but not judged.

    If text was highlighted, a document with highlighted text has grade 1, one without has grade 0.
    """

    rows: Rows
    documents: Ids
    grades: FloatArray
    assessors: Ids | None = None  # the assessor of each row, if there are several
    highlights: Highlights | None = None  # the relevant text
    elements: Assessments | None = None  # assessments of elements, passages and entry points
    wanted: Wanted | None = None  # which elements count; None: all
    evidence: Evidence | None = None  # source of the highlights: sets, aspects, assessors
    _derived: dict[Any, Any] = field(default_factory=dict, repr=False)

    @property
    def grain(self) -> str:
        """What was judged: documents, elements or passages."""
        if self.elements is not None:
            return "elements"
        return "documents" if self.highlights is None and self.evidence is None else "passages"

    def __repr__(self) -> str:
        judged = plural(len(self.rows), "judged document")
        relevant = int(np.count_nonzero(self.grades > 0))
        topics = plural(len(self.rows.topics), "topic")
        more = "" if self.grain == "documents" else f", {self.grain}"
        return (
            f"<Judgements {self.rows.source!r}: {judged} ({relevant:,} relevant) of {topics}{more}>"
        )

    def _repr_html_(self) -> str:
        starts = self.rows.starts.tolist()
        rows = []
        for code, topic in enumerate(self.rows.topics[:SHOWN]):
            grades = self.grades[starts[code] : starts[code + 1]]
            relevant = int(np.count_nonzero(grades > 0))
            rows.append([text(topic), str(len(grades)), str(relevant)])
        return html_table(["topic", "judged", "relevant"], rows, [repr(self)[1:-1]])

    def once(self, key: object, make: Callable[[], T]) -> T:
        """Return a derived value, computed once for all runs."""
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

    def __repr__(self) -> str:
        documents = plural(len(self.rows), "document")
        topics = plural(len(self.rows.topics), "topic")
        return f"<Preferences {self.rows.source!r}: {documents} of {topics}>"


def combined(parts: Sequence[Judgements | Preferences], source: str) -> Judgements | Preferences:
    """Combine judgements of one kind from several files."""
    if len(parts) == 1:
        return parts[0]
    parts = _numbered_through(parts)
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
    raise InputError(f"{source}: found files of different kinds; expected judgements of one kind")


def _numbered_through(
    parts: Sequence[Judgements | Preferences],
) -> Sequence[Judgements | Preferences]:
    """Return parts whose numbered topics are numbered from the first file to the last."""
    evidence = [part.evidence if isinstance(part, Judgements) else None for part in parts]
    numbered = [one is not None and one.numbered for one in evidence]
    if not any(numbered):
        return parts
    if not all(numbered):
        without = parts[numbered.index(True)].rows.source
        raise InputError(
            f"{without}: found no topic ids, but {parts[numbered.index(False)].rows.source} states"
            " some; expected topic ids in all files, or in none"
        )
    found: list[Judgements | Preferences] = []
    before = 0
    for part, own in zip(parts, evidence, strict=True):
        assert own is not None
        numbers = {
            topic: b"%d" % (before + int(topic)) for topic in {*part.rows.topics, *own.questions}
        }
        before += max(map(int, numbers), default=0)
        rows = replace(part.rows, topics=tuple(numbers[topic] for topic in part.rows.topics))
        questions = {numbers[topic]: asked for topic, asked in own.questions.items()}
        assert isinstance(part, Judgements)
        found.append(
            replace(part, rows=rows, evidence=replace(own, questions=questions), _derived={})
        )
    return found


def _combined_evidence(parts: Sequence[Judgements], order: IntArray) -> Evidence | None:
    """Return the evidence of several files, or None if one of them has none."""
    stated = [part.evidence for part in parts if part.evidence is not None]
    return joined_evidence(stated).at(order) if len(stated) == len(parts) else None


def _combined_elements(
    parts: Sequence[Judgements], rows: Rows, order: IntArray
) -> Assessments | None:
    """Combine the assessments of elements of several files; a topic may be in one file only."""
    from spanwise.model.elements import concatenated as one_after_another

    with_elements = [part.elements for part in parts if part.elements is not None]
    if not with_elements:
        return None
    if len(with_elements) < len(parts):
        plain = next(part for part in parts if part.elements is None)
        raise InputError(
            f"{plain.rows.source}: found judgements of documents among assessments of elements;"
            " expected files of one kind"
        )
    owners: dict[bytes, str] = {}
    for part in parts:
        for topic in part.rows.topics:
            if topic in owners:
                raise InputError(
                    f"{part.rows.source}: topic {text(topic)!r} is also in {owners[topic]};"
                    " expected one pool for each topic; keep the official file"
                )
            owners[topic] = part.rows.source
    return one_after_another(with_elements).at(order, range(len(rows.topics)))


def assessors_of(judgements: Judgements) -> list[bytes]:
    """Return the names of the assessors in byte order; one empty name if none are stated."""
    if judgements.assessors is None:
        return [b""]
    return sorted(set(judgements.assessors.take(np.arange(len(judgements.rows)))))


def by_assessor(judgements: Judgements) -> list[Judgements]:
    """Return the judgements of each assessor, assessors in byte order."""
    if judgements.assessors is None:
        return [judgements]
    names = judgements.assessors.take(np.arange(len(judgements.rows)))
    owners: dict[bytes, list[int]] = {}
    for row, name in enumerate(names):
        owners.setdefault(name, []).append(row)
    return [only(judgements, np.array(owners[name])) for name in sorted(owners)]


def by_topic(judgements: Judgements) -> list[tuple[bytes, Judgements]]:
    """Return the judgements of each topic."""
    starts = judgements.rows.starts
    return [
        (topic, only(judgements, np.arange(starts[code], starts[code + 1])))
        for code, topic in enumerate(judgements.rows.topics)
    ]


def of_topics(judgements: Judgements, topics: Iterable[bytes]) -> Judgements:
    """Return the judgements of some topics."""
    codes = {topic: code for code, topic in enumerate(judgements.rows.topics)}
    mine = np.array(sorted(codes[topic] for topic in topics if topic in codes), np.int64)
    begins = judgements.rows.starts[mine]
    chosen = ranges(begins, judgements.rows.starts[mine + 1] - begins)
    named = judgements.assessors
    part = only(judgements, chosen)
    return part if named is None else replace(part, assessors=named.reordered(chosen))


def only(judgements: Judgements, chosen: IntArray) -> Judgements:
    """Return some rows, given in rising order, without their assessors."""
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


# Evidence -----------------------------------------------------------------------------------------
#
# Relevant text as it was stated, before overlapping pieces are united. An item is a stretch of text
# that an assessor marked. Items of one set belong together; if a topic has several sets, each of
# them is sufficient evidence.


@dataclass(frozen=True, slots=True, eq=False)
class Copies:
    """Text of one document that repeats evidence of a topic: reading it is reading the evidence."""

    spans: Spans  # sorted and disjoint
    evidence: IntArray  # where the evidence begins that each span repeats


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """The items of judged documents; each row of the judgements owns consecutive items."""

    first: IntArray  # row r owns the items first[r] to first[r + 1]
    spans: Spans  # UNKNOWN if only the text is known
    grades: FloatArray  # 0: judged, and not relevant
    sets: IntArray  # number of the set that each item belongs to
    aspects: Sequence[tuple[bytes, ...]]  # aspects of the topic that each item covers
    by: Ids  # the assessor who marked it; empty if unknown
    texts: Ids  # in UTF-8; empty if only the place was given
    stated: BoolArray  # whether a start was stated, right or wrong
    full: BoolArray  # per row: whether the rest of the document was judged not relevant
    unit: Unit = "codepoint"
    labels: Labels | None = None  # how each text was placed in its document
    questions: Mapping[bytes, str] = field(default_factory=dict)  # by topic
    documents: Mapping[bytes, str] = field(default_factory=dict)  # texts in the file, by id
    numbered: bool = False  # whether topics are numbers of entries, because no ids are stated
    copies: Mapping[tuple[bytes, bytes], Copies] = field(default_factory=dict)
    """By topic and document, the text that counts as evidence that is stated elsewhere."""

    def __len__(self) -> int:
        return len(self.grades)

    @property
    def counts(self) -> IntArray:
        """The number of items of each row."""
        return np.diff(self.first)

    @property
    def relevant(self) -> BoolArray:
        """Which items count: relevant ones whose place is known."""
        placed = (self.spans.starts != UNKNOWN) & (self.spans.lengths > 0)
        return (self.grades > 0) & placed

    def at(self, rows: IntArray) -> Evidence:
        """Return the items of some rows, in the order given."""
        counts = self.counts[rows]
        items = ranges(self.first[rows], counts)
        return replace(
            self._items(items),
            first=np.concatenate([[0], np.cumsum(counts)]),
            full=self.full[rows],
        )

    def only(self, kept: BoolArray) -> Evidence:
        """Return some of the items, still grouped by row."""
        before = np.concatenate([[0], np.cumsum(kept)])
        return replace(self._items(np.flatnonzero(kept)), first=before[self.first])

    def _items(self, items: IntArray) -> Evidence:
        return replace(
            self,
            spans=self.spans.at(items),
            grades=self.grades[items],
            sets=self.sets[items],
            aspects=[self.aspects[item] for item in items.tolist()],
            by=self.by.reordered(items),
            texts=self.texts.reordered(items),
            stated=self.stated[items],
            labels=None if self.labels is None else self.labels[items],
        )


def plain_evidence(marked: Highlights) -> Evidence:
    """Return highlighted text as evidence: every passage is one item, all of one set."""
    count = len(marked.passages)
    nothing = PlainIds([b""] * count)
    return Evidence(
        marked.first,
        marked.passages,
        np.ones(count),
        np.zeros(count, np.int64),
        [()] * count,
        nothing,
        nothing,
        np.ones(count, np.bool_),
        np.ones(len(marked.first) - 1, np.bool_),
        marked.unit,
    )


def joined_evidence(parts: Sequence[Evidence]) -> Evidence:
    """Join the evidence of several files."""
    counts = np.concatenate([part.counts for part in parts])
    labels = [part.labels for part in parts if part.labels is not None]
    return Evidence(
        np.concatenate([[0], np.cumsum(counts)]),
        Spans(
            np.concatenate([part.spans.starts for part in parts]),
            np.concatenate([part.spans.lengths for part in parts]),
        ),
        np.concatenate([part.grades for part in parts]),
        np.concatenate([part.sets for part in parts]),
        [aspects for part in parts for aspects in part.aspects],
        joined([part.by for part in parts]),
        joined([part.texts for part in parts]),
        np.concatenate([part.stated for part in parts]),
        np.concatenate([part.full for part in parts]),
        parts[0].unit,
        np.concatenate(labels) if len(labels) == len(parts) else None,
        {topic: text for part in parts for topic, text in part.questions.items()},
        {name: text for part in parts for name, text in part.documents.items()},
        any(part.numbered for part in parts),
    )


def highlights_of(evidence: Evidence, lengths: IntArray, entries: IntArray) -> Highlights:
    """Return the relevant text of each row as disjoint passages."""
    kept = evidence.relevant
    texts = []
    for begin, end in zip(evidence.first[:-1].tolist(), evidence.first[1:].tolist(), strict=True):
        mine = begin + np.flatnonzero(kept[begin:end])
        texts.append(merged(evidence.spans.at(mine)))
    counts = [len(one) for one in texts]
    empty = np.zeros(0, np.int64)
    return Highlights(
        np.array([one.total() for one in texts], np.int64),
        lengths,
        entries,
        np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        Spans(
            np.concatenate([empty, *(one.starts for one in texts)]),
            np.concatenate([empty, *(one.lengths for one in texts)]),
        ),
        evidence.unit,
    )
