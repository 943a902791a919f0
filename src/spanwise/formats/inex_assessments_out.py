"""Writing INEX assessments: what each year's form can hold, and how it looks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from spanwise.errors import UsageError
from spanwise.formats.judged import grades_of
from spanwise.formats.xml_out import DECLARATION, tag
from spanwise.model import holdings
from spanwise.model.assessments import (
    NO_COVERAGE,
    NO_SIZE,
    TOO_SMALL,
    UNJUDGED,
    UNSTATED,
    Assessments,
    Elements,
    Flag,
    Passages,
    Pool,
    begins_of,
)
from spanwise.model.ids import PlainIds, text
from spanwise.model.judgements import Judgements, by_topic

if TYPE_CHECKING:
    from spanwise.model.arrays import BoolArray, IntArray

LETTERS = {TOO_SMALL: "?", UNJUDGED: "U", 0: "0", 1: "1", 2: "2", 3: "3"}
NOTES = {
    "inpool": Flag.INPOOL,
    "inferred": Flag.INFERRED,
    "inconsistant": Flag.INCONSISTENT,
}
OTHERS = "documents without relevance whose elements this form cannot hold"


@dataclass(frozen=True, slots=True)
class Form:
    """How the assessments of one year look."""

    year: str
    keeps: tuple[str, ...]  # kinds of content it holds whole
    quote: str = '"'
    levels: str = ""  # folders between the query type and the topic

    @property
    def highlighting(self) -> bool:
        """Whether text was highlighted, rather than elements graded twice."""
        return holdings.PASSAGES in self.keeps

    def loses(self, judgements: Judgements) -> Mapping[str, int]:
        """What of some judgements does not fit, counted by kind."""
        counts = holdings.without(holdings.of_judgements(judgements), *self.keeps, holdings.POOLED)
        said = _said(judgements)
        fits = self._holds(said.elements)
        counts[holdings.ELEMENTS] = int(np.count_nonzero(~fits))
        if not self.highlighting:
            sizes = said.elements.sizes[fits]
            counts[holdings.SIZES] = int(np.count_nonzero(sizes >= 0))
        else:
            counts[holdings.PASSAGES] = int(np.count_nonzero(said.passages.sizes < 0))
        grades = judgements.grades[~self._writable(judgements, said)]
        counts[holdings.UNSUPPORTED] = int(np.count_nonzero(grades > 0))
        counts[OTHERS] = int(np.count_nonzero(grades == 0))
        counts[holdings.POOLED] = int(np.count_nonzero(grades < 0))
        return holdings.without(counts)

    def _holds(self, elements: Elements) -> BoolArray:
        """Which elements have the grades of this form and no others."""
        e, s, letters = elements.exhaustivity, elements.specificity, elements.coverage
        if self.highlighting:
            sized = (elements.sizes >= 0) & (elements.highlighted >= 0)
            graded = (e >= TOO_SMALL) & (e <= 2)
            return sized & graded & (s == UNSTATED) & (letters == NO_COVERAGE)
        if self.year == "2002":
            return (e >= 0) & (letters != NO_COVERAGE) & (s == UNSTATED)
        pairs = _paired(e) & _paired(s)
        neither = (e == UNSTATED) & (s == UNSTATED) & (elements.sizes == NO_SIZE)
        return (pairs | neither) & (letters == NO_COVERAGE)

    def held(self, said: Assessments) -> Assessments:
        """What this form holds of some assessments."""
        empty = np.zeros(len(said.entries), np.int64)
        passages, entries = said.passages, said.entries
        sized = passages.sizes >= 0 if self.highlighting else np.zeros(len(passages), np.bool_)
        if holdings.ENTRIES not in self.keeps:
            entries = PlainIds([b""] * len(empty))
        elements, fits = said.elements, self._holds(said.elements)
        chosen = np.flatnonzero(sized)
        return Assessments(
            replace(elements.only(np.flatnonzero(fits)), first=_kept(fits, elements.first)),
            Passages(
                _kept(sized, passages.first),
                passages.starts.reordered(chosen),
                passages.ends.reordered(chosen),
                passages.sizes[chosen],
            ),
            entries,
            said.collections,
            said.pools,
        )

    def _writable(self, judgements: Judgements, said: Assessments) -> BoolArray:
        """Which documents say in this form what they say now: relevant, not, or not judged."""
        return np.sign(grades_of(self.held(said))) == np.sign(judgements.grades)

    def files(self, judgements: Judgements) -> Iterator[tuple[str, Judgements]]:
        """A file for each topic, named as in a release."""
        for (topic, part), pool in zip(by_topic(judgements), _said(judgements).pools, strict=True):
            stated = re.search(r'query_type="([\w+.-]+)"', pool.statement)
            number = _safe(pool.number or text(topic))
            folder = (
                f"done/{stated[1] if stated else 'all'}{self.levels}/topic-{_safe(text(topic))}"
            )
            yield f"{folder}/pool-{number}.xml", part

    def write(self, judgements: Judgements) -> Iterator[bytes]:
        """The file of one topic, piece by piece."""
        topics = judgements.rows.topics
        if len(topics) > 1:
            raise UsageError(
                f"{judgements.rows.source} has {len(topics)} topics and a file of this form holds"
                " one; give the name of a folder, with / at its end, for one file each"
            )
        said = _said(judgements)
        rows = np.flatnonzero(self._writable(judgements, said))
        held = self.held(said).at(rows, range(len(topics)))
        yield (DECLARATION + self._root(topics[0], held.pools[0]) + "\n").encode()
        names = judgements.documents.take(rows)
        for row, name in enumerate(names):
            yield self._document(name, held, row).encode()
        yield b"</assessments>\n"

    def _root(self, topic: bytes, pool: Pool) -> str:
        said = {"pool": pool.number, "topic": text(topic)}
        said |= {"version": pool.version, "whitespace-text-node": pool.whitespace}
        kinds = {
            "pool": holdings.POOLS,
            "version": holdings.VERSIONS,
            "whitespace-text-node": holdings.WHITESPACE,
        }
        kept = {
            name: value
            for name, value in said.items()
            if value and (name not in kinds or kinds[name] in self.keeps)
        }
        statement = f"\n{pool.statement}" if holdings.STATEMENTS in self.keeps else ""
        return tag("assessments", kept, quote=self.quote) + statement.rstrip("\n")

    def _document(self, name: bytes, held: Assessments, row: int) -> str:
        here = np.array([row])
        said = {"file": text(name)}
        if holdings.COLLECTIONS in self.keeps:
            collection = text(held.collections.take(here)[0])
            said = {"collection": collection} if collection else {}
            said["name"] = text(name)
        lines = [f" {tag('file', said, quote=self.quote)}"]
        entry = held.entries.take(here)[0]
        if entry:
            lines.append(f"  {tag('best-entry-point', {'path': text(entry)}, empty=True)}")
        lines += [f"  {line}" for line in _passages(held.passages.at(here))]
        lines += [f"  {line}" for line in self._elements(held.elements.at(here))]
        return "\n".join([*lines, " </file>\n"])

    def _elements(self, elements: Elements) -> Iterator[str]:
        name = "element" if self.highlighting else "path"
        for path, values in elements.told():
            said = {"path": text(path), **self._values(*values)}
            yield tag(name, said, quote=self.quote, empty=True)

    def _values(
        self, e: int, s: int, letter: int, size: int, highlighted: int, flags: int
    ) -> dict[str, object]:
        if self.highlighting:
            return {"exhaustivity": LETTERS[e], "size": size, "rsize": highlighted}
        if self.year == "2002":
            return {"relevance": LETTERS[e], "coverage": chr(letter)}
        pair: dict[str, object] = {}
        if e != UNSTATED:
            pair = {"exhaustiveness": LETTERS[e], "specificity": LETTERS[s]}
        if holdings.FLAGS in self.keeps:
            pair |= {note: "true" for note, flag in NOTES.items() if flags & flag}
        return pair


def _paired(grades: IntArray) -> BoolArray:
    return (grades >= 0) | (grades == UNJUDGED)


def _kept(flags: BoolArray, first: IntArray) -> IntArray:
    """Where each row's stretch begins when only the flagged entries stay."""
    return begins_of(flags.astype(np.int64))[first]


def _passages(passages: Passages) -> Iterator[str]:
    every = np.arange(len(passages))
    points = zip(passages.starts.take(every), passages.ends.take(every), strict=True)
    for (start, end), size in zip(points, passages.sizes.tolist(), strict=True):
        said = {"start": text(start), "end": text(end), "size": size}
        yield tag("passage", said, empty=True)


def _safe(name: str) -> str:
    return re.sub(r"[^\w.-]", "_", name)


def _said(judgements: Judgements) -> Assessments:
    """What was said of elements; of plain judgements that is nothing."""
    if judgements.elements is not None:
        return judgements.elements
    count, none = len(judgements.rows), np.zeros(0, np.int64)
    first, no_ids = np.zeros(count + 1, np.int64), PlainIds([])
    return Assessments(
        Elements(first, no_ids, none, none, none, none, none, none),
        Passages(first, no_ids, no_ids, none),
        PlainIds([b""] * count),
        PlainIds([b""] * count),
        (Pool(),) * len(judgements.rows.topics),
    )


GRADED = (holdings.ELEMENTS,)
POOLED = (*GRADED, holdings.POOLS, holdings.FLAGS)
HIGHLIGHTED = (
    holdings.ELEMENTS,
    holdings.SIZES,
    holdings.PASSAGES,
    holdings.COLLECTIONS,
    holdings.POOLS,
    holdings.VERSIONS,
    holdings.STATEMENTS,
)
FORMS = {
    "2002": Form("2002", GRADED),
    "2003": Form("2003", GRADED),
    "2004": Form("2004", POOLED, quote="'"),
    "2005": Form("2005", HIGHLIGHTED, levels="/main"),
    "2006": Form("2006", (*HIGHLIGHTED, holdings.ENTRIES), levels="/main"),
    "2007": Form("2007", (*HIGHLIGHTED, holdings.ENTRIES, holdings.WHITESPACE), levels="/main"),
}
